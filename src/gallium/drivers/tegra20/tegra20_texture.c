/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Texture descriptors (surfaces-and-textures.md 6).
 *
 * The unit knows neither swizzles, border colours, LOD biases nor a first
 * level: the first three become part of the fragment program, and a view that
 * begins at a later level points there, since the levels of power-of-two
 * textures follow each other without gaps.
 */

#include "tegra20_texture.h"

#include "util/bitset.h"
#include "util/u_inlines.h"
#include "util/u_math.h"

#include "tegra20/gr3d_regs.h"

#include "tegra20_context.h"

static bool
mipmapped(const struct tegra20_sampler_view *view,
          const struct tegra20_sampler *sampler)
{
   return sampler->base.min_mip_filter != PIPE_TEX_MIPFILTER_NONE &&
          view->base.u.tex.last_level > view->base.u.tex.first_level;
}

static bool
filters_linearly(const struct tegra20_sampler *sampler)
{
   return sampler->base.min_img_filter == PIPE_TEX_FILTER_LINEAR ||
          sampler->base.mag_img_filter == PIPE_TEX_FILTER_LINEAR;
}

/* Does a linear filter, or the border colour, reach over the edge of a cell
 * in ways that the program does not emulate? */
static bool
needs_gutters(const struct pipe_sampler_state *s, bool linear)
{
   const unsigned wrap[3] = { s->wrap_s, s->wrap_t, s->wrap_r };

   for (unsigned i = 0; i < 3; i++) {
      if (wrap[i] == PIPE_TEX_WRAP_CLAMP_TO_BORDER ||
          (linear && (wrap[i] == PIPE_TEX_WRAP_REPEAT ||
                      wrap[i] == PIPE_TEX_WRAP_CLAMP)))
         return true;
   }
   return false;
}

/* Of 3D textures.  Where the copy would be too large, there are no mipmaps,
 * or edges are clamped. */
static enum tegra20_shadow_kind
volume_kind(const struct tegra20_sampler_view *view,
            const struct tegra20_sampler *sampler, bool mipmap)
{
   const struct pipe_resource *res = view->base.texture;

   if (mipmap && tegra20_atlas_fits(util_next_power_of_two(res->width0),
                                    util_next_power_of_two(res->height0),
                                    util_next_power_of_two(res->depth0)))
      return TEGRA20_SHADOW_VOLUME;
   if (!mipmap && needs_gutters(&sampler->base, filters_linearly(sampler)) &&
       tegra20_atlas_fits(res->width0 + 2, res->height0 + 2, res->depth0 + 2))
      return TEGRA20_SHADOW_SLICES;
   return TEGRA20_SHADOW_NONE;
}

/* Repetition of other sizes than powers of two is arithmetic in the program;
 * a linear filter needs the texels beyond the edge. */
static bool
has_seams(const struct tegra20_sampler_view *view,
          const struct tegra20_sampler *sampler)
{
   const struct tegra20_resource *res = tegra20_resource(view->base.texture);
   const struct pipe_sampler_state *s = &sampler->base;
   const bool repeats =
      s->wrap_s == PIPE_TEX_WRAP_REPEAT || s->wrap_t == PIPE_TEX_WRAP_REPEAT;

   return repeats && filters_linearly(sampler) && !res->layout.pot &&
          (view->base.target == PIPE_TEXTURE_2D ||
           view->base.target == PIPE_TEXTURE_1D) &&
          MAX2(res->base.width0, res->base.height0) + 2 <=
             TEGRA20_MAX_TEXTURE_SIZE;
}

/*
 * Mipmaps whose coordinates need no arithmetic that is not continuous, which
 * would spoil the level of detail, can be in the corner of a larger texture.
 */
static bool
fits_in_corner(const struct tegra20_sampler_view *view,
               const struct pipe_sampler_state *s)
{
   return view->base.target == PIPE_TEXTURE_2D &&
          s->wrap_s == PIPE_TEX_WRAP_CLAMP_TO_EDGE &&
          s->wrap_t == PIPE_TEX_WRAP_CLAMP_TO_EDGE;
}

static enum tegra20_shadow_kind
shadow_kind(const struct tegra20_sampler_view *view,
            const struct tegra20_sampler *sampler)
{
   bool mipmap = mipmapped(view, sampler);
   enum tegra20_shadow_kind kind =
      tegra20_shadow_kind(tegra20_resource(view->base.texture), mipmap);

   if ((kind == TEGRA20_SHADOW_NONE || kind == TEGRA20_SHADOW_LINEAR) &&
       !mipmap && has_seams(view, sampler))
      return TEGRA20_SHADOW_GUTTERS;
   if (kind == TEGRA20_SHADOW_POT && fits_in_corner(view, &sampler->base))
      return TEGRA20_SHADOW_CORNER;
   if (kind != TEGRA20_SHADOW_NONE)
      return kind;
   if (view->base.target == PIPE_TEXTURE_3D)
      return volume_kind(view, sampler, mipmap);
   return mipmap && sampler->fractional_lod ? TEGRA20_SHADOW_LOD
                                            : TEGRA20_SHADOW_NONE;
}

