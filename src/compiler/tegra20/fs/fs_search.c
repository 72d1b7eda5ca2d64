/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The search for a schedule: one ladder, which an effort climbs so far.
 *
 * DRAFT: all heuristics with each number of rows, few rows before many, for a
 * budget; the cheapest result wins.  While nothing fits, the attempts
 * that came nearest are repeated with noise, unless they are far from it.
 *
 * BEST: the same, then several partial schedules side by side (fs_beam.c).
 * Other lowerings of the program follow (fs_climb.c).  A program has many
 * parts: with each that fits, few partial schedules of its shortest lowering
 * have to do.
 *
 * A result that meets the lower bound ends the search, and so does the
 * budget, which is work and not time: the same program always gives the same
 * code.
 */

#include "fs.h"

/* Packets tried: by heuristics, on one lowering that has a schedule, ... */
#define BUDGET 2500
/* ... and in the beam. */
#define BEAM_BUDGET 200000
#define BEAM_ROWS 2 /* numbers of rows, of a whole program that fits */
#define BEAM_WIDTH 3
#define BEAM_WIDTH_OF_PART 2
#define LONGEST (3 * TEGRA20_FS_MAX_ALU) /* cycles that it finds */

#define DRAFT_ROOM 16      /* see attempt_limit() */
#define MAX_NO_PLACE 3     /* attempts with a number of rows */
#define HEURISTICS 10      /* the beam has all */
#define FIRST_HEURISTICS 2 /* see is_infeasible() */
#define NODES_OF_ROW 40    /* see first_rows() */
#define SMALL_PROGRAM 128  /* nodes, see is_infeasible() */
#define NEAREST 5          /* attempts that are repeated with noise */
#define MAX_SEED 255

#define FULL .max_packets = 3
#define APART .max_packets = 1, .keep_packets_apart = true
#define JOIN .sums = FS_SUMS_JOIN
#define SHARE .sums = FS_SUMS_SHARE
#define GAPS .gaps = true

const struct fs_sched_options fs_heuristics[FS_NUM_HEURISTICS] = {
   { "long ways", FULL, .depth = 16, .pressure = 4 },
   { "depth first, packets apart", APART, .pressure = 8, .recency = 32 },
   { "window of 12", FULL, .window = 12, .depth = 8, .pressure = 8 },
   { "balanced", FULL, .depth = 8, .pressure = 8, .recency = 16 },
   { "window of 32", FULL, .window = 32, .depth = 8, .pressure = 8 },
   { "window of 48", FULL, .window = 48, .depth = 8, .pressure = 8,
     .order = 4 },
   { "long ways, packets apart", APART, SHARE, .depth = 16, .pressure = 4,
     .recency = 8 },
   { "fewest registers", .max_packets = 3, .pressure = 32, .recency = 16 },
   { "window of 6, in order", FULL, .window = 6, .pressure = 4, .order = 16 },
   { "long ways, sums joined", FULL, JOIN, GAPS, .depth = 16, .pressure = 4 },
   { "dense", FULL, JOIN, .depth = 16, .pressure = 4, .dense = true },
   { "dense, packets apart", APART, SHARE, .depth = 8, .pressure = 8,
     .recency = 16, .dense = true },
   { "one packet to a store", FULL, JOIN, GAPS, .store_packets = 1,
     .depth = 16, .pressure = 4 },
   { "two packets to a store, few registers", FULL, JOIN, GAPS,
     .store_packets = 2, .depth = 4, .pressure = 32 },
};

/* Scores: cycles of a schedule; ranks of failures, the nearer to success the
 * lower. */
#define TOO_LONG 100000 /* and the number of packets */
#define NO_PLACE 200000 /* and the number of operations left */

struct attempt {
   const struct fs_sched_options *heuristic;
   unsigned rows, score;
};

struct search {
   const struct fs_program *p;
   struct attempt nearest[NEAREST]; /* to success, best first */
   unsigned num_nearest;
   unsigned bound, best_cycles;
   unsigned rows_bound[FS_MAX_ROWS]; /* 0: see bound_of_rows() */
   struct fs_schedule *best, *spare;
   unsigned rows_score[FS_MAX_ROWS]; /* the best one of an attempt */
   unsigned no_place[FS_MAX_ROWS];   /* attempts since the last that fitted */
   int budget;
   int give_up; /* the budget, while there is no schedule */
   const char *reason;
};

static bool
program_fits(const struct search *search)
{
   return search->best_cycles < UINT_MAX;
}

