/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Jobs: command streams and their submission.
 *
 * The words of a job lie in one array; the kernel's limit of 16383 words per
 * gather is met by cutting the array into gathers where a group of packets
 * begins, the limit of 682 relocations by refusing a group that would exceed
 * it, and that of the channel's push buffer by counting its slots. Words that
 * name the job's sync point are filled in at submission, because the sync
 * point changes when it is lost.
 *
 * Order between the engines: each buffer knows the last submissions that read
 * and wrote it, per engine.  A job begins with a WAIT_SYNCPT for the latest
 * one of the other engine that it depends on; within an engine jobs execute
 * in order of submission (kernel-interface.md 2.3).  On kernels without waits
 * in the stream the CPU waits instead, also for earlier jobs of the same
 * engine that wrote what this one reads.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/os_time.h"
#include "util/u_math.h"

#include "tegra20/host1x_stream.h"

#include "tegra20_ws_internal.h"

#define CONDITION_OP_DONE 1

/* A job with so many words should be submitted: the engine idles until then,
 * the kernel copies them into contiguous memory, which is scarce, and 128 KiB
 * stay in the CPU's cache.  A system call and the complete state are below a
 * hundredth of the cost of recording so much. */
#define ENOUGH_WORDS (32 * 1024)

/* Placeholder of a relocated word until the kernel fills it in. */
#define RELOC_PLACEHOLDER 0xdeadbeef

const uint32_t ws_engine_class[TEGRA20_NUM_ENGINES] = {
   [TEGRA20_ENGINE_3D] = HOST1X_CLASS_GR3D,
   [TEGRA20_ENGINE_2D] = HOST1X_CLASS_GR2D,
};

struct tegra20_job {
   struct tegra20_winsys *ws;
   enum tegra20_engine engine;
   struct ws_syncpt *syncpt; /* NULL when it was lost and no other could be
                                had (submit_lock) */
   struct tegra20_fence *last_fence;
   struct tegra20_fence *wait_fence; /* imported, of tegra20_job_wait_fd() */
   struct tegra20_fence *shared_fence; /* of the last submission that used
                                          shared buffers */
   enum tegra20_reset reset;
   uint64_t cycles; /* expected */
   bool overran;    /* p_atomic */
   int error;       /* first error while the stream was built */

   uint32_t *words;
   unsigned num_words, max_words;
   unsigned gather_start; /* word where the open gather begins */
   unsigned free_words;   /* so many, no limit is near */
   unsigned prologue;     /* words before the first command of the driver */

   struct ws_reloc relocs[TEGRA20_MAX_RELOCS];
   unsigned num_relocs;

   struct ws_cmd cmds[TEGRA20_MAX_SLOTS];
   unsigned num_cmds;
   unsigned num_slots; /* of the push buffer, for cmds and the kernel */

   struct ws_use bos[TEGRA20_MAX_RELOCS];
   unsigned num_bos;
   uint64_t number; /* see tegra20_bo.job_hint */

   uint32_t
      increments[TEGRA20_MAX_SLOTS]; /* words that raise the sync point */
   unsigned num_increments;
};

/* --- building --- */

static bool
grow(struct tegra20_job *job, unsigned words)
{
   if (job->num_words + words <= job->max_words)
      return true;
   unsigned max = MAX2(job->max_words, 1024);
   while (max < job->num_words + words)
      max *= 2;
   uint32_t *bigger = realloc(job->words, max * sizeof(*bigger));
   if (!bigger)
      return false;
   job->words = bigger;
   job->max_words = max;
   return true;
}

static void
close_gather(struct tegra20_job *job)
{
   if (job->num_words == job->gather_start)
      return;
   job->cmds[job->num_cmds++] = (struct ws_cmd){
      .type = WS_CMD_GATHER,
      .words = job->num_words - job->gather_start,
   };
   job->num_slots += TEGRA20_SLOTS_OF_GATHER;
   job->gather_start = job->num_words;
}

static void
emit_increment(struct tegra20_job *job)
{
   job->increments[job->num_increments++] = job->num_words;
   job->num_words++; /* see submit_once() */
}

