/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The lower bound on clocks (fs_bound.c): small programs whose shortest schedules can be worked out by hand, from
 * fragment-pipeline.md 1 and 3 (a clock has one packet of four units, one MFU instruction and one lookup; an EXEC begins with
 * the lookup and the MFU, whose results its packets read, and what packets compute the MFU and lookups see in the next EXEC).
 *
 * Programs are written as fs_graph.h says.
 */

#include "unit.h"
#include "fs/fs.h"
#include "fs/fs_schedule.h"

#include "fs_graph.h"

static const struct {
   const char *program;
   unsigned clocks; /* with one row */
   unsigned packets;
   unsigned rows, clocks_of_rows; /* 0: not asked */
   bool alone;                    /* nothing shares a packet with a sum */
} cases[] = {
   {"", 1, 0},
   /* one packet has four units */
   {"a a a a", 1, 1}, {"a a a a a", 2, 2}, {"c", 1, 1},
   {"c c", 2, 2}, {"c a a", 2, 2},
   /* a sum of three products leaves one of them, and there is one sum in a packet */
   {"d a", 1, 1}, {"d a a", 2, 2}, {"d d", 2, 2},
   {"d A", 2, 2},
   /* a product, and additions to it, are a sum if nothing else reads them */
   {"x y0", 1, 1}, {"x y0 y1 y2", 1, 1}, {"x y0 y1 y2 y3", 2, 2},
   {"x y0 y1 s2 a3", 2, 1}, {"x y0 a0", 2, 1}, {"a y0 y1", 3, 1},
   /* unless the units of a sum are not used by others (A95) */
   {"d a", 2, 2, .alone = true}, {"d d a a", 3, 3, .alone = true}, {"x y0", 2, 1, .alone = true},
   {"x y0 y1 y2", 4, 1, .alone = true},
   /* an operation sees the result of one before it in the next packet */
   {"a a0 a1", 3, 1}, {"a a0 a0 a1,2", 3, 1},
   /* five between a first and a last */
   {"a a0 a0 a0 a0 a0 a1,2,3,4,5", 4, 2}, {"a a0 a0 a0 a0 a1,2,3,4", 3, 2},
   /* eight that lead to a last, a ninth that does not */
   {"a a a a a a a a a0,1,2,3 a4,5,6,7 a8,9", 4, 3},
   /* five that need the result of a fourth clock, and one of the first that comes later in the list */
   {"a a0 a1 a a2,3 a2,3 a2,3 a2,3 a2,3", 5, 3},
   /* nine behind the first, of which four need another before them */
   {"a a0 a0 a0 a0 a0 a1 a1 a1 a1", 4, 3},
   /* MFU: one function, or two products, or four columns */
   {"s s s", 3, 0}, {"m m m", 2, 0}, {"s m m", 1, 0},
   {"i i i i", 1, 0}, {"i i i i i", 2, 0}, {"s i", 2, 0},
   {"m m m i", 3, 0},
   /* the MFU comes before the packets of its EXEC */
   {"i a0", 1, 1}, {"i s0 a1", 2, 1}, {"s s0 a1", 2, 1},
   {"a s0 a1", 2, 1}, {"a s0", 2, 1}, {"a s0 a1 s2", 3, 1},
   {"a a0 s1 a2 a3", 4, 1}, {"a s0 s0 s0 s0", 5, 1}, {"a a a a a s0,1,2,3,4", 3, 2},
   /* of 2 instructions and 2 packets the EXEC has 2 clocks */
   {"s s0 a1 a2", 2, 1},
   /* a clock has a lookup, which begins its EXEC */
   {"t t", 2, 0}, {"t p0 a1", 1, 1}, {"t p0 t1", 2, 0},
   {"t p0 a1 t2", 2, 1}, {"i t0 p1 s2", 2, 0}, {"t p0 s1 s1 s1", 4, 0},
   {"t p0 t p2 m1,3", 3, 0},
   /* whose packets stand beside the instructions that find its coordinates */
   {"i s0 m0,1 t2 p3 a4 a5 a6 a7", 4, 1},
   /* fetches and stores */
   {"f f", 2, 0}, {"w w w", 3, 0}, {"f p0 a1 w2", 1, 1},
   /* a packet with embedded constants has three units for operations */
   {"A A A", 1, 1}, {"A A A A", 2, 2}, {"A a a", 1, 1},
   {"A a a a", 2, 2}, {"a A0 A0 A0 A0", 3, 2},
   /* and it reads five uniforms */
   {"au123 au45", 1, 1}, {"au123 au456", 2, 1}, {"au123 au456 au789 a", 2, 1},
   {"au123 au123 au123 au123", 1, 1}, {"au111 au111 au23 au45", 1, 1},
   /* rows: a batch takes a clock for each, and the last one is a batch */
   {"a", 1, 1, 2, 2}, {"a", 1, 1, 4, 4}, {"a s0 a1", 2, 1, 2, 4},
   {"a s0 a1", 2, 1, 4, 8}, {"s s s", 3, 0, 2, 3}, {"a a a a a a a a", 2, 2, 2, 3},
};

TEST_ROWS_CALLED(bounds, cases, program)
{
   struct fs_program *p = fs_graph(c->program);

   p->part_sums = !c->alone;
   assert_int_equal(fs_lower_bound(p, 1), c->clocks);
   assert_int_equal(fs_least_packets(p), c->packets);
   if (c->rows)
      assert_int_equal(fs_lower_bound(p, c->rows), c->clocks_of_rows);
   ralloc_free(p);
}
