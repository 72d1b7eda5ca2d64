/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Vertex processing by Mesa's draw module.
 */

#ifndef TEGRA20_SWTNL_H
#define TEGRA20_SWTNL_H

#include <stdint.h>

struct tegra20_context;
struct tegra20_draw;
struct tegra20_shader;

/* The vertex program for vertices of the module that have these varyings (a
 * bit per gl_varying_slot), which the next draw writes.  NULL when memory ran
 * out. */
struct tegra20_shader *
tegra20_swtnl_vs(struct tegra20_context *ctx, uint64_t varyings);

/* Its uniforms. */
enum tegra20_swtnl_uniform {
   TEGRA20_SWTNL_RCP_SCALE,
   TEGRA20_SWTNL_TRANSLATE,
   TEGRA20_SWTNL_UNIFORMS,
};

/* Draws through ctx->plan, which is windowed. */
void
tegra20_swtnl_draw(struct tegra20_context *ctx, struct tegra20_draw *draw);

void
tegra20_swtnl_delete_shader(struct tegra20_context *ctx,
                            struct tegra20_shader *shader);
void
tegra20_swtnl_destroy(struct tegra20_context *ctx);

#endif
