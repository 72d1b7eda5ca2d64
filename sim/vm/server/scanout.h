/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What a display controller shows: its active registers and memory -> pixels.
 */

#ifndef VM_SCANOUT_H
#define VM_SCANOUT_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/protocol.h"

/* Pixels of the active area; 0 while the controller is stopped. */
unsigned
scanout_width(const struct vm_display *display);
unsigned
scanout_height(const struct vm_display *display);

/*
 * Writes width * height pixels of four bytes (red, green, blue, 255), row by
 * row from the top.  Addresses of windows are offsets in memory; what lies
 * outside of it is black, as are formats that the simulated controller does
 * not know.
 */
void
scanout_compose(const uint8_t *memory, size_t size,
                const struct vm_display *display, uint8_t *rgba);

#endif
