/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "tegra20_occlusion.h"

#include "util/u_inlines.h"
#include "util/u_memory.h"

#include "tegra20_context.h"
#include "tegra20_debug.h"
#include "tegra20_screen.h"

#define MAX_COUNT 127

static void
counter_unref(struct tegra20_counter *c)
{
   if (c && pipe_reference(&c->reference, NULL)) {
      pipe_resource_reference(&c->surface, NULL);
      FREE(c);
   }
}

void
tegra20_occlusion_init(struct tegra20_occlusion *o)
{
   util_dynarray_init(&o->active, NULL);
}

void
tegra20_occlusion_fini(struct tegra20_context *ctx)
{
   counter_unref(ctx->occlusion.counter);
   util_dynarray_fini(&ctx->occlusion.active);
}

void
tegra20_samples_init(struct tegra20_samples *s)
{
   util_dynarray_init(&s->counters, NULL);
}

static void
samples_reset(struct tegra20_samples *s)
{
   util_dynarray_foreach (&s->counters, struct tegra20_counter *, c)
      counter_unref(*c);
   util_dynarray_clear(&s->counters);
}

void
tegra20_samples_fini(struct tegra20_context *ctx, struct tegra20_samples *s)
{
   util_dynarray_delete_unordered(&ctx->occlusion.active,
                                  struct tegra20_samples *, s);
   samples_reset(s);
   util_dynarray_fini(&s->counters);
}

/* Hands the current surface to the queries that were active with it. */
static void
close_counter(struct tegra20_context *ctx)
{
   struct tegra20_counter *c = ctx->occlusion.counter;

   ctx->occlusion.counter = NULL;
   if (!c)
      return;
   if (c->draws) {
      util_dynarray_foreach (&ctx->occlusion.active, struct tegra20_samples *,
                             s) {
         pipe_reference(NULL, &c->reference);
         util_dynarray_append(&(*s)->counters, struct tegra20_counter *, c);
      }
   }
   counter_unref(c);
}

void
tegra20_samples_begin(struct tegra20_context *ctx, struct tegra20_samples *s)
{
   close_counter(ctx);
   samples_reset(s);
   util_dynarray_append(&ctx->occlusion.active, struct tegra20_samples *, s);
}

void
tegra20_samples_end(struct tegra20_context *ctx, struct tegra20_samples *s)
{
   close_counter(ctx);
   util_dynarray_delete_unordered(&ctx->occlusion.active,
                                  struct tegra20_samples *, s);
}

static bool
sum_up(struct tegra20_context *ctx, struct tegra20_counter *c, bool wait)
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

bool
tegra20_samples_result(struct tegra20_context *ctx, struct tegra20_samples *s,
                       bool wait, uint64_t *result)
{
   *result = 0;
   util_dynarray_foreach (&s->counters, struct tegra20_counter *, c) {
      if (!sum_up(ctx, *c, wait) && !wait)
         return false;
      *result += (*c)->sum;
   }
   return true;
}

static struct tegra20_counter *
create_counter(struct tegra20_context *ctx)
{
   const struct pipe_resource templ = {
      .target = PIPE_TEXTURE_2D,
      .format = PIPE_FORMAT_A8_UNORM,
      .width0 = ctx->framebuffer.width,
      .height0 = ctx->framebuffer.height,
      .depth0 = 1,
      .array_size = 1,
      .bind = PIPE_BIND_RENDER_TARGET |
              PIPE_BIND_DISPLAY_TARGET, /* with a pitch fit for rendering */
   };
   struct tegra20_counter *c = CALLOC_STRUCT(tegra20_counter);

   if (!c)
      return NULL;
   pipe_reference_init(&c->reference, 1);
   c->surface = ctx->screen->base.resource_create(&ctx->screen->base, &templ);
   if (c->surface) {
      const struct tegra20_gr2d_surface dst =
         tegra20_gr2d_level(tegra20_resource(c->surface), 0);
      if (tegra20_gr2d_fill(ctx, &dst, 1, 0, 0, templ.width0, templ.height0,
                            0))
         return c;
   }
   counter_unref(c);
   return NULL;
}

void
tegra20_occlusion_prepare(struct tegra20_context *ctx)
{
   struct tegra20_occlusion *o = &ctx->occlusion;
   bool counting = !o->paused && util_dynarray_num_elements(
                                    &o->active, struct tegra20_samples *) > 0;

   if (counting) {
      struct tegra20_counter *c = o->counter;

      if (c && (c->draws >= MAX_COUNT ||
                c->surface->width0 < ctx->framebuffer.width ||
                c->surface->height0 < ctx->framebuffer.height)) {
         close_counter(ctx);
         c = NULL;
      }
      if (!c)
         c = o->counter = create_counter(ctx);
      if (c)
         c->draws++;
      else
         tegra20_msg_once(
            "out of memory: occlusion queries count too little");
      counting = c;
      ctx->dirty |=
         TEGRA20_DIRTY_FRAMEBUFFER; /* the surface may be another one */
   }
   o->counting = counting;
}
