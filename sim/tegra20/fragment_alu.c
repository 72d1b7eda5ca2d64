/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The ALU (fragment-pipeline.md 3): one packet over all lanes of a block.
 *
 * Arithmetic.  Operands are exact, A*B + C*D is rounded once (12).  Three
 * ways lead there; fragment_decode.c chooses one per unit by the number of
 * significant bits:
 *
 *   float:    nothing is rounded in single precision: moves, selects,
 *             products of an fp20 and an fx10, sums of fx10 products.
 *   mad:      A*B + C*D in double precision, one loop from the operands to
 *             the result.  A product of two fp20 has 28 bits, the sum of two
 *             is exact in 53 unless they lie more than 2^25 apart; then the
 *             double is the correctly rounded sum, and rounding it again can
 *             only go wrong when it looks exactly like a tie: the larger
 *             product ending in precisely half a unit.
 *   wide:     the same with operands that are an fp20 minus one.
 *   general:  everything else, in double precision and one step at a time:
 *             accumulation, addition disable, scale and conditions of inexact
 *             sums.
 *
 * alu0..3 hold the final value rounded to fp20 (assumptions A45, A47); an
 * fx10 half gets floor(256 x + 0.5) of the unrounded one.
 *
 * Writes are staged and committed by the caller, which knows about the
 * register write delay (3.5).
 */

#include "fragment.h"

/* --- steps that read the same in both precisions --- */

#define REAL float
#define LANES(name) name##_float
#include "fragment_lanes.h"
#undef REAL
#undef LANES

#define REAL double
#define LANES(name) name##_double
#include "fragment_lanes.h"
#undef REAL
#undef LANES

/* --- operands --- */

SIM_LANES static void
fill_double(double *dst, double value, unsigned n)
{
   for (unsigned i = 0; i < n; i++)
      dst[i] = value;
}

/* What becomes of an operand's value: value * scale + offset.  The same as
 * times two, minus one, negate, because nothing is rounded. */
struct affine {
   float scale, offset;
};

static struct affine
operand_affine(const struct sim_fs_operand *o)
{
   const float sign = o->negate ? -1 : 1;
   return (struct affine){ (o->times_two ? 2 : 1) * sign,
                           -(float)o->minus_one * sign };
}

/* Bits 9..0 of a register with a shift of 22, bits 19..10 with one of 12. */
SIM_LANES static void
load_fx10(float *restrict dst, const uint32_t *restrict raw, unsigned shift,
          struct affine affine, unsigned n)
{
   const float scale = affine.scale * (1.0f / 256.0f);
   for (unsigned i = 0; i < n; i++)
      dst[i] =
         (float)((int32_t)(raw[i] << shift) >> 22) * scale + affine.offset;
}

SIM_LANES static void
load_fp20(float *restrict dst, const uint32_t *restrict raw,
          struct affine affine, unsigned n)
{
   for (unsigned i = 0; i < n; i++)
      dst[i] = sim_fp20_to_float(raw[i]) * affine.scale + affine.offset;
}

/* alu0..3 and condition registers as if they were a register of two halves.
 */
SIM_LANES static void
load_condition_pair(float *restrict dst, const float *restrict even,
                    const float *restrict odd, unsigned n)
{
   for (unsigned i = 0; i < n; i++) {
      uint32_t raw =
         (even[i] != 0.0f ? 256u : 0u) | (odd[i] != 0.0f ? 256u << 10 : 0u);
      dst[i] = sim_fp20_to_float(raw);
   }
}

SIM_LANES static void
quantise(float *restrict dst, const float *restrict src, unsigned n)
{
   for (unsigned i = 0; i < n; i++)
      dst[i] = (float)sim_fx10_round(src[i]) * (1.0f / 256.0f);
}

SIM_LANES static void
widen(double *restrict dst, const float *restrict src, unsigned n)
{
   for (unsigned i = 0; i < n; i++)
      dst[i] = src[i];
}

static bool
is_modified(const struct sim_fs_operand *o)
{
   return o->absolute || o->negate || o->minus_one || o->times_two;
}

