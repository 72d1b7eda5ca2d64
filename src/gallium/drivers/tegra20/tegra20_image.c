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

#include "tegra20_resource.h"

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

/* --- texels and memory --- */

static void
tegra20_image_unpack_zs(struct tegra20_image *image, enum pipe_format format,
                        const uint8_t *map, unsigned stride)
{
   const struct util_format_unpack_description *unpack =
      util_format_unpack_description(format);
   const unsigned cpp = util_format_get_blocksize(format);

   for (unsigned y = 0; y < image->height; y++) {
      for (unsigned x = 0; x < image->width; x++) {
         const uint8_t *from = map + y * stride + x * cpp;
         float *to = tegra20_image_texel(image, x, y);
         uint8_t stencil = 0;

         memset(to, 0, 4 * sizeof(*to));
         if (unpack->unpack_z_float)
            unpack->unpack_z_float(to, 0, from, 0, 1, 1);
         if (unpack->unpack_s_8uint)
            unpack->unpack_s_8uint(&stencil, 0, from, 0, 1, 1);
         to[1] = stencil;
      }
   }
}

static void
tegra20_image_pack_zs(const struct tegra20_image *image,
                      enum pipe_format format, uint8_t *map, unsigned stride,
                      unsigned zs)
{
   const struct util_format_pack_description *pack =
      util_format_pack_description(format);
   const unsigned cpp = util_format_get_blocksize(format);

   for (unsigned y = 0; y < image->height; y++) {
      for (unsigned x = 0; x < image->width; x++) {
         uint8_t *to = map + y * stride + x * cpp;
         const float *from = tegra20_image_texel(image, x, y);
         const uint8_t stencil = from[1];

         if ((zs & PIPE_MASK_Z) && pack->pack_z_float)
            pack->pack_z_float(to, 0, from, 0, 1, 1);
         if ((zs & PIPE_MASK_S) && pack->pack_s_8uint)
            pack->pack_s_8uint(to, 0, &stencil, 0, 1, 1);
      }
   }
}

/* Crops the image to the part that begins at (x, y). */
static void
tegra20_image_crop(struct tegra20_image *image, unsigned x, unsigned y,
                   unsigned width, unsigned height)
{
   const unsigned stride = image->width;

   for (unsigned row = 0; row < height && stride != width; row++)
      memmove(&image->texels[4 * row * width],
              &image->texels[4 * ((y + row) * stride + x)],
              width * 4 * sizeof(float));
   if (stride == width && y)
      memmove(image->texels, &image->texels[4 * y * stride],
              height * width * 4 * sizeof(float));
   image->width = width;
   image->height = height;
}

/* Not pipe_get_tile_rgba(): it writes behind rows that end within a block of
 * a compressed format. */
bool
tegra20_image_read(struct tegra20_context *ctx, struct tegra20_image *image,
                   struct tegra20_resource *res, unsigned level,
                   const struct pipe_box *box, enum pipe_format format)
{
   const unsigned bw = util_format_get_blockwidth(format),
                  bh = util_format_get_blockheight(format);
   const unsigned x = box->x % bw, y = box->y % bh;
   const struct pipe_box whole = {
      .x = box->x - x,
      .y = box->y - y,
      .z = box->z,
      .width = box->width + x,
      .height = box->height + y,
      .depth = 1,
   };
   struct pipe_transfer *transfer;

   if (!tegra20_image_alloc(image, align(whole.width, bw),
                            align(whole.height, bh)))
      return false;
   const uint8_t *map = ctx->base.texture_map(
      &ctx->base, &res->base, level, PIPE_MAP_READ, &whole, &transfer);
   if (!map) {
      tegra20_image_free(image);
      return false;
   }
   if (util_format_is_depth_or_stencil(format))
      tegra20_image_unpack_zs(image, format, map, transfer->stride);
   else
      util_format_read_4(format, image->texels,
                         image->width * 4 * sizeof(float), map,
                         transfer->stride, 0, 0, whole.width, whole.height);
   pipe_texture_unmap(&ctx->base, transfer);
   tegra20_image_crop(image, x, y, box->width, box->height);
   return true;
}

bool
tegra20_image_write(struct tegra20_context *ctx,
                    const struct tegra20_image *image,
                    struct tegra20_resource *res, unsigned level,
                    const struct pipe_box *box, enum pipe_format format,
                    unsigned zs)
{
   const bool is_zs = util_format_is_depth_or_stencil(format);
   struct pipe_transfer *transfer;
   uint8_t *map = ctx->base.texture_map(
      &ctx->base, &res->base, level,
      PIPE_MAP_WRITE | (is_zs ? PIPE_MAP_READ : PIPE_MAP_DISCARD_RANGE), box,
      &transfer);

   if (!map)
      return false;
   if (is_zs)
      tegra20_image_pack_zs(image, format, map, transfer->stride, zs);
   else
      util_format_write_4(
         format, image->texels, image->width * 4 * sizeof(float), map,
         transfer->stride, 0, 0, image->width, image->height);
   pipe_texture_unmap(&ctx->base, transfer);
   return true;
}

static struct pipe_box
tegra20_layer_box(const struct tegra20_resource *res, unsigned level,
                  unsigned layer)
{
   return (struct pipe_box){
      .z = layer,
      .width = u_minify(res->base.width0, level),
      .height = u_minify(res->base.height0, level),
      .depth = 1,
   };
}

bool
tegra20_image_read_layer(struct tegra20_context *ctx,
                         struct tegra20_image *image,
                         struct tegra20_resource *res, unsigned level,
                         unsigned layer)
{
   const struct pipe_box box = tegra20_layer_box(res, level, layer);

   return tegra20_image_read(ctx, image, res, level, &box, res->base.format);
}

