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
#include "util/u_blitter.h"
#include "util/u_draw.h"
#include "util/u_framebuffer.h"
#include "util/u_inlines.h"
#include "util/u_math.h"
#include "util/u_memory.h"
#include "util/u_prim.h"
#include "util/u_prim_restart.h"
#include "util/u_upload_mgr.h"

#include "tegra20/gr3d_regs.h"

#include "tegra20_context.h"
#include "tegra20_debug.h"
#include "tegra20_screen.h"
#include "tegra20_smooth.h"
#include "tegra20_swtnl.h"
#include "tegra20_texture.h"
#include "tegra20_vertex.h"

#define MAX_DRAW_OFFSET 0xfffff /* field of 0x123 */
#define MAX_OUTSIDE_VERTICES \
   4 /* a multiple of what any primitive has would do as well */
#define MAX_LIST_VERTICES (1u << 26)

/* --- slow path --- */

/* Copies the vertices of a part into a buffer of their own and draws them
 * without indices. */
static void
tegra20_draw_copied(struct tegra20_context *ctx, enum mesa_prim mode,
                    const uint32_t *vertices, unsigned count)
{
   const bool corners =
      ctx->plan.passes[0].expands_points && mode == MESA_PRIM_POINTS;
   struct pipe_resource *buffer = NULL;
   struct tegra20_primitives prims = {
      .mode = mode,
      .count = count,
      .numbers = vertices,
   };

   if (corners) {
      prims.mode = MESA_PRIM_TRIANGLES;
      prims.count = count * TEGRA20_POINT_CORNERS;
      prims.vertices_per_group = TEGRA20_POINT_CORNERS;
      prims.numbers = NULL;
   }
   if (!tegra20_attribs_copy(ctx, vertices, count, corners, &buffer))
      return;
   tegra20_plan_draw(ctx, &prims);
   pipe_resource_reference(&buffer, NULL);
   tegra20_attribs_forget(ctx);
}

