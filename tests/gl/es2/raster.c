/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Rasterisation with results that are known: every pixel of shared edges once, point squares, culling, interpolation to
 * within a step of eight bits, clipping against all planes, viewports.
 */

#include <math.h>

#include "families.h"

#define SIZE 128

static struct grid_target target;
static GLuint program;
static uint8_t pixels[2048 * 8 * 4 + SIZE * SIZE * 4];

/* The program draws the colours of attribute 1 at the positions of attribute 0, in points of the uniform "size". */
static void
begin(void)
{
   grid_target_create(&target, SIZE, SIZE, true);
   program = grid_program("attribute highp vec4 position, a0;\nvarying highp vec4 c;\nuniform float size;\n"
                          "void main() { gl_Position = position; c = a0; gl_PointSize = size; }",
                          "precision mediump float;\nvarying highp vec4 c;\nvoid main() { gl_FragColor = c; }");
   glUseProgram(program);
   glUniform1f(glGetUniformLocation(program, "size"), 1);
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   glEnableVertexAttribArray(0);
   glClearColor(0, 0, 0, 0);
}

static void
end(void)
{
   glDisableVertexAttribArray(0);
   glDisableVertexAttribArray(1);
   glDeleteProgram(program);
   grid_target_destroy(&target);
}

static void
draw(GLenum mode, const float *positions, unsigned components, unsigned count, const float *color)
{
   glVertexAttribPointer(0, components, GL_FLOAT, GL_FALSE, 0, positions);
   glDisableVertexAttribArray(1);
   glVertexAttrib4fv(1, color);
   glDrawArrays(mode, 0, count);
}

static void
read(void)
{
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}

/* --- shared edges --------------------------------------------------------------------------------------------------- */

/* A mesh over the whole target with moved inner vertices, added up: every pixel is hit exactly once. */
static void
check_mesh(unsigned cells, float shift, float angle, GLenum mode)
{
   static float p[32 * 32 * 6][2];
   float v[33][33][2];
   unsigned n = 0;
   for (unsigned y = 0; y <= cells; y++) {
      for (unsigned x = 0; x <= cells; x++) {
         bool border = x == 0 || y == 0 || x == cells || y == cells;
         float s = border ? 1.3f : 1, px = (x * 2.0f / cells - 1) * s, py = (y * 2.0f / cells - 1) * s;
         if (!border) {
            px += grid_random_float(-shift, shift) / cells;
            py += grid_random_float(-shift, shift) / cells;
         }
         v[y][x][0] = px * cosf(angle) - py * sinf(angle);
         v[y][x][1] = px * sinf(angle) + py * cosf(angle);
      }
   }
   for (unsigned y = 0; y < cells; y++) {
      for (unsigned x = 0; x < cells; x++) {
         static const uint8_t corner[2][6][2] = { { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 0, 1 }, { 1, 0 }, { 1, 1 } },
                                                  { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 0 }, { 1, 1 }, { 0, 1 } } };
         for (unsigned k = 0; k < 6; k++, n++)
            memcpy(p[n], v[y + corner[(x + y) & 1][k][1]][x + corner[(x + y) & 1][k][0]], 8);
      }
   }
   const float color[4] = { 10 / 255.0f, 10 / 255.0f, 10 / 255.0f, 10 / 255.0f };
   glClear(GL_COLOR_BUFFER_BIT);
   blend_with(GL_ONE, GL_ONE);
   draw(mode, p[0], 2, n, color);
   glDisable(GL_BLEND);
   read();
   unsigned wrong = 0, at = 0;
   for (unsigned i = 0; i < SIZE * SIZE; i++) {
      if (pixels[i * 4] != 10) {
         wrong++;
         at = i;
      }
   }
   grid_check(!wrong, "%u pixels are not hit once, the last (%u, %u): %u", wrong, at % SIZE, at / SIZE, pixels[at * 4] / 10);
}

