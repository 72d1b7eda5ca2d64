/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * perf-published SCENE DRAWS: draws what published benchmarks measure, that often (tests/perf/published.py).
 *
 *    fill       a texture of one texel a pixel, over the whole target
 *    triangles  textured triangles of half of 4x4 pixels
 *    lit        the same with diffuse light for each pixel
 *    blended    the same as triangles, over what is there
 *    peak       triangles that hardly have a pixel, in a strip
 *    rejected   the whole target, behind what is drawn
 *    average    fill on a target of half the width and height
 *    resolve    the same from four samples a pixel
 *
 * Line: "UNITS", pixels or triangles of a draw.
 */

#include <GLES3/gl3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "egl_context.h"
#include "gl_calls.h"

#define WIDTH 1280
#define HEIGHT 800
#define CELL 4 /* pixels */
#define COLUMNS 150
#define ROWS 100
#define STRIP 20000

static const char plain_vertex[] = "attribute vec4 position; varying vec2 at;"
                                   "void main() { gl_Position = position; at = position.xy * 0.5 + 0.5; }";
static const char texture_fragment[] = "precision mediump float; varying vec2 at; uniform sampler2D picture;"
                                       "void main() { gl_FragColor = texture2D(picture, at); }";
static const char lit_fragment[] = "precision mediump float; varying vec2 at; uniform sampler2D picture; uniform vec3 light;"
                                   "void main() { vec3 n = normalize(vec3(at, 0.5)); gl_FragColor = texture2D(picture, at) *"
                                   " max(dot(n, normalize(light - vec3(at, 0.0))), 0.0); }";

static void
make_texture(void)
{
   empty_texture(GL_TEXTURE_2D);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
   set_wraps(GL_TEXTURE_2D, GL_CLAMP_TO_EDGE, GL_CLAMP_TO_EDGE);
   void *texels = calloc(WIDTH * HEIGHT, 4);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, WIDTH, HEIGHT, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   free(texels);
}

static void
put(float *v, float x, float y)
{
   v[0] = 2 * x / WIDTH - 1;
   v[1] = 2 * y / HEIGHT - 1;
}

/* Two triangles a cell, which share vertices by their indices. */
static unsigned
make_grid(void)
{
   static float corners[(COLUMNS + 1) * (ROWS + 1)][2];
   static GLushort indices[COLUMNS * ROWS * 6];
   GLuint buffers[2];
   unsigned n = 0;

   for (unsigned i = 0; i < (COLUMNS + 1) * (ROWS + 1); i++)
      put(corners[i], CELL * (i % (COLUMNS + 1)), CELL * (i / (COLUMNS + 1)));
   for (unsigned y = 0; y < ROWS; y++) {
      for (unsigned x = 0; x < COLUMNS; x++) {
         const GLushort a = y * (COLUMNS + 1) + x, c = a + COLUMNS + 1;
         const GLushort cell[6] = { a, a + 1, c, c, a + 1, c + 1 };
         memcpy(indices + n, cell, sizeof(cell));
         n += 6;
      }
   }
   glGenBuffers(2, buffers);
   glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
   glBufferData(GL_ARRAY_BUFFER, sizeof(corners), corners, GL_STATIC_DRAW);
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
   glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof(indices), indices, GL_STATIC_DRAW);
   return n;
}

static void
make_strip(void)
{
   static float corners[STRIP][2];

   for (unsigned i = 0; i < STRIP; i++)
      put(corners[i], 0.05f * (i / 2) + 0.2f, i % 2 * 0.05f + 0.2f);
   filled_buffer(GL_ARRAY_BUFFER, sizeof(corners), corners, GL_STATIC_DRAW);
}

/* To read from; samples of the pixels that are bound to be written. */
static void
make_samples(unsigned width, unsigned height)
{
   GLuint framebuffer, samples;

   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
   glGenRenderbuffers(1, &samples);
   glBindRenderbuffer(GL_RENDERBUFFER, samples);
   glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_RGBA8, width, height);
   glFramebufferRenderbuffer(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, samples);
}

int
main(int argc, char **argv)
{
   static const float all[4][3] = { { -1, -1, 0 }, { 1, -1, 0 }, { -1, 1, 0 }, { 1, 1, 0 } };
   static const float behind[4][3] = { { -1, -1, 0.5f }, { 1, -1, 0.5f }, { -1, 1, 0.5f }, { 1, 1, 0.5f } };
   const char *scene = argc == 3 ? argv[1] : "";
   const bool lit = !strcmp(scene, "lit"), blended = !strcmp(scene, "blended"), strip = !strcmp(scene, "peak");
   const bool grid = !strcmp(scene, "triangles") || lit || blended, rejected = !strcmp(scene, "rejected");
   const bool resolve = !strcmp(scene, "resolve"), small = resolve || !strcmp(scene, "average");
   const unsigned width = small ? WIDTH / 2 : WIDTH, height = small ? HEIGHT / 2 : HEIGHT;
   unsigned indices = 0;

   if (argc != 3 || (!grid && !strip && !rejected && !small && strcmp(scene, "fill")) || !test_context_create(!resolve))
      return 2;
   test_target_create(width, height);
   if (resolve) {
      make_samples(width, height);
   } else {
      const GLuint program = test_program_create(plain_vertex, lit ? lit_fragment : texture_fragment);

      glUseProgram(program);
      glUniform3f(glGetUniformLocation(program, "light"), 0.3f, 0.4f, 1.0f);
   }
   make_texture();
   if (grid)
      indices = make_grid();
   if (strip)
      make_strip();
   if (blended)
      glEnable(GL_BLEND);
   glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, grid || strip ? 2 : 3, GL_FLOAT, GL_FALSE, 0, grid || strip ? NULL : all);
   if (rejected) {
      glClear(GL_DEPTH_BUFFER_BIT);
      glEnable(GL_DEPTH_TEST);
      glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
      glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, behind);
   }
   for (int i = 0; i < atoi(argv[2]); i++) {
      if (resolve)
         glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
      else if (grid)
         glDrawElements(GL_TRIANGLES, indices, GL_UNSIGNED_SHORT, NULL);
      else
         glDrawArrays(GL_TRIANGLE_STRIP, 0, strip ? STRIP : 4);
   }
   glFinish();
   printf("%u\n", grid ? indices / 3 : strip ? STRIP - 2 : width * height);
   return glGetError() != GL_NO_ERROR;
}
