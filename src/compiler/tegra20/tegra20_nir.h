/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Lowering of shaders (tegra20_nir.c) that the back ends share.
 */

#ifndef TEGRA20_NIR_H
#define TEGRA20_NIR_H

#include "compiler/nir/nir.h"

/* Mesa's optimizations, with the unrolling of loops whose number of
 * iterations is a constant. */
void
tegra20_optimize_nir(nir_shader *nir);

/* nir/tegra20_nir_algebraic.py: quotients and remainders of integers that
 * become floats. */
bool
tegra20_lower_integer_division(nir_shader *nir, bool fragment);

/* The same file: operations that the vertex processor does not have. */
bool
tegra20_lower_vertex_alu(nir_shader *nir);

/* The same file: comparisons of rounded numbers with constants do without the
 * rounding; integers must be floats.  Sums are handled again, after constants
 * are folded. */
bool
tegra20_compare_unrounded(nir_shader *nir);

/* The same file: what can be written in several ways takes one form. */
bool
tegra20_same_code(nir_shader *nir);

/* Conditions of its rules, as nir_search_helpers.h has some: one number that
 * scales all components; what it scales. */
static inline bool
tegra20_is_scalar(struct hash_table *ht, const nir_alu_instr *instr,
                  unsigned src, unsigned num_components,
                  const uint8_t *swizzle)
{
   for (unsigned i = 1; i < num_components; i++) {
      if (swizzle[i] != swizzle[0])
         return false;
   }
   return true;
}

static inline bool
tegra20_is_vector(struct hash_table *ht, const nir_alu_instr *instr,
                  unsigned src, unsigned num_components,
                  const uint8_t *swizzle)
{
   return !tegra20_is_scalar(ht, instr, src, num_components, swizzle);
}

/* The same file: signs of integers that become floats follow that. */
bool
tegra20_move_signs(nir_shader *nir);

/* tegra20_periods.c: arguments of periodic functions that grow with uniforms
 * stay in the period. */
bool
tegra20_reduce_periods(nir_shader *nir);

#endif
