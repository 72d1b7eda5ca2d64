/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Blocks of ETC1: two halves of 2x4 or 4x2 pixels, each with a base colour
 * and a table of four offsets (the extension OES_compressed_ETC1_RGB8_texture
 * has the format).
 */

#include "v3d_internal.h"

static const int16_t offsets[8][2] = {
   { 2, 8 },   { 5, 17 },  { 9, 29 },   { 13, 42 },
   { 18, 60 }, { 24, 80 }, { 33, 106 }, { 47, 183 },
};

static uint32_t
clamp_byte(int value)
{
   return value < 0 ? 0 : value > 255 ? 255 : value;
}

uint32_t
tmu_decode_etc1(const uint8_t block[8], unsigned x, unsigned y)
{
   const bool flip = block[3] & 1, differential = block[3] & 2;
   const bool second = flip ? y >= 2 : x >= 2;
   int base[3];
   for (unsigned i = 0; i < 3; i++) {
      int byte = block[i];
      if (differential) {
         int value = byte >> 3, delta = byte & 7;
         if (second)
            value = (value + (delta < 4 ? delta : delta - 8)) & 31;
         base[i] = value << 3 | value >> 2;
      } else {
         int value = second ? byte & 15 : byte >> 4;
         base[i] = value * 17;
      }
   }
   unsigned table = second ? block[3] >> 2 & 7 : block[3] >> 5;
   /* Bits of the pixels column by column, from the last byte's lowest. */
   unsigned pixel = x * 4 + y;
   unsigned high = block[5 - pixel / 8] >> pixel % 8 & 1;
   unsigned low = block[7 - pixel / 8] >> pixel % 8 & 1;
   int offset = high ? -offsets[table][low] : offsets[table][low];
   return clamp_byte(base[0] + offset) | clamp_byte(base[1] + offset) << 8 |
          clamp_byte(base[2] + offset) << 16 | 0xff000000u;
}
