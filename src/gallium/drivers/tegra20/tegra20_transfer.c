/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * CPU access to resources.
 *
 * Linear surfaces are mapped as they are.  Other layouts go through a staging
 * copy: tiled surfaces, depth-stencil formats (stored as Z16 and S8), RG8
 * (stored with 32 bits) and ETC1 (whose blocks the texture unit reads with
 * their bytes reversed, surfaces-and-textures.md 6.6).
 *
 * Writing does not wait for engines that still read.  A resource that is
 * overwritten as a whole gets new memory.  So does a small buffer that is
 * overwritten in part, and the rest is copied.  A part of a large buffer or
 * of a texture is written to memory of its own, from where the 2D engine
 * copies it in order.  The CPU reads index buffers to know their range, and
 * would have to wait for the engine: those are waited for at once.
 */

#include "util/box.h"
#include "util/format/u_format.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"
#include "util/u_surface.h"
#include "util/u_upload_mgr.h"

#include "tegra20_context.h"
#include "tegra20_resource.h"
#include "tegra20_samples.h"
#include "tegra20_scratch.h"
#include "tegra20_screen.h"

static bool
needs_staging(const struct tegra20_resource *res, const struct pipe_box *box)
{
   return res->layout.tiled || res->blocks || tegra20_resource_is_wide(res) ||
          res->base.format == PIPE_FORMAT_ETC1_RGB8 ||
          (box->depth > 1 && res->layout.columns > 1);
}

static unsigned
cpu_access(unsigned usage)
{
   return (usage & PIPE_MAP_WRITE ? TEGRA20_WRITE : 0) |
          (usage & PIPE_MAP_READ ? TEGRA20_READ : 0);
}

/* --- staging --- */

static void
etc1_copy_reversed(uint8_t *dst, unsigned dst_pitch, const uint8_t *src,
                   unsigned src_pitch, unsigned blocks, unsigned rows)
{
   for (unsigned r = 0; r < rows; r++) {
      for (unsigned i = 0; i < blocks * 8; i++)
         dst[r * dst_pitch + (i ^ 7)] = src[r * src_pitch + i];
   }
}

static void
read_tiled(struct tegra20_resource *res, unsigned level, unsigned layer,
           const struct pipe_box *box, unsigned cpp, void *dst,
           unsigned dst_pitch)
{
   uint8_t *map = (uint8_t *)tegra20_bo_map(res->bo) +
                  tegra20_resource_offset(res, level, layer);

   tegra20_tiled_to_linear(dst, dst_pitch, map,
                           res->layout.levels[level].pitch, box->x * cpp,
                           box->y, box->width * cpp, box->height);
}

static void
write_tiled(struct tegra20_resource *res, unsigned level, unsigned layer,
            const struct pipe_box *box, unsigned cpp, const void *src,
            unsigned src_pitch)
{
   uint8_t *map = (uint8_t *)tegra20_bo_map(res->bo) +
                  tegra20_resource_offset(res, level, layer);

   tegra20_linear_to_tiled(map, res->layout.levels[level].pitch, src,
                           src_pitch, box->x * cpp, box->y, box->width * cpp,
                           box->height);
}

static uint32_t
z16_to_z24(uint16_t z)
{
   return (uint32_t)z << 8 | z >> 8;
}

/* Rounds to nearest, the inverse of z16_to_z24(). */
static uint16_t
z24_to_z16(uint32_t z)
{
   return ((uint64_t)(z & 0xffffff) * 0xffff + 0x7fffff) / 0xffffff;
}

