/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * More work than the kernel gives a job time for.  A job that takes longer is cancelled, and what it draws is lost.
 *
 *   many [SIZE [DRAWS [long]]]   many draws of the whole target, with a short or a long program: no job of the driver has
 *           too many of them
 *   one     single draws that are too long: in bands they look as if the program had cut them itself
 *   layers  one draw of many primitives, each of which covers the target, which the driver does not expect: once it may be
 *           lost, then it is right, whatever the primitives are
 *   fills   what GR2D copies
 *
 * To be run with TEGRA20_SHIM_CLOCKS, the clocks that the kernel gives a job, and TEGRA20_JOB_CLOCKS, what the driver knows
 * of that; or with the bounds of a kernel.
 */

#include <GLES2/gl2.h>
#include <stdlib.h>
#include <string.h>

#include "egl_context.h"
#include "program.h"

#define SIZE 256
#define STRIPE 16

static const char *const attributes[] = {"corner", NULL};

static const char vertex[] =
   "attribute vec2 corner;\n"
   "varying vec2 place;\n"
   "void main() { place = corner * 0.5 + 0.5; gl_Position = vec4(corner, corner.x * 0.3, 1.0); }\n";

/* A 255th: 255 layers of it, blended, are white. */
static const char step[] =
   "precision mediump float;\n"
   "void main() { gl_FragColor = vec4(1.0 / 255.0); }\n";

/* The same after some work. */
static const char long_step[] =
   "precision mediump float;\n"
   "varying vec2 place;\n"
   "uniform float most;\n"
   "void main() {\n"
   "   vec4 v = vec4(place, place.y - place.x, 0.25);\n"
   "   for (int i = 0; i < 8; i++)\n"
   "      v = fract(v.yzwx * 1.25 + v * 0.5);\n"
   "   gl_FragColor = vec4(v.x > most ? 1.0 : 1.0 / 255.0);\n"
   "}\n";

/* About 30 clocks of the engine. */
static const char heavy[] =
   "precision mediump float;\n"
   "varying vec2 place;\n"
   "void main() {\n"
   "   vec4 v = vec4(place, place.y - place.x, 0.25);\n"
   "   for (int i = 0; i < 8; i++)\n"
   "      v = fract(v.yzwx * 1.25 + v * 0.5);\n"
   "   gl_FragColor = v;\n"
   "}\n";

/* The same, which takes two passes where depth is written. */
static const char holes[] =
   "precision mediump float;\n"
   "varying vec2 place;\n"
   "void main() {\n"
   "   vec4 v = vec4(place, place.y - place.x, 0.25);\n"
   "   for (int i = 0; i < 8; i++)\n"
   "      v = fract(v.yzwx * 1.25 + v * 0.5);\n"
   "   if (v.x < 0.4)\n"
   "      discard;\n"
   "   gl_FragColor = v;\n"
   "}\n";

static const GLfloat strip[] = {-1, -1, 1, -1, -1, 1, 1, 1};

static void
use_program(const char *fragment)
{
   const GLuint program = make_program(vertex, fragment, attributes);

   glUseProgram(program);
   glUniform1f(glGetUniformLocation(program, "most"), 2);
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, strip);
}

