/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Texture lookups.  The unit takes normalised coordinates of a 2D texture and
 * knows no projection, no border, no comparison, no cubes and third dimension
 * and, for sizes that are not powers of two, no repetition
 * (fragment-pipeline.md 5, surfaces-and-textures.md 6.3);
 * the rest is arithmetic before and after the lookup.
 *
 * Explicit level of detail.  The unit takes its own from the largest
 * difference of a coordinate between the four fragments of a quad (assumption
 * A64), whatever they look up, and adds a bias.  So there are two lookups:
 * in the first one the fragments in odd columns add a step to their
 * coordinate, in the second one those in even columns, and each fragment
 * takes the result of the one in which its own coordinate was not moved.  The
 * difference is about the step then, the unit's level of detail about
 * LOD_OF_STEP, and the bias is what is missing.  The step is at least 16
 * times the texture, so that the differences that the coordinates have
 * themselves are small against it.
 */

#include "fs.h"

struct lookup {
   struct fs_program *p;
   const struct tegra20_fs_tex_key *key;
   unsigned unit;
   struct fs_src coord[3], bias, comparator, projector;
   struct fs_src lod;   /* explicit, or FS_SRC_NONE */
   struct fs_src scale; /* size of a texel of the level that is looked up, in
                           texels of the first one; FS_SRC_NONE: 1 */
   const struct fs_src *gradient[2]; /* x and y, or NULL */
   struct fs_src
      weight; /* of the texture against the border colour, or FS_SRC_NONE */
};

static struct fs_src
tex_param(struct lookup *l, unsigned param, unsigned stride,
          unsigned component)
{
   return fs_param(l->p, param + stride * l->unit + component);
}

/* 1 - |2 * frc(s / 2) - 1| */
static struct fs_src
mirrored(struct fs_program *p, struct fs_src s)
{
   const struct fs_src half =
      fs_sfu(p, FS_SFU_FRC, fs_mul(p, s, fs_imm(p, 0.5f)));
   const struct fs_src centred =
      fs_mad(p, half, fs_imm(p, 2.0f), fs_neg(fs_one()));
   return fs_not(p, fs_abs(p, centred));
}

/*
 * How much of the sample at s lies inside the texture.  With linear filtering
 * the texel at the edge fades into the border colour over one texel, centred
 * on the edge; clamping to the edge in the unit then makes the blend exact.
 */
static struct fs_src
coverage(struct lookup *l, struct fs_src s, unsigned axis)
{
   struct fs_program *p = l->p;
   const struct fs_src off_centre = fs_abs(p, fs_add(p, s, fs_imm(p, -0.5f)));

   if (!l->key->linear)
      return fs_greater_equal(p, fs_imm(p, 0.5f), off_centre);

   const struct fs_src size = tex_param(l, TEGRA20_PARAM_TEX_SIZE, 2, axis);
   const struct fs_src at_centre =
      fs_mad(p, size, fs_imm(p, 0.5f), fs_imm(p, 0.5f));
   return fs_sat(p, fs_mad(p, fs_neg(off_centre), size, at_centre));
}

static void
wrap_axis(struct lookup *l, unsigned axis, enum tegra20_wrap wrap)
{
   struct fs_program *p = l->p;
   struct fs_src *s = &l->coord[axis];

   switch (wrap) {
   case TEGRA20_WRAP_NATIVE:
      return;
   case TEGRA20_WRAP_REPEAT:
      *s = fs_sfu(p, FS_SFU_FRC, *s);
      return;
   case TEGRA20_WRAP_MIRROR:
      *s = mirrored(p, *s);
      return;
   case TEGRA20_WRAP_MIRROR_CLAMP_TO_EDGE:
      *s = fs_abs(p, *s);
      return;
   case TEGRA20_WRAP_CLAMP:
      if (!l->key->linear)
         return;
      *s = fs_sat(p, *s);
      break;
   case TEGRA20_WRAP_BORDER:
      break;
   }
   if (l->key->gutters) /* they hold the border colour */
      return;
   const struct fs_src weight = coverage(l, *s, axis);
   l->weight =
      l->weight.kind == FS_SRC_NONE ? weight : fs_mul(p, l->weight, weight);
}

