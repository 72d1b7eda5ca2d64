/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "tegra20_sampler_copy.h"

#include <string.h>

#include "util/format/u_format.h"
#include "util/box.h"
#include "util/u_inlines.h"
#include "util/u_math.h"
#include "util/u_memory.h"

#include "tegra20_context.h"
#include "tegra20_debug.h"
#include "tegra20_image.h"
#include "tegra20_resource.h"
#include "tegra20_screen.h"

/* Copies of one texture: as many as one draw can use. */
#define MAX_COPIES TEGRA20_MAX_SAMPLERS

struct tegra20_sampler_copy {
   struct tegra20_sampler_copy *next; /* the one used last is first */
   struct tegra20_resource *resource;
   struct tegra20_sampler_copy_key key;
   unsigned serial; /* of the contents that were copied */
};

/* A137: of buffers that others made. */
static bool
reaches_out(const struct tegra20_resource *res)
{
   const struct tegra20_level_layout *level = &res->layout.levels[0];

   return tegra20_screen(res->base.screen)->chip->quirks &
             TEGRA20_QUIRK_POT_ROWS &&
          res->offset + tegra20_layout_reach(level, level->cell_rows) >
             tegra20_bo_size(res->bo);
}

enum tegra20_sampler_copy_kind
tegra20_resource_copy_kind(const struct tegra20_resource *res, bool mipmapped)
{
   if (tegra20_format_is_zs(res->base.format))
      return TEGRA20_COPY_DEPTH;
   if (res->layout.tiled || tegra20_resource_is_foreign(res))
      return TEGRA20_COPY_LINEAR;
   if (res->layout.pot || res->base.target == PIPE_TEXTURE_3D)
      return TEGRA20_COPY_NONE;
   if (mipmapped)
      return TEGRA20_COPY_RESAMPLED;

   unsigned row = res->layout.levels[0].cell_bytes * res->layout.columns;
   if (!util_format_is_compressed(res->storage) &&
       res->layout.levels[0].pitch != align(row, tegra20_npot_pitch_align()))
      return TEGRA20_COPY_LINEAR;
   if (res->offset % TEGRA20_RT_BASE_ALIGN ||
       (res->shared && reaches_out(res)))
      return TEGRA20_COPY_LINEAR;
   return TEGRA20_COPY_NONE;
}

/* --- creation --- */

static void
tegra20_sampler_copy_free(struct tegra20_sampler_copy *sc)
{
   pipe_resource_reference((struct pipe_resource **)&sc->resource, NULL);
   FREE(sc);
}

void
tegra20_sampler_copy_destroy(struct tegra20_resource *res)
{
   struct tegra20_sampler_copy *next;

   for (struct tegra20_sampler_copy *sc = res->copies; sc; sc = next) {
      next = sc->next;
      tegra20_sampler_copy_free(sc);
   }
   res->copies = NULL;
}

/* Powers of two, at least twice as large, so that no texel is lost
 * (tegra20_image_place()).  The unit's level of detail is right for both axes
 * where they grow alike. */
static void
tegra20_copy_resampled_sizes(const struct tegra20_resource *res,
                             struct pipe_resource *templ)
{
   const unsigned width = res->base.width0, height = res->base.height0,
                  largest = TEGRA20_MAX_TEXTURE_SIZE;
   unsigned w = MIN2(util_next_power_of_two(2 * width), largest),
            h = MIN2(util_next_power_of_two(2 * height), largest);
   const float wider = (float)w * height / ((float)h * width);

   if (wider < (float)M_SQRT1_2)
      w = MIN2(2 * w, largest);
   else if (wider > (float)M_SQRT2)
      h = MIN2(2 * h, largest);
   templ->width0 = w;
   templ->height0 = h;
}

/* The sizes hold the last half texel behind a doubled texture. */
static unsigned
tegra20_copy_padded_size(unsigned size, bool doubled)
{
   return util_next_power_of_two(doubled ? 2 * size + 1 : size);
}

bool
tegra20_sampler_copy_can_be_doubled(const struct pipe_resource *res)
{
   return res->target != PIPE_TEXTURE_CUBE &&
          tegra20_copy_padded_size(MAX2(res->width0, res->height0), true) <=
             TEGRA20_MAX_TEXTURE_SIZE;
}

