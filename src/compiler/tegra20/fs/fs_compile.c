/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Fragment programs from NIR to machine words.
 *
 * What the program becomes is decided by alternatives that are all tried,
 * each with the best schedule that fs_search.c finds; those that make the
 * program smaller at the price of accuracy only when nothing else fits.
 */

#include <stdlib.h>

#include "fs.h"
#include "isa_text.h"

const struct fs_pass fs_passes[] = {
   { "fuse", fs_fuse, TEGRA20_COMPILER_NO_FUSE },
   { "factor", fs_common_factors, TEGRA20_COMPILER_NO_FACTOR },
   { "fuse", fs_fuse, TEGRA20_COMPILER_NO_FUSE },
   { "rearrange", fs_rearrange, TEGRA20_COMPILER_NO_REARRANGE },
   { "sums", fs_form_sums, TEGRA20_COMPILER_NO_SUMS },
   { "products", fs_form_products, TEGRA20_COMPILER_NO_PRODUCTS },
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

void
fs_run_passes(struct fs_program *p, const char *last)
{
   unsigned end = fs_num_passes;

   while (last && strcmp(fs_passes[end - 1].name, last) != 0)
      end--;
   for (unsigned i = 0; i < end && !p->error; i++) {
      if (p->debug & fs_passes[i].skip)
         continue;
      fs_passes[i].run(p);
      if (!p->error)
         after_pass(p, fs_passes[i].name);
   }
}

/* Which alternatives a program has. */
struct choices {
   bool sums, shared, angles, pairs, products, scaled;
};

/* Packets to try for a way of lowering while nothing fits, and for all ways
 * together. */
static const struct budget {
   int way, all;
} budgets[] = {
   [TEGRA20_EFFORT_FIT] = { 3000, 5000 },
   [TEGRA20_EFFORT_DRAFT] = { 25000, 75000 },
   [TEGRA20_EFFORT_BEST] = { 150000, 450000 },
};

/* A program and the best that was made of it so far. */
struct compilation {
   void *mem_ctx;
   const nir_shader *nir;
   const struct tegra20_fs_key *key;
   struct tegra20_compiler_options options;
   struct choices choices;
   struct tegra20_fs *best;
   struct fs_options best_options; /* that led to it */
   unsigned bound;     /* clocks that none of the ways can do without */
   int budget;         /* that is left for all ways */
   char *error;        /* of the first way that does not fit */
   bool is_infeasible; /* no other way will do */
   bool is_broken;     /* a bug of the compiler: another way would hide it */
};

/* Packets to try in small steps, for each clock above the bound. */
#define CLIMB_BUDGET 60000

/* Packets that other ways of lowering save at most, of five. */
#define MOST_SAVED 1

/*
 * Operations of which no program fits, as they are built, in units of those
 * that the ALU has; the passes take nearly half of them away at most.  Of
 * applications' programs that have fewer than 64 packets in the end, none has
 * more than 1.8.
 */
#define MOST_BUILT 3

static bool
is_far_too_large(const struct compilation *c, const struct fs_program *p)
{
   return c->options.effort != TEGRA20_EFFORT_BEST &&
          p->num_nodes > MOST_BUILT * 4 * p->chip->fs_alu;
}

/* One way of lowering the program, ready to be scheduled; NULL with *error.
 */
static struct fs_program *
lower_program(struct compilation *c, const struct fs_options *options,
              char **error)
{
   struct fs_program *p = rzalloc(c->mem_ctx, struct fs_program);
   struct fs_outputs outputs = { 0 };

   p->key = c->key;
   p->options = options;
   p->chip = tegra20_chip_or_default(c->options.chip);
   p->debug = c->options.debug;
   p->avoid = c->options.avoid;
   p->part_sums = c->options.part_sums;
   p->effort = c->options.effort;
   p->cancel = c->options.cancel;
   if (fs_from_nir(p, c->nir, &outputs))
      fs_epilogue(p, &outputs);
   if (!p->error)
      after_pass(p, "building");
   if (!p->error && is_far_too_large(c, p)) {
      c->is_infeasible = true;
      fs_error(p,
               "the fragment program has %u operations, the chip room for "
               "%u",
               p->num_nodes, 4 * p->chip->fs_alu);
   }
   fs_run_passes(p, NULL);
   if (p->error) {
      *error = ralloc_strdup(c->mem_ctx, p->error);
      c->is_broken |= p->is_broken;
      ralloc_free(p);
      return NULL;
   }
   c->choices.sums |= p->has_sums;
   c->choices.shared |= p->has_shared;
   c->choices.angles |= p->has_angles;
   c->choices.pairs |= p->has_pairs;
   c->choices.products |= p->has_products;
   c->choices.scaled |= p->has_scaled;
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
 * clocks than those of other ways; NULL with *error. */
static struct tegra20_fs *
schedule_program(struct compilation *c, struct fs_program *p, int *budget,
                 char **error)
{
   const unsigned limit = c->best ? c->best->stats.cycles : UINT_MAX;
   const bool is_trial = c->options.effort == TEGRA20_EFFORT_FIT;
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
   /* that takes long, and does not say what fits */
   unsigned bound = is_trial ? 0 : fs_lower_bound(p, 1);
   fs_prepare_schedules(p);
   const struct fs_schedule *schedule =
      bound < limit ? fs_search_schedule(p, bound, limit, budget, &reason)
                    : NULL;
   if (is_trial && schedule && c->bound > 0)
      bound = fs_lower_bound(p, 1);
   note_bound(c, bound);
   if (!schedule) {
      *error = ralloc_strdup(
         c->mem_ctx, reason ? reason : "the fragment program is too large");
      return NULL;
   }
   if (p->debug & TEGRA20_COMPILER_PRINT_IR)
      fprintf(stderr, "scheduled by the heuristic \"%s\": %u clocks\n",
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

static void
try_variant(struct compilation *c, const struct fs_options *options)
{
   const int given = MIN2(budgets[c->options.effort].way, c->budget);
   int budget = given;
   char *reason;

   if (given <= 0 && !c->best)
      return;
   struct fs_program *p = lower_program(c, options, &reason);
   struct tegra20_fs *fs =
      p ? schedule_program(c, p, &budget, &reason) : NULL;

   ralloc_free(p);
   c->budget -= given - budget;
   if (!fs) {
      if (!c->error || c->is_broken)
         c->error = reason;
      return;
   }
   take(c, fs);
   c->best_options = *options;
}

/* Other ways of lowering are for better code, or for what nearly fits. */
static bool
is_done(const struct compilation *c)
{
   return (c->best && c->options.effort != TEGRA20_EFFORT_BEST) ||
          c->is_infeasible || tegra20_is_cancelled(c->options.cancel);
}

/*
 * What is decided one way or the other for a whole program.  Sums on the
 * accumulation chain are one packet, as chains of operations they leave units
 * to others.  Shared coordinates take registers, computed again they take
 * units.  Two embedded constants in one operation leave room for one in the
 * packet.  A product on the MFU saves the way through the ALU, and takes a
 * register.  A vector that is scaled before it is in several sums takes more
 * units than what scales the sums, but the latter come later.
 */
enum decision {
   CHAINS = 1 << 0,
   SPLIT = 1 << 1,
   LONE_CONSTS = 1 << 2,
   FIRST_DECISIONS = 3, /* the others make programs shorter, not smaller */
   PRODUCTS = 1 << 3,
   SCALED = 1 << 4,
   NUM_DECISIONS = 5,
};

static bool
try_decisions(struct compilation *c, unsigned decisions,
              struct fs_options options)
{
   const struct choices *has = &c->choices;
   const struct tegra20_fs *before = c->best;

   if (((decisions & CHAINS) && !has->sums) ||
       ((decisions & SPLIT) && !has->shared) ||
       ((decisions & LONE_CONSTS) && !has->pairs) ||
       ((decisions & PRODUCTS) && !has->products) ||
       ((decisions & SCALED) && !has->scaled))
      return false;
   options.accumulate = !(decisions & CHAINS);
   options.split = decisions & SPLIT;
   options.lone_consts = decisions & LONE_CONSTS;
   options.products = decisions & PRODUCTS;
   options.scaled = decisions & SCALED;
   try_variant(c, &options);
   return c->best != before;
}

/* All decisions until the program fits; then each of them the other way as
 * long as that makes it shorter. */
static void
try_variants(struct compilation *c, bool whole_angles)
{
   const struct fs_options options = { .whole_angles = whole_angles };
   unsigned best = 0, last = NUM_DECISIONS - 1;

   c->budget = budgets[c->options.effort].all;
   for (unsigned i = 0; i < 1 << FIRST_DECISIONS && !c->best && !is_done(c);
        i++) {
      if (try_decisions(c, i, options))
         best = i;
   }
   for (unsigned d = 0; c->best && !is_done(c); d = (d + 1) % NUM_DECISIONS) {
      if (try_decisions(c, best ^ 1 << d, options)) {
         best ^= 1 << d;
         last = (d + NUM_DECISIONS - 1) % NUM_DECISIONS;
      } else if (d == last) {
         break;
      }
   }
}

/* --- in small steps --- */

static struct fs_program *
lower_again(void *data, const struct fs_options *options)
{
   struct compilation *c = data;
   char *error;

   return lower_program(c, options, &error);
}

/* What was found is made better in small steps. */
static void
climb(struct compilation *c)
{
   const unsigned debug = c->options.debug;

   if (!c->best || c->options.effort != TEGRA20_EFFORT_BEST ||
       (debug & TEGRA20_COMPILER_NO_SCHED))
      return;
   const struct fs_climb from = {
      .lower = lower_again,
      .data = c,
      .options = &c->best_options,
      .rows = c->best->stats.rows,
      .cycles = c->best->stats.cycles,
      .packets = c->best->stats.alu_packets,
      .bound = c->bound,
      .budget = (c->best->stats.cycles - c->bound) * CLIMB_BUDGET,
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
   try_variants(&c, false);
   if (!c.best && c.options.effort == TEGRA20_EFFORT_BEST &&
       !c.options.accurate && c.choices.angles)
      try_variants(&c, true);
   climb(&c);
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
