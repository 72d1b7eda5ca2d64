/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What others see of a buffer when glFlush() returns, as a compositor that renders into a buffer for the display and shows
 * it, or a client that hands one over: the kernel tells nobody that the engines still write to it (kernel-review.md 4), so
 * the picture must be complete ("unfinished": must not be).  Seen through the dma-buf, without GL; cleared by GR2D, drawn by
 * GR3D.
 */

#include <fcntl.h>
#include <gbm.h>
#include <sys/mman.h>

#include "opengl_es.h"

#define SIZE   256
#define FRAMES 20

static unsigned wrong;

/* Every pixel of the buffer, in memory. */
static void
check_frame(const char *what, unsigned frame, const uint8_t *map, unsigned stride, unsigned expected)
{
   for (unsigned y = 0; y < SIZE; y++) {
      for (unsigned x = 0; x < SIZE; x++) {
         const unsigned got = map[y * stride + x * 4];
         if (got != expected && !wrong++)
            printf("frame %u, %s: %u at %u,%u, expected %u\n", frame, what, got, x, y, expected);
      }
   }
}

/* A framebuffer object on a buffer of the display's kind. */
static void
bind_buffer(EGLDisplay display, struct gbm_bo *bo, int fd)
{
   PFNGLEGLIMAGETARGETRENDERBUFFERSTORAGEOESPROC set_storage =
      (void *)eglGetProcAddress("glEGLImageTargetRenderbufferStorageOES");
   const EGLAttrib attributes[] = {EGL_WIDTH, SIZE, EGL_HEIGHT, SIZE, EGL_LINUX_DRM_FOURCC_EXT, gbm_bo_get_format(bo),
                                EGL_DMA_BUF_PLANE0_FD_EXT, fd,
                                EGL_DMA_BUF_PLANE0_OFFSET_EXT, 0,
                                EGL_DMA_BUF_PLANE0_PITCH_EXT, gbm_bo_get_stride(bo),
                                EGL_NONE};
   EGLImage image = eglCreateImage(display, EGL_NO_CONTEXT, EGL_LINUX_DMA_BUF_EXT, NULL, attributes);
   GLuint buffer;

   CHECK(image != EGL_NO_IMAGE_KHR);
   glGenRenderbuffers(1, &buffer);
   glBindRenderbuffer(GL_RENDERBUFFER, buffer);
   set_storage(GL_RENDERBUFFER, image);
   new_framebuffer();
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffer);
   CHECK(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
   glViewport(0, 0, SIZE, SIZE);
}

int
main(int argc, char **argv)
{
   const int device_fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
   struct gbm_device *device = gbm_create_device(device_fd);

   CHECK(device);
   struct gbm_bo *bo = gbm_bo_create(device, SIZE, SIZE, GBM_FORMAT_ABGR8888, GBM_BO_USE_SCANOUT | GBM_BO_USE_RENDERING);
   CHECK(bo);
   const int fd = gbm_bo_get_fd(bo);
   const unsigned stride = gbm_bo_get_stride(bo);
   const uint8_t *map = mmap(NULL, stride * SIZE, PROT_READ, MAP_SHARED, fd, 0);
   CHECK(map != MAP_FAILED);

   EGLDisplay display = open_context();
   bind_buffer(display, bo, fd);
   glDisable(GL_DITHER);
   glUseProgram(square_program("precision mediump float; uniform vec4 colour; void main() { gl_FragColor = colour; }"));
   for (unsigned i = 0; i < FRAMES; i++) {
      const unsigned cleared = 2 + 5 * i, drawn = 130 + 5 * i;
      clear_color(cleared / 255.0f, 0, 0, 1);
      glFlush();
      check_frame("cleared", i, map, stride, cleared);
      glUniform4f(0, drawn / 255.0f, 0, 0, 1);
      draw_square();
      glFlush();
      check_frame("drawn", i, map, stride, drawn);
   }
   CHECK(glGetError() == GL_NO_ERROR);
   munmap((void *)map, stride * SIZE);
   close(fd);
   gbm_bo_destroy(bo);
   gbm_device_destroy(device);
   close(device_fd);
   return (wrong == 0) == (argc > 1);
}
