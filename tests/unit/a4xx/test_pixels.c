/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What comes behind the vertices, on 8x8 pixels: which ones a primitive covers, varyings, blending, tests, GMEM; against
 * values worked out by hand.
 */

#include "unit.h"

#include "a4xx_stream.h"

#define WIDTH 8
#define TARGET 0x80000u
#define PITCH (WIDTH * 4)
#define DEPTH 0x4000u /* in GMEM */
#define PACKET3(opcode, count) (3u << 30 | ((count)-1) << 16 | (opcode) << 8)
#define RGBA8 (0x1a | PITCH / 16 << 14)
#define IN_MEMORY 0x00c00000
#define IN_GMEM 0x00010101 /* bins of 32x32 */
#define MRT_PLAIN (12 << 8 | 0xf << 24)

static float color[4];
/* Programs: the position as it is, the color; and a varying's place in it. */
static const uint64_t vertex_program[16] = { MOV(R(1, 0), R(0, 0)), END };
static uint64_t fragment_program[16];

static void
put_float(unsigned reg, float value)
{
   uint32_t word;
   memcpy(&word, &value, 4);
   put_reg(reg, word);
}

static void
put_stage(unsigned stage, const uint64_t *words)
{
   const uint32_t offset = PROGRAMS + stage * 0x1000;
   memcpy(memory + offset, words, 16 * 8);
   put_reg(stage ? HLSQ_FS_CONTROL_REG : HLSQ_VS_CONTROL_REG, 1 | stage << 8 | 1 << 16 | stage << 17 | 1u << 24);
   put_state(stage ? 12 : 8, 0, 1, offset);
}

static void
put_target(void)
{
   put_reg(RB_MODE_CONTROL, IN_MEMORY);
   put_reg(RB_MRT_CONTROL, MRT_PLAIN);
   put_reg(RB_MRT_CONTROL + 1, RGBA8);
   put_reg(RB_MRT_CONTROL + 2, BASE + TARGET);
   put_reg(RB_RENDER_COMPONENTS, 0xf);
   put_reg(SP_FS_OUTPUT_REG, 1);
   put_reg(SP_FS_MRT, R(2, 0));
   put_reg(GRAS_SC_SCREEN_SCISSOR_BR, 7 << 16 | 7);
   put_reg(GRAS_SC_WINDOW_SCISSOR_BR, 7 << 16 | 7);
}

/* Everything that a draw needs; positions are in pixels. */
#define SIDE 1024 /* of the viewport, from its middle, in pixels */

static void
set_up(void)
{
   begin();
   put_stage(0, vertex_program);
   put_stage(1, fragment_program);
   memcpy(memory + PROGRAMS + 0x8000, color, sizeof(color));
   put_state(12, 1, 1, PROGRAMS + 0x8000);
   put_reg(VFD_CONTROL_0, 1u << 26 | 1 << 20 | 4);
   put_reg(VFD_CONTROL_1, 0xfcfc0000);
   put_reg(VFD_CONTROL_3, 0xfcfcfc00);
   put_reg(VFD_FETCH, 16 << 7 | 15);
   put_reg(VFD_FETCH + 1, BASE + VERTICES);
   put_reg(VFD_FETCH + 2, 4096);
   put_reg(VFD_DECODE, 15 | 0x04 << 6 | R(0, 0) << 12);
   put_reg(SP_VS_CTRL_REG0, 2 << 10);
   put_reg(SP_VS_PARAM_REG, 1u << 20 | 0xfc00 | R(0, 0));
   put_reg(SP_VS_OUT, 1 << 9 | R(1, 0));
   put_reg(SP_VS_VPC_DST, 8);
   put_reg(SP_FS_CTRL_REG0, 3 << 10);
   put_reg(HLSQ_CONTROL_1_REG, 0xfcfc0000);
   put_reg(HLSQ_CONTROL_2_REG, 0xfcu << 2 | 0xfc << 10 | 0xfc << 18);
   put_reg(HLSQ_CONTROL_3_REG, 0xfcfcfc00 | R(0, 0));
   put_float(GRAS_CL_VPORT_XOFFSET_0 + 1, SIDE);
   put_float(GRAS_CL_VPORT_XOFFSET_0 + 3, SIDE);
   put_float(GRAS_CL_VPORT_XOFFSET_0 + 5, 1);
   put_reg(GRAS_SU_POINT_MINMAX, 64u << 20);
   put_reg(GRAS_SU_POINT_SIZE, 16);
   put_target();
}

