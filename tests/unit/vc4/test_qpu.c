/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Instructions of the QPU one by one: a line per operation and flag, pack and unpack mode, small immediate, condition and
 * special register.  Expected values are worked out by hand.
 */

#include "unit.h"
#include "vc4_memory.h"

static struct qpu *q;

SETUP
{
   q = aligned_alloc(64, (sizeof(*q) + 63) & ~63ul);
   qpu_init(q, v3d, QPU_USER);
   q->last_a = q->last_b = -1;
}

TEARDOWN
{
   free(q);
}

static qpu_u
all(uint32_t value)
{
   return (qpu_u){ 0 } + value;
}

/* --- words --- */

#define SIG(s) ((uint64_t)(s) << 60)
#define UNPACK(u) ((uint64_t)(u) << 57)
#define PM ((uint64_t)1 << 56)
#define PACK(p) ((uint64_t)(p) << 52)
#define COND_ADD(c) ((uint64_t)(c) << 49)
#define COND_MUL(c) ((uint64_t)(c) << 46)
#define SF ((uint64_t)1 << 45)
#define WS ((uint64_t)1 << 44)
#define WADD(w) ((uint64_t)(w) << 38)
#define WMUL(w) ((uint64_t)(w) << 32)
#define MUL(op, a, b) ((uint64_t)(op) << 29 | (a) << 3 | (b))
#define ADD(op, a, b) ((uint64_t)(op) << 24 | (a) << 9 | (b) << 6)
#define RA(r) ((uint64_t)(r) << 18)
#define RB(r) ((uint64_t)(r) << 12)
#define NOWHERE (WADD(39) | WMUL(39) | RA(39) | RB(39))

/* The adder from r0 and r1 to r2. */
static uint64_t
adder(unsigned op)
{
   return SIG(1) | COND_ADD(1) | WADD(34) | WMUL(39) | RA(39) | RB(39) | SF | ADD(op, 0, 1);
}

static uint64_t
multiplier(unsigned op)
{
   return SIG(1) | COND_MUL(1) | WADD(39) | WMUL(34) | RA(39) | RB(39) | SF | MUL(op, 0, 1);
}

#define F_0_5 0x3f000000u
#define F_1 0x3f800000u
#define F_2 0x40000000u
#define F_3 0x40400000u
#define F_M1 0xbf800000u
#define F_M3 0xc0400000u
#define F_TINY 0x00000001u /* a denormal */
#define F_LARGEST 0x7f7fffffu
#define F_INF 0x7f800000u
#define F_M0 0x80000000u

enum { Z = 1, N = 2, C = 4 };

/* --- operations --- */

static const struct op_case {
   const char *name;
   unsigned op;
   uint32_t a, b, result;
   unsigned flags;
} adds[] = {
   { "fadd", 1, F_1, F_2, F_3, 0 },
   { "fadd to zero", 1, F_1, F_M1, 0, Z },
   { "fsub", 2, F_2, F_3, F_M1, N },
   { "fadd overflows", 1, F_LARGEST, F_LARGEST, F_INF, 0 },
   { "fadd of little to much", 1, F_LARGEST, F_1, F_LARGEST, 0 },
   { "fadd of negative zeros", 1, F_M0, F_M0, 0, Z },
   { "fsub of zeros", 2, F_M0, 0, 0, Z },
   { "fsub of infinities", 2, F_INF, F_INF, 0x7fc00000, 0 },
   { "fsub overflows", 2, F_LARGEST | F_M0, F_LARGEST, F_INF | F_M0, N },
   { "fmin", 3, F_2, F_M3, F_M3, N | C },
   { "fmin of the first", 3, F_M3, F_2, F_M3, N },
   { "fmax", 4, F_2, F_M3, F_2, C },
   { "fmax of the second", 4, F_M3, F_2, F_2, 0 },
   { "fminabs", 5, F_2, F_M3, F_2, 0 },
   { "fmaxabs", 6, F_2, F_M3, F_3, 0 },
   { "ftoi", 7, 0x40700000, 0, 3, 0 },          /* 3.75 */
   { "ftoi of negatives", 7, 0xc0700000, 0, (uint32_t)-3, N },
   { "ftoi of 2^31", 7, 0x4f000000, 0, 0x80000000, N },
   { "ftoi of nearly 2^32", 7, 0x4f7fffff, 0, 0xffffff00, N },
   { "ftoi of what is too large", 7, 0x4fc00000, 0, 0, Z },
   { "ftoi of what is too small", 7, 0xcf800000, 0, 0, Z },
   { "ftoi of NaN", 7, 0x7fc00000, 0, 0, Z },
   { "itof", 8, 3, 0, F_3, 0 },
   { "itof of negatives", 8, (uint32_t)-3, 0, F_M3, N },
   { "add", 12, 5, 7, 12, 0 },
   { "add with carry", 12, 0xffffffff, 2, 1, C },
   { "sub", 13, 7, 5, 2, 0 },
   { "sub with borrow", 13, 5, 7, 0xfffffffe, N | C },
   { "shr", 14, 0x80000010, 4, 0x08000001, 0 },
   { "shr drops a bit", 14, 0x18, 4, 1, C },
   { "shr by 36", 14, 0x80, 36, 8, 0 },
   { "asr", 15, 0x80000000, 4, 0xf8000000, N },
   { "ror", 16, 0x00000003, 1, 0x80000001, N | C },
   { "ror by 0", 16, 0x80000003, 0, 0x80000003, N },
   { "shl", 17, 3, 4, 48, 0 },
   { "shl drops a bit", 17, 0x10000001, 4, 16, C },
   { "min", 18, (uint32_t)-5, 3, (uint32_t)-5, N },
   { "min of the second", 18, 3, (uint32_t)-5, (uint32_t)-5, N | C },
   { "max", 19, (uint32_t)-5, 3, 3, 0 },
   { "and", 20, 0xff00ff00, 0x0ff00ff0, 0x0f000f00, 0 },
   { "or", 21, 0xff00ff00, 0x0ff00ff0, 0xfff0fff0, N },
   { "xor", 22, 0xff00ff00, 0x0ff00ff0, 0xf0f0f0f0, N },
   { "not", 23, 0xff00ff00, 0, 0x00ff00ff, 0 },
   { "clz", 24, 0x00010000, 0, 15, 0 },
   { "clz of 0", 24, 0, 0, 32, 0 },
   { "v8adds", 30, 0x01ff8040, 0x02027f50, 0x03ffff90, 0 },
   { "v8subs", 31, 0x0510ff00, 0x0620fe01, 0x00000100, 0 },
};

