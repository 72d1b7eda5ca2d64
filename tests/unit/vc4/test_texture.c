/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Texture layouts, formats, wrap modes, filters and levels of VideoCore IV, through look-ups of a program.
 */

#include "unit.h"
#include "vc4_memory.h"

/* --- layouts --- */

/* The notes' order, walked: tiles of 4 KiB, even rows from left to right, odd ones back; their subtiles from the lower left
 * clockwise, or from the upper right; micro-tiles and pixels in rows. */
TEST(t_layout)
{
   static const uint8_t subtiles[2][4][2] = { { { 0, 0 }, { 0, 1 }, { 1, 1 }, { 1, 0 } },
                                              { { 1, 1 }, { 1, 0 }, { 0, 0 }, { 0, 1 } } };
   for (unsigned cpp = 1; cpp <= 8; cpp *= 2) {
      const unsigned w = cpp <= 2 ? 8 : 16 / cpp, h = 64 / cpp / w;
      const unsigned columns = 3, rows = 4, width = columns * 8 * w;
      uint32_t offset = 0;
      for (unsigned ty = 0; ty < rows; ty++) {
         for (unsigned i = 0; i < columns; i++) {
            unsigned tx = ty & 1 ? columns - 1 - i : i;
            for (unsigned s = 0; s < 4; s++) {
               for (unsigned u = 0; u < 16; u++) {
                  for (unsigned p = 0; p < w * h; p++) {
                     unsigned x = ((tx * 2 + subtiles[ty & 1][s][0]) * 4 + u % 4) * w + p % w;
                     unsigned y = ((ty * 2 + subtiles[ty & 1][s][1]) * 4 + u / 4) * h + p / w;
                     assert_int_equal(tiling_offset(TILING_T, width, cpp, x, y), offset);
                     offset += cpp;
                  }
               }
            }
         }
      }
      assert_int_equal(offset, columns * rows * 4096);
   }
}

TEST(lt_layout)
{
   for (unsigned cpp = 1; cpp <= 8; cpp *= 2) {
      const unsigned w = cpp <= 2 ? 8 : 16 / cpp, h = 64 / cpp / w;
      uint32_t offset = 0;
      for (unsigned u = 0; u < 15; u++) {
         for (unsigned p = 0; p < w * h; p++, offset += cpp)
            assert_int_equal(tiling_offset(TILING_LT, 5 * w, cpp, u % 5 * w + p % w, u / 5 * h + p / w), offset);
      }
      assert_true(tiling_is_lt(4 * w, 1000, cpp) && tiling_is_lt(1000, 4 * h, cpp));
      assert_false(tiling_is_lt(4 * w + 1, 4 * h + 1, cpp));
   }
}

/* --- formats --- */

static const struct {
   const char *name;
   unsigned format;
   uint8_t bytes[8];
   uint32_t result;
} formats[] = {
   { "RGBA8888", 0, { 0x11, 0x22, 0x33, 0x44 }, 0x44332211 },
   { "RGBX8888", 1, { 0x11, 0x22, 0x33, 0x44 }, 0xff332211 },
   { "RGBA4444", 2, { 0x34, 0x12 }, 0x44332211 },
   { "RGBA5551", 3, { 0x3f, 0x84 }, 0xffff8484 }, /* 10000 10000 11111 1 */
   { "RGB565", 4, { 0x1f, 0x84 }, 0xffff8284 },   /* 10000 100000 11111 */
   { "LUMINANCE", 5, { 0x12 }, 0xff121212 },
   { "ALPHA", 6, { 0x12 }, 0x12000000 },
   { "LUMALPHA", 7, { 0x12, 0x34 }, 0x34121212 },
   { "ETC1, black with table 0 and index 0", 8, { 0, 0, 0, 0, 0, 0, 0, 0 }, 0xff020202 },
   { "ETC1, red in 4 bits", 8, { 0xf0, 0, 0, 0, 0xff, 0xff, 0, 0 }, 0xff0000fd },
   { "S16F", 9, { 0x34, 0x12 }, 0x1234 },
   { "S8", 10, { 0x12 }, 0x12 },
   { "S16", 11, { 0x34, 0x12 }, 0x1234 },
   { "BW1", 12, { 0x01 }, 0xffffffff },
   { "A4", 13, { 0x05 }, 0x55000000 },
   { "A1", 14, { 0x01 }, 0xff000000 },
   { "RGBA32R", 16, { 0x11, 0x22, 0x33, 0x44 }, 0x44332211 },
   { "YUYV422R", 17, { 0x11, 0x22, 0x33, 0x44 }, 0xff442211 },
};

