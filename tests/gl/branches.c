/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Fragment programs whose branches do not fit the chip together, but each of them does: an integer and a boolean uniform
 * choose.  Pictures against the same arithmetic on the CPU; and one whose last branch is too large alone, which is drawn in
 * parts.
 */

#include "opengl.h"

#define SIZE 16
#define MODES 12
#define STEPS 10

static const char vertex[] = "varying vec2 p;\n"
                             "void main() { gl_Position = gl_Vertex; p = gl_Vertex.xy * 0.5 + 0.5; }\n";

static float
factor(int mode)
{
   return 0.1f + 0.06f * mode;
}

/* STEPS steps in each branch but the last one, which has so many. */
static void
write_source(char *text, unsigned last_steps)
{
   text += sprintf(text, "varying vec2 p;\n"
                         "uniform ivec2 mode; /* which branch, and no part of that choice */\n"
                         "uniform bool invert;\n"
                         "void main() {\n"
                         "   vec3 v = vec3(p, p.x * p.y);\n");
   for (int mode = 0; mode < MODES; mode++) {
      text += sprintf(text, "   %sif (mode.x == %d) {\n", mode ? "else " : "", mode);
      for (unsigned i = 0; i < (mode == MODES - 1 ? last_steps : STEPS); i++)
         text += sprintf(text, "      v = v * (1.0 - %f * v.zxy);\n", factor(mode));
      text += sprintf(text, "   }\n");
   }
   sprintf(text, "   gl_FragColor = vec4((invert ? 1.0 - v : v) * float(mode.y) / 3.0, 1.0);\n"
                 "}\n");
}

static void
expect(int mode, bool invert, unsigned steps, unsigned x, unsigned y, float out[3])
{
   float v[3] = {(x + 0.5f) / SIZE, (y + 0.5f) / SIZE};

   v[2] = v[0] * v[1];
   for (unsigned i = 0; mode >= 0 && mode < MODES && i < steps; i++) {
      const float old[3] = {v[0], v[1], v[2]};
      for (unsigned c = 0; c < 3; c++)
         v[c] = old[c] * (1.0f - factor(mode) * old[(c + 2) % 3]);
   }
   for (unsigned c = 0; c < 3; c++)
      out[c] = 255.0f * (invert ? 1.0f - v[c] : v[c]);
}

static void
check_picture(int mode, bool invert, unsigned steps)
{
   static unsigned char pixels[SIZE][SIZE][4];

   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   CHECK(glGetError() == GL_NO_ERROR);
   for (unsigned y = 0; y < SIZE; y++) {
      for (unsigned x = 0; x < SIZE; x++) {
         float wanted[3];
         expect(mode, invert, steps, x, y, wanted);
         for (unsigned c = 0; c < 3; c++) {
            if (fabsf(pixels[y][x][c] - wanted[c]) <= 2.0f)
               continue;
            fail("mode %d invert %d pixel %u,%u component %u: %u, not %f\n", mode, invert, x, y, c, pixels[y][x][c], wanted[c]);
         }
      }
   }
}

static void
branches_that_fit(void)
{
   char source[32768];

   write_source(source, STEPS);
   const GLuint program = make_program(vertex, source, NULL);
   glUseProgram(program);
   /* each twice, so that the second picture comes from a program that is there already */
   for (int i = 0; i < 2 * (MODES + 2); i++) {
      const int mode = i % (MODES + 2) - 1;
      for (int invert = 0; invert < 2; invert++) {
         glUniform2i(glGetUniformLocation(program, "mode"), mode, 3);
         glUniform1i(glGetUniformLocation(program, "invert"), invert);
         glRectf(-1.0f, -1.0f, 1.0f, 1.0f);
         check_picture(mode, invert, STEPS);
      }
   }
   glUseProgram(0);
   glDeleteProgram(program);
}

/* A branch that is too large alone is drawn in parts; the others are as they were. */
static void
branch_that_does_not(void)
{
   char source[32768];

   write_source(source, 200);
   const GLuint program = make_program(vertex, source, NULL);
   glUseProgram(program);
   glUniform1i(glGetUniformLocation(program, "invert"), 0);
   for (int mode = 3; mode < MODES; mode += MODES - 4) {
      glUniform2i(glGetUniformLocation(program, "mode"), mode, 3);
      glClear(GL_COLOR_BUFFER_BIT);
      glRectf(-1.0f, -1.0f, 1.0f, 1.0f);
      check_picture(mode, false, mode == 3 ? STEPS : 200);
   }
   glUseProgram(0);
   glDeleteProgram(program);
}

int
main(void)
{
   open_target(SIZE, SIZE, false);
   branches_that_fit();
   branch_that_does_not();
   return 0;
}
