/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Compute: groups one after the other, a group's waves in turns from barrier
 * to barrier.  So atomics have one order, whatever the number of threads.
 */

#include <stdlib.h>
#include <string.h>

#include "a4xx_internal.h"
#include "float_mode.h"

#define MAX_INVOCATIONS 1024

struct group {
   struct ir3_wave waves[MAX_INVOCATIONS / IR3_LANES];
   uint32_t local[A4XX_LOCAL_WORDS];
   uint32_t consts[IR3_CONSTS];
};

struct dispatch {
   struct a4xx *chip;
   struct program program;
   const uint32_t *num_groups, *size; /* of three dimensions */
   unsigned invocations, num_waves;   /* of a group */
   struct group *group;
};

/* A constant of the stage that the chip itself writes. */
static void
set_const(const struct dispatch *dispatch, unsigned first,
          const uint32_t *values, unsigned count)
{
   for (unsigned i = 0; i < count; i++) {
      if (first + i < dispatch->program.num_consts)
         dispatch->group->consts[first + i] = values[i];
   }
}

static void
set_consts(const struct dispatch *dispatch, const uint32_t id[3])
{
   const struct a4xx *chip = dispatch->chip;
   const uint32_t control_0 = a4xx_reg(chip, HLSQ_CL_CONTROL_0);
   const uint32_t control_1 = a4xx_reg(chip, HLSQ_CL_CONTROL_0 + 1);
   const uint32_t kernel = a4xx_reg(chip, HLSQ_CL_KERNEL_CONST);
   const uint32_t dimensions = a4xx_reg(chip, HLSQ_CL_NDRANGE_0) & 3;
   memcpy(dispatch->group->consts, dispatch->program.consts,
          dispatch->program.num_consts * sizeof(uint32_t));
   set_const(dispatch, control_0 & 0xfff, id, 3);
   set_const(dispatch, control_0 >> 12 & 0xfff, &dimensions, 1);
   set_const(dispatch, control_1 >> 12 & 0xfff, dispatch->size, 3);
   set_const(dispatch, kernel >> 12 & 0xfff, dispatch->num_groups, 3);
}

/* Registers and lanes of a group's n-th wave; the lanes. */
static uint32_t
begin_wave(const struct dispatch *dispatch, unsigned n)
{
   struct a4xx *chip = dispatch->chip;
   struct ir3_wave *wave = &dispatch->group->waves[n];
   const uint32_t footprint = a4xx_reg(chip, SP_CS_CTRL_REG0);
   const unsigned reg = a4xx_reg(chip, HLSQ_CL_CONTROL_0) >> 24;
   const uint32_t *size = dispatch->size;
   const unsigned count =
      A4XX_MIN(dispatch->invocations - n * IR3_LANES, IR3_LANES);
   ir3_wave_reset(wave, chip);
   ir3_wave_set_program(wave, &dispatch->program, STAGE_CS);
   wave->consts = dispatch->group->consts;
   wave->max_full = (footprint >> 10 & 0x3f) * 4;
   wave->max_half = (footprint >> 4 & 0x3f) * 4;
   wave->local = (struct ir3_memory){ dispatch->group->local, NULL,
                                      A4XX_LOCAL_WORDS, 1 };
   for (unsigned lane = 0; lane < count; lane++) {
      const unsigned i = n * IR3_LANES + lane;
      const uint32_t id[3] = { i % size[0], i / size[0] % size[1],
                               i / size[0] / size[1] };
      for (unsigned c = 0; c < 3; c++)
         ir3_wave_preload(wave, reg + c, lane, id[c]);
   }
   return ~0u >> (IR3_LANES - count);
}

static bool
run_group(struct dispatch *dispatch, const uint32_t id[3])
{
   struct group *group = dispatch->group;
   bool good = true, left = false;
   set_consts(dispatch, id);
   memset(group->local, 0, sizeof(group->local));
   for (unsigned n = 0; good && n < dispatch->num_waves; n++) {
      const uint32_t lanes = begin_wave(dispatch, n);
      good = ir3_wave_run(&group->waves[n], lanes);
      left |= group->waves[n].at_barrier;
   }
   while (good && left) {
      left = false;
      for (unsigned n = 0; good && n < dispatch->num_waves; n++) {
         good = ir3_wave_resume(&group->waves[n]);
         left |= group->waves[n].at_barrier;
      }
   }
   for (unsigned n = 0; n < dispatch->num_waves; n++)
      dispatch->chip->stats.instructions += group->waves[n].executed;
   return good;
}

static void
run_groups(struct dispatch *dispatch)
{
   const uint32_t *num = dispatch->num_groups;
   const unsigned old = sim_float_flush();
   for (uint32_t i = 0; i < num[0] * num[1] * num[2]; i++) {
      const uint32_t id[3] = { i % num[0], i / num[0] % num[1],
                               i / num[0] / num[1] };
      if (!run_group(dispatch, id))
         break;
   }
   sim_float_restore(old);
}

void
compute_run(struct a4xx *chip, const uint32_t num_groups[3],
            const uint32_t size[3])
{
   struct dispatch dispatch = {
      .chip = chip,
      .num_groups = num_groups,
      .size = size,
   };
   const uint64_t groups = (uint64_t)num_groups[0] * num_groups[1];
   const uint64_t invocations = (uint64_t)size[0] * size[1] * size[2];
   if (invocations > MAX_INVOCATIONS || groups > chip->options.limit ||
       groups * num_groups[2] > chip->options.limit) {
      a4xx_diag(chip, A4XX_DIAG_DRAW_VALUE,
                "compute: %u x %u x %u groups of %u x %u x %u are too many",
                num_groups[0], num_groups[1], num_groups[2], size[0], size[1],
                size[2]);
      return;
   }
   if (!groups || !num_groups[2] ||
       !a4xx_get_program(chip, STAGE_CS, &dispatch.program))
      return;
   dispatch.invocations = invocations;
   dispatch.num_waves = (invocations + IR3_LANES - 1) / IR3_LANES;
   dispatch.group = aligned_alloc(128, (sizeof(struct group) + 127) & ~127ul);
   if (dispatch.group)
      run_groups(&dispatch);
   free(dispatch.group);
   a4xx_put_program(&dispatch.program);
}
