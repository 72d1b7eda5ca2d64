/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Command streams: packets, broken ones too; attributes in every format
 * against Mesa's; indices, instances, restarts and primitives.
 */

#include <math.h>

#include "unit.h"
#include "util/format/u_format.h"

#include "a4xx_stream.h"

#define PACKET3(opcode, count) (3u << 30 | ((count)-1) << 16 | (opcode) << 8)
#define LIST2 0x8000u /* offset of a second list */

/* --- packets --- */

TEST(registers)
{
   begin();
   PUT(2 << 16 | PC_HS_PARAM,                      /* three in a row */
       1, 2, 3, 2u << 30,                          /* filler */
       PACKET3(0x21, 3),                           /* CP_REG_RMW */
       PC_HS_PARAM, 0xff, 0x100, PACKET3(0x2d, 3), /* CP_SET_CONSTANT */
       1u << 31 | 4 << 16 | (PC_RESTART_INDEX - A4XX_CONTEXT_0), PC_HS_PARAM, 5);
   assert_true(submit());
   assert_int_equal(a4xx_register(chip, PC_HS_PARAM), 0x101);
   assert_int_equal(a4xx_register(chip, PC_HS_PARAM + 2), 3);
   assert_int_equal(a4xx_register(chip, PC_RESTART_INDEX), 0x106);
   /* The two behind PC_HS_PARAM have no names. */
   assert_int_equal(GIVEN(REGISTER), 1);
   assert_int_equal(count_diags(), 1);
}

/* The second context is the chip's own to change to. */
TEST(second_context)
{
   begin();
   put_reg(PC_HS_PARAM, 1);
   put_reg(PC_HS_PARAM + A4XX_CONTEXT_1 - A4XX_CONTEXT_0, 2);
   assert_true(submit());
   assert_int_equal(GIVEN(CONTEXT), 1);
   assert_int_equal(a4xx_register(chip, PC_HS_PARAM), 1);
   assert_int_equal(a4xx_register(chip, PC_HS_PARAM + 0x400), 2);
}

TEST(memory)
{
   const uint32_t address = BASE + PARAMETERS;
   begin();
   PUT(PACKET3(0x3d, 3),                                /* CP_MEM_WRITE */
       address, 11, 22, PACKET3(0x42, 2),               /* CP_MEM_TO_REG */
       PC_RESTART_INDEX, address + 4, PACKET3(0x3e, 2), /* CP_REG_TO_MEM, twice: the second adds */
       PC_RESTART_INDEX, address + 8, PACKET3(0x3e, 2), 1u << 31 | PC_RESTART_INDEX, address + 8,
       PACKET3(0x73, 3), /* CP_MEM_TO_MEM */
       0, address + 12, address);
   assert_true(submit());
   assert_int_equal(word_at(PARAMETERS + 4), 22);
   assert_int_equal(word_at(PARAMETERS + 8), 44);
   assert_int_equal(word_at(PARAMETERS + 12), 11);
   assert_int_equal(count_diags(), 0);
}

/* Without a clock a packet takes a cycle.  What CP_ME_NRT_DATA gets goes to memory, one dword behind the other. */
TEST(cycles)
{
   const uint32_t address = BASE + PARAMETERS;
   begin();
   PUT(PACKET3(0x3e, 2), 2u << 19 | RBBM_PERFCTR_CP_0_LO, address, PACKET3(0x10, 1), 0,
       PACKET3(0x3e, 2), 2u << 19 | RBBM_PERFCTR_CP_0_LO, address + 8);
   put_reg(CP_ME_NRT_ADDR, address + 16);
   put_reg(CP_ME_NRT_DATA, 5);
   put_reg(CP_ME_NRT_DATA, 6);
   assert_true(submit());
   assert_memory_equal(memory + PARAMETERS, ((const uint32_t[]){ 1, 0, 3, 0, 5, 6, 0 }), 28);
   assert_int_equal(count_diags(), 0);
   begin();
   put_reg(CP_PERFCTR_CP_SEL_0, 1);
   PUT(PACKET3(0x3e, 2), RBBM_PERFCTR_CP_0_LO, address);
   assert_true(submit());
   assert_int_equal(GIVEN(UNKNOWN_VALUE), 1);
}

