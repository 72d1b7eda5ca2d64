/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Draws and reads back, with any number of contexts in turn; to be run in tegra20-vm next to programs that misbehave.
 *
 *   test_vm_draws [--contexts N] [--frames N] [--until FILE] [--ready FILE] [--memory] [--rest]
 *                 [--queued]
 *
 *   --until FILE   goes on until the file is there, then draws the frames that count
 *   --ready FILE   makes this file after the first frame
 *   --memory       before the frames that count, textures until there is no memory; they are deleted then
 *   --rest         before each of the frames that count, until both engines are without power
 *   --queued       the frames are jobs that wait behind long draws, each of another context and to a texture of its own; they are
 *                  looked at at the end
 *
 * Prints how many frames were right, and how long one took at most.  Status 1 when one of those that count was wrong.
 */

#include <time.h>

#include "opengl_es.h"

#define SIZE 32
#define MAX_CONTEXTS 200
#define MAX_TEXTURES 1000
#define MAX_QUEUED 40
#define LONG_DRAWS 300 /* a second of the engines */

static EGLDisplay display;
static struct {
   EGLContext context;
   GLint colour;
} contexts[MAX_CONTEXTS];
static unsigned num_contexts = 1;

/* Draws go to a new texture from here on.  Returns the framebuffer object. */
static GLuint
draw_to_texture(unsigned size)
{
   const GLuint texture = filtered_texture(GL_TEXTURE_2D, GL_NEAREST);

   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   glViewport(0, 0, size, size);
   return texture_framebuffer(GL_TEXTURE_2D, texture, 0);
}

static void
make_context(unsigned index)
{
   contexts[index].context = new_context(display, EGL_NO_CONTEXT);
   make_current(display, contexts[index].context);
   draw_to_texture(SIZE);
   const GLuint program = square_program("precision mediump float;\n"
                                         "uniform vec4 colour;\n"
                                         "void main() { gl_FragColor = colour; }\n");
   glUseProgram(program);
   contexts[index].colour = glGetUniformLocation(program, "colour");
}

/* The lower half is cleared by the 2D engine, the upper one drawn by the 3D engine, in colours of the frame. */
static bool
draw_frame(unsigned frame)
{
   const unsigned index = frame % num_contexts, value = frame % 15 + 1;
   unsigned char pixels[SIZE][SIZE][4];

   make_current(display, contexts[index].context);
   clear_color(0, value / 15.0f, 0, 1);
   scissor_to(0, SIZE / 2, SIZE, SIZE / 2);
   glUniform4f(contexts[index].colour, value / 15.0f, 0, 1, 1);
   draw_square();
   glDisable(GL_SCISSOR_TEST);
   memset(pixels, 0x55, sizeof(pixels));
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   bool ok = glGetError() == GL_NO_ERROR;
   for (unsigned y = 0; y < SIZE; y++) {
      const unsigned char drawn[] = {value * 17, 0, 255, 255}, cleared[] = {0, value * 17, 0, 255};
      for (unsigned x = 0; x < SIZE; x++)
         ok &= !memcmp(pixels[y][x], y < SIZE / 2 ? cleared : drawn, 4);
   }
   return ok;
}

static double longest; /* s */

static bool
draw_timed_frame(unsigned frame)
{
   struct timespec start, end;

   clock_gettime(CLOCK_MONOTONIC, &start);
   const bool ok = draw_frame(frame);
   clock_gettime(CLOCK_MONOTONIC, &end);
   const double seconds = end.tv_sec - start.tv_sec + (end.tv_nsec - start.tv_nsec) * 1e-9;
   longest = seconds > longest ? seconds : longest;
   return ok;
}

/* One triangle in a colour of the frame. */
static void
draw_triangle(unsigned frame)
{
   glUniform4f(contexts[frame % num_contexts].colour, (frame % 15 + 1) / 15.0f, frame % 2, 1, 1);
   draw_square();
}

static bool
is_triangle(unsigned frame)
{
   const unsigned char colour[] = {(frame % 15 + 1) * 17, frame % 2 * 255, 255, 255};
   unsigned char pixels[SIZE][SIZE][4] = {0};
   unsigned right = 0;

   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned i = 0; i < SIZE * SIZE; i++)
      right += !memcmp(pixels[i / SIZE][i % SIZE], colour, 4);
   return right == SIZE * SIZE;
}

