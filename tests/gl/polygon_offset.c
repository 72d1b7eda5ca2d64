/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Polygon offset with units: a polygon that is moved by one unit towards the viewer is in front of the same polygon, and one
 * that is moved away is behind it, in every pixel (OpenGL ES 2.0, 3.5.2: a unit is the smallest step that makes a difference
 * wherever the depth is).  All depths from 0 to 1, flat and sloped polygons, buffers of 16 and of 24 bits.
 */

#include "opengl_es.h"

#define SIZE  64
#define CASES 400

static GLint color;

static void
attach_depth(GLenum format)
{
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, target_buffer(format, SIZE, SIZE));
   CHECK(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
}

/* Draws the polygon where it passes the depth test, in green or in red. */
static void
draw(GLenum function, float units, bool green)
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
run_case(unsigned number)
{
   static const GLenum formats[] = {GL_DEPTH_COMPONENT16, TARGET_DEPTH_STENCIL};
   const GLenum format = formats[number % 2];
   GLfloat corners[4][3];
   unsigned wrong;

   const bool is_flat = one_in(3);
   const float depth = between(-0.9f, 0.9f);
   for (unsigned i = 0; i < 4; i++) {
      corners[i][0] = i & 1 ? 1 : -1;
      corners[i][1] = i & 2 ? 1 : -1;
      /* a plane */
      corners[i][2] = i == 3 ? corners[1][2] + corners[2][2] - corners[0][2] : is_flat ? depth : depth + between(-0.04f, 0.04f);
   }
   attach_depth(format);
   glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, corners);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   draw(GL_ALWAYS, 0, false);
   draw(GL_LESS, -1, true);
   wrong = count_wrong(true);
   draw(GL_ALWAYS, 0, true);
   draw(GL_LEQUAL, 1, false);
   wrong += count_wrong(true);
   if (wrong)
      fprintf(stderr, "format %x, case %u, depths %g %g %g: %u pixels are wrong\n", format, number, corners[0][2], corners[1][2],
              corners[2][2], wrong);
   return wrong;
}

int
main(int argc, char **argv)
{
   static const char vertex[] = "attribute vec3 at; void main() { gl_Position = vec4(at, 1.0); }\n";
   static const char fragment[] = "precision mediump float; uniform vec4 color; void main() { gl_FragColor = color; }\n";

   open_target(SIZE, SIZE, false);
   const GLuint program = make_program(vertex, fragment, "at");
   glUseProgram(program);
   color = glGetUniformLocation(program, "color");
   glEnableVertexAttribArray(0);
   glEnable(GL_DEPTH_TEST);
   glEnable(GL_POLYGON_OFFSET_FILL);
   return run_numbered(argc, argv, CASES, run_case);
}
