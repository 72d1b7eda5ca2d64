/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Uniforms of all types and sizes, gl_PointCoord, limits and precisions, programs and shaders as objects.
 */

#include <math.h>
#include <stdio.h>

#include "families.h"
#include "shader_case.h"

#define SIZE 32

static struct grid_target target;

static void
begin(void)
{
   grid_target_create(&target, SIZE, SIZE, false);
   glClearColor(0, 0, 0, 0);
}

static void
end(void)
{
   grid_target_destroy(&target);
}

/* --- uniforms ------------------------------------------------------------------------------------------------------- */

static const struct {
   const char *name, *type;
   unsigned components, kind; /* kind: 0 float, 1 int, 2 bool, 3 matrix */
   const char *sum;           /* of the components of v, as float */
} uniform_types[] = {
   { "float", "float", 1, 0, "v" },
   { "vec2", "vec2", 2, 0, "v.x + v.y * 2.0" },
   { "vec3", "vec3", 3, 0, "v.x + v.y * 2.0 + v.z * 3.0" },
   { "vec4", "vec4", 4, 0, "v.x + v.y * 2.0 + v.z * 3.0 + v.w * 4.0" },
   { "int", "int", 1, 1, "float(v)" },
   { "ivec2", "ivec2", 2, 1, "float(v.x + v.y * 2)" },
   { "ivec3", "ivec3", 3, 1, "float(v.x + v.y * 2 + v.z * 3)" },
   { "ivec4", "ivec4", 4, 1, "float(v.x + v.y * 2 + v.z * 3 + v.w * 4)" },
   { "bool", "bool", 1, 2, "float(v)" },
   { "bvec2", "bvec2", 2, 2, "float(v.x) + float(v.y) * 2.0" },
   { "bvec3", "bvec3", 3, 2, "float(v.x) + float(v.y) * 2.0 + float(v.z) * 3.0" },
   { "bvec4", "bvec4", 4, 2, "float(v.x) + float(v.y) * 2.0 + float(v.z) * 3.0 + float(v.w) * 4.0" },
   { "mat2", "mat2", 4, 3, "v[0].x + v[0].y * 2.0 + v[1].x * 3.0 + v[1].y * 4.0" },
   { "mat3", "mat3", 9, 3,
     "dot(v[0], vec3(1.0, 2.0, 3.0)) + dot(v[1], vec3(4.0, 5.0, 6.0)) + dot(v[2], vec3(7.0, 8.0, 9.0))" },
   { "mat4", "mat4", 16, 3,
     "dot(v[0], vec4(1.0, 2.0, 3.0, 4.0)) + dot(v[1], vec4(5.0, 6.0, 7.0, 8.0))\n"
     "   + dot(v[2], vec4(9.0, 10.0, 11.0, 12.0)) + dot(v[3], vec4(13.0, 14.0, 15.0, 16.0))" },
};

/* Sets elements and returns what the program's weighted sum over all of them should be. */
static float
set_uniform(int location, unsigned t, unsigned elements, bool as_float)
{
   float f[64], sum = 0;
   int n[64];
   for (unsigned i = 0; i < elements * uniform_types[t].components; i++) {
      n[i] = uniform_types[t].kind == 2 ? (int)grid_random_below(2) : (int)grid_random_below(7) - 3;
      f[i] = uniform_types[t].kind == 0 || uniform_types[t].kind == 3 ? n[i] * 0.25f : n[i];
      unsigned c = i % uniform_types[t].components, e = i / uniform_types[t].components;
      sum += f[i] * (c + 1) * (e + 1);
   }
   static void (*const set_float[])(GLint, GLsizei, const GLfloat *) = { glUniform1fv, glUniform2fv, glUniform3fv,
      glUniform4fv };
   static void (*const set_int[])(GLint, GLsizei, const GLint *) = { glUniform1iv, glUniform2iv, glUniform3iv,
      glUniform4iv };
   unsigned c = uniform_types[t].components;
   if (uniform_types[t].kind == 3)
      (c == 4 ? glUniformMatrix2fv : c == 9 ? glUniformMatrix3fv : glUniformMatrix4fv)(location, elements, GL_FALSE, f);
   else if (uniform_types[t].kind == 0 || (uniform_types[t].kind == 2 && as_float))
      set_float[c - 1](location, elements, f);
   else
      set_int[c - 1](location, elements, n);
   return sum;
}

enum every_mode { ONCE, TWICE, IN_A_LOOP, EVERY_MODES };

/* A program in which each component of an array is a factor of its own.  All but one of the vectors are 0, in each cell of
 * 2 x 2 pixels another one. */
