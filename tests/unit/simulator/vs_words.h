/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * For tests: vertex instruction words from fields (vertex-pipeline.md 2.1).  Written for the simulator's tests alone,
 * so that an error in the compiler's packer cannot hide one here.
 */

#ifndef TEST_VS_WORDS_H
#define TEST_VS_WORDS_H

#include <stdint.h>

struct vs_src {
   unsigned type, index; /* type 1 temp, 2 attribute, 3 constant */
   const char *swizzle;  /* "xyzw" when NULL */
   unsigned negate, absolute;
};

/* Fields that are not named are neutral; masks are strings such as "xz". */
struct vs_fields {
   unsigned vop, sop;
   const char *vmask, *smask;
   unsigned vdest, sdest;         /* 0 = none, else temp + 1 */
   unsigned vdest_raw, sdest_raw; /* used when not 0 */
   struct vs_src a, b, c;
   unsigned attrib, constant;
   unsigned export_on, export_index, export_vector;
   unsigned cc, cs, cwr, cr;
   unsigned condition;      /* lt 1, eq 2, gt 4; 0 = 7 */
   unsigned condition_none; /* really 0 */
   const char *condition_swizzle;
   unsigned saturate, end;
   unsigned attrib_relative, const_relative, export_relative, address_select, address_zero;
   unsigned target, has_target;
};

void vs_pack(uint32_t words[4], const struct vs_fields *fields);

#endif
