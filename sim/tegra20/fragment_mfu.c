/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The multi-function unit (fragment-pipeline.md 4): special function, two
 * multipliers, interpolation, in this order inside one instruction.
 *
 * Interpolation is done in double precision with one rounding at the end
 * (assumption A42).  The two explicit weights are too large by 2^-14 and the
 * third is the rest (A43): that fits what an owner measured of a whole
 * picture (device-observations.md), and leaves constants exact.
 *
 * A value that is mathematically a tie, such as a ramp of 256 pixels from 0
 * to 1, must not depend on the last bit of a double: results within 2^-30
 * below a rounding boundary of fx10 count as on it.
 */

#include <math.h>

#include "fragment.h"

#define TIE_SLACK 0x1p-30

/* First steps of the two-step functions leave something that only the second
 * step understands (4.5).  The format is unknown; a key per function makes a
 * missing or wrong step visible.
 */
#define KEY_EX2 0x15a5au
#define KEY_SIN 0x2695au
#define KEY_COS 0x196a5u

/* A row of a strip.  Written out as a vector: the compiler would rather take
 * the strips of a block side by side, which lie far apart. */
typedef double row_vec __attribute__((vector_size(64)));
static const row_vec columns = { 0, 1, 2, 3, 4, 5, 6, 7 };

/* A plane at the centres of the row of 8 pixels that starts at (x, y + j). */
SIM_INLINE row_vec
plane_row(const struct sim_fs_plane *plane, double x, double y, unsigned j)
{
   const double first = plane->c + plane->a * x + plane->b * y;
   return first + j * plane->b + columns * plane->a;
}

/* b0, b1 and r4 of every lane (assumption A43): coefficient i = share of
 * vertex i / w_i, r4 = the sum of all three. */
SIM_LANES static void
barycentric_strip(const struct sim_fs_prim *prim, double x, double y,
                  double *b0, double *b1, double *r4)
{
   const double rw0 = prim->rw[0], rw1 = prim->rw[1], rw2 = prim->rw[2];
   for (unsigned j = 0; j < 2; j++) {
      const row_vec l0 = plane_row(&prim->weight[0], x, y, j),
                    l1 = plane_row(&prim->weight[1], x, y, j);
      *(row_vec *)(b0 + 8 * j) = l0 * rw0;
      *(row_vec *)(b1 + 8 * j) = l1 * rw1;
      *(row_vec *)(r4 + 8 * j) = l0 * rw0 + l1 * rw1 + (1.0 - l0 - l1) * rw2;
   }
}

void
sim_fs_barycentric(struct sim_fs_worker *worker)
{
   struct sim_fs_block *block = &worker->block;
   for (unsigned s = 0; s < block->num_strips; s++) {
      unsigned at = s * SIM_FS_STRIP_LANES;
      barycentric_strip(block->prim, block->x[s], block->y[s], block->b0 + at,
                        block->b1 + at, block->r4 + at);
   }
}

/* rcp r4 and both weight multiplies of a primitive whose vertices have one
 * w: the division cancels, and nothing else reads b0, b1 and r4. */
SIM_LANES static void
affine_weights(const struct sim_fs_block *block, double scale, double *w0,
               double *w1)
{
   const struct sim_fs_prim *prim = block->prim;
   const double rw0 = prim->rw[0], rw1 = prim->rw[1], w = scale / rw0;
   for (unsigned s = 0; s < block->num_strips; s++) {
      for (unsigned j = 0; j < 2; j++) {
         const unsigned lane = SIM_FS_STRIP_LANES * s + 8 * j;
         *(row_vec *)(w0 + lane) =
            plane_row(&prim->weight[0], block->x[s], block->y[s], j) * rw0 *
            w;
         *(row_vec *)(w1 + lane) =
            plane_row(&prim->weight[1], block->x[s], block->y[s], j) * rw1 *
            w;
      }
   }
}

/* The same with b0, b1 and r4.  With equal w the division cancels. */
SIM_LANES static void
weights(double *restrict w0, double *restrict w1, const double *restrict b0,
        const double *restrict b1, const double *restrict r4, bool affine,
        double scale, double w, unsigned n)
{
   if (affine) {
      for (unsigned i = 0; i < n; i++) {
         w0[i] = b0[i] * w;
         w1[i] = b1[i] * w;
      }
      return;
   }
   for (unsigned i = 0; i < n; i++) {
      double d = r4[i] != 0 ? r4[i] : 1.0 / SIM_FP20_MAX_VALUE;
      w0[i] = b0[i] / d * scale;
      w1[i] = b1[i] / d * scale;
   }
}

