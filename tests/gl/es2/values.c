/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Uniforms of nested structures and arrays, every element of which the program compares with a constant: what a program
 * gets is what was set, in the vertex program, the fragment program or both, and what glGetUniform says.
 */

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "families.h"

#define SIZE       16
#define MAX_LEAVES 256

enum kind { FLOATS, INTS, BOOLS, MATRIX };

static const struct {
   const char *name;
   enum kind kind;
   unsigned components;
} types[] = {
   { "float", FLOATS, 1 }, { "vec2", FLOATS, 2 }, { "vec3", FLOATS, 3 }, { "vec4", FLOATS, 4 },
   { "int", INTS, 1 },     { "ivec2", INTS, 2 },  { "ivec3", INTS, 3 },  { "ivec4", INTS, 4 },
   { "bool", BOOLS, 1 },   { "bvec2", BOOLS, 2 }, { "bvec3", BOOLS, 3 }, { "bvec4", BOOLS, 4 },
   { "mat2", MATRIX, 4 },  { "mat3", MATRIX, 9 }, { "mat4", MATRIX, 16 },
};

/* An element of a uniform, by its name in GLSL. */
struct leaf {
   char name[80];
   unsigned type;
   float values[16];
};

static struct {
   struct grid_target target;
   struct leaf leaves[MAX_LEAVES];
   unsigned count;
   char declarations[3000];
} u;

static void __attribute__((format(printf, 2, 3)))
add_leaf(unsigned type, const char *format, ...)
{
   struct leaf *leaf = &u.leaves[u.count++];
   va_list args;
   va_start(args, format);
   vsnprintf(leaf->name, sizeof(leaf->name), format, args);
   va_end(args);
   leaf->type = type;
   for (unsigned i = 0; i < types[type].components; i++) {
      leaf->values[i] = types[type].kind == BOOLS  ? (float)grid_random_below(2)
                        : types[type].kind == INTS ? grid_random_below(21) - 10.0f
                                                   : roundf(grid_random_float(-10, 10) * 100) / 100;
   }
}

/* --- the collections ------------------------------------------------------------------------------------------------ */

static void
declare(const char *kind, unsigned a, unsigned b)
{
   const char *A = types[a].name, *B = types[b].name;
   u.count = 0;
   if (!strcmp(kind, "basic")) {
      snprintf(u.declarations, sizeof(u.declarations), "uniform %s u;\n", A);
      add_leaf(a, "u");
   } else if (!strcmp(kind, "array")) {
      snprintf(u.declarations, sizeof(u.declarations), "uniform %s u[3];\n", A);
      for (unsigned i = 0; i < 3; i++)
         add_leaf(a, "u[%u]", i);
   } else if (!strcmp(kind, "struct")) {
      snprintf(u.declarations, sizeof(u.declarations), "struct S { %s a; %s b; };\nuniform S u;\n", A, B);
      add_leaf(a, "u.a");
      add_leaf(b, "u.b");
   } else if (!strcmp(kind, "struct_in_array")) {
      snprintf(u.declarations, sizeof(u.declarations), "struct S { %s a; %s b; };\nuniform S u[3];\n", A, B);
      for (unsigned i = 0; i < 3; i++) {
         add_leaf(a, "u[%u].a", i);
         add_leaf(b, "u[%u].b", i);
      }
   } else if (!strcmp(kind, "array_in_struct")) {
      snprintf(u.declarations, sizeof(u.declarations), "struct S { %s a; %s b[3]; %s c; };\nuniform S u;\n", A, B, A);
      add_leaf(a, "u.a");
      for (unsigned i = 0; i < 3; i++)
         add_leaf(b, "u.b[%u]", i);
      add_leaf(a, "u.c");
   } else if (!strcmp(kind, "nested")) {
      snprintf(u.declarations, sizeof(u.declarations),
               "struct T { %s a; %s b[2]; };\nstruct S { %s a; T t[2]; %s b; };\nuniform S u;\n", A, B, B, A);
      add_leaf(b, "u.a");
      for (unsigned i = 0; i < 2; i++) {
         add_leaf(a, "u.t[%u].a", i);
         for (unsigned k = 0; k < 2; k++)
            add_leaf(b, "u.t[%u].b[%u]", i, k);
      }
      add_leaf(a, "u.b");
   } else if (!strcmp(kind, "nested_arrays")) {
      snprintf(u.declarations, sizeof(u.declarations),
               "struct R { %s a[2]; };\nstruct T { %s a; R r[2]; };\nstruct S { T t; %s b[2]; };\nuniform S u[2];\n", A,
               B, A);
      for (unsigned i = 0; i < 2; i++) {
         add_leaf(b, "u[%u].t.a", i);
         for (unsigned k = 0; k < 4; k++)
            add_leaf(a, "u[%u].t.r[%u].a[%u]", i, k / 2, k & 1);
         for (unsigned k = 0; k < 2; k++)
            add_leaf(a, "u[%u].b[%u]", i, k);
      }
   } else { /* several */
      int n = 0;
      for (unsigned i = 0; i < 5; i++) {
         unsigned type = (a + b * i + i) % ARRAY_SIZE(types);
         bool array = i & 1;
         n += snprintf(u.declarations + n, sizeof(u.declarations) - n, "uniform %s u%u%s;\n", types[type].name, i,
                       array ? "[2]" : "");
         for (unsigned k = 0; k < (array ? 2 : 1); k++)
            add_leaf(type, array ? "u%u[%u]" : "u%u", i, k);
      }
   }
}

