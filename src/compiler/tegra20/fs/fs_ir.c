/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Building the intermediate representation.  The helpers fold as they build:
 * sums with 1 and products with 1, 2 or -1 become operand modifiers, which
 * cost nothing, and expressions of constants become value nodes, which the
 * CPU computes.
 */

#include <math.h>
#include <stdarg.h>

#include "compiler/nir/nir_constant_expressions.h"
#include "tegra20/tegra20_hw.h"

#include "fs.h"

static void
swap(struct fs_src *a, struct fs_src *b)
{
   const struct fs_src c = *a;
   *a = *b;
   *b = c;
}

void
fs_error(struct fs_program *p, const char *format, ...)
{
   if (p->error)
      return;
   va_list args;
   va_start(args, format);
   p->error = ralloc_vasprintf(p, format, args);
   va_end(args);
}

unsigned
fs_choice(struct fs_program *p, enum fs_choice_kind kind, unsigned node)
{
   struct fs_variation *variation = p->lowering->variation;
   const bool flipped = p->lowering->flipped & (1u << kind);

   p->choice_kinds |= 1u << kind;
   if (!variation)
      return flipped;
   if (variation->num_points < FS_MAX_CHOICE_POINTS)
      variation->points[variation->num_points++] =
         (struct fs_choice_point){ kind, node };
   const unsigned choice = variation->choice[kind][node];
   return flipped ? !choice : choice;
}

struct fs_program *
fs_clone(void *mem_ctx, const struct fs_program *from)
{
   struct fs_program *p = ralloc_memdup(mem_ctx, from, sizeof(*from));

   p->nodes =
      ralloc_memdup(p, from->nodes, from->capacity * sizeof(*from->nodes));
   p->values.nodes =
      ralloc_memdup(p, from->values.nodes,
                    from->value_capacity * sizeof(*from->values.nodes));
   p->value_slots =
      ralloc_memdup(p, from->value_slots,
                    2 * from->value_capacity * sizeof(*from->value_slots));
   return p;
}

struct fs_node *
fs_add_node(struct fs_program *p, enum fs_op op, unsigned *index)
{
   if (p->num_nodes == FS_MAX_NODES) {
      fs_error(p, "the fragment program has more than %u operations",
               FS_MAX_NODES);
      p->num_nodes--; /* the nodes that follow are thrown away */
   }
   if (p->num_nodes == p->capacity) {
      p->capacity = MAX2(64, p->capacity * 2);
      p->nodes = reralloc(p, p->nodes, struct fs_node, p->capacity);
   }
   struct fs_node *node = &p->nodes[p->num_nodes];
   *node = (struct fs_node){ .op = op };
   *index = p->num_nodes++;
   return node;
}

/* --- values --- */

/* The slot that holds an equal value, or the free one for it. */
static uint16_t *
value_slot(const struct fs_program *p, const struct tegra20_value *value)
{
   const unsigned mask = 2 * p->value_capacity - 1;
   uint32_t hash = value->arg * 0x9e3779b1 + value->op;

   for (unsigned i = 0; i < ARRAY_SIZE(value->src); i++)
      hash = (hash ^ value->src[i]) * 0x85ebca6b;
   for (unsigned slot = (hash ^ hash >> 16) & mask;;
        slot = (slot + 1) & mask) {
      const unsigned found = p->value_slots[slot];
      if (!found ||
          memcmp(&p->values.nodes[found - 1], value, sizeof(*value)) == 0)
         return &p->value_slots[slot];
   }
}

static void
add_value_slots(struct fs_program *p)
{
   p->value_capacity = MAX2(32, p->value_capacity * 2);
   p->values.nodes =
      reralloc(p, p->values.nodes, struct tegra20_value, p->value_capacity);
   ralloc_free(p->value_slots);
   p->value_slots = rzalloc_array(p, uint16_t, 2 * p->value_capacity);
   for (unsigned i = 0; i < p->values.count; i++)
      *value_slot(p, &p->values.nodes[i]) = i + 1;
}

