/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The texture unit: instructions of category 5 on small textures whose texels
 * say where they are.
 */

#include <math.h>

#include "unit.h"

#include "a4xx_stream.h"
#include "numbers.h"

#define TEXELS 0x80000u  /* offset of the texture in memory */
#define BORDERS 0x70000u /* and of the border colours */

/* Words of category 5: a full result of type f32, operands from r1.x and r3.x
 * on. */
#define OP5(op, dst, mask)                                \
   (5ull << 61 | (uint64_t)((op)&31) << 54 | 1ull << 44 | \
    (uint64_t)(mask) << 40 | (uint64_t)(dst) << 32 |      \
    (ir3_op_sources(op) > 1 ? R(3, 0) << 9 : 0) |         \
    (ir3_op_sources(op) ? R(1, 0) << 1 : 0) | 1)
#define IS_3D (1ull << 48)
#define IS_ARRAY (1ull << 49)
#define IS_SHADOW (1ull << 50)
#define OFFSETS (1ull << 52 | R(3, 0) << 9)
#define IDENTITY (0 << 4 | 1 << 7 | 2 << 10 | 3 << 13)
#define FORMAT(code) ((code) << 22 | IDENTITY)
#define R32F 0x2b
enum { TYPE_1D, TYPE_2D, TYPE_CUBE, TYPE_3D, TYPE_BUFFER };
enum { NEAREST, LINEAR, ANISO };

static struct ir3_wave *wave;
static unsigned stage;
static float operands[IR3_LANES][12]; /* r1.x to r3.w */

SETUP
{
   wave = aligned_alloc(128, (sizeof(*wave) + 127) & ~127ul);
   stage = STAGE_VS;
   memset(operands, 0, sizeof(operands));
}

TEARDOWN
{
   free(wave);
}

/* Rows of 64 bytes. */
static uint32_t *
set_texture(unsigned type, unsigned format, unsigned width, unsigned height,
            unsigned depth, unsigned levels)
{
   const uint32_t words[8] = { FORMAT(format) | (levels - 1) << 16 |
                                  type << 29,
                               width << 15 | height, 1 | 64 << 9,
                               1 | depth << 18, (BASE + TEXELS) | 1 };
   memset(memory + TEXELS, 0, 0x20000);
   memcpy(chip->textures[stage][0], words, sizeof(words));
   return (uint32_t *)(memory + TEXELS);
}

static void
set_sampler(unsigned filter, unsigned wrap, unsigned bits0, unsigned bits1)
{
   chip->samplers[stage][0][0] =
      filter << 1 | filter << 3 | wrap << 5 | wrap << 8 | wrap << 11 | bits0;
   chip->samplers[stage][0][1] = 15 << 16 | bits1;
}

/* The first component, or another one, of a lane's result. */
static uint32_t
result_word(unsigned lane, unsigned c)
{
   return wave->full[R(8, 0) + c][lane];
}

static float
result(unsigned lane)
{
   return sim_float_from_bits(result_word(lane, 0));
}

static void
run(uint64_t word)
{
   static struct ir3_instr program[2];
   assert_true(ir3_decode(word, &program[0]));
   assert_true(ir3_decode(END, &program[1]));
   ir3_wave_reset(wave, chip);
   wave->program = program;
   wave->count = 2;
   wave->stage = "test";
   wave->stage_number = stage;
   wave->max_full = wave->max_half = IR3_REGS;
   for (unsigned lane = 0; lane < IR3_LANES; lane++) {
      for (unsigned i = 0; i < 12; i++)
         ir3_wave_preload(wave, R(1, 0) + i, lane,
                          sim_float_bits(operands[lane][i]));
   }
   assert_true(ir3_wave_run(wave, ~0u));
}

static void
set_int(unsigned lane, unsigned i, int value)
{
   operands[lane][i] = sim_float_from_bits(value);
}

/* --- formats --- */

