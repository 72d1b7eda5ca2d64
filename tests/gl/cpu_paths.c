/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Blits and vertices that the CPU has to prepare.  Blits from a face of a cube map, scaled, mirrored, filtered and cut off by the
 * scissor, and of depth and stencil apart; attributes of types, places and distances that the engine cannot fetch.  What must
 * come out is computed here.
 */

#include "opengl.h"
#include "perf_monitor.h"

#define SIZE 16

static unsigned wrong;

/* --- blits --- */

static const struct blit {
   const char *name;
   int from[4], to[4]; /* x0, y0, x1, y1 */
   bool linear, scissor;
} blits[] = {
   {"larger", {2, 3, 10, 9}, {0, 0, 16, 12}},
   {"smaller", {0, 0, 16, 16}, {3, 4, 11, 9}},
   {"mirrored in x", {2, 2, 12, 12}, {13, 1, 3, 11}},
   {"mirrored in y", {12, 1, 2, 11}, {14, 16, 4, 1}},
   {"mirrored twice", {9, 9, 1, 1}, {15, 15, 1, 1}},
   {"cut off", {0, 0, 8, 8}, {0, 0, 16, 16}, false, true},
   {"cut off, mirrored", {8, 0, 0, 8}, {0, 0, 16, 16}, false, true},
   {"linear, larger", {4, 4, 12, 12}, {0, 0, 16, 16}, true},
   {"linear, mirrored", {0, 0, 16, 4}, {15, 0, 2, 16}, true},
};
static const int scissor[4] = {5, 2, 13, 11};

/* Of a texel of the source; linear in x and y. */
static double
texel(double x, double y, unsigned c)
{
   return c == 0 ? 15 * x + 10 : c == 1 ? 14 * y + 20 : c == 2 ? 7 * x + 7 * y : 255;
}

/* Where in the source a pixel lies, in texels, or false where it is not written. */
static bool
place(const struct blit *b, int x, int y, double at[2])
{
   const int pixel[2] = {x, y};

   for (unsigned i = 0; i < 2; i++) {
      const int first = b->to[i], last = b->to[i + 2];
      if (pixel[i] < fmin(first, last) || pixel[i] >= fmax(first, last))
         return false;
      if (b->scissor && (pixel[i] < scissor[i] || pixel[i] >= scissor[i + 2]))
         return false;
      at[i] = b->from[i] + (pixel[i] + 0.5 - first) * (b->from[i + 2] - b->from[i]) / (last - first);
   }
   return true;
}

static void
blit(const struct blit *b, GLbitfield mask)
{
   if (b->scissor)
      glEnable(GL_SCISSOR_TEST);
   glScissor(scissor[0], scissor[1], scissor[2] - scissor[0], scissor[3] - scissor[1]);
   glBlitFramebuffer(b->from[0], b->from[1], b->from[2], b->from[3], b->to[0], b->to[1], b->to[2], b->to[3], mask,
                     b->linear ? GL_LINEAR : GL_NEAREST);
   glDisable(GL_SCISSOR_TEST);
   CHECK(glGetError() == GL_NO_ERROR);
}

static void
check(const char *what, const char *name, unsigned x, unsigned y, double is, double expected, double tolerance)
{
   if (fabs(is - expected) > tolerance && !wrong++)
      printf("%s, %s: %u, %u is %g, not %g\n", what, name, x, y, is, expected);
}

static void
check_color(const struct blit *b, GLuint source, GLuint target)
{
   unsigned char pixels[SIZE][SIZE][4];

   glBindFramebuffer(GL_FRAMEBUFFER, target);
   clear_color(1 / 255.0f, 2 / 255.0f, 3 / 255.0f, 4 / 255.0f);
   glBindFramebuffer(GL_READ_FRAMEBUFFER, source);
   blit(b, GL_COLOR_BUFFER_BIT);
   glBindFramebuffer(GL_FRAMEBUFFER, target);
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned i = 0; i < SIZE * SIZE * 4; i++) {
      const unsigned c = i & 3, x = i / 4 % SIZE, y = i / 4 / SIZE;
      double at[2], expected = c + 1;
      if (place(b, x, y, at)) {
         for (unsigned k = 0; k < 2; k++)
            at[k] = b->linear ? fmin(fmax(at[k] - 0.5, fmin(b->from[k], b->from[k + 2])), fmax(b->from[k], b->from[k + 2]) - 1)
                              : floor(at[k]);
         expected = texel(at[0], at[1], c);
      }
      check("colours", b->name, x, y, pixels[y][x][c], expected, b->linear ? 1.5 : 0.5);
   }
}

static void
check_colors(void)
{
   unsigned char texels[SIZE * SIZE][4];

   for (unsigned i = 0; i < SIZE * SIZE * 4; i++)
      texels[i / 4][i & 3] = texel(i / 4 % SIZE, i / 4 / SIZE, i & 3);
   const GLuint cube = empty_texture(GL_TEXTURE_CUBE_MAP);
   glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   for (unsigned face = 0; face < 6; face++)
      glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGBA, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                   face == 3 ? texels : NULL);
   const GLuint source = texture_framebuffer(GL_TEXTURE_CUBE_MAP_POSITIVE_X + 3, cube, 0);
   const GLuint target = make_target(SIZE, SIZE, false);
   for (unsigned i = 0; i < COUNT(blits); i++)
      check_color(&blits[i], source, target);
}

