/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Built-in variables with their exact values, polygon offset against its definition.
 */

#include <math.h>
#include <stdio.h>

#include "families.h"
#include "scene.h"

#define SIZE SCENE_SIZE

static uint8_t pixels[SIZE * SIZE * 4];

static GLuint
program_of(const char *vertex_main, const char *declarations, const char *fragment_main)
{
   GLuint program = grid_program(text_of(
      "attribute highp vec4 position, a0;\nvarying highp vec4 v;\nuniform mediump float size;\n"
      "void main() { gl_Position = position; v = a0; %s }", vertex_main), text_of(
      "%s\nprecision highp float;\nvarying highp vec4 v;\nvoid main() { %s }", declarations, fragment_main));
   if (!program)
      fprintf(stderr, "%s\n", grid_log);
   glUseProgram(program);
   return program;
}

static void
draw(GLenum mode, const float (*p)[4], const float (*c)[4], unsigned count)
{
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   use_floats(0, 4, p);
   if (c)
      use_floats(1, 4, c);
   glDrawArrays(mode, 0, count);
   glDisableVertexAttribArray(1);
}

static void
read(void)
{
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}

static void
clear(void)
{
   glClearColor(0, 0, 0, 0);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
}

/* --- gl_FragCoord --------------------------------------------------------------------------------------------------- */

/* Each of a pixel's coordinates against its place, with viewports that are moved and of other sizes. */
static void
run_frag_coord(void)
{
   static const int viewports[][4] = { { 0, 0, 64, 64 }, { 7, 11, 40, 31 }, { -20, -33, 110, 100 }, { 0, 0, 1, 64 } };
   static const float ranges[][2] = { { 0, 1 }, { 1, 0 }, { 0.25f, 0.5f } };
   for (unsigned i = 0; i < ARRAY_SIZE(viewports); i++) {
      const int *b = viewports[i];
      for (unsigned k = 0; k < 3; k++) { /* position; depth; 1 / w */
         for (unsigned r = 0; r < (k == 1 ? ARRAY_SIZE(ranges) : 1); r++) {
            static const char *const names[] = { "xy", "z", "w" };
            if (!grid_begin("variables/frag_coord_%s_%u_%u", names[k], i, r))
               continue;
            GLuint program = program_of("", "", k == 0 ? "gl_FragColor = vec4(gl_FragCoord.xy / 64.0, fract(gl_FragCoord.xy));"
                                                : k == 1 ? "gl_FragColor = vec4(gl_FragCoord.z);"
                                                         : "gl_FragColor = vec4(gl_FragCoord.w);");
            float w = k == 0 ? 1 : 4;
            const float p[4][4] = { { -1, -1, -1, 1 }, { w, -w, w, w }, { -1, 1, -1, 1 }, { w, w, w, w } };
            scene_show();
            clear();
            glViewport(b[0], b[1], b[2], b[3]);
            glDepthRangef(ranges[r][0], ranges[r][1]);
            draw(GL_TRIANGLE_STRIP, p, NULL, 4);
            glDepthRangef(0, 1);
            scene_show();
            read();
            float worst = 0;
            unsigned at = 0;
            for (unsigned n = 0; n < SIZE * SIZE; n++) {
               int x = n % SIZE, y = n / SIZE;
               if (x < b[0] || y < b[1] || x >= b[0] + b[2] || y >= b[1] + b[3])
                  continue;
               float t = (x + 0.5f - b[0]) / b[2], q = (1 - t) + t / w; /* z / w runs from -1 to 1 too */
               const float all[3][4] = { { (x + 0.5f) / 64, (y + 0.5f) / 64, 0.5f, 0.5f },
                                         { ranges[r][0] + t * (ranges[r][1] - ranges[r][0]) }, { q } };
               for (unsigned c = 0; c < (k ? 1 : 4); c++) {
                  float error = fabsf(pixels[n * 4 + c] - 255 * all[k][c]);
                  if (error > worst) {
                     worst = error;
                     at = n;
                  }
               }
            }
            grid_check(worst <= 1.6f, "worst error %g of 255 at (%u, %u)", worst, at % SIZE, at / SIZE);
            glDeleteProgram(program);
         }
      }
   }
}

/* --- gl_PointCoord, gl_FrontFacing, gl_DepthRange ------------------------------------------------------------------- */

