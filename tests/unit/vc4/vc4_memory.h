/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * A simulated VideoCore IV with zeroed memory at BASE, strict, for each test of a program.
 */

#ifndef VC4_MEMORY_H
#define VC4_MEMORY_H

#include "v3d_internal.h"

#define BASE 0x100000u
#define SIZE 0x400000u

extern uint8_t *memory;
extern struct v3d *v3d;

/* Of memory, from BASE on. */
uint32_t word_at(uint32_t offset);

/* How often each diagnostic was given since the test began or the last forget_diags(), the first is number 950. */
extern unsigned diags[64];

/* Of all numbers. */
unsigned count_diags(void);

void forget_diags(void);

#endif
