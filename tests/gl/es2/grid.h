/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Grids of OpenGL ES 2.0 cases.  A grid program renders many small cases.  It runs twice: on a reference driver with
 * --write FILE, which keeps every picture, and on the driver under test with --compare FILE, which compares with them.
 * Cases whose right result is known without a reference use grid_check() and are judged in both runs.
 *
 *   PROGRAM [--write FILE | --compare FILE] [--only TEXT] [--names FILE] [--except FILE] [--list] [--surface]
 *           [--pictures DIR] [--disturb] [--margins] [--audit] [FAMILY ...]
 *
 * --only: cases whose name holds TEXT; --names: those of FILE, one per line; --except: all but those; --pictures: got and
 * expected as PNG files; --surface: targets are the lower left corner of a surface, whose rows are upside down in memory.
 * --disturb judges each picture with a mistake (shifted by a pixel, 10 % darker...) by the picture itself, and counts the
 * cases that reject it, that accept it, and whose picture it does not change (perturb.py).
 * --margins: how far the picture lies on the way to the nearest of these; --audit: the tolerances, with counts.
 *
 * Two rules judge a picture.  Each pixel but a few has to be as near to the reference's as the arithmetic of the chip
 * allows (struct grid_tolerance).  And it has to be less than three quarters of the way to the reference with any of
 * those mistakes: no tolerance for edges or for rounding can be wide enough for one of them.
 * The last line is "N passed, N failed, N skipped".
 */

#ifndef TESTS_GL_ES2_GRID_H
#define TESTS_GL_ES2_GRID_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <GLES2/gl2.h>
#include <GLES2/gl2ext.h>

#include "gl_calls.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MAX2(a, b) ((a) > (b) ? (a) : (b))
#define MIN2(a, b) ((a) < (b) ? (a) : (b))

/* How a picture is compared. */
struct grid_tolerance {
   unsigned channel; /* largest difference of a channel, of 255 */
   unsigned pixels;  /* so many pixels may differ by more */
   bool neighbours;  /* a channel may also lie between the values of the reference's 3 x 3 pixels */
   bool any_alpha;   /* one bit of alpha, which an implementation may store with more */
};

struct grid_family {
   const char *name;
   void (*run)(void);
};

/* Runs the families named on the command line, or all.  Returns main's status. */
int grid_main(int argc, char **argv, const struct grid_family *families, unsigned count);

/* Starts a case; false when it was not selected.  One of the following three ends it. */
bool grid_begin(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Reads the bound framebuffer's pixels as RGBA and compares them.  A GL error fails the case. */
void grid_pixels(int x, int y, unsigned width, unsigned height, struct grid_tolerance tolerance);
/* As above with pixels that are already there, RGBA, bottom row first. */
void grid_compare(const uint8_t *rgba, unsigned width, unsigned height, struct grid_tolerance tolerance);
/* A case with a known result; the message says what was wrong.  A GL error fails the case. */
void grid_check(bool ok, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The case could not be rendered.  It fails unless the reference could not either or it is optional: then skipped. */
void grid_refused(bool optional, const char *reason);

/* Repeatable random numbers: the seed is that of the case's name. */
uint32_t grid_random(void);
/* 0 .. n - 1 */
unsigned grid_random_below(unsigned n);
/* low .. high */
float grid_random_float(float low, float high);

/* Compiles and links; 0 when refused, and grid_log says why.  Attributes "position", "a0".. get locations 0, 1, ... */
GLuint grid_program(const char *vertex, const char *fragment);
extern char grid_log[];
/* The program of a case, in use; 0 when the case is refused. */
GLuint grid_case_program(const char *vertex, const char *fragment);

/* A new texture, bound, without images. */
GLuint grid_texture(GLenum where, GLenum min, GLenum mag, GLenum wrap_s, GLenum wrap_t);

/* A framebuffer with RGBA8888 texture, and depth and stencil if asked for; bound, with the viewport set. */
struct grid_target {
   GLuint framebuffer, color, depth, stencil;
   unsigned width, height;
};
void grid_target_create(struct grid_target *target, unsigned width, unsigned height, bool depth_stencil);
void grid_target_destroy(struct grid_target *target);

/* Added to coordinates of textures so that no centre of a pixel lies where two texels meet: interpolation is not exact (A43),
 * and either texel would be right. Texels of a level of an odd size end near centres, too: less than that is between. */
#define GRID_OFF_EDGES (1.0f / 1024)

/* Draws a rectangle (x0, y0, x1, y1 in normalised coordinates, z) with attribute 0, and texture coordinates s0, t0, s1, t1
 * in attribute 1. */
void grid_quad(float x0, float y0, float x1, float y1, float z, float s0, float t0, float s1, float t1);

#endif
