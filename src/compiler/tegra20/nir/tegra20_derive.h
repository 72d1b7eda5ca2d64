/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Derivatives in window space, which the chip does not have (assumption A49).
 */

#ifndef TEGRA20_DERIVE_H
#define TEGRA20_DERIVE_H

#include "compiler/nir/nir.h"
#include "compiler/nir/nir_builder.h"

/* dFdx or dFdy of something. */
bool
tegra20_is_derivative(const nir_instr *instr);

/* Does a shader have any? */
bool
tegra20_has_derivatives(const nir_shader *nir);

/*
 * For a finished shader: replaces the derivatives that are known from the
 * expression, and makes scalars of the others, which need the values of the
 * neighbours: tegra20_cut.h.
 */
void
tegra20_differentiate(nir_shader *nir);

/* Derivatives in steps of pixels become steps of 1/factor pixel. */
void
tegra20_scale_derivatives(nir_shader *nir, unsigned factor);

/* All components of a texel; at: in texels, from the corner of the texture.
 */
nir_def *
tegra20_build_look_up_at(nir_builder *b, nir_def *at, unsigned unit);

/* The value of this pixel in a surface that is bound to a texture unit with
 * the encoding TEGRA20_TEX_FP20. */
nir_def *
tegra20_build_look_up(nir_builder *b, unsigned unit);

/*
 * The difference between two pixels of the quad, of values that are in a
 * surface which is bound to a texture unit with the encoding
 * TEGRA20_TEX_FP20.
 */
nir_def *
tegra20_build_difference(nir_builder *b, const nir_instr *derivative,
                         unsigned unit);

#endif
