/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Words of the program memories as text.
 */

#ifndef TEGRA20_PROGRAM_TEXT_H
#define TEGRA20_PROGRAM_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "tegra20/tegra20_chip.h"

/* An upload port of GR3D (gr3d-registers.md 2.2). */
struct program_port {
   uint16_t port;     /* register */
   uint16_t pointer;  /* register of the upload pointer */
   uint8_t num_words; /* of one instruction or entry */
   const char *name;
};

/* NULL when the register is no port. */
const struct program_port *
program_port(uint32_t reg);

/* One instruction or entry as one line, without newline. */
void
program_text(const struct tegra20_chip_info *chip,
             const struct program_port *port, const uint32_t *words,
             char *text, size_t size);

/* A linker instruction: registers 0x300 + 2i and 0x301 + 2i. */
void
program_linker_text(const uint32_t words[2], char *text, size_t size);

#endif
