/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What only the card node has: names of buffers, dumb buffers, and a display
 * without a connector.  Programs that look for a primary node find one; those
 * that want to show something are told that nothing is connected.
 */

#include <errno.h>

#include "drm-uapi/drm_mode.h"

#include "shim.h"

int
shim_nothing(struct shim_file *file, void *arg)
{
   return 0;
}

int
shim_set_client_cap(struct shim_file *file, void *arg)
{
   const struct drm_set_client_cap *args = arg;
   switch (args->capability) {
   case DRM_CLIENT_CAP_UNIVERSAL_PLANES:
   case DRM_CLIENT_CAP_ATOMIC:
      return args->value > 2 ? -EINVAL : 0;
   default:
      return -EINVAL;
   }
}

/* --- names --- */

int
shim_flink(struct shim_file *file, void *arg)
{
   static uint32_t last_name;
   struct drm_gem_flink *args = arg;
   struct shim_mem *mem = shim_ids_get(&file->handles, args->handle);
   if (!mem)
      return -ENOENT;
   if (!mem->name)
      mem->name = ++last_name;
   args->name = mem->name;
   return 0;
}

int
shim_gem_open(struct shim_file *file, void *arg)
{
   struct drm_gem_open *args = arg;
   list_for_each_entry (struct shim_mem, mem, &shim.mems, link) {
      if (!args->name || mem->name != args->name)
         continue;
      int handle = shim_ids_add(&file->handles, mem);
      if (handle < 0)
         return handle;
      shim_mem_ref(mem);
      args->handle = handle;
      args->size = mem->size;
      return 0;
   }
   return -ENOENT;
}

/* --- dumb buffers --- */

/* The pitch is a multiple of 8 bytes (kernel-interface.md 8.2). */
int
shim_create_dumb(struct shim_file *file, void *arg)
{
   struct drm_mode_create_dumb *args = arg;
   if (!args->width || !args->height || !args->bpp || args->width > 65536 ||
       args->height > 65536 || args->bpp > 64)
      return -EINVAL;
   args->pitch = ALIGN_POT(DIV_ROUND_UP(args->width * args->bpp, 8), 8);
   args->size =
      ALIGN_POT((uint64_t)args->pitch * args->height, SHIM_PAGE_SIZE);
   struct drm_tegra_gem_create create = { .size = args->size };
   int ret = shim_gem_create(file, &create);
   args->handle = create.handle;
   return ret;
}

int
shim_map_dumb(struct shim_file *file, void *arg)
{
   struct drm_mode_map_dumb *args = arg;
   struct drm_tegra_gem_mmap map = { .handle = args->handle };
   int ret = shim_gem_mmap(file, &map);
   args->offset = map.offset;
   return ret == -EINVAL ? -ENOENT : ret;
}

int
shim_destroy_dumb(struct shim_file *file, void *arg)
{
   const struct drm_mode_destroy_dumb *args = arg;
   struct drm_gem_close close = { .handle = args->handle };
   return shim_gem_close(file, &close);
}

/* --- display --- */

/* Framebuffers exist, though there is nothing to show them on: one plane,
 * packed, inside its buffer. */
int
shim_add_fb(struct shim_file *file, void *arg)
{
   struct drm_mode_fb_cmd2 *args = arg;
   struct shim_mem *mem = shim_ids_get(&file->handles, args->handles[0]);
   if (args->flags & ~(DRM_MODE_FB_INTERLACED | DRM_MODE_FB_MODIFIERS) ||
       !args->width || !args->height || args->width > 4096 ||
       args->height > 4096 || !args->pixel_format || !args->pitches[0])
      return -EINVAL;
   if (!mem)
      return -ENOENT;
   if ((uint64_t)args->pitches[0] * args->height + args->offsets[0] >
       mem->size)
      return -EINVAL;
   int id = shim_ids_add(&file->fbs, mem);
   if (id < 0)
      return id;
   shim_mem_ref(mem);
   args->fb_id = id;
   return 0;
}

int
shim_remove_fb(struct shim_file *file, void *arg)
{
   struct shim_mem *mem = shim_ids_remove(&file->fbs, *(uint32_t *)arg);
   if (!mem)
      return -ENOENT;
   shim_mem_unref(mem);
   return 0;
}

int
shim_get_resources(struct shim_file *file, void *arg)
{
   struct drm_mode_card_res *args = arg;
   args->count_fbs = args->count_crtcs = args->count_connectors =
      args->count_encoders = 0;
   args->min_width = args->min_height = 0;
   args->max_width = args->max_height = 4096;
   return 0;
}

int
shim_get_plane_resources(struct shim_file *file, void *arg)
{
   struct drm_mode_get_plane_res *args = arg;
   args->count_planes = 0;
   return 0;
}
