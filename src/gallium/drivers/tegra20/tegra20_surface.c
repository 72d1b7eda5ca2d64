/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Surfaces, and the scratch surfaces behind those that cannot be rendered to
 * directly.
 */

#include "util/u_inlines.h"
#include "util/u_memory.h"

#include "tegra20_context.h"
#include "tegra20_mesa.h"
#include "tegra20_screen.h"

static struct pipe_surface *
tegra20_create_surface(struct pipe_context *pctx, struct pipe_resource *base,
                       const struct pipe_surface *templ)
{
   struct tegra20_surface *surface = CALLOC_STRUCT(tegra20_surface);
   struct tegra20_resource *res = tegra20_resource(base);
   unsigned level = templ->u.tex.level;

   if (!surface)
      return NULL;
   pipe_reference_init(&surface->base.reference, 1);
   pipe_resource_reference(&surface->base.texture, base);
   surface->base.context = pctx;
   surface->base.format = templ->format;
   surface->base.u = templ->u;
#if !TEGRA20_MESA_25_1
   surface->base.width = u_minify(base->width0, level);
   surface->base.height = u_minify(base->height0, level);
#endif

   surface->needs_scratch =
      !tegra20_format_is_zs(base->format) &&
      !tegra20_level_renderable(res, level, templ->u.tex.first_layer);
   return &surface->base;
}

static void
tegra20_surface_destroy(struct pipe_context *pctx, struct pipe_surface *base)
{
   struct tegra20_surface *surface = tegra20_surface(base);

   pipe_resource_reference((struct pipe_resource **)&surface->scratch, NULL);
   pipe_resource_reference(&base->texture, NULL);
   FREE(surface);
}

static unsigned
width_of(const struct pipe_surface *base)
{
   return u_minify(base->texture->width0, base->u.tex.level);
}

static unsigned
height_of(const struct pipe_surface *base)
{
   return u_minify(base->texture->height0, base->u.tex.level);
}

/* Not when the surface is created, since that may not fail. */
static bool
tegra20_create_scratch(struct tegra20_context *ctx,
                       struct tegra20_surface *surface)
{
   surface->scratch = tegra20_resource(tegra20_scratch_create(
      ctx->base.screen, surface->base.texture->format,
      width_of(&surface->base), height_of(&surface->base)));
   return surface->scratch;
}

bool
tegra20_surface_usable(const struct pipe_surface *base)
{
   const struct tegra20_surface *surface =
      (const struct tegra20_surface *)base;

   return !surface->needs_scratch || surface->scratch;
}

struct tegra20_target
tegra20_surface_target(struct pipe_surface *base, unsigned layer)
{
   struct tegra20_surface *surface = tegra20_surface(base);

   if (surface->scratch) {
      surface->scratch_newer = true;
      return (struct tegra20_target){ .resource = surface->scratch };
   }
   return (struct tegra20_target){
      .resource = tegra20_resource(base->texture),
      .level = base->u.tex.level,
      .layer = layer,
   };
}

static void
tegra20_box_of(const struct pipe_surface *base, unsigned layer,
               struct pipe_box *box)
{
   u_box_2d(0, 0, width_of(base), height_of(base), box);
   box->z = layer;
   box->depth = 1;
}

void
tegra20_surface_prepare(struct tegra20_context *ctx,
                        struct pipe_surface *base)
{
   struct tegra20_surface *surface = base ? tegra20_surface(base) : NULL;
   struct pipe_box box;

   if (!surface || !surface->needs_scratch || surface->scratch_newer)
      return;
   if (!surface->scratch && !tegra20_create_scratch(ctx, surface))
      return;
   unsigned serial = tegra20_resource(base->texture)->write_serial;
   if (surface->scratch_valid && surface->serial == serial)
      return;
   surface->scratch_valid = true;
   surface->serial = serial;
   tegra20_box_of(base, base->u.tex.first_layer, &box);
   ctx->base.resource_copy_region(&ctx->base, &surface->scratch->base, 0, 0,
                                  0, 0, base->texture, base->u.tex.level,
                                  &box);
}

void
tegra20_surface_finish(struct tegra20_context *ctx, struct pipe_surface *base)
{
   struct tegra20_surface *surface = base ? tegra20_surface(base) : NULL;
   struct pipe_box box;

   if (!surface || !surface->scratch || !surface->scratch_newer)
      return;
   surface->scratch_newer = false;
   tegra20_box_of(base, 0, &box);
   ctx->base.resource_copy_region(
      &ctx->base, base->texture, base->u.tex.level, 0, 0,
      base->u.tex.first_layer, &surface->scratch->base, 0, &box);
   surface->serial = tegra20_resource(base->texture)->write_serial;
}

void
tegra20_finish_scratch(struct tegra20_context *ctx,
                       const struct tegra20_resource *res)
{
   for (unsigned i = 0; ctx->uses_scratch && i < ctx->framebuffer.nr_cbufs;
        i++) {
      struct pipe_surface *surface = ctx->framebuffer.cbufs[i];

      if (surface && (!res || surface->texture == &res->base))
         tegra20_surface_finish(ctx, surface);
   }
}

void
tegra20_surface_context_init(struct tegra20_context *ctx)
{
   ctx->base.create_surface = tegra20_create_surface;
   ctx->base.surface_destroy = tegra20_surface_destroy;
}
