/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The plug-in's driver table.  Mesa's target helpers define one descriptor
 * per kernel driver name; with GALLIUM_TEGRA the one for the kernel driver
 * "tegra" calls tegra_drm_screen_create(), in Mesa the entry point of the
 * wrapper for later chips of the family, which this library does not have.
 *
 * Where a window cannot take the chip's buffers (an X server without DRI3, a
 * Wayland compositor without dma-bufs), Mesa's front ends ask for a software
 * renderer.  They get the chip all the same: it draws, and each picture is
 * copied into memory that the window takes, as Mesa's virpipe does it.
 * softpipe is the fallback, and what LIBGL_ALWAYS_SOFTWARE and
 * GALLIUM_DRIVER=softpipe choose.
 *
 * GL_RENDERER gets the version of this project behind the chip's name: the
 * driver is not part of the Mesa whose version GL_VERSION has.
 */

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>

#include "util/detect_os.h"

#include "pipe/p_context.h"
#include "pipe/p_screen.h"
#include "frontend/sw_winsys.h"
#include "softpipe/sp_public.h"
/* the descriptor with the driver's options is below */
#define tegra_driver_descriptor plain_tegra_driver_descriptor
#include "target-helpers/drm_helper.h"
#undef tegra_driver_descriptor
#include "target-helpers/sw_helper_public.h"
#include "util/u_atomic.h"
#include "util/u_call_once.h"
#include "util/u_debug.h"
#include "util/u_process.h"

#include "present.h"
#include "screenshot.h"
#include "tegra20/tegra20_drm_public.h"
#include "tegra20_version.h"

/* --- name --- */

/* A machine has one chip. */
static char renderer[128];

static void
set_renderer(const void *chip)
{
   snprintf(renderer, sizeof(renderer), "%s, %s", (const char *)chip,
            tegra20_version);
}

static const char *
get_renderer(struct pipe_screen *screen)
{
   return renderer;
}

/* --- frames, which tegra20-run counts in what it preloads; screens --- */

extern void
shim_report_frame(void) __attribute__((weak, visibility("default")));

/* Of all contexts and screens. */
static struct pipe_context *(*create)(struct pipe_screen *, void *, unsigned);
static void (*flush)(struct pipe_context *, struct pipe_fence_handle **,
                     unsigned);

static void
flush_and_count(struct pipe_context *pipe, struct pipe_fence_handle **fence,
                unsigned flags)
{
   flush(pipe, fence, flags);
   if (flags & (PIPE_FLUSH_END_OF_FRAME | PIPE_FLUSH_HINT_FINISH))
      shim_report_frame();
}

static struct pipe_context *
create_counted(struct pipe_screen *screen, void *priv, unsigned flags)
{
   struct pipe_context *pipe = create(screen, priv, flags);

   if (pipe) {
      flush = pipe->flush;
      pipe->flush = flush_and_count;
   }
   return pipe;
}

static struct pipe_screen *
prepare(struct pipe_screen *screen)
{
   static util_once_flag once = UTIL_ONCE_FLAG_INIT;

   if (screen) {
      util_call_once_data(&once, set_renderer, screen->get_name(screen));
      screen->get_name = get_renderer;
      if (shim_report_frame && screen->context_create != create_counted) {
         create = screen->context_create;
         screen->context_create = create_counted;
      }
   }
   return screen;
}

/* The driver has said why the device cannot be used; once is enough. */
static bool declined;

struct pipe_screen *
tegra_drm_screen_create(int fd)
{
   struct pipe_screen *screen = tegra20_drm_screen_create(fd);

   if (!screen)
      p_atomic_set(&declined, true);
   return prepare(screen);
}

static const driOptionDescription options[] = {
#include "tegra20/driinfo_tegra20.h"
};

const struct drm_driver_descriptor tegra_driver_descriptor = {
   .driver_name = "tegra",
   .driconf = options,
   .driconf_count = ARRAY_SIZE(options),
   .create_screen = pipe_tegra_create_screen,
};

/* --- windows that want memory of the CPU --- */

static bool
is_tegra(int fd)
{
   drmVersionPtr version = drmGetVersion(fd);
   const bool tegra = version && !strcmp(version->name, "tegra");

   drmFreeVersion(version);
   return tegra;
}

/* The render node of the chip, or -1. */
static int
open_render_node(void)
{
   drmDevicePtr devices[DRM_MAX_MINOR];
   const int count = drmGetDevices2(0, devices, ARRAY_SIZE(devices));
   int fd = -1;

   for (int i = 0; i < count && fd < 0; i++) {
      if (!(devices[i]->available_nodes & (1 << DRM_NODE_RENDER)))
         continue;
      fd = open(devices[i]->nodes[DRM_NODE_RENDER], O_RDWR | O_CLOEXEC);
      if (fd >= 0 && !is_tegra(fd)) {
         close(fd);
         fd = -1;
      }
   }
   if (count > 0)
      drmFreeDevices(devices, count);
   return fd;
}

static void
flush_frontbuffer(struct pipe_screen *screen, struct pipe_context *pipe,
                  struct pipe_resource *resource, unsigned level,
                  unsigned layer, void *drawable, unsigned num_boxes,
                  struct pipe_box *boxes)
{
   screenshot_present(pipe, resource, level, layer);
   present_copy(screen, pipe, resource, level, layer, drawable, num_boxes,
                boxes);
   if (shim_report_frame)
      shim_report_frame();
}

static struct pipe_screen *
create_presenting(struct sw_winsys *winsys)
{
   const int fd = p_atomic_read(&declined) ? -1 : open_render_node();
   struct pipe_screen *screen = fd < 0 ? NULL : tegra20_drm_screen_create(fd);

   if (fd >= 0)
      close(fd);
   if (screen) {
      present_init(screen, winsys);
      screen->flush_frontbuffer = flush_frontbuffer;
   }
   return prepare(screen);
}

static void
say_softpipe(void)
{
   fprintf(stderr, "tegra20: not the chip, but softpipe draws in %s\n",
           util_get_process_name());
}

struct pipe_screen *
sw_screen_create_vk(struct sw_winsys *winsys,
                    const struct pipe_screen_config *config, bool sw_vk)
{
   static util_once_flag said = UTIL_ONCE_FLAG_INIT;

   if (!debug_get_bool_option("LIBGL_ALWAYS_SOFTWARE", false) &&
       strcmp(debug_get_option("GALLIUM_DRIVER", ""), "softpipe")) {
      /* What has a device of its own wants buffers of that device. */
      struct pipe_screen *screen =
         winsys->get_fd ? NULL : create_presenting(winsys);

      if (screen)
         return screen;
      util_call_once(&said, say_softpipe);
   }
   return softpipe_create_screen(winsys);
}

struct pipe_screen *
sw_screen_create(struct sw_winsys *winsys)
{
   return sw_screen_create_vk(winsys, NULL, false);
}
