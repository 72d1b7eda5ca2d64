/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "tegra20_image.h"

#include <math.h>
#include <string.h>

#include "util/format/u_format.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"

#include "tegra20_context.h"

bool
tegra20_image_alloc(struct tegra20_image *image, unsigned width,
                    unsigned height)
{
   image->width = width;
   image->height = height;
   image->texels = MALLOC(sizeof(float) * 4 * width * height);
   return image->texels;
}

void
tegra20_image_free(struct tegra20_image *image)
{
   FREE(image->texels);
   image->texels = NULL;
}

bool
tegra20_image_read(struct tegra20_context *ctx, struct tegra20_image *image,
                   struct tegra20_resource *res, unsigned level,
                   unsigned layer)
{
   unsigned width = u_minify(res->base.width0, level),
            height = u_minify(res->base.height0, level);
   /* compressed formats are unpacked by whole blocks */
   unsigned stride =
      align(width, util_format_get_blockwidth(res->base.format));
   struct pipe_transfer *transfer;

   if (!tegra20_image_alloc(
          image, stride,
          align(height, util_format_get_blockheight(res->base.format))))
      return false;
   const uint8_t *map =
      pipe_texture_map(&ctx->base, &res->base, level, layer, PIPE_MAP_READ, 0,
                       0, width, height, &transfer);
   if (!map) {
      tegra20_image_free(image);
      return false;
   }
   util_format_read_4(res->base.format, image->texels,
                      stride * 4 * sizeof(float), map, transfer->stride, 0, 0,
                      width, height);
   pipe_texture_unmap(&ctx->base, transfer);
   for (unsigned y = 1; y < height && stride != width; y++)
      memmove(&image->texels[4 * y * width], &image->texels[4 * y * stride],
              width * 4 * sizeof(float));
   image->width = width;
   image->height = height;
   return true;
}

bool
tegra20_image_write(struct tegra20_context *ctx,
                    const struct tegra20_image *image,
                    struct tegra20_resource *res, unsigned level,
                    unsigned layer)
{
   struct pipe_transfer *transfer;
   uint8_t *map = pipe_texture_map(&ctx->base, &res->base, level, layer,
                                   PIPE_MAP_WRITE | PIPE_MAP_DISCARD_RANGE, 0,
                                   0, image->width, image->height, &transfer);

   if (!map)
      return false;
   util_format_write_4(res->base.format, image->texels,
                       image->width * 4 * sizeof(float), map,
                       transfer->stride, 0, 0, image->width, image->height);
   pipe_texture_unmap(&ctx->base, transfer);
   return true;
}

/* --- scaling --- */

/* Which two texels of an axis make a texel of the other size, and the weight
 * of the second; size: where the image ends. */
struct tap {
   unsigned first, second;
   float weight;
};

static struct tap
tap(unsigned i, double size, unsigned from, bool linear)
{
   if (!linear) {
      unsigned nearest =
         MIN2((unsigned)floor((i + 0.5) * from / size), from - 1);
      return (struct tap){ .first = nearest, .second = nearest };
   }

   float position = CLAMP((i + 0.5) * from / size - 0.5, 0.0, from - 1.0);
   unsigned first = floorf(position);
   return (struct tap){ .first = first,
                        .second = MIN2(first + 1, from - 1),
                        .weight = position - first };
}

static void
mix_texels(float *out, const float *a, const float *b, float weight)
{
   for (unsigned c = 0; c < 4; c++)
      out[c] = a[c] + weight * (b[c] - a[c]);
}

bool
tegra20_image_scale(struct tegra20_image *image, unsigned width,
                    unsigned height, bool linear)
{
   if (width == image->width && height == image->height)
      return true;
   return tegra20_image_place(image, width, height, width, height, linear);
}

bool
tegra20_image_place(struct tegra20_image *image, unsigned width,
                    unsigned height, float right, float top, bool linear)
{
   struct tegra20_image scaled;

   if (!tegra20_image_alloc(&scaled, width, height))
      return false;
   for (unsigned y = 0; y < height; y++) {
      const struct tap v = tap(y, top, image->height, linear);

      for (unsigned x = 0; x < width; x++) {
         const struct tap u = tap(x, right, image->width, linear);
         float rows[2][4];

         mix_texels(rows[0], tegra20_image_texel(image, u.first, v.first),
                    tegra20_image_texel(image, u.second, v.first), u.weight);
         mix_texels(rows[1], tegra20_image_texel(image, u.first, v.second),
                    tegra20_image_texel(image, u.second, v.second), u.weight);
         mix_texels(tegra20_image_texel(&scaled, x, y), rows[0], rows[1],
                    v.weight);
      }
   }
   tegra20_image_free(image);
   *image = scaled;
   return true;
}

void
tegra20_image_mix(struct tegra20_image *image,
                  const struct tegra20_image *other, float weight)
{
   for (unsigned i = 0; i < 4 * image->width * image->height; i++)
      image->texels[i] += weight * (other->texels[i] - image->texels[i]);
}
