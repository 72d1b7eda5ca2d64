/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The vertex engine: every opcode, modifier and addressing mode against values worked out by hand from
 * vertex-pipeline.md 2 to 9.  A case is one vertex; its result is what it leaves in export 1.
 */

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "capture.h"
#include "job.h"
#include "tegra20/gr3d_regs.h"
#include "vertex.h"
#include "vs_words.h"

#define INF INFINITY
#define DENORMAL 0x1p-130f

/* Draws one point; returns the status and the exports of its vertex. */
static enum sim_status
run_program(struct job *job, const struct vs_fields *program, unsigned num, struct gr3d_exports *exports)
{
   uint32_t words[260][4];
   assert_true(num <= 260);
   for (unsigned i = 0; i < num; i++)
      vs_pack(words[i], &program[i]);
   capture_clear();
   if (num)
      job_vertex_program(job, words, num);
   job_draw(job, GR3D_PRIMITIVE_TYPE_POINTS, GR3D_INDEX_MODE_NONE, 0, 1);
   enum sim_status status = job_run(job);
   *exports = job->sim->gr3d.vertex->exports[0];
   return status;
}

static void
expect_vec4(const char *name, const float got[4], const float want[4])
{
   for (unsigned c = 0; c < 4; c++) {
      if (isnan(want[c]) ? isnan(got[c]) : !memcmp(&got[c], &want[c], 4))
         continue;
      fail_msg("%s.%c: got %.9g (%a), want %.9g (%a)", name, "xyzw"[c], got[c], got[c], want[c], want[c]);
   }
}

static struct job *
frame(bool strict)
{
   struct job *job = job_create(strict);
   static const float attribs[3][4] = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, { 9, 10, 11, 12 } };
   job_poke(job, JOB_VERTICES, attribs, sizeof(attribs));
   job_frame(job);
   job_write(job, GR3D_VP_ATTRIB_IN_OUT_SELECT, 0x00070003);
   for (unsigned i = 0; i < 3; i++)
      job_attrib(job, i, JOB_VERTICES + 16 * i, 0x104d);
   return job;
}

/* ---- opcodes ---- */

/* r0 = a, r1 = b, r2 = c, then export 1 = op(r0, r1, r2). */
struct vector_case {
   const char *name;
   unsigned op;
   float a[4], b[4], c[4];
   float want[4];
};

