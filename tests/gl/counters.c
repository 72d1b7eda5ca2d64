/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * counters: draws a little and prints the driver's counters, which GL_AMD_performance_monitor shows; line "NAME VALUE".
 * Fails when one is missing that the documentation names, or when those that are known are wrong.  cache.py runs it.
 */

#include <sys/wait.h>
#include <time.h>

#include "opengl.h"
#include "perf_monitor.h"

#define SIZE 32
#define DRAWS 5

static const char *const wanted[] = {"draws", "jobs", "words", "shader-variants", "cached-shader-variants",
                                     "improved-shader-variants", "barriers", "cpu-blits", "target-conversions", "buffer-memory"};

static void
use_program(void)
{
   static const char vertex[] = "void main() { gl_Position = gl_Vertex; gl_FrontColor = gl_Color * 0.5; }\n";
   static const char fragment[] = "uniform float scale;\n"
                                  "void main() { gl_FragColor = sqrt(gl_Color) * scale + fract(gl_FragCoord.x * 0.1); }\n";
   GLuint program = make_program(vertex, fragment, NULL);
   glUseProgram(program);
   glUniform1f(glGetUniformLocation(program, "scale"), 0.5f);
}

/* One that takes several parts. */
static void
use_large_program(void)
{
   static const char fragment[] = "void main() {\n"
                                  "   float n = fract(gl_FragCoord.x * 0.17) * 30.0, s = 0.0;\n"
                                  "   while (n > 0.5) { n -= 1.0; s = fract(s * 1.5 + n * 0.37); }\n"
                                  "   gl_FragColor = vec4(s, n, fwidth(s), 1.0);\n"
                                  "}\n";

   glUseProgram(make_program("void main() { gl_Position = gl_Vertex; }\n", fragment, NULL));
}

/* A number that depends on the picture. */
static unsigned
checksum(void)
{
   static unsigned char pixels[SIZE * SIZE * 4];
   unsigned sum = 0;
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned i = 0; i < sizeof(pixels); i++)
      sum = sum * 31 + pixels[i];
   return sum;
}

static void
print_counters(unsigned sum)
{
   for (int i = 0; i < num_counters; i++)
      printf("%s %llu\n", counters[i].name, (unsigned long long)counters[i].value);
   printf("checksum %u\n", sum);
}

/* What counts begins again with the next monitor. */
static void
check_second_monitor(GLuint monitor)
{
   const uint64_t draws = find("draws")->value, words = find("words")->value;

   glBeginPerfMonitorAMD(monitor);
   glRectf(-1.0f, -1.0f, 0.0f, 0.0f);
   checksum();
   glEndPerfMonitorAMD(monitor);
   read_counters(monitor);
   CHECK(find("draws")->value >= 1 && find("draws")->value < draws);
   CHECK(find("words")->value >= 1 && find("words")->value < words);
}

/* Clears are part of the job of the draws; one that keeps much memory that was overwritten while it used it is submitted. */
static void
check_jobs(GLuint monitor)
{
   static GLfloat page[64 * 256];
   GLuint buffer;

   glUseProgram(0);
   glBeginPerfMonitorAMD(monitor);
   for (unsigned i = 0; i < 16; i++) {
      glClear(GL_COLOR_BUFFER_BIT);
      glRectf(-1.0f, -1.0f, 0.0f, 0.0f);
   }
   glEndPerfMonitorAMD(monitor);
   read_counters(monitor);
   CHECK(find("jobs")->value <= 2);

   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glEnableClientState(GL_VERTEX_ARRAY);
   glVertexPointer(2, GL_FLOAT, 0, NULL);
   glBeginPerfMonitorAMD(monitor);
   for (unsigned i = 0; i < 128; i++) {
      glBufferData(GL_ARRAY_BUFFER, sizeof(page), page, GL_STREAM_DRAW);
      glDrawArrays(GL_TRIANGLES, 0, 3);
   }
   glEndPerfMonitorAMD(monitor);
   read_counters(monitor);
   CHECK(find("jobs")->value >= 4);
   glDeleteBuffers(1, &buffer);
}

/* A time is one from the beginning of the query, not the clock's. */
static void
check_elapsed_time(void)
{
   struct timespec begin, end;
   GLuint query;
   GLuint64EXT elapsed;

   glGenQueries(1, &query);
   clock_gettime(CLOCK_MONOTONIC, &begin);
   glBeginQuery(GL_TIME_ELAPSED_EXT, query);
   glRectf(-1.0f, -1.0f, 0.0f, 0.0f);
   glEndQuery(GL_TIME_ELAPSED_EXT);
   glGetQueryObjectui64vEXT(query, GL_QUERY_RESULT, &elapsed);
   clock_gettime(CLOCK_MONOTONIC, &end);
   CHECK(elapsed <= (end.tv_sec - begin.tv_sec) * UINT64_C(1000000000) + end.tv_nsec - begin.tv_nsec);
   glDeleteQueries(1, &query);
}

int
main(void)
{
   EGLDisplay display = open_display();
   EGLContext context = new_context(display, EGL_NO_CONTEXT);
   GLuint monitor;

   make_current(display, context);
   find_counters();
   for (unsigned i = 0; i < COUNT(wanted); i++)
      find(wanted[i]);

   monitor = new_monitor();
   glBeginPerfMonitorAMD(monitor);

   make_target(SIZE, SIZE, false);
   glClear(GL_COLOR_BUFFER_BIT);
   use_program();
   for (unsigned i = 0; i < DRAWS; i++) {
      (i & 1 ? glEnable : glDisable)(GL_BLEND);
      glBlendFunc(GL_ONE, GL_ONE);
      glRectf(-1.0f, -1.0f, 1.0f, 1.0f - i * 0.25f);
   }
   use_large_program();
   glDisable(GL_BLEND);
   glRectf(-1.0f, -0.5f, 0.5f, 0.25f);
   unsigned sum = checksum();
   glEndPerfMonitorAMD(monitor);
   read_counters(monitor);

   CHECK(find("draws")->value >= DRAWS);
   CHECK(find("jobs")->value >= 2); /* a clear with the 2D engine, and the draws */
   CHECK(find("words")->value > 100);
   CHECK(find("shader-variants")->value >= 3); /* one for vertices, two for blending or not */
   CHECK(find("cached-shader-variants")->value <= find("shader-variants")->value);
   CHECK(find("buffer-memory")->value >= SIZE * SIZE * 4);
   print_counters(sum);
   check_second_monitor(monitor);
   check_jobs(monitor);
   check_elapsed_time();
   /* the cache's thread, for which the end of a process waits, is not in the child */
   fflush(stdout);
   const pid_t child = fork();
   int status = 0;
   CHECK(!child || (waitpid(child, &status, 0) == child && status == 0));
   return 0;
}
