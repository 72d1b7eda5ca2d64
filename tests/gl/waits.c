/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Scenes that need a wait or an invalidation each, on a chip that does nothing before it must (tegra20-run --adversary).
 *
 *   waits [SCENE...]
 *
 * Every scene repeats itself with other colours, and looks at its result once at the end or where a later step needs what
 * an earlier one has drawn.  Waits that are left out of the driver show there (tests/mutation/mutate.py --room winsys).
 */

#include <sys/mman.h>

#include "opengl.h"

#define SIZE  16
#define MAX_SIZE 64
#define STEPS 8
#define ROWS  (SIZE / STEPS)

struct image {
   GLuint texture, framebuffer;
};

static EGLDisplay display;
static EGLContext context, other;
static GLuint filling, coloured, exchanged, sampling, moving, corner_buffer;
static const char *scene;
static struct image source, result; /* new ones for each scene */
static unsigned wrong;

static const GLfloat corners[] = {-1, -1, 3, -1, -1, 3};

/* Of a step; never that of a neighbour, and exact in all formats. */
static unsigned
value(unsigned step)
{
   return 17 * (1 + step * 5 % 15);
}

static struct image
make_image(unsigned size)
{
   struct image image = {filtered_texture(GL_TEXTURE_2D, GL_NEAREST)};

   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   image.framebuffer = texture_framebuffer(GL_TEXTURE_2D, image.texture, 0);
   return image;
}

static void
delete_image(const struct image *image)
{
   glDeleteFramebuffers(1, &image->framebuffer);
   glDeleteTextures(1, &image->texture);
}

/* GR2D fills the image. */
static void
clear(const struct image *image, unsigned red)
{
   glBindFramebuffer(GL_FRAMEBUFFER, image->framebuffer);
   clear_color(red / 255.0f, 0, 0, 1);
}

/* The test itself stays on: nothing but the rectangle changes. */
static void
rows_only(int step)
{
   if (step < 0)
      glScissor(0, 0, MAX_SIZE, MAX_SIZE);
   else
      glScissor(0, step * ROWS, SIZE, ROWS);
}

/* The triangle that covers everything, from a buffer that nobody changes. */
static void
use_corners(void)
{
   glBindBuffer(GL_ARRAY_BUFFER, corner_buffer);
   use_floats(0, 2, NULL);
   glDisableVertexAttribArray(1);
}

/* Into an image, or into the rows of a step. */
static void
draw_triangle(const struct image *image, unsigned first, int step)
{
   glBindFramebuffer(GL_FRAMEBUFFER, image->framebuffer);
   rows_only(step);
   glDrawArrays(GL_TRIANGLES, first, 3);
   rows_only(-1);
}

/* GR3D draws one colour into an image, or into the rows of a step. */
static void
fill(const struct image *image, unsigned red, int step)
{
   glUseProgram(filling);
   glUniform4f(0, red / 255.0f, 0, 0, 1);
   use_corners();
   draw_triangle(image, 0, step);
}

static void
sample(const struct image *image, const struct image *from, int step)
{
   glUseProgram(sampling);
   glBindTexture(GL_TEXTURE_2D, from->texture);
   use_corners();
   draw_triangle(image, 0, step);
}

static void
upload_parts(const struct image *image, unsigned red, unsigned size, unsigned width)
{
   static uint8_t pixels[MAX_SIZE * MAX_SIZE][4];

   for (unsigned i = 0; i < size * size; i++)
      memcpy(pixels[i], (uint8_t[4]){red, 0, 0, 255}, 4);
   glBindTexture(GL_TEXTURE_2D, image->texture);
   for (unsigned x = 0; x < size; x += width)
      glTexSubImage2D(GL_TEXTURE_2D, 0, x, 0, width, size, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}

static void
upload(const struct image *image, unsigned red, unsigned size)
{
   upload_parts(image, red, size, size);
}

/* A copy by GR2D, of all rows or those of a step. */
static void
copy(const struct image *to, const struct image *from, int step)
{
   glBindFramebuffer(GL_FRAMEBUFFER, from->framebuffer);
   glBindTexture(GL_TEXTURE_2D, to->texture);
   if (step < 0)
      glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 0, 0, SIZE, SIZE);
   else
      glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, step * ROWS, 0, step * ROWS, SIZE, ROWS);
}

