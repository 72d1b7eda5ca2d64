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

/*
 * Functions that work on vectors exist for several instruction sets, of which
 * the best is chosen at load time; all compute the same (nothing is
 * contracted).  They hand vectors to each other in memory: how registers pass
 * them depends on the instruction set.
 */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
   !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&  \
   defined(__GLIBC__)
#define QPU_CLONES \
   __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define QPU_CLONES
#endif

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
   /* What fits unsigned numbers is one, as Mesa's division of integers wants
    * it (docs/videocore.md); what does not fit becomes 0. */
   qpu_f f = as_f(a);
   qpu_u fits = (qpu_u)((f > -2147483648.0f) & (f < 4294967296.0f)),
         large = (qpu_u)(f >= 2147483648.0f) & fits;
   qpu_f rest = (qpu_f)(a & fits) - (qpu_f)(large & 0x4f000000u);
   qpu_i i = __builtin_convertvector(rest, qpu_i);
   return (qpu_u)i ^ (large & FLOAT_SIGN);
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

/* Of a sum or product that was rounded towards zero.  Only what is less than
 * 0 has a sign.  Where both operands are beyond a limit the largest number
 * stands for what did not fit, which is infinite on the chip. */
QPU_INLINE qpu_u
finish_float(qpu_f value, qpu_f a, qpu_f b, uint32_t limit)
{
   const uint32_t largest = 0x7f7fffff;
   qpu_u size = (qpu_u)value & ~FLOAT_SIGN;
   qpu_u both = (qpu_u)(((qpu_u)a & ~FLOAT_SIGN) > limit) &
                (qpu_u)(((qpu_u)b & ~FLOAT_SIGN) > limit);
   size -= (qpu_u)(size == largest) & both;
   return size | ((qpu_u)(value < 0) & FLOAT_SIGN);
}

QPU_INLINE qpu_u
op_fadd(qpu_f a, qpu_f b)
{
   return finish_float(a + b, a, b, 0x737fffff); /* 2^104 and more */
}

/* A product with 0 is 0, also that with infinity: the roots and quotients
 * that Mesa improves need it, and boards pass the tests of them. */
QPU_INLINE qpu_u
op_fmul(qpu_f a, qpu_f b)
{
   return finish_float(a * b, a, b, 0x3f800000) &
          ~(qpu_u)((a == 0) | (b == 0));
}

QPU_INLINE qpu_u
run_add(unsigned op, qpu_u a, qpu_u b)
{
   qpu_u s;
   switch (op) {
   case QPU_ADD_FADD:
      return op_fadd(as_f(a), as_f(b));
   case QPU_ADD_FSUB:
      return op_fadd(as_f(a), -as_f(b));
   case QPU_ADD_FMIN:
      return blend((qpu_u)(as_f(a) < as_f(b)), a, b);
   case QPU_ADD_FMAX:
      return blend((qpu_u)(as_f(a) > as_f(b)), a, b);
   case QPU_ADD_FMINABS:
      a &= ~FLOAT_SIGN;
      b &= ~FLOAT_SIGN;
      return blend((qpu_u)(as_f(a) < as_f(b)), a, b);
   case QPU_ADD_FMAXABS:
      a &= ~FLOAT_SIGN;
      b &= ~FLOAT_SIGN;
      return blend((qpu_u)(as_f(a) > as_f(b)), a, b);
   case QPU_ADD_FTOI:
      return op_ftoi(a);
   case QPU_ADD_ITOF:
      return as_u(__builtin_convertvector((qpu_i)a, qpu_f));
   case QPU_ADD_ADD:
      return a + b;
   case QPU_ADD_SUB:
      return a - b;
   case QPU_ADD_SHR:
      return a >> shift_amount(b);
   case QPU_ADD_ASR:
      return (qpu_u)((qpu_i)a >> (qpu_i)shift_amount(b));
   case QPU_ADD_ROR:
      s = shift_amount(b);
      return (a >> s) | (a << (-s & 31));
   case QPU_ADD_SHL:
      return a << shift_amount(b);
   case QPU_ADD_MIN:
      return blend((qpu_u)((qpu_i)a > (qpu_i)b), b, a);
   case QPU_ADD_MAX:
      return blend((qpu_u)((qpu_i)a > (qpu_i)b), a, b);
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
      return (qpu_u){ 0 };
   }
}

/* The flag C that an operation leaves, as a mask. */
QPU_INLINE qpu_u
find_carry(unsigned op, qpu_u a, qpu_u b, qpu_u result)
{
   const qpu_u s = shift_amount(b);
   switch (op) {
   case QPU_ADD_FMIN:
   case QPU_ADD_FMAX:
      return (qpu_u)(as_f(a) > as_f(b));
   case QPU_ADD_FMINABS:
   case QPU_ADD_FMAXABS:
      return (qpu_u)(as_f(a & ~FLOAT_SIGN) > as_f(b & ~FLOAT_SIGN));
   case QPU_ADD_ADD:
      return (qpu_u)(result < a);
   case QPU_ADD_SUB:
      return (qpu_u)(a < b);
   case QPU_ADD_SHR:
   case QPU_ADD_ASR:
      return (qpu_u)(((a >> ((s - 1) & 31) & 1) != 0) & (s != 0));
   case QPU_ADD_ROR:
      return (qpu_u)(((result >> 31) != 0) & (s != 0));
   case QPU_ADD_SHL:
      return (qpu_u)(((a >> (-s & 31) & 1) != 0) & (s != 0));
   case QPU_ADD_MIN:
   case QPU_ADD_MAX:
      return (qpu_u)((qpu_i)a > (qpu_i)b);
   default:
      return (qpu_u){ 0 };
   }
}

QPU_INLINE qpu_u
run_mul(unsigned op, qpu_u a, qpu_u b)
{
   switch (op) {
   case QPU_MUL_FMUL:
      return op_fmul(as_f(a), as_f(b));
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

/* mode: the field, not 0. */
QPU_INLINE qpu_u
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
QPU_INLINE qpu_u
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
QPU_INLINE qpu_u
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
