/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * VideoCore IV's 3D block (V3D 2.1) in software: registers, control lists,
 * binner, renderer and QPUs.  docs/videocore.md says which fact comes from
 * where, and what is guessed.
 *
 *   memory.c   what is mapped at which bus address
 *   regs.c     the register block, and jobs of both kinds
 *   cl_print.c control lists as text
 *   cl.c       the binning and the rendering thread's control lists
 *   bin.c      primitives into tile lists
 *   clip.c     primitives that leave the view volume
 *   shade.c    coordinate and vertex shaders
 *   render.c   tile lists into tiles, on threads
 *   raster.c   primitives into blocks of four quads, and fragment shaders
 *   tlb.c      the tile buffer: tests, loads, stores
 *   tiling.c   raster, T and LT layouts
 *   tmu*.c     textures
 *   vpm.c      vertex pipe memory and its DMA
 *   qpu_*.c    instructions: fields, execution, text
 *
 * Addresses are bus addresses of 32 bits, sizes bytes.  One thread calls in
 * here at a time; drawing uses threads of its own when told to, and results
 * never depend on their number.
 */

#ifndef V3D_H
#define V3D_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct v3d;

/* Counters since the creation. */
struct v3d_stats {
   uint64_t bin_jobs, render_jobs, draws, vertices, primitives, tiles;
   uint64_t fragments, instructions, texture_lookups;
};

struct v3d_options {
   bool strict;      /* report undefined and suspicious uses */
   unsigned threads; /* for drawing; 0 = one per core */
   /* A diagnostic: its number (v3d_diag.h) and one line of text; NULL = to
    * stderr. */
   void (*diag)(void *data, unsigned number, const char *text);
   /* The binner has no memory left: the holder adds some with the registers
    * BPOA and BPOS, or leaves it.  May be NULL. */
   void (*out_of_memory)(void *data);
   void *data;
};

struct v3d *
v3d_create(const struct v3d_options *options); /* NULL: out of memory */
void
v3d_destroy(struct v3d *v3d);

/* Memory that the block can reach: whole pages of 4096 bytes.  False when
 * something is mapped there or memory is out. */
bool
v3d_map(struct v3d *v3d, uint32_t address, uint32_t size, void *cpu);
void
v3d_unmap(struct v3d *v3d, uint32_t address);

/* The register block; offsets as V3D_* below, others read as 0.  A write to
 * an end address (CT0EA, CT1EA) runs the list, one to SRQPC a program; both
 * return when it is done. */
uint32_t
v3d_read(struct v3d *v3d, unsigned offset);
void
v3d_write(struct v3d *v3d, unsigned offset, uint32_t value);

/* The vertex pipe memory, 64 rows of 16 words, as user programs see it. */
uint32_t *
v3d_vpm(struct v3d *v3d);

/* Text of a control list: one line per packet, each behind its offset. */
void
v3d_print_list(FILE *file, const uint8_t *list, uint32_t size);

void
v3d_get_stats(const struct v3d *v3d, struct v3d_stats *stats);

/* clang-format off */
#define V3D_IDENT0  0x000
#define V3D_IDENT1  0x004
#define V3D_IDENT2  0x008
#define V3D_SCRATCH 0x010
#define V3D_L2CACTL 0x020
#define V3D_SLCACTL 0x024
#define V3D_INTCTL  0x030
#define V3D_INTENA  0x034
#define V3D_INTDIS  0x038
#define V3D_CT0CS   0x100 /* + 4: of the rendering thread */
#define V3D_CT0EA   0x108
#define V3D_CT1EA   0x10c
#define V3D_CT0CA   0x110
#define V3D_CT1CA   0x114
#define V3D_CT0RA0  0x118
#define V3D_PCS     0x130
#define V3D_BFC     0x134
#define V3D_RFC     0x138
#define V3D_BPCA    0x300
#define V3D_BPCS    0x304
#define V3D_BPOA    0x308
#define V3D_BPOS    0x30c
#define V3D_SRQPC   0x430
#define V3D_SRQUA   0x434
#define V3D_SRQUL   0x438
#define V3D_SRQCS   0x43c
#define V3D_VPMBASE 0x504
#define V3D_ERRSTAT 0xf20

#define V3D_INT_FRDONE  (1u << 0) /* a frame is rendered */
#define V3D_INT_FLDONE  (1u << 1) /* tile lists are complete */
#define V3D_INT_OUTOMEM (1u << 2)
#define V3D_CTCS_ERROR  (1u << 3)
#define V3D_PCS_BMOOM   (1u << 8)
/* clang-format on */

#endif
