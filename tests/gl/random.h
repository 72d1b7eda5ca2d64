/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Numbers that look random and are the same in every run.
 */

#ifndef TESTS_GL_RANDOM_H
#define TESTS_GL_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

static uint32_t random_state = 1;

/* 0 to n - 1 */
static inline unsigned
random_below(unsigned n)
{
   random_state = random_state * 1664525 + 1013904223;
   return (random_state >> 8) % n;
}

static inline bool
one_in(unsigned n)
{
   return random_below(n) == 0;
}

/* In steps of a thousandth of the range. */
static inline float
between(float low, float high)
{
   return low + (high - low) * random_below(1001) / 1000.0f;
}

#endif
