/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Fragment shading: eight quads at a time, in the order in which they come.
 * Pixels of a quad that are not covered run along, so that there are
 * differences between neighbours; those that the program kills do too, as
 * long as another pixel of their quad lives.
 */

#include <string.h>

#include "util/half_float.h"

#include "numbers.h"
#include "raster.h"

/* VPC_VARYING_INTERP: two bits for each component. */
enum { INTERP_SMOOTH, INTERP_FLAT, INTERP_ZERO, INTERP_ONE };
/* VPC_VARYING_PS_REPL: what takes a varying's place along points; along a
 * rectangle, between which corners it goes. */
enum { REPL_NONE, REPL_S, REPL_T, REPL_ONE_MINUS_T };

/* SP_FS_OUTPUT_REG */
#define OUTPUT_DEPTH (1u << 7)
#define OUTPUT_DEPTH_REG(word) ((word) >> 8 & 0xff)

/* --- varyings --- */

static unsigned
two_bits(const struct a4xx *chip, unsigned reg, unsigned location)
{
   return a4xx_reg(chip, reg + location / 16) >> location % 16 * 2 & 3;
}

static float
output(const struct a4xx_vertex *vertex, unsigned location)
{
   return sim_float_from_bits(vertex->outputs[location]);
}

/* Along a point or a rectangle; i and j go from 0 to 1. */
static float
interpolate_box(const struct primitive *p, unsigned location, unsigned repl,
                float i, float j)
{
   const float from = p->point ? 0 : output(p->corners[0], location);
   const float to = p->point ? 1 : output(p->corners[1], location);
   switch (repl) {
   case REPL_S:
      return from + i * (to - from);
   case REPL_T:
      return from + j * (to - from);
   case REPL_ONE_MINUS_T:
      return from + (1 - j) * (to - from);
   default:
      return output(p->corners[0], location);
   }
}

/* Of so many pixels. */
static void
interpolate(const struct primitive *p, unsigned location, unsigned interp,
            unsigned repl, unsigned count, const float *i, const float *j,
            float *restrict result)
{
   const float a = output(p->corners[0], location);
   if (interp != INTERP_SMOOTH) {
      const float value = interp == INTERP_FLAT
                             ? output(p->flat, location)
                             : (float)(interp == INTERP_ONE);
      for (unsigned n = 0; n < count; n++)
         result[n] = value;
   } else if (p->box) {
      for (unsigned n = 0; n < count; n++)
         result[n] = interpolate_box(p, location, repl, i[n], j[n]);
   } else {
      const float by_i = output(p->corners[1], location) - a;
      const float by_j = output(p->corners[2], location) - a;
      for (unsigned n = 0; n < count; n++)
         result[n] = a + i[n] * by_i + j[n] * by_j;
   }
}

static bool
bad_varying(struct ir3_wave *wave, unsigned location)
{
   a4xx_diag(wave->chip, A4XX_DIAG_INSTRUCTION,
             "%s: instruction %u takes varying %u, and there are %u",
             wave->stage, wave->pc, location, A4XX_MAX_OUTPUTS);
   return false;
}

static void
write_varying(struct ir3_wave *wave, const struct ir3_instr *instr,
              unsigned dst, float value[IR3_LANES])
{
   ir3_u *reg = instr->dst_half ? &wave->half[dst] : &wave->full[dst];
   ir3_u bits;
   for (unsigned lane = 0; instr->sat && lane < IR3_LANES; lane++)
      value[lane] = value[lane] > 0 ? A4XX_MIN(value[lane], 1) : 0;
   memcpy(&bits, value, sizeof(bits));
   for (unsigned lane = 0; instr->dst_half && lane < IR3_LANES; lane++)
      bits[lane] = _mesa_float_to_half(value[lane]);
   *reg = (wave->mask & bits) | (~wave->mask & *reg);
}

