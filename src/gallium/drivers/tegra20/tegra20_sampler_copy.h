/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Copies of textures in a form that the texture unit can sample, for
 * resources and samplers that it cannot serve directly. The kinds are below.
 *
 * A copy is made when a draw samples the texture and its contents have
 * changed since the last copy.  Writes of other processes are not noticed; in
 * GL such writes show after the next synchronisation, so shared buffers are
 * copied again once per job.
 *
 * Contexts that share textures share their copies: a lock of the screen
 * covers them, and a context that draws with a copy holds a reference.
 * Neither a texture nor a copy is what it will be while another context has
 * not submitted the commands that write it: such a copy is made again.
 */

#ifndef TEGRA20_SAMPLER_COPY_H
#define TEGRA20_SAMPLER_COPY_H

#include <stdbool.h>
#include <stdint.h>

struct pipe_resource;
struct tegra20_context;
struct tegra20_resource;

enum tegra20_sampler_copy_kind {
   TEGRA20_COPY_NONE,      /* sampled as it is */
   TEGRA20_COPY_LINEAR,    /* tiled buffers, and those with a pitch that the
                                unit does not imply: the same pixels */
   TEGRA20_COPY_DEPTH,     /* two bytes of an RGBA8888 texture, which the
                                program puts together (A39) */
   TEGRA20_COPY_RESAMPLED, /* mipmaps of other sizes than powers of two (6.3):
                          resampled to larger ones */
   /*
    * The same without repetition, and cubes: the corner of a texture, or of
    * each face, of power-of-two sizes.  Faces keep their texels, as the
    * program knows the level.  Otherwise the first level keeps them, and the
    * others are resampled to exactly half of the level before.  Doubled, for
    * linear filters: half a texel from the edge, each second texel is one of
    * the first level, and the other levels have space to keep theirs, too.
    */
   TEGRA20_COPY_PADDED,
   /*
    * 3D textures whose edges the unit would have to wrap: each slice with one
    * more texel on all sides and two more slices, which hold the texels of
    * the wrap modes.
    */
   TEGRA20_COPY_BORDER_3D,
   TEGRA20_COPY_BORDER_2D, /* the same for 2D textures of other sizes than
                              powers of two whose linear filter has to wrap */
   /*
    * Mipmapped 3D textures: the program chooses a cell of the atlas without
    * knowing the level that the unit takes, so all levels have as many cells
    * as the first.  Sizes are powers of two.
    */
   TEGRA20_COPY_VOLUME,
   /* Limits of the level of detail between two levels: the first and the last
      level are mixtures. */
   TEGRA20_COPY_LOD,
};

/* Further inputs of the contents; zero where they do not apply. */
struct tegra20_sampler_copy_key {
   uint8_t kind;
   bool linear;  /* resampling kinds: the sampler filters */
   bool doubled; /* PADDED */
   uint8_t first_level,
      last_level;          /* BORDER_*: the level; LOD: those of the view */
   uint8_t wrap[3];        /* BORDER_*: enum pipe_tex_wrap of s, t, r */
   float min_lod, max_lod; /* LOD */
   float border[4];        /* BORDER_* */
};

/* The kind for the resource; mipmapped: the sampler uses more than one level.
 * Samplers may need another one (tegra20_texture.c). */
enum tegra20_sampler_copy_kind
tegra20_resource_copy_kind(const struct tegra20_resource *res,
                           bool mipmapped);

/* Is there space, and use, for a doubled copy? */
bool
tegra20_sampler_copy_can_be_doubled(const struct pipe_resource *res);

/* A new reference to the up-to-date copy, or NULL when memory ran out.  May
 * submit and wait for jobs. */
struct tegra20_resource *
tegra20_sampler_copy_get(struct tegra20_context *ctx,
                         struct tegra20_resource *res,
                         const struct tegra20_sampler_copy_key *key);

void
tegra20_sampler_copy_destroy(struct tegra20_resource *res);

#endif
