/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Text form of the vertex IR.
 *
 *    block0: -> block1
 *       if GT(c0.x c0.x) MUL.sat (%3/o1.x %4/o1.y) = (%1 %2), -|a0.xy|
 *       DP3 (_/c0.x) = (%3 %4 %5), (u0.x u0.y #0.5)
 *       ARR (A0.x) = (%7)
 *       MOV (%8) = array0[A0.x+2].w
 *       if EQ(c0.x) BRA block3
 *
 * array0 comes from a line "array0 = u10 size 8 pad 2" before the blocks.
 *
 * Cells are %n, lanes without a cell _, exports oN.c, condition cells c0.x to
 * c1.w.  Values are uniforms uSLOT.c, literals #1.5 and expressions of them
 * (fadd u0.x #1).
 */

#include "util/u_math.h"
#include "vs_ir.h"

static const char comps[] = "xyzw";
const char *const vs_cond_names[8] = { "FL", "LT", "EQ", "LE",
                                       "GT", "NE", "GE", "TR" };

static void
print_value(FILE *fp, const struct vs_program *prog, uint16_t value)
{
   const struct tegra20_value *node = vs_get_value(prog, value);

   switch (node->op) {
   case TEGRA20_VALUE_IMM:
      fprintf(fp, "#%.9g", uif(node->arg));
      break;
   case TEGRA20_VALUE_UNIFORM:
      fprintf(fp, "u%u.%c", node->arg / 4, comps[node->arg % 4]);
      break;
   default:
      fprintf(fp, "(%s", nir_op_infos[node->arg].name);
      for (unsigned i = 0; i < node->num_src; i++) {
         fprintf(fp, " ");
         print_value(fp, prog, node->src[i]);
      }
      fprintf(fp, ")");
      break;
   }
}

static void
print_src(FILE *fp, const struct vs_program *prog, const struct vs_op *op,
          const struct vs_src *src)
{
   fprintf(fp, "%s%s", src->neg ? "-" : "", src->abs ? "|" : "");
   if (src->file == VS_FILE_ATTR ||
       (src->file == VS_FILE_CONST && src->relative)) {
      fprintf(fp, "%s%u", src->file == VS_FILE_ATTR ? "a" : "array",
              src->base);
      if (src->relative)
         fprintf(fp, "[A0.%c+%u]", comps[op->addr & 3], src->offset);
      fprintf(fp, ".");
      for (unsigned i = 0; i < vs_src_lanes(op); i++)
         fprintf(fp, "%c", comps[src->c[i] & 3]);
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

static void
print_lane(FILE *fp, const struct vs_op *op, unsigned i)
{
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

void
vs_print_op(FILE *fp, const struct vs_program *prog, const struct vs_op *op)
{
   if (vs_is_predicated(op)) {
      fprintf(fp, "if %s(", vs_cond_names[op->cond]);
      for (unsigned i = 0; i < MAX2(op->lanes, 1); i++)
         fprintf(fp, "%sc%u.%c", i ? " " : "", op->pred[i] / 4,
                 comps[op->pred[i] % 4]);
      fprintf(fp, ") ");
   }
   fprintf(fp, "%s%s", vs_info(op)->name, op->saturate ? ".sat" : "");
   if (op->opcode == VS_OP_BRA)
      fprintf(fp, " block%u", op->target);
   for (unsigned i = 0; i < op->lanes; i++) {
      fprintf(fp, "%s", i ? " " : " (");
      print_lane(fp, op, i);
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
   util_dynarray_foreach (&prog->arrays, struct vs_array, array) {
      const unsigned index =
         array - (const struct vs_array *)prog->arrays.data;
      fprintf(fp, "array%u = u%u size %u pad %u\n", index, array->slot,
              array->size, array->pad);
   }
   vs_foreach_block (prog, block) {
      fprintf(fp, "block%u:", block->index);
      if (block->succ[0] != VS_NO_BLOCK)
         fprintf(fp, " -> block%u", block->succ[0]);
      fprintf(fp, "\n");
      vs_foreach_op (block, op) {
         fprintf(fp, "   ");
         vs_print_op(fp, prog, op);
         fprintf(fp, "\n");
      }
   }
}
