/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What is around the ALUs of VideoCore IV's QPUs: thread switches, every mode of VPM DMA.
 */

#include "unit.h"
#include "vc4_memory.h"

#define CODE 0x1000u
#define DATA 0x10000u

static struct qpu *q;
static struct tmu *tmu; /* two */
static struct tmu_cache *cache;
static bool other_record; /* says the contrary of what the program does */
static uint8_t *code, *data;

SETUP
{
   q = aligned_alloc(64, (sizeof(*q) + 63) & ~63ul);
   code = aligned_alloc(4096, 4096);
   data = aligned_alloc(4096, 8192);
   memset(code, 0, 4096);
   memset(data, 0, 8192);
   assert_true(v3d_map(v3d, CODE, 4096, code));
   assert_true(v3d_map(v3d, DATA, 8192, data));
   qpu_init(q, v3d, QPU_FRAGMENT);
   cache = calloc(1, sizeof(*cache));
   q->tmu = tmu = aligned_alloc(64, 2 * sizeof(*tmu));
   memset(tmu, 0, 2 * sizeof(*tmu));
   tmu[0].cache = tmu[1].cache = cache;
   for (unsigned i = 0; i < QPU_LANES; i++)
      q->a[0][i] = DATA + i * 4;
   other_record = false;
}

TEARDOWN
{
   free(q);
   free(cache);
   free(tmu);
   free(code);
   free(data);
}

/* --- threads --- */

/* A program from text; how often a diagnostic was given. */
static unsigned
run(const char *const *lines, enum v3d_diag_number number)
{
   unsigned count = 0;
   for (; lines[count]; count++) {
      uint64_t word;
      char error[128] = "";
      if (!qpu_assemble(lines[count], &word, error, sizeof(error)))
         fail_msg("\"%s\": %s", lines[count], error);
      memcpy(code + count * 8, &word, 8);
   }
   memset(diags, 0, sizeof(diags));
   v3d_write(v3d, V3D_SLCACTL, ~0u);
   atomic_store(&v3d->reported[0], 0);
   atomic_store(&v3d->reported[1], 0);
   const struct qpu_program *program = qpu_get_program(v3d, CODE);
   assert_non_null(program);
   q->two_threads = program->threaded != other_record;
   assert_true(qpu_run(q, program, DATA));
   return diags[number - 950];
}

#define END_LINES "nop; nop; thrend", "nop; nop", "nop; nop", NULL

/* Two more instructions see the accumulators; then they and the flags are the other thread's, registers stay. */
TEST(switch)
{
   static const char *const lines[] = {
      "ldi r0, 0x00000007", "ldi ra1, 0x00000005",   "nop; nop; last_thrsw", "or ra2, r0, r0; nop",
      "or rb3, r0, r0; nop", "or ra4, r0, r0; nop", END_LINES,
   };
   assert_int_equal(run(lines, V3D_DIAG_QPU_LOST), 1);
   assert_int_equal(q->a[1][0], 5);
   assert_int_equal(q->a[2][0], 7);
   assert_int_equal(q->b[3][0], 7);
   assert_int_not_equal(q->a[4][0], 7);
   static const char *const written[] = {
      "ldi r0, 0x00000007", "nop; nop; last_thrsw", "nop; nop", "nop; nop", "ldi r0, 0x00000008", "or ra4, r0, r0; nop", END_LINES,
   };
   assert_int_equal(run(written, V3D_DIAG_QPU_LOST), 0);
   assert_int_equal(q->a[4][0], 8);
   /* A flag of all lanes is the other thread's too; one of lane 0 is lost. */
   static const char *const flags[] = {
      "ldi.sf ra4, 0x00000000", "nop; nop; last_thrsw", "nop; nop", "nop; nop", "ldi.zs ra4, 0x00000001", END_LINES,
   };
   static const char *const lane[] = {
      "ldi ra4, 0x00000000", "or.sf -, elem_num, elem_num; nop; last_thrsw", "nop; nop", "nop; nop", "ldi.zs ra4, 0x00000001",
      END_LINES,
   };
   assert_int_equal(run(flags, V3D_DIAG_QPU_LOST), 1);
   assert_int_equal(q->a[4][0], 1);
   assert_int_equal(run(lane, V3D_DIAG_QPU_LOST), 1);
   assert_int_equal(q->a[4][0], 0);
}

#define MAX_LINES 16
#define NOP "nop; nop"
#define LAST NOP "; last_thrsw"

