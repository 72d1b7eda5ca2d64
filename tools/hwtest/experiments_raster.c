/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Clipping, rasterisation, depth, stencil, render targets.
 */

#include <math.h>
#include <string.h>

#include "hwtest.h"
#include "tegra20/gr3d_regs.h"

#define WHOLE 0, 0, TEST_SIZE, TEST_SIZE
#define TRIANGLES GR3D_PRIMITIVE_TYPE_TRIANGLES
#define STRIP GR3D_PRIMITIVE_TYPE_TRIANGLE_STRIP
#define UNSIGNED(v)  \
   &(const unsigned) \
   {                 \
      v              \
   }

/* Discards where the varying's first component is above one half. */
#define FP_DISCARD_RIGHT(store)                                            \
   "rows 1; exec; " MFU_SETUP ", r0 = tram0.x, r1 = tram0.y;"              \
   "alu kill = gt0 r0*1 + -u0 | r2.l = 1*1 + 0 | r2.h = 0*0 + 0 | r3.l = " \
   "0*0 + 0;"                                                              \
   "alu r3.h = 1*1 + 0 | nop | nop | nop; " store

/* --- clipping --- */

/* data: GUARDBAND_DEPTH; a quad whose depth runs from -1.5 to 1.5, depth
 * written. */
static void
draw_through_the_planes(struct test *t)
{
   unsigned first = test_clip_vertex(t, -1, -1, -1.5f, 1, 1, 0, 0, 1);
   test_clip_vertex(t, 1, -1, 1.5f, 1, 0, 1, 0, 1);
   test_clip_vertex(t, -1, 1, -1.5f, 1, 0, 0, 1, 1);
   test_clip_vertex(t, 1, 1, 1.5f, 1, 1, 1, 1, 1);
   test_draw(t, STRIP, first, 4);
}

static void
through_the_planes(struct test *t, const void *data)
{
   test_float(t, GR3D_GUARDBAND_DEPTH, *(const float *)data);
   test_depth(t, GR3D_COMPARE_FUNC_ALWAYS, true);
   draw_through_the_planes(t);
}

static void
reversed_range(struct test *t, const void *data)
{
   test_reg(t, GR3D_DEPTH_RANGE_NEAR, 0xc0000);
   test_reg(t, GR3D_DEPTH_RANGE_FAR, 0x40000);
   float wide = 6.99f;
   through_the_planes(t, &wide);
}

/* data: bits 10:9 of 0x403 */
static void
range_mode(struct test *t, const void *data)
{
   test_reg(t, GR3D_DEPTH_RANGE_NEAR, 0x40000);
   test_reg(t, GR3D_DEPTH_RANGE_FAR, 0xc0000);
   const float wide = 6.99f;
   test_float(t, GR3D_GUARDBAND_DEPTH, wide);
   test_depth(t, GR3D_COMPARE_FUNC_ALWAYS, true);
   test_reg(t, GR3D_DEPTH_TEST_PARAMS,
            0x108 | GR3D_COMPARE_FUNC_ALWAYS << 4 |
               *(const unsigned *)data << 9);
   draw_through_the_planes(t);
}

/* Quarters of the depth range, in 16 bits. */
static void
range_in_16_bits(struct test *t, const void *data)
{
   test_reg(t, GR3D_DEPTH_RANGE_NEAR, 0x4000);
   test_reg(t, GR3D_DEPTH_RANGE_FAR, 0xc000);
   const float wide = 6.99f;
   through_the_planes(t, &wide);
}

/* The guard band is the default, or what data says: a chip without one (A100)
 * drops whatever reaches out of the viewport, and hides what it does here. */
static void
behind_the_eye(struct test *t, const void *data)
{
   if (data) {
      test_float(t, GR3D_GUARDBAND_WIDTH, *(const float *)data);
      test_float(t, GR3D_GUARDBAND_HEIGHT, *(const float *)data);
   }
   unsigned first = test_clip_vertex(t, -0.5f, -0.5f, 0, 1, 1, 0, 0, 1);
   test_clip_vertex(t, 0.5f, -0.5f, 0, 1, 0, 1, 0, 1);
   test_clip_vertex(t, 0, -0.5f, 0, -0.5f, 0, 0, 1, 1);
   test_draw(t, TRIANGLES, first, 3);
}

