/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Scheduling: which operations share an instruction, and in which order.
 *
 * A list scheduler fills instructions from the first to the last.  Among the
 * operations whose operands are there it looks at every legal pair and takes
 * the best by one of several measures: the chain that hangs on the pair
 * (critical path), the number of operations issued, and the order of the
 * source, which keeps few values alive.  Blocks are short, so each measure is
 * tried until one is as short as the lower bound, and the shortest result
 * kept.
 */

#include <string.h>

#include "util/ralloc.h"
#include "util/u_math.h"
#include "vs_dag.h"

/* Further attempts when a block is longer than its bound; the same ones in
 * every run. */
#define NUM_SHUFFLES 12

/* How far in the source order the low-pressure measure looks for a partner.
 */
#define PRESSURE_WINDOW 6

enum measure {
   MEASURE_CHAIN,    /* longest chain first, then the partner with the longest
                        chain */
   MEASURE_PAIRS,    /* full instructions first */
   MEASURE_FAN_OUT,  /* like CHAIN; equal chains: the operation that makes the
                        most others ready */
   MEASURE_PRESSURE, /* order of the source */
   MEASURE_SHUFFLED, /* like CHAIN, with equal or nearly equal chains in an
                        order that differs from trial to trial */
   NUM_MEASURES = MEASURE_SHUFFLED + NUM_SHUFFLES,
};

struct scheduler {
   const struct vs_dag *dag;
   unsigned
      measure; /* enum measure; from MEASURE_SHUFFLED on one per trial */
   unsigned *missing;  /* predecessors that are not scheduled */
   unsigned *earliest; /* first instruction at which the operands are there */
   bool *done;
   unsigned first_left; /* no operation before this one is left */
};

struct candidate {
   int vector, scalar;
   uint64_t score;
};

static bool
is_ready(const struct scheduler *s, unsigned node, unsigned time)
{
   return !s->done[node] && s->missing[node] == 0 &&
          s->earliest[node] <= time;
}

/* A branch can go along with the last operation that it waits for. */
static bool
is_ready_with(const struct scheduler *s, unsigned node, unsigned partner,
              unsigned time)
{
   if (s->done[node] || s->missing[node] != 1 || s->earliest[node] > time)
      return false;
   util_dynarray_foreach (&s->dag->nodes[node].preds, struct vs_edge, edge) {
      if (edge->to == partner)
         return edge->latency == 0;
   }
   return false;
}

static uint64_t
node_score(const struct scheduler *s, int node)
{
   if (node < 0)
      return 0;

   const struct vs_node *n = &s->dag->nodes[node];
   unsigned freed = 0;
   util_dynarray_foreach (&n->succs, struct vs_edge, edge)
      freed += s->missing[edge->to] == 1;
   switch (s->measure) {
   case MEASURE_FAN_OUT:
      return n->height * 16 + MIN2(freed, 15);
   case MEASURE_PRESSURE:
      return 0xffff - node;
   case MEASURE_CHAIN:
   case MEASURE_PAIRS:
      return n->height;
   default:
      return n->height * 16 +
             ((node + 1) * 2654435761u * (2 * s->measure + 1) >> 27);
   }
}

static uint64_t
score_slot(const struct scheduler *s, int vector, int scalar)
{
   const uint64_t a = node_score(s, vector), b = node_score(s, scalar);
   const bool both = vector >= 0 && scalar >= 0;

   /* an operation that only one unit can do, in that unit, before a move that
    * can wait for the other */
   const bool move_in_vector =
      vector >= 0 &&
      vs_node_units(s->dag, vector) == (VS_UNIT_VECTOR | VS_UNIT_SCALAR);
   const uint64_t tie = !move_in_vector;

   switch (s->measure) {
   case MEASURE_PAIRS:
      return (uint64_t)both << 60 | MAX2(a, b) << 40 | MIN2(a, b) << 20 | tie;
   default:
      return MAX2(a, b) << 40 | (both ? (uint64_t)1 << 39 : 0) |
             MIN2(a, b) << 10 | tie;
   }
}

static void
consider(const struct scheduler *s, struct candidate *best, int vector,
         int scalar)
{
   const uint64_t score = score_slot(s, vector, scalar);

   if (best->score < score || (best->vector < 0 && best->scalar < 0))
      *best = (struct candidate){ vector, scalar, score };
}

static bool
in_window(const struct scheduler *s, unsigned node)
{
   return s->measure != MEASURE_PRESSURE ||
          node < s->first_left + PRESSURE_WINDOW;
}

