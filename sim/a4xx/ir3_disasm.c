/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Instructions as text, in the syntax of Mesa's ir3-disasm.
 */

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "ir3.h"
#include "numbers.h"

static const char *const types[] = { "f16", "f32", "u16", "u32",
                                     "s16", "s32", "u8",  "u8_32" };
static const char *const conditions[] = { "lt", "le", "gt", "ge",
                                          "eq", "ne", "6",  "7" };
static const char *const rounds[] = { "", "(even)", "(pos_infinity)",
                                      "(neg_infinity)" };
static const char *const table[] = {
   "(0.0)",     "(0.5)",        "(1.0)",      "(2.0)",
   "(e)",       "(pi)",         "(1/pi)",     "(1/log2(e))",
   "(log2(e))", "(1/log2(10))", "(log2(10))", "(4.0)",
};

struct text {
   char *at;
   unsigned left; /* with the end */
};

static void __attribute__((format(printf, 2, 3)))
put(struct text *text, const char *format, ...)
{
   va_list args;
   va_start(args, format);
   int n = vsnprintf(text->at, text->left, format, args);
   va_end(args);
   if (n < 0)
      return;
   unsigned used = (unsigned)n < text->left ? (unsigned)n : text->left - 1;
   text->at += used;
   text->left -= used;
}

static void
put_register(struct text *text, unsigned number, bool half)
{
   char component = "xyzw"[number & 3];
   const char *prefix = half ? "h" : "";
   if (number >> 2 == 61)
      put(text, "%sa0.%c", prefix, component);
   else if (number >> 2 == 62)
      put(text, "%sp0.%c", prefix, component);
   else
      put(text, "%sr%u.%c", prefix, number >> 2, component);
}

static void
put_relative(struct text *text, char file, int offset, bool always)
{
   if (offset || always)
      put(text, "%c<a0.x + %d>", file, offset);
   else
      put(text, "%c<a0.x>", file);
}

static void
put_modifiers(struct text *text, const struct ir3_source *src)
{
   if (src->negate && src->absolute)
      put(text, "(absneg)");
   else if (src->negate)
      put(text, "(neg)");
   else if (src->absolute)
      put(text, "(abs)");
}

/* Of ALU instructions; immediates of moves have put_move_immediate(). */
static void
put_source(struct text *text, const struct ir3_source *src, bool of_three)
{
   if (src->last && !of_three)
      put(text, "(last)");
   put_modifiers(text, src);
   if (src->repeats)
      put(text, "(r)");
   if (src->last && of_three)
      put(text, "(last)");
   if (src->half && src->kind != IR3_SRC_IMMEDIATE)
      put(text, "h");
   switch (src->kind) {
   case IR3_SRC_REG:
      put_register(text, src->num, false);
      break;
   case IR3_SRC_CONST:
      put(text, "c%d.%c", src->num >> 2, "xyzw"[src->num & 3]);
      break;
   case IR3_SRC_IMMEDIATE:
      put(text, src->half ? "h(%d)" : "%d", (int)src->immediate);
      break;
   case IR3_SRC_TABLE:
      if (src->num < 12)
         put(text, "%s", table[src->num]);
      else
         put(text, "%d", src->num);
      break;
   case IR3_SRC_REL_REG:
      put_relative(text, 'r', src->num, of_three);
      break;
   case IR3_SRC_REL_CONST:
      put_relative(text, 'c', src->num, of_three);
      break;
   default:
      break;
   }
}

static void
put_move_immediate(struct text *text, const struct ir3_instr *instr)
{
   const uint32_t value = instr->src[0].immediate;
   switch (instr->source_type) {
   case IR3_F16:
      put(text, "h(%f)", ir3_half_to_float(value & 0xffff));
      break;
   case IR3_F32:
      put(text, "(%f)", sim_float_from_bits(value));
      break;
   case IR3_S16:
      put(text, "%d", (int16_t)value);
      break;
   case IR3_S32:
      put(text, "%d", (int32_t)value);
      break;
   case IR3_U32:
      put(text, value > 0x1000 ? "0x%" PRIx32 : "%" PRIu32, value);
      break;
   default:
      put(text, "%" PRIu32, value);
   }
}

static void
put_flags(struct text *text, const struct ir3_instr *instr)
{
   put(text, "%s%s%s%s%s", instr->sy ? "(sy)" : "", instr->ss ? "(ss)" : "",
       instr->eq ? "(eq)" : "", instr->jp ? "(jp)" : "",
       instr->sat ? "(sat)" : "");
   if (instr->repeat)
      put(text, "(rpt%u)", instr->repeat);
   if (instr->nops)
      put(text, "(nop%u) ", instr->nops);
   if (instr->ul)
      put(text, "(ul)");
}

