/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Fragment instructions from text (fs_text.c describes it).
 */

#include <stdlib.h>
#include <string.h>

#include "fs_dw_isa.h"
#include "fs_mfu_isa.h"
#include "fs_names.h"
#include "fs_pseq_isa.h"
#include "fs_tex_isa.h"
#include "isa_parse.h"

/* "r12": the letters and the number; false leaves the parser where it was. */
static bool
accept_numbered(struct isa_parser *p, const char *prefix, unsigned max,
                unsigned *number)
{
   const char *start = p->pos, *name;
   const size_t length = isa_name(p, &name), skip = strlen(prefix);
   char *end;

   if (length > skip && strncmp(name, prefix, skip) == 0 &&
       name[skip] >= '0' && name[skip] <= '9') {
      *number = strtoul(name + skip, &end, 10);
      if (end == name + length && *number <= max)
         return true;
   }
   p->pos = start;
   return false;
}

static unsigned
expect_numbered(struct isa_parser *p, const char *prefix, unsigned max)
{
   unsigned number = 0;

   if (!accept_numbered(p, prefix, max, &number))
      isa_error(p, "expected %s and a number up to %u at \"%.20s\"", prefix,
                max, p->pos);
   return number;
}

static void
parse_register(struct isa_parser *p, unsigned *reg, bool *fx10,
               unsigned *half)
{
   unsigned number;

   *fx10 = false;
   *half = 0;
   if (isa_accept(p, "0") || isa_accept(p, "1")) {
      *reg = 31;
      *fx10 = true;
      *half = p->pos[-1] == '1';
      return;
   }
   if (accept_numbered(p, "c", 15, &number)) {
      *reg = 64 + number / 2;
      *fx10 = true;
      *half = number & 1;
      return;
   }
   *reg = 128;
   for (unsigned i = 72; i <= 76 && *reg == 128; i++) {
      if (isa_accept(p, fs_special_regs[i]))
         *reg = i;
   }
   for (unsigned i = 0;
        i < sizeof(fs_banks) / sizeof(fs_banks[0]) && *reg == 128; i++) {
      if (accept_numbered(p, fs_banks[i].prefix, fs_banks[i].count - 1,
                          &number))
         *reg = fs_banks[i].first + number;
   }
   if (*reg == 128) {
      isa_error(p, "expected a register at \"%.20s\"", p->pos);
      *reg = 31;
      return;
   }
   if (isa_accept(p, ".l")) {
      *fx10 = true;
   } else if (isa_accept(p, ".h")) {
      *fx10 = true;
      *half = 1;
   }
}

static struct fs_operand
parse_operand(struct isa_parser *p)
{
   struct fs_operand o = { 0 };

   o.neg = isa_accept(p, "-");
   o.sub1 = isa_accept(p, "(");
   o.x2 = isa_accept(p, "2*");
   o.abs = isa_accept(p, "|");
   parse_register(p, &o.reg, &o.fx10, &o.half);
   if (o.abs)
      isa_expect(p, "|");
   if (o.sub1)
      isa_expect(p, "-1)");
   return o;
}

static void
set_operand(struct fs_alu_inst *inst, unsigned i, struct fs_operand o)
{
   inst->neg[i] = o.neg;
   inst->sub1[i] = o.sub1;
   inst->x2[i] = o.x2;
   inst->abs[i] = o.abs;
   inst->fx10[i] = o.fx10;
   inst->reg[i] = o.reg;
   inst->half[i] = o.half;
}

static void
parse_addend(struct isa_parser *p, struct fs_alu_inst *inst)
{
   set_operand(inst, FS_OPERAND_C, parse_operand(p));
   if (!isa_accept(p, "*"))
      return;
   const struct fs_operand d = parse_operand(p);
   inst->d_enable = true;
   inst->d_sub1 = d.sub1;
   inst->d_abs = d.abs;
   inst->d_fx10 = d.fx10;
   inst->d_half = d.half;
   inst->d_of_c = d.reg != inst->reg[FS_OPERAND_B];
   if (inst->d_of_c && d.reg != inst->reg[FS_OPERAND_C])
      isa_error(p, "the second factor must be the register of B or C");
   if (d.neg || d.x2)
      isa_error(p, "the second factor cannot be negated or doubled");
}

