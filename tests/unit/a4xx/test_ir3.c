/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Waves: operations against C, flow of lanes that part, registers in all
 * their ways, and what strict mode says.
 */

#include <math.h>

#include "unit.h"
#include "util/half_float.h"

#include "a4xx_stream.h"
#include "float_mode.h"
#include "numbers.h"

static struct ir3_wave *wave;
static struct ir3_instr program[64];
static uint32_t consts[IR3_CONSTS];
static uint32_t words[256];
static struct ir3_writer writers[256];

SETUP
{
   wave = aligned_alloc(128, (sizeof(*wave) + 127) & ~127ul);
   memset(consts, 0, sizeof(consts));
}

TEARDOWN
{
   free(wave);
}

/* Sets a wave up whose r0.x is the lane's number, and runs the words. */
static void
prepare(const uint64_t *code, unsigned count)
{
   ir3_wave_reset(wave, chip);
   memset(writers, 0, sizeof(writers));
   for (unsigned i = 0; i < count; i++)
      assert_true(ir3_decode(code[i], &program[i]));
   wave->program = program;
   wave->count = count;
   wave->stage = "test";
   wave->consts = consts;
   wave->num_consts = 64;
   wave->max_full = wave->max_half = IR3_REGS;
   wave->local = wave->private =
      (struct ir3_memory){ words, writers, 256, 1 };
   for (unsigned lane = 0; lane < IR3_LANES; lane++)
      ir3_wave_preload(wave, 0, lane, lane);
}

static bool
run(const uint64_t *code, unsigned count)
{
   prepare(code, count);
   return ir3_wave_run(wave, ~0u);
}

#define RUN(...)                               \
   do {                                        \
      const uint64_t code[] = { __VA_ARGS__ }; \
      assert_true(run(code, COUNT(code)));     \
   } while (0)

static uint32_t
full(unsigned reg, unsigned lane)
{
   return wave->full[reg][lane];
}

/* --- operations --- */

static const uint32_t numbers[] = {
   0,          1,          2,          31,         32,         0x7f,
   0x8000,     0xffff,     0x10000,    0x7fffff,   0x800000,   0xffffff,
   0x1000000,  0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xbf800000,
   0x40490fdb, 0x7f7fffff, 0x3effffff, 0xc0200000,
};

static int32_t
low_24(uint32_t a)
{
   return (int32_t)(a << 8) >> 8;
}

static uint32_t
expected(unsigned op, uint32_t a, uint32_t b)
{
   const int32_t x = a, y = b;
   const float f = sim_float_from_bits(a), g = sim_float_from_bits(b);
   switch (op) {
   case IR3_ADD_F:
      return sim_float_bits(f + g);
   case IR3_MUL_F:
      return sim_float_bits(f * g);
   case IR3_MIN_F:
      return sim_float_bits(fminf(f, g));
   case IR3_MAX_F:
      return sim_float_bits(fmaxf(f, g));
   case IR3_ADD_U:
   case IR3_ADD_S:
      return a + b;
   case IR3_SUB_U:
   case IR3_SUB_S:
      return a - b;
   case IR3_MIN_U:
      return a < b ? a : b;
   case IR3_MAX_U:
      return a > b ? a : b;
   case IR3_MIN_S:
      return x < y ? a : b;
   case IR3_MAX_S:
      return x > y ? a : b;
   case IR3_AND_B:
      return a & b;
   case IR3_OR_B:
      return a | b;
   case IR3_XOR_B:
      return a ^ b;
   case IR3_MUL_U24:
      return (a & 0xffffff) * (b & 0xffffff);
   case IR3_MUL_S24:
      return (uint32_t)low_24(a) * (uint32_t)low_24(b);
   case IR3_MULL_U:
      return (a & 0xffff) * (b & 0xffff);
   case IR3_SHL_B:
      return a << (b % 32);
   case IR3_SHR_B:
      return a >> (b % 32);
   case IR3_ASHR_B:
      return x >> (b % 32);
   default: /* IR3_GETBIT_B */
      return a >> (b % 32) & 1;
   }
}

