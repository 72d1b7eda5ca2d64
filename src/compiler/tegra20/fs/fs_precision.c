/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Chooses between 10-bit halves (fx10) and whole registers (fp20) for values.
 *
 * Two fx10 values share a register, lookups and fetches deliver fx10 and
 * stores want it, so fx10 is cheap; but it rounds to 1/256 and ends at 1.996.
 * A value becomes fx10 when
 *
 *   - its range, followed from the inputs, fits, and
 *   - rounding it cannot show: either it is a multiple of 1/256 already
 *     (texels, flags, selections and sums of those), or the errors of all
 *     rounded values, each weighted with the dependence of the stored colour
 *     on the value, stay below ERROR_BUDGET per colour component.
 *
 * The dependence is followed backwards from the stores.  It is unbounded
 * through comparisons, special functions and texture coordinates, whose
 * operands therefore stay fp20 unless they are exact.  Values declared lowp
 * may be rounded in any case in which they are used as colours.  The colours
 * of the vertex stage, which is clamped to 0..1, have a budget of their own.
 *
 * Results that are read from alu0..3 only are not rounded at all, so the
 * budget is an upper bound.
 */

#include <math.h>

#include "fs.h"

#define FX10_STEP (1.0f / 256.0f)
#define FX10_MIN -2.0f
#define FX10_MAX (511.0f / 256.0f)

/* In units of the stored colour: two rounded values on the way of a
 * component, the error of one 8-bit step. */
#define ERROR_BUDGET (1.0f * FX10_STEP)

struct interval {
   float lo, hi;
};

struct analysis {
   struct fs_program *p;
   struct interval *range;
   bool *exact; /* multiple of 1/256 */
   float (
      *gain)[4]; /* change of each stored component per change of the value */
   bool *needs_fp20;         /* used where only fp20 is understood */
   float spent[4];           /* of the error budget */
   float spent_on_colors[4]; /* of that for the colours of the vertex stage */
};

static const struct interval everything = { -INFINITY, INFINITY };

static struct interval
interval(float lo, float hi)
{
   return isnan(lo) || isnan(hi) ? everything : (struct interval){ lo, hi };
}

static struct interval
product(struct interval a, struct interval b)
{
   const float x[4] = { a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi };
   struct interval r = { INFINITY, -INFINITY };

   for (unsigned i = 0; i < 4; i++) {
      if (isnan(x[i])) /* 0 * infinity: the magnitude is unknown */
         return everything;
      r.lo = fminf(r.lo, x[i]);
      r.hi = fmaxf(r.hi, x[i]);
   }
   return r;
}

static struct interval
modified(struct interval r, unsigned mods)
{
   if (mods & FS_MOD_ABS) {
      const float lo = r.lo > 0 ? r.lo : r.hi < 0 ? -r.hi : 0;
      r = interval(lo, fmaxf(fabsf(r.lo), fabsf(r.hi)));
   }
   if (mods & FS_MOD_X2)
      r = interval(2 * r.lo, 2 * r.hi);
   if (mods & FS_MOD_SUB1)
      r = interval(r.lo - 1, r.hi - 1);
   if (mods & FS_MOD_NEG)
      r = interval(-r.hi, -r.lo);
   return r;
}

static struct interval
src_range(const struct analysis *a, struct fs_src src)
{
   const struct fs_program *p = a->p;
   float f;

   switch ((enum fs_src_kind)src.kind) {
   case FS_SRC_NODE:
      return modified(a->range[src.index], src.mods);
   case FS_SRC_VALUE:
      if (fs_imm_value(p, src, &f))
         return interval(f, f);
      if (fs_value_in_unit_range(p, src.index))
         return modified((struct interval){ 0, 1 }, src.mods);
      return everything;
   case FS_SRC_ZERO:
      return modified((struct interval){ 0, 0 }, src.mods);
   case FS_SRC_ONE:
      return modified((struct interval){ 1, 1 }, src.mods);
   default:
      return everything;
   }
}