/* The source has another stencil and depth in each pixel, the target 200 and 1. */
static void
check_depth_stencil(const struct blit *b, GLuint source, GLuint target, GLbitfield mask)
{
   unsigned char stencil[SIZE][SIZE];
   float depth[SIZE][SIZE];

   glBindFramebuffer(GL_FRAMEBUFFER, target);
   glClearStencil(200);
   glClearDepth(1);
   glClear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   glBindFramebuffer(GL_READ_FRAMEBUFFER, source);
   blit(b, mask);
   glBindFramebuffer(GL_FRAMEBUFFER, target);
   glReadPixels(0, 0, SIZE, SIZE, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, stencil);
   glReadPixels(0, 0, SIZE, SIZE, GL_DEPTH_COMPONENT, GL_FLOAT, depth);
   for (unsigned i = 0; i < SIZE * SIZE; i++) {
      const unsigned x = i % SIZE, y = i / SIZE;
      double at[2];
      const bool written = place(b, x, y, at);
      const double number = written ? floor(at[1]) * SIZE + floor(at[0]) : 0;
      const double expected = written && mask & GL_STENCIL_BUFFER_BIT ? fmod(number, 199) : 200;
      check("stencil", b->name, x, y, stencil[y][x], expected, 0);
      check("depth", b->name, x, y, depth[y][x], written && mask & GL_DEPTH_BUFFER_BIT ? number / 256 : 1, 1.5 / 65535);
   }
}

static void
check_depths(void)
{
   const GLuint target = make_target(SIZE, SIZE, true), source = make_target(SIZE, SIZE, true);

   glEnable(GL_SCISSOR_TEST);
   for (unsigned i = 0; i < SIZE * SIZE; i++) {
      glScissor(i % SIZE, i / SIZE, 1, 1);
      glClearStencil(i % 199);
      glClearDepth(i / 256.0);
      glClear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   }
   glDisable(GL_SCISSOR_TEST);
   for (unsigned i = 0; i < COUNT(blits); i++) {
      for (GLbitfield what = 1; what < 4 && !blits[i].linear; what++)
         check_depth_stencil(&blits[i], source, target,
                             (what & 1 ? GL_DEPTH_BUFFER_BIT : 0) | (what & 2 ? GL_STENCIL_BUFFER_BIT : 0));
   }
}

/* --- vertices --- */

static const struct type {
   const char *name;
   GLenum gl;
   unsigned bytes;
   bool is_signed, is_float;
} types[] = {
   {"byte", GL_BYTE, 1, true},           {"unsigned byte", GL_UNSIGNED_BYTE, 1},
   {"short", GL_SHORT, 2, true},         {"unsigned short", GL_UNSIGNED_SHORT, 2},
   {"int", GL_INT, 4, true},             {"unsigned int", GL_UNSIGNED_INT, 4},
   {"float", GL_FLOAT, 4, true, true},   {"double", GL_DOUBLE, 8, true, true},
};

/* Component c of vertex v, from -1 to 1 or from 0 to 1 as far as the type has it; stored as a number of so many bits. */
static double
stored(const struct type *t, unsigned v, unsigned c, bool normalized)
{
   const double share = ((v * 5 + c * 3) % 16) / 15.0;
   const double largest = t->is_float ? 1 : normalized ? ldexp(1, t->bytes * 8 - t->is_signed) - 1 : 100;

   return t->is_float ? share * 2 - 1 : round(t->is_signed ? (share * 2 - 1) * largest : share * largest);
}

static void
put(const struct type *t, uint8_t *to, double value)
{
   const int64_t whole = value;
   const float single = value;

   memcpy(to, t->gl == GL_DOUBLE ? (const void *)&value : t->is_float ? (const void *)&single : &whole, t->bytes);
}

