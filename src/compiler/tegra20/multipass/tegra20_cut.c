/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Cuts fragment programs that do not fit the chip into parts.
 *
 * The chip runs 64 packets over 16 registers and has no branches, and a
 * program is a graph of operations without side effects, but for its outputs
 * and discards.  So any set of values can be computed first, stored in
 * surfaces, and be loaded by another program at the same pixel.  The last
 * part has all outputs and discards, and so is the only one that blending,
 * masks, depth and stencil concern.
 *
 * Operations.  Free operations (constants, uniforms and expressions of them,
 * varyings, vectors, signs) and cheap ones (up to CHEAP slots of the ALU from
 * free ones, a lookup at a varying among them) are rematerialised in each
 * part that uses them.  All other scalar results are values that can be
 * spilled.  A spill takes about eight slots and one of 14 surfaces.
 *
 * Plan.  The operations keep the order of the shader.  The higher the limit
 * of rematerialisation is, the fewer values are spilled, but their operands
 * have to be.  The cost of each limit is estimated, from few places where it
 * may be cut, and the cheapest plan is tried first, with cuts at any place.
 *
 *    0 ... lo ............ hi ... n (outputs and discards)
 *           \____________/
 *            what one part computes: of the values alive at hi those made
 *            behind lo, from those alive at lo
 *
 * Where.  Whether something fits is only known by compiling, and that takes
 * long where it does not fit.  So the cuts are planned by estimates
 * (tegra20_cut_plan.c) and the first part of the plan is compiled.  The limit
 * of the next part follows from its size, or from its failure to fit; where
 * the limit changes, the rest is planned again.  A range with more results
 * than a part can store becomes several parts that compute some of them each.
 * The number of compilations is bounded.
 *
 * Levels of detail come from the coordinates of the neighbours in a quad of
 * pixels, which need not belong to the primitive, so that a part has not
 * stored anything there.  A cut between a lookup and the operands of its
 * coordinates is the last choice.
 *
 * Derivatives are differences of values that a part has stored, so the
 * program is cut between a derivative and its operand whether it fits or not.
 * Operations are in stages: those of stage n need no derivative of what
 * stages behind n compute.  Each is in the last stage that it can be in, and
 * the order has stage by stage.
 *
 * Loops are segments of the program between barriers (nir/fs_lower_loops.h).
 * Every segment is cut for itself; the parts of a loop are drawn again and
 * again. The values that a loop carries have surfaces of their own, which an
 * iteration changes in place, for the active pixels.  When that takes more
 * than one part, a later part may need a value that an earlier one would have
 * changed; then the new values go to shadows of the surfaces first, and a
 * last part of the iteration copies them.
 */

#include "tegra20_cut_internal.h"

#include "compiler/nir/nir_builder.h"

#define CHEAP 4 /* slots of the ALU: rather rematerialised than spilled */
/* Slots that a part is supposed to have, by estimate, and least and most of
 * that when parts that were found have another fill than usual. */
#define PART_SLOTS 210
#define MIN_PART_SLOTS 120
#define MAX_PART_SLOTS 300
#define PART_FILL 61 /* packets, of 64 */

#define MAX_SLOTS (4 * TEGRA20_FS_MAX_ALU)
#define MAX_COMMITS 6    /* of 14 surfaces, each takes two */
#define MAX_ITERATIONS 8 /* of a loop in one part */
#define MAX_DISCARDS 4   /* with conditions of their own */
/* Compilations of one attempt, and of all with the best effort. */
#define MIN_TRIALS 30 /* and more the more there is to do */
#define TRIAL_SLOTS 5
#define TRIALS_OF_SEGMENT 4
#define MAX_BEST_TRIALS 2
#define MAX_TRIED 3
#define ESTIMATE_STEPS 40 /* of a part's slots */

static void
add_part(struct tegra20_parts *parts, const struct tegra20_part *part)
{
   /* in steps that double: ralloc does not know the free rest of a block */
   if (util_is_power_of_two_or_zero(parts->count))
      parts->part = reralloc(parts, parts->part, struct tegra20_part,
                             MAX2(2 * parts->count, 1));
   parts->part[parts->count++] = *part;
}

