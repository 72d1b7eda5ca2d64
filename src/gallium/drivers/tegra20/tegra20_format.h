/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * How Gallium's formats are stored, sampled and rendered
 * (surfaces-and-textures.md 2, assumptions A38, A60, A61, A66).
 *
 * Only the texel formats that public code has run are used: A8 (every 8-bit
 * single channel format, whose components the program's swizzle distributes),
 * RGB565, RGBA8888 (in either byte order: the program exchanges components),
 * DXT and ETC1; D16_LINEAR and S8 for depth and stencil.  The state tracker
 * converts everything else on upload.
 *
 * R8 is A8, also as a target.  RG8 has 32 bits per pixel
 * (tegra20_format_storage()), because the chip's format of 16 bits, LA88, was
 * never used.  Shared buffers have 16 bits all the same; they are sampled by
 * way of a copy and rendered to by way of a scratch surface.
 *
 * RGB565 is rendered to as it is.  Programs that read the pixel (blending,
 * masks) take a surface of 32 bits instead, unless the profile says that the
 * chip fetches from 16 bits (A69, tegra20_surface.c).
 */

#ifndef TEGRA20_FORMAT_H
#define TEGRA20_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "util/format/u_format.h"

struct tegra20_format {
   uint8_t hw;         /* enum gr3d_pixel_format */
   uint8_t swizzle[4]; /* PIPE_SWIZZLE_*: from the texture unit's
                          components */
   bool texture, target, has_alpha, compressed, srgb;
   uint8_t rt_order; /* enum tegra20_rt_order */
};

/* NULL: neither a texture nor a colour target. */
const struct tegra20_format *
tegra20_format_info(enum pipe_format format);

/* Attribute TYPE and SIZE fields of 0x101 + 2i, or -1 when the vertex fetch
 * does not know the format. */
int
tegra20_vertex_format(enum pipe_format format);

/*
 * Depth and stencil formats are stored as Z16 and S8 surfaces, one or both.
 */
static inline bool
tegra20_format_is_zs(enum pipe_format format)
{
   switch (format) {
   case PIPE_FORMAT_Z16_UNORM:
   case PIPE_FORMAT_Z24X8_UNORM:
   case PIPE_FORMAT_Z24_UNORM_S8_UINT:
   case PIPE_FORMAT_S8_UINT:
      return true;
   default:
      return false;
   }
}

/* Does a program that reads the pixel need a surface with more bits? */
bool
tegra20_format_widens(enum pipe_format format);

/* The format of the driver's own memory for it. */
enum pipe_format
tegra20_format_storage(enum pipe_format format);

/* Bytes per block as stored by the driver (not as the CPU sees it). */
unsigned
tegra20_format_stored_cpp(enum pipe_format format);

#endif