static bool
src_exact(const struct analysis *a, struct fs_src src)
{
   float f;
   if (src.kind == FS_SRC_NODE)
      return a->exact[src.index];
   return fs_imm_value(a->p, src, &f) && f * 256.0f == rintf(f * 256.0f) &&
          fabsf(f) < 2.0f;
}

/* The factor D as a source without position in the node. */
static struct interval
d_range(const struct analysis *a, const struct fs_node *node)
{
   if (node->d == FS_D_ONE)
      return (struct interval){ 1, 1 };
   struct fs_src src = node->src[node->d == FS_D_B ? 1 : 2];
   src.mods = node->d_mods;
   return src_range(a, src);
}

/* Of operand A or C. */
static struct interval
operand_range(const struct analysis *a, const struct fs_node *node,
              unsigned s)
{
   const struct interval half = { FX10_MIN, FX10_MAX };

   return node->op == FS_OP_RAW && node->raw == s
             ? half
             : src_range(a, node->src[s]);
}

static struct interval
alu_range(const struct analysis *a, const struct fs_node *node)
{
   struct interval r, ab, cd;

   if (node->op == FS_OP_ACC) {
      r = (struct interval){ 0, 0 };
      for (unsigned i = 0; i < node->num_srcs; i += 2) {
         ab = product(src_range(a, node->src[i]),
                      src_range(a, node->src[i + 1]));
         r = interval(r.lo + ab.lo, r.hi + ab.hi);
      }
   } else {
      cd = product(operand_range(a, node, 2), d_range(a, node));
      ab = node->op == FS_OP_CSEL ? src_range(a, node->src[1])
                                  : product(operand_range(a, node, 0),
                                            src_range(a, node->src[1]));
      switch (node->op) {
      case FS_OP_LOW:
         r = everything;
         break;
      case FS_OP_MAD:
      case FS_OP_RAW:
         r = interval(ab.lo + cd.lo, ab.hi + cd.hi);
         break;
      case FS_OP_MIN:
         r = interval(fminf(ab.lo, cd.lo), fminf(ab.hi, cd.hi));
         break;
      case FS_OP_MAX:
         r = interval(fmaxf(ab.lo, cd.lo), fmaxf(ab.hi, cd.hi));
         break;
      default:
         r = interval(fminf(ab.lo, cd.lo), fmaxf(ab.hi, cd.hi));
         break;
      }
      /* b*t + a*(1 - t) of t in 0..1 lies between a and b, which the sum of
       * the products does not show */
      if (node->op == FS_OP_MAD && node->d == FS_D_B &&
          node->d_mods == FS_MOD_SUB1) {
         const struct interval t = src_range(a, node->src[1]),
                               b = src_range(a, node->src[0]);
         const struct interval minus_a = src_range(a, node->src[2]);
         if (t.lo >= 0 && t.hi <= 1)
            r = interval(fminf(b.lo, -minus_a.hi), fmaxf(b.hi, -minus_a.lo));
      }
   }
   static const float scales[] = { 1, 2, 4, 0.5f };
   r = interval(r.lo * scales[node->scale], r.hi * scales[node->scale]);
   if (node->sat)
      r = interval(fminf(fmaxf(r.lo, 0), 1), fminf(fmaxf(r.hi, 0), 1));
   if (node->cond)
      r = (struct interval){ 0, 1 };
   return r;
}

static bool
is_plus_minus_one(struct fs_src src)
{
   return src.kind == FS_SRC_ONE && !(src.mods & ~(FS_MOD_NEG | FS_MOD_ABS));
}

/* 0 or 1 */
static bool
is_flag(const struct analysis *a, struct fs_src src)
{
   return src.kind == FS_SRC_NODE &&
          !(src.mods & (FS_MOD_X2 | FS_MOD_SUB1)) &&
          a->p->nodes[src.index].cond;
}

static bool
alu_exact(const struct analysis *a, const struct fs_node *node)
{
   if (node->cond)
      return true;
   if (node->scale || node->op == FS_OP_ACC || node->op == FS_OP_RAW ||
       node->d != FS_D_ONE)
      return false;
   if (node->op == FS_OP_CSEL)
      return src_exact(a, node->src[1]) && src_exact(a, node->src[2]);
   if (!src_exact(a, node->src[2]))
      return false;
   return ((is_plus_minus_one(node->src[1]) || is_flag(a, node->src[1])) &&
           src_exact(a, node->src[0])) ||
          (is_flag(a, node->src[0]) && src_exact(a, node->src[1])) ||
          fs_is_zero(node->src[0]);
}

