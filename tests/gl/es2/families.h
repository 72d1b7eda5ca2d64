/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The families of all files of this directory.
 */

#ifndef TESTS_GL_ES2_FAMILIES_H
#define TESTS_GL_ES2_FAMILIES_H

#include "grid.h"

#define FAMILIES(F)                                                                                                    \
   F(loops) F(control) F(discard) F(indexing) F(depth_stencil) F(blend) F(clears) F(depth_range)                       \
   F(interaction) F(texture_sizes) F(texture_filters) F(completeness) F(specification) F(attributes) F(draws)          \
   F(long_draws) F(attribute_mix) F(fbo_formats) F(fbo_textures) F(fbo_blend) F(read_pixels) F(structs)                \
   F(varyings) F(edges) F(points) F(lines) F(culling) F(interpolation) F(clipping) F(uniforms)                        \
   F(invariance) F(compressed) F(units) F(depth_textures) F(levels) F(copies) F(generate)                              \
   F(mutate) F(variables) F(offset) F(discards)

#define DECLARE_FAMILY(NAME) extern const struct grid_family family_##NAME;
FAMILIES(DECLARE_FAMILY)

#endif