/* Corners: x and y in pixels, z. */
static void
draw(unsigned type, unsigned count, const float *corners)
{
   for (unsigned i = 0; i < count; i++) {
      const float vertex[4] = { corners[i * 3], corners[i * 3 + 1], corners[i * 3 + 2] * SIDE, SIDE };
      memcpy(memory + VERTICES + i * 16, vertex, 16);
   }
   PUT(PACKET3(0x38, 3), type | DRAW_SOURCE_AUTO << 6, 1, count);
   assert_true(submit());
   begin();
}

/* Two corners of a rectangle that is the whole window, at a depth. */
static void
draw_all(float z)
{
   const float corners[6] = { 0, 0, z, WIDTH, WIDTH, z };
   draw(8, 2, corners);
}

static uint32_t
pixel(unsigned x, unsigned y)
{
   return word_at(TARGET + y * PITCH + x * 4);
}

SETUP
{
   const uint64_t constant[] = { MOV_C(R(2, 0), 0), MOV_C(R(2, 1), 1), MOV_C(R(2, 2), 2), MOV_C(R(2, 3), 3), END };
   memset(fragment_program, 0, sizeof(fragment_program));
   memcpy(fragment_program, constant, sizeof(constant));
   memcpy(color, (const float[]){ 1, 0.5f, 0, 1 }, sizeof(color));
}

/* Rows of pixels, bit 0 on the left. */
TEST(coverage)
{
   static const struct {
      unsigned type, count, reg, value;
      float corners[9];
      uint8_t rows[8];
   } cases[] = {
      /* Two triangles share an edge through pixels' centres. */
      { 4, 3, 0, 0, { 0, 0, 0, 8, 0, 0, 0, 8 }, { 0x7f, 0x3f, 0x1f, 0x0f, 7, 3, 1 } },
      { 4, 3, 0, 0, { 8, 0, 0, 8, 8, 0, 0, 8 }, { 0x80, 0xc0, 0xe0, 0xf0, 0xf8, 0xfc, 0xfe, 0xff } },
      /* Left and top edges belong to it, at centres. */
      { 4, 3, 0, 0, { 1.5f, 1.5f, 0, 5.5f, 1.5f, 0, 1.5f, 5.5f }, { 0, 0x1e, 0x0e, 6, 2 } },
      { 4, 3, GRAS_SU_MODE_CONTROL, 2, { 0, 0, 0, 8, 0, 0, 0, 8 }, { 0 } }, /* culled: clockwise is the back */
      { 4, 3, GRAS_SU_MODE_CONTROL, 6, { 0, 0, 0, 2, 0, 0, 0, 2 }, { 1 } },
      { 4, 3, GRAS_SC_WINDOW_SCISSOR_TL, 2 << 16 | 1, { 0, 0, 0, 8, 0, 0, 0, 8 }, { 0, 0, 0x1e, 0x0e, 6, 2 } },
      { 4, 3, 0, 0, { 0, 0, 2, 8, 0, 0, 0, 8 }, { 0x78, 0x3c, 0x1e, 0x0f, 7, 3, 1 } }, /* the far plane: x + y = 4 */
      { 4, 3, 0, 0, { -1e7f, -1e7f, 0, 3e7f, -1e7f, 0, -1e7f, 3e7f }, { 255, 255, 255, 255, 255, 255, 255, 255 } },
      { 9, 1, 0, 0, { 3.7f, 2.2f }, { 0, 0, 8 } },
      { 9, 1, GRAS_SU_POINT_SIZE, 3 * 16, { 3.5f, 2.5f }, { 0, 0x1c, 0x1c, 0x1c } },
      { 2, 2, 0, 0, { 1.5f, 2.5f, 0, 5.5f, 2.5f }, { 0, 0, 0x1e } }, /* without its last pixel */
      { 2, 2, 0, 0, { 5.5f, 2.5f, 0, 1.5f, 2.5f }, { 0, 0, 0x3c } },
      { 2, 2, 0, 0, { 2.5f, 1.5f, 0, 2.5f, 4.5f }, { 0, 4, 4, 4 } },
      { 2, 2, GRAS_SU_MODE_CONTROL, 6 << 3, { 1, 4.5f, 0, 3, 4.5f }, { 0, 0, 0, 6, 6, 6 } },
      { 8, 2, 0, 0, { 2, 1, 0, 4, 3 }, { 0, 0x0c, 0x0c } },
      { 4, 3, PC_PRIM_VTX_CNTL + 1, 1 << 6 | 1 | 1 << 3, { 1.5f, 1.5f, 0, 5.5f, 1.5f, 0, 1.5f, 5.5f },
        { 0, 0x3e, 0x12, 0x0a, 6, 2 } },
   };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      memset(memory + TARGET, 0, PITCH * WIDTH);
      set_up();
      if (i && cases[i - 1].reg)
         put_reg(cases[i - 1].reg, cases[i - 1].reg == GRAS_SU_POINT_SIZE ? 16 : 0);
      if (cases[i].reg)
         put_reg(cases[i].reg, cases[i].value);
      draw(cases[i].type, cases[i].count, cases[i].corners);
      for (unsigned y = 0; y < WIDTH; y++) {
         uint8_t row = 0;
         for (unsigned x = 0; x < WIDTH; x++)
            row |= (pixel(x, y) == 0xff0080ff) << x;
         if (row != cases[i].rows[y])
            fail_msg("case %u, row %u: %02x, not %02x", i, y, row, cases[i].rows[y]);
      }
   }
   assert_int_equal(count_diags(), 0);
}