static void
gather_sources(struct lookup *l, const nir_tex_instr *tex,
               struct fs_src (*defs)[4])
{
   struct fs_program *p = l->p;
   const struct fs_src *offset = NULL;

   for (unsigned i = 0; i < tex->num_srcs; i++) {
      const struct fs_src *src = defs[tex->src[i].src.ssa->index];
      switch (tex->src[i].src_type) {
      case nir_tex_src_coord:
         for (unsigned c = 0; c < MIN2(tex->coord_components, 3); c++)
            l->coord[c] = src[c];
         break;
      case nir_tex_src_projector:
         l->projector = src[0];
         break;
      case nir_tex_src_bias:
         l->bias = src[0];
         break;
      case nir_tex_src_comparator:
         l->comparator = src[0];
         break;
      case nir_tex_src_offset:
         offset = src;
         break;
      case nir_tex_src_texture_deref:
      case nir_tex_src_sampler_deref:
         break;
      case nir_tex_src_texture_offset:
      case nir_tex_src_sampler_offset:
         fs_error(p, "a sampler is chosen by a value that is not constant");
         break;
      case nir_tex_src_lod:
         l->lod = src[0];
         break;
      case nir_tex_src_ddx:
         l->gradient[0] = src;
         break;
      case nir_tex_src_ddy:
         l->gradient[1] = src;
         break;
      default:
         fs_error(
            p, "a texture lookup has an operand that the chip does not know");
         break;
      }
   }
   if (l->projector.kind != FS_SRC_NONE) {
      const struct fs_src rcp = fs_rcp(p, l->projector);
      for (unsigned c = 0; c < MIN2(tex->coord_components, 3); c++)
         l->coord[c] = fs_mul(p, l->coord[c], rcp);
      if (l->comparator.kind != FS_SRC_NONE)
         l->comparator = fs_mul(p, l->comparator, rcp);
   }
   if (offset) {
      for (unsigned c = 0; c < MIN2(tex->coord_components, 2); c++)
         l->coord[c] = fs_mad(p, offset[c],
                              tex_param(l, TEGRA20_PARAM_TEX_RCP_SIZE, 2, c),
                              l->coord[c]);
   }
}

/* From a coordinate of the texture to one of the copy, which has a texel more
 * on both sides, and may be the corner of what the unit sees. */
static struct fs_src
inside_gutters(struct lookup *l, struct fs_src s, unsigned axis)
{
   struct fs_program *p = l->p;

   if (l->key->corner)
      return fs_mul(
         p, fs_add(p, s, tex_param(l, TEGRA20_PARAM_TEX_RCP_SIZE, 2, axis)),
         tex_param(l, TEGRA20_PARAM_TEX_CORNER, 2, axis));

   const struct fs_src gutter =
      tex_param(l, TEGRA20_PARAM_TEX_GUTTER, 2, axis);
   return fs_mad(p, s, fs_mad(p, gutter, fs_imm(p, -2.0f), fs_one()), gutter);
}

static struct fs_src
cells(struct lookup *l, unsigned component)
{
   return tex_param(l, TEGRA20_PARAM_TEX_CELLS, 4, component);
}

static struct fs_src
clamp_between(struct fs_program *p, struct fs_src x, struct fs_src low,
              struct fs_src high)
{
   return fs_max(p, fs_min(p, x, high), low);
}

/*
 * Cells of an atlas border on other cells: coordinates stay half a texel of
 * the largest level away from the edge, which is clamping to the edge for
 * each cell.  Without a filter they stay just inside, so that the differences
 * from which the unit takes the level of detail survive: by what the sum of a
 * coordinate and a number of cells loses in fp20.  As cells have to fit into
 * 2048 texels, that is no more than half a texel.
 *
 * Both coordinate and result are in units of the atlas, size is what a cell
 * takes of it: the number of the cell is added in one operation then.
 */
static struct fs_src
clamp_to_cell(struct lookup *l, struct fs_src s, unsigned axis,
              struct fs_src size)
{
   struct fs_program *p = l->p;
   struct fs_src margin;

