/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Loads and stores: global memory by its address, local memory of the wave,
 * private memory of whoever it belongs to.
 */

#include <string.h>

#include "a4xx_internal.h"

/* Of an access: more than any compiler asks for. */
#define MAX_COMPONENTS 32

enum space { SPACE_GLOBAL, SPACE_LOCAL, SPACE_PRIVATE };

static unsigned
component_bytes(unsigned type)
{
   switch (type) {
   case IR3_F16:
   case IR3_U16:
   case IR3_S16:
      return 2;
   case IR3_U8:
   case IR3_S8:
      return 1;
   default:
      return 4;
   }
}

/* A word that lanes share, or NULL with a diagnostic. */
static uint32_t *
shared_word(struct ir3_wave *wave, enum space space, unsigned lane,
            uint32_t address, struct ir3_writer **writer)
{
   struct ir3_memory *memory =
      space == SPACE_LOCAL ? &wave->local : &wave->private;
   unsigned item = space == SPACE_LOCAL ? 0 : wave->item[lane];
   if (address % 4 || address / 4 >= memory->words_each ||
       item >= memory->items) {
      a4xx_diag(wave->chip, A4XX_DIAG_MEMORY_RANGE,
                "%s: instruction %u takes byte %u of %s memory, which has "
                "%u",
                wave->stage, wave->pc, address,
                space == SPACE_LOCAL ? "local" : "private",
                memory->words_each * 4);
      return NULL;
   }
   uint32_t at = item * memory->words_each + address / 4;
   *writer = memory->writers ? &memory->writers[at] : NULL;
   return &memory->words[at];
}

static void
check_load(struct ir3_wave *wave, unsigned lane, uint32_t address,
           const struct ir3_writer *writer)
{
   if (writer->written && writer->lane != lane &&
       writer->epoch == wave->epoch)
      a4xx_diag(wave->chip, A4XX_DIAG_NO_BARRIER,
                "%s: instruction %u loads byte %u, which another invocation "
                "stored without an (ss) in between",
                wave->stage, wave->pc, address);
}

static void
check_store(struct ir3_wave *wave, unsigned lane, uint32_t address,
            bool differs, bool known, struct ir3_writer *writer)
{
   if (writer->written && writer->lane != lane && differs &&
       writer->epoch == wave->epoch)
      a4xx_diag(wave->chip, A4XX_DIAG_OTHERS_OUTPUT,
                "%s: instruction %u stores to byte %u, where another "
                "invocation has just stored something else",
                wave->stage, wave->pc, address);
   *writer = (struct ir3_writer){ lane, known, wave->epoch };
}

/* Notes what a control program writes of the tess factors. */
static void
watch_factors(struct ir3_wave *wave, unsigned lane, uint32_t address)
{
   struct ir3_factors *factors = &wave->factors;
   if (!factors->stride)
      return;
   uint32_t offset = address - factors->address;
   uint32_t patch = offset / factors->stride - factors->first;
   if (patch == wave->patch[lane])
      factors->written[patch] |= 1u << offset % factors->stride / 4;
}

static bool
no_memory(struct ir3_wave *wave, uint32_t address)
{
   a4xx_diag(wave->chip, A4XX_DIAG_MEMORY_RANGE,
             "%s: instruction %u takes 0x%08x, which is no memory",
             wave->stage, wave->pc, address);
   return false;
}

static bool
load(struct ir3_wave *wave, enum space space, unsigned lane, uint32_t address,
     unsigned bytes, uint32_t *value, bool *known)
{
   *value = 0;
   if (space == SPACE_GLOBAL) {
      const uint8_t *p = a4xx_memory(wave->chip, address, bytes);
      if (!p)
         return no_memory(wave, address);
      memcpy(value, p, bytes);
      return true;
   }
   struct ir3_writer *writer;
   const uint32_t *word =
      shared_word(wave, space, lane, address & ~3u, &writer);
   if (!word)
      return false;
   if (writer) {
      check_load(wave, lane, address, writer);
      *known = writer->written;
   }
   memcpy(value, (const uint8_t *)word + address % 4,
          A4XX_MIN(bytes, 4 - address % 4));
   return true;
}

