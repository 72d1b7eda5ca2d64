/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The public programs as experiments: every fragment program with the inputs
 * of each of its expected results, every vertex program that was measured,
 * every single encoding.
 *
 * Texels and destination pixels are bytes here; the results that the vectors
 * state hold for them as they are.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hwtest.h"
#include "tegra20/gr3d_regs.h"
#include "vector_types.h"

#pragma GCC diagnostic ignored "-Wunused-const-variable"
#include "fragment_vectors.h"
#include "vertex_vectors.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define WHOLE 0, 0, TEST_SIZE, TEST_SIZE, 0

struct vector_case {
   const struct fragment_vector *program;
   const struct expected_case *inputs;
};

static uint32_t
pixel(const int fx10[4])
{
   uint32_t word = 0;
   for (unsigned i = 0; i < 4; i++) {
      int v = fx10[i] < 0 ? 0 : fx10[i] > 256 ? 256 : fx10[i];
      word |= (uint32_t)(v - (v >= 128)) << (8 * i);
   }
   return word;
}

static void
upload(struct test *t, const struct fragment_vector *v)
{
   test_reg(t, GR3D_ALU_BUFFER_SIZE,
            299 / (4 * v->rows) << 24 | (v->rows - 1));
   test_reg(t, GR3D_FP_UPLOAD_INST_ID_COMMON, 0);
   test_reg(t, GR3D_FP_UPLOAD_MFU_INST_ID, 0);
   test_reg(t, GR3D_FP_UPLOAD_ALU_INST_ID, 0);
   test_reg(t, GR3D_FP_PSEQ_ENGINE_INST, 0x20006000 + v->num_execs);
   test_reg(t, GR3D_FP_PSEQ_DW_CFG, v->num_execs << 6);
   test_port(t, GR3D_FP_PSEQ_UPLOAD_INST, v->pseq, v->num_execs);
   test_reg(t, GR3D_FP_PSEQ_UPLOAD_INST_BUFFER_FLUSH, 0);
   test_port(t, GR3D_FP_UPLOAD_MFU_SCHED, v->mfu_sched, v->num_execs);
   test_port(t, GR3D_FP_UPLOAD_MFU_INST, v->mfu[0], 2 * v->num_mfu);
   test_port(t, GR3D_FP_UPLOAD_TEX_INST, v->tex, v->num_execs);
   test_port(t, GR3D_FP_UPLOAD_ALU_SCHED, v->alu_sched, v->num_execs);
   test_port(t, GR3D_FP_UPLOAD_ALU_INST, v->alu[0], 8 * v->num_alu);
   test_port(t, GR3D_FP_UPLOAD_ALU_INST_COMPLEMENT, v->alu_complement,
             v->num_execs);
   test_port(t, GR3D_FP_UPLOAD_DW_INST, v->dw, v->num_execs);
}

static void
solid_texture(struct test *t, unsigned unit, uint32_t offset, uint32_t texel)
{
   for (unsigned i = 0; i < 16; i++)
      *test_memory32(t, offset + 4 * i) = texel;
   test_reg(t, GR3D_TEXTURE_DESC1(unit), GR3D_PIXEL_FORMAT_RGBA8888 << 8);
   test_reg(t, GR3D_TEXTURE_DESC1(unit) + 1, 0x22000080);
   test_addr(t, GR3D_TEXTURE_POINTER(unit), offset, false);
}

