/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Surfaces, and the scratch surfaces behind those that cannot be rendered to
 * directly.
 *
 * A level that the unit cannot address has a scratch surface as long as it is
 * bound, with the same bits, which the 2D engine copies.  A surface of 16
 * bits (tegra20_format_widens()) has a wide one on top of that, of 32 bits,
 * while pixels are read.  Draws copy it in and out, because only they
 * convert; they bind other framebuffers, and while ctx->converting is set
 * nothing is copied for those.
 *
 * Samples of a texture that has one live in such a wide surface, too, which
 * has a pixel for each (tegra20_samples.h); copying it out resolves.
 */

#include "util/u_blitter.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"

#include "tegra20_blit_draw.h"
#include "tegra20_context.h"
#include "tegra20_debug.h"
#include "tegra20_mesa.h"
#include "tegra20_resource.h"
#include "tegra20_samples.h"
#include "tegra20_scratch.h"
#include "tegra20_screen.h"

static struct pipe_surface *
tegra20_create_surface(struct pipe_context *pctx, struct pipe_resource *base,
                       const struct pipe_surface *templ)
{
   struct tegra20_surface *surface = CALLOC_STRUCT(tegra20_surface);
   struct tegra20_resource *res = tegra20_resource_storage(base);
   unsigned level = templ->u.tex.level;

   if (!surface)
      return NULL;
   surface->storage = res;
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
      (tegra20_resource_is_foreign(res) ||
       !tegra20_level_renderable(res, level, templ->u.tex.first_layer));
   surface->scale = tegra20_samples_of_surface(res, templ);
   surface->widens =
      tegra20_format_widens(base->format) || surface->scale > 1;
   return &surface->base;
}

static void
tegra20_surface_destroy(struct pipe_context *pctx, struct pipe_surface *base)
{
   struct tegra20_surface *surface = tegra20_surface(base);

   pipe_resource_reference((struct pipe_resource **)&surface->scratch, NULL);
   pipe_resource_reference((struct pipe_resource **)&surface->wide, NULL);
   pipe_resource_reference(&base->texture, NULL);
   FREE(surface);
}

static struct tegra20_resource *
storage_of(const struct pipe_surface *base)
{
   return ((const struct tegra20_surface *)base)->storage;
}

static unsigned
width_of(const struct pipe_surface *base)
{
   return u_minify(storage_of(base)->base.width0, base->u.tex.level);
}

static unsigned
height_of(const struct pipe_surface *base)
{
   return u_minify(storage_of(base)->base.height0, base->u.tex.level);
}

/* Not when the surface is created, since that may not fail. */
static bool
tegra20_create_scratch(struct tegra20_context *ctx,
                       struct tegra20_resource **scratch,
                       const struct tegra20_surface *surface,
                       enum pipe_format format, unsigned scale)
{
   if (!*scratch)
      *scratch = tegra20_resource(tegra20_scratch_create(
         ctx->base.screen, format, width_of(&surface->base) * scale,
         height_of(&surface->base) * scale));
   return *scratch;
}

bool
tegra20_surface_usable(const struct pipe_surface *base)
{
   const struct tegra20_surface *surface =
      (const struct tegra20_surface *)base;

   return !surface->needs_scratch || surface->scratch;
}

static void
tegra20_box_of(const struct pipe_surface *base, unsigned layer,
               struct pipe_box *box)
{
   u_box_2d(0, 0, width_of(base), height_of(base), box);
   box->z = layer;
   box->depth = 1;
}

/* --- scratch surfaces --- */

void
tegra20_surface_prepare(struct tegra20_context *ctx,
                        struct pipe_surface *base)
{
   struct tegra20_surface *surface = base ? tegra20_surface(base) : NULL;
   struct pipe_box box;

   if (!surface || !surface->needs_scratch || surface->newer)
      return;
   if (!tegra20_create_scratch(ctx, &surface->scratch, surface,
                               base->texture->format, 1))
      return;
   unsigned serial = surface->storage->write_serial;
   if (surface->scratch_valid && surface->serial == serial)
      return;
   surface->scratch_valid = true;
   surface->serial = serial;
   tegra20_box_of(base, base->u.tex.first_layer, &box);
   ctx->base.resource_copy_region(&ctx->base, &surface->scratch->base, 0, 0,
                                  0, 0, &surface->storage->base,
                                  base->u.tex.level, &box);
   tegra20_resource_written(surface->scratch);
}

static void
tegra20_finish_narrow(struct tegra20_context *ctx,
                      struct tegra20_surface *surface)
{
   const struct pipe_surface *base = &surface->base;
   struct pipe_box box;

   if (!surface->scratch)
      return;
   tegra20_box_of(base, 0, &box);
   ctx->base.resource_copy_region(
      &ctx->base, &surface->storage->base, base->u.tex.level, 0, 0,
      base->u.tex.first_layer, &surface->scratch->base, 0, &box);
   surface->serial = surface->storage->write_serial;
}

/* --- wide surfaces --- */