#define X NAN
static const struct vector_case vector_cases[] = {
   { "MOV", VPE_V_MOV, { 1, -2, 0.5f, -0.0f }, { 0 }, { 0 }, { 1, -2, 0.5f, -0.0f } },
   { "MOV special", VPE_V_MOV, { INF, -INF, X, DENORMAL }, { 0 }, { 0 }, { INF, -INF, X, 0 } },
   { "MOV negative denormal", VPE_V_MOV, { -DENORMAL, 0x1p-126f, 0, 1 }, { 0 }, { 0 }, { -0.0f, 0x1p-126f, 0, 1 } },
   { "MUL", VPE_V_MUL, { 2, 3, -4, 0.1f }, { 5, -7, -8, 0.1f }, { 0 }, { 10, -21, 32, 0x1.47ae16p-7f } },
   { "MUL special", VPE_V_MUL, { 0, 0, INF, 0x1p-70f }, { INF, -3, -2, 0x1p-70f }, { 0 }, { X, -0.0f, -INF, 0 } },
   { "MUL overflow",
     VPE_V_MUL,
     { 0x1p100f, -0x1p100f, 0x1p-63f, 0x1p-64f },
     { 0x1p100f, 0x1p100f, 0x1p-63f, 0x1p-63f },
     { 0 },
     { INF, -INF, 0x1p-126f, 0 } },
   { "ADD reads A and C",
     VPE_V_ADD,
     { 1, 2, 3, 4 },
     { 100, 100, 100, 100 },
     { 10, 20, 30, 0x1p-24f },
     { 11, 22, 33, 4 } },
   { "ADD special", VPE_V_ADD, { INF, INF, X, 0 }, { 0 }, { -INF, 1, 1, -0.0f }, { X, INF, X, 0 } },
   { "ADD to denormal",
     VPE_V_ADD,
     { 0x1.8p-126f, 0x1p-126f, 1, 1 },
     { 0 },
     { -0x1p-126f, -0x1.8p-126f, -1, 1 },
     { 0, -0.0f, 0, 2 } },
   /* (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24, rounded to 1 + 2^-11 before the sum: two roundings. */
   { "MAD rounds twice",
     VPE_V_MAD,
     { 0x1.001p0f, 2, 3, 4 },
     { 0x1.001p0f, 3, 4, 5 },
     { -0x1.002p0f, 1, 2, 3 },
     { 0, 7, 14, 23 } },
   { "DP3", VPE_V_DP3, { 1, 2, 3, 100 }, { 4, 5, 6, 100 }, { 0 }, { 32, 32, 32, 32 } },
   { "DP4", VPE_V_DP4, { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, { 0 }, { 70, 70, 70, 70 } },
   /* Left to right: (2^24 + 1) rounds to 2^24, then - 2^24 + 1. */
   { "DP4 order", VPE_V_DP4, { 0x1p24f, 1, -0x1p24f, 1 }, { 1, 1, 1, 1 }, { 0 }, { 1, 1, 1, 1 } },
   { "DPH adds B.w", VPE_V_DPH, { 1, 2, 3, 1000 }, { 4, 5, 6, 7 }, { 0 }, { 39, 39, 39, 39 } },
   { "DST", VPE_V_DST, { 9, 2, 3, 9 }, { 9, 5, 9, 7 }, { 0 }, { 1, 10, 3, 7 } },
   { "MIN", VPE_V_MIN, { 1, -5, X, INF }, { 2, -7, 1, 3 }, { 0 }, { 1, -7, X, 3 } },
   { "MAX", VPE_V_MAX, { 1, -5, 1, -INF }, { 2, -7, X, 3 }, { 0 }, { 2, -5, X, 3 } },
   { "SLT", VPE_V_SLT, { 1, 2, 3, X }, { 2, 2, 2, 0 }, { 0 }, { 1, 0, 0, X } },
   { "SGE", VPE_V_SGE, { 1, 2, 3, -0.0f }, { 2, 2, 2, 0 }, { 0 }, { 0, 1, 1, 1 } },
   { "SEQ", VPE_V_SEQ, { 1, 2, 0, X }, { 2, 2, -0.0f, X }, { 0 }, { 0, 1, 1, X } },
   { "SFL", VPE_V_SFL, { 1, 2, 3, X }, { 0 }, { 0 }, { 0, 0, 0, 0 } },
   { "SGT", VPE_V_SGT, { 1, 2, 3, INF }, { 2, 2, 2, 1 }, { 0 }, { 0, 0, 1, 1 } },
   { "SLE", VPE_V_SLE, { 1, 2, 3, -INF }, { 2, 2, 2, 1 }, { 0 }, { 1, 1, 0, 1 } },
   { "SNE", VPE_V_SNE, { 1, 2, 0, X }, { 2, 2, -0.0f, 1 }, { 0 }, { 1, 0, 0, X } },
   { "STR", VPE_V_STR, { 0, 0, X, 0 }, { 0 }, { 0 }, { 1, 1, 1, 1 } },
   { "SSG", VPE_V_SSG, { -7, 0, 3, X }, { 0 }, { 0 }, { -1, 0, 1, X } },
   { "SSG infinities", VPE_V_SSG, { -INF, INF, -0.0f, 0x1p-126f }, { 0 }, { 0 }, { -1, 1, 0, 1 } },
   { "FRC", VPE_V_FRC, { 1.75f, -1.75f, 3, -INF }, { 0 }, { 0 }, { 0.75f, 0.25f, 0, X } },
   { "FLR", VPE_V_FLR, { 1.75f, -1.75f, 3, -0.5f }, { 0 }, { 0 }, { 1, -2, 3, -1 } },
   { "FLR special", VPE_V_FLR, { INF, 0x1p30f, X, -0.0f }, { 0 }, { 0 }, { INF, 0x1p30f, X, -0.0f } },
};

static void
vector_opcodes(void **state)
{
   for (unsigned i = 0; i < sizeof(vector_cases) / sizeof(vector_cases[0]); i++) {
      const struct vector_case *v = &vector_cases[i];
      const struct vs_fields program[] = {
         { .vop = VPE_V_MOV, .vmask = "xyzw", .vdest = 1, .a = { 3 }, .constant = 0 },
         { .vop = VPE_V_MOV, .vmask = "xyzw", .vdest = 2, .a = { 3 }, .constant = 1 },
         { .vop = VPE_V_MOV, .vmask = "xyzw", .vdest = 3, .a = { 3 }, .constant = 2 },
         { .vop = v->op, .vmask = "xyzw", .a = { 1, 0 }, .b = { 1, 1 }, .c = { 1, 2 }, .export_on = 1,
           .export_index = 1, .export_vector = 1, .end = 1 },
      };
      struct gr3d_exports exports;
      struct job *job = frame(false);
      job_vertex_constant_f(job, 0, v->a[0], v->a[1], v->a[2], v->a[3]);
      job_vertex_constant_f(job, 1, v->b[0], v->b[1], v->b[2], v->b[3]);
      job_vertex_constant_f(job, 2, v->c[0], v->c[1], v->c[2], v->c[3]);
      assert_int_equal(run_program(job, program, 4, &exports), SIM_OK);
      expect_vec4(v->name, exports.v[1], v->want);
      job_destroy(job);
   }
}

struct scalar_case {
   const char *name;
   unsigned op;
   float c[4];
   float want[4];
};

static const struct scalar_case scalar_cases[] = {
   { "MOV", VPE_S_MOV, { 1, -2, 3, -0.0f }, { 1, -2, 3, -0.0f } },
   { "RCP", VPE_S_RCP, { 4, 9, 9, 9 }, { 0.25f, 0.25f, 0.25f, 0.25f } },
   { "RCP 3", VPE_S_RCP, { 3 }, { 0x1.555556p-2f, 0x1.555556p-2f, 0x1.555556p-2f, 0x1.555556p-2f } },
   { "RCP 0", VPE_S_RCP, { 0 }, { INF, INF, INF, INF } },
   { "RCP -0", VPE_S_RCP, { -0.0f }, { -INF, -INF, -INF, -INF } },
   { "RCP -Inf", VPE_S_RCP, { -INF }, { -0.0f, -0.0f, -0.0f, -0.0f } },
   { "RCP of 2^127 is denormal", VPE_S_RCP, { 0x1p127f }, { 0, 0, 0, 0 } },
   { "RCC 0", VPE_S_RCC, { 0 }, { 0x1p64f, 0x1p64f, 0x1p64f, 0x1p64f } },
   { "RCC -0", VPE_S_RCC, { -0.0f }, { -0x1p64f, -0x1p64f, -0x1p64f, -0x1p64f } },
   { "RCC Inf", VPE_S_RCC, { INF }, { 0x1p-64f, 0x1p-64f, 0x1p-64f, 0x1p-64f } },
   { "RCC -2^70", VPE_S_RCC, { -0x1p70f }, { -0x1p-64f, -0x1p-64f, -0x1p-64f, -0x1p-64f } },
   { "RCC 8", VPE_S_RCC, { 8 }, { 0.125f, 0.125f, 0.125f, 0.125f } },
   { "RSQ", VPE_S_RSQ, { 16 }, { 0.25f, 0.25f, 0.25f, 0.25f } },
   { "RSQ 0", VPE_S_RSQ, { 0 }, { INF, INF, INF, INF } },
   { "RSQ -0", VPE_S_RSQ, { -0.0f }, { -INF, -INF, -INF, -INF } },
   { "RSQ -1", VPE_S_RSQ, { -1 }, { X, X, X, X } },
   { "RSQ Inf", VPE_S_RSQ, { INF }, { 0, 0, 0, 0 } },
   { "EXP", VPE_S_EXP, { 2.5f }, { 4, 0.5f, 0x1.6a09e6p2f, 1 } },
   { "EXP negative", VPE_S_EXP, { -0.5f }, { 0.5f, 0.5f, 0x1.6a09e6p-1f, 1 } },
   { "LOG", VPE_S_LOG, { -12 }, { 3, 1.5f, 0x1.cae00ep1f, 1 } },
   { "LOG 0", VPE_S_LOG, { 0 }, { -INF, 1, -INF, 1 } },
   { "LIT", VPE_S_LIT, { 0.5f, 0.25f, 9, 2 }, { 1, 0.5f, 0.0625f, 1 } },
   { "LIT dark", VPE_S_LIT, { -0.5f, 0.25f, 9, 2 }, { 1, 0, 0, 1 } },
   { "LIT 0^0", VPE_S_LIT, { 1, -3, 9, 0 }, { 1, 1, 1, 1 } },
   { "LG2", VPE_S_LG2, { 8 }, { 3, 3, 3, 3 } },
   { "LG2 0", VPE_S_LG2, { 0 }, { -INF, -INF, -INF, -INF } },
   { "LG2 -1", VPE_S_LG2, { -1 }, { X, X, X, X } },
   { "LG2 Inf", VPE_S_LG2, { INF }, { INF, INF, INF, INF } },
   { "EX2", VPE_S_EX2, { -3 }, { 0.125f, 0.125f, 0.125f, 0.125f } },
   { "EX2 -Inf", VPE_S_EX2, { -INF }, { 0, 0, 0, 0 } },
   { "EX2 200", VPE_S_EX2, { 200 }, { INF, INF, INF, INF } },
   { "EX2 -130 is denormal", VPE_S_EX2, { -130 }, { 0, 0, 0, 0 } },
   { "SIN", VPE_S_SIN, { 1 }, { 0x1.aed548p-1f, 0x1.aed548p-1f, 0x1.aed548p-1f, 0x1.aed548p-1f } },
   { "SIN Inf", VPE_S_SIN, { INF }, { X, X, X, X } },
   { "COS", VPE_S_COS, { 1 }, { 0x1.14a28p-1f, 0x1.14a28p-1f, 0x1.14a28p-1f, 0x1.14a28p-1f } },
   { "COS 0", VPE_S_COS, { 0 }, { 1, 1, 1, 1 } },
};

static void
scalar_opcodes(void **state)
{
   for (unsigned i = 0; i < sizeof(scalar_cases) / sizeof(scalar_cases[0]); i++) {
      const struct scalar_case *s = &scalar_cases[i];
      const struct vs_fields program = {
         .sop = s->op, .smask = "xyzw", .c = { 3 }, .constant = 0, .export_on = 1, .export_index = 1, .end = 1
      };
      struct gr3d_exports exports;
      struct job *job = frame(false);
      job_vertex_constant_f(job, 0, s->c[0], s->c[1], s->c[2], s->c[3]);
      assert_int_equal(run_program(job, &program, 1, &exports), SIM_OK);
      expect_vec4(s->name, exports.v[1], s->want);
      job_destroy(job);
   }
}

/* ---- programs ---- */

#define OUT(e) .export_on = 1, .export_index = e
#define VOUT(e) OUT(e), .export_vector = 1
#define SET(n) .cs = 1, .cwr = 1, .cr = n
#define CHECK(n, bits) .cc = 1, .cr = n, .condition = bits
#define MOV_C(t, n)                                                                                                    \
   {                                                                                                                   \
      .vop = VPE_V_MOV, .vmask = "xyzw", .vdest = (t) + 1, .a = { 3 }, .constant = n                                   \
   }

/*
 * Constants: c0 (1, 2, 3, 4), c1 (-1, 0, 1, 2.5), c2 (0.25, 0.5, -0.5, 2), c3 (7, 7, 7, 7), c4 (-1.5, 1.5, -0.5, 0.5),
 * c5 (-2000, 2000, 100, -100).  Attributes: a0 (1, 2, 3, 4), a1 (5, 6, 7, 8), a2 (9, 10, 11, 12).
 */
struct program_case {
   const char *name;
   struct vs_fields program[12];
   unsigned num;
   float want[4]; /* export 1 */
};

static const struct program_case program_cases[] = {
   { "swizzle",
     { { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3, 0, "wzyx" }, VOUT(1), .end = 1 } },
     1,
     { 4, 3, 2, 1 } },
   { "negate",
     { { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3, 0, NULL, 1 }, .constant = 1, VOUT(1), .end = 1 } },
     1,
     { 1, -0.0f, -1, -2.5f } },
   { "absolute",
     { { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3, 0, NULL, 0, 1 }, .constant = 1, VOUT(1), .end = 1 } },
     1,
     { 1, 0, 1, 2.5f } },
   { "absolute then negate",
     { { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3, 0, NULL, 1, 1 }, .constant = 1, VOUT(1), .end = 1 } },
     1,
     { -1, -0.0f, -1, -2.5f } },
   { "modifiers of rB and rC",
     { MOV_C(0, 1),
       { .vop = VPE_V_MAD, .vmask = "xyzw", .a = { 3 }, .b = { 1, 0, "x", 0, 1 }, .c = { 1, 0, "wwww", 1 },
         VOUT(1),
         .end = 1 } },
     2,
     { 1 - 2.5f, 2 - 2.5f, 3 - 2.5f, 4 - 2.5f } },
   { "attribute operand",
     { { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 2 }, .attrib = 2, VOUT(1), .end = 1 } },
     1,
     { 9, 10, 11, 12 } },
   { "one constant, two swizzles",
     { { .vop = VPE_V_MUL, .vmask = "xyzw", .a = { 3, 0, "xxyy" }, .b = { 3, 0, "wzyx" }, VOUT(1), .end = 1 } },
     1,
     { 4, 3, 4, 2 } },
   { "write mask", { { .vop = VPE_V_MOV, .vmask = "yw", .a = { 3 }, VOUT(1), .end = 1 } }, 1, { 0, 2, 0, 4 } },
   { "saturate",
     { { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 2, .saturate = 1, VOUT(1), .end = 1 } },
     1,
     { 0.25f, 0.5f, 0, 1 } },
   { "saturate scalar",
     { { .sop = VPE_S_MOV, .smask = "xyzw", .c = { 3 }, .constant = 2, .saturate = 1, OUT(1), .end = 1 } },
     1,
     { 0.25f, 0.5f, 0, 1 } },
   { "temp and export at once",
     { { .vop = VPE_V_MOV, .vmask = "xyzw", .vdest = 6, .a = { 3 }, VOUT(2) },
       { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 1, 5 }, VOUT(1), .end = 1 } },
     2,
     { 1, 2, 3, 4 } },
   { "dual issue, both to temps",
     { { .vop = VPE_V_MOV, .vmask = "xyzw", .vdest = 1, .a = { 3 }, .sop = VPE_S_MOV, .smask = "xyzw", .sdest = 2,
         .c = { 3, 0, "w" } },
       { .vop = VPE_V_ADD, .vmask = "xyzw", .a = { 1, 0 }, .c = { 1, 1 }, VOUT(1), .end = 1 } },
     2,
     { 5, 6, 7, 8 } },
   { "dual issue reads the old temp",
     { MOV_C(0, 0),
       { .vop = VPE_V_MOV, .vmask = "xyzw", .vdest = 1, .a = { 3 }, .constant = 3, .sop = VPE_S_MOV, .smask = "xyzw",
         .sdest = 2, .c = { 1, 0 } },
       { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 1, 1 }, VOUT(1), .end = 1 } },
     3,
     { 1, 2, 3, 4 } },
   { "same temp: vector wins",
     { { .vop = VPE_V_MOV, .vmask = "xy", .vdest = 1, .a = { 3 }, .sop = VPE_S_MOV, .smask = "yzw", .sdest = 1,
         .c = { 3, 0, "w" } },
       { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 1, 0 }, VOUT(1), .end = 1 } },
     2,
     { 1, 2, 4, 4 } },
   { "partial exports accumulate",
     { { .vop = VPE_V_MOV, .vmask = "x", .a = { 3 }, VOUT(1) },
       { .vop = VPE_V_MOV, .vmask = "zw", .a = { 3 }, .constant = 3, VOUT(1), .end = 1 } },
     2,
     { 1, 0, 7, 7 } },
   { "predicate GT",
     { { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 1, SET(0) },
       { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 3, CHECK(0, 4), VOUT(1), .end = 1 } },
     2,
     { 0, 0, 7, 7 } },
   { "predicate LE",
     { { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 1, SET(0) },
       { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 3, CHECK(0, 3), VOUT(1), .end = 1 } },
     2,
     { 7, 7, 0, 0 } },
   { "predicate NE with swizzle",
     { { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 1, SET(1) },
       { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 3,
         CHECK(1, 5),
         .condition_swizzle = "yxyx",
         VOUT(1),
         .end = 1 } },
     2,
     { 0, 7, 0, 7 } },
   { "predicate FL",
     { { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 3, .cc = 1, .condition_none = 1,
         VOUT(1),
         .end = 1 } },
     1,
     { 0, 0, 0, 0 } },
   { "without cc the bits are ignored",
     { { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 3, .condition_none = 1, VOUT(1), .end = 1 } },
     1,
     { 7, 7, 7, 7 } },
   { "condition of NaN passes NE and TR only",
     { { .sop = VPE_S_RSQ, .smask = "xyzw", .sdest = 1, .c = { 3, 0, "x" }, .constant = 1 }, /* r0 = rsq(-1) = NaN */
       { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 1, 0 }, SET(0) },
       { .vop = VPE_V_MOV, .vmask = "x", .a = { 3 }, .constant = 3, CHECK(0, 5), VOUT(1) },
       { .vop = VPE_V_MOV, .vmask = "y", .a = { 3 }, .constant = 3, CHECK(0, 6), VOUT(1) },
       { .vop = VPE_V_MOV, .vmask = "z", .a = { 3 }, .constant = 3, CHECK(0, 7), VOUT(1) },
       { .vop = VPE_V_MOV, .vmask = "w", .a = { 3 }, .constant = 3, CHECK(0, 2), VOUT(1), .end = 1 } },
     6,
     { 7, 0, 7, 0 } },
   { "condition from the scalar half when the vector half idles",
     { { .sop = VPE_S_MOV, .smask = "xyzw", .c = { 3 }, .constant = 1, SET(0) },
       { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 3, CHECK(0, 1), VOUT(1), .end = 1 } },
     2,
     { 7, 0, 0, 0 } },
   { "condition needs cs and cwr",
     { { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 1, .cs = 1 },
       { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 1, .cwr = 1 },
       { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 3, CHECK(0, 2), VOUT(1), .end = 1 } },
     3,
     { 7, 7, 7, 7 } },
   { "condition sees the saturated result",
     { { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 1, .saturate = 1, SET(0) },
       { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 3, CHECK(0, 2), VOUT(1), .end = 1 } },
     2,
     { 7, 7, 0, 0 } },
   { "condition update is predicated",
     { { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 1, SET(0) }, /* lt eq gt gt */
       { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3, 0, NULL, 1 }, .constant = 3,
         CHECK(0, 4),
         .cs = 1,
         .cwr = 1 }, /* z, w: lt */
       { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 3, CHECK(0, 1), VOUT(1), .end = 1 } },
     3,
     { 7, 0, 7, 7 } },
   { "predicate masks temps",
     { MOV_C(0, 0),
       { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 1, SET(0) },
       { .vop = VPE_V_MOV, .vmask = "xyzw", .vdest = 1, .a = { 3 }, .constant = 3, CHECK(0, 4) },
       { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 1, 0 }, VOUT(1), .end = 1 } },
     4,
     { 1, 2, 7, 7 } },
   { "ARL floors",
     { { .vop = VPE_V_ARL, .vmask = "xyzw", .vdest = 1, .a = { 3 }, .constant = 4 }, /* -2, 1, -1, 0 */
       { .vop = VPE_V_MOV, .vmask = "x", .a = { 3 }, .constant = 3, .const_relative = 1, .address_select = 0, VOUT(1) },
       { .vop = VPE_V_MOV, .vmask = "y", .a = { 3 }, .constant = 0, .const_relative = 1, .address_select = 1, VOUT(1) },
       { .vop = VPE_V_MOV, .vmask = "z", .a = { 3 }, .constant = 1, .const_relative = 1, .address_select = 2, VOUT(1) },
       { .vop = VPE_V_MOV, .vmask = "w", .a = { 3 }, .constant = 0, .const_relative = 1, .address_select = 3,
         VOUT(1),
         .end = 1 } },
     5,
     { -1, 0, 3, 4 } },
   { "ARR rounds halves to even",
     { { .vop = VPE_V_ARR, .vmask = "xyzw", .vdest = 1, .a = { 3 }, .constant = 4 }, /* -2, 2, -0, 0 */
       { .vop = VPE_V_MOV, .vmask = "x", .a = { 3 }, .constant = 2, .const_relative = 1, .address_select = 0, VOUT(1) },
       { .vop = VPE_V_MOV, .vmask = "y", .a = { 3 }, .constant = 0, .const_relative = 1, .address_select = 1, VOUT(1) },
       { .vop = VPE_V_MOV, .vmask = "z", .a = { 3 }, .constant = 0, .const_relative = 1, .address_select = 2, VOUT(1) },
       { .vop = VPE_V_MOV, .vmask = "w", .a = { 3 }, .constant = 0, .const_relative = 1, .address_select = 3,
         VOUT(1),
         .end = 1 } },
     5,
     { 1, 0.5f, 3, 4 } },
   { "ARA adds z to x and w to y",
     { { .vop = VPE_V_ARL, .vmask = "xyzw", .vdest = 1, .a = { 3 }, .constant = 0 }, /* 1 2 3 4 */
       { .vop = VPE_V_ARA, .vmask = "xyzw", .vdest = 1 },                            /* 4 6 4 6 */
       { .vop = VPE_V_MOV, .vmask = "x", .a = { 2 }, .attrib = 14, .attrib_relative = 1, .address_select = 0,
         VOUT(2) },                                                                          /* 18: 0 */
       { .vop = VPE_V_ARL, .vmask = "z", .vdest = 1, .a = { 3, 0, "wwww" }, .constant = 4 }, /* z = 0 */
       { .vop = VPE_V_ARA, .vmask = "x", .vdest = 1 },                                       /* x = 4 */
       { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 0, .const_relative = 1, .address_select = 0,
         VOUT(1),
         .end = 1 } },
     6,
     { -1.5f, 1.5f, -0.5f, 0.5f } },
   { "odd destination: A0 keeps its value",
     { { .vop = VPE_V_ARL, .vmask = "x", .vdest = 2, .a = { 3 } },
       { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 3, .const_relative = 1, VOUT(1), .end = 1 } },
     2,
     { 7, 7, 7, 7 } },
   { "bit 120: address reads 0",
     { { .vop = VPE_V_ARL, .vmask = "x", .vdest = 1, .a = { 3 } },
       { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 3, .const_relative = 1, .address_zero = 1,
         VOUT(1),
         .end = 1 } },
     2,
     { 7, 7, 7, 7 } },
   { "constant below 0 reads constant 1",
     { { .vop = VPE_V_ARL, .vmask = "xyzw", .vdest = 1, .a = { 3 }, .constant = 5 },
       { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 1023, .const_relative = 1, .address_select = 0,
         VOUT(1),
         .end = 1 } },
     2,
     { -1, 0, 1, 2.5f } },
   { "A0 clamps to 1023: constant 1023 reads 0",
     { { .vop = VPE_V_ARL, .vmask = "xyzw", .vdest = 1, .a = { 3 }, .constant = 5 },
       { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 0, .const_relative = 1, .address_select = 1,
         VOUT(1),
         .end = 1 } },
     2,
     { 0, 0, 0, 0 } },
   { "relative attribute",
     { { .vop = VPE_V_ARL, .vmask = "x", .vdest = 1, .a = { 3 } },
       { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 2 }, .attrib = 1, .attrib_relative = 1, VOUT(1), .end = 1 } },
     2,
     { 9, 10, 11, 12 } },
   { "relative export",
     { { .vop = VPE_V_ARL, .vmask = "x", .vdest = 1, .a = { 3 }, .constant = 1 },
       { .vop = VPE_V_MOV, .vmask = "yz", .a = { 3 }, .export_relative = 1, VOUT(2), .end = 1 } },
     2,
     { 0, 2, 3, 0 } },
   { "relative export outside is dropped",
     { { .vop = VPE_V_ARL, .vmask = "x", .vdest = 1, .a = { 3, 0, "w" }, .constant = 5 },
       { .vop = VPE_V_MOV, .vmask = "yz", .a = { 3 }, .export_relative = 1, VOUT(2), .end = 1 } },
     2,
     { 0, 0, 0, 0 } },
   { "branch taken",
     { { .sop = VPE_S_BRA, .target = 2, .has_target = 1 },
       { .vop = VPE_V_MOV, .vmask = "x", .a = { 3 }, VOUT(1) },
       { .vop = VPE_V_MOV, .vmask = "y", .a = { 3 }, VOUT(1), .end = 1 } },
     3,
     { 0, 2, 0, 0 } },
   { "branch not taken",
     { { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 1, SET(0) },
       { .sop = VPE_S_BRA, .target = 3, .has_target = 1, CHECK(0, 4), .condition_swizzle = "x" },
       { .vop = VPE_V_MOV, .vmask = "x", .a = { 3 }, VOUT(1) },
       { .vop = VPE_V_MOV, .vmask = "y", .a = { 3 }, VOUT(1), .end = 1 } },
     4,
     { 1, 2, 0, 0 } },
   { "any component takes the branch",
     { { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 1, SET(0) },
       { .sop = VPE_S_BRA, .target = 3, .has_target = 1, CHECK(0, 1) },
       { .vop = VPE_V_MOV, .vmask = "x", .a = { 3 }, VOUT(1) },
       { .vop = VPE_V_MOV, .vmask = "y", .a = { 3 }, VOUT(1), .end = 1 } },
     4,
     { 0, 2, 0, 0 } },
   { "branch without cc compares with the CR",
     { { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 3, SET(0) },
       { .sop = VPE_S_BRA, .target = 3, .has_target = 1, .condition = 2 },
       { .vop = VPE_V_MOV, .vmask = "x", .a = { 3 }, VOUT(1) },
       { .vop = VPE_V_MOV, .vmask = "y", .a = { 3 }, VOUT(1), .end = 1 } },
     4,
     { 1, 2, 0, 0 } },
   /* r0 = 0; do r0 += 1 (c1.z) while (r0 - 7 < 0) */
   { "loop",
     { { .vop = VPE_V_SFL, .vmask = "xyzw", .vdest = 1 },
       { .vop = VPE_V_ADD, .vmask = "xyzw", .vdest = 1, .a = { 1, 0 }, .c = { 3, 0, "z" }, .constant = 1 },
       { .vop = VPE_V_SLT, .vmask = "x", .a = { 1, 0 }, .b = { 3 }, .constant = 3, SET(0) },
       { .sop = VPE_S_BRA, .target = 1, .has_target = 1, CHECK(0, 5), .condition_swizzle = "x" },
       { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 1, 0 }, VOUT(1), .end = 1 } },
     5,
     { 7, 7, 7, 7 } },
   { "call and return",
     { { .sop = VPE_S_CAL, .target = 3, .has_target = 1 },
       { .vop = VPE_V_MOV, .vmask = "y", .a = { 3 }, VOUT(1), .end = 1 },
       { .vop = VPE_V_MOV, .vmask = "w", .a = { 3 }, VOUT(1), .end = 1 },
       { .vop = VPE_V_MOV, .vmask = "x", .a = { 3 }, VOUT(1), .sop = VPE_S_RET } },
     4,
     { 1, 2, 0, 0 } },
   { "PUSHA and POPA",
     { { .vop = VPE_V_ARL, .vmask = "x", .vdest = 1, .a = { 3, 0, "z" }, .constant = 1 },
       { .vop = VPE_V_PUSHA },
       { .vop = VPE_V_ARL, .vmask = "x", .vdest = 1, .a = { 3, 0, "x" }, .constant = 3 },
       { .vop = VPE_V_POPA },
       { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 2, .const_relative = 1, VOUT(1), .end = 1 } },
     5,
     { 7, 7, 7, 7 } },
   { "both halves PUSHA: one entry",
     { { .vop = VPE_V_ARL, .vmask = "x", .vdest = 1, .a = { 3, 0, "z" }, .constant = 1 },
       { .sop = VPE_S_CAL, .target = 3, .has_target = 1 },
       { .vop = VPE_V_MOV, .vmask = "x", .a = { 3 }, VOUT(1), .end = 1 },
       { .vop = VPE_V_PUSHA, .sop = VPE_S_PUSHA },
       { .sop = VPE_S_POPA },
       { .sop = VPE_S_RET } },
     6,
     { 1, 0, 0, 0 } },
   { "PUSHA with POPA does nothing",
     { { .vop = VPE_V_PUSHA, .sop = VPE_S_POPA }, { .vop = VPE_V_MOV, .vmask = "x", .a = { 3 }, VOUT(1), .end = 1 } },
     2,
     { 1, 0, 0, 0 } },
   { "a branch tests the conditions from before its instruction",
     { { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 1, SET(0) },
       { .vop = VPE_V_MOV, .vmask = "x", .a = { 3 }, .constant = 3, .sop = VPE_S_BRA, .target = 3, .has_target = 1,
         CHECK(0, 1),
         .condition_swizzle = "x", .cs = 1, .cwr = 1 },
       { .vop = VPE_V_MOV, .vmask = "x", .a = { 3 }, VOUT(1) },
       { .vop = VPE_V_MOV, .vmask = "y", .a = { 3 }, VOUT(1), .end = 1 } },
     4,
     { 0, 2, 0, 0 } },
   { "PUSHA beside ARL saves the old address",
     { { .vop = VPE_V_ARL, .vmask = "x", .vdest = 1, .a = { 3, 0, "z" }, .constant = 1 },
       { .vop = VPE_V_ARL, .vmask = "x", .vdest = 1, .a = { 3, 0, "x" }, .constant = 3, .sop = VPE_S_PUSHA },
       { .vop = VPE_V_POPA },
       { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 2, .const_relative = 1, VOUT(1), .end = 1 } },
     4,
     { 7, 7, 7, 7 } },
   { "NOP writes nothing",
     { { .vmask = "xyzw", .smask = "xyzw", .vdest = 1, .sdest = 2, VOUT(1) }, { .end = 1 } },
     2,
     { 0, 0, 0, 0 } },
   { "end with export",
     { { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, VOUT(1), .end = 1 },
       { .vop = VPE_V_STR, .vmask = "xyzw", VOUT(1), .end = 1 } },
     2,
     { 1, 2, 3, 4 } },
};

