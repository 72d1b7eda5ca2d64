/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The counters of VideoCore IV that its simulator keeps, through GL_AMD_performance_monitor and Mesa's driver: what two
 * triangles over a known number of pixels must give.
 */

#include "opengl.h"

#define SIZE 32
#define QUADS (SIZE * SIZE / 4)

enum { PRIMITIVES, VALID_QUADS, INSTRUCTIONS, TEXTURE_QUADS, UNKNOWN, COUNTERS };

/* By rising number: the driver asks for them in this order. */
static const char *const names[COUNTERS] = {"FEP-valid-primitives-rendered-pixels", "FEP-valid-quads",
                                            "QPU-total-clk-cycles-executing-valid-instr", "TMU-total-text-quads-processed",
                                            "L2C-total-cache-hit"};
static GLuint numbers[COUNTERS];

static GLuint
new_monitor(void)
{
   GLuint group, monitor, all[64];
   GLint groups, count, active;

   glGetPerfMonitorGroupsAMD(&groups, 1, &group);
   CHECK(groups == 1);
   glGetPerfMonitorCountersAMD(group, &count, &active, 64, all);
   glGenPerfMonitorsAMD(1, &monitor);
   for (int i = 0, found = 0; i < count && i < 64; i++) {
      char name[64];
      glGetPerfMonitorCounterStringAMD(group, all[i], sizeof(name), NULL, name);
      if (found < COUNTERS && !strcmp(name, names[found])) {
         numbers[found++] = all[i];
         glSelectPerfMonitorCountersAMD(monitor, GL_TRUE, group, 1, &all[i]);
      }
   }
   CHECK(numbers[COUNTERS - 1]);
   return monitor;
}

/* Two triangles from the left edge of the target to a corner of pixels; the values that they gave. */
static void
count(GLuint monitor, float right, uint64_t *values)
{
   GLuint data[COUNTERS * 4];
   GLsizei written = 0;
   unsigned char pixel[4];

   glBeginPerfMonitorAMD(monitor);
   glRectf(-1.0f, -1.0f, right, 1.0f);
   glFlush();
   glEndPerfMonitorAMD(monitor);
   glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
   glGetPerfMonitorCounterDataAMD(monitor, GL_PERFMON_RESULT_AMD, sizeof(data), data, &written);
   CHECK(glGetError() == GL_NO_ERROR && written == sizeof(data));
   for (unsigned i = 0; i < COUNTERS; i++) {
      for (unsigned c = 0; c < COUNTERS; c++) {
         if (data[i * 4 + 1] == numbers[c])
            memcpy(&values[c], &data[i * 4 + 2], 8);
      }
   }
}

static void
check_draws(void)
{
   static const GLubyte texel[4] = {64, 128, 192, 255};
   const GLuint monitor = new_monitor();
   uint64_t two[COUNTERS], one[COUNTERS], half[COUNTERS];

   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, texel);
   glUseProgram(make_program(NULL,
                             "uniform sampler2D t;\n"
                             "void main() { gl_FragColor = texture2D(t, gl_FragCoord.xy) + texture2D(t, gl_FragCoord.yx); }",
                             NULL));
   count(monitor, 1.0f, two);
   glUseProgram(make_program(NULL, "uniform sampler2D t;\nvoid main() { gl_FragColor = texture2D(t, gl_FragCoord.xy); }", NULL));
   count(monitor, 1.0f, one);
   count(monitor, 0.0f, half);

   CHECK(two[PRIMITIVES] == 2 && one[PRIMITIVES] == 2);
   CHECK(two[VALID_QUADS] == QUADS && one[VALID_QUADS] == QUADS && half[VALID_QUADS] == QUADS / 2);
   /* The quad of each row of quads through which the diagonal goes belongs to both triangles. */
   CHECK(one[TEXTURE_QUADS] == QUADS + SIZE / 2 && half[TEXTURE_QUADS] == QUADS / 2 + SIZE / 2);
   CHECK(two[TEXTURE_QUADS] == 2 * one[TEXTURE_QUADS]);
   /* Four clocks an instruction of four quads; the same vertices, so the difference is what the fragment program takes. */
   const uint64_t runs = (one[TEXTURE_QUADS] - half[TEXTURE_QUADS]) / 4, clocks = one[INSTRUCTIONS] - half[INSTRUCTIONS];
   CHECK(clocks % (4 * runs) == 0 && clocks >= 8 * 4 * runs && clocks < 32 * 4 * runs);
   CHECK(two[INSTRUCTIONS] > one[INSTRUCTIONS]);
   CHECK(one[UNKNOWN] == 0);
}

int
main(void)
{
   open_target(SIZE, SIZE, false);
   check_draws();
   return 0;
}