/* One layer of a depth-stencil resource <-> packed 32-bit words. */
static bool
read_depth_stencil(struct tegra20_resource *res, unsigned level,
                   unsigned layer, const struct pipe_box *box, uint8_t *dst,
                   unsigned dst_pitch)
{
   unsigned n = box->width * box->height;
   uint16_t *z = MALLOC(n * 2);
   uint8_t *s = CALLOC(n, 1);

   if (!z || !s) {
      FREE(z);
      FREE(s);
      return false;
   }
   read_tiled(res, level, layer, box, 2, z, box->width * 2);
   if (res->stencil)
      read_tiled(res->stencil, level, layer, box, 1, s, box->width);
   for (unsigned y = 0; y < box->height; y++) {
      uint32_t *row = (uint32_t *)(dst + y * dst_pitch);
      for (unsigned x = 0; x < box->width; x++) {
         unsigned i = y * box->width + x;
         row[x] = z16_to_z24(z[i]) | (uint32_t)s[i] << 24;
      }
   }
   FREE(z);
   FREE(s);
   return true;
}

static bool
write_depth_stencil(struct tegra20_resource *res, unsigned level,
                    unsigned layer, const struct pipe_box *box,
                    const uint8_t *src, unsigned src_pitch)
{
   unsigned n = box->width * box->height;
   uint16_t *z = MALLOC(n * 2);
   uint8_t *s = MALLOC(n);

   if (!z || !s) {
      FREE(z);
      FREE(s);
      return false;
   }
   for (unsigned y = 0; y < box->height; y++) {
      const uint32_t *row = (const uint32_t *)(src + y * src_pitch);
      for (unsigned x = 0; x < box->width; x++) {
         unsigned i = y * box->width + x;
         z[i] = z24_to_z16(row[x]);
         s[i] = row[x] >> 24;
      }
   }
   write_tiled(res, level, layer, box, 2, z, box->width * 2);
   if (res->stencil)
      write_tiled(res->stencil, level, layer, box, 1, s, box->width);
   FREE(z);
   FREE(s);
   return true;
}

/* One layer of several that do not lie at equal distances. */
static void
linear_copy(struct tegra20_resource *res, const struct pipe_transfer *base,
            unsigned layer, uint8_t *staging, bool to_resource)
{
   enum pipe_format format = res->base.format;
   unsigned pitch = res->layout.levels[base->level].pitch;
   uint8_t *map = (uint8_t *)tegra20_bo_map(res->bo) +
                  tegra20_resource_offset(res, base->level, layer) +
                  base->box.y / util_format_get_blockheight(format) * pitch +
                  util_format_get_stride(format, base->box.x);
   unsigned rows = util_format_get_nblocksy(format, base->box.height);

   for (unsigned y = 0; y < rows; y++) {
      if (to_resource)
         memcpy(map + y * pitch, staging + y * base->stride, base->stride);
      else
         memcpy(staging + y * base->stride, map + y * pitch, base->stride);
   }
}

/*
 * One layer of a texture whose blocks are kept beside the uncompressed
 * texels: blocks <-> staging memory, and written blocks are decompressed.
 */
static void
copy_blocks(struct tegra20_resource *res, const struct pipe_transfer *base,
            unsigned layer, uint8_t *staging, bool to_resource)
{
   enum pipe_format format = res->base.format;
   unsigned stride =
      util_format_get_stride(format, u_minify(res->base.width0, base->level));
   unsigned layer_size = util_format_get_2d_size(
      format, stride, u_minify(res->base.height0, base->level));
   unsigned pitch = res->layout.levels[base->level].pitch;
   uint8_t *blocks =
      res->blocks + tegra20_blocks_offset(res, base->level) +
      layer * layer_size +
      base->box.y / util_format_get_blockheight(format) * stride +
      util_format_get_stride(format, base->box.x);
   unsigned rows = util_format_get_nblocksy(format, base->box.height);

   for (unsigned y = 0; y < rows; y++) {
      if (to_resource)
         memcpy(blocks + y * stride, staging + y * base->stride,
                base->stride);
      else
         memcpy(staging + y * base->stride, blocks + y * stride,
                base->stride);
   }
   if (to_resource) {
      uint8_t *map = (uint8_t *)tegra20_bo_map(res->bo) +
                     tegra20_resource_offset(res, base->level, layer) +
                     base->box.y * pitch + base->box.x * 4;
      util_format_unpack_rgba_8unorm_rect(util_format_linear(format), map,
                                          pitch, staging, base->stride,
                                          base->box.width, base->box.height);
   }
}

