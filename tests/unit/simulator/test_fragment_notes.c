/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The public note "Fragment Shader ISA" row by row: words are packed from the note's tables of bits alone, by the names that
 * its fields have there, and each row about behaviour is a case.  Where this project reads the chip otherwise a case says why,
 * and with what switch the note's reading holds.
 *
 * A program is a list of ALU packets ('/'), each of up to four units ('|'), or of MFU instructions, each a list of
 * "field=value".  Uniforms are u0 = 2, u1 = 3, u2 = 0.5 and u3 = the fx10 values 0.5 and 0.25; TRAM row 0 is (0.5, 2, 4, 3).
 * In column x row 5 is 7; at the vertices, whose weights are 3/4, 1/8 and 1/8, row 7 is 16, 32 and 64, and row 6 the 256ths
 * 32, 64 and 128 in its low half and 128, 64 and 32 in the high one.  What counts is r0 at the end.
 *
 * Not here are rows that the note marks as unknown, and those whose values nobody has measured: global registers 16..23 (A49),
 * coverage 74, and the depth in r3 (A40).  The bias (TEX 12) is in test_texture.c; stencil writes (DW 10) and the targets of
 * depth and stencil, 0 and 2, are in test_raster.c.
 */

#include <math.h>

#include "unit.h"
#include "fragment_harness.h"
#include "notes.h"

/* rA, rB and rC: the register, its half, minus one, fixed10, absolute, negate, times two. */
#define OPERAND(r, at, reg, half, fixed)                                                                             \
   {r " register", at + 6, 7, reg}, {r " half", at + 5, 1, half}, {r " minus one", at + 4, 1, 0},                    \
      {r " fixed10", at + 3, 1, fixed}, {r " absolute", at + 2, 1, 0}, {r " negate", at + 1, 1, 0},                  \
      {r " times two", at, 1, 0}

/* As nothing is said: r0 = u0 * 1 + 0. */
static const struct notes_field alu_fields[] = {
   {"opcode", 62, 2, 0}, {"send", 61, 1, 0}, {"recv", 60, 1, 0},
   {"addition disable", 59, 1, 0}, {"scale", 57, 2, 0}, {"saturate", 56, 1, 0},
   {"condition", 54, 2, 0}, {"destination", 47, 7, 0}, {"write high", 46, 1, 1},
   {"write low", 45, 1, 1},
   OPERAND("rA", 32, 32, 0, 0),
   OPERAND("rB", 19, 31, 1, 1),
   OPERAND("rC", 6, 31, 0, 1),
   {"rD selector", 5, 1, 0}, {"rD half", 4, 1, 0}, {"rD minus one", 3, 1, 0},
   {"rD enable", 2, 1, 0}, {"rD absolute", 1, 1, 0}, {"rD fixed10", 0, 1, 0},
   {NULL},
};

#define MUL(n, at) {n " destination", at + 8, 3, 0}, {n " source 1", at + 4, 4, 0}, {n " source 0", at, 4, 0}
#define VAR(n, at) {n " row", at + 3, 4, 0}, {n " opcode", at + 1, 2, 0}, {n " saturate", at, 1, 0}

static const struct notes_field mfu_fields[] = {
   {"register", 58, 6, 0}, {"opcode", 54, 4, 0}, MUL("mul1", 43),  MUL("mul0", 32), VAR("var3", 21),
   VAR("var2", 14),        VAR("var1", 7),       VAR("var0", 0), {NULL},
};

struct row {
   const char *note, *program;
   double want[2]; /* r0, or its halves */
   bool halves, killed;
   /* Where this project reads the chip otherwise: why, and what switch, if any, gives the note's reading. */
   const char *otherwise, *id, *value;
   double note_wants[2];
};

#define HALVES .halves = true
#define FX(r, high) r " register=35;" r " fixed10=1;" r " half=" #high ";"
#define LOW_ONLY "write high=0;"
#define NONE "destination=31"
#define SKIP "/destination=31/" /* a register is visible two packets after its write */

