/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fs_graph.h"

#define NUM_UNIFORMS 9 /* value n is in uniform register n */
#define EMBEDDED     (NUM_UNIFORMS + 1) /* values without a register, from there on */
#define NUM_VALUES   (EMBEDDED + 10)

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
   if (**text == 'u' || **text == 'k') {
      const unsigned first = **text == 'u' ? 0 : EMBEDDED;
      for (++*text; **text > '0' && **text <= '0' + NUM_UNIFORMS; ++*text)
         node.src[node.num_srcs++] = value_src(first + **text - '0');
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

struct fs_program *
fs_graph(const char *text)
{
   struct fs_program *p = rzalloc(NULL, struct fs_program);

   p->chip = tegra20_chip_or_default(NULL);
   p->part_sums = true;
   p->nodes = rzalloc_array(p, struct fs_node, FS_GRAPH_NODES);
   p->values.count = NUM_VALUES;
   p->const_places = rzalloc_array(p, struct fs_const_place, NUM_VALUES);
   for (unsigned value = 1; value <= NUM_UNIFORMS; value++)
      p->const_places[value].reg = FS_REG_UNIFORM0 + value;
   while (*text) {
      assert_in_range(p->num_nodes, 0, FS_GRAPH_NODES - 1);
      p->nodes[p->num_nodes++] = parse_node(&text);
   }
   return p;
}
