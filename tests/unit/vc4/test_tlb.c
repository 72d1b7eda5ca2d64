/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The tile buffer of VideoCore IV: stencil operations, depths of samples, the mean of samples, 16-bit colours.
 */

#include "unit.h"
#include "vc4_memory.h"

enum { NEVER = 0, ALWAYS = 7 };

static struct tile_buffer tile;
static struct tlb_block block;
static qpu_u all; /* lanes */

static void
begin(bool multisample, unsigned depth_func, uint32_t z, uint8_t stencil)
{
   memset(&block, 0, sizeof(block));
   all = (qpu_u){ 0 } + ~0u;
   tlb_clear(&tile, &(struct tile_clear){ .color = { 0, 0 }, .z = z, .stencil = stencil }, true, true);
   block.tile = &tile;
   block.multisample = multisample;
   block.config = depth_func << 12 | CONFIG_Z_UPDATE;
   for (unsigned i = 0; i < 4; i++)
      block.quad[i] = i;
   memset(block.cover, multisample ? 15 : 1, sizeof(block.cover));
}

/* --- stencil --- */

#define REF 0xa5

/* What an operation makes of 0, 5 and 255. */
static const struct {
   const char *name;
   uint8_t results[3];
} operations[8] = {
   { "zero", { 0, 0, 0 } },           { "keep", { 0, 5, 255 } },
   { "replace", { REF, REF, REF } },  { "increment, clamped", { 1, 6, 255 } },
   { "decrement, clamped", { 0, 4, 254 } }, { "invert", { 255, 250, 0 } },
   { "increment, wrapped", { 1, 6, 0 } },   { "decrement, wrapped", { 255, 4, 254 } },
};

enum outcome { FAILS, Z_FAILS, PASSES };

/* The stencil that a sample has behind an operation for one outcome, and another one for both others. */
static uint8_t
stencil_behind(enum outcome outcome, unsigned op, uint8_t before, bool back)
{
   const unsigned other = op == 1 ? 0 : 1, another = op == 5 ? 0 : 5;
   const unsigned ops[3] = { outcome == FAILS ? op : other, outcome == Z_FAILS ? op : other, outcome == PASSES ? op : other };
   const qpu_u z = { 0 };

   begin(false, outcome == Z_FAILS ? NEVER : ALWAYS, 0x123456, before);
   block.back = back;
   /* the other side does something else */
   tlb_write_stencil(&block, (back ? 1u : 2u) << 30 | 3u << 28 | another << 25 | another << 22 | another << 19 | ALWAYS << 16);
   tlb_write_stencil(&block, (back ? 2u : 1u) << 30 | 3u << 28 | ops[1] << 25 | ops[2] << 22 | ops[0] << 19 |
                                (outcome == FAILS ? NEVER : ALWAYS) << 16 | REF << 8 | 0xff);
   tlb_write_z(&block, &z, &all);
   assert_int_equal(block.cover[0], outcome == PASSES);
   assert_int_equal(tile.zs[0] >> 8, outcome == PASSES ? 0 : 0x123456);
   return tile.zs[0];
}

TEST(stencil_operations)
{
   static const char *const outcomes[] = { "stencil fails", "depth fails", "passes" };
   static const uint8_t values[3] = { 0, 5, 255 };
   for (unsigned i = 0; i < 8 * 3 * 3 * 2; i++) {
      const unsigned op = i % 8, outcome = i / 8 % 3, value = i / 24 % 3;
      uint8_t got = stencil_behind(outcome, op, values[value], i / 72);
      if (got != operations[op].results[value])
         fail_msg("%s, %s: 0x%02x becomes 0x%02x, not 0x%02x", outcomes[outcome], operations[op].name, values[value], got,
                  operations[op].results[value]);
   }
}

/* The reference is on the left, both sides go through the mask: of 5 and 7 with masks 0xff and 0x05. */
TEST(stencil_functions)
{
   static const bool different[8] = { false, true, false, true, false, true, false, true },
                     same[8] = { false, false, true, true, false, false, true, true };
   for (unsigned i = 0; i < 16; i++) {
      const qpu_u z = { 0 };
      begin(false, ALWAYS, 0, 7);
      tlb_write_stencil(&block, 1u << 30 | 3u << 28 | 1 << 25 | 1 << 22 | 1 << 19 | (i & 7) << 16 | 5 << 8 | (i < 8 ? 0xff : 0x05));
      tlb_write_z(&block, &z, &all);
      assert_int_equal(block.cover[0], (i < 8 ? different : same)[i & 7]);
   }
}