/* One last switch, none after it, none with the scoreboard locked; a thread has half of the registers, when there are two. */
static const struct {
   const char *name;
   enum v3d_diag_number diag;
   unsigned count;
   const char *lines[MAX_LINES];
   bool other_record; /* which has the say about registers, and about switches */
} rules[] = {
   { "last of two switches", V3D_DIAG_QPU_SWITCH, 0, { NOP "; thrsw", NOP, NOP, LAST, NOP, NOP, END_LINES } },
   { "no last switch", V3D_DIAG_QPU_SWITCH, 1, { NOP "; thrsw", NOP, NOP, END_LINES } },
   { "switch after the last one", V3D_DIAG_QPU_SWITCH, 1, { LAST, NOP, NOP, NOP "; thrsw", NOP, NOP, END_LINES } },
   { "scoreboard locked", V3D_DIAG_QPU_SWITCH, 1, { NOP, NOP, NOP "; wait_sb", LAST, NOP, NOP, END_LINES } },
   { "scoreboard unlocked", V3D_DIAG_QPU_SWITCH, 0, { NOP, NOP, NOP "; wait_sb", NOP "; sb_unlock", LAST, NOP, NOP, END_LINES } },
   { "lower half", V3D_DIAG_QPU_HALF, 0, { LAST, "ldi ra15, 0x00000001", "ldi rb15, 0x00000001", END_LINES } },
   { "upper half", V3D_DIAG_QPU_HALF, 1, { LAST, "ldi ra16, 0x00000001", NOP, END_LINES } },
   { "upper half is read", V3D_DIAG_QPU_HALF, 1, { LAST, "or r0, rb31, rb31; nop", NOP, END_LINES } },
   { "one thread", V3D_DIAG_QPU_HALF, 0, { "ldi ra31, 0x00000001", NOP, "or r0, ra31, ra31; nop", END_LINES } },
   { "one thread, two by the record", V3D_DIAG_QPU_HALF, 1, { "ldi ra31, 0x00000001", NOP, NOP, END_LINES }, true },
   { "two threads, one by the record", V3D_DIAG_QPU_SWITCH, 1, { LAST, NOP, NOP, END_LINES }, true },
};

TEST_ROWS(rules, rules)
{
   other_record = c->other_record;
   assert_int_equal(run(c->lines, c->diag), c->count);
}

/* What two threads could see of each other, each beside what they cannot: "good" programs run one after the other as they run
 * side by side. */
static const struct {
   const char *name;
   bool good;
   const char *lines[MAX_LINES];
} shared[] = {
   { "mutex released", true, { "or r0, mutex, mutex; nop", "or mutex, r0, r0; nop", "nop; nop; last_thrsw", "nop; nop", "nop; nop", END_LINES } },
   { "mutex held", false, { "or r0, mutex, mutex; nop", "nop; nop; last_thrsw", "nop; nop", "nop; nop", "or mutex, r0, r0; nop", END_LINES } },
   { "function unit done", true, { "nop; nop; last_thrsw", "nop; nop", "nop; nop", "or recip, ra1, ra1; nop", END_LINES } },
   { "function unit at the signal", true, { "or recip, ra1, ra1; nop; last_thrsw", "nop; nop", "nop; nop", END_LINES } },
   { "function unit in the first slot", false, { "nop; nop; last_thrsw", "or recip, ra1, ra1; nop", "nop; nop", END_LINES } },
   { "function unit in the second slot", false, { "nop; nop; last_thrsw", "nop; nop", "or recip, ra1, ra1; nop", END_LINES } },
   { "varying in the second slot", true, { "nop; nop; last_thrsw", "nop; nop", "nop; fmul r0, vary, ra15", END_LINES } },
   { "all coordinates in the slots", true, { "or t0t, ra0, ra0; nop; last_thrsw", "nop; nop", "or t0s, ra0, ra0; nop", "nop; nop; load_tmu0", END_LINES } },
   { "one coordinate before the switch", false, { "or t0t, ra0, ra0; nop; last_thrsw", "nop; nop", "nop; nop", "or t0s, ra0, ra0; nop", END_LINES } },
   { "result after the switch", true, { "or t0s, ra0, ra0; nop", "nop; nop; last_thrsw", "nop; nop", "nop; nop", "nop; nop; load_tmu0", END_LINES } },
   { "result before the switch", false, { "or t0s, ra0, ra0; nop", "nop; nop; load_tmu0", "nop; nop; last_thrsw", "nop; nop", "nop; nop", END_LINES } },
   { "result of a look-up after the switch", false, { "nop; nop; last_thrsw", "nop; nop", "nop; nop", "or t1s, ra0, ra0; nop", "nop; nop; load_tmu1", END_LINES } },
   { "results of two switches", false, { "or t0s, ra0, ra0; nop; thrsw", "nop; nop", "nop; nop", "nop; nop; last_thrsw", "nop; nop",
       "nop; nop", "nop; nop; load_tmu0", END_LINES } },
   { "results in turn", true, { "or t0s, ra0, ra0; nop; thrsw", "nop; nop", "nop; nop", "or t0s, ra0, ra0; nop; load_tmu0",
       "nop; nop; last_thrsw", "nop; nop", "nop; nop", "nop; nop; load_tmu0", END_LINES } },
   { "semaphore", false, { "sema -, 0x00000001", "nop; nop; last_thrsw", "nop; nop", "nop; nop", END_LINES } },
};

