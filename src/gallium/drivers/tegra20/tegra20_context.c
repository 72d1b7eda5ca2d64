/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "tegra20_context.h"

#include <string.h>

#include "util/u_blitter.h"
#include "util/u_framebuffer.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"

#include "tegra20_blit_draw.h"
#include "tegra20_caps.h"
#include "tegra20_cost.h"
#include "tegra20_occlusion.h"
#include "tegra20_pass.h"
#include "tegra20_resource.h"
#include "tegra20_screen.h"
#include "tegra20_swtnl.h"
#include "tegra20_texture.h"

/* Reserved buffers of each context: those that the state tracker's uploader
 * and its immediate mode write to, and those that draws still read. */
#define NUM_STREAMS 4

static void
set_debug_callback(struct pipe_context *pctx,
                   const struct util_debug_callback *cb)
{
   struct tegra20_context *ctx = tegra20_context(pctx);

   if (cb)
      ctx->debug = *cb;
   else
      memset(&ctx->debug, 0, sizeof(ctx->debug));
}

static enum pipe_reset_status
get_device_reset_status(struct pipe_context *pctx)
{
   struct tegra20_context *ctx = tegra20_context(pctx);
   enum pipe_reset_status status = PIPE_NO_RESET;

   for (unsigned e = 0; e < TEGRA20_NUM_ENGINES; e++) {
      switch (tegra20_job_reset_status(ctx->jobs[e])) {
      case TEGRA20_RESET_GUILTY:
         status = PIPE_GUILTY_CONTEXT_RESET;
         break;
      case TEGRA20_RESET_INNOCENT:
         if (status == PIPE_NO_RESET)
            status = PIPE_INNOCENT_CONTEXT_RESET;
         break;
      case TEGRA20_RESET_UNKNOWN:
         if (status == PIPE_NO_RESET)
            status = PIPE_UNKNOWN_CONTEXT_RESET;
         break;
      default:
         break;
      }
   }
   return status;
}

static void
unbind_everything(struct tegra20_context *ctx)
{
   util_unreference_framebuffer_state(&ctx->framebuffer);
   for (unsigned i = 0; i < ARRAY_SIZE(ctx->vertex_buffers); i++)
      pipe_vertex_buffer_unreference(&ctx->vertex_buffers[i]);
   for (unsigned i = 0; i < ARRAY_SIZE(ctx->converted); i++)
      pipe_resource_reference(&ctx->converted[i], NULL);
   for (unsigned i = 0; i < ARRAY_SIZE(ctx->constants); i++)
      pipe_resource_reference(&ctx->constants[i].buffer, NULL);
   for (unsigned i = 0; i < ARRAY_SIZE(ctx->views); i++) {
      pipe_sampler_view_reference((struct pipe_sampler_view **)&ctx->views[i],
                                  NULL);
      tegra20_texture_changed(ctx, i);
   }
   tegra20_texture_fini(ctx);
   pipe_resource_reference(&ctx->zeros, NULL);
   pipe_resource_reference((struct pipe_resource **)&ctx->ramp, NULL);
   pipe_sampler_view_reference(&ctx->stipple_view, NULL);
   if (ctx->stipple_sampler)
      ctx->base.delete_sampler_state(&ctx->base, ctx->stipple_sampler);
}

static void
free_context(struct tegra20_context *ctx)
{
   FREE(ctx->textures);
   FREE(ctx->emitted);
   FREE(ctx->plan);
   FREE(ctx->cost);
   FREE(ctx);
}

/* With the states of features that its own header only declares; or NULL. */
static struct tegra20_context *
allocate_context(void)
{
   struct tegra20_context *ctx = CALLOC_STRUCT(tegra20_context);

   if (!ctx)
      return NULL;
   ctx->cost = CALLOC_STRUCT(tegra20_cost);
   ctx->plan = CALLOC_STRUCT(tegra20_plan);
   ctx->emitted = CALLOC_STRUCT(tegra20_pass);
   ctx->textures = CALLOC(TEGRA20_MAX_SAMPLERS, sizeof(*ctx->textures));
   if (ctx->cost && ctx->plan && ctx->emitted && ctx->textures)
      return ctx;
   free_context(ctx);
   return NULL;
}

