/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Blits to a whole fraction of the size, from sources as wide as the chip takes: where a centre of a pixel is the edge between
 * two texels a linear filter averages both, and the nearest texel is the one behind; where it is the centre of a texel both
 * filters take that. Every pixel is compared with an average that is computed here.
 */

#include "opengl.h"

#define MAX_WIDTH 2048
#define MAX_HEIGHT 96

static unsigned char source[MAX_HEIGHT][MAX_WIDTH][4], drawn[MAX_HEIGHT][MAX_WIDTH][4];

static const struct blit {
   int width, height; /* of the destination */
   int across, down;  /* how many times as large the source is */
   GLenum filter;
   bool mirrored; /* from right to left */
} blits[] = {
   { 1024, 16, 2, 2, GL_LINEAR, false }, { 1024, 16, 2, 2, GL_NEAREST, false }, { 1000, 16, 2, 2, GL_LINEAR, true },
   { 1000, 16, 2, 2, GL_NEAREST, true }, { 682, 16, 3, 3, GL_LINEAR, false },   { 2047, 16, 1, 2, GL_LINEAR, false },
   { 2000, 16, 1, 1, GL_LINEAR, true },  { 1023, 32, 2, 1, GL_LINEAR, true },   { 1023, 32, 2, 3, GL_NEAREST, false },
   { 500, 16, 4, 6, GL_LINEAR, false },  { 500, 16, 4, 6, GL_NEAREST, true },
};

static GLuint
make_framebuffer(int width, int height, const void *texels)
{
   GLuint texture, framebuffer;

   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   framebuffer = texture_framebuffer(GL_TEXTURE_2D, texture, 0);
   return framebuffer;
}

/* Which texels one direction takes for a pixel; how many. */
static int
texels_of(int pixel, int times, bool linear, int taken[2])
{
   const int first = pixel * times + times / 2;

   if (times % 2 || !linear) {
      taken[0] = first;
      return 1;
   }
   taken[0] = first - 1;
   taken[1] = first;
   return 2;
}

/* The largest difference of a channel. */
static int
compare(const struct blit *b)
{
   int worst = 0;

   for (int y = 0; y < b->height; y++) {
      for (int x = 0; x < b->width; x++) {
         int columns[2], rows[2];
         const int nx = texels_of(x, b->across, b->filter == GL_LINEAR, columns),
                   ny = texels_of(y, b->down, b->filter == GL_LINEAR, rows);

         for (int c = 0; c < 4; c++) {
            int sum = 0;

            for (int i = 0; i < nx * ny; i++)
               sum += source[rows[i / nx]][columns[i % nx]][c];
            const int at = b->mirrored ? b->width - 1 - x : x;
            const int off = abs(drawn[y][at][c] * nx * ny - sum);
            worst = off > worst * nx * ny ? (off + nx * ny - 1) / (nx * ny) : worst;
         }
      }
   }
   return worst;
}

static bool
check_blit(const struct blit *b)
{
   const int width = b->width * b->across, height = b->height * b->down;

   glPixelStorei(GL_UNPACK_ROW_LENGTH, MAX_WIDTH);
   glPixelStorei(GL_PACK_ROW_LENGTH, MAX_WIDTH);
   const GLuint from = make_framebuffer(width, height, source), to = make_framebuffer(b->width, b->height, NULL);
   glBindFramebuffer(GL_READ_FRAMEBUFFER, from);
   glBlitFramebuffer(b->mirrored ? width : 0, 0, b->mirrored ? 0 : width, height, 0, 0, b->width, b->height,
                     GL_COLOR_BUFFER_BIT, b->filter);
   glBindFramebuffer(GL_FRAMEBUFFER, to);
   glReadPixels(0, 0, b->width, b->height, GL_RGBA, GL_UNSIGNED_BYTE, drawn);
   CHECK(glGetError() == GL_NO_ERROR);
   const int worst = compare(b);
   const int tolerance = b->filter == GL_LINEAR && (b->across % 2 == 0 || b->down % 2 == 0) ? 2 : 0;
   if (worst > tolerance)
      fprintf(stderr, "%dx%d from %d times %d, %s%s: off by %d\n", b->width, b->height, b->across, b->down,
              b->filter == GL_LINEAR ? "linear" : "nearest", b->mirrored ? ", mirrored" : "", worst);
   return worst <= tolerance;
}

int
main(void)
{
   EGLDisplay display = open_display();
   unsigned wrong = 0;

   make_current(display, new_context(display, EGL_NO_CONTEXT));
   srand(1);
   for (size_t i = 0; i < sizeof(source); i++)
      ((unsigned char *)source)[i] = rand() >> 8;
   for (unsigned i = 0; i < COUNT(blits); i++)
      wrong += !check_blit(&blits[i]);
   return wrong != 0;
}
