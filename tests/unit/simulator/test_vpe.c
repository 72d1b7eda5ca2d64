/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The vertex engine: where numbers end, are rounded or compared, and programs, against values worked out by hand from
 * vertex-pipeline.md 2 to 9.  A case is one vertex; its result is what it leaves in export 1.
 */

#include <math.h>

#include "unit.h"
#include "capture.h"
#include "job.h"
#include "tegra20/gr3d_regs.h"
#include "vertex.h"
#include "vs_words.h"

#define INF INFINITY
#define DENORMAL 0x1p-130f

static enum sim_status
draw_points(struct job *job, const struct vs_fields *program, unsigned num, unsigned points)
{
   capture_clear();
   if (num)
      vs_upload(job, program, num);
   job_draw(job, GR3D_PRIMITIVE_TYPE_POINTS, GR3D_INDEX_MODE_NONE, 0, points);
   return job_run(job);
}

/* Draws one point; returns the status and the exports of its vertex. */
static enum sim_status
run_program(struct job *job, const struct vs_fields *program, unsigned num, struct gr3d_exports *exports)
{
   const enum sim_status status = draw_points(job, program, num, 1);
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
   { "MOV special", VPE_V_MOV, { INF, -INF, X, DENORMAL }, { 0 }, { 0 }, { INF, -INF, X, 0 } },
   { "MOV negative denormal", VPE_V_MOV, { -DENORMAL, 0x1p-126f, 0, 1 }, { 0 }, { 0 }, { -0.0f, 0x1p-126f, 0, 1 } },
   { "MUL special", VPE_V_MUL, { 0, 0, INF, 0x1p-70f }, { INF, -3, -2, 0x1p-70f }, { 0 }, { X, -0.0f, -INF, 0 } },
   { "MUL overflow", VPE_V_MUL, { 0x1p100f, -0x1p100f, 0x1p-63f, 0x1p-64f }, { 0x1p100f, 0x1p100f, 0x1p-63f, 0x1p-63f },
     { 0 }, { INF, -INF, 0x1p-126f, 0 } },
   { "ADD reads A and C", VPE_V_ADD, { 1, 2, 3, 4 }, { 100, 100, 100, 100 }, { 10, 20, 30, 0x1p-24f }, { 11, 22, 33, 4 } },
   { "ADD special", VPE_V_ADD, { INF, INF, X, 0 }, { 0 }, { -INF, 1, 1, -0.0f }, { X, INF, X, 0 } },
   { "ADD to denormal", VPE_V_ADD, { 0x1.8p-126f, 0x1p-126f, 1, 1 }, { 0 }, { -0x1p-126f, -0x1.8p-126f, -1, 1 },
     { 0, -0.0f, 0, 2 } },
   /* (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24, rounded to 1 + 2^-11 before the sum: two roundings. */
   { "MAD rounds twice", VPE_V_MAD, { 0x1.001p0f, 2, 3, 4 }, { 0x1.001p0f, 3, 4, 5 }, { -0x1.002p0f, 1, 2, 3 },
     { 0, 7, 14, 23 } },
   /* Left to right: (2^24 + 1) rounds to 2^24, then - 2^24 + 1. */
   { "DP4 order", VPE_V_DP4, { 0x1p24f, 1, -0x1p24f, 1 }, { 1, 1, 1, 1 }, { 0 }, { 1, 1, 1, 1 } },
   { "MIN", VPE_V_MIN, { 1, -5, X, INF }, { 2, -7, 1, 3 }, { 0 }, { 1, -7, X, 3 } },
   { "MAX", VPE_V_MAX, { 1, -5, 1, -INF }, { 2, -7, X, 3 }, { 0 }, { 2, -5, X, 3 } },
   { "SLT", VPE_V_SLT, { 1, 2, 3, X }, { 2, 2, 2, 0 }, { 0 }, { 1, 0, 0, X } },
   { "SGE", VPE_V_SGE, { 1, 2, 3, -0.0f }, { 2, 2, 2, 0 }, { 0 }, { 0, 1, 1, 1 } },
   { "SEQ", VPE_V_SEQ, { 1, 2, 0, X }, { 2, 2, -0.0f, X }, { 0 }, { 0, 1, 1, X } },
   { "SGT", VPE_V_SGT, { 1, 2, 3, INF }, { 2, 2, 2, 1 }, { 0 }, { 0, 0, 1, 1 } },
   { "SLE", VPE_V_SLE, { 1, 2, 3, -INF }, { 2, 2, 2, 1 }, { 0 }, { 1, 1, 0, 1 } },
   { "SNE", VPE_V_SNE, { 1, 2, 0, X }, { 2, 2, -0.0f, 1 }, { 0 }, { 1, 0, 0, X } },
   { "SSG", VPE_V_SSG, { -7, 0, 3, X }, { 0 }, { 0 }, { -1, 0, 1, X } },
   { "SSG infinities", VPE_V_SSG, { -INF, INF, -0.0f, 0x1p-126f }, { 0 }, { 0 }, { -1, 1, 0, 1 } },
   { "FRC", VPE_V_FRC, { 1.75f, -1.75f, 3, -INF }, { 0 }, { 0 }, { 0.75f, 0.25f, 0, X } },
   { "FLR", VPE_V_FLR, { 1.75f, -1.75f, 3, -0.5f }, { 0 }, { 0 }, { 1, -2, 3, -1 } },
   { "FLR special", VPE_V_FLR, { INF, 0x1p30f, X, -0.0f }, { 0 }, { 0 }, { INF, 0x1p30f, X, -0.0f } },
};

