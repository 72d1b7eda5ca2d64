/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Programs that do not fit the chip together with blending, a logic operation
 * or a colour mask.  They are drawn twice:
 *
 *    1. the program alone, into an RGBA8888 surface of the context; a program
 * that discards once more, to leave behind in another surface where it did
 * not;
 *    2. a program that fetches the pixel that the first one made, with the
 * blending, and with the tests and queries of the application.
 *
 * Primitives that may overlap are drawn one by one, as long as there are not
 * too many.  For draws with one colour buffer.
 */

#include "compiler/nir/nir_builder.h"
#include "util/u_framebuffer.h"
#include "util/u_inlines.h"

#include "tegra20_context.h"
#include "tegra20_debug.h"
#include "tegra20_screen.h"

bool
tegra20_can_split(const struct tegra20_context *ctx)
{
   const struct pipe_rt_blend_state *rt = &ctx->blend->rt[0];

   return !ctx->splitting && ctx->pass == TEGRA20_PASS_NORMAL &&
          ctx->output == TEGRA20_OUTPUT_COLOR &&
          ctx->framebuffer.nr_cbufs == 1 && ctx->framebuffer.cbufs[0] &&
          rt->colormask &&
          (rt->blend_enable || ctx->blend->logicop_enable ||
           rt->colormask != PIPE_MASK_RGBA) &&
          ctx->vs_variant && ctx->vs_variant->program && ctx->fs_variant &&
          !ctx->fs_variant->program &&
          !ctx->bound_fs->nir->info.fs.uses_fbfetch_output;
}

static nir_def *
fetch(nir_builder *b, unsigned target)
{
   nir_variable *var = nir_variable_create(b->shader, nir_var_shader_out,
                                           glsl_vec4_type(), "source");

   var->data.location = FRAG_RESULT_DATA0 + target;
   var->data.driver_location = b->shader->num_outputs++;
   var->data.fb_fetch_output = true;
   return nir_load_var(b, var);
}

/* The program of step 2. */
static bool
prepare_program(struct tegra20_context *ctx, bool discards)
{
   if (ctx->split_fs[discards])
      return true;
   nir_builder b = nir_builder_init_simple_shader(
      MESA_SHADER_FRAGMENT, tegra20_nir_options(MESA_SHADER_FRAGMENT),
      "blend");
   nir_variable *color = nir_variable_create(b.shader, nir_var_shader_out,
                                             glsl_vec4_type(), "color");

   color->data.location = FRAG_RESULT_DATA0;
   color->data.driver_location = b.shader->num_outputs++;
   nir_def *source = fetch(&b, 1);
   if (discards) {
      nir_discard_if(&b,
                     nir_flt_imm(&b, nir_channel(&b, fetch(&b, 2), 0), 0.5f));
      b.shader->info.fs.uses_discard = true;
   }
   nir_store_var(&b, color, source, 0xf);
   b.shader->info.outputs_written = BITFIELD64_BIT(FRAG_RESULT_DATA0);
   b.shader->info.fs.uses_fbfetch_output = true;

   const struct pipe_shader_state state = { .type = PIPE_SHADER_IR_NIR,
                                            .ir.nir = b.shader };
   ctx->split_fs[discards] = ctx->base.create_fs_state(&ctx->base, &state);
   return ctx->split_fs[discards];
}

static struct pipe_surface *
image_surface(struct tegra20_context *ctx, struct pipe_resource *image)
{
   const struct pipe_surface templ = { .format = PIPE_FORMAT_R8G8B8A8_UNORM };
   return ctx->base.create_surface(&ctx->base, image, &templ);
}

/* Step 2: the source and the coverage are targets that the program only
 * fetches. */
static void
draw_blended(struct tegra20_context *ctx, const struct pipe_draw_info *info,
             const struct pipe_draw_start_count_bias *draw, bool discards)
{
   struct pipe_framebuffer_state saved = { 0 }, fb = ctx->framebuffer;
   struct tegra20_shader *bound_fs = ctx->bound_fs;
   struct pipe_blend_state *blend = ctx->blend, split = *blend;

   split.independent_blend_enable = true;
   for (unsigned i = 1; i < 3; i++)
      split.rt[i] =
         (struct pipe_rt_blend_state){ .colormask = PIPE_MASK_RGBA };
   fb.nr_cbufs = discards ? 3 : 2;
   fb.cbufs[1] = image_surface(ctx, ctx->source_image);
   fb.cbufs[2] = discards ? image_surface(ctx, ctx->coverage_image) : NULL;

   util_copy_framebuffer_state(&saved, &ctx->framebuffer);
   ctx->base.set_framebuffer_state(&ctx->base, &fb);
   ctx->bound_fs = ctx->split_fs[discards];
   ctx->blend = &split;
   ctx->fs_generation++;
   ctx->dirty |= TEGRA20_DIRTY_BLEND | TEGRA20_DIRTY_FS;
   ctx->base.draw_vbo(&ctx->base, info, 0, NULL, draw, 1);

   ctx->bound_fs = bound_fs;
   ctx->blend = blend;
   ctx->fs_generation++;
   ctx->dirty |= TEGRA20_DIRTY_BLEND | TEGRA20_DIRTY_FS;
   ctx->base.set_framebuffer_state(&ctx->base, &saved);
   util_unreference_framebuffer_state(&saved);
   pipe_surface_reference(&fb.cbufs[1], NULL);
   pipe_surface_reference(&fb.cbufs[2], NULL);
}

static void
split_one(struct tegra20_context *ctx, const struct pipe_draw_info *info,
          const struct pipe_draw_start_count_bias *draw)
{
   bool discards = ctx->split_discards;

   if (!tegra20_prepare_image(ctx, &ctx->source_image) ||
       (discards && !tegra20_prepare_image(ctx, &ctx->coverage_image)))
      return;
   tegra20_draw_image(ctx, ctx->source_image, TEGRA20_OUTPUT_COLOR, info,
                      draw);
   if (discards)
      tegra20_draw_image(ctx, ctx->coverage_image, TEGRA20_OUTPUT_COVERAGE,
                         info, draw);
   draw_blended(ctx, info, draw, discards);
}

void
tegra20_split_draw(struct tegra20_context *ctx,
                   const struct pipe_draw_info *info,
                   const struct pipe_draw_start_count_bias *draws,
                   unsigned num_draws)
{
   ctx->splitting = true;
   ctx->split_discards =
      ctx->fs->kills; /* also for stipples and clip planes */
   if (prepare_program(ctx, ctx->split_discards))
      tegra20_draw_one_by_one(ctx, info, draws, num_draws, true, split_one);
   ctx->splitting = false;
}

void
tegra20_split_destroy(struct tegra20_context *ctx)
{
   for (unsigned i = 0; i < 2; i++) {
      if (ctx->split_fs[i])
         ctx->base.delete_fs_state(&ctx->base, ctx->split_fs[i]);
   }
   pipe_resource_reference(&ctx->source_image, NULL);
   pipe_resource_reference(&ctx->coverage_image, NULL);
}
