/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Operations that share a packet: units, uniforms and embedded constants
 * (fragment-pipeline.md 3.2, 3.3).
 */

#include "fs_sched.h"

static bool
add_uniform(struct sched_group *g, unsigned reg)
{
   for (unsigned i = 0; i < g->num_uniforms; i++) {
      if (g->uniforms[i] == reg)
         return true;
   }
   if (g->num_uniforms == FS_MAX_PACKET_UNIFORMS)
      return false;
   g->uniforms[g->num_uniforms++] = reg;
   return true;
}

bool
sched_find_const(const struct tegra20_fs_const *consts, unsigned count,
                 unsigned value, enum fs_format format, unsigned *slot,
                 unsigned *half)
{
   for (unsigned i = 0; i < count; i++) {
      for (unsigned h = 0; h < 2; h++) {
         if (consts[i].format ==
                (format == FS_FX10 ? TEGRA20_FS_FX10 : TEGRA20_FS_FP20) &&
             consts[i].value[h] == value) {
            *slot = i;
            *half = h;
            return true;
         }
      }
   }
   return false;
}

static bool
add_const(const struct fs_program *p, struct sched_group *g, unsigned value,
          enum fs_format format)
{
   const unsigned max = p->avoid & TEGRA20_AVOID_K1_K2 ? 1 : 3;
   unsigned slot, half;

   if (sched_find_const(g->consts, g->num_consts, value, format, &slot,
                        &half))
      return true;
   for (unsigned i = 0; format == FS_FX10 && i < g->num_consts; i++) {
      if (g->consts[i].format == TEGRA20_FS_FX10 &&
          g->consts[i].value[1] == TEGRA20_NO_VALUE) {
         g->consts[i].value[1] = value;
         return true;
      }
   }
   if (g->num_consts == max)
      return false;
   g->consts[g->num_consts++] = (struct tegra20_fs_const){
      .format = format == FS_FX10 ? TEGRA20_FS_FX10 : TEGRA20_FS_FP20,
      .value = { value, TEGRA20_NO_VALUE },
   };
   return true;
}

/* Adds a node when the packet has the units and the ports for it. */
bool
sched_group_add(const struct sched *sc, struct sched_group *g, unsigned v)
{
   const struct fs_node *node = &sc->nodes[v];
   struct sched_group next = *g;

   if (g->whole || g->count == 4)
      return false;
   next.whole = node->op == FS_OP_ACC;
   if (next.whole && g->count > 0)
      return false;
   next.node[next.count++] = v;
   for (unsigned s = 0; s < node->num_srcs; s++) {
      if (node->src[s].kind != FS_SRC_VALUE)
         continue;
      const struct fs_const_place *where =
         &sc->p->const_places[node->src[s].index];
      if (where->reg
             ? !add_uniform(&next, where->reg)
             : !add_const(sc->p, &next, node->src[s].index, where->format))
         return false;
   }
   /* constants take the fourth unit */
   if (next.num_consts > 0 && (next.whole || next.count == 4))
      return false;
   *g = next;
   return true;
}

int
sched_group_unit(const struct sched_group *g, unsigned v)
{
   for (unsigned i = 0; i < g->count; i++) {
      if (g->node[i] == v)
         return i;
   }
   return -1;
}

bool
sched_in_group(const struct sched_group *g, unsigned v)
{
   return sched_group_unit(g, v) >= 0;
}
