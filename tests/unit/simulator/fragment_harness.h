/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * For tests of fragment programs: runs a program on the block machinery with texels, destination pixels and stored
 * colours under the test's control.  The executable is linked with --wrap for sim_fs_texture_sample, sim_fs_surface_load and
 * sim_fs_surface_store, so the values are exact fx10 and not what a surface format can hold.
 */

#ifndef FRAGMENT_HARNESS_H
#define FRAGMENT_HARNESS_H

#include "fragment.h"
#include "vector_types.h"

#define HARNESS_MEMORY_BASE 0x10000000u
#define HARNESS_MEMORY_SIZE (1u << 20)

struct harness {
   struct sim *sim;
   uint8_t *memory;
   struct gr3d *gr3d;
   struct gr3d_vertex vertex[3];
   bool front;
   unsigned diags[64]; /* numbers reported, in order */
   unsigned num_diags;
   void *data;
   unsigned surface; /* of the fetch or store that a callback is called for */
   /* Called for each lane; x, y are its pixel. */
   void (*texel)(void *data, int x, int y, unsigned unit, int32_t component[4]);
   /* The same with the coordinates that the program made; takes precedence. */
   void (*texel_at)(void *data, unsigned unit, double s, double t, int32_t component[4]);
   void (*fetch)(void *data, int x, int y, int32_t component[4]);
   void (*store)(void *data, int x, int y, bool live, const int32_t component[4]);
};

/* The chip of harnesses created from now on; NULL: Tegra20. */
extern const struct tegra20_chip_info *harness_chip;
/* Of harnesses created from now on: A95 the other way, units that a sum leaves work on their own. */
extern bool harness_part_sums;

/* A draw of width x height pixels at (0, 0), in place of the last one that this made. */
struct harness *harness_create(unsigned width, unsigned height);
/* The same with strict mode; reports are collected. */
struct harness *harness_create_strict(unsigned width, unsigned height);
bool harness_reported(const struct harness *h, unsigned number);
void harness_destroy(struct harness *h);
void harness_program(struct harness *h, const struct fragment_vector *v);
void harness_uniform(struct harness *h, unsigned index, uint32_t raw);
/* The same raw value in all three vertices. */
void harness_tram(struct harness *h, unsigned row, unsigned column, uint32_t raw);
/* One triangle that covers the target: begin, raster, end. */
void harness_draw(struct harness *h);
/* Runs a program over pixel (0, 0) with four uniforms and row 0 of TRAM (NULL: zeros): raw[] is r0, r1, and whether it lives. */
void harness_run(struct harness *h, const struct fragment_vector *v, const uint32_t uniforms[4], const uint32_t tram[4],
                 uint32_t raw[3]);
/* For tests that call gr3d_raster_*() themselves, around that. */
void harness_begin(struct harness *h);
void harness_end(struct harness *h);

#endif
