/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * A texture that others have the memory of, and of which the driver samples a copy (NPOT and repeated): what is written there
 * shows after a synchronisation, though the texture stays bound and GL hears nothing of the writes.  The CPU writes here.
 *
 * Usage: test_written_by_others
 */

#define GL_GLEXT_PROTOTYPES
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include <GL/gl.h>
#include <GL/glext.h>

#include "program.h"
#include "target.h"

#define SIZE         8
#define TEXTURE_SIZE 13

static EGLDisplay display;
static EGLContext context;
static GLuint texture;

/* The texture's memory. */
static struct {
   uint8_t *map;
   EGLint stride, offset;
} memory;

static void
fill_by_cpu(uint8_t red)
{
   for (unsigned y = 0; y < TEXTURE_SIZE; y++) {
      for (unsigned x = 0; x < TEXTURE_SIZE; x++) {
         uint8_t *pixel = memory.map + memory.offset + y * memory.stride + 4 * x;
         pixel[0] = red;
         pixel[1] = pixel[2] = 0;
         pixel[3] = 255;
      }
   }
}

/* At once: what glBegin() begins would be drawn later. */
static void
draw(void)
{
   static const GLfloat positions[] = {-1, -1, 1, -1, 1, 1, -1, 1}, coordinates[] = {0, 0, 3, 0, 3, 3, 0, 3};

   glVertexPointer(2, GL_FLOAT, 0, positions);
   glTexCoordPointer(2, GL_FLOAT, 0, coordinates);
   glEnableClientState(GL_VERTEX_ARRAY);
   glEnableClientState(GL_TEXTURE_COORD_ARRAY);
   glDrawArrays(GL_QUADS, 0, 4);
}

static bool
check(const char *what, uint8_t red)
{
   uint8_t pixels[SIZE * SIZE][4];

   draw();
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned i = 0; i < SIZE * SIZE; i++) {
      if (pixels[i][0] != red || pixels[i][1] != 0) {
         printf("FAIL: %s: pixel %u is %u %u, not %u 0\n", what, i, pixels[i][0], pixels[i][1], red);
         return false;
      }
   }
   printf("ok: %s\n", what);
   return true;
}

static void
make_texture(void)
{
   PFNEGLCREATEIMAGEKHRPROC create_image = (PFNEGLCREATEIMAGEKHRPROC)eglGetProcAddress("eglCreateImageKHR");
   PFNEGLEXPORTDMABUFIMAGEMESAPROC export = (PFNEGLEXPORTDMABUFIMAGEMESAPROC)eglGetProcAddress("eglExportDMABUFImageMESA");
   int fd;

   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, TEXTURE_SIZE, TEXTURE_SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   EGLImageKHR image = create_image(display, context, EGL_GL_TEXTURE_2D_KHR, (EGLClientBuffer)(uintptr_t)texture, NULL);
   CHECK(image != EGL_NO_IMAGE_KHR);
   CHECK(export(display, image, &fd, &memory.stride, &memory.offset) && fd >= 0);
   memory.map = mmap(NULL, memory.offset + memory.stride * TEXTURE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
   CHECK(memory.map != MAP_FAILED);
   close(fd);
   glEnable(GL_TEXTURE_2D);
}

/* A fence of somebody else, as far as EGL knows: it is the end of what was done before. */
static int
make_fence(void)
{
   PFNEGLCREATESYNCKHRPROC create = (PFNEGLCREATESYNCKHRPROC)eglGetProcAddress("eglCreateSyncKHR");
   PFNEGLDUPNATIVEFENCEFDANDROIDPROC dup_fd =
      (PFNEGLDUPNATIVEFENCEFDANDROIDPROC)eglGetProcAddress("eglDupNativeFenceFDANDROID");
   EGLSyncKHR sync = create(display, EGL_SYNC_NATIVE_FENCE_ANDROID, NULL);

   CHECK(sync != EGL_NO_SYNC_KHR);
   glFlush();
   int fd = dup_fd(display, sync);
   CHECK(fd >= 0);
   return fd;
}

static void
wait_for(int fence)
{
   PFNEGLCREATESYNCKHRPROC create = (PFNEGLCREATESYNCKHRPROC)eglGetProcAddress("eglCreateSyncKHR");
   PFNEGLWAITSYNCKHRPROC wait = (PFNEGLWAITSYNCKHRPROC)eglGetProcAddress("eglWaitSyncKHR");
   const EGLint attributes[] = {EGL_SYNC_NATIVE_FENCE_FD_ANDROID, fence, EGL_NONE}; /* takes the descriptor */
   EGLSyncKHR sync = create(display, EGL_SYNC_NATIVE_FENCE_ANDROID, attributes);

   CHECK(sync != EGL_NO_SYNC_KHR && wait(display, sync, 0));
}

/* What is drawn after glReadPixels is part of another job. */
static bool
after_reading(void)
{
   fill_by_cpu(60);
   if (!check("at first", 60))
      return false;
   fill_by_cpu(70);
   return check("after the pixels were read", 70);
}

/* The fence of another process comes while commands that sampled the texture have not been submitted. */
static bool
after_a_fence(void)
{
   const int fence = make_fence();

   fill_by_cpu(80);
   draw();
   fill_by_cpu(90);
   wait_for(fence);
   return check("after the fence of somebody else", 90);
}

int
main(void)
{
   display = open_display();
   context = create_context(display, EGL_OPENGL_API, EGL_NO_CONTEXT, NULL);
   make_current(display, context);
   make_target(SIZE, SIZE, false);
   make_texture();
   const bool good = after_reading() & after_a_fence();
   CHECK(glGetError() == GL_NO_ERROR);
   eglTerminate(display);
   return good ? 0 : 1;
}
