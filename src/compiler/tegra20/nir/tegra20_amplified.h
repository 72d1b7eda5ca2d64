/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#ifndef TEGRA20_AMPLIFIED_H
#define TEGRA20_AMPLIFIED_H

#include "compiler/nir/nir.h"

/* Bits of nir_tex_instr::backend_flags, for the first component: the error
 * that the result has as the unit delivers it may show where it is used ... */
#define TEGRA20_EXACT_TEXEL (1u << 0) /* ... if it is one texel */
#define TEGRA20_EXACT_MIXED (1u << 4) /* ... if it is mixed from several */

/* By how much the error of a component is multiplied until it may show: if the
 * component is a texel as the unit delivers it, is computed from one, is a sum
 * of such values and others, or is a texel that another part of the program
 * gets. */
struct tegra20_gain {
   float texel, value, term, handed;
};

/* Zeros per SSA index and component of a program in one block; a ralloc child
 * of the shader. */
struct tegra20_gain (*tegra20_new_gains(nir_shader *nir))[4];

/* Raises the gain of a value that another part gets. */
void
tegra20_raise_handed(struct tegra20_gain *gain, struct tegra20_gain to);

/* Raises the gains of all values by how they are used, and marks lookups. */
void
tegra20_mark_amplified(nir_shader *nir, struct tegra20_gain (*gains)[4]);

#endif
