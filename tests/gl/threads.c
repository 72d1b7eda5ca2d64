/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Contexts in threads: two that share textures, buffers and programs, and two that share nothing but the device.  Each
 * thread draws with shared objects and with its own, which it makes and deletes all the time, and looks at its pixels.
 * Meanwhile the process forks: one child only exits, another one becomes this program again and draws for itself.
 *
 *   threads [--frames N] [--threads N]
 *
 * Made for the thread sanitizer (tests/sanitize.py); right pixels are all it can see by itself.
 */

#include <pthread.h>
#include <sys/wait.h>

#include "../common/exec_self.h"
#include "opengl.h"

#define SIZE 32
#define MAX_THREADS 8

static unsigned frames = 60, num_threads = 4;
static EGLDisplay display;

/* Made once, then only used, by the threads that share. */
static struct shared {
   GLuint program, vertices, texture, npot_texture;
} shared;

static GLuint
make_texture(unsigned size, const uint8_t color[4])
{
   uint8_t pixels[64 * 64][4];

   for (unsigned i = 0; i < size * size; i++)
      memcpy(pixels[i], color, 4);
   const GLuint texture = nearest_texture(GL_TEXTURE_2D);
   /* A texture with levels that is no power of two is sampled by way of a copy. */
   glTexParameteri(GL_TEXTURE_2D, GL_GENERATE_MIPMAP, GL_TRUE);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_NEAREST);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   return texture;
}

static GLuint
make_vertices(void)
{
   static const float everything[] = {-1, -1, 3, -1, -1, 3};
   return filled_buffer(GL_ARRAY_BUFFER, sizeof(everything), everything, GL_STATIC_DRAW);
}

static void
make_shared(void)
{
   static const uint8_t red[4] = {255, 0, 0, 255}, green[4] = {0, 255, 0, 255};
   shared.program = square_program("varying vec2 p; uniform sampler2D t; void main() { gl_FragColor = texture2D(t, p); }");
   shared.vertices = make_vertices();
   shared.texture = make_texture(32, red);
   shared.npot_texture = make_texture(20, green);
   glFinish();
}

/* --- one thread ------------------------------------------------------------------------------------------------------ */

static void
draw_and_check(GLuint program, GLuint vertices, GLuint texture, const uint8_t color[4])
{
   uint8_t pixels[SIZE * SIZE][4];
   glUseProgram(program);
   glBindBuffer(GL_ARRAY_BUFFER, vertices);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   glBindTexture(GL_TEXTURE_2D, texture);
   glClear(GL_COLOR_BUFFER_BIT);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned i = 0; i < SIZE * SIZE; i++)
      CHECK(!memcmp(pixels[i], color, 4));
}

static void
draw_own(unsigned frame)
{
   const uint8_t color[4] = {frame * 5, 255 - frame, 128, 255};
   GLuint program = square_program(text_of(
      "varying vec2 p; uniform sampler2D t; void main() { gl_FragColor = texture2D(t, p * %u.0 / 100.0); }\n",
      1 + frame % 50)), vertices = make_vertices(), texture = make_texture(16 + frame % 2 * 4, color);
   draw_and_check(program, vertices, texture, color);
   glDeleteProgram(program);
   glDeleteBuffers(1, &vertices);
   glDeleteTextures(1, &texture);
}

struct job {
   EGLContext context;
   bool shares;
};

static void *
thread(void *data)
{
   static const uint8_t red[4] = {255, 0, 0, 255}, green[4] = {0, 255, 0, 255};
   const struct job *job = data;
   CHECK(eglBindAPI(EGL_OPENGL_API));
   make_current(display, job->context);
   make_target(SIZE, SIZE, false);
   glEnableVertexAttribArray(0);
   for (unsigned frame = 0; frame < frames; frame++) {
      if (job->shares) {
         draw_and_check(shared.program, shared.vertices, shared.texture, red);
         draw_and_check(shared.program, shared.vertices, shared.npot_texture, green);
      }
      if (frame % 4 == 0)
         draw_own(frame);
   }
   CHECK(glGetError() == GL_NO_ERROR);
   CHECK(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
   CHECK(eglDestroyContext(display, job->context));
   CHECK(eglReleaseThread());
   return NULL;
}

/* --- processes ------------------------------------------------------------------------------------------------------- */

static pid_t
fork_and(char *const *argv)
{
   pid_t child = fork();
   CHECK(child >= 0);
   if (child == 0) {
      if (argv)
         exec_self(argv);
      _exit(argv ? 1 : 0);
   }
   return child;
}

static void
expect_success(pid_t child)
{
   int status;
   CHECK(waitpid(child, &status, 0) == child);
   CHECK(status == 0);
}

int
main(int argc, char **argv)
{
   const struct option_of_test options[] = {{"frames", &frames}, {"threads", &num_threads}};

   parse_options(argc, argv, options, COUNT(options));
   CHECK(num_threads >= 1 && num_threads <= MAX_THREADS);
   display = open_display();
   EGLContext first = new_context(display, EGL_NO_CONTEXT);
   make_current(display, first);
   make_shared();

   pthread_t threads[MAX_THREADS];
   struct job jobs[MAX_THREADS];
   for (unsigned i = 0; i < num_threads; i++) {
      jobs[i].shares = i < 2;
      jobs[i].context = new_context(display, jobs[i].shares ? first : EGL_NO_CONTEXT);
   }
   for (unsigned i = 0; i < num_threads; i++)
      CHECK(pthread_create(&threads[i], NULL, thread, &jobs[i]) == 0);
   if (num_threads > 1) {
      char *child_argv[] = {argv[0], "--frames", "4", "--threads", "1", NULL};
      pid_t exits = fork_and(NULL), draws = fork_and(child_argv);
      expect_success(exits);
      expect_success(draws);
   }
   for (unsigned i = 0; i < num_threads; i++)
      CHECK(pthread_join(threads[i], NULL) == 0);
   if (num_threads > 1)
      printf("%u threads, %u frames each, every pixel right\n", num_threads, frames);
   eglTerminate(display);
   return 0;
}
