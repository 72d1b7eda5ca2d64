/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What is under way on the chip that doubts (sim_options.adversary): operations overtake each other, draws are reached by what
 * is written behind them, stores get lost, unless the stream waits for the right thing.
 */

#include "unit.h"
#include "job.h"
#include "tegra20/gr2d_regs.h"
#include "tegra20/gr3d_regs.h"
#include "tegra20/host1x_stream.h"
#include "vertex.h"
#include "vs_words.h"

#define NUM_SEEDS 8
#define SYNCPT 1
#define SIZE 16
#define PITCH 64
#define A JOB_FREE
#define B (JOB_FREE + 0x1000)

/* Sync points that are not the simulator's, or NULL. */
static const struct sim_syncpts *outside;
static uint32_t outside_value;

static uint32_t
raise_outside(void *data, unsigned id)
{
   assert_int_equal(id, SYNCPT);
   return ++outside_value;
}

static bool
wait_outside(void *data, unsigned id, uint32_t threshold)
{
   return id == SYNCPT && outside_value >= threshold;
}

/* --- streams ---------------------------------------------------------------------------------------------------------- */

static struct job *
begin(unsigned seed, unsigned deaf)
{
   outside_value = 0;
   return job_create_with((struct sim_options){ .strict = true, .threads = 1, .adversary = seed, .deaf = deaf,
                                                .syncpts = outside });
}

/* Raises the sync point when the engine is done, or at once. */
static void
increment(struct job *job, bool op_done)
{
   job_word(job, host1x_imm(0, op_done << 8 | SYNCPT));
}

/* The stream stops until the sync point has this value. */
static void
wait_for(struct job *job, uint32_t value)
{
   job_class(job, HOST1X_CLASS_HOST1X);
   job_write(job, HOST1X_WAIT_SYNCPT, SYNCPT << 24 | value);
   job_class(job, job->class_id);
}

/* Rows of 16 pixels of 32 bits, all of one value. */
static void
fill(struct job *job, uint32_t to, uint32_t value)
{
   job_class(job, HOST1X_CLASS_GR2D);
   JOB_WRITE(job, { GR2D_G2TRIGGER, 0x3a }, { GR2D_CMDSEL, 0 }, { GR2D_CONTROLSECOND, 0 },
             { GR2D_CONTROLMAIN, 2 << 16 | 1 << 6 | 1 << 2 }, { GR2D_ROPFADE, 0xcc },
             { GR2D_DSTBA, JOB_MEMORY_BASE + to }, { GR2D_DSTST, PITCH }, { GR2D_SRCFGC, value },
             { GR2D_TILEMODE, 0 }, { GR2D_DSTSIZE, SIZE << 16 | SIZE }, { GR2D_DSTPS, 0 });
}

static void
copy(struct job *job, uint32_t to, uint32_t from)
{
   job_class(job, HOST1X_CLASS_GR2D);
   JOB_WRITE(job, { GR2D_G2TRIGGER, 0x3a }, { GR2D_CMDSEL, 0 }, { GR2D_CONTROLSECOND, 0 },
             { GR2D_CONTROLMAIN, 2 << 16 | 1 << 20 }, { GR2D_ROPFADE, 0xcc }, { GR2D_DSTBA, JOB_MEMORY_BASE + to },
             { GR2D_DSTST, PITCH }, { GR2D_SRCBA, JOB_MEMORY_BASE + from }, { GR2D_SRCST, PITCH },
             { GR2D_TILEMODE, 0 }, { GR2D_DSTSIZE, SIZE << 16 | SIZE }, { GR2D_SRCPS, 0 }, { GR2D_DSTPS, 0 });
}

static struct job *
begin_2d(unsigned deaf)
{
   struct job *job = begin(1, deaf);
   job->class_id = HOST1X_CLASS_GR2D;
   job->split = B;
   memset(job->memory + A, 0x11, SIZE * PITCH);
   memset(job->memory + B, 0x22, SIZE * PITCH);
   return job;
}

