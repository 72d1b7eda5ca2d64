/*
 * SPDX-License-Identifier: MIT
 *
 * Fragment programs from NIR to machine words.
 *
 * Scheduling is a ladder of attempts: few rows before many, the plain heuristics before variations with other weights and
 * with noise.  The cheapest result wins; a result that meets the lower bound ends the search, and so does a budget that
 * depends on the size of the program only, so that the same program always gives the same code.
 */

#include <stdlib.h>

#include "fs.h"
#include "isa_text.h"

/* Packets tried, in all attempts on one way of lowering together. */
#define SEARCH_BUDGET 7000
#define LAST_RESORT_BUDGET 25000 /* while there is no schedule at all */
#define SEARCH_CHOICES 5

struct attempt {
   struct fs_schedule schedule;
   void *mem_ctx;
};

/* The ladder of strategies; what comes after FIRST_NARROW looks only a few operations ahead and needs few registers. */
static const struct strategy {
   uint8_t max_packets, max_mfu, apart, depth, pressure, recency, window, by_use, order;
} strategies[] = {
   {3, 3, false, 16, 4, 0},  {1, 3, true, 0, 8, 32}, {3, 3, false, 8, 8, 16},
   {3, 3, false, 16, 16, 0}, {1, 1, true, 16, 4, 8}, {3, 2, false, 0, 32, 16},
   {3, 3, false, 8, 8, 0, 12, false}, {3, 3, false, 8, 8, 0, 12, true},
   {3, 3, false, 8, 8, 0, 24, false}, {3, 3, false, 8, 8, 0, 32, true},
   {3, 3, false, 16, 8, 0, 48, false}, {3, 3, false, 16, 16, 0, 80, false},
   {3, 3, false, 16, 8, 0, 64, true}, {3, 3, false, 0, 4, 0, 6, true, 16}, {3, 3, true, 0, 4, 0, 10, true, 32},
   {3, 3, false, 0, 4, 0, 6, false, 16}, {3, 3, true, 0, 4, 0, 10, false, 32},
};
#define FIRST_NARROW 6

/* Scores: clocks of a schedule; ranks of failures, the nearer to success the lower. */
#define TOO_LONG 100000   /* and the number of packets */
#define NO_PLACE 200000   /* and the number of operations left */

struct choice {
   const struct strategy *strategy;
   unsigned rows, score;
};

struct search {
   const struct fs_program *p;
   unsigned bound, best_cycles;
   struct attempt *best;
   int budget;
   const char *reason;
   struct choice choices[SEARCH_CHOICES]; /* the most successful ones, best first */
   unsigned num_choices;
};