/* The lanes of a row register, modified. */
static const float *
load_row(const struct sim_fs_block *block, const struct sim_fs_operand *o,
         struct affine affine, float *scratch)
{
   const uint32_t *raw = block->raw[o->index];
   if (o->fx10)
      load_fx10(scratch, raw, o->high ? 12 : 22, affine, block->n);
   else
      load_fp20(scratch, raw, affine, block->n);
   return scratch;
}

/* The lanes of another variable operand before its modifiers, in scratch or
 * in place. */
static const float *
load_plain(struct sim_fs_worker *worker, const struct sim_fs_operand *o,
           float *scratch)
{
   struct sim_fs_block *block = &worker->block;
   unsigned n = block->n;
   switch (o->kind) {
   case SIM_FS_OPERAND_ROW:
      return load_row(block, o, (struct affine){ 1, 0 }, scratch);
   case SIM_FS_OPERAND_ALU:
      if (!o->fx10)
         return block->alu_in[o->index];
      /* Nobody has read these as fx10: taken as the value, quantised
       * (assumption A84). */
      if (worker->fs->switches.alu_bits) {
         for (unsigned i = 0; i < n; i++)
            scratch[i] = sim_fx10_to_float(sim_fx10_half(
               sim_fp20_pack(block->alu_in[o->index][i]), o->high));
         return scratch;
      }
      quantise(scratch, block->alu_in[o->index], n);
      return scratch;
   case SIM_FS_OPERAND_COND:
      return block->cond[o->index];
   default:
      load_condition_pair(scratch, block->cond[o->index],
                          block->cond[o->index + 1], n);
      return scratch;
   }
}

static const float *
load_float(struct sim_fs_worker *worker, const struct sim_fs_operand *o,
           unsigned which)
{
   struct sim_fs_block *block = &worker->block;
   float *scratch = block->f[which];
   if (o->kind == SIM_FS_OPERAND_CONSTANT)
      return worker->fs->constant_lanes[o->constant];
   if (o->kind == SIM_FS_OPERAND_ROW && !o->absolute)
      return load_row(block, o, operand_affine(o), scratch);
   const float *v = load_plain(worker, o, scratch);
   if (!is_modified(o))
      return v;
   if (v != scratch) {
      memcpy(scratch, v, block->n * sizeof(*scratch));
      v = scratch;
   }
   modify_float(scratch, block->n, o->absolute, o->times_two ? 2 : 1,
                o->minus_one, o->negate ? -1 : 1);
   return scratch;
}

static const double *
load_double(struct sim_fs_worker *worker, const struct sim_fs_operand *o,
            unsigned which)
{
   struct sim_fs_block *block = &worker->block;
   double *scratch = block->d[which];
   if (o->kind == SIM_FS_OPERAND_CONSTANT) {
      fill_double(scratch, worker->fs->constants[o->constant], block->n);
      return scratch;
   }
   widen(scratch, load_plain(worker, o, block->f[which]), block->n);
   if (is_modified(o))
      modify_double(scratch, block->n, o->absolute, o->times_two ? 2 : 1,
                    o->minus_one, o->negate ? -1 : 1);
   return scratch;
}

/* --- single precision path --- */

/* floor(256 r + 0.5) as 10 bits.  r has at most 23 bits, so that 256 r + 0.5
 * is exact where the floor could depend on it. */
SIM_INLINE uint32_t
fx10_code_float(float r, float low, float high)
{
   float t = r * 256.0f + 0.5f;
   t = t > low ? t : low;
   t = t < high ? t : high;
   int32_t whole = (int32_t)t;
   whole -= (float)whole > t;
   return (uint32_t)whole & 0x3ffu;
}

SIM_LANES static void
stage_fx_float(uint32_t *restrict stage, const float *restrict r, unsigned n)
{
   for (unsigned i = 0; i < n; i++)
      stage[i] = fx10_code_float(r[i], -512.0f, 511.0f);
}

/* A*B + C*D to fx10 in one loop.  A saturated result is one between other
 * limits. */
SIM_LANES static void
mad_fx10_float(uint32_t *restrict stage, const float *a, const float *b,
               const float *c, const float *d, bool saturate, unsigned n)
{
   const float low = saturate ? 0.5f : -512.0f,
               high = saturate ? 256.5f : 511.0f;
   if (d) {
      for (unsigned i = 0; i < n; i++)
         stage[i] = fx10_code_float(a[i] * b[i] + c[i] * d[i], low, high);
   } else {
      for (unsigned i = 0; i < n; i++)
         stage[i] = fx10_code_float(a[i] * b[i] + c[i], low, high);
   }
}

