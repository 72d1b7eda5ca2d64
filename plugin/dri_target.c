/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The plug-in's driver table.  Mesa's target helpers define one descriptor
 * per kernel driver name; with GALLIUM_TEGRA the one for the kernel driver
 * "tegra" calls tegra_drm_screen_create(), in Mesa the entry point of the
 * wrapper for later chips of the family, which this library does not have.
 * softpipe is the software fallback.
 */

#include "util/detect_os.h"

#include "target-helpers/drm_helper.h"
#include "target-helpers/sw_helper.h"

#include "tegra20/tegra20_drm_public.h"

struct pipe_screen *
tegra_drm_screen_create(int fd)
{
   return tegra20_drm_screen_create(fd);
}
