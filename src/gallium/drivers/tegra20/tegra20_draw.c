/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Draws: from draw_vbo() to a resolved draw (struct tegra20_draw) and a plan
 * for it.
 *
 * There is no IOMMU, and the engine reads any address that an index yields,
 * so the smallest and the largest index of each draw are found here, to be
 * compared with every vertex buffer (tegra20_plan_draw.c).
 */

#include "util/u_blitter.h"
#include "util/u_framebuffer.h"
#include "util/u_inlines.h"
#include "util/u_math.h"
#include "util/u_memory.h"
#include "util/u_prim.h"
#include "util/u_prim_restart.h"
#include "util/u_vbuf.h"

#include "tegra20/tegra20_hw.h"

#include "tegra20_context.h"
#include "tegra20_debug.h"
#include "tegra20_occlusion.h"
#include "tegra20_program.h"
#include "tegra20_resource.h"
#include "tegra20_screen.h"
#include "tegra20_smooth.h"
#include "tegra20_swtnl.h"
#include "tegra20_texture.h"
#include "tegra20_vertex.h"

/* --- resolved draws --- */

/*
 * PIPE_POLYGON_MODE_* that polygons are drawn with.  When front and back
 * differ and both are visible, the front's is taken: which side a polygon
 * shows is only known behind the vertex program.
 */
static unsigned
tegra20_polygon_mode(const struct tegra20_context *ctx)
{
   const struct pipe_rasterizer_state *rast = &ctx->rasterizer->base;

   return rast->cull_face == PIPE_FACE_FRONT ? rast->fill_back
                                             : rast->fill_front;
}

/* Maps the indices, for which the CPU may wait; NULL when that is not
 * possible.  A transfer has to be unmapped. */
static const void *
tegra20_map_indices(struct tegra20_context *ctx,
                    const struct pipe_draw_info *info,
                    struct pipe_transfer **transfer)
{
   *transfer = NULL;
   return info->has_user_indices
             ? info->index.user
             : pipe_buffer_map(&ctx->base, info->index.resource,
                               PIPE_MAP_READ, transfer);
}

static void
tegra20_unmap_indices(struct tegra20_context *ctx,
                      struct pipe_transfer *transfer)
{
   if (transfer)
      pipe_buffer_unmap(&ctx->base, transfer);
}

/* Smallest and largest index.  The bounds that glDrawRangeElements() was told
 * are the application's, and may be wrong. */
static bool
tegra20_scan_indices(struct tegra20_context *ctx,
                     const struct pipe_draw_info *info,
                     const struct pipe_draw_start_count_bias *range,
                     uint32_t *min, uint32_t *max)
{
   struct pipe_draw_info mapped = *info;
   struct pipe_transfer *transfer;

   mapped.index.user = tegra20_map_indices(ctx, info, &transfer);
   mapped.has_user_indices = true;
   if (!mapped.index.user)
      return false;
   u_vbuf_get_minmax_index(&ctx->base, &mapped, range, min, max);
   tegra20_unmap_indices(ctx, transfer);
   return true;
}

/* Ranges of buffers are cached, and cached ones need no map.  False: the
 * buffer cannot be mapped. */