/* Tells the first mistake of a scene. */
static void
expect(unsigned step, unsigned got, unsigned expected)
{
   if (got != expected && !wrong++)
      printf("%s: step %u is %u, expected %u\n", scene, step, got, expected);
}

static uint8_t pixels[SIZE * SIZE][4];

static void
read_image(const struct image *image)
{
   glBindFramebuffer(GL_FRAMEBUFFER, image->framebuffer);
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}

/* The rows of all steps (one: of this step only). */
static void
expect_rows(const struct image *image, int one)
{
   const unsigned first = one < 0 ? 0 : one, end = one < 0 ? STEPS : one + 1;

   read_image(image);
   for (unsigned i = first * ROWS * SIZE; i < end * ROWS * SIZE; i++)
      expect(i / (ROWS * SIZE), pixels[i][0], value(i / (ROWS * SIZE)));
}

static void
expect_all(const struct image *image, unsigned step, unsigned red)
{
   read_image(image);
   for (unsigned i = 0; i < SIZE * SIZE; i++)
      expect(step, pixels[i][0], red);
}

/* --- order on one engine --------------------------------------------------------------------------------------------- */

/* Two contexts, whose jobs meet on the engine: each has a sync point of its own. */
static void
contexts(void)
{
   struct image ours[STEPS], theirs[STEPS];

   for (unsigned i = 0; i < STEPS; i++) {
      ours[i] = make_image(SIZE);
      fill(&ours[i], value(i), -1);
      glFlush();
      make_current(display, other);
      theirs[i] = make_image(SIZE);
      clear(&theirs[i], 0);
      fill(&theirs[i], value(i + 1), -1);
      glFlush();
      make_current(display, context);
   }
   for (unsigned i = 0; i < STEPS; i++) {
      expect_all(&ours[i], i, value(i));
      make_current(display, other);
      expect_all(&theirs[i], i, value(i + 1));
      make_current(display, context);
   }
}

/* A job samples what it has rendered, again and again. */
static void
render_and_sample(void)
{
   for (unsigned i = 0; i < STEPS; i++) {
      fill(&source, value(i), -1);
      sample(&result, &source, i);
   }
}

/* As above, with something else in between, so that only the sampled surface asks for the barrier. */
static void
render_then_sample(void)
{
   const struct image still = make_image(SIZE);
   struct image sources[STEPS];

   upload(&still, 9, SIZE);
   for (unsigned i = 0; i < STEPS; i++)
      sources[i] = make_image(SIZE);
   for (unsigned round = 0; round < 2; round++) {
      for (unsigned i = 0; i < STEPS; i++)
         fill(&sources[i], round ? value(i) : 3, -1);
      sample(&result, &still, -1);
      for (unsigned i = 0; i < STEPS; i++)
         sample(&result, &sources[i], i);
   }
}

/* Each job samples one texture, whose contents the CPU changes in between. */
static void
upload_and_sample(void)
{
   for (unsigned i = 0; i < STEPS; i++) {
      upload(&source, value(i), SIZE);
      sample(&result, &source, i);
      expect_rows(&result, i);
   }
}

/* Another context draws what this one samples. */
static void
shared_texture(void)
{
   struct image theirs = source;

   make_current(display, other);
   theirs.framebuffer = texture_framebuffer(GL_TEXTURE_2D, theirs.texture, 0);
   for (unsigned i = 0; i < STEPS; i++) {
      make_current(display, other);
      fill(&theirs, value(i), -1);
      glFlush();
      make_current(display, context);
      sample(&result, &source, i);
      glFlush();
   }
}

