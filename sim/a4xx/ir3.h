/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * ir3, the instructions of Adreno's shader processors, as generation 4 has
 * them: words into fields (ir3_decode.c), fields into text (ir3_disasm.c) and
 * waves of 32 lanes that execute them (ir3_exec.c, ir3_alu.c).
 *
 * A register number is 4 * n + component: r1.y is 5.  Half registers are a
 * file of their own before generation 6.
 */

#ifndef IR3_H
#define IR3_H

#include <stdbool.h>
#include <stdint.h>

#define IR3_LANES 32
#define IR3_REGS (48 * 4)
#define IR3_CONSTS (512 * 4)
#define IR3_BUFFER_CONSTS 0x700 /* from there on: addresses of buffers */
#define IR3_STORE (64 * 16)
#define IR3_INVALID_REG (63 * 4) /* r63.x: "none" in a field */
#define IR3_ADDRESS (61 * 4)     /* a0.x */
#define IR3_PREDICATE (62 * 4)   /* p0.x .. p0.w */

/* The category is in bits 6 to 8, the opcode field below it. */
#define IR3_OP(category, opcode) ((category) << 6 | (opcode))

enum ir3_op {
   /* 0: flow */
   IR3_NOP = IR3_OP(0, 0),
   IR3_BR = IR3_OP(0, 1),
   IR3_JUMP = IR3_OP(0, 2),
   IR3_CALL = IR3_OP(0, 3),
   IR3_RET = IR3_OP(0, 4),
   IR3_KILL = IR3_OP(0, 5),
   IR3_END = IR3_OP(0, 6),
   IR3_EMIT = IR3_OP(0, 7),
   IR3_CUT = IR3_OP(0, 8),
   IR3_CHMASK = IR3_OP(0, 9),
   IR3_CHSH = IR3_OP(0, 10),
   IR3_FLOW_REV = IR3_OP(0, 11),
   /* 1: moves, conversions */
   IR3_MOV = IR3_OP(1, 0),
   /* 2: one or two sources */
   IR3_ADD_F = IR3_OP(2, 0),
   IR3_MIN_F,
   IR3_MAX_F,
   IR3_MUL_F,
   IR3_SIGN_F,
   IR3_CMPS_F,
   IR3_ABSNEG_F,
   IR3_CMPV_F,
   IR3_FLOOR_F = IR3_OP(2, 9),
   IR3_CEIL_F,
   IR3_RNDNE_F,
   IR3_RNDAZ_F,
   IR3_TRUNC_F,
   IR3_ADD_U = IR3_OP(2, 16),
   IR3_ADD_S,
   IR3_SUB_U,
   IR3_SUB_S,
   IR3_CMPS_U,
   IR3_CMPS_S,
   IR3_MIN_U,
   IR3_MIN_S,
   IR3_MAX_U,
   IR3_MAX_S,
   IR3_ABSNEG_S,
   IR3_AND_B = IR3_OP(2, 28),
   IR3_OR_B,
   IR3_NOT_B,
   IR3_XOR_B,
   IR3_CMPV_U = IR3_OP(2, 33),
   IR3_CMPV_S,
   IR3_MUL_U24 = IR3_OP(2, 48),
   IR3_MUL_S24,
   IR3_MULL_U,
   IR3_BFREV_B,
   IR3_CLZ_S,
   IR3_CLZ_B,
   IR3_SHL_B,
   IR3_SHR_B,
   IR3_ASHR_B,
   IR3_BARY_F,
   IR3_MGEN_B,
   IR3_GETBIT_B,
   IR3_SETRM,
   IR3_CBITS_B,
   IR3_SHB,
   IR3_MSAD,
   /* 3: three sources */
   IR3_MAD_U16 = IR3_OP(3, 0),
   IR3_MADSH_U16,
   IR3_MAD_S16,
   IR3_MADSH_M16,
   IR3_MAD_U24,
   IR3_MAD_S24,
   IR3_MAD_F16,
   IR3_MAD_F32,
   IR3_SEL_B16,
   IR3_SEL_B32,
   IR3_SEL_S16,
   IR3_SEL_S32,
   IR3_SEL_F16,
   IR3_SEL_F32,
   IR3_SAD_S16,
   IR3_SAD_S32,
   /* 4: one source, late */
   IR3_RCP = IR3_OP(4, 0),
   IR3_RSQ,
   IR3_LOG2,
   IR3_EXP2,
   IR3_SIN,
   IR3_COS,
   IR3_SQRT,
   /* 5: textures */
   IR3_ISAM = IR3_OP(5, 0),
   IR3_ISAML,
   IR3_ISAMM,
   IR3_SAM,
   IR3_SAMB,
   IR3_SAML,
   IR3_SAMGQ,
   IR3_GETLOD,
   IR3_GETSIZE = IR3_OP(5, 10),
   IR3_GETBUF,
   IR3_GETINFO = IR3_OP(5, 13),
   IR3_DSX,
   IR3_DSY,
   IR3_GATHER4R,
   IR3_GATHER4G,
   IR3_GATHER4B,
   IR3_GATHER4A,
   /* 6: memory */
   IR3_LDG = IR3_OP(6, 0),
   IR3_LDL,
   IR3_LDP,
   IR3_STG,
   IR3_STL,
   IR3_STP,
   IR3_LDIB,
   IR3_LDLW = IR3_OP(6, 10),
   IR3_STLW,
   IR3_RESINFO = IR3_OP(6, 15),
   IR3_ATOMIC_ADD,
   IR3_ATOMIC_SUB,
   IR3_ATOMIC_XCHG,
   IR3_ATOMIC_INC,
   IR3_ATOMIC_DEC,
   IR3_ATOMIC_CMPXCHG,
   IR3_ATOMIC_MIN,
   IR3_ATOMIC_MAX,
   IR3_ATOMIC_AND,
   IR3_ATOMIC_OR,
   IR3_ATOMIC_XOR,
   IR3_LDGB,
   IR3_STGB,
   IR3_STIB,
   IR3_LDLV = IR3_OP(6, 31),
   /* 7: barriers */
   IR3_BAR = IR3_OP(7, 0),
   IR3_FENCE,
   IR3_NUM_OPS = 8 << 6,
};