/* Adds a part if it fits. */
static bool
try_part(struct cut *cut, const struct cut_job *job)
{
   struct tegra20_parts *parts = cut->parts;
   struct tegra20_fs_key key;
   struct tegra20_part part;
   struct tegra20_fs *fs = NULL;

   if (parts->count == TEGRA20_MAX_PARTS)
      cut->too_many = true;
   if (cut->too_many || cut->trials == 0 || job->count > TEGRA20_MAX_CBUFS)
      return false;
   if (!cut_build_part(cut, job, &part)) {
      if (!part.nir)
         cut->error = ralloc_strdup(cut, "a mistake of the compiler: a part "
                                         "needs what is not computed before");
      return false;
   }
   cut_part_key(&part, job->last, cut->key, &key);
   ralloc_free(cut->error);
   cut->error = NULL;
   cut->trials--;
   const bool fits = tegra20_compile_fs(cut, part.nir, &key, &cut->options,
                                        &fs, &cut->error);
   if (!fits) {
      ralloc_free(part.nir);
      return false;
   }
   cut->fill = MAX2(cut->fill, fs->stats.alu_packets);
   part.program = fs;
   ralloc_steal(parts, fs);
   add_part(parts, &part);
   return true;
}

/* Takes back parts behind the first ones. */
static void
drop_parts(struct cut *cut, unsigned count)
{
   struct tegra20_parts *parts = cut->parts;

   while (parts->count > count) {
      const struct tegra20_part *part = &parts->part[--parts->count];

      ralloc_free(part->nir);
      ralloc_free(part->program);
   }
}

/* --- where --- */

/* Values made from lo on that are alive at hi. */
static unsigned
values_alive(const struct cut *cut, unsigned lo, unsigned hi,
             struct cut_value *values)
{
   unsigned count = 0;

   for (unsigned p = lo; p < hi; p++) {
      const struct cut_op *op = &cut->ops[cut->order[p]];

      for (unsigned c = 0; c < 4; c++) {
         if (op->last_use[c] < hi)
            continue;
         if (values)
            values[count] = (struct cut_value){ cut->order[p], c };
         count++;
      }
   }
   return count;
}

/* Splits the values of a job into several parts of up to "size" values; in a
 * range that cannot be shorter with fewer where these do not fit.  Their
 * operands are stored already. */
static bool
try_values(struct cut *cut, const struct cut_job *job, unsigned size,
           bool is_shortest)
{
   for (unsigned done = 0; done < job->count;) {
      const unsigned n = MIN2(size, job->count - done);
      struct cut_job some = *job;

      some.values += done;
      some.count = n;
      if (try_part(cut, &some))
         done += n;
      else if (n == 1 || !is_shortest)
         return false;
      else
         size = DIV_ROUND_UP(n, 2);
   }
   return true;
}

/* Stores of carried values in a segment, those that say whether the loop goes
 * on at the end. */
static unsigned
carried_stores(const struct cut *cut, unsigned segment,
               struct cut_value *values)
{
   unsigned count = 0;

   for (unsigned flags = 0; flags < 2; flags++) {
      for (unsigned i = 0; i < cut->num_ops; i++) {
         const struct cut_op *op = &cut->ops[i];
         const nir_intrinsic_instr *carried = cut_as_carried(op);

         if (!carried || op->def || op->segment != segment ||
             cut_is_flag(cut,
                         cut_carried_number(cut, nir_intrinsic_base(carried) -
                                                    FS_CARRIED)) != flags)
            continue;
         values[count++] = (struct cut_value){ i, 0 };
      }
   }
   return count;
}

static bool
loads_carried(const struct cut *cut, unsigned segment)
{
   for (unsigned i = 0; i < cut->num_ops; i++) {
      const struct cut_op *op = &cut->ops[i];

      if (op->segment == segment && op->def && cut_as_carried(op))
         return true;
   }
   return false;
}

static unsigned
carried_index(const nir_intrinsic_instr *carried)
{
   return nir_intrinsic_base(carried) - FS_CARRIED;
}

