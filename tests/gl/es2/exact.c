/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Arithmetic with results that are known: integers of the ranges that GLSL ES promises for each precision, rounding and
 * comparisons at and beside whole numbers, in both stages; and "invariant", which makes two programs agree exactly.
 *
 * The target has 64 x 64 pixels.  The operands of pixel (x, y) are small whole numbers made of x and y; vertex programs
 * draw a point per pixel.  A result is shown as its magnitude modulo 256 in red, the rest of the magnitude in green and the
 * sign in blue.
 */

#include <math.h>
#include <stdio.h>

#include "families.h"
#include "shader_case.h"

#define SIZE 64

static struct grid_target target;
static GLuint points;
static uint8_t pixels[SIZE * SIZE * 4];

static void
begin(void)
{
   static float p[SIZE * SIZE][4];
   grid_target_create(&target, SIZE, SIZE, true);
   for (unsigned i = 0; i < SIZE * SIZE; i++) {
      p[i][0] = i % SIZE;
      p[i][1] = i / SIZE;
      p[i][2] = (i % SIZE + 0.5f) * 2 / SIZE - 1;
      p[i][3] = (i / SIZE + 0.5f) * 2 / SIZE - 1;
   }
   glGenBuffers(1, &points);
   glBindBuffer(GL_ARRAY_BUFFER, points);
   glBufferData(GL_ARRAY_BUFFER, sizeof(p), p, GL_STATIC_DRAW);
   glClearColor(0.3f, 0.3f, 0.3f, 0.3f);
}

static void
end(void)
{
   glDisableVertexAttribArray(0);
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   glDeleteBuffers(1, &points);
   grid_target_destroy(&target);
}

/* Draws the expression "r", a float, of every pixel, from x and y, floats. */
static bool
draw(const char *body, bool vertex, enum shader_precision precision)
{
   char vs[2000], fs[2000];
   const char *log = NULL, *p = shader_precision_name[precision];
   static const char split[] = "   highp_ float n = abs(r), g = floor(n / 256.0);\n"
                               "   res = vec4((n - g * 256.0) / 255.0, g / 255.0, r < 0.0 ? 1.0 : 0.0, 1.0);\n";
   snprintf(vs, sizeof(vs),
            "#define highp_ highp\nprecision %s float;\nprecision %s int;\nattribute highp vec4 position;\n"
            "uniform highp vec2 one;\nvarying highp vec4 v;\n"
            "void main()\n{\n   gl_Position = vec4(position.zw, 0.0, 1.0);\n   gl_PointSize = 1.0;\n"
            "   highp vec4 res = vec4(position.xy, 0.0, 1.0);\n%s%s%s   v = res;\n}\n",
            p, p, vertex ? "   highp float x = position.x, y = position.y, r;\n" : "", vertex ? body : "",
            vertex ? split : "");
   snprintf(fs, sizeof(fs),
            "#define highp_\nprecision %s float;\nprecision %s int;\nvarying highp vec4 v;\nuniform highp vec2 one;\n"
            "void main()\n{\n   vec4 res = v;\n%s%s%s   gl_FragColor = res;\n}\n",
            p, p, vertex ? "" : "   float x = floor(v.x + 0.5), y = floor(v.y + 0.5), r;\n", vertex ? "" : body,
            vertex ? "" : split);
   GLuint program = grid_program(vs, fs, &log);
   if (!program) {
      grid_refused(false, log);
      return false;
   }
   glUseProgram(program);
   glUniform2f(glGetUniformLocation(program, "one"), 1, 1);
   glBindBuffer(GL_ARRAY_BUFFER, points);
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, NULL);
   glEnableVertexAttribArray(0);
   glClear(GL_COLOR_BUFFER_BIT);
   glDrawArrays(GL_POINTS, 0, SIZE * SIZE);
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   glDeleteProgram(program);
   return true;
}

/* --- integers and whole numbers ------------------------------------------------------------------------------------- */

