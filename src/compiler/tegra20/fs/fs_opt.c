/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Optimisation of nodes: products into the adder behind them, saturation,
 * scaling and kill into the operation that makes the value, sums of products
 * onto the accumulation chain, products for other units onto the MFU, dead
 * code.
 *
 * A node that absorbs its only producer takes the producer's place as a copy;
 * the producer becomes dead code.  Of a product that several nodes need, each
 * may have a copy, where a variation wants that (fs_climb.c).
 */

#include <math.h>

#include "fs.h"

/* Adds the sources of a node to the uses, or takes them away. */
static void
change_uses(const struct fs_node *node, int change, uint16_t *uses)
{
   for (unsigned s = 0; s < node->num_srcs; s++) {
      if (node->src[s].kind == FS_SRC_NODE)
         uses[node->src[s].index] += change;
   }
}

static void
replace_uses(const struct fs_node *before, const struct fs_node *node,
             uint16_t *uses)
{
   change_uses(before, -1, uses);
   change_uses(node, 1, uses);
}

void
fs_count_uses(const struct fs_program *p, uint16_t *uses)
{
   memset(uses, 0, p->num_nodes * sizeof(*uses));
   for (unsigned i = 0; i < p->num_nodes; i++)
      change_uses(&p->nodes[i], 1, uses);
}

static bool
has_effect(const struct fs_node *node)
{
   return node->op == FS_OP_STORE || node->op == FS_OP_STENCIL || node->kill;
}

/* Removes dead nodes and renumbers the others. */
void
fs_dead_code(struct fs_program *p)
{
   uint16_t *map = ralloc_array(p, uint16_t, MAX2(p->num_nodes, 1));
   bool *live = rzalloc_array(p, bool, MAX2(p->num_nodes, 1));
   unsigned count = 0;

   for (int i = p->num_nodes - 1; i >= 0; i--) {
      const struct fs_node *node = &p->nodes[i];
      live[i] |= has_effect(node);
      for (unsigned s = 0; live[i] && s < node->num_srcs; s++) {
         if (node->src[s].kind == FS_SRC_NODE)
            live[node->src[s].index] = true;
      }
   }
   for (unsigned i = 0; i < p->num_nodes; i++) {
      if (!live[i])
         continue;
      map[i] = count;
      struct fs_node node = p->nodes[i];
      for (unsigned s = 0; s < node.num_srcs; s++) {
         if (node.src[s].kind == FS_SRC_NODE)
            node.src[s].index = map[node.src[s].index];
      }
      p->nodes[count++] = node;
   }
   p->num_nodes = count;
   ralloc_free(map);
   ralloc_free(live);
}

/* --- common subexpressions --- */

static bool
same_operation(const struct fs_node *a, const struct fs_node *b)
{
   if (a->op != b->op || a->cond != b->cond || a->scale != b->scale ||
       a->d != b->d || a->d_mods != b->d_mods || a->sat != b->sat ||
       a->num_srcs != b->num_srcs || a->part != b->part || a->sfu != b->sfu ||
       a->sampler != b->sampler || a->bias != b->bias ||
       a->slot[0] != b->slot[0] || a->comp[0] != b->comp[0] ||
       a->flat != b->flat || a->rt != b->rt)
      return false;
   for (unsigned s = 0; s < a->num_srcs; s++) {
      if (!fs_src_equal(a->src[s], b->src[s]))
         return false;
   }
   return true;
}

static uint32_t
hash_operation(const struct fs_node *node)
{
   uint32_t h = node->op * 31u + node->cond * 7u + node->part * 13u +
                node->sfu * 17u + node->comp[0] * 5u + node->slot[0];

   for (unsigned s = 0; s < node->num_srcs; s++)
      h = h * 16777619u ^ (node->src[s].kind << 20 | node->src[s].mods << 16 |
                           node->src[s].index);
   return h ^ h >> 15;
}

/* NIR has vectors, where an operation on one repeated component looks like
 * four operations. */