/* One piece of a list of points, lines or triangles. */
static void
tegra20_draw_list_part(struct tegra20_context *ctx, enum mesa_prim mode,
                       const uint32_t *vertices, unsigned count,
                       uint32_t num_fetchable)
{
   uint32_t min = UINT32_MAX, max = 0;

   if (ctx->plan.passes[0].expands_points && mode == MESA_PRIM_POINTS) {
      tegra20_draw_copied(ctx, mode, vertices, count);
      return;
   }
   for (unsigned i = 0; i < count; i++) {
      min = MIN2(min, vertices[i]);
      max = MAX2(max, vertices[i]);
   }
   /* Of a sparse piece it is cheaper to convert what is drawn. */
   bool sparse = max - min >= 2 * count && ctx->unsupported_attribs;
   if (max >= num_fetchable || max - min > 0xffff || sparse ||
       !tegra20_attribs_update(ctx, min, max - min + 1)) {
      tegra20_draw_copied(ctx, mode, vertices, count);
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
   const struct tegra20_primitives prims = {
      .mode = mode,
      .count = count,
      .index_bo = tegra20_resource(buffer)->bo,
      .index_offset = offset,
      .index_size = 2,
      .numbers = vertices,
   };
   tegra20_plan_draw(ctx, &prims);
   pipe_resource_reference(&buffer, NULL);
}

static void
tegra20_draw_list(struct tegra20_context *ctx, enum mesa_prim mode,
                  const uint32_t *vertices, unsigned count)
{
   uint32_t num_fetchable = ctx->num_vertices;
   struct tegra20_cut cut;

   tegra20_cut_primitives(mode, TEGRA20_MAX_DRAW_VERTICES, &cut);
   for (unsigned done = 0; done < count; done += cut.advance)
      tegra20_draw_list_part(ctx, mode, vertices + done,
                             MIN2(count - done, cut.size), num_fetchable);
}

/* Vertex numbers of a draw, in order. */
static uint32_t *
tegra20_vertex_numbers(const void *indices, unsigned index_size,
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
tegra20_polygon_mode(const struct tegra20_context *ctx, enum mesa_prim mode)
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
tegra20_translate_list(const struct tegra20_context *ctx,
                       enum mesa_prim *mode, uint32_t *list, unsigned *count)
{
   unsigned pv = ctx->rasterizer->base.flatshade_first ? PV_FIRST : PV_LAST;
   unsigned fill = tegra20_polygon_mode(ctx, *mode);
   enum mesa_prim out_mode;
   unsigned out_size, out_count;
   u_translate_func translate;
   enum indices_mode result;

   /* Mesa's translator of 32-bit numbers to points copies half of them. */
   if (fill == PIPE_POLYGON_MODE_POINT) {
      *mode = MESA_PRIM_POINTS;
      return list;
   }
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
tegra20_draw_as_list(struct tegra20_context *ctx, enum mesa_prim mode,
                     const void *indices, unsigned index_size,
                     const struct pipe_draw_start_count_bias *draw)
{
   uint32_t *list = tegra20_vertex_numbers(indices, index_size, draw);
   unsigned count = draw->count;

   if (list && (!(LIST_MODES & BITFIELD_BIT(mode)) ||
                tegra20_polygon_mode(ctx, mode) != PIPE_POLYGON_MODE_FILL))
      list = tegra20_translate_list(ctx, &mode, list, &count);
   if (!list)
      return;
   tegra20_draw_list(ctx, mode, list, count);
   FREE(list);
}

/* Can the engine draw it as it is, in parts when it is too long? */
static bool
tegra20_is_native(const struct tegra20_context *ctx, enum mesa_prim mode,
                  unsigned count)
{
   return (NATIVE_MODES & BITFIELD_BIT(mode)) &&
          !ctx->plan.passes[0].expands_points &&
          tegra20_polygon_mode(ctx, mode) == PIPE_POLYGON_MODE_FILL &&
          tegra20_plan_can_draw(ctx, mode, count);
}

/* --- entry --- */

/* Smallest and largest index of a draw. */
static void
tegra20_find_index_range(const void *indices, unsigned index_size,
                         unsigned start, unsigned count, uint32_t *min,
                         uint32_t *max)
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
tegra20_map_indices(struct tegra20_context *ctx,
                    const struct pipe_draw_info *info)
{
   if (info->has_user_indices)
      return info->index.user;

   struct tegra20_resource *res = tegra20_resource(info->index.resource);
   tegra20_context_sync_bo(ctx, res->bo, TEGRA20_READ);
   uint8_t *map = tegra20_bo_map(res->bo);
   return map ? map + res->offset : NULL;
}

static bool
tegra20_is_range(const struct tegra20_index_range *r, unsigned start,
                 unsigned count, unsigned index_size, unsigned serial)
{
   return r->count == count && r->start == start && r->serial == serial &&
          r->index_size == index_size;
}

/* Fills a range that some context found before. */
static bool
tegra20_known_index_range(struct tegra20_context *ctx,
                          const struct tegra20_resource *res,
                          struct tegra20_index_range *range)
{
   simple_mtx_t *mutex = &ctx->screen->ranges_mutex;
   bool known = false;

   simple_mtx_lock(mutex);
   for (unsigned i = 0; i < TEGRA20_INDEX_RANGES && !known; i++) {
      const struct tegra20_index_range *r = &res->ranges[i];

      known = tegra20_is_range(r, range->start, range->count,
                               range->index_size, range->serial);
      if (known)
         *range = *r;
   }
   simple_mtx_unlock(mutex);
   return known;
}

static void
tegra20_keep_index_range(struct tegra20_context *ctx,
                         struct tegra20_resource *res,
                         const struct tegra20_index_range *range)
{
   simple_mtx_t *mutex = &ctx->screen->ranges_mutex;

   simple_mtx_lock(mutex);
   res->ranges[res->next_range] = *range;
   res->next_range = (res->next_range + 1) % TEGRA20_INDEX_RANGES;
   simple_mtx_unlock(mutex);
}

/* Smallest and largest index in a buffer, in ctx->last_range.  What is known
 * of it needs no map, for which the CPU would wait, and what this context's
 * last indexed draw had needs no lock.  False: it cannot be mapped. */
static bool
tegra20_buffer_index_range(struct tegra20_context *ctx,
                           const struct pipe_draw_info *info, unsigned start,
                           unsigned count)
{
   struct tegra20_resource *res = tegra20_resource(info->index.resource);
   const unsigned serial = p_atomic_read(&res->write_serial);
   const bool keeps = !res->persistent;

   if (keeps && ctx->last_indices == res->id &&
       tegra20_is_range(&ctx->last_range, start, count, info->index_size,
                        serial))
      return true;

   struct tegra20_index_range range = { start,  count, info->index_size,
                                        serial, 0,     0 };

   if (!keeps || !tegra20_known_index_range(ctx, res, &range)) {
      const void *indices = tegra20_map_indices(ctx, info);

      if (!indices)
         return false;
      tegra20_find_index_range(indices, info->index_size, start, count,
                               &range.min, &range.max);
      tegra20_keep_index_range(ctx, res, &range);
   }
   ctx->last_range = range;
   ctx->last_indices = res->id;
   return true;
}

static bool
tegra20_index_buffer_holds(const struct pipe_draw_info *info,
                           const struct pipe_draw_start_count_bias *draw)
{
   return info->has_user_indices ||
          ((uint64_t)draw->start + draw->count) * info->index_size <=
             info->index.resource->width0;
}

static void
tegra20_draw_elements(struct tegra20_context *ctx,
                      const struct pipe_draw_info *info,
                      const struct pipe_draw_start_count_bias *draw)
{
   uint32_t min, max;

   if (!tegra20_index_buffer_holds(info, draw))
      return;
   /* The bounds that glDrawRangeElements() was told are the application's,
    * and may be wrong. */
   if (info->has_user_indices) {
      tegra20_find_index_range(info->index.user, info->index_size,
                               draw->start, draw->count, &min, &max);
   } else {
      if (!tegra20_buffer_index_range(ctx, info, draw->start, draw->count))
         return;
      min = ctx->last_range.min;
      max = ctx->last_range.max;
   }

   int64_t last = (int64_t)max + draw->index_bias,
           first = (int64_t)min + draw->index_bias;
   bool fast = info->index_size <= 2 && first >= 0 &&
               last < ctx->num_vertices &&
               tegra20_is_native(ctx, info->mode, draw->count) &&
               !ctx->unsupported_attribs &&
               tegra20_attribs_update(ctx, draw->index_bias, 0);
   if (!fast) {
      const void *indices = tegra20_map_indices(ctx, info);

      if (indices)
         tegra20_draw_as_list(ctx, info->mode, indices, info->index_size,
                              draw);
      return;
   }

   struct tegra20_primitives prims = {
      .mode = info->mode,
      .count = draw->count,
      .index_size = info->index_size,
   };
   struct pipe_resource *buffer = NULL;

   if (info->has_user_indices) {
      u_upload_data(
         ctx->base.stream_uploader, 0, draw->count * info->index_size, 4,
         (const uint8_t *)info->index.user + draw->start * info->index_size,
         &prims.index_offset, &buffer);
      prims.index_bo = buffer ? tegra20_resource(buffer)->bo : NULL;
   } else {
      struct tegra20_resource *res = tegra20_resource(info->index.resource);

      prims.first = draw->start;
      prims.index_bo = res->bo;
      prims.index_offset = res->offset;
   }
   if (prims.index_bo)
      tegra20_plan_draw(ctx, &prims);
   pipe_resource_reference(&buffer, NULL);
}

/* Primitives that lie behind the buffers as a whole are not drawn: their
 * number has no limit. */
static void
tegra20_clamp_count(uint32_t num_fetchable,
                    struct pipe_draw_start_count_bias *draw)
{
   uint32_t inside =
      draw->start < num_fetchable ? num_fetchable - draw->start : 0;

   if (num_fetchable != UINT32_MAX)
      draw->count = MIN2(draw->count, inside + MAX_OUTSIDE_VERTICES);
}

static void
tegra20_draw_arrays(struct tegra20_context *ctx,
                    const struct pipe_draw_info *info, unsigned start,
                    unsigned count)
{
   const uint64_t end = (uint64_t)start + count;

   if (end > ctx->num_vertices ||
       !tegra20_is_native(ctx, info->mode, count)) {
      struct pipe_draw_start_count_bias draw = { .start = start,
                                                 .count = count };
      tegra20_clamp_count(ctx->num_vertices, &draw);
      if (u_trim_pipe_prim(info->mode, &draw.count))
         tegra20_draw_as_list(ctx, info->mode, NULL, 0, &draw);
      return;
   }

   bool from_start = end > MAX_DRAW_OFFSET || ctx->unsupported_attribs;
   const struct tegra20_primitives prims = {
      .mode = info->mode,
      .first = from_start ? 0 : start,
      .count = count,
   };
   if (tegra20_attribs_update(ctx, from_start ? start : 0, count))
      tegra20_plan_draw(ctx, &prims);
}

/*
 * Mesa's draw module, which is behind tegra20_swtnl_draw(), fetches all
 * elements and does not look where they are: vertices behind a buffer become
 * the first one.
 */
static void
tegra20_draw_with_module(struct tegra20_context *ctx,
                         const struct pipe_draw_info *info,
                         const struct pipe_draw_start_count_bias *draw)
{
   uint32_t num =
      ctx->elements
         ? tegra20_vertices_inside(ctx, BITFIELD_MASK(ctx->elements->count))
         : 0;
   struct pipe_draw_start_count_bias moved = *draw;
   const void *indices =
      info->index_size ? tegra20_map_indices(ctx, info) : NULL;

   if (!num || (info->index_size &&
                (!indices || !tegra20_index_buffer_holds(info, draw))))
      return;
   if (!info->index_size) {
      moved.index_bias = 0;
      if ((uint64_t)draw->start + draw->count <= num) {
         tegra20_swtnl_draw(ctx, info, &moved);
         return;
      }
      tegra20_clamp_count(num, &moved);
   }
   uint32_t *list =
      u_trim_pipe_prim(info->mode, &moved.count)
         ? tegra20_vertex_numbers(indices, info->index_size, &moved)
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
tegra20_check_storage(struct tegra20_context *ctx)
{
   const uint64_t generation =
      p_atomic_read(&ctx->screen->storage_generation);
   const uint64_t changed = generation ^ ctx->storage_generation;

   if (!changed)
      return;
   ctx->storage_generation = generation;
   ctx->dirty |= TEGRA20_DIRTY_VERTEX;
   if (changed >> 32) {
      ctx->dirty |= TEGRA20_DIRTY_FRAMEBUFFER;
      for (unsigned i = 0; i < TEGRA20_MAX_SAMPLERS; i++)
         tegra20_texture_changed(ctx, i);
   }
}

/* Samples without memory for them would not fit. */
static bool
tegra20_target_usable(const struct pipe_surface *base)
{
   const struct tegra20_surface *surface =
      (const struct tegra20_surface *)base;

   return tegra20_surface_usable(base) &&
          (surface->scale == 1 || surface->widened);
}

static bool
tegra20_targets_usable(const struct tegra20_context *ctx)
{
   for (unsigned i = 0; i < ctx->framebuffer.nr_cbufs; i++) {
      if (ctx->framebuffer.cbufs[i] &&
          !tegra20_target_usable(ctx->framebuffer.cbufs[i]))
         return false;
   }
   return !ctx->framebuffer.zsbuf ||
          tegra20_target_usable(ctx->framebuffer.zsbuf);
}

/* A small level that is bound as target and sampled at the same time: GL
 * leaves the result open, but not the memory. */
static void
tegra20_finish_sampled_scratch(struct tegra20_context *ctx)
{
   for (unsigned i = 0; i < ctx->framebuffer.nr_cbufs; i++)
      tegra20_surface_prepare(ctx, ctx->framebuffer.cbufs[i]);
   for (unsigned i = 0; i < ctx->num_views; i++) {
      if (ctx->views[i])
         tegra20_finish_scratch(
            ctx, tegra20_resource(ctx->views[i]->base.texture));
   }
}

/* Blending, masks, logic operations and programs of the application. */
static bool
tegra20_reads_target(const struct tegra20_context *ctx, unsigned i)
{
   const struct pipe_blend_state *blend = ctx->blend;
   const struct pipe_rt_blend_state *rt =
      &blend->rt[blend->independent_blend_enable ? i : 0];

   return ctx->bound_fs->source->info.fs.uses_fbfetch_output ||
          (rt->colormask && (rt->blend_enable || blend->logicop_enable ||
                             ~rt->colormask & PIPE_MASK_RGBA & ~PIPE_MASK_A));
}

/* The blitter's own draws copy. */
static void
tegra20_widen_targets(struct tegra20_context *ctx)
{
   if (!ctx->bound_fs || !ctx->blend || ctx->blitter->running)
      return;
   for (unsigned i = 0; i < ctx->framebuffer.nr_cbufs; i++) {
      struct pipe_surface *cbuf = ctx->framebuffer.cbufs[i];

      if (cbuf &&
          (tegra20_surface(cbuf)->scale > 1 || tegra20_reads_target(ctx, i)))
         tegra20_surface_widen(ctx, cbuf);
   }
   if (ctx->framebuffer.zsbuf)
      tegra20_surface_widen(ctx, ctx->framebuffer.zsbuf);
}

static bool
tegra20_culls_everything(const struct tegra20_context *ctx,
                         enum mesa_prim mode)
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
tegra20_is_wide(const struct tegra20_context *ctx, enum mesa_prim mode)
{
   if (tegra20_smooth_kind(&ctx->rasterizer->base, u_reduced_prim(mode)) !=
       TEGRA20_SMOOTH_NONE)
      return true;
   switch (u_reduced_prim(mode)) {
   case MESA_PRIM_POINTS:
      return !tegra20_needs_swtnl(ctx, mode);
   case MESA_PRIM_LINES:
      return ctx->rasterizer->half_line_width * ctx->scale > 0.5f &&
             !tegra20_needs_swtnl(ctx, mode);
   default:
      return false;
   }
}

/* The part of the framebuffer that a draw may touch without a scissor: that
 * inside the viewport. */
static void
tegra20_update_view_area(struct tegra20_context *ctx)
{
   const float *scale = ctx->viewport.scale,
               *translate = ctx->viewport.translate;
   unsigned width = ctx->framebuffer.width, height = ctx->framebuffer.height;
   struct pipe_scissor_state *area = &ctx->view_area;

   /* Bound surfaces may be smaller than the state says; nothing else protects
    * the memory behind them. */
   util_framebuffer_min_size(&ctx->framebuffer, &width, &height);
   width = MIN2(width, ctx->framebuffer.width) * ctx->scale;
   height = MIN2(height, ctx->framebuffer.height) * ctx->scale;
   *area = (struct pipe_scissor_state){ 0, 0, width, height };
   if (ctx->wide)
      return;
   area->minx =
      CLAMP(floorf(translate[0] - fabsf(scale[0])), 0, (float)width);
   area->maxx = CLAMP(ceilf(translate[0] + fabsf(scale[0])), 0, (float)width);
   area->miny =
      CLAMP(floorf(translate[1] - fabsf(scale[1])), 0, (float)height);
   area->maxy =
      CLAMP(ceilf(translate[1] + fabsf(scale[1])), 0, (float)height);
}

/* The same with the scissor (A31). */
static void
tegra20_update_scissored_area(struct tegra20_context *ctx)
{
   const struct pipe_scissor_state *scissor = &ctx->scissor;
   struct pipe_scissor_state area = ctx->view_area;

   if (ctx->scissor_test) {
      const unsigned scale = ctx->scale;

      area.minx = CLAMP(scissor->minx * scale, area.minx, area.maxx);
      area.miny = CLAMP(scissor->miny * scale, area.miny, area.maxy);
      area.maxx = CLAMP(scissor->maxx * scale, area.minx, area.maxx);
      area.maxy = CLAMP(scissor->maxy * scale, area.miny, area.maxy);
   }
   ctx->draw_area_empty = area.minx >= area.maxx || area.miny >= area.maxy;
   ctx->draw_area = area;
}

/* False when it is empty. */
static bool
tegra20_update_draw_area(struct tegra20_context *ctx, enum mesa_prim mode)
{
   const uint32_t view = TEGRA20_DIRTY_FRAMEBUFFER | TEGRA20_DIRTY_VIEWPORT;

   if (tegra20_is_wide(ctx, mode) != ctx->wide) {
      ctx->wide = !ctx->wide;
      ctx->dirty |= TEGRA20_DIRTY_VIEWPORT;
   }
   if (ctx->dirty & view)
      tegra20_update_view_area(ctx);
   if (ctx->dirty & (view | TEGRA20_DIRTY_SCISSOR))
      tegra20_update_scissored_area(ctx);
   return !ctx->draw_area_empty;
}

/* What reaches the rasteriser: points, lines or triangles. */
static enum mesa_prim
tegra20_rasterized_kind(const struct tegra20_context *ctx,
                        enum mesa_prim mode)
{
   switch (tegra20_polygon_mode(ctx, mode)) {
   case PIPE_POLYGON_MODE_POINT:
      return MESA_PRIM_POINTS;
   case PIPE_POLYGON_MODE_LINE:
      return MESA_PRIM_LINES;
   default:
      return u_reduced_prim(mode);
   }
}

static void
tegra20_draw_one(struct tegra20_context *ctx,
                 const struct pipe_draw_info *info,
                 const struct pipe_draw_start_count_bias *range,
                 bool windowed)
{
   struct pipe_draw_start_count_bias draw = *range;

   if (!u_trim_pipe_prim(info->mode, &draw.count))
      return;
   if (windowed)
      tegra20_draw_with_module(ctx, info, &draw);
   else if (info->index_size)
      tegra20_draw_elements(ctx, info, &draw);
   else
      tegra20_draw_arrays(ctx, info, draw.start, draw.count);
}

/* The engine has no restart index: a draw for every primitive. */
static void
tegra20_draw_restarted(struct tegra20_context *ctx,
                       const struct pipe_draw_info *info,
                       const struct pipe_draw_start_count_bias *draw,
                       bool windowed)
{
   const uint8_t *indices = tegra20_index_buffer_holds(info, draw)
                               ? tegra20_map_indices(ctx, info)
                               : NULL;
   struct pipe_draw_info parts = *info;
   unsigned num = 0, total;

   if (!indices)
      return;
   struct pipe_draw_start_count_bias *draws =
      util_prim_restart_convert_to_direct(
         indices + (size_t)draw->start * info->index_size, info, draw, &num,
         &parts.min_index, &parts.max_index, &total);
   parts.primitive_restart = false;
   parts.index_bounds_valid = false;
   for (unsigned i = 0; i < num; i++)
      tegra20_draw_one(ctx, &parts, &draws[i], windowed);
   FREE(draws);
}

/* State that has to be in order before anything is recorded.  False when
 * nothing is to be drawn. */
static bool
tegra20_draw_prepare(struct tegra20_context *ctx, enum mesa_prim mode,
                     bool windowed)
{
   tegra20_check_storage(ctx);
   if (!ctx->scale)
      tegra20_msg_once("surfaces of one sample and of four are not drawn to "
                       "together: those above 1024x1024 have one");
   if (!ctx->scale || tegra20_culls_everything(ctx, mode))
      return false;
   /* these may draw */
   if (ctx->uses_scratch)
      tegra20_finish_sampled_scratch(ctx);
   if (ctx->reads_widen)
      tegra20_widen_targets(ctx);
   if ((ctx->uses_scratch && !tegra20_targets_usable(ctx)) ||
       !tegra20_update_draw_area(ctx, mode))
      return false;
   if (!tegra20_plan_update(ctx, tegra20_rasterized_kind(ctx, mode),
                            windowed))
      return false;
   if (!windowed)
      tegra20_attribs_examine(ctx);
   return true;
}

/* State that tegra20_draw_prepare() does not look at. */
#define UNSEEN_STATE                                  \
   (TEGRA20_DIRTY_VS_CONST | TEGRA20_DIRTY_FS_CONST | \
    TEGRA20_DIRTY_BLEND_COLOR | TEGRA20_DIRTY_STENCIL_REF)
/* State that changes neither the passes of a simple plan nor what they
 * share, but for the program that blends. */
#define LIGHT_STATE                                                 \
   (UNSEEN_STATE | TEGRA20_DIRTY_VIEWPORT | TEGRA20_DIRTY_SCISSOR | \
    TEGRA20_DIRTY_VERTEX | TEGRA20_DIRTY_ZSA | TEGRA20_DIRTY_ZSA_KEY)

/*
 * Did tegra20_draw_prepare() last return true for a draw of this mode, and
 * has nothing changed since but light state?  Most draws follow one that
 * differs in little.
 */
static bool
tegra20_draw_is_prepared(const struct tegra20_context *ctx,
                         enum mesa_prim mode)
{
   const struct tegra20_plan *plan = &ctx->plan;
   const uint32_t light = (LIGHT_STATE & ~plan->state) | TEGRA20_DIRTY_BLEND;

   return ctx->prepared_mode == mode && !(ctx->dirty & ~light) &&
          plan->bound_vs == ctx->bound_vs &&
          plan->bound_fs == ctx->bound_fs &&
          plan->passes[0].fs == ctx->fs_without_copies &&
          !tegra20_occlusion_counts(ctx) &&
          ctx->storage_generation ==
             p_atomic_read(&ctx->screen->storage_generation);
}

enum tegra20_refreshed {
   TEGRA20_REFRESHED,
   TEGRA20_REFRESHED_EMPTY, /* nothing is to be drawn */
   TEGRA20_NOT_REFRESHED,
};

/* Takes over light state. */
static enum tegra20_refreshed
tegra20_draw_refresh(struct tegra20_context *ctx)
{
   const uint32_t dirty = ctx->dirty;

   if (dirty & TEGRA20_DIRTY_VIEWPORT)
      tegra20_update_view_area(ctx);
   if (dirty & (TEGRA20_DIRTY_VIEWPORT | TEGRA20_DIRTY_SCISSOR))
      tegra20_update_scissored_area(ctx);
   if (dirty & TEGRA20_DIRTY_VERTEX)
      tegra20_attribs_examine(ctx);
   if (dirty & (TEGRA20_DIRTY_BLEND | TEGRA20_DIRTY_ZSA_KEY) &&
       !tegra20_plan_refresh(ctx))
      return TEGRA20_NOT_REFRESHED;
   return ctx->draw_area_empty ? TEGRA20_REFRESHED_EMPTY : TEGRA20_REFRESHED;
}

static void
tegra20_draw_direct(struct tegra20_context *ctx,
                    const struct pipe_draw_info *info,
                    const struct pipe_draw_start_count_bias *draws,
                    unsigned num_draws)
{
   enum tegra20_refreshed refreshed = TEGRA20_NOT_REFRESHED;
   bool windowed = false;

   if (tegra20_draw_is_prepared(ctx, info->mode))
      refreshed = ctx->dirty & ~UNSEEN_STATE ? tegra20_draw_refresh(ctx)
                                             : TEGRA20_REFRESHED;
   if (refreshed == TEGRA20_REFRESHED_EMPTY)
      return;
   if (refreshed == TEGRA20_NOT_REFRESHED) {
      windowed = tegra20_needs_swtnl(ctx, info->mode);
      ctx->prepared_mode = MESA_PRIM_COUNT;
      if (!tegra20_draw_prepare(ctx, info->mode, windowed))
         return;
      if (ctx->plan.simple && !windowed && !ctx->uses_scratch &&
          !ctx->reads_widen && !ctx->plan.passes[0].fs->extension.stipple)
         ctx->prepared_mode = info->mode;
   }
   for (unsigned i = 0; i < num_draws; i++) {
      if (info->primitive_restart && info->index_size)
         tegra20_draw_restarted(ctx, info, &draws[i], windowed);
      else
         tegra20_draw_one(ctx, info, &draws[i], windowed);
   }
}

/* There was no memory for something that the draw needs (indices, converted
 * attributes, a copy of a texture), so it may not have been drawn. */
static void
tegra20_lose_targets(struct tegra20_context *ctx)
{
   const struct pipe_framebuffer_state *fb = &ctx->framebuffer;

   for (unsigned i = 0; i < fb->nr_cbufs; i++) {
      if (fb->cbufs[i]) {
         tegra20_resource_lose(tegra20_resource(fb->cbufs[i]->texture));
         tegra20_resource_lose(
            tegra20_surface_target(fb->cbufs[i], 0).resource);
      }
   }
   if (fb->zsbuf) {
      tegra20_resource_lose(tegra20_resource(fb->zsbuf->texture));
      tegra20_resource_lose(tegra20_surface_zs(fb->zsbuf));
   }
}

void
tegra20_draw_look_for_lost(struct tegra20_context *ctx)
{
   const unsigned refused = p_atomic_read(&ctx->screen->refused_streams);

   if (likely(refused == ctx->refused_streams))
      return;
   ctx->refused_streams = refused;
   tegra20_lose_targets(ctx);
}

static void
tegra20_draw_vbo(struct pipe_context *pctx, const struct pipe_draw_info *info,
                 unsigned drawid_offset,
                 const struct pipe_draw_indirect_info *indirect,
                 const struct pipe_draw_start_count_bias *draws,
                 unsigned num_draws)
{
   struct tegra20_context *ctx = tegra20_context(pctx);

   const unsigned refused = p_atomic_read(&ctx->screen->refused);

   if (!tegra20_context_condition(ctx))
      return;
   if (!indirect || !indirect->buffer) {
      tegra20_draw_direct(ctx, info, draws, num_draws);
   } else {
      struct u_indirect_params *params =
         util_draw_indirect_read(pctx, info, indirect, &num_draws);
      for (unsigned i = 0; params && i < num_draws; i++)
         tegra20_draw_direct(ctx, &params[i].info, &params[i].draw, 1);
      FREE(params);
   }
   if (unlikely(p_atomic_read(&ctx->screen->refused) != refused)) {
      tegra20_lose_targets(ctx);
      ctx->refused_streams = p_atomic_read(&ctx->screen->refused_streams);
   }
   if (unlikely(tegra20_is_short_of_memory(ctx->screen->ws)))
      tegra20_context_submit(ctx, TEGRA20_ENGINE_3D);
}

void
tegra20_draw_init(struct tegra20_context *ctx)
{
   ctx->base.draw_vbo = tegra20_draw_vbo;
}