/* --- order between the engines --------------------------------------------------------------------------------------- */

/* GR3D reads what GR2D wrote; GR2D writes what GR3D reads. */
static void
clear_and_sample(void)
{
   for (unsigned i = 0; i < STEPS; i++) {
      clear(&source, value(i));
      glFlush();
      sample(&result, &source, i);
      glFlush();
   }
   clear(&source, 5);
   glFlush();
}

/* A job of GR3D reads what several of GR2D wrote, the last one first. */
static void
several_clears(void)
{
   struct image sources[STEPS];

   for (unsigned i = 0; i < STEPS; i++)
      sources[i] = make_image(SIZE);
   for (unsigned i = 0; i < STEPS; i++) {
      clear(&sources[i], value(i));
      glFlush();
   }
   for (unsigned i = 0; i < STEPS; i++)
      sample(&result, &sources[(i + STEPS / 2) % STEPS], (i + STEPS / 2) % STEPS);
}

/* GR2D reads what GR3D wrote; GR3D writes what GR2D reads. */
static void
fill_and_copy(void)
{
   for (unsigned i = 0; i < STEPS; i++) {
      fill(&source, value(i), -1);
      glFlush();
      copy(&result, &source, i);
      glFlush();
   }
   fill(&source, 5, -1);
   glFlush();
}

/* Both write: the last one counts. */
static void
clear_and_fill(void)
{
   struct image images[STEPS];

   for (unsigned i = 0; i < STEPS; i++) {
      images[i] = make_image(SIZE);
      fill(&images[i], 3, -1);
      glFlush();
      clear(&images[i], value(i));
      glFlush();
   }
   for (unsigned i = 0; i < STEPS; i++)
      expect_all(&images[i], i, value(i));
   for (unsigned i = 0; i < STEPS; i++) {
      clear(&images[i], 3);
      fill(&images[i], value(i), -1);
      glFlush();
   }
   for (unsigned i = 0; i < STEPS; i++)
      expect_all(&images[i], i, value(i));
}

/* Copies of one job: what one has written the next one reads. */
static void
chain_of_copies(void)
{
   struct image images[STEPS + 1];

   for (unsigned i = 0; i <= STEPS; i++) {
      images[i] = make_image(SIZE);
      clear(&images[i], 3);
   }
   upload(&images[0], 85, SIZE);
   for (unsigned i = 0; i < STEPS; i++)
      copy(&images[i + 1], &images[i], -1);
   expect_all(&images[STEPS], STEPS, 85);
}

/* What one copy reads the next one writes. */
static void
copy_over_source(void)
{
   struct image colours[STEPS];

   for (unsigned i = 0; i < STEPS; i++) {
      colours[i] = make_image(SIZE);
      upload(&colours[i], value(i), SIZE);
   }
   clear(&result, 3);
   clear(&source, 3);
   expect_all(&result, 0, 3);
   expect_all(&source, 0, 3);
   for (unsigned i = 0; i < STEPS; i++) {
      copy(&source, &colours[i], -1);
      copy(&result, &source, i);
   }
}

/* What a copy reads a clear fills. */
static void
clear_source(void)
{
   for (unsigned i = 0; i < STEPS; i++) {
      clear(&source, value(i));
      copy(&result, &source, i);
   }
   clear(&source, 5);
}

/* --- the CPU and the engines ----------------------------------------------------------------------------------------- */

/* Triangles of one colour, from a buffer with positions and colours. */
#define VERTEX_FLOATS 4
static void
colour_vertices(GLfloat *v, unsigned red)
{
   for (unsigned i = 0; i < 3; i++) {
      v[i * VERTEX_FLOATS + 0] = corners[2 * i];
      v[i * VERTEX_FLOATS + 1] = corners[2 * i + 1];
      v[i * VERTEX_FLOATS + 2] = red / 255.0f;
      v[i * VERTEX_FLOATS + 3] = value(5) / 255.0f; /* for the program that exchanges the two */
   }
}
#define VERTICES_BYTES (3 * VERTEX_FLOATS * sizeof(GLfloat))

