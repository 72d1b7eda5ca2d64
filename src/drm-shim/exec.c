/*
 * SPDX-License-Identifier: MIT
 *
 * Execution of jobs.  There is one simulator per process, created with the first job; a job runs inside the call that
 * submits it.
 *
 * A job that the simulated engine cannot finish is what the kernel's 10 s time-out ends: its sync point is locked
 * (kernel-interface.md 3).  The ten seconds are not waited for.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

/* Diagnostics of the shim itself, above the simulator's numbers (docs/drm-shim.md). */
#define DIAG_TOO_FEW_INCREMENTS 901
#define DIAG_TOO_MANY_INCREMENTS 902

/* Sync points start at arbitrary values; some are chosen so that 32 bits overflow soon. */
static uint32_t
initial_value(unsigned id)
{
   return id % 3 == 0 ? 0xfffffff0u - id : id * 100;
}

uint32_t
shim_syncpt_value(unsigned id)
{
   return shim.sim ? sim_syncpt_read(shim.sim, id) : initial_value(id);
}

static void
on_diag(void *data, const struct sim_diag *diag)
{
   shim_report_diag(diag->number, diag->text);
}

static bool
create_simulator(void)
{
   if (shim.sim)
      return true;
   shim_report_init();
   struct sim_options options = {
      .strict = shim.options.strict,
      .noop = shim.options.noop,
      .threads = shim.options.threads,
      .diag = on_diag,
   };
   struct sim *sim = sim_create(&options);
   if (!sim)
      return false;
   for (unsigned i = 0; i < SIM_NUM_SYNCPTS; i++)
      sim_syncpt_set(sim, i, initial_value(i));
   shim.sim = sim;
   return true;
}

void
shim_job_free(struct shim_job *job)
{
   for (unsigned i = 0; i < job->num_mems; i++)
      shim_mem_unref(job->mems[i]);
   shim_fence_unref(job->fence);
   free(job->mems);
   free(job->cmds);
   free(job->words);
   free(job);
}

static void
report_stats(void)
{
   static struct sim_stats before;
   struct sim_stats now, delta;
   sim_get_stats(shim.sim, &now);
   const uint64_t *a = (const uint64_t *)&before, *b = (const uint64_t *)&now;
   uint64_t *d = (uint64_t *)&delta;
   for (unsigned i = 0; i < sizeof(now) / sizeof(uint64_t); i++)
      d[i] = b[i] - a[i];
   before = now;
   shim_report_stats(&delta);
}

/* Does the engine reach the job's end? */
static bool
execute(struct shim_job *job)
{
   struct sim_range *ranges = calloc(MAX2(job->num_mems, 1), sizeof(*ranges));
   if (!ranges)
      return false;
   for (unsigned i = 0; i < job->num_mems; i++)
      ranges[i] = (struct sim_range){job->mems[i]->address, job->mems[i]->size, job->mems[i]->cpu};
   struct sim_job sim_job = {
      .class_id = job->class_id,
      .ranges = ranges,
      .num_ranges = job->num_mems,
      .cmds = job->cmds,
      .num_cmds = job->num_cmds,
   };
   enum sim_status status = sim_execute(shim.sim, &sim_job);
   free(ranges);
   report_stats();

   int32_t excess = sim_syncpt_read(shim.sim, job->syncpt) - job->end_value;
   if (status == SIM_OK && excess < 0) {
      shim_report_diag(DIAG_TOO_FEW_INCREMENTS, "the job raised its sync point less often than it announced: it times out");
      return false;
   }
   if (excess > 0)
      shim_report_diag(DIAG_TOO_MANY_INCREMENTS, "the job raised its sync point more often than it announced: later "
                                                 "fences signal early");
   return status == SIM_OK;
}

static void
run(struct shim_job *job)
{
   if (shim.syncpts[job->syncpt].locked || !execute(job))
      shim.syncpts[job->syncpt].locked = true;
   /* A fence that the sync point never reaches is signalled by force (kernel-interface.md 2.10). */
   shim_fence_signal(job->fence);
   shim.syncpts[job->syncpt].jobs--;
   shim_job_free(job);
   pthread_cond_broadcast(&shim.progress);
}

void
shim_job_queue(struct shim_job *job)
{
   shim.syncpts[job->syncpt].jobs++;
   if (!create_simulator()) {
      fprintf(stderr, "tegra20-shim: out of memory for the simulator\n");
      abort();
   }
   run(job);
}
