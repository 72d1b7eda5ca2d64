/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Pictures of the screen (of the first display controller) in PNG files.
 */

#ifndef VM_SCREEN_H
#define VM_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/protocol.h"

/* path: written at the end and at SIGUSR1.  It stays the caller's. */
void
screen_set_file(const char *path);
/* Each frame that differs from the one before becomes
 * directory/frame-NUMBER.png. */
void
screen_set_directory(const char *directory);
/* Was it set?  Then the kernel waits until screen_frame() is done. */
bool
screen_keeps_frames(void);

void
screen_init(void);
/* A frame begins; memory is the kernel's and must stay mapped. */
void
screen_frame(const uint8_t *memory, size_t size,
             const struct vm_display *display);
/* After a signal: writes the file if it was SIGUSR1. */
void
screen_poll(void);
/* Writes what the screen shows now to a file; black when it is off. */
void
screen_shoot(const char *path);
void
screen_finish(void);

#endif
