/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * A simulated A4xx, strict, with memory at BASE, a command stream that is
 * written into it, words of ir3, and a draw of patches for the tests to
 * change.
 */

#ifndef A4XX_STREAM_H
#define A4XX_STREAM_H

#include "a4xx_internal.h"

#define BASE 0x100000u
#define SIZE 0x100000u
#define STREAM 0x0u /* offsets in memory */
#define PROGRAMS 0x10000u
#define VERTICES 0x20000u
#define FACTORS 0x40000u
#define PARAMETERS 0x60000u

extern uint8_t *memory;
extern struct a4xx *chip;
extern struct a4xx_profile profile; /* for the next restart() */
extern unsigned diags[64];          /* how often each was given; the first is number 900 */

/* The chip anew, with the profile and whatever is in memory. */
void
restart(void);
void
forget_diags(void);
unsigned
count_diags(void);
#define GIVEN(name) diags[A4XX_DIAG_##name - 900]

/* --- the stream --- */

void
begin(void);
void
put(uint32_t word);
void
put_words(const uint32_t *words, unsigned count);
#define PUT(...) put_words((const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4)
void
put_reg(unsigned offset, uint32_t value);
/* A constant or a program for a stage, indirect. */
void
put_state(unsigned block, unsigned type, unsigned units, uint32_t offset);
bool
submit(void);

/* --- words --- */

#define SS (1ull << 44)
#define SY (1ull << 60)
#define R(n, c) ((n)*4 + (c))
#define C(n, c) (0x1000u | R(n, c))
#define I(value) (0x2000u | ((value)&0x7ff))
#define PX 0xf8u /* p0.x */

#define NOP 0ull
#define END (6ull << 55)
#define CHMASK (9ull << 55)
#define CHSH (10ull << 55)
#define BR_NOT(offset) (1ull << 55 | 1ull << 52 | (uint32_t)(offset))
#define MOV(dst, src) (0x200cc000ull << 32 | (uint64_t)(dst) << 32 | (src))
#define MOV_C(dst, c) (0x202cc000ull << 32 | (uint64_t)(dst) << 32 | (c))
#define MOV_I(dst, value) (0x204cc000ull << 32 | (uint64_t)(dst) << 32 | (uint32_t)(value))
#define OP2(op, dst, a, b) \
   (2ull << 61 | (uint64_t)((op)&63) << 53 | 1ull << 52 | (uint64_t)(dst) << 32 | (uint64_t)(b) << 16 | (a))
#define CMP(op, cond, dst, a, b) (OP2(op, dst, a, b) | (uint64_t)(cond) << 48)
#define OP3(op, dst, a, b, c) \
   (3ull << 61 | (uint64_t)((op)&15) << 55 | (uint64_t)(b) << 47 | (uint64_t)(dst) << 32 | (uint64_t)(c) << 16 | (a))
#define OP4(op, dst, a) (4ull << 61 | (uint64_t)((op)&63) << 53 | 1ull << 52 | (uint64_t)(dst) << 32 | (a))
#define LOAD(op, dst, address, offset, size)                                                                          \
   (6ull << 61 | (uint64_t)((op)&31) << 54 | 3ull << 49 | (uint64_t)(dst) << 32 | (uint64_t)(size) << 24 | 1u << 23 | \
    (address) << 14 | ((offset)&0x1fff) << 1 | 1)
#define STORE(op, address, offset, src, size)                                                      \
   (6ull << 61 | (uint64_t)((op)&31) << 54 | 3ull << 49 | (uint64_t)(address) << 41 | 1ull << 40 | \
    (uint64_t)((offset)&0xff) << 32 | (uint64_t)(size) << 24 | 1u << 23 | ((offset) >> 8 & 31) << 9 | (src) << 1)

/* --- a draw of patches --- */

struct patch_draw {
   unsigned mode, in, out, patches, instances;
   uint32_t param; /* of PC_HS_PARAM, beside the vertices */
   float levels[6];
   uint32_t initiator; /* bits beside mode and type */
   unsigned tess_x, tess_y, position, varying;
   uint32_t vs_footprint, ds_footprint;
   /* The programs; each is padded with nops. */
   uint64_t vs[80], hs[80], ds[80];
};

extern struct patch_draw patch_draw; /* the usual one when a test begins */

/* The same for all factors. */
void
set_levels(float level);

/* Draws it; the result is in "captured". */
bool
draw_patches(void);
/* Draws it; strict mode has nothing to say, or what it gave that diagnostic for once. */
void
draw_quietly(void);
void
draw_badly(unsigned number);

struct captured {
   unsigned draws, corners, num_vertices, num_indices, num_outputs;
   struct a4xx_vertex vertices[4096];
   uint32_t indices[8192];
};
extern struct captured captured;

uint32_t
word_at(uint32_t offset);
float
float_at(uint32_t offset);

#endif
