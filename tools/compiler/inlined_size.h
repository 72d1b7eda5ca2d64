/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * How large a shader becomes when its functions are inlined.  Mesa's linker
 * inlines all calls before a driver sees the program, so functions that call
 * each other twice, 64 deep, take all memory there.
 */

#ifndef INLINED_SIZE_H
#define INLINED_SIZE_H

#include <stdint.h>

#include "compiler/nir/nir.h"

/* No shader of this many operations folds into the 256 instructions of a
 * vertex program or a fragment program's 64. */
#define MAX_INLINED_SIZE 1000000

/* NIR instructions of main() with all calls expanded; UINT64_MAX stands for
 * that many and more. */
uint64_t
inlined_size(const nir_shader *nir);

#endif
