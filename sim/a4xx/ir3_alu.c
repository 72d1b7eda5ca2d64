/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Arithmetic of all lanes.  Operands are widened to 32 bits, results narrowed
 * where the destination is a half register.  Denormals are flushed by the
 * thread's mode; mad.f32 rounds twice.
 */

#include <math.h>
#include <string.h>

#include "util/half_float.h"

#include "a4xx_internal.h"

#define SIGN 0x80000000u

enum operand_class { OPERAND_FLOAT, OPERAND_SIGNED, OPERAND_BITS };

static enum operand_class
class_of(unsigned op)
{
   switch (op) {
   case IR3_ADD_F ... IR3_TRUNC_F:
   case IR3_BARY_F:
   case IR3_MAD_F16:
   case IR3_MAD_F32:
   case IR3_SEL_F16:
   case IR3_SEL_F32:
   case IR3_RCP ... IR3_OP(4, 63):
      return OPERAND_FLOAT;
   case IR3_ADD_U ... IR3_ABSNEG_S:
   case IR3_CMPV_U ... IR3_MULL_U:
   case IR3_MAD_U16 ... IR3_MAD_S24:
   case IR3_SEL_S16:
   case IR3_SEL_S32:
   case IR3_SAD_S16:
   case IR3_SAD_S32:
      return OPERAND_SIGNED;
   default:
      return OPERAND_BITS;
   }
}

/* Do half operands keep their sign when they get 32 bits? */
static bool
widens_sign(unsigned op)
{
   switch (op) {
   case IR3_ADD_S:
   case IR3_SUB_S:
   case IR3_CMPS_S:
   case IR3_MIN_S:
   case IR3_MAX_S:
   case IR3_ABSNEG_S:
   case IR3_CLZ_S:
   case IR3_ASHR_B:
   case IR3_MAD_S16:
   case IR3_SEL_S16:
   case IR3_SAD_S16:
      return true;
   default:
      return false;
   }
}

static ir3_u
splat(uint32_t value)
{
   return (ir3_u){} + value;
}

static ir3_u
half_to_float(ir3_u half)
{
   ir3_u result;
   for (unsigned i = 0; i < IR3_LANES; i++) {
      float f = ir3_half_to_float(half[i]);
      memcpy((char *)&result + i * 4, &f, 4);
   }
   return result;
}

static ir3_u
float_to_half(ir3_u value)
{
   ir3_u result;
   ir3_f f = (ir3_f)value;
   for (unsigned i = 0; i < IR3_LANES; i++)
      result[i] = _mesa_float_to_half(f[i]);
   return result;
}

/* --- operands --- */

static ir3_u
read_register(const struct ir3_wave *wave, unsigned number, bool half)
{
   if (number >= IR3_PREDICATE && number < IR3_PREDICATE + 4)
      return wave->predicate[number - IR3_PREDICATE];
   if (number >= IR3_ADDRESS && number < IR3_ADDRESS + 4)
      return wave->address;
   if (number >= IR3_REGS)
      return splat(0);
   return half ? wave->half[number] : wave->full[number];
}

static uint32_t
read_const(const struct ir3_wave *wave, int number)
{
   if (number >= IR3_BUFFER_CONSTS && number < IR3_CONSTS && wave->buffers)
      return wave->buffers[(number - IR3_BUFFER_CONSTS) / 4]
         .place[number & 3];
   return number >= 0 && (unsigned)number < wave->num_consts
             ? wave->consts[number]
             : 0;
}

/* Constants have 32 bits; a half operand is made of one. */
static ir3_u
narrow_const(const struct ir3_source *src, enum operand_class class,
             ir3_u value)
{
   if (!src->half)
      return value;
   return class == OPERAND_FLOAT ? float_to_half(value) : value & 0xffff;
}

static ir3_u
read_relative(const struct ir3_wave *wave, const struct ir3_source *src,
              enum operand_class class, unsigned repetition)
{
   ir3_u value;
   for (unsigned i = 0; i < IR3_LANES; i++) {
      int number = (int32_t)wave->address[i] + src->num +
                   (src->repeats ? repetition : 0);
      if (src->kind == IR3_SRC_REL_CONST)
         value[i] = read_const(wave, number);
      else if (number < 0 || number >= IR3_REGS)
         value[i] = 0;
      else
         value[i] = (src->half ? wave->half : wave->full)[number][i];
   }
   return src->kind == IR3_SRC_REL_CONST ? narrow_const(src, class, value)
                                         : value;
}

