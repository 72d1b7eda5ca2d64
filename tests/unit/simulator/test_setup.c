/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Linker, viewport, primitive assembly, clipping and culling (vertex-pipeline.md 12 and 14): what the rasteriser is
 * given.  The vertex program copies attribute 0 to the position and attributes 1 and 2 to exports 7 and 9.
 */

#include <math.h>

#include "unit.h"
#include "capture.h"
#include "job.h"
#include "numbers.h"
#include "tegra20/gr3d_regs.h"
#include "vertex.h"
#include "vs_words.h"

struct corner {
   float position[4], colour[4], extra[4];
};

#define AT(x, y, z, w) { { x, y, z, w }, { 0 }, { 0 } }

static struct job *
begin(const struct corner *corners, unsigned n, bool strict)
{
   static const struct vs_fields program[] = { { COPY(0, 0) }, { COPY(1, 7) }, { COPY(2, 9), END } };
   struct job *job = job_create(strict);
   job_poke(job, JOB_VERTICES, corners, n * sizeof(*corners));
   job_frame(job);
   job_write(job, GR3D_VP_ATTRIB_IN_OUT_SELECT, 0x00070281);
   for (unsigned i = 0; i < 3; i++)
      job_attrib(job, i, JOB_VERTICES + 16 * i, 13 | 4 << 4 | 48 << 8);
   vs_upload(job, program, 3);
   capture_clear();
   return job;
}

static void
draw(struct job *job, unsigned primitive, unsigned count)
{
   job_draw(job, primitive, GR3D_INDEX_MODE_NONE, 0, count);
   assert_int_equal(job_run(job), SIM_OK);
}

static void
link_instruction(struct job *job, unsigned i, uint32_t low, uint32_t high)
{
   JOB_WRITE(job, { GR3D_LINKER_INSTRUCTION(i), low }, { GR3D_LINKER_INSTRUCTION(i) + 1, high });
}

static void
guard_band(struct job *job, float x, float y, float z)
{
   job_float(job, GR3D_GUARDBAND_WIDTH, x);
   job_float(job, GR3D_GUARDBAND_HEIGHT, y);
   job_float(job, GR3D_GUARDBAND_DEPTH, z);
}

/* Cut at the sides of the viewport; `high` is the upper half of what links export 7 to row 0. */
static void
draw_cut(const struct corner *corners, unsigned n, unsigned primitive, uint32_t high)
{
   struct job *job = begin(corners, n, false);
   guard_band(job, 1, 1, 1);
   link_instruction(job, 0, 0x0008, high);
   draw(job, primitive, n);
}

/* ---- linker ---- */

struct linker_case {
   const char *name;
   uint32_t low, high;
   unsigned row;
   uint32_t tram[4];
   uint32_t written, flat;
};

/* Source: colour (0.5, 1, -2, 0.25) is rank 1, extra (2.25, -0.5, 100, 1e30) is rank 2, position (0, 0, 0.5, 1). */
#define P SIM_POISON_TRAM
#define FP(x) sim_fp20_from_float(x)
static const struct linker_case linker_cases[] = {
   { "identity", 0x0008, 0xfedc, 0, { 0x3c000, 0x3e000, 0xc0000, 0x3a000 }, 0xff, 0 },
   { "swizzle yxzw", 0x0008, 0xfecd, 0, { 0x3e000, 0x3c000, 0xc0000, 0x3a000 }, 0xff, 0 },
   { "row 5, x and y only", 0x0a08, 0x00dc, 5, { 0x3c000, 0x3e000, P, P }, 0x33, 0 },
   { "vendor lowp vec4", 0x0008, 0xa6b7, 0, { P, P, 0x200 | 64 << 10, 128 | 256 << 10 }, 0xcc, 0 },
   { "vendor lowp vec2", 0x0008, 0x00b7, 0, { P, P, P, 128 | 256 << 10 }, 0x88, 0 },
   { "fx10 low only keeps the high half", 0x0008, 0x0004, 0, { (P & 0xffc00) | 128, P, P, P }, 0x01, 0 },
   { "fx10 clamps", 0x0010, 0x9504, 0, { 511, 511 | 511 << 10, P, P }, 0x23, 0 },
   { "fx10 negative, clamped below", 0x0008, 0x0900, 0, { P, 0x200 << 10, P, P }, 0x20, 0 },
   { "flat y and w", 0x0008, 0xafedc, 0, { 0x3c000, 0x3e000, 0xc0000, 0x3a000 }, 0xff, 0xaa },
   { "flat fx10 high", 0x0008, 0x200b7, 0, { P, P, P, 128 | 256 << 10 }, 0x88, 0x80 },
   { "fp20 of 1e30 is the largest", 0x0010, 0xc000, 0, { 0x7ffff, P, P, P }, 0x11, 0 },
   { "z mode", 0x0001, 0x000f, 0, { P, P, P, 0x3c000 }, 0x88, 0 },
};

