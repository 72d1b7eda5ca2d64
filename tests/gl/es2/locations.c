/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Attributes: values without an array, locations that are bound, left to the linker, shared by several attributes or moved by
 * another link; what is queried; state that a program does not use.
 */

#include <math.h>
#include <stdio.h>

#include "families.h"
#include "scene.h"

static const struct {
   const char *name;
   unsigned columns, rows;
   const char *sum; /* of v, each component with its number */
} types[] = {
   { "float", 1, 1, "v" },
   { "vec2", 1, 2, "dot(v, vec2(1.0, 2.0))" },
   { "vec3", 1, 3, "dot(v, vec3(1.0, 2.0, 3.0))" },
   { "vec4", 1, 4, "dot(v, vec4(1.0, 2.0, 3.0, 4.0))" },
   { "mat2", 2, 2, "dot(v[0], vec2(1.0, 2.0)) + dot(v[1], vec2(3.0, 4.0))" },
   { "mat3", 3, 3, "dot(v[0], vec3(1.0, 2.0, 3.0)) + dot(v[1], vec3(4.0, 5.0, 6.0)) + dot(v[2], vec3(7.0, 8.0, 9.0))" },
   { "mat4", 4, 4, "dot(v[0], vec4(1.0, 2.0, 3.0, 4.0)) + dot(v[1], vec4(5.0, 6.0, 7.0, 8.0))\n"
                   "   + dot(v[2], vec4(9.0, 10.0, 11.0, 12.0)) + dot(v[3], vec4(13.0, 14.0, 15.0, 16.0))" },
};

/* A program without bound locations but those given: "name" and number. */
static GLuint
link_program(const char *vertex, const char *names[], const unsigned *locations, unsigned count)
{
   static const char *const fs = "precision mediump float;\nvarying highp float ok;\n"
                                 "void main() { gl_FragColor = ok > 0.5 ? vec4(0.0, 1.0, 0.0, 1.0) : vec4(1.0, 0.0, 0.0, 1.0); }";
   GLuint program = glCreateProgram(), shaders[2] = { glCreateShader(GL_VERTEX_SHADER), glCreateShader(GL_FRAGMENT_SHADER) };
   glShaderSource(shaders[0], 1, &vertex, NULL);
   glShaderSource(shaders[1], 1, &fs, NULL);
   for (unsigned i = 0; i < 2; i++) {
      glCompileShader(shaders[i]);
      glAttachShader(program, shaders[i]);
      glDeleteShader(shaders[i]);
   }
   for (unsigned i = 0; i < count; i++)
      glBindAttribLocation(program, locations[i], names[i]);
   glLinkProgram(program);
   GLint linked;
   glGetProgramiv(program, GL_LINK_STATUS, &linked);
   if (linked)
      return program;
   glDeleteProgram(program);
   return 0;
}

