/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Draws with nothing or too little behind them: indices and offsets beyond buffers, buffers without storage, missing programs
 * and attributes.  What is drawn is undefined; the context goes on to work, and nothing else changes.
 */

#include <stdio.h>

#include "families.h"
#include "scene.h"

static GLuint program, vertices, indices;

static void
use(void)
{
   glUseProgram(program);
   glBindBuffer(GL_ARRAY_BUFFER, vertices);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   glEnableVertexAttribArray(0);
   glDisableVertexAttribArray(1);
}

static void
index_data(GLenum usage, const void *data, unsigned size)
{
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, indices);
   glBufferData(GL_ELEMENT_ARRAY_BUFFER, size, data, usage);
}

static void
no_storage(void)
{
   GLuint empty;
   glGenBuffers(1, &empty);
   glBindBuffer(GL_ARRAY_BUFFER, empty);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   glBufferData(GL_ARRAY_BUFFER, 0, NULL, GL_STATIC_DRAW);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   glDeleteBuffers(1, &empty);
}

static void
run_kind(unsigned kind)
{
   static const uint16_t far[6] = { 0, 1, 2, 65535, 40000, 7 };
   static const uint8_t small[6] = { 0, 1, 2, 255, 100, 3 };
   static const GLenum modes[] = { GL_POINTS, GL_LINES, GL_LINE_STRIP, GL_LINE_LOOP, GL_TRIANGLES, GL_TRIANGLE_STRIP,
                                   GL_TRIANGLE_FAN };
   use();
   switch (kind) {
   case 0:
      index_data(GL_STATIC_DRAW, far, sizeof(far));
      glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, NULL);
      break;
   case 1:
      index_data(GL_STREAM_DRAW, small, sizeof(small));
      glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_BYTE, NULL);
      break;
   case 2: /* indices from outside of their buffer */
      index_data(GL_STATIC_DRAW, far, sizeof(far));
      glDrawElements(GL_TRIANGLES, 3000, GL_UNSIGNED_SHORT, NULL);
      glDrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_SHORT, (void *)4096);
      glDrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_SHORT, (void *)11);
      break;
   case 3:
      glDrawArrays(GL_TRIANGLES, 100000, 3);
      glDrawArrays(GL_TRIANGLE_STRIP, 2, 1000);
      glDrawArrays(GL_TRIANGLES, 0x7ffffff0, 12);
      break;
   case 4:
      glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, (void *)1000000);
      glDrawArrays(GL_TRIANGLES, 0, 3);
      glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, (void *)20);
      glDrawArrays(GL_TRIANGLES, 0, 3);
      break;
   case 5:
      glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 2048, NULL);
      glDrawArrays(GL_TRIANGLES, 0, 30);
      break;
   case 6:
      no_storage();
      break;
   case 7: /* too few vertices for a primitive */
      for (unsigned m = 0; m < ARRAY_SIZE(modes); m++) {
         for (unsigned n = 0; n < 3; n++) {
            if (m != 0 && (n < 2 || m >= 4)) /* nothing is drawn */
               glDrawArrays(modes[m], 0, n);
         }
      }
      break;
   case 8:
      glUseProgram(0);
      glDrawArrays(GL_TRIANGLES, 0, 3);
      break;
   case 9:
      glDisableVertexAttribArray(0);
      glVertexAttrib4f(0, 2, 2, 0, 1);
      glDrawArrays(GL_TRIANGLES, 0, 300);
      break;
   case 10: /* positions far away */
      for (unsigned i = 0; i < 4; i++) {
         static const float far_away[] = { 3e38f, -3e38f, 1e20f, 1e-38f };
         const float p[6] = { far_away[i], 0, 1, far_away[i], far_away[(i + 1) % 4], far_away[i] };
         glBufferData(GL_ARRAY_BUFFER, sizeof(p), p, GL_STATIC_DRAW);
         glDrawArrays(GL_TRIANGLES, 0, 3);
         glDrawArrays(GL_LINE_LOOP, 0, 3);
         glDrawArrays(GL_POINTS, 0, 3);
      }
      break;
   case 11: /* deleted while it is the array's */
      glBufferData(GL_ARRAY_BUFFER, 24, (const float[6]){ 3, 3, 4, 3, 3, 4 }, GL_STATIC_DRAW);
      glDrawArrays(GL_TRIANGLES, 0, 3);
      glDeleteBuffers(1, &vertices);
      glGenBuffers(1, &vertices);
      glFinish();
      break;
   default: { /* a program without anything */
      const char *log = "";
      GLuint nothing = grid_program("void main() { }", "void main() { }", &log);
      glUseProgram(nothing);
      glDrawArrays(GL_TRIANGLES, 0, 3);
      glDrawArrays(GL_POINTS, 0, 3);
      glDeleteProgram(nothing);
   }
   }
}

static void
run_hostile(void)
{
   static const char *const names[] = { "far_indices", "far_byte_indices", "indices_outside", "first_outside", "offset_outside",
                                        "stride_outside", "no_storage", "too_few", "no_program", "no_arrays", "far_away",
                                        "deleted", "empty_program" };
   static const float triangle[6] = { -1, -1, 3, -1, -1, 3 };
   const char *log = "";
   scene_begin();
   program = grid_program("attribute vec4 position;\nvoid main() { gl_Position = position; gl_PointSize = 3.0; }",
                          "void main() { gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0); }", &log);
   for (unsigned kind = 0; kind < ARRAY_SIZE(names); kind++) {
      if (!grid_begin("hostile/%s", names[kind]))
         continue;
      if ((kind == 3 || kind == 6) && strstr((const char *)glGetString(GL_RENDERER), "softpipe")) {
         grid_refused(true, "softpipe crashes"); /* no reference is needed */
         continue;
      }
      glGenBuffers(1, &vertices);
      glGenBuffers(1, &indices);
      glBindBuffer(GL_ARRAY_BUFFER, vertices);
      glBufferData(GL_ARRAY_BUFFER, sizeof(triangle), triangle, GL_STATIC_DRAW);
      run_kind(kind);
      while (glGetError() != GL_NO_ERROR)
         ;
      glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
      glDisableVertexAttribArray(0);
      glClearColor(0, 0, 0, 1);
      glClear(GL_COLOR_BUFFER_BIT);
      scene_flat(-0.5f, -0.5f, 0.5f, 0.5f, 0, 0, 1, 0, 1);
      uint8_t rgba[2][4];
      glReadPixels(SCENE_SIZE / 2, SCENE_SIZE / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, rgba[0]);
      glReadPixels(2, 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, rgba[1]);
      grid_check(rgba[0][1] == 255 && !rgba[1][1] && !rgba[1][0], "afterwards %u %u %u and %u %u %u", rgba[0][0], rgba[0][1],
                 rgba[0][2], rgba[1][0], rgba[1][1], rgba[1][2]);
      glDeleteBuffers(1, &vertices);
      glDeleteBuffers(1, &indices);
   }
   glDeleteProgram(program);
   scene_end();
}

const struct grid_family family_hostile = { "hostile", run_hostile };
