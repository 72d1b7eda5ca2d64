/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Control flow of fragment programs, which have none: how many iterations of
 * a loop to unroll, which branches to keep, and which uniforms decide that.
 *
 * A loop of any constant length is unrolled as a whole.  A loop whose length
 * depends on uniforms becomes one of constant length when the driver compiles
 * the program for their values.  What remains depends on the pixel: such
 * loops are left to fs_rounds.c.  For tools that want one program of a shader
 * as many iterations are unrolled as fit into a program, each under the
 * condition that the loop is still running; the result of a pixel that asks
 * for more is not defined then (docs/fragment-compiler.rst).
 *
 * Conditionals compute both branches and select.  When that is too much for
 * the chip, and integer or boolean uniforms decide, the driver compiles one
 * branch for the values of these uniforms instead.
 */

#include "compiler/nir/nir_builder.h"
#include "compiler/nir/nir_constant_expressions.h"
#include "util/hash_table.h"
#include "util/ralloc.h"

#include "fs/fs_loops.h"
#include "tegra20_compiler.h"
#include "tegra20_nir.h"

/* --- what conditions depend on --- */

/* What a condition depends on. */
struct slice {
   struct hash_table *visited; /* nir_def -> mask of its components */
   bool others;                /* than constants and the uniforms below */
   bool integers;              /* floats count as others */
   struct tegra20_control_uniforms uniforms;
};

static void
visit(struct slice *slice, nir_def *def, nir_component_mask_t mask);

static void
add_word(struct slice *slice, unsigned word, bool is_float)
{
   struct tegra20_control_uniforms *u = &slice->uniforms;

   for (unsigned i = 0; i < u->count; i++) {
      if (u->words[i] == word)
         return;
   }
   if (u->count == TEGRA20_MAX_CONTROL_UNIFORMS) {
      slice->others = true;
   } else {
      u->samples[u->count] = fui(is_float ? 1.0f : 6.0f);
      u->words[u->count++] = word;
   }
}

static bool
is_float_load(const nir_intrinsic_instr *load)
{
   return nir_alu_type_get_base_type(nir_intrinsic_dest_type(load)) ==
          nir_type_float;
}

static unsigned
first_word(const nir_intrinsic_instr *load)
{
   return 4 * (nir_intrinsic_base(load) + nir_src_as_uint(load->src[0]));
}

static void
visit_alu(struct slice *slice, const nir_alu_instr *alu,
          nir_component_mask_t mask)
{
   const nir_op_info *info = &nir_op_infos[alu->op];

   for (unsigned s = 0; s < info->num_inputs; s++) {
      nir_component_mask_t read = 0;

      if (nir_op_is_vec(alu->op)) {
         read = mask & (1 << s) ? 1 << alu->src[s].swizzle[0] : 0;
      } else if (info->input_sizes[s] == 0) {
         u_foreach_bit (c, mask)
            read |= 1 << alu->src[s].swizzle[c];
      } else {
         for (unsigned c = 0; c < info->input_sizes[s]; c++)
            read |= 1 << alu->src[s].swizzle[c];
      }
      if (read)
         visit(slice, alu->src[s].src.ssa, read);
   }
}

static void
visit_phi(struct slice *slice, nir_phi_instr *phi, nir_component_mask_t mask)
{
   nir_cf_node *before = nir_cf_node_prev(&phi->instr.block->cf_node);

   nir_foreach_phi_src (src, phi)
      visit(slice, src->src.ssa, mask);
   if (before && before->type == nir_cf_node_if)
      visit(slice, nir_cf_node_as_if(before)->condition.ssa, 1);
}

