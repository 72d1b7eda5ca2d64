/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * An order of the program in which few values are alive, for the windows of
 * the scheduler.
 */

#include "fs_sched.h"

#define ORDER_TRIES 24

/* A walk backwards through the program that takes what adds least to the
 * values alive. */
struct walk {
   const struct fs_program *p;
   uint16_t *uses;      /* that have not been passed */
   uint16_t *last_user; /* step at which one was passed */
   bool *passed, *alive;
   unsigned live, peak,
      sum; /* register halves: now, most of them, over all steps */
   uint32_t random;
   unsigned noise; /* up to that much is added to the score, 0: nothing */
   bool depth_first;
};

/* Register halves.  What is interpolated is made again, lookups are counted
 * by their parts. */
static unsigned
halves(const struct fs_node *node)
{
   if (node->op == FS_OP_INTERP || node->op == FS_OP_TEX ||
       node->op == FS_OP_FETCH)
      return 0;
   return node->format == FS_FX10 ? 1 : 2;
}

static int
growth(const struct walk *w, unsigned v)
{
   const struct fs_node *node = &w->p->nodes[v];
   int delta = w->alive[v] ? -(int)halves(node) : 0;

   for (unsigned s = 0; s < node->num_srcs; s++) {
      bool counts =
         node->src[s].kind == FS_SRC_NODE && !w->alive[node->src[s].index];
      for (unsigned t = 0; counts && t < s; t++)
         counts = !fs_src_same_node(node->src[t], node->src[s]);
      delta += counts ? halves(&w->p->nodes[node->src[s].index]) : 0;
   }
   return delta;
}

static int
next_of_walk(struct walk *w)
{
   int best = -1, best_score = INT_MIN;

   for (unsigned v = 0; v < w->p->num_nodes; v++) {
      if (w->passed[v] || w->uses[v])
         continue;
      int score =
         -16 * growth(w, v) + (w->depth_first ? w->last_user[v] : (int)v / 8);
      if (w->noise) {
         w->random = w->random * 1664525u + 1013904223u;
         score += (w->random >> 16) % w->noise;
      }
      if (score > best_score) {
         best = v;
         best_score = score;
      }
   }
   return best;
}

static void
walk_backwards(struct walk *w, uint16_t *position)
{
   const unsigned count = w->p->num_nodes;

   fs_count_uses(w->p, w->uses);
   memset(w->last_user, 0, count * sizeof(*w->last_user));
   memset(w->passed, 0, count * sizeof(*w->passed));
   memset(w->alive, 0, count * sizeof(*w->alive));
   w->live = w->peak = w->sum = 0;
   for (unsigned step = 0; step < count; step++) {
      const int v = next_of_walk(w);
      const struct fs_node *node = &w->p->nodes[v];

      w->live += growth(w, v);
      w->passed[v] = true;
      w->alive[v] = false;
      position[v] = count - step;
      for (unsigned s = 0; s < node->num_srcs; s++) {
         if (node->src[s].kind != FS_SRC_NODE)
            continue;
         w->uses[node->src[s].index]--;
         w->last_user[node->src[s].index] = step + 1;
         w->alive[node->src[s].index] = true;
      }
      w->peak = MAX2(w->peak, w->live);
      w->sum += w->live;
   }
}

void
fs_order_few_alive(const struct fs_program *p, uint16_t *position)
{
   const unsigned count = MAX2(p->num_nodes, 1);
   void *mem_ctx = ralloc_context(NULL);
   struct walk w = {
      .p = p,
      .uses = ralloc_array(mem_ctx, uint16_t, count),
      .last_user = ralloc_array(mem_ctx, uint16_t, count),
      .passed = ralloc_array(mem_ctx, bool, count),
      .alive = ralloc_array(mem_ctx, bool, count),
      .random = 1,
   };
   uint16_t *attempt = ralloc_array(mem_ctx, uint16_t, count);
   unsigned best_peak = UINT_MAX, best_sum = UINT_MAX;

   for (unsigned i = 0; i < ORDER_TRIES; i++) {
      w.depth_first = i & 1;
      w.noise = i < 2 ? 0 : 8 << i % 4;
      walk_backwards(&w, attempt);
      if (w.peak < best_peak || (w.peak == best_peak && w.sum < best_sum)) {
         best_peak = w.peak;
         best_sum = w.sum;
         memcpy(position, attempt, p->num_nodes * sizeof(*position));
      }
   }
   ralloc_free(mem_ctx);
}
