/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Scratch surfaces: the driver renders to them, counts in them or copies
 * through them.
 */

#ifndef TEGRA20_SCRATCH_H
#define TEGRA20_SCRATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "multipass/tegra20_cut.h"
#include "pipe/p_state.h"

struct tegra20_context;

/* TEGRA20_IMAGE_VALUES and the surfaces of programs in parts. */
#define TEGRA20_NUM_SCRATCH_IMAGES (3 + TEGRA20_MAX_PART_SURFACES)

/* Of a context; all are made when first needed. */
struct tegra20_scratch {
   struct pipe_surface *images[TEGRA20_NUM_SCRATCH_IMAGES];
   struct pipe_surface *depth;
   struct pipe_resource *marks;
   unsigned last_mark; /* last number in use; 0: all pixels have to be
                          cleared first */
};

/* A linear surface that can be rendered to, or one for depth or stencil.
 * NULL when memory ran out. */
struct pipe_resource *
tegra20_scratch_create(struct pipe_screen *screen, enum pipe_format format,
                       unsigned width, unsigned height);

/* RGBA8888 surface i of the framebuffer's size in whole quads, with undefined
 * contents.  It stays the context's.  NULL when memory ran out. */
struct pipe_surface *
tegra20_scratch_image(struct tegra20_context *ctx, unsigned i);

/* The same for the captured depth, of 16 bits. */
struct pipe_surface *
tegra20_scratch_depth(struct tegra20_context *ctx);

/* Sets the pixels of ctx->draw_area to 0. */
bool
tegra20_scratch_clear(struct tegra20_context *ctx,
                      struct pipe_surface *surface);

/* num numbers from *first on, 1..255, which no pixel of the stencil surface
 * ctx->scratch->marks has.  The surface is at least as large as the
 * framebuffer. */
bool
tegra20_scratch_marks(struct tegra20_context *ctx, unsigned num,
                      uint8_t *first);

void
tegra20_scratch_fini(struct tegra20_context *ctx);

#endif