static void
load_constants(struct job *job)
{
   job_vertex_constant_f(job, 0, 1, 2, 3, 4);
   job_vertex_constant_f(job, 1, -1, 0, 1, 2.5f);
   job_vertex_constant_f(job, 2, 0.25f, 0.5f, -0.5f, 2);
   job_vertex_constant_f(job, 3, 7, 7, 7, 7);
   job_vertex_constant_f(job, 4, -1.5f, 1.5f, -0.5f, 0.5f);
   job_vertex_constant_f(job, 5, -2000, 2000, 100, -100);
}

static void
programs(void **state)
{
   for (unsigned i = 0; i < sizeof(program_cases) / sizeof(program_cases[0]); i++) {
      const struct program_case *p = &program_cases[i];
      struct gr3d_exports exports;
      struct job *job = frame(false);
      load_constants(job);
      if (run_program(job, p->program, p->num, &exports) != SIM_OK)
         fail_msg("%s: %s", p->name, job->last_text);
      expect_vec4(p->name, exports.v[1], p->want);
      job_destroy(job);
   }
}

/* ---- what stops a chip ---- */

struct hang_case {
   const char *name;
   struct vs_fields program[12];
   unsigned num;
   unsigned diag;
};

static const struct hang_case hang_cases[] = {
   { "no program", { { 0 } }, 0, SIM_DIAG_VP_NOT_UPLOADED },
   { "no end bit", { { 0 }, { 0 } }, 2, SIM_DIAG_VP_NOT_UPLOADED },
   { "vector destination 40", { { .vop = VPE_V_STR, .vdest_raw = 40, .end = 1 } }, 1, SIM_DIAG_VP_ABORT },
   { "scalar destination 32", { { .sdest_raw = 32, .end = 1 } }, 1, SIM_DIAG_VP_ABORT },
   { "unused operand index 32", { { .b = { 0, 32 }, .end = 1 } }, 1, SIM_DIAG_VP_ABORT },
   { "export 16", { { OUT(16), .end = 1 } }, 1, SIM_DIAG_VP_ABORT },
   { "export 30", { { OUT(30), .end = 1 } }, 1, SIM_DIAG_VP_ABORT },
   { "endless loop", { { .sop = VPE_S_BRA, .target = 0, .has_target = 1 } }, 1, SIM_DIAG_VP_LIMIT },
   { "endless recursion", { { .sop = VPE_S_CAL, .target = 0, .has_target = 1 } }, 1, SIM_DIAG_VP_STACK },
   { "return without call", { { .sop = VPE_S_RET } }, 1, SIM_DIAG_VP_STACK },
   { "POPA of nothing", { { .vop = VPE_V_POPA } }, 1, SIM_DIAG_VP_STACK },
   { "POPA of a return address",
     { { .sop = VPE_S_CAL, .target = 1, .has_target = 1 }, { .vop = VPE_V_POPA } },
     2,
     SIM_DIAG_VP_STACK },
   { "RET of an address frame", { { .vop = VPE_V_PUSHA }, { .sop = VPE_S_RET } }, 2, SIM_DIAG_VP_STACK },
   { "nine frames",
     { { .vop = VPE_V_PUSHA },
       { .vop = VPE_V_PUSHA },
       { .vop = VPE_V_PUSHA },
       { .vop = VPE_V_PUSHA },
       { .vop = VPE_V_PUSHA },
       { .vop = VPE_V_PUSHA },
       { .vop = VPE_V_PUSHA },
       { .vop = VPE_V_PUSHA },
       { .vop = VPE_V_PUSHA },
       { .end = 1 } },
     10,
     SIM_DIAG_VP_STACK },
};

