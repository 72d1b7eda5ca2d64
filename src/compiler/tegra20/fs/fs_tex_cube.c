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
 * A linear filter reaches half a texel far, of the level that it is for, and
 * has to stay inside the cell: each level has an inner part of its own.  So
 * the program has to know the level.  Only the unit knows an implicit level
 * of detail.  A second texture returns it, the ramp, whose texels hold the
 * number of their level.
 *
 * The unit takes the level of detail from the differences of coordinates in a
 * quad of fragments.  Where a quad spans an edge of the cube these are
 * differences between distant cells.  So the ramp is looked up with the
 * coordinates that the direction has on each of three faces, one per axis: on
 * each, they are continuous across the edge, and the face that is hit
 * provides the level.
 *
 * Explicit levels have a number already.  A program whose lookups take all
 * units has none for the ramp: its cube maps have the level and the inner
 * part that the unit's own level of detail and the first level give.
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

/* Of a level of a face whose size is no power of two, in texels. */
static struct fs_src
width_of_level(struct fs_lookup *l)
{
   struct fs_program *p = l->p;
   const struct fs_src size = fs_tex_param(l, TEGRA20_PARAM_TEX_SIZE, 2, 0);

   if (l->scale.kind == FS_SRC_NONE)
      return size;
   /* whole numbers stay such where the reciprocal is a little less */
   return fs_floor(
      p, fs_mad(p, size, fs_rcp(p, l->scale), fs_imm(p, 1.0f / 1024)));
}

/* The part of a face in the middle of which coordinates have to stay. */
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
   const struct fs_src of_level = l->key->corner
                                     ? fs_rcp(p, width_of_level(l))
                                     : fs_mul(p, texel, l->scale);
   /* 1 / 0 is no number, and the middle is not met exactly anyway */
   return fs_max(p, fs_not(p, of_level), fs_imm(p, 1.0f / 1024));
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

/* How much of a cell the face takes: all of it, unless the cube is a copy of
 * one whose size is not a power of two, with the level's own texels. */
static struct fs_src
part_of_cell(struct fs_lookup *l, float size)
{
   struct fs_program *p = l->p;

   if (!l->key->corner)
      return fs_imm(p, size);
   const struct fs_src texel = fs_mul(
      p, fs_tex_param(l, TEGRA20_PARAM_TEX_CORNER, 2, 0), fs_imm(p, size));
   return fs_mul(p, width_of_level(l),
                 l->scale.kind == FS_SRC_NONE ? texel
                                              : fs_mul(p, texel, l->scale));
}

/* From a product over -0.5..0.5 to a cell's coordinate in units of the atlas.
 */
