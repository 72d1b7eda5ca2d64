/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Vertex attributes: where the engine fetches them.
 *
 * Attributes in formats that the engine does not fetch, or that do not begin
 * at multiples of four bytes (A04), are converted to floats.  Mesa's u_vbuf
 * does that too, but trusts indices and offsets.
 */

#include "tegra20_vertex.h"

#include <string.h>

#include "util/format/u_format.h"
#include "util/u_inlines.h"
#include "util/u_upload_mgr.h"

#include "tegra20/gr3d_regs.h"

#include "tegra20_context.h"
#include "tegra20_program.h"
#include "tegra20_resource.h"

static const struct tegra20_resource *
tegra20_attrib_buffer(const struct tegra20_context *ctx, unsigned i)
{
   if (!ctx->elements || i >= ctx->elements->count)
      return NULL;
   return tegra20_resource(
      ctx->vertex_buffers[ctx->elements->elements[i].vertex_buffer_index]
         .buffer.resource);
}

/* Where the first element begins in the attribute's buffer (bytes). */
static uint64_t
tegra20_attrib_begin(const struct tegra20_context *ctx, unsigned i)
{
   const struct tegra20_vertex_elements *ve = ctx->elements;
   const struct pipe_vertex_element *e = &ve->elements[i];

   return ctx->vertex_buffers[e->vertex_buffer_index].buffer_offset +
          e->src_offset + ve->instance_offset[i];
}

void
tegra20_attribs_set_instance(struct tegra20_context *ctx, uint32_t start,
                             uint32_t instance)
{
   struct tegra20_vertex_elements *ve = ctx->elements;

   u_foreach_bit (i, ve->instanced) {
      const uint64_t element =
         (uint64_t)start + instance / ve->elements[i].instance_divisor;
      ve->instance_offset[i] = element * ve->instance_stride[i];
      ctx->dirty |= TEGRA20_DIRTY_VERTEX;
   }
}

uint32_t
tegra20_vertices_inside(const struct tegra20_context *ctx, uint32_t attribs)
{
   uint32_t limit = UINT32_MAX;

   u_foreach_bit (i, attribs) {
      const struct tegra20_resource *res = tegra20_attrib_buffer(ctx, i);
      if (!res)
         continue;
      const struct pipe_vertex_element *e = &ctx->elements->elements[i];
      uint64_t end = tegra20_attrib_begin(ctx, i) + ctx->elements->size[i];

      if (end > res->base.width0)
         return 0;
      if (e->src_stride)
         limit = MIN2(limit, (res->base.width0 - end) / e->src_stride + 1);
   }
   return limit;
}

static uint32_t
tegra20_attribs_read(const struct tegra20_context *ctx)
{
   return ctx->plan->passes[0].vs_variant->program->attribs_read;
}

/* Attributes that the engine cannot fetch from their buffers. */
static uint32_t
tegra20_find_unsupported(const struct tegra20_context *ctx)
{
   uint32_t mask = 0;

   u_foreach_bit (i, tegra20_attribs_read(ctx)) {
      const struct tegra20_resource *res = tegra20_attrib_buffer(ctx, i);
      if (!res)
         continue;
      const struct pipe_vertex_element *e = &ctx->elements->elements[i];
      unsigned at = res->offset + tegra20_attrib_begin(ctx, i);

      if (ctx->elements->unsupported & BITFIELD_BIT(i) ||
          (at | e->src_stride) % 4)
         mask |= BITFIELD_BIT(i);
   }
   return mask;
}

/* State that attributes and the number of fetchable vertices depend on. */
#define ATTRIBUTE_STATE (TEGRA20_DIRTY_VERTEX | TEGRA20_DIRTY_VS_CODE)

void
tegra20_attribs_examine(struct tegra20_context *ctx)
{
   if (!(ctx->dirty & ATTRIBUTE_STATE))
      return;
   ctx->num_vertices =
      tegra20_vertices_inside(ctx, tegra20_attribs_read(ctx));
   ctx->unsupported_attribs = tegra20_find_unsupported(ctx);
}

/* How an attribute looks after copying: as the application has it, or as
 * floats. */
static unsigned
tegra20_copied_size(const struct tegra20_context *ctx, unsigned i)
{
   return ctx->elements->unsupported & BITFIELD_BIT(i)
             ? 4 * sizeof(float)
             : align(ctx->elements->size[i], 4);
}