static const struct row alu_rows[] = {
   {"62..63 opcode 0: MAD: rA * rB + rC * rD", "rB register=33;rB fixed10=0;rC register=34;rC fixed10=0", {6.5}},
   {"opcode 1: MIN: min(rA * rB, rC * rD)", "opcode=1;rB register=33;rB fixed10=0;rC register=34;rC fixed10=0", {0.5}},
   {"opcode 2: MAX: max(rA * rB, rC * rD)", "opcode=2;rB register=33;rB fixed10=0;rC register=34;rC fixed10=0", {6}},
   {"opcode 3: CMP: rA < 0: rB", "opcode=3;rA negate=1;rB register=33;rB fixed10=0;rC register=34;rC fixed10=0", {3}},
   {"opcode 3: CMP: otherwise rC * rD", "opcode=3;rB register=33;rB fixed10=0;rC register=34;rC fixed10=0", {0.5}},
   {"59 addition disable, write high: low rC * rD, high rA * rB",
    "addition disable=1;write low=0;" FX("rA", 0) FX("rC", 1) "rD enable=0", {0.25, 0.5}, HALVES},
   {"59 addition disable, write low: low rA * rB, high rC * rD",
    "addition disable=1;write high=0;" FX("rA", 0) FX("rC", 1) "rD enable=0", {0.5, 0.25}, HALVES},
   {"scale 0: none", "scale=0", {2}},
   {"scale 1: x2", "scale=1", {4}},
   {"scale 2: x4", "scale=2", {8}},
   {"scale 3: / 2", "scale=3", {1}},
   {"56 saturate result: above", "saturate=1", {1}},
   {"56 saturate result: below", "saturate=1;rA negate=1", {0}},
   {"condition 0: no comparison", "condition=0", {2}},
   {"condition 1: zero, false", "condition=1", {0}},
   {"condition 1: zero, true", "condition=1;rA register=31;rA fixed10=1", {1}},
   {"condition 2: greater than zero, true", "condition=2", {1}},
   {"condition 2: greater than zero, false", "condition=2;rA negate=1", {0}},
   {"condition 3: greater or equal to zero, true", "condition=3;rA register=31;rA fixed10=1", {1}},
   {"condition 3: greater or equal to zero, false", "condition=3;rA negate=1", {0}},
   {"47..53 destination register", "destination=3" SKIP "rA register=3", {2}},
   {"46 write high subregister", "write low=0;" FX("rA", 0), {0, 0.5}, HALVES},
   {"45 write low subregister", "write high=0;" FX("rA", 0), {0.5, 0}, HALVES},
   {"operand 12..6 register selector", "rA register=33", {3}},
   {"operand 5 sub-register selector", FX("rA", 1) LOW_ONLY, {0.25, 0}, HALVES},
   {"operand 4 minus one", FX("rA", 0) "rA minus one=1;" LOW_ONLY, {-0.5, 0}, HALVES},
   {"operand 3 fixed10", FX("rA", 0), {0.5}},
   {"operand 2 absolute value", "rA register=33;rA absolute=1;rA negate=0", {3}},
   {"operand 1 negate", "rA negate=1", {-2}},
   {"operand 0 scale by two", "rA times two=1", {4}},
   {"rB modifiers", "rB times two=1;rB negate=1", {-4}},
   {"rC modifiers", "rC register=33;rC fixed10=0;rC times two=1;rC negate=1", {-4}},
   {"rD 2 enable: rC is scaled", "rB register=33;rB fixed10=0;rC register=34;rC fixed10=0;rD enable=1", {7.5}},
   {"rD 5 selector: rC", "rB register=33;rB fixed10=0;rC register=34;rC fixed10=0;rD enable=1;rD selector=1", {6.25}},
   {"rD 3 minus one", "rB register=33;rB fixed10=0;rC register=34;rC fixed10=0;rD enable=1;rD minus one=1", {7}},
   {"rD 1 absolute value", "rC register=32;rC fixed10=0;rC negate=1;rD enable=1;rD selector=1;rD absolute=1", {-2}},
   {"rD 0 fixed10, 4 sub-register", "rB register=35;rB half=0;rC register=33;rC fixed10=0;rD enable=1;rD fixed10=1;rD half=1",
    {1.75}},
   {"0..15 row registers", "destination=2" SKIP "rA register=2", {2}},
   {"24..27 ALU result registers", NONE "|rA register=33;" NONE "/rA register=25", {3}},
   {"31 lowp vec2(0, 1): low", "rA register=31;rA fixed10=1", {0}},
   {"31 lowp vec2(0, 1): high", "rA register=31;rA fixed10=1;rA half=1", {1}},
   {"32..63 uniform registers", "rA register=34", {0.5}},
   {"64..71 condition registers: !!value, low regardless of its bit",
    "destination=64;write high=0;write low=0" SKIP "rA register=64;rA fixed10=1", {1}},
   {"condition register, high half with its bit",
    "destination=65;write low=0" SKIP "rA register=65;rA fixed10=1;rA half=1", {1}},
   {"condition register of 0", "destination=64;rA register=31;rA fixed10=1" SKIP "rA register=64;rA fixed10=1", {0}},
   {"two condition registers in one unit",
    "destination=64;write high=0|destination=71;write high=0" SKIP "rA register=64;rA fixed10=1;rB register=71;rB half=0", {1}},
   {"72 fragment x-position: 8192 + frag.x", "rA register=72", {8192}},
   {"73 fragment y-position: 8192 + (height - 1) - frag.y", "rA register=73", {8192}},
   {"75 polygon face", "rA register=75", {1}},
   {"76 kill: non-zero discards", "destination=76", .killed = true},
   {"76 kill: the write mask is ignored", "destination=76;write low=0;write high=0", .killed = true},
   {"76 kill: zero keeps it alive", "destination=76;rA register=31;rA fixed10=1", {0}},
   {"76 kill: zero does not resurrect", "destination=76/destination=76;rA register=31;rA fixed10=1", .killed = true},
   {"ALU0 recv: ALU0 += ALU3", "recv=1|" NONE "|" NONE "|rA register=33;" NONE, {9},
    .otherwise = "units that do not send are summed as well, here two of 2 (A95)", .id = "A95",
    .value = "used", .note_wants = {5}},
   {"ALU1 recv: ALU1 += ALU0", NONE "|recv=1;rA register=33", {5}},
   {"ALU2 recv: ALU2 += ALU1", "rA register=31;rA fixed10=1;" NONE "|" NONE "|recv=1;rA register=33", {5}},
   {"ALU3 recv: ALU3 += ALU2", NONE "|" NONE "|rA register=34;" NONE "|recv=1;rA register=33", {3.5}},
   {"recv: operand rC is overridden", NONE "|recv=1;rA register=33;rC register=33;rC fixed10=0", {5}},
   {"ALU0 send: no action", "send=1", {2}},
   {"ALU2 send: ALU0 += ALU2", "recv=0|" NONE "|send=1;rA register=33;" NONE, {2},
    .otherwise = "without recv a send has no effect (A89)", .id = "A89", .value = "adds", .note_wants = {5}},
   {"ALU3 send: ALU2 += ALU3", NONE "|" NONE "|recv=0|send=1;rA register=33;" NONE, {2},
    .otherwise = "without recv a send has no effect (A89)", .id = "A89", .value = "adds", .note_wants = {5}},
   {"ALU1 send: ALU0 += ALU1", "recv=0|send=1;rA register=33;" NONE, {2},
    .otherwise = "without recv a send has no effect (A89)", .id = "A89", .value = "adds", .note_wants = {5}},
   {"FX10 from -4.0 to 3.996", FX("rA", 0) "scale=2;" LOW_ONLY, {511 / 256.0, 0}, HALVES,
    .otherwise = "the note's own 10 bits at 1/256 end at 1.996"},
   {"FP20: exponent bias 31, 13 bits of significand", "rA register=34", {0.5}},
};

