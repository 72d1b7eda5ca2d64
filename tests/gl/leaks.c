/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Nothing grows: per frame, per program, per texture and framebuffer, per context.  Each activity is repeated until its
 * caches are full, then more often; memory of the C library and of buffer objects must be what it was.
 */

#include <malloc.h>

#include "perf_monitor.h"

#define SIZE 64

static EGLDisplay display;
static bool failed;

/* Of the process, in bytes. */
static size_t
heap_size(void)
{
   return mallinfo2().uordblks + mallinfo2().hblkhd;
}

/* Bytes of buffer objects: the driver's counter "buffer-memory". */
static uint64_t
buffer_size(void)
{
   GLuint monitor = new_monitor();
   glBeginPerfMonitorAMD(monitor);
   const uint64_t bytes = end_counting(monitor, "buffer-memory");
   glDeletePerfMonitorsAMD(1, &monitor);
   return bytes;
}

static void
draw(unsigned n)
{
   static const float vertices[] = {-1, -1, 3, -1, -1, 3};
   static const GLushort indices[] = {0, 1, 2};

   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   (n & 1 ? glEnable : glDisable)(GL_BLEND);
   (n & 2 ? glEnable : glDisable)(GL_DEPTH_TEST);
   (n & 4 ? glEnable : glDisable)(GL_LINE_STIPPLE);
   glEnableClientState(GL_VERTEX_ARRAY);
   glVertexPointer(2, GL_FLOAT, 0, vertices);
   glColor4f(n % 7 / 7.0f, 0.5f, 0.2f, 0.5f);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   glDrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_SHORT, indices);
   glBegin(GL_LINES);
   glVertex2f(-1, -1);
   glVertex2f(1, 1);
   glEnd();
   glPointSize(1 + n % 4);
   glDrawArrays(GL_POINTS, 0, 3);
}

static void
bind_target(GLuint *texture, GLuint *framebuffer, unsigned size)
{
   glGenTextures(1, texture);
   glBindTexture(GL_TEXTURE_2D, *texture);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   *framebuffer = texture_framebuffer(GL_TEXTURE_2D, *texture, 0);
   glViewport(0, 0, size, size);
}

static void
frame(unsigned n)
{
   unsigned char pixel[4];

   draw(n);
   glFinish();
   glReadPixels(n % SIZE, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
}

static void
use_program(unsigned n)
{
   static const char *const fragment = "uniform sampler2D t; uniform vec4 c;\n"
                                       "void main() { gl_FragColor = texture2D(t, gl_FragCoord.xy * 0.01) * c; }\n";
   static const char *const vertex = "attribute vec4 a; void main() { gl_Position = gl_Vertex + a * 0.5; }\n";
   const GLuint program = make_program(vertex, fragment, NULL);

   glUseProgram(program);
   frame(n);
   glUseProgram(0);
   glDeleteProgram(program);
}

static void
use_target(unsigned n)
{
   GLuint texture, framebuffer, buffer, query, samples;
   GLint before;

   glGetIntegerv(GL_FRAMEBUFFER_BINDING, &before);
   bind_target(&texture, &framebuffer, 1 + n % 40); /* also sizes that need a scratch surface */
   buffer = filled_buffer(GL_ARRAY_BUFFER, 1000 + n % 5, NULL, GL_STREAM_DRAW);
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   glGenQueries(1, &query);
   glBeginQuery(GL_SAMPLES_PASSED, query);
   draw(n);
   glEndQuery(GL_SAMPLES_PASSED);
   glGetQueryObjectuiv(query, GL_QUERY_RESULT, &samples);
   glDeleteQueries(1, &query);
   glDeleteBuffers(1, &buffer);
   glBindFramebuffer(GL_FRAMEBUFFER, before);
   glViewport(0, 0, SIZE, SIZE);
   glDeleteFramebuffers(1, &framebuffer);
   glDeleteTextures(1, &texture);
}

static void
use_context(unsigned n)
{
   EGLContext before = eglGetCurrentContext(), context = new_context(display, EGL_NO_CONTEXT);
   GLuint texture, framebuffer;

   make_current(display, context);
   bind_target(&texture, &framebuffer, SIZE);
   frame(n);
   glDeleteFramebuffers(1, &framebuffer);
   glDeleteTextures(1, &texture);
   make_current(display, before);
   CHECK(eglDestroyContext(display, context));
}

/*
 * Per repetition: what Mesa's tables and the C library take once in a while.  With softpipe 100 programs take 46 KB.  A
 * variant that is left over has 3 KB, a shader more.
 */
#define SLACK 512

static void
check(const char *name, void (*activity)(unsigned), unsigned warm_up, unsigned count)
{
   for (unsigned i = 0; i < warm_up; i++)
      activity(i);
   glFinish();
   const size_t heap = heap_size();
   const uint64_t buffers = buffer_size();
   for (unsigned i = 0; i < count; i++)
      activity(warm_up + i);
   glFinish();
   const int64_t heap_growth = (int64_t)heap_size() - (int64_t)heap;
   const int64_t buffer_growth = (int64_t)buffer_size() - (int64_t)buffers;

   printf("%s: %d times, heap %+lld bytes, buffers %+lld bytes\n", name, count, (long long)heap_growth, (long long)buffer_growth);
   if (heap_growth > (int64_t)count * SLACK)
      failed = true;
   if (buffer_growth > 64 * 1024) /* what waits in the cache of buffers varies */
      failed = true;
}

/* An argument multiplies the repetitions. */
int
main(int argc, char **argv)
{
   const unsigned times = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
   GLuint texture, framebuffer;

   display = open_display();
   EGLContext context = new_context(display, EGL_NO_CONTEXT);
   make_current(display, context);
   find_counters();
   bind_target(&texture, &framebuffer, SIZE);

   check("frames", frame, 200, 400 * times);
   check("programs", use_program, 60, 100 * times);
   check("targets, buffers, queries", use_target, 160, 160 * times);
   check("contexts", use_context, 20, 20 * times);
   return failed;
}
