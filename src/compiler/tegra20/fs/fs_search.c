/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The search for a schedule: a ladder of attempts.
 *
 * Few rows come before many, the plain heuristics before variations with
 * other weights and with noise.  The cheapest result wins; a result that
 * meets the lower bound ends the search, and so does a budget that depends on
 * the size of the program only, so that the same program always gives the
 * same code.
 *
 * That is for programs that are drawn often.  A draft (TEGRA20_EFFORT_DRAFT)
 * has the first strategies and a few variations only, in a small part of the
 * time, and takes a tenth more clocks.
 *
 * As a last resort, when no way of lowering the program has a schedule, the
 * strategies follow an order of the program in which few values are alive,
 * and the attempts that came nearest are improved: each gets a bias per
 * operation, which is added to its priority and changed a little from attempt
 * to attempt.  A change that leaves no more operations without a place than
 * before stays (hill climbing).  After some rounds the worse half of the
 * attempts is given up.
 */

#include <stdlib.h>

#include "fs.h"

/* Packets tried, in all attempts on one way of lowering together. */
#define SEARCH_BUDGET 15000
#define LEAN_BUDGET 9000          /* more, for the lean strategies */
#define NARROW_BEAM_BUDGET 200000 /* more, for the beam search */
#define WIDE_BEAM_BUDGET 100000
#define WIDE_BEAM 6
#define LONGEST (3 * TEGRA20_FS_MAX_ALU) /* clocks that it finds */
#define DRAFT_BUDGET 2500                /* for a draft */
#define DRAFT_NOISE 300                  /* of it for variations */
#define DRAFT_ROOM 16                    /* see strategy_limit() */
#define SEARCH_CHOICES 5
#define MAX_NO_PLACE 3 /* attempts with a number of rows */
#define PACE_SLACK \
   16 /* an attempt may be behind by that part of the clocks */

#define HOPELESS_NODES 128 /* smaller programs are cheap to search */
#define NODES_OF_ROW \
   40 /* that one row has registers for, in a hurry: see first_rows() */

struct attempt {
   struct fs_schedule schedule;
};

/* When a strategy is tried. */
enum stage {
   FIRST,
   NARROW,      /* while that is far from the bound: looks only a few
                   operations ahead and needs few registers */
   LAST_RESORT, /* when nothing fits: in an order that keeps few values alive,
                   fs_order_few_alive() */
   LEAN,        /* when something fits */
};

#define FULL .max_packets = 3, .max_mfu = 3
#define APART(packets) \
   .max_packets = packets, .max_mfu = 3, .keep_packets_apart = true