/* --- coverage --- */

static void
subpixel_edges(struct test *t, const void *data)
{
   for (unsigned i = 0; i < 64; i++) {
      float x = 2 * (i % 32) + 0.5f + (i - 32.0f) / 64;
      test_quad(t, x, i / 32 * 32, x + 1, i / 32 * 32 + 32, 0, 1, i / 64.0f,
                0, 1);
   }
}

/* Rectangles and their halves with corners on pixel centres. */
static void
edges_on_centres(struct test *t, const void *data)
{
   for (unsigned i = 0; i < 8; i++) {
      float x = 8 * i + 0.5f, y = 4.5f, x1 = x + 5, y1 = y + 5;
      const float corner[4][2] = {
         { x, y }, { x1, y }, { x1, y1 }, { x, y1 }
      };
      unsigned first = t->num_vertices;
      for (unsigned k = 0; k < 3; k++) {
         const float *c = corner[i < 4 ? (i + k) % 4 : (i + 3 - k) % 4];
         test_vertex(t, c[0], c[1], 0, 1, i / 8.0f, 0, 1);
      }
      test_draw(t, TRIANGLES, first, 3);
   }
   test_quad(t, 10.5f, 20.5f, 30.5f, 40.5f, 0, 0, 1, 0, 1);
   test_quad(t, 30.5f, 20.5f, 50.5f, 40.5f, 0, 0, 0, 1, 1);
}

/* data: width; lines to 16 directions. */
static void
lines(struct test *t, const void *data)
{
   unsigned width = *(const unsigned *)data;
   test_float(t, GR3D_HALF_LINE_WIDTH, width / 2.0f);
   for (unsigned i = 0; i < 16; i++) {
      double angle = i * 0.39269908;
      float cx = 8 + 16 * (i % 4) + 0.25f, cy = 8 + 16 * (i / 4) + 0.375f;
      unsigned first = test_vertex(t, cx, cy, 0, 1, 0, 0, 1);
      test_vertex(t, cx + 6 * (float)cos(angle), cy + 6 * (float)sin(angle),
                  0, 0, 1, 0, 1);
      test_draw(t, GR3D_PRIMITIVE_TYPE_LINES, first, 2);
   }
}

static void
points(struct test *t, const void *data)
{
   static const float sizes[4] = { 1, 1.5f, 2, 7.3f },
                      at[4] = { 0, 0.25f, 0.5f, 0.8125f };
   for (unsigned i = 0; i < 16; i++) {
      float x = 8 + 16 * (i % 4) + at[i / 4],
            y = 8 + 16 * (i / 4) + at[i % 4];
      test_float(t, GR3D_POINT_SIZE, sizes[i % 4]);
      unsigned first = test_vertex(t, x, y, 0, 1, i / 16.0f, 0, 1);
      test_draw(t, GR3D_PRIMITIVE_TYPE_POINTS, first, 1);
   }
}

static void
point_size(struct test *t, const void *data)
{
   test_float(t, GR3D_POINT_SIZE, 8);
   unsigned first = test_vertex(t, 32, 32, 0, 1, 0, 0, 1);
   test_draw(t, GR3D_PRIMITIVE_TYPE_POINTS, first, 1);
}

static void
degenerate(struct test *t, const void *data)
{
   test_reg(t, GR3D_CULL_FACE_LINKER_SETUP,
            0xb8e00000 | GR3D_CULL_FACE_BOTH << 16);
   unsigned first = test_vertex(t, 4, 4, 0, 1, 0, 0, 1);
   test_vertex(t, 60, 4, 0, 1, 0, 0, 1);
   test_draw(t, GR3D_PRIMITIVE_TYPE_LINES, first, 2);
   test_draw(t, GR3D_PRIMITIVE_TYPE_POINTS, first, 1);
   test_reg(t, GR3D_CULL_FACE_LINKER_SETUP, 0xb8e00000);
   first = test_vertex(t, 4, 40, 0, 0, 1, 0, 1);
   test_vertex(t, 60, 40, 0, 0, 1, 0, 1);
   test_vertex(t, 30, 40, 0, 0, 1, 0, 1);
   test_draw(t, TRIANGLES, first, 3);
}

/* data: FRONT_CW.  Both windings, with either face culled, with an upright
 * and a mirrored viewport. */