static void
set_config(uint32_t config[4], unsigned format, unsigned width, unsigned height, unsigned levels, unsigned bits)
{
   config[0] = (BASE + 0x8000) | (format & 15) << 4 | levels;
   config[1] = (format >> 4) << 31 | (height & 0x7ff) << 20 | (width & 0x7ff) << 8 | bits;
   config[2] = config[3] = 0;
}

TEST_ROWS(formats, formats)
{
   struct tmu_texture t;
   uint32_t config[4];
   memcpy(memory + 0x8000, c->bytes, 8);
   set_config(config, c->format, 4, 4, 0, 0);
   tmu_parse(v3d, config, 2, &t);
   assert_int_equal(tmu_fetch(&t, &t.levels[0], 0, 0, 0), c->result);
   assert_int_equal(count_diags(), 0);
}

/* Where a pixel of each format lies, by its micro-tile. */
TEST(places)
{
   static const struct {
      uint8_t format, x, y;
      uint16_t byte;
   } cases[] = {
      { 0, 5, 6, 64 * 3 + (2 * 4 + 1) * 4 }, { 4, 9, 5, 64 * 3 + (1 * 8 + 1) * 2 }, { 6, 9, 10, 64 * 3 + 2 * 8 + 1 },
      { 13, 18, 9, 64 * 3 + (16 + 2) / 2 },   { 14, 40, 17, 64 * 3 + (32 + 8) / 8 },
   };
   static const uint8_t widths[16] = { [0] = 8, [4] = 16, [6] = 16, [13] = 32, [14] = 64 };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      struct tmu_texture t;
      uint32_t config[4];
      memset(memory + 0x8000, 0, 0x1000);
      memset(memory + 0x8000 + cases[i].byte, 0xff, cases[i].format == 0 ? 4 : cases[i].format == 4 ? 2 : 1);
      set_config(config, cases[i].format, widths[cases[i].format], 32, 0, 0);
      tmu_parse(v3d, config, 2, &t);
      assert_int_equal(tmu_fetch(&t, &t.levels[0], 0, cases[i].x, cases[i].y) >> 24, 255);
   }
}

/* --- look-ups --- */

static struct qpu q;
static struct tmu tmu[2];
static struct tmu_cache cache;

static void
begin_look_up(const uint32_t *config, unsigned num)
{
   if (num)
      memcpy(memory, config, num * 4);
   cache.used = 0;
   qpu_init(&q, v3d, QPU_FRAGMENT);
   tmu_reset(&tmu[0]);
   tmu[0].cache = &cache;
   q.tmu = tmu;
   q.uniforms = (const uint32_t *)memory;
   q.uniforms_end = q.uniforms + num;
}

/* One look-up of all lanes in a fragment program: S, T, R or border, bias. */
static qpu_u
look_up(const uint32_t config[4], unsigned num, const float coords[4], unsigned written, float step)
{
   qpu_u value, result;
   begin_look_up(config, num);
   for (int reg = 3; reg >= 0; reg--) {
      if (!(written >> reg & 1))
         continue;
      for (unsigned lane = 0; lane < QPU_LANES; lane++) {
         float c = coords[reg] + (reg == 0 ? step * (lane & 1) : reg == 1 ? step * (lane >> 1 & 1) : 0);
         uint32_t word;
         memcpy(&word, &c, 4);
         value[lane] = word;
      }
      tmu_write(&q, 0, reg, &value);
   }
   tmu_read(&q, 0, &result);
   return result;
}

enum { REPEAT, CLAMP, MIRROR, BORDER };

