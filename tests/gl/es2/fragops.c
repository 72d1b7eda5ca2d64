/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Operations on fragments: depth, stencil, blending, masks, scissor, depth range, clears, and random combinations of them.
 */

#include "families.h"
#include "scene.h"

#define SIZE 64

static struct grid_target target;
static GLuint program;
static GLint color_location;

static const GLenum compare[] = { GL_NEVER, GL_LESS, GL_EQUAL, GL_LEQUAL, GL_GREATER, GL_NOTEQUAL, GL_GEQUAL, GL_ALWAYS };
static const char *const compare_names[] = { "never", "less", "equal", "lequal", "greater", "notequal", "gequal", "always" };
static const GLenum stencil_ops[] = { GL_KEEP, GL_ZERO, GL_REPLACE, GL_INCR, GL_DECR, GL_INVERT, GL_INCR_WRAP, GL_DECR_WRAP };
static const char *const stencil_op_names[] = { "keep", "zero", "replace", "incr", "decr", "invert", "incr_wrap", "decr_wrap" };

static const GLenum factors[] = {
   GL_ZERO, GL_ONE, GL_SRC_COLOR, GL_ONE_MINUS_SRC_COLOR, GL_DST_COLOR, GL_ONE_MINUS_DST_COLOR, GL_SRC_ALPHA,
   GL_ONE_MINUS_SRC_ALPHA, GL_DST_ALPHA, GL_ONE_MINUS_DST_ALPHA, GL_CONSTANT_COLOR, GL_ONE_MINUS_CONSTANT_COLOR,
   GL_CONSTANT_ALPHA, GL_ONE_MINUS_CONSTANT_ALPHA, GL_SRC_ALPHA_SATURATE,
};
static const GLenum equations[] = { GL_FUNC_ADD, GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT };
static const char *const equation_names[] = { "add", "sub", "rsub" };

static const struct grid_tolerance rounding = { 1 };

static void
reset(void)
{
   scene_reset_state();
   glDisable(GL_POLYGON_OFFSET_FILL);
   glPolygonOffset(0, 0);
   glDepthRangef(0, 1);
   glStencilFunc(GL_ALWAYS, 0, ~0u);
   glBlendColor(0, 0, 0, 0);
   glBlendFunc(GL_ONE, GL_ZERO);
   glViewport(0, 0, SIZE, SIZE);
   clear_all(0, 0, 0, 0, 1, 0);
}

static void
begin(void)
{
   grid_target_create(&target, SIZE, SIZE, true);
   /* the texture coordinates are a gradient in colour when "color" is negative */
   program = grid_program("attribute vec4 position;\nattribute vec2 a0;\nvarying vec2 t;\n"
                          "void main() { gl_Position = position; t = a0; }",
                          "precision mediump float;\nvarying vec2 t;\nuniform vec4 color;\n"
                          "void main() { gl_FragColor = color.a < -0.5 ? vec4(t, 1.0 - t) : color; }");
   glUseProgram(program);
   color_location = glGetUniformLocation(program, "color");
}

static void
end(void)
{
   reset();
   glDeleteProgram(program);
   grid_target_destroy(&target);
}

static void
color(float r, float g, float b, float a)
{
   glUniform4f(color_location, r, g, b, a);
}

/* A quad whose depth goes from z0 at the left to z1 at the right; wound clockwise when back is set. */
static void
slope(float x0, float y0, float x1, float y1, float z0, float z1, bool back)
{
   float p[4][3] = { { x0, y0, z0 }, { x1, y0, z1 }, { x0, y1, z0 }, { x1, y1, z1 } };
   const GLubyte front_order[] = { 0, 1, 2, 2, 1, 3 }, back_order[] = { 1, 0, 2, 1, 2, 3 };
   const float st[8] = { 0, 0, 1, 0, 0, 1, 1, 1 };
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   use_floats(0, 3, p);
   use_floats(1, 2, st);
   glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_BYTE, back ? back_order : front_order);
}

