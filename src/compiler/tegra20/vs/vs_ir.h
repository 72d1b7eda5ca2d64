/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Intermediate representation of vertex programs.
 *
 * The unit of storage is the cell: one component of a temporary, any of 32
 * x 4.  An operation has up to four lanes, each of which writes a cell of its
 * own; an operand names a cell (or a constant value, or an attribute
 * component) per lane. Operand swizzles cost nothing on this machine, so
 * which register and component a cell lives in is decided by the register
 * allocator alone.  The price is two constraints that the allocator has to
 * meet: the cells that one operand reads, and the cells that one operation
 * writes, must lie in one register.  vs_group.c makes them satisfiable.
 *
 * Constants are treated alike: a lane names a value node, and the emitter
 * packs the nodes that an instruction needs into one of the 256 constant
 * registers, as often as it is useful.
 *
 * A cell with one definition is an SSA value; cells with several hold
 * variables that control flow or predication makes. Condition registers and
 * the address register are small and cannot be copied: the builder assigns
 * their components in program order, and the dependences of the scheduler
 * keep that order.
 *
 * Stages:  nir -> vs_nir.c -> vs_build.c -> vs_opt.c -> vs_group.c ->
 * vs_sched.c -> vs_ra.c -> vs_emit.c
 */

#ifndef TEGRA20_VS_IR_H
#define TEGRA20_VS_IR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "util/u_dynarray.h"
#include "tegra20_compiler.h"

#define VS_NO_CELL 0xffff
#define VS_NO_BLOCK 0xffff
#define VS_NONE 0xff
#define VS_MAX_CELLS 0xfff0

/* CR components: 4 * register + component. */
#define VS_NUM_CR_CELLS 8

enum vs_file {
   VS_FILE_NONE,
   VS_FILE_TEMP,  /* c[] = cells */
   VS_FILE_CONST, /* c[] = value nodes; relative: c[] = components of array
                     "base" + "offset" + address */
   VS_FILE_ATTR,  /* c[] = components of attribute "base" (+ address) */
};

/* How the lanes of an operation come about. */
enum vs_kind {
   VS_KIND_LANES, /* lane i from lane i of each operand */
   VS_KIND_DOT, /* one result in all lanes, from 3 or 4 lanes of each operand
                 */
   VS_KIND_SCALAR, /* one result in all lanes, from lane 0 of the operand */
   VS_KIND_FLOW,
};

#define VS_UNIT_VECTOR 1
#define VS_UNIT_SCALAR 2

/* name, operands, kind, vector opcode, scalar opcode; a missing unit is NOP
 */
#define VS_OPCODES(X)          \
   X(MOV, 1, LANES, MOV, MOV)  \
   X(MUL, 2, LANES, MUL, NOP)  \
   X(ADD, 2, LANES, ADD, NOP)  \
   X(MAD, 3, LANES, MAD, NOP)  \
   X(DP3, 2, DOT, DP3, NOP)    \
   X(DP4, 2, DOT, DP4, NOP)    \
   X(MIN, 2, LANES, MIN, NOP)  \
   X(MAX, 2, LANES, MAX, NOP)  \
   X(SLT, 2, LANES, SLT, NOP)  \
   X(SGE, 2, LANES, SGE, NOP)  \
   X(SEQ, 2, LANES, SEQ, NOP)  \
   X(SNE, 2, LANES, SNE, NOP)  \
   X(SGT, 2, LANES, SGT, NOP)  \
   X(SLE, 2, LANES, SLE, NOP)  \
   X(SSG, 1, LANES, SSG, NOP)  \
   X(FRC, 1, LANES, FRC, NOP)  \
   X(FLR, 1, LANES, FLR, NOP)  \
   X(ARL, 1, LANES, ARL, NOP)  \
   X(ARR, 1, LANES, ARR, NOP)  \
   X(RCP, 1, SCALAR, NOP, RCP) \
   X(RSQ, 1, SCALAR, NOP, RSQ) \
   X(EX2, 1, SCALAR, NOP, EX2) \
   X(LG2, 1, SCALAR, NOP, LG2) \
   X(SIN, 1, SCALAR, NOP, SIN) \
   X(COS, 1, SCALAR, NOP, COS) \
   X(BRA, 0, FLOW, NOP, BRA)

enum vs_opcode {
#define X(name, ...) VS_OP_##name,
   VS_OPCODES(X)
#undef X
      VS_NUM_OPCODES,
};

struct vs_opcode_info {
   const char *name;
   uint8_t num_srcs;
   uint8_t kind;      /* enum vs_kind */
   uint8_t units;     /* VS_UNIT_* */
   uint8_t vector_op; /* enum vpe_vector_op */
   uint8_t scalar_op; /* enum vpe_scalar_op */
};
extern const struct vs_opcode_info vs_opcode_infos[VS_NUM_OPCODES];

struct vs_src {
   uint8_t file;  /* enum vs_file */
   bool neg, abs; /* absolute value first */
   bool relative;
   uint16_t base;
   uint16_t offset;
   uint16_t c[4];
};

