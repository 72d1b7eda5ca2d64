/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Fragment compiler: the intermediate representation, and the files in the
 * order of the pipeline.
 *
 *   fs_from_nir.c    NIR to nodes
 *   fs_tex*.c        lookups: projection, wraps, comparison, atlases
 *   fs_epilogue.c    blending, masks, stores
 *   fs_opt.c         fusing, saturation, sums, dead code
 *   fs_factor.c      common factors
 *   fs_precision.c   ranges, errors, fp20 or fx10
 *   fs_legalize.c    operands where the units need them
 *   fs_uniforms.c    constants to registers
 *   fs_search.c      the heuristics of the scheduler, and efforts
 *   fs_sched*.c      EXECs, packets, registers
 *   fs_beam.c        several partial schedules side by side
 *   fs_climb.c       hill climbing over lowerings
 *   fs_bound.c       lower bound on cycles
 *   fs_share.c       MFU instructions in their table
 *   fs_emit.c        machine words
 *   fs_validate.c    the rules, checked on the words
 *   fs_compile.c     the passes, for each lowering
 *
 * Between two passes on nodes fs_validate_ir.c checks them and fs_print.c
 * prints them (TEGRA20_DEBUG=ir).
 *
 * A node is one scalar operation in the form in which a unit executes it: an
 * ALU node is one of the four units of a packet with its operand and result
 * modifiers (fragment-pipeline.md 3.2).  Units that deliver several values at
 * once (lookup, fetch, interpolation of two fx10 values) are one node, and
 * FS_OP_PART nodes name their results.
 */

#ifndef FS_H
#define FS_H

#include <stdio.h>

#include "tegra20_compiler.h"
#include "util/bitset.h"
#include "util/macros.h"
#include "util/ralloc.h"
#include "util/u_math.h"

#define FS_MAX_NODES 2048
#define FS_NO_NODE 0xffff
#define FS_NO_SLOT 0xff

#define FS_HIGH_HALF 3 /* source of FS_OP_LOW */

enum fs_op {
   FS_OP_MAD, /* A * B + C * D; the first four in the order of the encoding */
   FS_OP_MIN, /* min(A * B, C * D) */
   FS_OP_MAX,
   FS_OP_CSEL,   /* A < 0 ? B : C * D */
   FS_OP_RAW,    /* A * B + C, where operand "raw" is the half "part" of the
                    bits of an fp20 register (fs_hand_over.c) */
   FS_OP_LOW,    /* A * B + C becomes the low half of a value read as fp20;
                    src[FS_HIGH_HALF], which nothing else reads, is the high
                    one: it is written to the same register before, or by the
                    same packet */
   FS_OP_ACC,    /* sum of 3 or 4 products of successive sources, on the
                    accumulation chain; a packet has one */
   FS_OP_SFU,    /* one special function, in place */
   FS_OP_MUL,    /* product on an MFU multiplier */
   FS_OP_WCLIP,  /* w_clip of the fragment */
   FS_OP_INTERP, /* one fp20 or two fx10 components of a varying */
   FS_OP_TEX,
   FS_OP_FETCH,   /* current pixel of a render target */
   FS_OP_PART,    /* component "part" of node src[0] */
   FS_OP_STORE,   /* pixel to a render target; src[] in memory order */
   FS_OP_STENCIL, /* late stencil write */
};

enum fs_format {
   FS_FP20,
   FS_FX10,
};

enum fs_src_kind {
   FS_SRC_NONE,
   FS_SRC_NODE,  /* index: node */
   FS_SRC_VALUE, /* index: value node, a constant for the chip */
   FS_SRC_ZERO,
   FS_SRC_ONE,
   FS_SRC_REG, /* index: ALU register with a fixed meaning (posx, posy, face)
                */
};

/* Operand modifiers in the order in which they apply: absolute value, times
 * two, minus one, negate (2.4). */
#define FS_MOD_ABS 1
#define FS_MOD_X2 2
#define FS_MOD_SUB1 4
#define FS_MOD_NEG 8

struct fs_src {
   uint8_t kind;
   uint8_t mods;
   uint16_t index;
};

/* Operand D: 1.0, or the register of B or C read again. */
enum fs_d {
   FS_D_ONE,
   FS_D_B,
   FS_D_C,
};