#define SETUP_WITH(coef0, coef1)                                                                                       \
   "register=4;opcode=1;mul0 destination=1;mul0 source 0=10;mul0 source 1=" #coef0                                      \
   ";mul1 destination=1;mul1 source 0=10;mul1 source 1=" #coef1 ";"
#define WEIGHTS SETUP_WITH(11, 12)
#define LOAD WEIGHTS "var0 opcode=1;var1 opcode=1;var2 opcode=1;var3 opcode=1/"

static const struct row mfu_rows[] = {
   {"var0 is TRAM.x; VAR1: one float20 value", LOAD, {0.5}},
   {"var1 is TRAM.y", LOAD "mul0 destination=4;mul0 source 0=1;mul0 source 1=13", {2}},
   {"var2 is TRAM.z", LOAD "mul0 destination=4;mul0 source 0=2;mul0 source 1=13", {4}},
   {"var3 is TRAM.w", LOAD "mul0 destination=4;mul0 source 0=3;mul0 source 1=13", {3}},
   {"opcode 0: NOP", LOAD "opcode=0", {0.5}},
   {"opcode 1: RCP", LOAD "opcode=1", {2}},
   {"opcode 2: RSQ", LOAD "opcode=2;register=2;mul0 destination=4;mul0 source 0=10;mul0 source 1=13", {0.5}},
   {"opcode 3: LG2", LOAD "opcode=3", {-1}},
   {"opcode 9 PREEX2, 4 EX2",
    LOAD "opcode=9;register=2/opcode=4;register=2;mul0 destination=4;mul0 source 0=10;mul0 source 1=13", {16}},
   {"opcode 5: SQRT", LOAD "opcode=5;register=2;mul0 destination=4;mul0 source 0=10;mul0 source 1=13", {2}},
   {"opcode 10 PRESIN, 6 SIN", LOAD "opcode=10/opcode=6", {0.479426}},
   {"opcode 11 PRECOS, 7 COS", LOAD "opcode=11/opcode=7", {0.877583}},
   {"opcode 8: FRC", LOAD "opcode=8", {0.5}},
   {"mul0 destination 4: row register 0", LOAD "mul0 destination=4;mul0 source 0=1;mul0 source 1=2", {8}},
   {"mul1 destination 4: row register 0", LOAD "mul1 destination=4;mul1 source 0=1;mul1 source 1=3", {6}},
   {"mul destination 5: row register 1",
    LOAD "mul0 destination=5;mul0 source 0=2;mul0 source 1=3/mul0 destination=4;mul0 source 0=1;mul0 source 1=13", {12}},
   {"mul destination 6: row register 2",
    LOAD "mul1 destination=6;mul1 source 0=1;mul1 source 1=3/mul0 destination=4;mul0 source 0=2;mul0 source 1=13", {6}},
   {"mul destination 7: row register 3",
    LOAD "mul0 destination=7;mul0 source 0=1;mul0 source 1=2/mul0 destination=4;mul0 source 0=3;mul0 source 1=13", {8}},
   {"var 3..6 TRAM index", WEIGHTS "var0 opcode=1;var0 row=5", {7}},
   {"var 0 saturate", WEIGHTS "var0 opcode=1;var0 row=5;var0 saturate=1", {1}},
   {"var opcode 0: NOP", WEIGHTS "var0 row=5", {0}},
   {"var opcode 2: VAR2: two fixed10 values", WEIGHTS "var0 opcode=2;var0 row=6", {48 / 256.0, 108 / 256.0}, HALVES},
   {"w0 is mul0's, w1 mul1's, the third 1.0 - w0 - w1", WEIGHTS "var0 opcode=1;var0 row=7", {24}},
   {"barycentric coefs are not hardwired", SETUP_WITH(12, 11) "var0 opcode=1;var0 row=7", {34}},
   {"mul source 0..3: row registers", LOAD "mul0 destination=4;mul0 source 0=2;mul0 source 1=3", {12}},
   {"mul source 10: SFU result", LOAD "opcode=1;register=2;mul0 destination=4;mul0 source 0=10;mul0 source 1=1", {0.5}},
   {"mul source 13: 1.0", LOAD "mul0 destination=4;mul0 source 0=13;mul0 source 1=3", {3}},
   {"the w component is in r4", LOAD "opcode=1;register=4;mul0 destination=4;mul0 source 0=10;mul0 source 1=13", {1}},
};

