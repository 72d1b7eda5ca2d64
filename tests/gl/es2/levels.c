/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Which level of a mipmap is sampled, against the bounds of OpenGL ES 2.0 (3.7.7): the scale factor lies between the larger of
 * the two axes' and their sum.  Levels have one colour each, so that a pixel says its level of detail.
 */

#include <math.h>

#include "families.h"

#define SIZE  128
#define CELLS 4 /* in a row */
#define SLACK 0.03f /* of the level of detail: coordinates have 13 bits of mantissa */

static struct grid_target target;
static uint8_t pixels[SIZE * SIZE * 4];
static const GLenum filters[] = { GL_NEAREST_MIPMAP_NEAREST, GL_LINEAR_MIPMAP_NEAREST, GL_NEAREST_MIPMAP_LINEAR,
                                  GL_LINEAR_MIPMAP_LINEAR };
static const GLenum wraps[] = { GL_CLAMP_TO_EDGE, GL_REPEAT, GL_MIRRORED_REPEAT };

enum kind { BASIC, AFFINE, PROJECTED, BIAS, CUBE, CUBE_BIAS, CUBE_PROJECTED, KINDS };
static const char *const kind_names[KINDS] = { "basic", "affine", "projected", "bias", "cube", "cube_bias",
                                               "cube_projected" };

static unsigned
count_levels(unsigned width, unsigned height)
{
   unsigned levels = 1;
   while (MAX2(width, height) >> levels)
      levels++;
   return levels;
}

/* Red rises and green falls with the level of detail. */
static float
shade(float lod, unsigned levels)
{
   return 255.0f * fminf(fmaxf(lod, 0), levels - 1) / (levels - 1);
}

static GLuint
make_texture(bool cube, unsigned width, unsigned height, GLenum min, GLenum wrap)
{
   GLenum where = cube ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D;
   unsigned levels = count_levels(width, height);
   const GLuint texture = grid_texture(where, min, GL_NEAREST, wrap, wrap);
   for (unsigned level = 0; level < levels; level++) {
      unsigned w = MAX2(width >> level, 1), h = MAX2(height >> level, 1);
      uint8_t *data = malloc(w * h * 4);
      for (unsigned i = 0; i < w * h; i++) {
         data[i * 4] = lroundf(shade(level, levels));
         data[i * 4 + 1] = 255 - data[i * 4];
         data[i * 4 + 2] = 128;
         data[i * 4 + 3] = 255;
      }
      for (unsigned face = 0; face < (cube ? 6 : 1); face++)
         glTexImage2D(cube ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + face : where, level, GL_RGBA, w, h, 0, GL_RGBA,
                      GL_UNSIGNED_BYTE, data);
      free(data);
   }
   return texture;
}

struct corner {
   float s, t, w;
};

/* Corners in the order of a triangle strip: two triangles with the second and third corner in common. */
static void
coordinate_at(const struct corner c[4], float x, float y, double out[2])
{
   bool upper = x + y > 1;
   double b[4] = { upper ? 0 : 1 - x - y, upper ? 1 - y : x, upper ? 1 - x : y, upper ? x + y - 1 : 0 };
   double s = 0, t = 0, q = 0;
   for (unsigned i = 0; i < 4; i++) {
      s += b[i] * c[i].s / c[i].w;
      t += b[i] * c[i].t / c[i].w;
      q += b[i] / c[i].w;
   }
   out[0] = s / q;
   out[1] = t / q;
}

/* A cell's bounds of the level of detail at a pixel. */
static void
lod_bounds(const struct corner c[4], float x, float y, unsigned width, unsigned height, float step, float *low, float *high)
{
   double at[2], dx[2], dy[2];
   /* differences inside of the triangle of the pixel */
   float e = step * (x + y > 1 ? 0.25f : -0.25f);
   coordinate_at(c, x, y, at);
   coordinate_at(c, x + e, y, dx);
   coordinate_at(c, x, y + e, dy);
   double scale = step / fabs(e);
   double mu = fmax(fabs(dx[0] - at[0]), fabs(dy[0] - at[0])) * scale * width;
   double mv = fmax(fabs(dx[1] - at[1]), fabs(dy[1] - at[1])) * scale * height;
   *low = log2(fmax(mu, mv));
   *high = log2(mu + mv);
}

/* Is a red value one that a level of detail between low and high gives? */
static bool
legal(unsigned red, float low, float high, GLenum filter, unsigned levels)
{
   bool linear = filter == GL_NEAREST_MIPMAP_LINEAR || filter == GL_LINEAR_MIPMAP_LINEAR;
   if (linear)
      return red >= shade(low, levels) - 4 && red <= shade(high, levels) + 4;
   for (int level = 0; level < (int)levels; level++) {
      if (level + 0.5f + SLACK >= low && level - 0.5f - SLACK <= high && fabsf(shade(level, levels) - red) <= 2)
         return true;
   }
   return (low < 0.5f && fabsf(red - 0.0f) <= 2) || (high > levels - 1 && red >= 253);
}

static void
random_cell(struct corner c[4], enum kind kind, unsigned cell)
{
   bool cube = kind >= CUBE;
   /* from enlarged to far beyond the smallest level */
   float extent = cube ? 0.1f + 0.11f * (cell % 8) : 0.1f * exp2f(cell * 0.55f);
   float ratio = exp2f(grid_random_float(-1, 1)), angle = kind == AFFINE ? grid_random_float(0, 6.28f) : 0;
   float s0 = cube ? 0 : grid_random_float(-1, 1), t0 = cube ? 0 : grid_random_float(-1, 1);
   bool projected = kind == PROJECTED || kind == CUBE_PROJECTED;
   for (unsigned i = 0; i < 4; i++) {
      float x = i & 1 ? extent : -extent, y = (i & 2 ? extent : -extent) * (cube ? fminf(ratio, 1) : ratio);
      c[i].s = s0 + x * cosf(angle) - y * sinf(angle);
      c[i].t = t0 + x * sinf(angle) + y * cosf(angle);
      c[i].w = projected ? grid_random_float(0.7f, 2) : 1;
   }
}