SIM_LANES static void
round_float(float *restrict dst, const float *restrict r, unsigned n)
{
   for (unsigned i = 0; i < n; i++) {
      uint32_t bits = sim_float_bits(r[i]);
      float v =
         sim_float_from_bits((bits + 0x1ff + ((bits >> 10) & 1)) & ~0x3ffu);
      v = v < (float)SIM_FP20_MAX_VALUE ? v : (float)SIM_FP20_MAX_VALUE;
      v = v > -(float)SIM_FP20_MAX_VALUE ? v : -(float)SIM_FP20_MAX_VALUE;
      float a = v < 0 ? -v : v;
      dst[i] = a > 0x1p-31f ? v : 0.0f;
   }
}

SIM_LANES static void
stage_fp20(uint32_t *restrict stage, const float *restrict rounded,
           unsigned n)
{
   for (unsigned i = 0; i < n; i++)
      stage[i] = sim_fp20_pack(rounded[i]);
}

/* Does nobody but an fx10 half see the result? */
static bool
is_fx10_only(const struct sim_fs_unit *unit)
{
   return !unit->need_alu &&
          (unit->dest == SIM_FS_DEST_LOW || unit->dest == SIM_FS_DEST_HIGH);
}

static void
unit_float(struct sim_fs_worker *worker, const struct sim_fs_unit *unit,
           unsigned u, unsigned slot)
{
   struct sim_fs_block *block = &worker->block;
   unsigned n = block->n;
   const float *a = load_float(worker, &unit->a, 0);
   const float *b = load_float(worker, &unit->b, 1);
   const float *c = load_float(worker, &unit->c, 2);
   const float *d = unit->has_d ? load_float(worker, &unit->d, 3) : NULL;
   uint32_t *stage = block->stage[slot][u];
   if (unit->op == SIM_FS_MAD && !unit->scale && !unit->cond &&
       is_fx10_only(unit)) {
      mad_fx10_float(stage, a, b, c, d, unit->saturate, n);
      return;
   }
   float *r = block->float_result;
   combine_float(r, unit->op, a, b, c, d, n);
   finish_float(r, n, unit->scale, unit->saturate, unit->cond);
   if (unit->dest == SIM_FS_DEST_LOW || unit->dest == SIM_FS_DEST_HIGH)
      stage_fx_float(stage, r, n);
   else if (unit->dest == SIM_FS_DEST_COND || unit->dest == SIM_FS_DEST_KILL)
      stage_nonzero_float(stage, r, n);
   if (unit->need_alu || unit->dest == SIM_FS_DEST_FULL) {
      round_float(block->alu[slot][u], r, n);
      if (unit->dest == SIM_FS_DEST_FULL)
         stage_fp20(stage, block->alu[slot][u], n);
   }
}

/* --- double precision path --- */

SIM_LANES static void
stage_fx_double(uint32_t *restrict stage, const double *restrict r,
                unsigned n)
{
   for (unsigned i = 0; i < n; i++)
      stage[i] = (uint32_t)sim_fx10_round(r[i]) & 0x3ffu;
}

SIM_LANES static void
round_double(float *restrict dst, const double *restrict r, unsigned n)
{
   for (unsigned i = 0; i < n; i++)
      dst[i] = (float)sim_fp20_round(r[i]);
}

/* Assumption A47 the other way. */
static void
cut_double(float *dst, const double *r, unsigned n)
{
   for (unsigned i = 0; i < n; i++)
      dst[i] = (float)sim_fp20_round(sim_fp20_cut(r[i]));
}

/* Assumption A46 the other way. */
static void
stage_fx_wrapping(uint32_t *stage, const double *r, unsigned n)
{
   for (unsigned i = 0; i < n; i++)
      stage[i] =
         (uint32_t)(int64_t)__builtin_floor(r[i] * 256.0 + 0.5) & 0x3ffu;
}

