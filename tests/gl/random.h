/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Numbers that look random and are the same in every run.
 */

#ifndef TESTS_GL_RANDOM_H
#define TESTS_GL_RANDOM_H

#include <stdint.h>

static uint32_t random_state = 1;

/* 0 to n - 1 */
static inline unsigned
random_below(unsigned n)
{
   random_state = random_state * 1664525 + 1013904223;
   return (random_state >> 8) % n;
}

#endif
