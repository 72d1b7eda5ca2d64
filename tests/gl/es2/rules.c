/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Rules of rasterisation, against what OpenGL ES 2.0 (3.3 to 3.5) allows with four bits of subpixels: thin and degenerate
 * triangles, quads of two triangles, attributes along lines and over triangles, sizes beyond the limits.
 */

#include <math.h>
#include <stdio.h>

#include "families.h"
#include "scene.h"

#define SIZE 128
#define SUB  (1.0f / 16)

static uint8_t pixels[SIZE * SIZE * 4];

struct vertex {
   float x, y, w; /* in pixels */
   float c[4];
};

/* Draws and reads.  Positions are those in the window; w makes the interpolation one in perspective. */
static void
draw(GLenum mode, const struct vertex *v, unsigned count, bool add)
{
   static float p[64][4], c[64][4];
   for (unsigned i = 0; i < count; i++) {
      const float at[4] = { (v[i].x * 2 / SIZE - 1) * v[i].w, (v[i].y * 2 / SIZE - 1) * v[i].w, 0, v[i].w };
      memcpy(p[i], at, sizeof(at));
      memcpy(c[i], v[i].c, sizeof(c[i]));
   }
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, p);
   glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, 0, c);
   glEnableVertexAttribArray(1);
   glClear(GL_COLOR_BUFFER_BIT);
   if (add)
      glEnable(GL_BLEND);
   glBlendFunc(GL_ONE, GL_ONE);
   glDrawArrays(mode, 0, count);
   glDisable(GL_BLEND);
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}

static struct vertex
vertex(float x, float y, float w, float r, float g, float b)
{
   return (struct vertex){ x, y, w, { r, g, b, 1 } };
}

/* --- coverage of triangles ------------------------------------------------------------------------------------------ */

/* The smallest signed distance from the three sides, positive inside, for either winding. */
static float
inside(const struct vertex v[3], float x, float y)
{
   float area = (v[1].x - v[0].x) * (v[2].y - v[0].y) - (v[2].x - v[0].x) * (v[1].y - v[0].y), least = 1e9f;
   for (unsigned i = 0; i < 3; i++) {
      const struct vertex *a = &v[i], *b = &v[(i + 1) % 3];
      float dx = b->x - a->x, dy = b->y - a->y, length = hypotf(dx, dy);
      if (length > 0)
         least = fminf(least, (dx * (y - a->y) - dy * (x - a->x)) / length * (area < 0 ? -1 : 1));
   }
   return least;
}

static void
check_coverage(const struct vertex *v, unsigned triangles)
{
   unsigned wrong = 0, at = 0;
   for (unsigned k = 0; k < SIZE * SIZE; k++) {
      unsigned must = 0, may = 0, hits = (pixels[k * 4] + 5) / 10;
      for (unsigned t = 0; t < triangles; t++) {
         float d = inside(&v[t * 3], k % SIZE + 0.5f, k / SIZE + 0.5f);
         must += d > SUB;
         may += d > -SUB;
      }
      if (hits < must || hits > may) {
         wrong++;
         at = k;
      }
   }
   grid_check(!wrong, "%u wrong pixels, the last (%u, %u): %u hits", wrong, at % SIZE, at / SIZE,
              (pixels[at * 4] + 5) / 10);
}

static void
random_position(struct vertex *v, float low, float high)
{
   *v = vertex(grid_random_float(low, high), grid_random_float(low, high), 1, 10 / 255.0f, 0, 0);
}

static void
run_coverage(void)
{
   static const char *const names[] = { "random", "thin", "small", "partly_outside", "degenerate", "slivers_in_x",
                                        "slivers_in_y", "far_outside" };
   raster_begin();
   for (unsigned kind = 0; kind < ARRAY_SIZE(names); kind++) {
      for (unsigned i = 0; i < 12; i++) {
         if (!grid_begin("coverage/%s_%u", names[kind], i))
            continue;
         struct vertex v[18];
         for (unsigned t = 0; t < 6; t++) {
            struct vertex *a = &v[t * 3];
            float reach = kind == 3 ? 90 : kind == 7 ? 1500 : 0;
            for (unsigned k = 0; k < 3; k++)
               random_position(&a[k], -reach, SIZE + reach);
            if (kind == 1 || kind == 4) { /* the third beside the line through the others */
               float s = grid_random_float(-0.2f, 1.2f), side = kind == 1 ? grid_random_float(-1.5f, 1.5f) : 0;
               a[2].x = a[0].x + (a[1].x - a[0].x) * s + side;
               a[2].y = a[0].y + (a[1].y - a[0].y) * s - side;
            } else if (kind == 2) {
               for (unsigned k = 1; k < 3; k++) {
                  a[k].x = a[0].x + grid_random_float(-2, 2);
                  a[k].y = a[0].y + grid_random_float(-2, 2);
               }
            } else if (kind == 5) {
               a[1].y = a[0].y + grid_random_float(-1, 1);
               a[2].y = a[0].y + grid_random_float(-1, 1);
            } else if (kind == 6) {
               a[1].x = a[0].x + grid_random_float(-1, 1);
               a[2].x = a[0].x + grid_random_float(-1, 1);
            }
            if (kind == 4 && i & 1) /* two or three vertices in one place */
               a[1] = i & 2 ? a[2] : a[0];
         }
         draw(GL_TRIANGLES, v, 18, true);
         check_coverage(v, 6);
      }
   }
   raster_end();
}

