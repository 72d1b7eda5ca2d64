/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Public interface of the Tegra20 compiler: NIR to the machine words of the
 * vertex engine, the linker and the fragment pipeline.  It knows neither
 * pipe_* types nor the kernel; the Gallium driver and the offline tools call
 * it alike.
 *
 * A vertex and a fragment program are compiled independently of each other;
 * tegra20_link_programs() then joins a pair.  A program has variants: the key
 * holds the state that changes the code.
 *
 * Everything that a program needs from the CPU at draw time (uniforms,
 * literals, state such as the blend colour, and expressions of those) is a
 * list of value nodes, evaluated by tegra20_values_eval().  Constant and
 * uniform registers, and constants embedded in packets, refer to nodes by
 * number.
 */

#ifndef TEGRA20_COMPILER_H
#define TEGRA20_COMPILER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "compiler/nir/nir.h"
#include "tegra20/tegra20_chip.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- hardware limits (vertex-pipeline.md 1, fragment-pipeline.md 1.4) --- */

/* Where chips differ, the largest limit, for arrays: struct tegra20_chip_info
 * has that of a chip. */

#define TEGRA20_VS_MAX_INSTS 256
#define TEGRA20_VS_MAX_CONSTS TEGRA20_CHIP_MAX_VS_CONSTS
#define TEGRA20_VS_MAX_TEMPS 32
#define TEGRA20_MAX_ATTRIBS 16
#define TEGRA20_MAX_EXPORTS 16
#define TEGRA20_MAX_LINKER 32
#define TEGRA20_MAX_TRAM_ROWS 16
#define TEGRA20_FS_MAX_EXECS 64
#define TEGRA20_FS_MAX_MFU 64
#define TEGRA20_FS_MAX_ALU TEGRA20_CHIP_MAX_FS_ALU
#define TEGRA20_FS_MAX_UNIFORMS 32
#define TEGRA20_MAX_SAMPLERS 16
#define TEGRA20_MAX_CBUFS 14 /* surfaces 1 and 3..15 */

/* --- values computed on the CPU --- */

enum tegra20_value_op {
   TEGRA20_VALUE_IMM,     /* the float whose bits are "arg" */
   TEGRA20_VALUE_UNIFORM, /* 32-bit word number "arg" of constant buffer 0 */
   TEGRA20_VALUE_PARAM,   /* parameter "arg", see tegra20_param */
   TEGRA20_VALUE_ALU, /* NIR operation "arg" (a nir_op of 32-bit floats) of up
                         to three nodes */
};

struct tegra20_value {
   uint8_t op;
   uint8_t num_src;
   uint16_t src[3]; /* numbers of earlier nodes */
   uint32_t arg;
};

struct tegra20_values {
   unsigned count;
   struct tegra20_value *nodes; /* ralloc child of the program */
};

#define TEGRA20_NO_VALUE 0xffff

/* State that the driver supplies as floats, one slot each; arrays are indexed
 * by unit or component. */
