/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Numbers that are kept in texels, in OpenGL ES 2.0: indices, flags, palettes, tables, colour keys, packed depths, RGBM and
 * RGBE.  Each case makes a texture of random bytes and draws each texel as a pixel; a program takes the numbers out in a random
 * way, at once, in a later part of a program that does not fit the chip, or behind a loop.  The expected values are computed
 * here in double precision from n / 255 (OpenGL ES 2.0, 2.1.2).  Where less than the rounding of 14 bits decides, a pixel is
 * left out.
 *
 * Usage: test_texel_numbers [FIRST COUNT]
 */

#include "opengl_es.h"

#define CASES     150
#define SIZE      16
#define TOLERANCE 3 /* steps of the picture */
#define STEP 0x1p-12
#define UNDECIDED -1

static uint8_t bytes[SIZE * SIZE][4], palette[256];
static char expression[600];
static double key[4], expected[SIZE * SIZE];
static unsigned component;

static double
texel(unsigned i)
{
   return bytes[i][component] / 255.0;
}

static void
write_expression(const char *format, ...)
{
   va_list args;

   va_start(args, format);
   vsnprintf(expression, sizeof(expression), format, args);
   va_end(args);
}

/* --- kinds: each writes an expression of 0 to 1 and what it is for each pixel --- */

/* Whole numbers, of which the lowest digits are drawn. */
static void
make_index(void)
{
   static const double factors[] = {255, 255, 255, 15, 16, 31, 64, 256, 510};
   const double k = factors[random_below(9)], offset = one_in(2) ? 0.5 : random_below(16) / 16.0;
   const bool is_cast = one_in(2);

   write_expression(is_cast ? "mod(float(int(v.%c * %.1f + %.4f)), 8.0) / 8.0" : "mod(floor(v.%c * %.1f + %.4f), 8.0) / 8.0",
                    "rgba"[component], k, offset);
   for (unsigned i = 0; i < SIZE * SIZE; i++) {
      const double x = texel(i) * k + offset;
      const bool exact = k == 255; /* n, as on other chips */
      const double whole = floor(exact ? rint(x - offset) + offset : x);
      expected[i] = !exact && fabs(x - rint(x)) < STEP * (x + 1) ? UNDECIDED : fmod(whole, 8) / 8;
   }
}

static void
make_flag(void)
{
   /* 128 / 255 is nearly half a step away from how the byte arrives. */
   const bool middle = one_in(3);
   const unsigned n = middle ? 128 : bytes[random_below(SIZE * SIZE)][component];
   const unsigned way = middle ? 2 : random_below(3);

   if (way == 0)
      write_expression("v.%c * 255.0 == %u.0 ? 1.0 : 0.0", "rgba"[component], n);
   else if (way == 1)
      write_expression("abs(v.%c * 255.0 - %u.0) < 0.1 ? 1.0 : 0.0", "rgba"[component], n);
   else
      write_expression("v.%c == %.9f ? 1.0 : 0.0", "rgba"[component], n / 255.0);
   for (unsigned i = 0; i < SIZE * SIZE; i++)
      expected[i] = bytes[i][component] == n;
}

static void
make_threshold(void)
{
   const double limit = between(0, 1);
   const bool is_step = one_in(2);

   write_expression(is_step ? "1.0 - step(%2$.6f, v.%1$c)" : "(v.%c < %.6f ? 1.0 : 0.0)", "rgba"[component], limit);
   for (unsigned i = 0; i < SIZE * SIZE; i++)
      expected[i] = fabs(texel(i) - limit) < STEP * limit ? UNDECIDED : texel(i) < limit;
}

static void
make_color_key(void)
{
   const uint8_t *chosen = bytes[random_below(SIZE * SIZE)];

   for (unsigned c = 0; c < 4; c++)
      key[c] = chosen[c] / 255.0;
   write_expression(one_in(2) ? "(v.rgb == key.rgb ? 1.0 : 0.0)" : "float(all(equal(v, key)))");
   for (unsigned i = 0; i < SIZE * SIZE; i++) {
      bool equal = true;
      for (unsigned c = 0; c < 3; c++)
         equal &= bytes[i][c] == chosen[c];
      /* bytes that differ in alpha alone are too rare to matter */
      expected[i] = equal && bytes[i][3] != chosen[3] ? UNDECIDED : equal;
   }
}

static void
make_palette(void)
{
   if (one_in(2))
      write_expression("texture2D(palette, vec2(v.%c * 0.99609375 + 0.001953125, 0.5)).r", "rgba"[component]);
   else
      write_expression("texture2D(palette, vec2((v.%c * 255.0 + 0.5) / 256.0, 0.5)).r", "rgba"[component]);
   for (unsigned i = 0; i < SIZE * SIZE; i++)
      expected[i] = palette[bytes[i][component]] / 255.0;
}