static void
visit(struct slice *slice, nir_def *def, nir_component_mask_t mask)
{
   struct hash_entry *known = _mesa_hash_table_search(slice->visited, def);
   const nir_component_mask_t seen = known ? (uintptr_t)known->data : 0;

   if (slice->others || !(mask & ~seen))
      return;
   _mesa_hash_table_insert(slice->visited, def,
                           (void *)(uintptr_t)(seen | mask));
   switch (def->parent_instr->type) {
   case nir_instr_type_load_const:
   case nir_instr_type_undef:
      break;
   case nir_instr_type_alu:
      visit_alu(slice, nir_instr_as_alu(def->parent_instr), mask);
      break;
   case nir_instr_type_phi:
      visit_phi(slice, nir_instr_as_phi(def->parent_instr), mask);
      break;
   case nir_instr_type_intrinsic: {
      const nir_intrinsic_instr *intr =
         nir_instr_as_intrinsic(def->parent_instr);
      if (intr->intrinsic != nir_intrinsic_load_uniform ||
          !nir_src_is_const(intr->src[0])) {
         slice->others = true;
         break;
      }
      slice->others |= slice->integers && is_float_load(intr);
      u_foreach_bit (c, mask)
         add_word(slice, first_word(intr) + c, is_float_load(intr));
      break;
   }
   default:
      slice->others = true;
      break;
   }
}

/*
 * Adds the uniforms of a condition, or of the parts of it, that depend on
 * nothing else.  Returns how many parts depend on constants alone.
 */
static unsigned
add_condition(struct tegra20_control_uniforms *out, nir_def *condition)
{
   nir_alu_instr *alu = nir_src_as_alu_instr(nir_src_for_ssa(condition));
   unsigned constant = 0;

   if (alu && (alu->op == nir_op_iand || alu->op == nir_op_ior ||
               alu->op == nir_op_inot)) {
      for (unsigned s = 0; s < nir_op_infos[alu->op].num_inputs; s++)
         constant += add_condition(out, alu->src[s].src.ssa);
      return constant;
   }

   struct slice slice = { .visited = _mesa_pointer_hash_table_create(NULL),
                          .uniforms = *out };
   visit(&slice, condition, 1);
   if (!slice.others) {
      constant = slice.uniforms.count == out->count;
      *out = slice.uniforms;
   }
   _mesa_hash_table_destroy(slice.visited, NULL);
   return constant;
}

static bool
contains_break(struct exec_list *list)
{
   foreach_list_typed (nir_cf_node, node, node, list) {
      if (node->type == nir_cf_node_block) {
         nir_instr *last = nir_block_last_instr(nir_cf_node_as_block(node));
         if (last && last->type == nir_instr_type_jump &&
             nir_instr_as_jump(last)->type == nir_jump_break)
            return true;
      } else if (node->type == nir_cf_node_if) {
         nir_if *nif = nir_cf_node_as_if(node);
         if (contains_break(&nif->then_list) ||
             contains_break(&nif->else_list))
            return true;
      }
   }
   return false;
}

/* Adds what the ends of loops depend on. */
static void
find_uniforms(struct tegra20_control_uniforms *out, struct exec_list *list,
              bool in_loop)
{
   foreach_list_typed (nir_cf_node, node, node, list) {
      if (node->type == nir_cf_node_loop) {
         find_uniforms(out, &nir_cf_node_as_loop(node)->body, true);
      } else if (node->type == nir_cf_node_if) {
         nir_if *nif = nir_cf_node_as_if(node);
         if (in_loop && (contains_break(&nif->then_list) ||
                         contains_break(&nif->else_list)))
            add_condition(out, nif->condition.ssa);
         find_uniforms(out, &nif->then_list, in_loop);
         find_uniforms(out, &nif->else_list, in_loop);
      }
   }
}

/* --- number of iterations --- */

static bool
is_constant(nir_def *condition)
{
   struct slice slice = { .visited = _mesa_pointer_hash_table_create(NULL) };

   visit(&slice, condition, 1);
   _mesa_hash_table_destroy(slice.visited, NULL);
   return !slice.others && slice.uniforms.count == 0;
}

/* Whether one of the ways out of a loop, whose body or a part of it the list
 * is, depends on more than constants. */
