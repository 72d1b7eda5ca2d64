/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Clocks: fract(), sin() and cos() of a uniform, which has grown large, plus something of the pixel, in random expressions of
 * both sizes of programs (small ones leave nothing to the vertex program).  The uniform is a time of up to a day, in steps of
 * 1/64 of a second; the results are those of a small uniform with the same place in the period.
 *
 * Usage: test_large_arguments [FIRST COUNT]
 */

#include "opengl_es.h"

#define CASES     60
#define SIZE      16
#define DAY       86400
#define TOLERANCE 6

struct clock_case {
   unsigned function; /* of "functions" */
   double time, speed, slope, scale;
   bool difference, large;
};

static const struct {
   const char *name;
   double (*compute)(double);
   double amplitude, offset; /* from the range of the function to 0..1 */
} functions[] = {{"fract", NULL, 1, 0}, {"sin", sin, 0.5, 0.5}, {"cos", cos, 0.5, 0.5}};

static void
choose(struct clock_case *c)
{
   c->function = random_below(3);
   c->time = random_below(DAY * 64) / 64.0;
   c->speed = one_in(2) ? 1 : one_in(2) ? 0.5 : 0.25; /* exact in a float */
   c->slope = between(-3, 3);
   c->scale = one_in(2) ? 1 : one_in(2) ? 2 : 0.5;
   c->difference = one_in(3);
   c->large = one_in(2);
}

static GLuint
make(const struct clock_case *c)
{
   char argument[200];

   snprintf(argument, sizeof(argument), c->difference ? "(p.x * %.3f - time * %.3f)" : "(time * %2$.3f + p.x * %1$.3f)", c->slope,
            c->speed);
   return square_program(text_of(
      "precision highp float; uniform float time; uniform vec4 none; varying vec2 p;\n"
      "void main() { float r = %s(%s%s * %.2f%s) * %.1f + %.1f;\n"
      "   gl_FragColor = vec4(r%s); }\n",
      functions[c->function].name, c->scale == 1 ? "" : "(", argument, c->scale, c->scale == 1 ? "" : ")",
      functions[c->function].amplitude, functions[c->function].offset,
      c->large ? " + dot(none, vec4(p, p.y * p.y, p.x * p.x * p.x)) + length(none.xyz * p.xyx) * none.w" : ""));
}

static double
expect(const struct clock_case *c, double x)
{
   const double sign = c->difference ? -1 : 1;
   const double argument = (c->time * c->speed * sign + x * c->slope) * c->scale;
   const double result = functions[c->function].compute ? functions[c->function].compute(argument) : argument - floor(argument);

   return (result * functions[c->function].amplitude + functions[c->function].offset) * 255;
}

static unsigned
run_case(unsigned number)
{
   uint8_t pixels[SIZE * SIZE * 4];
   struct clock_case c;
   unsigned wrong = 0;

   choose(&c);
   const GLuint program = make(&c);
   glUseProgram(program);
   glUniform1f(glGetUniformLocation(program, "time"), c.time);
   draw_square();
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned i = 0; i < SIZE * SIZE; i++) {
      const double wanted = expect(&c, (i % SIZE + 0.5) / SIZE), off = fabs(pixels[4 * i] - wanted);
      /* 0 and 255 are neighbours of a fraction */
      if (off > TOLERANCE && !(c.function == 0 && off > 255 - TOLERANCE) && !wrong++)
         fprintf(stderr, "case %u: %s of time %.4f * %g and p.x * %g, times %g, at %u is %u, expected %.1f\n", number,
                 functions[c.function].name, c.time, c.speed, c.slope, c.scale, i % SIZE, pixels[4 * i], wanted);
   }
   glDeleteProgram(program);
   return wrong > 0;
}

int
main(int argc, char **argv)
{
   open_target(SIZE, SIZE, false);
   return run_numbered(argc, argv, CASES, run_case);
}
