/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Shared by the files that translate lookups: fs_tex.c calls fs_tex_cube.c and
 * fs_tex_volume.c, and all of them fs_tex_lookup.c.
 */

#ifndef FS_TEX_H
#define FS_TEX_H

#include "fs.h"

struct fs_lookup {
   struct fs_program *p;
   const struct tegra20_fs_tex_key *key;
   unsigned unit;
   struct fs_src coord[3], bias, comparator, projector;
   struct fs_src lod;   /* explicit, or FS_SRC_NONE */
   struct fs_src scale; /* size of a texel of the level that is looked up, in
                           texels of the first one; FS_SRC_NONE: 1 */
   uint8_t exact; /* components, as the unit orders them, that have to be
                     n / 255 */
   const struct fs_src *gradient[2]; /* x and y, or NULL */
   struct fs_src
      weight; /* of the texture against the border colour, or FS_SRC_NONE */
};

/* A parameter of the unit: "stride" words each. */
static inline struct fs_src
fs_tex_param(struct fs_lookup *l, unsigned param, unsigned stride,
             unsigned component)
{
   return fs_param(l->p, param + stride * l->unit + component);
}

/* Of the atlas of a 3D texture: number of slices, columns, 1 / columns,
 * 1 / rows. */
static inline struct fs_src
fs_tex_cells(struct fs_lookup *l, unsigned component)
{
   return fs_tex_param(l, TEGRA20_PARAM_TEX_CELLS, 4, component);
}

static inline struct fs_src
fs_tex_clamp(struct fs_program *p, struct fs_src x, struct fs_src low,
             struct fs_src high)
{
   return fs_max(p, fs_min(p, x, high), low);
}

/* --- fs_tex_lookup.c --- */

/* From a coordinate of the texture to one of the copy, which has a texel more
 * on both sides, and may be the corner of the unit's texture. */
struct fs_src
fs_tex_inside_gutters(struct fs_lookup *l, struct fs_src s, unsigned axis);
/* One lookup of the unit; bias: of the level of detail, or FS_SRC_NONE.
 * Returns the node, whose parts the components are. */
unsigned
fs_tex_lookup(struct fs_program *p, unsigned unit, struct fs_src s,
              struct fs_src t, struct fs_src bias);
/* Never more than the first level. */
bool
fs_tex_is_first_level(struct fs_lookup *l);
/* Looks up at l->coord, and decodes. */
void
fs_tex_results(struct fs_lookup *l, struct fs_src raw[4]);
void
fs_tex_filtered_depth(struct fs_lookup *l, bool two_dimensions,
                      struct fs_src raw[4]);
/* The results with the border colour, where l->weight is not that of all. */
void
fs_tex_mix_border(struct fs_lookup *l, struct fs_src raw[4]);

/* --- fs_tex_cube.c --- */

void
fs_tex_cube(struct fs_lookup *l, struct fs_src raw[4]);

/* --- fs_tex_volume.c --- */

/* Slices of a 3D texture: the nearest one, or two that are mixed. */
void
fs_tex_3d(struct fs_lookup *l, struct fs_src raw[4]);

#endif