enum tegra20_param {
   TEGRA20_PARAM_VIEWPORT_SCALE = 0, /* x y z, pixels and depth 0..1 */
   TEGRA20_PARAM_VIEWPORT_BIAS = 3,  /* x y z */
   TEGRA20_PARAM_BLEND_COLOR = 6,    /* r g b a */
   TEGRA20_PARAM_ALPHA_REF = 10,
   TEGRA20_PARAM_POINT_SIZE = 11, /* pixels */
   TEGRA20_PARAM_TEX_SIZE = 12,   /* per unit: width height, texels */
   TEGRA20_PARAM_TEX_RCP_SIZE =
      TEGRA20_PARAM_TEX_SIZE +
      2 * TEGRA20_MAX_SAMPLERS, /* per unit: 1/width 1/height */
   TEGRA20_PARAM_TEX_LOD_BIAS =
      TEGRA20_PARAM_TEX_RCP_SIZE +
      2 * TEGRA20_MAX_SAMPLERS, /* per unit: mip levels */
   TEGRA20_PARAM_TEX_BORDER = TEGRA20_PARAM_TEX_LOD_BIAS +
                              TEGRA20_MAX_SAMPLERS, /* per unit: r g b a */
   TEGRA20_PARAM_TEX_CELLS =
      TEGRA20_PARAM_TEX_BORDER +
      4 * TEGRA20_MAX_SAMPLERS, /* per unit, 3D textures: number of slices,
                                   columns of cells, 1/columns, 1/rows */
   TEGRA20_PARAM_TEX_CORNER_START =
      TEGRA20_PARAM_TEX_CELLS, /* per unit, four each, corners: x, y, parts of
                                  the whole */
   TEGRA20_PARAM_TEX_GUTTER =
      TEGRA20_PARAM_TEX_CELLS +
      4 * TEGRA20_MAX_SAMPLERS, /* per unit, cells with gutters:
                                   1/(width + 2) 1/(height + 2) */
   TEGRA20_PARAM_TEX_CORNER =
      TEGRA20_PARAM_TEX_GUTTER, /* per unit, corners: width, height,
                                   parts of the whole; cubes: a texel, part
                                   of a cell */
   TEGRA20_PARAM_TEX_STEP =
      TEGRA20_PARAM_TEX_GUTTER +
      2 * TEGRA20_MAX_SAMPLERS, /* per unit: difference of the first
                                   coordinate for which the level of detail
                                   plus TEX_LOD_BIAS, without that of the
                                   application, is TEGRA20_LOD_OF_STEP */
   TEGRA20_PARAM_TEX_FIRST =
      TEGRA20_PARAM_TEX_STEP +
      TEGRA20_MAX_SAMPLERS, /* per unit: level that is the unit's first */
   TEGRA20_PARAM_TEX_LAST =
      TEGRA20_PARAM_TEX_FIRST +
      TEGRA20_MAX_SAMPLERS, /* per unit: number of the unit's last level */
   TEGRA20_PARAM_TEX_DEPTH =
      TEGRA20_PARAM_TEX_LAST +
      TEGRA20_MAX_SAMPLERS, /* per unit, 3D: of the view's first level */
   TEGRA20_PARAM_COUNT = TEGRA20_PARAM_TEX_DEPTH + TEGRA20_MAX_SAMPLERS,
};

/*
 * The ramp, a texture that tells the level of detail (fs_tex_cube.c): it has
 * TEGRA20_RAMP_LEVELS levels, of which the first is 2^(TEGRA20_RAMP_LEVELS -
 * 1) texels wide and one high.  Component 0 of the texels of level n is n *
 * TEGRA20_RAMP_STEP / 255.  The others are (n - 3c) / 3 of c = 0, 1, 2,
 * limited to 0..1, so that their sum is n / 3: it also gives fractions
 * between two levels, of the 10 that a cube map may have.
 */
#define TEGRA20_RAMP_LEVELS 12
#define TEGRA20_RAMP_STEP 21
#define TEGRA20_RAMP_PART 3 /* levels that a component is for */

/* The unit's level of detail for that difference.  It takes a bias of -16 and
 * more, and the copies of other sizes have up to half a level more. */
#define TEGRA20_LOD_OF_STEP 15

/*
 * Evaluates all nodes.  uniforms: words of constant buffer 0 (reads beyond
 * num_uniform_words give 0); params: TEGRA20_PARAM_COUNT floats; results:
 * values->count floats.
 */
void
tegra20_values_eval(const struct tegra20_values *values,
                    const uint32_t *uniforms, unsigned num_uniform_words,
                    const float *params, float *results);

/* float -> register formats (fragment-pipeline.md 2.1, 2.2): nearest even,
 * out of range clamped, NaN becomes 0. */
uint32_t
tegra20_float_to_fp20(float value);
uint32_t
tegra20_float_to_fx10(float value);