   if (l->key->linear)
      margin = fs_mul(p, tex_param(l, TEGRA20_PARAM_TEX_RCP_SIZE, 2, axis),
                      fs_imm(p, 0.5f));
   else if (l->key->target == GLSL_SAMPLER_DIM_3D && axis == 1)
      margin = fs_mul(p, fs_mul(p, cells(l, 0), cells(l, 2)),
                      fs_imm(p, 1.0f / 4096));
   else
      margin = fs_imm(p, 1.0f / 1024);
   return clamp_between(p, s, fs_mul(p, margin, size),
                        fs_mul(p, fs_not(p, margin), size));
}

/* Points l->coord at (s, t) of a slice, both in units of the atlas. */
static void
slice_coordinates(struct lookup *l, struct fs_src s, struct fs_src t,
                  struct fs_src slice)
{
   struct fs_program *p = l->p;

   if (l->key->one_column) {
      l->coord[0] = s;
      l->coord[1] = fs_mad(p, slice, cells(l, 3), t);
      return;
   }
   /* the quotient of integers, away from the steps that rounding could miss
    */
   const struct fs_src half = fs_mul(p, cells(l, 2), fs_imm(p, 0.5f));
   const struct fs_src row = fs_floor(p, fs_mad(p, slice, cells(l, 2), half));
   const struct fs_src column = fs_mad(p, fs_neg(row), cells(l, 1), slice);

   l->coord[0] = fs_mad(p, column, cells(l, 2), s);
   l->coord[1] = fs_mad(p, row, cells(l, 3), t);
}

static unsigned
emit_lookup_at(struct lookup *l, struct fs_src s, struct fs_src t)
{
   struct fs_program *p = l->p;
   const struct fs_src coord[2] = { fs_plain(p, s), fs_plain(p, t) };
   struct fs_src bias = { 0 };
   unsigned index;

   if (l->bias.kind != FS_SRC_NONE && !fs_is_zero(l->bias))
      bias = fs_plain(p, l->bias);

   struct fs_node *node = fs_add_node(p, FS_OP_TEX, &index);
   node->sampler = l->unit;
   node->num_srcs = 4;
   node->src[0] = coord[0];
   node->src[1] = coord[1];
   node->src[3] = bias;
   node->bias = bias.kind != FS_SRC_NONE;
   p->samplers_used |= 1u << l->unit;
   return index;
}

static void
plain_lookup(struct lookup *l, struct fs_src texel[4])
{
   const unsigned index = emit_lookup_at(l, l->coord[0], l->coord[1]);

   for (unsigned c = 0; c < 4; c++)
      texel[c] = fs_part(l->p, index, c);
}

/* Never more than the first level: no level of detail of the unit reaches
 * 16. */
static bool
is_first_level(struct lookup *l)
{
   float lod;

   return !l->key->bias && fs_imm_value(l->p, l->lod, &lod) && lod <= 0;
}

/* Both lookups of one with an explicit level of detail. */
static void
lookup_level(struct lookup *l, struct fs_src texel[4])
{
   struct fs_program *p = l->p;
   const struct fs_src step = tex_param(l, TEGRA20_PARAM_TEX_STEP, 1, 0);
   /* 0 in even columns, 1/2 in odd ones */
   const struct fs_src odd =
      fs_sfu(p, FS_SFU_FRC, fs_mul(p, fs_reg(FS_REG_POSX), fs_imm(p, 0.5f)));
   const struct fs_src s = l->coord[0],
                       twice = fs_mul(p, step, fs_imm(p, 2.0f));
   const unsigned even_columns =
      emit_lookup_at(l, fs_mad(p, odd, twice, s), l->coord[1]);
   /* s + step would lose what s has behind the point: the factor is 0 where
    * nothing is to be moved */
   const struct fs_src other =
      fs_mad(p, odd, fs_imm(p, -1.0f), fs_imm(p, 0.5f));
   const unsigned odd_columns =
      emit_lookup_at(l, fs_mad(p, other, twice, s), l->coord[1]);
   const struct fs_src even = fs_add(p, odd, fs_imm(p, -0.25f));

   for (unsigned c = 0; c < 4; c++)
      texel[c] = fs_select_negative(p, even, fs_part(p, even_columns, c),
                                    fs_part(p, odd_columns, c));
}

