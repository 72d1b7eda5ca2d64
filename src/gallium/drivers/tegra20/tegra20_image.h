/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Texels in floats: the CPU's resampler, for copies that the texture unit
 * samples (tegra20_sampler_copy.c) and for blits that the engines cannot make
 * (tegra20_blit.c).
 */

#ifndef TEGRA20_IMAGE_H
#define TEGRA20_IMAGE_H

#include <stdbool.h>

#include "pipe/p_state.h"
#include "util/format/u_formats.h"

struct tegra20_context;
struct tegra20_resource;

struct tegra20_image {
   unsigned width, height;
   float *texels; /* four components each, row after row; malloc'ed.  Of depth
                     and stencil formats: depth 0..1, stencil 0..255 */
};

/* False when memory ran out; the image is then empty. */
bool
tegra20_image_alloc(struct tegra20_image *image, unsigned width,
                    unsigned height);
void
tegra20_image_free(struct tegra20_image *image);

/* Texels of a box with one layer, which are of this format.  May submit jobs
 * and wait for them.  False when memory ran out. */
bool
tegra20_image_read(struct tegra20_context *ctx, struct tegra20_image *image,
                   struct tegra20_resource *res, unsigned level,
                   const struct pipe_box *box, enum pipe_format format);

/* A whole layer (or slice) of a level. */
bool
tegra20_image_read_layer(struct tegra20_context *ctx,
                         struct tegra20_image *image,
                         struct tegra20_resource *res, unsigned level,
                         unsigned layer);

/* To a box of the image's size, of a format that is not compressed.  Of depth
 * and stencil formats, zs (PIPE_MASK_Z, PIPE_MASK_S) is written. */
bool
tegra20_image_write(struct tegra20_context *ctx,
                    const struct tegra20_image *image,
                    struct tegra20_resource *res, unsigned level,
                    const struct pipe_box *box, enum pipe_format format,
                    unsigned zs);

/* To a whole layer. */
bool
tegra20_image_write_layer(struct tegra20_context *ctx,
                          const struct tegra20_image *image,
                          struct tegra20_resource *res, unsigned level,
                          unsigned layer);

static inline float *
tegra20_image_texel(const struct tegra20_image *image, unsigned x, unsigned y)
{
   return &image->texels[4 * (y * image->width + x)];
}

/* The texel at (x, y), or a bilinear mixture of four; in texels, clamped to
 * the edge. */
void
tegra20_image_sample(const struct tegra20_image *image, double x, double y,
                     bool linear, float texel[4]);

/* Another size, with a bilinear filter or the nearest texel. */
bool
tegra20_image_scale(struct tegra20_image *image, unsigned width,
                    unsigned height, bool linear);

/*
 * An image of another size, in which the whole image is size[0] x size[1]
 * texels large, maybe fractions, and begins at start texels on both axes; the
 * rest repeats the edge.  With a linear filter and a size of at least twice
 * the image's, a linear filter at the centre of a texel of the image finds
 * that texel again.
 */
bool
tegra20_image_place(struct tegra20_image *image, unsigned width,
                    unsigned height, const double size[2], double start,
                    bool linear);

/* image += weight * (other - image); both have the same size. */
void
tegra20_image_mix(struct tegra20_image *image,
                  const struct tegra20_image *other, float weight);

#endif