static double e_add(double a, double b) { return a + b; }
static double e_sub(double a, double b) { return a - b; }
static double e_mul(double a, double b) { return a * b; }
static double e_div(double a, double b) { return trunc(a / b); }
static double e_quarter(double a, double b) { return floor(a / 4 + b); }
static double e_ceil(double a, double b) { return ceil((a - 30) / 4) + b; }
static double e_fract(double a, double b) { return (a / 8 - floor(a / 8)) * 64 + b; }
static double e_mod(double a, double b) { return a - b * floor(a / b); }
static double e_mod_negative(double a, double b) { return (a - 32) - b * floor((a - 32) / b); }
static double e_less(double a, double b) { return (a < b) + 2 * (a <= b) + 4 * (a > b) + 8 * (a >= b); }
static double e_equal(double a, double b) { return (a == b) + 2 * (a != b); }
static double e_to_int(double a, double b) { return trunc((a - 31.5) / 2) + b; }
static double e_step(double a, double b) { return (b >= a) + 2 * (a >= b); }
static double e_sign(double a, double b) { return (a > b) - (a < b); }
static double e_min_max(double a, double b) { return fmin(a, b) * 64 + fmax(a, b); }
static double e_sqrt(double a, double b) { return a + b; }
static double e_exp2(double a, double b) { return exp2((int)a % 8) + 0 * b; }
static double e_shift(double a, double b) { return a * exp2((int)b % 6); }

