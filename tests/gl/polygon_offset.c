/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Polygon offset with units: a polygon that is moved by one unit towards the viewer is in front of the same polygon, and one
 * that is moved away is behind it, in every pixel (OpenGL ES 2.0, 3.5.2: a unit is the smallest step that makes a difference
 * wherever the depth is).  All depths from 0 to 1, flat and sloped polygons, buffers of 16 and of 24 bits.
 */

#include <GLES2/gl2.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "egl_context.h"
#include "program.h"
#include "random.h"
#include "target.h"

#define SIZE  64
#define CASES 200 /* of each format */

static void
attach_depth(GLenum format)
{
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, target_buffer(format, SIZE, SIZE));
   CHECK(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
}

/* Draws the polygon where it passes the depth test, in green or in red. */
static void
draw(GLint color, GLenum function, float units, bool green)
{
   glDepthFunc(function);
   glPolygonOffset(0, units);
   glUniform4f(color, !green, green, 0, 1);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static unsigned
count_wrong(bool green)
{
   uint8_t pixels[SIZE * SIZE * 4];
   unsigned wrong = 0;

   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned i = 0; i < SIZE * SIZE; i++)
      wrong += pixels[4 * i + green] != 255;
   return wrong;
}

static unsigned
run_case(GLint color, GLenum format, unsigned number)
{
   GLfloat corners[4][3];
   unsigned wrong;

   random_state = number * 2654435761u + 1;
   const bool is_flat = one_in(3);
   const float depth = between(-0.9f, 0.9f);
   for (unsigned i = 0; i < 4; i++) {
      corners[i][0] = i & 1 ? 1 : -1;
      corners[i][1] = i & 2 ? 1 : -1;
      /* a plane */
      corners[i][2] = i == 3 ? corners[1][2] + corners[2][2] - corners[0][2] : is_flat ? depth : depth + between(-0.04f, 0.04f);
   }
   glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, corners);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   draw(color, GL_ALWAYS, 0, false);
   draw(color, GL_LESS, -1, true);
   wrong = count_wrong(true);
   draw(color, GL_ALWAYS, 0, true);
   draw(color, GL_LEQUAL, 1, false);
   wrong += count_wrong(true);
   if (wrong)
      fprintf(stderr, "format %x, case %u, depths %g %g %g: %u pixels are wrong\n", format, number, corners[0][2], corners[1][2],
              corners[2][2], wrong);
   return wrong;
}

int
main(void)
{
   static const char vertex[] = "attribute vec3 at; void main() { gl_Position = vec4(at, 1.0); }\n";
   static const char fragment[] = "precision mediump float; uniform vec4 color; void main() { gl_FragColor = color; }\n";
   static const char *const attributes[] = {"at", NULL};
   static const GLenum formats[] = {GL_DEPTH_COMPONENT16, TARGET_DEPTH_STENCIL};
   unsigned wrong = 0;

   if (!test_context_create(true))
      return 1;
   const GLuint program = make_program(vertex, fragment, attributes);
   glUseProgram(program);
   glEnableVertexAttribArray(0);
   make_target(SIZE, SIZE, false);
   glEnable(GL_DEPTH_TEST);
   glEnable(GL_POLYGON_OFFSET_FILL);
   for (unsigned f = 0; f < 2; f++) {
      attach_depth(formats[f]);
      for (unsigned i = 0; i < CASES; i++)
         wrong += run_case(glGetUniformLocation(program, "color"), formats[f], i + 1) > 0;
   }
   CHECK(glGetError() == GL_NO_ERROR);
   fprintf(stderr, "%u cases, %u of them wrong\n", 2 * CASES, wrong);
   return wrong > 0;
}
