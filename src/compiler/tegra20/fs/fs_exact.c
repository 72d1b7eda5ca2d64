/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Search for the best schedule of a small program.
 *
 * The scheduler takes decisions: which of the operations that are ready make
 * the next packet, whether the EXEC has packets enough, which lookup or
 * special function comes now or that it comes later, which pair of registers
 * a value gets, whether a value that is needed at two places is copied or
 * computed twice.  It always takes what its heuristic likes best.  Given the
 * same decisions it makes the same schedule; so all schedules that it could
 * make form a tree, whose nodes are the decisions and whose leaves are
 * schedules or failures, and a list of decisions is a path in it.
 *
 * This is a branch and bound search over that tree.  A step runs the
 * scheduler with the first decisions prescribed and lets it take the others,
 * which is one leaf, and notes for every new decision how many alternatives
 * there were and how many clocks the schedule takes at least, whatever is
 * decided from there on: the batches that are complete and, for what is left,
 * the largest of its packets, lookups, special functions and the longest way
 * to one of the operations.  Each alternative whose bound is below the best
 * schedule known is a path to be followed later.  A path is on the list once
 * only, because the last of its decisions is one that the heuristic would not
 * have taken; registers and all rules of placement need no model of their
 * own, because the scheduler itself says what is possible.
 *
 * The paths that differ little from what the heuristic does come first
 * (limited discrepancy search): a heuristic is rarely wrong, and more rarely
 * twice.  An alternative further down in the order of preference counts more.
 * The search ends when the lower bound of the program is met, when no path is
 * left, that is, when the scheduler has no better schedule, or when the
 * budget is used up.  The budget is work, not time: the same program always
 * gives the same code.  What the validator does not accept is no improvement.
 */

#include "fs.h"

#define BUDGET 4000 /* packets tried; some milliseconds */
#define RUN_COST 4  /* of a run's preparations, in packets tried */
#define MAX_PATHS 4000
#define MAX_COST 12 /* what differs more is not looked at */

struct path {
   struct path *next; /* of the same cost */
   uint8_t root, cost, bound, given;
   uint8_t taken[];
};

struct exact {
   void *mem_ctx;
   struct path *first[MAX_COST + 1],
      **end[MAX_COST + 1]; /* per cost: first come, first served */
   unsigned num_paths, clocks;
};

/* The path of the first "given" decisions and another alternative for the
 * next one. */
static void
add_path(struct exact *x, const struct path *from,
         const struct fs_trace *trace, unsigned given, unsigned alternative)
{
   const unsigned cost = from->cost + 1 + util_logbase2(alternative);

   if (cost > MAX_COST || x->num_paths == MAX_PATHS)
      return;
   struct path *path = ralloc_size(x->mem_ctx, sizeof(*path) + given + 1);
   path->next = NULL;
   path->root = from->root;
   path->cost = cost;
   path->bound = trace->bound[given];
   path->given = given + 1;
   memcpy(path->taken, trace->taken, given);
   path->taken[given] = alternative;
   *x->end[cost] = path;
   x->end[cost] = &path->next;
   x->num_paths++;
}

static struct path *
next_path(struct exact *x)
{
   for (unsigned cost = 0; cost <= MAX_COST; cost++) {
      while (x->first[cost]) {
         struct path *path = x->first[cost];
         x->first[cost] = path->next;
         if (!path->next)
            x->end[cost] = &x->first[cost];
         if (path->bound < x->clocks)
            return path;
         ralloc_free(path);
         x->num_paths--;
      }
   }
   return NULL;
}

static void
add_alternatives(struct exact *x, const struct path *path,
                 const struct fs_trace *trace)
{
   for (unsigned i = path->given;
        i < trace->count && trace->bound[i] < x->clocks; i++) {
      for (unsigned a = trace->next[i]; a < trace->alternatives[i]; a++)
         add_path(x, path, trace, i, a);
   }
}

static void
add_roots(struct exact *x, unsigned count)
{
   for (unsigned cost = 0; cost <= MAX_COST; cost++)
      x->end[cost] = &x->first[cost];
   for (unsigned i = 0; i < count; i++) {
      struct path *path = rzalloc(x->mem_ctx, struct path);
      path->root = i;
      *x->end[0] = path;
      x->end[0] = &path->next;
      x->num_paths++;
   }
}

static bool
is_small(const struct fs_program *p)
{
   unsigned operations = 0;

   for (unsigned v = 0; v < p->num_nodes; v++)
      operations +=
         p->nodes[v].op != FS_OP_INTERP && p->nodes[v].op != FS_OP_PART;
   return operations <= FS_EXACT_MAX_OPS;
}

/* The rules, checked on the words. */
static bool
is_valid(const struct fs_program *p, const struct fs_schedule *schedule)
{
   void *mem_ctx = ralloc_context(NULL);
   struct tegra20_fs *fs = rzalloc(mem_ctx, struct tegra20_fs);
   char *error;
   const bool valid =
      fs_emit(p, schedule, mem_ctx, fs, &error) && !fs_validate(mem_ctx, fs);

   ralloc_free(mem_ctx);
   return valid;
}

struct fs_schedule *
fs_exact_schedule(const struct fs_program *p,
                  const struct fs_sched_options *options,
                  unsigned num_options, unsigned lower_bound, void *mem_ctx,
                  unsigned *clocks, unsigned *work)
{
   *work = 0;
   if (!is_small(p) || *clocks <= lower_bound)
      return NULL;

   struct exact *x = rzalloc(mem_ctx, struct exact);
   struct fs_trace *trace = ralloc(x, struct fs_trace);
   struct fs_schedule *best = NULL;
   struct path *path;

   uint16_t *way = ralloc_array(x, uint16_t, MAX2(p->num_nodes, 1));
   fs_measure_ways(p, way);
   trace->way = way;
   x->mem_ctx = x;
   x->clocks = *clocks;
   add_roots(x, num_options);
   while (x->clocks > lower_bound && *work < BUDGET &&
          (path = next_path(x))) {
      struct fs_sched_options run = options[path->root];
      struct fs_schedule *schedule = ralloc(mem_ctx, struct fs_schedule);
      const char *reason;

      run.limit = x->clocks;
      run.trace = trace;
      trace->given = path->given;
      memcpy(trace->taken, path->taken, path->given);
      const bool ok = fs_schedule(p, &run, schedule, &reason) &&
                      schedule->cycles < x->clocks && is_valid(p, schedule);
      *work += schedule->work + RUN_COST;
      if (ok) {
         ralloc_free(best);
         fs_keep_schedule(schedule, schedule);
         best = schedule;
         x->clocks = schedule->cycles;
      } else {
         ralloc_free(schedule);
      }
      add_alternatives(x, path, trace);
      ralloc_free(path);
      x->num_paths--;
   }
   *clocks = x->clocks;
   ralloc_free(x);
   return best;
}
