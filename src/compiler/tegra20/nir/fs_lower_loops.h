/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#ifndef FS_LOWER_LOOPS_H
#define FS_LOWER_LOOPS_H

#include "compiler/nir/nir.h"

/*
 * Base of loads and stores of carried values (load_output, store_output), to
 * which the number of the value is added.  Value n says whether loop n goes
 * on: 1 before the first iteration; every iteration of the loop stores it,
 * for the pixels whose value is 1.
 */
#define FS_CARRIED (1 << 20)

static inline bool
fs_is_carried(const nir_intrinsic_instr *intr)
{
   return (intr->intrinsic == nir_intrinsic_load_output ||
           intr->intrinsic == nir_intrinsic_store_output) &&
          nir_intrinsic_base(intr) >= FS_CARRIED;
}

/* The beginnings and ends of loops, in order. */
static inline bool
fs_is_barrier(const nir_instr *instr)
{
   return instr->type == nir_instr_type_intrinsic &&
          nir_instr_as_intrinsic((nir_instr *)instr)->intrinsic ==
             nir_intrinsic_barrier;
}

/* Makes one iteration of every loop of a finalized shader without integers,
 * as straight-line code between two barriers.  Optimize it, then remove dead
 * carried values again. */
bool
fs_lower_loops(nir_shader *nir);

/* Removes dead carried values. */
void
fs_drop_carried(nir_shader *nir);

#endif