unsigned
fs_value(struct fs_program *p, enum tegra20_value_op op, uint32_t arg,
         unsigned num_src, const uint16_t *src)
{
   struct tegra20_values *values = &p->values;
   struct tegra20_value new = { .op = op, .num_src = num_src, .arg = arg };

   for (unsigned i = 0; i < num_src; i++)
      new.src[i] = src[i];
   if (values->count == p->value_capacity)
      add_value_slots(p);
   uint16_t *slot = value_slot(p, &new);
   if (*slot)
      return *slot - 1;
   if (values->count >= TEGRA20_NO_VALUE - 1) {
      fs_error(p, "the fragment program uses too many uniform expressions");
      return 0;
   }
   values->nodes[values->count] = new;
   *slot = ++values->count;
   return values->count - 1;
}

static unsigned
imm_value(struct fs_program *p, float f)
{
   uint32_t bits;
   memcpy(&bits, &f, sizeof(bits));
   return fs_value(p, TEGRA20_VALUE_IMM, bits, 0, NULL);
}

static float
value_imm(const struct fs_program *p, unsigned value)
{
   float f;
   memcpy(&f, &p->values.nodes[value].arg, sizeof(f));
   return f;
}

/* Immediates are kept positive; 0, 1 and 2 need no register but 31. */
struct fs_src
fs_src_of_value(struct fs_program *p, unsigned value)
{
   if (p->values.nodes[value].op == TEGRA20_VALUE_IMM) {
      const float f = value_imm(p, value);
      const float magnitude = fabsf(f);
      struct fs_src src;

      if (isnan(f) || f == 0.0f)
         return fs_zero();
      if (magnitude == 1.0f)
         src = fs_one();
      else if (magnitude == 2.0f && !(p->avoid & TEGRA20_AVOID_X2))
         src = (struct fs_src){ FS_SRC_ONE, FS_MOD_X2, 0 };
      else
         src = (struct fs_src){ FS_SRC_VALUE, 0,
                                f < 0.0f ? imm_value(p, magnitude) : value };
      return f < 0.0f ? fs_neg(src) : src;
   }
   return (struct fs_src){ FS_SRC_VALUE, 0, value };
}

struct fs_src
fs_imm(struct fs_program *p, float f)
{
   return fs_src_of_value(p, imm_value(p, f));
}

struct fs_src
fs_param(struct fs_program *p, unsigned param)
{
   return fs_src_of_value(p,
                          fs_value(p, TEGRA20_VALUE_PARAM, param, 0, NULL));
}

bool
fs_imm_value(const struct fs_program *p, struct fs_src src, float *f)
{
   if (src.kind == FS_SRC_ZERO)
      *f = 0.0f;
   else if (src.kind == FS_SRC_ONE)
      *f = 1.0f;
   else if (src.kind == FS_SRC_VALUE &&
            p->values.nodes[src.index].op == TEGRA20_VALUE_IMM)
      *f = value_imm(p, src.index);
   else
      return false;
   if (src.mods & FS_MOD_ABS)
      *f = fabsf(*f);
   if (src.mods & FS_MOD_X2)
      *f *= 2.0f;
   if (src.mods & FS_MOD_SUB1)
      *f -= 1.0f;
   if (src.mods & FS_MOD_NEG)
      *f = -*f;
   return true;
}

static unsigned
value_alu(struct fs_program *p, nir_op op, unsigned num_src,
          const uint16_t *src);

static bool
is_imm(const struct fs_program *p, unsigned value, float f)
{
   return p->values.nodes[value].op == TEGRA20_VALUE_IMM &&
          value_imm(p, value) == f;
}

/* A product or sum with one constant, "imm", or -1. */
static int
simple_binary(struct fs_program *p, nir_op op, unsigned imm, uint16_t other)
{
   if (is_imm(p, imm, op == nir_op_fmul ? 1.0f : 0.0f))
      return other;
   if (op == nir_op_fmul && is_imm(p, imm, 0.0f))
      return imm;
   if (op == nir_op_fmul && is_imm(p, imm, -1.0f))
      return value_alu(p, nir_op_fneg, 1, &other);
   return -1;
}