/* Without widening and modifiers. */
static ir3_u
read_raw(const struct ir3_wave *wave, const struct ir3_source *src,
         enum operand_class class, unsigned repetition)
{
   const unsigned step = src->repeats ? repetition : 0;
   float f;
   uint32_t bits;
   switch (src->kind) {
   case IR3_SRC_REG:
      return read_register(wave, src->num + step, src->half);
   case IR3_SRC_CONST:
      return narrow_const(src, class,
                          splat(read_const(wave, src->num + step)));
   case IR3_SRC_IMMEDIATE:
      return splat(src->half ? src->immediate & 0xffff : src->immediate);
   case IR3_SRC_TABLE:
      f = ir3_table(src->num);
      memcpy(&bits, &f, 4);
      return src->half ? splat(_mesa_float_to_half(f)) : splat(bits);
   default:
      return read_relative(wave, src, class, repetition);
   }
}

static ir3_u
read_operand(const struct ir3_wave *wave, const struct ir3_instr *instr,
             unsigned index, unsigned repetition)
{
   const struct ir3_source *src = &instr->src[index];
   const enum operand_class class = class_of(instr->op);
   ir3_u value = read_raw(wave, src, class, repetition);
   if (src->half && class == OPERAND_FLOAT)
      value = half_to_float(value);
   else if (src->half && widens_sign(instr->op))
      value = (ir3_u)((ir3_i)(value << 16) >> 16);
   switch (class) {
   case OPERAND_FLOAT:
      if (src->absolute)
         value &= ~SIGN;
      if (src->negate)
         value ^= SIGN;
      break;
   case OPERAND_SIGNED:
      if (src->absolute)
         value = ir3_select((ir3_u)((ir3_i)value >> 31), -value, value);
      if (src->negate)
         value = -value;
      break;
   default:
      if (src->negate)
         value = ~value;
   }
   return value;
}

/* --- results --- */

static void
write_register(struct ir3_wave *wave, unsigned number, bool half, ir3_u value)
{
   ir3_u *reg;
   if (number >= IR3_PREDICATE && number < IR3_PREDICATE + 4)
      reg = &wave->predicate[number - IR3_PREDICATE];
   else if (number == IR3_ADDRESS)
      reg = &wave->address;
   else if (number < IR3_REGS)
      reg = half ? &wave->half[number] : &wave->full[number];
   else
      return;
   *reg = ir3_select(wave->mask, value, *reg);
}

static void
write_relative(struct ir3_wave *wave, const struct ir3_instr *instr,
               unsigned repetition, ir3_u value)
{
   for (unsigned i = 0; i < IR3_LANES; i++) {
      int number = (int32_t)wave->address[i] + instr->dst + repetition;
      if (!(wave->running >> i & 1) || number < 0 || number >= IR3_REGS)
         continue;
      (instr->dst_half ? wave->half : wave->full)[number][i] = value[i];
   }
}

static ir3_u
saturate(ir3_u value)
{
   ir3_f f = (ir3_f)value;
   /* NaN gives 0. */
   value &= ir3_less((ir3_f){ 0 }, f);
   return ir3_select(ir3_less((ir3_f){} + 1, (ir3_f)value), splat(0x3f800000),
                     value);
}

/* Sums and differences of integers end at the ends of their range. */
static ir3_u
saturate_integer(const struct ir3_instr *instr, ir3_u a, ir3_u b)
{
   const bool is_signed = instr->op == IR3_ADD_S || instr->op == IR3_SUB_S;
   const bool subtracts = instr->op == IR3_SUB_U || instr->op == IR3_SUB_S;
   const unsigned bits = instr->src[0].half ? 16 : 32;
   const int64_t low = is_signed ? -(1ll << (bits - 1)) : 0;
   const int64_t high = (1ll << (bits - is_signed)) - 1;
   ir3_u result;
   for (unsigned i = 0; i < IR3_LANES; i++) {
      int64_t x = is_signed ? (int32_t)a[i] : (int64_t)a[i];
      int64_t y = is_signed ? (int32_t)b[i] : (int64_t)b[i];
      int64_t exact = subtracts ? x - y : x + y;
      result[i] = A4XX_MIN(A4XX_MAX(exact, low), high);
   }
   return result;
}