static void
setup_weights(struct sim_fs_worker *worker)
{
   struct sim_fs_block *block = &worker->block;
   const bool plain = worker->fs->program->plain_weights;
   const double scale = worker->fs->switches.weight_scale,
                offset = worker->fs->switches.weight_offset;
   if (plain && block->weights_ready)
      return;
   block->weights_ready = true;
   if (plain && block->prim->affine) {
      affine_weights(block, scale, block->w0, block->w1);
   } else {
      if (plain)
         sim_fs_barycentric(worker);
      weights(block->w0, block->w1, block->b0, block->b1, block->r4,
              block->prim->affine, scale, scale / block->prim->rw[0],
              block->n);
   }
   for (unsigned i = 0; offset != 0 && i < block->n; i++) {
      block->w0[i] += offset;
      block->w1[i] += offset;
   }
}

/* A43 with weights that are kept as fp20. */
static void
round_weights(struct sim_fs_block *block)
{
   for (unsigned i = 0; i < block->n; i++) {
      block->w0[i] = sim_fp20_round(block->w0[i]);
      block->w1[i] = sim_fp20_round(block->w1[i]);
   }
}

/* --- special functions --- */

/* Singular arguments: assumptions A47 and A85. */
static double
special(unsigned op, double x)
{
   double a = fabs(x);
   switch (op) {
   case SIM_FS_SFU_RCP:
      return x != 0 ? 1.0 / x : SIM_FP20_MAX_VALUE;
   case SIM_FS_SFU_RSQ:
      return a != 0 ? 1.0 / sqrt(a) : SIM_FP20_MAX_VALUE;
   case SIM_FS_SFU_LG2:
      return a != 0 ? log2(a) : -SIM_FP20_MAX_VALUE;
   case SIM_FS_SFU_EX2:
      return x > 40 ? SIM_FP20_MAX_VALUE : x < -40 ? 0.0 : exp2(x);
   case SIM_FS_SFU_SQRT:
      return sqrt(a);
   case SIM_FS_SFU_SIN:
      return sin(x);
   case SIM_FS_SFU_COS:
      return cos(x);
   case SIM_FS_SFU_FRC:
      return x - floor(x);
   default:
      return x;
   }
}

static uint32_t
sfu_key(unsigned op)
{
   switch (op) {
   case SIM_FS_SFU_EX2:
   case SIM_FS_SFU_PRE_EX2:
      return KEY_EX2;
   case SIM_FS_SFU_SIN:
   case SIM_FS_SFU_PRE_SIN:
      return KEY_SIN;
   case SIM_FS_SFU_COS:
   case SIM_FS_SFU_PRE_COS:
      return KEY_COS;
   default:
      return 0;
   }
}

SIM_LANES static void
rcp_lanes(double *restrict out, uint32_t *restrict reg, unsigned n)
{
   for (unsigned i = 0; i < n; i++) {
      double x = sim_fp20_to_float(reg[i]);
      double r = 1.0 / (x != 0 ? x : 1.0);
      out[i] = x != 0 ? r : SIM_FP20_MAX_VALUE;
      reg[i] = sim_fp20_code(out[i]);
   }
}

SIM_LANES static void
sqrt_lanes(double *restrict out, uint32_t *restrict reg, bool reciprocal,
           unsigned n)
{
   for (unsigned i = 0; i < n; i++) {
      double x = sim_fp20_to_float(reg[i]);
      double root = __builtin_sqrt(x < 0 ? -x : x);
      double r = 1.0 / (root != 0 ? root : 1.0);
      r = root != 0 ? r : SIM_FP20_MAX_VALUE;
      out[i] = reciprocal ? r : root;
      reg[i] = sim_fp20_code(out[i]);
   }
}

SIM_LANES static void
frc_lanes(double *restrict out, uint32_t *restrict reg, unsigned n)
{
   for (unsigned i = 0; i < n; i++) {
      /* From 2^13 on every fp20 value is an integer; below, the conversion to
       * int is in range. */
      float x = sim_fp20_to_float(reg[i]);
      float a = x < 0 ? -x : x;
      float y = a < 8192.0f ? x : 0.0f;
      int32_t whole = (int32_t)y;
      whole -= (float)whole > y;
      float f = y - (float)whole;
      out[i] = f;
      reg[i] = sim_fp20_code(f);
   }
}

