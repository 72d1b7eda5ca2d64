/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Formats of render targets: a4xx.xml's a4xx_color_fmt and a3xx_color_swap,
 * which says where the first component is, as formats of Mesa's util/format.
 */

#include "raster.h"

/* By swap: WZYX (red first), WXYZ (blue first), ZYXW (alpha first, then red)
 * and XYZW (alpha first, then blue). */
static const uint16_t formats[64][4] = {
   [0x01] = { PIPE_FORMAT_A8_UNORM },
   [0x02] = { PIPE_FORMAT_R8_UNORM },
   [0x03] = { PIPE_FORMAT_R8_SNORM },
   [0x04] = { PIPE_FORMAT_R8_UINT },
   [0x05] = { PIPE_FORMAT_R8_SINT },
   [0x08] = { PIPE_FORMAT_R4G4B4A4_UNORM, PIPE_FORMAT_B4G4R4A4_UNORM },
   [0x0a] = { PIPE_FORMAT_R5G5B5A1_UNORM, PIPE_FORMAT_B5G5R5A1_UNORM },
   [0x0e] = { PIPE_FORMAT_R5G6B5_UNORM, PIPE_FORMAT_B5G6R5_UNORM },
   [0x0f] = { PIPE_FORMAT_R8G8_UNORM },
   [0x10] = { PIPE_FORMAT_R8G8_SNORM },
   [0x11] = { PIPE_FORMAT_R8G8_UINT },
   [0x12] = { PIPE_FORMAT_R8G8_SINT },
   [0x13] = { PIPE_FORMAT_R16_UNORM },
   [0x14] = { PIPE_FORMAT_R16_SNORM },
   [0x15] = { PIPE_FORMAT_R16_FLOAT },
   [0x16] = { PIPE_FORMAT_R16_UINT },
   [0x17] = { PIPE_FORMAT_R16_SINT },
   [0x1a] = { PIPE_FORMAT_R8G8B8A8_UNORM, PIPE_FORMAT_B8G8R8A8_UNORM,
              PIPE_FORMAT_A8R8G8B8_UNORM, PIPE_FORMAT_A8B8G8R8_UNORM },
   [0x1c] = { PIPE_FORMAT_R8G8B8A8_SNORM },
   [0x1d] = { PIPE_FORMAT_R8G8B8A8_UINT, PIPE_FORMAT_B8G8R8A8_UINT,
              PIPE_FORMAT_A8R8G8B8_UINT, PIPE_FORMAT_A8B8G8R8_UINT },
   [0x1e] = { PIPE_FORMAT_R8G8B8A8_SINT },
   [0x1f] = { PIPE_FORMAT_R10G10B10A2_UNORM, PIPE_FORMAT_B10G10R10A2_UNORM },
   [0x22] = { PIPE_FORMAT_R10G10B10A2_UINT, PIPE_FORMAT_B10G10R10A2_UINT },
   [0x27] = { PIPE_FORMAT_R11G11B10_FLOAT },
   [0x28] = { PIPE_FORMAT_R16G16_UNORM },
   [0x29] = { PIPE_FORMAT_R16G16_SNORM },
   [0x2a] = { PIPE_FORMAT_R16G16_FLOAT },
   [0x2b] = { PIPE_FORMAT_R16G16_UINT },
   [0x2c] = { PIPE_FORMAT_R16G16_SINT },
   [0x2d] = { PIPE_FORMAT_R32_FLOAT },
   [0x2e] = { PIPE_FORMAT_R32_UINT },
   [0x2f] = { PIPE_FORMAT_R32_SINT },
   [0x34] = { PIPE_FORMAT_R16G16B16A16_UNORM },
   [0x35] = { PIPE_FORMAT_R16G16B16A16_SNORM },
   [0x36] = { PIPE_FORMAT_R16G16B16A16_FLOAT },
   [0x37] = { PIPE_FORMAT_R16G16B16A16_UINT },
   [0x38] = { PIPE_FORMAT_R16G16B16A16_SINT },
   [0x39] = { PIPE_FORMAT_R32G32_FLOAT },
   [0x3a] = { PIPE_FORMAT_R32G32_UINT },
   [0x3b] = { PIPE_FORMAT_R32G32_SINT },
   [0x3c] = { PIPE_FORMAT_R32G32B32A32_FLOAT },
   [0x3d] = { PIPE_FORMAT_R32G32B32A32_UINT },
   [0x3e] = { PIPE_FORMAT_R32G32B32A32_SINT },
};

enum pipe_format
rb_format(unsigned code, unsigned swap)
{
   return formats[code & 63][swap & 3];
}