/* Later words are not decoded before the engine is done with everything
 * earlier. */
static void
emit_wait_for_engine(struct tegra20_job *job)
{
   emit_increment(job);
   close_gather(job);
   job->cmds[job->num_cmds++] =
      (struct ws_cmd){ .type = WS_CMD_WAIT_RELATIVE,
                       .value = job->num_increments };
   job->num_slots += TEGRA20_SLOTS_OF_WAIT;
}

/*
 * Starts the stream with the selection of the engine's class, so that it does
 * not depend on the kernel's doing so, and with a wait for the engine: the
 * kernel lets a job wait for those before it on its own sync point only, so
 * that of another context or program may still be drawn with the state that
 * this one is about to overwrite (kernel-review.md 6).
 */
static void
begin_stream(struct tegra20_job *job)
{
   job->number = p_atomic_inc_return(&job->ws->last_job);
   job->num_words = job->num_relocs = job->num_cmds = job->num_bos =
      job->num_increments = 0;
   job->gather_start = job->free_words = 0;
   job->cycles = 0;
   job->num_slots = TEGRA20_SLOTS_OF_KERNEL;
   job->error = grow(job, 2) ? 0 : -ENOMEM;
   if (!job->error) {
      job->words[job->num_words++] =
         host1x_setcl(0, ws_engine_class[job->engine], 0);
      if (job->ws->wait_for_engine)
         emit_wait_for_engine(job);
   }
   job->prologue = job->num_words;
}

static void
drop_commands(struct tegra20_job *job)
{
   for (unsigned i = 0; i < job->num_bos; i++)
      tegra20_bo_unref(job->bos[i].bo);
   begin_stream(job);
}

void
tegra20_job_destroy(struct tegra20_job *job)
{
   if (!job)
      return;
   drop_commands(job);
   if (job->syncpt) {
      simple_mtx_lock(&job->ws->submit_lock);
      ws_syncpt_release(job->ws, job->syncpt, job);
      simple_mtx_unlock(&job->ws->submit_lock);
   }
   tegra20_fence_unref(job->last_fence);
   tegra20_fence_unref(job->wait_fence);
   tegra20_fence_unref(job->shared_fence);
   free(job->words);
   free(job);
}

struct tegra20_job *
tegra20_job_create(struct tegra20_winsys *ws, enum tegra20_engine engine)
{
   struct tegra20_job *job = calloc(1, sizeof(*job));
   if (!job)
      return NULL;
   job->ws = ws;
   job->engine = engine;
   begin_stream(job);
   simple_mtx_lock(&ws->submit_lock);
   job->syncpt = ws_syncpt_acquire(ws, engine);
   simple_mtx_unlock(&ws->submit_lock);
   if (!job->syncpt || job->error) {
      tegra20_job_destroy(job);
      return NULL;
   }
   return job;
}

/* Slots kept free: the open gather, the wait for the other engine, a
 * barrier's gather and wait, and the last gather. */
#define SPARE_SLOTS (3 * TEGRA20_SLOTS_OF_GATHER + 2 * TEGRA20_SLOTS_OF_WAIT)
/* ...of which the submission takes: the open gather and that wait. */
#define SLOTS_OF_SUBMISSION (TEGRA20_SLOTS_OF_GATHER + TEGRA20_SLOTS_OF_WAIT)
/* Words kept free in every gather: an increment. */
#define SPARE_WORDS 1

/* Do the kernel's limits of a whole job allow it to grow?  An empty one may
 * always. */
static bool
has_room(const struct tegra20_job *job, unsigned words, unsigned relocs)
{
   const struct ws_kernel *kernel = job->ws->kernel;
   if (job->num_relocs + relocs > TEGRA20_MAX_RELOCS ||
       job->num_words + words + SPARE_WORDS > TEGRA20_MAX_JOB_WORDS)
      return false;
   return tegra20_job_empty(job) ||
          (job->num_bos + relocs <= kernel->max_bos &&
           job->num_words + words <= kernel->max_job_words);
}

