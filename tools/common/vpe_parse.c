/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Vertex instructions from text (vpe_text.c describes it).
 */

#include "isa_parse.h"

#include <string.h>

#include "vpe_operand.h"

static const char comps[] = "xyzw";

static unsigned
parse_component(struct isa_parser *p)
{
   const char c = *p->pos;

   for (unsigned i = 0; i < 4; i++) {
      if (c == comps[i]) {
         p->pos++;
         return i;
      }
   }
   isa_error(p, "expected one of x, y, z, w at \"%.20s\"", p->pos);
   return 0;
}

static void
parse_swizzle(struct isa_parser *p, uint8_t swizzle[4])
{
   isa_expect(p, ".");
   for (unsigned c = 0; c < 4; c++) {
      /* ".x" is short for ".xxxx" */
      if (c == 1 && !(*p->pos && strchr(comps, *p->pos))) {
         swizzle[1] = swizzle[2] = swizzle[3] = swizzle[0];
         return;
      }
      swizzle[c] = parse_component(p);
   }
}

static unsigned
parse_mask(struct isa_parser *p)
{
   unsigned mask = 0;

   isa_expect(p, ".");
   for (unsigned c = 0; c < 4; c++) {
      if (*p->pos == '*') {
         p->pos++;
      } else if (*p->pos == comps[c]) {
         p->pos++;
         mask |= 1 << c;
      } else {
         isa_error(p,
                   "expected \"%c\" or \"*\" in the write mask at \"%.20s\"",
                   comps[c], p->pos);
      }
   }
   return mask;
}

/* "[n]" or "[A0.c + n]" */
static unsigned
parse_index(struct isa_parser *p, struct vpe_inst *inst, unsigned max,
            bool *relative)
{
   isa_expect(p, "[");
   *relative = isa_accept(p, "A0");
   if (*relative) {
      isa_expect(p, ".");
      inst->address_select = parse_component(p);
      isa_expect(p, "+");
   }
   const unsigned index = isa_number(p, max);
   isa_expect(p, "]");
   return index;
}

static void
parse_operand(struct isa_parser *p, struct vpe_inst *inst, unsigned which,
              unsigned *seen)
{
   struct vpe_inst fresh = *inst;
   const struct vpe_operand operand = vpe_get_operand(&fresh, which);

   isa_expect(p, ",");
   *operand.negate = isa_accept(p, "-");
   *operand.absolute = isa_accept(p, "abs");
   if (*operand.absolute)
      isa_expect(p, "(");
   *operand.index = 0;
   if (isa_accept(p, "u")) {
      *operand.type = VPE_OPERAND_TYPE_NONE;
   } else if (isa_accept(p, "a")) {
      *operand.type = VPE_OPERAND_TYPE_ATTRIBUTE;
      fresh.attribute_index =
         parse_index(p, &fresh, 15, &fresh.attribute_relative);
      if ((*seen & 8) &&
          (fresh.attribute_index != inst->attribute_index ||
           fresh.attribute_relative != inst->attribute_relative))
         isa_error(p, "an instruction reads one attribute only");
      *seen |= 8;
   } else if (isa_accept(p, "c")) {
      *operand.type = VPE_OPERAND_TYPE_CONSTANT;
      fresh.constant_index =
         parse_index(p, &fresh, 1023, &fresh.const_relative);
      if ((*seen & 16) && (fresh.constant_index != inst->constant_index ||
                           fresh.const_relative != inst->const_relative))
         isa_error(p, "an instruction reads one constant register only");
      *seen |= 16;
   } else if (*p->pos == 'r') {
      p->pos++;
      *operand.type = VPE_OPERAND_TYPE_TEMP;
      *operand.index = isa_number(p, 63);
   } else {
      isa_error(p, "expected an operand at \"%.20s\"", p->pos);
   }
   parse_swizzle(p, operand.swizzle);
   if (*operand.absolute)
      isa_expect(p, ")");

   if ((*seen & (1 << which)) && memcmp(&fresh, inst, sizeof(fresh)) != 0)
      isa_error(p, "both halves read rC, so their operands must be the same");
   *seen |= 1 << which;
   *inst = fresh;
}

static int
find_opcode(const char *const *names, unsigned count, const char *name,
            size_t length)
{
   for (unsigned i = 0; i < count; i++) {
      if (names[i] && strlen(names[i]) == length &&
          strncmp(names[i], name, length) == 0)
         return i;
   }
   if (length > 2 && length < 5 && strncmp(name, "OP", 2) == 0) {
      unsigned number = 0;
      for (size_t i = 2; i < length; i++) {
         if (name[i] < '0' || name[i] > '9')
            return -1;
         number = number * 10 + name[i] - '0';
      }
      return number < 32 ? (int)number : -1;
   }
   return -1;
}