static const uint8_t zeros[256 * 1024];
static GLuint vertex_buffer;

/* In place of the last one. */
static void
new_buffer(unsigned bytes, const void *data)
{
   glDeleteBuffers(1, &vertex_buffer);
   vertex_buffer = filled_buffer(GL_ARRAY_BUFFER, bytes, data, GL_DYNAMIC_DRAW);
}

static void
use_colours_at(GLuint buffer, size_t offset)
{
   const GLsizei stride = VERTEX_FLOATS * sizeof(GLfloat);

   glUseProgram(coloured);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, stride, (void *)offset);
   glEnableVertexAttribArray(1);
   glVertexAttribPointer(1, 2, GL_FLOAT, GL_FALSE, stride, (void *)(offset + 8));
}

static void
use_colours(GLuint buffer)
{
   use_colours_at(buffer, 0);
}

/* A buffer that is deleted while jobs read it; its memory serves the next one. */
static void
recycle_vertices(void)
{
   GLfloat vertices[3 * VERTEX_FLOATS];

   for (unsigned i = 0; i < STEPS; i++) {
      colour_vertices(vertices, value(i));
      const GLuint buffer = filled_buffer(GL_ARRAY_BUFFER, sizeof(vertices), vertices, GL_STATIC_DRAW);
      use_colours(buffer);
      draw_triangle(&result, 0, i);
      glFlush();
      glDeleteBuffers(1, &buffer);
   }
}

/* The same with textures: those that the engine reads, and those that it writes. */
static void
recycle_textures(void)
{
   for (unsigned i = 0; i < STEPS; i++) {
      const struct image rendered = make_image(SIZE);
      fill(&rendered, 3, -1);
      glFlush();
      delete_image(&rendered);
      const struct image source = make_image(SIZE);
      upload(&source, value(i), SIZE);
      sample(&result, &source, i);
      glFlush();
      delete_image(&source);
   }
}

/* A new texture in the memory of one that an engine still writes; the CPU fills it at once. */
static void
recycle_targets(void)
{
   struct image images[64];

   /* no other memory of this size is left over */
   for (unsigned i = 0; i < COUNT(images); i++)
      images[i] = make_image(SIZE);
   glFinish();
   for (unsigned i = 0; i < STEPS; i++) {
      const struct image written = make_image(SIZE);
      if (i % 2)
         fill(&written, 3, -1);
      else
         clear(&written, 3);
      glFlush();
      delete_image(&written);
      const struct image kept = make_image(SIZE);
      upload(&kept, value(i), SIZE);
      /* the engines get that far now */
      const struct image last = make_image(SIZE);
      fill(&last, 7, -1);
      expect_all(&last, i, 7);
      clear(&last, 9);
      expect_all(&last, i, 9);
      expect_all(&kept, i, value(i));
      glDeleteFramebuffers(1, &last.framebuffer); /* the textures stay */
      glDeleteFramebuffers(1, &kept.framebuffer);
   }
   for (unsigned i = 0; i < COUNT(images); i++)
      delete_image(&images[i]);
}

/* Part of a large buffer is written while jobs read it. */
static void
overwrite_vertices(unsigned bytes, bool map)
{
   GLfloat vertices[3 * VERTEX_FLOATS];

   new_buffer(bytes, zeros);
   use_colours(vertex_buffer);
   for (unsigned i = 0; i < STEPS; i++) {
      colour_vertices(vertices, value(i));
      if (map) {
         memcpy(glMapBufferRange(GL_ARRAY_BUFFER, 0, sizeof(vertices), GL_MAP_WRITE_BIT), vertices, sizeof(vertices));
         CHECK(glUnmapBuffer(GL_ARRAY_BUFFER));
      } else {
         glBufferSubData(GL_ARRAY_BUFFER, 0, sizeof(vertices), vertices);
      }
      draw_triangle(&result, 0, i);
      glFlush();
   }
   expect_rows(&result, -1);
}