/* in: to the wide surface. */
static void
tegra20_convert(struct tegra20_context *ctx,
                const struct tegra20_surface *surface,
                const struct tegra20_target *narrow, bool in)
{
   const struct tegra20_target wide = { .resource = surface->wide };
   const struct tegra20_target *dst = in ? &wide : narrow,
                               *src = in ? narrow : &wide;
   const unsigned dst_scale = in ? surface->scale : 1,
                  src_scale = in ? 1 : surface->scale;
   const unsigned width = width_of(&surface->base),
                  height = height_of(&surface->base);
   struct pipe_blit_info info = {
      .dst = { .resource = &dst->resource->base,
               .level = dst->level,
               .format = dst->resource->base.format },
      .src = { .resource = &src->resource->base,
               .level = src->level,
               .format = src->resource->base.format },
      .mask = PIPE_MASK_RGBA,
      .filter =
         src_scale > 1 ? PIPE_TEX_FILTER_LINEAR : PIPE_TEX_FILTER_NEAREST,
   };

   u_box_2d_zslice(0, 0, dst->layer, width * dst_scale, height * dst_scale,
                   &info.dst.box);
   u_box_2d_zslice(0, 0, src->layer, width * src_scale, height * src_scale,
                   &info.src.box);
   ctx->stats.conversions++;
   ctx->converting = true;
   if (tegra20_format_is_zs(info.dst.format)) {
      info.mask = util_format_get_mask(info.dst.format);
      info.filter = PIPE_TEX_FILTER_NEAREST;
      ctx->base.blit(&ctx->base, &info);
   } else {
      const unsigned refused = p_atomic_read(&ctx->screen->refused);

      tegra20_blit_draw(ctx, &info);
      /* Mesa's blitter draws nothing without memory, and reports no error */
      if (p_atomic_read(&ctx->screen->refused) != refused)
         tegra20_resource_mark_undefined(dst->resource);
   }
   ctx->converting = false;
}

static enum pipe_format
tegra20_wide_format(const struct tegra20_surface *surface)
{
   const enum pipe_format format = surface->base.texture->format;

   return tegra20_format_widens(format) ? PIPE_FORMAT_R8G8B8X8_UNORM : format;
}

void
tegra20_surface_widen(struct tegra20_context *ctx, struct pipe_surface *base)
{
   struct tegra20_surface *surface = tegra20_surface(base);
   const struct tegra20_target narrow =
      tegra20_narrow_target(surface, base->u.tex.first_layer);

   if (!surface->widens || surface->widened || !tegra20_surface_usable(base))
      return;
   if (!tegra20_create_scratch(ctx, &surface->wide, surface,
                               tegra20_wide_format(surface),
                               surface->scale)) {
      tegra20_msg_once("no memory for a surface of more bits or samples");
      return;
   }
   if (!surface->wide_valid ||
       surface->wide_serial != narrow.resource->write_serial)
      tegra20_convert(ctx, surface, &narrow, true);
   surface->wide_valid = true;
   surface->widened = true;
   surface->newer |= tegra20_format_is_zs(base->texture->format);
   ctx->uses_scratch = true;
   ctx->dirty |= TEGRA20_DIRTY_FRAMEBUFFER;
}

static void
tegra20_finish_wide(struct tegra20_context *ctx,
                    struct tegra20_surface *surface)
{
   const struct pipe_surface *base = &surface->base;
   const struct tegra20_target narrow =
      tegra20_narrow_target(surface, base->u.tex.first_layer);

   if (!surface->widened)
      return;
   surface->widened = false;
   ctx->dirty |= TEGRA20_DIRTY_FRAMEBUFFER;
   tegra20_convert(ctx, surface, &narrow, false);
   surface->wide_serial = narrow.resource->write_serial;
}

void
tegra20_surface_finish(struct tegra20_context *ctx, struct pipe_surface *base)
{
   struct tegra20_surface *surface = base ? tegra20_surface(base) : NULL;

   if (!surface || !surface->newer)
      return;
   surface->newer = false;
   tegra20_finish_wide(ctx, surface);
   tegra20_finish_narrow(ctx, surface);
}

void
tegra20_finish_scratch(struct tegra20_context *ctx,
                       const struct tegra20_resource *res)
{
   if (!ctx->uses_scratch || ctx->converting)
      return;
   for (unsigned i = 0; i < ctx->framebuffer.nr_cbufs; i++) {
      struct pipe_surface *surface = ctx->framebuffer.cbufs[i];

      if (surface && (!res || surface->texture == &res->base ||
                      storage_of(surface) == res))
         tegra20_surface_finish(ctx, surface);
   }
   struct pipe_surface *zs = ctx->framebuffer.zsbuf;
   if (zs && (!res || storage_of(zs) == res))
      tegra20_surface_finish(ctx, zs);
}

void
tegra20_targets_mark_undefined(struct tegra20_context *ctx)
{
   const struct pipe_framebuffer_state *fb = &ctx->framebuffer;

   for (unsigned i = 0; i < fb->nr_cbufs; i++) {
      if (fb->cbufs[i]) {
         tegra20_resource_mark_undefined(
            tegra20_resource(fb->cbufs[i]->texture));
         tegra20_resource_mark_undefined(
            tegra20_surface_target(fb->cbufs[i], 0).resource);
      }
   }
   if (fb->zsbuf) {
      tegra20_resource_mark_undefined(tegra20_resource(fb->zsbuf->texture));
      tegra20_resource_mark_undefined(tegra20_surface_zs(fb->zsbuf));
   }
}

void
tegra20_targets_look_for_lost(struct tegra20_context *ctx)
{
   const unsigned refused = p_atomic_read(&ctx->screen->refused_streams);

   if (likely(refused == ctx->refused_streams))
      return;
   ctx->refused_streams = refused;
   tegra20_targets_mark_undefined(ctx);
}

void
tegra20_surface_context_init(struct tegra20_context *ctx)
{
   ctx->base.create_surface = tegra20_create_surface;
   ctx->base.surface_destroy = tegra20_surface_destroy;
}