TEST_ROWS(vector_opcodes, vector_cases)
{
   const struct vs_fields program[] = {
      { V(MOV, "xyzw"), .vdest = 1, CONSTANT(0) },
      { V(MOV, "xyzw"), .vdest = 2, CONSTANT(1) },
      { V(MOV, "xyzw"), .vdest = 3, CONSTANT(2) },
      { .vop = c->op, .vmask = "xyzw", .a = { 1, 0 }, .b = { 1, 1 }, .c = { 1, 2 }, VOUT(1), END },
   };
   const float *const values[] = { c->a, c->b, c->c };
   struct gr3d_exports exports;
   struct job *job = frame(false);
   for (unsigned i = 0; i < 3; i++)
      job_vertex_constant_f(job, i, values[i][0], values[i][1], values[i][2], values[i][3]);
   assert_int_equal(run_program(job, program, 4, &exports), SIM_OK);
   expect_vec4(c->name, exports.v[1], c->want);
}

struct scalar_case {
   const char *name;
   unsigned op;
   float c[4];
   float want[4];
};

#define ALL(v) { v, v, v, v }
static const struct scalar_case scalar_cases[] = {
   { "RCP 3", VPE_S_RCP, { 3 }, ALL(0x1.555556p-2f) },
   { "RCP 0", VPE_S_RCP, { 0 }, ALL(INF) },
   { "RCP -0", VPE_S_RCP, { -0.0f }, ALL(-INF) },
   { "RCP -Inf", VPE_S_RCP, { -INF }, ALL(-0.0f) },
   { "RCP of 2^127 is denormal", VPE_S_RCP, { 0x1p127f }, ALL(0) },
   { "RCC 0", VPE_S_RCC, { 0 }, ALL(0x1p64f) },
   { "RCC -0", VPE_S_RCC, { -0.0f }, ALL(-0x1p64f) },
   { "RCC Inf", VPE_S_RCC, { INF }, ALL(0x1p-64f) },
   { "RCC -2^70", VPE_S_RCC, { -0x1p70f }, ALL(-0x1p-64f) },
   { "RSQ 0", VPE_S_RSQ, { 0 }, ALL(INF) },
   { "RSQ -0", VPE_S_RSQ, { -0.0f }, ALL(-INF) },
   { "RSQ -1", VPE_S_RSQ, { -1 }, ALL(X) },
   { "RSQ Inf", VPE_S_RSQ, { INF }, ALL(0) },
   { "EXP", VPE_S_EXP, { 2.5f }, { 4, 0.5f, 0x1.6a09e6p2f, 1 } },
   { "EXP negative", VPE_S_EXP, { -0.5f }, { 0.5f, 0.5f, 0x1.6a09e6p-1f, 1 } },
   { "LOG", VPE_S_LOG, { -12 }, { 3, 1.5f, 0x1.cae00ep1f, 1 } },
   { "LOG 0", VPE_S_LOG, { 0 }, { -INF, 1, -INF, 1 } },
   { "LIT", VPE_S_LIT, { 0.5f, 0.25f, 9, 2 }, { 1, 0.5f, 0.0625f, 1 } },
   { "LIT dark", VPE_S_LIT, { -0.5f, 0.25f, 9, 2 }, { 1, 0, 0, 1 } },
   { "LIT 0^0", VPE_S_LIT, { 1, -3, 9, 0 }, ALL(1) },
   { "LG2 0", VPE_S_LG2, { 0 }, ALL(-INF) },
   { "LG2 -1", VPE_S_LG2, { -1 }, ALL(X) },
   { "LG2 Inf", VPE_S_LG2, { INF }, ALL(INF) },
   { "EX2", VPE_S_EX2, { -3 }, ALL(0.125f) },
   { "EX2 -Inf", VPE_S_EX2, { -INF }, ALL(0) },
   { "EX2 200", VPE_S_EX2, { 200 }, ALL(INF) },
   { "EX2 -130 is denormal", VPE_S_EX2, { -130 }, ALL(0) },
   { "SIN", VPE_S_SIN, { 1 }, ALL(0x1.aed548p-1f) },
   { "SIN Inf", VPE_S_SIN, { INF }, ALL(X) },
   { "COS", VPE_S_COS, { 1 }, ALL(0x1.14a28p-1f) },
};

