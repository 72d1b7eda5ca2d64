/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Multisampling, which the chip does not have: surfaces of four samples are
 * twice as wide and high, and every sample is a pixel of them.
 *
 * A resource of four samples has no memory of its own but another resource,
 * "samples", with one sample and twice the size.  Commands access that one
 * (tegra20_resource_storage()).  While such surfaces are bound, ctx->scale is
 * 2: the viewport, the scissor, the sizes of points and lines and the slopes
 * of the polygon offset are multiplied where they are computed, and fragment
 * programs see gl_FragCoord divided by it (tegra20_nir_samples()).  Other
 * targets pay nothing.
 *
 * Sample i of a pixel is its quarter of column i % 2 and row i / 2.  Programs
 * run for each sample, so alpha to coverage and sample masks are discards
 * that depend on the quarter.  Resolving is a blit to half of the size with a
 * linear filter, whose taps are the corner between four samples.
 *
 * Targets have at most 2048 pixels on a side, so surfaces larger than 1024
 * have one sample, even if more are requested.  A framebuffer that mixes both
 * is not drawn to.
 */

#ifndef TEGRA20_SAMPLES_H
#define TEGRA20_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "pipe/p_state.h"

struct nir_shader;
struct tegra20_context;
struct tegra20_resource;

#define TEGRA20_SAMPLES 4
#define TEGRA20_ALL_SAMPLES 0xf

/* A resource of four samples; NULL when it is too large or memory is missing.
 * *too_large tells them apart. */
struct pipe_resource *
tegra20_samples_create(struct pipe_screen *screen,
                       const struct pipe_resource *templ, bool *too_large);

/* The factor of a surface of a resource of one sample: 1 or 2. */
unsigned
tegra20_samples_of_surface(const struct tegra20_resource *res,
                           const struct pipe_surface *templ);

/* The factor of the framebuffer: 1 or 2; 0 when its surfaces differ. */
unsigned
tegra20_samples_scale(const struct pipe_framebuffer_state *fb);

/* After the viewport or ctx->scale changed. */
void
tegra20_samples_update_viewport(struct tegra20_context *ctx);

/* A rectangle of a surface, in pixels of its storage. */
void
tegra20_samples_scale_area(const struct pipe_surface *surface,
                           struct pipe_scissor_state *area);

void
tegra20_samples_scale_box(struct pipe_box *box);

/* Replaces resources of four samples by those with the memory. */
void
tegra20_samples_blit(struct pipe_blit_info *info);

/* A resource with one sample and the contents of a part of res, which has
 * four, and back. */
struct pipe_resource *
tegra20_samples_read(struct tegra20_context *ctx,
                     struct tegra20_resource *res, const struct pipe_box *box,
                     bool discard);
void
tegra20_samples_write(struct tegra20_context *ctx,
                      struct tegra20_resource *res,
                      const struct pipe_box *box,
                      struct pipe_resource *single);

/* Work of a fragment program for surfaces of four samples.  0: nothing. */
#define TEGRA20_SAMPLES_SCALED 0x10     /* position in pixels */
#define TEGRA20_SAMPLES_FROM_ALPHA 0x20 /* alpha to coverage */
#define TEGRA20_SAMPLES_ALPHA_ONE 0x40  /* alpha to one */
/* and in the lowest bits, samples that are masked out */

uint8_t
tegra20_samples_key(const struct tegra20_context *ctx);

/* Discards; before anything changes the stores. */
void
tegra20_nir_coverage(struct nir_shader *nir, uint8_t key);
/* gl_FragCoord in pixels; after everything that reads it was added. */
void
tegra20_nir_scale_position(struct nir_shader *nir);

#endif