TEST(formats)
{
   static const struct {
      uint8_t code, srgb, bytes[16];
      float color[4];
   } cases[] = {
      { 0x04, 0, { 51 }, { 0.2f, 0, 0, 1 } },
      { 0x04, 1, { 51 }, { 0.0331048f, 0, 0, 1 } },
      { 0x05, 0, { 0x81 }, { -1, 0, 0, 1 } },
      { 0x0b, 0, { 0x00, 0xf8 }, { 0, 0, 1, 1 } },
      { 0x09, 0, { 0x1f, 0x80 }, { 1, 0, 0, 1 } },
      { 0x08, 0, { 0xf0, 0x30 }, { 0, 1, 0, 0.2f } },
      { 0x1c, 0, { 0, 51, 102, 255 }, { 0, 0.2f, 0.4f, 1 } },
      { 0x1c, 1, { 255, 51, 0, 51 }, { 1, 0.0331048f, 0, 0.2f } },
      { 0x20, 0, { 0, 1, 0, 0x80 }, { 1, 0, 0, 1 } },
      { 0x21, 0, { 0xff, 3, 0, 0x40 }, { 1, 0, 0, 1 / 3.0f } },
      { 0x25, 0, { 0xc0, 3, 0, 0 }, { 1, 0, 0, 1 } },
      { 0x28, 0, { 0, 0x3c, 0, 0xc0 }, { 1, -2, 0, 1 } },
      { 0x2b, 0, { 0, 0, 0x80, 0x3f }, { 1, 0, 0, 1 } },
      { 0x47, 0, { 0xff, 0xff, 0xff, 7 }, { 1, 0, 0, 1 } },
      { 0x56, 0, { 0, 0xf8 }, { 1, 0, 0, 1 } }, /* DXT1 */
      { 0x58,
        0,
        { 255, 0, 0, 0, 0, 0, 0, 0, 0x1f },
        { 0, 0, 1, 1 } },                      /* DXT5 */
      { 0x5a, 0, { 255, 0 }, { 1, 0, 0, 1 } }, /* RGTC1 */
      { 0x6c,
        0,
        { 0x88, 0x88, 0x88 },
        { 138 / 255.0f, 138 / 255.0f, 138 / 255.0f, 1 } }, /* ETC2 */
      { 0x69, 0, { 255 }, { 65343 / 65535.0f, 0, 0, 1 } }, /* R11 */
      { 0x77,
        1,
        { 0xfc, 0xfd, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0x80,
          255, 255 },
        { 1, 0, 0.215861f, 1 } },
   };
   set_sampler(NEAREST, 1, 0, 0);
   for (unsigned i = 0; i < COUNT(cases); i++) {
      memcpy(set_texture(TYPE_2D, cases[i].code, 1, 1, 0, 1), cases[i].bytes,
             16);
      chip->textures[stage][0][0] |= cases[i].srgb << 2;
      run(OP5(IR3_SAML, R(8, 0), 15));
      for (unsigned c = 0; c < 4; c++) {
         const float got = sim_float_from_bits(result_word(0, c));
         if (!(fabsf(got - cases[i].color[c]) < 1e-5f))
            fail_msg("case %u: component %u is %f, not %f", i, c, got,
                     cases[i].color[c]);
      }
   }
   /* Integers keep their bits; swizzle and swap move components. */
   memcpy(set_texture(TYPE_2D, 0x1f, 1, 1, 0, 1),
          (uint8_t[]){ 0xff, 2, 3, 4 }, 4);
   run(OP5(IR3_ISAM, R(8, 0), 15) | 2ull << 44);
   assert_int_equal(result_word(0, 0), ~0u);
   chip->textures[stage][0][2] |= 1u << 30;
   chip->textures[stage][0][0] ^= (3 ^ 5) << 13;
   run(OP5(IR3_ISAM, R(8, 0), 15) | 2ull << 44);
   for (unsigned c = 0; c < 4; c++)
      assert_int_equal(result_word(0, c), ((unsigned[]){ 3, 2, ~0u, 1 })[c]);
   assert_int_equal(count_diags(), 0);
}

/* --- coordinates --- */

static int
wrapped(unsigned mode, int i)
{
   const int period = i - (int)floorf(i / 8.0f) * 8;
   switch (mode) {
   case 0:
      return period & 3;
   case 2:
      return period < 4 ? period : 7 - period;
   case 3:
      return i < 0 || i > 3 ? 9 : i;
   case 4:
      i = i < 0 ? -1 - i : i;
      /* fall through */
   default:
      return i < 0 ? 0 : i > 3 ? 3 : i;
   }
}

