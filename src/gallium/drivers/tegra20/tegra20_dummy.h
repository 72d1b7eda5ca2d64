/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Programs in place of those that do not fit the chip.
 */

#ifndef TEGRA20_DUMMY_H
#define TEGRA20_DUMMY_H

#include "compiler/nir/nir.h"

/*
 * The simplest program that can take the place of another, a vertex or a
 * fragment program as the state tracker delivers it.  Of a fragment program:
 * opaque grey in all targets, the depth of the primitive, nothing discarded.
 * Of a vertex program: all vertices in one point, so that nothing is drawn,
 * and zero in all varyings.  The result belongs to the caller.
 */
nir_shader *
tegra20_nir_dummy(const nir_shader *original);

#endif