/* --- quads ---------------------------------------------------------------------------------------------------------- */

/* Two triangles of a convex quad, added up: nothing is hit twice, and what is inside once. */
static void
run_quads(void)
{
   static const char *const names[] = { "basic", "reversed", "clipped_partly", "clipped_fully", "projected" };
   raster_begin();
   for (unsigned kind = 0; kind < ARRAY_SIZE(names); kind++) {
      for (unsigned i = 0; i < 24; i++) {
         if (!grid_begin("quads/%s_%u", names[kind], i))
            continue;
         float angle = i * 0.2618f + 0.01f, size = kind == 2 ? 100 : kind == 3 ? 200 : 20 + i;
         struct vertex corner[4], v[6];
         for (unsigned k = 0; k < 4; k++) {
            float a = angle + k * 1.5707963f, r = size * (k & 1 ? 1 : 0.7f);
            corner[k] = vertex(64.3f + cosf(a) * r, 61.8f + sinf(a) * r, kind == 4 ? 0.5f + k * 0.7f : 1, 10 / 255.0f, 0, 0);
         }
         static const uint8_t order[2][6] = { { 0, 1, 2, 0, 2, 3 }, { 0, 1, 2, 3, 2, 0 } };
         for (unsigned k = 0; k < 6; k++)
            v[k] = corner[order[kind == 1][k]];
         draw(GL_TRIANGLES, v, 6, true);
         unsigned wrong = 0, at = 0;
         for (unsigned k = 0; k < SIZE * SIZE; k++) {
            float x = k % SIZE + 0.5f, y = k / SIZE + 0.5f, d = 1e9f;
            for (unsigned e = 0; e < 4; e++) {
               const struct vertex *a = &corner[e], *b = &corner[(e + 1) % 4];
               float dx = b->x - a->x, dy = b->y - a->y;
               d = fminf(d, (dx * (y - a->y) - dy * (x - a->x)) / hypotf(dx, dy));
            }
            unsigned hits = (pixels[k * 4] + 5) / 10;
            if (hits > 1 || (d > SUB && !hits) || (d < -SUB && hits)) {
               wrong++;
               at = k;
            }
         }
         grid_check(!wrong, "%u wrong pixels, the last (%u, %u): %u hits", wrong, at % SIZE, at / SIZE,
                    (pixels[at * 4] + 5) / 10);
      }
   }
   /* fans around a point: every pixel of the disc once */
   for (unsigned i = 0; i < 12; i++) {
      if (!grid_begin("quads/fan_%u", i))
         continue;
      struct vertex v[50];
      unsigned n = 8 + i * 3;
      v[0] = vertex(grid_random_float(60, 68), grid_random_float(60, 68), 1, 10 / 255.0f, 0, 0);
      for (unsigned k = 0; k <= n; k++) {
         float a = (k % n) * 6.2831853f / n;
         v[1 + k] = vertex(64 + cosf(a) * 55, 64 + sinf(a) * 55, 1, 10 / 255.0f, 0, 0);
      }
      draw(GL_TRIANGLE_FAN, v, n + 2, true);
      unsigned wrong = 0;
      for (unsigned k = 0; k < SIZE * SIZE; k++) {
         float r = hypotf(k % SIZE + 0.5f - 64, k / SIZE + 0.5f - 64), inner = 55 * cosf(3.1415927f / n);
         unsigned hits = (pixels[k * 4] + 5) / 10;
         wrong += hits > 1 || (r < inner - SUB && !hits) || (r > 55 + SUB && hits);
      }
      grid_check(!wrong, "%u wrong pixels", wrong);
   }
   raster_end();
}

/* --- interpolation -------------------------------------------------------------------------------------------------- */

/* Weights of the corners, with perspective. */
static void
weights(const struct vertex v[3], float x, float y, double out[3])
{
   double area = ((double)v[1].x - v[0].x) * ((double)v[2].y - v[0].y) - ((double)v[2].x - v[0].x) * ((double)v[1].y - v[0].y);
   double b1 = ((x - v[0].x) * ((double)v[2].y - v[0].y) - ((double)v[2].x - v[0].x) * (y - v[0].y)) / area;
   double b2 = (((double)v[1].x - v[0].x) * (y - v[0].y) - (x - v[0].x) * ((double)v[1].y - v[0].y)) / area;
   const double b[3] = { (1 - b1 - b2) / v[0].w, b1 / v[1].w, b2 / v[2].w };
   for (unsigned k = 0; k < 3; k++)
      out[k] = b[k] / (b[0] + b[1] + b[2]);
}