static bool
tegra20_find_index_range(struct tegra20_context *ctx,
                         const struct pipe_draw_info *info,
                         const struct pipe_draw_start_count_bias *range,
                         uint32_t *min, uint32_t *max)
{
   if (info->has_user_indices)
      return tegra20_scan_indices(ctx, info, range, min, max);

   struct tegra20_resource *res = tegra20_resource(info->index.resource);
   const unsigned serial = p_atomic_read(&res->write_serial);
   struct tegra20_index_range *known =
      &ctx->index_ranges[(res->id * 31 + range->start * 7 + range->count) %
                         TEGRA20_INDEX_RANGES];

   if (known->indices != res->id || known->serial != serial ||
       known->start != range->start || known->count != range->count ||
       known->index_size != info->index_size || res->persistent) {
      if (!tegra20_scan_indices(ctx, info, range, min, max))
         return false;
      *known = (struct tegra20_index_range){
         .indices = res->id,
         .serial = serial,
         .start = range->start,
         .count = range->count,
         .index_size = info->index_size,
         .min = *min,
         .max = *max,
      };
   }
   *min = known->min;
   *max = known->max;
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

/* False when nothing is to be drawn, or its indices cannot be read. */
static bool
tegra20_draw_resolve(struct tegra20_context *ctx,
                     const struct pipe_draw_info *info,
                     const struct pipe_draw_start_count_bias *whole,
                     struct tegra20_draw *draw)
{
   struct pipe_draw_start_count_bias range = *whole;
   int64_t first = range.start, last;
   uint32_t min, max;

   if (!u_trim_pipe_prim(info->mode, &range.count))
      return false;
   last = first + range.count - 1;
   if (!info->index_size) {
      range.index_bias = 0;
   } else {
      if (!tegra20_index_buffer_holds(info, &range) ||
          !tegra20_find_index_range(ctx, info, &range, &min, &max))
         return false;
      first = (int64_t)min + range.index_bias;
      last = (int64_t)max + range.index_bias;
   }
   *draw = (struct tegra20_draw){
      .info = info,
      .start = range.start,
      .count = range.count,
      .first = first,
      .last = last,
      .index_bias = range.index_bias,
   };
   return true;
}

/* --- state --- */

void
tegra20_draw_check_storage(struct tegra20_context *ctx)
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

   return ctx->bound_fs->nir->info.fs.uses_fbfetch_output ||
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
                         enum mesa_prim prim)
{
   return ctx->rasterizer->base.rasterizer_discard ||
          (ctx->rasterizer->base.cull_face == PIPE_FACE_FRONT_AND_BACK &&
           prim == MESA_PRIM_TRIANGLES);
}

/* Does the draw module make the vertices (tegra20_swtnl.c)? */
static bool
tegra20_needs_swtnl(const struct tegra20_context *ctx, enum mesa_prim prim)
{
   const struct pipe_rasterizer_state *rast = &ctx->rasterizer->base;

   if (prim == MESA_PRIM_POINTS)
      return tegra20_smooth_kind(rast, MESA_PRIM_POINTS) !=
             TEGRA20_SMOOTH_NONE;
   if (ctx->bound_fs && ctx->bound_fs->derives)
      return true;
   if (prim == MESA_PRIM_LINES)
      return rast->line_stipple_enable || rast->line_smooth;
   /* A21: the engine would drop primitives that reach behind the eye */
   if (TEGRA20_HW_IS(BEHIND_EYE, DROPPED))
      return true;
   /* sprites are made from the points in tegra20_program_nir.c */
   if (tegra20_polygon_mode(ctx) == PIPE_POLYGON_MODE_POINT &&
       rast->point_quad_rasterization && rast->sprite_coord_enable)
      return false;
   return (rast->fill_front != PIPE_POLYGON_MODE_FILL &&
           !(rast->cull_face & PIPE_FACE_FRONT)) ||
          (rast->fill_back != PIPE_POLYGON_MODE_FILL &&
           !(rast->cull_face & PIPE_FACE_BACK));
}

/*
 * GL clips points and lines before it gives them their width: a point whose
 * centre is inside the viewport is drawn whole. Thin lines cover nothing
 * outside.
 */
