/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Random levels of textures of any size, which are drawn one to one with linear filters and show their texels.  Levels that are
 * made of a volume are means of eight texels.
 */

#include "opengl.h"

#define MAX_SIZE 128
#define SIZES 40
/* Weights of the filter have 6 bits; coordinates 14, which is a 64th of the largest texture's texels. */
#define TOLERANCE 4

static unsigned
smaller(unsigned size)
{
   return size > 1 ? size / 2 : 1;
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

   set_wraps(GL_TEXTURE_2D, wrap, wrap);
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
make_volume_levels(void)
{
   uint8_t texels[8][4][4], got[16];
   unsigned wrong = 0;

   for (unsigned i = 0; i < sizeof(texels); i++)
      texels[i / 16][i / 4 % 4][i % 4] = rand() % 256;
   glTexImage3D(GL_TEXTURE_3D, 0, GL_LUMINANCE8, 4, 4, 8, 0, GL_LUMINANCE, GL_UNSIGNED_BYTE, texels);
   glGenerateMipmap(GL_TEXTURE_3D);
   glGetTexImage(GL_TEXTURE_3D, 1, GL_LUMINANCE, GL_UNSIGNED_BYTE, got);
   for (unsigned i = 0; i < sizeof(got); i++) {
      unsigned sum = 0;
      for (unsigned j = 0; j < 8; j++)
         sum += texels[i / 4 * 2 + j / 4][i / 2 % 2 * 2 + j / 2 % 2][i % 2 * 2 + j % 2];
      if (abs(got[i] - (int)sum / 8) > 1 && !wrong++)
         fprintf(stderr, "volume, pixel %u: %u, expected %u\n", i, got[i], sum / 8);
   }
   return wrong;
}

int
main(void)
{
   unsigned wrong = 0;

   open_target(MAX_SIZE, MAX_SIZE, false);
   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
   glPixelStorei(GL_PACK_ALIGNMENT, 1);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_NEAREST);
   glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
   glEnable(GL_TEXTURE_2D);
   srand(1);
   for (unsigned n = 0; n < SIZES; n++)
      wrong += draw_levels(1 + rand() % MAX_SIZE, 1 + rand() % MAX_SIZE, n % 2 ? GL_REPEAT : GL_CLAMP_TO_EDGE);
   wrong += make_volume_levels();
   CHECK(glGetError() == GL_NO_ERROR);
   return wrong != 0;
}
