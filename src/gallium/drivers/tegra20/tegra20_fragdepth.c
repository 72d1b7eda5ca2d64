/*
 * SPDX-License-Identifier: MIT
 *
 * Programs that write gl_FragDepth.  The engine knows a fragment's depth before its program runs and takes no other, so
 * the depth test of such a draw is made by the CPU:
 *
 *    1. the draw, with a program that stores the bytes of the depth and a mark in an RGBA8888 surface;
 *    2. the CPU compares these with the depth buffer, writes depth, and marks what passed in a stencil surface;
 *    3. the draw again, with colour, where marked.
 *
 * Exact where fragments of one draw do not overlap; there the last one counts.  The application's stencil test is left
 * out.
 */

#include "util/u_framebuffer.h"
#include "util/u_inlines.h"

#include "tegra20_context.h"
#include "tegra20_debug.h"
#include "tegra20_screen.h"

bool
tegra20_needs_fragdepth(const struct tegra20_context *ctx)
{
   struct pipe_surface *zs = ctx->framebuffer.zsbuf;

   return ctx->bound_fs && ctx->bound_fs->writes_depth && ctx->pass == TEGRA20_PASS_NORMAL && !ctx->depth_image_draw &&
          zs && ctx->zsa->base.depth_enabled && tegra20_resource_depth(tegra20_resource(zs->texture));
}

static bool
prepare_image(struct tegra20_context *ctx)
{
   struct pipe_resource *image = ctx->depth_image;
   unsigned width = ctx->framebuffer.width, height = ctx->framebuffer.height;

   if (!image || image->width0 != width || image->height0 != height) {
      const struct pipe_resource templ = {
         .target = PIPE_TEXTURE_2D,
         .format = PIPE_FORMAT_R8G8B8A8_UNORM,
         .width0 = width,
         .height0 = height,
         .depth0 = 1,
         .array_size = 1,
         .bind = PIPE_BIND_RENDER_TARGET | PIPE_BIND_DISPLAY_TARGET,
      };
      pipe_resource_reference(&ctx->depth_image, NULL);
      ctx->depth_image = ctx->screen->base.resource_create(&ctx->screen->base, &templ);
      if (!ctx->depth_image)
         return false;
   }
   const struct tegra20_gr2d_surface surface = tegra20_gr2d_level(tegra20_resource(ctx->depth_image), 0);
   return tegra20_gr2d_fill(ctx, &surface, 4, 0, 0, width, height, 0);
}

/* Step 1. */
static void
draw_image(struct tegra20_context *ctx, const struct pipe_draw_info *info,
           const struct pipe_draw_start_count_bias *draws, unsigned num_draws)
{
   static struct tegra20_zsa no_tests;
   static struct pipe_blend_state no_blend = {.rt[0].colormask = PIPE_MASK_RGBA};
   struct pipe_framebuffer_state saved = {0}, fb = {0};
   struct tegra20_zsa *zsa = ctx->zsa;
   struct pipe_blend_state *blend = ctx->blend;
   const struct pipe_surface templ = {.format = PIPE_FORMAT_R8G8B8A8_UNORM};

   fb.width = ctx->framebuffer.width;
   fb.height = ctx->framebuffer.height;
   fb.nr_cbufs = 1;
   fb.cbufs[0] = ctx->base.create_surface(&ctx->base, ctx->depth_image, &templ);
   if (!fb.cbufs[0])
      return;
   util_copy_framebuffer_state(&saved, &ctx->framebuffer);
   ctx->base.set_framebuffer_state(&ctx->base, &fb);
   ctx->zsa = &no_tests;
   ctx->blend = &no_blend;
   ctx->dirty |= TEGRA20_DIRTY_ZSA | TEGRA20_DIRTY_BLEND;
   ctx->depth_image_draw = true;
   ctx->base.draw_vbo(&ctx->base, info, 0, NULL, draws, num_draws);
   ctx->depth_image_draw = false;

   ctx->zsa = zsa;
   ctx->blend = blend;
   ctx->dirty |= TEGRA20_DIRTY_ZSA | TEGRA20_DIRTY_BLEND;
   ctx->base.set_framebuffer_state(&ctx->base, &saved);
   util_unreference_framebuffer_state(&saved);
   pipe_surface_reference(&fb.cbufs[0], NULL);
}

