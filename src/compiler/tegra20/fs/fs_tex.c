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
 * A64), whatever they look up, and adds a bias.  So there are two lookups: in
 * the first one the fragments in odd columns add a step to their coordinate,
 * in the second one those in even columns, and each fragment takes the result
 * of the one in which its own coordinate was not moved.  The difference is
 * about the step then, the unit's level of detail about LOD_OF_STEP, and the
 * bias is the remainder.  The step is at least 16 times the texture, so that
 * the differences that the coordinates have themselves are small against it.
 */

#include "fs_tex.h"

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
coverage(struct fs_lookup *l, struct fs_src s, unsigned axis)
{
   struct fs_program *p = l->p;
   const struct fs_src off_centre = fs_abs(p, fs_add(p, s, fs_imm(p, -0.5f)));

   if (!l->key->linear)
      return fs_greater_equal(p, fs_imm(p, 0.5f), off_centre);

   const struct fs_src size =
      fs_tex_param(l, TEGRA20_PARAM_TEX_SIZE, 2, axis);
   const struct fs_src at_centre =
      fs_mad(p, size, fs_imm(p, 0.5f), fs_imm(p, 0.5f));
   return fs_sat(p, fs_mad(p, fs_neg(off_centre), size, at_centre));
}

static void
wrap_axis(struct fs_lookup *l, unsigned axis, enum tegra20_wrap wrap)
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
gather_sources(struct fs_lookup *l, const nir_tex_instr *tex,
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
         l->coord[c] = fs_mad(
            p, offset[c], fs_tex_param(l, TEGRA20_PARAM_TEX_RCP_SIZE, 2, c),
            l->coord[c]);
   }
}

/* From a coordinate of the texture to one of the copy, which has a texel more
 * on both sides, and may be the corner of the unit's texture. */
struct fs_src
fs_tex_inside_gutters(struct fs_lookup *l, struct fs_src s, unsigned axis)
{
   struct fs_program *p = l->p;

   if (l->key->corner)
      return fs_mul(
         p,
         fs_add(p, s, fs_tex_param(l, TEGRA20_PARAM_TEX_RCP_SIZE, 2, axis)),
         fs_tex_param(l, TEGRA20_PARAM_TEX_CORNER, 2, axis));

   const struct fs_src gutter =
      fs_tex_param(l, TEGRA20_PARAM_TEX_GUTTER, 2, axis);
   return fs_mad(p, s, fs_mad(p, gutter, fs_imm(p, -2.0f), fs_one()), gutter);
}

unsigned
fs_tex_lookup(struct fs_program *p, unsigned unit, struct fs_src s,
              struct fs_src t, struct fs_src with_bias)
{
   const struct fs_src coord[2] = { fs_plain(p, s), fs_plain(p, t) };
   struct fs_src bias = { 0 };
   unsigned index;

   if (with_bias.kind != FS_SRC_NONE && !fs_is_zero(with_bias))
      bias = fs_plain(p, with_bias);

   struct fs_node *node = fs_add_node(p, FS_OP_TEX, &index);
   node->sampler = unit;
   node->num_srcs = 4;
   node->src[0] = coord[0];
   node->src[1] = coord[1];
   node->src[3] = bias;
   node->bias = bias.kind != FS_SRC_NONE;
   p->samplers_used |= 1u << unit;
   return index;
}

static unsigned
emit_lookup_at(struct fs_lookup *l, struct fs_src s, struct fs_src t)
{
   return fs_tex_lookup(l->p, l->unit, s, t, l->bias);
}

static void
plain_lookup(struct fs_lookup *l, struct fs_src texel[4])
{
   const unsigned index = emit_lookup_at(l, l->coord[0], l->coord[1]);

   for (unsigned c = 0; c < 4; c++)
      texel[c] = fs_part(l->p, index, c);
}

/* Never more than the first level: no level of detail of the unit reaches
 * 16. */
bool
fs_tex_is_first_level(struct fs_lookup *l)
{
   float lod;

   return !l->key->bias && fs_imm_value(l->p, l->lod, &lod) && lod <= 0;
}

