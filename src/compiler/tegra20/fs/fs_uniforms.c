/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Constants to uniform registers.  A uniform register costs nothing to read;
 * a packet with embedded constants has three of them and three units.  So
 * values go to the 32 registers in the order of their savings, literals
 * included, and only the others are embedded (and patched at draw time when
 * it depends on uniforms; assumption A52).  An operation with one embedded
 * constant takes a third of a packet, one with two a whole one or, as two
 * operations, two thirds, one without a quarter: it is better to help many
 * operations with several constants out of one than a few out of all.  A sum
 * on the accumulation chain needs the fourth unit itself: its constants come
 * first, and where they get no register all the same, the sum becomes a chain
 * of operations.
 *
 * Where all operations wait for each other, four at a time, such as in steps
 * of vectors, a packet that lacks a unit is not filled up by others: the
 * constant of one of them costs a whole packet.
 *
 * So n operations with a constant of their own each take 8 + (n - 32) / 3
 * packets, 200 fit.  Carrying constants as varyings would let another 60 of
 * them be read by the fourth unit, at the cost of vertex outputs and MFU
 * instructions: 215 instead of 200 operations.  It is not done.
 */

#include <math.h>

#include "fs.h"

/* 0 or 1 for certain: a comparison, or several of them combined. */
static bool
is_flag(const struct fs_program *p, unsigned value, unsigned depth)
{
   const struct tegra20_value *v = &p->values.nodes[value];
   float f;

   if (v->op == TEGRA20_VALUE_IMM)
      return fs_imm_value(p, (struct fs_src){ FS_SRC_VALUE, 0, value }, &f) &&
             (f == 0.0f || f == 1.0f);
   if (v->op != TEGRA20_VALUE_ALU)
      return false;
   switch (v->arg) {
   case nir_op_slt:
   case nir_op_sge:
   case nir_op_seq:
   case nir_op_sne:
      return true;
   case nir_op_fmul:
   case nir_op_fmin:
   case nir_op_fmax:
      return depth > 0 && is_flag(p, v->src[0], depth - 1) &&
             is_flag(p, v->src[1], depth - 1);
   default:
      return false;
   }
}

static void
place(struct fs_program *p, unsigned value, enum fs_format format)
{
   struct fs_const_place *where = &p->const_places[value];

   where->format = format;
   if (format == FS_FX10) {
      for (unsigned u = 0; u < p->num_uniforms; u++) {
         if (p->uniforms[u].format == TEGRA20_FS_FX10 &&
             p->uniforms[u].value[1] == TEGRA20_NO_VALUE) {
            p->uniforms[u].value[1] = value;
            where->reg = FS_REG_UNIFORM0 + u;
            where->half = 1;
            return;
         }
      }
   }
   if (p->num_uniforms == TEGRA20_FS_MAX_UNIFORMS)
      return; /* embedded */
   p->uniforms[p->num_uniforms] = (struct tegra20_fs_const){
      .format = format == FS_FX10 ? TEGRA20_FS_FX10 : TEGRA20_FS_FP20,
      .value = { value, TEGRA20_NO_VALUE },
   };
   where->reg = FS_REG_UNIFORM0 + p->num_uniforms++;
}

/* --- operations with too many constants --- */

static bool
is_embedded(const struct fs_program *p, struct fs_src src)
{
   return src.kind == FS_SRC_VALUE && !p->const_places[src.index].reg;
}

static bool
has_embedded(const struct fs_program *p, const struct fs_node *node)
{
   for (unsigned s = 0; s < node->num_srcs; s++) {
      if (is_embedded(p, node->src[s]))
         return true;
   }
   return false;
}

/* The sum as multiplications and additions one after the other; the last one
 * is the node itself. */
