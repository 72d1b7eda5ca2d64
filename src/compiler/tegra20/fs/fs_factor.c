/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Common factors.  GLSL multiplies component by component, so that vectors
 * are scaled where a scalar would do:
 *
 *    a.x * (v.x * s) + a.y * (v.y * s) + ...
 *       is (a.x * v.x + a.y * v.y + ...) * s
 *
 * When several sums share the scaled vector, as those of a normal do that
 * several lights shine on, it is done for all of them or for none: products
 * that something else reads have to be computed anyway.
 */

#include "fs.h"

#define MAX_TERMS 8

struct chain {
   unsigned count;
   uint16_t node[MAX_TERMS]; /* last one first */
};

/* A sum of which every term has the factor. */
struct scaled_sum {
   struct chain chain;
   struct fs_src factor;
   bool dropped; /* others need its products as they are */
   bool is_part; /* of another one that loses the factor */
};

struct factoring {
   struct fs_program *p;
   const struct fs_node *old;
   uint16_t *map, *uses;
   unsigned num_sums;
   struct scaled_sum *sums;
};

/* The product that the source reads, with at most a sign, or NULL. */
static const struct fs_node *
product_of(const struct factoring *f, struct fs_src src)
{
   if (src.kind != FS_SRC_NODE || (src.mods & ~FS_MOD_NEG) ||
       !fs_is_plain_product(&f->old[src.index]))
      return NULL;
   return &f->old[src.index];
}

static bool
is_factor(struct fs_src src)
{
   return (src.kind == FS_SRC_NODE || src.kind == FS_SRC_VALUE) && !src.mods;
}

/* The additions below a node that have no other user, down to a product. */
static bool
follow_chain(const struct factoring *f, unsigned root, struct chain *chain)
{
   unsigned i = root;

   chain->count = 0;
   while (chain->count < MAX_TERMS) {
      const struct fs_node *node = &f->old[i];
      const struct fs_src addend = node->src[2];

      if (node->op != FS_OP_MAD || node->d != FS_D_ONE ||
          (i != root && (node->cond || node->sat || node->scale ||
                         node->kill || f->uses[i] != 1)))
         return false;
      chain->node[chain->count++] = i;
      if (fs_is_zero(addend))
         return chain->count >= 2;
      if (addend.kind != FS_SRC_NODE || (addend.mods & ~FS_MOD_NEG))
         return false;
      i = addend.index;
   }
   return false;
}

/* Source of a term that is scaled by the factor, or -1. */
static int
scaled_source(const struct factoring *f, unsigned term, struct fs_src factor,
              unsigned *scale)
{
   for (unsigned s = 0; s < 2; s++) {
      const struct fs_node *product = product_of(f, f->old[term].src[s]);
      for (unsigned k = 0; product && k < 2; k++) {
         if (fs_src_equal(product->src[k], factor)) {
            *scale = k;
            return s;
         }
      }
   }
   return -1;
}

static bool
all_scaled(const struct factoring *f, const struct chain *chain,
           struct fs_src factor)
{
   unsigned k;

   for (unsigned i = 0; i < chain->count; i++) {
      if (scaled_source(f, chain->node[i], factor, &k) < 0)
         return false;
   }
   return true;
}

/* Factors of a sum are among those of its last term. */
static void
note_sum(struct factoring *f, const struct chain *chain)
{
   const struct fs_node *last = &f->old[chain->node[0]];

   for (unsigned s = 0; s < 2; s++) {
      const struct fs_node *product = product_of(f, last->src[s]);
      for (unsigned k = 0; product && k < 2; k++) {
         const struct fs_src factor = product->src[k];
         if (is_factor(factor) && all_scaled(f, chain, factor))
            f->sums[f->num_sums++] =
               (struct scaled_sum){ .chain = *chain, .factor = factor };
      }
   }
}

/* The product that a term of the sum scales by its factor. */
static unsigned
product_in(const struct factoring *f, const struct scaled_sum *sum,
           unsigned term)
{
   unsigned k = 0;
   const int s = scaled_source(f, term, sum->factor, &k);

   return f->old[term].src[s].index;
}

/* Is this a term of the sum, but not the last one, whose result it is? */
static bool
is_inner_term(const struct scaled_sum *sum, unsigned node)
{
   for (unsigned i = 1; i < sum->chain.count; i++) {
      if (sum->chain.node[i] == node)
         return true;
   }
   return false;
}

static bool
has_same_factor(const struct scaled_sum *a, const struct scaled_sum *b)
{
   return !b->dropped && fs_src_equal(a->factor, b->factor);
}

/* Brings is_part of the sums that end in a node up to date. */
static void
update_parts(struct factoring *f, unsigned node)
{
   for (unsigned k = 0; k < f->num_sums; k++) {
      struct scaled_sum *sum = &f->sums[k];

      if (sum->chain.node[0] != node)
         continue;
      sum->is_part = false;
      for (unsigned i = 0; i < f->num_sums && !sum->is_part; i++)
         sum->is_part = has_same_factor(sum, &f->sums[i]) &&
                        is_inner_term(&f->sums[i], node);
   }
}

