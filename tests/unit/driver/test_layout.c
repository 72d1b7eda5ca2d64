/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Memory layouts, against numbers of surfaces-and-textures.md.
 */

#include "unit.h"
#include "tegra20_layout.h"

/* Of a texture, where 0 stands for one layer, column, level or texel. */
static struct tegra20_layout
make_layout(struct tegra20_layout_info info)
{
   struct tegra20_layout layout;

   info.layers = info.layers ? info.layers : 1;
   info.columns = info.columns ? info.columns : 1;
   info.num_levels = info.num_levels ? info.num_levels : 1;
   info.block_width = info.block_height = info.block_width ? info.block_width : 1;
   assert_true(tegra20_layout_init(&layout, &info));
   return layout;
}
#define LAYOUT(...) make_layout((struct tegra20_layout_info){__VA_ARGS__})

/* The table of section 6.5: 1024 x 1024, 4 bytes per texel. */
TEST(mip_chain)
{
   static const struct {
      uint32_t pitch, offset;
   } expected[] = {
      {4096, 0x000000}, {2048, 0x400000}, {1024, 0x500000}, {512, 0x540000}, {256, 0x550000}, {128, 0x554000},
      {64, 0x555000},   {32, 0x555400},   {16, 0x555500},   {16, 0x555540},  {16, 0x555560},
   };
   struct tegra20_layout layout = LAYOUT(.width = 1024, .height = 1024, .cpp = 4, .num_levels = 11);

   assert_true(layout.pot);
   for (unsigned l = 0; l < 11; l++) {
      assert_int_equal(layout.levels[l].pitch, expected[l].pitch);
      assert_int_equal(layout.levels[l].offset, expected[l].offset);
   }
   assert_int_equal(layout.size, 0x555600); /* 0x555570, rounded up */
}

TEST(pitch)
{
   static const struct {
      enum tegra20_layout_mode mode;
      unsigned width, height, cpp, pitch;
   } rows[] = {
      {TEGRA20_LAYOUT_TEXTURE, 300, 300, 4, 1216}, /* 3.1: not 1200 */
      {TEGRA20_LAYOUT_TEXTURE, 8, 8, 4, 32},
      {TEGRA20_LAYOUT_TEXTURE, 2, 2, 4, 16},
      {TEGRA20_LAYOUT_TEXTURE, 8, 7, 4, 64},
      {TEGRA20_LAYOUT_TEXTURE, 8, 8, 1, 16},
      {TEGRA20_LAYOUT_SCANOUT, 8, 8, 4, 64},
      {TEGRA20_LAYOUT_SCANOUT, 1366, 768, 4, 5504},
      {TEGRA20_LAYOUT_TILED, 100, 100, 2, 256},
      {TEGRA20_LAYOUT_TILED, 640, 480, 2, 1280},
      {TEGRA20_LAYOUT_TILED, 720, 480, 1, 768},
   };

   for (unsigned i = 0; i < COUNT(rows); i++) {
      struct tegra20_layout layout =
         LAYOUT(.mode = rows[i].mode, .width = rows[i].width, .height = rows[i].height, .cpp = rows[i].cpp);
      assert_int_equal(layout.levels[0].pitch, rows[i].pitch);
   }
}

/* Tiled heights are padded to whole tiles, linear ones to 16 bytes of rows (3.2, 4.3). */
TEST(size)
{
   assert_int_equal(LAYOUT(.mode = TEGRA20_LAYOUT_TILED, .width = 100, .height = 100, .cpp = 2).size, 256 * 112);
   assert_int_equal(LAYOUT(.mode = TEGRA20_LAYOUT_SCANOUT, .width = 64, .height = 65, .cpp = 4).size, 256 * 68);
}

TEST(cube)
{
   struct tegra20_layout layout =
      LAYOUT(.width = 16, .height = 16, .layers = 6, .columns = 4, .downwards = true, .num_levels = 5, .cpp = 4);

   /* a 64 x 32 texture */
   assert_true(layout.pot);
   assert_int_equal(layout.rows, 2);
   assert_int_equal(layout.levels[0].pitch, 256);
   assert_int_equal(layout.levels[1].offset, 256 * 32);
   assert_int_equal(layout.levels[4].offset, 256 * 32 + 128 * 16 + 64 * 8 + 32 * 4);
   /* face 5: third column of the second row */
   assert_int_equal(tegra20_layout_offset(&layout, 0, 5), 16 * 256 + 2 * 64);
   assert_int_equal(tegra20_layout_offset(&layout, 1, 2), 256 * 32 + 32);
}

TEST(compressed)
{
   struct tegra20_layout layout = LAYOUT(.width = 812, .height = 812, .cpp = 8, .block_width = 4);

   assert_int_equal(layout.levels[0].pitch, 1664); /* 203 blocks of 8 bytes, rounded up to 64 */
}

/* A137: 812 rows and 64 of a second level, up to 1,024 rows of the first. */
TEST(pot_rows)
{
   assert_int_equal(LAYOUT(.width = 16, .height = 812, .num_levels = 2, .cpp = 4).size, 812 * 64 + 408 * 64);
   assert_int_equal(LAYOUT(.width = 16, .height = 812, .cpp = 4, .pot_rows = true).size, 1024 * 64);
   assert_int_equal(LAYOUT(.width = 64, .height = 64, .cpp = 4, .pot_rows = true).size, 64 * 256);
}

TEST(too_large)
{
   const struct tegra20_layout_info info = {
      .mode = TEGRA20_LAYOUT_TEXTURE, .width = 65535, .height = 65535, .layers = 1, .columns = 1, .num_levels = 1,
      .cpp = 16, .block_width = 1, .block_height = 1,
   };
   struct tegra20_layout layout;

   assert_false(tegra20_layout_init(&layout, &info));
}

/* The worked example of section 4.2, and its neighbours. */
TEST(tiled_offset)
{
   assert_int_equal(tegra20_tiled_offset(256, 5 * 4, 17), 4372);
   assert_int_equal(tegra20_tiled_offset(256, 0, 0), 0);
   assert_int_equal(tegra20_tiled_offset(256, 15, 15), 255);
   assert_int_equal(tegra20_tiled_offset(256, 16, 0), 256);
   assert_int_equal(tegra20_tiled_offset(512, 0, 16), 8192);
}

TEST(tiled_copy)
{
   static uint8_t tiled[256 * 32], linear[40 * 20], back[40 * 20];

   for (unsigned i = 0; i < sizeof(linear); i++)
      linear[i] = i * 7 + i / 40;
   tegra20_linear_to_tiled(tiled, 256, linear, 40, 5, 9, 40, 20);
   for (unsigned y = 0; y < 20; y++) {
      for (unsigned x = 0; x < 40; x++)
         assert_int_equal(tiled[tegra20_tiled_offset(256, 5 + x, 9 + y)], linear[y * 40 + x]);
   }
   tegra20_tiled_to_linear(back, 40, tiled, 256, 5, 9, 40, 20);
   assert_memory_equal(back, linear, sizeof(linear));
}
