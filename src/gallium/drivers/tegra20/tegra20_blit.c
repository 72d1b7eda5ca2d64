/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Copies and blits.
 *
 * Copies of equal pixels go through the 2D engine, also of compressed blocks
 * and between tiled and linear surfaces. Blits that scale or convert are 3D
 * draws (u_blitter), unless the engine cannot sample the source or render to
 * the destination: depth and stencil, formats that are only textures.  Those
 * are done by the CPU.
 */

#include <string.h>

#include "util/format/u_format.h"
#include "util/u_blitter.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"
#include "util/u_surface.h"

#include "tegra20_context.h"
#include "tegra20_debug.h"
#include "tegra20_screen.h"

/* --- copies --- */

/* Copies rectangles of one surface each; coordinates in blocks. */
static bool
copy_surface(struct tegra20_context *ctx, struct tegra20_resource *dst,
             unsigned dst_level, unsigned dx, unsigned dy, unsigned dz,
             struct tegra20_resource *src, unsigned src_level,
             const struct pipe_box *box)
{
   unsigned bw = util_format_get_blockwidth(src->base.format),
            bh = util_format_get_blockheight(src->base.format);
   unsigned dbw = util_format_get_blockwidth(dst->base.format),
            dbh = util_format_get_blockheight(dst->base.format);
   unsigned cpp = tegra20_format_stored_cpp(src->base.format);
   unsigned words =
      cpp > 4 ? cpp / 4 : 1; /* large blocks are several 32-bit pixels */

   if (cpp != tegra20_format_stored_cpp(dst->base.format))
      return false;
   for (int z = 0; z < box->depth; z++) {
      const struct tegra20_gr2d_surface d =
         tegra20_gr2d_level(dst, dst_level);
      const struct tegra20_gr2d_surface s =
         tegra20_gr2d_level(src, src_level);
      unsigned dcx = tegra20_layout_cell_x(&dst->layout, dst_level, dz + z) /
                     (cpp / words);
      unsigned dcy = tegra20_layout_cell_y(&dst->layout, dst_level, dz + z);
      unsigned scx =
         tegra20_layout_cell_x(&src->layout, src_level, box->z + z) /
         (cpp / words);
      unsigned scy =
         tegra20_layout_cell_y(&src->layout, src_level, box->z + z);

      if (!tegra20_gr2d_copy(ctx, &d, dcx + dx / dbw * words, dcy + dy / dbh,
                             &s, scx + box->x / bw * words, scy + box->y / bh,
                             cpp / words,
                             DIV_ROUND_UP(box->width, bw) * words,
                             DIV_ROUND_UP(box->height, bh)))
         return false;
   }
   tegra20_context_writes(ctx, dst);
   return true;
}

#define ROW_BYTES 2048

/* As a surface whose rows follow each other without gaps: what precedes a
 * multiple of 16, whole rows, and the rest. */
void
tegra20_copy_buffer(struct tegra20_context *ctx, struct pipe_resource *dst,
                    unsigned dst_offset, struct pipe_resource *src,
                    unsigned src_offset, unsigned size)
{
   struct tegra20_resource *d = tegra20_resource(dst),
                           *s = tegra20_resource(src);

   assert(dst_offset % 16 == src_offset % 16);
   for (unsigned done = 0, bytes; done < size; done += bytes) {
      unsigned to = d->offset + dst_offset + done,
               from = s->offset + src_offset + done, x = to % 16;
      unsigned rows =
         x ? 0 : MIN2((size - done) / ROW_BYTES, TEGRA20_MAX_TEXTURE_SIZE);
      unsigned width = rows ? ROW_BYTES
                       : x  ? MIN2(16 - x, size - done)
                            : size - done;
      const struct tegra20_gr2d_surface a = { .bo = d->bo,
                                              .offset = to - x,
                                              .pitch = ROW_BYTES };
      const struct tegra20_gr2d_surface b = { .bo = s->bo,
                                              .offset = from - x,
                                              .pitch = ROW_BYTES };

      bytes = MAX2(rows, 1) * width;
      if (!tegra20_gr2d_copy(ctx, &a, x, 0, &b, x, 0, 1, width,
                             MAX2(rows, 1))) {
         tegra20_context_sync_bo(ctx, d->bo, TEGRA20_WRITE);
         memcpy((uint8_t *)tegra20_bo_map(d->bo) + to,
                (uint8_t *)tegra20_bo_map(s->bo) + from, bytes);
      }
   }
}

