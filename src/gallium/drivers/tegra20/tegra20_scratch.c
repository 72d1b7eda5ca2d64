/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "tegra20_scratch.h"

#include "util/format/u_format.h"
#include "util/u_inlines.h"
#include "util/u_math.h"

#include "tegra20_context.h"
#include "tegra20_gr2d.h"
#include "tegra20_screen.h"

struct pipe_resource *
tegra20_scratch_create(struct pipe_screen *screen, enum pipe_format format,
                       unsigned width, unsigned height)
{
   const struct pipe_resource templ = {
      .target = PIPE_TEXTURE_2D,
      .format = format,
      .width0 = width,
      .height0 = height,
      .depth0 = 1,
      .array_size = 1,
      /* a display target has a pitch that the engine can render with */
      .bind = util_format_is_depth_or_stencil(format)
                 ? PIPE_BIND_DEPTH_STENCIL
                 : PIPE_BIND_RENDER_TARGET | PIPE_BIND_DISPLAY_TARGET,
   };

   return screen->resource_create(screen, &templ);
}

/* A surface of the framebuffer's size, made anew when that has changed. */
static struct pipe_surface *
tegra20_scratch_surface(struct tegra20_context *ctx,
                        struct pipe_surface **image, enum pipe_format format)
{
   const struct pipe_surface templ = { .format = format };
   const unsigned width = align(tegra20_target_width(ctx), 2),
                  height = align(tegra20_target_height(ctx), 2);

   if (*image && (*image)->texture->width0 == width &&
       (*image)->texture->height0 == height)
      return *image;
   pipe_surface_reference(image, NULL);
   /* another surface may get the address of the old one */
   ctx->dirty |= TEGRA20_DIRTY_FRAMEBUFFER | TEGRA20_DIRTY_TEXTURES;
   struct pipe_resource *res =
      tegra20_scratch_create(ctx->base.screen, format, width, height);
   if (res)
      *image = ctx->base.create_surface(&ctx->base, res, &templ);
   pipe_resource_reference(&res, NULL);
   return *image;
}

struct pipe_surface *
tegra20_scratch_image(struct tegra20_context *ctx, unsigned i)
{
   return tegra20_scratch_surface(ctx, &ctx->scratch->images[i],
                                  PIPE_FORMAT_R8G8B8A8_UNORM);
}

struct pipe_surface *
tegra20_scratch_depth(struct tegra20_context *ctx)
{
   return tegra20_scratch_surface(ctx, &ctx->scratch->depth,
                                  PIPE_FORMAT_Z16_UNORM);
}

bool
tegra20_scratch_clear(struct tegra20_context *ctx,
                      struct pipe_surface *surface)
{
   const struct pipe_scissor_state *area = &ctx->draw_area;
   const struct tegra20_gr2d_surface dst =
      tegra20_gr2d_level(tegra20_resource(surface->texture), 0);

   return tegra20_gr2d_fill(ctx, &dst, 4, area->minx, area->miny,
                            area->maxx - area->minx, area->maxy - area->miny,
                            0);
}

static bool
tegra20_scratch_resize_marks(struct tegra20_context *ctx)
{
   struct pipe_resource **marks = &ctx->scratch->marks;
   unsigned width = tegra20_target_width(ctx),
            height = tegra20_target_height(ctx);

   if (*marks && (*marks)->width0 >= width && (*marks)->height0 >= height)
      return true;
   if (*marks) {
      width = MAX2(width, (*marks)->width0);
      height = MAX2(height, (*marks)->height0);
   }
   pipe_resource_reference(marks, NULL);
   ctx->dirty |= TEGRA20_DIRTY_FRAMEBUFFER;
   ctx->scratch->last_mark = 0;
   *marks = tegra20_scratch_create(ctx->base.screen, PIPE_FORMAT_S8_UINT,
                                   width, height);
   return *marks;
}

bool
tegra20_scratch_marks(struct tegra20_context *ctx, unsigned num,
                      uint8_t *first)
{
   struct tegra20_scratch *scratch = ctx->scratch;

   if (!tegra20_scratch_resize_marks(ctx))
      return false;
   if (scratch->last_mark == 0 || scratch->last_mark + num > 255) {
      const struct tegra20_gr2d_surface dst =
         tegra20_gr2d_level(tegra20_resource(scratch->marks), 0);

      if (!tegra20_gr2d_fill(ctx, &dst, 1, 0, 0, scratch->marks->width0,
                             scratch->marks->height0, 0))
         return false;
      scratch->last_mark = 0;
   }
   *first = scratch->last_mark + 1;
   scratch->last_mark += num;
   return true;
}

void
tegra20_scratch_fini(struct tegra20_context *ctx)
{
   if (!ctx->scratch)
      return;
   for (unsigned i = 0; i < TEGRA20_NUM_SCRATCH_IMAGES; i++)
      pipe_surface_reference(&ctx->scratch->images[i], NULL);
   pipe_surface_reference(&ctx->scratch->depth, NULL);
   pipe_resource_reference(&ctx->scratch->marks, NULL);
   FREE(ctx->scratch);
}
