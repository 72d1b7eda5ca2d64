/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * As many uniforms as are reported, each of which counts.
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

enum every_mode { ONCE, TWICE, IN_A_LOOP, EVERY_MODES };

/* A program in which each component of an array is a factor of its own.  All but one of the vectors are 0, in each cell of
 * 2 x 2 pixels another one. */
static void
check_every_uniform(unsigned count, enum every_mode mode)
{
   static const char vs[] = "attribute vec4 position;\nattribute vec2 a0;\nvarying vec4 r;\n"
                            "void main() { gl_Position = position; r = vec4(0.5, 0.25, 0.75, 1.0) * a0.x; }\n";
   char *fs = malloc(200 + count * 80);
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
   GLuint program = grid_case_program(vs, fs);
   free(fs);
   if (!program)
      return;
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
         const char *sum = text_of("u[0] + u[%u] + u[%u] + u[%u]", count / 3, count / 2, count - 1);
         GLuint program = grid_case_program(text_of(
            "precision mediump float;\nattribute vec4 position;\nvarying vec4 r;\n%s %u%s"
            "void main() { gl_Position = position; r = %s; }\n", stage ? "//" : "uniform vec4 u[", count,
            stage ? "\n" : "];\n", stage ? "vec4(0.0)" : sum), text_of(
            "precision mediump float;\nvarying vec4 r;\n%s %u%svoid main() { gl_FragColor = r + %s; }\n",
            stage ? "uniform vec4 u[" : "//", count, stage ? "];\n" : "\n", stage ? sum : "vec4(0.0)"));
         if (!program)
            continue;
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

const struct grid_family family_uniforms = { "uniforms", run_uniforms };
