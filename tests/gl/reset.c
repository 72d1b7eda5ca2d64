/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * A job that times out: the context that submitted it learns that it was guilty, and a new context draws correctly.  To
 * be run with TEGRA20_SHIM_HANG=N.
 *
 *   reset             another context has a sync point of its own: it lost nothing, learns nothing and goes on
 *   reset --shared    it shares the sync point (to be run with the third and fourth sync point refused) and its job is in
 *                     the queue behind the one that hangs, which is one of the first context's: it learns that it is
 *                     innocent, and draws after it was made anew
 *   reset --gone      the device is removed (all submissions fail with ENODEV): the reset has an unknown cause, and the
 *                     program ends in good order
 */

#include "opengl.h"

#define SIZE 64

static void
draw(unsigned frame)
{
   clear_color(frame % 16 / 15.0f, 0.0f, 1.0f, 1.0f);
   glBegin(GL_TRIANGLES);
   glColor3f(0.0f, 1.0f, 0.0f);
   glVertex2f(-1.0f, -1.0f);
   glVertex2f(3.0f, -1.0f);
   glVertex2f(-1.0f, 3.0f);
   glEnd();
   glFlush();
}

static void
check_green(void)
{
   unsigned char pixels[SIZE * SIZE * 4];
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   CHECK(glGetError() == GL_NO_ERROR);
   for (unsigned i = 0; i < SIZE * SIZE; i++)
      CHECK(pixels[i * 4] == 0 && pixels[i * 4 + 1] == 255 && pixels[i * 4 + 2] == 0);
}

/* The status may be repeated while the reset goes on, then it ends. */
static void
check_reset_ends(GLenum status)
{
   for (unsigned i = 0; i < 3 && status != GL_NO_ERROR; i++)
      status = glGetGraphicsResetStatusARB();
   CHECK(status == GL_NO_ERROR);
}

/* One frame of both contexts, both in the queue before anybody waits.  The reset status of the first. */
static GLenum
draw_both(EGLDisplay display, EGLContext first, EGLContext second, unsigned frame, GLenum *second_status)
{
   make_current(display, first);
   draw(frame);
   make_current(display, second);
   draw(frame);
   glFinish();
   *second_status = glGetGraphicsResetStatusARB();
   make_current(display, first);
   glFinish();
   return glGetGraphicsResetStatusARB();
}

int
main(int argc, char **argv)
{
   const bool shared = argc == 2 && !strcmp(argv[1], "--shared");
   const bool gone = argc == 2 && !strcmp(argv[1], "--gone");
   static const EGLint robust[] = {
      EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_KHR, EGL_LOSE_CONTEXT_ON_RESET_KHR, EGL_NONE,
   };
   EGLDisplay display = open_display();
   EGLContext bystander = create_context(display, EGL_OPENGL_API, EGL_NO_CONTEXT, robust);
   EGLContext guilty = create_context(display, EGL_OPENGL_API, EGL_NO_CONTEXT, robust);
   make_current(display, bystander);
   make_target(SIZE, SIZE, false);
   make_current(display, guilty);
   make_target(SIZE, SIZE, false);
   printf("renderer: %s\n", glGetString(GL_RENDERER));

   GLenum status = GL_NO_ERROR, other_status = GL_NO_ERROR;
   unsigned frame = 0;
   for (; frame < 50 && status == GL_NO_ERROR; frame++) {
      if (shared) {
         status = draw_both(display, guilty, bystander, frame, &other_status);
      } else {
         draw(frame);
         glFinish();
         status = glGetGraphicsResetStatusARB();
      }
   }
   printf("frame %u: reset status 0x%x, of the other context 0x%x\n", frame, status, other_status);
   CHECK(status == (gone ? GL_UNKNOWN_CONTEXT_RESET_ARB : GL_GUILTY_CONTEXT_RESET_ARB));
   CHECK(other_status == (shared ? GL_INNOCENT_CONTEXT_RESET_ARB : GL_NO_ERROR));
   check_reset_ends(status);
   if (gone) {
      eglTerminate(display);
      return 0;
   }

   make_current(display, bystander);
   if (shared) {
      /* It lost its jobs: GL_CONTEXT_LOST is all that it says from now on. */
      check_reset_ends(other_status);
      CHECK(eglDestroyContext(display, bystander));
      bystander = create_context(display, EGL_OPENGL_API, EGL_NO_CONTEXT, robust);
      make_current(display, bystander);
      make_target(SIZE, SIZE, false);
   }
   CHECK(glGetGraphicsResetStatusARB() == GL_NO_ERROR);
   draw(0);
   check_green();

   CHECK(eglDestroyContext(display, guilty));
   EGLContext fresh = create_context(display, EGL_OPENGL_API, EGL_NO_CONTEXT, robust);
   make_current(display, fresh);
   make_target(SIZE, SIZE, false);
   for (frame = 0; frame < 10; frame++) {
      draw(frame);
      check_green();
   }
   CHECK(glGetGraphicsResetStatusARB() == GL_NO_ERROR);
   printf("a new context draws\n");
   eglTerminate(display);
   return 0;
}
