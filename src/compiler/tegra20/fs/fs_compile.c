/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Fragment programs from NIR to machine words.
 *
 * The nodes are built once.  Ways of lowering them are tried on copies, each
 * with the best schedule that fs_search.c finds.
 */

#include <stdlib.h>

#include "fs.h"
#include "isa_text.h"

const struct fs_pass fs_passes[] = {
   { "fuse", fs_fuse, true },
   { "factor", fs_common_factors, true },
   { "fuse", fs_fuse, true },
   { "sums", fs_form_sums, true },
   { "products", fs_form_products, true },
   { "formats", fs_choose_formats },
   { "legalize", fs_legalize },
   { "uniforms", fs_assign_uniforms },
};
const unsigned fs_num_passes = ARRAY_SIZE(fs_passes);

static void
after_pass(struct fs_program *p, const char *pass)
{
#ifdef NDEBUG
   const bool validate = p->debug & TEGRA20_COMPILER_VALIDATE;
#else
   const bool validate = true;
#endif

   if (validate)
      fs_validate_ir(p, pass);
   if (p->debug & TEGRA20_COMPILER_PRINT_IR) {
      fprintf(stderr, "after %s:\n", pass);
      fs_print(stderr, p);
   }
}

/* Passes that do the same in all lowerings. */
#define COMMON_PASSES 1

static void
run_passes(struct fs_program *p, unsigned first, unsigned end)
{
   for (unsigned i = first; i < end && !p->error; i++) {
      if (fs_passes[i].optional && (p->debug & TEGRA20_COMPILER_NO_PASSES))
         continue;
      fs_passes[i].run(p);
      if (!p->error)
         after_pass(p, fs_passes[i].name);
   }
}

void
fs_run_passes(struct fs_program *p, const char *last)
{
   unsigned end = fs_num_passes;

   while (strcmp(fs_passes[end - 1].name, last) != 0)
      end--;
   run_passes(p, 0, end);
}

/* Packets to try for a lowering while nothing fits, and for all lowerings
 * together. */
static const struct budget {
   int way, all;
} budgets[] = {
   [TEGRA20_EFFORT_DRAFT] = { 6000, 8000 },
   [TEGRA20_EFFORT_BEST] = { 150000, 450000 },
};

/* A whole program has another way out: to be drawn in parts. */
static struct budget
budget_of(const struct tegra20_compiler_options *options)
{
   const struct budget budget = budgets[options->effort];
   const int share =
      options->effort == TEGRA20_EFFORT_BEST && !options->is_part ? 3 : 1;

   return (struct budget){ budget.way / share, budget.all / share };
}

/* A program and the best that was made of it so far. */
struct compilation {
   void *mem_ctx;
   const nir_shader *nir;
   const struct tegra20_fs_key *key;
   struct tegra20_compiler_options options;
   struct fs_program *built; /* which all lowerings begin with; NULL: not yet,
                                or it has an error */
   unsigned choice_kinds;    /* that the lowerings so far have met, as bits */
   struct tegra20_fs *best;
   struct fs_lowering best_lowering; /* that led to it */
   unsigned bound;     /* lower bound of all lowerings, cycles */
   int budget;         /* left for all lowerings */
   bool beam;          /* every lowering is worth one */
   char *error;        /* of the first lowering that does not fit */
   bool is_infeasible; /* no lowering fits */
   bool is_broken;     /* a bug of the compiler: another lowering would hide
                          it */
};

/* Upper bound on packets saved by another lowering, of five. */
#define MOST_SAVED 1

/* The nodes of the NIR, after the passes that all lowerings share; NULL with
 * c->error. */
static struct fs_program *
build_program(struct compilation *c)
{
   static const struct fs_lowering usual;
   struct fs_program *p = rzalloc(c->mem_ctx, struct fs_program);
   struct fs_outputs outputs = { 0 };

   p->key = c->key;
   p->lowering = &usual;
   p->chip = tegra20_chip_or_default(c->options.chip);
   p->debug = c->options.debug;
   p->avoid = c->options.avoid;
   p->part_sums = c->options.part_sums;
   p->effort = c->options.effort;
   p->is_part = c->options.is_part;
   p->cancel = c->options.cancel;
   if (fs_from_nir(p, c->nir, &outputs))
      fs_epilogue(p, &outputs);
   if (!p->error)
      after_pass(p, "building");
   run_passes(p, 0, COMMON_PASSES);
   if (!p->error)
      return p;
   c->error = ralloc_strdup(c->mem_ctx, p->error);
   c->is_broken = p->is_broken;
   ralloc_free(p);
   return NULL;
}