/* The ladder of strategies; the first one is the plain heuristic. */
static const struct strategy {
   enum stage stage;
   struct fs_sched_options options; /* the same in all attempts */
   bool hasty; /* finds schedules that the ones before do not find */
} strategies[] = {
   { FIRST,
     { "long ways", FULL, .depth = 16, .pressure = 4 },
     .hasty = true },
   { FIRST,
     { "depth first, packets apart", APART(1), .pressure = 8, .recency = 32 },
     .hasty = true },
   { FIRST, { "balanced", FULL, .depth = 8, .pressure = 8, .recency = 16 } },
   { FIRST,
     { "long ways, few registers", FULL, .depth = 16, .pressure = 16 } },
   { FIRST,
     { "one packet, one MFU instruction", .max_packets = 1, .max_mfu = 1,
       .keep_packets_apart = true, .depth = 16, .pressure = 4,
       .recency = 8 } },
   { FIRST,
     { "fewest registers", .max_packets = 3, .max_mfu = 2, .pressure = 32,
       .recency = 16 } },
   { NARROW,
     { "window of 12", FULL, .window = 12, .depth = 8, .pressure = 8 },
     .hasty = true },
   { NARROW,
     { "window of 12 by use", FULL, .window = 12, .by_use = true, .depth = 8,
       .pressure = 8 },
     .hasty = true },
   { NARROW,
     { "window of 24", FULL, .window = 24, .depth = 8, .pressure = 8 } },
   { NARROW,
     { "window of 32 by use", FULL, .window = 32, .by_use = true, .depth = 8,
       .pressure = 8 } },
   { NARROW,
     { "window of 48, long ways", FULL, .window = 48, .depth = 16,
       .pressure = 8 } },
   { NARROW,
     { "window of 80, few registers", FULL, .window = 80, .depth = 16,
       .pressure = 16 } },
   { NARROW,
     { "window of 64 by use, long ways", FULL, .window = 64, .by_use = true,
       .depth = 16, .pressure = 8 } },
   { NARROW,
     { "window of 6 by use, in order", FULL, .window = 6, .by_use = true,
       .pressure = 4, .order = 16 },
     .hasty = true },
   { NARROW,
     { "window of 10 by use, packets apart", APART(3), .window = 10,
       .by_use = true, .pressure = 4, .order = 32 } },
   { NARROW,
     { "window of 6, in order", FULL, .window = 6, .pressure = 4,
       .order = 16 } },
   { NARROW,
     { "window of 10, packets apart", APART(3), .window = 10, .pressure = 4,
       .order = 32 } },
   { LAST_RESORT,
     { "few alive, window of 6", FULL, .window = 6, .pressure = 4,
       .order = 16 } },
   { LAST_RESORT,
     { "few alive, window of 12", FULL, .window = 12, .depth = 4,
       .pressure = 4, .order = 8 } },
   { LAST_RESORT,
     { "few alive, window of 20", FULL, .window = 20, .depth = 8,
       .pressure = 8 } },
   { LAST_RESORT,
     { "few alive, window of 32", FULL, .window = 32, .depth = 8,
       .pressure = 8, .order = 4 } },
   { LAST_RESORT,
     { "few alive, window of 48", FULL, .window = 48, .depth = 8,
       .pressure = 8 } },
   { LAST_RESORT,
     { "few alive, window of 64", FULL, .window = 64, .depth = 8,
       .pressure = 8, .order = 4 } },
   { LEAN,
     { "long ways, lean", FULL, .depth = 16, .pressure = 4, .lean = true } },
   { LEAN,
     { "depth first, packets apart, lean", APART(1), .pressure = 8,
       .recency = 32, .lean = true } },
   { LEAN,
     { "balanced, lean", FULL, .depth = 8, .pressure = 8, .recency = 16,
       .lean = true } },
};

/* Scores: clocks of a schedule; ranks of failures, the nearer to success the
 * lower. */
#define TOO_LONG 100000 /* and the number of packets */
#define NO_PLACE 200000 /* and the number of operations left */

struct choice {
   const struct strategy *strategy;
   unsigned rows, score;
};

struct search {
   const struct fs_program *p;
   bool last_resort;
   uint16_t *few_alive; /* an order of the program, made when it is needed */
   unsigned bound, best_cycles;
   unsigned rows_bound[FS_MAX_ROWS]; /* 0: see bound_of_rows() */
   struct attempt *best, *spare;
   unsigned rows_score[FS_MAX_ROWS]; /* the best one of an attempt */
   unsigned no_place[FS_MAX_ROWS];   /* attempts since the last that fitted */
   uint16_t *pace; /* of the best schedule: see note_pace() */
   int budget;
   int give_up; /* the budget, while there is no schedule */
   const char *reason;
   struct choice
      choices[SEARCH_CHOICES]; /* the most successful ones, best first */
   unsigned num_choices;
};

static bool
is_draft(const struct search *search)
{
   return search->p->effort != TEGRA20_EFFORT_BEST;
}

/* This way of lowering the program or another one has a schedule. */
static bool
program_fits(const struct search *search)
{
   return search->best_cycles < UINT_MAX;
}

static bool
search_done(const struct search *search)
{
   const struct fs_program *p = search->p;

   if (tegra20_is_cancelled(p->cancel))
      return true;
   if (program_fits(search))
      return p->effort == TEGRA20_EFFORT_FIT ||
             search->best_cycles <= search->bound || search->budget <= 0;
   return search->budget <= search->give_up;
}