/* The texel says its number, the border 9. */
TEST(wraps)
{
   for (unsigned mode = 0; mode < 5; mode++) {
      for (unsigned linear = 0; linear < 2; linear++) {
         uint32_t *texels = set_texture(TYPE_2D, R32F, 4, 1, 0, 1);
         for (unsigned i = 0; i < 4; i++)
            texels[i] = sim_float_bits(i);
         ((float *)(memory + BORDERS))[8] = 9;
         chip->regs[TPL1_TP_VS_BORDER_COLOR_BASE_ADDR] = BASE + BORDERS;
         set_sampler(linear, 1, 0, 0);
         chip->samplers[stage][0][0] += (mode - 1) << 5;
         for (int lane = 0; lane < IR3_LANES; lane++) {
            operands[lane][0] = (lane - 12 + (linear ? 0.75f : 0.5f)) / 4;
            operands[lane][1] = 0.5f;
         }
         run(OP5(IR3_SAML, R(8, 0), 1));
         for (int lane = 0; lane < IR3_LANES; lane++) {
            const float a = wrapped(mode, lane - 12),
                        b = wrapped(mode, lane - 11);
            if (result(lane) != (linear ? a + 0.25f * (b - a) : a))
               fail_msg("mode %u, lane %d: %f between %f and %f", mode, lane,
                        result(lane), a, b);
         }
      }
   }
   assert_int_equal(count_diags(), 0);
}

/* Of a format's size and kind; halves lose what they do not have. */
TEST(border_colours)
{
   static const struct {
      unsigned format;
      uint32_t expected;
   } cases[] = {
      { 0x04, 0x3f800000 }, { R32F, 0x40000000 }, { 0x07, ~2u }, { 0x2d, 7 }
   };
   const uint16_t halves[2] = { 0x3c00 }, shorts[2] = { (uint16_t)~2u };
   const uint32_t words[2] = { 0x40000000, 7 };
   memcpy(memory + BORDERS, halves, 4);
   memcpy(memory + BORDERS + 16, shorts, 4);
   memcpy(memory + BORDERS + 32, words, 4);
   memcpy(memory + BORDERS + 48, words + 1, 4);
   chip->regs[TPL1_TP_VS_BORDER_COLOR_BASE_ADDR] = BASE + BORDERS;
   set_sampler(NEAREST, 3, 0, 0);
   operands[0][0] = -1;
   for (unsigned i = 0; i < COUNT(cases); i++) {
      set_texture(TYPE_2D, cases[i].format, 1, 1, 0, 1);
      run(OP5(IR3_SAML, R(8, 0), 1));
      assert_int_equal(result_word(0, 0), cases[i].expected);
   }
}

/* --- levels, layers --- */

/* 20 x 6, with rows of multiples of 64 bytes: pitches 320 (by hand), 192,
 * 128. */
TEST(levels)
{
   static const struct {
      float lod;
      bool linear;
      float expected;
   } cases[] = { { -3, 0, 10 },   { 0, 1, 10 }, { 0.4f, 0, 10 },
                 { 0.6f, 0, 20 }, { 1, 1, 20 }, { 1.5f, 1, 25 },
                 { 2, 0, 30 },    { 9, 1, 30 }, { 0.25f, 1, 12.5f } };
   uint32_t *texels = set_texture(TYPE_2D, R32F, 20, 6, 0, 3);
   chip->textures[stage][0][2] = 1 | 320 << 9;
   texels[0] = sim_float_bits(10);
   texels[6 * 80] = sim_float_bits(20);
   texels[6 * 80 + 3 * 48] = sim_float_bits(30);
   for (unsigned i = 0; i < COUNT(cases); i++) {
      set_sampler(NEAREST, 1, cases[i].linear, 0);
      operands[0][8] = cases[i].lod;
      run(OP5(IR3_SAML, R(8, 0), 1));
      if (result(0) != cases[i].expected)
         fail_msg("level %f: %f", cases[i].lod, result(0));
   }
   /* The sampler's bias and clamps: levels of 1/256. */
   set_sampler(NEAREST, 1, 512u << 19, 0);
   operands[0][8] = 0;
   run(OP5(IR3_SAML, R(8, 0), 1));
   assert_true(result(0) == 30);
   chip->samplers[stage][0][1] = 256 << 8;
   run(OP5(IR3_SAML, R(8, 0), 1));
   assert_true(result(0) == 20);
   chip->samplers[stage][0][0] = 0;
   chip->samplers[stage][0][1] = 15 << 16 | 512 << 20;
   run(OP5(IR3_SAML, R(8, 0), 1));
   assert_true(result(0) == 30);
   /* By numbers, and beyond them: zeros. */
   static const struct {
      int x, y, level;
      float expected;
   } texels_of[] = { { 0, 0, 0, 10 },
                     { 0, 0, 2, 30 },
                     { 0, 0, 3, 0 },
                     { 0, 3, 1, 0 },
                     { -1, 0, 0, 0 } };
   for (unsigned i = 0; i < COUNT(texels_of); i++) {
      set_int(i, 0, texels_of[i].x);
      set_int(i, 1, texels_of[i].y);
      set_int(i, 8, texels_of[i].level);
   }
   run(OP5(IR3_ISAML, R(8, 0), 1));
   for (unsigned i = 0; i < COUNT(texels_of); i++)
      assert_true(result(i) == texels_of[i].expected);
   /* Sizes, and numbers of levels. */
   set_int(0, 0, 1);
   run(OP5(IR3_GETSIZE, R(8, 0), 15));
   assert_int_equal(result_word(0, 0), 10);
   assert_int_equal(result_word(0, 1), 3);
   run(OP5(IR3_GETINFO, R(8, 0), 12));
   assert_int_equal(result_word(0, 2), 3);
   assert_int_equal(count_diags(), 0);
}

