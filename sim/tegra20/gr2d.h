/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What the files of the 2D engine (gr2d.c, gr2d_scale.c) agree on.
 */

#ifndef SIM_GR2D_H
#define SIM_GR2D_H

#include "sim_internal.h"

struct gr2d_surface {
   uint32_t base, pitch; /* bytes */
   bool tiled;
   uint32_t reg; /* register of the base address, for diagnostics */
   const char *name;
};

/* Register value; strict mode reports registers that the job has not written.
 */
uint32_t
gr2d_reg(struct gr2d *gr2d, uint32_t offset);

/* Bytes xb .. xb + size - 1 of line y.  Outside the job's memory: reported, 0
 * is read, writes are dropped. */
void
gr2d_read(struct gr2d *gr2d, const struct gr2d_surface *surface, uint32_t xb,
          uint32_t y, uint8_t *data, uint32_t size);
void
gr2d_write_bytes(struct gr2d *gr2d, const struct gr2d_surface *surface,
                 uint32_t xb, uint32_t y, const uint8_t *data, uint32_t size);

struct gr2d_surface
gr2d_source(struct gr2d *gr2d);
struct gr2d_surface
gr2d_destination(struct gr2d *gr2d);
unsigned
gr2d_pixel_size(struct gr2d *gr2d);

/* Memory that stays until the next call; NULL when there is none (reported).
 */
uint8_t *
gr2d_scratch(struct gr2d *gr2d, size_t size);

/*
 * False, with a diagnostic, for operations of more than 8192x8192 pixels: no
 * surface is that large, and a simulator has to come to an end.
 */
bool
gr2d_size_ok(struct gr2d *gr2d, uint32_t width, uint32_t height);

/* Device addresses of fills and copies: low <= address < high; 0 without a
 * source. */
struct gr2d_extents {
   uint64_t src_low, src_high, dst_low, dst_high;
};
/* Of the operation that the registers describe; false when it is another one,
 * or none. */
bool
gr2d_get_extents(struct gr2d *gr2d, struct gr2d_extents *extents);

/* gr2d_scale.c */
void
gr2d_stretch_blit(struct gr2d *gr2d);
void
gr2d_fast_rotate(struct gr2d *gr2d);

#endif
