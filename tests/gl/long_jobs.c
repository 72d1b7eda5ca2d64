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
 *   vertices  draws whose vertices take too long
 *   turns   a draw whose vertices take too long because a loop turns more often than the driver expects: as layers
 *   fills   what GR2D copies
 *
 * To be run with TEGRA20_SHIM_CLOCKS, the clocks that the kernel gives a job, and TEGRA20_JOB_CLOCKS, what the driver knows
 * of that; or with the bounds of a kernel.
 */

#include "opengl_es.h"

#define SIZE 256
#define STRIPE 16

static const char vertex[] =
   "attribute vec2 corner;\n"
   "varying vec2 place;\n"
   "void main() { place = corner * 0.5 + 0.5; gl_Position = vec4(corner, corner.x * 0.3, 1.0); }\n";

/* A 255th: 255 layers of it, blended, are white. */
static const char step[] =
   "precision mediump float;\n"
   "void main() { gl_FragColor = vec4(1.0 / 255.0); }\n";

/* Some work, of a vector v; and a program that begins with some. */
#define WORK(TIMES) "   for (int i = 0; i < " #TIMES "; i++)\n      v = fract(v.yzwx * 1.25 + v * 0.5);\n"
#define AFTER_WORK(MORE, THEN) \
   "precision mediump float;\nvarying vec2 place;\n" MORE "void main() {\n" \
   "   vec4 v = vec4(place, place.y - place.x, 0.25);\n" WORK(8) THEN "}\n"

static const char long_step[] =
   AFTER_WORK("uniform float most;\n", "   gl_FragColor = vec4(v.x > most ? 1.0 : 1.0 / 255.0);\n");

/* About 30 clocks of the engine. */
static const char heavy[] = AFTER_WORK("", "   gl_FragColor = v;\n");

/* The same, which takes two passes where depth is written. */
static const char holes[] = AFTER_WORK("", "   if (v.x < 0.4)\n      discard;\n   gl_FragColor = v;\n");

static const GLfloat strip[] = {-1, -1, 1, -1, -1, 1, 1, 1};

static void
use_program(const char *fragment)
{
   const GLuint program = make_program(vertex, fragment, "corner");

   glUseProgram(program);
   glUniform1f(glGetUniformLocation(program, "most"), 2);
   use_floats(0, 2, strip);
}