/* The value of an operation that need not be done, or -1.  Tables of
 * constants, as of a filter's taps, make many of them, and equal results
 * should be one value. */
static int
simple_value(struct fs_program *p, nir_op op, const uint16_t *src)
{
   int simple;

   switch (op) {
   case nir_op_fmul:
   case nir_op_fadd:
      simple = simple_binary(p, op, src[0], src[1]);
      return simple >= 0 ? simple : simple_binary(p, op, src[1], src[0]);
   case nir_op_fneg: {
      const struct tegra20_value *v = &p->values.nodes[src[0]];
      return v->op == TEGRA20_VALUE_ALU && v->arg == nir_op_fneg ? v->src[0]
                                                                 : -1;
   }
   default:
      return -1;
   }
}

static unsigned
value_alu(struct fs_program *p, nir_op op, unsigned num_src,
          const uint16_t *src)
{
   bool all_imm = true;
   nir_const_value values[3], result, *srcs[3];

   for (unsigned i = 0; i < num_src; i++) {
      all_imm &= p->values.nodes[src[i]].op == TEGRA20_VALUE_IMM;
      values[i] = nir_const_value_for_float(value_imm(p, src[i]), 32);
      srcs[i] = &values[i];
   }
   if (all_imm) {
      nir_eval_const_opcode(op, &result, 1, 32, srcs, 0);
      return imm_value(p, result.f32);
   }
   const int simple = simple_value(p, op, src);
   if (simple >= 0)
      return simple;
   return fs_value(p, TEGRA20_VALUE_ALU, op, num_src, src);
}

static bool
value_is_bounded(const struct fs_program *p, unsigned value, bool above,
                 unsigned depth)
{
   const struct tegra20_value *v = &p->values.nodes[value];

   if (depth == 0)
      return false;
   if (v->op == TEGRA20_VALUE_IMM)
      return above ? value_imm(p, value) <= 1.0f
                   : value_imm(p, value) >= 0.0f;
   if (v->op == TEGRA20_VALUE_PARAM)
      return v->arg >= TEGRA20_PARAM_BLEND_COLOR &&
             v->arg <= TEGRA20_PARAM_ALPHA_REF;
   if (v->op != TEGRA20_VALUE_ALU)
      return false;
   switch (v->arg) {
   case nir_op_fsat:
      return true;
   case nir_op_fmin:
   case nir_op_fmax: {
      const bool a = value_is_bounded(p, v->src[0], above, depth - 1),
                 b = value_is_bounded(p, v->src[1], above, depth - 1);
      return (v->arg == nir_op_fmin) == above ? a || b : a && b;
   }
   case nir_op_fmul:
      for (unsigned i = 0; i < 2; i++) {
         if (!value_is_bounded(p, v->src[i], false, depth - 1) ||
             !value_is_bounded(p, v->src[i], true, depth - 1))
            return false;
      }
      return true;
   default:
      return false;
   }
}

bool
fs_value_in_unit_range(const struct fs_program *p, unsigned value)
{
   return value_is_bounded(p, value, false, 6) &&
          value_is_bounded(p, value, true, 6);
}

/* The value node that equals a constant source with its modifiers. */
static uint16_t
value_of_src(struct fs_program *p, struct fs_src src)
{
   float f;
   if (fs_imm_value(p, src, &f))
      return imm_value(p, f);

   uint16_t v[2] = { src.index };
   if (src.mods & FS_MOD_ABS)
      v[0] = value_alu(p, nir_op_fabs, 1, v);
   if (src.mods & FS_MOD_X2) {
      v[1] = imm_value(p, 2.0f);
      v[0] = value_alu(p, nir_op_fmul, 2, v);
   }
   if (src.mods & FS_MOD_SUB1) {
      v[1] = imm_value(p, -1.0f);
      v[0] = value_alu(p, nir_op_fadd, 2, v);
   }
   if (src.mods & FS_MOD_NEG)
      v[0] = value_alu(p, nir_op_fneg, 1, v);
   return v[0];
}

