/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "tegra20_shadow.h"

#include <string.h>

#include "util/format/u_format.h"
#include "util/box.h"
#include "util/u_inlines.h"
#include "util/u_math.h"
#include "util/u_memory.h"

#include "tegra20_context.h"
#include "tegra20_debug.h"
#include "tegra20_image.h"
#include "tegra20_screen.h"

/* Copies of one texture: as many as one draw can use. */
#define MAX_COPIES TEGRA20_MAX_SAMPLERS

struct tegra20_shadow {
   struct tegra20_shadow *next; /* the one used last is first */
   struct tegra20_resource *copy;
   struct tegra20_shadow_key key;
   unsigned serial; /* of the contents that were copied */
   uint64_t
      shared_epoch; /* of the context that copied a shared buffer last */
};

enum tegra20_shadow_kind
tegra20_shadow_kind(const struct tegra20_resource *res, bool mipmapped)
{
   if (tegra20_format_is_zs(res->base.format))
      return TEGRA20_SHADOW_DEPTH;
   if (res->layout.tiled)
      return TEGRA20_SHADOW_LINEAR;
   if (res->layout.pot || res->base.target == PIPE_TEXTURE_3D)
      return TEGRA20_SHADOW_NONE;
   if (mipmapped)
      return TEGRA20_SHADOW_POT;

   unsigned row = res->layout.levels[0].cell_bytes * res->layout.columns;
   if (res->layout.levels[0].pitch != align(row, TEGRA20_NPOT_PITCH_ALIGN) ||
       res->offset % TEGRA20_RT_BASE_ALIGN)
      return TEGRA20_SHADOW_LINEAR;
   return TEGRA20_SHADOW_NONE;
}

/* --- creation --- */

static void
destroy_shadow(struct tegra20_shadow *shadow)
{
   pipe_resource_reference((struct pipe_resource **)&shadow->copy, NULL);
   FREE(shadow);
}

void
tegra20_shadow_destroy(struct tegra20_resource *res)
{
   struct tegra20_shadow *next;

   for (struct tegra20_shadow *shadow = res->shadow; shadow; shadow = next) {
      next = shadow->next;
      destroy_shadow(shadow);
   }
   res->shadow = NULL;
}

/* A power of two, large enough that the grid of the copy does not blur or
 * shift edges visibly. */
static unsigned
resampled_size(unsigned size)
{
   unsigned pot = util_next_power_of_two(size);

   return 2 * pot < 3 * size && pot < TEGRA20_MAX_TEXTURE_SIZE ? 2 * pot
                                                               : pot;
}

static unsigned
volume_size(unsigned size)
{
   return util_next_power_of_two(size);
}

/* How many levels beyond the first a copy with limits has. */
static unsigned
lod_levels(const struct tegra20_shadow_key *key)
{
   unsigned last = key->last_level - key->first_level;
   float max = MIN2(key->max_lod, last);

   return max <= key->min_lod ? 0
                              : (unsigned)ceilf(max) - (unsigned)key->min_lod;
}