static void
overwrite_buffers(void)
{
   overwrite_vertices(sizeof(zeros), true);
   overwrite_vertices(sizeof(zeros), false);
   overwrite_vertices(4096, true);
   overwrite_vertices(4096, false);
}

/* The same in one job, which is not submitted when the CPU wants to write. */
static void
overwrite_in_job(void)
{
   GLfloat vertices[3 * VERTEX_FLOATS];

   new_buffer(sizeof(zeros), NULL);
   use_colours(vertex_buffer);
   for (unsigned i = 0; i < STEPS; i++) {
      colour_vertices(vertices, value(i));
      memcpy(glMapBufferRange(GL_ARRAY_BUFFER, 0, sizeof(vertices), GL_MAP_WRITE_BIT), vertices, sizeof(vertices));
      CHECK(glUnmapBuffer(GL_ARRAY_BUFFER));
      draw_triangle(&result, 0, i);
   }
}

/* A buffer that a draw reads is written in part: it gets new memory with the old contents.  A second draw reads another part of
 * that, which is then written, too: neither draw sees that. */
static void
write_in_parts(void)
{
   GLfloat before[3 * VERTEX_FLOATS], after[3 * VERTEX_FLOATS];

   colour_vertices(before, value(0));
   colour_vertices(after, value(1));
   new_buffer(2 * VERTICES_BYTES, NULL);
   for (unsigned i = 0; i < 2; i++)
      glBufferSubData(GL_ARRAY_BUFFER, i * VERTICES_BYTES, VERTICES_BYTES, before);
   use_colours(vertex_buffer);
   for (unsigned i = 0; i < 2; i++) {
      draw_triangle(&result, 3, i);
      glBufferSubData(GL_ARRAY_BUFFER, i * VERTICES_BYTES, VERTICES_BYTES, after);
   }
   read_image(&result);
   for (unsigned i = 0; i < 2; i++)
      expect(i, pixels[i * ROWS * SIZE][0], value(0));
}

/* Textures that jobs read, written by the CPU, at once and in two halves. */
static void
overwrite_textures(void)
{
   const struct image large = make_image(MAX_SIZE);

   for (unsigned parts = 1; parts <= 2; parts++) {
      for (unsigned i = 0; i < STEPS; i++) {
         upload_parts(&large, value(i), MAX_SIZE, MAX_SIZE / parts);
         sample(&result, &large, i);
         glFlush();
      }
      upload_parts(&large, 5, MAX_SIZE, MAX_SIZE / parts);
      expect_rows(&result, -1);
      clear(&result, 3);
   }
}

static void
colour_without_waiting(unsigned step)
{
   void *map = glMapBufferRange(GL_ARRAY_BUFFER, 0, VERTICES_BYTES, GL_MAP_WRITE_BIT | GL_MAP_UNSYNCHRONIZED_BIT);

   colour_vertices(map, value(step));
   CHECK(glUnmapBuffer(GL_ARRAY_BUFFER));
   draw_triangle(&result, 0, step);
}

/* The application waits for a fence and then writes without asking. */
static void
fences(void)
{
   new_buffer(VERTICES_BYTES, NULL);
   use_colours(vertex_buffer);
   for (unsigned i = 0; i < STEPS; i++) {
      colour_without_waiting(i);
      GLsync sync = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
      const GLenum status = glClientWaitSync(sync, GL_SYNC_FLUSH_COMMANDS_BIT, 10000000000ull);
      CHECK(status == GL_CONDITION_SATISFIED || status == GL_ALREADY_SIGNALED);
      glDeleteSync(sync);
   }
}

/* A large buffer that jobs read is written through GR2D. */
static void
write_by_gr2d(const struct image *image, const void *data, unsigned size)
{
   enum { SOMEWHERE = 8192 };

   use_colours_at(vertex_buffer, SOMEWHERE);
   draw_triangle(image, 0, 0);
   glFlush();
   glBufferSubData(GL_ARRAY_BUFFER, 0, size, data);
   glFlush();
}

