/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Vertex processing by Mesa's draw module.
 */

#ifndef TEGRA20_SWTNL_H
#define TEGRA20_SWTNL_H

#include <stdbool.h>
#include <stdint.h>

#include "pipe/p_defines.h"

struct pipe_draw_info;
struct pipe_draw_start_count_bias;
struct tegra20_context;
struct tegra20_shader;

/* Does the bound state need it, for primitives of a mode? */
bool
tegra20_needs_swtnl(const struct tegra20_context *ctx, enum mesa_prim mode);

/* The vertex program for vertices of the module that have these varyings (a
 * bit per gl_varying_slot), which the next draw writes.  NULL when memory ran
 * out. */
struct tegra20_shader *
tegra20_swtnl_vs(struct tegra20_context *ctx, uint64_t varyings);

/* Writes its uniforms (8 floats); returns their number. */
unsigned
tegra20_swtnl_uniforms(const struct tegra20_context *ctx, float *words);

/* Draws through ctx->plan, which is windowed.  Indices are inside the vertex
 * buffers. */
void
tegra20_swtnl_draw(struct tegra20_context *ctx,
                   const struct pipe_draw_info *info,
                   const struct pipe_draw_start_count_bias *draw);

void
tegra20_swtnl_delete_shader(struct tegra20_context *ctx,
                            struct tegra20_shader *shader);
void
tegra20_swtnl_destroy(struct tegra20_context *ctx);

#endif
