/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Fragment instructions as text, one statement per instruction:
 *
 *    mfu rcp r4, mul0 w = sfu*b0, r0 = tram0.x, r1 = tram1.y10;
 *    tex r2 = sample0(r0) bias;
 *    alu r0.l = sat (r1.h-1)*-r2.l + r0.l | void = min(r1*1, r2) |
 *        kill = gt0 r1.h*1 + -1 | nop;
 *    alu r1 = r1*k0 + k1.h | nop | nop | const 0x3c000, 0xc0000, 0x41400;
 *    fetch surface1, r2;
 *    store surface1, r0;
 *
 * ALU expressions are A*B + C, min(A*B, C), max(A*B, C) and A < 0 ? B : C;
 * "C*x" with the register of B or C again is operand D.  Words in front of
 * the expression are the result's modifiers.  Operand modifiers: -x, (x-1),
 * 2*x, |x|.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fs_alu_isa.h"
#include "fs_dw_isa.h"
#include "fs_mfu_isa.h"
#include "fs_pseq_isa.h"
#include "fs_tex_isa.h"
#include "isa_text.h"

enum { OPERAND_C, OPERAND_B, OPERAND_A };

static const char *const special_regs[] = {
   [72] = "posx", [73] = "posy", [74] = "coverage",
   [75] = "face", [76] = "kill",
};

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

/* --- ALU --- */

static const struct {
   const char *prefix;
   unsigned first, count;
} banks[] = { { "r", 0, 16 }, { "g", 16, 8 },  { "alu", 24, 4 },
              { "k", 28, 3 }, { "u", 32, 32 }, { "reg", 0, 128 } };