/* A texture of 4x4 texels, number i at i. */
TEST(wrap)
{
   static const struct {
      unsigned mode;
      float s;
      int texel; /* -1: border */
   } cases[] = {
      { REPEAT, 0.1f, 0 },  { REPEAT, 1.3f, 1 },  { REPEAT, -0.1f, 3 },  { REPEAT, 700.3f, 1 },  { CLAMP, 1.3f, 3 },
      { CLAMP, -9.0f, 0 },  { CLAMP, 1e30f, 3 },  { MIRROR, 1.1f, 3 },   { MIRROR, -0.1f, 0 },   { MIRROR, 2.3f, 1 },
      { BORDER, 0.6f, 2 },  { BORDER, 1.1f, -1 }, { BORDER, -0.1f, -1 },
   };
   const uint32_t border = 0x12345678;
   for (unsigned i = 0; i < 16; i++)
      memory[0x8000 + i * 4] = i;
   for (unsigned i = 0; i < COUNT(cases); i++) {
      for (unsigned t = 0; t < 2; t++) {
         uint32_t config[4];
         set_config(config, 0, 4, 4, 0, 1 << 7 | 1 << 4 | cases[i].mode << (t ? 2 : 0));
         float coords[4] = { t ? 0.1f : cases[i].s, t ? cases[i].s : 0.1f };
         memcpy(&coords[2], &border, 4);
         qpu_u r = look_up(config, 3, coords, 7, 0);
         uint32_t expected = cases[i].texel < 0 ? border : (uint32_t)cases[i].texel * (t ? 4 : 1);
         assert_int_equal(r[5], expected);
      }
   }
}

/* Between texels 0 and 1 of a row: 0 and 200, a quarter from the first's centre. */
TEST(linear)
{
   uint32_t config[4];
   for (unsigned y = 0; y < 4; y++)
      memory[0x8000 + y * 16 + 4] = 200;
   set_config(config, 0, 4, 4, 0, CLAMP << 2 | CLAMP);
   const float coords[4] = { 0.75f / 4, 0.5f };
   assert_int_equal(look_up(config, 2, coords, 3, 0)[0], 50);
   /* Places are rounded to 128 between two texels: 37.3 and 37.6 of them. */
   const float lower[4] = { (0.5f + 37.3f / 128) / 4, 0.5f }, upper[4] = { (0.5f + 37.6f / 128) / 4, 0.5f };
   assert_int_equal(look_up(config, 2, lower, 3, 0)[0], (200 * 37 + 64) / 128);
   assert_int_equal(look_up(config, 2, upper, 3, 0)[0], (200 * 38 + 64) / 128);
   const float left[4] = { 0, 0.5f };
   assert_int_equal(look_up(config, 2, left, 3, 0)[0], 0);
   /* Smaller than on the texture they are blended, larger not. */
   set_config(config, 0, 4, 4, 0, 1 << 7 | CLAMP << 2 | CLAMP);
   assert_int_equal(look_up(config, 2, coords, 3, 0)[0], 0);
   assert_int_equal(look_up(config, 2, coords, 3, 0.5f)[0], 50);
}

/* Texels of 4 bits, which are looked up one by one: alpha 0 and 255. */
TEST(linear_small)
{
   uint32_t config[4];
   for (unsigned y = 0; y < 8; y++)
      memory[0x8000 + y * 8] = 0xf0;
   set_config(config, 13, 16, 8, 0, CLAMP << 2 | CLAMP);
   const float coords[4] = { (0.5f + 37.3f / 128) / 16, 0.5f };
   assert_int_equal(look_up(config, 2, coords, 3, 0)[0] >> 24, 74); /* 73.7 */
}

/* 64 bits of a texel come as two results, without blending. */
TEST(wide)
{
   static const uint32_t words[2] = { 0x11223344, 0x55667788 };
   uint32_t config[4];
   qpu_u second;
   memcpy(memory + 0x8000 + tiling_offset(TILING_LT, 4, 8, 3, 2), words, 8);
   set_config(config, 15, 4, 4, 0, 0);
   const float coords[4] = { 3.1f / 4, 2.9f / 4 };
   assert_int_equal(look_up(config, 2, coords, 3, 0)[7], words[0]);
   tmu_read(&q, 0, &second);
   assert_int_equal(second[7], words[1]);
   assert_int_equal(count_diags(), 0);
}