static bool
tegra20_is_wide(const struct tegra20_context *ctx, enum mesa_prim prim,
                bool windowed)
{
   if (tegra20_smooth_kind(&ctx->rasterizer->base, prim) !=
       TEGRA20_SMOOTH_NONE)
      return true;
   if (windowed)
      return false;
   return prim == MESA_PRIM_POINTS ||
          (prim == MESA_PRIM_LINES &&
           ctx->rasterizer->half_line_width * ctx->scale > 0.5f);
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

static void
tegra20_update_areas(struct tegra20_context *ctx)
{
   const uint32_t view = TEGRA20_DIRTY_FRAMEBUFFER | TEGRA20_DIRTY_VIEWPORT;

   if (ctx->dirty & view)
      tegra20_update_view_area(ctx);
   if (ctx->dirty & (view | TEGRA20_DIRTY_SCISSOR))
      tegra20_update_scissored_area(ctx);
}

/* False when it is empty. */
static bool
tegra20_update_draw_area(struct tegra20_context *ctx, enum mesa_prim prim,
                         bool windowed)
{
   if (tegra20_is_wide(ctx, prim, windowed) != ctx->wide) {
      ctx->wide = !ctx->wide;
      ctx->dirty |= TEGRA20_DIRTY_VIEWPORT;
   }
   tegra20_update_areas(ctx);
   return !ctx->draw_area_empty;
}

/* Primitives that reach the rasteriser: points, lines or triangles. */
static enum mesa_prim
tegra20_rasterized_kind(const struct tegra20_context *ctx,
                        enum mesa_prim prim)
{
   if (prim != MESA_PRIM_TRIANGLES)
      return prim;
   switch (tegra20_polygon_mode(ctx)) {
   case PIPE_POLYGON_MODE_POINT:
      return MESA_PRIM_POINTS;
   case PIPE_POLYGON_MODE_LINE:
      return MESA_PRIM_LINES;
   default:
      return MESA_PRIM_TRIANGLES;
   }
}

/* State that has to be in order before anything is recorded; prim: points,
 * lines or triangles.  False when nothing is to be drawn. */
static bool
tegra20_draw_prepare(struct tegra20_context *ctx, enum mesa_prim prim)
{
   const bool windowed = tegra20_needs_swtnl(ctx, prim);

   if (!ctx->scale)
      tegra20_msg_once("surfaces of one sample and of four are not drawn to "
                       "together: those above 1024x1024 have one");
   if (!ctx->scale || tegra20_culls_everything(ctx, prim))
      return false;
   /* these may draw */
   if (ctx->uses_scratch)
      tegra20_finish_sampled_scratch(ctx);
   if (ctx->reads_widen)
      tegra20_widen_targets(ctx);
   if ((ctx->uses_scratch && !tegra20_targets_usable(ctx)) ||
       !tegra20_update_draw_area(ctx, prim, windowed))
      return false;
   if (!tegra20_plan_update(ctx, tegra20_rasterized_kind(ctx, prim),
                            windowed))
      return false;
   if (!windowed)
      tegra20_attribs_examine(ctx);
   return true;
}

/* State that a plan does not depend on; and that changes neither the passes of
 * a simple plan nor their shared state, except for the program that blends. */
#define UNSEEN_STATE                                  \
   (TEGRA20_DIRTY_VS_CONST | TEGRA20_DIRTY_FS_CONST | \
    TEGRA20_DIRTY_BLEND_COLOR | TEGRA20_DIRTY_STENCIL_REF)
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
   const uint32_t light =
      (LIGHT_STATE & ~ctx->plan->state) | TEGRA20_DIRTY_BLEND;

   return ctx->prepared_mode == mode && !(ctx->dirty & ~light);
}

/* Takes over light state.  False when the plan has to be made anew.  Not
 * inlined: draws without new state save fewer registers. */
static ATTRIBUTE_NOINLINE bool
tegra20_draw_refresh(struct tegra20_context *ctx)
{
   tegra20_update_areas(ctx);
   if (ctx->dirty & TEGRA20_DIRTY_VERTEX)
      tegra20_attribs_examine(ctx);
   return !(ctx->dirty & (TEGRA20_DIRTY_BLEND | TEGRA20_DIRTY_ZSA_KEY)) ||
          tegra20_plan_refresh(ctx);
}

/* Makes the plan.  False when nothing is to be drawn. */
static ATTRIBUTE_NOINLINE bool
tegra20_draw_plan(struct tegra20_context *ctx, enum mesa_prim mode)
{
   ctx->prepared_mode = MESA_PRIM_COUNT;
   if (!tegra20_draw_prepare(ctx, u_reduced_prim(mode)))
      return false;
   if (ctx->plan->simple && !ctx->plan->passes[0].windowed &&
       !ctx->uses_scratch && !ctx->reads_widen &&
       ctx->plan->passes[0].fs == ctx->fs_without_copies &&
       !ctx->plan->passes[0].extension.stipple)
      ctx->prepared_mode = mode;
   return true;
}

