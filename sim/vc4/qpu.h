/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The QPU: sixteen lanes that execute one program.  A program is decoded once
 * (qpu_decode.c); an instance of it is a struct qpu, which the units around
 * it fill with what the chip hands to a program when it starts it.
 */

#ifndef QPU_H
#define QPU_H

#include <stdbool.h>
#include <stdint.h>

#define QPU_LANES 16

/* A value of all lanes. */
typedef float qpu_f __attribute__((vector_size(4 * QPU_LANES)));
typedef int32_t qpu_i __attribute__((vector_size(4 * QPU_LANES)));
typedef uint32_t qpu_u __attribute__((vector_size(4 * QPU_LANES)));

enum qpu_add_op {
   QPU_ADD_NOP = 0,
   QPU_ADD_FADD,
   QPU_ADD_FSUB,
   QPU_ADD_FMIN,
   QPU_ADD_FMAX,
   QPU_ADD_FMINABS,
   QPU_ADD_FMAXABS,
   QPU_ADD_FTOI,
   QPU_ADD_ITOF,
   QPU_ADD_ADD = 12,
   QPU_ADD_SUB,
   QPU_ADD_SHR,
   QPU_ADD_ASR,
   QPU_ADD_ROR,
   QPU_ADD_SHL,
   QPU_ADD_MIN,
   QPU_ADD_MAX,
   QPU_ADD_AND,
   QPU_ADD_OR,
   QPU_ADD_XOR,
   QPU_ADD_NOT,
   QPU_ADD_CLZ,
   QPU_ADD_V8ADDS = 30,
   QPU_ADD_V8SUBS,
};

enum qpu_mul_op {
   QPU_MUL_NOP = 0,
   QPU_MUL_FMUL,
   QPU_MUL_MUL24,
   QPU_MUL_V8MULD,
   QPU_MUL_V8MIN,
   QPU_MUL_V8MAX,
   QPU_MUL_V8ADDS,
   QPU_MUL_V8SUBS,
};

enum qpu_signal {
   QPU_SIG_BREAK = 0,
   QPU_SIG_NONE,
   QPU_SIG_SWITCH,
   QPU_SIG_END,
   QPU_SIG_WAIT_SCOREBOARD,
   QPU_SIG_UNLOCK_SCOREBOARD,
   QPU_SIG_LAST_SWITCH,
   QPU_SIG_LOAD_COVERAGE,
   QPU_SIG_LOAD_COLOR,
   QPU_SIG_LOAD_COLOR_END,
   QPU_SIG_LOAD_TMU0,
   QPU_SIG_LOAD_TMU1,
   QPU_SIG_LOAD_ALPHA_MASK,
   QPU_SIG_SMALL_IMMEDIATE,
   QPU_SIG_LOAD_IMMEDIATE,
   QPU_SIG_BRANCH,
};

enum qpu_cond {
   QPU_COND_NEVER = 0,
   QPU_COND_ALWAYS,
   QPU_COND_ZS,
   QPU_COND_ZC,
   QPU_COND_NS,
   QPU_COND_NC,
   QPU_COND_CS,
   QPU_COND_CC,
};

#define QPU_LOST_FLAGS (1u << 6)

/* Of branches: the flags of all or of any lane; 15 = always. */
#define QPU_BRANCH_ALWAYS 15

enum qpu_mux { QPU_MUX_R4 = 4, QPU_MUX_R5, QPU_MUX_A, QPU_MUX_B };

/* Addresses from 32 on, where they are not the same in both directions and
 * files. */
enum qpu_read {
   QPU_R_UNIFORM = 32,
   QPU_R_VARYING = 35,
   QPU_R_ELEMENT = 38, /* B: number of the QPU */
   QPU_R_NOP = 39,
   QPU_R_X = 41,        /* B: Y */
   QPU_R_MS_FLAGS = 42, /* B: reverse flag */
   QPU_R_VPM = 48,
   QPU_R_VPM_BUSY = 49, /* A: loads, B: stores */
   QPU_R_VPM_WAIT = 50,
   QPU_R_MUTEX = 51,
};

enum qpu_write {
   QPU_W_R0 = 32,
   QPU_W_TMU_NOSWAP = 36,
   QPU_W_R5 = 37, /* A: from lane 0 of each quad, B: from lane 0 */
   QPU_W_INTERRUPT = 38,
   QPU_W_NOP = 39,
   QPU_W_UNIFORMS = 40,
   QPU_W_X = 41,
   QPU_W_MS_FLAGS = 42,
   QPU_W_STENCIL = 43,
   QPU_W_TLB_Z = 44,
   QPU_W_TLB_COLOR_MS = 45,
   QPU_W_TLB_COLOR = 46,
   QPU_W_TLB_ALPHA_MASK = 47,
   QPU_W_VPM = 48,
   QPU_W_VPM_SETUP = 49, /* A: loads, B: stores */
   QPU_W_VPM_ADDRESS = 50,
   QPU_W_MUTEX = 51,
   QPU_W_RECIP = 52,
   QPU_W_RSQRT = 53,
   QPU_W_EXP = 54,
   QPU_W_LOG = 55,
   QPU_W_TMU0_S = 56, /* T, R, B; then those of TMU 1 */
};