/* One layer of RG8 <-> the 32 bits per pixel that memory has. */
static void
copy_wide(struct tegra20_resource *res, const struct pipe_transfer *base,
          unsigned layer, uint8_t *staging, bool to_resource)
{
   const unsigned pitch = res->layout.levels[base->level].pitch;
   uint8_t *map = (uint8_t *)tegra20_bo_map(res->bo) +
                  tegra20_resource_offset(res, base->level, layer) +
                  base->box.y * pitch + base->box.x * 4;

   for (unsigned y = 0; y < base->box.height; y++) {
      uint32_t *wide = (uint32_t *)(map + y * pitch);
      uint16_t *narrow = (uint16_t *)(staging + y * base->stride);

      for (unsigned x = 0; x < base->box.width; x++) {
         if (to_resource)
            wide[x] = narrow[x];
         else
            narrow[x] = wide[x];
      }
   }
}

static bool
is_packed_zs(enum pipe_format format)
{
   return format == PIPE_FORMAT_Z24X8_UNORM ||
          format == PIPE_FORMAT_Z24_UNORM_S8_UINT;
}

/* Copies between the resource and the staging memory of a transfer. */
static bool
staging_copy(struct tegra20_resource *res, struct tegra20_transfer *trans,
             bool to_resource)
{
   const struct pipe_transfer *base = &trans->base;
   enum pipe_format format = res->base.format;
   unsigned level = base->level;
   bool ok = true;

   for (unsigned i = 0; i < base->box.depth; i++) {
      uint8_t *staging = (uint8_t *)trans->staging + i * base->layer_stride;
      unsigned layer = base->box.z + i;

      if (is_packed_zs(format)) {
         if (to_resource)
            ok &= write_depth_stencil(res, level, layer, &base->box, staging,
                                      base->stride);
         else
            ok &= read_depth_stencil(res, level, layer, &base->box, staging,
                                     base->stride);
      } else if (res->blocks) {
         copy_blocks(res, base, layer, staging, to_resource);
      } else if (tegra20_resource_is_wide(res)) {
         copy_wide(res, base, layer, staging, to_resource);
      } else if (format == PIPE_FORMAT_ETC1_RGB8) {
         unsigned pitch = res->layout.levels[level].pitch;
         uint8_t *map = (uint8_t *)tegra20_bo_map(res->bo) +
                        tegra20_resource_offset(res, level, layer) +
                        base->box.y / 4 * pitch + base->box.x / 4 * 8;
         unsigned blocks = DIV_ROUND_UP(base->box.width, 4),
                  rows = DIV_ROUND_UP(base->box.height, 4);
         if (to_resource)
            etc1_copy_reversed(map, pitch, staging, base->stride, blocks,
                               rows);
         else
            etc1_copy_reversed(staging, base->stride, map, pitch, blocks,
                               rows);
      } else if (!res->layout.tiled) {
         linear_copy(res, base, layer, staging, to_resource);
      } else {
         unsigned cpp = tegra20_format_stored_cpp(format);
         if (to_resource)
            write_tiled(res, level, layer, &base->box, cpp, staging,
                        base->stride);
         else
            read_tiled(res, level, layer, &base->box, cpp, staging,
                       base->stride);
      }
   }
   return ok;
}

/* --- mapping --- */

static struct tegra20_transfer *
transfer_new(struct tegra20_context *ctx, struct pipe_resource *base,
             unsigned level, unsigned usage, const struct pipe_box *box)
{
   struct tegra20_transfer *trans = slab_zalloc(&ctx->transfer_pool);

   if (!trans)
      return NULL;
   pipe_resource_reference(&trans->base.resource, base);
   trans->base.level = level;
   trans->base.usage = usage;
   trans->base.box = *box;
   return trans;
}

