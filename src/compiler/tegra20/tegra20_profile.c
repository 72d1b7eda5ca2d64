/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The compiler's part of the hardware profile that needs tables.  Rows about
 * one instruction are read where that is emitted.
 */

#include "tegra20_profile.h"

#include "tegra20/tegra20_hw.h"

#include "tegra20_compiler.h"

void
tegra20_profile_encodings(struct tegra20_compiler_options *options)
{
   /* A48: encodings that were never run */
   static const struct {
      enum tegra20_hw_row_id row;
      enum tegra20_avoid avoid;
   } map[] = {
      { TEGRA20_HW_MIN_MAX, TEGRA20_AVOID_MIN_MAX },
      { TEGRA20_HW_RESULT_SCALE, TEGRA20_AVOID_SCALE },
      { TEGRA20_HW_OPERAND_D, TEGRA20_AVOID_D },
      { TEGRA20_HW_TIMES_TWO, TEGRA20_AVOID_X2 },
      { TEGRA20_HW_CONDITION_GE, TEGRA20_AVOID_COND_GE },
      { TEGRA20_HW_CONSTANTS_K1_K2, TEGRA20_AVOID_K1_K2 },
      { TEGRA20_HW_FX10_CONSTANTS, TEGRA20_AVOID_FX10_CONST },
   };

   options->avoid = 0;
   for (unsigned i = 0; i < sizeof(map) / sizeof(map[0]); i++)
      options->avoid |= tegra20_hw.value[map[i].row] ? map[i].avoid : 0;
   options->part_sums = TEGRA20_HW_IS(PART_SUMS, USED);
}
