/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "tegra20_occlusion.h"

#include "util/u_inlines.h"
#include "util/u_memory.h"

#include "tegra20_context.h"
#include "tegra20_debug.h"
#include "tegra20_gr2d.h"
#include "tegra20_pass.h"
#include "tegra20_scratch.h"
#include "tegra20_screen.h"

/* Largest count of a pixel. */
#define MAX_COUNT 127

/* Surfaces of one query that wait to be added up. */
#define MAX_SURFACES 16

static void
tegra20_counter_unref(struct tegra20_counter *c)
{
   if (c && pipe_reference(&c->reference, NULL)) {
      pipe_resource_reference(&c->surface, NULL);
      FREE(c);
   }
}

bool
tegra20_occlusion_init(struct tegra20_context *ctx)
{
   ctx->occlusion = CALLOC_STRUCT(tegra20_occlusion);
   if (ctx->occlusion)
      util_dynarray_init(&ctx->occlusion->active, NULL);
   return ctx->occlusion;
}

void
tegra20_occlusion_fini(struct tegra20_context *ctx)
{
   if (!ctx->occlusion)
      return;
   tegra20_counter_unref(ctx->occlusion->counter);
   tegra20_counter_unref(ctx->occlusion->closed);
   util_dynarray_fini(&ctx->occlusion->active);
   FREE(ctx->occlusion);
}

void
tegra20_samples_init(struct tegra20_samples *s, bool exact)
{
   util_dynarray_init(&s->counters, NULL);
   s->exact = exact;
}

static void
tegra20_samples_reset(struct tegra20_samples *s)
{
   util_dynarray_foreach (&s->counters, struct tegra20_counter *, c)
      tegra20_counter_unref(*c);
   util_dynarray_clear(&s->counters);
   tegra20_counter_unref(s->before);
   s->before = NULL;
   s->sum = 0;
}

static void
tegra20_samples_deactivate(struct tegra20_context *ctx,
                           struct tegra20_samples *s)
{
   util_dynarray_delete_unordered(&ctx->occlusion->active,
                                  struct tegra20_samples *, s);
}

void
tegra20_samples_fini(struct tegra20_context *ctx, struct tegra20_samples *s)
{
   tegra20_samples_deactivate(ctx, s);
   tegra20_samples_reset(s);
   util_dynarray_fini(&s->counters);
}

static bool
tegra20_counter_add_up(struct tegra20_context *ctx, struct tegra20_counter *c,
                       bool wait)
{
   if (!c->surface)
      return true;

   struct pipe_resource *res = c->surface;
   struct pipe_transfer *transfer;
   unsigned usage = PIPE_MAP_READ | (wait ? 0 : PIPE_MAP_DONTBLOCK);

   tegra20_context_flush_bo(ctx, tegra20_resource(res)->bo, TEGRA20_READ);
   const uint8_t *map =
      pipe_texture_map(&ctx->base, res, 0, 0, usage, 0, 0, res->width0,
                       res->height0, &transfer);
   if (!map)
      return false;
   for (unsigned y = 0; y < res->height0; y++) {
      for (unsigned x = 0; x < res->width0; x++)
         c->sum += map[y * transfer->stride + x];
   }
   pipe_texture_unmap(&ctx->base, transfer);
   pipe_resource_reference(&c->surface, NULL);
   return true;
}

/* Adds up the surfaces of a query, from the first on; false when !wait and
 * the engine is not done with one.  Counts of lost jobs are missing. */
static bool
tegra20_samples_add_up(struct tegra20_context *ctx, struct tegra20_samples *s,
                       bool wait)
{
   while (
      util_dynarray_num_elements(&s->counters, struct tegra20_counter *)) {
      struct tegra20_counter **last =
         util_dynarray_top_ptr(&s->counters, struct tegra20_counter *);

      if (!tegra20_counter_add_up(ctx, *last, wait) && !wait)
         return false;
      s->sum += (*last)->sum;
      tegra20_counter_unref(*last);
      (void)util_dynarray_pop(&s->counters, struct tegra20_counter *);
   }
   return true;
}