TEST_ROWS(linker, linker_cases)
{
   const struct corner corner = { { 0, 0, 0.5f, 1 }, { 0.5f, 1, -2, 0.25f }, { 2.25f, -0.5f, 100, 1e30f } };
   struct job *job = begin(&corner, 1, false);
   link_instruction(job, 0, c->low, c->high);
   draw(job, GR3D_PRIMITIVE_TYPE_POINTS, 1);
   assert_int_equal(capture_count, 1);
   for (unsigned i = 0; i < 4; i++) {
      const uint32_t mask = (c->written >> i & 1 ? 0x3ff : 0) | (c->written >> i & 0x10 ? 0xffc00 : 0);
      assert_int_equal(capture[0].v[0].tram[c->row][i] & mask, c->tram[i] & mask);
   }
   assert_int_equal(job->sim->gr3d.tram_written[c->row], c->written);
   assert_int_equal(job->sim->gr3d.flat_mask[c->row], c->flat);
}

/* xy of one export and zw of another share row 3. */
TEST(two_instructions_one_row)
{
   const struct corner corner = { { 0, 0, 0, 1 }, { 1, 2, 3, 4 }, { 5, 6, 7, 8 } };
   struct job *job = begin(&corner, 1, false);
   job_write(job, GR3D_CULL_FACE_LINKER_SETUP, 0xb8e00020);
   link_instruction(job, 0, 0x0608, 0x00dc);
   link_instruction(job, 1, 0x0610, 0xfe00);
   draw(job, GR3D_PRIMITIVE_TYPE_POINTS, 1);
   const uint32_t want[4] = { FP(1), FP(2), FP(7), FP(8) };
   assert_memory_equal(capture[0].v[0].tram[3], want, 16);
   assert_int_equal(job->sim->gr3d.tram_written[3], 0xff);
}

/* ---- viewport ---- */

TEST(viewport)
{
   /* 256x256: x = 2048 + 2048 x/w, z = (0.5 - 2^-21)(1 + z/w). */
   static const struct {
      float position[4];
      int x, y;
      float z, rw;
   } cases[] = {
      { { 0, 0, 0, 1 }, 2048, 2048, 0.5f - 0x1p-21f, 1 },
      { { -1, 1, -1, 1 }, 0, 4096, 0, 1 },
      { { 1, -1, 1, 1 }, 4096, 0, 1 - 0x1p-20f, 1 },
      { { 1, 2, 0, 2 }, 3072, 4096, 0.5f - 0x1p-21f, 0.5f },
      { { 0x1p-12f, 0x1.8p-12f, 0, 1 }, 2049, 2049, 0.5f - 0x1p-21f, 1 },   /* 2048.5 and 2048.75 */
      { { 0x1.fcp-13f, -0x1p-12f, 0, 1 }, 2048, 2048, 0.5f - 0x1p-21f, 1 }, /* below .5; 2047.5 */
   };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      struct corner corner = { { 0 }, { 0 }, { 0 } };
      memcpy(corner.position, cases[i].position, 16);
      struct job *job = begin(&corner, 1, false);
      draw(job, GR3D_PRIMITIVE_TYPE_POINTS, 1);
      assert_int_equal(capture_count, 1);
      assert_int_equal(capture[0].v[0].x, cases[i].x);
      assert_int_equal(capture[0].v[0].y, cases[i].y);
      assert_true(capture[0].v[0].z == cases[i].z);
      assert_true(capture[0].v[0].rw == cases[i].rw);
   }
}

