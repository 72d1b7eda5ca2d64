/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Large arguments of periodic functions.  Clocks are uniforms that grow:
 * fract(time + x) and sin(time + x) after an hour have a sum whose fraction
 * is lost in the 13 bits of the fragment program.  The CPU computes
 * expressions of uniforms with 24 bits, and only their place in the period
 * matters: fract(fract(time) + x) is the same.
 *
 * It has to be done before Mesa moves sums of varyings and uniforms to the
 * vertex program, as well (nir_opt_varyings()).
 */

#include "compiler/nir/nir_builder.h"

#include "tegra20_mesa.h"
#include "tegra20_nir.h"

#define MAX_DEPTH 8
#define TWO_PI 6.283185307f

/* Is it made of uniforms and constants? *loads: with a uniform among them. */
static bool
is_uniform(nir_scalar s, unsigned depth, bool *loads)
{
   if (nir_scalar_is_const(s))
      return true;
   if (nir_scalar_is_intrinsic(s)) {
      const nir_intrinsic_instr *intr =
         nir_instr_as_intrinsic(s.def->parent_instr);

      *loads = true;
      if (nir_scalar_intrinsic_op(s) == nir_intrinsic_load_uniform)
         return nir_src_is_const(intr->src[0]);
      if (nir_scalar_intrinsic_op(s) != nir_intrinsic_load_deref)
         return false;
      const nir_deref_instr *deref = nir_src_as_deref(intr->src[0]);
      return deref->deref_type == nir_deref_type_var &&
             deref->var->data.mode == nir_var_uniform;
   }
   if (!nir_scalar_is_alu(s) || depth == 0)
      return false;
   const nir_op_info *info = &nir_op_infos[nir_scalar_alu_op(s)];
   if (info->output_size != 0)
      return false;
   for (unsigned i = 0; i < info->num_inputs; i++) {
      if (info->input_sizes[i] != 0 ||
          !is_uniform(nir_scalar_chase_alu_src(s, i), depth - 1, loads))
         return false;
   }
   return true;
}

/* All components that the operation reads. */
static bool
src_is_uniform(const nir_alu_instr *alu, unsigned src, bool *loads)
{
   for (unsigned c = 0; c < alu->def.num_components; c++) {
      const nir_scalar s =
         nir_get_scalar(alu->src[src].src.ssa, alu->src[src].swizzle[c]);
      if (!is_uniform(nir_scalar_chase_movs(s), MAX_DEPTH, loads))
         return false;
   }
   return true;
}

/* Was it brought into the period before? */
static bool
is_reduced(const nir_alu_instr *sum, unsigned src)
{
   const nir_alu_instr *alu = nir_src_as_alu_instr(sum->src[src].src);

   if (alu && alu->op == nir_op_fmul)
      alu = nir_src_as_alu_instr(alu->src[0].src);
   return alu && alu->op == nir_op_ffract;
}

/* Which operand of a sum is made of uniforms and may be large: 2 when none or
 * both are. */
static unsigned
large_operand(const nir_alu_instr *sum)
{
   bool loads[2] = { false, false };
   const bool uniform[2] = { src_is_uniform(sum, 0, &loads[0]),
                             src_is_uniform(sum, 1, &loads[1]) };

   for (unsigned i = 0; i < 2; i++) {
      if (uniform[i] && loads[i] && !uniform[!i] && !is_reduced(sum, i))
         return i;
   }
   return 2;
}

/* The part of x behind the last multiple of the period. */
static nir_def *
in_period(nir_builder *b, nir_def *x, bool angle)
{
   if (!angle)
      return nir_ffract(b, x);
   return nir_fmul_imm(
      b, nir_ffract(b, nir_fmul_imm(b, x, 1 / (double)TWO_PI)), TWO_PI);
}

/* f(x + u), or f((x + u) * k) with a uniform k */
static bool
reduce_argument(nir_builder *b, nir_alu_instr *alu, void *data)
{
   const bool angle = alu->op == nir_op_fsin || alu->op == nir_op_fcos;

   if (!angle && alu->op != nir_op_ffract)
      return false;
   nir_alu_instr *argument = nir_src_as_alu_instr(alu->src[0].src),
                 *scaled = NULL;
   bool loads;

   for (unsigned i = 0;
        argument && argument->op == nir_op_fmul && !scaled && i < 2; i++) {
      if (src_is_uniform(argument, i, &loads)) {
         scaled = argument;
         argument = nir_src_as_alu_instr(scaled->src[!i].src);
      }
   }
   if (!argument || argument->op != nir_op_fadd)
      return false;
   const unsigned large = large_operand(argument);
   if (large == 2)
      return false;

   b->cursor = nir_before_instr(&alu->instr);
   nir_def *u = nir_ssa_for_alu_src(b, argument, large),
           *x = nir_ssa_for_alu_src(b, argument, !large);
   if (scaled) {
      const unsigned sum =
         nir_src_as_alu_instr(scaled->src[0].src) == argument ? 0 : 1;
      const unsigned count = scaled->def.num_components;
      nir_def *k = nir_ssa_for_alu_src(b, scaled, !sum);
      unsigned swizzle[NIR_MAX_VEC_COMPONENTS];

      for (unsigned c = 0; c < count; c++)
         swizzle[c] = scaled->src[sum].swizzle[c];
      u = nir_fmul(b, nir_swizzle(b, u, swizzle, count), k);
      x = nir_fmul(b, nir_swizzle(b, x, swizzle, count), k);
   }
   nir_src_rewrite(&alu->src[0].src, nir_fadd(b, x, in_period(b, u, angle)));
   return true;
}

bool
tegra20_reduce_periods(nir_shader *nir)
{
   return nir_shader_alu_pass(nir, reduce_argument, nir_metadata_control_flow,
                              NULL);
}