#define FS_COND_NONE 0
#define FS_COND_EQ 1
#define FS_COND_GT 2
#define FS_COND_GE 3

#define FS_SCALE_HALF 3

#define FS_REG_ALU0 24
#define FS_REG_CONST0 28
#define FS_REG_ZERO_ONE 31
#define FS_REG_UNIFORM0 32
#define FS_REG_COND0 64
#define FS_REG_POSX 72
#define FS_REG_POSY 73
#define FS_REG_FACE 75
#define FS_REG_KILL 76

enum fs_sfu { /* the encoding of fragment-pipeline.md 4.1 */
              FS_SFU_NONE,
              FS_SFU_RCP,
              FS_SFU_RSQ,
              FS_SFU_LG2,
              FS_SFU_EX2,
              FS_SFU_SQRT,
              FS_SFU_SIN,
              FS_SFU_COS,
              FS_SFU_FRC,
              FS_SFU_PRE_EX2,
              FS_SFU_PRE_SIN,
              FS_SFU_PRE_COS,
};

struct fs_node {
   uint8_t op;     /* enum fs_op */
   uint8_t format; /* enum fs_format of the result in a register */
   uint8_t cond, scale, d, d_mods;
   bool sat;
   bool kill;   /* the result goes to the kill register */
   bool rounds; /* fx10, for the sake of the rounding: operations read it from
                   a register only */
   bool lowp;   /* FS_OP_INTERP: declared low precision */
   uint8_t num_srcs;
   struct fs_src src[8];

   uint8_t part;             /* FS_OP_PART: 0..3; FS_OP_RAW: 1 = high half */
   uint8_t raw;              /* FS_OP_RAW: 0 = A, 2 = C */
   uint8_t sfu;              /* FS_OP_SFU: enum fs_sfu */
   uint8_t sampler, bias;    /* FS_OP_TEX: src = s, t, none, bias or none */
   uint8_t slot[2], comp[2]; /* FS_OP_INTERP: varying and component, low and
                                high half for fx10 */
   bool flat;
   uint8_t rt, surface; /* FS_OP_FETCH, FS_OP_STORE */
};

/* Where a constant is found. */
struct fs_const_place {
   uint8_t reg; /* ALU register number 32..63, or 0 = to be embedded */
   uint8_t half;
   uint8_t format;
};

/*
 * Choice points: places where a program has several lowerings.  The default
 * comes first.
 */
enum fs_choice_kind {
   FS_CHOICE_SUM, /* the accumulation chain, one packet; or additions, which
                   leave units to others */
   FS_CHOICE_MFU, /* a product on the ALU; or on the MFU, which saves the way
                   through the ALU and takes a register */
   FS_CHOICE_SCALED, /* sums are scaled; or the vector that several of them
                      have, which takes more units, but earlier */
   FS_CHOICE_SHARED, /* coordinates are kept, which takes registers; or
                      computed again, which takes units */
   FS_CHOICE_CONSTS, /* two embedded constants in one operation; or in two,
                      which leaves room in the packet */
   FS_CHOICE_FP20,   /* fx10; or fp20 where fx10 would do */
   FS_NUM_CHOICE_KINDS,
};

struct fs_choice_point {
   uint8_t kind;  /* enum fs_choice_kind */
   uint16_t node; /* in the pass that asks */
};

#define FS_MAX_CHOICE_POINTS 1024

struct fs_variation {
   uint16_t choice[FS_NUM_CHOICE_KINDS][FS_MAX_NODES];
   unsigned num_points;
   struct fs_choice_point
      points[FS_MAX_CHOICE_POINTS]; /* that the program has */
};

/* One lowering of a program. */
struct fs_lowering {
   unsigned flipped; /* kinds of choice points, as bits, whose default is
                        inverted in this program */
   struct fs_variation *variation; /* from that, point by point; or NULL */
};