/* --- vertex programs --- */

struct tegra20_vs_key {
   bool clamp_color; /* clamp COL0/COL1/BFC0/BFC1 exports to 0..1 */
};

struct tegra20_vs_stats {
   unsigned insts, dual, cycles, temps, consts, loops;
   unsigned lower_bound; /* proven minimum of instructions for straight-line
                            programs, 0 = not computed */
};

struct tegra20_vs {
   unsigned num_insts;
   uint32_t (*insts)[4]; /* upload order: bits 127:96 first */

   struct tegra20_values values;
   unsigned num_consts; /* constant registers 0..num_consts-1 are used */
   uint16_t consts[TEGRA20_VS_MAX_CONSTS]
                  [4]; /* value node of each component or TEGRA20_NO_VALUE */

   uint16_t attribs_read; /* bit n: driver_location n of the vertex inputs */
   uint16_t
      exports_written; /* bit n: export n; bit 0 (position) is always set */
   uint8_t export_slot[TEGRA20_MAX_EXPORTS];       /* gl_varying_slot of each
                                                      written export */
   uint8_t export_components[TEGRA20_MAX_EXPORTS]; /* mask of the components
                                                      the program writes */
   int psiz_export; /* export that holds gl_PointSize in x, or -1 */

   struct tegra20_vs_stats stats;
};

/* --- fragment programs --- */

/* Order of the colour components in the four bytes (or channels) that a store
 * or fetch transfers, component 0 first. */
enum tegra20_rt_order {
   TEGRA20_RT_RGBA, /* also RGB565 and every format whose component 0 is red
                     */
   TEGRA20_RT_BGRA, /* component 0 is blue: the program swaps */
   TEGRA20_RT_RG,   /* components 2 and 3 are not part of the format */
   TEGRA20_RT_R,    /* component 3 is red, the only one that an A8 surface has
                     */
   TEGRA20_RT_FP20, /* one value of 20 bits, which is output component 0:
                       spilled by a part of a program for another part */
};

struct tegra20_fs_rt_key {
   bool bound;
   uint8_t order;     /* enum tegra20_rt_order */
   bool has_alpha;    /* false: destination alpha reads as 1 */
   uint8_t colormask; /* bit 0 red .. bit 3 alpha */
   bool blend_enable;
   uint8_t rgb_func, rgb_src,
      rgb_dst; /* enum pipe_blend_func, pipe_blendfactor (util/blend.h) */
   uint8_t alpha_func, alpha_src, alpha_dst;
   uint8_t surface; /* slot of the surface, 1 or 3..15 */
   uint8_t group;   /* TEGRA20_RT_FP20: tegra20_group(); 0: alone */
};

/* Values that parts of a program store and load together: a target has the
 * number of its group, from 0 on, and its place there. */
#define TEGRA20_GROUP_SIZE 4 /* at most */

static inline uint8_t
tegra20_group(unsigned number, unsigned place)
{
   return 1 + TEGRA20_GROUP_SIZE * number + place;
}

static inline int
tegra20_number_of_group(uint8_t group)
{
   return group ? (group - 1) / TEGRA20_GROUP_SIZE : -1;
}

static inline unsigned
tegra20_place_in_group(uint8_t group)
{
   return group ? (group - 1) % TEGRA20_GROUP_SIZE : 0;
}

enum tegra20_wrap {
   TEGRA20_WRAP_NATIVE, /* the texture unit does it: coordinates go in as they
                           are */
   TEGRA20_WRAP_REPEAT, /* emulate with frc (unit clamps) */
   TEGRA20_WRAP_MIRROR, /* emulate mirrored repeat */
   TEGRA20_WRAP_BORDER, /* clamp to border colour */
   TEGRA20_WRAP_CLAMP,  /* GL_CLAMP: half border when filtering linearly */
   TEGRA20_WRAP_MIRROR_CLAMP_TO_EDGE,
};

