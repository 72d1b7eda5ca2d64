/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Waves: flow, and what calls the units.
 */

#include <string.h>

#include "a4xx_internal.h"

void
ir3_wave_reset(struct ir3_wave *wave, struct a4xx *chip)
{
   memset(wave, 0, sizeof(*wave));
   wave->chip = chip;
}

void
ir3_wave_preload(struct ir3_wave *wave, unsigned reg, unsigned lane,
                 uint32_t value)
{
   if (reg >= IR3_REGS)
      return;
   wave->full[reg][lane] = value;
   wave->full_written[reg] |= 1u << lane;
}

static void
set_running(struct ir3_wave *wave, uint32_t lanes)
{
   if (lanes == wave->running)
      return;
   wave->running = lanes;
   for (unsigned i = 0; i < IR3_LANES; i++)
      wave->mask[i] = lanes >> i & 1 ? ~0u : 0;
}

/* Those with the lowest address run next: some that wait may be there, or
 * before it. */
static void
choose_lanes(struct ir3_wave *wave)
{
   uint32_t lanes = wave->running;
   if (!wave->waiting)
      return;
   unsigned lowest = lanes ? wave->pc : ~0u;
   for (unsigned i = 0; i < IR3_LANES; i++) {
      if (wave->waiting >> i & 1)
         lowest = A4XX_MIN(lowest, wave->lane_pc[i]);
   }
   if (lanes && lowest < wave->pc) {
      for (unsigned i = 0; i < IR3_LANES; i++) {
         if (lanes >> i & 1)
            wave->lane_pc[i] = wave->pc;
      }
      wave->waiting |= lanes;
      lanes = 0;
   }
   for (unsigned i = 0; i < IR3_LANES; i++) {
      if ((wave->waiting >> i & 1) && wave->lane_pc[i] == lowest)
         lanes |= 1u << i;
   }
   wave->waiting &= ~lanes;
   wave->pc = lowest;
   set_running(wave, lanes);
}

static void
stop_lanes(struct ir3_wave *wave, uint32_t *result)
{
   *result |= wave->running;
   set_running(wave, 0);
}

static uint32_t
predicate_lanes(const struct ir3_wave *wave, const struct ir3_instr *instr,
                unsigned i)
{
   uint32_t lanes = 0;
   for (unsigned lane = 0; lane < IR3_LANES; lane++) {
      if (!wave->predicate[instr->predicate[i]][lane] == instr->invert[i])
         lanes |= 1u << lane;
   }
   return lanes & wave->running;
}

/* Those that go there; the others go on. */
static uint32_t
branch_lanes(const struct ir3_wave *wave, const struct ir3_instr *instr)
{
   if (instr->op == IR3_JUMP)
      return wave->running;
   uint32_t a = predicate_lanes(wave, instr, 0);
   switch (instr->branch) {
   case IR3_BR_ONE:
      return a;
   case IR3_BR_OR:
      return a | predicate_lanes(wave, instr, 1);
   case IR3_BR_AND:
      return a & predicate_lanes(wave, instr, 1);
   case IR3_BR_ANY:
      return a ? wave->running : 0;
   default: /* IR3_BR_ALL */
      return a == wave->running ? a : 0;
   }
}

static void
branch(struct ir3_wave *wave, const struct ir3_instr *instr)
{
   const uint32_t taken = branch_lanes(wave, instr);
   const uint32_t rest = wave->running & ~taken;
   /* Beyond the program both ways: the next step says so. */
   const unsigned target = wave->pc + (unsigned)instr->immediate;
   if (!taken) {
      wave->pc++;
   } else if (!rest) {
      wave->pc = target;
   } else {
      for (unsigned i = 0; i < IR3_LANES; i++) {
         if (taken >> i & 1)
            wave->lane_pc[i] = target;
      }
      wave->waiting |= taken;
      set_running(wave, rest);
      wave->pc++;
   }
}

static bool
not_modelled(struct ir3_wave *wave)
{
   a4xx_diag(wave->chip, A4XX_DIAG_INSTRUCTION,
             "%s: instruction %u (%s) is not modelled", wave->stage, wave->pc,
             ir3_op_name(wave->program[wave->pc].op));
   return false;
}

