/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Consistency of the nodes between passes.  A violation is a bug of the
 * compiler: the program is refused, with the pass and the node named, instead
 * of being drawn wrongly.
 */

#include <stdlib.h>

#include "fs.h"

struct validator {
   struct fs_program *p;
   const char *pass;
   unsigned index;
   const struct fs_node *node;
};

static void
check(struct validator *v, bool holds, const char *rule)
{
   char *text = NULL;
   size_t size;

   if (holds || v->p->error)
      return;
   FILE *fp = open_memstream(&text, &size);
   fs_print_node(fp, v->p, v->index);
   fclose(fp);
   fs_error(v->p, "internal error of the fragment compiler after %s: %s: %s",
            v->pass, rule, text);
   v->p->is_broken = true;
   free(text);
}

static bool
is_effect(const struct fs_node *node)
{
   return node->op == FS_OP_STORE || node->op == FS_OP_STENCIL || node->kill;
}

static void
check_node_source(struct validator *v, unsigned index)
{
   const struct fs_node *from = &v->p->nodes[index];

   check(v, index < v->index, "an operand that comes later");
   if (v->p->error)
      return;
   check(v, !is_effect(from), "an operand without a result");
   check(v, fs_op_has_parts(from) == (v->node->op == FS_OP_PART),
         "several results are read by their parts");
}

static void
check_source(struct validator *v, struct fs_src src)
{
   const bool on_alu = fs_op_is_alu(v->node->op);

   if (src.kind == FS_SRC_NODE)
      check_node_source(v, src.index);
   check(v, src.kind != FS_SRC_VALUE || src.index < v->p->values.count,
         "a value that does not exist");
   check(v, src.kind != FS_SRC_NONE || v->node->op == FS_OP_TEX,
         "an operand is missing");
   check(v, src.mods < 2 * FS_MOD_NEG, "an unknown modifier");
   check(v, on_alu || !src.mods || !v->p->is_legal,
         "only the ALU has modifiers");
}

/* Operands of units other than the ALU: fs_legalize.c. */
static void
check_legal(struct validator *v)
{
   const struct fs_node *node = v->node;
   const enum fs_format format = node->op == FS_OP_STORE ? FS_FX10 : FS_FP20;

   if (fs_op_is_alu(node->op) || node->op == FS_OP_PART)
      return;
   for (unsigned s = 0; s < node->num_srcs && !v->p->error; s++) {
      const struct fs_src src = node->src[s];

      if (src.kind != FS_SRC_NONE)
         check(v,
               src.kind == FS_SRC_NODE &&
                  v->p->nodes[src.index].format == format,
               "an operand that the unit cannot read");
   }
}

static void
check_result(struct validator *v)
{
   const struct fs_node *node = v->node;
   const bool on_alu = fs_op_is_alu(node->op);

   check(v, node->scale <= FS_SCALE_HALF && node->cond <= FS_COND_GE,
         "an unknown modifier of the result");
   check(v,
         on_alu || (!node->scale && !node->sat && !node->cond && !node->kill),
         "only the ALU changes its results");
   check(v, node->d == FS_D_ONE || (on_alu && node->op != FS_OP_ACC),
         "operand D outside of the ALU");
}

static void
check_high_half(struct validator *v, struct fs_src high)
{
   check(v,
         high.kind == FS_SRC_NODE && !high.mods &&
            fs_op_is_alu(v->p->nodes[high.index].op) &&
            v->p->nodes[high.index].format == FS_FX10,
         "a high half that no operation writes");
}

static void
check_node(struct validator *v)
{
   const struct fs_op_info *info = &fs_op_infos[v->node->op];

   check(v,
         v->node->num_srcs >= info->min_srcs &&
            v->node->num_srcs <= info->max_srcs,
         "the number of operands");
   for (unsigned s = 0; s < v->node->num_srcs && !v->p->error; s++)
      check_source(v, v->node->src[s]);
   if (v->node->op == FS_OP_LOW && !v->p->error)
      check_high_half(v, v->node->src[FS_HIGH_HALF]);
   check_result(v);
   check(v, !v->node->rounds || v->node->format == FS_FX10,
         "rounding to fp20");
   if (v->node->op == FS_OP_PART && !v->p->error) {
      check(v, v->node->src[0].kind == FS_SRC_NODE && !v->node->src[0].mods,
            "a part of nothing");
      check(v, v->node->part < 4, "there are four parts");
   }
   if (v->p->is_legal && !v->p->error)
      check_legal(v);
}

void
fs_validate_ir(struct fs_program *p, const char *pass)
{
   for (unsigned i = 0; i < p->num_nodes && !p->error; i++) {
      struct validator v = { p, pass, i, &p->nodes[i] };

      check_node(&v);
   }
}
