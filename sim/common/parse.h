/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * parse.c: values of options and environment variables, for tools and shim.
 */

#ifndef SIM_PARSE_H
#define SIM_PARSE_H

#include <stdbool.h>

/* Reads a number, decimal or with 0x in front.  False, without another value
 * of *number, when the text is none, or one over most. */
bool
sim_parse_number(const char *text, unsigned most, unsigned *number);

/* Calls of the kernel that are to fail (docs/drm-shim.md). */
struct sim_fault {
   char name[40]; /* as the text has it */
   char when;     /* ' ' the nth call, '+' it and later ones, '%' every nth */
   unsigned n;    /* 1 or more */
   int error;     /* an errno */
};

/* Reads NAME:WHEN:ERROR, up to a comma or the end of the text.  Returns where
 * it ends, or NULL when it is no fault. */
const char *
sim_parse_fault(const char *text, struct sim_fault *fault);

#endif
