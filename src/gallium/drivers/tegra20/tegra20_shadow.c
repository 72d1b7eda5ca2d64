/*
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
#include "tegra20_screen.h"

struct tegra20_shadow {
   struct tegra20_resource *copy;
   enum tegra20_shadow_kind kind;
   unsigned serial; /* of the contents that were copied */
   uint64_t shared_epoch; /* of the context that copied a shared buffer last */
};

enum tegra20_shadow_kind
tegra20_shadow_kind(const struct tegra20_resource *res, bool mipmapped, bool linear)
{
   if (tegra20_format_is_zs(res->base.format))
      return TEGRA20_SHADOW_DEPTH;
   if (res->layout.tiled)
      return TEGRA20_SHADOW_LINEAR;
   if (res->layout.pot)
      return TEGRA20_SHADOW_NONE;
   if (mipmapped && !util_format_is_compressed(res->storage) && !res->blocks && res->base.target != PIPE_TEXTURE_3D)
      return linear ? TEGRA20_SHADOW_POT : TEGRA20_SHADOW_POT_NEAREST;

   unsigned row = res->layout.levels[0].cell_bytes * res->layout.columns;
   if (res->layout.levels[0].pitch != align(row, TEGRA20_NPOT_PITCH_ALIGN) || res->offset % TEGRA20_RT_BASE_ALIGN)
      return TEGRA20_SHADOW_LINEAR;
   return TEGRA20_SHADOW_NONE;
}

void
tegra20_shadow_destroy(struct tegra20_resource *res)
{
   if (!res->shadow)
      return;
   pipe_resource_reference((struct pipe_resource **)&res->shadow->copy, NULL);
   FREE(res->shadow);
   res->shadow = NULL;
}

/* A power of two, large enough that the grid of the copy does not blur or shift edges visibly. */
static unsigned
resampled_size(unsigned size)
{
   unsigned pot = util_next_power_of_two(size);

   return 2 * pot < 3 * size && pot < TEGRA20_MAX_TEXTURE_SIZE ? 2 * pot : pot;
}

static struct tegra20_resource *
create_copy(const struct tegra20_resource *res, enum tegra20_shadow_kind kind)
{
   struct pipe_resource templ = res->base;

   templ.bind = PIPE_BIND_SAMPLER_VIEW;
   templ.flags = 0;
   templ.next = NULL;
   if (kind == TEGRA20_SHADOW_DEPTH)
      templ.format = PIPE_FORMAT_R8G8B8A8_UNORM;
   if (kind == TEGRA20_SHADOW_POT || kind == TEGRA20_SHADOW_POT_NEAREST) {
      templ.width0 = resampled_size(res->base.width0);
      templ.height0 = resampled_size(res->base.height0);
      templ.last_level = MIN2(res->base.last_level, util_logbase2(MAX2(templ.width0, templ.height0)));
   }
   return tegra20_resource(res->base.screen->resource_create(res->base.screen, &templ));
}

struct mapped {
   struct pipe_transfer *transfer;
   uint8_t *map;
};

static bool
map_level(struct tegra20_context *ctx, struct mapped *m, struct tegra20_resource *res, unsigned level, unsigned layer,
          unsigned usage)
{
   m->map = pipe_texture_map(&ctx->base, &res->base, level, layer, usage, 0, 0, u_minify(res->base.width0, level),
                             u_minify(res->base.height0, level), &m->transfer);
   return m->map;
}

/* Depth bytes: high in component 0, low in component 1. */
static void
convert_depth(const struct mapped *dst, const struct mapped *src, enum pipe_format format, unsigned width,
              unsigned height)
{
   unsigned cpp = util_format_get_blocksize(format);

   for (unsigned y = 0; y < height; y++) {
      for (unsigned x = 0; x < width; x++) {
         const uint8_t *from = src->map + y * src->transfer->stride + x * cpp;
         uint8_t *to = dst->map + y * dst->transfer->stride + x * 4;
         /* packed words have 24 bits of depth, of which the upper 16 are what was stored */
         const uint8_t *z16 = cpp == 4 ? from + 1 : from;

         to[0] = z16[1];
         to[1] = z16[0];
         to[2] = 0;
         to[3] = 0xff;
      }
   }
}

static void
resample_nearest(const struct mapped *dst, unsigned dw, unsigned dh, const struct mapped *src, unsigned sw,
                 unsigned sh, unsigned cpp)
{
   for (unsigned y = 0; y < dh; y++) {
      const uint8_t *row = src->map + (2 * y + 1) * sh / (2 * dh) * src->transfer->stride;

      for (unsigned x = 0; x < dw; x++)
         memcpy(dst->map + y * dst->transfer->stride + x * cpp, row + (2 * x + 1) * sw / (2 * dw) * cpp, cpp);
   }
}

/* Bilinear resampling of one level. */
static void
resample(const struct mapped *dst, unsigned dw, unsigned dh, const struct mapped *src, unsigned sw, unsigned sh,
         enum pipe_format format)
{
   unsigned cpp = util_format_get_blocksize(format);

