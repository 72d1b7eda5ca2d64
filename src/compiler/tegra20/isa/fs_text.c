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

#include <string.h>

#include "fs_dw_isa.h"
#include "fs_mfu_isa.h"
#include "fs_names.h"
#include "fs_pseq_isa.h"
#include "fs_tex_isa.h"
#include "isa_text.h"

/* --- ALU --- */

static void
print_register(struct isa_printer *out, unsigned reg, bool fx10,
               unsigned half)
{
   if (reg == 31 && fx10) {
      isa_text_print(out, half ? "1" : "0");
      return;
   }
   if (reg >= 64 && reg < 72 && fx10) {
      isa_text_print(out, "c%u", 2 * (reg - 64) + half);
      return;
   }
   if (reg < sizeof(fs_special_regs) / sizeof(fs_special_regs[0]) &&
       fs_special_regs[reg]) {
      isa_text_print(out, "%s", fs_special_regs[reg]);
   } else {
      unsigned bank = 0;
      while (reg < fs_banks[bank].first ||
             reg >= fs_banks[bank].first + fs_banks[bank].count)
         bank++;
      isa_text_print(out, "%s%u", fs_banks[bank].prefix,
                     reg - fs_banks[bank].first);
   }
   if (fx10)
      isa_text_print(out, half ? ".h" : ".l");
}

static void
print_operand(struct isa_printer *out, const struct fs_operand *o)
{
   isa_text_print(out, "%s%s%s%s", o->neg ? "-" : "", o->sub1 ? "(" : "",
                  o->x2 ? "2*" : "", o->abs ? "|" : "");
   print_register(out, o->reg, o->fx10, o->half);
   isa_text_print(out, "%s%s", o->abs ? "|" : "", o->sub1 ? "-1)" : "");
}

static struct fs_operand
get_operand(const struct fs_alu_inst *inst, unsigned i)
{
   return (struct fs_operand){ inst->neg[i], inst->sub1[i], inst->x2[i],
                               inst->abs[i], inst->fx10[i], inst->reg[i],
                               inst->half[i] };
}

static void
print_addend(struct isa_printer *out, const struct fs_alu_inst *inst)
{
   const struct fs_operand c = get_operand(inst, FS_OPERAND_C);

   print_operand(out, &c);
   if (inst->d_enable) {
      const struct fs_operand d = {
         .sub1 = inst->d_sub1,
         .abs = inst->d_abs,
         .fx10 = inst->d_fx10,
         .half = inst->d_half,
         .reg = inst->reg[inst->d_of_c ? FS_OPERAND_C : FS_OPERAND_B]
      };
      isa_text_print(out, "*");
      print_operand(out, &d);
   }
}

static void
print_dest(struct isa_printer *out, const struct fs_alu_inst *inst)
{
   if (inst->dest >= 64 && inst->dest < 72) {
      isa_text_print(out, "c%u", 2 * (inst->dest - 64) + inst->write_high);
      return;
   }
   if (inst->dest == 31)
      isa_text_print(out, "void");
   else
      print_register(out, inst->dest, false, 0);
   if (!inst->write_low || !inst->write_high)
      isa_text_print(out, inst->write_low    ? ".l"
                          : inst->write_high ? ".h"
                                             : ".n");
}

/* The instruction of the text alone: fields without a place in it are
 * zero. */
static struct fs_alu_inst
without_unprinted(struct fs_alu_inst inst)
{
   for (unsigned i = 0; i < 3; i++)
      inst.half[i] &= inst.fx10[i];
   if (inst.dest >= 64 && inst.dest < 72)
      inst.write_low = inst.write_high;
   inst.d_fx10 &= inst.d_enable;
   inst.d_abs &= inst.d_enable;
   inst.d_sub1 &= inst.d_enable;
   inst.d_half &= inst.d_fx10;
   inst.d_of_c &=
      inst.d_enable && inst.reg[FS_OPERAND_B] != inst.reg[FS_OPERAND_C];
   return inst;
}