static const struct {
   const char *name, *body;
   double (*expected)(double a, double b);
   int scale, offset_a, offset_b; /* a = x * scale + offset_a, b = y + offset_b */
   unsigned least;                /* precision from which the range suffices */
} exact[] = {
   { "int_add", "   int a = int(x), b = int(y); r = float(a + b);\n", e_add, 1, 0, 0, LOWP },
   { "int_sub", "   int a = int(x), b = int(y) ; r = float(a - b);\n", e_sub, 1, 0, 0, LOWP },
   { "int_add_1000", "   int a = int(x) * 13, b = int(y); r = float(a + b);\n", e_add, 13, 0, 0, MEDIUMP },
   { "int_mul_1000", "   int a = int(x), b = int(y) / 4; r = float(a * b);\n", NULL, 1, 0, 0, MEDIUMP },
   { "int_mul", "   int a = int(x), b = int(y); r = float(a * b);\n", e_mul, 1, 0, 0, HIGHP },
   { "int_mul_negative", "   int a = int(x) - 32, b = int(y) - 20; r = float(a * b);\n", e_mul, 1, -32, -20, HIGHP },
   { "int_div", "   int a = int(x), b = int(y) + 1; r = float(a / b);\n", e_div, 1, 0, 1, LOWP },
   { "int_div_negative", "   int a = int(x) - 40, b = int(y) + 1; r = float(a / b);\n", e_div, 1, -40, 1, LOWP },
   { "int_div_1000", "   int a = int(x) * 16 + 7, b = int(y) + 1; r = float(a / b);\n", e_div, 16, 7, 1, MEDIUMP },
   { "int_div_constant", "   int a = int(x) * 3; r = float(a / 3) + y;\n", e_add, 1, 0, 0, LOWP },
   { "int_div_constant_7", "   int a = int(x) * 7, b = int(y) * 7 + 6; r = float(a / 7 + b / 7);\n", e_add, 1, 0, 0,
     MEDIUMP },
   { "int_compare", "   int a = int(x), b = int(y); r = float(a < b) + 2.0 * float(a <= b) + 4.0 * float(a > b) + 8.0 * "
                    "float(a >= b);\n", e_less, 1, 0, 0, LOWP },
   { "int_equal", "   int a = int(x) * 2 - int(x), b = int(y); r = a == b ? 1.0 : 0.0; if (a != b) r += 2.0;\n",
     e_equal,
     1, 0, 0, LOWP },
   { "int_increment", "   int a = int(x), b = int(y); a++; --b; r = float(a-- + ++b) - 1.0;\n", e_add, 1, 0, 0, LOWP },
   { "int_to_int", "   r = float(int((x - 31.5) / 2.0)) + y;\n", e_to_int, 1, 0, 0, MEDIUMP },
   { "int_from_bool", "   bool c = x > y; r = float(int(c)) - float(int(x < y));\n", e_sign, 1, 0, 0, MEDIUMP },
   { "float_less", "   r = float(x < y) + 2.0 * float(x <= y) + 4.0 * float(x > y) + 8.0 * float(x >= y);\n", e_less, 1,
     0, 0, MEDIUMP },
   { "float_less_eighths", "   float a = x / 8.0, b = y * 0.125; r = float(a < b) + 2.0 * float(a <= b) + 4.0 * float(a > "
                           "b) + 8.0 * float(a >= b);\n", e_less, 1, 0, 0, MEDIUMP },
   { "float_equal", "   float a = x * one.x, b = y; r = a == b ? 1.0 : 0.0; if (a != b) r += 2.0;\n", e_equal, 1, 0, 0,
     MEDIUMP },
   { "float_step", "   r = step(x, y) + 2.0 * step(y, x);\n", e_step, 1, 0, 0, MEDIUMP },
   { "float_sign", "   r = sign(x - y);\n", e_sign, 1, 0, 0, MEDIUMP },
   { "float_floor", "   r = floor(x / 4.0 + y);\n", e_quarter, 1, 0, 0, MEDIUMP },
   { "float_ceil", "   r = ceil((x - 30.0) / 4.0) + y;\n", e_ceil, 1, 0, 0, MEDIUMP },
   { "float_fract", "   r = fract(x / 8.0) * 64.0 + y;\n", e_fract, 1, 0, 0, MEDIUMP },
   { "float_mod", "   r = mod(x, y + 1.0);\n", e_mod, 1, 0, 1, HIGHP },
   { "float_mod_negative", "   r = mod(x - 32.0, y + 1.0);\n", e_mod_negative, 1, 0, 1, HIGHP },
   { "float_mod_uniform", "   r = mod(x, 8.0 * one.x) * 8.0 + mod(y, 4.0);\n", NULL, 1, 0, 0, MEDIUMP },
   { "float_min_max", "   r = min(x, y) * 64.0 + max(x, y);\n", e_min_max, 1, 0, 0, MEDIUMP },
   { "float_sqrt_squares", "   r = floor(sqrt(x * x) + 0.5) + floor(sqrt(y * y) + 0.5);\n", e_sqrt, 1, 0, 0, MEDIUMP },
   { "float_exp2", "   r = floor(exp2(mod(x, 8.0)) + 0.25);\n", e_exp2, 1, 0, 0, MEDIUMP },
   { "float_pow2", "   r = floor(x * pow(2.0, mod(y, 6.0)) + 0.5);\n", e_shift, 1, 0, 0, HIGHP },
   { "float_mul_8000", "   r = x * floor(y * 2.0);\n", NULL, 1, 0, 0, MEDIUMP },
};

static double
expect_without_function(const char *name, double a, double b)
{
   if (!strcmp(name, "int_mul_1000"))
      return a * floor(b / 4);
   if (!strcmp(name, "float_mod_uniform"))
      return fmod(a, 8) * 8 + fmod(b, 4);
   return a * b * 2;
}

static void
run_exact(void)
{
   begin();
   for (unsigned i = 0; i < ARRAY_SIZE(exact); i++) {
      for (unsigned p = exact[i].least; p <= HIGHP; p++) {
         for (unsigned vertex = 0; vertex < 2; vertex++) {
            if (!grid_begin("exact/%s_%s_%s", exact[i].name, shader_precision_name[p], vertex ? "vertex" : "fragment"))
               continue;
            if (!draw(exact[i].body, vertex, p))
               continue;
            unsigned wrong = 0, at = 0;
            int expected_at = 0;
            for (unsigned k = 0; k < SIZE * SIZE; k++) {
               double a = (int)(k % SIZE) * exact[i].scale + exact[i].offset_a, b = (int)(k / SIZE) + exact[i].offset_b;
               double e = exact[i].expected ? exact[i].expected(a, b) : expect_without_function(exact[i].name, a, b);
               int n = abs((int)e);
               if (pixels[k * 4] != (n & 255) || pixels[k * 4 + 1] != n >> 8 || pixels[k * 4 + 2] != (e < 0) * 255) {
                  wrong++;
                  at = k;
                  expected_at = e;
               }
            }
            grid_check(!wrong, "%u wrong, the last at %u, %u: %d, expected %d", wrong, at % SIZE, at / SIZE,
                       (pixels[at * 4] + pixels[at * 4 + 1] * 256) * (pixels[at * 4 + 2] ? -1 : 1), expected_at);
         }
      }
   }
   end();
}