/* Two products, one per half (fragment-pipeline.md 3.7). */
static void
stage_pair(struct sim_fs_block *block, const struct sim_fs_unit *unit,
           uint32_t *stage, const double *ab, const double *c,
           const double *d)
{
   for (unsigned i = 0; i < block->n; i++) {
      double cd = d ? c[i] * d[i] : c[i];
      finish_double(&cd, 1, unit->scale, unit->saturate, unit->cond);
      int32_t x = sim_fx10_round(ab[i]), y = sim_fx10_round(cd);
      stage[i] = unit->pair_swap ? sim_fx10_pair(y, x) : sim_fx10_pair(x, y);
   }
}

SIM_LANES static void
add_double(double *restrict sum, const double *restrict x, unsigned n)
{
   for (unsigned i = 0; i < n; i++)
      sum[i] += x[i];
}

static void
add_senders(struct sim_fs_block *block, const struct sim_fs_unit *unit,
            double *sum)
{
   for (unsigned k = 0; k < 4; k++) {
      if (unit->adds >> k & 1)
         add_double(sum, block->result[k], block->n);
   }
}

/* Operand C of a receiving unit: the neighbours' results, with C's modifiers
 * (fragment-pipeline.md 3.6). */
static const double *
received(struct sim_fs_block *block, const struct sim_fs_packet *packet,
         unsigned u)
{
   double *sum = block->d[2];
   const struct sim_fs_operand *o = &packet->unit[u].c;
   unsigned left = (u + 3) & 3;
   memcpy(sum, block->result[left], block->n * sizeof(*sum));
   add_senders(block, &packet->unit[u], sum);
   if (is_modified(o))
      modify_double(sum, block->n, o->absolute, o->times_two ? 2 : 1,
                    o->minus_one, o->negate ? -1 : 1);
   return sum;
}

/* The result of a unit to its destination and to alu0..3; c and d matter with
 * addition disable only. */
static void
finish_unit(struct sim_fs_worker *worker, const struct sim_fs_unit *unit,
            unsigned u, unsigned slot, const double *c, const double *d)
{
   struct sim_fs_block *block = &worker->block;
   const double *r = block->result[u];
   unsigned n = block->n;
   uint32_t *stage = block->stage[slot][u];
   switch (unit->dest) {
   case SIM_FS_DEST_LOW:
   case SIM_FS_DEST_HIGH:
      if (worker->fs->switches.wrap_fx10)
         stage_fx_wrapping(stage, r, n);
      else
         stage_fx_double(stage, r, n);
      break;
   case SIM_FS_DEST_COND:
   case SIM_FS_DEST_KILL:
      stage_nonzero_double(stage, r, n);
      break;
   case SIM_FS_DEST_PAIR:
      stage_pair(block, unit, stage, r, c, d);
      break;
   default:
      break;
   }
   if (unit->need_alu || unit->dest == SIM_FS_DEST_FULL) {
      if (worker->fs->switches.cut_fp20)
         cut_double(block->alu[slot][u], r, n);
      else
         round_double(block->alu[slot][u], r, n);
      if (unit->dest == SIM_FS_DEST_FULL)
         stage_fp20(stage, block->alu[slot][u], n);
   }
}

/* MAD into r; c is "received" when that is not NULL. */
SIM_LANES static void
mad_double(double *restrict r, const float *a, const float *b, const float *c,
           const double *received, const float *d, unsigned n)
{
   if (received && d) {
      for (unsigned i = 0; i < n; i++)
         r[i] = (double)a[i] * b[i] + received[i] * d[i];
   } else if (received) {
      for (unsigned i = 0; i < n; i++)
         r[i] = (double)a[i] * b[i] + received[i];
   } else if (d) {
      for (unsigned i = 0; i < n; i++)
         r[i] = (double)a[i] * b[i] + (double)c[i] * d[i];
   } else {
      for (unsigned i = 0; i < n; i++)
         r[i] = (double)a[i] * b[i] + c[i];
   }
}

/* Operands to block->result[u], without scale, saturate and condition. */
static void
combine_unit(struct sim_fs_worker *worker, const struct sim_fs_packet *packet,
             unsigned u)
{
   struct sim_fs_block *block = &worker->block;
   const struct sim_fs_unit *unit = &packet->unit[u];
   const double *sum = unit->recv ? received(block, packet, u) : NULL;
   const float *a = load_float(worker, &unit->a, 0);
   const float *b = load_float(worker, &unit->b, 1);
   const float *c = sum ? NULL : load_float(worker, &unit->c, 2);
   const float *d = unit->has_d ? load_float(worker, &unit->d, 3) : NULL;
   mad_double(block->result[u], a, b, c, sum, d, block->n);
}

