/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * State of the texture units (surfaces-and-textures.md 6).
 *
 * The unit knows neither swizzles, border colours, LOD biases nor a first
 * level: the first three become part of the fragment program, and a view that
 * begins at a later level points there, since the levels of power-of-two
 * textures follow each other without gaps.
 *
 * A view and a sampler make a struct tegra20_texture: which copy stands for
 * the texture, the program key, the registers, the parameters.  It is
 * computed once, when a program first uses a unit that both are bound to.
 */

#include "tegra20_texture.h"

#include "util/bitset.h"
#include "util/u_inlines.h"
#include "util/u_math.h"
#include "util/u_sampler.h"

#include "tegra20/gr3d_regs.h"
#include "tegra20/tegra20_hw.h"

#include "tegra20_context.h"
#include "tegra20_program.h"
#include "tegra20_resource.h"

static bool
tegra20_texture_mipmapped(const struct tegra20_sampler_view *view,
                          const struct tegra20_sampler *sampler)
{
   return sampler->base.min_mip_filter != PIPE_TEX_MIPFILTER_NONE &&
          view->base.u.tex.last_level > view->base.u.tex.first_level;
}

static bool
tegra20_texture_filters_linearly(const struct tegra20_sampler *sampler)
{
   return sampler->base.min_img_filter == PIPE_TEX_FILTER_LINEAR ||
          sampler->base.mag_img_filter == PIPE_TEX_FILTER_LINEAR;
}

/* Does a linear filter, or the border colour, reach over the edge of a cell
 * in ways that the program does not emulate? */
static bool
tegra20_texture_needs_border_texels(const struct pipe_sampler_state *s,
                                    bool linear)
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
static enum tegra20_sampler_copy_kind
tegra20_texture_volume_copy_kind(const struct tegra20_sampler_view *view,
                                 const struct tegra20_sampler *sampler,
                                 bool mipmap)
{
   const struct pipe_resource *res = view->base.texture;

   if (mipmap && tegra20_atlas_fits(util_next_power_of_two(res->width0),
                                    util_next_power_of_two(res->height0),
                                    util_next_power_of_two(res->depth0)))
      return TEGRA20_COPY_VOLUME;
   if (!mipmap &&
       tegra20_texture_needs_border_texels(
          &sampler->base, tegra20_texture_filters_linearly(sampler)) &&
       tegra20_atlas_fits(res->width0 + 2, res->height0 + 2, res->depth0 + 2))
      return TEGRA20_COPY_BORDER_3D;
   return TEGRA20_COPY_NONE;
}

/* Repetition of other sizes than powers of two is arithmetic in the program;
 * a linear filter needs the texels beyond the edge.  kind: the copy that the
 * texture has otherwise. */
static bool
tegra20_texture_wants_border_2d(const struct tegra20_sampler_view *view,
                                const struct tegra20_sampler *sampler,
                                enum tegra20_sampler_copy_kind kind)
{
   const struct tegra20_resource *res = tegra20_resource(view->base.texture);
   const struct pipe_sampler_state *s = &sampler->base;
   const bool repeats =
      s->wrap_s == PIPE_TEX_WRAP_REPEAT || s->wrap_t == PIPE_TEX_WRAP_REPEAT;