TEST_ROWS(scalar_opcodes, scalar_cases)
{
   const struct vs_fields program = { .sop = c->op, .smask = "xyzw", .c = { 3 }, .constant = 0, OUT(1), END };
   struct gr3d_exports exports;
   struct job *job = frame(false);
   job_vertex_constant_f(job, 0, c->c[0], c->c[1], c->c[2], c->c[3]);
   assert_int_equal(run_program(job, &program, 1, &exports), SIM_OK);
   expect_vec4(c->name, exports.v[1], c->want);
}

/* ---- programs ---- */

/*
 * Constants: c0 (1, 2, 3, 4), c1 (-1, 0, 1, 2.5), c2 (0.25, 0.5, -0.5, 2), c3 (7, 7, 7, 7), c4 (-1.5, 1.5, -0.5, 0.5),
 * c5 (-2000, 2000, 100, -100).  Attributes: a0 (1, 2, 3, 4), a1 (5, 6, 7, 8), a2 (9, 10, 11, 12).
 */
struct program_case {
   const char *name;
   struct vs_fields program[12];
   float want[4]; /* export 1 */
};

static const struct program_case program_cases[] = {
   { "absolute then negate", { { V(MOV, "xyzw"), .a = { 3, 0, NULL, 1, 1 }, .constant = 1, VOUT(1), END } },
     { -1, -0.0f, -1, -2.5f } },
   { "one constant, two swizzles", { { V(MUL, "xyzw"), .a = { 3, 0, "xxyy" }, .b = { 3, 0, "wzyx" }, VOUT(1), END } },
     { 4, 3, 4, 2 } },
   { "dual issue, both to temps",
     { { V(MOV, "xyzw"), .vdest = 1, .a = { 3 }, S(MOV, "xyzw"), .sdest = 2, .c = { 3, 0, "w" } },
     { V(ADD, "xyzw"), .a = { 1, 0 }, .c = { 1, 1 }, VOUT(1), END } }, { 5, 6, 7, 8 } },
   { "dual issue reads the old temp", { { V(MOV, "xyzw"), .vdest = 1, CONSTANT(0) },
     { V(MOV, "xyzw"), .vdest = 1, CONSTANT(3), S(MOV, "xyzw"), .sdest = 2, .c = { 1, 0 } },
     { V(MOV, "xyzw"), .a = { 1, 1 }, VOUT(1), END } }, { 1, 2, 3, 4 } },
   { "same temp: vector wins", { { V(MOV, "xy"), .vdest = 1, .a = { 3 }, S(MOV, "yzw"), .sdest = 1, .c = { 3, 0, "w" } },
     { V(MOV, "xyzw"), .a = { 1, 0 }, VOUT(1), END } }, { 1, 2, 4, 4 } },
   { "predicate LE", { { V(MOV, "xyzw"), CONSTANT(1), SET(0) }, { V(MOV, "xyzw"), CONSTANT(3), CHECK(0, 3), VOUT(1), END } },
     { 7, 7, 0, 0 } },
   { "predicate NE with swizzle", { { V(MOV, "xyzw"), CONSTANT(1), SET(1) },
     { V(MOV, "xyzw"), CONSTANT(3), CHECK(1, 5), .condition_swizzle = "yxyx", VOUT(1), END } }, { 0, 7, 0, 7 } },
   { "condition of NaN passes NE and TR only",
     { { S(RSQ, "xyzw"), .sdest = 1, .c = { 3, 0, "x" }, .constant = 1 }, /* r0 = rsq(-1) = NaN */
       { V(MOV, "xyzw"), .a = { 1, 0 }, SET(0) },
       { V(MOV, "x"), CONSTANT(3), CHECK(0, 5), VOUT(1) },
       { V(MOV, "y"), CONSTANT(3), CHECK(0, 6), VOUT(1) },
       { V(MOV, "z"), CONSTANT(3), CHECK(0, 7), VOUT(1) },
       { V(MOV, "w"), CONSTANT(3), CHECK(0, 2), VOUT(1), END } },
     { 7, 0, 7, 0 } },
   { "condition from the scalar half when the vector half idles", { { S(MOV, "xyzw"), .c = { 3 }, .constant = 1, SET(0) },
     { V(MOV, "xyzw"), CONSTANT(3), CHECK(0, 1), VOUT(1), END } }, { 7, 0, 0, 0 } },
   { "condition sees the saturated result", { { V(MOV, "xyzw"), CONSTANT(1), .saturate = 1, SET(0) },
     { V(MOV, "xyzw"), CONSTANT(3), CHECK(0, 2), VOUT(1), END } }, { 7, 7, 0, 0 } },
   { "condition update is predicated",
     { { V(MOV, "xyzw"), CONSTANT(1), SET(0) }, /* lt eq gt gt */
       { V(MOV, "xyzw"), .a = { 3, 0, NULL, 1 }, .constant = 3, CHECK(0, 4), .cs = 1, .cwr = 1 }, /* z, w: lt */
       { V(MOV, "xyzw"), CONSTANT(3), CHECK(0, 1), VOUT(1), END } },
     { 7, 0, 7, 7 } },
   { "predicate masks temps", { { V(MOV, "xyzw"), .vdest = 1, CONSTANT(0) }, { V(MOV, "xyzw"), CONSTANT(1), SET(0) },
     { V(MOV, "xyzw"), .vdest = 1, CONSTANT(3), CHECK(0, 4) }, { V(MOV, "xyzw"), .a = { 1, 0 }, VOUT(1), END } },
     { 1, 2, 7, 7 } },
   { "ARL floors",
     { { V(ARL, "xyzw"), .vdest = 1, CONSTANT(4) }, /* -2, 1, -1, 0 */
       { V(MOV, "x"), CONSTANT(3), RELATIVE, .address_select = 0, VOUT(1) },
       { V(MOV, "y"), CONSTANT(0), RELATIVE, .address_select = 1, VOUT(1) },
       { V(MOV, "z"), CONSTANT(1), RELATIVE, .address_select = 2, VOUT(1) },
       { V(MOV, "w"), CONSTANT(0), RELATIVE, .address_select = 3, VOUT(1), END } },
     { -1, 0, 3, 4 } },
   { "ARR rounds halves to even",
     { { V(ARR, "xyzw"), .vdest = 1, CONSTANT(4) }, /* -2, 2, -0, 0 */
       { V(MOV, "x"), CONSTANT(2), RELATIVE, .address_select = 0, VOUT(1) },
       { V(MOV, "y"), CONSTANT(0), RELATIVE, .address_select = 1, VOUT(1) },
       { V(MOV, "z"), CONSTANT(0), RELATIVE, .address_select = 2, VOUT(1) },
       { V(MOV, "w"), CONSTANT(0), RELATIVE, .address_select = 3, VOUT(1), END } },
     { 1, 0.5f, 3, 4 } },
   { "ARA adds z to x and w to y",
     { { V(ARL, "xyzw"), .vdest = 1, CONSTANT(0) }, /* 1 2 3 4 */
       { V(ARA, "xyzw"), .vdest = 1 }, /* 4 6 4 6 */
       { V(MOV, "x"), .a = { 2 }, .attrib = 14, .attrib_relative = 1, .address_select = 0, VOUT(2) }, /* 18: 0 */
       { V(ARL, "z"), .vdest = 1, .a = { 3, 0, "wwww" }, .constant = 4 }, /* z = 0 */
       { V(ARA, "x"), .vdest = 1 }, /* x = 4 */
       { V(MOV, "xyzw"), CONSTANT(0), RELATIVE, .address_select = 0, VOUT(1), END } },
     { -1.5f, 1.5f, -0.5f, 0.5f } },
   { "A0 clamps to 1023: constant 1023 reads 0", { { V(ARL, "xyzw"), .vdest = 1, CONSTANT(5) },
     { V(MOV, "xyzw"), CONSTANT(0), RELATIVE, .address_select = 1, VOUT(1), END } }, { 0, 0, 0, 0 } },
   { "relative export outside is dropped", { { V(ARL, "x"), .vdest = 1, .a = { 3, 0, "w" }, .constant = 5 },
     { V(MOV, "yz"), .a = { 3 }, .export_relative = 1, VOUT(2), END } }, { 0, 0, 0, 0 } },
   { "any component takes the branch", { { V(MOV, "xyzw"), CONSTANT(1), SET(0) }, { TO(BRA, 3), CHECK(0, 1) },
     { V(MOV, "x"), .a = { 3 }, VOUT(1) }, { V(MOV, "y"), .a = { 3 }, VOUT(1), END } }, { 0, 2, 0, 0 } },
   { "branch without cc compares with the CR", { { V(MOV, "xyzw"), CONSTANT(3), SET(0) }, { TO(BRA, 3), .condition = 2 },
     { V(MOV, "x"), .a = { 3 }, VOUT(1) }, { V(MOV, "y"), .a = { 3 }, VOUT(1), END } }, { 1, 2, 0, 0 } },
   /* r0 = 0; do r0 += 1 (c1.z) while (r0 - 7 < 0) */
   { "loop", { { V(SFL, "xyzw"), .vdest = 1 },
     { V(ADD, "xyzw"), .vdest = 1, .a = { 1, 0 }, .c = { 3, 0, "z" }, .constant = 1 },
     { V(SLT, "x"), .a = { 1, 0 }, .b = { 3 }, .constant = 3, SET(0) }, { TO(BRA, 1), CHECK(0, 5), .condition_swizzle = "x" },
     { V(MOV, "xyzw"), .a = { 1, 0 }, VOUT(1), END } }, { 7, 7, 7, 7 } },
   { "a branch tests the conditions from before its instruction", { { V(MOV, "xyzw"), CONSTANT(1), SET(0) },
     { V(MOV, "x"), CONSTANT(3), TO(BRA, 3), CHECK(0, 1), .condition_swizzle = "x", .cs = 1, .cwr = 1 },
     { V(MOV, "x"), .a = { 3 }, VOUT(1) }, { V(MOV, "y"), .a = { 3 }, VOUT(1), END } }, { 0, 2, 0, 0 } },
   { "PUSHA beside ARL saves the old address", { { V(ARL, "x"), .vdest = 1, .a = { 3, 0, "z" }, .constant = 1 },
     { V(ARL, "x"), .vdest = 1, .a = { 3, 0, "x" }, .constant = 3, .sop = VPE_S_PUSHA }, { .vop = VPE_V_POPA },
     { V(MOV, "xyzw"), CONSTANT(2), RELATIVE, VOUT(1), END } }, { 7, 7, 7, 7 } },
   { "NOP writes nothing", { { .vmask = "xyzw", .smask = "xyzw", .vdest = 1, .sdest = 2, VOUT(1) }, { .end = 1 } }, { 0, 0, 0, 0 } },
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

TEST_ROWS(programs, program_cases)
{
   struct gr3d_exports exports;
   struct job *job = frame(false);
   load_constants(job);
   if (run_program(job, c->program, vs_length(c->program, COUNT(c->program)), &exports) != SIM_OK)
      fail_msg("%s: %s", c->name, job->last_text);
   expect_vec4(c->name, exports.v[1], c->want);
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
   { "endless loop", { { TO(BRA, 0) } }, 1, SIM_DIAG_VP_LIMIT },
   { "endless recursion", { { TO(CAL, 0) } }, 1, SIM_DIAG_VP_STACK },
   { "POPA of a return address", { { TO(CAL, 1) }, { .vop = VPE_V_POPA } }, 2, SIM_DIAG_VP_STACK },
   { "RET of an address frame", { { .vop = VPE_V_PUSHA }, { .sop = VPE_S_RET } }, 2, SIM_DIAG_VP_STACK },
};

TEST_ROWS(hangs, hang_cases)
{
   struct gr3d_exports exports;
   struct job *job = frame(false);
   if (run_program(job, c->program, c->num, &exports) != SIM_HANG || !job_reported(job, c->diag))
      fail_msg("%s: no hang with diagnostic %u", c->name, c->diag);
   assert_int_equal(capture_count, 0);
}

TEST(past_the_end)
{
   struct vs_fields program[256] = { { 0 } };
   struct gr3d_exports exports;
   struct job *job = frame(false);
   assert_int_equal(run_program(job, program, 256, &exports), SIM_HANG);
   assert_true(job_reported(job, SIM_DIAG_VP_NO_END));
}

/*
 * 100 vertices, each with its own trip count: r0.x = a0.x; while (r0.x > 0) { r0.x -= 1; r1.x += 2 }; lanes separate
 * and the results must be those of separate runs.
 */
TEST(divergence)
{
   static const struct vs_fields program[] = {
      { V(MOV, "x"), .vdest = 1, .a = { 2 }, S(MOV, "x"), .sdest = 2, .c = { 2, 0, "w" } },
      { V(MOV, "x"), .a = { 1, 0 }, SET(0) },
      { TO(BRA, 6), CHECK(0, 3), .condition_swizzle = "x" },
      { V(ADD, "x"), .vdest = 1, .a = { 1, 0 }, .c = { 3, 0, "x" }, .constant = 0 },
      { V(ADD, "x"), .vdest = 2, .a = { 1, 1 }, .c = { 3, 0, "y" }, .constant = 0 },
      { TO(BRA, 1) },
      { V(MOV, "x"), .a = { 1, 1 }, VOUT(1), END },
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
   assert_int_equal(draw_points(job, program, 7, 100), SIM_OK);
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
}

/* ---- switches ---- */

/* Each switch of the vertex engine, set to its second value. */
static const struct {
   const char *id, *value;
   struct vs_fields program[3];
   float want[4];
} engine_switches_cases[] = {
   { "A10", "kept", { { S(EX2, "xyzw"), .c = { 3 }, .constant = 6, OUT(1), END } }, { 0x1p-130f, 0x1p-130f, 0x1p-130f, 0x1p-130f } },
   { "A11", "turns", { { S(SIN, "xyzw"), .c = { 3 }, .constant = 2, OUT(1), END } }, { 1, 1, 1, 1 } }, /* a quarter of a turn */
   { "A12", "raw", { { V(MOV, "xyzw"), CONSTANT(1), .saturate = 1, SET(0) },
     { V(MOV, "xyzw"), CONSTANT(3), CHECK(0, 2), VOUT(1), END } }, { 0, 7, 0, 0 } },
   { "A13", "initial", { { V(MOV, "xyzw"), CONSTANT(3), VOUT(1), SET(0) }, { TO(BRA, 2), .condition = 4 },
     { V(MOV, "x"), .a = { 3 }, VOUT(1), END } }, { 1, 7, 7, 7 } },
   { "A17", "wrap", { { V(MOV, "xyzw"), CONSTANT(256 + 3), VOUT(1), END } }, { 7, 7, 7, 7 } },
};

TEST_ROWS_CALLED(engine_switches, engine_switches_cases, id)
{
   struct gr3d_exports exports;
   struct job *job = frame(false);
   load_constants(job);
   job_vertex_constant_f(job, 6, -130, 0, 0, 0);
   assert_true(sim_set_switch(job->sim, c->id, c->value));
   assert_int_equal(run_program(job, c->program, vs_length(c->program, COUNT(c->program)), &exports), SIM_OK);
   expect_vec4(c->id, exports.v[1], c->want);
}

/* A16 "poison": temps start with something that is no sensible number. */
TEST(poisoned_temps)
{
   static const struct vs_fields program = { V(MOV, "xyzw"), .a = { 1, 9 }, VOUT(1), END };
   struct gr3d_exports exports;
   for (unsigned poison = 0; poison < 2; poison++) {
      struct job *job = frame(false);
      assert_true(sim_set_switch(job->sim, "A16", poison ? "poison" : "zero"));
      assert_int_equal(run_program(job, &program, 1, &exports), SIM_OK);
      assert_int_equal(exports.v[1][0] != 0.0f, poison);
   }
}

/* Scalar functions while lanes are apart: vertex 0 takes the branch, vertex 1 does not. */
TEST(scalar_function_diverged)
{
   static const struct vs_fields program[] = {
      { V(MOV, "x"), .a = { 2 }, SET(0) },
      { TO(BRA, 3), CHECK(0, 4), .condition_swizzle = "x" },
      { S(RCP, "x"), .c = { 2, 0, "y" }, OUT(1), END },
      { S(RSQ, "x"), .c = { 2, 0, "y" }, OUT(1), END },
   };
   static const float vertices[2][4] = { { 1, 16, 0, 0 }, { -1, 16, 0, 0 } };
   struct job *job = frame(true);
   job_poke(job, JOB_VERTICES, vertices, sizeof(vertices));
   assert_int_equal(draw_points(job, program, 4, 2), SIM_OK);
   assert_true(job->sim->gr3d.vertex->exports[0].v[1][0] == 0.25f);
   assert_true(job->sim->gr3d.vertex->exports[1].v[1][0] == 0.0625f);
}

TEST(switch_table)
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
}
