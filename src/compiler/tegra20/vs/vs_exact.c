/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Exact scheduling of small blocks.
 *
 * With a latency of one everywhere the state after some instructions is just
 * the set of operations done, and doing more is never worse, so that only
 * full instructions need to be tried: legal pairs, and single operations
 * without a partner. Depth-first search, the most urgent choices first,
 * remembers at which length each set was reached and gives up where what is
 * left cannot beat the best schedule known.  The number of states is bounded,
 * so that compile time is.
 */

#include "util/hash_table.h"
#include "util/ralloc.h"
#include "util/u_math.h"
#include "vs_dag.h"

#define MAX_STATES 20000

struct search {
   const struct vs_dag *dag;
   struct vs_schedule *best;
   struct vs_slot current[VS_EXACT_MAX_OPS];
   uint32_t preds[VS_EXACT_MAX_OPS];      /* must be done before */
   uint32_t preds_same[VS_EXACT_MAX_OPS]; /* before or together */
   uint32_t vector_only, scalar_only, all;
   struct hash_table *reached; /* set -> length + 1 */
   unsigned states, lower_bound;
   bool found;
};

static unsigned
remaining_bound(const struct search *s, uint32_t done)
{
   const uint32_t left = s->all & ~done;
   unsigned bound = DIV_ROUND_UP(util_bitcount(left), 2);

   bound = MAX3(bound, util_bitcount(left & s->vector_only),
                util_bitcount(left & s->scalar_only));
   u_foreach_bit (i, left)
      bound = MAX2(bound, s->dag->nodes[i].height);
   return bound;
}

static bool
is_ready(const struct search *s, unsigned node, uint32_t done,
         uint32_t together)
{
   return (s->preds[node] & ~done) == 0 &&
          (s->preds_same[node] & ~(done | together)) == 0;
}

struct choice {
   struct vs_slot slot;
   uint32_t ops;
   unsigned urgency;
};

static int
compare_choices(const void *a, const void *b)
{
   const struct choice *ca = a, *cb = b;

   if (ca->urgency != cb->urgency)
      return ca->urgency > cb->urgency ? -1 : 1;
   return ca->ops < cb->ops ? -1 : ca->ops > cb->ops;
}

static void
add_choice(const struct search *s, struct choice *choices, unsigned *count,
           int vector, int scalar)
{
   struct choice *choice = &choices[(*count)++];

   choice->slot = (struct vs_slot){ vector, scalar };
   choice->ops =
      (vector >= 0 ? 1u << vector : 0) | (scalar >= 0 ? 1u << scalar : 0);
   choice->urgency = (vector >= 0 ? s->dag->nodes[vector].height : 0) +
                     (scalar >= 0 ? s->dag->nodes[scalar].height : 0);
}

static unsigned
list_choices(const struct search *s, uint32_t done, struct choice *choices)
{
   const uint32_t left = s->all & ~done;
   uint32_t paired = 0;
   unsigned count = 0;

   u_foreach_bit (v, left) {
      u_foreach_bit (x, left) {
         if (!vs_dag_can_pair(s->dag, v, x) ||
             !is_ready(s, v, done, 1u << x) || !is_ready(s, x, done, 1u << v))
            continue;
         add_choice(s, choices, &count, v, x);
         paired |= 1u << v | 1u << x;
      }
   }
   u_foreach_bit (i, left & ~paired) {
      if (!is_ready(s, i, done, 0))
         continue;
      const bool vector = vs_node_units(s->dag, i) & VS_UNIT_VECTOR;
      add_choice(s, choices, &count, vector ? (int)i : -1,
                 vector ? -1 : (int)i);
   }
   qsort(choices, count, sizeof(choices[0]), compare_choices);
   return count;
}

static void
search(struct search *s, uint32_t done, unsigned length)
{
   if (done == s->all) {
      s->best->length = length;
      memcpy(s->best->slots, s->current, length * sizeof(s->current[0]));
      s->found = true;
      return;
   }
   if (length + remaining_bound(s, done) >= s->best->length ||
       s->states >= MAX_STATES)
      return;

   void *key = (void *)(uintptr_t)(done + 1); /* not NULL */
   struct hash_entry *entry = _mesa_hash_table_search(s->reached, key);
   if (entry && (uintptr_t)entry->data <= length + 1)
      return;
   _mesa_hash_table_insert(s->reached, key, (void *)(uintptr_t)(length + 1));
   s->states++;

   struct choice *choices =
      ralloc_array(NULL, struct choice, VS_EXACT_MAX_OPS * VS_EXACT_MAX_OPS);
   const unsigned count = list_choices(s, done, choices);
   for (unsigned i = 0; i < count && s->best->length > s->lower_bound; i++) {
      s->current[length] = choices[i].slot;
      search(s, done | choices[i].ops, length + 1);
   }
   ralloc_free(choices);
}

bool
vs_exact_schedule(const struct vs_dag *dag, unsigned lower_bound,
                  struct vs_schedule *best)
{
   struct search s = { .dag = dag, .best = best, .lower_bound = lower_bound };

   if (dag->count > VS_EXACT_MAX_OPS || best->length <= lower_bound)
      return false;

   s.all = BITFIELD_MASK(dag->count);
   for (unsigned i = 0; i < dag->count; i++) {
      util_dynarray_foreach (&dag->nodes[i].preds, struct vs_edge, edge) {
         /* longer latencies would need the time of each operation in the
          * state */
         if (edge->latency > 1)
            return false;
         if (edge->latency)
            s.preds[i] |= 1u << edge->to;
         else
            s.preds_same[i] |= 1u << edge->to;
      }
      const unsigned units = vs_node_units(dag, i);
      s.vector_only |= units == VS_UNIT_VECTOR ? 1u << i : 0;
      s.scalar_only |= units == VS_UNIT_SCALAR ? 1u << i : 0;
   }
   s.reached = _mesa_pointer_hash_table_create(NULL);
   search(&s, 0, 0);
   ralloc_free(s.reached);
   return s.found;
}