   /* rather than resampled texels */
   const bool exact = kind == TEGRA20_COPY_RESAMPLED;
   return (exact || (repeats && (kind == TEGRA20_COPY_NONE ||
                                 kind == TEGRA20_COPY_LINEAR))) &&
          tegra20_texture_filters_linearly(sampler) && !res->layout.pot &&
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
tegra20_texture_can_be_padded(const struct tegra20_sampler_view *view,
                              const struct pipe_sampler_state *s)
{
   return view->base.target == PIPE_TEXTURE_CUBE ||
          (view->base.target == PIPE_TEXTURE_2D &&
           s->wrap_s == PIPE_TEX_WRAP_CLAMP_TO_EDGE &&
           s->wrap_t == PIPE_TEX_WRAP_CLAMP_TO_EDGE);
}

static enum tegra20_sampler_copy_kind
tegra20_texture_copy_kind(const struct tegra20_sampler_view *view,
                          const struct tegra20_sampler *sampler)
{
   bool mipmap = tegra20_texture_mipmapped(view, sampler);
   /* A58: a chip that takes the nearest texel gets a copy whose sizes are
    * powers of two */
   bool copy = TEGRA20_HW_IS(NPOT_FILTER, NEAREST) &&
               tegra20_texture_filters_linearly(sampler);
   enum tegra20_sampler_copy_kind kind = tegra20_resource_copy_kind(
      tegra20_resource(view->base.texture), mipmap || copy);

   if (kind == TEGRA20_COPY_RESAMPLED &&
       tegra20_texture_can_be_padded(view, &sampler->base))
      return TEGRA20_COPY_PADDED;
   if (!mipmap && tegra20_texture_wants_border_2d(view, sampler, kind))
      return TEGRA20_COPY_BORDER_2D;
   if (kind != TEGRA20_COPY_NONE)
      return kind;
   if (view->base.target == PIPE_TEXTURE_3D)
      return tegra20_texture_volume_copy_kind(view, sampler, mipmap);
   return mipmap && sampler->fractional_lod ? TEGRA20_COPY_LOD
                                            : TEGRA20_COPY_NONE;
}

/* The level that is nearest to a level of detail (OpenGL 2.1
 * specification, 3.8.8). */
static unsigned
tegra20_texture_nearest_level(float lod)
{
   return lod > 0.5f ? (unsigned)ceilf(MIN2(lod, 16.0f) + 0.5f) - 1 : 0;
}

static unsigned
tegra20_texture_first_level(const struct tegra20_sampler_view *view,
                            const struct tegra20_sampler *sampler)
{
   unsigned first = view->base.u.tex.first_level,
            last = view->base.u.tex.last_level;

   /* A lower limit of the level of detail has no register (6.2): begin there.
    */
   if (sampler->base.min_mip_filter != PIPE_TEX_MIPFILTER_NONE)
      first += tegra20_texture_nearest_level(sampler->base.min_lod);
   return MIN2(first, last);
}

/* Which copy the unit samples. */
static void
tegra20_texture_copy_key(const struct tegra20_sampler_view *view,
                         const struct tegra20_sampler *sampler,
                         struct tegra20_sampler_copy_key *key)
{
   const struct pipe_sampler_state *s = &sampler->base;

