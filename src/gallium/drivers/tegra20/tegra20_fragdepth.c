/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Programs that write gl_FragDepth.  The engine knows a fragment's depth
 * before its program runs and takes no other, so the depth test of such a
 * draw is made by the CPU:
 *
 *    1. the draw, with a program that stores the bytes of the depth, a mark
 * and the face in an RGBA8888 surface;
 *    2. the CPU makes the stencil and the depth test, writes both buffers,
 * and marks what passed in a stencil surface;
 *    3. the draw again, with colour, where marked.
 *
 * That is exact where fragments do not overlap; otherwise the last one would
 * count.  So primitives are drawn one by one, as long as there are not too
 * many.
 */

#include "util/u_framebuffer.h"
#include "util/u_inlines.h"

#include "tegra20_context.h"
#include "tegra20_debug.h"
#include "tegra20_screen.h"

/* Draws with more primitives are not taken apart. */
#define MAX_SEPARATE_PRIMITIVES 256

bool
tegra20_needs_fragdepth(const struct tegra20_context *ctx)
{
   struct pipe_surface *zs = ctx->framebuffer.zsbuf;

   return ctx->bound_fs && ctx->bound_fs->writes_depth &&
          ctx->pass == TEGRA20_PASS_NORMAL &&
          ctx->output == TEGRA20_OUTPUT_COLOR && zs &&
          ctx->zsa->base.depth_enabled &&
          tegra20_resource_depth(tegra20_resource(zs->texture));
}

bool
tegra20_prepare_image(struct tegra20_context *ctx,
                      struct pipe_resource **image)
{
   unsigned width = ctx->framebuffer.width, height = ctx->framebuffer.height;

   if (!*image || (*image)->width0 != width || (*image)->height0 != height) {
      const struct pipe_resource templ = {
         .target = PIPE_TEXTURE_2D,
         .format = PIPE_FORMAT_R8G8B8A8_UNORM,
         .width0 = width,
         .height0 = height,
         .depth0 = 1,
         .array_size = 1,
         .bind = PIPE_BIND_RENDER_TARGET | PIPE_BIND_DISPLAY_TARGET,
      };
      pipe_resource_reference(image, NULL);
      *image = ctx->screen->base.resource_create(&ctx->screen->base, &templ);
      if (!*image)
         return false;
   }
   const struct tegra20_gr2d_surface surface =
      tegra20_gr2d_level(tegra20_resource(*image), 0);
   return tegra20_gr2d_fill(ctx, &surface, 4, 0, 0, width, height, 0);
}

void
tegra20_draw_image(struct tegra20_context *ctx, struct pipe_resource *image,
                   enum tegra20_output output,
                   const struct pipe_draw_info *info,
                   const struct pipe_draw_start_count_bias *draw)
{
   static struct tegra20_zsa no_tests;
   static struct pipe_blend_state no_blend = { .rt[0].colormask =
                                                  PIPE_MASK_RGBA };
   struct pipe_framebuffer_state saved = { 0 }, fb = { 0 };
   struct tegra20_zsa *zsa = ctx->zsa;
   struct pipe_blend_state *blend = ctx->blend;
   const struct pipe_surface templ = { .format = PIPE_FORMAT_R8G8B8A8_UNORM };
   bool paused = ctx->occlusion.paused;

   fb.width = ctx->framebuffer.width;
   fb.height = ctx->framebuffer.height;
   fb.nr_cbufs = 1;
   fb.cbufs[0] = ctx->base.create_surface(&ctx->base, image, &templ);
   if (!fb.cbufs[0])
      return;
   util_copy_framebuffer_state(&saved, &ctx->framebuffer);
   ctx->base.set_framebuffer_state(&ctx->base, &fb);
   ctx->zsa = &no_tests;
   ctx->blend = &no_blend;
   ctx->dirty |= TEGRA20_DIRTY_ZSA | TEGRA20_DIRTY_BLEND;
   ctx->output = output;
   ctx->occlusion.paused = true;
   ctx->base.draw_vbo(&ctx->base, info, 0, NULL, draw, 1);
   ctx->output = TEGRA20_OUTPUT_COLOR;
   ctx->occlusion.paused = paused;

   ctx->zsa = zsa;
   ctx->blend = blend;
   ctx->dirty |= TEGRA20_DIRTY_ZSA | TEGRA20_DIRTY_BLEND;
   ctx->base.set_framebuffer_state(&ctx->base, &saved);
   util_unreference_framebuffer_state(&saved);
   pipe_surface_reference(&fb.cbufs[0], NULL);
}