TEST(lists)
{
   const uint32_t write[] = { PC_RESTART_INDEX, 7 };
   memcpy(memory + LIST2, write, sizeof(write));
   begin();
   PUT(PACKET3(0x3f, 2), BASE + LIST2, 2);
   assert_true(submit());
   assert_int_equal(a4xx_register(chip, PC_RESTART_INDEX), 7);
   /* One that calls itself ends. */
   begin();
   PUT(PACKET3(0x3f, 2), BASE + STREAM, 3);
   assert_false(submit());
   assert_int_equal(GIVEN(PM4_LENGTH), 1);
}

TEST(broken)
{
   static const struct {
      uint32_t words[4];
      unsigned count, number;
   } cases[] = {
      { { 1u << 30 }, 1, A4XX_DIAG_PM4_PACKET },            /* type 1 */
      { { PACKET3(0xfe, 1), 0 }, 2, A4XX_DIAG_PM4_PACKET }, /* unknown */
      { { PACKET3(0x10, 5), 0 }, 2, A4XX_DIAG_PM4_LENGTH }, /* cut off */
      { { 5 << 16 | PC_HS_PARAM, 0 }, 2, A4XX_DIAG_PM4_LENGTH },
      { { PACKET3(0x3f, 1), 0 }, 2, A4XX_DIAG_PM4_LENGTH }, /* too short */
      { { PACKET3(0x3f, 2), 64, 16 }, 3, A4XX_DIAG_PM4_MEMORY },
      { { PACKET3(0x3f, 2), BASE + 2, 16 }, 3, A4XX_DIAG_PM4_MEMORY },
      { { PACKET3(0x3e, 2), 0, 64 }, 3, A4XX_DIAG_PM4_MEMORY },
      { { PACKET3(0x30, 1), 0 }, 2, A4XX_DIAG_PM4_LENGTH },
      { { PACKET3(0x30, 2), 8 << 18 | 1 << 22, 1 }, 3, A4XX_DIAG_PM4_LENGTH },
      { { PACKET3(0x30, 2), 2 << 16 | 8 << 18 | 1 << 22, 64 }, 3, A4XX_DIAG_PM4_MEMORY },
   };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      forget_diags();
      begin();
      for (unsigned w = 0; w < cases[i].count; w++)
         put(cases[i].words[w]);
      assert_false(submit());
      if (!diags[cases[i].number - 900])
         fail_msg("case %u", i);
   }
   /* A program beyond the store. */
   forget_diags();
   begin();
   put_reg(HLSQ_VS_CONTROL_REG, 60u << 17);
   put_state(8, 0, 5, PROGRAMS);
   assert_false(submit());
   assert_int_equal(GIVEN(PROGRAM), 1);
   /* Constants beyond the stage's are left out. */
   forget_diags();
   begin();
   put_reg(HLSQ_VS_CONTROL_REG, 1);
   put_state(8, 1, 5, VERTICES);
   assert_true(submit());
   assert_int_equal(GIVEN(CONST_RANGE), 1);
   assert_int_equal(chip->consts[15], word_at(VERTICES + 60));
   assert_int_equal(chip->consts[16], 0);
}

/* --- vertices --- */

/* r1.xyzw is the attribute; position and varyings are it, r2.x and r2.y, the
 * vertex' and the instance's number. */
static const uint64_t copy_program[16] = { NOP, END };

static void
set_up_vertices(uint32_t decode, uint32_t stride)
{
   memcpy(memory + PROGRAMS, copy_program, sizeof(copy_program));
   put_reg(HLSQ_VS_CONTROL_REG, 8 | 1 << 16 | 1u << 24);
   put_state(8, 0, 1, PROGRAMS);
   put_reg(VFD_CONTROL_0, 1u << 26 | 1 << 20 | 4);
   put_reg(VFD_CONTROL_1, R(2, 1) << 24 | R(2, 0) << 16);
   put_reg(VFD_CONTROL_3, 0xfcfcfc00);
   put_reg(VFD_FETCH, stride << 7);
   put_reg(VFD_FETCH + 1, BASE + VERTICES);
   put_reg(VFD_FETCH + 2, 4096);
   put_reg(VFD_FETCH + 3, 1);
   put_reg(VFD_DECODE, 15 | R(1, 0) << 12 | decode);
   put_reg(SP_VS_CTRL_REG0, 4 << 10);
   put_reg(SP_VS_PARAM_REG, 1u << 20 | 0xfc00 | R(1, 0));
   put_reg(SP_VS_OUT, 3 << 9 | R(2, 0));
   put_reg(SP_VS_VPC_DST, 8);
}