/* The right side of the viewport is at x = 4. */
TEST(viewport_sides)
{
   set_up();
   put_float(GRAS_CL_VPORT_XOFFSET_0, 4 - SIDE);
   draw(4, 3, (const float[]){ 0, 0, 0, 0, 4 * SIDE, 0, 4 * SIDE, 0, 0 });
   for (unsigned x = 0; x < WIDTH; x++)
      assert_int_equal(pixel(x, 1), x < 4 ? pixel(0, 1) : 0);
   assert_true(pixel(0, 1));
}

/* The varying is x: from 0 to 8 in steps, without and with perspective, flat, and of points by replacement. */
TEST(varyings)
{
   static const float big[9] = { 0, 0, 0, 16, 0, 0, 0, 16, 0 }, point[3] = { 4, 4, 0 };
   const uint64_t program[] = {
      OP2(IR3_BARY_F, R(1, 0), I(0), R(0, 0)), MOV_C(R(2, 0), 0), MOV_C(R(2, 1), 1),
      OP2(IR3_MUL_F, R(2, 0), R(1, 0), R(2, 1)), END,
   };
   memcpy(fragment_program, program, sizeof(program));
   memcpy(color, (const float[]){ 1, 1.0f / 16, 0, 0 }, sizeof(color));
   set_up();
   put_reg(SP_FS_CTRL_REG0, 4 << 10);
   put_reg(SP_FS_MRT, R(2, 0));
   put_reg(RB_RENDER_COMPONENTS, 1);
   draw(4, 3, big);
   for (unsigned x = 0; x < WIDTH; x++)
      assert_int_equal(pixel(x, 3) & 0xff, (x + 0.5f) * 255 / 16 + 0.5f);
   put_reg(VPC_VARYING_INTERP, 1);
   put_reg(PC_PRIM_VTX_CNTL, 1u << 25); /* the last vertex */
   draw(4, 3, (const float[]){ 0, 0, 0, 0, 16, 0, 16, 0, 0 });
   assert_int_equal(pixel(1, 1) & 0xff, 255);
   put_reg(VPC_VARYING_INTERP, 0);
   put_reg(VPC_VARYING_PS_REPL, 3); /* 1 - t */
   put_reg(GRAS_SU_POINT_SIZE, WIDTH * 16);
   draw(9, 1, point);
   for (unsigned y = 0; y < WIDTH; y++)
      assert_int_equal(pixel(2, y) & 0xff, (1 - (y + 0.5f) / 8) * 255 / 16 + 0.5f);
}

