/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "numbers.h"

#include <math.h>

uint32_t
sim_fp20_from_double(double d)
{
   uint64_t bits;
   memcpy(&bits, &d, sizeof(bits));
   uint64_t magnitude = bits & 0x7fffffffffffffffull;
   if (magnitude > 0x7ff0000000000000ull)
      return 0;
   uint64_t rounded =
      (magnitude + ((1ull << 38) - 1) + ((magnitude >> 39) & 1)) >> 39;
   const uint64_t bias = 992ull << 13;
   if (rounded <= bias)
      return 0;
   rounded -= bias;
   if (rounded > SIM_FP20_MAX)
      rounded = SIM_FP20_MAX;
   return ((uint32_t)(bits >> 44) & 0x80000u) | (uint32_t)rounded;
}

int32_t
sim_fx10_from_double(double d)
{
   double scaled = d * 256.0;
   if (!(scaled > SIM_FX10_MIN))
      return scaled <= SIM_FX10_MIN ? SIM_FX10_MIN : 0;
   if (scaled >= SIM_FX10_MAX)
      return SIM_FX10_MAX;
   /* Not floor(scaled + 0.5): that sum may itself round up. */
   double whole = floor(scaled);
   return (int32_t)whole + (scaled - whole >= 0.5);
}

int32_t
sim_fx10_from_float(float f)
{
   return sim_fx10_from_double(f);
}

int32_t
sim_fx10_from_unorm(uint32_t code, unsigned bits)
{
   uint32_t max = (1u << bits) - 1;
   return (int32_t)((2 * 256 * code + max) / (2 * max));
}

uint32_t
sim_fx10_to_unorm(int32_t fx, unsigned bits)
{
   uint32_t v = fx < 0 ? 0 : fx > 256 ? 256 : (uint32_t)fx;
   uint32_t max = (1u << bits) - 1;
   /* ceil(v * max / 256 - 1/2): ties go down. */
   return (2 * v * max + 255) / 512;
}

uint32_t
sim_fx10_to_unorm_dithered(int32_t fx, unsigned bits, unsigned threshold)
{
   uint32_t v = fx < 0 ? 0 : fx > 256 ? 256 : (uint32_t)fx;
   uint32_t max = (1u << bits) - 1;
   return (v * max + 32 * threshold) / 256;
}

void
sim_gather(uint32_t *restrict out, const void *base,
           const uint32_t *restrict offset, unsigned n)
{
   for (unsigned i = 0; i < n; i++)
      memcpy(&out[i], (const uint8_t *)base + offset[i], sizeof(out[i]));
}
