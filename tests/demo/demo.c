/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Renders the demo scene through EGL without a window system and saves the last frame as PNG.
 */

#include <GLES2/gl2.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "about.h"
#include "egl_context.h"
#include "image.h"
#include "scene.h"

static const char usage[] =
   "usage: tegra20-demo [OPTION]...\n"
   "\n"
   "Renders the demo scene off-screen (EGL surfaceless, OpenGL ES 2.0) and writes the last frame as a picture.  Frame k\n"
   "shows the scene at k / 10 seconds.\n"
   "\n"
   "  --size WxH       size of the picture in pixels (default 640x480)\n"
   "  --frames N       number of frames (default 10)\n"
   "  --out FILE       the picture, PNG (default demo.png)\n"
   "  --version        print version, commit and where reports go\n"
   "  --help           this text\n";

struct options {
   unsigned width, height, frames;
   const char *out;
};

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
                                          { "version", no_argument, NULL, 'v' },
                                          { "help", no_argument, NULL, 'h' },
                                          { 0 } };
   int c;
   char *end;
   while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
      switch (c) {
      case 's':
         if (sscanf(optarg, "%ux%u", &options->width, &options->height) != 2 || !options->width || !options->height ||
             options->width > 2048 || options->height > 2048) {
            fprintf(stderr, "tegra20-demo: --size wants WIDTHxHEIGHT, 1..2048 each\n");
            return false;
         }
         break;
      case 'f':
         options->frames = strtoul(optarg, &end, 10);
         if (*end || options->frames == 0 || options->frames > 1000000) {
            fprintf(stderr, "tegra20-demo: --frames wants a number, 1..1000000\n");
            return false;
         }
         break;
      case 'o': options->out = optarg; break;
      case 'v': about_print_version("tegra20-demo"); exit(0);
      case 'h': fputs(usage, stdout); exit(0);
      default: return false;
      }
   }
   if (optind != argc) {
      fprintf(stderr, "tegra20-demo: what is \"%s\"? (see --help)\n", argv[optind]);
      return false;
   }
   return true;
}

int
main(int argc, char **argv)
{
   struct options options = { .width = 640, .height = 480, .frames = 10, .out = "demo.png" };
   if (!parse_options(&options, argc, argv))
      return 2;
   if (!test_context_create(true))
      return 1;
   printf("vendor:   %s\nrenderer: %s\nversion:  %s\n", glGetString(GL_VENDOR), glGetString(GL_RENDERER),
          glGetString(GL_VERSION));
   test_target_create(options.width, options.height);
   struct scene *scene = scene_create();
   if (!scene)
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
      fprintf(stderr, "tegra20-demo: GL error 0x%x\n", error);
   bool written = image_write(options.out, options.width, options.height, pixels, true);
   printf("frames:   %u of %ux%u in %.2f s, %.1f ms each\n", options.frames, options.width, options.height, elapsed,
          elapsed * 1000 / options.frames);
   scene_destroy(scene);
   free(pixels);
   test_context_destroy();
   return error || !written;
}