/* An operation whose sources are all constants, left to the CPU. */
struct fs_src
fs_fold(struct fs_program *p, nir_op op, unsigned num_src,
        const struct fs_src *src)
{
   uint16_t values[3];
   for (unsigned i = 0; i < num_src; i++)
      values[i] = value_of_src(p, src[i]);
   return fs_src_of_value(p, value_alu(p, op, num_src, values));
}

#define FOLD1(op, a)   \
   if (fs_is_const(a)) \
   return fs_fold(p, op, 1, (struct fs_src[]){ a })
#define FOLD2(op, a, b)                  \
   if (fs_is_const(a) && fs_is_const(b)) \
   return fs_fold(p, op, 2, (struct fs_src[]){ a, b })

/* --- operations --- */

struct fs_src
fs_build_alu(struct fs_program *p, enum fs_op op, struct fs_src a,
             struct fs_src b, struct fs_src c)
{
   unsigned index;
   struct fs_node *node = fs_add_node(p, op, &index);

   node->num_srcs = 3;
   node->src[0] = a;
   node->src[1] = b;
   node->src[2] = c;
   return fs_node_src(index);
}

struct fs_src
fs_mov(struct fs_program *p, struct fs_src src)
{
   return fs_build_alu(p, FS_OP_MAD, src, fs_one(), fs_zero());
}

static bool
try_double(const struct fs_program *p, struct fs_src *src)
{
   if ((p->avoid & TEGRA20_AVOID_X2) ||
       (src->mods & (FS_MOD_X2 | FS_MOD_SUB1)))
      return false;
   src->mods |= FS_MOD_X2;
   return true;
}

/* a + 1 or a - 1 as an operand modifier, where the fixed order of the
 * modifiers allows it */
static bool
try_add_one(struct fs_src *src, bool minus)
{
   /* A48: the order of the two that a chip may have the other way round */
   if (TEGRA20_HW_IS(MODIFIER_ORDER, MINUS_TIMES) && (src->mods & FS_MOD_X2))
      return false;
   if ((src->mods & FS_MOD_SUB1) || !!(src->mods & FS_MOD_NEG) == minus)
      return false;
   src->mods |= FS_MOD_SUB1;
   return true;
}

struct fs_src
fs_add(struct fs_program *p, struct fs_src a, struct fs_src b)
{
   FOLD2(nir_op_fadd, a, b);
   if (fs_is_zero(a))
      return b;
   if (fs_is_zero(b))
      return a;
   for (unsigned i = 0; i < 2; i++) {
      if (b.kind == FS_SRC_ONE && (b.mods & ~FS_MOD_NEG) == 0 &&
          try_add_one(&a, b.mods & FS_MOD_NEG))
         return a;
      swap(&a, &b);
   }
   if (fs_src_equal(a, b) && try_double(p, &a))
      return a;
   return fs_build_alu(p, FS_OP_MAD, a, fs_one(), b);
}

/* (x * k + x) * c with constants k and c is x * ((k + 1) * c): the texel
 * n / 255 as fs_tex.c makes it of n / 256, times 255, is n without an error.
 */
static void
scale_one_and_more(struct fs_program *p, struct fs_src *a, struct fs_src *b)
{
   if (fs_is_const(*a))
      swap(a, b);
   if (!fs_is_const(*b) || a->kind != FS_SRC_NODE || (a->mods & ~FS_MOD_NEG))
      return;
   const struct fs_node *sum = &p->nodes[a->index];
   if (sum->op != FS_OP_MAD || !fs_is_plain_result(sum) ||
       sum->d != FS_D_ONE || !fs_is_const(sum->src[1]) ||
       fs_is_const(sum->src[0]) || !fs_src_equal(sum->src[0], sum->src[2]))
      return;
   const struct fs_src x = sum->src[0], k = sum->src[1];

   *a = a->mods ? fs_neg(x) : x;
   *b = fs_mul(p, fs_add(p, k, fs_one()), *b);
}

