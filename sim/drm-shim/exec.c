/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Execution of jobs.  There is one simulator per process, created with the
 * first job.
 *
 * Normally a job runs inside the call that submits it.  In asynchronous mode
 * a thread executes jobs late: only when something waits in the kernel, or
 * some milliseconds after the submission.  Each engine keeps its order;
 * between the engines the thread prefers the job that was submitted last, the
 * opposite of what a driver that forgot a wait hopes for.
 *
 * A job that the simulated engine cannot finish is what the kernel's time-out
 * of 10 s ends: its sync point is locked (kernel-interface.md 3).
 * TEGRA20_SHIM_TIMEOUT says how long that takes here; by default it is not
 * waited for.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "shim.h"

static struct list_head queues[SHIM_NUM_ENGINES];
static pthread_cond_t work;
static unsigned slots_used[SHIM_NUM_ENGINES]; /* of the push buffers */
static bool worker_started;
static bool
   running; /* the worker is inside the simulator, without shim.lock */
static unsigned num_waiters;

/* Sync points start at arbitrary values; some are chosen so that 32 bits
 * overflow soon. */
static uint32_t
initial_value(unsigned id)
{
   return id % 3 == 0 ? 0xfffffff0u - id : id * 100;
}

uint32_t
shim_syncpt_value(unsigned id)
{
   return shim.values[id];
}

void
shim_syncpt_raise(unsigned id, uint32_t value)
{
   while (running)
      pthread_cond_wait(&shim.progress, &shim.lock);
   shim.values[id] = value;
   if (shim.sim)
      sim_syncpt_set(shim.sim, id, value);
   pthread_cond_broadcast(&shim.progress);
}

static void
on_diag(void *data, const struct sim_diag *diag)
{
   shim_report_diag(diag->number, diag->text);
}

/* "A57=16,A22=cut" */
static void
set_switches(struct sim *sim, const char *list)
{
   while (list && *list) {
      char id[16], value[32];
      int length = 0;
      if (sscanf(list, "%15[^=,]=%31[^,]%n", id, value, &length) != 2 ||
          (list[length] && list[length] != ',') ||
          !sim_set_switch(sim, id, value)) {
         fprintf(stderr,
                 "tegra20-shim: TEGRA20_SHIM_SWITCH: unknown assumption or "
                 "value at \"%s\", ignored\n",
                 list);
         return;
      }
      list += length + (list[length] == ',');
   }
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
      .adversary = shim.options.adversary,
      .deaf = shim.options.deaf,
      .diag = on_diag,
   };
   struct sim *sim = sim_create(&options);
   if (!sim)
      return false;
   set_switches(sim, shim.options.switches);
   for (unsigned i = 0; i < SIM_NUM_SYNCPTS; i++)
      sim_syncpt_set(sim, i, shim.values[i]);
   shim.sim = sim;
   return true;
}

void
shim_job_free(struct shim_job *job)
{
   for (unsigned i = 0; i < job->num_mems; i++)
      shim_mem_unref(job->mems[i]);
   shim_fence_unref(job->fence);
   for (unsigned i = 0; i < job->num_deps; i++)
      shim_fence_unref(job->deps[i]);
   free(job->deps);
   free(job->mems);
   free(job->cmds);
   free(job->words);
   free(job);
}

/* --- one job --- */

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

/* Without execution: only the sync point moves.  What remains is the driver's
 * cost, and that of system calls. */
static bool
skip(struct shim_job *job)
{
   const struct sim_stats stats = { .jobs = 1 };
   shim_report_stats(&stats);
   sim_syncpt_set(shim.sim, job->syncpt, job->end_value);
   return true;
}

/* Does the engine reach the job's end?  The only caller of the simulator
 * while it runs; needs no lock. */