/* Does memory hold the same bits for the same block in both formats? */
static bool
same_storage(enum pipe_format a, enum pipe_format b)
{
   if (a == b)
      return true;
   return !tegra20_format_is_zs(a) && !tegra20_format_is_zs(b) &&
          a != PIPE_FORMAT_ETC1_RGB8 && b != PIPE_FORMAT_ETC1_RGB8;
}

static void
resource_copy_region(struct pipe_context *pctx, struct pipe_resource *dst,
                     unsigned dst_level, unsigned dx, unsigned dy,
                     unsigned dz, struct pipe_resource *src,
                     unsigned src_level, const struct pipe_box *box)
{
   struct tegra20_context *ctx = tegra20_context(pctx);
   struct tegra20_resource *d = tegra20_resource(dst),
                           *s = tegra20_resource(src);

   tegra20_finish_scratch(ctx, s);
   tegra20_finish_scratch(ctx, d);
   bool textures = dst->target != PIPE_BUFFER && src->target != PIPE_BUFFER;
   if (textures && !d->blocks && !s->blocks &&
       same_storage(dst->format, src->format) &&
       copy_surface(ctx, d, dst_level, dx, dy, dz, s, src_level, box)) {
      if (!d->stencil || !s->stencil ||
          copy_surface(ctx, d->stencil, dst_level, dx, dy, dz, s->stencil,
                       src_level, box))
         return;
   }
   /* The state tracker asks for it when levels of different formats are given
    * to a texture one by one. */
   if (util_format_get_blocksize(dst->format) !=
       util_format_get_blocksize(src->format)) {
      tegra20_msg_once("no copy from %s to %s: pixels of different sizes",
                       util_format_short_name(src->format),
                       util_format_short_name(dst->format));
      return;
   }
   ctx->stats.cpu_blits++;
   util_resource_copy_region(pctx, dst, dst_level, dx, dy, dz, src, src_level,
                             box);
}

/* --- blits with the CPU --- */

/* Source coordinate of a destination pixel's centre along one axis; negative
 * source sizes mirror. */
static float
source_coord(int dst, int dst_start, int dst_size, int src_start,
             int src_size)
{
   return src_start + (dst - dst_start + 0.5f) * src_size / dst_size;
}

static int
clamp_texel(float coord, int start, int size)
{
   int lo = size < 0 ? start + size : start,
       hi = (size < 0 ? start : start + size) - 1;

   return CLAMP((int)floorf(coord), lo, hi);
}

struct cpu_image {
   struct pipe_transfer *transfer;
   const uint8_t *map;
   unsigned stride, layer_stride;
   uint8_t *unpacked;   /* of compressed formats, else NULL */
   struct pipe_box box; /* mapped texels, never mirrored */
};

static void
normalized_box(const struct pipe_box *in, struct pipe_box *out)
{
   *out = *in;
   if (in->width < 0) {
      out->x = in->x + in->width;
      out->width = -in->width;
   }
   if (in->height < 0) {
      out->y = in->y + in->height;
      out->height = -in->height;
   }
   out->depth = abs(in->depth);
}

/* The texels around a point and their weights; one texel without a linear
 * filter. */
struct taps {
   unsigned count;
   const uint8_t *texel[4];
   float weight[4];
};