static void
transfer_free(struct tegra20_context *ctx, struct tegra20_transfer *trans)
{
   FREE(trans->staging);
   pipe_resource_reference(&trans->upload, NULL);
   pipe_resource_reference(&trans->single, NULL);
   pipe_resource_reference(&trans->base.resource, NULL);
   slab_free(&ctx->transfer_pool, trans);
}

static bool
bo_in_use(struct tegra20_context *ctx, struct tegra20_bo *bo)
{
   for (unsigned e = 0; e < TEGRA20_NUM_ENGINES; e++) {
      if (tegra20_job_uses(ctx->jobs[e], bo, TEGRA20_READ | TEGRA20_WRITE))
         return true;
   }
   return tegra20_bo_busy(bo, TEGRA20_WRITE);
}

static bool
written_by_engine(struct tegra20_context *ctx, struct tegra20_bo *bo)
{
   for (unsigned e = 0; e < TEGRA20_NUM_ENGINES; e++) {
      if (tegra20_job_uses(ctx->jobs[e], bo, TEGRA20_WRITE))
         return true;
   }
   return tegra20_bo_busy(bo, TEGRA20_READ);
}

/* Memory that the open job alone keeps: with more the next images and buffers
 * get new pages instead of those in the CPU's cache. */
#define MAX_REPLACED (1024 * 1024)

/* New memory for a resource that a job uses. */
static bool
replace_memory(struct tegra20_context *ctx, struct tegra20_resource *res)
{
   if (!tegra20_resource_reallocate(res))
      return false;
   ctx->replaced += res->layout.size;
   if (ctx->replaced > MAX_REPLACED)
      tegra20_context_submit(ctx, TEGRA20_ENGINE_3D);
   return true;
}

/* Memory is write-combined: reading much of it takes longer than most waits.
 */
#define MAX_CPU_COPY (64 * 1024)

/* New memory with the old contents. */
static bool
copy_on_write(struct tegra20_context *ctx, struct tegra20_resource *res)
{
   if (res->base.width0 > MAX_CPU_COPY || written_by_engine(ctx, res->bo))
      return false;
   struct tegra20_bo *old = tegra20_bo_ref(res->bo);
   struct util_range valid = res->valid_range;
   bool ok = replace_memory(ctx, res);

   if (ok) {
      memcpy(tegra20_bo_map(res->bo), tegra20_bo_map(old), res->base.width0);
      util_range_add(&res->base, &res->valid_range, valid.start, valid.end);
   }
   tegra20_bo_unref(old);
   return ok;
}

/* Until the CPU may access it.  False where that is not to be waited for, and
 * for contents that a lost job should have made: they are an error
 * (GL_OUT_OF_MEMORY), not a picture. */
static bool
wait_for_bo(struct tegra20_context *ctx, struct tegra20_bo *bo,
            unsigned usage)
{
   if ((usage & PIPE_MAP_DONTBLOCK) && bo_in_use(ctx, bo))
      return false;
   return tegra20_context_sync_bo(ctx, bo, cpu_access(usage)) != -EIO ||
          !(usage & PIPE_MAP_READ);
}

/* Memory for the 2D engine to copy from; the distance to the place in the
 * buffer is a multiple of 16. */
static void *
buffer_staging(struct tegra20_context *ctx, struct tegra20_transfer *trans,
               unsigned x, unsigned width)
{
   uint8_t *map = NULL;

   u_upload_alloc(ctx->base.stream_uploader, 0, width + 16, 16,
                  &trans->upload_offset, &trans->upload, (void **)&map);
   trans->upload_offset += x % 16;
   return trans->upload ? map + x % 16 : NULL;
}

static void *
buffer_map(struct pipe_context *pctx, struct pipe_resource *base,
           unsigned level, unsigned usage, const struct pipe_box *box,
           struct pipe_transfer **out)
{
   struct tegra20_context *ctx = tegra20_context(pctx);
   struct tegra20_resource *res = tegra20_resource(base);

