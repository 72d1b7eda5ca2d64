/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * A scene that streams for 2,000 frames: vertices into buffers that are orphaned, overwritten in part or new, textures that
 * are updated, replaced and deleted, and programs that are compiled, used and deleted.  After the first quarter neither
 * the heap nor the buffers of the driver may grow.
 *
 *   steady [--frames N] [--no-read]
 *
 * --no-read leaves out every glReadPixels() and the checks: then nothing in the scene needs to wait for the engines, which
 * "tegra20-run --async 1000 --stats" counts.
 */

#include <malloc.h>

#include "opengl.h"

#define WIDTH 160
#define HEIGHT 120
#define VERTICES 3072 /* of the streamed buffers: x, y, u, v as floats */
#define TEXTURE_SIZE 128
#define LIVE_TEXTURES 4
#define WINDOWS 8
/* Mesa itself keeps about 300 bytes of each program that was deleted, with softpipe as well: 15 KiB in half of the run. */
#define HEAP_TOLERANCE (64 * 1024)
/* Pages of the heap that are used for the first time: 1.1 MiB were seen.  A page that each frame loses is 4 MiB. */
#define RSS_TOLERANCE (2 * 1024 * 1024)

static unsigned frames = 2000;
static bool read_back;

/* --- what is used ---------------------------------------------------------------------------------------------------- */

/* Bytes of the driver's buffers, cached ones included. */
static uint64_t
buffer_bytes(void)
{
   GLint total = 0, available = 0;
   glGetIntegerv(GL_GPU_MEMORY_INFO_DEDICATED_VIDMEM_NVX, &total);
   glGetIntegerv(GL_GPU_MEMORY_INFO_CURRENT_AVAILABLE_VIDMEM_NVX, &available);
   CHECK(glGetError() == GL_NO_ERROR && total > 0);
   return (uint64_t)(total - available) * 1024;
}

static uint64_t
resident_bytes(void)
{
   unsigned long size = 0, resident = 0;
   FILE *f = fopen("/proc/self/statm", "r");
   CHECK(f && fscanf(f, "%lu %lu", &size, &resident) == 2);
   fclose(f);
   return (uint64_t)resident * sysconf(_SC_PAGESIZE);
}

struct usage {
   uint64_t heap, buffers, resident; /* the highest values of a window of frames */
};

static void
note_usage(struct usage *u)
{
   uint64_t heap = mallinfo2().uordblks, buffers = buffer_bytes(), resident = resident_bytes();
   u->heap = heap > u->heap ? heap : u->heap;
   u->buffers = buffers > u->buffers ? buffers : u->buffers;
   u->resident = resident > u->resident ? resident : u->resident;
}

/* --- scene ----------------------------------------------------------------------------------------------------------- */

static GLuint program, buffers[3], textures[LIVE_TEXTURES];
static unsigned texture_sizes[LIVE_TEXTURES];

/* Every number makes another program. */
static GLuint
numbered_program(unsigned number)
{
   static const char vertex[] = "attribute vec4 a; varying vec2 uv; uniform float turn;\n"
                                "void main() { gl_Position = vec4(a.xy * %u.0 / %u.0, turn, 1.0); uv = a.zw; }\n";
   static const char fragment[] = "varying vec2 uv; uniform sampler2D t;\n"
                                  "void main() { gl_FragColor = texture2D(t, uv) * vec4(%u.0 / 4096.0, 1.0, 1.0, 1.0); }\n";
   return make_program(text_of(vertex, 900 + number % 100, 1000 + number), text_of(fragment, number + 1), "a");
}

static void
fill_vertices(float (*v)[4], unsigned count, unsigned frame)
{
   for (unsigned i = 0; i < count; i++) {
      float angle = (i * 7 + frame) * 0.01f, radius = 0.2f + 0.7f * (i % 3) / 2;
      v[i][0] = radius * cosf(angle);
      v[i][1] = radius * sinf(angle);
      v[i][2] = i % 2;
      v[i][3] = i / 2 % 2;
   }
}

static void
draw_buffer(unsigned i, unsigned count)
{
   glBindBuffer(GL_ARRAY_BUFFER, buffers[i]);
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, NULL);
   glDrawArrays(GL_TRIANGLES, 0, count);
}

static void
stream_vertices(unsigned frame)
{
   static float v[VERTICES][4];
   fill_vertices(v, VERTICES, frame);
   /* Orphaned by new storage... */
   glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
   glBufferData(GL_ARRAY_BUFFER, sizeof(v), v, GL_STREAM_DRAW);
   draw_buffer(0, 60);
   /* ...overwritten in part: of a buffer of 48 KiB... */
   glBindBuffer(GL_ARRAY_BUFFER, buffers[1]);
   glBufferSubData(GL_ARRAY_BUFFER, frame % 8 * 1024, 2048, v);
   draw_buffer(1, 60);
   /* ...and of a large one, at odd places. */
   glBindBuffer(GL_ARRAY_BUFFER, buffers[2]);
   glBufferSubData(GL_ARRAY_BUFFER, frame % 16 * 4096 + frame % 5 * 4, 10000 + frame % 7, v);
   draw_buffer(2, 60);
}