static void
find_taps(struct taps *taps, const struct cpu_image *src,
          enum pipe_format format, const struct pipe_box *box, float x,
          float y, bool linear)
{
   unsigned size = util_format_get_blocksize(format);
   int xs[2], ys[2];

   *taps = (struct taps){ .count = 1, .weight[0] = 1 };
   if (linear) {
      float fx = x - 0.5f - floorf(x - 0.5f),
            fy = y - 0.5f - floorf(y - 0.5f);
      taps->count = 4;
      taps->weight[0] = (1 - fx) * (1 - fy);
      taps->weight[1] = fx * (1 - fy);
      taps->weight[2] = (1 - fx) * fy;
      taps->weight[3] = fx * fy;
      x -= 0.5f;
      y -= 0.5f;
   }
   for (unsigned i = 0; i < 2; i++) {
      xs[i] = clamp_texel(x + i, box->x, box->width) - src->box.x;
      ys[i] = clamp_texel(y + i, box->y, box->height) - src->box.y;
   }
   for (unsigned i = 0; i < taps->count; i++)
      taps->texel[i] = src->map + ys[i >> 1] * src->stride + xs[i & 1] * size;
}

static void
sample(const struct cpu_image *src, enum pipe_format format,
       const struct pipe_box *box, float x, float y, bool linear,
       float rgba[4])
{
   struct taps taps;
   float texel[4];

   find_taps(&taps, src, format, box, x, y, linear);
   memset(rgba, 0, 4 * sizeof(float));
   for (unsigned i = 0; i < taps.count; i++) {
      util_format_unpack_rgba(format, texel, taps.texel[i], 1);
      for (unsigned c = 0; c < 4; c++)
         rgba[c] += taps.weight[i] * texel[c];
   }
}

static bool
inside_scissor(const struct pipe_blit_info *info, int x, int y)
{
   return !info->scissor_enable ||
          (x >= info->scissor.minx && x < info->scissor.maxx &&
           y >= info->scissor.miny && y < info->scissor.maxy);
}

/*
 * Depth and stencil of one pixel, each when both formats have it and the mask
 * names it.  GL blits them without a filter, but mipmaps of depth textures
 * are made with one.
 */
static void
blit_zs_pixel(const struct pipe_blit_info *info, uint8_t *dst,
              const struct cpu_image *src, float x, float y)
{
   const struct util_format_unpack_description *unpack =
      util_format_unpack_description(info->src.format);
   const struct util_format_pack_description *pack =
      util_format_pack_description(info->dst.format);
   struct taps taps;

   if ((info->mask & PIPE_MASK_Z) && unpack->unpack_z_32unorm &&
       pack->pack_z_32unorm) {
      double sum = 0;

      find_taps(&taps, src, info->src.format, &info->src.box, x, y,
                info->filter == PIPE_TEX_FILTER_LINEAR);
      for (unsigned i = 0; i < taps.count; i++) {
         uint32_t z;
         unpack->unpack_z_32unorm(&z, 0, taps.texel[i], 0, 1, 1);
         sum += (double)taps.weight[i] * z;
      }
      uint32_t z = MIN2(sum + 0.5, (double)UINT32_MAX);
      pack->pack_z_32unorm(dst, 0, &z, 0, 1, 1);
   }
   if ((info->mask & PIPE_MASK_S) && unpack->unpack_s_8uint &&
       pack->pack_s_8uint) {
      uint8_t s;
      find_taps(&taps, src, info->src.format, &info->src.box, x, y, false);
      unpack->unpack_s_8uint(&s, 0, taps.texel[0], 0, 1, 1);
      pack->pack_s_8uint(dst, 0, &s, 0, 1, 1);
   }
}

static void
blit_color_pixel(const struct pipe_blit_info *info, uint8_t *dst,
                 const struct cpu_image *src, const struct cpu_image *next,
                 float weight, float x, float y)
{
   bool linear = info->filter == PIPE_TEX_FILTER_LINEAR;
   float rgba[4], old[4];

   sample(src, info->src.format, &info->src.box, x, y, linear, rgba);
   if (weight > 0) {
      float other[4];
      sample(next, info->src.format, &info->src.box, x, y, linear, other);
      for (unsigned c = 0; c < 4; c++)
         rgba[c] += weight * (other[c] - rgba[c]);
   }
   if ((info->mask & PIPE_MASK_RGBA) != PIPE_MASK_RGBA) {
      util_format_unpack_rgba(info->dst.format, old, dst, 1);
      for (unsigned c = 0; c < 4; c++)
         rgba[c] = info->mask & (PIPE_MASK_R << c) ? rgba[c] : old[c];
   }
   util_format_pack_rgba(info->dst.format, dst, rgba, 1);
}

