/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Texels of every format.  Component x is the lowest in memory; the order
 * that an application sees is the texture's swizzle.
 */

#include "util/format/u_format.h"

#include "tex.h"

static const enum pipe_format formats[128] = {
   [0x03] = PIPE_FORMAT_R8_UNORM, /* A8 */
   [0x04] = PIPE_FORMAT_R8_UNORM,
   [0x05] = PIPE_FORMAT_R8_SNORM,
   [0x06] = PIPE_FORMAT_R8_UINT,
   [0x07] = PIPE_FORMAT_R8_SINT,
   [0x08] = PIPE_FORMAT_R4G4B4A4_UNORM,
   [0x09] = PIPE_FORMAT_R5G5B5A1_UNORM,
   [0x0b] = PIPE_FORMAT_R5G6B5_UNORM,
   [0x0d] = PIPE_FORMAT_R8G8_UNORM, /* L8A8 */
   [0x0e] = PIPE_FORMAT_R8G8_UNORM,
   [0x0f] = PIPE_FORMAT_R8G8_SNORM,
   [0x10] = PIPE_FORMAT_R8G8_UINT,
   [0x11] = PIPE_FORMAT_R8G8_SINT,
   [0x12] = PIPE_FORMAT_R16_UNORM,
   [0x13] = PIPE_FORMAT_R16_SNORM,
   [0x14] = PIPE_FORMAT_R16_FLOAT,
   [0x15] = PIPE_FORMAT_R16_UINT,
   [0x16] = PIPE_FORMAT_R16_SINT,
   [0x1c] = PIPE_FORMAT_R8G8B8A8_UNORM,
   [0x1d] = PIPE_FORMAT_R8G8B8A8_SNORM,
   [0x1e] = PIPE_FORMAT_R8G8B8A8_UINT,
   [0x1f] = PIPE_FORMAT_R8G8B8A8_SINT,
   [0x20] = PIPE_FORMAT_R9G9B9E5_FLOAT,
   [0x21] = PIPE_FORMAT_R10G10B10A2_UNORM,
   [0x22] = PIPE_FORMAT_R10G10B10A2_UINT,
   [0x25] = PIPE_FORMAT_R11G11B10_FLOAT,
   [0x26] = PIPE_FORMAT_R16G16_UNORM,
   [0x27] = PIPE_FORMAT_R16G16_SNORM,
   [0x28] = PIPE_FORMAT_R16G16_FLOAT,
   [0x29] = PIPE_FORMAT_R16G16_UINT,
   [0x2a] = PIPE_FORMAT_R16G16_SINT,
   [0x2b] = PIPE_FORMAT_R32_FLOAT,
   [0x2c] = PIPE_FORMAT_R32_UINT,
   [0x2d] = PIPE_FORMAT_R32_SINT,
   [0x33] = PIPE_FORMAT_R16G16B16A16_UNORM,
   [0x34] = PIPE_FORMAT_R16G16B16A16_SNORM,
   [0x35] = PIPE_FORMAT_R16G16B16A16_FLOAT,
   [0x36] = PIPE_FORMAT_R16G16B16A16_UINT,
   [0x37] = PIPE_FORMAT_R16G16B16A16_SINT,
   [0x38] = PIPE_FORMAT_R32G32_FLOAT,
   [0x39] = PIPE_FORMAT_R32G32_UINT,
   [0x3a] = PIPE_FORMAT_R32G32_SINT,
   [0x3b] = PIPE_FORMAT_R32G32B32_FLOAT,
   [0x3c] = PIPE_FORMAT_R32G32B32_UINT,
   [0x3d] = PIPE_FORMAT_R32G32B32_SINT,
   [0x3f] = PIPE_FORMAT_R32G32B32A32_FLOAT,
   [0x40] = PIPE_FORMAT_R32G32B32A32_UINT,
   [0x41] = PIPE_FORMAT_R32G32B32A32_SINT,
   [0x47] = PIPE_FORMAT_Z24X8_UNORM,
   [0x56] = PIPE_FORMAT_DXT1_RGBA,
   [0x57] = PIPE_FORMAT_DXT3_RGBA,
   [0x58] = PIPE_FORMAT_DXT5_RGBA,
   [0x5a] = PIPE_FORMAT_RGTC1_UNORM,
   [0x5b] = PIPE_FORMAT_RGTC1_SNORM,
   [0x5e] = PIPE_FORMAT_RGTC2_UNORM,
   [0x5f] = PIPE_FORMAT_RGTC2_SNORM,
   [0x61] = PIPE_FORMAT_BPTC_RGB_UFLOAT,
   [0x62] = PIPE_FORMAT_BPTC_RGB_FLOAT,
   [0x63] = PIPE_FORMAT_BPTC_RGBA_UNORM,
   [0x67] = PIPE_FORMAT_ETC2_RG11_UNORM,
   [0x68] = PIPE_FORMAT_ETC2_RG11_SNORM,
   [0x69] = PIPE_FORMAT_ETC2_R11_UNORM,
   [0x6a] = PIPE_FORMAT_ETC2_R11_SNORM,
   [0x6b] = PIPE_FORMAT_ETC1_RGB8,
   [0x6c] = PIPE_FORMAT_ETC2_RGB8,
   [0x6d] = PIPE_FORMAT_ETC2_RGBA8,
   [0x6e] = PIPE_FORMAT_ETC2_RGB8A1,
   [0x6f] = PIPE_FORMAT_ASTC_4x4,
   [0x70] = PIPE_FORMAT_ASTC_5x4,
   [0x71] = PIPE_FORMAT_ASTC_5x5,
   [0x72] = PIPE_FORMAT_ASTC_6x5,
   [0x73] = PIPE_FORMAT_ASTC_6x6,
   [0x74] = PIPE_FORMAT_ASTC_8x5,
   [0x75] = PIPE_FORMAT_ASTC_8x6,
   [0x76] = PIPE_FORMAT_ASTC_8x8,
   [0x77] = PIPE_FORMAT_ASTC_10x5,
   [0x78] = PIPE_FORMAT_ASTC_10x6,
   [0x79] = PIPE_FORMAT_ASTC_10x8,
   [0x7a] = PIPE_FORMAT_ASTC_10x10,
   [0x7b] = PIPE_FORMAT_ASTC_12x10,
   [0x7c] = PIPE_FORMAT_ASTC_12x12,
};

