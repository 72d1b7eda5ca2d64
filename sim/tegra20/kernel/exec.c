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

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "util/u_atomic.h"

#include "shim.h"

static struct list_head queues[SHIM_NUM_ENGINES];
static pthread_cond_t work;
static unsigned slots_used[SHIM_NUM_ENGINES]; /* of the push buffers */
static bool worker_started;
static bool
   running; /* the worker is inside the simulator, without shim.lock */
static struct list_head needs; /* struct shim_need: who sleeps for what */
static uint32_t num_jobs;
static uint64_t time_clocks; /* that the chip has worked (p_atomic) */
static uint32_t own_values[SIM_NUM_SYNCPTS];

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
   if (shim.options.one_chip) {
      shim_chip_raise(id, value);
      return;
   }
   while (running)
      pthread_cond_wait(&shim.progress, &shim.lock);
   shim.values[id] = value;
   if (shim.sim)
      sim_syncpt_set(shim.sim, id, value);
   pthread_cond_broadcast(&shim.progress);
   shim_serve_progress();
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
      .chip = shim.options.chip,
      .strict = shim.options.strict,
      .proven = shim.options.proven,
      .noop = shim.options.noop,
      .threads = shim.options.threads,
      .job_clocks = shim.options.job_clocks,
      .adversary = shim.options.adversary,
      .deaf = shim.options.deaf,
      .diag = on_diag,
   };
   struct sim *sim = sim_create(&options);
   if (!sim)
      return false;
   const char *wrong = sim_set_switches(sim, shim.options.switches);
   if (wrong)
      fprintf(stderr,
              "tegra20-shim: TEGRA20_SHIM_SWITCH: unknown assumption or "
              "value at \"%s\", ignored\n",
              wrong);
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
   p_atomic_set(&time_clocks, now.time_clocks);
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
   shim_serve_begin(job);
   if (job->client ? job->hangs : shim_fault_hang())
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
      .overlaps = job->overlaps,
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
   if (!ok && job->goes_on)
      sim_syncpt_set(shim.sim, job->syncpt, job->end_value);
   else if (!ok)
      shim.syncpts[job->syncpt].locked = true;
   for (unsigned i = 0; i < SIM_NUM_SYNCPTS; i++)
      shim.values[i] = sim_syncpt_read(shim.sim, i);
   /* A fence that the sync point never reaches is signalled by force
    * (kernel-interface.md 2.10). */
   job->fence->cancelled = !ok && shim.options.grate;
   shim_fence_signal(job->fence);
   shim.syncpts[job->syncpt].jobs--;
   slots_used[job->engine] -= job->slots;
   job->latency = (p_atomic_read(&time_clocks) - job->time_clocks) / 1000;
   if (job->client)
      shim_serve_finished(job, shim.syncpts[job->syncpt].locked);
   else
      shim_report_latency(job->latency);
   shim_job_free(job);
   pthread_cond_broadcast(&shim.progress);
}

/* --- the queue --- */

static struct shim_job *
head(unsigned engine)
{
   return list_is_empty(&queues[engine])
             ? NULL
             : list_first_entry(&queues[engine], struct shim_job, link);
}

/* Has a job that raises the sync point to this value before its end begun, as
 * far as anybody can tell? */
static bool
may_have_begun(uint32_t id, uint32_t value)
{
   for (unsigned e = 0; e < SHIM_NUM_ENGINES && shim.options.adversary; e++) {
      const struct shim_job *job = head(e);
      if (job && job->syncpt == id &&
          (int32_t)(value - (job->end_value - job->increments)) > 0 &&
          (int32_t)(value - job->end_value) < 0)
         return true;
   }
   return false;
}

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
          (int32_t)(shim.values[cmd->wait.syncpt] - cmd->wait.threshold) <
             0 &&
          !may_have_begun(cmd->wait.syncpt, cmd->wait.threshold))
         return false;
   }
   return true;
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
      bool is_due = !list_is_empty(&needs) || time <= now;
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

/* --- the queue of a chip that keeps the driver to its word --- */

