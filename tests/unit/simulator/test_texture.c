/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Textures and surfaces in memory: wrap modes, filters, levels, formats, layouts, component order.
 */

#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"
#include "fragment_harness.h"
#include "tegra20/gr3d_regs.h"

#define TEXTURE_OFFSET 0x40000u

/* r0,r1 = tram0.xy; r2,r3 = tex0(r0,r1); store r2,r3 */
static const struct fragment_vector sample = {
   .rows = 1, .num_execs = 1, .mfu_sched = {1}, .num_mfu = 1, .mfu = {{0x104e51ba, 0x00000102}}, .tex = {0x420},
   .num_alu = 1, .dw = {0x28005},
};
/* fetch surface 1 into r2,r3; store to surface 3 */
static const struct fragment_vector fetch = {
   .rows = 1, .num_execs = 1, .pseq = {0x0081000a}, .num_mfu = 1, .num_alu = 1, .dw = {0x2800d},
};
/* r0,r1 = uniforms; store r0,r1 to surface 1 */
static const struct fragment_vector constant = {
   .rows = 1, .num_execs = 1, .alu_sched = {1}, .num_alu = 1, .dw = {0x20005},
   .alu = {{0x00000000 | 0x6000 | 32 << 6, 0x3f41f200, 1 << 15 | 0x6000 | 33 << 6, 0x3f41f200, 0x000fe7e8, 0x3e41f200,
            0x000fe7e8, 0x3e41f200}},
};

static void
surface(struct harness *h, unsigned index, unsigned format, unsigned pitch, bool tiled, uint32_t offset)
{
   h->gr3d->regs.value[GR3D_RT_PARAMS(index)] = format << 2 | pitch << 8 | (uint32_t)tiled << 26;
   h->gr3d->regs.value[GR3D_RT_PTR(index)] = HARNESS_MEMORY_BASE + offset;
}

static struct harness *
start(unsigned size)
{
   struct harness *h = harness_create(size, size);
   surface(h, 1, GR3D_PIXEL_FORMAT_RGBA8888, 1024, false, 0);
   h->gr3d->regs.value[GR3D_TEXTURE_POINTER(0)] = HARNESS_MEMORY_BASE + TEXTURE_OFFSET;
   return h;
}

/* Draws a colour, in 1/256. */
static void
draw_color(struct harness *h, int red, int green, int blue, int alpha)
{
   harness_program(h, &constant);
   harness_uniform(h, 0, sim_fx10_pair(red, green));
   harness_uniform(h, 1, sim_fx10_pair(blue, alpha));
   harness_draw(h);
}

static uint32_t
word(const struct harness *h, uint32_t offset)
{
   uint32_t w;
   memcpy(&w, h->memory + offset, 4);
   return w;
}

static void
set_texture(struct harness *h, unsigned format, unsigned log2_w, unsigned log2_h, uint32_t desc1)
{
   h->gr3d->regs.value[GR3D_TEXTURE_DESC1(0)] = format << 8 | desc1;
   h->gr3d->regs.value[GR3D_TEXTURE_DESC1(0) + 1] = log2_w << 28 | log2_h << 24 | 1 << 7;
}

/* A triangle with legs of 256 pixels, over which s grows from 0. */
static void
set_slope(struct harness *h, double s)
{
   for (unsigned i = 0; i < 3; i++) {
      h->vertex[i].x = i == 1 ? 16 * 256 : 0;
      h->vertex[i].y = i == 2 ? 16 * 256 : 0;
      h->vertex[i].tram[0][0] = i == 1 ? sim_fp20_from_double(s) : 0;
   }
}

static uint32_t
sample_at(struct harness *h, double s, double t)
{
   harness_program(h, &sample);
   harness_tram(h, 0, 0, sim_fp20_from_double(s));
   harness_tram(h, 0, 1, sim_fp20_from_double(t));
   harness_draw(h);
   return word(h, 0);
}

/* --- wrap and filter ---------------------------------------------------------------------------------------------- */

#define CLAMP_S 2
#define MAG_LINEAR (1u << 29)
#define MIN_LINEAR (1u << 28)
#define BETWEEN (1u << 27)
#define LINEAR (MAG_LINEAR | MIN_LINEAR)