void
fs_alu_print_inst(const uint32_t words[2], char *text, size_t size)
{
   struct isa_printer out = { .text = text, .size = size };
   struct fs_alu_inst inst, said;
   uint32_t said_words[2];

   if (memcmp(words, fs_alu_nop, sizeof(fs_alu_nop)) == 0) {
      isa_text_print(&out, "nop");
      return;
   }
   fs_alu_unpack(words, &inst);
   const struct fs_operand a = get_operand(&inst, FS_OPERAND_A),
                           b = get_operand(&inst, FS_OPERAND_B);
   print_dest(&out, &inst);
   isa_text_print(&out, " = ");
   for (unsigned i = 0; i < FS_NUM_ALU_FLAGS; i++) {
      if (((const uint8_t *)&inst)[fs_alu_flags[i].offset] ==
          fs_alu_flags[i].value)
         isa_text_print(&out, "%s ", fs_alu_flags[i].name);
   }
   if (inst.op == FS_ALU_CSEL) {
      print_operand(&out, &a);
      isa_text_print(&out, " < 0 ? ");
      print_operand(&out, &b);
      isa_text_print(&out, " : ");
   } else {
      isa_text_print(&out, "%s",
                     inst.op == FS_ALU_MIN   ? "min("
                     : inst.op == FS_ALU_MAX ? "max("
                                             : "");
      print_operand(&out, &a);
      isa_text_print(&out, "*");
      print_operand(&out, &b);
      isa_text_print(&out, inst.op == FS_ALU_MAD ? " + " : ", ");
   }
   print_addend(&out, &inst);
   if (inst.op == FS_ALU_MIN || inst.op == FS_ALU_MAX)
      isa_text_print(&out, ")");
   said = without_unprinted(inst);
   fs_alu_pack(&said, said_words);
   isa_text_print_raw(&out, fs_alu_fields, FS_ALU_NUM_FIELDS, words,
                      said_words, 2, ISA_HIGH_FIRST);
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

   isa_text_print(&out, "alu ");
   for (unsigned unit = 0; unit < (consts ? 3 : 4); unit++) {
      char part[ISA_MAX_TEXT];
      fs_alu_print_inst(&words[2 * unit], part, sizeof(part));
      isa_text_print(&out, "%s%s", unit ? " | " : "", part);
   }
   if (consts) {
      const uint64_t v = (uint64_t)words[7] << 32 | words[6];
      isa_text_print(&out, " | const 0x%05x, 0x%05x, 0x%05x",
                     (unsigned)(v >> 4 & 0xfffff),
                     (unsigned)(v >> 24 & 0xfffff), (unsigned)(v >> 44));
      if (v & 0xf)
         isa_text_print(&out, ", 0x%x", (unsigned)(v & 0xf));
   }
   isa_text_print(&out, ";");
}

/* --- MFU --- */

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
   struct fs_mfu_inst inst, said = { 0 };
   uint32_t said_words[2];
   bool first = true;

   fs_mfu_unpack(words, &inst);
   isa_text_print(&out, "mfu");
   if (inst.sfu_op && inst.sfu_op < 12) {
      isa_text_print(&out, "%s%s r%u", separator(&out, &first),
                     fs_sfu_words[inst.sfu_op], inst.sfu_reg);
      said.sfu_op = inst.sfu_op;
      said.sfu_reg = inst.sfu_reg;
   }
   for (unsigned i = 0; i < 2; i++) {
      const char *dst = fs_mul_dests[inst.mul_dst[i]];
      const char *src0 =
         inst.mul_src0[i] < 14 ? fs_mul_sources[inst.mul_src0[i]] : NULL;
      const char *src1 =
         inst.mul_src1[i] < 14 ? fs_mul_sources[inst.mul_src1[i]] : NULL;
      if (!dst || !src0 || !src1)
         continue;
      isa_text_print(&out, "%smul%u %s = %s*%s", separator(&out, &first), i,
                     dst, src0, src1);
      said.mul_dst[i] = inst.mul_dst[i];
      said.mul_src0[i] = inst.mul_src0[i];
      said.mul_src1[i] = inst.mul_src1[i];
   }
   for (unsigned c = 0; c < 4; c++) {
      if (inst.var_op[c] != FS_MFU_VAR_FP20 &&
          inst.var_op[c] != FS_MFU_VAR_FX10)
         continue;
      isa_text_print(&out, "%sr%u = %stram%u.%c%s", separator(&out, &first),
                     c, inst.var_sat[c] ? "sat " : "", inst.var_row[c],
                     "xyzw"[c],
                     inst.var_op[c] == FS_MFU_VAR_FX10 ? " fx10" : "");
      said.var_op[c] = inst.var_op[c];
      said.var_row[c] = inst.var_row[c];
      said.var_sat[c] = inst.var_sat[c];
   }
   if (first)
      isa_text_print(&out, " nop");
   fs_mfu_pack(&said, said_words);
   isa_text_print_raw(&out, fs_mfu_fields, FS_MFU_NUM_FIELDS, words,
                      said_words, 2, ISA_HIGH_FIRST);
   isa_text_print(&out, ";");
}