static void
share_operations(struct fs_program *p)
{
   const unsigned size = 2 * util_next_power_of_two(MAX2(p->num_nodes, 1));
   uint16_t *table = ralloc_array(p, uint16_t, size),
            *map = ralloc_array(p, uint16_t, MAX2(p->num_nodes, 1));

   memset(table, 0xff, size * sizeof(*table));
   for (unsigned i = 0; i < p->num_nodes; i++) {
      struct fs_node *node = &p->nodes[i];

      for (unsigned s = 0; s < node->num_srcs; s++) {
         if (node->src[s].kind == FS_SRC_NODE)
            node->src[s].index = map[node->src[s].index];
      }
      map[i] = i;
      if (has_effect(node))
         continue;
      unsigned slot = hash_operation(node) & (size - 1);
      while (table[slot] != FS_NO_NODE &&
             !same_operation(&p->nodes[table[slot]], node))
         slot = (slot + 1) & (size - 1);
      if (table[slot] == FS_NO_NODE)
         table[slot] = i;
      map[i] = table[slot];
   }
   ralloc_free(table);
   ralloc_free(map);
}

/* --- fusing --- */

/* x * y + 0 with a single user that applies at most a sign */
static const struct fs_node *
only_product(const struct fs_program *p, const uint16_t *uses,
             struct fs_src src)
{
   if (src.kind != FS_SRC_NODE || (src.mods & ~FS_MOD_NEG) ||
       uses[src.index] != 1)
      return NULL;
   const struct fs_node *node = &p->nodes[src.index];
   return fs_is_plain_product(node) ? node : NULL;
}

/*
 * floor(x) as x - frc(x).  Fractions of negative numbers are rounded more
 * coarsely than the numbers themselves, so that only the rounded difference
 * is a whole number, and x has to be the number that frc() got.
 */
static bool
is_floor(const struct fs_program *p, const struct fs_node *node)
{
   const struct fs_src fraction = node->src[2];

   if (node->op != FS_OP_MAD || node->d != FS_D_ONE ||
       fraction.kind != FS_SRC_NODE || !fs_is_unit_factor(node->src[1]))
      return false;
   const struct fs_node *source = &p->nodes[fraction.index];
   return source->op == FS_OP_SFU && source->sfu == FS_SFU_FRC;
}

static bool
fuse_product(struct fs_program *p, struct fs_node *node, const uint16_t *uses)
{
   if (node->op > FS_OP_MAX || node->d != FS_D_ONE ||
       !fs_is_unit_factor(node->src[1]) || is_floor(p, node))
      return false;

   const struct fs_node *product = only_product(p, uses, node->src[0]);
   const bool flip = !!(node->src[1].mods & FS_MOD_NEG);

   if (product && product->num_srcs == 3) {
      const bool negate = flip != !!(node->src[0].mods & FS_MOD_NEG);
      node->src[0] = negate ? fs_neg(product->src[0]) : product->src[0];
      node->src[1] = product->src[1];
      return true;
   }
   if (node->op != FS_OP_MAD || fs_is_zero(node->src[2]))
      return false;
   product = only_product(p, uses, node->src[2]);
   if (!product)
      return false;
   const bool negate = node->src[2].mods & FS_MOD_NEG;
   node->src[2] = flip ? fs_neg(node->src[0]) : node->src[0];
   node->src[0] = negate ? fs_neg(product->src[0]) : product->src[0];
   node->src[1] = product->src[1];
   return true;
}

/* --- constants --- */

/* x * k + c with constants k and c (1 and 0 among them), the product in this
 * order */
static bool
scale_and_offset(const struct fs_node *node, unsigned *x)
{
   if (node->op != FS_OP_MAD || node->d != FS_D_ONE ||
       !fs_is_const(node->src[2]))
      return false;
   *x = fs_is_const(node->src[0]) ? 1 : 0;
   return fs_is_const(node->src[!*x]) && !fs_is_const(node->src[*x]);
}

/* c * 1 + x with a constant c as x * 1 + c */
static struct fs_node
constant_last(struct fs_node node)
{
   const struct fs_src c = node.src[0];

   if (node.op == FS_OP_MAD && node.d == FS_D_ONE && fs_is_const(c) &&
       fs_is_unit_factor(node.src[1]) && !fs_is_const(node.src[2])) {
      node.src[0] = node.src[2];
      node.src[2] = node.src[1].mods & FS_MOD_NEG ? fs_neg(c) : c;
      node.src[1] = fs_one();
   }
   return node;
}

/* k * x + c * (x with other modifiers), as mix() is. */
static bool
is_mix_of_constants(const struct fs_node *node)
{
   return node->op == FS_OP_MAD && node->d == FS_D_B &&
          fs_is_const(node->src[0]) && fs_is_const(node->src[2]);
}

/*
 * (x * k + c) * l + m is x * (k * l) + (c * l + m), (x * y + c) + m is x * y
 * + (c + m), and mix(k, c, x) * l is mix(k * l, c * l, x): the CPU computes
 * expressions of literals and uniforms.
 */
