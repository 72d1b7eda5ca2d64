/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#ifndef FS_LOOPS_H
#define FS_LOOPS_H

#include "compiler/nir/nir.h"

bool
fs_has_loops(const nir_shader *nir);

/* Is there a loop in a list of nodes, or in conditionals in it? */
bool
fs_contains_loop(const struct exec_list *list);

/* Makes a body without jumps of its own of that of a loop, which has no phis.
 * The next iteration begins where the result, which has no users, is. */
nir_def *
fs_remove_jumps(nir_function_impl *impl, nir_loop *loop);

#endif
