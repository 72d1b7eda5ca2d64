/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The table of chips.  Registers and values are those of the public drivers
 * (gr3d-registers.md 2.3, 4.1, 5.1, 5.2).
 */

#include "tegra20/tegra20_chip.h"

#include <string.h>

#include "tegra20/gr3d_regs.h"

/* Registers of Tegra30 and later.  0x750.. holds garbage after power-on, and
 * is heard only behind 0xb00. */
#define TEGRA30_INIT                                                     \
   { GR3D_UNK_907(0), 5, 0 }, { GR3D_GSHIM_WRITE_MASK, 1, 3 },           \
      { GR3D_UNK_750(0), 16, 0 }, { GR3D_GSHIM_READ_SELECT, 1, 0 },      \
      { GR3D_UNK_B04, 1, 0 }, { GR3D_UNK_B06(0), 13, 0 },                \
      { GR3D_UNK_B14, 1, 0 }, { GR3D_GLOBAL_MEMORY_OUTPUT_READS, 1, 0 }, \
   {                                                                     \
      GR3D_UNK_E41, 1, 0                                                 \
   }

static const struct tegra20_chip_reg tegra30_init[] = { TEGRA30_INIT };

static const struct tegra20_chip_reg tegra114_init[] = {
   { GR3D_UNK_E44, 1, 0 },
   { GR3D_UNK_807, 1, 0 },
   { GR3D_UNK_C00(0), 4, 0 },
   { GR3D_UNK_C30(0), 4, 0 },
   { GR3D_UNK_C40(0), 4, 0 },
   { GR3D_UNK_C50(0), 4, 0 },
   { GR3D_UNK_E70(0), 16, 0 },
   { GR3D_UNK_E80, 1, 0xf00 },
   { GR3D_UNK_E84(0), 4, 0 },
   { GR3D_UNK_770(0), 48, 0 },
   { GR3D_UNK_7E0, 1, 1 },
   { GR3D_UNK_7E1, 1, 0 },
   { GR3D_UNK_41A, 1, 0xa00 },
   { GR3D_UNK_416, 1, 0x140 },
   TEGRA30_INIT,
};

/* Each engine is told which lines of tiles it draws. */
static const struct tegra20_chip_reg select_engines[] = {
   { GR3D_GSHIM_WRITE_MASK, 1, 1 }, { GR3D_UNK_E41, 1, 1 },
   { GR3D_GSHIM_WRITE_MASK, 1, 2 }, { GR3D_UNK_E41, 1, 3 },
   { GR3D_GSHIM_WRITE_MASK, 1, 3 },
};

static const struct tegra20_chip_reg tegra114_after_dw_cfg[] = {
   { GR3D_UNK_547, 1, 0xc0000000 },
   { GR3D_UNK_548, 1, 0 },
};

#define LIST(name, array) \
   .name = array, .num_##name = sizeof(array) / sizeof((array)[0])

/* count in 1:0, the first instruction in 7:2 */
#define TEGRA20_SCHED \
   {                  \
      0, 2, 2, 6, 0   \
   }

const struct tegra20_chip_info tegra20_chips[TEGRA20_NUM_CHIPS] = {
   [TEGRA20_CHIP_TEGRA20] = {
      .id = TEGRA20_CHIP_TEGRA20,
      .name = "tegra20",
      .renderer = "Tegra 2 (tegra20)",
      .compatible = "nvidia,tegra20-host1x",
      .group = "",
      .version = 0x20,
      .grate_soc = 0,
      .fs_alu = 64,
      .fs_exec_packets = 3,
      .alu_sched = TEGRA20_SCHED,
      .packed_alu_sched = true,
      .vs_consts = 256,
      .depth_max = 0xfffff,
      .engines = 1,
      .pixel_pipes = 1,
   },
   [TEGRA20_CHIP_TEGRA30] = {
      .id = TEGRA20_CHIP_TEGRA30,
      .name = "tegra30",
      .renderer = "Tegra 3 (tegra30)",
      .compatible = "nvidia,tegra30-host1x",
      .group = "T30",
      .version = 0x30,
      .grate_soc = 1,
      .fs_alu = 64,
      .fs_exec_packets = 3,
      .alu_sched = TEGRA20_SCHED,
      .packed_alu_sched = true,
      .vs_consts = 256,
      .depth_max = 0xfffff,
      .engines = 2,
      .pixel_pipes = 1,
      LIST(init, tegra30_init),
      LIST(before_draw, select_engines),
      .quirks = TEGRA20_QUIRK_WRITE_MASK | TEGRA20_QUIRK_POT_ROWS,
   },
   [TEGRA20_CHIP_TEGRA114] = {
      .id = TEGRA20_CHIP_TEGRA114,
      .name = "tegra114",
      .renderer = "Tegra 4 (tegra114)",
      .compatible = "nvidia,tegra114-host1x",
      .group = "T114",
      .version = 0x35,
      .grate_soc = 2,
      .fs_alu = 128,
      .fs_exec_packets = 8,
      .alu_sched = { 8, 8, 16, 8, 0xe0000000 },
      .packed_alu_sched = false,
      .vs_consts = 280,
      .depth_max = 0xffffff,
      .engines = 1,
      .pixel_pipes = 4,
      LIST(init, tegra114_init),
      /* it has one engine, but was never run without */
      LIST(before_draw, select_engines),
      LIST(after_dw_cfg, tegra114_after_dw_cfg),
      .quirks = TEGRA20_QUIRK_DEPTH_TEST_COPY | TEGRA20_QUIRK_411_ONCE |
                TEGRA20_QUIRK_FDC_STAYS | TEGRA20_QUIRK_POT_ROWS,
   },
};

const struct tegra20_chip_info *
tegra20_chip_by_version(uint32_t version)
{
   for (unsigned i = 0; i < TEGRA20_NUM_CHIPS; i++) {
      if (tegra20_chips[i].version == version)
         return &tegra20_chips[i];
   }
   return NULL;
}

const struct tegra20_chip_info *
tegra20_chip_by_name(const char *name)
{
   for (unsigned i = 0; i < TEGRA20_NUM_CHIPS; i++) {
      if (!strcmp(tegra20_chips[i].name, name))
         return &tegra20_chips[i];
   }
   return NULL;
}

bool
tegra20_chip_has_group(const struct tegra20_chip_info *chip,
                       const char *group)
{
   /* each chip has the registers of those before it */
   for (unsigned i = 0; i <= chip->id; i++) {
      if (!strcmp(tegra20_chips[i].group, group))
         return true;
   }
   return false;
}
