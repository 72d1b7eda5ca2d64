/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The driver's entry point, all that a target needs to know of it.
 */

#ifndef TEGRA20_DRM_PUBLIC_H
#define TEGRA20_DRM_PUBLIC_H

struct pipe_screen;

/*
 * The screen of the device behind fd, which stays the caller's.  One screen
 * per open file description: a second call returns the same one with one more
 * reference.  NULL when the device is not a Tegra20 or its kernel driver
 * lacks the interface (tegra20_winsys_create()).
 */
struct pipe_screen *
tegra20_drm_screen_create(int fd);

#endif
