/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The text form of the nodes, a line each:
 *
 *    %0 = interp v32.x                     of the varying 32
 *    %1 = interp.fx10.flat v32.y v32.z     a pair, the halves of a column
 *    %2 = tex t3 %0, %0, _, #0.5           lookup with bias
 *    %3 = part.fx10 %2.x                   what a unit delivers beside others
 *    %4 = mad.fx10.half.sat %3, u1.x, -(2*|%3|-1) d=b-1
 *    %5 = rcp %4                           a special function by its name
 *    %6 = store rt0 %4, %4, %4, %4
 *
 * Behind the name: the format if it is not fp20, and the modifiers of the
 * result (x2, x4, half; sat; eq, gt, ge; kill).  Operands are nodes, 0 and 1,
 * immediates (#), words of uniforms (u), parameters (p), expressions of these
 * that the CPU computes ({fadd u0.x #2}), registers (reg) or nothing (_).
 */

#include "fs.h"

const struct fs_op_info fs_op_infos[] = {
   [FS_OP_MAD] = { "mad", 3, 3 },       [FS_OP_MIN] = { "min", 3, 3 },
   [FS_OP_MAX] = { "max", 3, 3 },       [FS_OP_CSEL] = { "csel", 3, 3 },
   [FS_OP_RAW] = { "raw", 3, 3 },       [FS_OP_LOW] = { "low", 4, 4 },
   [FS_OP_ACC] = { "acc", 6, 8 },       [FS_OP_SFU] = { "sfu", 1, 1 },
   [FS_OP_MUL] = { "mul", 2, 2 },       [FS_OP_WCLIP] = { "wclip", 0, 0 },
   [FS_OP_INTERP] = { "interp", 0, 0 }, [FS_OP_TEX] = { "tex", 4, 4 },
   [FS_OP_FETCH] = { "fetch", 0, 0 },   [FS_OP_PART] = { "part", 1, 1 },
   [FS_OP_STORE] = { "store", 4, 4 },   [FS_OP_STENCIL] = { "stencil", 0, 0 },
};
const char *const fs_sfu_names[] = {
   "none", "rcp", "rsq", "lg2",     "ex2",     "sqrt",
   "sin",  "cos", "frc", "pre_ex2", "pre_sin", "pre_cos"
};
const char *const fs_scale_names[] = { "", "x2", "x4", "half" };
const char *const fs_cond_names[] = { "", "eq", "gt", "ge" };

static void
print_value(FILE *fp, const struct fs_program *p, unsigned index)
{
   const struct tegra20_value *v = &p->values.nodes[index];

   switch ((enum tegra20_value_op)v->op) {
   case TEGRA20_VALUE_IMM:
      fprintf(fp, "#%.9g", uif(v->arg));
      break;
   case TEGRA20_VALUE_UNIFORM:
      fprintf(fp, "u%u.%c", v->arg / 4, "xyzw"[v->arg % 4]);
      break;
   case TEGRA20_VALUE_PARAM:
      fprintf(fp, "p%u", v->arg);
      break;
   case TEGRA20_VALUE_ALU:
      fprintf(fp, "{%s", nir_op_infos[v->arg].name);
      for (unsigned i = 0; i < v->num_src; i++) {
         fprintf(fp, " ");
         print_value(fp, p, v->src[i]);
      }
      fprintf(fp, "}");
      break;
   }
}

static void
print_src(FILE *fp, const struct fs_program *p, struct fs_src src)
{
   fprintf(fp, "%s%s%s%s", src.mods & FS_MOD_NEG ? "-" : "",
           src.mods & FS_MOD_SUB1 ? "(" : "",
           src.mods & FS_MOD_X2 ? "2*" : "",
           src.mods & FS_MOD_ABS ? "|" : "");
   switch ((enum fs_src_kind)src.kind) {
   case FS_SRC_NONE:
      fprintf(fp, "_");
      break;
   case FS_SRC_NODE:
      fprintf(fp, "%%%u", src.index);
      break;
   case FS_SRC_ZERO:
      fprintf(fp, "0");
      break;
   case FS_SRC_ONE:
      fprintf(fp, "1");
      break;
   case FS_SRC_REG:
      fprintf(fp, "reg%u", src.index);
      break;
   case FS_SRC_VALUE:
      print_value(fp, p, src.index);
      break;
   }
   fprintf(fp, "%s%s", src.mods & FS_MOD_ABS ? "|" : "",
           src.mods & FS_MOD_SUB1 ? "-1)" : "");
}

static void
print_suffixes(FILE *fp, const struct fs_node *node)
{
   fprintf(fp, "%s%s%s", node->format == FS_FX10 ? ".fx10" : "",
           node->flat ? ".flat" : "", node->lowp ? ".lowp" : "");
   if (node->scale)
      fprintf(fp, ".%s", fs_scale_names[node->scale]);
   if (node->sat)
      fprintf(fp, ".sat");
   if (node->cond)
      fprintf(fp, ".%s", fs_cond_names[node->cond]);
   if (node->op == FS_OP_RAW)
      fprintf(fp, "%s%s", node->raw == 2 ? ".c" : "",
              node->part ? ".high" : "");
   fprintf(fp, "%s%s", node->rounds ? ".rounds" : "",
           node->kill ? ".kill" : "");
}

static void
print_varyings(FILE *fp, const struct fs_node *node)
{
   for (unsigned half = 0; half < (node->format == FS_FX10 ? 2 : 1); half++) {
      if (node->slot[half] == FS_NO_SLOT)
         fprintf(fp, " _");
      else
         fprintf(fp, " v%u.%c", node->slot[half], "xyzw"[node->comp[half]]);
   }
}

void
fs_print_node(FILE *fp, const struct fs_program *p, unsigned index)
{
   const struct fs_node *node = &p->nodes[index];

   fprintf(fp, "%%%u = %s", index,
           node->op == FS_OP_SFU ? fs_sfu_names[node->sfu]
                                 : fs_op_infos[node->op].name);
   print_suffixes(fp, node);
   if (node->op == FS_OP_INTERP)
      print_varyings(fp, node);
   if (node->op == FS_OP_TEX)
      fprintf(fp, " t%u", node->sampler);
   if (node->op == FS_OP_FETCH || node->op == FS_OP_STORE)
      fprintf(fp, " rt%u", node->rt);
   for (unsigned s = 0; s < node->num_srcs; s++) {
      fprintf(fp, s ? ", " : " ");
      print_src(fp, p, node->src[s]);
   }
   if (node->op == FS_OP_PART)
      fprintf(fp, ".%c", "xyzw"[node->part]);
   if (node->d != FS_D_ONE)
      fprintf(fp, " d=%s%c%s%s", node->d_mods & FS_MOD_ABS ? "|" : "",
              node->d == FS_D_B ? 'b' : 'c',
              node->d_mods & FS_MOD_ABS ? "|" : "",
              node->d_mods & FS_MOD_SUB1 ? "-1" : "");
}

void
fs_print(FILE *fp, const struct fs_program *p)
{
   for (unsigned i = 0; i < p->num_nodes; i++) {
      fs_print_node(fp, p, i);
      fprintf(fp, "\n");
   }
}