static const struct op_case muls[] = {
   { "fmul", 1, F_2, 0xbfc00000, F_M3, N }, /* * -1.5 */
   { "fmul rounds towards zero", 1, 0x3fffffff, 0x3fffffff, 0x407ffffe, 0 },
   { "fmul overflows", 1, F_LARGEST, 0xc0000000, F_INF | F_M0, N },
   { "fmul of the largest", 1, F_LARGEST, F_1, F_LARGEST, 0 },
   { "fmul by negative zero", 1, F_M1, 0, 0, Z },
   { "fmul of 0 and infinity", 1, F_INF, 0, 0, Z },
   { "mul24", 2, 0xff000003, 0x00000005, 15, 0 },
   { "mul24 keeps the lower bits", 2, 0x00ffffff, 0x00ffffff, 0xfe000001, N },
   { "v8muld", 3, 0xff80ff00, 0xff80407f, 0xff404000, N },
   { "v8min", 4, 0x10ff7f80, 0x20018170, 0x10017f70, 0 },
   { "v8max", 5, 0x10ff7f80, 0x20018170, 0x20ff8180, 0 },
   { "v8adds", 6, 0x01ff8040, 0x02027f50, 0x03ffff90, 0 },
   { "v8subs", 7, 0x0510ff00, 0x0620fe01, 0x00000100, 0 },
};

static void
check_op(const struct op_case *c, uint64_t word)
{
   /* The last lane is another: operations do not mix lanes. */
   q->r[0] = all(c->a);
   q->r[1] = all(c->b);
   q->r[0][15] = q->r[1][15] = 0;
   unsigned old = sim_float_flush_cut();
   qpu_step(q, word);
   sim_float_restore(old);
   for (unsigned lane = 0; lane < 15; lane++) {
      assert_int_equal(q->r[2][lane], c->result);
      assert_int_equal((q->z[lane] ? Z : 0) | (q->n[lane] ? N : 0) | (q->c[lane] ? C : 0), c->flags);
   }
   assert_true(q->z[15] || q->r[2][15]);
}

TEST_ROWS(adder, adds)
{
   check_op(c, adder(c->op));
}

TEST_ROWS(multiplier, muls)
{
   check_op(c, multiplier(c->op));
}

TEST(denormals)
{
   unsigned old = sim_float_flush();
   q->r[0] = all(F_TINY);
   q->r[1] = all(0);
   qpu_step(q, adder(1));
   sim_float_restore(old);
   assert_int_equal(q->r[2][3], 0);
}

/* Both ALUs at once see the registers as they were. */
TEST(both)
{
   q->r[0] = all(F_2);
   q->r[1] = all(F_3);
   qpu_step(q, SIG(1) | COND_ADD(1) | COND_MUL(1) | WADD(32) | WMUL(33) | RA(39) | RB(39) | ADD(1, 0, 1) | MUL(1, 0, 1));
   assert_int_equal(q->r[0][0], 0x40a00000); /* 5 */
   assert_int_equal(q->r[1][0], 0x40c00000); /* 6 */
}

/* --- conditions and branches --- */

TEST(conditions)
{
   /* Lane 0 none, lane 1 Z, lane 2 N, lane 3 C. */
   static const uint8_t enabled[8] = { 0, 15, 1 << 1, 15 & ~(1 << 1), 1 << 2, 15 & ~(1 << 2), 1 << 3, 15 & ~(1 << 3) };
   for (unsigned cond = 0; cond < 8; cond++) {
      for (unsigned mul = 0; mul < 2; mul++) {
         memset(&q->z, 0, sizeof(q->z));
         memset(&q->n, 0, sizeof(q->n));
         memset(&q->c, 0, sizeof(q->c));
         q->z[1] = q->n[2] = q->c[3] = ~0u;
         q->r[0] = q->r[1] = all(7);
         q->r[2] = all(1);
         uint64_t word = mul ? SIG(1) | COND_MUL(cond) | WADD(39) | WMUL(34) | MUL(4, 0, 1)
                             : SIG(1) | COND_ADD(cond) | WADD(34) | WMUL(39) | ADD(21, 0, 1);
         qpu_step(q, word | RA(39) | RB(39));
         for (unsigned lane = 0; lane < 4; lane++)
            assert_int_equal(q->r[2][lane], enabled[cond] >> lane & 1 ? 7 : 1);
      }
   }
}

/* Flags come from the multiplier when the adder does nothing, or never. */
TEST(flag_source)
{
   q->r[0] = all(0);
   q->r[1] = all(F_M1);
   q->r[2] = all(F_2);
   uint64_t both = SIG(1) | COND_MUL(1) | WADD(39) | WMUL(39) | RA(39) | RB(39) | SF | ADD(21, 0, 0) | MUL(1, 1, 2);
   qpu_step(q, both | COND_ADD(1));
   assert_true(q->z[0] && !q->n[0]);
   qpu_step(q, both | COND_ADD(0));
   assert_true(!q->z[0] && q->n[0]);
   /* Lanes that the condition leaves out keep theirs. */
   q->z = q->c = all(0);
   q->z[1] = q->c[1] = ~0u;
   q->n = all(~0u);
   qpu_step(q, SIG(1) | COND_ADD(3) | NOWHERE | SF | ADD(21, 0, 0));
   assert_true(q->z[0] && !q->n[0] && !q->c[0]);
   assert_true(q->z[1] && q->n[1] && q->c[1]);
}

static uint64_t
branch(unsigned cond, int32_t bytes)
{
   return SIG(15) | (uint64_t)cond << 52 | (uint64_t)1 << 51 | WADD(39) | WMUL(39) | (uint32_t)bytes;
}