static void
print_register(struct isa_printer *out, unsigned reg, bool fx10,
               unsigned half)
{
   if (reg == 31 && fx10) {
      isa_print(out, half ? "1" : "0");
      return;
   }
   if (reg >= 64 && reg < 72 && fx10) {
      isa_print(out, "c%u", 2 * (reg - 64) + half);
      return;
   }
   if (reg < sizeof(special_regs) / sizeof(special_regs[0]) &&
       special_regs[reg]) {
      isa_print(out, "%s", special_regs[reg]);
   } else {
      unsigned bank = 0;
      while (reg < banks[bank].first ||
             reg >= banks[bank].first + banks[bank].count)
         bank++;
      isa_print(out, "%s%u", banks[bank].prefix, reg - banks[bank].first);
   }
   if (fx10)
      isa_print(out, half ? ".h" : ".l");
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
      if (isa_accept(p, special_regs[i]))
         *reg = i;
   }
   for (unsigned i = 0; i < sizeof(banks) / sizeof(banks[0]) && *reg == 128;
        i++) {
      if (accept_numbered(p, banks[i].prefix, banks[i].count - 1, &number))
         *reg = banks[i].first + number;
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

struct operand {
   bool neg, sub1, x2, abs, fx10;
   unsigned reg, half;
};

static void
print_operand(struct isa_printer *out, const struct operand *o)
{
   isa_print(out, "%s%s%s%s", o->neg ? "-" : "", o->sub1 ? "(" : "",
             o->x2 ? "2*" : "", o->abs ? "|" : "");
   print_register(out, o->reg, o->fx10, o->half);
   isa_print(out, "%s%s", o->abs ? "|" : "", o->sub1 ? "-1)" : "");
}

static struct operand
parse_operand(struct isa_parser *p)
{
   struct operand o = { 0 };

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

static struct operand
get_operand(const struct fs_alu_inst *inst, unsigned i)
{
   return (struct operand){ inst->neg[i], inst->sub1[i], inst->x2[i],
                            inst->abs[i], inst->fx10[i], inst->reg[i],
                            inst->half[i] };
}

static void
set_operand(struct fs_alu_inst *inst, unsigned i, struct operand o)
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
print_addend(struct isa_printer *out, const struct fs_alu_inst *inst)
{
   const struct operand c = get_operand(inst, OPERAND_C);

   print_operand(out, &c);
   if (inst->d_enable) {
      const struct operand d = {
         .sub1 = inst->d_sub1,
         .abs = inst->d_abs,
         .fx10 = inst->d_fx10,
         .half = inst->d_half,
         .reg = inst->reg[inst->d_of_c ? OPERAND_C : OPERAND_B]
      };
      isa_print(out, "*");
      print_operand(out, &d);
   }
}

static void
parse_addend(struct isa_parser *p, struct fs_alu_inst *inst)
{
   set_operand(inst, OPERAND_C, parse_operand(p));
   if (!isa_accept(p, "*"))
      return;
   const struct operand d = parse_operand(p);
   inst->d_enable = true;
   inst->d_sub1 = d.sub1;
   inst->d_abs = d.abs;
   inst->d_fx10 = d.fx10;
   inst->d_half = d.half;
   inst->d_of_c = d.reg != inst->reg[OPERAND_B];
   if (inst->d_of_c && d.reg != inst->reg[OPERAND_C])
      isa_error(p, "the second factor must be the register of B or C");
   if (d.neg || d.x2)
      isa_error(p, "the second factor cannot be negated or doubled");
}

static const struct {
   const char *name;
   uint8_t offset, value;
} flags[] = {
   { "sat", offsetof(struct fs_alu_inst, sat), 1 },
   { "x2", offsetof(struct fs_alu_inst, scale), FS_ALU_SCALE_X2 },
   { "x4", offsetof(struct fs_alu_inst, scale), FS_ALU_SCALE_X4 },
   { "half", offsetof(struct fs_alu_inst, scale), FS_ALU_SCALE_HALF },
   { "eq0", offsetof(struct fs_alu_inst, cond), FS_ALU_COND_EQ },
   { "gt0", offsetof(struct fs_alu_inst, cond), FS_ALU_COND_GT },
   { "ge0", offsetof(struct fs_alu_inst, cond), FS_ALU_COND_GE },
   { "send", offsetof(struct fs_alu_inst, send), 1 },
   { "recv", offsetof(struct fs_alu_inst, recv), 1 },
   { "noadd", offsetof(struct fs_alu_inst, no_add), 1 },
};

#define NUM_FLAGS (sizeof(flags) / sizeof(flags[0]))

static void
print_dest(struct isa_printer *out, const struct fs_alu_inst *inst)
{
   if (inst->dest >= 64 && inst->dest < 72) {
      isa_print(out, "c%u", 2 * (inst->dest - 64) + inst->write_high);
      return;
   }
   if (inst->dest == 31)
      isa_print(out, "void");
   else
      print_register(out, inst->dest, false, 0);
   if (!inst->write_low || !inst->write_high)
      isa_print(out, inst->write_low ? ".l" : inst->write_high ? ".h" : ".n");
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

static const uint32_t alu_nop[2] = { 0x000fe7e8, 0x3e41f200 };

void
fs_alu_print_inst(const uint32_t words[2], char *text, size_t size)
{
   struct isa_printer out = { .text = text, .size = size };
   struct isa_parser again = { .pos = text };
   struct fs_alu_inst inst;
   uint32_t said[2];

   if (memcmp(words, alu_nop, sizeof(alu_nop)) == 0) {
      isa_print(&out, "nop");
      return;
   }
   fs_alu_unpack(words, &inst);
   const struct operand a = get_operand(&inst, OPERAND_A),
                        b = get_operand(&inst, OPERAND_B);
   print_dest(&out, &inst);
   isa_print(&out, " = ");
   for (unsigned i = 0; i < NUM_FLAGS; i++) {
      if (((const uint8_t *)&inst)[flags[i].offset] == flags[i].value)
         isa_print(&out, "%s ", flags[i].name);
   }
   if (inst.op == FS_ALU_CSEL) {
      print_operand(&out, &a);
      isa_print(&out, " < 0 ? ");
      print_operand(&out, &b);
      isa_print(&out, " : ");
   } else {
      isa_print(&out, "%s",
                inst.op == FS_ALU_MIN   ? "min("
                : inst.op == FS_ALU_MAX ? "max("
                                        : "");
      print_operand(&out, &a);
      isa_print(&out, "*");
      print_operand(&out, &b);
      isa_print(&out, inst.op == FS_ALU_MAD ? " + " : ", ");
   }
   print_addend(&out, &inst);
   if (inst.op == FS_ALU_MIN || inst.op == FS_ALU_MAX)
      isa_print(&out, ")");
   if (fs_alu_parse_inst(&again, said))
      isa_print_raw(&out, fs_alu_fields, FS_ALU_NUM_FIELDS, words, said, 2,
                    ISA_HIGH_FIRST);
}

static void
parse_expression(struct isa_parser *p, struct fs_alu_inst *inst)
{
   const bool min = isa_accept(p, "min"), max = !min && isa_accept(p, "max");

   inst->op = min ? FS_ALU_MIN : max ? FS_ALU_MAX : FS_ALU_MAD;
   if (min || max)
      isa_expect(p, "(");
   set_operand(inst, OPERAND_A, parse_operand(p));
   if (isa_accept(p, "<")) {
      inst->op = FS_ALU_CSEL;
      isa_expect(p, "0");
      isa_expect(p, "?");
      set_operand(inst, OPERAND_B, parse_operand(p));
      isa_expect(p, ":");
   } else {
      isa_expect(p, "*");
      set_operand(inst, OPERAND_B, parse_operand(p));
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
      memcpy(words, alu_nop, sizeof(alu_nop));
      return true;
   }
   parse_dest(p, &inst);
   isa_expect(p, "=");
   for (unsigned i = 0; i < NUM_FLAGS; i++) {
      if (isa_accept(p, flags[i].name)) {
         ((uint8_t *)&inst)[flags[i].offset] = flags[i].value;
         i = -1u;
      }
   }
   parse_expression(p, &inst);
   fs_alu_pack(&inst, words);
   isa_parse_raw(p, fs_alu_fields, FS_ALU_NUM_FIELDS, words, 2,
                 ISA_HIGH_FIRST);
   return p->error[0] == '\0';
}

/* Do units 0 to 2 name a constant register?  Then the fourth slot holds
 * constants (fragment-pipeline.md 3.4). */
static bool
has_consts(const uint32_t words[8])
{
   for (unsigned unit = 0; unit < 3; unit++) {
      struct fs_alu_inst inst;
      fs_alu_unpack(&words[2 * unit], &inst);
      for (unsigned i = 0; i < 3; i++) {
         if (inst.reg[i] >= 28 && inst.reg[i] <= 30)
            return true;
      }
   }
   return false;
}

void
fs_packet_print_inst(const uint32_t words[8], char *text, size_t size)
{
   struct isa_printer out = { .text = text, .size = size };
   const bool consts = has_consts(words);

   isa_print(&out, "alu ");
   for (unsigned unit = 0; unit < (consts ? 3 : 4); unit++) {
      char part[ISA_MAX_TEXT];
      fs_alu_print_inst(&words[2 * unit], part, sizeof(part));
      isa_print(&out, "%s%s", unit ? " | " : "", part);
   }
   if (consts) {
      const uint64_t v = (uint64_t)words[7] << 32 | words[6];
      isa_print(&out, " | const 0x%05x, 0x%05x, 0x%05x",
                (unsigned)(v >> 4 & 0xfffff), (unsigned)(v >> 24 & 0xfffff),
                (unsigned)(v >> 44));
      if (v & 0xf)
         isa_print(&out, ", 0x%x", (unsigned)(v & 0xf));
   }
   isa_print(&out, ";");
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

/* --- MFU --- */

static const char *const sfu_names[] = { "",        "rcp",     "rsq",
                                         "lg2",     "ex2",     "sqrt",
                                         "sin",     "cos",     "frc",
                                         "pre_ex2", "pre_sin", "pre_cos" };
static const char *const mul_sources[] = {
   "r0",         "r1",        "r2",        "r3",
   [10] = "sfu", [11] = "b0", [12] = "b1", [13] = "one"
};
static const char *const mul_dests[] = {
   [1] = "w", [4] = "r0", [5] = "r1", [6] = "r2", [7] = "r3"
};

static const char *
separator(struct isa_printer *out, bool *first)
{
   const char *text = *first ? " " : ", ";
   *first = false;
   return text;
}

void
fs_mfu_print_inst(const uint32_t words[2], char *text, size_t size)
{
   struct isa_printer out = { .text = text, .size = size };
   struct isa_parser again = { .pos = text };
   struct fs_mfu_inst inst;
   uint32_t said[2];
   bool first = true;

   fs_mfu_unpack(words, &inst);
   isa_print(&out, "mfu");
   if (inst.sfu_op && inst.sfu_op < 12)
      isa_print(&out, "%s%s r%u", separator(&out, &first),
                sfu_names[inst.sfu_op], inst.sfu_reg);
   for (unsigned i = 0; i < 2; i++) {
      const char *dst = mul_dests[inst.mul_dst[i]];
      const char *src0 =
         inst.mul_src0[i] < 14 ? mul_sources[inst.mul_src0[i]] : NULL;
      const char *src1 =
         inst.mul_src1[i] < 14 ? mul_sources[inst.mul_src1[i]] : NULL;
      if (dst && src0 && src1)
         isa_print(&out, "%smul%u %s = %s*%s", separator(&out, &first), i,
                   dst, src0, src1);
   }
   for (unsigned c = 0; c < 4; c++) {
      if (inst.var_op[c] == FS_MFU_VAR_FP20 ||
          inst.var_op[c] == FS_MFU_VAR_FX10)
         isa_print(&out, "%sr%u = %stram%u.%c%s", separator(&out, &first), c,
                   inst.var_sat[c] ? "sat " : "", inst.var_row[c], "xyzw"[c],
                   inst.var_op[c] == FS_MFU_VAR_FX10 ? " fx10" : "");
   }
   if (first)
      isa_print(&out, " nop");
   if (fs_mfu_parse_inst(&again, said))
      isa_print_raw(&out, fs_mfu_fields, FS_MFU_NUM_FIELDS, words, said, 2,
                    ISA_HIGH_FIRST);
   isa_print(&out, ";");
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
      inst->mul_dst[i] = parse_word(p, mul_dests, 8);
      isa_expect(p, "=");
      inst->mul_src0[i] = parse_word(p, mul_sources, 14);
      isa_expect(p, "*");
      inst->mul_src1[i] = parse_word(p, mul_sources, 14);
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
   inst->sfu_op = parse_word(p, sfu_names, 12);
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

/* --- lookup, fetch, store --- */

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

void
fs_tex_print_inst(const uint32_t word[1], char *text, size_t size)
{
   struct isa_printer out = { .text = text, .size = size };
   struct isa_parser again = { .pos = text };
   struct fs_tex_inst inst;
   uint32_t said;

   fs_tex_unpack(word, &inst);
   if (inst.enable)
      isa_print(&out, "tex r%u = sample%u(r%u)%s", 2 * inst.result_r2,
                inst.sampler, 2 * inst.coord_r2, inst.bias ? " bias" : "");
   else
      isa_print(&out, "tex nop");
   if (fs_tex_parse_inst(&again, &said))
      isa_print_raw(&out, fs_tex_fields, FS_TEX_NUM_FIELDS, word, &said, 1,
                    ISA_LOW_FIRST);
   isa_print(&out, ";");
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

void
fs_pseq_print_inst(const uint32_t word[1], char *text, size_t size)
{
   struct isa_printer out = { .text = text, .size = size };
   struct isa_parser again = { .pos = text };
   struct fs_pseq_inst inst;
   uint32_t said;

   fs_pseq_unpack(word, &inst);
   if (inst.enable)
      isa_print(&out, "fetch surface%u, r%u", inst.surface, 2 * inst.dest_r2);
   else
      isa_print(&out, "fetch nop");
   if (fs_pseq_parse_inst(&again, &said))
      isa_print_raw(&out, fs_pseq_fields, FS_PSEQ_NUM_FIELDS, word, &said, 1,
                    ISA_LOW_FIRST);
   isa_print(&out, ";");
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

void
fs_dw_print_inst(const uint32_t word[1], char *text, size_t size)
{
   struct isa_printer out = { .text = text, .size = size };
   struct isa_parser again = { .pos = text };
   struct fs_dw_inst inst;
   uint32_t said;

   fs_dw_unpack(word, &inst);
   if (!inst.enable)
      isa_print(&out, "store nop");
   else if (inst.stencil)
      isa_print(&out, "store surface%u, stencil", inst.surface);
   else
      isa_print(&out, "store surface%u, r%u", inst.surface,
                2 * inst.source_r2);
   if (fs_dw_parse_inst(&again, &said))
      isa_print_raw(&out, fs_dw_fields, FS_DW_NUM_FIELDS, word, &said, 1,
                    ISA_LOW_FIRST);
   isa_print(&out, ";");
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
