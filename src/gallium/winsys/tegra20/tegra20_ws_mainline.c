/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The mainline kernel interface: Linux 5.16 and later (kernel-interface.md
 * 2).
 */

#include <string.h>

#include "tegra20_ws_internal.h"

static int
mainline_channel_open(struct tegra20_winsys *ws, enum tegra20_engine engine)
{
   struct drm_tegra_channel_open args = { .host1x_class =
                                             ws_engine_class[engine] };
   int ret = ws_ioctl(ws->fd, DRM_IOCTL_TEGRA_CHANNEL_OPEN, &args);
   if (ret)
      return ret;
   ws->context[engine] = args.context;
   if (engine == TEGRA20_ENGINE_3D)
      ws->chip = args.version;
   return 0;
}

static void
mainline_channel_close(struct tegra20_winsys *ws, enum tegra20_engine engine)
{
   struct drm_tegra_channel_close args = { .context = ws->context[engine] };
   if (ws->context[engine])
      ws_ioctl(ws->fd, DRM_IOCTL_TEGRA_CHANNEL_CLOSE, &args);
   ws->context[engine] = 0;
}

static int
mainline_bo_attach(struct tegra20_bo *bo, enum tegra20_engine engine)
{
   struct drm_tegra_channel_map args = {
      .context = bo->ws->context[engine],
      .handle = bo->handle,
      .flags = DRM_TEGRA_CHANNEL_MAP_READ_WRITE,
   };
   int ret = ws_ioctl(bo->ws->fd, DRM_IOCTL_TEGRA_CHANNEL_MAP, &args);
   if (!ret)
      p_atomic_set(&bo->mapping[engine], args.mapping);
   return ret;
}

static void
mainline_bo_detach(struct tegra20_bo *bo, enum tegra20_engine engine)
{
   struct drm_tegra_channel_unmap args = { .context = bo->ws->context[engine],
                                           .mapping = bo->mapping[engine] };
   ws_ioctl(bo->ws->fd, DRM_IOCTL_TEGRA_CHANNEL_UNMAP, &args);
   bo->mapping[engine] = 0;
}

static int
mainline_syncpt_alloc(struct tegra20_winsys *ws, enum tegra20_engine engine,
                      uint32_t *id)
{
   struct drm_tegra_syncpoint_allocate args = { 0 };
   int ret = ws_ioctl(ws->fd, DRM_IOCTL_TEGRA_SYNCPOINT_ALLOCATE, &args);
   *id = args.id;
   return ret;
}

static void
mainline_syncpt_free(struct tegra20_winsys *ws, uint32_t id)
{
   struct drm_tegra_syncpoint_free args = { .id = id };
   ws_ioctl(ws->fd, DRM_IOCTL_TEGRA_SYNCPOINT_FREE, &args);
}

static int
mainline_syncpt_wait(struct tegra20_winsys *ws, uint32_t id,
                     uint32_t threshold, int64_t deadline_ns, uint32_t *value)
{
   struct drm_tegra_syncpoint_wait args = { .timeout_ns = deadline_ns,
                                            .id = id,
                                            .threshold = threshold };
   int ret = ws_ioctl(ws->fd, DRM_IOCTL_TEGRA_SYNCPOINT_WAIT, &args);
   if (!ret)
      *value = args.value;
   return ret;
}

static int
mainline_submit(struct tegra20_winsys *ws, struct ws_submission *s)
{
   struct drm_tegra_submit_buf bufs[TEGRA20_MAX_RELOCS];
   struct drm_tegra_submit_cmd cmds[TEGRA20_MAX_SLOTS];

   for (unsigned i = 0; i < s->num_relocs; i++) {
      bufs[i] = (struct drm_tegra_submit_buf){
         .mapping = s->relocs[i].bo->mapping[s->engine],
         .reloc.target_offset = s->relocs[i].offset,
         .reloc.gather_offset_words = s->relocs[i].word,
      };
   }
   for (unsigned i = 0; i < s->num_cmds; i++) {
      const struct ws_cmd *cmd = &s->cmds[i];

      memset(&cmds[i], 0, sizeof(cmds[i]));
      switch (cmd->type) {
      case WS_CMD_GATHER:
         cmds[i].type = DRM_TEGRA_SUBMIT_CMD_GATHER_UPTR;
         cmds[i].gather_uptr.words = cmd->words;
         break;
      case WS_CMD_WAIT:
         cmds[i].type = DRM_TEGRA_SUBMIT_CMD_WAIT_SYNCPT;
         cmds[i].wait_syncpt.id = cmd->syncpt;
         cmds[i].wait_syncpt.value = cmd->value;
         break;
      case WS_CMD_WAIT_RELATIVE:
         cmds[i].type = DRM_TEGRA_SUBMIT_CMD_WAIT_SYNCPT_RELATIVE;
         cmds[i].wait_syncpt.id = s->syncpt;
         cmds[i].wait_syncpt.value = cmd->value;
         break;
      }
   }

   /* syncobj_in stays 0: the kernel takes a successful wait for an error
    * (kernel-interface.md 2.7, step 2). */
   struct drm_tegra_channel_submit args = {
      .context = ws->context[s->engine],
      .num_bufs = s->num_relocs,
      .num_cmds = s->num_cmds,
      .gather_data_words = s->num_words,
      .bufs_ptr = (uintptr_t)bufs,
      .cmds_ptr = (uintptr_t)cmds,
      .gather_data_ptr = (uintptr_t)s->words,
      .syncobj_out = s->syncobj,
      .syncpt = { .id = s->syncpt, .increments = s->increments },
   };
   int ret = ws_ioctl(ws->fd, DRM_IOCTL_TEGRA_CHANNEL_SUBMIT, &args);
   s->value = args.syncpt.value;
   return ret;
}

const struct ws_kernel ws_kernel_mainline = {
   .name = "mainline",
   .locks_syncpts = true,
   .max_bos = TEGRA20_MAX_RELOCS,
   .max_job_words = TEGRA20_MAX_JOB_WORDS,
   .bound.cycles = TEGRA20_BOUND_CYCLES(10000),
   .channel_open = mainline_channel_open,
   .channel_close = mainline_channel_close,
   .bo_attach = mainline_bo_attach,
   .bo_detach = mainline_bo_detach,
   .syncpt_alloc = mainline_syncpt_alloc,
   .syncpt_free = mainline_syncpt_free,
   .syncpt_wait = mainline_syncpt_wait,
   .submit = mainline_submit,
};