static unsigned char *
read_pixels(unsigned size)
{
   unsigned char *pixels = malloc(size * size * 4);

   CHECK(pixels);
   glReadPixels(0, 0, size, size, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   return pixels;
}

/* Up to here the engine's blending adds exactly: later draws go to the next channel. */
#define DRAWS_OF_CHANNEL 100

static unsigned
count_others(unsigned size, unsigned draws)
{
   unsigned char *pixels = read_pixels(size);
   unsigned others = 0;

   for (unsigned i = 0; i < size * size * 4; i++) {
      const unsigned before = i % 4 * DRAWS_OF_CHANNEL, left = draws > before ? draws - before : 0;
      others += pixels[i] != (left < DRAWS_OF_CHANNEL ? left : DRAWS_OF_CHANNEL);
   }
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
   make_target(size, size, true);
   glClear(GL_COLOR_BUFFER_BIT);
   add_up(fragment);
   for (unsigned i = 0; i < draws; i++) {
      const unsigned channel = i / DRAWS_OF_CHANNEL;
      if (i % DRAWS_OF_CHANNEL == 0)
         glColorMask(channel == 0, channel == 1, channel == 2, channel == 3);
      glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   }
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

/* About 220 clocks of the engine for each vertex. */
static const char long_vertex[] =
   "attribute vec2 corner;\n"
   "uniform float nothing;\n"
   "varying vec2 place;\n"
   "void main() {\n"
   "   vec4 v = vec4(corner, corner.y - corner.x, 0.25);\n"
   WORK(72)
   "   place = v.xy;\n"
   "   gl_Position = vec4(corner, v.z * nothing, 1.0);\n"
   "}\n";

/* A loop of about 3,000 turns, which nobody knows before the vertex is there. */
static const char turning_vertex[] =
   "attribute vec2 corner;\n"
   "uniform float nothing;\n"
   "varying vec2 place;\n"
   "void main() {\n"
   "   vec4 v = vec4(corner, corner.y - corner.x, 0.25);\n"
   "   float turns = 3000.0 + corner.x;\n"
   "   for (float i = 0.0; i < turns; i += 1.0)\n"
   "      v = fract(v.yzwx * 1.25 + v * 0.5);\n"
   "   place = v.xy;\n"
   "   gl_Position = vec4(corner, v.z * nothing, 1.0);\n"
   "}\n";

static const char show_place[] =
   "precision mediump float;\n"
   "varying vec2 place;\n"
   "void main() { gl_FragColor = vec4(place, 0.5, 1.0) / 8.0; }\n";

#define CELLS 26
#define MESH_VERTICES (6 * CELLS * CELLS)

struct mesh {
   GLenum mode;
   unsigned count, overlap; /* of a part with the one before */
   GLfloat v[3 * MESH_VERTICES][2];
};

/* In parts of so many vertices, each in a job of its own. */
static unsigned char *
draw_mesh(const struct mesh *m, unsigned part, unsigned tries)
{
   unsigned char *pixels = NULL;

   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, m->v);
   for (unsigned i = 0; i < tries; i++) {
      /* what is read after a lost job */
      while (i && glGetError() != GL_NO_ERROR)
         ;
      free(pixels);
      glClear(GL_COLOR_BUFFER_BIT);
      for (unsigned at = 0; at + m->overlap < m->count; at += part - m->overlap) {
         glDrawArrays(m->mode, at, at + part < m->count ? part : m->count - at);
         if (part < m->count)
            glFinish();
      }
      pixels = read_pixels(SIZE);
   }
   return pixels;
}

/* The same mesh at once and in parts, in a square of the target. */
static void
one_mesh(const struct mesh *m, const struct mesh *in_parts, unsigned size, unsigned tries)
{
   glViewport(0, 0, size, size);
   unsigned char *whole = draw_mesh(m, m->count, tries), *parts = draw_mesh(in_parts, 24, 1);
   unsigned drawn = 0;

   for (unsigned i = 0; i < SIZE * SIZE * 4; i++)
      drawn += whole[i] > 0;
   CHECK(drawn > size * size * 2);
   CHECK(memcmp(whole, parts, SIZE * SIZE * 4) == 0);
   free(whole);
   free(parts);
}

static void
make_list(struct mesh *m, unsigned cells)
{
   *m = (struct mesh){.mode = GL_TRIANGLES, .count = 6 * cells * cells};
   for (unsigned i = 0; i < m->count; i++) {
      static const unsigned char corners[] = {0, 1, 2, 2, 1, 3};
      const unsigned cell = i / 6, corner = corners[i % 6];
      m->v[i][0] = (cell % cells + corner % 2) * 2.0f / cells - 1;
      m->v[i][1] = (cell / cells + corner / 2) * 2.0f / cells - 1;
   }
}

static void
make_strip(struct mesh *m)
{
   *m = (struct mesh){.mode = GL_TRIANGLE_STRIP, .count = MESH_VERTICES, .overlap = 2};
   for (unsigned i = 0; i < MESH_VERTICES; i++) {
      m->v[i][0] = i / 2 * (4.0f / (MESH_VERTICES - 2)) - 1;
      m->v[i][1] = i % 2 ? 1 : -1;
   }
}

/* A fan, and the same as a list. */
static void
make_fan(struct mesh *m, struct mesh *list)
{
   *m = (struct mesh){.mode = GL_TRIANGLE_FAN, .count = MESH_VERTICES};
   *list = (struct mesh){.mode = GL_TRIANGLES};
   for (unsigned i = 0; i < MESH_VERTICES; i++) {
      const float angle = i * (6.2831853f / (MESH_VERTICES - 2));
      m->v[i][0] = i ? cosf(angle) : 0;
      m->v[i][1] = i ? sinf(angle) : 0;
      for (unsigned corner = 0; i >= 2 && corner < 3; corner++)
         memcpy(list->v[list->count++], m->v[corner ? i - 2 + corner : 0], sizeof(m->v[0]));
   }
}

static void
use_vertex_program(const char *source)
{
   const GLuint program = make_program(source, show_place, "corner");

   glUseProgram(program);
   glUniform1f(glGetUniformLocation(program, "nothing"), 0);
   glEnableVertexAttribArray(0);
}

static void
vertices(void)
{
   static struct mesh mesh, list;

   use_vertex_program(long_vertex);
   make_list(&mesh, CELLS);
   one_mesh(&mesh, &mesh, SIZE, 1);
   make_strip(&mesh);
   one_mesh(&mesh, &mesh, SIZE, 1);
   make_fan(&mesh, &list);
   one_mesh(&mesh, &list, SIZE, 1);
}

static void
turns(void)
{
   static struct mesh mesh;

   use_vertex_program(turning_vertex);
   make_list(&mesh, 4);
   /* so small that its fragments are no reason to cut it */
   one_mesh(&mesh, &mesh, 32, 2);
}

/* Copies within a texture, which GR2D makes: the picture moves to the right, a pixel at a time. */
static void
fills(void)
{
   const unsigned steps = 40;

   use_program(heavy);
   glClear(GL_COLOR_BUFFER_BIT);
   draw_in_stripes(STRIPE);
   unsigned char *before = read_pixels(SIZE);
   const GLuint texture = empty_texture(GL_TEXTURE_2D);
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

   open_context();
   glDisable(GL_DITHER);
   glClearColor(0, 0, 0, 0);
   if (!strcmp(what, "many")) {
      many(argc > 2 ? strtoul(argv[2], NULL, 10) : SIZE, argc > 3 ? strtoul(argv[3], NULL, 10) : 250,
           argc > 4 ? long_step : step);
   } else {
      make_target(SIZE, SIZE, true);
      if (!strcmp(what, "one")) {
         one(heavy, false);
         one(holes, true);
      } else if (!strcmp(what, "layers")) {
         layers();
      } else if (!strcmp(what, "vertices")) {
         vertices();
      } else if (!strcmp(what, "turns")) {
         turns();
      } else {
         CHECK(!strcmp(what, "fills"));
         fills();
      }
   }
   CHECK(glGetError() == GL_NO_ERROR);
   printf("long jobs, %s: right\n", what);
   return 0;
}