#define NOP (SIG(1) | NOWHERE)
#define END (SIG(3) | NOWHERE)
#define LOAD_R(r, value) (SIG(14) | COND_ADD(1) | WADD(32 + (r)) | WMUL(39) | (uint32_t)(value))

/* Runs a program of up to 64 instructions at 0x1000, with uniforms behind. */
static bool
run(const uint64_t *words, unsigned count, const uint32_t *uniforms, unsigned num_uniforms)
{
   static uint8_t memory[4096] __attribute__((aligned(4096)));
   memset(memory, 0, sizeof(memory));
   memcpy(memory, words, count * 8);
   if (num_uniforms)
      memcpy(memory + 2048, uniforms, num_uniforms * 4);
   v3d_map(v3d, 0x1000, 4096, memory);
   qpu_forget_programs(v3d);
   const struct qpu_program *program = qpu_get_program(v3d, 0x1000);
   bool good = program && qpu_run(q, program, 0x1800);
   v3d_unmap(v3d, 0x1000);
   return good;
}

/* All and any lanes of each flag; three delay slots are executed. */
TEST(branches)
{
   for (unsigned cond = 0; cond < 16; cond++) {
      if (cond >= 12 && cond < 15)
         continue;
      for (unsigned lanes = 0; lanes < 3; lanes++) { /* none, one, all have the flag */
         const uint64_t words[] = {
            branch(cond, 8), LOAD_R(0, 1), LOAD_R(1, 2), LOAD_R(2, 3), LOAD_R(3, 4), END, NOP, NOP,
         };
         qpu_init(q, v3d, QPU_USER);
         qpu_u flag = lanes == 2 ? all(~0u) : all(0);
         flag[5] = lanes ? ~0u : 0;
         *(cond / 4 == 0 ? &q->z : cond / 4 == 1 ? &q->n : &q->c) = flag;
         assert_true(run(words, COUNT(words), NULL, 0));
         const bool expected[4] = { lanes == 2, lanes == 0, lanes != 0, lanes != 2 };
         bool taken = cond == 15 || expected[cond & 3];
         assert_int_equal(q->r[2][0], 3);
         assert_int_equal(q->r[3][0], taken ? 0 : 4);
      }
   }
}

/* An address from a register, and the one behind the delay slots into a register. */
TEST(branch_register)
{
   const uint64_t words[] = {
      SIG(14) | COND_ADD(1) | WADD(5) | WMUL(39) | (0x1000 + 7 * 8 - 8),
      NOP,
      SIG(15) | (uint64_t)15 << 52 | (uint64_t)1 << 50 | (uint64_t)5 << 45 | WADD(33) | WMUL(39) | 8,
      NOP, NOP, NOP,
      LOAD_R(2, 9),
      END, NOP, NOP,
   };
   assert_true(run(words, COUNT(words), NULL, 0));
   assert_int_equal(q->r[1][0], 0x1000 + 6 * 8);
   assert_int_equal(q->r[2][0], 0);
}

TEST(endless)
{
   const uint64_t words[] = { branch(15, -32), NOP, NOP, NOP, END, NOP, NOP };
   assert_false(run(words, COUNT(words), NULL, 0));
   assert_int_equal(diags[V3D_DIAG_QPU_ENDLESS - 950], 1);
}

TEST(runs_out)
{
   const uint64_t words[] = { NOP, branch(15, 1 << 20), NOP, NOP, NOP, END, NOP, NOP };
   assert_false(run(words, COUNT(words), NULL, 0));
   assert_int_equal(diags[V3D_DIAG_QPU_RANGE - 950], 1);
}

/* --- immediates --- */

TEST(small_immediates)
{
   /* 0 to 15, -16 to -1, 1 to 128, 1/256 to 1/2 */
   static const uint32_t values[48] = {
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
      0xfffffff0, 0xfffffff1, 0xfffffff2, 0xfffffff3, 0xfffffff4, 0xfffffff5, 0xfffffff6, 0xfffffff7,
      0xfffffff8, 0xfffffff9, 0xfffffffa, 0xfffffffb, 0xfffffffc, 0xfffffffd, 0xfffffffe, 0xffffffff,
      F_1, F_2, 0x40800000, 0x41000000, 0x41800000, 0x42000000, 0x42800000, 0x43000000,
      0x3b800000, 0x3c000000, 0x3c800000, 0x3d000000, 0x3d800000, 0x3e000000, 0x3e800000, F_0_5,
   };
   for (unsigned i = 0; i < COUNT(values); i++) {
      qpu_step(q, SIG(13) | COND_ADD(1) | WADD(34) | WMUL(39) | RA(39) | RB(i) | ADD(21, 7, 7));
      assert_int_equal(q->r[2][9], values[i]);
   }
}

TEST(immediates)
{
   uint64_t load = SIG(14) | COND_ADD(1) | COND_MUL(1) | WADD(3) | WMUL(34);
   qpu_step(q, load | 0x12345678);
   assert_int_equal(q->a[3][0], 0x12345678);
   assert_int_equal(q->r[2][15], 0x12345678);
   qpu_step(q, load | WS | 0x9abcdef0);
   assert_int_equal(q->b[3][7], 0x9abcdef0);
   /* Bits i and 16 + i are lane i's. */
   qpu_step(q, load | UNPACK(1) | 0x000c000a);
   assert_int_equal(q->r[2][0], 0);
   assert_int_equal(q->r[2][1], 1);
   assert_int_equal(q->r[2][2], (uint32_t)-2);
   assert_int_equal(q->r[2][3], (uint32_t)-1);
   qpu_step(q, load | UNPACK(3) | 0x000c000a);
   assert_int_equal(q->r[2][2], 2);
   assert_int_equal(q->r[2][3], 3);
   /* What packs is bit 56 alone: into half of the register. */
   for (unsigned mode = 0; mode < 4; mode += 1 + (mode == 1)) {
      q->a[3] = all(0x55550000);
      qpu_step(q, load | UNPACK(mode) | PACK(1) | 0x000c000a);
      assert_int_equal(q->a[3][3] >> 16, 0x5555);
      assert_int_equal(q->a[3][3] & 0xffff, mode == 0 ? 0x000a : mode == 1 ? 0xffff : 3);
   }
}

