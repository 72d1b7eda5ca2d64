/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Two readings of vertex-pipeline.md against each other: random vertex programs run on the simulator's vertex engine
 * and on the interpreter that the compiler's tests use.  They were written by different hands from the manual alone;
 * where they disagree, one of them is wrong.
 */

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "job.h"
#include "tegra20/gr3d_regs.h"
#include "vertex.h"
#include "vpe_interp.h"
#include "vs_words.h"

#define NUM_PROGRAMS 4000
#define NUM_VERTICES 20 /* more than the engine runs at once */
#define MAX_INSNS 40

static uint32_t seed;

static uint32_t
below(uint32_t n)
{
   seed = seed * 1664525u + 1013904223u;
   return (seed >> 8) % n;
}

static const char *
random_mask(char buffer[5])
{
   unsigned n = 0, bits = 1 + below(15);
   for (unsigned c = 0; c < 4; c++)
      if (bits >> c & 1)
         buffer[n++] = "xyzw"[c];
   buffer[n] = 0;
   return buffer;
}

static const char *
random_swizzle(char buffer[5])
{
   for (unsigned c = 0; c < 4; c++)
      buffer[c] = "xyzw"[below(4)];
   buffer[4] = 0;
   return buffer;
}

static struct vs_src
random_src(char swizzle[5])
{
   struct vs_src src = { .type = 1 + below(3), .swizzle = random_swizzle(swizzle) };
   src.index = src.type == 1 ? below(4) : 0;
   src.negate = below(4) == 0;
   src.absolute = below(4) == 0;
   return src;
}

/* r0..r3 = c0..c3, A0 = floor(c4), both condition registers set. */
static unsigned
prologue(uint32_t words[][4])
{
   unsigned n = 0;
   for (unsigned i = 0; i < 4; i++)
      vs_pack(words[n++],
              &(struct vs_fields){ .vop = VPE_V_MOV, .vmask = "xyzw", .vdest = i + 1, .a = { 3 }, .constant = i });
   vs_pack(words[n++], &(struct vs_fields){ .vop = VPE_V_ARL, .vmask = "xyzw", .vdest = 1, .a = { 3 }, .constant = 4 });
   for (unsigned i = 0; i < 2; i++)
      vs_pack(words[n++],
              &(struct vs_fields){
                 .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 5 + i, .cs = 1, .cwr = 1, .cr = i });
   return n;
}

static void
random_insn(uint32_t words[4], unsigned pos, unsigned last)
{
   static const uint8_t vector_ops[] = {
      VPE_V_NOP, VPE_V_MOV, VPE_V_MUL, VPE_V_ADD, VPE_V_MAD, VPE_V_DP3, VPE_V_DP4, VPE_V_MIN, VPE_V_MAX, VPE_V_SLT,
      VPE_V_SGE, VPE_V_FRC, VPE_V_FLR, VPE_V_SEQ, VPE_V_SFL, VPE_V_SGT, VPE_V_SLE, VPE_V_SNE, VPE_V_STR, VPE_V_SSG,
   };
   static const uint8_t scalar_ops[] = {
      VPE_S_NOP, VPE_S_NOP, VPE_S_MOV, VPE_S_MOV, VPE_S_RCP, VPE_S_RSQ, VPE_S_LG2, VPE_S_EX2,
   };
   char text[7][5];
   struct vs_fields f = {
      .vop = vector_ops[below(sizeof(vector_ops))],
      .sop = scalar_ops[below(sizeof(scalar_ops))],
      .vmask = random_mask(text[0]),
      .smask = random_mask(text[1]),
      .a = random_src(text[2]),
      .b = random_src(text[3]),
      .c = random_src(text[4]),
      .attrib = below(2),
      .constant = below(7),
      .saturate = below(6) == 0,
      .export_vector = below(2),
      .condition = 1 + below(7),
      .condition_swizzle = random_swizzle(text[5]),
      .cr = below(2),
   };
   /* Functions see positive numbers: a NaN on the way is not comparable, the interpreter does not follow it. */
   if (f.sop != VPE_S_NOP && f.sop != VPE_S_MOV) {
      f.c = (struct vs_src){ .type = 3, .swizzle = random_swizzle(text[4]), .negate = f.sop == VPE_S_EX2 && below(2) };
      f.constant = 8 + below(4);
   }
   f.vdest = below(3) ? 1 + below(4) : 0;
   f.sdest = below(3) ? 1 + below(4) : 0;
   if (f.vdest == f.sdest)
      f.sdest = 0;
   if (below(2)) {
      f.export_on = 1;
      f.export_index = below(4);
   }
   if (below(3) == 0)
      f.cs = f.cwr = 1;
   f.cc = below(3) == 0;
   f.const_relative = f.constant < 8 && below(4) == 0;
   f.attrib_relative = below(4) == 0;
   f.address_select = below(4);
   if (below(6) == 0 && f.vop != VPE_V_ADD && f.vop != VPE_V_MAD && pos + 1 < last) {
      f.sop = VPE_S_BRA;
      f.has_target = 1;
      f.target = pos + 1 + below(last - pos);
      f.c = (struct vs_src){ 0 };
      f.condition_swizzle = (const char *[]){ "x", "y", "z", "w" }[below(4)];
      if (!f.cc)
         f.condition = 7;
   }
   f.end = pos == last;
   vs_pack(words, &f);
}

