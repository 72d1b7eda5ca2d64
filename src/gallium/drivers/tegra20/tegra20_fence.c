/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Fences: the last job of each engine.
 */

#include <unistd.h>

#include "util/libsync.h"
#include "util/os_time.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"

#include "tegra20_context.h"
#include "tegra20_cost.h"
#include "tegra20_improve.h"
#include "tegra20_resource.h"
#include "tegra20_screen.h"

struct pipe_fence_handle {
   struct pipe_reference reference;
   struct tegra20_fence
      *fences[TEGRA20_NUM_ENGINES]; /* NULL: nothing to wait for */
};

static void
fence_reference(struct pipe_screen *pscreen, struct pipe_fence_handle **ptr,
                struct pipe_fence_handle *fence)
{
   struct pipe_fence_handle *old = *ptr;

   if (pipe_reference(old ? &old->reference : NULL,
                      fence ? &fence->reference : NULL)) {
      for (unsigned e = 0; e < TEGRA20_NUM_ENGINES; e++)
         tegra20_fence_unref(old->fences[e]);
      FREE(old);
   }
   *ptr = fence;
}

static bool
fence_finish(struct pipe_screen *pscreen, struct pipe_context *pctx,
             struct pipe_fence_handle *fence, uint64_t timeout)
{
   int64_t deadline = os_time_get_absolute_timeout(timeout);

   for (unsigned e = 0; e < TEGRA20_NUM_ENGINES; e++) {
      uint64_t left = timeout;

      if (!fence->fences[e])
         continue;
      if (timeout && timeout != OS_TIMEOUT_INFINITE) {
         int64_t now = os_time_get_nano();
         left = now < deadline ? deadline - now : 0;
      }
      if (!tegra20_fence_wait(fence->fences[e], left))
         return false;
   }
   return true;
}

static int
fence_get_fd(struct pipe_screen *pscreen, struct pipe_fence_handle *fence)
{
   int result = -1;

   for (unsigned e = 0; e < TEGRA20_NUM_ENGINES; e++) {
      if (!fence->fences[e])
         continue;
      int fd = tegra20_fence_export_fd(fence->fences[e]);
      if (fd < 0)
         continue;
      sync_accumulate("tegra20", &result, fd);
      close(fd);
   }
   return result;
}

static struct pipe_fence_handle *
fence_new(void)
{
   struct pipe_fence_handle *fence = CALLOC_STRUCT(pipe_fence_handle);

   if (fence)
      pipe_reference_init(&fence->reference, 1);
   return fence;
}

static void
create_fence_fd(struct pipe_context *pctx, struct pipe_fence_handle **out,
                int fd, enum pipe_fd_type type)
{
   struct tegra20_context *ctx = tegra20_context(pctx);

   *out = NULL;
   if (type != PIPE_FD_TYPE_NATIVE_SYNC)
      return;
   struct tegra20_fence *imported =
      tegra20_fence_import_fd(ctx->screen->ws, fd);
   struct pipe_fence_handle *fence = imported ? fence_new() : NULL;
   if (!fence) {
      tegra20_fence_unref(imported);
      return;
   }
   fence->fences[TEGRA20_ENGINE_3D] = imported;
   *out = fence;
}

static void
fence_server_sync(struct pipe_context *pctx, struct pipe_fence_handle *fence)
{
   struct tegra20_context *ctx = tegra20_context(pctx);
   int fd = fence_get_fd(pctx->screen, fence);

   tegra20_context_see_shared(ctx);
   if (fd < 0)
      return;
   for (unsigned e = 0; e < TEGRA20_NUM_ENGINES; e++)
      tegra20_job_wait_fd(ctx->jobs[e], fd);
   close(fd);
}

static void
flush(struct pipe_context *pctx, struct pipe_fence_handle **out,
      unsigned flags)
{
   struct tegra20_context *ctx = tegra20_context(pctx);

   tegra20_finish_scratch(ctx, NULL);
   for (unsigned e = 0; e < TEGRA20_NUM_ENGINES; e++)
      tegra20_context_submit(ctx, e);
   tegra20_improve_finish(ctx);
   ctx->cost->first_draw = ctx->stats.draws;
   tegra20_context_see_shared(ctx);
   /* Window buffers may be shown, and their sources reused, as soon as this
    * returns.  Callers that ask for a native fence export that instead. */
   if (!(flags & (PIPE_FLUSH_DEFERRED | PIPE_FLUSH_FENCE_FD))) {
      for (unsigned e = 0; e < TEGRA20_NUM_ENGINES; e++)
         tegra20_job_finish_shared(ctx->jobs[e]);
   }
   if (!out)
      return;

   struct pipe_fence_handle *fence = fence_new();
   if (fence) {
      for (unsigned e = 0; e < TEGRA20_NUM_ENGINES; e++) {
         if (ctx->last_fence[e])
            fence->fences[e] = tegra20_fence_ref(ctx->last_fence[e]);
      }
   }
   fence_reference(pctx->screen, out, NULL);
   *out = fence;
}

void
tegra20_fence_init(struct tegra20_context *ctx)
{
   ctx->base.flush = flush;
   ctx->base.create_fence_fd = create_fence_fd;
   ctx->base.fence_server_sync = fence_server_sync;
}

void
tegra20_fence_screen_init(struct tegra20_screen *screen)
{
   screen->base.fence_reference = fence_reference;
   screen->base.fence_finish = fence_finish;
   screen->base.fence_get_fd = fence_get_fd;
}
