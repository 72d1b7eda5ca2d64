/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Vertex fetch: every attribute format, strides, missing components, index sizes (vertex-pipeline.md 13).
 */

#include <math.h>

#include "unit.h"
#include "capture.h"
#include "job.h"
#include "tegra20/gr3d_regs.h"
#include "vertex.h"
#include "vs_words.h"

/* Draws points whose export 1 is a0 and export 2 is a1; `select` are the attributes, as in the register. */
static enum sim_status
draw(struct job *job, uint32_t select, unsigned index_mode, unsigned first, unsigned count)
{
   static const struct vs_fields program[] = { { COPY(0, 1) }, { COPY(1, 2), END } };
   job_write(job, GR3D_VP_ATTRIB_IN_OUT_SELECT, select);
   vs_upload(job, program, 2);
   job_draw(job, GR3D_PRIMITIVE_TYPE_POINTS, index_mode, first, count);
   return job_run(job);
}

struct format_case {
   const char *name;
   unsigned type, size;
   uint8_t bytes[16];
   float want[4];
   bool es2; /* A03 the other way */
};

static const struct format_case formats[] = {
   { "u8", 0, 4, { 0, 1, 128, 255 }, { 0, 1, 128, 255 } },
   { "u8 normalised", 1, 4, { 0, 51, 128, 255 }, { 0, 0.2f, 128 / 255.0f, 1 } },
   { "s8", 2, 4, { 0, 0xff, 0x80, 127 }, { 0, -1, -128, 127 } },
   { "s8 normalised", 3, 4, { 0, 0x80, 0x81, 127 }, { 0, -1, -1, 1 } },
   { "s8 normalised, A03", 3, 4, { 0, 0x80, 127, 0xff }, { 1 / 255.0f, -1, 1, -1 / 255.0f }, true },
   { "u16", 4, 2, { 0x34, 0x12, 0xff, 0xff }, { 0x1234, 65535, 0, 1 } },
   { "u16 normalised", 5, 2, { 0, 0, 0xff, 0xff }, { 0, 1, 0, 1 } },
   { "s16", 6, 2, { 0x00, 0x80, 0xff, 0x7f }, { -32768, 32767, 0, 1 } },
   { "s16 normalised", 7, 2, { 0x00, 0x80, 0xff, 0x7f }, { -1, 1, 0, 1 } },
   { "u32", 8, 1, { 0xff, 0xff, 0xff, 0xff }, { 0x1p32f, 0, 0, 1 } },
   { "u32 normalised", 9, 1, { 0, 0, 0, 0x80 }, { 0.5f, 0, 0, 1 } },
   { "s32", 10, 1, { 0, 0, 0, 0x80 }, { -0x1p31f, 0, 0, 1 } },
   { "s32 normalised", 11, 1, { 0, 0, 0, 0x80 }, { -1, 0, 0, 1 } },
   { "16.16", 12, 2, { 0, 0x80, 1, 0, 0, 0, 0xff, 0xff }, { 1.5f, -1, 0, 1 } },
   { "f32", 13, 3, { 0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0, 0x3f }, { 1, -2, 0.5f, 1 } },
   { "f32 denormal", 13, 1, { 1, 0, 0, 0x80 }, { -0.0f, 0, 0, 1 } },
   { "f16", 14, 4, { 0x00, 0x3c, 0x00, 0xc0, 0xff, 0x7b, 0x00, 0x00 }, { 1, -2, 65504, 0 } },
   { "f16 special", 14, 4, { 0x00, 0x7c, 0x00, 0xfc, 0x01, 0x00, 0x00, 0x80 }, { INFINITY, -INFINITY, 0x1p-24f, -0.0f } },
   { "f16 NaN", 14, 1, { 0x01, 0x7e }, { NAN, 0, 0, 1 } },
   { "type 15", 15, 4, { 1, 2, 3, 4 }, { 0, 0, 0, 1 } },
   { "no components", 13, 0, { 1, 2, 3, 4 }, { 0, 0, 0, 1 } },
   { "seven components", 0, 7, { 1, 2, 3, 4 }, { 1, 2, 3, 4 } },
};

TEST_ROWS(format_conversion, formats)
{
   struct job *job = job_create(false);
   job_poke(job, JOB_VERTICES, c->bytes, sizeof(c->bytes));
   job_frame(job);
   job_attrib(job, 0, JOB_VERTICES, c->type | c->size << 4 | 16 << 8);
   assert_true(!c->es2 || sim_set_switch(job->sim, "A03", "es2"));
   assert_int_equal(draw(job, 0x00010003, GR3D_INDEX_MODE_NONE, 0, 1), SIM_OK);
   const float *got = job->sim->gr3d.vertex->exports[0].v[1];
   for (unsigned i = 0; i < 4; i++)
      if (isnan(c->want[i]) ? !isnan(got[i]) : memcmp(&got[i], &c->want[i], 4))
         fail_msg("%c: got %.9g, want %.9g", "xyzw"[i], got[i], c->want[i]);
}

