/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Blits as draws: u_blitter's, and those to a whole fraction of the size.
 *
 * The centre of a pixel is the centre of a texel when the source is an odd
 * number of times as large, and the edge between two when it is an even
 * number.  Coordinates that are off by a part of a texel (A43) let the linear
 * filter mix neighbours: up to an eighth of a texel where 2048 are spanned.
 * The programs here look up centres of texels, without a filter: where one is
 * wanted that is the texel at the coordinate, and where an edge is wanted the
 * two on both sides of the whole number that is nearest to the coordinate in
 * texels, whose average is exact.
 */

#include "tegra20_blit_draw.h"

#include <stdlib.h>

#include "compiler/nir/nir_builder.h"
#include "util/u_blitter.h"
#include "util/u_inlines.h"

#include "nir/tegra20_derive.h"

#include "tegra20_context.h"
#include "tegra20_program.h"

/* Texels that one direction takes of those around a pixel's centre. */
enum tegra20_taps {
   TEGRA20_TAPS_CENTRE,  /* the one that it is the centre of */
   TEGRA20_TAPS_BEHIND,  /* the one behind the edge that it is on */
   TEGRA20_TAPS_BETWEEN, /* both sides of that edge */
   TEGRA20_NUM_TAPS,
};

/* False: not a whole number. */
static bool
choose_taps(int src, int dst, unsigned filter, enum tegra20_taps *taps)
{
   src = abs(src);
   dst = abs(dst);
   if (!dst || src % dst)
      return false;
   *taps = src / dst % 2                      ? TEGRA20_TAPS_CENTRE
           : filter == PIPE_TEX_FILTER_LINEAR ? TEGRA20_TAPS_BETWEEN
                                              : TEGRA20_TAPS_BEHIND;
   return true;
}

/* --- programs --- */

/* The coordinates in texels along one axis; how many. */
static unsigned
build_coordinates(nir_builder *b, nir_def *at, enum tegra20_taps taps,
                  nir_def *texels[2])
{
   if (taps == TEGRA20_TAPS_CENTRE) {
      texels[0] = at;
      return 1;
   }
   nir_def *edge = nir_ffloor(b, nir_fadd_imm(b, at, 0.5));
   unsigned count = 0;

   if (taps == TEGRA20_TAPS_BETWEEN)
      texels[count++] = nir_fadd_imm(b, edge, -0.5);
   texels[count++] = nir_fadd_imm(b, edge, 0.5);
   return count;
}

static nir_def *
build_average(nir_builder *b, nir_def *at, enum tegra20_taps across,
              enum tegra20_taps down)
{
   nir_def *x[2], *y[2], *sum = NULL;
   const unsigned columns =
                     build_coordinates(b, nir_channel(b, at, 0), across, x),
                  rows = build_coordinates(b, nir_channel(b, at, 1), down, y);

   for (unsigned i = 0; i < columns * rows; i++) {
      nir_def *texel = tegra20_build_look_up_at(
         b, nir_vec2(b, x[i % columns], y[i / columns]), 0);

      sum = sum ? nir_fadd(b, sum, texel) : texel;
   }
   return columns * rows > 1 ? nir_fmul_imm(b, sum, 1.0 / (columns * rows))
                             : sum;
}

static struct tegra20_shader *
get_program(struct tegra20_context *ctx, enum tegra20_taps across,
            enum tegra20_taps down)
{
   struct tegra20_shader **program =
      &ctx->downsample_fs[across * TEGRA20_NUM_TAPS + down];

   STATIC_ASSERT(ARRAY_SIZE(ctx->downsample_fs) ==
                 TEGRA20_NUM_TAPS * TEGRA20_NUM_TAPS);
   if (*program)
      return *program;
   nir_builder b = nir_builder_init_simple_shader(
      MESA_SHADER_FRAGMENT, tegra20_nir_options(MESA_SHADER_FRAGMENT),
      "downsample");
   nir_variable *at = nir_variable_create(b.shader, nir_var_shader_in,
                                          glsl_vec4_type(), "texels");
   nir_variable *color = nir_variable_create(b.shader, nir_var_shader_out,
                                             glsl_vec4_type(), "color");

   at->data.location = VARYING_SLOT_VAR0; /* u_blitter's GENERIC[0] */
   color->data.location = FRAG_RESULT_DATA0;
   nir_store_var(&b, color,
                 build_average(&b, nir_load_var(&b, at), across, down), 0xf);
   b.shader->num_inputs = b.shader->num_outputs = 1;
   nir_shader_gather_info(b.shader, b.impl);
   BITSET_SET(b.shader->info.textures_used, 0);
   *program = tegra20_create_fs(ctx, b.shader);
   return *program;
}

void
tegra20_blit_draw_fini(struct tegra20_context *ctx)
{
   for (unsigned i = 0; i < ARRAY_SIZE(ctx->downsample_fs); i++)
      ctx->base.delete_fs_state(&ctx->base, ctx->downsample_fs[i]);
}