/* Does a value depend on carried values before their update? */
static bool
needs_old(const struct cut *cut, const struct cut_job *job,
          const struct cut_value *value, const bool *replaced)
{
   const struct cut_job one = { .lo = job->lo, .values = value, .count = 1 };
   bool *needed = cut_find_needed(cut, &one);
   bool needs = false;

   for (unsigned i = 0; i < cut->num_ops && !needs; i++) {
      const struct cut_op *op = &cut->ops[i];
      const nir_intrinsic_instr *carried =
         needed[i] && op->def ? cut_as_carried(op) : NULL;

      needs = carried && op->segment == cut->segment &&
              replaced[carried_index(carried)];
   }
   ralloc_free(needed);
   return needs;
}

/* Whether parts that store the values one after the other, in their order,
 * find their operands unchanged: accumulators of a loop do. */
static bool
is_sequence(const struct cut *cut, const struct cut_job *job,
            unsigned num_alive)
{
   bool *replaced = rzalloc_array(cut->mem_ctx, bool, cut->num_carried);
   bool is = true;

   for (unsigned i = num_alive; i < job->count && is; i++) {
      is = !needs_old(cut, job, &job->values[i], replaced);
      replaced[carried_index(cut_as_carried(&cut->ops[job->values[i].op]))] =
         true;
   }
   ralloc_free(replaced);
   return is;
}

/* How many iterations of a loop a part may have room for: a power of two.
 * Parts of the body that were made already do one. */
static unsigned
most_iterations(const struct cut *cut, unsigned lo, const struct cut_job *job,
                unsigned carried)
{
   const unsigned hi = cut_end_of_segment(cut, cut->segment);
   const unsigned work = cut->work[hi] - cut->work[lo] + carried;
   unsigned most = MAX_ITERATIONS;

   if (!cut_is_loop(cut->segment) || job->count > carried ||
       lo != cut_begin_of_segment(cut, cut->segment))
      return 1;
   while (most > 1 && most * work > MAX_SLOTS)
      most /= 2;
   return most;
}

/* Stores of a segment for later ones: values, and those that loops carry. */
static bool
try_segment_end(struct cut *cut, unsigned lo, unsigned hi)
{
   const bool ends = cut_is_loop(cut->segment);
   const bool is_shortest = hi <= lo + 1;
   const unsigned alive = values_alive(cut, lo, hi + 1, NULL);
   struct cut_value *values =
      ralloc_array(cut->mem_ctx, struct cut_value, alive + cut->num_carried);
   struct cut_job job = { .lo = lo, .values = values, .kills = ends };

   values_alive(cut, lo, hi + 1, values);
   const unsigned carried = carried_stores(cut, cut->segment, values + alive);
   job.count = alive + carried;
   bool fits = false;
   for (job.iterations = most_iterations(cut, lo, &job, carried);
        job.iterations && !fits; job.iterations /= 2)
      fits = try_part(cut, &job);
   if (!fits &&
       (!loads_carried(cut, cut->segment) || is_sequence(cut, &job, alive))) {
      fits = try_values(cut, &job, DIV_ROUND_UP(job.count, 2), is_shortest);
   } else if (!fits) {
      const struct cut_job commit = { .values = values + alive,
                                      .count = carried,
                                      .commits = true,
                                      .kills = ends };
      job.shadows = true;
      job.kills = false;
      fits = try_values(cut, &job, DIV_ROUND_UP(job.count, 2), is_shortest) &&
             try_values(cut, &commit, MAX_COMMITS, true);
   }
   ralloc_free(values);
   return fits;
}

/* Parts for the range without cutting it: several that store some of the
 * values each, or the one with the effects. */
static bool
try_range(struct cut *cut, unsigned lo, unsigned hi)
{
   const unsigned parts_before = cut->parts->count;
   bool fits;

   if (hi == cut_end(cut)) {
      fits = try_part(cut, &(struct cut_job){ .lo = lo, .last = true });
   } else if (hi == cut_end_of_segment(cut, cut->segment)) {
      fits = try_segment_end(cut, lo, hi);
   } else {
      const unsigned count = values_alive(cut, lo, hi, NULL);
      struct cut_value *values =
         ralloc_array(cut, struct cut_value, MAX2(count, 1));
      const struct cut_job job = { .lo = lo,
                                   .values = values,
                                   .count = count };

      values_alive(cut, lo, hi, values);
      fits = try_values(cut, &job, cut_stores_of_part(count), hi == lo + 1);
      ralloc_free(values);
   }
   if (!fits)
      drop_parts(cut, parts_before);
   return fits;
}

