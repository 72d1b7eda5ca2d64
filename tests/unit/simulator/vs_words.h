/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * For tests: vertex instruction words from fields (vertex-pipeline.md 2.1).  Written for the simulator's tests alone,
 * so that an error in the compiler's packer cannot hide one here.
 */

#ifndef TEST_VS_WORDS_H
#define TEST_VS_WORDS_H

#include "job.h"

struct vs_src {
   unsigned type, index; /* type 1 temp, 2 attribute, 3 constant */
   const char *swizzle;  /* "xyzw" when NULL */
   unsigned negate, absolute;
};

/* Fields that are not named are neutral; masks are strings such as "xz". */
struct vs_fields {
   unsigned vop, sop;
   const char *vmask, *smask;
   unsigned vdest, sdest; /* 0 = none, else temp + 1 */
   unsigned vdest_raw;    /* used when not 0 */
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

/* Up to 256 instructions. */
void vs_upload(struct job *job, const struct vs_fields *program, unsigned count);
/* The number of instructions up to the last that has a field. */
unsigned vs_length(const struct vs_fields *program, unsigned max);

/* Several of them at once, for what instructions have in common. */
#define V(op, mask) .vop = VPE_V_##op, .vmask = mask
#define S(op, mask) .sop = VPE_S_##op, .smask = mask
#define TO(op, number) .sop = VPE_S_##op, .target = number, .has_target = 1
#define CONSTANT(n) .a = { 3 }, .constant = n
#define RELATIVE .const_relative = 1
#define END .end = 1
#define OUT(e) .export_on = 1, .export_index = e
#define VOUT(e) OUT(e), .export_vector = 1
#define SET(n) .cs = 1, .cwr = 1, .cr = n
#define CHECK(n, bits) .cc = 1, .cr = n, .condition = bits
/* An export of a whole attribute. */
#define COPY(n, e) V(MOV, "xyzw"), .a = { 2 }, .attrib = n, VOUT(e)

#endif
