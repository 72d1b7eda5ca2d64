/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Programs that discard, write depth or do neither, with all tests at random, over overlapping triangles and points: what
 * the driver draws in several passes looks as if it were one.
 */

#include <math.h>

#include "families.h"
#include "scene.h"

enum { PLAIN, DISCARDS, DEPTH, DEPTH_DISCARDS, PROGRAMS };

static GLuint programs[PROGRAMS];

static void
make_programs(void)
{
   static const char *const vs = "attribute highp vec4 position, a0;\nvarying mediump vec4 v;\n"
                                 "void main() { gl_Position = position; v = a0; gl_PointSize = 13.0; }";
   static const char *const discard =
      "   if (mod(floor(gl_FragCoord.x / 3.0) + floor(gl_FragCoord.y / 5.0), 2.0) < 0.5) discard;\n";
   bool depth = scene_extension("GL_EXT_frag_depth");
   for (unsigned i = 0; i < PROGRAMS; i++) {
      programs[i] = grid_program(vs, text_of(
         "%sprecision mediump float;\nvarying vec4 v;\nvoid main() {\n%s   gl_FragColor = v;\n%s}",
         i >= DEPTH && depth ? "#extension GL_EXT_frag_depth : require\n" : "", i & 1 ? discard : "",
         /* steps that are far apart: depths are rounded in different ways */
         i >= DEPTH && depth ? "   gl_FragDepthEXT = floor(gl_FragCoord.x / 8.0) / 16.0 + 0.03;\n" : ""));
   }
}

/* Overlapping primitives; their edges stay away from pixel centres. */
static void
draw(unsigned program)
{
   float p[12][4], c[12][4];
   unsigned mode = grid_random_below(6);
   for (unsigned i = 0; i < 12; i++) {
      float z = grid_random_float(-0.9f, 0.9f);
      float a = (grid_random_below(112) + 4.25f) / 64 - 1, b = (grid_random_below(112) + 4.25f) / 64 - 1;
      if (mode < 4 && i % 3) { /* right-angled: an exact hypotenuse is as good as any */
         z = p[i - i % 3][2];
         a = i % 3 == 1 ? a : p[i - i % 3][0];
         b = i % 3 == 2 ? b : p[i - i % 3][1];
      }
      const float at[4] = { a, b, z, 1 }, color[4] = { grid_random_below(5) / 4.0f, grid_random_below(5) / 4.0f,
                                                       grid_random_below(5) / 4.0f, grid_random_below(5) / 4.0f };
      memcpy(p[i], at, sizeof(at));
      memcpy(c[i], i % 3 ? c[i - i % 3] : color, sizeof(color));
   }
   glUseProgram(programs[program]);
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   use_floats(0, 4, p);
   use_floats(1, 4, c);
   if (mode == 5) { /* points do not overlap unless they are of one depth; softpipe takes their backs for the stencil test */
      glDisable(GL_STENCIL_TEST);
      for (unsigned i = 0; i < 12; i++) {
         p[i][0] = (floorf((p[i][0] + 1) * 32) + 0.5f) / 32 - 1;
         p[i][1] = (floorf((p[i][1] + 1) * 32) + 0.5f) / 32 - 1;
         p[i][2] = p[0][2];
      }
   }
   glDrawArrays(mode < 5 ? GL_TRIANGLES : GL_POINTS, 0, mode < 5 ? 3 * (1 + mode % 4) : 6);
   glDisableVertexAttribArray(1);
}

/* What is left of depth and stencil: bands of depths, or all bits of the stencil added up. */
static void
show(bool depth)
{
   scene_reset_state();
   glDepthMask(GL_FALSE);
   glEnable(depth ? GL_DEPTH_TEST : GL_STENCIL_TEST);
   clear_color(0, 0, 0, 0);
   blend_with(GL_ONE, GL_ONE);
   for (unsigned i = 0; i < 8; i++) {
      glDepthFunc(GL_GREATER);
      glStencilFunc(GL_EQUAL, 1 << i, 1 << i);
      float value = (1 << i % 3) / 8.0f;
      scene_flat(-1, -1, 1, 1, i * 0.25f - 0.87f, i / 3 == 0 ? value : 0, i / 3 == 1 ? value : 0, i / 3 == 2 ? value : 0, 0);
   }
   scene_reset_state();
}

static void
run_discards(void)
{
   scene_begin();
   make_programs();
   for (unsigned i = 0; i < 150; i++) {
      if (!grid_begin("discards/%u", i))
         continue;
      scene_show();
      scene_reset_state();
      clear_all(0.2f, 0.4f, 0.6f, 0.8f, 0.6f, 2);
      for (unsigned k = 0; k < 6; k++) {
         scene_random_state();
         unsigned program = grid_random_below(8);
         draw(program < PROGRAMS ? program : DISCARDS);
      }
      if (i % 3)
         show(i % 3 == 1);
      scene_reset_state();
      grid_pixels(0, 0, SCENE_SIZE, SCENE_SIZE, (struct grid_tolerance){ 8, SCENE_SIZE, false, false });
   }
   for (unsigned i = 0; i < PROGRAMS; i++)
      glDeleteProgram(programs[i]);
   scene_end();
}

const struct grid_family family_discards = { "discards", run_discards };
