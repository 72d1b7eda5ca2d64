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
 * wanted.
 *
 * A pixel can count to 127 (the conversions of store and fetch are inverse
 * only up to there), and stays there.  A primitive covers a pixel once, so a
 * surface serves at most 127 primitives, and then the next one takes over;
 * draws are cut accordingly (tegra20_pass.h).  Where all active queries only
 * ask whether a sample passed, one surface serves any number.
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
   struct pipe_resource *surface; /* NULL once added up */
   unsigned primitives;           /* drawn so far */
   uint64_t sum;
};

/* Of a context. */
struct tegra20_occlusion {
   struct util_dynarray active;     /* struct tegra20_samples * */
   struct tegra20_counter *counter; /* of the current draws, or NULL */
   struct tegra20_counter *closed;  /* of the draws before them */
   bool paused; /* pipe_context::set_active_query_state(): Mesa's internal
                   draws */
};

/* Of a query. */
struct tegra20_samples {
   struct util_dynarray counters; /* struct tegra20_counter *, not added up */
   uint64_t sum;                  /* of others */
   struct tegra20_counter *before; /* of a query without any: the last one
                                      before it */
   bool exact;                     /* otherwise: is it more than 0? */
};

/* Once for a context.  False when memory ran out. */
bool
tegra20_occlusion_init(struct tegra20_context *ctx);
void
tegra20_occlusion_fini(struct tegra20_context *ctx);

void
tegra20_samples_init(struct tegra20_samples *s, bool exact);
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

/* Does the next draw count? */
bool
tegra20_occlusion_counts(const struct tegra20_context *ctx);

/* Primitives that one draw may have while it counts. */
unsigned
tegra20_occlusion_max_primitives(const struct tegra20_context *ctx);

/* The surface for a draw of so many primitives, which belongs to the context.
 * May record 2D commands and wait for the engine.  NULL when memory ran
 * out. */
struct tegra20_counter *
tegra20_occlusion_counter(struct tegra20_context *ctx,
                          unsigned num_primitives);

#endif
