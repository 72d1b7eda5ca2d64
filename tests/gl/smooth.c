/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Smooth lines and points: the sum of the coverage over all pixels is the area of the line (OpenGL 2.1 specification,
 * 3.4.2) or of the point (3.3.1), in every direction, at every place, with perspective; what lies inside is opaque, what
 * lies outside is not touched, and depth is written only where something is covered.
 */

#include "opengl.h"

#define SIZE 64
#define TOLERANCE 0.04 /* of the area: coverage is sampled once per pixel, with 8 bits */

static unsigned char pixels[SIZE][SIZE][4];
static unsigned wrong;

static void
check(bool ok, const char *what, double got, double expected)
{
   if (!ok) {
      printf("%s: %.2f, expected %.2f\n", what, got, expected);
      wrong++;
   }
}

static double
sum_of_alpha(void)
{
   double sum = 0;

   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned y = 0; y < SIZE; y++) {
      for (unsigned x = 0; x < SIZE; x++)
         sum += pixels[y][x][3] / 255.0;
   }
   return sum;
}

static void
vertex(double x, double y, double w)
{
   glVertex4f(x * w, y * w, 0, w);
}

static unsigned
alpha_at(double x, double y)
{
   return pixels[(int)floor(y)][(int)floor(x)][3];
}

/* A line around (32.3, 31.8), whose ends are w and 1 away. */
static void
draw_line(double angle, double length, double w)
{
   const double dx = cos(angle) * length / 2, dy = sin(angle) * length / 2, x = 32.3, y = 31.8;

   glClear(GL_COLOR_BUFFER_BIT);
   glBegin(GL_LINES);
   vertex(x - dx, y - dy, w);
   vertex(x + dx, y + dy, 1);
   glEnd();
}

static void
check_lines(double w)
{
   static const double widths[] = {1, 2.5, 6};
   const double length = 40;

   glEnable(GL_LINE_SMOOTH);
   for (unsigned i = 0; i < COUNT(widths); i++) {
      glLineWidth(widths[i]);
      for (unsigned d = 0; d < 24; d++) {
         const double angle = 2 * M_PI * (d + 0.3) / 24, area = length * widths[i];
         char what[64];

         draw_line(angle, length, w);
         const double sum = sum_of_alpha();
         snprintf(what, sizeof(what), "line of width %.1f, direction %u, w %.1f", widths[i], d, w);
         check(fabs(sum - area) < TOLERANCE * area, what, sum, area);
         for (int t = -4; t <= 4; t++) {
            const double x = 32.3 + cos(angle) * t * 4.5, y = 31.8 + sin(angle) * t * 4.5;
            if (widths[i] > 3)
               check(alpha_at(x, y) == 255, what, alpha_at(x, y), 255);
            const double ox = x - sin(angle) * (widths[i] / 2 + 2), oy = y + cos(angle) * (widths[i] / 2 + 2);
            check(alpha_at(ox, oy) == 0, what, alpha_at(ox, oy), 0);
         }
      }
   }
   glDisable(GL_LINE_SMOOTH);
}

static void
draw_point(double x, double y)
{
   glClear(GL_COLOR_BUFFER_BIT);
   glBegin(GL_POINTS);
   glVertex2f(x, y);
   glEnd();
}

