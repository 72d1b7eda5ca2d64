/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The back half of the GR3D model, from the rasteriser to memory.  How a draw
 * runs:
 *
 *   gr3d_fragment_begin   fragment.c
 *      decodes the fragment program (fragment_decode.c; kept while the tables
 *      are the same), reads the state registers, resolves uniforms
 *   gr3d_raster_*         raster.c
 *      turn a primitive into a struct sim_fs_prim: edge functions, planes for
 *      depth and varyings; primitives are collected
 *   flush                 fragment.c
 *      checks the touched part of every surface against the job's memory,
 *      sorts the primitives into tiles and hands the tiles to the threads
 *      (threads.c)
 *   per tile              raster.c
 *      walks strips of 8x2 pixels, fills blocks of up to SIM_FS_STRIPS strips
 *   per block             fragment_exec.c
 *      early depth and stencil (depth_stencil.c), then the program: every
 *      operation runs over all lanes of the block before the next one starts
 *      (fragment_mfu.c, texture.c, fragment_alu.c, surface.c)
 *
 * A tile belongs to one thread, and a thread takes the primitives of a tile
 * in drawing order and finishes one before it starts the next: every fragment
 * sees what all earlier fragments of its pixel stored (assumption A56),
 * whatever the number of threads.  A draw in which one tile could see another
 * one's stores (a texture or a second surface in the memory of a written
 * surface) runs on one thread.
 *
 * A block is structure of arrays: lane = 16 * strip + 8 * row + column, so a
 * quad of a strip is the lanes 2k, 2k + 1, 2k + 8, 2k + 9.  Lanes outside the
 * primitive run along: derivatives need them.
 */

#ifndef SIM_FRAGMENT_H
#define SIM_FRAGMENT_H

#include "numbers.h"
#include "sim_internal.h"
#include "threads.h"

#define SIM_FS_STRIPS 8
#define SIM_FS_STRIP_LANES 16
#define SIM_FS_LANES (SIM_FS_STRIPS * SIM_FS_STRIP_LANES)
#define SIM_FS_MAX_EXECS 64
#define SIM_FS_MAX_VARYINGS 192   /* rows * columns * parts */
#define SIM_FS_MAX_CONSTANTS 2048 /* operands of all packets */
#define SIM_FS_TILE_LOG2 6
#define SIM_FS_TILE (1 << SIM_FS_TILE_LOG2)

/*
 * Loops over lanes are written for the vectoriser; one copy of each function
 * per instruction set is made and the best one chosen at load time.  All
 * copies compute the same: no contraction, no reassociation.
 */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
   !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&  \
   defined(__GLIBC__)
#define SIM_LANES \
   __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define SIM_LANES
#endif
#define SIM_INLINE static inline __attribute__((always_inline))

/* --- number helpers for lane loops --- */

SIM_INLINE double
sim_double_from_bits(uint64_t bits)
{
   double d;
   memcpy(&d, &bits, sizeof(d));
   return d;
}

SIM_INLINE uint64_t
sim_double_bits(double d)
{
   uint64_t bits;
   memcpy(&bits, &d, sizeof(bits));
   return bits;
}

#define SIM_FP20_MAX_VALUE 0x1.fff8p+32 /* value of SIM_FP20_MAX */

/* The fp20 value nearest to d, as a double: sim_fp20_from_double() without
 * the packing. */
SIM_INLINE double
sim_fp20_round(double d)
{
   uint64_t bits = sim_double_bits(d);
   bits = (bits + 0x3fffffffffull + ((bits >> 39) & 1)) & ~0x7fffffffffull;
   double r = sim_double_from_bits(bits);
   r = r < SIM_FP20_MAX_VALUE ? r : SIM_FP20_MAX_VALUE;
   r = r > -SIM_FP20_MAX_VALUE ? r : -SIM_FP20_MAX_VALUE;
   double a = r < 0 ? -r : r;
   return a > 0x1p-31 ? r : 0.0;
}

/* The code of the fp20 value nearest to d.  What has 64 bits is kept short:
 * vectors have few operations for them. */