/* Not inlined: groups with free words save no registers. */
static ATTRIBUTE_NOINLINE bool
make_room(struct tegra20_job *job, unsigned words, unsigned relocs)
{
   if (job->error || !has_room(job, words, relocs) ||
       words > TEGRA20_MAX_GATHER_WORDS - SPARE_WORDS - 1)
      return false;
   if (job->num_words - job->gather_start + words + SPARE_WORDS >
       TEGRA20_MAX_GATHER_WORDS) {
      if (job->num_slots + SPARE_SLOTS > TEGRA20_MAX_SLOTS)
         return false;
      close_gather(job);
   }
   if (!grow(job, words + SPARE_WORDS))
      return false;
   job->free_words =
      MIN3(job->max_words, job->gather_start + TEGRA20_MAX_GATHER_WORDS,
           job->ws->kernel->max_job_words);
   return true;
}

uint32_t *
tegra20_job_begin(struct tegra20_job *job, unsigned words, unsigned relocs)
{
   /* no more buffers than relocations */
   if ((job->num_words + words + SPARE_WORDS > job->free_words ||
        job->num_relocs + relocs > job->ws->kernel->max_bos || job->error) &&
       !make_room(job, words, relocs))
      return NULL;
   return job->words + job->num_words;
}

bool
tegra20_job_end(struct tegra20_job *job, uint32_t *end)
{
   assert(end >= job->words + job->num_words &&
          end <= job->words + job->max_words);
   job->num_words = end - job->words;
   return job->num_words >= ENOUGH_WORDS ||
          p_atomic_read_relaxed(&job->ws->used_aside) != 0;
}

/*
 * The index of bo in the job's list, or -1.  The hint is at least that of
 * this job when the job has it, and later when a job begun after this one
 * has it too: only then the list is searched.
 */
static int
find_bo(const struct tegra20_job *job, const struct tegra20_bo *bo)
{
   const uint64_t hint = p_atomic_read(&bo->job_hint[job->engine]);
   const uint64_t number = hint >> 16;

   if (number == job->number)
      return hint & 0xffff;
   if (number < job->number)
      return -1;
   for (unsigned i = 0; i < job->num_bos; i++) {
      if (job->bos[i].bo == bo)
         return i;
   }
   return -1;
}

static void
set_hint(const struct tegra20_job *job, struct tegra20_bo *bo, unsigned index)
{
   uint64_t *hint = &bo->job_hint[job->engine];
   const uint64_t ours = job->number << 16 | index;
   uint64_t old = p_atomic_read(hint), seen;

   /* other threads may have jobs begun later */
   while (old < ours) {
      seen = p_atomic_cmpxchg(hint, old, ours);
      if (seen == old)
         break;
      old = seen;
   }
}

void
tegra20_job_reloc(struct tegra20_job *job, uint32_t *where,
                  struct tegra20_bo *bo, uint32_t offset, unsigned access)
{
   assert(where >= job->words + job->num_words &&
          where < job->words + job->max_words);
   *where = RELOC_PLACEHOLDER;
   if (job->error)
      return;
   if (job->num_relocs == TEGRA20_MAX_RELOCS) {
      assert(!"more relocations than announced");
      job->error = -E2BIG;
      return;
   }

   int index = find_bo(job, bo);
   if (index < 0) {
      index = job->num_bos++;
      job->bos[index] = (struct ws_use){ .bo = tegra20_bo_ref(bo) };
      set_hint(job, bo, index);
   }
   job->bos[index].access |= access;
   job->relocs[job->num_relocs++] = (struct ws_reloc){
      .bo = bo, .word = where - job->words, .offset = offset
   };
}

bool
tegra20_job_barrier(struct tegra20_job *job)
{
   if (job->error || job->num_slots + SPARE_SLOTS > TEGRA20_MAX_SLOTS ||
       !grow(job, 1 + SPARE_WORDS))
      return false;
   /* tegra20_job_begin() leaves room for the increment in the open gather,
    * but a barrier may have used it. */
   if (job->num_words - job->gather_start + 1 + SPARE_WORDS >
       TEGRA20_MAX_GATHER_WORDS)
      close_gather(job);
   emit_wait_for_engine(job);
   return true;
}

