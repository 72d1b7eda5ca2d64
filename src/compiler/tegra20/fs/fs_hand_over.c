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
 * 128 (2.3).  Numbers of 7 bits are safe, and a half is one of 7 and one of 3
 * bits.  With n = 0..1023 for the number n - 512 in a half, in units of
 * 1/256, the pixel is
 *
 *    high / 8,  high % 8,  low / 8,  low % 8
 *
 * The quotient: rounding to a multiple of 1/256, which the register of a
 * store does, is a floor when 7/16 is taken away first, because the fractions
 * are eighths.  The remainder: frc of the eighths.  That is 6 operations and
 * two of the MFU for a value, and reading it back takes 3:
 *
 *    half = 2 * ((8 * quotient + remainder) / 2 - 1)
 *
 * where the subtraction is an operand modifier and the factor 2 the operand B
 * of one product and, read again as D, of the other.
 *
 * The registers: alu0..3 hold numbers, not bits.  So what FS_OP_RAW reads and
 * what FS_OP_JOIN writes must pass through a row register, which the
 * scheduler sees to and fs_emit.c checks.
 */

#include "fs.h"

static struct fs_src
raw(struct fs_program *p, struct fs_src value, bool high, float factor,
    float offset)
{
   unsigned index;
   const struct fs_src b = fs_imm(p, factor), c = fs_imm(p, offset);
   struct fs_node *node = fs_add_node(p, FS_OP_RAW, &index);

   node->part = high;
   node->num_srcs = 3;
   node->src[0] = value;
   node->src[1] = b;
   node->src[2] = c;
   return fs_node_src(index);
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
      const struct fs_src eighths = raw(p, from, high, 32, 0);

      component[2 * half] =
         raw(p, from, high, 1.0f / 8, (64 - 7.0f / 16) / 256);
      component[2 * half + 1] =
         fs_mul(p, fs_sfu(p, FS_SFU_FRC, eighths), fs_imm(p, 1.0f / 32));
   }
}

/* A half as x with 2 * (x - 1). */
static struct fs_src
half_of_pixel(struct fs_program *p, unsigned fetch, unsigned first)
{
   return fs_mul(p,
                 fs_mad(p, fs_part(p, fetch, first), fs_imm(p, 8),
                        fs_part(p, fetch, first + 1)),
                 fs_imm(p, 0.5f));
}

/*
 * The value by arithmetic (A48.8).  With the sign bits of both halves turned,
 * as they are in the pixel, the components are
 *
 *    sign and exponent, 3 bits of the fraction, 7 more of them, the last 3
 *
 * and all of them are exact sums: of the fraction in a number of 14 bits, of
 * the exponent in what 2^x takes (A54).  Where the exponent is 0, 2^-31 has
 * no encoding and the value is 0.
 */
static struct fs_src
compute_fp20(struct fs_program *p, unsigned fetch)
{
   const struct fs_src top = fs_part(p, fetch, 0),
                       middle = fs_part(p, fetch, 2),
                       limit = fs_imm(p, -64.0f / 256);
   const struct fs_src negative = fs_add(p, top, limit);
   const struct fs_src exponent =
      fs_mad(p, top, fs_imm(p, 256),
             fs_select_negative(p, negative, fs_imm(p, -31), fs_imm(p, -95)));
   struct fs_src fraction =
      fs_select_negative(p, fs_add(p, middle, limit), fs_imm(p, 17.0f / 16),
                         fs_imm(p, 15.0f / 16));

   fraction = fs_mad(p, fs_part(p, fetch, 1), fs_imm(p, 32), fraction);
   fraction = fs_mad(p, middle, fs_imm(p, 1.0f / 4), fraction);
   fraction = fs_mad(p, fs_part(p, fetch, 3), fs_imm(p, 1.0f / 32), fraction);
   const struct fs_src scale =
      fs_sfu(p, FS_SFU_EX2, fs_sfu(p, FS_SFU_PRE_EX2, exponent));
   const struct fs_src magnitude = fs_mul(p, fraction, scale);
   return fs_select_negative(p, negative, fs_neg(magnitude), magnitude);
}

struct fs_src
fs_load_fp20(struct fs_program *p, unsigned fetch)
{
   if (p->avoid & TEGRA20_AVOID_NO_ADD)
      return compute_fp20(p, fetch);

   struct fs_src high = half_of_pixel(p, fetch, 0),
                 low = half_of_pixel(p, fetch, 2), factor = fs_one();
   const bool plain = p->avoid & TEGRA20_AVOID_D;
   unsigned index;

   if (plain) {
      high = fs_mad(p, high, fs_imm(p, 2), fs_imm(p, -2));
      low = fs_mad(p, low, fs_imm(p, 2), fs_imm(p, -2));
   } else {
      high.mods = low.mods = FS_MOD_SUB1;
      /* not 2 * 1: operand D cannot double */
      factor = (struct fs_src){
         FS_SRC_VALUE, 0, fs_value(p, TEGRA20_VALUE_IMM, fui(2.0f), 0, NULL)
      };
   }
   struct fs_node *node = fs_add_node(p, FS_OP_JOIN, &index);
   node->num_srcs = 3;
   node->src[0] = high;
   node->src[1] = factor;
   node->src[2] = low;
   node->d = plain ? FS_D_ONE : FS_D_B;
   return fs_node_src(index);
}
