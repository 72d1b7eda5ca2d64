/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Opening the device.  The chip is recognised by the engine version that
 * opening a GR3D channel reports: the only method that is authoritative and
 * needs nothing but the file descriptor (kernel-interface.md 9).
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>

#include "util/os_file.h"

#include "drm-uapi/tegra_grate_drm.h"

#include "tegra20_ws_internal.h"

static simple_mtx_t all_lock = SIMPLE_MTX_INITIALIZER;
static struct list_head all_winsyses = { &all_winsyses, &all_winsyses };

/* --- do the engines run? --- */

/* Longer than the kernel's time-out of a job, ns. */
#define ENGINE_TIME 12000000000ull

static const char *const engine_names[TEGRA20_NUM_ENGINES] = {
   [TEGRA20_ENGINE_3D] = "GR3D",
   [TEGRA20_ENGINE_2D] = "GR2D",
};

static void
say_no_job(enum tegra20_engine engine, int error)
{
   if (ws_device_gone(error))
      return;
   if (error == -EACCES)
      ws_message(
         "the kernel cannot power up %s: its runtime power management "
         "is broken (Linux 6.6 to 6.12.96 have this fault): use Linux "
         "6.1, or 6.12.97 or later",
         engine_names[engine]);
   else
      ws_message("the kernel runs no jobs on %s: %s (its log may say more: "
                 "dmesg | grep -E 'host1x|tegra|gr[23]d')",
                 engine_names[engine], strerror(-error));
}

/* An empty job; its fence, or NULL after a message. */
static struct tegra20_fence *
start_engine(struct tegra20_winsys *ws, enum tegra20_engine engine)
{
   struct tegra20_fence *fence = NULL;
   simple_mtx_lock(&ws->submit_lock);
   struct ws_syncpt *syncpt = ws_syncpt_acquire(ws, engine);
   if (syncpt) {
      struct ws_submission submission = { .increments = 1 };
      int ret = ws_submit_marker(ws, syncpt, 0, &submission.value);
      if (!ret) {
         ws_syncpt_note_run(ws, syncpt, NULL, &submission);
         fence = ws_fence_create(ws, syncpt, submission.value, 0);
      }
      if (!fence)
         say_no_job(engine, ret ? ret : -ENOMEM);
      ws_syncpt_release(ws, syncpt, NULL);
   }
   simple_mtx_unlock(&ws->submit_lock);
   return fence;
}

/*
 * Channels can be opened on kernels and boards where no job ever runs
 * (kernel-review.md 2): a program would start and draw nothing.  So each
 * engine gets an empty job.  One that waits for others' long jobs is no
 * reason to give up; one that the kernel cancels is.
 */
static bool
probe_engines(struct tegra20_winsys *ws)
{
   struct tegra20_fence *fences[TEGRA20_NUM_ENGINES] = { NULL };
   bool good = true;
   for (unsigned i = 0; i < TEGRA20_NUM_ENGINES && good; i++) {
      fences[i] = start_engine(ws, i);
      good = fences[i];
   }
   for (unsigned i = 0; i < TEGRA20_NUM_ENGINES; i++) {
      if (good) {
         tegra20_fence_wait(fences[i], ENGINE_TIME);
         good = !ws_fence_lost(fences[i]);
         if (!good)
            ws_message(
               "%s does not answer: the kernel gave an empty job up "
               "after its time-out (clocks, power domain and reset of "
               "the device tree?)",
               engine_names[i]);
      }
      tegra20_fence_unref(fences[i]);
   }
   return good;
}

/* --- kernel interfaces --- */