static bool
store(struct ir3_wave *wave, enum space space, unsigned lane,
      uint32_t address, unsigned bytes, uint32_t value, bool known)
{
   if (space == SPACE_GLOBAL) {
      uint8_t *p = a4xx_memory(wave->chip, address, bytes);
      if (!p)
         return no_memory(wave, address);
      memcpy(p, &value, bytes);
      watch_factors(wave, lane, address);
      return true;
   }
   struct ir3_writer *writer;
   uint32_t *word = shared_word(wave, space, lane, address & ~3u, &writer);
   if (!word)
      return false;
   uint32_t old = *word;
   memcpy((uint8_t *)word + address % 4, &value,
          A4XX_MIN(bytes, 4 - address % 4));
   if (writer)
      check_store(wave, lane, address, old != *word, known, writer);
   return true;
}

/* In strict mode: a component that nobody has stored is as a register that
 * nobody has written, and may be copied on; where no component was stored
 * there is something wrong. */
static void
mark_loaded(struct ir3_wave *wave, const struct ir3_instr *instr,
            unsigned lane, unsigned stored)
{
   uint32_t *written =
      instr->dst_half ? wave->half_written : wave->full_written;
   for (unsigned c = 0; c < instr->size; c++) {
      if (!(stored >> c & 1))
         written[instr->dst + c] &= ~(1u << lane);
   }
   if (!stored)
      a4xx_diag(wave->chip, A4XX_DIAG_READ_NOTHING,
                "%s: instruction %u loads what nobody has stored",
                wave->stage, wave->pc);
}

static bool
load_lane(struct ir3_wave *wave, const struct ir3_instr *instr,
          enum space space, unsigned lane, uint32_t address)
{
   const unsigned bytes = component_bytes(instr->type);
   ir3_u *file = instr->dst_half ? wave->half : wave->full;
   unsigned stored = 0;
   for (unsigned c = 0; c < instr->size; c++) {
      uint32_t value;
      bool known = true;
      if (!load(wave, space, lane, address + c * bytes, bytes, &value,
                &known))
         return false;
      file[instr->dst + c][lane] = value;
      stored |= (unsigned)known << c;
   }
   if (wave->chip->options.strict)
      mark_loaded(wave, instr, lane, stored);
   return true;
}

static bool
load_lanes(struct ir3_wave *wave, const struct ir3_instr *instr,
           enum space space)
{
   const ir3_u base = wave->full[instr->src[0].num];
   for (unsigned lane = 0; lane < IR3_LANES; lane++) {
      if ((wave->running >> lane & 1) &&
          !load_lane(wave, instr, space, lane, base[lane] + instr->immediate))
         return false;
   }
   return true;
}

static bool
store_lanes(struct ir3_wave *wave, const struct ir3_instr *instr,
            enum space space)
{
   const unsigned bytes = component_bytes(instr->type);
   const bool half = instr->src[1].half;
   const ir3_u *file = half ? wave->half : wave->full;
   const uint32_t *written = half ? wave->half_written : wave->full_written;
   const ir3_u *base = &wave->full[instr->src[0].num];
   const uint32_t lanes = wave->running & ~wave->helpers;
   for (unsigned lane = 0; lane < IR3_LANES; lane++) {
      if (!(lanes >> lane & 1))
         continue;
      for (unsigned c = 0; c < instr->size; c++) {
         unsigned reg = instr->src[1].num + c;
         if (!store(wave, space, lane,
                    (*base)[lane] + instr->immediate + c * bytes, bytes,
                    file[reg][lane], written[reg] >> lane & 1))
            return false;
      }
   }
   return true;
}

bool
ir3_access(struct ir3_wave *wave, const struct ir3_instr *instr)
{
   const bool is_store = instr->num_sources == 2;
   const unsigned data = is_store ? instr->src[1].num : instr->dst;
   enum space space;
   switch (instr->op) {
   case IR3_LDLV:
      return fs_load_varying(wave, instr);
   case IR3_LDG:
   case IR3_STG:
      space = SPACE_GLOBAL;
      break;
   case IR3_LDL:
   case IR3_LDLW:
   case IR3_STL:
   case IR3_STLW:
      space = SPACE_LOCAL;
      break;
   case IR3_LDP:
   case IR3_STP:
      space = SPACE_PRIVATE;
      break;
   default:
      return ir3_access_buffer(wave, instr);
   }
   if (instr->src[0].num >= IR3_REGS || data + instr->size > IR3_REGS ||
       instr->size > MAX_COMPONENTS) {
      a4xx_diag(wave->chip, A4XX_DIAG_INSTRUCTION,
                "%s: instruction %u takes registers that do not exist",
                wave->stage, wave->pc);
      return false;
   }
   return is_store ? store_lanes(wave, instr, space)
                   : load_lanes(wave, instr, space);
}