static void
follow_forward(struct analysis *a)
{
   const struct fs_program *p = a->p;

   for (unsigned i = 0; i < p->num_nodes; i++) {
      const struct fs_node *node = &p->nodes[i];
      struct interval r = everything;

      if (fs_op_is_alu(node->op)) {
         r = alu_range(a, node);
         a->exact[i] =
            alu_exact(a, node) && r.lo >= FX10_MIN && r.hi <= FX10_MAX;
      } else if (node->op == FS_OP_PART) {
         r = (struct interval){ 0, 1 };
         a->exact[i] = true;
      } else if (node->op == FS_OP_INTERP) {
         if (fs_is_clamped_color(p, node->slot[0]))
            r = (struct interval){ 0, 1 };
         else if (node->lowp)
            r = (struct interval){ FX10_MIN, FX10_MAX };
      } else if (node->op == FS_OP_SFU) {
         switch (node->sfu) {
         case FS_SFU_FRC:
            r = (struct interval){ 0, 1 };
            break;
         case FS_SFU_SIN:
         case FS_SFU_COS:
            r = (struct interval){ -1, 1 };
            break;
         case FS_SFU_RSQ:
         case FS_SFU_SQRT:
         case FS_SFU_EX2:
            r = (struct interval){ 0, INFINITY };
            break;
         default:
            break;
         }
      }
      a->range[i] = r;
   }
}

static float
magnitude(struct interval r)
{
   return fmaxf(fabsf(r.lo), fabsf(r.hi));
}

/* gain of the source += factor * gain of the node, where factor may be
 * infinite */
static void
depend(struct analysis *a, struct fs_src src, const float gain[4],
       float factor)
{
   if (src.kind != FS_SRC_NODE || factor == 0.0f)
      return;
   if (src.mods & FS_MOD_X2)
      factor *= 2;
   for (unsigned c = 0; c < 4; c++)
      a->gain[src.index][c] += gain[c] == 0.0f ? 0.0f : gain[c] * factor;
}

static void
depend_unbounded(struct analysis *a, struct fs_src src)
{
   static const float all[4] = { 1, 1, 1, 1 };
   depend(a, src, all, INFINITY);
}

static void
follow_alu_backward(struct analysis *a, const struct fs_node *node,
                    const float gain[4])
{
   static const float scales[] = { 1, 2, 4, 0.5f };
   const float scale = scales[node->scale];

   if (node->op == FS_OP_RAW && node->src[node->raw].kind == FS_SRC_NODE)
      a->needs_fp20[node->src[node->raw].index] = true;
   if (node->cond || node->kill || node->op == FS_OP_RAW ||
       node->op == FS_OP_LOW) {
      for (unsigned s = 0; s < node->num_srcs; s++)
         depend_unbounded(a, node->src[s]);
      return;
   }
   if (node->op == FS_OP_ACC) {
      for (unsigned s = 0; s < node->num_srcs; s++)
         depend(a, node->src[s], gain,
                scale * magnitude(src_range(a, node->src[s ^ 1])));
      return;
   }
   const struct interval by_b = node->op == FS_OP_CSEL
                                   ? (struct interval){ 1, 1 }
                                   : src_range(a, node->src[0]);
   const struct interval by_d = src_range(a, node->src[2]);

   if (node->op == FS_OP_CSEL)
      depend_unbounded(a, node->src[0]);
   else
      depend(a, node->src[0], gain,
             scale * magnitude(src_range(a, node->src[1])));
   depend(a, node->src[2], gain, scale * magnitude(d_range(a, node)));
   if (node->d == FS_D_B && node->op == FS_OP_MAD && !node->src[1].mods &&
       !(node->d_mods & FS_MOD_ABS)) {
      /* A*B + C*(B - 1): both products move at once */
      depend(a, node->src[1], gain,
             scale *
                magnitude(interval(by_b.lo + by_d.lo, by_b.hi + by_d.hi)));
      return;
   }
   depend(a, node->src[1], gain, scale * magnitude(by_b));
   if (node->d != FS_D_ONE)
      depend(a, node->src[node->d == FS_D_B ? 1 : 2], gain,
             scale * magnitude(by_d));
}

