/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Lookups of 3D textures: their slices are cells of an atlas, one is looked
 * up or two that are mixed.
 */

#include "fs_tex.h"

/*
 * Cells of an atlas border on other cells: coordinates stay half a texel of
 * the largest level away from the edge, which is clamping to the edge for
 * each cell.  Without a filter they stay just inside, so that the differences
 * from which the unit takes the level of detail survive: by what the sum of a
 * coordinate and a number of cells loses in fp20.  As cells have to fit into
 * 2048 texels, that is no more than half a texel.
 *
 * Coordinate, result and size (of a cell) are in units of the atlas: one
 * operation adds the number of the cell then.
 */
static struct fs_src
clamp_to_cell(struct fs_lookup *l, struct fs_src s, unsigned axis,
              struct fs_src size)
{
   struct fs_program *p = l->p;
   struct fs_src margin;

   if (l->key->linear)
      margin = fs_mul(p, fs_tex_param(l, TEGRA20_PARAM_TEX_RCP_SIZE, 2, axis),
                      fs_imm(p, 0.5f));
   else if (l->key->target == GLSL_SAMPLER_DIM_3D && axis == 1)
      margin = fs_mul(p, fs_mul(p, fs_tex_cells(l, 0), fs_tex_cells(l, 2)),
                      fs_imm(p, 1.0f / 4096));
   else
      margin = fs_imm(p, 1.0f / 1024);
   return fs_tex_clamp(p, s, fs_mul(p, margin, size),
                       fs_mul(p, fs_not(p, margin), size));
}

/* Points l->coord at (s, t) of a slice, both in units of the atlas. */
static void
slice_coordinates(struct fs_lookup *l, struct fs_src s, struct fs_src t,
                  struct fs_src slice)
{
   struct fs_program *p = l->p;

   if (l->key->one_column) {
      l->coord[0] = s;
      l->coord[1] = fs_mad(p, slice, fs_tex_cells(l, 3), t);
      return;
   }
   /* the quotient of integers, away from the steps that rounding could miss
    */
   const struct fs_src half = fs_mul(p, fs_tex_cells(l, 2), fs_imm(p, 0.5f));
   const struct fs_src row =
      fs_floor(p, fs_mad(p, slice, fs_tex_cells(l, 2), half));
   const struct fs_src column =
      fs_mad(p, fs_neg(row), fs_tex_cells(l, 1), slice);

   l->coord[0] = fs_mad(p, column, fs_tex_cells(l, 2), s);
   l->coord[1] = fs_mad(p, row, fs_tex_cells(l, 3), t);
}

/*
 * A coordinate inside a cell that has a texel more on both sides: these hold
 * the values outside of the texture, so a linear filter reaches at most their
 * middle.
 */
static struct fs_src
gutter_coordinate(struct fs_lookup *l, struct fs_src s, unsigned axis)
{
   struct fs_program *p = l->p;
   const struct fs_src half_texel =
      fs_mul(p, fs_tex_param(l, TEGRA20_PARAM_TEX_RCP_SIZE, 2, axis),
             fs_imm(p, 0.5f));

   return fs_tex_inside_gutters(
      l,
      fs_tex_clamp(p, s, fs_neg(half_texel), fs_add(p, fs_one(), half_texel)),
      axis);
}

static void
lookup_slice(struct fs_lookup *l, struct fs_src s, struct fs_src t,
             struct fs_src slice, struct fs_src raw[4])
{
   slice_coordinates(l, s, t, slice);
   fs_tex_results(l, raw);
}

/* Two slices, mixed; a second one behind the last has no weight. */
static void
mix_slices(struct fs_lookup *l, struct fs_src s, struct fs_src t,
           struct fs_src first, struct fs_src second, struct fs_src weight,
           struct fs_src raw[4])
{
   struct fs_src other[4];

   lookup_slice(l, s, t, first, raw);
   lookup_slice(l, s, t, second, other);
   for (unsigned c = 0; c < 4; c++)
      raw[c] = fs_lerp(l->p, raw[c], other[c], weight);
}