TEST_ROWS(shared, shared)
{
   const qpu_u varying = { 0 };
   const float constant = 0;
   tmu_reset(&tmu[0]);
   tmu_reset(&tmu[1]);
   q->varying_v = &varying;
   q->varying_c = &constant;
   q->num_varyings = 1;
   assert_int_equal(run(c->lines, V3D_DIAG_QPU_SHARED) == 0, c->good);
}

/* Look-ups of memory: eight fit into a unit, four of a thread's. */
TEST(look_ups)
{
   for (unsigned threaded = 0; threaded < 2; threaded++) {
      for (unsigned n = 3; n < 10; n++) {
         const char *lines[40];
         unsigned at = 0;
         for (unsigned i = 0; i < n; i++)
            lines[at++] = "or t0s, ra0, ra0; nop";
         if (threaded)
            lines[at++] = "nop; nop; last_thrsw";
         for (unsigned i = 0; i < n; i++)
            lines[at++] = "nop; nop; load_tmu0";
         static const char *const end[] = { END_LINES };
         memcpy(&lines[at], end, sizeof(end));
         tmu_reset(&tmu[0]);
         tmu_reset(&tmu[1]);
         assert_int_equal(run(lines, V3D_DIAG_QPU_TMU_FIFO) != 0, n > (threaded ? 4 : 8));
      }
   }
}

/* --- VPM DMA --- */

static uint32_t rows[VPM_ROWS][QPU_LANES];

static unsigned
size_of_mode(unsigned mode)
{
   return mode == 0 ? 4 : mode < 4 ? 2 : 1;
}

/* Byte b of element i of a row (or column) from (x, y), which has a word of VPM for each. */
static uint8_t *
byte_of(unsigned mode, bool horizontal, unsigned x, unsigned y, unsigned i, unsigned b)
{
   const unsigned first = mode < 2 ? 0 : mode < 4 ? (mode - 2) * 2 : mode - 4;
   uint32_t *word = horizontal ? &rows[y][x + i] : &rows[y + i][x];
   return (uint8_t *)word + first + b;
}

/* Words, each half and each byte of words, in rows and in columns: nothing else is touched. */
TEST(dma)
{
   static const unsigned modes[] = { 0, 2, 3, 4, 5, 6, 7 };
   enum { X = 3, Y = 17, LENGTH = 6, COUNT = 3, PITCH = 64 };
   for (unsigned m = 0; m < COUNT(modes); m++) {
      for (unsigned horizontal = 0; horizontal < 2; horizontal++) {
         const unsigned size = size_of_mode(modes[m]);
         struct vpm vpm = { .read_rows = rows, .write_rows = rows };
         for (unsigned i = 0; i < sizeof(rows); i++)
            ((uint8_t *)rows)[i] = i * 37 + (i >> 8);
         memset(data, 0xee, 8192);
         vpm_write_setup(&vpm, 2u << 30 | COUNT << 23 | LENGTH << 16 | horizontal << 14 | Y << 7 | X << 3 | modes[m], true);
         vpm_write_setup(&vpm, 3u << 30 | (PITCH - LENGTH * size), true);
         assert_true(vpm_dma(v3d, &vpm, DATA + 16, true));
         uint8_t expected[256];
         memset(expected, 0xee, sizeof(expected));
         for (unsigned r = 0; r < COUNT; r++) {
            for (unsigned i = 0; i < LENGTH * size; i++)
               expected[16 + r * PITCH + i] =
                  *byte_of(modes[m], horizontal, horizontal ? X : X + r, horizontal ? Y + r : Y, i / size, i % size);
         }
         assert_memory_equal(data, expected, sizeof(expected));

         memset(rows, 0, sizeof(rows));
         vpm_write_setup(&vpm, 9u << 28 | PITCH, false);
         vpm_write_setup(
            &vpm, 1u << 31 | modes[m] << 28 | LENGTH << 20 | COUNT << 16 | 1 << 12 | !horizontal << 11 | Y << 4 | X, false);
         assert_true(vpm_dma(v3d, &vpm, DATA + 16, false));
         unsigned set = 0;
         for (unsigned r = 0; r < COUNT; r++) {
            for (unsigned i = 0; i < LENGTH * size; i++) {
               uint8_t *p = byte_of(modes[m], horizontal, horizontal ? X : X + r, horizontal ? Y + r : Y, i / size, i % size);
               assert_int_equal(*p, expected[16 + r * PITCH + i]);
               *p = 0;
            }
         }
         for (unsigned i = 0; i < sizeof(rows); i++)
            set += ((uint8_t *)rows)[i] != 0;
         assert_int_equal(set, 0);
      }
   }
}
