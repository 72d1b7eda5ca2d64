/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * A program that is a burden to those that draw beside it.
 *
 *   test_vm_neighbour long N        N draws at once of about a second of the engine each (A79, A101); then the target is read
 *   test_vm_neighbour hog SIZE      textures of SIZE x SIZE pixels until there is no memory
 *   test_vm_neighbour descriptors   all file descriptors, before a context is made and after
 *   test_vm_neighbour threads       as many threads as there may be, before a context is made
 *   test_vm_neighbour imports       dma-bufs that are none, or too small for the image that they should be
 *   test_vm_neighbour memory MIB    no burden, but a large program: keeps so much memory
 *
 *   --until FILE   holds what it has until the file is there
 *
 * Prints what came of it.  Status 1 when something went another way than as an error of the API.
 */

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "opengl_es.h"

#define LONG_WIDTH 2048
#define LONG_HEIGHT 1536
#define MAX_TEXTURES 100000
#define MAX_FILES 4096
#define MAX_THREADS 4096
#define FOURCC_XRGB8888 0x34325258

static EGLDisplay display;
static const char *until;

static void
hold(void)
{
   fflush(stdout);
   while (until && access(until, F_OK))
      usleep(10000);
}

/* Draws green; false: an error says that it could not. */
static bool
draw_green(unsigned size)
{
   unsigned char pixel[4] = {0};

   draw_square();
   glReadPixels(size / 2, size / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
   const GLenum error = glGetError();
   CHECK(error || (pixel[0] == 0 && pixel[1] == 255));
   return !error;
}

/* --- long draws --- */

static void
draw_long(unsigned count)
{
   display = open_target(LONG_WIDTH, LONG_HEIGHT, false);
   glUseProgram(square_program("precision mediump float; varying vec2 p;\n"
               "void main() {\n"
               "   vec4 v = vec4(p, p.yx);\n"
               "   for (int i = 0; i < 25; i++)\n"
               "      v = fract(v.yzwx * 1.25 + v * 0.5);\n"
               "   gl_FragColor = vec4(0.0, step(-1.0, v.x), 0.0, 1.0);\n"
               "}\n"));
   for (unsigned i = 1; i < count; i++)
      draw_square();
   CHECK(draw_green(LONG_HEIGHT));
   printf("%u long draws: right\n", count);
}

/* --- memory --- */

static void
take_textures(unsigned size)
{
   unsigned count = 0;

   display = open_target(32, 32, false);
   glUseProgram(square_program("void main() { gl_FragColor = vec4(0.0, 1.0, 0.0, 1.0); }\n"));
   CHECK(draw_green(32));
   do {
      empty_texture(GL_TEXTURE_2D);
      glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   } while (glGetError() == GL_NO_ERROR && ++count < MAX_TEXTURES);
   CHECK(count < MAX_TEXTURES);
   printf("GL_OUT_OF_MEMORY after %u textures, %u KiB\n", count, count * (size * size / 256));
   hold();
   printf("a draw: %s\n", draw_green(32) ? "right" : "an error");
}

static void
keep_memory(size_t mib)
{
   volatile char *memory = malloc(mib << 20);

   CHECK(memory);
   for (size_t i = 0; i < mib << 20; i += 4096)
      memory[i] = 1;
   printf("%zu MiB\n", mib);
   hold();
}

/* --- descriptors and threads --- */

static void
take_descriptors(void)
{
   static int files[MAX_FILES];
   unsigned count = 0;

   setrlimit(RLIMIT_NOFILE, &(struct rlimit){256, 256});
   display = open_target(32, 32, false);
   glUseProgram(square_program("void main() { gl_FragColor = vec4(0.0, 1.0, 0.0, 1.0); }\n"));
   CHECK(draw_green(32));
   while (count < MAX_FILES && (files[count] = open("/dev/null", O_RDONLY)) >= 0)
      count++;
   printf("all of %u descriptors: a draw is %s", count, draw_green(32) ? "right" : "an error");
   printf(", another context %s\n", eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT,
                                                     (EGLint[]){EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE})
                                          ? "is there" : "is not");
   hold();
   while (count)
      close(files[--count]);
   CHECK(draw_green(32));
}

static void *
sleep_on(void *unused)
{
   for (;;)
      pause();
   return NULL;
}

static void
take_threads(void)
{
   pthread_attr_t small;
   pthread_t thread;
   unsigned count = 0;

   setrlimit(RLIMIT_NPROC, &(struct rlimit){300, 300});
   pthread_attr_init(&small);
   pthread_attr_setstacksize(&small, 64 * 1024);
   while (count < MAX_THREADS && pthread_create(&thread, &small, sleep_on, NULL) == 0)
      count++;
   display = open_target(32, 32, false);
   glUseProgram(square_program("void main() { gl_FragColor = vec4(0.0, 1.0, 0.0, 1.0); }\n"));
   printf("%u threads: a draw is %s\n", count, draw_green(32) ? "right" : "an error");
   hold();
}

