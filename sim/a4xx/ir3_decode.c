/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Words of 64 bits into fields.  Bits 63 to 61 are the category, which says
 * where the other fields are.
 */

#include <string.h>

#include "ir3.h"
#include "numbers.h"

struct op_info {
   const char *name;
   uint8_t sources;
};

static const struct op_info ops[IR3_NUM_OPS] = {
   [IR3_NOP] = { "nop", 0 },
   [IR3_BR] = { "br", 0 },
   [IR3_JUMP] = { "jump", 0 },
   [IR3_CALL] = { "call", 0 },
   [IR3_RET] = { "ret", 0 },
   [IR3_KILL] = { "kill", 0 },
   [IR3_END] = { "end", 0 },
   [IR3_EMIT] = { "emit", 0 },
   [IR3_CUT] = { "cut", 0 },
   [IR3_CHMASK] = { "chmask", 0 },
   [IR3_CHSH] = { "chsh", 0 },
   [IR3_FLOW_REV] = { "flow_rev", 0 },
   [IR3_MOV] = { "mov", 1 },
   [IR3_ADD_F] = { "add.f", 2 },
   [IR3_MIN_F] = { "min.f", 2 },
   [IR3_MAX_F] = { "max.f", 2 },
   [IR3_MUL_F] = { "mul.f", 2 },
   [IR3_SIGN_F] = { "sign.f", 1 },
   [IR3_CMPS_F] = { "cmps.f", 2 },
   [IR3_ABSNEG_F] = { "absneg.f", 1 },
   [IR3_CMPV_F] = { "cmpv.f", 2 },
   [IR3_FLOOR_F] = { "floor.f", 1 },
   [IR3_CEIL_F] = { "ceil.f", 1 },
   [IR3_RNDNE_F] = { "rndne.f", 1 },
   [IR3_RNDAZ_F] = { "rndaz.f", 1 },
   [IR3_TRUNC_F] = { "trunc.f", 1 },
   [IR3_ADD_U] = { "add.u", 2 },
   [IR3_ADD_S] = { "add.s", 2 },
   [IR3_SUB_U] = { "sub.u", 2 },
   [IR3_SUB_S] = { "sub.s", 2 },
   [IR3_CMPS_U] = { "cmps.u", 2 },
   [IR3_CMPS_S] = { "cmps.s", 2 },
   [IR3_MIN_U] = { "min.u", 2 },
   [IR3_MIN_S] = { "min.s", 2 },
   [IR3_MAX_U] = { "max.u", 2 },
   [IR3_MAX_S] = { "max.s", 2 },
   [IR3_ABSNEG_S] = { "absneg.s", 1 },
   [IR3_AND_B] = { "and.b", 2 },
   [IR3_OR_B] = { "or.b", 2 },
   [IR3_NOT_B] = { "not.b", 1 },
   [IR3_XOR_B] = { "xor.b", 2 },
   [IR3_CMPV_U] = { "cmpv.u", 2 },
   [IR3_CMPV_S] = { "cmpv.s", 2 },
   [IR3_MUL_U24] = { "mul.u24", 2 },
   [IR3_MUL_S24] = { "mul.s24", 2 },
   [IR3_MULL_U] = { "mull.u", 2 },
   [IR3_BFREV_B] = { "bfrev.b", 1 },
   [IR3_CLZ_S] = { "clz.s", 1 },
   [IR3_CLZ_B] = { "clz.b", 1 },
   [IR3_SHL_B] = { "shl.b", 2 },
   [IR3_SHR_B] = { "shr.b", 2 },
   [IR3_ASHR_B] = { "ashr.b", 2 },
   [IR3_BARY_F] = { "bary.f", 2 },
   [IR3_MGEN_B] = { "mgen.b", 2 },
   [IR3_GETBIT_B] = { "getbit.b", 2 },
   [IR3_SETRM] = { "setrm", 1 },
   [IR3_CBITS_B] = { "cbits.b", 1 },
   [IR3_SHB] = { "shb", 2 },
   [IR3_MSAD] = { "msad", 2 },
   [IR3_MAD_U16] = { "mad.u16", 3 },
   [IR3_MADSH_U16] = { "madsh.u16", 3 },
   [IR3_MAD_S16] = { "mad.s16", 3 },
   [IR3_MADSH_M16] = { "madsh.m16", 3 },
   [IR3_MAD_U24] = { "mad.u24", 3 },
   [IR3_MAD_S24] = { "mad.s24", 3 },
   [IR3_MAD_F16] = { "mad.f16", 3 },
   [IR3_MAD_F32] = { "mad.f32", 3 },
   [IR3_SEL_B16] = { "sel.b16", 3 },
   [IR3_SEL_B32] = { "sel.b32", 3 },
   [IR3_SEL_S16] = { "sel.s16", 3 },
   [IR3_SEL_S32] = { "sel.s32", 3 },
   [IR3_SEL_F16] = { "sel.f16", 3 },
   [IR3_SEL_F32] = { "sel.f32", 3 },
   [IR3_SAD_S16] = { "sad.s16", 3 },
   [IR3_SAD_S32] = { "sad.s32", 3 },
   [IR3_RCP] = { "rcp", 1 },
   [IR3_RSQ] = { "rsq", 1 },
   [IR3_LOG2] = { "log2", 1 },
   [IR3_EXP2] = { "exp2", 1 },
   [IR3_SIN] = { "sin", 1 },
   [IR3_COS] = { "cos", 1 },
   [IR3_SQRT] = { "sqrt", 1 },
   [IR3_OP(4, 9)] = { "hrsq", 1 },
   [IR3_OP(4, 10)] = { "hlog2", 1 },
   [IR3_OP(4, 11)] = { "hexp2", 1 },
   [IR3_ISAM] = { "isam", 1 },
   [IR3_ISAML] = { "isaml", 2 },
   [IR3_ISAMM] = { "isamm", 1 },
   [IR3_SAM] = { "sam", 1 },
   [IR3_SAMB] = { "samb", 2 },
   [IR3_SAML] = { "saml", 2 },
   [IR3_SAMGQ] = { "samgq", 1 },
   [IR3_GETLOD] = { "getlod", 1 },
   [IR3_OP(5, 8)] = { "conv", 2 },
   [IR3_OP(5, 9)] = { "convm", 2 },
   [IR3_GETSIZE] = { "getsize", 1 },
   [IR3_GETBUF] = { "getbuf", 0 },
   [IR3_OP(5, 12)] = { "getpos", 1 },
   [IR3_GETINFO] = { "getinfo", 0 },
   [IR3_DSX] = { "dsx", 1 },
   [IR3_DSY] = { "dsy", 1 },
   [IR3_GATHER4R] = { "gather4r", 1 },
   [IR3_GATHER4G] = { "gather4g", 1 },
   [IR3_GATHER4B] = { "gather4b", 1 },
   [IR3_GATHER4A] = { "gather4a", 1 },
   [IR3_OP(5, 20)] = { "samgp0", 1 },
   [IR3_OP(5, 21)] = { "samgp1", 1 },
   [IR3_OP(5, 22)] = { "samgp2", 1 },
   [IR3_OP(5, 23)] = { "samgp3", 1 },
   [IR3_LDG] = { "ldg", 1 },
   [IR3_LDL] = { "ldl", 1 },
   [IR3_LDP] = { "ldp", 1 },
   [IR3_STG] = { "stg", 2 },
   [IR3_STL] = { "stl", 2 },
   [IR3_STP] = { "stp", 2 },
   [IR3_LDIB] = { "ldib", 2 },
   [IR3_LDLW] = { "ldlw", 1 },
   [IR3_STLW] = { "stlw", 2 },
   [IR3_RESINFO] = { "resinfo", 0 },
   [IR3_ATOMIC_ADD] = { "atomic.add", 3 },
   [IR3_ATOMIC_SUB] = { "atomic.sub", 3 },
   [IR3_ATOMIC_XCHG] = { "atomic.xchg", 3 },
   [IR3_ATOMIC_INC] = { "atomic.inc", 3 },
   [IR3_ATOMIC_DEC] = { "atomic.dec", 3 },
   [IR3_ATOMIC_CMPXCHG] = { "atomic.cmpxchg", 3 },
   [IR3_ATOMIC_MIN] = { "atomic.min", 3 },
   [IR3_ATOMIC_MAX] = { "atomic.max", 3 },
   [IR3_ATOMIC_AND] = { "atomic.and", 3 },
   [IR3_ATOMIC_OR] = { "atomic.or", 3 },
   [IR3_ATOMIC_XOR] = { "atomic.xor", 3 },
   [IR3_LDGB] = { "ldgb", 2 },
   [IR3_STGB] = { "stgb", 3 },
   [IR3_STIB] = { "stib", 3 },
   [IR3_LDLV] = { "ldlv", 0 },
   [IR3_BAR] = { "bar", 0 },
   [IR3_FENCE] = { "fence", 0 },
};