static void
draw_cell(const struct corner c[4], bool cube, unsigned cell)
{
   float p[4][4], t[4][3];
   float x0 = cell % CELLS * 2.0f / CELLS - 1, y0 = cell / CELLS * 2.0f / CELLS - 1;
   for (unsigned i = 0; i < 4; i++) {
      float u = c[i].s, v = c[i].t;
      const float faces[6][3] = { { 1, -v, -u }, { -1, -v, u }, { u, 1, v }, { u, -1, -v }, { u, -v, 1 }, { -u, -v, -1 } };
      p[i][0] = (x0 + (i & 1 ? 2.0f / CELLS : 0)) * c[i].w;
      p[i][1] = (y0 + (i & 2 ? 2.0f / CELLS : 0)) * c[i].w;
      p[i][2] = 0;
      p[i][3] = c[i].w;
      t[i][0] = cube ? faces[cell % 6][0] : u;
      t[i][1] = cube ? faces[cell % 6][1] : v;
      t[i][2] = cube ? faces[cell % 6][2] : 0;
   }
   use_floats(0, 4, p);
   use_floats(1, 3, t);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   glDisableVertexAttribArray(1);
}

static void
run_case(GLuint program, enum kind kind, unsigned width, unsigned height, unsigned filter, unsigned wrap)
{
   struct corner cells[CELLS * CELLS][4];
   float biases[CELLS * CELLS];
   bool cube = kind >= CUBE;
   GLuint texture = make_texture(cube, width, height, filters[filter], wraps[wrap]);
   unsigned levels = count_levels(width, height), wrong = 0, at = 0, counted = 0;
   float low_at = 0, high_at = 0;
   glUseProgram(program);
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   for (unsigned i = 0; i < CELLS * CELLS; i++) {
      biases[i] = kind == BIAS || kind == CUBE_BIAS ? grid_random_float(-2, 3) : 0;
      glUniform1f(glGetUniformLocation(program, "bias"), biases[i]);
      random_cell(cells[i], kind, i);
      draw_cell(cells[i], cube, i);
   }
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned i = 0; i < SIZE * SIZE; i++) {
      const unsigned side = SIZE / CELLS, x = i % SIZE, y = i / SIZE, cell = y / side * CELLS + x / side;
      float fx = (x % side + 0.5f) / side, fy = (y % side + 0.5f) / side, low, high;
      if (fabsf(fx + fy - 1) < 3.0f / side || (kind == PROJECTED && MAX2(fx, fy) > 0.97f))
         continue; /* a quad of pixels may span both triangles */
      float scale = cube ? 0.5f : 1;
      lod_bounds(cells[cell], fx, fy, width, height, 1.0f / side, &low, &high);
      /* the differences of a quad are not those of the pixel where it is projected */
      float slack = kind == PROJECTED || kind == CUBE_PROJECTED ? 0.1f : SLACK;
      if (width & (width - 1)) /* a copy of another size is sampled (assumption A58) */
         slack += 0.3f;
      low += log2f(scale) + biases[cell] - slack;
      high += log2f(scale) + biases[cell] + slack;
      counted++;
      if (!legal(pixels[i * 4], low, high, filters[filter], levels)) {
         wrong++;
         at = i;
         low_at = low;
         high_at = high;
      }
   }
   grid_check(wrong <= counted / 200, "%u of %u pixels, the last (%u, %u): level of detail %.3f, should be %.3f..%.3f", wrong,
              counted, at % SIZE, at / SIZE, pixels[at * 4] / 255.0f * (levels - 1), low_at, high_at);
   glDeleteTextures(1, &texture);
}

static void
run_levels(void)
{
   static const unsigned sizes[][2] = { { 64, 64 }, { 32, 64 }, { 128, 128 }, { 57, 35 } };
   grid_target_create(&target, SIZE, SIZE, false);
   for (unsigned kind = 0; kind < KINDS; kind++) {
      bool cube = kind >= CUBE, bias = kind == BIAS || kind == CUBE_BIAS;
      GLuint program = grid_program("attribute vec4 position;\nattribute highp vec3 a0;\nvarying highp vec3 t;\n"
                                    "void main() { gl_Position = position; t = a0; }", text_of(
         "precision mediump float;\nvarying highp vec3 t;\nuniform sampler%s s;\nuniform float bias;\n"
         "void main() { gl_FragColor = texture%s%s); }", cube ? "Cube" : "2D", cube ? "Cube(s, t" : "2D(s, t.xy",
         bias ? ", bias" : ""));
      for (unsigned size = 0; size < ARRAY_SIZE(sizes); size++) {
         if (cube && size % 2 == 1)
            continue;
         for (unsigned filter = 0; filter < ARRAY_SIZE(filters); filter++) {
            for (unsigned wrap = 0; wrap < (cube ? 1 : ARRAY_SIZE(wraps)); wrap++) {
               if (grid_begin("levels/%s_%ux%u_%u_%u", kind_names[kind], sizes[size][0], sizes[size][1], filter, wrap))
                  run_case(program, kind, sizes[size][0], sizes[size][1], filter, wrap);
            }
         }
      }
      glDeleteProgram(program);
   }
   grid_target_destroy(&target);
}

const struct grid_family family_levels = { "levels", run_levels };
