/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The ALU where numbers end, are rounded or tied, one hand-worked value per line: programs read uniforms u0..u3 and leave the
 * result in r0, of which the 20 raw bits are compared.  All arguments of the MFU's functions; interpolation.  The fields of the
 * words are in test_fragment_notes.c, all of them together in test_fragment_random.c.
 *
 * fp20 codes used: exponent field e = 31 + log2, so 1 = 0x3e000, 2 = 0x40000, 3 = 0x41000, 4 = 0x42000, 0.5 = 0x3c000,
 * 0.25 = 0x3a000, 0.75 = 0x3d000; sign 0x80000.
 */

#include <math.h>

#include "unit.h"
#include "fragment_harness.h"

#define FP(reg) ((reg) << 6)
#define LO(reg) ((reg) << 6 | 8)
#define HI(reg) ((reg) << 6 | 8 | 32)
#define M1 16
#define ABS 4
#define NEG 2
#define X2 1
#define U(n) (32 + (n))
#define ONE HI(31)
#define ZERO LO(31)

/* operand D: re-reads B or C */
#define D_B 4
#define D_C (4 | 32)
#define D_M1 8

enum { MAD, MIN, MAX, CSEL };
enum { LOW = 1, FULL = 3 };
#define SEND (1u << 29)
#define RECV (1u << 28)
#define SCALE(n) ((uint32_t)(n) << 25)
#define SAT (1u << 24)
#define COND(n) ((uint32_t)(n) << 22)

struct unit {
   uint32_t high, low;
};

#define UNIT(op, flags, dest, mask, a, b, c, d)                                                                        \
   {(uint32_t)(op) << 30 | (flags) | (uint32_t)(dest) << 15 | (uint32_t)(mask) << 13 | (a),                            \
    (uint32_t)(b) << 19 | (uint32_t)(c) << 6 | (d)}
#define NOP {0x000fe7e8, 0x3e41f200}
/* The unit under test writes r0. */
#define R0(op, flags, mask, a, b, c, d) UNIT(op, flags, 0, mask, a, b, c, d)

struct alu_case {
   const char *name;
   struct unit unit;
   uint32_t u[4];
   uint32_t expected; /* raw r0, which starts as 0 */
};

#define ONE20 0x3e000
#define TWO20 0x40000
#define THREE20 0x41000
#define HALF20 0x3c000
#define QUARTER20 0x3a000
#define SIGN 0x80000
#define PAIR(l, h) (((uint32_t)(l) & 0x3ff) | ((uint32_t)(h) & 0x3ff) << 10)

