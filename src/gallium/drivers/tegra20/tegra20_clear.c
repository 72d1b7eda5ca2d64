/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Clears: fills with the 2D engine, which are exact for every format the
 * driver renders to.  The state tracker draws what has masks.
 */

#include <math.h>

#include "util/format/u_format.h"
#include "util/u_inlines.h"
#include "util/u_pack_color.h"
#include "util/u_surface.h"

#include "tegra20_context.h"
#include "tegra20_debug.h"
#include "tegra20_samples.h"

/* What the engine cannot address is filled by the CPU. */
static void
fill_with_cpu(struct tegra20_context *ctx, struct tegra20_resource *res,
              unsigned level, unsigned layer, unsigned cpp,
              const struct pipe_scissor_state *area, uint32_t value)
{
   const struct tegra20_level_layout *l = &res->layout.levels[level];

   tegra20_context_sync_bo(ctx, res->bo, TEGRA20_WRITE);
   uint8_t *map = tegra20_bo_map(res->bo);
   if (!map)
      return;
   map += tegra20_resource_offset(res, level, layer);
   for (unsigned y = area->miny; y < area->maxy; y++) {
      for (unsigned x = area->minx; x < area->maxx; x++) {
         uint32_t at = res->layout.tiled
                          ? tegra20_tiled_offset(l->pitch, x * cpp, y)
                          : y * l->pitch + x * cpp;
         memcpy(map + at, &value, cpp);
      }
   }
}

static void
fill(struct tegra20_context *ctx, struct tegra20_resource *res,
     unsigned level, unsigned layer, const struct pipe_scissor_state *area,
     uint32_t value)
{
   const struct tegra20_gr2d_surface dst = tegra20_gr2d_level(res, level);
   unsigned cell_x = tegra20_layout_cell_x(&res->layout, level, layer);
   unsigned cell_y = tegra20_layout_cell_y(&res->layout, level, layer);
   unsigned cpp = tegra20_format_stored_cpp(res->storage);
   struct pipe_scissor_state inside = {
      .minx = area->minx,
      .miny = area->miny,
      .maxx = MIN2(area->maxx, u_minify(res->base.width0, level)),
      .maxy = MIN2(area->maxy, u_minify(res->base.height0, level)),
   };

   if (inside.minx >= inside.maxx || inside.miny >= inside.maxy)
      return;
   tegra20_context_writes(ctx, res);
   if (!tegra20_gr2d_fill(ctx, &dst, cpp, cell_x / cpp + inside.minx,
                          cell_y + inside.miny, inside.maxx - inside.minx,
                          inside.maxy - inside.miny, value))
      fill_with_cpu(ctx, res, level, layer, cpp, &inside, value);
}

static uint32_t
pack_color(enum pipe_format format, const union pipe_color_union *color)
{
   union util_color packed = { 0 };

   util_pack_color_union(format, &packed, color);
   return packed.ui[0];
}

/* Depth 0..1 as a D16 surface stores it. */
static uint32_t
pack_depth(double depth)
{
   return (uint32_t)(CLAMP(depth, 0.0, 1.0) * 0xffff + 0.5);
}

static void
clear_color_surface(struct tegra20_context *ctx, struct pipe_surface *surface,
                    const struct pipe_scissor_state *area,
                    const union pipe_color_union *color)
{
   struct pipe_scissor_state samples = *area;

   if (!tegra20_surface_usable(surface))
      return;
   tegra20_samples_scale_area(surface, &samples);

   for (unsigned layer = surface->u.tex.first_layer;
        layer <= surface->u.tex.last_layer; layer++) {
      const struct tegra20_target t = tegra20_surface_target(surface, layer);
      const bool own = t.resource->base.format == surface->texture->format;

      fill(
         ctx, t.resource, t.level, t.layer, &samples,
         pack_color(own ? surface->format : t.resource->base.format, color));
   }
}

static void
clear_zs_surface(struct tegra20_context *ctx, struct pipe_surface *surface,
                 unsigned buffers, const struct pipe_scissor_state *area,
                 double depth, unsigned stencil)
{
   struct tegra20_resource *res = tegra20_surface_zs(surface);
   struct pipe_scissor_state samples = *area;
   struct tegra20_resource *z = tegra20_resource_depth(res),
                           *s = tegra20_resource_stencil(res);

   tegra20_samples_scale_area(surface, &samples);
   for (unsigned layer = surface->u.tex.first_layer;
        layer <= surface->u.tex.last_layer; layer++) {
      if ((buffers & PIPE_CLEAR_DEPTH) && z)
         fill(ctx, z, surface->u.tex.level, layer, &samples,
              pack_depth(depth));
      if ((buffers & PIPE_CLEAR_STENCIL) && s)
         fill(ctx, s, surface->u.tex.level, layer, &samples, stencil & 0xff);
   }
}

static void
clear(struct pipe_context *pctx, unsigned buffers,
      const struct pipe_scissor_state *scissor,
      const union pipe_color_union *color, double depth, unsigned stencil)
{
   struct tegra20_context *ctx = tegra20_context(pctx);
   const struct pipe_framebuffer_state *fb = &ctx->framebuffer;
   struct pipe_scissor_state area = { .maxx = fb->width, .maxy = fb->height };

   if (!tegra20_context_condition(ctx))
      return;
   if (scissor) {
      area.minx = scissor->minx;
      area.miny = scissor->miny;
      area.maxx = MIN2(area.maxx, scissor->maxx);
      area.maxy = MIN2(area.maxy, scissor->maxy);
   }
   for (unsigned i = 0; i < fb->nr_cbufs; i++) {
      if ((buffers & (PIPE_CLEAR_COLOR0 << i)) && fb->cbufs[i])
         clear_color_surface(ctx, fb->cbufs[i], &area, color);
   }
   if ((buffers & PIPE_CLEAR_DEPTHSTENCIL) && fb->zsbuf)
      clear_zs_surface(ctx, fb->zsbuf, buffers, &area, depth, stencil);
}

static void
clear_render_target(struct pipe_context *pctx, struct pipe_surface *surface,
                    const union pipe_color_union *color, unsigned x,
                    unsigned y, unsigned width, unsigned height,
                    bool render_condition)
{
   struct tegra20_context *ctx = tegra20_context(pctx);
   const struct pipe_scissor_state area = {
      .minx = x, .miny = y, .maxx = x + width, .maxy = y + height
   };

   if (render_condition && !tegra20_context_condition(ctx))
      return;
   tegra20_surface_prepare(ctx, surface);
   clear_color_surface(ctx, surface, &area, color);
   tegra20_surface_finish(ctx, surface);
}

static void
clear_depth_stencil(struct pipe_context *pctx, struct pipe_surface *surface,
                    unsigned flags, double depth, unsigned stencil,
                    unsigned x, unsigned y, unsigned width, unsigned height,
                    bool render_condition)
{
   struct tegra20_context *ctx = tegra20_context(pctx);
   const struct pipe_scissor_state area = {
      .minx = x, .miny = y, .maxx = x + width, .maxy = y + height
   };

   if (!render_condition || tegra20_context_condition(ctx))
      clear_zs_surface(ctx, surface, flags, &area, depth, stencil);
}

void
tegra20_clear_init(struct tegra20_context *ctx)
{
   ctx->base.clear = clear;
   ctx->base.clear_render_target = clear_render_target;
   ctx->base.clear_depth_stencil = clear_depth_stencil;
   ctx->base.clear_texture = u_default_clear_texture;
}