bool
tegra20_test_passes(unsigned func, unsigned z, unsigned stored)
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

static uint8_t
stencil_result(unsigned op, uint8_t stored, uint8_t ref)
{
   switch (op) {
   case PIPE_STENCIL_OP_ZERO:
      return 0;
   case PIPE_STENCIL_OP_REPLACE:
      return ref;
   case PIPE_STENCIL_OP_INCR:
      return MIN2(stored + 1, 255);
   case PIPE_STENCIL_OP_DECR:
      return MAX2(stored - 1, 0);
   case PIPE_STENCIL_OP_INCR_WRAP:
      return stored + 1;
   case PIPE_STENCIL_OP_DECR_WRAP:
      return stored - 1;
   case PIPE_STENCIL_OP_INVERT:
      return ~stored;
   default:
      return stored;
   }
}

/* What the surfaces of step 2 hold for a pixel; stencil is NULL when there is
 * no stencil test. */
struct tested_pixel {
   uint16_t *depth;
   uint8_t *stencil;
};

/* Both tests for a fragment, and their writes.  Does it pass? */
static bool
test_fragment(const struct tegra20_context *ctx,
              const struct tested_pixel *pixel, uint16_t z, bool back)
{
   const struct pipe_depth_stencil_alpha_state *state = &ctx->zsa->base;
   bool pass = tegra20_test_passes(state->depth_func, z, *pixel->depth);

   if (pixel->stencil) {
      const struct pipe_stencil_state *s =
         &state->stencil[back && state->stencil[1].enabled];
      uint8_t ref = ctx->stencil_ref
                       .ref_value[back && state->stencil[1].enabled],
              stored = *pixel->stencil;
      bool stencil_pass = tegra20_test_passes(s->func, ref & s->valuemask,
                                              stored & s->valuemask);
      unsigned op = !stencil_pass ? s->fail_op
                    : pass        ? s->zpass_op
                                  : s->zfail_op;

      *pixel->stencil = (stencil_result(op, stored, ref) & s->writemask) |
                        (stored & ~s->writemask);
      pass = pass && stencil_pass;
   }
   if (pass && state->depth_writemask)
      *pixel->depth = z;
   return pass;
}

uint8_t *
tegra20_map_surface(struct tegra20_context *ctx, struct tegra20_resource *res,
                    unsigned level, unsigned layer, unsigned access)
{
   tegra20_context_sync_bo(ctx, res->bo, access);
   uint8_t *map = tegra20_bo_map(res->bo);
   return map ? map + tegra20_resource_offset(res, level, layer) : NULL;
}

/* Step 2. */
static bool
test_fragments(struct tegra20_context *ctx)
{
   const struct pipe_surface *surface = ctx->framebuffer.zsbuf;
   unsigned level = surface->u.tex.level, layer = surface->u.tex.first_layer;
   struct tegra20_resource *zs = tegra20_resource(surface->texture),
                           *image = tegra20_resource(ctx->depth_image);
   struct tegra20_resource *marks = tegra20_resource(ctx->marks);
   struct tegra20_resource *stencil =
      ctx->zsa->stencil ? tegra20_resource_stencil(zs) : NULL;
   const struct pipe_scissor_state *area = &ctx->draw_area;
   const uint8_t *image_map =
      tegra20_map_surface(ctx, image, 0, 0, TEGRA20_READ);
   uint8_t *z_map = tegra20_map_surface(ctx, zs, level, layer,
                                        TEGRA20_READ | TEGRA20_WRITE);
   uint8_t *s_map = stencil
                       ? tegra20_map_surface(ctx, stencil, level, layer,
                                             TEGRA20_READ | TEGRA20_WRITE)
                       : NULL;
   uint8_t *mark_map = tegra20_map_surface(ctx, marks, 0, 0, TEGRA20_WRITE);

   if (!image_map || !z_map || !mark_map || (stencil && !s_map))
      return false;
   unsigned z_pitch = zs->layout.levels[level].pitch,
            mark_pitch = marks->layout.levels[0].pitch;
   unsigned s_pitch = stencil ? stencil->layout.levels[level].pitch : 0;

   for (unsigned y = area->miny; y < area->maxy; y++) {
      for (unsigned x = area->minx; x < area->maxx; x++) {
         const uint8_t *fragment =
            image_map + y * image->layout.levels[0].pitch + x * 4;
         const struct tested_pixel pixel = {
            .depth =
               (uint16_t *)(z_map + tegra20_tiled_offset(z_pitch, x * 2, y)),
            .stencil =
               stencil ? s_map + tegra20_tiled_offset(s_pitch, x, y) : NULL,
         };

         if (fragment[2] &&
             test_fragment(ctx, &pixel, fragment[0] << 8 | fragment[1],
                           fragment[3] < 128))
            mark_map[tegra20_tiled_offset(mark_pitch, x, y)] = ctx->mark;
      }
   }
   tegra20_resource_written(zs);
   return true;
}