static const struct alu_case alu_cases[] = {
   {"fx10 halves round up: 0.5/256", R0(MAD, 0, LOW, LO(U(0)), LO(U(1)), ZERO, 0), {1, 128}, 1},
   {"fx10 below a half: 0.498/256", R0(MAD, 0, LOW, LO(U(0)), LO(U(1)), ZERO, 0), {1, 127}, 0},
   {"fx10 negative halves go up: -0.5/256", R0(MAD, 0, LOW, LO(U(0)) | NEG, LO(U(1)), ZERO, 0), {1, 128}, 0},
   {"min: min(2 * 0.25, 0.5 * 2)", R0(MIN, 0, FULL, FP(U(0)), FP(U(3)), FP(U(2)), D_C | 0), {TWO20, 0, TWO20, QUARTER20},
    HALF20},
   {"max: max(-2 * 1, -3)", R0(MAX, 0, FULL, FP(U(0)) | NEG, ONE, FP(U(1)) | NEG, 0), {TWO20, THREE20}, TWO20 | SIGN},
   {"csel: minus zero takes C", R0(CSEL, 0, FULL, FP(U(0)) | NEG, FP(U(1)), FP(U(2)), 0), {0, THREE20, HALF20}, HALF20},
   {"csel: fx10 minus zero takes C", R0(CSEL, 0, FULL, LO(U(0)) | NEG, FP(U(1)), FP(U(2)), 0), {0, THREE20, HALF20}, HALF20},
   {"csel: raw 0x00100 as fp20 is not zero", R0(CSEL, 0, FULL, FP(U(0)) | NEG, FP(U(1)), FP(U(2)), 0),
    {0x100, THREE20, HALF20}, THREE20},

   {"scale /2 in fx10: 3/256 / 2 = 1.5/256 rounds to 2", R0(MAD, SCALE(3), LOW, LO(U(0)), ONE, ZERO, 0), {3}, 2},
   {"saturate fx10 1.5", R0(MAD, SAT, LOW, LO(U(0)), ONE, ZERO, 0), {384}, 256},
   {"scale before saturate: 0.75 * 2", R0(MAD, SAT | SCALE(1), FULL, FP(U(0)), ONE, ZERO, 0), {0x3d000}, ONE20},
   {"scale before saturate: 3 / 2", R0(MAD, SAT | SCALE(3), FULL, FP(U(0)), ONE, ZERO, 0), {THREE20}, ONE20},
   {"saturate before condition: sat(-2) >= 0", R0(MAD, SAT | COND(3), FULL, FP(U(0)) | NEG, ONE, ZERO, 0), {TWO20}, ONE20},

   {"lerp in one unit: b*t - a*(t-1), a 1, b 3, t 0.25 = 1.5",
    R0(MAD, 0, FULL, FP(U(0)), FP(U(1)), FP(U(2)) | NEG, D_B | D_M1), {THREE20, QUARTER20, ONE20}, 0x3f000},

   {"absolute of an fx10 C", R0(MAD, 0, LOW, ZERO, ONE, LO(U(0)) | ABS, 0), {0x3c0}, 64},
   {"-(2 * |x| - 1), x = -0.75", R0(MAD, 0, FULL, FP(U(0)) | ABS | X2 | M1 | NEG, ONE, ZERO, 0), {0x3d000 | SIGN},
    HALF20 | SIGN},
   {"-(2 * |x| - 1) in fx10, x = -0.75", R0(MAD, 0, LOW, ONE, LO(U(0)) | ABS | X2 | M1 | NEG, ZERO, 0), {0x340}, 0x380},

   {"fx10 clamps at the top: 1.5 + 1", R0(MAD, 0, LOW, LO(U(0)), ONE, ONE, 0), {384}, 511},
   {"fx10 clamps at the bottom: -1.5 - 1", R0(MAD, 0, LOW, LO(U(0)) | NEG, ONE, ONE | NEG, 0), {384}, 0x200},
   {"fx10 of an fp20 1000", R0(MAD, 0, LOW, FP(U(0)), ONE, ZERO, 0), {0x51e80}, 511},
   {"fp20 overflow", R0(MAD, 0, FULL, FP(U(0)), FP(U(0)), ZERO, 0), {0x7e000}, 0x7ffff},
   {"fp20 negative overflow", R0(MAD, 0, FULL, FP(U(0)), FP(U(0)) | NEG, ZERO, 0), {0x7e000}, 0xfffff},
   {"fp20 underflow", R0(MAD, 0, FULL, FP(U(0)), FP(U(0)), ZERO, 0), {0x02000}, 0},
   {"tie to even, down: 1 + 2^-14", R0(MAD, 0, FULL, FP(U(0)), ONE, ONE, 0), {17u << 13}, ONE20},
   {"tie to even, up: 1 + 2^-13 + 2^-14", R0(MAD, 0, FULL, FP(U(0)), ONE, FP(U(1)), 0), {17u << 13, 0x3e001}, 0x3e002},
   {"above a tie: 1 + 2^-14 * (1 + 2^-13)", R0(MAD, 0, FULL, FP(U(0)), ONE, ONE, 0), {(17u << 13) + 1}, 0x3e001},
   {"one rounding: (1 + 2^-13)^2 - (1 + 2^-12) = 2^-26", R0(MAD, 0, FULL, FP(U(0)), FP(U(0)), FP(U(1)) | NEG, 0),
    {0x3e001, 0x3e002}, 5u << 13},

   {"a pair read as fp20: raw 0x3e000 = 1", R0(MAD, 0, LOW, FP(U(0)), ONE, ZERO, 0), {PAIR(0, 0xf8)}, 256},
   {"register 31 read as fp20: raw 0x40000 = 2", R0(MAD, 0, FULL, FP(31), ONE, ZERO, 0), {0}, TWO20},
};

static void
set_packet(struct fragment_vector *v, unsigned packet, unsigned unit, struct unit u)
{
   v->alu[packet][2 * unit] = u.high;
   v->alu[packet][2 * unit + 1] = u.low;
}

