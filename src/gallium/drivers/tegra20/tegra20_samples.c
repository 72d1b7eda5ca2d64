/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "tegra20_samples.h"

#include "compiler/nir/nir_builder.h"
#include "util/format/u_format.h"
#include "util/u_inlines.h"

#include "nir/tegra20_derive.h"

#include "tegra20_context.h"
#include "tegra20_mesa.h"
#include "tegra20_resource.h"

#define SCALE 2 /* in both directions */

/* --- resources --- */

struct pipe_resource *
tegra20_samples_create(struct pipe_screen *screen,
                       const struct pipe_resource *templ, bool *too_large)
{
   struct pipe_resource large = *templ;

   *too_large = templ->width0 * SCALE > TEGRA20_MAX_TEXTURE_SIZE ||
                templ->height0 * SCALE > TEGRA20_MAX_TEXTURE_SIZE;
   if (*too_large)
      return NULL;
   large.width0 *= SCALE;
   large.height0 *= SCALE;
   large.nr_samples = large.nr_storage_samples = 0;
   /* a pitch that the engine can render with */
   if (!util_format_is_depth_or_stencil(templ->format))
      large.bind |= PIPE_BIND_RENDER_TARGET | PIPE_BIND_DISPLAY_TARGET;
   return screen->resource_create(screen, &large);
}

unsigned
tegra20_samples_of_surface(const struct tegra20_resource *res,
                           const struct pipe_surface *templ)
{
   const struct pipe_resource *base = &res->base;

   /* depth and stencil of the first level and layer only */
   if (templ->nr_samples <= 1 || base->nr_samples > 1 ||
       u_minify(base->width0, templ->u.tex.level) * SCALE >
          TEGRA20_MAX_TEXTURE_SIZE ||
       u_minify(base->height0, templ->u.tex.level) * SCALE >
          TEGRA20_MAX_TEXTURE_SIZE ||
       (tegra20_format_is_zs(base->format) &&
        (templ->u.tex.level || templ->u.tex.first_layer)))
      return 1;
   return SCALE;
}

static void
add_surface(const struct pipe_surface *surface, bool *one, bool *four)
{
   if (!surface)
      return;
   if (tegra20_resource(surface->texture)->samples ||
       ((const struct tegra20_surface *)surface)->scale > 1)
      *four = true;
   else
      *one = true;
}

unsigned
tegra20_samples_scale(const struct pipe_framebuffer_state *fb)
{
   bool one = false, four = false;

   for (unsigned i = 0; i < fb->nr_cbufs; i++)
      add_surface(fb->cbufs[i], &one, &four);
   add_surface(fb->zsbuf, &one, &four);
   return one && four ? 0 : four ? SCALE : 1;
}

/* --- coordinates --- */

void
tegra20_samples_update_viewport(struct tegra20_context *ctx)
{
   ctx->viewport = ctx->app_viewport;
   for (unsigned c = 0; c < 2; c++) {
      ctx->viewport.scale[c] *= ctx->scale;
      ctx->viewport.translate[c] *= ctx->scale;
   }
   ctx->dirty |= TEGRA20_DIRTY_VIEWPORT;
}

static void
scale_area(struct pipe_scissor_state *area)
{
   area->minx *= SCALE;
   area->miny *= SCALE;
   area->maxx *= SCALE;
   area->maxy *= SCALE;
}

void
tegra20_samples_scale_area(const struct pipe_surface *base,
                           struct pipe_scissor_state *area)
{
   const struct tegra20_surface *surface =
      (const struct tegra20_surface *)base;

   if (tegra20_resource(base->texture)->samples ||
       (surface->scale > 1 && surface->widened))
      scale_area(area);
}

void
tegra20_samples_scale_box(struct pipe_box *box)
{
   box->x *= SCALE;
   box->y *= SCALE;
   box->width *= SCALE;
   box->height *= SCALE;
}

/* --- blits --- */