TEST(layers_and_volumes)
{
   /* Four pages: layers, or slices of the first level; the second has two. */
   for (unsigned type = TYPE_2D; type <= TYPE_3D; type += TYPE_3D - TYPE_2D) {
      uint32_t *texels =
         set_texture(type, R32F, 2, 2, 4, type == TYPE_3D ? 2 : 1);
      for (unsigned i = 0; i < 6; i++)
         texels[i * 1024] = texels[i * 1024 + 1] = texels[i * 1024 + 16] =
            texels[i * 1024 + 17] = sim_float_bits(i);
      for (int lane = 0; lane < IR3_LANES; lane++)
         operands[lane][2] =
            type == TYPE_3D ? (lane - 8) / 16.0f : lane / 4.0f - 2;
      set_sampler(LINEAR, 1, 0, 0);
      run(OP5(IR3_SAML, R(8, 0), 1) | (type == TYPE_3D ? IS_3D : IS_ARRAY));
      for (int lane = 0; lane < IR3_LANES; lane++) {
         const float at = lane / 4.0f - 2;
         const float expected = type == TYPE_3D
                                   ? fminf(fmaxf(at - 0.5f, 0), 3)
                                   : fminf(fmaxf(floorf(at), 0), 3);
         if (result(lane) != expected)
            fail_msg("type %u, lane %d: %f, not %f", type, lane, result(lane),
                     expected);
      }
   }
   operands[0][2] = 1;
   operands[0][8] = 1;
   run(OP5(IR3_SAML, R(8, 0), 1) | IS_3D);
   assert_true(result(0) == 5);
   /* A buffer's elements: 2^15 * height + width. */
   uint32_t *elements = set_texture(TYPE_BUFFER, R32F, 2, 1, 0, 1);
   elements[32768] = sim_float_bits(7);
   set_int(0, 0, 32768);
   set_int(1, 0, 32770);
   set_int(0, 1, 0);
   set_int(1, 1, 0);
   run(OP5(IR3_ISAM, R(8, 0), 1));
   assert_true(result(0) == 7 && result(1) == 0);
   run(OP5(IR3_GETBUF, R(8, 0), 1));
   assert_int_equal(result_word(0, 0), 32770);
   /* There is one level, whatever the words say. */
   elements = set_texture(TYPE_BUFFER, R32F, 1, 0, 0, 2);
   elements[0] = sim_float_bits(7);
   set_sampler(NEAREST, 0, 0, 0);
   run(OP5(IR3_SAML, R(8, 0), 1));
   assert_true(result(0) == 7);
   assert_int_equal(count_diags(), 0);
}

