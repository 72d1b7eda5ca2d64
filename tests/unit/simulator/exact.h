/*
 * SPDX-License-Identifier: MIT
 *
 * Reference arithmetic for tests: __float128 holds every sum of two products of fp20 numbers without rounding.
 */

#ifndef TEST_EXACT_H
#define TEST_EXACT_H

#include "numbers.h"

typedef __float128 exact;

/* Nearest even among fp20 values, by search between neighbours of a first guess. */
static inline uint32_t
exact_fp20(exact v)
{
   exact magnitude = v < 0 ? -v : v;
   if (magnitude >= (exact)0x1.fff8p+32)
      return SIM_FP20_MAX | (v < 0 ? 0x80000u : 0);
   uint32_t low = 0, high = SIM_FP20_MAX; /* codes order like values; code 0 stands for 2^-31 in the search */
   while (high - low > 1) {
      uint32_t middle = (low + high) / 2;
      if ((exact)sim_fp20_to_float(middle) <= magnitude)
         low = middle;
      else
         high = middle;
   }
   exact below = low ? (exact)sim_fp20_to_float(low) : (exact)0x1p-31, above = sim_fp20_to_float(high);
   exact middle = (below + above) / 2;
   uint32_t code = magnitude > middle || (magnitude == middle && (high & 1) == 0) ? high : low;
   return code ? code | (v < 0 ? 0x80000u : 0) : 0;
}

static inline uint32_t
exact_fx10(exact v)
{
   exact t = v * 256 + (exact)0.5;
   if (t >= 511)
      return 511;
   if (t < -512)
      return 0x200;
   int whole = (int)t;
   if ((exact)whole > t)
      whole--;
   return (uint32_t)whole & 0x3ff;
}

#endif