   memset(key, 0, sizeof(*key));
   key->kind = tegra20_texture_copy_kind(view, sampler);
   if (key->kind == TEGRA20_COPY_NONE || key->kind == TEGRA20_COPY_LINEAR ||
       key->kind == TEGRA20_COPY_DEPTH)
      return;
   key->linear = tegra20_texture_filters_linearly(sampler);
   if (key->kind == TEGRA20_COPY_PADDED) {
      key->doubled = s->min_img_filter == PIPE_TEX_FILTER_LINEAR &&
                     s->mag_img_filter == PIPE_TEX_FILTER_LINEAR &&
                     tegra20_texture_mipmapped(view, sampler) &&
                     tegra20_sampler_copy_can_be_doubled(view->base.texture);
   } else if (key->kind == TEGRA20_COPY_BORDER_3D ||
              key->kind == TEGRA20_COPY_BORDER_2D) {
      key->first_level = tegra20_texture_first_level(view, sampler);
      key->wrap[0] = s->wrap_s;
      key->wrap[1] = s->wrap_t;
      key->wrap[2] = s->wrap_r;
      memcpy(key->border, s->border_color.f, sizeof(key->border));
   } else if (key->kind == TEGRA20_COPY_LOD) {
      key->first_level = view->base.u.tex.first_level;
      key->last_level = view->base.u.tex.last_level;
      key->min_lod =
         CLAMP(s->min_lod, 0.0f, key->last_level - key->first_level);
      key->max_lod =
         CLAMP(s->max_lod, key->min_lod, key->last_level - key->first_level);
   }
}

static uint8_t
tegra20_texture_emulated_wrap(unsigned wrap)
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
tegra20_texture_wrap_is_native(unsigned wrap, bool pot)
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
tegra20_texture_view_dim(enum pipe_texture_target target)
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

/* The view's swizzle after the format's swizzle of the unit's components. */
static uint8_t
tegra20_texture_compose_swizzle(const struct tegra20_format *format,
                                unsigned swizzle)
{
   return swizzle <= PIPE_SWIZZLE_W && format ? format->swizzle[swizzle]
                                              : swizzle;
}

/* Can the unit wrap the coordinates itself? */
static bool
tegra20_texture_wraps_natively(const struct tegra20_texture *t,
                               const struct tegra20_sampler_view *view)
{
   const struct tegra20_resource *res = tegra20_resource(view->base.texture);

   /* layers of an atlas cannot wrap in the unit */
   if (t->key.target == GLSL_SAMPLER_DIM_3D)
      return false;
   switch (t->copy_key.kind) {
   case TEGRA20_COPY_NONE:
      return res->layout.pot;
   case TEGRA20_COPY_RESAMPLED:
      return true;
   case TEGRA20_COPY_BORDER_2D:
   case TEGRA20_COPY_PADDED:
      return false;
   default:
      return util_is_power_of_two_nonzero(res->base.width0) &&
             util_is_power_of_two_nonzero(res->base.height0);
   }
}

/* How many times as large as the texture the copy is, the mean of both axes;
 * cubes: 1, their levels do not depend on the copy's size. */
static float
tegra20_texture_copy_scale(const struct tegra20_texture *t,
                           const struct pipe_resource *texture)
{
   const struct pipe_resource *sampled = &t->resource->base;

   if (texture->target == PIPE_TEXTURE_CUBE ||
       (t->copy_key.kind != TEGRA20_COPY_RESAMPLED &&
        t->copy_key.kind != TEGRA20_COPY_PADDED &&
        t->copy_key.kind != TEGRA20_COPY_VOLUME))
      return 1;
   if (t->copy_key.kind == TEGRA20_COPY_PADDED)
      return t->copy_key.doubled ? 2 : 1;
   return sqrtf((float)sampled->width0 * sampled->height0 /
                ((float)texture->width0 * texture->height0));
}

/* State of the unit that changes the fragment program. */
static void
tegra20_texture_describe_key(struct tegra20_texture *t,
                             const struct tegra20_sampler_view *view,
                             const struct tegra20_sampler *sampler)
{
   const struct pipe_sampler_state *s = &sampler->base;
   const enum tegra20_sampler_copy_kind kind = t->copy_key.kind;
   struct tegra20_fs_tex_key *key = &t->key;

   memset(key, 0, sizeof(*key));
   key->target = tegra20_texture_view_dim(view->base.target);
   const bool pot = tegra20_texture_wraps_natively(t, view);
   if (kind == TEGRA20_COPY_DEPTH) {
      key->encoding = TEGRA20_TEX_DEPTH16;
      key->filter_depth = s->mag_img_filter == PIPE_TEX_FILTER_LINEAR &&
                          !tegra20_texture_mipmapped(view, sampler) &&
                          s->compare_mode == PIPE_TEX_COMPARE_NONE;
   } else if (view->format->srgb)
      key->encoding = TEGRA20_TEX_SRGB;
   key->wrap_s = tegra20_texture_wrap_is_native(s->wrap_s, pot)
                    ? TEGRA20_WRAP_NATIVE
                    : tegra20_texture_emulated_wrap(s->wrap_s);
   key->wrap_t = tegra20_texture_wrap_is_native(s->wrap_t, pot)
                    ? TEGRA20_WRAP_NATIVE
                    : tegra20_texture_emulated_wrap(s->wrap_t);
   key->wrap_r = key->target == GLSL_SAMPLER_DIM_3D
                    ? tegra20_texture_emulated_wrap(s->wrap_r)
                    : TEGRA20_WRAP_NATIVE;
   key->swizzle[0] =
      tegra20_texture_compose_swizzle(view->format, view->base.swizzle_r);
   key->swizzle[1] =
      tegra20_texture_compose_swizzle(view->format, view->base.swizzle_g);
   key->swizzle[2] =
      tegra20_texture_compose_swizzle(view->format, view->base.swizzle_b);
   key->swizzle[3] =
      tegra20_texture_compose_swizzle(view->format, view->base.swizzle_a);
   /* only emulation depends on it */
   bool emulated = key->wrap_s >= TEGRA20_WRAP_BORDER ||
                   key->wrap_t >= TEGRA20_WRAP_BORDER ||
                   key->wrap_r >= TEGRA20_WRAP_BORDER ||
                   key->target == GLSL_SAMPLER_DIM_3D ||
                   key->target == GLSL_SAMPLER_DIM_CUBE;
   key->linear = emulated && tegra20_texture_filters_linearly(sampler);
   key->mipmap = (key->target == GLSL_SAMPLER_DIM_CUBE &&
                  tegra20_texture_mipmapped(view, sampler)) ||
                 kind == TEGRA20_COPY_VOLUME;
   key->mix_levels = key->mipmap && key->target == GLSL_SAMPLER_DIM_CUBE &&
                     s->min_mip_filter == PIPE_TEX_MIPFILTER_LINEAR;
   key->two_filters = key->target == GLSL_SAMPLER_DIM_CUBE &&
                      s->min_img_filter != s->mag_img_filter;
   key->gutters =
      kind == TEGRA20_COPY_BORDER_3D || kind == TEGRA20_COPY_BORDER_2D;
   key->corner =
      kind == TEGRA20_COPY_PADDED ||
      (kind == TEGRA20_COPY_BORDER_2D && TEGRA20_HW_IS(NPOT_FILTER, NEAREST));
   key->one_column =
      key->target == GLSL_SAMPLER_DIM_3D && t->resource->layout.columns == 1;
   key->bias = s->lod_bias != 0.0f ||
               tegra20_texture_copy_scale(t, view->base.texture) != 1;
   if (s->compare_mode == PIPE_TEX_COMPARE_R_TO_TEXTURE) {
      key->compare = true;
      key->compare_func = s->compare_func;
   }
}

static uint32_t
tegra20_texture_wrap_bits(unsigned wrap, bool pot, uint32_t clamp,
                          uint32_t mirror)
{
   if (!tegra20_texture_wrap_is_native(wrap, pot) ||
       wrap == PIPE_TEX_WRAP_CLAMP_TO_EDGE)
      return clamp;
   return wrap == PIPE_TEX_WRAP_MIRROR_REPEAT ? mirror : 0;
}

/* Registers. */
static void
tegra20_texture_describe_registers(struct tegra20_texture *t,
                                   const struct tegra20_sampler_view *view,
                                   const struct tegra20_sampler *sampler)
{
   const struct tegra20_resource *res = t->resource;
   const struct tegra20_format *format = tegra20_format_info(res->storage);
   const struct pipe_sampler_state *s = &sampler->base;
   const enum tegra20_sampler_copy_kind kind = t->copy_key.kind;
   bool pot = res->layout.pot,
        atlas = res->layout.columns * res->layout.rows > 1;
   /* these copies begin with the view's first level */
   unsigned first = kind == TEGRA20_COPY_BORDER_3D ||
                          kind == TEGRA20_COPY_BORDER_2D ||
                          kind == TEGRA20_COPY_LOD
                       ? 0
                       : t->first_level;
   unsigned width = u_minify(res->base.width0, first) * res->layout.columns;
   unsigned height = u_minify(res->base.height0, first) * res->layout.rows;
   /* depth in two bytes cannot be filtered here */
   uint32_t filters =
      tegra20_format_is_zs(view->base.format) ? 0 : sampler->filters;
   t->step = exp2f(TEGRA20_LOD_OF_STEP) / width;
   t->first = first ? first - view->base.u.tex.first_level : 0;
   first = MIN2(first, res->base.last_level);

   t->offset = tegra20_resource_offset(res, first, 0);
   t->desc1 =
      filters | GR3D_TEXTURE_DESC1_FORMAT(format->hw) |
      GR3D_TEXTURE_DESC1_COMPRESSED(format->compressed) |
      tegra20_texture_wrap_bits(
         s->wrap_s, pot && !atlas, GR3D_TEXTURE_DESC1_WRAP_S_CLAMP_TO_EDGE(1),
         GR3D_TEXTURE_DESC1_WRAP_S_MIRRORED_REPEAT(1)) |
      tegra20_texture_wrap_bits(s->wrap_t, pot && !atlas,
                                GR3D_TEXTURE_DESC1_WRAP_T_CLAMP_TO_EDGE(1),
                                GR3D_TEXTURE_DESC1_WRAP_T_MIRRORED_REPEAT(1));

   if (pot) {
      bool limited = kind == TEGRA20_COPY_LOD; /* the copy has just the
                                                    levels that may be used */
      unsigned last =
         (limited ? res->base.last_level
                  : MIN2(view->base.u.tex.last_level, res->base.last_level)) -
         first;
      bool mipmap = s->min_mip_filter != PIPE_TEX_MIPFILTER_NONE &&
                    last > 0 && res->base.target != PIPE_TEXTURE_3D;

      if (mipmap && !limited)
         last = MIN2(last,
                     tegra20_texture_nearest_level(
                        s->max_lod - (first - view->base.u.tex.first_level)));
      t->last = mipmap ? last : 0;
      t->desc2 = GR3D_TEXTURE_DESC2_WIDTH_LOG2(util_logbase2(width)) |
                 GR3D_TEXTURE_DESC2_HEIGHT_LOG2(util_logbase2(height)) |
                 GR3D_TEXTURE_DESC2_MAX_LOD(mipmap ? last : 0) |
                 GR3D_TEXTURE_DESC2_MIPMAP_DISABLE(
                    !mipmap || TEGRA20_HW_IS(MIPMAP_BIT, NORMALISED));
   } else {
      t->last = 0;
      t->desc1 &= ~GR3D_TEXTURE_DESC1_MINFILTER_LINEAR_BETWEEN(1);
      t->desc2 = GR3D_TEXTURE_DESC2_NOT_POW2_DIMENSIONS(1) |
                 GR3D_TEXTURE_DESC2_MIPMAP_DISABLE(1) |
                 GR3D_TEXTURE_DESC2_WIDTH(width) |
                 GR3D_TEXTURE_DESC2_HEIGHT(height);
   }
}

/* Parameters of the program. */
static void
tegra20_texture_describe_params(struct tegra20_texture *t,
                                const struct tegra20_sampler_view *view,
                                const struct tegra20_sampler *sampler)
{
   const struct pipe_resource *texture = view->base.texture;
   const struct pipe_resource *sampled = &t->resource->base;
   const struct tegra20_layout *layout = &t->resource->layout;
   const enum tegra20_sampler_copy_kind kind = t->copy_key.kind;
   const float width = u_minify(texture->width0, t->first_level),
               height = u_minify(texture->height0, t->first_level);

   t->size[0] = width;
   t->size[1] = height;
   /* The edges of faces are no numbers of 14 bits where sizes are no powers
    * of two: a step further from the texels beyond. */
   const float edge =
      t->key.target == GLSL_SAMPLER_DIM_CUBE && !t->resource->layout.pot
         ? 1 + 0x1p-13f * layout->columns * width
         : 1;

   t->rcp_size[0] = edge / width;
   t->rcp_size[1] = edge / height;
   /* the unit's levels are those of the original */
   const float scale = tegra20_texture_copy_scale(t, texture);

   t->lod_bias = sampler->base.lod_bias - log2f(scale);
   t->step *= scale;
   if (t->key.corner && t->key.target == GLSL_SAMPLER_DIM_CUBE) {
      t->part[0] = t->part[1] =
         1.0f / u_minify(sampled->width0, t->first_level);
   } else if (t->key.corner) {
      /* a padded copy has all levels, each half of the one before */
      const unsigned level = kind == TEGRA20_COPY_PADDED ? 0 : t->first_level;
      const float times = t->copy_key.doubled ? 2 : 1;

      t->part[0] = times * u_minify(texture->width0, level) / sampled->width0;
      t->part[1] =
         times * u_minify(texture->height0, level) / sampled->height0;
   } else {
      t->part[0] = 1 / (width + 2);
      t->part[1] = 1 / (height + 2);
   }
   t->depth = u_minify(texture->depth0, t->first_level);
   t->layers[0] =
      kind == TEGRA20_COPY_VOLUME ? sampled->array_size : t->depth;
   t->layers[1] = layout->columns;
   t->layers[2] = 1.0f / layout->columns;
   t->layers[3] = 1.0f / layout->rows;
   if (t->key.corner) {
      t->layers[0] = t->copy_key.doubled ? 0.5f / sampled->width0 : 0;
      t->layers[1] = t->copy_key.doubled ? 0.5f / sampled->height0 : 0;
   }
   /* the program mixes it with the unit's result, before the format's
    * swizzle */
   memset(t->border, 0, sizeof(t->border));
   for (int c = 3; c >= 0; c--) {
      unsigned component = view->format ? view->format->swizzle[c] : c;
      if (component <= PIPE_SWIZZLE_W)
         t->border[component] = sampler->base.border_color.f[c];
   }
}

static void
tegra20_texture_release_copy(struct tegra20_texture *t)
{
   pipe_resource_reference((struct pipe_resource **)&t->copy, NULL);
}

void
tegra20_texture_changed(struct tegra20_context *ctx, unsigned unit)
{
   struct tegra20_texture *t = &ctx->textures[unit];

   tegra20_texture_release_copy(t);
   t->resource = NULL;
   ctx->dirty |= TEGRA20_DIRTY_TEXTURES;
}

static void
tegra20_texture_describe(struct tegra20_texture *t,
                         struct tegra20_resource *resource,
                         const struct tegra20_sampler_view *view,
                         const struct tegra20_sampler *sampler)
{
   t->resource = resource;
   tegra20_texture_describe_key(t, view, sampler);
   tegra20_texture_describe_registers(t, view, sampler);
   tegra20_texture_describe_params(t, view, sampler);
}

/* The view keeps textures that are sampled directly. */
static void
tegra20_texture_remember(const struct tegra20_texture *t,
                         struct tegra20_sampler_view *view,
                         const struct tegra20_sampler *sampler)
{
   struct tegra20_known_texture *known = &view->known[view->next_known];

   view->next_known = (view->next_known + 1) % TEGRA20_KNOWN_TEXTURES;
   known->sampler = sampler->base;
   known->texture = *t;
}

static bool
tegra20_texture_recall(struct tegra20_texture *t,
                       const struct tegra20_sampler_view *view,
                       const struct tegra20_sampler *sampler)
{
   for (unsigned i = 0; i < TEGRA20_KNOWN_TEXTURES; i++) {
      const struct tegra20_known_texture *known = &view->known[i];

      if (known->texture.resource && memcmp(&known->sampler, &sampler->base,
                                            sizeof(known->sampler)) == 0) {
         *t = known->texture;
         return true;
      }
   }
   return false;
}

/* Brings one unit, whose key may be that of an older view, up to date. */
static bool
tegra20_texture_compute(struct tegra20_context *ctx,
                        struct tegra20_texture *t,
                        struct tegra20_sampler_view *view,
                        const struct tegra20_sampler *sampler)
{
   struct tegra20_resource *resource = tegra20_resource(view->base.texture);

   if (!t->resource) {
      if (tegra20_texture_recall(t, view, sampler))
         return true;
      tegra20_texture_copy_key(view, sampler, &t->copy_key);
      t->first_level = tegra20_texture_first_level(view, sampler);
   }
   if (t->copy_key.kind != TEGRA20_COPY_NONE) {
      struct tegra20_resource *copy =
         tegra20_sampler_copy_get(ctx, resource, &t->copy_key);

      if (!copy)
         return false;
      tegra20_texture_release_copy(t);
      t->copy = resource = copy;
   }
   if (t->resource != resource) {
      tegra20_texture_describe(t, resource, view, sampler);
      ctx->dirty |= TEGRA20_DIRTY_TEXTURES;
      if (!t->copy)
         tegra20_texture_remember(t, view, sampler);
   }
   return true;
}

/* Without a view, which is missing when memory ran out, or a sampler: the
 * substitute for missing textures. */
static bool
tegra20_texture_update_unit(struct tegra20_context *ctx, unsigned unit)
{
   struct tegra20_texture *t = &ctx->textures[unit];
   const struct tegra20_fs_tex_key key = t->key;
   const bool bound = ctx->views[unit] && ctx->samplers[unit];

   if (!tegra20_texture_compute(
          ctx, t, bound ? ctx->views[unit] : ctx->missing_view,
          bound ? ctx->samplers[unit] : ctx->missing_sampler))
      return false;
   if (memcmp(&key, &t->key, sizeof(key)) != 0)
      ctx->dirty |= TEGRA20_DIRTY_TEXTURE_KEYS;
   return true;
}

/* The texture that tells programs the level of detail, see
 * TEGRA20_RAMP_LEVELS. */
static bool
tegra20_texture_make_ramp(struct tegra20_context *ctx)
{
   struct pipe_context *pctx = &ctx->base;
   const struct pipe_resource templ = {
      .target = PIPE_TEXTURE_2D,
      .format = PIPE_FORMAT_R8G8B8A8_UNORM,
      .width0 = 1 << (TEGRA20_RAMP_LEVELS - 1),
      .height0 = 1,
      .depth0 = 1,
      .array_size = 1,
      .last_level = TEGRA20_RAMP_LEVELS - 1,
      .bind = PIPE_BIND_SAMPLER_VIEW,
   };
   uint8_t texels[1 << (TEGRA20_RAMP_LEVELS - 1)][4];
   struct pipe_resource *ramp =
      pctx->screen->resource_create(pctx->screen, &templ);

   for (int level = 0; ramp && level < TEGRA20_RAMP_LEVELS; level++) {
      const struct pipe_box box = { .width = templ.width0 >> level,
                                    .height = 1,
                                    .depth = 1 };

      for (int i = 0; i < box.width; i++) {
         texels[i][0] = level * TEGRA20_RAMP_STEP;
         for (int c = 0; c < 3; c++)
            texels[i][1 + c] =
               CLAMP(level - TEGRA20_RAMP_PART * c, 0, TEGRA20_RAMP_PART) *
               (255 / TEGRA20_RAMP_PART);
      }
      pctx->texture_subdata(pctx, ramp, level, PIPE_MAP_WRITE, &box, texels,
                            sizeof(texels), 0);
   }
   ctx->ramp = tegra20_resource(ramp);
   return ramp;
}

bool
tegra20_texture_init(struct tegra20_context *ctx)
{
   static const uint8_t texel[4] = { 0, 0, 0, 255 };
   static const struct pipe_sampler_state sampler;
   const struct pipe_resource templ = {
      .target = PIPE_TEXTURE_2D,
      .format = PIPE_FORMAT_R8G8B8A8_UNORM,
      .width0 = 1,
      .height0 = 1,
      .depth0 = 1,
      .array_size = 1,
      .bind = PIPE_BIND_SAMPLER_VIEW,
   };
   struct pipe_context *pctx = &ctx->base;
   struct pipe_resource *texture =
      pctx->screen->resource_create(pctx->screen, &templ);
   struct pipe_sampler_view view;
   struct pipe_box box;

   if (!texture)
      return false;
   u_box_2d(0, 0, 1, 1, &box);
   pctx->texture_subdata(pctx, texture, 0, PIPE_MAP_WRITE, &box, texel, 4, 4);
   u_sampler_view_default_template(&view, texture, texture->format);
   ctx->missing_view =
      (struct tegra20_sampler_view *)pctx->create_sampler_view(pctx, texture,
                                                               &view);
   ctx->missing_sampler = pctx->create_sampler_state(pctx, &sampler);
   pipe_resource_reference(&texture, NULL);
   return ctx->missing_view && ctx->missing_sampler;
}

void
tegra20_texture_fini(struct tegra20_context *ctx)
{
   pipe_sampler_view_reference(
      (struct pipe_sampler_view **)&ctx->missing_view, NULL);
   if (ctx->missing_sampler)
      ctx->base.delete_sampler_state(&ctx->base, ctx->missing_sampler);
}

bool
tegra20_texture_prepare(struct tegra20_context *ctx,
                        const struct tegra20_pass *pass)
{
   bool copies = false;

   u_foreach_bit (unit, tegra20_pass_textures(pass)) {
      if (!tegra20_texture_update_unit(ctx, unit))
         return false;
      copies |= ctx->textures[unit].copy != NULL;
      const struct tegra20_fs_tex_key *key = &ctx->textures[unit].key;
      if (key->target == GLSL_SAMPLER_DIM_CUBE &&
          (key->mipmap || key->two_filters) && !ctx->ramp &&
          !tegra20_texture_make_ramp(ctx))
         return false;
   }
   ctx->fs_without_copies = copies ? NULL : pass->fs;
   return true;
}

void
tegra20_texture_params(const struct tegra20_context *ctx, unsigned unit,
                       float *params)
{
   const struct tegra20_texture *t = &ctx->textures[unit];

   if (!t->resource)
      return;
   for (unsigned i = 0; i < 2; i++) {
      params[TEGRA20_PARAM_TEX_SIZE + 2 * unit + i] = t->size[i];
      params[TEGRA20_PARAM_TEX_RCP_SIZE + 2 * unit + i] = t->rcp_size[i];
      /* the same as TEGRA20_PARAM_TEX_CORNER: a program has one or the other
       */
      params[TEGRA20_PARAM_TEX_GUTTER + 2 * unit + i] = t->part[i];
   }
   params[TEGRA20_PARAM_TEX_LOD_BIAS + unit] = t->lod_bias;
   params[TEGRA20_PARAM_TEX_STEP + unit] = t->step;
   params[TEGRA20_PARAM_TEX_FIRST + unit] = t->first;
   params[TEGRA20_PARAM_TEX_LAST + unit] = t->last;
   params[TEGRA20_PARAM_TEX_DEPTH + unit] = t->depth;
   for (unsigned i = 0; i < 4; i++) {
      params[TEGRA20_PARAM_TEX_CELLS + 4 * unit + i] = t->layers[i];
      params[TEGRA20_PARAM_TEX_BORDER + 4 * unit + i] = t->border[i];
   }
}
