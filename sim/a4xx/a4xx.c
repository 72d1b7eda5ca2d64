/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The chip as a whole: what is mapped where, programs, diagnostics.
 */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "a4xx_internal.h"
#include "address_map.h"
#include "threads.h"

static bool
profile_is_good(const struct a4xx_profile *profile)
{
   return profile->private_unit && profile->private_unit % 4 == 0 &&
          profile->private_unit <= 65536 && profile->subdraw &&
          profile->patches_a_wave <= 1;
}

struct a4xx *
a4xx_create(const struct a4xx_options *options)
{
   if (!profile_is_good(&options->profile))
      return NULL;
   struct a4xx *chip = calloc(1, sizeof(*chip));
   if (!chip)
      return NULL;
   chip->options = *options;
   if (!chip->options.limit)
      chip->options.limit = A4XX_MAX_VERTICES;
   chip->map = sim_address_map_create();
   chip->threads = sim_threads_create(options->threads);
   if (chip->threads) {
      chip->num_shaders = sim_threads_count(chip->threads);
      /* Vectors of a wave are aligned to their size. */
      chip->shaders = aligned_alloc(
         128, ((sizeof(*chip->shaders) + 127) & ~127ul) * chip->num_shaders);
   }
   if (!chip->map || !chip->threads || !chip->shaders) {
      a4xx_destroy(chip);
      return NULL;
   }
   memset(chip->shaders, 0, sizeof(*chip->shaders) * chip->num_shaders);
   return chip;
}

void
a4xx_destroy(struct a4xx *chip)
{
   if (!chip)
      return;
   sim_threads_destroy(chip->threads);
   sim_address_map_destroy(chip->map);
   for (unsigned i = 0; chip->shaders && i < chip->num_shaders; i++) {
      free(chip->shaders[i].private);
      free(chip->shaders[i].private_writers);
   }
   free(chip->shaders);
   free(chip);
}

bool
a4xx_map(struct a4xx *chip, uint32_t address, uint32_t size, void *cpu)
{
   return sim_address_map_add(chip->map, address, size, cpu);
}

void
a4xx_unmap(struct a4xx *chip, uint32_t address)
{
   sim_address_map_remove(chip->map, address);
}

uint8_t *
a4xx_memory(const struct a4xx *chip, uint32_t address, uint64_t size)
{
   uint32_t rest;
   uint8_t *cpu = sim_address_map_find(chip->map, address, &rest);
   return rest < size ? NULL : cpu;
}

void
a4xx_diag(struct a4xx *chip, enum a4xx_diag_number number, const char *format,
          ...)
{
   const unsigned index = number - 900;
   if (number >= A4XX_DIAG_STRICT && !chip->options.strict)
      return;
   const uint32_t bit = 1u << index % 32;
   if (atomic_fetch_or(&chip->reported[index / 32], bit) & bit)
      return;
   char text[200];
   va_list args;
   va_start(args, format);
   vsnprintf(text, sizeof(text), format, args);
   va_end(args);
   if (chip->options.diag)
      chip->options.diag(chip->options.data, number, text);
   else
      fprintf(stderr, "a4xx: [%u] %s\n", number, text);
}

uint32_t
a4xx_register(const struct a4xx *chip, unsigned offset)
{
   return offset < A4XX_NUM_REGS ? chip->regs[offset] : 0;
}

void
a4xx_get_stats(const struct a4xx *chip, struct a4xx_stats *stats)
{
   *stats = chip->stats;
}

/* --- programs --- */

const char *
a4xx_stage_name(enum a4xx_stage stage)
{
   static const char *const names[] = { "VS", "HS", "DS", "GS", "FS", "CS" };
   return names[stage];
}

static unsigned
control_reg(enum a4xx_stage stage)
{
   static const uint16_t regs[] = {
      HLSQ_VS_CONTROL_REG, HLSQ_HS_CONTROL_REG, HLSQ_DS_CONTROL_REG,
      HLSQ_GS_CONTROL_REG, HLSQ_FS_CONTROL_REG, HLSQ_CS_CONTROL_REG,
   };
   return regs[stage];
}

void
a4xx_const_range(const struct a4xx *chip, enum a4xx_stage stage,
                 unsigned *first, unsigned *count)
{
   /* Units of four vectors. */
   uint32_t control = a4xx_reg(chip, control_reg(stage));
   *first = A4XX_MIN((control >> 8 & 0x7f) * 16, IR3_CONSTS);
   *count = A4XX_MIN((control & 0xff) * 16, IR3_CONSTS - *first);
}

unsigned
a4xx_store_unit(const struct a4xx *chip, enum a4xx_stage stage)
{
   return a4xx_reg(chip, control_reg(stage)) >> 17 & 0x7f;
}

/* A program that is too long for the chip's store runs from memory. */
static bool
decode_program(struct a4xx *chip, enum a4xx_stage stage, uint32_t address,
               uint32_t units, struct program *program)
{
   const uint64_t count = (uint64_t)units * 16;
   const uint8_t *words = a4xx_memory(chip, address, count * 8);
   if (!words || !count) {
      a4xx_diag(chip, A4XX_DIAG_PROGRAM,
                "%s: no program of %u x 16 instructions at 0x%08x",
                a4xx_stage_name(stage), units, address);
      return false;
   }
   program->own = malloc(count * sizeof(*program->own));
   if (!program->own)
      return false;
   for (unsigned i = 0; i < count; i++) {
      uint64_t word;
      memcpy(&word, words + i * 8, 8);
      ir3_decode(word, &program->own[i]);
   }
   program->instrs = program->own;
   program->count = count;
   return true;
}