/* A58: where the unit filters powers of two only, more copies of the far edge
 * follow. */
static unsigned
tegra20_copy_bordered_size(unsigned size)
{
   return TEGRA20_HW_IS(NPOT_FILTER, NEAREST)
             ? util_next_power_of_two(size + 2)
             : size + 2;
}

static unsigned
tegra20_copy_volume_size(unsigned size)
{
   return util_next_power_of_two(size);
}

/* How many levels beyond the first a copy with limits has. */
static unsigned
tegra20_copy_lod_levels(const struct tegra20_sampler_copy_key *key)
{
   unsigned last = key->last_level - key->first_level;
   float max = MIN2(key->max_lod, last);

   return max <= key->min_lod ? 0
                              : (unsigned)ceilf(max) - (unsigned)key->min_lod;
}

static void
tegra20_copy_template(const struct tegra20_resource *res,
                      const struct tegra20_sampler_copy_key *key,
                      struct pipe_resource *templ)
{
   /* Not the structure as a whole: other threads count references in it. */
   *templ = (struct pipe_resource){
      .target = res->base.target,
      .format = res->base.format,
      .width0 = res->base.width0,
      .height0 = res->base.height0,
      .depth0 = res->base.depth0,
      .array_size = res->base.array_size,
      .last_level = res->base.last_level,
      .usage = res->base.usage,
      .bind = PIPE_BIND_SAMPLER_VIEW,
   };
   if (util_format_is_compressed(templ->format) &&
       key->kind != TEGRA20_COPY_LINEAR)
      templ->format = util_format_is_srgb(templ->format)
                         ? PIPE_FORMAT_R8G8B8A8_SRGB
                         : PIPE_FORMAT_R8G8B8A8_UNORM;

   switch (key->kind) {
   case TEGRA20_COPY_DEPTH:
      templ->format = PIPE_FORMAT_R8G8B8A8_UNORM;
      break;
   case TEGRA20_COPY_RESAMPLED:
      tegra20_copy_resampled_sizes(res, templ);
      templ->last_level =
         MIN2(res->base.last_level,
              util_logbase2(MAX2(templ->width0, templ->height0)));
      break;
   case TEGRA20_COPY_BORDER_3D:
      templ->target = PIPE_TEXTURE_2D_ARRAY;
      templ->width0 = u_minify(res->base.width0, key->first_level) + 2;
      templ->height0 = u_minify(res->base.height0, key->first_level) + 2;
      templ->array_size = u_minify(res->base.depth0, key->first_level) + 2;
      templ->depth0 = 1;
      templ->last_level = 0;
      break;
   case TEGRA20_COPY_PADDED:
      templ->width0 =
         tegra20_copy_padded_size(res->base.width0, key->doubled);
      templ->height0 =
         tegra20_copy_padded_size(res->base.height0, key->doubled);
      break;
   case TEGRA20_COPY_BORDER_2D:
      templ->target = PIPE_TEXTURE_2D;
      templ->width0 = tegra20_copy_bordered_size(
         u_minify(res->base.width0, key->first_level));
      templ->height0 = tegra20_copy_bordered_size(
         u_minify(res->base.height0, key->first_level));
      templ->last_level = 0;
      break;
   case TEGRA20_COPY_VOLUME:
      templ->target = PIPE_TEXTURE_2D_ARRAY;
      templ->width0 = tegra20_copy_volume_size(res->base.width0);
      templ->height0 = tegra20_copy_volume_size(res->base.height0);
      templ->array_size = tegra20_copy_volume_size(res->base.depth0);
      templ->depth0 = 1;
      templ->last_level =
         MIN2(res->base.last_level,
              util_logbase2(MAX2(templ->width0, templ->height0)));
      break;
   case TEGRA20_COPY_LOD:
      templ->width0 = u_minify(res->base.width0,
                               key->first_level + (unsigned)key->min_lod);
      templ->height0 = u_minify(res->base.height0,
                                key->first_level + (unsigned)key->min_lod);
      templ->last_level = tegra20_copy_lod_levels(key);
      break;
   default:
      break;
   }
}

/* --- depth --- */

struct tegra20_mapped_level {
   struct pipe_transfer *transfer;
   uint8_t *map;
};