   /* Bytes that were never written cannot be in use. */
   if ((usage & PIPE_MAP_WRITE) && !(usage & PIPE_MAP_READ) && !res->shared &&
       !util_ranges_intersect(&res->valid_range, box->x, box->x + box->width))
      usage |= PIPE_MAP_UNSYNCHRONIZED;

   if ((usage & PIPE_MAP_DISCARD_RANGE) && box->x == 0 &&
       box->width == base->width0)
      usage |= PIPE_MAP_DISCARD_WHOLE_RESOURCE;

   if ((usage & PIPE_MAP_DISCARD_WHOLE_RESOURCE) &&
       !(usage & (PIPE_MAP_UNSYNCHRONIZED | PIPE_MAP_PERSISTENT)) &&
       bo_in_use(ctx, res->bo) && replace_memory(ctx, res))
      usage |= PIPE_MAP_UNSYNCHRONIZED;

   struct tegra20_transfer *trans =
      transfer_new(ctx, base, level, usage, box);
   if (!trans)
      return NULL;

   uint8_t *staging = NULL;
   if (!(usage &
         (PIPE_MAP_UNSYNCHRONIZED | PIPE_MAP_PERSISTENT | PIPE_MAP_READ)) &&
       !res->shared && bo_in_use(ctx, res->bo)) {
      if (copy_on_write(ctx, res))
         usage |= PIPE_MAP_UNSYNCHRONIZED;
      else if ((usage & PIPE_MAP_DISCARD_RANGE) &&
               !(base->bind & PIPE_BIND_INDEX_BUFFER))
         staging = buffer_staging(ctx, trans, box->x, box->width);
   }

   if (!(usage & PIPE_MAP_UNSYNCHRONIZED) && !staging &&
       !wait_for_bo(ctx, res->bo, usage)) {
      transfer_free(ctx, trans);
      return NULL;
   }

   if (usage & PIPE_MAP_WRITE) {
      util_range_add(base, &res->valid_range, box->x, box->x + box->width);
      tegra20_resource_written(res);
      res->persistent |= (usage & PIPE_MAP_PERSISTENT) != 0;
   }
   uint8_t *map = staging ? staging : tegra20_bo_map(res->bo);
   if (!map) {
      transfer_free(ctx, trans);
      return NULL;
   }
   *out = &trans->base;
   return staging ? staging : map + res->offset + box->x;
}

static void
transfer_flush_region(struct pipe_context *pctx, struct pipe_transfer *ptrans,
                      const struct pipe_box *box)
{
}

static void
buffer_unmap(struct pipe_context *pctx, struct pipe_transfer *ptrans)
{
   struct tegra20_context *ctx = tegra20_context(pctx);
   struct tegra20_transfer *trans = (struct tegra20_transfer *)ptrans;

   if (trans->upload)
      tegra20_copy_buffer(ctx, ptrans->resource, ptrans->box.x, trans->upload,
                          trans->upload_offset, ptrans->box.width);
   if (ptrans->usage & PIPE_MAP_WRITE)
      tegra20_resource_written(tegra20_resource(ptrans->resource));
   transfer_free(ctx, trans);
}

/* A surface to write to, which the 2D engine copies later; NULL: wait
 * instead. */
static void *
texture_staging(struct tegra20_context *ctx, struct tegra20_transfer *trans,
                const struct tegra20_resource *res)
{
   const struct pipe_box *box = &trans->base.box;
   if (tegra20_resource_is_foreign(res))
      return NULL;
   trans->upload = tegra20_scratch_create(ctx->base.screen, res->base.format,
                                          box->width, box->height);
   if (!trans->upload)
      return NULL;
   const struct tegra20_resource *upload = tegra20_resource(trans->upload);
   trans->base.stride = upload->layout.levels[0].pitch;
   trans->base.layer_stride = upload->layout.size;
   return tegra20_bo_map(upload->bo);
}

