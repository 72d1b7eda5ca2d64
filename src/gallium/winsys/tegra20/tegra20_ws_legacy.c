/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The legacy kernel interface: Linux before 5.16 and vendor kernels made from
 * it (kernel-interface.md 5).
 *
 * What is different: command words lie in buffers; relocations name buffers
 * by handle and must be in stream order; the kernel's check takes their
 * offsets for those in the gather, its patching for those in the buffer
 * (kernel-review.md 5), so that each gather has a buffer of its own; one sync
 * point per engine is shared
 * by all programs; a stream cannot wait for a sync point, so the caller waits
 * instead; a job that times out ends as if it had been executed; fences are
 * not exported.  The kernel does not say which chip it is.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xf86drm.h>

#include "util/os_time.h"
#include "util/u_math.h"

#include "tegra20_ws_internal.h"

/* From the device tree; 0 if it does not say. */
static unsigned
chip_of_device(int fd)
{
   drmDevicePtr device;
   unsigned chip = 0;
   if (drmGetDevice2(fd, 0, &device))
      return 0;
   if (device->bustype == DRM_BUS_HOST1X) {
      for (char **compatible = device->deviceinfo.host1x->compatible;
           compatible && *compatible && !chip; compatible++) {
         for (unsigned i = 0; i < TEGRA20_NUM_CHIPS; i++) {
            if (!strcmp(*compatible, tegra20_chips[i].compatible))
               chip = tegra20_chips[i].version;
         }
      }
   }
   drmFreeDevice(&device);
   return chip;
}

static int
legacy_channel_open(struct tegra20_winsys *ws, enum tegra20_engine engine)
{
   struct drm_tegra_open_channel open_args = { .client =
                                                  ws_engine_class[engine] };
   int ret = ws_ioctl(ws->fd, DRM_IOCTL_TEGRA_OPEN_CHANNEL, &open_args);
   if (ret)
      return ret;
   struct drm_tegra_get_syncpt syncpt = { .context = open_args.context };
   ret = ws_ioctl(ws->fd, DRM_IOCTL_TEGRA_GET_SYNCPT, &syncpt);
   if (ret) {
      struct drm_tegra_close_channel close_args = { .context =
                                                       open_args.context };
      ws_ioctl(ws->fd, DRM_IOCTL_TEGRA_CLOSE_CHANNEL, &close_args);
      return ret;
   }
   ws->context[engine] = open_args.context;
   ws->legacy_syncpt[engine] = syncpt.id;
   if (engine == TEGRA20_ENGINE_3D)
      ws->chip = chip_of_device(ws->fd);
   return 0;
}

static void
legacy_channel_close(struct tegra20_winsys *ws, enum tegra20_engine engine)
{
   struct drm_tegra_close_channel args = { .context = ws->context[engine] };
   if (ws->context[engine])
      ws_ioctl(ws->fd, DRM_IOCTL_TEGRA_CLOSE_CHANNEL, &args);
   ws->context[engine] = 0;
}

/* Relocations name the handle: there is nothing to attach. */
/* There is one sync point per engine; a second request makes the caller share
 * it. */
static int
legacy_syncpt_alloc(struct tegra20_winsys *ws, enum tegra20_engine engine,
                    uint32_t *id)
{
   if (ws->legacy_syncpt_taken[engine])
      return -EBUSY;
   ws->legacy_syncpt_taken[engine] = true;
   *id = ws->legacy_syncpt[engine];
   return 0;
}

static void
legacy_syncpt_free(struct tegra20_winsys *ws, uint32_t id)
{
   for (unsigned i = 0; i < TEGRA20_NUM_ENGINES; i++) {
      if (ws->legacy_syncpt[i] == id)
         ws->legacy_syncpt_taken[i] = false;
   }
}

static int
legacy_syncpt_read(struct tegra20_winsys *ws, uint32_t id, uint32_t *value)
{
   struct drm_tegra_syncpt_read args = { .id = id };
   int ret = ws_ioctl(ws->fd, DRM_IOCTL_TEGRA_SYNCPT_READ, &args);
   *value = args.value;
   return ret;
}

/* The kernel's time-out is relative, in milliseconds. */
static int
legacy_syncpt_wait(struct tegra20_winsys *ws, uint32_t id, uint32_t threshold,
                   int64_t deadline_ns, uint32_t *value)
{
   while (true) {
      int64_t left =
         deadline_ns == 0 ? 0 : MAX2(deadline_ns - os_time_get_nano(), 0);
      int64_t ms = MIN2(DIV_ROUND_UP(left, 1000000), 60000);
      struct drm_tegra_syncpt_wait args = { .id = id,
                                            .thresh = threshold,
                                            .timeout = ms };
      int ret = ws_ioctl(ws->fd, DRM_IOCTL_TEGRA_SYNCPT_WAIT, &args);
      *value = args.value;
      if (ret != -EAGAIN || left == 0)
         return ret;
   }
}