/* Clocks at least with that many rows: found out when somebody asks, which
 * many a search does not last for. */
static unsigned
bound_of_rows(struct search *search, unsigned rows)
{
   unsigned *bound = &search->rows_bound[rows - 1];

   if (!*bound)
      *bound = fs_lower_bound(search->p, rows);
   return *bound;
}

static void
note_choice(struct search *search, const struct choice *choice)
{
   unsigned i = search->num_choices;

   if (i < SEARCH_CHOICES)
      search->num_choices++;
   else if (choice->score >= search->choices[--i].score)
      return;
   for (; i > 0 && search->choices[i - 1].score > choice->score; i--)
      search->choices[i] = search->choices[i - 1];
   search->choices[i] = *choice;
}

/*
 * Clocks that an attempt may have used when a number of operations is left:
 * what the best schedule had, and a little more.  Attempts that fall behind
 * rarely become the best.
 */
static void
note_pace(struct search *search)
{
   const struct fs_schedule *best = &search->best->schedule;
   const unsigned slack = 1 + best->cycles / PACE_SLACK;
   unsigned left = search->p->num_nodes;

   if (!search->pace)
      search->pace = ralloc_array((void *)search->p, uint16_t, left + 1);
   for (unsigned i = 0; i < best->num_batches; i++) {
      for (; left > 0 && left >= best->progress[i].nodes_left; left--)
         search->pace[left] = best->progress[i].cycles + slack;
   }
   for (; left > 0; left--)
      search->pace[left] = best->cycles + slack;
   search->pace[0] = best->cycles + slack;
}

static struct fs_sched_options
options_for(const struct search *search, const struct strategy *strategy,
            unsigned rows, unsigned seed, unsigned limit)
{
   struct fs_sched_options options = strategy->options;

   options.rows = rows;
   options.empty_packets = (seed + options.keep_packets_apart) % 3 != 1;
   options.gaps = seed % 3 == 2;
   options.seed = seed;
   options.limit = limit;
   options.pace = search->pace;
   if (strategy->stage == LAST_RESORT)
      options.position = search->few_alive;
   return options;
}

/* One attempt; its score. */
static unsigned
try_options(struct search *search, const struct fs_sched_options *options)
{
   struct attempt *attempt = search->spare
                                ? search->spare
                                : ralloc((void *)search->p, struct attempt);
   struct fs_schedule *schedule = &attempt->schedule;
   const bool ok = fs_schedule(search->p, options, schedule, &search->reason);
   const unsigned score = ok ? schedule->cycles
                          : schedule->nodes_left
                             ? NO_PLACE + schedule->nodes_left
                             : TOO_LONG + schedule->num_packets;

   search->budget -= schedule->work + search->p->num_nodes / 16 + 1;
   if (ok && (score < search->best_cycles ||
              (search->best && score == search->best_cycles &&
               schedule->num_packets < search->best->schedule.num_packets))) {
      ralloc_free(search->best);
      fs_keep_schedule(schedule, attempt);
      search->best = attempt;
      search->spare = NULL;
      search->best_cycles = score;
      note_pace(search);
   } else {
      search->spare = attempt;
   }
   return score;
}

static unsigned
try_schedule(struct search *search, const struct strategy *strategy,
             unsigned rows, unsigned seed, unsigned limit)
{
   const struct fs_sched_options options =
      options_for(search, strategy, rows, seed, limit);

   return try_options(search, &options);
}

/* Room for schedules that are not the best but promising: an eighth of the
 * clocks, and in drafts less. */
static unsigned
strategy_limit(const struct search *search)
{
   const unsigned best = search->best_cycles;

   if (!program_fits(search))
      return UINT_MAX;
   return is_draft(search) ? best + best / DRAFT_ROOM : best + best / 8 + 1;
}