/* The values of TRAM row 0. */
static const double tram[4] = {0.5, 2, 4, 3};

static void
run(const struct fragment_vector *v, const struct row *row, bool as_noted, uint32_t raw[3])
{
   const uint32_t uniforms[4] = {sim_fp20_from_double(2), sim_fp20_from_double(3), sim_fp20_from_double(0.5),
                                 sim_fx10_pair(128, 64)};
   uint32_t row0[4];
   struct harness *h = harness_create(2, 2);

   if (as_noted)
      assert_true(sim_set_switch(h->sim, row->id, row->value));
   for (unsigned i = 0; i < 4; i++)
      row0[i] = sim_fp20_from_double(tram[i]);
   harness_tram(h, 5, 0, sim_fp20_from_double(7));
   for (unsigned i = 0; i < 3; i++) {
      h->vertex[i].tram[6][0] = sim_fx10_pair(32 << i, 128 >> i);
      h->vertex[i].tram[7][0] = sim_fp20_from_double(16 << i);
   }
   harness_run(h, v, uniforms, row0, raw);
}

static void
assemble_alu(const char *program, struct fragment_vector *v)
{
   char text[1024], *rest = text, *packet;

   snprintf(text, sizeof(text), "%s", program);
   while ((packet = strsep(&rest, "/"))) {
      for (unsigned u = 0; u < 4; u++) {
         char nothing[] = NONE ";rA register=31;rA fixed10=1", *unit = packet ? strsep(&packet, "|") : NULL;

         notes_pack(alu_fields, unit && *unit ? unit : nothing, &v->alu[v->num_alu][2 * u], 2);
      }
      v->num_alu++;
   }
   v->alu_sched[0] = v->num_alu;
}

