/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Order between the two engines, in both directions and for each kind of dependency.  GR2D clears and copies, GR3D draws;
 * each step is submitted at once and executed late (run it with TEGRA20_SHIM_ASYNC=60000: the simulated kernel then prefers
 * what was submitted last), so that a wait that is missing shows as a colour of the wrong step.
 */

#include <GLES2/gl2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "egl_context.h"
#include "program.h"

#define SIZE  32
#define STEPS 20

enum { SOURCE, RESULT, COPIES, NUM_IMAGES };

static GLuint textures[NUM_IMAGES], framebuffers[NUM_IMAGES];
static unsigned wrong;

static void
make_images(void)
{
   glGenTextures(NUM_IMAGES, textures);
   glGenFramebuffers(NUM_IMAGES, framebuffers);
   for (unsigned i = 0; i < NUM_IMAGES; i++) {
      glBindTexture(GL_TEXTURE_2D, textures[i]);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
      glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
      glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[i]);
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, textures[i], 0);
      CHECK(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
      glClear(GL_COLOR_BUFFER_BIT);
   }
}

/* Of a step; never that of a neighbour. */
static unsigned
value(unsigned step)
{
   return 10 + 12 * step;
}

/* GR2D writes the whole image. */
static void
clear(unsigned image, unsigned red)
{
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[image]);
   glClearColor(red / 255.0f, 0, 0, 1);
   glClear(GL_COLOR_BUFFER_BIT);
   glFlush();
}

/* The CPU writes the whole image, or its left half and its right half. */
static void
upload(unsigned image, unsigned red, bool halves)
{
   static unsigned char texels[SIZE * SIZE][4];
   const unsigned width = halves ? SIZE / 2 : SIZE;

   for (unsigned i = 0; i < SIZE * SIZE; i++)
      texels[i][0] = red;
   glBindTexture(GL_TEXTURE_2D, textures[image]);
   for (unsigned x = 0; x < SIZE; x += width)
      glTexSubImage2D(GL_TEXTURE_2D, 0, x, 0, width, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, texels);
}

/* GR3D reads an image, or a colour, and writes a row of another one, or all of it. */
static void
draw(GLuint program, unsigned image, int row)
{
   glUseProgram(program);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[image]);
   glBindTexture(GL_TEXTURE_2D, textures[SOURCE]);
   if (row >= 0) {
      glEnable(GL_SCISSOR_TEST);
      glScissor(0, row, SIZE, 1);
   }
   glDrawArrays(GL_TRIANGLES, 0, 3);
   glDisable(GL_SCISSOR_TEST);
   glFlush();
}

/* GR2D reads a row of the source. */
static void
copy_row(unsigned row)
{
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[SOURCE]);
   glBindTexture(GL_TEXTURE_2D, textures[COPIES]);
   glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, row, 0, row, SIZE, 1);
   glFlush();
}

static void
check_rows(const char *what, unsigned image)
{
   unsigned char pixels[SIZE][SIZE][4];

   glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[image]);
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned i = 0; i < STEPS; i++) {
      for (unsigned x = 0; x < SIZE; x++) {
         if (pixels[i][x][0] != value(i) && !wrong++)
            printf("%s: step %u is %u, expected %u\n", what, i, pixels[i][x][0], value(i));
      }
   }
}

/*
 * A buffer that a draw reads is written in part: it gets new memory with the old contents.  A second draw reads another part of
 * that, which is then written, too: neither draw sees that.  Two strips of vertices in one buffer: positions, then colours.
 */