SIM_INLINE uint32_t
sim_fp20_code(double d)
{
   uint64_t bits = sim_double_bits(d);
   uint64_t magnitude = bits & 0x7fffffffffffffffull;
   int32_t code =
      (int32_t)((magnitude + 0x3fffffffffull + ((magnitude >> 39) & 1)) >>
                39) -
      (992 << 13);
   uint32_t sign = (uint32_t)(bits >> 44) & 0x80000u;
   code = code < (int32_t)SIM_FP20_MAX ? code : (int32_t)SIM_FP20_MAX;
   return code > 0 ? (uint32_t)code | sign : 0;
}

/* The code of a float that already is an fp20 value. */
SIM_INLINE uint32_t
sim_fp20_pack(float f)
{
   uint32_t bits = sim_float_bits(f);
   uint32_t magnitude = ((bits & 0x7fffffffu) >> 10) - (96u << 13);
   uint32_t packed = ((bits >> 12) & 0x80000u) | magnitude;
   return bits << 1 ? packed : 0;
}

/* floor(256 d + 0.5) clamped to -512..511. */
SIM_INLINE int32_t
sim_fx10_round(double d)
{
   double t = d * 256.0 + 512.5;
   t = t > 0.0 ? t : 0.0;
   t = t < 1023.0 ? t : 1023.0;
   return (int32_t)t - 512;
}

/* --- the decoded program --- */

enum sim_fs_operand_kind {
   SIM_FS_OPERAND_CONSTANT, /* index into the draw's constants: uniforms,
                           packet constants, 0 and 1, unknown registers */
   SIM_FS_OPERAND_ROW, /* raw 20-bit lanes: rows, globals' poison, posx, posy,
                      face */
   SIM_FS_OPERAND_ALU, /* result of the previous packet */
   SIM_FS_OPERAND_COND,     /* condition register as fx10 */
   SIM_FS_OPERAND_COND_RAW, /* a pair of condition registers as fp20 */
};

/* Raw lane arrays behind r0..r15. */
enum sim_fs_raw {
   SIM_FS_RAW_POSX = 16,
   SIM_FS_RAW_POSY,
   SIM_FS_RAW_FACE,
   SIM_FS_RAW_GLOBAL,
   SIM_FS_RAW_POISON = SIM_FS_RAW_GLOBAL + 8,
   SIM_FS_NUM_RAW
};

struct sim_fs_operand {
   uint8_t kind;
   uint8_t index; /* row register, unit, condition register */
   uint16_t constant;
   uint8_t reg; /* as encoded */
   bool high, fx10, absolute, negate, times_two;
   uint8_t minus_one; /* what it subtracts; 2 where the doubling comes behind
                         it (A48) */
   bool is_zero, is_one; /* known at decode time */
   bool wide;            /* an fp20 minus one: no single-precision number */
};

enum sim_fs_alu_op { SIM_FS_MAD, SIM_FS_MIN, SIM_FS_MAX, SIM_FS_CSEL };
enum sim_fs_alu_cond {
   SIM_FS_COND_NONE,
   SIM_FS_COND_EQ,
   SIM_FS_COND_GT,
   SIM_FS_COND_GE
};

/* How a unit is computed, see fragment_alu.c. */
enum sim_fs_path {
   SIM_FS_PATH_GENERAL,
   SIM_FS_PATH_FLOAT,
   SIM_FS_PATH_MAD,
   SIM_FS_PATH_WIDE
};

enum sim_fs_dest {
   SIM_FS_DEST_NONE,
   SIM_FS_DEST_LOW,
   SIM_FS_DEST_HIGH,
   SIM_FS_DEST_FULL,
   SIM_FS_DEST_PAIR, /* addition disabled: both halves */
   SIM_FS_DEST_COND,
   SIM_FS_DEST_KILL,
};

struct sim_fs_unit {
   uint8_t op;
   bool active; /* has an effect that somebody sees */
   bool send, recv, no_addition, saturate;
   uint8_t scale, cond;
   uint8_t dest, dest_index;
   bool pair_swap; /* SIM_FS_DEST_PAIR: A*B goes to the high half */
   bool need_alu;  /* the next packet reads this unit's result */
   uint8_t path;   /* enum sim_fs_path */
   bool constant;  /* no operand differs between fragments */
   bool narrow;    /* every operand is a single-precision number */
   bool has_d;
   uint8_t adds; /* mask of the units whose results it adds, but for the left
                    neighbour that it receives from */
   struct sim_fs_operand a, b, c, d;
};

