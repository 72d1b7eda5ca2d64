/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Texture lookups.  The unit takes normalised coordinates of a 2D texture and
 * knows no projection, no border, no comparison, no cubes and third dimension
 * and, for sizes that are not powers of two, no repetition
 * (fragment-pipeline.md 5, surfaces-and-textures.md 6.3);
 * the rest is arithmetic before and after the lookup.
 */

#include "nir/tegra20_amplified.h"

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
   const unsigned exact = single ? TEGRA20_EXACT_TEXEL : TEGRA20_EXACT_MIXED;
   for (unsigned c = 0; c < tex->def.num_components; c++) {
      if (l.key->encoding == TEGRA20_TEX_PLAIN &&
          l.key->swizzle[c] <= PIPE_SWIZZLE_W &&
          (tex->backend_flags & exact << c))
         l.exact |= 1 << l.key->swizzle[c];
   }
   struct fs_src raw[4];
   struct fs_src *dest = defs[tex->def.index];
   if (l.key->encoding == TEGRA20_TEX_FP20) {
      const unsigned lookup =
         fs_tex_lookup(p, l.unit, l.coord[0], l.coord[1], l.bias);

      dest[0] = fs_load_value(p, &lookup, 1, 0);
      for (unsigned c = 1; c < tex->def.num_components; c++)
         dest[c] = fs_zero();
      return;
   }
   if (tex->sampler_dim == GLSL_SAMPLER_DIM_3D)
      fs_tex_3d(&l, raw);
   else if (tex->sampler_dim == GLSL_SAMPLER_DIM_CUBE)
      fs_tex_cube(&l, raw);
   else if (l.key->filter_depth && !l.key->compare)
      fs_tex_filtered_depth(&l, tex->sampler_dim != GLSL_SAMPLER_DIM_1D, raw);
   else
      fs_tex_results(&l, raw);
   fs_tex_mix_border(&l, raw);
   for (unsigned c = 0; c < tex->def.num_components; c++) {
      const unsigned swizzle = l.key->swizzle[c];
      dest[c] = swizzle <= PIPE_SWIZZLE_W   ? raw[swizzle]
                : swizzle == PIPE_SWIZZLE_1 ? fs_one()
                                            : fs_zero();
   }
}