bool
tegra20_job_uses(const struct tegra20_job *job, const struct tegra20_bo *bo,
                 unsigned access)
{
   int index = find_bo(job, bo);
   return index >= 0 && (job->bos[index].access & access);
}

bool
tegra20_job_empty(const struct tegra20_job *job)
{
   return job->num_words == job->prologue;
}

unsigned
tegra20_job_words(const struct tegra20_job *job)
{
   return job->num_words;
}

/* --- submission --- */

/*
 * Memory for the kernel's copy of the stream may be missing: free what can be
 * freed and try once more.  A stream that the kernel refuses (EINVAL) is
 * refused again, and a locked sync point stays locked (EPERM).
 */
static int
submit_with_retry(struct tegra20_winsys *ws, struct ws_submission *submission)
{
   int ret = ws->kernel->submit(ws, submission);
   if (ret && ret != -EINVAL && ret != -EPERM) {
      ws_cache_empty(ws);
      ret = ws->kernel->submit(ws, submission);
   }
   return ret;
}

/* Called under submit_lock. */
int
ws_submit_marker(struct tegra20_winsys *ws, struct ws_syncpt *syncpt,
                 uint32_t syncobj, uint32_t *value)
{
   const uint32_t words[] = {
      host1x_setcl(0, ws_engine_class[syncpt->engine], 0),
      host1x_imm(0, CONDITION_OP_DONE << 8 | syncpt->id),
   };
   const struct ws_cmd cmd = { .type = WS_CMD_GATHER,
                               .words = ARRAY_SIZE(words) };
   struct ws_submission submission = {
      .engine = syncpt->engine,
      .words = words,
      .num_words = ARRAY_SIZE(words),
      .cmds = &cmd,
      .num_cmds = 1,
      .syncpt = syncpt->id,
      .increments = 1,
      .syncobj = syncobj,
   };
   int ret = submit_with_retry(ws, &submission);
   *value = submission.value;
   return ret;
}

/* The later of two submissions of one engine. */
static struct tegra20_fence *
later(struct tegra20_fence *a, struct tegra20_fence *b)
{
   return !a || (b && b->seq > a->seq) ? b : a;
}

/* The submission of the other engine that must be over before this job
 * starts, with a reference; NULL if none. */
static struct tegra20_fence *
find_dependency(struct tegra20_job *job)
{
   enum tegra20_engine other = job->engine == TEGRA20_ENGINE_3D
                                  ? TEGRA20_ENGINE_2D
                                  : TEGRA20_ENGINE_3D;
   struct tegra20_fence *last = NULL;
   simple_mtx_lock(&job->ws->fence_lock);
   for (unsigned i = 0; i < job->num_bos; i++) {
      struct tegra20_bo *bo = job->bos[i].bo;
      last = later(last, bo->last[other].write);
      if (job->bos[i].access & TEGRA20_WRITE)
         last = later(last, bo->last[other].read);
   }
   if (last)
      tegra20_fence_ref(last);
   simple_mtx_unlock(&job->ws->fence_lock);
   if (last && ws_fence_poll(last)) {
      tegra20_fence_unref(last);
      last = NULL;
   }
   return last;
}

static unsigned
queue_slots(const struct tegra20_job *job)
{
   const unsigned max_jobs = job->ws->kernel->max_jobs;
   if (max_jobs)
      return TEGRA20_QUEUE_SLOTS / max_jobs;
   return MAX2(DIV_ROUND_UP(job->num_words, TEGRA20_WORDS_PER_SLOT),
               job->num_slots);
}

void
tegra20_job_expect(struct tegra20_job *job, uint64_t cycles)
{
   job->cycles = cycles;
}

/* The latest slot of the queue that has to be free before the job may be in
 * it: so that there are slots for it, and so that the jobs behind that slot
 * and this one take no more than TEGRA20_FAIR_CYCLES together. */