struct sim_fs_packet {
   struct sim_fs_unit unit[4];
   bool has_constants;
   bool accumulates;
   uint8_t order[4]; /* evaluation order when units receive from others */
};

enum sim_fs_sfu {
   SIM_FS_SFU_NONE,
   SIM_FS_SFU_RCP,
   SIM_FS_SFU_RSQ,
   SIM_FS_SFU_LG2,
   SIM_FS_SFU_EX2,
   SIM_FS_SFU_SQRT,
   SIM_FS_SFU_SIN,
   SIM_FS_SFU_COS,
   SIM_FS_SFU_FRC,
   SIM_FS_SFU_PRE_EX2,
   SIM_FS_SFU_PRE_SIN,
   SIM_FS_SFU_PRE_COS
};

struct sim_fs_mfu {
   uint8_t sfu, sfu_reg;
   bool barycentric_setup; /* rcp r4 with both weight multiplies: the usual
                              first instruction */
   struct {
      uint8_t dest, src0, src1;
   } mul[2];
   struct {
      uint8_t op; /* 0 none, 1 fp20, 2 two fx10, 3 unknown */
      bool saturate;
      uint8_t row;
      uint16_t
         varying; /* first index into sim_fs_program.varying; two for op 2 */
   } var[4];
   bool interpolates;
};

struct sim_fs_exec {
   bool fetch;
   uint8_t fetch_surface, fetch_reg;
   uint8_t num_mfu, num_alu;
   uint8_t mfu[3];    /* indices into the program's pool */
   uint8_t alu_first; /* see sim_fs_packet_index() */
   bool tex;
   bool tex_bias;
   uint8_t tex_unit, tex_src, tex_dst;
   bool store, store_stencil;
   uint8_t store_surface, store_reg;
};

/* One number that the rasteriser must supply per fragment. */
struct sim_fs_varying {
   uint8_t row, column;
   uint8_t part; /* 0 fp20, 1 fx10 low, 2 fx10 high */
};

struct sim_fs_constant {
   bool uniform;
   uint8_t reg;  /* uniform number */
   uint32_t raw; /* when not a uniform */
   struct sim_fs_operand operand;
};

struct sim_fs_program {
   uint64_t hash;
   uint32_t last_use;
   unsigned rows; /* N */
   unsigned num_execs;
   unsigned clocks; /* per fragment, fragment-pipeline.md 1.5 */
   struct sim_fs_exec exec[SIM_FS_MAX_EXECS];
   struct sim_fs_mfu mfu[64];
   struct sim_fs_packet alu[TEGRA20_CHIP_MAX_FS_ALU];
   unsigned num_packets; /* of the chip's table */
   struct sim_fs_varying varying[SIM_FS_MAX_VARYINGS];
   unsigned num_varyings;
   struct sim_fs_constant constant[SIM_FS_MAX_CONSTANTS];
   unsigned num_constants;
   uint32_t uniforms_read; /* bit per uniform register */
   uint16_t textures;      /* bit per unit */
   uint16_t surfaces_read, surfaces_written;
   bool kills, stores_stencil;
   bool uses_position, uses_face, uses_z;
   bool interpolates;
   bool alu_in_first_packet;
   bool uses_globals;    /* A49 the other way */
   unsigned switches;    /* enum sim_fs_decode_switch */
   bool conditions;      /* uses condition registers */
   uint8_t inherit_rows; /* first-batch rows whose r0..r3 start as the MFU
                            results of an earlier row */
   uint16_t undefined;   /* row registers that somebody may read before both
                            halves were written */
   bool plain_weights;   /* weights come from the usual first instruction only
                          */
   uint64_t hazard[2];   /* packets whose row writes a neighbour reads too
                         early:   bit per pool entry */
   uint32_t key[64 * 6 + 64 * 2 + TEGRA20_CHIP_MAX_FS_ALU * 8 +
                3]; /* what was decoded, for comparison */
   unsigned key_words;
};

/* Number i of an EXEC's packets; behind the last one of the table comes the
 * first. */
static inline unsigned
sim_fs_packet_index(const struct sim_fs_program *p,
                    const struct sim_fs_exec *exec, unsigned i)
{
   return (exec->alu_first + i) & (p->num_packets - 1);
}

/* --- the state of one draw --- */

