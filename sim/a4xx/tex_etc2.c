/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Texels of ETC2: by Mesa's front end, because util/format has ETC1 alone.
 */

#include "main/macros.h"

/* Mesa's is a table in another of its files. */
#undef UBYTE_TO_FLOAT
#define UBYTE_TO_FLOAT(u) ((u) / 255.0f)

#include "main/texcompress_etc.c"

#include "tex_format.h"

#define FETCH(name)                                                \
   static void fetch_block_##name(void *color, const uint8_t *src, \
                                  unsigned x, unsigned y)          \
   {                                                               \
      fetch_##name(src, 4, x, y, color);                           \
   }

FETCH(etc2_rgb8)
FETCH(etc2_srgb8)
FETCH(etc2_rgba8_eac)
FETCH(etc2_srgb8_alpha8_eac)
FETCH(etc2_rgb8_punchthrough_alpha1)
FETCH(etc2_srgb8_punchthrough_alpha1)
FETCH(etc2_r11_eac)
FETCH(etc2_rg11_eac)
FETCH(etc2_signed_r11_eac)
FETCH(etc2_signed_rg11_eac)

tex_fetch_function
tex_etc2_function(enum pipe_format format)
{
   switch (format) {
   case PIPE_FORMAT_ETC2_RGB8:
      return fetch_block_etc2_rgb8;
   case PIPE_FORMAT_ETC2_SRGB8:
      return fetch_block_etc2_srgb8;
   case PIPE_FORMAT_ETC2_RGBA8:
      return fetch_block_etc2_rgba8_eac;
   case PIPE_FORMAT_ETC2_SRGBA8:
      return fetch_block_etc2_srgb8_alpha8_eac;
   case PIPE_FORMAT_ETC2_RGB8A1:
      return fetch_block_etc2_rgb8_punchthrough_alpha1;
   case PIPE_FORMAT_ETC2_SRGB8A1:
      return fetch_block_etc2_srgb8_punchthrough_alpha1;
   case PIPE_FORMAT_ETC2_R11_UNORM:
      return fetch_block_etc2_r11_eac;
   case PIPE_FORMAT_ETC2_RG11_UNORM:
      return fetch_block_etc2_rg11_eac;
   case PIPE_FORMAT_ETC2_R11_SNORM:
      return fetch_block_etc2_signed_r11_eac;
   default:
      return fetch_block_etc2_signed_rg11_eac;
   }
}