static void
facing(struct test *t, const void *data)
{
   for (unsigned i = 0; i < 8; i++) {
      test_float(t, GR3D_VIEWPORT_Y_SCALE,
                 (i & 4 ? -8.0f : 8.0f) * TEST_SIZE);
      test_reg(
         t, GR3D_CULL_FACE_LINKER_SETUP,
         0xb8e00000 |
            GR3D_CULL_FACE_LINKER_SETUP_FRONT_CW(*(const unsigned *)data) |
            GR3D_CULL_FACE_LINKER_SETUP_CULL_FACE(
               i & 1 ? GR3D_CULL_FACE_CW : GR3D_CULL_FACE_CCW));
      float x = 8 * i, x1 = x + 7;
      unsigned first =
         test_vertex(t, i & 2 ? x1 : x, 4, 0, 1, i / 8.0f, 0, 1);
      test_vertex(t, i & 2 ? x : x1, 4, 0, 1, i / 8.0f, 0, 1);
      test_vertex(t, x, 60, 0, 1, i / 8.0f, 0, 1);
      test_draw(t, TRIANGLES, first, 3);
   }
}

/* data: 1 the last vertex provokes */
static void
flat_shading(struct test *t, const void *data)
{
   unsigned last = *(const unsigned *)data;
   static const unsigned types[2] = { STRIP,
                                      GR3D_PRIMITIVE_TYPE_TRIANGLE_FAN };
   test_linker(t, 0, 0x8, 0xffedc, 1);
   for (unsigned k = 0; k < 2; k++) {
      unsigned first = t->num_vertices;
      for (unsigned i = 0; i < 6; i++) {
         double angle = i * 0.6;
         float rim = i > 0 ? 24 : 0; /* of the fan */
         float x = k ? 30 - rim * (float)cos(angle) : 10 * i,
               y = k ? 36 + rim * (float)sin(angle) : 28 * (i & 1);
         test_vertex(t, x, y, 0, (i + 1) / 8.0f, 1 - i / 8.0f, (float)k, 1);
      }
      test_reg(t, GR3D_DRAW_PARAMS, 0xc0000000 | last << 27 | types[k] << 24);
      test_reg(t, GR3D_DRAW_PRIMITIVES, 5 << 20 | first);
   }
}

/* --- depth --- */

static void
slanted(struct test *t)
{
   unsigned first = test_vertex(t, 0, 0, -1, 1, 0, 0, 1);
   test_vertex(t, 64, 0, 0.9f, 0, 1, 0, 1);
   test_vertex(t, 0, 64, -0.95f, 0, 0, 1, 1);
   test_vertex(t, 64, 64, 0.95f, 1, 1, 1, 1);
   test_draw(t, STRIP, first, 4);
}

static void
slanted_depth(struct test *t, const void *data)
{
   test_depth(t, GR3D_COMPARE_FUNC_ALWAYS, true);
   slanted(t);
}

/* data: 0x903.  A depth test and its write beside a store of colour. */
static void
depth_enable(struct test *t, const void *data)
{
   test_depth(t, GR3D_COMPARE_FUNC_LESS, true);
   test_reg(t, GR3D_RT_ENABLE, *(const unsigned *)data);
   slanted(t);
}

/* data: 0x412 */
static void
counter_control(struct test *t, const void *data)
{
   test_depth(t, GR3D_COMPARE_FUNC_LESS, true);
   test_reg(t, GR3D_UNK_412, *(const unsigned *)data);
   test_reg(t, GR3D_UNK_412 + 1, 0);
   slanted(t);
   test_quad(t, WHOLE, 0, 1, 0, 0, 1);
}

static void
linear_depth(struct test *t, const void *data)
{
   test_depth(t, GR3D_COMPARE_FUNC_ALWAYS, true);
   test_reg(t, GR3D_RT_PARAMS(0),
            GR3D_PIXEL_FORMAT_D16_LINEAR << 2 | 256 << 8);
   slanted(t);
}

/* Draws again with EQUAL at the depth of the first time, and 2^-18 nearer and
 * farther. */