static bool
is_zero(uint32_t bits)
{
   return !(bits & 0x7f800000);
}

TEST(two_sources)
{
   static const uint16_t ops[] = {
      IR3_ADD_F, IR3_MUL_F, IR3_MIN_F,  IR3_MAX_F,    IR3_ADD_U,   IR3_ADD_S,
      IR3_SUB_U, IR3_SUB_S, IR3_MIN_U,  IR3_MAX_U,    IR3_MIN_S,   IR3_MAX_S,
      IR3_AND_B, IR3_OR_B,  IR3_XOR_B,  IR3_MUL_U24,  IR3_MUL_S24, IR3_MULL_U,
      IR3_SHL_B, IR3_SHR_B, IR3_ASHR_B, IR3_GETBIT_B,
   };
   unsigned old = sim_float_flush();
   for (unsigned i = 0; i < COUNT(ops); i++) {
      for (unsigned n = 0; n < COUNT(numbers); n++) {
         for (unsigned m = 0; m < COUNT(numbers); m++) {
            consts[0] = numbers[n];
            consts[1] = numbers[m];
            /* NaN stands for itself. */
            if (ops[i] <= IR3_MUL_F &&
                (numbers[n] == 0xffffffff || numbers[m] == 0xffffffff ||
                 numbers[n] == 0x7fffffff || numbers[m] == 0x7fffffff))
               continue;
            RUN(MOV_C(1, 0), OP2(ops[i], 2, 1, 0x1001), END);
            uint32_t value = expected(ops[i], numbers[n], numbers[m]);
            /* min and max of zeros, which denormals are too, may be either.
             */
            if (full(2, 7) != value &&
                !(ops[i] <= IR3_MAX_F && is_zero(full(2, 7)) &&
                  is_zero(value)))
               fail_msg("%s of 0x%x and 0x%x is 0x%x, not 0x%x",
                        ir3_op_name(ops[i]), numbers[n], numbers[m],
                        full(2, 7), value);
         }
      }
   }
   sim_float_restore(old);
   assert_int_equal(count_diags(), 0);
}

TEST(one_source)
{
   consts[0] = sim_float_bits(-2.5f);
   RUN(MOV_C(1, 0), OP2(IR3_FLOOR_F, 2, 1, 0), OP2(IR3_CEIL_F, 3, 1, 0),
       OP2(IR3_RNDNE_F, 4, 1, 0), OP2(IR3_RNDAZ_F, 5, 1, 0),
       OP2(IR3_TRUNC_F, 6, 1, 0), OP2(IR3_SIGN_F, 7, 1, 0),
       OP2(IR3_NOT_B, 8, 1, 0), OP2(IR3_BFREV_B, 9, 1, 0),
       OP2(IR3_CLZ_B, 10, 1, 0), OP2(IR3_CBITS_B, 11, 1, 0),
       OP2(IR3_ABSNEG_F, 12, 0x8001, 0), END);
   const float floats[] = { -3, -2, -2, -3, -2, -1 };
   for (unsigned i = 0; i < 6; i++)
      assert_int_equal(full(2 + i, 0), sim_float_bits(floats[i]));
   assert_int_equal(full(8, 0), ~consts[0]);
   assert_int_equal(full(9, 0), 0x00000403);
   assert_int_equal(full(10, 0), 0);
   assert_int_equal(full(11, 0), 3);
   assert_int_equal(full(12, 0), sim_float_bits(2.5f));
   /* Of nothing there are no leading zeros but -1, which Mesa's compiler asks
    * for. */
   RUN(MOV_I(1, 0), OP2(IR3_CLZ_B, 2, 1, 0), MOV_I(1, -5),
       OP2(IR3_CLZ_S, 3, 1, 0), END);
   assert_int_equal(full(2, 0), ~0u);
   assert_int_equal(full(3, 0), 29);
}

