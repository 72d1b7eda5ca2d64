/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "tegra20_cost.h"

#include "util/bitscan.h"
#include "util/u_math.h"
#include "util/u_prim.h"

#include "tegra20_context.h"
#include "tegra20_program.h"
#include "tegra20_screen.h"
#include "tegra20/tegra20_hw.h"

/* Least cycles of a vertex (A79). */
#define LEAST_VERTEX_CYCLES 10
/* Expected iterations of a loop of a vertex program: at first, with each
 * cancelled job so many times as often, and at most. */
#define LOOP_ITERATIONS 32
#define MAX_LOOP_ITERATIONS \
   (LOOP_ITERATIONS * LOOP_ITERATIONS * LOOP_ITERATIONS)
/* Share of TEGRA20_LAYERS for a late draw to a target. */
#define LEAST_SHARE_LOG2 2
/* Bands begin and end at multiples of so many rows, so that no group of
 * pixels that the engine works on together is cut. */
#define BAND_ROWS 16
/* More than any job may take: each draw of a careful context is looked at. */
#define NOT_ESTIMATED (INT64_MAX / 4)
/* Cycles of a pixel that GR2D writes (A102): a copy moves eight bytes. */
#define CYCLES_OF_2D_PIXEL 2
/* Bytes of a lookup, of a pixel that a fragment stores or fetches, and of its
 * depth, read and written (A136). */
#define BYTES_OF_ACCESS 4
#define MHZ 300 /* A101 */

void
tegra20_cost_init(struct tegra20_context *ctx)
{
   const struct tegra20_job_bound *bound =
      tegra20_winsys_job_bound(ctx->screen->ws);

   ctx->cost->bound = ctx->cost->left =
      MIN2(bound->cycles, NOT_ESTIMATED / 4);
   ctx->cost->full_draws = bound->full_draws;
   ctx->cost->adjusted = bound->full_draws != 0;
   ctx->cost->loop_iterations = LOOP_ITERATIONS;
   ctx->cost->max_vertices = TEGRA20_MAX_DRAW_VERTICES;
}

/* Cycles of one vertex. */
static int64_t
vertex_cycles(const struct tegra20_context *ctx,
              const struct tegra20_pass *pass)
{
   const struct tegra20_vs_stats *vs = &pass->vs_variant->program->stats;

   return MAX2((int64_t)vs->cycles, LEAST_VERTEX_CYCLES) *
          (vs->loops ? ctx->cost->loop_iterations : 1);
}

unsigned
tegra20_cost_fragment(const struct tegra20_fs *fs, bool has_depth)
{
   const unsigned accesses = fs->stats.tex + util_bitcount(fs->rts_stored) +
                             util_bitcount(fs->rts_fetched) + has_depth;
   const unsigned mb_per_s =
      TEGRA20_HW_IS(MEMORY_BANDWIDTH, 2200) ? 2200 : 1100;

   return MAX2(fs->stats.cycles * TEGRA20_COST_UNIT,
               accesses * BYTES_OF_ACCESS * MHZ * TEGRA20_COST_UNIT /
                  mb_per_s);
}

/* Cycles of so many fragments. */
static int64_t
pixel_cycles(const struct tegra20_pass *pass, int64_t pixels)
{
   return pixels * pass->fs_variant->cost[pass->zsbuf != NULL] /
          TEGRA20_COST_UNIT;
}

/* Vertices that a draw may have: they get half of the bound. */
static unsigned
max_vertices(const struct tegra20_context *ctx)
{
   int64_t most = LEAST_VERTEX_CYCLES;

   for (unsigned i = 0; i < ctx->plan->num_passes; i++)
      most = MAX2(most, vertex_cycles(ctx, &ctx->plan->passes[i]));
   return CLAMP(ctx->cost->bound / 2 / most, 1, TEGRA20_MAX_DRAW_VERTICES);
}

void
tegra20_cost_plan(struct tegra20_context *ctx)
{
   if (!ctx->cost->careful)
      ctx->cost->max_vertices = max_vertices(ctx);
}

void
tegra20_cost_look(struct tegra20_context *ctx)
{
   if (tegra20_job_overran(ctx->jobs[TEGRA20_ENGINE_3D])) {
      ctx->cost->loop_iterations = MIN2(
         ctx->cost->loop_iterations * LOOP_ITERATIONS, MAX_LOOP_ITERATIONS);
      ctx->cost->max_vertices = 0;
      ctx->cost->careful = ctx->cost->adjusted = true;
   }
}