const char *
ir3_op_name(unsigned op)
{
   return op < IR3_NUM_OPS ? ops[op].name : NULL;
}

unsigned
ir3_op_sources(unsigned op)
{
   return op < IR3_NUM_OPS ? ops[op].sources : 0;
}

bool
ir3_is_atomic(unsigned op)
{
   return op >= IR3_ATOMIC_ADD && op <= IR3_ATOMIC_XOR;
}

bool
ir3_names_buffer(unsigned op)
{
   return op == IR3_LDIB || (op >= IR3_ATOMIC_ADD && op <= IR3_STIB);
}

bool
ir3_has_sampler(unsigned op)
{
   return op < IR3_GETSIZE || op >= IR3_GATHER4R;
}

bool
ir3_has_texture(unsigned op)
{
   return op < IR3_DSX || op >= IR3_GATHER4R;
}

float
ir3_table(unsigned index)
{
   static const float values[12] = {
      0.0f,          0.5f,          1.0f,          2.0f,
      2.7182818284f, 3.1415926535f, 0.3183098861f, 0.6931471805f,
      1.4426950408f, 0.3010299956f, 3.3219280948f, 4.0f,
   };
   return index < 12 ? values[index] : 0.0f;
}

float
ir3_half_to_float(uint32_t half)
{
   const uint32_t sign = (half & 0x8000) << 16;
   uint32_t exponent = half >> 10 & 0x1f, fraction = half & 0x3ff;
   if (exponent == 31) {
      exponent = 255;
   } else if (exponent) {
      exponent += 127 - 15;
   } else if (fraction) {
      for (exponent = 127 - 14; !(fraction & 0x400); exponent--)
         fraction <<= 1;
   }
   return sim_float_from_bits(sign | exponent << 23 |
                              (fraction & 0x3ff) << 13);
}

