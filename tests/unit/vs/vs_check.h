/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Runs a compiled vertex program and its NIR on the same random inputs and compares the outputs.
 */

#ifndef VS_CHECK_H
#define VS_CHECK_H

#include "tegra20_compiler.h"

struct vs_check_result {
   unsigned runs;       /* inputs tried */
   unsigned mismatches; /* inputs with any output beyond the tolerance */
   char message[256];   /* the first mismatch or error */
   bool error;          /* the program broke a rule of the machine */
};

/*
 * nir: after tegra20_preprocess_nir().  Outputs agree when they differ by at most 2^-12 of the larger magnitude, or
 * of 1. Values that the NIR leaves infinite or undefined are not compared, nor are runs that index an array outside
 * its bounds; those must only keep the rules of the machine.
 */
void vs_check(nir_shader *nir, const struct tegra20_vs *vs, unsigned runs, uint32_t seed, struct vs_check_result *result);

#endif
