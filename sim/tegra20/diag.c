/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Diagnostics: numbered, each cause once per job so that a faulty program
 * does not report for every vertex or pixel.
 */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_internal.h"

/* Power of two; when three quarters are used, later causes are counted but
 * not reported. */
#define SEEN_SLOTS 1024

struct sim_diag_seen {
   uint64_t last; /* key of the last report: a cause that repeats for every
                     pixel takes no lock */
   unsigned used;
   struct {
      uint32_t number; /* 0 = free */
      uint32_t reg;
      int pos;
   } slot[SEEN_SLOTS];
};

const char *
sim_diag_name(unsigned number)
{
   switch (number) {
#define X(n, name) \
   case n:         \
      return #name;
      SIM_DIAG_LIST(X)
#undef X
   default:
      return "UNKNOWN";
   }
}

bool
sim_diag_is_note(unsigned number)
{
   switch (number) {
   case SIM_DIAG_REG_OTHER_CHIP:
   case SIM_DIAG_VP_BRANCH_FORM:
   case SIM_DIAG_FP_ALU_FIRST:
   case SIM_DIAG_FP_SAME_HALF:
   case SIM_DIAG_FP_READ_ROW:
   case SIM_DIAG_FP_SETUP:
   case SIM_DIAG_G2_UNPROVEN:
      return true;
   default:
      return false;
   }
}

bool
sim_diag_init(struct sim *sim)
{
   sim->diag_seen = calloc(1, sizeof(*sim->diag_seen));
   if (!sim->diag_seen)
      return false;
   if (pthread_mutex_init(&sim->diag_lock, NULL)) {
      free(sim->diag_seen);
      return false;
   }
   return true;
}

void
sim_diag_fini(struct sim *sim)
{
   pthread_mutex_destroy(&sim->diag_lock);
   free(sim->diag_seen);
}

void
sim_diag_job_begin(struct sim *sim)
{
   sim->diag_seen->last = 0;
   if (sim->diag_seen->used)
      memset(sim->diag_seen, 0, sizeof(*sim->diag_seen));
}

static bool
first_time(struct sim_diag_seen *seen, uint32_t number, uint32_t reg, int pos)
{
   uint32_t i =
      number * 0x9e3779b1u ^ reg * 0x85ebca6bu ^ (uint32_t)pos * 0xc2b2ae35u;
   for (i ^= i >> 15;; i++) {
      i &= SEEN_SLOTS - 1;
      if (!seen->slot[i].number)
         break;
      if (seen->slot[i].number == number && seen->slot[i].reg == reg &&
          seen->slot[i].pos == pos)
         return false;
   }
   if (seen->used >= SEEN_SLOTS * 3 / 4)
      return false;
   seen->used++;
   seen->slot[i].number = number;
   seen->slot[i].reg = reg;
   seen->slot[i].pos = pos;
   return true;
}

/* Different for each (number, reg, pos), never 0. */
static uint64_t
report_key(unsigned number, uint32_t reg, int pos)
{
   return (uint64_t)number << 48 | (uint64_t)(reg & 0xffff) << 32 |
          (uint32_t)pos;
}

static void __attribute__((format(printf, 5, 0)))
report(struct sim *sim, unsigned number, uint32_t reg, int program_pos,
       const char *format, va_list args)
{
   uint64_t key = report_key(number, reg, program_pos);
   __atomic_fetch_add(&sim->stats.diags, 1, __ATOMIC_RELAXED);
   if (__atomic_load_n(&sim->diag_seen->last, __ATOMIC_RELAXED) == key)
      return;
   pthread_mutex_lock(&sim->diag_lock);
   if (first_time(sim->diag_seen, number, reg, program_pos)) {
      char text[512];
      vsnprintf(text, sizeof(text), format, args);
      struct sim_diag diag = {
         .number = number,
         .draw = sim->gr3d.draw_number,
         .reg = reg,
         .program_pos = program_pos,
         .text = text,
      };
      if (sim->options.diag)
         sim->options.diag(sim->options.diag_data, &diag);
      else
         fprintf(stderr, "tegra20-sim: %u %s, draw %u: %s\n", number,
                 sim_diag_name(number), diag.draw, text);
   }
   __atomic_store_n(&sim->diag_seen->last, key, __ATOMIC_RELAXED);
   pthread_mutex_unlock(&sim->diag_lock);
}

void
sim_report(struct sim *sim, unsigned number, uint32_t reg, int program_pos,
           const char *format, ...)
{
   if (!sim->options.strict)
      return;
   va_list args;
   va_start(args, format);
   report(sim, number, reg, program_pos, format, args);
   va_end(args);
}

void
sim_hang(struct sim *sim, unsigned number, uint32_t reg, int program_pos,
         const char *format, ...)
{
   sim->hang = true;
   va_list args;
   va_start(args, format);
   report(sim, number, reg, program_pos, format, args);
   va_end(args);
}