static void
unit_double(struct sim_fs_worker *worker, const struct sim_fs_packet *packet,
            unsigned u, unsigned slot)
{
   struct sim_fs_block *block = &worker->block;
   const struct sim_fs_unit *unit = &packet->unit[u];
   unsigned n = block->n;
   const double *c = NULL, *d = NULL;
   double *r = block->result[u];
   if (unit->narrow && unit->op == SIM_FS_MAD && !unit->no_addition) {
      combine_unit(worker, packet, u);
   } else {
      static const double zero[SIM_FS_LANES];
      const double *a = load_double(worker, &unit->a, 0);
      const double *b = load_double(worker, &unit->b, 1);
      c = unit->recv ? received(block, packet, u)
                     : load_double(worker, &unit->c, 2);
      d = unit->has_d ? load_double(worker, &unit->d, 3) : NULL;
      if (unit->no_addition)
         combine_double(r, SIM_FS_MAD, a, b, zero, NULL, n);
      else
         combine_double(r, unit->op, a, b, c, d, n);
   }
   if (!unit->recv)
      add_senders(block, unit, r);
   bool raw = worker->fs->switches.raw_alu && unit->need_alu;
   double before[SIM_FS_LANES];
   if (raw)
      memcpy(before, r, n * sizeof(*before));
   finish_double(r, n, unit->scale, unit->saturate, unit->cond);

   finish_unit(worker, unit, u, slot, c, d);
   if (raw)
      round_double(block->alu[slot][u], before, n);
}

/* --- one loop for A*B + C*D --- */

SIM_INLINE double
mad(float a, float b, float c, float d, bool has_d)
{
   return (double)a * b + (has_d ? (double)c * d : (double)c);
}

SIM_INLINE double
limit(double r, double low, double high)
{
   r = r > low ? r : low;
   return r < high ? r : high;
}

/* sim_fx10_round() as 10 bits.  A saturated result is one between other
 * limits, here those of 256 r + 512.5. */
struct fx10_limits {
   double low, high;
};

SIM_INLINE struct fx10_limits
fx10_limits(bool saturate)
{
   return saturate ? (struct fx10_limits){ 512.5, 768.5 }
                   : (struct fx10_limits){ 0.0, 1023.0 };
}

SIM_INLINE uint32_t
fx10_code(double r, struct fx10_limits limits)
{
   double t = limit(r * 256.0 + 512.5, limits.low, limits.high);
   return ((uint32_t)(int32_t)t - 512) & 0x3ffu;
}

SIM_LANES static void
mad_fx10(uint32_t *restrict stage, const float *a, const float *b,
         const float *c, const float *d, bool saturate, unsigned n)
{
   const struct fx10_limits limits = fx10_limits(saturate);
   if (d) {
      for (unsigned i = 0; i < n; i++)
         stage[i] = fx10_code(mad(a[i], b[i], c[i], d[i], true), limits);
   } else {
      for (unsigned i = 0; i < n; i++)
         stage[i] = fx10_code(mad(a[i], b[i], c[i], 0, false), limits);
   }
}

/* Without saturation the limits are beyond those of fp20. */
SIM_LANES static void
mad_fp20(float *restrict out, const float *a, const float *b, const float *c,
         const float *d, bool saturate, unsigned n)
{
   const double low = saturate ? 0 : -0x1p40, high = saturate ? 1 : 0x1p40;
   if (d) {
      for (unsigned i = 0; i < n; i++)
         out[i] = (float)sim_fp20_round(
            limit(mad(a[i], b[i], c[i], d[i], true), low, high));
   } else {
      for (unsigned i = 0; i < n; i++)
         out[i] = (float)sim_fp20_round(
            limit(mad(a[i], b[i], c[i], 0, false), low, high));
   }
}

SIM_LANES static void
mad_nonzero(uint32_t *restrict stage, const float *a, const float *b,
            const float *c, const float *d, bool saturate, unsigned n)
{
   const double low = saturate ? 0 : -0x1p80, high = saturate ? 1 : 0x1p80;
   for (unsigned i = 0; i < n; i++) {
      double r = mad(a[i], b[i], c[i], d ? d[i] : 1.0f, true);
      stage[i] = limit(r, low, high) != 0 ? ~0u : 0u;
   }
}

