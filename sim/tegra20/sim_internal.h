/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What the simulator's own files agree on.  The path of a draw:
 *
 *   host1x.c   words -> register writes (class, offset, value)
 *   gr3d.c     register file, upload ports, snapshot of the state when 0x123
 *              is written
 *   vfetch.c   indices and attributes -> vertex inputs
 *   vpe.c      vertex program -> exports
 *   setup.c    linker, clipping, viewport, primitive assembly, culling
 *              -> struct gr3d_vertex
 *   raster.c   triangles, lines, points -> quads of covered pixels, early
 *              depth and stencil
 *   fragment.c PSEQ, MFU, TEX, ALU, DW over batches of fragments
 *   texture.c  texture units
 *   surface.c  render targets
 *   gr2d.c     the 2D engine
 *
 * numbers.h holds the only implementation of fp20 and fx10.
 */

#ifndef SIM_INTERNAL_H
#define SIM_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "adversary.h"
#include "overlap.h"
#include "sim.h"
#include "sim_diag.h"
#include "tegra20/tegra20_chip.h"

#define GR3D_NUM_REGS 0x1000
#define GR3D_TRAM_ROWS 16
#define GR3D_MAX_COORD \
   (1 << 19) /* window coordinates in struct gr3d_vertex, 1/16 pixel */
#define SIM_NUM_WAIT_BASES 8

/* What the registers, programs and constants hold that a job has not written
 * (assumption A75). */
#define SIM_POISON 0xa5c35a3cu
#define SIM_POISON_TRAM 0x5a5a5u

/* The ranges of the current job, sorted by address; the simulator's own copy.
 */
struct sim_memory {
   struct sim_range *ranges;
   unsigned num_ranges;
   unsigned capacity;
};

/*
 * written: not 0 when this job has written the register.  Strict mode makes
 * some entries 2 behind a draw, so that a later write (1) can be told from an
 * earlier one (surface_check.c).
 */
struct gr3d_regs {
   uint32_t value[GR3D_NUM_REGS];
   uint8_t written[GR3D_NUM_REGS];
};

/*
 * Program memories behind the upload ports (gr3d-registers.md 2.2).  The
 * counts are the highest entry written in this job plus one.
 */
struct gr3d_programs {
   uint32_t vp[256][4];     /* W3 first, as uploaded */
   uint8_t vp_written[256]; /* bit n: word n */
   uint32_t vp_const[TEGRA20_CHIP_MAX_VS_CONSTS][4];
   uint8_t vp_const_written[TEGRA20_CHIP_MAX_VS_CONSTS]; /* bit n: component
                                                            n */
   uint32_t vp_serial;       /* changes with every word through port 0x206 */
   uint32_t vp_const_serial; /* the same for port 0x208 */
   uint32_t
      fp_serial; /* the same for the ports of the fragment program tables */
   uint32_t pseq[64], mfu_sched[64], tex[64], alu_sched[64],
      alu_complement[64], dw[64];
   unsigned pseq_count, mfu_sched_count, tex_count, alu_sched_count,
      alu_complement_count, dw_count;
   uint32_t mfu[64][2];                      /* high word first */
   uint32_t alu[TEGRA20_CHIP_MAX_FS_ALU][8]; /* FIFO order */
   unsigned mfu_words, alu_words;
};

/*
 * A vertex after the vertex program, the linker and the viewport, ready for
 * the rasteriser.
 *
 * x, y: window position in 1/16 pixel (assumption A22: snapped), row 0 of
 * memory is y = 0, within +-GR3D_MAX_COORD. z: window depth before polygon
 * offset; inside the depth range unless GUARDBAND_DEPTH is above 1
 * (assumption A20). rw: 1 / w_clip (> 0 after clipping). tram: one raw 20-bit
 * register per row and column, as the linker stored it.
 */
struct gr3d_vertex {
   int32_t x, y;
   float z;
   float rw;
   uint32_t tram[GR3D_TRAM_ROWS][4];
};

struct gr3d;

/* raster.c.  v[] are in drawing order, "provoking" is an index into v. front:
 * facing as assumption A29 has it. */
void
gr3d_raster_triangle(struct gr3d *gr3d, const struct gr3d_vertex *const v[3],
                     unsigned provoking, bool front);
void
gr3d_raster_line(struct gr3d *gr3d, const struct gr3d_vertex *const v[2],
                 unsigned provoking);
void
gr3d_raster_point(struct gr3d *gr3d, const struct gr3d_vertex *v);

/*
 * Called by gr3d.c around the primitives of one draw.  begin decodes the
 * fragment program and the surfaces from the registers and returns false when
 * the draw cannot run (a diagnostic was reported); end returns when every
 * fragment is in memory.
 */
bool
gr3d_fragment_begin(struct gr3d *gr3d);
void
gr3d_fragment_end(struct gr3d *gr3d);

/* What the register description says of an offset. */
enum gr3d_reg_kind {
   GR3D_REG_UNKNOWN,
   GR3D_REG_THIS_CHIP,
   GR3D_REG_OTHER_CHIP
};

struct gr3d_fragment_state; /* fragment.c */
struct gr3d_vertex_state;   /* vertex.h */

/* fragment.c: frees gr3d->fragment, which may be NULL, and stops its threads.
 */
void
gr3d_fragment_fini(struct gr3d *gr3d);

/* What an engine of several was told by 0xe41. */
struct gr3d_engine {
   uint32_t identity;
   bool told; /* since the last draw */
};

