/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * perf-frame [TURNS [ROW]]: the calls that frames consist of beside draws of a bound state, each with the draw that follows
 * it.  Line: "ROW RATE", turns per second of CPU time.
 */

#include <GLES2/gl2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "egl_context.h"
#include "gl_calls.h"

#define SIZE 64       /* of targets and textures, in pixels */
#define PAGE_FLOATS (16 * 1024) /* a buffer of 64 KiB */
#define OBJECT_VERTICES 300
#define SPRITES 64    /* of a ring of sprites' vertices */

struct bench {
   GLuint programs[2], textures[2], buffers[2], ring, framebuffers[2];
   GLint color[2], matrix[2];
   GLuint kept[2]; /* framebuffer and texture of the rows that make new ones */
};

static const char vs[] = "attribute vec4 position;\n"
                         "uniform mat4 matrix;\n"
                         "varying vec2 st;\n"
                         "void main() { gl_Position = matrix * position; st = position.xy; }\n";
static const char *const fs[2] = {
   "precision mediump float;\n"
   "uniform vec4 color;\n"
   "uniform sampler2D t;\n"
   "varying vec2 st;\n"
   "void main() { gl_FragColor = color * texture2D(t, st); }\n",
   "precision mediump float;\n"
   "uniform vec4 color;\n"
   "uniform sampler2D t;\n"
   "varying vec2 st;\n"
   "void main() { gl_FragColor = color + texture2D(t, st); }\n",
};
static const float identity[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };
static const float quad[8] = { -1, -1, 1, -1, -1, 1, 1, 1 };
static float vertices[PAGE_FLOATS];
static unsigned char texels[SIZE * SIZE * 4];

static GLuint
new_texture(void)
{
   const GLuint texture = empty_texture(GL_TEXTURE_2D);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   return texture;
}

static GLuint
framebuffer_of(GLuint texture)
{
   const GLuint framebuffer = new_framebuffer();
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
   return framebuffer;
}

static void
setup(struct bench *b)
{
   for (unsigned i = 0; i < PAGE_FLOATS; i++)
      vertices[i] = quad[i % 8] * 0.5f;
   b->ring = filled_buffer(GL_ARRAY_BUFFER, SPRITES * sizeof(quad), NULL, GL_STREAM_DRAW);
   for (unsigned i = 0; i < 2; i++) {
      b->framebuffers[i] = framebuffer_of(new_texture());
      const GLuint depth = target_buffer(GL_DEPTH_COMPONENT16, SIZE, SIZE);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
      b->programs[i] = test_program_create(vs, fs[i]);
      b->color[i] = glGetUniformLocation(b->programs[i], "color");
      b->matrix[i] = glGetUniformLocation(b->programs[i], "matrix");
      glUseProgram(b->programs[i]);
      glUniformMatrix4fv(b->matrix[i], 1, GL_FALSE, identity);
      b->buffers[i] = filled_buffer(GL_ARRAY_BUFFER, sizeof(vertices), vertices, GL_STATIC_DRAW);
      b->textures[i] = new_texture();
   }
   glEnableVertexAttribArray(0);
   glViewport(0, 0, SIZE, SIZE);
}

/* The state that each row begins with. */
static void
reset(struct bench *b)
{
   glDisable(GL_BLEND);
   glDisable(GL_SCISSOR_TEST);
   glUseProgram(b->programs[1]);
   glBindTexture(GL_TEXTURE_2D, b->textures[1]);
   glBindFramebuffer(GL_FRAMEBUFFER, b->framebuffers[0]);
   glBindBuffer(GL_ARRAY_BUFFER, b->buffers[1]);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
}

static void
draw(void)
{
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static void
switch_framebuffer(struct bench *b, unsigned i)
{
   glBindFramebuffer(GL_FRAMEBUFFER, b->framebuffers[i & 1]);
   draw();
}

static void
clear(GLuint framebuffer, GLbitfield buffers)
{
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glClear(buffers);
   draw();
}

static void clear_first(struct bench *b, unsigned i) { clear(b->framebuffers[i & 1], GL_COLOR_BUFFER_BIT); }
static void clear_both(struct bench *b, unsigned i) { clear(b->framebuffers[i & 1], GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT); }

static void
sub_image(unsigned size)
{
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, size, size, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   draw();
}

static void sub_image_16(struct bench *b, unsigned i) { sub_image(16); }
static void sub_image_64(struct bench *b, unsigned i) { sub_image(SIZE); }

static void
image_64(struct bench *b, unsigned i)
{
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   draw();
}

static void
mipmap_64(struct bench *b, unsigned i)
{
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   glGenerateMipmap(GL_TEXTURE_2D);
   draw();
}

static void
orphan(unsigned bytes)
{
   glBufferData(GL_ARRAY_BUFFER, bytes, vertices, GL_STREAM_DRAW);
   draw();
}

static void
orphan_quad(struct bench *b, unsigned i)
{
   glBindBuffer(GL_ARRAY_BUFFER, b->ring);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   orphan(sizeof(quad));
}

static void orphan_page(struct bench *b, unsigned i) { orphan(sizeof(vertices)); }

static void
sprite(struct bench *b, unsigned i)
{
   const unsigned at = i % SPRITES;

   glBindBuffer(GL_ARRAY_BUFFER, b->ring);
   if (!at)
      glBufferData(GL_ARRAY_BUFFER, SPRITES * sizeof(quad), NULL, GL_STREAM_DRAW);
   glBufferSubData(GL_ARRAY_BUFFER, at * sizeof(quad), sizeof(quad), quad);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, (void *)(at * sizeof(quad)));
   draw();
}

