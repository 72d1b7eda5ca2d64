/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Jobs of a context (tegra20_context.h): what is recorded, submitted and
 * waited for.
 */

#include "tegra20_context.h"

#include <string.h>

#include "tegra20_cost.h"
#include "tegra20_debug.h"
#include "tegra20_resource.h"
#include "tegra20_screen.h"
#include "tegra20_texture.h"

void
tegra20_context_new_epoch(struct tegra20_context *ctx)
{
   p_atomic_set(&ctx->epoch, ctx->epoch + 1);
}

void
tegra20_context_new_batch(struct tegra20_context *ctx)
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
   tegra20_job_expect(job, ctx->cost->bound - ctx->cost->left);
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

   tegra20_context_new_batch(ctx);
   ctx->cost->left = ctx->cost->bound;
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