/* Has the copy other sizes than the texture? */
static bool
is_resampled(const struct tegra20_resource *res,
             enum tegra20_shadow_kind kind)
{
   return kind == TEGRA20_SHADOW_POT ||
          (kind == TEGRA20_SHADOW_VOLUME &&
           !(util_is_power_of_two_nonzero(res->base.width0) &&
             util_is_power_of_two_nonzero(res->base.height0)));
}

/* What the unit reads: the texture or its copy.  tegra20_texture_prepare()
 * made it. */
static struct tegra20_resource *
sampled_resource(const struct tegra20_context *ctx, unsigned unit)
{
   struct tegra20_resource *copy = ctx->sampled[unit];
   return copy ? copy : tegra20_resource(ctx->views[unit]->base.texture);
}

void
tegra20_texture_release(struct tegra20_context *ctx, unsigned unit)
{
   pipe_resource_reference((struct pipe_resource **)&ctx->sampled[unit],
                           NULL);
}

/* The level that is nearest to a level of detail (OpenGL 2.1
 * specification, 3.8.8). */
static unsigned
nearest_level(float lod)
{
   return lod > 0.5f ? (unsigned)ceilf(MIN2(lod, 16.0f) + 0.5f) - 1 : 0;
}

static unsigned
first_level(const struct tegra20_sampler_view *view,
            const struct tegra20_sampler *sampler)
{
   unsigned first = view->base.u.tex.first_level,
            last = view->base.u.tex.last_level;

   /* A lower limit of the level of detail has no register (6.2): begin there.
    */
   if (sampler->base.min_mip_filter != PIPE_TEX_MIPFILTER_NONE)
      first += nearest_level(sampler->base.min_lod);
   return MIN2(first, last);
}

static void
shadow_key(const struct tegra20_sampler_view *view,
           const struct tegra20_sampler *sampler,
           enum tegra20_shadow_kind kind, struct tegra20_shadow_key *key)
{
   const struct pipe_sampler_state *s = &sampler->base;

   memset(key, 0, sizeof(*key));
   key->kind = kind;
   if (kind == TEGRA20_SHADOW_LINEAR || kind == TEGRA20_SHADOW_DEPTH)
      return;
   key->linear = filters_linearly(sampler);
   if (kind == TEGRA20_SHADOW_SLICES || kind == TEGRA20_SHADOW_GUTTERS) {
      key->first_level = first_level(view, sampler);
      key->wrap[0] = s->wrap_s;
      key->wrap[1] = s->wrap_t;
      key->wrap[2] = s->wrap_r;
      memcpy(key->border, s->border_color.f, sizeof(key->border));
   } else if (kind == TEGRA20_SHADOW_LOD) {
      key->first_level = view->base.u.tex.first_level;
      key->last_level = view->base.u.tex.last_level;
      key->min_lod =
         CLAMP(s->min_lod, 0.0f, key->last_level - key->first_level);
      key->max_lod =
         CLAMP(s->max_lod, key->min_lod, key->last_level - key->first_level);
   }
}

bool
tegra20_texture_prepare(struct tegra20_context *ctx,
                        const struct tegra20_shader *fs)
{
   bool copies = false;
   unsigned unit;

   if (fs == ctx->fs_without_copies && !(ctx->dirty & TEGRA20_DIRTY_TEXTURES))
      return true;
   BITSET_FOREACH_SET (unit, fs->nir->info.textures_used,
                       TEGRA20_MAX_SAMPLERS) {
      const struct tegra20_sampler_view *view = ctx->views[unit];
      struct tegra20_resource *copy = NULL;

      if (!view || !ctx->samplers[unit])
         continue;
      enum tegra20_shadow_kind kind = shadow_kind(view, ctx->samplers[unit]);
      if (kind != TEGRA20_SHADOW_NONE) {
         struct tegra20_shadow_key key;

         copies = true;
         shadow_key(view, ctx->samplers[unit], kind, &key);
         copy = tegra20_shadow_get(ctx, tegra20_resource(view->base.texture),
                                   &key);
         if (!copy)
            return false;
      }
      if (copy != ctx->sampled[unit])
         ctx->dirty |= TEGRA20_DIRTY_TEXTURES;
      tegra20_texture_release(ctx, unit);
      ctx->sampled[unit] = copy;
   }
   ctx->fs_without_copies = copies ? NULL : fs;
   return true;
}

