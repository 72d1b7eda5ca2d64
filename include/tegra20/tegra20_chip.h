/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The chips that have a GR3D: Tegra20, Tegra30 and Tegra114.  They run the
 * same programs, state words and formats; this table is all that is known of
 * their differences (gr3d-registers.md 5, fragment-pipeline.md appendix A).
 * Compiler, driver, winsys, simulator and tools read it, so that no code has
 * to ask which chip it is.
 */

#ifndef TEGRA20_CHIP_H
#define TEGRA20_CHIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers are in recordings and in caches of programs. */
enum tegra20_chip {
   TEGRA20_CHIP_TEGRA20,
   TEGRA20_CHIP_TEGRA30,
   TEGRA20_CHIP_TEGRA114,
   TEGRA20_NUM_CHIPS,
};

/* The largest tables of any chip, for arrays. */
#define TEGRA20_CHIP_MAX_FS_ALU 128
#define TEGRA20_CHIP_MAX_VS_CONSTS 280
#define TEGRA20_CHIP_MAX_ENGINES 2

/*
 * The word of table 0x801: which ALU instructions an EXEC runs.  The bits
 * outside of both fields are always those of "constant".
 */
struct tegra20_sched_layout {
   uint8_t count_shift, count_bits;
   uint8_t first_shift, first_bits;
   uint32_t constant;
};

/* count registers from reg on, each with the value. */
struct tegra20_chip_reg {
   uint16_t reg, count;
   uint32_t value;
};

enum tegra20_chip_quirk {
   /* registers that only some of the engines hear, see "before_draw" */
   TEGRA20_QUIRK_WRITE_MASK = 1 << 0,
   /* 0xe45 has to hold the value of 0x403 */
   TEGRA20_QUIRK_DEPTH_TEST_COPY = 1 << 1,
   /* 0x411 is zeroed once in a job and then left alone */
   TEGRA20_QUIRK_411_ONCE = 1 << 2,
   /* bit 0 of 0xa00 stays set until it is cleared */
   TEGRA20_QUIRK_FDC_STAYS = 1 << 3,
   /* Behind an SMMU: the texture unit reads rows up to the power of two that
    * encloses the height, and where no memory is, it faults (A137). */
   TEGRA20_QUIRK_POT_ROWS = 1 << 4,
};

struct tegra20_chip_info {
   enum tegra20_chip id;
   const char *name;       /* of options, files and device trees */
   const char *renderer;   /* in GL_RENDERER */
   const char *compatible; /* of its host1x in a device tree */
   const char *group; /* the last group of registers that it has: "", "T30" or
                         "T114" in gr3d.yaml */
   uint32_t version;  /* of GR3D, as the kernel reports it */
   uint32_t grate_soc; /* in the grate kernel's VERSION */

   /* fragment programs */
   unsigned fs_alu;          /* ALU instructions in the table */
   unsigned fs_exec_packets; /* that an EXEC may run (A104) */
   struct tegra20_sched_layout alu_sched;
   bool packed_alu_sched; /* port 0x802 exists */

   unsigned vs_consts; /* constant registers */
   uint32_t depth_max; /* of 0x404 and 0x405, for 1.0 */

   unsigned engines;     /* that share a draw by lines of tiles */
   unsigned pixel_pipes; /* of each engine, for the cost model (A79) */

   /* Registers to initialise, beyond those of Tegra20 and before them, in
    * this order; and the writes that every draw begins with. */
   const struct tegra20_chip_reg *init, *before_draw;
   unsigned num_init, num_before_draw;
   /* after FP_PSEQ_DW_CFG in the set-up of a program */
   const struct tegra20_chip_reg *after_dw_cfg;
   unsigned num_after_dw_cfg;
   unsigned quirks; /* enum tegra20_chip_quirk */
};

extern const struct tegra20_chip_info tegra20_chips[TEGRA20_NUM_CHIPS];

/* NULL when no chip has this version of GR3D, or this name. */
const struct tegra20_chip_info *
tegra20_chip_by_version(uint32_t version);
const struct tegra20_chip_info *
tegra20_chip_by_name(const char *name);

/* The chip itself; Tegra20 for NULL, the default of the options. */
static inline const struct tegra20_chip_info *
tegra20_chip_or_default(const struct tegra20_chip_info *chip)
{
   return chip ? chip : &tegra20_chips[TEGRA20_CHIP_TEGRA20];
}

/* Does the chip have a register of this group? */
bool
tegra20_chip_has_group(const struct tegra20_chip_info *chip,
                       const char *group);

/* --- schedule words --- */

static inline uint32_t
tegra20_sched_pack(const struct tegra20_sched_layout *layout, unsigned first,
                   unsigned count)
{
   return layout->constant |
          (count ? first << layout->first_shift | count << layout->count_shift
                 : 0);
}

static inline unsigned
tegra20_sched_count(const struct tegra20_sched_layout *layout, uint32_t word)
{
   return word >> layout->count_shift & ((1u << layout->count_bits) - 1);
}

static inline unsigned
tegra20_sched_first(const struct tegra20_sched_layout *layout, uint32_t word)
{
   return word >> layout->first_shift & ((1u << layout->first_bits) - 1);
}

/* Are the bits beside the fields those that the chip's words have? */
static inline bool
tegra20_sched_known(const struct tegra20_sched_layout *layout, uint32_t word)
{
   const uint32_t fields =
      ((1u << layout->count_bits) - 1) << layout->count_shift |
      ((1u << layout->first_bits) - 1) << layout->first_shift;

   return (word & ~fields) == layout->constant;
}

#ifdef __cplusplus
}
#endif

#endif