/* util/format has no function for a texel of depth. */
static void
fetch_depth(void *color, const uint8_t *src, unsigned x, unsigned y)
{
   float *f = color;
   util_format_unpack_z_float(PIPE_FORMAT_Z24X8_UNORM, f, src, 1);
   f[1] = f[2] = 0;
   f[3] = 1;
}

static tex_fetch_function
fetch_function(enum pipe_format format, enum util_format_layout layout)
{
   if (format == PIPE_FORMAT_Z24X8_UNORM)
      return fetch_depth;
   if (layout == UTIL_FORMAT_LAYOUT_ASTC)
      return tex_astc_function(format);
   if (layout == UTIL_FORMAT_LAYOUT_ETC && format != PIPE_FORMAT_ETC1_RGB8)
      return tex_etc2_function(format);
   return util_format_fetch_rgba_func(format);
}

/* Of the formats that have no sRGB variant: color and alpha as they are. */
bool
tex_get_format(unsigned code, bool srgb, struct tex_format *format)
{
   enum pipe_format pipe = formats[code & 127];
   if (pipe == PIPE_FORMAT_NONE)
      return false;
   if (srgb && util_format_srgb(pipe) != PIPE_FORMAT_NONE)
      pipe = util_format_srgb(pipe);
   const struct util_format_description *desc = util_format_description(pipe);
   format->fetch = fetch_function(pipe, desc->layout);
   format->block_width = desc->block.width;
   format->block_height = desc->block.height;
   format->block_bytes = desc->block.bits / 8;
   format->integer = util_format_is_pure_integer(pipe);
   format->wide =
      desc->layout == UTIL_FORMAT_LAYOUT_PLAIN && desc->channel[0].size > 16;
   format->fixed = desc->channel[0].normalized;
   format->bytes = pipe == PIPE_FORMAT_R8G8B8A8_UNORM;
   return format->fetch;
}