static void
run_edges(void)
{
   begin();
   for (unsigned cells = 1; cells <= 32; cells *= 2) {
      for (unsigned shift = 0; shift < 3; shift++) {
         for (unsigned angle = 0; angle < 5; angle++) {
            if (grid_begin("edges/mesh_%u_%u_%u", cells, shift, angle))
               check_mesh(cells, shift * 0.22f, angle * 0.07f, GL_TRIANGLES);
         }
      }
   }
   /* squares whose corners are on pixel borders, all over the target */
   for (unsigned size = 1; size <= 64; size *= 2) {
      if (!grid_begin("edges/squares_%u", size))
         continue;
      glClear(GL_COLOR_BUFFER_BIT);
      unsigned wrong = 0;
      for (unsigned i = 0; i < SIZE / size; i++) {
         float x0 = i * size * 2.0f / SIZE - 1, x1 = (i + 1) * size * 2.0f / SIZE - 1;
         const float p[8] = { x0, x0, x1, x0, x0, x1, x1, x1 }, color[4] = { 1, 1, 1, 1 };
         draw(GL_TRIANGLE_STRIP, p, 2, 4, color);
      }
      read();
      for (unsigned i = 0; i < SIZE * SIZE; i++)
         wrong += (pixels[i * 4] == 255) != (i % SIZE / size == i / SIZE / size);
      grid_check(!wrong, "%u wrong pixels", wrong);
   }
   end();
}

/* --- points and lines ----------------------------------------------------------------------------------------------- */

static void
run_points(void)
{
   GLfloat range[2];
   begin();
   glGetFloatv(GL_ALIASED_POINT_SIZE_RANGE, range);
   for (unsigned i = 0; i < 60; i++) {
      float size = i < 40 ? 1 + i : i < 50 ? 1 + (i - 40) * 1.37f : range[1] - (i - 50);
      if (!grid_begin("points/%g_%u", size, i))
         continue;
      /* the centre is away from pixel borders and centres: the square's pixels are known */
      float x = 60 + grid_random_below(10) + 0.25f, y = 55 + grid_random_below(10) + 0.31f;
      if (i < 40 && fabsf(size - roundf(size)) < 0.01f) {
         x = floorf(x) + ((unsigned)size & 1 ? 0.5f : 0);
         y = floorf(y) + ((unsigned)size & 1 ? 0.5f : 0);
      }
      const float p[4] = { x * 2 / SIZE - 1, y * 2 / SIZE - 1, 0, 1 }, color[4] = { 1, 1, 1, 1 };
      glUniform1f(glGetUniformLocation(program, "size"), size);
      glClear(GL_COLOR_BUFFER_BIT);
      draw(GL_POINTS, p, 4, 1, color);
      read();
      unsigned wrong = 0, at = 0;
      for (unsigned k = 0; k < SIZE * SIZE; k++) {
         float dx = fabsf(k % SIZE + 0.5f - x), dy = fabsf(k / SIZE + 0.5f - y), d = MAX2(dx, dy) - size / 2;
         if (fabsf(d) > 0.07f && (pixels[k * 4] == 255) != (d < 0)) { /* 1/16 pixel */
            wrong++;
            at = k;
         }
      }
      grid_check(!wrong, "%u wrong pixels, the last (%u, %u), centre %g %g", wrong, at % SIZE, at / SIZE, x, y);
   }
   /* many one-pixel points: each hits one pixel */
   for (unsigned i = 0; i < 4; i++) {
      static float p[1000][2];
      static uint8_t expected[SIZE * SIZE];
      if (!grid_begin("points/many_%u", i))
         continue;
      memset(expected, 0, sizeof(expected));
      for (unsigned k = 0; k < 1000; k++) {
         unsigned x = grid_random_below(SIZE), y = grid_random_below(SIZE);
         p[k][0] = (x + 0.5f + i * 0.12f) * 2 / SIZE - 1;
         p[k][1] = (y + 0.5f - i * 0.12f) * 2 / SIZE - 1;
         expected[y * SIZE + x] = 255;
      }
      const float color[4] = { 1, 1, 1, 1 };
      glUniform1f(glGetUniformLocation(program, "size"), 1);
      glClear(GL_COLOR_BUFFER_BIT);
      draw(GL_POINTS, p[0], 2, 1000, color);
      read();
      unsigned wrong = 0;
      for (unsigned k = 0; k < SIZE * SIZE; k++)
         wrong += pixels[k * 4] != expected[k];
      grid_check(!wrong, "%u wrong pixels", wrong);
   }
   glUniform1f(glGetUniformLocation(program, "size"), 1);
   end();
}