bool
ir3_is_relative(const struct ir3_instr *instr)
{
   bool relative = instr->dst_relative;
   for (unsigned i = 0; i < instr->num_sources; i++)
      relative |= instr->src[i].kind >= IR3_SRC_REL_REG;
   return relative;
}

static uint32_t
bits(uint64_t word, unsigned low, unsigned high)
{
   return word >> low & (~0ull >> (63 - high + low));
}

static int32_t
sign_extend(uint32_t value, unsigned width)
{
   return (int32_t)(value << (32 - width)) >> (32 - width);
}

static void
set_register(struct ir3_source *src, unsigned number)
{
   src->kind = IR3_SRC_REG;
   src->num = number;
}

static void
set_relative(struct ir3_source *src, uint32_t field)
{
   src->kind = field >> 10 & 1 ? IR3_SRC_REL_CONST : IR3_SRC_REL_REG;
   src->num = sign_extend(field & 0x3ff, 10);
}

/* The sixteen bits of a source of categories 2 and 4. */
static bool
decode_source(struct ir3_source *src, uint32_t field, bool full)
{
   const unsigned kind = field >> 11 & 7;
   src->half = !full;
   src->negate = field >> 14 & 1;
   src->absolute = field >> 15 & 1;
   switch (kind) {
   case 0:
      set_register(src, field & 0xff);
      src->last = field >> 10 & 1;
      return !(field >> 8 & 3);
   case 1:
      set_relative(src, field);
      return true;
   case 2:
   case 6:
      src->kind = IR3_SRC_CONST;
      src->num = field & 0x7ff;
      return true;
   case 4:
      src->kind = IR3_SRC_IMMEDIATE;
      src->immediate = sign_extend(field & 0x7ff, 11);
      return true;
   case 5:
      src->kind = IR3_SRC_TABLE;
      src->num = field & 0x3ff;
      src->half = field >> 10 & 1;
      return true;
   default:
      return false;
   }
}

