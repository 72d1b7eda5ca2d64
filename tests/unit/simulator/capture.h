/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * For tests of the front half: stands in for the rasteriser and records what it is given.
 */

#ifndef TEST_CAPTURE_H
#define TEST_CAPTURE_H

#include "sim_internal.h"

#define CAPTURE_MAX 8192

struct capture_primitive {
   unsigned num_vertices; /* 1 point, 2 line, 3 triangle */
   struct gr3d_vertex v[3];
   unsigned provoking;
   bool front;
};

extern struct capture_primitive capture[CAPTURE_MAX];
extern unsigned capture_count;

void capture_clear(void);

#endif