static void
put_predicate(struct text *text, const struct ir3_instr *instr, unsigned i)
{
   put(text, "%sp0.%c", instr->invert[i] ? "!" : "",
       "xyzw"[instr->predicate[i]]);
}

static void
put_flow(struct text *text, struct ir3_instr *instr)
{
   static const char *const branches[] = { "br",   "brao", "braa",
                                           "brac", "bany", "ball" };
   if (instr->op == IR3_JUMP || instr->op == IR3_CALL ||
       instr->op == IR3_KILL || instr->op == IR3_BR)
      instr->repeat = 0;
   if (instr->op == IR3_JUMP || instr->op == IR3_CALL)
      instr->eq = false;
   put_flags(text, instr);
   if (instr->op != IR3_BR) {
      put(text, "%s", ir3_op_name(instr->op));
      if (instr->op == IR3_KILL) {
         put(text, " ");
         put_predicate(text, instr, 0);
      } else if (instr->op == IR3_JUMP || instr->op == IR3_CALL) {
         put(text, " #%d", instr->immediate);
      }
      return;
   }
   put(text, "%s", branches[instr->branch]);
   if (instr->branch == IR3_BR_CONST) {
      put(text, ".%u", instr->index);
   } else {
      put(text, " ");
      put_predicate(text, instr, 0);
      if (instr->branch == IR3_BR_OR || instr->branch == IR3_BR_AND) {
         put(text, ", ");
         put_predicate(text, instr, 1);
      }
      put(text, ",");
   }
   put(text, " #%d", instr->immediate);
}

static void
put_move(struct text *text, const struct ir3_instr *instr)
{
   const bool immediate = instr->src[0].kind == IR3_SRC_IMMEDIATE;
   put_flags(text, instr);
   if (!instr->dst_relative && instr->dst == IR3_ADDRESS &&
       instr->type == IR3_S16 && instr->source_type == IR3_S16) {
      put(text, "mova %sa0.x, %s", rounds[instr->round],
          immediate && instr->src[0].repeats ? "(r)" : "");
   } else if (!instr->dst_relative && instr->dst == IR3_ADDRESS + 1 &&
              instr->type == IR3_U16 && instr->source_type == IR3_U16) {
      put(text, "mova1 %sa1.x, %s", rounds[instr->round],
          immediate && instr->src[0].repeats ? "(r)" : "");
   } else {
      put(text, "%s.%s%s %s%s",
          instr->type == instr->source_type ? "mov" : "cov",
          types[instr->source_type], types[instr->type], rounds[instr->round],
          instr->dst_half ? "h" : "");
      if (instr->dst_relative)
         put_relative(text, 'r', instr->dst, false);
      else
         put_register(text, instr->dst, false);
      put(text, ", ");
   }
   if (immediate)
      put_move_immediate(text, instr);
   else
      put_source(text, &instr->src[0], false);
}

static void
put_alu(struct text *text, const struct ir3_instr *instr)
{
   put_flags(text, instr);
   put(text, "%s", ir3_op_name(instr->op));
   switch (instr->op) {
   case IR3_CMPS_F:
   case IR3_CMPS_U:
   case IR3_CMPS_S:
   case IR3_CMPV_F:
   case IR3_CMPV_U:
   case IR3_CMPV_S:
      put(text, ".%s", conditions[instr->cond]);
      break;
   default:
      break;
   }
   put(text, " %s", instr->ei ? "(ei)" : "");
   put_register(text, instr->dst, instr->dst_half);
   for (unsigned i = 0; i < instr->num_sources; i++) {
      put(text, ", ");
      put_source(text, &instr->src[i], instr->num_sources == 3);
   }
}

static void
put_texture(struct text *text, const struct ir3_instr *instr)
{
   const bool isam = instr->op == IR3_ISAM;
   put_flags(text, instr);
   put(text, "%s%s%s%s%s%s", ir3_op_name(instr->op),
       instr->is_3d ? ".3d" : "", instr->is_array ? ".a" : "",
       instr->offset ? ".o" : "", instr->project && !isam ? ".p" : "",
       !instr->shadow ? ""
       : isam         ? ".v"
                      : ".s");
   if (instr->indirect)
      put(text, ".s2en.uniform");
   if (isam && !instr->size)
      put(text, ".1d");
   put(text, " (%s)(", types[instr->type]);
   for (unsigned c = 0; c < 4; c++) {
      if (instr->mask >> c & 1)
         put(text, "%c", "xyzw"[c]);
   }
   put(text, ")");
   put_register(text, instr->dst, instr->dst_half);
   for (unsigned i = 0; i < instr->num_sources; i++) {
      put(text, ", ");
      put_register(text, instr->src[i].num, instr->src[i].half);
   }
   if (instr->indirect) {
      put(text, ", ");
      put_register(text, instr->src[2].num, true);
      return;
   }
   if (ir3_has_sampler(instr->op))
      put(text, ", s#%u", instr->sampler);
   if (ir3_has_texture(instr->op))
      put(text, ", t#%u", instr->texture);
}