static void
assemble_mfu(const char *program, struct fragment_vector *v)
{
   char text[1024], *rest = text, *one;

   snprintf(text, sizeof(text), "%s", program);
   while ((one = strsep(&rest, "/"))) {
      if (*one)
         notes_pack(mfu_fields, one, v->mfu[v->num_mfu++], 2);
   }
   v->mfu_sched[0] = v->num_mfu;
}

static void
check(const struct row *row, void (*assemble)(const char *program, struct fragment_vector *v))
{
   if (row->otherwise)
      print_message("read otherwise: %s: %s\n", row->note, row->otherwise);
   for (unsigned as_noted = 0; as_noted < (row->id ? 2 : 1); as_noted++) {
      const double *want = as_noted ? row->note_wants : row->want;
      struct fragment_vector v = {.rows = 1, .num_execs = 1, .dw = {0x20005}};
      uint32_t raw[3];

      assemble(row->program, &v);
      run(&v, row, as_noted, raw);
      const double r0 = sim_fp20_to_float(raw[0]);
      const int32_t low = sim_fx10_half(raw[0], 0), high = sim_fx10_half(raw[0], 1);
      const bool right = row->halves ? low == want[0] * 256 && high == want[1] * 256
                                     : fabs(r0 - want[0]) <= fabs(want[0]) * 0x1p-12;
      if (raw[2] == row->killed || (raw[2] && !right))
         fail_msg("%s: r0 0x%05x (%g; %d/256, %d/256), alive %u", as_noted ? "as noted" : "here", raw[0], r0, low, high, raw[2]);
   }
}

TEST_ROWS_CALLED(alu, alu_rows, note)
{
   check(c, assemble_alu);
}

TEST_ROWS_CALLED(mfu, mfu_rows, note)
{
   check(c, assemble_mfu);
}

/* r0 of two packets of which the schedule names some, and of one with embedded constants in place of its fourth unit. */
static uint32_t
run_scheduled(uint32_t schedule, const char *program, uint64_t constants)
{
   static const struct row row = {"schedule"};
   struct fragment_vector v = {.rows = 1, .num_execs = 1, .dw = {0x20005}};
   uint32_t raw[3];

   assemble_alu(program, &v);
   v.alu_sched[0] = schedule;
   if (constants) { /* the words are not swapped */
      v.alu[0][6] = (uint32_t)constants;
      v.alu[0][7] = constants >> 32;
   }
   run(&v, &row, false, raw);
   return raw[0];
}

TEST(schedules_and_constants)
{
   static const char two[] = "rA register=33/rA register=34";
   const uint64_t k0 = sim_fp20_from_double(0.25), k1 = sim_fp20_from_double(5), k2 = sim_fp20_from_double(7);
   const uint64_t constants = k2 << 44 | k1 << 24 | k0 << 4;

   /* "0..1 number of instructions to execute", "2..7 address" */
   assert_int_equal(run_scheduled(1, two, 0), sim_fp20_from_double(3));
   assert_int_equal(run_scheduled(2, two, 0), sim_fp20_from_double(0.5));
   assert_int_equal(run_scheduled(1 << 2 | 1, two, 0), sim_fp20_from_double(0.5));
   /* "number 0 is NOP" */
   assert_int_equal(run_scheduled(0, two, 0), 0);
   /* FP20: "19 sign", "13..18 exponent", "0..12 significand": -(1 + 1/2) * 2^(32 - 31); the least and the largest exponent */
   assert_true(sim_fp20_to_float(0x80000 | 32 << 13 | 0x1000) == -3);
   assert_true(sim_fp20_to_float(1 << 13) == 0x1p-30f && sim_fp20_to_float(63 << 13) == 0x1p32f);
   /* "4..23 immediate constant 0", "24..43 constant 1", "44..63 constant 2": registers 28..30 */
   assert_int_equal(run_scheduled(1, "rA register=28", constants), k0);
   assert_int_equal(run_scheduled(1, "rA register=29", constants), k1);
   assert_int_equal(run_scheduled(1, "rA register=30", constants), k2);
   /* "constant is either one fp20 or two fx10" */
   assert_int_equal(run_scheduled(1, FX("rA", 1) "rA register=29", (uint64_t)sim_fx10_pair(3, 128) << 24),
                    sim_fp20_from_double(0.5));
}