static void
add_chain(struct fs_program *p, struct fs_node sum)
{
   const unsigned terms = sum.num_srcs / 2;
   struct fs_src before = fs_zero();
   unsigned first = 0, index;

   /* a term that is no product begins the chain */
   for (unsigned i = 0; i < terms && before.kind == FS_SRC_ZERO; i++) {
      if (fs_is_one(sum.src[2 * i + 1])) {
         before = sum.src[2 * i];
         sum.src[2 * i] = sum.src[0];
         sum.src[2 * i + 1] = sum.src[1];
         first = 1;
      }
   }
   for (unsigned i = first; i < terms; i++) {
      const struct fs_src a = sum.src[2 * i], b = sum.src[2 * i + 1];
      struct fs_node node = { .op = FS_OP_MAD, .format = FS_FP20 };

      fs_add_node(p, FS_OP_MAD, &index);
      if (i == terms - 1) {
         node = sum;
         node.op = FS_OP_MAD;
      }
      node.num_srcs = 3;
      node.src[0] = a;
      node.src[1] = b;
      node.src[2] = before;
      p->nodes[index] = node;
      before = fs_node_src(index);
   }
}

/* A product with one embedded constant, and another one beside it. */
static bool
is_pair(const struct fs_program *p, const struct fs_node *node)
{
   if (node->op > FS_OP_MAX || node->d != FS_D_ONE ||
       !is_embedded(p, node->src[2]))
      return false;
   for (unsigned s = 0; s < 2; s++) {
      if (is_embedded(p, node->src[s]) &&
          node->src[s].index != node->src[2].index)
         return true;
   }
   return false;
}

/* The product and its modifiers, in their order. */
static void
add_separately(struct fs_program *p, const struct fs_node *node)
{
   const struct fs_src product =
      fs_build_alu(p, FS_OP_MAD, node->src[0], node->src[1], fs_zero());
   unsigned index;

   fs_add_node(p, node->op, &index);
   p->nodes[index] = *node;
   p->nodes[index].src[0] = product;
   p->nodes[index].src[1] = fs_one();
}

/* Sums with embedded constants become chains, and operations with two of them
 * become two where FS_CHOICE_CONSTS says so. */
static void
split_operations(struct fs_program *p)
{
   const unsigned count = p->num_nodes;
   const struct fs_node *old = p->nodes;
   uint16_t *map = ralloc_array(p, uint16_t, MAX2(count, 1));
   bool *apart = rzalloc_array(p, bool, MAX2(count, 1)), any = false;

   for (unsigned i = 0; i < count; i++) {
      apart[i] =
         old[i].op == FS_OP_ACC
            ? has_embedded(p, &old[i])
            : is_pair(p, &old[i]) && fs_choice(p, FS_CHOICE_CONSTS, i);
      any |= apart[i];
   }
   p->nodes = any ? NULL : p->nodes;
   p->num_nodes = p->capacity = any ? 0 : p->num_nodes;
   for (unsigned i = 0; any && i < count; i++) {
      struct fs_node node = old[i];
      unsigned index;

      for (unsigned s = 0; s < node.num_srcs; s++) {
         if (node.src[s].kind == FS_SRC_NODE)
            node.src[s].index = map[node.src[s].index];
      }
      if (apart[i] && node.op == FS_OP_ACC) {
         add_chain(p, node);
      } else if (apart[i]) {
         add_separately(p, &node);
      } else {
         fs_add_node(p, node.op, &index);
         p->nodes[index] = node;
      }
      map[i] = p->num_nodes - 1;
   }
   if (any)
      ralloc_free((void *)old);
   ralloc_free(apart);
   ralloc_free(map);
}

/* --- allocation of uniform registers --- */

/* Different values among the sources of a node that have no register. */
static unsigned
embedded_values(const struct fs_node *node, const bool *placed)
{
   unsigned count = 0;

   for (unsigned s = 0; s < node->num_srcs; s++) {
      bool counts =
         node->src[s].kind == FS_SRC_VALUE && !placed[node->src[s].index];
      for (unsigned t = 0; t < s; t++)
         counts &= node->src[t].kind != FS_SRC_VALUE ||
                   node->src[t].index != node->src[s].index;
      count += counts;
   }
   return count;
}

/* Twelfths of a packet that the node saves when one of its constants gets a
 * register. */
static unsigned
saving(const struct fs_node *node, const bool *placed)
{
   if (node->op == FS_OP_ACC)
      return 12 * FS_MAX_NODES;
   return embedded_values(node, placed) > 1 ? 4 : 1;
}