static bool
search_done(const struct search *search)
{
   if (tegra20_is_cancelled(search->p->cancel))
      return true;
   if (program_fits(search))
      return search->best_cycles <= search->bound || search->budget <= 0;
   return search->budget <= search->give_up;
}

/* Cycles at least with that many rows: found out when it is asked for. */
static unsigned
bound_of_rows(struct search *search, unsigned rows)
{
   unsigned *bound = &search->rows_bound[rows - 1];

   if (!*bound)
      *bound = fs_lower_bound(search->p, rows);
   return *bound;
}

/* One attempt; its score. */
static unsigned
try_schedule(struct search *search, const struct fs_sched_options *heuristic,
             unsigned rows, unsigned seed, unsigned limit)
{
   struct fs_schedule *schedule =
      search->spare ? search->spare
                    : ralloc((void *)search->p, struct fs_schedule);
   struct fs_sched_options options = *heuristic;

   options.rows = rows;
   options.seed = seed;
   options.limit = limit;
   const bool ok =
      fs_schedule(search->p, &options, schedule, &search->reason);
   const unsigned score = ok ? schedule->cycles
                          : schedule->nodes_left
                             ? NO_PLACE + schedule->nodes_left
                             : TOO_LONG + schedule->num_packets;

   search->budget -= schedule->work + search->p->num_nodes / 16 + 1;
   search->spare = schedule;
   if (ok && (score < search->best_cycles ||
              (search->best && score == search->best_cycles &&
               schedule->num_packets < search->best->num_packets))) {
      search->spare = NULL;
      ralloc_free(search->best);
      fs_keep_schedule(schedule, schedule);
      search->best = schedule;
      search->best_cycles = score;
   }
   return score;
}

/* Room for schedules that are not the best but promising: an eighth of the
 * cycles, and in drafts less. */
static unsigned
attempt_limit(const struct search *search)
{
   const unsigned best = search->best_cycles;

   if (!program_fits(search))
      return UINT_MAX;
   return search->p->effort == TEGRA20_EFFORT_BEST ? best + best / 8 + 1
                                                   : best + best / DRAFT_ROOM;
}

/* No schedule of that many rows is better; and where values found no place
 * time and again, others are unlikely to.  Drafts do not come back to numbers
 * of rows with which the attempts before were not among the best. */
static bool
skip_rows(struct search *search, unsigned rows)
{
   const unsigned score = search->rows_score[rows - 1];

   if (!program_fits(search))
      return false;
   return search->no_place[rows - 1] >= MAX_NO_PLACE ||
          (search->p->effort != TEGRA20_EFFORT_BEST && score != UINT_MAX &&
           score > attempt_limit(search)) ||
          bound_of_rows(search, rows) >= search->best_cycles;
}

static void
note_attempt(struct search *search, const struct attempt *attempt)
{
   unsigned i = search->num_nearest;

   if (i < NEAREST)
      search->num_nearest++;
   else if (attempt->score >= search->nearest[--i].score)
      return;
   for (; i > 0 && search->nearest[i - 1].score > attempt->score; i--)
      search->nearest[i] = search->nearest[i - 1];
   search->nearest[i] = *attempt;
}

static void
try_heuristic(struct search *search, const struct fs_sched_options *heuristic,
              unsigned first_rows)
{
   for (unsigned rows = first_rows;
        rows <= FS_MAX_ROWS && !search_done(search); rows++) {
      if (skip_rows(search, rows))
         continue;
      const unsigned score =
         try_schedule(search, heuristic, rows, 0, attempt_limit(search));
      note_attempt(search, &(struct attempt){ heuristic, rows, score });
      search->rows_score[rows - 1] =
         MIN2(search->rows_score[rows - 1], score);
      if (score < TOO_LONG)
         search->no_place[rows - 1] = 0;
      else
         search->no_place[rows - 1] += score >= NO_PLACE;
   }
}

/* Numbers of rows to begin with, where it is asked whether the program fits:
 * its size tells how many registers it needs at least, and a row has some for
 * NODES_OF_ROW operations.  The first heuristic tries fewer: long programs may
 * hold few values at a time. */
static unsigned
first_rows(const struct search *search, unsigned heuristic)
{
   if (search->p->effort == TEGRA20_EFFORT_BEST || heuristic == 0)
      return 1;
   return MIN2(1 + search->p->num_nodes / NODES_OF_ROW, FS_MAX_ROWS - 1);
}

/*
 * Where even the attempt that came nearest leaves most operations without a
 * place, no other heuristic helps.  Of programs of applications and piglit's
 * none that fits in the end began with more than seven tenths left.  The best
 * effort does not rely on that.
 */
