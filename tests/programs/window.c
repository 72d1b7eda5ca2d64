/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * tegra20-window OUT.png: a window of X11 in the corner of the screen, with a picture that stands still.  OUT.png gets what
 * glReadPixels says that the picture is.  Every twentieth of a second it is shown again, after half a second in another size,
 * until a signal ends the program.
 */

#include <X11/Xlib.h>

#include "image.h"
#include "opengl_es.h"

#define FRAMES_BEFORE 10

/* Neither is a multiple of anything that rows are aligned to. */
#define LAST_WIDTH 203
#define LAST_HEIGHT 155
static const unsigned sizes[2][2] = {{101, 67}, {LAST_WIDTH, LAST_HEIGHT}};

struct window {
   Display *x;
   Window id;
   EGLDisplay display;
   EGLSurface surface;
};

static bool
open_window(struct window *window)
{
   static const EGLint attributes[] = {EGL_SURFACE_TYPE, EGL_WINDOW_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_RED_SIZE, 8,
                                       EGL_NONE};
   static const EGLint version[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
   EGLConfig config;
   EGLint count;

   window->x = XOpenDisplay(NULL);
   if (!window->x)
      return false;
   window->display = eglGetPlatformDisplay(EGL_PLATFORM_X11_KHR, window->x, NULL);
   if (!eglInitialize(window->display, NULL, NULL) ||
       !eglChooseConfig(window->display, attributes, &config, 1, &count) || count < 1)
      return false;
   window->id = XCreateSimpleWindow(window->x, DefaultRootWindow(window->x), 0, 0, sizes[0][0], sizes[0][1], 0, 0, 0);
   XMapWindow(window->x, window->id);
   window->surface = eglCreateWindowSurface(window->display, config, (EGLNativeWindowType)window->id, NULL);
   EGLContext context = eglCreateContext(window->display, config, EGL_NO_CONTEXT, version);
   return eglMakeCurrent(window->display, window->surface, window->surface, context);
}

static void
draw(unsigned width, unsigned height)
{
   static const GLfloat triangle[] = {-0.9f, -0.8f, 1, 0, 0, 0.9f, -0.4f, 0, 1, 0, -0.2f, 0.9f, 0, 0, 1};

   glViewport(0, 0, width, height);
   clear_color(0.2f, 0.3f, 0.4f, 1);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 5 * sizeof(GLfloat), triangle);
   glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, 5 * sizeof(GLfloat), triangle + 2);
   glDrawArrays(GL_TRIANGLES, 0, 3);
}

int
main(int argc, char **argv)
{
   static unsigned char pixels[LAST_WIDTH * LAST_HEIGHT * 4];
   struct window window;

   if (argc != 2 || !open_window(&window)) {
      fputs(argc != 2 ? "usage: tegra20-window OUT.png\n" : "tegra20-window: no window with OpenGL ES 2\n", stderr);
      return 2;
   }
   printf("renderer: %s\n", glGetString(GL_RENDERER));
   fflush(stdout);
   glUseProgram(make_program(
      "attribute vec2 p; attribute vec3 c; varying vec3 color; void main() { gl_Position = vec4(p, 0, 1); color = c; }",
      "precision mediump float; varying vec3 color; void main() { gl_FragColor = vec4(color, 1.0); }", "p c"));
   glEnableVertexAttribArray(0);
   glEnableVertexAttribArray(1);
   for (unsigned frame = 0;; frame++) {
      const unsigned *size = sizes[frame >= FRAMES_BEFORE];
      if (frame == FRAMES_BEFORE) {
         XResizeWindow(window.x, window.id, size[0], size[1]);
         XSync(window.x, False);
      }
      draw(size[0], size[1]);
      if (frame == 2 * FRAMES_BEFORE) {
         glReadPixels(0, 0, size[0], size[1], GL_RGBA, GL_UNSIGNED_BYTE, pixels);
         if (!image_write(argv[1], size[0], size[1], pixels, true))
            return 1;
      }
      eglSwapBuffers(window.display, window.surface);
      usleep(50000);
   }
}
