/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Primitives that cover whole quads: what the parts of a program draw whose
 * values are looked up from other pixels.
 */

#ifndef TEGRA20_DILATE_H
#define TEGRA20_DILATE_H

#include "pipe/p_state.h"

/* Most vertices of a dilated primitive, as a list of triangles. */
#define TEGRA20_MAX_DILATED_VERTICES 18

struct tegra20_dilation {
   struct pipe_scissor_state area; /* what may be drawn to */
   float radius;                   /* of points and lines, pixels */
   unsigned num_vec4;              /* of a vertex */
};

/*
 * Vertices are in window coordinates, each a number of vec4: the position (x,
 * y, z, 1/w) and varyings.  num is 1 for points, 2 for lines, 3 for
 * triangles.  The result is a polygon that has all pixels of the quads that
 * the primitive covers pixels of, with the values that the primitive has or
 * would have there.  Returns the number of vertices: 0 for a primitive that
 * covers nothing.
 */
unsigned
tegra20_dilate(const struct tegra20_dilation *d, const float *const *vertices,
               unsigned num, float *out);

#endif
