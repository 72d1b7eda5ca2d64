/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Where pixels lie in memory (surfaces-and-textures.md 3, 4, 6.5 and 12).
 * Pure functions of numbers: no pipe_* types.
 */

#ifndef TEGRA20_LAYOUT_H
#define TEGRA20_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "tegra20/tegra20_hw.h"

#define TEGRA20_MAX_LEVELS 12 /* 2048 x 2048 down to 1 x 1 */
#define TEGRA20_MAX_TEXTURE_SIZE 2048
#define TEGRA20_BUFFER_PADDING \
   64 /* A05: the vertex fetch may read that far behind the last element */

#define TEGRA20_TILE_WIDTH 16  /* bytes */
#define TEGRA20_TILE_HEIGHT 16 /* rows */
/* Of bases and pitches of tiled surfaces (surfaces-and-textures.md 4.3). */
#define TEGRA20_TILED_ALIGN 256
#define TEGRA20_RT_BASE_ALIGN 64 /* A67 */
#define TEGRA20_POT_PITCH_ALIGN 16
#define TEGRA20_RT_PITCH_ALIGN 64 /* A67: but 16 in chains of powers of two */

/*
 * The pitch of a linear texture that is not a power of two is the next
 * multiple of this for the texture unit (A57).  Buffers that leave the
 * process have multiples of TEGRA20_RT_PITCH_ALIGN all the same.
 */
static inline unsigned
tegra20_npot_pitch_align(void)
{
   return TEGRA20_HW_IS(NPOT_PITCH, 16) ? 16 : 64;
}

enum tegra20_layout_mode {
   /*
    * Linear, in the texture unit's implied layout: for powers of two one
    * contiguous chain of levels with pitches that are multiples of 16,
    * otherwise every level for itself with the pitch of A57.
    */
   TEGRA20_LAYOUT_TEXTURE,
   TEGRA20_LAYOUT_SCANOUT, /* linear, pitch a multiple of 64 at every size */
   TEGRA20_LAYOUT_TILED,   /* 16x16 byte tiles: depth and stencil (A38) */
};

/*
 * Layers (cube faces, slices of 3D textures) are cells of one large
 * two-dimensional surface, "columns" of them side by side, so that one mip
 * chain holds them all and the texture unit, which knows two dimensions, can
 * read each (A59).
 */
struct tegra20_level_layout {
   uint32_t offset;     /* bytes from the start of the resource */
   uint32_t pitch;      /* bytes from one row (of blocks) to the next */
   uint32_t cell_bytes; /* width of a cell */
   uint32_t cell_rows;  /* height of a cell, rows of blocks */
};

struct tegra20_layout {
   bool tiled;
   bool
      pot; /* both dimensions are powers of two and the chain is contiguous */
   bool downwards;         /* layer 1 lies below layer 0, not beside it */
   unsigned columns, rows; /* of cells */
   uint32_t size;          /* bytes of everything */
   struct tegra20_level_layout levels[TEGRA20_MAX_LEVELS];
};

struct tegra20_layout_info {
   enum tegra20_layout_mode mode;
   unsigned width, height, layers; /* texels, at least 1 */
   unsigned columns;    /* cells side by side; 1 for tiled surfaces */
   bool downwards;      /* layers fill columns rather than rows */
   unsigned num_levels; /* 1..TEGRA20_MAX_LEVELS */
   unsigned cpp;        /* bytes per block: 1, 2, 4, 8 or 16 */
   unsigned block_width,
      block_height; /* texels: 1x1, or 4x4 for compressed formats */
   bool pot_rows;   /* there is memory below the last row of each level, up
                       to a power of two of rows (A137) */
};

/* Where the memory ends that the texture unit may read of a level of so many
 * rows of blocks, bytes from the start of the level (A137). */
uint64_t
tegra20_layout_reach(const struct tegra20_level_layout *level, unsigned rows);

/* False when the surface is larger than the engines can address. */
bool
tegra20_layout_init(struct tegra20_layout *layout,
                    const struct tegra20_layout_info *info);

/* Where the cell of a layer begins: byte column and row inside the level. */
static inline uint32_t
tegra20_layout_cell_x(const struct tegra20_layout *layout, unsigned level,
                      unsigned layer)
{
   return (layout->downwards ? layer / layout->rows
                             : layer % layout->columns) *
          layout->levels[level].cell_bytes;
}

static inline uint32_t
tegra20_layout_cell_y(const struct tegra20_layout *layout, unsigned level,
                      unsigned layer)
{
   return (layout->downwards ? layer % layout->rows
                             : layer / layout->columns) *
          layout->levels[level].cell_rows;
}

/* The same as byte offset from the start of the resource. */
static inline uint32_t
tegra20_layout_offset(const struct tegra20_layout *layout, unsigned level,
                      unsigned layer)
{
   return layout->levels[level].offset +
          tegra20_layout_cell_y(layout, level, layer) *
             layout->levels[level].pitch +
          tegra20_layout_cell_x(layout, level, layer);
}

/* Byte offset of byte column xb of row y in a tiled surface
 * (surfaces-and-textures.md 4.2). */
static inline uint32_t
tegra20_tiled_offset(uint32_t pitch, uint32_t xb, uint32_t y)
{
   return (y / TEGRA20_TILE_HEIGHT) * TEGRA20_TILE_HEIGHT * pitch +
          (xb / TEGRA20_TILE_WIDTH) * 256 +
          (y % TEGRA20_TILE_HEIGHT) * TEGRA20_TILE_WIDTH +
          xb % TEGRA20_TILE_WIDTH;
}

/* Copies a rectangle (x and width in bytes) between a tiled surface and
 * linear memory. */
void
tegra20_tiled_to_linear(void *dst, uint32_t dst_pitch, const void *src,
                        uint32_t src_pitch, unsigned xb, unsigned y,
                        unsigned width_bytes, unsigned height);
void
tegra20_linear_to_tiled(void *dst, uint32_t dst_pitch, const void *src,
                        uint32_t src_pitch, unsigned xb, unsigned y,
                        unsigned width_bytes, unsigned height);

#endif