static bool
fuse_constants(struct fs_program *p, struct fs_node *node,
               const uint16_t *uses)
{
   const struct fs_node outer = constant_last(*node);
   unsigned x, y;

   if (!scale_and_offset(&outer, &x))
      return false;
   const struct fs_src value = outer.src[x], factor = outer.src[!x],
                       offset = outer.src[2];
   if (value.kind != FS_SRC_NODE || (value.mods & ~FS_MOD_NEG) ||
       uses[value.index] != 1)
      return false;
   struct fs_node inner = constant_last(p->nodes[value.index]);
   if (!fs_is_plain_result(&inner))
      return false;
   const struct fs_src l = value.mods ? fs_neg(factor) : factor;
   /* positions are beyond 8192, where half pixels need the difference first
    * (fragment-pipeline.md 4.6) */
   for (unsigned s = 0; s < 3; s++) {
      if (inner.src[s].kind == FS_SRC_REG)
         return false;
   }
   if (scale_and_offset(&inner, &y)) {
      inner.src[!y] = fs_mul(p, inner.src[!y], l);
      inner.src[2] = fs_mad(p, inner.src[2], l, offset);
   } else if (inner.op == FS_OP_MAD && inner.d == FS_D_ONE &&
              fs_is_const(inner.src[2]) && fs_is_unit_factor(l)) {
      inner.src[0] =
         l.mods & FS_MOD_NEG ? fs_neg(inner.src[0]) : inner.src[0];
      inner.src[2] = fs_mad(p, inner.src[2], l, offset);
   } else if (is_mix_of_constants(&inner) && fs_is_zero(offset)) {
      inner.src[0] = fs_mul(p, inner.src[0], l);
      inner.src[2] = fs_mul(p, inner.src[2], l);
      node->d = inner.d;
      node->d_mods = inner.d_mods;
   } else {
      return false;
   }
   memcpy(node->src, inner.src, sizeof(inner.src));
   return true;
}

/* --- saturation, scale, kill --- */

static bool
in_unit_range(const struct fs_program *p, struct fs_src src, unsigned depth);

/* Does the result lie in 0..1, whether it is saturated or not? */
static bool
result_in_unit_range(const struct fs_program *p, const struct fs_node *node,
                     unsigned depth)
{
   if (node->cond)
      return true;
   switch (node->op) {
   case FS_OP_PART:
      return p->nodes[node->src[0].index].op != FS_OP_INTERP;
   case FS_OP_INTERP:
      return fs_is_clamped_color(p, node->slot[0]);
   case FS_OP_MAD:
      if (node->d != FS_D_ONE) {
         /* interpolation: b*t + (-a)*(t - 1) */
         struct fs_src a = fs_neg(node->src[2]);
         return node->d == FS_D_B && node->d_mods == FS_MOD_SUB1 &&
                !node->scale && in_unit_range(p, node->src[0], depth - 1) &&
                in_unit_range(p, node->src[1], depth - 1) &&
                in_unit_range(p, a, depth - 1);
      }
      return fs_is_zero(node->src[2]) &&
             (!node->scale || node->scale == FS_SCALE_HALF) &&
             in_unit_range(p, node->src[0], depth - 1) &&
             in_unit_range(p, node->src[1], depth - 1);
   case FS_OP_CSEL:
      return !node->scale && in_unit_range(p, node->src[1], depth - 1) &&
             in_unit_range(p, node->src[2], depth - 1);
   default:
      return false;
   }
}

/* Is the source known to lie in 0..1? */
static bool
in_unit_range(const struct fs_program *p, struct fs_src src, unsigned depth)
{
   float f;
   if (fs_imm_value(p, src, &f))
      return f >= 0.0f && f <= 1.0f;
   /* 1 - x of such an x is one too */
   if ((src.mods & ~FS_MOD_ABS) != 0 &&
       src.mods != (FS_MOD_SUB1 | FS_MOD_NEG))
      return false;
   if (src.kind == FS_SRC_VALUE)
      return fs_value_in_unit_range(p, src.index);
   if (src.kind != FS_SRC_NODE || depth == 0)
      return false;

   const struct fs_node *node = &p->nodes[src.index];
   return node->sat || result_in_unit_range(p, node, depth);
}

static bool
is_copy(const struct fs_node *node)
{
   return node->op == FS_OP_MAD && fs_is_one(node->src[1]) &&
          fs_is_zero(node->src[2]) && node->d == FS_D_ONE;
}

