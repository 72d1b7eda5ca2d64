/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Layouts of VideoCore IV against those of Mesa's driver: images that it tiles, read by the texture unit in every format whose
 * pixels have bytes of their own, and by the tile buffer's transfers.
 */

#include "unit.h"
#include "pipe/p_state.h"
#include "vc4/kernel/vc4_packet.h"
#include "vc4/vc4_tiling.h"

#include "v3d_internal.h"

#define BASE 0x100000u
#define SIZE 0x200000u

static uint8_t *memory, *linear, *back;
static struct v3d *v3d;

SETUP
{
   struct v3d_options options = { .threads = 1, .strict = true };
   memory = aligned_alloc(4096, SIZE);
   linear = malloc(SIZE);
   back = malloc(SIZE);
   v3d = v3d_create(&options);
   for (uint32_t i = 0; i < SIZE; i++)
      linear[i] = (i * 2654435761u) >> 24;
   assert_true(v3d_map(v3d, BASE, SIZE, memory));
}

TEARDOWN
{
   v3d_destroy(v3d);
   free(memory);
   free(linear);
   free(back);
}

/* In micro-tiles: below, at and above the border between the layouts; odd numbers of tiles and rows of tiles. */
static const struct {
   uint16_t x, y;
} sizes[] = {
   { 1, 1 }, { 3, 2 }, { 4, 4 }, { 4, 9 }, { 16, 3 }, { 5, 5 }, { 8, 8 }, { 9, 17 }, { 24, 24 }, { 33, 12 },
};

/* Mesa tiles an image of so many pixels, a layout's padding included, at the beginning of memory. */
static enum tiling
tile(uint32_t *width, uint32_t *height, unsigned cpp)
{
   bool lt = vc4_size_is_lt(*width, *height, cpp);
   enum tiling tiling = lt ? TILING_LT : TILING_T;
   assert_int_equal(tiling_is_lt(*width, *height, cpp), lt);
   tiling_pad(tiling, width, height, cpp);
   const struct pipe_box box = { .width = *width, .height = *height, .depth = 1 };
   memset(memory, 0, SIZE);
   vc4_store_tiled_image(memory, *width * cpp, linear, *width * cpp, lt ? VC4_TILING_FORMAT_LT : VC4_TILING_FORMAT_T, cpp, &box);
   return tiling;
}

TEST(offsets)
{
   for (unsigned cpp = 1; cpp <= 8; cpp *= 2) {
      assert_int_equal(tiling_utile_width(cpp), vc4_utile_width(cpp));
      assert_int_equal(tiling_utile_height(cpp), vc4_utile_height(cpp));
      for (unsigned i = 0; i < COUNT(sizes); i++) {
         uint32_t width = sizes[i].x * vc4_utile_width(cpp), height = sizes[i].y * vc4_utile_height(cpp);
         enum tiling tiling = tile(&width, &height, cpp);
         for (uint32_t y = 0; y < height; y++) {
            for (uint32_t x = 0; x < width; x++)
               memcpy(back + (y * width + x) * cpp, memory + tiling_offset(tiling, width, cpp, x, y), cpp);
         }
         if (memcmp(back, linear, width * height * cpp))
            fail_msg("%ux%u of %u bytes: another layout", width, height, cpp);
      }
   }
}

/* What a format makes of a pixel, from one that lies in a texture of its own. */
static uint32_t
decode_alone(unsigned format, const uint8_t *pixel, unsigned cpp)
{
   struct tmu_texture t;
   const uint32_t config[4] = { (BASE + SIZE - 4096) | (format & 15) << 4, (format >> 4) << 31 | 1 << 20 | 1 << 8 };
   memcpy(memory + SIZE - 4096, pixel, cpp);
   tmu_parse(v3d, config, 2, &t);
   return tmu_fetch(&t, &t.levels[0], 0, 0, 0);
}

static const struct {
   const char *name;
   uint8_t format, cpp;
} formats[] = {
   { "RGBA8888", 0, 4 },  { "RGBX8888", 1, 4 }, { "RGBA4444", 2, 2 }, { "RGBA5551", 3, 2 }, { "RGB565", 4, 2 },
   { "LUMINANCE", 5, 1 }, { "ALPHA", 6, 1 },    { "LUMALPHA", 7, 2 }, { "ETC1", 8, 8 },     { "S16F", 9, 2 },
   { "S8", 10, 1 },       { "S16", 11, 2 },
};

static void
check_texture(unsigned f, uint32_t ux, uint32_t uy)
{
   const unsigned cpp = formats[f].cpp, block = cpp == 8 ? 4 : 1;
   uint32_t width = ux * vc4_utile_width(cpp), height = uy * vc4_utile_height(cpp);
   const uint32_t w = width, h = height;
   struct tmu_texture t;
   tile(&width, &height, cpp);
   const uint32_t config[4] = { BASE | (formats[f].format & 15) << 4, (h * block & 0x7ff) << 20 | (w * block & 0x7ff) << 8 };
   tmu_parse(v3d, config, 2, &t);
   for (uint32_t y = 0; y < h; y++) {
      for (uint32_t x = 0; x < w; x++) {
         uint32_t got = tmu_fetch(&t, &t.levels[0], 0, x * block, y * block);
         uint32_t expected = decode_alone(formats[f].format, linear + (y * width + x) * cpp, cpp);
         if (got != expected)
            fail_msg("%s, %ux%u: (%u, %u) is 0x%08x, not 0x%08x", formats[f].name, w, h, x, y, got, expected);
      }
   }
}

TEST(textures)
{
   for (unsigned f = 0; f < COUNT(formats); f++) {
      for (unsigned i = 0; i < COUNT(sizes); i++)
         check_texture(f, sizes[i].x, sizes[i].y);
   }
}

/* Tiles that are loaded from and stored to images of Mesa's, in both formats. */
TEST(transfers)
{
   static struct tile_buffer tile_buffer;
   for (unsigned cpp = 2; cpp <= 4; cpp += 2) {
      for (unsigned i = 0; i < COUNT(sizes); i++) {
         uint32_t width = sizes[i].x * vc4_utile_width(cpp), height = sizes[i].y * vc4_utile_height(cpp);
         const struct tile_frame frame = { .width = width, .height = height };
         struct tile_transfer transfer = {
            .color = true, .address = BASE, .tiling = tile(&width, &height, cpp), .format = cpp == 2 ? 2 : 0,
         };
         for (unsigned tile_y = 0; tile_y * 64 < frame.height; tile_y++) {
            for (unsigned tile_x = 0; tile_x * 64 < frame.width; tile_x++) {
               transfer.address = BASE;
               assert_true(tlb_transfer(v3d, &tile_buffer, &transfer, &frame, tile_x, tile_y, false));
               transfer.address = BASE + SIZE / 2;
               assert_true(tlb_transfer(v3d, &tile_buffer, &transfer, &frame, tile_x, tile_y, true));
            }
         }
         const struct pipe_box box = { .width = frame.width, .height = frame.height, .depth = 1 };
         vc4_load_tiled_image(back, width * cpp, memory + SIZE / 2, width * cpp,
                              transfer.tiling == TILING_LT ? VC4_TILING_FORMAT_LT : VC4_TILING_FORMAT_T, cpp, &box);
         for (uint32_t y = 0; y < frame.height; y++)
            assert_memory_equal(back + y * width * cpp, linear + y * width * cpp, frame.width * cpp);
      }
   }
}
