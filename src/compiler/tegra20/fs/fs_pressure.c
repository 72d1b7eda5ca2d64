/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Rows that a program needs for the sake of their registers, whatever its
 * schedule is.
 *
 * Lookups and special functions, the events, take place one after the other
 * in some order.  Between two of them the registers hold what the rest of the
 * program wants of the events before: not necessarily their results, but
 * values from which everything that is left can be computed.  All that the
 * ALU and the multipliers do may be done again at any time, so the least that
 * can be held is a cut through the program, between the results of events so
 * far and all that cannot be computed yet: the minimum cut of a network whose
 * nodes are values, with the halves of registers that they take as
 * capacities.  While a lookup takes place, its result takes two registers
 * beside what is held for others.
 *
 * A set of events that are over is a state; an event leads from one state to
 * the next if the cuts fit the registers.  Where no way leads from the start
 * to the state in which all are over, there is no schedule with that many
 * registers in which each event takes place once.
 *
 * This is a proof for all orders, but only of what does not fit: ports, pairs
 * and the places of values are not looked at, and nor is what computing
 * values again costs.  Values are in row registers, as in all that this
 * compiler makes (not in condition registers, say).
 */

#include "fs.h"

#define MAX_EVENTS 32
#define MAX_STATES 512
#define MAX_STEPS 20000000 /* of searches through the network */
#define PAIR 4             /* halves that the result of a lookup takes */
#define HALVES_OF_ROW 8

struct pressure {
   const struct fs_program *p;
   unsigned num_events;
   uint16_t event[MAX_EVENTS];
   uint32_t *needs;   /* per node: mask of events that lead to it */
   uint8_t *capacity; /* halves that the value takes */
   uint16_t *user_start, *users; /* of each node; the same user twice where
                                    it reads the node twice */
   uint8_t *flow, *edge_flow;    /* through the node, to the user */
   int32_t *from; /* the search for a way through the network */
   uint16_t *queue;
   unsigned room; /* halves of registers */
   unsigned num_seen, steps;
   uint32_t seen[MAX_STATES];
};

#define NOWHERE (-1)
#define START (-2)

/* In the network each node has an entry and an exit. */
static unsigned
entry(unsigned v)
{
   return 2 * v;
}

static unsigned
exit_of(unsigned v)
{
   return 2 * v + 1;
}

static unsigned
halves_of(const struct fs_node *node)
{
   return node->format == FS_FX10 ? 1 : 2;
}

static bool
is_event(const struct fs_node *node)
{
   return node->op == FS_OP_TEX || node->op == FS_OP_SFU;
}

static void
find_events(struct pressure *x)
{
   const struct fs_program *p = x->p;

   for (unsigned v = 0; v < p->num_nodes; v++) {
      const struct fs_node *node = &p->nodes[v];

      for (unsigned s = 0; s < node->num_srcs; s++) {
         if (node->src[s].kind == FS_SRC_NODE)
            x->needs[v] |= x->needs[node->src[s].index];
      }
      x->capacity[v] = halves_of(node);
      if (is_event(node) && x->num_events < MAX_EVENTS) {
         x->needs[v] |= 1u << x->num_events;
         x->event[x->num_events] = v;
      }
      x->num_events += is_event(node);
   }
}

static void
find_users(struct pressure *x)
{
   const struct fs_program *p = x->p;

   for (unsigned v = 0; v < p->num_nodes; v++) {
      for (unsigned s = 0; s < p->nodes[v].num_srcs; s++) {
         if (p->nodes[v].src[s].kind == FS_SRC_NODE)
            x->user_start[p->nodes[v].src[s].index + 1]++;
      }
   }
   for (unsigned v = 0; v < p->num_nodes; v++)
      x->user_start[v + 1] += x->user_start[v];
   uint16_t *next = ralloc_array(x, uint16_t, p->num_nodes + 1);
   memcpy(next, x->user_start, p->num_nodes * sizeof(*next));
   for (unsigned v = 0; v < p->num_nodes; v++) {
      for (unsigned s = 0; s < p->nodes[v].num_srcs; s++) {
         if (p->nodes[v].src[s].kind == FS_SRC_NODE)
            x->users[next[p->nodes[v].src[s].index]++] = v;
      }
   }
}