/*
 * The slices around a position.  With mipmaps an even and an odd one rather
 * than a lower and an upper one: where a quad of fragments spans the step to
 * the next slice, one of the two is the same for all its fragments, and the
 * other, for which the unit takes the jump between the cells for a steep
 * gradient and chooses the smallest level, has no weight there.
 */
static void
lookup_slices_at(struct fs_lookup *l, struct fs_src s, struct fs_src t,
                 struct fs_src position, struct fs_src raw[4])
{
   struct fs_program *p = l->p;

   if (!l->key->mipmap) {
      const struct fs_src weight = fs_sfu(p, FS_SFU_FRC, position);
      const struct fs_src lower = fs_add(p, position, fs_neg(weight));
      mix_slices(l, s, t, lower, fs_add(p, lower, fs_one()), weight, raw);
      return;
   }
   const struct fs_src half = fs_mul(p, position, fs_imm(p, 0.5f));
   const struct fs_src even = fs_mul(
      p, fs_floor(p, fs_add(p, half, fs_imm(p, 0.5f))), fs_imm(p, 2.0f));
   const struct fs_src odd =
      fs_mad(p, fs_floor(p, half), fs_imm(p, 2.0f), fs_one());
   mix_slices(l, s, t, even, odd,
              fs_abs(p, fs_add(p, position, fs_neg(even))), raw);
}

/*
 * The nearest slice.  The last one also serves coordinates behind it;
 * clamping to 0..last comes first since that takes one operation, with the
 * product, and nothing where repetition leaves 0..1.
 */
static struct fs_src
nearest_slice(struct fs_lookup *l, struct fs_src last)
{
   struct fs_program *p = l->p;
   const bool inside = l->key->wrap_r == TEGRA20_WRAP_REPEAT ||
                       l->key->wrap_r == TEGRA20_WRAP_MIRROR;
   const struct fs_src r = l->coord[2];

   if (l->key->gutters) {
      const struct fs_src slice =
         fs_floor(p, fs_mad(p, r, fs_tex_cells(l, 0), fs_one()));
      return fs_tex_clamp(p, slice, fs_zero(), last);
   }
   return fs_floor(
      p, fs_min(p, fs_mul(p, inside ? r : fs_sat(p, r), fs_tex_cells(l, 0)),
                last));
}

/* Slices of a 3D texture: the nearest one, or two that are mixed.  With
 * gutters slice 0 is in front of the texture. */
void
fs_tex_3d(struct fs_lookup *l, struct fs_src raw[4])
{
   struct fs_program *p = l->p;
   const bool gutters = l->key->gutters;
   const struct fs_src width =
                          l->key->one_column ? fs_one() : fs_tex_cells(l, 2),
                       height = fs_tex_cells(l, 3);
   const struct fs_src last =
      fs_add(p, fs_tex_cells(l, 0), fs_imm(p, gutters ? 1.0f : -1.0f));
   struct fs_src s, t;

   if (gutters) {
      s = fs_mul(p, gutter_coordinate(l, l->coord[0], 0), width);
      t = fs_mul(p, gutter_coordinate(l, l->coord[1], 1), height);
   } else {
      s = fs_mul(p, l->coord[0], width);
      if (!l->key->one_column) /* the unit itself clamps at the sides of a
                                  single column */
         s = clamp_to_cell(l, s, 0, width);
      t = clamp_to_cell(l, fs_mul(p, l->coord[1], height), 1, height);
   }
   if (!l->key->linear) {
      lookup_slice(l, s, t, nearest_slice(l, last), raw);
      return;
   }
   const struct fs_src position = fs_mad(p, l->coord[2], fs_tex_cells(l, 0),
                                         fs_imm(p, gutters ? 0.5f : -0.5f));
   lookup_slices_at(l, s, t, fs_tex_clamp(p, position, fs_zero(), last), raw);
}