/* --- imports --- */

/* Who imports it may sample it: nothing happens to others. */
static bool
import(int fd, EGLint size, EGLint offset, EGLint pitch, EGLint modifier)
{
   PFNEGLCREATEIMAGEKHRPROC create = (PFNEGLCREATEIMAGEKHRPROC)eglGetProcAddress("eglCreateImageKHR");
   PFNGLEGLIMAGETARGETTEXTURE2DOESPROC target =
      (PFNGLEGLIMAGETARGETTEXTURE2DOESPROC)eglGetProcAddress("glEGLImageTargetTexture2DOES");
   const EGLint attributes[] = {
      EGL_WIDTH, size, EGL_HEIGHT, size, EGL_LINUX_DRM_FOURCC_EXT, FOURCC_XRGB8888,
      EGL_DMA_BUF_PLANE0_FD_EXT, fd, EGL_DMA_BUF_PLANE0_OFFSET_EXT, offset, EGL_DMA_BUF_PLANE0_PITCH_EXT, pitch,
      EGL_DMA_BUF_PLANE0_MODIFIER_LO_EXT, modifier, EGL_DMA_BUF_PLANE0_MODIFIER_HI_EXT, 0, EGL_NONE,
   };
   const EGLImageKHR image = create(display, EGL_NO_CONTEXT, EGL_LINUX_DMA_BUF_EXT, NULL, attributes);

   if (image == EGL_NO_IMAGE_KHR)
      return false;
   empty_texture(GL_TEXTURE_2D);
   target(GL_TEXTURE_2D, image);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   set_wraps(GL_TEXTURE_2D, GL_CLAMP_TO_EDGE, GL_CLAMP_TO_EDGE);
   draw_green(32);
   return true;
}

static int
small_buffer(void)
{
   PFNEGLCREATEIMAGEKHRPROC create = (PFNEGLCREATEIMAGEKHRPROC)eglGetProcAddress("eglCreateImageKHR");
   PFNEGLEXPORTDMABUFIMAGEMESAPROC export = (PFNEGLEXPORTDMABUFIMAGEMESAPROC)eglGetProcAddress("eglExportDMABUFImageMESA");
   int fd = -1;

   const GLuint texture = empty_texture(GL_TEXTURE_2D);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 32, 32, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   const EGLImageKHR image = create(display, eglGetCurrentContext(), EGL_GL_TEXTURE_2D_KHR,
                                    (EGLClientBuffer)(uintptr_t)texture, NULL);
   CHECK(image && export(display, image, &fd, NULL, NULL) && fd >= 0);
   return fd;
}

static void
import_all(void)
{
   unsigned tried = 0, taken = 0;

   display = open_target(32, 32, false);
   glUseProgram(square_program("precision mediump float; varying vec2 p; uniform sampler2D s;\n"
                               "void main() { gl_FragColor = vec4(0.0, 1.0, texture2D(s, p).x * 0.001, 1.0); }\n"));
   const int memory = memfd_create("memory", 0), pipe_end = open("/dev/null", O_RDWR);
   CHECK(memory >= 0 && ftruncate(memory, 1 << 20) == 0);
   const int files[] = {-1, pipe_end, memory, small_buffer()};
   for (unsigned i = 0; i < 4; i++) {
      for (unsigned j = 0; j < 6; j++) {
         static const EGLint images[][4] = {{4096, 0, 16384, 0}, {32, 1 << 30, 128, 0}, {32, 0, INT32_MAX, 0},
                                            {2048, 0, 4, 0}, {32, 4, 3, 0}, {64, 0, 256, 1}};
         taken += import(files[i], images[j][0], images[j][1], images[j][2], images[j][3]);
         tried++;
      }
   }
   printf("%u bad dma-bufs: %u taken\n", tried, taken);
   CHECK(taken == 0 && draw_green(32));
   hold();
}

int
main(int argc, char **argv)
{
   const char *what = argc > 1 ? argv[1] : "";
   unsigned number = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

   for (int i = 2; i < argc - 1; i++) {
      if (!strcmp(argv[i], "--until"))
         until = argv[i + 1];
   }
   if (!strcmp(what, "long"))
      draw_long(number);
   else if (!strcmp(what, "hog"))
      take_textures(number);
   else if (!strcmp(what, "memory"))
      keep_memory(number);
   else if (!strcmp(what, "descriptors"))
      take_descriptors();
   else if (!strcmp(what, "threads"))
      take_threads();
   else if (!strcmp(what, "imports"))
      import_all();
   else
      return 2;
   return 0;
}
