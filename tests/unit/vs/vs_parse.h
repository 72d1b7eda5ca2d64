/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#ifndef VS_PARSE_H
#define VS_PARSE_H

#include "vs_ir.h"

/* Reads a program in the form of vs_print.c.  False with prog->error when it is none. */
bool vs_parse_program(struct vs_program *prog, const char *text);

#endif