/* Bits that are written: of short masks, of a word of their own. */
TEST(stencil_masks)
{
   static const uint8_t masks[4] = { 0x01, 0x03, 0x0f, 0xff };
   const qpu_u z = { 0 };
   for (unsigned i = 0; i < 5; i++) {
      begin(false, ALWAYS, 0, 0);
      tlb_write_stencil(&block, 3u << 30 | (i & 3) << 28 | 2 << 22 | ALWAYS << 16 | 0xff << 8 | 0xff);
      if (i == 4)
         tlb_write_stencil(&block, 0x5a << 8 | 0x3c);
      tlb_write_z(&block, &z, &all);
      assert_int_equal(tile.zs[0] & 0xff, i == 4 ? 0x3c : masks[i]);
   }
}

/* --- samples --- */

/* Each sample has the depth of its place, within 24 bits, unless the program made another one; only those that pass are drawn. */
TEST(sample_depths)
{
   static const struct {
      uint32_t z;
      float dz[4];
      uint32_t depths[4];
   } cases[] = {
      { 100, { -2, -1, 1, 2 }, { 98, 99, 101, 102 } },
      { 1, { -2, 0, 0, 3 }, { 0, 1, 1, 4 } },
      { 0xfffffe, { -1, 0, 1, 2 }, { 0xfffffd, 0xfffffe, 0xffffff, 0xffffff } },
   };
   for (unsigned i = 0; i < COUNT(cases) * 2; i++) {
      const unsigned c = i / 2, written = i & 1;
      begin(true, ALWAYS, 0, 0x77);
      memcpy(block.sample_dz, cases[c].dz, sizeof(cases[c].dz));
      block.z = (qpu_u){ 0 } + (cases[c].z + written);
      const qpu_u z = (qpu_u){ 0 } + cases[c].z;
      tlb_write_z(&block, &z, &all);
      for (unsigned s = 0; s < 4; s++)
         assert_int_equal(tile.zs[s * 4], (written ? cases[c].z : cases[c].depths[s]) << 8 | 0x77);
   }
   begin(true, 1, 100, 0);
   memcpy(block.sample_dz, (float[4]){ -2, -1, 1, 0 }, sizeof(block.sample_dz));
   block.z = (qpu_u){ 0 } + 100;
   tlb_write_z(&block, &block.z, &all);
   assert_int_equal(block.cover[0], 3);
   const qpu_u color = (qpu_u){ 0 } + 0x11223344;
   tlb_write_color(&block, &color, &all, false);
   for (unsigned s = 0; s < 4; s++)
      assert_int_equal(tile.color[s * 4], s < 2 ? 0x11223344 : 0);
}

/* The mean is rounded, of each channel on its own. */
TEST(resolve)
{
   static const struct {
      uint32_t samples[4], mean;
   } cases[] = {
      { { 1, 2, 2, 2 }, 2 }, { { 1, 1, 1, 2 }, 1 }, { { 0x01000000, 0x02000000, 0x02000000, 0x02000000 }, 0x02000000 },
      { { 0xff00ff00, 0xff00ff00, 0xff00ff00, 0xff00ff00 }, 0xff00ff00 }, { { 0x00010100, 0x00020200, 0x00020200, 0x00020100 }, 0x00020200 },
      { { 0x000000ff, 0x000000ff, 0x000000ff, 0x000000fe }, 0x000000ff }, { { 255, 0, 0, 255 }, 128 },
   };
   const struct tile_transfer store = { .color = true, .address = BASE, .tiling = TILING_LT, .decimate = 1, .store = true };
   const struct tile_frame frame = { .width = 4, .height = 4, .multisample = true };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      for (unsigned s = 0; s < 4; s++)
         tile.color[s * 4] = cases[i].samples[s];
      assert_true(tlb_transfer(v3d, &tile, &store, &frame, 0, 0, true));
      assert_int_equal(*(uint32_t *)memory, cases[i].mean);
   }
}

/* Colours of 16 bits: stores cut, loads repeat the upper bits, alpha is one. */
TEST(565)
{
   static const struct {
      uint16_t half;
      uint32_t loaded, stored;
   } cases[] = {
      { 0x0000, 0xff000000, 0x00030307 }, { 0xffff, 0xffffffff, 0x12ffffff }, { 0x8000, 0xff000084, 0xff030387 },
      { 0x0400, 0xff008200, 0xff038307 }, { 0x0010, 0xff840000, 0xff870307 }, { 0x0821, 0xff080408, 0xff0f070f },
   };
   const struct tile_transfer transfer = { .color = true, .address = BASE, .tiling = TILING_LT, .format = 2 };
   const struct tile_frame frame = { .width = 4, .height = 4 };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      memcpy(memory, &cases[i].half, 2);
      assert_true(tlb_transfer(v3d, &tile, &transfer, &frame, 0, 0, false));
      assert_int_equal(tile.color[0], cases[i].loaded);
      tile.color[0] = cases[i].stored;
      assert_true(tlb_transfer(v3d, &tile, &transfer, &frame, 0, 0, true));
      assert_int_equal(*(uint16_t *)memory, cases[i].half);
   }
}