/* A range that cannot be cut is worth a longer search. */
static bool
try_for_long(struct cut *cut, unsigned lo, unsigned hi)
{
   if (cut->best_trials == 0)
      return false;
   cut->best_trials--;
   cut->options.effort = TEGRA20_EFFORT_BEST;
   const bool fits = try_range(cut, lo, hi);
   cut->options.effort = TEGRA20_EFFORT_DRAFT;
   return fits;
}

/* Slots that parts have room for, as the last one fills the chip: the next
 * ranges of a program resemble it. */
static void
learn_limit(struct cut *cut, unsigned slots)
{
   const unsigned limit = slots * PART_FILL / MAX2(cut->fill, 1);

   /* small parts say little */
   if (slots >= cut->limit / 2 || limit > cut->limit)
      cut->limit =
         CLAMP((cut->limit + limit) / 2, MIN_PART_SLOTS, MAX_PART_SLOTS);
}

/* Makes the next parts of a range; their end, or 0.  The plan is made anew
 * when its limit was wrong.  A range that does not fit is shortened before
 * its values are divided between parts, which compute most of it twice. */
static unsigned
cut_first(struct cut *cut, unsigned lo, unsigned end)
{
   unsigned failed = 0;

   for (;;) {
      if (abs((int)cut->limit - (int)cut->planned_limit) >
          cut->planned_limit / 8) {
         cut_plan_range(cut, lo, end, cut->limit, 0);
         cut->planned_limit = cut->limit;
      }
      const unsigned hi = cut->choices[lo].hi, slots = cut->choices[lo].slots;

      cut->fill = 0;
      if (hi != failed && try_range(cut, lo, hi)) {
         learn_limit(cut, slots);
         return hi;
      }
      if (hi == lo + 1)
         return try_for_long(cut, lo, hi) ? hi : 0;
      failed = hi;
      cut->limit = MIN2(cut->planned_limit, slots) * 4 / 5;
   }
}

static bool
cut_range(struct cut *cut, unsigned lo, unsigned end)
{
   if (lo == end)
      return try_range(cut, lo, end) || try_for_long(cut, lo, end);
   cut->planned_limit = 0;
   while (lo && lo < end)
      lo = cut_first(cut, lo, end);
   return lo;
}

/* Calls a function for the ranges between derivatives of a segment. */
static bool
for_each_range(struct cut *cut,
               bool (*call)(struct cut *cut, unsigned lo, unsigned end))
{
   const unsigned first = cut->segment * cut->num_stages,
                  last = first + cut->num_stages - 1,
                  end = cut_end_of_segment(cut, cut->segment);
   bool ended = false; /* the end may be that of several stages */

   for (unsigned i = first; i <= last; i++) {
      const unsigned lo = cut->stage_start[i],
                     hi = i == last ? end : cut->stage_start[i + 1];

      if (lo == hi && (i < last || ended))
         continue;
      if (!call(cut, lo, hi))
         return false;
      ended = hi == end;
   }
   return true;
}

static bool
cut_segments(struct cut *cut)
{
   struct tegra20_parts *parts = cut->parts;

   drop_parts(cut, 0);
   ralloc_free(parts->loops);
   parts->loops = rzalloc_array(parts, struct tegra20_part_loop,
                                MAX2(cut->num_segments / 2, 1));
   parts->num_loops = 0;
   for (cut->segment = 0; cut->segment < cut->num_segments; cut->segment++) {
      const unsigned first = parts->count;

      if (!for_each_range(cut, cut_range))
         return false;
      if (cut_is_loop(cut->segment))
         parts->loops[parts->num_loops++] = (struct tegra20_part_loop){
            .first = first,
            .count = parts->count - first,
         };
   }
   return true;
}

static bool
add_estimate(struct cut *cut, unsigned lo, unsigned end)
{
   cut->estimate +=
      cut_plan_range(cut, lo, end, cut->limit, cut->limit / ESTIMATE_STEPS);
   return true;
}

/* The whole is known not to fit. */
static unsigned
first_limit(struct cut *cut)
{
   if (cut->num_stages > 1 || cut->num_segments > 1)
      return PART_SLOTS;
   cut->segment = 0;
   return MIN2(PART_SLOTS, cut_slots(cut, 1, cut_end(cut)) * 3 / 4);
}