static bool
adds_integers(unsigned op)
{
   return op >= IR3_ADD_U && op <= IR3_SUB_S;
}

static bool
compares(unsigned op)
{
   return op == IR3_CMPS_F || op == IR3_CMPS_U || op == IR3_CMPS_S;
}

/* --- operations --- */

/* See ir3_less(). */
#define EACH(expression)                       \
   do {                                        \
      ir3_u result_;                           \
      for (unsigned i = 0; i < IR3_LANES; i++) \
         result_[i] = (expression);            \
      return result_;                          \
   } while (0)

#define COMPARE(a, b)            \
   do {                          \
      switch (cond) {            \
      case IR3_LT:               \
         EACH((a)[i] < (b)[i]);  \
      case IR3_LE:               \
         EACH((a)[i] <= (b)[i]); \
      case IR3_GT:               \
         EACH((a)[i] > (b)[i]);  \
      case IR3_GE:               \
         EACH((a)[i] >= (b)[i]); \
      case IR3_EQ:               \
         EACH((a)[i] == (b)[i]); \
      default:                   \
         EACH((a)[i] != (b)[i]); \
      }                          \
   } while (0)

static ir3_u
compare(unsigned op, unsigned cond, ir3_u a, ir3_u b)
{
   const ir3_f x = (ir3_f)a, y = (ir3_f)b;
   const ir3_i m = (ir3_i)a, n = (ir3_i)b;
   if (op == IR3_CMPS_F)
      COMPARE(x, y);
   if (op == IR3_CMPS_S)
      COMPARE(m, n);
   COMPARE(a, b);
}

/* The other operand when one is NaN. */
static ir3_u
min_max(bool max, ir3_u a, ir3_u b)
{
   const ir3_f x = (ir3_f)a, y = (ir3_f)b;
   EACH((max ? x[i] > y[i] : x[i] < y[i]) | (y[i] != y[i]) ? a[i] : b[i]);
}

static float
sign_of(float f)
{
   return f > 0 ? 1.0f : f < 0 ? -1.0f : f;
}

/* Half away from zero. */
static float
round_away(float f)
{
   return roundf(f);
}

static float
inverse_sqrt(float f)
{
   return 1.0f / sqrtf(f);
}

static float
reciprocal(float f)
{
   return 1.0f / f;
}

static ir3_u
each(float (*function)(float), ir3_u a)
{
   ir3_f in = (ir3_f)a, out;
   for (unsigned i = 0; i < IR3_LANES; i++)
      out[i] = function(in[i]);
   return (ir3_u)out;
}

static uint32_t
leading_zeros(uint32_t value)
{
   return value ? (uint32_t)__builtin_clz(value) : ~0u;
}

static uint32_t
bits_one(unsigned op, uint32_t a)
{
   uint32_t result = 0;
   switch (op) {
   case IR3_BFREV_B:
      for (unsigned i = 0; i < 32; i++)
         result |= (a >> i & 1) << (31 - i);
      return result;
   case IR3_CLZ_S:
      return leading_zeros((int32_t)a < 0 ? ~a : a);
   case IR3_CLZ_B:
      return leading_zeros(a);
   default:
      return __builtin_popcount(a);
   }
}

static ir3_u
sign_24(ir3_u a)
{
   return (ir3_u)((ir3_i)(a << 8) >> 8);
}

static ir3_u
one_source(unsigned op, ir3_u a)
{
   ir3_u result;
   switch (op) {
   case IR3_ABSNEG_F:
   case IR3_ABSNEG_S:
      return a;
   case IR3_SIGN_F:
      return each(sign_of, a);
   case IR3_FLOOR_F:
      return each(floorf, a);
   case IR3_CEIL_F:
      return each(ceilf, a);
   case IR3_RNDNE_F:
      return each(rintf, a);
   case IR3_RNDAZ_F:
      return each(round_away, a);
   case IR3_TRUNC_F:
      return each(truncf, a);
   case IR3_NOT_B:
      return ~a;
   case IR3_RCP:
      return each(reciprocal, a);
   case IR3_RSQ:
      return each(inverse_sqrt, a);
   case IR3_LOG2:
      return each(log2f, a);
   case IR3_EXP2:
      return each(exp2f, a);
   case IR3_SIN:
      return each(sinf, a);
   case IR3_COS:
      return each(cosf, a);
   case IR3_SQRT:
      return each(sqrtf, a);
   default:
      for (unsigned i = 0; i < IR3_LANES; i++)
         result[i] = bits_one(op, a[i]);
      return result;
   }
}

