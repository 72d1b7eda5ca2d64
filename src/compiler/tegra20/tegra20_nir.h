/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What the preparation of shaders (tegra20_nir.c) shares with the back ends.
 */

#ifndef TEGRA20_NIR_H
#define TEGRA20_NIR_H

#include "compiler/nir/nir.h"

/* The first part of tegra20_preprocess_nir(): variables are values, I/O is
 * intrinsics; loops and conditionals are left. */
void
tegra20_begin_nir(nir_shader *nir);

/* The last part: conditionals and integers of a fragment program without
 * loops, integers of a vertex program. */
void
tegra20_finish_nir(nir_shader *nir);

/* Mesa's optimizations, with the unrolling of loops whose number of
 * iterations is a constant. */
void
tegra20_optimize_nir(nir_shader *nir);

/* tegra20_control.c: between the two parts, for fragment programs.  Loops
 * that it leaves do not compile. */
void
tegra20_unroll_loops(nir_shader *nir);

/* Whether a fragment program without loops fits the chip, plain and with
 * blending. */
bool
tegra20_fragment_fits(const nir_shader *unrolled);

#endif
