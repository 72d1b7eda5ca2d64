/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#ifndef HTML_H
#define HTML_H

#include "tegra20_compiler.h"

/* A page with a picture of each fragment program's schedule.  Sections may be
 * added by several processes at once. */
bool
html_begin(const char *path);
void
html_add(const char *path, const char *name, const struct tegra20_fs *fs);
void
html_end(const char *path);

#endif