TEST(three_sources)
{
   consts[0] = sim_float_bits(1 + 0x1p-12f);
   consts[1] = sim_float_bits(-1);
   /* Twice rounded: with one rounding 2^-24 would be left. */
   RUN(MOV_C(1, 0), MOV_C(2, 1), OP3(IR3_MAD_F32, 3, 1, 1, 2), END);
   assert_int_equal(full(3, 0), sim_float_bits(0x1p-11f));
   consts[0] = 0x12345678;
   consts[1] = 0x0fedcba9;
   RUN(MOV_C(1, 0), MOV_C(2, 1), OP2(IR3_MULL_U, 3, 1, 2),
       OP3(IR3_MADSH_M16, 3, 1, 2, 3), OP3(IR3_MADSH_M16, 3, 2, 1, 3),
       OP3(IR3_MAD_U24, 4, 1, 2, 1), OP3(IR3_MAD_S24, 5, 1, 2, 1),
       OP3(IR3_SEL_B32, 6, 1, 0, 2), OP3(IR3_MADSH_M16, 7, 1, 2, 1), END);
   assert_int_equal(full(3, 0), consts[0] * consts[1]);
   assert_int_equal(full(7, 0), (0x5678u * 0x0fedu << 16) + consts[0]);
   assert_int_equal(full(4, 0),
                    (consts[0] & 0xffffff) * (consts[1] & 0xffffff) +
                       consts[0]);
   assert_int_equal(full(5, 0),
                    (uint32_t)(low_24(consts[0]) * low_24(consts[1])) +
                       consts[0]);
   assert_int_equal(full(6, 0), consts[1]);
   assert_int_equal(full(6, 1), consts[0]);
   assert_int_equal(count_diags(), 0);
}

TEST(late_operations)
{
   static const struct {
      unsigned op;
      float in, out;
   } cases[] = {
      { IR3_RCP, 4, 0.25f }, { IR3_RSQ, 4, 0.5f }, { IR3_LOG2, 8, 3 },
      { IR3_EXP2, 3, 8 },    { IR3_SIN, 0, 0 },    { IR3_COS, 0, 1 },
      { IR3_SQRT, 9, 3 },
   };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      consts[0] = sim_float_bits(cases[i].in);
      RUN(OP4(cases[i].op, 1, 0x1000), MOV(2, 1) | SS, END);
      assert_int_equal(full(2, 31), sim_float_bits(cases[i].out));
   }
   assert_int_equal(count_diags(), 0);
}

TEST(modifiers)
{
   consts[0] = sim_float_bits(-3);
   RUN(MOV_C(1, 0), OP2(IR3_ADD_F, 2, 0x4001, 0x8001),
       OP2(IR3_ADD_F, 3, 0xc001, 0x2802), OP2(IR3_ADD_S, 4, 0x4000, I(5)),
       OP2(IR3_AND_B, 5, 0x4000, I(0xff)),
       OP2(IR3_MUL_F, 6, 1, 1) | 1ull << 42,
       OP2(IR3_ADD_F, 7, 1, 1) | 1ull << 42, END);
   assert_int_equal(full(2, 0), sim_float_bits(6));
   assert_int_equal(full(3, 0),
                    sim_float_bits(-3 + 1)); /* and the table's 1.0 */
   assert_int_equal(full(4, 9), (uint32_t)(-9 + 5));
   assert_int_equal(full(5, 9), ~9u & 0xff);
   assert_int_equal(full(6, 0), sim_float_bits(1));
   assert_int_equal(full(7, 0), 0);
}

/* (sat) of integers: the ends of their range. */
TEST(saturated_integers)
{
   static const struct {
      unsigned op;
      uint32_t a, b, result;
   } cases[] = {
      { IR3_ADD_U, 0xfffffff0, 0x20, 0xffffffff },
      { IR3_ADD_U, 0xfffffff0, 0xf, 0xffffffff },
      { IR3_SUB_U, 5, 32, 0 },
      { IR3_SUB_U, 0x80000001, 1, 0x80000000 },
      { IR3_ADD_S, 0x7ffffff0, 0x20, 0x7fffffff },
      { IR3_ADD_S, 0x80000010, 0xffffff00, 0x80000000 },
      { IR3_SUB_S, 0x80000010, 0x20, 0x80000000 },
      { IR3_SUB_S, 5, 32, -27u },
   };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      consts[0] = cases[i].a;
      consts[1] = cases[i].b;
      RUN(MOV_C(1, 0), OP2(cases[i].op, 2, 1, 0x1001) | 1ull << 42, END);
      assert_int_equal(full(2, 0), cases[i].result);
   }
}

