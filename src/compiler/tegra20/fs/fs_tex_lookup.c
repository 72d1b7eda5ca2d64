/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Lookups of the unit, and what becomes of their results.
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
 * 128 on, which rounding to fx10 takes off a value that is slightly less. The
 * factors are right for every byte, whether or not the ALU rounds the product
 * or the sum to fp20 first (A47).  Products of n / 255 with constants are
 * computed from n / 256 (fs_ir.c), so that n / 255 * 255 is n.
 */
static struct fs_src
exact_texel(struct fs_program *p, struct fs_src raw)
{
   const struct fs_src n =
      fs_mad(p, raw, fs_imm(p, 16289.0f / 16384), fs_imm(p, 61.0f / 65536));

   p->nodes[n.index].rounds = true;
   p->nodes[n.index].format = FS_FX10;
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

void
fs_tex_mix_border(struct fs_lookup *l, struct fs_src raw[4])
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
void
fs_tex_filtered_depth(struct fs_lookup *l, bool two_dimensions,
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