static void
parse_option(struct isa_parser *p, struct vpe_inst *inst)
{
   if (isa_accept(p, "export")) {
      inst->export_index = parse_index(p, inst, 31, &inst->export_relative);
      isa_expect(p, "=");
      inst->export_vector = isa_accept(p, "vector");
      if (!inst->export_vector)
         isa_expect(p, "scalar");
   } else if (isa_accept(p, "saturate")) {
      inst->saturate = true;
   } else if (isa_accept(p, "cs")) {
      inst->condition_set = true;
   } else if (isa_accept(p, "cwr")) {
      inst->condition_write = true;
   } else if (isa_accept(p, "cc")) {
      inst->condition_check = true;
   } else if (isa_accept(p, "lt")) {
      inst->pred_lt = true;
   } else if (isa_accept(p, "eq")) {
      inst->pred_eq = true;
   } else if (isa_accept(p, "gt")) {
      inst->pred_gt = true;
   } else if (isa_accept(p, "cr")) {
      isa_expect(p, "=");
      inst->condition_register = isa_number(p, 1);
   } else if (isa_accept(p, "bit120")) {
      inst->address_zero = true;
   } else if (isa_accept(p, "p")) {
      parse_swizzle(p, inst->predicate_swizzle);
   } else {
      isa_error(p, "unknown option at \"%.20s\"", p->pos);
   }
}

static void
parse_options(struct isa_parser *p, struct vpe_inst *inst)
{
   bool tested;

   if (!isa_accept(p, "("))
      return;
   inst->pred_lt = inst->pred_eq = inst->pred_gt = false;
   while (!p->error[0] && !isa_accept(p, ")"))
      parse_option(p, inst);
   /* the neutral setting of an instruction that tests nothing */
   tested = inst->condition_check || inst->pred_lt || inst->pred_eq ||
            inst->pred_gt;
   if (!tested)
      inst->pred_lt = inst->pred_eq = inst->pred_gt = true;
}

static void
parse_vector(struct isa_parser *p, struct vpe_inst *inst, unsigned *seen)
{
   if (inst->vector_op == VPE_VECTOR_NOP)
      return;
   if (vpe_writes_address(inst)) {
      isa_expect(p, "A0");
      inst->vector_rd = 0;
   } else {
      isa_accept(p, " ");
      if (*p->pos == 'r')
         p->pos++;
      else
         isa_error(p, "expected a destination at \"%.20s\"", p->pos);
      inst->vector_rd = isa_number(p, 63);
   }
   inst->vector_mask = parse_mask(p);
   for (unsigned which = 0; which < 3; which++) {
      if (vpe_vector_reads(inst->vector_op) & (1 << which))
         parse_operand(p, inst, which, seen);
   }
}

static void
parse_scalar(struct isa_parser *p, struct vpe_inst *inst, unsigned *seen)
{
   if (inst->scalar_op == VPE_SCALAR_NOP || inst->scalar_op == VPE_SCALAR_RET)
      return;
   if (vpe_jumps(inst)) {
      const uint8_t *swizzle = inst->rc_swizzle;
      inst->iaddr = isa_number(p, 255);
      /* the target lies over the swizzle */
      if ((*seen & VPE_READS_C) &&
          inst->iaddr != (swizzle[0] << 6 | swizzle[1] << 4 |
                          swizzle[2] << 2 | swizzle[3]))
         isa_error(p, "a jump cannot go with an operation that reads rC");
      return;
   }
   isa_accept(p, " ");
   if (*p->pos == 'r')
      p->pos++;
   else
      isa_error(p, "expected a destination at \"%.20s\"", p->pos);
   inst->scalar_rd = isa_number(p, 63);
   inst->scalar_mask = parse_mask(p);
   if (vpe_scalar_reads(inst->scalar_op))
      parse_operand(p, inst, 2, seen);
}

static void
parse_halves(struct isa_parser *p, struct vpe_inst *inst)
{
   unsigned seen = 0;
   const char *name;
   size_t length;

   while (!p->error[0] && (length = isa_name(p, &name)) > 0) {
      const char half = name[length - 1];
      const int vector =
         half == 'v' ? find_opcode(vpe_vector_op_names, 28, name, length - 1)
                     : -1;
      const int scalar =
         half == 's' ? find_opcode(vpe_scalar_op_names, 21, name, length - 1)
                     : -1;
      if (vector >= 0) {
         inst->vector_op = vector;
         parse_vector(p, inst, &seen);
      } else if (scalar >= 0) {
         inst->scalar_op = scalar;
         parse_scalar(p, inst, &seen);
      } else {
         isa_error(p, "no operation is called \"%.*s\"", (int)length, name);
      }
   }
}

bool
vpe_parse_inst(struct isa_parser *p, uint32_t words[4])
{
   struct vpe_inst inst = vpe_inst_init();

   p->error[0] = '\0';
   inst.end = isa_accept(p, "EXEC_END");
   if (!inst.end)
      isa_expect(p, "EXEC");
   parse_options(p, &inst);
   parse_halves(p, &inst);
   vpe_pack(&inst, words);
   isa_parse_raw(p, vpe_fields, VPE_NUM_FIELDS, words, 4, ISA_HIGH_FIRST);
   isa_accept(p, ";");
   if (!isa_at_end(p))
      isa_error(p, "unexpected \"%.20s\"", p->pos);
   return p->error[0] == '\0';
}