/* Returns how many are right. */
static unsigned
draw_queued(unsigned frames)
{
   GLuint targets[MAX_QUEUED];
   unsigned right = 0;

   CHECK(frames <= MAX_QUEUED);
   for (unsigned i = 0; i < frames; i++) {
      make_current(display, contexts[i % num_contexts].context);
      targets[i] = draw_to_texture(SIZE);
   }
   make_current(display, contexts[0].context);
   draw_to_texture(1024);
   for (unsigned i = 0; i < LONG_DRAWS; i++)
      draw_triangle(0);
   for (unsigned i = 0; i < frames; i++) {
      make_current(display, contexts[i % num_contexts].context); /* submits what there is */
      glBindFramebuffer(GL_FRAMEBUFFER, targets[i]);
      glViewport(0, 0, SIZE, SIZE);
      draw_triangle(i);
   }
   for (unsigned i = 0; i < frames; i++) {
      make_current(display, contexts[i % num_contexts].context);
      glBindFramebuffer(GL_FRAMEBUFFER, targets[i]);
      right += is_triangle(i);
   }
   CHECK(glGetError() == GL_NO_ERROR);
   return right;
}

/* Textures of 4 MiB until one is refused. */
static void
fill_memory(void)
{
   GLuint textures[MAX_TEXTURES];
   unsigned count = 0;

   glGenTextures(MAX_TEXTURES, textures);
   while (count < MAX_TEXTURES && glGetError() == GL_NO_ERROR) {
      glBindTexture(GL_TEXTURE_2D, textures[count++]);
      glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 1024, 1024, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   }
   CHECK(count < MAX_TEXTURES);
   printf("memory for %u textures of 4 MiB\n", count - 1);
   glDeleteTextures(MAX_TEXTURES, textures);
   while (glGetError() != GL_NO_ERROR)
      ;
}

static bool
is_suspended(const char *engine)
{
   char path[100], text[20] = "";
   snprintf(path, sizeof(path), "/sys/bus/platform/devices/%s/power/runtime_status", engine);
   FILE *file = fopen(path, "r");
   CHECK(file && fgets(text, sizeof(text), file));
   fclose(file);
   return !strcmp(text, "suspended\n");
}

/* Nobody else may draw. */
static void
wait_for_rest(void)
{
   while (!is_suspended("54140000.gr2d") || !is_suspended("54180000.gr3d"))
      usleep(20000);
}

int
main(int argc, char **argv)
{
   const char *until = NULL, *ready = NULL;
   unsigned frames = 20, right = 0, wrong = 0, right_before = 0, wrong_before = 0, frame = 0;
   bool memory = false, rest = false, queued = false;
   const struct option_of_test options[] = {
      {"contexts", &num_contexts}, {"frames", &frames}, {"until", .text = &until}, {"ready", .text = &ready},
      {"memory", .flag = &memory}, {"rest", .flag = &rest}, {"queued", .flag = &queued},
   };

   parse_options(argc, argv, options, COUNT(options));
   CHECK(num_contexts > 0 && num_contexts <= MAX_CONTEXTS);
   display = open_display();
   for (unsigned i = 0; i < num_contexts; i++)
      make_context(i);
   CHECK(strstr((const char *)glGetString(GL_RENDERER), "Tegra"));
   while (until && access(until, F_OK)) {
      *(draw_timed_frame(frame++) ? &right_before : &wrong_before) += 1;
      if (ready && frame == 1)
         fclose(fopen(ready, "w"));
      usleep(2000);
   }
   if (memory)
      fill_memory();
   if (queued) {
      right = draw_queued(frames);
      wrong = frames - right;
   }
   for (unsigned i = 0; i < frames && !queued; i++) {
      if (rest)
         wait_for_rest();
      *(draw_timed_frame(frame++) ? &right : &wrong) += 1;
   }
   if (until)
      printf("%u frames right, %u wrong on the way\n", right_before, wrong_before);
   printf("%u frames right, %u wrong\n", right, wrong);
   printf("longest frame: %.2f s\n", longest);
   eglTerminate(display);
   return wrong != 0;
}