static bool
draws_green(GLuint program, const char *position)
{
   static const float p[8] = { -1, -1, 1, -1, -1, 1, 1, 1 };
   GLint at = glGetAttribLocation(program, position);
   glUseProgram(program);
   glClearColor(0, 0, 1, 1);
   glClear(GL_COLOR_BUFFER_BIT);
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   glVertexAttribPointer(at, 2, GL_FLOAT, GL_FALSE, 0, p);
   glEnableVertexAttribArray(at);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   glDisableVertexAttribArray(at);
   uint8_t rgba[4];
   glReadPixels(SCENE_SIZE / 2, SCENE_SIZE / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
   return rgba[1] == 255 && rgba[0] == 0;
}

/* --- values without arrays ------------------------------------------------------------------------------------------- */

static void
set_value(unsigned index, unsigned calls, bool vector, const float *value)
{
   static void (*const vectors[])(GLuint, const GLfloat *) = { glVertexAttrib1fv, glVertexAttrib2fv, glVertexAttrib3fv,
                                                               glVertexAttrib4fv };
   if (vector)
      vectors[calls](index, value);
   else if (calls == 0)
      glVertexAttrib1f(index, value[0]);
   else if (calls == 1)
      glVertexAttrib2f(index, value[0], value[1]);
   else if (calls == 2)
      glVertexAttrib3f(index, value[0], value[1], value[2]);
   else
      glVertexAttrib4f(index, value[0], value[1], value[2], value[3]);
}

static void
run_defaults(void)
{
   scene_begin();
   for (unsigned t = 0; t < ARRAY_SIZE(types); t++) {
      for (unsigned call = 0; call < 8; call++) {
         if (!grid_begin("defaults/%s_%u%s", types[t].name, call / 2 + 1, call & 1 ? "v" : ""))
            continue;
         char vs[800];
         snprintf(vs, sizeof(vs), "attribute vec2 position;\nattribute %s a;\nuniform float expected;\nvarying highp float ok;\n"
                  "float sum(%s v) { return %s; }\nvoid main() { gl_Position = vec4(position, 0.0, 1.0); "
                  "ok = abs(sum(a) - expected) < 0.01 ? 1.0 : 0.0; }", types[t].name, types[t].name, types[t].sum);
         GLuint program = link_program(vs, NULL, NULL, 0);
         GLint at = glGetAttribLocation(program, "a");
         float expected = 0;
         bool read_back = true;
         for (unsigned c = 0; c < types[t].columns; c++) {
            float value[4] = { 0.25f * (1 + c), -0.5f * c, 0.75f + c, 2.0f - c }, seen[4];
            set_value(at + c, call / 2, call & 1, value);
            for (unsigned k = call / 2 + 1; k < 4; k++) /* what a call does not set */
               value[k] = k == 3;
            glGetVertexAttribfv(at + c, GL_CURRENT_VERTEX_ATTRIB, seen);
            read_back &= !memcmp(seen, value, sizeof(seen));
            for (unsigned k = 0; k < types[t].rows; k++)
               expected += value[k] * (c * types[t].rows + k + 1);
         }
         glUseProgram(program);
         glUniform1f(glGetUniformLocation(program, "expected"), expected);
         grid_check(draws_green(program, "position") && read_back, "another value than %g arrives; read back %d", expected,
                    read_back);
         glDeleteProgram(program);
      }
   }
   scene_end();
}

/* --- locations ------------------------------------------------------------------------------------------------------- */

static void
run_bound(GLint max)
{
   for (unsigned t = 0; t < ARRAY_SIZE(types); t++) {
      for (unsigned kind = 0; kind < 3; kind++) { /* first, last, and left to the linker beside one that is bound */
         if (!grid_begin("locations/%s_%s", types[t].name, kind == 0 ? "first" : kind == 1 ? "last" : "free"))
            continue;
         char vs[800];
         const char *names[2] = { kind == 2 ? "position" : "a", kind == 2 ? "unused" : "position" };
         unsigned last = max - types[t].columns, places[2] = { kind == 1 ? last : kind == 2 ? 3 : 0,
                                                              kind == 1 ? 0 : (unsigned)max - 1 };
         snprintf(vs, sizeof(vs), "attribute vec2 position;\nattribute %s a;\nuniform float expected;\nvarying highp float ok;\n"
                  "float sum(%s v) { return %s; }\nvoid main() { gl_Position = vec4(position, 0.0, 1.0); "
                  "ok = abs(sum(a) - expected) < 0.01 ? 1.0 : 0.0; }", types[t].name, types[t].name, types[t].sum);
         GLuint program = link_program(vs, names, places, 2);
         GLint a = glGetAttribLocation(program, "a"), position = glGetAttribLocation(program, "position");
         bool right = kind == 2 ? position == 3 && a >= 0 && (a > 3 || a + (int)types[t].columns <= 3)
                                : a == (int)places[0] && position == (int)places[1];
         float expected = 0;
         for (unsigned c = 0; c < types[t].columns; c++) {
            float value[4] = { 0.5f + c, 1.25f - c, 0.25f * c, 1 };
            glVertexAttrib4fv(a + c, value);
            for (unsigned k = 0; k < types[t].rows; k++)
               expected += value[k] * (c * types[t].rows + k + 1);
         }
         glUseProgram(program);
         glUniform1f(glGetUniformLocation(program, "expected"), expected);
         bool green = draws_green(program, "position");
         grid_check(right && green, "a is at %d, position at %d, drawn right: %d", a, position, green);
         glDeleteProgram(program);
      }
   }
}

/* Two attributes of one location, of which a program uses one at a time. */
static void
run_aliases(void)
{
   for (unsigned t = 0; t < ARRAY_SIZE(types); t++) {
      for (unsigned u = 0; u < ARRAY_SIZE(types); u++) {
         for (unsigned use = 0; use < 2; use++) {
            if (!grid_begin("locations/alias_%s_%s_%u", types[t].name, types[u].name, use))
               continue;
            char vs[1500];
            static const char *names[] = { "position", "a", "b" };
            static const unsigned places[] = { 0, 2, 2 };
            snprintf(vs, sizeof(vs), "attribute vec2 position;\nattribute %s a;\nattribute %s b;\nuniform bool which;\n"
                     "uniform float expected;\nvarying highp float ok;\nfloat f(%s v) { return %s; }\n"
                     "float g(%s v) { return %s; }\nvoid main() { gl_Position = vec4(position, 0.0, 1.0);\n"
                     "   float x; if (which) x = f(a); else x = g(b); ok = abs(x - expected) < 0.01 ? 1.0 : 0.0; }",
                     types[t].name, types[u].name, types[t].name, types[t].sum, types[u].name, types[u].sum);
            GLuint program = link_program(vs, names, places, 3);
            if (!program) { /* allowed, as GLSL ES 1.00 leaves it to the implementation */
               grid_refused(true, "aliases are refused");
               continue;
            }
            unsigned used = use ? t : u;
            float expected = 0;
            for (unsigned c = 0; c < 4; c++) {
               const float value[4] = { 0.5f + c, 1.25f - c, 0.25f * c, 1.75f };
               glVertexAttrib4fv(2 + c, value);
               for (unsigned k = 0; c < types[used].columns && k < types[used].rows; k++)
                  expected += value[k] * (c * types[used].rows + k + 1);
            }
            glUseProgram(program);
            glUniform1i(glGetUniformLocation(program, "which"), use);
            glUniform1f(glGetUniformLocation(program, "expected"), expected);
            grid_check(draws_green(program, "position"), "another value than %g arrives", expected);
            glDeleteProgram(program);
         }
      }
   }
}

static void
run_relink(GLint max)
{
   static const char *const vs = "attribute vec2 position;\nattribute vec4 a;\nvarying highp float ok;\n"
                                 "void main() { gl_Position = vec4(position, 0.0, 1.0); ok = a.x * 2.0; }";
   for (unsigned i = 0; i < 8; i++) {
      if (!grid_begin("locations/relink_%u", i))
         continue;
      static const char *names[] = { "position", "a" };
      unsigned places[2] = { i, i + 1 };
      GLuint program = link_program(vs, names, places, 2);
      bool ok = true;
      for (int k = 0; k < 4; k++) {
         unsigned next = (i + k * 3 + 2) % max;
         GLint before = glGetAttribLocation(program, "a");
         glBindAttribLocation(program, next, "a"); /* takes effect at the next link */
         glBindAttribLocation(program, (next + 1) % max, "position");
         glVertexAttrib4f(before, 1, 0, 0, 0);
         ok &= glGetAttribLocation(program, "a") == before && draws_green(program, "position");
         glVertexAttrib4f(before, 0, 0, 0, 0);
         glLinkProgram(program);
         glVertexAttrib4f(next, 1, 0, 0, 0);
         ok &= glGetAttribLocation(program, "a") == (int)next && draws_green(program, "position");
         glVertexAttrib4f(next, 0, 0, 0, 0);
      }
      grid_check(ok, "a location changed at the wrong time");
      glDeleteProgram(program);
   }
}

/* Arrays that are enabled and not used, and holes between those that are. */
static void
run_unused(GLint max)
{
   for (unsigned i = 0; i < 16; i++) {
      if (!grid_begin("locations/unused_%u", i))
         continue;
      static float data[6][4][4];
      static const char *names[] = { "position", "a", "b" };
      unsigned places[3] = { (i * 3 + 1) % max, (i * 5 + 2) % max, (i * 7 + 4) % max };
      if (places[1] == places[0])
         places[1] = (places[1] + 1) % max;
      while (places[2] == places[0] || places[2] == places[1])
         places[2] = (places[2] + 1) % max;
      GLuint program = link_program("attribute vec2 position;\nattribute vec4 a, b;\nvarying highp float ok;\n"
                                    "void main() { gl_Position = vec4(position, 0.0, 1.0);\n"
                                    "   ok = a == vec4(1.0, 2.0, 3.0, 4.0) && b == vec4(0.5, 0.25, 0.0, 1.0) ? 1.0 : 0.0; }",
                                    names, places, 3);
      for (unsigned k = 0; k < 4; k++) {
         const float a[4] = { 1, 2, 3, 4 }, b[4] = { 0.5f, 0.25f, 0, 1 };
         memcpy(data[0][k], a, sizeof(a));
         memcpy(data[1][k], b, sizeof(b));
      }
      for (GLint k = 0; k < max; k++) { /* the rest is enabled too, half of it */
         bool used = k == (int)places[0] || k == (int)places[1] || k == (int)places[2];
         if (!used && i & 1) {
            glVertexAttribPointer(k, 3, GL_SHORT, GL_TRUE, 0, data[2]);
            glEnableVertexAttribArray(k);
         }
      }
      glVertexAttribPointer(places[1], 4, GL_FLOAT, GL_FALSE, 0, data[0]);
      glVertexAttribPointer(places[2], 4, GL_FLOAT, GL_FALSE, 0, data[1]);
      glEnableVertexAttribArray(places[1]);
      glEnableVertexAttribArray(places[2]);
      bool green = draws_green(program, "position");
      for (GLint k = 0; k < max; k++)
         glDisableVertexAttribArray(k);
      grid_check(green, "other values arrive");
      glDeleteProgram(program);
   }
}

static void
run_locations(void)
{
   GLint max;
   scene_begin();
   glGetIntegerv(GL_MAX_VERTEX_ATTRIBS, &max);
   run_bound(max);
   run_aliases();
   run_relink(max);
   run_unused(max);
   scene_end();
}

const struct grid_family family_defaults = { "defaults", run_defaults };
const struct grid_family family_locations = { "locations", run_locations };
