/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Comparisons of rounded numbers with integers, as x < 3 for int(x) < 3:
 * rounding costs four operations and a special function.  Indices are mostly
 * compared only, by the selections that elements of arrays become.
 */

#include <math.h>

#include "compiler/nir/nir_builder.h"
#include "fs_flatten.h"

/* a < b or a >= b where "side" is trunc(x) or floor(x) plus an integer, and
 * the other an integer */
struct rounded_comparison {
   nir_alu_instr *rounding;
   uint8_t swizzle[NIR_MAX_VEC_COMPONENTS];
   float limit[NIR_MAX_VEC_COMPONENTS]; /* that the rounded number is compared
                                           with */
};

static bool
get_integers(const nir_alu_instr *alu, unsigned src, const uint8_t *swizzle,
             unsigned count, float *result)
{
   if (!nir_src_is_const(alu->src[src].src))
      return false;
   for (unsigned c = 0; c < count; c++) {
      result[c] = nir_src_comp_as_float(alu->src[src].src,
                                        alu->src[src].swizzle[swizzle[c]]);
      if (!(fabsf(result[c]) < 8192) || result[c] != rintf(result[c]))
         return false;
   }
   return true;
}

static bool
is_rounding(const nir_alu_instr *alu)
{
   return alu && (alu->op == nir_op_ftrunc || alu->op == nir_op_ffloor);
}

static bool
match_comparison(nir_alu_instr *alu, unsigned side,
                 struct rounded_comparison *r)
{
   static const uint8_t identity[NIR_MAX_VEC_COMPONENTS] = {
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
   };
   const unsigned count = alu->def.num_components;
   nir_alu_instr *inner = nir_src_as_alu_instr(alu->src[side].src);
   float offset[NIR_MAX_VEC_COMPONENTS];

   if (!inner || !get_integers(alu, !side, identity, count, r->limit))
      return false;
   memcpy(r->swizzle, alu->src[side].swizzle, sizeof(r->swizzle));
   if (inner->op == nir_op_fadd) {
      for (unsigned s = 0; s < 2; s++) {
         nir_alu_instr *rounding = nir_src_as_alu_instr(inner->src[s].src);
         if (!is_rounding(rounding) ||
             !get_integers(inner, !s, r->swizzle, count, offset))
            continue;
         for (unsigned c = 0; c < count; c++) {
            r->limit[c] -= offset[c];
            r->swizzle[c] = inner->src[s].swizzle[r->swizzle[c]];
         }
         r->rounding = rounding;
         return true;
      }
      return false;
   }
   r->rounding = inner;
   return is_rounding(inner);
}

/*
 * What x is compared with.  rounded < n is x < n, n < rounded is x >= n + 1,
 * and their opposites.  But trunc() rounds negative numbers up ("up"), so
 * that there rounded < n is x <= n - 1, and n < rounded is x > n.
 */
static bool
find_limit(const struct rounded_comparison *r, unsigned count, unsigned side,
           bool *up, nir_const_value *limit)
{
   for (unsigned c = 0; c < count; c++) {
      const float n = r->limit[c];
      const bool rounds_up =
         r->rounding->op == nir_op_ftrunc && (side == 0 ? n <= 0 : n < 0);

      if (c > 0 && rounds_up != *up)
         return false;
      *up = rounds_up;
      limit[c] = nir_const_value_for_float(
         side == 0 ? (rounds_up ? n - 1 : n) : (rounds_up ? n : n + 1), 32);
   }
   return true;
}

static bool
compare_unrounded(nir_builder *b, nir_alu_instr *alu, void *data)
{
   if (alu->op != nir_op_flt && alu->op != nir_op_fge)
      return false;
   const unsigned count = alu->def.num_components;

   for (unsigned side = 0; side < 2; side++) {
      struct rounded_comparison r;
      nir_const_value limit[NIR_MAX_VEC_COMPONENTS];
      unsigned swizzle[NIR_MAX_VEC_COMPONENTS];
      bool up = false;

      if (!match_comparison(alu, side, &r) ||
          !find_limit(&r, count, side, &up, limit))
         continue;
      b->cursor = nir_before_instr(&alu->instr);
      for (unsigned c = 0; c < count; c++)
         swizzle[c] = r.rounding->src[0].swizzle[r.swizzle[c]];
      nir_def *x = nir_swizzle(b, r.rounding->src[0].src.ssa, swizzle, count);
      nir_def *n = nir_build_imm(b, count, 32, limit);
      /* "a >= b" is the opposite of "a < b" with the same sides */
      const bool opposite = (side == 1) != up;
      const bool less = (alu->op == nir_op_flt) != opposite;
      nir_def *first = up ? n : x, *second = up ? x : n;
      nir_def_replace(&alu->def, less ? nir_flt(b, first, second)
                                      : nir_fge(b, first, second));
      return true;
   }
   return false;
}

bool
fs_compare_unrounded(nir_shader *nir)
{
   bool progress = false;

   while (nir_shader_alu_pass(nir, compare_unrounded,
                              nir_metadata_control_flow, NULL))
      progress = true;
   return progress;
}