static void
check_triangle(const struct vertex v[3])
{
   float worst = 0;
   unsigned at = 0;
   for (unsigned k = 0; k < SIZE * SIZE; k++) {
      float x = k % SIZE + 0.5f, y = k / SIZE + 0.5f;
      if (inside(v, x, y) < SUB)
         continue;
      for (unsigned c = 0; c < 3; c++) {
         double low = 1e9, high = -1e9;
         for (unsigned s = 0; s < 5; s++) { /* around the centre, as corners are rounded */
            static const float around[5][2] = { { 0, 0 }, { SUB, 0 }, { -SUB, 0 }, { 0, SUB }, { 0, -SUB } };
            double w[3];
            weights(v, x + around[s][0], y + around[s][1], w);
            double value = w[0] * v[0].c[c] + w[1] * v[1].c[c] + w[2] * v[2].c[c];
            low = fmin(low, value);
            high = fmax(high, value);
         }
         float got = pixels[k * 4 + c], error = fmaxf(low * 255 - got, got - high * 255);
         if (error > worst) {
            worst = error;
            at = k;
         }
      }
   }
   grid_check(worst < 2, "%g of 255 too far off at (%u, %u)", worst, at % SIZE, at / SIZE);
}

static void
run_attributes_over(void)
{
   raster_begin();
   for (unsigned kind = 0; kind < 2; kind++) {
      for (unsigned i = 0; i < 24; i++) {
         if (!grid_begin("interpolated/%s_%u", kind ? "projected" : "basic", i))
            continue;
         struct vertex v[3];
         float area;
         do {
            for (unsigned k = 0; k < 3; k++)
               v[k] = vertex(grid_random_float(0, SIZE), grid_random_float(0, SIZE), kind ? grid_random_float(0.3f, 4) : 1,
                             k == 0, k == 1, k == 2);
            area = (v[1].x - v[0].x) * (v[2].y - v[0].y) - (v[2].x - v[0].x) * (v[1].y - v[0].y);
         } while (fabsf(area) < 1500);
         draw(GL_TRIANGLES, v, 3, false);
         check_triangle(v);
      }
   }
   /* along lines: the weight is that of the place in the longer direction */
   for (unsigned width = 1; width <= 5; width += 4) {
      for (unsigned kind = 0; kind < 2; kind++) {
         for (unsigned i = 0; i < 24; i++) {
            if (!grid_begin("interpolated/line_%u_%s_%u", width, kind ? "projected" : "basic", i))
               continue;
            float a = i * 0.2618f + 0.05f;
            struct vertex v[2] = { vertex(64 - cosf(a) * 50, 64 - sinf(a) * 50, 1, 1, 0, 0.2f),
                                   vertex(64 + cosf(a) * 50, 64 + sinf(a) * 50, kind ? 3 : 1, 0, 1, 0.8f) };
            glLineWidth(width);
            draw(GL_LINES, v, 2, false);
            glLineWidth(1);
            bool x_major = fabsf(cosf(a)) > fabsf(sinf(a));
            float worst = 0;
            unsigned at = 0, count = 0;
            for (unsigned k = 0; k < SIZE * SIZE; k++) {
               if (!pixels[k * 4 + 3])
                  continue;
               count++;
               float low = 2, high = -1;
               for (int s = -1; s <= 1; s++) { /* half a pixel of the longer direction, or the projection on the line */
                  float x = k % SIZE + 0.5f - v[0].x, y = k / SIZE + 0.5f - v[0].y;
                  float t = (x_major ? (x + s * 0.5f) / (v[1].x - v[0].x) : (y + s * 0.5f) / (v[1].y - v[0].y));
                  float q = t / v[1].w / ((1 - t) / v[0].w + t / v[1].w);
                  low = fminf(low, q);
                  high = fmaxf(high, q);
               }
               low = fmaxf(fminf(low, 1), 0);
               high = fmaxf(fminf(high, 1), 0);
               float g = pixels[k * 4 + 1], r = 255 - pixels[k * 4];
               float error = fmaxf(fmaxf(low * 255 - g, g - high * 255), fmaxf(low * 255 - r, r - high * 255));
               if (error > worst) {
                  worst = error;
                  at = k;
               }
            }
            grid_check(worst < 2 && count > 50 * width, "%g of 255 too far off at (%u, %u), %u pixels", worst, at % SIZE,
                       at / SIZE, count);
         }
      }
   }
   raster_end();
}

