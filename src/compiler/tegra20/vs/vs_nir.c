/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Last changes to the NIR of a vertex program: operations that the vertex
 * engine lacks become ones that it has (vertex-pipeline.md 11.1), and phis
 * become registers.  Functions that can end up on the CPU as a whole are
 * taken apart later (vs_build_alu.c).
 */

#include "compiler/nir/nir_builder.h"
#include "tegra20_nir.h"
#include "vs_ir.h"

/* Of vectors of two: 1.0 where they differ, 0.0 where they are equal.  The
 * scalar maximum is cheaper than the rule for longer ones
 * (tegra20_nir_algebraic.py). */
static bool
lower_comparison(nir_builder *b, nir_alu_instr *alu, void *data)
{
   if (alu->op != nir_op_fany_nequal2 && alu->op != nir_op_fall_equal2)
      return false;

   b->cursor = nir_before_instr(&alu->instr);
   nir_def *differs = nir_sne(b, nir_ssa_for_alu_src(b, alu, 0),
                              nir_ssa_for_alu_src(b, alu, 1));
   nir_def *result =
      nir_fmax(b, nir_channel(b, differs, 0), nir_channel(b, differs, 1));

   if (alu->op == nir_op_fall_equal2)
      result = nir_seq(b, result, nir_imm_float(b, 0.0f));
   nir_def_replace(&alu->def, result);
   return true;
}

/*
 * int(x) as an index: rounding down instead of towards zero differs for
 * negative x only, and those are clamped to 0. The builder then has the
 * address register do it.
 */
static bool
simplify_index(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   if (intr->intrinsic != nir_intrinsic_load_uniform &&
       intr->intrinsic != nir_intrinsic_load_input)
      return false;

   nir_alu_instr *alu = nir_src_as_alu_instr(intr->src[0]);
   if (!alu || alu->op != nir_op_ftrunc || !list_is_singular(&alu->def.uses))
      return false;
   alu->op = nir_op_ffloor;
   return true;
}

/* Functions of the scalar unit have one operand component. */
static bool
is_scalar_function(const nir_instr *instr, const void *data)
{
   if (instr->type != nir_instr_type_alu)
      return false;

   switch (nir_instr_as_alu(instr)->op) {
   case nir_op_fpow:
   case nir_op_fsqrt:
   case nir_op_fsin:
   case nir_op_fcos:
   case nir_op_frcp:
   case nir_op_frsq:
   case nir_op_fexp2:
   case nir_op_flog2:
      return true;
   default:
      return false;
   }
}

void
vs_lower_nir(nir_shader *nir)
{
   NIR_PASS(_, nir, nir_shader_intrinsics_pass, simplify_index,
            nir_metadata_all, NULL);
   NIR_PASS(_, nir, nir_lower_alu_to_scalar, is_scalar_function, NULL);
   NIR_PASS(_, nir, nir_shader_alu_pass, lower_comparison,
            nir_metadata_control_flow, NULL);
   NIR_PASS(_, nir, tegra20_lower_vertex_alu);
   NIR_PASS(_, nir, nir_opt_constant_folding);
   NIR_PASS(_, nir, nir_copy_prop);
   NIR_PASS(_, nir, nir_opt_cse);
   NIR_PASS(_, nir, nir_opt_dce);
   NIR_PASS(_, nir, nir_convert_from_ssa, true, false);
   NIR_PASS_V(nir, nir_trivialize_registers);
   NIR_PASS(_, nir, nir_opt_dce);
   nir_index_ssa_defs(nir_shader_get_entrypoint(nir));
}
