/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * "invariant", which makes two programs agree exactly.
 */

#include "families.h"
#include "shader_case.h"

#define SIZE 64

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
   static uint8_t pixels[SIZE * SIZE * 4];
   struct grid_target target;
   grid_target_create(&target, SIZE, SIZE, true);
   glClearColor(0.3f, 0.3f, 0.3f, 0.3f);
   for (unsigned i = 0; i < ARRAY_SIZE(invariant); i++) {
      for (unsigned p = 0; p < 3; p++) {
         if (!grid_begin("invariance/%s_%s", invariant[i].name, shader_precision_name[p]))
            continue;
         GLuint program[2];
         for (unsigned k = 0; k < 2; k++)
            program[k] = grid_program(text_of(
               "invariant gl_Position;\nattribute highp vec4 position;\nuniform %s float k;\nuniform int n;\n"
               "uniform highp mat4 m;\nvarying mediump vec4 v;\nprecision %s float;\n"
               "void main()\n{\n   vec4 a = position, p;\n%s%s   gl_Position = p;\n}\n",
               shader_precision_name[p], shader_precision_name[p], invariant[i].common,
               k ? invariant[i].second : invariant[i].first), text_of(
               "precision mediump float;\nvarying vec4 v;\nvoid main()\n{\n"
               "   gl_FragColor = vec4(%s, clamp(v.z * 0.001, 0.0, 0.001), 1.0);\n}\n", k ? "0.0, 1.0" : "1.0, 0.0"));
         if (!program[0] || !program[1]) {
            grid_refused(false, grid_log);
            continue;
         }
         for (unsigned k = 0; k < ARRAY_SIZE(mesh); k++) {
            for (unsigned c = 0; c < 4; c++)
               mesh[k][c] = c == 3 ? 1 : grid_random_float(-0.9f, 0.9f);
         }
         static const float m[16] = { 0.71f, 0.13f, -0.2f, 0.11f, -0.17f, 0.83f, 0.1f, -0.07f,
                                      0.3f, -0.4f, 0.6f, 0.05f, 0.1f, 0.05f, 0.2f, 1.1f };
         glBindBuffer(GL_ARRAY_BUFFER, 0);
         use_floats(0, 4, mesh);
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
   glDisableVertexAttribArray(0);
   grid_target_destroy(&target);
}

const struct grid_family family_invariance = { "invariance", run_invariance };