static bool
may_end_early(struct exec_list *list)
{
   foreach_list_typed (nir_cf_node, node, node, list) {
      if (node->type != nir_cf_node_if)
         continue;
      nir_if *nif = nir_cf_node_as_if(node);
      const bool leaves =
         contains_break(&nif->then_list) || contains_break(&nif->else_list);
      if (leaves &&
          (!is_constant(nif->condition.ssa) ||
           may_end_early(&nif->then_list) || may_end_early(&nif->else_list)))
         return true;
   }
   return false;
}

/* How many parts of a condition depend on constants alone. */
static unsigned
constant_parts(nir_def *condition)
{
   struct tegra20_control_uniforms uniforms = { 0 };

   return add_condition(&uniforms, condition);
}

/* Whether the list, a loop's body or a part of it, is left at the latest when
 * conditions that depend on constants alone say so. */
static bool
leaves_by_constants(struct exec_list *list)
{
   foreach_list_typed (nir_cf_node, node, node, list) {
      if (node->type == nir_cf_node_block) {
         const nir_instr *last =
            nir_block_last_instr(nir_cf_node_as_block(node));
         if (last && last->type == nir_instr_type_jump &&
             nir_instr_as_jump((nir_instr *)last)->type == nir_jump_break)
            return true;
      } else if (node->type == nir_cf_node_if) {
         nir_if *nif = nir_cf_node_as_if(node);
         const bool first = leaves_by_constants(&nif->then_list),
                    second = leaves_by_constants(&nif->else_list);
         if (first != second ? constant_parts(nif->condition.ssa) : first)
            return true;
      }
   }
   return false;
}

/* Whether no loop's length depends on the pixel alone: copies of such a
 * one's body never end. */
static bool
may_be_exact(struct exec_list *list)
{
   foreach_list_typed (nir_cf_node, node, node, list) {
      if (node->type == nir_cf_node_loop) {
         struct exec_list *body = &nir_cf_node_as_loop(node)->body;
         if (!leaves_by_constants(body) || !may_be_exact(body))
            return false;
      } else if (node->type == nir_cf_node_if) {
         nir_if *nif = nir_cf_node_as_if(node);
         if (!may_be_exact(&nif->then_list) || !may_be_exact(&nif->else_list))
            return false;
      }
   }
   return true;
}

/* How many conditions that depend on constants alone may leave the list, a
 * loop's body or a part of it, without what a pixel computes. */
static unsigned
constant_exits(struct exec_list *list)
{
   unsigned count = 0;

   foreach_list_typed (nir_cf_node, node, node, list) {
      if (node->type != nir_cf_node_if)
         continue;
      nir_if *nif = nir_cf_node_as_if(node);
      if (leaves_by_constants(&nif->then_list) ||
          leaves_by_constants(&nif->else_list))
         count += constant_parts(nif->condition.ssa);
      count +=
         constant_exits(&nif->then_list) + constant_exits(&nif->else_list);
   }
   return count;
}

/* A value that a loop carries, and that depends on nothing but itself. */
struct counter {
   const nir_loop *loop;
   nir_phi_instr *phi; /* NULL: none was met */
   nir_def *next;
   nir_const_value value;
   unsigned patience; /* values that may be looked at */
};

/* What comes from outside of the loop has to be a constant. */
static bool
meet_counter(struct counter *counter, nir_phi_instr *phi)
{
   const nir_cf_node *before =
      nir_cf_node_prev((nir_cf_node *)&counter->loop->cf_node);

   if (counter->phi || phi->def.num_components != 1 ||
       phi->instr.block->cf_node.parent != &counter->loop->cf_node ||
       nir_cf_node_prev(&phi->instr.block->cf_node))
      return counter->phi == phi;
   counter->phi = phi;
   nir_foreach_phi_src (src, phi) {
      const nir_const_value *first = nir_src_as_const_value(src->src);

      if (&src->pred->cf_node != before) {
         if (counter->next && counter->next != src->src.ssa)
            return false;
         counter->next = src->src.ssa;
      } else if (first) {
         counter->value = *first;
      } else {
         return false;
      }
   }
   return counter->next;
}