struct sim_fs_surface {
   bool used, enabled;
   uint8_t format;
   bool tiled, dither;
   uint8_t cpp;
   uint32_t pitch, base;
   uint8_t *cpu; /* byte (0, 0) when everything that the current flush touches
                    is inside one buffer, else NULL */
   uint32_t thresholds; /* of dithering */
   bool unreadable;     /* A69: fetches give 0 */
   uint8_t *before; /* A56: what fetches of 32-bit pixels see instead of cpu,
                       or NULL */
};

struct sim_fs_level {
   uint32_t width, height, pitch;
   uint64_t address; /* device address, may exceed 32 bits when registers are
                        garbage */
   const uint8_t *cpu;
};

enum sim_fs_wrap {
   SIM_FS_WRAP_REPEAT,
   SIM_FS_WRAP_MIRROR,
   SIM_FS_WRAP_CLAMP
};

#define SIM_FS_MAX_LEVELS 16

struct sim_fs_texture {
   bool used;
   uint8_t format;
   bool in_texels; /* A133: coordinates count texels of level 0 */
   bool compressed, npot, mipmaps, mag_linear, min_linear, mip_linear;
   uint8_t wrap_s, wrap_t;
   bool cube; /* A59: only when a switch names a descriptor bit for it */
   uint64_t face_bytes; /* distance of the chains of two faces */
   uint8_t max_level;
   uint8_t cpp; /* bytes per texel, or per block when compressed */
   struct sim_fs_level level[SIM_FS_MAX_LEVELS];
};

struct sim_fs_stencil_face {
   uint8_t mask, func, ref, write_mask;
   uint8_t fail, zfail, zpass;
};

struct sim_fs_depth_stencil {
   bool depth_test, depth_write;
   bool late_depth; /* A35: written behind the program */
   bool compare20;  /* A34: the stored value is compared with all 20 bits */
   uint8_t depth_func;
   int32_t range_min, range_max; /* 20 bits, one unit of slack */
   bool clamp; /* A20: fragments outside are clamped to clamp_min .. clamp_max
                  instead */
   int32_t clamp_min, clamp_max;
   double rounding;  /* A33: added to z * 2^20 before it is cut */
   bool range_late;  /* A88: the range is that of the depth with the polygon
                        offset */
   bool late_passed; /* A36: a late stencil write takes place for fragments
                        that passed only */
   bool stencil_test, early_write, late_write;
   struct sim_fs_stencil_face face[2]; /* front, back */
};

/* value(x, y) at pixel centres = (c + a * x + b * y) */
struct sim_fs_plane {
   double a, b, c;
};

/*
 * A primitive.  The edge functions are exact: E(x, y) = c + a * x + b * y at
 * the centre of pixel (x, y), in units of 1/256 pixel^2, the top-left rule
 * already in c: inside means E >= 0 for all three. weight[i] is the share of
 * vertex i, linear on the screen (the third one is 1 - the others).
 */
struct sim_fs_prim {
   int32_t min_x, min_y, max_x,
      max_y; /* pixels, max exclusive, inside the scissor */
   bool has_edges;
   bool z_inside; /* no fragment can leave the depth range */
   bool front;
   bool affine; /* all rw equal: no division per fragment */
   struct {
      int32_t a, b;
      int64_t c;
   } edge[3];
   struct sim_fs_plane weight[2];
   double rw[3];
   double z0, z1, z2, z_offset;
   uint32_t varyings; /* offset in the varying arena */
};

/* value = v2 + d0 * w0 + d1 * w1 */
struct sim_fs_prim_varying {
   double v2, d0, d1;
};

/* A136: the lines of a texture cache of 4 KiB. */
#define SIM_FS_CACHE_LINES 256

struct sim_fs_stats {
   uint64_t fragments, lookups, clocks;
   uint64_t odd_clocks; /* of them, in lines of tiles of a second engine */
   uint64_t rejected_strips; /* no fragment passed the early tests */
   uint64_t texture_bytes, pixel_bytes, depth_bytes; /* A136 */
};

/* Things that go wrong while threads run; reported once per draw. */
enum sim_fs_trouble {
   SIM_FS_TROUBLE_SURFACE_RANGE = 1 << 0,
   SIM_FS_TROUBLE_TEXTURE_RANGE = 1 << 1,
};