static void
parse_dest(struct isa_parser *p, struct fs_alu_inst *inst)
{
   unsigned number, reg, half;
   bool fx10;

   if (accept_numbered(p, "c", 15, &number)) {
      inst->dest = 64 + number / 2;
      inst->write_low = inst->write_high = number & 1;
      return;
   }
   if (isa_accept(p, "void")) {
      inst->dest = 31;
      fx10 = isa_accept(p, ".l") || isa_accept(p, ".h");
      half = fx10 && p->pos[-1] == 'h';
   } else {
      parse_register(p, &reg, &fx10, &half);
      inst->dest = reg;
   }
   const bool none = isa_accept(p, ".n");
   inst->write_low = !none && (!fx10 || !half);
   inst->write_high = !none && (!fx10 || half);
}

static void
parse_expression(struct isa_parser *p, struct fs_alu_inst *inst)
{
   const bool min = isa_accept(p, "min"), max = !min && isa_accept(p, "max");

   inst->op = min ? FS_ALU_MIN : max ? FS_ALU_MAX : FS_ALU_MAD;
   if (min || max)
      isa_expect(p, "(");
   set_operand(inst, FS_OPERAND_A, parse_operand(p));
   if (isa_accept(p, "<")) {
      inst->op = FS_ALU_CSEL;
      isa_expect(p, "0");
      isa_expect(p, "?");
      set_operand(inst, FS_OPERAND_B, parse_operand(p));
      isa_expect(p, ":");
   } else {
      isa_expect(p, "*");
      set_operand(inst, FS_OPERAND_B, parse_operand(p));
      isa_expect(p, min || max ? "," : "+");
   }
   parse_addend(p, inst);
   if (min || max)
      isa_expect(p, ")");
}

/* Up to the end of the text, "|" or ";". */
bool
fs_alu_parse_inst(struct isa_parser *p, uint32_t words[2])
{
   struct fs_alu_inst inst = { 0 };

   if (isa_accept(p, "nop")) {
      memcpy(words, fs_alu_nop, sizeof(fs_alu_nop));
      return true;
   }
   parse_dest(p, &inst);
   isa_expect(p, "=");
   for (unsigned i = 0; i < FS_NUM_ALU_FLAGS; i++) {
      if (isa_accept(p, fs_alu_flags[i].name)) {
         ((uint8_t *)&inst)[fs_alu_flags[i].offset] = fs_alu_flags[i].value;
         i = -1u;
      }
   }
   parse_expression(p, &inst);
   fs_alu_pack(&inst, words);
   isa_parse_raw(p, fs_alu_fields, FS_ALU_NUM_FIELDS, words, 2,
                 ISA_HIGH_FIRST);
   return p->error[0] == '\0';
}

bool
fs_packet_parse_inst(struct isa_parser *p, uint32_t words[8])
{
   p->error[0] = '\0';
   isa_expect(p, "alu");
   for (unsigned unit = 0; unit < 4 && !p->error[0]; unit++) {
      if (unit)
         isa_expect(p, "|");
      if (unit == 3 && isa_accept(p, "const")) {
         uint64_t v = 0;
         for (unsigned k = 0; k < 3; k++) {
            v |= (uint64_t)isa_number(p, 0xfffff) << (4 + 20 * k);
            if (k < 2)
               isa_expect(p, ",");
         }
         if (isa_accept(p, ","))
            v |= isa_number(p, 0xf);
         words[6] = v;
         words[7] = v >> 32;
      } else {
         fs_alu_parse_inst(p, &words[2 * unit]);
      }
   }
   isa_accept(p, ";");
   if (!isa_at_end(p))
      isa_error(p, "unexpected \"%.20s\"", p->pos);
   return p->error[0] == '\0';
}

static unsigned
parse_word(struct isa_parser *p, const char *const *names, unsigned count)
{
   for (unsigned i = 0; i < count; i++) {
      if (names[i] && names[i][0] && isa_accept(p, names[i]))
         return i;
   }
   isa_error(p, "unexpected \"%.20s\"", p->pos);
   return 0;
}

