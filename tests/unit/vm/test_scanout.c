/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What the simulated display controller shows: formats, tiles, directions, scaling, YUV, blending, what lies outside.
 */

#include "unit.h"
#include "scanout.h"

#define ENABLE (1u << 30)
#define CSC (1u << 18)
#define OPAQUE 0xffff00 /* both weights 255 */
#define ALPHA (OPAQUE | 1 << 2)
#define DEPENDENT (2 << 2)
#define STEP_1 0x10001000

static uint8_t memory[4096];
static uint8_t picture[8 * 8 * 4];

static struct vm_display
display(unsigned width, unsigned height)
{
   return (struct vm_display){ .on = 1, .active = height << 16 | width, .border = 0x010203 };
}

static struct vm_window
window(uint32_t depth, unsigned width, unsigned height, uint32_t start, uint32_t stride)
{
   return (struct vm_window){
      .options = ENABLE, .color_depth = depth, .size = height << 16 | width, .start = { start }, .line_stride = stride,
      .dda_increment = STEP_1, .blend_1win = OPAQUE, .blend_2win_x = OPAQUE, .blend_2win_y = OPAQUE, .blend_3win_xy = OPAQUE,
   };
}

static void
assert_pixel(unsigned width, unsigned x, unsigned y, uint32_t rgb)
{
   const uint8_t *p = picture + 4 * (y * width + x);
   assert_int_equal(p[0] << 16 | p[1] << 8 | p[2], rgb);
   assert_int_equal(p[3], 255);
}

TEST(formats)
{
   static const struct {
      uint32_t depth, word, rgb, blended;
   } cases[] = {
      { 4, 0x8842, 0x884422, 0x492412 },      { 5, 0x7c00, 0xff0000, 0 },
      { 5, 0x83e0, 0x00ff00, 0x00ff00 },      { 6, 0xf800, 0xff0000, 0xff0000 },
      { 6, 0x07e0, 0x00ff00, 0x00ff00 },      { 6, 0x001f, 0x0000ff, 0x0000ff },
      { 7, 0xf801, 0xff0000, 0xff0000 },      { 7, 0x003e, 0x0000ff, 0 },
      { 12, 0x80112233, 0x112233, 0x09111a }, { 13, 0x80112233, 0x332211, 0x1a1109 },
      { 3, 0xffffffff, 0x000000, 0 },
   };
   for (unsigned i = 0; i < 2 * COUNT(cases); i++) {
      struct vm_display d = display(1, 1);
      d.windows[0] = window(cases[i / 2].depth, 1, 1, 64, 16);
      if (i % 2)
         d.windows[0].blend_1win = ALPHA;
      memcpy(memory + 64, &cases[i / 2].word, 4);
      scanout_compose(memory, sizeof(memory), &d, picture);
      assert_pixel(1, 0, 0, i % 2 ? cases[i / 2].blended : cases[i / 2].rgb);
   }
}

static const struct {
   const char *name;
   uint32_t options, h_offset, v_offset, mode, dda;
   uint32_t words[3]; /* of the pixels (0, 0), (1, 0), (0, 1): their address / 4 */
} address_cases[] = {
   { "linear", 0, 0, 0, 0, STEP_1, { 0, 1, 16 } },
   { "offset", 0, 8, 1, 0, STEP_1, { 18, 19, 34 } },
   { "mirrored", 1 << 0, 28, 0, 0, STEP_1, { 7, 6, 23 } },
   { "upside down", 1 << 2, 0, 3, 0, STEP_1, { 48, 49, 32 } },
   { "every second", 0, 0, 0, 0, 0x20002000, { 0, 2, 32 } },
   { "doubled", 0, 0, 0, 0, 0x08000800, { 0, 0, 0 } },
   { "tiled", 0, 0, 0, 1, STEP_1, { 0, 1, 4 } },
   { "next tile", 0, 16, 0, 1, STEP_1, { 64, 65, 68 } },
   { "tile below", 0, 0, 15, 1, STEP_1, { 60, 61, 256 } },
};

/* Every byte of the surface tells where it lies. */
TEST_ROWS(addresses, address_cases)
{
   for (uint32_t i = 0; i < sizeof(memory) / 4; i++) {
      uint32_t word = (i & 0xff) << 16 | i >> 8;
      memcpy(memory + 4 * i, &word, 4);
   }
   struct vm_display d = display(4, 2);
   d.windows[0] = window(12, 4, 2, 0, 64);
   d.windows[0].options |= c->options;
   d.windows[0].h_offset = c->h_offset;
   d.windows[0].v_offset = c->v_offset;
   d.windows[0].address_mode = c->mode;
   d.windows[0].dda_increment = c->dda;
   scanout_compose(memory, sizeof(memory), &d, picture);
   for (unsigned p = 0; p < 3; p++) {
      static const unsigned at[3] = { 0, 4, 16 };
      assert_int_equal(picture[at[p]] | picture[at[p] + 2] << 8, c->words[p]);
   }
}