TEST_ROWS(alu, alu_cases)
{
   /* The unit in each of the four places. */
   for (unsigned place = 0; place < 4; place++) {
      struct fragment_vector v = {.rows = 1, .num_execs = 1, .alu_sched = {1}, .num_alu = 1, .dw = {0x20005}};
      for (unsigned u = 0; u < 4; u++)
         set_packet(&v, 0, u, u == place ? c->unit : (struct unit)NOP);
      uint32_t raw[3];
      harness_run(harness_create(2, 2), &v, c->u, NULL, raw);
      if (raw[0] != c->expected)
         fail_msg("%s in A%u: 0x%05x instead of 0x%05x", c->name, place, raw[0], c->expected);
   }
}

/* --- packets ------------------------------------------------------------------------------------------------------ */

struct packet_case {
   const char *name;
   unsigned rows, execs;
   uint32_t alu_sched[4];
   struct unit unit[4][4]; /* packet, unit */
   uint32_t u[4];
   uint32_t r0, r1;
};

static const struct packet_case packet_cases[] = {
   {"alu0 of the previous packet is not quantised", 1, 1, {2},
    {{UNIT(MAD, 0, 31, FULL, FP(U(0)), ONE, ZERO, 0), NOP, NOP, NOP},
     {UNIT(MAD, 0, 0, FULL, FP(24), ONE, ZERO, 0), NOP, NOP, NOP}}, {0x3e001}, 0x3e001, 0},
   {"alu0 holds the saturated value", 1, 1, {2}, {{UNIT(MAD, SAT, 31, FULL, FP(U(0)), ONE, ZERO, 0), NOP, NOP, NOP},
    {UNIT(MAD, 0, 0, FULL, FP(24), ONE, ZERO, 0), NOP, NOP, NOP}}, {TWO20}, ONE20, 0},
   {"all units read before any writes: swap", 1, 1, {3},
    {{UNIT(MAD, 0, 0, LOW, LO(U(0)), ONE, ZERO, 0), UNIT(MAD, 0, 1, LOW, LO(U(1)), ONE, ZERO, 0), NOP, NOP},
    {NOP, NOP, NOP, NOP}, {UNIT(MAD, 0, 0, LOW, LO(1), ONE, ZERO, 0), UNIT(MAD, 0, 1, LOW, LO(0), ONE, ZERO, 0), NOP, NOP}},
    {10, 20}, 20, 10},
   {"a register is visible two packets after its write", 1, 1, {3},
    {{UNIT(MAD, 0, 0, FULL, FP(U(0)), ONE, ZERO, 0), NOP, NOP, NOP}, {NOP, NOP, NOP, NOP},
    {UNIT(MAD, 0, 1, FULL, FP(0), ONE, ZERO, 0), NOP, NOP, NOP}}, {TWO20}, TWO20, TWO20},
   {"and not after one", 1, 1, {2}, {{UNIT(MAD, 0, 0, FULL, FP(U(0)), ONE, ZERO, 0), NOP, NOP, NOP},
    {UNIT(MAD, 0, 1, FULL, FP(0), ONE, ZERO, 0), NOP, NOP, NOP}}, {TWO20}, TWO20, 0},
   {"the next EXEC of another batch sees it", 1, 2, {1, 5}, {{UNIT(MAD, 0, 0, FULL, FP(U(0)), ONE, ZERO, 0), NOP, NOP, NOP},
    {UNIT(MAD, 0, 1, FULL, FP(0), ONE, ZERO, 0), NOP, NOP, NOP}}, {TWO20}, TWO20, TWO20},
   {"the next EXEC of the same batch does not", 2, 2, {1, 5}, {{UNIT(MAD, 0, 0, FULL, FP(U(0)), ONE, ZERO, 0), NOP, NOP, NOP},
    {UNIT(MAD, 0, 1, FULL, FP(0), ONE, ZERO, 0), NOP, NOP, NOP}}, {TWO20}, TWO20, 0},
   {"negated accumulator: 1 - (2 + 3 + 0.5)", 1, 1, {1},
    {{UNIT(MAD, RECV, 0, FULL, FP(U(0)), ONE, ZERO | NEG, 0), UNIT(MAD, SEND, 31, FULL, FP(U(1)), ONE, ZERO, 0),
      UNIT(MAD, SEND, 31, FULL, FP(U(2)), ONE, ZERO, 0), UNIT(MAD, 0, 31, FULL, FP(U(3)), ONE, ZERO, 0)}},
    {ONE20, TWO20, THREE20, HALF20}, 0x42400 | SIGN, 0},
   {"fx10 halves of packet constants", 1, 1, {1},
    {{UNIT(MAD, 0, 0, LOW, LO(30), HI(29), HI(28), 0), NOP, NOP, {0x00e00800, 0x60200101}}}, {0}, 0x300, 0},
        /* -2 * 0.25 - 0.5 = -1 */
};