/* --- strips of lines ---------------------------------------------------------------------------------------------------- */

/* A strip that goes on in its longer direction: in each column (or row) between its ends as many pixels as it is wide, once. */
static void
run_strips(void)
{
   static const float widths[] = { 1, 2, 3, 5, 8 };
   raster_begin();
   for (unsigned w = 0; w < ARRAY_SIZE(widths); w++) {
      for (unsigned i = 0; i < 16; i++) { /* direction, sense, as lines instead of a strip */
         if (!grid_begin("strips/%g_%u", widths[w], i))
            continue;
         bool y_major = i & 1, backwards = i & 2, lines = i & 4;
         struct vertex v[22], strip[12];
         unsigned n = 12, count = 0;
         for (unsigned k = 0; k < n; k++) {
            unsigned at = backwards ? n - 1 - k : k;
            float along = 10.3f + at * 9.37f, aside = 64 + grid_random_float(-2, 2) * (k % 3);
            strip[k] = vertex(y_major ? aside : along, y_major ? along : aside, 1, 10 / 255.0f, 0, 0);
         }
         for (unsigned k = 0; k + 1 < n; k++) {
            v[count++] = strip[k];
            v[count++] = strip[k + 1];
         }
         glLineWidth(widths[w]);
         draw(lines ? GL_LINES : GL_LINE_STRIP, lines ? v : strip, lines ? count : n, true);
         glLineWidth(1);
         unsigned wrong = 0, at = 0;
         for (unsigned a = 12; a < 112; a++) {
            unsigned hits = 0, most = 0;
            for (unsigned b = 0; b < SIZE; b++) {
               unsigned h = (pixels[(y_major ? a * SIZE + b : b * SIZE + a) * 4] + 5) / 10;
               hits += h;
               most = MAX2(most, h);
            }
            if (hits != widths[w] || most > 1) {
               wrong++;
               at = a;
            }
         }
         grid_check(!wrong, "%u of 100 columns are not hit %g times, the last %u", wrong, widths[w], at);
      }
   }
   raster_end();
}

/* --- limits --------------------------------------------------------------------------------------------------------- */

static void
run_sizes(void)
{
   static const float sizes[] = { 1, 0.25f, 0, 5, 100, 128, 255, 256, 257, 1000, 1e6f };
   GLfloat range[2];
   raster_begin();
   glGetFloatv(GL_ALIASED_POINT_SIZE_RANGE, range);
   for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
      if (!grid_begin("sizes/point_%g", sizes[i]))
         continue;
      struct vertex v = vertex(64, 64, 1, 1, 1, 1);
      glUniform1f(glGetUniformLocation(raster_program, "size"), sizes[i]);
      float expected = fminf(fmaxf(sizes[i], range[0]), range[1]);
      if (expected < 3)
         v.x = v.y = 64.5f;
      draw(GL_POINTS, &v, 1, false);
      unsigned set = 0;
      for (unsigned k = 0; k < SIZE * SIZE; k++)
         set += pixels[k * 4] != 0;
      float visible = fminf(expected, SIZE);
      grid_check(fabsf(sqrtf(set) - visible) < 1.01f, "%u pixels, expected %g", set, visible * visible);
   }
   glUniform1f(glGetUniformLocation(raster_program, "size"), 1);
   glGetFloatv(GL_ALIASED_LINE_WIDTH_RANGE, range);
   for (unsigned i = 0; i < 2 * ARRAY_SIZE(sizes); i++) {
      float width = sizes[i / 2];
      if (width < 1 || !grid_begin("sizes/line_%g_%u", width, i & 1))
         continue;
      struct vertex v[2] = { vertex(i & 1 ? 20.3f : 64.2f, i & 1 ? 64.2f : 20.3f, 1, 1, 1, 1),
                             vertex(i & 1 ? 110.7f : 64.2f, i & 1 ? 64.2f : 110.7f, 1, 1, 1, 1) };
      glLineWidth(width);
      draw(GL_LINES, v, 2, false);
      glLineWidth(1);
      unsigned set = 0;
      for (unsigned k = 0; k < SIZE; k++)
         set += pixels[(i & 1 ? k * SIZE + 64 : 64 * SIZE + k) * 4] != 0;
      float visible = fminf(fminf(fmaxf(roundf(width), range[0]), range[1]), SIZE);
      grid_check(fabsf(set - visible) < 1.01f, "%u pixels wide, expected %g", set, visible);
   }
   raster_end();
}

const struct grid_family family_coverage = { "coverage", run_coverage };
const struct grid_family family_quads = { "quads", run_quads };
const struct grid_family family_interpolated = { "interpolated", run_attributes_over };
const struct grid_family family_strips = { "strips", run_strips };
const struct grid_family family_sizes = { "sizes", run_sizes };
