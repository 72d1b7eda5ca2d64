/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Adreno A4xx in software: command streams, vertex fetch, shader processors,
 * tessellation, rasteriser, render backend.  docs/adreno.md says which fact
 * comes from where, and what is guessed.
 *
 *   a4xx.c       the chip as a whole: memory, diagnostics
 *   pm4.c        command streams, registers
 *   regs.py      names of registers, from Mesa's XML
 *   vfd.c        indices, vertex attributes
 *   draw.c       a draw: which programs run for which vertices
 *   patches.c    a draw of patches: VS and HS, tessellator, DS
 *   tess.cpp     the tessellator: Microsoft's reference
 *   clip.c       clipping
 *   raster.c     primitives into quads of fragments
 *   fs.c         fragments: varyings, waves
 *   rb.c         depth, stencil, blending, targets; rb_format.c their formats
 *   compute.c    groups of compute programs
 *   switches.c   what public facts leave open, by name
 *   kernel/      the ioctls of Linux's msm
 *   ir3_*.c      instructions: fields, execution, text
 *   tex*.c       the texture unit: instructions, filters, formats
 *
 * Addresses are those of the chip, 32 bits; sizes are bytes.  One thread
 * calls in here at a time; shading uses threads of its own when told to, and
 * results never depend on their number.
 */

#ifndef A4XX_H
#define A4XX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct a4xx;

/* What public facts leave open (docs/adreno.md, U1 to U17). */
struct a4xx_profile {
   /* U1: whose is private memory in a hull shader?  Bytes for each unit of
    * MEMSIZEPERITEM. */
   enum { A4XX_PRIVATE_PATCH, A4XX_PRIVATE_LANE } private_scope;
   unsigned private_unit;
   unsigned subdraw; /* U2: patches; 1 or more */
   /* U5: a vertex that comes again in a draw runs once, and its number of
    * transform feedback counts those that ran or is its place; or it runs each
    * time. */
   enum { A4XX_RUNS_COUNTED, A4XX_RUNS_BY_PLACE, A4XX_RUNS_EACH } runs;
   unsigned patches_a_wave; /* U7: 1, or 0 = as many as fit */
   /* U8: does the number of a patch go on with the next instance? */
   unsigned restart_instances;
   /* U9: bits of RB_MODE_CONTROL that send pixels to memory. */
   enum { A4XX_BITS_BOTH, A4XX_BIT_22, A4XX_BIT_23 } memory_bits;
   /* U10: does RB_BIN_OFFSET count in all draws to GMEM, or only with
    * ENABLE_GMEM? */
   enum { A4XX_OFFSET_GMEM, A4XX_OFFSET_ALWAYS } bin_offset;
   /* U11: how pixels lie in GMEM; tiles are 4x4 pixels. */
   enum { A4XX_GMEM_ROWS, A4XX_GMEM_TILES } gmem_layout;
   /* U12: depth and stencil tests of draws to memory: none, or by the buffer
    * in GMEM. */
   enum { A4XX_DEPTH_NONE, A4XX_DEPTH_GMEM } memory_depth;
   /* U13: the target's alpha without BLEND2: 1, or as it is. */
   enum { A4XX_ALPHA_OPAQUE, A4XX_ALPHA_KEPT } no_blend_2;
   /* U14: an alpha as it is compared with the reference of 8 bits. */
   enum { A4XX_ALPHA_CUT, A4XX_ALPHA_ROUND, A4XX_ALPHA_FLOAT } alpha_test;
   /* U15: does a killed pixel run on for its neighbours? */
   enum { A4XX_KILLED_HELPERS, A4XX_KILLED_STOP } killed;
   /* U16: a unit of POLY_OFFSET_OFFSET, of OpenGL's. */
   enum { A4XX_OFFSET_HALF, A4XX_OFFSET_WHOLE } offset_unit;
   /* U17: does that number go on with the next instance? */
   enum { A4XX_NUMBER_CONTINUES, A4XX_NUMBER_RESTARTS } instance_number;
};

#define A4XX_PROFILE_DEFAULT                                   \
   {                                                           \
      .private_unit = 512, .subdraw = 16, .patches_a_wave = 1, \
   }

/* Sets what --switch ID=VALUE names (docs/adreno.md has the values; U2 takes
 * a number from 1 on); false: no such switch or value. */
bool
a4xx_set_switch(struct a4xx_profile *profile, const char *id,
                const char *value);

/* Vertices of a draw, shaded, and the primitives that they make. */
#define A4XX_MAX_OUTPUTS 128

struct a4xx_vertex {
   float position[4]; /* clip coordinates */
   float window[4];   /* after the viewport; w: 1 / w */
   float point_size;
   uint32_t outputs[A4XX_MAX_OUTPUTS]; /* by location: components */
};

struct a4xx_capture {
   unsigned draw;      /* number, from 1 on */
   unsigned primitive; /* 1 points, 2 lines, 3 triangles: corners of each */
   bool patches;
   bool rectangles;      /* by two corners that are opposite of each other */
   unsigned num_outputs; /* components */
   unsigned num_vertices;
   const struct a4xx_vertex *vertices;
   unsigned num_indices;
   const uint32_t *indices; /* of the primitives' corners */
};

/* Counters since the creation. */
struct a4xx_stats {
   uint64_t submits, packets, draws, vertices, patches, primitives;
   uint64_t samples;      /* that passed all tests */
   uint64_t instructions; /* of lanes, without nops */
};

struct a4xx_options {
   bool strict;      /* report undefined and suspicious uses */
   unsigned threads; /* for shading; 0 = one per core */
   struct a4xx_profile profile;
   /* Instructions of a wave, vertices of a draw, groups of a dispatch; more
    * are taken for a mistake.  0: four million. */
   unsigned limit;
   /* A diagnostic: its number (a4xx_diag.h) and one line of text; NULL = to
    * stderr. */
   void (*diag)(void *data, unsigned number, const char *text);
   /* Each draw before it is executed: its number, from 1 on; may be NULL. */
   void (*draw)(void *data, unsigned number);
   /* Each draw's vertices; may be NULL. */
   void (*capture)(void *data, const struct a4xx_capture *capture);
   /* The time, in cycles, for the counter of these; NULL: an instruction of
    * a lane takes one, as does a packet. */
   uint64_t (*clock)(void *data);
   void *data;
};

/* NULL: out of memory, or a profile with an impossible value. */
struct a4xx *
a4xx_create(const struct a4xx_options *options);
void
a4xx_destroy(struct a4xx *chip);

/* Memory that the chip can reach: whole pages of 4096 bytes.  False when
 * some of it is mapped, or without memory. */
bool
a4xx_map(struct a4xx *chip, uint32_t address, uint32_t size, void *cpu);
/* The memory that begins there; nothing happens when none does. */
void
a4xx_unmap(struct a4xx *chip, uint32_t address);

/* Executes a command stream; false: it was broken, and a diagnostic says
 * why. */
bool
a4xx_submit(struct a4xx *chip, uint32_t address, uint32_t dwords);

/* A register as it was last written. */
uint32_t
a4xx_register(const struct a4xx *chip, unsigned offset);
/* "PC_HS_PARAM", or NULL: nothing names it. */
const char *
a4xx_register_name(unsigned offset);

void
a4xx_get_stats(const struct a4xx *chip, struct a4xx_stats *stats);

#endif
