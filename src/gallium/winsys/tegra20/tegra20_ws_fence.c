/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Sync points and fences.
 *
 * A fence is a value of a sync point.  Sync points are scarce (about 20 free
 * in the whole system, kernel-interface.md 2.8): a job object takes one of
 * its own while there are any and shares one of the same engine otherwise,
 * and gives it back to a pool of the winsys instead of to the kernel, so that
 * fences that name it stay meaningful.
 *
 * A job that the kernel cancels (10 s time-out) never advances its sync
 * point; the kernel locks it and refuses every later submission on it with
 * EPERM, which is also the only way to learn about it (kernel-interface.md
 * 3).  A wait that takes suspiciously long therefore submits an empty job on
 * the sync point: EPERM means that the fences are lost.
 */

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>

#include "util/os_file.h"
#include "util/os_time.h"

#include "tegra20_ws_internal.h"

/* How long a wait sleeps before it looks whether the sync point is locked,
 * ns. */
#define PROBE_INTERVAL 500000000ll

/* --- sync points --- */

/* Called under submit_lock. */
struct ws_syncpt *
ws_syncpt_acquire(struct tegra20_winsys *ws, enum tegra20_engine engine)
{
   struct ws_syncpt *least_used = NULL;
   list_for_each_entry (struct ws_syncpt, syncpt, &ws->syncpts, link) {
      if (syncpt->engine == engine && !syncpt->lost &&
          (!least_used || syncpt->users < least_used->users))
         least_used = syncpt;
   }
   if (least_used && least_used->users == 0) {
      least_used->users++;
      return least_used;
   }

   uint32_t id;
   int ret = ws->kernel->syncpt_alloc(ws, engine, &id);
   if (ret && !least_used)
      ret = ws->kernel->syncpt_alloc(ws, engine, &id);
   if (ret) {
      if (least_used) {
         least_used->users++;
         return least_used;
      }
      ws_message_once(
         "cannot get a sync point: %s%s", strerror(-ret),
         ret == -EBUSY
            ? " (all are in use: close other programs that use the GPU)"
            : "");
      return NULL;
   }
   struct ws_syncpt *syncpt = calloc(1, sizeof(*syncpt));
   if (!syncpt) {
      ws->kernel->syncpt_free(ws, id);
      return NULL;
   }
   syncpt->engine = engine;
   syncpt->id = id;
   syncpt->users = 1;
   simple_mtx_lock(&ws->fence_lock);
   list_add(&syncpt->link, &ws->syncpts);
   simple_mtx_unlock(&ws->fence_lock);
   return syncpt;
}

/* Called under submit_lock. */
void
ws_syncpt_release(struct tegra20_winsys *ws, struct ws_syncpt *syncpt,
                  struct tegra20_job *job)
{
   syncpt->users--;
   /* The memory of the job object may become another one's. */
   simple_mtx_lock(&ws->fence_lock);
   for (unsigned i = 0; i < syncpt->num_runs; i++) {
      if (syncpt->runs[i].job == job)
         syncpt->runs[i].job = NULL;
   }
   if (syncpt->culprit == job)
      syncpt->culprit = NULL;
   simple_mtx_unlock(&ws->fence_lock);
}

void
ws_syncpt_note_run(struct tegra20_winsys *ws, struct ws_syncpt *syncpt,
                   struct tegra20_job *job,
                   const struct ws_submission *submission)
{
   const uint32_t start = submission->value - submission->increments;
   simple_mtx_lock(&ws->fence_lock);
   struct ws_run *last =
      syncpt->num_runs ? &syncpt->runs[syncpt->num_runs - 1] : NULL;
   /* Between the two there may be jobs of other programs. */
   if (last && last->job == job && last->value == start) {
      last->value = submission->value;
   } else {
      if (syncpt->num_runs == TEGRA20_MAX_RUNS)
         memmove(syncpt->runs, syncpt->runs + 1,
                 --syncpt->num_runs * sizeof(syncpt->runs[0]));
      syncpt->runs[syncpt->num_runs++] = (struct ws_run){
         .job = job, .start = start, .value = submission->value
      };
   }
   simple_mtx_unlock(&ws->fence_lock);
}

bool
ws_syncpt_take_culprit(struct tegra20_winsys *ws, struct ws_syncpt *syncpt,
                       const struct tegra20_job *job)
{
   simple_mtx_lock(&ws->fence_lock);
   bool guilty = syncpt->culprit == job;
   if (guilty)
      syncpt->culprit = NULL;
   simple_mtx_unlock(&ws->fence_lock);
   return guilty;
}