TEST(rotation)
{
   for (unsigned n = 0; n < 16; n++) {
      for (unsigned lane = 0; lane < 16; lane++)
         q->r[0][lane] = q->a[4][lane] = lane;
      q->r[5] = all(n);
      /* by the immediate; by r5 */
      uint64_t word = SIG(13) | COND_MUL(1) | WADD(39) | WMUL(34) | RA(4);
      if (n) {
         qpu_step(q, word | RB(48 + n) | MUL(4, 0, 0));
         for (unsigned lane = 0; lane < 16; lane++)
            assert_int_equal(q->r[2][lane], (lane - n) & 15);
      }
      qpu_step(q, word | RB(48) | MUL(4, 0, 0));
      for (unsigned lane = 0; lane < 16; lane++)
         assert_int_equal(q->r[2][lane], (lane - n) & 15);
      /* of file A within quads */
      qpu_step(q, word | RB(48) | MUL(4, 6, 6));
      for (unsigned lane = 0; lane < 16; lane++)
         assert_int_equal(q->r[2][lane], (lane & 12) | ((lane - n) & 3));
   }
}

/* --- packing --- */

static const struct {
   const char *name;
   unsigned mode;
   bool is_float;
   uint32_t value, old, result;
} packs_a[] = {
   { "16a of a float", 1, true, F_1, 0xaaaaaaaa, 0xaaaa3c00 },
   { "16b of a float", 2, true, F_M1, 0xaaaaaaaa, 0xbc00aaaa },
   { "16a of an integer", 1, false, 0x12345678, 0xaaaaaaaa, 0xaaaa5678 },
   { "16b of an integer", 2, false, 0x12345678, 0xaaaaaaaa, 0x5678aaaa },
   { "8888", 3, false, 0x12345678, 0xaaaaaaaa, 0x78787878 },
   { "8a", 4, false, 0x12345678, 0xaaaaaaaa, 0xaaaaaa78 },
   { "8b", 5, false, 0x12345678, 0xaaaaaaaa, 0xaaaa78aa },
   { "8c", 6, false, 0x12345678, 0xaaaaaaaa, 0xaa78aaaa },
   { "8d", 7, false, 0x12345678, 0xaaaaaaaa, 0x78aaaaaa },
   { "16a saturated", 9, false, 0x12345678, 0xaaaaaaaa, 0xaaaa7fff },
   { "16a saturated below", 9, false, 0x80000000, 0xaaaaaaaa, 0xaaaa8000 },
   { "16b saturated", 10, false, 0x00000123, 0xaaaaaaaa, 0x0123aaaa },
   { "16a of a float saturated", 9, true, 0x7f000000, 0xaaaaaaaa, 0xaaaa7bff },
   { "16b of a float saturated", 10, true, 0x7f000000, 0xaaaaaaaa, 0x7bffaaaa },
   { "8888 saturated", 11, false, 0x00000123, 0xaaaaaaaa, 0xffffffff },
   { "8a saturated", 12, false, 0x80000000, 0xaaaaaaaa, 0xaaaaaa00 },
   { "8b saturated", 13, false, 0x00000100, 0xaaaaaaaa, 0xaaaaffaa },
   { "8c saturated", 14, false, 0x0000007f, 0xaaaaaaaa, 0xaa7faaaa },
   { "8d saturated", 15, false, 0x000000ff, 0xaaaaaaaa, 0xffaaaaaa },
};

TEST_ROWS(pack_a, packs_a)
{
   q->a[2] = all(c->old);
   q->r[0] = all(c->value);
   qpu_step(q, SIG(1) | PACK(c->mode) | COND_ADD(1) | WADD(2) | WMUL(39) | RA(39) | RB(39) | ADD(c->is_float ? 4 : 21, 0, 0));
   assert_int_equal(q->a[2][11], c->result);
}

TEST(pack_others)
{
   /* 32 bits saturated need the overflow of an addition. */
   q->r[0] = all(0x7fffffff);
   q->r[1] = all(1);
   qpu_step(q, SIG(1) | PACK(8) | COND_ADD(1) | WADD(2) | WMUL(39) | RA(39) | RB(39) | ADD(12, 0, 1));
   assert_int_equal(q->a[2][0], 0x7fffffff);
   q->r[0] = all(0x80000000);
   qpu_step(q, SIG(1) | PACK(8) | COND_ADD(1) | WADD(2) | WMUL(39) | RA(39) | RB(39) | ADD(13, 0, 1));
   assert_int_equal(q->a[2][0], 0x80000000);
   /* File B is not packed. */
   q->r[0] = all(0x12345678);
   qpu_step(q, SIG(1) | PACK(3) | COND_ADD(1) | WS | WADD(2) | WMUL(39) | RA(39) | RB(39) | ADD(21, 0, 0));
   assert_int_equal(q->b[2][0], 0x12345678);
}

TEST(pack_color)
{
   static const struct {
      unsigned mode;
      uint32_t value, result;
   } cases[] = {
      { 3, F_1, 0xffffffff },          { 3, F_0_5, 0x80808080 }, { 3, F_M1, 0 }, { 3, F_2, 0xffffffff },
      { 4, F_1, 0xaaaaaaff },          { 5, F_1, 0xaaaaffaa },   { 6, F_0_5, 0xaa80aaaa },
      { 7, 0x3e800000, 0x40aaaaaa }, /* 1/4 */
   };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      q->r[0] = all(cases[i].value);
      q->r[1] = all(F_1);
      q->r[2] = all(0xaaaaaaaa);
      qpu_step(q, SIG(1) | PM | PACK(cases[i].mode) | COND_MUL(1) | WADD(39) | WMUL(34) | RA(39) | RB(39) | MUL(1, 0, 1));
      assert_int_equal(q->r[2][4], cases[i].result);
   }
}

