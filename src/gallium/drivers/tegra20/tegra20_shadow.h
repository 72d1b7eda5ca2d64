/*
 * SPDX-License-Identifier: MIT
 *
 * Copies of textures in a form that the texture unit can sample, for resources that it cannot sample directly:
 *
 * - mipmapped textures whose sizes are not powers of two (6.3): resampled to the next powers of two;
 * - depth textures (A39): two bytes of an RGBA8888 texture, which the program puts together;
 * - tiled buffers, and those with a pitch that the unit does not imply: the same pixels, as the unit wants them.
 *
 * A copy is made when a draw samples the texture and its contents have changed since the last copy.  What other processes
 * write is not noticed; GL lets such writes show after the next synchronisation, so shared buffers are copied again once
 * per job.
 *
 * Contexts that share textures share their copies: a lock of the screen covers them, and a context that draws with a copy
 * holds a reference.
 */

#ifndef TEGRA20_SHADOW_H
#define TEGRA20_SHADOW_H

#include <stdbool.h>

struct tegra20_context;
struct tegra20_resource;

enum tegra20_shadow_kind {
   TEGRA20_SHADOW_NONE,  /* sampled as it is */
   TEGRA20_SHADOW_POT,         /* resampled with a bilinear filter */
   TEGRA20_SHADOW_POT_NEAREST, /* for samplers that do not filter */
   TEGRA20_SHADOW_DEPTH,
   TEGRA20_SHADOW_LINEAR, /* from tiles, or with another pitch */
};

/* What sampling res takes; mipmapped: the sampler uses more than one level; linear: it filters. */
enum tegra20_shadow_kind tegra20_shadow_kind(const struct tegra20_resource *res, bool mipmapped, bool linear);

/* A new reference to the up-to-date copy, or NULL when memory ran out.  May submit and wait for jobs. */
struct tegra20_resource *tegra20_shadow_get(struct tegra20_context *ctx, struct tegra20_resource *res,
                                            enum tegra20_shadow_kind kind);

void tegra20_shadow_destroy(struct tegra20_resource *res);

#endif