static void
add_savings(const struct fs_node *node, const bool *placed, int sign,
            int *savings)
{
   const int amount = sign * (int)saving(node, placed);

   for (unsigned s = 0; s < node->num_srcs; s++) {
      if (node->src[s].kind == FS_SRC_VALUE)
         savings[node->src[s].index] += amount;
   }
}

/* --- operations that wait for each other --- */

/* The step of each operation on one of the critical paths of the program,
 * counted from 1 on; 0 for the others.  Returns the number of steps. */
static unsigned
find_critical_paths(const struct fs_program *p, uint16_t *step)
{
   uint16_t *behind = rzalloc_array((void *)p, uint16_t, p->num_nodes + 1);
   unsigned longest = 0;

   for (unsigned i = 0; i < p->num_nodes; i++) {
      const struct fs_node *node = &p->nodes[i];
      for (unsigned s = 0; s < node->num_srcs; s++) {
         if (node->src[s].kind == FS_SRC_NODE)
            step[i] = MAX2(step[i], step[node->src[s].index]);
      }
      step[i] += fs_op_is_alu(node->op);
      longest = MAX2(longest, step[i]);
   }
   for (unsigned i = p->num_nodes; i-- > 0;) {
      const struct fs_node *node = &p->nodes[i];
      const unsigned path = behind[i] + fs_op_is_alu(node->op);
      for (unsigned s = 0; s < node->num_srcs; s++) {
         if (node->src[s].kind == FS_SRC_NODE)
            behind[node->src[s].index] =
               MAX2(behind[node->src[s].index], path);
      }
      if (!fs_op_is_alu(node->op) || step[i] + behind[i] < longest)
         step[i] = 0;
   }
   ralloc_free(behind);
   return longest;
}

/* Packets of so many units, when that many of them read an embedded constant.
 */
static unsigned
packets_of(unsigned units, unsigned embedding)
{
   return DIV_ROUND_UP(units + DIV_ROUND_UP(embedding, 3), 4);
}

/* Savings of a value where its users are all operations of a step of the
 * critical paths. */
static void
add_waits(const struct fs_program *p, int *savings)
{
   uint16_t *step = rzalloc_array((void *)p, uint16_t, p->num_nodes + 1);
   const unsigned steps = find_critical_paths(p, step) + 1,
                  values = p->values.count;
   uint16_t *units = rzalloc_array(step, uint16_t, steps),
            *readers = rzalloc_array(step, uint16_t, steps * values);

   for (unsigned i = 0; i < p->num_nodes; i++) {
      const struct fs_node *node = &p->nodes[i];
      units[step[i]] += fs_op_units(node);
      for (unsigned s = 0; s < node->num_srcs; s++) {
         if (node->src[s].kind == FS_SRC_VALUE)
            readers[step[i] * values + node->src[s].index]++;
      }
   }
   for (unsigned i = 1; i < steps; i++) {
      for (unsigned v = 0; v < values; v++) {
         const unsigned embedding = readers[i * values + v];

         if (embedding)
            savings[v] += 12 * (packets_of(units[i], embedding) -
                                packets_of(units[i], 0));
      }
   }
   ralloc_free(step);
}

/* Values that a register saves something for. */
static unsigned
count_wanted(const struct fs_program *p, const int *savings)
{
   unsigned count = 0;

   for (unsigned v = 0; v < p->values.count; v++)
      count += savings[v] > 0;
   return count;
}

/* The nodes that read each value. */
struct readers {
   unsigned *first; /* per value: its first reader; behind the last value the
                       number of all */
   uint16_t *nodes;
};

/* Source s is a value that no source before it is. */
static bool
is_first_read(const struct fs_node *node, unsigned s)
{
   if (node->src[s].kind != FS_SRC_VALUE)
      return false;
   for (unsigned t = 0; t < s; t++) {
      if (node->src[t].kind == FS_SRC_VALUE &&
          node->src[t].index == node->src[s].index)
         return false;
   }
   return true;
}

