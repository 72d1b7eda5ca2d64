/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Values that a program needs from the CPU: evaluation of the nodes, and
 * conversion of floats to register formats.
 */

#include <math.h>
#include <string.h>

#include "compiler/nir/nir_constant_expressions.h"
#include "tegra20_compiler.h"

static float
eval_alu(const struct tegra20_value *node, const float *results)
{
   nir_const_value src_values[3], dest;
   nir_const_value *srcs[3];

   for (unsigned i = 0; i < node->num_src; i++) {
      src_values[i] = nir_const_value_for_float(results[node->src[i]], 32);
      srcs[i] = &src_values[i];
   }
   nir_eval_const_opcode(node->arg, &dest, 1, 32, srcs, 0);
   return dest.f32;
}

void
tegra20_values_eval(const struct tegra20_values *values,
                    const uint32_t *uniforms, unsigned num_uniform_words,
                    const float *params, float *results)
{
   for (unsigned i = 0; i < values->count; i++) {
      const struct tegra20_value *node = &values->nodes[i];

      switch ((enum tegra20_value_op)node->op) {
      case TEGRA20_VALUE_IMM:
         memcpy(&results[i], &node->arg, sizeof(float));
         break;
      case TEGRA20_VALUE_UNIFORM:
         if (node->arg < num_uniform_words)
            memcpy(&results[i], &uniforms[node->arg], sizeof(float));
         else
            results[i] = 0.0f;
         break;
      case TEGRA20_VALUE_PARAM:
         results[i] = params[node->arg];
         break;
      case TEGRA20_VALUE_ALU:
         results[i] = eval_alu(node, results);
         break;
      }
   }
}

/*
 * fp20 (fragment-pipeline.md 2.1): sign, 6 exponent bits with bias 31, 13
 * mantissa bits; all zero is zero, exponent 63 is an ordinary exponent
 * (assumption A47).  Exponent 0 is not used for anything but zero.
 */
uint32_t
tegra20_float_to_fp20(float value)
{
   const uint32_t largest = 0x7ffff;
   uint32_t bits;

   memcpy(&bits, &value, sizeof(bits));
   const uint32_t sign = (bits >> 31) << 19;
   const uint32_t magnitude = bits & 0x7fffffff;

   if (magnitude > 0x7f800000)
      return 0; /* NaN */
   if (magnitude == 0x7f800000)
      return sign | largest;

   /* 23 mantissa bits to 13, nearest even; a carry runs into the exponent, as
    * it should */
   const uint32_t rounded =
      (magnitude + 0x1ff + ((magnitude >> 10) & 1)) >> 10;
   const int rebias = (127 - 31) << 13;

   if ((int)rounded < rebias + (1 << 13))
      return 0;
   if (rounded - rebias > largest)
      return sign | largest;
   return sign | (rounded - rebias);
}

/* fx10 (fragment-pipeline.md 2.2): two's complement in units of 1/256. */
uint32_t
tegra20_float_to_fx10(float value)
{
   if (isnan(value))
      return 0;
   if (value <= -2.0f)
      return 0x200;
   if (value >= 511.0f / 256.0f)
      return 0x1ff;
   return (uint32_t)lrintf(value * 256.0f) & 0x3ff;
}