/* Distance of a pixel's centre from the ideal line in the minor direction; the line is long and not clipped. */
static void
run_lines(void)
{
   GLfloat range[2];
   begin();
   glGetFloatv(GL_ALIASED_LINE_WIDTH_RANGE, range);
   for (unsigned w = 0; w < 8; w++) {
      static const float widths[8] = { 1, 2, 3, 4, 5, 7, 10, 1.4f };
      for (unsigned direction = 0; direction < 24; direction++) {
         if (!grid_begin("lines/%g_%u", widths[w], direction))
            continue;
         float a = direction * 0.2618f + 0.03f, x0 = 64.2f, y0 = 63.7f, dx = cosf(a), dy = sinf(a), length = 45;
         const float p[4] = { x0 * 2 / SIZE - 1, y0 * 2 / SIZE - 1, (x0 + dx * length) * 2 / SIZE - 1,
                              (y0 + dy * length) * 2 / SIZE - 1 };
         const float color[4] = { 1, 1, 1, 1 };
         glLineWidth(widths[w]);
         glClear(GL_COLOR_BUFFER_BIT);
         draw(GL_LINES, p, 2, 2, color);
         glLineWidth(1);
         read();
         float width = roundf(widths[w]);
         bool x_major = fabsf(dx) > fabsf(dy);
         unsigned wrong = 0, at = 0, covered = 0;
         for (unsigned k = 0; k < SIZE * SIZE; k++) {
            float px = k % SIZE + 0.5f - x0, py = k / SIZE + 0.5f - y0;
            float along = x_major ? px / dx : py / dy, minor = x_major ? py - dy * along : px - dx * along;
            float outside = MAX2(fabsf(minor) - width / 2, MAX2(-along, along - length));
            bool set = pixels[k * 4] == 255;
            covered += set;
            bool inside = along > 1 && along < length - 1;
            float beside = fabsf(minor) - width / 2; /* columns of a wide line are whole pixels around the ideal line */
            float slack = (unsigned)width & 1 ? 0.1f : 0.6f;
            if ((outside < -0.15f && !set && inside) || (outside > 1.1f && set) || (inside && beside > slack && set)) {
               wrong++;
               at = k;
            }
         }
         float steps = length * MAX2(fabsf(dx), fabsf(dy));
         grid_check(!wrong && fabsf(covered - steps * width) <= width * 1.5f + 1,
                    "%u wrong pixels, the last (%u, %u); %u covered of %g", wrong, at % SIZE, at / SIZE, covered,
                    steps * width);
      }
   }
   end();
}

/* --- culling, interpolation, clipping ------------------------------------------------------------------------------- */

static void
run_culling(void)
{
   static const GLenum faces[] = { GL_FRONT, GL_BACK, GL_FRONT_AND_BACK }, orders[] = { GL_CCW, GL_CW };
   static const GLenum modes[] = { GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN };
   begin();
   for (unsigned f = 0; f < 3; f++) {
      for (unsigned o = 0; o < 2; o++) {
         for (unsigned m = 0; m < 3; m++) {
            if (!grid_begin("culling/%u_%u_%u", f, o, m))
               continue;
            static float p[60][2];
            for (unsigned i = 0; i < 60; i++) {
               p[i][0] = (grid_random_below(240) + 8.375f) / SIZE - 1;
               p[i][1] = (grid_random_below(240) + 8.875f) / SIZE - 1;
            }
            glEnable(GL_CULL_FACE);
            glCullFace(faces[f]);
            glFrontFace(orders[o]);
            glClear(GL_COLOR_BUFFER_BIT);
            blend_with(GL_ONE, GL_ONE);
            for (unsigned i = 0; i + 6 <= 60; i += 6) {
               /* whole steps, since layers add up */
               const float color[4] = { i / 255.0f, 26 / 255.0f, (76 - i) / 255.0f, 13 / 255.0f };
               draw(modes[m], p[i], 2, 6, color);
            }
            glDisable(GL_BLEND);
            glDisable(GL_CULL_FACE);
            glFrontFace(GL_CCW);
            grid_pixels(0, 0, SIZE, SIZE, (struct grid_tolerance){ 3, 40, false });
         }
      }
   }
   end();
}

