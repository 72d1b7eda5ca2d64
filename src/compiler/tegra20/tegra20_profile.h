/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#ifndef TEGRA20_PROFILE_H
#define TEGRA20_PROFILE_H

/* What struct tegra20_compiler_options is to avoid on the chip of this
 * machine: a mask of TEGRA20_AVOID_..., after tegra20_hw_init(). */
unsigned
tegra20_profile_avoid(void);

#endif