static bool
probe_kernel(struct tegra20_winsys *ws, const struct ws_kernel *kernel)
{
   ws->kernel = kernel;
   int ret = ws->kernel->channel_open(ws, TEGRA20_ENGINE_3D);
   switch (ret) {
   case 0:
      break;
   case -ENODEV:
      /* Tegra124 and later, for which Mesa has another driver that is asked
       * next: nothing to say */
      return false;
   case -EINVAL:
   case -ENOTTY:
      ws_message("the kernel's tegra driver offers no rendering: it was "
                 "built without CONFIG_DRM_TEGRA_STAGING; "
                 "build a kernel with CONFIG_STAGING=y and "
                 "CONFIG_DRM_TEGRA_STAGING=y");
      return false;
   case -EACCES:
   case -EPERM:
      ws_message("no permission to use GR3D by this file: use a render node "
                 "(/dev/dri/renderD*) and be a member of its group "
                 "(usually \"render\": adduser NAME render)");
      return false;
   case -EBUSY:
      ws_message("the kernel has no free channel for GR3D: close other "
                 "programs that use the GPU");
      return false;
   default:
      ws_message("cannot open a GR3D channel: %s", strerror(-ret));
      return false;
   }
   if (ws->chip == 0) {
      ws_message("the kernel does not say which Tegra this is: leaving it to "
                 "another driver");
      return false;
   }
   ws->chip_info = tegra20_chip_by_version(ws->chip);
   if (!ws->chip_info) {
      ws_message("this is a chip unknown to this driver (GR3D version "
                 "0x%x): leaving it to another driver",
                 ws->chip);
      return false;
   }
   return true;
}

static bool
probe(struct tegra20_winsys *ws)
{
   drmVersionPtr version = drmGetVersion(ws->fd);
   if (!version) {
      if (!ws_device_gone(-errno))
         ws_message("cannot read the version of the DRM driver: %s",
                    strerror(errno));
      return false;
   }
   bool is_tegra = !strcmp(version->name, "tegra");
   const int major = version->version_major;
   /* The number first: ioctls of one have other meanings on the other
    * (kernel-interface-grate.md 1). */
   const struct ws_kernel *kernel = major >= GRATE_KERNEL_MIN_MAJOR
                                       ? &ws_kernel_grate
                                       : &ws_kernel_mainline;
   bool is_old = major == 0;
   bool is_old_grate =
      major >= GRATE_KERNEL_FIRST_MAJOR && major < GRATE_KERNEL_MIN_MAJOR;
   if (!is_tegra)
      ws_message("the DRM driver is \"%s\", not \"tegra\"", version->name);
   else if (is_old)
      ws_message("this kernel is too old for rendering: use Linux 5.16 or "
                 "later, or a kernel of the grate project");
   else if (is_old_grate)
      ws_message(
         "this kernel of the grate project (driver version %d) is too "
         "old: use one of driver version %d or later, or a mainline "
         "kernel",
         major, GRATE_KERNEL_MIN_MAJOR);
   drmFreeVersion(version);
   if (!is_tegra || is_old || is_old_grate || !probe_kernel(ws, kernel))
      return false;

   int ret = ws->kernel->channel_open(ws, TEGRA20_ENGINE_2D);
   if (ret) {
      ws_message("cannot open a GR2D channel: %s", strerror(-ret));
      return false;
   }
   return probe_engines(ws);
}

static void
winsys_destroy(struct tegra20_winsys *ws)
{
   for (unsigned i = 0; i < TEGRA20_NUM_ENGINES; i++)
      tegra20_fence_unref(ws->last_fence[i]);
   ws_cache_empty(ws);
   if (ws->kernel) {
      ws_syncpts_destroy(ws);
      for (unsigned i = 0; i < TEGRA20_NUM_ENGINES; i++)
         ws->kernel->channel_close(ws, i);
   }
   ws_record_destroy(ws->record);
   _mesa_hash_table_destroy(ws->handles, NULL);
   simple_mtx_destroy(&ws->submit_lock);
   simple_mtx_destroy(&ws->bo_lock);
   simple_mtx_destroy(&ws->fence_lock);
   simple_mtx_destroy(&ws->record_lock);
   close(ws->fd);
   free(ws);
}

