/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Where the interfaces of Mesa 25.0 and 25.1 differ, in one place.  The
 * sources speak the one of 25.0, unless something here has another name.
 * docs/upstreaming.md lists the differences.
 */

#ifndef TEGRA20_MESA_H
#define TEGRA20_MESA_H

#include "compiler/nir/nir.h"

/* Mesa does not tell its version to the preprocessor; this file is new. */
#if __has_include("util/u_sync_provider.h")
#define TEGRA20_MESA_25_1 1
#else
#define TEGRA20_MESA_25_1 0
#endif

#if TEGRA20_MESA_25_1

#define nir_metadata_preserve(impl, preserved) \
   nir_progress(true, impl, preserved)

#define nir_opt_peephole_select(shader, most, indirect, expensive)     \
   nir_opt_peephole_select(shader, &(nir_opt_peephole_select_options){ \
                                      .limit = most,                   \
                                      .indirect_load_ok = indirect,    \
                                      .expensive_alu_ok = expensive })

#endif

#endif