/* Copies count elements: those of the list, each repeat times, or from first
 * on; zeros outside the buffer. */
static void
tegra20_copy_attrib(struct tegra20_context *ctx, unsigned i, uint8_t *dst,
                    unsigned stride, const uint32_t *list, uint32_t first,
                    unsigned count, unsigned repeat)
{
   const struct tegra20_resource *res = tegra20_attrib_buffer(ctx, i);
   const struct pipe_vertex_element *e = &ctx->elements->elements[i];
   uint64_t base = tegra20_attrib_begin(ctx, i);
   unsigned size = ctx->elements->size[i];
   bool convert = ctx->elements->unsupported & BITFIELD_BIT(i);

   tegra20_context_sync_bo(ctx, res->bo, TEGRA20_READ);
   const uint8_t *src = tegra20_bo_map(res->bo);
   for (unsigned v = 0; v < count; v++, dst += stride) {
      uint64_t from = base + (list ? list[v / repeat] : (uint64_t)first + v) *
                                (uint64_t)e->src_stride;
      bool inside = src && from + size <= res->base.width0;

      if (inside && convert)
         util_format_unpack_rgba(e->src_format, dst, src + res->offset + from,
                                 1);
      else if (inside)
         memcpy(dst, src + res->offset + from, size);
      else
         memset(dst, 0, convert ? 4 * sizeof(float) : size);
   }
}

/* Copies the elements of vertices first to first + count - 1 to where the
 * engine can fetch them, the first one as 0. */
static bool
tegra20_convert_attrib(struct tegra20_context *ctx, unsigned i,
                       uint32_t first, unsigned count,
                       struct tegra20_attrib *a)
{
   bool constant = !ctx->elements->elements[i].src_stride;
   unsigned stride = tegra20_copied_size(ctx, i), offset = 0;
   uint8_t *map = NULL;

   count = constant ? 1 : count;
   u_upload_alloc(ctx->base.stream_uploader, 0, stride * count, 4, &offset,
                  &ctx->converted[i], (void **)&map);
   if (!ctx->converted[i] || !map)
      return false;
   tegra20_copy_attrib(ctx, i, map, stride, NULL, first, count, 1);
   a->bo = tegra20_resource(ctx->converted[i])->bo;
   a->offset = offset;
   a->mode =
      ctx->elements->mode[i] | GR3D_ATTRIB_MODE_STRIDE(constant ? 0 : stride);
   return true;
}

static void
tegra20_unbound_attrib(struct tegra20_context *ctx, struct tegra20_attrib *a)
{
   struct tegra20_resource *zeros = tegra20_resource(ctx->zeros);

   a->bo = zeros->bo;
   a->offset = zeros->offset;
   a->mode = GR3D_ATTRIB_MODE_TYPE(GR3D_ATTRIB_TYPE_FLOAT32) |
             GR3D_ATTRIB_MODE_SIZE(4);
}

static ATTRIBUTE_NOINLINE bool
tegra20_attribs_find(struct tegra20_context *ctx, int64_t base_vertex,
                     unsigned count)
{
   const uint32_t convert = ctx->unsupported_attribs;

   ctx->attribs_valid = false;
   u_foreach_bit (i, tegra20_attribs_read(ctx)) {
      const struct tegra20_resource *res = tegra20_attrib_buffer(ctx, i);
      struct tegra20_attrib a;

      if (!res) {
         tegra20_unbound_attrib(ctx, &a);
      } else if (convert & BITFIELD_BIT(i)) {
         if (base_vertex < 0 ||
             !tegra20_convert_attrib(ctx, i, base_vertex, count, &a))
            return false;
      } else {
         const struct pipe_vertex_element *e = &ctx->elements->elements[i];
         int64_t offset = (int64_t)res->offset +
                          (int64_t)tegra20_attrib_begin(ctx, i) +
                          base_vertex * e->src_stride;
         if (offset < 0 || offset > UINT32_MAX)
            return false;
         a.bo = res->bo;
         a.offset = offset;
         a.mode =
            ctx->elements->mode[i] | GR3D_ATTRIB_MODE_STRIDE(e->src_stride);
      }
      if (ctx->attribs[i].bo != a.bo || ctx->attribs[i].offset != a.offset ||
          ctx->attribs[i].mode != a.mode) {
         ctx->attribs[i] = a;
         ctx->dirty |= TEGRA20_DIRTY_VERTEX;
      }
   }
   ctx->attribs_valid = true;
   ctx->attribs_base = base_vertex;
   return true;
}

