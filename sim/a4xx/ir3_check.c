/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Strict mode: values that are used before they are there, registers that
 * nobody has written or that the program's set-up does not have.
 *
 * Results of category 4 and loads from local memory are there after an (ss),
 * those of textures and other loads after a (sy).  Until then the register
 * holds poison.
 */

#include "a4xx_internal.h"

#define POISON 0xdeadbeefu

static enum ir3_late
late_kind(const struct ir3_instr *instr)
{
   switch (instr->op >> 6) {
   case 4:
      return IR3_LATE_SS;
   case 5:
      return IR3_LATE_SY;
   case 6:
      return instr->op == IR3_LDL || instr->op == IR3_LDLW ||
                   instr->op == IR3_LDLV || instr->local
                ? IR3_LATE_SS
                : IR3_LATE_SY;
   default:
      return 0;
   }
}

static bool
writes_registers(const struct ir3_instr *instr)
{
   switch (instr->op) {
   case IR3_STG:
   case IR3_STL:
   case IR3_STP:
   case IR3_STLW:
   case IR3_STGB:
   case IR3_STIB:
      return false;
   default:
      return instr->op >> 6 != 0 && instr->op >> 6 != 7;
   }
}

/* Of textures it has gaps. */
static uint32_t
written_mask(const struct ir3_instr *instr)
{
   switch (instr->op >> 6) {
   case 5:
      return instr->mask;
   case 6:
      return (uint32_t)((1ull << A4XX_MIN(instr->size, 32)) - 1);
   default:
      return (2u << instr->repeat) - 1;
   }
}

static void
arrive(uint8_t *late, unsigned kinds)
{
   for (unsigned i = 0; i < IR3_REGS; i++)
      late[i] &= ~kinds;
}

static void
check_footprint(struct ir3_wave *wave, unsigned reg, bool half)
{
   unsigned max = half ? wave->max_half : wave->max_full;
   if (reg < IR3_REGS && reg >= max)
      a4xx_diag(wave->chip, A4XX_DIAG_FOOTPRINT,
                "%s: instruction %u uses %sr%u.%c, and the set-up has %u",
                wave->stage, wave->pc, half ? "h" : "", reg / 4,
                "xyzw"[reg & 3], max / 4);
}

static void
check_read(struct ir3_wave *wave, unsigned reg, bool half, bool copied)
{
   if (reg >= IR3_REGS)
      return;
   uint8_t *late = half ? wave->half_late : wave->full_late;
   uint32_t written = (half ? wave->half_written : wave->full_written)[reg];
   ir3_u *value = half ? &wave->half[reg] : &wave->full[reg];
   check_footprint(wave, reg, half);
   if (late[reg]) {
      a4xx_diag(wave->chip, A4XX_DIAG_LATE_VALUE,
                "%s: instruction %u reads %sr%u.%c without (%s)", wave->stage,
                wave->pc, half ? "h" : "", reg / 4, "xyzw"[reg & 3],
                late[reg] & IR3_LATE_SY ? "sy" : "ss");
      *value = (wave->mask & POISON) | (~wave->mask & *value);
   } else if (!copied && (wave->running & ~written)) {
      a4xx_diag(wave->chip, A4XX_DIAG_READ_NOTHING,
                "%s: instruction %u reads %sr%u.%c, which nobody has written",
                wave->stage, wave->pc, half ? "h" : "", reg / 4,
                "xyzw"[reg & 3]);
   }
}

static void
check_const(struct ir3_wave *wave, int number)
{
   if (wave->buffers && number >= IR3_BUFFER_CONSTS && number < IR3_CONSTS)
      return;
   if (number < 0 || (unsigned)number >= wave->num_consts)
      a4xx_diag(wave->chip, A4XX_DIAG_CONST_RANGE,
                "%s: instruction %u reads c%d.%c, and the stage has %u",
                wave->stage, wave->pc, number / 4, "xyzw"[number & 3],
                wave -> num_consts / 4);
}

/* Is operand n what is stored?  It may hold components that nobody has
 * written. */
static bool
is_stored(const struct ir3_instr *instr, unsigned n)
{
   if (instr->op >> 6 != 6)
      return false;
   return ir3_names_buffer(instr->op) ? n == 0 && instr->num_sources == 3
                                      : n == 1;
}

/* Registers of operand n. */
static unsigned
count_registers(const struct ir3_instr *instr, unsigned n)
{
   unsigned counts[2];
   if (instr->op >> 6 == 5) {
      tex_count_operands(instr, counts);
      return counts[n];
   }
   if (ir3_names_buffer(instr->op))
      return ir3_buffer_operand_size(instr, n);
   if (is_stored(instr, n))
      return instr->size;
   return instr->src[n].repeats ? instr->repeat + 1u : 1;
}

static void
check_source(struct ir3_wave *wave, const struct ir3_instr *instr, unsigned n)
{
   const struct ir3_source *src = &instr->src[n];
   for (unsigned i = 0; i < count_registers(instr, n); i++) {
      if (src->kind == IR3_SRC_REG)
         check_read(wave, src->num + i, src->half, is_stored(instr, n));
      else if (src->kind == IR3_SRC_CONST)
         check_const(wave, src->num + i);
   }
}

/* Each lane has a register of its own. */
static void
mark_relative_results(struct ir3_wave *wave, const struct ir3_instr *instr)
{
   uint32_t *written =
      instr->dst_half ? wave->half_written : wave->full_written;
   for (unsigned lane = 0; lane < IR3_LANES; lane++) {
      const uint32_t first = wave->address[lane] + instr->dst;
      for (unsigned r = 0; r <= instr->repeat; r++) {
         if (first + r < IR3_REGS)
            written[first + r] |= wave->running & 1u << lane;
      }
   }
}

static void
mark_results(struct ir3_wave *wave, const struct ir3_instr *instr)
{
   if (!writes_registers(instr))
      return;
   if (instr->dst_relative) {
      mark_relative_results(wave, instr);
      return;
   }
   uint8_t *late = instr->dst_half ? wave->half_late : wave->full_late;
   uint32_t *written =
      instr->dst_half ? wave->half_written : wave->full_written;
   for (uint32_t left = written_mask(instr); left; left &= left - 1) {
      unsigned reg = instr->dst + __builtin_ctz(left);
      if (reg >= IR3_REGS)
         return;
      check_footprint(wave, reg, instr->dst_half);
      late[reg] = late_kind(instr);
      written[reg] |= wave->running;
   }
}

void
ir3_check(struct ir3_wave *wave, const struct ir3_instr *instr)
{
   unsigned arrived =
      (instr->ss ? IR3_LATE_SS : 0) | (instr->sy ? IR3_LATE_SY : 0);
   if (arrived) {
      arrive(wave->full_late, arrived);
      arrive(wave->half_late, arrived);
   }
   /* A bary.f without a destination only says that varyings are done with. */
   const bool reads = instr->op != IR3_BARY_F || instr->dst < IR3_REGS;
   for (unsigned i = 0; reads && i < instr->num_sources; i++)
      check_source(wave, instr, i);
   if (instr->indirect) {
      check_read(wave, instr->src[2].num, true, false);
      check_read(wave, instr->src[2].num + 1, true, false);
   }
   if (instr->op == IR3_CHSH && !wave->chain_masked)
      a4xx_diag(wave->chip, A4XX_DIAG_CHAIN,
                "%s: instruction %u is a chsh without a chmask before it",
                wave->stage, wave->pc);
   mark_results(wave, instr);
}