static void
unit_mad(struct sim_fs_worker *worker, const struct sim_fs_unit *unit,
         unsigned u, unsigned slot)
{
   struct sim_fs_block *block = &worker->block;
   unsigned n = block->n;
   const float *a = load_float(worker, &unit->a, 0);
   const float *b = load_float(worker, &unit->b, 1);
   const float *c = load_float(worker, &unit->c, 2);
   const float *d = unit->has_d ? load_float(worker, &unit->d, 3) : NULL;
   uint32_t *stage = block->stage[slot][u];
   if (unit->dest == SIM_FS_DEST_LOW || unit->dest == SIM_FS_DEST_HIGH)
      mad_fx10(stage, a, b, c, d, unit->saturate, n);
   else if (unit->dest == SIM_FS_DEST_COND || unit->dest == SIM_FS_DEST_KILL)
      mad_nonzero(stage, a, b, c, d, unit->saturate, n);
   if (unit->need_alu || unit->dest == SIM_FS_DEST_FULL) {
      mad_fp20(block->alu[slot][u], a, b, c, d, unit->saturate, n);
      if (unit->dest == SIM_FS_DEST_FULL)
         stage_fp20(stage, block->alu[slot][u], n);
   }
}

/* --- the same with fp20 operands minus one --- */

/* An operand as (v - minus) * sign: the last two modifiers of a wide one,
 * nothing (0 and 1) of another. */
struct wide {
   const float *v;
   double minus, sign;
};

static struct wide
load_wide(struct sim_fs_worker *worker, const struct sim_fs_operand *o,
          unsigned which)
{
   if (!o->wide)
      return (struct wide){ load_float(worker, o, which), 0, 1 };
   struct sim_fs_operand plain = *o;
   plain.minus_one = plain.negate = 0;
   return (struct wide){ load_float(worker, &plain, which), o->minus_one,
                         o->negate ? -1 : 1 };
}

/* (A - minus) * sign * B + C*D to fx10: the usual one, of blending. */
SIM_LANES static void
wide_fx10(uint32_t *restrict stage, const struct wide *a, const float *b,
          const float *c, const float *d, bool saturate, unsigned n)
{
   const struct fx10_limits limits = fx10_limits(saturate);
   const double scale = a->sign, offset = -a->minus * a->sign;
   const float *va = a->v;
   if (d) {
      for (unsigned i = 0; i < n; i++)
         stage[i] = fx10_code(
            (va[i] * scale + offset) * b[i] + (double)c[i] * d[i], limits);
   } else {
      for (unsigned i = 0; i < n; i++)
         stage[i] = fx10_code((va[i] * scale + offset) * b[i] + c[i], limits);
   }
}

SIM_LANES static void
mad_wide(double *restrict r, const struct wide *a, const struct wide *b,
         const struct wide *c, const struct wide *d, bool saturate,
         unsigned n)
{
   const float *restrict va = a->v, *restrict vb = b->v, *restrict vc = c->v,
                         *restrict vd = d->v;
   const double ma = a->minus, mb = b->minus, mc = c->minus, md = d->minus;
   const double sab = a->sign * b->sign, scd = c->sign * d->sign;
   for (unsigned i = 0; i < n; i++)
      r[i] = (va[i] - ma) * (vb[i] - mb) * sab +
             (vc[i] - mc) * (vd[i] - md) * scd;
   if (saturate) {
      for (unsigned i = 0; i < n; i++) {
         double v = r[i] > 0 ? r[i] : 0;
         r[i] = v < 1 ? v : 1;
      }
   }
}