static void
decode_flags(uint64_t word, struct ir3_instr *instr)
{
   instr->ss = bits(word, 44, 44);
   instr->jp = bits(word, 59, 59);
   instr->sy = bits(word, 60, 60);
}

static void
decode_destination(uint64_t word, struct ir3_instr *instr, bool full)
{
   bool convert = bits(word, 46, 46);
   instr->dst = bits(word, 32, 39);
   /* Half when the precision is that of half sources, or is changed to it;
    * a0 and p0 are neither. */
   instr->dst_half = full == convert && instr->dst < IR3_PREDICATE;
}

static bool
decode_flow(uint64_t word, struct ir3_instr *instr)
{
   instr->op = IR3_OP(0, bits(word, 55, 58));
   instr->repeat = bits(word, 40, 42);
   instr->eq = bits(word, 48, 48);
   instr->immediate = (int32_t)bits(word, 0, 31);
   instr->invert[0] = bits(word, 52, 52);
   instr->predicate[0] = bits(word, 53, 54);
   instr->invert[1] = bits(word, 45, 45);
   instr->predicate[1] = bits(word, 46, 47);
   /* Bit 49: instructions of later generations; bit 43 is free. */
   if (bits(word, 49, 49) || !ops[instr->op].name)
      return false;
   switch (instr->op) {
   case IR3_BR:
      instr->branch = bits(word, 37, 39);
      instr->index = bits(word, 32, 36);
      return instr->branch <= IR3_BR_ALL;
   case IR3_JUMP:
   case IR3_CALL:
      return true;
   case IR3_KILL:
      return !bits(word, 32, 39) && !bits(word, 45, 47);
   default:
      return !bits(word, 37, 39) && !bits(word, 45, 47) &&
             !bits(word, 52, 54);
   }
}

static bool
decode_move(uint64_t word, struct ir3_instr *instr)
{
   struct ir3_source *src = &instr->src[0];
   instr->op = IR3_MOV;
   instr->num_sources = 1;
   instr->repeat = bits(word, 40, 41);
   instr->ul = bits(word, 45, 45);
   instr->type = bits(word, 46, 48);
   instr->dst_relative = bits(word, 49, 49);
   instr->source_type = bits(word, 50, 52);
   instr->round = bits(word, 55, 56);
   instr->dst = bits(word, 32, 39);
   instr->dst_half = ir3_type_is_half(instr->type);
   src->half = ir3_type_is_half(instr->source_type);
   src->repeats = bits(word, 43, 43);
   if (bits(word, 42, 42) || bits(word, 57, 58))
      return false;
   switch (bits(word, 53, 54)) {
   case 0:
      if (bits(word, 11, 11)) {
         set_relative(src, bits(word, 0, 10));
         return !bits(word, 12, 31);
      }
      set_register(src, bits(word, 0, 7));
      src->last = bits(word, 10, 10);
      return !bits(word, 8, 9) && !bits(word, 12, 31);
   case 1:
      src->kind = IR3_SRC_CONST;
      src->num = bits(word, 0, 10);
      return !bits(word, 11, 31);
   case 2:
      src->kind = IR3_SRC_IMMEDIATE;
      src->immediate = bits(word, 0, 31);
      return true;
   default:
      return false;
   }
}