static bool
map_image(struct tegra20_context *ctx, struct cpu_image *image,
          struct pipe_resource *res, unsigned level,
          const struct pipe_box *box, unsigned usage)
{
   normalized_box(box, &image->box);
   image->unpacked = NULL;
   image->map = ctx->base.texture_map(&ctx->base, res, level, usage,
                                      &image->box, &image->transfer);
   if (!image->map)
      return false;
   image->stride = image->transfer->stride;
   image->layer_stride = image->transfer->layer_stride;
   return true;
}

/* Replaces compressed texels by RGBA8888 ones. */
static bool
unpack_image(struct cpu_image *image, enum pipe_format *format)
{
   unsigned stride = image->box.width * 4;

   if (!util_format_is_compressed(*format))
      return true;
   image->unpacked = MALLOC(stride * image->box.height * image->box.depth);
   if (!image->unpacked)
      return false;
   for (int z = 0; z < image->box.depth; z++) {
      util_format_unpack_rgba_8unorm_rect(
         util_format_linear(*format),
         image->unpacked + z * stride * image->box.height, stride,
         image->map + z * image->layer_stride, image->stride,
         image->box.width, image->box.height);
   }
   *format = util_format_is_srgb(*format) ? PIPE_FORMAT_R8G8B8A8_SRGB
                                          : PIPE_FORMAT_R8G8B8A8_UNORM;
   image->map = image->unpacked;
   image->stride = stride;
   image->layer_stride = stride * image->box.height;
   return true;
}

static void
unmap_image(struct tegra20_context *ctx, struct cpu_image *image)
{
   ctx->base.texture_unmap(&ctx->base, image->transfer);
   FREE(image->unpacked);
}

static void
blit_pixels(const struct pipe_blit_info *info, const struct cpu_image *dst,
            const struct cpu_image *src)
{
   bool zs = util_format_is_depth_or_stencil(info->dst.format);
   unsigned dst_size = util_format_get_blocksize(info->dst.format);

   for (int z = 0; z < dst->box.depth; z++) {
      struct cpu_image layer = *src, next = *src;
      /* slices of 3D textures are mixed like texels */
      float sz = (z + 0.5f) * src->box.depth / dst->box.depth - 0.5f;
      int z0 = CLAMP((int)floorf(sz), 0, src->box.depth - 1),
          z1 = MIN2(z0 + 1, src->box.depth - 1);
      float weight = info->filter == PIPE_TEX_FILTER_LINEAR
                        ? CLAMP(sz - z0, 0.0f, 1.0f)
                        : 0;

      if (info->filter != PIPE_TEX_FILTER_LINEAR)
         z0 = CLAMP((int)floorf(sz + 0.5f), 0, src->box.depth - 1);
      layer.map += z0 * src->layer_stride;
      next.map += z1 * src->layer_stride;

      for (int y = dst->box.y; y < dst->box.y + dst->box.height; y++) {
         for (int x = dst->box.x; x < dst->box.x + dst->box.width; x++) {
            if (!inside_scissor(info, x, y))
               continue;
            float sx = source_coord(x, info->dst.box.x, info->dst.box.width,
                                    info->src.box.x, info->src.box.width);
            float sy = source_coord(y, info->dst.box.y, info->dst.box.height,
                                    info->src.box.y, info->src.box.height);
            uint8_t *to = (uint8_t *)dst->map + z * dst->layer_stride +
                          (y - dst->box.y) * dst->stride +
                          (x - dst->box.x) * dst_size;

            if (zs)
               blit_zs_pixel(info, to, &layer, sx, sy);
            else
               blit_color_pixel(info, to, &layer, &next, weight, sx, sy);
         }
      }
   }
}

