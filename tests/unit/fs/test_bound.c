/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The lower bound on clocks (fs_bound.c): small programs whose shortest schedules can be worked out by hand, from
 * fragment-pipeline.md 1 and 3 (a clock has one packet of four units, one MFU instruction and one lookup; an EXEC begins with
 * the lookup and the MFU, whose results its packets read, and what packets compute the MFU and lookups see in the next EXEC).
 *
 * A program is a list of operations, each a letter and the numbers of the operations that it reads (0 is the first):
 *
 *   a  multiply and add     s  special function    i  interpolation of a column    t  lookup
 *   c  chained sum          m  product in the MFU  f  fetch                        w  store    p  part of a result
 *
 * "A" is an "a" that reads a constant embedded in the packet; "u123" behind the letter one that reads the uniform registers 1,
 * 2 and 3.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fs/fs.h"
#include "fs/fs_schedule.h"

#define MAX_NODES    16
#define EMBEDDED     0 /* value without a register; value n is in uniform register n */
#define NUM_VALUES   10
#define NUM_UNIFORMS (NUM_VALUES - 1)

static const struct {
   const char *program;
   unsigned clocks; /* with one row */
   unsigned packets;
   unsigned rows, clocks_of_rows; /* 0: not asked */
   bool alone;                    /* nothing shares a packet with a sum */
} cases[] = {
   {"", 1, 0},
   /* one packet has four units */
   {"a a a a", 1, 1},
   {"a a a a a", 2, 2},
   {"c", 1, 1},
   {"c c", 2, 2},
   {"c a a", 2, 2},
   /* a sum of three products leaves one of them, and there is one sum in a packet */
   {"d a", 1, 1},
   {"d a a", 2, 2},
   {"d d", 2, 2},
   {"d A", 2, 2},
   /* a product, and additions to it, are a sum if nothing else reads them */
   {"x y0", 1, 1},
   {"x y0 y1 y2", 1, 1},
   {"x y0 y1 y2 y3", 2, 2},
   {"x y0 y1 s2 a3", 2, 1},
   {"x y0 a0", 2, 1},
   {"a y0 y1", 3, 1},
   /* unless the units of a sum are not used by others (A95) */
   {"d a", 2, 2, .alone = true},
   {"d d a a", 3, 3, .alone = true},
   {"x y0", 2, 1, .alone = true},
   {"x y0 y1 y2", 4, 1, .alone = true},
   /* an operation sees the result of one before it in the next packet */
   {"a a0 a1", 3, 1},
   {"a a0 a0 a1,2", 3, 1},
   /* five between a first and a last */
   {"a a0 a0 a0 a0 a0 a1,2,3,4,5", 4, 2},
   {"a a0 a0 a0 a0 a1,2,3,4", 3, 2},
   /* eight that lead to a last, a ninth that does not */
   {"a a a a a a a a a0,1,2,3 a4,5,6,7 a8,9", 4, 3},
   /* five that need the result of a fourth clock, and one of the first that comes later in the list */
   {"a a0 a1 a a2,3 a2,3 a2,3 a2,3 a2,3", 5, 3},
   /* nine behind the first, of which four need another before them */
   {"a a0 a0 a0 a0 a0 a1 a1 a1 a1", 4, 3},
   /* MFU: one function, or two products, or four columns */
   {"s s s", 3, 0},
   {"m m m", 2, 0},
   {"s m m", 1, 0},
   {"i i i i", 1, 0},
   {"i i i i i", 2, 0},
   {"s i", 2, 0},
   {"m m m i", 3, 0},
   /* the MFU comes before the packets of its EXEC */
   {"i a0", 1, 1},
   {"i s0 a1", 2, 1},
   {"s s0 a1", 2, 1},
   {"a s0 a1", 2, 1},
   {"a s0", 2, 1},
   {"a s0 a1 s2", 3, 1},
   {"a a0 s1 a2 a3", 4, 1},
   {"a s0 s0 s0 s0", 5, 1},
   {"a a a a a s0,1,2,3,4", 3, 2},
   /* of 2 instructions and 2 packets the EXEC has 2 clocks */
   {"s s0 a1 a2", 2, 1},
   /* a clock has a lookup, which begins its EXEC */
   {"t t", 2, 0},
   {"t p0 a1", 1, 1},
   {"t p0 t1", 2, 0},
   {"t p0 a1 t2", 2, 1},
   {"i t0 p1 s2", 2, 0},
   {"t p0 s1 s1 s1", 4, 0},
   {"t p0 t p2 m1,3", 3, 0},
   /* whose packets stand beside the instructions that find its coordinates */
   {"i s0 m0,1 t2 p3 a4 a5 a6 a7", 4, 1},
   /* fetches and stores */
   {"f f", 2, 0},
   {"w w w", 3, 0},
   {"f p0 a1 w2", 1, 1},
   /* a packet with embedded constants has three units for operations */
   {"A A A", 1, 1},
   {"A A A A", 2, 2},
   {"A a a", 1, 1},
   {"A a a a", 2, 2},
   {"a A0 A0 A0 A0", 3, 2},
   /* and it reads five uniforms */
   {"au123 au45", 1, 1},
   {"au123 au456", 2, 1},
   {"au123 au456 au789 a", 2, 1},
   {"au123 au123 au123 au123", 1, 1},
   {"au111 au111 au23 au45", 1, 1},
   /* rows: a batch takes a clock for each, and the last one is a batch */
   {"a", 1, 1, 2, 2},
   {"a", 1, 1, 4, 4},
   {"a s0 a1", 2, 1, 2, 4},
   {"a s0 a1", 2, 1, 4, 8},
   {"s s s", 3, 0, 2, 3},
   {"a a a a a a a a", 2, 2, 2, 3},
};