/*
 * 2^x and log2(x) by series, to about 2^-49: the rounding to fp20 differs
 * from that of the exact value only within 2^-35 of a unit of a tie, and
 * where the result is representable (integers) the series gives it.
 */
SIM_LANES static void
ex2_lanes(double *restrict out, const uint32_t *restrict reg, uint32_t key,
          unsigned n)
{
   static const double c[14] = {
      /* ln(2)^k / k! */
      1.0,
      0.6931471805599453,
      0.2402265069591007,
      0.05550410866482158,
      0.009618129107628477,
      0.0013333558146428443,
      0.00015403530393381608,
      1.5252733804059838e-05,
      1.3215486790144305e-06,
      1.0178086009239699e-07,
      7.0549116208011209e-09,
      4.4455382718708101e-10,
      2.5678435993488179e-11,
      1.3691488853904124e-12,
   };
   for (unsigned i = 0; i < n; i++) {
      double x = sim_fp20_to_float((reg[i] ^ key) & 0xfffff);
      x = x < 40 ? x : 40;
      x = x > -40 ? x : -40;
      int32_t whole = (int32_t)(x + 64.5) - 64;
      double f = x - whole, p = c[13];
      for (int k = 12; k >= 0; k--)
         p = p * f + c[k];
      out[i] =
         p * sim_double_from_bits((uint64_t)(int64_t)(whole + 1023) << 52);
   }
}

SIM_LANES static void
lg2_lanes(double *restrict out, const uint32_t *restrict reg, unsigned n)
{
   /* x = 2^e * m, m in sqrt(1/2) .. sqrt(2); log2(m) = 2 / ln(2) * atanh((m -
    * 1) / (m + 1)) */
   for (unsigned i = 0; i < n; i++) {
      uint32_t magnitude = reg[i] & 0x7ffff;
      int32_t e = (int32_t)(magnitude >> 13) - 31;
      double m = 1.0 + (magnitude & 0x1fff) * (1.0 / 8192);
      int32_t upper = m > 1.4142135623730951;
      m = upper ? m * 0.5 : m;
      double s = (m - 1) / (m + 1), t = s * s, p = 1.0 / 23;
      p = p * t + 1.0 / 21;
      p = p * t + 1.0 / 19;
      p = p * t + 1.0 / 17;
      p = p * t + 1.0 / 15;
      p = p * t + 1.0 / 13;
      p = p * t + 1.0 / 11;
      p = p * t + 1.0 / 9;
      p = p * t + 1.0 / 7;
      p = p * t + 1.0 / 5;
      p = p * t + 1.0 / 3;
      p = p * t + 1.0;
      double r = (e + upper) + 2.8853900817779268 * s * p;
      out[i] = magnitude ? r : -SIM_FP20_MAX_VALUE;
   }
}

SIM_LANES static void
store_special(uint32_t *restrict reg, const double *restrict out, unsigned n)
{
   for (unsigned i = 0; i < n; i++)
      reg[i] = sim_fp20_code(out[i]);
}

/* Assumptions A54 and A85 the other way: results 0 for arguments that a
 * function does not take. */
static void
limit_special(const struct sim_fs_switches *switches, unsigned op,
              const uint32_t *argument, uint32_t *reg, double *out,
              unsigned n)
{
   for (unsigned i = 0; i < n; i++) {
      double x = sim_fp20_to_float(argument[i]);
      bool bad = false;
      if (op == SIM_FS_SFU_SIN || op == SIM_FS_SFU_COS)
         bad = switches->limited_special && fabs(x) > 3.15;
      else if (op == SIM_FS_SFU_EX2)
         bad = switches->limited_special && (x < -31 || x > 32);
      else if (op == SIM_FS_SFU_RSQ || op == SIM_FS_SFU_SQRT ||
               op == SIM_FS_SFU_LG2)
         bad = switches->zero_negative && x < 0;
      if (bad) {
         reg[i] = 0;
         out[i] = 0;
      }
   }
}