/* ---- primitives ---- */

/* Six points on a half circle, counter-clockwise, so that every triangle of them is one; x identifies a vertex. */
static void
half_circle(struct corner corners[6])
{
   memset(corners, 0, 6 * sizeof(*corners));
   for (unsigned i = 0; i < 6; i++) {
      corners[i].position[0] = (float)cos(0.5 * i);
      corners[i].position[1] = (float)sin(0.5 * i);
      corners[i].position[3] = 1.0f;
      corners[i].colour[0] = (float)i;
   }
}

struct primitive_case {
   const char *name;
   unsigned type, count;
   bool last;
   unsigned num;
   struct {
      unsigned n, v[3], provoking; /* vertex numbers */
   } want[6];
};

static const struct primitive_case primitive_cases[] = {
   { "points", 0, 2, true, 2, { { 1, { 0 }, 0 }, { 1, { 1 }, 1 } } },
   { "lines, odd count", 1, 5, true, 2, { { 2, { 0, 1 }, 1 }, { 2, { 2, 3 }, 3 } } },
   { "lines, first", 1, 4, false, 2, { { 2, { 0, 1 }, 0 }, { 2, { 2, 3 }, 2 } } },
   { "line loop", 2, 3, true, 3, { { 2, { 0, 1 }, 1 }, { 2, { 1, 2 }, 2 }, { 2, { 2, 0 }, 0 } } },
   { "line loop of one", 2, 1, true, 0, { { 0 } } },
   { "line strip", 3, 3, false, 2, { { 2, { 0, 1 }, 0 }, { 2, { 1, 2 }, 1 } } },
   { "triangles, surplus", 4, 5, true, 1, { { 3, { 0, 1, 2 }, 2 } } },
   { "triangles, first", 4, 6, false, 2, { { 3, { 0, 1, 2 }, 0 }, { 3, { 3, 4, 5 }, 3 } } },
   { "fan", 6, 4, true, 2, { { 3, { 0, 1, 2 }, 2 }, { 3, { 0, 2, 3 }, 3 } } },
   { "fan, first", 6, 4, false, 2, { { 3, { 0, 1, 2 }, 1 }, { 3, { 0, 2, 3 }, 2 } } },
   { "strip", 5, 5, true, 3, { { 3, { 0, 1, 2 }, 2 }, { 3, { 2, 1, 3 }, 3 }, { 3, { 2, 3, 4 }, 4 } } },
   { "strip, first", 5, 5, false, 3, { { 3, { 0, 1, 2 }, 0 }, { 3, { 2, 1, 3 }, 1 }, { 3, { 2, 3, 4 }, 2 } } },
   { "type 7", 7, 6, true, 0, { { 0 } } },
};

static unsigned
vertex_number(const struct gr3d_vertex *v)
{
   return (unsigned)sim_fp20_to_float(v->tram[0][0]);
}

TEST_ROWS(primitives, primitive_cases)
{
   struct corner corners[6];
   half_circle(corners);
   struct job *job = begin(corners, 6, false);
   link_instruction(job, 0, 0x0008, 0xfedc);
   JOB_WRITE(job, { GR3D_DRAW_PARAMS, 0xc0000000 | c->last << 27 | c->type << 24 },
             { GR3D_DRAW_PRIMITIVES, (c->count - 1) << 20 });
   assert_int_equal(job_run(job), SIM_OK);
   if (capture_count != c->num)
      fail_msg("%s: %u primitives", c->name, capture_count);
   for (unsigned k = 0; k < c->num; k++) {
      const struct capture_primitive *got = &capture[k];
      if (got->num_vertices != c->want[k].n)
         fail_msg("%s: primitive %u has %u vertices", c->name, k, got->num_vertices);
      for (unsigned v = 0; v < c->want[k].n; v++)
         if (vertex_number(&got->v[v]) != c->want[k].v[v])
            fail_msg("%s: primitive %u, vertex %u is %u", c->name, k, v, vertex_number(&got->v[v]));
      if (vertex_number(&got->v[got->provoking]) != c->want[k].provoking)
         fail_msg("%s: primitive %u, provoking %u", c->name, k, vertex_number(&got->v[got->provoking]));
   }
   struct sim_stats stats;
   sim_get_stats(job->sim, &stats);
   assert_int_equal(stats.primitives, c->num);
}