void
tegra20_samples_blit(struct pipe_blit_info *info)
{
   struct tegra20_resource *src = tegra20_resource(info->src.resource),
                           *dst = tegra20_resource(info->dst.resource);

   if (src->samples) {
      info->src.resource = &src->samples->base;
      tegra20_samples_scale_box(&info->src.box);
   }
   if (dst->samples) {
      info->dst.resource = &dst->samples->base;
      tegra20_samples_scale_box(&info->dst.box);
      if (info->scissor_enable)
         scale_area(&info->scissor);
   }
   /* a taken sample of depth and stencil, the average of colours */
   if (src->samples && !dst->samples && !(info->mask & PIPE_MASK_ZS) &&
       abs(info->src.box.width) == SCALE * abs(info->dst.box.width) &&
       abs(info->src.box.height) == SCALE * abs(info->dst.box.height))
      info->filter = PIPE_TEX_FILTER_LINEAR;
}

static void
blit_single(struct tegra20_context *ctx, struct pipe_resource *dst,
            const struct pipe_box *dst_box, struct pipe_resource *src,
            const struct pipe_box *src_box)
{
   const struct pipe_blit_info info = {
      .dst = { .resource = dst, .format = dst->format, .box = *dst_box },
      .src = { .resource = src, .format = src->format, .box = *src_box },
      .mask = util_format_get_mask(dst->format),
      .filter = PIPE_TEX_FILTER_NEAREST,
   };

   ctx->base.blit(&ctx->base, &info);
}

struct pipe_resource *
tegra20_samples_read(struct tegra20_context *ctx,
                     struct tegra20_resource *res, const struct pipe_box *box,
                     bool discard)
{
   struct pipe_screen *screen = ctx->base.screen;
   const struct pipe_resource templ = {
      .target = PIPE_TEXTURE_2D,
      .format = res->base.format,
      .width0 = box->width,
      .height0 = box->height,
      .depth0 = 1,
      .array_size = 1,
      .bind = util_format_is_depth_or_stencil(res->base.format)
                 ? PIPE_BIND_DEPTH_STENCIL
                 : PIPE_BIND_RENDER_TARGET | PIPE_BIND_DISPLAY_TARGET,
   };
   struct pipe_resource *single = screen->resource_create(screen, &templ);
   struct pipe_box whole;

   if (!single || discard)
      return single;
   u_box_2d(0, 0, box->width, box->height, &whole);
   blit_single(ctx, single, &whole, &res->base, box);
   return single;
}

void
tegra20_samples_write(struct tegra20_context *ctx,
                      struct tegra20_resource *res,
                      const struct pipe_box *box,
                      struct pipe_resource *single)
{
   struct pipe_box whole;

   u_box_2d(0, 0, box->width, box->height, &whole);
   blit_single(ctx, &res->base, box, single, &whole);
}

/* --- fragment programs --- */

uint8_t
tegra20_samples_key(const struct tegra20_context *ctx)
{
   uint8_t key = TEGRA20_SAMPLES_SCALED;

   if (ctx->scale == 1)
      return 0;
   /* without GL_MULTISAMPLE all samples are covered alike */
   if (ctx->rasterizer->base.multisample) {
      if (ctx->blend->alpha_to_coverage)
         key |= TEGRA20_SAMPLES_FROM_ALPHA;
      if (ctx->blend->alpha_to_one)
         key |= TEGRA20_SAMPLES_ALPHA_ONE;
      key |= ~ctx->sample_mask & TEGRA20_ALL_SAMPLES;
   }
   return key;
}

/* Is the sample in the second column (0) or row (1)?  The position will be in
 * pixels: centres of samples are at quarters. */
static nir_def *
build_half(nir_builder *b, nir_def *position, unsigned c)
{
   return nir_fge_imm(b, nir_ffract(b, nir_channel(b, position, c)), 0.5f);
}

/* The four thresholds are half a step from 0, 1/4, 2/4, 3/4 and 1, and lie
 * across from each other. */
