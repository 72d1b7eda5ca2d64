/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The vertex programs that were measured on hardware: the whole test frame is drawn, pixel (0, 0) compared, and the
 * exports checked against the values derived in the vectors.  The same words do the same on Tegra30, whose engines are
 * initialised and chosen first.
 */

#include "unit.h"
#include "job.h"
#include "sim_internal.h"
#include "tegra20/tegra20_chip.h"
#include "tegra20/gr3d_regs.h"
#include "tegra20/host1x_stream.h"
#include "vertex.h"

#include "vertex_vectors.h"

static const struct tegra20_chip_info *chip; /* that the vectors run on */

static void
run_vector(void **state)
{
   const struct measured_vector *v = *state;
   static const uint16_t indices[6] = { 0, 1, 2, 1, 2, 3 };
   struct job *job = job_create_with((struct sim_options){ .strict = true, .threads = 1, .chip = chip });
   memset(job->memory + JOB_TARGET, 0x4c, 256 * 1024);
   job_poke(job, JOB_VERTICES, v->attrib0, sizeof(v->attrib0));
   job_poke(job, JOB_VERTICES + 64, v->attrib1, sizeof(v->attrib1));
   job_poke(job, JOB_INDICES, indices, sizeof(indices));
   job_frame(job);
   JOB_WRITE(job, { GR3D_VP_ATTRIB_IN_OUT_SELECT, v->reg_120 }, { GR3D_CULL_FACE_LINKER_SETUP, v->reg_343 },
             { GR3D_TRAM_SETUP, v->reg_e21 }, { GR3D_LINKER_INSTRUCTION(0), v->linker[0] },
             { GR3D_LINKER_INSTRUCTION(0) + 1, v->linker[1] });
   for (unsigned i = 0; i < v->num_constants; i++)
      job_vertex_constant(job, v->constants[i].index, v->constants[i].bits);
   job_attrib(job, 0, JOB_VERTICES, 0x104d);
   job_attrib(job, 1, JOB_VERTICES + 64, 0x104d);
   job_vertex_program(job, v->program, v->num_insns);
   if (chip->id == TEGRA20_CHIP_TEGRA30) {
      job_init_tegra30(job);
      job_select_engines(job);
   }
   job_draw(job, GR3D_PRIMITIVE_TYPE_TRIANGLES, GR3D_INDEX_MODE_UINT16, 0, 6);
   job_word(job, host1x_imm(0, 0x101)); /* a sync point when it is done */
   assert_int_equal(job_run(job), SIM_OK);
   /* what strict mode says of the words (A13) does not depend on the chip */
   static unsigned said[COUNT(measured_vectors)];
   const unsigned index = v - measured_vectors;
   if (chip->id == TEGRA20_CHIP_TEGRA20)
      said[index] = job->num_diags;
   if (job->num_diags != said[index])
      fail_msg("%s: %u diagnostics instead of %u: %s", chip->name, job->num_diags, said[index], job->last_text);
   for (unsigned i = 0; i < 4; i++) {
      const struct gr3d_exports *exports = &job->sim->gr3d.vertex->exports[i];
      assert_memory_equal(exports->v[0], v->export0[i], 16);
      for (unsigned c = 0; c < 4; c++)
         assert_true(exports->v[7][c] == v->export7[i][c]);
   }
   assert_int_equal(job_pixel(job, 0, 0), v->pixel);
   job_destroy(job);
}

/*
 * A job that takes longer than the kernel waits: 20 draws of 256x256 pixels and four vertices with one clock per pixel and
 * ten per vertex.  It is cut off in the middle, at the same pixel whatever the number of threads.
 */
static void
run_cut_off(struct job *job, uint64_t *fragments)
{
   static const float positions[4][4] = { { -1, 1, 0, 1 }, { -1, -1, 0, 1 }, { 1, 1, 0, 1 }, { 1, -1, 0, 1 } };
   const struct measured_vector *v = &measured_vectors[0];
   job_poke(job, JOB_VERTICES, positions, sizeof(positions));
   job_poke(job, JOB_VERTICES + 64, v->attrib1, sizeof(v->attrib1));
   job_frame(job);
   job_write(job, GR3D_VP_ATTRIB_IN_OUT_SELECT, v->reg_120);
   job_attrib(job, 0, JOB_VERTICES, 0x104d);
   job_attrib(job, 1, JOB_VERTICES + 64, 0x104d);
   job_vertex_program(job, v->program, v->num_insns);
   for (unsigned i = 0; i < 20; i++)
      job_draw(job, GR3D_PRIMITIVE_TYPE_TRIANGLE_STRIP, GR3D_INDEX_MODE_NONE, 0, 4);
   assert_int_equal(job_run(job), SIM_HANG);
   assert_true(job_reported(job, SIM_DIAG_FP_TIME));
   struct sim_stats stats;
   sim_get_stats(job->sim, &stats);
   *fragments = stats.fragments;
}

static void
cut_off(void **state)
{
   enum { CLOCKS = 5 * (65536 + 40) + 20000 };
   struct job *one = job_create_with((struct sim_options){ .threads = 1, .job_clocks = CLOCKS });
   struct job *two = job_create_with((struct sim_options){ .threads = 2, .job_clocks = CLOCKS, .scramble = 0x99 });
   uint64_t fragments[2];
   run_cut_off(one, &fragments[0]);
   run_cut_off(two, &fragments[1]);
   /* A tile of 64x64 pixels is the smallest piece. */
   assert_in_range(fragments[0], 5 * 65536 + 16000, 5 * 65536 + 24096);
   assert_int_equal(fragments[0], fragments[1]);
   assert_memory_equal(one->memory, two->memory, JOB_MEMORY_SIZE);
   job_destroy(one);
   job_destroy(two);
}

int
main(void)
{
   static const unsigned chips[] = { TEGRA20_CHIP_TEGRA20, TEGRA20_CHIP_TEGRA30 };
   struct CMUnitTest tests[COUNT(measured_vectors)], others[] = { cmocka_unit_test(cut_off) };
   int failed = 0;

   for (unsigned i = 0; i < COUNT(measured_vectors); i++)
      tests[i] = (struct CMUnitTest){
         .name = measured_vectors[i].name,
         .test_func = run_vector,
         .initial_state = (void *)&measured_vectors[i],
      };
   for (unsigned i = 0; i < COUNT(chips); i++) {
      chip = &tegra20_chips[chips[i]];
      failed += cmocka_run_group_tests_name(chip->name, tests, NULL, NULL);
   }
   return failed + cmocka_run_group_tests_name("vertex_vectors", others, NULL, NULL);
}