/* 8x8 with levels 4x4, 2x2, 1x1 before it, each of one colour. */
TEST(levels)
{
   static const uint32_t sizes[4] = { 256, 64, 64, 64 };
   uint32_t at = 0x8000, config[4];
   for (unsigned i = 0; i < 4; i++) {
      at -= i ? sizes[i] : 0;
      memset(memory + at, 10 * (i + 1), sizes[i]);
   }
   /* A quad whose pixels are so many texels apart: the level. */
   static const struct {
      unsigned min_filter;
      float texels;
      unsigned result;
   } cases[] = {
      { 2, 1, 10 }, { 2, 2, 20 }, { 2, 4, 30 }, { 2, 8, 40 }, { 2, 64, 40 }, { 2, 2.6f, 20 }, { 2, 3, 30 },
      { 5, 2, 20 }, { 5, 2.828427f, 25 }, { 4, 4, 30 }, { 3, 5.656854f, 35 }, { 0, 8, 10 }, { 1, 8, 10 },
   };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      set_config(config, 0, 8, 8, 3, cases[i].min_filter << 4);
      const float coords[4] = { 0.1f, 0.1f };
      unsigned got = look_up(config, 2, coords, 3, cases[i].texels / 8)[0] & 255;
      if (got + 1 < cases[i].result || got > cases[i].result + 1)
         fail_msg("filter %u, %g texels: %u, not %u", cases[i].min_filter, cases[i].texels, got, cases[i].result);
   }
   /* A bias; and a level in place of it. */
   set_config(config, 0, 8, 8, 3, 2 << 4);
   float coords[4] = { 0.1f, 0.1f, 0, 1 };
   assert_int_equal(look_up(config, 3, coords, 11, 2 / 8.0f)[0] & 255, 30);
   config[2] = 1u << 30 | 1;
   coords[3] = 3;
   assert_int_equal(look_up(config, 3, coords, 11, 0)[0] & 255, 40);
}

/* Six faces of 4x4, a page apart. */
TEST(cube)
{
   static const float directions[6][3] = { { 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 }, { 0, 0, 1 }, { 0, 0, -1 } };
   uint32_t config[4];
   for (unsigned i = 0; i < 6; i++)
      memset(memory + 0x8000 + i * 4096, 1 + i, 64);
   set_config(config, 0, 4, 4, 0, 1 << 7 | 1 << 4);
   config[0] |= 1 << 9;
   config[2] = 1u << 30 | 4096;
   for (unsigned i = 0; i < 6; i++)
      assert_int_equal(look_up(config, 3, directions[i], 7, 0)[0] & 255, 1 + i);
   /* On +X, S goes against Z and T against Y. */
   memory[0x8000 + 3 * 4] = 77;
   const float corner[4] = { 1, 0.9f, -0.9f };
   assert_int_equal(look_up(config, 3, corner, 7, 0)[0] & 255, 77);
}

/* Levels of faces of 8x8, each of one colour, by quads on one face whose pixels are so many texels of the first level apart. */
TEST(cube_levels)
{
   static const uint32_t sizes[4] = { 256, 64, 64, 64 };
   uint32_t config[4];
   for (unsigned face = 0; face < 6; face++) {
      uint32_t at = 0x8000 + face * 4096;
      for (unsigned level = 0; level < 4; level++) {
         at -= level ? sizes[level] : 0;
         memset(memory + at, 40 * face + 10 * level, sizes[level]);
      }
   }
   set_config(config, 0, 8, 8, 3, 2 << 4);
   config[0] |= 1 << 9;
   config[2] = 1u << 30 | 4096;
   for (unsigned level = 0; level < 3; level++) {
      /* a face is two units wide */
      const float front[4] = { -0.9f, -0.9f, 1 }, behind[4] = { -0.9f, -0.9f, -1 }, step = 0.25f * (1 << level);
      assert_int_equal(look_up(config, 3, front, 7, step)[0] & 255, 40 * 4 + 10 * level);
      assert_int_equal(look_up(config, 3, behind, 7, step)[0] & 255, 40 * 5 + 10 * level);
   }
}

