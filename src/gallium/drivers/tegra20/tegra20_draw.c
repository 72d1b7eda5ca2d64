/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Draws.
 *
 * The engine takes 4096 vertices at once (A07), 8- and 16-bit indices (A06),
 * and reads whatever an index points at: there is no IOMMU, so the driver
 * compares the largest index with every vertex buffer first.
 *
 * Two paths.  The fast one sends a draw as it is, cut into pieces where it is
 * too long.  The slow one turns the draw into a list of vertex numbers and
 * sends that in pieces with 16-bit indices of their own; pieces that span
 * more than 65536 vertices, or leave a buffer, get their vertices copied,
 * with zeros for what is outside (robust buffer access).
 *
 * Attributes in formats that the engine does not fetch, or that do not begin
 * at multiples of four bytes (A04), are converted to floats.  Mesa's u_vbuf
 * does that too, but trusts indices and offsets.
 */

#include <string.h>

#include "indices/u_indices.h"
#include "util/format/u_format.h"
#include "util/u_draw.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"
#include "util/u_prim.h"
#include "util/u_prim_restart.h"
#include "util/u_upload_mgr.h"

#include "tegra20/gr3d_regs.h"

#include "tegra20_context.h"
#include "tegra20_debug.h"
#include "tegra20_screen.h"
#include "tegra20_smooth.h"
#include "tegra20_texture.h"

#define MAX_DRAW_VERTICES 4096
#define MAX_DRAW_OFFSET 0xfffff /* field of 0x123 */
#define MAX_OUTSIDE_VERTICES \
   4 /* a multiple of what any primitive has would do as well */
#define MAX_LIST_VERTICES (1u << 26)

static uint32_t
primitive_type(enum mesa_prim mode)
{
   switch (mode) {
   case MESA_PRIM_POINTS:
      return GR3D_PRIMITIVE_TYPE_POINTS;
   case MESA_PRIM_LINES:
      return GR3D_PRIMITIVE_TYPE_LINES;
   case MESA_PRIM_LINE_LOOP:
      return GR3D_PRIMITIVE_TYPE_LINE_LOOP;
   case MESA_PRIM_LINE_STRIP:
      return GR3D_PRIMITIVE_TYPE_LINE_STRIP;
   case MESA_PRIM_TRIANGLE_STRIP:
      return GR3D_PRIMITIVE_TYPE_TRIANGLE_STRIP;
   case MESA_PRIM_TRIANGLE_FAN:
      return GR3D_PRIMITIVE_TYPE_TRIANGLE_FAN;
   default:
      return GR3D_PRIMITIVE_TYPE_TRIANGLES;
   }
}

static uint32_t
draw_params(const struct tegra20_context *ctx, enum mesa_prim mode,
            unsigned index_size)
{
   uint32_t index_mode = index_size == 1   ? GR3D_INDEX_MODE_UINT8
                         : index_size == 2 ? GR3D_INDEX_MODE_UINT16
                                           : GR3D_INDEX_MODE_NONE;
   uint32_t provoking = ctx->rasterizer->base.flatshade_first
                           ? GR3D_PROVOKING_VERTEX_FIRST
                           : GR3D_PROVOKING_VERTEX_LAST;

   return GR3D_DRAW_PARAMS_PRIMITIVE_TYPE(primitive_type(mode)) |
          GR3D_DRAW_PARAMS_INDEX_MODE(index_mode) |
          GR3D_DRAW_PARAMS_PROVOKING_VERTEX(provoking);
}

/* How a primitive too long for one draw is cut: pieces of up to size vertices
 * that begin advance vertices apart. */
struct cut {
   unsigned size, advance;
};

static bool
can_cut(enum mesa_prim mode, struct cut *cut)
{
   *cut = (struct cut){ MAX_DRAW_VERTICES, MAX_DRAW_VERTICES };
   switch (mode) {
   case MESA_PRIM_POINTS:
   case MESA_PRIM_LINES:
      return true;
   case MESA_PRIM_LINE_STRIP:
      *cut = (struct cut){ MAX_DRAW_VERTICES, MAX_DRAW_VERTICES - 1 };
      return true;
   case MESA_PRIM_TRIANGLES:
      *cut =
         (struct cut){ MAX_DRAW_VERTICES / 3 * 3, MAX_DRAW_VERTICES / 3 * 3 };
      return true;
   case MESA_PRIM_TRIANGLE_STRIP:
      /* an even number of triangles, so that the next piece begins with the
       * right winding */
      *cut = (struct cut){ MAX_DRAW_VERTICES, MAX_DRAW_VERTICES - 2 };
      return true;
   default:
      return false;
   }
}

