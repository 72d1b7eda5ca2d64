/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Queries: samples (tegra20_occlusion.c), time, and counters of the driver
 * itself (for the HUD).
 *
 * The chip has no clock that commands could read.  A point in time is
 * therefore the CPU's, when everything before it is done: reading a timestamp
 * waits for the engines.
 */

#include "util/os_time.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"

#include "tegra20_context.h"
#include "tegra20_occlusion.h"
#include "tegra20_screen.h"

enum driver_query {
   QUERY_DRAWS,
   QUERY_JOBS,
   QUERY_WORDS,
   QUERY_VARIANTS,
   QUERY_CACHED_VARIANTS,
   QUERY_IMPROVED_VARIANTS,
   QUERY_BARRIERS,
   QUERY_CPU_BLITS,
   QUERY_CONVERSIONS,
   QUERY_BUFFER_BYTES,
   NUM_DRIVER_QUERIES,
};

static const struct {
   const char *name;
   enum pipe_driver_query_type type;
   bool absolute; /* a state, not something that accumulates */
} driver_queries[NUM_DRIVER_QUERIES] = {
   [QUERY_DRAWS] = { "draws", PIPE_DRIVER_QUERY_TYPE_UINT64, false },
   [QUERY_JOBS] = { "jobs", PIPE_DRIVER_QUERY_TYPE_UINT64, false },
   [QUERY_WORDS] = { "words", PIPE_DRIVER_QUERY_TYPE_UINT64, false },
   [QUERY_CACHED_VARIANTS] = { "cached-shader-variants",
                               PIPE_DRIVER_QUERY_TYPE_UINT64, false },
   [QUERY_IMPROVED_VARIANTS] = { "improved-shader-variants",
                                 PIPE_DRIVER_QUERY_TYPE_UINT64, false },
   [QUERY_VARIANTS] = { "shader-variants", PIPE_DRIVER_QUERY_TYPE_UINT64,
                        false },
   [QUERY_BARRIERS] = { "barriers", PIPE_DRIVER_QUERY_TYPE_UINT64, false },
   [QUERY_CPU_BLITS] = { "cpu-blits", PIPE_DRIVER_QUERY_TYPE_UINT64, false },
   [QUERY_CONVERSIONS] = { "target-conversions",
                           PIPE_DRIVER_QUERY_TYPE_UINT64, false },
   [QUERY_BUFFER_BYTES] = { "buffer-memory", PIPE_DRIVER_QUERY_TYPE_BYTES,
                            true },
};

struct tegra20_query {
   unsigned type;
   uint64_t begin, end;
   struct tegra20_samples samples; /* occlusion queries */
};

static bool
counts_samples(const struct tegra20_query *q)
{
   return q->type == PIPE_QUERY_OCCLUSION_COUNTER ||
          q->type == PIPE_QUERY_OCCLUSION_PREDICATE ||
          q->type == PIPE_QUERY_OCCLUSION_PREDICATE_CONSERVATIVE;
}

static uint64_t
driver_value(const struct tegra20_context *ctx, unsigned which)
{
   struct tegra20_winsys_stats ws;

   switch (which) {
   case QUERY_DRAWS:
      return ctx->stats.draws;
   case QUERY_JOBS:
      return ctx->stats.jobs;
   case QUERY_WORDS:
      return ctx->stats.words;
   case QUERY_CACHED_VARIANTS:
      return ctx->stats.cached;
   case QUERY_IMPROVED_VARIANTS:
      return ctx->stats.improved;
   case QUERY_VARIANTS:
      return ctx->stats.variants;
   case QUERY_BARRIERS:
      return ctx->stats.barriers;
   case QUERY_CPU_BLITS:
      return ctx->stats.cpu_blits;
   case QUERY_CONVERSIONS:
      return ctx->stats.conversions;
   case QUERY_BUFFER_BYTES:
      tegra20_winsys_get_stats(ctx->screen->ws, &ws);
      return ws.bytes_allocated;
   default:
      return 0;
   }
}

static struct pipe_query *
create_query(struct pipe_context *pctx, unsigned type, unsigned index)
{
   struct tegra20_query *q = CALLOC_STRUCT(tegra20_query);

   if (!q)
      return NULL;
   q->type = type;
   tegra20_samples_init(&q->samples, type == PIPE_QUERY_OCCLUSION_COUNTER);
   return (struct pipe_query *)q;
}

static void
destroy_query(struct pipe_context *pctx, struct pipe_query *query)
{
   struct tegra20_query *q = (struct tegra20_query *)query;

   tegra20_samples_fini(tegra20_context(pctx), &q->samples);
   FREE(q);
}

static uint64_t
time_when_done(struct tegra20_context *ctx)
{
   for (unsigned e = 0; e < TEGRA20_NUM_ENGINES; e++)
      tegra20_context_submit(ctx, e);
   for (unsigned e = 0; e < TEGRA20_NUM_ENGINES; e++) {
      if (ctx->last_fence[e])
         tegra20_fence_wait(ctx->last_fence[e], ~0ull);
   }
   return os_time_get_nano();
}