/* A ramp from 0 to 1 over a wide target, straight and in perspective: the error stays within two steps of eight bits. */
static void
run_interpolation(void)
{
   static const unsigned widths[] = { 64, 256, 300, 1024, 2048 };
   begin();
   for (unsigned s = 0; s < ARRAY_SIZE(widths); s++) {
      for (unsigned kind = 0; kind < 6; kind++) {
         if (!grid_begin("interpolation/%u_%u", widths[s], kind))
            continue;
         struct grid_target wide;
         grid_target_create(&wide, widths[s], 8, false);
         float w0 = kind < 2 ? 1 : kind < 4 ? 1 : 3.3f, w1 = kind < 2 ? 1 : kind < 4 ? 2.6f : 0.4f;
         float scale = kind & 1 ? 8 : 1; /* more than the colour's range: shown modulo by the offset */
         const float p[4][4] = { { -w0, -w0, 0, w0 }, { w1, -w1, 0, w1 }, { -w0, w0, 0, w0 }, { w1, w1, 0, w1 } };
         const float c[4][4] = { { 0, 1, -3.5f, 0 }, { scale, 0, scale - 3.5f, 1 }, { 0, 1, -3.5f, 0 }, { scale, 0,
            scale - 3.5f, 1 } };
         glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, p);
         use_floats(1, 4, c);
         glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
         glReadPixels(0, 0, widths[s], 8, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
         float worst = 0;
         unsigned at = 0;
         for (unsigned i = 0; i < widths[s] * 8; i++) {
            double t = (i % widths[s] + 0.5) / widths[s], q = (t / w1) / ((1 - t) / w0 + t / w1);
            double ideal[4] = { q * scale, 1 - q, q * scale - 3.5, q };
            for (unsigned k = 0; k < 4; k++) {
               double e = fabs(pixels[i * 4 + k] - 255 * fmin(fmax(ideal[k], 0), 1));
               if (e > worst) {
                  worst = e;
                  at = i;
               }
            }
         }
         grid_check(worst <= 2, "worst error %g of 255 at (%u, %u)", worst, at % widths[s], at / widths[s]);
         grid_target_destroy(&wide);
         glBindFramebuffer(GL_FRAMEBUFFER, target.framebuffer);
         glViewport(0, 0, SIZE, SIZE);
      }
   }
   end();
}