IR3_CLONES bool
fs_interpolate(struct ir3_wave *wave, const struct ir3_instr *instr,
               unsigned repetition)
{
   const struct ir3_source *place = &instr->src[0];
   const unsigned location =
      place->immediate + (place->repeats ? repetition : 0);
   const unsigned coordinates = instr->src[1].num;
   const unsigned dst = instr->dst + repetition;
   /* Only the end of input is meant. */
   if (instr->dst >= IR3_REGS)
      return true;
   if (!wave->quads || place->kind != IR3_SRC_IMMEDIATE ||
       instr->src[1].kind != IR3_SRC_REG || instr->src[1].half ||
       location >= A4XX_MAX_OUTPUTS || coordinates + 1 >= IR3_REGS ||
       dst >= IR3_REGS)
      return bad_varying(wave, location);
   const unsigned interp = two_bits(wave->chip, VPC_VARYING_INTERP, location);
   const unsigned repl = two_bits(wave->chip, VPC_VARYING_PS_REPL, location);
   float i[IR3_LANES], j[IR3_LANES], value[IR3_LANES] = { 0 };
   memcpy(i, &wave->full[coordinates], sizeof(i));
   memcpy(j, &wave->full[coordinates + 1], sizeof(j));
   for (unsigned first = 0, n; first < wave->num_quads; first = n) {
      n = raster_run(wave->quads, first, wave->num_quads);
      interpolate(wave->quads[first].primitive, location, interp, repl,
                  (n - first) * 4, i + first * 4, j + first * 4,
                  value + first * 4);
   }
   write_varying(wave, instr, dst, value);
   return true;
}

/* The provoking vertex's, as it is. */
bool
fs_load_varying(struct ir3_wave *wave, const struct ir3_instr *instr)
{
   const unsigned location = instr->immediate;
   ir3_u *file = instr->dst_half ? wave->half : wave->full;
   if (!wave->quads || location + instr->size > A4XX_MAX_OUTPUTS ||
       instr->dst + instr->size > IR3_REGS)
      return bad_varying(wave, location);
   for (unsigned lane = 0; lane < IR3_LANES; lane++) {
      if (!(wave->running >> lane & 1))
         continue;
      const uint32_t *from = wave->quads[lane / 4].primitive->flat->outputs;
      for (unsigned c = 0; c < instr->size; c++)
         file[instr->dst + c][lane] = from[location + c];
   }
   return true;
}

/* --- waves --- */

/* A register that is none; else the next one. */
static unsigned
behind(unsigned reg)
{
   return reg < IR3_REGS ? reg + 1 : reg;
}

static void
preload(struct ir3_wave *wave, unsigned reg, ir3_u value)
{
   if (reg >= IR3_REGS)
      return;
   wave->full[reg] = value;
   wave->full_written[reg] = ~0u;
}

/* Of pixels, in 1/16 of them. */
static void
preload_places(struct ir3_wave *wave, const struct quad *quads,
               unsigned count, unsigned reg)
{
   ir3_u x = { 0 }, y = { 0 };
   if (reg >= IR3_REGS)
      return;
   for (unsigned lane = 0; lane < count * 4; lane++) {
      x[lane] = (quads[lane / 4].x + (int)(lane & 1)) * 16 + 8;
      y[lane] = (quads[lane / 4].y + (int)(lane >> 1 & 1)) * 16 + 8;
   }
   preload(wave, reg, x);
   preload(wave, behind(reg), y);
}

static void
preload_faces(struct ir3_wave *wave, const struct quad *quads, unsigned count,
              unsigned reg)
{
   if (reg >= IR3_REGS)
      return;
   for (unsigned lane = 0; lane < count * 4; lane++)
      wave->half[reg][lane] = quads[lane / 4].primitive->back ? 0xffff : 0;
   wave->half_written[reg] = ~0u;
}