/*
 * Finds the owner of a cancelled job.  The kernel does not report it, but a
 * cancelled job leaves the sync point where it was (kernel-interface.md 3),
 * and jobs of one sync point are executed in order: the first one that is not
 * reached.
 */
static struct tegra20_job *
find_culprit(struct tegra20_winsys *ws, const struct ws_syncpt *syncpt)
{
   for (unsigned i = 0; i < syncpt->num_runs; i++) {
      uint32_t value;
      if (ws->kernel->syncpt_wait(ws, syncpt->id, syncpt->runs[i].value, 0,
                                  &value))
         return syncpt->runs[i].job;
   }
   return NULL;
}

/* Called under submit_lock.  The kernel may hand out the id again, unlocked:
 * our fences no longer look at it. */
void
ws_syncpt_lost(struct tegra20_winsys *ws, struct ws_syncpt *syncpt)
{
   simple_mtx_lock(&ws->fence_lock);
   bool first = !syncpt->lost;
   p_atomic_set(&syncpt->lost, true);
   simple_mtx_unlock(&ws->fence_lock);
   if (first) {
      ws_message("the kernel cancelled a job that took too long (sync point "
                 "%u is locked): rendering is lost",
                 syncpt->id);
      ws_reset_begin(ws, syncpt->engine);
      struct tegra20_job *culprit = find_culprit(ws, syncpt);
      simple_mtx_lock(&ws->fence_lock);
      syncpt->culprit = culprit;
      ws_job_note_overrun(culprit);
      simple_mtx_unlock(&ws->fence_lock);
      ws->kernel->syncpt_free(ws, syncpt->id);
   }
}

void
ws_syncpts_destroy(struct tegra20_winsys *ws)
{
   list_for_each_entry_safe (struct ws_syncpt, syncpt, &ws->syncpts, link) {
      if (!syncpt->lost)
         ws->kernel->syncpt_free(ws, syncpt->id);
      tegra20_fence_unref(syncpt->waits_for);
      free(syncpt);
   }
   list_inithead(&ws->syncpts);
}

/* --- fences --- */

struct tegra20_fence *
ws_fence_create(struct tegra20_winsys *ws, struct ws_syncpt *syncpt,
                uint32_t value, uint64_t seq)
{
   struct tegra20_fence *fence = calloc(1, sizeof(*fence));
   if (!fence)
      return NULL;
   fence->refcount = 1;
   fence->ws = ws;
   fence->syncpt = syncpt;
   fence->value = value;
   fence->seq = seq;
   fence->submit_time = os_time_get_nano();
   fence->fd = -1;
   return fence;
}

struct tegra20_fence *
tegra20_fence_ref(struct tegra20_fence *fence)
{
   p_atomic_inc(&fence->refcount);
   return fence;
}

void
tegra20_fence_unref(struct tegra20_fence *fence)
{
   if (!fence || !p_atomic_dec_zero(&fence->refcount))
      return;
   if (fence->fd >= 0)
      close(fence->fd);
   free(fence);
}

/* Replaces the fence of a slot; fence may be NULL. */
void
ws_fence_set(struct tegra20_fence **slot, struct tegra20_fence *fence)
{
   struct tegra20_fence *old = *slot;
   *slot = fence ? tegra20_fence_ref(fence) : NULL;
   tegra20_fence_unref(old);
}

bool
ws_fence_lost(const struct tegra20_fence *fence)
{
   return p_atomic_read(&fence->lost) ||
          (fence->syncpt && !p_atomic_read(&fence->signalled) &&
           p_atomic_read(&fence->syncpt->lost));
}

/* Called under fence_lock when the sync point has reached the fence. */
static void
signal_fence(struct tegra20_fence *fence)
{
   const struct ws_syncpt *syncpt = fence->syncpt;
   for (unsigned i = 0;
        i < MIN2(syncpt->num_cancelled, TEGRA20_MAX_CANCELLED); i++) {
      if (syncpt->cancelled[i] == fence->value - 1)
         p_atomic_set(&fence->lost, true);
   }
   p_atomic_set(&fence->signalled, true);
}

/* Without asking the kernel. */
static bool
known_signalled(struct tegra20_fence *fence)
{
   if (p_atomic_read(&fence->signalled))
      return true;
   struct ws_syncpt *syncpt = fence->syncpt;
   simple_mtx_lock(&fence->ws->fence_lock);
   bool done = syncpt->value_known &&
               (int32_t)(syncpt->known_value - fence->value) >= 0;
   if (done)
      signal_fence(fence);
   simple_mtx_unlock(&fence->ws->fence_lock);
   return done;
}