enum tegra20_tex_encoding {
   TEGRA20_TEX_PLAIN,
   TEGRA20_TEX_SRGB,    /* components 0..2 are decoded after filtering */
   TEGRA20_TEX_DEPTH16, /* component 0 is the high byte, 1 the low byte of a
                           depth value (assumption A39) */
   TEGRA20_TEX_FP20,    /* one value of 20 bits: TEGRA20_RT_FP20 */
};

/*
 * Cube maps and 3D textures are cells of one 2D texture (assumption A59).
 * Cubes: faces +X +Y +Z in the first of two rows and -X -Y -Z in the second;
 * a fourth column is empty.  3D: slice n in column n % columns, row n /
 * columns (TEGRA20_PARAM_TEX_CELLS).  TEGRA20_PARAM_TEX_SIZE is the size of
 * one cell.
 */
struct tegra20_fs_tex_key {
   uint8_t target;   /* enum glsl_sampler_dim of the bound view; the program's
                        own when the same */
   uint8_t encoding; /* enum tegra20_tex_encoding */
   uint8_t wrap_s, wrap_t, wrap_r; /* enum tegra20_wrap */
   uint8_t
      swizzle[4]; /* PIPE_SWIZZLE_*, after the hardware's component order */
   bool linear;   /* filters linearly (matters to emulated wraps) */
   bool mipmap;   /* takes smaller levels where minified (matters to cubes and
                     3D textures) */
   bool mix_levels;  /* cubes: two levels are mixed where minified */
   bool two_filters; /* cubes: minified and magnified ones are filtered
                        differently */
   bool gutters; /* a texel more on all sides (3D: of each cell, and a slice
                    more in front and behind) */
   bool corner;  /* 2D: the texture, without gutters, is
                    TEGRA20_PARAM_TEX_CORNER of the unit's texture, from
                    TEGRA20_PARAM_TEX_CORNER_START (with gutters: from 0);
                    cubes: each level is in the corner of a larger one */
   bool one_column;      /* 3D: all cells lie below each other */
   bool compare;         /* shadow comparison in the program */
   bool filter_depth;    /* TEGRA20_TEX_DEPTH16: the program mixes the four
                            texels around */
   uint8_t compare_func; /* enum compare_func (compiler/shader_enums.h) */
   bool bias;            /* add TEGRA20_PARAM_TEX_LOD_BIAS */
};

struct tegra20_fs_key {
   struct tegra20_fs_rt_key rt[TEGRA20_MAX_CBUFS];
   uint8_t nr_cbufs;
   bool logicop_enable;
   uint8_t logicop_func; /* enum pipe_logicop */
   bool late_stencil;    /* the program kills and the stencil test is on: emit
                            the stencil store */
   bool wide_colors; /* the vertex stage does not clamp colours: they may lie
                        outside 0..1 */
   bool clamp_color; /* clamp outputs to 0..1 before blending (always true for
                        fixed-point targets) */
   uint8_t num_tex;
   struct tegra20_fs_tex_key tex[TEGRA20_MAX_SAMPLERS];
};

/* Slot of a colour buffer: 0 and 2 belong to depth and stencil (A68). */
static inline unsigned
tegra20_rt_slot(unsigned cbuf)
{
   return cbuf == 0 ? 1 : cbuf + 2;
}

enum tegra20_fs_format {
   TEGRA20_FS_NONE,
   TEGRA20_FS_FP20, /* value[0] */
   TEGRA20_FS_FX10, /* value[0] low half, value[1] high half */
};

struct tegra20_fs_const {
   uint8_t format;    /* enum tegra20_fs_format */
   uint16_t value[2]; /* value nodes or TEGRA20_NO_VALUE */
};

/* A constant embedded in an ALU packet whose value is only known at draw
 * time. */
