/* Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Mesa's back end of libgbm, linked with the plug-in: Mesa's build files have
 * no name for its own.
 */
#include "gbm/backends/dri/gbm_dri.c"
