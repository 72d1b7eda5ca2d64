/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#ifndef TEGRA20_VERSION_H
#define TEGRA20_VERSION_H

/* The version of the tree that this was built from, and the commit where that
 * is known: "0.2.0 (git-26a5524c1d)". */
extern const char tegra20_version[];

#endif