static uint8_t
emulated_wrap(unsigned wrap)
{
   switch (wrap) {
   case PIPE_TEX_WRAP_REPEAT:
      return TEGRA20_WRAP_REPEAT;
   case PIPE_TEX_WRAP_MIRROR_REPEAT:
      return TEGRA20_WRAP_MIRROR;
   case PIPE_TEX_WRAP_CLAMP_TO_BORDER:
      return TEGRA20_WRAP_BORDER;
   case PIPE_TEX_WRAP_CLAMP:
      return TEGRA20_WRAP_CLAMP;
   case PIPE_TEX_WRAP_MIRROR_CLAMP:
   case PIPE_TEX_WRAP_MIRROR_CLAMP_TO_EDGE:
   case PIPE_TEX_WRAP_MIRROR_CLAMP_TO_BORDER:
      return TEGRA20_WRAP_MIRROR_CLAMP_TO_EDGE;
   default:
      return TEGRA20_WRAP_NATIVE;
   }
}

static bool
wrap_is_native(unsigned wrap, bool pot)
{
   switch (wrap) {
   case PIPE_TEX_WRAP_CLAMP_TO_EDGE:
      return true;
   case PIPE_TEX_WRAP_REPEAT:
   case PIPE_TEX_WRAP_MIRROR_REPEAT:
      return pot;
   default:
      return false;
   }
}

static enum glsl_sampler_dim
view_dim(enum pipe_texture_target target)
{
   switch (target) {
   case PIPE_TEXTURE_1D:
   case PIPE_TEXTURE_1D_ARRAY:
      return GLSL_SAMPLER_DIM_1D;
   case PIPE_TEXTURE_3D:
      return GLSL_SAMPLER_DIM_3D;
   case PIPE_TEXTURE_CUBE:
   case PIPE_TEXTURE_CUBE_ARRAY:
      return GLSL_SAMPLER_DIM_CUBE;
   case PIPE_TEXTURE_RECT:
      return GLSL_SAMPLER_DIM_RECT;
   default:
      return GLSL_SAMPLER_DIM_2D;
   }
}

/* The view's swizzle of what the format's swizzle makes of the unit's
 * components. */
static uint8_t
compose_swizzle(const struct tegra20_format *format, unsigned swizzle)
{
   return swizzle <= PIPE_SWIZZLE_W && format ? format->swizzle[swizzle]
                                              : swizzle;
}

void
tegra20_texture_key(const struct tegra20_context *ctx, unsigned unit,
                    struct tegra20_fs_tex_key *key)
{
   const struct tegra20_sampler_view *view = ctx->views[unit];
   const struct tegra20_sampler *sampler = ctx->samplers[unit];
   const struct tegra20_resource *res = tegra20_resource(view->base.texture);
   const struct pipe_sampler_state *s = &sampler->base;
   enum tegra20_shadow_kind kind = shadow_kind(view, sampler);
   bool pot = kind == TEGRA20_SHADOW_POT ||
              (kind != TEGRA20_SHADOW_NONE &&
               util_is_power_of_two_nonzero(res->base.width0) &&
               util_is_power_of_two_nonzero(res->base.height0)) ||
              (kind == TEGRA20_SHADOW_NONE && res->layout.pot);

