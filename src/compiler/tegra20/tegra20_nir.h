/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What the preparation of shaders (tegra20_nir.c) shares with the back ends.
 */

#ifndef TEGRA20_NIR_H
#define TEGRA20_NIR_H

#include "compiler/nir/nir.h"

/* Mesa's optimizations, with the unrolling of loops whose number of
 * iterations is a constant. */
void
tegra20_optimize_nir(nir_shader *nir);

/* tegra20_control.c: loops of a fragment program become straight code; those
 * that it leaves do not compile.  "fewer" and the result are those of
 * tegra20_finish_nir(). */
bool
tegra20_unroll_loops(nir_shader *nir, unsigned fewer);

#endif