static unsigned
slot_in_the_way(const struct tegra20_job *job)
{
   const struct ws_queue *queue = &job->ws->queue[job->engine];
   const unsigned oldest = queue_slots(job) + SLOTS_OF_SUBMISSION - 1;
   uint64_t cycles = job->cycles;
   unsigned i = TEGRA20_QUEUE_SLOTS - 1;

   if (cycles + queue->cycles <= TEGRA20_FAIR_CYCLES)
      i = oldest;
   for (; i > oldest; i--) {
      cycles += queue->slots[(queue->next + i) % TEGRA20_QUEUE_SLOTS].cycles;
      if (cycles > TEGRA20_FAIR_CYCLES)
         break;
   }
   return (queue->next + i) % TEGRA20_QUEUE_SLOTS;
}

/* Waits until the queue has room for the job.  Several threads may exceed the
 * bound by a job each. */
static void
throttle(struct tegra20_job *job)
{
   static_assert(TEGRA20_MAX_JOB_WORDS / TEGRA20_WORDS_PER_SLOT <
                       TEGRA20_QUEUE_SLOTS &&
                    TEGRA20_MAX_SLOTS + SPARE_SLOTS < TEGRA20_QUEUE_SLOTS,
                 "a job fits into the queue");
   const struct ws_queue *queue = &job->ws->queue[job->engine];
   struct tegra20_fence fence = { .refcount = 1, .ws = job->ws, .fd = -1 };
   simple_mtx_lock(&job->ws->fence_lock);
   /* An engine works in order: the last of the jobs in the way is enough. */
   const unsigned last = slot_in_the_way(job);
   fence.syncpt = queue->slots[last].syncpt;
   fence.value = queue->slots[last].value;
   simple_mtx_unlock(&job->ws->fence_lock);
   if (fence.syncpt) {
      fence.submit_time = os_time_get_nano();
      tegra20_fence_wait(&fence, OS_TIMEOUT_INFINITE);
   }
}

/* Called under fence_lock. */
static void
note_queued(struct tegra20_job *job, const struct tegra20_fence *fence)
{
   struct ws_queue *queue = &job->ws->queue[job->engine];
   const unsigned slots = queue_slots(job);
   for (unsigned i = 0; i < slots; i++) {
      queue->slots[queue->next].syncpt = fence->syncpt;
      queue->slots[queue->next].value = fence->value;
      queue->cycles -= queue->slots[queue->next].cycles;
      queue->slots[queue->next].cycles = i == slots - 1 ? job->cycles : 0;
      queue->cycles += queue->slots[queue->next].cycles;
      queue->next = (queue->next + 1) % TEGRA20_QUEUE_SLOTS;
   }
}

/* Called under fence_lock. */
static bool
is_lost(const struct tegra20_bo *bo)
{
   bool lost = bo->lost;
   for (unsigned i = 0; i < TEGRA20_NUM_ENGINES; i++)
      lost |= bo->last[i].write && ws_fence_lost(bo->last[i].write);
   return lost;
}

static void
note_accesses(struct tegra20_job *job, struct tegra20_fence *fence)
{
   struct tegra20_winsys *ws = job->ws;
   simple_mtx_lock(&ws->fence_lock);
   /* Results of lost contents are lost, too. */
   bool lost = false;
   for (unsigned i = 0; i < job->num_bos; i++)
      lost |= job->bos[i].access & TEGRA20_READ && is_lost(job->bos[i].bo);
   for (unsigned i = 0; i < job->num_bos; i++) {
      struct tegra20_bo *bo = job->bos[i].bo;
      if (job->bos[i].access & TEGRA20_READ)
         ws_fence_set(&bo->last[job->engine].read, fence);
      if (job->bos[i].access & TEGRA20_WRITE) {
         bo->lost = lost || is_lost(bo);
         ws_fence_set(&bo->last[job->engine].write, fence);
      }
   }
   ws_fence_set(&ws->last_fence[job->engine], fence);
   note_queued(job, fence);
   simple_mtx_unlock(&ws->fence_lock);
   ws_fence_set(&job->last_fence, fence);
}

