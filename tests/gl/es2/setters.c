/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Setting uniforms: which calls fit which types, what is read back, arrays set in parts, what queries name, and that a program
 * keeps its values while others are in use.
 */

#include <math.h>
#include <stdio.h>

#include "families.h"
#include "scene.h"

enum kind { FLOAT, INT, BOOL, MATRIX, SAMPLER };

static const struct {
   const char *type;
   GLenum gl;
   enum kind kind;
   unsigned components; /* of a matrix: of a column */
} types[] = {
   { "float", GL_FLOAT, FLOAT, 1 },      { "vec2", GL_FLOAT_VEC2, FLOAT, 2 },  { "vec3", GL_FLOAT_VEC3, FLOAT, 3 },
   { "vec4", GL_FLOAT_VEC4, FLOAT, 4 },  { "int", GL_INT, INT, 1 },            { "ivec2", GL_INT_VEC2, INT, 2 },
   { "ivec3", GL_INT_VEC3, INT, 3 },     { "ivec4", GL_INT_VEC4, INT, 4 },     { "bool", GL_BOOL, BOOL, 1 },
   { "bvec2", GL_BOOL_VEC2, BOOL, 2 },   { "bvec3", GL_BOOL_VEC3, BOOL, 3 },   { "bvec4", GL_BOOL_VEC4, BOOL, 4 },
   { "mat2", GL_FLOAT_MAT2, MATRIX, 2 }, { "mat3", GL_FLOAT_MAT3, MATRIX, 3 }, { "mat4", GL_FLOAT_MAT4, MATRIX, 4 },
   { "sampler2D", GL_SAMPLER_2D, SAMPLER, 1 }, { "samplerCube", GL_SAMPLER_CUBE, SAMPLER, 1 },
};

/* A call by its number: 0..3 floats, 4..7 integers, 8..10 matrices. */
static void
set(unsigned call, GLint location, unsigned count, const GLfloat *f, const GLint *n)
{
   static void (*const floats[])(GLint, GLsizei, const GLfloat *) = { glUniform1fv, glUniform2fv, glUniform3fv, glUniform4fv };
   static void (*const ints[])(GLint, GLsizei, const GLint *) = { glUniform1iv, glUniform2iv, glUniform3iv, glUniform4iv };
   static void (*const matrices[])(GLint, GLsizei, GLboolean, const GLfloat *) = { glUniformMatrix2fv, glUniformMatrix3fv,
                                                                                   glUniformMatrix4fv };
   if (call < 4)
      floats[call](location, count, f);
   else if (call < 8)
      ints[call - 4](location, count, n);
   else
      matrices[call - 8](location, count, GL_FALSE, f);
}

static bool
fits(unsigned t, unsigned call)
{
   unsigned components = call < 8 ? call % 4 + 1 : call - 6;
   if (components != types[t].components)
      return false;
   switch (types[t].kind) {
   case FLOAT:
      return call < 4;
   case BOOL:
      return call < 8;
   case MATRIX:
      return call >= 8;
   default:
      return call >= 4 && call < 8;
   }
}

static GLuint
make_program(unsigned t, bool array)
{
   static const char *const uses[] = { "float(%s)", "float(%s.x)", "%s[0].x", "texture2D(%s, vec2(0.5)).x",
                                       "textureCube(%s, vec3(0.5)).x" };
   char fs[600], name[10], use[60];
   const char *log = "";
   snprintf(name, sizeof(name), array ? "u[2]" : "u");
   const char *pattern = types[t].kind == SAMPLER ? uses[3 + (types[t].gl == GL_SAMPLER_CUBE)]
                         : types[t].kind == MATRIX ? uses[2] : uses[types[t].components > 1];
   snprintf(use, sizeof(use), pattern, name);
   snprintf(fs, sizeof(fs), "precision mediump float;\nprecision mediump int;\nuniform %s u%s;\nuniform vec4 unused;\n"
            "void main() { gl_FragColor = vec4(%s); }", types[t].type, array ? "[3]" : "", use);
   return grid_program("attribute vec4 position;\nvoid main() { gl_Position = position; }", fs, &log);
}

/* What was set, as both getters give it. */
static bool
reads_as(GLuint program, GLint location, unsigned t, const GLfloat *f, const GLint *n, bool ints)
{
   GLfloat got[16] = { 0 };
   GLint whole[16] = { 0 };
   unsigned count = types[t].kind == MATRIX ? types[t].components * types[t].components : types[t].components;
   glGetUniformfv(program, location, got);
   glGetUniformiv(program, location, whole);
   for (unsigned i = 0; i < count; i++) {
      float value = ints ? n[i] : f[i];
      if (types[t].kind == BOOL)
         value = value != 0;
      if (got[i] != value || abs(whole[i] - (int)lroundf(value)) > 1)
         return false;
   }
   return true;
}