static bool
execute(struct shim_job *job)
{
   if (shim_fault_hang())
      return false;
   if (shim.options.noop)
      return skip(job);
   struct sim_range *ranges = calloc(MAX2(job->num_mems, 1), sizeof(*ranges));
   if (!ranges)
      return false;
   for (unsigned i = 0; i < job->num_mems; i++)
      ranges[i] = (struct sim_range){ job->mems[i]->address,
                                      job->mems[i]->size, job->mems[i]->cpu };
   struct sim_job sim_job = {
      .class_id = job->class_id,
      .ranges = ranges,
      .num_ranges = job->num_mems,
      .cmds = job->cmds,
      .num_cmds = job->num_cmds,
   };
   shim_record_begin(job);
   enum sim_status status = sim_execute(shim.sim, &sim_job);
   shim_record_end(job, status == SIM_OK);
   free(ranges);
   report_stats();

   int32_t excess = sim_syncpt_read(shim.sim, job->syncpt) - job->end_value;
   if (status == SIM_OK && excess < 0) {
      shim_report_diag(
         SHIM_DIAG_TOO_FEW_INCREMENTS,
         "the job raised its sync point less often than it announced: it "
         "times out");
      return false;
   }
   if (excess > 0)
      shim_report_diag(
         SHIM_DIAG_TOO_MANY_INCREMENTS,
         "the job raised its sync point more often than it announced: "
         "later fences signal early");
   return status == SIM_OK;
}

/* Called under shim.lock, after the job ran. */
static void
finish(struct shim_job *job, bool ok)
{
   if (!ok && job->legacy)
      sim_syncpt_set(shim.sim, job->syncpt, job->end_value);
   else if (!ok)
      shim.syncpts[job->syncpt].locked = true;
   for (unsigned i = 0; i < SIM_NUM_SYNCPTS; i++)
      shim.values[i] = sim_syncpt_read(shim.sim, i);
   /* A fence that the sync point never reaches is signalled by force
    * (kernel-interface.md 2.10). */
   shim_fence_signal(job->fence);
   shim.syncpts[job->syncpt].jobs--;
   slots_used[job->engine] -= job->slots;
   shim_job_free(job);
   pthread_cond_broadcast(&shim.progress);
}

/* --- the queue --- */

/* Waits of this job for others; those for its own increments are the engine's
 * business. */
static bool
waits_are_over(const struct shim_job *job)
{
   for (unsigned i = 0; i < job->num_deps; i++) {
      if (!job->deps[i]->signalled)
         return false;
   }
   for (unsigned i = 0; i < job->num_cmds; i++) {
      const struct sim_cmd *cmd = &job->cmds[i];
      if (cmd->type == SIM_CMD_WAIT && cmd->wait.syncpt != job->syncpt &&
          cmd->wait.syncpt < SIM_NUM_SYNCPTS &&
          (int32_t)(shim.values[cmd->wait.syncpt] - cmd->wait.threshold) < 0)
         return false;
   }
   return true;
}

static struct shim_job *
head(unsigned engine)
{
   return list_is_empty(&queues[engine])
             ? NULL
             : list_first_entry(&queues[engine], struct shim_job, link);
}

/* The job to run next; NULL if none is due, and *wake says when one will be
 * (INT64_MAX: never). */
static struct shim_job *
pick(int64_t *wake)
{
   struct shim_job *due = NULL, *possible = NULL, *stuck = NULL;
   int64_t now = shim_now();
   bool any_due = false;
   *wake = INT64_MAX;
   for (unsigned i = 0; i < SHIM_NUM_ENGINES; i++) {
      struct shim_job *job = head(i);
      if (!job)
         continue;
      int64_t time = job->submit_time + shim.options.async_ms * 1000000ll;
      bool is_due = num_waiters || time <= now;
      *wake = MIN2(*wake, time);
      any_due |= is_due;
      if (!waits_are_over(job)) {
         stuck =
            !stuck || job->submit_time < stuck->submit_time ? job : stuck;
         continue;
      }
      possible = job;
      if (is_due && (!due || job->submit_time > due->submit_time))
         due = job;
   }
   /* What is due may wait for something that is not; when everything waits,
    * the oldest hangs. */
   return due ? due : !any_due ? NULL : possible ? possible : stuck;
}

