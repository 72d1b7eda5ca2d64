/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Fields of instructions, and the programs that were decoded.
 */

#include <stdlib.h>
#include <string.h>

#include "v3d_internal.h"

#define MAX_PROGRAM 65536

/* A source is a vector of struct qpu. */
#define SLOT(member) (offsetof(struct qpu, member) / sizeof(qpu_u))

static unsigned
bits(uint64_t word, unsigned shift, unsigned count)
{
   return word >> shift & ((1u << count) - 1);
}

uint32_t
qpu_small_immediate(unsigned n)
{
   if (n < 16)
      return n;
   if (n < 32)
      return n - 32;
   /* 2^0 .. 2^7, then 2^-8 .. 2^-1 */
   int exponent = n < 40 ? (int)n - 32 : (int)n - 48;
   return (uint32_t)(127 + exponent) << 23;
}

static bool
is_float_add(unsigned op)
{
   return op >= QPU_ADD_FADD && op <= QPU_ADD_FTOI;
}

/* Where the interpreter finds an operand. */
static unsigned
find_source(const struct qpu_instr *in, unsigned mux)
{
   switch (mux) {
   case QPU_MUX_A:
      if (in->unpack && !in->pm)
         return SLOT(unpacked);
      return in->raddr_a < 32 ? SLOT(a) + in->raddr_a : SLOT(read_a);
   case QPU_MUX_B:
      return in->raddr_b < 32 && !in->small ? SLOT(b) + in->raddr_b
                                            : SLOT(read_b);
   case QPU_MUX_R4:
      if (in->unpack && in->pm)
         return SLOT(unpacked);
      return SLOT(r) + 4;
   default:
      return SLOT(r) + mux;
   }
}

static bool
uses(const struct qpu_instr *in, unsigned mux, bool add)
{
   return add ? in->add && (in->add_a == mux || in->add_b == mux)
              : in->mul && (in->mul_a == mux || in->mul_b == mux);
}

/* Does reading the address matter?  Uniforms are taken by the address alone
 * (Linux counts them so); the notes' programs leave those of other queues in
 * instructions that do not use them. */
static bool
has_effect(const struct qpu_instr *in, unsigned address, unsigned mux)
{
   return address == QPU_R_UNIFORM ||
          (address >= 32 && address != QPU_R_NOP &&
           (uses(in, mux, true) || uses(in, mux, false)));
}

static void
decode_alu(uint64_t word, struct qpu_instr *in)
{
   in->kind = QPU_ALU;
   in->pm = bits(word, 56, 1);
   in->unpack = bits(word, 57, 3);
   in->mul = bits(word, 29, 3);
   in->add = bits(word, 24, 5);
   in->raddr_a = bits(word, 18, 6);
   in->raddr_b = bits(word, 12, 6);
   in->add_a = bits(word, 9, 3);
   in->add_b = bits(word, 6, 3);
   in->mul_a = bits(word, 3, 3);
   in->mul_b = bits(word, 0, 3);
   in->small = in->signal == QPU_SIG_SMALL_IMMEDIATE;
   if (in->small) {
      if (in->raddr_b < 48)
         in->immediate = qpu_small_immediate(in->raddr_b);
      else
         in->rotate = in->raddr_b == 48 ? 16 : in->raddr_b - 48;
   }
   /* What A or r4 is unpacked to depends on who takes it. */
   in->unpack_float = in->pm ||
                      (uses(in, QPU_MUX_A, true) && is_float_add(in->add)) ||
                      (uses(in, QPU_MUX_A, false) && in->mul == QPU_MUL_FMUL);
   in->reads_a = has_effect(in, in->raddr_a, QPU_MUX_A);
   in->reads_b = !in->small && has_effect(in, in->raddr_b, QPU_MUX_B);
   const uint8_t mux[4] = { in->add_a, in->add_b, in->mul_a, in->mul_b };
   for (unsigned i = 0; i < 4; i++)
      in->source[i] = find_source(in, mux[i]);
}