/* --- invariance ----------------------------------------------------------------------------------------------------- */

/* The same position in different surroundings. */
static const struct {
   const char *name, *common, *first, *second;
} invariant[] = {
   { "other_outputs", "   p = vec4(a.x * 1.3 + a.y * 0.71, a.y * 1.1 - a.x * 0.37, 0.1, 1.0);\n",
     "   v = vec4(1.0, 0.0, 0.0, 1.0);\n",
     "   v = vec4(0.0, 1.0, 0.0, 1.0) + vec4(a.x * 1.3 + a.y * 0.71) * 0.0;\n" },
   { "common_subexpression", "   p = vec4(sin(a.x * 2.1) * k, a.y * k * 1.7 + cos(a.x), a.x * 0.3 * k, 1.0);\n",
     "   v = vec4(1.0, 0.0, 0.0, 1.0);\n",
     "   v = vec4(sin(a.x * 2.1) * k, 1.0, a.y * k * 1.7, 1.0); if (a.x > 90.0) p = v;\n" },
   { "matrix", "   p = m * vec4(a.xy, 0.1, 1.0);\n", "   v = vec4(1.0, 0.0, 0.0, 1.0);\n",
     "   vec4 q = m * a; v = vec4(0.0, 1.0, 0.0, 1.0) + 0.0001 * (m * vec4(a.xy, 0.1, 1.0)) * q.x;\n" },
   { "matrix_product", "   p = m * m * vec4(a.xy, 0.1, 1.0);\n", "   v = vec4(1.0, 0.0, 0.0, 1.0);\n",
     "   mat4 n = m * m; v = n * a; v = vec4(0.0, 1.0, 0.0, 1.0) + v * 0.0001;\n" },
   { "loop",
     "   vec4 c = vec4(a.xy, 0.3, 1.0); for (int i = 0; i < 10; "
     "i++) c.xy = c.xy * 0.83 + c.yx * 0.17 * k + 0.013;\n   p = c;\n",
     "   v = vec4(1.0, 0.0, 0.0, 1.0);\n",
     "   v = vec4(0.0, 1.0, 0.0, 1.0); for (int i = 0; i < 5; i++) v.x += c.x * 0.01 * k;\n" },
   { "uniform_loop",
     "   vec4 c = vec4(a.xy, 0.3, 1.0); for (int i = 0; i < n; i++) c.xy = c.xy * 0.83 + c.yx * 0.17 * k + 0.013;\n   p = c;\n",
     "   v = vec4(1.0, 0.0, 0.0, 1.0);\n",
     "   v = vec4(0.0, 1.0, 0.0, 1.0); for (int i = 0; i < n; i++) v.x += c.x * 0.01 * k;\n" },
   { "sum", "   p = vec4(a.x + 0.1 * k + a.y * 0.3 + a.z * 0.2, a.y * k - a.x * 0.5 + a.z * k * 0.1, a.z * 0.1, 1.0);\n",
     "   v = vec4(1.0, 0.0, 0.0, 1.0);\n",
     "   v = vec4(0.1 * k + a.y * 0.3, 1.0, a.x + a.y * 0.3 + a.z * 0.2, 1.0);\n" },
   { "division", "   p = vec4(a.xy / (1.3 + a.z * k), a.z / 3.0, 1.0);\n", "   v = vec4(1.0, 0.0, 0.0, 1.0);\n",
     "   float w = 1.3 + a.z * k; v = vec4(1.0 / w, 1.0, a.z / 3.0, 1.0);\n" },
   { "normalize", "   p = vec4(normalize(a.xyz + k).xy * 1.3, length(a.xy) * 0.3, 1.0);\n",
     "   v = vec4(1.0, 0.0, 0.0, 1.0);\n",
     "   v = vec4(normalize(a.xyz + k).x, 1.0, length(a.xyz + k), 1.0);\n" },
   { "divide_w", "   p = m * vec4(a.xy, 0.1, 1.0); p /= p.w;\n", "   v = vec4(1.0, 0.0, 0.0, 1.0);\n",
     "   v = vec4(p.w, 1.0, p.x, 1.0); if (k > 5.0) v = p * p;\n" },
};

