/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Reads the text form of the fragment compiler's nodes (fs_print.c): for tests of single passes.
 */

#ifndef FS_PARSE_H
#define FS_PARSE_H

#include "fs/fs.h"

/* Appends the nodes of a text.  False with p->error when it is none. */
bool fs_parse(struct fs_program *p, const char *text);

#endif
