/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The 2D engine: fills and copies of rectangles inside surfaces.
 */

#ifndef TEGRA20_GR2D_H
#define TEGRA20_GR2D_H

#include "tegra20_resource.h"

struct tegra20_context;

struct tegra20_gr2d_surface {
   struct tegra20_bo *bo;
   uint32_t offset, pitch;
   bool tiled;
};

/* A level with all its cells. */
static inline struct tegra20_gr2d_surface
tegra20_gr2d_level(const struct tegra20_resource *res, unsigned level)
{
   return (struct tegra20_gr2d_surface){
      .bo = res->bo,
      .offset = res->offset + res->layout.levels[level].offset,
      .pitch = res->layout.levels[level].pitch,
      .tiled = res->layout.tiled,
   };
}

bool
tegra20_gr2d_fill(struct tegra20_context *ctx,
                  const struct tegra20_gr2d_surface *dst, unsigned cpp,
                  unsigned x, unsigned y, unsigned width, unsigned height,
                  uint32_t value);
bool
tegra20_gr2d_copy(struct tegra20_context *ctx,
                  const struct tegra20_gr2d_surface *dst, unsigned dx,
                  unsigned dy, const struct tegra20_gr2d_surface *src,
                  unsigned sx, unsigned sy, unsigned cpp, unsigned width,
                  unsigned height);

#endif
