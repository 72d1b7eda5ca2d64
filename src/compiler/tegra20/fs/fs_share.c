/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Deduplicates MFU instructions in their table of 64 entries
 * (fragment-pipeline.md 1.4).
 *
 * A schedule word names the first entry and the number of instructions, and
 * nothing says that an entry belongs to one EXEC only.  No public program
 * shares entries (assumption A97), so the instructions stand in the pool one
 * after the other as long as there is room.  Programs of more than 64
 * instructions share: special functions work on one of four registers, "frc
 * r0" is the same instruction wherever it stands.  The longest sequences go
 * first, the others are looked up among them; new instructions overlap with
 * the end of the pool where they can.
 */

#include "fs.h"

static bool
same_instruction(const struct fs_mfu *a, const struct fs_mfu *b)
{
   return a->sfu == b->sfu && a->sfu_reg == b->sfu_reg &&
          memcmp(a->mul_dst, b->mul_dst, sizeof(a->mul_dst)) == 0 &&
          memcmp(a->mul_src, b->mul_src, sizeof(a->mul_src)) == 0 &&
          memcmp(a->interp, b->interp, sizeof(a->interp)) == 0;
}

/* How many of the first instructions of an EXEC stand in the pool from there
 * on, up to its end. */
static unsigned
common_length(const struct fs_schedule *s, const struct fs_mfu_pool *pool,
              unsigned start, const struct fs_exec *exec)
{
   unsigned i = 0;

   while (i < exec->num_mfu && start + i < pool->count) {
      const struct fs_mfu *entry =
         &s->execs[pool->exec[start + i]].mfu[pool->inst[start + i]];
      if (!same_instruction(entry, &exec->mfu[i]))
         return 0;
      i++;
   }
   return i;
}

static bool
place_sequence(const struct fs_schedule *s, struct fs_mfu_pool *pool,
               unsigned e, bool share)
{
   const struct fs_exec *exec = &s->execs[e];
   unsigned start = share ? 0 : pool->count, there = 0;

   while (start < pool->count &&
          (there = common_length(s, pool, start, exec)) == 0)
      start++;
   pool->first[e] = start;
   for (unsigned i = there; i < exec->num_mfu; i++) {
      if (pool->count == TEGRA20_FS_MAX_MFU)
         return false;
      pool->exec[pool->count] = e;
      pool->inst[pool->count++] = i;
   }
   return true;
}

bool
fs_fill_mfu_pool(const struct fs_schedule *s, struct fs_mfu_pool *pool)
{
   const bool share = s->num_mfu > TEGRA20_FS_MAX_MFU;

   pool->count = 0;
   for (unsigned length = FS_MAX_EXEC_MFU; length > 0; length--) {
      for (unsigned e = 0; e < s->num_execs; e++) {
         /* without sharing all of them in the order of the program */
         if (share ? s->execs[e].num_mfu != length
                   : length != FS_MAX_EXEC_MFU || !s->execs[e].num_mfu)
            continue;
         if (!place_sequence(s, pool, e, share))
            return false;
      }
   }
   return true;
}
