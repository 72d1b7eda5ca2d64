/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Lower bound on the length of any schedule of a block.
 *
 * The longest chain is one bound.  The other counts instructions: operations
 * minus pairs, and no schedule has more pairs than a largest matching in the
 * graph of pairs that the rules of dual issue allow.  Moves, which either
 * half can do, appear on both sides of the bipartite graph, which can only
 * make the matching larger and the bound weaker. Pairs that depend on each
 * other are left out.
 */

#include "util/ralloc.h"
#include "util/u_math.h"
#include "vs_dag.h"

struct matching {
   const struct vs_dag *dag;
   BITSET_WORD *reaches; /* row i: nodes that depend on i over a latency of at
                            least 1 */
   int *vector_of; /* scalar node -> vector node that it is matched with, or
                      -1 */
   bool *visited;
};

static bool
augment(struct matching *m, unsigned vector)
{
   const unsigned words = m->dag->words;

   for (unsigned s = 0; s < m->dag->count; s++) {
      if (m->visited[s] || !vs_dag_can_pair(m->dag, vector, s) ||
          BITSET_TEST(&m->reaches[vector * words], s) ||
          BITSET_TEST(&m->reaches[s * words], vector))
         continue;
      m->visited[s] = true;
      if (m->vector_of[s] < 0 || augment(m, m->vector_of[s])) {
         m->vector_of[s] = vector;
         return true;
      }
   }
   return false;
}

unsigned
vs_lower_bound(const struct vs_dag *dag)
{
   void *mem_ctx = ralloc_context(NULL);
   struct matching m = {
      .dag = dag,
      .reaches = vs_dag_reachability(dag, mem_ctx),
      .vector_of = ralloc_array(mem_ctx, int, dag->count + 1),
      .visited = ralloc_array(mem_ctx, bool, dag->count + 1),
   };
   unsigned pairs = 0;

   for (unsigned i = 0; i < dag->count; i++)
      m.vector_of[i] = -1;
   for (unsigned v = 0; v < dag->count; v++) {
      memset(m.visited, 0, dag->count * sizeof(bool));
      pairs += augment(&m, v);
   }
   ralloc_free(mem_ctx);
   return MAX2(dag->critical_path, dag->count - MIN2(pairs, dag->count / 2));
}