/* Runs the job; the first pixel at a place. */
static uint32_t
end_2d(struct job *job, uint32_t place)
{
   assert_int_equal(job_run(job), SIM_OK);
   const uint32_t value = job_peek32(job, place);
   job_destroy(job);
   return value;
}

/* --- GR2D ------------------------------------------------------------------------------------------------------------- */

enum waiting { NOT, TOO_EARLY, OLD_VALUE, OTHER_CONDITION, RIGHT };

/* Between two operations: an increment behind the first one and a wait for it, or something like it. */
static void
maybe_wait(struct job *job, enum waiting waiting)
{
   if (waiting == NOT)
      return;
   if (waiting != TOO_EARLY)
      increment(job, waiting != OTHER_CONDITION);
   wait_for(job, 1);
}

static struct job *
two_operations(enum waiting waiting, unsigned deaf, bool copy_first)
{
   struct job *job = begin_2d(deaf);
   if (waiting == TOO_EARLY || waiting == OLD_VALUE)
      increment(job, true);
   if (copy_first)
      copy(job, B, A);
   else
      fill(job, A, 0x33333333);
   maybe_wait(job, waiting);
   if (copy_first)
      fill(job, A, 0x33333333);
   else
      copy(job, B, A);
   increment(job, true);
   return job;
}

static const struct {
   enum waiting waiting;
   unsigned deaf;
   bool waited;
} ways[] = {
   { NOT, 0, false },
   { TOO_EARLY, 0, false },
   { OLD_VALUE, 0, false },
   { OTHER_CONDITION, 0, false },
   { RIGHT, SIM_DEAF_WAIT, false },
   { RIGHT, 0, true },
};

/* A fill of what an earlier copy reads comes first, when nothing holds it. */
TEST(overtaking)
{
   for (unsigned i = 0; i < COUNT(ways); i++)
      assert_int_equal(end_2d(two_operations(ways[i].waiting, ways[i].deaf, true), B), ways[i].waited ? 0x11111111 : 0x33333333);
}

/* A copy of what an earlier fill writes reads what was there before. */
TEST(reading_early)
{
   for (unsigned i = 0; i < COUNT(ways); i++)
      assert_int_equal(end_2d(two_operations(ways[i].waiting, ways[i].deaf, false), B), ways[i].waited ? 0x33333333 : 0x11111111);
}

/* The same with sync points that others raise, too. */
TEST(outside_syncpts)
{
   static const struct sim_syncpts syncpts = { .raise = raise_outside, .wait = wait_outside };
   outside = &syncpts;
   test_overtaking(state);
   test_reading_early(state);
   outside = NULL;
}

/* Operations that do not touch each other's memory are not done again. */
TEST(apart)
{
   static const uint32_t places[] = { A - 0x4000, A + 0x8000 };
   for (unsigned i = 0; i < 2; i++) {
      struct job *job = begin_2d(0);
      fill(job, A, 0x44444444);
      increment(job, true);
      wait_for(job, 1);
      copy(job, B, A);
      fill(job, places[i], 0x33333333);
      fill(job, B, 0x55555555); /* done again the copy would come behind it */
      fill(job, places[i], 0x33333333);
      increment(job, true);
      assert_int_equal(end_2d(job, B), 0x55555555);
   }
}

/* A job that says it ends at once has stored nothing. */
TEST(lost_stores)
{
   for (unsigned op_done = 0; op_done < 2; op_done++) {
      struct job *job = begin_2d(0);
      fill(job, A, 0x33333333);
      increment(job, op_done);
      assert_int_equal(end_2d(job, A), op_done ? 0x33333333 : 0x11111111);
   }
}

/* What the ring cuts in two ends with its rest; when none comes, with what it has. */
TEST(cut_in_two)
{
   for (unsigned goes_on = 0; goes_on < 2; goes_on++) {
      struct job *job = begin_2d(0);
      job->cut = true;
      fill(job, A, 0x33333333);
      increment(job, false);
      assert_int_equal(job_run(job), SIM_OK);
      assert_int_equal(job_peek32(job, A), 0x33333333);
      job_clear(job);
      job->cut = false;
      job->continues = goes_on;
      increment(job, true);
      assert_int_equal(end_2d(job, A), goes_on ? 0x33333333 : 0x11111111);
   }
}