struct fs_src
fs_mul(struct fs_program *p, struct fs_src a, struct fs_src b)
{
   FOLD2(nir_op_fmul, a, b);
   if (fs_is_zero(a) || fs_is_zero(b))
      return fs_zero();
   scale_one_and_more(p, &a, &b);
   for (unsigned i = 0; i < 2; i++) {
      if (b.kind == FS_SRC_ONE && (b.mods & ~(FS_MOD_NEG | FS_MOD_X2)) == 0 &&
          (!(b.mods & FS_MOD_X2) || try_double(p, &a)))
         return b.mods & FS_MOD_NEG ? fs_neg(a) : a;
      swap(&a, &b);
   }
   return fs_build_alu(p, FS_OP_MAD, a, b, fs_zero());
}

struct fs_src
fs_mad(struct fs_program *p, struct fs_src a, struct fs_src b,
       struct fs_src c)
{
   if (fs_is_zero(c))
      return fs_mul(p, a, b);
   if (fs_is_const(a) && fs_is_const(b))
      return fs_add(p, fs_mul(p, a, b), c);
   if (fs_is_zero(a) || fs_is_zero(b))
      return c;
   if ((a.kind == FS_SRC_ONE && !(a.mods & FS_MOD_SUB1)) ||
       (b.kind == FS_SRC_ONE && !(b.mods & FS_MOD_SUB1))) {
      const unsigned before = p->num_nodes;
      const struct fs_src product = fs_mul(p, a, b);
      if (p->num_nodes == before)
         return fs_add(p, product, c);
      p->num_nodes = before;
   }
   scale_one_and_more(p, &a, &b);
   return fs_build_alu(p, FS_OP_MAD, a, b, c);
}

struct fs_src
fs_min(struct fs_program *p, struct fs_src a, struct fs_src b)
{
   FOLD2(nir_op_fmin, a, b);
   if (p->avoid & TEGRA20_AVOID_MIN_MAX)
      return fs_select_negative(p, fs_add(p, a, fs_neg(b)), a, b);
   return fs_build_alu(p, FS_OP_MIN, a, fs_one(), b);
}

struct fs_src
fs_max(struct fs_program *p, struct fs_src a, struct fs_src b)
{
   FOLD2(nir_op_fmax, a, b);
   if (fs_is_zero(a))
      swap(&a, &b);
   if (fs_is_zero(b))
      return fs_select_negative(p, a, fs_zero(), a);
   if (p->avoid & TEGRA20_AVOID_MIN_MAX)
      return fs_select_negative(p, fs_add(p, a, fs_neg(b)), b, a);
   return fs_build_alu(p, FS_OP_MAX, a, fs_one(), b);
}

struct fs_src
fs_abs(struct fs_program *p, struct fs_src a)
{
   FOLD1(nir_op_fabs, a);
   if (a.mods & (FS_MOD_SUB1))
      a = fs_mov(p, a);
   a.mods = (a.mods & ~FS_MOD_NEG) | FS_MOD_ABS; /* |2x| = 2|x| */
   return a;
}

struct fs_src
fs_sat(struct fs_program *p, struct fs_src a)
{
   FOLD1(nir_op_fsat, a);
   const struct fs_src result = fs_mov(p, a);
   p->nodes[result.index].sat = true;
   return result;
}

