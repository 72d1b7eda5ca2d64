/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Texture units: their textures, copies and samplers.
 */

#ifndef TEGRA20_TEXTURE_H
#define TEGRA20_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "pipe/p_state.h"

#include "tegra20_compiler.h"

#include "tegra20_sampler_copy.h"

struct tegra20_context;
struct tegra20_format;
struct tegra20_pass;
struct tegra20_resource;

/* A view with a sampler. */
struct tegra20_texture {
   struct tegra20_resource *resource; /* the sampled resource: the texture, or
                                         ...  NULL: all but the key has to be
                                         computed */
   struct tegra20_resource *copy;     /* a reference, or NULL */
   struct tegra20_sampler_copy_key copy_key;
   unsigned first_level; /* of the texture, as a sampler without mipmaps
                            sees it */

   struct tegra20_fs_tex_key key; /* for the program; of a unit that has not
                                     been computed since another view or
                                     sampler was bound, that of the old one */

   uint32_t desc1, desc2; /* registers */
   uint32_t offset;       /* of the first level, inside the buffer object */

   /* enum tegra20_param */
   float size[2], rcp_size[2], lod_bias, step, first, last, depth;
   float part[2];   /* corners: the texture's part of the copy; otherwise
                       1 / (size + 2) */
   float layers[4]; /* number, columns, 1 / columns, 1 / rows; corners: where
                       they begin */
   float border[4]; /* the border colour in the unit's order */
};

/*
 * The state of a view with a sampler depends on nothing else, unless a copy
 * replaces the texture.  Applications exchange textures and samplers all the
 * time, so views cache it for their last samplers.
 */
#define TEGRA20_KNOWN_TEXTURES 2
struct tegra20_known_texture {
   struct pipe_sampler_state sampler;
   struct tegra20_texture texture; /* resource NULL: nothing is known */
};

struct tegra20_sampler_view {
   struct pipe_sampler_view base;
   const struct tegra20_format *format;
   struct tegra20_known_texture known[TEGRA20_KNOWN_TEXTURES];
   unsigned next_known;
};

/* The texture of units without one, (0, 0, 0, 1) as of an incomplete one:
 * made with the context, since memory may have run out when it is needed. */
bool
tegra20_texture_init(struct tegra20_context *ctx);
void
tegra20_texture_fini(struct tegra20_context *ctx);

/* View or sampler of a unit, or the memory behind it, are others now. */
void
tegra20_texture_changed(struct tegra20_context *ctx, unsigned unit);

/*
 * Before a draw of a pass is recorded: computes ctx->textures of the units
 * that it uses and that have changed, and updates copies of textures that
 * cannot be sampled directly.  May submit jobs.  False when memory ran out.
 */
bool
tegra20_texture_prepare(struct tegra20_context *ctx,
                        const struct tegra20_pass *pass);

/* The unit's values of enum tegra20_param. */
void
tegra20_texture_params(const struct tegra20_context *ctx, unsigned unit,
                       float *params);

#endif
