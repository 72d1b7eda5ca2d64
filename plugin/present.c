/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "present.h"

#include <stdlib.h>

#include "pipe/p_context.h"
#include "pipe/p_screen.h"
#include "frontend/sw_winsys.h"
#include "util/format/u_format.h"
#include "util/hash_table.h"
#include "util/simple_mtx.h"
#include "util/u_inlines.h"
#include "util/u_surface.h"

/* What the window systems align rows to. */
#define DISPLAY_TARGET_ALIGN 64

/* What a window shows of a resource. */
struct target {
   struct sw_winsys *winsys;
   struct sw_displaytarget *memory;
   unsigned stride; /* bytes */
};

static simple_mtx_t mutex = SIMPLE_MTX_INITIALIZER;
static struct hash_table *windows; /* struct sw_winsys by pipe_screen */
static struct hash_table *targets; /* struct target by pipe_resource */
static void (*resource_destroy)(struct pipe_screen *screen,
                                struct pipe_resource *resource);

/* The display target of a resource, made when it is shown first; NULL: no
 * memory. */
static struct target *
get_target(struct pipe_screen *screen, struct pipe_resource *resource)
{
   simple_mtx_lock(&mutex);
   struct hash_entry *entry = _mesa_hash_table_search(targets, resource);
   struct target *target = entry ? entry->data : malloc(sizeof(*target));

   if (target && !entry) {
      target->winsys = _mesa_hash_table_search(windows, screen)->data;
      target->memory = target->winsys->displaytarget_create(
         target->winsys, resource->bind, resource->format, resource->width0,
         resource->height0, DISPLAY_TARGET_ALIGN, NULL, &target->stride);
      if (target->memory) {
         _mesa_hash_table_insert(targets, resource, target);
      } else {
         free(target);
         target = NULL;
      }
   }
   simple_mtx_unlock(&mutex);
   return target;
}

void
present_copy(struct pipe_screen *screen, struct pipe_context *pipe,
             struct pipe_resource *resource, unsigned level, unsigned layer,
             void *drawable, unsigned num_boxes, struct pipe_box *boxes)
{
   struct target *target = get_target(screen, resource);
   struct pipe_transfer *transfer;
   const void *from =
      target
         ? pipe_texture_map(pipe, resource, level, layer, PIPE_MAP_READ, 0, 0,
                            resource->width0, resource->height0, &transfer)
         : NULL;

   if (!from)
      return;
   struct sw_winsys *winsys = target->winsys;
   void *to =
      winsys->displaytarget_map(winsys, target->memory, PIPE_MAP_WRITE);
   if (to) {
      util_copy_rect(to, resource->format, target->stride, 0, 0,
                     resource->width0, resource->height0, from,
                     transfer->stride, 0, 0);
      winsys->displaytarget_unmap(winsys, target->memory);
   }
   pipe_texture_unmap(pipe, transfer);
   if (to)
      winsys->displaytarget_display(winsys, target->memory, drawable,
                                    num_boxes, boxes);
}

static void
destroy_resource(struct pipe_screen *screen, struct pipe_resource *resource)
{
   simple_mtx_lock(&mutex);
   struct hash_entry *entry = _mesa_hash_table_search(targets, resource);
   struct target *target = entry ? entry->data : NULL;

   _mesa_hash_table_remove(targets, entry);
   simple_mtx_unlock(&mutex);
   if (target)
      target->winsys->displaytarget_destroy(target->winsys, target->memory);
   free(target);
   resource_destroy(screen, resource);
}

void
present_init(struct pipe_screen *screen, struct sw_winsys *winsys)
{
   simple_mtx_lock(&mutex);
   if (!windows) {
      windows = _mesa_pointer_hash_table_create(NULL);
      targets = _mesa_pointer_hash_table_create(NULL);
      resource_destroy = screen->resource_destroy;
   }
   _mesa_hash_table_insert(windows, screen, winsys);
   simple_mtx_unlock(&mutex);
   screen->resource_destroy = destroy_resource;
}
