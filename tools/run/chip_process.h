/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The process with the chip that all processes of a command share.
 */

#ifndef TEGRA20_CHIP_PROCESS_H
#define TEGRA20_CHIP_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/* Starts it, or finds one that another command has started: the library that
 * it runs, the name and the mode of its socket.  Puts the name into the
 * environment.  False when it cannot; says why. */
bool
chip_process_start(const char *shim, const char *path, mode_t mode);

/* Ends it, if it was started and once nobody uses the chip: one that is still
 * used is not waited for. */
void
chip_process_end(void);

#endif
