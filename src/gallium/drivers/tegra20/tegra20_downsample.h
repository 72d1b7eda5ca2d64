/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Blits to a whole fraction of the size: resolves of samples, levels of
 * mipmaps, copies.
 */

#ifndef TEGRA20_DOWNSAMPLE_H
#define TEGRA20_DOWNSAMPLE_H

#include <stdbool.h>

struct pipe_blit_info;
struct tegra20_context;

/* Texels that one direction takes of those around a pixel's centre. */
enum tegra20_taps {
   TEGRA20_TAPS_CENTRE,  /* the one that it is the centre of */
   TEGRA20_TAPS_BEHIND,  /* the one behind the edge that it is on */
   TEGRA20_TAPS_BETWEEN, /* both sides of that edge */
   TEGRA20_NUM_TAPS,
};

/*
 * Draws the blit when the source is as many times larger than the destination
 * as a whole number says, in each direction its own; false, and nothing done,
 * otherwise.  The source is an image of one layer that the unit can sample.
 */
bool
tegra20_downsample(struct tegra20_context *ctx,
                   const struct pipe_blit_info *info);
void
tegra20_downsample_fini(struct tegra20_context *ctx);

#endif
