/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * mipmaps: levels that glGenerateMipmap makes of textures of one channel, again and again in other sizes.
 *
 * Each texel of a level is the mean of the four (or two) of the level before: sizes are powers of two.
 *
 * Then random levels of textures of any size, which are drawn one to one with linear filters and show their texels.
 */

#include "opengl.h"

#define MAX_SIZE 128
#define SIZES 40
/* Weights of the filter have 6 bits; coordinates 14, which is a 64th of the largest texture's texels. */
#define TOLERANCE 4

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

/* Does a level of detail choose the level?  Copies of repeated textures may be a quarter of a level off. */
static bool
is_drawn_from(unsigned level, double lod, GLenum wrap)
{
   return fabs(lod - level) < (wrap == GL_REPEAT ? 0.2 : 0.45);
}

static unsigned
draw_level(const uint8_t *expected, unsigned level, unsigned width, unsigned height)
{
   static uint8_t got[MAX_SIZE * MAX_SIZE];
   unsigned wrong = 0;

   glViewport(0, 0, width, height);
   glBegin(GL_QUADS);
   for (unsigned i = 0; i < 4; i++) {
      const int s = i == 1 || i == 2, t = i >= 2;
      glTexCoord2i(s, t);
      glVertex2i(2 * s - 1, 2 * t - 1);
   }
   glEnd();
   glReadPixels(0, 0, width, height, GL_RED, GL_UNSIGNED_BYTE, got);
   for (unsigned i = 0; i < width * height; i++) {
      if (abs(got[i] - expected[i]) > TOLERANCE && !wrong++)
         fprintf(stderr, "level %u of %ux%u, pixel %u: %u, expected %u\n", level, width, height, i, got[i], expected[i]);
   }
   return wrong;
}

static unsigned
draw_levels(unsigned width, unsigned height, GLenum wrap)
{
   static uint8_t levels[8][MAX_SIZE * MAX_SIZE];
   unsigned wrong = 0;

   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, wrap);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, wrap);
   for (unsigned level = 0, w = width, h = height; level == 0 || w * h > 1; level++) {
      w = level ? smaller(w) : w;
      h = level ? smaller(h) : h;
      for (unsigned i = 0; i < w * h; i++)
         levels[level][i] = rand() % 256;
      glTexImage2D(GL_TEXTURE_2D, level, GL_LUMINANCE8, w, h, 0, GL_LUMINANCE, GL_UNSIGNED_BYTE, levels[level]);
   }
   for (unsigned level = 0, w = width, h = height; level == 0 || w * h > 1; level++) {
      w = level ? smaller(w) : w;
      h = level ? smaller(h) : h;
      if (is_drawn_from(level, log2(fmax((double)width / w, (double)height / h)), wrap))
         wrong += draw_level(levels[level], level, w, h);
   }
   return wrong;
}

static unsigned
draw_random_levels(void)
{
   GLuint texture;
   unsigned wrong = 0;

   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_NEAREST);
   glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
   glEnable(GL_TEXTURE_2D);
   for (unsigned n = 0; n < SIZES; n++)
      wrong += draw_levels(1 + rand() % MAX_SIZE, 1 + rand() % MAX_SIZE, n % 2 ? GL_REPEAT : GL_CLAMP_TO_EDGE);
   return wrong;
}

int
main(void)
{
   static const GLenum formats[][2] = {
      {GL_ALPHA8, GL_ALPHA}, {GL_LUMINANCE8, GL_LUMINANCE}, {GL_INTENSITY8, GL_RED}, {GL_RED, GL_RED}};

   open_target(MAX_SIZE, MAX_SIZE, false);
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
   const unsigned wrong = draw_random_levels();
   CHECK(glGetError() == GL_NO_ERROR);
   return wrong != 0;
}
