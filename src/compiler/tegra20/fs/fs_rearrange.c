/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Reassociation of products, minima and maxima.
 *
 * The product a * b * c of GLSL may be computed from either end, and late
 * operands should be multiplied last (critical path).  A product that is
 * added to several values may be computed in each of the additions, which
 * shortens the path by an operation (fs_opt.c does that).  The best choice
 * depends on the schedule and is not known beforehand.  So the pass does
 * nothing by itself: its choice points are among those that fs_climb.c varies
 * once a good schedule is known.
 *
 * Products, minima and maxima are as exact in one order as in another.  Sums
 * are not: where large terms cancel out, the order decides what is left of
 * the small ones.  They stay as they are.
 */

#include "fs.h"

struct rearranging {
   struct fs_program *p;
   const struct fs_node *old;
   uint16_t *map, *uses;
};

/* Positions exceed the integers that fp20 holds exactly. */
static bool
reads_position(const struct fs_node *node)
{
   for (unsigned s = 0; s < node->num_srcs; s++) {
      if (node->src[s].kind == FS_SRC_REG)
         return true;
   }
   return false;
}

/* --- factors, and operands of minima --- */

#define MAX_OPERANDS 8

struct operands {
   unsigned count;
   struct fs_src src[MAX_OPERANDS];
   bool negate; /* the product */
};

/* The node that the source reads, when nothing else does. */
static const struct fs_node *
own_node(const struct rearranging *r, struct fs_src src)
{
   return src.kind == FS_SRC_NODE && r->uses[src.index] == 1
             ? &r->old[src.index]
             : NULL;
}

static bool
is_extreme(const struct fs_node *node)
{
   return (node->op == FS_OP_MIN || node->op == FS_OP_MAX) &&
          node->d == FS_D_ONE && fs_is_one(node->src[1]) &&
          !reads_position(node);
}

/* Is the node a product, plus something? */
static bool
has_factors(const struct fs_node *node)
{
   return node->op == FS_OP_MAD && node->d == FS_D_ONE && !node->rounds &&
          !reads_position(node) && !fs_is_unit_factor(node->src[0]) &&
          !fs_is_unit_factor(node->src[1]);
}

/* All operands of an operation and those before it. */
static void
find_factors(const struct rearranging *r, const struct fs_node *root,
             struct operands *all)
{
   all->count = 2;
   all->negate = false;
   memcpy(all->src, root->src, 2 * sizeof(*all->src));
   for (unsigned i = 0; i < all->count && all->count < MAX_OPERANDS;) {
      const struct fs_src src = all->src[i];
      const struct fs_node *inner = own_node(r, src);
      if (inner && !(src.mods & ~FS_MOD_NEG) && fs_is_plain_product(inner) &&
          !reads_position(inner)) {
         all->negate ^= src.mods == FS_MOD_NEG;
         all->src[i] = inner->src[0];
         all->src[all->count++] = inner->src[1];
      } else {
         i++;
      }
   }
}

static void
find_extremes(const struct rearranging *r, const struct fs_node *root,
              struct operands *all)
{
   all->count = 2;
   all->negate = false;
   all->src[0] = root->src[0];
   all->src[1] = root->src[2];
   for (unsigned i = 0; i < all->count && all->count < MAX_OPERANDS;) {
      const struct fs_src src = all->src[i];
      const struct fs_node *inner = own_node(r, src);
      if (inner && !src.mods && inner->op == root->op && is_extreme(inner) &&
          fs_is_plain_result(inner)) {
         all->src[i] = inner->src[0];
         all->src[all->count++] = inner->src[2];
      } else {
         i++;
      }
   }
}

/* Constants become one factor, the last. */
static void
collect_constants(struct fs_program *p, struct operands *all)
{
   struct fs_src product = fs_one();
   unsigned count = 0, constants = 0;

   for (unsigned i = 0; i < all->count; i++) {
      if (fs_is_const(all->src[i])) {
         product = fs_mul(p, product, all->src[i]);
         constants++;
      } else {
         all->src[count++] = all->src[i];
      }
   }
   if (constants > 0)
      all->src[count++] = product;
   all->count = count;
}

/* One of all orders, by a number from 1 on. */
static void
shuffle(struct operands *all, unsigned choice)
{
   uint32_t random = choice * 2654435761u;

   for (unsigned i = all->count - 1; i > 0; i--) {
      random = random * 1664525u + 1013904223u;
      const unsigned other = (random >> 16) % (i + 1);
      const struct fs_src src = all->src[i];
      all->src[i] = all->src[other];
      all->src[other] = src;
   }
}

/* The operands before the last one, by operations like the root. */
static struct fs_src
combine(struct rearranging *r, const struct fs_node *root,
        const struct operands *all, unsigned first, unsigned end)
{
   struct fs_src src = all->src[first];

   for (unsigned i = first + 1; i < end; i++)
      src = root->op == FS_OP_MAD
               ? fs_mul(r->p, src, all->src[i])
               : fs_build_alu(r->p, root->op, src, fs_one(), all->src[i]);
   return src;
}

/* Reorders a product, minimum or maximum of more than two operands; false:
 * the node stays as it is. */
static bool
reorder(struct rearranging *r, struct fs_node *root, unsigned index)
{
   const bool is_product = root->op == FS_OP_MAD;
   struct operands all = { 0 };

   if (is_product && has_factors(root)) {
      find_factors(r, root, &all);
      collect_constants(r->p, &all);
   } else if (is_extreme(root)) {
      find_extremes(r, root, &all);
   }
   const unsigned choice =
      all.count > 2 ? fs_choice(r->p, FS_CHOICE_ORDER, index) : 0;
   if (choice == 0)
      return false;
   shuffle(&all, choice);
   for (unsigned i = 0; i < all.count; i++)
      all.src[i] = fs_mapped(r->map, all.src[i]);
   /* one behind the other, or two halves */
   const unsigned last =
      all.count > 3 && choice % 4 == 0 ? all.count / 2 : all.count - 1;
   const struct fs_src before = combine(r, root, &all, 0, last),
                       after = combine(r, root, &all, last, all.count);
   root->src[0] = all.negate ? fs_neg(before) : before;
   root->src[is_product ? 1 : 2] = after;
   if (is_product)
      root->src[2] = fs_mapped(r->map, root->src[2]);
   return true;
}

static void
reorder_all(struct fs_program *p)
{
   const unsigned count = p->num_nodes, size = MAX2(count, 1);
   struct rearranging r = {
      .p = p,
      .old = p->nodes,
      .map = ralloc_array(p, uint16_t, size),
      .uses = ralloc_array(p, uint16_t, size),
   };

   fs_count_uses(p, r.uses);
   p->nodes = NULL;
   p->num_nodes = p->capacity = 0;
   for (unsigned i = 0; i < count; i++) {
      struct fs_node node = r.old[i];
      unsigned index;

      if (!reorder(&r, &node, i)) {
         for (unsigned s = 0; s < node.num_srcs; s++)
            node.src[s] = fs_mapped(r.map, node.src[s]);
      }
      fs_add_node(p, node.op, &index);
      p->nodes[index] = node;
      r.map[i] = index;
   }
   fs_dead_code(p);
   ralloc_free((void *)r.old);
   ralloc_free(r.map);
   ralloc_free(r.uses);
}

void
fs_rearrange(struct fs_program *p)
{
   if (!p->lowering->variation)
      return;
   reorder_all(p);
   fs_spread_products(p);
}