/* Texel index by the definition of the wrap modes, for any integer. */
static unsigned
wrapped(double i, unsigned mode, unsigned size)
{
   if (mode == 1)
      return i < 0 ? 0 : i >= size ? size - 1 : (unsigned)i;
   double period = mode == 2 ? 2.0 * size : size, m = i - period * floor(i / period);
   return (unsigned)(m < size ? m : 2.0 * size - 1 - m);
}

/* Any coordinate, size, wrap mode and filter against the definitions of surfaces-and-textures.md 6.11. */
TEST(random_samples)
{
   srand(11);
   struct harness *h = start(2);
   harness_program(h, &sample);
   for (unsigned i = 0; i < 64 * 64 * 4; i++)
      h->memory[TEXTURE_OFFSET + i] = (uint8_t)rand();
   for (unsigned n = 0; n < 4000; n++) {
      unsigned log2_size[2], mode[2], size[2];
      uint32_t desc1 = rand() & 1 ? LINEAR : 0, raw[2];
      bool linear = desc1;
      for (unsigned k = 0; k < 2; k++) {
         log2_size[k] = (unsigned)rand() % 7;
         size[k] = 1u << log2_size[k];
         mode[k] = (unsigned)rand() % 3; /* repeat, clamp, mirror */
         desc1 |= (mode[k] == 1 ? k ? 1u : 2u : mode[k] == 2 ? k ? 4u : 8u : 0);
         /* Mostly near the texture, sometimes any code. */
         raw[k] = rand() % 4 ? sim_fp20_from_double((rand() % 4001 - 2000) / 500.0) : (uint32_t)rand() & 0xfffff;
      }
      set_texture(h, GR3D_PIXEL_FORMAT_RGBA8888, log2_size[0], log2_size[1], desc1);
      harness_tram(h, 0, 0, raw[0]);
      harness_tram(h, 0, 1, raw[1]);
      harness_draw(h);

      unsigned pitch = size[0] * 4 < 16 ? 16 : size[0] * 4, index[2][2], fraction[2] = {0, 0};
      for (unsigned k = 0; k < 2; k++) {
         double u = (double)sim_fp20_to_float(raw[k]) * size[k];
         double fixed = linear ? floor(u * 64 - 32) : floor(u) * 64;
         double first = floor(fixed / 64);
         fraction[k] = linear ? (unsigned)(fixed - 64 * first) : 0;
         index[k][0] = wrapped(first, mode[k], size[k]);
         index[k][1] = wrapped(first + 1, mode[k], size[k]);
      }
      for (unsigned c = 0; c < 4; c++) {
         unsigned sum = 0;
         for (unsigned t = 0; t < 4; t++) {
            unsigned x = t & 1, y = t >> 1;
            uint8_t byte = h->memory[TEXTURE_OFFSET + index[1][y] * pitch + index[0][x] * 4 + c];
            sum += (unsigned)sim_fx10_from_unorm8(byte) * (x ? fraction[0] : 64 - fraction[0]) *
                   (y ? fraction[1] : 64 - fraction[1]);
         }
         unsigned expected = sim_fx10_to_unorm8((int32_t)((sum + 2048) / 4096)), got = word(h, 0) >> (8 * c) & 0xff;
         if (got != expected)
            fail_msg("%ux%u, modes %u %u, %s, codes 0x%05x 0x%05x, component %u: %u instead of %u", size[0], size[1],
                     mode[0], mode[1], linear ? "linear" : "nearest", raw[0], raw[1], c, got, expected);
      }
   }
}

/* --- levels ------------------------------------------------------------------------------------------------------- */

static const struct {
   const char *name;
   double step; /* texels for a pixel */
   unsigned least, most;
   uint32_t desc1;
   unsigned max_lod; /* 0: the last level */
   bool biased;      /* TEX bit 12: by r3, with coordinates in r0 and r1 */
   double bias;
} level_cases[] = {
   {"magnified", 0.25, 0, 0},
   {"one to one", 1, 0, 0},
   {"half", 2, 40, 40},
   {"log2 = 1.32", 2.5, 40, 40},
   {"log2 = 1.58 rounds to 2", 3, 80, 80},
   {"an eighth", 8, 120, 120},
   {"the last level", 64, 160, 160},
   {"between levels: just one", 2, 40, 40, BETWEEN},
   {"between levels: 1.5 less a bit, 31/64 or 32/64 of 40", 2.8284271, 59, 60, BETWEEN},
   {"between levels: just another", 4, 80, 80, BETWEEN},
   {"MAX_LOD limits", 8, 40, 40, .max_lod = 1},
   {"a bias of 0", 2, 40, 40, .biased = true},
   {"a bias of 1 adds", 2, 80, 80, .biased = true, .bias = 1},
   {"a bias of -1", 2, 0, 0, .biased = true, .bias = -1},
   {"a bias of 2", 2, 120, 120, .biased = true, .bias = 2},
   {"a bias of -16", 2, 0, 0, .biased = true, .bias = -16},
   {"a bias of 100", 2, 160, 160, .biased = true, .bias = 100},
};