/* A resource of four samples, as one of one sample. */
static void *
samples_map(struct tegra20_context *ctx, struct tegra20_resource *res,
            unsigned usage, const struct pipe_box *box,
            struct pipe_transfer **out)
{
   struct tegra20_transfer *trans =
      transfer_new(ctx, &res->base, 0, usage, box);
   const bool discard =
      usage & (PIPE_MAP_DISCARD_RANGE | PIPE_MAP_DISCARD_WHOLE_RESOURCE);
   void *map = NULL;

   if (!trans)
      return NULL;
   trans->single = tegra20_samples_read(ctx, res, box, discard);
   if (trans->single)
      map = pipe_texture_map(&ctx->base, trans->single, 0, 0,
                             usage & PIPE_MAP_READ_WRITE, 0, 0, box->width,
                             box->height, &trans->inner);
   if (!map) {
      transfer_free(ctx, trans);
      return NULL;
   }
   trans->base.stride = trans->inner->stride;
   trans->base.layer_stride = trans->inner->layer_stride;
   *out = &trans->base;
   return map;
}

static void
samples_unmap(struct tegra20_context *ctx, struct tegra20_transfer *trans)
{
   struct tegra20_resource *res = tegra20_resource(trans->base.resource);

   pipe_texture_unmap(&ctx->base, trans->inner);
   if (trans->base.usage & PIPE_MAP_WRITE)
      tegra20_samples_write(ctx, res, &trans->base.box, trans->single);
   transfer_free(ctx, trans);
}

/* Is the box all of a texture that has one image? */
static bool
covers_image(const struct pipe_resource *base, const struct pipe_box *box)
{
   return base->last_level == 0 && base->depth0 == 1 &&
          base->array_size == 1 && box->x == 0 && box->y == 0 &&
          box->width == base->width0 && box->height == base->height0;
}

static void *
texture_map(struct pipe_context *pctx, struct pipe_resource *base,
            unsigned level, unsigned usage, const struct pipe_box *box,
            struct pipe_transfer **out)
{
   struct tegra20_context *ctx = tegra20_context(pctx);
   struct tegra20_resource *res = tegra20_resource(base);
   bool staged = needs_staging(res, box);

   tegra20_targets_look_for_lost(ctx);
   tegra20_finish_scratch(ctx, res);
   if (res->samples)
      return usage & (PIPE_MAP_DIRECTLY | PIPE_MAP_PERSISTENT)
                ? NULL
                : samples_map(ctx, res, usage, box, out);
   if (staged && (usage & (PIPE_MAP_DIRECTLY | PIPE_MAP_PERSISTENT)))
      return NULL;

   /* A whole level replaced while it is in use gets new memory, as a buffer
    * does: a copy by the 2D engine would be a job of its own. */
   if ((usage & PIPE_MAP_DISCARD_RANGE) && covers_image(base, box))
      usage |= PIPE_MAP_DISCARD_WHOLE_RESOURCE;

   if ((usage & PIPE_MAP_DISCARD_WHOLE_RESOURCE) &&
       !(usage & PIPE_MAP_UNSYNCHRONIZED) && base->last_level == 0 &&
       !res->stencil && bo_in_use(ctx, res->bo) && replace_memory(ctx, res))
      usage |= PIPE_MAP_UNSYNCHRONIZED;

   struct tegra20_transfer *trans =
      transfer_new(ctx, base, level, usage, box);
   if (!trans)
      return NULL;
   *out = &trans->base;

   if ((usage & PIPE_MAP_DISCARD_RANGE) && !staged && box->depth == 1 &&
       !(usage & (PIPE_MAP_READ | PIPE_MAP_UNSYNCHRONIZED |
                  PIPE_MAP_DIRECTLY | PIPE_MAP_PERSISTENT)) &&
       bo_in_use(ctx, res->bo)) {
      void *staging = texture_staging(ctx, trans, res);
      if (staging)
         return staging;
   }

