/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Hill climbing.
 *
 * The best program and the best schedule of it that the search has found are
 * changed in small steps, and a step that is no worse is kept.  As many
 * programs and schedules take the same number of cycles, most kept steps are
 * sideways, and one of them leads to a shorter schedule in the end.
 *
 * A step changes one of two things, or both.  The variation is the set of
 * choice points at which the program is not lowered by default (enum
 * fs_choice_kind), one sum as a chain of operations for example, while the
 * others stay on the accumulation chain.  The bias is added by the scheduler
 * to the priority of each operation.
 *
 * Then the program is lowered and scheduled again, by a narrow beam search
 * (fs_beam.c), which gives itself up where a schedule no longer than the best
 * one is out of reach.
 */

#include "fs_sched.h"

#define SEED 0x2545f491
#define STEP_WIDTH 2 /* partial schedules of each length */
#define MAX_CHANGES 6
#define MAX_LENGTH 8 /* operations that follow each other */
#define LEAST_CHANGE 8
#define MAX_DOUBLINGS 5
#define MAX_BIAS 1024
#define MAX_POINTS_CHANGED 3
#define MAX_CHOICE 0xffff
#define LOWERING_COST 8   /* of an operation, in packets tried */
#define BUDGET 100000     /* packets tried */
#define PROBE_BUDGET 4000 /* the same, for a program at its bound */

static uint32_t
next_random(uint32_t *state)
{
   *state ^= *state << 13;
   *state ^= *state >> 17;
   return *state ^= *state << 5;
}

/* --- other schedules --- */

static void
change_bias(int16_t *bias, unsigned count, uint32_t *random)
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

/* --- variations of the lowering --- */

static void
change_variation(struct fs_variation *variation, uint32_t *random)
{
   if (variation->num_points == 0)
      return;
   const unsigned changes = 1 + next_random(random) % MAX_POINTS_CHANGED;

   for (unsigned i = 0; i < changes; i++) {
      const struct fs_choice_point *point =
         &variation->points[next_random(random) % variation->num_points];
      uint16_t *choice = &variation->choice[point->kind][point->node];
      *choice = *choice ? 0 : 1 + next_random(random) % MAX_CHOICE;
   }
}

/* --- steps --- */

struct climber {
   const struct fs_climb *from;
   struct fs_variation *variation, *next_variation;
   int16_t *bias, *next_bias;
   uint32_t random;
   unsigned cycles, packets; /* of the best schedule */
   unsigned bound; /* cycles that no variation seen so far can do without */
   int budget;
};

static bool
is_at_bound(const struct climber *c)
{
   return c->cycles <= c->bound;
}

static bool
is_done(const struct climber *c)
{
   return c->budget <= 0 || c->cycles == 1 ||
          tegra20_is_cancelled(c->from->cancel);
}

/* The next program, and a bias for its operations; or NULL. */
static struct fs_program *
next_program(struct climber *c)
{
   const bool vary = next_random(&c->random) % 2,
              move = !vary || next_random(&c->random) % 2;
   struct fs_lowering lowering = *c->from->lowering;

   *c->next_variation = *c->variation;
   if (vary)
      change_variation(c->next_variation, &c->random);
   c->next_variation->num_points = 0;
   lowering.variation = c->next_variation;
   struct fs_program *p = c->from->lower(c->from->data, &lowering);
   c->budget -= (p ? p->num_nodes : FS_MAX_NODES) * LOWERING_COST;
   if (!p)
      return NULL;
   memcpy(c->next_bias, c->bias, FS_MAX_NODES * sizeof(*c->bias));
   if (move)
      change_bias(c->next_bias, p->num_nodes, &c->random);
   return p;
}

static void
accept_step(struct climber *c)
{
   struct fs_variation *variation = c->variation;
   int16_t *bias = c->bias;

   c->variation = c->next_variation;
   c->next_variation = variation;
   c->bias = c->next_bias;
   c->next_bias = bias;
}

static bool
is_better(const struct climber *c, const struct fs_schedule *schedule)
{
   return schedule->cycles < c->cycles ||
          (schedule->cycles == c->cycles &&
           schedule->num_packets < c->packets);
}

/* A schedule of the program that is no longer than the best one, or NULL.
 * Where that has reached the bound, only a variation with a lower one is
 * worth a schedule. */
static struct fs_schedule *
schedule_step(struct climber *c, struct fs_program *p)
{
   const unsigned rows = c->from->rows, limit = c->cycles + !is_at_bound(c);
   unsigned work;

   if (fs_least_packets(p) > p->chip->fs_alu ||
       fs_lower_bound(p, rows) >= limit)
      return NULL;
   fs_prepare_schedules(p);
   struct fs_schedule *schedule = fs_beam_schedule(
      p, rows, STEP_WIDTH, limit, c->next_bias, c->budget, p, &work);
   c->budget -= work + 1;
   return schedule;
}

static void
start(struct climber *c, const struct fs_climb *from, void *mem_ctx)
{
   const unsigned size = FS_MAX_NODES * sizeof(*c->bias);

   *c = (struct climber){
      .from = from,
      .variation = rzalloc(mem_ctx, struct fs_variation),
      .next_variation = rzalloc(mem_ctx, struct fs_variation),
      .bias = rzalloc_size(mem_ctx, size),
      .next_bias = rzalloc_size(mem_ctx, size),
      .random = SEED,
      .cycles = from->cycles,
      .packets = from->packets,
      .bound = from->bound,
      .budget = from->cycles > from->bound ? BUDGET : PROBE_BUDGET,
   };
}

struct fs_program *
fs_climb(const struct fs_climb *from, struct fs_schedule **schedule)
{
   void *mem_ctx = ralloc_context(NULL);
   struct fs_program *best = NULL;
   struct climber c;

   start(&c, from, mem_ctx);
   while (!is_done(&c)) {
      struct fs_program *p = next_program(&c);
      if (!p)
         continue; /* there is no such lowering */
      struct fs_schedule *found = schedule_step(&c, p);
      if (found)
         accept_step(&c);
      if (!found || !is_better(&c, found)) {
         ralloc_free(p);
         continue;
      }
      c.bound = MIN2(c.bound, fs_lower_bound(p, 1));
      c.cycles = found->cycles;
      c.packets = found->num_packets;
      ralloc_free(best);
      best = p;
      *schedule = found;
      if (is_at_bound(&c))
         c.budget = MIN2(c.budget, PROBE_BUDGET);
   }
   ralloc_free(mem_ctx);
   return best;
}
