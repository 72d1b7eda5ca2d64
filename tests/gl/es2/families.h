/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The families of all files of this directory.
 */

#ifndef TESTS_GL_ES2_FAMILIES_H
#define TESTS_GL_ES2_FAMILIES_H

#include "grid.h"

extern const struct grid_family family_loops, family_control, family_discard, family_indexing;

extern const struct grid_family family_depth_stencil, family_blend, family_clears, family_depth_range, family_interaction;

extern const struct grid_family family_texture_sizes, family_texture_filters, family_mipmaps, family_completeness,
   family_specification;

extern const struct grid_family family_attributes, family_draws, family_long_draws, family_attribute_mix;

extern const struct grid_family family_fbo_formats, family_fbo_textures, family_fbo_sharing, family_fbo_blend, family_read_pixels;

extern const struct grid_family family_structs, family_varyings;

extern const struct grid_family family_edges, family_points, family_lines, family_culling, family_interpolation,
   family_clipping;

extern const struct grid_family family_uniforms;

extern const struct grid_family family_exact, family_invariance, family_compressed, family_units, family_depth_textures,
   family_levels, family_attachments, family_copies, family_generate, family_updates, family_mutate, family_variables,
   family_offset, family_dither, family_surfaces, family_coverage, family_quads, family_interpolated, family_strips,
   family_sizes, family_chains, family_hostile, family_discards, family_streams, family_layouts;

#endif