struct tegra20_fs_patch {
   uint8_t packet; /* index into alu[] */
   uint8_t slot;   /* 0..2 = k0..k2 */
   struct tegra20_fs_const value;
};

/* One interpolated component: where in TRAM the program reads it. */
struct tegra20_fs_input {
   uint8_t slot; /* gl_varying_slot; VARYING_SLOT_POS z is clip z, taken from
                    the position export */
   uint8_t component; /* 0..3 */
   uint8_t row;       /* TRAM row 0..15 */
   uint8_t column;    /* 0..3 */
   uint8_t type; /* 1 fx10 low, 2 fx10 high, 3 fp20, as in the linker word */
   bool flat;
};

struct tegra20_fs_stats {
   unsigned execs, cycles, alu_packets, alu_slots, mfu, tex, rows, uniforms,
      consts;
   unsigned lower_bound; /* of cycles, in all ways that were tried; 0 = not
                            computed */
};

struct tegra20_fs {
   uint8_t chip;       /* enum tegra20_chip */
   unsigned num_execs; /* a multiple of rows */
   unsigned rows;      /* ALU_BUFFER_SIZE N, 1..4 */
   uint32_t pseq[TEGRA20_FS_MAX_EXECS], mfu_sched[TEGRA20_FS_MAX_EXECS],
      tex[TEGRA20_FS_MAX_EXECS];
   uint32_t alu_sched[TEGRA20_FS_MAX_EXECS], dw[TEGRA20_FS_MAX_EXECS];
   unsigned num_mfu, num_alu;
   uint32_t mfu[TEGRA20_FS_MAX_MFU][2]; /* high word first */
   uint32_t alu[TEGRA20_FS_MAX_ALU][8]; /* FIFO order */

   struct tegra20_values values;
   struct tegra20_fs_const uniforms[TEGRA20_FS_MAX_UNIFORMS];
   unsigned num_patches;
   struct tegra20_fs_patch *patches; /* ralloc child of the program */

   unsigned num_inputs;
   struct tegra20_fs_input inputs[TEGRA20_MAX_TRAM_ROWS * 4 * 2];
   unsigned num_tram_rows; /* 0 when nothing is interpolated */

   uint16_t samplers_used; /* hardware units = sampler indices */
   uint16_t ramps[2];   /* those among them that sample the ramp: the nearest
                           level, and a mixture of two */
   uint16_t rts_stored; /* bit i: colour buffer i is stored */
   uint16_t rts_fetched;
   uint8_t last_store_exec; /* 1-based, for FP_PSEQ_DW_CFG; 1 when nothing is
                               stored */
   bool kills;
   bool draft; /* TEGRA20_EFFORT_BEST may find a shorter one */

   struct tegra20_fs_stats stats;
};

/* --- linker --- */

struct tegra20_link {
   unsigned count; /* linker instructions, at least 1 */
   uint32_t words[TEGRA20_MAX_LINKER][2];
   uint16_t out_mask; /* OUT field of 0x120 */
   uint8_t tram_rows; /* at least 1 */
};

/* --- options --- */

enum tegra20_compiler_debug {
   TEGRA20_COMPILER_PRINT_NIR = 1 << 0,
   TEGRA20_COMPILER_PRINT_IR = 1 << 1, /* after each pass */
   TEGRA20_COMPILER_DISASM = 1 << 2,   /* final words */
   TEGRA20_COMPILER_VALIDATE =
      1 << 3, /* run the validators in release builds too */
   TEGRA20_COMPILER_NO_SCHED =
      1 << 4, /* one operation per instruction, for bisecting */
   TEGRA20_COMPILER_NO_PASSES = 1 << 5, /* that are optional, the same */
   TEGRA20_COMPILER_CHANGES_CODE = 3 << 4,
   TEGRA20_COMPILER_DEBUG_ALL = (1 << 6) - 1,
};

/*
 * Encodings of the fragment pipeline that the manual takes from disassembled
 * vendor programs and that no public program has run (assumption A48).  A set
 * bit makes the compiler do without.
 */