static const struct {
   const char *name;
   unsigned mode;
   bool is_float, r4;
   uint32_t value, result;
} unpacks[] = {
   { "16a to a float", 1, true, false, 0xaaaa3c00, F_1 },
   { "16b to a float", 2, true, false, 0xc000aaaa, 0xc0000000 },
   { "16a to an integer", 1, false, false, 0x12348001, 0xffff8001 },
   { "16b to an integer", 2, false, false, 0x12348001, 0x1234 },
   { "8d replicated", 3, false, false, 0x7f345678, 0x7f7f7f7f },
   { "8a to an integer", 4, false, false, 0x12345678, 0x78 },
   { "8b to an integer", 5, false, false, 0x12345678, 0x56 },
   { "8c to an integer", 6, false, false, 0x12345678, 0x34 },
   { "8d to an integer", 7, false, false, 0x92345678, 0x92 },
   { "8a to a float", 4, true, false, 0x000000ff, F_1 },
   { "8d to a float", 7, true, false, 0x00ffffff, 0 },
   { "16a of r4", 1, true, true, 0x00003800, F_0_5 },
   { "16b of r4", 2, true, true, 0x38000000, F_0_5 },
   { "8d replicated of r4", 3, true, true, 0x3f000000, 0x3f3f3f3f },
   { "8a of r4", 4, true, true, 0x000000ff, F_1 },
   { "8b of r4", 5, true, true, 0x0000ff00, F_1 },
   { "8c of r4", 6, true, true, 0x00ff0000, F_1 },
   { "8d of r4", 7, true, true, 0xff000000, F_1 },
};

TEST_ROWS(unpack, unpacks)
{
   const unsigned mux = c->r4 ? 4 : 6;
   q->r[4] = q->a[9] = all(c->value);
   qpu_step(q, SIG(1) | UNPACK(c->mode) | (c->r4 ? PM : 0) | COND_ADD(1) | WADD(34) | WMUL(39) | RA(9) | RB(39) |
                  ADD(c->is_float ? 4 : 21, mux, mux));
   assert_int_equal(q->r[2][6], c->result);
}

/* --- special registers --- */

static uint64_t
move(unsigned from_a, unsigned to, bool file_b)
{
   return SIG(1) | COND_ADD(1) | (file_b ? WS : 0) | WADD(to) | WMUL(39) | RA(from_a) | RB(39) | ADD(21, 6, 6);
}

TEST(function_unit)
{
   static const struct {
      unsigned address;
      uint32_t value, result;
   } cases[] = {
      { 52, F_2, F_0_5 },
      { 53, 0x40800000, F_0_5 }, /* 4 */
      { 54, 0x40400000, 0x41000000 },
      { 52, F_3, 0x3eaaa800 }, /* 12 bits of 1/3 */
      { 53, F_3, 0x3f13d000 },
      { 55, F_3, 0x3fcae000 },
      { 52, 0, F_INF },
      { 55, 0x41000000, 0x40400000 },
   };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      q->a[1] = all(cases[i].value);
      qpu_step(q, move(1, cases[i].address, false));
      assert_int_equal(q->r[4][2], cases[i].result);
   }
}

TEST(r5)
{
   for (unsigned lane = 0; lane < 16; lane++)
      q->a[1][lane] = 100 + lane;
   qpu_step(q, move(1, 37, false));
   for (unsigned lane = 0; lane < 16; lane++)
      assert_int_equal(q->r[5][lane], 100 + (lane & 12));
   qpu_step(q, move(1, 37, true));
   for (unsigned lane = 0; lane < 16; lane++)
      assert_int_equal(q->r[5][lane], 100);
}

static uint64_t
move_b(unsigned from_b, unsigned to)
{
   return SIG(1) | COND_ADD(1) | WADD(to) | WMUL(39) | RA(39) | RB(from_b) | ADD(21, 7, 7);
}

/* Registers that a program finds set, or sets for the units around it. */
TEST(pixel_registers)
{
   q->a[1] = all(7);
   q->number = all(3);
   qpu_step(q, move_b(38, 34));
   assert_int_equal(q->r[2][0], 3);
   q->x = all(10);
   q->y = all(20);
   q->ms_flags = all(5);
   q->reverse = all(1);
   qpu_step(q, move(41, 32, false));
   qpu_step(q, move_b(41, 33));
   qpu_step(q, move(42, 34, false));
   qpu_step(q, move_b(42, 35));
   assert_true(q->r[0][9] == 10 && q->r[1][9] == 20 && q->r[2][9] == 5 && q->r[3][9] == 1);
   for (unsigned file_b = 0; file_b < 2; file_b++) {
      qpu_step(q, move(1, 41, file_b));
      qpu_step(q, move(1, 42, file_b));
   }
   assert_true(q->x[3] == 7 && q->y[3] == 7 && q->ms_flags[3] == 7 && q->reverse[3] == 7);
   qpu_step(q, move(1, 36, false));
   assert_true(q->tmu_swap_off);
   qpu_step(q, move(1, 38, false));
   assert_int_equal(v3d_read(v3d, V3D_SCRATCH), 7);
}

/* T, R and B of both texture units; S starts the look-up, see vc4 texture and vc4 units. */
TEST(texture_registers)
{
   static struct tmu tmu[2];
   static const uint32_t uniforms[6] = { 0 };
   memset(tmu, 0, sizeof(tmu));
   q->tmu = tmu;
   q->uniforms = uniforms;
   q->uniforms_end = uniforms + COUNT(uniforms);
   for (unsigned unit = 0; unit < 2; unit++) {
      for (unsigned reg = 1; reg < 4; reg++) {
         q->a[1] = all(unit * 10 + reg);
         qpu_step(q, move(1, 56 + unit * 4 + reg, false));
         assert_int_equal(tmu[unit].coord[reg][0], unit * 10 + reg);
      }
      assert_int_equal(tmu[unit].written, 14);
   }
   assert_ptr_equal(q->uniforms, uniforms + 6);
}