struct sim_fs_block {
   unsigned num_strips, n; /* n = 16 * num_strips */
   int32_t x[SIM_FS_STRIPS], y[SIM_FS_STRIPS];
   bool full[SIM_FS_STRIPS]; /* all 16 lanes covered */
   const struct sim_fs_prim *prim;
   uint32_t raw[SIM_FS_NUM_RAW][SIM_FS_LANES] __attribute__((aligned(64)));
   uint32_t cover[SIM_FS_LANES]
      __attribute__((aligned(64))); /* ~0 inside the primitive */
   /* What follows is meaningful while one block is shaded only. */
   uint32_t live[SIM_FS_LANES]
      __attribute__((aligned(64))); /* ~0: tests passed and not killed */
   uint32_t killed[SIM_FS_LANES] __attribute__((aligned(64)));
   uint8_t late_op[SIM_FS_LANES] __attribute__((aligned(64)));
   /* results: two slots that alternate, and two for sim_fs_alu_packet()
    * outside the sequence (stale_results()) */
   float alu[4][4][SIM_FS_LANES] __attribute__((aligned(64)));
   float (*alu_in)[SIM_FS_LANES]; /* what alu0..3 read */
   float cond[16][SIM_FS_LANES] __attribute__((aligned(64)));
   double b0[SIM_FS_LANES] __attribute__((aligned(64)));
   double b1[SIM_FS_LANES] __attribute__((aligned(64)));
   double r4[SIM_FS_LANES] __attribute__((aligned(64)));
   double w0[SIM_FS_LANES] __attribute__((aligned(64)));
   double w1[SIM_FS_LANES] __attribute__((aligned(64)));
   bool weights_ready; /* w0 and w1 are those of this block */
   uint32_t z20[SIM_FS_LANES] __attribute__((aligned(64)));
   uint32_t stage[4][4][SIM_FS_LANES] __attribute__((aligned(64)));
   /* scratch for operands and results of the unit being evaluated */
   float f[4][SIM_FS_LANES] __attribute__((aligned(64)));
   float float_result[SIM_FS_LANES] __attribute__((aligned(64)));
   double d[4][SIM_FS_LANES] __attribute__((aligned(64)));
   double result[4][SIM_FS_LANES] __attribute__((aligned(64)));
};

/* Switches that the inner functions look at; the defaults are 0. */
struct sim_fs_switches {
   bool cut_varyings;   /* A42: interpolated values are cut */
   double weight_scale; /* A43: what the two explicit weights are too large by
                         */
   double weight_offset; /* A43: what is added to them besides */
   bool round_weights;   /* A43: they are rounded to fp20 */
   bool no_delay; /* A44: register writes are visible to the next packet */
   bool raw_alu; /* A45: alu0..3 hold what the unit had before scale, saturate
                    and condition */
   bool wrap_fx10;       /* A46: overflow wraps */
   bool cut_fp20;        /* A47: ALU results are cut to fp20 */
   bool plain_position;  /* A51: posx and posy without the 8192 */
   bool limited_special; /* A54: two-step functions give 0 outside their range
                          */
   bool one_store; /* A55: only the first store of a fragment to a surface
                      counts */
   bool
      round_filter; /* A63: filter weights are rounded to the nearest 1/64 */
   bool cut_filter; /* A82: filtered results are cut */
   bool stale_zero; /* A83: alu0..3 are 0 in the first packet */
   bool alu_bits;   /* A84: alu0..3 as fx10 are the halves of their 20 bits */
   bool zero_negative; /* A85: rsq, sqrt, lg2 of negative numbers give 0 */
   bool plain_step;    /* A86: the first step of a two-step function changes
                          nothing */
   bool old_product;   /* A87: the multipliers see registers as before the
                          special function */
   bool exact_alu; /* any of those that only the general path of the ALU knows
                    */
};

/* Switches that decoding looks at, a bit each. */
enum sim_fs_decode_switch {
   SIM_FS_DECODE_MINUS_FIRST = 1, /* A48: minus one comes before times two */
   SIM_FS_DECODE_GLOBALS =
      2, /* A49: global registers are registers of the fragment */
   SIM_FS_DECODE_SUM =
      4, /* A79: an EXEC costs its MFU instructions and its packets */
   SIM_FS_DECODE_SEND_ADDS = 8,  /* A89: what is sent is added whether the
                                receiver asks for it or not */
   SIM_FS_DECODE_PART_SUMS = 16, /* A95: A1 and A2 add to A0 when they send,
                                    not whenever A0 receives */
   SIM_FS_DECODE_KILL_MASK = 32, /* A131: a kill needs a half to write */
};