static void
equal_depth(struct test *t, const void *data)
{
   test_depth(t, GR3D_COMPARE_FUNC_ALWAYS, true);
   test_quad(t, WHOLE, 0.25f, 1, 0, 0, 1);
   test_depth(t, GR3D_COMPARE_FUNC_EQUAL, false);
   test_quad(t, 0, 0, 20, 64, 0.25f, 0, 1, 0, 1);
   test_quad(t, 20, 0, 40, 64, 0.25f + 0x1p-17f, 0, 0, 1, 1);
   test_quad(t, 40, 0, 64, 64, 0.25f + 0x1p-13f, 1, 1, 1, 1);
}

static void
discarded_depth(struct test *t, const void *data)
{
   test_depth(t, GR3D_COMPARE_FUNC_ALWAYS, true);
   test_uniform(t, 0, 0.5);
   test_fragment_program(t, FP_DISCARD_RIGHT("store surface1, r2;"));
   test_ramp(t, WHOLE, 1, 1);
}

static void
polygon_offset(struct test *t, const void *data)
{
   static const float units[4] = { 0x1p-16f, 0x1p-12f, 0x1p-8f, 0.25f };
   test_depth(t, GR3D_COMPARE_FUNC_ALWAYS, true);
   for (unsigned i = 0; i < 4; i++) {
      test_float(t, GR3D_POLYGON_OFFSET_UNITS, units[i]);
      test_quad(t, 16 * i, 0, 16 * i + 16, 32, 0, 1, 0, 0, 1);
   }
   test_float(t, GR3D_POLYGON_OFFSET_UNITS, 0);
   test_float(t, GR3D_POLYGON_OFFSET_FACTOR, 1);
   unsigned first = test_vertex(t, 0, 32, -0.5f, 1, 0, 0, 1);
   test_vertex(t, 64, 32, 0.5f, 0, 1, 0, 1);
   test_vertex(t, 0, 64, -0.5f, 0, 0, 1, 1);
   test_draw(t, TRIANGLES, first, 3);
}

/* An offset that takes a quad out of the range of 0x404 and 0x405, and one
 * into it. */
static void
offset_and_range(struct test *t, const void *data)
{
   test_depth(t, GR3D_COMPARE_FUNC_ALWAYS, true);
   test_reg(t, GR3D_DEPTH_RANGE_NEAR, 0x40000);
   test_reg(t, GR3D_DEPTH_RANGE_FAR, 0xc0000);
   test_float(t, GR3D_GUARDBAND_DEPTH, 6.99f);
   test_float(t, GR3D_POLYGON_OFFSET_UNITS, 0.5f);
   test_quad(t, 0, 0, 32, 64, 0, 1, 0, 0, 1);
   test_quad(t, 32, 0, 64, 64, -0.75f, 0, 1, 0, 1);
}

/* --- stencil --- */

static void
stencil_mask(struct test *t, const void *data)
{
   /* replace in every case, reference 0xff, mask 0x0f */
   test_stencil(t, 0x68, 0x7ff,
                0xffu << 17 | 0x0f << 9 | 2 << 6 | 2 << 3 | 2);
   test_quad(t, WHOLE, 0, 1, 0, 0, 1);
}

/* The left half of the target fails the test; the program discards the upper
 * half of both, the write is late. */
static void
late_stencil(struct test *t, const void *data)
{
   for (unsigned y = 0; y < 64; y++)
      memset(t->memory + AT_STENCIL + y / 16 * 16 * 256 + y % 16 * 16, 1, 16),
         memset(t->memory + AT_STENCIL + y / 16 * 16 * 256 + 256 +
                   y % 16 * 16,
                1, 16);
   test_stencil(t, 0x28, GR3D_COMPARE_FUNC_EQUAL << 8 | 0xff,
                0x40u << 17 | 0xff << 9 | 3 << 6 | 5 << 3 | 6);
   test_reg(t, GR3D_LATE_TEST, 0x60);
   test_uniform(t, 0, 0.5);
   test_fragment_program(t, "rows 1; exec; " MFU_SETUP
                            ", r0 = tram0.x, r1 = tram0.y;"
                            "alu kill = gt0 r1*1 + -u0 | nop | nop | nop; "
                            "store surface2, stencil;");
   test_ramp(t, WHOLE, 1, 1);
}

/* --- targets --- */

