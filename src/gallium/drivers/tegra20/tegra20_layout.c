/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "tegra20_layout.h"

#include <string.h>

#define MAX2_(a, b) ((a) > (b) ? (a) : (b))

static uint64_t
align_to(uint64_t value, uint64_t alignment)
{
   return (value + alignment - 1) / alignment * alignment;
}

static bool
is_pot(unsigned value)
{
   return value && !(value & (value - 1));
}

static unsigned
minify(unsigned value, unsigned level)
{
   return MAX2_(value >> level, 1);
}

/* Rows that an engine may touch below the last one: 2D paths work on blocks
 * of 16x16 bytes (section 3.2). */
static unsigned
padded_rows(const struct tegra20_layout_info *info, bool tiled, unsigned rows)
{
   if (tiled)
      return align_to(rows, TEGRA20_TILE_HEIGHT);
   return align_to(rows, MAX2_(16 / info->cpp, 1));
}

uint64_t
tegra20_layout_reach(const struct tegra20_level_layout *level, unsigned rows)
{
   uint64_t pot = 1;

   while (pot < rows)
      pot *= 2;
   return pot * level->pitch;
}

bool
tegra20_layout_init(struct tegra20_layout *layout,
                    const struct tegra20_layout_info *info)
{
   memset(layout, 0, sizeof(*layout));
   layout->tiled = info->mode == TEGRA20_LAYOUT_TILED;
   layout->columns = info->columns;
   layout->downwards = info->downwards;
   layout->rows = (info->layers + info->columns - 1) / info->columns;
   layout->pot = info->mode == TEGRA20_LAYOUT_TEXTURE &&
                 is_pot(info->width) && is_pot(info->height) &&
                 is_pot(layout->columns) && is_pot(layout->rows);

   unsigned pitch_align = layout->tiled ? TEGRA20_TILED_ALIGN
                          : layout->pot ? TEGRA20_POT_PITCH_ALIGN
                          : info->mode == TEGRA20_LAYOUT_TEXTURE
                             ? tegra20_npot_pitch_align()
                             : TEGRA20_RT_PITCH_ALIGN;

   /* A65 */
   if (info->mode == TEGRA20_LAYOUT_TEXTURE && info->block_height > 1 &&
       TEGRA20_HW_IS(COMPRESSED_PITCH, BLOCK))
      pitch_align = info->cpp;
   uint64_t offset = 0, reach = 0;

   for (unsigned l = 0; l < info->num_levels; l++) {
      struct tegra20_level_layout *level = &layout->levels[l];
      unsigned width =
         (minify(info->width, l) + info->block_width - 1) / info->block_width;
      unsigned rows = (minify(info->height, l) + info->block_height - 1) /
                      info->block_height;
      uint64_t pitch =
         align_to((uint64_t)width * info->cpp * layout->columns, pitch_align);

      level->offset = offset;
      level->pitch = pitch;
      level->cell_bytes = width * info->cpp;
      level->cell_rows =
         layout->tiled ? align_to(rows, TEGRA20_TILE_HEIGHT) : rows;

      /* The contiguous chain has no room for padding: its rows end where the
       * next level starts. */
      unsigned all_rows = level->cell_rows * layout->rows;
      if (info->pot_rows && !layout->pot)
         reach = MAX2_(reach, offset + tegra20_layout_reach(level, all_rows));
      offset +=
         pitch * (layout->pot ? all_rows
                              : padded_rows(info, layout->tiled, all_rows));
      if (!layout->pot)
         offset = align_to(offset, layout->tiled ? TEGRA20_TILED_ALIGN
                                                 : TEGRA20_RT_BASE_ALIGN);
      if (offset > UINT32_MAX / 4 || pitch > 0x1ffff)
         return false;
   }
   layout->size = align_to(MAX2_(offset, reach), 256);
   return true;
}

/* Calls for each run of bytes of a row that is contiguous in the tiled
 * surface. */
#define FOR_EACH_TILE_RUN(pitch, xb, y, width_bytes, height, tiled_off, row, \
                          col, run)                                          \
   for (unsigned row = 0; row < (height); row++)                             \
      for (unsigned col = 0, run, tiled_off;                                 \
           col < (width_bytes) &&                                            \
           (run = TEGRA20_TILE_WIDTH - ((xb) + col) % TEGRA20_TILE_WIDTH,    \
           run = run < (width_bytes)-col ? run : (width_bytes)-col,          \
           tiled_off = tegra20_tiled_offset(pitch, (xb) + col, (y) + row),   \
           true);                                                            \
           col += run)

void
tegra20_tiled_to_linear(void *dst, uint32_t dst_pitch, const void *src,
                        uint32_t src_pitch, unsigned xb, unsigned y,
                        unsigned width_bytes, unsigned height)
{
   FOR_EACH_TILE_RUN (src_pitch, xb, y, width_bytes, height, off, row, col,
                      run)
      memcpy((uint8_t *)dst + row * dst_pitch + col,
             (const uint8_t *)src + off, run);
}

void
tegra20_linear_to_tiled(void *dst, uint32_t dst_pitch, const void *src,
                        uint32_t src_pitch, unsigned xb, unsigned y,
                        unsigned width_bytes, unsigned height)
{
   FOR_EACH_TILE_RUN (dst_pitch, xb, y, width_bytes, height, off, row, col,
                      run)
      memcpy((uint8_t *)dst + off,
             (const uint8_t *)src + row * src_pitch + col, run);
}