/* Vertex i: a0 = (i, ...), a1 interleaved behind it, and a1 with stride 0. */
TEST(strides)
{
   float vertices[64][4];
   for (unsigned i = 0; i < 64; i++)
      for (unsigned c = 0; c < 4; c++)
         vertices[i][c] = (float)(i * 10 + c);
   struct job *job = job_create(true);
   job_poke(job, JOB_VERTICES, vertices, sizeof(vertices));
   job_frame(job);
   job_attrib(job, 0, JOB_VERTICES, 13 | 2 << 4 | 16 << 8);
   job_attrib(job, 1, JOB_VERTICES + 8, 13 | 2 << 4 | 0 << 8);
   assert_int_equal(draw(job, 0x00030007, GR3D_INDEX_MODE_NONE, 5, 40), SIM_OK);
   for (unsigned i = 0; i < 40; i++) {
      const struct gr3d_exports *e = &job->sim->gr3d.vertex->exports[i];
      assert_true(e->v[1][0] == (float)(10 * (i + 5)) && e->v[1][1] == (float)(10 * (i + 5) + 1));
      assert_true(e->v[1][2] == 0 && e->v[1][3] == 1);
      assert_true(e->v[2][0] == 2 && e->v[2][1] == 3);
   }
}

/* Equal indices share a processed vertex; the draw sees them in order all the same. */
TEST(indices)
{
   static const uint8_t indices8[] = { 3, 200, 3, 0, 200, 3 };
   static const uint16_t indices16[] = { 3, 200, 3, 0, 200, 3 };
   for (unsigned mode = 1; mode <= 2; mode++) {
      float vertices[201][4] = { { 0 } };
      for (unsigned i = 0; i <= 200; i++) {
         vertices[i][0] = (float)i / 256.0f;
         vertices[i][3] = 1.0f;
      }
      static const struct vs_fields program = { COPY(0, 0), END };
      struct job *job = job_create(false);
      job_poke(job, JOB_VERTICES, vertices, sizeof(vertices));
      job_poke(job, JOB_INDICES, mode == 1 ? (const void *)indices8 : indices16, 6 * mode);
      job_frame(job);
      job_write(job, GR3D_VP_ATTRIB_IN_OUT_SELECT, 0x00010001);
      job_attrib(job, 0, JOB_VERTICES, 0x104d);
      vs_upload(job, &program, 1);
      job_draw(job, GR3D_PRIMITIVE_TYPE_POINTS, mode, 0, 6);
      capture_clear();
      assert_int_equal(job_run(job), SIM_OK);
      struct sim_stats stats;
      sim_get_stats(job->sim, &stats);
      assert_int_equal(stats.vertices, 3);
      assert_int_equal(capture_count, 6);
      for (unsigned i = 0; i < 6; i++) /* x = 2048 + 2048 * index / 256 */
         assert_int_equal(capture[i].v[0].x, 2048 + 8 * indices16[i]);
   }
}

/* A06: 32-bit indices, when somebody finds that they exist. */
TEST(wide_indices)
{
   static const uint32_t indices32[] = { 2, 0x10001, 2, 0x10001 };
   struct job *job = job_create(false);
   job_poke(job, JOB_INDICES, indices32, sizeof(indices32));
   job_poke(job, 2 * 4, (const float[1]){ 5 }, 4);
   job_poke(job, 0x10001 * 4, (const float[1]){ 7 }, 4);
   job_frame(job);
   job_attrib(job, 0, 0, 13 | 1 << 4 | 4 << 8);
   assert_true(sim_set_switch(job->sim, "A06", "uint32"));
   assert_int_equal(draw(job, 0x00010003, 3, 0, 4), SIM_OK);
   const struct gr3d_vertex_state *vs = job->sim->gr3d.vertex;
   for (unsigned i = 0; i < 4; i++)
      assert_true(vs->exports[vs->slot[i]].v[1][0] == (i & 1 ? 7.0f : 5.0f));
}

TEST(longest_draw)
{
   struct job *job = job_create(false);
   job_frame(job);
   job_attrib(job, 0, JOB_VERTICES, 13 | 1 << 4 | 4 << 8);
   assert_int_equal(draw(job, 0x00010003, GR3D_INDEX_MODE_NONE, 0, 4096), SIM_OK);
   struct sim_stats stats;
   sim_get_stats(job->sim, &stats);
   assert_int_equal(stats.vertices, 4096);
}

/* Outside the job's memory 0 is read. */
TEST(out_of_range)
{
   struct job *job = job_create(true);
   job_poke(job, JOB_MEMORY_SIZE - 8, (const float[2]){ 1, 2 }, 8);
   job_frame(job);
   job_attrib(job, 0, JOB_MEMORY_SIZE - 8, 13 | 2 << 4 | 8 << 8);
   job_attrib(job, 1, JOB_MEMORY_SIZE - 8, 13 | 4 << 4 | 8 << 8);
   assert_int_equal(draw(job, 0x00030007, GR3D_INDEX_MODE_NONE, 0, 2), SIM_OK);
   assert_true(job_reported(job, SIM_DIAG_ATTRIB_RANGE));
   assert_true(job_reported(job, SIM_DIAG_ATTRIB_PREFETCH));
   const struct gr3d_exports *e = job->sim->gr3d.vertex->exports;
   assert_true(e[0].v[1][0] == 1 && e[0].v[1][1] == 2);
   assert_true(e[1].v[1][0] == 0 && e[1].v[1][3] == 1);
   assert_true(e[0].v[2][0] == 0 && e[0].v[2][3] == 0);
}