/* Called under fence_lock: the job that raises the sync point from this value
 * was cancelled.  Was it one of ours? */
static bool
note_cancelled(struct ws_syncpt *syncpt, uint32_t stuck)
{
   for (unsigned i = 0; i < syncpt->num_runs; i++) {
      const struct ws_run *run = &syncpt->runs[i];
      if ((int32_t)(stuck - run->start) < 0 ||
          (int32_t)(stuck - run->value) >= 0)
         continue;
      syncpt->culprit = run->job;
      ws_job_note_overrun(run->job);
      syncpt->cancelled[syncpt->num_cancelled++ % TEGRA20_MAX_CANCELLED] =
         stuck;
      return true;
   }
   return false; /* not one that is remembered */
}

void
ws_syncpt_cancelled(struct tegra20_winsys *ws, uint32_t id, uint32_t stuck)
{
   bool lost = false;
   simple_mtx_lock(&ws->fence_lock);
   list_for_each_entry (struct ws_syncpt, syncpt, &ws->syncpts, link) {
      if (syncpt->id == id)
         lost |= note_cancelled(syncpt, stuck);
   }
   simple_mtx_unlock(&ws->fence_lock);
   if (lost)
      ws_message_once("the kernel cancelled a job that took too long: "
                      "rendering is lost");
}

static void
note_value(struct tegra20_fence *fence, uint32_t value)
{
   struct ws_syncpt *syncpt = fence->syncpt;
   simple_mtx_lock(&fence->ws->fence_lock);
   if (!syncpt->lost &&
       (!syncpt->value_known || (int32_t)(value - syncpt->known_value) > 0)) {
      syncpt->known_value = value;
      syncpt->value_known = true;
   }
   signal_fence(fence);
   simple_mtx_unlock(&fence->ws->fence_lock);
}

bool
ws_syncpt_is_victim(struct tegra20_winsys *ws, struct ws_syncpt *syncpt)
{
   struct tegra20_fence *cause = syncpt->waits_for;
   if (!cause || known_signalled(cause))
      return false;
   uint32_t value;
   if (!cause->syncpt->lost &&
       ws_submit_marker(ws, cause->syncpt, 0, &value) == -EPERM)
      ws_syncpt_lost(ws, cause->syncpt);
   return cause->syncpt->lost;
}

/* Is the fence's sync point locked?  Marks it lost if so. */
static bool
probe_lost(struct tegra20_fence *fence)
{
   struct tegra20_winsys *ws = fence->ws;
   simple_mtx_lock(&ws->submit_lock);
   int64_t now = os_time_get_nano();
   if (!fence->syncpt->lost &&
       now - fence->syncpt->probe_time > PROBE_INTERVAL) {
      uint32_t value;
      fence->syncpt->probe_time = now;
      if (ws_submit_marker(ws, fence->syncpt, 0, &value) == -EPERM)
         ws_syncpt_lost(ws, fence->syncpt);
   }
   bool lost = fence->syncpt->lost;
   simple_mtx_unlock(&ws->submit_lock);
   return lost;
}

/* Takes fence_lock only and never sleeps, for callers that hold bo_lock. */
bool
ws_fence_poll(struct tegra20_fence *fence)
{
   if (!fence || known_signalled(fence) || ws_fence_lost(fence))
      return true;
   uint32_t value;
   if (fence->ws->kernel->syncpt_wait(fence->ws, fence->syncpt->id,
                                      fence->value, 0, &value))
      return false;
   note_value(fence, value);
   return true;
}

static bool
wait_sync_file(struct tegra20_fence *fence, uint64_t timeout_ns)
{
   int64_t deadline = ws_deadline(timeout_ns);
   while (!p_atomic_read(&fence->signalled)) {
      int64_t left = deadline - os_time_get_nano();
      int ms = timeout_ns == 0 || left <= 0
                  ? 0
                  : (int)MIN2((left + 999999) / 1000000, 1000);
      struct pollfd pfd = { .fd = fence->fd, .events = POLLIN };
      int ret = poll(&pfd, 1, ms);
      if (ret < 0 && errno != EINTR && errno != EAGAIN) {
         ws_message_once("cannot wait for an imported fence: %s",
                         strerror(errno));
         return true;
      }
      if (ret > 0)
         p_atomic_set(
            &fence->signalled,
            true); /* POLLERR and the like too: nothing will follow */
      else if (ret == 0 && (timeout_ns == 0 || left <= 0))
         return false;
   }
   return true;
}