   key->target = view_dim(view->base.target);
   /* cells of an atlas cannot wrap in the unit */
   if (key->target == GLSL_SAMPLER_DIM_3D || kind == TEGRA20_SHADOW_GUTTERS ||
       kind == TEGRA20_SHADOW_CORNER)
      pot = false;
   if (kind == TEGRA20_SHADOW_DEPTH) {
      key->encoding = TEGRA20_TEX_DEPTH16;
      key->filter_depth = s->mag_img_filter == PIPE_TEX_FILTER_LINEAR &&
                          !mipmapped(view, sampler) &&
                          s->compare_mode == PIPE_TEX_COMPARE_NONE;
   } else if (view->format->srgb)
      key->encoding = TEGRA20_TEX_SRGB;
   key->wrap_s = wrap_is_native(s->wrap_s, pot) ? TEGRA20_WRAP_NATIVE
                                                : emulated_wrap(s->wrap_s);
   key->wrap_t = wrap_is_native(s->wrap_t, pot) ? TEGRA20_WRAP_NATIVE
                                                : emulated_wrap(s->wrap_t);
   key->wrap_r = key->target == GLSL_SAMPLER_DIM_3D ? emulated_wrap(s->wrap_r)
                                                    : TEGRA20_WRAP_NATIVE;
   key->swizzle[0] = compose_swizzle(view->format, view->base.swizzle_r);
   key->swizzle[1] = compose_swizzle(view->format, view->base.swizzle_g);
   key->swizzle[2] = compose_swizzle(view->format, view->base.swizzle_b);
   key->swizzle[3] = compose_swizzle(view->format, view->base.swizzle_a);
   /* only what is emulated needs to know */
   bool emulated = key->wrap_s >= TEGRA20_WRAP_BORDER ||
                   key->wrap_t >= TEGRA20_WRAP_BORDER ||
                   key->wrap_r >= TEGRA20_WRAP_BORDER ||
                   key->target == GLSL_SAMPLER_DIM_3D ||
                   key->target == GLSL_SAMPLER_DIM_CUBE;
   key->linear = emulated && filters_linearly(sampler);
   key->mipmap =
      (key->target == GLSL_SAMPLER_DIM_CUBE && mipmapped(view, sampler)) ||
      kind == TEGRA20_SHADOW_VOLUME;
   key->gutters =
      kind == TEGRA20_SHADOW_SLICES || kind == TEGRA20_SHADOW_GUTTERS;
   key->corner = kind == TEGRA20_SHADOW_CORNER;
   key->one_column = key->target == GLSL_SAMPLER_DIM_3D &&
                     sampled_resource(ctx, unit)->layout.columns == 1;
   key->bias = s->lod_bias != 0.0f || is_resampled(res, kind);
   if (s->compare_mode == PIPE_TEX_COMPARE_R_TO_TEXTURE) {
      key->compare = true;
      key->compare_func = s->compare_func;
   }
}

static uint32_t
wrap_bits(unsigned wrap, bool pot, uint32_t clamp, uint32_t mirror)
{
   if (!wrap_is_native(wrap, pot) || wrap == PIPE_TEX_WRAP_CLAMP_TO_EDGE)
      return clamp;
   return wrap == PIPE_TEX_WRAP_MIRROR_REPEAT ? mirror : 0;
}

/* Number of the first level, in what the unit reads. */
static unsigned
view_level(const struct tegra20_sampler_view *view,
           const struct tegra20_sampler *sampler,
           enum tegra20_shadow_kind kind)
{
   return kind == TEGRA20_SHADOW_SLICES || kind == TEGRA20_SHADOW_GUTTERS ||
                kind == TEGRA20_SHADOW_LOD
             ? 0
             : first_level(view, sampler);
}

void
tegra20_texture_desc(const struct tegra20_context *ctx, unsigned unit,
                     struct tegra20_texture_desc *desc)
{
   const struct tegra20_sampler_view *view = ctx->views[unit];
   const struct tegra20_sampler *sampler = ctx->samplers[unit];
   struct tegra20_resource *res = sampled_resource(ctx, unit);
   const struct tegra20_format *format = tegra20_format_info(res->storage);
   const struct pipe_sampler_state *s = &sampler->base;
   bool pot = res->layout.pot,
        atlas = res->layout.columns * res->layout.rows > 1;
   enum tegra20_shadow_kind kind = shadow_kind(view, sampler);
   unsigned first = view_level(view, sampler, kind);
   unsigned width = u_minify(res->base.width0, first) * res->layout.columns;
   unsigned height = u_minify(res->base.height0, first) * res->layout.rows;
   /* depth in two bytes cannot be filtered here */
   uint32_t filters =
      tegra20_format_is_zs(view->base.format) ? 0 : sampler->filters;
   first = MIN2(first, res->base.last_level);

   desc->resource = res;
   desc->offset = tegra20_resource_offset(res, first, 0);
   desc->desc1 = filters | GR3D_TEXTURE_DESC1_FORMAT(format->hw) |
                 GR3D_TEXTURE_DESC1_COMPRESSED(format->compressed) |
                 wrap_bits(s->wrap_s, pot && !atlas,
                           GR3D_TEXTURE_DESC1_WRAP_S_CLAMP_TO_EDGE(1),
                           GR3D_TEXTURE_DESC1_WRAP_S_MIRRORED_REPEAT(1)) |
                 wrap_bits(s->wrap_t, pot && !atlas,
                           GR3D_TEXTURE_DESC1_WRAP_T_CLAMP_TO_EDGE(1),
                           GR3D_TEXTURE_DESC1_WRAP_T_MIRRORED_REPEAT(1));

