/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The interface of the grate project's kernel, which postmarketOS uses
 * (kernel-interface-grate.md).
 *
 * The differences: a job is one flat stream in user memory and a table of at
 * most 64 buffers; an address word holds an index into the table and an
 * offset.  The kernel orders jobs by their accesses to buffers, also those of
 * the other engine, of other programs and of the display.  Sync points are
 * internal to it: each job has a fence in a sync object.  A job that takes
 * more than 300 ms is cancelled and its fence carries an error.
 *
 * The rest of the winsys uses sync points.  Here these are virtual numbers:
 * jobs of an engine end in the order of their submission, so a sync point is
 * a list of the sync objects whose jobs are not known to be over.
 */

#include <errno.h>
#include <linux/sync_file.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>

#include "drm-uapi/tegra_grate_drm.h"
#include "tegra20/host1x_stream.h"

#include "util/os_time.h"
#include "util/u_dynarray.h"

#include "tegra20_ws_internal.h"

/* Numbers must fit the index field of an increment. */
#define MAX_SYNCPTS 32
/* A job that took this long may have been cancelled, ns; one that takes
 * 300 ms is (8.3). */
#define SUSPICIOUS_TIME 250000000ll

struct grate_job {
   uint32_t value; /* of the sync point after it */
   uint32_t syncobj;
   int64_t time; /* of the submission, ns */
};

struct ws_grate {
   simple_mtx_t lock;
   struct {
      bool taken;
      uint32_t value;            /* after the last job */
      struct util_dynarray jobs; /* struct grate_job, oldest first */
   } syncpts[MAX_SYNCPTS];
   struct util_dynarray idle; /* uint32_t: sync objects to be used again */
};

static int
grate_channel_open(struct tegra20_winsys *ws, enum tegra20_engine engine)
{
   /* Jobs need no channel; opening one says whether the engine is there. */
   struct drm_tegra_open_channel open_args = { .client =
                                                  ws_engine_class[engine] };
   int ret = ws_ioctl(ws->fd, DRM_IOCTL_TEGRA_OPEN_CHANNEL, &open_args);
   if (ret)
      return ret == -EINVAL ? -ENODEV : ret;
   struct drm_tegra_close_channel close_args = { .context =
                                                    open_args.context };
   ws_ioctl(ws->fd, DRM_IOCTL_TEGRA_CLOSE_CHANNEL, &close_args);
   if (engine != TEGRA20_ENGINE_3D)
      return 0;

   struct grate_version version = { 0 };
   ret = ws_ioctl(ws->fd, GRATE_IOCTL_VERSION, &version);
   if (ret)
      return ret;
   for (unsigned i = 0; i < TEGRA20_NUM_CHIPS; i++) {
      if (tegra20_chips[i].grate_soc == version.soc)
         ws->chip = tegra20_chips[i].version;
   }
   ws->grate = calloc(1, sizeof(*ws->grate));
   if (!ws->grate)
      return -ENOMEM;
   simple_mtx_init(&ws->grate->lock, mtx_plain);
   for (unsigned i = 0; i < MAX_SYNCPTS; i++)
      util_dynarray_init(&ws->grate->syncpts[i].jobs, NULL);
   util_dynarray_init(&ws->grate->idle, NULL);
   return 0;
}

static void
grate_channel_close(struct tegra20_winsys *ws, enum tegra20_engine engine)
{
   struct ws_grate *grate = ws->grate;
   if (engine != TEGRA20_ENGINE_3D || !grate)
      return;
   for (unsigned i = 0; i < MAX_SYNCPTS; i++) {
      util_dynarray_foreach (&grate->syncpts[i].jobs, struct grate_job, job)
         drmSyncobjDestroy(ws->fd, job->syncobj);
      util_dynarray_fini(&grate->syncpts[i].jobs);
   }
   util_dynarray_foreach (&grate->idle, uint32_t, syncobj)
      drmSyncobjDestroy(ws->fd, *syncobj);
   util_dynarray_fini(&grate->idle);
   simple_mtx_destroy(&grate->lock);
   free(grate);
   ws->grate = NULL;
}

/* The table of a job names the handle: there is nothing to attach. */
/* --- sync points --- */

static int
grate_syncpt_alloc(struct tegra20_winsys *ws, enum tegra20_engine engine,
                   uint32_t *id)
{
   int ret = -EBUSY;
   simple_mtx_lock(&ws->grate->lock);
   for (unsigned i = 1; i < MAX_SYNCPTS && ret; i++) {
      if (!ws->grate->syncpts[i].taken) {
         ws->grate->syncpts[i].taken = true;
         *id = i;
         ret = 0;
      }
   }
   simple_mtx_unlock(&ws->grate->lock);
   return ret;
}