/* What the CPU converts for the engine, from buffers that GR2D writes: vertices (bytes at odd places), indices, and both for
 * vertices that are computed by the CPU (a polygon mode). */
static void
cpu_reads(bool indices, bool by_cpu)
{
   const struct image other_image = make_image(SIZE);
   struct {
      uint16_t indices[4];
      struct {
         int8_t skip, place[2], red;
      } v[8];
   } data = {.indices = {0, 1, 2, 0}};

   for (unsigned v = 0; v < 8; v++) {
      data.v[v].place[0] = v % 4 == 1 ? 3 : -1;
      data.v[v].place[1] = v % 4 == 2 ? 3 : -1;
   }
   new_buffer(sizeof(zeros), zeros);
   for (unsigned i = 0; i < STEPS; i++) {
      for (unsigned v = 0; v < 8; v++)
         data.v[v].red = value(i) / 17;
      write_by_gr2d(&other_image, &data, sizeof(data));
      glUseProgram(moving);
      glEnableVertexAttribArray(0);
      glVertexAttribPointer(0, 2, GL_BYTE, GL_FALSE, 4, (void *)(8 + 1));
      glEnableVertexAttribArray(1);
      glVertexAttribPointer(1, 1, GL_BYTE, GL_FALSE, 4, (void *)(8 + 3));
      glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, indices ? vertex_buffer : 0);
      glBindFramebuffer(GL_FRAMEBUFFER, result.framebuffer);
      rows_only(i);
      if (by_cpu)
         glPolygonMode(GL_BACK, GL_LINE);
      if (indices)
         glDrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_SHORT, NULL);
      else
         glDrawArrays(GL_TRIANGLES, 0, 3);
      glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
      rows_only(-1);
      glFlush();
      for (unsigned v = 0; v < 3; v++)
         data.indices[v] = 4 * (~i & 1) + v;
   }
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
   expect_rows(&result, -1);
}

static void converted_vertices(void) { cpu_reads(false, false); }
static void converted_indices(void) { cpu_reads(true, false); }

static void
software_vertices(void)
{
   cpu_reads(false, true);
   cpu_reads(true, true);
}

/* A stencil buffer of its own memory is read after draws that touch nothing else. */
static void
stencil(void)
{
   const struct image image = make_image(SIZE);
   const GLuint buffer = target_buffer(TARGET_DEPTH_STENCIL, SIZE, SIZE);
   uint8_t values[SIZE * SIZE];

   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, buffer);
   CHECK(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
   glClearStencil(0);
   glClear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   glEnable(GL_STENCIL_TEST);
   glStencilOp(GL_REPLACE, GL_REPLACE, GL_REPLACE);
   for (unsigned i = 0; i < STEPS; i++) {
      glStencilFunc(GL_ALWAYS, i + 1, 255);
      fill(&image, 3, -1);
      glReadPixels(0, 0, SIZE, SIZE, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, values);
      expect(i, values[0], i + 1);
   }
   glDisable(GL_STENCIL_TEST);
}

/* Somebody else looks at the memory of a texture when he is given it. */
static void
export(void)
{
   PFNEGLCREATEIMAGEKHRPROC create = (void *)eglGetProcAddress("eglCreateImageKHR");
   PFNEGLEXPORTDMABUFIMAGEMESAPROC export_fd = (void *)eglGetProcAddress("eglExportDMABUFImageMESA");

   for (unsigned i = 0; i < STEPS; i++) {
      const struct image image = make_image(SIZE);
      if (i % 2)
         clear(&image, value(i));
      else
         fill(&image, value(i), -1);
      if (i % 4 < 2)
         glFlush();
      EGLImageKHR shared = create(display, context, EGL_GL_TEXTURE_2D_KHR, (EGLClientBuffer)(uintptr_t)image.texture, NULL);
      int fd;
      EGLint stride, offset;
      CHECK(shared != EGL_NO_IMAGE_KHR && export_fd(display, shared, &fd, &stride, &offset));
      const uint8_t *map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
      CHECK(map != MAP_FAILED);
      expect(i, map[offset], value(i));
      munmap((void *)map, 4096);
      close(fd);
      delete_image(&image);
   }
}

