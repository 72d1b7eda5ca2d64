/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * A vernier for the interpolator: a texture of 2048 texels drawn one to one
 * with a linear filter.  The centre of a pixel is that of a texel, so a pixel
 * that has a part of a neighbour tells by how much its coordinate is off.
 * Texel i has bit 0 of its number in red and bit 1 in green: red tells how
 * large the part is, green of which neighbour.
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

static const unsigned along_x = 0, along_y = 1;

/* The place of pixel or texel i along the vernier, in row or column k. */
static uint32_t
place(unsigned axis, unsigned i, unsigned k)
{
   return 4 * (axis ? i * BREADTH + k : k * LENGTH + i);
}

void
vernier_build(struct test *t, const void *data)
{
   const unsigned axis = *(const unsigned *)data;
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
   test_ramp(t, 0, 0, TEST_SIZE, TEST_SIZE, 1, 1);
}

/* By how much the coordinate of a pixel is off, in texels. */
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
   const unsigned axis = *(const unsigned *)e->data;
   double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;

   /* The first and the last texel have one neighbour; the other triangle of
    * the rectangle has other explicit weights. */
   for (unsigned i = 1; i < LENGTH - 1; i++) {
      for (unsigned k = 0; (k + 1) * LENGTH < (LENGTH - i) * BREADTH; k++) {
         const double at = (i + 0.5) / LENGTH,
                      off =
                         error_of(memory + AT_TARGET + place(axis, i, k), i);

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
};

const struct experiment_table vernier_experiments = {
   table, sizeof(table) / sizeof(table[0])
};
