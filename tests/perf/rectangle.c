/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * perf-rectangle FILE SIZE DRAWS: draws a rectangle that covers a target of SIZE x SIZE pixels that often, with the fragment
 * program in FILE.  It sees "varying vec4 a" and "uniform vec4 u[8]".
 */

#include <GLES2/gl2.h>
#include <stdio.h>
#include <stdlib.h>

#include "egl_context.h"

static const char vs[] = "attribute vec4 position;\n"
                         "varying vec4 a;\n"
                         "void main() { gl_Position = position; a = position.xyyx * 0.5 + vec4(0.5, 0.3, 0.2, 0.1); }\n";

int
main(int argc, char **argv)
{
   static const float corners[8] = { -1, -1, 1, -1, -1, 1, 1, 1 };
   static char source[1 << 17];
   GLfloat uniforms[8][4];

   FILE *file = argc == 4 ? fopen(argv[1], "r") : NULL;
   if (!file || !fread(source, 1, sizeof(source) - 1, file) || !test_context_create(true))
      return 2;
   test_target_create(atoi(argv[2]), atoi(argv[2]));
   const GLuint program = test_program_create(vs, source);
   if (!program)
      return 1;
   glUseProgram(program);
   for (unsigned i = 0; i < 32; i++)
      uniforms[i / 4][i % 4] = 0.25f + i / 64.0f;
   glUniform4fv(glGetUniformLocation(program, "u"), 8, uniforms[0]);
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
   for (int i = 0; i < atoi(argv[3]); i++)
      glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   glFinish();
   return glGetError() != GL_NO_ERROR;
}