/* 16x16 texture with levels of one grey each: 0, 40, 80, 120, 160.  s = x * texels / 16 per pixel. */
TEST_ROWS(levels, level_cases)
{
   struct harness *h = start(8);
   struct fragment_vector v = sample;
   uint32_t at = TEXTURE_OFFSET;
   for (unsigned level = 0; level <= 4; level++) {
      unsigned size = 16u >> level, pitch = size * 4 < 16 ? 16 : size * 4;
      memset(h->memory + at, (int)(40 * level), pitch * size);
      at += pitch * size;
   }
   h->gr3d->regs.value[GR3D_TEXTURE_DESC1(0)] = 0x0d00 | c->desc1;
   h->gr3d->regs.value[GR3D_TEXTURE_DESC1(0) + 1] = 4u << 28 | 4 << 24 | (c->max_lod ? c->max_lod : 4) << 12;
   if (c->biased) {
      v.mfu[0][1] = 0x00408102;
      v.tex[0] = 0x1420;
   }
   harness_program(h, &v);
   set_slope(h, 256 * c->step / 16);
   if (c->biased)
      harness_tram(h, 0, 3, sim_fp20_from_double(c->bias));
   harness_draw(h);
   assert_in_range(word(h, 0) & 0xff, c->least, c->most);
}

TEST(magnification_filter)
{
   /* Mag linear, min nearest: at scale 1/4 bilinear, at scale 2 nearest. */
   struct harness *h = start(8);
   for (unsigned i = 0; i < 4; i++)
      h->memory[TEXTURE_OFFSET + 4 * i] = (uint8_t)(64 * i);
   set_texture(h, GR3D_PIXEL_FORMAT_RGBA8888, 2, 0, MAG_LINEAR | CLAMP_S);
   harness_program(h, &sample);
   static const struct {
      double step;
      unsigned x, expected;
   } steps[] = {
      {0.25, 3, 24},  /* u = 0.875 - 0.5 = 24/64: 24/64 * 64 */
      {2, 1, 192},    /* u = 3 */
   };
   for (unsigned i = 0; i < 2; i++) {
      set_slope(h, 256 * steps[i].step / 4);
      harness_draw(h);
      assert_int_equal(word(h, 4 * steps[i].x) & 0xff, steps[i].expected);
   }
}

/* NPOT: the second row of a 5x2 texture starts at 64, at 32 with the switch (align(20, 16)). */
TEST(npot_pitch)
{
   for (unsigned variant = 0; variant < 2; variant++) {
      struct harness *h = start(2);
      if (variant)
         h->sim->switches[57] = 1;
      h->gr3d->regs.value[GR3D_TEXTURE_DESC1(0)] = 0x0d03;
      h->gr3d->regs.value[GR3D_TEXTURE_DESC1(0) + 1] = 5u << 20 | 2 << 8 | 0xc0;
      h->memory[TEXTURE_OFFSET + 64] = 10;
      h->memory[TEXTURE_OFFSET + 32] = 20;
      assert_int_equal(sample_at(h, 0.1, 0.75) & 0xff, variant ? 20 : 10);
   }
}

/* --- formats ------------------------------------------------------------------------------------------------------ */

struct format_case {
   const char *name;
   unsigned format;
   uint32_t texel;    /* as stored */
   uint32_t sampled;  /* the four components as RGBA8888 bytes */
   bool storable;
};

