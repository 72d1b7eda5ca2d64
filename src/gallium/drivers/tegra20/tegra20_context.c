/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "tegra20_context.h"

#include <errno.h>
#include <string.h>

#include "util/u_blitter.h"
#include "util/u_framebuffer.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"

#include "tegra20_caps.h"
#include "tegra20_debug.h"
#include "tegra20_occlusion.h"
#include "tegra20_screen.h"
#include "tegra20_swtnl.h"
#include "tegra20_texture.h"

/* Reserved buffers of each context: those that the state tracker's uploader
 * and its immediate mode write to, and those that draws still read. */
#define NUM_STREAMS 4

void
tegra20_context_new_epoch(struct tegra20_context *ctx)
{
   p_atomic_set(&ctx->epoch, ctx->epoch + 1);
}

static void
new_batch(struct tegra20_context *ctx)
{
   const unsigned batch = p_atomic_inc_return(&ctx->screen->next_batch);

   p_atomic_set(&ctx->epoch, (uint64_t)batch << 32);
}

void
tegra20_context_see_shared(struct tegra20_context *ctx)
{
   for (unsigned i = 0; i < ctx->num_views; i++) {
      struct tegra20_sampler_view *view = ctx->views[i];

      if (view && tegra20_resource(view->base.texture)->shared)
         tegra20_resource_written(tegra20_resource(view->base.texture));
   }
}

void
tegra20_context_writes(struct tegra20_context *ctx,
                       struct tegra20_resource *res)
{
   p_atomic_set(&res->epoch, ctx->epoch);
   tegra20_resource_written(res);
}

bool
tegra20_context_others_write(const struct tegra20_context *ctx,
                             const struct tegra20_resource *res)
{
   const uint64_t batch = p_atomic_read(&res->epoch) >> 32;

   list_for_each_entry (struct tegra20_context, other, &ctx->screen->contexts,
                        node) {
      if (other != ctx && p_atomic_read(&other->epoch) >> 32 == batch)
         return true;
   }
   return false;
}

void
tegra20_context_submit(struct tegra20_context *ctx,
                       enum tegra20_engine engine)
{
   struct tegra20_job *job = ctx->jobs[engine];

   if (tegra20_job_empty(job))
      return;

   struct tegra20_fence *fence = NULL;
   const unsigned words = tegra20_job_words(job);
   tegra20_job_expect(job, ctx->cost.bound - ctx->cost.left);
   int ret = tegra20_job_submit(job, &fence);
   if (ret == 0) {
      tegra20_fence_unref(ctx->last_fence[engine]);
      ctx->last_fence[engine] = fence;
      ctx->stats.jobs++;
      ctx->stats.words += words;
      if (DBG(SYNC) && fence)
         tegra20_fence_wait(fence, ~0ull);
   } else {
      tegra20_msg_once("a %s job was lost: %s",
                       engine == TEGRA20_ENGINE_3D ? "3D" : "2D",
                       strerror(-ret));
   }

   new_batch(ctx);
   ctx->cost.left = ctx->cost.bound;
   ctx->replaced = 0;
   if (engine == TEGRA20_ENGINE_3D) {
      ctx->dirty |= TEGRA20_DIRTY_JOB | TEGRA20_DIRTY_TEXTURES;
      tegra20_context_see_shared(ctx);
   }
}

struct tegra20_job *
tegra20_context_job(struct tegra20_context *ctx, enum tegra20_engine engine)
{
   const enum tegra20_engine other =
      engine == TEGRA20_ENGINE_3D ? TEGRA20_ENGINE_2D : TEGRA20_ENGINE_3D;

   if (!tegra20_job_empty(ctx->jobs[other]))
      tegra20_context_submit(ctx, other);
   return ctx->jobs[engine];
}

void
tegra20_context_flush_bo(struct tegra20_context *ctx, struct tegra20_bo *bo,
                         unsigned access)
{
   /* The CPU may read buffers that engines read. */
   unsigned conflict =
      access & TEGRA20_WRITE ? TEGRA20_READ | TEGRA20_WRITE : TEGRA20_WRITE;

   for (unsigned e = 0; e < TEGRA20_NUM_ENGINES; e++) {
      if (tegra20_job_uses(ctx->jobs[e], bo, conflict))
         tegra20_context_submit(ctx, e);
   }
}

int
tegra20_context_sync_bo(struct tegra20_context *ctx, struct tegra20_bo *bo,
                        unsigned access)
{
   tegra20_context_flush_bo(ctx, bo, access);
   int ret = tegra20_bo_wait(
      bo, access & TEGRA20_WRITE ? TEGRA20_WRITE : TEGRA20_READ, ~0ull);
   if (ret < 0 && ret != -EIO)
      tegra20_msg_once("waiting for a buffer failed: %s", strerror(-ret));
   return ret;
}

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
   tegra20_downsample_fini(ctx);
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
   FREE(ctx);
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
   struct tegra20_context *ctx = CALLOC_STRUCT(tegra20_context);

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
   new_batch(ctx);
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