/* How often sums that lose the factor read the product. */
static unsigned
reads_by_sums(const struct factoring *f, const struct scaled_sum *sum,
              unsigned product)
{
   unsigned count = 0;

   for (unsigned i = 0; i < f->num_sums; i++) {
      const struct scaled_sum *other = &f->sums[i];
      if (!has_same_factor(sum, other) || other->is_part)
         continue;
      for (unsigned t = 0; t < other->chain.count; t++)
         count += product_in(f, other, other->chain.node[t]) == product;
   }
   return count;
}

/* Do all sums with the factor save as many products as they need to be
 * multiplied afterwards? */
static bool
saves_products(const struct factoring *f, const struct scaled_sum *sum)
{
   unsigned cost = 0, reads = 0, uses = 0;

   for (unsigned i = 0; i < f->num_sums; i++) {
      const struct scaled_sum *other = &f->sums[i];
      if (!has_same_factor(sum, other) || other->is_part)
         continue;
      cost++;
      reads += other->chain.count;
   }
   for (unsigned t = 0; t < sum->chain.count; t++)
      uses = MAX2(uses, f->uses[product_in(f, sum, sum->chain.node[t])]);
   return uses * cost <= reads;
}

static bool
can_lose_factor(const struct factoring *f, const struct scaled_sum *sum)
{
   bool is_shared = false;

   for (unsigned t = 0; t < sum->chain.count; t++) {
      const unsigned product = product_in(f, sum, sum->chain.node[t]);
      if (reads_by_sums(f, sum, product) < f->uses[product])
         return false;
      is_shared |= f->uses[product] > 1;
   }
   if (!saves_products(f, sum))
      return false;
   return !is_shared ||
          !fs_choice(f->p, FS_CHOICE_SCALED, sum->chain.node[0]);
}

/* Which sums lose a factor; true when any does. */
static bool
find_factors(struct factoring *f, unsigned count)
{
   struct chain chain;
   bool changed, any = false;

   for (unsigned i = 0; i < count; i++) {
      if (follow_chain(f, i, &chain))
         note_sum(f, &chain);
   }
   for (unsigned i = 0; i < f->num_sums; i++)
      update_parts(f, f->sums[i].chain.node[0]);
   do {
      changed = false;
      for (unsigned i = 0; i < f->num_sums; i++) {
         struct scaled_sum *sum = &f->sums[i];
         if (sum->dropped || can_lose_factor(f, sum))
            continue;
         sum->dropped = changed = true;
         for (unsigned t = 1; t < sum->chain.count; t++)
            update_parts(f, sum->chain.node[t]);
      }
   } while (changed);
   for (unsigned i = 0; i < f->num_sums; i++)
      any |= !f->sums[i].dropped;
   return any;
}

static const struct scaled_sum *
sum_at(const struct factoring *f, unsigned node)
{
   for (unsigned i = 0; i < f->num_sums; i++) {
      if (!f->sums[i].dropped && f->sums[i].chain.node[0] == node)
         return &f->sums[i];
   }
   return NULL;
}

/* The terms without the factor, and the node itself multiplies the sum. */
static void
multiply_sum(struct factoring *f, const struct chain *chain,
             struct fs_src factor, struct fs_node *root)
{
   struct fs_src sum = fs_zero();

   for (int i = chain->count - 1; i >= 0; i--) {
      const struct fs_node *term = &f->old[chain->node[i]];
      unsigned k = 0;
      const int s = scaled_source(f, chain->node[i], factor, &k);
      struct fs_src value = f->old[term->src[s].index].src[!k];

      if (term->src[s].mods)
         value = fs_neg(value);
      if (term->src[2].mods)
         sum = fs_neg(sum);
      sum = fs_build_alu(f->p, FS_OP_MAD, fs_mapped(f->map, value),
                         fs_mapped(f->map, term->src[!s]), sum);
   }
   root->src[0] = sum;
   root->src[1] = fs_mapped(f->map, factor);
   root->src[2] = fs_zero();
}

static void
rebuild(struct factoring *f, unsigned count)
{
   f->p->nodes = NULL;
   f->p->num_nodes = f->p->capacity = 0;
   for (unsigned i = 0; i < count; i++) {
      struct fs_node node = f->old[i];
      unsigned index;

      for (unsigned s = 0; s < node.num_srcs; s++)
         node.src[s] = fs_mapped(f->map, node.src[s]);
      const struct scaled_sum *sum = sum_at(f, i);
      if (sum)
         multiply_sum(f, &sum->chain, sum->factor, &node);
      fs_add_node(f->p, node.op, &index);
      f->p->nodes[index] = node;
      f->map[i] = index;
   }
}

static bool
take_factors(struct fs_program *p)
{
   const unsigned count = p->num_nodes, size = MAX2(count, 1);
   struct factoring f = {
      .p = p,
      .old = p->nodes,
      .map = ralloc_array(p, uint16_t, size),
      .uses = ralloc_array(p, uint16_t, size),
      .sums = ralloc_array(p, struct scaled_sum, 4 * size),
   };

   fs_count_uses(p, f.uses);
   const bool progress = find_factors(&f, count);
   if (progress) {
      rebuild(&f, count);
      ralloc_free((void *)f.old);
      fs_dead_code(p);
   }
   ralloc_free(f.map);
   ralloc_free(f.uses);
   ralloc_free(f.sums);
   return progress;
}

/* Vectors that are scaled: of a sum of products two may be. */
#define MAX_FACTORS 2

void
fs_common_factors(struct fs_program *p)
{
   for (unsigned i = 0; i < MAX_FACTORS && take_factors(p); i++)
      ;
}
