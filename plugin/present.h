/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Windows that take no buffers of the chip: each picture is copied into a
 * display target, memory of the window system's software path, as virgl does
 * it.
 */

#ifndef PRESENT_H
#define PRESENT_H

struct pipe_box;
struct pipe_context;
struct pipe_resource;
struct pipe_screen;
struct sw_winsys;

/* For a new screen of the chip.  winsys stays the caller's and lives at least
 * as long as the screen. */
void
present_init(struct pipe_screen *screen, struct sw_winsys *winsys);

/* The screen's flush_frontbuffer. */
void
present_copy(struct pipe_screen *screen, struct pipe_context *pipe,
             struct pipe_resource *resource, unsigned level, unsigned layer,
             void *drawable, unsigned num_boxes, struct pipe_box *boxes);

#endif
