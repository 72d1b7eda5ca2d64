/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The pseudo-random inputs of generated programs: vertices, uniforms, textures.  tegra20-differential draws with them, and
 * tegra20-bounds interprets the programs with the same.
 */

#ifndef DIFFERENTIAL_INPUTS_H
#define DIFFERENTIAL_INPUTS_H

#include <stdbool.h>
#include <stdint.h>

#define SIZE 64 /* pixels, of the target */
#define NUM_INPUTS 3
#define TEXTURE_SIZE 64

struct vertex {
   float position[4];
   float inputs[NUM_INPUTS][4]; /* attributes a0, a1, ... */
   float index;
};

extern uint32_t random_state;

/* Multiples of 1/16 in -1..1: exact in every format of the chip. */
float
random_value(void);

/* Starts the inputs of a program, which depend on its name and not on its place in a list. */
void
random_program(const char *name);

uint32_t
hash_name(const char *name);

/* Values of a uniform whose name random_state has been set for. */
void
random_floats(float *values, unsigned count);
void
random_ints(int *values, unsigned count);

/* Sets random_state for a uniform of the program, which started with "before". */
void
random_uniform(uint32_t before, const char *name);

/* The text of DIR/NAME.SUFFIX, at most 65535 bytes, or NULL. */
char *
read_source(const char *dir, const char *name, const char *suffix);

/* The values that the line "NAME VALUE..." gives a uniform; how many there are. */
unsigned
given_values(const char *lines, const char *name, int *values, unsigned max);

/* Two triangles from (x0, y0) to (x1, y1); one_colour: with the same inputs everywhere, else with inputs that are linear
 * over both. */
unsigned
fill_cell(struct vertex *v, float x0, float y0, float x1, float y1, bool one_colour);

/* Texel of the texture of two dimensions. */
void
texture_texel(unsigned x, unsigned y, unsigned char texel[4]);

/* The colour of a face of the cube map, which has one texel there. */
void
cube_texel(unsigned face, unsigned char texel[4]);

#endif