/* Cycles, by estimate. */
static unsigned
estimate(struct cut *cut)
{
   cut->limit = first_limit(cut);
   cut->estimate = 0;
   for (cut->segment = 0; cut->segment < cut->num_segments; cut->segment++)
      for_each_range(cut, add_estimate);
   return cut->estimate;
}

static bool
cut_as_planned(struct cut *cut)
{
   cut->trials = MIN_TRIALS + cut->work[cut_end(cut)] / TRIAL_SLOTS +
                 TRIALS_OF_SEGMENT * (cut->num_segments - 1);
   cut->limit = first_limit(cut);
   return cut_segments(cut);
}

static bool
is_too_large(struct cut *cut)
{
   const unsigned work = cut->work[cut_end(cut)];
   if (work <= TEGRA20_MAX_PARTS * MAX_SLOTS)
      return false;
   ralloc_free(cut->error);
   cut->error =
      ralloc_asprintf(cut, "it needs %u operations, %u parts have %u", work,
                      TEGRA20_MAX_PARTS, TEGRA20_MAX_PARTS * MAX_SLOTS);
   return true;
}

/* --- which plan --- */

/* With more rematerialisation, fewer values are spilled; where nothing is,
 * its operands are not, of which there may be more. */
static const unsigned limits[] = { CHEAP, 4 * CHEAP, CUT_DEAR, 0 };

struct plan {
   unsigned cheap;
   unsigned estimate; /* cycles */
};

static int
compare_plans(const void *a, const void *b)
{
   const struct plan *x = a, *y = b;

   return x->estimate < y->estimate ? -1 : x->estimate > y->estimate;
}

/* All plans, the one that is best by estimate first. */
static unsigned
make_plans(struct cut *cut, struct plan plans[ARRAY_SIZE(limits)])
{
   unsigned count = 0;

   for (unsigned i = 0; i < ARRAY_SIZE(limits); i++) {
      cut->cheap = limits[i];
      cut_measure(cut);
      cut_order_operations(cut);
      if (!is_too_large(cut))
         plans[count++] = (struct plan){ cut->cheap, estimate(cut) };
   }
   qsort(plans, count, sizeof(plans[0]), compare_plans);
   return count;
}

/* The parts of a plan, with their surfaces; or NULL. */
static struct tegra20_parts *
try_plan(struct cut *cut, const struct plan *plan)
{
   struct tegra20_parts *parts = rzalloc(cut, struct tegra20_parts);

   cut->parts = parts;
   cut->cheap = plan->cheap;
   cut_measure(cut);
   cut_order_operations(cut);
   if (cut_as_planned(cut)) {
      cut_group_values(cut);
      if (cut_assign_surfaces(cut))
         return parts;
   }
   ralloc_free(parts);
   return NULL;
}

/* The parts of the plan that is best by estimate, or of the next one where
 * they do not fit. */
static struct tegra20_parts *
cut_by_best_plan(struct cut *cut)
{
   struct plan plans[ARRAY_SIZE(limits)];
   const unsigned count = MIN2(make_plans(cut, plans), MAX_TRIED);
   struct tegra20_parts *parts = NULL;

   cut->too_many = false;
   for (unsigned i = 0; i < count && !parts && !cut->too_many; i++)
      parts = try_plan(cut, &plans[i]);
   return parts;
}

static nir_shader *
make_frame(struct cut *cut)
{
   nir_block *block =
      nir_start_block(nir_shader_get_entrypoint((nir_shader *)cut->nir));
   struct exec_list operations;

   exec_list_move_nodes_to(&block->instr_list, &operations);
   nir_shader *frame = nir_shader_clone(cut, cut->nir);
   exec_list_move_nodes_to(&operations, &block->instr_list);
   return frame;
}

/* The condition of a discard, as a float, or NULL. */
static nir_def *
discard_condition(nir_builder *b, const nir_instr *instr)
{
   if (instr->type != nir_instr_type_intrinsic)
      return NULL;
   const nir_intrinsic_instr *intr =
      nir_instr_as_intrinsic((nir_instr *)instr);
   switch (intr->intrinsic) {
   case nir_intrinsic_terminate:
   case nir_intrinsic_demote:
      return nir_imm_float(b, 1);
   case nir_intrinsic_terminate_if:
   case nir_intrinsic_demote_if:
      return intr->src[0].ssa;
   default:
      return NULL;
   }
}

