/*
 * SPDX-License-Identifier: MIT
 *
 * An order in which few values are alive: each operation after what it is computed from, depth first from the stores, the
 * operand that needs most registers first (Sethi and Ullman).  Interpolated values need none, they are made again.
 */

#include "fs_sched.h"

struct ordering {
   struct sched *sc;
   uint8_t *need; /* registers for the computation of a value */
   unsigned next;
};

static void
measure_need(struct ordering *o)
{
   for (unsigned v = 0; v < o->sc->program_nodes; v++) {
      const struct fs_node *node = &o->sc->nodes[v];
      unsigned need = node->op != FS_OP_INTERP, busy = 0;

      for (unsigned s = 0; s < node->num_srcs; s++) {
         if (node->src[s].kind != FS_SRC_NODE || o->sc->nodes[node->src[s].index].op == FS_OP_INTERP)
            continue;
         const unsigned n = o->need[node->src[s].index];
         need = MAX2(need, n == need ? n + (busy > 0) : n);
         busy++;
      }
      o->need[v] = MIN2(MAX2(need, busy), 255);
   }
}

static void
visit_in_order(struct ordering *o, unsigned v)
{
   struct sched *sc = o->sc;
   const struct fs_node *node = &sc->nodes[v];
   unsigned visited = 0;

   if (sc->position[v])
      return;
   for (unsigned i = 0; i < node->num_srcs; i++) {
      int best = -1;
      for (unsigned s = 0; s < node->num_srcs; s++) {
         if ((visited & (1u << s)) || node->src[s].kind != FS_SRC_NODE)
            continue;
         if (best < 0 || o->need[node->src[s].index] > o->need[node->src[best].index])
            best = s;
      }
      if (best < 0)
         break;
      visited |= 1u << best;
      visit_in_order(o, node->src[best].index);
   }
   sc->position[v] = ++o->next;
}

void
sched_order_nodes(struct sched *sc)
{
   struct ordering o = {.sc = sc};

   if (!sc->options->by_use) {
      for (unsigned v = 0; v < sc->program_nodes; v++)
         sc->position[v] = v + 1;
      return;
   }
   o.need = rzalloc_array(sc, uint8_t, MAX2(sc->program_nodes, 1));
   measure_need(&o);
   for (unsigned v = 0; v < sc->program_nodes; v++) {
      const struct fs_node *node = &sc->nodes[v];
      if (node->kill || node->op == FS_OP_STORE || node->op == FS_OP_STENCIL)
         visit_in_order(&o, v);
   }
}