static void
run_point_coord(void)
{
   for (unsigned i = 0; i < 24; i++) {
      float size = 1 + i * 2.3f, x = 32 + (i % 5) * 0.37f, y = 31 + (i % 7) * 0.29f;
      if (!grid_begin("variables/point_coord_%u", i))
         continue;
      GLuint program = program_of("gl_PointSize = size;", "", "gl_FragColor = vec4(gl_PointCoord, 0.0, 1.0);");
      const float p[1][4] = { { x / 32 - 1, y / 32 - 1, 0, 1 } };
      scene_show();
      clear();
      glUniform1f(glGetUniformLocation(program, "size"), size);
      draw(GL_POINTS, p, NULL, 1);
      read();
      float worst = 0;
      unsigned at = 0;
      for (unsigned n = 0; n < SIZE * SIZE; n++) {
         if (!pixels[n * 4 + 3])
            continue;
         float s = 0.5f + (n % SIZE + 0.5f - x) / size, t = 0.5f - (n / SIZE + 0.5f - y) / size;
         s = fminf(fmaxf(s, 0), 1);
         t = fminf(fmaxf(t, 0), 1);
         float slack = 255 * (1.0f / 16) / size; /* the centre is rounded */
         float error = fmaxf(fabsf(pixels[n * 4] - 255 * s), fabsf(pixels[n * 4 + 1] - 255 * t)) - slack;
         if (error > worst) {
            worst = error;
            at = n;
         }
      }
      grid_check(worst <= 2, "worst error %g of 255 at (%u, %u), size %g", worst, at % SIZE, at / SIZE, size);
      glDeleteProgram(program);
   }
}

static void
run_front_facing(void)
{
   static const GLenum modes[] = { GL_POINTS, GL_POINTS, GL_LINES, GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN };
   static const char *const names[] = { "points", "points_of_one_size", "lines", "triangles", "strip", "fan" };
   for (unsigned m = 0; m < ARRAY_SIZE(modes); m++) {
      for (unsigned k = 0; k < 4; k++) { /* order, front face */
         if (!grid_begin("variables/front_facing_%s_%u", names[m], k))
            continue;
         GLuint program = program_of(m == 0 ? "gl_PointSize = 30.0;" : "", "",
                                     "gl_FragColor = gl_FrontFacing ? vec4(0.0, 1.0, 0.0, 1.0) : vec4(1.0, 0.0, 0.0, 1.0);");
         float s = k & 1 ? -1 : 1;
         const float p[3][4] = { { -0.9f * s, -0.8f, 0, 1 }, { 0.9f * s, -0.8f, 0, 1 }, { 0, 0.9f, 0, 1 } };
         scene_show();
         clear();
         glFrontFace(k & 2 ? GL_CW : GL_CCW);
         draw(modes[m], p, NULL, m < 2 ? 1 : m == 2 ? 2 : 3);
         glFrontFace(GL_CCW);
         read();
         bool front = m < 3 || (k != 1 && k != 2);
         unsigned right = 0, wrong = 0;
         for (unsigned n = 0; n < SIZE * SIZE; n++) {
            right += pixels[n * 4 + front] == 255;
            wrong += pixels[n * 4 + !front] == 255;
         }
         grid_check(right >= (m == 1 ? 1 : 50) && !wrong, "%u pixels right, %u wrong", right, wrong);
         glDeleteProgram(program);
      }
   }
}

static void
run_depth_range_values(void)
{
   static const float ranges[][2] = { { 0, 1 }, { 0.2f, 0.9f }, { 0.8f, 0.1f }, { 0.5f, 0.5f }, { -3, 2 } };
   for (unsigned i = 0; i < ARRAY_SIZE(ranges); i++) {
      for (unsigned vertex = 0; vertex < 2; vertex++) {
         if (!grid_begin("variables/depth_range_%s_%u", vertex ? "vertex" : "fragment", i))
            continue;
         GLuint program =
            vertex ? program_of("v = vec4(gl_DepthRange.near, gl_DepthRange.far, gl_DepthRange.diff * 0.5 + 0.5, 1.0);", "",
                                "gl_FragColor = v;")
                   : program_of("", "", "gl_FragColor = vec4(gl_DepthRange.near, gl_DepthRange.far, "
                                        "gl_DepthRange.diff * 0.5 + 0.5, 1.0);");
         scene_show();
         clear();
         glDepthRangef(ranges[i][0], ranges[i][1]);
         const float p[3][4] = { { -1, -1, 0, 1 }, { 3, -1, 0, 1 }, { -1, 3, 0, 1 } };
         draw(GL_TRIANGLES, p, NULL, 3);
         glDepthRangef(0, 1);
         read();
         float n = fminf(fmaxf(ranges[i][0], 0), 1), f = fminf(fmaxf(ranges[i][1], 0), 1);
         const float expected[3] = { n, f, (f - n) * 0.5f + 0.5f };
         float worst = 0;
         for (unsigned c = 0; c < 3; c++)
            worst = fmaxf(worst, fabsf(pixels[c] - expected[c] * 255));
         grid_check(worst < 1.1f, "%u %u %u, expected %g %g %g", pixels[0], pixels[1], pixels[2], expected[0] * 255,
                    expected[1] * 255, expected[2] * 255);
         glDeleteProgram(program);
      }
   }
}