/* --- GR3D ------------------------------------------------------------------------------------------------------------- */

static void
frame(struct job *job)
{
   static const struct vs_fields program[] = { { COPY(0, 0) }, { COPY(1, 7), END } };
   static const float positions[3][4] = { { -1, -1, 0, 1 }, { 3, -1, 0, 1 }, { -1, 3, 0, 1 } };
   static const float colours[3][4] = { { 1, 1, 1, 1 }, { 1, 1, 1, 1 }, { 1, 1, 1, 1 } };
   job_poke(job, JOB_VERTICES, positions, sizeof(positions));
   job_poke(job, JOB_VERTICES + 0x1000, colours, sizeof(colours));
   job_frame(job);
   job_attrib(job, 0, JOB_VERTICES, 0x104d);
   job_attrib(job, 1, JOB_VERTICES + 0x1000, 0x104d);
   vs_upload(job, program, 2);
}

/* Allows 16 columns from here on. */
static void
columns(struct job *job, unsigned left)
{
   job_write(job, GR3D_SCISSOR_HORIZ, GR3D_SCISSOR_HORIZ_MIN(left) | GR3D_SCISSOR_HORIZ_MAX(left + 16));
}

/* Of NUM_SEEDS chips: in how many has a draw reached columns that only a later write allows?  in_job: the write is in the same
 * job as the draw, else in the next one, which is of another sync point (overlaps) or of the same. */
static unsigned
reached(const char *a98, enum waiting waiting, bool in_job, bool overlaps)
{
   unsigned count = 0;
   for (unsigned seed = 1; seed <= NUM_SEEDS; seed++) {
      struct job *job = begin(seed, 0);
      uint32_t raised = 1;
      assert_true(sim_set_switch(job->sim, "A98", a98));
      frame(job);
      columns(job, 0);
      job_draw(job, GR3D_PRIMITIVE_TYPE_TRIANGLES, 0, 0, 3);
      if (!in_job) {
         increment(job, true);
         job->overlaps = overlaps;
         assert_int_equal(job_run(job), SIM_OK);
         job_clear(job);
         job->overlaps = false;
         job_class(job, HOST1X_CLASS_GR3D);
         raised++;
      }
      if (waiting != NOT) {
         increment(job, waiting == RIGHT);
         wait_for(job, raised);
      }
      if (!in_job)
         frame(job);
      columns(job, 64);
      job_draw(job, GR3D_PRIMITIVE_TYPE_TRIANGLES, 0, 3, 3); /* of nothing: their w is 0 */
      increment(job, true);
      assert_int_equal(job_run(job), SIM_OK);
      assert_int_not_equal(job_pixel(job, 8, 8), 0);
      count += job_pixel(job, 72, 8) != 0;
      job_destroy(job);
   }
   return count;
}

/* Registers of one job follow its draws, unless the chip is another one. */
TEST(draws_of_a_job)
{
   assert_int_equal(reached("follow", NOT, true, false), 0);
   assert_in_range(reached("wait", NOT, true, false), 1, NUM_SEEDS);
   assert_in_range(reached("wait", OTHER_CONDITION, true, false), 1, NUM_SEEDS);
   assert_int_equal(reached("wait", RIGHT, true, false), 0);
   assert_in_range(reached("alone", RIGHT, true, false), 1, NUM_SEEDS);
   assert_int_equal(reached("uploads", NOT, true, false), 0); /* it is a register that is written */
}

/* A job of another sync point begins while the last draw is under way. */
TEST(draws_of_two_jobs)
{
   assert_int_equal(reached("follow", NOT, false, false), 0);
   assert_in_range(reached("follow", NOT, false, true), 1, NUM_SEEDS);
   assert_int_equal(reached("follow", RIGHT, false, true), 0);
   assert_int_equal(reached("alone", RIGHT, false, true), 0);
}