/* Hands the current surface to the queries that were active with it. */
static void
tegra20_occlusion_close(struct tegra20_context *ctx)
{
   struct tegra20_counter *c = ctx->occlusion->counter;

   ctx->occlusion->counter = NULL;
   if (!c)
      return;
   util_dynarray_foreach (&ctx->occlusion->active, struct tegra20_samples *,
                          s) {
      struct util_dynarray *counters = &(*s)->counters;

      pipe_reference(NULL, &c->reference);
      util_dynarray_append(counters, struct tegra20_counter *, c);
      if (util_dynarray_num_elements(counters, struct tegra20_counter *) >=
          MAX_SURFACES)
         tegra20_samples_add_up(ctx, *s, true);
   }
   tegra20_counter_unref(ctx->occlusion->closed);
   ctx->occlusion->closed = c;
}

void
tegra20_samples_begin(struct tegra20_context *ctx, struct tegra20_samples *s)
{
   tegra20_occlusion_close(ctx);
   tegra20_samples_deactivate(ctx, s);
   tegra20_samples_reset(s);
   util_dynarray_append(&ctx->occlusion->active, struct tegra20_samples *, s);
   ctx->prepared_mode = MESA_PRIM_COUNT;
}

void
tegra20_samples_end(struct tegra20_context *ctx, struct tegra20_samples *s)
{
   tegra20_occlusion_close(ctx);
   tegra20_samples_deactivate(ctx, s);
   if (s->counters.size == 0 && !s->before && ctx->occlusion->closed) {
      s->before = ctx->occlusion->closed;
      pipe_reference(NULL, &s->before->reference);
   }
}

/* Results become available in the order of the queries: one that counted
 * nothing waits for earlier ones. */
bool
tegra20_samples_result(struct tegra20_context *ctx, struct tegra20_samples *s,
                       bool wait, uint64_t *result)
{
   if (s->before && !tegra20_counter_add_up(ctx, s->before, wait) && !wait)
      return false;
   if (!tegra20_samples_add_up(ctx, s, wait))
      return false;
   *result = s->sum;
   return true;
}

bool
tegra20_occlusion_counts(const struct tegra20_context *ctx)
{
   return !ctx->occlusion->paused && ctx->occlusion->active.size;
}

unsigned
tegra20_occlusion_max_primitives(const struct tegra20_context *ctx)
{
   util_dynarray_foreach (&ctx->occlusion->active, struct tegra20_samples *,
                          s) {
      if ((*s)->exact)
         return MAX_COUNT;
   }
   return TEGRA20_MAX_DRAW_VERTICES;
}

static struct tegra20_counter *
tegra20_counter_create(struct tegra20_context *ctx)
{
   struct tegra20_counter *c = CALLOC_STRUCT(tegra20_counter);

   if (!c)
      return NULL;
   pipe_reference_init(&c->reference, 1);
   c->surface = tegra20_scratch_create(ctx->base.screen, PIPE_FORMAT_A8_UNORM,
                                       tegra20_target_width(ctx),
                                       tegra20_target_height(ctx));
   /* it may have the address of an earlier one */
   ctx->dirty |= TEGRA20_DIRTY_FRAMEBUFFER;
   if (c->surface) {
      const struct tegra20_gr2d_surface dst =
         tegra20_gr2d_level(tegra20_resource(c->surface), 0);
      if (tegra20_gr2d_fill(ctx, &dst, 1, 0, 0, c->surface->width0,
                            c->surface->height0, 0))
         return c;
   }
   tegra20_counter_unref(c);
   return NULL;
}

struct tegra20_counter *
tegra20_occlusion_counter(struct tegra20_context *ctx,
                          unsigned num_primitives)
{
   struct tegra20_occlusion *o = ctx->occlusion;
   struct tegra20_counter *c = o->counter;

   if (c && (c->primitives + num_primitives >
                tegra20_occlusion_max_primitives(ctx) ||
             c->surface->width0 < tegra20_target_width(ctx) ||
             c->surface->height0 < tegra20_target_height(ctx)))
      tegra20_occlusion_close(ctx);
   if (!o->counter)
      o->counter = tegra20_counter_create(ctx);
   if (!o->counter) {
      tegra20_msg_once("out of memory: draws in occlusion queries are "
                       "dropped");
      return NULL;
   }
   if (tegra20_occlusion_max_primitives(ctx) == MAX_COUNT)
      o->counter->primitives += num_primitives;
   return o->counter;
}