/* A component of the target is 0x80, its alpha 0x40; the source is color. */
TEST(blending)
{
   static const struct {
      uint32_t control, blend;
      float source, alpha;
      uint8_t result;
   } cases[] = {
      { MRT_PLAIN, 0, 0.25f, 1, 64 },
      { MRT_PLAIN | 0x30, 1 | 1 << 8, 0.25f, 1, 192 },
      { MRT_PLAIN | 0x30, 6 | 7 << 8, 1, 0.25f, 160 },              /* SRC_ALPHA, 1 - SRC_ALPHA */
      { MRT_PLAIN | 0x30, 10 | 1 << 5, 1, 1, 64 },                  /* DST_ALPHA; source - 0 */
      { MRT_PLAIN | 0x10, 10 | 1 << 5, 1, 1, 255 },                 /* a target without alpha */
      { MRT_PLAIN | 0x30, 1 | 1 << 8 | 2 << 5, 0.25f, 1, 64 },      /* the target minus the source */
      { MRT_PLAIN | 0x30, 3 << 5, 0.25f, 1, 64 },                   /* the smaller one */
      { MRT_PLAIN | 0x30, 4 << 5, 0.25f, 1, 128 },                  /* the larger one */
      { MRT_PLAIN | 0x30, 12 << 8, 0.25f, 1, 64 },                  /* the constant, 0.5, times the target */
      { MRT_PLAIN | 0x30, 8, 4, 1, 128 },                           /* clamped before it is blended */
      { 6 << 8 | 0xf << 24 | 0x40, 0, 1, 1, 0x7f },                 /* exclusive or */
      { 12 << 8 | 0x2 << 24, 0, 1, 1, 0x80 },                       /* red is not written */
   };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      memset(memory + TARGET, 0x40, PITCH * WIDTH);
      memory[TARGET] = 0x80;
      color[0] = cases[i].source;
      color[3] = cases[i].alpha;
      set_up();
      put_reg(RB_MRT_CONTROL, cases[i].control);
      put_reg(RB_MRT_CONTROL + 4, cases[i].blend);
      put_float(RB_BLEND_RED + 1, 0.5f);
      draw_all(0);
      if (memory[TARGET] != cases[i].result)
         fail_msg("case %u: %02x, not %02x", i, memory[TARGET], cases[i].result);
   }
   assert_int_equal(count_diags(), 0);
}

/* In GMEM: depth is 0.5, stencil 7; the reference is 5. */
TEST(tests)
{
   static const struct {
      uint32_t depth, stencil;
      float z;
      bool passes;
      uint32_t result; /* of depth and stencil */
   } cases[] = {
      { 2 | 1 << 4, 0, 0.25f, true, 0x07800000 },                            /* less, not written */
      { 6 | 1 << 4, 0, 0.25f, true, 0x07400000 },
      { 6 | 1 << 4, 0, 0.75f, false, 0x07800000 },
      { 6 | 4 << 4 | 1 << 16, 0, 0.75f, true, 0x07bfffff },                  /* behind the program */
      { 6 | 4 << 4, 0, 9, true, 0x07ffffff },                                /* clamped */
      { 0, 1 | 4 << 8 | 2 << 11, 0, false, 0x05800000 },                     /* 5 > 7 fails: replaced */
      { 0, 1 | 1 << 8 | 3 << 14, 0, true, 0x08800000 },                      /* 5 < 7: increased */
      { 6 | 1 << 4, 1 | 7 << 8 | 7 << 17, 0.75f, false, 0x06800000 },        /* depth fails: decreased */
      { 6 | 1 << 4, 1 | 7 << 8 | 5 << 14, 0.25f, true, 0xf8400000 },         /* inverted */
   };
   uint32_t *depth = (uint32_t *)(chip->gmem + DEPTH);
   for (unsigned i = 0; i < COUNT(cases); i++) {
      uint32_t *pixels = (uint32_t *)chip->gmem;
      pixels[0] = 0;
      for (unsigned y = 0; y < WIDTH; y++) {
         for (unsigned x = 0; x < WIDTH; x++)
            depth[y * 32 + x] = 0x07800000;
      }
      set_up();
      put_reg(GRAS_CL_CLIP_CNTL, 3 << 16);
      put_reg(RB_MODE_CONTROL, IN_GMEM);
      put_reg(RB_MRT_CONTROL + 2, 0);
      put_reg(RB_DEPTH_INFO, DEPTH | 2);
      put_reg(RB_DEPTH_PITCH, 32 * 4 / 32);
      put_reg(RB_DEPTH_CONTROL, cases[i].depth);
      put_reg(RB_STENCIL_CONTROL, cases[i].stencil);
      put_reg(RB_STENCILREFMASK, 0xffff05);
      draw_all(cases[i].z);
      if ((pixels[0] != 0) != cases[i].passes || depth[0] != cases[i].result)
         fail_msg("case %u: %08x, %08x", i, pixels[0], depth[0]);
   }
   assert_int_equal(count_diags(), 0);
   /* To memory there is none, and strict mode says so. */
   set_up();
   put_reg(RB_DEPTH_CONTROL, 6 | 1 << 4);
   draw_all(0);
   assert_int_equal(GIVEN(BYPASS), 1);
}

