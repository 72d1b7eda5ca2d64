/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The lower bound on clocks.
 */

#include "fs.h"

/*
 * The longest way through the program.  An EXEC costs the larger of its MFU
 * instructions and its packets, and between an ALU operation and an MFU
 * operation or lookup that needs its result lies the end of an EXEC; so a way
 * costs, summed over its EXECs, the larger of the two numbers of steps that
 * it makes there.
 */
struct way {
   unsigned before; /* clocks of completed EXECs */
   unsigned mfu, packets;
   bool tex; /* a lookup alone takes an EXEC of one clock */
};

static unsigned
way_cost(struct way way)
{
   return way.before + MAX3(way.mfu, way.packets, way.tex);
}

static struct way
extend_way(struct way way, const struct fs_node *node)
{
   const bool front = node->op == FS_OP_SFU || node->op == FS_OP_MUL ||
                      node->op == FS_OP_WCLIP || node->op == FS_OP_TEX;

   if (fs_op_is_alu(node->op)) {
      way.packets++;
   } else if (front) {
      if (way.packets > 0)
         way = (struct way){ .before = way_cost(way) };
      /* products share the instruction of the function before them, lookups
       * take none */
      way.mfu += node->op == FS_OP_SFU || node->op == FS_OP_WCLIP;
      way.tex |= node->op == FS_OP_TEX;
   }
   return way;
}

/* Per node: the longest way to its end. */
static struct way *
find_ways(const struct fs_program *p)
{
   struct way *ways =
      rzalloc_array((void *)p, struct way, MAX2(p->num_nodes, 1));

   for (unsigned v = 0; v < p->num_nodes; v++) {
      const struct fs_node *node = &p->nodes[v];
      struct way best = { 0 };

      /* an interpolation is an instruction of its own, before what uses its
       * result */
      best.mfu = node->op == FS_OP_INTERP;
      for (unsigned s = 0; s < node->num_srcs; s++) {
         if (node->src[s].kind != FS_SRC_NODE)
            continue;
         const struct way way = extend_way(ways[node->src[s].index], node);
         if (way_cost(way) > way_cost(best))
            best = way;
      }
      if (node->num_srcs == 0 || way_cost(best) == 0)
         best = extend_way(best, node);
      ways[v] = best;
   }
   return ways;
}

void
fs_measure_ways(const struct fs_program *p, uint16_t *clocks)
{
   struct way *ways = find_ways(p);

   for (unsigned v = 0; v < p->num_nodes; v++)
      clocks[v] = way_cost(ways[v]);
   ralloc_free(ways);
}

/*
 * The longest way; and what cannot begin before that many clocks have gone,
 * because a way to it has EXECs that are complete by then, takes its lookups,
 * special functions or packets after them.
 */
#define MAX_BEFORE 128

static unsigned
longest_way(const struct fs_program *p)
{
   unsigned tex[MAX_BEFORE] = { 0 }, sfu[MAX_BEFORE] = { 0 },
            units[MAX_BEFORE] = { 0 }, longest = 0;
   struct way *ways = find_ways(p);

   for (unsigned v = 0; v < p->num_nodes; v++) {
      const struct fs_node *node = &p->nodes[v];
      const unsigned before = MIN2(ways[v].before, MAX_BEFORE - 1);
      longest = MAX2(longest, way_cost(ways[v]));
      tex[before] += node->op == FS_OP_TEX;
      sfu[before] += node->op == FS_OP_SFU;
      units[before] += fs_op_units(node);
   }
   ralloc_free(ways);
   for (int before = MAX_BEFORE - 1; before >= 0; before--) {
      const unsigned work =
         MAX3(tex[before], sfu[before], DIV_ROUND_UP(units[before], 4));
      if (work)
         longest = MAX2(longest, before + work);
      if (before > 0) {
         tex[before - 1] += tex[before];
         sfu[before - 1] += sfu[before];
         units[before - 1] += units[before];
      }
   }
   return longest;
}

/* A constant that has no register stands in a packet, and takes its fourth
 * unit. */
static bool
embeds_constant(const struct fs_program *p, const struct fs_node *node)
{
   for (unsigned s = 0; s < node->num_srcs; s++) {
      if (node->src[s].kind == FS_SRC_VALUE &&
          !p->const_places[node->src[s].index].reg)
         return true;
   }
   return false;
}

/*
 * Clocks that no schedule can do without: lookups, stores and fetches take an
 * EXEC each; operations take units; special functions take MFU instructions;
 * and the longest way has to be gone.
 */
unsigned
fs_lower_bound(const struct fs_program *p, unsigned *packets)
{
   unsigned units = 0, tex = 0, fetches = 0, stores = 0, sfu = 0,
            products = 0, sums = 0, columns = 0, embedding = 0;

   for (unsigned v = 0; v < p->num_nodes; v++) {
      const struct fs_node *node = &p->nodes[v];
      switch ((enum fs_op)node->op) {
      case FS_OP_ACC:
         sums++;
         break;
      case FS_OP_TEX:
         tex++;
         break;
      case FS_OP_FETCH:
         fetches++;
         break;
      case FS_OP_STENCIL:
      case FS_OP_STORE:
         stores++;
         break;
      case FS_OP_SFU:
         sfu++;
         break;
      case FS_OP_MUL:
         products++;
         break;
      case FS_OP_INTERP:
         columns++;
         break;
      default:
         units += fs_op_is_alu(node->op);
         embedding += fs_op_is_alu(node->op) && embeds_constant(p, node);
         break;
      }
   }
   /* at most three operations in each packet with constants */
   *packets = sums + DIV_ROUND_UP(units + DIV_ROUND_UP(embedding, 3), 4);
   const unsigned mfu = MAX2(sfu, DIV_ROUND_UP(products, 2));
   /* an EXEC interpolates four columns, in its first MFU instruction */
   const unsigned interpolations = DIV_ROUND_UP(columns, 4);
   return MAX3(MAX3(1, *packets, mfu + interpolations),
               MAX3(tex, fetches, stores), longest_way(p));
}