static void
copy_template(const struct tegra20_resource *res,
              const struct tegra20_shadow_key *key,
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
       key->kind != TEGRA20_SHADOW_LINEAR)
      templ->format = util_format_is_srgb(templ->format)
                         ? PIPE_FORMAT_R8G8B8A8_SRGB
                         : PIPE_FORMAT_R8G8B8A8_UNORM;

   switch (key->kind) {
   case TEGRA20_SHADOW_DEPTH:
      templ->format = PIPE_FORMAT_R8G8B8A8_UNORM;
      break;
   case TEGRA20_SHADOW_POT:
      templ->width0 = resampled_size(res->base.width0);
      templ->height0 = resampled_size(res->base.height0);
      templ->last_level =
         MIN2(res->base.last_level,
              util_logbase2(MAX2(templ->width0, templ->height0)));
      break;
   case TEGRA20_SHADOW_SLICES:
      templ->target = PIPE_TEXTURE_2D_ARRAY;
      templ->width0 = u_minify(res->base.width0, key->first_level) + 2;
      templ->height0 = u_minify(res->base.height0, key->first_level) + 2;
      templ->array_size = u_minify(res->base.depth0, key->first_level) + 2;
      templ->depth0 = 1;
      templ->last_level = 0;
      break;
   case TEGRA20_SHADOW_CORNER:
      templ->width0 = util_next_power_of_two(res->base.width0);
      templ->height0 = util_next_power_of_two(res->base.height0);
      break;
   case TEGRA20_SHADOW_GUTTERS:
      templ->target = PIPE_TEXTURE_2D;
      templ->width0 = u_minify(res->base.width0, key->first_level) + 2;
      templ->height0 = u_minify(res->base.height0, key->first_level) + 2;
      templ->last_level = 0;
      break;
   case TEGRA20_SHADOW_VOLUME:
      templ->target = PIPE_TEXTURE_2D_ARRAY;
      templ->width0 = volume_size(res->base.width0);
      templ->height0 = volume_size(res->base.height0);
      templ->array_size = volume_size(res->base.depth0);
      templ->depth0 = 1;
      templ->last_level =
         MIN2(res->base.last_level,
              util_logbase2(MAX2(templ->width0, templ->height0)));
      break;
   case TEGRA20_SHADOW_LOD:
      templ->width0 = u_minify(res->base.width0,
                               key->first_level + (unsigned)key->min_lod);
      templ->height0 = u_minify(res->base.height0,
                                key->first_level + (unsigned)key->min_lod);
      templ->last_level = lod_levels(key);
      break;
   default:
      break;
   }
}

/* --- depth --- */

struct mapped {
   struct pipe_transfer *transfer;
   uint8_t *map;
};

static bool
map_level(struct tegra20_context *ctx, struct mapped *m,
          struct tegra20_resource *res, unsigned level, unsigned layer,
          unsigned usage)
{
   m->map =
      pipe_texture_map(&ctx->base, &res->base, level, layer, usage, 0, 0,
                       u_minify(res->base.width0, level),
                       u_minify(res->base.height0, level), &m->transfer);
   return m->map;
}

/* Depth bytes: high in component 0, low in component 1. */
static void
convert_depth(const struct mapped *dst, const struct mapped *src,
              enum pipe_format format, unsigned width, unsigned height)
{
   unsigned cpp = util_format_get_blocksize(format);

   for (unsigned y = 0; y < height; y++) {
      for (unsigned x = 0; x < width; x++) {
         const uint8_t *from = src->map + y * src->transfer->stride + x * cpp;
         uint8_t *to = dst->map + y * dst->transfer->stride + x * 4;
         /* packed words have 24 bits of depth, of which the upper 16 are what
          * was stored */
         const uint8_t *z16 = cpp == 4 ? from + 1 : from;

         to[0] = z16[1];
         to[1] = z16[0];
         to[2] = 0;
         to[3] = 0xff;
      }
   }
}

static bool
copy_depth(struct tegra20_context *ctx, struct tegra20_resource *dst,
           struct tegra20_resource *src, unsigned level, unsigned layer)
{
   struct mapped d, s;

   if (!map_level(ctx, &s, src, level, layer, PIPE_MAP_READ))
      return false;
   if (!map_level(ctx, &d, dst, level, layer,
                  PIPE_MAP_WRITE | PIPE_MAP_DISCARD_RANGE)) {
      pipe_texture_unmap(&ctx->base, s.transfer);
      return false;
   }
   convert_depth(&d, &s, src->base.format, u_minify(src->base.width0, level),
                 u_minify(src->base.height0, level));
   pipe_texture_unmap(&ctx->base, d.transfer);
   pipe_texture_unmap(&ctx->base, s.transfer);
   return true;
}

/* --- slices with a border --- */

/* The texel that stands at i, which may be one outside of 0..size-1, or -1
 * for the border colour. */
