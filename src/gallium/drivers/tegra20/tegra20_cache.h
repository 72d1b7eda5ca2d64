/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Compiled variants, and parts of those that do not fit, in Mesa's cache on
 * disk.
 *
 * An entry is named by the hash of the shader's NIR and the variant's key;
 * Mesa adds the identity of the build, so that programs of another compiler
 * are never found, and checks the entry's contents.
 */

#ifndef TEGRA20_CACHE_H
#define TEGRA20_CACHE_H

#include "tegra20_program.h"

struct tegra20_screen;

void
tegra20_cache_screen_init(struct tegra20_screen *screen);

/* A variant's program, a ralloc child of the variant; NULL when it is not
 * there or there is no cache. */
struct tegra20_vs *
tegra20_cache_find_vs(struct tegra20_screen *screen,
                      struct tegra20_vs_variant *variant);
/* The best code, or a draft (tegra20_improve.h). */
struct tegra20_fs *
tegra20_cache_find_fs(struct tegra20_screen *screen,
                      struct tegra20_fs_variant *variant, bool draft);

void
tegra20_cache_store_vs(struct tegra20_screen *screen,
                       const struct tegra20_vs_variant *variant);
void
tegra20_cache_store_fs(struct tegra20_screen *screen,
                       const struct tegra20_fs_variant *variant);

/* The parts that a variant is drawn in because it does not fit; also sets
 * variant->reason.  They are a ralloc child of the variant. */
struct tegra20_parts *
tegra20_cache_find_parts(struct tegra20_screen *screen,
                         struct tegra20_fs_variant *variant);
void
tegra20_cache_store_parts(struct tegra20_screen *screen,
                          const struct tegra20_fs_variant *variant);

#endif
