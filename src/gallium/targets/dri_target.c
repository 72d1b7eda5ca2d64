/*
 * SPDX-License-Identifier: MIT
 *
 * The plug-in's driver table.  Mesa's target helpers define one descriptor per kernel driver name; with GALLIUM_TEGRA
 * the one for the kernel driver "tegra" calls tegra_drm_screen_create(), which src/gallium/winsys/tegra20 supplies.
 * softpipe is the software fallback.
 */

#include "util/detect_os.h"

#include "target-helpers/drm_helper.h"
#include "target-helpers/sw_helper.h"
