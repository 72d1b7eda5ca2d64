/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Writes hardware profiles (docs/hardware-profile.md).
 */

#ifndef PROFILE_WRITER_H
#define PROFILE_WRITER_H

#include "tegra20/tegra20_hw.h"

/* Writes a profile file, first under another name: it is whole or absent.
 * remarks: lines that begin with '#', or "".  False with errno. */
bool
tegra20_hw_write(const struct tegra20_hw *hw, uint32_t version,
                 const char *remarks, const char *path);

/* Rows that are not at their default, as tegra20_hw_parse() reads them: ""
 * for the default profile.  Returns the length without the zero, as
 * snprintf(). */
size_t
tegra20_hw_format(const struct tegra20_hw *hw, char *text, size_t size);

#define TEGRA20_HW_MAX_TEXT (TEGRA20_HW_NUM_ROWS * 48)

#endif
