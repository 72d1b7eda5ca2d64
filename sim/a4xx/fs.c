/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Fragment shading: eight quads at a time, in the order in which they come.
 * Pixels of a quad that are not covered run along, so that there are
 * differences between neighbours; those that the program kills do too, as
 * long as another pixel of their quad lives.
 */

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

static float
interpolate(const struct primitive *p, unsigned location, unsigned interp,
            unsigned repl, float i, float j)
{
   if (interp == INTERP_ZERO || interp == INTERP_ONE)
      return interp == INTERP_ONE;
   if (interp == INTERP_FLAT)
      return output(p->flat, location);
   if (p->box)
      return interpolate_box(p, location, repl, i, j);
   const float a = output(p->corners[0], location);
   return a + i * (output(p->corners[1], location) - a) +
          j * (output(p->corners[2], location) - a);
}

static bool
bad_varying(struct ir3_wave *wave, unsigned location)
{
   a4xx_diag(wave->chip, A4XX_DIAG_INSTRUCTION,
             "%s: instruction %u takes varying %u, and there are %u",
             wave->stage, wave->pc, location, A4XX_MAX_OUTPUTS);
   return false;
}

bool
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
   const ir3_f i = (ir3_f)wave->full[coordinates];
   const ir3_f j = (ir3_f)wave->full[coordinates + 1];
   for (unsigned lane = 0; lane < IR3_LANES; lane++) {
      if (!(wave->running >> lane & 1))
         continue;
      float value = interpolate(wave->quads[lane / 4].primitive, location,
                                interp, repl, i[lane], j[lane]);
      if (instr->sat)
         value = value > 0 ? A4XX_MIN(value, 1) : 0;
      if (instr->dst_half)
         wave->half[dst][lane] = _mesa_float_to_half(value);
      else
         wave->full[dst][lane] = sim_float_bits(value);
   }
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

static void
preload(struct ir3_wave *wave, unsigned reg, unsigned lane, float value)
{
   ir3_wave_preload(wave, reg, lane, sim_float_bits(value));
}

/* A register that is none; else the next one. */
static unsigned
behind(unsigned reg)
{
   return reg < IR3_REGS ? reg + 1 : reg;
}

static void
preload_half(struct ir3_wave *wave, unsigned reg, unsigned lane,
             uint32_t value)
{
   if (reg >= IR3_REGS)
      return;
   wave->half[reg][lane] = value;
   wave->half_written[reg] |= 1u << lane;
}

static void
preload_lane(struct ir3_wave *wave, const struct quad *quad, unsigned lane)
{
   const struct a4xx *chip = wave->chip;
   const uint32_t control_1 = a4xx_reg(chip, HLSQ_CONTROL_1_REG);
   const uint32_t control_2 = a4xx_reg(chip, HLSQ_CONTROL_2_REG);
   const uint32_t control_3 = a4xx_reg(chip, HLSQ_CONTROL_3_REG);
   const unsigned i = lane % 4, xy = control_1 >> 16 & 0xff;
   /* Pixels and samples are the same, as are centres and centroids. */
   for (unsigned shift = 0; shift < 32; shift += 16) {
      const unsigned perspective = control_3 >> shift & 0xff;
      const unsigned linear = control_3 >> (shift + 8) & 0xff;
      preload(wave, perspective, lane, quad->i[i]);
      preload(wave, behind(perspective), lane, quad->j[i]);
      preload(wave, linear, lane, quad->linear_i[i]);
      preload(wave, behind(linear), lane, quad->linear_j[i]);
   }
   /* In 1/16 of pixels. */
   ir3_wave_preload(wave, xy, lane, (quad->x + (i & 1)) * 16 + 8);
   ir3_wave_preload(wave, behind(xy), lane, (quad->y + (i >> 1)) * 16 + 8);
   preload(wave, control_1 >> 24, lane, quad->z[i]);
   preload(wave, behind(control_1 >> 24), lane, quad->rcp_w[i]);
   preload_half(wave, control_2 >> 2 & 0xff, lane,
                quad->primitive->back ? 0xffff : 0);
   ir3_wave_preload(wave, control_2 >> 10 & 0xff, lane, 0);
   ir3_wave_preload(wave, control_2 >> 18 & 0xff, lane, 1);
}

static bool
run_wave(struct fragments *fragments, struct fragment_batch *batch)
{
   struct a4xx *chip = fragments->chip;
   struct ir3_wave *wave = &batch->shader->wave;
   const unsigned lanes = batch->count * 4;
   if (!shader_begin(chip, batch->shader, &fragments->program, STAGE_FS,
                     a4xx_reg(chip, SP_FS_CTRL_REG0)))
      return false;
   wave->quads = batch->quads;
   for (unsigned lane = 0; lane < lanes; lane++) {
      const struct quad *quad = &batch->quads[lane / 4];
      preload_lane(wave, quad, lane);
      if (!(quad->mask >> lane % 4 & 1))
         wave->helpers |= 1u << lane;
   }
   if (!ir3_wave_run(wave, ~0u >> (IR3_LANES - lanes)))
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
   for (unsigned i = 0; i < 4; i++) {
      z[i] = control & OUTPUT_DEPTH && reg < IR3_REGS
                ? sim_float_from_bits(wave->full[reg][lane + i])
                : quad->z[i];
   }
}

static void
finish_quad(const struct render *render, struct fragment_batch *batch,
            unsigned n)
{
   const struct quad *quad = &batch->quads[n];
   const struct ir3_wave *wave = &batch->shader->wave;
   const unsigned lane = n * 4;
   unsigned mask = quad->mask & ~(wave->helpers >> lane);
   mask = rb_alpha_test(render, wave, lane, mask);
   if (render->late && mask) {
      float z[4];
      get_depth(render->chip, wave, lane, quad, z);
      mask =
         rb_test(render, quad->x, quad->y, mask, z, quad->primitive->back);
   }
   batch->samples += __builtin_popcount(mask);
   if (mask)
      rb_blend(render, wave, lane, quad, mask);
}

void
fs_flush(struct fragments *fragments, struct fragment_batch *batch)
{
   if (!batch->count)
      return;
   if (run_wave(fragments, batch)) {
      for (unsigned n = 0; n < batch->count; n++)
         finish_quad(&fragments->render, batch, n);
   } else {
      __atomic_store_n(&fragments->failed, true, __ATOMIC_RELAXED);
   }
   batch->count = 0;
}

void
fs_add(struct fragments *fragments, struct fragment_batch *batch,
       const struct quad *quad)
{
   struct quad *next = &batch->quads[batch->count];
   *next = *quad;
   if (!fragments->render.late)
      next->mask = rb_test(&fragments->render, quad->x, quad->y, quad->mask,
                           quad->z, quad->primitive->back);
   if (next->mask && ++batch->count == QUADS_A_WAVE)
      fs_flush(fragments, batch);
}