static void
large_target(struct test *t, const void *data)
{
   test_reg(t, GR3D_SCISSOR_HORIZ, 2048);
   test_reg(t, GR3D_SCISSOR_VERT, 16);
   test_float(t, GR3D_VIEWPORT_X_BIAS, 8 * 2048);
   test_float(t, GR3D_VIEWPORT_X_SCALE, 8 * 2048);
   test_target(t, 1, AT_TARGET, GR3D_PIXEL_FORMAT_RGBA8888, 4 * 2048);
   test_ramp(t, WHOLE, 1, 1);
}

/* data: pitch << 8 | offset of the base */
static void
small_pitch(struct test *t, const void *data)
{
   unsigned value = *(const unsigned *)data;
   test_reg(t, GR3D_SCISSOR_HORIZ, (value >> 8) / 4);
   test_reg(t, GR3D_SCISSOR_VERT, 16);
   test_target(t, 1, AT_TARGET + (value & 0xff), GR3D_PIXEL_FORMAT_RGBA8888,
               value >> 8);
   test_ramp(t, WHOLE, 1, 1);
}

static void
two_targets(struct test *t, const void *data)
{
   test_target(t, 3, AT_SECOND, GR3D_PIXEL_FORMAT_RGBA8888, 4 * TEST_SIZE);
   test_reg(t, GR3D_RT_ENABLE, 10);
   test_fragment_program(t, "rows 1; exec; " MFU_SETUP
                            ", r0 = tram0.x, r1 = tram0.y;"
                            "alu r2.l = r0*1 + 0 | r2.h = 0*0 + 0 | r3.l = "
                            "0*0 + 0 | r3.h = 1*1 + 0;"
                            "store surface1, r2; exec; alu r2.h = r1*1 + 0 | "
                            "nop | nop | nop; store surface3, r2;");
   test_ramp(t, WHOLE, 1, 1);
}

static void
not_enabled(struct test *t, const void *data)
{
   test_reg(t, GR3D_RT_ENABLE, 0);
   test_ramp(t, WHOLE, 1, 1);
}

/* data: format << 1 | dither */
static void
gradient(struct test *t, const void *data)
{
   unsigned value = *(const unsigned *)data;
   test_reg(t, GR3D_RT_PARAMS(1), value >> 1 << 2 | 256 << 8 | (value & 1));
   test_fragment_program(t, "rows 1; exec; " MFU_SETUP
                            ", r0 = tram0.x, r1 = tram0.y;"
                            "alu r2.l = r0*1 + 0 | r2.h = r1*1 + 0 | r3.l = "
                            "r0*r1 + 0 | r3.h = r1*1 + 0;"
                            "store surface1, r2;");
   test_ramp(t, WHOLE, 1, 1);
}

/* data: format.  Adds one quarter to what is there, through the fetch. */
static void
fetch_and_store(struct test *t, const void *data)
{
   unsigned format = *(const unsigned *)data;
   test_reg(t, GR3D_RT_PARAMS(1), format << 2 | 256 << 8);
   test_uniform_pair(t, 0, 0.25, 0.25);
   test_fragment_program(t, "rows 1; exec; fetch surface1, r2;"
                            "alu r2.l = r2.l*1 + u0.l | r2.h = r2.h*1 + u0.l "
                            "| r3.l = r3.l*1 + u0.l | r3.h = r3.h*1 + u0.l;"
                            "store surface1, r2;");
   test_quad(t, WHOLE, 0, 0, 0, 0, 0);
}

/* 20 overlapping triangles of one draw, each adds 1/32. */
static void
overlapping(struct test *t, const void *data)
{
   test_uniform_pair(t, 0, 0.03125, 0.03125);
   test_fragment_program(t, "rows 1; exec; fetch surface1, r2;"
                            "alu r2.l = sat r2.l*1 + u0.l | r2.h = sat "
                            "r2.h*1 + u0.l | nop | nop; store surface1, r2;");
   for (unsigned i = 0; i < 20; i++) {
      test_vertex(t, 3 * i, 0, 0, 0, 0, 0, 0);
      test_vertex(t, 64, 3 * i, 0, 0, 0, 0, 0);
      test_vertex(t, 0, 64, 0, 0, 0, 0, 0);
   }
   test_draw(t, TRIANGLES, 0, 60);
}

static void
exchanged_target(struct test *t, const void *data)
{
   test_target(t, 1, AT_TARGET, GR3D_PIXEL_FORMAT_BGRA8888, 4 * TEST_SIZE);
   test_ramp(t, WHOLE, 1, 0.5f);
}