static bool
uses_shared(const struct tegra20_job *job)
{
   for (unsigned i = 0; i < job->num_bos; i++) {
      if (p_atomic_read(&job->bos[i].bo->shared))
         return true;
   }
   return false;
}

void
tegra20_job_finish_shared(struct tegra20_job *job)
{
   if (job->ws->finish_shared && job->shared_fence)
      tegra20_fence_wait(job->shared_fence, OS_TIMEOUT_INFINITE);
   ws_fence_set(&job->shared_fence, NULL);
}

/* Called under submit_lock. */
static int
replace_lost_syncpt(struct tegra20_job *job)
{
   if (job->syncpt && job->syncpt->lost) {
      bool guilty = ws_syncpt_take_culprit(job->ws, job->syncpt, job) &&
                    !ws_syncpt_is_victim(job->ws, job->syncpt);
      if (job->reset == TEGRA20_NO_RESET)
         job->reset = guilty ? TEGRA20_RESET_GUILTY : TEGRA20_RESET_INNOCENT;
      ws_syncpt_release(job->ws, job->syncpt, job);
      job->syncpt = NULL;
   }
   if (!job->syncpt)
      job->syncpt = ws_syncpt_acquire(job->ws, job->engine);
   return job->syncpt ? 0 : -EBUSY;
}

/* Called under submit_lock: once with the job's sync point. */
static int
submit_once(struct tegra20_job *job, struct ws_submission *submission)
{
   struct tegra20_winsys *ws = job->ws;
   for (unsigned i = 0; i < job->num_increments; i++)
      job->words[job->increments[i]] =
         host1x_imm(0, CONDITION_OP_DONE << 8 | job->syncpt->id);
   submission->syncpt = job->syncpt->id;
   if (ws->validate && ws_validate(submission))
      return -EINVAL;
   if (ws->record)
      ws_record_before(ws, submission);
   int ret = submit_with_retry(ws, submission);
   if (ws->record)
      ws_record_after(ws, submission, ret == 0);
   return ret;
}

/* Called under submit_lock. */
static void
finish_submission(struct tegra20_job *job, struct ws_submission *submission)
{
   struct tegra20_winsys *ws = job->ws;
   p_atomic_inc(&ws->stats.jobs);
   p_atomic_add(&ws->stats.words, (uint64_t)submission->num_words);
   ws_syncpt_note_run(ws, job->syncpt, job, submission);
   struct tegra20_fence *fence = ws_fence_create(
      ws, job->syncpt, submission->value, ++ws->seq[job->engine]);
   if (fence) {
      note_accesses(job, fence);
      if (uses_shared(job))
         ws_fence_set(&job->shared_fence, fence);
      tegra20_fence_unref(fence);
   } else {
      /* Without a fence there would be no wait for the job. */
      uint32_t seen;
      ws->kernel->syncpt_wait(ws, job->syncpt->id, submission->value,
                              INT64_MAX, &seen);
   }
}

/* Called under submit_lock, which it releases during the reset wait. */
static int
submit_locked(struct tegra20_job *job)
{
   struct tegra20_winsys *ws = job->ws;
   int ret = replace_lost_syncpt(job);
   if (ret)
      return ret;

   emit_increment(job);
   close_gather(job);
   struct tegra20_fence *dependency =
      ws->kernel->orders_jobs ? NULL : find_dependency(job);
   if (dependency) {
      memmove(job->cmds + 1, job->cmds,
              job->num_cmds++ * sizeof(job->cmds[0]));
      job->cmds[0] = (struct ws_cmd){
         .type = WS_CMD_WAIT,
         .syncpt = dependency->syncpt->id,
         .value = dependency->value,
      };
      job->num_slots += TEGRA20_SLOTS_OF_WAIT;
      ws_fence_set(&job->syncpt->waits_for, dependency);
      tegra20_fence_unref(dependency);
   }

   assert(job->num_slots <= TEGRA20_MAX_SLOTS);
   struct ws_submission submission = {
      .engine = job->engine,
      .uses = job->bos,
      .num_uses = job->num_bos,
      .words = job->words,
      .num_words = job->num_words,
      .relocs = job->relocs,
      .num_relocs = job->num_relocs,
      .cmds = job->cmds,
      .num_cmds = job->num_cmds,
      .increments = job->num_increments,
   };
   ret = submit_once(job, &submission);
   if (ret == -EPERM) {
      /* Earlier jobs were lost; this one can still run, on another sync
       * point. */
      ws_syncpt_lost(ws, job->syncpt);
      simple_mtx_unlock(&ws->submit_lock);
      ws_reset_wait(ws, job->engine);
      simple_mtx_lock(&ws->submit_lock);
      ret = replace_lost_syncpt(job);
      if (!ret)
         ret = submit_once(job, &submission);
      if (ret == -EPERM)
         ret = -EIO;
   }
   if (!ret)
      finish_submission(job, &submission);
   else if (ws_device_gone(ret))
      job->reset = TEGRA20_RESET_UNKNOWN;
   return ret;
}