static ir3_u
two_sources(const struct ir3_instr *instr, ir3_u a, ir3_u b)
{
   switch (instr->op) {
   case IR3_ADD_F:
      return (ir3_u)((ir3_f)a + (ir3_f)b);
   case IR3_MUL_F:
      return (ir3_u)((ir3_f)a * (ir3_f)b);
   case IR3_MIN_F:
      return min_max(false, a, b);
   case IR3_MAX_F:
      return min_max(true, a, b);
   case IR3_ADD_U:
   case IR3_ADD_S:
      return a + b;
   case IR3_SUB_U:
   case IR3_SUB_S:
      return a - b;
   case IR3_MIN_U:
      EACH(A4XX_MIN(a[i], b[i]));
   case IR3_MAX_U:
      EACH(A4XX_MAX(a[i], b[i]));
   case IR3_MIN_S:
      EACH(A4XX_MIN((int32_t)a[i], (int32_t)b[i]));
   case IR3_MAX_S:
      EACH(A4XX_MAX((int32_t)a[i], (int32_t)b[i]));
   case IR3_AND_B:
      return a & b;
   case IR3_OR_B:
      return a | b;
   case IR3_XOR_B:
      return a ^ b;
   case IR3_MUL_U24:
      return (a & 0xffffff) * (b & 0xffffff);
   case IR3_MUL_S24:
      return sign_24(a) * sign_24(b);
   case IR3_MULL_U:
      return (a & 0xffff) * (b & 0xffff);
   case IR3_SHL_B:
      return a << (b & 31);
   case IR3_SHR_B:
      return a >> (b & 31);
   case IR3_ASHR_B:
      return (ir3_u)((ir3_i)a >> (ir3_i)(b & 31));
   case IR3_GETBIT_B:
      return a >> (b & 31) & 1;
   default:
      return compare(instr->op, instr->cond, a, b);
   }
}

static ir3_u
three_sources(unsigned op, ir3_u a, ir3_u b, ir3_u c)
{
   switch (op) {
   case IR3_MAD_F16:
   case IR3_MAD_F32:
      return (ir3_u)((ir3_f)a * (ir3_f)b + (ir3_f)c);
   case IR3_MAD_U16:
   case IR3_MAD_S16:
      return a * b + c;
   case IR3_MADSH_M16:
      return ((a & 0xffff) * (b >> 16) << 16) + c;
   case IR3_MAD_U24:
      return (a & 0xffffff) * (b & 0xffffff) + c;
   case IR3_MAD_S24:
      return sign_24(a) * sign_24(b) + c;
   default: /* sel.b */
      EACH(b[i] ? a[i] : c[i]);
   }
}

/* --- conversions --- */

/* Towards zero, into the range. */
static int64_t
to_integer(float f, int64_t low, int64_t high)
{
   if (f != f)
      return 0;
   if (f <= (float)low)
      return low;
   return f >= (float)high ? high : (int64_t)f;
}

static float
widen_to_float(unsigned type, uint32_t value)
{
   float f;
   switch (type) {
   case IR3_F16:
      return ir3_half_to_float(value);
   case IR3_F32:
      memcpy(&f, &value, 4);
      return f;
   case IR3_U16:
      return (uint16_t)value;
   case IR3_U32:
      return value;
   case IR3_S16:
      return (int16_t)value;
   case IR3_S32:
      return (int32_t)value;
   case IR3_U8:
      return (uint8_t)value;
   default:
      return (int8_t)value;
   }
}

static uint32_t
widen_integer(unsigned type, uint32_t value)
{
   switch (type) {
   case IR3_U16:
      return (uint16_t)value;
   case IR3_S16:
      return (int16_t)value;
   case IR3_U8:
      return (uint8_t)value;
   case IR3_S8:
      return (int8_t)value;
   default:
      return value;
   }
}

