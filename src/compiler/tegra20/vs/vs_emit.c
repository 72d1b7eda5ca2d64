/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Scheduled and allocated instructions to machine words (vertex-pipeline.md
 * 2).
 */

#include <string.h>

#include "util/ralloc.h"
#include "vpe_operand.h"
#include "vs_ir.h"

/* Operand s of an operation is rA, rB or rC: additions read rA and rC, the
 * scalar half reads rC only. */
static unsigned
operand_of_source(const struct vs_op *op, bool is_vector, unsigned s)
{
   if (!is_vector)
      return 2;
   return op->opcode == VS_OP_ADD && s == 1 ? 2 : s;
}

/* Component in which a lane is written. */
static unsigned
lane_component(const struct vs_program *prog, const struct vs_op *op,
               unsigned lane)
{
   if (vs_sets_addr(op))
      return op->set_addr[lane];
   if (op->export != VS_NONE)
      return op->export_comp[lane];
   if (vs_sets_cr(op))
      return op->set_cr[lane] % 4;
   return prog->cells[op->dst[lane]].comp;
}

static unsigned
source_component(const struct vs_program *prog, const struct vs_src *src,
                 unsigned const_reg, unsigned lane)
{
   switch (src->file) {
   case VS_FILE_TEMP:
      return prog->cells[src->c[lane]].comp;
   case VS_FILE_CONST:
      if (!src->relative) {
         unsigned comp = 0;
         while (comp < 3 && prog->consts[const_reg][comp] != src->c[lane])
            comp++;
         return comp;
      }
      return src->c[lane];
   default:
      return src->c[lane];
   }
}

static void
emit_source(const struct vs_program *prog, struct vpe_inst *inst,
            const struct vs_op *op, bool is_vector, unsigned s,
            unsigned const_reg)
{
   const struct vs_src *src = &op->src[s];
   const struct vpe_operand operand =
      vpe_get_operand(inst, operand_of_source(op, is_vector, s));
   const unsigned kind = vs_info(op)->kind;
   unsigned filled = 0, any = 0;

   switch (src->file) {
   case VS_FILE_TEMP:
      *operand.type = VPE_OPERAND_TYPE_TEMP;
      *operand.index = prog->cells[src->c[0]].reg;
      break;
   case VS_FILE_CONST:
      *operand.type = VPE_OPERAND_TYPE_CONSTANT;
      inst->constant_index = const_reg;
      inst->const_relative = src->relative;
      break;
   default:
      *operand.type = VPE_OPERAND_TYPE_ATTRIBUTE;
      inst->attribute_index = src->base + src->offset;
      inst->attribute_relative = src->relative;
      break;
   }
   if (src->relative)
      inst->address_select = op->addr;
   *operand.negate = src->neg;
   *operand.absolute = src->abs;

   for (unsigned i = 0; i < vs_src_lanes(op); i++) {
      const unsigned comp =
         kind == VS_KIND_LANES ? lane_component(prog, op, i) : i;
      any = source_component(prog, src, const_reg, i);
      operand.swizzle[comp] = any;
      filled |= 1 << comp;
   }
   /* Components that do not matter repeat one that does: nothing unwritten is
    * ever read. */
   for (unsigned comp = 0; comp < 4; comp++) {
      if (!(filled & (1 << comp)))
         operand.swizzle[comp] = any;
   }
}

static void
emit_destination(const struct vs_program *prog, struct vpe_inst *inst,
                 const struct vs_op *op, bool is_vector)
{
   unsigned mask = 0;

   for (unsigned i = 0; i < op->lanes; i++)
      mask |= 1 << lane_component(prog, op, i);
   const uint8_t rd = vs_has_dst(op) ? prog->cells[op->dst[0]].reg : 63;

   if (is_vector) {
      inst->vector_mask = mask;
      inst->vector_rd = vs_sets_addr(op) ? 0 : rd;
   } else {
      inst->scalar_mask = mask;
      inst->scalar_rd = rd;
   }
   if (op->export != VS_NONE) {
      inst->export_index = op->export;
      inst->export_vector = is_vector;
   }
}