static void
fragment_program(struct test *t, const void *data)
{
   const struct vector_case *v = data;
   static const struct expected_case none = {
      .dst = { 64, 128, 200, 256 }, .interpolated = { 0.3, 0.4, 0.5, 0.6 }
   };
   const struct expected_case *c = v->inputs ? v->inputs : &none;
   for (unsigned i = 0; i < TEST_SIZE * TEST_SIZE; i++)
      *test_memory32(t, AT_TARGET + 4 * i) = pixel(c->dst);
   solid_texture(t, 0, AT_TEXTURE, pixel(c->texel0));
   solid_texture(t, 11, AT_TEXTURE, pixel(c->texel0));
   solid_texture(t, 1, AT_TEXTURE + 0x1000, pixel(c->texel1));
   for (unsigned i = 0; i < 32; i++)
      test_reg(t, GR3D_FP_CONST(i), c->uniforms[i]);
   test_stencil(t, 0x28, 0x7ff,
                0x55u << 17 | 0xff << 9 | 2 << 6 | 2 << 3 | 2);
   test_reg(t, GR3D_LATE_TEST, 0x60);
   upload(t, v->program);
   if (v->program->linker_rows == 2) {
      /* Row 0: a colour of four fx10, row 1: coordinates. */
      test_linker(t, 0, 0x8, 0x9584, 2);
      test_linker(t, 1, 0x210, 0x32dc, 2);
      test_reg(t, GR3D_VP_ATTRIB_IN_OUT_SELECT, 0x00030181);
      test_vertex_program(
         t,
         VP_POSITION "EXEC(export[7]=vector) MOVv r63.xyzw, a[1].xyzw;"
                     "EXEC_END(export[8]=vector) MOVv r63.xyzw, c[0].xyzw;");
      test_vertex_constant(t, 0, 0.3f, 0.4f, 0, 0);
      test_quad(t, WHOLE, c->colour[0] / 256.0f, c->colour[1] / 256.0f,
                c->colour[2] / 256.0f, c->colour[3] / 256.0f);
      return;
   }
   test_quad(t, WHOLE, (float)c->interpolated[0], (float)c->interpolated[1],
             (float)c->interpolated[2], (float)c->interpolated[3]);
}

static void
vertex_program(struct test *t, const void *data)
{
   const struct measured_vector *v = data;
   memcpy(t->memory + AT_VERTICES, v->attrib0, sizeof(v->attrib0));
   memcpy(t->memory + AT_COLOURS, v->attrib1, sizeof(v->attrib1));
   test_reg(t, GR3D_VP_ATTRIB_IN_OUT_SELECT, v->reg_120);
   test_reg(t, GR3D_CULL_FACE_LINKER_SETUP, v->reg_343);
   test_reg(t, GR3D_TRAM_SETUP, v->reg_e21);
   test_reg(t, GR3D_LINKER_INSTRUCTION(0), v->linker[0]);
   test_reg(t, GR3D_LINKER_INSTRUCTION(0) + 1, v->linker[1]);
   for (unsigned i = 0; i < v->num_constants; i++) {
      test_reg(t, GR3D_VP_UPLOAD_CONST_ID, 4 * v->constants[i].index);
      test_port(t, GR3D_VP_UPLOAD_CONST, v->constants[i].bits, 4);
   }
   test_reg(t, GR3D_VP_UPLOAD_INST_ID, 0);
   test_port(t, GR3D_VP_UPLOAD_INST, v->program[0], 4 * v->num_insns);
   test_draw(t, GR3D_PRIMITIVE_TYPE_TRIANGLE_STRIP, 0, 4);
}

/*
 * A single word in a program of four batches with four rows: registers
 * r0..r11 are filled, then the word's EXEC runs, and r0..r3 go to two
 * surfaces.  Units that have nothing to do are left empty.
 */