static void
hangs(void **state)
{
   for (unsigned i = 0; i < sizeof(hang_cases) / sizeof(hang_cases[0]); i++) {
      const struct hang_case *h = &hang_cases[i];
      struct gr3d_exports exports;
      struct job *job = frame(false);
      if (run_program(job, h->program, h->num, &exports) != SIM_HANG || !job_reported(job, h->diag))
         fail_msg("%s: no hang with diagnostic %u", h->name, h->diag);
      assert_int_equal(capture_count, 0);
      job_destroy(job);
   }
}

static void
eight_frames_fit(void **state)
{
   struct vs_fields program[9] = { 0 };
   for (unsigned i = 0; i < 8; i++)
      program[i].vop = VPE_V_PUSHA;
   program[8].end = 1;
   struct gr3d_exports exports;
   struct job *job = frame(false);
   assert_int_equal(run_program(job, program, 9, &exports), SIM_OK);
   job_destroy(job);
}

static void
past_the_end(void **state)
{
   struct vs_fields program[256] = { { 0 } };
   struct gr3d_exports exports;
   struct job *job = frame(false);
   assert_int_equal(run_program(job, program, 256, &exports), SIM_HANG);
   assert_true(job_reported(job, SIM_DIAG_VP_NO_END));
   job_destroy(job);
}