/* A bin at (4, 4) is drawn in GMEM, and copied to its place in memory. */
TEST(resolve)
{
   memset(memory + TARGET, 0, PITCH * WIDTH);
   set_up();
   put_reg(RB_MODE_CONTROL, IN_GMEM);
   put_reg(RB_BIN_OFFSET, 4 << 16 | 4);
   put_reg(GRAS_SC_SCREEN_SCISSOR_TL, 4 << 16 | 4);
   put_reg(RB_MRT_CONTROL + 1, 0x1a | 128 / 16 << 14);
   put_reg(RB_MRT_CONTROL + 2, 0x4000);
   draw_all(0);
   assert_int_equal(((const uint32_t *)(chip->gmem + 0x4000))[0], 0xff0080ff);
   put_reg(GRAS_SC_CONTROL, 2 << 2);
   put_reg(RB_COPY_CONTROL, 0x4000 | 1 << 4);
   put_reg(RB_COPY_DEST_BASE, BASE + TARGET);
   put_reg(RB_COPY_DEST_PITCH, PITCH / 32);
   put_reg(RB_COPY_DEST_INFO, 0x1a << 2);
   draw_all(0);
   assert_int_equal(pixel(3, 4), 0);
   assert_int_equal(pixel(4, 4), 0xff0080ff);
   assert_int_equal(pixel(7, 7), 0xff0080ff);
   assert_int_equal(count_diags(), 0);
   /* The counter of samples goes to memory. */
   put_reg(RB_SAMPLE_COUNT_CONTROL, (BASE + PARAMETERS) | 2);
   PUT(PACKET3(0x46, 1), 21);
   assert_true(submit());
   assert_int_equal(word_at(PARAMETERS), 16);
}

/* --- what public facts leave open: each value --- */

/* U9: which bits of RB_MODE_CONTROL send pixels to memory.  The address is one of both. */
TEST(memory_bits)
{
   static const bool in_memory[3][3] = { { false, false, true }, { true, false, true }, { false, true, true } };
   for (unsigned i = 0; i < 9; i++) {
      profile.memory_bits = i / 3;
      restart();
      memset(memory + PARAMETERS, 0, PITCH * WIDTH);
      set_up();
      put_reg(RB_MODE_CONTROL, 0x0101 | (i % 3 + 1) << 22);
      put_reg(RB_MRT_CONTROL + 2, BASE + PARAMETERS);
      draw_all(0);
      assert_int_equal(word_at(PARAMETERS) != 0, in_memory[i / 3][i % 3]);
   }
}

