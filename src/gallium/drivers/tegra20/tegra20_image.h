/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * One layer of a texture level in floats, for copies that the CPU makes.
 */

#ifndef TEGRA20_IMAGE_H
#define TEGRA20_IMAGE_H

#include <stdbool.h>

struct tegra20_context;
struct tegra20_resource;

struct tegra20_image {
   unsigned width, height;
   float *texels; /* four components each, row after row; malloc'ed */
};

/* False when memory ran out; the image is then empty. */
bool
tegra20_image_alloc(struct tegra20_image *image, unsigned width,
                    unsigned height);
void
tegra20_image_free(struct tegra20_image *image);

/* A layer (or slice) of a level, of any format that holds colour.  May submit
 * jobs and wait for them. */
bool
tegra20_image_read(struct tegra20_context *ctx, struct tegra20_image *image,
                   struct tegra20_resource *res, unsigned level,
                   unsigned layer);

/* The whole layer; the image has its size.  Formats that are not compressed.
 */
bool
tegra20_image_write(struct tegra20_context *ctx,
                    const struct tegra20_image *image,
                    struct tegra20_resource *res, unsigned level,
                    unsigned layer);

static inline float *
tegra20_image_texel(const struct tegra20_image *image, unsigned x, unsigned y)
{
   return &image->texels[4 * (y * image->width + x)];
}

/* Another size, with a bilinear filter or the nearest texel. */
bool
tegra20_image_scale(struct tegra20_image *image, unsigned width,
                    unsigned height, bool linear);

/*
 * A larger image whose part from 0 to right and top (in its texels, maybe
 * fractions) shows the whole image; the rest repeats the edge.
 */
bool
tegra20_image_place(struct tegra20_image *image, unsigned width,
                    unsigned height, float right, float top, bool linear);

/* image += weight * (other - image); both have the same size. */
void
tegra20_image_mix(struct tegra20_image *image,
                  const struct tegra20_image *other, float weight);

#endif