enum tegra20_avoid {
   TEGRA20_AVOID_MIN_MAX = 1 << 0,
   TEGRA20_AVOID_SCALE = 1 << 1,
   TEGRA20_AVOID_D = 1 << 2,
   TEGRA20_AVOID_X2 = 1 << 3,
   TEGRA20_AVOID_COND_GE = 1 << 4,
   TEGRA20_AVOID_K1_K2 = 1 << 5,
   TEGRA20_AVOID_FX10_CONST = 1 << 6,
};

/*
 * Effort of the search for a schedule (tiered compilation).  The best effort
 * finds schedules where drafts find none.
 */
enum tegra20_effort {
   TEGRA20_EFFORT_BEST,
   TEGRA20_EFFORT_DRAFT, /* the first tier */
};

/* Asked now and then in the thread that compiles: is nothing more wanted? */
struct tegra20_cancel {
   bool (*is_cancelled)(const struct tegra20_cancel *cancel);
};

static inline bool
tegra20_is_cancelled(const struct tegra20_cancel *cancel)
{
   return cancel && cancel->is_cancelled(cancel);
}

/* How to compile.  The compiler has no state of its own: threads may compile
 * with different options at the same time. */
struct tegra20_compiler_options {
   unsigned debug;                       /* enum tegra20_compiler_debug */
   unsigned avoid;                       /* enum tegra20_avoid */
   const struct tegra20_chip_info *chip; /* NULL: Tegra20 */
   bool part_sums; /* units that a sum leaves work on their own (A95) */
   enum tegra20_effort effort;
   bool is_part; /* of a program that is drawn in several passes */
   FILE *disasm; /* where TEGRA20_COMPILER_DISASM prints; NULL: stderr */
   const struct tegra20_cancel *cancel; /* or NULL */
};

/* --- entry points --- */

/*
 * Each returns true on success.  On failure *error is set to a one-line
 * reason, a ralloc child of mem_ctx, that names the limit, what the program
 * needs and what the chip has; it goes to the application's info log.
 *
 * The NIR comes from tegra20_finish_nir() and is not changed; *out is a
 * ralloc child of mem_ctx.  No options (NULL) are those of zero.
 */
bool
tegra20_compile_vs(void *mem_ctx, const nir_shader *nir,
                   const struct tegra20_vs_key *key,
                   const struct tegra20_compiler_options *options,
                   struct tegra20_vs **out, char **error);
bool
tegra20_compile_fs(void *mem_ctx, const nir_shader *nir,
                   const struct tegra20_fs_key *key,
                   const struct tegra20_compiler_options *options,
                   struct tegra20_fs **out, char **error);

/*
 * Joins a pair.  Inputs that the vertex program does not write become 0
 * (0,0,0,1 for colours and texture coordinates is the caller's business: GL
 * leaves them undefined).  Fails when more than 32 linker instructions are
 * needed.
 */
bool
tegra20_link_programs(void *mem_ctx, const struct tegra20_vs *vs,
                      const struct tegra20_fs *fs, struct tegra20_link *out,
                      char **error);

/* Options for the front end; the same for the driver and the offline
 * compiler. */
const nir_shader_compiler_options *
tegra20_nir_options(gl_shader_stage stage);