static bool
single_alu_producer(const struct fs_program *p, const uint16_t *uses,
                    struct fs_src src)
{
   return src.kind == FS_SRC_NODE && src.mods == 0 && uses[src.index] == 1 &&
          fs_op_is_alu(p->nodes[src.index].op) &&
          p->nodes[src.index].op != FS_OP_LOW && !p->nodes[src.index].rounds;
}

static bool
fuse_result(struct fs_program *p, struct fs_node *node, const uint16_t *uses)
{
   if (node->sat && !node->kill && result_in_unit_range(p, node, 6)) {
      node->sat = false;
      return true;
   }
   if (!single_alu_producer(p, uses, node->src[0]))
      return false;

   const struct fs_node *producer = &p->nodes[node->src[0].index];
   struct fs_node fused = *producer;

   if (is_copy(node) && !node->scale) {
      if (producer->kill || (producer->cond && node->cond))
         return false;
      /* the order within a unit is scale, saturate, condition */
      if (node->sat && producer->cond)
         return false;
      fused.sat |= node->sat;
      fused.cond |= node->cond;
      fused.kill = node->kill;
      fused.format = node->format;
      *node = fused;
      return true;
   }
   float factor;
   if (node->op == FS_OP_MAD && node->d == FS_D_ONE &&
       fs_is_zero(node->src[2]) && !node->scale &&
       fs_is_plain_result(producer) && !(p->avoid & TEGRA20_AVOID_SCALE) &&
       fs_imm_value(p, node->src[1], &factor) &&
       (factor == 0.5f || factor == 4.0f)) {
      fused.scale = factor == 4.0f ? 2 : FS_SCALE_HALF;
      fused.sat = node->sat;
      fused.cond = node->cond;
      fused.kill = node->kill;
      *node = fused;
      return true;
   }
   return false;
}

/* Users of a copy read its source; the modifiers are combined where the order
 * allows it. */
static bool
forward_copy(const struct fs_program *p, const struct fs_node *user,
             struct fs_src *src)
{
   if (src->kind != FS_SRC_NODE)
      return false;
   /* operand D reads the register of B or C without their modifiers */
   const bool shared =
      user->d != FS_D_ONE && src == &user->src[user->d == FS_D_B ? 1 : 2];
   const struct fs_node *copy = &p->nodes[src->index];
   if (!is_copy(copy) || !fs_is_plain_result(copy) || user->op == FS_OP_RAW)
      return false;

   struct fs_src inner = copy->src[0];
   if (shared && inner.mods)
      return false;
   if (!fs_op_is_alu(user->op)) {
      if (inner.kind != FS_SRC_NODE || inner.mods || user->op != FS_OP_STORE)
         return false;
   }
   if (src->mods & ~FS_MOD_NEG) {
      if (inner.mods)
         return false;
      inner.mods = src->mods;
   } else if (src->mods) {
      inner = fs_neg(inner);
   }
   *src = inner;
   return true;
}

/* x * k + x with a constant k: n / 255 as fs_tex.c makes it is compared with
 * rounded numbers, and has to be one. */
static bool
is_exact_texel(const struct fs_node *node)
{
   return fs_is_const(node->src[1]) &&
          fs_src_equal(node->src[0], node->src[2]);
}

/* --- accumulation --- */

struct sum {
   unsigned count;
   struct fs_src a[4], b[4];
};

static bool
add_term(struct sum *sum, struct fs_src a, struct fs_src b, bool negate)
{
   if (sum->count == 4)
      return false;
   sum->a[sum->count] = negate ? fs_neg(a) : a;
   sum->b[sum->count++] = b;
   return true;
}

/* Collects the products of a chain of additions below node; false when there
 * are more than four. */
static bool
collect_sum(const struct fs_program *p, const uint16_t *uses,
            const struct fs_node *node, bool negate, struct sum *sum)
{
   struct fs_src a = node->src[0], b = node->src[1], addend = node->src[2];

   /* x * 1 + c: the chain goes on in x */
   if (fs_is_const(addend) && !fs_is_zero(addend) && fs_is_unit_factor(b)) {
      const struct fs_src c = addend;
      addend = b.mods & FS_MOD_NEG ? fs_neg(a) : a;
      a = c;
      b = fs_one();
   }
   if (!add_term(sum, a, b, negate))
      return false;
   if (fs_is_zero(addend))
      return true;
   const bool flip = negate != !!(addend.mods & FS_MOD_NEG);
   if (addend.kind == FS_SRC_NODE && !(addend.mods & ~FS_MOD_NEG) &&
       uses[addend.index] == 1) {
      const struct fs_node *inner = &p->nodes[addend.index];
      if (inner->op == FS_OP_MAD && fs_is_plain_result(inner) &&
          inner->d == FS_D_ONE && !is_floor(p, inner) &&
          !is_exact_texel(inner))
         return collect_sum(p, uses, inner, flip, sum);
   }
   return add_term(sum, addend, fs_one(), negate);
}

