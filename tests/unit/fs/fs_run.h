/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Runs compiled fragment words on the simulator's block machinery in strict mode: one pixel, or a whole picture.
 */

#ifndef FS_RUN_H
#define FS_RUN_H

#include "tegra20_compiler.h"

struct fs_run {
   /* in */
   void *data;
   float (*input)(void *data, unsigned slot, unsigned component);
   void (*texel)(void *data, unsigned unit, float s, float t, float result[4]);
   const uint32_t *uniforms;
   unsigned num_uniforms;
   const float *params; /* TEGRA20_PARAM_COUNT */
   int dst[4];          /* fx10, in memory order */
   unsigned size;       /* of a picture of size * size pixels; 0: one pixel */
   uint8_t *pixels[16]; /* of that many pixels of four bytes, per surface; NULL: dst and color */

   /* out */
   bool stored, killed;
   int color[4];        /* of the last store, fx10, in memory order */
   unsigned diagnostic; /* number of the first strict diagnostic, 0 = none */
   char text[256];
};

/* Runs from now on are on a chip that does A95 the other way: units that a sum leaves work on their own. */
extern bool fs_run_part_sums;
void fs_run(const struct tegra20_fs *fs, struct fs_run *run);

#endif
