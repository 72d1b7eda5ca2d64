/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Operations of the two ALUs, packing and unpacking, on all lanes.  Inlined
 * into the interpreter.  Guessed parts have rows in docs/videocore.md.
 */

#ifndef QPU_ALU_H
#define QPU_ALU_H

#include <math.h>
#include <string.h>

#include "v3d_internal.h"

#define QPU_INLINE static inline __attribute__((always_inline))

QPU_INLINE qpu_u
splat(uint32_t value)
{
   return (qpu_u){ 0 } + value;
}

/* value where mask is all ones, otherwise rest. */
QPU_INLINE qpu_u
blend(qpu_u mask, qpu_u value, qpu_u rest)
{
   return (mask & value) | (~mask & rest);
}

QPU_INLINE qpu_f
as_f(qpu_u value)
{
   return (qpu_f)value;
}

QPU_INLINE qpu_u
as_u(qpu_f value)
{
   return (qpu_u)value;
}

#define FLOAT_SIGN 0x80000000u

QPU_INLINE qpu_u
op_ftoi(qpu_u a)
{
   /* What does not fit becomes 0. */
   qpu_f f = as_f(a);
   qpu_u fits = (qpu_u)((f > -2147483648.0f) & (f < 2147483648.0f));
   qpu_i i = __builtin_convertvector((qpu_f)(a & fits), qpu_i);
   return (qpu_u)i;
}

QPU_INLINE qpu_u
op_clz(qpu_u a)
{
   qpu_u out;
   for (unsigned i = 0; i < QPU_LANES; i++)
      out[i] = a[i] ? (uint32_t)__builtin_clz(a[i]) : 32;
   return out;
}

typedef uint8_t qpu_bytes __attribute__((vector_size(4 * QPU_LANES)));
typedef uint16_t qpu_halves __attribute__((vector_size(8 * QPU_LANES)));

QPU_INLINE qpu_u
op_v8adds(qpu_u a, qpu_u b)
{
   qpu_bytes x = (qpu_bytes)a, sum = x + (qpu_bytes)b;
   return (qpu_u)(sum | (qpu_bytes)(sum < x));
}

QPU_INLINE qpu_u
op_v8subs(qpu_u a, qpu_u b)
{
   qpu_bytes x = (qpu_bytes)a, y = (qpu_bytes)b;
   return (qpu_u)((x - y) & (qpu_bytes)(x > y));
}

QPU_INLINE qpu_u
op_v8min(qpu_u a, qpu_u b)
{
   qpu_bytes x = (qpu_bytes)a, y = (qpu_bytes)b;
   qpu_bytes less = (qpu_bytes)(x < y);
   return (qpu_u)((x & less) | (y & ~less));
}

QPU_INLINE qpu_u
op_v8max(qpu_u a, qpu_u b)
{
   qpu_bytes x = (qpu_bytes)a, y = (qpu_bytes)b;
   qpu_bytes more = (qpu_bytes)(x > y);
   return (qpu_u)((x & more) | (y & ~more));
}

/* Products of numbers from 0 to 1, rounded to the nearest. */
QPU_INLINE qpu_u
op_v8muld(qpu_u a, qpu_u b)
{
   qpu_u out = { 0 };
   for (unsigned shift = 0; shift < 32; shift += 8) {
      qpu_u x = a >> shift & 0xff, y = b >> shift & 0xff;
      /* x / 255 for x < 65536: (x + 1 + (x >> 8)) >> 8 */
      qpu_u product = x * y + 127;
      out |= (product + 1 + (product >> 8)) >> 8 << shift;
   }
   return out;
}

QPU_INLINE qpu_u
shift_amount(qpu_u b)
{
   return b & 31;
}

