/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * A plain interpreter of vertex program words, one vertex at a time, for the tests of the compiler.  It is stricter
 * than the chip needs: what a correct compiler never does stops it with a reason.
 */

#ifndef VPE_INTERP_H
#define VPE_INTERP_H

#include <stdbool.h>
#include <stdint.h>

struct vpe_state {
   float attribs[16][4];
   float consts[256][4];
   float exports[16][4];
   unsigned steps;       /* instructions executed */
   const char *error;    /* NULL when the program ran to its end */
   unsigned error_inst;
};

void vpe_interpret(const uint32_t (*insts)[4], unsigned count, struct vpe_state *state);

#endif