/* One operand is an fp20 minus one and no other; false: not so. */
static bool
unit_one_wide(struct sim_fs_worker *worker, const struct sim_fs_unit *unit,
              uint32_t *stage)
{
   const struct sim_fs_operand *o[4] = { &unit->a, &unit->b, &unit->c,
                                         &unit->d };
   unsigned wide = 4;
   for (unsigned i = 0; i < (unit->has_d ? 4 : 3); i++) {
      if (!o[i]->wide)
         continue;
      if (wide < 4)
         return false;
      wide = i;
   }
   if (wide == 4 || (wide == 2 && !unit->has_d))
      return false;
   /* Its factor is the other one of its pair, then comes the other pair. */
   struct wide w = load_wide(worker, o[wide], wide);
   unsigned pair = wide & 2 ? 0 : 2;
   const float *b = load_float(worker, o[wide ^ 1], wide ^ 1);
   const float *c = load_float(worker, o[pair], pair);
   const float *d = pair == 0 || unit->has_d
                       ? load_float(worker, o[pair + 1], pair + 1)
                       : NULL;
   wide_fx10(stage, &w, b, c, d, unit->saturate, worker->block.n);
   return true;
}

static void
unit_wide(struct sim_fs_worker *worker, const struct sim_fs_unit *unit,
          unsigned u, unsigned slot)
{
   struct sim_fs_block *block = &worker->block;
   if (is_fx10_only(unit) && !worker->fs->switches.wrap_fx10 &&
       unit_one_wide(worker, unit, block->stage[slot][u]))
      return;
   static const float one[SIM_FS_LANES];
   struct wide a = load_wide(worker, &unit->a, 0),
               b = load_wide(worker, &unit->b, 1);
   struct wide c = load_wide(worker, &unit->c, 2),
               d = { one, -1, 1 }; /* 0 - -1 */
   if (unit->has_d)
      d = load_wide(worker, &unit->d, 3);
   mad_wide(block->result[u], &a, &b, &c, &d, unit->saturate, block->n);
   finish_unit(worker, unit, u, slot, NULL, NULL);
}

/* --- packets --- */

static void
run_unit(struct sim_fs_worker *worker, const struct sim_fs_packet *packet,
         unsigned u, unsigned slot)
{
   const struct sim_fs_unit *unit = &packet->unit[u];
   if (unit->path == SIM_FS_PATH_GENERAL || worker->fs->switches.exact_alu)
      unit_double(worker, packet, u, slot);
   else if (unit->path == SIM_FS_PATH_FLOAT)
      unit_float(worker, unit, u, slot);
   else if (unit->path == SIM_FS_PATH_WIDE)
      unit_wide(worker, unit, u, slot);
   else
      unit_mad(worker, unit, u, slot);
}

SIM_LANES static void
fill_words(uint32_t *dst, uint32_t value, unsigned n)
{
   for (unsigned i = 0; i < n; i++)
      dst[i] = value;
}

/* What sim_fs_alu_constants() found. */
static void
unit_constant(struct sim_fs_worker *worker,
              const struct sim_fs_packet *packet, unsigned u, unsigned slot)
{
   struct sim_fs_block *block = &worker->block;
   const struct sim_fs_unit *unit = &packet->unit[u];
   const struct sim_fs_unit_result *result =
      &worker->fs->unit_results[packet - worker->fs->program->alu][u];
   if (unit->dest != SIM_FS_DEST_NONE)
      fill_words(block->stage[slot][u], result->stage, block->n);
   for (unsigned i = 0; unit->need_alu && i < block->n; i++)
      block->alu[slot][u][i] = result->alu;
}

/*
 * Evaluates a packet: results go to alu[slot] and stage[slot], alu0..3 are
 * read from block->alu_in.  A3 of a packet with constants leaves 0.
 */
void
sim_fs_alu_packet(struct sim_fs_worker *worker,
                  const struct sim_fs_packet *packet, unsigned slot)
{
   struct sim_fs_block *block = &worker->block;
   for (unsigned k = 0; k < 4; k++) {
      unsigned u = packet->order[k];
      const struct sim_fs_unit *unit = &packet->unit[u];
      if (packet->has_constants && u == 3) {
         memset(block->alu[slot][3], 0, block->n * sizeof(float));
         memset(block->result[3], 0, block->n * sizeof(double));
         continue;
      }
      if (!unit->active)
         continue;
      if (unit->constant)
         unit_constant(worker, packet, u, slot);
      else
         run_unit(worker, packet, u, slot);
   }
}

