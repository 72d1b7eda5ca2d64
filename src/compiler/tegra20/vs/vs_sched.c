/*
 * SPDX-License-Identifier: MIT
 *
 * Scheduling.
 */

#include "vs_ir.h"

static void
schedule_in_order(struct vs_block *block)
{
   util_dynarray_clear(&block->insts);
   vs_foreach_op(block, op) {
      struct vs_inst inst = {0};
      if (vs_info(op)->units & VS_UNIT_VECTOR)
         inst.vector = op;
      else
         inst.scalar = op;
      util_dynarray_append(&block->insts, struct vs_inst, inst);
   }
}

void
vs_schedule(struct vs_program *prog, bool pair)
{
   vs_foreach_block(prog, block)
      schedule_in_order(block);
}
