/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "families.h"

int
main(int argc, char **argv)
{
   const struct grid_family families[] = {
      family_loops, family_control, family_discard, family_indexing, family_depth_stencil, family_blend,
      family_clears, family_depth_range, family_interaction, family_texture_sizes, family_texture_filters,
      family_mipmaps, family_completeness, family_specification, family_attributes, family_draws, family_long_draws,
      family_attribute_mix, family_fbo_formats, family_fbo_textures, family_fbo_sharing, family_fbo_blend,
      family_read_pixels, family_structs, family_varyings, family_edges, family_points, family_lines, family_culling,
      family_interpolation, family_clipping, family_uniforms, family_exact, family_invariance, family_compressed,
      family_units, family_depth_textures, family_levels, family_attachments, family_copies, family_generate,
      family_updates, family_mutate, family_variables, family_offset, family_dither, family_surfaces, family_coverage,
      family_quads, family_interpolated, family_strips, family_sizes, family_chains, family_hostile, family_discards,
      family_streams, family_layouts,
   };
   return grid_main(argc, argv, families, ARRAY_SIZE(families));
}
