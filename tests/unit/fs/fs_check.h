/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Compares what compiled fragment words compute with what the NIR says, on random inputs, blending included.
 */

#ifndef FS_CHECK_H
#define FS_CHECK_H

#include "multipass/tegra20_cut.h"
#include "tegra20_compiler.h"

struct fs_check_result {
   unsigned runs, mismatches;
   float worst;         /* largest difference, in steps of 1/256 */
   unsigned diagnostic; /* first strict diagnostic */
   const char *error;   /* the comparison itself is not possible */
   char message[160];   /* first mismatch */
};

/* A key of one RGBA target without blending, native textures. */
void fs_check_default_key(struct tegra20_fs_key *key);
/* tolerance: steps of 1/256 */
void fs_check(const nir_shader *nir, const struct tegra20_fs *fs, const struct tegra20_fs_key *key, unsigned runs,
              unsigned seed, float tolerance, struct fs_check_result *result);
/* The same with a program in parts, which are compiled with these options; false with *error when one does not fit. */
bool fs_check_parts(const nir_shader *nir, const struct tegra20_parts *parts, const struct tegra20_fs_key *key,
                    const struct tegra20_compiler_options *options, unsigned runs, unsigned seed, float tolerance,
                    struct fs_check_result *result, char **error);

#endif