/* --- lookup, fetch, store --- */

void
fs_tex_print_inst(const uint32_t word[1], char *text, size_t size)
{
   struct isa_printer out = { .text = text, .size = size };
   struct fs_tex_inst inst, said = { 0 };
   uint32_t said_word;

   fs_tex_unpack(word, &inst);
   if (inst.enable) {
      isa_text_print(&out, "tex r%u = sample%u(r%u)%s", 2 * inst.result_r2,
                     inst.sampler, 2 * inst.coord_r2,
                     inst.bias ? " bias" : "");
      said = (struct fs_tex_inst){ .enable = true,
                                   .result_r2 = inst.result_r2,
                                   .sampler = inst.sampler,
                                   .coord_r2 = inst.coord_r2,
                                   .bias = inst.bias };
   } else {
      isa_text_print(&out, "tex nop");
   }
   fs_tex_pack(&said, &said_word);
   isa_text_print_raw(&out, fs_tex_fields, FS_TEX_NUM_FIELDS, word,
                      &said_word, 1, ISA_LOW_FIRST);
   isa_text_print(&out, ";");
}

void
fs_pseq_print_inst(const uint32_t word[1], char *text, size_t size)
{
   struct isa_printer out = { .text = text, .size = size };
   struct fs_pseq_inst inst, said = { 0 };
   uint32_t said_word;

   fs_pseq_unpack(word, &inst);
   if (inst.enable) {
      isa_text_print(&out, "fetch surface%u, r%u", inst.surface,
                     2 * inst.dest_r2);
      said = (struct fs_pseq_inst){ .enable = true,
                                    .fx10 = true,
                                    .surface = inst.surface,
                                    .dest_r2 = inst.dest_r2 };
   } else {
      isa_text_print(&out, "fetch nop");
   }
   fs_pseq_pack(&said, &said_word);
   isa_text_print_raw(&out, fs_pseq_fields, FS_PSEQ_NUM_FIELDS, word,
                      &said_word, 1, ISA_LOW_FIRST);
   isa_text_print(&out, ";");
}

void
fs_dw_print_inst(const uint32_t word[1], char *text, size_t size)
{
   struct isa_printer out = { .text = text, .size = size };
   struct fs_dw_inst inst, said = { 0 };
   uint32_t said_word;

   fs_dw_unpack(word, &inst);
   if (!inst.enable)
      isa_text_print(&out, "store nop");
   else if (inst.stencil)
      isa_text_print(&out, "store surface%u, stencil", inst.surface);
   else
      isa_text_print(&out, "store surface%u, r%u", inst.surface,
                     2 * inst.source_r2);
   if (inst.enable)
      said =
         (struct fs_dw_inst){ .enable = true,
                              .fx10 = true,
                              .surface = inst.surface,
                              .stencil = inst.stencil,
                              .source_r2 = inst.source_r2 && !inst.stencil };
   fs_dw_pack(&said, &said_word);
   isa_text_print_raw(&out, fs_dw_fields, FS_DW_NUM_FIELDS, word, &said_word,
                      1, ISA_LOW_FIRST);
   isa_text_print(&out, ";");
}