static void
emit_conditions(const struct vs_program *prog, struct vpe_inst *inst,
                const struct vs_op *op)
{
   if (vs_is_predicated(op)) {
      inst->condition_check = true;
      inst->pred_lt = op->cond & VS_COND_LT;
      inst->pred_eq = (op->cond & VS_COND_EQ) != 0;
      inst->pred_gt = (op->cond & VS_COND_GT) != 0;
      inst->condition_register = op->pred[0] / 4;
      memset(inst->predicate_swizzle, op->pred[0] % 4,
             sizeof(inst->predicate_swizzle));
      for (unsigned i = 0; i < op->lanes; i++)
         inst->predicate_swizzle[lane_component(prog, op, i)] =
            op->pred[i] % 4;
   }
   if (vs_sets_cr(op)) {
      inst->condition_set = inst->condition_write = true;
      inst->condition_register = op->set_cr[0] / 4;
   }
}

static void
emit_half(const struct vs_program *prog, struct vpe_inst *inst,
          const struct vs_op *op, bool is_vector, unsigned const_reg)
{
   if (is_vector)
      inst->vector_op = vs_info(op)->vector_op;
   else
      inst->scalar_op = vs_info(op)->scalar_op;

   if (op->opcode == VS_OP_BRA)
      inst->iaddr = vs_get_block(prog, op->target)->address;
   inst->saturate |= op->saturate;
   emit_conditions(prog, inst, op);
   emit_destination(prog, inst, op, is_vector);
   for (unsigned s = 0; s < vs_info(op)->num_srcs; s++)
      emit_source(prog, inst, op, is_vector, s, const_reg);
}

/*
 * The end bit belongs on the last instruction that runs.  A branch there, or
 * to behind it, needs an instruction that does nothing.
 */
static bool
needs_final_nop(const struct vs_program *prog)
{
   const struct vs_block *last = vs_get_block(prog, vs_num_blocks(prog) - 1);
   const unsigned count = vs_num_insts(last);

   if (count == 0)
      return true;
   const struct vs_inst *inst = vs_get_inst(last, count - 1);
   return inst->scalar && inst->scalar->opcode == VS_OP_BRA;
}

/* Instructions on the longest way through the program that takes every loop
 * once. */
static unsigned
longest_path(const struct vs_program *prog)
{
   unsigned *length =
      rzalloc_array((void *)prog, unsigned, vs_num_blocks(prog) + 1);
   unsigned longest = 0;

   for (unsigned b = 0; b < vs_num_blocks(prog); b++) {
      const struct vs_block *block = vs_get_block(prog, b);
      const unsigned end = length[b] + vs_num_insts(block);
      longest = MAX2(longest, end);
      for (unsigned i = 0; i < 2; i++) {
         if (block->succ[i] != VS_NO_BLOCK && block->succ[i] > b)
            length[block->succ[i]] = MAX2(length[block->succ[i]], end);
      }
   }
   ralloc_free(length);
   return longest;
}

void
vs_emit(struct vs_program *prog, void *mem_ctx, struct tegra20_vs *out)
{
   const bool final_nop = needs_final_nop(prog);
   unsigned count = 0;

   vs_foreach_block (prog, block) {
      block->address = count;
      count += vs_num_insts(block);
   }
   count += final_nop;
   if (count > TEGRA20_VS_MAX_INSTS) {
      vs_fail(prog, "vertex program needs %u instructions, the chip has %u",
              count, TEGRA20_VS_MAX_INSTS);
      return;
   }

   out->num_insts = count;
   out->insts = rzalloc_size(mem_ctx, count * sizeof(out->insts[0]));
   unsigned n = 0;
   vs_foreach_block (prog, block) {
      util_dynarray_foreach (&block->insts, struct vs_inst, inst) {
         struct vpe_inst fields = vpe_inst_init();
         if (inst->vector)
            emit_half(prog, &fields, inst->vector, true, inst->const_reg);
         if (inst->scalar)
            emit_half(prog, &fields, inst->scalar, false, inst->const_reg);
         fields.end = n == count - 1;
         vpe_pack(&fields, out->insts[n++]);
         out->stats.dual += inst->vector && inst->scalar;
      }
   }
   if (final_nop) {
      struct vpe_inst fields = vpe_inst_init();
      fields.end = true;
      vpe_pack(&fields, out->insts[n++]);
   }

   out->stats.insts = count;
   out->stats.cycles = longest_path(prog) + final_nop;
   out->stats.temps = prog->num_temps;
   out->stats.consts = prog->num_consts;
   out->stats.loops = prog->num_loops;
   out->stats.lower_bound = prog->lower_bound;
}
