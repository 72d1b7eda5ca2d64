/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Cube maps.  The faces lie in four columns and two rows: a column for each
 * axis, the negative face in the second row.  The tables of GL, with s and t
 * from -1 to 1 on the face whose major component is m:
 *
 *    X: s = -z / m,  t = -y / |m|
 *    Y: s = x / |m|, t = z / m
 *    Z: s = x / m,   t = -y / |m|
 *
 * The unit takes the level of detail from the differences of coordinates in a
 * quad of fragments.  Where a quad spans an edge of the cube these are
 * differences between distant cells, and a line of texels of the smallest
 * level would appear. A mipmapped cube is therefore looked up on three faces,
 * one per axis: on each, the coordinates are continuous across the edge, and
 * the face that is hit provides the result.
 *
 * Coordinates have to stay inside the cell.  Where that is done only on the
 * face that is hit, the differences are exact. Programs that do not fit so
 * saturate them everywhere, which costs less; in a quad that spans an edge
 * the level may then be one or so too large.  Those that do not even fit so
 * look up one face, and such quads show the smallest level.
 */

#include "fs_tex.h"

#define CELL_WIDTH 0.25f /* in units of the atlas */
#define CELL_HEIGHT 0.5f

/* Which axis is the major one: X unless not_x < 0; Y unless not_y < 0; else
 * Z. */
struct cube_axes {
   struct fs_src not_x, not_y_but_z;
};

static struct cube_axes
cube_axes(struct fs_lookup *l)
{
   struct fs_program *p = l->p;
   const struct fs_src ax = fs_abs(p, l->coord[0]),
                       ay = fs_abs(p, l->coord[1]),
                       az = fs_abs(p, l->coord[2]);

   return (struct cube_axes){
      .not_x = fs_add(p, ax, fs_neg(fs_max(p, ay, az))),
      .not_y_but_z = fs_add(p, ay, fs_neg(az)),
   };
}

static struct fs_src
select_axis(struct fs_program *p, const struct cube_axes *axes,
            struct fs_src x, struct fs_src y, struct fs_src z)
{
   return fs_select_negative(
      p, axes->not_x, fs_select_negative(p, axes->not_y_but_z, z, y), x);
}

/* The part of a cell in the middle of which coordinates have to stay. */
static struct fs_src
inner_part(struct fs_lookup *l)
{
   struct fs_program *p = l->p;
   const struct fs_src texel =
      fs_tex_param(l, TEGRA20_PARAM_TEX_RCP_SIZE, 2, 0);

   if (!l->key->linear)
      return fs_imm(p, 1.0f - 1.0f / 512);
   if (l->scale.kind == FS_SRC_NONE)
      return fs_not(p, texel);
   /* 1 / 0 is no number, and the middle is not met exactly anyway */
   return fs_max(p, fs_not(p, fs_mul(p, texel, l->scale)),
                 fs_imm(p, 1.0f / 1024));
}

/* 1 / major, so that s / m and t / m run over -0.5..0.5 in the inner part of
 * the cell. */
static struct fs_src
reciprocal_of_inner(struct fs_lookup *l, struct fs_src major)
{
   struct fs_program *p = l->p;

   return fs_rcp(p,
                 fs_mul(p, major, fs_mul(p, inner_part(l), fs_imm(p, 2.0f))));
}

/* From a product over -0.5..0.5 to a cell's coordinate in units of the atlas.
 */
static struct fs_src
saturated_coordinate(struct fs_lookup *l, struct fs_src a, struct fs_src b,
                     float size, struct fs_src start)
{
   struct fs_program *p = l->p;
   const struct fs_src inside = fs_sat(p, fs_mad(p, a, b, fs_imm(p, 0.5f)));

   return fs_mad(p, inside, fs_mul(p, inner_part(l), fs_imm(p, size)), start);
}

/*
 * Where the inner part of a column or row of cells begins, rounded up to
 * fp20 (13 bits of mantissa, half a unit is added less what exact values
 * forgive): just below the middle of a texel the filter, whose weights are
 * cut, gives the texel of the other face 1/64.  Before the first cell there
 * is none.
 */