/* --- blits --- */

static void
blitter_save(struct tegra20_context *ctx, bool render_condition)
{
   struct blitter_context *b = ctx->blitter;

   util_blitter_save_vertex_buffers(b, ctx->vertex_buffers,
                                    util_last_bit(ctx->bound_vertex_buffers));
   util_blitter_save_vertex_elements(b, ctx->elements);
   util_blitter_save_vertex_shader(b, ctx->bound_vs);
   util_blitter_save_rasterizer(b, ctx->rasterizer);
   util_blitter_save_viewport(b, &ctx->app_viewport);
   util_blitter_save_scissor(b, &ctx->scissor);
   util_blitter_save_fragment_shader(b, ctx->bound_fs);
   util_blitter_save_blend(b, ctx->blend);
   util_blitter_save_depth_stencil_alpha(b, ctx->zsa);
   util_blitter_save_stencil_ref(b, &ctx->stencil_ref);
   util_blitter_save_sample_mask(b, ctx->sample_mask, 0);
   util_blitter_save_framebuffer(b, &ctx->framebuffer);
   util_blitter_save_fragment_sampler_states(b, ctx->num_samplers,
                                             (void **)ctx->samplers);
   util_blitter_save_fragment_sampler_views(
      b, ctx->num_views, (struct pipe_sampler_view **)ctx->views);
   util_blitter_save_fragment_constant_buffer_slot(b, &ctx->constants[1]);
   if (!render_condition)
      util_blitter_save_render_condition(
         b, ctx->condition, ctx->condition_value, ctx->condition_mode);
}

/* Draws the blit when the source is as many times larger than the destination
 * as a whole number says, in each direction its own; false, and nothing done,
 * otherwise. */
static bool
downsample(struct tegra20_context *ctx, const struct pipe_blit_info *info)
{
   struct pipe_context *pipe = &ctx->base;
   struct pipe_resource *src = info->src.resource, *dst = info->dst.resource;
   struct pipe_sampler_view view_templ;
   struct pipe_surface surface_templ;
   enum tegra20_taps across, down;

   /* the view below has one layer: no face of a cube, no slice */
   if (src->target != PIPE_TEXTURE_1D && src->target != PIPE_TEXTURE_2D &&
       src->target != PIPE_TEXTURE_RECT)
      return false;
   if (!choose_taps(info->src.box.width, info->dst.box.width, info->filter,
                    &across) ||
       !choose_taps(info->src.box.height, info->dst.box.height, info->filter,
                    &down))
      return false;
   void *program = get_program(ctx, across, down);
   util_blitter_default_dst_texture(&surface_templ, dst, info->dst.level,
                                    info->dst.box.z);
   surface_templ.format = info->dst.format;
   util_blitter_default_src_texture(ctx->blitter, &view_templ, src,
                                    info->src.level);
   view_templ.format = info->src.format;
   view_templ.target = PIPE_TEXTURE_RECT; /* coordinates in texels */
   if (info->swizzle_enable) {
      view_templ.swizzle_r = info->swizzle[0];
      view_templ.swizzle_g = info->swizzle[1];
      view_templ.swizzle_b = info->swizzle[2];
      view_templ.swizzle_a = info->swizzle[3];
   }
   struct pipe_surface *surface =
      pipe->create_surface(pipe, dst, &surface_templ);
   struct pipe_sampler_view *view =
      pipe->create_sampler_view(pipe, src, &view_templ);
   const bool ready = program && surface && view;

   if (ready) {
      blitter_save(ctx, info->render_condition_enable);
      util_blitter_blit_generic(
         ctx->blitter, surface, &info->dst.box, view, &info->src.box,
         src->width0, src->height0, info->mask, PIPE_TEX_FILTER_NEAREST,
         info->scissor_enable ? &info->scissor : NULL, info->alpha_blend,
         info->sample0_only, info->dst_sample, program);
   }
   pipe_surface_reference(&surface, NULL);
   pipe_sampler_view_reference(&view, NULL);
   return ready;
}

/* Is every pixel a texel?  A filter has nothing to do then, but weights that
 * are a little too large (A43) would let it mix neighbours. */
static bool
is_one_to_one(const struct pipe_blit_info *info)
{
   return abs(info->src.box.width) == abs(info->dst.box.width) &&
          abs(info->src.box.height) == abs(info->dst.box.height) &&
          abs(info->src.box.depth) == abs(info->dst.box.depth);
}

void
tegra20_blit_draw(struct tegra20_context *ctx,
                  const struct pipe_blit_info *wanted)
{
   struct pipe_blit_info info = *wanted;

   if (downsample(ctx, &info))
      return;
   if (is_one_to_one(&info))
      info.filter = PIPE_TEX_FILTER_NEAREST;
   blitter_save(ctx, info.render_condition_enable);
   util_blitter_blit(ctx->blitter, &info, NULL);
}