static void
check_every_uniform(unsigned count, enum every_mode mode)
{
   static const char vs[] = "attribute vec4 position;\nattribute vec2 a0;\nvarying vec4 r;\n"
                            "void main() { gl_Position = position; r = vec4(0.5, 0.25, 0.75, 1.0) * a0.x; }\n";
   char *fs = malloc(200 + count * 80);
   const char *log = NULL;
   int length = sprintf(fs, "precision mediump float;\nvarying vec4 r;\nuniform vec4 u[%u];\nvoid main()\n{\n"
                        "   vec4 s = vec4(0.0), t = vec4(0.0);\n", count);
   if (mode == IN_A_LOOP)
      length += sprintf(fs + length, "   for (int i = 0; i < %u; i++)\n      s = max(s, r * u[i]);\n", count);
   for (unsigned i = 0; i < count && mode != IN_A_LOOP; i++) {
      length += sprintf(fs + length, "   s = max(s, r * u[%u]);\n", i);
      if (mode == TWICE)
         length += sprintf(fs + length, "   t = max(t, r.wzyx * u[%u]);\n", i);
   }
   sprintf(fs + length, "   gl_FragColor = %s;\n}\n", mode == TWICE ? "(s + t) * 0.5" : "s");
   GLuint program = grid_program(vs, fs, &log);
   free(fs);
   if (!program) {
      grid_refused(false, log);
      return;
   }
   glUseProgram(program);
   float *values = calloc(count, 16);
   const int location = glGetUniformLocation(program, "u");
   glEnable(GL_SCISSOR_TEST);
   for (unsigned i = 0; i < count; i++) {
      for (unsigned c = 0; c < 4; c++)
         values[i * 4 + c] = (16 + (i * (37 + 14 * c) + c * 50) % 240) / 255.0f;
      glUniform4fv(location, count, values);
      glScissor(i % (SIZE / 2) * 2, i / (SIZE / 2) * 2, 2, 2);
      grid_quad(-1, -1, 1, 1, 0, 1, 1, 1, 1);
      memset(&values[i * 4], 0, 16);
   }
   glDisable(GL_SCISSOR_TEST);
   uint8_t *pixels = malloc(SIZE * SIZE * 4);
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   unsigned wrong = 0, first = 0;
   for (unsigned i = 0; i < count; i++) {
      static const float once[] = { 0.5f, 0.25f, 0.75f, 1 }, mean[] = { 0.75f, 0.5f, 0.5f, 0.75f };
      const float *r = mode == TWICE ? mean : once;
      const uint8_t *pixel = &pixels[(i / (SIZE / 2) * 2 * SIZE + i % (SIZE / 2) * 2) * 4];
      bool ok = true;
      for (unsigned c = 0; c < 4; c++)
         ok &= fabsf(pixel[c] - r[c] * (16 + (i * (37 + 14 * c) + c * 50) % 240)) <= 1;
      if (!ok && !wrong++)
         first = i;
   }
   grid_check(!wrong, "%u of %u vectors are wrong, the first is %u", wrong, count, first);
   free(pixels);
   free(values);
   glDeleteProgram(program);
}

static void
run_every_uniform(void)
{
   GLint max = 0;
   glGetIntegerv(GL_MAX_FRAGMENT_UNIFORM_VECTORS, &max);
   for (unsigned i = 0; i < 4 * EVERY_MODES; i++) {
      static const char *const names[EVERY_MODES] = { "", "_twice", "_loop" };
      const unsigned count = 32 << i / EVERY_MODES;
      if (!grid_begin("uniform/every_%u%s", count, names[i % EVERY_MODES]))
         continue;
      if (max >= (int)count)
         check_every_uniform(count, i % EVERY_MODES);
      else
         grid_check(false, "GL_MAX_FRAGMENT_UNIFORM_VECTORS %d", max);
   }
}