TEST(comparisons)
{
   static const bool less[6] = { 1, 1, 0, 0, 0, 1 },
                     same[6] = { 0, 1, 0, 1, 1, 0 };
   consts[0] = sim_float_bits(-1);
   consts[1] = sim_float_bits(1);
   for (unsigned cond = 0; cond < 6; cond++) {
      RUN(MOV_C(1, 0), CMP(IR3_CMPS_F, cond, 2, 1, 0x1001),
          CMP(IR3_CMPS_S, cond, 3, 1, 0x1001),
          CMP(IR3_CMPS_U, cond, 4, 1, 0x1001), CMP(IR3_CMPS_F, cond, 5, 1, 1),
          END);
      assert_int_equal(full(2, 0), less[cond]);
      assert_int_equal(full(3, 0), less[cond]);
      assert_int_equal(full(4, 0), cond == IR3_EQ || cond == IR3_NE
                                      ? less[cond]
                                      : !less[cond]);
      assert_int_equal(full(5, 0), same[cond]);
   }
}

/* cov: from type in bits 50-52 to type in bits 46-48. */
static uint64_t
cov(unsigned dst, unsigned to, unsigned src, unsigned from)
{
   return 1ull << 61 | (uint64_t)from << 50 | (uint64_t)to << 46 |
          (uint64_t)dst << 32 | src;
}

TEST(conversions)
{
   static const struct {
      uint8_t from, to;
      uint32_t in, out;
   } cases[] = {
      { IR3_F32, IR3_S32, 0xc0200000, -2 },
      { IR3_F32, IR3_U32, 0xc0200000, 0 },
      { IR3_F32, IR3_U32, 0x4f800000, 0xffffffff },
      { IR3_F32, IR3_S32, 0x4f800000, 0x7fffffff },
      { IR3_F32, IR3_S32, 0x7fc00000, 0 },
      { IR3_U32, IR3_F32, 0xffffffff, 0x4f800000 },
      { IR3_S32, IR3_F32, 0xffffffff, 0xbf800000 },
      { IR3_F32, IR3_F16, 0x3f800000, 0x3c00 },
      { IR3_F16, IR3_F32, 0xc000, 0xc0000000 },
      { IR3_U32, IR3_U16, 0x12345678, 0x5678 },
      { IR3_S16, IR3_S32, 0x8000, 0xffff8000 },
      { IR3_U16, IR3_U32, 0x8000, 0x8000 },
      { IR3_U32, IR3_S16, 0xffff, 0xffff },
      { IR3_F32, IR3_S16, 0x47c35000, 0x7fff },
   };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      const bool from_half = ir3_type_is_half(cases[i].from),
                 to_half = ir3_type_is_half(cases[i].to);
      const uint64_t code[] = { cov(2, cases[i].to, 1, cases[i].from), END };
      prepare(code, 2);
      for (unsigned lane = 0; lane < IR3_LANES; lane++)
         (from_half ? wave->half : wave->full)[1][lane] = cases[i].in;
      wave->full_written[1] = wave->half_written[1] = ~0u;
      assert_true(ir3_wave_run(wave, ~0u));
      assert_int_equal((to_half ? wave->half : wave->full)[2][5],
                       cases[i].out);
   }
   assert_int_equal(count_diags(), 0);
}

/* --- registers --- */

#define HALF(word) ((word) & ~(1ull << 52))

/* Half registers are others than the full ones; floats of 16 bits are
 * rounded. */
