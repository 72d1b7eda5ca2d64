/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Proofs that fragment programs cannot be scheduled any shorter.
 */

#ifndef FS_REFUTE_H
#define FS_REFUTE_H

#include <stdbool.h>

struct fs_program;

/* tegra20_compiler_options.refute.  Takes a second at most for programs of 64
 * operations; of larger ones, and of what is not found soon, it says false.
 */
bool
fs_refute(const struct fs_program *p, unsigned rows, unsigned clocks);

#endif