/* Colours of the tile buffer, what stands for coverage, and a break point. */
TEST(signals)
{
   static struct tile_buffer tile;
   struct tlb_block block = { .tile = &tile, .quad = { 3, 0, 7, 1 } };
   for (unsigned i = 0; i < TILE_WORDS; i++)
      tile.color[i] = i;
   q->tlb = &block;
   for (unsigned signal = 8; signal <= 9; signal++) {
      q->r[4] = all(0xffff);
      q->locked = false;
      qpu_step(q, SIG(signal) | NOWHERE);
      for (unsigned lane = 0; lane < 16; lane++)
         assert_int_equal(q->r[4][lane], block.quad[lane / 4] * 4 + (lane & 3));
      assert_int_equal(q->locked, signal == 8); /* the other one ends the program */
   }
   for (unsigned signal = 7; signal <= 12; signal += 5) {
      q->r[4] = all(0);
      qpu_step(q, SIG(signal) | NOWHERE);
      assert_int_equal(q->r[4][15], ~0u);
   }
   assert_int_equal(diags[V3D_DIAG_QPU_INSTR - 950], 0);
   qpu_step(q, SIG(0) | NOWHERE);
   assert_int_equal(diags[V3D_DIAG_QPU_INSTR - 950], 1);
}

/* The stencil test's set-up; samples one after the other. */
TEST(tile_registers)
{
   static struct tile_buffer tile;
   struct tlb_block block = { .tile = &tile, .quad = { 0, 1, 2, 3 }, .multisample = true };
   memset(&tile, 0, sizeof(tile));
   memset(block.cover, 15, sizeof(block.cover));
   q->tlb = &block;
   q->ip = 5;
   q->a[1] = all(0x40000123);
   qpu_step(q, move(1, 43, false));
   assert_true(block.stencil_on && block.stencil[0] == 0x40000123 && block.stencil[1] == 0);
   for (unsigned sample = 0; sample < 2; sample++) {
      q->a[1] = all(50 + sample);
      qpu_step(q, move(1, 45, false));
   }
   for (unsigned pixel = 0; pixel < 4; pixel++) {
      assert_int_equal(tile.color[16 + pixel], 50);
      assert_int_equal(tile.color[16 + 4 + pixel], 51);
      assert_int_equal(tile.color[16 + 8 + pixel], 0);
   }
}

/* A pixel keeps those of its samples that the mask names. */
TEST(sample_mask)
{
   static const struct {
      uint8_t cover, flags, left;
   } cases[] = {
      { 15, 15, 15 }, { 15, 255, 15 }, { 15, 0, 0 }, { 15, 7, 7 }, { 15, 8, 8 }, { 15, 16, 0 }, { 3, 5, 1 }, { 12, 3, 0 },
   };
   static struct tile_buffer tile;
   struct tlb_block block = { .tile = &tile, .multisample = true };
   q->tlb = &block;
   for (unsigned i = 0; i < COUNT(cases); i++) {
      block.cover[i] = cases[i].cover;
      q->a[1][i] = cases[i].flags;
   }
   qpu_step(q, move(1, 42, false));
   for (unsigned i = 0; i < COUNT(cases); i++)
      assert_int_equal(block.cover[i], cases[i].left);
}

/* Relative to the next uniform. */
TEST(relative_uniforms)
{
   const uint32_t uniforms[] = { 4, 11, 22, 33 };
   const uint64_t words[] = {
      NOP,
      SIG(1) | COND_ADD(1) | WADD(34) | WMUL(39) | RA(32) | RB(39) | ADD(21, 6, 6), /* r2 = 4 */
      SIG(1) | COND_ADD(1) | WS | WADD(40) | WMUL(39) | RA(39) | RB(39) | ADD(21, 2, 2),
      NOP, NOP,
      SIG(1) | COND_ADD(1) | WADD(33) | WMUL(39) | RA(32) | RB(39) | ADD(21, 6, 6),
      END, NOP, NOP,
   };
   assert_true(run(words, COUNT(words), uniforms, COUNT(uniforms)));
   assert_int_equal(q->r[1][0], 22);
}

/* A uniform for both files is one; writing the address begins anew. */
TEST(uniforms)
{
   const uint32_t uniforms[] = { 0x1804, 11, 22, 33 };
   const uint64_t words[] = {
      NOP, NOP,
      SIG(1) | COND_ADD(1) | WADD(34) | WMUL(39) | RA(32) | RB(32) | ADD(21, 6, 7),  /* r2 = 0x1804 */
      SIG(1) | COND_ADD(1) | WADD(32) | WMUL(39) | RA(32) | RB(32) | ADD(12, 6, 7),  /* r0 = 11 + 11 */
      SIG(1) | COND_ADD(1) | WADD(40) | WMUL(39) | RA(39) | RB(39) | ADD(21, 2, 2),
      NOP, NOP,
      SIG(1) | COND_ADD(1) | WADD(33) | WMUL(39) | RA(32) | RB(39) | ADD(21, 6, 6),  /* r1 = 11 */
      SIG(1) | COND_ADD(1) | WADD(35) | WMUL(39) | RA(39) | RB(32) | ADD(21, 7, 7),  /* r3 = 22 */
      END, NOP, NOP,
   };
   assert_true(run(words, COUNT(words), uniforms, COUNT(uniforms)));
   assert_int_equal(q->r[0][0], 22);
   assert_int_equal(q->r[1][0], 11);
   assert_int_equal(q->r[3][0], 22);
}

TEST(element)
{
   qpu_step(q, move(38, 34, false));
   assert_int_equal(q->r[2][13], 13);
}

TEST(mutex)
{
   qpu_step(q, move(51, 34, false));
   assert_true(q->mutex);
   qpu_step(q, move(1, 51, false));
   assert_false(q->mutex);
   assert_int_equal(diags[V3D_DIAG_QPU_MUTEX - 950], 0);
   qpu_step(q, move(1, 51, false));
   assert_int_equal(diags[V3D_DIAG_QPU_MUTEX - 950], 1);
}

/* --- strict mode --- */