static const struct format_case format_cases[] = {
   {"RGBA8888", GR3D_PIXEL_FORMAT_RGBA8888, 0x80ff4001, 0x80ff4001, true},
   {"BGRA8888 exchanges red and blue", GR3D_PIXEL_FORMAT_BGRA8888, 0x80ff4001, 0x800140ff, true},
   {"A8", GR3D_PIXEL_FORMAT_A8, 0x9c, 0x9c000000, true},
   {"L8", GR3D_PIXEL_FORMAT_L8, 0x9c, 0xff9c9c9c, true},
   {"LA88", GR3D_PIXEL_FORMAT_LA88, 0x409c, 0x409c9c9c, true},
   /* 5 bits 16 -> 132 -> byte 131, 6 bits 32 -> 130 -> 129, 5 bits 1 -> 8 -> 8 */
   {"RGB565, red on top", GR3D_PIXEL_FORMAT_RGB565, 16 << 11 | 32 << 5 | 1, 0xff088183, true},
   {"RGBA5551, alpha at the bottom", GR3D_PIXEL_FORMAT_RGBA5551, 31 << 11 | 16 << 6 | 1 << 1 | 1, 0xff0883ff, true},
   {"RGBA5551, alpha 0", GR3D_PIXEL_FORMAT_RGBA5551, 16 << 6, 0x00008300, true},
   /* 4 bits 7 -> 119, 8 -> 137 -> byte 136, 1 -> 17 */
   {"RGBA4444", GR3D_PIXEL_FORMAT_RGBA4444, 0xf781, 0x118877ff, true},
};

TEST_ROWS(formats, format_cases)
{
   unsigned bytes = sim_fs_format_bytes(c->format);
   struct harness *h = start(2);
   memcpy(h->memory + TEXTURE_OFFSET, &c->texel, bytes);
   set_texture(h, c->format, 0, 0, 0);
   assert_int_equal(sample_at(h, 0.5, 0.5), c->sampled);

   if (!c->storable)
      return;
   /* Fetching a pixel and storing it in the same format is the identity; layouts linear and tiled. */
   for (unsigned tiled = 0; tiled < 2; tiled++) {
      h = start(32);
      /* of a chip that fetches from 16 bits */
      assert_true(sim_set_switch(h->sim, "A69", "works"));
      surface(h, 1, c->format, 256, tiled, 0);
      surface(h, 3, c->format, 256, tiled, 0x20000);
      for (unsigned i = 0; i < 256 * 32; i++)
         h->memory[i] = (uint8_t)rand();
      memcpy(h->memory, &c->texel, bytes);
      harness_program(h, &fetch);
      harness_draw(h);
      assert_memory_equal(h->memory, h->memory + 0x20000, bytes);
      for (unsigned y = 0; y < 32; y++) {
         for (unsigned x = 0; x < 32; x++) {
            unsigned xb = x * bytes;
            unsigned at = tiled ? y / 16 * 16 * 256 + xb / 16 * 256 + y % 16 * 16 + xb % 16 : y * 256 + xb;
            assert_memory_equal(h->memory + at, h->memory + 0x20000 + at, bytes);
         }
      }
   }
}

/* surfaces-and-textures.md 4.2: pitch 256, 32 bpp, pixel (5, 17) lies at 4372. */
TEST(tiled_example)
{
   struct harness *h = start(32);
   surface(h, 1, GR3D_PIXEL_FORMAT_RGBA8888, 256, true, 0);
   h->gr3d->regs.value[GR3D_SCISSOR_HORIZ] = 5 << 16 | 6;
   h->gr3d->regs.value[GR3D_SCISSOR_VERT] = 17 << 16 | 18;
   draw_color(h, 256, 128, 1, -5);
   assert_int_equal(word(h, 4372), 0x00017fff);
   unsigned changed = 0;
   for (unsigned i = 0; i < HARNESS_MEMORY_SIZE; i += 4)
      changed += word(h, i) != 0;
   assert_int_equal(changed, 1);
}

TEST(store_565_rounding)
{
   struct harness *h = start(2);
   surface(h, 1, GR3D_PIXEL_FORMAT_RGB565, 64, false, 0);
   /* 128/256 * 31 = 15.5: ties down; 130/256 * 63 = 31.99; above 1 clamps */
   draw_color(h, 128, 130, 300, 0);
   assert_int_equal(word(h, 0) & 0xffff, 15 << 11 | 32 << 5 | 31);
}