/* Triangles of one winding are dropped, 1 counter-clockwise or 2 clockwise, or all (3).  A130: or of one face; with FRONT_CW that
 * is the same, without it the opposite. */
TEST(culling)
{
   for (unsigned i = 0; i < 32; i++) {
      const unsigned cull = i % 4;
      const bool front_cw = i & 4, clockwise = i & 8, faces = i & 16;
      const struct corner corners[3] = { AT(-1, -1, 0, 1), AT(clockwise ? -1 : 1, clockwise ? 1 : -1, 0, 1), AT(1, 1, 0, 1) };
      const bool dropped = cull == 3 || (cull && (cull == (clockwise ? 2 : 1)) != (faces && !front_cw));
      struct job *job = begin(corners, 3, false);
      assert_true(!faces || sim_set_switch(job->sim, "A130", "face"));
      job_write(job, GR3D_CULL_FACE_LINKER_SETUP, 0xb8e00000 | cull << 16 | front_cw << 15);
      draw(job, GR3D_PRIMITIVE_TYPE_TRIANGLES, 3);
      assert_int_equal(capture_count, !dropped);
      if (capture_count)
         assert_int_equal(capture[0].front, front_cw == clockwise);
   }
}

TEST(zero_area)
{
   const struct corner corners[3] = { AT(-1, -1, 0, 1), AT(0, 0, 0, 1), AT(1, 1, 0, 1) };
   struct job *job = begin(corners, 3, false);
   draw(job, GR3D_PRIMITIVE_TYPE_TRIANGLES, 3);
   assert_int_equal(capture_count, 0);
}

/* ---- clipping ---- */

/* Right half outside x = w with the guard band off: new vertices at x = 1 with attributes half way.  The provoking vertex is cut
 * away, its flat value stays. */
TEST(clip_right)
{
   const struct corner corners[3] = {
      { { -1, 0, 0, 1 }, { 0, 3, 0, 0 }, { 0 } },
      { { 3, -1, 0, 1 }, { 1, 5, 0, 0 }, { 0 } },
      { { 3, 1, 0, 1 }, { 1, 7, 0, 0 }, { 0 } },
   };
   draw_cut(corners, 3, GR3D_PRIMITIVE_TYPE_TRIANGLES, 0x2fedc); /* y is flat */
   assert_int_equal(capture_count, 1);
   const struct gr3d_vertex *v = capture[0].v;
   assert_int_equal(v[0].x, 0);
   assert_int_equal(v[1].x, 4096);
   assert_int_equal(v[1].y, 2048 - 1024);
   assert_int_equal(v[2].x, 4096);
   assert_int_equal(v[2].y, 2048 + 1024);
   assert_int_equal(v[1].tram[0][0], FP(0.5f));
   assert_int_equal(v[2].tram[0][0], FP(0.5f));
   for (unsigned i = 0; i < 3; i++)
      assert_int_equal(v[i].tram[0][1], FP(7));
}

/* Inside the guard band nothing is cut. */
TEST(guard_band_keeps)
{
   const struct corner corners[3] = { AT(-1, 0, 0, 1), AT(3, -1, 0, 1), AT(3, 1, 0, 1) };
   struct job *job = begin(corners, 3, false);
   draw(job, GR3D_PRIMITIVE_TYPE_TRIANGLES, 3);
   assert_int_equal(capture_count, 1);
   assert_int_equal(capture[0].v[1].x, 2048 + 3 * 2048);
}

/*
 * One vertex behind the eye: v0 at w = 1, v1 and v2 at w = -1; with |z| <= w the cut is where w - |z| = 0.
 * Positions (0,0,0,1), (4,0,0,-1), (0,4,0,-1): on the edge v0 v1, x = 4t, w = 1 - 2t; x = w at t = 1/6, w = 2/3.
 */