TEST(hazards)
{
   qpu_step(q, move(1, 2, false));
   qpu_step(q, NOP);
   qpu_step(q, move(2, 3, false));
   assert_int_equal(diags[V3D_DIAG_QPU_READ_AFTER_WRITE - 950], 0);
   qpu_step(q, move(3, 4, false));
   assert_int_equal(diags[V3D_DIAG_QPU_READ_AFTER_WRITE - 950], 1);

   uint64_t take = SIG(1) | COND_ADD(1) | WADD(34) | WMUL(39) | RA(39) | RB(39) | ADD(21, 4, 4);
   qpu_step(q, move(9, 52, false));
   qpu_step(q, LOAD_R(3, 1));
   qpu_step(q, NOP);
   qpu_step(q, take);
   assert_int_equal(diags[V3D_DIAG_QPU_R4_EARLY - 950], 0);
   qpu_step(q, move(9, 52, false));
   qpu_step(q, NOP);
   qpu_step(q, take);
   assert_int_equal(diags[V3D_DIAG_QPU_R4_EARLY - 950], 1);
}

TEST(reserved)
{
   qpu_step(q, adder(9));
   assert_int_equal(diags[V3D_DIAG_QPU_INSTR - 950], 1);
   qpu_step(q, move(1, 48, false)); /* no VPM here */
   assert_int_equal(diags[V3D_DIAG_QPU_STAGE - 950], 1);
}

/* --- VPM --- */

static uint32_t rows[VPM_ROWS][QPU_LANES];

static uint32_t
access_setup(unsigned address, unsigned size, bool laned, bool horizontal)
{
   return address | size << 8 | laned << 10 | horizontal << 11 | 1 << 12 | 1 << 20;
}

/* Every mode: where lanes 0, 1 and 15 go.  The corrected address table of the notes: with 8 bits, horizontal, Y begins at bit
 * 2, B or H at bit 0. */
static const struct {
   const char *name;
   unsigned address, size;
   bool laned, horizontal;
   struct {
      uint8_t row, column, shift;
   } lanes[3];
} vpm_modes[] = {
   { "32 bits horizontal", 63, 2, false, true, { { 63, 0, 0 }, { 63, 1, 0 }, { 63, 15, 0 } } },
   { "8 bits laned horizontal, Y 1, B 1", 1 << 2 | 1, 0, true, true, { { 1, 0, 8 }, { 1, 1, 8 }, { 1, 15, 8 } } },
   { "8 bits packed horizontal, Y 5, H 2", 5 << 2 | 2, 0, false, true, { { 5, 8, 0 }, { 5, 8, 8 }, { 5, 11, 24 } } },
   { "8 bits packed horizontal, Y 63, H 3", 63 << 2 | 3, 0, false, true, { { 63, 12, 0 }, { 63, 12, 8 }, { 63, 15, 24 } } },
   { "16 bits laned horizontal, Y 7, B 1", 7 << 1 | 1, 1, true, true, { { 7, 0, 16 }, { 7, 1, 16 }, { 7, 15, 16 } } },
   { "16 bits packed horizontal, Y 7, H 1", 7 << 1 | 1, 1, false, true, { { 7, 8, 0 }, { 7, 8, 16 }, { 7, 15, 16 } } },
   { "32 bits vertical, Y 16, X 3", 1 << 4 | 3, 2, false, false, { { 16, 3, 0 }, { 17, 3, 0 }, { 31, 3, 0 } } },
   { "8 bits laned vertical, Y 48, X 9, B 2", 3 << 6 | 9 << 2 | 2, 0, true, false,
     { { 48, 9, 16 }, { 49, 9, 16 }, { 63, 9, 16 } } },
   { "8 bits packed vertical, Y 0, X 9, H 1", 9 << 2 | 1, 0, false, false, { { 4, 9, 0 }, { 4, 9, 8 }, { 7, 9, 24 } } },
   { "16 bits laned vertical, Y 32, X 2, B 1", 2 << 5 | 2 << 1 | 1, 1, true, false,
     { { 32, 2, 16 }, { 33, 2, 16 }, { 47, 2, 16 } } },
   { "16 bits packed vertical, Y 0, X 2, H 1", 2 << 1 | 1, 1, false, false, { { 8, 2, 0 }, { 8, 2, 16 }, { 15, 2, 16 } } },
};

TEST_ROWS(vpm_modes, vpm_modes)
{
   static const uint8_t lanes[3] = { 0, 1, 15 };
   struct vpm vpm = { .read_rows = rows, .write_rows = rows };
   const uint32_t setup_word = access_setup(c->address, c->size, c->laned, c->horizontal);
   const uint32_t mask = c->size == 2 ? ~0u : (1u << (8 << c->size)) - 1;
   qpu_u value, back, enabled = all(~0u);
   memset(rows, 0xee, sizeof(rows));
   for (unsigned lane = 0; lane < 16; lane++)
      value[lane] = 0x11111100 + 0x01010101 * lane;
   vpm_write_setup(&vpm, setup_word, true);
   vpm_write(&vpm, &value, &enabled);
   for (unsigned l = 0; l < 3; l++)
      assert_int_equal(rows[c->lanes[l].row][c->lanes[l].column] >> c->lanes[l].shift & mask, value[lanes[l]] & mask);
   vpm_write_setup(&vpm, setup_word, false);
   assert_true(vpm_read(&vpm, &back));
   for (unsigned lane = 0; lane < 16; lane++)
      assert_int_equal(back[lane], value[lane] & mask);
   assert_false(vpm_read(&vpm, &back));
}

/* The stride is added to the address field after each access; lanes that are not written keep what is there. */
TEST(vpm_stride)
{
   struct vpm vpm = { .read_rows = rows, .write_rows = rows };
   qpu_u value = all(5), enabled = all(0);
   enabled[3] = ~0u;
   memset(rows, 0, sizeof(rows));
   vpm_write_setup(&vpm, 10 | 2 << 8 | 1 << 11 | 7 << 12, true);
   vpm_write(&vpm, &value, &enabled);
   vpm_write(&vpm, &value, &enabled);
   assert_int_equal(rows[10][3], 5);
   assert_int_equal(rows[10][4], 0);
   assert_int_equal(rows[17][3], 5);
}