TEST(half_registers)
{
   consts[0] = sim_float_bits(1.5f);
   consts[1] = sim_float_bits(0x1p-11f);
   RUN(MOV_I(1, 77), cov(1, IR3_F16, 0, IR3_F32) | 1ull << 53,
       cov(2, IR3_F16, 1, IR3_F32) | 1ull << 53,
       HALF(OP2(IR3_ADD_F, 3, 1, 2)),
       HALF(OP2(IR3_ADD_F, 4, 1, 2)) | 1ull << 46, END);
   assert_int_equal(full(1, 0), 77);
   assert_int_equal(wave->half[1][0], _mesa_float_to_half(1.5f));
   assert_int_equal(wave->half[3][0], _mesa_float_to_half(1.5f));
   assert_int_equal(full(4, 0), sim_float_bits(1.5f + 0x1p-11f));
   /* Integers keep 16 bits; signed ones their sign. */
   RUN(cov(1, IR3_S16, 0, IR3_S32), HALF(OP2(IR3_SUB_S, 1, 1, I(20))),
       HALF(OP2(IR3_ADD_S, 2, 1, I(0))) | 1ull << 46, END);
   assert_int_equal(wave->half[1][3], 0xffff & -17);
   assert_int_equal(full(2, 3), (uint32_t)-17);
   assert_int_equal(count_diags(), 0);
}

TEST(repeats)
{
   /* (rpt2): r4.x..z = r0.x + (r) r1.x..z */
   RUN(MOV_I(R(1, 0), 10), MOV_I(R(1, 1), 20), MOV_I(R(1, 2), 30),
       OP2(IR3_ADD_U, R(4, 0), R(0, 0), R(1, 0)) | 2ull << 40 | 1ull << 51,
       END);
   for (unsigned c = 0; c < 3; c++)
      assert_int_equal(full(R(4, c), 6), 6 + 10 * (c + 1));
   /* The same of three sources, the third repeats. */
   RUN(MOV_I(R(1, 0), 10), MOV_I(R(1, 1), 20),
       OP3(IR3_MAD_U24, R(4, 0), R(0, 0), R(0, 0), R(1, 0)) | 1ull << 40 |
          1ull << 29,
       END);
   assert_int_equal(full(R(4, 0), 6), 36 + 10);
   assert_int_equal(full(R(4, 1), 6), 36 + 20);
   assert_int_equal(count_diags(), 0);
}

TEST(relative)
{
   const uint64_t mova =
      1ull << 61 | 4ull << 50 | 4ull << 46 | (uint64_t)IR3_ADDRESS << 32 | 1;
   for (unsigned i = 0; i < 64; i++)
      consts[i] = 100 + i;
   /* a0.x = lane & 3; r5.x = c<a0.x + 8>; r<a0.x + 24> = lane; r7.x = r<a0.x
    * + 24> */
   RUN(OP2(IR3_AND_B, 2, 0, I(3)), cov(1, IR3_S16, 2, IR3_S32), mova,
       (MOV_C(20, 0) & ~(3ull << 53)) | 1 << 11 | 1 << 10 | 8,
       MOV(24, 0) | 1ull << 49, MOV(28, 0) | 1 << 11 | 24, END);
   for (unsigned lane = 0; lane < IR3_LANES; lane++) {
      assert_int_equal(full(20, lane), 108 + lane % 4);
      assert_int_equal(full(24 + lane % 4, lane), lane);
      assert_int_equal(full(28, lane), lane);
   }
   /* r6.y is written, r6.z is not. */
   RUN(MOV_I(2, 1), cov(1, IR3_S16, 2, IR3_S32), mova,
       MOV(24, 0) | 1ull << 49, MOV(28, 25), END);
   assert_int_equal(count_diags(), 0);
   RUN(MOV_I(2, 1), cov(1, IR3_S16, 2, IR3_S32), mova,
       MOV(24, 0) | 1ull << 49, MOV(28, 26), END);
   assert_int_equal(GIVEN(READ_NOTHING), 1);
}

/* --- flow --- */

#define JUMP(offset) (2ull << 55 | (uint32_t)(offset))
#define BR(offset) (1ull << 55 | (uint32_t)(offset))