static bool
same(float a, float b)
{
   return a == b || isnan(a) || isnan(b) || (isinf(a) && isinf(b));
}

static void
random_programs(void **state)
{
   unsigned compared = 0;
   for (unsigned p = 0; p < NUM_PROGRAMS; p++) {
      uint32_t words[MAX_INSNS][4];
      seed = p * 2654435761u + 1;
      unsigned n = prologue(words), last = n + 2 + below(20);
      for (unsigned i = n; i <= last; i++)
         random_insn(words[i], i, last);
      float constants[12][4], vertices[NUM_VERTICES][2][4];
      for (unsigned i = 0; i < 12; i++)
         for (unsigned c = 0; c < 4; c++)
            constants[i][c] = i == 4  ? (float)below(3) / 2
                              : i < 8 ? (float)((int)below(65) - 32) / 8
                                      : (float)(1 + below(64)) / 8;
      for (unsigned i = 0; i < NUM_VERTICES; i++)
         for (unsigned c = 0; c < 8; c++)
            vertices[i][c / 4][c % 4] = (float)((int)below(65) - 32) / 16;
      struct job *job = job_create(false);
      job_poke(job, JOB_VERTICES, vertices, sizeof(vertices));
      job_frame(job);
      job_write(job, GR3D_VP_ATTRIB_IN_OUT_SELECT, 0x0007000f);
      for (unsigned i = 0; i < 2; i++)
         job_attrib(job, i, JOB_VERTICES + 16 * i, 13 | 4 << 4 | 32 << 8);
      job_attrib(job, 2, JOB_VERTICES, 13 | 4 << 4 | 32 << 8);
      for (unsigned i = 0; i < 12; i++)
         job_vertex_constant_f(job, i, constants[i][0], constants[i][1], constants[i][2], constants[i][3]);
      job_vertex_program(job, words, last + 1);
      job_draw(job, GR3D_PRIMITIVE_TYPE_POINTS, GR3D_INDEX_MODE_NONE, 0, NUM_VERTICES);
      assert_int_equal(job_run(job), SIM_OK);
      for (unsigned i = 0; i < NUM_VERTICES; i++) {
         static struct vpe_state interp;
         memset(&interp, 0, sizeof(interp));
         memcpy(interp.attribs, vertices[i], sizeof(vertices[i]));
         memcpy(interp.attribs[2], vertices[i][0], 16);
         memcpy(interp.consts, constants, sizeof(constants));
         vpe_interpret(words, last + 1, &interp);
         if (interp.error)
            continue; /* it is stricter than the chip */
         const struct gr3d_exports *exports = &job->sim->gr3d.vertex->exports[i];
         bool has_nan = false;
         for (unsigned e = 0; e < 4; e++)
            for (unsigned c = 0; c < 4; c++)
               has_nan |= isnan(exports->v[e][c]);
         if (has_nan)
            continue; /* the interpreter does not follow NaN */
         compared++;
         for (unsigned e = 0; e < 4; e++)
            for (unsigned c = 0; c < 4; c++)
               if (!same(exports->v[e][c], interp.exports[e][c]))
                  fail_msg("program %u, vertex %u, export %u.%c: engine %.9g, interpreter %.9g", p, i, e, "xyzw"[c],
                           exports->v[e][c], interp.exports[e][c]);
      }
      job_destroy(job);
   }
   printf("%u vertices compared\n", compared);
   assert_true(compared > NUM_PROGRAMS * NUM_VERTICES / 4);
}

int
main(void)
{
   const struct CMUnitTest tests[] = { cmocka_unit_test(random_programs) };
   return cmocka_run_group_tests_name("vpe_cross", tests, NULL, NULL);
}
