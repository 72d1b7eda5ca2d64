/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * A texture of which the driver samples a copy (NPOT and repeated), and which somebody else writes.
 *
 *   shared   two contexts in two threads share it.  What one has drawn to it shows in the other one when it has been flushed,
 *            also if the other one sampled the texture before; and a copy that one has made, but not submitted, is not what the
 *            other one samples.
 *   others   others have its memory: what is written there shows after a synchronisation, though the texture stays bound and GL
 *            hears nothing of the writes.  The CPU writes here.
 */

#include <pthread.h>
#include <sys/mman.h>

#include "opengl.h"

#define SIZE         8
#define TEXTURE_SIZE 13

static EGLDisplay display;
static EGLContext contexts[2];
static GLuint texture;
static pthread_barrier_t barrier; /* the two threads take turns */

static void
use_texture(void)
{
   glBindTexture(GL_TEXTURE_2D, texture);
   glEnable(GL_TEXTURE_2D);
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

static void
fill(uint8_t *bytes, unsigned stride, uint8_t red, uint8_t green)
{
   for (unsigned i = 0; i < TEXTURE_SIZE * TEXTURE_SIZE; i++)
      memcpy(bytes + i / TEXTURE_SIZE * stride + i % TEXTURE_SIZE * 4, (uint8_t[4]){red, green, 0, 255}, 4);
}

/* A new texture in a colour, not as a target yet. */
static void
make_texture(uint8_t red, uint8_t green)
{
   uint8_t pixels[TEXTURE_SIZE * TEXTURE_SIZE * 4];

   fill(pixels, TEXTURE_SIZE * 4, red, green);
   texture = filtered_texture(GL_TEXTURE_2D, GL_LINEAR);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, TEXTURE_SIZE, TEXTURE_SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   glFinish();
}

/* --- two contexts --- */

/* Commands that fill the texture, and stay with this context. */
static void
render_to_texture(bool by_clear, uint8_t green)
{
   texture_framebuffer(GL_TEXTURE_2D, texture, 0);
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
   use_texture();
   draw();
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
      use_texture();
      draw();
      glFinish();
      turn();
      turn();
      draw();
      check(by_clear ? "cleared elsewhere" : "drawn elsewhere", 0, 80 + by_clear);
      turn();
   }
   turn();
   use_texture();
   draw();
   check("copied elsewhere", 40, 200);
   turn();
   make_current(display, EGL_NO_CONTEXT);
   return NULL;
}

static void
shared(void)
{
   void *(*const functions[2])(void *) = {first_thread, second_thread};
   pthread_t threads[2];

   contexts[1] = new_context(display, contexts[0]);
   CHECK(pthread_barrier_init(&barrier, NULL, 2) == 0);
   for (unsigned i = 0; i < 2; i++)
      CHECK(pthread_create(&threads[i], NULL, functions[i], NULL) == 0);
   for (unsigned i = 0; i < 2; i++)
      pthread_join(threads[i], NULL);
   pthread_barrier_destroy(&barrier);
}

/* --- others --- */

static struct {
   uint8_t *map;
   EGLint stride, offset;
} memory;

static void
fill_by_cpu(uint8_t red)
{
   fill(memory.map + memory.offset, memory.stride, red, 0);
}

static void
map_texture(void)
{
   PFNEGLEXPORTDMABUFIMAGEMESAPROC export = (PFNEGLEXPORTDMABUFIMAGEMESAPROC)eglGetProcAddress("eglExportDMABUFImageMESA");
   const EGLImage image = eglCreateImage(display, contexts[0], EGL_GL_TEXTURE_2D, (EGLClientBuffer)(uintptr_t)texture, NULL);
   int fd;

   CHECK(image != EGL_NO_IMAGE);
   CHECK(export(display, image, &fd, &memory.stride, &memory.offset) && fd >= 0);
   memory.map = mmap(NULL, memory.offset + memory.stride * TEXTURE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
   CHECK(memory.map != MAP_FAILED);
   close(fd);
}

/* A fence of somebody else, as far as EGL knows: it is the end of what was done before. */
static int
make_fence(void)
{
   PFNEGLDUPNATIVEFENCEFDANDROIDPROC dup_fd = (PFNEGLDUPNATIVEFENCEFDANDROIDPROC)eglGetProcAddress("eglDupNativeFenceFDANDROID");
   const EGLSync sync = eglCreateSync(display, EGL_SYNC_NATIVE_FENCE_ANDROID, NULL);

   CHECK(sync != EGL_NO_SYNC);
   glFlush();
   const int fd = dup_fd(display, sync);
   CHECK(fd >= 0);
   return fd;
}

static void
wait_for(int fence)
{
   const EGLAttrib attributes[] = {EGL_SYNC_NATIVE_FENCE_FD_ANDROID, fence, EGL_NONE}; /* takes the descriptor */
   const EGLSync sync = eglCreateSync(display, EGL_SYNC_NATIVE_FENCE_ANDROID, attributes);

   CHECK(sync != EGL_NO_SYNC && eglWaitSync(display, sync, 0));
}

static void
others(void)
{
   make_current(display, contexts[0]);
   make_target(SIZE, SIZE, false);
   make_texture(0, 0);
   use_texture();
   map_texture();
   fill_by_cpu(60);
   draw();
   check("at first", 60, 0);
   /* what is drawn after glReadPixels is part of another job */
   fill_by_cpu(70);
   draw();
   check("after the pixels were read", 70, 0);
   /* the fence of another process comes while commands that sampled the texture have not been submitted */
   const int fence = make_fence();
   fill_by_cpu(80);
   draw();
   fill_by_cpu(90);
   wait_for(fence);
   draw();
   check("after the fence of somebody else", 90, 0);
   CHECK(glGetError() == GL_NO_ERROR);
}

int
main(int argc, char **argv)
{
   CHECK(argc == 2 && (!strcmp(argv[1], "shared") || !strcmp(argv[1], "others")));
   display = open_display();
   contexts[0] = new_context(display, EGL_NO_CONTEXT);
   (argv[1][0] == 's' ? shared : others)();
   eglTerminate(display);
   return 0;
}
