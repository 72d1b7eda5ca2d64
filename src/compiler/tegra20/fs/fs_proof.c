/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Clocks that a fragment program cannot do without, in any of the ways of
 * lowering it that were tried.
 *
 * A schedule has some number of rows.  With fewer than the least number
 * (fs_pressure.c) there is none, and with each of the others there is a lower
 * bound of its own (fs_bound.c).  From the lowest of them on a clock is added
 * as long as it can be refuted for each number of rows that one with so few
 * clocks exists; who can do that is not this compiler's concern (see
 * tegra20_compiler_options.refute).
 */

#include "fs.h"
#include "fs_schedule.h"

static bool
is_same_way(const struct fs_program *a, const struct fs_program *b)
{
   return a->num_nodes == b->num_nodes &&
          a->values.count == b->values.count &&
          memcmp(a->nodes, b->nodes, a->num_nodes * sizeof(*a->nodes)) == 0 &&
          memcmp(a->const_places, b->const_places,
                 a->values.count * sizeof(*a->const_places)) == 0;
}

/* What proofs are about: the operations, and where their constants are. */
static struct fs_program *
copy_way(struct fs_ways *ways, const struct fs_program *p)
{
   struct fs_program *way = ralloc_memdup(ways, p, sizeof(*p));

   way->nodes =
      ralloc_memdup(way, p->nodes, p->num_nodes * sizeof(*p->nodes));
   way->const_places = ralloc_memdup(
      way, p->const_places, p->values.count * sizeof(*p->const_places));
   way->sched = NULL;
   return way;
}

const struct fs_program *
fs_note_way(struct fs_ways *ways, const struct fs_program *p)
{
   for (unsigned i = 0; i < ways->count; i++) {
      if (is_same_way(ways->list[i], p))
         return ways->list[i];
   }
   ways->list =
      reralloc(ways, ways->list, struct fs_program *, ways->count + 1);
   return ways->list[ways->count++] = copy_way(ways, p);
}

/* Does a schedule with fewer rows, or with so few clocks, not exist? */
static bool
is_refuted(const struct fs_program *p, unsigned least_rows, unsigned clocks,
           fs_refuter refute)
{
   for (unsigned rows = least_rows; rows <= FS_MAX_ROWS; rows++) {
      if (fs_lower_bound(p, rows) <= clocks && !refute(p, rows, clocks))
         return false;
   }
   return true;
}

/* Of one way; limit: more is not asked. */
static unsigned
prove_way(const struct fs_program *p, fs_refuter refute, unsigned limit)
{
   const unsigned rows = fs_least_rows(p);
   unsigned clocks = fs_lower_bound(p, rows);

   while (refute && clocks < limit && is_refuted(p, rows, clocks, refute))
      clocks++;
   return MIN2(clocks, limit);
}

unsigned
fs_prove_clocks(const struct fs_ways *ways, fs_refuter refute, unsigned limit)
{
   for (unsigned i = 0; i < ways->count; i++)
      limit = prove_way(ways->list[i], refute, limit);
   return limit;
}