/* Each lane goes around as often as its number. */
TEST(loops)
{
   RUN(MOV_I(1, 0), MOV_I(2, 0),
       /* 2 */ CMP(IR3_CMPS_U, IR3_GE, PX, 1, 0), BR(4),
       OP2(IR3_ADD_U, 1, 1, I(1)), OP2(IR3_ADD_U, 2, 2, I(3)), JUMP(-4),
       /* 7 */ OP2(IR3_ADD_U, 3, 2, I(1)), END);
   for (unsigned lane = 0; lane < IR3_LANES; lane++)
      assert_int_equal(full(3, lane), lane * 3 + 1);
   assert_int_equal(count_diags(), 0);
}

/* Lanes that parted run together again: the instructions behind an if count
 * once for all lanes. */
TEST(meeting)
{
   RUN(OP2(IR3_AND_B, 1, 0, I(1)), CMP(IR3_CMPS_U, IR3_EQ, PX, 1, I(0)),
       BR(3), MOV_I(2, 5), JUMP(2), MOV_I(2, 6), MOV_I(3, 1), END);
   assert_int_equal(wave->executed, 3 * 32 + 2 * 16 + 16 + 2 * 32);
   for (unsigned lane = 0; lane < IR3_LANES; lane++)
      assert_int_equal(full(2, lane), lane % 2 ? 5 : 6);
}

TEST(branches)
{
   static const struct {
      uint8_t type;
      bool taken[4]; /* by p0.x, p0.y of lanes 0 to 3: 00, 10, 01, 11 */
   } cases[] = {
      { IR3_BR_ONE, { 0, 1, 0, 1 } }, { IR3_BR_OR, { 0, 1, 1, 1 } },
      { IR3_BR_AND, { 0, 0, 0, 1 } }, { IR3_BR_ANY, { 1, 1, 1, 1 } },
      { IR3_BR_ALL, { 0, 0, 0, 0 } },
   };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      RUN(OP2(IR3_AND_B, PX, 0, I(1)), OP2(IR3_GETBIT_B, PX + 1, 0, I(1)),
          MOV_I(2, 0), BR(2) | (uint64_t)cases[i].type << 37 | 1ull << 46,
          OP2(IR3_ADD_U, 2, 2, I(1)), END);
      for (unsigned lane = 0; lane < IR3_LANES; lane++)
         assert_int_equal(full(2, lane), !cases[i].taken[lane % 4]);
   }
   /* Inverted, of p0.y. */
   RUN(OP2(IR3_GETBIT_B, PX + 1, 0, I(1)), MOV_I(2, 0),
       BR(2) | 1ull << 52 | 1ull << 53, MOV_I(2, 1), END);
   for (unsigned lane = 0; lane < IR3_LANES; lane++)
      assert_int_equal(full(2, lane), lane >> 1 & 1);
   assert_int_equal(count_diags(), 0);
}

TEST(bad_flow)
{
   const uint64_t leaves[] = { JUMP(5) }, before[] = { JUMP(-5) },
                  none[] = { NOP }, endless[] = { JUMP(0) };
   const uint64_t call[] = { 3ull << 55, END };
   assert_false(run(leaves, 1));
   assert_false(run(before, 1));
   assert_false(run(none, 1));
   assert_false(run(endless, 1));
   assert_int_equal(GIVEN(FLOW), 1);
   assert_false(run(call, 2));
   assert_int_equal(GIVEN(INSTRUCTION), 1);
}

/* --- memory --- */