/* The result; *carry as a mask. */
QPU_INLINE qpu_u
run_add(unsigned op, qpu_u a, qpu_u b, qpu_u *carry)
{
   const qpu_u zero = { 0 };
   qpu_u out = zero, s;
   *carry = zero;
   switch (op) {
   case QPU_ADD_FADD:
      return as_u(as_f(a) + as_f(b));
   case QPU_ADD_FSUB:
      return as_u(as_f(a) - as_f(b));
   case QPU_ADD_FMIN:
      *carry = (qpu_u)(as_f(a) > as_f(b));
      return blend((qpu_u)(as_f(a) < as_f(b)), a, b);
   case QPU_ADD_FMAX:
      *carry = (qpu_u)(as_f(a) > as_f(b));
      return blend(*carry, a, b);
   case QPU_ADD_FMINABS:
      a &= ~FLOAT_SIGN;
      b &= ~FLOAT_SIGN;
      *carry = (qpu_u)(as_f(a) > as_f(b));
      return blend((qpu_u)(as_f(a) < as_f(b)), a, b);
   case QPU_ADD_FMAXABS:
      a &= ~FLOAT_SIGN;
      b &= ~FLOAT_SIGN;
      *carry = (qpu_u)(as_f(a) > as_f(b));
      return blend(*carry, a, b);
   case QPU_ADD_FTOI:
      return op_ftoi(a);
   case QPU_ADD_ITOF:
      return as_u(__builtin_convertvector((qpu_i)a, qpu_f));
   case QPU_ADD_ADD:
      out = a + b;
      *carry = (qpu_u)(out < a);
      return out;
   case QPU_ADD_SUB:
      *carry = (qpu_u)(a < b);
      return a - b;
   case QPU_ADD_SHR:
      s = shift_amount(b);
      *carry = (qpu_u)(((a >> ((s - 1) & 31) & 1) != 0) & (s != 0));
      return a >> s;
   case QPU_ADD_ASR:
      s = shift_amount(b);
      *carry = (qpu_u)(((a >> ((s - 1) & 31) & 1) != 0) & (s != 0));
      return (qpu_u)((qpu_i)a >> (qpu_i)s);
   case QPU_ADD_ROR:
      s = shift_amount(b);
      out = (a >> s) | (a << (-s & 31));
      *carry = (qpu_u)(((out >> 31) != 0) & (s != 0));
      return out;
   case QPU_ADD_SHL:
      s = shift_amount(b);
      *carry = (qpu_u)(((a >> (-s & 31) & 1) != 0) & (s != 0));
      return a << s;
   case QPU_ADD_MIN:
      *carry = (qpu_u)((qpu_i)a > (qpu_i)b);
      return blend(*carry, b, a);
   case QPU_ADD_MAX:
      *carry = (qpu_u)((qpu_i)a > (qpu_i)b);
      return blend(*carry, a, b);
   case QPU_ADD_AND:
      return a & b;
   case QPU_ADD_OR:
      return a | b;
   case QPU_ADD_XOR:
      return a ^ b;
   case QPU_ADD_NOT:
      return ~a;
   case QPU_ADD_CLZ:
      return op_clz(a);
   case QPU_ADD_V8ADDS:
      return op_v8adds(a, b);
   case QPU_ADD_V8SUBS:
      return op_v8subs(a, b);
   default:
      return out;
   }
}

QPU_INLINE qpu_u
run_mul(unsigned op, qpu_u a, qpu_u b)
{
   switch (op) {
   case QPU_MUL_FMUL:
      return as_u(as_f(a) * as_f(b));
   case QPU_MUL_MUL24:
      return (a & 0xffffff) * (b & 0xffffff);
   case QPU_MUL_V8MULD:
      return op_v8muld(a, b);
   case QPU_MUL_V8MIN:
      return op_v8min(a, b);
   case QPU_MUL_V8MAX:
      return op_v8max(a, b);
   case QPU_MUL_V8ADDS:
      return op_v8adds(a, b);
   case QPU_MUL_V8SUBS:
      return op_v8subs(a, b);
   default:
      return (qpu_u){ 0 };
   }
}

/* --- numbers of 16 bits --- */

static inline uint32_t
half_to_float(uint32_t half)
{
   uint32_t sign = (half & 0x8000) << 16;
   uint32_t exponent = half >> 10 & 31, mantissa = half & 0x3ff;
   if (exponent == 31)
      return sign | 0x7f800000 | mantissa << 13;
   if (exponent)
      return sign | (exponent + 112) << 23 | mantissa << 13;
   if (!mantissa)
      return sign;
   unsigned shift = __builtin_clz(mantissa) - 21;
   return sign | (113 - shift) << 23 | (mantissa << shift & 0x3ff) << 13;
}