/* A surface outside the job's memory is not touched, also when only some rows are outside. */
TEST(outside_memory)
{
   struct harness *h = start(16);
   surface(h, 1, GR3D_PIXEL_FORMAT_RGBA8888, 64, false, HARNESS_MEMORY_SIZE - 4 * 64);
   draw_color(h, 256, 256, 256, 256);
   assert_int_equal(word(h, HARNESS_MEMORY_SIZE - 4), 0xffffffff);
   surface(h, 1, GR3D_PIXEL_FORMAT_RGBA8888, 0x1ffff, true, 0xf0000000);
   harness_draw(h);
}

/* --- compressed --------------------------------------------------------------------------------------------------- */

struct block_case {
   const char *name;
   unsigned format;
   uint8_t block[16];
   unsigned x, y;
   uint32_t sampled;
};

/* DXT1 colours: 0xf800 red, 0x001f blue; codes in byte 4 + row, two bits per texel from the right. */
#define RED_BLUE 0x00, 0xf8, 0x1f, 0x00
#define BLUE_RED 0x1f, 0x00, 0x00, 0xf8

static const struct block_case block_cases[] = {
   {"DXT1 code 0", GR3D_PIXEL_FORMAT_DXT1, {RED_BLUE, 0xe4}, 0, 0, 0xff0000ff},
   {"DXT1 code 1", GR3D_PIXEL_FORMAT_DXT1, {RED_BLUE, 0xe4}, 1, 0, 0xffff0000},
   {"DXT1 code 2: two thirds", GR3D_PIXEL_FORMAT_DXT1, {RED_BLUE, 0xe4}, 2, 0, 0xff5500aa},
   {"DXT1 code 3: one third", GR3D_PIXEL_FORMAT_DXT1, {RED_BLUE, 0xe4}, 3, 0, 0xffaa0055},
   {"DXT1 three colours: half", GR3D_PIXEL_FORMAT_DXT1, {BLUE_RED, 0, 0, 0xe4}, 2, 2, 0xff7f007f},
   {"DXT1 three colours: transparent black", GR3D_PIXEL_FORMAT_DXT1, {BLUE_RED, 0, 0, 0xe4}, 3, 2, 0x00000000},
   {"DXT3 alpha 9/15 = 153", GR3D_PIXEL_FORMAT_DXT3, {0, 0, 0x90, 0, 0, 0, 0, 0, RED_BLUE, 0}, 1, 1, 0x990000ff},
   {"DXT3 never has three colours", GR3D_PIXEL_FORMAT_DXT3, {0xff, 0xff, 0, 0, 0, 0, 0, 0, BLUE_RED, 0xff}, 0, 0, 0xff5500aa},
   /* a0 = 200, a1 = 60, code 3 of texel 1: (5 * 200 + 2 * 60) / 7 = 160 */
   {"DXT5 eight alphas", GR3D_PIXEL_FORMAT_DXT5, {200, 60, 3 << 3, 0, 0, 0, 0, 0, RED_BLUE, 0}, 1, 0, 0xa00000ff},
   /* a0 = 60 <= a1 = 200: code 7 = 255, code 6 = 0, code 2 = (4 * 60 + 200) / 5 = 88 */
   {"DXT5 six alphas, 255", GR3D_PIXEL_FORMAT_DXT5, {60, 200, 7, 0, 0, 0, 0, 0, RED_BLUE, 0}, 0, 0, 0xff0000ff},
   {"DXT5 six alphas, 0", GR3D_PIXEL_FORMAT_DXT5, {60, 200, 6, 0, 0, 0, 0, 0, RED_BLUE, 0}, 0, 0, 0x000000ff},
   {"DXT5 six alphas, code 2", GR3D_PIXEL_FORMAT_DXT5, {60, 200, 2, 0, 0, 0, 0, 0, RED_BLUE, 0}, 0, 0, 0x580000ff},
   /*
    * ETC1, individual mode: R1 = 8, R2 = 4, G = B = 0, table 0 for both, not flipped.  Standard bytes 84 00 00 00 then
    * the pixel bits; reversed in memory.  Texel (0, 0) has index bits 00: +2; 8 * 17 + 2 = 138 = 0x8a, others 0 + 2.
    */
   {"ETC1 individual, left half", GR3D_PIXEL_FORMAT_ETC1, {0, 0, 0, 0, 0, 0, 0, 0x84}, 0, 0, 0xff02028a},
   {"ETC1 individual, right half", GR3D_PIXEL_FORMAT_ETC1, {0, 0, 0, 0, 0, 0, 0, 0x84}, 2, 0, 0xff020246},
   /* Texel (1, 2) is bit 6: least significant plane bit 6 set, most significant bit 22 set: -8 */
   {"ETC1 large negative modifier", GR3D_PIXEL_FORMAT_ETC1, {0x40, 0, 0x40, 0, 0, 0, 0, 0x84}, 1, 2, 0xff000080},
   /* Differential: R = 16 + delta 1, flipped, tables 0 and 7: 16 -> 132 + 2 = 134; 17 -> 140 + 47 = 187 */
   {"ETC1 differential, top half", GR3D_PIXEL_FORMAT_ETC1, {0, 0, 0, 0, 7 << 2 | 3, 0, 0, 16 << 3 | 1}, 3, 1, 0xff020286},
   {"ETC1 differential, bottom half", GR3D_PIXEL_FORMAT_ETC1, {0, 0, 0, 0, 7 << 2 | 3, 0, 0, 16 << 3 | 1}, 3, 2, 0xff2f2fbb},
};

