/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Two processes on one chip (tegra20-run --one-chip): between any two draws of the one, the other draws with other state, and
 * one of the other's jobs never ends.  The first, which sets its state once, must draw what it draws undisturbed: nothing that
 * it has left in the engines is there when its next job begins.  The other goes on with a new context.
 */

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "opengl.h"

#define SIZE  64
#define DRAWS 5
#define TURNS 4    /* pictures, each with DRAWS interruptions */
#define LOST  "15" /* the other's job that never ends */

static void
draw_triangle(float x, float z, float red, float green, float blue)
{
   glColor4f(red, green, blue, 0.75f);
   glBegin(GL_TRIANGLES);
   glTexCoord2f(0, 0);
   glVertex3f(x - 0.8f, -0.9f, z);
   glTexCoord2f(3, 0);
   glVertex3f(x + 0.9f, -0.6f, -z);
   glTexCoord2f(0, 3);
   glVertex3f(x, 0.9f, z);
   glEnd();
}

/* --- the other ------------------------------------------------------------------------------------------------------- */

static void
draw_other(void)
{
   glDisable(GL_DEPTH_TEST);
   glClearColor(0.2f, 0.4f, 0.6f, 0.8f);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   draw_triangle(0.3f, 0.1f, 0.9f, 0.1f, 0.4f);
   glFinish();
}

static EGLContext
create_other(EGLDisplay display)
{
   static const EGLint robust[] = {
      EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_KHR, EGL_LOSE_CONTEXT_ON_RESET_KHR, EGL_NONE,
   };
   EGLContext context = create_context(display, EGL_OPENGL_API, EGL_NO_CONTEXT, robust);
   make_current(display, context);
   make_target(SIZE, SIZE, true);
   return context;
}

/* Draws whenever it is told; its exit status is the number of contexts that it has lost. */
static void
be_other(int socket)
{
   unsigned lost = 0;
   char byte;
   prctl(PR_SET_PDEATHSIG, SIGKILL);
   setenv("TEGRA20_SHIM_HANG", LOST, 1);
   EGLDisplay display = open_display();
   EGLContext context = create_other(display);
   while (read(socket, &byte, 1) == 1) {
      draw_other();
      if (glGetGraphicsResetStatusARB() != GL_NO_ERROR) {
         CHECK(eglDestroyContext(display, context));
         context = create_other(display);
         lost++;
      }
      CHECK(write(socket, &byte, 1) == 1);
   }
   exit(lost);
}

/* --- the one that is interrupted ------------------------------------------------------------------------------------- */

static void
set_state(void)
{
   static const unsigned char texels[4][4] = {{255, 255, 255, 255}, {255, 90, 0, 255}, {0, 90, 255, 255}, {90, 255, 90, 255}};
   nearest_texture(GL_TEXTURE_2D);
   set_wraps(GL_TEXTURE_2D, GL_REPEAT, GL_REPEAT);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   glEnable(GL_TEXTURE_2D);
   glEnable(GL_DEPTH_TEST);
   blend_with(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
   scissor_to(4, 7, SIZE - 10, SIZE - 12);
   glViewport(3, 5, SIZE - 8, SIZE - 9);
}

static void
interrupt(int socket)
{
   char byte = 0;
   CHECK(write(socket, &byte, 1) == 1 && read(socket, &byte, 1) == 1);
}

/*
 * socket: of the other, or -1.  Each draw ends by itself, with the other or without: Mesa would join them to one, whose colours
 * vary between vertices.  The colour of a draw alone is a constant, and the program for that rounds elsewhere.
 */
static void
draw_picture(int socket, unsigned char *pixels)
{
   glClearColor(0.1f, 0.3f, 0.2f, 1.0f);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   for (unsigned i = 0; i < DRAWS; i++) {
      glFinish();
      if (socket >= 0)
         interrupt(socket);
      draw_triangle(0.2f * i - 0.4f, 0.15f * i, 0.3f * i, 1.0f - 0.2f * i, 0.5f);
   }
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   CHECK(glGetError() == GL_NO_ERROR);
}

static unsigned
count_colours(const unsigned char *pixels)
{
   unsigned count = 1;
   for (unsigned i = 1; i < SIZE * SIZE; i++)
      count += memcmp(pixels + 4 * i, pixels + 4 * i - 4, 4) != 0;
   return count;
}

int
main(void)
{
   static unsigned char alone[SIZE * SIZE * 4], interrupted[SIZE * SIZE * 4];
   int sockets[2], status;
   CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets) == 0);
   pid_t other = fork();
   CHECK(other >= 0);
   if (other == 0) {
      close(sockets[0]);
      be_other(sockets[1]);
   }
   close(sockets[1]);

   EGLDisplay display = open_context();
   printf("renderer: %s\n", glGetString(GL_RENDERER));
   make_target(SIZE, SIZE, true);
   set_state();
   draw_picture(-1, alone);
   CHECK(count_colours(alone) > SIZE);
   for (unsigned turn = 0; turn < TURNS; turn++) {
      draw_picture(sockets[0], interrupted);
      CHECK(!memcmp(alone, interrupted, sizeof(alone)));
   }
   close(sockets[0]);
   CHECK(waitpid(other, &status, 0) == other);
   CHECK(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
   /* the grate kernel does not tell who lost a job at once */
   if (!getenv("TEGRA20_SHIM_GRATE"))
      CHECK(WEXITSTATUS(status) == 1);
   eglTerminate(display);
   return 0;
}
