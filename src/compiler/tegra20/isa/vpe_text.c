/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Vertex instructions as text, in the syntax of vertex-pipeline.md appendix
 * A:
 *
 *    EXEC(export[7]=vector cc gt cr=1 p.xxxx)
 *       MULv r1.xy**, c[4].xyzw, -abs(a[0].xxxx) RCPs r2.x***, r3.wwww;
 *
 * NOPv and NOPs may be left out.  The operands are those that the opcode
 * reads; both halves name rC when both read it.
 */

#include "isa_text.h"

#include <string.h>

#include "vpe_operand.h"

static const char comps[] = "xyzw";

unsigned
vpe_vector_reads(unsigned op)
{
   switch (op) {
   case VPE_VECTOR_MOV:
   case VPE_VECTOR_ARL:
   case VPE_VECTOR_ARR:
   case VPE_VECTOR_FRC:
   case VPE_VECTOR_FLR:
   case VPE_VECTOR_SSG:
      return VPE_READS_A;
   case VPE_VECTOR_ADD:
      return VPE_READS_A | VPE_READS_C;
   case VPE_VECTOR_MAD:
      return VPE_READS_A | VPE_READS_B | VPE_READS_C;
   case VPE_VECTOR_NOP:
   case VPE_VECTOR_SFL:
   case VPE_VECTOR_STR:
   case VPE_VECTOR_ARA:
   case VPE_VECTOR_PUSHA:
   case VPE_VECTOR_POPA:
      return 0;
   default:
      return VPE_READS_A | VPE_READS_B;
   }
}

unsigned
vpe_scalar_reads(unsigned op)
{
   switch (op) {
   case VPE_SCALAR_NOP:
   case VPE_SCALAR_BRA:
   case VPE_SCALAR_CAL:
   case VPE_SCALAR_RET:
   case VPE_SCALAR_PUSHA:
   case VPE_SCALAR_POPA:
      return 0;
   default:
      return VPE_READS_C;
   }
}

static void
print_swizzle(struct isa_printer *p, const uint8_t swizzle[4])
{
   isa_text_print(p, ".%c%c%c%c", comps[swizzle[0]], comps[swizzle[1]],
                  comps[swizzle[2]], comps[swizzle[3]]);
}

static void
print_mask(struct isa_printer *p, unsigned mask)
{
   isa_text_print(p, ".");
   for (unsigned c = 0; c < 4; c++)
      isa_text_print(p, "%c", mask & (1 << c) ? comps[c] : '*');
}

static void
print_indexed(struct isa_printer *p, const struct vpe_inst *inst,
              struct vpe_inst *said, const char *file, unsigned index,
              bool relative)
{
   if (!relative) {
      isa_text_print(p, "%s[%u]", file, index);
      return;
   }
   isa_text_print(p, "%s[A0.%c + %u]", file, comps[inst->address_select],
                  index);
   said->address_select = inst->address_select;
}

static void
print_operand(struct isa_printer *p, struct vpe_inst *inst,
              struct vpe_inst *said, unsigned which)
{
   const struct vpe_operand operand = vpe_get_operand(inst, which),
                            out = vpe_get_operand(said, which);

   isa_text_print(p, ", %s%s", *operand.negate ? "-" : "",
                  *operand.absolute ? "abs(" : "");
   switch (*operand.type) {
   case VPE_OPERAND_TYPE_TEMP:
      isa_text_print(p, "r%u", *operand.index);
      *out.index = *operand.index;
      break;
   case VPE_OPERAND_TYPE_ATTRIBUTE:
      print_indexed(p, inst, said, "a", inst->attribute_index,
                    inst->attribute_relative);
      said->attribute_index = inst->attribute_index;
      said->attribute_relative = inst->attribute_relative;
      break;
   case VPE_OPERAND_TYPE_CONSTANT:
      print_indexed(p, inst, said, "c", inst->constant_index,
                    inst->const_relative);
      said->constant_index = inst->constant_index;
      said->const_relative = inst->const_relative;
      break;
   default:
      isa_text_print(p, "u");
      break;
   }
   print_swizzle(p, operand.swizzle);
   isa_text_print(p, "%s", *operand.absolute ? ")" : "");
   *out.negate = *operand.negate;
   *out.absolute = *operand.absolute;
   *out.type = *operand.type;
   memcpy(out.swizzle, operand.swizzle, 4);
}

static void
print_operands(struct isa_printer *p, struct vpe_inst *inst,
               struct vpe_inst *said, unsigned reads)
{
   for (unsigned which = 0; which < 3; which++) {
      if (reads & (1 << which))
         print_operand(p, inst, said, which);
   }
}

