/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Which build of the project this is, and whom to tell about it.
 */

#ifndef TEGRA20_ABOUT_H
#define TEGRA20_ABOUT_H

/* Where reports of problems and of devices go: the build option "reports". */
extern const char about_reports[];

/* What a program prints for --version: its name, version and commit, and
 * where reports go. */
void
about_print_version(const char *program);

#endif
