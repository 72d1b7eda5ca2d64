/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * sign(x) * f(|x|) where f(0) = 0 is x < 0 ? -f : f, a selection instead of
 * two comparisons and two operations.  The front end writes asin and acos in
 * this way.  Whether f is 0 at x = 0 is found out by calculating it.
 */

#include <math.h>

#include "compiler/nir/nir_builder.h"
#include "fs_flatten.h"

#define MAX_DEPTH 12

/* The value of a component for x = 0, where it depends on x and constants
 * only; else NaN. */
static float
at_zero(const nir_def *def, unsigned comp, nir_scalar x, unsigned depth)
{
   if (def == x.def && comp == x.comp)
      return 0.0f;
   const nir_scalar s =
      nir_scalar_chase_movs((nir_scalar){ (nir_def *)def, comp });
   if (nir_scalar_is_const(s))
      return nir_scalar_as_float(s);
   if (s.def == x.def && s.comp == x.comp)
      return 0.0f;
   /* operations on single components only, no dot products */
   if (!nir_scalar_is_alu(s) || depth == 0 ||
       nir_op_infos[nir_scalar_alu_op(s)].num_inputs > 3 ||
       nir_op_infos[nir_scalar_alu_op(s)].output_size != 0)
      return NAN;

   float v[3] = { 0 };
   for (unsigned i = 0; i < nir_op_infos[nir_scalar_alu_op(s)].num_inputs;
        i++) {
      const nir_scalar src = nir_scalar_chase_alu_src(s, i);
      v[i] = at_zero(src.def, src.comp, x, depth - 1);
   }
   switch (nir_scalar_alu_op(s)) {
   case nir_op_fadd:
      return v[0] + v[1];
   case nir_op_fmul:
      return v[0] * v[1];
   case nir_op_ffma:
      return fmaf(v[0], v[1], v[2]);
   case nir_op_fneg:
      return -v[0];
   case nir_op_fabs:
      return fabsf(v[0]);
   case nir_op_fsqrt:
      return sqrtf(v[0]);
   default:
      return NAN;
   }
}

/* Is source i of a product, in all components, 0 where the argument of the
 * sign in the other source is? */
static bool
vanishes_with(const nir_alu_instr *product, unsigned i,
              const nir_alu_instr *sign)
{
   for (unsigned c = 0; c < product->def.num_components; c++) {
      const unsigned component = product->src[!i].swizzle[c];
      nir_scalar x = nir_scalar_chase_movs((nir_scalar){
         sign->src[0].src.ssa, sign->src[0].swizzle[component] });
      while (nir_scalar_is_alu(x) && nir_scalar_alu_op(x) == nir_op_fneg)
         x = nir_scalar_chase_alu_src(x, 0);
      if (at_zero(product->src[i].src.ssa, product->src[i].swizzle[c], x,
                  MAX_DEPTH) != 0.0f)
         return false;
   }
   return true;
}

static bool
select_sign(nir_builder *b, nir_alu_instr *alu, void *data)
{
   if (alu->op != nir_op_fmul && alu->op != nir_op_ffma)
      return false;
   for (unsigned i = 0; i < 2; i++) {
      const nir_alu_instr *sign = nir_src_as_alu_instr(alu->src[!i].src);
      if (!sign || sign->op != nir_op_fsign || !vanishes_with(alu, i, sign))
         continue;
      b->cursor = nir_before_instr(&alu->instr);
      unsigned swizzle[NIR_MAX_VEC_COMPONENTS];
      for (unsigned c = 0; c < alu->def.num_components; c++)
         swizzle[c] = sign->src[0].swizzle[alu->src[!i].swizzle[c]];
      nir_def *x = nir_swizzle(b, sign->src[0].src.ssa, swizzle,
                               alu->def.num_components);
      nir_def *y = nir_ssa_for_alu_src(b, alu, i);
      nir_def *result =
         nir_bcsel(b, nir_flt_imm(b, x, 0.0), nir_fneg(b, y), y);
      if (alu->op == nir_op_ffma)
         result = nir_fadd(b, result, nir_ssa_for_alu_src(b, alu, 2));
      nir_def_replace(&alu->def, result);
      return true;
   }
   return false;
}

bool
fs_select_signs(nir_shader *nir)
{
   return nir_shader_alu_pass(nir, select_sign, nir_metadata_control_flow,
                              NULL);
}