/* --- vertex attributes --- */

static const struct tegra20_resource *
attribute_buffer(const struct tegra20_context *ctx, unsigned i)
{
   if (!ctx->elements || i >= ctx->elements->count)
      return NULL;
   return tegra20_resource(
      ctx->vertex_buffers[ctx->elements->elements[i].vertex_buffer_index]
         .buffer.resource);
}

/*
 * Number of vertices that all attributes of a mask can be fetched for;
 * UINT32_MAX when nothing depends on the vertex number.  Strides may be
 * smaller than elements.
 */
static uint32_t
vertices_inside(const struct tegra20_context *ctx, uint32_t attribs)
{
   uint32_t limit = UINT32_MAX;

   u_foreach_bit (i, attribs) {
      const struct tegra20_resource *res = attribute_buffer(ctx, i);
      if (!res)
         continue;
      const struct pipe_vertex_element *e = &ctx->elements->elements[i];
      uint64_t offset =
         (uint64_t)ctx->vertex_buffers[e->vertex_buffer_index].buffer_offset +
         e->src_offset;
      uint64_t end = offset + ctx->elements->size[i];

      if (end > res->base.width0)
         return 0;
      if (e->src_stride)
         limit = MIN2(limit, (res->base.width0 - end) / e->src_stride + 1);
   }
   return limit;
}

/* Attributes that the engine cannot fetch as they lie in their buffers. */
static uint32_t
find_misfits(const struct tegra20_context *ctx)
{
   uint32_t mask = 0;

   u_foreach_bit (i, ctx->vs_variant->program->attribs_read) {
      const struct tegra20_resource *res = attribute_buffer(ctx, i);
      if (!res)
         continue;
      const struct pipe_vertex_element *e = &ctx->elements->elements[i];
      unsigned at =
         res->offset +
         ctx->vertex_buffers[e->vertex_buffer_index].buffer_offset +
         e->src_offset;

      if (ctx->elements->unsupported & BITFIELD_BIT(i) ||
          (at | e->src_stride) % 4)
         mask |= BITFIELD_BIT(i);
   }
   return mask;
}

/* State that attributes and the number of fetchable vertices depend on. */
#define ATTRIBUTE_STATE (TEGRA20_DIRTY_VERTEX | TEGRA20_DIRTY_VS_CODE)

/* Once per draw, before anything asks for ctx->fetchable and ctx->misfits. */
static void
examine_buffers(struct tegra20_context *ctx)
{
   if (!(ctx->dirty & ATTRIBUTE_STATE))
      return;
   ctx->fetchable =
      vertices_inside(ctx, ctx->vs_variant->program->attribs_read);
   ctx->misfits = find_misfits(ctx);
}

/* How an attribute looks after copying: as the application has it, or as
 * floats. */
static unsigned
copied_size(const struct tegra20_context *ctx, unsigned i)
{
   return ctx->elements->unsupported & BITFIELD_BIT(i)
             ? 4 * sizeof(float)
             : align(ctx->elements->size[i], 4);
}

/* Copies count elements: those of the list, each repeat times, or from first
 * on; zeros for what is outside the buffer. */