/* --- texture lookups, stores, fetches ----------------------------------------------------------------------------- */

struct words_row {
   const char *note;
   uint32_t tex, dw, pseq;
   /* what r0 to r3 and surfaces are then, s and t in halves, as two digits; -1: not looked at */
   int unit, st, store, value;
};

struct seen {
   int unit, st, store, value;
   struct harness *h;
};

static void
see_lookup(void *data, unsigned unit, double s, double t, int32_t c[4])
{
   struct seen *seen = data;

   seen->unit = unit;
   seen->st = (int)(s * 2) * 10 + (int)(t * 2);
   c[0] = 77;
}

static void
see_fetch(void *data, int x, int y, int32_t c[4])
{
   struct seen *seen = data;

   c[0] = 100 + seen->h->surface;
}

static void
see_store(void *data, int x, int y, bool live, const int32_t c[4])
{
   struct seen *seen = data;

   if (x || y)
      return;
   seen->store = seen->h->surface;
   seen->value = c[0];
}

/* The MFU leaves r0 = 0.5, r1 = 2, r2 = 4, r3 = 3; DW writes r0 and r1 to surface 1 unless a row says otherwise. */
static const struct words_row words_rows[] = {
   {"TEX 10 enable; 4 texcoords: 0 is R0, R1; 5 sampled data, DW 15 source: 0 is R0-R1", 1 << 10, 1 | 1 << 2, 0, 0, 14, 1, 77},
   {"TEX 10 enable, off", 0, 1 | 1 << 2, 0, -1, -1, 1, -1},
   {"TEX 0..3 sampler index", 1 << 10 | 9, 1 | 1 << 2, 0, 9, 14, 1, 77},
   {"TEX 4 texcoords: 1 is R2, R3", 1 << 10 | 1 << 4, 1 | 1 << 2, 0, 0, 86, 1, 77},
   {"TEX 5 sampled data, DW 15 source: 1 is R2-R3", 1 << 10 | 1 << 5, 1 | 1 << 2 | 1 << 15, 0, 0, 14, 1, 77},
   {"DW 0 enable, off", 1 << 10, 1 << 2, 0, 0, 14, -1, -1},
   {"DW 2..5 render target index", 1 << 10, 1 | 7 << 2, 0, 0, 14, 7, 77},
   {"PSEQ 23 enable, 16..19 render target", 0, 1 | 1 << 2, 1 << 23 | 5 << 16 | 1 << 3, -1, -1, 1, 105},
   {"PSEQ 1 dest: 1 is R2-R3", 0, 1 | 1 << 2 | 1 << 15, 1 << 23 | 5 << 16 | 1 << 3 | 1 << 1, -1, -1, 1, 105},
};

TEST_ROWS_CALLED(words, words_rows, note)
{
   struct fragment_vector v = {.rows = 1, .num_execs = 1, .tex = {c->tex}, .dw = {c->dw}, .pseq = {c->pseq}};
   struct harness *h = harness_create(2, 2);
   struct seen seen = {-1, -1, -1, -1, h};

   if (!c->pseq)
      assemble_mfu(LOAD, &v);
   h->data = &seen;
   h->texel_at = see_lookup;
   h->fetch = see_fetch;
   h->store = see_store;
   harness_program(h, &v);
   for (unsigned i = 0; i < 4; i++)
      harness_tram(h, 0, i, sim_fp20_from_double(tram[i]));
   harness_draw(h);
   if (seen.unit != c->unit || seen.st != c->st || seen.store != c->store || (c->value >= 0 && seen.value != c->value))
      fail_msg("unit %d, coordinates %d, surface %d, value %d", seen.unit, seen.st, seen.store, seen.value);
}