/* The depth that a program writes, clamped; where it is not written for some pixels it is the constant of the other branch. */
static void
run_frag_depth(void)
{
   static const char *const expressions[] = { "v.x", "1.0 - v.x", "v.x * 3.0 - 1.0", "gl_FragCoord.z", "0.25",
                                              "v.y > 0.5 ? v.x : 0.9" };
   for (unsigned i = 0; i < ARRAY_SIZE(expressions); i++) {
      for (unsigned kind = 0; kind < 2; kind++) { /* with a discard */
         if (!grid_begin("variables/frag_depth_%u_%u", i, kind))
            continue;
         if (!scene_extension("GL_EXT_frag_depth")) {
            grid_refused(true, "no extension");
            continue;
         }
         GLuint program = program_of("", "#extension GL_EXT_frag_depth : require", text_of(
            "%sgl_FragColor = vec4(0.0, 1.0, 0.0, 1.0); gl_FragDepthEXT = %s;",
            kind ? "if (v.x * v.y > 0.6) discard; " : "", expressions[i]));
         const float p[4][4] = { { -1, -1, -0.3f, 1 }, { 1, -1, 0.7f, 1 }, { -1, 1, -0.3f, 1 }, { 1, 1, 0.7f, 1 } };
         const float c[4][4] = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 1, 1 } };
         scene_show();
         clear();
         glEnable(GL_DEPTH_TEST);
         glDepthFunc(GL_LESS);
         draw(GL_TRIANGLE_STRIP, p, c, 4);
         /* bands show what was stored */
         for (unsigned band = 0; band < 4; band++)
            scene_flat(-1, band * 0.4f - 0.9f, 1, band * 0.4f - 0.6f, band * 0.4f - 0.6f, 1, 0, band * 0.2f, 1);
         glDisable(GL_DEPTH_TEST);
         grid_pixels(0, 0, SIZE, SIZE, (struct grid_tolerance){ 6, SIZE, true, false });
         glDeleteProgram(program);
      }
   }
}

static void
run_variables(void)
{
   scene_begin();
   run_frag_coord();
   run_point_coord();
   run_front_facing();
   run_depth_range_values();
   run_frag_depth();
   scene_end();
}

/* --- polygon offset ------------------------------------------------------------------------------------------------- */

