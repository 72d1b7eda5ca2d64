/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Whole numbers that come from floats, compared by random programs in both stages: floor(), ceil(), int(), fract(), mod() and
 * step() of varyings, uniforms and what is computed from them, and sums, differences, products, minima and selections of such
 * numbers up to 2^12.  Most comparisons are of a number with the same one computed in another way.  All of them are exact
 * where no argument is so close to the next whole number that its own rounding decides; such pixels are left out, by bounds
 * that are computed here in double precision with the values.
 *
 * A program makes 4 or 24 comparisons; one of 24 is drawn in parts.
 *
 * Usage: test_whole_numbers [FIRST COUNT]
 */

#include "opengl.h"

#define CASES  60
#define SIZE   32 /* of the picture */
#define PIXELS (SIZE * SIZE)
#define LARGE  4096
#define LENGTH 60000 /* of a program's text */
/* Of a number that the fragment program computes: two roundings to 14 bits. */
#define STEP 0x1p-12

/* A value in each pixel; bound: how much it may be off; 0: it is exact. */
struct value {
   char text[3000];
   double at[PIXELS], bound;
};

static bool undecided[PIXELS]; /* of the comparison that is made */
static double uniform, inputs[2][PIXELS], largest_input;

static void
write_text(struct value *v, const char *format, ...)
{
   char text[2 * sizeof(v->text)];
   va_list args;

   va_start(args, format);
   vsnprintf(text, sizeof(text), format, args);
   va_end(args);
   CHECK(strlen(text) < sizeof(v->text));
   strcpy(v->text, text);
}

static double
largest(const struct value *v)
{
   double result = 0;

   for (unsigned i = 0; i < PIXELS; i++)
      result = fmax(result, fabs(v->at[i]));
   return result;
}

/* --- numbers that are rounded --- */

/* c is exact in the numbers of the chip. */
static double
constant(void)
{
   return (int)random_below(64) / 8.0 - 4;
}

static void
make_real(struct value *v)
{
   const double *x = inputs[random_below(2)], *y = inputs[random_below(2)];
   const char *nx = x == inputs[0] ? "v.x" : "v.y", *ny = y == inputs[0] ? "v.x" : "v.y";
   const double c = constant();
   const unsigned kind = random_below(5);

   switch (kind) {
   case 0:
      write_text(v, "%s", nx);
      break;
   case 1:
      write_text(v, "(%s + %.4f)", nx, c);
      break;
   case 2:
      write_text(v, "(%s * %.4f)", nx, c);
      break;
   case 3:
      write_text(v, "(%s - u)", nx);
      break;
   default:
      write_text(v, "(%s * u + %s)", nx, ny);
      break;
   }
   for (unsigned i = 0; i < PIXELS; i++)
      v->at[i] = kind == 0   ? x[i]
                 : kind == 1 ? x[i] + c
                 : kind == 2 ? x[i] * c
                 : kind == 3 ? x[i] - uniform
                             : x[i] * uniform + y[i];
   v->bound = STEP * (largest(v) + largest_input * (kind == 2 ? fabs(c) : kind == 4 ? fabs(uniform) + 1 : 1));
}

/* --- whole numbers --- */

enum rounding { FLOOR, SUBTRACTED, CEILING, CAST, SHIFTED, ROUNDINGS };

/* floor(x) in one of several ways. */
static void
make_floor(const struct value *x, enum rounding way, struct value *v)
{
   const int n = random_below(64) + ceil(largest(x) + 1);
   /* sums with n lose what n has no room for */
   const double bound = x->bound + (way == CAST || way == SHIFTED ? STEP * (n + largest(x)) : 0);

   switch (way) {
   case FLOOR:
      write_text(v, "floor(%s)", x->text);
      break;
   case SUBTRACTED:
      write_text(v, "(%s - fract(%s))", x->text, x->text);
      break;
   case CEILING:
      write_text(v, "(-ceil(-%s))", x->text);
      break;
   case CAST:
      write_text(v, "(float(int(%s + %d.0)) - %d.0)", x->text, n, n);
      break;
   default:
      write_text(v, "(floor(%s + %d.0) - %d.0)", x->text, n, n);
      break;
   }
   v->bound = 0;
   for (unsigned i = 0; i < PIXELS; i++) {
      v->at[i] = floor(x->at[i]);
      undecided[i] |= fabs(x->at[i] - rint(x->at[i])) <= bound;
   }
}

