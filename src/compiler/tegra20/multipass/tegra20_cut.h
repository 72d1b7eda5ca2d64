/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Multipass partitioning of fragment programs that do not fit the chip:
 * several programs are drawn one after the other and pass values on by pixel.
 */

#ifndef TEGRA20_CUT_H
#define TEGRA20_CUT_H

#include "tegra20_compiler.h"

#define TEGRA20_MAX_PARTS 1000
#define TEGRA20_MAX_PART_SURFACES 500

/* Kinds of colour buffers of a part. */
enum tegra20_part_use {
   TEGRA20_PART_NONE,
   TEGRA20_PART_TARGET, /* the application's of this number: as in the whole
                           program in the last part, only read in others */
   TEGRA20_PART_LOAD,   /* surface with a value of an earlier part */
   TEGRA20_PART_STORE,  /* surface for a value of this part */
   TEGRA20_PART_UPDATE, /* surface with a value that this part changes */
};

struct tegra20_part {
   nir_shader *nir;            /* as tegra20_finish_nir() leaves it */
   struct tegra20_fs *program; /* the schedule that was found first, for
                                  tegra20_part_key(); a ralloc child of the
                                  parts, or NULL: not known */
   struct {
      uint8_t use;    /* enum tegra20_part_use */
      bool flag;      /* 0 or 1 in the first component, not a value */
      bool clear;     /* to 0, before the part is drawn */
      uint8_t group;  /* tegra20_group(), or 0 */
      uint32_t index; /* of the target, or of the surface */
   } cbuf[TEGRA20_MAX_CBUFS];
   uint16_t sampled; /* texture units with values of other pixels, or of this
                        one where colour buffers are used up, ... */
   uint32_t texture[TEGRA20_MAX_SAMPLERS]; /* ... and their surfaces */
};

/* Parts that are drawn until no pixel of a surface has the flag. */
struct tegra20_part_loop {
   uint16_t first, count; /* parts */
   uint16_t active;       /* surface */
};

/* The parts in the order in which they are drawn.  The last one has all
 * outputs of the program, and is the only one that discards what the program
 * discards. */
struct tegra20_parts {
   unsigned count;
   struct tegra20_part *part; /* a ralloc child of this */
   unsigned num_loops;
   struct tegra20_part_loop *loops; /* another */
   unsigned num_surfaces; /* of 32 bits, of the order TEGRA20_RT_FP20 */
   unsigned num_values;   /* number of spilled values */
};

/*
 * Cuts a finished shader so that each part compiles.  key: of the whole
 * program.  The options' effort is not looked at: parts begin as drafts.
 * NULL, with *error as in tegra20_compile_fs(), when that is not possible;
 * else a ralloc child of mem_ctx.
 */
struct tegra20_parts *
tegra20_cut_fs(void *mem_ctx, const nir_shader *nir,
               const struct tegra20_fs_key *key,
               const struct tegra20_compiler_options *options, char **error);

/* The key of part i of a program with this key. */
void
tegra20_part_key(const struct tegra20_parts *parts, unsigned i,
                 const struct tegra20_fs_key *whole,
                 struct tegra20_fs_key *key);

/*
 * Parts as bytes, for a cache that keeps builds apart.  Deserialising reads
 * to the end of the blob and returns a ralloc child of mem_ctx, or NULL when
 * the bytes are no parts.
 */
struct blob;
struct blob_reader;
void
tegra20_parts_serialize(struct blob *blob, const struct tegra20_parts *parts);
struct tegra20_parts *
tegra20_parts_deserialize(void *mem_ctx,
                          const nir_shader_compiler_options *options,
                          struct blob_reader *blob);

#endif