static void
follow_backward(struct analysis *a)
{
   const struct fs_program *p = a->p;

   for (int i = p->num_nodes - 1; i >= 0; i--) {
      const struct fs_node *node = &p->nodes[i];

      if (fs_op_is_alu(node->op)) {
         follow_alu_backward(a, node, a->gain[i]);
         continue;
      }
      for (unsigned s = 0; s < node->num_srcs; s++) {
         if (node->src[s].kind != FS_SRC_NODE)
            continue;
         if (node->op == FS_OP_STORE) {
            a->gain[node->src[s].index][s] += 1.0f;
         } else if (node->op != FS_OP_PART) {
            depend_unbounded(a, node->src[s]);
            a->needs_fp20[node->src[s].index] = true;
         }
      }
   }
}

static bool
fits(const struct analysis *a, unsigned i)
{
   return a->range[i].lo >= FX10_MIN && a->range[i].hi <= FX10_MAX;
}

/* Takes the rounding of a value out of a budget. */
static bool
afford(const struct analysis *a, unsigned i, float spent[4])
{
   float sum[4];

   for (unsigned c = 0; c < 4; c++) {
      sum[c] = spent[c] + a->gain[i][c] * 0.5f * FX10_STEP;
      if (!(sum[c] <= ERROR_BUDGET))
         return false;
   }
   memcpy(spent, sum, sizeof(sum));
   return true;
}

static bool
finite_gain(const struct analysis *a, unsigned i)
{
   for (unsigned c = 0; c < 4; c++) {
      if (!isfinite(a->gain[i][c]))
         return false;
   }
   return true;
}

static bool
may_round_input(struct analysis *a, unsigned i)
{
   const struct fs_node *node = &a->p->nodes[i];

   if (node->lowp)
      return finite_gain(a, i);
   return afford(a, i,
                 fs_is_clamped_color(a->p, node->slot[0]) ? a->spent_on_colors
                                                          : a->spent);
}

static bool
stored_only(const struct fs_program *p, unsigned value, const uint16_t *uses)
{
   unsigned stores = 0;
   for (unsigned i = 0; i < p->num_nodes; i++) {
      for (unsigned s = 0; p->nodes[i].op == FS_OP_STORE && s < 4; s++)
         stores += p->nodes[i].src[s].kind == FS_SRC_NODE &&
                   p->nodes[i].src[s].index == value &&
                   p->nodes[i].src[s].mods == 0;
   }
   return stores > 0 && stores == uses[value];
}

/*
 * Interpolated fx10 values come in pairs, the halves of one TRAM column.
 * Components that are stored as they are have to be in the order of the
 * pixel; the rest is paired in order.
 */
static void
pair_interpolated(struct fs_program *p, unsigned first, unsigned second)
{
   unsigned parent;
   struct fs_node *node = fs_add_node(p, FS_OP_INTERP, &parent);
   const unsigned values[2] = { first, second };

   node = &p->nodes[parent];
   node->format = FS_FX10;
   node->flat = p->nodes[first].flat;
   node->slot[1] = FS_NO_SLOT;
   for (unsigned half = 0; half < 2; half++) {
      if (values[half] == FS_NO_NODE)
         continue;
      struct fs_node *value = &p->nodes[values[half]];
      node->slot[half] = value->slot[0];
      node->comp[half] = value->comp[0];
      value->op = FS_OP_PART;
      value->format = FS_FX10;
      value->part = half;
      value->num_srcs = 1;
      value->src[0] = fs_node_src(parent);
   }
}

static bool
pairable(const struct fs_program *p, unsigned a, unsigned b)
{
   return p->nodes[a].flat == p->nodes[b].flat;
}