/* A texel, or a mixture of some, as the unit delivers it. */
static void
look_up(struct lookup *l, struct fs_src texel[4])
{
   if (l->lod.kind == FS_SRC_NONE || is_first_level(l))
      plain_lookup(l, texel);
   else
      lookup_level(l, texel);
}

/*
 * Depth textures are held as two bytes in components 0 (high) and 1 (low) of
 * an 8888 texture (assumption A39).  A byte b arrives as b + (b >> 7) in
 * units of 1/256 (fragment-pipeline.md 2.3).
 */
static struct fs_src
stored_depth(struct fs_program *p, const struct fs_src texel[4])
{
   struct fs_src byte[2];

   for (unsigned c = 0; c < 2; c++) {
      const struct fs_src part = texel[c];
      const struct fs_src upper_half =
         fs_greater_equal(p, part, fs_imm(p, 0.5f));
      byte[c] = fs_mad(p, part, fs_imm(p, 256.0f), fs_neg(upper_half));
   }
   return fs_mad(p, byte[0], fs_imm(p, 256.0f / 65535.0f),
                 fs_mul(p, byte[1], fs_imm(p, 1.0f / 65535.0f)));
}

/*
 * fp20 has 14 significant bits, a stored depth 16: values closer than the
 * resolution of the comparison count as equal, or EQUAL would depend on how
 * the last bit was rounded.
 */
#define DEPTH_TOLERANCE (1.0f / 8192)

static struct fs_src
compare_depth(const struct lookup *l, struct fs_src depth)
{
   struct fs_program *p = l->p;
   const struct fs_src difference =
      fs_add(p, fs_sat(p, l->comparator), fs_neg(depth));
   const struct fs_src above = fs_imm(p, DEPTH_TOLERANCE),
                       below = fs_imm(p, -DEPTH_TOLERANCE);

   switch ((enum compare_func)l->key->compare_func) {
   case COMPARE_FUNC_NEVER:
      return fs_zero();
   case COMPARE_FUNC_LESS:
      return fs_less(p, difference, below);
   case COMPARE_FUNC_EQUAL:
      return fs_greater_equal(p, above, fs_abs(p, difference));
   case COMPARE_FUNC_LEQUAL:
      return fs_greater_equal(p, above, difference);
   case COMPARE_FUNC_GREATER:
      return fs_less(p, above, difference);
   case COMPARE_FUNC_NOTEQUAL:
      return fs_less(p, above, fs_abs(p, difference));
   case COMPARE_FUNC_GEQUAL:
      return fs_greater_equal(p, difference, below);
   case COMPARE_FUNC_ALWAYS:
      break;
   }
   return fs_one();
}

/* A cubic through the sRGB curve; it is off by less than half a step of an
 * 8-bit channel. */
static struct fs_src
decode_srgb(struct fs_program *p, struct fs_src c)
{
   const struct fs_src slope =
      fs_mad(p, c, fs_imm(p, 0.305306011f), fs_imm(p, 0.682171111f));

   return fs_mul(p, c, fs_mad(p, c, slope, fs_imm(p, 0.012522878f)));
}

/* Looks up, and decodes. */
static void
results_of(struct lookup *l, struct fs_src raw[4])
{
   struct fs_program *p = l->p;

   look_up(l, raw);
   if (l->key->encoding == TEGRA20_TEX_SRGB) {
      for (unsigned c = 0; c < 3; c++)
         raw[c] = decode_srgb(p, raw[c]);
   }
   if (l->key->encoding == TEGRA20_TEX_DEPTH16 && !l->key->compare) {
      raw[0] = raw[1] = raw[2] = stored_depth(p, raw);
      raw[3] = fs_one();
   }
   if (l->key->compare && l->comparator.kind != FS_SRC_NONE) {
      raw[0] = raw[1] = raw[2] = compare_depth(l, stored_depth(p, raw));
      raw[3] = fs_one();
   }
}

