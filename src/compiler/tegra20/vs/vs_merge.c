/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Merges operations of the same kind into one of more lanes: four scalar
 * additions are one instruction of the vector unit.
 *
 * Two operations can be merged when neither depends on the other and their
 * operands come from the same place with the same modifiers.  It pays only if
 * no moves are needed to bring the cells of both into one register, which a
 * trial of the grouping tells, and if the longest chain does not exceed the
 * length that the number of operations implies anyway.
 */

#include <string.h>

#include "util/ralloc.h"
#include "util/u_math.h"
#include "vs_dag.h"

/* The trials are quadratic; blocks beyond this do not fit the instruction
 * memory anyway. */
#define MAX_BLOCK_OPS 1024

static bool
sources_match(const struct vs_op *a, const struct vs_op *b)
{
   for (unsigned s = 0; s < vs_info(a)->num_srcs; s++) {
      const struct vs_src *x = &a->src[s], *y = &b->src[s];
      if (x->file != y->file || x->neg != y->neg || x->abs != y->abs ||
          x->relative || y->relative || x->base != y->base)
         return false;
   }
   return true;
}

static bool
exports_match(const struct vs_op *a, const struct vs_op *b)
{
   if (a->export != b->export || vs_has_dst(a) != vs_has_dst(b))
      return false;
   for (unsigned i = 0; i < a->lanes && a->export != VS_NONE; i++) {
      for (unsigned j = 0; j < b->lanes; j++) {
         if (a->export_comp[i] == b->export_comp[j])
            return false;
      }
   }
   return true;
}

/* Both test the same condition, or both set components of one condition
 * register. */
static bool
conditions_match(const struct vs_op *a, const struct vs_op *b)
{
   if (a->cond != b->cond ||
       (vs_is_predicated(a) && a->pred[0] / 4 != b->pred[0] / 4))
      return false;
   if (vs_sets_cr(a) != vs_sets_cr(b))
      return false;
   if (!vs_sets_cr(a))
      return true;
   if (a->set_cr[0] / 4 != b->set_cr[0] / 4 || a->export != VS_NONE)
      return false;
   for (unsigned i = 0; i < a->lanes; i++) {
      for (unsigned j = 0; j < b->lanes; j++) {
         if (a->set_cr[i] == b->set_cr[j])
            return false;
      }
   }
   return true;
}

static bool
shapes_match(const struct vs_op *a, const struct vs_op *b)
{
   if (a->opcode != b->opcode || vs_info(a)->kind != VS_KIND_LANES ||
       a->lanes + b->lanes > 4 || a->saturate != b->saturate ||
       vs_sets_addr(a) || !conditions_match(a, b))
      return false;
   for (unsigned i = 0; i < a->lanes; i++) {
      for (unsigned j = 0; j < b->lanes; j++) {
         if (a->dst[i] != VS_NO_CELL && a->dst[i] == b->dst[j])
            return false;
      }
   }
   return sources_match(a, b) && exports_match(a, b);
}

static struct vs_op
join(const struct vs_op *a, const struct vs_op *b)
{
   struct vs_op both = *a;

   for (unsigned i = 0; i < b->lanes; i++) {
      both.dst[both.lanes] = b->dst[i];
      both.export_comp[both.lanes] = b->export_comp[i];
      both.set_cr[both.lanes] = b->set_cr[i];
      both.pred[both.lanes] = b->pred[i];
      for (unsigned s = 0; s < vs_info(a)->num_srcs; s++)
         both.src[s].c[both.lanes] = b->src[s].c[i];
      both.lanes++;
   }
   return both;
}

/* Whether the block can still be as short as its vector operations allow. */
static bool
chain_allows(const struct vs_dag *dag, unsigned a, unsigned b)
{
   unsigned vector_ops = 0;

   for (unsigned i = 0; i < dag->count; i++)
      vector_ops += vs_node_units(dag, i) == VS_UNIT_VECTOR;
   return MAX2(dag->nodes[a].depth, dag->nodes[b].depth) +
             MAX2(dag->nodes[a].height, dag->nodes[b].height) <=
          MAX2(dag->critical_path, vector_ops);
}

/*
 * Puts the merged operation at the place of the later one; users of the
 * earlier one in between move behind it.
 */
static void
replace_pair(struct vs_block *block, const BITSET_WORD *reached_from_a,
             unsigned a, unsigned b, const struct vs_op *both)
{
   struct vs_op **ops = util_dynarray_begin(&block->ops);
   struct vs_op **dependent = ralloc_array(NULL, struct vs_op *, b - a + 1);
   struct vs_op *merged = ops[a];
   unsigned kept = a, num_dependent = 0;

   *merged = *both;
   for (unsigned i = a + 1; i < b; i++) {
      if (BITSET_TEST(reached_from_a, i))
         dependent[num_dependent++] = ops[i];
      else
         ops[kept++] = ops[i];
   }
   ops[kept++] = merged;
   memcpy(&ops[kept], dependent, num_dependent * sizeof(*ops));
   kept += num_dependent;
   memmove(&ops[kept], &ops[b + 1],
           (vs_num_ops(block) - b - 1) * sizeof(*ops));
   (void)util_dynarray_pop(&block->ops, struct vs_op *);
   ralloc_free(dependent);
}

static bool
merge_one(struct vs_program *prog, struct vs_block *block,
          struct vs_grouping *grouping, unsigned *first)
{
   void *mem_ctx = ralloc_context(NULL);
   const struct vs_dag *dag = vs_dag_create(mem_ctx, prog, block);
   const BITSET_WORD *reaches = vs_dag_reachability(dag, mem_ctx);
   bool merged = false;

   for (unsigned a = *first; a < dag->count && !merged; a++) {
      for (unsigned b = a + 1; b < dag->count && !merged; b++) {
         const struct vs_op *first_op = dag->nodes[a].op,
                            *second_op = dag->nodes[b].op;
         struct vs_const_set consts = { 0 };
         if (!shapes_match(first_op, second_op) ||
             BITSET_TEST(&reaches[a * dag->words], b) ||
             !chain_allows(dag, a, b))
            continue;
         const struct vs_op both = join(first_op, second_op);
         if (!vs_collect_consts(&both, &consts) ||
             !vs_grouping_try(grouping, &both))
            continue;
         replace_pair(block, &reaches[a * dag->words], a, b, &both);
         merged = true;
      }
      *first = a;
   }
   ralloc_free(mem_ctx);
   return merged;
}

void
vs_merge_ops(struct vs_program *prog)
{
   struct vs_grouping *grouping = vs_grouping_create(prog, prog);

   vs_foreach_block (prog, block) {
      unsigned first = 0;
      while (vs_num_ops(block) <= MAX_BLOCK_OPS &&
             merge_one(prog, block, grouping, &first))
         continue;
   }
   ralloc_free(grouping);
}