/* Is the node what an event delivers? */
static bool
is_result(const struct pressure *x, unsigned v)
{
   const struct fs_node *node = &x->p->nodes[v];

   return node->op == FS_OP_SFU ||
          (node->op == FS_OP_PART &&
           x->p->nodes[node->src[0].index].op == FS_OP_TEX);
}

/* When these events are over and "now", if it is a node, takes place. */
struct moment {
   uint32_t over;
   unsigned now;
};

static bool
can_be_computed(const struct pressure *x, const struct moment *m, unsigned v)
{
   return (x->needs[v] & ~m->over) == 0;
}

static bool
is_wanted_later(const struct pressure *x, const struct moment *m, unsigned v)
{
   for (unsigned u = x->user_start[v]; u < x->user_start[v + 1]; u++) {
      if (x->users[u] != m->now && !can_be_computed(x, m, x->users[u]))
         return true;
   }
   return false;
}

static void
reach(struct pressure *x, unsigned place, int from, unsigned *count)
{
   if (x->from[place] != NOWHERE)
      return;
   x->from[place] = from;
   x->queue[(*count)++] = place;
}

/* Ways from the exit of a node: to its users, or back through it. */
static void
leave(struct pressure *x, const struct moment *m, unsigned v, unsigned *count)
{
   for (unsigned u = x->user_start[v]; u < x->user_start[v + 1]; u++) {
      if (can_be_computed(x, m, x->users[u]))
         reach(x, entry(x->users[u]), exit_of(v), count);
   }
   if (x->flow[v] > 0)
      reach(x, entry(v), exit_of(v), count);
}

/* An edge between two nodes with a part of the flow, or -1. */
static int
edge_with_flow(const struct pressure *x, unsigned v, unsigned user)
{
   for (unsigned u = x->user_start[v]; u < x->user_start[v + 1]; u++) {
      if (x->users[u] == user && x->edge_flow[u] > 0)
         return u;
   }
   return -1;
}

/* Ways from the entry of a node: through it, or back to what it reads. */
static void
pass(struct pressure *x, unsigned v, unsigned *count)
{
   const struct fs_node *node = &x->p->nodes[v];

   if (x->flow[v] < x->capacity[v])
      reach(x, exit_of(v), entry(v), count);
   for (unsigned s = 0; s < node->num_srcs; s++) {
      if (node->src[s].kind == FS_SRC_NODE &&
          edge_with_flow(x, node->src[s].index, v) >= 0)
         reach(x, exit_of(node->src[s].index), entry(v), count);
   }
}

/* The end of a way that has room, or -1. */
static int
find_way(struct pressure *x, const struct moment *m)
{
   unsigned count = 0;

   x->steps += x->p->num_nodes;
   for (unsigned i = 0; i < 2 * x->p->num_nodes; i++)
      x->from[i] = NOWHERE;
   for (unsigned v = 0; v < x->p->num_nodes; v++) {
      if (is_result(x, v) && can_be_computed(x, m, v))
         reach(x, entry(v), START, &count);
   }
   for (unsigned i = 0; i < count; i++) {
      const unsigned v = x->queue[i] / 2;
      if (x->queue[i] == entry(v)) {
         pass(x, v, &count);
      } else {
         if (is_wanted_later(x, m, v))
            return exit_of(v);
         leave(x, m, v, &count);
      }
   }
   return -1;
}

static void
add_flow(struct pressure *x, int end)
{
   for (int to = end; x->from[to] != START; to = x->from[to]) {
      const unsigned from = x->from[to], v = to / 2, u = from / 2;
      if (u == v) {
         x->flow[v] += from == entry(v) ? 1 : -1;
      } else if (from == exit_of(u)) {
         for (unsigned e = x->user_start[u]; e < x->user_start[u + 1]; e++) {
            if (x->users[e] == v) {
               x->edge_flow[e]++;
               break;
            }
         }
      } else {
         x->edge_flow[edge_with_flow(x, v, u)]--;
      }
   }
}

