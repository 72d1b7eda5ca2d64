/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * An interpreter of NIR shaders after tegra20_preprocess_nir(): what the compiled program has to compute.
 */

#ifndef FS_INTERP_H
#define FS_INTERP_H

#include "compiler/nir/nir.h"

struct fs_interp_io {
   void *data;
   float (*input)(void *data, unsigned slot, unsigned component);
   void (*texel)(void *data, unsigned unit, float s, float t, float result[4]);
   void (*volume)(void *data, unsigned unit, const float coord[3], float result[4]); /* 3D textures; may be NULL */
   /* Cube maps, one colour per face; may be NULL. */
   void (*cube)(void *data, unsigned unit, unsigned face, float result[4]);
   /* What a vertex program writes; may be NULL. */
   void (*output)(void *data, unsigned slot, unsigned component, float value);
   float (*uniform)(void *data, unsigned word);
   float frag_coord[4];
   bool front;

   /* errors are followed from the inputs to the colours (fs_interpret_errors()) */
   bool errors;
   bool together;     /* the errors of all operands at once; small integers have none */
   float texel_slope; /* greatest change of a texel's component per change of a coordinate */

   float color[8][4];
   float color_error[8][4];
   float kill_error;  /* above 0: whether the fragment is killed is undecided */
   bool written[8];
   unsigned written_mask; /* components of colour 0 */
   bool killed;
   bool out_of_range; /* some array was read outside: results are undefined */
   char *error; /* static text */
};

/*
 * A vertex or a fragment; of a vertex the inputs are the attributes by their location.
 *
 * With errors: every value carries a bound on what the arithmetic of the chip may make of it.  An operation passes on how
 * far its result moves when one operand moves by its bound, and adds a rounding of its own: 2^-13 of the result, 2^-11 for
 * special functions (fragment-pipeline.md 2.1; assumption A47).  A comparison whose operands are too close gets a bound of 1.
 * With "together" the bound holds for all operands at once: two that are too close only when both move, and what a selection
 * did not select.
 */
void fs_interpret(const nir_shader *nir, struct fs_interp_io *io);

/*
 * The four fragments of a quad at once, for programs with derivatives: those at (0, 0), (1, 0), (0, 1), (1, 1).  As in
 * Gallium's software renderers dFdx is the difference in the row with the odd number, dFdy that in the even column.
 */
void fs_interpret_quad(const nir_shader *nir, struct fs_interp_io io[4]);

#endif
