/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Programs that discard, and depth writes (A35).
 *
 * The engine tests and writes depth before the fragment program runs; no way
 * is known to write it behind.  A fragment that the program discards would
 * leave its depth.  The stencil buffer, in contrast, can be written behind
 * the program, for surviving fragments only.  So a primitive of such a draw
 * is drawn twice:
 *
 *   mark    with colour, depth test without writes; survivors write a number
 * into a stencil surface of the context; depth   without colour, by a program
 * that does nothing; where the stencil surface has that number, depth is
 * written.
 *
 * The number changes with every pair of passes, so that the surface has to be
 * cleared every 255 pairs only.  The result is wrong where discarded and
 * surviving fragments of one pair overlap; lists of triangles are therefore
 * drawn triangle by triangle as long as there are not too many.
 *
 * A draw that uses the stencil test itself has no room for the mark, and
 * takes more:
 *
 *   survey     without colour; survivors that pass the depth test mark, front
 * and back faces with numbers of their own; the CPU    makes the
 * application's stencil test where there are marks, and takes away those of
 * what fails; the draw   as the application wants it, but without depth
 * writes; depth      as above.
 */

#include "compiler/nir/nir_builder.h"
#include "util/u_inlines.h"

#include "tegra20_context.h"
#include "tegra20_debug.h"
#include "tegra20_screen.h"

/* Draws with more triangles are not taken apart. */
#define MAX_SEPARATE_TRIANGLES 1024
#define MAX_SURVEYED_TRIANGLES 32 /* each waits for the engine */

bool
tegra20_needs_passes(const struct tegra20_context *ctx)
{
   struct pipe_surface *zs = ctx->framebuffer.zsbuf;

   if (ctx->pass != TEGRA20_PASS_NORMAL || !ctx->fs->kills || !zs ||
       DBG(EARLYZ))
      return false;
   if (!ctx->zsa->base.depth_enabled || !ctx->zsa->base.depth_writemask)
      return false;
   return tegra20_resource_depth(tegra20_resource(zs->texture));
}

static bool
uses_stencil(const struct tegra20_context *ctx)
{
   return ctx->zsa->stencil && tegra20_resource_stencil(tegra20_resource(
                                  ctx->framebuffer.zsbuf->texture));
}

static bool
prepare_null_shader(struct tegra20_context *ctx)
{
   if (ctx->null_fs)
      return true;
   nir_builder b = nir_builder_init_simple_shader(
      MESA_SHADER_FRAGMENT, tegra20_nir_options(MESA_SHADER_FRAGMENT),
      "depth only");
   const struct pipe_shader_state state = { .type = PIPE_SHADER_IR_NIR,
                                            .ir.nir = b.shader };
   ctx->null_fs = ctx->base.create_fs_state(&ctx->base, &state);
   return ctx->null_fs;
}

bool
tegra20_prepare_marks(struct tegra20_context *ctx)
{
   struct pipe_resource *marks = ctx->marks;
   unsigned width = ctx->framebuffer.width, height = ctx->framebuffer.height;

   if (!marks || marks->width0 < width || marks->height0 < height) {
      const struct pipe_resource templ = {
         .target = PIPE_TEXTURE_2D,
         .format = PIPE_FORMAT_S8_UINT,
         .width0 = MAX2(width, marks ? marks->width0 : 0),
         .height0 = MAX2(height, marks ? marks->height0 : 0),
         .depth0 = 1,
         .array_size = 1,
         .bind = PIPE_BIND_DEPTH_STENCIL,
      };
      pipe_resource_reference(&ctx->marks, NULL);
      ctx->marks =
         ctx->screen->base.resource_create(&ctx->screen->base, &templ);
      ctx->mark = 0;
      if (!ctx->marks)
         return false;
   }

   if (ctx->mark == 0 || ctx->mark == 255) {
      struct tegra20_resource *res = tegra20_resource(ctx->marks);
      const struct tegra20_gr2d_surface surface = tegra20_gr2d_level(res, 0);

      if (!tegra20_gr2d_fill(ctx, &surface, 1, 0, 0, ctx->marks->width0,
                             ctx->marks->height0, 0))
         return false;
      ctx->mark = 0;
   }
   ctx->mark++;
   return true;
}

static bool
set_pass(struct tegra20_context *ctx, enum tegra20_pass pass,
         struct tegra20_shader *fs)
{
   ctx->pass = pass;
   ctx->fs = fs;
   ctx->dirty |=
      TEGRA20_DIRTY_FS | TEGRA20_DIRTY_ZSA | TEGRA20_DIRTY_FRAMEBUFFER;
   return tegra20_program_update(ctx);
}