static void
run_invariance(void)
{
   static float mesh[SIZE * 6][4];
   begin();
   for (unsigned i = 0; i < ARRAY_SIZE(invariant); i++) {
      for (unsigned p = 0; p < 3; p++) {
         if (!grid_begin("invariance/%s_%s", invariant[i].name, shader_precision_name[p]))
            continue;
         GLuint program[2];
         const char *log = NULL;
         for (unsigned k = 0; k < 2; k++) {
            char vs[2000], fs[300];
            snprintf(vs, sizeof(vs),
                     "invariant gl_Position;\nattribute highp vec4 position;\nuniform %s float k;\nuniform int n;\n"
                     "uniform highp mat4 m;\nvarying mediump vec4 v;\nprecision %s float;\n"
                     "void main()\n{\n   vec4 a = position, p;\n%s%s   gl_Position = p;\n}\n",
                     shader_precision_name[p], shader_precision_name[p], invariant[i].common,
                     k ? invariant[i].second : invariant[i].first);
            snprintf(fs, sizeof(fs), "precision mediump float;\nvarying vec4 v;\nvoid main()\n{\n"
                     "   gl_FragColor = vec4(%s, clamp(v.z * 0.001, 0.0, 0.001), 1.0);\n}\n", k ? "0.0, 1.0" : "1.0, 0.0");
            program[k] = grid_program(vs, fs, &log);
         }
         if (!program[0] || !program[1]) {
            grid_refused(false, log);
            continue;
         }
         for (unsigned k = 0; k < ARRAY_SIZE(mesh); k++) {
            for (unsigned c = 0; c < 4; c++)
               mesh[k][c] = c == 3 ? 1 : grid_random_float(-0.9f, 0.9f);
         }
         static const float m[16] = { 0.71f, 0.13f, -0.2f, 0.11f, -0.17f, 0.83f, 0.1f, -0.07f,
                                      0.3f, -0.4f, 0.6f, 0.05f, 0.1f, 0.05f, 0.2f, 1.1f };
         glBindBuffer(GL_ARRAY_BUFFER, 0);
         glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, mesh);
         glEnableVertexAttribArray(0);
         glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
         glEnable(GL_DEPTH_TEST);
         for (unsigned k = 0; k < 2; k++) {
            glUseProgram(program[k]);
            glUniform1f(glGetUniformLocation(program[k], "k"), 0.77f);
            glUniform1i(glGetUniformLocation(program[k], "n"), 7);
            glUniformMatrix4fv(glGetUniformLocation(program[k], "m"), 1, GL_FALSE, m);
            glDepthFunc(k ? GL_LEQUAL : GL_LESS);
            glDrawArrays(GL_TRIANGLES, 0, ARRAY_SIZE(mesh) / 3 * 3);
         }
         glDisable(GL_DEPTH_TEST);
         glDepthFunc(GL_LESS);
         glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
         unsigned red = 0, green = 0;
         for (unsigned k = 0; k < SIZE * SIZE; k++) {
            red += pixels[k * 4] == 255;
            green += pixels[k * 4 + 1] == 255;
         }
         grid_check(!red && green, "%u pixels of the first program are left, %u of the second", red, green);
         glDeleteProgram(program[0]);
         glDeleteProgram(program[1]);
      }
   }
   end();
}

const struct grid_family family_exact = { "exact", run_exact };
const struct grid_family family_invariance = { "invariance", run_invariance };
