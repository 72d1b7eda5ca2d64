/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * GLSL programs for the GL tests.  Include after <GL/gl.h> and <GL/glext.h> or <GLES2/gl2.h>.
 */

#ifndef TESTS_GL_PROGRAM_H
#define TESTS_GL_PROGRAM_H

#include "egl.h"

static inline void
attach_shader(GLuint program, GLenum type, const char *source)
{
   GLuint shader = glCreateShader(type);
   GLint ok;
   glShaderSource(shader, 1, &source, NULL);
   glCompileShader(shader);
   glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
   CHECK(ok);
   glAttachShader(program, shader);
   glDeleteShader(shader);
}

/*
 * A linked program; the test ends when it does not compile or link.  The source of a stage may be NULL where the API has a
 * fixed function for it; attributes: names for the locations 0, 1, ..., ended by NULL, or NULL.
 */
static inline GLuint
make_program(const char *vertex, const char *fragment, const char *const *attributes)
{
   GLuint program = glCreateProgram();
   GLint ok;
   if (vertex)
      attach_shader(program, GL_VERTEX_SHADER, vertex);
   if (fragment)
      attach_shader(program, GL_FRAGMENT_SHADER, fragment);
   for (GLuint i = 0; attributes && attributes[i]; i++)
      glBindAttribLocation(program, i, attributes[i]);
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &ok);
   CHECK(ok);
   return program;
}

#endif
