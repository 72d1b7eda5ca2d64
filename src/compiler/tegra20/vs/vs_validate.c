/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Consistency of the IR between passes.  A violation is a bug of the
 * compiler: the program is refused, with the pass and the operation named,
 * instead of being drawn wrongly.
 */

#include "util/ralloc.h"
#include "vs_ir.h"

struct validator {
   struct vs_program *prog;
   const char *when;
   const struct vs_op *op;
};

static void
violate(struct validator *v, const char *rule)
{
   char *text = NULL;
   size_t size;

   if (v->prog->error)
      return;
   FILE *fp = open_memstream(&text, &size);
   if (v->op)
      vs_print_op(fp, v->prog, v->op);
   fclose(fp);
   vs_fail(v->prog, "internal error of the vertex compiler after %s: %s: %s",
           v->when, rule, text);
   free(text);
}

static void
check(struct validator *v, bool holds, const char *rule)
{
   if (!holds)
      violate(v, rule);
}

static void
check_source(struct validator *v, const struct vs_src *src)
{
   const struct vs_op *op = v->op;
   const unsigned num_values =
      util_dynarray_num_elements(&v->prog->values, struct tegra20_value);

   check(v, src->file != VS_FILE_NONE, "operand missing");
   check(v, !src->relative || op->addr != VS_NONE,
         "relative operand without address");
   for (unsigned i = 0; i < vs_src_lanes(op); i++) {
      if (src->file == VS_FILE_TEMP)
         check(v, src->c[i] < v->prog->num_cells, "cell that does not exist");
      else if (src->file == VS_FILE_CONST && !src->relative)
         check(v, src->c[i] < num_values, "value that does not exist");
      else
         check(v, src->c[i] < 4, "component above w");
   }
   if (src->file == VS_FILE_ATTR)
      check(v, src->base + src->offset < TEGRA20_MAX_ATTRIBS,
            "attribute that does not exist");
   if (src->file == VS_FILE_CONST && src->relative)
      check(v,
            src->base <
               util_dynarray_num_elements(&v->prog->arrays, struct vs_array),
            "array that does not exist");
}

static void
check_lanes(struct validator *v)
{
   const struct vs_op *op = v->op;
   unsigned exports = 0, conditions = 0;

   check(v, op->lanes >= 1 && op->lanes <= 4, "number of lanes");
   for (unsigned i = 0; i < op->lanes; i++) {
      for (unsigned j = 0; j < i; j++)
         check(v, op->dst[i] == VS_NO_CELL || op->dst[i] != op->dst[j],
               "one cell in two lanes");
      check(v, op->dst[i] == VS_NO_CELL || op->dst[i] < v->prog->num_cells,
            "cell that does not exist");
      check(v, (op->set_cr[i] == VS_NONE) == (op->set_cr[0] == VS_NONE),
            "condition set in some lanes only");
      if (op->export != VS_NONE) {
         check(v, !(exports & (1 << op->export_comp[i])),
               "one export component in two lanes");
         exports |= 1 << op->export_comp[i];
      }
      if (vs_sets_cr(op)) {
         check(v, op->set_cr[i] / 4 == op->set_cr[0] / 4,
               "conditions of both registers set");
         check(v, !(conditions & (1 << op->set_cr[i] % 4)),
               "one condition in two lanes");
         conditions |= 1 << op->set_cr[i] % 4;
         check(v,
               op->export == VS_NONE ||
                  op->export_comp[i] == op->set_cr[i] % 4,
               "export and condition in different components");
      }
      if (vs_is_predicated(op))
         check(v,
               op->pred[i] < VS_NUM_CR_CELLS &&
                  op->pred[i] / 4 == op->pred[0] / 4,
               "predicates of both condition registers");
   }
   check(v, !vs_sets_cr(op) || (vs_info(op)->units & VS_UNIT_VECTOR),
         "condition set by a scalar operation");
   check(v,
         !vs_sets_cr(op) || !vs_is_predicated(op) ||
            op->set_cr[0] / 4 == op->pred[0] / 4,
         "tests one condition register and sets the other");
   check(v,
         vs_has_dst(op) || op->export != VS_NONE || vs_sets_cr(op) ||
            vs_sets_addr(op),
         "no effect");
   check(v, op->export == VS_NONE || op->export < TEGRA20_MAX_EXPORTS,
         "export that does not exist");
}

static void
check_branch(struct validator *v, const struct vs_block *block, unsigned pos)
{
   check(v, pos == vs_num_ops(block) - 1, "branch before the end of a block");
   check(v, v->op->target < vs_num_blocks(v->prog),
         "target that does not exist");
   check(v, block->succ[1] == v->op->target,
         "branch and block disagree on the target");
   check(v, vs_is_predicated(v->op) == (block->succ[0] != VS_NO_BLOCK),
         "branch and block disagree on falling through");
   check(v, !vs_is_predicated(v->op) || v->op->pred[0] < VS_NUM_CR_CELLS,
         "branch without condition");
}

/* After grouping: cells that must share a register do. */
static void
check_groups(struct validator *v)
{
   const struct vs_op *op = v->op;

   if (!v->prog->cells)
      return;
   for (unsigned i = 0; i < op->lanes && vs_has_dst(op); i++) {
      check(v, op->dst[i] != VS_NO_CELL, "lane without a cell");
      check(v,
            v->prog->cells[op->dst[i]].group ==
               v->prog->cells[op->dst[0]].group,
            "destination in two groups");
      if (op->export != VS_NONE)
         check(v, v->prog->cells[op->dst[i]].fixed_comp == op->export_comp[i],
               "exported cell in another component");
      if (vs_sets_cr(op))
         check(v, v->prog->cells[op->dst[i]].fixed_comp == op->set_cr[i] % 4,
               "tested cell in another component");
   }
   for (unsigned s = 0; s < vs_info(op)->num_srcs; s++) {
      for (unsigned i = 0;
           op->src[s].file == VS_FILE_TEMP && i < vs_src_lanes(op); i++)
         check(v,
               v->prog->cells[op->src[s].c[i]].group ==
                  v->prog->cells[op->src[s].c[0]].group,
               "operand in two groups");
   }
}

void
vs_validate(struct vs_program *prog, const char *when)
{
   struct validator v = { .prog = prog, .when = when };

   vs_foreach_block (prog, block) {
      for (unsigned i = 0; i < vs_num_ops(block) && !prog->error; i++) {
         v.op = vs_get_op(block, i);
         for (unsigned s = 0; s < vs_info(v.op)->num_srcs; s++)
            check_source(&v, &v.op->src[s]);
         if (v.op->opcode == VS_OP_BRA)
            check_branch(&v, block, i);
         else
            check_lanes(&v);
         check_groups(&v);
      }
      for (unsigned i = 0; i < 2; i++)
         check(&v,
               block->succ[i] == VS_NO_BLOCK ||
                  block->succ[i] < vs_num_blocks(prog),
               "successor that does not exist");
   }
}