static void
check_written_in_parts(GLuint program)
{
   static const GLfloat strip[4][2] = {{-1, -1}, {1, -1}, {-1, 1}, {1, 1}}, green[4][3] = {{0, 1}, {0, 1}, {0, 1}, {0, 1}},
                        red[4][3] = {{1}, {1}, {1}, {1}};
   const GLintptr last = sizeof(green); /* of two parts with colours */
   unsigned char pixels[SIZE][SIZE][4];
   GLuint buffers[2];

   glGenBuffers(2, buffers);
   glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
   glBufferData(GL_ARRAY_BUFFER, sizeof(strip), strip, GL_STATIC_DRAW);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   glBindBuffer(GL_ARRAY_BUFFER, buffers[1]);
   glBufferData(GL_ARRAY_BUFFER, 2 * sizeof(green), NULL, GL_DYNAMIC_DRAW);
   glBufferSubData(GL_ARRAY_BUFFER, 0, sizeof(green), green);
   glBufferSubData(GL_ARRAY_BUFFER, last, sizeof(green), green);
   glEnableVertexAttribArray(1);
   glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, 0, (void *)last);
   glUseProgram(program);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[RESULT]);
   for (unsigned i = 0; i < 2; i++) {
      glViewport(i * SIZE / 2, 0, SIZE / 2, SIZE);
      glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
      glBufferSubData(GL_ARRAY_BUFFER, i * last, sizeof(red), i ? red : green);
   }
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned i = 0; i < SIZE * SIZE; i++) {
      if (memcmp(pixels[i / SIZE][i % SIZE], (unsigned char[4]){0, 255, 0, 255}, 4) && !wrong++)
         printf("buffer written in parts: pixel %u,%u has a colour that was written later\n", i % SIZE, i / SIZE);
   }
}

int
main(void)
{
   static const GLfloat corners[] = {-1, -1, 3, -1, -1, 3};
   static const char *const attributes[] = {"corner", "tint", NULL};
   static const char vertex[] = "attribute vec2 corner;\n"
                                "varying vec2 place;\n"
                                "void main() { place = corner * 0.5 + 0.5; gl_Position = vec4(corner, 0.0, 1.0); }\n";

   if (!test_context_create(true))
      return 1;
   glDisable(GL_DITHER);
   make_images();
   const GLuint sampling = make_program(vertex, "precision mediump float;\n"
                                                "uniform sampler2D image;\n"
                                                "varying vec2 place;\n"
                                                "void main() { gl_FragColor = texture2D(image, place); }\n", attributes);
   const GLuint filling = make_program(vertex, "precision mediump float;\n"
                                               "uniform vec4 colour;\n"
                                               "void main() { gl_FragColor = colour; }\n", attributes);
   glViewport(0, 0, SIZE, SIZE);
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);

   /* 3D reads what 2D wrote; 2D writes what 3D reads. */
   for (unsigned i = 0; i < STEPS; i++) {
      clear(SOURCE, value(i));
      draw(sampling, RESULT, i);
   }
   clear(SOURCE, 5);
   check_rows("2D writes, 3D reads", RESULT);

   /* The CPU writes what 3D reads. */
   for (unsigned halves = 0; halves < 2; halves++) {
      for (unsigned i = 0; i < STEPS; i++) {
         upload(SOURCE, value(i), halves);
         draw(sampling, RESULT, i);
      }
      upload(SOURCE, 5, halves);
      check_rows(halves ? "CPU writes half, 3D reads" : "CPU writes all, 3D reads", RESULT);
   }

   /* 2D reads what 3D wrote; 3D writes what 2D reads. */
   glUseProgram(filling);
   const GLint colour = glGetUniformLocation(filling, "colour");
   for (unsigned i = 0; i < STEPS; i++) {
      glUseProgram(filling);
      glUniform4f(colour, value(i) / 255.0f, 0, 0, 1);
      draw(filling, SOURCE, -1);
      copy_row(i);
   }
   glUniform4f(colour, 0, 1, 0, 1);
   draw(filling, SOURCE, -1);
   check_rows("3D writes, 2D reads", COPIES);

   check_written_in_parts(make_program(
      "attribute vec2 corner; attribute vec3 tint; varying vec3 shade;\n"
      "void main() { shade = tint; gl_Position = vec4(corner, 0.0, 1.0); }\n",
      "varying lowp vec3 shade; void main() { gl_FragColor = vec4(shade, 1.0); }\n", attributes));

   CHECK(glGetError() == GL_NO_ERROR);
   test_context_destroy();
   return wrong != 0;
}
