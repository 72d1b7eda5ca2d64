/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * vs-check-files FILE...: compiles the vertex stage of GLSL files and compares, on random inputs, what the machine
 * words compute with what the NIR says.  Prints a line for each program that differs, and totals.
 */

#include <stdio.h>

#include "check_files.h"
#include "tegra20_compiler.h"
#include "vs_check.h"

#define RUNS 24

static enum check_outcome
check(nir_shader *nir, const char *file)
{
   const struct tegra20_vs_key key = {0};
   struct vs_check_result result;
   struct tegra20_vs *vs;
   char *error = NULL;

   if (!tegra20_compile_vs(nir, nir, &key, NULL, &vs, &error)) {
      printf("%s: rejected: %s\n", file, error);
      return CHECK_REJECTED;
   }
   vs_check(nir, vs, RUNS, 1, &result);
   if (vs->stats.lower_bound)
      printf("%s: stats %u %u\n", file, vs->stats.insts, vs->stats.lower_bound);
   if (!result.error && !result.mismatches)
      return CHECK_AGREES;
   printf("%s: %u of %u runs differ: %s\n", file, result.mismatches, result.runs, result.message);
   return result.error ? CHECK_BROKEN : CHECK_DIFFERS;
}

int
main(int argc, char **argv)
{
   return check_files(argc, argv, MESA_SHADER_VERTEX, check);
}
