/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "hwtest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "frame_words.h"
#include "fs_program.h"
#include "tegra20/gr3d_regs.h"
#include "tegra20/host1x_stream.h"

/* --- words --- */

void
test_word(struct test *t, uint32_t word)
{
   if (t->num_words < TEST_MAX_WORDS)
      t->words[t->num_words++] = word;
   else
      t->broken = true;
}

/*
 * Experiments are written for Tegra20.  What another chip wants otherwise or
 * besides is added here.
 */
static const struct tegra20_chip_info *chip =
   &tegra20_chips[TEGRA20_CHIP_TEGRA20];

void
test_set_chip(const struct tegra20_chip_info *other)
{
   chip = other;
}

const struct tegra20_chip_info *
test_chip(void)
{
   return chip;
}

static void
write_reg(struct test *t, uint32_t reg, uint32_t value)
{
   test_word(t, host1x_incr(reg, 1));
   test_word(t, value);
}

static void
write_list(struct test *t, const struct tegra20_chip_reg *list,
           unsigned count)
{
   for (unsigned i = 0; i < count; i++) {
      for (unsigned n = 0; n < list[i].count; n++)
         write_reg(t, list[i].reg + n, list[i].value);
   }
}

void
test_reg(struct test *t, uint32_t reg, uint32_t value)
{
   if (t->engine_2d) {
      write_reg(t, reg, value);
      return;
   }
   if (reg == GR3D_DEPTH_RANGE_NEAR || reg == GR3D_DEPTH_RANGE_FAR)
      value = (uint64_t)value * chip->depth_max / 0xfffff;
   if (reg == GR3D_DRAW_PRIMITIVES)
      write_list(t, chip->before_draw, chip->num_before_draw);
   write_reg(t, reg, value);
   if (reg == GR3D_FP_PSEQ_DW_CFG)
      write_list(t, chip->after_dw_cfg, chip->num_after_dw_cfg);
   if (reg == GR3D_DEPTH_TEST_PARAMS &&
       (chip->quirks & TEGRA20_QUIRK_DEPTH_TEST_COPY))
      write_reg(t, GR3D_DEPTH_TEST_PARAMS_COPY, value);
   if (reg == GR3D_FDC_CONTROL && (value & 1) &&
       (chip->quirks & TEGRA20_QUIRK_FDC_STAYS))
      write_reg(t, reg, value & ~1u);
}

/* Behind the words of Tegra20's frame. */
static void
frame_of_chip(struct test *t)
{
   write_list(t, chip->init, chip->num_init);
   if (chip->depth_max != 0xfffff) {
      test_reg(t, GR3D_DEPTH_RANGE_NEAR, 0);
      test_reg(t, GR3D_DEPTH_RANGE_FAR, 0xfffff);
   }
   if (chip->quirks & TEGRA20_QUIRK_DEPTH_TEST_COPY)
      test_reg(t, GR3D_DEPTH_TEST_PARAMS, 0x200);
   if (chip->quirks & TEGRA20_QUIRK_FDC_STAYS)
      test_reg(t, GR3D_FDC_CONTROL, 0xe01);
}

void
test_float(struct test *t, uint32_t reg, float value)
{
   uint32_t bits;
   memcpy(&bits, &value, 4);
   test_reg(t, reg, bits);
}

void
test_addr(struct test *t, uint32_t reg, uint32_t offset, bool write)
{
   test_word(t, host1x_incr(reg, 1));
   if (t->num_relocs < TEST_MAX_RELOCS)
      t->relocs[t->num_relocs++] =
         (struct test_reloc){ t->num_words, offset, write };
   else
      t->broken = true;
   test_word(t, 0);
}

void
test_port(struct test *t, uint32_t reg, const uint32_t *words, unsigned count)
{
   test_word(t, host1x_nonincr(reg, count));
   const struct tegra20_sched_layout *from =
      &tegra20_chips[TEGRA20_CHIP_TEGRA20].alu_sched;
   for (unsigned i = 0; i < count; i++)
      test_word(t,
                reg == GR3D_FP_UPLOAD_ALU_SCHED && !t->engine_2d &&
                      tegra20_sched_known(from, words[i])
                   ? tegra20_sched_pack(&chip->alu_sched,
                                        tegra20_sched_first(from, words[i]),
                                        tegra20_sched_count(from, words[i]))
                   : words[i]);
}