/* Of a quad where something lives those that are killed run on as helpers, or
 * stop at once (U15). */
static void
kill_lanes(struct ir3_wave *wave, uint32_t lanes)
{
   const bool stop = wave->chip->options.profile.killed == A4XX_KILLED_STOP;
   uint32_t dead = stop ? lanes : 0;
   wave->helpers |= lanes;
   for (unsigned i = 0; i < IR3_LANES; i += 4) {
      if ((wave->helpers >> i & 15) == 15)
         dead |= 15u << i;
   }
   wave->ended |= dead;
   wave->waiting &= ~dead;
   set_running(wave, wave->running & ~dead);
   wave->pc++;
}

static bool
flow(struct ir3_wave *wave, const struct ir3_instr *instr)
{
   switch (instr->op) {
   case IR3_NOP:
      wave->pc++;
      return true;
   case IR3_CHMASK:
      wave->chain_masked = true;
      wave->pc++;
      return true;
   case IR3_KILL:
      if (!wave->quads)
         return not_modelled(wave);
      kill_lanes(wave, predicate_lanes(wave, instr, 0));
      return true;
   case IR3_END:
      stop_lanes(wave, &wave->ended);
      return true;
   case IR3_CHSH:
      stop_lanes(wave, &wave->chained);
      return true;
   case IR3_JUMP:
      branch(wave, instr);
      return true;
   case IR3_BR:
      if (instr->branch == IR3_BR_CONST)
         return not_modelled(wave);
      branch(wave, instr);
      return true;
   default:
      return not_modelled(wave);
   }
}

static bool
execute(struct ir3_wave *wave, const struct ir3_instr *instr)
{
   switch (instr->op >> 6) {
   case 0:
      return flow(wave, instr);
   case 5:
      if (!a4xx_sample(wave, instr))
         return false;
      break;
   case 6:
      if (!ir3_access(wave, instr))
         return false;
      break;
   case 7:
      wave->at_barrier = instr->op == IR3_BAR;
      break;
   default:
      if (instr->op == IR3_BARY_F) {
         for (unsigned r = 0; r <= instr->repeat; r++) {
            if (!fs_interpolate(wave, instr, r))
               return false;
         }
         break;
      }
      if (!ir3_alu_knows(instr))
         return not_modelled(wave);
      for (unsigned r = 0; r <= instr->repeat; r++)
         ir3_alu(wave, instr, r);
   }
   wave->pc++;
   return true;
}

static bool
step(struct ir3_wave *wave)
{
   if (wave->pc >= wave->count) {
      a4xx_diag(wave->chip, A4XX_DIAG_FLOW,
                "%s: goes to instruction %d of a program of %u", wave->stage,
                (int)wave->pc, wave->count);
      return false;
   }
   const struct ir3_instr *instr = &wave->program[wave->pc];
   if (!instr->valid) {
      a4xx_diag(wave->chip, A4XX_DIAG_INSTRUCTION,
                "%s: instruction %u is none of this generation", wave->stage,
                wave->pc);
      return false;
   }
   if (instr->op != IR3_NOP)
      wave->executed += __builtin_popcount(wave->running);
   if (instr->ss)
      wave->epoch++;
   if (wave->chip->options.strict)
      ir3_check(wave, instr);
   return execute(wave, instr);
}

bool
ir3_wave_run(struct ir3_wave *wave, uint32_t lanes)
{
   wave->pc = 0;
   wave->waiting = wave->ended = wave->chained = 0;
   wave->chain_masked = false;
   set_running(wave, lanes);
   return ir3_wave_resume(wave);
}

bool
ir3_wave_resume(struct ir3_wave *wave)
{
   const unsigned limit = wave->chip->options.limit;
   wave->at_barrier = false;
   for (unsigned steps = 0;
        !wave->at_barrier && (wave->running | wave->waiting); steps++) {
      choose_lanes(wave);
      if (steps >= limit) {
         a4xx_diag(wave->chip, A4XX_DIAG_FLOW,
                   "%s: does not end after %u instructions", wave->stage,
                   limit);
         return false;
      }
      if (!step(wave))
         return false;
   }
   return true;
}