TEST(memory)
{
   const uint32_t address = BASE + PARAMETERS;
   consts[0] = address;
   RUN(OP2(IR3_SHL_B, 1, 0, I(3)), OP2(IR3_ADD_U, 2, 1, 0x1000),
       OP2(IR3_ADD_U, 3, 0, I(1)), MOV(4, 0), STORE(IR3_STG, 2, 0, 3, 2),
       LOAD(IR3_LDG, 6, 2, 4, 1), NOP | SY, STORE(IR3_STL, 1, 0, 3, 2),
       NOP | SS, LOAD(IR3_LDL, 8, 1, 4, 1), MOV(9, 8) | SS, END);
   for (unsigned lane = 0; lane < IR3_LANES; lane++) {
      assert_int_equal(word_at(PARAMETERS + lane * 8), lane + 1);
      assert_int_equal(word_at(PARAMETERS + lane * 8 + 4), lane);
      assert_int_equal(full(6, lane), lane);
      assert_int_equal(full(9, lane), lane);
   }
   assert_int_equal(count_diags(), 0);
   const uint64_t outside[] = { MOV_I(1, 1024), LOAD(IR3_LDL, 2, 1, 0, 1),
                                END };
   const uint64_t nowhere[] = { MOV_I(1, 64), LOAD(IR3_LDG, 2, 1, 0, 1),
                                END };
   assert_false(run(outside, 3));
   assert_int_equal(GIVEN(MEMORY_RANGE), 1);
   assert_false(run(nowhere, 3));
   const uint64_t registers[] = { MOV_I(1, 0), LOAD(IR3_LDL, 191, 1, 0, 4),
                                  END };
   assert_false(run(registers, 3));
   assert_int_equal(GIVEN(INSTRUCTION), 1);
}

/* By number: 4d is a place in dwords, others are coordinates; the operands
 * are the data, the place and the address. */
#define BY_NUMBER(op, dimensions, size, dst, data, place, address)    \
   (6ull << 61 | (uint64_t)((op)&31) << 54 | 1ull << 53 |             \
    (ir3_is_atomic(op) ? 1ull << 52 : 0) | 3ull << 49 |               \
    ((dimensions)-1) << 9 | ((size)-1) << 12 | (place) << 24 |        \
    (ir3_is_atomic(op)                                                \
        ? (uint64_t)(dst) << 32 | (data) << 14 | (address) << 1       \
     : (op) == IR3_LDGB ? (uint64_t)(dst) << 32 | (address) << 14 | 1 \
                        : (uint64_t)(address) << 32 | (data) << 1))

TEST(buffers)
{
   static const struct {
      unsigned op, old, expected;
      bool is_signed;
   } atomics[] = {
      { IR3_ATOMIC_ADD, 10, 9 },         { IR3_ATOMIC_SUB, 10, 11 },
      { IR3_ATOMIC_XCHG, 10, ~0u },      { IR3_ATOMIC_INC, 10, 11 },
      { IR3_ATOMIC_DEC, 10, 9 },         { IR3_ATOMIC_AND, 10, 10 },
      { IR3_ATOMIC_OR, 10, ~0u },        { IR3_ATOMIC_XOR, 10, ~10u },
      { IR3_ATOMIC_CMPXCHG, 10, ~0u },   { IR3_ATOMIC_CMPXCHG, 11, 11 },
      { IR3_ATOMIC_MIN, 10, 10 },        { IR3_ATOMIC_MAX, 10, ~0u },
      { IR3_ATOMIC_MIN, 10, ~0u, true }, { IR3_ATOMIC_MAX, 10, 10, true },
   };
   struct a4xx_buffer *buffer = &chip->buffers[0][0];
   uint32_t *data = (uint32_t *)(memory + PARAMETERS);
   /* r1.x: the address, by a constant of the buffer's; data in r2.x and r2.y,
    * the place in r3.x. */
   const uint64_t address = MOV_C(R(1, 0), IR3_BUFFER_CONSTS);
   *buffer = (struct a4xx_buffer){ { BASE + PARAMETERS }, { 3u << 16, 0 } };
   for (unsigned i = 0; i < COUNT(atomics); i++) {
      uint64_t word =
         BY_NUMBER(atomics[i].op, 4, 1, R(4, 0), R(2, 0), R(3, 0), R(1, 0));
      word ^= atomics[i].is_signed ? (3ull ^ 5) << 49 : 0;
      const uint64_t code[] = { address,
                                MOV_I(R(2, 0), -1),
                                MOV_I(R(2, 1), 10),
                                MOV_I(R(3, 0), 2),
                                word,
                                END };
      data[0] = atomics[i].old;
      prepare(code, COUNT(code));
      wave->buffers = buffer;
      assert_true(ir3_wave_run(wave, 1));
      if (data[0] != atomics[i].expected ||
          full(R(4, 0), 0) != atomics[i].old)
         fail_msg("%s: %u, was %u", ir3_op_name(atomics[i].op), data[0],
                  full(R(4, 0), 0));
   }
   /* Two dwords from the last one on: the second is not there. */
   data[0] = 1;
   data[1] = 2;
   const uint64_t load[] = {
      address, MOV_I(R(3, 0), 2),
      BY_NUMBER(IR3_LDGB, 4, 2, R(4, 0), 0, R(3, 0), R(1, 0)), END
   };
   prepare(load, COUNT(load));
   wave->buffers = buffer;
   assert_true(ir3_wave_run(wave, 1));
   assert_int_equal(full(R(4, 0), 0), 1);
   assert_int_equal(full(R(4, 1), 0), 0);
   /* A texel of r8g8_unorm at (2, 1) of 3 x 2; (3, 1) is outside. */
   buffer->size[0] = 3u << 16 | 0x0f << 8;
   buffer->size[1] = 1u << 16 | 2;
   for (unsigned x = 2; x < 4; x++) {
      const uint64_t store[] = {
         address,
         MOV_I(R(2, 0), 0x3f800000),
         MOV_I(R(2, 1), 0x3e4ccccd),
         MOV_I(R(3, 0), x),
         MOV_I(R(3, 1), 1),
         BY_NUMBER(IR3_STIB, 2, 2, 0, R(2, 0), R(3, 0), R(1, 0)) ^ (3ull ^ 1)
                                                                      << 49,
         END,
      };
      data[0] = 0;
      prepare(store, COUNT(store));
      wave->buffers = buffer;
      assert_true(ir3_wave_run(wave, 1));
      assert_int_equal(data[0], x == 2 ? 0x33ff : 0);
   }
   assert_int_equal(count_diags(), 0);
}