/* The same number twice, from the same operands in different ways. */
static void
make_pair(unsigned depth, struct value *a, struct value *b)
{
   struct value *x = calloc(4, sizeof(*x)), *y = x + 1, *p = x + 2, *q = x + 3;
   const int k = 2 + random_below(5);
   const unsigned kind = depth ? random_below(6) : 6 + random_below(2);

   if (kind < 6)
      make_pair(depth - 1, x, y);
   if (kind < 4)
      make_pair(depth - 1, p, q);
   switch (kind) {
   case 0:
      write_text(a, "(%s + %s)", x->text, p->text);
      write_text(b, "(%s + %s)", q->text, y->text);
      break;
   case 1:
      write_text(a, "(%s - %s)", x->text, p->text);
      write_text(b, "(-(%s) + %s)", q->text, y->text);
      break;
   case 2:
      write_text(a, "max(%s, %s)", x->text, p->text);
      write_text(b, "(-min(-%s, -%s))", y->text, q->text);
      break;
   case 3:
      write_text(a, "(%s < %s ? %s : %s)", x->text, p->text, x->text, p->text);
      write_text(b, "min(%s, %s)", q->text, y->text);
      break;
   case 4:
      write_text(a, "(%s * %d.0)", x->text, k);
      write_text(b, "(%s * %d.0 + %s)", y->text, k - 1, y->text);
      break;
   case 5:
      write_text(a, "mod(%s, %d.0)", x->text, k);
      write_text(b, "(%s - %d.0 * floor((%s + 0.5) / %d.0))", y->text, k, y->text, k);
      break;
   case 6:
      make_real(x);
      make_floor(x, random_below(ROUNDINGS), a);
      make_floor(x, random_below(ROUNDINGS), b);
      break;
   default:
      make_real(x);
      write_text(a, "(step(%d.0, %s) + step(%d.0, %s))", -k, x->text, k, x->text);
      write_text(b, "(float(%s >= %d.0) + 1.0 - float(%d.0 > %s))", x->text, k, -k, x->text);
      for (unsigned i = 0; i < PIXELS; i++) {
         a->at[i] = (x->at[i] >= -k) + (x->at[i] >= k);
         undecided[i] |= fabs(fabs(x->at[i]) - k) <= x->bound;
      }
      break;
   }
   for (unsigned i = 0; i < PIXELS && kind < 6; i++) {
      const double m = x->at[i], n = p->at[i], all[] = {m + n, m - n, fmax(m, n), fmin(m, n), m * k, m - k * floor(m / k)};
      a->at[i] = all[kind];
   }
   free(x);
}

/* --- programs --- */

/* A comparison, and whether it holds. */
static bool
make_comparison(char *text, bool *result)
{
   static const char *const relations[] = {"==", "!=", "<", "<=", ">", ">="};
   struct value *a = calloc(2, sizeof(*a)), *b = a + 1;
   const unsigned relation = random_below(COUNT(relations));
   const int off = one_in(3) ? (int)random_below(3) - 1 : 0;

   memset(undecided, 0, sizeof(undecided));
   make_pair(random_below(3), a, b);
   const bool fits = largest(a) < LARGE;
   if (off)
      sprintf(text, "%s %s %s + %d.0", a->text, relations[relation], b->text, off);
   else
      sprintf(text, "%s %s %s", a->text, relations[relation], b->text);
   const bool holds[] = {off == 0, off != 0, off > 0, off >= 0, off < 0, off <= 0};
   *result = holds[relation];
   free(a);
   return fits;
}

static GLuint
make(const char *body, bool vertex)
{
   return make_program(text_of(
      "attribute vec4 at; uniform float u; varying vec2 v_; varying vec4 c_;\n"
      "void main() {\n   gl_Position = vec4(at.xy, 0.0, 1.0); v_ = at.zw; c_ = vec4(0.0);\n%s}\n",
      vertex ? body : ""), text_of(
      "uniform float u; varying vec2 v_; varying vec4 c_;\n"
      "void main() {\n%s   gl_FragColor = %s;\n}\n",
      vertex ? "" : body, vertex ? "c_" : "c"), "at");
}