static void
parse_mfu_part(struct isa_parser *p, struct fs_mfu_inst *inst)
{
   unsigned column;

   for (unsigned i = 0; i < 2; i++) {
      if (!isa_accept(p, i ? "mul1" : "mul0"))
         continue;
      inst->mul_dst[i] = parse_word(p, fs_mul_dests, 8);
      isa_expect(p, "=");
      inst->mul_src0[i] = parse_word(p, fs_mul_sources, 14);
      isa_expect(p, "*");
      inst->mul_src1[i] = parse_word(p, fs_mul_sources, 14);
      return;
   }
   if (accept_numbered(p, "r", 3, &column)) {
      isa_expect(p, "=");
      inst->var_sat[column] = isa_accept(p, "sat");
      inst->var_row[column] = expect_numbered(p, "tram", 15);
      isa_expect(p, ".");
      if (*p->pos != "xyzw"[column])
         isa_error(p, "r%u is interpolated from column %c", column,
                   "xyzw"[column]);
      else
         p->pos++;
      inst->var_op[column] =
         isa_accept(p, "fx10") ? FS_MFU_VAR_FX10 : FS_MFU_VAR_FP20;
      return;
   }
   inst->sfu_op = parse_word(p, fs_sfu_words, 12);
   inst->sfu_reg = expect_numbered(p, "r", 63);
}

bool
fs_mfu_parse_inst(struct isa_parser *p, uint32_t words[2])
{
   struct fs_mfu_inst inst = { 0 };

   p->error[0] = '\0';
   isa_expect(p, "mfu");
   if (!isa_accept(p, "nop")) {
      do {
         parse_mfu_part(p, &inst);
      } while (!p->error[0] && isa_accept(p, ","));
   }
   fs_mfu_pack(&inst, words);
   isa_parse_raw(p, fs_mfu_fields, FS_MFU_NUM_FIELDS, words, 2,
                 ISA_HIGH_FIRST);
   isa_accept(p, ";");
   if (!isa_at_end(p))
      isa_error(p, "unexpected \"%.20s\"", p->pos);
   return p->error[0] == '\0';
}

static bool
finish_word(struct isa_parser *p, const struct isa_field *fields,
            unsigned num_fields, uint32_t *word)
{
   isa_parse_raw(p, fields, num_fields, word, 1, ISA_LOW_FIRST);
   isa_accept(p, ";");
   if (!isa_at_end(p))
      isa_error(p, "unexpected \"%.20s\"", p->pos);
   return p->error[0] == '\0';
}

static bool
parse_pair(struct isa_parser *p)
{
   const unsigned reg = expect_numbered(p, "r", 2);

   if (reg == 1)
      isa_error(p, "a pair begins at r0 or r2");
   return reg == 2;
}

bool
fs_tex_parse_inst(struct isa_parser *p, uint32_t word[1])
{
   struct fs_tex_inst inst = { 0 };

   p->error[0] = '\0';
   isa_expect(p, "tex");
   if (!isa_accept(p, "nop")) {
      inst.enable = true;
      inst.result_r2 = parse_pair(p);
      isa_expect(p, "=");
      inst.sampler = expect_numbered(p, "sample", 15);
      isa_expect(p, "(");
      inst.coord_r2 = parse_pair(p);
      isa_expect(p, ")");
      inst.bias = isa_accept(p, "bias");
   }
   fs_tex_pack(&inst, word);
   return finish_word(p, fs_tex_fields, FS_TEX_NUM_FIELDS, word);
}

bool
fs_pseq_parse_inst(struct isa_parser *p, uint32_t word[1])
{
   struct fs_pseq_inst inst = { 0 };

   p->error[0] = '\0';
   isa_expect(p, "fetch");
   if (!isa_accept(p, "nop")) {
      inst.enable = inst.fx10 = true;
      inst.surface = expect_numbered(p, "surface", 15);
      isa_expect(p, ",");
      inst.dest_r2 = parse_pair(p);
   }
   fs_pseq_pack(&inst, word);
   return finish_word(p, fs_pseq_fields, FS_PSEQ_NUM_FIELDS, word);
}

bool
fs_dw_parse_inst(struct isa_parser *p, uint32_t word[1])
{
   struct fs_dw_inst inst = { 0 };

   p->error[0] = '\0';
   isa_expect(p, "store");
   if (!isa_accept(p, "nop")) {
      inst.enable = inst.fx10 = true;
      inst.surface = expect_numbered(p, "surface", 15);
      isa_expect(p, ",");
      if (isa_accept(p, "stencil"))
         inst.stencil = true;
      else
         inst.source_r2 = parse_pair(p);
   }
   fs_dw_pack(&inst, word);
   return finish_word(p, fs_dw_fields, FS_DW_NUM_FIELDS, word);
}
