/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Declarations that the files of the builder of vertex IR share.
 *
 *    vs_build.c       control flow, exports, the whole
 *    vs_build_refs.c  references to values, moves
 *    vs_build_alu.c   arithmetic, conditions, selections
 *    vs_build_io.c    uniforms, inputs, outputs, addresses
 */

#ifndef TEGRA20_VS_BUILD_H
#define TEGRA20_VS_BUILD_H

#include "util/ralloc.h"
#include "vs_ir.h"

struct vs_ref {
   uint8_t file; /* enum vs_file; NONE: not defined yet */
   bool neg, abs;
   bool variable; /* a cell that a later store_reg changes */
   uint16_t base;
   uint16_t c;
};

/* Contents of a CR cell: a component of a boolean, and the test that is true
 * with it. */
struct condition {
   const nir_def *def;
   uint8_t comp, cond;
};

struct builder {
   struct vs_program *prog;
   struct vs_block *block;
   const nir_block *nir_block; /* being translated */
   const nir_instr *instr;     /* in it; NULL at its end */
   struct vs_ref *refs;        /* 4 per NIR definition */
   struct util_dynarray moved; /* struct moved_vector, of the current block */
   struct util_dynarray addresses;  /* struct address, of the current block */
   struct util_dynarray index_uses; /* struct index_use */

   uint8_t next_cr, next_addr;
   struct condition conditions[VS_NUM_CR_CELLS]; /* of this block */

   struct vs_block *break_block, *continue_block;
   unsigned loop_depth;
   uint8_t export_of_slot[VARYING_SLOT_MAX];
   struct vs_op **cell_def; /* last definition of a cell so far; grows */
   unsigned cell_def_size;
};

/* A vector that had to be assembled from parts: used again when the same
 * parts are asked for. */
struct moved_vector {
   struct vs_ref refs[4];
   unsigned count;
   uint16_t cells[4];
};

/* An index in a component of A0, clamped to min..max. */
struct address {
   struct vs_ref index;
   int min, max;
   enum vs_opcode opcode; /* how it was rounded */
   uint8_t comp;
};

/* A split index: the address in A0, and the offset in the instruction that
 * reads. */
struct index {
   const nir_def *def;
   uint8_t comp;
   uint16_t offset;
   enum vs_opcode opcode;
};

/* The largest offset by which an array is read relative to one index. */
struct index_use {
   const nir_def *def;
   uint8_t comp;
   unsigned slot, size, max_offset;
};

/* vs_build_refs.c */
struct vs_op *
vsb_emit(struct builder *b, enum vs_opcode opcode, unsigned lanes);
void
vsb_set_dst(struct builder *b, struct vs_op *op, const uint16_t *cells);
void
vsb_new_cells(struct builder *b, unsigned count, uint16_t *cells);
struct vs_ref
vsb_ref_const(uint16_t value);
struct vs_ref
vsb_ref_cell(uint16_t cell);
struct vs_ref *
vsb_def_refs(struct builder *b, const nir_def *def);
struct vs_ref
vsb_get_ref(struct builder *b, const nir_def *def, unsigned comp);
bool
vsb_any_variable(const struct vs_ref *refs, unsigned count);
bool
vsb_variables_unchanged(const nir_instr *from, const nir_block *block,
                        const nir_instr *to);
uint16_t
vsb_plain_value(struct builder *b, const struct vs_ref *ref);
bool
vsb_is_imm(struct builder *b, const struct vs_ref *ref, float imm);
void
vsb_harmonize_constants(struct builder *b, struct vs_ref *refs,
                        unsigned count);
struct vs_src
vsb_src_from_refs(const struct vs_ref *refs, unsigned count);
void
vsb_emit_moves(struct builder *b, const struct vs_ref *refs, unsigned count,
               const uint16_t *cells, const struct vs_op *like);
struct vs_src
vsb_make_src(struct builder *b, struct vs_ref *refs, unsigned count);
void
vsb_alu_refs(struct builder *b, const nir_alu_instr *alu, unsigned s,
             unsigned count, struct vs_ref *refs);
void
vsb_forget_block_state(struct builder *b);
void
vsb_forget_cell(struct builder *b, uint16_t cell);
void
vsb_pin_variables(struct builder *b, nir_def *def);

/* vs_build_alu.c */
void
vsb_set_results(struct builder *b, const nir_def *def, struct vs_op *op);
unsigned
vsb_get_condition(struct builder *b, const nir_def *def, const uint8_t *comps,
                  unsigned count, uint8_t *cells);
void
vsb_build_alu(struct builder *b, nir_alu_instr *alu);

/* vs_build_io.c */
void
vsb_collect_index_uses(struct builder *b, nir_function_impl *impl);
bool
vsb_is_ignored_output(unsigned slot);
void
vsb_build_intrinsic(struct builder *b, const nir_intrinsic_instr *intr);

#endif