TEST(blending)
{
   static const struct {
      uint32_t bottom, top;           /* pixels, B8G8R8A8 */
      uint32_t blend_bottom, blend_top;
      uint32_t rgb;
   } cases[] = {
      { 0xff0000ff, 0xffff0000, 0, OPAQUE, 0xff0000 },
      { 0xff0000ff, 0x80ff0000, DEPENDENT, ALPHA, 0x80007f },
      { 0xff0000ff, 0x00ff0000, DEPENDENT, ALPHA, 0x0000ff },
      { 0xffffffff, 0xffffffff, OPAQUE, OPAQUE, 0xffffff }, /* saturates */
   };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      struct vm_display d = display(2, 1);
      d.windows[0] = window(12, 1, 1, 0, 16);
      d.windows[1] = window(12, 1, 1, 64, 16);
      d.windows[0].blend_2win_x = cases[i].blend_bottom;
      d.windows[1].blend_2win_x = cases[i].blend_top;
      memcpy(memory, &cases[i].bottom, 4);
      memcpy(memory + 64, &cases[i].top, 4);
      scanout_compose(memory, sizeof(memory), &d, picture);
      assert_pixel(2, 0, 0, cases[i].rgb);
      assert_pixel(2, 1, 0, 0x030201); /* the border */
   }
}

TEST(yuv)
{
   static const struct {
      uint8_t y, u, v;
      uint32_t rgb;
   } cases[] = { { 16, 128, 128, 0x000000 }, { 235, 128, 128, 0xffffff }, { 81, 90, 240, 0xff0000 }, { 41, 240, 110, 0x0000ff } };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      struct vm_display d = display(2, 2);
      d.windows[1] = window(18, 2, 2, 0, 16 << 16 | 16);
      d.windows[1].options |= CSC;
      d.windows[1].start[1] = 512;
      d.windows[1].start[2] = 1024;
      const uint32_t csc[8] = { 0xf0, 0x12a, 0, 0x198, 0x39b, 0x32f, 0x204, 0 };
      memcpy(d.windows[1].csc, csc, sizeof(csc));
      memset(memory, cases[i].y, 32);
      memory[512] = cases[i].u;
      memory[1024] = cases[i].v;
      scanout_compose(memory, sizeof(memory), &d, picture);
      for (unsigned c = 0; c < 3; c++)
         assert_in_range(picture[12 + c] + 3, cases[i].rgb >> (16 - 8 * c) & 0xff, (cases[i].rgb >> (16 - 8 * c) & 0xff) + 6);
   }
}

/* Two pixels in a word, which share U and V; the matrix shows luma, then U and V less 128. */
TEST(packed_yuv)
{
   static const uint32_t luma[8] = { 0, 0x100, 0, 0, 0, 0, 0, 0 }, colour[8] = { 0, 0, 0x100, 0, 0, 0x100, 0, 0 };
   static const uint32_t words[2] = { 0xd1e2c3f4, 0xe2d1f4c3 };

   for (unsigned swap = 0; swap < 2; swap++) {
      struct vm_display d = display(2, 1);

      d.windows[0] = window(16, 2, 1, 64, 16);
      d.windows[0].options |= CSC;
      d.windows[0].byte_swap = swap;
      memcpy(memory + 64, &words[swap], 4);
      memcpy(d.windows[0].csc, luma, sizeof(luma));
      scanout_compose(memory, sizeof(memory), &d, picture);
      assert_pixel(2, 0, 0, 0xc3c3c3);
      assert_pixel(2, 1, 0, 0xd1d1d1);
      memcpy(d.windows[0].csc, colour, sizeof(colour));
      scanout_compose(memory, sizeof(memory), &d, picture);
      assert_pixel(2, 0, 0, 0x746200);
      assert_pixel(2, 1, 0, 0x746200);
   }
}

/* No address leaves memory. */
TEST(outside)
{
   struct vm_display d = display(2, 1);
   memset(memory, 0xff, sizeof(memory));
   d.windows[0] = window(12, 2, 1, sizeof(memory) - 4, 16);
   scanout_compose(memory, sizeof(memory), &d, picture);
   assert_pixel(2, 0, 0, 0xffffff);
   assert_pixel(2, 1, 0, 0x000000);
   d.windows[0].start[0] = 0xfffffffc;
   scanout_compose(memory, sizeof(memory), &d, picture);
   assert_pixel(2, 0, 0, 0x000000);
   d.on = 0;
   assert_int_equal(scanout_width(&d), 0);
   assert_int_equal(scanout_height(&d), 0);
}