/* A source that is a constant. */
static struct fs_src
value_src(unsigned value)
{
   return (struct fs_src){FS_SRC_VALUE, 0, value};
}

/* Those that the letter stands for: an embedded constant, the factors of a sum, a product, what is added to. */
static void
add_fixed_sources(struct fs_node *node, char letter)
{
   const unsigned zeros = letter == 'c' ? 8 : letter == 'd' ? 6 : letter == 'x' ? 3 : letter == 'y' ? 2 : 0;

   if (letter == 'A')
      node->src[node->num_srcs++] = value_src(EMBEDDED);
   while (node->num_srcs < zeros)
      node->src[node->num_srcs++] = (struct fs_src){FS_SRC_ZERO, 0, 0};
}

static struct fs_node
parse_node(const char **text)
{
   static const struct {
      char letter;
      enum fs_op op;
   } letters[] = {
      {'a', FS_OP_MAD}, {'A', FS_OP_MAD}, {'x', FS_OP_MAD}, {'y', FS_OP_MAD}, {'c', FS_OP_ACC}, {'d', FS_OP_ACC},
      {'s', FS_OP_SFU}, {'m', FS_OP_MUL}, {'i', FS_OP_INTERP},
      {'t', FS_OP_TEX}, {'f', FS_OP_FETCH}, {'p', FS_OP_PART}, {'w', FS_OP_STORE},
   };
   struct fs_node node = {.op = 0xff, .format = **text == 'p' ? FS_FX10 : FS_FP20};

   for (unsigned i = 0; i < ARRAY_SIZE(letters); i++) {
      if (letters[i].letter == **text)
         node.op = letters[i].op;
   }
   assert_int_not_equal(node.op, 0xff);
   add_fixed_sources(&node, **text);
   ++*text;
   if (**text == 'u') {
      for (++*text; **text > '0' && **text <= '0' + NUM_UNIFORMS; ++*text)
         node.src[node.num_srcs++] = value_src(**text - '0');
   }
   while (**text && **text != ' ') {
      char *end;
      node.src[node.num_srcs++] = fs_node_src(strtoul(*text, &end, 10));
      assert_ptr_not_equal(end, *text);
      *text = end + (*end == ',');
   }
   *text += strspn(*text, " ");
   return node;
}

static struct fs_program *
parse(const char *text)
{
   struct fs_program *p = rzalloc(NULL, struct fs_program);

   p->nodes = rzalloc_array(p, struct fs_node, MAX_NODES);
   p->const_places = rzalloc_array(p, struct fs_const_place, NUM_VALUES);
   for (unsigned value = EMBEDDED + 1; value < NUM_VALUES; value++)
      p->const_places[value].reg = FS_REG_UNIFORM0 + value;
   while (*text) {
      assert_in_range(p->num_nodes, 0, MAX_NODES - 1);
      p->nodes[p->num_nodes++] = parse_node(&text);
   }
   return p;
}

