/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#ifndef FS_COUNT_H
#define FS_COUNT_H

#include "compiler/nir/nir.h"

/*
 * Base of loads of uniforms: the number of the round that is being drawn, 0
 * in the first one of a loop.
 */
#define FS_ROUND (1 << 20)

static inline bool
fs_is_round(const nir_intrinsic_instr *intr)
{
   return intr->intrinsic == nir_intrinsic_load_uniform &&
          nir_intrinsic_base(intr) == FS_ROUND;
}

/* A loop with a known number of turns, between fs_find_counted() and
 * fs_copy_turns(). */
struct fs_counted {
   nir_loop *loop;
   bool ends;       /* for some pixels before the others, or not begun: turns
                       ask "active" */
   nir_def *active; /* register, then */
   nir_if *exit;    /* else: the only one */
   bool exits_then; /* in that branch of it */
   unsigned turns;  /* until it leaves the loop */
   unsigned copies; /* of the body that a round has */
   unsigned num_counters;
   struct fs_counter *counters;
};

/*
 * Marks the loops of a shader that are better drawn in a known number of
 * rounds than unrolled, so that nothing unrolls them
 * (nir_loop_control_dont_unroll).  Wants the analysis of loops.
 */
void
fs_mark_counted(nir_function_impl *impl);

/*
 * The outermost loops with a known number of turns, and those that
 * fs_mark_counted() marked, ralloc children of mem_ctx.  What only counts
 * turns becomes registers, and is no phi any more.
 */
struct fs_counted *
fs_find_counted(void *mem_ctx, nir_function_impl *impl, unsigned *count);

/*
 * Makes straight code of the loop's body, so many copies of it, and puts what
 * is left over in front of and behind the loop.  The shader has no phis.
 * Returns the number of rounds.
 */
unsigned
fs_copy_turns(nir_function_impl *impl, const struct fs_counted *counted);

#endif
