/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#ifndef FS_FLATTEN_H
#define FS_FLATTEN_H

#include "compiler/nir/nir.h"

/* Conditionals to straight line; loops that are left keep their conditionals.
 * Outputs must have been lowered to stores. */
bool
fs_flatten(nir_shader *nir);

#endif