static void
print_condition(struct isa_printer *p, const struct vpe_inst *inst,
                struct vpe_inst *said)
{
   isa_text_print(p, "%s%s%sp", inst->pred_lt ? "lt " : "",
                  inst->pred_eq ? "eq " : "", inst->pred_gt ? "gt " : "");
   print_swizzle(p, inst->predicate_swizzle);
   isa_text_print(p, " ");
   /* an instruction that tests nothing has the neutral setting */
   if (inst->condition_check || inst->pred_lt || inst->pred_eq ||
       inst->pred_gt) {
      said->pred_lt = inst->pred_lt;
      said->pred_eq = inst->pred_eq;
      said->pred_gt = inst->pred_gt;
   }
   memcpy(said->predicate_swizzle, inst->predicate_swizzle, 4);
}

static void
print_options(struct isa_printer *p, const struct vpe_inst *inst,
              struct vpe_inst *said)
{
   const size_t before = p->used;

   isa_text_print(p, "(");
   if (inst->export_index != 31) {
      print_indexed(p, inst, said, "export", inst->export_index,
                    inst->export_relative);
      isa_text_print(p, "=%s ", inst->export_vector ? "vector" : "scalar");
      said->export_index = inst->export_index;
      said->export_relative = inst->export_relative;
      said->export_vector = inst->export_vector;
   }
   if (inst->saturate)
      isa_text_print(p, "saturate ");
   if (inst->condition_set)
      isa_text_print(p, "cs ");
   if (inst->condition_write)
      isa_text_print(p, "cwr ");
   if (inst->condition_check)
      isa_text_print(p, "cc ");
   if (inst->condition_check || vpe_is_flow(inst))
      print_condition(p, inst, said);
   if (inst->condition_check || inst->condition_set || vpe_is_flow(inst)) {
      isa_text_print(p, "cr=%u ", inst->condition_register);
      said->condition_register = inst->condition_register;
   }
   if (inst->address_zero)
      isa_text_print(p, "bit120 ");
   said->saturate = inst->saturate;
   said->condition_set = inst->condition_set;
   said->condition_write = inst->condition_write;
   said->condition_check = inst->condition_check;
   said->address_zero = inst->address_zero;
   if (p->used == before + 1) {
      p->used = before;
      p->text[before] = '\0';
   } else {
      p->text[p->used - 1] = ')';
   }
}

static void
print_vector(struct isa_printer *p, struct vpe_inst *inst,
             struct vpe_inst *said)
{
   const char *name =
      inst->vector_op < sizeof(vpe_vector_op_names) / sizeof(char *)
         ? vpe_vector_op_names[inst->vector_op]
         : NULL;

   if (inst->vector_op == VPE_VECTOR_NOP)
      return;
   if (name)
      isa_text_print(p, " %sv", name);
   else
      isa_text_print(p, " OP%uv", inst->vector_op);
   if (vpe_writes_address(inst))
      isa_text_print(p, " A0");
   else
      isa_text_print(p, " r%u", inst->vector_rd);
   print_mask(p, inst->vector_mask);
   said->vector_op = inst->vector_op;
   said->vector_rd = vpe_writes_address(inst) ? 0 : inst->vector_rd;
   said->vector_mask = inst->vector_mask;
   print_operands(p, inst, said, vpe_vector_reads(inst->vector_op));
}

static void
print_scalar(struct isa_printer *p, struct vpe_inst *inst,
             struct vpe_inst *said)
{
   const char *name =
      inst->scalar_op < sizeof(vpe_scalar_op_names) / sizeof(char *)
         ? vpe_scalar_op_names[inst->scalar_op]
         : NULL;

   if (inst->scalar_op == VPE_SCALAR_NOP)
      return;
   if (name)
      isa_text_print(p, " %ss", name);
   else
      isa_text_print(p, " OP%us", inst->scalar_op);
   said->scalar_op = inst->scalar_op;
   if (vpe_jumps(inst)) {
      isa_text_print(p, " %u", inst->iaddr);
      said->iaddr = inst->iaddr;
      return;
   }
   if (inst->scalar_op == VPE_SCALAR_RET)
      return;
   isa_text_print(p, " r%u", inst->scalar_rd);
   print_mask(p, inst->scalar_mask);
   said->scalar_rd = inst->scalar_rd;
   said->scalar_mask = inst->scalar_mask;
   print_operands(p, inst, said, vpe_scalar_reads(inst->scalar_op));
}

void
vpe_print_inst(const uint32_t words[4], char *text, size_t size)
{
   struct isa_printer p = { .text = text, .size = size };
   struct vpe_inst inst, said = vpe_inst_init(); /* words of the text */
   uint32_t said_words[4];

   vpe_unpack(words, &inst);
   isa_text_print(&p, "EXEC%s", inst.end ? "_END" : "");
   said.end = inst.end;
   print_options(&p, &inst, &said);
   print_vector(&p, &inst, &said);
   print_scalar(&p, &inst, &said);
   vpe_pack(&said, said_words);
   isa_text_print_raw(&p, vpe_fields, VPE_NUM_FIELDS, words, said_words, 4,
                      ISA_HIGH_FIRST);
   isa_text_print(&p, ";");
}