   if (!(usage & PIPE_MAP_UNSYNCHRONIZED)) {
      if (!wait_for_bo(ctx, res->bo, usage)) {
         transfer_free(ctx, trans);
         return NULL;
      }
      if (res->stencil)
         tegra20_context_sync_bo(ctx, res->stencil->bo, cpu_access(usage));
   }

   if (!staged) {
      uint8_t *map = tegra20_bo_map(res->bo);
      const struct tegra20_level_layout *l = &res->layout.levels[level];

      trans->base.stride = l->pitch;
      trans->base.layer_stride = l->pitch * l->cell_rows;
      return map + tegra20_resource_offset(res, level, box->z) +
             box->y / util_format_get_blockheight(base->format) * l->pitch +
             box->x / util_format_get_blockwidth(base->format) *
                util_format_get_blocksize(base->format);
   }

   trans->base.stride = util_format_get_stride(base->format, box->width);
   trans->base.layer_stride =
      util_format_get_2d_size(base->format, trans->base.stride, box->height);
   trans->staging = MALLOC(trans->base.layer_stride * box->depth);

   /* Bytes that a write leaves out must survive it. */
   bool discard =
      usage & (PIPE_MAP_DISCARD_RANGE | PIPE_MAP_DISCARD_WHOLE_RESOURCE);
   if (!trans->staging || (!discard && !staging_copy(res, trans, false))) {
      transfer_free(ctx, trans);
      return NULL;
   }
   return trans->staging;
}

/* Writes to a surface beside the texture go into it: by the 2D engine, or,
 * when it cannot, by the CPU, which waits.  (A map of the texture would find
 * it in use and begin anew.) */
static void
texture_upload(struct tegra20_context *ctx, struct tegra20_resource *res,
               const struct tegra20_transfer *trans)
{
   const struct pipe_transfer *base = &trans->base;
   const struct pipe_box *to = &base->box;
   struct tegra20_resource *upload = tegra20_resource(trans->upload);
   struct pipe_box box;

   u_box_2d(0, 0, to->width, to->height, &box);
   tegra20_finish_scratch(ctx, res);
   if (tegra20_copy_texture(ctx, res, base->level, to->x, to->y, to->z,
                            upload, 0, &box))
      return;
   tegra20_context_sync_bo(ctx, res->bo, TEGRA20_WRITE);
   util_copy_rect((uint8_t *)tegra20_bo_map(res->bo) +
                     tegra20_resource_offset(res, base->level, to->z),
                  res->base.format, res->layout.levels[base->level].pitch,
                  to->x, to->y, to->width, to->height,
                  tegra20_bo_map(upload->bo), base->stride, 0, 0);
   tegra20_resource_written(res);
}

static void
texture_unmap(struct pipe_context *pctx, struct pipe_transfer *ptrans)
{
   struct tegra20_context *ctx = tegra20_context(pctx);
   struct tegra20_transfer *trans = (struct tegra20_transfer *)ptrans;
   struct tegra20_resource *res = tegra20_resource(ptrans->resource);

   if (trans->inner) {
      samples_unmap(ctx, trans);
      return;
   }
   if (trans->upload) {
      texture_upload(ctx, res, trans);
   } else if (ptrans->usage & PIPE_MAP_WRITE) {
      if (trans->staging)
         staging_copy(res, trans, true);
      tegra20_resource_written(res);
   }
   transfer_free(ctx, trans);
}

void
tegra20_transfer_context_init(struct tegra20_context *ctx)
{
   ctx->base.buffer_map = buffer_map;
   ctx->base.buffer_unmap = buffer_unmap;
   ctx->base.texture_map = texture_map;
   ctx->base.texture_unmap = texture_unmap;
   ctx->base.transfer_flush_region = transfer_flush_region;
   ctx->base.buffer_subdata = u_default_buffer_subdata;
   ctx->base.texture_subdata = u_default_texture_subdata;
}