/* Makes the plan, or refreshes it.  False when nothing is to be drawn. */
static inline bool
tegra20_draw_update(struct tegra20_context *ctx, enum mesa_prim mode)
{
   tegra20_draw_check_storage(ctx);
   if (tegra20_draw_is_prepared(ctx, mode) &&
       (!(ctx->dirty & ~UNSEEN_STATE) || tegra20_draw_refresh(ctx)))
      return !ctx->draw_area_empty;
   return tegra20_draw_plan(ctx, mode);
}

/* The engine has no restart index: a draw for every primitive.  NULL when the
 * indices cannot be read. */
static struct pipe_draw_start_count_bias *
tegra20_draw_split(struct tegra20_context *ctx,
                   const struct pipe_draw_info *info,
                   const struct pipe_draw_start_count_bias *draw,
                   unsigned *num)
{
   struct pipe_draw_start_count_bias *draws = NULL;
   struct pipe_transfer *transfer;
   unsigned min, max, total;

   if (!tegra20_index_buffer_holds(info, draw))
      return NULL;
   const uint8_t *indices = tegra20_map_indices(ctx, info, &transfer);
   if (indices)
      draws = util_prim_restart_convert_to_direct(
         indices + (size_t)draw->start * info->index_size, info, draw, num,
         &min, &max, &total);
   tegra20_unmap_indices(ctx, transfer);
   return draws;
}

static void
tegra20_draw_ranges(struct tegra20_context *ctx,
                    const struct pipe_draw_info *info,
                    const struct pipe_draw_start_count_bias *draws,
                    unsigned num_draws)
{
   struct tegra20_draw draw;

   for (unsigned i = 0; i < num_draws; i++) {
      if (!tegra20_draw_resolve(ctx, info, &draws[i], &draw))
         continue;
      if (ctx->plan->passes[0].windowed)
         tegra20_swtnl_draw(ctx, &draw);
      else
         tegra20_plan_draw_vertices(ctx, &draw);
   }
}

static ATTRIBUTE_NOINLINE void
tegra20_draw_restarted(struct tegra20_context *ctx,
                       const struct pipe_draw_info *info,
                       const struct pipe_draw_start_count_bias *draws,
                       unsigned num_draws)
{
   struct pipe_draw_info direct = *info;

   direct.primitive_restart = false;
   for (unsigned i = 0; i < num_draws; i++) {
      unsigned num = 0;
      struct pipe_draw_start_count_bias *split =
         tegra20_draw_split(ctx, info, &draws[i], &num);

      tegra20_draw_ranges(ctx, &direct, split, num);
      FREE(split);
   }
}

static void
tegra20_draw_instance(struct tegra20_context *ctx,
                      const struct pipe_draw_info *info,
                      const struct pipe_draw_start_count_bias *draws,
                      unsigned num_draws)
{
   if (!tegra20_draw_update(ctx, info->mode))
      return;
   if (info->index_size && info->primitive_restart)
      tegra20_draw_restarted(ctx, info, draws, num_draws);
   else
      tegra20_draw_ranges(ctx, info, draws, num_draws);
}

/* The engine has no instances: a draw for each. */
static void
tegra20_draw_direct(struct tegra20_context *ctx,
                    const struct pipe_draw_info *info,
                    const struct pipe_draw_start_count_bias *draws,
                    unsigned num_draws)
{
   for (unsigned i = 0; i < info->instance_count; i++) {
      if (ctx->elements && ctx->elements->instanced)
         tegra20_attribs_set_instance(ctx, info->start_instance, i);
      if (ctx->bound_vs && ctx->bound_vs->reads_instance) {
         ctx->dirty |= ctx->instance == i ? 0 : TEGRA20_DIRTY_VS_CONST;
         ctx->instance = i;
      }
      tegra20_draw_instance(ctx, info, draws, num_draws);
   }
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

   assert(!indirect); /* of OpenGL 4 and OpenGL ES 3 */
   if (!tegra20_context_condition(ctx))
      return;
   tegra20_draw_direct(ctx, info, draws, num_draws);
   if (unlikely(p_atomic_read(&ctx->screen->refused) != refused)) {
      tegra20_targets_mark_undefined(ctx);
      ctx->refused_streams = p_atomic_read(&ctx->screen->refused_streams);
   }
}

void
tegra20_draw_init(struct tegra20_context *ctx)
{
   ctx->base.draw_vbo = tegra20_draw_vbo;
}