static struct candidate
choose(const struct scheduler *s, unsigned time)
{
   struct candidate best = { -1, -1, 0 };
   const unsigned count = s->dag->count;

   for (unsigned a = s->first_left; a < count; a++) {
      if (!is_ready(s, a, time) || !in_window(s, a))
         continue;
      const unsigned units = vs_node_units(s->dag, a);
      consider(s, &best, units & VS_UNIT_VECTOR ? (int)a : -1,
               units & VS_UNIT_VECTOR ? -1 : (int)a);
      if (!(units & VS_UNIT_VECTOR))
         continue;
      for (unsigned b = s->first_left; b < count; b++) {
         if (vs_dag_can_pair(s->dag, a, b) && in_window(s, b) &&
             (is_ready(s, b, time) || is_ready_with(s, b, a, time)))
            consider(s, &best, a, b);
      }
   }
   return best;
}

static void
retire(struct scheduler *s, int node, unsigned time)
{
   if (node < 0)
      return;
   s->done[node] = true;
   util_dynarray_foreach (&s->dag->nodes[node].succs, struct vs_edge, edge) {
      s->missing[edge->to]--;
      s->earliest[edge->to] =
         MAX2(s->earliest[edge->to], time + edge->latency);
   }
   while (s->first_left < s->dag->count && s->done[s->first_left])
      s->first_left++;
}

static void
list_schedule(const struct vs_dag *dag, unsigned measure,
              struct vs_schedule *out)
{
   void *mem_ctx = ralloc_context(NULL);
   struct scheduler s = {
      .dag = dag,
      .measure = measure,
      .missing = rzalloc_array(mem_ctx, unsigned, dag->count + 1),
      .earliest = rzalloc_array(mem_ctx, unsigned, dag->count + 1),
      .done = rzalloc_array(mem_ctx, bool, dag->count + 1),
   };

   for (unsigned i = 0; i < dag->count; i++)
      s.missing[i] =
         util_dynarray_num_elements(&dag->nodes[i].preds, struct vs_edge);
   out->length = 0;
   /* without condition latency there is always something ready; with it an
    * instruction may stay empty */
   for (unsigned time = 0; s.first_left < dag->count; time++) {
      const struct candidate best = choose(&s, time);
      out->slots[out->length++] =
         (struct vs_slot){ best.vector, best.scalar };
      retire(&s, best.vector, time);
      retire(&s, best.scalar, time);
   }
   ralloc_free(mem_ctx);
}

static void
keep_shorter(struct vs_schedule *best, const struct vs_schedule *other)
{
   if (best->length == 0 || other->length < best->length) {
      best->length = other->length;
      memcpy(best->slots, other->slots,
             other->length * sizeof(other->slots[0]));
   }
}

static struct vs_inst
make_inst(const struct vs_dag *dag, const struct vs_slot *slot)
{
   struct vs_inst inst = { 0 };

   if (slot->vector >= 0)
      inst.vector = dag->nodes[slot->vector].op;
   if (slot->scalar >= 0)
      inst.scalar = dag->nodes[slot->scalar].op;
   return inst;
}

static void
schedule_block(struct vs_program *prog, struct vs_block *block,
               enum vs_strategy strategy)
{
   void *mem_ctx = ralloc_context(NULL);
   struct vs_dag *dag = vs_dag_create(mem_ctx, prog, block);
   /* room for the empty instructions that a condition latency of 2 can need
    */
   struct vs_schedule best = { .slots = ralloc_array(mem_ctx, struct vs_slot,
                                                     2 * dag->count + 1) };
   struct vs_schedule trial = { .slots = ralloc_array(mem_ctx, struct vs_slot,
                                                      2 * dag->count + 1) };

   vs_dag_find_pairs(dag);
   const unsigned bound = dag->count ? vs_lower_bound(dag) : 0;

   for (unsigned m = 0; dag->count && m < NUM_MEASURES; m++) {
      if ((m == MEASURE_PRESSURE) != (strategy == VS_STRATEGY_PRESSURE) ||
          (m && best.length == bound))
         continue;
      list_schedule(dag, m, &trial);
      keep_shorter(&best, &trial);
   }

   util_dynarray_clear(&block->insts);
   for (unsigned i = 0; i < best.length; i++)
      util_dynarray_append(&block->insts, struct vs_inst,
                           make_inst(dag, &best.slots[i]));
   prog->lower_bound += bound;
   ralloc_free(mem_ctx);
}

/* One operation per instruction, as in the source. */
static void
schedule_in_order(struct vs_block *block)
{
   util_dynarray_clear(&block->insts);
   vs_foreach_op (block, op) {
      struct vs_inst inst = { 0 };
      if (vs_info(op)->units & VS_UNIT_VECTOR)
         inst.vector = op;
      else
         inst.scalar = op;
      util_dynarray_append(&block->insts, struct vs_inst, inst);
   }
}

void
vs_schedule(struct vs_program *prog, enum vs_strategy strategy)
{
   prog->lower_bound = 0;
   vs_foreach_block (prog, block) {
      if (strategy == VS_STRATEGY_IN_ORDER)
         schedule_in_order(block);
      else
         schedule_block(prog, block, strategy);
   }
   /* a bound of blocks says nothing about a path through them */
   if (vs_num_blocks(prog) > 1)
      prog->lower_bound = 0;
}