/* Four by two texels at (2, 3) of eight by eight: coordinates and wrap modes are theirs. */
TEST(child)
{
   static const struct {
      unsigned mode;
      float s, t;
      unsigned x, y;
   } cases[] = {
      { REPEAT, 0.1f, 0.1f, 2, 3 }, { REPEAT, 0.9f, 0.6f, 5, 4 },  { REPEAT, 1.3f, -0.1f, 3, 4 },
      { CLAMP, 1.3f, -0.1f, 5, 3 }, { MIRROR, -0.3f, 1.1f, 3, 4 },
   };
   for (unsigned i = 0; i < 64; i++)
      memory[0x8000 + tiling_offset(TILING_LT, 8, 4, i % 8, i / 8)] = i;
   for (unsigned i = 0; i < COUNT(cases); i++) {
      uint32_t config[4];
      set_config(config, 0, 8, 8, 0, 1 << 7 | 1 << 4 | cases[i].mode << 2 | cases[i].mode);
      config[2] = 2u << 30 | 2 << 12 | 4;
      config[3] = 3u << 30 | 3 << 12 | 2;
      const float coords[4] = { cases[i].s, cases[i].t };
      assert_int_equal(look_up(config, 4, coords, 15, 0)[3], cases[i].y * 8 + cases[i].x);
   }
   assert_int_equal(count_diags(), 0);
   /* One that the texture does not contain is reported, and left out. */
   uint32_t config[4];
   set_config(config, 0, 8, 8, 0, 1 << 7 | 1 << 4);
   config[2] = 2u << 30 | 2 << 12 | 7;
   config[3] = 3u << 30 | 3 << 12 | 2;
   const float corner[4] = { 0.99f, 0.99f };
   assert_int_equal(look_up(config, 4, corner, 15, 0)[0], 63);
   assert_int_equal(count_diags(), 1);
}

/* --- all lanes at once --- */

/* Random places, of which lane 15 has another border when they are to be looked up one by one. */
static qpu_u
look_up_places(const uint32_t config[4], const float places[2][QPU_LANES], bool apart)
{
   qpu_u value, result;
   begin_look_up(config, 3);
   value = (qpu_u){ 0 } + 0x12345678;
   value[15] += apart;
   tmu_write(&q, 0, 2, &value);
   for (int reg = 1; reg >= 0; reg--) {
      memcpy(&value, places[reg], sizeof(value));
      tmu_write(&q, 0, reg, &value);
   }
   tmu_read(&q, 0, &result);
   return result;
}

/* Both ways of the simulator agree: every format whose pixels have bytes, T and LT, wrap modes, filters, levels, flipped. */
TEST(all_lanes)
{
   static const uint8_t tried[] = { 0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 16 };
   static const uint8_t widths[] = { 64, 100, 8, 37 };
   uint32_t random = 1;
   for (uint32_t i = 0; i < 0x20000; i++)
      memory[0x1000 + i] = (random = random * 1103515245 + 12345) >> 16;
   for (unsigned i = 0; i < COUNT(tried) * 64; i++) {
      float places[2][QPU_LANES];
      uint32_t config[4];
      for (unsigned n = 0; n < 32; n++) {
         random = random * 1103515245 + 12345;
         places[n / 16][n % 16] = (int)(random >> 8 & 0xffff) / 8192.0f - 4;
      }
      places[0][3] = 700.3f;
      places[1][4] = -1e20f;
      /* The same filter for both directions, or levels and quads of one point. */
      bool levels = i / 16 & 1;
      for (unsigned n = 0; n < 32 && levels; n++)
         places[n / 16][n % 16] = places[n / 16][n % 4 ? n % 16 & 12 : n % 16];
      set_config(config, tried[i % COUNT(tried)], widths[i & 3], widths[i >> 2 & 3], levels ? 2 : 0,
                 (i >> 5 & 1) << 7 | (levels ? i % 6 : i >> 5 & 1) << 4 | (random >> 20 & 15));
      config[0] += 0x8000;
      config[0] |= (random >> 24 & 1) << 8;
      qpu_u together = look_up_places(config, places, false), apart = look_up_places(config, places, true);
      for (unsigned lane = 0; lane < 15; lane++) {
         if (together[lane] != apart[lane])
            fail_msg("texture 0x%08x 0x%08x, lane %u: 0x%08x, not 0x%08x", config[0], config[1], lane, together[lane],
                     apart[lane]);
      }
   }
}

TEST(memory)
{
   const uint32_t word = 0xcafe1234, address = BASE + 0x9004;
   float coords[4] = { 0 };
   memcpy(memory + 0x9004, &word, 4);
   memcpy(&coords[0], &address, 4);
   assert_int_equal(look_up(NULL, 0, coords, 1, 0)[3], word);
   coords[0] = 0;
   assert_int_equal(look_up(NULL, 0, coords, 1, 0)[3], 0);
   assert_int_equal(count_diags(), 1);
}