static void
run_uniforms(void)
{
   begin();
   for (unsigned t = 0; t < ARRAY_SIZE(uniform_types); t++) {
      for (unsigned kind = 0; kind < 4; kind++) { /* single, array, in a structure, array of structures */
         for (unsigned stage = 0; stage < 2; stage++) {
            static const char *const kinds[] = { "single", "array", "struct", "struct_array" };
            static const char *const declarations[] = {
               "uniform TYPE u;\n#define E0 u\n#define E1 u\n#define E2 u\n",
               "uniform TYPE u[3];\n#define E0 u[0]\n#define E1 u[1]\n#define E2 u[2]\n",
               "struct S { float a; TYPE b; vec2 c; };\nuniform S s;\n#define E0 s.b\n#define E1 s.b\n#define E2 s.b\n",
               "struct S { vec3 a; TYPE b[3]; };\nuniform S s[2];\n#define E0 s[1].b[0]\n#define E1 "
               "s[1].b[1]\n#define E2 s[1].b[2]\n",
            };
            static const char *const names[] = { "u", "u", "s.b", "s[1].b" };
            if (!grid_begin("uniform/%s_%s_%s", uniform_types[t].name, kinds[kind], stage ? "fragment" : "vertex"))
               continue;
            char common[1500], vs[3000], fs[3000];
            const char *log = NULL;
            bool array = kind & 1;
            snprintf(common, sizeof(common),
                     "#define TYPE %s\nuniform mediump float expected;\n%s"
                     "float f(TYPE v) { return %s; }\n"
                     "float judge() { float r = f(E0)%s; return abs(r - expected) < 0.05 + abs(expected) * 0.01 ? 1.0 "
                     ": 0.25; }\n",
                     uniform_types[t].type, declarations[kind], uniform_types[t].sum,
                     array ? " + f(E1) * 2.0 + f(E2) * 3.0" : "");
            snprintf(vs, sizeof(vs), "precision mediump float;\nprecision mediump int;\nattribute highp vec4 "
               "position;\nvarying mediump float r;\n%s"
                     "void main() { gl_Position = position; r = %s; }\n", stage ? "" : common,
                     stage ? "0.0" : "judge()");
            snprintf(fs, sizeof(fs), "precision mediump float;\nprecision mediump int;\nvarying mediump float r;\n%s"
                     "void main() { gl_FragColor = vec4(r + %s); }\n", stage ? common : "", stage ? "judge()" : "0.0");
            GLuint program = grid_program(vs, fs, &log);
            if (!program) {
               grid_refused(false, log);
               continue;
            }
            glUseProgram(program);
            glUniform1f(glGetUniformLocation(program, "expected"),
                        set_uniform(glGetUniformLocation(program, names[kind]), t, array ? 3 : 1, t & 1));
            glClear(GL_COLOR_BUFFER_BIT);
            grid_quad(-1, -1, 1, 1, 0, 0, 0, 1, 1);
            uint8_t rgba[4];
            glReadPixels(SIZE / 2, SIZE / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
            grid_check(rgba[0] == 255, "the sum is wrong: %u", rgba[0]);
            glDeleteProgram(program);
         }
      }
   }
   /* as many as are reported */
   static const struct {
      const char *name;
      GLenum limit;
   } limits[] = { { "vertex", GL_MAX_VERTEX_UNIFORM_VECTORS }, { "fragment", GL_MAX_FRAGMENT_UNIFORM_VECTORS } };
   for (unsigned stage = 0; stage < 2; stage++) {
      for (unsigned part = 1; part <= 4; part++) {
         if (!grid_begin("uniform/many_%s_%u", limits[stage].name, part))
            continue;
         GLint max = 0;
         glGetIntegerv(limits[stage].limit, &max);
         unsigned count = max * part / 4;
         char vs[600], fs[600], sum[300];
         const char *log = NULL;
         snprintf(sum, sizeof(sum), "u[0] + u[%u] + u[%u] + u[%u]", count / 3, count / 2, count - 1);
         snprintf(vs, sizeof(vs), "precision mediump float;\nattribute vec4 position;\nvarying vec4 r;\n%s %u%s"
                  "void main() { gl_Position = position; r = %s; }\n", stage ? "//" : "uniform vec4 u[", count,
                  stage ? "\n" : "];\n",
                  stage ? "vec4(0.0)" : sum);
         snprintf(fs, sizeof(fs), "precision mediump float;\nvarying vec4 r;\n%s %u%svoid main() { gl_FragColor = r + "
            "%s; }\n",
                  stage ? "uniform vec4 u[" : "//", count, stage ? "];\n" : "\n", stage ? sum : "vec4(0.0)");
         GLuint program = grid_program(vs, fs, &log);
         if (!program) {
            grid_refused(false, log);
            continue;
         }
         glUseProgram(program);
         float *values = calloc(count, 16);
         for (unsigned i = 0; i < count * 4; i++)
            values[i] = grid_random_float(0, 0.25f);
         glUniform4fv(glGetUniformLocation(program, "u"), count, values);
         glClear(GL_COLOR_BUFFER_BIT);
         grid_quad(-1, -1, 1, 1, 0, 0, 0, 1, 1);
         uint8_t rgba[4];
         glReadPixels(SIZE / 2, SIZE / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
         bool ok = true;
         for (unsigned c = 0; c < 4; c++) {
            float e = values[c] + values[count / 3 * 4 + c] + values[count / 2 * 4 + c] + values[(count - 1) * 4 + c];
            ok &= fabsf(rgba[c] - e * 255) < 2;
         }
         grid_check(ok, "wrong sum of %u vectors", count);
         free(values);
         glDeleteProgram(program);
      }
   }
   run_every_uniform();
   end();
}

/* --- what is reported ----------------------------------------------------------------------------------------------- */

static void
check_precision(const char *name, GLenum stage, GLenum type, int range, int precision)
{
   if (!grid_begin("precision/%s", name))
      return;
   GLint r[2] = { -1, -1 }, p = -1;
   glGetShaderPrecisionFormat(stage, type, r, &p);
   grid_check(r[0] >= range && r[1] >= range && p >= precision, "range %d %d, precision %d", r[0], r[1], p);
}

static void
run_limits(void)
{
   static const struct {
      const char *name;
      GLenum query;
      int least;
   } limits[] = {
      { "subpixel_bits", GL_SUBPIXEL_BITS, 4 },
      { "texture_size", GL_MAX_TEXTURE_SIZE, 64 },
      { "cube_size", GL_MAX_CUBE_MAP_TEXTURE_SIZE, 16 },
      { "vertex_attribs", GL_MAX_VERTEX_ATTRIBS, 8 },
      { "vertex_uniforms", GL_MAX_VERTEX_UNIFORM_VECTORS, 128 },
      { "varyings", GL_MAX_VARYING_VECTORS, 8 },
      { "combined_units", GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS, 8 },
      { "texture_units", GL_MAX_TEXTURE_IMAGE_UNITS, 8 },
      { "fragment_uniforms", GL_MAX_FRAGMENT_UNIFORM_VECTORS, 16 },
      { "renderbuffer_size", GL_MAX_RENDERBUFFER_SIZE, 64 },
      { "compressed_formats", GL_NUM_COMPRESSED_TEXTURE_FORMATS, 0 },
      { "shader_compiler", GL_SHADER_COMPILER, 1 },
   };
   begin();
   for (unsigned i = 0; i < ARRAY_SIZE(limits); i++) {
      if (!grid_begin("limit/%s", limits[i].name))
         continue;
      GLint value = -1;
      glGetIntegerv(limits[i].query, &value);
      grid_check(value >= limits[i].least, "%d is below %d", value, limits[i].least);
   }
   check_precision("vertex_high_float", GL_VERTEX_SHADER, GL_HIGH_FLOAT, 62, 16);
   check_precision("vertex_medium_float", GL_VERTEX_SHADER, GL_MEDIUM_FLOAT, 14, 10);
   check_precision("vertex_high_int", GL_VERTEX_SHADER, GL_HIGH_INT, 16, 0);
   check_precision("fragment_medium_float", GL_FRAGMENT_SHADER, GL_MEDIUM_FLOAT, 14, 10);
   check_precision("fragment_low_float", GL_FRAGMENT_SHADER, GL_LOW_FLOAT, 1, 8);
   check_precision("fragment_medium_int", GL_FRAGMENT_SHADER, GL_MEDIUM_INT, 10, 0);
   for (unsigned i = 0; i < 8; i++) {
      if (!grid_begin("point_coord/%u", i))
         continue;
      const char *log = NULL;
      const float position[4] = { 0.03f * i - 0.1f, 0.07f - 0.02f * i, 0, 1 };
      char vs[300];
      snprintf(vs, sizeof(vs), "attribute vec4 position;\nvoid main() { gl_Position = position; gl_PointSize = %u.0; "
         "}", 4 + i * 3);
      GLuint program = grid_program(vs, "precision mediump float;\nvoid main() { gl_FragColor = vec4(gl_PointCoord, "
         "0.5, 1.0); }",
                                    &log);
      glUseProgram(program);
      glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, position);
      glEnableVertexAttribArray(0);
      glClear(GL_COLOR_BUFFER_BIT);
      glDrawArrays(GL_POINTS, 0, 1);
      /* a border of the square may be one pixel off */
      grid_pixels(0, 0, SIZE, SIZE, (struct grid_tolerance){ 8, 2 * SIZE, true });
      glDeleteProgram(program);
   }
   end();
}

const struct grid_family family_uniforms = { "uniforms", run_uniforms };
const struct grid_family family_limits = { "limits", run_limits };