static unsigned char *
read_pixels(unsigned size)
{
   unsigned char *pixels = malloc(size * size * 4);

   CHECK(pixels);
   glReadPixels(0, 0, size, size, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   return pixels;
}

static unsigned
count_others(unsigned size, unsigned value)
{
   unsigned char *pixels = read_pixels(size);
   unsigned others = 0;

   for (unsigned i = 0; i < size * size * 4; i++)
      others += pixels[i] != value;
   free(pixels);
   return others;
}

static void
add_up(const char *fragment)
{
   glBlendFunc(GL_ONE, GL_ONE);
   glEnable(GL_BLEND);
   use_program(fragment);
}

static void
many(unsigned size, unsigned draws, const char *fragment)
{
   test_target_create(size, size);
   glClear(GL_COLOR_BUFFER_BIT);
   add_up(fragment);
   for (unsigned i = 0; i < draws; i++)
      glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   CHECK(count_others(size, draws) == 0);
}

static void
draw_in_stripes(unsigned rows)
{
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   glEnable(GL_SCISSOR_TEST);
   for (unsigned y = 0; y < SIZE; y += rows) {
      glScissor(3, y, SIZE - 8, rows);
      glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   }
   glDisable(GL_SCISSOR_TEST);
   /* shows the depth that was written */
   glDepthFunc(GL_GREATER);
   use_program(step);
   glEnable(GL_BLEND);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   glDisable(GL_BLEND);
   glDepthFunc(GL_LESS);
}

static void
one(const char *fragment, bool depth)
{
   unsigned char *pixels[2];

   glBlendFunc(GL_ONE, GL_ONE);
   for (unsigned i = 0; i < 2; i++) {
      if (depth)
         glEnable(GL_DEPTH_TEST);
      use_program(fragment);
      draw_in_stripes(i ? STRIPE : SIZE);
      pixels[i] = read_pixels(SIZE);
   }
   unsigned drawn = 0;
   for (unsigned i = 0; i < SIZE * SIZE * 4; i++)
      drawn += pixels[0][i] > 1;
   CHECK(drawn > SIZE * SIZE);
   CHECK(memcmp(pixels[0], pixels[1], SIZE * SIZE * 4) == 0);
   free(pixels[0]);
   free(pixels[1]);
   glDisable(GL_DEPTH_TEST);
}

#define LAYERS 64

/* LAYERS rectangles of two triangles each. */
static unsigned
make_layers(GLfloat (*v)[2])
{
   static const unsigned char corners[] = {0, 1, 2, 2, 1, 3};
   unsigned n = 0;

   for (unsigned layer = 0; layer < LAYERS; layer++) {
      for (unsigned i = 0; i < 6; i++, n++)
         memcpy(v[n], &strip[2 * corners[i]], sizeof(v[n]));
   }
   return n;
}

/* Draws twice, as the first may be lost.  The number of layers that came out, the same everywhere. */
static unsigned
layers_drawn(GLenum mode, unsigned count, const GLushort *indices)
{
   unsigned char *pixels = NULL;

   for (unsigned i = 0; i < 2; i++) {
      glClear(GL_COLOR_BUFFER_BIT);
      if (indices)
         glDrawElements(mode, count, GL_UNSIGNED_SHORT, indices);
      else
         glDrawArrays(mode, 0, count);
      free(pixels);
      pixels = read_pixels(SIZE);
      while (glGetError() != GL_NO_ERROR)
         ;
   }
   const unsigned layers = pixels[0];
   for (unsigned i = 0; i < SIZE * SIZE * 4; i++)
      CHECK(pixels[i] == layers);
   free(pixels);
   return layers;
}

static void
layers(void)
{
   static GLfloat v[6 * LAYERS][2];
   static GLushort indices[6 * LAYERS];
   const unsigned count = make_layers(v);

   add_up(step);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, v);
   CHECK(layers_drawn(GL_TRIANGLES, count, NULL) == LAYERS);
   for (unsigned i = 0; i < count; i++)
      indices[i] = count - 1 - i;
   CHECK(layers_drawn(GL_TRIANGLES, count, indices) == LAYERS);

   /* around the target: any three corners in a row are one half of it, and the other half is two triangles later */
   static const unsigned char round[] = {0, 1, 3, 2};
   for (unsigned i = 0; i < 2 * LAYERS + 2; i++)
      memcpy(v[i], &strip[2 * round[i % 4]], sizeof(v[i]));
   CHECK(layers_drawn(GL_TRIANGLE_STRIP, 2 * LAYERS + 2, NULL) == LAYERS);

   /* from one corner there and back along the two sides that it is not on */
   static const unsigned char rim[] = {1, 3, 2, 3};
   for (unsigned i = 1; i < 2 * LAYERS + 2; i++)
      memcpy(v[i], &strip[2 * rim[(i - 1) % 4]], sizeof(v[i]));
   CHECK(layers_drawn(GL_TRIANGLE_FAN, 2 * LAYERS + 2, NULL) == LAYERS);
}

/* Copies within a texture, which GR2D makes: the picture moves to the right, a pixel at a time. */
static void
fills(void)
{
   GLuint texture;
   const unsigned steps = 40;

   use_program(heavy);
   glClear(GL_COLOR_BUFFER_BIT);
   draw_in_stripes(STRIPE);
   unsigned char *before = read_pixels(SIZE);
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, before);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
   for (unsigned i = 0; i < steps; i++)
      glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 1, 0, 0, 0, SIZE - 1, SIZE);
   unsigned char *after = read_pixels(SIZE);
   for (unsigned y = 0; y < SIZE; y++)
      CHECK(memcmp(&after[(y * SIZE + steps) * 4], &before[y * SIZE * 4], (SIZE - steps) * 4) == 0);
   free(before);
   free(after);
}

int
main(int argc, char **argv)
{
   const char *what = argc > 1 ? argv[1] : "";

   if (!test_context_create(true))
      return 1;
   glDisable(GL_DITHER);
   glClearColor(0, 0, 0, 0);
   if (!strcmp(what, "many")) {
      many(argc > 2 ? strtoul(argv[2], NULL, 10) : SIZE, argc > 3 ? strtoul(argv[3], NULL, 10) : 100,
           argc > 4 ? long_step : step);
   } else {
      test_target_create(SIZE, SIZE);
      if (!strcmp(what, "one")) {
         one(heavy, false);
         one(holes, true);
      } else if (!strcmp(what, "layers")) {
         layers();
      } else {
         CHECK(!strcmp(what, "fills"));
         fills();
      }
   }
   CHECK(glGetError() == GL_NO_ERROR);
   printf("long jobs, %s: right\n", what);
   test_context_destroy();
   return 0;
}