struct fs_program {
   const struct tegra20_fs_key *key;
   const struct fs_lowering *lowering;
   const struct tegra20_chip_info *chip;
   unsigned debug; /* enum tegra20_compiler_debug */
   unsigned avoid; /* enum tegra20_avoid */
   bool part_sums; /* operations share a packet with a sum */
   enum tegra20_effort effort;
   bool is_part;
   const struct tegra20_cancel *cancel; /* or NULL */
   unsigned num_nodes, capacity;
   struct fs_node *nodes; /* producers before users */
   struct tegra20_values values;
   unsigned value_capacity;
   uint16_t *value_slots; /* values by their hash, from 1 on; twice as many
                             slots as the capacity */
   char *error; /* first reason why the program cannot be compiled, or NULL */
   bool is_broken; /* which is a bug of the compiler */

   /* fs_uniforms.c: where each value node is found, per format */
   struct fs_const_place *const_places; /* per value node */
   struct tegra20_fs_const uniforms[TEGRA20_FS_MAX_UNIFORMS];
   unsigned num_uniforms;

   struct sched *sched; /* fs_sched.c: state shared by all attempts to
                           schedule the program, or NULL */

   uint16_t samplers_used;
   uint16_t unused_units; /* that neither the program's lookups nor ramps
                             take */
   uint16_t ramps[2];     /* of tegra20_fs */
   uint16_t rts_stored, rts_fetched;
   bool kills;
   bool is_legal; /* all units can read their operands: fs_legalize() ran */

   unsigned choice_kinds; /* of the choice points that the passes met, as
                             bits */
};

/* --- sources --- */

static inline struct fs_src
fs_node_src(unsigned node)
{
   return (struct fs_src){ FS_SRC_NODE, 0, node };
}

static inline struct fs_src
fs_zero(void)
{
   return (struct fs_src){ FS_SRC_ZERO, 0, 0 };
}

static inline struct fs_src
fs_one(void)
{
   return (struct fs_src){ FS_SRC_ONE, 0, 0 };
}

static inline struct fs_src
fs_reg(unsigned reg)
{
   return (struct fs_src){ FS_SRC_REG, 0, reg };
}

/* Colours that the vertex stage clamps to 0..1 (tegra20_vs_key.clamp_color).
 */
static inline bool
fs_is_clamped_color(const struct fs_program *p, unsigned slot)
{
   return !p->key->wide_colors &&
          (slot == VARYING_SLOT_COL0 || slot == VARYING_SLOT_COL1 ||
           slot == VARYING_SLOT_BFC0 || slot == VARYING_SLOT_BFC1);
}

static inline struct fs_src
fs_neg(struct fs_src src)
{
   if (src.kind != FS_SRC_ZERO || (src.mods & FS_MOD_SUB1))
      src.mods ^= FS_MOD_NEG;
   return src;
}

static inline bool
fs_is_const(struct fs_src src)
{
   return src.kind == FS_SRC_VALUE || src.kind == FS_SRC_ZERO ||
          src.kind == FS_SRC_ONE;
}

static inline bool
fs_is_zero(struct fs_src src)
{
   return src.kind == FS_SRC_ZERO && !(src.mods & FS_MOD_SUB1);
}

static inline bool
fs_is_one(struct fs_src src)
{
   return src.kind == FS_SRC_ONE && (src.mods & ~FS_MOD_ABS) == 0;
}

static inline bool
fs_src_equal(struct fs_src a, struct fs_src b)
{
   return a.kind == b.kind && a.mods == b.mods && a.index == b.index;
}

static inline bool
fs_op_is_alu(enum fs_op op)
{
   return op <= FS_OP_ACC;
}

/* ALU units that an operation takes. */
static inline unsigned
fs_op_units(const struct fs_node *node)
{
   if (!fs_op_is_alu(node->op))
      return 0;
   return node->op != FS_OP_ACC ? 1 : node->num_srcs / 2;
}

/*
 * The unit for a product of a sum: the first one is A0, which receives, the
 * last one A3, from which it receives, and the others are A1 and A2, which
 * send.  A unit between them that has no product works on its own
 * (fragment-pipeline.md 3.6, assumption A95).
 */
static inline unsigned
fs_sum_unit(const struct fs_node *sum, unsigned term)
{
   return term + 1 == fs_op_units(sum) ? 3 : term;
}