/* No schedule of that many rows is better; and where values found no place
 * time and again, others are unlikely to.  Drafts do not come back to numbers
 * of rows with which the strategies before were not among the best. */
static bool
rows_are_hopeless(struct search *search, unsigned rows)
{
   const unsigned score = search->rows_score[rows - 1];

   if (!program_fits(search))
      return false;
   return search->no_place[rows - 1] >= MAX_NO_PLACE ||
          (is_draft(search) && score != UINT_MAX &&
           score > strategy_limit(search)) ||
          bound_of_rows(search, rows) >= search->best_cycles;
}

/* Is it asked soon whether the program fits?  Over applications' programs in
 * parts these strategies find all but one in a hundred of what fits, noise
 * finds nothing. */
static bool
is_in_a_hurry(const struct search *search)
{
   return search->p->hasty && !program_fits(search);
}

/* Numbers of rows to begin with.  Whether a program fits at all is found out
 * with as many registers as its size asks for. */
static unsigned
first_rows(const struct search *search, const struct strategy *strategy)
{
   const unsigned rows = 1 + search->p->num_nodes / NODES_OF_ROW,
                  most = strategy == &strategies[0] ? 4 : 3;

   return fs_is_trial(search->p) ||
                (is_in_a_hurry(search) && strategy->stage == NARROW)
             ? MIN2(rows, most)
             : 1;
}

/* Without noise. */
static void
try_strategies(struct search *search, enum stage stage)
{
   for (unsigned i = 0; i < ARRAY_SIZE(strategies); i++) {
      if (strategies[i].stage != stage ||
          (is_in_a_hurry(search) && !strategies[i].hasty))
         continue;
      for (unsigned rows = first_rows(search, &strategies[i]);
           rows <= FS_MAX_ROWS; rows++) {
         if (rows_are_hopeless(search, rows))
            continue;
         const unsigned score = try_schedule(search, &strategies[i], rows, 0,
                                             strategy_limit(search));
         note_choice(search, &(struct choice){ &strategies[i], rows, score });
         search->rows_score[rows - 1] =
            MIN2(search->rows_score[rows - 1], score);
         if (score < TOO_LONG)
            search->no_place[rows - 1] = 0;
         else
            search->no_place[rows - 1] += score >= NO_PLACE;
         if (search_done(search))
            return;
      }
   }
}

/* The best schedule of a small program, from what the plain heuristic and the
 * most successful choices do. */
static void
search_exactly(struct search *search)
{
   struct fs_sched_options options[FS_EXACT_ROOTS];
   unsigned count = 0, clocks = search->best_cycles, work;

   for (unsigned rows = 1; rows <= FS_MAX_ROWS && rows < clocks; rows++)
      options[count++] = options_for(search, &strategies[0], rows, 0, clocks);
   for (unsigned i = 0; i < search->num_choices && count < FS_EXACT_ROOTS;
        i++) {
      const struct choice *choice = &search->choices[i];
      if (choice->strategy != &strategies[0] && choice->rows < clocks)
         options[count++] =
            options_for(search, choice->strategy, choice->rows, 0, clocks);
   }

   struct attempt *attempt = rzalloc((void *)search->p, struct attempt);
   struct fs_schedule *better = fs_exact_schedule(
      search->p, options, count, search->bound, attempt, &clocks, &work);
   search->budget -= work / 2; /* the noise has to do with less */
   if (better) {
      attempt->schedule = *better;
      ralloc_free(search->best);
      search->best = attempt;
      search->best_cycles = clocks;
   } else {
      ralloc_free(attempt);
   }
}

/* --- hill climbing --- */

#define CLIMBERS 6
#define CLIMB_ROUNDS 12 /* after which half of them are given up */

struct climber {
   struct choice choice;
   bool dense;
   unsigned score;
   int16_t *bias, *changed;
};