/*
 * NIR is lowered in two stages.
 *
 * tegra20_finalize_nir() takes it as the state tracker, TGSI or the GLSL
 * front end delivers it, and is run once, before variants.  After it
 * variables are SSA values, I/O is load_input / load_interpolated_input /
 * store_output with I/O semantics, and uniforms are load_uniform, whose base
 * and offset count vec4 slots: component c of slot s is word 4 * s + c of
 * constant buffer 0.  Loops, conditionals, integers and booleans are left, so
 * that passes for a variant can work on it.  Running it again does no harm.
 *
 * tegra20_finish_nir() brings a finalized shader into the form that the
 * compile functions take: floats only (integers are floats of the same value,
 * booleans 0.0 and 1.0), and fragment programs in one block.  True when that
 * has loops, of which there is one iteration each (nir/fs_lower_loops.h):
 * tegra20_cut_fs() makes passes of them, and they do not compile otherwise.
 *
 * tegra20_preprocess_nir() is both.
 *
 * The first is no pipe_screen::finalize_nir: Mesa would replace the shader
 * before the driver sees it, and the draw module (tegra20_swtnl.c) needs it
 * with its variables; shaders of Mesa's helpers do not pass that hook.
 */
void
tegra20_finalize_nir(nir_shader *nir);
/* Before that: the number of the instance becomes the last uniform; false: it
 * is not read. */
bool
tegra20_nir_instance(nir_shader *nir);
bool
tegra20_finish_nir(nir_shader *nir);
void
tegra20_preprocess_nir(nir_shader *nir);

/*
 * For a vertex shader that the draw module runs, before it gets it.  Mesa's
 * nir_to_tgsi.c makes floats of integers after it has simplified signs, and
 * takes a sign of a sign, as in x - float(-i), for one.
 */
void
tegra20_simplify_signs(nir_shader *nir);

/*
 * When the number of iterations of a loop depends on uniforms, the uniforms
 * have to be constants.  tegra20_find_loop_uniforms() names the words of
 * constant buffer 0 that decide it (count 0: none do, or more than there is
 * room for); tegra20_inline_uniforms() makes them constants.  The shader of
 * both is finalized.
 *
 * Mesa's nir_find_inlinable_uniforms() has no place for this: it looks for
 * load_ubo and for integer induction variables, takes all branches, each of
 * which would be another compilation, and has room for four words.
 */
#define TEGRA20_MAX_CONTROL_UNIFORMS 16

struct tegra20_control_uniforms {
   uint8_t count;
   uint16_t words[TEGRA20_MAX_CONTROL_UNIFORMS];
   uint32_t samples[TEGRA20_MAX_CONTROL_UNIFORMS]; /* values to compile with
                                                      when there are none yet:
                                                      6, or 1.0 for floats */
};

void
tegra20_find_loop_uniforms(const nir_shader *nir,
                           struct tegra20_control_uniforms *out);

/*
 * For a fragment program that does not fit the chip: adds the words of
 * integer and boolean uniforms that its conditionals depend on.  True when
 * there are such.  The program for their values has only the branches that
 * they select.
 */
bool
tegra20_find_branch_uniforms(const nir_shader *nir,
                             struct tegra20_control_uniforms *uniforms);

/* values: the words themselves, count of them. */
void
tegra20_inline_uniforms(nir_shader *nir,
                        const struct tegra20_control_uniforms *uniforms,
                        const uint32_t *values);

/* The statistics of TEGRA20_DEBUG=shaderdb: the text after "VS shader: " /
 * "FS shader: ", see docs/tegra20.rst. */
char *
tegra20_vs_stats_string(void *mem_ctx, const struct tegra20_vs_stats *stats);
char *
tegra20_fs_stats_string(void *mem_ctx, const struct tegra20_fs_stats *stats);

/*
 * Programs as bytes, for a cache that keeps builds apart.  Deserialising
 * reads to the end of the blob and returns a ralloc child of mem_ctx, or NULL
 * when the bytes are no program.
 */
struct blob;
struct blob_reader;
void
tegra20_vs_serialize(struct blob *blob, const struct tegra20_vs *vs);
void
tegra20_fs_serialize(struct blob *blob, const struct tegra20_fs *fs);
struct tegra20_vs *
tegra20_vs_deserialize(void *mem_ctx, struct blob_reader *blob);
struct tegra20_fs *
tegra20_fs_deserialize(void *mem_ctx, struct blob_reader *blob);

#ifdef __cplusplus
}
#endif

#endif