static bool
search_done(const struct search *search)
{
   if (search->best)
      return search->best_cycles <= search->bound || search->budget <= 0;
   return search->budget <= SEARCH_BUDGET - LAST_RESORT_BUDGET;
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

static struct fs_sched_options
options_for(const struct strategy *strategy, unsigned rows, unsigned seed, unsigned limit)
{
   return (struct fs_sched_options){
      .rows = rows,
      .max_packets = strategy->max_packets,
      .max_mfu = strategy->max_mfu,
      .keep_packets_apart = strategy->apart,
      .depth = strategy->depth,
      .pressure = strategy->pressure,
      .recency = strategy->recency,
      .window = strategy->window,
      .by_use = strategy->by_use,
      .order = strategy->order,
      .seed = seed,
      .limit = limit,
   };
}

/* One attempt; its score. */
static unsigned
try_schedule(struct search *search, const struct strategy *strategy, unsigned rows, unsigned seed, unsigned limit)
{
   struct attempt *attempt = rzalloc((void *)search->p, struct attempt);
   struct fs_schedule *schedule = &attempt->schedule;
   const struct fs_sched_options options = options_for(strategy, rows, seed, limit);
   const bool ok = fs_schedule(search->p, &options, attempt, schedule, &search->reason);
   const unsigned score = ok                     ? schedule->cycles
                          : schedule->nodes_left ? NO_PLACE + schedule->nodes_left
                                                 : TOO_LONG + schedule->num_packets;

   search->budget -= schedule->work + search->p->num_nodes / 16 + 1;
   if (ok && (!search->best || score < search->best_cycles)) {
      ralloc_free(search->best);
      search->best = attempt;
      search->best_cycles = score;
   } else {
      ralloc_free(attempt);
   }
   return score;
}

/* Without noise; the limit leaves room for schedules that are not the best but promising. */
static void
try_strategies(struct search *search, unsigned first, unsigned end)
{
   for (unsigned rows = 1; rows <= FS_MAX_ROWS; rows++) {
      /* a batch costs a clock per row */
      if (search->best && rows >= search->best_cycles)
         continue;
      for (unsigned i = first; i < end; i++) {
         const unsigned limit = search->best ? search->best_cycles + search->best_cycles / 8 + 1 : UINT_MAX;
         const unsigned score = try_schedule(search, &strategies[i], rows, 0, limit);
         note_choice(search, &(struct choice){&strategies[i], rows, score});
         if (search_done(search))
            return;
      }
   }
}

/* The best schedule of a small program, from what the plain heuristic and the most successful choices do. */
static void
search_exactly(struct search *search)
{
   struct fs_sched_options options[FS_EXACT_ROOTS];
   unsigned count = 0, clocks = search->best_cycles, work;

   for (unsigned rows = 1; rows <= FS_MAX_ROWS && rows < clocks; rows++)
      options[count++] = options_for(&strategies[0], rows, 0, clocks);
   for (unsigned i = 0; i < search->num_choices && count < FS_EXACT_ROOTS; i++) {
      const struct choice *choice = &search->choices[i];
      if (choice->strategy != &strategies[0] && choice->rows < clocks)
         options[count++] = options_for(choice->strategy, choice->rows, 0, clocks);
   }

   struct attempt *attempt = rzalloc((void *)search->p, struct attempt);
   struct fs_schedule *better = fs_exact_schedule(search->p, options, count, search->bound, attempt, &clocks, &work);
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

static void
search_schedules(struct search *search)
{
   if (tegra20_compiler_debug & TEGRA20_COMPILER_NO_SCHED)
      search->budget = 0;
   try_strategies(search, 0, FIRST_NARROW);
   if (search_done(search))
      return;
   if (!search->best || search->best_cycles > search->bound + search->bound / 4)
      try_strategies(search, FIRST_NARROW, ARRAY_SIZE(strategies));
   if (search->best && !search_done(search))
      search_exactly(search);
   for (unsigned seed = 1; seed < 256; seed++) {
      for (unsigned i = 0; i < search->num_choices; i++) {
         const struct choice *choice = &search->choices[i];
         if (search_done(search))
            return;
         try_schedule(search, choice->strategy, choice->rows, seed, search->best ? search->best_cycles : UINT_MAX);
      }
   }
}

/* Which alternatives a program has. */
struct choices {
   bool sums, shared, angles, cubes;
};

/* One way of lowering the program, scheduled. */
static bool
compile_variant(void *mem_ctx, const nir_shader *nir, const struct tegra20_fs_key *key, const struct fs_options *options,
                struct choices *choices, struct tegra20_fs **out, char **error)
{
   struct fs_program *p = rzalloc(mem_ctx, struct fs_program);
   struct fs_outputs outputs = {0};
   bool ok = false;

   p->key = key;
   p->whole_angles = options->whole_angles;
   p->cubes = options->cubes;
   if (fs_from_nir(p, nir, &outputs))
      fs_epilogue(p, &outputs);
   if (!p->error) {
      fs_optimize(p, options);
      fs_choose_formats(p);
      fs_legalize(p, options);
      fs_dead_code(p);
      fs_assign_uniforms(p);
   }
   if (p->error) {
      *error = ralloc_strdup(mem_ctx, p->error);
      ralloc_free(p);
      return false;
   }
   choices->sums |= p->has_sums;
   choices->shared |= p->has_shared;
   choices->angles |= p->has_angles;
   choices->cubes |= p->has_cubes;
   if (tegra20_compiler_debug & TEGRA20_COMPILER_PRINT_IR)
      fs_print(p, "fragment program before scheduling");

   unsigned packets;
   struct search search = {.p = p, .bound = fs_lower_bound(p, &packets), .budget = SEARCH_BUDGET};
   if (packets <= TEGRA20_FS_MAX_ALU)
      search_schedules(&search);
   if (packets > TEGRA20_FS_MAX_ALU) {
      *error = ralloc_asprintf(mem_ctx, "the fragment program needs at least %u ALU packets, the chip has %u", packets,
                               TEGRA20_FS_MAX_ALU);
   } else if (!search.best) {
      *error = ralloc_strdup(mem_ctx, search.reason ? search.reason : "the fragment program is too large");
   } else {
      struct tegra20_fs *fs = rzalloc(mem_ctx, struct tegra20_fs);
      char *emit_error;
      ok = fs_emit(p, &search.best->schedule, mem_ctx, fs, &emit_error);
      if (ok) {
         fs->values.count = p->values.count;
         fs->values.nodes = p->values.nodes;
         ralloc_steal(fs, p->values.nodes);
         fs->stats.lower_bound = search.bound;
         *out = fs;
      } else {
         *error = emit_error;
         ralloc_free(fs);
      }
   }
   ralloc_free(p);
   return ok;
}

static void
print_program(const struct tegra20_fs *fs)
{
   struct fs_words *words = calloc(1, sizeof(*words));

   words->rows = fs->rows;
   words->num_execs = fs->num_execs;
   words->num_mfu = fs->num_mfu;
   words->num_alu = fs->num_alu;
   memcpy(words->pseq, fs->pseq, sizeof(words->pseq));
   memcpy(words->mfu_sched, fs->mfu_sched, sizeof(words->mfu_sched));
   memcpy(words->tex, fs->tex, sizeof(words->tex));
   memcpy(words->alu_sched, fs->alu_sched, sizeof(words->alu_sched));
   memcpy(words->dw, fs->dw, sizeof(words->dw));
   memcpy(words->mfu, fs->mfu, sizeof(words->mfu));
   memcpy(words->alu, fs->alu, sizeof(words->alu));
   char *text = fs_program_print(words);
   fprintf(stderr, ".fragment\n%s", text);
   free(text);
   free(words);
}

/* A program and the best that was made of it so far. */
struct compilation {
   void *mem_ctx;
   const nir_shader *nir;
   const struct tegra20_fs_key *key;
   struct choices choices;
   struct tegra20_fs *best;
   unsigned bound;
   char *error; /* of the first way that does not fit */
};

static void
try_variant(struct compilation *c, const struct fs_options *options)
{
   struct tegra20_fs *fs;
   char *reason;

   if (!compile_variant(c->mem_ctx, c->nir, c->key, options, &c->choices, &fs, &reason)) {
      c->error = c->error ? c->error : reason;
      return;
   }
   c->bound = MIN2(c->bound, fs->stats.lower_bound);
   if (c->best && c->best->stats.cycles <= fs->stats.cycles) {
      ralloc_free(fs);
      return;
   }
   ralloc_free(c->best);
   c->best = fs;
}

/*
 * Sums on the accumulation chain are one packet, as chains of operations they leave units to others.  Shared coordinates
 * take registers, computed again they take units.
 */
static void
try_variants(struct compilation *c, bool whole_angles, enum fs_cubes cubes)
{
   for (unsigned variant = 0; variant < 4; variant++) {
      const bool chains = variant & 1, split = variant & 2;

      if ((!chains || c->choices.sums) && (!split || c->choices.shared))
         try_variant(c, &(struct fs_options){
                           .accumulate = !chains, .mfu_mul = true, .split = split, .whole_angles = whole_angles,
                           .cubes = cubes});
   }
}

bool
tegra20_compile_fs(void *mem_ctx, const nir_shader *nir, const struct tegra20_fs_key *key, struct tegra20_fs **out,
                   char **error)
{
   struct compilation c = {.mem_ctx = mem_ctx, .nir = nir, .key = key, .bound = UINT_MAX};

   if (tegra20_compiler_debug & TEGRA20_COMPILER_PRINT_NIR)
      nir_print_shader((nir_shader *)nir, stderr);
   try_variants(&c, false, FS_CUBES_EXACT);
   for (enum fs_cubes cubes = FS_CUBES_SATURATED; !c.best && c.choices.cubes && cubes <= FS_CUBES_ONCE; cubes++)
      try_variants(&c, false, cubes);
   if (!c.best && c.choices.angles)
      try_variants(&c, true, c.choices.cubes ? FS_CUBES_ONCE : FS_CUBES_EXACT);
   *error = c.error;
   if (!c.best)
      return false;

   struct tegra20_fs *best = c.best;
   best->stats.lower_bound = c.bound;
   *error = NULL;

#ifdef NDEBUG
   const bool validate = tegra20_compiler_debug & TEGRA20_COMPILER_VALIDATE;
#else
   const bool validate = true;
#endif
   if (validate) {
      *error = fs_validate(mem_ctx, best);
      if (*error) {
         *error = ralloc_asprintf(mem_ctx, "internal error of the fragment compiler: %s", *error);
         ralloc_free(best);
         return false;
      }
   }
   if (tegra20_compiler_debug & TEGRA20_COMPILER_DISASM)
      print_program(best);
   *out = best;
   return true;
}

char *
tegra20_fs_stats_string(void *mem_ctx, const struct tegra20_fs_stats *stats)
{
   return ralloc_asprintf(mem_ctx,
                          "%u execs, %u cycles, %u alu packets, %u alu slots, %u mfu, %u tex, %u rows, %u uniforms, %u consts",
                          stats->execs, stats->cycles, stats->alu_packets, stats->alu_slots, stats->mfu, stats->tex,
                          stats->rows, stats->uniforms, stats->consts);
}