/* The last part has all discards, and cannot load the conditions of many:
 * those become one, which grows where they are computed. */
static void
join_discards(nir_shader *nir)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   nir_builder b = nir_builder_create(impl);
   nir_def *joined = NULL;
   unsigned count = 0;

   nir_foreach_instr (instr, nir_start_block(impl)) {
      b.cursor = nir_before_instr(instr);
      count += discard_condition(&b, instr) != NULL;
   }
   if (count <= MAX_DISCARDS)
      return;
   nir_foreach_instr_safe (instr, nir_start_block(impl)) {
      b.cursor = nir_before_instr(instr);
      nir_def *condition = discard_condition(&b, instr);

      if (!condition)
         continue;
      joined = joined ? nir_fmax(&b, joined, condition) : condition;
      if (--count == 0)
         nir_terminate_if(&b, joined);
      nir_instr_remove(instr);
   }
}

/* Outputs whose target is not bound, or masked, are not stored. */
static bool
remove_lost_output(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   const struct tegra20_fs_key *key = data;

   if (intr->intrinsic != nir_intrinsic_store_output || fs_is_carried(intr))
      return false;
   const unsigned location = nir_intrinsic_io_semantics(intr).location;
   if (location != FRAG_RESULT_COLOR && location < FRAG_RESULT_DATA0)
      return false;
   for (unsigned rt = 0; rt < key->nr_cbufs; rt++) {
      if (key->rt[rt].bound && key->rt[rt].colormask &&
          (location == FRAG_RESULT_COLOR ||
           location == FRAG_RESULT_DATA0 + rt))
         return false;
   }
   nir_instr_remove(&intr->instr);
   return true;
}

/* The first trials miss some programs that fit. */
static struct tegra20_parts *
cut_program(struct cut *cut)
{
   struct tegra20_parts *parts;

   if (!cut_read_program(cut))
      return NULL;
   cut->frame = make_frame(cut);
   parts = cut_by_best_plan(cut);
   if (!parts && !cut->too_many) {
      cut->best_trials = MAX_BEST_TRIALS;
      parts = cut_by_best_plan(cut);
   }
   return parts;
}

struct tegra20_parts *
tegra20_cut_fs(void *mem_ctx, const nir_shader *nir,
               const struct tegra20_fs_key *key,
               const struct tegra20_compiler_options *options, char **error)
{
   struct cut *cut = rzalloc(mem_ctx, struct cut);
   nir_shader *scalar = nir_shader_clone(cut, nir);

   NIR_PASS(_, scalar, nir_lower_alu_to_scalar, NULL, NULL);
   NIR_PASS(_, scalar, nir_copy_prop);
   NIR_PASS(_, scalar, nir_shader_intrinsics_pass, remove_lost_output,
            nir_metadata_control_flow, (void *)key);
   join_discards(scalar);
   NIR_PASS(_, scalar, nir_opt_cse);
   NIR_PASS(_, scalar, nir_opt_dce);
   nir_index_ssa_defs(nir_shader_get_entrypoint(scalar));
   cut->mem_ctx = cut;
   cut->gains = tegra20_new_gains(scalar);
   tegra20_mark_amplified(scalar, cut->gains);
   cut->nir = scalar;
   cut->key = key;
   for (unsigned i = 0; i < key->nr_cbufs; i++)
      cut->num_targets += key->rt[i].bound;
   cut->num_units = TEGRA20_MAX_SAMPLERS -
                    __bitset_count(nir->info.textures_used,
                                   BITSET_WORDS(TEGRA20_MAX_SAMPLERS));
   if (options)
      cut->options = *options;
   cut->options.debug = 0;
   cut->options.effort = TEGRA20_EFFORT_DRAFT;
   cut->options.is_part = true;

   struct tegra20_parts *parts = cut_program(cut);
   if (parts)
      ralloc_steal(mem_ctx, parts);
   else
      *error = ralloc_asprintf(
         mem_ctx, "the fragment program does not fit in parts either: %s",
         cut->error      ? cut->error
         : cut->too_many ? "there would be too many"
                         : "too many values are alive");
   ralloc_free(cut);
   return parts;
}
