/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * One texel of a compressed 4x4 block: S3TC as published by the
 * EXT_texture_compression_s3tc specification, ETC1 as published by
 * OES_compressed_ETC1_RGB8_texture with all eight bytes of a block in reverse
 * order (surfaces-and-textures.md 6.6).
 *
 * Colours are computed in 8 bits and then converted like any 8-bit channel.
 */

#include "fragment.h"
#include "tegra20/gr3d_regs.h"

static uint32_t
little16(const uint8_t *p)
{
   return p[0] | p[1] << 8;
}

static void
expand_565(uint32_t c, int rgb[3])
{
   unsigned r = c >> 11 & 31, g = c >> 5 & 63, b = c & 31;
   rgb[0] = (int)(r << 3 | r >> 2);
   rgb[1] = (int)(g << 2 | g >> 4);
   rgb[2] = (int)(b << 3 | b >> 2);
}

/* The colour half of a block.  DXT1 has a mode of three colours and
 * transparent black (assumption A65). */
static void
s3tc_colour(const uint8_t *block, bool dxt1, unsigned x, unsigned y,
            int rgba[4])
{
   uint32_t c0 = little16(block), c1 = little16(block + 2);
   unsigned code = block[4 + y] >> (2 * x) & 3;
   int a[3], b[3];
   expand_565(c0, a);
   expand_565(c1, b);
   bool three = dxt1 && c0 <= c1;
   rgba[3] = 255;
   for (unsigned i = 0; i < 3; i++) {
      switch (code) {
      case 0:
         rgba[i] = a[i];
         break;
      case 1:
         rgba[i] = b[i];
         break;
      case 2:
         rgba[i] = three ? (a[i] + b[i]) / 2 : (2 * a[i] + b[i]) / 3;
         break;
      default:
         rgba[i] = three ? 0 : (a[i] + 2 * b[i]) / 3;
         break;
      }
   }
   if (three && code == 3)
      rgba[3] = 0;
}

static int
dxt3_alpha(const uint8_t *block, unsigned x, unsigned y)
{
   unsigned code = block[2 * y + x / 2] >> (x & 1 ? 4 : 0) & 15;
   return (int)(code * 17);
}

static int
dxt5_alpha(const uint8_t *block, unsigned x, unsigned y)
{
   int a0 = block[0], a1 = block[1];
   unsigned bit = 3 * (4 * y + x);
   uint64_t codes = 0;
   for (unsigned i = 0; i < 6; i++)
      codes |= (uint64_t)block[2 + i] << (8 * i);
   int code = (int)(codes >> bit & 7);
   if (code == 0)
      return a0;
   if (code == 1)
      return a1;
   if (a0 > a1)
      return ((8 - code) * a0 + (code - 1) * a1) / 7;
   if (code < 6)
      return ((6 - code) * a0 + (code - 1) * a1) / 5;
   return code == 6 ? 0 : 255;
}

static const int etc1_modifier[8][2] = {
   { 2, 8 },   { 5, 17 },  { 9, 29 },   { 13, 42 },
   { 18, 60 }, { 24, 80 }, { 33, 106 }, { 47, 183 },
};

static int
clamp255(int v)
{
   return v < 0 ? 0 : v > 255 ? 255 : v;
}

static void
etc1_colour(const uint8_t *block, unsigned x, unsigned y, int rgba[4])
{
   /* Reversed bytes of a big-endian number: little-endian. */
   uint64_t bits = 0;
   for (unsigned i = 0; i < 8; i++)
      bits |= (uint64_t)block[i] << (8 * i);
   bool differential = bits >> 33 & 1, flip = bits >> 32 & 1;
   unsigned second = flip ? y >= 2 : x >= 2;
   unsigned table = (unsigned)(bits >> (second ? 34 : 37)) & 7;
   unsigned texel = 4 * x + y;
   unsigned large = (unsigned)(bits >> texel) & 1,
            negative = (unsigned)(bits >> (16 + texel)) & 1;
   int modifier = etc1_modifier[table][large];
   if (negative)
      modifier = -modifier;
   for (unsigned i = 0; i < 3; i++) {
      unsigned shift = 56 - 8 * i;
      int base;
      if (differential) {
         int v = (int)(bits >> (shift + 3) & 31);
         int delta = (int)(bits >> shift & 7);
         if (second)
            v = (v + (delta >= 4 ? delta - 8 : delta)) & 31;
         base = v << 3 | v >> 2;
      } else {
         int v = (int)(bits >> (shift + (second ? 0 : 4)) & 15);
         base = v * 17;
      }
      rgba[i] = clamp255(base + modifier);
   }
   rgba[3] = 255;
}

void
sim_fs_decode_block_texel(unsigned format, const uint8_t *block, unsigned x,
                          unsigned y, int32_t component[4])
{
   int rgba[4] = { 0, 0, 0, 0 };
   switch (format) {
   case GR3D_PIXEL_FORMAT_DXT1:
      s3tc_colour(block, true, x, y, rgba);
      break;
   case GR3D_PIXEL_FORMAT_DXT3:
      s3tc_colour(block + 8, false, x, y, rgba);
      rgba[3] = dxt3_alpha(block, x, y);
      break;
   case GR3D_PIXEL_FORMAT_DXT5:
      s3tc_colour(block + 8, false, x, y, rgba);
      rgba[3] = dxt5_alpha(block, x, y);
      break;
   default:
      etc1_colour(block, x, y, rgba);
      break;
   }
   for (unsigned i = 0; i < 4; i++)
      component[i] = sim_fx10_from_unorm8((uint8_t)rgba[i]);
}
