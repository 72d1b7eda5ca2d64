/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Steps of the ALU over all lanes of a block that read the same in single and
 * in double precision.  fragment_alu.c includes this once for each: REAL is
 * the type, LANES(name) the function's name with the type as suffix.
 */

/* Order: absolute, times two, minus one, negate (fragment-pipeline.md 2.4,
 * assumption A48). */
SIM_LANES static void
LANES(modify)(REAL *v, unsigned n, bool absolute, REAL factor, REAL minus,
              REAL sign)
{
   if (absolute) {
      for (unsigned i = 0; i < n; i++)
         v[i] = v[i] < 0 ? -v[i] : v[i];
   }
   for (unsigned i = 0; i < n; i++)
      v[i] = (v[i] * factor - minus) * sign;
}

SIM_LANES static void
LANES(combine)(REAL *restrict r, enum sim_fs_alu_op op, const REAL *a,
               const REAL *b, const REAL *c, const REAL *d, unsigned n)
{
   REAL product[SIM_FS_LANES];
   if (d) {
      for (unsigned i = 0; i < n; i++)
         product[i] = c[i] * d[i];
      c = product;
   }
   switch (op) {
   case SIM_FS_MAD:
      for (unsigned i = 0; i < n; i++)
         r[i] = a[i] * b[i] + c[i];
      break;
   case SIM_FS_MIN:
      for (unsigned i = 0; i < n; i++) {
         REAL x = a[i] * b[i];
         r[i] = x < c[i] ? x : c[i];
      }
      break;
   case SIM_FS_MAX:
      for (unsigned i = 0; i < n; i++) {
         REAL x = a[i] * b[i];
         r[i] = x > c[i] ? x : c[i];
      }
      break;
   case SIM_FS_CSEL:
      for (unsigned i = 0; i < n; i++) {
         REAL x = b[i], y = c[i];
         r[i] = a[i] < 0 ? x : y;
      }
      break;
   }
}

/* Scale, saturate, condition (assumption A48). */
SIM_LANES static void
LANES(finish)(REAL *r, unsigned n, unsigned scale, bool saturate,
              unsigned cond)
{
   if (scale) {
      const REAL factor = scale == 1   ? (REAL)2.0
                          : scale == 2 ? (REAL)4.0
                                       : (REAL)0.5;
      for (unsigned i = 0; i < n; i++)
         r[i] *= factor;
   }
   if (saturate) {
      for (unsigned i = 0; i < n; i++) {
         REAL v = r[i] > 0 ? r[i] : 0;
         r[i] = v < 1 ? v : 1;
      }
   }
   if (cond == SIM_FS_COND_EQ) {
      for (unsigned i = 0; i < n; i++)
         r[i] = r[i] == 0 ? 1 : 0;
   } else if (cond == SIM_FS_COND_GT) {
      for (unsigned i = 0; i < n; i++)
         r[i] = r[i] > 0 ? 1 : 0;
   } else if (cond == SIM_FS_COND_GE) {
      for (unsigned i = 0; i < n; i++)
         r[i] = r[i] >= 0 ? 1 : 0;
   }
}

SIM_LANES static void
LANES(stage_nonzero)(uint32_t *restrict stage, const REAL *restrict r,
                     unsigned n)
{
   for (unsigned i = 0; i < n; i++)
      stage[i] = r[i] != 0 ? ~0u : 0u;
}
