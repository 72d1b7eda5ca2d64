/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Operations on vectors with one value for each vertex that the vertex engine
 * runs at once.
 */
#ifndef SIM_VPE_LANES_H
#define SIM_VPE_LANES_H

#include "numbers.h"
#include "vertex.h"

static inline vpe_ivec
splat_bits(uint32_t bits)
{
   return (vpe_ivec){ 0 } + (int32_t)bits;
}

static inline vpe_vec
splat(float f)
{
   return (vpe_vec)splat_bits(sim_float_bits(f));
}

static inline vpe_vec
select_vec(vpe_ivec mask, vpe_vec yes, vpe_vec no)
{
   return (vpe_vec)((mask & (vpe_ivec)yes) | (~mask & (vpe_ivec)no));
}

/*
 * Comparisons by pieces of 16 bytes: compilers make single lanes of those
 * whose vectors are longer than the machine's.
 */
typedef float __attribute__((vector_size(16), may_alias)) piece;
typedef int32_t __attribute__((vector_size(16), may_alias)) ipiece;
#define PIECES (VPE_LANES / 4)

#define COMPARISON(name, op)                                 \
   static inline vpe_ivec name(vpe_vec a, vpe_vec b)         \
   {                                                         \
      vpe_ivec r;                                            \
      for (unsigned i = 0; i < PIECES; i++)                  \
         ((ipiece *)&r)[i] =                                 \
            ((const piece *)&a)[i] op((const piece *)&b)[i]; \
      return r;                                              \
   }
COMPARISON(less, <)
COMPARISON(less_equal, <=)
COMPARISON(equal, ==)
COMPARISON(not_equal, !=)
#undef COMPARISON

static inline vpe_ivec
is_zero(vpe_ivec v)
{
   vpe_ivec r;
   for (unsigned i = 0; i < PIECES; i++)
      ((ipiece *)&r)[i] = ((const ipiece *)&v)[i] == 0;
   return r;
}

static inline vpe_ivec
unordered(vpe_vec a, vpe_vec b)
{
   return not_equal(a, a) | not_equal(b, b);
}

/* 1.0, 0.0, or NaN where an operand is NaN. */
static inline vpe_vec
truth(vpe_ivec condition, vpe_ivec nan)
{
   vpe_ivec one = condition & 0x3f800000;
   return (vpe_vec)((one & ~nan) | (nan & 0x7fc00000));
}

/* A mask with a bit for each lane as -1 and 0, and back. */
static inline vpe_ivec
lane_vector(uint32_t lanes)
{
   vpe_ivec v;
   for (unsigned l = 0; l < VPE_LANES; l++)
      v[l] = lanes >> l & 1 ? -1 : 0;
   return v;
}

static inline uint32_t
lane_bits(vpe_ivec v)
{
   uint32_t bits = 0;
   for (unsigned l = 0; l < VPE_LANES; l++)
      bits |= v[l] ? 1u << l : 0;
   return bits;
}

#endif