/* U10: a draw to GMEM without ENABLE_GMEM; U11: where GMEM has the pixel (4, 5), and its copy. */
TEST(gmem)
{
   static const unsigned places[4] = { 5 * 32 + 4, 4, 4 * 32 + 20, 16 };
   for (unsigned i = 0; i < 4; i++) {
      profile.bin_offset = i & 1;
      profile.gmem_layout = i >> 1;
      restart();
      set_up();
      put_reg(RB_MODE_CONTROL, 0x0101);
      put_reg(RB_BIN_OFFSET, 5 << 16);
      put_reg(GRAS_SC_SCREEN_SCISSOR_TL, 5 << 16);
      put_reg(RB_MRT_CONTROL + 1, 0x1a | 128 / 16 << 14);
      put_reg(RB_MRT_CONTROL + 2, 0x4000);
      draw(8, 2, (const float[]){ 4, 5, 0, 5, 6, 0 });
      assert_int_equal(((const uint32_t *)(chip->gmem + 0x4000))[places[i]], 0xff0080ff);
      memset(memory + TARGET, 0, PITCH * WIDTH);
      put_reg(GRAS_SC_CONTROL, 2 << 2);
      put_reg(RB_COPY_CONTROL, 0x4000 | 1 << 4);
      put_reg(RB_COPY_DEST_BASE, BASE + TARGET);
      put_reg(RB_COPY_DEST_PITCH, PITCH / 32);
      put_reg(RB_COPY_DEST_INFO, 0x1a << 2);
      draw(8, 2, (const float[]){ 3, 5, 0, 6, 6, 0 });
      assert_int_equal(pixel(3, 5) | pixel(5, 5), 0);
      assert_int_equal(pixel(4, 5), 0xff0080ff);
   }
}

/* U12: a depth test of a draw to memory; the buffer in GMEM has 0. */
TEST(depth_in_memory)
{
   for (unsigned i = 0; i < 2; i++) {
      profile.memory_depth = i;
      restart();
      memset(memory + TARGET, 0, PITCH * WIDTH);
      set_up();
      put_reg(RB_DEPTH_INFO, DEPTH | 2);
      put_reg(RB_DEPTH_PITCH, 32 * 4 / 32);
      put_reg(RB_DEPTH_CONTROL, 2 | 1 << 4);
      draw_all(0.5f);
      assert_int_equal(pixel(0, 0) != 0, i == A4XX_DEPTH_NONE);
      assert_int_equal(GIVEN(BYPASS), 1);
   }
}

/* U13: a source of 1 times the target's alpha of 0x40, without BLEND2. */
TEST(target_without_alpha)
{
   for (unsigned i = 0; i < 2; i++) {
      profile.no_blend_2 = i;
      restart();
      memset(memory + TARGET, 0x40, PITCH * WIDTH);
      set_up();
      put_reg(RB_MRT_CONTROL, MRT_PLAIN | 0x10);
      put_reg(RB_MRT_CONTROL + 4, 10 | 1 << 5);
      draw_all(0);
      assert_int_equal(memory[TARGET], i == A4XX_ALPHA_OPAQUE ? 255 : 64);
   }
}

/* U14: an alpha of 0.5, which is 127.5 steps, equals 127, equals 128, is above 127. */
TEST(alpha_test)
{
   static const uint32_t controls[3] = { 127 | 1 << 8 | 2 << 9, 128 | 1 << 8 | 2 << 9, 127 | 1 << 8 | 4 << 9 };
   static const bool passes[3][3] = { { true, false, false }, { false, true, true }, { false, false, true } };
   color[3] = 0.5f;
   for (unsigned i = 0; i < 9; i++) {
      profile.alpha_test = i / 3;
      restart();
      memset(memory + TARGET, 0, PITCH * WIDTH);
      set_up();
      put_reg(RB_ALPHA_CONTROL, controls[i % 3]);
      draw_all(0);
      assert_int_equal(pixel(0, 0) != 0, passes[i / 3][i % 3]);
   }
}

