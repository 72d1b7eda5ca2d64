/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "nir_interp.h"

#include <string.h>

#include "compiler/nir/nir_constant_expressions.h"
#include "util/macros.h"
#include "util/ralloc.h"
#include "util/u_math.h"

#define MAX_BLOCKS_RUN 100000

enum flow { FLOW_NEXT, FLOW_BREAK, FLOW_CONTINUE, FLOW_STOP };

struct interp {
   struct nir_interp_io *io;
   nir_const_value (*values)[NIR_MAX_VEC_COMPONENTS];
   const nir_block *previous;
   unsigned blocks_run;
};

static nir_const_value *
value_of(struct interp *in, const nir_def *def)
{
   return in->values[def->index];
}

static enum flow
fail(struct interp *in, const char *reason)
{
   in->io->error = reason;
   return FLOW_STOP;
}

static void
run_alu(struct interp *in, const nir_alu_instr *alu)
{
   const nir_op_info *info = &nir_op_infos[alu->op];
   nir_const_value srcs[NIR_ALU_MAX_INPUTS][NIR_MAX_VEC_COMPONENTS];
   nir_const_value *pointers[NIR_ALU_MAX_INPUTS];

   for (unsigned s = 0; s < info->num_inputs; s++) {
      for (unsigned c = 0; c < nir_ssa_alu_instr_src_components(alu, s); c++)
         srcs[s][c] = value_of(in, alu->src[s].src.ssa)[alu->src[s].swizzle[c]];
      pointers[s] = srcs[s];
   }
   nir_eval_const_opcode(alu->op, value_of(in, &alu->def), alu->def.num_components, 32, pointers, 0);
}

/* Offsets are floats after the lowering of integers; constant ones are zero. */
static int
offset_of(struct interp *in, const nir_src *src, int max)
{
   if (nir_src_is_const(*src))
      return 0;
   const float offset = rintf(value_of(in, src->ssa)[0].f32);
   in->io->out_of_range |= !(offset >= 0.0f && offset <= (float)max);
   return (int)CLAMP(offset, 0.0f, (float)max);
}

static enum flow
run_intrinsic(struct interp *in, const nir_intrinsic_instr *intr)
{
   switch (intr->intrinsic) {
   case nir_intrinsic_load_uniform: {
      const int offset = offset_of(in, &intr->src[0], (int)nir_intrinsic_range(intr) - 1);
      for (unsigned c = 0; c < intr->def.num_components; c++) {
         const unsigned word = 4 * (nir_intrinsic_base(intr) + offset) + c;
         value_of(in, &intr->def)[c].u32 = word < in->io->num_uniform_words ? in->io->uniforms[word] : 0;
      }
      return FLOW_NEXT;
   }
   case nir_intrinsic_load_input: {
      const int offset = offset_of(in, &intr->src[0], nir_intrinsic_io_semantics(intr).num_slots - 1);
      for (unsigned c = 0; c < intr->def.num_components; c++)
         value_of(in, &intr->def)[c].f32 =
            in->io->attribs[nir_intrinsic_base(intr) + offset][nir_intrinsic_component(intr) + c];
      return FLOW_NEXT;
   }
   case nir_intrinsic_store_output: {
      float *output = in->io->outputs[nir_intrinsic_io_semantics(intr).location];
      u_foreach_bit(c, nir_intrinsic_write_mask(intr))
         output[nir_intrinsic_component(intr) + c] = value_of(in, intr->src[0].ssa)[c].f32;
      return FLOW_NEXT;
   }
   default:
      return fail(in, nir_intrinsic_infos[intr->intrinsic].name);
   }
}

static void
run_phis(struct interp *in, nir_block *block)
{
   nir_const_value results[64][NIR_MAX_VEC_COMPONENTS];
   unsigned n = 0;

   nir_foreach_phi(phi, block) {
      nir_foreach_phi_src(src, phi) {
         if (src->pred == in->previous && n < ARRAY_SIZE(results))
            memcpy(results[n], value_of(in, src->src.ssa), sizeof(results[n]));
      }
      n++;
   }
   n = 0;
   nir_foreach_phi(phi, block)
      memcpy(value_of(in, &phi->def), results[n++], sizeof(results[0]));
}

static enum flow
run_block(struct interp *in, nir_block *block)
{
   enum flow flow = FLOW_NEXT;

   if (++in->blocks_run > MAX_BLOCKS_RUN)
      return fail(in, "endless");
   run_phis(in, block);
   nir_foreach_instr(instr, block) {
      switch (instr->type) {
      case nir_instr_type_alu:
         run_alu(in, nir_instr_as_alu(instr));
         break;
      case nir_instr_type_intrinsic:
         flow = run_intrinsic(in, nir_instr_as_intrinsic(instr));
         break;
      case nir_instr_type_load_const:
         memcpy(value_of(in, &nir_instr_as_load_const(instr)->def), nir_instr_as_load_const(instr)->value,
                nir_instr_as_load_const(instr)->def.num_components * sizeof(nir_const_value));
         break;
      case nir_instr_type_jump:
         in->previous = block;
         return nir_instr_as_jump(instr)->type == nir_jump_break ? FLOW_BREAK : FLOW_CONTINUE;
      case nir_instr_type_undef:
      case nir_instr_type_phi:
         break;
      default:
         return fail(in, "instruction that vertex programs do not have");
      }
      if (flow == FLOW_STOP)
         return flow;
   }
   in->previous = block;
   return flow;
}

static enum flow
run_list(struct interp *in, struct exec_list *list)
{
   foreach_list_typed(nir_cf_node, node, node, list) {
      enum flow flow;

      if (node->type == nir_cf_node_block) {
         flow = run_block(in, nir_cf_node_as_block(node));
      } else if (node->type == nir_cf_node_if) {
         nir_if *nif = nir_cf_node_as_if(node);
         const bool taken = value_of(in, nif->condition.ssa)[0].f32 != 0.0f;
         flow = run_list(in, taken ? &nif->then_list : &nif->else_list);
      } else {
         do {
            flow = run_list(in, &nir_cf_node_as_loop(node)->body);
         } while (flow == FLOW_NEXT || flow == FLOW_CONTINUE);
         flow = flow == FLOW_BREAK ? FLOW_NEXT : flow;
      }
      if (flow != FLOW_NEXT)
         return flow;
   }
   return FLOW_NEXT;
}

void
nir_interpret(nir_shader *nir, struct nir_interp_io *io)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   struct interp in = {.io = io};

   nir_index_ssa_defs(impl);
   in.values = rzalloc_array_size(NULL, sizeof(in.values[0]), impl->ssa_alloc + 1);
   memset(io->outputs, 0, sizeof(io->outputs));
   io->outputs[VARYING_SLOT_POS][3] = 1.0f;
   io->error = NULL;
   io->out_of_range = false;
   run_list(&in, &impl->body);
   ralloc_free(in.values);
}