/* Do the registers hold what is wanted later, beside some halves? */
static bool
fits(struct pressure *x, const struct moment *m, unsigned beside)
{
   int end;
   unsigned halves = beside;

   memset(x->flow, 0, x->p->num_nodes);
   memset(x->edge_flow, 0, x->user_start[x->p->num_nodes]);
   while (halves <= x->room && (end = find_way(x, m)) >= 0) {
      add_flow(x, end);
      halves++;
   }
   return halves <= x->room;
}

static bool
was_seen(struct pressure *x, uint32_t over)
{
   for (unsigned i = 0; i < x->num_seen; i++) {
      if (x->seen[i] == over)
         return true;
   }
   x->seen[x->num_seen++] = over;
   return false;
}

/* Nothing is proved where that takes too long. */
static bool
gives_up(const struct pressure *x)
{
   return x->num_seen == MAX_STATES || x->steps > MAX_STEPS;
}

/* Can all other events follow? */
static bool
can_go_on(struct pressure *x, uint32_t over)
{
   if (over == BITFIELD_MASK(x->num_events) || gives_up(x))
      return true;
   if (was_seen(x, over))
      return false;
   for (unsigned e = 0; e < x->num_events; e++) {
      const unsigned v = x->event[e];
      const uint32_t next = over | 1u << e;

      if ((over & (1u << e)) || (x->needs[v] & ~next))
         continue;
      if (x->p->nodes[v].op == FS_OP_TEX &&
          !fits(x, &(struct moment){ over, v }, PAIR))
         continue;
      if (fits(x, &(struct moment){ next, FS_NO_NODE }, 0) &&
          can_go_on(x, next))
         return true;
   }
   return false;
}

/* Halves of registers that the operation reads at once.  What the packet
 * before has computed it may read from alu0..3. */
static unsigned
halves_read(const struct fs_program *p, const struct fs_node *node)
{
   unsigned halves = 0;

   for (unsigned s = 0; s < node->num_srcs; s++) {
      const struct fs_src src = node->src[s];
      bool counts =
         src.kind == FS_SRC_NODE && !fs_op_is_alu(p->nodes[src.index].op);
      for (unsigned t = 0; t < s; t++)
         counts &= !fs_src_same_node(src, node->src[t]);
      if (counts)
         halves += halves_of(&p->nodes[src.index]);
   }
   return halves;
}

static unsigned
rows_of_operands(const struct fs_program *p)
{
   unsigned most = 1;

   for (unsigned v = 0; v < p->num_nodes; v++) {
      if (fs_op_is_alu(p->nodes[v].op))
         most = MAX2(most, halves_read(p, &p->nodes[v]));
   }
   return DIV_ROUND_UP(most, HALVES_OF_ROW);
}

static struct pressure *
begin(const struct fs_program *p)
{
   const unsigned count = MAX2(p->num_nodes, 1), edges = 8 * count;
   struct pressure *x = rzalloc((void *)p, struct pressure);

   x->p = p;
   x->needs = rzalloc_array(x, uint32_t, count);
   x->capacity = rzalloc_array(x, uint8_t, count);
   x->user_start = rzalloc_array(x, uint16_t, count + 1);
   x->users = ralloc_array(x, uint16_t, edges);
   x->flow = ralloc_array(x, uint8_t, count);
   x->edge_flow = ralloc_array(x, uint8_t, edges);
   x->from = ralloc_array(x, int32_t, 2 * count);
   x->queue = ralloc_array(x, uint16_t, 2 * count);
   find_events(x);
   find_users(x);
   return x;
}

unsigned
fs_least_rows(const struct fs_program *p)
{
   struct pressure *x = begin(p);
   unsigned rows = rows_of_operands(p);

   for (; x->num_events <= MAX_EVENTS && rows < FS_MAX_ROWS; rows++) {
      x->room = HALVES_OF_ROW * rows;
      x->num_seen = 0;
      if (can_go_on(x, 0))
         break;
   }
   ralloc_free(x);
   return rows;
}