/* --- caches of vertices ---------------------------------------------------------------------------------------------- */

/* The same places in the same buffer, with other contents: each job after the CPU has changed them. */
static void
changed_vertices(void)
{
   new_buffer(VERTICES_BYTES, NULL);
   use_colours(vertex_buffer);
   for (unsigned i = 0; i < STEPS; i++) {
      colour_without_waiting(i);
      expect_rows(&result, i);
      use_colours(vertex_buffer);
   }
}

/* Vertices behind those that were drawn, written between two draws of a job: nobody asks for a new fetch, but the lines at
 * the border hold both. */
static void
appended_vertices(void)
{
   const unsigned part = 3 * 3 * sizeof(GLfloat); /* no multiple of a line */

   new_buffer(STEPS * part, NULL);
   glUseProgram(coloured);
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 12, NULL);
   glEnableVertexAttribArray(1);
   glVertexAttribPointer(1, 1, GL_FLOAT, GL_FALSE, 12, (void *)8);
   for (unsigned i = 0; i < STEPS; i++) {
      GLfloat vertices[9];
      for (unsigned v = 0; v < 3; v++) {
         vertices[3 * v] = corners[2 * v];
         vertices[3 * v + 1] = corners[2 * v + 1];
         vertices[3 * v + 2] = value(i) / 255.0f;
      }
      glBufferSubData(GL_ARRAY_BUFFER, i * part, part, vertices);
      draw_triangle(&result, 3 * i, i);
   }
}

/* The same vertices, with other uniforms, programs and attributes in one job. */
static void
changed_programs(void)
{
   GLfloat vertices[2][3 * VERTEX_FLOATS];
   GLuint buffers[2];
   const GLint shift = glGetUniformLocation(moving, "shift");

   for (unsigned i = 0; i < 2; i++) {
      colour_vertices(vertices[i], value(2 + i));
      buffers[i] = filled_buffer(GL_ARRAY_BUFFER, sizeof(vertices[i]), vertices[i], GL_STATIC_DRAW);
   }
   glBindFramebuffer(GL_FRAMEBUFFER, result.framebuffer);
   /* Nothing but one thing changes from draw to draw; the second one hides the first.  Uniforms: the attribute is a number of
    * fifteenths in this program. */
   use_colours(buffers[0]);
   glUseProgram(moving);
   rows_only(0);
   for (unsigned i = 0; i < 2; i++) {
      glUniform1f(shift, value(1 - i) / 17.0f - value(2) / 255.0f);
      glDrawArrays(GL_TRIANGLES, 0, 3);
   }
   glUniform1f(shift, 0);
   /* attributes */
   rows_only(3);
   for (unsigned i = 0; i < 2; i++) {
      use_colours(buffers[i]);
      glDrawArrays(GL_TRIANGLES, 0, 3);
   }
   /* programs */
   rows_only(4);
   glUseProgram(moving);
   glUniform1f(shift, value(4) / 17.0f - value(3) / 255.0f);
   glUseProgram(coloured);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   glUseProgram(moving);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   rows_only(5);
   glUseProgram(coloured);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   glUseProgram(exchanged);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   rows_only(-1);
   expect_rows(&result, 0);
   expect_rows(&result, 3);
   expect_rows(&result, 4);
   expect_rows(&result, 5);
   glUseProgram(moving);
   glUniform1f(shift, 0);
   glDeleteBuffers(2, buffers);
}

/* --------------------------------------------------------------------------------------------------------------------- */

#define SCENE(NAME) {#NAME, NAME, false}
#define ROWS_OF(NAME) {#NAME, NAME, true}

