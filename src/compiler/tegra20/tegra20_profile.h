/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#ifndef TEGRA20_PROFILE_H
#define TEGRA20_PROFILE_H

struct tegra20_compiler_options;

/* Says which encodings are to be used and avoided on the chip of this
 * machine, after tegra20_hw_init(). */
void
tegra20_profile_encodings(struct tegra20_compiler_options *options);

#endif
