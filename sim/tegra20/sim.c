/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The simulator as its users see it: create, execute, statistics.
 */

#include <stdlib.h>

#include "sim_internal.h"

struct sim *
sim_create(const struct sim_options *options)
{
   struct sim *sim = calloc(1, sizeof(*sim));
   if (!sim)
      return NULL;
   if (options)
      sim->options = *options;
   if (!sim_diag_init(sim)) {
      free(sim);
      return NULL;
   }
   if (sim->options.adversary &&
       (!(sim->adversary = sim_adversary_create(sim->options.adversary,
                                                sim->options.deaf)) ||
        !(sim->overlap = sim_overlap_create(sim)))) {
      sim_destroy(sim);
      return NULL;
   }
   sim->options.chip = tegra20_chip_or_default(sim->options.chip);
   sim->gr2d.sim = sim;
   if (!gr3d_init(&sim->gr3d, sim)) {
      sim_destroy(sim);
      return NULL;
   }
   return sim;
}

void
sim_destroy(struct sim *sim)
{
   if (!sim)
      return;
   gr3d_fini(&sim->gr3d);
   gr2d_fini(&sim->gr2d);
   sim_adversary_destroy(sim->adversary);
   sim_overlap_destroy(sim->overlap);
   sim_memory_fini(sim);
   sim_diag_fini(sim);
   free(sim);
}

/* All work before a wait has been executed, so a threshold that is not
 * reached now never will be, unless sync points are raised outside, too. */
static void
wait_command(struct sim *sim, uint32_t syncpt, uint32_t threshold)
{
   if (syncpt >= SIM_NUM_SYNCPTS) {
      sim_hang(sim, SIM_DIAG_HOST1X_SYNCPT, SIM_NO_REG, -1,
               "wait for sync point %u, which does not exist", syncpt);
      return;
   }
   if (sim->options.syncpts)
      sim_wait_outside(sim, syncpt, threshold);
   else if ((int32_t)(sim->syncpt[syncpt] - threshold) < 0)
      sim_hang(sim, SIM_DIAG_HOST1X_WAIT, SIM_NO_REG, -1,
               "wait for sync point %u to reach %u, but it is %u and nothing "
               "before the wait raises it",
               syncpt, threshold, sim->syncpt[syncpt]);
}

/* A101, A136: what memory moves in a clock of 300 MHz. */
#define CLOCKS_PER_SECOND 300000000ull

static uint64_t
bytes_per_second(const struct sim *sim)
{
   static const uint64_t values[] = { 1100000000, 2200000000 };

   return values[sim_switch(sim, 136)];
}

/* Clocks and bytes of everything so far. */
static uint64_t
all_clocks(const struct sim_stats *s)
{
   return s->gr2d_clocks + (s->vertex_clocks > s->fragment_clocks
                               ? s->vertex_clocks
                               : s->fragment_clocks);
}

static uint64_t
all_bytes(const struct sim_stats *s)
{
   return s->texture_bytes + s->pixel_bytes + s->depth_bytes +
          s->vertex_bytes + s->gr2d_bytes;
}

/* A job takes what its units take, or what its bytes do: also of the time
 * that the kernel gives it. */
static void
count_time(struct sim *sim, const struct sim_stats *before)
{
   struct sim_stats *now = &sim->stats;
   const uint64_t clocks = all_clocks(now) - all_clocks(before),
                  memory = (all_bytes(now) - all_bytes(before)) *
                           CLOCKS_PER_SECOND / bytes_per_second(sim);

   now->time_clocks += clocks > memory ? clocks : memory;
   now->memory_clocks += memory > clocks ? memory : 0;
   if (memory > clocks)
      atomic_fetch_sub_explicit(&sim->gr3d.clocks_left,
                                (long long)(memory - clocks),
                                memory_order_relaxed);
   gr3d_check_time(&sim->gr3d);
}

enum sim_status
sim_execute(struct sim *sim, const struct sim_job *job)
{
   const struct sim_stats before = sim->stats;

   sim->hang = sim->raised = false;
   sim->stats.jobs++;
   sim_diag_job_begin(sim);
   if (!sim_memory_begin(sim, job->ranges, job->num_ranges)) {
      sim_hang(sim, SIM_DIAG_MEMORY_RANGE, SIM_NO_REG, -1,
               "out of memory for the list of buffers");
      return SIM_HANG;
   }
   if (!job->continues) {
      if (sim->cut)
         sim_overlap_job_end(sim->overlap, false);
      gr3d_job_begin(&sim->gr3d);
      gr2d_job_begin(&sim->gr2d);
      sim->class_id = job->class_id;
   }
   for (unsigned i = 0; i < job->num_cmds && !sim->hang; i++) {
      const struct sim_cmd *cmd = &job->cmds[i];
      if (cmd->type == SIM_CMD_GATHER)
         host1x_gather(sim, cmd->gather.words, cmd->gather.count);
      else {
         wait_command(sim, cmd->wait.syncpt, cmd->wait.threshold);
         sim_overlap_waited(sim->overlap, cmd->wait.syncpt,
                            cmd->wait.threshold);
      }
   }
   /* A kernel notices itself, and cancels jobs by emptying them. */
   if (!sim->raised && !sim->hang && !sim->options.syncpts)
      sim_report(sim, SIM_DIAG_HOST1X_NO_INCREMENT, SIM_NO_REG, -1,
                 "the job raises no sync point: a kernel could not tell when "
                 "it ends");
   sim->cut = job->cut;
   if (!job->cut)
      sim_overlap_job_end(sim->overlap, job->overlaps);
   sim->memory.num_ranges = 0;
   count_time(sim, &before);
   return sim->hang ? SIM_HANG : SIM_OK;
}

uint32_t
sim_syncpt_read(const struct sim *sim, unsigned id)
{
   return id < SIM_NUM_SYNCPTS ? sim->syncpt[id] : 0;
}

void
sim_syncpt_set(struct sim *sim, unsigned id, uint32_t value)
{
   if (id < SIM_NUM_SYNCPTS)
      sim->syncpt[id] = value;
}

void
sim_get_stats(const struct sim *sim, struct sim_stats *stats)
{
   *stats = sim->stats;
}