/* For engines that run at another frequency, and for tests. */
static void
set_job_bound(struct tegra20_winsys *ws)
{
   const char *text = getenv("TEGRA20_JOB_CLOCKS");

   ws->bound = ws->kernel->bound;
   ws->bound.cycles = MIN2(ws->bound.cycles, TEGRA20_FAIR_CYCLES / 2);
   if (text && *text) {
      char *end;
      const uint64_t cycles = strtoull(text, &end, 0);
      if (*end || *text == '-')
         ws_message("TEGRA20_JOB_CLOCKS=\"%s\" is no number, ignored", text);
      else
         ws->bound.cycles = cycles;
   }
}

static struct tegra20_winsys *
winsys_create(int fd)
{
   struct tegra20_winsys *ws = calloc(1, sizeof(*ws));
   if (!ws)
      return NULL;
   ws->fd = os_dupfd_cloexec(fd);
   if (ws->fd < 0) {
      ws_message("cannot duplicate the device's file descriptor: %s",
                 strerror(errno));
      free(ws);
      return NULL;
   }
   ws->refcount = 1;
   ws->handles = _mesa_hash_table_create_u32_keys(NULL);
   list_inithead(&ws->syncpts);
   simple_mtx_init(&ws->submit_lock, mtx_plain);
   simple_mtx_init(&ws->bo_lock, mtx_plain);
   simple_mtx_init(&ws->fence_lock, mtx_plain);
   simple_mtx_init(&ws->record_lock, mtx_plain);
   ws_cache_init(ws);
   if (!ws->handles || !probe(ws)) {
      winsys_destroy(ws);
      return NULL;
   }
   ws->record = ws_record_create(ws->chip_info);
   ws->validate = ws_validate_enabled();
   ws->wait_for_engine = !ws->kernel->orders_jobs && !ws_debug_flag("nowait");
   ws->waits_for_reset =
      ws->kernel->locks_syncpts && !ws_debug_flag("norest");
   ws->finish_shared = !ws->kernel->orders_jobs && !ws_debug_flag("nofinish");
   set_job_bound(ws);
   return ws;
}

struct tegra20_winsys *
tegra20_winsys_create(int fd)
{
   simple_mtx_lock(&all_lock);
   struct tegra20_winsys *found = NULL;
   list_for_each_entry (struct tegra20_winsys, ws, &all_winsyses, link) {
      if (os_same_file_description(ws->fd, fd) == 0) {
         found = ws;
         found->refcount++;
         break;
      }
   }
   if (!found) {
      found = winsys_create(fd);
      if (found)
         list_add(&found->link, &all_winsyses);
   }
   simple_mtx_unlock(&all_lock);
   return found;
}

void
tegra20_winsys_unref(struct tegra20_winsys *ws)
{
   if (!ws)
      return;
   simple_mtx_lock(&all_lock);
   if (--ws->refcount == 0) {
      list_del(&ws->link);
      winsys_destroy(ws);
   }
   simple_mtx_unlock(&all_lock);
}

const struct tegra20_chip_info *
tegra20_winsys_chip(const struct tegra20_winsys *ws)
{
   return ws->chip_info;
}

const struct tegra20_job_bound *
tegra20_winsys_job_bound(const struct tegra20_winsys *ws)
{
   return &ws->bound;
}

const char *
tegra20_winsys_kernel(const struct tegra20_winsys *ws)
{
   return ws->kernel->name;
}

void
tegra20_winsys_get_stats(const struct tegra20_winsys *ws,
                         struct tegra20_winsys_stats *stats)
{
   stats->jobs = p_atomic_read(&ws->stats.jobs);
   stats->words = p_atomic_read(&ws->stats.words);
   stats->bytes_allocated = p_atomic_read(&ws->stats.bytes_allocated);
   stats->bytes_cached = p_atomic_read(&ws->stats.bytes_cached);
}