static void
pair_all(struct fs_program *p, bool *rounded, unsigned count)
{
   for (unsigned i = 0; i < count; i++) {
      if (p->nodes[i].op != FS_OP_STORE)
         continue;
      for (unsigned half = 0; half < 4; half += 2) {
         const struct fs_src lo = p->nodes[i].src[half],
                             hi = p->nodes[i].src[half + 1];
         if (lo.kind == FS_SRC_NODE && hi.kind == FS_SRC_NODE &&
             lo.index != hi.index && rounded[lo.index] && rounded[hi.index] &&
             pairable(p, lo.index, hi.index)) {
            pair_interpolated(p, lo.index, hi.index);
            rounded[lo.index] = rounded[hi.index] = false;
         }
      }
   }
   for (unsigned i = 0; i < count; i++) {
      if (!rounded[i])
         continue;
      unsigned partner = FS_NO_NODE;
      for (unsigned j = i + 1; j < count && partner == FS_NO_NODE; j++) {
         if (rounded[j] && pairable(p, i, j))
            partner = j;
      }
      pair_interpolated(p, i, partner);
      rounded[i] = false;
      if (partner != FS_NO_NODE)
         rounded[partner] = false;
   }
}

/* pair_interpolated() adds parents behind their parts; producers have to come
 * first again. */
static void
move_parents_forward(struct fs_program *p, unsigned old_count)
{
   const unsigned added = p->num_nodes - old_count;

   if (added == 0)
      return;
   struct fs_node *nodes =
      ralloc_array(p, struct fs_node, MAX2(p->num_nodes, 1));

   memcpy(nodes, p->nodes + old_count, added * sizeof(*nodes));
   memcpy(nodes + added, p->nodes, old_count * sizeof(*nodes));
   for (unsigned i = 0; i < p->num_nodes; i++) {
      for (unsigned s = 0; s < nodes[i].num_srcs; s++) {
         struct fs_src *src = &nodes[i].src[s];
         if (src->kind == FS_SRC_NODE)
            src->index = src->index >= old_count ? src->index - old_count
                                                 : src->index + added;
      }
   }
   memcpy(p->nodes, nodes, p->num_nodes * sizeof(*nodes));
   ralloc_free(nodes);
}

void
fs_choose_formats(struct fs_program *p)
{
   const unsigned count = p->num_nodes;
   struct analysis a = {
      .p = p,
      .range = rzalloc_array(p, struct interval, MAX2(count, 1)),
      .exact = rzalloc_array(p, bool, MAX2(count, 1)),
      .gain = rzalloc_array_size(p, sizeof(float[4]), MAX2(count, 1)),
      .needs_fp20 = rzalloc_array(p, bool, MAX2(count, 1)),
   };
   bool *rounded = rzalloc_array(
      p, bool, MAX2(count, 1)); /* interpolated values that become fx10 */
   uint16_t *uses = ralloc_array(p, uint16_t, MAX2(count, 1));

   fs_count_uses(p, uses);
   follow_forward(&a);
   follow_backward(&a);

   for (unsigned i = 0; i < count; i++) {
      struct fs_node *node = &p->nodes[i];

      if (a.needs_fp20[i] || node->op == FS_OP_LOW || node->rounds)
         continue;
      if (node->op == FS_OP_INTERP) {
         rounded[i] = fits(&a, i) && may_round_input(&a, i);
      } else if (fs_op_is_alu(node->op)) {
         if (a.exact[i]) {
            node->format = FS_FX10;
         } else if (stored_only(p, i, uses)) {
            /* stored values are rounded and clamped in memory; here they must
             * not overflow (assumption A46) */
            node->format = FS_FX10;
            node->sat |= !fits(&a, i);
         } else if (fits(&a, i) && !fs_choice(p, FS_CHOICE_FP20, i) &&
                    afford(&a, i, a.spent)) {
            node->format = FS_FX10;
         }
      }
   }
   pair_all(p, rounded, count);
   move_parents_forward(p, count);

   ralloc_free(a.range);
   ralloc_free(a.exact);
   ralloc_free(a.gain);
   ralloc_free(a.needs_fp20);
   ralloc_free(rounded);
   ralloc_free(uses);
}