static bool
form_sum(struct fs_program *p, struct fs_node *node, const uint16_t *uses)
{
   struct sum sum = { 0 };

   if (node->op != FS_OP_MAD || node->d != FS_D_ONE ||
       !collect_sum(p, uses, node, false, &sum) || sum.count < 3)
      return false;
   node->op = FS_OP_ACC;
   node->num_srcs = 2 * sum.count;
   for (unsigned i = 0; i < sum.count; i++) {
      node->src[2 * i] = sum.a[i];
      node->src[2 * i + 1] = sum.b[i];
   }
   return true;
}

/* --- products for other units --- */

static bool
on_mfu(const struct fs_program *p, struct fs_src src)
{
   if (src.kind != FS_SRC_NODE || src.mods)
      return false;
   const unsigned op = p->nodes[src.index].op;
   return op == FS_OP_INTERP || op == FS_OP_SFU || op == FS_OP_MUL ||
          op == FS_OP_WCLIP;
}

/*
 * A product of MFU results that only the MFU or a lookup wants stays on the
 * MFU: the ALU would cost another EXEC.  So would the product of one with
 * something else, as in pow(), but that has to wait in a register then:
 * FS_CHOICE_MFU.
 */
void
fs_form_products(struct fs_program *p)
{
   bool *alu_user = rzalloc_array(p, bool, MAX2(p->num_nodes, 1));

   for (unsigned i = 0; i < p->num_nodes; i++) {
      const struct fs_node *node = &p->nodes[i];
      for (unsigned s = 0; s < node->num_srcs; s++) {
         if (node->src[s].kind == FS_SRC_NODE &&
             (fs_op_is_alu(node->op) || node->op == FS_OP_STORE))
            alu_user[node->src[s].index] = true;
      }
   }
   for (unsigned i = 0; i < p->num_nodes; i++) {
      struct fs_node *node = &p->nodes[i];
      if (!fs_is_plain_product(node) || alu_user[i])
         continue;
      const unsigned count =
         on_mfu(p, node->src[0]) + on_mfu(p, node->src[1]);
      if (count == 0 || (count == 1 && !fs_choice(p, FS_CHOICE_MFU, i)))
         continue;
      node->op = FS_OP_MUL;
      node->num_srcs = 2;
   }
   ralloc_free(alu_user);
}

void
fs_fuse(struct fs_program *p)
{
   bool progress;
   uint16_t *uses = ralloc_array(p, uint16_t, MAX2(p->num_nodes, 1));

   do {
      progress = false;
      share_operations(p);
      fs_dead_code(p);
      fs_count_uses(p, uses);
      for (unsigned i = 0; i < p->num_nodes; i++) {
         struct fs_node *node = &p->nodes[i], before = *node;
         bool changed = false;

         for (unsigned s = 0; s < node->num_srcs; s++)
            changed |= forward_copy(p, node, &node->src[s]);
         if (changed) {
            progress = true;
            replace_uses(&before, node, uses);
            before = *node;
         }
         changed = fs_op_is_alu(node->op) && (fuse_product(p, node, uses) ||
                                              fuse_constants(p, node, uses) ||
                                              fuse_result(p, node, uses));
         if (changed) {
            progress = true;
            replace_uses(&before, node, uses);
         }
      }
      if (progress)
         fs_dead_code(p);
   } while (progress);
   ralloc_free(uses);
}

void
fs_form_sums(struct fs_program *p)
{
   uint16_t *uses = ralloc_array(p, uint16_t, MAX2(p->num_nodes, 1));

   fs_count_uses(p, uses);
   for (int i = p->num_nodes - 1; i >= 0; i--) {
      const struct fs_node before = p->nodes[i];
      struct fs_node sum = before;

      if (!form_sum(p, &sum, uses) || fs_choice(p, FS_CHOICE_SUM, i))
         continue;
      p->nodes[i] = sum;
      replace_uses(&before, &p->nodes[i], uses);
   }
   fs_dead_code(p);
   ralloc_free(uses);
}