/* The value of an expression of constants and a counter; false when there is
 * something else in it. */
static bool
evaluate(struct counter *counter, nir_scalar s, nir_const_value *value)
{
   if (counter->patience == 0)
      return false;
   counter->patience--;
   s = nir_scalar_chase_movs(s);
   if (nir_scalar_is_const(s)) {
      *value = nir_scalar_as_const_value(s);
      return true;
   }
   if (s.def->parent_instr->type == nir_instr_type_phi) {
      if (!meet_counter(counter, nir_instr_as_phi(s.def->parent_instr)))
         return false;
      *value = counter->value;
      return true;
   }
   if (!nir_scalar_is_alu(s))
      return false;
   const nir_op op = nir_scalar_alu_op(s);
   const nir_op_info *info = &nir_op_infos[op];
   nir_const_value values[NIR_ALU_MAX_INPUTS], *sources[NIR_ALU_MAX_INPUTS];
   unsigned bits = s.def->bit_size;

   if (info->output_size)
      return false;
   for (unsigned i = 0; i < info->num_inputs; i++) {
      const nir_scalar from = nir_scalar_chase_alu_src(s, i);

      if (info->input_sizes[i] || !evaluate(counter, from, &values[i]))
         return false;
      sources[i] = &values[i];
      if (nir_alu_type_get_type_size(info->output_type))
         bits = from.def->bit_size;
   }
   memset(value, 0, sizeof(*value));
   nir_eval_const_opcode(op, value, 1, bits, sources, 0);
   return true;
}

/* Values of all turns together: what is longer is found out otherwise. */
#define COUNTING_PATIENCE 4096

/* The number of turns of a loop after which a condition has a value, or 0
 * when it is not known. */
static unsigned
count_turns(const nir_loop *loop, nir_def *condition, bool leaves)
{
   struct counter counter = { .loop = loop, .patience = COUNTING_PATIENCE };

   for (unsigned turns = 0;; turns++) {
      nir_const_value value;

      if (!evaluate(&counter, nir_get_scalar(condition, 0), &value))
         return 0;
      if (value.b == leaves)
         return turns;
      if (!counter.phi ||
          !evaluate(&counter, nir_get_scalar(counter.next, 0), &value))
         return 0;
      counter.value = value;
   }
}

/* The same, where one part of the condition is enough to leave the loop. */
static unsigned
count_turns_of_parts(const nir_loop *loop, nir_def *condition, bool leaves)
{
   const nir_alu_instr *alu =
      nir_src_as_alu_instr(nir_src_for_ssa(condition));

   if (!alu || alu->op != (leaves ? nir_op_ior : nir_op_iand))
      return count_turns(loop, condition, leaves);
   const unsigned a = count_turns_of_parts(loop, alu->src[0].src.ssa, leaves),
                  b = count_turns_of_parts(loop, alu->src[1].src.ssa, leaves);
   return a && b ? MIN2(a, b) : MAX2(a, b);
}

/* The loop analysis does not know them where there are other ways out, deep
 * in conditionals. */
unsigned
tegra20_most_turns(nir_loop *loop)
{
   if (loop->info->max_trip_count)
      return loop->info->max_trip_count;
   foreach_list_typed (nir_cf_node, node, node, &loop->body) {
      if (node->type != nir_cf_node_if)
         continue;
      nir_if *nif = nir_cf_node_as_if(node);
      const bool first = leaves_by_constants(&nif->then_list);

      if (first != leaves_by_constants(&nif->else_list) &&
          constant_parts(nif->condition.ssa))
         return count_turns_of_parts(loop, nif->condition.ssa, first);
   }
   return 0;
}

/*
 * Copies of their bodies without which loops are not exact: one for each turn
 * and one that leaves the loop, where nothing else but what a pixel computes
 * ends it.
 */