TEST(clip_behind_the_eye)
{
   const struct corner corners[3] = {
      { { 0, 0, 0, 1 }, { 0, 0, 0, 0 }, { 0 } },
      { { 4, 0, 0, -1 }, { 6, 0, 0, 0 }, { 0 } },
      { { 0, 4, 0, -1 }, { 6, 0, 0, 0 }, { 0 } },
   };
   draw_cut(corners, 3, GR3D_PRIMITIVE_TYPE_TRIANGLES, 0xfedc);
   assert_int_equal(capture_count, 2);
   bool right = false, top = false;
   for (unsigned k = 0; k < 2; k++) {
      for (unsigned i = 0; i < 3; i++) {
         const struct gr3d_vertex *v = &capture[k].v[i];
         assert_true(v->x >= 2048 && v->x <= 4096 && v->y >= 2048 && v->y <= 4096 && v->rw > 0);
         if (v->x == 4096 && v->y == 2048) {
            right = true;
            assert_true(fabsf(v->rw - 1.5f) < 1e-6f);
            assert_int_equal(v->tram[0][0], FP(1.0f));
         }
         top |= v->x == 2048 && v->y == 4096;
      }
   }
   assert_true(right && top);
}

TEST(dropped)
{
   static const struct corner cases[][3] = {
      { AT(0, 0, 0, -1), AT(1, 0, 0, -1), AT(0, 1, 0, -1) }, /* behind the eye */
      { AT(0, 0, 0, 0), AT(1, 0, 0, 0), AT(0, 1, 0, 0) },
      { AT(99, 0, 0, 1), AT(98, 0, 0, 1), AT(97, 1, 0, 1) },
      { AT(INFINITY, 0, 0, 1), AT(0, 0, 0, 1), AT(0, 1, 0, 1) },
      { AT(0, 0, NAN, 1), AT(1, 0, 0, 1), AT(0, 1, 0, 1) },
   };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      struct job *job = begin(cases[i], 3, true);
      draw(job, GR3D_PRIMITIVE_TYPE_TRIANGLES, 3);
      assert_int_equal(capture_count, 0);
      assert_int_equal(job_reported(job, SIM_DIAG_POSITION_NOT_FINITE), i >= 3);
   }
}

/* What is left of fans in arbitrary positions lies within the guard band. */
TEST(clipped_fans)
{
   enum { FANS = 300, SIDES = 7 };
   uint32_t seed = 12345;
   for (unsigned fan = 0; fan < FANS; fan++) {
      struct corner corners[SIDES + 2];
      memset(corners, 0, sizeof(corners));
      for (unsigned i = 0; i < SIDES + 1; i++) {
         for (unsigned c = 0; c < 4; c++) {
            seed = seed * 1664525 + 1013904223;
            corners[i].position[c] = (float)(int32_t)seed * (c == 3 ? 0x1p-31f : 0x1p-30f);
         }
      }
      corners[SIDES + 1] = corners[1]; /* closed */
      struct job *job = begin(corners, SIDES + 2, false);
      guard_band(job, 1.25f, 1.5f, 1);
      draw(job, GR3D_PRIMITIVE_TYPE_TRIANGLE_FAN, SIDES + 2);
      for (unsigned k = 0; k < capture_count; k++) {
         for (unsigned i = 0; i < 3; i++) {
            const struct gr3d_vertex *v = &capture[k].v[i];
            assert_true(v->rw > 0.0f && isfinite(v->rw));
            assert_true(v->x >= 2048 - 2561 && v->x <= 2048 + 2561 && v->y >= 2048 - 3073 && v->y <= 2048 + 3073);
            assert_true(v->z >= -0x1p-20f && v->z <= 1.0f);
         }
      }
   }
}

