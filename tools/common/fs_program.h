/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Whole fragment programs of the tools.
 */

#ifndef FS_PROGRAM_H
#define FS_PROGRAM_H

#include "isa_parse.h"

/* What fs_program_print() writes.  Fails with a reason in parser->error.
 * chip: of text that does not name its own. */
bool
fs_program_parse(const char *text, enum tegra20_chip chip,
                 struct fs_words *words, struct isa_parser *parser);

/*
 * A program as one array of words: rows, EXECs, MFU instructions,
 * packets, then the tables in the order of their upload.  Returns the number
 * of words; unpacking fails when the numbers do not fit together.
 */
#define FS_IMAGE_MAX_WORDS (4 + 6 * 64 + 2 * 64 + 8 * TEGRA20_CHIP_MAX_FS_ALU)
unsigned
fs_image_pack(const struct fs_words *words, uint32_t *image);
bool
fs_image_unpack(const uint32_t *image, unsigned count, enum tegra20_chip chip,
                struct fs_words *words);

#endif
