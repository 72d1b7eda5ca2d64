/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#ifndef FS_LOOPS_H
#define FS_LOOPS_H

#include "compiler/nir/nir.h"

enum fs_loops_result {
   FS_LOOPS_EXACT, /* no loop is left, and nothing was cut */
   FS_LOOPS_CUT, /* no loop is left; how often one runs depends on the pixel,
                    and it ends after "iterations" */
   FS_LOOPS_TOO_LONG,  /* a loop runs more often than that for certain */
   FS_LOOPS_TOO_LARGE, /* the code grows out of bounds */
};

bool
fs_has_loops(const nir_shader *nir);

/* Is there a loop in a list of nodes, or in conditionals in it? */
bool
fs_contains_loop(const struct exec_list *list);

/* Makes a body without jumps of its own of that of a loop, which has no phis.
 * The next iteration begins where the result, which nobody reads, is. */
nir_def *
fs_remove_jumps(nir_function_impl *impl, nir_loop *loop);

/* Replaces every loop by copies of its body; keep: but for those that
 * fs_mark_counted() has marked.  Otherwise than on success the
 * shader is of no use: work on a clone.  One that was cut has to be optimized
 * again. */
enum fs_loops_result
fs_unroll_loops(nir_shader *nir, unsigned iterations, bool keep);

#endif
