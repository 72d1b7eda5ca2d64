/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "fs_parse.h"

struct parser {
   struct fs_program *p;
   const char *pos;
};

static void
expected(struct parser *in, const char *what)
{
   fs_error(in->p, "expected %s at \"%.30s\"", what, in->pos);
}

#include "../parser.h"

/* ".x" */
static unsigned
dotted_component(struct parser *in)
{
   expect(in, ".");
   return component(in);
}

static unsigned
value(struct parser *in)
{
   if (accept(in, "#"))
      return fs_value(in->p, TEGRA20_VALUE_IMM, fui(real(in)), 0, NULL);
   if (accept(in, "{")) {
      const int op = word(in, &nir_op_infos[0].name, sizeof(nir_op_infos[0]), nir_num_opcodes);
      uint16_t src[3];
      if (op < 0) {
         expected(in, "a NIR operation");
         return 0;
      }
      for (unsigned i = 0; i < MIN2(nir_op_infos[op].num_inputs, 3); i++)
         src[i] = value(in);
      expect(in, "}");
      return fs_value(in->p, TEGRA20_VALUE_ALU, op, MIN2(nir_op_infos[op].num_inputs, 3), src);
   }
   if (accept(in, "p"))
      return fs_value(in->p, TEGRA20_VALUE_PARAM, number(in), 0, NULL);
   expect(in, "u");
   const unsigned slot = number(in);
   return fs_value(in->p, TEGRA20_VALUE_UNIFORM, 4 * slot + dotted_component(in), 0, NULL);
}

static struct fs_src
operand(struct parser *in)
{
   if (accept(in, "%"))
      return fs_node_src(number(in));
   if (accept(in, "_"))
      return (struct fs_src){0};
   if (accept(in, "reg"))
      return fs_reg(number(in));
   if (accept(in, "0"))
      return fs_zero();
   if (accept(in, "1"))
      return fs_one();
   return (struct fs_src){FS_SRC_VALUE, 0, value(in)};
}

static struct fs_src
source(struct parser *in)
{
   unsigned mods = accept(in, "-") ? FS_MOD_NEG : 0;

   mods |= accept(in, "(") ? FS_MOD_SUB1 : 0;
   mods |= accept(in, "2*") ? FS_MOD_X2 : 0;
   mods |= accept(in, "|") ? FS_MOD_ABS : 0;
   struct fs_src src = operand(in);
   src.mods = mods;
   if (mods & FS_MOD_ABS)
      expect(in, "|");
   if (mods & FS_MOD_SUB1)
      expect(in, "-1)");
   return src;
}

static bool
flag(struct parser *in, const char *name)
{
   const size_t length = strlen(name);

   if (in->pos[0] != '.' || strncmp(in->pos + 1, name, length) != 0 || isalnum((unsigned char)in->pos[1 + length]))
      return false;
   in->pos += 1 + length;
   return true;
}

static unsigned
one_of(struct parser *in, const char *const *names, unsigned count)
{
   for (unsigned i = 1; i < count; i++) {
      if (flag(in, names[i]))
         return i;
   }
   return 0;
}

static void
suffixes(struct parser *in, struct fs_node *node)
{
   node->format = flag(in, "fx10") ? FS_FX10 : FS_FP20;
   node->flat = flag(in, "flat");
   node->lowp = flag(in, "lowp");
   node->scale = one_of(in, fs_scale_names, ARRAY_SIZE(fs_scale_names));
   node->sat = flag(in, "sat");
   node->cond = one_of(in, fs_cond_names, ARRAY_SIZE(fs_cond_names));
   node->raw = flag(in, "c") ? 2 : 0;
   node->part = flag(in, "high");
   node->rounds = flag(in, "rounds");
   node->kill = flag(in, "kill");
   in->p->kills |= node->kill;
}

static void
operation(struct parser *in, struct fs_node *node)
{
   const int sfu = word(in, fs_sfu_names, sizeof(char *), ARRAY_SIZE(fs_sfu_names));
   const int op = sfu >= 0 ? FS_OP_SFU : word(in, &fs_op_infos[0].name, sizeof(fs_op_infos[0]), ARRAY_SIZE(fs_op_infos));

   if (op < 0) {
      expected(in, "an operation");
      return;
   }
   node->op = op;
   node->sfu = MAX2(sfu, 0);
   suffixes(in, node);
}

/* What stands before the operands. */
static void
resources(struct parser *in, struct fs_node *node)
{
   if (node->op == FS_OP_INTERP) {
      for (unsigned half = 0; half < (node->format == FS_FX10 ? 2 : 1); half++) {
         node->slot[half] = FS_NO_SLOT;
         if (accept(in, "_"))
            continue;
         expect(in, "v");
         node->slot[half] = number(in);
         node->comp[half] = dotted_component(in);
      }
   } else if (node->op == FS_OP_TEX) {
      expect(in, "t");
      node->sampler = number(in);
      in->p->samplers_used |= 1u << node->sampler;
   } else if (node->op == FS_OP_FETCH || node->op == FS_OP_STORE) {
      expect(in, "rt");
      node->rt = number(in) % TEGRA20_MAX_CBUFS;
      node->surface = in->p->key->rt[node->rt].surface;
      *(node->op == FS_OP_FETCH ? &in->p->rts_fetched : &in->p->rts_stored) |= 1u << node->rt;
   }
}

static bool
operand_d(struct parser *in, struct fs_node *node)
{
   if (!accept(in, "d="))
      return false;
   node->d_mods = accept(in, "|") ? FS_MOD_ABS : 0;
   node->d = accept(in, "b") ? FS_D_B : FS_D_C;
   if (node->d == FS_D_C)
      expect(in, "c");
   if (node->d_mods)
      expect(in, "|");
   if (accept(in, "-1"))
      node->d_mods |= FS_MOD_SUB1;
   return true;
}

static void
line(struct parser *in)
{
   struct fs_node node = {0};
   unsigned index;

   expect(in, "%");
   if (number(in) != in->p->num_nodes)
      expected(in, "the number of the next node");
   expect(in, "= ");
   operation(in, &node);
   resources(in, &node);
   while (*in->pos && *in->pos != '\n' && !in->p->error) {
      if (operand_d(in, &node) || node.num_srcs == ARRAY_SIZE(node.src))
         break;
      if (node.num_srcs > 0)
         expect(in, ",");
      node.src[node.num_srcs++] = source(in);
      if (node.op == FS_OP_PART)
         node.part = dotted_component(in);
   }
   end_line(in);
   node.bias = node.op == FS_OP_TEX && node.src[3].kind != FS_SRC_NONE;
   fs_add_node(in->p, node.op, &index);
   in->p->nodes[index] = node;
}

bool
fs_parse(struct fs_program *p, const char *text)
{
   struct parser in = {p, text};

   while (!p->error && next_line(&in))
      line(&in);
   return !p->error;
}