/* A buffer with the words of each gather; the fence of the job keeps them
 * from being used again too early. */
static bool
upload_words(struct tegra20_winsys *ws, struct ws_submission *s,
             struct drm_tegra_cmdbuf cmdbufs[TEGRA20_MAX_GATHERS])
{
   const uint32_t *words = s->words;
   s->num_command_bos = 0;
   for (unsigned i = 0; i < s->num_cmds; i++) {
      assert(s->cmds[i].type == WS_CMD_GATHER);
      assert(i < TEGRA20_MAX_GATHERS);
      const uint32_t size = s->cmds[i].words * sizeof(uint32_t);
      struct tegra20_bo *bo = tegra20_bo_create(ws, size, 0);
      if (!bo)
         return false;
      memcpy(tegra20_bo_map(bo), words, size);
      words += s->cmds[i].words;
      cmdbufs[i] = (struct drm_tegra_cmdbuf){ .handle = bo->handle,
                                              .words = s->cmds[i].words };
      s->command_bos[s->num_command_bos++] = bo;
   }
   return true;
}

static int
compare_words(const void *a, const void *b)
{
   const struct ws_reloc *x = a, *y = b;
   return x->word < y->word ? -1 : x->word > y->word;
}

/* The kernel's check goes through the stream and the list side by side
 * (kernel-interface.md 4.4). */
static void
fill_relocs(const struct ws_submission *s,
            const struct drm_tegra_cmdbuf *cmdbufs, struct ws_reloc *sorted,
            struct drm_tegra_reloc *relocs)
{
   memcpy(sorted, s->relocs, s->num_relocs * sizeof(*sorted));
   qsort(sorted, s->num_relocs, sizeof(*sorted), compare_words);
   uint32_t start = 0;
   for (unsigned i = 0; i < s->num_relocs; i++) {
      while (sorted[i].word >= start + cmdbufs->words)
         start += cmdbufs++->words;
      relocs[i].cmdbuf.handle = cmdbufs->handle;
      relocs[i].cmdbuf.offset = (sorted[i].word - start) * sizeof(uint32_t);
      relocs[i].target.handle = sorted[i].bo->handle;
      relocs[i].target.offset = sorted[i].offset;
   }
}

static int
legacy_submit(struct tegra20_winsys *ws, struct ws_submission *s)
{
   struct drm_tegra_cmdbuf cmdbufs[TEGRA20_MAX_GATHERS];
   struct drm_tegra_reloc *relocs =
      calloc(MAX2(s->num_relocs, 1), sizeof(*relocs));
   struct ws_reloc *sorted = malloc(MAX2(s->num_relocs, 1) * sizeof(*sorted));
   int ret = -ENOMEM;
   if (relocs && sorted && upload_words(ws, s, cmdbufs)) {
      fill_relocs(s, cmdbufs, sorted, relocs);
      struct drm_tegra_syncpt syncpt = { .id = s->syncpt,
                                         .incrs = s->increments };
      struct drm_tegra_submit args = {
         .context = ws->context[s->engine],
         .num_syncpts = 1,
         .num_cmdbufs = s->num_cmds,
         .num_relocs = s->num_relocs,
         .syncpts = (uintptr_t)&syncpt,
         .cmdbufs = (uintptr_t)cmdbufs,
         .relocs = (uintptr_t)relocs,
      };
      ret = ws_ioctl(ws->fd, DRM_IOCTL_TEGRA_SUBMIT, &args);
      s->value = args.fence;
   }
   if (ret) {
      for (unsigned i = 0; i < s->num_command_bos; i++)
         tegra20_bo_unref(s->command_bos[i]);
      s->num_command_bos = 0;
   }
   free(sorted);
   free(relocs);
   return ret;
}

const struct ws_kernel ws_kernel_legacy = {
   .name = "legacy",
   .raises_syncpts = true,
   .in_stream_waits = false,
   .bound.clocks = TEGRA20_BOUND_CLOCKS(10000),
   .channel_open = legacy_channel_open,
   .channel_close = legacy_channel_close,
   .syncpt_alloc = legacy_syncpt_alloc,
   .syncpt_free = legacy_syncpt_free,
   .syncpt_read = legacy_syncpt_read,
   .syncpt_wait = legacy_syncpt_wait,
   .submit = legacy_submit,
};