/* One lowering of the program, ready to be scheduled; NULL with *error. */
static struct fs_program *
lower_program(struct compilation *c, const struct fs_lowering *lowering,
              char **error)
{
   struct fs_program *p = fs_clone(c->mem_ctx, c->built);

   p->lowering = lowering;
   p->debug = c->options.debug;
   run_passes(p, COMMON_PASSES, fs_num_passes);
   c->choice_kinds |= p->choice_kinds;
   if (p->error) {
      *error = ralloc_strdup(c->mem_ctx, p->error);
      c->is_broken |= p->is_broken;
      ralloc_free(p);
      return NULL;
   }
   return p;
}

/* The machine words of a schedule; NULL with *error. */
static struct tegra20_fs *
emit(struct compilation *c, struct fs_program *p,
     const struct fs_schedule *schedule, char **error)
{
   struct tegra20_fs *fs = rzalloc(c->mem_ctx, struct tegra20_fs);

   if (!fs_emit(p, schedule, c->mem_ctx, fs, error)) {
      ralloc_free(fs);
      return NULL;
   }
   fs->values.count = p->values.count;
   fs->values.nodes = p->values.nodes;
   ralloc_steal(fs, p->values.nodes);
   return fs;
}

/* A program of which no schedule is shorter than the bound is one that the
 * fragment program may become. */
static void
note_bound(struct compilation *c, unsigned bound)
{
   c->bound = MIN2(c->bound, bound);
}

static void
take(struct compilation *c, struct tegra20_fs *fs)
{
   ralloc_free(c->best);
   c->best = fs;
}

/* The machine words of the best schedule that was found, if it takes fewer
 * cycles than those of other lowerings; NULL with *error. */
static struct tegra20_fs *
schedule_program(struct compilation *c, struct fs_program *p, int *budget,
                 char **error)
{
   const unsigned limit = c->best ? c->best->stats.cycles : UINT_MAX;
   const unsigned packets = fs_least_packets(p);
   const char *reason = NULL;

   if (packets > p->chip->fs_alu) {
      *error = ralloc_asprintf(c->mem_ctx,
                               "the fragment program needs at least %u ALU "
                               "packets, the chip has %u",
                               packets, p->chip->fs_alu);
      c->is_infeasible = c->options.effort != TEGRA20_EFFORT_BEST &&
                         packets - packets * MOST_SAVED / 5 > p->chip->fs_alu;
      return NULL;
   }
   const unsigned bound = fs_lower_bound(p, 1);

   fs_prepare_schedules(p);
   const struct fs_schedule *schedule =
      bound < limit
         ? fs_search_schedule(p, bound, limit, c->beam, budget, &reason)
         : NULL;
   note_bound(c, bound);
   if (!schedule) {
      *error = ralloc_strdup(
         c->mem_ctx, reason ? reason : "the fragment program is too large");
      return NULL;
   }
   if (p->debug & TEGRA20_COMPILER_PRINT_IR)
      fprintf(stderr, "scheduled by the heuristic \"%s\": %u cycles\n",
              schedule->heuristic, schedule->cycles);
   return emit(c, p, schedule, error);
}

static void
print_program(FILE *out, const struct tegra20_fs *fs)
{
   struct fs_words *words = calloc(1, sizeof(*words));

   words->chip = fs->chip;
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
   fprintf(out, ".fragment\n%s", text);
   free(text);
   free(words);
}

/* Tries one lowering; true when it is the best so far. */
static bool
try_lowering(struct compilation *c, unsigned flipped)
{
   const struct fs_lowering lowering = { .flipped = flipped };
   const int given = MIN2(budget_of(&c->options).way, c->budget);
   int budget = given;
   char *reason;

   if ((flipped & ~c->choice_kinds) || (given <= 0 && !c->best))
      return false;
   struct fs_program *p = lower_program(c, &lowering, &reason);
   struct tegra20_fs *fs =
      p ? schedule_program(c, p, &budget, &reason) : NULL;

   ralloc_free(p);
   c->budget -= given - budget;
   if (fs) {
      take(c, fs);
      c->best_lowering = lowering;
   } else if (!c->error || c->is_broken) {
      c->error = reason;
   }
   return fs;
}

/* Other lowerings are for better code, or for programs that nearly fit. */
static bool
is_done(const struct compilation *c)
{
   return (c->best && c->options.effort != TEGRA20_EFFORT_BEST) ||
          c->is_infeasible || tegra20_is_cancelled(c->options.cancel);
}

/* Kinds of choice points that are flipped in a whole program.  The first ones
 * make programs smaller, the others only shorter. */
static const enum fs_choice_kind flips[] = {
   FS_CHOICE_SUM, FS_CHOICE_SHARED, FS_CHOICE_CONSTS,
   FS_CHOICE_MFU, FS_CHOICE_SCALED,
};
#define NUM_FIRST_FLIPS 3

