/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * A vernier for the interpolator: a texture of 2048 texels drawn one to one
 * with a linear filter.  The centre of a pixel is that of a texel, so a pixel
 * that has a part of a neighbour tells by how much its coordinate is off.
 * Texel i has bit 0 of its number in red and bit 1 in green: red tells how
 * large the part is, green of which neighbour.  Where w varies no primitive
 * is drawn one to one: there the part that a pixel has of either texel is
 * computed, and red tells by how much it is another one.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hwtest.h"
#include "tegra20/gr3d_regs.h"

#define LENGTH 2048
#define LOG_LENGTH 11
#define BREADTH 16
#define LOG_BREADTH 4

/* Along X or Y, with w of 1 at the start and of this at the end. */
static const struct vernier_scale {
   unsigned axis;
   float w;
} along_x = { 0, 1 }, along_y = { 1, 1 }, deep_x = { 0, 2 },
  deep_y = { 1, 2 };

/* The place of pixel or texel i along the vernier, in row or column k. */
static uint32_t
place(unsigned axis, unsigned i, unsigned k)
{
   return 4 * (axis ? i * BREADTH + k : k * LENGTH + i);
}

void
vernier_build(struct test *t, const void *data)
{
   const struct vernier_scale *scale = data;
   const unsigned axis = scale->axis;
   const unsigned width = axis ? BREADTH : LENGTH,
                  height = axis ? LENGTH : BREADTH;

   for (unsigned i = 0; i < LENGTH; i++) {
      for (unsigned k = 0; k < BREADTH; k++)
         *test_memory32(t, AT_TEXTURE + place(axis, i, k)) =
            0xff000000 | (i & 1 ? 0xff : 0) | (i & 2 ? 0xff00 : 0);
   }
   test_reg(t, GR3D_SCISSOR_HORIZ, width);
   test_reg(t, GR3D_SCISSOR_VERT, height);
   test_float(t, GR3D_VIEWPORT_X_BIAS, 8.0f * width);
   test_float(t, GR3D_VIEWPORT_X_SCALE, 8.0f * width);
   test_float(t, GR3D_VIEWPORT_Y_BIAS, 8.0f * height);
   test_float(t, GR3D_VIEWPORT_Y_SCALE, 8.0f * height);
   test_target(t, 1, AT_TARGET, GR3D_PIXEL_FORMAT_RGBA8888, 4 * width);
   test_texture(t, AT_TEXTURE, GR3D_PIXEL_FORMAT_RGBA8888,
                axis ? LOG_BREADTH : LOG_LENGTH,
                axis ? LOG_LENGTH : LOG_BREADTH, 1,
                FILTER_LINEAR | WRAP_CLAMP);
   test_fragment_program(t, FP_TEXTURE);
   for (unsigned i = 0; i < 4; i++) {
      const float s = i & 1, u = i >> 1, w = (axis ? u : s) ? scale->w : 1;
      test_clip_vertex(t, (2 * s - 1) * w, (2 * u - 1) * w, 0, w, s, u, 0, 1);
   }
   test_draw(t, GR3D_PRIMITIVE_TYPE_TRIANGLE_STRIP, 0, 4);
}

/* By how much the coordinate of a pixel is off, in texels; s is the right
 * one.  False: too near a texel's centre to tell. */
static bool
deep_error(const uint8_t *pixel, double s, double *off)
{
   const double at = s * LENGTH - 0.5, part = at - floor(at),
                red = pixel[0] / 255.0;

   *off = ((int)floor(at) & 1 ? 1 - red : red) - part;
   return fabs(part - 0.5) < 0.15;
}

/* The same where the pixel is a texel. */
static double
error_of(const uint8_t *pixel, unsigned i)
{
   const double red = pixel[0] / 255.0, green = pixel[1] / 255.0;
   const double part = i & 1 ? 1 - red : red,
                other = i & 2 ? 1 - green : green;
   const bool green_changes = other > part / 2;

   return green_changes == (i & 1) ? part : -part;
}

void
vernier_fit(const struct experiment *e, const uint8_t *memory,
            struct vernier *v)
{
   const struct vernier_scale *scale = e->data;
   double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;

   /* The first and the last texel have one neighbour; the other triangle of
    * the rectangle has other explicit weights. */
   for (unsigned i = 1; i < LENGTH - 1; i++) {
      for (unsigned k = 0; (k + 1) * LENGTH < (LENGTH - i) * BREADTH; k++) {
         const uint8_t *pixel = memory + AT_TARGET + place(scale->axis, i, k);
         const double on_screen = (i + 0.5) / LENGTH,
                      at =
                         on_screen / (scale->w + (1 - scale->w) * on_screen);
         double off;

         if (scale->w == 1)
            off = error_of(pixel, i);
         else if (!deep_error(pixel, at, &off))
            continue;
         n++;
         x += at;
         y += off;
         xx += at * at;
         xy += at * off;
         yy += off * off;
      }
   }
   const double slope = (n * xy - x * y) / (n * xx - x * x),
                start = (y - slope * x) / n;
   const double squares = yy - start * y - slope * xy;

   *v = (struct vernier){ .fitted = true,
                          .start = start,
                          .slope = slope,
                          .spread = sqrt(fmax(squares / n, 0)) };
}

static const struct experiment table[] = {
   { "A43", "vernier-x", "2048 texels one to one, linear, across",
     vernier_build, &along_x },
   { "A43", "vernier-y", "the same upwards", vernier_build, &along_y },
   { "A43", "vernier-deep-x", "across, with w from 1 to 2", vernier_build,
     &deep_x },
   { "A43", "vernier-deep-y", "the same upwards", vernier_build, &deep_y },
};

const struct experiment_table vernier_experiments = {
   table, sizeof(table) / sizeof(table[0])
};