TEST_ROWS(blocks, block_cases)
{
   bool compressed;
   unsigned bytes = sim_fs_texture_block_bytes(c->format, &compressed);
   /* 8x8 texels; the block under test is the last of four: pitch 16 or 32. */
   struct harness *h = start(2);
   unsigned pitch = 2 * bytes;
   memcpy(h->memory + TEXTURE_OFFSET + pitch + bytes, c->block, bytes);
   set_texture(h, c->format, 3, 3, 1 << 4);
   assert_int_equal(sample_at(h, (4 + c->x + 0.5) / 8, (4 + c->y + 0.5) / 8), c->sampled);
}

/* --- assumptions the other way ------------------------------------------------------------------------------------ */

static uint32_t
sample_direction(struct harness *h, const double direction[3])
{
   struct fragment_vector v = sample;
   v.mfu[0][1] = 0x00008102;
   set_texture(h, GR3D_PIXEL_FORMAT_RGBA8888, 1, 1, 1 << 7);
   harness_program(h, &v);
   for (unsigned c = 0; c < 3; c++)
      harness_tram(h, 0, c, sim_fp20_from_double(direction[c]));
   harness_draw(h);
   return word(h, 0) & 0xff;
}

/* A59: bit 7 makes a cube map of 2x2 faces with one grey each; directions to the middle of each face. */
TEST(cube)
{
   static const double direction[6][3] = {{2, 0.1, 0}, {-2, 0, 0.1}, {0, 1, 0.1}, {0, -1, 0}, {0.1, 0, 4},
                                          {0, 0.1, -4}};
   for (unsigned face = 0; face < 6; face++) {
      struct harness *h = start(2);
      assert_true(sim_set_switch(h->sim, "A59", "bit7"));
      for (unsigned f = 0; f < 6; f++)
         memset(h->memory + TEXTURE_OFFSET + 32 * f, (int)(20 * f + 10), 32);
      assert_int_equal(sample_direction(h, direction[face]), 20 * face + 10);
      /* GL's rule for the +X face: s = (-z / x + 1) / 2 = 0.75, column 1, t = (-y / x + 1) / 2 = 0.25, row 0 */
      h->memory[TEXTURE_OFFSET + 4] = 77;
      assert_int_equal(sample_direction(h, (const double[3]){1, 0.5, -0.5}), 77);
   }
}

/* A70: thresholds 1, 7, 5, 3 eighths; 128/256 * 31 = 15.5 is 15 or 16. */
TEST(dither)
{
   for (unsigned on = 0; on < 2; on++) {
      struct harness *h = start(2);
      assert_true(sim_set_switch(h->sim, "A70", on ? "pattern" : "ignored"));
      h->gr3d->regs.value[GR3D_DITHER] = 0x779;
      surface(h, 1, GR3D_PIXEL_FORMAT_RGB565, 64, false, 0);
      h->gr3d->regs.value[GR3D_RT_PARAMS(1)] |= 1;
      draw_color(h, 128, 0, 0, 0);
      assert_int_equal(word(h, 0), on ? 16u << 27 | 15u << 11 : 15u << 27 | 15u << 11);
      assert_int_equal(word(h, 64), on ? 15u << 27 | 16u << 11 : 15u << 27 | 15u << 11);
   }
}

