/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Comparisons of integers, joined by "and" and "or", and signs of integers: for every pair of small values, negative ones
 * among them, against C.  Mesa joins comparisons with zero by a maximum or minimum of unsigned numbers, and the chip has
 * floats.  In both stages, and in the vertex stage once more where Mesa's draw module runs it: the lines have a stipple.
 */

#include "opengl.h"

#define LEAST (-2)
#define MOST  2

static bool both_zero(int a, int b) { return a == 0 && b == 0; }
static bool one_zero(int a, int b) { return a == 0 || b == 0; }
static bool none_zero(int a, int b) { return a != 0 && b != 0; }
static bool not_both_zero(int a, int b) { return a != 0 || b != 0; }
static bool same(int a, int b) { return a == b; }
static bool less(int a, int b) { return a < b; }
static bool more(int a, int b) { return a > b; }
static bool different(int a, int b) { return a != b; }
static bool positive_sum(int a, int b) { return a + b > 0; }

static const struct {
   const char *glsl;
   bool (*expected)(int a, int b);
} cases[] = {
   { "a == 0 && b == 0", both_zero },
   { "a == 0 || b == 0", one_zero },
   { "a != 0 && b != 0", none_zero },
   { "a != 0 || b != 0", not_both_zero },
   { "ivec2(a, b) == ivec2(0)", both_zero },
   { "ivec2(a, b) != ivec2(0)", not_both_zero },
   { "ivec4(a, b, a, b) != ivec4(0)", not_both_zero },
   { "ivec4(0) == ivec4(b, a, b, a)", both_zero },
   { "(ivec3(a) - ivec3(a)) != ivec3(a, b, a)", not_both_zero },
   { "any(notEqual(ivec3(a, b, 0), ivec3(0)))", not_both_zero },
   { "all(equal(ivec3(a, b, 0), ivec3(0)))", both_zero },
   { "all(notEqual(ivec2(a, b), ivec2(0)))", none_zero },
   { "(b < a ? a : b) == 0 && (a < b ? a : b) == 0", both_zero },
   { "a == b", same },
   { "(a < b ? a : b) != b", less },
   { "one - float(-(a - b)) > 1.25", more },
   { "abs(float(-(a - b))) > 0.5", different },
   { "-float(-a - b) > 0.5", positive_sum },
   { "0.5 + float(abs(a - b)) > 0.75", different },
   { "-float(-abs(-(b - a))) > 0.5", different },
};

enum stage { FRAGMENT, VERTEX, DRAW_MODULE, NUM_STAGES };

static GLuint
program_for(const char *expression, enum stage stage)
{
   const bool in_vertex_program = stage != FRAGMENT;
   char value[200], vertex[500], fragment[500];

   snprintf(value, sizeof(value), "vec4(%s ? 1.0 : 0.0)", expression);
   snprintf(vertex, sizeof(vertex),
            "uniform int a, b;\nvarying vec4 v;\nvoid main() { float one = gl_Vertex.w; v = %s; gl_Position = gl_Vertex; }",
            in_vertex_program ? value : "vec4(0.0)");
   snprintf(fragment, sizeof(fragment),
            "uniform int a, b;\nvarying vec4 v;\nvoid main() { float one = gl_FragCoord.w; gl_FragColor = %s; }",
            in_vertex_program ? "v" : value);
   return make_program(vertex, fragment, NULL);
}

static unsigned
check(GLuint program, enum stage stage, int a, int b, bool expected, const char *what)
{
   GLubyte pixel[4];

   glUniform1i(glGetUniformLocation(program, "a"), a);
   glUniform1i(glGetUniformLocation(program, "b"), b);
   if (stage == DRAW_MODULE) {
      glBegin(GL_LINES);
      glVertex2f(-1, 0);
      glVertex2f(1, 0);
      glEnd();
   } else {
      glRectf(-1, -1, 1, 1);
   }
   glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
   if (pixel[0] == (expected ? 255 : 0))
      return 0;
   fprintf(stderr, "%s, stage %u: a = %d, b = %d: %u\n", what, stage, a, b, pixel[0]);
   return 1;
}

int
main(void)
{
   unsigned wrong = 0;

   open_target(1, 1, false);
   glEnable(GL_LINE_STIPPLE);
   glLineStipple(1, 0x7fff);
   glLineWidth(3);
   for (unsigned i = 0; i < COUNT(cases); i++) {
      for (enum stage stage = 0; stage < NUM_STAGES; stage++) {
         const GLuint program = program_for(cases[i].glsl, stage);
         glUseProgram(program);
         for (int a = LEAST; a <= MOST; a++) {
            for (int b = LEAST; b <= MOST; b++)
               wrong += check(program, stage, a, b, cases[i].expected(a, b), cases[i].glsl);
         }
         glDeleteProgram(program);
      }
   }
   CHECK(glGetError() == GL_NO_ERROR);
   return wrong != 0;
}
