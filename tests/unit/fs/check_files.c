/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * fs-check-files FILE...: compiles the fragment stage of GLSL files and compares, on random inputs, what the machine words
 * compute with what the NIR says; programs that do not fit are cut into parts.  Prints a line for each program that differs,
 * and totals.
 */

#include <stdio.h>
#include <stdlib.h>

#include "pipe/p_defines.h"
#include "util/blend.h"

#include "check_files.h"
#include "fs_check.h"

#define RUNS 12

/* Variation 0 is the plain key; the others have some blending, mask or order of components. */
static void
vary_key(struct tegra20_fs_key *key, unsigned variation)
{
   static const uint8_t factors[] = {
      PIPE_BLENDFACTOR_ONE, PIPE_BLENDFACTOR_ZERO, PIPE_BLENDFACTOR_SRC_COLOR, PIPE_BLENDFACTOR_SRC_ALPHA,
      PIPE_BLENDFACTOR_DST_ALPHA, PIPE_BLENDFACTOR_DST_COLOR, PIPE_BLENDFACTOR_SRC_ALPHA_SATURATE,
      PIPE_BLENDFACTOR_CONST_COLOR, PIPE_BLENDFACTOR_CONST_ALPHA, PIPE_BLENDFACTOR_INV_SRC_COLOR,
      PIPE_BLENDFACTOR_INV_SRC_ALPHA, PIPE_BLENDFACTOR_INV_DST_ALPHA, PIPE_BLENDFACTOR_INV_DST_COLOR,
      PIPE_BLENDFACTOR_INV_CONST_COLOR, PIPE_BLENDFACTOR_INV_CONST_ALPHA,
   };
   struct tegra20_fs_rt_key *rt = &key->rt[0];

   fs_check_default_key(key);
   if (variation == 0)
      return;
   srand(variation);
   rt->order = rand() % 2;
   rt->has_alpha = rand() % 4 > 0;
   rt->colormask = rand() % 3 ? 0xf : rand() % 15 + 1;
   rt->blend_enable = rand() % 4 > 0;
   rt->rgb_func = rand() % 3 ? PIPE_BLEND_ADD : rand() % 5;
   rt->alpha_func = rand() % 3 ? PIPE_BLEND_ADD : rand() % 5;
   rt->rgb_src = factors[rand() % ARRAY_SIZE(factors)];
   rt->rgb_dst = factors[rand() % ARRAY_SIZE(factors)];
   rt->alpha_src = factors[rand() % ARRAY_SIZE(factors)];
   rt->alpha_dst = factors[rand() % ARRAY_SIZE(factors)];
}

static unsigned
hash_name(const char *name)
{
   unsigned h = 5381;
   while (*name)
      h = h * 33 + *name++;
   return h;
}

static enum check_outcome
check(nir_shader *nir, const char *file)
{
   enum check_outcome outcome = CHECK_AGREES;

   for (unsigned i = 0; i < 3; i++) {
      struct tegra20_fs_key key;
      struct fs_check_result result;
      struct tegra20_fs *fs;
      char *error = NULL;
      const struct tegra20_compiler_options options = {
         .debug = getenv("FS_CHECK_IR") ? TEGRA20_COMPILER_PRINT_IR : 0,
      };
      vary_key(&key, i ? hash_name(file) + i : 0);
      if (!tegra20_compile_fs(nir, nir, &key, &options, &fs, &error)) {
         const struct tegra20_parts *parts = tegra20_cut_fs(nir, nir, &key, &options, &error);
         fs = NULL;
         if (!parts || !fs_check_parts(nir, parts, &key, NULL, RUNS, 1, 4, &result, &error)) {
            printf("%s: variation %u rejected: %s\n", file, i, error);
            outcome = MAX2(outcome, CHECK_REJECTED);
            continue;
         }
         printf("%s: variation %u: %u parts, %u values\n", file, i, parts->count, parts->num_values);
      } else {
         fs_check(nir, fs, &key, RUNS, 1, 4, &result);
      }
      const enum check_outcome now = result.error || result.diagnostic ? CHECK_BROKEN
                                     : result.mismatches               ? CHECK_DIFFERS
                                                                       : CHECK_AGREES;
      if (now != CHECK_AGREES)
         printf("%s: variation %u: %u of %u runs differ: %s; strict %u; %s\n", file, i, result.mismatches, result.runs,
                result.message, result.diagnostic, result.error ? result.error : "");
      outcome = MAX2(outcome, now);
      if (fs)
         printf("%s: stats %u %u worst %.2f\n", file, fs->stats.cycles, fs->stats.lower_bound, result.worst);
   }
   return outcome;
}

int
main(int argc, char **argv)
{
   return check_files(argc, argv, MESA_SHADER_FRAGMENT, check);
}