static const struct {
   const char *name;
   void (*run)(void);
   bool rows; /* it leaves all its steps in the result */
} scenes[] = {
   SCENE(contexts), ROWS_OF(render_and_sample), ROWS_OF(render_then_sample), SCENE(upload_and_sample), ROWS_OF(shared_texture),
   ROWS_OF(clear_and_sample), ROWS_OF(several_clears), ROWS_OF(fill_and_copy), SCENE(clear_and_fill), SCENE(chain_of_copies),
   ROWS_OF(copy_over_source), ROWS_OF(clear_source), ROWS_OF(recycle_vertices), ROWS_OF(recycle_textures), SCENE(recycle_targets),
   SCENE(overwrite_buffers), ROWS_OF(overwrite_in_job), SCENE(overwrite_textures), SCENE(write_in_parts), ROWS_OF(fences),
   SCENE(converted_vertices), SCENE(converted_indices), SCENE(software_vertices), SCENE(stencil), SCENE(export),
   SCENE(changed_vertices), ROWS_OF(appended_vertices), SCENE(changed_programs),
};

static void
make_programs(void)
{
   static const char plain[] = "attribute vec2 corner; void main() { gl_Position = vec4(corner, 0.0, 1.0); }";

   filling = make_program(plain, "uniform vec4 colour; void main() { gl_FragColor = colour; }", "corner colour");
   coloured = make_program("attribute vec2 corner, colour; varying vec2 c;\n"
                           "void main() { c = colour; gl_Position = vec4(corner, 0.0, 1.0); }",
                           "varying vec2 c; void main() { gl_FragColor = vec4(c.x, 0.0, 0.0, 1.0); }", "corner colour");
   exchanged = make_program("attribute vec2 corner, colour; varying vec2 c;\n"
                            "void main() { c = colour.yx; gl_Position = vec4(corner, 0.0, 1.0); }",
                            "varying vec2 c; void main() { gl_FragColor = vec4(c.x, 0.0, 0.0, 1.0); }", "corner colour");
   moving = make_program("attribute vec2 corner, colour; varying vec2 c; uniform float shift;\n"
                         "void main() { c = (colour + vec2(shift)) / 15.0; gl_Position = vec4(corner, 0.0, 1.0); }",
                         "varying vec2 c; void main() { gl_FragColor = vec4(c.x, 0.0, 0.0, 1.0); }", "corner colour");
   sampling = make_program("attribute vec2 corner; varying vec2 place;\n"
                           "void main() { place = corner * 0.5 + 0.5; gl_Position = vec4(corner, 0.0, 1.0); }",
                           "uniform sampler2D image; varying vec2 place;\n"
                           "void main() { gl_FragColor = texture2D(image, place); }", "corner colour");
   corner_buffer = filled_buffer(GL_ARRAY_BUFFER, sizeof(corners), corners, GL_STATIC_DRAW);
}

static void
run_scene(unsigned i)
{
   const unsigned before = wrong;

   scene = scenes[i].name;
   wrong = 0;
   glFinish();
   source = make_image(SIZE);
   result = make_image(SIZE);
   scenes[i].run();
   if (scenes[i].rows)
      expect_rows(&result, -1);
   CHECK(glGetError() == GL_NO_ERROR);
   wrong = before + (wrong != 0);
}

int
main(int argc, char **argv)
{
   display = open_display();
   context = new_context(display, EGL_NO_CONTEXT);
   other = new_context(display, context);
   make_current(display, context);
   make_programs();
   for (unsigned i = 0; i < 2; i++) {
      make_current(display, i ? context : other);
      glDisable(GL_DITHER);
      scissor_to(0, 0, MAX_SIZE, MAX_SIZE);
      glViewport(0, 0, SIZE, SIZE);
   }
   for (unsigned i = 0; i < COUNT(scenes); i++) {
      if (is_chosen(scenes[i].name, argc, argv))
         run_scene(i);
   }
   printf("%u scenes wrong\n", wrong);
   return wrong != 0;
}
