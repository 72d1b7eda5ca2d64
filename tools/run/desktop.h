/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * A desktop on the simulated chip, in a window of the session.
 */

#ifndef TEGRA20_DESKTOP_H
#define TEGRA20_DESKTOP_H

/* Returns the command that starts Weston, drawn by the chip, and another
 * command of so many words in it, and ends with the status of that.  Its log
 * is put into a directory.  NULL after a message when there is no session
 * that could show it. */
char **
desktop_command(char **command, unsigned count, const char *directory);

#endif