   for (unsigned y = 0; y < dh; y++) {
      float v = (y + 0.5f) * sh / dh - 0.5f;
      int y0 = CLAMP((int)floorf(v), 0, (int)sh - 1), y1 = MIN2(y0 + 1, (int)sh - 1);
      float fy = CLAMP(v - y0, 0.0f, 1.0f);

      for (unsigned x = 0; x < dw; x++) {
         float u = (x + 0.5f) * sw / dw - 0.5f;
         int x0 = CLAMP((int)floorf(u), 0, (int)sw - 1), x1 = MIN2(x0 + 1, (int)sw - 1);
         float fx = CLAMP(u - x0, 0.0f, 1.0f);
         float t[4][4], out[4];

         util_format_unpack_rgba(format, t[0], src->map + y0 * src->transfer->stride + x0 * cpp, 1);
         util_format_unpack_rgba(format, t[1], src->map + y0 * src->transfer->stride + x1 * cpp, 1);
         util_format_unpack_rgba(format, t[2], src->map + y1 * src->transfer->stride + x0 * cpp, 1);
         util_format_unpack_rgba(format, t[3], src->map + y1 * src->transfer->stride + x1 * cpp, 1);
         for (unsigned c = 0; c < 4; c++) {
            out[c] = (t[0][c] * (1 - fx) + t[1][c] * fx) * (1 - fy) + (t[2][c] * (1 - fx) + t[3][c] * fx) * fy;
         }
         util_format_pack_rgba(format, dst->map + y * dst->transfer->stride + x * cpp, out, 1);
      }
   }
}

static bool
copy_level(struct tegra20_context *ctx, struct tegra20_resource *dst, struct tegra20_resource *src, unsigned level,
           unsigned layer, enum tegra20_shadow_kind kind)
{
   struct mapped d, s;
   unsigned width = u_minify(src->base.width0, level), height = u_minify(src->base.height0, level);

   if (!map_level(ctx, &s, src, level, layer, PIPE_MAP_READ))
      return false;
   if (!map_level(ctx, &d, dst, level, layer, PIPE_MAP_WRITE | PIPE_MAP_DISCARD_RANGE)) {
      pipe_texture_unmap(&ctx->base, s.transfer);
      return false;
   }
   switch (kind) {
   case TEGRA20_SHADOW_DEPTH:
      convert_depth(&d, &s, src->base.format, width, height);
      break;
   case TEGRA20_SHADOW_POT:
      resample(&d, u_minify(dst->base.width0, level), u_minify(dst->base.height0, level), &s, width, height,
               src->base.format);
      break;
   case TEGRA20_SHADOW_POT_NEAREST:
      resample_nearest(&d, u_minify(dst->base.width0, level), u_minify(dst->base.height0, level), &s, width, height,
                       util_format_get_blocksize(src->base.format));
      break;
   default:
      break;
   }
   pipe_texture_unmap(&ctx->base, d.transfer);
   pipe_texture_unmap(&ctx->base, s.transfer);
   return true;
}

static bool
update(struct tegra20_context *ctx, struct tegra20_resource *res, struct tegra20_shadow *shadow)
{
   unsigned layers = MAX2(res->base.array_size, 1) * res->base.depth0;

   if (DBG(MSGS))
      tegra20_msg("copying a %ux%u %s texture for sampling", res->base.width0, res->base.height0,
                  util_format_short_name(res->base.format));
   for (unsigned l = 0; l <= shadow->copy->base.last_level; l++) {
      if (shadow->kind == TEGRA20_SHADOW_LINEAR) {
         struct pipe_box box;
         u_box_3d(0, 0, 0, u_minify(res->base.width0, l), u_minify(res->base.height0, l), layers, &box);
         ctx->base.resource_copy_region(&ctx->base, &shadow->copy->base, l, 0, 0, 0, &res->base, l, &box);
         continue;
      }
      for (unsigned layer = 0; layer < layers; layer++) {
         if (!copy_level(ctx, shadow->copy, res, l, layer, shadow->kind))
            return false;
      }
   }
   return true;
}

static struct tegra20_shadow *
create_shadow(const struct tegra20_resource *res, enum tegra20_shadow_kind kind)
{
   struct tegra20_shadow *shadow = CALLOC_STRUCT(tegra20_shadow);

   if (!shadow)
      return NULL;
   shadow->kind = kind;
   shadow->serial = p_atomic_read(&res->write_serial) - 1;
   shadow->copy = create_copy(res, kind);
   if (!shadow->copy) {
      FREE(shadow);
      return NULL;
   }
   return shadow;
}

/* Called under the lock of the screen. */
static struct tegra20_resource *
get_copy(struct tegra20_context *ctx, struct tegra20_resource *res, enum tegra20_shadow_kind kind)
{
   if (res->shadow && res->shadow->kind != kind)
      tegra20_shadow_destroy(res);
   if (!res->shadow)
      res->shadow = create_shadow(res, kind);
   struct tegra20_shadow *shadow = res->shadow;
   if (!shadow)
      return NULL;

   unsigned serial = p_atomic_read(&res->write_serial);
   if (shadow->serial != serial || (res->shared && shadow->shared_epoch != ctx->shared_epoch)) {
      if (!update(ctx, res, shadow))
         return NULL;
      shadow->serial = serial;
      shadow->shared_epoch = ctx->shared_epoch;
   }
   return shadow->copy;
}

struct tegra20_resource *
tegra20_shadow_get(struct tegra20_context *ctx, struct tegra20_resource *res, enum tegra20_shadow_kind kind)
{
   struct pipe_resource *copy = NULL;

   simple_mtx_lock(&ctx->screen->shadow_mutex);
   pipe_resource_reference(&copy, (struct pipe_resource *)get_copy(ctx, res, kind));
   simple_mtx_unlock(&ctx->screen->shadow_mutex);
   return tegra20_resource(copy);
}