/* Faces of 2 x 2 texels: the texel (x, y) of face f is 100 f + 10 y + x. */
TEST(cubes)
{
   static const struct {
      float direction[3];
      bool linear;
      float expected;
   } cases[] = {
      { { 1, 0.5f, 0.5f }, 0, 0 },
      { { 1, -0.5f, -0.5f }, 0, 11 },
      { { -1, 0.5f, 0.5f }, 0, 101 },
      { { 0.5f, 1, 0.5f }, 0, 211 },
      { { 0.5f, -1, 0.5f }, 0, 301 },
      { { 0.5f, 0.5f, 1 }, 0, 401 },
      { { 0.5f, 0.5f, -1 }, 0, 500 },
      { { 1, 0, 0 }, 1, 5.5f },
      /* On the edges of +x to +z, and of +y to -x: texels of both. */
      { { 1, 0.5f, 1 }, 1, (0 + 401) / 2.0f },
      { { -1, 1, 0.5f }, 1, (101 + 210) / 2.0f },
      { { -1, 1, -0.5f }, 1, (100 + 200) / 2.0f },
      /* The corner of +x, +y, +z: the missing one is the others' mean. */
      { { 1, 1, 1 }, 1, (0 + 211 + 401) / 3.0f },
   };
   uint32_t *texels = set_texture(TYPE_CUBE, R32F, 2, 2, 1, 1);
   for (unsigned i = 0; i < 24; i++)
      texels[i / 4 * 1024 + (i >> 1 & 1) * 16 + (i & 1)] =
         sim_float_bits(i / 4 * 100 + (i >> 1 & 1) * 10 + (i & 1));
   for (unsigned i = 0; i < COUNT(cases); i++) {
      set_sampler(cases[i].linear, 1, 0, 0);
      memcpy(operands[0], cases[i].direction, sizeof(cases[i].direction));
      run(OP5(IR3_SAML, R(8, 0), 1) | IS_3D);
      if (!(fabsf(result(0) - cases[i].expected) < 1e-3f))
         fail_msg("case %u: %f, not %f", i, result(0), cases[i].expected);
   }
   /* Not seamless: an edge is the face's own. */
   set_sampler(LINEAR, 1, 0, 1 << 4);
   memcpy(operands[0], (float[]){ 1, 0.5f, 1 }, 12);
   run(OP5(IR3_SAML, R(8, 0), 1) | IS_3D);
   assert_true(result(0) == 0);
   assert_int_equal(count_diags(), 0);
}

/* --- compare, gather, gradients --- */