static void
draw_separately(struct tegra20_context *ctx,
                const struct pipe_draw_info *info,
                const struct pipe_draw_start_count_bias *draw)
{
   if (!tegra20_prepare_image(ctx, &ctx->depth_image) ||
       !tegra20_prepare_marks(ctx))
      return;
   tegra20_draw_image(ctx, ctx->depth_image, TEGRA20_OUTPUT_DEPTH, info,
                      draw); /* step 1 */
   if (!test_fragments(ctx))
      return;

   /* Step 3. */
   ctx->pass = TEGRA20_PASS_COLOR;
   ctx->dirty |=
      TEGRA20_DIRTY_ZSA | TEGRA20_DIRTY_FRAMEBUFFER | TEGRA20_DIRTY_FS;
   ctx->base.draw_vbo(&ctx->base, info, 0, NULL, draw, 1);
   ctx->pass = TEGRA20_PASS_NORMAL;
   ctx->dirty |=
      TEGRA20_DIRTY_ZSA | TEGRA20_DIRTY_FRAMEBUFFER | TEGRA20_DIRTY_FS;
}

/* Vertices of a primitive that stands alone, and how many further on the next
 * one begins; pairs keep the winding of strips. */
static bool
primitive_size(enum mesa_prim mode, unsigned *count, unsigned *step)
{
   switch (mode) {
   case MESA_PRIM_POINTS:
      *count = *step = 1;
      return true;
   case MESA_PRIM_LINES:
      *count = *step = 2;
      return true;
   case MESA_PRIM_TRIANGLES:
      *count = *step = 3;
      return true;
   case MESA_PRIM_QUADS:
      *count = *step = 4;
      return true;
   case MESA_PRIM_LINE_STRIP:
      *count = 2;
      *step = 1;
      return true;
   case MESA_PRIM_TRIANGLE_STRIP:
   case MESA_PRIM_QUAD_STRIP:
      *count = 4;
      *step = 2;
      return true;
   default:
      return false;
   }
}

void
tegra20_draw_one_by_one(
   struct tegra20_context *ctx, const struct pipe_draw_info *info,
   const struct pipe_draw_start_count_bias *draws, unsigned num_draws,
   bool separate,
   void (*draw_one)(struct tegra20_context *, const struct pipe_draw_info *,
                    const struct pipe_draw_start_count_bias *))
{
   unsigned count = 0, step = 1;

   separate = separate && primitive_size(info->mode, &count, &step) &&
              !info->primitive_restart;
   for (unsigned i = 0; i < num_draws; i++) {
      struct pipe_draw_start_count_bias draw = draws[i];
      unsigned end = draws[i].start + draws[i].count;

      if (!separate || draw.count > step * MAX_SEPARATE_PRIMITIVES) {
         draw_one(ctx, info, &draw);
         continue;
      }
      for (; draw.start + count - step < end; draw.start += step) {
         draw.count = MIN2(count, end - draw.start);
         draw_one(ctx, info, &draw);
      }
   }
}

void
tegra20_fragdepth_draw(struct tegra20_context *ctx,
                       const struct pipe_draw_info *info,
                       const struct pipe_draw_start_count_bias *draws,
                       unsigned num_draws)
{
   /* without depth writes too: of several fragments the image keeps the last,
    * and an earlier one may be what passes */
   tegra20_draw_one_by_one(ctx, info, draws, num_draws, true,
                           draw_separately);
}
