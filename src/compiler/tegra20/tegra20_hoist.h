/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#ifndef TEGRA20_HOIST_H
#define TEGRA20_HOIST_H

#include "compiler/nir/nir.h"

struct tegra20_hoist_limits {
   unsigned fs_operations; /* fragment programs with no more than so many are
                              left alone; see tegra20_hoist_operations() */
   unsigned vs_operations; /* that the vertex program may have */
   unsigned
      vs_uniforms; /* uniform components that the vertex program may have */
   unsigned varyings; /* four-component varyings, with gl_Position and other
                         built-in ones */
};

/*
 * A rough count of the scalar operations of a program.  A fragment program
 * has room for 64 packets of four (fragment-pipeline.md 1), a vertex program
 * for 256 instructions that do up to four of a kind (vertex-pipeline.md 3).
 */
unsigned
tegra20_hoist_operations(const nir_shader *shader);

/*
 * Moves expressions from a fragment program to the vertex program it is
 * linked with; essay in tegra20_hoist.c.  Both have variables and SSA values,
 * their inputs and outputs are copied at the beginning and at the end
 * (nir_lower_io_to_temporaries), and Mesa's optimizations have run.  Returns
 * the number of scalar values that became varyings.
 */
unsigned
tegra20_hoist(nir_shader *vs, nir_shader *fs,
              const struct tegra20_hoist_limits *limits);

#endif