TEST_ROWS(packets, packet_cases)
{
   struct fragment_vector v = {.rows = c->rows, .num_execs = c->execs, .num_alu = 4};
   memcpy(v.alu_sched, c->alu_sched, sizeof(c->alu_sched));
   v.dw[c->rows == 2 ? 0 : c->execs - 1] = 0x20005;
   for (unsigned p = 0; p < 4; p++) {
      for (unsigned u = 0; u < 4; u++)
         set_packet(&v, p, u, c->unit[p][u]);
   }
   uint32_t raw[3];
   harness_run(harness_create(2, 2), &v, c->u, NULL, raw);
   assert_int_equal(raw[0], c->r0);
   assert_int_equal(raw[1], c->r1);
}

/* --- MFU ---------------------------------------------------------------------------------------------------------- */

#define SFU(op, reg) ((uint32_t)(reg) << 26 | (uint32_t)(op) << 22)
#define LOAD {0x104e51ba, 0x00408102}

/*
 * Every argument of a function: with libm's double result rounded once, except that a result within 2^-40 of a rounding
 * boundary may go either way.
 */
static void
check_special(uint32_t raw, uint32_t got, double exact_result)
{
   if (got != sim_fp20_from_double(exact_result) && got != sim_fp20_from_double(exact_result * (1 + 0x1p-40)) &&
       got != sim_fp20_from_double(exact_result * (1 - 0x1p-40)))
      fail_msg("argument 0x%05x: 0x%05x instead of 0x%05x", raw, got, sim_fp20_from_double(exact_result));
}

static uint32_t sweep_result[1][1];

static void
store_sweep(void *data, int x, int y, bool live, const int32_t c[4])
{
   sweep_result[y][x] = sim_fx10_pair(c[0], c[1]);
}

TEST(all_arguments)
{
   /* Every 37th code: all exponents, signs and low bits. */
   static const struct {
      unsigned op, first;
   } functions[] = {{1, 0}, {2, 0}, {3, 0}, {5, 0}, {8, 0}, {4, 9}, {7, 11}, {6, 10}};
   for (unsigned f = 0; f < COUNT(functions); f++) {
      struct fragment_vector v = {.rows = 1, .num_execs = 1, .num_mfu = 3, .dw = {0x20005}, .mfu = {LOAD}};
      v.mfu_sched[0] = functions[f].first ? 3 : 2;
      v.mfu[1][0] = SFU(functions[f].first ? functions[f].first : functions[f].op, 0);
      v.mfu[2][0] = SFU(functions[f].op, 0);
      struct harness *h = harness_create(1, 1);
      h->store = store_sweep;
      harness_program(h, &v);
      for (uint32_t raw = 0; raw < 1u << 20; raw += 37) {
         harness_tram(h, 0, 0, raw);
         harness_draw(h);
         double x = sim_fp20_to_float(raw), a = fabs(x), r = 0;
         switch (functions[f].op) {
         case 1: r = x ? 1 / x : SIM_FP20_MAX_VALUE; break;
         case 2: r = a ? 1 / sqrt(a) : SIM_FP20_MAX_VALUE; break;
         case 3: r = a ? log2(a) : -SIM_FP20_MAX_VALUE; break;
         case 4: r = exp2(fmax(fmin(x, 40), -40)); break;
         case 5: r = sqrt(a); break;
         case 6: r = sin(x); break;
         case 7: r = cos(x); break;
         default: r = x - floor(x);
         }
         check_special(raw, sweep_result[0][0], r);
      }
   }
}

