/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Words of the text of fragment programs, which fs_text.c prints.
 */

#ifndef FS_NAMES_H
#define FS_NAMES_H

#include <stddef.h>

#include "fs_alu_isa.h"

enum { FS_OPERAND_C, FS_OPERAND_B, FS_OPERAND_A };

static const char *const fs_special_regs[] = {
   [72] = "posx", [73] = "posy", [74] = "coverage",
   [75] = "face", [76] = "kill",
};

static const struct {
   const char *prefix;
   unsigned first, count;
} fs_banks[] = { { "r", 0, 16 }, { "g", 16, 8 },  { "alu", 24, 4 },
                 { "k", 28, 3 }, { "u", 32, 32 }, { "reg", 0, 128 } };

struct fs_operand {
   bool neg, sub1, x2, abs, fx10;
   unsigned reg, half;
};

static const struct {
   const char *name;
   uint8_t offset, value;
} fs_alu_flags[] = {
   { "sat", offsetof(struct fs_alu_inst, sat), 1 },
   { "x2", offsetof(struct fs_alu_inst, scale), FS_ALU_SCALE_X2 },
   { "x4", offsetof(struct fs_alu_inst, scale), FS_ALU_SCALE_X4 },
   { "half", offsetof(struct fs_alu_inst, scale), FS_ALU_SCALE_HALF },
   { "eq0", offsetof(struct fs_alu_inst, cond), FS_ALU_COND_EQ },
   { "gt0", offsetof(struct fs_alu_inst, cond), FS_ALU_COND_GT },
   { "ge0", offsetof(struct fs_alu_inst, cond), FS_ALU_COND_GE },
   { "send", offsetof(struct fs_alu_inst, send), 1 },
   { "recv", offsetof(struct fs_alu_inst, recv), 1 },
   { "noadd", offsetof(struct fs_alu_inst, no_add), 1 },
};

#define FS_NUM_ALU_FLAGS (sizeof(fs_alu_flags) / sizeof(fs_alu_flags[0]))

static const uint32_t fs_alu_nop[2] = { 0x000fe7e8, 0x3e41f200 };

static const char *const fs_sfu_words[] = { "",        "rcp",     "rsq",
                                            "lg2",     "ex2",     "sqrt",
                                            "sin",     "cos",     "frc",
                                            "pre_ex2", "pre_sin", "pre_cos" };

static const char *const fs_mul_sources[] = {
   "r0",         "r1",        "r2",        "r3",
   [10] = "sfu", [11] = "b0", [12] = "b1", [13] = "one"
};

static const char *const fs_mul_dests[] = {
   [1] = "w", [4] = "r0", [5] = "r1", [6] = "r2", [7] = "r3"
};

#endif