/* The commands will not be executed: waits for their output return an
 * error. */
static void
note_loss(struct tegra20_job *job)
{
   simple_mtx_lock(&job->ws->fence_lock);
   for (unsigned i = 0; i < job->num_bos; i++) {
      if (job->bos[i].access & TEGRA20_WRITE)
         job->bos[i].bo->lost = true;
   }
   simple_mtx_unlock(&job->ws->fence_lock);
}

int
tegra20_job_submit(struct tegra20_job *job, struct tegra20_fence **fence)
{
   int ret = job->error;
   if (!ret && !tegra20_job_empty(job)) {
      /* The kernel's own wait for a sync_file is unusable
       * (kernel-interface.md 2.7, step 2). */
      if (job->wait_fence) {
         tegra20_fence_wait(job->wait_fence, OS_TIMEOUT_INFINITE);
         tegra20_fence_unref(job->wait_fence);
         job->wait_fence = NULL;
      }
      throttle(job);
      ws_reset_wait(job->ws, job->engine);
      simple_mtx_lock(&job->ws->submit_lock);
      ret = submit_locked(job);
      simple_mtx_unlock(&job->ws->submit_lock);
      if (ret && !ws_device_gone(ret))
         ws_message_once(
            "the kernel refused a job (%u words, %u relocations): %s",
            job->num_words, job->num_relocs, strerror(-ret));
   }
   if (ret)
      note_loss(job);
   drop_commands(job);
   if (fence)
      *fence =
         job->last_fence && !ret ? tegra20_fence_ref(job->last_fence) : NULL;
   return ret;
}

void
ws_job_note_overrun(struct tegra20_job *job)
{
   if (job)
      p_atomic_set(&job->overran, true);
}

bool
tegra20_job_overran(struct tegra20_job *job)
{
   return p_atomic_read(&job->overran) && p_atomic_xchg(&job->overran, false);
}

int
tegra20_job_wait_fd(struct tegra20_job *job, int fd)
{
   struct tegra20_fence *fence = tegra20_fence_import_fd(job->ws, fd);
   if (!fence)
      return -errno;
   /* A second one before the submission: the first is waited for at once,
    * which is rare enough. */
   if (job->wait_fence) {
      tegra20_fence_wait(job->wait_fence, OS_TIMEOUT_INFINITE);
      tegra20_fence_unref(job->wait_fence);
   }
   job->wait_fence = fence;
   return 0;
}

enum tegra20_reset
tegra20_job_reset_status(struct tegra20_job *job)
{
   simple_mtx_lock(&job->ws->submit_lock);
   if (job->syncpt && job->syncpt->lost)
      replace_lost_syncpt(job);
   else if (job->syncpt && ws_syncpt_take_culprit(job->ws, job->syncpt, job))
      job->reset = TEGRA20_RESET_GUILTY;
   enum tegra20_reset reset = job->reset;
   job->reset = TEGRA20_NO_RESET;
   simple_mtx_unlock(&job->ws->submit_lock);
   return reset;
}