bool
a4xx_get_program(struct a4xx *chip, enum a4xx_stage stage,
                 struct program *program)
{
   static const struct {
      uint16_t start, length;
   } regs[] = {
      [STAGE_VS] = { SP_VS_OBJ_START, SP_VS_LENGTH_REG },
      [STAGE_HS] = { SP_HS_OBJ_START, SP_HS_LENGTH_REG },
      [STAGE_DS] = { SP_DS_OBJ_START, SP_DS_LENGTH_REG },
      [STAGE_FS] = { SP_FS_OBJ_START, SP_FS_LENGTH_REG },
      [STAGE_CS] = { SP_CS_OBJ_START, SP_CS_LENGTH_REG },
   };
   const uint32_t control = a4xx_reg(chip, control_reg(stage));
   const unsigned units = control >> 24;
   const unsigned first = a4xx_store_unit(chip, stage) * 16;
   memset(program, 0, sizeof(*program));
   unsigned first_const;
   a4xx_const_range(chip, stage, &first_const, &program->num_consts);
   program->consts = chip->consts + first_const;
   /* The driver gives compute programs always the same length there. */
   if (!units || stage == STAGE_CS)
      return decode_program(chip, stage,
                            a4xx_reg(chip, regs[stage].start) & ~31u,
                            a4xx_reg(chip, regs[stage].length), program);
   if (first + units * 16 > IR3_STORE) {
      a4xx_diag(chip, A4XX_DIAG_PROGRAM,
                "%s: %u instructions from %u on, and the store has %u",
                a4xx_stage_name(stage), units * 16, first, IR3_STORE);
      return false;
   }
   program->instrs = chip->store + first;
   program->count = units * 16;
   return true;
}

/* Does it store to buffers or images, or have atomics? */
static bool
writes_memory(const struct program *program)
{
   for (unsigned i = 0; i < program->count; i++) {
      const unsigned op = program->instrs[i].op;
      if (program->instrs[i].valid &&
          (op == IR3_STGB || op == IR3_STIB || ir3_is_atomic(op)))
         return true;
   }
   return false;
}

void
a4xx_run_items(struct a4xx *chip, const struct program *program,
               unsigned count,
               void (*fn)(void *data, unsigned item, unsigned thread),
               void *data)
{
   if (!writes_memory(program)) {
      sim_threads_run(chip->threads, count, fn, data);
      return;
   }
   for (unsigned i = 0; i < count; i++)
      fn(data, i, 0);
}

void
a4xx_put_program(struct program *program)
{
   free(program->own);
   program->own = NULL;
}

static bool
reserve_private(struct shader *shader, unsigned words, bool strict)
{
   if (words <= shader->private_words)
      return true;
   free(shader->private);
   free(shader->private_writers);
   shader->private = malloc(words * sizeof(*shader->private));
   shader->private_writers =
      strict ? malloc(words * sizeof(*shader->private_writers)) : NULL;
   bool good = shader->private && (!strict || shader->private_writers);
   shader->private_words = good ? words : 0;
   return good;
}

/* Local and private memory begin without anything. */
static bool
begin_memory(struct a4xx *chip, struct shader *shader)
{
   const bool strict = chip->options.strict;
   const struct a4xx_profile *profile = &chip->options.profile;
   struct ir3_wave *wave = &shader->wave;
   unsigned words = (a4xx_reg(chip, SP_HS_PVT_MEM_PARAM) & 0xff) *
                    profile->private_unit / 4;
   if (!reserve_private(shader, words * IR3_LANES, strict))
      return false;
   wave->private =
      (struct ir3_memory){ shader->private, shader->private_writers, words,
                           IR3_LANES };
   wave->local = (struct ir3_memory){ shader->local,
                                      strict ? shader->local_writers : NULL,
                                      A4XX_LOCAL_WORDS, 1 };
   if (strict) {
      memset(shader->local_writers, 0, sizeof(shader->local_writers));
      if (words)
         memset(shader->private_writers, 0,
                words * IR3_LANES * sizeof(*shader->private_writers));
   }
   return true;
}

/* Registers beyond those that the program is set up with stay what they were:
 * strict mode has a diagnostic for their use. */
static void
renew_wave(struct a4xx *chip, struct ir3_wave *wave, unsigned max_full,
           unsigned max_half)
{
   if (chip->options.strict) {
      ir3_wave_reset(wave, chip);
   } else {
      memset(wave->full, 0,
             A4XX_MIN(max_full, IR3_REGS) * sizeof(wave->full[0]));
      memset(wave->half, 0,
             A4XX_MIN(max_half, IR3_REGS) * sizeof(wave->half[0]));
      memset(&wave->address, 0,
             sizeof(*wave) - offsetof(struct ir3_wave, address));
      wave->chip = chip;
   }
   wave->max_full = max_full;
   wave->max_half = max_half;
}

bool
shader_begin(struct a4xx *chip, struct shader *shader,
             const struct program *program, enum a4xx_stage stage,
             uint32_t footprint)
{
   renew_wave(chip, &shader->wave, (footprint >> 10 & 0x3f) * 4,
              (footprint >> 4 & 0x3f) * 4);
   shader_continue(shader, program, stage);
   /* Nothing tells fragment shaders where private memory is. */
   return stage == STAGE_FS || begin_memory(chip, shader);
}

void
shader_continue(struct shader *shader, const struct program *program,
                enum a4xx_stage stage)
{
   ir3_wave_set_program(&shader->wave, program, stage);
}

void
ir3_wave_set_program(struct ir3_wave *wave, const struct program *program,
                     enum a4xx_stage stage)
{
   wave->program = program->instrs;
   wave->count = program->count;
   wave->consts = program->consts;
   wave->num_consts = program->num_consts;
   wave->stage = a4xx_stage_name(stage);
   wave->stage_number = stage;
   wave->buffers = wave->chip->buffers[stage == STAGE_CS];
}