/* Of a unit that has constant operands only: what it stages, and the value
 * for alu0..3. */
struct sim_fs_unit_result {
   uint32_t stage;
   float alu;
};

struct sim_fs_worker {
   struct gr3d_fragment_state *fs;
   struct sim_fs_block block;
   struct sim_fs_stats stats;
   /* A136: addresses / 16 of what the texture cache holds, direct mapped;
    * empty at the start of a tile. */
   uint32_t line[SIM_FS_CACHE_LINES];
   unsigned trouble;
   uint16_t trouble_textures, trouble_surfaces;
};

/* A surface that earlier draws of the job stored to, for strict mode. */
struct sim_fs_drawn {
   uint64_t base, bytes;
   bool invalidated; /* 0xa00 = 0xe01 since then */
   uint16_t resent; /* texture units whose descriptor and pointer were written
                       since then */
};

struct gr3d_fragment_state {
   struct gr3d *gr3d;
   struct sim *sim;
   struct sim_threads *threads;
   unsigned num_workers;
   struct sim_fs_worker **worker;

   struct sim_fs_program **cache;
   unsigned cache_size;
   uint32_t cache_clock;
   struct sim_fs_program *program;
   uint32_t serial; /* fp_serial of "program" */

   /* the current draw */
   int32_t scissor_x0, scissor_y0, scissor_x1, scissor_y1;
   struct sim_fs_surface surface[16];
   struct sim_fs_texture texture[16];
   struct sim_fs_depth_stencil ds;
   double constants[SIM_FS_MAX_CONSTANTS]; /* operand modifiers applied */
   float (*constant_lanes)[SIM_FS_LANES];  /* the same for every lane, in
                                          single  precision */
   unsigned constant_capacity;
   struct sim_fs_unit_result unit_results[TEGRA20_CHIP_MAX_FS_ALU][4];
   float offset_units, offset_factor, point_size, line_width;
   struct sim_fs_switches switches;
   unsigned pixel_bytes; /* A136: that a fragment fetches and stores */
   bool serial_only;     /* one thread: stores of one tile may be visible to
                            another */

   struct sim_fs_drawn drawn[64];
   unsigned num_drawn;
   uint64_t tracked_job;
   bool fdc_invalidated; /* in this job */

   struct sim_fs_prim *prims;
   unsigned num_prims, prims_capacity;
   struct sim_fs_prim_varying *varyings;
   unsigned num_varyings, varyings_capacity;
   int32_t bound_x0, bound_y0, bound_x1, bound_y1;

   /* tiles of the current flush */
   unsigned tiles_x, tiles_y;
   int32_t tile_x0, tile_y0;
   uint32_t *tile_start; /* tiles + 1 */
   uint32_t *tile_list;
   unsigned tile_capacity, list_capacity;
};

/* fragment_decode.c: the program that the tables hold now, NULL after a
 * diagnostic. */
struct sim_fs_program *
sim_fs_program_get(struct gr3d_fragment_state *fs);
/* What the operands of a packet read: bits of row registers (behind them
 * those of globals), condition registers, alu0..3. */
void
sim_fs_packet_reads(const struct sim_fs_packet *packet, uint32_t *rows,
                    uint32_t *conds, unsigned *alus);

/* fragment_trace.c: fills in "undefined" and "plain_weights". */
void
sim_fs_trace(struct sim_fs_program *program);

/* fragment_check.c, surface_check.c: strict mode's reports about a program
 * and about a draw that uses it. */
void
sim_fs_check_program(struct gr3d_fragment_state *fs,
                     const struct sim_fs_program *program);
void
sim_fs_track_begin(struct gr3d_fragment_state *fs);
void
sim_fs_track_end(struct gr3d_fragment_state *fs);
void
sim_fs_check_draw(struct gr3d_fragment_state *fs,
                  const struct sim_fs_program *program);

/* fragment.c */
void
sim_fs_add_prim(struct gr3d_fragment_state *fs,
                const struct sim_fs_prim *prim,
                const struct gr3d_vertex *const v[3], unsigned provoking);