enum ir3_type {
   IR3_F16,
   IR3_F32,
   IR3_U16,
   IR3_U32,
   IR3_S16,
   IR3_S32,
   IR3_U8,
   IR3_S8,
};

enum ir3_cond { IR3_LT, IR3_LE, IR3_GT, IR3_GE, IR3_EQ, IR3_NE };

/* How a branch decides (BRTYPE). */
enum ir3_branch {
   IR3_BR_ONE,
   IR3_BR_OR,
   IR3_BR_AND,
   IR3_BR_CONST,
   IR3_BR_ANY,
   IR3_BR_ALL,
};

enum ir3_source_kind {
   IR3_SRC_NONE,
   IR3_SRC_REG,
   IR3_SRC_CONST,
   IR3_SRC_IMMEDIATE,
   IR3_SRC_TABLE, /* one of twelve constants: ir3_table() */
   IR3_SRC_REL_REG,
   IR3_SRC_REL_CONST,
};

struct ir3_source {
   uint8_t kind;
   bool half;
   bool negate, absolute; /* negate is "not" for operations on bits */
   bool repeats;          /* (r): one further with each repetition */
   bool last;             /* (last): not read again */
   int16_t num;           /* register, constant, offset or table index */
   uint32_t immediate;
};

struct ir3_instr {
   uint16_t op; /* enum ir3_op */
   bool valid;  /* an instruction that generation 4 has */
   uint8_t repeat, nops;
   bool ss, sy, jp, ul, sat, ei, eq;
   /* Destination: a register, or with relative an offset to a0.x. */
   uint8_t dst;
   bool dst_half, dst_relative;
   uint8_t num_sources;
   struct ir3_source src[3];
   uint8_t cond;              /* of comparisons */
   uint8_t type, source_type; /* of conversions; type: also of memory */
   uint8_t round;
   uint8_t branch;       /* enum ir3_branch */
   bool invert[2];       /* its predicates */
   uint8_t predicate[2]; /* components of p0 */
   uint8_t index;        /* of IR3_BR_CONST */
   int32_t immediate;    /* of branches, in instructions; of memory: bytes */
   uint8_t size;         /* of memory: components */
   uint8_t mask;         /* of textures */
   uint8_t sampler, texture; /* of textures, where not indirect */
   bool indirect, is_3d, is_array, offset, project, shadow;
   bool local; /* of atomics: not in an image */
   bool typed; /* of images */
   /* Of barriers: global, local memory; reads, writes. */
   bool global_memory, local_memory, reads, writes;
   uint8_t dimensions, binding;
   bool binding_immediate;
};

/* Fields of a word.  False, with valid unset: no instruction of generation 4.
 * Never fails otherwise, whatever the word. */
bool
ir3_decode(uint64_t word, struct ir3_instr *instr);

/* Is a branch or any other use of addresses relative to a0.x in it? */
bool
ir3_is_relative(const struct ir3_instr *instr);

/* Value of the table of constants, 0 .. 11. */
float
ir3_table(unsigned index);

/* Of 16 bits; also where the thread's mode flushes denormals. */
float
ir3_half_to_float(uint32_t half);

/* "add.f", or NULL for an opcode that does not exist. */
const char *
ir3_op_name(unsigned op);
unsigned
ir3_op_sources(unsigned op);
bool
ir3_is_atomic(unsigned op);
/* Does it take a buffer or an image by number (or is a local atomic)? */
bool
ir3_names_buffer(unsigned op);
/* Of a texture operation: does it name one? */
bool
ir3_has_sampler(unsigned op);
bool
ir3_has_texture(unsigned op);

/* Text of an instruction as Mesa's ir3-disasm writes it: at most size bytes
 * with the end. */
void
ir3_disassemble(uint64_t word, char *text, unsigned size);

static inline bool
ir3_type_is_half(unsigned type)
{
   return type == IR3_F16 || type == IR3_U16 || type == IR3_S16 ||
          type >= IR3_U8;
}

/* Of memory and textures the last type is a byte in a full register. */
static inline bool
ir3_memory_type_is_half(unsigned type)
{
   return type != IR3_S8 && ir3_type_is_half(type);
}

#endif