struct fs_src
fs_lerp(struct fs_program *p, struct fs_src a, struct fs_src b,
        struct fs_src t)
{
   if (fs_is_const(a) && fs_is_const(b) && fs_is_const(t))
      return fs_fold(p, nir_op_flrp, 3, (struct fs_src[]){ a, b, t });
   float from, to;
   if (fs_imm_value(p, a, &from) && fs_imm_value(p, b, &to))
      return fs_mad(p, t, fs_imm(p, to - from), a);
   if (fs_is_zero(a))
      return fs_mul(p, b, t);
   if (fs_is_zero(b))
      return fs_mul(p, a, fs_not(p, t));
   /* b*t + (-a)*(t - 1): D reads the register of t again
    * (fragment-pipeline.md 3.11) */
   if (!(p->avoid & TEGRA20_AVOID_D) && !(t.mods & ~FS_MOD_ABS) &&
       t.kind != FS_SRC_ZERO && t.kind != FS_SRC_ONE) {
      const struct fs_src result =
         fs_build_alu(p, FS_OP_MAD, b, t, fs_neg(a));
      p->nodes[result.index].d = FS_D_B;
      p->nodes[result.index].d_mods = (t.mods & FS_MOD_ABS) | FS_MOD_SUB1;
      return result;
   }
   /* (t - 1) * (-a) + b*t keeps the modifiers of t */
   const struct fs_src product = fs_mul(p, b, t);
   return fs_mad(p, fs_not(p, t), a, product);
}

static struct fs_src
test(struct fs_program *p, struct fs_src difference, unsigned cond)
{
   const struct fs_src result = fs_mov(p, difference);
   p->nodes[result.index].cond = cond;
   return result;
}

/* a - b, tested; the subtraction and the test are one operation */
static struct fs_src
compare(struct fs_program *p, struct fs_src a, struct fs_src b, unsigned cond)
{
   const unsigned before = p->num_nodes;
   struct fs_src difference = fs_add(p, a, fs_neg(b));

   if (p->num_nodes == before)
      return test(p, difference, cond);
   p->nodes[difference.index].cond = cond;
   return difference;
}

/* The sign of a constant whose magnitude is below the range of fp20, else 0
 * (fragment-pipeline.md 2.1). */
static int
vanishing_sign(const struct fs_program *p, struct fs_src src)
{
   float f;
   if (!fs_imm_value(p, src, &f) || f == 0.0f || fabsf(f) >= 0x1p-31f)
      return 0;
   return f > 0.0f ? 1 : -1;
}

struct fs_src
fs_less(struct fs_program *p, struct fs_src a, struct fs_src b)
{
   FOLD2(nir_op_slt, a, b);
   /* the constant becomes 0: x < tiny is x <= 0, -tiny < x is x >= 0 */
   if (vanishing_sign(p, b) > 0)
      return fs_greater_equal(p, fs_zero(), a);
   if (vanishing_sign(p, a) < 0)
      return fs_greater_equal(p, b, fs_zero());
   return compare(p, b, a, FS_COND_GT);
}

struct fs_src
fs_greater_equal(struct fs_program *p, struct fs_src a, struct fs_src b)
{
   FOLD2(nir_op_sge, a, b);
   if (vanishing_sign(p, b) > 0)
      return fs_less(p, fs_zero(), a);
   if (vanishing_sign(p, a) < 0)
      return fs_less(p, b, fs_zero());
   if (p->avoid & TEGRA20_AVOID_COND_GE)
      return fs_not(p, fs_less(p, a, b));
   return compare(p, a, b, FS_COND_GE);
}

static bool
is_flag(const struct fs_program *p, struct fs_src src)
{
   return src.kind == FS_SRC_NODE && src.mods == 0 &&
          p->nodes[src.index].cond != FS_COND_NONE;
}

struct fs_src
fs_equal(struct fs_program *p, struct fs_src a, struct fs_src b)
{
   FOLD2(nir_op_seq, a, b);
   /* comparisons of a flag with 0 are how NIR negates */
   if (fs_is_zero(b) && is_flag(p, a))
      return fs_not(p, a);
   if (fs_is_zero(a) && is_flag(p, b))
      return fs_not(p, b);
   return compare(p, a, b, FS_COND_EQ);
}

struct fs_src
fs_not(struct fs_program *p, struct fs_src a)
{
   return fs_add(p, fs_one(), fs_neg(a));
}