static void
special_lanes(struct sim_fs_block *block, unsigned op, uint32_t key,
              uint32_t *reg, double *out)
{
   unsigned n = block->n;
   switch (op) {
   case SIM_FS_SFU_RCP:
      rcp_lanes(out, reg, n);
      return;
   case SIM_FS_SFU_RSQ:
   case SIM_FS_SFU_SQRT:
      sqrt_lanes(out, reg, op == SIM_FS_SFU_RSQ, n);
      return;
   case SIM_FS_SFU_FRC:
      frc_lanes(out, reg, n);
      return;
   case SIM_FS_SFU_PRE_EX2:
   case SIM_FS_SFU_PRE_SIN:
   case SIM_FS_SFU_PRE_COS:
      for (unsigned i = 0; i < n; i++) {
         reg[i] ^= key;
         out[i] = sim_fp20_to_float(reg[i]);
      }
      return;
   case SIM_FS_SFU_EX2:
      ex2_lanes(out, reg, key, n);
      break;
   case SIM_FS_SFU_LG2:
      lg2_lanes(out, reg, n);
      break;
   default:
      for (unsigned i = 0; i < n; i++)
         out[i] = special(op, sim_fp20_to_float((reg[i] ^ key) & 0xfffff));
   }
   store_special(reg, out, n);
}

/* A special function of a register in place; its result also unrounded. */
static void
special_register(struct sim_fs_worker *worker, unsigned op, uint32_t *reg,
                 double *out)
{
   struct sim_fs_block *block = &worker->block;
   const struct sim_fs_switches *switches = &worker->fs->switches;
   uint32_t key = switches->plain_step ? 0 : sfu_key(op);
   if (!switches->limited_special && !switches->zero_negative) {
      special_lanes(block, op, key, reg, out);
      return;
   }
   uint32_t argument[SIM_FS_LANES];
   for (unsigned i = 0; i < block->n; i++)
      argument[i] = (reg[i] ^ key) & 0xfffff;
   special_lanes(block, op, key, reg, out);
   limit_special(switches, op, argument, reg, out, block->n);
}

/* --- multipliers --- */

SIM_LANES static void
read_row(double *restrict dst, const uint32_t *restrict raw, unsigned n)
{
   for (unsigned i = 0; i < n; i++)
      dst[i] = sim_fp20_to_float(raw[i]);
}

SIM_LANES static void
multiply(double *restrict dst, const double *a, const double *b, unsigned n)
{
   for (unsigned i = 0; i < n; i++)
      dst[i] = a[i] * b[i];
}

SIM_LANES static void
write_row(uint32_t *restrict raw, const double *restrict v, unsigned n)
{
   for (unsigned i = 0; i < n; i++)
      raw[i] = sim_fp20_code(v[i]);
}

static const double *
mul_source(struct sim_fs_block *block, unsigned source, const double *sfu,
           uint32_t (*row)[SIM_FS_LANES], double *scratch)
{
   switch (source) {
   case 0:
   case 1:
   case 2:
   case 3:
      read_row(scratch, row[source], block->n);
      return scratch;
   case 10:
      return sfu;
   case 11:
      return block->b0;
   case 12:
      return block->b1;
   default:
      /* 13 is 1.0; the others are unknown and read 0. */
      for (unsigned i = 0; i < block->n; i++)
         scratch[i] = source == 13 ? 1.0 : 0.0;
      return scratch;
   }
}

/* --- interpolation --- */

SIM_LANES static void
interpolate_fp20(uint32_t *restrict raw, const double *restrict w0,
                 const double *restrict w1,
                 const struct sim_fs_prim_varying *restrict v, bool saturate,
                 unsigned n)
{
   const double v2 = v->v2, d0 = v->d0, d1 = v->d1;
   if (saturate) {
      for (unsigned i = 0; i < n; i++) {
         double x = v2 + d0 * w0[i] + d1 * w1[i];
         x = x > 0 ? x : 0;
         x = x < 1 ? x : 1;
         raw[i] = sim_fp20_code(x);
      }
      return;
   }
   for (unsigned i = 0; i < n; i++)
      raw[i] = sim_fp20_code(v2 + d0 * w0[i] + d1 * w1[i]);
}

SIM_LANES static void
interpolate_fx10(uint32_t *restrict raw, const double *restrict w0,
                 const double *restrict w1,
                 const struct sim_fs_prim_varying *restrict low,
                 const struct sim_fs_prim_varying *restrict high,
                 bool saturate, unsigned n)
{
   const double min = saturate ? 0 : -2, max = saturate ? 1 : 2;
   for (unsigned i = 0; i < n; i++) {
      double x = low->v2 + low->d0 * w0[i] + low->d1 * w1[i] + TIE_SLACK;
      double y = high->v2 + high->d0 * w0[i] + high->d1 * w1[i] + TIE_SLACK;
      x = x > min ? x : min;
      x = x < max ? x : max;
      y = y > min ? y : min;
      y = y < max ? y : max;
      raw[i] = ((uint32_t)sim_fx10_round(x) & 0x3ffu) |
               ((uint32_t)sim_fx10_round(y) & 0x3ffu) << 10;
   }
}

