/*
 * SPDX-License-Identifier: MIT
 *
 * Constants to uniform registers.  A uniform register costs nothing to read; a constant embedded in a packet costs the
 * fourth unit.  So values go to the 32 registers in the order of their number of uses, literals included, and only what is
 * left over is embedded (and patched at draw time when it depends on uniforms; assumption A52).  A sum on the accumulation
 * chain needs the fourth unit itself: its constants come first, and where they get no register all the same, the sum becomes
 * a chain of operations.
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
      return fs_imm_value(p, (struct fs_src){FS_SRC_VALUE, 0, value}, &f) && (f == 0.0f || f == 1.0f);
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
      return depth > 0 && is_flag(p, v->src[0], depth - 1) && is_flag(p, v->src[1], depth - 1);
   default:
      return false;
   }
}

static enum fs_format
const_format(const struct fs_program *p, unsigned value)
{
   float f;
   const struct fs_src src = {FS_SRC_VALUE, 0, value};

   /* halves are understood by every operand, but they must not change the number */
   if (tegra20_fs_avoid & FS_AVOID_FX10_CONST)
      return FS_FP20;
   if ((fs_imm_value(p, src, &f) && fabsf(f) < 2.0f && f * 256.0f == rintf(f * 256.0f)) || is_flag(p, value, 4))
      return FS_FX10;
   return FS_FP20;
}

static void
place(struct fs_program *p, unsigned value, enum fs_format format)
{
   struct fs_const_place *where = &p->const_places[value];

   where->format = format;
   if (format == FS_FX10) {
      for (unsigned u = 0; u < p->num_uniforms; u++) {
         if (p->uniforms[u].format == TEGRA20_FS_FX10 && p->uniforms[u].value[1] == TEGRA20_NO_VALUE) {
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
      .value = {value, TEGRA20_NO_VALUE},
   };
   where->reg = FS_REG_UNIFORM0 + p->num_uniforms++;
}

/* --- sums ------------------------------------------------------------------------------------------------------------ */

static bool
has_embedded(const struct fs_program *p, const struct fs_node *node)
{
   for (unsigned s = 0; s < node->num_srcs; s++) {
      if (node->src[s].kind == FS_SRC_VALUE && !p->const_places[node->src[s].index].reg)
         return true;
   }
   return false;
}

/* The sum as multiplications and additions one after the other; the last one is the node itself. */
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
      struct fs_node node = {.op = FS_OP_MAD, .format = FS_FP20};

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

static void
split_sums(struct fs_program *p)
{
   const unsigned count = p->num_nodes;
   const struct fs_node *old = p->nodes;
   uint16_t *map = ralloc_array(p, uint16_t, MAX2(count, 1));
   bool any = false;

   for (unsigned i = 0; i < count; i++)
      any |= old[i].op == FS_OP_ACC && has_embedded(p, &old[i]);
   p->nodes = any ? NULL : p->nodes;
   p->num_nodes = p->capacity = any ? 0 : p->num_nodes;
   for (unsigned i = 0; any && i < count; i++) {
      struct fs_node node = old[i];
      unsigned index;

      for (unsigned s = 0; s < node.num_srcs; s++) {
         if (node.src[s].kind == FS_SRC_NODE)
            node.src[s].index = map[node.src[s].index];
      }
      if (node.op == FS_OP_ACC && has_embedded(p, &node)) {
         add_chain(p, node);
      } else {
         fs_add_node(p, node.op, &index);
         p->nodes[index] = node;
      }
      map[i] = p->num_nodes - 1;
   }
   if (any)
      ralloc_free((void *)old);
   ralloc_free(map);
}

void
fs_assign_uniforms(struct fs_program *p)
{
   const unsigned count = p->values.count;
   uint32_t *uses = rzalloc_array(p, uint32_t, MAX2(count, 1));

   p->const_places = rzalloc_array(p, struct fs_const_place, MAX2(count, 1));
   p->num_uniforms = 0;
   for (unsigned i = 0; i < p->num_nodes; i++) {
      for (unsigned s = 0; s < p->nodes[i].num_srcs; s++) {
         if (p->nodes[i].src[s].kind == FS_SRC_VALUE)
            uses[p->nodes[i].src[s].index] += p->nodes[i].op == FS_OP_ACC ? FS_MAX_NODES : 1;
      }
   }
   while (true) {
      unsigned best = 0;
      for (unsigned v = 1; v < count; v++) {
         if (uses[v] > uses[best])
            best = v;
      }
      if (count == 0 || uses[best] == 0)
         break;
      place(p, best, const_format(p, best));
      uses[best] = 0;
   }
   ralloc_free(uses);
   split_sums(p);
}
