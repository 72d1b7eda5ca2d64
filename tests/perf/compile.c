/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * perf-compile FILE...: CPU time from GLSL source to a drawn triangle, per program.
 *
 * Each program is compiled, linked and used for one draw, so that drivers which compile late are measured whole.  It is
 * done three times under new names; the line has the least time in milliseconds: "PATH MS", or "PATH failed".
 */

#include <GLES2/gl2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "egl_context.h"
#include "shader_test.h"

#define RUNS 3

static bool
link_and_draw(const struct shader_test *test)
{
   GLuint program = glCreateProgram();
   GLint ok = 0;
   for (unsigned i = 0; i < test->num_sources; i++) {
      GLuint shader = glCreateShader(test->sources[i].stage == SOURCE_VERTEX ? GL_VERTEX_SHADER : GL_FRAGMENT_SHADER);
      const char *text = test->sources[i].text;
      glShaderSource(shader, 1, &text, NULL);
      glCompileShader(shader);
      glAttachShader(program, shader);
      glDeleteShader(shader);
   }
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &ok);
   if (ok) {
      glUseProgram(program);
      glDrawArrays(GL_TRIANGLES, 0, 3);
      glFlush();
      glUseProgram(0);
   }
   glDeleteProgram(program);
   return ok && glGetError() == GL_NO_ERROR;
}

int
main(int argc, char **argv)
{
   static const float triangle[12] = { -1, -1, 0, 1, 3, -1, 0, 1, -1, 3, 0, 1 };
   bool es = argc > 1 && !strcmp(argv[1], "--es");
   if (!test_context_create(es))
      return 1;
   test_target_create(64, 64);
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, triangle);
   glEnableVertexAttribArray(0);
   for (int i = 1 + es; i < argc; i++) {
      struct shader_test test;
      char *error = NULL;
      double best = 1e9;
      bool ok = shader_test_read(&test, argv[i], &error);
      for (unsigned run = 0; ok && run < RUNS; run++) {
         double start = test_cpu_time();
         ok = link_and_draw(&test);
         double elapsed = test_cpu_time() - start;
         best = elapsed < best ? elapsed : best;
      }
      if (ok)
         printf("%s %.4f\n", argv[i], best * 1000);
      else
         printf("%s failed\n", argv[i]);
      fflush(stdout);
      free(error);
      shader_test_free(&test);
   }
   return 0;
}