/* At the end of the winsys; pending waits end with the channel. */
static void
grate_syncpt_free(struct tegra20_winsys *ws, uint32_t id)
{
   simple_mtx_lock(&ws->grate->lock);
   ws->grate->syncpts[id].taken = false;
   simple_mtx_unlock(&ws->grate->lock);
}

/* The first job whose end means that the threshold is reached; NULL if that
 * is so already.  Called under the lock. */
static struct grate_job *
find_job(struct ws_grate *grate, uint32_t id, uint32_t threshold)
{
   util_dynarray_foreach (&grate->syncpts[id].jobs, struct grate_job, job) {
      if ((int32_t)(job->value - threshold) >= 0)
         return job;
   }
   return NULL;
}

/* Does the fence carry an error? */
static bool
was_cancelled(struct tegra20_winsys *ws, uint32_t syncobj)
{
   int fd;
   if (drmSyncobjExportSyncFile(ws->fd, syncobj, &fd))
      return false;
   struct sync_file_info info = { .num_fences = 0 };
   int ret = ws_ioctl(fd, SYNC_IOC_FILE_INFO, &info);
   close(fd);
   return !ret && info.status < 0;
}

/* The job with this value, and those before it, are over. */
static void
retire(struct tegra20_winsys *ws, uint32_t id, uint32_t value)
{
   struct ws_grate *grate = ws->grate;
   const int64_t now = os_time_get_nano();
   uint32_t cancelled[16];
   unsigned num_cancelled = 0;
   simple_mtx_lock(&grate->lock);
   struct util_dynarray *jobs = &grate->syncpts[id].jobs;
   struct grate_job *array = jobs->data;
   unsigned count = util_dynarray_num_elements(jobs, struct grate_job);
   unsigned over = 0;
   while (over < count && (int32_t)(array[over].value - value) <= 0) {
      if (now - array[over].time > SUSPICIOUS_TIME &&
          num_cancelled < ARRAY_SIZE(cancelled) &&
          was_cancelled(ws, array[over].syncobj))
         cancelled[num_cancelled++] = array[over].value;
      util_dynarray_append(&grate->idle, uint32_t, array[over].syncobj);
      over++;
   }
   memmove(array, array + over, (count - over) * sizeof(*array));
   jobs->size = (count - over) * sizeof(*array);
   simple_mtx_unlock(&grate->lock);
   for (unsigned i = 0; i < num_cancelled; i++)
      ws_syncpt_cancelled(ws, id, cancelled[i] - 1);
}

static int
grate_syncpt_wait(struct tegra20_winsys *ws, uint32_t id, uint32_t threshold,
                  int64_t deadline_ns, uint32_t *value)
{
   while (true) {
      simple_mtx_lock(&ws->grate->lock);
      const struct grate_job *found = find_job(ws->grate, id, threshold);
      const struct grate_job job = found ? *found : (struct grate_job){ 0 };
      simple_mtx_unlock(&ws->grate->lock);
      *value = threshold;
      if (!found)
         return 0;
      struct drm_syncobj_wait args = { .handles = (uintptr_t)&job.syncobj,
                                       .timeout_nsec = deadline_ns,
                                       .count_handles = 1 };
      int ret = ws_ioctl(ws->fd, DRM_IOCTL_SYNCOBJ_WAIT, &args);
      if (ret)
         return ret == -ETIME ? -EAGAIN : ret;
      /* Another thread may have retired it meanwhile, and the sync object be
       * another job's: then this does nothing, and the next iteration ends
       * it. */
      retire(ws, id, job.value);
   }
}

static int
grate_fence_export(struct tegra20_winsys *ws, uint32_t id, uint32_t value)
{
   int fd = -ENOENT;
   simple_mtx_lock(&ws->grate->lock);
   const struct grate_job *job = find_job(ws->grate, id, value);
   if (job && drmSyncobjExportSyncFile(ws->fd, job->syncobj, &fd))
      fd = -errno;
   simple_mtx_unlock(&ws->grate->lock);
   return fd;
}

/* --- submission --- */

/* The index of the buffer in the job's table. */
static unsigned
find_bo(const struct ws_submission *s, const struct tegra20_bo *bo)
{
   const unsigned hint = bo->job_hint[s->engine] & 0xffff;
   if (hint < s->num_uses && s->uses[hint].bo == bo)
      return hint;
   unsigned i = 0;
   while (i < s->num_uses && s->uses[i].bo != bo)
      i++;
   return i;
}