static void
run_clipping(void)
{
   static const float planes[12][4] = { { 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 }, { 0, 0, 1 }, { 0, 0, -1 },
                                        { 1, 1, 0 }, { -1, 1, 0 }, { 1, 0, 1 }, { 0, -1, -1 }, { 1, 1, 1 }, { -1, -1, -1 } };
   begin();
   for (unsigned mode = 0; mode < 3; mode++) {
      for (unsigned plane = 0; plane < 12; plane++) {
         for (unsigned amount = 0; amount < 5; amount++) {
            static const float amounts[] = { 0.7f, 1.5f, 10, 300, 30000 };
            static const char *const names[] = { "points", "lines", "triangles" };
            if (!grid_begin("clipping/%s_%u_%g", names[mode], plane, amounts[amount]))
               continue;
            static float p[30][4], c[30][4];
            for (unsigned i = 0; i < 30; i++) {
               float w = i % 5 == 4 ? 1.7f : 1;
               for (unsigned k = 0; k < 3; k++) {
                  /* the sides of points stay away from pixel centres */
                  float v = (roundf(grid_random_float(-57, 57)) + 0.3f) / (SIZE / 2);
                  if (planes[plane][k] && i % 3 == 0)
                     v += planes[plane][k] * amounts[amount];
                  /* lines are upright or level: both renderers choose the same pixels for them, but perhaps at the ends */
                  if (mode == 1 && i & 1 && k == (i >> 1 & 1))
                     v = p[i - 1][k] / p[i - 1][3];
                  p[i][k] = v * w;
               }
               p[i][3] = w;
               for (unsigned k = 0; k < 4; k++)
                  c[i][k] = grid_random_float(0, 1);
            }
            glUniform1f(glGetUniformLocation(program, "size"), 5);
            glLineWidth(1);
            glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, p);
            use_floats(1, 4, c);
            glEnable(GL_DEPTH_TEST);
            glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
            glDrawArrays(mode == 0 ? GL_POINTS : mode == 1 ? GL_LINES : GL_TRIANGLES, 0, mode == 2 ? 9 : 30);
            glDisable(GL_DEPTH_TEST);
            grid_pixels(0, 0, SIZE, SIZE, (struct grid_tolerance){ 6, mode == 2 ? 150 : mode == 1 ? 60 : 0, mode > 0 });
         }
      }
   }
   /* wide lines and large points that reach out of a small viewport: what is inside is clipped before it gets wide */
   for (unsigned i = 0; i < 30; i++) {
      if (!grid_begin("clipping/wide_%s_%u", i & 1 ? "points" : "lines", i))
         continue;
      static float p[12][2];
      for (unsigned k = 0; k < 12; k++) {
         p[k][0] = (roundf(grid_random_float(-2.0f * i, 2.0f * i)) + 32.3f) * (k & 1 ? 1 : -1) / 32;
         p[k][1] = (roundf(grid_random_float(-60, 60)) + 0.27f) / 32;
      }
      const float color[4] = { 1, 0.5f, 0.7f, 0.9f };
      glUniform1f(glGetUniformLocation(program, "size"), 11);
      glLineWidth(7);
      glViewport(32, 32, 64, 64);
      glClear(GL_COLOR_BUFFER_BIT);
      draw(i & 1 ? GL_POINTS : GL_LINES, p[0], 2, 12, color);
      glViewport(0, 0, SIZE, SIZE);
      glLineWidth(1);
      grid_pixels(0, 0, SIZE, SIZE, (struct grid_tolerance){ 6, i & 1 ? 0 : 60, !(i & 1) });
   }
   /* behind the eye, and viewports that leave the target */
   for (unsigned i = 0; i < 40; i++) {
      if (!grid_begin("clipping/viewport_%u", i))
         continue;
      static float p[12][4], c[12][4];
      for (unsigned k = 0; k < 12; k++) {
         float w = i & 1 ? grid_random_float(-1, 2) : 1;
         p[k][0] = grid_random_float(-2, 2);
         p[k][1] = grid_random_float(-2, 2);
         p[k][2] = grid_random_float(-0.7f, 0.7f) * fabsf(w);
         p[k][3] = w;
         for (unsigned m = 0; m < 4; m++)
            c[k][m] = grid_random_float(0, 1);
      }
      glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, p);
      use_floats(1, 4, c);
      if (i & 2)
         glViewport((int)grid_random_below(200) - 100, (int)grid_random_below(200) - 100, 1 + grid_random_below(300),
                    1 + grid_random_below(2000));
      else
         glViewport(10, 20, 60, 70);
      glClear(GL_COLOR_BUFFER_BIT);
      glDrawArrays(GL_TRIANGLES, 0, 12);
      glViewport(0, 0, SIZE, SIZE);
      grid_pixels(0, 0, SIZE, SIZE, (struct grid_tolerance){ 6, 150, true });
   }
   end();
}

const struct grid_family family_edges = { "edges", run_edges };
const struct grid_family family_points = { "points", run_points };
const struct grid_family family_lines = { "lines", run_lines };
const struct grid_family family_culling = { "culling", run_culling };
const struct grid_family family_interpolation = { "interpolation", run_interpolation };
const struct grid_family family_clipping = { "clipping", run_clipping };