static bool
tegra20_copy_map_level(struct tegra20_context *ctx,
                       struct tegra20_mapped_level *m,
                       struct tegra20_resource *res, unsigned level,
                       unsigned layer, unsigned usage)
{
   m->map =
      pipe_texture_map(&ctx->base, &res->base, level, layer, usage, 0, 0,
                       u_minify(res->base.width0, level),
                       u_minify(res->base.height0, level), &m->transfer);
   return m->map;
}

/* Depth bytes: high in component 0, low in component 1. */
static void
tegra20_copy_convert_depth(const struct tegra20_mapped_level *dst,
                           const struct tegra20_mapped_level *src,
                           enum pipe_format format, unsigned width,
                           unsigned height)
{
   unsigned cpp = util_format_get_blocksize(format);

   for (unsigned y = 0; y < height; y++) {
      for (unsigned x = 0; x < width; x++) {
         const uint8_t *from = src->map + y * src->transfer->stride + x * cpp;
         uint8_t *to = dst->map + y * dst->transfer->stride + x * 4;
         /* packed words have 24 bits of depth, of which the upper 16 are the
          * stored ones */
         const uint8_t *z16 = cpp == 4 ? from + 1 : from;

         to[0] = z16[1];
         to[1] = z16[0];
         to[2] = 0;
         to[3] = 0xff;
      }
   }
}

static bool
tegra20_copy_depth(struct tegra20_context *ctx, struct tegra20_resource *dst,
                   struct tegra20_resource *src, unsigned level,
                   unsigned layer)
{
   struct tegra20_mapped_level d, s;

   if (!tegra20_copy_map_level(ctx, &s, src, level, layer, PIPE_MAP_READ))
      return false;
   if (!tegra20_copy_map_level(ctx, &d, dst, level, layer,
                               PIPE_MAP_WRITE | PIPE_MAP_DISCARD_RANGE)) {
      pipe_texture_unmap(&ctx->base, s.transfer);
      return false;
   }
   tegra20_copy_convert_depth(&d, &s, src->base.format,
                              u_minify(src->base.width0, level),
                              u_minify(src->base.height0, level));
   pipe_texture_unmap(&ctx->base, d.transfer);
   pipe_texture_unmap(&ctx->base, s.transfer);
   return true;
}

/* --- slices with a border --- */

/* The texel that stands at i, which is -1 or more, or -1 for the border
 * colour. */
static int
tegra20_copy_wrapped_texel(const struct tegra20_sampler_copy_key *key,
                           unsigned axis, int i, int size)
{
   i = MIN2(i, size); /* beyond that, there is more of the same */
   if (i >= 0 && i < size)
      return i;
   switch (key->wrap[axis]) {
   case PIPE_TEX_WRAP_REPEAT:
      return (i + size) % size;
   case PIPE_TEX_WRAP_CLAMP_TO_BORDER:
      return -1;
   case PIPE_TEX_WRAP_CLAMP:
      return key->linear ? -1 : CLAMP(i, 0, size - 1);
   default: /* mirrors have the texel at the edge twice */
      return CLAMP(i, 0, size - 1);
   }
}

static bool
tegra20_copy_bordered_layer(struct tegra20_context *ctx,
                            const struct tegra20_sampler_copy_key *key,
                            struct tegra20_resource *dst, unsigned slice,
                            const struct tegra20_image *src)
{
   struct tegra20_image image;

   if (!tegra20_image_alloc(&image, dst->base.width0, dst->base.height0))
      return false;
   for (unsigned y = 0; y < image.height; y++) {
      int sy =
         src ? tegra20_copy_wrapped_texel(key, 1, (int)y - 1, src->height)
             : -1;

      for (unsigned x = 0; x < image.width; x++) {
         int sx =
            src ? tegra20_copy_wrapped_texel(key, 0, (int)x - 1, src->width)
                : -1;

         memcpy(tegra20_image_texel(&image, x, y),
                sx < 0 || sy < 0 ? key->border
                                 : tegra20_image_texel(src, sx, sy),
                4 * sizeof(float));
      }
   }
   bool ok = tegra20_image_write_layer(ctx, &image, dst, 0, slice);
   tegra20_image_free(&image);
   return ok;
}