static void
climb(struct search *search, struct climber *c, uint32_t *random)
{
   struct fs_sched_options options =
      options_for(search, c->choice.strategy, c->choice.rows, 0, UINT_MAX);

   memcpy(c->changed, c->bias, search->p->num_nodes * sizeof(*c->bias));
   if (c->score != UINT_MAX)
      fs_change_bias(c->changed, search->p->num_nodes, random);
   options.dense = c->dense;
   options.bias = c->changed;
   const unsigned score = try_options(search, &options);
   if (score <= c->score) {
      int16_t *better = c->changed;
      c->changed = c->bias;
      c->bias = better;
      c->score = score;
   }
}

static int
compare_climbers(const void *a, const void *b)
{
   const struct climber *x = a, *y = b;
   return x->score != y->score ? (x->score < y->score ? -1 : 1) : 0;
}

static void
climb_from_choices(struct search *search)
{
   const unsigned size = MAX2(search->p->num_nodes, 1) * sizeof(int16_t);
   struct climber climbers[CLIMBERS];
   unsigned count = 0;
   uint32_t random = FS_CLIMB_SEED;

   for (unsigned i = 0; i < search->num_choices && count < CLIMBERS; i++) {
      for (unsigned dense = 0; dense < 2; dense++)
         climbers[count++] =
            (struct climber){ .choice = search->choices[i],
                              .dense = dense,
                              .score = UINT_MAX,
                              .bias = rzalloc_size((void *)search->p, size),
                              .changed =
                                 rzalloc_size((void *)search->p, size) };
   }
   for (unsigned round = 1; count > 0 && !search_done(search); round++) {

      for (unsigned i = 0; i < count && !search_done(search); i++)
         climb(search, &climbers[i], &random);
      if (round % CLIMB_ROUNDS == 0 && count > 1) {
         qsort(climbers, count, sizeof(climbers[0]), compare_climbers);
         count = DIV_ROUND_UP(count, 2);
      }
   }
}

/*
 * Where even the attempt that came nearest leaves most operations without a
 * place, noise does not help.  Of programs of applications and piglit's none
 * that fits in the end began with more than seven tenths left, and of 82
 * searches that failed 48 did.
 */
static bool
is_hopeless(const struct search *search)
{
   if (program_fits(search) || search->num_choices == 0 ||
       search->p->num_nodes < HOPELESS_NODES)
      return false;
   const unsigned score = search->choices[0].score;
   return score > NO_PLACE + 7 * search->p->num_nodes / 10;
}

/* Nothing fits yet, but an attempt left no more than a quarter of the
 * operations without a place: the beam may find one for them. */
static bool
is_near(const struct search *search)
{
   return !program_fits(search) && search->num_choices > 0 &&
          search->choices[0].score <= NO_PLACE + search->p->num_nodes / 4;
}

/* Variations of the most successful choices. */
static void
try_noise(struct search *search)
{
   for (unsigned seed = 1; seed < 256; seed++) {
      for (unsigned i = 0; i < search->num_choices; i++) {
         const struct choice *choice = &search->choices[i];
         if (search_done(search))
            return;
         if (bound_of_rows(search, choice->rows) >= search->best_cycles)
            continue;
         try_schedule(search, choice->strategy, choice->rows, seed,
                      search->best_cycles);
      }
   }
}

static void
search_schedules(struct search *search)
{
   if (search->p->debug & TEGRA20_COMPILER_NO_SCHED)
      search->budget = 0;
   try_strategies(search, FIRST);
   if (search_done(search) ||
       (is_in_a_hurry(search) &&
        (fs_is_trial(search->p) || is_hopeless(search))))
      return;
   /* a draft makes do with what fits */
   if (search->best_cycles > search->bound + search->bound / 4 &&
       !(is_draft(search) && program_fits(search)))
      try_strategies(search, NARROW);
   if (is_in_a_hurry(search) || is_hopeless(search))
      return;
   if (program_fits(search) && !search_done(search) && !is_draft(search))
      search_exactly(search);
   if (program_fits(search) && !search->best)
      return; /* another way is better */
   if (program_fits(search) && is_draft(search))
      search->budget = MIN2(search->budget, DRAFT_NOISE);
   if (!program_fits(search) && search->last_resort && !search_done(search)) {
      search->few_alive =
         rzalloc_array((void *)search->p, uint16_t, search->p->num_nodes + 1);
      fs_order_few_alive(search->p, search->few_alive);
      try_strategies(search, LAST_RESORT);
      climb_from_choices(search);
   }
   try_noise(search);
}

