/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Strict mode: what programs may not do, though the interpreter has an
 * answer.  The rules are those of the notes (docs/videocore.md).
 */

#include "v3d_internal.h"

static bool
reads(const struct qpu_instr *in, unsigned mux)
{
   return (in->add && (in->add_a == mux || in->add_b == mux)) ||
          (in->mul && (in->mul_a == mux || in->mul_b == mux));
}

/* The register of file A or B that the instruction writes, or -1. */
static int
written(const struct qpu_instr *in, bool file_b)
{
   if (in->kind != QPU_ALU && in->kind != QPU_IMMEDIATE)
      return -1;
   bool imm = in->kind == QPU_IMMEDIATE;
   if ((imm || in->add) && in->cond_add && in->ws == file_b &&
       in->waddr_add < 32)
      return in->waddr_add;
   if ((imm || in->mul) && in->cond_mul && in->ws != file_b &&
       in->waddr_mul < 32)
      return in->waddr_mul;
   return -1;
}

static void
check_hazards(struct qpu *q, const struct qpu_instr *in)
{
   if ((reads(in, QPU_MUX_A) && in->raddr_a < 32 &&
        in->raddr_a == q->last_a) ||
       (reads(in, QPU_MUX_B) && !in->small && in->raddr_b < 32 &&
        in->raddr_b == q->last_b))
      v3d_diag(q->v3d, V3D_DIAG_QPU_READ_AFTER_WRITE,
               "instruction %u of the program at 0x%08x reads what the one "
               "before has written",
               q->ip, q->program ? q->program->address : 0);
   if (q->sfu_wait && reads(in, QPU_MUX_R4))
      v3d_diag(q->v3d, V3D_DIAG_QPU_R4_EARLY,
               "instruction %u of the program at 0x%08x reads r4 too early",
               q->ip, q->program ? q->program->address : 0);
}

static void
check_fields(struct qpu *q, const struct qpu_instr *in)
{
   bool bad_add =
      (in->add >= 9 && in->add <= 11) || (in->add >= 25 && in->add <= 29);
   if (bad_add)
      v3d_diag(q->v3d, V3D_DIAG_QPU_INSTR, "operation %u of the adder",
               in->add);
   if (in->pack && in->pm && (in->pack < 3 || in->pack > 7))
      v3d_diag(q->v3d, V3D_DIAG_QPU_PACK, "pack mode %u of the multiplier",
               in->pack);
   if (in->pack && !in->pm && written(in, false) < 0)
      v3d_diag(q->v3d, V3D_DIAG_QPU_PACK,
               "packing without a result in file A");
}

/* The last three instructions. */
static void
check_end(struct qpu *q, const struct qpu_instr *in)
{
   unsigned last = q->program->count;
   if (!q->program->ends || q->ip + 3 < last)
      return;
   if (in->reads_a || in->reads_b)
      v3d_diag(q->v3d, V3D_DIAG_QPU_END,
               "a queue is read in the last three instructions");
   if (q->ip + 3 == last &&
       (written(in, false) >= 0 || written(in, true) >= 0))
      v3d_diag(q->v3d, V3D_DIAG_QPU_END,
               "the instruction with the end writes file A or B");
}

void
qpu_check(struct qpu *q, const struct qpu_instr *in)
{
   if (q->sfu_wait)
      q->sfu_wait--;
   if (in->kind == QPU_ALU) {
      check_hazards(q, in);
      check_fields(q, in);
   }
   if (q->program && in->kind == QPU_ALU)
      check_end(q, in);
   q->last_a = written(in, false);
   q->last_b = written(in, true);
}

void
qpu_check_end(struct qpu *q)
{
   if (q->stage == QPU_FRAGMENT && q->next_varying != q->num_varyings)
      v3d_diag(q->v3d, V3D_DIAG_QPU_VARYINGS,
               "a program read %u of its %u varyings", q->next_varying,
               q->num_varyings);
   if (q->tmu && (q->tmu[0].count || q->tmu[1].count))
      v3d_diag(q->v3d, V3D_DIAG_QPU_TMU_FIFO,
               "a program ends with look-ups that it has not taken");
   if (q->mutex)
      v3d_diag(q->v3d, V3D_DIAG_QPU_MUTEX,
               "a program ends and holds the mutex");
   if (q->vpm && q->vpm->num_reads)
      v3d_diag(q->v3d, V3D_DIAG_QPU_VPM_COUNT,
               "a program ends with reads of the VPM that it has asked for");
}
