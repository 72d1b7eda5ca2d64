/*
 * SPDX-License-Identifier: MIT
 *
 * What the simulator's own files agree on.  The path of a draw:
 *
 *   host1x.c   words -> register writes (class, offset, value)
 *   gr3d.c     register file, upload ports, snapshot of the state when 0x123 is written
 *   vfetch.c   indices and attributes -> vertex inputs
 *   vpe.c      vertex program -> exports
 *   setup.c    linker, clipping, viewport, primitive assembly, culling -> struct gr3d_vertex
 *   raster.c   triangles, lines, points -> quads of covered pixels, early depth and stencil
 *   fragment.c PSEQ, MFU, TEX, ALU, DW over batches of fragments
 *   texture.c  texture units;  surface.c  render targets
 *   gr2d.c     the 2D engine
 *
 * numbers.h holds the only implementation of fp20 and fx10.
 */

#ifndef SIM_INTERNAL_H
#define SIM_INTERNAL_H

#include "sim.h"
#include "sim_diag.h"

#define GR3D_NUM_REGS 0x1000
#define GR3D_TRAM_ROWS 16

struct sim_memory {
   const struct sim_range *ranges;
   unsigned num_ranges;
};

/* One bit of knowledge about a register in this job: written since the job began? */
struct gr3d_regs {
   uint32_t value[GR3D_NUM_REGS];
   uint8_t written[GR3D_NUM_REGS];
};

/* Program memories behind the upload ports (gr3d-registers.md 2.2).  "loaded" counts entries written in this job. */
struct gr3d_programs {
   uint32_t vp[256][4];      /* W3 first, as uploaded */
   uint8_t vp_written[256];
   uint32_t vp_const[256][4];
   uint8_t vp_const_written[256][4];
   uint32_t pseq[64], mfu_sched[64], tex[64], alu_sched[64], alu_complement[64], dw[64];
   unsigned pseq_count, mfu_sched_count, tex_count, alu_sched_count, alu_complement_count, dw_count;
   uint32_t mfu[64][2];      /* high word first */
   uint32_t alu[64][8];      /* FIFO order */
   unsigned mfu_words, alu_words;
};

/*
 * A vertex after the vertex program, the linker and the viewport, ready for the rasteriser.
 *
 * x, y: window position in 1/16 pixel (assumption A22: snapped), row 0 of memory is y = 0.
 * z: window depth before polygon offset, 0 .. 1 - 2^-20.
 * rw: 1 / w_clip (> 0 after clipping).
 * tram: one raw 20-bit register per row and column, as the linker stored it.
 */
struct gr3d_vertex {
   int32_t x, y;
   float z;
   float rw;
   uint32_t tram[GR3D_TRAM_ROWS][4];
};

struct gr3d;

/* raster.c.  v[] are in drawing order, "provoking" is an index into v.  front: facing as assumption A29 has it. */
void gr3d_raster_triangle(struct gr3d *gr3d, const struct gr3d_vertex *const v[3], unsigned provoking, bool front);
void gr3d_raster_line(struct gr3d *gr3d, const struct gr3d_vertex *const v[2], unsigned provoking);
void gr3d_raster_point(struct gr3d *gr3d, const struct gr3d_vertex *v);

/*
 * Called by gr3d.c around the primitives of one draw.  begin decodes the fragment program and the surfaces from the
 * registers and returns false when the draw cannot run (a diagnostic was reported); end returns when every fragment is
 * in memory.
 */
bool gr3d_fragment_begin(struct gr3d *gr3d);
void gr3d_fragment_end(struct gr3d *gr3d);

struct gr3d_fragment_state; /* fragment.c */

struct gr3d {
   struct sim *sim;
   struct gr3d_regs regs;
   struct gr3d_programs prog;
   struct gr3d_fragment_state *fragment;
   uint32_t flat_mask[GR3D_TRAM_ROWS]; /* per row: bits 0..3 low or whole column c flat, 4..7 high half of column c flat */
   uint32_t tram_written[GR3D_TRAM_ROWS]; /* same layout: component is supplied by the linker */
   unsigned draw_number; /* in this job */
};

struct gr2d {
   struct sim *sim;
   uint32_t regs[0x80];
   uint8_t written[0x80];
};

struct sim {
   struct sim_options options;
   struct sim_memory memory; /* of the current job */
   struct gr3d gr3d;
   struct gr2d gr2d;
   uint32_t syncpt[SIM_NUM_SYNCPTS];
   struct sim_stats stats;
   uint8_t switches[96]; /* value index per assumption number, see switches.c */
   bool hang;            /* set by whoever finds the engine stuck; ends the job */
};

/*
 * memory.c.  A pointer to size bytes at a device address, or NULL when they are not wholly inside one range of the job
 * (then a SIM_DIAG_MEMORY_... diagnostic was reported).
 */
uint8_t *sim_memory_at(struct sim *sim, uint32_t address, uint32_t size, const char *what);
/* The range that holds address, or NULL; no diagnostic.  For callers that check once and then access in a loop. */
const struct sim_range *sim_memory_find(const struct sim *sim, uint32_t address);

/* diag.c.  Reports in strict mode only, unless the number is one of the always-reported ones. */
void sim_report(struct sim *sim, unsigned number, uint32_t reg, int program_pos, const char *format, ...)
   __attribute__((format(printf, 5, 6)));

/* switches.c: value index of assumption "A<number>". */
static inline unsigned
sim_switch(const struct sim *sim, unsigned number)
{
   return sim->switches[number];
}

/* Engine entry points for host1x.c: a register write of the class. */
void gr3d_job_begin(struct gr3d *gr3d);
void gr3d_write(struct gr3d *gr3d, uint32_t offset, uint32_t value);
void gr2d_job_begin(struct gr2d *gr2d);
void gr2d_write(struct gr2d *gr2d, uint32_t class_id, uint32_t offset, uint32_t value);

#endif