static void
blit_with_cpu(struct tegra20_context *ctx,
              const struct pipe_blit_info *original)
{
   struct pipe_blit_info info = *original;
   struct cpu_image src, dst;

   ctx->stats.cpu_blits++;
   if (util_format_is_depth_or_stencil(info.dst.format) !=
          util_format_is_depth_or_stencil(info.src.format) ||
       util_format_is_compressed(info.dst.format)) {
      tegra20_msg_once("cannot blit %s to %s",
                       util_format_short_name(info.src.format),
                       util_format_short_name(info.dst.format));
      return;
   }
   if (!map_image(ctx, &src, info.src.resource, info.src.level, &info.src.box,
                  PIPE_MAP_READ))
      return;
   if (unpack_image(&src, &info.src.format) &&
       map_image(ctx, &dst, info.dst.resource, info.dst.level, &info.dst.box,
                 PIPE_MAP_READ | PIPE_MAP_WRITE)) {
      blit_pixels(&info, &dst, &src);
      unmap_image(ctx, &dst);
   }
   unmap_image(ctx, &src);
}

/* --- blits --- */

void
tegra20_blitter_save(struct tegra20_context *ctx, bool render_condition)
{
   struct blitter_context *b = ctx->blitter;

   util_blitter_save_vertex_buffers(b, ctx->vertex_buffers,
                                    ctx->num_vertex_buffers);
   util_blitter_save_vertex_elements(b, ctx->elements);
   util_blitter_save_vertex_shader(b, ctx->bound_vs);
   util_blitter_save_rasterizer(b, ctx->rasterizer);
   util_blitter_save_viewport(b, &ctx->viewport);
   util_blitter_save_scissor(b, &ctx->scissor);
   util_blitter_save_fragment_shader(b, ctx->bound_fs);
   util_blitter_save_blend(b, ctx->blend);
   util_blitter_save_depth_stencil_alpha(b, ctx->zsa);
   util_blitter_save_stencil_ref(b, &ctx->stencil_ref);
   util_blitter_save_sample_mask(b, ctx->sample_mask, 0);
   util_blitter_save_framebuffer(b, &ctx->framebuffer);
   util_blitter_save_fragment_sampler_states(b, ctx->num_samplers,
                                             (void **)ctx->samplers);
   util_blitter_save_fragment_sampler_views(
      b, ctx->num_views, (struct pipe_sampler_view **)ctx->views);
   util_blitter_save_fragment_constant_buffer_slot(b, &ctx->constants[1]);
   if (!render_condition)
      util_blitter_save_render_condition(
         b, ctx->condition, ctx->condition_value, ctx->condition_mode);
}

static bool
engine_can_blit(struct tegra20_context *ctx,
                const struct pipe_blit_info *info)
{
   const struct tegra20_format *src = tegra20_format_info(info->src.format);
   const struct tegra20_format *dst = tegra20_format_info(info->dst.format);

   return src && dst && dst->target && !(info->mask & PIPE_MASK_ZS) &&
          info->src.resource->target != PIPE_TEXTURE_3D &&
          info->src.resource->target != PIPE_TEXTURE_CUBE &&
          util_blitter_is_blit_supported(ctx->blitter, info);
}

static void
blit(struct pipe_context *pctx, const struct pipe_blit_info *info)
{
   struct tegra20_context *ctx = tegra20_context(pctx);

   if (info->render_condition_enable && !tegra20_context_condition(ctx))
      return;
   tegra20_finish_scratch(ctx, NULL);
   if (util_try_blit_via_copy_region(pctx, info, false))
      return;
   if (engine_can_blit(ctx, info)) {
      tegra20_blitter_save(ctx, info->render_condition_enable);
      util_blitter_blit(ctx->blitter, info, NULL);
   } else {
      blit_with_cpu(ctx, info);
   }
}

static void
flush_resource(struct pipe_context *pctx, struct pipe_resource *res)
{
}

static void
invalidate_resource(struct pipe_context *pctx, struct pipe_resource *res)
{
}

void
tegra20_blit_init(struct tegra20_context *ctx)
{
   ctx->base.resource_copy_region = resource_copy_region;
   ctx->base.blit = blit;
   ctx->base.flush_resource = flush_resource;
   ctx->base.invalidate_resource = invalidate_resource;
}