static bool
is_infeasible(const struct search *search)
{
   return search->p->effort != TEGRA20_EFFORT_BEST && !program_fits(search) &&
          search->p->num_nodes >= SMALL_PROGRAM &&
          search->nearest[0].score > NO_PLACE + 7 * search->p->num_nodes / 10;
}

/* An attempt left no more than a quarter of the operations without a place:
 * the beam, or noise, may find one for them.  No larger program of the
 * applications that began with more fits as a draft. */
static bool
is_near(const struct search *search)
{
   return program_fits(search) ||
          search->nearest[0].score <= NO_PLACE + search->p->num_nodes / 4;
}

static void
try_heuristics(struct search *search)
{
   const unsigned count =
      search->p->debug & TEGRA20_COMPILER_NO_SCHED ? 1 : HEURISTICS;

   for (unsigned i = 0; i < count && !search_done(search); i++) {
      if (i >= FIRST_HEURISTICS && is_infeasible(search))
         return;
      try_heuristic(search, &fs_heuristics[i], first_rows(search, i));
   }
}

/* Nothing fits yet: the best failing attempts again, with noise in their
 * priorities.  Sums of several cube maps with levels fit in no other way. */
static void
try_noise(struct search *search)
{
   const struct fs_program *p = search->p;

   if (p->effort != TEGRA20_EFFORT_BEST && p->num_nodes >= SMALL_PROGRAM &&
       !is_near(search))
      return;
   for (unsigned seed = 1; seed <= MAX_SEED; seed++) {
      for (unsigned i = 0; i < search->num_nearest; i++) {
         const struct attempt *near = &search->nearest[i];

         if (search_done(search) || program_fits(search))
            return;
         try_schedule(search, near->heuristic, near->rows, seed, UINT_MAX);
      }
   }
}

/* The number of rows in the mask with the best attempt, or 0. */
static unsigned
most_promising_rows(const struct search *search, unsigned mask)
{
   unsigned best = 0;

   for (unsigned rows = 1; rows <= FS_MAX_ROWS; rows++) {
      if ((mask & (1u << rows)) &&
          (best == 0 ||
           search->rows_score[rows - 1] < search->rows_score[best - 1]))
         best = rows;
   }
   return best;
}

static void
search_beam(struct search *search)
{
   unsigned mask = BITFIELD_RANGE(1, FS_MAX_ROWS), rows, tried = 0;

   search->budget = BEAM_BUDGET;
   while (tried < BEAM_ROWS && !search_done(search) &&
          (rows = most_promising_rows(search, mask))) {
      mask &= ~(1u << rows);
      if (bound_of_rows(search, rows) >= search->best_cycles)
         continue;
      tried += program_fits(search) && !search->p->is_part;
      unsigned work;
      struct fs_schedule *better = fs_beam_schedule(
         search->p, rows,
         search->p->is_part && program_fits(search) ? BEAM_WIDTH_OF_PART
                                                    : BEAM_WIDTH,
         MIN2(search->best_cycles, LONGEST), NULL, search->budget,
         (void *)search->p, &work);
      search->budget -= work;
      if (!better)
         continue;
      ralloc_free(search->best);
      search->best = better;
      search->best_cycles = better->cycles;
   }
}

const struct fs_schedule *
fs_search_schedule(const struct fs_program *p, unsigned bound, unsigned limit,
                   bool beam, int *budget, const char **reason)
{
   const bool best = p->effort == TEGRA20_EFFORT_BEST;
   /* the cycles of another lowering say little about the first attempts on
    * this one; only the beam has to be better */
   struct search search = { .p = p,
                            .bound = bound,
                            .best_cycles = best ? UINT_MAX : limit };

   search.nearest[0].score = UINT_MAX;
   search.budget = BUDGET;
   search.give_up = limit < UINT_MAX ? 0 : BUDGET - *budget;
   for (unsigned rows = 1; rows <= FS_MAX_ROWS; rows++)
      search.rows_score[rows - 1] = UINT_MAX;
   search.rows_bound[0] = bound; /* no number of rows has a lower one */
   try_heuristics(&search);
   try_noise(&search);
   if (!program_fits(&search))
      *budget -= BUDGET - search.budget;
   /* a program of which another lowering fits is worth the beam */
   if (beam && (limit < UINT_MAX || is_near(&search)) &&
       !(p->debug & TEGRA20_COMPILER_NO_SCHED)) {
      search.best_cycles = MIN2(search.best_cycles, limit);
      search.give_up = 0;
      search_beam(&search);
   }
   *reason = search.reason;
   return search.best && search.best->cycles < limit ? search.best : NULL;
}