static void
test_bounds(void **state)
{
   unsigned wrong = 0;

   for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
      struct fs_program *p = parse(cases[i].program);
      p->part_sums = !cases[i].alone;
      const unsigned clocks = fs_lower_bound(p, 1), packets = fs_least_packets(p);
      if (clocks != cases[i].clocks || packets != cases[i].packets) {
         print_error("\"%s\": %u clocks, not %u, %u packets, not %u\n", cases[i].program, clocks, cases[i].clocks, packets,
                     cases[i].packets);
         wrong++;
      }
      const unsigned of_rows = cases[i].rows ? fs_lower_bound(p, cases[i].rows) : 0;
      if (of_rows != cases[i].clocks_of_rows) {
         print_error("\"%s\", %u rows: %u clocks, not %u\n", cases[i].program, cases[i].rows, of_rows, cases[i].clocks_of_rows);
         wrong++;
      }
      ralloc_free(p);
   }
   assert_int_equal(wrong, 0);
}

/* Rows that programs need, of 8 halves of registers each: a result of a function takes two of them, a component of a texel
 * one. */
static const struct {
   const char *program;
   unsigned rows;
} row_cases[] = {
   {"", 1},
   {"a", 1},
   /* results that the store wants, until the last one is there */
   {"s s s s s w0,1,2,3,4", 1},
   {"s s s s s s w0,1,2,3,4,5", 2},
   /* the sum of the first ones instead of them */
   {"s s s s s s a0,1,2 a3,4,5 w6,7", 1},
   /* a texel takes two registers beside what is wanted later */
   {"s s a0,1 t2 p3 w0,1,4", 1},
   {"s s s a0,1,2 t3 p4 w0,1,2,5", 2},
   /* but nothing is held for the lookup itself, and nothing if the functions can wait */
   {"s s s t0,1,2 p3 w4", 1},
   {"s s s t p3 w0,1,2,4", 1},
   /* what is computed again is not held */
   {"s a0 a0 a0 a0 a0 t1 p6 w1,2,3,4,5,7", 1},
   /* three values of two functions: the results of these are held instead */
   {"s s s a0,1 a0 a0,1,2 t5 p6 w2,3,4,7", 2},
   /* two texels; a third has no room in any order, unless the store need not wait for it */
   {"t p0 p0 p0 p0 t p5 p5 p5 p5 w1,2,3,4,6,7,8,9", 1},
   {"t p0 p0 p0 p0 t p5 p5 p5 p5 t p10 w1,2,3,4,6,7,8,9 w11", 1},
   {"t p0 p0 p0 p0 t p5 p5 p5 p5 t p10 a9,11 w1,2,3,4,6,7,8,12", 2},
   /* what one operation reads, but for results of packets */
   {"i i i i a0,1,2,3", 1},
   {"i i i i i a0,1,2,3,4", 2},
   {"i i i i a0,1,2,3,3", 1},
   {"a a a a a a0,1,2,3,4", 1},
};

static void
test_rows(void **state)
{
   unsigned wrong = 0;

   for (unsigned i = 0; i < ARRAY_SIZE(row_cases); i++) {
      struct fs_program *p = parse(row_cases[i].program);
      const unsigned rows = fs_least_rows(p);
      if (rows != row_cases[i].rows) {
         print_error("\"%s\": %u rows, not %u\n", row_cases[i].program, rows, row_cases[i].rows);
         wrong++;
      }
      ralloc_free(p);
   }
   assert_int_equal(wrong, 0);
}

/* Clocks to the end of each operation: a lookup begins an EXEC, whose packets are on its clock. */
static void
test_ways(void **state)
{
   static const uint16_t expected[] = {1, 1, 2, 2, 3, 4, 4};
   struct fs_program *p = parse("i a0 s1 a2 a3 t4 a5");
   uint16_t clocks[MAX_NODES];

   fs_measure_ways(p, clocks);
   for (unsigned v = 0; v < ARRAY_SIZE(expected); v++)
      assert_int_equal(clocks[v], expected[v]);
   ralloc_free(p);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bounds),
      cmocka_unit_test(test_rows),
      cmocka_unit_test(test_ways),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