/* U15: every second pixel is killed; the others take the difference to what their neighbours compute afterwards: 0, not 1. */
TEST(killed_pixels)
{
   static const uint64_t program[] = {
      OP2(IR3_AND_B, R(1, 0), R(2, 2), I(16)), CMP(IR3_CMPS_U, IR3_NE, PX, R(1, 0), I(0)), MOV_C(R(1, 1), 1), NOP, NOP, NOP, NOP, NOP,
      5ull << 55 /* kill p0.x */, MOV_C(R(1, 1), 0),
      5ull << 61 | 14ull << 54 | 1ull << 44 | 1ull << 40 | (uint64_t)R(2, 0) << 32 | R(1, 1) << 1 | 1 /* dsx */, NOP | SY, END,
   };
   memcpy(fragment_program, program, sizeof(program));
   for (unsigned i = 0; i < 2; i++) {
      profile.killed = i;
      restart();
      memset(memory + TARGET, 0, PITCH * WIDTH);
      memcpy(color, (const float[]){ 0, 1, 0, 0 }, sizeof(color));
      set_up();
      put_reg(HLSQ_CONTROL_1_REG, 0xfc000000 | R(2, 2) << 16);
      draw_all(0);
      assert_int_equal(pixel(0, 0) & 0xff, i == A4XX_KILLED_STOP ? 255 : 0);
      assert_int_equal(pixel(1, 0), 0);
   }
}

/* U16: two units, in steps of 24 bits. */
TEST(offset_unit)
{
   for (unsigned i = 0; i < 2; i++) {
      profile.offset_unit = i;
      restart();
      set_up();
      put_reg(RB_MODE_CONTROL, IN_GMEM);
      put_reg(RB_MRT_CONTROL + 2, 0);
      put_reg(RB_DEPTH_INFO, DEPTH | 2);
      put_reg(RB_DEPTH_PITCH, 32 * 4 / 32);
      put_reg(RB_DEPTH_CONTROL, 6 | 7 << 4);
      put_reg(GRAS_SU_MODE_CONTROL, 1 << 11);
      put_float(GRAS_SU_POLY_OFFSET_SCALE + 1, 2);
      draw(4, 3, (const float[]){ 0, 0, 0, 16, 0, 0, 0, 16, 0 });
      assert_int_equal(*(const uint32_t *)(chip->gmem + DEPTH), i == A4XX_OFFSET_WHOLE ? 2 : 1);
   }
}

/* A target that is no memory, or of no format, draws nothing. */
TEST(bad_targets)
{
   static const uint32_t values[][2] = { { RGBA8, 64 }, { 0x3f, BASE + TARGET }, { RGBA8, BASE + SIZE - 64 } };
   for (unsigned i = 0; i < COUNT(values); i++) {
      forget_diags();
      set_up();
      put_reg(RB_MRT_CONTROL + 1, values[i][0]);
      put_reg(RB_MRT_CONTROL + 2, values[i][1]);
      draw_all(0);
      assert_int_equal(GIVEN(TARGET), 1);
   }
}

/* Two targets: halves, of which one is written, and a signed integer. */
TEST(two_targets)
{
   const uint64_t program[] = { MOV_C(R(2, 0), 0), MOV_C(R(3, 0), 1), MOV_C(R(3, 1), 1), MOV_C(R(3, 2), 1), END };
   memset(memory + TARGET, 0, PITCH * WIDTH * 2);
   memcpy(fragment_program, program, sizeof(program));
   color[0] = 0.5f;
   memcpy(&color[1], &(const int32_t){ 7 }, 4);
   set_up();
   put_reg(SP_FS_CTRL_REG0, 4 << 10);
   put_reg(SP_FS_OUTPUT_REG, 2);
   put_reg(SP_FS_MRT + 1, R(3, 0) | 1 << 10);
   put_reg(RB_RENDER_COMPONENTS, 0xf1);
   put_reg(RB_MRT_CONTROL + 1, 0x2a | PITCH / 16 << 14);
   put_reg(RB_MRT_CONTROL + 5, MRT_PLAIN | 0x30); /* integers are never blended */
   put_reg(RB_MRT_CONTROL + 6, 0x2f | PITCH / 16 << 14);
   put_reg(RB_MRT_CONTROL + 7, BASE + TARGET + PITCH * WIDTH);
   draw_all(0);
   assert_int_equal(pixel(7, 7), 0x3800);
   assert_int_equal(pixel(0, 8), 7);
   assert_int_equal(pixel(7, 15), 7);
   assert_int_equal(count_diags(), 0);
}
