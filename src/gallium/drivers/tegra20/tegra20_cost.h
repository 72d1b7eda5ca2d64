/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Estimated costs of commands for the engine.
 *
 * The kernel cancels a job that takes too long: after 10 s on mainline, after
 * 300 ms on the grate kernel.  The winsys has the number of cycles that a job
 * may be expected to take (struct tegra20_job_bound).  A job that has reached
 * them is submitted; a draw that is expected to take longer on its own is
 * cut: where its vertices take more than half of that, into draws of fewer
 * primitives; where its fragments do, into bands of its scissor rectangle,
 * each in a job of its own.
 *
 * A draw costs (A79, A136)
 *
 *    vertices * cycles of the vertex program
 *    + pixels of the scissor rectangle * layers * the larger of the cycles of
 *      the fragment program and those in which memory gives a fragment its
 *      bytes
 *
 * The CPU does not know the number of pixels that primitives cover;
 * TEGRA20_LAYERS is how often a draw is expected to cover its rectangle.
 * Meshes cover less; a draw of many primitives each of which fills the screen
 * covers more.  Bounding every draw by its number of primitives would make a
 * job of every few triangles.  So a context whose job was cancelled is
 * careful from then on: each primitive is taken to cover the rectangle as a
 * whole, draws are cut by primitives for that, too, and no job of it can be
 * too long again.  Only the number of iterations of a vertex program's loop
 * remains a guess, which each cancelled job raises.
 *
 * Not counted: textures that are drawn smaller than they are without levels,
 * of which a fragment takes more than a texel; jobs of other programs.
 */

#ifndef TEGRA20_COST_H
#define TEGRA20_COST_H

#include <stdbool.h>
#include <stdint.h>

struct tegra20_context;
struct tegra20_draw_call;
struct tegra20_fs;
struct tegra20_pass;

struct tegra20_cost {
   int64_t bound; /* of a job, in cycles */
   int64_t left;  /* of it, for the job that is recorded */
   /* With the state of the last draw: */
   int64_t area;   /* its fragments, as often as they are expected */
   int64_t layer;  /* each pixel once */
   int64_t vertex; /* one vertex */
   /* The estimate is not TEGRA20_LAYERS: because of full_draws, or because
    * the context is careful. */
   bool adjusted, careful;
   unsigned loop_iterations; /* of a loop in a vertex program */
   unsigned full_draws;
   uint64_t first_draw;   /* number of the first draw to the target, or of the
                             frame */
   unsigned max_vertices; /* that a simple plan draws at once; 0: careful */
};

/* How often a draw is expected to cover its rectangle: front and back of a
 * body, or a rectangle made of two triangles, which are counted apart. */
#define TEGRA20_LAYERS 2

void
tegra20_cost_init(struct tegra20_context *ctx);

/* Of a fragment, in cycles / TEGRA20_COST_UNIT: those of the program, or those
 * in which memory gives its bytes. */
unsigned
tegra20_cost_fragment(const struct tegra20_fs *fs, bool has_depth);
#define TEGRA20_COST_UNIT 16

/* Was a job cancelled?  To be called before the first draw of a job. */
void
tegra20_cost_look(struct tegra20_context *ctx);

/* The plan of the draws has other passes. */
void
tegra20_cost_plan(struct tegra20_context *ctx);

/* The state that the next draw is sent with has changed.  Rows of bands that
 * it has to be drawn in; 0: as a whole. */
unsigned
tegra20_cost_update(struct tegra20_context *ctx,
                    const struct tegra20_pass *pass,
                    const struct tegra20_draw_call *call);

/* Primitives that one draw may have. */
unsigned
tegra20_cost_max_primitives(const struct tegra20_context *ctx);

/* Does the draw exceed the remaining bound? */
bool
tegra20_cost_is_spent(struct tegra20_context *ctx,
                      const struct tegra20_draw_call *call);

/* GR2D writes so many pixels (A102, A136). */
void
tegra20_cost_2d(struct tegra20_context *ctx, unsigned pixels);

#endif