static bool
tegra20_copy_border_3d(struct tegra20_context *ctx,
                       struct tegra20_resource *res,
                       const struct tegra20_sampler_copy *sc)
{
   int depth = u_minify(res->base.depth0, sc->key.first_level);
   bool ok = true;

   for (int slice = 0; slice < depth + 2 && ok; slice++) {
      struct tegra20_image image = { 0 };
      int from = tegra20_copy_wrapped_texel(&sc->key, 2, slice - 1, depth);

      ok = from < 0 || tegra20_image_read_layer(ctx, &image, res,
                                                sc->key.first_level, from);
      ok = ok && tegra20_copy_bordered_layer(ctx, &sc->key, sc->resource,
                                             slice, from < 0 ? NULL : &image);
      tegra20_image_free(&image);
   }
   return ok;
}

/* The pieces of an axis: texels in front of the texture, the texture, texels
 * behind it. */
static void
tegra20_copy_piece(const struct tegra20_sampler_copy_key *key, unsigned axis,
                   int size, unsigned i, int *dst, int *src, int *length)
{
   static const int before = -1;

   *dst = i == 0 ? 0 : i == 1 ? 1 : size + 1;
   *src = i == 1 ? 0
                 : tegra20_copy_wrapped_texel(key, axis,
                                              i == 0 ? before : size, size);
   *length = i == 1 ? size : 1;
}

/* As copies by the GPU, where the border colour is not needed. */
static void
tegra20_copy_border_2d_gpu(struct tegra20_context *ctx,
                           struct tegra20_resource *res,
                           const struct tegra20_sampler_copy *sc)
{
   const struct tegra20_sampler_copy_key *key = &sc->key;
   const int width = u_minify(res->base.width0, key->first_level);
   const int height = u_minify(res->base.height0, key->first_level);

   for (unsigned i = 0; i < 9; i++) {
      struct pipe_box box = { .depth = 1 };
      int x, y, sx, sy, w, h;

      tegra20_copy_piece(key, 0, width, i % 3, &x, &sx, &w);
      tegra20_copy_piece(key, 1, height, i / 3, &y, &sy, &h);
      u_box_2d(sx, sy, w, h, &box);
      ctx->base.resource_copy_region(&ctx->base, &sc->resource->base, 0, x, y,
                                     0, &res->base, key->first_level, &box);
   }
}

static bool
tegra20_copy_has_border(const struct tegra20_sampler_copy_key *key)
{
   return tegra20_copy_wrapped_texel(key, 0, -1, 1) < 0 ||
          tegra20_copy_wrapped_texel(key, 1, -1, 1) < 0;
}

static bool
tegra20_copy_border_2d(struct tegra20_context *ctx,
                       struct tegra20_resource *res,
                       const struct tegra20_sampler_copy *sc)
{
   struct tegra20_image image;

   if (sc->resource->base.format == res->base.format &&
       TEGRA20_HW_IS(NPOT_FILTER, BILINEAR) &&
       !tegra20_copy_has_border(&sc->key)) {
      tegra20_copy_border_2d_gpu(ctx, res, sc);
      return true;
   }
   if (!tegra20_image_read_layer(ctx, &image, res, sc->key.first_level, 0))
      return false;
   bool ok =
      tegra20_copy_bordered_layer(ctx, &sc->key, sc->resource, 0, &image);
   tegra20_image_free(&image);
   return ok;
}

/* --- mixtures --- */

/* A layer of one level, mixed with a layer of the same or another level, in
 * the size that the copy's level has. */
static bool
tegra20_copy_mixed(struct tegra20_context *ctx,
                   const struct tegra20_sampler_copy *sc, unsigned dst_level,
                   unsigned dst_layer, struct tegra20_resource *res,
                   const unsigned levels[2], const unsigned layers[2],
                   float weight)
{
   const struct pipe_resource *copy = &sc->resource->base;
   unsigned width = u_minify(copy->width0, dst_level),
            height = u_minify(copy->height0, dst_level);
   struct tegra20_image image, other;
   bool linear = sc->key.linear;

   if (!tegra20_image_read_layer(ctx, &image, res, levels[0], layers[0]))
      return false;
   bool ok = tegra20_image_scale(&image, width, height, linear);
   if (ok && weight > 0) {
      ok = tegra20_image_read_layer(ctx, &other, res, levels[1], layers[1]);
      if (ok) {
         ok = tegra20_image_scale(&other, width, height, linear);
         if (ok)
            tegra20_image_mix(&image, &other, weight);
         tegra20_image_free(&other);
      }
   }
   ok = ok && tegra20_image_write_layer(ctx, &image, sc->resource, dst_level,
                                        dst_layer);
   tegra20_image_free(&image);
   return ok;
}