/* Evaluates the units that have constant operands only, once per draw. */
void
sim_fs_alu_constants(struct gr3d_fragment_state *fs)
{
   const struct sim_fs_program *program = fs->program;
   struct sim_fs_block *block = &fs->worker[0]->block;
   block->n = SIM_FS_STRIP_LANES;
   for (unsigned p = 0; p < program->num_packets; p++) {
      const struct sim_fs_packet *packet = &program->alu[p];
      for (unsigned u = 0; u < 4; u++) {
         if (!packet->unit[u].constant)
            continue;
         run_unit(fs->worker[0], packet, u, 0);
         fs->unit_results[p][u] =
            (struct sim_fs_unit_result){ block->stage[0][u][0],
                                         block->alu[0][u][0] };
      }
   }
}

SIM_LANES static void
insert_low(uint32_t *restrict reg, const uint32_t *restrict value, unsigned n)
{
   for (unsigned i = 0; i < n; i++)
      reg[i] = (reg[i] & 0xffc00u) | value[i];
}

SIM_LANES static void
insert_high(uint32_t *restrict reg, const uint32_t *restrict value,
            unsigned n)
{
   for (unsigned i = 0; i < n; i++)
      reg[i] = (reg[i] & 0x3ffu) | value[i] << 10;
}

SIM_LANES static void
insert_both(uint32_t *restrict reg, const uint32_t *restrict low,
            const uint32_t *restrict high, unsigned n)
{
   for (unsigned i = 0; i < n; i++)
      reg[i] = low[i] | high[i] << 10;
}

/* A half of a register; in one go with the other one where another unit of
 * the packet writes that.  Returns the bits of the units that are done. */
static unsigned
commit_half(struct sim_fs_block *block, const struct sim_fs_packet *packet,
            unsigned u, const uint32_t (*stage)[SIM_FS_LANES])
{
   const struct sim_fs_unit *unit = &packet->unit[u];
   const bool high = unit->dest == SIM_FS_DEST_HIGH;
   uint32_t *reg = block->raw[unit->dest_index];
   for (unsigned v = u + 1; v < 4; v++) {
      const struct sim_fs_unit *other = &packet->unit[v];
      if (other->dest_index == unit->dest_index &&
          (other->dest == SIM_FS_DEST_FULL ||
           other->dest == SIM_FS_DEST_PAIR))
         break; /* which overwrites this, but not what comes behind it */
      if (other->dest_index != unit->dest_index ||
          other->dest != (high ? SIM_FS_DEST_LOW : SIM_FS_DEST_HIGH))
         continue;
      insert_both(reg, stage[high ? v : u], stage[high ? u : v], block->n);
      return 1u << u | 1u << v;
   }
   if (high)
      insert_high(reg, stage[u], block->n);
   else
      insert_low(reg, stage[u], block->n);
   return 1u << u;
}

SIM_LANES static void
set_condition(float *restrict cond, const uint32_t *restrict value,
              unsigned n)
{
   for (unsigned i = 0; i < n; i++)
      cond[i] = value[i] ? 1.0f : 0.0f;
}

SIM_LANES static void
kill_lanes(uint32_t *restrict live, uint32_t *restrict killed,
           const uint32_t *restrict value, unsigned n)
{
   for (unsigned i = 0; i < n; i++) {
      killed[i] |= value[i];
      live[i] &= ~value[i];
   }
}

/* Makes the staged writes of a packet visible. */
void
sim_fs_alu_commit(struct sim_fs_worker *worker,
                  const struct sim_fs_packet *packet, unsigned slot)
{
   struct sim_fs_block *block = &worker->block;
   unsigned n = block->n;
   unsigned done = 0;
   for (unsigned u = 0; u < 4; u++) {
      const struct sim_fs_unit *unit = &packet->unit[u];
      const uint32_t *stage = block->stage[slot][u];
      if (done >> u & 1)
         continue;
      switch (unit->dest) {
      case SIM_FS_DEST_LOW:
      case SIM_FS_DEST_HIGH:
         done |=
            commit_half(block, packet, u,
                        (const uint32_t(*)[SIM_FS_LANES])block->stage[slot]);
         break;
      case SIM_FS_DEST_FULL:
      case SIM_FS_DEST_PAIR:
         memcpy(block->raw[unit->dest_index], stage, n * sizeof(*stage));
         break;
      case SIM_FS_DEST_COND:
         set_condition(block->cond[unit->dest_index], stage, n);
         break;
      case SIM_FS_DEST_KILL:
         kill_lanes(block->live, block->killed, stage, n);
         break;
      default:
         break;
      }
   }
}
