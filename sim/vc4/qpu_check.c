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

/* What threads of one QPU share: half of each file is a thread's, the
 * accumulators and the flags are of the one that runs. */
static void
check_thread(struct qpu *q, const struct qpu_instr *in)
{
   const bool imm = in->kind == QPU_IMMEDIATE;
   unsigned lost = 0;
   for (unsigned mux = 0; mux < 6 && !imm; mux++)
      lost |= reads(in, mux) << mux;
   const bool adds = (imm || in->add) && in->cond_add > QPU_COND_ALWAYS;
   const bool muls = (imm || in->mul) && in->cond_mul > QPU_COND_ALWAYS;
   if (adds || muls)
      lost |= QPU_LOST_FLAGS;
   if (lost & q->lost)
      v3d_diag(q->v3d, V3D_DIAG_QPU_LOST,
               "instruction %u of the program at 0x%08x reads an "
               "accumulator or a flag that a thread switch has lost",
               q->ip, q->program->address);
   const unsigned to[2] = { in->waddr_add, in->waddr_mul };
   const bool written_to[2] = { (imm || in->add) && in->cond_add,
                                (imm || in->mul) && in->cond_mul };
   for (unsigned i = 0; i < 2; i++) {
      if (!written_to[i])
         continue;
      if (to[i] >= QPU_W_R0 && to[i] < QPU_W_R0 + 4)
         q->lost &= ~(1u << (to[i] - QPU_W_R0));
      else if (to[i] == QPU_W_R5)
         q->lost &= ~(1u << 5);
      else if (to[i] >= QPU_W_RECIP && to[i] <= QPU_W_LOG)
         q->lost &= ~(1u << 4);
   }
   if (in->sf)
      q->lost &= ~QPU_LOST_FLAGS;
   if (in->reads_a && in->raddr_a == QPU_R_VARYING)
      q->lost &= ~(1u << 5);
   if (in->reads_b && in->raddr_b == QPU_R_VARYING)
      q->lost &= ~(1u << 5);
   if ((in->signal >= QPU_SIG_LOAD_COVERAGE &&
        in->signal <= QPU_SIG_LOAD_ALPHA_MASK))
      q->lost &= ~(1u << 4);

   if (!q->program->threaded && !q->two_threads)
      return;
   const bool half_a = reads(in, QPU_MUX_A) && in->raddr_a >= 16;
   const bool half_b = reads(in, QPU_MUX_B) && in->raddr_b >= 16;
   if ((half_a && in->raddr_a < 32 && !imm) ||
       (half_b && in->raddr_b < 32 && !imm && !in->small) ||
       written(in, false) >= 16 || written(in, true) >= 16)
      v3d_diag(q->v3d, V3D_DIAG_QPU_HALF,
               "instruction %u of the program at 0x%08x, which has two "
               "threads, uses a register from 16 on",
               q->ip, q->program->address);
}

static void
report_shared(struct qpu *q, const char *what)
{
   v3d_diag(q->v3d, V3D_DIAG_QPU_SHARED,
            "the program at 0x%08x switches threads %s", q->program->address,
            what);
}

/* Running the threads one after the other is what the chip does unless they
 * can see each other: docs/videocore.md goes through what they share. */
void
qpu_check_switched(struct qpu *q)
{
   if (q->mutex)
      report_shared(q, "and holds the mutex, for which the other may wait");
   /* The result of two instructions ago is there before the next one. */
   if (q->sfu_wait >= 2)
      report_shared(q, "while a function unit is about to write r4");
   for (unsigned i = 0; q->tmu && i < 2; i++) {
      if (q->tmu[i].written)
         report_shared(q, "between the coordinates of a look-up");
      if (q->tmu[i].fresh < q->tmu[i].count)
         report_shared(q, "before it has taken what it asked for before the "
                          "last switch");
   }
   if (!q->two_threads && q->stage == QPU_FRAGMENT)
      v3d_diag(q->v3d, V3D_DIAG_QPU_SWITCH,
               "the program at 0x%08x switches threads, but its record says "
               "that it has one",
               q->program->address);
}

static void
check_switch(struct qpu *q, const struct qpu_instr *in)
{
   if (in->kind == QPU_SEMAPHORE && q->program->threaded)
      v3d_diag(q->v3d, V3D_DIAG_QPU_SHARED,
               "the program at 0x%08x, which has two threads, uses a "
               "semaphore",
               q->program->address);
   if (in->signal != QPU_SIG_SWITCH && in->signal != QPU_SIG_LAST_SWITCH)
      return;
   if (q->last_switched || q->locked)
      v3d_diag(q->v3d, V3D_DIAG_QPU_SWITCH,
               "instruction %u of the program at 0x%08x switches threads %s",
               q->ip, q->program->address,
               q->locked ? "with the scoreboard locked"
                         : "after the last switch");
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
   if (q->program && in->kind != QPU_SEMAPHORE)
      check_thread(q, in);
   if (q->program)
      check_switch(q, in);
   q->last_a = written(in, false);
   q->last_b = written(in, true);
}

void
qpu_check_branch(struct qpu *q, const struct qpu_instr *in)
{
   if (in->branch_cond != QPU_BRANCH_ALWAYS && (q->lost & QPU_LOST_FLAGS))
      v3d_diag(q->v3d, V3D_DIAG_QPU_LOST,
               "a branch of the program at 0x%08x depends on flags that a "
               "thread switch has lost",
               q->program->address);
}

void
qpu_check_end(struct qpu *q)
{
   if (q->program->threaded && !q->last_switched)
      v3d_diag(q->v3d, V3D_DIAG_QPU_SWITCH,
               "the program at 0x%08x switches threads, but never for the "
               "last time",
               q->program->address);
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