/*
 * 100 vertices, each with its own trip count: r0.x = a0.x; while (r0.x > 0) { r0.x -= 1; r1.x += 2 }; lanes separate
 * and the results must be those of separate runs.
 */
static void
divergence(void **state)
{
   static const struct vs_fields program[] = {
      { .vop = VPE_V_MOV, .vmask = "x", .vdest = 1, .a = { 2 }, .sop = VPE_S_MOV, .smask = "x", .sdest = 2,
        .c = { 2, 0, "w" } },
      { .vop = VPE_V_MOV, .vmask = "x", .a = { 1, 0 }, SET(0) },
      { .sop = VPE_S_BRA, .target = 6, .has_target = 1, CHECK(0, 3), .condition_swizzle = "x" },
      { .vop = VPE_V_ADD, .vmask = "x", .vdest = 1, .a = { 1, 0 }, .c = { 3, 0, "x" }, .constant = 0 },
      { .vop = VPE_V_ADD, .vmask = "x", .vdest = 2, .a = { 1, 1 }, .c = { 3, 0, "y" }, .constant = 0 },
      { .sop = VPE_S_BRA, .target = 1, .has_target = 1 },
      { .vop = VPE_V_MOV, .vmask = "x", .a = { 1, 1 }, VOUT(1), .end = 1 },
   };
   float vertices[100][4] = { { 0 } };
   for (unsigned i = 0; i < 100; i++)
      vertices[i][0] = (float)(i * 37 % 23);
   struct job *job = job_create(true);
   job_poke(job, JOB_VERTICES, vertices, sizeof(vertices));
   job_frame(job);
   job_write(job, GR3D_VP_ATTRIB_IN_OUT_SELECT, 0x00010003);
   job_attrib(job, 0, JOB_VERTICES, 0x104d);
   job_vertex_constant_f(job, 0, -1, 2, 0, 0);
   uint32_t words[7][4];
   for (unsigned i = 0; i < 7; i++)
      vs_pack(words[i], &program[i]);
   job_vertex_program(job, words, 7);
   job_draw(job, GR3D_PRIMITIVE_TYPE_POINTS, GR3D_INDEX_MODE_NONE, 0, 100);
   assert_int_equal(job_run(job), SIM_OK);
   uint64_t clocks = 0;
   for (unsigned i = 0; i < 100; i++) {
      float want = 2.0f * vertices[i][0];
      assert_true(job->sim->gr3d.vertex->exports[i].v[1][0] == want);
      clocks += 4 + 5 * (uint64_t)vertices[i][0] > 10 ? 4 + 5 * (uint64_t)vertices[i][0] : 10;
   }
   struct sim_stats stats;
   sim_get_stats(job->sim, &stats);
   assert_true(stats.vertices == 100);
   assert_true(stats.vertex_clocks == clocks);
   job_destroy(job);
}

