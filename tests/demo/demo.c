/*
 * SPDX-License-Identifier: MIT
 *
 * Renders the demo scene through EGL without a window system and saves the last frame as PNG.
 */

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "image.h"
#include "scene.h"

static const char usage[] =
   "Usage: tegra20-demo [--size WxH] [--frames N] [--out FILE.png]\n"
   "Render the demo scene off-screen (EGL surfaceless, OpenGL ES 2.0).  Frame k shows the scene at k / 10 seconds; the\n"
   "last one is written to FILE.png (default demo.png).\n";

struct options {
   unsigned width, height, frames;
   const char *out;
};

static bool
create_context(EGLDisplay *display_out)
{
   EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
   static const EGLint config_attribs[] = { EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT,
                                            EGL_NONE };
   static const EGLint context_attribs[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };
   EGLConfig config;
   EGLint count = 0;
   if (!eglInitialize(display, NULL, NULL)) {
      fprintf(stderr, "demo: eglInitialize failed (0x%x)\n", eglGetError());
      return false;
   }
   *display_out = display;
   eglBindAPI(EGL_OPENGL_ES_API);
   if (!eglChooseConfig(display, config_attribs, &config, 1, &count) || count == 0) {
      fprintf(stderr, "demo: no EGL configuration for OpenGL ES 2.0\n");
      return false;
   }
   EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, context_attribs);
   if (context == EGL_NO_CONTEXT || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
      fprintf(stderr, "demo: no OpenGL ES 2.0 context (0x%x)\n", eglGetError());
      return false;
   }
   return true;
}

static bool
create_framebuffer(unsigned width, unsigned height)
{
   GLuint framebuffer, color, depth;
   glGenTextures(1, &color);
   glBindTexture(GL_TEXTURE_2D, color);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
   glGenRenderbuffers(1, &depth);
   glBindRenderbuffer(GL_RENDERBUFFER, depth);
   glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT16, width, height);
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, color, 0);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
   GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
   if (status != GL_FRAMEBUFFER_COMPLETE)
      fprintf(stderr, "demo: the framebuffer is not complete (0x%x)\n", status);
   return status == GL_FRAMEBUFFER_COMPLETE;
}

static double
now(void)
{
   struct timespec ts;
   clock_gettime(CLOCK_MONOTONIC, &ts);
   return ts.tv_sec + ts.tv_nsec * 1e-9;
}

static bool
parse_options(struct options *options, int argc, char **argv)
{
   static const struct option longs[] = { { "size", required_argument, NULL, 's' },
                                          { "frames", required_argument, NULL, 'f' },
                                          { "out", required_argument, NULL, 'o' },
                                          { "help", no_argument, NULL, 'h' },
                                          { 0 } };
   int c;
   while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
      switch (c) {
      case 's':
         if (sscanf(optarg, "%ux%u", &options->width, &options->height) != 2 || !options->width || !options->height ||
             options->width > 2048 || options->height > 2048) {
            fprintf(stderr, "demo: --size wants WIDTHxHEIGHT, 1..2048 each\n");
            return false;
         }
         break;
      case 'f': options->frames = strtoul(optarg, NULL, 10); break;
      case 'o': options->out = optarg; break;
      case 'h': fputs(usage, stdout); exit(0);
      default: return false;
      }
   }
   if (options->frames == 0) {
      fprintf(stderr, "demo: --frames wants a number greater than 0\n");
      return false;
   }
   return true;
}

int
main(int argc, char **argv)
{
   struct options options = { .width = 640, .height = 480, .frames = 10, .out = "demo.png" };
   EGLDisplay display;
   if (!parse_options(&options, argc, argv))
      return 2;
   if (!create_context(&display))
      return 1;
   printf("vendor:   %s\nrenderer: %s\nversion:  %s\n", glGetString(GL_VENDOR), glGetString(GL_RENDERER),
          glGetString(GL_VERSION));
   struct scene *scene;
   if (!create_framebuffer(options.width, options.height) || !(scene = scene_create()))
      return 1;

   double start = now();
   for (unsigned i = 0; i < options.frames; i++) {
      scene_draw(scene, options.width, options.height, i / 10.0f);
      glFinish();
   }
   double elapsed = now() - start;
   unsigned char *pixels = malloc((size_t)options.width * options.height * 4);
   glReadPixels(0, 0, options.width, options.height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   GLenum error = glGetError();
   if (error)
      fprintf(stderr, "demo: GL error 0x%x\n", error);
   bool written = image_write(options.out, options.width, options.height, pixels, true);
   printf("frames:   %u of %ux%u in %.2f s, %.1f ms each\n", options.frames, options.width, options.height, elapsed,
          elapsed * 1000 / options.frames);
   scene_destroy(scene);
   free(pixels);
   eglTerminate(display);
   return error || !written;
}