static void
run_calls(void)
{
   for (unsigned t = 0; t < ARRAY_SIZE(types); t++) {
      for (unsigned array = 0; array < 2; array++) {
         GLuint program = make_program(t, array);
         for (unsigned call = 0; call < 11; call++) {
            if (!grid_begin("setters/%s%s_%u", types[t].type, array ? "_array" : "", call))
               continue;
            GLfloat f[48];
            GLint n[48];
            unsigned size = types[t].kind == MATRIX ? types[t].components * types[t].components : types[t].components;
            for (unsigned i = 0; i < 48; i++) {
               n[i] = types[t].kind == SAMPLER ? (int)i % 3 : (int)grid_random_below(5) - 2;
               f[i] = types[t].kind == BOOL ? n[i] * 0.25f : n[i] + 0.5f;
            }
            glUseProgram(program);
            GLint location = glGetUniformLocation(program, "u");
            set(call, location, array ? 3 : 1, f, n);
            GLenum error = glGetError();
            bool good = fits(t, call), read = true, other = true;
            if (good) {
               bool ints = call >= 4 && call < 8;
               for (unsigned e = 0; e < (array ? 3 : 1); e++) {
                  char name[10];
                  snprintf(name, sizeof(name), "u[%u]", e);
                  GLint at = array ? glGetUniformLocation(program, name) : location;
                  read &= reads_as(program, at, t, f + e * size, n + e * size, ints);
               }
               set(call, -1, 1, f, n); /* ignored */
               if (array) { /* the last elements, and beyond the end, which is ignored */
                  set(call, glGetUniformLocation(program, "u[2]"), 3, f, n);
                  read &= reads_as(program, glGetUniformLocation(program, "u[2]"), t, f, n, ints);
               }
               other = glGetError() == GL_NO_ERROR;
               if (!array) { /* several values for one */
                  set(call, location, 2, f, n);
                  other &= glGetError() == GL_INVALID_OPERATION;
               }
            }
            grid_check(error == (good ? GL_NO_ERROR : GL_INVALID_OPERATION) && read && other,
                       "error 0x%x, read back right %d, other errors right %d", error, read, other);
         }
         if (grid_begin("setters/%s%s_active", types[t].type, array ? "_array" : "")) {
            GLint count = 0, longest = 0, size = 0;
            GLenum type = 0;
            char name[20] = "";
            glGetProgramiv(program, GL_ACTIVE_UNIFORMS, &count);
            glGetProgramiv(program, GL_ACTIVE_UNIFORM_MAX_LENGTH, &longest);
            glGetActiveUniform(program, 0, sizeof(name), NULL, &size, &type, name);
            bool absent = glGetUniformLocation(program, "unused") == -1 && glGetUniformLocation(program, "u[3]") == -1 &&
                          glGetUniformLocation(program, "gl_x") == -1 && (array || glGetUniformLocation(program, "u[1]") == -1);
            grid_check(count == 1 && size == (array ? 3 : 1) && type == types[t].gl && absent &&
                       !strcmp(name, array ? "u[0]" : "u") && longest == (int)strlen(name) + 1,
                       "%d uniforms, size %d, type 0x%x, name %s, longest %d, others absent %d", count, size, type, name, longest,
                       absent);
         }
         glDeleteProgram(program);
      }
   }
}

/* Values belong to a program, and a link sets them to 0. */
static void
run_kept(void)
{
   for (unsigned i = 0; i < 12; i++) {
      if (!grid_begin("setters/kept_%u", i))
         continue;
      const char *log = "";
      GLuint programs[3];
      float values[3][4];
      bool ok = true;
      for (unsigned k = 0; k < 3; k++) {
         programs[k] = grid_program("attribute vec4 position;\nuniform vec4 a;\nvarying mediump vec4 v;\n"
                                    "void main() { gl_Position = position; v = a; }",
                                    "precision mediump float;\nuniform vec4 b;\nvarying vec4 v;\n"
                                    "void main() { gl_FragColor = v * 0.5 + b; }", &log);
         memset(values[k], 0, sizeof(values[k]));
      }
      for (unsigned step = 0; step < 20; step++) {
         unsigned k = grid_random_below(3), c = grid_random_below(4);
         glUseProgram(programs[k]);
         if (grid_random_below(2)) {
            values[k][c] = grid_random_below(5) / 8.0f;
            glUniform4fv(glGetUniformLocation(programs[k], "b"), 1, values[k]);
            glUniform4f(glGetUniformLocation(programs[k], "a"), 0.25f, 0.25f, 0.25f, 0.25f);
         } else if (grid_random_below(6) == 0) {
            glLinkProgram(programs[k]);
            memset(values[k], 0, sizeof(values[k]));
         }
         GLfloat a[4];
         glGetUniformfv(programs[k], glGetUniformLocation(programs[k], "a"), a);
         uint8_t rgba[4];
         grid_quad(-1, -1, 1, 1, 0, 0, 0, 1, 1);
         glReadPixels(9, 9, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
         for (unsigned n = 0; n < 4; n++)
            ok &= fabsf(rgba[n] - 255 * (values[k][n] + a[0] * 0.5f)) < 2;
      }
      grid_check(ok, "a program lost its values");
      for (unsigned k = 0; k < 3; k++)
         glDeleteProgram(programs[k]);
   }
}

static void
run_setters(void)
{
   scene_begin();
   run_calls();
   run_kept();
   scene_end();
}

const struct grid_family family_setters = { "setters", run_setters };
