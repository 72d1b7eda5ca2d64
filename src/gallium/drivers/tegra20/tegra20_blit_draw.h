/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#ifndef TEGRA20_BLIT_DRAW_H
#define TEGRA20_BLIT_DRAW_H

struct pipe_blit_info;
struct tegra20_context;

/* A blit of formats that the units can sample and store; source and
 * destination are different images. */
void
tegra20_blit_draw(struct tegra20_context *ctx,
                  const struct pipe_blit_info *info);
void
tegra20_blit_draw_fini(struct tegra20_context *ctx);

#endif