/* --- program -------------------------------------------------------------------------------------------------------- */

static int
print_value(char *out, size_t size, const struct leaf *leaf)
{
   int n = snprintf(out, size, "%s(", types[leaf->type].name);
   for (unsigned i = 0; i < types[leaf->type].components; i++) {
      const char *comma = i ? ", " : "";
      if (types[leaf->type].kind == BOOLS)
         n += snprintf(out + n, size - n, "%s%s", comma, leaf->values[i] ? "true" : "false");
      else if (types[leaf->type].kind == INTS)
         n += snprintf(out + n, size - n, "%s%d", comma, (int)leaf->values[i]);
      else
         n += snprintf(out + n, size - n, "%s%.2f", comma, leaf->values[i]);
   }
   return n + snprintf(out + n, size - n, ")");
}

static const char comparisons[] =
   "mediump float same(mediump float a, mediump float b) { return abs(a - b) < 0.05 ? 1.0 : 0.0; }\n"
   "mediump float same(mediump vec2 a, mediump vec2 b) { return same(a.x, b.x) * same(a.y, b.y); }\n"
   "mediump float same(mediump vec3 a, mediump vec3 b) { return same(a.xy, b.xy) * same(a.z, b.z); }\n"
   "mediump float same(mediump vec4 a, mediump vec4 b) { return same(a.xy, b.xy) * same(a.zw, b.zw); }\n"
   "mediump float same(mediump mat2 a, mediump mat2 b) { return same(a[0], b[0]) * same(a[1], b[1]); }\n"
   "mediump float same(mediump mat3 a, mediump mat3 b)\n"
   "{ return same(a[0], b[0]) * same(a[1], b[1]) * same(a[2], b[2]); }\n"
   "mediump float same(mediump mat4 a, mediump mat4 b)\n"
   "{ return same(a[0], b[0]) * same(a[1], b[1]) * same(a[2], b[2]) * same(a[3], b[3]); }\n"
   "mediump float same(int a, int b) { return a == b ? 1.0 : 0.0; }\n"
   "mediump float same(ivec2 a, ivec2 b) { return a == b ? 1.0 : 0.0; }\n"
   "mediump float same(ivec3 a, ivec3 b) { return a == b ? 1.0 : 0.0; }\n"
   "mediump float same(ivec4 a, ivec4 b) { return a == b ? 1.0 : 0.0; }\n"
   "mediump float same(bool a, bool b) { return a == b ? 1.0 : 0.0; }\n"
   "mediump float same(bvec2 a, bvec2 b) { return a == b ? 1.0 : 0.0; }\n"
   "mediump float same(bvec3 a, bvec3 b) { return a == b ? 1.0 : 0.0; }\n"
   "mediump float same(bvec4 a, bvec4 b) { return a == b ? 1.0 : 0.0; }\n";

