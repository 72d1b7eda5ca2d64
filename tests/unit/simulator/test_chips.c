/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Tegra30 and Tegra114: the stream of gr3d-registers.md 4.3 as each chip wants it gives the same picture and no
 * diagnostic; on another chip, or with a part missing, strict mode names what is wrong.
 */

#include "unit.h"
#include "job.h"
#include "tegra20/tegra20_chip.h"
#include "tegra20/gr3d_regs.h"
#include "tegra20/host1x_stream.h"

enum { T20 = TEGRA20_CHIP_TEGRA20, T30 = TEGRA20_CHIP_TEGRA30, T114 = TEGRA20_CHIP_TEGRA114 };

static struct job *
create(unsigned chip)
{
   static const float positions[3][4] = {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
   static const float colours[3][4] = {{1, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1}};
   struct job *job = job_create_with((struct sim_options){.strict = true, .threads = 1, .chip = &tegra20_chips[chip]});
   job_poke(job, JOB_VERTICES, positions, sizeof(positions));
   job_poke(job, JOB_VERTICES + 64, colours, sizeof(colours));
   return job;
}

/* gr3d-registers.md 5.2 */
static void
init_tegra114(struct job *job)
{
   job_init_tegra30(job);
   JOB_WRITE(job, { 0x41a, 0xa00 }, { 0x416, 0x140 }, { 0xe44, 0 }, { 0x807, 0 });
   job_fill(job, 0xc00, 0xc03, 0);
   job_fill(job, 0xc30, 0xc33, 0);
   job_fill(job, 0xc40, 0xc43, 0);
   job_fill(job, 0xc50, 0xc53, 0);
   job_fill(job, 0xe70, 0xe7f, 0);
   job_write(job, 0xe80, 0xf00);
   job_fill(job, 0xe84, 0xe87, 0);
   job_fill(job, 0x770, 0x79f, 0);
   JOB_WRITE(job, { 0x7e0, 1 }, { 0x7e1, 0 });
}

/* What differs in the state, behind the common part. */
static void
state_tegra114(struct job *job)
{
   JOB_WRITE(job, { 0x404, 0 }, { 0x405, 0xffffff }, { 0xe45, 0x200 }, { 0x403, 0x200 }, { 0x547, 0xc0000000 },
             { 0x548, 0 }, { 0x800, 0 }, { 0x801, 0xe0000100 }, { 0xa00, 0xe01 }, { 0xa00, 0xe00 });
}

/* Everything but the draw and what is sent with each draw. */
static void
frame(struct job *job, unsigned chip)
{
   static const uint32_t copy_both[2][4] = {
      {0x401f9c6c, 0x0040000d, 0x8106c003, 0x6001ff80}, /* mov o0, a0 */
      {0x401f9c6c, 0x0040010d, 0x8106c003, 0x6001ff9d}, /* mov o7, a1; end */
   };
   job_frame(job);
   job_attrib(job, 0, JOB_VERTICES, 0x104d);
   job_attrib(job, 1, JOB_VERTICES + 64, 0x104d);
   job_vertex_program(job, copy_both, 2);
   if (chip == T30)
      job_init_tegra30(job);
   if (chip == T114) {
      init_tegra114(job);
      state_tegra114(job);
   }
}

static void
draw(struct job *job)
{
   job_draw(job, GR3D_PRIMITIVE_TYPE_TRIANGLES, 0, 0, 3);
   job_word(job, host1x_imm(0, 0x101));
}

static void
stream_for(struct job *job, unsigned chip)
{
   frame(job, chip);
   if (chip != T20)
      job_select_engines(job);
   draw(job);
}

TEST(clean)
{
   static uint8_t picture[3][JOB_DEPTH];
   for (unsigned chip = 0; chip < TEGRA20_NUM_CHIPS; chip++) {
      struct job *job = create(chip);
      stream_for(job, chip);
      assert_int_equal(job_run(job), SIM_OK);
      if (job->num_diags)
         fail_msg("%s: %s", tegra20_chips[chip].name, job->last_text);
      memcpy(picture[chip], job->memory + JOB_TARGET, JOB_DEPTH);
      struct sim_stats stats;
      sim_get_stats(job->sim, &stats);
      assert_int_equal(stats.fragments, 256 * 256);
      /* one packet: a clock for each fragment, shared by two engines, or by four pipes */
      static const unsigned shares[] = {1, 2, 4};
      assert_int_equal(stats.fragment_clocks, 256 * 256 / shares[chip]);
      assert_int_equal(stats.engine_clocks[0], 256 * 256 / shares[chip]);
      assert_int_equal(stats.engine_clocks[1], chip == T30 ? 256 * 256 / 2 : 0);
      job_destroy(job);
   }
   assert_int_not_equal(picture[0][0] | picture[0][1] | picture[0][2], 0);
   assert_memory_equal(picture[1], picture[0], JOB_DEPTH);
   assert_memory_equal(picture[2], picture[0], JOB_DEPTH);
}

/* Each ordered pair of chips: the number that names the difference. */
TEST(streams_of_others)
{
   static const unsigned expected[3][3] = {
      /* made for Tegra20, run on the others, and so on */
      {0, SIM_DIAG_ENGINE_SELECT, SIM_DIAG_FP_OTHER_CHIP},
      {SIM_DIAG_REG_OTHER_CHIP, 0, SIM_DIAG_FP_OTHER_CHIP},
      {SIM_DIAG_FP_OTHER_CHIP, SIM_DIAG_FP_OTHER_CHIP, 0},
   };
   for (unsigned from = 0; from < TEGRA20_NUM_CHIPS; from++) {
      for (unsigned to = 0; to < TEGRA20_NUM_CHIPS; to++) {
         struct job *job = create(to);
         stream_for(job, from);
         job_run(job);
         if (expected[from][to] && !job_reported(job, expected[from][to]))
            fail_msg("%s on %s: no %u %s", tegra20_chips[from].name, tegra20_chips[to].name, expected[from][to],
                     sim_diag_name(expected[from][to]));
         assert_int_equal(!expected[from][to], !job->num_diags);
         job_destroy(job);
      }
   }
}

/* --- one thing wrong --- */

/* What else is not there, or too early. */
enum fault { NONE, NO_SELECTION, NO_750, EARLY_750, NO_INIT, SECOND_DRAW };

static const struct {
   const char *name;
   unsigned chip, diag;
   bool even, odd; /* lines of tiles that are drawn */
   enum fault fault;
   uint32_t writes[3][2]; /* behind the state */
   bool others;           /* are reported, too: it runs what was not uploaded */
} faults[] = {
   {"no selection", T30, SIM_DIAG_ENGINE_SELECT, true, false, NO_SELECTION},
   {"same number", T30, SIM_DIAG_ENGINE_SELECT, false, true, NONE, {{0xe41, 3}}},
   {"one engine draws", T30, SIM_DIAG_ENGINE_SELECT, false, true, NONE, {{0xb00, 2}}},
   {"state for one", T30, SIM_DIAG_ENGINE_SELECT, true, true, NONE, {{0xb00, 1}, {0x345, 0}, {0xb00, 3}}},
   {"second draw", T30, SIM_DIAG_ENGINE_SELECT, true, true, SECOND_DRAW},
   {"no 0x750", T30, SIM_DIAG_REG_INIT, true, true, NO_750},
   {"early 0x750", T30, SIM_DIAG_REG_INIT, true, true, EARLY_750},
   {"no initialisation", T30, SIM_DIAG_REG_INIT, true, true, NO_INIT},
   {"no copy", T114, SIM_DIAG_REG_CHIP, true, true, NONE, {{0xe45, 0x201}}},
   {"no clear", T114, SIM_DIAG_REG_CHIP, true, true, NONE, {{0xa00, 0xe01}}},
   {"0x411 again", T114, SIM_DIAG_REG_CHIP, true, true, NONE, {{0x411, 0}}},
   {"packed port", T114, SIM_DIAG_REG_OTHER_CHIP, true, true, NONE, {{0x802, 0}}},
   {"no 0x547", T114, SIM_DIAG_REG_INIT, true, true, NONE, {{0x547, 0}}},
   {"nine packets", T114, SIM_DIAG_FP_SCHEDULE, true, true, NONE, {{0x800, 0}, {0x801, 0xe0000900}}, true},
   {"strange word", T114, SIM_DIAG_FP_UNKNOWN_BITS, true, true, NONE, {{0x800, 0}, {0x801, 0xe1000100}}},
};

TEST_ROWS(one_fault, faults)
{
   const bool without = c->fault == NO_INIT || c->fault == NO_750 || c->fault == EARLY_750;
   struct job *job = create(c->chip);
   if (c->fault == EARLY_750)
      job_fill(job, 0x750, 0x75f, 0);
   frame(job, without ? T20 : c->chip);
   if (without && c->fault != NO_INIT) {
      job_fill(job, 0x907, 0x90b, 0);
      JOB_WRITE(job, { 0xb00, 3 }, { 0xb01, 0 }, { 0xb04, 0 });
      job_fill(job, 0xb06, 0xb12, 0);
      JOB_WRITE(job, { 0xb14, 0 }, { 0xe40, 0 });
   }
   if (c->fault != NO_SELECTION)
      job_select_engines(job);
   for (unsigned i = 0; i < 3 && c->writes[i][0]; i++)
      job_write_all(job, &c->writes[i], 1);
   if (c->fault == SECOND_DRAW)
      draw(job);
   draw(job);
   job_run(job);
   assert_true(job_reported(job, c->diag));
   for (unsigned d = 0; d < job->num_diags; d++)
      assert_true(job->diags[d] == c->diag || c->others);
   /* rows 16 to 31 are the first odd line */
   assert_int_equal(job_pixel(job, 5, 3) != 0, c->even);
   assert_int_equal(job_pixel(job, 5, 20) != 0, c->odd);
   job_destroy(job);
}

/* The packed port does not exist on Tegra114: what goes there changes no schedule. */
TEST(tables)
{
   static const uint32_t words[2] = {0x11111111, 0x22222222};
   struct job *job = create(T114);
   job_class(job, HOST1X_CLASS_GR3D);
   JOB_WRITE(job, { 0x800, 0 }, { 0x801, 0xe0000100 }, { 0x802, 0xffffffff }, { 0x803, 8 * 127 + 6 });
   job_port(job, 0x804, words, 2);
   assert_false(job_reported(job, SIM_DIAG_UPLOAD_RANGE));
   job_write(job, 0x207, 4 * 279);
   for (unsigned c = 0; c < 4; c++)
      job_write(job, 0x208, c);
   job_word(job, host1x_imm(0, 0x101));
   job_run(job);
   assert_false(job_reported(job, SIM_DIAG_UPLOAD_RANGE));
   job_clear(job);
   job_class(job, HOST1X_CLASS_GR3D);
   JOB_WRITE(job, { 0x207, 4 * 280 }, { 0x208, 0 });
   job_run(job);
   assert_true(job_reported(job, SIM_DIAG_UPLOAD_RANGE));
   job_destroy(job);

   job = create(T30);
   job_class(job, HOST1X_CLASS_GR3D);
   JOB_WRITE(job, { 0x803, 512 }, { 0x804, 0 });
   job_run(job);
   assert_true(job_reported(job, SIM_DIAG_UPLOAD_RANGE));
   job_destroy(job);
}
