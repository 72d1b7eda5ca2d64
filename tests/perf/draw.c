/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * perf-draw [DRAWS [ROW]]: draws per second of CPU time, one row per kind of state change between the draws.  Line:
 * "ROW RATE".
 */

#include <GLES2/gl2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "egl_context.h"
#include "gl_calls.h"

struct bench {
   GLuint programs[2], textures[2], buffers[2], framebuffer;
   GLint color[2];
};

static const char vs[] = "attribute vec4 position;\n"
                         "varying vec2 st;\n"
                         "void main() { gl_Position = position; st = position.xy; }\n";
static const char *const fs[2] = {
   "precision mediump float;\n"
   "uniform vec4 color;\n"
   "void main() { gl_FragColor = color; }\n",
   "precision mediump float;\n"
   "uniform vec4 color;\n"
   "uniform sampler2D t;\n"
   "varying vec2 st;\n"
   "void main() { gl_FragColor = color * texture2D(t, st); }\n",
};

static void
setup(struct bench *b)
{
   static const float quads[2][12] = { { -1, -1, 1, -1, -1, 1, -1, 1, 1, -1, 1, 1 },
                                       { -.5, -.5, .5, -.5, -.5, .5, -.5, .5, .5, -.5, .5, .5 } };
   static const GLushort indices[6] = { 0, 1, 2, 3, 4, 5 };
   static unsigned char texels[16 * 16 * 4];
   glGenBuffers(2, b->buffers);
   filled_buffer(GL_ELEMENT_ARRAY_BUFFER, sizeof(indices), indices, GL_STATIC_DRAW);
   glGenTextures(2, b->textures);
   for (unsigned i = 0; i < 2; i++) {
      b->programs[i] = test_program_create(vs, fs[i]);
      b->color[i] = glGetUniformLocation(b->programs[i], "color");
      glBindBuffer(GL_ARRAY_BUFFER, b->buffers[i]);
      glBufferData(GL_ARRAY_BUFFER, sizeof(quads[i]), quads[i], GL_STATIC_DRAW);
      glBindTexture(GL_TEXTURE_2D, b->textures[i]);
      glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   }
   use_floats(0, 2, NULL);
   glUseProgram(b->programs[1]);
}

static void change_nothing(struct bench *b, unsigned i) { }
static void change_program(struct bench *b, unsigned i) { glUseProgram(b->programs[i & 1]); }
static void change_uniform(struct bench *b, unsigned i) { glUniform4f(b->color[1], i & 255, 0, 0, 1); }
static void change_texture(struct bench *b, unsigned i) { glBindTexture(GL_TEXTURE_2D, b->textures[i & 1]); }

static void
change_sampler(struct bench *b, unsigned i)
{
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, i & 1 ? GL_NEAREST : GL_LINEAR);
}

static void
change_vertex_buffer(struct bench *b, unsigned i)
{
   glBindBuffer(GL_ARRAY_BUFFER, b->buffers[i & 1]);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
}

static void change_blend(struct bench *b, unsigned i) { (i & 1 ? glEnable : glDisable)(GL_BLEND); }

static void
change_blend_function(struct bench *b, unsigned i)
{
   if (i & 1)
      glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
   else
      glBlendFunc(GL_ONE, GL_ONE);
}

static void change_depth(struct bench *b, unsigned i) { glDepthFunc(i & 1 ? GL_LESS : GL_LEQUAL); }
static void change_scissor(struct bench *b, unsigned i) { glScissor(0, 0, 16 + (i & 15), 32); }
static void change_viewport(struct bench *b, unsigned i) { glViewport(0, 0, 32 + (i & 15), 32); }
static void change_cull(struct bench *b, unsigned i) { glCullFace(i & 1 ? GL_FRONT : GL_BACK); }
static void change_mask(struct bench *b, unsigned i) { glColorMask(1, 1, 1, i & 1); }

/* One vertex of the bound buffer. */
static void
change_buffer_data(struct bench *b, unsigned i)
{
   const float vertex[2] = { -1 + (i & 1) * 0.5f, -1 };

   glBufferSubData(GL_ARRAY_BUFFER, 0, sizeof(vertex), vertex);
}

static const struct row {
   const char *name;
   void (*change)(struct bench *, unsigned);
   GLenum enable;
   bool indexed;
} rows[] = {
   { "nothing", change_nothing, 0 },
   { "program", change_program, 0 },
   { "uniform", change_uniform, 0 },
   { "texture", change_texture, 0 },
   { "sampler", change_sampler, 0 },
   { "vertex-buffer", change_vertex_buffer, 0 },
   { "blend", change_blend, 0 },
   { "blend-function", change_blend_function, GL_BLEND },
   { "depth", change_depth, GL_DEPTH_TEST },
   { "scissor", change_scissor, GL_SCISSOR_TEST },
   { "viewport", change_viewport, 0 },
   { "cull", change_cull, GL_CULL_FACE },
   { "color-mask", change_mask, 0 },
   { "indices", change_nothing, 0, true },
   { "buffer-data", change_buffer_data, 0 },
};

static double
measure(struct bench *b, const struct row *row, unsigned draws)
{
   double start = test_cpu_time();
   for (unsigned i = 0; i < draws; i++) {
      row->change(b, i);
      if (row->indexed)
         glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, NULL);
      else
         glDrawArrays(GL_TRIANGLES, 0, 6);
   }
   glFinish();
   return draws / (test_cpu_time() - start);
}

int
main(int argc, char **argv)
{
   unsigned draws = argc > 1 ? strtoul(argv[1], NULL, 10) : 20000;
   struct bench bench;
   if (!test_context_create(true))
      return 1;
   fprintf(stderr, "%s\n", glGetString(GL_RENDERER));
   test_target_create(64, 64);
   setup(&bench);
   for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
      if (argc > 2 && strcmp(argv[2], rows[i].name) != 0)
         continue;
      if (rows[i].enable)
         glEnable(rows[i].enable);
      measure(&bench, &rows[i], draws / 10);
      printf("%s %.0f\n", rows[i].name, measure(&bench, &rows[i], draws));
      if (rows[i].enable)
         glDisable(rows[i].enable);
      glDisable(GL_BLEND);
      glBlendFunc(GL_ONE, GL_ZERO);
      glColorMask(1, 1, 1, 1);
      glUseProgram(bench.programs[1]);
   }
   return 0;
}
