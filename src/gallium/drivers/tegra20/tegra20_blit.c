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
#include "util/u_gen_mipmap.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"
#include "util/u_surface.h"

#include "tegra20_blit_draw.h"
#include "tegra20_context.h"
#include "tegra20_debug.h"
#include "tegra20_gr2d.h"
#include "tegra20_image.h"
#include "tegra20_samples.h"
#include "tegra20_screen.h"

/* --- copies --- */

/* Copies rectangles of one surface each; coordinates in blocks. */
static bool
tegra20_copy_surface(struct tegra20_context *ctx,
                     struct tegra20_resource *dst, unsigned dst_level,
                     unsigned dx, unsigned dy, unsigned dz,
                     struct tegra20_resource *src, unsigned src_level,
                     const struct pipe_box *box)
{
   unsigned bw = util_format_get_blockwidth(src->base.format),
            bh = util_format_get_blockheight(src->base.format);
   unsigned dbw = util_format_get_blockwidth(dst->base.format),
            dbh = util_format_get_blockheight(dst->base.format);
   unsigned cpp = tegra20_format_stored_cpp(src->storage);
   unsigned words =
      cpp > 4 ? cpp / 4 : 1; /* large blocks are several 32-bit pixels */

   if (cpp != tegra20_format_stored_cpp(dst->storage))
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

/* As a surface whose rows follow each other without gaps: the bytes before a
 * multiple of 16, whole rows, and the others.  No engine writes the source,
 * it is memory for uploads. */
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
tegra20_same_storage(const struct tegra20_resource *dst,
                     const struct tegra20_resource *src)
{
   const enum pipe_format a = dst->base.format, b = src->base.format;

   if (tegra20_resource_is_wide(dst) != tegra20_resource_is_wide(src))
      return false;
   if (a == b)
      return true;
   return !tegra20_format_is_zs(a) && !tegra20_format_is_zs(b) &&
          a != PIPE_FORMAT_ETC1_RGB8 && b != PIPE_FORMAT_ETC1_RGB8;
}

bool
tegra20_copy_texture(struct tegra20_context *ctx,
                     struct tegra20_resource *dst, unsigned dst_level,
                     unsigned dx, unsigned dy, unsigned dz,
                     struct tegra20_resource *src, unsigned src_level,
                     const struct pipe_box *box)
{
   if (dst->blocks || src->blocks || !tegra20_same_storage(dst, src) ||
       !tegra20_copy_surface(ctx, dst, dst_level, dx, dy, dz, src, src_level,
                             box))
      return false;
   return !dst->stencil || !src->stencil ||
          tegra20_copy_surface(ctx, dst->stencil, dst_level, dx, dy, dz,
                               src->stencil, src_level, box);
}

static void
tegra20_resource_copy_region(struct pipe_context *pctx,
                             struct pipe_resource *dst, unsigned dst_level,
                             unsigned dx, unsigned dy, unsigned dz,
                             struct pipe_resource *src, unsigned src_level,
                             const struct pipe_box *box)
{
   struct tegra20_context *ctx = tegra20_context(pctx);
   struct tegra20_resource *d = tegra20_resource(dst),
                           *s = tegra20_resource(src);

   if (d->samples && s->samples) {
      struct pipe_box samples = *box;

      tegra20_samples_scale_box(&samples);
      tegra20_resource_copy_region(pctx, &d->samples->base, dst_level, dx * 2,
                                   dy * 2, dz, &s->samples->base, src_level,
                                   &samples);
      return;
   }
   tegra20_finish_scratch(ctx, s);
   tegra20_finish_scratch(ctx, d);
   bool textures = dst->target != PIPE_BUFFER && src->target != PIPE_BUFFER;
   if (textures &&
       tegra20_copy_texture(ctx, d, dst_level, dx, dy, dz, s, src_level, box))
      return;
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

static struct pipe_box
tegra20_unmirrored_box(const struct pipe_box *in)
{
   struct pipe_box out = *in;

   out.x = MIN2(in->x, in->x + in->width);
   out.y = MIN2(in->y, in->y + in->height);
   out.width = abs(in->width);
   out.height = abs(in->height);
   out.depth = abs(in->depth);
   return out;
}

/* The written rectangle: the destination within the scissor. */
static struct pipe_box
tegra20_blit_area(const struct pipe_blit_info *info)
{
   struct pipe_box area = tegra20_unmirrored_box(&info->dst.box);
   int right = area.x + area.width, top = area.y + area.height;

   if (info->scissor_enable) {
      area.x = MAX2(area.x, info->scissor.minx);
      area.y = MAX2(area.y, info->scissor.miny);
      right = MIN2(right, info->scissor.maxx);
      top = MIN2(top, info->scissor.maxy);
   }
   area.width = MAX2(right - area.x, 0);
   area.height = MAX2(top - area.y, 0);
   return area;
}

/* A layer of the source; slices of 3D textures are mixed like texels. */
static bool
tegra20_blit_read(struct tegra20_context *ctx,
                  const struct pipe_blit_info *info, int z,
                  struct tegra20_image *image)
{
   struct tegra20_resource *src = tegra20_resource(info->src.resource);
   struct pipe_box box = tegra20_unmirrored_box(&info->src.box);
   const bool linear = info->filter == PIPE_TEX_FILTER_LINEAR;
   const int first = box.z, last = box.depth - 1;
   const float position =
      (z + 0.5f) * box.depth / abs(info->dst.box.depth) - 0.5f;
   const int z0 =
      CLAMP((int)floorf(linear ? position : position + 0.5f), 0, last);
   const float weight = linear ? CLAMP(position - z0, 0.0f, 1.0f) : 0;
   struct tegra20_image next;

   box.depth = 1;
   box.z = first + z0;
   if (!tegra20_image_read(ctx, image, src, info->src.level, &box,
                           info->src.format))
      return false;
   if (weight == 0 || z0 == last)
      return true;
   box.z++;
   if (!tegra20_image_read(ctx, &next, src, info->src.level, &box,
                           info->src.format))
      return true;
   tegra20_image_mix(image, &next, weight);
   tegra20_image_free(&next);
   return true;
}

/* Source coordinate of a pixel's centre along one axis, from the smaller end
 * of the source; negative sizes mirror. */
static double
tegra20_blit_coord(int pixel, int dst, int dst_size, int src_size)
{
   const double at = (pixel - dst + 0.5) * src_size / dst_size;

   return src_size < 0 ? at - src_size : at;
}

/* Of depth and stencil, only depth is filtered: GL blits them without a
 * filter, but mipmaps of depth textures are made with one. */
static void
tegra20_blit_texels(const struct pipe_blit_info *info,
                    const struct tegra20_image *src,
                    const struct pipe_box *area, struct tegra20_image *dst)
{
   const struct pipe_box *from = &info->src.box, *to = &info->dst.box;
   const bool zs = util_format_is_depth_or_stencil(info->dst.format);
   const bool linear = info->filter == PIPE_TEX_FILTER_LINEAR;

   for (int y = 0; y < area->height; y++) {
      const double v =
         tegra20_blit_coord(area->y + y, to->y, to->height, from->height);

      for (int x = 0; x < area->width; x++) {
         const double u =
            tegra20_blit_coord(area->x + x, to->x, to->width, from->width);
         float *texel = tegra20_image_texel(dst, x, y), sample[4];

         tegra20_image_sample(src, u, v, linear, sample);
         if (zs && linear) {
            float nearest[4];
            tegra20_image_sample(src, u, v, false, nearest);
            sample[1] = nearest[1];
         }
         for (unsigned c = 0; c < 4; c++) {
            if (zs || (info->mask & (PIPE_MASK_R << c)))
               texel[c] = sample[c];
         }
      }
   }
}

static void
tegra20_blit_layer(struct tegra20_context *ctx,
                   const struct pipe_blit_info *info,
                   const struct pipe_box *area, unsigned zs)
{
   struct tegra20_resource *res = tegra20_resource(info->dst.resource);
   const bool partial =
      !zs && (info->mask & PIPE_MASK_RGBA) != PIPE_MASK_RGBA;
   struct tegra20_image src, dst;

   if (!tegra20_blit_read(ctx, info, area->z - info->dst.box.z, &src))
      return;
   bool ok = partial ? tegra20_image_read(ctx, &dst, res, info->dst.level,
                                          area, info->dst.format)
                     : tegra20_image_alloc(&dst, area->width, area->height);
   if (ok) {
      tegra20_blit_texels(info, &src, area, &dst);
      tegra20_image_write(ctx, &dst, res, info->dst.level, area,
                          info->dst.format, zs);
      tegra20_image_free(&dst);
   }
   tegra20_image_free(&src);
}

static void
tegra20_blit_with_cpu(struct tegra20_context *ctx,
                      const struct pipe_blit_info *info)
{
   const struct util_format_unpack_description *unpack =
      util_format_unpack_description(info->src.format);
   struct pipe_box area = tegra20_blit_area(info);
   const int depth = area.depth;
   unsigned zs = 0;

   ctx->stats.cpu_blits++;
   if (util_format_is_depth_or_stencil(info->dst.format) !=
          util_format_is_depth_or_stencil(info->src.format) ||
       util_format_is_compressed(info->dst.format)) {
      tegra20_msg_once("cannot blit %s to %s",
                       util_format_short_name(info->src.format),
                       util_format_short_name(info->dst.format));
      return;
   }
   /* each when both formats have it */
   if (unpack->unpack_z_float)
      zs |= info->mask & PIPE_MASK_Z;
   if (unpack->unpack_s_8uint)
      zs |= info->mask & PIPE_MASK_S;
   if (!area.width || !area.height ||
       (util_format_is_depth_or_stencil(info->dst.format) && !zs))
      return;
   area.depth = 1;
   for (int z = 0; z < depth; z++, area.z++)
      tegra20_blit_layer(ctx, info, &area, zs);
}

/* --- blits --- */

static bool
tegra20_engine_can_blit(struct tegra20_context *ctx,
                        const struct pipe_blit_info *info)
{
   const struct tegra20_format *src = tegra20_format_info(info->src.format);
   const struct tegra20_format *dst = tegra20_format_info(info->dst.format);

   return src && dst && dst->target && !(info->mask & PIPE_MASK_ZS) &&
          info->src.resource->target != PIPE_TEXTURE_3D &&
          info->src.resource->target != PIPE_TEXTURE_CUBE &&
          util_blitter_is_blit_supported(ctx->blitter, info);
}

/* Whether a draw would sample the image that it writes. */
static bool
tegra20_blit_reads_target(const struct pipe_blit_info *info)
{
   return info->src.resource == info->dst.resource &&
          info->src.level == info->dst.level &&
          info->src.box.z < info->dst.box.z + abs(info->dst.box.depth) &&
          info->dst.box.z < info->src.box.z + abs(info->src.box.depth);
}

/* Moves the source of a blit of one layer to a texture of its own, which the
 * caller releases.  NULL when there is no memory for it. */
static struct pipe_resource *
tegra20_blit_copy_source(struct tegra20_context *ctx,
                         struct pipe_blit_info *info)
{
   struct pipe_context *pctx = &ctx->base;
   const struct pipe_box box = tegra20_unmirrored_box(&info->src.box);
   const struct pipe_resource template = {
      .target = PIPE_TEXTURE_2D,
      .format = info->src.resource->format,
      .width0 = box.width,
      .height0 = box.height,
      .depth0 = 1,
      .array_size = 1,
      .bind = PIPE_BIND_SAMPLER_VIEW | PIPE_BIND_RENDER_TARGET,
   };
   struct pipe_resource *copy =
      pctx->screen->resource_create(pctx->screen, &template);

   if (!copy)
      return NULL;
   pctx->resource_copy_region(pctx, copy, 0, 0, 0, 0, info->src.resource,
                              info->src.level, &box);
   info->src.resource = copy;
   info->src.level = 0;
   info->src.box.x -= box.x;
   info->src.box.y -= box.y;
   info->src.box.z = 0;
   return copy;
}

static void
tegra20_blit_with_engine(struct tegra20_context *ctx,
                         const struct pipe_blit_info *info)
{
   struct pipe_blit_info moved = *info;
   struct pipe_resource *copy = NULL;

   if (tegra20_blit_reads_target(info)) {
      copy = tegra20_blit_copy_source(ctx, &moved);
      if (!copy) {
         tegra20_blit_with_cpu(ctx, info);
         return;
      }
   }
   tegra20_blit_draw(ctx, &moved);
   pipe_resource_reference(&copy, NULL);
}

static void
tegra20_blit_blit(struct pipe_context *pctx,
                  const struct pipe_blit_info *wanted)
{
   struct tegra20_context *ctx = tegra20_context(pctx);
   struct pipe_blit_info samples = *wanted;
   const struct pipe_blit_info *info = &samples;

   if (info->render_condition_enable && !tegra20_context_condition(ctx))
      return;
   /* Mesa generates levels that there was no memory for. */
   if (info->dst.level > info->dst.resource->last_level ||
       info->src.level > info->src.resource->last_level)
      return;
   tegra20_finish_scratch(ctx, NULL);
   tegra20_samples_blit(&samples);
   const unsigned refused = p_atomic_read(&ctx->screen->refused);

   if (util_try_blit_via_copy_region(pctx, info, false))
      return;
   if (tegra20_engine_can_blit(ctx, info))
      tegra20_blit_with_engine(ctx, info);
   else
      tegra20_blit_with_cpu(ctx, info);
   /* Mesa's blitter draws nothing without memory, and reports no error. */
   if (p_atomic_read(&ctx->screen->refused) != refused)
      tegra20_resource_mark_undefined(tegra20_resource(info->dst.resource));
}

/* Formats of one byte are the same to the engine, but only red is one that
 * Mesa renders to: it would generate levels of the others with the CPU, and
 * further ones than there are when the texture was larger before. */
static bool
tegra20_generate_mipmap(struct pipe_context *pctx, struct pipe_resource *res,
                        enum pipe_format format, unsigned base, unsigned last,
                        unsigned first_layer, unsigned last_layer)
{
   switch (format) {
   case PIPE_FORMAT_A8_UNORM:
   case PIPE_FORMAT_L8_UNORM:
   case PIPE_FORMAT_I8_UNORM:
      format = PIPE_FORMAT_R8_UNORM;
      break;
   default:
      break;
   }
   /* Mesa may ask for levels of the texture's images that are not in this
    * resource: its assertion of that is not in release builds. */
   return util_gen_mipmap(pctx, res, format, base,
                          MIN2(last, res->last_level), first_layer,
                          last_layer, PIPE_TEX_FILTER_LINEAR);
}

static void
tegra20_flush_resource(struct pipe_context *pctx, struct pipe_resource *res)
{
}

static void
tegra20_invalidate_resource(struct pipe_context *pctx,
                            struct pipe_resource *res)
{
}

void
tegra20_blit_init(struct tegra20_context *ctx)
{
   ctx->base.resource_copy_region = tegra20_resource_copy_region;
   ctx->base.blit = tegra20_blit_blit;
   ctx->base.generate_mipmap = tegra20_generate_mipmap;
   ctx->base.flush_resource = tegra20_flush_resource;
   ctx->base.invalidate_resource = tegra20_invalidate_resource;
}