struct switch_case {
   const char *id, *value;
   unsigned format;
   uint32_t texel, normal, other;
};

static const struct switch_case switch_cases[] = {
   {"A61", "top", GR3D_PIXEL_FORMAT_RGBA5551, 0x801f, 0xff7c0083, 0xffff0000},
   {"A61", "top", GR3D_PIXEL_FORMAT_RGBA4444, 0xf012, 0x221100ff, 0xff221100},
   {"A66", "same", GR3D_PIXEL_FORMAT_BGRA8888, 0x04030201, 0x04010203, 0x04030201},
};

TEST_ROWS_CALLED(switches, switch_cases, id)
{
   for (unsigned on = 0; on < 2; on++) {
      struct harness *h = start(2);
      if (on)
         assert_true(sim_set_switch(h->sim, c->id, c->value));
      memcpy(h->memory + TEXTURE_OFFSET, &c->texel, 4);
      set_texture(h, c->format, 0, 0, 0);
      assert_int_equal(sample_at(h, 0.5, 0.5), on ? c->other : c->normal);
   }
}

/* --- order and processes -------------------------------------------------------------------------------------------- */

/* Assumption A56: 100 overlapping triangles of one draw, each adding 1/256 to what it fetched. */
TEST(fetch_order)
{
   struct fragment_vector v = {
      .rows = 1, .num_execs = 1, .pseq = {0x0081000a}, .alu_sched = {1}, .num_alu = 1, .num_mfu = 1, .dw = {0x28005},
      /* r2.l = r2.l * 1 + u0.l */
      .alu = {{2 << 15 | 1 << 13 | 2 << 6 | 8, (uint32_t)(31 << 6 | 40) << 19 | (32 << 6 | 8) << 6, 0x000fe7e8, 0x3e41f200,
               0x000fe7e8, 0x3e41f200, 0x000fe7e8, 0x3e41f200}},
   };
   struct harness *h = start(64);
   harness_program(h, &v);
   harness_uniform(h, 0, 1);
   const struct gr3d_vertex *const t[3] = {&h->vertex[0], &h->vertex[1], &h->vertex[2]};
   assert_true(gr3d_fragment_begin(h->gr3d));
   for (unsigned i = 0; i < 100; i++)
      gr3d_raster_triangle(h->gr3d, t, 2, true);
   gr3d_fragment_end(h->gr3d);
   for (unsigned y = 0; y < 64; y++) {
      for (unsigned x = 0; x < 64; x++)
         assert_int_equal(word(h, 1024 * y + 4 * x), 100);
   }
}

static void
draw_random(struct harness *h, unsigned triangles)
{
   struct gr3d_vertex v[3];
   srand(3);
   assert_true(gr3d_fragment_begin(h->gr3d));
   for (unsigned i = 0; i < triangles; i++) {
      for (unsigned k = 0; k < 3; k++) {
         v[k] = (struct gr3d_vertex){.x = rand() % 5000 - 400, .y = rand() % 5000 - 400, .z = (float)(rand() % 1000) / 1000,
                                     .rw = 0.1f + (float)(rand() % 100) / 50};
         for (unsigned c = 0; c < 4; c++)
            v[k].tram[0][c] = sim_fp20_from_double(rand() % 1000 / 250.0);
      }
      const struct gr3d_vertex *const p[3] = {&v[0], &v[1], &v[2]};
      gr3d_raster_triangle(h->gr3d, p, 2, rand() & 1);
   }
   gr3d_fragment_end(h->gr3d);
}

/* A child of fork() has no worker threads: the pool starts new ones. */
TEST(fork_child)
{
   struct harness *h = start(256);
   h->sim->options.threads = 3;
   harness_program(h, &constant);
   harness_uniform(h, 0, sim_fx10_pair(256, 256));
   harness_uniform(h, 1, sim_fx10_pair(256, 256));
   draw_random(h, 20);
   pid_t child = fork();
   assert_true(child >= 0);
   if (child == 0) {
      alarm(120);
      memset(h->memory, 0, 1024);
      draw_random(h, 20);
      harness_destroy(h);
      _exit(0);
   }
   int status = 0;
   assert_int_equal(waitpid(child, &status, 0), child);
   assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
   draw_random(h, 20);
}