static bool
tegra20_copy_padded(struct tegra20_context *ctx,
                    const struct tegra20_sampler_copy *sc,
                    struct tegra20_resource *res, unsigned level,
                    unsigned layer)
{
   const struct pipe_resource *copy = &sc->resource->base;
   const unsigned width = u_minify(copy->width0, level),
                  height = u_minify(copy->height0, level);
   const bool cube = res->base.target == PIPE_TEXTURE_CUBE;
   const double scale = (sc->key.doubled ? 2.0 : 1.0) / (1 << level);
   struct tegra20_image image;

   if (!tegra20_image_read_layer(ctx, &image, res, level, layer))
      return false;
   const double size[2] = {
      cube ? image.width : scale * res->base.width0,
      cube ? image.height : scale * res->base.height0,
   };
   bool ok =
      tegra20_image_place(&image, width, height, size,
                          sc->key.doubled ? 0.5 / (1 << level) : 0,
                          sc->key.linear) &&
      tegra20_image_write_layer(ctx, &image, sc->resource, level, layer);
   tegra20_image_free(&image);
   return ok;
}

static bool
tegra20_copy_volume(struct tegra20_context *ctx, struct tegra20_resource *res,
                    const struct tegra20_sampler_copy *sc, unsigned level)
{
   unsigned cells = sc->resource->base.array_size,
            depth = u_minify(res->base.depth0, level);

   for (unsigned cell = 0; cell < cells; cell++) {
      float position =
         (cell + 0.5f) * depth / cells - (sc->key.linear ? 0.5f : 0);
      position = CLAMP(position, 0.0f, depth - 1.0f);
      unsigned slice = floorf(position);
      const unsigned levels[2] = { level, level },
                     slices[2] = { slice, MIN2(slice + 1, depth - 1) };

      if (!tegra20_copy_mixed(ctx, sc, level, cell, res, levels, slices,
                              sc->key.linear ? position - slice : 0))
         return false;
   }
   return true;
}

static bool
tegra20_copy_lod(struct tegra20_context *ctx, struct tegra20_resource *res,
                 const struct tegra20_sampler_copy *sc, unsigned level)
{
   const struct tegra20_sampler_copy_key *key = &sc->key;
   unsigned last = key->last_level - key->first_level;
   float lod = MIN3(MAX2((unsigned)key->min_lod + level, key->min_lod),
                    key->max_lod, last);
   unsigned lower = floorf(lod);
   const unsigned levels[2] = { key->first_level + lower,
                                key->first_level + MIN2(lower + 1, last) };

   for (unsigned layer = 0; layer < MAX2(res->base.array_size, 1); layer++) {
      const unsigned layers[2] = { layer, layer };
      if (!tegra20_copy_mixed(ctx, sc, level, layer, res, levels, layers,
                              lod - lower))
         return false;
   }
   return true;
}

/* --- updates --- */

static bool
tegra20_copy_level(struct tegra20_context *ctx, struct tegra20_resource *res,
                   const struct tegra20_sampler_copy *sc, unsigned level)
{
   unsigned layers = MAX2(res->base.array_size, 1) * res->base.depth0;
   const unsigned levels[2] = { level, level };
   struct pipe_box box;
   bool ok = true;

   switch (sc->key.kind) {
   case TEGRA20_COPY_LINEAR:
      u_box_3d(0, 0, 0, u_minify(res->base.width0, level),
               u_minify(res->base.height0, level), layers, &box);
      ctx->base.resource_copy_region(&ctx->base, &sc->resource->base, level,
                                     0, 0, 0, &res->base, level, &box);
      return true;
   case TEGRA20_COPY_DEPTH:
      for (unsigned layer = 0; layer < layers && ok; layer++)
         ok = tegra20_copy_depth(ctx, sc->resource, res, level, layer);
      return ok;
   case TEGRA20_COPY_RESAMPLED:
      for (unsigned layer = 0; layer < layers && ok; layer++)
         ok = tegra20_copy_mixed(ctx, sc, level, layer, res, levels,
                                 (const unsigned[2]){ layer, layer }, 0);
      return ok;
   case TEGRA20_COPY_PADDED:
      for (unsigned layer = 0; layer < layers && ok; layer++)
         ok = tegra20_copy_padded(ctx, sc, res, level, layer);
      return ok;
   case TEGRA20_COPY_BORDER_3D:
      return tegra20_copy_border_3d(ctx, res, sc);
   case TEGRA20_COPY_BORDER_2D:
      return tegra20_copy_border_2d(ctx, res, sc);
   case TEGRA20_COPY_VOLUME:
      return tegra20_copy_volume(ctx, res, sc, level);
   case TEGRA20_COPY_LOD:
      return tegra20_copy_lod(ctx, res, sc, level);
   default:
      return true;
   }
}