uint32_t *
test_memory32(struct test *t, uint32_t offset)
{
   return (uint32_t *)(void *)(t->memory + offset);
}

/* --- numbers --- */

/* Nearest, for values whose magnitude is 0 or from 2^-30 to 2^32. */
uint32_t
test_fp20(double value)
{
   int exponent;
   if (value == 0)
      return 0;
   double fraction = frexp(fabs(value), &exponent); /* 0.5 .. 1 */
   uint32_t code = (uint32_t)(exponent - 1 + 31) << 13;
   code += (uint32_t)nearbyint((fraction * 2 - 1) * 8192);
   return code | (value < 0 ? 0x80000u : 0);
}

void
test_uniform(struct test *t, unsigned index, double fp20)
{
   test_reg(t, GR3D_FP_CONST(index), test_fp20(fp20));
}

void
test_uniform_pair(struct test *t, unsigned index, double low, double high)
{
   uint32_t l = (uint32_t)(int32_t)nearbyint(low * 256) & 0x3ff,
            h = (uint32_t)(int32_t)nearbyint(high * 256) & 0x3ff;
   test_reg(t, GR3D_FP_CONST(index), l | h << 10);
}

/* --- programs --- */

static void
broken_program(struct test *t, const char *text, const char *error)
{
   fprintf(stderr, "tegra20-hwtest: internal error: \"%s\": %s\n", text,
           error);
   t->broken = true;
}

void
test_vertex_program_at(struct test *t, uint32_t upload_pointer,
                       const char *text)
{
   struct isa_parser parser = { .pos = NULL };
   char statement[ISA_MAX_TEXT];
   test_reg(t, GR3D_VP_UPLOAD_INST_ID, upload_pointer);
   for (const char *end; (end = strchr(text, ';')); text = end + 1) {
      uint32_t words[4] = { 0 };
      snprintf(statement, sizeof(statement), "%.*s", (int)(end - text), text);
      parser.pos = statement;
      if (!vpe_parse_inst(&parser, words)) {
         broken_program(t, statement, parser.error);
         return;
      }
      test_port(t, GR3D_VP_UPLOAD_INST, words, 4);
   }
}

void
test_vertex_program(struct test *t, const char *text)
{
   test_vertex_program_at(t, 0, text);
}

void
test_vertex_constant(struct test *t, unsigned index, float x, float y,
                     float z, float w)
{
   const float values[4] = { x, y, z, w };
   uint32_t bits[4];
   memcpy(bits, values, sizeof(bits));
   test_reg(t, GR3D_VP_UPLOAD_CONST_ID, 4 * index);
   test_port(t, GR3D_VP_UPLOAD_CONST, bits, 4);
}

void
test_fragment_program(struct test *t, const char *text)
{
   static struct fs_words w;
   struct isa_parser parser = { .pos = text };
   memset(&w, 0, sizeof(w));
   if (!fs_program_parse(text, TEGRA20_CHIP_TEGRA20, &w, &parser)) {
      broken_program(t, text, parser.error);
      return;
   }
   unsigned store = 0;
   for (unsigned e = 0; e < w.num_execs; e++)
      store = w.dw[e] ? e + 1 : store;
   test_reg(t, GR3D_ALU_BUFFER_SIZE, 299 / (4 * w.rows) << 24 | (w.rows - 1));
   test_reg(t, GR3D_FP_UPLOAD_INST_ID_COMMON, 0);
   test_reg(t, GR3D_FP_UPLOAD_MFU_INST_ID, 0);
   test_reg(t, GR3D_FP_UPLOAD_ALU_INST_ID, 0);
   test_reg(t, GR3D_FP_PSEQ_ENGINE_INST, 0x20006000 + w.num_execs);
   test_reg(t, GR3D_FP_PSEQ_DW_CFG, (store ? store : w.num_execs) << 6);
   test_port(t, GR3D_FP_PSEQ_UPLOAD_INST, w.pseq, w.num_execs);
   test_reg(t, GR3D_FP_PSEQ_UPLOAD_INST_BUFFER_FLUSH, 0);
   test_port(t, GR3D_FP_UPLOAD_MFU_SCHED, w.mfu_sched, w.num_execs);
   test_port(t, GR3D_FP_UPLOAD_MFU_INST, w.mfu[0], 2 * w.num_mfu);
   test_port(t, GR3D_FP_UPLOAD_TEX_INST, w.tex, w.num_execs);
   test_port(t, GR3D_FP_UPLOAD_ALU_SCHED, w.alu_sched, w.num_execs);
   test_port(t, GR3D_FP_UPLOAD_ALU_INST, w.alu[0], 8 * w.num_alu);
   test_port(t, GR3D_FP_UPLOAD_ALU_INST_COMPLEMENT, w.complement,
             w.num_execs);
   test_port(t, GR3D_FP_UPLOAD_DW_INST, w.dw, w.num_execs);
}

