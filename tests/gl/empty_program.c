/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * empty_program: links programs again after their shaders were detached, which OpenGL allows, and once more with a shader.
 * Mesa's cache must not keep the empty one (plugin/mesa_linker.c); cache.py runs this with a cache, again
 * with what it left.
 */

#include "opengl.h"

static const char vertex[] = "void main() { gl_Position = gl_Vertex; gl_FrontColor = gl_Color; }\n";

static void
detach_all(GLuint program)
{
   GLuint shaders[4];
   GLsizei count;
   glGetAttachedShaders(program, 4, &count, shaders);
   for (int i = 0; i < count; i++)
      glDetachShader(program, shaders[i]);
}

static void
relink(GLuint program, const char *source)
{
   GLint ok;
   if (source)
      attach_shader(program, GL_VERTEX_SHADER, source);
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &ok);
   CHECK(ok);
   CHECK(glGetError() == GL_NO_ERROR);
}

int
main(void)
{
   open_context();

   for (int separable = 0; separable < 2; separable++) {
      for (int used = 0; used < 2; used++) {
         GLuint program = make_program(vertex, NULL, NULL);
         glProgramParameteri(program, GL_PROGRAM_SEPARABLE, separable);
         if (used)
            glUseProgram(program);
         detach_all(program);
         relink(program, NULL);
         relink(program, NULL);
         relink(program, vertex);
         glUseProgram(0);
         glDeleteProgram(program);
      }
   }
   return 0;
}
