/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "tegra20_improve.h"

#include "compiler/nir/nir.h"
#include "util/list.h"
#include "util/ralloc.h"
#include "util/u_queue.h"

#include "tegra20_cache.h"
#include "tegra20_context.h"
#include "tegra20_debug.h"
#include "tegra20_screen.h"
#include "tegra20_variant.h"

#define MAX_SEARCHES 64 /* that wait, before the queue grows */

/*
 * The search for one program.  A ralloc child of the variant, so that it ends
 * when the variant is freed.  The thread has memory of its own, because
 * ralloc knows nothing of threads.
 */
struct tegra20_improvement {
   struct tegra20_fs_variant *variant;
   struct tegra20_screen *screen;
   struct list_head node; /* of the context */
   struct util_queue_fence done;
   bool cancelled;

   /* the thread's, until it is done */
   void *memory;
   nir_shader *nir;
   struct tegra20_fs_key key;
   struct tegra20_compiler_options options;
   struct tegra20_fs *program; /* NULL: nothing was found */
};

/* --- the thread --- */

static void
search(void *job, void *screen, int thread)
{
   struct tegra20_improvement *x = job;
   char *reason;

   if (!tegra20_compile_fs_key(x->memory, x->nir, &x->key, &x->options,
                               &x->program, &reason))
      x->program = NULL;
}

/* Programs that are drawn once or twice need no thread. */
static bool
start_thread(struct tegra20_screen *screen)
{
   simple_mtx_lock(&screen->improver_mutex);
   if (!util_queue_is_initialized(&screen->improver))
      util_queue_init(
         &screen->improver, "tegra20:best", MAX_SEARCHES, 1,
         UTIL_QUEUE_INIT_RESIZE_IF_FULL |
            (DBG(SYNC) ? 0 : UTIL_QUEUE_INIT_USE_MINIMUM_PRIORITY),
         screen);
   const bool ok = util_queue_is_initialized(&screen->improver);
   simple_mtx_unlock(&screen->improver_mutex);
   return ok;
}

void
tegra20_improve_screen_fini(struct tegra20_screen *screen)
{
   if (util_queue_is_initialized(&screen->improver))
      util_queue_destroy(&screen->improver);
}

/* --- the context --- */

bool
tegra20_improve_begins_with_drafts(void)
{
   return !DBG(BEST) && !DBG(SHADERDB);
}

/* Of the variant's memory: the thread must not be in it any more. */
static void
end_search(void *improvement)
{
   struct tegra20_improvement *x = improvement;

   p_atomic_set(&x->cancelled, true);
   util_queue_drop_job(&x->screen->improver, &x->done);
   util_queue_fence_destroy(&x->done);
   list_del(&x->node);
   ralloc_free(x->memory);
}

static void
begin_search(struct tegra20_context *ctx, struct tegra20_fs_variant *v)
{
   if (!start_thread(ctx->screen))
      return;

   struct tegra20_improvement *x = rzalloc(v, struct tegra20_improvement);
   x->variant = v;
   x->screen = ctx->screen;
   x->memory = ralloc_context(NULL);
   x->nir = nir_shader_clone(x->memory, v->shader->nir);
   x->key = v->key;
   x->options = ctx->screen->compiler;
   x->options.accurate = !v->program;
   x->options.cancelled = &x->cancelled;
   util_queue_fence_init(&x->done);
   list_addtail(&x->node, &ctx->improvements);
   ralloc_set_destructor(x, end_search);
   util_queue_add_job(&ctx->screen->improver, x, &x->done, search, NULL, 0);
}

void
tegra20_improve_note_draft(struct tegra20_context *ctx,
                           struct tegra20_fs_variant *v)
{
   if (v->draft_job == ctx->stats.jobs + 1)
      return;
   v->draft_job = ctx->stats.jobs + 1;
   if (++v->num_draft_jobs != TEGRA20_DRAFT_JOBS)
      return;
   begin_search(ctx, v);
   struct tegra20_fs_variant *whole = v->shader->part_of;
   if (whole && whole->hasty) {
      whole->hasty = false;
      begin_search(ctx, whole);
   }
}

void
tegra20_improve_finish(struct tegra20_context *ctx)
{
   list_for_each_entry_safe (struct tegra20_improvement, x,
                             &ctx->improvements, node) {
      if (DBG(SYNC))
         util_queue_fence_wait(&x->done);
      else if (!util_queue_fence_is_signalled(&x->done))
         continue;
      if (x->program)
         tegra20_exchange_fs(ctx, x->variant, x->program);
      ralloc_free(x);
   }
}
