/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Windows that take no buffers of the chip: each picture is copied into a
 * display target, memory of the window system's software path, as virgl does
 * it.
 */

#include "tegra20_resource.h"

#include "frontend/sw_winsys.h"
#include "util/format/u_format.h"
#include "util/u_inlines.h"
#include "util/u_surface.h"

#include "tegra20_drm_public.h"
#include "tegra20_screen.h"

/* What the window systems align rows to. */
#define DISPLAY_TARGET_ALIGN 64

/* The display target of a resource, made when it is shown first. */
static struct sw_displaytarget *
get_display_target(struct sw_winsys *winsys, struct tegra20_resource *res)
{
   const struct pipe_resource *base = &res->base;

   if (!res->display_target)
      res->display_target = winsys->displaytarget_create(
         winsys, base->bind, base->format, base->width0, base->height0,
         DISPLAY_TARGET_ALIGN, NULL, &res->display_stride);
   return res->display_target;
}

static void
flush_frontbuffer(struct pipe_screen *pscreen, struct pipe_context *pipe,
                  struct pipe_resource *base, unsigned level, unsigned layer,
                  void *drawable, unsigned num_boxes, struct pipe_box *boxes)
{
   struct sw_winsys *winsys = tegra20_screen(pscreen)->sw_winsys;
   struct tegra20_resource *res = tegra20_resource(base);
   struct sw_displaytarget *target = get_display_target(winsys, res);
   struct pipe_transfer *transfer;
   const void *from =
      target ? pipe_texture_map(pipe, base, level, layer, PIPE_MAP_READ, 0, 0,
                                base->width0, base->height0, &transfer)
             : NULL;

   if (!from)
      return;
   void *to = winsys->displaytarget_map(winsys, target, PIPE_MAP_WRITE);
   if (to) {
      util_copy_rect(to, base->format, res->display_stride, 0, 0,
                     base->width0, base->height0, from, transfer->stride, 0,
                     0);
      winsys->displaytarget_unmap(winsys, target);
   }
   pipe_texture_unmap(pipe, transfer);
   if (to)
      winsys->displaytarget_display(winsys, target, drawable, num_boxes,
                                    boxes);
}

void
tegra20_display_target_destroy(struct pipe_screen *pscreen,
                               struct tegra20_resource *res)
{
   struct sw_winsys *winsys = tegra20_screen(pscreen)->sw_winsys;

   if (res->display_target)
      winsys->displaytarget_destroy(winsys, res->display_target);
}

struct pipe_screen *
tegra20_drm_screen_create_presenting(int fd, struct sw_winsys *winsys)
{
   struct pipe_screen *pscreen = tegra20_drm_screen_create(fd);

   if (pscreen) {
      tegra20_screen(pscreen)->sw_winsys = winsys;
      pscreen->flush_frontbuffer = flush_frontbuffer;
   }
   return pscreen;
}