/* Without a repetition the (r) bits are nops that follow. */
static void
decode_repeats(struct ir3_instr *instr, bool first, bool second)
{
   if (instr->repeat) {
      instr->src[0].repeats = first;
      instr->src[1].repeats = second;
   } else {
      instr->nops = first | second << 1;
   }
}

static bool
decode_two(uint64_t word, struct ir3_instr *instr)
{
   const bool full = bits(word, 52, 52);
   instr->op = IR3_OP(2, bits(word, 53, 58));
   instr->num_sources = ops[instr->op].sources;
   instr->repeat = bits(word, 40, 41);
   instr->sat = bits(word, 42, 42);
   instr->ul = bits(word, 45, 45);
   instr->ei = bits(word, 47, 47);
   instr->cond = bits(word, 48, 50);
   decode_destination(word, instr, full);
   bool good = ops[instr->op].name;
   for (unsigned i = 0; i < instr->num_sources; i++)
      good &=
         decode_source(&instr->src[i], bits(word, i * 16, i * 16 + 15), full);
   if (instr->op == IR3_BARY_F) {
      instr->src[0].repeats = bits(word, 43, 43);
      instr->src[1].repeats = bits(word, 51, 51);
      return good && !bits(word, 50, 50);
   }
   decode_repeats(instr, bits(word, 43, 43), bits(word, 51, 51));
   return good;
}

static bool
decode_short_source(struct ir3_source *src, uint32_t field)
{
   if (field >> 12 & 1) {
      src->kind = IR3_SRC_CONST;
      src->num = field & 0x7ff;
      return !(field >> 11 & 1);
   }
   if (field >> 11 & 1) {
      set_relative(src, field);
      return true;
   }
   set_register(src, field & 0xff);
   src->last = field >> 10 & 1;
   return !(field >> 8 & 3);
}

/* Do its sources have 32 bits? */
static bool
three_is_full(unsigned op)
{
   switch (op) {
   case IR3_MAD_U16:
   case IR3_MAD_S16:
   case IR3_MAD_F16:
   case IR3_SEL_B16:
   case IR3_SEL_S16:
   case IR3_SEL_F16:
   case IR3_SAD_S16:
      return false;
   default:
      return true;
   }
}

static bool
decode_three(uint64_t word, struct ir3_instr *instr)
{
   instr->op = IR3_OP(3, bits(word, 55, 58));
   instr->num_sources = 3;
   instr->repeat = bits(word, 40, 41);
   instr->sat = bits(word, 42, 42);
   instr->ul = bits(word, 45, 45);
   bool full = three_is_full(instr->op);
   decode_destination(word, instr, full);
   bool good = decode_short_source(&instr->src[0], bits(word, 0, 12));
   set_register(&instr->src[1], bits(word, 47, 54));
   good &= decode_short_source(&instr->src[2], bits(word, 16, 28));
   instr->src[0].negate = bits(word, 14, 14);
   instr->src[1].negate = bits(word, 30, 30);
   instr->src[2].negate = bits(word, 31, 31);
   for (unsigned i = 0; i < 3; i++)
      instr->src[i].half = !full;
   decode_repeats(instr, bits(word, 43, 43), bits(word, 15, 15));
   instr->src[2].repeats = !instr->nops && bits(word, 29, 29);
   return good && !bits(word, 13, 13);
}

