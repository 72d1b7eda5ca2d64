/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Fragment programs in a few letters, for tests of bounds.
 *
 * A program is a list of operations, each a letter and the numbers of the operations that it reads (0 is the first):
 *
 *   a  multiply and add     s  special function    i  interpolation of a column    t  lookup
 *   c  chained sum          m  product in the MFU  f  fetch                        w  store    p  part of a result
 *
 * "A" is an "a" that reads a constant embedded in the packet; "u123" behind the letter one that reads the uniform registers 1,
 * 2 and 3, "k123" one that reads three embedded constants.
 */

#ifndef FS_GRAPH_H
#define FS_GRAPH_H

#include "fs/fs.h"

#define FS_GRAPH_NODES 32

/* A context of ralloc. */
struct fs_program *
fs_graph(const char *text);

#endif
