/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * drafts: programs that are drawn often get better code while they are drawn (tegra20_improve.h).
 *
 * The same scene is drawn, with an amount of its own in each frame, while its programs are exchanged; nothing but the code
 * may change.  With TEGRA20_DEBUG=sync the driver waits for better code, so it has to come; without it, how soon the
 * thread is done depends on what else the machine does, and its result may come at any time; there programs and contexts also
 * go while the thread works on their code.  With TEGRA20_DEBUG=best there are no drafts and nothing is exchanged, nor with
 * --cached, after a run that waited has left the best code in the cache.  All this for an application that listens to debug
 * messages, as X servers do.
 */

#include <time.h>

#include "opengl.h"
#include "perf_monitor.h"

#define SIZE 32 /* of pictures, in a corner of the target: */
#define TARGET_SIZE 2048 /* which a draw may cover, as the driver estimates: TEGRA20_DRAFT_CYCLES */
#define PERIOD 7      /* frames after which the amount is the same */
#define MORE_FRAMES 14 /* after the last exchange */
#define MAX_SECONDS 10 /* to wait for one that may come */
#define STEPS 10       /* of a program that fits, but is not best at once */
#define PARTS_STEPS 34 /* of one that is drawn in parts */
#define LONG_STEPS 15  /* of one that fits with the best effort only */
#define LONG_FRAMES 12
#define SHORT_LIVED 8

static const char vertex[] = "varying vec4 a;\n"
                             "void main() { gl_Position = vec4((gl_Vertex.xy + 1.0) / 64.0 - 1.0, 0.0, 1.0);\n"
                             "              a = gl_Vertex * 0.5 + vec4(0.5, 0.25, 0.125, 0.75); }\n";

/* Lighting, whose operations have some freedom in their order; salt: no two programs are the same. */
static GLuint
make_lighting(unsigned steps, unsigned salt)
{
   static char text[64 * 1024];
   char *p = text;

   p += sprintf(p, "varying vec4 a;\nuniform vec4 u[4];\nvoid main() {\n   vec3 s = vec3(0.%03u), n = a.xyz;\n", salt);
   for (unsigned i = 0; i < steps; i++)
      p += sprintf(p,
                   "   { vec3 l = u[%u].xyz - n * %u.0; float d = max(dot(n, l), 0.0);\n"
                   "     s += u[%u].wxy * d * inversesqrt(dot(l, l) + 0.5); }\n",
                   i % 4, 1 + i / 5, (i + 1) % 4);
   sprintf(p, "   gl_FragColor = vec4(s * 0.25, 1.0);\n}\n");
   return make_program(vertex, text, NULL);
}

static void
draw(GLuint program, float amount, float left)
{
   float u[16];

   for (unsigned i = 0; i < 16; i++)
      u[i] = 0.125f + amount * (i % 5) * 0.0625f;
   glUseProgram(program);
   glUniform4fv(glGetUniformLocation(program, "u"), 4, u);
   glRectf(left, -1.0f, left + 1.0f, 1.0f);
}

struct picture {
   uint8_t pixels[SIZE * SIZE * 4];
};

static void
draw_frame(const GLuint programs[2], unsigned frame, struct picture *picture)
{
   const float amount = 1.0f + frame % PERIOD;

   draw(programs[0], amount, -1.0f);
   draw(programs[1], amount, 0.0f);
   /* the same program, another variant */
   blend_with(GL_DST_COLOR, GL_ONE);
   draw(programs[0], amount, -0.5f);
   glDisable(GL_BLEND);
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, picture->pixels);
   glFlush();
}

/* Sums may be added in another order.  Where the program is blended, d + s * d, both numbers may be another one. */
static int
most_different(bool blended, unsigned x)
{
   return blended && x >= SIZE / 4 && x < SIZE * 3 / 4 ? 3 : 1;
}

static void
expect_same(const struct picture *a, const struct picture *b, unsigned frame, bool blended)
{
   for (unsigned i = 0; i < sizeof(a->pixels); i++) {
      if (abs(a->pixels[i] - b->pixels[i]) > most_different(blended, i / 4 % SIZE))
         fail("frame %u, byte %u: %d was %d\n", frame, i, b->pixels[i], a->pixels[i]);
   }
}