static void
encoding(struct test *t, const void *data)
{
   const struct encoding_vector *e = data;
   static const uint32_t nop[2] = { 0x000fe7e8, 0x3e41f200 };
   struct fragment_vector v = {
      .rows = 4, .num_execs = 16, .num_alu = 4, .num_mfu = 1
   };
   for (unsigned p = 0; p < 3; p++) {
      for (unsigned u = 0; u < 4; u++) {
         v.alu[p][2 * u] = (4 * p + u) << 15 | 0x6000 |
                           (32 + 4 * p + u) << 6; /* r = u * 1 + 0 */
         v.alu[p][2 * u + 1] = 0x3f41f200;
      }
   }
   v.alu_sched[0] = 3;
   for (unsigned i = 0; i < 8; i++)
      v.alu[3][i] = nop[i & 1];
   v.dw[8] = 0x00020005;  /* r0, r1 to surface 1 */
   v.dw[12] = 0x0002800d; /* r2, r3 to surface 3 */
   if (!strncmp(e->unit, "ALU", 3)) {
      memcpy(v.alu[3], e->words,
             strcmp(e->unit, "ALU sub-instruction") ? 32 : 8);
      v.alu_sched[4] = 3 << 2 | 1;
   } else if (!strcmp(e->unit, "MFU")) {
      memcpy(v.mfu[0], e->words, 8);
      v.mfu_sched[4] = 1;
   } else if (!strcmp(e->unit, "TEX")) {
      v.tex[4] = e->words[0];
   } else if (!strcmp(e->unit, "DW")) {
      v.dw[4] = e->words[0];
   } else if (!strcmp(e->unit, "PSEQ")) {
      v.pseq[4] = e->words[0];
   } else {
      v.alu_sched[4] = e->words[0];
      v.num_alu = 64;
      for (unsigned p = 3; p < 64; p++)
         memcpy(v.alu[p], v.alu[p % 3], 32);
   }
   for (unsigned i = 0; i < 32; i++)
      test_uniform(t, i, i < 4 ? 0.25 * (i + 1) : 0.125 * i - 0.5);
   solid_texture(t, 0, AT_TEXTURE, 0x80c04020);
   solid_texture(t, 1, AT_TEXTURE, 0x80c04020);
   solid_texture(t, 11, AT_TEXTURE, 0x80c04020);
   test_target(t, 3, AT_SECOND, GR3D_PIXEL_FORMAT_RGBA8888, 4 * TEST_SIZE);
   test_stencil(t, 0x28, 0x7ff,
                0x55u << 17 | 0xff << 9 | 2 << 6 | 2 << 3 | 2);
   test_reg(t, GR3D_LATE_TEST, 0x60);
   test_reg(t, GR3D_RT_ENABLE, 0xe);
   upload(t, &v);
   test_ramp(t, 0, 0, TEST_SIZE, TEST_SIZE, 1, 1);
}

static void
other_program(struct test *t, const void *data)
{
   const struct other_program *p = data;
   for (unsigned i = 0; i < 256; i++)
      test_vertex_constant(t, i, 1 - i / 128.0f, i / 256.0f, 0.5f, 1);
   test_reg(t, GR3D_VP_UPLOAD_INST_ID, 0);
   test_port(t, GR3D_VP_UPLOAD_INST, p->words[0], 4 * p->num_insns);
   test_ramp(t, 0, 0, TEST_SIZE, TEST_SIZE, 1, 1);
}

/* A linker instruction of the vectors, all exports passed on; the row that it
 * fills is read as fp20. */
static void
linker_instruction(struct test *t, const void *data)
{
   const uint32_t *words = data;
   char text[512];
   unsigned row = words[0] >> 9 & 15;
   snprintf(text, sizeof(text),
            "rows 1; exec; " MFU_SETUP
            ", r0 = tram%u.x, r1 = tram%u.y, r2 = tram%u.z, r3 = tram%u.w;"
            "alu r2.l = r0*1 + 0 | r2.h = r1*1 + 0 | r3.l = r2*1 + 0 | r3.h "
            "= r3*1 + 0; store surface1, r2;",
            row, row, row, row);
   /* Every export but the position is 1/8 of its number more than the colour.
    */
   char program[1200] = VP_POSITION;
   for (unsigned e = 1; e < 16; e++) {
      size_t n = strlen(program);
      snprintf(
         program + n, sizeof(program) - n,
         "EXEC%s(export[%u]=vector) ADDv r63.xyzw, a[1].xyzw, c[%u].xyzw;",
         e == 15 ? "_END" : "", e, e);
      test_vertex_constant(t, e, e / 8.0f, e / 16.0f, e / 32.0f, e / 64.0f);
   }
   test_reg(t, GR3D_VP_ATTRIB_IN_OUT_SELECT, 0x0003ffff);
   test_vertex_program(t, program);
   test_linker(t, 0, words[0], words[1], row + 1);
   test_fragment_program(t, text);
   test_ramp(t, 0, 0, TEST_SIZE, TEST_SIZE, 1, 1);
}