static void
new_texture(unsigned slot, unsigned frame)
{
   static uint8_t pixels[160 * 160 * 4];
   memset(pixels, frame, sizeof(pixels));
   texture_sizes[slot] = 64 + frame / 10 % 4 * 32;
   if (textures[slot])
      glDeleteTextures(1, &textures[slot]);
   textures[slot] = empty_texture(GL_TEXTURE_2D);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
   set_wraps(GL_TEXTURE_2D, GL_CLAMP_TO_EDGE, GL_CLAMP_TO_EDGE);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, texture_sizes[slot], texture_sizes[slot], 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}

static void
stream_textures(unsigned frame)
{
   static uint8_t pixels[48 * 48 * 4];
   if (frame % 10 == 0)
      new_texture(frame / 10 % LIVE_TEXTURES, frame);
   memset(pixels, frame * 3, sizeof(pixels));
   glBindTexture(GL_TEXTURE_2D, textures[frame % LIVE_TEXTURES]);
   glTexSubImage2D(GL_TEXTURE_2D, 0, frame % 16, frame % 13, 48, 48, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}

static void
draw_frame(unsigned frame)
{
   if (frame % 20 == 0) {
      glDeleteProgram(program);
      program = numbered_program(frame / 20);
      glUseProgram(program);
   }
   glUniform1f(glGetUniformLocation(program, "turn"), frame % 100 / 100.0f);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   stream_textures(frame);
   stream_vertices(frame);
   if (read_back && frame % 8 == 7) {
      uint8_t pixel[4];
      glReadPixels(frame % WIDTH, frame % HEIGHT, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
   } else {
      glFlush();
   }
}

static void
make_scene(void)
{
   static float v[VERTICES * 4][4];
   const GLuint depth = target_buffer(GL_DEPTH_COMPONENT16, WIDTH, HEIGHT);

   make_target(WIDTH, HEIGHT, false);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
   CHECK(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
   glEnable(GL_DEPTH_TEST);

   glGenBuffers(3, buffers);
   fill_vertices(v, VERTICES * 4, 0);
   for (unsigned i = 1; i < 3; i++) {
      glBindBuffer(GL_ARRAY_BUFFER, buffers[i]);
      glBufferData(GL_ARRAY_BUFFER, i == 1 ? sizeof(v) / 4 : sizeof(v), v, GL_DYNAMIC_DRAW);
   }
   glEnableVertexAttribArray(0);
   for (unsigned i = 0; i < LIVE_TEXTURES; i++)
      new_texture(i, i * 10);
}

/* What the objects of the scene need at least, at most at one time. */
static uint64_t
live_bytes(void)
{
   return WIDTH * HEIGHT * (4 + 2) + VERTICES * 16 * (1 + 1 + 4) + LIVE_TEXTURES * 160 * 160 * 4;
}

static void
check_usage(const struct usage *u)
{
   uint64_t peak = 0;
   for (unsigned i = 0; i < WINDOWS; i++) {
      printf("frames %4u..%4u: heap %8llu, resident %9llu, buffers %8llu bytes\n", frames * i / WINDOWS,
             frames * (i + 1) / WINDOWS - 1, (unsigned long long)u[i].heap, (unsigned long long)u[i].resident,
             (unsigned long long)u[i].buffers);
      peak = u[i].buffers > peak ? u[i].buffers : peak;
   }
   printf("peak of buffers: %llu KiB, %.2f times the %llu KiB of the scene's objects\n", (unsigned long long)peak / 1024,
          (double)peak / live_bytes(), (unsigned long long)live_bytes() / 1024);
   for (unsigned i = WINDOWS / 2; i < WINDOWS; i++) {
      for (unsigned j = WINDOWS / 4; j < WINDOWS / 2; j++) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* they keep what was freed */
         CHECK(u[i].heap <= u[j].heap + HEAP_TOLERANCE);
         CHECK(u[i].resident <= u[j].resident + RSS_TOLERANCE);
#endif
         CHECK(u[i].buffers <= u[j].buffers);
      }
   }
}

int
main(int argc, char **argv)
{
   bool no_read = false;
   const struct option_of_test options[] = {{"frames", &frames}, {"no-read", .flag = &no_read}};

   parse_options(argc, argv, options, COUNT(options));
   read_back = !no_read;
   EGLDisplay display = open_context();
   printf("renderer: %s\n", glGetString(GL_RENDERER));
   make_scene();

   struct usage usage[WINDOWS] = {0};
   for (unsigned frame = 0; frame < frames; frame++) {
      draw_frame(frame);
      if (read_back && frame % 8 == 7)
         note_usage(&usage[frame * WINDOWS / frames]);
   }
   CHECK(glGetError() == GL_NO_ERROR);
   if (read_back)
      check_usage(usage);
   printf("%u frames\n", frames);
   eglTerminate(display);
   return 0;
}
