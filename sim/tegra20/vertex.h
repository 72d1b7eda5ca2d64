/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What the vertex half of GR3D (gr3d.c, vfetch.c, vpe.c, setup.c) agrees on.
 *
 * A draw has at most 4096 vertices.  They are fetched, transformed and linked
 * before the first primitive is assembled:
 *
 *   gr3d_vertex_fetch_begin
 *      indices -> list of distinct vertex numbers, one slot each (the
 *      post-transform cache)
 *   vpe_run
 *      VPE_LANES slots at a time: attributes -> exports, structure of arrays
 *   gr3d_setup_vertex
 *      exports of a slot -> clip codes, struct gr3d_vertex when nothing of it
 *      is clipped
 *   gr3d_setup_draw
 *      primitive assembly, clipping, culling -> gr3d_raster_*
 */

#ifndef SIM_VERTEX_H
#define SIM_VERTEX_H

#include "sim_internal.h"

#define GR3D_MAX_VERTICES 4096 /* of one draw: the count field has 12 bits */
#define GR3D_NUM_ATTRIBS 16
#define GR3D_NUM_EXPORTS 16
#define GR3D_MAX_LINKER 32

#define VPE_LANES 16
typedef float vpe_vec __attribute__((vector_size(4 * VPE_LANES)));
typedef int32_t vpe_ivec __attribute__((vector_size(4 * VPE_LANES)));
typedef uint32_t __attribute__((may_alias))
vpe_bits; /* one lane of either, as bits */

#define VPE_NUM_INSNS 256
#define VPE_NUM_TEMPS 32
#define VPE_STACK_DEPTH 8
#define VPE_MAX_STEPS 65536 /* family limit, assumption A18 */
#define VPE_NONE 0xff

enum vpe_vector_op {
   VPE_V_NOP,
   VPE_V_MOV,
   VPE_V_MUL,
   VPE_V_ADD,
   VPE_V_MAD,
   VPE_V_DP3,
   VPE_V_DPH,
   VPE_V_DP4,
   VPE_V_DST,
   VPE_V_MIN,
   VPE_V_MAX,
   VPE_V_SLT,
   VPE_V_SGE,
   VPE_V_ARL,
   VPE_V_FRC,
   VPE_V_FLR,
   VPE_V_SEQ,
   VPE_V_SFL,
   VPE_V_SGT,
   VPE_V_SLE,
   VPE_V_SNE,
   VPE_V_STR,
   VPE_V_SSG,
   VPE_V_ARR,
   VPE_V_ARA,
   VPE_V_TXL,
   VPE_V_PUSHA,
   VPE_V_POPA,
};

enum vpe_scalar_op {
   VPE_S_NOP = 0,
   VPE_S_MOV = 1,
   VPE_S_RCP = 2,
   VPE_S_RCC = 3,
   VPE_S_RSQ = 4,
   VPE_S_EXP = 5,
   VPE_S_LOG = 6,
   VPE_S_LIT = 7,
   VPE_S_BRA = 9,
   VPE_S_CAL = 11,
   VPE_S_RET = 12,
   VPE_S_LG2 = 13,
   VPE_S_EX2 = 14,
   VPE_S_SIN = 15,
   VPE_S_COS = 16,
   VPE_S_PUSHA = 19,
   VPE_S_POPA = 20,
};

enum vpe_operand_type {
   VPE_TYPE_UNDEFINED,
   VPE_TYPE_TEMP,
   VPE_TYPE_ATTRIB,
   VPE_TYPE_CONST
};

/* States of a condition register component: one bit each.  UNORDERED passes
 * NE and TR only (vertex-pipeline.md 5.3). */
enum vpe_condition {
   VPE_LESS = 1,
   VPE_EQUAL = 2,
   VPE_GREATER = 4,
   VPE_UNORDERED = 8
};

struct vpe_operand {
   uint8_t type, index;
   uint8_t swizzle[4];
   uint8_t need; /* components (bit 0 = x, after the swizzle) that the opcodes
                    read */
   bool negate, absolute;
};

/* One instruction, decoded (vertex-pipeline.md 2.1).  Masks: bit 0 = x. */
struct vpe_insn {
   uint8_t vector_op, scalar_op;
   uint8_t vector_mask, scalar_mask;
   uint8_t vector_dest, scalar_dest; /* temp or VPE_NONE */
   uint8_t export_index;             /* 0..15 or VPE_NONE */
   bool export_vector;
   struct vpe_operand a, b, c;
   uint8_t attrib;
   uint16_t constant;
   bool attrib_relative, const_relative, export_relative,
      relative; /* relative: any of the three */
   uint8_t address_select;
   bool address_zero;
   uint8_t condition; /* passing states, VPE_LESS | VPE_EQUAL | VPE_GREATER */
   uint8_t condition_swizzle[4];
   bool predicated;      /* cc = 1 */
   bool condition_write; /* cs = 1 and cwr = 1 */
   uint8_t condition_reg;
   bool saturate;
   uint8_t target;
   bool end;
   bool has_vector_result, has_scalar_result;
   bool complete;     /* all four words were uploaded in this job */
   const char *abort; /* cause of an abort, or NULL */
   uint32_t raw[4];   /* W3 first, for diagnostics */
};

struct vpe_program {
   struct vpe_insn insn[VPE_NUM_INSNS];
   uint16_t
      exports_written;  /* by any instruction; relative ones count for all */
   uint32_t temps_read; /* by any instruction */
};