/*
 * The same with strategies that leave clocks of a batch empty where others
 * have room.  With a budget of their own: what is found without them stays.
 */
static void
search_lean(struct search *search)
{
   if (!search->best || (search->p->debug & TEGRA20_COMPILER_NO_SCHED))
      return;
   search->budget = LEAN_BUDGET;
   if (search_done(search))
      return;
   search->num_choices = 0;
   memset(search->no_place, 0, sizeof(search->no_place));
   try_strategies(search, LEAN);
   try_noise(search);
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

/* What a search has found in the memory of the attempt becomes the best
 * schedule; NULL: nothing. */
static void
adopt(struct search *search, struct attempt *attempt,
      const struct fs_schedule *better)
{
   if (!better) {
      ralloc_free(attempt);
      return;
   }
   attempt->schedule = *better;
   ralloc_free(search->best);
   search->best = attempt;
   search->best_cycles = better->cycles;
}

static void
search_beam_of_width(struct search *search, unsigned width)
{
   unsigned mask = 0, rows;

   for (rows = 1; rows <= FS_MAX_ROWS; rows++)
      mask |= 1u << rows;
   while (!search_done(search) &&
          (rows = most_promising_rows(search, mask))) {
      mask &= ~(1u << rows);
      if (bound_of_rows(search, rows) >= search->best_cycles)
         continue;
      struct attempt *attempt = ralloc((void *)search->p, struct attempt);
      unsigned work;
      const struct fs_schedule *better = fs_beam_schedule(
         search->p, rows, width, MIN2(search->best_cycles, LONGEST), NULL,
         search->budget, attempt, &work);
      search->budget -= work;
      adopt(search, attempt, better);
   }
}

/* Several partial schedules side by side: first one of each length, which is
 * soon done; the wider search then knows what it has to beat.  The first one
 * also finds schedules of what nearly fits. */
static void
search_beam(struct search *search)
{
   if (!(search->best || is_near(search)) ||
       (search->p->debug & TEGRA20_COMPILER_NO_SCHED))
      return;
   search->budget = NARROW_BEAM_BUDGET;
   search_beam_of_width(search, 1);
   if (!search->best)
      return;
   search->budget = WIDE_BEAM_BUDGET;
   search_beam_of_width(search, WIDE_BEAM);
}

const struct fs_schedule *
fs_search_schedule(const struct fs_program *p, unsigned bound, unsigned limit,
                   int *patience, bool last_resort, const char **reason)
{
   struct search search = {
      .p = p, .bound = bound, .best_cycles = limit, .last_resort = last_resort
   };
   const bool draft = is_draft(&search);
   const int budget = draft ? DRAFT_BUDGET : SEARCH_BUDGET;

   /* what another way of lowering takes says little about the first attempts
    * on this one; only the beam has to be better */
   if (!draft)
      search.best_cycles = UINT_MAX;

   search.budget = budget;
   search.give_up = limit < UINT_MAX ? 0 : budget - *patience;
   for (unsigned rows = 1; rows <= FS_MAX_ROWS; rows++)
      search.rows_score[rows - 1] = UINT_MAX;
   search.rows_bound[0] = bound; /* no number of rows has a lower one */
   search_schedules(&search);
   if (!program_fits(&search))
      *patience -= budget - search.budget;
   if (!draft) {
      search_lean(&search);
      search.best_cycles = MIN2(search.best_cycles, limit);
      search_beam(&search);
   }
   *reason = search.reason;
   return search.best && search.best->schedule.cycles < limit
             ? &search.best->schedule
             : NULL;
}