static void
client_quad(struct bench *b, unsigned i)
{
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, quad);
   draw();
}

static void
flush(struct bench *b, unsigned i)
{
   draw();
   glFlush();
}

static void
finish(struct bench *b, unsigned i)
{
   draw();
   glFinish();
}

static void
read_pixel(struct bench *b, unsigned i)
{
   unsigned char pixel[4];
   draw();
   glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
}

static void
make_texture(struct bench *b, unsigned i)
{
   glDeleteTextures(1, &b->kept[1]);
   b->kept[1] = new_texture();
   draw();
}

static void
make_framebuffer(struct bench *b, unsigned i)
{
   glDeleteFramebuffers(1, &b->kept[0]);
   b->kept[0] = framebuffer_of(b->textures[0]);
   draw();
}

/* An object of a game: program, matrix, color, texture, buffer. */
static void
object(struct bench *b, unsigned i)
{
   const unsigned n = i & 1;

   glUseProgram(b->programs[n]);
   glUniformMatrix4fv(b->matrix[n], 1, GL_FALSE, identity);
   glUniform4f(b->color[n], i & 255, 0, 0, 1);
   glBindTexture(GL_TEXTURE_2D, b->textures[n]);
   glBindBuffer(GL_ARRAY_BUFFER, b->buffers[n]);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   glDrawArrays(GL_TRIANGLES, 0, OBJECT_VERTICES);
}

/* An item of a user interface: a part of the window, its vertices from the application's memory, a glyph now and then. */
static void
item(struct bench *b, unsigned i)
{
   if (i % 8 == 0)
      glTexSubImage2D(GL_TEXTURE_2D, 0, 16, 16, 16, 16, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   (i & 1 ? glEnable : glDisable)(GL_BLEND);
   glEnable(GL_SCISSOR_TEST);
   glScissor(i % 16, 0, 32, 32);
   client_quad(b, i);
}

/* A frame of a compositor: a client's new contents, eight windows. */
static void
composite(struct bench *b, unsigned i)
{
   sub_image(SIZE);
   glClear(GL_COLOR_BUFFER_BIT);
   for (unsigned window = 0; window < 8; window++) {
      glBindTexture(GL_TEXTURE_2D, b->textures[window & 1]);
      client_quad(b, window);
   }
   glFlush();
}

static const struct row {
   const char *name;
   void (*turn)(struct bench *, unsigned);
} rows[] = {
   { "framebuffer", switch_framebuffer }, { "clear-color", clear_first }, { "clear-all", clear_both },
   { "sub-image-16", sub_image_16 }, { "sub-image-64", sub_image_64 }, { "image-64", image_64 },
   { "mipmap-64", mipmap_64 }, { "orphan-quad", orphan_quad }, { "orphan-64k", orphan_page },
   { "sprite", sprite }, { "client-quad", client_quad }, { "flush", flush },
   { "finish", finish }, { "read-pixel", read_pixel }, { "new-texture", make_texture },
   { "new-framebuffer", make_framebuffer }, { "object", object }, { "item", item },
   { "compositor", composite },
};

static double
measure(struct bench *b, const struct row *row, unsigned turns)
{
   reset(b);
   double start = test_cpu_time();
   for (unsigned i = 0; i < turns; i++)
      row->turn(b, i);
   glFinish();
   return turns / (test_cpu_time() - start);
}

int
main(int argc, char **argv)
{
   unsigned turns = argc > 1 ? strtoul(argv[1], NULL, 10) : 5000;
   struct bench bench = { 0 };
   if (!test_context_create(true))
      return 1;
   fprintf(stderr, "%s\n", glGetString(GL_RENDERER));
   setup(&bench);
   for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
      if (argc > 2 && strcmp(argv[2], rows[i].name) != 0)
         continue;
      measure(&bench, &rows[i], turns); /* until nobody has new memory to get */
      printf("%s %.0f\n", rows[i].name, measure(&bench, &rows[i], turns));
   }
   if (glGetError() != GL_NO_ERROR) {
      fprintf(stderr, "a call failed\n");
      return 1;
   }
   return 0;
}