double
sim_fs_operand_value(const struct sim_fs_operand *operand, uint32_t raw);

/* raster.c */
void
sim_fs_raster_tile(struct sim_fs_worker *worker, unsigned tile);

/* fragment_exec.c */
void
sim_fs_shade(struct sim_fs_worker *worker);

/* depth_stencil.c: fills block->live from block->cover; false when no lane
 * needs the program.  *fragments: lanes that live. */
bool
sim_fs_early_tests(struct sim_fs_worker *worker, unsigned *fragments);
void
sim_fs_late_stencil(struct sim_fs_worker *worker);
void
sim_fs_late_depth(struct sim_fs_worker *worker);

/* fragment_mfu.c */
void
sim_fs_mfu(struct sim_fs_worker *worker, const struct sim_fs_mfu *mfu,
           uint32_t (*row)[SIM_FS_LANES]);
void
sim_fs_barycentric(struct sim_fs_worker *worker);

/* fragment_alu.c */
void
sim_fs_alu_packet(struct sim_fs_worker *worker,
                  const struct sim_fs_packet *packet, unsigned slot);
void
sim_fs_alu_constants(struct gr3d_fragment_state *fs);
void
sim_fs_alu_commit(struct sim_fs_worker *worker,
                  const struct sim_fs_packet *packet, unsigned slot);

/* texture.c */
void
sim_fs_texture_setup(struct gr3d_fragment_state *fs, unsigned unit);
void
sim_fs_texture_sample(struct sim_fs_worker *worker,
                      const struct sim_fs_exec *exec,
                      uint32_t (*row)[SIM_FS_LANES]);

/* texture_format.c: n texels as pairs of 16-bit fx10 values, low: component 0
 * | 1 << 16, high: 2 | 3 << 16. */
void
sim_fs_texels(struct sim_fs_worker *worker, unsigned unit,
              const struct sim_fs_level *level, const int32_t *x,
              const int32_t *y, unsigned n, uint32_t *low, uint32_t *high);
unsigned
sim_fs_texture_block_bytes(unsigned format, bool *compressed);

/* texture_compressed.c: texel (x, y), 0..3 each, of a block. */
void
sim_fs_decode_block_texel(unsigned format, const uint8_t *block, unsigned x,
                          unsigned y, int32_t component[4]);

/* fragment.c, A132: does 0x903 enable the depth buffer? */
bool
sim_fs_depth_enabled(const struct gr3d_fragment_state *fs);

/* surface.c */
void
sim_fs_surface_setup(struct gr3d_fragment_state *fs, unsigned index);
/* The format code as the switches want it: SIM_FS_ALPHA_TOP is set in 5551
 * and 4444 when A61 puts alpha on top. */
#define SIM_FS_ALPHA_TOP 0x20
#define SIM_FS_REPLICATED \
   0x40 /* A8 and L8 fill all components when A60 says so */
unsigned
sim_fs_format(const struct sim *sim, unsigned code);
unsigned
sim_fs_format_bytes(unsigned format); /* bytes per pixel of a surface or
                                     uncompressed texture, 0 unknown */
/* Bytes from the base to the end of the last pixel of the rectangle (0, 0) ..
 * (x1 - 1, y1 - 1). */
uint64_t
sim_fs_surface_extent(const struct sim_fs_surface *surface, uint32_t x1,
                      uint32_t y1);
bool
sim_fs_surface_rows_overlap(const struct sim_fs_surface *surface,
                            uint32_t x1);
void
sim_fs_surface_load(struct sim_fs_worker *worker, unsigned surface,
                    uint32_t *first, uint32_t *second);
void
sim_fs_surface_store(struct sim_fs_worker *worker, unsigned surface,
                     const uint32_t *first, const uint32_t *second);
/* Address of one pixel, NULL (and trouble noted) when it is outside the job's
 * memory. */
uint8_t *
sim_fs_surface_pixel(struct sim_fs_worker *worker, unsigned surface,
                     int32_t x, int32_t y);
/* Components of a 16-bit or 8-bit pixel of a surface or texel. */
void
sim_fs_unpack(unsigned format, uint32_t word, int32_t component[4]);
uint32_t
sim_fs_pack(unsigned format, const int32_t component[4]);

#endif