/* The address in a register starts it: three rows of five words, 64 bytes apart in memory; vc4 units has every mode. */
TEST(vpm_dma)
{
   static uint8_t memory[4096] __attribute__((aligned(4096)));
   struct vpm vpm = { .read_rows = rows, .write_rows = rows };
   assert_true(v3d_map(v3d, 0x10000, 4096, memory));
   for (unsigned i = 0; i < sizeof(memory); i++)
      memory[i] = i;
   vpm_write_setup(&vpm, 1u << 31 | 3 << 24 | 5 << 20 | 3 << 16 | 2 << 12 | 20 << 4 | 1, false);
   assert_false(vpm_dma(v3d, &vpm, 0x20000, false));
   assert_int_equal(diags[V3D_DIAG_DMA_RANGE - 950], 1);
   memset(rows, 0, sizeof(rows));
   q->vpm = &vpm;
   q->a[1] = all(0x10010);
   qpu_step(q, move(1, 50, false));
   for (unsigned y = 0; y < 3; y++)
      assert_memory_equal(&rows[20 + 2 * y][1], memory + 0x10 + 64 * y, 20);
}

/* --- text --- */

/* Each is its word's text, and, if not only written, the word the text's. */
static const struct {
   const char *text;
   uint64_t word;
   bool only_written;
} texts[] = {
   { "nop; nop", 0x100009e7009e7000 },
   { "nop; nop; thrend", 0x300009e7009e7000 },
   { "nop; nop; load_tmu0", 0xa00009e7009e7000 },
   { "ldi vr_setup, 0x1a341ac0", 0xe0020c671a341ac0, .only_written = true },
   { "ldi vw_setup, 0x17bc1ac0", 0xe0021c6717bc1ac0, .only_written = true },
   { "ldi r2, 0x00000058", 0xe00208a700000058 },
   { "or vpm, ra0, -; nop", 0x10020c2715027df7, .only_written = true },
   { "or ra0, unif, -; nop", 0x1002002715827df7, .only_written = true },
   { "shr r0, ra0.16a, 4; nop", 0xd20208270e004dc0, .only_written = true },
   { "nop; fmul.sf r0, r0, r2", 0x100079e020000dc2, .only_written = true },
   { "fsub r0, r0, 1f; nop", 0xd0020827020201c0, .only_written = true },
   { "nop; fmul r5quad.8ac, unif, 1f", 0xd14059e520820df7, .only_written = true },
   { "fadd r0, r0, r5; fmul r1, ra15, vary", 0x11024821213e3177, .only_written = true },
   { "fsub.sf r0, r1, r0; nop", 0x10022827029e7200 },
   { "fadd.ns r0, r0, 1f; nop", 0xd0080827019e01c0 },
   { "nop; v8min r0.8ac, r3, r3", 0x114049e0809e701b },
   { "ftoi ra0.16a, r1, r1; fmul r3, r2, rb0", 0x10124023279c0257 },
   { "or rb5, unif, unif; nop", 0x1002116715827d80 },
   { "nop; fmul r0, vary, ra15", 0x100049e0203e303e },
   { "or r0, ra1, rb2; v8min r1, rb2, ra1", 0x1002482195042dfe },
   { "nop; v8min r1, r0, r0 >> 5", 0xd00049e1809f5000 },
   { "brr.allnz -, -, 232", 0xf01809e7000000e8 },
   { "or.sf -, r4.8d, r4.8d; nop", 0x1f0229e7159e7900 },
};

TEST_ROWS_CALLED(texts, texts, text)
{
   char text[128], error[128];
   uint64_t word = 0;
   if (!c->only_written) {
      if (!qpu_assemble(c->text, &word, error, sizeof(error)))
         fail_msg("%s", error);
      assert_true(word == c->word);
   }
   qpu_disassemble(c->word, text, sizeof(text));
   assert_string_equal(text, c->text);
   /* with less room as much as there is room for */
   for (unsigned size = 1; size <= strlen(c->text); size++) {
      memset(text, 'x', sizeof(text));
      qpu_disassemble(c->word, text, size);
      assert_int_equal(strlen(text), size - 1);
      assert_memory_equal(text, c->text, size - 1);
      assert_int_equal(text[size], 'x');
   }
}

TEST(assembler_refuses)
{
   static const char *const cases[] = {
      "", "or r0, r1; nop", "or r0, ra1, ra2; nop",
      "or r0, rb1, rb2; nop", "fmin r0, 1, 2; nop", "or r0, rb1, 1; nop",
      "or r0, r1, 1; nop; thrend", "or r0, r1, 17; nop", "or r0, r1, 0.3f; nop",
      "or ra0, r0, r0; v8min ra1, r1, r1", "or rb0, r0, r0; v8min rb1, r1, r1", "or rb0.16a, r0, r0; nop",
      "or r0.8ac, r0, r0; nop", "or r0, r3.8a, r3; nop", "or r0, rb3.8a, r3; nop",
      "or r0, ra3.8a, ra3; nop", "or r0, ra3.8a, r4.8a; nop", "foo r0, r1, r2; nop",
      "or.sz r0, r1, r2; nop", "or r9, r1, r2; nop", "or ra32, r1, r2; nop",
      "nop; nop; nop; nop", "nop; nop; stop", "ldi r0",
      "ldi r0, x", "brr -, -", "nop; v8min r1, r0, r0 >> 17",
   };
   char error[128];
   for (unsigned i = 0; i < COUNT(cases); i++) {
      uint64_t word;
      error[0] = 0;
      if (qpu_assemble(cases[i], &word, error, sizeof(error)) || !error[0])
         fail_msg("%s is taken", cases[i]);
   }
}

/* What the assembler takes of random instructions' text gives the same text; it takes whatever has names for all parts. */
TEST(round_trip)
{
   uint64_t random = 1, word;
   unsigned taken = 0;
   for (unsigned i = 0; i < 100000; i++) {
      char text[160], again[160], error[128];
      random = random * 6364136223846793005ull + 1442695040888963407ull;
      qpu_disassemble(random ^ random >> 32, text, sizeof(text));
      if (!qpu_assemble(text, &word, error, sizeof(error))) {
         /* Without names; or with a combination that the text does not tell from another. */
         bool known = !strchr(text, '?') && !strstr(text, "op") && strchr(text, ';');
         assert_true(!known || strstr(error, "file") || strstr(error, "different"));
         continue;
      }
      qpu_disassemble(word, again, sizeof(again));
      assert_string_equal(text, again);
      taken++;
   }
   assert_true(taken > 50000);
}