static void
context_destroy(struct pipe_context *pctx)
{
   struct tegra20_context *ctx = tegra20_context(pctx);

   for (unsigned e = 0; e < TEGRA20_NUM_ENGINES; e++) {
      if (ctx->jobs[e])
         tegra20_context_submit(ctx, e);
   }
   if (ctx->blitter)
      util_blitter_destroy(ctx->blitter);
   tegra20_clear_fini(ctx);
   tegra20_blit_draw_fini(ctx);
   tegra20_multipass_fini(ctx);
   tegra20_swtnl_destroy(ctx);
   tegra20_occlusion_fini(ctx);
   unbind_everything(ctx);
   if (ctx->base.stream_uploader)
      u_upload_destroy(ctx->base.stream_uploader);
   if (ctx->has_streams)
      tegra20_give_back(ctx->screen->ws, NUM_STREAMS);
   for (unsigned e = 0; e < TEGRA20_NUM_ENGINES; e++) {
      tegra20_fence_unref(ctx->last_fence[e]);
      if (ctx->jobs[e])
         tegra20_job_destroy(ctx->jobs[e]);
   }
   slab_destroy_child(&ctx->transfer_pool);
   simple_mtx_lock(&ctx->screen->copies_mutex);
   list_del(&ctx->node);
   simple_mtx_unlock(&ctx->screen->copies_mutex);
   free_context(ctx);
}

/* A fetch sees the stores of all earlier fragments of its pixel (assumption
 * A56); textures need caps->texture_barrier. */
static void
framebuffer_fetch_barrier(struct pipe_context *pctx, unsigned flags)
{
}

struct pipe_context *
tegra20_context_create(struct pipe_screen *pscreen, void *priv,
                       unsigned flags)
{
   struct tegra20_screen *screen = tegra20_screen(pscreen);
   struct tegra20_context *ctx = allocate_context();

   if (!ctx)
      return NULL;

   ctx->screen = screen;
   ctx->base.screen = pscreen;
   ctx->base.priv = priv;
   ctx->base.destroy = context_destroy;
   ctx->base.texture_barrier = framebuffer_fetch_barrier;
   ctx->base.set_debug_callback = set_debug_callback;
   ctx->base.get_device_reset_status = get_device_reset_status;
   ctx->refused_streams = p_atomic_read(&screen->refused_streams);
   ctx->dirty = TEGRA20_DIRTY_ALL;
   ctx->prepared_mode = MESA_PRIM_COUNT;
   ctx->sample_mask = ~0;
   ctx->scale = 1;
   list_inithead(&ctx->improvements);
   tegra20_cost_init(ctx);
   slab_create_child(&ctx->transfer_pool, &screen->transfer_pool);
   tegra20_context_new_batch(ctx);
   simple_mtx_lock(&screen->copies_mutex);
   list_add(&ctx->node, &screen->contexts);
   simple_mtx_unlock(&screen->copies_mutex);

   tegra20_surface_context_init(ctx);
   tegra20_transfer_context_init(ctx);
   tegra20_state_init(ctx);
   tegra20_program_init(ctx);
   tegra20_draw_init(ctx);
   tegra20_clear_init(ctx);
   tegra20_blit_init(ctx);
   tegra20_query_init(ctx);
   tegra20_fence_init(ctx);

   if (!tegra20_occlusion_init(ctx) || !tegra20_multipass_init(ctx))
      goto fail;
   for (unsigned e = 0; e < TEGRA20_NUM_ENGINES; e++) {
      ctx->jobs[e] = tegra20_job_create(screen->ws, e);
      if (!ctx->jobs[e])
         goto fail;
   }
   ctx->base.stream_uploader =
      u_upload_create(&ctx->base, TEGRA20_STREAM_SIZE,
                      PIPE_BIND_VERTEX_BUFFER | PIPE_BIND_INDEX_BUFFER |
                         PIPE_BIND_CONSTANT_BUFFER,
                      PIPE_USAGE_STREAM, 0);
   ctx->has_streams = tegra20_set_aside(screen->ws, NUM_STREAMS);
   if (!ctx->base.stream_uploader || !ctx->has_streams)
      goto fail;
   ctx->base.const_uploader = ctx->base.stream_uploader;
   ctx->zeros = pipe_buffer_create(pscreen, PIPE_BIND_VERTEX_BUFFER,
                                   PIPE_USAGE_IMMUTABLE, 64);
   ctx->blitter = util_blitter_create(&ctx->base);
   if (!ctx->zeros || !ctx->blitter || !tegra20_texture_init(ctx))
      goto fail;

   static const float zeros[16];
   pipe_buffer_write(&ctx->base, ctx->zeros, 0, sizeof(zeros), zeros);
   return &ctx->base;

fail:
   context_destroy(&ctx->base);
   return NULL;
}
