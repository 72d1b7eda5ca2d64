/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Two contexts in two threads that share a texture of which the driver samples a copy (NPOT and repeated).  What one context
 * has drawn to it shows in the other one when it has been flushed, also if the other one sampled the texture before; and a copy
 * that one context has made, but not submitted, is not what the other one samples.
 */

#define GL_GLEXT_PROTOTYPES
#include <pthread.h>
#include <stdint.h>

#include <GL/gl.h>
#include <GL/glext.h>

#include "program.h"
#include "target.h"

#define SIZE 8
#define TEXTURE_SIZE 13

static EGLDisplay display;
static EGLContext contexts[2];
static GLuint texture;
static pthread_barrier_t barrier; /* the two threads take turns */

static void
draw_with_texture(void)
{
   glBindTexture(GL_TEXTURE_2D, texture);
   glEnable(GL_TEXTURE_2D);
   glBegin(GL_QUADS);
   for (unsigned i = 0; i < 4; i++) {
      const float x = i == 1 || i == 2, y = i >= 2;
      glTexCoord2f(3 * x, 3 * y);
      glVertex2f(2 * x - 1, 2 * y - 1);
   }
   glEnd();
   glDisable(GL_TEXTURE_2D);
}

static void
check(const char *what, uint8_t red, uint8_t green)
{
   uint8_t pixels[SIZE * SIZE][4];

   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned i = 0; i < SIZE * SIZE; i++) {
      if (pixels[i][0] != red || pixels[i][1] != green) {
         printf("%s: pixel %u is %u %u, not %u %u\n", what, i, pixels[i][0], pixels[i][1], red, green);
         exit(1);
      }
   }
}

/* A new texture in a color, not as a target yet. */
static void
make_texture(uint8_t red, uint8_t green)
{
   uint8_t pixels[TEXTURE_SIZE * TEXTURE_SIZE][4];

   for (unsigned i = 0; i < TEXTURE_SIZE * TEXTURE_SIZE; i++) {
      pixels[i][0] = red;
      pixels[i][1] = green;
      pixels[i][2] = pixels[i][3] = 255;
   }
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, TEXTURE_SIZE, TEXTURE_SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   glFinish();
}

/* Commands that fill the texture, and stay with this context. */
static void
render_to_texture(bool by_clear, uint8_t green)
{
   GLuint framebuffer;

   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
   glViewport(0, 0, TEXTURE_SIZE, TEXTURE_SIZE);
   glClearColor(0, green / 255.0f, 0, 1);
   glColor4f(0, green / 255.0f, 0, 1);
   if (by_clear)
      glClear(GL_COLOR_BUFFER_BIT);
   else
      glRectf(-1, -1, 1, 1);
   glColor4f(1, 1, 1, 1);
}

static void
turn(void)
{
   pthread_barrier_wait(&barrier);
}

static void *
first_thread(void *data)
{
   make_current(display, contexts[0]);
   for (unsigned by_clear = 0; by_clear < 2; by_clear++) {
      make_texture(255, 0);
      render_to_texture(by_clear, 80 + by_clear);
      turn();
      turn(); /* the other one samples it */
      glFlush();
      turn();
      turn(); /* the other one looks */
   }
   make_target(SIZE, SIZE, false);
   make_texture(40, 200);
   draw_with_texture();
   turn();
   turn(); /* the other one samples what this one has copied, but not submitted */
   check("copied here", 40, 200);
   make_current(display, EGL_NO_CONTEXT);
   return NULL;
}

static void *
second_thread(void *data)
{
   make_current(display, contexts[1]);
   make_target(SIZE, SIZE, false);
   for (unsigned by_clear = 0; by_clear < 2; by_clear++) {
      turn();
      draw_with_texture();
      glFinish();
      turn();
      turn();
      draw_with_texture();
      check(by_clear ? "cleared elsewhere" : "drawn elsewhere", 0, 80 + by_clear);
      turn();
   }
   turn();
   draw_with_texture();
   check("copied elsewhere", 40, 200);
   turn();
   make_current(display, EGL_NO_CONTEXT);
   return NULL;
}

int
main(void)
{
   pthread_t threads[2];

   display = open_display();
   contexts[0] = create_context(display, EGL_OPENGL_API, EGL_NO_CONTEXT, NULL);
   contexts[1] = create_context(display, EGL_OPENGL_API, contexts[0], NULL);
   CHECK(pthread_barrier_init(&barrier, NULL, 2) == 0);
   CHECK(pthread_create(&threads[0], NULL, first_thread, NULL) == 0);
   CHECK(pthread_create(&threads[1], NULL, second_thread, NULL) == 0);
   for (unsigned i = 0; i < 2; i++)
      pthread_join(threads[i], NULL);
   pthread_barrier_destroy(&barrier);
   eglTerminate(display);
   return 0;
}