static void
check_points(bool attenuated)
{
   static const float plain[3] = {1, 0, 0}, quarter[3] = {4, 0, 0}; /* size / sqrt(4) */

   glEnable(GL_POINT_SMOOTH);
   glPointParameterfv(GL_POINT_DISTANCE_ATTENUATION, attenuated ? quarter : plain);
   for (unsigned size = 3; size < 20; size++) {
      const double radius = size / 2.0, area = M_PI * (radius * radius + 1.0 / 12);
      char what[64];

      glPointSize(attenuated ? 2 * size : size);
      for (unsigned place = 0; place < 4; place++) {
         draw_point(32 + 0.3 * (place & 1), 31 + 0.4 * (place >> 1));
         const double sum = sum_of_alpha();
         snprintf(what, sizeof(what), "point of size %u, place %u%s", size, place, attenuated ? ", attenuated" : "");
         check(fabs(sum - area) < TOLERANCE * area, what, sum, area);
         check(alpha_at(32, 31) == 255, what, alpha_at(32, 31), 255);
         check(alpha_at(32 + radius * 0.8 + 1.5, 31 + radius * 0.8 + 1.5) == 0, what, 1, 0);
      }
   }
   glPointParameterfv(GL_POINT_DISTANCE_ATTENUATION, plain);
   glDisable(GL_POINT_SMOOTH);
}

/* Points and lines are clipped before they get their width: what they cover outside of the viewport is drawn. */
static void
check_viewport(void)
{
   const double area = M_PI * (4.5 * 4.5 + 1.0 / 12);

   glEnable(GL_POINT_SMOOTH);
   glEnable(GL_LINE_SMOOTH);
   glClear(GL_COLOR_BUFFER_BIT);
   glViewport(0, 0, SIZE / 2, SIZE);
   glPointSize(9);
   draw_point(SIZE - 2.6, 31.2);
   check(fabs(sum_of_alpha() - area) < TOLERANCE * area, "point at the edge", sum_of_alpha(), area);
   draw_point(SIZE + 2, 31);
   check(sum_of_alpha() == 0, "point outside", sum_of_alpha(), 0);
   glLineWidth(6);
   glClear(GL_COLOR_BUFFER_BIT);
   glBegin(GL_LINES);
   glVertex2f(SIZE - 2, 12.4f);
   glVertex2f(SIZE - 2, 42.4f);
   glEnd();
   check(fabs(sum_of_alpha() - 6 * 30) < TOLERANCE * 6 * 30, "line at the edge", sum_of_alpha(), 6 * 30);
   glViewport(0, 0, SIZE, SIZE);
   glDisable(GL_POINT_SMOOTH);
   glDisable(GL_LINE_SMOOTH);
}

/* Triangles seen from the front and from the back, as lines and filled. */
static void
check_polygon_modes(void)
{
   const double area = 40 * 40 / 2.0, perimeter = 2 * 40 + sqrt(2) * 40;

   glEnable(GL_LINE_SMOOTH);
   blend_with(GL_ONE, GL_ONE);
   glLineWidth(1);
   for (unsigned i = 0; i < 8; i++) {
      const bool front = i & 1, front_lines = i & 2, back_lines = i & 4, lines = front ? front_lines : back_lines;
      const double expected = lines ? perimeter : area;

      glPolygonMode(GL_FRONT, front_lines ? GL_LINE : GL_FILL);
      glPolygonMode(GL_BACK, back_lines ? GL_LINE : GL_FILL);
      glClear(GL_COLOR_BUFFER_BIT);
      glBegin(GL_TRIANGLES);
      glVertex2f(10.3f, 10.3f);
      glVertex2f(front ? 50.3f : 10.3f, front ? 10.3f : 50.3f);
      glVertex2f(front ? 10.3f : 50.3f, front ? 50.3f : 10.3f);
      glEnd();
      const double sum = sum_of_alpha();
      /* at the corners, two lines add up to more than one */
      check(fabs(sum - expected) < (lines ? 2.5 * 3 : TOLERANCE * expected), front ? "front face" : "back face", sum, expected);
      check(alpha_at(20, 20) == (lines ? 0 : 255), "inside a face", alpha_at(20, 20), lines ? 0 : 255);
   }
   glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
   glDisable(GL_BLEND);
   glDisable(GL_LINE_SMOOTH);
}

