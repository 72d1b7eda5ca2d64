/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Variables that some path leaves undefined, because results computed from
 * them are unused there (NIR joins the conditions of two breaks in this way),
 * are zero from the beginning.  The chip may have a NaN in a register that
 * was not written, and results computed from it are not always ignored:
 * max(NaN, 1) can be NaN.
 *
 * A predicated write counts as one: its other case has been written by the
 * operation before or the complementary one.
 */

#include "util/bitset.h"
#include "util/ralloc.h"
#include "vs_ir.h"

/* Transfer function: from the live variables behind a block to those in front
 * of it. */
static void
live_before(const struct vs_block *block, BITSET_WORD *live)
{
   for (unsigned i = vs_num_ops(block); i-- > 0;) {
      const struct vs_op *op = vs_get_op(block, i);

      for (unsigned l = 0; l < op->lanes; l++) {
         if (op->dst[l] != VS_NO_CELL)
            BITSET_CLEAR(live, op->dst[l]);
      }
      for (unsigned s = 0; s < vs_info(op)->num_srcs; s++) {
         for (unsigned l = 0;
              op->src[s].file == VS_FILE_TEMP && l < vs_src_lanes(op); l++)
            BITSET_SET(live, op->src[s].c[l]);
      }
   }
}

void
vs_define_cells(struct vs_program *prog)
{
   const unsigned words = BITSET_WORDS(prog->num_cells),
                  num_blocks = vs_num_blocks(prog);
   bool progress = true;

   if (num_blocks == 1 || prog->num_cells == 0)
      return;
   BITSET_WORD *in =
                  rzalloc_array(NULL, BITSET_WORD, words * (num_blocks + 1)),
               *live = in + words * num_blocks;
   while (progress) {
      progress = false;
      for (unsigned b = num_blocks; b-- > 0;) {
         const struct vs_block *block = vs_get_block(prog, b);

         memset(live, 0, words * sizeof(BITSET_WORD));
         for (unsigned s = 0; s < 2; s++) {
            for (unsigned w = 0; block->succ[s] != VS_NO_BLOCK && w < words;
                 w++)
               live[w] |= in[block->succ[s] * words + w];
         }
         live_before(block, live);
         if (memcmp(&in[b * words], live, words * sizeof(BITSET_WORD)) != 0) {
            memcpy(&in[b * words], live, words * sizeof(BITSET_WORD));
            progress = true;
         }
      }
   }

   unsigned cell;
   BITSET_FOREACH_SET (cell, in, prog->num_cells) {
      struct vs_op *move = vs_op_create(prog, VS_OP_MOV, 1);

      move->dst[0] = cell;
      move->src[0] = (struct vs_src){ .file = VS_FILE_CONST,
                                      .c = { vs_value_imm(prog, 0.0f) } };
      vs_block_insert(vs_get_block(prog, 0), 0, move);
   }
   ralloc_free(in);
}
