/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The tessellator, for C and C++.
 */

#ifndef A4XX_TESS_H
#define A4XX_TESS_H

#include <stdbool.h>
#include <stdint.h>

enum { TESS_MODE_QUADS = 0xc, TESS_MODE_TRIANGLES, TESS_MODE_ISOLINES };

/* Points of a patch's domain, and corners of its primitives. */
struct tess_domain {
   unsigned num_points;
   const float *u, *v;
   unsigned num_indices;
   const uint32_t *indices;
};

struct tessellator;

/* mode: TESS_MODE_*; spacing as in PC_HS_PARAM. */
struct tessellator *
tess_create(unsigned mode, unsigned spacing, bool clockwise, bool points);
void
tess_destroy(struct tessellator *tess);
/* The levels in the order of memory: outer, then inner.  The result is valid
 * until the next call; a patch with an outer level of 0 or less has none. */
void
tess_run(struct tessellator *tess, unsigned mode, const float *levels,
         struct tess_domain *domain);

#endif