static void
put_draw(unsigned primitive, unsigned count, unsigned instances)
{
   PUT(PACKET3(0x38, 3), primitive | DRAW_SOURCE_AUTO << 6, instances, count);
}

static void
put_indexed(unsigned primitive, unsigned count, unsigned size, uint32_t offset)
{
   PUT(PACKET3(0x38, 6), primitive | size << 10, 1, count, 0, BASE + offset, count << size);
}

#define FORMATS(code, bits, type)                                                                             \
   { code, PIPE_FORMAT_R##bits##_##type, false }, { code + 1, PIPE_FORMAT_R##bits##G##bits##_##type, false }, \
      { code + 2, PIPE_FORMAT_R##bits##G##bits##B##bits##_##type, false },                                    \
   {                                                                                                          \
      code + 3, PIPE_FORMAT_R##bits##G##bits##B##bits##A##bits##_##type, false                                \
   }
#define INTEGERS(code, bits, type)                                                                          \
   { code, PIPE_FORMAT_R##bits##_##type, true }, { code + 1, PIPE_FORMAT_R##bits##G##bits##_##type, true }, \
      { code + 2, PIPE_FORMAT_R##bits##G##bits##B##bits##_##type, true },                                   \
   {                                                                                                        \
      code + 3, PIPE_FORMAT_R##bits##G##bits##B##bits##A##bits##_##type, true                               \
   }

/* Every format, as Mesa unpacks it. */
TEST(formats)
{
   static const struct {
      uint8_t code;
      enum pipe_format format;
      bool integer;
   } cases[] = {
      FORMATS(0x01, 32, FLOAT),
      FORMATS(0x05, 16, FLOAT),
      FORMATS(0x09, 32, FIXED),
      { 0x0d, PIPE_FORMAT_R11G11B10_FLOAT, false },
      FORMATS(0x10, 16, SSCALED),
      INTEGERS(0x10, 16, SINT),
      FORMATS(0x14, 16, USCALED),
      INTEGERS(0x14, 16, UINT),
      FORMATS(0x18, 16, SNORM),
      FORMATS(0x1c, 16, UNORM),
      INTEGERS(0x20, 32, UINT),
      FORMATS(0x20, 32, USCALED),
      INTEGERS(0x24, 32, SINT),
      FORMATS(0x24, 32, SSCALED),
      INTEGERS(0x28, 8, UINT),
      FORMATS(0x28, 8, USCALED),
      FORMATS(0x2c, 8, UNORM),
      INTEGERS(0x30, 8, SINT),
      FORMATS(0x30, 8, SSCALED),
      FORMATS(0x34, 8, SNORM),
      { 0x38, PIPE_FORMAT_R10G10B10A2_UINT, true },
      { 0x39, PIPE_FORMAT_R10G10B10A2_UNORM, false },
      { 0x3b, PIPE_FORMAT_R10G10B10A2_SNORM, false },
   };
   uint32_t seed = 1;
   for (unsigned i = 0; i < 1024; i++) {
      seed = seed * 1664525 + 1013904223;
      /* Floats that are ordinary, too. */
      uint32_t word = i % 2 ? seed : (seed & 0x807fffff) | 0x3f000000;
      memcpy(memory + VERTICES + i * 4, &word, 4);
   }
   for (unsigned i = 0; i < COUNT(cases); i++) {
      const unsigned bytes = util_format_get_blocksize(cases[i].format);
      begin();
      set_up_vertices(cases[i].code << 6 | cases[i].integer << 20, bytes);
      put_draw(9, 40, 1);
      assert_true(submit());
      assert_int_equal(captured.num_vertices, 40);
      for (unsigned v = 0; v < 40; v++) {
         float expected[4];
         util_format_unpack_rgba(cases[i].format, expected, memory + VERTICES + v * bytes, 1);
         const float *got = captured.vertices[v].position;
         for (unsigned c = 0; c < 4; c++) {
            /* Mesa multiplies normalised numbers with a rounded inverse. */
            const float tolerance =
               util_format_is_unorm(cases[i].format) || util_format_is_snorm(cases[i].format) ? 0x1p-23f : 0;
            bool same = cases[i].integer ? !memcmp(&got[c], &expected[c], 4)
                                         : fabsf(got[c] - expected[c]) <= tolerance || got[c] == expected[c] ||
                                              (got[c] != got[c] && expected[c] != expected[c]);
            if (!same)
               fail_msg("format 0x%02x, vertex %u, component %u: %a, not %a", cases[i].code, v, c, got[c], expected[c]);
         }
      }
   }
   assert_int_equal(count_diags(), 0);
   begin();
   set_up_vertices(0, 4);
   put_draw(9, 1, 1);
   assert_true(submit());
   assert_int_equal(GIVEN(VERTEX_RANGE), 1);
}

TEST(swaps)
{
   static const char orders[4][5] = { "0123", "2103", "1230", "3210" };
   for (unsigned i = 0; i < 4; i++)
      memory[VERTICES + i] = 10 * (i + 1);
   for (unsigned swap = 0; swap < 4; swap++) {
      begin();
      set_up_vertices(0x2b << 6 | swap << 22, 4);
      put_draw(9, 1, 1);
      assert_true(submit());
      for (unsigned c = 0; c < 4; c++)
         assert_true(captured.vertices[0].position[c] == 10 * (orders[swap][c] - '0' + 1));
   }
}

/* What lies behind a buffer is 0, 0, 0, 1. */
TEST(bounds)
{
   begin();
   set_up_vertices(0x04 << 6, 16);
   put_reg(VFD_FETCH + 2, 40);
   put_draw(9, 3, 1);
   assert_true(submit());
   assert_true(captured.vertices[1].position[3] == 7.5f);
   assert_true(captured.vertices[2].position[0] == 0 && captured.vertices[2].position[3] == 1);
   begin();
   put_reg(VFD_FETCH + 1, 64);
   put_draw(9, 3, 1);
   assert_true(submit());
   assert_int_equal(GIVEN(VERTEX_RANGE), 1);
}

static uint32_t
output(unsigned vertex, unsigned component)
{
   return captured.vertices[vertex].outputs[component];
}

TEST(instances)
{
   begin();
   set_up_vertices(0x01 << 6, 4);
   put_reg(VFD_INDEX_OFFSET, 5);
   put_reg(UNKNOWN_2209, 2);
   put_draw(9, 3, 4);
   assert_true(submit());
   assert_int_equal(captured.num_vertices, 12);
   for (unsigned i = 0; i < 12; i++) {
      assert_true(captured.vertices[i].position[0] == 5 + i % 3 + 0.5f);
      assert_int_equal(output(i, 0), i % 3); /* without the offset */
      assert_int_equal(output(i, 1), i / 3);
   }
   /* An attribute of instances, two of which share a value. */
   begin();
   put_reg(VFD_FETCH, 4 << 7 | 1 << 20);
   put_reg(VFD_FETCH + 3, 2);
   put_draw(9, 3, 4);
   assert_true(submit());
   for (unsigned i = 0; i < 12; i++)
      assert_true(captured.vertices[i].position[0] == i / 6 + 2 + 0.5f);
}

static void
check_indices(const uint32_t *expected, unsigned count)
{
   assert_int_equal(captured.num_indices, count);
   for (unsigned i = 0; i < count; i++)
      assert_int_equal(output(captured.indices[i], 0), expected[i]);
}

TEST(indices)
{
   static const uint32_t restarts[3] = { 0xff, 0xffff, 0xffffffff };
   for (unsigned size = 0; size < 3; size++) {
      const uint32_t list[9] = { 4, 3, 2, 1, restarts[size], 7, 6, 5, 0 };
      for (unsigned i = 0; i < 9; i++)
         memcpy(memory + PARAMETERS + (i << size), &list[i], 1 << size);
      begin();
      set_up_vertices(0x01 << 6, 4);
      put_reg(PC_PRIM_VTX_CNTL, 1 << 20 | PROVOKING_LAST);
      put_reg(PC_RESTART_INDEX, restarts[size]);
      put_indexed(6, 9, size, PARAMETERS);
      assert_true(submit());
      check_indices((const uint32_t[]){ 4, 3, 2, 2, 3, 1, 7, 6, 5, 5, 6, 0 }, 12);
   }
   assert_int_equal(count_diags(), 0);
   begin();
   put_indexed(6, 9, 2, SIZE - 8);
   assert_true(submit());
   assert_int_equal(GIVEN(VERTEX_RANGE), 1);
}

/* U5, U17: which vertices run, and the number that transform feedback has of them. */
TEST(runs)
{
   static const struct {
      unsigned runs, restarts, count;
      uint32_t numbers[8];
   } cases[] = {
      { A4XX_RUNS_COUNTED, A4XX_NUMBER_CONTINUES, 3, { 0, 1, 2, 3, 4, 5 } },
      { A4XX_RUNS_BY_PLACE, A4XX_NUMBER_CONTINUES, 3, { 0, 1, 3, 4, 5, 7 } },
      { A4XX_RUNS_EACH, A4XX_NUMBER_CONTINUES, 4, { 0, 1, 2, 3, 4, 5, 6, 7 } },
      { A4XX_RUNS_BY_PLACE, A4XX_NUMBER_RESTARTS, 3, { 0, 1, 3, 0, 1, 3 } },
   };
   static const uint32_t list[4] = { 6, 2, 6, 9 };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      profile.runs = cases[i].runs;
      profile.instance_number = cases[i].restarts;
      restart();
      memcpy(memory + PARAMETERS, list, sizeof(list));
      begin();
      set_up_vertices(0x01 << 6, 4);
      put_reg(VFD_CONTROL_3, 0xfcfc0000 | R(2, 1) << 8);
      put_reg(VFD_CONTROL_1, 0xfcu << 24 | R(2, 0) << 16);
      PUT(PACKET3(0x38, 6), 9 | 2 << 10, 2, 4, 0, BASE + PARAMETERS, sizeof(list));
      assert_true(submit());
      assert_int_equal(captured.num_vertices, cases[i].count * 2);
      for (unsigned v = 0; v < cases[i].count * 2; v++)
         assert_int_equal(output(v, 1), cases[i].numbers[v]);
      for (unsigned place = 0; place < 8; place++)
         assert_int_equal(output(captured.indices[place], 0), list[place % 4]);
   }
   profile = (struct a4xx_profile)A4XX_PROFILE_DEFAULT;
   restart();
}

TEST(primitives)
{
   static const struct {
      uint8_t type, corners, count;
      uint32_t indices[12];
      bool first; /* provoking */
   } cases[] = {
      { 1, 1, 5, { 0, 1, 2, 3, 4 } },
      { 9, 1, 5, { 0, 1, 2, 3, 4 } },
      { 2, 2, 4, { 0, 1, 2, 3 } },
      { 3, 2, 8, { 0, 1, 1, 2, 2, 3, 3, 4 } },
      { 7, 2, 10, { 0, 1, 1, 2, 2, 3, 3, 4, 4, 0 } },
      { 4, 3, 3, { 0, 1, 2 } },
      { 5, 3, 9, { 0, 1, 2, 0, 2, 3, 0, 3, 4 } },
      { 6, 3, 9, { 0, 1, 2, 2, 1, 3, 2, 3, 4 } },
      { 8, 2, 4, { 0, 1, 2, 3 } },
      { 5, 3, 9, { 1, 2, 0, 2, 3, 0, 3, 4, 0 }, true },
      { 6, 3, 9, { 0, 1, 2, 1, 3, 2, 2, 3, 4 }, true },
   };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      begin();
      set_up_vertices(0x01 << 6, 4);
      put_reg(PC_PRIM_VTX_CNTL, cases[i].first ? 0 : PROVOKING_LAST);
      put_draw(cases[i].type, 5, 1);
      assert_true(submit());
      assert_int_equal(captured.corners, cases[i].corners);
      check_indices(cases[i].indices, cases[i].count);
   }
   captured.draws = 0;
   begin();
   put_draw(0xa, 5, 1);
   put_draw(4, 1u << 30, 1);
   put_draw(4, 0, 1);
   put_draw(4, 3, 0);
   assert_true(submit());
   assert_int_equal(captured.draws, 0);
   assert_int_equal(GIVEN(DRAW_VALUE), 1);
}

TEST(indirect)
{
   const uint32_t plain[] = { 3, 2, 4, 1 }, indexed[] = { 2, 1, 1, 6, 0 };
   const uint32_t list[] = { 9, 1, 0 };
   memcpy(memory + PARAMETERS, plain, sizeof(plain));
   memcpy(memory + PARAMETERS + 64, indexed, sizeof(indexed));
   memcpy(memory + PARAMETERS + 128, list, sizeof(list));
   begin();
   set_up_vertices(0x01 << 6, 4);
   PUT(PACKET3(0x28, 2), 9 | DRAW_SOURCE_AUTO << 6, BASE + PARAMETERS);
   assert_true(submit());
   assert_int_equal(captured.num_vertices, 6);
   assert_true(captured.vertices[0].position[0] == 4.5f);
   begin();
   PUT(PACKET3(0x29, 4), 9 | 2 << 10, BASE + PARAMETERS + 128, sizeof(list), BASE + PARAMETERS + 64);
   assert_true(submit());
   assert_int_equal(captured.num_vertices, 2);
   assert_true(captured.vertices[0].position[0] == 7.5f && captured.vertices[1].position[0] == 6.5f);
   assert_int_equal(count_diags(), 0);
}

/* Clip coordinates into the window's. */
TEST(viewport)
{
   static const float position[4] = { 1, -2, 0.5f, 2 }, viewport[6] = { 100, 50, 80, -40, 0.5f, 0.5f };
   memcpy(memory + VERTICES, position, sizeof(position));
   begin();
   set_up_vertices(0x04 << 6, 16);
   for (unsigned i = 0; i < 6; i++) {
      uint32_t word;
      memcpy(&word, &viewport[i], 4);
      put_reg(GRAS_CL_VPORT_XOFFSET_0 + i, word);
   }
   put_draw(9, 1, 1);
   assert_true(submit());
   const float *window = captured.vertices[0].window;
   assert_true(window[0] == 125 && window[1] == 120 && window[2] == 0.625f && window[3] == 0.5f);
}

TEST(switches)
{
   struct a4xx_profile p = A4XX_PROFILE_DEFAULT;
   assert_true(a4xx_set_switch(&p, "U1", "lane") && p.private_scope == A4XX_PRIVATE_LANE);
   assert_true(a4xx_set_switch(&p, "U2", "64") && p.subdraw == 64);
   assert_true(a4xx_set_switch(&p, "U7", "many") && !p.patches_a_wave);
   assert_true(a4xx_set_switch(&p, "U8", "restart") && p.restart_instances);
   assert_true(a4xx_set_switch(&p, "U9", "bit23") && p.memory_bits == A4XX_BIT_23);
   assert_true(a4xx_set_switch(&p, "U10", "always") && p.bin_offset == A4XX_OFFSET_ALWAYS);
   assert_true(a4xx_set_switch(&p, "U11", "tiles") && p.gmem_layout == A4XX_GMEM_TILES);
   assert_true(a4xx_set_switch(&p, "U12", "gmem") && p.memory_depth == A4XX_DEPTH_GMEM);
   assert_true(a4xx_set_switch(&p, "U13", "nothing") && p.no_blend_2 == A4XX_ALPHA_KEPT);
   assert_true(a4xx_set_switch(&p, "U14", "float") && p.alpha_test == A4XX_ALPHA_FLOAT);
   assert_true(a4xx_set_switch(&p, "U15", "stop") && p.killed == A4XX_KILLED_STOP);
   assert_true(a4xx_set_switch(&p, "U16", "whole") && p.offset_unit == A4XX_OFFSET_WHOLE);
   assert_true(a4xx_set_switch(&p, "U5", "each") && p.runs == A4XX_RUNS_EACH);
   assert_true(a4xx_set_switch(&p, "U17", "restart") && p.instance_number == A4XX_NUMBER_RESTARTS);
   assert_false(a4xx_set_switch(&p, "U2", "7x") || a4xx_set_switch(&p, "U2", "0") || a4xx_set_switch(&p, "U1", "") ||
                a4xx_set_switch(&p, "U3", "1"));
   p.subdraw = 0;
   assert_null(a4xx_create(&(struct a4xx_options){ .profile = p }));
}

/* Three groups of 10 x 4 invocations, which are two waves: each stores to local memory, and after a barrier what its neighbour of
 * the other wave stored to a buffer, with the constants that the chip writes. */
TEST(compute)
{
   static const uint64_t code[32] = {
      MOV_C(R(3, 0), 8), /* size of a group in x */
      OP3(IR3_MAD_U24, R(0, 0), C(2, 0), R(0, 1), R(0, 0)),
      OP2(IR3_SHL_B, R(1, 0), R(0, 0), I(2)),
      OP2(IR3_ADD_U, R(1, 1), R(0, 0), I(1000)),
      STORE(IR3_STL, R(1, 0), 0, R(1, 1), 1),
      7ull << 61 | 1ull << 49, /* bar */
      CMP(IR3_CMPS_U, IR3_LT, PX, R(0, 0), I(20)),
      MOV_I(R(1, 2), -80),
      BR_NOT(2),
      MOV_I(R(1, 2), 80),
      OP2(IR3_ADD_U, R(1, 0), R(1, 0), R(1, 2)),
      LOAD(IR3_LDL, R(1, 1), R(1, 0), 0, 1),
      OP2(IR3_MUL_U24, R(3, 0), R(3, 0), C(2, 1)) | SS,
      OP3(IR3_MAD_U24, R(2, 0), C(0, 0), R(3, 0), R(0, 0)), /* the group, times 40 */
      OP2(IR3_SHL_B, R(2, 1), R(2, 0), I(2)),
      OP2(IR3_ADD_U, R(2, 1), R(2, 1), C(1, 0)),
      STORE(IR3_STG, R(2, 1), 0, R(1, 1), 1),
      END,
   };
   const uint32_t consts[16] = { [4] = BASE + PARAMETERS };
   memcpy(memory + PROGRAMS, code, sizeof(code));
   memcpy(memory + VERTICES, consts, sizeof(consts));
   memset(memory + PARAMETERS, 0, 4096);
   begin();
   put_reg(HLSQ_CS_CONTROL_REG, 1 << 24 | 1);
   put_reg(SP_CS_CTRL_REG0, 4 << 10);
   put_reg(SP_CS_OBJ_START, BASE + PROGRAMS);
   put_reg(SP_CS_LENGTH_REG, 2);
   put_reg(HLSQ_CL_NDRANGE_0, 2 | 9 << 2 | 3 << 12);
   put_reg(HLSQ_CL_CONTROL_0, 0xfff << 12);
   put_reg(HLSQ_CL_CONTROL_0 + 1, 8 << 12);
   put_reg(HLSQ_CL_KERNEL_CONST, 0xfff << 12);
   put_state(13, 1, 4, VERTICES);
   PUT(PACKET3(0x33, 4), 0, 3, 1, 1);
   assert_true(submit());
   for (unsigned i = 0; i < 120; i++)
      assert_int_equal(word_at(PARAMETERS + i * 4), 1000 + (i % 40 + 20) % 40);
   assert_int_equal(word_at(PARAMETERS + 480), 0);
   assert_int_equal(count_diags(), 0);
   /* A program whose bytes are more than 2^32 by as many. */
   begin();
   put_reg(SP_CS_LENGTH_REG, 1 << 25 | 2);
   PUT(PACKET3(0x33, 4), 0, 3, 1, 1);
   submit();
   assert_int_equal(GIVEN(PROGRAM), 1);
}