/* Tests of a condition register: bit 0 less, bit 1 equal, bit 2 greater than
 * zero (vertex-pipeline.md 7.2). */
enum vs_cond {
   VS_COND_LT = 1,
   VS_COND_EQ = 2,
   VS_COND_LE = 3,
   VS_COND_GT = 4,
   VS_COND_NE = 5,
   VS_COND_GE = 6,
   VS_COND_TRUE = 7,
};

struct vs_op {
   uint8_t opcode; /* enum vs_opcode */
   uint8_t lanes;  /* 1..4; 0 for flow */
   bool saturate;
   uint8_t cond;      /* enum vs_cond; VS_COND_TRUE: not predicated */
   uint8_t pred[4];   /* CR cell that lane i tests (BRA: lane 0); all in one
                         register */
   uint8_t set_cr[4]; /* CR cell that lane i sets, or VS_NONE; set for all
                         lanes or for none */
   uint8_t export;    /* export that the lanes go to, or VS_NONE */
   uint8_t export_comp[4];
   uint8_t set_addr[4]; /* ARL, ARR: component of A0 that lane i writes */
   uint8_t addr; /* component of A0 that relative operands use, or VS_NONE */
   uint16_t dst[4]; /* cells or VS_NO_CELL */
   uint16_t target; /* BRA: block */
   struct vs_src src[3];
   unsigned index; /* scratch number for passes */
};

/* One machine instruction: either half may be missing. */
struct vs_inst {
   struct vs_op *vector, *scalar;
   uint16_t const_reg; /* constant register that both halves read, after
                          vs_pack_constants() */
};

struct vs_block {
   uint16_t index;
   struct util_dynarray ops;   /* struct vs_op *; a BRA can only be last, an
                                  unconditional one ends the block */
   struct util_dynarray insts; /* struct vs_inst, after scheduling */
   uint16_t succ[2];           /* next block, branch target; VS_NO_BLOCK */
   uint8_t loop_depth;
   unsigned address; /* number of the first instruction, when emitted */
};

struct vs_cell {
   uint16_t group;
   uint8_t fixed_comp; /* component that an export dictates, or VS_NONE */
   uint8_t reg, comp;  /* after register allocation */
};

/*
 * A range of uniforms that is addressed relatively and therefore keeps its
 * shape.  Indices x, x + 1, ... x + pad share an address x of -pad..size - 1;
 * registers that hold zeros on both sides serve reads outside the array.
 */
struct vs_array {
   uint16_t slot, size; /* vec4 slots of constant buffer 0 */
   uint16_t pad;
   uint16_t hw_base; /* constant register of the first slot, when emitted */
};

struct vs_program {
   const struct tegra20_vs_key *key;
   unsigned debug; /* enum tegra20_compiler_debug */
   const struct tegra20_chip_info *chip;
   struct util_dynarray values; /* struct tegra20_value */
   struct hash_table *value_hash;
   struct util_dynarray blocks; /* struct vs_block * */
   struct util_dynarray arrays; /* struct vs_array */

   unsigned num_cells;
   struct vs_cell *cells; /* made by vs_group_cells() */
   unsigned num_groups;

   uint16_t attribs_read;
   uint16_t exports_written;
   uint8_t export_slot[TEGRA20_MAX_EXPORTS];
   uint8_t export_components[TEGRA20_MAX_EXPORTS];
   int psiz_export;
   unsigned num_loops;

   unsigned num_consts;
   uint16_t consts[TEGRA20_VS_MAX_CONSTS][4];
   unsigned num_temps;
   unsigned lower_bound;

   char *error; /* set once, by vs_fail() */
};

/* Walk the blocks and operations.  "break" would not leave the loop: count
 * instead where that is needed. */