/* Beyond two edges of the viewport, which is the target: without and with a
 * guard band. */
static void
beyond_the_edges(struct test *t, const void *data)
{
   test_float(t, GR3D_GUARDBAND_WIDTH, *(const float *)data);
   test_float(t, GR3D_GUARDBAND_HEIGHT, *(const float *)data);
   test_vertex(t, -20, 4, 0, 1, 0, 0, 1);
   test_vertex(t, 90, 20, 0, 0, 1, 0, 1);
   test_vertex(t, 30, 60, 0, 0, 0, 1, 1);
   test_draw(t, TRIANGLES, 0, 3);
}

/*
 * 64 overlapping quads, each a draw of its own that adds to the pixel, with
 * another program and other constants than the one before: what A98 is about.
 * data: 1 in the other order, whose sums differ where they saturate.
 */
static void
soak(struct test *t, const void *data)
{
   static const char *const programs[2] = {
      "rows 1; exec; fetch surface1, r2;"
      "alu r2.l = sat r2.l*u1.l + u0.l | r2.h = sat r2.h*1 + u0.h | r3.l = "
      "r3.l*1 + 0 | r3.h = r3.h*1 + 0; store surface1, r2;",
      "rows 1; exec; fetch surface1, r2;"
      "alu r2.l = sat r2.l*1 + u0.h | r2.h = sat r2.h*u1.l + u0.l | r3.l = "
      "r3.l*1 + 0 | r3.h = r3.h*1 + 0; store surface1, r2;",
   };
   const bool backwards = *(const unsigned *)data;

   test_uniform_pair(t, 1, 0.75, 0.75);
   for (unsigned n = 0; n < 64; n++) {
      const unsigned i = backwards ? 63 - n : n;
      const float x = i % 8 * 4, y = i / 8 * 4;

      test_uniform_pair(t, 0, i % 5 / 16.0, i % 7 / 32.0);
      test_fragment_program(t, programs[i % 2]);
      test_quad(t, x, y, x + 36, y + 36, 0, 0, 0, 0, 0);
   }
}

const struct experiment soak_tests[2] = {
   { "A98", "soak", "64 overlapping quads in one job", soak, UNSIGNED(0) },
   { "A98", "soak-backwards", "the same in the other order", soak,
     UNSIGNED(1) },
};