static void
copy_attribute(struct tegra20_context *ctx, unsigned i, uint8_t *dst,
               unsigned stride, const uint32_t *list, uint32_t first,
               unsigned count, unsigned repeat)
{
   const struct tegra20_resource *res = attribute_buffer(ctx, i);
   const struct pipe_vertex_element *e = &ctx->elements->elements[i];
   uint64_t base =
      (uint64_t)ctx->vertex_buffers[e->vertex_buffer_index].buffer_offset +
      e->src_offset;
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
convert_attribute(struct tegra20_context *ctx, unsigned i, uint32_t first,
                  unsigned count, struct tegra20_attrib *a)
{
   bool constant = !ctx->elements->elements[i].src_stride;
   unsigned stride = copied_size(ctx, i), offset = 0;
   uint8_t *map = NULL;

   count = constant ? 1 : count;
   u_upload_alloc(ctx->base.stream_uploader, 0, stride * count, 4, &offset,
                  &ctx->converted[i], (void **)&map);
   if (!ctx->converted[i] || !map)
      return false;
   copy_attribute(ctx, i, map, stride, NULL, first, count, 1);
   a->bo = tegra20_resource(ctx->converted[i])->bo;
   a->offset = offset;
   a->mode =
      ctx->elements->mode[i] | GR3D_ATTRIB_MODE_STRIDE(constant ? 0 : stride);
   return true;
}

static void
unbound_attribute(struct tegra20_context *ctx, struct tegra20_attrib *a)
{
   struct tegra20_resource *zeros = tegra20_resource(ctx->zeros);

   a->bo = zeros->bo;
   a->offset = zeros->offset;
   a->mode = GR3D_ATTRIB_MODE_TYPE(GR3D_ATTRIB_TYPE_FLOAT32) |
             GR3D_ATTRIB_MODE_SIZE(4);
}

/*
 * Points the attributes at the vertex buffers, with vertex base_vertex as
 * number 0; count vertices from there on will be fetched (all of them inside,
 * as ctx->fetchable says).  False when a negative base leaves a buffer at its
 * start.
 */
static bool
update_attributes(struct tegra20_context *ctx, int64_t base_vertex,
                  unsigned count)
{
   const uint32_t convert = ctx->misfits;

   if (!convert && ctx->attribs_valid && ctx->attribs_base == base_vertex &&
       !(ctx->dirty & ATTRIBUTE_STATE))
      return true;
   ctx->attribs_valid = false;
   u_foreach_bit (i, ctx->vs_variant->program->attribs_read) {
      const struct tegra20_resource *res = attribute_buffer(ctx, i);
      struct tegra20_attrib a;

      if (!res) {
         unbound_attribute(ctx, &a);
      } else if (convert & BITFIELD_BIT(i)) {
         if (base_vertex < 0 ||
             !convert_attribute(ctx, i, base_vertex, count, &a))
            return false;
      } else {
         const struct pipe_vertex_element *e = &ctx->elements->elements[i];
         int64_t offset =
            (int64_t)res->offset +
            ctx->vertex_buffers[e->vertex_buffer_index].buffer_offset +
            e->src_offset + base_vertex * e->src_stride;
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

/* --- fast path --- */

void
tegra20_emit_pieces(struct tegra20_context *ctx, enum mesa_prim mode,
                    unsigned index_size, struct tegra20_bo *index_bo,
                    uint32_t index_offset, unsigned first, unsigned count)
{
   struct cut cut = { count, count };
   struct tegra20_draw_call call = { .params =
                                        draw_params(ctx, mode, index_size),
                                     .index_bo = index_bo };
   const bool passes = tegra20_needs_passes(ctx);

   if (count > MAX_DRAW_VERTICES)
      can_cut(mode, &cut);
   for (unsigned done = 0; done < count; done += cut.advance) {
      call.count = MIN2(count - done, cut.size);
      if (done && !u_trim_pipe_prim(mode, &call.count))
         break;
      call.first = index_bo ? 0 : first + done;
      call.index_offset = index_offset + (first + done) * index_size;
      bool ok = passes ? tegra20_draw_passes(ctx, mode, index_size, &call)
                       : tegra20_emit_draw(ctx, &call);
      if (!ok || call.count + done == count)
         break;
   }
}

/* --- slow path --- */

/*
 * Copies the vertices of a piece into a buffer of their own and draws them
 * without indices.  Points that are drawn as two triangles repeat each vertex
 * with the corner that it is.
 */
static const float point_corners[6][2] = { { -1, -1 }, { 1, -1 }, { -1, 1 },
                                           { -1, 1 },  { 1, -1 }, { 1, 1 } };

static void
draw_copied(struct tegra20_context *ctx, enum mesa_prim mode,
            const uint32_t *vertices, unsigned count)
{
   const uint32_t attribs = ctx->vs_variant->program->attribs_read;
   bool corners = ctx->vs->expands_points && mode == MESA_PRIM_POINTS;
   unsigned repeat = corners ? ARRAY_SIZE(point_corners) : 1;
   struct pipe_resource *buffer = NULL;
   unsigned stride = 0, offset = 0;
   uint8_t *map = NULL;
   uint16_t at[TEGRA20_MAX_ATTRIBS];

   count *= repeat;
   u_foreach_bit (i, attribs) {
      at[i] = stride;
      if (corners && i == ctx->vs->corner_input)
         stride += sizeof(point_corners[0]);
      else if (attribute_buffer(ctx, i))
         stride += copied_size(ctx, i);
   }
   stride = MAX2(stride, 4);
   u_upload_alloc(ctx->base.stream_uploader, 0, stride * count, 4, &offset,
                  &buffer, (void **)&map);
   if (!buffer)
      return;

   u_foreach_bit (i, attribs) {
      struct tegra20_attrib *a = &ctx->attribs[i];

      if (corners && i == ctx->vs->corner_input) {
         for (unsigned v = 0; v < count; v++)
            memcpy(map + at[i] + v * stride, point_corners[v % repeat],
                   sizeof(point_corners[0]));
         a->mode = GR3D_ATTRIB_MODE_TYPE(GR3D_ATTRIB_TYPE_FLOAT32) |
                   GR3D_ATTRIB_MODE_SIZE(2);
      } else if (attribute_buffer(ctx, i)) {
         copy_attribute(ctx, i, map + at[i], stride, vertices, 0, count,
                        repeat);
         a->mode = ctx->elements->mode[i];
      } else {
         unbound_attribute(ctx, a);
         continue;
      }
      a->bo = tegra20_resource(buffer)->bo;
      a->offset = offset + at[i];
      a->mode |= GR3D_ATTRIB_MODE_STRIDE(stride);
   }
   ctx->dirty |= TEGRA20_DIRTY_VERTEX;
   tegra20_emit_pieces(ctx, corners ? MESA_PRIM_TRIANGLES : mode, 0, NULL, 0,
                       0, count);
   pipe_resource_reference(&buffer, NULL);
   ctx->attribs_valid = false;
   memset(ctx->attribs, 0, sizeof(ctx->attribs));
}

/* One piece of a list of points, lines or triangles. */
static void
draw_list_piece(struct tegra20_context *ctx, enum mesa_prim mode,
                const uint32_t *vertices, unsigned count,
                uint32_t num_fetchable)
{
   uint32_t min = UINT32_MAX, max = 0;

   if (ctx->vs->expands_points && mode == MESA_PRIM_POINTS) {
      draw_copied(ctx, mode, vertices, count);
      return;
   }
   for (unsigned i = 0; i < count; i++) {
      min = MIN2(min, vertices[i]);
      max = MAX2(max, vertices[i]);
   }
   /* Of a sparse piece it is cheaper to convert what is drawn. */
   bool sparse = max - min >= 2 * count && ctx->misfits;
   if (max >= num_fetchable || max - min > 0xffff || sparse ||
       !update_attributes(ctx, min, max - min + 1)) {
      draw_copied(ctx, mode, vertices, count);
      return;
   }

   struct pipe_resource *buffer = NULL;
   unsigned offset = 0;
   uint16_t *indices = NULL;

   u_upload_alloc(ctx->base.stream_uploader, 0, count * 2, 4, &offset,
                  &buffer, (void **)&indices);
   if (!buffer)
      return;
   for (unsigned i = 0; i < count; i++)
      indices[i] = vertices[i] - min;
   tegra20_emit_pieces(ctx, mode, 2, tegra20_resource(buffer)->bo, offset, 0,
                       count);
   pipe_resource_reference(&buffer, NULL);
}

static void
draw_list(struct tegra20_context *ctx, enum mesa_prim mode,
          const uint32_t *vertices, unsigned count)
{
   uint32_t num_fetchable = ctx->fetchable;
   struct cut cut;

   can_cut(mode, &cut);
   for (unsigned done = 0; done < count; done += cut.advance)
      draw_list_piece(ctx, mode, vertices + done,
                      MIN2(count - done, cut.size), num_fetchable);
}

/* Vertex numbers of a draw, in order. */
static uint32_t *
vertex_numbers(const void *indices, unsigned index_size,
               const struct pipe_draw_start_count_bias *draw)
{
   /* More than fits into any buffer: drawn without buffers, by an application
    * that wants to know. */
   if (draw->count > MAX_LIST_VERTICES) {
      tegra20_msg_once("a draw of %u vertices is dropped", draw->count);
      return NULL;
   }
   uint32_t *list = MALLOC(draw->count * sizeof(uint32_t));
   const uint32_t bias =
      draw->index_bias; /* any sum is a vertex number, what it names is
                           checked where it is fetched */

   if (!list)
      return NULL;
   for (unsigned i = 0; i < draw->count; i++) {
      unsigned n = draw->start + i;
      switch (index_size) {
      case 1:
         list[i] = ((const uint8_t *)indices)[n] + bias;
         break;
      case 2:
         list[i] = ((const uint16_t *)indices)[n] + bias;
         break;
      case 4:
         list[i] = ((const uint32_t *)indices)[n] + bias;
         break;
      default:
         list[i] = n;
         break;
      }
   }
   return list;
}

#define LIST_MODES                                                   \
   (BITFIELD_BIT(MESA_PRIM_POINTS) | BITFIELD_BIT(MESA_PRIM_LINES) | \
    BITFIELD_BIT(MESA_PRIM_TRIANGLES))
#define NATIVE_MODES                                  \
   (LIST_MODES | BITFIELD_BIT(MESA_PRIM_LINE_STRIP) | \
    BITFIELD_BIT(MESA_PRIM_LINE_LOOP) |               \
    BITFIELD_BIT(MESA_PRIM_TRIANGLE_STRIP) |          \
    BITFIELD_BIT(MESA_PRIM_TRIANGLE_FAN))

/*
 * PIPE_POLYGON_MODE_* that polygons are drawn with.  When front and back
 * differ and both are visible, the front's is taken: which side a polygon
 * shows is only known behind the vertex program.
 */
static unsigned
polygon_mode(const struct tegra20_context *ctx, enum mesa_prim mode)
{
   const struct pipe_rasterizer_state *rast = &ctx->rasterizer->base;

   if (u_reduced_prim(mode) != MESA_PRIM_TRIANGLES)
      return PIPE_POLYGON_MODE_FILL;
   return rast->cull_face == PIPE_FACE_FRONT ? rast->fill_back
                                             : rast->fill_front;
}

/* Turns a list of vertex numbers (which it frees) into one of points, lines
 * or triangles. */
static uint32_t *
translate_list(const struct tegra20_context *ctx, enum mesa_prim *mode,
               uint32_t *list, unsigned *count)
{
   unsigned pv = ctx->rasterizer->base.flatshade_first ? PV_FIRST : PV_LAST;
   unsigned fill = polygon_mode(ctx, *mode);
   enum mesa_prim out_mode;
   unsigned out_size, out_count;
   u_translate_func translate;
   enum indices_mode result;

   if (fill == PIPE_POLYGON_MODE_FILL) {
      result =
         u_index_translator(LIST_MODES, *mode, 4, *count, pv, pv, PR_DISABLE,
                            &out_mode, &out_size, &out_count, &translate);
   } else {
      result = u_unfilled_translator(*mode, 4, *count, fill, &out_mode,
                                     &out_size, &out_count, &translate);
   }
   uint32_t *out = result == U_TRANSLATE_ERROR
                      ? NULL
                      : MALLOC(out_count * sizeof(uint32_t));
   if (out)
      translate(list, 0, *count, out_count, 0, out);
   FREE(list);
   *mode = out_mode;
   *count = out_count;
   return out;
}

static void
draw_slow(struct tegra20_context *ctx, enum mesa_prim mode,
          const void *indices, unsigned index_size,
          const struct pipe_draw_start_count_bias *draw)
{
   uint32_t *list = vertex_numbers(indices, index_size, draw);
   unsigned count = draw->count;

   if (list && (!(LIST_MODES & BITFIELD_BIT(mode)) ||
                polygon_mode(ctx, mode) != PIPE_POLYGON_MODE_FILL))
      list = translate_list(ctx, &mode, list, &count);
   if (!list)
      return;
   draw_list(ctx, mode, list, count);
   FREE(list);
}

/* Can the engine draw it as it is, in pieces when it is too long? */
static bool
is_native(const struct tegra20_context *ctx, enum mesa_prim mode,
          unsigned count)
{
   struct cut cut;

   return (NATIVE_MODES & BITFIELD_BIT(mode)) && !ctx->vs->expands_points &&
          polygon_mode(ctx, mode) == PIPE_POLYGON_MODE_FILL &&
          (count <= MAX_DRAW_VERTICES || can_cut(mode, &cut));
}

/* --- entry --- */

/* Smallest and largest index of a draw. */
static void
index_range(const void *indices, unsigned index_size, unsigned start,
            unsigned count, uint32_t *min, uint32_t *max)
{
   uint32_t lo = UINT32_MAX, hi = 0;

#define SCAN(type)                                                       \
   for (const type *p = (const type *)indices + start, *end = p + count; \
        p < end; p++) {                                                  \
      lo = MIN2(lo, *p);                                                 \
      hi = MAX2(hi, *p);                                                 \
   }
   if (index_size == 1)
      SCAN(uint8_t)
   else if (index_size == 2)
      SCAN(uint16_t)
   else
      SCAN(uint32_t)
#undef SCAN
   *min = lo;
   *max = hi;
}

static const void *
map_indices(struct tegra20_context *ctx, const struct pipe_draw_info *info)
{
   if (info->has_user_indices)
      return info->index.user;

   struct tegra20_resource *res = tegra20_resource(info->index.resource);
   tegra20_context_sync_bo(ctx, res->bo, TEGRA20_READ);
   uint8_t *map = tegra20_bo_map(res->bo);
   return map ? map + res->offset : NULL;
}

static bool
known_range(const struct tegra20_resource *res,
            const struct tegra20_index_range *wanted, uint32_t *min,
            uint32_t *max)
{
   for (unsigned i = 0; i < TEGRA20_INDEX_RANGES && !res->persistent; i++) {
      const struct tegra20_index_range *r = &res->ranges[i];

      if (r->count == wanted->count && r->start == wanted->start &&
          r->index_size == wanted->index_size &&
          r->serial == wanted->serial) {
         *min = r->min;
         *max = r->max;
         return true;
      }
   }
   return false;
}

/* The same for a buffer, from what is known of it. */
static void
buffer_index_range(struct tegra20_screen *screen,
                   struct tegra20_resource *res, const void *indices,
                   unsigned index_size, unsigned start, unsigned count,
                   uint32_t *min, uint32_t *max)
{
   struct tegra20_index_range range = {
      start, count, index_size, p_atomic_read(&res->write_serial), 0, 0
   };

   simple_mtx_lock(&screen->ranges_mutex);
   bool known = known_range(res, &range, min, max);
   simple_mtx_unlock(&screen->ranges_mutex);
   if (known)
      return;

   index_range(indices, index_size, start, count, min, max);
   range.min = *min;
   range.max = *max;
   simple_mtx_lock(&screen->ranges_mutex);
   res->ranges[res->next_range] = range;
   res->next_range = (res->next_range + 1) % TEGRA20_INDEX_RANGES;
   simple_mtx_unlock(&screen->ranges_mutex);
}

static bool
index_buffer_holds(const struct pipe_draw_info *info,
                   const struct pipe_draw_start_count_bias *draw)
{
   return info->has_user_indices ||
          ((uint64_t)draw->start + draw->count) * info->index_size <=
             info->index.resource->width0;
}

static void
draw_elements(struct tegra20_context *ctx, const struct pipe_draw_info *info,
              const struct pipe_draw_start_count_bias *draw)
{
   const void *indices = map_indices(ctx, info);
   uint32_t min, max;

   if (!indices || !index_buffer_holds(info, draw))
      return;
   /* The bounds that glDrawRangeElements() was told are the application's,
    * and may be wrong. */
   if (info->has_user_indices) {
      index_range(indices, info->index_size, draw->start, draw->count, &min,
                  &max);
   } else {
      buffer_index_range(ctx->screen, tegra20_resource(info->index.resource),
                         indices, info->index_size, draw->start, draw->count,
                         &min, &max);
   }

   int64_t last = (int64_t)max + draw->index_bias,
           first = (int64_t)min + draw->index_bias;
   bool fast = info->index_size <= 2 && first >= 0 && last < ctx->fetchable &&
               is_native(ctx, info->mode, draw->count) && !ctx->misfits &&
               update_attributes(ctx, draw->index_bias, 0);
   if (!fast) {
      draw_slow(ctx, info->mode, indices, info->index_size, draw);
      return;
   }

   if (info->has_user_indices) {
      struct pipe_resource *buffer = NULL;
      unsigned offset = 0;

      u_upload_data(ctx->base.stream_uploader, 0,
                    draw->count * info->index_size, 4,
                    (const uint8_t *)indices + draw->start * info->index_size,
                    &offset, &buffer);
      if (buffer)
         tegra20_emit_pieces(ctx, info->mode, info->index_size,
                             tegra20_resource(buffer)->bo, offset, 0,
                             draw->count);
      pipe_resource_reference(&buffer, NULL);
   } else {
      struct tegra20_resource *res = tegra20_resource(info->index.resource);
      tegra20_emit_pieces(ctx, info->mode, info->index_size, res->bo,
                          res->offset, draw->start, draw->count);
   }
}

/* Primitives that lie behind the buffers as a whole are not drawn: their
 * number has no limit. */
static void
clamp_count(uint32_t num_fetchable, struct pipe_draw_start_count_bias *draw)
{
   uint32_t inside =
      draw->start < num_fetchable ? num_fetchable - draw->start : 0;

   if (num_fetchable != UINT32_MAX)
      draw->count = MIN2(draw->count, inside + MAX_OUTSIDE_VERTICES);
}

static void
draw_arrays(struct tegra20_context *ctx, const struct pipe_draw_info *info,
            unsigned start, unsigned count)
{
   const uint64_t end = (uint64_t)start + count;

   if (end > ctx->fetchable || !is_native(ctx, info->mode, count)) {
      struct pipe_draw_start_count_bias draw = { .start = start,
                                                 .count = count };
      clamp_count(ctx->fetchable, &draw);
      if (u_trim_pipe_prim(info->mode, &draw.count))
         draw_slow(ctx, info->mode, NULL, 0, &draw);
      return;
   }

   bool from_start = end > MAX_DRAW_OFFSET || ctx->misfits;
   if (update_attributes(ctx, from_start ? start : 0, count))
      tegra20_emit_pieces(ctx, info->mode, 0, NULL, 0, from_start ? 0 : start,
                          count);
}

/*
 * Mesa's draw module, which is behind tegra20_swtnl_draw(), fetches all
 * elements and does not look where they are: vertices behind a buffer become
 * the first one.
 */
static void
draw_with_module(struct tegra20_context *ctx,
                 const struct pipe_draw_info *info,
                 const struct pipe_draw_start_count_bias *draw)
{
   uint32_t num =
      ctx->elements
         ? vertices_inside(ctx, BITFIELD_MASK(ctx->elements->count))
         : 0;
   struct pipe_draw_start_count_bias moved = *draw;
   const void *indices = info->index_size ? map_indices(ctx, info) : NULL;

   if (!num ||
       (info->index_size && (!indices || !index_buffer_holds(info, draw))))
      return;
   if (!info->index_size) {
      moved.index_bias = 0;
      if ((uint64_t)draw->start + draw->count <= num) {
         tegra20_swtnl_draw(ctx, info, &moved);
         return;
      }
      clamp_count(num, &moved);
   }
   uint32_t *list = u_trim_pipe_prim(info->mode, &moved.count)
                       ? vertex_numbers(indices, info->index_size, &moved)
                       : NULL;
   if (!list)
      return;
   for (unsigned i = 0; i < moved.count; i++)
      list[i] = list[i] < num ? list[i] : 0;

   struct pipe_draw_info listed = *info;
   listed.index_size = sizeof(*list);
   listed.has_user_indices = true;
   listed.index.user = list;
   listed.index_bounds_valid = false;
   moved.start = moved.index_bias = 0;
   tegra20_swtnl_draw(ctx, &listed, &moved);
   FREE(list);
}

/* Other contexts may have exchanged the memory of what is bound here. */
static void
check_storage(struct tegra20_context *ctx)
{
   unsigned generation = p_atomic_read(&ctx->screen->storage_generation);

   if (ctx->storage_generation != generation) {
      ctx->storage_generation = generation;
      ctx->dirty |= TEGRA20_DIRTY_VERTEX | TEGRA20_DIRTY_TEXTURES |
                    TEGRA20_DIRTY_FRAMEBUFFER;
   }
}

static bool
targets_usable(const struct tegra20_context *ctx)
{
   for (unsigned i = 0; i < ctx->framebuffer.nr_cbufs; i++) {
      if (ctx->framebuffer.cbufs[i] &&
          !tegra20_surface_usable(ctx->framebuffer.cbufs[i]))
         return false;
   }
   return true;
}

/* A small level that is bound as target and sampled at the same time: GL
 * leaves the result open, but not the memory. */
static void
finish_sampled_scratch(struct tegra20_context *ctx)
{
   for (unsigned i = 0; i < ctx->framebuffer.nr_cbufs; i++)
      tegra20_surface_prepare(ctx, ctx->framebuffer.cbufs[i]);
   for (unsigned i = 0; i < ctx->num_views; i++) {
      if (ctx->views[i])
         tegra20_finish_scratch(
            ctx, tegra20_resource(ctx->views[i]->base.texture));
   }
}

static bool
culls_everything(const struct tegra20_context *ctx, enum mesa_prim mode)
{
   return ctx->rasterizer->base.rasterizer_discard ||
          (ctx->rasterizer->base.cull_face == PIPE_FACE_FRONT_AND_BACK &&
           u_reduced_prim(mode) == MESA_PRIM_TRIANGLES);
}

/*
 * GL clips points and lines before it gives them their width: a point whose
 * centre is inside the viewport is drawn whole. Thin lines cover nothing
 * outside.
 */
static bool
is_wide(const struct tegra20_context *ctx, enum mesa_prim mode)
{
   if (tegra20_smooth_kind(&ctx->rasterizer->base, u_reduced_prim(mode)) !=
       TEGRA20_SMOOTH_NONE)
      return true;
   switch (u_reduced_prim(mode)) {
   case MESA_PRIM_POINTS:
      return !tegra20_needs_swtnl(ctx, mode);
   case MESA_PRIM_LINES:
      return ctx->rasterizer->half_line_width > 0.5f &&
             !tegra20_needs_swtnl(ctx, mode);
   default:
      return false;
   }
}

static bool
update_draw_area(struct tegra20_context *ctx, enum mesa_prim mode)
{
   if (is_wide(ctx, mode) != ctx->wide) {
      ctx->wide = !ctx->wide;
      ctx->dirty |= TEGRA20_DIRTY_VIEWPORT;
   }
   if (ctx->dirty & (TEGRA20_DIRTY_FRAMEBUFFER | TEGRA20_DIRTY_VIEWPORT |
                     TEGRA20_DIRTY_SCISSOR | TEGRA20_DIRTY_RASTERIZER))
      ctx->draw_area_empty = !tegra20_draw_area(ctx, &ctx->draw_area);
   return !ctx->draw_area_empty;
}

/* What reaches the rasteriser: points, lines or triangles. */
static enum mesa_prim
rasterized_kind(const struct tegra20_context *ctx, enum mesa_prim mode)
{
   switch (polygon_mode(ctx, mode)) {
   case PIPE_POLYGON_MODE_POINT:
      return MESA_PRIM_POINTS;
   case PIPE_POLYGON_MODE_LINE:
      return MESA_PRIM_LINES;
   default:
      return u_reduced_prim(mode);
   }
}

/* The engine has no restart index: a draw for every primitive. */
static void
draw_restarted(struct tegra20_context *ctx, const struct pipe_draw_info *info,
               const struct pipe_draw_start_count_bias *draw)
{
   const uint8_t *indices =
      index_buffer_holds(info, draw) ? map_indices(ctx, info) : NULL;
   struct pipe_draw_info pieces = *info;
   unsigned num = 0, total;

   if (!indices)
      return;
   struct pipe_draw_start_count_bias *draws =
      util_prim_restart_convert_to_direct(
         indices + (size_t)draw->start * info->index_size, info, draw, &num,
         &pieces.min_index, &pieces.max_index, &total);
   pieces.primitive_restart = false;
   pieces.index_bounds_valid = false;
   if (num)
      ctx->base.draw_vbo(&ctx->base, &pieces, 0, NULL, draws, num);
   FREE(draws);
}

static void
draw_vbo(struct pipe_context *pctx, const struct pipe_draw_info *info,
         unsigned drawid_offset,
         const struct pipe_draw_indirect_info *indirect,
         const struct pipe_draw_start_count_bias *draws, unsigned num_draws)
{
   struct tegra20_context *ctx = tegra20_context(pctx);

   if (indirect && indirect->buffer) {
      util_draw_indirect(pctx, info, drawid_offset, indirect);
      return;
   }
   if (!tegra20_context_condition(ctx))
      return;
   if (info->primitive_restart && info->index_size) {
      for (unsigned i = 0; i < num_draws; i++)
         draw_restarted(ctx, info, &draws[i]);
      return;
   }
   check_storage(ctx);
   if (culls_everything(ctx, info->mode) ||
       !update_draw_area(ctx, info->mode))
      return;
   if (tegra20_needs_fragdepth(ctx)) {
      tegra20_fragdepth_draw(ctx, info, draws, num_draws);
      return;
   }
   if (ctx->uses_scratch) {
      finish_sampled_scratch(ctx);
      if (!targets_usable(ctx))
         return;
   }
   tegra20_occlusion_prepare(ctx);
   if (!tegra20_program_extend(ctx, rasterized_kind(ctx, info->mode)) ||
       !tegra20_texture_prepare(ctx))
      return;
   if (!tegra20_program_update(ctx)) {
      if (tegra20_can_split(ctx))
         tegra20_split_draw(ctx, info, draws, num_draws);
      return;
   }
   examine_buffers(ctx);

   bool swtnl = tegra20_needs_swtnl(ctx, info->mode);
   for (unsigned i = 0; i < num_draws; i++) {
      unsigned count = draws[i].count;

      if (!u_trim_pipe_prim(info->mode, &count))
         continue;
      if (!swtnl && !info->index_size) {
         draw_arrays(ctx, info, draws[i].start, count);
         continue;
      }
      struct pipe_draw_start_count_bias draw = draws[i];
      draw.count = count;
      if (swtnl)
         draw_with_module(ctx, info, &draw);
      else
         draw_elements(ctx, info, &draw);
   }
}

void
tegra20_draw_init(struct tegra20_context *ctx)
{
   ctx->base.draw_vbo = draw_vbo;
}