static unsigned
least_copies(nir_shader *nir)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   unsigned least = 0;

   nir_metadata_require(impl, nir_metadata_loop_analysis,
                        nir_var_function_temp, false);
   nir_foreach_block (block, impl) {
      nir_cf_node *node = nir_cf_node_next(&block->cf_node);
      if (!node || node->type != nir_cf_node_loop)
         continue;
      nir_loop *loop = nir_cf_node_as_loop(node);
      if (constant_exits(&loop->body) == 1)
         least = MAX2(least, tegra20_most_turns(loop) + 1);
   }
   return least;
}

/* To cut a loop whose length is a constant would be wrong for every pixel. */
static bool
may_be_cut(struct exec_list *list)
{
   foreach_list_typed (nir_cf_node, node, node, list) {
      if (node->type == nir_cf_node_loop) {
         struct exec_list *body = &nir_cf_node_as_loop(node)->body;
         if (!may_end_early(body) || !may_be_cut(body))
            return false;
      } else if (node->type == nir_cf_node_if) {
         nir_if *nif = nir_cf_node_as_if(node);
         if (!may_be_cut(&nif->then_list) || !may_be_cut(&nif->else_list))
            return false;
      }
   }
   return true;
}

/*
 * Cuts loops: with the most copies of their bodies that unrolling has room
 * for, and "fewer" steps less; the last copy only finds out that the loop has
 * ended.  False when there is no such step: the loops stay, and
 * the back end refuses the program.
 */
static bool
unroll_in_part(nir_shader *nir, unsigned fewer)
{
   static const unsigned steps[] = { 32, 20, 12, 8, 5 };

   for (unsigned i = 0; i < ARRAY_SIZE(steps); i++) {
      nir_shader *clone = nir_shader_clone(NULL, nir);

      if (fs_unroll_loops(clone, steps[i], false) == FS_LOOPS_CUT &&
          fewer-- == 0) {
         tegra20_optimize_nir(clone);
         nir_shader_replace(nir, clone);
         return true;
      }
      ralloc_free(clone);
   }
   return false;
}

/* Unrolls loops that are better drawn in rounds, for those who want one
 * program of a shader. */
static void
unroll_marked(nir_shader *nir)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   bool any = false;

   nir_metadata_require(impl, nir_metadata_loop_analysis, nir_var_all, true);
   nir_foreach_block (block, impl) {
      nir_cf_node *node = nir_cf_node_next(&block->cf_node);
      if (!node || node->type != nir_cf_node_loop)
         continue;
      nir_loop *loop = nir_cf_node_as_loop(node);
      if (loop->control == nir_loop_control_dont_unroll &&
          tegra20_may_unroll(loop)) {
         loop->control = nir_loop_control_unroll;
         any = true;
      }
   }
   if (any)
      tegra20_optimize_nir(nir);
}

bool
tegra20_unroll_loops(nir_shader *nir, unsigned fewer)
{
   static const unsigned steps[] = { 6, 24, 96, 384 };

   if (!fs_has_loops(nir) || fewer == TEGRA20_ALL_ROUNDS)
      return false;
   if (fewer != TEGRA20_ROUNDS)
      unroll_marked(nir);
   const bool exact = may_be_exact(&nir_shader_get_entrypoint(nir)->body);
   const unsigned least = exact ? least_copies(nir) : 0;
   for (unsigned i = 0; exact && i < ARRAY_SIZE(steps); i++) {
      if (steps[i] < least)
         continue;
      nir_shader *clone = nir_shader_clone(NULL, nir);
      const enum fs_loops_result result =
         fs_unroll_loops(clone, steps[i], fewer == TEGRA20_ROUNDS);

      if (result == FS_LOOPS_EXACT) {
         nir_shader_replace(nir, clone);
         return fewer == TEGRA20_ROUNDS;
      }
      ralloc_free(clone);
      if (result == FS_LOOPS_TOO_LARGE)
         break;
   }
   if (fewer == TEGRA20_ROUNDS)
      return false;
   return may_be_cut(&nir_shader_get_entrypoint(nir)->body) &&
          unroll_in_part(nir, fewer);
}