/* The stream with descriptors and waits; NULL when out of memory.  To be
 * freed. */
static uint32_t *
build_stream(const struct ws_submission *s, uint32_t *num_words)
{
   uint32_t *words =
      malloc((s->num_words + s->num_cmds * 3) * sizeof(*words));
   uint32_t *patched = words ? malloc(s->num_words * sizeof(*words)) : NULL;
   if (!patched) {
      free(words);
      return NULL;
   }
   memcpy(patched, s->words, s->num_words * sizeof(*words));
   for (unsigned i = 0; i < s->num_relocs; i++)
      patched[s->relocs[i].word] = find_bo(s, s->relocs[i].bo) |
                                   s->relocs[i].offset << GRATE_OFFSET_SHIFT;
   uint32_t *p = words;
   const uint32_t *from = patched;
   for (unsigned i = 0; i < s->num_cmds; i++) {
      const struct ws_cmd *cmd = &s->cmds[i];
      if (cmd->type == WS_CMD_GATHER) {
         memcpy(p, from, cmd->words * sizeof(*p));
         p += cmd->words;
         from += cmd->words;
      } else if (cmd->type == WS_CMD_WAIT_RELATIVE) {
         *p++ = GRATE_WAIT_OPCODE;
         *p++ = cmd->value;
         *p++ = host1x_setcl(0, ws_engine_class[s->engine], 0);
      }
   }
   free(patched);
   *num_words = p - words;
   return words;
}

static int
get_syncobj(struct tegra20_winsys *ws, uint32_t *syncobj)
{
   struct ws_grate *grate = ws->grate;
   bool found = false;
   simple_mtx_lock(&grate->lock);
   if (util_dynarray_num_elements(&grate->idle, uint32_t)) {
      *syncobj = util_dynarray_pop(&grate->idle, uint32_t);
      found = true;
   }
   simple_mtx_unlock(&grate->lock);
   return found || !drmSyncobjCreate(ws->fd, 0, syncobj) ? 0 : -errno;
}

static int
grate_submit(struct tegra20_winsys *ws, struct ws_submission *s)
{
   struct grate_bo bos[GRATE_MAX_BOS];
   if (s->num_uses > GRATE_MAX_BOS)
      return -E2BIG;
   for (unsigned i = 0; i < s->num_uses; i++)
      bos[i] = (struct grate_bo){
         .handle = s->uses[i].bo->handle,
         .flags = s->uses[i].access & TEGRA20_WRITE ? GRATE_BO_WRITE : 0,
      };
   uint32_t num_words, syncobj;
   uint32_t *words = build_stream(s, &num_words);
   int ret = words ? get_syncobj(ws, &syncobj) : -ENOMEM;
   if (ret) {
      free(words);
      return ret;
   }
   struct grate_submit args = {
      .pipes = s->engine == TEGRA20_ENGINE_3D ? GRATE_PIPE_3D : GRATE_PIPE_2D,
      .cmdstream = (uintptr_t)words,
      .bos = (uintptr_t)bos,
      .num_words = num_words,
      .num_bos = s->num_uses,
      .out_fence = syncobj,
   };
   ret = ws_ioctl(ws->fd, GRATE_IOCTL_SUBMIT, &args);
   free(words);
   simple_mtx_lock(&ws->grate->lock);
   if (ret) {
      util_dynarray_append(&ws->grate->idle, uint32_t, syncobj);
   } else {
      s->value = ws->grate->syncpts[s->syncpt].value += s->increments;
      const struct grate_job job = { .value = s->value,
                                     .syncobj = syncobj,
                                     .time = os_time_get_nano() };
      util_dynarray_append(&ws->grate->syncpts[s->syncpt].jobs,
                           struct grate_job, job);
   }
   simple_mtx_unlock(&ws->grate->lock);
   return ret;
}

const struct ws_kernel ws_kernel_grate = {
   .name = "grate",
   .orders_jobs = true,
   .gem_flags = GRATE_GEM_DONT_KMAP,
   .max_bos = GRATE_MAX_BOS,
   .max_job_words = 8000,
   .max_jobs = 8,
   .bound = { .cycles = TEGRA20_BOUND_CYCLES(300), .full_draws = 16 },
   .channel_open = grate_channel_open,
   .channel_close = grate_channel_close,
   .syncpt_alloc = grate_syncpt_alloc,
   .syncpt_free = grate_syncpt_free,
   .syncpt_wait = grate_syncpt_wait,
   .fence_export = grate_fence_export,
   .submit = grate_submit,
};