/* Shows depth and stencil as colours: sixteen bands of depth in red, the stencil's value in green. */
static void
show_depth_stencil(bool depth, bool stencil)
{
   glDisable(GL_BLEND);
   glDisable(GL_SCISSOR_TEST);
   glDisable(GL_CULL_FACE);
   glDisable(GL_POLYGON_OFFSET_FILL);
   glDepthRangef(0, 1);
   glViewport(0, 0, SIZE, SIZE);
   glDepthMask(GL_FALSE);
   if (depth) {
      glDisable(GL_STENCIL_TEST);
      glEnable(GL_DEPTH_TEST);
      glDepthFunc(GL_LESS);
      glColorMask(GL_TRUE, GL_FALSE, GL_FALSE, GL_FALSE);
      for (unsigned i = 0; i < 16; i++) {
         color(i / 15.0f, 0, 0, 0);
         slope(-1, -1, 1, 1, i / 8.0f - 1 + 0.0371f, i / 8.0f - 1 + 0.0371f, false);
      }
   }
   glDisable(GL_DEPTH_TEST);
   if (stencil) {
      glEnable(GL_STENCIL_TEST);
      glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
      glColorMask(GL_FALSE, GL_TRUE, GL_FALSE, GL_FALSE);
      static const unsigned values[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 15, 16, 31, 63, 127, 128, 200, 240, 252, 253, 254, 255 };
      for (unsigned i = 0; i < ARRAY_SIZE(values); i++) {
         glStencilFunc(GL_EQUAL, values[i], 0xff);
         color(0, 0.1f + values[i] / 300.0f, 0, 0);
         slope(-1, -1, 1, 1, 0, 0, false);
      }
   }
}

/* --- depth and stencil ---------------------------------------------------------------------------------------------- */

static void
run_depth_stencil(void)
{
   begin();
   for (unsigned f = 0; f < 8; f++) {
      for (unsigned mask = 0; mask < 2; mask++) {
         if (!grid_begin("depth/%s_mask%u", compare_names[f], mask))
            continue;
         reset();
         glClearDepthf(0.5f);
         glClear(GL_DEPTH_BUFFER_BIT);
         glEnable(GL_DEPTH_TEST);
         glDepthFunc(compare[f]);
         glDepthMask(mask);
         color(0, 0.2f, 0.5f, 1);
         slope(-1, -1, 1, 0.5f, 0, 0, false);
         color(0, 0.5f, 0.7f, 1);
         slope(-0.7f, -0.8f, 0.9f, 0.7f, -1, 1, false);
         color(0, 0.7f, 1, 1);
         slope(-0.5f, -0.3f, 0.6f, 1, 0.8f, -0.9f, true);
         show_depth_stencil(true, false);
         grid_pixels(0, 0, SIZE, SIZE, (struct grid_tolerance){ 1, SIZE, false });
      }
   }
   for (unsigned f = 0; f < 8; f++) {
      for (unsigned o = 0; o < 8 * 8; o++) {
         unsigned fail = o & 7, zfail = (o >> 3) & 7, zpass = (o * 5 + f) & 7;
         if (!grid_begin("stencil/%s_%s_%s_%s", compare_names[f], stencil_op_names[fail], stencil_op_names[zfail],
                         stencil_op_names[zpass]))
            continue;
         reset();
         glEnable(GL_STENCIL_TEST);
         glEnable(GL_SCISSOR_TEST);
         for (unsigned i = 0; i < 8; i++) { /* stripes of stencil values */
            static const unsigned values[8] = { 0, 1, 2, 3, 127, 128, 254, 255 };
            glScissor(i * 8, 0, 8, SIZE);
            glClearStencil(values[i]);
            glClear(GL_STENCIL_BUFFER_BIT);
         }
         glDisable(GL_SCISSOR_TEST);
         glEnable(GL_DEPTH_TEST);
         glDepthFunc(GL_LESS);
         glClearDepthf(0.5f);
         glClear(GL_DEPTH_BUFFER_BIT);
         glStencilFuncSeparate(GL_FRONT, compare[f], 2, o & 1 ? 0xff : 0x03);
         glStencilFuncSeparate(GL_BACK, compare[7 - f], 128, 0xff);
         glStencilOpSeparate(GL_FRONT, stencil_ops[fail], stencil_ops[zfail], stencil_ops[zpass]);
         glStencilOpSeparate(GL_BACK, stencil_ops[zpass], stencil_ops[fail], stencil_ops[zfail]);
         glStencilMaskSeparate(GL_FRONT, o & 2 ? 0xff : 0x0f);
         glStencilMaskSeparate(GL_BACK, 0xff);
         color(0.2f, 0.4f, 0.6f, 1);
         slope(-1, -1, 1, 0.3f, -0.5f, 0.5f, false);
         color(0.6f, 0.4f, 0.9f, 1);
         slope(-1, -0.3f, 1, 1, 0.5f, -0.5f, true);
         show_depth_stencil(false, true);
         grid_pixels(0, 0, SIZE, SIZE, rounding);
      }
   }
   end();
}