/* ---- switches ---- */

static void
disputed_opcodes_switch(void **state)
{
   static const struct vs_fields program[] = {
      MOV_C(0, 0),
      { .vop = VPE_V_DST, .vmask = "xyzw", .a = { 1, 0 }, .b = { 3 }, .constant = 2, VOUT(1), .end = 1 },
   };
   struct gr3d_exports exports;
   struct job *job = frame(false);
   load_constants(job);
   assert_true(sim_set_switch(job->sim, "A15", "newer"));
   assert_int_equal(run_program(job, program, 2, &exports), SIM_OK);
   expect_vec4("DST newer", exports.v[1], (const float[4]){ 1, 1, -0.5f, 4 });
   job_destroy(job);
}

/* Each switch of the vertex engine, set to its second value. */
static void
engine_switches(void **state)
{
   static const struct {
      const char *id, *value;
      struct vs_fields program[3];
      unsigned num;
      float want[4];
   } cases[] = {
      { "A10",
        "kept",
        { { .sop = VPE_S_EX2, .smask = "xyzw", .c = { 3 }, .constant = 6, OUT(1), .end = 1 } },
        1,
        { 0x1p-130f, 0x1p-130f, 0x1p-130f, 0x1p-130f } },
      { "A11",
        "turns",
        { { .sop = VPE_S_SIN, .smask = "xyzw", .c = { 3 }, .constant = 2, OUT(1), .end = 1 } },
        1,
        { 1, 1, 1, 1 } }, /* a quarter of a turn */
      { "A12",
        "raw",
        { { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 1, .saturate = 1, SET(0) },
          { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 3, CHECK(0, 2), VOUT(1), .end = 1 } },
        2,
        { 0, 7, 0, 0 } },
      { "A13",
        "initial",
        { { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 3, VOUT(1), SET(0) },
          { .sop = VPE_S_BRA, .target = 2, .has_target = 1, .condition = 4 },
          { .vop = VPE_V_MOV, .vmask = "x", .a = { 3 }, VOUT(1), .end = 1 } },
        3,
        { 1, 7, 7, 7 } },
      { "A17",
        "wrap",
        { { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 3 }, .constant = 256 + 3, VOUT(1), .end = 1 } },
        1,
        { 7, 7, 7, 7 } },
   };
   for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      struct gr3d_exports exports;
      struct job *job = frame(false);
      load_constants(job);
      job_vertex_constant_f(job, 6, -130, 0, 0, 0);
      assert_true(sim_set_switch(job->sim, cases[i].id, cases[i].value));
      assert_int_equal(run_program(job, cases[i].program, cases[i].num, &exports), SIM_OK);
      expect_vec4(cases[i].id, exports.v[1], cases[i].want);
      job_destroy(job);
   }
}

