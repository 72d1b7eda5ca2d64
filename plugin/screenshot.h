/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Pictures of windows: what the variable TEGRA20_SCREENSHOT=FILE[@SECONDS]
 * asks for (tegra20-run --screenshot).
 */

#ifndef TEGRA20_SCREENSHOT_H
#define TEGRA20_SCREENSHOT_H

struct pipe_context;
struct pipe_resource;

/* Before a window shows a level of a resource: writes it as PNG if its time
 * has come, SECONDS after the first call; without them every second anew, so
 * that the last picture is left. */
void
screenshot_present(struct pipe_context *pipe, struct pipe_resource *resource,
                   unsigned level, unsigned layer);

#endif
