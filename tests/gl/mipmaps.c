/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * mipmaps: levels that glGenerateMipmap makes of textures of one channel, again and again in other sizes.
 *
 * Each texel of a level is the mean of the four (or two) of the level before: sizes are powers of two.
 */

#include "opengl.h"

#define MAX_SIZE 128
#define SIZES 40

static uint8_t texels[MAX_SIZE * MAX_SIZE];

static unsigned
smaller(unsigned size)
{
   return size > 1 ? size / 2 : 1;
}

/* Of texels, in place. */
static void
halve(unsigned width, unsigned height)
{
   const unsigned dx = width > 1, dy = height > 1;

   for (unsigned y = 0; y < smaller(height); y++) {
      for (unsigned x = 0; x < smaller(width); x++) {
         const uint8_t *from = &texels[(y << dy) * width + (x << dx)];
         texels[y * smaller(width) + x] = (from[0] + from[dx] + from[dy * width] + from[dy * width + dx] + 2) / 4;
      }
   }
}

static void
expect_level(GLenum format, unsigned level, unsigned width, unsigned height)
{
   static uint8_t got[MAX_SIZE * MAX_SIZE];

   glGetTexImage(GL_TEXTURE_2D, level, format, GL_UNSIGNED_BYTE, got);
   for (unsigned i = 0; i < width * height; i++) {
      if (abs(got[i] - texels[i]) > 1 + (int)level) {
         fprintf(stderr, "format 0x%x, level %u of %ux%u, texel %u: %u, expected %u\n", format, level, width, height, i,
                 got[i], texels[i]);
         exit(1);
      }
   }
}

static void
generate(GLenum internal, GLenum format, unsigned width, unsigned height)
{
   for (unsigned i = 0; i < width * height; i++)
      texels[i] = (i % width) * 100 / width + (i / width) * 150 / height;
   glTexImage2D(GL_TEXTURE_2D, 0, internal, width, height, 0, format, GL_UNSIGNED_BYTE, texels);
   glGenerateMipmap(GL_TEXTURE_2D);
   for (unsigned level = 1; width > 1 || height > 1; level++) {
      halve(width, height);
      width = smaller(width);
      height = smaller(height);
      expect_level(format, level, width, height);
   }
}

int
main(void)
{
   static const GLenum formats[][2] = {
      {GL_ALPHA8, GL_ALPHA}, {GL_LUMINANCE8, GL_LUMINANCE}, {GL_INTENSITY8, GL_RED}, {GL_RED, GL_RED}};

   open_target(16, 16, false);
   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
   glPixelStorei(GL_PACK_ALIGNMENT, 1);
   srand(1);
   for (unsigned i = 0; i < COUNT(formats); i++) {
      GLuint texture;
      glGenTextures(1, &texture);
      glBindTexture(GL_TEXTURE_2D, texture);
      for (unsigned n = 0; n < SIZES; n++)
         generate(formats[i][0], formats[i][1], 1 << rand() % 8, 1 << rand() % 8);
      glDeleteTextures(1, &texture);
   }
   CHECK(glGetError() == GL_NO_ERROR);
   return 0;
}
