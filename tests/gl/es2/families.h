/*
 * SPDX-License-Identifier: MIT
 *
 * The families of all files of this directory.
 */

#ifndef TESTS_GL_ES2_FAMILIES_H
#define TESTS_GL_ES2_FAMILIES_H

#include "grid.h"

extern const struct grid_family family_operators, family_swizzles, family_conversions, family_builtins;
extern const struct grid_family family_loops, family_control, family_discard, family_indexing;

#endif