/* Vertices at the corners, or one in each pixel. */
static void
draw(bool points, const float corner[2], const float range[2])
{
   static GLfloat data[PIXELS][4];
   const unsigned count = points ? PIXELS : 4;

   for (unsigned i = 0; i < count; i++) {
      const float x = points ? (i % SIZE + 0.5f) / SIZE : i & 1, y = points ? (i / SIZE + 0.5f) / SIZE : i >> 1;
      data[i][0] = x * 2 - 1;
      data[i][1] = y * 2 - 1;
      data[i][2] = corner[0] + range[0] * x;
      data[i][3] = corner[1] + range[1] * y;
   }
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, data);
   glDrawArrays(points ? GL_POINTS : GL_TRIANGLE_STRIP, 0, count);
}

static unsigned
check(unsigned number, unsigned comparisons, bool left_out[][PIXELS], const bool *results, const char *body)
{
   static GLubyte pixels[PIXELS][4];
   unsigned wrong = 0;

   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned k = 0; k < comparisons; k++) {
      unsigned bad = 0, at = 0;

      for (unsigned i = 0; i < PIXELS; i++) {
         const unsigned digit = comparisons > 4 ? k / 4 : 0, value = pixels[i][k % 4] >> (comparisons > 4 ? 2 + digit : 7) & 1;
         if (!left_out[k][i] && value != results[k]) {
            at = i;
            bad++;
         }
      }
      if (bad && !wrong)
         fprintf(stderr, "case %u: comparison %u is wrong in %u pixels, the last at %u, %u, where v is %.9g, %.9g, u %.9g:\n%s",
                 number, k, bad, at % SIZE, at / SIZE, inputs[0][at], inputs[1][at], uniform, body);
      wrong += bad;
   }
   return wrong;
}

static unsigned
run_case(unsigned number)
{
   static const float ranges[] = {1, 2, 8, 30, 120};
   static char body[LENGTH];
   static bool left_out[24][PIXELS];
   bool results[24];
   float corner[2], range[2];

   const bool is_long = one_in(4), vertex = one_in(4), points = vertex || one_in(3);
   const unsigned comparisons = is_long && !vertex ? 24 : 4;
   uniform = constant();
   largest_input = 0;
   for (unsigned k = 0; k < 2; k++) {
      range[k] = 2 * ranges[random_below(COUNT(ranges))];
      corner[k] = -range[k] * between(0, 1);
      for (unsigned i = 0; i < PIXELS; i++) {
         inputs[k][i] = corner[k] + range[k] * ((k ? i / SIZE : i % SIZE) + 0.5) / SIZE;
         largest_input = fmax(largest_input, fabs(inputs[k][i]));
      }
   }
   char *end = body + sprintf(body, "   vec2 v = %s; vec4 c = vec4(0.0);\n", vertex ? "at.zw" : "v_");
   for (unsigned k = 0; k < comparisons;) {
      static char text[3 * sizeof(((struct value *)NULL)->text)];
      if (!make_comparison(text, &results[k]) || end + strlen(text) + 100 > body + LENGTH)
         continue;
      memcpy(left_out[k], undecided, sizeof(undecided));
      end += sprintf(end, "   c.%c += %s ? %s : 0.0;\n", "xyzw"[k % 4], text,
                     comparisons == 4 ? "1.0"
                                      : (const char *[]){"4.0 / 255.0", "8.0 / 255.0", "16.0 / 255.0", "32.0 / 255.0",
                                                         "64.0 / 255.0", "128.0 / 255.0"}[k / 4]);
      k++;
   }
   sprintf(end, vertex ? "   c_ = c;\n" : comparisons == 4 ? "" : "   c += 1.0 / 255.0;\n");
   const GLuint program = make(body, vertex);
   glUseProgram(program);
   glUniform1f(glGetUniformLocation(program, "u"), uniform);
   glClear(GL_COLOR_BUFFER_BIT);
   draw(points, corner, range);
   const unsigned wrong = check(number, comparisons, left_out, results, body);
   glDeleteProgram(program);
   return wrong;
}

int
main(int argc, char **argv)
{
   open_target(SIZE, SIZE, false);
   glEnableVertexAttribArray(0);
   return run_numbered(argc, argv, CASES, run_case);
}