static unsigned
first_flips(unsigned subset)
{
   unsigned flipped = 0;

   u_foreach_bit (i, subset)
      flipped |= 1u << flips[i];
   return flipped;
}

static void
try_until_one_fits(struct compilation *c)
{
   for (unsigned i = 0; i < 1 << NUM_FIRST_FLIPS && !c->best && !is_done(c);
        i++)
      try_lowering(c, first_flips(i));
}

/* All flips until the program fits; then each of them is inverted as long as
 * that shortens it. */
static void
try_lowerings(struct compilation *c)
{
   const bool best = c->options.effort == TEGRA20_EFFORT_BEST;
   unsigned failed = 0;

   c->budget = budget_of(&c->options).all;
   c->beam = best && !c->options.is_part;
   try_until_one_fits(c);
   for (unsigned i = 0; c->best && !is_done(c) && failed < ARRAY_SIZE(flips);
        i = (i + 1) % ARRAY_SIZE(flips)) {
      if (try_lowering(c, c->best_lowering.flipped ^ 1u << flips[i]))
         failed = 1; /* to flip it back is no use */
      else
         failed++;
   }
   if (!best || c->beam)
      return;
   c->beam = true;
   if (c->best)
      try_lowering(c, c->best_lowering.flipped);
   else
      try_until_one_fits(c);
}

/* --- in small steps --- */

static struct fs_program *
lower_again(void *data, const struct fs_lowering *lowering)
{
   struct compilation *c = data;
   char *error;

   return lower_program(c, lowering, &error);
}

/* Improves the best program in small steps. */
static void
climb(struct compilation *c)
{
   const unsigned debug = c->options.debug;

   if (!c->best || c->options.effort != TEGRA20_EFFORT_BEST ||
       c->options.is_part || (debug & TEGRA20_COMPILER_NO_SCHED))
      return;
   const struct fs_climb from = {
      .lower = lower_again,
      .data = c,
      .lowering = &c->best_lowering,
      .rows = c->best->stats.rows,
      .cycles = c->best->stats.cycles,
      .packets = c->best->stats.alu_packets,
      .bound = c->bound,
      .cancel = c->options.cancel,
   };
   struct fs_schedule *schedule;
   char *error;

   c->options.debug &= ~TEGRA20_COMPILER_PRINT_IR;
   struct fs_program *p = fs_climb(&from, &schedule);
   c->options.debug = debug;
   struct tegra20_fs *fs = p ? emit(c, p, schedule, &error) : NULL;
   if (fs) {
      p->debug = debug;
      after_pass(p, "climbing");
      note_bound(c, fs_lower_bound(p, 1));
      take(c, fs);
   }
   ralloc_free(p);
}

bool
tegra20_compile_fs(void *mem_ctx, const nir_shader *nir,
                   const struct tegra20_fs_key *key,
                   const struct tegra20_compiler_options *options,
                   struct tegra20_fs **out, char **error)
{
   struct compilation c = {
      .mem_ctx = mem_ctx, .nir = nir, .key = key, .bound = UINT_MAX
   };
   if (options)
      c.options = *options;

   if (c.options.debug & TEGRA20_COMPILER_PRINT_NIR)
      nir_print_shader((nir_shader *)nir, stderr);
   c.built = build_program(&c);
   if (c.built) {
      try_lowerings(&c);
      climb(&c);
   }
   ralloc_free(c.built);
   *error = c.error;
   if (!c.best || c.is_broken)
      return false;

   struct tegra20_fs *best = c.best;
   assert(c.bound <= best->stats.cycles);
   best->stats.lower_bound = c.bound;
   best->draft =
      c.options.effort != TEGRA20_EFFORT_BEST && best->stats.cycles > c.bound;
   *error = NULL;

#ifdef NDEBUG
   const bool validate = c.options.debug & TEGRA20_COMPILER_VALIDATE;
#else
   const bool validate = true;
#endif
   if (validate) {
      *error = fs_validate(mem_ctx, best);
      if (*error) {
         *error = ralloc_asprintf(
            mem_ctx, "internal error of the fragment compiler: %s", *error);
         ralloc_free(best);
         return false;
      }
   }
   if (c.options.debug & TEGRA20_COMPILER_DISASM)
      print_program(c.options.disasm ? c.options.disasm : stderr, best);
   *out = best;
   return true;
}

char *
tegra20_fs_stats_string(void *mem_ctx, const struct tegra20_fs_stats *stats)
{
   return ralloc_asprintf(
      mem_ctx,
      "%u execs, %u cycles, %u alu packets, %u alu slots, %u mfu, %u tex, %u "
      "rows, %u uniforms, %u consts",
      stats->execs, stats->cycles, stats->alu_packets, stats->alu_slots,
      stats->mfu, stats->tex, stats->rows, stats->uniforms, stats->consts);
}
