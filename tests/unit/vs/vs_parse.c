/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Reads the text form of the vertex IR (vs_print.c).  For tests of single passes: whole programs come from NIR.
 */

#include "util/ralloc.h"
#include "vs_parse.h"

struct parser {
   struct vs_program *prog;
   const char *pos;
};

static void
expected(struct parser *p, const char *what)
{
   vs_fail(p->prog, "expected %s at \"%.30s\"", what, p->pos);
}

#include "../parser.h"

static uint16_t
cell(struct parser *p)
{
   const unsigned index = number(p);

   p->prog->num_cells = MAX2(p->prog->num_cells, index + 1);
   return index;
}

/* c0.x, as a condition cell */
static uint8_t
condition(struct parser *p)
{
   const unsigned reg = number(p) & 1;

   expect(p, ".");
   return reg * 4 + component(p);
}

static uint16_t
value(struct parser *p)
{
   if (accept(p, "#"))
      return vs_value_imm(p->prog, real(p));
   if (accept(p, "u")) {
      const unsigned slot = number(p);
      expect(p, ".");
      return vs_value_uniform(p->prog, slot * 4 + component(p));
   }
   expect(p, "(");
   const int op = word(p, &nir_op_infos[0].name, sizeof(nir_op_infos[0]), nir_num_opcodes);
   if (op < 0) {
      expected(p, "a NIR operation");
      return 0;
   }
   uint16_t srcs[3];
   const unsigned count = MIN2(nir_op_infos[op].num_inputs, 3);
   for (unsigned i = 0; i < count; i++)
      srcs[i] = value(p);
   expect(p, ")");
   return vs_value_alu(p->prog, op, count, srcs);
}

static void
address_and_comps(struct parser *p, struct vs_op *op, struct vs_src *src)
{
   if (accept(p, "[A0.")) {
      src->relative = true;
      op->addr = component(p);
      expect(p, "+");
      src->offset = number(p);
      expect(p, "]");
   }
   expect(p, ".");
   for (unsigned i = 0; i < vs_src_lanes(op); i++)
      src->c[i] = component(p);
}

static void
source(struct parser *p, struct vs_op *op, struct vs_src *src)
{
   src->neg = accept(p, "-");
   src->abs = accept(p, "|");
   if (accept(p, "array")) {
      src->file = VS_FILE_CONST;
      src->base = number(p);
      address_and_comps(p, op, src);
   } else if (accept(p, "a")) {
      src->file = VS_FILE_ATTR;
      src->base = number(p);
      address_and_comps(p, op, src);
   } else {
      expect(p, "(");
      for (unsigned i = 0; i < vs_src_lanes(op); i++) {
         if (accept(p, "%")) {
            src->file = VS_FILE_TEMP;
            src->c[i] = cell(p);
         } else {
            src->file = VS_FILE_CONST;
            src->c[i] = value(p);
         }
      }
      expect(p, ")");
   }
   if (src->abs)
      expect(p, "|");
}

static void
lane(struct parser *p, struct vs_op *op, unsigned i)
{
   if (accept(p, "A0.")) {
      op->set_addr[i] = component(p);
   } else if (accept(p, "%")) {
      op->dst[i] = cell(p);
   } else {
      expect(p, "_");
   }
   while (accept(p, "/")) {
      if (accept(p, "o")) {
         op->export = number(p);
         expect(p, ".");
         op->export_comp[i] = component(p);
      } else {
         expect(p, "c");
         op->set_cr[i] = condition(p);
      }
   }
}

static unsigned
opcode(struct parser *p)
{
   const int op = word(p, &vs_opcode_infos[0].name, sizeof(vs_opcode_infos[0]), VS_NUM_OPCODES);

   if (op < 0)
      expected(p, "an operation");
   return MAX2(op, 0);
}

static struct vs_op *
operation(struct parser *p)
{
   struct vs_op *op = vs_op_create(p->prog, VS_OP_MOV, 0);

   if (accept(p, "if ")) {
      for (unsigned i = 1; i < 7; i++) {
         if (accept(p, vs_cond_names[i]))
            op->cond = i;
      }
      expect(p, "(");
      for (unsigned i = 0; i < 4 && !accept(p, ")"); i++) {
         expect(p, "c");
         op->pred[i] = condition(p);
      }
      accept(p, ")");
   }
   skip_blanks(p);
   op->opcode = opcode(p);
   op->saturate = accept(p, ".sat");
   if (op->opcode == VS_OP_BRA) {
      expect(p, "block");
      op->target = number(p);
      return op;
   }
   expect(p, "(");
   for (; op->lanes < 4 && !accept(p, ")") && !p->prog->error; op->lanes++)
      lane(p, op, op->lanes);
   if (op->lanes == 4)
      expect(p, ")");
   for (unsigned s = 0; s < vs_info(op)->num_srcs; s++) {
      expect(p, s ? "," : "=");
      source(p, op, &op->src[s]);
   }
   return op;
}

static void
line(struct parser *p)
{
   const unsigned num_blocks = vs_num_blocks(p->prog);

   if (accept(p, "array")) {
      struct vs_array array = { 0 };
      number(p);
      expect(p, "= u");
      array.slot = number(p);
      expect(p, "size ");
      array.size = number(p);
      if (accept(p, "pad "))
         array.pad = number(p);
      util_dynarray_append(&p->prog->arrays, struct vs_array, array);
   } else if (accept(p, "block")) {
      struct vs_block *block = vs_block_create(p->prog);
      number(p);
      expect(p, ":");
      if (accept(p, "-> block"))
         block->succ[0] = number(p);
   } else {
      struct vs_block *block = num_blocks ? vs_get_block(p->prog, num_blocks - 1) : vs_block_create(p->prog);
      struct vs_op *op = operation(p);
      vs_block_append(block, op);
      if (op->opcode == VS_OP_BRA)
         block->succ[1] = op->target;
   }
}

bool
vs_parse_program(struct vs_program *prog, const char *text)
{
   struct parser p = { .prog = prog, .pos = text };

   while (!prog->error && next_line(&p)) {
      line(&p);
      end_line(&p);
   }
   return !prog->error;
}