static bool
decode_late(uint64_t word, struct ir3_instr *instr)
{
   const bool full = bits(word, 52, 52);
   instr->op = IR3_OP(4, bits(word, 53, 58));
   instr->num_sources = 1;
   instr->repeat = bits(word, 40, 41);
   instr->sat = bits(word, 42, 42);
   instr->ul = bits(word, 45, 45);
   decode_destination(word, instr, full);
   instr->src[0].repeats = bits(word, 43, 43);
   return ops[instr->op].name &&
          decode_source(&instr->src[0], bits(word, 0, 15), full);
}

/* Are fields empty that an operation does not use, and those of later
 * generations (descriptors by address)? */
static bool
texture_fields_good(uint64_t word, const struct ir3_instr *instr)
{
   if ((instr->num_sources < 1 && bits(word, 1, 8)) ||
       (instr->num_sources < 2 && bits(word, 9, 16)))
      return false;
   if (instr->op == IR3_ISAM ? instr->project : bits(word, 18, 18))
      return false;
   if (instr->indirect)
      return !bits(word, 29, 31);
   return !bits(word, 19, 20) && !bits(word, 47, 47) &&
          (ir3_has_sampler(instr->op) || !instr->sampler) &&
          (ir3_has_texture(instr->op) || !instr->texture);
}

static bool
decode_texture(uint64_t word, struct ir3_instr *instr)
{
   const bool full = bits(word, 0, 0);
   instr->op = IR3_OP(5, bits(word, 54, 58));
   instr->num_sources = ops[instr->op].sources;
   instr->ss = false;
   instr->dst = bits(word, 32, 39);
   instr->mask = bits(word, 40, 43);
   instr->type = bits(word, 44, 46);
   instr->dst_half = ir3_memory_type_is_half(instr->type);
   instr->is_3d = bits(word, 48, 48);
   instr->is_array = bits(word, 49, 49);
   instr->shadow = bits(word, 50, 50);
   instr->indirect = bits(word, 51, 51);
   instr->offset = bits(word, 52, 52);
   instr->project = bits(word, 53, 53);
   instr->size = bits(word, 18, 18);
   instr->sampler = bits(word, 21, 24);
   instr->texture = bits(word, 25, 31);
   set_register(&instr->src[0], bits(word, 1, 8));
   set_register(&instr->src[1], bits(word, 9, 16));
   /* With .o the second register is offsets, whatever the operation. */
   if (instr->offset && instr->num_sources == 1)
      instr->num_sources = 2;
   if (instr->indirect)
      set_register(&instr->src[2], bits(word, 21, 28));
   for (unsigned i = 0; i < 3; i++)
      instr->src[i].half = !full;
   return ops[instr->op].name && texture_fields_good(word, instr);
}

/* A register or a number of eight bits. */
static void
set_register_or_number(struct ir3_source *src, uint32_t field, bool number)
{
   set_register(src, field);
   if (number) {
      src->kind = IR3_SRC_IMMEDIATE;
      src->immediate = field;
   }
}

static void
decode_image(uint64_t word, struct ir3_instr *instr)
{
   instr->dimensions = bits(word, 9, 10) + 1;
   instr->typed = bits(word, 11, 11);
   instr->size = bits(word, 12, 13) + 1;
   instr->binding = bits(word, 41, 48);
   instr->binding_immediate = bits(word, 53, 53);
}