/* test < 0 ? x : y */
struct fs_src
fs_select_negative(struct fs_program *p, struct fs_src test_src,
                   struct fs_src x, struct fs_src y)
{
   float f;
   if (fs_imm_value(p, test_src, &f))
      return f < 0.0f ? x : y;
   if (fs_src_equal(x, y))
      return x;
   if (fs_is_const(test_src) && fs_is_const(x) && fs_is_const(y))
      return fs_fold(p, nir_op_fcsel_gt, 3,
                     (struct fs_src[]){ fs_neg(test_src), x, y });
   return fs_build_alu(p, FS_OP_CSEL, test_src, x, y);
}

/*
 * flag != 0 ? x : y.  A flag that is itself a comparison of one operand with
 * zero is not needed: the select tests the sign of that operand.
 */
struct fs_src
fs_select(struct fs_program *p, struct fs_src flag, struct fs_src x,
          struct fs_src y)
{
   if (flag.kind == FS_SRC_NODE &&
       (flag.mods == 0 || flag.mods == (FS_MOD_SUB1 | FS_MOD_NEG))) {
      const struct fs_node *node = &p->nodes[flag.index];
      if (flag.mods)
         swap(&x, &y); /* 1 - flag */
      if (node->op == FS_OP_MAD && fs_is_one(node->src[1]) &&
          fs_is_zero(node->src[2]) && !node->sat) {
         if (node->cond == FS_COND_GT)
            return fs_select_negative(p, fs_neg(node->src[0]), x, y);
         if (node->cond == FS_COND_GE)
            return fs_select_negative(p, node->src[0], y, x);
      }
      if (node->cond != FS_COND_NONE)
         return fs_select_negative(p, fs_neg(fs_node_src(flag.index)), x, y);
      if (flag.mods)
         swap(&x, &y);
   }
   return fs_select_negative(p, fs_neg(fs_abs(p, flag)), x, y);
}

struct fs_src
fs_plain(struct fs_program *p, struct fs_src src)
{
   if (src.kind == FS_SRC_NODE && src.mods == 0)
      return src;
   return fs_mov(p, src);
}

struct fs_src
fs_sfu(struct fs_program *p, enum fs_sfu function, struct fs_src a)
{
   const struct fs_src arg = fs_plain(p, a);
   unsigned index;
   struct fs_node *node = fs_add_node(p, FS_OP_SFU, &index);

   node->sfu = function;
   node->num_srcs = 1;
   node->src[0] = arg;
   return fs_node_src(index);
}

struct fs_src
fs_rcp(struct fs_program *p, struct fs_src a)
{
   FOLD1(nir_op_frcp, a);
   return fs_sfu(p, FS_SFU_RCP, a);
}

struct fs_src
fs_log2(struct fs_program *p, struct fs_src a)
{
   FOLD1(nir_op_flog2, a);
   return fs_sfu(p, FS_SFU_LG2, a);
}

struct fs_src
fs_floor(struct fs_program *p, struct fs_src a)
{
   FOLD1(nir_op_ffloor, a);
   return fs_add(p, a, fs_neg(fs_sfu(p, FS_SFU_FRC, a)));
}

struct fs_src
fs_interp(struct fs_program *p, unsigned slot, unsigned comp, bool flat,
          bool lowp)
{
   for (unsigned i = 0; i < p->num_nodes; i++) {
      const struct fs_node *node = &p->nodes[i];
      if (node->op == FS_OP_INTERP && node->slot[0] == slot &&
          node->comp[0] == comp && node->flat == flat)
         return fs_node_src(i);
   }
   unsigned index;
   struct fs_node *node = fs_add_node(p, FS_OP_INTERP, &index);
   node->slot[0] = slot;
   node->comp[0] = comp;
   node->flat = flat;
   node->lowp = lowp;
   return fs_node_src(index);
}