static int
wrapped_texel(const struct tegra20_shadow_key *key, unsigned axis, int i,
              int size)
{
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
write_slice(struct tegra20_context *ctx, const struct tegra20_shadow_key *key,
            struct tegra20_resource *dst, unsigned slice,
            const struct tegra20_image *src)
{
   struct tegra20_image image;

   if (!tegra20_image_alloc(&image, dst->base.width0, dst->base.height0))
      return false;
   for (unsigned y = 0; y < image.height; y++) {
      int sy = src ? wrapped_texel(key, 1, (int)y - 1, src->height) : -1;

      for (unsigned x = 0; x < image.width; x++) {
         int sx = src ? wrapped_texel(key, 0, (int)x - 1, src->width) : -1;

         memcpy(tegra20_image_texel(&image, x, y),
                sx < 0 || sy < 0 ? key->border
                                 : tegra20_image_texel(src, sx, sy),
                4 * sizeof(float));
      }
   }
   bool ok = tegra20_image_write(ctx, &image, dst, 0, slice);
   tegra20_image_free(&image);
   return ok;
}

static bool
update_slices(struct tegra20_context *ctx, struct tegra20_resource *res,
              const struct tegra20_shadow *shadow)
{
   int depth = u_minify(res->base.depth0, shadow->key.first_level);
   bool ok = true;

   for (int slice = 0; slice < depth + 2 && ok; slice++) {
      struct tegra20_image image = { 0 };
      int from = wrapped_texel(&shadow->key, 2, slice - 1, depth);

      ok = from < 0 || tegra20_image_read(ctx, &image, res,
                                          shadow->key.first_level, from);
      ok = ok && write_slice(ctx, &shadow->key, shadow->copy, slice,
                             from < 0 ? NULL : &image);
      tegra20_image_free(&image);
   }
   return ok;
}

/* The pieces of an axis: what is in front of the texture, the texture, what
 * is behind it. */
static void
piece(const struct tegra20_shadow_key *key, unsigned axis, int size,
      unsigned i, int *dst, int *src, int *length)
{
   static const int before = -1;

   *dst = i == 0 ? 0 : i == 1 ? 1 : size + 1;
   *src = i == 1 ? 0 : wrapped_texel(key, axis, i == 0 ? before : size, size);
   *length = i == 1 ? size : 1;
}

/* As copies by the GPU, where the border colour is not needed. */
static void
copy_gutters(struct tegra20_context *ctx, struct tegra20_resource *res,
             const struct tegra20_shadow *shadow)
{
   const struct tegra20_shadow_key *key = &shadow->key;
   const int width = u_minify(res->base.width0, key->first_level);
   const int height = u_minify(res->base.height0, key->first_level);

   for (unsigned i = 0; i < 9; i++) {
      struct pipe_box box = { .depth = 1 };
      int x, y, sx, sy, w, h;

      piece(key, 0, width, i % 3, &x, &sx, &w);
      piece(key, 1, height, i / 3, &y, &sy, &h);
      u_box_2d(sx, sy, w, h, &box);
      ctx->base.resource_copy_region(&ctx->base, &shadow->copy->base, 0, x, y,
                                     0, &res->base, key->first_level, &box);
   }
}

static bool
has_border(const struct tegra20_shadow_key *key)
{
   return wrapped_texel(key, 0, -1, 1) < 0 ||
          wrapped_texel(key, 1, -1, 1) < 0;
}

static bool
update_gutters(struct tegra20_context *ctx, struct tegra20_resource *res,
               const struct tegra20_shadow *shadow)
{
   struct tegra20_image image;

   if (shadow->copy->base.format == res->base.format &&
       !has_border(&shadow->key)) {
      copy_gutters(ctx, res, shadow);
      return true;
   }
   if (!tegra20_image_read(ctx, &image, res, shadow->key.first_level, 0))
      return false;
   bool ok = write_slice(ctx, &shadow->key, shadow->copy, 0, &image);
   tegra20_image_free(&image);
   return ok;
}

/* --- mixtures --- */

/* A layer of one level, mixed with a layer of the same or another level, in
 * the size that the copy's level has. */
static bool
write_mixed(struct tegra20_context *ctx, const struct tegra20_shadow *shadow,
            unsigned dst_level, unsigned dst_layer,
            struct tegra20_resource *res, const unsigned levels[2],
            const unsigned layers[2], float weight)
{
   const struct pipe_resource *copy = &shadow->copy->base;
   unsigned width = u_minify(copy->width0, dst_level),
            height = u_minify(copy->height0, dst_level);
   struct tegra20_image image, other;
   bool linear = shadow->key.linear;

   if (!tegra20_image_read(ctx, &image, res, levels[0], layers[0]))
      return false;
   bool ok = tegra20_image_scale(&image, width, height, linear);
   if (ok && weight > 0) {
      ok = tegra20_image_read(ctx, &other, res, levels[1], layers[1]);
      if (ok) {
         ok = tegra20_image_scale(&other, width, height, linear);
         if (ok)
            tegra20_image_mix(&image, &other, weight);
         tegra20_image_free(&other);
      }
   }
   ok = ok &&
        tegra20_image_write(ctx, &image, shadow->copy, dst_level, dst_layer);
   tegra20_image_free(&image);
   return ok;
}

static bool
write_corner(struct tegra20_context *ctx, const struct tegra20_shadow *shadow,
             struct tegra20_resource *res, unsigned level)
{
   const struct pipe_resource *copy = &shadow->copy->base;
   const unsigned width = u_minify(copy->width0, level),
                  height = u_minify(copy->height0, level);
   const float right = (float)res->base.width0 * width / copy->width0;
   const float top = (float)res->base.height0 * height / copy->height0;
   struct tegra20_image image;

   if (!tegra20_image_read(ctx, &image, res, level, 0))
      return false;
   bool ok = tegra20_image_place(&image, width, height, right, top,
                                 shadow->key.linear) &&
             tegra20_image_write(ctx, &image, shadow->copy, level, 0);
   tegra20_image_free(&image);
   return ok;
}

static bool
update_volume(struct tegra20_context *ctx, struct tegra20_resource *res,
              const struct tegra20_shadow *shadow, unsigned level)
{
   unsigned cells = shadow->copy->base.array_size,
            depth = u_minify(res->base.depth0, level);

   for (unsigned cell = 0; cell < cells; cell++) {
      float position =
         (cell + 0.5f) * depth / cells - (shadow->key.linear ? 0.5f : 0);
      position = CLAMP(position, 0.0f, depth - 1.0f);
      unsigned slice = floorf(position);
      const unsigned levels[2] = { level, level },
                     slices[2] = { slice, MIN2(slice + 1, depth - 1) };

      if (!write_mixed(ctx, shadow, level, cell, res, levels, slices,
                       shadow->key.linear ? position - slice : 0))
         return false;
   }
   return true;
}

static bool
update_lod(struct tegra20_context *ctx, struct tegra20_resource *res,
           const struct tegra20_shadow *shadow, unsigned level)
{
   const struct tegra20_shadow_key *key = &shadow->key;
   unsigned last = key->last_level - key->first_level;
   float lod = MIN3(MAX2((unsigned)key->min_lod + level, key->min_lod),
                    key->max_lod, last);
   unsigned lower = floorf(lod);
   const unsigned levels[2] = { key->first_level + lower,
                                key->first_level + MIN2(lower + 1, last) };

   for (unsigned layer = 0; layer < MAX2(res->base.array_size, 1); layer++) {
      const unsigned layers[2] = { layer, layer };
      if (!write_mixed(ctx, shadow, level, layer, res, levels, layers,
                       lod - lower))
         return false;
   }
   return true;
}

/* --- updates --- */

static bool
update_level(struct tegra20_context *ctx, struct tegra20_resource *res,
             const struct tegra20_shadow *shadow, unsigned level)
{
   unsigned layers = MAX2(res->base.array_size, 1) * res->base.depth0;
   const unsigned levels[2] = { level, level };
   struct pipe_box box;
   bool ok = true;

   switch (shadow->key.kind) {
   case TEGRA20_SHADOW_LINEAR:
      u_box_3d(0, 0, 0, u_minify(res->base.width0, level),
               u_minify(res->base.height0, level), layers, &box);
      ctx->base.resource_copy_region(&ctx->base, &shadow->copy->base, level,
                                     0, 0, 0, &res->base, level, &box);
      return true;
   case TEGRA20_SHADOW_DEPTH:
      for (unsigned layer = 0; layer < layers && ok; layer++)
         ok = copy_depth(ctx, shadow->copy, res, level, layer);
      return ok;
   case TEGRA20_SHADOW_POT:
      for (unsigned layer = 0; layer < layers && ok; layer++)
         ok = write_mixed(ctx, shadow, level, layer, res, levels,
                          (const unsigned[2]){ layer, layer }, 0);
      return ok;
   case TEGRA20_SHADOW_CORNER:
      return write_corner(ctx, shadow, res, level);
   case TEGRA20_SHADOW_SLICES:
      return update_slices(ctx, res, shadow);
   case TEGRA20_SHADOW_GUTTERS:
      return update_gutters(ctx, res, shadow);
   case TEGRA20_SHADOW_VOLUME:
      return update_volume(ctx, res, shadow, level);
   case TEGRA20_SHADOW_LOD:
      return update_lod(ctx, res, shadow, level);
   default:
      return true;
   }
}

static bool
update(struct tegra20_context *ctx, struct tegra20_resource *res,
       const struct tegra20_shadow *shadow)
{
   if (DBG(MSGS))
      tegra20_msg("copying a %ux%u %s texture for sampling", res->base.width0,
                  res->base.height0,
                  util_format_short_name(res->base.format));
   for (unsigned level = 0; level <= shadow->copy->base.last_level; level++) {
      if (!update_level(ctx, res, shadow, level))
         return false;
   }
   return true;
}

/* Finds the copy for a key, or makes one, and puts it in front of the list;
 * the one not used for longest makes room. */
static struct tegra20_shadow *
find_shadow(struct tegra20_resource *res,
            const struct tegra20_shadow_key *key)
{
   struct tegra20_shadow **link = &res->shadow, *shadow;
   unsigned count = 0;

   for (; *link; link = &(*link)->next) {
      if (memcmp(&(*link)->key, key, sizeof(*key)) == 0)
         break;
      if (++count == MAX_COPIES) {
         destroy_shadow(*link);
         *link = NULL;
         break;
      }
   }
   shadow = *link;
   if (shadow) {
      *link = shadow->next;
   } else {
      struct pipe_resource templ;

      shadow = CALLOC_STRUCT(tegra20_shadow);
      if (!shadow)
         return NULL;
      copy_template(res, key, &templ);
      shadow->key = *key;
      shadow->serial = p_atomic_read(&res->write_serial) - 1;
      shadow->copy = tegra20_resource(
         res->base.screen->resource_create(res->base.screen, &templ));
      if (!shadow->copy) {
         FREE(shadow);
         return NULL;
      }
   }
   shadow->next = res->shadow;
   res->shadow = shadow;
   return shadow;
}

/* Called under the lock of the screen. */
static struct tegra20_resource *
get_copy(struct tegra20_context *ctx, struct tegra20_resource *res,
         const struct tegra20_shadow_key *key)
{
   struct tegra20_shadow *shadow = find_shadow(res, key);
   if (!shadow)
      return NULL;

   const unsigned serial = p_atomic_read(&res->write_serial);
   if (shadow->serial != serial ||
       (res->shared && shadow->shared_epoch != ctx->shared_epoch) ||
       tegra20_context_others_write(ctx, shadow->copy)) {
      /* what others have yet to submit is not in this copy */
      const bool stale = tegra20_context_others_write(ctx, res);
      if (!update(ctx, res, shadow))
         return NULL;
      shadow->serial = stale ? serial - 1 : serial;
      shadow->shared_epoch = ctx->shared_epoch;
   }
   return shadow->copy;
}

struct tegra20_resource *
tegra20_shadow_get(struct tegra20_context *ctx, struct tegra20_resource *res,
                   const struct tegra20_shadow_key *key)
{
   struct pipe_resource *copy = NULL;

   simple_mtx_lock(&ctx->screen->shadow_mutex);
   pipe_resource_reference(&copy,
                           (struct pipe_resource *)get_copy(ctx, res, key));
   simple_mtx_unlock(&ctx->screen->shadow_mutex);
   return tegra20_resource(copy);
}