void
test_linker(struct test *t, unsigned number, uint32_t low, uint32_t high,
            unsigned rows)
{
   test_reg(t, GR3D_LINKER_INSTRUCTION(number), low);
   test_reg(t, GR3D_LINKER_INSTRUCTION(number) + 1, high);
   test_reg(t, GR3D_CULL_FACE_LINKER_SETUP, 0xb8e00000 | number << 5);
   test_reg(t, GR3D_TRAM_SETUP, rows << 8 | 64 / rows);
}

/* --- state --- */

void
test_target(struct test *t, unsigned surface, uint32_t offset,
            unsigned format, unsigned pitch)
{
   test_reg(t, GR3D_RT_PARAMS(surface), format << 2 | pitch << 8);
   test_addr(t, GR3D_RT_PTR(surface), offset, true);
}

static void
attribute(struct test *t, unsigned index, uint32_t offset)
{
   test_addr(t, GR3D_ATTRIB_PTR(index), offset, false);
   test_reg(t, GR3D_ATTRIB_MODE(index),
            GR3D_ATTRIB_TYPE_FLOAT32 | 4 << 4 | 16 << 8);
}

static void
start(struct test *t)
{
   memset(t, 0, sizeof(*t));
   for (unsigned i = 0; i < AT_TEXTURE; i += 4)
      *test_memory32(t, i) = 0x40404040;
}

void
test_3d(struct test *t)
{
   start(t);
   for (unsigned i = 0; i < sizeof(reset_block) / sizeof(reset_block[0]); i++)
      test_word(t, reset_block[i]);
   for (unsigned i = 0; i < sizeof(draw_state) / sizeof(draw_state[0]); i++)
      test_word(t, draw_state[i]);
   frame_of_chip(t);
   test_reg(t, GR3D_VP_ATTRIB_IN_OUT_SELECT, 0x00030081);
   test_reg(t, GR3D_SCISSOR_HORIZ, TEST_SIZE);
   test_reg(t, GR3D_SCISSOR_VERT, TEST_SIZE);
   test_float(t, GR3D_VIEWPORT_X_BIAS, 8 * TEST_SIZE);
   test_float(t, GR3D_VIEWPORT_Y_BIAS, 8 * TEST_SIZE);
   test_float(t, GR3D_VIEWPORT_X_SCALE, 8 * TEST_SIZE);
   test_float(t, GR3D_VIEWPORT_Y_SCALE, 8 * TEST_SIZE);
   test_float(t, GR3D_GUARDBAND_DEPTH, 1);
   test_target(t, 1, AT_TARGET, GR3D_PIXEL_FORMAT_RGBA8888, 4 * TEST_SIZE);
   test_reg(t, GR3D_RT_ENABLE, 2);
   test_linker(t, 0, 0x8, 0xfedc, 1);
   for (unsigned i = 0; i < 32; i++)
      test_reg(t, GR3D_FP_CONST(i), 0);
   attribute(t, 0, AT_VERTICES);
   attribute(t, 1, AT_COLOURS);
   test_vertex_program(t, VP_COLOUR);
   test_fragment_program(t, FP_COLOUR);
}

void
test_2d(struct test *t)
{
   start(t);
   t->engine_2d = true;
}

void
test_depth(struct test *t, unsigned func, bool write)
{
   test_reg(t, GR3D_RT_PARAMS(0),
            GR3D_PIXEL_FORMAT_D16_LINEAR << 2 | 256 << 8 | 1u << 26);
   test_addr(t, GR3D_RT_PTR(0), AT_DEPTH, true);
   test_reg(t, GR3D_DEPTH_TEST_PARAMS,
            0x208 | func << 4 | (write ? 0x100 : 0));
   test_reg(t, GR3D_RT_ENABLE, 0x10003);
}

