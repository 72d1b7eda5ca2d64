/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Smooth (antialiased) lines and points.
 */

#ifndef TEGRA20_SMOOTH_H
#define TEGRA20_SMOOTH_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler/nir/nir.h"
#include "pipe/p_state.h"

enum tegra20_smooth {
   TEGRA20_SMOOTH_NONE,
   TEGRA20_SMOOTH_LINES,
   TEGRA20_SMOOTH_POINTS,
};

/* Varying with the place of a fragment inside its line or point, after all
 * others. */
#define TEGRA20_SMOOTH_SLOT VARYING_SLOT_VAR31

/*
 * The state for points, lines or triangles as they are rasterised; for filled
 * front faces, that of visible back faces.
 */
enum tegra20_smooth
tegra20_smooth_kind(const struct pipe_rasterizer_state *rast,
                    enum mesa_prim kind);

/* Makes a fragment program multiply the alpha of its colours by the coverage
 * and discard where there is none. */
void
tegra20_nir_smooth(nir_shader *nir, enum tegra20_smooth kind);

/*
 * Vertices in window coordinates, each a number of vec4: the position (x, y,
 * z, 1/w) and others.  They are expanded to a list of triangles, whose
 * vertices have the same vec4 and, when has_place, the varying of
 * TEGRA20_SMOOTH_SLOT behind them.
 */
struct tegra20_smooth_vertices {
   const float *vertices;
   unsigned num_vec4;       /* of a vertex */
   unsigned copied_vec4;    /* of these from the first on, for the draw */
   const uint16_t *indices; /* or NULL: the vertices from first on */
   unsigned first, count;
   enum mesa_prim mode; /* points, lines of any kind or triangles */
   unsigned size_vec4;  /* the vec4 whose first component is the size of the
                           point; 0: all have that of the state */
   bool has_place;
};

/* Number of vertices of the result. */
unsigned
tegra20_smooth_count(const struct tegra20_smooth_vertices *in);
void
tegra20_smooth_expand(const struct pipe_rasterizer_state *rast,
                      const struct tegra20_smooth_vertices *in, float *out);

#endif
