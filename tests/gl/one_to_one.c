/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * A picture of 1280x720 drawn one to one, as compositors do: two triangles, texture coordinates from 0 to 1.  An owner of a
 * Tegra 2 published what it made of the same picture (docs/hardware/device-observations.md); the simulated chip is near
 * that.  With the nearest texel every pixel is right.
 */

#include "opengl_es.h"

#define WIDTH 1280
#define HEIGHT 720
/* What the owner counted: pixels with a channel that is off by more than 2, the largest difference, and by how many 64ths of
 * a texel the picture is shifted. */
#define DEVICE_WRONG 135476
#define DEVICE_SHIFT_X 3
#define DEVICE_SHIFT_Y (-2)

static const char vertex_source[] = "attribute vec2 corner; varying vec2 at;"
                                    "void main() { gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0); at = corner; }";
static const char fragment_source[] = "precision mediump float; varying vec2 at; uniform sampler2D picture;"
                                      "void main() { gl_FragColor = texture2D(picture, at); }";

static unsigned char picture[HEIGHT][WIDTH][4], drawn[HEIGHT][WIDTH][4];

/* Two ramps of different periods, a checkerboard, and white lines. */
static void
make_picture(void)
{
   for (int y = 0; y < HEIGHT; y++) {
      for (int x = 0; x < WIDTH; x++) {
         const int line = x % 127 == 0 || y % 61 == 0, dark = (x / 17 + y / 13) % 2 == 0;
         const unsigned char pixel[4] = { line ? 255 : x % 251, line ? 255 : y % 241, line ? 255 : dark ? 32 : 224, 255 };
         memcpy(picture[y][x], pixel, 4);
      }
   }
}

static void
draw(GLenum filter)
{
   static const float corners[] = { 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1 };
   set_filters(GL_TEXTURE_2D, filter, filter);
   glClear(GL_COLOR_BUFFER_BIT);
   use_floats(0, 2, corners);
   glDrawArrays(GL_TRIANGLES, 0, 6);
   glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, drawn);
}

struct difference {
   int wrong, max;
};

static struct difference
compare(void)
{
   struct difference d = { 0, 0 };
   for (int y = 0; y < HEIGHT; y++) {
      for (int x = 0; x < WIDTH; x++) {
         int max = 0;
         for (int c = 0; c < 3; c++) {
            const int off = abs(drawn[y][x][c] - picture[y][x][c]);
            max = off > max ? off : max;
         }
         d.wrong += max > 2;
         d.max = max > d.max ? max : d.max;
      }
   }
   return d;
}

/* The shift in texels that explains the drawn picture best: least squares over the gradients of all pixels that have four
 * neighbours. */
static void
find_shift(double shift[2])
{
   double xx = 0, xy = 0, yy = 0, xe = 0, ye = 0;
   for (int y = 1; y < HEIGHT - 1; y++) {
      for (int x = 1; x < WIDTH - 1; x++) {
         for (int c = 0; c < 3; c++) {
            const double gx = (picture[y][x + 1][c] - picture[y][x - 1][c]) / 2.0,
                         gy = (picture[y + 1][x][c] - picture[y - 1][x][c]) / 2.0,
                         e = drawn[y][x][c] - picture[y][x][c];
            xx += gx * gx;
            xy += gx * gy;
            yy += gy * gy;
            xe += gx * e;
            ye += gy * e;
         }
      }
   }
   const double det = xx * yy - xy * xy;
   shift[0] = (xe * yy - ye * xy) / det;
   shift[1] = (ye * xx - xe * xy) / det;
}

int
main(void)
{
   open_target(WIDTH, HEIGHT, false);
   make_picture();
   glUseProgram(make_program(vertex_source, fragment_source, "corner"));
   nearest_texture(GL_TEXTURE_2D);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, WIDTH, HEIGHT, 0, GL_RGBA, GL_UNSIGNED_BYTE, picture);

   draw(GL_NEAREST);
   struct difference d = compare();
   printf("nearest: %d wrong, maximum %d\n", d.wrong, d.max);
   CHECK(d.max == 0);

   double shift[2];
   draw(GL_LINEAR);
   d = compare();
   find_shift(shift);
   printf("linear: %d wrong, maximum %d, shift %.2f, %.2f of 1/64\n", d.wrong, d.max, 64 * shift[0], 64 * shift[1]);
   CHECK(abs(d.wrong - DEVICE_WRONG) <= DEVICE_WRONG / 10);
   CHECK(d.max >= 25 && d.max <= 45);
   CHECK(64 * shift[0] >= DEVICE_SHIFT_X - 1 && 64 * shift[0] <= DEVICE_SHIFT_X + 1);
   CHECK(64 * shift[1] >= DEVICE_SHIFT_Y - 1 && 64 * shift[1] <= DEVICE_SHIFT_Y + 1);
   return 0;
}