TEST(shadows)
{
   /* Against 0.5: below, equal, above; bits of the results by function. */
   static const uint8_t expected[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
   set_texture(TYPE_2D, R32F, 1, 1, 0, 1)[0] = sim_float_bits(0.5f);
   for (unsigned function = 0; function < 8; function++) {
      set_sampler(NEAREST, 1, 0, function << 1);
      for (unsigned lane = 0; lane < 3; lane++)
         operands[lane][2] = lane * 0.5f;
      run(OP5(IR3_SAML, R(8, 0), 1) | IS_SHADOW);
      for (unsigned lane = 0; lane < 3; lane++)
         assert_true(result(lane) == (expected[function] >> lane & 1));
   }
}

TEST(gather)
{
   uint32_t *texels = set_texture(TYPE_2D, 0x38, 2, 2, 0, 1);
   for (unsigned i = 0; i < 4; i++) {
      texels[(i >> 1) * 16 + (i & 1) * 2] = i;
      texels[(i >> 1) * 16 + (i & 1) * 2 + 1] = 10 + i;
   }
   set_sampler(LINEAR, 1, 0, 0);
   operands[0][0] = operands[0][1] = 0.5f;
   run(OP5(IR3_GATHER4G, R(8, 0), 15));
   for (unsigned c = 0; c < 4; c++)
      assert_int_equal(result_word(0, c),
                       ((unsigned[]){ 12, 13, 11, 10 })[c]);
   /* Texels of an offset: the right column, repeated by the clamp. */
   set_int(0, 8, 1);
   run(OP5(IR3_GATHER4R, R(8, 0), 15) | OFFSETS);
   assert_int_equal(result_word(0, 0), 3);
   assert_int_equal(result_word(0, 3), 1);
   assert_int_equal(count_diags(), 0);
   /* Nobody relies on those. */
   chip->textures[stage][0][0] ^= 1 << 4;
   run(OP5(IR3_GATHER4R, R(8, 0), 15));
   assert_int_equal(GIVEN(GATHER), 1);
}

/* Each level of 16 x 16 texels says its number. */
TEST(gradients)
{
   static const struct {
      float dx, dy;
      unsigned aniso; /* logarithm of the samples */
      float bias, expected, lod;
   } cases[] = {
      { 1, 0, 0, 0, 0, 0 }, { 2, 0, 0, 0, 1, 1 },      { 1, 4, 0, 0, 2, 2 },
      { 2, 0, 0, 1, 2, 1 }, { 0.25f, 0, 0, 0, 0, -2 }, { 8, 2, 2, 0, 1, 1 },
      { 8, 1, 1, 0, 2, 2 },
   };
   stage = STAGE_FS;
   uint32_t *texels = set_texture(TYPE_2D, R32F, 16, 16, 0, 5);
   for (unsigned level = 0, row = 0; level < 5; row += 16 >> level++) {
      for (unsigned i = 0; i < 256u >> level * 2; i++)
         texels[(row + i / (16 >> level)) * 16 + i % (16 >> level)] =
            sim_float_bits(level);
   }
   for (unsigned i = 0; i < COUNT(cases); i++) {
      set_sampler(cases[i].aniso ? ANISO : LINEAR, 0,
                  cases[i].aniso << 14 | 1, 0);
      for (unsigned lane = 0; lane < 4; lane++) {
         operands[lane][0] = (lane & 1) * cases[i].dx / 16;
         operands[lane][1] = (lane >> 1) * cases[i].dy / 16;
         operands[lane][8] = cases[i].bias;
      }
      run(OP5(IR3_SAMB, R(8, 0), 1));
      if (result(0) != cases[i].expected)
         fail_msg("case %u: %f, not %f", i, result(0), cases[i].expected);
      run(OP5(IR3_GETLOD, R(8, 0), 3));
      assert_int_equal(result_word(0, 0), fmaxf(cases[i].lod, 0) * 256);
      assert_int_equal((int)result_word(0, 1), (int)(cases[i].lod * 256));
      run(OP5(IR3_DSY, R(8, 0), 3));
      assert_true(result(3) == 0);
      assert_true(sim_float_from_bits(result_word(3, 1)) == cases[i].dy / 16);
   }
   /* Explicit: four registers, then changes in x and y. */
   set_sampler(LINEAR, 0, 1, 0);
   operands[0][4] = 4.0f / 16;
   run(OP5(IR3_SAMGQ, R(8, 0), 1));
   assert_true(result(0) == 2);
   assert_int_equal(count_diags(), 0);
}

/* --- what is not there --- */

TEST(missing)
{
   /* Nothing bound, memory that is none, and a format that is none. */
   run(OP5(IR3_SAM, R(8, 0), 15));
   assert_int_equal(result_word(0, 0), 0);
   assert_int_equal(count_diags(), 0);
   set_texture(TYPE_2D, R32F, 4, 4, 0, 1);
   chip->textures[stage][0][4] = BASE + SIZE - 32;
   run(OP5(IR3_SAM, R(8, 0), 15));
   assert_int_equal(GIVEN(TEXTURE), 1);
   assert_int_equal(result_word(0, 0), 0);
   restart();
   set_texture(TYPE_2D, 0x50, 4, 4, 0, 1);
   run(OP5(IR3_SAM, R(8, 0), 15));
   assert_int_equal(GIVEN(TEXTURE), 1);
}

/* Textures and samplers come from a command stream, and results are late. */
TEST(state)
{
   static const uint32_t samplers[4] = { 1, 2, 3, 4 };
   uint32_t textures[8] = { 5, 6, 7, 8 };
   memcpy(memory + VERTICES, samplers, sizeof(samplers));
   memcpy(memory + PARAMETERS, textures, sizeof(textures));
   begin();
   put_state(4, 0, 2, VERTICES);
   put_state(4, 1, 1, PARAMETERS);
   assert_true(submit());
   assert_memory_equal(chip->samplers[STAGE_FS], samplers, sizeof(samplers));
   assert_memory_equal(chip->textures[STAGE_FS], textures, sizeof(textures));
   begin();
   put_state(0, 0, 17, VERTICES);
   assert_true(submit());
   assert_int_equal(GIVEN(TEXTURE), 1);
}

TEST(late)
{
   static struct ir3_instr program[3];
   for (unsigned sy = 0; sy < 2; sy++) {
      forget_diags();
      run(OP5(IR3_SAM, R(8, 0), 2));
      assert_true(ir3_decode(OP5(IR3_SAM, R(8, 0), 2), &program[0]));
      assert_true(
         ir3_decode(MOV(R(9, 0), R(8, 1)) | (sy ? SY : 0), &program[1]));
      assert_true(ir3_decode(END, &program[2]));
      wave->program = program;
      wave->count = 3;
      assert_true(ir3_wave_run(wave, ~0u));
      assert_int_equal(GIVEN(LATE_VALUE), !sy);
   }
}