static bool
tegra20_copy_update(struct tegra20_context *ctx, struct tegra20_resource *res,
                    const struct tegra20_sampler_copy *sc)
{
   if (DBG(MSGS))
      tegra20_msg("copying a %ux%u %s texture for sampling", res->base.width0,
                  res->base.height0,
                  util_format_short_name(res->base.format));
   for (unsigned level = 0; level <= sc->resource->base.last_level; level++) {
      if (!tegra20_copy_level(ctx, res, sc, level))
         return false;
   }
   return true;
}

/* Finds the copy for a key, or makes one, and puts it in front of the list;
 * the one not used for longest makes room. */
static struct tegra20_sampler_copy *
tegra20_sampler_copy_find(struct tegra20_resource *res,
                          const struct tegra20_sampler_copy_key *key)
{
   struct tegra20_sampler_copy **link = &res->copies, *sc;
   unsigned count = 0;

   for (; *link; link = &(*link)->next) {
      if (memcmp(&(*link)->key, key, sizeof(*key)) == 0)
         break;
      if (++count == MAX_COPIES) {
         tegra20_sampler_copy_free(*link);
         *link = NULL;
         break;
      }
   }
   sc = *link;
   if (sc) {
      *link = sc->next;
   } else {
      struct pipe_resource templ;

      sc = CALLOC_STRUCT(tegra20_sampler_copy);
      if (!sc)
         return NULL;
      tegra20_copy_template(res, key, &templ);
      sc->key = *key;
      sc->serial = p_atomic_read(&res->write_serial) - 1;
      sc->resource = tegra20_resource(
         res->base.screen->resource_create(res->base.screen, &templ));
      if (!sc->resource) {
         FREE(sc);
         return NULL;
      }
   }
   sc->next = res->copies;
   res->copies = sc;
   return sc;
}

/* Called under the lock of the screen. */
static struct tegra20_resource *
tegra20_copy_get_copy(struct tegra20_context *ctx,
                      struct tegra20_resource *res,
                      const struct tegra20_sampler_copy_key *key)
{
   struct tegra20_sampler_copy *sc = tegra20_sampler_copy_find(res, key);
   if (!sc)
      return NULL;

   const unsigned serial = p_atomic_read(&res->write_serial);
   if (sc->serial != serial ||
       tegra20_context_others_write(ctx, sc->resource)) {
      /* commands that other contexts have yet to submit are not in this
       * copy */
      const bool stale = tegra20_context_others_write(ctx, res);
      if (!tegra20_copy_update(ctx, res, sc))
         return NULL;
      sc->serial = stale ? serial - 1 : serial;
      /* it has other memory where the open job uses the former one */
      ctx->dirty |= TEGRA20_DIRTY_TEXTURES;
   }
   return sc->resource;
}

struct tegra20_resource *
tegra20_sampler_copy_get(struct tegra20_context *ctx,
                         struct tegra20_resource *res,
                         const struct tegra20_sampler_copy_key *key)
{
   struct pipe_resource *copy = NULL;

   simple_mtx_lock(&ctx->screen->copies_mutex);
   pipe_resource_reference(
      &copy, (struct pipe_resource *)tegra20_copy_get_copy(ctx, res, key));
   simple_mtx_unlock(&ctx->screen->copies_mutex);
   return tegra20_resource(copy);
}