bool
tegra20_fence_wait(struct tegra20_fence *fence, uint64_t timeout_ns)
{
   if (!fence->syncpt)
      return wait_sync_file(fence, timeout_ns);

   struct tegra20_winsys *ws = fence->ws;
   int64_t deadline = ws_deadline(timeout_ns);
   while (true) {
      if (known_signalled(fence) || p_atomic_read(&fence->syncpt->lost))
         return true;
      int64_t now = os_time_get_nano();
      int64_t slice =
         timeout_ns == 0 ? 0 : MIN2(deadline, now + PROBE_INTERVAL);
      uint32_t value;
      int ret = ws->kernel->syncpt_wait(ws, fence->syncpt->id, fence->value,
                                        slice, &value);
      if (ret == 0) {
         note_value(fence, value);
         return true;
      }
      if (ret != -EAGAIN && ret != -ETIMEDOUT && ret != -ENOMEM) {
         if (!ws_device_gone(ret))
            ws_message_once("waiting for a sync point failed: %s",
                            strerror(-ret));
         return true;
      }
      now = os_time_get_nano();
      if (ws->kernel->locks_syncpts &&
          now - fence->submit_time > PROBE_INTERVAL && probe_lost(fence))
         return true;
      if (timeout_ns == 0 || now >= deadline)
         return false;
   }
}

bool
ws_wait_all(struct tegra20_winsys *ws, uint64_t timeout_ns)
{
   bool done = true;
   for (unsigned i = 0; i < TEGRA20_NUM_ENGINES; i++) {
      simple_mtx_lock(&ws->fence_lock);
      struct tegra20_fence *fence =
         ws->last_fence[i] ? tegra20_fence_ref(ws->last_fence[i]) : NULL;
      simple_mtx_unlock(&ws->fence_lock);
      if (fence)
         done &= tegra20_fence_wait(fence, timeout_ns);
      tegra20_fence_unref(fence);
   }
   return done;
}

/* A sync_file of the past. */
static int
export_signalled(struct tegra20_winsys *ws)
{
   uint32_t syncobj;
   int fd = -1;
   if (drmSyncobjCreate(ws->fd, DRM_SYNCOBJ_CREATE_SIGNALED, &syncobj))
      return -errno;
   int ret = drmSyncobjExportSyncFile(ws->fd, syncobj, &fd) ? -errno : 0;
   drmSyncobjDestroy(ws->fd, syncobj);
   return ret ? ret : fd;
}

/*
 * A sync_file comes from a syncobj, and a syncobj from a submission.  Few
 * fences are ever exported, so the submission is made here: an empty job on
 * the same sync point, which ends right after the fence.
 */
int
tegra20_fence_export_fd(struct tegra20_fence *fence)
{
   if (!fence->syncpt) {
      int fd = os_dupfd_cloexec(fence->fd);
      return fd < 0 ? -errno : fd;
   }

   struct tegra20_winsys *ws = fence->ws;
   if (ws->kernel->fence_export) {
      int fd = ws->kernel->fence_export(ws, fence->syncpt->id, fence->value);
      return fd == -ENOENT ? export_signalled(ws) : fd;
   }
   if (p_atomic_read(&fence->signalled) ||
       p_atomic_read(&fence->syncpt->lost))
      return export_signalled(ws);

   uint32_t syncobj;
   if (drmSyncobjCreate(ws->fd, 0, &syncobj))
      return -errno;
   simple_mtx_lock(&ws->submit_lock);
   uint32_t value;
   int ret = fence->syncpt->lost
                ? -EPERM
                : ws_submit_marker(ws, fence->syncpt, syncobj, &value);
   if (ret == -EPERM)
      ws_syncpt_lost(ws, fence->syncpt);
   simple_mtx_unlock(&ws->submit_lock);

   int fd = -1;
   if (!ret && drmSyncobjExportSyncFile(ws->fd, syncobj, &fd))
      ret = -errno;
   drmSyncobjDestroy(ws->fd, syncobj);
   if (ret == -EPERM)
      return export_signalled(ws); /* lost: nothing will follow */
   return ret ? ret : fd;
}

struct tegra20_fence *
tegra20_fence_import_fd(struct tegra20_winsys *ws, int fd)
{
   struct tegra20_fence *fence = ws_fence_create(ws, NULL, 0, 0);
   if (!fence)
      return NULL;
   fence->fd = os_dupfd_cloexec(fd);
   if (fence->fd < 0) {
      ws_message_once("cannot import a fence: %s", strerror(errno));
      free(fence);
      return NULL;
   }
   return fence;
}