/* Vertices are points in a row; their colour is 0.5 + scale * attribute. */
static void
check_attribute(const struct type *t, unsigned components, bool normalized, unsigned offset, unsigned gap, bool by_index)
{
   const unsigned stride = t->bytes * components + gap;
   const double largest = t->is_float ? 1 : normalized ? 1 : 100;
   unsigned char pixels[SIZE][4];
   uint8_t data[SIZE * 40 + 8] = {0};
   GLushort indices[SIZE];

   for (unsigned i = 0; i < SIZE * components; i++)
      put(t, data + offset + i / components * stride + i % components * t->bytes,
          stored(t, i / components, i % components, normalized));
   for (unsigned i = 0; i < SIZE; i++)
      indices[i] = (i * 7 + 3) % SIZE;
   glBufferData(GL_ARRAY_BUFFER, offset + (SIZE - 1) * stride + t->bytes * components, data, GL_STATIC_DRAW);
   glVertexAttribPointer(1, components, t->gl, normalized, stride, (void *)(uintptr_t)offset);
   glUniform1f(0, 0.4 / largest);
   glClear(GL_COLOR_BUFFER_BIT);
   if (by_index)
      glDrawElements(GL_POINTS, SIZE - 3, GL_UNSIGNED_SHORT, indices + 3);
   else
      glDrawArrays(GL_POINTS, 3, SIZE - 3);
   glReadPixels(0, 0, SIZE, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned i = 0; i < SIZE * 4; i++) {
      const unsigned x = i / 4, c = i & 3;
      const bool drawn = by_index ? x != indices[0] && x != indices[1] && x != indices[2] : x >= 3;
      const double scale = normalized && !t->is_float ? ldexp(1, t->bytes * 8 - t->is_signed) - 1 : 1;
      const double value = c < components ? stored(t, x, c, normalized) / scale : c == 3;
      const double expected = drawn ? 255 * (0.5 + 0.4 / largest * value) : 0;
      char name[100];

      snprintf(name, sizeof(name), "%u of %s%s at %u, stride %u", components, t->name, normalized ? ", normalised" : "", offset,
               stride);
      check(by_index ? "indexed vertices" : "vertices", name, x, c, pixels[x][c], expected, 1.5);
   }
}

#define FAR 70000 /* more than 16 bits apart */

/* Points of which every second one is far behind the others in the buffers: their values are copied side by side. */
static void
check_far_vertices(GLuint columns)
{
   static GLfloat x[FAR + SIZE];
   static unsigned char values[FAR + SIZE][4];
   unsigned char pixels[SIZE][4];
   GLuint indices[SIZE];

   for (unsigned i = 0; i < SIZE; i++) {
      indices[i] = i & 1 ? FAR + i : i;
      x[indices[i]] = (i + 0.5f) / SIZE * 2 - 1;
      for (unsigned c = 0; c < 4; c++)
         values[indices[i]][c] = 10 + 13 * i + 7 * c;
   }
   glBufferData(GL_ARRAY_BUFFER, sizeof(values), values, GL_STATIC_DRAW);
   glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, 0, NULL);
   glBindBuffer(GL_ARRAY_BUFFER, columns);
   glBufferData(GL_ARRAY_BUFFER, sizeof(x), x, GL_STATIC_DRAW);
   glVertexAttribPointer(0, 1, GL_FLOAT, GL_FALSE, 0, NULL);
   glUniform1f(0, 0.5);
   glClear(GL_COLOR_BUFFER_BIT);
   glDrawElements(GL_POINTS, SIZE, GL_UNSIGNED_INT, indices);
   glReadPixels(0, 0, SIZE, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned i = 0; i < SIZE * 4; i++)
      check("vertices", "far apart", i / 4, i & 3, pixels[i / 4][i & 3], 127.5 + values[indices[i / 4]][i & 3] / 2.0, 1);
}

static void
check_vertices(void)
{
   GLfloat columns[SIZE];
   GLuint buffers[2];

   make_target(SIZE, 1, false);
   glUseProgram(make_program("attribute float x; attribute vec4 value; uniform float scale; varying vec4 color;\n"
                             "void main() { gl_Position = vec4(x, 0.0, 0.0, 1.0); color = 0.5 + scale * value; }",
                             "varying vec4 color; void main() { gl_FragColor = color; }", "x value"));
   for (unsigned i = 0; i < SIZE; i++)
      columns[i] = (i + 0.5f) / SIZE * 2 - 1;
   glGenBuffers(2, buffers);
   glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
   glBufferData(GL_ARRAY_BUFFER, sizeof(columns), columns, GL_STATIC_DRAW);
   glVertexAttribPointer(0, 1, GL_FLOAT, GL_FALSE, 0, NULL);
   glBindBuffer(GL_ARRAY_BUFFER, buffers[1]);
   glEnableVertexAttribArray(0);
   glEnableVertexAttribArray(1);
   glClearColor(0, 0, 0, 0);
   for (unsigned i = 0; i < COUNT(types) * 4 * 2 * 2; i++) {
      const struct type *t = &types[i / 16];
      check_attribute(t, 1 + i % 4, i & 4, 0, 0, i & 8);
      check_attribute(t, 1 + i % 4, i & 4, 1, 3, i & 8);
      check_attribute(t, 1 + i % 4, i & 4, 4, 2, i & 8);
   }
   check_far_vertices(buffers[0]);
}

int
main(void)
{
   open_context();
   find_counters();
   const GLuint monitor = new_monitor();
   glBeginPerfMonitorAMD(monitor);
   check_colors();
   check_depths();
   const unsigned long blits_of_cpu = end_counting(monitor, "cpu-blits");
   if (!blits_of_cpu)
      printf("the CPU made no blit\n");
   check_vertices();
   CHECK(glGetError() == GL_NO_ERROR);
   printf("%lu blits of the CPU, %u values wrong\n", blits_of_cpu, wrong);
   return wrong || !blits_of_cpu;
}