struct gr3d {
   struct sim *sim;
   const struct tegra20_chip_info *chip;
   struct gr3d_engine engine[TEGRA20_CHIP_MAX_ENGINES];
   unsigned lines; /* of 16 rows that the draw reaches: bit 0 the even, bit
                      1 the odd ones */
   unsigned engines_told; /* before this draw; a bit for each */
   bool fdc_invalidated;  /* since the last draw */
   bool written_411;      /* in this job */
   uint16_t zeroed_750;   /* in this job: 0x750 to 0x75f (A107) */
   struct gr3d_regs regs;
   struct gr3d_programs prog;
   struct gr3d_fragment_state *fragment;
   struct gr3d_vertex_state *vertex;
   void *vertex_memory;             /* what vertex points into */
   uint8_t reg_kind[GR3D_NUM_REGS]; /* enum gr3d_reg_kind */
   uint32_t
      flat_mask[GR3D_TRAM_ROWS]; /* per row: bit c low half of column c flat,
                                    bit 4 + c high half; fp20: both */
   uint32_t tram_written[GR3D_TRAM_ROWS]; /* same layout: component is
                                             supplied by the linker */
   unsigned draw_number;                  /* in this job */
   atomic_llong clocks_left; /* of the job, until the kernel would give up */
};

struct gr2d {
   struct sim *sim;
   uint32_t regs[0x80];
   uint8_t written[0x80];
   uint8_t *scratch; /* gr2d_scratch() */
   size_t scratch_size;
};

#define SIM_MAX_WEIGHT (1 << 14)   /* of struct sim's weights, either way */
#define SIM_WEIGHTS_AS_NUMBERS 255 /* the value of A43 when they count */

struct sim {
   struct sim_options options;
   struct sim_memory memory; /* of the current job */
   struct gr3d gr3d;
   struct gr2d gr2d;
   uint32_t syncpt[SIM_NUM_SYNCPTS];
   struct sim_stats stats;
   struct sim_adversary *adversary; /* or NULL */
   struct sim_overlap *overlap;     /* NULL without adversary */
   uint32_t wait_base[SIM_NUM_WAIT_BASES];
   uint8_t
      switches[160];  /* value index per assumption number, see switches.c */
   int weights[2];    /* A43 as numbers: error and offset, in 2^-24 */
   uint32_t class_id; /* class that register writes go to */
   bool hang;         /* set by sim_hang(); ends the job */
   bool raised;       /* the job has raised a sync point */
   bool cut;          /* the job before may go on */
   pthread_mutex_t diag_lock;
   struct sim_diag_seen
      *diag_seen; /* diag.c: what this job has reported already */
};

/*
 * memory.c.  A pointer to size bytes at a device address, or NULL when they
 * are not wholly inside one range of the job (then a SIM_DIAG_MEMORY_...
 * diagnostic was reported).
 */
uint8_t *
sim_memory_at(struct sim *sim, uint32_t address, uint32_t size,
              const char *what);
/* The range that holds address, or NULL; no diagnostic.  For callers that
 * check once and then access in a loop. */
const struct sim_range *
sim_memory_find(const struct sim *sim, uint32_t address);

/*
 * The first piece of [address, address + size) that is inside the job's
 * memory: its bytes, where it starts relative to address and its length. NULL
 * when there is none.  No diagnostic.
 */
uint8_t *
sim_memory_clip(const struct sim *sim, uint32_t address, uint32_t size,
                uint32_t *offset, uint32_t *length);
bool
sim_memory_begin(struct sim *sim, const struct sim_range *ranges,
                 unsigned num_ranges);
void
sim_memory_fini(struct sim *sim);

/*
 * diag.c.  Reports in strict mode only, and each (number, reg, program_pos)
 * once per job; threads may call it. reg is a register offset or SIM_NO_REG,
 * program_pos an instruction number or -1.
 */
#define SIM_NO_REG (~0u)
void
sim_report(struct sim *sim, unsigned number, uint32_t reg, int program_pos,
           const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Reports in every mode and ends the job with SIM_HANG. */
void
sim_hang(struct sim *sim, unsigned number, uint32_t reg, int program_pos,
         const char *format, ...) __attribute__((format(printf, 5, 6)));
bool
sim_diag_init(struct sim *sim);
void
sim_diag_job_begin(struct sim *sim);
void
sim_diag_fini(struct sim *sim);

/* switches.c: value index of assumption "A<number>". */
static inline unsigned
sim_switch(const struct sim *sim, unsigned number)
{
   return sim->switches[number];
}

/* host1x.c: executes the words of one gather; returns false when the job
 * hangs. */
bool
host1x_gather(struct sim *sim, const uint32_t *words, uint32_t count);
/* The same: a wait for a sync point that options.syncpts owns; sets hang when
 * it was given up. */
void
sim_wait_outside(struct sim *sim, unsigned index, uint32_t threshold);

/* gr3d.c: the engines that hear a register write now, a bit for each. */
unsigned
gr3d_write_mask(const struct gr3d *gr3d);

/* gr3d.c: hangs the job when it has used up its clocks. */
void
gr3d_check_time(struct gr3d *gr3d);

/* gr3d.c: allocation of what a GR3D needs besides its registers. */
bool
gr3d_init(struct gr3d *gr3d, struct sim *sim);
void
gr3d_fini(struct gr3d *gr3d);

/* Engine entry points for host1x.c: a register write of the class. */
void
gr3d_job_begin(struct gr3d *gr3d);
void
gr3d_write(struct gr3d *gr3d, uint32_t offset, uint32_t value);
/* The vertices and fragments of a draw, with the registers as they are. */
void
gr3d_run_draw(struct gr3d *gr3d);
void
gr2d_fini(struct gr2d *gr2d);
void
gr2d_job_begin(struct gr2d *gr2d);
void
gr2d_write(struct gr2d *gr2d, uint32_t class_id, uint32_t offset,
           uint32_t value);
/* The operation that writing this register starts. */
void
gr2d_run(struct gr2d *gr2d, uint32_t class_id, uint32_t offset);

#endif