static nir_def *
build_threshold(nir_builder *b, nir_def *column, nir_def *row)
{
   nir_def *across =
      nir_fmul_imm(b, nir_b2f32(b, nir_ixor(b, column, row)), 0.5f);
   nir_def *down = nir_fmul_imm(b, nir_b2f32(b, row), 0.25f);

   return nir_fadd_imm(b, nir_fadd(b, across, down), 0.125f);
}

static bool
is_color_store(const nir_intrinsic_instr *intr)
{
   if (intr->intrinsic != nir_intrinsic_store_output)
      return false;
   const unsigned location = nir_intrinsic_io_semantics(intr).location;
   return location == FRAG_RESULT_COLOR || location == FRAG_RESULT_DATA0;
}

static bool
change_alpha(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   const uint8_t key = *(const uint8_t *)data;

   if (!is_color_store(intr))
      return false;
   nir_def *color = intr->src[0].ssa;
   const unsigned first = nir_intrinsic_component(intr);
   if (first + color->num_components < 4)
      return false;
   const unsigned alpha = 3 - first;
   if (!(nir_intrinsic_write_mask(intr) >> alpha & 1))
      return false;

   b->cursor = nir_before_instr(&intr->instr);
   if (key & TEGRA20_SAMPLES_FROM_ALPHA) {
      nir_def *position = nir_load_frag_coord(b);
      nir_def *threshold = build_threshold(b, build_half(b, position, 0),
                                           build_half(b, position, 1));
      nir_discard_if(b, nir_flt(b, nir_channel(b, color, alpha), threshold));
   }
   if (key & TEGRA20_SAMPLES_ALPHA_ONE)
      nir_src_rewrite(
         &intr->src[0],
         nir_vector_insert_imm(b, color, nir_imm_float(b, 1.0f), alpha));
   return true;
}

static nir_def *
build_masked(nir_builder *b, uint8_t masked, unsigned row, nir_def *column)
{
   return nir_bcsel(b, column, nir_imm_bool(b, masked >> (2 * row + 1) & 1),
                    nir_imm_bool(b, masked >> (2 * row) & 1));
}

static void
discard_masked(nir_shader *nir, uint8_t masked)
{
   nir_builder b =
      nir_builder_at(nir_before_impl(nir_shader_get_entrypoint(nir)));
   nir_def *position = nir_load_frag_coord(&b);
   nir_def *column = build_half(&b, position, 0);

   nir_discard_if(&b, nir_bcsel(&b, build_half(&b, position, 1),
                                build_masked(&b, masked, 1, column),
                                build_masked(&b, masked, 0, column)));
   nir_metadata_preserve(b.impl, nir_metadata_control_flow);
}

void
tegra20_nir_coverage(nir_shader *nir, uint8_t key)
{
   const uint8_t masked = key & TEGRA20_ALL_SAMPLES;

   if (key & (TEGRA20_SAMPLES_FROM_ALPHA | TEGRA20_SAMPLES_ALPHA_ONE))
      NIR_PASS(_, nir, nir_shader_intrinsics_pass, change_alpha,
               nir_metadata_control_flow, &key);
   if (masked)
      discard_masked(nir, masked);
   if (masked || key & TEGRA20_SAMPLES_FROM_ALPHA) {
      BITSET_SET(nir->info.system_values_read, SYSTEM_VALUE_FRAG_COORD);
      nir->info.fs.uses_discard = true;
   }
}

static bool
scale_position(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   if (intr->intrinsic != nir_intrinsic_load_frag_coord)
      return false;
   b->cursor = nir_after_instr(&intr->instr);
   nir_def *scaled =
      nir_fmul(b, &intr->def, nir_imm_vec4(b, 0.5f, 0.5f, 1.0f, 1.0f));
   nir_def_rewrite_uses_after(&intr->def, scaled, scaled->parent_instr);
   return true;
}

void
tegra20_nir_scale_position(nir_shader *nir)
{
   NIR_PASS(_, nir, nir_shader_intrinsics_pass, scale_position,
            nir_metadata_control_flow, NULL);
   tegra20_scale_derivatives(nir, SCALE);
}
