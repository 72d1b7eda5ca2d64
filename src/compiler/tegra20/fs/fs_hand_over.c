/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Values in surfaces: what a part of a program hands on to another part
 * (nir/tegra20_cut.c), one fp20 value in each 32-bit pixel, without loss.
 *
 * A register is 20 bits, and nothing says whether they are one fp20 number or
 * two fx10 numbers (fragment-pipeline.md 1.2): the operand that reads it
 * does. So a value is taken apart by reading its register as two numbers of
 * 10 bits, and put together by an operation that writes both halves of a
 * register, which is read as fp20 afterwards.  No arithmetic is done with the
 * value itself, and all 2^20 patterns survive.
 *
 * A byte cannot hold what it likes: a store makes 127 of the numbers 127 and
 * 128 (2.3), all others up to 256 come back as they were.  With n = 0..1023
 * for the number n - 512 in a half, in units of 1/256, the pixel has two
 * numbers for each half, the high one first:
 *
 *    first = 127 - floor(n / 8) = 0..127
 *    rest = 248 + n % 8
 *
 * Rounding to a multiple of 1/256, which an fx10 register does, is a floor
 * when 7/16 is taken away first, because the fractions are eighths.  In the
 * numbers of the registers, x for n, the other two are
 *
 *    rest = (x - 1) + 8 * first,    x = -((8 * first - rest) - 1)
 *
 * where the one that is taken away is an operand modifier, so that rest needs
 * no operation more: it is why rest does not begin at 0.  Storing a value
 * takes four operations and three constants, reading it back three and one
 * constant; the last of them writes both halves.
 *
 * The registers: alu0..3 hold numbers, not bits.  So what FS_OP_RAW reads and
 * what FS_OP_JOIN writes must pass through a row register, which the
 * scheduler sees to and fs_emit.c checks.
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
fs_store_fp20(struct fs_program *p, struct fs_src value,
              struct fs_src component[4])
{
   const struct fs_src from = in_register(p, value);

   for (unsigned half = 0; half < 2; half++) {
      const bool high = half == 0;

      component[2 * half] = first_number(p, from, high);
      component[2 * half + 1] =
         rest_number(p, from, high, component[2 * half]);
   }
}

/* A half as the number in the register. */
static struct fs_src
half_of_pixel(struct fs_program *p, unsigned fetch, unsigned first)
{
   const struct fs_src less =
      fs_mad(p, fs_part(p, fetch, first), fs_imm(p, STEP),
             fs_neg(fs_part(p, fetch, first + 1)));

   return fs_neg(less_one(p, less));
}

/* A half as its highest seven bits and the other three, with the sign bit
 * turned. */
static void
split_half(struct fs_program *p, struct fs_src half, struct fs_src *seven,
           struct fs_src *three)
{
   *seven = fs_build_alu(p, FS_OP_MAD, half, fs_imm(p, 1.0f / 8),
                         fs_imm(p, (64 - 7.0f / 16) / 256));
   p->nodes[seven->index].rounds = true;
   p->nodes[seven->index].format = FS_FX10;
   *three = fs_add(p, fs_mad(p, *seven, fs_imm(p, -8), half), fs_imm(p, 2));
}

/*
 * The value by arithmetic (A48.8).  With the sign bits of both halves turned,
 * the bits are
 *
 *    sign and exponent, 3 bits of the fraction, 7 more of them, the last 3
 *
 * and all of them are exact sums: of the fraction in a number of 14 bits, of
 * the exponent in what 2^x takes (A54).  Where the exponent is 0, 2^-31 has
 * no encoding and the value is 0.
 */
static struct fs_src
compute_fp20(struct fs_program *p, struct fs_src high, struct fs_src low)
{
   const struct fs_src limit = fs_imm(p, -64.0f / 256);
   struct fs_src top, top_rest, middle, middle_rest;

   split_half(p, high, &top, &top_rest);
   split_half(p, low, &middle, &middle_rest);
   const struct fs_src negative = fs_add(p, top, limit);
   const struct fs_src exponent =
      fs_mad(p, top, fs_imm(p, 256),
             fs_select_negative(p, negative, fs_imm(p, -31), fs_imm(p, -95)));
   struct fs_src fraction =
      fs_select_negative(p, fs_add(p, middle, limit), fs_imm(p, 17.0f / 16),
                         fs_imm(p, 15.0f / 16));

   fraction = fs_mad(p, top_rest, fs_imm(p, 32), fraction);
   fraction = fs_mad(p, middle, fs_imm(p, 1.0f / 4), fraction);
   fraction = fs_mad(p, middle_rest, fs_imm(p, 1.0f / 32), fraction);
   const struct fs_src scale =
      fs_sfu(p, FS_SFU_EX2, fs_sfu(p, FS_SFU_PRE_EX2, exponent));
   const struct fs_src magnitude = fs_mul(p, fraction, scale);
   return fs_select_negative(p, negative, fs_neg(magnitude), magnitude);
}

struct fs_src
fs_load_fp20(struct fs_program *p, unsigned fetch)
{
   const struct fs_src high = half_of_pixel(p, fetch, 0),
                       low = half_of_pixel(p, fetch, 2);

   if (p->avoid & TEGRA20_AVOID_NO_ADD)
      return compute_fp20(p, high, low);
   return fs_build_alu(p, FS_OP_JOIN, high, fs_one(), low);
}
