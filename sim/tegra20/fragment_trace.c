/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What blocks of a decoded fragment program need not prepare.
 *
 * Row registers start undefined (assumption A45), as zeros or, in strict
 * mode, as a pattern.  Nearly every program writes before it reads: the trace
 * follows an execution, batch by batch as fragment_exec.c does, and notes the
 * registers of which that is not certain.  Nothing depends on the values, so
 * one trace holds for all fragments.
 *
 * Barycentric weights are nearly always made by the one usual instruction,
 * which then need not leave b0, b1 and r4 behind.
 */

#include "fragment.h"

/* --- registers --- */

/* Halves of row registers that every lane has been given, a bit each. */
struct defined {
   uint32_t low, high;
};

static void
use_rows(struct sim_fs_program *p, const struct defined *defined,
         uint32_t rows)
{
   p->undefined |= (uint16_t)(rows & ~(defined->low & defined->high));
}

static void
define_rows(struct defined *defined, uint32_t rows)
{
   defined->low |= rows;
   defined->high |= rows;
}

static void
trace_mfu(struct sim_fs_program *p, const struct sim_fs_mfu *mfu,
          unsigned row, struct defined *defined)
{
   if (!mfu->barycentric_setup) {
      uint32_t reads = 0, writes = 0;
      if (mfu->sfu && mfu->sfu_reg < 4)
         reads = writes = 1u << mfu->sfu_reg;
      for (unsigned m = 0; m < 2; m++) {
         if (!mfu->mul[m].dest)
            continue;
         reads |= mfu->mul[m].src0 < 4 ? 1u << mfu->mul[m].src0 : 0;
         reads |= mfu->mul[m].src1 < 4 ? 1u << mfu->mul[m].src1 : 0;
         if (mfu->mul[m].dest >= 4)
            writes |= 1u << (mfu->mul[m].dest - 4);
      }
      use_rows(p, defined, reads << row);
      define_rows(defined, writes << row);
   }
   for (unsigned c = 0; c < 4; c++) {
      unsigned op = mfu->var[c].op;
      if (op == 1 || op == 2 || (c == 3 && !op && mfu->var[c].saturate))
         define_rows(defined, 1u << (row + c));
   }
}

/* Fetch, MFU and lookup of an EXEC. */
static void
trace_front(struct sim_fs_program *p, unsigned e, struct defined *defined)
{
   const struct sim_fs_exec *exec = &p->exec[e];
   unsigned row = 4 * (e % p->rows);
   if (e < p->rows && (p->inherit_rows >> e & 1))
      use_rows(p, defined, 0xfu << (row - 4));
   if (exec->fetch)
      define_rows(defined, 3u << (row + exec->fetch_reg));
   for (unsigned i = 0; i < exec->num_mfu; i++)
      trace_mfu(p, &p->mfu[exec->mfu[i]], row, defined);
   if (!exec->tex)
      return;
   /* A bias and the third coordinate of a cube are in the other pair. */
   use_rows(p, defined, 0xfu << row);
   define_rows(defined, 3u << (row + exec->tex_dst));
}

static void
trace_writes(const struct sim_fs_packet *packet, struct defined *written)
{
   *written = (struct defined){ 0, 0 };
   for (unsigned u = 0; u < 4; u++) {
      const struct sim_fs_unit *unit = &packet->unit[u];
      uint32_t bit = 1u << (unit->dest_index & 31);
      if (unit->dest == SIM_FS_DEST_LOW || unit->dest == SIM_FS_DEST_FULL ||
          unit->dest == SIM_FS_DEST_PAIR)
         written->low |= bit;
      if (unit->dest == SIM_FS_DEST_HIGH || unit->dest == SIM_FS_DEST_FULL ||
          unit->dest == SIM_FS_DEST_PAIR)
         written->high |= bit;
   }
}

static void
trace_reads(struct sim_fs_program *p, const struct sim_fs_exec *exec,
            unsigned i, const struct defined *defined)
{
   uint32_t rows = 0, conds = 0;
   unsigned alus = 0;
   sim_fs_packet_reads(&p->alu[sim_fs_packet_index(p, exec, i)], &rows,
                       &conds, &alus);
   use_rows(p, defined, rows);
}

/* The packets of an EXEC.  What one writes is there for the one after the
 * next (3.5): "late" is what the packet before wrote. */
static void
trace_alu(struct sim_fs_program *p, const struct sim_fs_exec *exec,
          struct defined *defined, struct defined *late)
{
   if (p->alu_in_first_packet && exec->num_alu)
      trace_reads(p, exec, exec->num_alu - 1, defined); /* A83 */
   for (unsigned i = 0; i < exec->num_alu; i++) {
      trace_reads(p, exec, i, defined);
      defined->low |= late->low;
      defined->high |= late->high;
      trace_writes(&p->alu[sim_fs_packet_index(p, exec, i)], late);
   }
}

/*
 * Registers that something may read before both of their halves were written:
 * all others need no initial value.  In doubt a register is among them.
 */
static void
find_undefined(struct sim_fs_program *p)
{
   struct defined defined = { 0, 0 };
   p->undefined = p->uses_globals; /* which start as register 0 */
   for (unsigned first = 0; first < p->num_execs; first += p->rows) {
      unsigned end =
         first + p->rows < p->num_execs ? first + p->rows : p->num_execs;
      struct defined late = { 0, 0 };
      for (unsigned e = first; e < end; e++)
         trace_front(p, e, &defined);
      for (unsigned e = first; e < end; e++)
         trace_alu(p, &p->exec[e], &defined, &late);
      defined.low |= late.low;
      defined.high |= late.high;
      for (unsigned e = first; e < end; e++) {
         if (p->exec[e].store)
            use_rows(p, &defined,
                     3u << (4 * (e % p->rows) + p->exec[e].store_reg));
      }
   }
}

/* --- weights --- */

/* Does an instruction other than the usual first one read or write weights,
 * or what they are made of? */
static bool
is_unusual(const struct sim_fs_mfu *mfu, bool ready)
{
   if (mfu->barycentric_setup)
      return false;
   bool unusual =
      (mfu->interpolates && !ready) || (mfu->sfu && mfu->sfu_reg == 4);
   for (unsigned m = 0; m < 2; m++) {
      unsigned src0 = mfu->mul[m].src0, src1 = mfu->mul[m].src1;
      if (mfu->mul[m].dest)
         unusual |= mfu->mul[m].dest == 1 || src0 == 11 || src0 == 12 ||
                    src1 == 11 || src1 == 12;
   }
   return unusual;
}

static void
find_weights(struct sim_fs_program *p)
{
   bool ready = false;
   p->plain_weights = true;
   for (unsigned e = 0; e < p->num_execs; e++) {
      for (unsigned i = 0; i < p->exec[e].num_mfu; i++) {
         const struct sim_fs_mfu *mfu = &p->mfu[p->exec[e].mfu[i]];
         p->plain_weights &= !is_unusual(mfu, ready);
         ready |= mfu->barycentric_setup;
      }
   }
}

void
sim_fs_trace(struct sim_fs_program *p)
{
   find_undefined(p);
   find_weights(p);
}
