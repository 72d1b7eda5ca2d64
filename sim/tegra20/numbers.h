/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The chip's two number formats and the surface conversions: the simulator's
 * only implementation.
 *
 * fp20: sign 19, exponent 18..13 (bias 31), fraction 12..0 with a hidden one.
 * All-zero (sign ignored) is zero, every other pattern is an ordinary number:
 * exponent 63 too, and exponent 0 without denormals
 * (fragment-pipeline.md 2.1, assumption A47).  Every value is exact in an
 * IEEE single.
 *
 * fx10: ten-bit two's complement in 1/256, -2 .. 511/256
 * (fragment-pipeline.md 2.2).  A 20-bit register holds one fp20 or two fx10
 * values, low half in bits 9..0, high half in bits 19..10.
 */

#ifndef SIM_NUMBERS_H
#define SIM_NUMBERS_H

#include <stdint.h>
#include <string.h>

#define SIM_FP20_ONE 0x3e000u
#define SIM_FP20_MAX 0x7ffffu /* largest magnitude: 2^32 * (1 + 8191/8192) */
#define SIM_FX10_ONE 256
#define SIM_FX10_MIN (-512)
#define SIM_FX10_MAX 511

static inline float
sim_float_from_bits(uint32_t bits)
{
   float f;
   memcpy(&f, &bits, sizeof(f));
   return f;
}

static inline uint32_t
sim_float_bits(float f)
{
   uint32_t bits;
   memcpy(&bits, &f, sizeof(bits));
   return bits;
}

/* Bits 31..20 of raw are ignored. */
static inline float
sim_fp20_to_float(uint32_t raw)
{
   uint32_t magnitude = raw & 0x7ffffu;
   uint32_t bits =
      ((magnitude << 10) + (96u << 23)) | ((raw & 0x80000u) << 12);
   return sim_float_from_bits(magnitude ? bits : 0);
}

/*
 * Nearest even; overflow and infinities give the largest magnitude with the
 * sign, underflow (also exactly 2^-31, which has no encoding) and NaN give
 * zero.
 */
static inline uint32_t
sim_fp20_from_float(float f)
{
   uint32_t bits = sim_float_bits(f);
   uint32_t magnitude = bits & 0x7fffffffu;
   if (magnitude > 0x7f800000u)
      return 0;
   uint32_t rounded = (magnitude + 0x1ffu + ((magnitude >> 10) & 1)) >> 10;
   if (rounded <= (96u << 13))
      return 0;
   rounded -= 96u << 13;
   if (rounded > SIM_FP20_MAX)
      rounded = SIM_FP20_MAX;
   return ((bits >> 12) & 0x80000u) | rounded;
}

/* Towards zero: the fp20 value, or a larger one than the largest, whose
 * magnitude is at most that of d. */
static inline double
sim_fp20_cut(double d)
{
   uint64_t bits;
   memcpy(&bits, &d, sizeof(bits));
   bits &= ~((1ull << 39) - 1);
   memcpy(&d, &bits, sizeof(bits));
   return d;
}

/* The same from a double: one rounding. */
uint32_t
sim_fp20_from_double(double d);

/* The signed integer 256 * value of the low half (half = 0) or high half
 * (half = 1) of a register. */
static inline int32_t
sim_fx10_half(uint32_t raw, unsigned half)
{
   return (int32_t)(raw << (half ? 12 : 22)) >> 22;
}

static inline float
sim_fx10_to_float(int32_t fx)
{
   return (float)fx * (1.0f / 256.0f);
}

/* floor(256 f + 0.5) clamped to -512..511; NaN gives 0.  Returns the integer,
 * not the 10-bit pattern. */
int32_t
sim_fx10_from_float(float f);
int32_t
sim_fx10_from_double(double d);

/* Replaces one half of a register. */
static inline uint32_t
sim_fx10_insert(uint32_t raw, unsigned half, int32_t fx)
{
   return half ? (raw & 0x003ffu) | (((uint32_t)fx & 0x3ffu) << 10)
               : (raw & 0xffc00u) | ((uint32_t)fx & 0x3ffu);
}

static inline uint32_t
sim_fx10_pair(int32_t low, int32_t high)
{
   return ((uint32_t)low & 0x3ffu) | (((uint32_t)high & 0x3ffu) << 10);
}

/* fragment-pipeline.md 2.3: 256 -> 255, 128 -> 127, below 128 unchanged;
 * clamps to 0..256 first. */
static inline uint8_t
sim_fx10_to_unorm8(int32_t fx)
{
   int32_t v = fx < 0 ? 0 : fx > 256 ? 256 : fx;
   return (uint8_t)(v - (v >= 128));
}

static inline int32_t
sim_fx10_from_unorm8(uint8_t byte)
{
   return byte + (byte >> 7);
}

/*
 * Channels of 1..8 bits (assumption A62): load = the fx10 nearest to c * 256
 * / (2^bits - 1), store = the code nearest to the clamped value, ties down.
 * For 8 bits they are the two functions above.
 */
int32_t
sim_fx10_from_unorm(uint32_t code, unsigned bits);
uint32_t
sim_fx10_to_unorm(int32_t fx, unsigned bits);
/* The same with a threshold of 0..7 eighths instead of one half: floor(v *
 * max / 256 + threshold / 8). */
uint32_t
sim_fx10_to_unorm_dithered(int32_t fx, unsigned bits, unsigned threshold);

/* Words at these bytes behind the base.  Not inline: where a loop before it
 * leaves offsets in vectors, taking them out costs more. */
void
sim_gather(uint32_t *restrict out, const void *base,
           const uint32_t *restrict offset, unsigned n);

#endif