struct fs_src
fs_part(struct fs_program *p, unsigned parent, unsigned part)
{
   for (unsigned i = parent + 1; i < p->num_nodes; i++) {
      const struct fs_node *node = &p->nodes[i];
      if (node->op == FS_OP_PART && node->part == part &&
          node->src[0].index == parent)
         return fs_node_src(i);
   }
   unsigned index;
   struct fs_node *node = fs_add_node(p, FS_OP_PART, &index);
   node->part = part;
   node->format = FS_FX10;
   node->num_srcs = 1;
   node->src[0] = fs_node_src(parent);
   return fs_node_src(index);
}

/* 0 or 1 for certain: a comparison, or flags combined by NIR's "and" and "or"
 */
static bool
is_boolean(const struct fs_program *p, struct fs_src src, unsigned depth)
{
   if (src.kind != FS_SRC_NODE || src.mods || depth == 0)
      return false;
   const struct fs_node *node = &p->nodes[src.index];
   if (node->cond)
      return true;
   if (node->d != FS_D_ONE || node->sat || node->scale)
      return false;
   if (node->op == FS_OP_MAX)
      return fs_is_one(node->src[1]) &&
             is_boolean(p, node->src[0], depth - 1) &&
             is_boolean(p, node->src[2], depth - 1);
   return node->op == FS_OP_MAD && fs_is_zero(node->src[2]) &&
          is_boolean(p, node->src[0], depth - 1) &&
          is_boolean(p, node->src[1], depth - 1);
}

/* a > 0 where a is max(x, y) or -min(x, y): two kills do without the maximum.
 * NIR makes one comparison of two. */
static bool
kill_both(struct fs_program *p, const struct fs_node *test)
{
   const struct fs_src a = test->src[0];

   if (test->op != FS_OP_MAD || test->cond != FS_COND_GT ||
       !fs_is_one(test->src[1]) || test->d != FS_D_ONE || test->sat ||
       test->scale || a.kind != FS_SRC_NODE || (a.mods & FS_MOD_ABS))
      return false;
   const struct fs_node extreme = p->nodes[a.index];
   if (extreme.op != (a.mods & FS_MOD_NEG ? FS_OP_MIN : FS_OP_MAX) ||
       !fs_is_one(extreme.src[1]) || extreme.cond || extreme.sat ||
       extreme.scale || extreme.d != FS_D_ONE || extreme.src[0].mods ||
       extreme.src[2].mods)
      return false;
   for (unsigned i = 0; i < 4; i += 2) {
      struct fs_src x = extreme.src[i];
      x.mods = a.mods;
      const struct fs_src part =
         fs_build_alu(p, FS_OP_MAD, x, fs_one(), test->src[2]);
      p->nodes[part.index].cond = FS_COND_GT;
      fs_kill_if(p, part);
   }
   return true;
}

/*
 * Several kills are as good as one with an "or": the chip combines them
 * (fragment-pipeline.md 3.8), and they can share a packet.
 */
void
fs_kill_if(struct fs_program *p, struct fs_src flag)
{
   if (fs_is_zero(flag))
      return;
   if (flag.kind == FS_SRC_NODE &&
       (flag.mods == 0 || flag.mods == (FS_MOD_SUB1 | FS_MOD_NEG)) &&
       is_boolean(p, fs_node_src(flag.index), 8)) {
      const struct fs_node node = p->nodes[flag.index];
      if (flag.mods == 0 && kill_both(p, &node))
         return;
      if (node.op == FS_OP_MAX && flag.mods == 0 && !node.cond) {
         fs_kill_if(p, node.src[0]);
         fs_kill_if(p, node.src[2]);
         return;
      }
      if (node.op == FS_OP_MAD && flag.mods && !node.cond) {
         /* not (a and b) */
         fs_kill_if(p, fs_not(p, node.src[0]));
         fs_kill_if(p, fs_not(p, node.src[1]));
         return;
      }
   }
   p->kills = true;
   const struct fs_src kill = fs_mov(p, flag); /* may move the nodes */
   p->nodes[kill.index].kill = true;
}
