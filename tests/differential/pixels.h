/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The bound of each pixel that tegra20-differential draws with a fragment program.
 */

#ifndef DIFFERENTIAL_PIXELS_H
#define DIFFERENTIAL_PIXELS_H

#include <stdint.h>

#include "compiler/nir/nir.h"

#include "inputs.h"

#define UNDECIDED 255

struct pixels {
   uint32_t state; /* random_state of the program */
   const char *given; /* lines "NAME VALUE..." of its uniforms of integers, or NULL */
   float corner[3][NUM_INPUTS + 1][4]; /* attributes: position, a0, ... */
   float varyings[3][VARYING_SLOT_MAX][4];
   char *error; /* static text */
   uint8_t color[SIZE][SIZE][4]; /* exact, but for the rounding to bytes */
   uint8_t bound[SIZE][SIZE][4]; /* in steps of 1/255; UNDECIDED: near a discontinuity, or too far */
};

/* Inputs of a program, by its name; given: see struct pixels. */
void
pixels_start(struct pixels *p, const char *name, const char *given);

/* The vertex stage: what it makes of the inputs.  Its attributes are position, a0, a1, a2 in this order. */
void
pixels_run_vertices(struct pixels *p, const nir_shader *nir);

/* The fragment stage, as tegra20_preprocess_nir() leaves it. */
void
pixels_run_fragments(struct pixels *p, const nir_shader *nir);

#endif