/* Registers of VPE_LANES vertices. */
struct vpe_lanes {
   vpe_vec attrib[GR3D_NUM_ATTRIBS][4];
   vpe_vec export[GR3D_NUM_EXPORTS][4];
   vpe_vec temp[VPE_NUM_TEMPS][4];
   vpe_ivec condition[2][4];
   vpe_ivec address[4];
   uint64_t clocks; /* out: what the vertices cost */
};

struct gr3d_attrib {
   uint32_t address, stride;
   uint8_t type, size;
   uint8_t element_size;          /* bytes of all components */
   const struct sim_range *range; /* of the last fetch that succeeded */
};

/* A linker instruction, decoded (vertex-pipeline.md 12.1). */
struct gr3d_link {
   uint8_t export; /* export number, not rank */
   uint8_t row;
   struct {
      uint8_t type, column;
      uint8_t source; /* component of the export */
   } component[4];
};

/* What the set-up stage needs of the registers, in a form that is quick to
 * use. */
struct gr3d_setup {
   double guard[3];
   double scale[3], bias[3];
   unsigned num_links;
   struct gr3d_link link[GR3D_MAX_LINKER];
   uint32_t rows_written; /* bit per TRAM row */
   uint16_t
      exports; /* bit per export that 0x120 passes on, and the position */
   bool any_flat;
   bool whole_rows; /* A41: a linker instruction writes all columns of its row
                     */
   bool drop_behind; /* A21: primitives with a vertex behind the eye are
                        dropped */
   unsigned
      drop_outside;  /* A100: clip codes of primitives that are dropped */
   int winding_sign; /* A29: -1 where the viewport mirrors and winding is
                        measured before it */
   bool front_cw;
   uint8_t cull;     /* bit 0 CCW, bit 1 CW */
   bool culls_faces; /* A130: bit 0 the back, bit 1 the front */
   bool provoking_last;
};

/* Clip codes: which half-spaces a vertex is outside of. */
enum {
   GR3D_CLIP_X_MAX = 1 << 0,
   GR3D_CLIP_X_MIN = 1 << 1,
   GR3D_CLIP_Y_MAX = 1 << 2,
   GR3D_CLIP_Y_MIN = 1 << 3,
   GR3D_CLIP_Z_MAX = 1 << 4,
   GR3D_CLIP_Z_MIN = 1 << 5,
   GR3D_CLIP_W = 1 << 6,
   GR3D_CLIP_NOT_FINITE =
      1 << 7, /* cannot be clipped: the primitive is dropped */
};
#define GR3D_NUM_CLIP_PLANES 7

/* Those that 0x120 passes on; the others are not set. */
struct gr3d_exports {
   float v[GR3D_NUM_EXPORTS][4];
};

struct gr3d_vertex_state {
   struct vpe_lanes lanes;
   struct vpe_program program;
   uint32_t program_serial; /* gr3d_programs.vp_serial that program was
                               decoded from */
   bool program_valid;
   bool insn_checked[VPE_NUM_INSNS]; /* strict mode: vpe_check_insn() has seen
                                        it */
   uint32_t constants[TEGRA20_CHIP_MAX_VS_CONSTS]
                     [4]; /* bits, denormals flushed */
   uint32_t constants_serial;
   bool constants_valid;

   struct gr3d_attrib attrib[GR3D_NUM_ATTRIBS];
   struct gr3d_setup setup;
   bool changed; /* since the last draw: something that processed vertices
                    depend on */

   unsigned num_indices;
   uint16_t slot[GR3D_MAX_VERTICES]; /* of index i of the draw */
   unsigned num_slots;
   uint32_t number[GR3D_MAX_VERTICES]; /* vertex number of a slot */
   uint16_t slot_of_number[65536];
   uint32_t stamp_of_number[65536]; /* slot_of_number[] is valid when this is
                                       stamp */
   uint32_t stamp;

   struct gr3d_exports exports[GR3D_MAX_VERTICES];
   struct gr3d_vertex vertex[GR3D_MAX_VERTICES];
   uint8_t clip_code[GR3D_MAX_VERTICES];
};

/* vfetch.c */
void
gr3d_vertex_fetch_begin(struct gr3d *gr3d);
void
gr3d_vertex_fetch(struct gr3d *gr3d, unsigned first_slot, unsigned count);

/* vpe_decode.c */
void
vpe_decode(struct vpe_insn *insn, const uint32_t words[4], bool complete);
/* Decodes program and constants when they changed since the last draw. */
void
vpe_program_update(struct gr3d *gr3d);

/* vpe_scalar.c: components of the swizzled rC to the four components of the
 * result; y and w matter for LIT only. */
void
vpe_scalar_function(unsigned op, double x, double y, double w, double out[4]);

/* vpe.c */
/* Runs the program for the first count lanes, attributes filled in.  False
 * when it hangs (reported). */
bool
vpe_run(struct gr3d *gr3d, unsigned count);

/* setup.c */
void
gr3d_setup_begin(struct gr3d *gr3d);
void
gr3d_setup_vertex(struct gr3d *gr3d, unsigned slot);
void
gr3d_setup_draw(struct gr3d *gr3d);

/* check.c: strict mode. */
void
gr3d_check_write(struct gr3d *gr3d, uint32_t offset, uint32_t value);
void
gr3d_check_draw(struct gr3d *gr3d);
void
vpe_check_insn(struct sim *sim, const struct vpe_insn *insn, unsigned pos);

/* Denormals become zeros with the same sign (assumption A10). */
static inline uint32_t
vpe_flush_bits(uint32_t bits)
{
   return bits & 0x7f800000 ? bits : bits & 0x80000000;
}

#endif
