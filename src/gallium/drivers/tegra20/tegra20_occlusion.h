/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Occlusion queries.  The chip has no sample counter (A32): the fragment
 * program counts.
 *
 * While a query is active, every draw renders to one more target, an A8
 * surface of the framebuffer's size, to whose pixels the program adds one.
 * Depth and stencil tests come before the program, so exactly the samples
 * that pass are counted.  The CPU adds the pixels up when the result is
 * wanted.  A pixel can count to 127 (the conversions of store and fetch are
 * inverse only up to there), therefore a surface serves at most 127 draws.
 */

#ifndef TEGRA20_OCCLUSION_H
#define TEGRA20_OCCLUSION_H

#include <stdbool.h>
#include <stdint.h>

#include "pipe/p_state.h"
#include "util/u_dynarray.h"

struct tegra20_context;
struct tegra20_resource;

/* One surface, shared by the queries that were active while it counted. */
struct tegra20_counter {
   struct pipe_reference reference;
   struct pipe_resource *surface; /* NULL once summed up */
   unsigned draws;
   uint64_t sum;
};

/* Of a context. */
struct tegra20_occlusion {
   struct util_dynarray active;     /* struct tegra20_samples * */
   struct tegra20_counter *counter; /* of the current draws, or NULL */
   bool paused;                     /* the driver's own draws */
   bool counting;                   /* the current draw counts */
};

/* Of a query. */
struct tegra20_samples {
   struct util_dynarray counters; /* struct tegra20_counter * */
};

void
tegra20_occlusion_init(struct tegra20_occlusion *o);
void
tegra20_occlusion_fini(struct tegra20_context *ctx);

void
tegra20_samples_init(struct tegra20_samples *s);
void
tegra20_samples_fini(struct tegra20_context *ctx, struct tegra20_samples *s);
void
tegra20_samples_begin(struct tegra20_context *ctx, struct tegra20_samples *s);
void
tegra20_samples_end(struct tegra20_context *ctx, struct tegra20_samples *s);

/* False when !wait and jobs are not done. */
bool
tegra20_samples_result(struct tegra20_context *ctx, struct tegra20_samples *s,
                       bool wait, uint64_t *result);

/* Before a draw: sets ctx->occlusion.counting and provides a surface.  May
 * record 2D commands. */
void
tegra20_occlusion_prepare(struct tegra20_context *ctx);

#endif