static struct fs_src
saturated_coordinate(struct fs_lookup *l, struct fs_src a, struct fs_src b,
                     float size, struct fs_src start)
{
   struct fs_program *p = l->p;
   const struct fs_src inside = fs_sat(p, fs_mad(p, a, b, fs_imm(p, 0.5f)));

   return fs_mad(p, inside, fs_mul(p, inner_part(l), part_of_cell(l, size)),
                 start);
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
      fs_mul(p, fs_not(p, inner_part(l)), part_of_cell(l, 0.5f * size));
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

/* The level whose inner part counts, and the level of detail that the unit is
 * to use. */
static void
set_level(struct fs_lookup *l, struct fs_src level, struct fs_src of_unit)
{
   struct fs_program *p = l->p;

   l->bias = fs_add(p, of_unit, fs_imm(p, -TEGRA20_LOD_OF_STEP));
   l->scale = fs_sfu(p, FS_SFU_EX2, fs_sfu(p, FS_SFU_PRE_EX2, level));
}

static bool
has_ramp(const struct fs_program *p, bool mixed)
{
   return p->ramps[mixed] || p->unused_units;
}

/* The unit that samples the ramp, for a program that has one. */
static unsigned
ramp_unit(struct fs_program *p, bool mixed)
{
   if (!p->ramps[mixed]) {
      p->ramps[mixed] = p->unused_units & -p->unused_units;
      p->unused_units &= ~p->ramps[mixed];
   }
   return ffs(p->ramps[mixed]) - 1;
}

/* The level of detail of the quad, at least 0. */
static struct fs_src
level_of_detail(struct fs_lookup *l, const struct cube_axes *axes, bool mixed)
{
   struct fs_program *p = l->p;
   const unsigned unit = ramp_unit(p, mixed);
   const float width = 1 << (TEGRA20_RAMP_LEVELS - 1);
   const struct fs_src size = fs_tex_param(l, TEGRA20_PARAM_TEX_SIZE, 2, 0);
   struct fs_src bias = fs_log2(p, fs_mul(p, size, fs_imm(p, 1 / width)));
   struct fs_src level = fs_zero();
   unsigned node[3];

   if (l->bias.kind != FS_SRC_NONE)
      bias = fs_add(p, l->bias, bias);
   for (unsigned axis = 0; axis < 3; axis++) {
      /* -1..1 on a face is all of the ramp, which is one texel high */
      const struct fs_src half =
         fs_mul(p, fs_rcp(p, l->coord[axis]), fs_imm(p, 0.5f));

      node[axis] =
         fs_tex_lookup(p, unit, fs_mul(p, l->coord[(axis + 1) % 3], half),
                       fs_mul(p, fs_mul(p, l->coord[(axis + 2) % 3], half),
                              fs_imm(p, width)),
                       bias);
   }
   for (unsigned c = mixed; c < (mixed ? 4 : 1); c++)
      level =
         fs_add(p, level,
                select_axis(p, axes, fs_part(p, node[0], c),
                            fs_part(p, node[1], c), fs_part(p, node[2], c)));
   return fs_mul(
      p, level,
      fs_imm(p, mixed ? TEGRA20_RAMP_PART : 256.0f / TEGRA20_RAMP_STEP));
}

/*
 * The level for the unit where the first one is filtered in one way when
 * magnified and in another way when minified: the unit decides by the level
 * of detail that it computes, which may be slightly less than it was told.
 * lod: not limited to the levels that there are.
 */
static struct fs_src
choose_filter(struct fs_lookup *l, struct fs_src lod, struct fs_src level)
{
   struct fs_program *p = l->p;

   if (!l->key->two_filters)
      return level;
   return fs_select_negative(p, fs_neg(lod),
                             fs_add(p, level, fs_imm(p, 1.0f / 32)),
                             fs_imm(p, -1.0f));
}

/* One level, or two that the program mixes; limited: lod, not beyond the
 * last level. */
static void
lookup_cube_levels(struct fs_lookup *l, const struct cube_axes *axes,
                   struct fs_src lod, struct fs_src limited,
                   struct fs_src raw[4])
{
   struct fs_program *p = l->p;
   const struct fs_src dir[3] = { l->coord[0], l->coord[1], l->coord[2] };
   struct fs_src mixed[4];

   if (!l->key->mix_levels) {
      const struct fs_src level =
         fs_floor(p, fs_add(p, limited, fs_imm(p, 0.5f)));

      set_level(l, level, choose_filter(l, lod, level));
      lookup_cube_once(l, axes, raw);
      return;
   }
   const struct fs_src level = fs_floor(p, limited);
   const struct fs_src next = fs_add(p, level, fs_one());
   const struct fs_src weight = fs_add(p, limited, fs_neg(level));

   set_level(l, level, choose_filter(l, lod, level));
   lookup_cube_once(l, axes, raw);
   memcpy(l->coord, dir, sizeof(dir));
   set_level(l, next, next);
   lookup_cube_once(l, axes, mixed);
   for (unsigned c = 0; c < 4; c++)
      raw[c] = fs_lerp(p, raw[c], mixed[c], weight);
}

void
fs_tex_cube(struct fs_lookup *l, struct fs_src raw[4])
{
   struct fs_program *p = l->p;
   const struct cube_axes axes = cube_axes(l);
   const bool implicit = l->lod.kind == FS_SRC_NONE;
   const bool by_level = l->key->linear || l->key->corner;

   const bool is_whole =
      implicit && !l->key->mix_levels && !l->key->two_filters;

   if (!(l->key->mipmap || (implicit && l->key->two_filters)) ||
       (!implicit && !by_level) || fs_tex_is_first_level(l) ||
       (implicit && !has_ramp(p, !is_whole))) {
      lookup_cube_once(l, &axes, raw);
      return;
   }
   const struct fs_src last = fs_tex_param(l, TEGRA20_PARAM_TEX_LAST, 1, 0);
   struct fs_src lod, limited;

   if (implicit) {
      lod = level_of_detail(l, &axes, !is_whole);
      limited = l->lod = fs_min(p, lod, last);
   } else {
      lod = fs_add(p, l->bias, fs_imm(p, TEGRA20_LOD_OF_STEP));
      limited = fs_tex_clamp(p, lod, fs_zero(), last);
   }
   if (by_level) {
      lookup_cube_levels(l, &axes, lod, limited, raw);
      return;
   }
   set_level(l, limited, limited);
   lookup_cube_once(l, &axes, raw);
}
