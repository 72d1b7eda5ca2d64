/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Where the pixels of an image lie.  Micro-tiles of 64 bytes hold their
 * pixels row by row.  LT has micro-tiles row by row.  T has them in 4x4 in
 * subtiles of 1 KiB, of which four make a tile: even rows of tiles go from
 * left to right and wind their subtiles lower left, upper left, upper right,
 * lower right; odd rows go from right to left and begin at the upper right.
 * "Lower" is what comes first in memory, our row 0.
 */

#include "v3d_internal.h"

unsigned
tiling_utile_width(unsigned cpp)
{
   return cpp <= 2 ? 8 : cpp == 4 ? 4 : 2;
}

unsigned
tiling_utile_height(unsigned cpp)
{
   return cpp == 1 ? 8 : 4;
}

bool
tiling_is_lt(uint32_t width, uint32_t height, unsigned cpp)
{
   return width <= 4 * tiling_utile_width(cpp) ||
          height <= 4 * tiling_utile_height(cpp);
}

uint32_t
tiling_pad(enum tiling tiling, uint32_t *width, uint32_t *height,
           unsigned cpp)
{
   unsigned w = tiling_utile_width(cpp), h = tiling_utile_height(cpp);
   if (tiling == TILING_T) {
      w *= 8;
      h *= 8;
   } else if (tiling == TILING_RASTER) {
      h = 1;
   }
   *width = (*width + w - 1) / w * w;
   *height = (*height + h - 1) / h * h;
   return *width * *height * cpp;
}

uint32_t
tiling_utile_offset(enum tiling tiling, uint32_t utiles_per_row, uint32_t ux,
                    uint32_t uy)
{
   if (tiling == TILING_LT)
      return (uy * utiles_per_row + ux) * 64;

   uint32_t tiles = utiles_per_row / 8, tx = ux / 8, ty = uy / 8;
   bool odd = ty & 1;
   if (odd)
      tx = tiles - 1 - tx;
   static const uint8_t place[2][4] = { { 0, 3, 1, 2 }, { 2, 1, 3, 0 } };
   unsigned sub = place[odd][(uy >> 2 & 1) << 1 | (ux >> 2 & 1)];
   return (ty * tiles + tx) * 4096 + sub * 1024 +
          ((uy & 3) * 4 + (ux & 3)) * 64;
}

uint32_t
tiling_offset(enum tiling tiling, uint32_t width, unsigned cpp, uint32_t x,
              uint32_t y)
{
   if (tiling == TILING_RASTER)
      return (y * width + x) * cpp;

   const unsigned w = tiling_utile_width(cpp), h = tiling_utile_height(cpp);
   return tiling_utile_offset(tiling, width / w, x / w, y / h) +
          (y % h * w + x % w) * cpp;
}