bool
tegra20_attribs_update(struct tegra20_context *ctx, int64_t base_vertex,
                       unsigned count)
{
   if (!ctx->unsupported_attribs && ctx->attribs_valid &&
       ctx->attribs_base == base_vertex && !(ctx->dirty & ATTRIBUTE_STATE))
      return true;
   return tegra20_attribs_find(ctx, base_vertex, count);
}

static const float tegra20_point_corners[6][2] = { { -1, -1 }, { 1, -1 },
                                                   { -1, 1 },  { -1, 1 },
                                                   { 1, -1 },  { 1, 1 } };

bool
tegra20_attribs_copy(struct tegra20_context *ctx, const uint32_t *vertices,
                     unsigned count, bool corners,
                     struct pipe_resource **buffer)
{
   const unsigned corner = ctx->plan->passes[0].vs->nir->num_inputs;
   const uint32_t attribs = tegra20_attribs_read(ctx);
   const unsigned repeat = corners ? TEGRA20_POINT_CORNERS : 1;
   unsigned stride = 0, offset = 0;
   uint8_t *map = NULL;
   uint16_t at[TEGRA20_MAX_ATTRIBS];

   count *= repeat;
   u_foreach_bit (i, attribs) {
      at[i] = stride;
      if (corners && i == corner)
         stride += sizeof(tegra20_point_corners[0]);
      else if (tegra20_attrib_buffer(ctx, i))
         stride += tegra20_copied_size(ctx, i);
   }
   stride = MAX2(stride, 4);
   u_upload_alloc(ctx->base.stream_uploader, 0, stride * count, 4, &offset,
                  buffer, (void **)&map);
   if (!*buffer)
      return false;

   u_foreach_bit (i, attribs) {
      struct tegra20_attrib *a = &ctx->attribs[i];

      if (corners && i == corner) {
         for (unsigned v = 0; v < count; v++)
            memcpy(map + at[i] + v * stride,
                   tegra20_point_corners[v % repeat],
                   sizeof(tegra20_point_corners[0]));
         a->mode = GR3D_ATTRIB_MODE_TYPE(GR3D_ATTRIB_TYPE_FLOAT32) |
                   GR3D_ATTRIB_MODE_SIZE(2);
      } else if (tegra20_attrib_buffer(ctx, i)) {
         tegra20_copy_attrib(ctx, i, map + at[i], stride, vertices, 0, count,
                             repeat);
         a->mode = ctx->elements->mode[i];
      } else {
         tegra20_unbound_attrib(ctx, a);
         continue;
      }
      a->bo = tegra20_resource(*buffer)->bo;
      a->offset = offset + at[i];
      a->mode |= GR3D_ATTRIB_MODE_STRIDE(stride);
   }
   ctx->dirty |= TEGRA20_DIRTY_VERTEX;
   return true;
}

void
tegra20_attribs_float4(struct tegra20_context *ctx,
                       struct pipe_resource *buffer, unsigned offset,
                       unsigned num_attribs)
{
   ctx->attribs_valid = false;
   for (unsigned i = 0; i < num_attribs; i++) {
      ctx->attribs[i] = (struct tegra20_attrib){
         .bo = tegra20_resource(buffer)->bo,
         .offset = offset + i * 16,
         .mode = GR3D_ATTRIB_MODE_TYPE(GR3D_ATTRIB_TYPE_FLOAT32) |
                 GR3D_ATTRIB_MODE_SIZE(4) |
                 GR3D_ATTRIB_MODE_STRIDE(num_attribs * 16),
      };
   }
   ctx->dirty |= TEGRA20_DIRTY_VERTEX;
}

void
tegra20_attribs_forget(struct tegra20_context *ctx)
{
   ctx->attribs_valid = false;
   memset(ctx->attribs, 0, sizeof(ctx->attribs));
   ctx->dirty |= TEGRA20_DIRTY_VERTEX;
}
