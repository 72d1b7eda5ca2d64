/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The driver's entry point, all that a target needs to know of it.
 */

#ifndef TEGRA20_DRM_PUBLIC_H
#define TEGRA20_DRM_PUBLIC_H

struct pipe_screen;
struct sw_winsys;

/*
 * The screen of the device behind fd, which stays the caller's.  One screen
 * per open file description: a second call returns the same one with one more
 * reference.  NULL when the device is not a Tegra20 or its kernel driver
 * lacks the interface (tegra20_winsys_create()).
 */
struct pipe_screen *
tegra20_drm_screen_create(int fd);

/*
 * The same for windows that take no buffers of the device: flush_frontbuffer
 * copies the picture into a display target of winsys, which stays the
 * caller's and lives at least as long as the screen.  fd must have been
 * opened for this screen alone.
 */
struct pipe_screen *
tegra20_drm_screen_create_presenting(int fd, struct sw_winsys *winsys);

#endif