static void *
worker(void *data)
{
   pthread_mutex_lock(&shim.lock);
   while (true) {
      int64_t wake;
      struct shim_job *job = pick(&wake);
      if (!job) {
         struct timespec ts = { .tv_sec = wake / 1000000000,
                                .tv_nsec = wake % 1000000000 };
         if (wake == INT64_MAX)
            pthread_cond_wait(&work, &shim.lock);
         else
            pthread_cond_timedwait(&work, &shim.lock, &ts);
         continue;
      }
      list_del(&job->link);
      running = true;
      bool ok = !shim.syncpts[job->syncpt].locked;
      pthread_mutex_unlock(&shim.lock);
      if (ok) {
         ok = execute(job);
         if (!ok) {
            int64_t ns = shim.options.timeout_ms * 1000000ll;
            nanosleep(&(struct timespec){ .tv_sec = ns / 1000000000,
                                          .tv_nsec = ns % 1000000000 },
                      NULL);
         }
      }
      pthread_mutex_lock(&shim.lock);
      running = false;
      finish(job, ok);
   }
   return NULL;
}

static bool
start_worker(void)
{
   if (worker_started)
      return true;
   pthread_t thread;
   if (pthread_create(&thread, NULL, worker, NULL))
      return false;
   pthread_detach(thread);
   worker_started = true;
   return true;
}

/* Called under shim.lock, which others may have meanwhile: until earlier jobs
 * have left room in the push buffer. */
static void
take_slots(struct shim_job *job)
{
   shim_wait_begin();
   while (slots_used[job->engine] + job->slots > SHIM_PUSH_BUFFER_SLOTS)
      pthread_cond_wait(&shim.progress, &shim.lock);
   shim_wait_end();
   slots_used[job->engine] += job->slots;
}

void
shim_job_queue(struct shim_job *job)
{
   shim.syncpts[job->syncpt].jobs++;
   if (!create_simulator()) {
      fprintf(stderr, "tegra20-shim: out of memory for the simulator\n");
      abort();
   }
   take_slots(job);
   if (shim.options.async_ms >= 0 && start_worker()) {
      job->submit_time = shim_now();
      list_addtail(&job->link, &queues[job->engine]);
      pthread_cond_signal(&work);
   } else {
      finish(job, !shim.syncpts[job->syncpt].locked && execute(job));
   }
}

void
shim_wait_begin(void)
{
   num_waiters++;
   pthread_cond_signal(&work);
}

void
shim_wait_end(void)
{
   num_waiters--;
}

/* Called under shim.lock: until nothing is queued or running. */
static void
drain(void)
{
   shim_wait_begin();
   while (worker_started && (running || head(0) || head(1)))
      pthread_cond_wait(&shim.progress, &shim.lock);
   shim_wait_end();
}

void
shim_drain(void)
{
   pthread_mutex_lock(&shim.lock);
   drain();
   pthread_mutex_unlock(&shim.lock);
}

/* --- fork --- */

/* The child shares the memory of the buffers, but none of the threads: it
 * starts with empty queues and its own simulator. */

static void
before_fork(void)
{
   pthread_mutex_lock(&shim.lock);
   drain();
}

static void
after_fork_in_parent(void)
{
   pthread_mutex_unlock(&shim.lock);
}

static void
after_fork_in_child(void)
{
   if (!shim_walk_forks())
      shim.sim = NULL;
   shim_record_fork();
   worker_started = false;
   num_waiters = 0;
   shim.pid = getpid();
   pthread_mutex_unlock(&shim.lock);
}

void
shim_exec_init(void)
{
   pthread_condattr_t attr;
   pthread_condattr_init(&attr);
   pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
   pthread_cond_init(&shim.progress, &attr);
   pthread_cond_init(&work, &attr);
   pthread_condattr_destroy(&attr);
   for (unsigned i = 0; i < SHIM_NUM_ENGINES; i++)
      list_inithead(&queues[i]);
   for (unsigned i = 0; i < SIM_NUM_SYNCPTS; i++)
      shim.values[i] = initial_value(i);
   shim.pid = getpid();
   pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}
