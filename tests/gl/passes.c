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

#include "opengl_es.h"

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
make_texture(GLuint *framebuffer)
{
   const GLuint texture = filtered_texture(GL_TEXTURE_2D, GL_NEAREST);

   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   *framebuffer = texture_framebuffer(GL_TEXTURE_2D, texture, 0);
   glClear(GL_COLOR_BUFFER_BIT);
   return texture;
}

/* Each pass counts up, modulo 16: steps that a fragment program can tell apart. */
static void
ping_pong(const GLuint textures[2], const GLuint framebuffers[2])
{
   const GLuint program = square_program("precision mediump float;\n"
                                         "uniform sampler2D image;\n"
                                         "varying vec2 p;\n"
                                         "void main() {\n"
                                         "   float value = floor(texture2D(image, p).r * 15.0 + 0.5);\n"
                                         "   value = value > 14.5 ? 0.0 : value + 1.0;\n"
                                         "   gl_FragColor = vec4(value / 15.0);\n"
                                         "}\n");
   glUseProgram(program);
   for (unsigned i = 0; i < passes; i++) {
      glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[(i + 1) % 2]);
      glBindTexture(GL_TEXTURE_2D, textures[i % 2]);
      draw_square();
   }
   check_pixels("ping-pong", passes % 16 * 17);
}

/* Each copy moves the columns by one: after some the first column is everywhere. */
static void
copies_within(GLuint texture, GLuint framebuffer)
{
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glBindTexture(GL_TEXTURE_2D, texture);
   clear_color(0.2f, 0, 0, 0);
   scissor_to(0, 0, 1, SIZE);
   clear_color(1, 0, 0, 0);
   glDisable(GL_SCISSOR_TEST);
   for (unsigned i = 0; i < passes; i++)
      glCopyTexSubImage2D(GL_TEXTURE_2D, 0, i % (SIZE - 1) + 1, 0, i % (SIZE - 1), 0, 1, SIZE);
   CHECK(passes >= SIZE);
   check_pixels("copies", 255);
}

/* Two layers of a draw that invert what they cover, after a draw of the same program that does not blend. */
static void
inverted_layers(GLuint framebuffer)
{
   static const GLfloat corners[6][2] = {{-1, -1}, {3, -1}, {-1, 3}, {-1, -1}, {3, -1}, {-1, 3}};

   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glUseProgram(square_program("void main() { gl_FragColor = vec4(1.0); }"));
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
   glBlendFunc(GL_ONE_MINUS_DST_COLOR, GL_ZERO);
   glDrawArrays(GL_TRIANGLES, 0, COUNT(corners));
   glEnable(GL_BLEND);
   glDrawArrays(GL_TRIANGLES, 0, COUNT(corners));
   check_pixels("layers", 255);
}

int
main(int argc, char **argv)
{
   GLuint framebuffers[2], textures[2];

   const struct option_of_test options[] = {{"passes", &passes}};
   parse_options(argc, argv, options, COUNT(options));
   open_context();
   glDisable(GL_DITHER);
   glViewport(0, 0, SIZE, SIZE);
   for (unsigned i = 0; i < 2; i++)
      textures[i] = make_texture(&framebuffers[i]);
   ping_pong(textures, framebuffers);
   copies_within(textures[0], framebuffers[0]);
   inverted_layers(framebuffers[0]);
   CHECK(glGetError() == GL_NO_ERROR);
   printf("%u passes: %u wrong pixels\n", passes, wrong);
   return wrong != 0;
}
