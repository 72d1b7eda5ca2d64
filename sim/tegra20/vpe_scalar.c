/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The functions of the scalar half of a vertex instruction
 * (vertex-pipeline.md 5), in double precision: the caller rounds once.
 * Special values follow 5.3 there, which C's functions do by themselves
 * unless something is said here.
 */

#include <math.h>

#include "vertex.h"

static double
clamped_reciprocal(double c)
{
   double r = 1.0 / c;
   if (isnan(r))
      return r;
   double magnitude = fabs(r);
   magnitude = magnitude < 0x1p-64  ? 0x1p-64
               : magnitude > 0x1p64 ? 0x1p64
                                    : magnitude;
   return copysign(magnitude, r);
}

static double
reciprocal_root(double c)
{
   return c == 0.0 ? copysign(INFINITY, c) : 1.0 / sqrt(c);
}

static void
exp_parts(double c, double out[4])
{
   out[0] = exp2(floor(c));
   out[1] = c - floor(c);
   out[2] = exp2(c);
   out[3] = 1.0;
}

static void
log_parts(double c, double out[4])
{
   double m = fabs(c);
   out[2] = log2(m);
   out[3] = 1.0;
   if (m == 0.0 || !isfinite(m)) {
      out[0] = out[2];
      out[1] = isnan(m) ? m : 1.0;
      return;
   }
   int exponent;
   out[1] = frexp(m, &exponent) * 2.0;
   out[0] = exponent - 1;
}

/* The exponent is clamped to just inside (-128, 128); 0^0 = 1. */
static void
lit_parts(double x, double y, double w, double out[4])
{
   const double limit = 128.0 - 1.0 / 256.0;
   w = w < -limit ? -limit : w > limit ? limit : w;
   out[0] = 1.0;
   out[1] = x > 0.0 ? x : 0.0;
   out[2] = x > 0.0 ? pow(y > 0.0 ? y : 0.0, w) : 0.0;
   out[3] = 1.0;
}

void
vpe_scalar_function(unsigned op, double x, double y, double w, double out[4])
{
   double result;
   switch (op) {
   case VPE_S_EXP:
      exp_parts(x, out);
      return;
   case VPE_S_LOG:
      log_parts(x, out);
      return;
   case VPE_S_LIT:
      lit_parts(x, y, w, out);
      return;
   case VPE_S_RCP:
      result = 1.0 / x;
      break;
   case VPE_S_RCC:
      result = clamped_reciprocal(x);
      break;
   case VPE_S_RSQ:
      result = reciprocal_root(x);
      break;
   case VPE_S_LG2:
      result = log2(x);
      break;
   case VPE_S_EX2:
      result = exp2(x);
      break;
   case VPE_S_SIN:
      result = sin(x);
      break;
   default:
      result = cos(x);
   }
   for (unsigned c = 0; c < 4; c++)
      out[c] = result;
}