/* --- interpolation ------------------------------------------------------------------------------------------------ */

static const struct fragment_vector interpolate20 = {
   .rows = 1, .num_execs = 1, .mfu_sched = {1}, .num_mfu = 1, .mfu = {{0x104e51ba, 0x00000102}}, .dw = {0x20005},
};
static const struct fragment_vector interpolate10 = {
   .rows = 1, .num_execs = 1, .mfu_sched = {1}, .num_mfu = 1, .mfu = {{0x104e51ba, 0x00000204}}, .dw = {0x20005},
};

struct probe {
   int x, y;
   uint32_t raw[2];
};

static void
store_probe(void *data, int x, int y, bool live, const int32_t c[4])
{
   struct probe *p = data;
   if (x == p->x && y == p->y) {
      p->raw[0] = sim_fx10_pair(c[0], c[1]);
      p->raw[1] = sim_fx10_pair(c[2], c[3]);
   }
}

static struct harness *
probe_create(struct probe *p, const struct fragment_vector *v)
{
   struct harness *h = harness_create(8, 8);
   h->data = p;
   h->store = store_probe;
   harness_program(h, v);
   return h;
}

/* Vertices (0,0), (32,0), (0,32) in pixels; pixel (7, 0) has its centre at (7.5, 0.5).  Two weights are too large by 2^-14,
 * the third is the rest (A43). */
TEST(affine)
{
   struct probe p = {7, 0, {0}};
   struct harness *h = probe_create(&p, &interpolate20);
   for (unsigned i = 0; i < 3; i++) {
      h->vertex[i].x = i == 1 ? 512 : 0;
      h->vertex[i].y = i == 2 ? 512 : 0;
   }
   h->vertex[1].tram[0][0] = 0x48000; /* 32: r0 = x */
   h->vertex[2].tram[0][1] = 0x48000; /* r1 = y */
   harness_draw(h);
   assert_int_equal(p.raw[0], sim_fp20_from_double(7.5 * (1 + 0x1p-14)));
   assert_int_equal(p.raw[1], sim_fp20_from_double(32 - 31.5 * (1 + 0x1p-14)));
}

/* w = 1 at x = 0 and w = 3 at x = 16: at x = 7.5 (l = 15/32) u = (l/3) / ((1 - l) + l/3) = 5/22. */
TEST(perspective)
{
   struct probe p = {7, 3, {0}};
   struct harness *h = probe_create(&p, &interpolate20);
   h->vertex[0].x = 0;
   h->vertex[1].x = 256;
   h->vertex[2].x = 0;
   h->vertex[2].y = 256;
   h->vertex[1].rw = 1.0f / 3;
   h->vertex[1].tram[0][0] = ONE20;
   harness_draw(h);
   assert_int_equal(p.raw[0], sim_fp20_from_double(5.0 / 22));
}

/* A ramp of 256 fx10 steps over 256 pixels has a tie at every centre where weights are exact: x + 0.5 rounds up. */
TEST(fx10_ties)
{
   for (int x = 0; x < 8; x++) {
      struct probe p = {x, 2, {0}};
      struct harness *h = probe_create(&p, &interpolate10);
      assert_true(sim_set_switch(h->sim, "A43", "exact"));
      for (unsigned i = 0; i < 3; i++) {
         h->vertex[i].x = i == 1 ? 16 * 256 : 0;
         h->vertex[i].y = i == 2 ? 16 * 256 : 0;
         h->vertex[i].rw = 0.37f;
      }
      h->vertex[1].tram[0][0] = PAIR(256, -256);
      harness_draw(h);
      assert_int_equal(sim_fx10_half(p.raw[0], 0), x + 1);
      assert_int_equal(sim_fx10_half(p.raw[0], 1), -x);
   }
}

TEST(flat)
{
   struct probe p = {2, 3, {0}};
   struct harness *h = probe_create(&p, &interpolate20);
   h->vertex[0].tram[0][0] = ONE20;
   h->vertex[1].tram[0][0] = TWO20;
   h->vertex[2].tram[0][0] = THREE20;
   h->vertex[2].tram[0][1] = 0;
   h->gr3d->flat_mask[0] = 0x11;
   harness_draw(h);
   assert_int_equal(p.raw[0], THREE20);
}