/* Both lookups of one with an explicit level of detail. */
static void
lookup_level(struct fs_lookup *l, struct fs_src texel[4])
{
   struct fs_program *p = l->p;
   const struct fs_src step = fs_tex_param(l, TEGRA20_PARAM_TEX_STEP, 1, 0);
   /* 0 in even columns, 1/2 in odd ones */
   const struct fs_src odd =
      fs_sfu(p, FS_SFU_FRC, fs_mul(p, fs_reg(FS_REG_POSX), fs_imm(p, 0.5f)));
   const struct fs_src s = l->coord[0],
                       twice = fs_mul(p, step, fs_imm(p, 2.0f));
   const unsigned even_columns =
      emit_lookup_at(l, fs_mad(p, odd, twice, s), l->coord[1]);
   /* s + step would lose the fraction of s: the factor is 0 where nothing is
    * to be moved */
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
look_up(struct fs_lookup *l, struct fs_src texel[4])
{
   if (l->lod.kind == FS_SRC_NONE || fs_tex_is_first_level(l))
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
compare_depth(const struct fs_lookup *l, struct fs_src depth)
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

/*
 * n / 255 from the unit's value of the byte n: n / 256, and 1 / 256 more from
 * 128 on.  Products of it with constants are computed from n / 256 (fs_ir.c),
 * so that n / 255 * 255 is n.
 */
static struct fs_src
exact_texel(struct fs_program *p, struct fs_src raw)
{
   const struct fs_src upper_half =
      fs_sat(p, fs_mad(p, raw, fs_imm(p, 256.0f), fs_imm(p, -127.0f)));
   const struct fs_src n = fs_mad(p, upper_half, fs_imm(p, -1.0f / 256), raw);

   return fs_mad(p, n, fs_imm(p, 1.0f / 255), n);
}

/* Looks up, and decodes. */
void
fs_tex_results(struct fs_lookup *l, struct fs_src raw[4])
{
   struct fs_program *p = l->p;

   look_up(l, raw);
   for (unsigned c = 0; c < 4; c++) {
      if (l->exact >> c & 1)
         raw[c] = exact_texel(p, raw[c]);
   }
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
mix_border(struct fs_lookup *l, struct fs_src raw[4])
{
   struct fs_program *p = l->p;

   if (l->weight.kind == FS_SRC_NONE)
      return;
   for (unsigned c = 0; c < 4; c++) {
      struct fs_src border = fs_tex_param(l, TEGRA20_PARAM_TEX_BORDER, 4,
                                          l->key->compare ? 0 : c);

      if (l->key->compare && l->comparator.kind != FS_SRC_NONE)
         border = c < 3 ? compare_depth(l, border) : fs_one();
      raw[c] = fs_lerp(p, border, raw[c], l->weight);
   }
}

/*
 * Depth with a linear filter.  The unit would round each of the two bytes to
 * 8 bits after mixing, and half a step of the high one is 128 of the low:
 * four texels are looked up and mixed here.  Without mipmaps, since the
 * coordinates, which jump from one texel to the next, say nothing about the
 * level of detail.
 */
static void
lookup_filtered_depth(struct fs_lookup *l, bool two_dimensions,
                      struct fs_src raw[4])
{
   struct fs_program *p = l->p;
   const unsigned columns = 2, rows = two_dimensions ? 2 : 1;
   struct fs_src at[2][2], weight[2], depth[2];

   at[1][0] = l->coord[1];
   for (unsigned c = 0; c < rows; c++) {
      const struct fs_src rcp_size =
         fs_tex_param(l, TEGRA20_PARAM_TEX_RCP_SIZE, 2, c);
      const struct fs_src size =
         fs_tex_param(l, TEGRA20_PARAM_TEX_SIZE, 2, c);
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

/* Coordinates for the unit, with the arithmetic of GL's targets and wraps. */
static void
prepare_coordinates(struct fs_lookup *l, enum glsl_sampler_dim dim)
{
   struct fs_program *p = l->p;

   switch (dim) {
   case GLSL_SAMPLER_DIM_1D:
      l->coord[1] = fs_imm(p, 0.5f);
      break;
   case GLSL_SAMPLER_DIM_RECT:
      for (unsigned c = 0; c < 2; c++)
         l->coord[c] =
            fs_mul(p, l->coord[c],
                   fs_tex_param(l, TEGRA20_PARAM_TEX_RCP_SIZE, 2, c));
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
      l->coord[c] = fs_mad(
         p, l->coord[c], fs_tex_param(l, TEGRA20_PARAM_TEX_CORNER, 2, c),
         fs_tex_param(l, TEGRA20_PARAM_TEX_CORNER_START, 4, c));
   for (unsigned c = 0;
        c < 2 && l->key->gutters && dim != GLSL_SAMPLER_DIM_3D; c++)
      l->coord[c] = fs_tex_inside_gutters(l, l->coord[c], c);
}

/* The largest magnitude of a component of both gradients. */
static struct fs_src
largest_change(struct fs_lookup *l, unsigned component)
{
   struct fs_program *p = l->p;

   return fs_max(p, fs_abs(p, l->gradient[0][component]),
                 fs_abs(p, l->gradient[1][component]));
}

/* The level of detail that the unit would take from such differences (A64).
 * For cubes, the gradients of the direction as they are on its face. */
static void
lod_of_gradients(struct fs_lookup *l, const nir_tex_instr *tex)
{
   struct fs_program *p = l->p;
   const bool cube = tex->sampler_dim == GLSL_SAMPLER_DIM_CUBE;
   struct fs_src rho = fs_zero(), major = fs_zero();

   for (unsigned c = 0; c < MIN2(tex->coord_components, 3); c++) {
      struct fs_src change = largest_change(l, c);

      if (cube)
         major = fs_max(p, major, fs_abs(p, l->coord[c]));
      else
         change =
            fs_mul(p, change,
                   c < 2 ? fs_tex_param(l, TEGRA20_PARAM_TEX_SIZE, 2, c)
                         : fs_tex_param(l, TEGRA20_PARAM_TEX_DEPTH, 1, 0));
      rho = c == 0 ? change : fs_max(p, rho, change);
   }
   if (cube) {
      const struct fs_src half_size = fs_mul(
         p, fs_tex_param(l, TEGRA20_PARAM_TEX_SIZE, 2, 0), fs_imm(p, 0.5f));

      rho = fs_mul(p, fs_mul(p, rho, half_size), fs_rcp(p, major));
   }
   /* no gradient at all is the first level */
   l->lod = fs_sfu(p, FS_SFU_LG2, fs_max(p, rho, fs_imm(p, 1.0f / 16)));
}

/* The bias for the unit, relative to the level of detail of the step.  A
 * level that the program names is one of the texture; the unit's first one
 * may be another. */
static struct fs_src
bias_of_level(struct fs_lookup *l, bool named)
{
   struct fs_program *p = l->p;
   const struct fs_src first =
      named ? fs_tex_param(l, TEGRA20_PARAM_TEX_FIRST, 1, 0) : fs_zero();

   if (fs_tex_is_first_level(l))
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
   struct fs_lookup l = { .p = p, .unit = tex->texture_index };

   if (tex->op == nir_texop_txs && l.unit < TEGRA20_MAX_SAMPLERS) {
      for (unsigned c = 0; c < tex->def.num_components; c++)
         defs[tex->def.index][c] =
            c < 2 ? fs_tex_param(&l, TEGRA20_PARAM_TEX_SIZE, 2, c)
                  : fs_tex_cells(&l, 0);
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
         fs_tex_param(&l, TEGRA20_PARAM_TEX_LOD_BIAS, 1, 0);
      l.bias = l.bias.kind == FS_SRC_NONE ? unit_bias
                                          : fs_add(p, l.bias, unit_bias);
   }
   if (p->error)
      return;

   const bool single = tex->sampler_dim != GLSL_SAMPLER_DIM_3D &&
                       tex->sampler_dim != GLSL_SAMPLER_DIM_CUBE &&
                       l.lod.kind == FS_SRC_NONE &&
                       l.weight.kind == FS_SRC_NONE;
   for (unsigned c = 0; c < tex->def.num_components; c++) {
      if (l.key->encoding == TEGRA20_TEX_PLAIN &&
          l.key->swizzle[c] <= PIPE_SWIZZLE_W &&
          fs_is_amplified(&tex->def, c, single))
         l.exact |= 1 << l.key->swizzle[c];
   }
   struct fs_src raw[4];
   struct fs_src *dest = defs[tex->def.index];
   if (l.key->encoding == TEGRA20_TEX_FP20) {
      dest[0] = fs_load_value(p, emit_lookup_at(&l, l.coord[0], l.coord[1]));
      for (unsigned c = 1; c < tex->def.num_components; c++)
         dest[c] = fs_zero();
      return;
   }
   if (tex->sampler_dim == GLSL_SAMPLER_DIM_3D)
      fs_tex_3d(&l, raw);
   else if (tex->sampler_dim == GLSL_SAMPLER_DIM_CUBE)
      fs_tex_cube(&l, raw);
   else if (l.key->filter_depth && !l.key->compare)
      lookup_filtered_depth(&l, tex->sampler_dim != GLSL_SAMPLER_DIM_1D, raw);
   else
      fs_tex_results(&l, raw);
   mix_border(&l, raw);
   for (unsigned c = 0; c < tex->def.num_components; c++) {
      const unsigned swizzle = l.key->swizzle[c];
      dest[c] = swizzle <= PIPE_SWIZZLE_W   ? raw[swizzle]
                : swizzle == PIPE_SWIZZLE_1 ? fs_one()
                                            : fs_zero();
   }
}