static bool
decode_image_access(uint64_t word, struct ir3_instr *instr)
{
   decode_image(word, instr);
   switch (instr->op) {
   case IR3_STGB:
   case IR3_STIB:
      set_register(&instr->src[0], bits(word, 1, 8));
      set_register_or_number(&instr->src[1], bits(word, 24, 31),
                             bits(word, 23, 23));
      set_register_or_number(&instr->src[2], bits(word, 32, 39),
                             bits(word, 40, 40));
      return !bits(word, 0, 0);
   case IR3_RESINFO:
      instr->dst = bits(word, 32, 39);
      return !bits(word, 14, 23) && !bits(word, 40, 40);
   default:
      instr->local = bits(word, 0, 0) && instr->num_sources == 3;
      set_register_or_number(&instr->src[0], bits(word, 14, 21),
                             bits(word, 22, 22));
      set_register_or_number(&instr->src[1], bits(word, 24, 31),
                             bits(word, 23, 23));
      set_register(&instr->src[2], bits(word, 1, 8));
      instr->dst = bits(word, 32, 39);
      if (instr->num_sources < 3)
         return bits(word, 0, 0);
      if (instr->local)
         return !bits(word, 1, 8) && !bits(word, 41, 48) &&
                !bits(word, 52, 53);
      return bits(word, 52, 52);
   }
}

static bool
decode_memory(uint64_t word, struct ir3_instr *instr)
{
   instr->op = IR3_OP(6, bits(word, 54, 58));
   instr->num_sources = ops[instr->op].sources;
   instr->ss = false;
   instr->type = bits(word, 49, 51);
   instr->size = bits(word, 24, instr->op == IR3_LDG ? 26 : 31);
   switch (instr->op) {
   case IR3_LDG:
   case IR3_LDL:
   case IR3_LDP:
   case IR3_LDLW:
      set_register(&instr->src[0], bits(word, 14, 21));
      instr->immediate = sign_extend(bits(word, 1, 13), 13);
      instr->dst = bits(word, 32, 39);
      instr->dst_half = ir3_memory_type_is_half(instr->type);
      return bits(word, 0, 0) && bits(word, 23, 23) &&
             (instr->op != IR3_LDG ||
              (!bits(word, 22, 22) && !bits(word, 30, 31) &&
               !bits(word, 52, 53)));
   case IR3_LDLV:
      instr->immediate = bits(word, 1, 13);
      instr->dst = bits(word, 32, 39);
      instr->dst_half = ir3_memory_type_is_half(instr->type);
      return !bits(word, 0, 0) && !bits(word, 14, 21) &&
             bits(word, 22, 23) == 3;
   case IR3_STG:
      instr->size = bits(word, 24, 26);
      /* fall through */
   case IR3_STL:
   case IR3_STP:
   case IR3_STLW:
      set_register(&instr->src[0], bits(word, 41, 48));
      set_register(&instr->src[1], bits(word, 1, 8));
      instr->src[1].half = ir3_memory_type_is_half(instr->type);
      instr->immediate =
         sign_extend(bits(word, 9, 13) << 8 | bits(word, 32, 39), 13);
      if (instr->op == IR3_STG)
         return bits(word, 23, 23) && !bits(word, 30, 31) &&
                !bits(word, 52, 53);
      return bits(word, 23, 23) && bits(word, 40, 40) &&
             !(instr->op == IR3_STP && bits(word, 0, 0));
   default:
      return ops[instr->op].name && decode_image_access(word, instr);
   }
}

static bool
decode_barrier(uint64_t word, struct ir3_instr *instr)
{
   instr->op = IR3_OP(7, bits(word, 55, 58));
   instr->writes = bits(word, 51, 51);
   instr->reads = bits(word, 52, 52);
   instr->local_memory = bits(word, 53, 53);
   instr->global_memory = bits(word, 54, 54);
   return ops[instr->op].name && bits(word, 49, 49);
}

bool
ir3_decode(uint64_t word, struct ir3_instr *instr)
{
   static bool (*const decoders[])(uint64_t, struct ir3_instr *) = {
      decode_flow, decode_move,    decode_two,    decode_three,
      decode_late, decode_texture, decode_memory, decode_barrier,
   };
   const unsigned category = word >> 61;
   memset(instr, 0, sizeof(*instr));
   decode_flags(word, instr);
   instr->valid = decoders[category](word, instr);
   return instr->valid;
}