/* data: 0 an fp20 written to an fx10 half, 1 an fx10 stored as a byte; a
 * column for each value of the vectors. */
static void
roundings(struct test *t, const void *data)
{
   bool store = *(const unsigned *)data;
   unsigned count =
      store ? COUNT(fx10_to_unorm8_store) : COUNT(write_rounding);
   test_fragment_program(
      t, store ? "rows 1; exec; alu r2.l = u0.l*1 + 0 | r2.h = u0.l*1 + 0 | "
                 "r3.l = 0*0 + 0 | r3.h = 1*1 + 0;"
                 "store surface1, r2;"
               : "rows 1; exec; alu r2.l = u0*1 + 0 | r2.h = -u0*1 + 1 | "
                 "r3.l = 0*0 + 0 | r3.h = 1*1 + 0;"
                 "store surface1, r2;");
   for (unsigned i = 0; i < count; i++) {
      if (store)
         test_uniform_pair(t, 0, fx10_to_unorm8_store[i].fx10 / 256.0, 0);
      else
         test_uniform(t, 0, write_rounding[i].value);
      test_quad(t, 4 * i, 0, 4 * i + 4, TEST_SIZE, 0, 0, 0, 0, 0);
   }
}

static char *
name_of(const char *kind, const char *name, unsigned number)
{
   char *text = malloc(strlen(kind) + strlen(name) + 16);
   sprintf(text, "%s-%s-%u", kind, name, number);
   return text;
}

/* Lives as long as the program. */
struct experiment_table
vector_experiments(void)
{
   static struct experiment table[1024];
   static struct vector_case cases[512];
   static const unsigned stored[2] = { 0, 1 };
   unsigned n = 0, num_cases = 0;
   for (unsigned i = 0; i < COUNT(measured_vectors); i++)
      table[n++] =
         (struct experiment){ "vector", measured_vectors[i].name,
                              "a measured vertex program", vertex_program,
                              &measured_vectors[i] };
   /* What nobody has measured may do anything: the programs that test an
    * assembler and control flow are risky. */
   for (unsigned i = 0; i < COUNT(other_programs); i++)
      table[n++] = (struct experiment){ "vector",
                                        other_programs[i].name,
                                        "a public vertex program",
                                        other_program,
                                        &other_programs[i],
                                        strncmp(other_programs[i].name,
                                                "working", 7) != 0 };
   for (unsigned i = 0; i < COUNT(linker_words); i++)
      table[n++] =
         (struct experiment){ "vector", name_of("linker", "instruction", i),
                              "a linker instruction", linker_instruction,
                              linker_words[i] };
   table[n++] =
      (struct experiment){ "vector", "fx10-write", "rounding of fp20 to fx10",
                           roundings, &stored[0] };
   table[n++] = (struct experiment){ "vector", "fx10-store",
                                     "rounding of fx10 to bytes", roundings,
                                     &stored[1] };
   for (unsigned i = 0; i < COUNT(fragment_vectors); i++) {
      const struct fragment_vector *v = &fragment_vectors[i];
      const struct expected_case *c = v->cases;
      unsigned k = 0;
      do {
         cases[num_cases] =
            (struct vector_case){ v, c->kind == END ? NULL : c };
         table[n++] =
            (struct experiment){ "vector", name_of("fp", v->name, k++),
                                 c->kind == MEASURED
                                    ? "a measured fragment program"
                                    : "a public fragment program",
                                 fragment_program, &cases[num_cases++] };
      } while (c->kind != END && (++c)->kind != END);
   }
   for (unsigned i = 0; i < COUNT(encoding_vectors); i++)
      table[n++] = (struct experiment){
         "vector", name_of("word", encoding_vectors[i].unit, i),
         encoding_vectors[i].decoded, encoding, &encoding_vectors[i]
      };
   return (struct experiment_table){ table, n };
}