static const struct experiment table[] = {
   { "A100", "no-guard-band", "a triangle beyond the edges, guard band 1.0",
     beyond_the_edges, &(const float){ 1 } },
   { "A100", "guard-band", "a triangle beyond the edges, guard band 6.99",
     beyond_the_edges, &(const float){ 6.99f } },
   { "A20", "near-far-exact", "depth beyond both planes, guard band 1.0",
     through_the_planes, &(const float){ 1 } },
   { "A20", "near-far-wide", "depth beyond both planes, guard band 6.99",
     through_the_planes, &(const float){ 6.99f } },
   { "A20", "reversed-range", "0x404 larger than 0x405", reversed_range },
   { "A20", "range-mode-0", "the same with bits 10:9 of 0x403 = 0",
     range_mode, UNSIGNED(0) },
   { "A20", "range-mode-1", "the same with bits 10:9 of 0x403 = 1",
     range_mode, UNSIGNED(1) },
   { "A20", "range-mode-2", "the same with bits 10:9 of 0x403 = 2",
     range_mode, UNSIGNED(2) },
   { "A20", "range-mode-3", "the same with bits 10:9 of 0x403 = 3",
     range_mode, UNSIGNED(3) },
   { "A134", "range-16-bits", "a depth range in units of 16 bits",
     range_in_16_bits },
   { "A132", "depth-enable-both", "depth and colour, 0x903 = 0x10003",
     depth_enable, UNSIGNED(0x10003) },
   { "A132", "depth-enable-16", "depth and colour, 0x903 = 0x10002",
     depth_enable, UNSIGNED(0x10002) },
   { "A132", "depth-enable-0", "depth and colour, 0x903 = 0x3", depth_enable,
     UNSIGNED(0x3) },
   { "A135", "register-412-1", "draws with 0x412 = 1", counter_control,
     UNSIGNED(1) },
   { "A135", "register-412-2", "draws with 0x412 = 2", counter_control,
     UNSIGNED(2) },
   { "A135", "register-412-4", "draws with 0x412 = 4", counter_control,
     UNSIGNED(4) },
   { "A135", "register-412-all", "draws with 0x412 = 0xffffffff",
     counter_control, UNSIGNED(~0u) },
   { "A21", "behind-the-eye", "a triangle with one vertex behind the eye",
     behind_the_eye },
   { "A21", "behind-the-eye-exact", "the same with guard band 1.0",
     behind_the_eye, &(const float){ 1 } },
   { "A22", "subpixel-edges", "edges in steps of 1/64 pixel",
     subpixel_edges },
   { "A23", "edges-on-centres", "edges through pixel centres",
     edges_on_centres },
   { "A24", "lines-1", "lines of width 1 in 16 directions", lines,
     UNSIGNED(1) },
   { "A24", "lines-2", "lines of width 2 in 16 directions", lines,
     UNSIGNED(2) },
   { "A24", "lines-5", "lines of width 5 in 16 directions", lines,
     UNSIGNED(5) },
   { "A25", "points", "points of four sizes at four sub-pixel positions",
     points },
   { "A26", "point-size", "0x347 = 8", point_size },
   { "A28", "polygon-offset", "units and factor on quads", polygon_offset },
   { "A29", "degenerate", "a triangle without area, culled lines and points",
     degenerate },
   { "A29", "facing", "culling with upright and mirrored viewport", facing,
     UNSIGNED(0) },
   { "A130", "facing-clockwise", "the same where clockwise is the front",
     facing, UNSIGNED(1) },
   { "A30", "flat-first", "flat strip and fan, first vertex", flat_shading,
     UNSIGNED(0) },
   { "A30", "flat-last", "flat strip and fan, last vertex", flat_shading,
     UNSIGNED(1) },
   { "A33", "slanted-depth", "depth of a slanted quad", slanted_depth },
   { "A34", "equal-depth",
     "EQUAL against the own depth and against 2^-18 and 2^-14 more",
     equal_depth },
   { "A35", "discarded-depth", "depth of discarded fragments",
     discarded_depth },
   { "A36", "late-stencil",
     "late stencil write with discarded and failed fragments", late_stencil },
   { "A37", "stencil-mask", "write mask 0x0f", stencil_mask },
   { "A38", "linear-depth", "a linear depth surface", linear_depth },
   { "A56", "overlapping", "20 overlapping triangles that add to the pixel",
     overlapping },
   { "A62", "gradient-565", "a gradient in 565", gradient,
     UNSIGNED(GR3D_PIXEL_FORMAT_RGB565 << 1) },
   { "A61", "gradient-5551", "a gradient in 5551", gradient,
     UNSIGNED(GR3D_PIXEL_FORMAT_RGBA5551 << 1) },
   { "A61", "gradient-4444", "a gradient in 4444", gradient,
     UNSIGNED(GR3D_PIXEL_FORMAT_RGBA4444 << 1) },
   { "A66", "target-0e", "a target of format 0x0e", exchanged_target },
   { "A67", "target-2048", "a target of 2048x16", large_target },
   { "A67", "pitch-16", "a target with pitch 16, base 16", small_pitch,
     UNSIGNED(16 << 8 | 16) },
   { "A67", "pitch-64", "a target with pitch 64, base 64", small_pitch,
     UNSIGNED(64 << 8 | 64) },
   { "A68", "two-targets", "stores to surfaces 1 and 3", two_targets },
   { "A69", "fetch-565", "fetch and store on 565", fetch_and_store,
     UNSIGNED(GR3D_PIXEL_FORMAT_RGB565) },
   { "A69", "fetch-8888", "fetch and store on 8888", fetch_and_store,
     UNSIGNED(GR3D_PIXEL_FORMAT_RGBA8888) },
   { "A70", "dither", "a gradient in 565 with the dither bit", gradient,
     UNSIGNED(GR3D_PIXEL_FORMAT_RGB565 << 1 | 1) },
   { "A88", "offset-and-range", "polygon offset across the depth range",
     offset_and_range },
   { "A90", "not-enabled", "a store to a surface that 0x903 does not enable",
     not_enabled },
};

const struct experiment_table raster_experiments = {
   table, sizeof(table) / sizeof(table[0])
};