/* Dashes of 8 pixels: half of the line. */
static void
check_stipple(void)
{
   glEnable(GL_LINE_SMOOTH);
   glEnable(GL_LINE_STIPPLE);
   glLineStipple(1, 0x00ff);
   glLineWidth(2);
   draw_line(0.4, 48, 1);
   const double sum = sum_of_alpha();
   check(fabs(sum - 48) < 4, "stippled line", sum, 48);
   glDisable(GL_LINE_STIPPLE);
   glDisable(GL_LINE_SMOOTH);
}

static void
draw_scattered(GLenum primitive)
{
   glClear(GL_COLOR_BUFFER_BIT);
   glBegin(primitive);
   for (unsigned i = 0; i < 16; i++)
      glVertex2f(2 + i * 37 % 16 * 4, 2 + i * 23 % 16 * 4);
   glEnd();
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}

/* Points and lines have no faces: culling, after triangles that it concerned, leaves all of them. */
static void
check_culling(GLenum primitive, GLenum smooth, GLenum stipple)
{
   unsigned char uncut[SIZE][SIZE][4];

   glEnable(smooth);
   if (stipple)
      glEnable(stipple);
   glLineStipple(2, 0x5f37);
   glLineWidth(3);
   glPointSize(9);
   draw_scattered(primitive);
   memcpy(uncut, pixels, sizeof(uncut));
   glEnable(GL_CULL_FACE);
   for (unsigned i = 0; i < 2; i++) {
      glCullFace(i ? GL_FRONT : GL_BACK);
      glRectf(0, 0, SIZE, SIZE);
      draw_scattered(primitive);
      check(!memcmp(uncut, pixels, sizeof(uncut)), i ? "front faces culled" : "back faces culled", primitive, GL_NONE);
   }
   glDisable(GL_CULL_FACE);
   glDisable(smooth);
   if (stipple)
      glDisable(stipple);
}

/* Behind a smooth line a second draw covers all that it did not. */
static void
check_depth(void)
{
   glEnable(GL_LINE_SMOOTH);
   glEnable(GL_DEPTH_TEST);
   glLineWidth(3);
   glClear(GL_DEPTH_BUFFER_BIT);
   draw_line(0.7, 30, 1);
   sum_of_alpha();
   unsigned covered = 0, left = 0;
   for (unsigned i = 0; i < SIZE * SIZE; i++)
      covered += pixels[i / SIZE][i % SIZE][3] > 0;
   glDisable(GL_LINE_SMOOTH);
   glClear(GL_COLOR_BUFFER_BIT);
   glColor4f(0, 1, 0, 1);
   glRectf(0, 0, SIZE, SIZE); /* at the same depth */
   glColor4f(1, 1, 1, 1);
   sum_of_alpha();
   for (unsigned i = 0; i < SIZE * SIZE; i++)
      left += pixels[i / SIZE][i % SIZE][3] == 0;
   check(covered > 90 && left == covered, "pixels with the depth of the line", left, covered);
   glDisable(GL_DEPTH_TEST);
}

int
main(void)
{
   GLfloat range[2];

   open_target(SIZE, SIZE, true);
   glMatrixMode(GL_PROJECTION);
   glOrtho(0, SIZE, 0, SIZE, -1, 1);
   glMatrixMode(GL_MODELVIEW);
   glColor4f(1, 1, 1, 1);
   glGetFloatv(GL_SMOOTH_LINE_WIDTH_RANGE, range);
   check(range[0] <= 1 && range[1] >= 6, "range of widths", range[1], 6);
   check_lines(1);
   check_lines(8);
   check_points(false);
   check_points(true);
   check_viewport();
   check_polygon_modes();
   check_stipple();
   check_culling(GL_POINTS, GL_POINT_SMOOTH, 0);
   check_culling(GL_LINES, GL_LINE_SMOOTH, 0);
   check_culling(GL_LINES, GL_LINE_SMOOTH, GL_LINE_STIPPLE);
   check_depth();
   check(glGetError() == GL_NO_ERROR, "errors", 1, 0);
   return wrong != 0;
}