static void
mix_border(struct lookup *l, struct fs_src raw[4])
{
   struct fs_program *p = l->p;

   if (l->weight.kind == FS_SRC_NONE)
      return;
   for (unsigned c = 0; c < 4; c++) {
      struct fs_src border =
         tex_param(l, TEGRA20_PARAM_TEX_BORDER, 4, l->key->compare ? 0 : c);

      if (l->key->compare && l->comparator.kind != FS_SRC_NONE)
         border = c < 3 ? compare_depth(l, border) : fs_one();
      raw[c] = fs_lerp(p, border, raw[c], l->weight);
   }
}

/*
 * Cube maps.  The faces lie in four columns and two rows: a column for each
 * axis, the negative face in the second row.  The tables of GL, with s and t
 * from -1 to 1 on the face whose major component is m:
 *
 *    X: s = -z / m, t = -y / |m|      Y: s = x / |m|, t = z / m      Z: s = x
 * / m, t = -y / |m|
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
#define CELL_WIDTH 0.25f /* in units of the atlas */
#define CELL_HEIGHT 0.5f

/* Which axis is the major one: X unless not_x < 0; Y unless not_y < 0; else
 * Z. */
struct cube_axes {
   struct fs_src not_x, not_y_but_z;
};

static struct cube_axes
cube_axes(struct lookup *l)
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
inner_part(struct lookup *l)
{
   struct fs_program *p = l->p;
   const struct fs_src texel = tex_param(l, TEGRA20_PARAM_TEX_RCP_SIZE, 2, 0);

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
reciprocal_of_inner(struct lookup *l, struct fs_src major)
{
   struct fs_program *p = l->p;

   return fs_rcp(p,
                 fs_mul(p, major, fs_mul(p, inner_part(l), fs_imm(p, 2.0f))));
}

/* From a product over -0.5..0.5 to a cell's coordinate in units of the atlas.
 */
static struct fs_src
saturated_coordinate(struct lookup *l, struct fs_src a, struct fs_src b,
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
inner_start(struct lookup *l, float cell, float size)
{
   struct fs_program *p = l->p;
   const struct fs_src margin =
      fs_mul(p, fs_not(p, inner_part(l)), fs_imm(p, 0.5f * size));
   const float start = cell * size;
   const float unit = start >= 0.5f ? 0x1p-14f : 0x1p-15f;

   return fs_add(p, margin, fs_imm(p, start > 0 ? start + 0.49f * unit : 0));
}

static void
lookup_cube_once(struct lookup *l, const struct cube_axes *axes,
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
   results_of(l, raw);
}

/* From a product over -1..1 to a coordinate in units of the atlas. */
static struct fs_src
limited_coordinate(struct lookup *l, struct fs_src product,
                   struct fs_src limit, float size, struct fs_src middle)
{
   struct fs_program *p = l->p;
   const struct fs_src inside =
      clamp_between(p, product, fs_neg(limit), limit);

   return fs_mad(p, inside, fs_imm(p, 0.5f * size), middle);
}

/* One of the three lookups; outside: negative where another face is hit, for
 * exact ones. */
static void
lookup_cube_face(struct lookup *l, const struct fs_src dir[3], unsigned axis,
                 struct fs_src outside, struct fs_src raw[4])
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
   results_of(l, raw);
}

/* The level of detail that the unit is to use, and the bias for it. */
static void
set_level(struct lookup *l, struct fs_src level)
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
lookup_cube_levels(struct lookup *l, const struct cube_axes *axes,
                   struct fs_src raw[4])
{
   struct fs_program *p = l->p;
   const struct fs_src dir[3] = { l->coord[0], l->coord[1], l->coord[2] };
   const struct fs_src lod =
      clamp_between(p, fs_add(p, l->bias, fs_imm(p, TEGRA20_LOD_OF_STEP)),
                    fs_zero(), tex_param(l, TEGRA20_PARAM_TEX_LAST, 1, 0));
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

static void
lookup_cube(struct lookup *l, struct fs_src raw[4])
{
   struct fs_program *p = l->p;
   const struct fs_src dir[3] = { l->coord[0], l->coord[1], l->coord[2] };
   const struct cube_axes axes = cube_axes(l);
   struct fs_src face[3][4];

   if (l->lod.kind != FS_SRC_NONE && l->key->mipmap && l->key->linear &&
       !is_first_level(l)) {
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

/* --- 3D textures --- */

/*
 * A coordinate inside a cell that has a texel more on both sides: what lies
 * outside of the texture is in there, so a linear filter reaches at most its
 * middle.
 */
static struct fs_src
gutter_coordinate(struct lookup *l, struct fs_src s, unsigned axis)
{
   struct fs_program *p = l->p;
   const struct fs_src half_texel = fs_mul(
      p, tex_param(l, TEGRA20_PARAM_TEX_RCP_SIZE, 2, axis), fs_imm(p, 0.5f));

   return inside_gutters(l,
                         clamp_between(p, s, fs_neg(half_texel),
                                       fs_add(p, fs_one(), half_texel)),
                         axis);
}

static void
lookup_slice(struct lookup *l, struct fs_src s, struct fs_src t,
             struct fs_src slice, struct fs_src raw[4])
{
   slice_coordinates(l, s, t, slice);
   results_of(l, raw);
}

/* Two slices, mixed; a second one behind the last has no weight. */
static void
mix_slices(struct lookup *l, struct fs_src s, struct fs_src t,
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
lookup_slices_at(struct lookup *l, struct fs_src s, struct fs_src t,
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
 * The nearest slice.  The last one is also for what lies behind it; clamping
 * to 0..last comes first since that takes one operation, with the product,
 * and nothing where repetition leaves 0..1.
 */
static struct fs_src
nearest_slice(struct lookup *l, struct fs_src last)
{
   struct fs_program *p = l->p;
   const bool inside = l->key->wrap_r == TEGRA20_WRAP_REPEAT ||
                       l->key->wrap_r == TEGRA20_WRAP_MIRROR;
   const struct fs_src r = l->coord[2];

   if (l->key->gutters) {
      const struct fs_src slice =
         fs_floor(p, fs_mad(p, r, cells(l, 0), fs_one()));
      return clamp_between(p, slice, fs_zero(), last);
   }
   return fs_floor(
      p, fs_min(p, fs_mul(p, inside ? r : fs_sat(p, r), cells(l, 0)), last));
}

/* Slices of a 3D texture: the nearest one, or two that are mixed.  With
 * gutters slice 0 is in front of the texture. */
static void
lookup_3d(struct lookup *l, struct fs_src raw[4])
{
   struct fs_program *p = l->p;
   const bool gutters = l->key->gutters;
   const struct fs_src width = l->key->one_column ? fs_one() : cells(l, 2),
                       height = cells(l, 3);
   const struct fs_src last =
      fs_add(p, cells(l, 0), fs_imm(p, gutters ? 1.0f : -1.0f));
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
   const struct fs_src position =
      fs_mad(p, l->coord[2], cells(l, 0), fs_imm(p, gutters ? 0.5f : -0.5f));
   lookup_slices_at(l, s, t, clamp_between(p, position, fs_zero(), last),
                    raw);
}

/*
 * Depth with a linear filter.  The unit would round each of the two bytes to
 * 8 bits after mixing, and half a step of the high one is 128 of the low:
 * four texels are looked up and mixed here.  Without mipmaps, since the
 * coordinates, which jump from one texel to the next, say nothing about the
 * level of detail.
 */
static void
lookup_filtered_depth(struct lookup *l, bool two_dimensions,
                      struct fs_src raw[4])
{
   struct fs_program *p = l->p;
   const unsigned columns = 2, rows = two_dimensions ? 2 : 1;
   struct fs_src at[2][2], weight[2], depth[2];

   at[1][0] = l->coord[1];
   for (unsigned c = 0; c < rows; c++) {
      const struct fs_src rcp_size =
         tex_param(l, TEGRA20_PARAM_TEX_RCP_SIZE, 2, c);
      const struct fs_src size = tex_param(l, TEGRA20_PARAM_TEX_SIZE, 2, c);
      const struct fs_src position =
         fs_mad(p, l->coord[c], size, fs_imm(p, -0.5f));

      weight[c] = fs_sfu(p, FS_SFU_FRC, position);
      at[c][0] = fs_mul(
         p,
         fs_add(p, fs_add(p, position, fs_neg(weight[c])), fs_imm(p, 0.5f)),
         rcp_size);
      at[c][1] = fs_add(p, at[c][0], rcp_size);
   }
   for (unsigned y = 0; y < rows; y++) {
      struct fs_src texel[2], parts[4];

      for (unsigned x = 0; x < columns; x++) {
         l->coord[0] = at[0][x];
         l->coord[1] = at[1][y];
         look_up(l, parts);
         texel[x] = stored_depth(p, parts);
      }
      depth[y] = fs_lerp(p, texel[0], texel[1], weight[0]);
   }
   raw[0] = raw[1] = raw[2] =
      two_dimensions ? fs_lerp(p, depth[0], depth[1], weight[1]) : depth[0];
   raw[3] = fs_one();
}

/* What GL's targets and wraps make of the coordinates before the unit gets
 * them. */
static void
prepare_coordinates(struct lookup *l, enum glsl_sampler_dim dim)
{
   struct fs_program *p = l->p;

   switch (dim) {
   case GLSL_SAMPLER_DIM_1D:
      l->coord[1] = fs_imm(p, 0.5f);
      break;
   case GLSL_SAMPLER_DIM_RECT:
      for (unsigned c = 0; c < 2; c++)
         l->coord[c] = fs_mul(p, l->coord[c],
                              tex_param(l, TEGRA20_PARAM_TEX_RCP_SIZE, 2, c));
      break;
   case GLSL_SAMPLER_DIM_2D:
   case GLSL_SAMPLER_DIM_EXTERNAL:
   case GLSL_SAMPLER_DIM_3D:
      break;
   case GLSL_SAMPLER_DIM_CUBE:
      return;
   default:
      fs_error(p, "the fragment program uses a kind of texture that the chip "
                  "does not have");
      return;
   }
   wrap_axis(l, 0, l->key->wrap_s);
   if (dim != GLSL_SAMPLER_DIM_1D)
      wrap_axis(l, 1, l->key->wrap_t);
   if (dim == GLSL_SAMPLER_DIM_3D)
      wrap_axis(l, 2, l->key->wrap_r);
   for (unsigned c = 0; c < 2 && l->key->corner && !l->key->gutters; c++)
      l->coord[c] =
         fs_mul(p, l->coord[c], tex_param(l, TEGRA20_PARAM_TEX_CORNER, 2, c));
   for (unsigned c = 0;
        c < 2 && l->key->gutters && dim != GLSL_SAMPLER_DIM_3D; c++)
      l->coord[c] = inside_gutters(l, l->coord[c], c);
}

/* The largest magnitude of a component of both gradients. */
static struct fs_src
largest_change(struct lookup *l, unsigned component)
{
   struct fs_program *p = l->p;

   return fs_max(p, fs_abs(p, l->gradient[0][component]),
                 fs_abs(p, l->gradient[1][component]));
}

/* The level of detail that the unit would take from such differences (A64).
 * For cubes, the gradients of the direction as they are on its face. */
static void
lod_of_gradients(struct lookup *l, const nir_tex_instr *tex)
{
   struct fs_program *p = l->p;
   const bool cube = tex->sampler_dim == GLSL_SAMPLER_DIM_CUBE;
   struct fs_src rho = fs_zero(), major = fs_zero();

   for (unsigned c = 0; c < MIN2(tex->coord_components, 3); c++) {
      struct fs_src change = largest_change(l, c);

      if (cube)
         major = fs_max(p, major, fs_abs(p, l->coord[c]));
      else
         change = fs_mul(p, change,
                         c < 2 ? tex_param(l, TEGRA20_PARAM_TEX_SIZE, 2, c)
                               : tex_param(l, TEGRA20_PARAM_TEX_DEPTH, 1, 0));
      rho = c == 0 ? change : fs_max(p, rho, change);
   }
   if (cube) {
      const struct fs_src half_size = fs_mul(
         p, tex_param(l, TEGRA20_PARAM_TEX_SIZE, 2, 0), fs_imm(p, 0.5f));

      rho = fs_mul(p, fs_mul(p, rho, half_size), fs_rcp(p, major));
   }
   /* no gradient at all is the first level */
   l->lod = fs_sfu(p, FS_SFU_LG2, fs_max(p, rho, fs_imm(p, 1.0f / 16)));
}

/* What the unit has to add to the level of detail of the step.  A level that
 * the program names is one of the texture; the unit's first one may be
 * another. */
static struct fs_src
bias_of_level(struct lookup *l, bool named)
{
   struct fs_program *p = l->p;
   const struct fs_src first =
      named ? tex_param(l, TEGRA20_PARAM_TEX_FIRST, 1, 0) : fs_zero();

   if (is_first_level(l))
      return fs_imm(p, -16.0f);
   return fs_add(p, l->lod,
                 fs_add(p, fs_neg(first), fs_imm(p, -TEGRA20_LOD_OF_STEP)));
}

void
fs_translate_tex(struct fs_program *p, const nir_tex_instr *tex,
                 struct fs_src (*defs)[4])
{
   static const struct tegra20_fs_tex_key plain = {
      .swizzle = { PIPE_SWIZZLE_X, PIPE_SWIZZLE_Y, PIPE_SWIZZLE_Z,
                   PIPE_SWIZZLE_W },
   };
   struct lookup l = { .p = p, .unit = tex->texture_index };

   if (tex->op == nir_texop_txs && l.unit < TEGRA20_MAX_SAMPLERS) {
      for (unsigned c = 0; c < tex->def.num_components; c++)
         defs[tex->def.index][c] =
            c < 2 ? tex_param(&l, TEGRA20_PARAM_TEX_SIZE, 2, c)
                  : cells(&l, 0);
      return;
   }
   if (tex->op != nir_texop_tex && tex->op != nir_texop_txb &&
       tex->op != nir_texop_txl && tex->op != nir_texop_txd) {
      fs_error(p, "the fragment program uses a kind of texture lookup that "
                  "the chip does not have");
      return;
   }
   if (l.unit >= TEGRA20_MAX_SAMPLERS) {
      fs_error(p,
               "the fragment program uses texture unit %u, the chip has %u",
               l.unit, TEGRA20_MAX_SAMPLERS);
      return;
   }
   l.key = l.unit < p->key->num_tex ? &p->key->tex[l.unit] : &plain;
   gather_sources(&l, tex, defs);

   if (tex->op == nir_texop_txd)
      lod_of_gradients(&l, tex);
   if (tex->sampler_dim == GLSL_SAMPLER_DIM_RECT)
      l.lod = (struct fs_src){ 0 }; /* has one level */
   prepare_coordinates(&l, tex->sampler_dim);
   if (l.lod.kind != FS_SRC_NONE)
      l.bias = bias_of_level(&l, tex->op == nir_texop_txl);
   if (l.key->bias) {
      const struct fs_src unit_bias =
         tex_param(&l, TEGRA20_PARAM_TEX_LOD_BIAS, 1, 0);
      l.bias = l.bias.kind == FS_SRC_NONE ? unit_bias
                                          : fs_add(p, l.bias, unit_bias);
   }
   if (p->error)
      return;

   struct fs_src raw[4];
   struct fs_src *dest = defs[tex->def.index];
   if (l.key->encoding == TEGRA20_TEX_FP20) {
      dest[0] = fs_load_fp20(p, emit_lookup_at(&l, l.coord[0], l.coord[1]));
      for (unsigned c = 1; c < tex->def.num_components; c++)
         dest[c] = fs_zero();
      return;
   }
   if (tex->sampler_dim == GLSL_SAMPLER_DIM_3D)
      lookup_3d(&l, raw);
   else if (tex->sampler_dim == GLSL_SAMPLER_DIM_CUBE)
      lookup_cube(&l, raw);
   else if (l.key->filter_depth && !l.key->compare)
      lookup_filtered_depth(&l, tex->sampler_dim != GLSL_SAMPLER_DIM_1D, raw);
   else
      results_of(&l, raw);
   mix_border(&l, raw);
   for (unsigned c = 0; c < tex->def.num_components; c++) {
      const unsigned swizzle = l.key->swizzle[c];
      dest[c] = swizzle <= PIPE_SWIZZLE_W   ? raw[swizzle]
                : swizzle == PIPE_SWIZZLE_1 ? fs_one()
                                            : fs_zero();
   }
}