static bool
passes(unsigned func, unsigned z, unsigned stored)
{
   switch (func) {
   case PIPE_FUNC_NEVER:
      return false;
   case PIPE_FUNC_LESS:
      return z < stored;
   case PIPE_FUNC_EQUAL:
      return z == stored;
   case PIPE_FUNC_LEQUAL:
      return z <= stored;
   case PIPE_FUNC_GREATER:
      return z > stored;
   case PIPE_FUNC_NOTEQUAL:
      return z != stored;
   case PIPE_FUNC_GEQUAL:
      return z >= stored;
   default:
      return true;
   }
}

/* Step 2. */
static bool
test_depth(struct tegra20_context *ctx)
{
   const struct pipe_surface *surface = ctx->framebuffer.zsbuf;
   struct tegra20_resource *zs = tegra20_resource(surface->texture), *image = tegra20_resource(ctx->depth_image);
   struct tegra20_resource *marks = tegra20_resource(ctx->marks);
   const struct pipe_depth_stencil_alpha_state *state = &ctx->zsa->base;
   const struct pipe_scissor_state *area = &ctx->draw_area;
   unsigned z_pitch = zs->layout.levels[surface->u.tex.level].pitch, mark_pitch = marks->layout.levels[0].pitch;

   tegra20_context_sync_bo(ctx, image->bo, TEGRA20_READ);
   tegra20_context_sync_bo(ctx, zs->bo, TEGRA20_READ | TEGRA20_WRITE);
   tegra20_context_sync_bo(ctx, marks->bo, TEGRA20_WRITE);
   const uint8_t *image_map = tegra20_bo_map(image->bo);
   uint8_t *z_map = tegra20_bo_map(zs->bo), *mark_map = tegra20_bo_map(marks->bo);
   if (!image_map || !z_map || !mark_map)
      return false;
   image_map += tegra20_resource_offset(image, 0, 0);
   z_map += tegra20_resource_offset(zs, surface->u.tex.level, surface->u.tex.first_layer);
   mark_map += tegra20_resource_offset(marks, 0, 0);

   for (unsigned y = area->miny; y < area->maxy; y++) {
      for (unsigned x = area->minx; x < area->maxx; x++) {
         const uint8_t *pixel = image_map + y * image->layout.levels[0].pitch + x * 4;
         uint16_t *stored = (uint16_t *)(z_map + tegra20_tiled_offset(z_pitch, x * 2, y));
         uint16_t z = pixel[0] << 8 | pixel[1];

         if (!pixel[2] || !passes(state->depth_func, z, *stored))
            continue;
         if (state->depth_writemask)
            *stored = z;
         mark_map[tegra20_tiled_offset(mark_pitch, x, y)] = ctx->mark;
      }
   }
   tegra20_resource_written(zs);
   return true;
}

void
tegra20_fragdepth_draw(struct tegra20_context *ctx, const struct pipe_draw_info *info,
                       const struct pipe_draw_start_count_bias *draws, unsigned num_draws)
{
   if (!prepare_image(ctx) || !tegra20_prepare_marks(ctx))
      return;
   draw_image(ctx, info, draws, num_draws);
   if (!test_depth(ctx))
      return;

   /* Step 3. */
   ctx->pass = TEGRA20_PASS_COLOR;
   ctx->dirty |= TEGRA20_DIRTY_ZSA | TEGRA20_DIRTY_FRAMEBUFFER | TEGRA20_DIRTY_FS;
   ctx->base.draw_vbo(&ctx->base, info, 0, NULL, draws, num_draws);
   ctx->pass = TEGRA20_PASS_NORMAL;
   ctx->dirty |= TEGRA20_DIRTY_ZSA | TEGRA20_DIRTY_FRAMEBUFFER | TEGRA20_DIRTY_FS;
}