static GLuint
make_program(bool vertex, bool fragment, const char **log)
{
   static char checks[20000], vs[30000], fs[30000];
   char value[400];
   int n = 0;
   for (unsigned i = 0; i < u.count; i++) {
      print_value(value, sizeof(value), &u.leaves[i]);
      n += snprintf(checks + n, sizeof(checks) - n, "   r *= same(%s, %s);\n", u.leaves[i].name, value);
   }
   snprintf(vs, sizeof(vs),
            "precision mediump float;\nprecision mediump int;\nattribute highp vec4 position;\nvarying mediump float v;\n"
            "%s%svoid main()\n{\n   gl_Position = position;\n   float r = 1.0;\n%s   v = r;\n}\n",
            vertex ? u.declarations : "", vertex ? comparisons : "", vertex ? checks : "");
   snprintf(fs, sizeof(fs),
            "precision mediump float;\nprecision mediump int;\nvarying mediump float v;\n"
            "%s%svoid main()\n{\n   float r = v;\n%s   gl_FragColor = vec4(r, r, r, 1.0);\n}\n",
            fragment ? u.declarations : "", fragment ? comparisons : "", fragment ? checks : "");
   return grid_program(vs, fs, log);
}

static void
set_leaf(GLuint program, const struct leaf *leaf)
{
   static void (*const set_float[])(GLint, GLsizei, const GLfloat *) = { glUniform1fv, glUniform2fv, glUniform3fv,
                                                                         glUniform4fv };
   static void (*const set_int[])(GLint, GLsizei, const GLint *) = { glUniform1iv, glUniform2iv, glUniform3iv,
                                                                     glUniform4iv };
   GLint location = glGetUniformLocation(program, leaf->name);
   unsigned c = types[leaf->type].components;
   if (types[leaf->type].kind == MATRIX) {
      (c == 4 ? glUniformMatrix2fv : c == 9 ? glUniformMatrix3fv : glUniformMatrix4fv)(location, 1, GL_FALSE,
                                                                                       leaf->values);
   } else if (types[leaf->type].kind == FLOATS) {
      set_float[c - 1](location, 1, leaf->values);
   } else {
      GLint n[4];
      for (unsigned i = 0; i < c; i++)
         n[i] = leaf->values[i];
      set_int[c - 1](location, 1, n);
   }
}

static bool
check_get(GLuint program, const struct leaf *leaf)
{
   GLfloat f[16];
   glGetUniformfv(program, glGetUniformLocation(program, leaf->name), f);
   for (unsigned i = 0; i < types[leaf->type].components; i++) {
      if (fabsf(f[i] - leaf->values[i]) > 1e-5f)
         return false;
   }
   return true;
}

static void
run_case(const char *kind, unsigned a, unsigned b)
{
   static const char *const stages[] = { "vertex", "fragment", "both" };
   for (unsigned stage = 0; stage < 3; stage++) {
      if (!grid_begin("uniform_value/%s_%s_%s_%s", kind, types[a].name, types[b].name, stages[stage]))
         continue;
      const char *log = NULL;
      declare(kind, a, b);
      GLuint program = make_program(stage != 1, stage != 0, &log);
      if (!program) {
         grid_refused(false, log);
         continue;
      }
      bool get = true;
      glUseProgram(program);
      for (unsigned i = 0; i < u.count; i++)
         set_leaf(program, &u.leaves[i]);
      for (unsigned i = 0; i < u.count; i++)
         get &= check_get(program, &u.leaves[i]);
      glClear(GL_COLOR_BUFFER_BIT);
      grid_quad(-1, -1, 1, 1, 0, 0, 0, 1, 1);
      uint8_t rgba[4];
      glReadPixels(SIZE / 2, SIZE / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
      grid_check(get && rgba[0] == 255, "%s, the comparison says %u", get ? "read" : "not read back", rgba[0]);
      glDeleteProgram(program);
   }
}

static void
run_values(void)
{
   static const char *const kinds[] = { "basic", "array", "struct", "struct_in_array", "array_in_struct",
                                        "nested", "nested_arrays", "several" };
   grid_target_create(&u.target, SIZE, SIZE, false);
   glClearColor(0, 0, 0, 0);
   for (unsigned k = 0; k < ARRAY_SIZE(kinds); k++) {
      for (unsigned t = 0; t < ARRAY_SIZE(types); t++)
         run_case(kinds[k], t, k < 2 ? t : (t * 4 + 7) % ARRAY_SIZE(types));
   }
   grid_target_destroy(&u.target);
}

const struct grid_family family_values = { "values", run_values };