/* A16 "poison": temps start with something that is no sensible number. */
static void
poisoned_temps(void **state)
{
   static const struct vs_fields program = { .vop = VPE_V_MOV, .vmask = "xyzw", .a = { 1, 9 }, VOUT(1), .end = 1 };
   struct gr3d_exports exports;
   for (unsigned poison = 0; poison < 2; poison++) {
      struct job *job = frame(false);
      assert_true(sim_set_switch(job->sim, "A16", poison ? "poison" : "zero"));
      assert_int_equal(run_program(job, &program, 1, &exports), SIM_OK);
      assert_int_equal(exports.v[1][0] != 0.0f, poison);
      job_destroy(job);
   }
}

/* Scalar functions while lanes are apart: vertex 0 takes the branch, vertex 1 does not. */
static void
scalar_function_diverged(void **state)
{
   static const struct vs_fields program[] = {
      { .vop = VPE_V_MOV, .vmask = "x", .a = { 2 }, SET(0) },
      { .sop = VPE_S_BRA, .target = 3, .has_target = 1, CHECK(0, 4), .condition_swizzle = "x" },
      { .sop = VPE_S_RCP, .smask = "x", .c = { 2, 0, "y" }, OUT(1), .end = 1 },
      { .sop = VPE_S_RSQ, .smask = "x", .c = { 2, 0, "y" }, OUT(1), .end = 1 },
   };
   static const float vertices[2][4] = { { 1, 16, 0, 0 }, { -1, 16, 0, 0 } };
   uint32_t words[4][4];
   for (unsigned i = 0; i < 4; i++)
      vs_pack(words[i], &program[i]);
   struct job *job = frame(true);
   job_poke(job, JOB_VERTICES, vertices, sizeof(vertices));
   job_vertex_program(job, words, 4);
   job_draw(job, GR3D_PRIMITIVE_TYPE_POINTS, GR3D_INDEX_MODE_NONE, 0, 2);
   assert_int_equal(job_run(job), SIM_OK);
   assert_true(job->sim->gr3d.vertex->exports[0].v[1][0] == 0.25f);
   assert_true(job->sim->gr3d.vertex->exports[1].v[1][0] == 0.0625f);
   job_destroy(job);
}

static void
switch_table(void **state)
{
   struct job *job = job_create(false);
   assert_false(sim_set_switch(job->sim, "A15", "nonsense"));
   assert_false(sim_set_switch(job->sim, "A999", "family"));
   assert_false(sim_set_switch(job->sim, "", ""));
   for (unsigned i = 0; sim_switch_describe(i); i++) {
      const struct sim_switch_info *info = sim_switch_describe(i);
      assert_true(info->num_values >= 2);
      for (unsigned v = 0; v < info->num_values; v++)
         assert_true(sim_set_switch(job->sim, info->id, info->values[v]));
   }
   job_destroy(job);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(vector_opcodes), cmocka_unit_test(scalar_opcodes),          cmocka_unit_test(programs),
      cmocka_unit_test(hangs),          cmocka_unit_test(eight_frames_fit),        cmocka_unit_test(past_the_end),
      cmocka_unit_test(divergence),     cmocka_unit_test(disputed_opcodes_switch), cmocka_unit_test(engine_switches),
      cmocka_unit_test(poisoned_temps), cmocka_unit_test(scalar_function_diverged), cmocka_unit_test(switch_table),
   };
   return cmocka_run_group_tests_name("vpe", tests, NULL, NULL);
}
