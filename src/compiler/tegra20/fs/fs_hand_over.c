/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Lossless spilling of fp20 values: a part of a program stores them in
 * surfaces for another part (multipass/tegra20_cut.c), one value in each
 * 32-bit pixel.
 *
 * A register is 20 bits, and nothing says whether they are one fp20 number or
 * two fx10 numbers (fragment-pipeline.md 1.2): the operand that reads it
 * does.  So a value is taken apart by reading its register as two numbers of
 * 10 bits, and put together by two operations that write a half of a register
 * each, which is read as fp20 afterwards.  No arithmetic is done with the
 * value itself, and all 2^20 patterns survive.
 *
 * A byte does not preserve every value: a store makes 127 of the numbers 127
 * and 128 (2.3), all others up to 256 come back as they were.  With n =
 * 0..1023 for the number n - 512 in a half, in units of 1/256, the pixel has
 * two numbers for each half:
 *
 *    first = 127 - floor(n / 8) = 0..127
 *    rest = 248 + n % 8
 *
 * Rounding to a multiple of 1/256, which an fx10 register does, is a floor
 * when 7/16 is taken away first, because the fractions are eighths.  In the
 * numbers of the registers, x for n, the other two are
 *
 *    rest = (x - 1) + 8 * first,    x = 2 * (1 - 4 * first) + (rest - 1)
 *
 * where the 1 that is taken away is an operand modifier, as is twice, so that
 * rest needs no operation more: it is why rest does not begin at 0.  Storing
 * a value takes four operations and three constants, reading it back four and
 * none.
 *
 * Values that are stored together and loaded together have as many pixels, but
 * sorted: the first numbers of the high halves, those of the low ones, the
 * rests.  Then a pixel has one packet, and none of its operations waits.
 *
 * The registers: alu0..3 hold numbers, not bits.  So the operand of FS_OP_RAW
 * and the result of FS_OP_LOW must pass through a row register, which the
 * scheduler ensures and fs_emit.c checks.
 */

#include "fs.h"

#define STEP 8

/* 127 - floor(n / 8), in fx10, although more than a store reads it. */
static struct fs_src
first_number(struct fs_program *p, struct fs_src value, bool high)
{
   const struct fs_src result =
      fs_build_alu(p, FS_OP_RAW, value, fs_imm(p, -1.0f / STEP),
                   fs_imm(p, (127 - 64 + 7.0f / 16) / 256));
   struct fs_node *node = &p->nodes[result.index];

   node->part = high;
   node->rounds = true;
   node->format = FS_FX10;
   return result;
}

static struct fs_src
less_one(struct fs_program *p, struct fs_src x)
{
   return fs_add(p, x, fs_neg(fs_one()));
}

static struct fs_src
rest_number(struct fs_program *p, struct fs_src value, bool high,
            struct fs_src first)
{
   const struct fs_src result =
      fs_build_alu(p, FS_OP_RAW, first, fs_imm(p, STEP), less_one(p, value));

   p->nodes[result.index].part = high;
   p->nodes[result.index].raw = 2;
   p->nodes[result.index].format = FS_FX10; /* exactly */
   return result;
}

/* A value as a node whose result is a register of its own, for FS_OP_RAW. */
static struct fs_src
in_register(struct fs_program *p, struct fs_src value)
{
   if (value.kind != FS_SRC_NODE || value.mods ||
       p->nodes[value.index].op == FS_OP_PART)
      return fs_mov(p, value);
   return value;
}

void
fs_store_values(struct fs_program *p, const struct fs_src *value,
                unsigned count, struct fs_src (*pixel)[4])
{
   struct fs_src *component = pixel[0];

   for (unsigned i = 0; i < count; i++) {
      const struct fs_src from = in_register(p, value[i]);

      for (unsigned half = 0; half < 2; half++) {
         const bool high = half == 0;
         const struct fs_src first = first_number(p, from, high);

         component[half * count + i] = first;
         component[(2 + half) * count + i] =
            rest_number(p, from, high, first);
      }
   }
}

/* A half as the number in the register. */
static struct fs_src
load_half(struct fs_program *p, struct fs_src first, struct fs_src rest)
{
   const struct fs_src half = fs_mad(p, fs_neg(fs_add(p, first, first)),
                                     fs_imm(p, STEP / 4), fs_one());

   p->nodes[half.index].format = FS_FX10; /* exactly, as the next one */
   return fs_mad(p, half, fs_imm(p, 2), less_one(p, rest));
}

struct fs_src
fs_load_value(struct fs_program *p, const unsigned *fetch, unsigned count,
              unsigned i)
{
   struct fs_src halves[2];

   for (unsigned half = 0; half < 2; half++) {
      const unsigned first = half * count + i, rest = (2 + half) * count + i;

      halves[half] = load_half(p, fs_part(p, fetch[first / 4], first % 4),
                               fs_part(p, fetch[rest / 4], rest % 4));
   }
   p->nodes[halves[0].index].format = FS_FX10;
   struct fs_node *node = &p->nodes[halves[1].index];

   node->op = FS_OP_LOW;
   node->src[FS_HIGH_HALF] = halves[0];
   node->num_srcs = FS_HIGH_HALF + 1;
   return halves[1];
}