#define vs_foreach_block(prog, block)                                      \
   util_dynarray_foreach (&(prog)->blocks, struct vs_block *, block##_ptr) \
      for (struct vs_block *block = *block##_ptr; block; block = NULL)

#define vs_foreach_op(block, op)                                   \
   util_dynarray_foreach (&(block)->ops, struct vs_op *, op##_ptr) \
      for (struct vs_op *op = *op##_ptr; op; op = NULL)

static inline unsigned
vs_num_ops(const struct vs_block *block)
{
   return util_dynarray_num_elements(&block->ops, struct vs_op *);
}

static inline struct vs_op *
vs_get_op(const struct vs_block *block, unsigned i)
{
   return *util_dynarray_element(&block->ops, struct vs_op *, i);
}

static inline unsigned
vs_num_insts(const struct vs_block *block)
{
   return util_dynarray_num_elements(&block->insts, struct vs_inst);
}

static inline struct vs_inst *
vs_get_inst(const struct vs_block *block, unsigned i)
{
   return util_dynarray_element(&block->insts, struct vs_inst, i);
}

static inline unsigned
vs_num_blocks(const struct vs_program *prog)
{
   return util_dynarray_num_elements(&prog->blocks, struct vs_block *);
}

static inline struct vs_block *
vs_get_block(const struct vs_program *prog, unsigned i)
{
   return *util_dynarray_element(&prog->blocks, struct vs_block *, i);
}

static inline const struct vs_opcode_info *
vs_info(const struct vs_op *op)
{
   return &vs_opcode_infos[op->opcode];
}

/* Number of lanes of an operand that the operation reads. */
static inline unsigned
vs_src_lanes(const struct vs_op *op)
{
   switch (vs_info(op)->kind) {
   case VS_KIND_LANES:
      return op->lanes;
   case VS_KIND_DOT:
      return op->opcode == VS_OP_DP3 ? 3 : 4;
   case VS_KIND_SCALAR:
      return 1;
   default:
      return 0;
   }
}

static inline bool
vs_is_predicated(const struct vs_op *op)
{
   return op->cond != VS_COND_TRUE;
}

static inline bool
vs_sets_cr(const struct vs_op *op)
{
   return op->lanes && op->set_cr[0] != VS_NONE;
}

static inline bool
vs_sets_addr(const struct vs_op *op)
{
   return op->opcode == VS_OP_ARL || op->opcode == VS_OP_ARR;
}

static inline bool
vs_has_dst(const struct vs_op *op)
{
   for (unsigned i = 0; i < op->lanes; i++) {
      if (op->dst[i] != VS_NO_CELL)
         return true;
   }
   return false;
}

/* vs_program.c */
struct vs_program *
vs_program_create(void *mem_ctx, const struct tegra20_vs_key *key);
struct vs_block *
vs_block_create(struct vs_program *prog);
struct vs_op *
vs_op_create(struct vs_program *prog, enum vs_opcode opcode, unsigned lanes);
void
vs_block_append(struct vs_block *block, struct vs_op *op);
void
vs_block_insert(struct vs_block *block, unsigned position, struct vs_op *op);
uint16_t
vs_new_cell(struct vs_program *prog);
uint16_t
vs_value_imm(struct vs_program *prog, float value);
uint16_t
vs_value_uniform(struct vs_program *prog, unsigned word);
uint16_t
vs_value_alu(struct vs_program *prog, nir_op op, unsigned num_src,
             const uint16_t *src);
const struct tegra20_value *
vs_get_value(const struct vs_program *prog, uint16_t value);
bool
vs_src_equal(const struct vs_src *a, const struct vs_src *b, unsigned lanes);
void
vs_fail(struct vs_program *prog, const char *format, ...) PRINTFLIKE(2, 3);

/* Definitions and uses of each cell. */
struct vs_cell_uses {
   uint16_t defs, uses;
   struct vs_op *def; /* the last one */
};
struct vs_cell_uses *
vs_count_uses(const struct vs_program *prog);

/* passes */
void
vs_lower_nir(nir_shader *nir); /* vs_nir.c */
void
vs_build(struct vs_program *prog, nir_shader *nir); /* vs_build.c */
void
vs_optimize(struct vs_program *prog); /* vs_opt.c */
void
vs_define_cells(struct vs_program *prog); /* vs_undef.c */
void
vs_legalize_operands(struct vs_program *prog); /* vs_legalize.c */
void
vs_merge_ops(struct vs_program *prog); /* vs_merge.c */
void
vs_group_cells(struct vs_program *prog); /* vs_group.c */

/* vs_sched.c */
enum vs_strategy {
   VS_STRATEGY_SPEED,    /* shortest */
   VS_STRATEGY_PRESSURE, /* pairs, but near the order of the source */
   VS_STRATEGY_IN_ORDER, /* one operation per instruction */
};
void
vs_schedule(struct vs_program *prog, enum vs_strategy strategy);

bool
vs_allocate_registers(struct vs_program *prog); /* vs_ra.c */
bool
vs_pack_constants(struct vs_program *prog); /* vs_const.c */
void
vs_emit(struct vs_program *prog, void *mem_ctx,
        struct tegra20_vs *out); /* vs_emit.c */

/*
 * vs_pair.c: the rules of vertex-pipeline.md 6.2, before registers are
 * allocated.  Either half may be NULL.
 */
bool
vs_can_pair(const struct vs_program *prog, const struct vs_op *vector,
            const struct vs_op *scalar);

/* Distinct constant values that an operation (or two) reads from one
 * register; more than 4 do not fit. */
struct vs_const_set {
   bool relative;
   uint16_t base, offset;
   unsigned count;
   uint16_t values[16];
};
bool
vs_collect_consts(const struct vs_op *op, struct vs_const_set *set);

/*
 * vs_group.c: groups of the program as it stands, without changing it, and
 * whether one more operation could be met; if so its demands are kept.
 */
struct vs_grouping *
vs_grouping_create(void *mem_ctx, struct vs_program *prog);
bool
vs_grouping_try(struct vs_grouping *grouping, const struct vs_op *op);

void
vs_print_op(FILE *fp, const struct vs_program *prog, const struct vs_op *op);
void
vs_print_program(FILE *fp, const struct vs_program *prog); /* vs_print.c */
extern const char *const vs_cond_names[8];
void
vs_validate(struct vs_program *prog,
            const char *when); /* vs_validate.c; sets prog->error */

#endif