/* Draws until everything is improved; how much that was. */
static uint64_t
draw_frames(GLuint monitor, uint64_t wanted)
{
   const GLuint programs[2] = {make_lighting(STEPS, 1), make_lighting(PARTS_STEPS, 2)};
   static struct picture first[PERIOD], now;
   const time_t end = time(NULL) + MAX_SECONDS;
   unsigned frame = 0, last = MORE_FRAMES;
   uint64_t improved = 0;

   while (frame < last) {
      glBeginPerfMonitorAMD(monitor);
      draw_frame(programs, frame, frame < PERIOD ? &first[frame] : &now);
      if (frame >= PERIOD)
         expect_same(&first[frame % PERIOD], &now, frame, true);
      improved += end_counting(monitor, "improved-shader-variants");
      frame++;
      if (improved < wanted && time(NULL) < end) {
         last = frame + MORE_FRAMES;
         nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
      }
   }
   glDeleteProgram(programs[0]);
   glDeleteProgram(programs[1]);
   return improved;
}

/* In parts at first, as a whole when the thread has found that it fits. */
static void
draw_long_one(GLuint monitor, bool best, bool sync)
{
   const GLuint program = make_lighting(LONG_STEPS, 3);
   static struct picture first, now;
   uint64_t draws[LONG_FRAMES];

   for (unsigned frame = 0; frame < LONG_FRAMES; frame++) {
      struct picture *picture = frame ? &now : &first;
      glBeginPerfMonitorAMD(monitor);
      draw(program, 1.0f, 0.0f);
      glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, picture->pixels);
      glFlush();
      draws[frame] = end_counting(monitor, "draws");
      expect_same(&first, picture, frame, false);
   }
   const uint64_t at_last = draws[LONG_FRAMES - 1];
   if (best ? at_last != draws[0] : sync && at_last >= draws[0])
      fail("%llu draws of the engine at first, %llu later\n", (unsigned long long)draws[0], (unsigned long long)at_last);
   glDeleteProgram(program);
}

/* Programs whose search has begun, or is waiting for the thread. */
static void
draw_short_lived(bool keep)
{
   struct picture picture;

   for (unsigned i = 0; i < SHORT_LIVED; i++) {
      const GLuint program = make_lighting(STEPS, 100 + i + keep * SHORT_LIVED);
      for (unsigned frame = 0; frame < 6; frame++)
         draw_frame((GLuint[2]){program, program}, frame, &picture);
      glUseProgram(0);
      if (!keep)
         glDeleteProgram(program);
   }
}

static void GLAPIENTRY
ignore_message(GLenum from, GLenum type, GLuint id, GLenum severity, GLsizei length, const GLchar *message, const void *data)
{
}

int
main(int argc, char **argv)
{
   const char *debug = getenv("TEGRA20_DEBUG");
   const bool cached = argc > 1 && !strcmp(argv[1], "--cached");
   const bool best = cached || (debug && strstr(debug, "best")), sync = debug && strstr(debug, "sync");
   EGLDisplay display = open_display();
   EGLContext context = new_context(display, EGL_NO_CONTEXT);

   make_current(display, context);
   glEnable(GL_DEBUG_OUTPUT);
   glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
   glDebugMessageCallback(ignore_message, NULL);
   find_counters();
   make_target(TARGET_SIZE, TARGET_SIZE, false);

   /* two variants of the one, two or more parts of the other */
   const uint64_t improved = draw_frames(new_monitor(), best ? 0 : 4);
   if (best ? improved != 0 : sync && improved < 4)
      fail("%llu programs were improved\n", (unsigned long long)improved);
   draw_long_one(new_monitor(), best, sync);
   if (!best && !sync) { /* else no search goes on when draws return */
      draw_short_lived(false);
      draw_short_lived(true);
   }
   CHECK(glGetError() == GL_NO_ERROR);
   CHECK(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
   CHECK(eglDestroyContext(display, context) && eglTerminate(display));
   return 0;
}