static void
make_packed_depth(void)
{
   const unsigned at = random_below(SIZE * SIZE);
   const double factor = one_in(2) ? 0.003921569 : between(0.1, 0.5); /* where the byte hardly matters, or does */
   const double limit = (bytes[at][0] + bytes[at][1] * factor) / 255;

   write_expression("(dot(v, vec4(1.0, %.9f, 0.0, 0.0)) < %.7f ? 1.0 : 0.0)", factor, limit);
   for (unsigned i = 0; i < SIZE * SIZE; i++) {
      const double depth = (bytes[i][0] + bytes[i][1] * factor) / 255;
      expected[i] = fabs(depth - limit) < STEP * limit ? UNDECIDED : depth < limit;
   }
}

static void
make_rgbm(void)
{
   const double range = 5 + random_below(12);

   component %= 3;
   write_expression("v.%c * (v.a * %.1f) * %.6f", "rgb"[component], range, 1 / range);
   for (unsigned i = 0; i < SIZE * SIZE; i++)
      expected[i] = texel(i) * bytes[i][3] / 255.0;
}

/* With a shared exponent that is taken out again. */
static void
make_rgbe(void)
{
   component %= 3;
   for (unsigned i = 0; i < SIZE * SIZE; i++) {
      bytes[i][3] = 120 + bytes[i][3] % 16;
      expected[i] = texel(i);
   }
   write_expression("rgbe(v, %u)", component);
}

static void (*const kinds[])(void) = {make_index,   make_index,        make_flag, make_threshold, make_color_key,
                                      make_palette, make_packed_depth, make_rgbm, make_rgbe};

/* --- drawing --- */

static void
make_texture(unsigned unit, GLenum format, unsigned width, unsigned height, const void *pixels)
{
   glActiveTexture(GL_TEXTURE0 + unit);
   nearest_texture(GL_TEXTURE_2D);
   glTexImage2D(GL_TEXTURE_2D, 0, format, width, height, 0, format, GL_UNSIGNED_BYTE, pixels);
}

/* The lookup.  Each but the first makes the numbers wait for what a later part, or another pass of a loop, computes. */
static const char *const lookups[] = {
   "v = texture2D(texels, p);",
   "v = texture2D(texels, p);",
   "v = texture2D(texels, p + wave(p.x) * zero); v += wave(dot(v, vec4(1.0))) * zero;",
   "v = texture2D(texels, p + wave(p.x) * zero); late = wave(dot(v, vec4(1.0))) * zero;",
   "for (int i = 0; i < 300; i++) { if (float(i) > 1.0 + p.x * 2.0) break; v = texture2D(texels, p + float(i) * zero); }",
};

static void
draw(void)
{
   char waves[3000] = "";
   const GLfloat uniform[4] = {key[0], key[1], key[2], key[3]};

   for (unsigned i = 1; i <= 40; i++)
      snprintf(waves + strlen(waves), sizeof(waves) - strlen(waves), "x = sin(x * 0.%u + p.y) * p.x;\n", i);
   const GLuint program = square_program(text_of(
      "precision highp float; uniform %s sampler2D texels, palette; uniform vec4 key; varying vec2 p;\n"
      "float rgbe(vec4 v, int c) {\n"
      "   vec3 color = v.rgb * exp2(v.a * 255.0 - 128.0);\n"
      "   float e = v.a * 255.0 - 128.0;\n"
      "   return (c == 0 ? color.r : c == 1 ? color.g : color.b) * exp2(-floor(e + 0.5)); }\n"
      "uniform float zero;\n"
      "float wave(float x) { %s return x; }\n"
      "void main() { vec4 v = vec4(0.0); float late = 0.0; %s gl_FragColor = vec4(%s) + late; }\n",
      random_below(2) ? "highp" : "mediump", waves, PICK(lookups), expression));
   glUseProgram(program);
   glUniform1i(glGetUniformLocation(program, "texels"), 0);
   glUniform1i(glGetUniformLocation(program, "palette"), 1);
   glUniform4fv(glGetUniformLocation(program, "key"), 1, uniform);
   draw_square();
   glDeleteProgram(program);
}

static unsigned
check(unsigned number)
{
   uint8_t pixels[SIZE * SIZE * 4];
   unsigned wrong = 0;

   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned i = 0; i < SIZE * SIZE; i++) {
      const double wanted = expected[i] * 255;
      if (expected[i] != UNDECIDED && fabs(pixels[4 * i] - wanted) > TOLERANCE && !wrong++)
         fprintf(stderr, "case %u: %s of %u %u %u %u is %u, expected %.1f\n", number, expression, bytes[i][0], bytes[i][1],
                 bytes[i][2], bytes[i][3], pixels[4 * i], wanted);
   }
   return wrong;
}

static unsigned
run_case(unsigned number)
{
   component = random_below(4);
   for (unsigned k = 0; k < SIZE * SIZE * 4; k++)
      bytes[k / 4][k % 4] = k % 4 == component && one_in(2) ? k / 4 : random_below(256);
   for (unsigned k = 0; k < 256; k++)
      palette[k] = random_below(256);
   PICK(kinds)();
   make_texture(0, GL_RGBA, SIZE, SIZE, bytes);
   make_texture(1, GL_LUMINANCE, 256, 1, palette);
   draw();
   return check(number);
}

int
main(int argc, char **argv)
{
   open_target(SIZE, SIZE, false);
   return run_numbered(argc, argv, CASES, run_case);
}
