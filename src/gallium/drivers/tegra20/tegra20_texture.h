/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Texture units: descriptors, and what of a view and sampler goes into the
 * fragment program.
 */

#ifndef TEGRA20_TEXTURE_H
#define TEGRA20_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

struct tegra20_context;
struct tegra20_fs_tex_key;
struct tegra20_resource;
struct tegra20_shader;

struct tegra20_texture_desc {
   uint32_t desc1, desc2;
   struct tegra20_resource *resource;
   uint32_t offset; /* of the first level inside the buffer object */
};

/*
 * Before a draw with a fragment shader is recorded: brings copies of what
 * cannot be sampled directly up to date.  May submit jobs.  False when memory
 * ran out.
 */
bool
tegra20_texture_prepare(struct tegra20_context *ctx,
                        const struct tegra20_shader *fs);

/* Drops a unit's copy, when another view is bound. */
void
tegra20_texture_release(struct tegra20_context *ctx, unsigned unit);

/* Key of a unit with view and sampler. */
void
tegra20_texture_key(const struct tegra20_context *ctx, unsigned unit,
                    struct tegra20_fs_tex_key *key);

/* Registers of a unit with view and sampler. */
void
tegra20_texture_desc(const struct tegra20_context *ctx, unsigned unit,
                     struct tegra20_texture_desc *desc);

/* The unit's values of enum tegra20_param. */
void
tegra20_texture_params(const struct tegra20_context *ctx, unsigned unit,
                       float *params);

#endif