static uint32_t
float_to_type(unsigned type, float f)
{
   uint32_t bits;
   switch (type) {
   case IR3_F16:
      return _mesa_float_to_half(f);
   case IR3_F32:
      memcpy(&bits, &f, 4);
      return bits;
   case IR3_U16:
      return to_integer(f, 0, UINT16_MAX);
   case IR3_U32:
      return to_integer(f, 0, UINT32_MAX);
   case IR3_S16:
      return to_integer(f, INT16_MIN, INT16_MAX) & 0xffff;
   case IR3_S32:
      return to_integer(f, INT32_MIN, INT32_MAX);
   case IR3_U8:
      return to_integer(f, 0, UINT8_MAX);
   default:
      return to_integer(f, INT8_MIN, INT8_MAX) & 0xff;
   }
}

static ir3_u
convert(unsigned from, unsigned to, ir3_u value)
{
   const bool floats = from <= IR3_F32 || to <= IR3_F32;
   if (from == to)
      return value;
   for (unsigned i = 0; i < IR3_LANES; i++) {
      value[i] = floats ? float_to_type(to, widen_to_float(from, value[i]))
                        : widen_integer(from, value[i]);
   }
   return value;
}

static void
move(struct ir3_wave *wave, const struct ir3_instr *instr,
     unsigned repetition)
{
   ir3_u value = read_raw(wave, &instr->src[0], OPERAND_BITS, repetition);
   value = convert(instr->source_type, instr->type, value);
   if (instr->dst_half)
      value &= 0xffff;
   if (instr->dst_relative)
      write_relative(wave, instr, repetition, value);
   else if (instr->dst == IR3_ADDRESS)
      write_register(wave, instr->dst, false,
                     (ir3_u)((ir3_i)(value << 16) >> 16));
   else
      write_register(wave, instr->dst + repetition, instr->dst_half, value);
}

IR3_CLONES void
ir3_alu(struct ir3_wave *wave, const struct ir3_instr *instr,
        unsigned repetition)
{
   if (instr->op == IR3_MOV) {
      move(wave, instr, repetition);
      return;
   }
   const bool is_float =
      class_of(instr->op) == OPERAND_FLOAT && !compares(instr->op);
   const ir3_u a = read_operand(wave, instr, 0, repetition);
   ir3_u b, value;
   switch (instr->num_sources) {
   case 1:
      value = one_source(instr->op, a);
      break;
   case 2:
      b = read_operand(wave, instr, 1, repetition);
      value = instr->sat && adds_integers(instr->op)
                 ? saturate_integer(instr, a, b)
                 : two_sources(instr, a, b);
      break;
   default:
      b = read_operand(wave, instr, 1, repetition);
      value = three_sources(instr->op, a, b,
                            read_operand(wave, instr, 2, repetition));
   }
   if (is_float && instr->sat)
      value = saturate(value);
   if (instr->dst_half)
      value = is_float ? float_to_half(value) : value & 0xffff;
   write_register(wave, instr->dst + repetition, instr->dst_half, value);
}

/* What Mesa's compiler never emits for this generation, and no source
 * describes, is not modelled. */
bool
ir3_alu_knows(const struct ir3_instr *instr)
{
   switch (instr->op) {
   case IR3_MOV:
      return instr->type < IR3_S8 && instr->source_type < IR3_S8;
   case IR3_CMPV_F:
   case IR3_CMPV_U:
   case IR3_CMPV_S:
   case IR3_BARY_F:
   case IR3_MGEN_B:
   case IR3_SETRM:
   case IR3_SHB:
   case IR3_MSAD:
   case IR3_MADSH_U16:
   case IR3_SEL_S16:
   case IR3_SEL_S32:
   case IR3_SEL_F16:
   case IR3_SEL_F32:
   case IR3_SAD_S16:
   case IR3_SAD_S32:
   case IR3_OP(4, 9):
   case IR3_OP(4, 10):
   case IR3_OP(4, 11):
      return false;
   case IR3_CMPS_F:
   case IR3_CMPS_U:
   case IR3_CMPS_S:
      return instr->cond <= IR3_NE;
   default:
      for (unsigned i = 0; i < instr->num_sources; i++) {
         if (instr->src[i].kind == IR3_SRC_TABLE && instr->src[i].num >= 12)
            return false;
      }
      return true;
   }
}