/* --- blending ------------------------------------------------------------------------------------------------------- */

static void
paint_background(void)
{
   color(0, 0, 0, -1);
   slope(-1, -1, 1, 1, 0, 0, false);
   color(0.8f, 0.3f, 0.1f, 0.6f);
   slope(-0.5f, -0.5f, 0.5f, 0.5f, 0, 0, false);
}

static void
paint_foreground(void)
{
   color(0.3f, 0.6f, 0.9f, 0.4f);
   slope(-1, -1, 0, 0, 0, 0, false);
   color(1, 0, 0.5f, 1);
   slope(0, -1, 1, 0, 0, 0, false);
   color(0, 0, 0, -1);
   slope(1, 0, -1, 1, 0, 0, true);
   color(0.2f, 0.9f, 0.4f, 0.7f);
   slope(-0.3f, -0.3f, 0.3f, 0.3f, 0, 0, false);
}

static void
run_blend(void)
{
   begin();
   for (unsigned e = 0; e < ARRAY_SIZE(equations); e++) {
      for (unsigned s = 0; s < ARRAY_SIZE(factors); s++) {
         for (unsigned d = 0; d < ARRAY_SIZE(factors) - 1; d++) {
            if (!grid_begin("blend/%s_%u_%u", equation_names[e], s, d))
               continue;
            reset();
            paint_background();
            glEnable(GL_BLEND);
            glBlendColor(0.2f, 0.4f, 0.6f, 0.8f);
            glBlendEquation(equations[e]);
            glBlendFunc(factors[s], factors[d]);
            paint_foreground();
            grid_pixels(0, 0, SIZE, SIZE, (struct grid_tolerance){ 3, 32, false });
         }
      }
   }
   for (unsigned i = 0; i < 120; i++) {
      if (!grid_begin("blend/separate_%u", i))
         continue;
      reset();
      paint_background();
      glEnable(GL_BLEND);
      glBlendColor(0.2f, 0.4f, 0.6f, 0.8f);
      unsigned rgb = grid_random_below(3), alpha = grid_random_below(3);
      glBlendEquationSeparate(equations[rgb], equations[alpha]);
      unsigned f[4] = { grid_random_below(15), grid_random_below(14), grid_random_below(15), grid_random_below(14) };
      glBlendFuncSeparate(factors[f[0]], factors[f[1]], factors[f[2]], factors[f[3]]);
      unsigned mask = i & 1 ? 15 : grid_random_below(16);
      glColorMask(mask & 1, mask >> 1 & 1, mask >> 2 & 1, mask >> 3 & 1);
      paint_foreground();
      grid_pixels(0, 0, SIZE, SIZE, (struct grid_tolerance){ 3, 32, false });
   }
   for (unsigned mask = 0; mask < 16; mask++) {
      if (!grid_begin("color_mask/%u", mask))
         continue;
      reset();
      paint_background();
      glColorMask(mask & 1, mask >> 1 & 1, mask >> 2 & 1, mask >> 3 & 1);
      paint_foreground();
      scissor_to(40, 5, 20, 50);
      clear_color(0.1f, 0.6f, 0.9f, 0.3f);
      grid_pixels(0, 0, SIZE, SIZE, rounding);
   }
   end();
}

/* --- scissor, clears, depth range ----------------------------------------------------------------------------------- */

