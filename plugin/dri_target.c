/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The plug-in's driver table.  Mesa's target helpers define one descriptor
 * per kernel driver name; with GALLIUM_TEGRA the one for the kernel driver
 * "tegra" calls tegra_drm_screen_create(), in Mesa the entry point of the
 * wrapper for later chips of the family, which this library does not have.
 * softpipe is the software fallback.
 *
 * GL_RENDERER gets the version of this project behind the chip's name: the
 * driver is not part of the Mesa whose version GL_VERSION has.
 */

#include <stdio.h>

#include "util/detect_os.h"

#include "target-helpers/drm_helper.h"
#include "target-helpers/sw_helper.h"

#include "util/u_call_once.h"

#include "tegra20/tegra20_drm_public.h"
#include "tegra20_version.h"

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

struct pipe_screen *
tegra_drm_screen_create(int fd)
{
   static util_once_flag once = UTIL_ONCE_FLAG_INIT;
   struct pipe_screen *screen = tegra20_drm_screen_create(fd);

   if (screen) {
      util_call_once_data(&once, set_renderer, screen->get_name(screen));
      screen->get_name = get_renderer;
   }
   return screen;
}
