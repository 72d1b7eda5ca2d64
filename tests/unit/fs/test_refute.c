/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Proofs that no schedule is shorter (fs_refute.c): programs, a number of rows, and the clocks of the shortest schedule as they
 * follow from fragment-pipeline.md 1 and 3.  With a clock less the schedule has to be refuted, with so many it must not be;
 * "never" means that no schedule has that many rows.  Programs are written as fs_graph.h says.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fs/fs.h"

#include "fs_graph.h"
#include "fs_refute.h"

#define NEVER       0
#define MOST_CLOCKS 12

static const struct {
   const char *program;
   unsigned rows, clocks;
   bool alone; /* nothing shares a packet with a sum */
} cases[] = {
   /* units of a packet; sums, and one of them in a packet; embedded constants */
   {"a a a a", 1, 1},
   {"a a a a a", 1, 2},
   {"c a", 1, 2},
   {"d a", 1, 1},
   {"d a", 1, 2, .alone = true},
   {"d d", 1, 2},
   {"A A A", 1, 1},
   {"A A A A", 1, 2},
   {"d A", 1, 2},
   {"ak12 ak3", 1, 1},
   {"ak12 ak34", 1, 2},
   {"x y0 y1 y2", 1, 1},
   {"x y0 y1 y2 y3", 1, 2},
   {"x y0 a0", 1, 2},
   /* uniforms, registers that a packet reads */
   {"au123 au45", 1, 1},
   {"au123 au456", 1, 2},
   {"i i i i i i a0,1,2 a3,4,5 w6,7", 2, 2},
   {"i i i i i i i a0,1,2 a3,4,5,6 w7,8", 2, 3},
   /* the next packet reads a result from alu0..3, the one after it a register */
   {"a a0 a1", 1, 3},
   {"a a0 a0 a0 a0 a1,2,3,4", 1, 3},
   /* instructions of the MFU: functions, pairs of products, four columns */
   {"s s s", 1, 3},
   {"m m m", 1, 2},
   {"s m m", 1, 1},
   {"i i i i w0,1,2,3", 1, 1},
   {"s i w0,1", 1, 2},
   {"i i m0,1 m0,1 w2,3", 1, 2},
   /* the order of the units in an EXEC */
   {"i s0 a1", 1, 2},
   {"i s0 m0,1 t2 p3 a4 a5 a6 a7", 1, 4},
   {"a s0 a1", 1, 2},
   {"t p0 t1", 1, 2},
   {"t p0 s1 s1 s1", 1, 4},
   {"t t", 1, 2},
   {"f f", 1, 2},
   {"w w w", 1, 3},
   {"f p0 a1 w2", 1, 1},
   /* four registers: five values that are wanted at once fit if one is only handed to the next packet */
   {"s s s s w0,1,2,3", 1, 4},
   {"s s s s a0,1,2,3 w4", 1, 4},
   {"i i i s2 w0,1,2,3", 1, 2},
   /* values that must be held while coordinates, or a texel, are in registers wait, and take an EXEC more */
   {"i i t0,1 p2 p2 p2 p2 i i w3,4,5,6 w7,8", 1, 2},
   {"s s a0,1 t2 p3 w0,1,4", 1, 3},
   {"s s s s a w0,1,2,3,4 a w6", 1, NEVER},
   {"t p0 p0 p0 p0 t p5 p5 p5 p5 a1,6 t10 p11 w1,2,6,7,12", 1, 3},
   {"t p0 p0 p0 p0 t p5 p5 p5 p5 a1,6 t10 p11 w1,2,3,6,7,8,12", 1, NEVER},
   /* a store ends its EXEC: what waits for it has the registers, and a result cannot be handed on */
   {"i a a a w0,1,2,3 a a5 w6", 1, 3},
   /* functions do not happen twice */
   {"s s s a0,1,2 t3 p4 w0,1,2,5", 1, NEVER},
   /* computed twice rather than held */
   {"au1 t0 p1 i i i a0,2,3,4,5", 1, 4},
   /* more rows: an EXEC for each, and the last one's packets are those of row 0 */
   {"a", 2, 2},
   {"a w0", 2, 2},
   {"a w0", 4, 4},
   {"w w", 2, 4},
   {"a s0 a1 w2", 2, 4},
   {"a a0 w1", 2, 3},
   /* three packets in an EXEC; those of the next one in its batch do not see what the last of them writes */
   {"a a0 a1 a2 w3", 2, 6},
   {"a a a a w0,1,2,3 a a a a a a a a w5,6,7,8,9,10,11,12", 2, 5},
   {"s s s s s s w0,1,2,3,4,5", 2, 6},
};

static void
test_refute(void **state)
{
   unsigned wrong = 0;

   for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
      struct fs_program *p = fs_graph(cases[i].program);
      p->part_sums = !cases[i].alone;
      unsigned clocks = 1;
      while (clocks != NEVER && fs_refute(p, cases[i].rows, clocks))
         clocks = clocks < MOST_CLOCKS ? clocks + 1 : NEVER;
      if (clocks != cases[i].clocks) {
         print_error("\"%s\", %u rows: %u clocks, not %u\n", cases[i].program, cases[i].rows, clocks, cases[i].clocks);
         wrong++;
      }
      ralloc_free(p);
   }
   assert_int_equal(wrong, 0);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_refute),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
