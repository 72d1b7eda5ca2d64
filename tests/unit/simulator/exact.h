/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Reference arithmetic for tests: __float128 holds every sum of two products of fp20 numbers without rounding.
 *
 * 32-bit ARM has no such type.  There a double holds every product, and sums are rounded to odd: a result that is not
 * exact is never a value between two fp20 or fx10 numbers nor one of these, so that rounding it to them later gives what
 * rounding the exact sum gives.
 */

#ifndef TEST_EXACT_H
#define TEST_EXACT_H

#include "numbers.h"

#ifdef __SIZEOF_FLOAT128__

typedef __float128 exact;

static inline exact
exact_add(exact a, exact b)
{
   return a + b;
}

#else

#include <math.h>
#include <string.h>

typedef double exact;

static inline exact
exact_add(exact a, exact b)
{
   double sum = a + b, rest = sum - a;
   double error = (a - (sum - rest)) + (b - rest); /* exact (Knuth) */
   uint64_t bits;
   memcpy(&bits, &sum, sizeof(bits));
   if (error != 0 && !(bits & 1)) {
      /* The other neighbour of the exact sum is the odd one. */
      sum = nextafter(sum, error > 0 ? INFINITY : -INFINITY);
   }
   return sum;
}

#endif

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
   exact middle = (below + above) / 2; /* few bits */
   uint32_t code = magnitude > middle || (magnitude == middle && (high & 1) == 0) ? high : low;
   return code ? code | (v < 0 ? 0x80000u : 0) : 0;
}

static inline uint32_t
exact_fx10(exact v)
{
   exact t = exact_add(v * 256, 0.5);
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
