/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The hardware profile: how the chip of this machine behaves where no manual
 * says it (hw.yaml, docs/hardware-profile.md).  There is one chip and so one
 * profile for a process; code reads it with TEGRA20_HW_IS().
 */

#ifndef TEGRA20_HW_H
#define TEGRA20_HW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tegra20/hw/hw_rows.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tegra20_hw_row {
   const char *id;    /* "A57": row of docs/hardware-assumptions.md */
   const char *name;  /* "npot-pitch" */
   const char *topic; /* one line */
   unsigned num_values;
   const char *const *values; /* the first is the default */
   const char *fit;  /* the driver's way to handle another value, one line */
   const char *cost; /* of another value, one line */
   bool simulated;   /* the simulator has a switch of this id */
   uint8_t safe; /* index of the value that is right on every chip, or 0 */
};

extern const struct tegra20_hw_row tegra20_hw_rows[TEGRA20_HW_NUM_ROWS];

/* Index of the value of each row. */
struct tegra20_hw {
   uint8_t value[TEGRA20_HW_NUM_ROWS];
};

/* The profile of this process: all defaults until tegra20_hw_init(). */
extern struct tegra20_hw tegra20_hw;

#define TEGRA20_HW_IS(row, is) \
   (tegra20_hw.value[TEGRA20_HW_##row] == TEGRA20_HW_##row##_##is)

/*
 * Reads the files and the environment, once per process.  version: of the
 * machine's GR3D (struct tegra20_chip_info).  Messages on stderr name ignored
 * entries and the reason.  Threads that use the profile start later.
 */
void
tegra20_hw_init(uint32_t version);

/* Longest error text of the functions below, with its zero. */
#define TEGRA20_HW_ERROR 256

/*
 * Applies "NAME=VALUE,..." (names or ids; "" is allowed) to hw; the word
 * "safe" is tegra20_hw_make_safe().  False, with
 * the reason in error and hw unchanged, when a row or value is unknown.
 */
bool
tegra20_hw_parse(struct tegra20_hw *hw, const char *text,
                 char error[TEGRA20_HW_ERROR]);

/* The first two lines of a profile file; the second has the version. */
#define TEGRA20_HW_MAGIC "tegra20-hw 1"
#define TEGRA20_HW_CHIP "chip 0x%x"

/*
 * Applies a profile file.  False, with the reason in error and hw unchanged,
 * when the file is damaged or of a chip with another version of GR3D; errno
 * is ENOENT when there is none.
 */
bool
tegra20_hw_read(struct tegra20_hw *hw, const char *path, uint32_t version,
                char error[TEGRA20_HW_ERROR]);

/* The preset for an unmeasured chip: each row has its value that is right on
 * every chip, where there is one. */
void
tegra20_hw_make_safe(struct tegra20_hw *hw);

/* The user's file, $XDG_CONFIG_HOME/tegra20/hardware-profile; false when
 * there is no home. */
bool
tegra20_hw_user_path(char *path, size_t size);

#ifdef __cplusplus
}
#endif

#endif