   if (pot) {
      bool limited = kind == TEGRA20_SHADOW_LOD; /* the copy has just the
                                                    levels that may be used */
      unsigned last =
         (limited ? res->base.last_level
                  : MIN2(view->base.u.tex.last_level, res->base.last_level)) -
         first;
      bool mipmap = s->min_mip_filter != PIPE_TEX_MIPFILTER_NONE &&
                    last > 0 && res->base.target != PIPE_TEXTURE_3D;

      if (mipmap && !limited)
         last =
            MIN2(last, nearest_level(s->max_lod -
                                     (first - view->base.u.tex.first_level)));
      desc->desc2 = GR3D_TEXTURE_DESC2_WIDTH_LOG2(util_logbase2(width)) |
                    GR3D_TEXTURE_DESC2_HEIGHT_LOG2(util_logbase2(height)) |
                    GR3D_TEXTURE_DESC2_MAX_LOD(mipmap ? last : 0) |
                    GR3D_TEXTURE_DESC2_MIPMAP_DISABLE(!mipmap);
   } else {
      desc->desc1 &= ~GR3D_TEXTURE_DESC1_MINFILTER_LINEAR_BETWEEN(1);
      desc->desc2 = GR3D_TEXTURE_DESC2_NOT_POW2_DIMENSIONS(1) |
                    GR3D_TEXTURE_DESC2_MIPMAP_DISABLE(1) |
                    GR3D_TEXTURE_DESC2_WIDTH(width) |
                    GR3D_TEXTURE_DESC2_HEIGHT(height);
   }
}

void
tegra20_texture_params(const struct tegra20_context *ctx, unsigned unit,
                       float *params)
{
   const struct tegra20_sampler_view *view = ctx->views[unit];
   const struct tegra20_sampler *sampler = ctx->samplers[unit];

   if (!view || !sampler)
      return;
   unsigned first = first_level(view, sampler);
   float width = u_minify(view->base.texture->width0, first),
         height = u_minify(view->base.texture->height0, first);

   params[TEGRA20_PARAM_TEX_SIZE + 2 * unit] = width;
   params[TEGRA20_PARAM_TEX_SIZE + 2 * unit + 1] = height;
   params[TEGRA20_PARAM_TEX_RCP_SIZE + 2 * unit] = 1 / width;
   params[TEGRA20_PARAM_TEX_RCP_SIZE + 2 * unit + 1] = 1 / height;
   params[TEGRA20_PARAM_TEX_LOD_BIAS + unit] = sampler->base.lod_bias;
   enum tegra20_shadow_kind kind = shadow_kind(view, sampler);
   if (is_resampled(tegra20_resource(view->base.texture), kind)) {
      /* the unit sees a larger texture, whose levels are those of the
       * original */
      const struct pipe_resource *copy = &sampled_resource(ctx, unit)->base;
      float area =
         (float)copy->width0 * copy->height0 /
         ((float)view->base.texture->width0 * view->base.texture->height0);
      params[TEGRA20_PARAM_TEX_LOD_BIAS + unit] -= 0.5f * log2f(area);
   }

   const struct tegra20_resource *res = sampled_resource(ctx, unit);
   unsigned slices = kind == TEGRA20_SHADOW_VOLUME
                        ? res->base.array_size
                        : u_minify(view->base.texture->depth0, first);
   params[TEGRA20_PARAM_TEX_GUTTER + 2 * unit] = 1 / (width + 2);
   params[TEGRA20_PARAM_TEX_GUTTER + 2 * unit + 1] = 1 / (height + 2);
   if (kind == TEGRA20_SHADOW_CORNER) {
      params[TEGRA20_PARAM_TEX_CORNER + 2 * unit] =
         (float)view->base.texture->width0 / res->base.width0;
      params[TEGRA20_PARAM_TEX_CORNER + 2 * unit + 1] =
         (float)view->base.texture->height0 / res->base.height0;
   }
   params[TEGRA20_PARAM_TEX_CELLS + 4 * unit] = slices;
   params[TEGRA20_PARAM_TEX_CELLS + 4 * unit + 1] = res->layout.columns;
   params[TEGRA20_PARAM_TEX_CELLS + 4 * unit + 2] =
      1.0f / res->layout.columns;
   params[TEGRA20_PARAM_TEX_CELLS + 4 * unit + 3] = 1.0f / res->layout.rows;
   /* the program mixes it with what the unit delivers, before the format's
    * swizzle */
   for (int c = 3; c >= 0; c--) {
      unsigned component = view->format ? view->format->swizzle[c] : c;
      if (component <= PIPE_SWIZZLE_W)
         params[TEGRA20_PARAM_TEX_BORDER + 4 * unit + component] =
            sampler->base.border_color.f[c];
   }
}