/* What an instruction is made of. */
enum qpu_kind { QPU_ALU, QPU_IMMEDIATE, QPU_SEMAPHORE, QPU_BRANCH };

struct qpu_instr {
   uint8_t kind, signal;
   uint8_t add, mul, cond_add, cond_mul;
   uint8_t add_a, add_b, mul_a, mul_b; /* enum qpu_mux */
   uint8_t raddr_a, raddr_b;
   uint8_t waddr_add, waddr_mul;
   uint8_t pack, unpack;
   bool pm, sf, ws;
   bool small;        /* immediate instead of file B */
   uint8_t rotate;    /* of the multiplier: 0 = none, 16 = by r5, else by so
                         many lanes */
   bool unpack_float; /* file A is unpacked to floats */
   /* Shortcuts of the interpreter: */
   bool reads_a, reads_b; /* addresses from 32 on, which have effects */
   uint16_t source[4]; /* of add_a, add_b, mul_a, mul_b: into struct qpu, in
                          vectors */
   uint32_t immediate; /* also of branches */
   uint8_t imm_mode;   /* 0: 32 bits, 1: two signed bits per lane, 3: unsigned
                        */
   uint8_t branch_cond, branch_reg;
   bool branch_relative, branch_uses_reg;
};

/* A decoded program, up to the end signal and its two delay slots, or to
 * where memory ends. */
struct qpu_program {
   uint32_t address;
   unsigned count;
   bool ends;     /* has an end signal */
   bool threaded; /* switches */
   bool stencil;  /* sets the stencil test up */
   struct qpu_instr *instrs;
   uint64_t *words;
};

struct v3d;
struct tlb_block;
struct vpm;
struct tmu;

enum qpu_stage { QPU_FRAGMENT, QPU_VERTEX, QPU_COORDINATE, QPU_USER };

/* One instance.  The vectors come first: sources are numbered by them. */
struct qpu {
   qpu_u a[32], b[32];
   qpu_u r[6];
   qpu_u read_a, read_b; /* what addresses from 32 on gave */
   qpu_u unpacked;       /* file A or r4 */
   qpu_u z, n, c;        /* flags: all ones or 0 */
   qpu_u element, x, y, ms_flags, reverse;
   qpu_u number; /* of the QPU */

   struct v3d *v3d;
   enum qpu_stage stage;
   const struct qpu_program *program;
   unsigned ip;

   uint32_t uniform_address;
   const uint32_t *uniforms, *uniforms_end;

   /* Partly interpolated varyings, and what is added after the product with
    * W. */
   const qpu_u *varying_v;
   const float *varying_c;
   unsigned num_varyings, next_varying;
   uint32_t constant; /* of the varying that was just read */
   bool has_constant;

   struct tlb_block *tlb;
   struct vpm *vpm;
   struct tmu *tmu; /* two */
   bool mutex;
   bool locked;        /* the scoreboard */
   bool last_switched; /* no thread switch may follow */
   bool two_threads;   /* says the record of the program */
   bool failed;
   uint64_t executed;

   /* Strict mode: instructions since r4 was ordered, and what the last one
    * wrote. */
   unsigned sfu_wait;
   int last_a, last_b;
   uint8_t lost; /* in a thread switch: accumulators, QPU_LOST_FLAGS */
   bool tmu_swap_off;
};

void
qpu_decode_instr(uint64_t word, struct qpu_instr *instr);

/* The value of a small immediate, 0..47. */
uint32_t
qpu_small_immediate(unsigned field);

/* Decoded, from memory at address; NULL when nothing is there.  Kept until
 * qpu_forget_programs(). */
const struct qpu_program *
qpu_get_program(struct v3d *v3d, uint32_t address);
void
qpu_forget_programs(struct v3d *v3d);

/* Sets everything that a program may expect to be undefined to 0. */
void
qpu_init(struct qpu *qpu, struct v3d *v3d, enum qpu_stage stage);

/* Runs from the first instruction to the end.  False: the program is broken,
 * or did not end after many instructions; a diagnostic says why. */
bool
qpu_run(struct qpu *qpu, const struct qpu_program *program,
        uint32_t uniforms);

/* One instruction of the ALUs, for tests: qpu's registers are read and
 * written. */
void
qpu_step(struct qpu *qpu, uint64_t word);

/* qpu_check.c: strict mode; before an instruction, and after the last. */
void
qpu_check(struct qpu *qpu, const struct qpu_instr *instr);
void
qpu_check_branch(struct qpu *qpu, const struct qpu_instr *instr);
/* When the other thread begins: two instructions after the signal. */
void
qpu_check_switched(struct qpu *qpu);
void
qpu_check_end(struct qpu *qpu);

/* An instruction from text as qpu_disassemble() writes it; false with a
 * message of at most size bytes in error. */
bool
qpu_assemble(const char *text, uint64_t *word, char *error, unsigned size);

/* Text of an instruction: at most size bytes with the end. */
void
qpu_disassemble(uint64_t word, char *text, unsigned size);

#endif
