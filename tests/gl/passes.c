/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Chains of passes in which each reads what the one before wrote, without a flush between them: a texture drawn into another
 * one and back, and copies within one texture.  Blurs and simulations do that.  Each pass needs a wait in the stream, which
 * takes room in the push buffer of the kernel's channel (kernel-review.md 1); the values tell that none was lost.
 *
 * Usage: test_passes [--passes N] (default 400)
 */

#include <GLES2/gl2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "egl_context.h"
#include "program.h"

#define SIZE 16

static unsigned passes = 400, wrong;

static void
check_pixels(const char *what, unsigned expected)
{
   unsigned char pixels[SIZE][SIZE][4];

   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned y = 0; y < SIZE; y++) {
      for (unsigned x = 0; x < SIZE; x++) {
         if (pixels[y][x][0] != expected && !wrong++)
            printf("%s: %u at %u,%u, expected %u\n", what, pixels[y][x][0], x, y, expected);
      }
   }
}

static GLuint
make_texture(GLuint framebuffer)
{
   GLuint texture;

   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
   CHECK(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
   glClear(GL_COLOR_BUFFER_BIT);
   return texture;
}

/* Each pass counts up, modulo 16: steps that a fragment program can tell apart. */
static void
ping_pong(const GLuint textures[2], const GLuint framebuffers[2])
{
   static const GLfloat corners[] = {-1, -1, 3, -1, -1, 3};
   static const char *const attributes[] = {"corner", NULL};
   const GLuint program = make_program(
      "attribute vec2 corner;\n"
      "varying vec2 place;\n"
      "void main() { place = corner * 0.5 + 0.5; gl_Position = vec4(corner, 0.0, 1.0); }\n",
      "precision mediump float;\n"
      "uniform sampler2D image;\n"
      "varying vec2 place;\n"
      "void main() {\n"
      "   float value = floor(texture2D(image, place).r * 15.0 + 0.5);\n"
      "   value = value > 14.5 ? 0.0 : value + 1.0;\n"
      "   gl_FragColor = vec4(value / 15.0);\n"
      "}\n", attributes);

   glUseProgram(program);
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
   for (unsigned i = 0; i < passes; i++) {
      glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[(i + 1) % 2]);
      glBindTexture(GL_TEXTURE_2D, textures[i % 2]);
      glDrawArrays(GL_TRIANGLES, 0, 3);
   }
   check_pixels("ping-pong", passes % 16 * 17);
}

/* Each copy moves the columns by one: after some the first column is everywhere. */
static void
copies_within(GLuint texture, GLuint framebuffer)
{
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glBindTexture(GL_TEXTURE_2D, texture);
   glClearColor(0.2f, 0, 0, 0);
   glClear(GL_COLOR_BUFFER_BIT);
   glEnable(GL_SCISSOR_TEST);
   glScissor(0, 0, 1, SIZE);
   glClearColor(1, 0, 0, 0);
   glClear(GL_COLOR_BUFFER_BIT);
   glDisable(GL_SCISSOR_TEST);
   for (unsigned i = 0; i < passes; i++)
      glCopyTexSubImage2D(GL_TEXTURE_2D, 0, i % (SIZE - 1) + 1, 0, i % (SIZE - 1), 0, 1, SIZE);
   CHECK(passes >= SIZE);
   check_pixels("copies", 255);
}

int
main(int argc, char **argv)
{
   GLuint framebuffers[2], textures[2];

   if (argc == 3 && !strcmp(argv[1], "--passes"))
      passes = strtoul(argv[2], NULL, 10);
   if (!test_context_create(true))
      return 1;
   glDisable(GL_DITHER);
   glViewport(0, 0, SIZE, SIZE);
   glGenFramebuffers(2, framebuffers);
   for (unsigned i = 0; i < 2; i++)
      textures[i] = make_texture(framebuffers[i]);
   ping_pong(textures, framebuffers);
   copies_within(textures[0], framebuffers[0]);
   CHECK(glGetError() == GL_NO_ERROR);
   printf("%u passes: %u wrong pixels\n", passes, wrong);
   test_context_destroy();
   return wrong != 0;
}