/* The sync file of a job can be waited for where nobody sees it. */
#define EXPORTED_NS 20000000

static int64_t
due_time(const struct shim_job *job)
{
   const int64_t late = shim.options.async_ms * 1000000ll;
   return job->submit_time + (job->fence && job->fence->event_fd >= 0
                                 ? MIN2(EXPORTED_NS, late)
                                 : late);
}

/* Must the job be executed so that the sync point reaches the threshold? */
static bool
raises(const struct shim_job *job, uint32_t id, uint32_t threshold)
{
   return job->syncpt == id &&
          (int32_t)(threshold - (job->end_value - job->increments)) > 0;
}

static bool
is_wanted(const struct shim_job *job)
{
   list_for_each_entry (struct shim_need, need, &needs, link) {
      if (need->syncpt ? raises(job, need->id, need->threshold)
                       : !need->fence || need->fence == job->fence)
         return true;
   }
   return due_time(job) <= shim_now();
}

static bool
waits_for(const struct shim_job *job, const struct shim_job *other)
{
   for (unsigned i = 0; i < job->num_deps; i++) {
      if (job->deps[i] == other->fence)
         return true;
   }
   for (unsigned i = 0; i < job->num_cmds; i++) {
      const struct sim_cmd *cmd = &job->cmds[i];
      if (cmd->type == SIM_CMD_WAIT && job->syncpt != other->syncpt &&
          raises(other, cmd->wait.syncpt, cmd->wait.threshold) &&
          !may_have_begun(cmd->wait.syncpt, cmd->wait.threshold))
         return true;
   }
   return false;
}

/* Does a job among the first of an engine's queue wait for this one? */
static bool
is_waited_for(const struct shim_job *job, const unsigned needed[])
{
   for (unsigned e = 0; e < SHIM_NUM_ENGINES; e++) {
      unsigned n = 0;
      list_for_each_entry (struct shim_job, other, &queues[e], link) {
         if (n++ == needed[e])
            break;
         if (waits_for(other, job))
            return true;
      }
   }
   return false;
}

/* How many of the jobs at the head of each queue have to be executed for
 * those who sleep: what they sleep for, and what that waits for. */
static void
count_needed(unsigned needed[SHIM_NUM_ENGINES])
{
   bool grown = true;
   memset(needed, 0, SHIM_NUM_ENGINES * sizeof(*needed));
   while (grown) {
      grown = false;
      for (unsigned e = 0; e < SHIM_NUM_ENGINES; e++) {
         unsigned n = 0;
         list_for_each_entry (struct shim_job, job, &queues[e], link) {
            if (++n > needed[e] &&
                (is_wanted(job) || is_waited_for(job, needed))) {
               needed[e] = n;
               grown = true;
            }
         }
      }
   }
}

/* One of two, by the seed and a job. */
static bool
coin(const struct shim_job *job, unsigned salt)
{
   uint64_t h = ((uint64_t)shim.options.adversary << 32 ^
                 (uint64_t)salt << 24 ^ job->number) *
                0x9e3779b97f4a7c15ull;
   return h >> 63;
}

/*
 * As pick(): of an engine that somebody needs; now and then one that nobody
 * needs yet is first, since nothing holds it back.
 */
static struct shim_job *
pick_reluctantly(int64_t *wake)
{
   unsigned needed[SHIM_NUM_ENGINES];
   struct shim_job *best = NULL, *stuck = NULL;
   *wake = INT64_MAX;
   count_needed(needed);
   for (unsigned e = 0; e < SHIM_NUM_ENGINES; e++) {
      list_for_each_entry (struct shim_job, job, &queues[e], link)
         *wake = MIN2(*wake, due_time(job));
   }
   if (!needed[SHIM_GR2D] && !needed[SHIM_GR3D])
      return NULL;
   for (unsigned e = 0; e < SHIM_NUM_ENGINES; e++) {
      struct shim_job *job = head(e);
      if (!job || (!needed[e] && !coin(job, 1)))
         continue;
      if (!waits_are_over(job)) {
         if (needed[e] && (!stuck || job->submit_time < stuck->submit_time))
            stuck = job;
      } else if (!best || !needed[e] || coin(job, 2)) {
         best = job;
      }
   }
   return best ? best : stuck;
}

