/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Quotients of integers in both stages: dividends from -64 to 63, and divisors among which are 1 and -1, uniform or from pixel
 * to pixel (OpenGL ES Shading Language 1.00, 5.9).  They are cut towards 0, as C cuts them.
 */

#include "opengl_es.h"

#define DIVIDENDS 128

static const int divisors[] = {1, -1, 2, -2, 3, -3, 4, 5, -6, 7, 9, 12, -13, 32, 63, -100};

static GLuint
make(bool vertex)
{
   static const char body[] = "   int a = int(floor(numbers.x + 0.5)), b = by_uniform ? divisor : int(floor(numbers.y + 0.5));\n"
                              "   result = (float(a / b) + 64.0) / 255.0;\n";

   return make_program(text_of(
      "attribute vec4 at; uniform int divisor; uniform bool by_uniform; varying vec2 v; varying float r;\n"
      "void main() {\n   gl_Position = vec4(at.xy, 0.0, 1.0); gl_PointSize = 1.0; v = at.zw; r = 0.0;\n"
      "   float result = 0.0; vec2 numbers = at.zw;\n%s   r = result;\n}\n",
      vertex ? body : ""), text_of(
      "precision mediump float; precision mediump int;\n"
      "uniform highp int divisor; uniform bool by_uniform; varying highp vec2 v; varying highp float r;\n"
      "void main() {\n   float result = r; vec2 numbers = v;\n%s   gl_FragColor = vec4(result, 0.0, 0.0, 1.0);\n}\n",
      vertex ? "" : body), "at");
}

/* A point for each dividend, and a row of them for each divisor. */
static void
draw(void)
{
   static GLfloat at[COUNT(divisors) * DIVIDENDS][4];

   for (unsigned i = 0; i < COUNT(at); i++) {
      at[i][0] = (i % DIVIDENDS + 0.5f) * 2 / DIVIDENDS - 1;
      at[i][1] = (i / DIVIDENDS + 0.5f) * 2 / COUNT(divisors) - 1;
      at[i][2] = (int)(i % DIVIDENDS) - DIVIDENDS / 2;
      at[i][3] = divisors[i / DIVIDENDS];
   }
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, at);
   glDrawArrays(GL_POINTS, 0, COUNT(at));
}

/* divisor: of all rows; 0: each has its own */
static unsigned
check(const char *stage, int divisor)
{
   uint8_t pixels[COUNT(divisors) * DIVIDENDS * 4];
   unsigned wrong = 0;

   glReadPixels(0, 0, DIVIDENDS, COUNT(divisors), GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned i = 0; i < COUNT(divisors) * DIVIDENDS; i++) {
      const int a = (int)(i % DIVIDENDS) - DIVIDENDS / 2, b = divisor ? divisor : divisors[i / DIVIDENDS];
      if (pixels[4 * i] != a / b + 64 && !wrong++)
         fprintf(stderr, "%s, %s: %d / %d is %d\n", stage, divisor ? "uniform" : "by pixel", a, b, pixels[4 * i] - 64);
   }
   return wrong;
}

int
main(void)
{
   unsigned wrong = 0;

   open_target(DIVIDENDS, COUNT(divisors), false);
   glEnableVertexAttribArray(0);
   for (unsigned vertex = 0; vertex < 2; vertex++) {
      const char *stage = vertex ? "vertex" : "fragment";
      const GLuint program = make(vertex);

      glUseProgram(program);
      glUniform1i(glGetUniformLocation(program, "by_uniform"), 0);
      glUniform1i(glGetUniformLocation(program, "divisor"), 1);
      draw();
      wrong += check(stage, 0);
      glUniform1i(glGetUniformLocation(program, "by_uniform"), 1);
      for (unsigned i = 0; i < COUNT(divisors); i++) {
         glUniform1i(glGetUniformLocation(program, "divisor"), divisors[i]);
         draw();
         wrong += check(stage, divisors[i]);
      }
   }
   CHECK(glGetError() == GL_NO_ERROR);
   fprintf(stderr, "%u quotients are wrong\n", wrong);
   return wrong > 0;
}
