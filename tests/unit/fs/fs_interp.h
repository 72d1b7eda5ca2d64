/*
 * SPDX-License-Identifier: MIT
 *
 * An interpreter of NIR fragment shaders after tegra20_preprocess_nir(): what the compiled program has to compute.
 */

#ifndef FS_INTERP_H
#define FS_INTERP_H

#include "compiler/nir/nir.h"

struct fs_interp_io {
   void *data;
   float (*input)(void *data, unsigned slot, unsigned component);
   void (*texel)(void *data, unsigned unit, float s, float t, float result[4]);
   float (*uniform)(void *data, unsigned word);
   float frag_coord[4];
   bool front;

   float color[8][4];
   bool written[8];
   bool killed;
   char *error; /* static text */
};

void fs_interpret(const nir_shader *nir, struct fs_interp_io *io);

#endif
