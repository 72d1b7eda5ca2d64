/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "tegra20_format.h"

#include "tegra20/gr3d_regs.h"
#include "tegra20/tegra20_hw.h"
#include "tegra20_compiler.h"

#define X PIPE_SWIZZLE_X
#define Y PIPE_SWIZZLE_Y
#define Z PIPE_SWIZZLE_Z
#define W PIPE_SWIZZLE_W
#define _0 PIPE_SWIZZLE_0
#define _1 PIPE_SWIZZLE_1

#define TEX(f, code, x, y, z, w)                         \
   [PIPE_FORMAT_##f] = { .hw = GR3D_PIXEL_FORMAT_##code, \
                         .swizzle = { x, y, z, w },      \
                         .texture = true }
#define SRGB(f, code, x, y, z, w)                        \
   [PIPE_FORMAT_##f] = { .hw = GR3D_PIXEL_FORMAT_##code, \
                         .swizzle = { x, y, z, w },      \
                         .texture = true,                \
                         .srgb = true }
#define BLOCK(f, code, x, y, z, w)                       \
   [PIPE_FORMAT_##f] = { .hw = GR3D_PIXEL_FORMAT_##code, \
                         .swizzle = { x, y, z, w },      \
                         .texture = true,                \
                         .compressed = true }
#define SRGB_BLOCK(f, code, x, y, z, w)                  \
   [PIPE_FORMAT_##f] = { .hw = GR3D_PIXEL_FORMAT_##code, \
                         .swizzle = { x, y, z, w },      \
                         .texture = true,                \
                         .compressed = true,             \
                         .srgb = true }
#define BOTH(f, code, x, y, z, w, order, alpha)          \
   [PIPE_FORMAT_##f] = { .hw = GR3D_PIXEL_FORMAT_##code, \
                         .swizzle = { x, y, z, w },      \
                         .texture = true,                \
                         .target = true,                 \
                         .has_alpha = alpha,             \
                         .rt_order = TEGRA20_RT_##order }

static const struct tegra20_format formats[PIPE_FORMAT_COUNT] = {
   BOTH(R8G8B8A8_UNORM, RGBA8888, X, Y, Z, W, RGBA, true),
   BOTH(R8G8B8X8_UNORM, RGBA8888, X, Y, Z, _1, RGBA, false),
   BOTH(B8G8R8A8_UNORM, RGBA8888, Z, Y, X, W, BGRA, true),
   BOTH(B8G8R8X8_UNORM, RGBA8888, Z, Y, X, _1, BGRA, false),
   BOTH(B5G6R5_UNORM, RGB565, X, Y, Z, _1, RGBA, false),
   BOTH(R8_UNORM, A8, W, _0, _0, _1, R, false),
   BOTH(R8G8_UNORM, RGBA8888, X, Y, _0, _1, RG, false),
   SRGB(R8G8B8A8_SRGB, RGBA8888, X, Y, Z, W),
   SRGB(B8G8R8A8_SRGB, RGBA8888, Z, Y, X, W),
   TEX(A8_UNORM, A8, _0, _0, _0, W),
   TEX(L8_UNORM, A8, W, W, W, _1),
   TEX(I8_UNORM, A8, W, W, W, W),
   BLOCK(DXT1_RGB, DXT1, X, Y, Z, _1),
   BLOCK(DXT1_RGBA, DXT1, X, Y, Z, W),
   BLOCK(DXT3_RGBA, DXT3, X, Y, Z, W),
   BLOCK(DXT5_RGBA, DXT5, X, Y, Z, W),
   SRGB_BLOCK(DXT1_SRGB, DXT1, X, Y, Z, _1),
   SRGB_BLOCK(DXT1_SRGBA, DXT1, X, Y, Z, W),
   SRGB_BLOCK(DXT3_SRGBA, DXT3, X, Y, Z, W),
   SRGB_BLOCK(DXT5_SRGBA, DXT5, X, Y, Z, W),
   BLOCK(ETC1_RGB8, ETC1, X, Y, Z, _1),
};

const struct tegra20_format *
tegra20_format_info(enum pipe_format format)
{
   if (format >= PIPE_FORMAT_COUNT || !formats[format].texture)
      return NULL;
   return &formats[format];
}

bool
tegra20_format_widens(enum pipe_format format)
{
   return format == PIPE_FORMAT_B5G6R5_UNORM &&
          TEGRA20_HW_IS(FETCH_16_BIT, ZERO);
}

enum pipe_format
tegra20_format_storage(enum pipe_format format)
{
   return format == PIPE_FORMAT_R8G8_UNORM ? PIPE_FORMAT_R8G8B8X8_UNORM
                                           : format;
}

unsigned
tegra20_format_stored_cpp(enum pipe_format format)
{
   switch (format) {
   case PIPE_FORMAT_Z16_UNORM:
   case PIPE_FORMAT_Z24X8_UNORM:
   case PIPE_FORMAT_Z24_UNORM_S8_UINT:
      return 2;
   default:
      return util_format_get_blocksize(format);
   }
}

int
tegra20_vertex_format(enum pipe_format format)
{
   const struct util_format_description *desc =
      util_format_description(format);

   if (!desc || desc->layout != UTIL_FORMAT_LAYOUT_PLAIN || !desc->is_array ||
       desc->nr_channels > 4)
      return -1;
   /* The fetch has no component swizzle. */
   for (unsigned c = 0; c < desc->nr_channels; c++) {
      if (desc->swizzle[c] != PIPE_SWIZZLE_X + c)
         return -1;
   }

   const struct util_format_channel_description *chan = &desc->channel[0];
   int type = -1;

   if (chan->pure_integer)
      return -1;
   /* Formats that the chip reads otherwise than OpenGL defines are copied as
    * float. */
   if (TEGRA20_HW_IS(MISSING_COMPONENTS, ZERO) && desc->nr_channels < 4)
      return -1;
   if (TEGRA20_HW_IS(SIGNED_NORMALISED, ES2) &&
       chan->type == UTIL_FORMAT_TYPE_SIGNED && chan->normalized)
      return -1;

   switch (chan->type) {
   case UTIL_FORMAT_TYPE_FLOAT:
      type = chan->size == 32   ? GR3D_ATTRIB_TYPE_FLOAT32
             : chan->size == 16 ? GR3D_ATTRIB_TYPE_FLOAT16
                                : -1;
      break;
   case UTIL_FORMAT_TYPE_FIXED:
      type = chan->size == 32 ? GR3D_ATTRIB_TYPE_FIXED16 : -1;
      break;
   case UTIL_FORMAT_TYPE_UNSIGNED:
   case UTIL_FORMAT_TYPE_SIGNED: {
      static const uint8_t types[3] = { GR3D_ATTRIB_TYPE_UBYTE,
                                        GR3D_ATTRIB_TYPE_USHORT,
                                        GR3D_ATTRIB_TYPE_UINT };

      if (chan->size != 8 && chan->size != 16 && chan->size != 32)
         return -1;
      /* unsigned, unsigned normalised, signed, signed normalised follow each
       * other */
      type = types[chan->size == 8    ? 0
                   : chan->size == 16 ? 1
                                      : 2] +
             (chan->type == UTIL_FORMAT_TYPE_SIGNED ? 2 : 0) +
             (chan->normalized ? 1 : 0);
      break;
   }
   default:
      break;
   }
   if (type < 0)
      return -1;
   return GR3D_ATTRIB_MODE_TYPE(type) |
          GR3D_ATTRIB_MODE_SIZE(desc->nr_channels);
}