/* The share of a draw in the pixels that the draws to its target cover.  At
 * least half of a layer, so that a frame of full layers stays within the
 * bound. */
static unsigned
share_log2(const struct tegra20_context *ctx)
{
   const unsigned full = ctx->cost->full_draws;
   const uint64_t number = ctx->stats.draws - ctx->cost->first_draw;

   return full && number >= full
             ? MIN2(util_logbase2_64(number / full), LEAST_SHARE_LOG2)
             : 0;
}

/* Cycles of the fragments of a draw. */
static int64_t
fragment_cycles(const struct tegra20_context *ctx,
                const struct tegra20_draw_call *call)
{
   if (!ctx->cost->careful)
      return ctx->cost->area;
   return ctx->cost->layer *
          u_decomposed_prims_for_vertices(call->mode, call->count);
}

static unsigned
band_rows(const struct tegra20_context *ctx,
          const struct tegra20_draw_call *call)
{
   const struct pipe_scissor_state *area = &ctx->draw_area;
   const int64_t height = area->maxy - area->miny,
                 fragments = fragment_cycles(ctx, call),
                 vertices = ctx->cost->vertex * call->count,
                 bound = ctx->cost->bound;

   if (fragments + vertices <= bound)
      return 0;
   /* each band fetches all vertices */
   const int64_t room = MAX2(bound - vertices, bound / 4);
   const int64_t rows =
      MAX2(height * room / fragments / BAND_ROWS, 1) * BAND_ROWS;

   return rows < height ? rows : 0;
}

unsigned
tegra20_cost_update(struct tegra20_context *ctx,
                    const struct tegra20_pass *pass,
                    const struct tegra20_draw_call *call)
{
   const struct pipe_scissor_state *area = &ctx->draw_area;
   struct tegra20_cost *cost = ctx->cost;

   if (ctx->dirty & TEGRA20_DIRTY_VS_CODE)
      cost->vertex = vertex_cycles(ctx, pass);
   cost->layer = pixel_cycles(pass, (int64_t)(area->maxx - area->minx) *
                                       (area->maxy - area->miny));
   cost->area = cost->layer * TEGRA20_LAYERS;
   if (unlikely(cost->adjusted))
      cost->area =
         cost->careful ? NOT_ESTIMATED : cost->area >> share_log2(ctx);
   return unlikely(cost->area > cost->bound) ? band_rows(ctx, call) : 0;
}

unsigned
tegra20_cost_max_primitives(const struct tegra20_context *ctx)
{
   const struct pipe_scissor_state *area = &ctx->draw_area;
   const int64_t pixels =
      (int64_t)(area->maxx - area->minx) * (area->maxy - area->miny);
   const unsigned vertices =
      ctx->cost->careful ? max_vertices(ctx) : ctx->cost->max_vertices;
   /* no list has more than three for each primitive */
   const unsigned max = vertices < TEGRA20_MAX_DRAW_VERTICES
                           ? MAX2(vertices / 3, 1)
                           : TEGRA20_MAX_DRAW_VERTICES;
   int64_t most = 1;

   if (!ctx->cost->careful)
      return max;
   for (unsigned i = 0; i < ctx->plan->num_passes; i++) {
      most = MAX2(most, pixel_cycles(&ctx->plan->passes[i], pixels));
   }
   /* the other half is for the vertices */
   return CLAMP(ctx->cost->bound / 2 / most, 1, max);
}

bool
tegra20_cost_is_spent(struct tegra20_context *ctx,
                      const struct tegra20_draw_call *call)
{
   if (ctx->cost->careful && ctx->cost->area == NOT_ESTIMATED)
      ctx->cost->left += NOT_ESTIMATED - fragment_cycles(ctx, call);
   return ctx->cost->left < 0;
}

void
tegra20_cost_2d(struct tegra20_context *ctx, unsigned pixels)
{
   ctx->cost->left -= (int64_t)pixels * CYCLES_OF_2D_PIXEL;
   if (ctx->cost->left < 0)
      tegra20_context_submit(ctx, TEGRA20_ENGINE_2D);
}