/* Nodes with FS_OP_PART results. */
static inline bool
fs_op_has_parts(const struct fs_node *node)
{
   return node->op == FS_OP_TEX || node->op == FS_OP_FETCH ||
          (node->op == FS_OP_INTERP && node->format == FS_FX10);
}

/* The source in a program that is built anew; map: the new index of each
 * node. */
static inline struct fs_src
fs_mapped(const uint16_t *map, struct fs_src src)
{
   if (src.kind == FS_SRC_NODE)
      src.index = map[src.index];
   return src;
}

/* 1 or -1 */
static inline bool
fs_is_unit_factor(struct fs_src src)
{
   return src.kind == FS_SRC_ONE && (src.mods & ~FS_MOD_NEG) == 0;
}

/* A result that nothing was done to but the operation. */
static inline bool
fs_is_plain_result(const struct fs_node *node)
{
   return fs_op_is_alu(node->op) && !node->cond && !node->sat &&
          !node->scale && !node->kill && !node->rounds;
}

/* a * b */
static inline bool
fs_is_plain_product(const struct fs_node *node)
{
   return node->op == FS_OP_MAD && fs_is_plain_result(node) &&
          node->d == FS_D_ONE && fs_is_zero(node->src[2]);
}

/* --- building (fs_ir.c) --- */

struct fs_node *
fs_add_node(struct fs_program *p, enum fs_op op, unsigned *index);
void
fs_error(struct fs_program *p, const char *format, ...) PRINTFLIKE(2, 3);
/* a copy of the nodes built so far, a ralloc child of mem_ctx */
struct fs_program *
fs_clone(void *mem_ctx, const struct fs_program *from);

unsigned
fs_value(struct fs_program *p, enum tegra20_value_op op, uint32_t arg,
         unsigned num_src, const uint16_t *src);
struct fs_src
fs_src_of_value(struct fs_program *p, unsigned value);
struct fs_src
fs_imm(struct fs_program *p, float f);
struct fs_src
fs_param(struct fs_program *p, unsigned param);
/* true and the number when the source is an immediate after its modifiers */
bool
fs_imm_value(const struct fs_program *p, struct fs_src src, float *f);

/* Does the value lie in 0..1, as far as state or its expression tell?  (Blend
 * colour, alpha reference, clamped uniforms.) */
bool
fs_value_in_unit_range(const struct fs_program *p, unsigned value);
struct fs_src
fs_fold(struct fs_program *p, nir_op op, unsigned num_src,
        const struct fs_src *src);
struct fs_src
fs_build_alu(struct fs_program *p, enum fs_op op, struct fs_src a,
             struct fs_src b, struct fs_src c);
struct fs_src
fs_mov(struct fs_program *p, struct fs_src src); /* always a new node */
struct fs_src
fs_add(struct fs_program *p, struct fs_src a, struct fs_src b);
struct fs_src
fs_mul(struct fs_program *p, struct fs_src a, struct fs_src b);
struct fs_src
fs_mad(struct fs_program *p, struct fs_src a, struct fs_src b,
       struct fs_src c);
struct fs_src
fs_min(struct fs_program *p, struct fs_src a, struct fs_src b);
struct fs_src
fs_max(struct fs_program *p, struct fs_src a, struct fs_src b);
struct fs_src
fs_abs(struct fs_program *p, struct fs_src a);
struct fs_src
fs_sat(struct fs_program *p, struct fs_src a);
struct fs_src
fs_lerp(struct fs_program *p, struct fs_src a, struct fs_src b,
        struct fs_src t);
struct fs_src
fs_less(struct fs_program *p, struct fs_src a,
        struct fs_src b); /* a < b ? 1 : 0 */
struct fs_src
fs_greater_equal(struct fs_program *p, struct fs_src a,
                 struct fs_src b); /* a >= b ? 1 : 0 */
struct fs_src
fs_equal(struct fs_program *p, struct fs_src a, struct fs_src b);
struct fs_src
fs_not(struct fs_program *p, struct fs_src a); /* 1 - a */
struct fs_src
fs_select(struct fs_program *p, struct fs_src flag, struct fs_src x,
          struct fs_src y);
struct fs_src
fs_select_negative(struct fs_program *p, struct fs_src test, struct fs_src x,
                   struct fs_src y);