/*
 * The kernel lets a job wait for those before it on its own sync point only:
 * the engine decodes the next one of another while this one's last draws are
 * under way (kernel-review.md 6).
 */
static struct shim_job *
overlapping(const struct shim_job *job)
{
   struct shim_job *next = head(job->engine);
   return shim.options.adversary && !shim.options.grate && next &&
                next->syncpt != job->syncpt &&
                !shim.syncpts[next->syncpt].locked && !waits_for(next, job) &&
                waits_are_over(next)
             ? next
             : NULL;
}

/* Executes jobs that were taken from the queue: one, or one after the other
 * without a pause.  Called under shim.lock, which others have meanwhile. */
static void
run(struct shim_job *job)
{
   struct list_head done;
   list_inithead(&done);
   while (job) {
      list_del(&job->link);
      list_addtail(&job->link, &done);
      struct shim_job *next = overlapping(job);
      job->overlaps = next;
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
      job->ok = ok;
      job = next;
   }
   list_for_each_entry_safe (struct shim_job, job, &done, link)
      finish(job, job->ok);
}

static void *
worker(void *data)
{
   pthread_mutex_lock(&shim.lock);
   while (true) {
      int64_t wake;
      struct shim_job *job =
         shim.options.adversary ? pick_reluctantly(&wake) : pick(&wake);
      if (!job) {
         struct timespec ts = { .tv_sec = wake / 1000000000,
                                .tv_nsec = wake % 1000000000 };
         if (wake == INT64_MAX)
            pthread_cond_wait(&work, &shim.lock);
         else
            pthread_cond_timedwait(&work, &shim.lock, &ts);
         continue;
      }
      run(job);
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
   struct shim_need need = { 0 };
   shim_wait_begin(&need);
   while (slots_used[job->engine] + job->slots > SHIM_PUSH_BUFFER_SLOTS)
      pthread_cond_wait(&shim.progress, &shim.lock);
   shim_wait_end(&need);
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
   job->number = num_jobs++;
   take_slots(job);
   job->time_clocks = p_atomic_read(&time_clocks);
   if (shim.options.async_ms >= 0 && start_worker()) {
      job->submit_time = shim_now();
      list_addtail(&job->link, &queues[job->engine]);
      pthread_cond_signal(&work);
   } else {
      finish(job, !shim.syncpts[job->syncpt].locked && execute(job));
   }
}

void
shim_fence_exported(void)
{
   pthread_cond_signal(&work);
}

void
shim_wait_begin(struct shim_need *need)
{
   if (shim.options.one_chip) {
      shim_chip_need(need);
      return;
   }
   list_addtail(&need->link, &needs);
   pthread_cond_signal(&work);
}

void
shim_wait_end(struct shim_need *need)
{
   if (shim.options.one_chip)
      shim_chip_need_no_more(need);
   else
      list_del(&need->link);
}

/* Called under shim.lock: until nothing is queued or running. */
static void
drain(void)
{
   struct shim_need need = { 0 };
   if (shim.options.one_chip) {
      shim_chip_drain();
      return;
   }
   shim_wait_begin(&need);
   while (worker_started && (running || head(0) || head(1)))
      pthread_cond_wait(&shim.progress, &shim.lock);
   shim_wait_end(&need);
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
   if (!shim_walk_forks()) {
      shim.inherited = shim.sim;
      shim.sim = NULL;
   }
   shim_record_fork();
   shim_chip_fork();
   worker_started = false;
   list_inithead(&needs);
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
   list_inithead(&needs);
   for (unsigned i = 0; i < SHIM_NUM_ENGINES; i++)
      list_inithead(&queues[i]);
   shim.values = own_values;
   for (unsigned i = 0; i < SIM_NUM_SYNCPTS; i++)
      shim.values[i] = initial_value(i);
   shim.pid = getpid();
   pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}
