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

static enum fs_sums
allowed_sums(const struct sched *sc)
{
   return sc->p->part_sums ? sc->options->sums : FS_SUMS_ALONE;
}

/* The copies of v that are left, behind it: the operation is done once for
 * each. */
static bool
add_twins(const struct sched *sc, struct sched_group *g, unsigned v)
{
   for (unsigned c = sc->program_nodes; c < sc->s.num_nodes; c++) {
      if (!sc->values[c].is_copy || sc->values[c].scheduled ||
          sc->nodes[c].src[0].index != v)
         continue;
      if (sched_in_group(g, c))
         return false;
      g->twins |= 1u << g->count;
      g->node[g->count++] = c;
      g->units++;
   }
   return true;
}

static bool
reads_values(const struct fs_node *node)
{
   for (unsigned s = 0; s < node->num_srcs; s++) {
      if (node->src[s].kind == FS_SRC_VALUE)
         return true;
   }
   return false;
}

static void
append(struct sched_group *g, const struct fs_node *node, unsigned v)
{
   g->units += fs_op_units(node);
   if (node->op == FS_OP_ACC) {
      g->sum = fs_op_units(node);
      memmove(g->node + 1, g->node, g->count * sizeof(*g->node));
      g->node[0] = v;
   } else {
      g->node[g->count] = v;
   }
   g->count++;
}

/* The ports for its constants. */
static bool
add_values(const struct sched *sc, struct sched_group *g,
           const struct fs_node *node)
{
   for (unsigned s = 0; s < node->num_srcs; s++) {
      if (node->src[s].kind != FS_SRC_VALUE)
         continue;
      const struct fs_const_place *where =
         &sc->p->const_places[node->src[s].index];
      if (where->reg
             ? !add_uniform(g, where->reg)
             : !add_const(sc->p, g, node->src[s].index, where->format))
         return false;
   }
   return true;
}

/* Constants take the fourth unit. */
static bool
has_room_for_constants(const struct sched_group *g)
{
   return g->num_consts == 0 ||
          (!g->sum && g->num_joined == 0 && g->count < 4);
}

static bool
add_operation(const struct sched *sc, struct sched_group *g, unsigned v)
{
   const struct fs_node *node = &sc->nodes[v];
   const unsigned units = g->units + fs_op_units(node) + sc->values[v].copies;

   if (units > 4 || sched_in_group(g, v) ||
       (g->twins && node->op == FS_OP_ACC) ||
       (g->sum && node->op == FS_OP_ACC) ||
       (g->count > 0 && (g->sum || node->op == FS_OP_ACC) &&
        allowed_sums(sc) == FS_SUMS_ALONE))
      return false;
   /* the most frequent check, and a cheap one */
   if (g->num_consts == 0 && sc->values[v].copies == 0 &&
       !reads_values(node)) {
      append(g, node, v);
      return true;
   }
   struct sched_group next = *g;
   append(&next, node, v);
   if (!add_values(sc, &next, node) ||
       (sc->values[v].copies && !add_twins(sc, &next, v)) ||
       !has_room_for_constants(&next))
      return false;
   *g = next;
   return true;
}

/* Does the high half of an operation FS_OP_LOW wait for the same pixel as the
 * low one?  Then nothing is gained when it is made before. */
static bool
halves_go_together(const struct sched *sc, const struct fs_node *low)
{
   const struct fs_src rest = low->src[2];

   return low->op == FS_OP_LOW && rest.kind == FS_SRC_NODE &&
          sc->nodes[rest.index].op == FS_OP_PART &&
          sched_depends(sc, low->src[FS_HIGH_HALF].index,
                        sc->nodes[rest.index].src[0].index);
}

/* Adds a node when the packet has the units and the ports for it. */
bool
sched_group_add(const struct sched *sc, struct sched_group *g, unsigned v)
{
   if (!add_operation(sc, g, v))
      return false;
   if (halves_go_together(sc, &sc->nodes[v]))
      add_operation(sc, g, sc->nodes[v].src[FS_HIGH_HALF].index);
   return true;
}

/* The addend of a product, if it can be another product on the accumulation
 * chain; or -1. */
static int
joinable_addend(const struct sched *sc, unsigned v)
{
   const struct fs_node *node = &sc->nodes[v];
   const struct fs_src src = node->src[2];

   if (node->op != FS_OP_MAD || node->d != FS_D_ONE ||
       v >= sc->program_nodes || src.kind != FS_SRC_NODE ||
       (src.mods & ~FS_MOD_NEG))
      return -1;
   const struct fs_node *addend = &sc->nodes[src.index];
   if (addend->op != FS_OP_MAD || addend->d != FS_D_ONE || addend->scale ||
       addend->sat || addend->cond || addend->kill ||
       sc->values[src.index].scheduled ||
       sc->values[src.index].reg != FS_NOWHERE ||
       sc->values[src.index].uses_left != 1 ||
       sc->user_start[src.index + 1] != sc->user_start[src.index] + 1)
      return -1;
   return src.index;
}

/* The packet with operation number "first", and the chain of additions that
 * leads to it, as a sum. */
static bool
join_at(const struct sched *sc, struct sched_group *g, unsigned first)
{
   struct sched_group next = { 0 };
   unsigned v = g->node[first];
   bool negate = false;

   sched_group_add(sc, &next, v);
   do {
      const int u = joinable_addend(sc, v);
      next.num_joined++;
      if (u < 0 || next.count + g->count > 4 ||
          !sched_group_add(sc, &next, u))
         return false;
      negate ^= !!(sc->nodes[v].src[2].mods & FS_MOD_NEG);
      next.negated |= negate << next.num_joined;
      v = u;
   } while (sc->nodes[v].src[2].kind != FS_SRC_ZERO);
   for (unsigned i = 0; i < g->count; i++) {
      if (i != first && !sched_group_add(sc, &next, g->node[i]))
         return false;
   }
   *g = next;
   return true;
}

bool
sched_group_join(const struct sched *sc, struct sched_group *g)
{
   if (allowed_sums(sc) != FS_SUMS_JOIN || g->sum || g->twins ||
       g->num_consts)
      return false;
   for (unsigned i = 0; i < g->count; i++) {
      if (join_at(sc, g, i))
         return true;
   }
   return false;
}

unsigned
sched_unit(const struct sched_group *g, unsigned i)
{
   /* a sum has A0, A3 and, for more than two products, the units between
    * them */
   const unsigned products = g->sum ? g->sum : g->num_joined + 1,
                  next = g->sum ? i + products - 1 : i;

   if (i == 0 || products == 1)
      return i;
   return next < products - 1 ? next : next == products - 1 ? 3 : next - 1;
}

int
sched_group_unit(const struct sched_group *g, unsigned v)
{
   for (unsigned i = 0; i < g->count; i++) {
      if (g->node[i] == v)
         return sched_unit(g, i);
   }
   return -1;
}

bool
sched_in_group(const struct sched_group *g, unsigned v)
{
   for (unsigned i = 0; i < g->count; i++) {
      if (g->node[i] == v)
         return true;
   }
   return false;
}