IR3_CLONES static void
preload_wave(struct ir3_wave *wave, const struct quad *quads, unsigned count)
{
   const struct a4xx *chip = wave->chip;
   const uint32_t control_1 = a4xx_reg(chip, HLSQ_CONTROL_1_REG);
   const uint32_t control_2 = a4xx_reg(chip, HLSQ_CONTROL_2_REG);
   const uint32_t control_3 = a4xx_reg(chip, HLSQ_CONTROL_3_REG);
   struct coordinates c = { { 0 } };
   bool wanted = control_1 >> 24 < IR3_REGS;
   for (unsigned shift = 0; shift < 32; shift += 8)
      wanted |= (control_3 >> shift & 0xff) < IR3_REGS;
   if (wanted)
      raster_interpolate(quads, count, &c);
   /* Pixels and samples are the same, as are centres and centroids. */
   for (unsigned shift = 0; shift < 32; shift += 16) {
      const unsigned perspective = control_3 >> shift & 0xff;
      const unsigned linear = control_3 >> (shift + 8) & 0xff;
      preload(wave, perspective, (ir3_u)c.i);
      preload(wave, behind(perspective), (ir3_u)c.j);
      preload(wave, linear, (ir3_u)c.linear_i);
      preload(wave, behind(linear), (ir3_u)c.linear_j);
   }
   preload_places(wave, quads, count, control_1 >> 16 & 0xff);
   preload(wave, control_1 >> 24, (ir3_u)c.z);
   preload(wave, behind(control_1 >> 24), (ir3_u)c.rcp_w);
   preload_faces(wave, quads, count, control_2 >> 2 & 0xff);
   preload(wave, control_2 >> 10 & 0xff, (ir3_u){ 0 });
   preload(wave, control_2 >> 18 & 0xff, (ir3_u){ 0 } + 1);
}

static bool
run_wave(struct fragments *fragments, struct fragment_batch *batch)
{
   struct a4xx *chip = fragments->chip;
   struct ir3_wave *wave = &batch->shader->wave;
   if (!shader_begin(chip, batch->shader, &fragments->program, STAGE_FS,
                     a4xx_reg(chip, SP_FS_CTRL_REG0)))
      return false;
   wave->quads = batch->quads;
   wave->num_quads = batch->count;
   preload_wave(wave, batch->quads, batch->count);
   for (unsigned n = 0; n < batch->count; n++)
      wave->helpers |= (~batch->quads[n].mask & 15) << n * 4;
   if (!ir3_wave_run(wave, ~0u >> (IR3_LANES - batch->count * 4)))
      return false;
   __atomic_fetch_add(&fragments->instructions, wave->executed,
                      __ATOMIC_RELAXED);
   return true;
}

/* --- what comes behind the program --- */

static void
get_depth(const struct a4xx *chip, const struct ir3_wave *wave, unsigned lane,
          const struct quad *quad, float z[4])
{
   const uint32_t control = a4xx_reg(chip, SP_FS_OUTPUT_REG);
   const unsigned reg = OUTPUT_DEPTH_REG(control);
   raster_depths(quad, z);
   for (unsigned i = 0; control & OUTPUT_DEPTH && reg < IR3_REGS && i < 4;
        i++)
      z[i] = sim_float_from_bits(wave->full[reg][lane + i]);
}

static void
finish_wave(const struct render *render, struct fragment_batch *batch)
{
   const struct ir3_wave *wave = &batch->shader->wave;
   uint32_t lanes = 0;
   for (unsigned n = 0; n < batch->count; n++)
      lanes |= batch->quads[n].mask << n * 4;
   lanes = rb_alpha_test(render, wave, lanes & ~wave->helpers);
   for (unsigned n = 0; render->late && n < batch->count; n++) {
      const struct quad *quad = &batch->quads[n];
      const unsigned lane = n * 4, mask = lanes >> lane & 15;
      float z[4];
      get_depth(render->chip, wave, lane, quad, z);
      lanes &= ~(15u << lane);
      lanes |=
         rb_test(render, quad->x, quad->y, mask, z, quad->primitive->back)
         << lane;
   }
   batch->samples += __builtin_popcount(lanes);
   rb_blend(render, wave, batch->quads, batch->count, lanes);
}

void
fs_flush(struct fragments *fragments, struct fragment_batch *batch)
{
   if (!batch->count)
      return;
   if (run_wave(fragments, batch))
      finish_wave(&fragments->render, batch);
   else
      __atomic_store_n(&fragments->failed, true, __ATOMIC_RELAXED);
   batch->count = 0;
}

void
fs_add(struct fragments *fragments, struct fragment_batch *batch,
       const struct primitive *primitive, int x, int y, unsigned mask)
{
   struct quad *next = &batch->quads[batch->count];
   next->primitive = primitive;
   next->x = x;
   next->y = y;
   next->mask = mask;
   if (rb_tests_early(&fragments->render)) {
      float z[4];
      raster_depths(next, z);
      next->mask =
         rb_test(&fragments->render, x, y, mask, z, primitive->back);
   }
   if (next->mask && ++batch->count == QUADS_A_WAVE)
      fs_flush(fragments, batch);
}