/* The shared edge of two triangles, each with its own third vertex, is cut at the same place from both sides. */
TEST(shared_edge)
{
   uint32_t seed = 99;
   for (unsigned run = 0; run < 500; run++) {
      struct corner c[4];
      memset(c, 0, sizeof(c));
      for (unsigned i = 0; i < 4; i++) {
         for (unsigned k = 0; k < 3; k++) {
            seed = seed * 1664525 + 1013904223;
            c[i].position[k] = (float)(int32_t)seed * 0x1p-30f;
         }
         c[i].position[3] = 1.0f;
      }
      c[0].position[0] = -0.5f; /* inside */
      c[0].position[1] = c[0].position[2] = 0.0f;
      c[1].position[0] = 1.5f + fabsf(c[1].position[0]); /* the edge 0-1 leaves through x = 1 */
      c[1].position[1] *= 0.25f;
      c[1].position[2] *= 0.25f;
      /* third vertices inside, on opposite sides of the edge */
      for (unsigned i = 2; i < 4; i++) {
         c[i].position[0] = -0.25f;
         c[i].position[1] = i == 2 ? 0.9f : -0.9f;
         c[i].position[2] = 0.0f;
      }
      const struct corner list[6] = { c[0], c[1], c[2], c[1], c[0], c[3] };
      struct job *job = begin(list, 6, false);
      guard_band(job, 1, 1, 1);
      draw(job, GR3D_PRIMITIVE_TYPE_TRIANGLES, 6);
      /* the cut: vertex at x = 4096 on the edge; both sides must name the same one */
      double t = 1.5 / ((double)c[1].position[0] + 0.5);
      int y = (int)floor(2048.0 + 2048.0 * (t * c[1].position[1]) + 0.5);
      unsigned found = 0;
      int first = 0;
      for (unsigned k = 0; k < capture_count * 3; k++) {
         const struct gr3d_vertex *v = &capture[k / 3].v[k % 3];
         if (v->x != 4096 || v->y < y - 1 || v->y > y + 1)
            continue;
         if (found++)
            assert_int_equal(v->y, first);
         first = v->y;
      }
      assert_true(found >= 2);
   }
}

TEST(clip_lines_and_points)
{
   const struct corner corners[4] = {
      AT(0, 0, 0, 1),
      { { 0, 4, 0, 1 }, { 8, 5, 0, 0 }, { 0 } },
      AT(5, 0, 0, 1),
      AT(6, 0, 0, 1),
   };
   draw_cut(corners, 4, GR3D_PRIMITIVE_TYPE_LINES, 0x2fedc); /* y is flat */
   assert_int_equal(capture_count, 1); /* the second is outside */
   assert_int_equal(capture[0].v[1].x, 2048);
   assert_int_equal(capture[0].v[1].y, 4096);
   assert_int_equal(capture[0].v[1].tram[0][0], FP(2));
   for (unsigned i = 0; i < 2; i++)
      assert_int_equal(capture[0].v[i].tram[0][1], FP(5)); /* of the end that is cut off */
   draw_cut(corners, 4, GR3D_PRIMITIVE_TYPE_POINTS, 0xfedc);
   assert_int_equal(capture_count, 1);
}

/* A22: 2048.75 is 2049, or 2048 when coordinates are cut. */
TEST(snapping_switch)
{
   const struct corner corner = AT(0x1.8p-12f, 0, 0, 1);
   struct job *job = begin(&corner, 1, false);
   assert_true(sim_set_switch(job->sim, "A22", "cut"));
   draw(job, GR3D_PRIMITIVE_TYPE_POINTS, 1);
   assert_int_equal(capture[0].v[0].x, 2048);
}

/* Registers that were never written: nothing crashes, whatever is drawn. */
TEST(poisoned_registers)
{
   struct job *job = job_create(true);
   job_class(job, 0x60);
   job_write(job, GR3D_VP_UPLOAD_INST_ID, 0);
   const uint32_t nop_end[4] = { 0x001f9c6c, 0x0000000d, 0x8006c003, 0x60001ffd };
   job_port(job, GR3D_VP_UPLOAD_INST, nop_end, 4);
   job_write(job, GR3D_DRAW_PRIMITIVES, 0x00500000);
   job_run(job);
   assert_true(job->num_diags > 0);
}
