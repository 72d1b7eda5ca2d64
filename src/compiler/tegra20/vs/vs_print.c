/*
 * SPDX-License-Identifier: MIT
 *
 * Text form of the vertex IR.
 */

#include "util/u_math.h"
#include "vs_ir.h"

static const char comps[] = "xyzw";
static const char *const cond_names[8] = {"FL", "LT", "EQ", "LE", "GT", "NE", "GE", "TR"};

static void
print_value(FILE *fp, const struct vs_program *prog, uint16_t value)
{
   const struct tegra20_value *node = vs_get_value(prog, value);

   if (node->op == TEGRA20_VALUE_IMM)
      fprintf(fp, "#%g", uif(node->arg));
   else if (node->op == TEGRA20_VALUE_UNIFORM)
      fprintf(fp, "u%u.%c", node->arg / 4, comps[node->arg % 4]);
   else
      fprintf(fp, "v%u", value);
}

static void
print_src(FILE *fp, const struct vs_program *prog, const struct vs_op *op, const struct vs_src *src)
{
   fprintf(fp, "%s%s", src->neg ? "-" : "", src->abs ? "|" : "");
   if (src->file == VS_FILE_ATTR || (src->file == VS_FILE_CONST && src->relative)) {
      fprintf(fp, "%s%u", src->file == VS_FILE_ATTR ? "a" : "array", src->base);
      if (src->relative)
         fprintf(fp, "[A0.%c+%u]", comps[op->addr & 3], src->offset);
      fprintf(fp, ".");
      for (unsigned i = 0; i < vs_src_lanes(op); i++)
         fprintf(fp, "%c", comps[src->c[i]]);
   } else {
      fprintf(fp, "(");
      for (unsigned i = 0; i < vs_src_lanes(op); i++) {
         fprintf(fp, "%s", i ? " " : "");
         if (src->file == VS_FILE_TEMP)
            fprintf(fp, "%%%u", src->c[i]);
         else
            print_value(fp, prog, src->c[i]);
      }
      fprintf(fp, ")");
   }
   fprintf(fp, "%s", src->abs ? "|" : "");
}

void
vs_print_op(FILE *fp, const struct vs_program *prog, const struct vs_op *op)
{
   if (vs_is_predicated(op)) {
      fprintf(fp, "if %s(", cond_names[op->cond]);
      for (unsigned i = 0; i < MAX2(op->lanes, 1); i++)
         fprintf(fp, "%sc%u.%c", i ? " " : "", op->pred[i] / 4, comps[op->pred[i] % 4]);
      fprintf(fp, ") ");
   }
   fprintf(fp, "%s%s", vs_info(op)->name, op->saturate ? ".sat" : "");
   if (op->opcode == VS_OP_BRA)
      fprintf(fp, " block%u", op->target);
   for (unsigned i = 0; i < op->lanes; i++) {
      fprintf(fp, "%s", i ? " " : " (");
      if (vs_sets_addr(op))
         fprintf(fp, "A0.%c", comps[op->set_addr[i]]);
      else if (op->dst[i] != VS_NO_CELL)
         fprintf(fp, "%%%u", op->dst[i]);
      else
         fprintf(fp, "_");
      if (op->export != VS_NONE)
         fprintf(fp, "/o%u.%c", op->export, comps[op->export_comp[i]]);
      if (op->set_cr[i] != VS_NONE)
         fprintf(fp, "/c%u.%c", op->set_cr[i] / 4, comps[op->set_cr[i] % 4]);
   }
   fprintf(fp, "%s", op->lanes ? ")" : "");
   for (unsigned s = 0; s < vs_info(op)->num_srcs; s++) {
      fprintf(fp, "%s ", s ? "," : " =");
      print_src(fp, prog, op, &op->src[s]);
   }
}

void
vs_print_program(FILE *fp, const struct vs_program *prog)
{
   vs_foreach_block(prog, block) {
      fprintf(fp, "block%u:", block->index);
      for (unsigned i = 0; i < 2; i++) {
         if (block->succ[i] != VS_NO_BLOCK)
            fprintf(fp, " -> block%u", block->succ[i]);
      }
      fprintf(fp, "\n");
      vs_foreach_op(block, op) {
         fprintf(fp, "   ");
         vs_print_op(fp, prog, op);
         fprintf(fp, "\n");
      }
   }
}
