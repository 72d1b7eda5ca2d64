/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Hill climbing.
 *
 * Each operation of the program gets a bias, which the scheduler adds to its
 * priority.  A step changes the bias of some operations a little and
 * schedules the program again; what is no worse than before stays.  As there
 * are many schedules of the same length, most steps that stay are sideways,
 * and one of them opens the way to a shorter schedule in the end.
 *
 * A step of a program that fits is a narrow beam search (fs_beam.c), which
 * gives itself up where a schedule no longer than the best one is out of
 * reach.
 */

#include "fs_sched.h"

#define STEP_WIDTH 2 /* partial schedules of each length */
#define MAX_CHANGES 6
#define MAX_LENGTH 8 /* operations that follow each other */
#define LEAST_CHANGE 8
#define MAX_DOUBLINGS 5
#define MAX_BIAS 1024

static uint32_t
next_random(uint32_t *state)
{
   *state ^= *state << 13;
   *state ^= *state >> 17;
   return *state ^= *state << 5;
}

void
fs_change_bias(int16_t *bias, unsigned count, uint32_t *random)
{
   const unsigned changes = 1 + next_random(random) % MAX_CHANGES;

   for (unsigned i = 0; i < changes; i++) {
      const unsigned first = next_random(random) % count,
                     length = next_random(random) % 2
                                 ? 1
                                 : 1 + next_random(random) % MAX_LENGTH;
      const int sign = next_random(random) % 2 ? 1 : -1,
                amount = LEAST_CHANGE
                         << next_random(random) % (MAX_DOUBLINGS + 1);
      for (unsigned v = first; v < MIN2(first + length, count); v++)
         bias[v] = CLAMP(bias[v] + sign * amount, -MAX_BIAS, MAX_BIAS);
   }
}

static bool
is_done(const struct fs_program *p, unsigned clocks, unsigned bound)
{
   return clocks <= bound || (p->cancelled && p_atomic_read(p->cancelled));
}

static bool
is_better(const struct fs_schedule *a, unsigned cycles, unsigned packets)
{
   return a->cycles < cycles ||
          (a->cycles == cycles && a->num_packets < packets);
}

struct fs_schedule *
fs_climb(const struct fs_program *p, const struct fs_schedule *from,
         unsigned limit, unsigned bound, int budget, void *mem_ctx)
{
   const unsigned count = p->num_nodes, size = count * sizeof(int16_t);
   int16_t *bias = rzalloc_size((void *)p, size),
           *changed = ralloc_size((void *)p, size);
   unsigned cycles = MIN2(from->cycles, limit), packets = from->num_packets;
   struct fs_schedule *best = NULL;
   uint32_t random = FS_CLIMB_SEED;

   while (budget > 0 && !is_done(p, cycles, bound)) {
      unsigned work;
      memcpy(changed, bias, size);
      fs_change_bias(changed, count, &random);
      struct fs_schedule *found =
         fs_beam_schedule(p, from->rows, STEP_WIDTH, cycles + 1, changed,
                          budget, mem_ctx, &work);
      budget -= work + 1;
      if (!found)
         continue;
      memcpy(bias, changed, size);
      if (is_better(found, cycles, packets)) {
         ralloc_free(best);
         best = found;
         cycles = found->cycles;
         packets = found->num_packets;
      } else {
         ralloc_free(found);
      }
   }
   ralloc_free(bias);
   ralloc_free(changed);
   return best;
}