/* params: 0x402; compare: 0x400 and 0x401; op: 0xe28 and 0xe29. */
void
test_stencil(struct test *t, unsigned params, unsigned compare, unsigned op)
{
   test_reg(t, GR3D_RT_PARAMS(2),
            GR3D_PIXEL_FORMAT_S8 << 2 | 256 << 8 | 1u << 26);
   test_addr(t, GR3D_RT_PTR(2), AT_STENCIL, true);
   test_reg(t, GR3D_STENCIL_PARAMS, params);
   test_reg(t, GR3D_STENCIL_FRONT1, compare);
   test_reg(t, GR3D_STENCIL_BACK1, compare);
   test_reg(t, GR3D_STENCIL_FRONT2, op);
   test_reg(t, GR3D_STENCIL_BACK2, op);
   test_reg(t, GR3D_RT_ENABLE, 6);
}

void
test_texture(struct test *t, uint32_t offset, unsigned format,
             unsigned log_width, unsigned log_height, unsigned levels,
             uint32_t descriptor)
{
   test_reg(t, GR3D_TEXTURE_DESC1(0), descriptor | format << 8);
   test_reg(t, GR3D_TEXTURE_DESC1(0) + 1,
            log_width << 28 | log_height << 24 | (levels - 1) << 12 |
               (levels > 1 ? 0 : 0x80));
   test_addr(t, GR3D_TEXTURE_POINTER(0), offset, false);
}

void
test_npot_texture(struct test *t, uint32_t offset, unsigned format,
                  unsigned width, unsigned height, uint32_t descriptor)
{
   test_reg(t, GR3D_TEXTURE_DESC1(0), descriptor | format << 8 | WRAP_CLAMP);
   test_reg(t, GR3D_TEXTURE_DESC1(0) + 1, width << 20 | height << 8 | 0xc0);
   test_addr(t, GR3D_TEXTURE_POINTER(0), offset, false);
}

/* --- geometry --- */

unsigned
test_clip_vertex(struct test *t, float x, float y, float z, float w, float r,
                 float g, float b, float a)
{
   const float position[4] = { x, y, z, w }, colour[4] = { r, g, b, a };
   if (t->num_vertices == 4096) {
      t->broken = true;
      return 0;
   }
   memcpy(t->memory + AT_VERTICES + 16 * t->num_vertices, position, 16);
   memcpy(t->memory + AT_COLOURS + 16 * t->num_vertices, colour, 16);
   return t->num_vertices++;
}

unsigned
test_vertex(struct test *t, float x, float y, float z, float r, float g,
            float b, float a)
{
   return test_clip_vertex(t, x * 2 / TEST_SIZE - 1, y * 2 / TEST_SIZE - 1, z,
                           1, r, g, b, a);
}

void
test_draw(struct test *t, unsigned primitive, unsigned first, unsigned count)
{
   test_reg(t, GR3D_DRAW_PARAMS, 0xc8000000 | primitive << 24);
   test_reg(t, GR3D_DRAW_PRIMITIVES, (count - 1) << 20 | first);
}

void
test_quad(struct test *t, float x0, float y0, float x1, float y1, float z,
          float r, float g, float b, float a)
{
   unsigned first = test_vertex(t, x0, y0, z, r, g, b, a);
   test_vertex(t, x1, y0, z, r, g, b, a);
   test_vertex(t, x0, y1, z, r, g, b, a);
   test_vertex(t, x1, y1, z, r, g, b, a);
   test_draw(t, GR3D_PRIMITIVE_TYPE_TRIANGLE_STRIP, first, 4);
}

void
test_ramp(struct test *t, float x0, float y0, float x1, float y1, float s,
          float u)
{
   unsigned first = test_vertex(t, x0, y0, 0, 0, 0, 0, 1);
   test_vertex(t, x1, y0, 0, s, 0, 0, 1);
   test_vertex(t, x0, y1, 0, 0, u, 0, 1);
   test_vertex(t, x1, y1, 0, s, u, 0, 1);
   test_draw(t, GR3D_PRIMITIVE_TYPE_TRIANGLE_STRIP, first, 4);
}