struct fs_src
fs_sfu(struct fs_program *p, enum fs_sfu function, struct fs_src a);
struct fs_src
fs_floor(struct fs_program *p, struct fs_src a);
struct fs_src
fs_log2(struct fs_program *p, struct fs_src a);
struct fs_src
fs_rcp(struct fs_program *p, struct fs_src a);
struct fs_src
fs_interp(struct fs_program *p, unsigned slot, unsigned comp, bool flat,
          bool lowp);
struct fs_src
fs_part(struct fs_program *p, unsigned parent, unsigned part);
void
fs_kill_if(struct fs_program *p, struct fs_src flag);
/* the source as a node without modifiers, which units other than the ALU need
 */
struct fs_src
fs_plain(struct fs_program *p, struct fs_src src);

/* --- passes --- */

struct fs_outputs {
   bool written[TEGRA20_MAX_CBUFS];
   bool own[TEGRA20_MAX_CBUFS]; /* written by its number: gl_FragColor does
                                   not reach it */
   struct fs_src color[TEGRA20_MAX_CBUFS][4];
};

struct nir_tex_instr;
void
fs_translate_tex(struct fs_program *p, const nir_tex_instr *tex,
                 struct fs_src (*defs)[4]);
bool
fs_from_nir(struct fs_program *p, const nir_shader *nir,
            struct fs_outputs *outputs);
struct fs_src
fs_fetch_component(struct fs_program *p, unsigned rt, unsigned component);
void
fs_epilogue(struct fs_program *p, const struct fs_outputs *outputs);

/* fs_hand_over.c: values in targets of the order TEGRA20_RT_FP20, alone
 * or up to four in as many pixels.  Value i of the pixels that so many nodes fetch;
 * the components of so many pixels for so many values. */
static inline bool
fs_holds_value(const struct tegra20_fs_rt_key *rt)
{
   return rt->order == TEGRA20_RT_FP20;
}

struct fs_src
fs_load_value(struct fs_program *p, const unsigned *fetch, unsigned count,
              unsigned i);
void
fs_store_values(struct fs_program *p, const struct fs_src *value,
                unsigned count, struct fs_src (*pixel)[4]);

void
fs_count_uses(const struct fs_program *p, uint16_t *uses);
void
fs_dead_code(struct fs_program *p);

/* Notes a choice point that a pass has found.  Returns how to lower it: 0 in
 * the usual way, or the number of another one, odd or even (fs_ir.c). */
unsigned
fs_choice(struct fs_program *p, enum fs_choice_kind kind, unsigned node);

/* A pass on the nodes. */
struct fs_pass {
   const char *name;
   void (*run)(struct fs_program *p);
   bool optional; /* programs do without */
};

/* The passes in the order in which they run. */
extern const struct fs_pass fs_passes[];
extern const unsigned fs_num_passes;

/* Runs the passes up to the last one of that name. */
void
fs_run_passes(struct fs_program *p, const char *last);

void
fs_fuse(struct fs_program *p);
void
fs_common_factors(struct fs_program *p); /* fs_factor.c */
void
fs_form_sums(struct fs_program *p);
void
fs_form_products(struct fs_program *p);
void
fs_choose_formats(struct fs_program *p); /* fs_precision.c */
void
fs_legalize(struct fs_program *p);
void
fs_assign_uniforms(struct fs_program *p);

/* --- text (fs_print.c) --- */

struct fs_op_info {
   const char *name;
   uint8_t min_srcs, max_srcs;
};

extern const struct fs_op_info fs_op_infos[FS_OP_STENCIL + 1];
extern const char *const fs_sfu_names[FS_SFU_PRE_COS + 1];
extern const char *const fs_scale_names[FS_SCALE_HALF + 1];
extern const char *const fs_cond_names[FS_COND_GE + 1];

/* A line per node, which tests read again (tests/unit/fs/fs_parse.c). */
void
fs_print_node(FILE *fp, const struct fs_program *p, unsigned index);
void
fs_print(FILE *fp, const struct fs_program *p);

/* Checks the nodes after a pass; a broken rule is an error of the program
 * that names the pass and the node (fs_validate_ir.c). */
void
fs_validate_ir(struct fs_program *p, const char *pass);

#include "fs_schedule.h"

#endif