/* To the nearest, ties to even; beyond the largest: infinity. */
static inline uint32_t
float_to_half(uint32_t bits)
{
   uint32_t sign = bits >> 16 & 0x8000;
   uint32_t mantissa = bits & 0x7fffff;
   int exponent = (int)(bits >> 23 & 255) - 112;
   if (exponent == 255 - 112)
      return sign | 0x7c00 | (mantissa ? 0x200 : 0);
   if (exponent >= 31)
      return sign | 0x7c00;
   uint32_t value;
   unsigned drop = 13;
   if (exponent <= 0) {
      if (exponent < -10)
         return sign;
      drop += 1 - exponent;
      value = mantissa | 0x800000;
   } else {
      value = (uint32_t)exponent << 23 | mantissa;
   }
   uint32_t rest = value & ((1u << drop) - 1), tie = 1u << (drop - 1);
   value >>= drop;
   value += rest > tie || (rest == tie && (value & 1));
   return sign | value;
}

static inline uint32_t
float_to_byte(float f)
{
   if (!(f > 0))
      return 0;
   return f >= 1 ? 255 : (uint32_t)(f * 255.0f + 0.5f);
}

/* mode: the field, not 0. */
static inline qpu_u
qpu_unpack(qpu_u value, unsigned mode, bool to_float)
{
   qpu_u out;
   unsigned shift = mode >= 4 ? (mode - 4) * 8 : mode == 2 ? 16 : 0;
   switch (mode) {
   case 1:
   case 2:
      if (!to_float)
         return (qpu_u)((qpu_i)(value << (16 - shift)) >> 16);
      for (unsigned i = 0; i < QPU_LANES; i++)
         out[i] = half_to_float(value[i] >> shift & 0xffff);
      return out;
   case 3:
      return (value >> 24) * 0x01010101u;
   default:
      out = value >> shift & 0xff;
      if (!to_float)
         return out;
      return as_u(__builtin_convertvector((qpu_i)out, qpu_f) *
                  (1.0f / 255.0f));
   }
}

/* Colours of the multiplier: modes 3 to 7. */
static inline qpu_u
qpu_pack_color(qpu_u value, unsigned mode, qpu_u old)
{
   qpu_f f = as_f(value);
   qpu_u above = (qpu_u)(f > 0.0f), one = (qpu_u)(f >= 1.0f);
   qpu_f inside = as_f(value & above & ~one);
   qpu_u byte =
      (qpu_u) __builtin_convertvector(inside * 255.0f + 0.5f, qpu_i);
   byte = blend(one, splat(255), byte);
   if (mode == 3)
      return byte * 0x01010101u;
   if (mode < 3 || mode > 7)
      return value;
   unsigned shift = (mode - 4) * 8;
   return (old & ~(0xffu << shift)) | byte << shift;
}

static inline int32_t
clamp(int32_t value, int32_t low, int32_t high)
{
   return value < low ? low : value > high ? high : value;
}

/* Of what goes to file A.  overflow: of the addition, for mode 8: 0 = none,
 * else the value to saturate to. */
static inline qpu_u
qpu_pack_a(qpu_u value, unsigned mode, bool is_float, qpu_u old,
           const qpu_u *overflow)
{
   bool saturate = mode >= 8;
   qpu_u out = value;
   for (unsigned i = 0; i < QPU_LANES; i++) {
      uint32_t v = value[i], part;
      switch (mode) {
      case 8:
         if (overflow && (*overflow)[i])
            v = (*overflow)[i];
         out[i] = v;
         break;
      case 1:
      case 2:
      case 9:
      case 10:
         if (is_float) {
            part = float_to_half(v);
            if (saturate && (part & 0x7fff) == 0x7c00)
               part--;
         } else {
            part = saturate ? clamp(v, -32768, 32767) : (int32_t)v;
         }
         part &= 0xffff;
         out[i] = (mode & 7) == 1 ? (old[i] & 0xffff0000) | part
                                  : (old[i] & 0xffff) | part << 16;
         break;
      default:
         part = saturate ? (uint32_t)clamp(v, 0, 255) : v & 0xff;
         if ((mode & 7) == 3) {
            out[i] = part * 0x01010101u;
         } else {
            unsigned shift = ((mode & 7) - 4) * 8;
            out[i] = (old[i] & ~(0xffu << shift)) | part << shift;
         }
         break;
      }
   }
   return out;
}

#endif