static struct fs_src
inner_start(struct fs_lookup *l, float cell, float size)
{
   struct fs_program *p = l->p;
   const struct fs_src margin =
      fs_mul(p, fs_not(p, inner_part(l)), fs_imm(p, 0.5f * size));
   const float start = cell * size;
   const float unit = start >= 0.5f ? 0x1p-14f : 0x1p-15f;

   return fs_add(p, margin, fs_imm(p, start > 0 ? start + 0.49f * unit : 0));
}

static void
lookup_cube_once(struct fs_lookup *l, const struct cube_axes *axes,
                 struct fs_src raw[4])
{
   struct fs_program *p = l->p;
   const struct fs_src x = l->coord[0], y = l->coord[1], z = l->coord[2];
   const struct fs_src major = select_axis(p, axes, x, y, z);
   const struct fs_src rcp = reciprocal_of_inner(l, major);
   const struct fs_src not_y =
      fs_select_negative(p, axes->not_x, axes->not_y_but_z, fs_imm(p, -1.0f));
   const struct fs_src s = fs_select_negative(p, axes->not_x, x, fs_neg(z));
   const struct fs_src t = fs_select_negative(p, not_y, fs_neg(y), z);
   const struct fs_src s_scale =
      fs_select_negative(p, not_y, rcp, fs_abs(p, rcp));
   const struct fs_src t_scale =
      fs_select_negative(p, not_y, fs_abs(p, rcp), rcp);
   const struct fs_src column = select_axis(
      p, axes, inner_start(l, 0, CELL_WIDTH), inner_start(l, 1, CELL_WIDTH),
      inner_start(l, 2, CELL_WIDTH));
   const struct fs_src row =
      fs_select_negative(p, major, inner_start(l, 1, CELL_HEIGHT),
                         inner_start(l, 0, CELL_HEIGHT));

   l->coord[0] = saturated_coordinate(l, s, s_scale, CELL_WIDTH, column);
   l->coord[1] = saturated_coordinate(l, t, t_scale, CELL_HEIGHT, row);
   fs_tex_results(l, raw);
}

/* From a product over -1..1 to a coordinate in units of the atlas. */
static struct fs_src
limited_coordinate(struct fs_lookup *l, struct fs_src product,
                   struct fs_src limit, float size, struct fs_src middle)
{
   struct fs_program *p = l->p;
   const struct fs_src inside =
      fs_tex_clamp(p, product, fs_neg(limit), limit);

   return fs_mad(p, inside, fs_imm(p, 0.5f * size), middle);
}

/* One of the three lookups; outside: negative where another face is hit, for
 * exact ones. */
static void
lookup_cube_face(struct fs_lookup *l, const struct fs_src dir[3],
                 unsigned axis, struct fs_src outside, struct fs_src raw[4])
{
   struct fs_program *p = l->p;
   const bool exact = p->options->cubes == FS_CUBES_EXACT;
   const struct fs_src rcp =
      exact ? fs_rcp(p, dir[axis]) : reciprocal_of_inner(l, dir[axis]);
   const struct fs_src s = axis == 0 ? fs_neg(dir[2]) : dir[0],
                       t = axis == 1 ? dir[2] : fs_neg(dir[1]);
   const struct fs_src s_scale = axis == 1 ? fs_abs(p, rcp) : rcp,
                       t_scale = axis == 1 ? rcp : fs_abs(p, rcp);

   if (exact) {
      const struct fs_src limit =
         fs_select_negative(p, outside, fs_imm(p, 65536.0f), inner_part(l));
      const struct fs_src row =
         fs_select_negative(p, dir[axis], fs_imm(p, 1.5f * CELL_HEIGHT),
                            fs_imm(p, 0.5f * CELL_HEIGHT));
      const struct fs_src column = fs_imm(p, (axis + 0.5f) * CELL_WIDTH);

      l->coord[0] = limited_coordinate(l, fs_mul(p, s, s_scale), limit,
                                       CELL_WIDTH, column);
      l->coord[1] = limited_coordinate(l, fs_mul(p, t, t_scale), limit,
                                       CELL_HEIGHT, row);
   } else {
      const struct fs_src row =
         fs_select_negative(p, dir[axis], inner_start(l, 1, CELL_HEIGHT),
                            inner_start(l, 0, CELL_HEIGHT));

      l->coord[0] = saturated_coordinate(l, s, s_scale, CELL_WIDTH,
                                         inner_start(l, axis, CELL_WIDTH));
      l->coord[1] = saturated_coordinate(l, t, t_scale, CELL_HEIGHT, row);
   }
   fs_tex_results(l, raw);
}