/* Is a triangle with this offset nearer than one that lies at the given depths of window coordinates? */
static bool
passes(GLenum func, float slope_x, float slope_y, float middle, float factor, float units, float distance)
{
   float p[3][4], q[3][4];
   static const float corner[3][2] = { { -1, -1 }, { 3, -1 }, { -1, 3 } };
   for (unsigned i = 0; i < 3; i++) { /* slopes in depth per pixel; clip space is twice the depth */
      float z = middle + (corner[i][0] * slope_x + corner[i][1] * slope_y) * SIZE / 2;
      const float at[4] = { corner[i][0], corner[i][1], z * 2 - 1, 1 }, moved[4] = { corner[i][0], corner[i][1],
                                                                                    (z + distance) * 2 - 1, 1 };
      memcpy(p[i], at, sizeof(at));
      memcpy(q[i], moved, sizeof(moved));
   }
   clear();
   glDepthFunc(GL_ALWAYS);
   glVertexAttrib4f(1, 0, 0, 0, 1);
   draw(GL_TRIANGLES, (const float(*)[4])q, NULL, 3);
   glDepthFunc(func);
   glEnable(GL_POLYGON_OFFSET_FILL);
   glPolygonOffset(factor, units);
   glVertexAttrib4f(1, 1, 1, 1, 1);
   draw(GL_TRIANGLES, (const float(*)[4])p, NULL, 3);
   glDisable(GL_POLYGON_OFFSET_FILL);
   uint8_t rgba[4];
   glReadPixels(SIZE / 2, SIZE / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
   return rgba[0] == 255;
}

static void
run_offset(void)
{
   static const struct {
      const char *name;
      GLenum format;
   } depths[] = { { "d16", GL_DEPTH_COMPONENT16 }, { "d24", GL_DEPTH_COMPONENT24_OES }, { "d24s8", GL_DEPTH24_STENCIL8_OES } };
   scene_begin();
   GLuint program = program_of("", "", "gl_FragColor = v;");
   for (unsigned d = 0; d < ARRAY_SIZE(depths); d++) {
      const GLuint fbo = new_framebuffer();
      const GLuint color = scene_renderbuffer(GL_RGBA8_OES, GL_COLOR_ATTACHMENT0, SIZE, SIZE);
      GLuint depth = scene_renderbuffer(depths[d].format, GL_DEPTH_ATTACHMENT, SIZE, SIZE);
      glViewport(0, 0, SIZE, SIZE);
      glEnable(GL_DEPTH_TEST);
      for (unsigned i = 0; i < 12; i++) {
         if (!grid_begin("offset/slope_%s_%u", depths[d].name, i))
            continue;
         /* the slope m lies between the larger of both directions' and their length; the limits are far apart from it */
         float a = i * 0.5236f, sx = 0.004f * cosf(a), sy = 0.004f * sinf(a), factor = i & 1 ? 4 : -4;
         float low = fmaxf(fabsf(sx), fabsf(sy)) * fabsf(factor) * 0.98f - 2e-4f, high = 0.004f * fabsf(factor) * 1.02f + 2e-4f;
         float sign = factor > 0 ? 1 : -1;
         bool beyond = passes(sign > 0 ? GL_GREATER : GL_LESS, sx, sy, 0.5f, factor, 0, sign * low);
         bool within = !passes(sign > 0 ? GL_GREATER : GL_LESS, sx, sy, 0.5f, factor, 0, sign * high);
         grid_check(beyond && within, "at least the lower limit: %d, at most the upper: %d", beyond, within);
      }
      for (unsigned i = 0; i < 2; i++) {
         if (!grid_begin("offset/limited_%s_%u", depths[d].name, i))
            continue;
         const float way = i ? 1 : -1;
         grid_check(passes(GL_EQUAL, 0, 0, 0.5f, 0, way * 1e8f, way * 0.5f), "not at the %s plane", i ? "far" : "near");
      }
      for (unsigned i = 0; i < 3; i++) { /* native points, points made of triangles, lines: not moved */
         static const char *const names[] = { "points", "sized_points", "lines" };
         if (!grid_begin("offset/%s_%s", names[i], depths[d].name))
            continue;
         GLuint sized = program_of("gl_PointSize = 9.0;", "", "gl_FragColor = v;");
         const float p[2][4] = { { -0.5f, 0.01f, 0, 1 }, { 0.5f, 0.01f, 0, 1 } };
         clear();
         glUseProgram(i == 1 ? sized : program);
         glVertexAttrib4f(1, 0, 1, 0, 1);
         glLineWidth(3);
         draw(i == 2 ? GL_LINES : GL_POINTS, p, NULL, 2);
         glEnable(GL_POLYGON_OFFSET_FILL);
         glPolygonOffset(0, -1000);
         glEnable(GL_CULL_FACE);
         glFrontFace(GL_CW);
         glVertexAttrib4f(1, 1, 0, 0, 1);
         glDepthFunc(GL_LESS);
         draw(i == 2 ? GL_LINES : GL_POINTS, p, NULL, 2);
         glDepthFunc(GL_EQUAL);
         glVertexAttrib4f(1, 0, 1, 1, 1);
         draw(i == 2 ? GL_LINES : GL_POINTS, p, NULL, 2);
         glDisable(GL_POLYGON_OFFSET_FILL);
         glDisable(GL_CULL_FACE);
         glFrontFace(GL_CCW);
         glLineWidth(1);
         read();
         unsigned colors[2] = { 0 };
         for (unsigned n = 0; n < SIZE * SIZE; n++) {
            colors[0] += pixels[n * 4] == 255;
            colors[1] += pixels[n * 4 + 2] == 255;
         }
         grid_check(!colors[0] && colors[1] >= 2, "%u pixels are moved, %u not", colors[0], colors[1]);
         glDeleteProgram(sized);
         glUseProgram(program);
      }
      if (grid_begin("offset/clamp_%s", depths[d].name)) {
         /* nothing gets nearer than 0 or farther than 1 */
         bool low = passes(GL_EQUAL, 0, 0, 0.001f, 0, -1e6f, -0.001f), high = passes(GL_EQUAL, 0, 0, 0.999f, 0, 1e9f, 0.001f);
         grid_check(low && high, "at 0: %d, at 1: %d", low, high);
      }
      glDisable(GL_DEPTH_TEST);
      glDepthFunc(GL_LESS);
      scene_show();
      glDeleteFramebuffers(1, &fbo);
      glDeleteRenderbuffers(1, &color);
      glDeleteRenderbuffers(1, &depth);
   }
   glDeleteProgram(program);
   scene_end();
}

const struct grid_family family_variables = { "variables", run_variables };
const struct grid_family family_offset = { "offset", run_offset };