void
qpu_decode_instr(uint64_t word, struct qpu_instr *in)
{
   memset(in, 0, sizeof(*in));
   in->signal = bits(word, 60, 4);
   in->waddr_add = bits(word, 38, 6);
   in->waddr_mul = bits(word, 32, 6);
   in->ws = bits(word, 44, 1);
   if (in->signal == QPU_SIG_BRANCH) {
      in->kind = QPU_BRANCH;
      in->branch_cond = bits(word, 52, 4);
      in->branch_relative = bits(word, 51, 1);
      in->branch_uses_reg = bits(word, 50, 1);
      in->branch_reg = bits(word, 45, 5);
      in->immediate = (uint32_t)word;
      return;
   }
   in->sf = bits(word, 45, 1);
   in->cond_add = bits(word, 49, 3);
   in->cond_mul = bits(word, 46, 3);
   in->pack = bits(word, 52, 4);
   in->pm = bits(word, 56, 1);
   if (in->signal == QPU_SIG_LOAD_IMMEDIATE) {
      in->imm_mode = bits(word, 57, 3);
      in->kind = in->imm_mode >= 4 ? QPU_SEMAPHORE : QPU_IMMEDIATE;
      in->immediate = (uint32_t)word;
      return;
   }
   decode_alu(word, in);
}

static struct qpu_program *
decode_program(struct v3d *v3d, uint32_t address)
{
   uint32_t size;
   const uint8_t *cpu = v3d_memory_rest(v3d, address, &size);
   unsigned max = V3D_MIN(size / 8, MAX_PROGRAM);
   if (!cpu || address % 8 || !max)
      return NULL;
   struct qpu_program *program = calloc(1, sizeof(*program));
   if (!program)
      return NULL;
   program->address = address;
   unsigned count = 0;
   for (unsigned end = max; count < end; count++) {
      uint64_t word;
      memcpy(&word, cpu + count * 8, 8);
      unsigned signal = word >> 60;
      if (signal == QPU_SIG_END || signal == QPU_SIG_LOAD_COLOR_END) {
         end = V3D_MIN(end, count + 3);
         program->ends = true;
      }
      program->threaded |=
         signal == QPU_SIG_SWITCH || signal == QPU_SIG_LAST_SWITCH;
   }
   program->count = count;
   program->words = malloc(count * sizeof(*program->words));
   program->instrs = malloc(count * sizeof(*program->instrs));
   if (!program->words || !program->instrs) {
      free(program->words);
      free(program->instrs);
      free(program);
      return NULL;
   }
   memcpy(program->words, cpu, count * 8);
   for (unsigned i = 0; i < count; i++) {
      struct qpu_instr *in = &program->instrs[i];
      qpu_decode_instr(program->words[i], in);
      program->stencil |=
         in->waddr_add == QPU_W_STENCIL || in->waddr_mul == QPU_W_STENCIL;
   }
   return program;
}

const struct qpu_program *
qpu_get_program(struct v3d *v3d, uint32_t address)
{
   for (unsigned i = 0; i < v3d->num_programs; i++) {
      if (v3d->programs[i]->address == address)
         return v3d->programs[i];
   }
   struct qpu_program *program = decode_program(v3d, address);
   if (!program) {
      v3d_diag(v3d, V3D_DIAG_QPU_RANGE, "no program at 0x%08x: not in memory",
               address);
      return NULL;
   }
   if (v3d->num_programs == v3d->max_programs) {
      unsigned max = V3D_MAX(32, v3d->max_programs * 2);
      struct qpu_program **programs =
         realloc(v3d->programs, max * sizeof(*programs));
      if (!programs) {
         free(program->words);
         free(program->instrs);
         free(program);
         return NULL;
      }
      v3d->programs = programs;
      v3d->max_programs = max;
   }
   v3d->programs[v3d->num_programs++] = program;
   return program;
}

void
qpu_forget_programs(struct v3d *v3d)
{
   for (unsigned i = 0; i < v3d->num_programs; i++) {
      free(v3d->programs[i]->words);
      free(v3d->programs[i]->instrs);
      free(v3d->programs[i]);
   }
   v3d->num_programs = 0;
}