bool
tegra20_image_write_layer(struct tegra20_context *ctx,
                          const struct tegra20_image *image,
                          struct tegra20_resource *res, unsigned level,
                          unsigned layer)
{
   const struct pipe_box box = tegra20_layer_box(res, level, layer);

   return tegra20_image_write(ctx, image, res, level, &box, res->base.format,
                              0);
}

/* --- sampling --- */

static void
tegra20_mix_texels(float *out, const float *a, const float *b, float weight)
{
   for (unsigned c = 0; c < 4; c++)
      out[c] = a[c] + weight * (b[c] - a[c]);
}

void
tegra20_image_sample(const struct tegra20_image *image, double x, double y,
                     bool linear, float texel[4])
{
   const double right = image->width - 1, top = image->height - 1;
   float rows[2][4];

   if (!linear) {
      memcpy(texel,
             tegra20_image_texel(image, CLAMP(floor(x), 0, right),
                                 CLAMP(floor(y), 0, top)),
             4 * sizeof(float));
      return;
   }
   x = CLAMP(x - 0.5, 0, right);
   y = CLAMP(y - 0.5, 0, top);
   const unsigned x0 = x, x1 = MIN2(x0 + 1, right);
   const unsigned y0 = y, y1 = MIN2(y0 + 1, top);

   tegra20_mix_texels(rows[0], tegra20_image_texel(image, x0, y0),
                      tegra20_image_texel(image, x1, y0), x - x0);
   tegra20_mix_texels(rows[1], tegra20_image_texel(image, x0, y1),
                      tegra20_image_texel(image, x1, y1), x - x0);
   tegra20_mix_texels(texel, rows[0], rows[1], y - y0);
}

bool
tegra20_image_scale(struct tegra20_image *image, unsigned width,
                    unsigned height, bool linear)
{
   if (width == image->width && height == image->height)
      return true;
   return tegra20_image_place(image, width, height,
                              (const double[2]){ width, height }, 0, linear);
}

/* A row or a column of floats. */
struct tegra20_line {
   float *texels;
   unsigned stride, count;
};

static float *
tegra20_line_texel(const struct tegra20_line *line, int i)
{
   return &line->texels[CLAMP(i, 0, (int)line->count - 1) * line->stride];
}

/*
 * A linear filter at position between to[0] and to[1] shall find a texel: the
 * least change that gives it, without texels beyond the neighbours of the
 * original.
 */
static void
tegra20_line_correct(float *const to[2], float position,
                     const struct tegra20_line *from, unsigned i)
{
   const float texel = *tegra20_line_texel(from, i),
               before = *tegra20_line_texel(from, (int)i - 1),
               behind = *tegra20_line_texel(from, i + 1);
   const float low = MIN3(before, texel, behind),
               high = MAX3(before, texel, behind);
   const float weight[2] = { 1 - position, position };
   const unsigned near = position > 0.5f, far = !near;
   /* of one that the filter hardly sees, a lot would change for nothing */
   const float little = 0.0005f;
   const float share[3] = {
      weight[near] / (weight[0] * weight[0] + weight[1] * weight[1]),
      weight[far] / (weight[far] * weight[far] + little),
      1 / weight[near],
   };

   for (unsigned step = 0; step < 3; step++) {
      float *one = to[step == 1 ? far : near];
      const float missing = texel - weight[0] * *to[0] - weight[1] * *to[1];

      *one = CLAMP(*one + missing * share[step], low, high);
   }
}

/* One axis of tegra20_image_place(). */
static void
tegra20_line_place(const struct tegra20_line *to,
                   const struct tegra20_line *from, double size, double start,
                   bool linear)
{
   for (unsigned i = 0; i < to->count; i++) {
      const double at = (i + 0.5 - start) * from->count / size;
      const double left = floor(at - 0.5);
      const float a = *tegra20_line_texel(from, left),
                  b = *tegra20_line_texel(from, left + 1);

      *tegra20_line_texel(to, i) = linear
                                      ? a + (at - 0.5 - left) * (b - a)
                                      : *tegra20_line_texel(from, floor(at));
   }
   /* closer than two texels to each other they would share some */
   for (unsigned i = 0; linear && size >= 2 * from->count && i < from->count;
        i++) {
      const double at = start + (i + 0.5) * size / from->count - 0.5;
      float *pair[2] = { tegra20_line_texel(to, floor(at)),
                         tegra20_line_texel(to, floor(at) + 1) };

      tegra20_line_correct(pair, at - floor(at), from, i);
   }
}

bool
tegra20_image_place(struct tegra20_image *image, unsigned width,
                    unsigned height, const double size[2], double start,
                    bool linear)
{
   struct tegra20_image wide, scaled;

   if (!tegra20_image_alloc(&wide, width, image->height))
      return false;
   if (!tegra20_image_alloc(&scaled, width, height)) {
      tegra20_image_free(&wide);
      return false;
   }
   for (unsigned i = 0; i < 4 * image->height; i++)
      tegra20_line_place(
         &(struct tegra20_line){ tegra20_image_texel(&wide, 0, i / 4) + i % 4,
                                 4, width },
         &(struct tegra20_line){ tegra20_image_texel(image, 0, i / 4) + i % 4,
                                 4, image->width },
         size[0], start, linear);
   for (unsigned i = 0; i < 4 * width; i++)
      tegra20_line_place(
         &(struct tegra20_line){ scaled.texels + i, 4 * width, height },
         &(struct tegra20_line){ wide.texels + i, 4 * width, image->height },
         size[1], start, linear);
   tegra20_image_free(&wide);
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