/* --- uniforms --- */

void
tegra20_find_loop_uniforms(const nir_shader *nir,
                           struct tegra20_control_uniforms *out)
{
   memset(out, 0, sizeof(*out));
   if (nir->info.stage == MESA_SHADER_FRAGMENT)
      find_uniforms(out, &nir_shader_get_entrypoint((nir_shader *)nir)->body,
                    false);
}

/*
 * Adds the uniforms that a condition depends on when it depends on nothing
 * else (parts of an "and" or an "or" count for themselves).
 */
static void
add_branch(struct tegra20_control_uniforms *out, nir_def *condition)
{
   nir_alu_instr *alu = nir_src_as_alu_instr(nir_src_for_ssa(condition));

   if (alu && condition->num_components == 1 &&
       (alu->op == nir_op_iand || alu->op == nir_op_ior ||
        alu->op == nir_op_inot)) {
      for (unsigned s = 0; s < nir_op_infos[alu->op].num_inputs; s++)
         add_branch(out, alu->src[s].src.ssa);
      return;
   }

   struct slice slice = { .visited = _mesa_pointer_hash_table_create(NULL),
                          .uniforms = *out,
                          .integers = true };
   visit(&slice, condition, nir_component_mask(condition->num_components));
   if (!slice.others)
      *out = slice.uniforms;
   _mesa_hash_table_destroy(slice.visited, NULL);
}

bool
tegra20_find_branch_uniforms(const nir_shader *nir,
                             struct tegra20_control_uniforms *out)
{
   const unsigned count = out->count;

   if (nir->info.stage != MESA_SHADER_FRAGMENT)
      return false;
   nir_foreach_block (block, nir_shader_get_entrypoint((nir_shader *)nir)) {
      nir_if *following = nir_block_get_following_if(block);
      nir_foreach_instr (instr, block) {
         if (instr->type == nir_instr_type_alu &&
             nir_instr_as_alu(instr)->op == nir_op_bcsel)
            add_branch(out, nir_instr_as_alu(instr)->src[0].src.ssa);
      }
      if (following)
         add_branch(out, following->condition.ssa);
   }
   return out->count > count;
}

struct inlining {
   const struct tegra20_control_uniforms *uniforms;
   const uint32_t *values;
};

static bool
inline_load(nir_builder *b, nir_intrinsic_instr *load, void *data)
{
   const struct inlining *inlining = data;
   nir_def *comps[NIR_MAX_VEC_COMPONENTS];
   bool any = false;

   if (load->intrinsic != nir_intrinsic_load_uniform ||
       !nir_src_is_const(load->src[0]))
      return false;
   b->cursor = nir_after_instr(&load->instr);
   for (unsigned c = 0; c < load->def.num_components; c++) {
      comps[c] = nir_channel(b, &load->def, c);
      for (unsigned i = 0; i < inlining->uniforms->count; i++) {
         if (inlining->uniforms->words[i] != first_word(load) + c)
            continue;
         /* Without integers in the chip, all uniforms are floats; to NIR an
          * integer still is one. */
         const float value = uif(inlining->values[i]);
         comps[c] = is_float_load(load) ? nir_imm_float(b, value)
                                        : nir_imm_int(b, (int)value);
         any = true;
      }
   }
   if (!any)
      return false;
   nir_def *vec = nir_vec(b, comps, load->def.num_components);
   nir_def_rewrite_uses_after(&load->def, vec, vec->parent_instr);
   return true;
}

void
tegra20_inline_uniforms(nir_shader *nir,
                        const struct tegra20_control_uniforms *uniforms,
                        const uint32_t *values)
{
   struct inlining inlining = { uniforms, values };

   NIR_PASS(_, nir, nir_shader_intrinsics_pass, inline_load,
            nir_metadata_control_flow, &inlining);
   tegra20_optimize_nir(nir);
}