static bool
draw_pair(struct tegra20_context *ctx, const struct tegra20_draw_call *call)
{
   struct tegra20_shader *fs = ctx->fs;
   bool ok = prepare_null_shader(ctx) && tegra20_prepare_marks(ctx) &&
             set_pass(ctx, TEGRA20_PASS_MARK, fs) &&
             tegra20_emit_draw(ctx, call) &&
             set_pass(ctx, TEGRA20_PASS_DEPTH, ctx->null_fs) &&
             tegra20_emit_draw(ctx, call);

   return set_pass(ctx, TEGRA20_PASS_NORMAL, fs) && ok;
}

/* --- with the stencil test --- */

/* Two numbers, the first of which is ctx->mark. */
static bool
prepare_two_marks(struct tegra20_context *ctx)
{
   return tegra20_prepare_marks(ctx) &&
          (ctx->mark < 255 || tegra20_prepare_marks(ctx));
}

/* Leaves marks where the application's stencil test passes, all with the
 * first number. */
static bool
filter_marks(struct tegra20_context *ctx)
{
   const struct pipe_surface *surface = ctx->framebuffer.zsbuf;
   unsigned level = surface->u.tex.level, layer = surface->u.tex.first_layer;
   struct tegra20_resource *stencil =
      tegra20_resource_stencil(tegra20_resource(surface->texture));
   struct tegra20_resource *marks = tegra20_resource(ctx->marks);
   const struct pipe_stencil_state *states = ctx->zsa->base.stencil;
   const uint8_t *stored =
      tegra20_map_surface(ctx, stencil, level, layer, TEGRA20_READ);
   uint8_t *map =
      tegra20_map_surface(ctx, marks, 0, 0, TEGRA20_READ | TEGRA20_WRITE);

   if (!stored || !map)
      return false;
   for (unsigned y = ctx->draw_area.miny; y < ctx->draw_area.maxy; y++) {
      for (unsigned x = ctx->draw_area.minx; x < ctx->draw_area.maxx; x++) {
         uint8_t *mark =
            &map[tegra20_tiled_offset(marks->layout.levels[0].pitch, x, y)];
         unsigned face = *mark == ctx->mark ? 0 : 1;

         if (*mark != ctx->mark + face)
            continue;
         if (!states[1].enabled)
            face = 0;
         uint8_t value = stored[tegra20_tiled_offset(
            stencil->layout.levels[level].pitch, x, y)];
         bool pass = tegra20_test_passes(states[face].func,
                                         ctx->stencil_ref.ref_value[face] &
                                            states[face].valuemask,
                                         value & states[face].valuemask);
         *mark = pass ? ctx->mark : 0;
      }
   }
   return true;
}

static bool
draw_surveyed(struct tegra20_context *ctx,
              const struct tegra20_draw_call *call)
{
   struct tegra20_shader *fs = ctx->fs;
   bool ok = prepare_null_shader(ctx) && prepare_two_marks(ctx) &&
             set_pass(ctx, TEGRA20_PASS_SURVEY, fs) &&
             tegra20_emit_draw(ctx, call) && filter_marks(ctx) &&
             set_pass(ctx, TEGRA20_PASS_NO_DEPTH_WRITE, fs) &&
             tegra20_emit_draw(ctx, call) &&
             set_pass(ctx, TEGRA20_PASS_DEPTH, ctx->null_fs) &&
             tegra20_emit_draw(ctx, call);

   ctx->mark++;
   return set_pass(ctx, TEGRA20_PASS_NORMAL, fs) && ok;
}

bool
tegra20_draw_passes(struct tegra20_context *ctx, enum mesa_prim mode,
                    unsigned index_size, const struct tegra20_draw_call *call)
{
   bool survey = uses_stencil(ctx);
   unsigned max_separate =
      survey ? MAX_SURVEYED_TRIANGLES : MAX_SEPARATE_TRIANGLES;
   bool (*draw)(struct tegra20_context *, const struct tegra20_draw_call *) =
      survey ? draw_surveyed : draw_pair;

   if (mode != MESA_PRIM_TRIANGLES || call->count > 3 * max_separate)
      return draw(ctx, call);

   for (unsigned i = 0; i + 3 <= call->count; i += 3) {
      struct tegra20_draw_call one = *call;

      one.count = 3;
      if (call->index_bo)
         one.index_offset += i * index_size;
      else
         one.first += i;
      if (!draw(ctx, &one))
         return false;
   }
   return true;
}