/* --- strict mode --- */

/* A result that comes late is poison until its flag: (ss) for category 4 and
 * local memory, (sy) for the other loads. */
TEST(late_values)
{
   consts[0] = sim_float_bits(4);
   consts[1] = BASE + PARAMETERS;
   const struct {
      uint64_t late, flag, other;
   } cases[] = {
      { OP4(IR3_RCP, 2, 0x1000), SS, SY },
      { LOAD(IR3_LDL, 2, 1, 0, 1), SS, SY },
      { LOAD(IR3_LDG, 2, 3, 0, 1), SY, SS },
      { LOAD(IR3_LDP, 2, 1, 0, 1), SY, SS },
   };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      forget_diags();
      RUN(MOV_I(1, 0), MOV_C(3, 1), STORE(IR3_STL, 1, 0, 1, 1), NOP | SS,
          cases[i].late, MOV(4, 2) | cases[i].flag, END);
      assert_int_equal(count_diags(), 0);
      assert_true(full(4, 0) != 0xdeadbeef);
      for (unsigned other = 0; other < 2; other++) {
         forget_diags();
         restart();
         RUN(MOV_I(1, 0), MOV_C(3, 1), STORE(IR3_STL, 1, 0, 1, 1), NOP | SS,
             cases[i].late, MOV(4, 2) | (other ? cases[i].other : 0), END);
         assert_int_equal(GIVEN(LATE_VALUE), 1);
         assert_int_equal(full(4, 0), 0xdeadbeef);
      }
   }
}

TEST(unwritten)
{
   RUN(MOV(2, 1), END);
   assert_int_equal(GIVEN(READ_NOTHING), 1);
   restart();
   /* Written by some lanes only. */
   RUN(CMP(IR3_CMPS_U, IR3_LT, PX, 0, I(8)), BR(2), MOV_I(1, 3), MOV(2, 1),
       END);
   assert_int_equal(GIVEN(READ_NOTHING), 1);
   restart();
   RUN(MOV_C(1, 63), END);
   assert_int_equal(GIVEN(CONST_RANGE), 0);
   RUN(MOV_C(1, 64), END);
   assert_int_equal(GIVEN(CONST_RANGE), 1);
}