static void
put_number_or_register(struct text *text, unsigned value, bool number)
{
   if (number)
      put(text, "%u", value);
   else
      put(text, "r%u.%c", value >> 2, "xyzw"[value & 3]);
}

static void
put_memory_source(struct text *text, const struct ir3_source *src)
{
   put_number_or_register(
      text, src->kind == IR3_SRC_IMMEDIATE ? src->immediate : src->num,
      src->kind == IR3_SRC_IMMEDIATE);
}

static void
put_image(struct text *text, const struct ir3_instr *instr)
{
   const bool atomic = ir3_is_atomic(instr->op);
   const char *name = ir3_op_name(instr->op);
   if (instr->op == IR3_RESINFO) {
      put(text, "resinfo.%s.%ud ", types[instr->type], instr->dimensions);
      put_register(text, instr->dst, false);
      put(text, ", g[");
      put_number_or_register(text, instr->binding, instr->binding_immediate);
      put(text, "]");
      return;
   }
   if (atomic && !instr->local)
      put(text, "atomic.s.%s", name + sizeof("atomic"));
   else
      put(text, "%s", name);
   put(text, ".%s.%ud.%s.%u%s ", instr->typed ? "typed" : "untyped",
       instr->dimensions,
       atomic && !instr->local && instr->type == IR3_U8 ? "u64"
                                                        : types[instr->type],
       instr->size,
       !atomic        ? ""
       : instr->local ? ".l"
                      : ".g");
   if (instr->op != IR3_STGB && instr->op != IR3_STIB) {
      put_register(text, instr->dst, false);
      put(text, ", ");
   }
   if (instr->local) {
      put(text, "l[");
      put_memory_source(text, &instr->src[0]);
      put(text, "], ");
      put_memory_source(text, &instr->src[1]);
      return;
   }
   put(text, "g[");
   put_number_or_register(text, instr->binding, instr->binding_immediate);
   put(text, "]");
   for (unsigned i = 0; i < instr->num_sources; i++) {
      put(text, ", ");
      /* The one that is never a number. */
      if (i == (atomic ? 2 : 0) && instr->num_sources == 3)
         put_register(text, instr->src[i].num, false);
      else
         put_memory_source(text, &instr->src[i]);
   }
}

static void
put_memory(struct text *text, const struct ir3_instr *instr)
{
   char space = 'l';
   put_flags(text, instr);
   switch (instr->op) {
   case IR3_LDG:
   case IR3_STG:
      space = 'g';
      break;
   case IR3_LDP:
   case IR3_STP:
      space = 'p';
      break;
   case IR3_LDL:
   case IR3_LDLW:
   case IR3_STL:
   case IR3_STLW:
      break;
   case IR3_LDLV:
      put(text, "ldlv.%s ", types[instr->type]);
      put_register(text, instr->dst, false);
      put(text, ", l[%d], %u", instr->immediate, instr->size);
      return;
   default:
      put_image(text, instr);
      return;
   }
   const bool store = instr->num_sources == 2;
   /* Where the address is in local memory, the data's width goes unsaid. */
   const bool half = space != 'l' && ir3_memory_type_is_half(instr->type) &&
                     !(store && space == 'p');
   put(text, "%s.%s ", ir3_op_name(instr->op), types[instr->type]);
   if (!store) {
      put_register(text, instr->dst, half);
      put(text, ", ");
   }
   put(text, "%c[", space);
   if (space == 'g')
      put_number_or_register(text, instr->src[0].num, false);
   else
      put_register(text, instr->src[0].num, false);
   if (instr->immediate)
      put(text, "%+d", instr->immediate);
   put(text, "]");
   if (store) {
      put(text, ", ");
      put_register(text, instr->src[1].num, half);
   }
   put(text, ", %u", instr->size);
}

void
ir3_disassemble(uint64_t word, char *string, unsigned size)
{
   struct text text = { string, size };
   struct ir3_instr instr;
   if (!size)
      return;
   *string = 0;
   if (!ir3_decode(word, &instr)) {
      put(&text, "no match: %08x%08x", (unsigned)(word >> 32),
          (unsigned)word);
      return;
   }
   switch (instr.op >> 6) {
   case 0:
      put_flow(&text, &instr);
      break;
   case 1:
      put_move(&text, &instr);
      break;
   case 5:
      put_texture(&text, &instr);
      break;
   case 6:
      put_memory(&text, &instr);
      break;
   case 7:
      put_flags(&text, &instr);
      put(&text, "%s%s%s%s%s", ir3_op_name(instr.op),
          instr.global_memory ? ".g" : "", instr.local_memory ? ".l" : "",
          instr.reads ? ".r" : "", instr.writes ? ".w" : "");
      break;
   default:
      put_alu(&text, &instr);
   }
}