static void
run_clears(void)
{
   begin();
   static const int boxes[][4] = {
      { 0, 0, 64, 64 }, { 10, 10, 20, 30 }, { -5, -5, 20, 20 }, { 50, 50, 100, 100 }, { 20, 20, 0, 10 }, { 30, 30, 1, 1 },
      { 64, 0, 10, 10 }, { -10, 5, 10, 10 }, { 63, 63, 1, 1 }, { 0, 31, 64, 1 }, { 17, 0, 1, 64 }, { -100, -100, 1000, 1000 },
      { 0, 0, 2147483647, 2147483647 }, { 5, 7, 31, 13 }, { 33, 2, 7, 61 },
   };
   for (unsigned i = 0; i < ARRAY_SIZE(boxes); i++) {
      for (unsigned kind = 0; kind < 6; kind++) {
         static const char *const kinds[] = { "draw", "clear", "points", "lines", "clear_ds", "clear_masked" };
         if (!grid_begin("scissor/%s_%u", kinds[kind], i))
            continue;
         reset();
         paint_background();
         scissor_to(boxes[i][0], boxes[i][1], boxes[i][2], boxes[i][3]);
         glClearColor(0.7f, 0.2f, 0.4f, 0.6f);
         glClearStencil(0xa5);
         glClearDepthf(0.25f);
         if (kind == 1 || kind == 5) {
            if (kind == 5)
               glColorMask(GL_TRUE, GL_FALSE, GL_FALSE, GL_TRUE);
            glClear(GL_COLOR_BUFFER_BIT);
         } else if (kind == 4) {
            glStencilMask(0x3c);
            glClear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
            glDisable(GL_SCISSOR_TEST);
            glStencilMask(0xff);
            show_depth_stencil(true, true);
         } else {
            const float p[] = { -0.9f, -0.9f, 0.95f, 0.9f, 0.9f, -0.85f, -0.8f, 0.9f, 0.01f, 0.01f, 0.1f, 1.2f };
            color(1, 1, 0, 1);
            if (kind == 0) {
               slope(-2, -2, 2, 2, 0, 0, false);
            } else {
               glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, p);
               glLineWidth(3);
               glDisableVertexAttribArray(1);
               glDrawArrays(kind == 2 ? GL_POINTS : GL_LINES, 0, 6);
               glLineWidth(1);
            }
         }
         /* the pixel at the end of a line may be either of two */
         grid_pixels(0, 0, SIZE, SIZE, (struct grid_tolerance){ 1, kind == 3 ? 8 : 0, kind == 3 });
      }
   }
   for (unsigned i = 0; i < 60; i++) {
      if (!grid_begin("clear/random_%u", i))
         continue;
      reset();
      for (unsigned k = 0; k < 8; k++) {
         unsigned mask = grid_random_below(32), bits = 1 + grid_random_below(7);
         if (grid_random_below(3)) {
            glEnable(GL_SCISSOR_TEST);
            glScissor((int)grid_random_below(70) - 5, (int)grid_random_below(70) - 5, grid_random_below(50),
               grid_random_below(50));
         } else {
            glDisable(GL_SCISSOR_TEST);
         }
         glColorMask(mask & 1, mask >> 1 & 1, mask >> 2 & 1, mask >> 3 & 1);
         glDepthMask(mask >> 4 & 1);
         glStencilMask(grid_random_below(256));
         glClearColor(grid_random_float(-0.5f, 1.5f), grid_random_float(0, 1), grid_random_float(0, 1), grid_random_float(0, 1));
         glClearDepthf(grid_random_float(-0.2f, 1.2f));
         glClearStencil(grid_random_below(300));
         glClear((bits & 1 ? GL_COLOR_BUFFER_BIT : 0) | (bits & 2 ? GL_DEPTH_BUFFER_BIT : 0) |
                 (bits & 4 ? GL_STENCIL_BUFFER_BIT : 0));
      }
      if (i % 3)
         show_depth_stencil(i % 3 == 1, i % 3 == 2);
      grid_pixels(0, 0, SIZE, SIZE, rounding);
   }
   end();
}

static void
run_depth_range(void)
{
   static const float ranges[][2] = { { 0, 1 }, { 1, 0 }, { 0.5f, 1 }, { 0, 0.5f }, { 0.25f, 0.75f }, { 0.8f, 0.1f },
                                      { 0.5f, 0.5f }, { -1, 2 }, { 0, 0 }, { 1, 1 } };
   begin();
   for (unsigned i = 0; i < ARRAY_SIZE(ranges); i++) {
      for (unsigned kind = 0; kind < 3; kind++) {
         if (!grid_begin("depth_range/%g_%g_%u", ranges[i][0], ranges[i][1], kind))
            continue;
         reset();
         glEnable(GL_DEPTH_TEST);
         glDepthFunc(GL_ALWAYS);
         glDepthRangef(ranges[i][0], ranges[i][1]);
         color(0, 0, 1, 1);
         /* inside, partly clipped, perspective */
         float s = kind == 1 ? 1.6f : 0.9f;
         slope(-0.9f, -0.9f, 0.9f, 0.9f, -s, s, false);
         if (kind == 2)
            slope(-0.5f, -1, 0.7f, 0.8f, 3, -2, true);
         show_depth_stencil(true, false);
         grid_pixels(0, 0, SIZE, SIZE, (struct grid_tolerance){ 1, SIZE * 2, false });
      }
   }
   end();
}