/* Assumption A42 the other way: towards zero for fp20, down for fx10. */
static void
interpolate_cut(const struct sim_fs_block *block, uint32_t *raw,
                const struct sim_fs_prim_varying *v, bool fx10, bool saturate)
{
   for (unsigned i = 0; i < block->n; i++) {
      double x[2];
      for (unsigned k = 0; k < 2; k++) {
         const struct sim_fs_prim_varying *part = fx10 ? v + k : v;
         x[k] = part->v2 + part->d0 * block->w0[i] + part->d1 * block->w1[i] +
                (fx10 ? TIE_SLACK : 0);
         if (saturate)
            x[k] = x[k] > 0 ? x[k] < 1 ? x[k] : 1 : 0;
      }
      raw[i] =
         fx10 ? sim_fx10_pair(sim_fx10_from_double(floor(x[0] * 256) / 256),
                              sim_fx10_from_double(floor(x[1] * 256) / 256))
              : sim_fp20_code(sim_fp20_cut(x[0]));
   }
}

static void
interpolate(struct sim_fs_worker *worker, const struct sim_fs_mfu *mfu,
            uint32_t (*row)[SIM_FS_LANES])
{
   struct sim_fs_block *block = &worker->block;
   bool cut = worker->fs->switches.cut_varyings;
   if (worker->fs->switches.round_weights)
      round_weights(block);
   const struct sim_fs_prim_varying *varying =
      worker->fs->varyings + block->prim->varyings;
   for (unsigned c = 0; c < 4; c++) {
      const struct sim_fs_prim_varying *v = varying + mfu->var[c].varying;
      if (cut && (mfu->var[c].op == 1 || mfu->var[c].op == 2))
         interpolate_cut(block, row[c], v, mfu->var[c].op == 2,
                         mfu->var[c].saturate);
      else if (mfu->var[c].op == 1)
         interpolate_fp20(row[c], block->w0, block->w1, v,
                          mfu->var[c].saturate, block->n);
      else if (mfu->var[c].op == 2)
         interpolate_fx10(row[c], block->w0, block->w1, v, v + 1,
                          mfu->var[c].saturate, block->n);
      else if (c == 3 && mfu->var[c].op == 0 && mfu->var[c].saturate)
         /* z mode: the halves of the 20-bit depth, the reading that fits the
          * published formula (4.6). */
         memcpy(row[3], block->z20, block->n * sizeof(row[3][0]));
   }
}

void
sim_fs_mfu(struct sim_fs_worker *worker, const struct sim_fs_mfu *mfu,
           uint32_t (*row)[SIM_FS_LANES])
{
   struct sim_fs_block *block = &worker->block;
   unsigned n = block->n;
   if (mfu->barycentric_setup) {
      setup_weights(worker);
      interpolate(worker, mfu, row);
      return;
   }
   double *sfu = block->d[0];
   uint32_t *written =
               mfu->sfu && mfu->sfu_reg < 4 ? row[mfu->sfu_reg] : NULL,
            result[SIM_FS_LANES];
   if (mfu->sfu) {
      if (written) {
         memcpy(result, written, n * sizeof(*result));
         special_register(worker, mfu->sfu, result, sfu);
         if (!worker->fs->switches.old_product)
            memcpy(written, result, n * sizeof(*result));
      } else {
         for (unsigned i = 0; i < n; i++)
            sfu[i] =
               mfu->sfu_reg == 4 ? special(mfu->sfu, block->r4[i]) : 0.0;
      }
   } else {
      memset(sfu, 0, n * sizeof(*sfu));
   }
   /* Both multipliers read before either writes. */
   for (unsigned m = 0; m < 2; m++) {
      if (!mfu->mul[m].dest)
         continue;
      const double *a =
         mul_source(block, mfu->mul[m].src0, sfu, row, block->d[1]);
      const double *b =
         mul_source(block, mfu->mul[m].src1, sfu, row, block->d[2]);
      multiply(block->result[m], a, b, n);
   }
   if (written)
      memcpy(written, result, n * sizeof(*result));
   for (unsigned m = 0; m < 2; m++) {
      unsigned dest = mfu->mul[m].dest;
      if (dest == 1)
         memcpy(m ? block->w1 : block->w0, block->result[m],
                n * sizeof(double));
      else if (dest >= 4)
         write_row(row[dest - 4], block->result[m], n);
   }
   interpolate(worker, mfu, row);
}
