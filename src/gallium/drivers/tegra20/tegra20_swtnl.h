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

struct tegra20_context;
struct tegra20_shader;

/* The vertex program for vertices of the module that have these varyings (a
 * bit per gl_varying_slot), which the next draw writes.  NULL when memory ran
 * out. */
struct tegra20_shader *
tegra20_swtnl_vs(struct tegra20_context *ctx, uint64_t varyings);

/* Writes its uniforms (8 floats); returns their number. */
unsigned
tegra20_swtnl_uniforms(const struct tegra20_context *ctx, float *words);

/* Draws count vertices through ctx->plan, which is windowed: the numbers from
 * start on, or (NULL) vertices from start on.  They are inside the vertex
 * buffers. */
void
tegra20_swtnl_draw(struct tegra20_context *ctx, enum mesa_prim mode,
                   const uint32_t *numbers, unsigned start, unsigned count);

void
tegra20_swtnl_delete_shader(struct tegra20_context *ctx,
                            struct tegra20_shader *shader);
void
tegra20_swtnl_destroy(struct tegra20_context *ctx);

#endif