/* --- everything at once --------------------------------------------------------------------------------------------- */

void
scene_random_state(void)
{
   unsigned bits = grid_random_below(64);
   (bits & 1 ? glEnable : glDisable)(GL_DEPTH_TEST);
   (bits & 2 ? glEnable : glDisable)(GL_STENCIL_TEST);
   (bits & 4 ? glEnable : glDisable)(GL_BLEND);
   ((bits & 56) == 8 ? glEnable : glDisable)(GL_SCISSOR_TEST);
   ((bits & 56) == 16 ? glEnable : glDisable)(GL_CULL_FACE);
   glCullFace(bits & 1 ? GL_FRONT : GL_BACK);
   glDepthFunc(compare[grid_random_below(8)]);
   glDepthMask(grid_random_below(4) != 0);
   glScissor(grid_random_below(40), grid_random_below(40), 20 + grid_random_below(40), 20 + grid_random_below(40));
   glStencilFuncSeparate(GL_FRONT, compare[grid_random_below(8)], grid_random_below(8), 0xff >> grid_random_below(8));
   glStencilFuncSeparate(GL_BACK, compare[grid_random_below(8)], grid_random_below(8), 0xff >> grid_random_below(8));
   glStencilOpSeparate(GL_FRONT, stencil_ops[grid_random_below(8)], stencil_ops[grid_random_below(8)],
      stencil_ops[grid_random_below(8)]);
   glStencilOpSeparate(GL_BACK, stencil_ops[grid_random_below(8)], stencil_ops[grid_random_below(8)],
      stencil_ops[grid_random_below(8)]);
   glStencilMaskSeparate(GL_FRONT, 0xff >> grid_random_below(8));
   glStencilMaskSeparate(GL_BACK, 0xff >> grid_random_below(8));
   glBlendColor(grid_random_float(0, 1), grid_random_float(0, 1), grid_random_float(0, 1), grid_random_float(0, 1));
   glBlendEquationSeparate(equations[grid_random_below(3)], equations[grid_random_below(3)]);
   GLenum f[4];
   for (unsigned i = 0; i < 4; i++)
      f[i] = factors[grid_random_below(i & 1 ? 14 : 15)];
   glBlendFuncSeparate(f[0], f[1], f[2], f[3]);
   unsigned mask = grid_random_below(3) ? 15 : grid_random_below(16);
   glColorMask(mask & 1, mask >> 1 & 1, mask >> 2 & 1, mask >> 3 & 1);
}

static void
run_interaction(void)
{
   begin();
   for (unsigned i = 0; i < 200; i++) {
      if (!grid_begin("interaction/random_%u", i))
         continue;
      reset();
      paint_background();
      glClearDepthf(0.6f);
      glClearStencil(2);
      glClear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
      for (unsigned k = 0; k < 12; k++) {
         scene_random_state();
         /* edges stay away from pixel centres, where the drivers' grids of coordinates decide */
         float e[4];
         for (unsigned c = 0; c < 4; c++)
            e[c] = (grid_random_below(48) + (c & 1 ? 2.25f : 0.25f)) / 32 - 1;
         if (grid_random_below(3))
            color(grid_random_float(0, 1), grid_random_float(0, 1), grid_random_float(0, 1), grid_random_float(0, 1));
         else
            color(0, 0, 0, -1);
         slope(MIN2(e[0], e[1]), MIN2(e[2], e[3]), MAX2(e[0], e[1]), MAX2(e[2], e[3]), grid_random_float(-1, 1),
               grid_random_float(-1, 1), grid_random_below(2));
      }
      if (i % 3)
         show_depth_stencil(i % 3 == 1, i % 3 == 2);
      grid_pixels(0, 0, SIZE, SIZE, (struct grid_tolerance){ 6, SIZE, false });
   }
   end();
}

const struct grid_family family_depth_stencil = { "depth_stencil", run_depth_stencil };
const struct grid_family family_blend = { "blend", run_blend };
const struct grid_family family_clears = { "clears", run_clears };
const struct grid_family family_depth_range = { "depth_range", run_depth_range };
const struct grid_family family_interaction = { "interaction", run_interaction };