/* The level of detail that the unit is to use, and the bias for it. */
static void
set_level(struct fs_lookup *l, struct fs_src level)
{
   struct fs_program *p = l->p;

   l->bias = fs_add(p, level, fs_imm(p, -TEGRA20_LOD_OF_STEP));
   l->scale = fs_sfu(p, FS_SFU_EX2, fs_sfu(p, FS_SFU_PRE_EX2, level));
}

/*
 * A linear filter reaches half a texel far, of the level that it is for: each
 * level has an inner part of its own.  So the program takes the level, or
 * both, and mixes.
 */
static void
lookup_cube_levels(struct fs_lookup *l, const struct cube_axes *axes,
                   struct fs_src raw[4])
{
   struct fs_program *p = l->p;
   const struct fs_src dir[3] = { l->coord[0], l->coord[1], l->coord[2] };
   const struct fs_src lod =
      fs_tex_clamp(p, fs_add(p, l->bias, fs_imm(p, TEGRA20_LOD_OF_STEP)),
                   fs_zero(), fs_tex_param(l, TEGRA20_PARAM_TEX_LAST, 1, 0));
   struct fs_src mixed[4];

   if (!l->key->mix_levels) {
      set_level(l, fs_floor(p, fs_add(p, lod, fs_imm(p, 0.5f))));
      lookup_cube_once(l, axes, raw);
      return;
   }
   const struct fs_src level = fs_floor(p, lod);
   const struct fs_src weight = fs_add(p, lod, fs_neg(level));

   set_level(l, level);
   lookup_cube_once(l, axes, raw);
   memcpy(l->coord, dir, sizeof(dir));
   set_level(l, fs_add(p, level, fs_one()));
   lookup_cube_once(l, axes, mixed);
   for (unsigned c = 0; c < 4; c++)
      raw[c] = fs_lerp(p, raw[c], mixed[c], weight);
}

void
fs_tex_cube(struct fs_lookup *l, struct fs_src raw[4])
{
   struct fs_program *p = l->p;
   const struct fs_src dir[3] = { l->coord[0], l->coord[1], l->coord[2] };
   const struct cube_axes axes = cube_axes(l);
   struct fs_src face[3][4];

   if (l->lod.kind != FS_SRC_NONE && l->key->mipmap && l->key->linear &&
       !fs_tex_is_first_level(l)) {
      lookup_cube_levels(l, &axes, raw);
      return;
   }
   /* the unit's own level of detail does not matter to an explicit one */
   if (l->lod.kind != FS_SRC_NONE || !l->key->mipmap ||
       p->options->cubes == FS_CUBES_ONCE) {
      p->has_cubes |= l->key->mipmap && l->lod.kind == FS_SRC_NONE;
      lookup_cube_once(l, &axes, raw);
      return;
   }
   p->has_cubes = true;
   for (unsigned axis = 0; axis < 3; axis++) {
      struct fs_src outside = axes.not_x;

      if (axis > 0 && p->options->cubes == FS_CUBES_EXACT)
         outside = axis == 1 ? axes.not_y_but_z : fs_neg(axes.not_y_but_z);
      lookup_cube_face(l, dir, axis, outside, face[axis]);
   }
   for (unsigned c = 0; c < 4; c++)
      raw[c] = select_axis(p, &axes, face[0][c], face[1][c], face[2][c]);
}
