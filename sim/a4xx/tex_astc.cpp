/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Texels of ASTC: by Mesa's front end, because util/format has none.
 */

#include "util/format/u_format.h"
#include "util/format_srgb.h"

extern "C" {
#include "main/formats.h"
}

/* Mesa's own would bring its tables of formats, and those the rest of it. */
#define _mesa_is_format_srgb util_format_is_srgb
#define _mesa_is_format_astc_2d(format) \
   (util_format_description(format)->layout == UTIL_FORMAT_LAYOUT_ASTC)
#define _mesa_get_format_block_size(format, width, height) \
   (*(width) = util_format_get_blockwidth(format),         \
    *(height) = util_format_get_blockheight(format))

#include "main/texcompress_astc.cpp"

extern "C" {
#include "tex_format.h"
}

template <enum pipe_format format>
static void
fetch(void *color, const uint8_t *src, unsigned x, unsigned y)
{
   const unsigned width = util_format_get_blockwidth(format);
   const unsigned height = util_format_get_blockheight(format);
   uint8_t texels[12 * 12][4];
   float *result = static_cast<float *>(color);
   _mesa_unpack_astc_2d_ldr(texels[0], width * 4, src, 16, width, height,
                            format);
   const uint8_t *texel = texels[y * width + x];
   for (unsigned c = 0; c < 4; c++)
      result[c] = c < 3 && util_format_is_srgb(format)
                     ? util_format_srgb_8unorm_to_linear_float(texel[c])
                     : texel[c] / 255.0f;
}

tex_fetch_function
tex_astc_function(enum pipe_format format)
{
   switch (format) {
#define SIZE(size)                           \
   case PIPE_FORMAT_ASTC_##size:             \
      return fetch<PIPE_FORMAT_ASTC_##size>; \
   case PIPE_FORMAT_ASTC_##size##_SRGB:      \
      return fetch<PIPE_FORMAT_ASTC_##size##_SRGB>;
      SIZE(4x4)
      SIZE(5x4)
      SIZE(5x5)
      SIZE(6x5)
      SIZE(6x6)
      SIZE(8x5)
      SIZE(8x6)
      SIZE(8x8)
      SIZE(10x5)
      SIZE(10x6)
      SIZE(10x8)
      SIZE(10x10)
      SIZE(12x10)
      SIZE(12x12)
   default:
      return nullptr;
   }
}