static struct readers
find_readers(struct fs_program *p)
{
   const unsigned values = p->values.count;
   struct readers readers = { .first =
                                 rzalloc_array(p, unsigned, values + 1) };

   for (unsigned i = 0; i < p->num_nodes; i++) {
      const struct fs_node *node = &p->nodes[i];
      for (unsigned s = 0; s < node->num_srcs; s++) {
         if (is_first_read(node, s))
            readers.first[node->src[s].index]++;
      }
   }
   for (unsigned v = 1; v <= values; v++)
      readers.first[v] += readers.first[v - 1];
   readers.nodes =
      ralloc_array(readers.first, uint16_t, MAX2(readers.first[values], 1));
   for (unsigned i = p->num_nodes; i-- > 0;) {
      const struct fs_node *node = &p->nodes[i];
      for (unsigned s = 0; s < node->num_srcs; s++) {
         if (is_first_read(node, s))
            readers.nodes[--readers.first[node->src[s].index]] = i;
      }
   }
   return readers;
}

/* The node asks whether the value equals a texel. */
static bool
compares_texel(const struct fs_program *p, const struct fs_node *node,
               unsigned value)
{
   const struct fs_src texel = node->src[0];

   return node->op == FS_OP_MAD && node->cond == FS_COND_EQ &&
          texel.kind == FS_SRC_NODE &&
          p->nodes[texel.index].op == FS_OP_PART &&
          p->nodes[p->nodes[texel.index].src[0].index].op == FS_OP_TEX &&
          fs_is_one(node->src[1]) && node->src[2].kind == FS_SRC_VALUE &&
          node->src[2].index == value;
}

/* Halves are understood by every operand, but they must not change the
 * number; but where all want to know whether a texel equals it, it has to be
 * rounded as texels are, once: with the 13 bits of fp20 128/255 lies in the
 * middle between two of them. */
static enum fs_format
const_format(const struct fs_program *p, const struct readers *readers,
             unsigned value)
{
   float f;
   const struct fs_src src = { FS_SRC_VALUE, 0, value };
   bool texel = readers->first[value] < readers->first[value + 1];

   if (p->avoid & TEGRA20_AVOID_FX10_CONST)
      return FS_FP20;
   for (unsigned r = readers->first[value]; r < readers->first[value + 1];
        r++)
      texel &= compares_texel(p, &p->nodes[readers->nodes[r]], value);
   if ((fs_imm_value(p, src, &f) && fabsf(f) < 2.0f &&
        f * 256.0f == rintf(f * 256.0f)) ||
       is_flag(p, value, 4) || texel)
      return FS_FX10;
   return FS_FP20;
}

/* Savings change because a value has got a register. */
static void
note_placed(const struct fs_program *p, const struct readers *readers,
            unsigned value, bool *placed, int *savings)
{
   const unsigned first = readers->first[value],
                  end = readers->first[value + 1];

   for (unsigned r = first; r < end; r++)
      add_savings(&p->nodes[readers->nodes[r]], placed, -1, savings);
   placed[value] = true;
   for (unsigned r = first; r < end; r++)
      add_savings(&p->nodes[readers->nodes[r]], placed, 1, savings);
}

void
fs_assign_uniforms(struct fs_program *p)
{
   const unsigned count = MAX2(p->values.count, 1);
   int *savings = rzalloc_array(p, int, count);
   bool *placed = rzalloc_array(p, bool, count);

   p->const_places = rzalloc_array(p, struct fs_const_place, count);
   p->num_uniforms = 0;
   for (unsigned i = 0; i < p->num_nodes; i++)
      add_savings(&p->nodes[i], placed, 1, savings);
   if (count_wanted(p, savings) > TEGRA20_FS_MAX_UNIFORMS)
      add_waits(p, savings);
   const struct readers readers = find_readers(p);
   while (true) {
      unsigned best = 0;
      for (unsigned v = 1; v < p->values.count; v++) {
         if (!placed[v] && (placed[best] || savings[v] > savings[best]))
            best = v;
      }
      if (placed[best] || savings[best] == 0)
         break;
      place(p, best, const_format(p, &readers, best));
      note_placed(p, &readers, best, placed, savings);
   }
   ralloc_free(readers.first);
   ralloc_free(savings);
   ralloc_free(placed);
   split_operations(p);
}