static uint64_t
current_value(struct tegra20_context *ctx, const struct tegra20_query *q)
{
   if (q->type == PIPE_QUERY_TIME_ELAPSED)
      return time_when_done(ctx);
   return q->type >= PIPE_QUERY_DRIVER_SPECIFIC
             ? driver_value(ctx, q->type - PIPE_QUERY_DRIVER_SPECIFIC)
             : 0;
}

static bool
begin_query(struct pipe_context *pctx, struct pipe_query *query)
{
   struct tegra20_query *q = (struct tegra20_query *)query;

   q->begin = current_value(tegra20_context(pctx), q);
   if (counts_samples(q))
      tegra20_samples_begin(tegra20_context(pctx), &q->samples);
   return true;
}

static bool
end_query(struct pipe_context *pctx, struct pipe_query *query)
{
   struct tegra20_context *ctx = tegra20_context(pctx);
   struct tegra20_query *q = (struct tegra20_query *)query;

   if (counts_samples(q))
      tegra20_samples_end(ctx, &q->samples);
   q->end = current_value(ctx, q);
   return true;
}

static bool
get_query_result(struct pipe_context *pctx, struct pipe_query *query,
                 bool wait, union pipe_query_result *result)
{
   struct tegra20_query *q = (struct tegra20_query *)query;

   if (counts_samples(q)) {
      uint64_t samples;

      if (!tegra20_samples_result(tegra20_context(pctx), &q->samples, wait,
                                  &samples))
         return false;
      if (q->type == PIPE_QUERY_OCCLUSION_COUNTER)
         result->u64 = samples;
      else
         result->b = samples != 0;
      return true;
   }

   const bool absolute =
      q->type >= PIPE_QUERY_DRIVER_SPECIFIC &&
      driver_queries[q->type - PIPE_QUERY_DRIVER_SPECIFIC].absolute;
   result->u64 = absolute ? q->end : q->end - q->begin;
   return true;
}

static void
set_active_query_state(struct pipe_context *pctx, bool enable)
{
   struct tegra20_context *ctx = tegra20_context(pctx);

   ctx->occlusion->paused = !enable;
   ctx->prepared_mode = MESA_PRIM_COUNT;
}

static void
render_condition(struct pipe_context *pctx, struct pipe_query *query,
                 bool condition, enum pipe_render_cond_flag mode)
{
   struct tegra20_context *ctx = tegra20_context(pctx);

   ctx->condition = query;
   ctx->condition_value = condition;
   ctx->condition_mode = mode;
}

bool
tegra20_context_condition(struct tegra20_context *ctx)
{
   if (!ctx->condition)
      return true;

   union pipe_query_result result = { 0 };
   bool wait = ctx->condition_mode != PIPE_RENDER_COND_NO_WAIT &&
               ctx->condition_mode != PIPE_RENDER_COND_BY_REGION_NO_WAIT;

   if (!ctx->base.get_query_result(&ctx->base, ctx->condition, wait, &result))
      return true;
   return (result.u64 != 0) != ctx->condition_value;
}

static int
get_driver_query_info(struct pipe_screen *pscreen, unsigned index,
                      struct pipe_driver_query_info *info)
{
   if (!info)
      return NUM_DRIVER_QUERIES;
   if (index >= NUM_DRIVER_QUERIES)
      return 0;
   *info = (struct pipe_driver_query_info){
      .name = driver_queries[index].name,
      .query_type = PIPE_QUERY_DRIVER_SPECIFIC + index,
      .type = driver_queries[index].type,
      .result_type = driver_queries[index].absolute
                        ? PIPE_DRIVER_QUERY_RESULT_TYPE_AVERAGE
                        : PIPE_DRIVER_QUERY_RESULT_TYPE_CUMULATIVE,
   };
   return 1;
}

/* One group, so that GL_AMD_performance_monitor has them too. */
static int
get_driver_query_group_info(struct pipe_screen *pscreen, unsigned index,
                            struct pipe_driver_query_group_info *info)
{
   if (!info)
      return 1;
   if (index > 0)
      return 0;
   *info = (struct pipe_driver_query_group_info){
      .name = "driver",
      .max_active_queries = NUM_DRIVER_QUERIES,
      .num_queries = NUM_DRIVER_QUERIES,
   };
   return 1;
}

void
tegra20_query_init(struct tegra20_context *ctx)
{
   ctx->base.create_query = create_query;
   ctx->base.destroy_query = destroy_query;
   ctx->base.begin_query = begin_query;
   ctx->base.end_query = end_query;
   ctx->base.get_query_result = get_query_result;
   ctx->base.set_active_query_state = set_active_query_state;
   ctx->base.render_condition = render_condition;
}

void
tegra20_query_screen_init(struct tegra20_screen *screen)
{
   screen->base.get_driver_query_info = get_driver_query_info;
   screen->base.get_driver_query_group_info = get_driver_query_group_info;
}
