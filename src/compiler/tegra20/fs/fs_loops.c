/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Loops that Mesa's unroller leaves: the number of their iterations is not a
 * constant, or they are left in ways that it does not follow.  The fragment
 * pipeline has no branches, so they become copies of their body, each inside
 * what the copy before decides:
 *
 *    loop {                        A
 *       A                          if (c) {
 *       if (c) break;       =>     } else {
 *       B                             B
 *    }                                A'
 *                                     if (c') {
 *                                     } else {
 *                                        B'
 *                                        ...
 *
 * Nesting (instead of one conditional after the other) keeps counters
 * constants in the copies, so that what is indexed by them needs no
 * selection.  First the body is brought into a form without jumps:
 *
 *    continue  what follows moves into the other branch, or, when that is not
 * all (the jump is deeper), under a condition on a flag, which the jump has
 * become break     the same; the place of the next copy, marked at the end of
 * the body, moves along
 *
 * Which copies are reachable the optimizer finds out.  The last one is
 * followed by a barrier, which has no meaning but that no pass removes it:
 * where it is gone afterwards, the loop ends in time on all paths.  Where it
 * is left inside a conditional, the number of iterations depends on the
 * pixel; where it is unconditional, the loop is too long for certain.
 *
 * Conditions that depend on uniforms only should never get here: the driver
 * makes them constants first (tegra20_find_loop_uniforms()).
 */

#include "compiler/nir/nir_builder.h"
#include "compiler/nir/nir_control_flow.h"
#include "util/hash_table.h"
#include "util/u_dynarray.h"

#include "fs_loops.h"
#include "tegra20_mesa.h"
#include "tegra20_nir.h"

/*
 * NIR instructions of a shader that unrolling may lead to before it is
 * optimized.  A program holds 64 packets of up to four operations; what is
 * far above that does not shrink to it, and optimizing it takes long.
 */
#define MAX_UNROLLED_SIZE 3072

/*
 * The same times how deep conditionals are nested then: NIR's passes walk up
 * from a block through all that it is in, so that is what their time grows
 * with.
 */
#define MAX_UNROLLED_WORK (64 * MAX_UNROLLED_SIZE)

struct unroller {
   nir_builder b;
   nir_jump_type type; /* of the jumps that are being removed */
   nir_def *flag;      /* register: such a jump was taken; NULL as long as no
                          condition asks for it */
};

/* --- jumps --- */

static bool
list_has_jump(struct exec_list *list, nir_jump_type type)
{
   foreach_list_typed (nir_cf_node, node, node, list) {
      if (node->type == nir_cf_node_if) {
         nir_if *nif = nir_cf_node_as_if(node);
         if (list_has_jump(&nif->then_list, type) ||
             list_has_jump(&nif->else_list, type))
            return true;
      } else if (node->type == nir_cf_node_block) {
         const nir_instr *last =
            nir_block_last_instr(nir_cf_node_as_block(node));
         if (last && last->type == nir_instr_type_jump &&
             nir_instr_as_jump((nir_instr *)last)->type == type)
            return true;
      }
   }
   return false;
}

static nir_block *
last_block(struct exec_list *list)
{
   return nir_cf_node_as_block(
      exec_node_data(nir_cf_node, exec_list_get_tail(list), node));
}

static bool
ends_with_jump(struct exec_list *list)
{
   return nir_block_ends_in_jump(last_block(list));
}

/* Moves what follows a conditional to a place inside of it or of another one.
 */
static void
move_rest(nir_if *nif, struct exec_list *list, nir_cursor to)
{
   nir_cf_list rest;

   nir_cf_extract(&rest, nir_after_cf_node(&nif->cf_node),
                  nir_after_cf_list(list));
   nir_cf_reinsert(&rest, to);
}

static void
remove_jumps(struct unroller *u, struct exec_list *list);

static void
remove_jumps_of_if(struct unroller *u, nir_if *nif, struct exec_list *list)
{
   struct exec_list *then_list = &nif->then_list,
                    *else_list = &nif->else_list;

   if (ends_with_jump(then_list) && !ends_with_jump(else_list)) {
      move_rest(nif, list, nir_after_cf_list(else_list));
   } else if (ends_with_jump(else_list) && !ends_with_jump(then_list)) {
      move_rest(nif, list, nir_after_cf_list(then_list));
   } else if (!ends_with_jump(then_list)) {
      if (!u->flag)
         u->flag = nir_decl_reg(&u->b, 1, 1, 0);
      nir_cf_list rest;
      nir_cf_extract(&rest, nir_after_cf_node(&nif->cf_node),
                     nir_after_cf_list(list));
      u->b.cursor = nir_after_cf_node(&nif->cf_node);
      nir_if *guard =
         nir_push_if(&u->b, nir_inot(&u->b, nir_load_reg(&u->b, u->flag)));
      nir_pop_if(&u->b, guard);
      nir_cf_reinsert(&rest, nir_before_cf_list(&guard->then_list));
      remove_jumps(u, &guard->then_list);
   }
   remove_jumps(u, then_list);
   remove_jumps(u, else_list);
}

/* Removes the jumps of u->type from a list of nodes; those of the other type
 * stay. */
static void
remove_jumps(struct unroller *u, struct exec_list *list)
{
   foreach_list_typed_safe (nir_cf_node, node, node, list) {
      if (node->type == nir_cf_node_if) {
         nir_if *nif = nir_cf_node_as_if(node);
         if (list_has_jump(&nif->then_list, u->type) ||
             list_has_jump(&nif->else_list, u->type)) {
            remove_jumps_of_if(u, nif, list);
            return; /* what follows was moved, and looked at there */
         }
      } else if (node->type == nir_cf_node_block) {
         nir_instr *last = nir_block_last_instr(nir_cf_node_as_block(node));
         if (last && last->type == nir_instr_type_jump &&
             nir_instr_as_jump(last)->type == u->type) {
            nir_instr_remove(last);
            u->b.cursor = nir_after_block(nir_cf_node_as_block(node));
            /* whether anybody asks is known at the end only; what nobody
             * reads disappears */
            if (!u->flag)
               u->flag = nir_decl_reg(&u->b, 1, 1, 0);
            nir_store_reg(&u->b, nir_imm_true(&u->b), u->flag);
         }
      }
   }
}

/* Values cross the borders of the body, and the places where jumps were, in
 * registers. */
static void
lower_phis(nir_loop *loop)
{
   nir_convert_loop_to_lcssa(loop);
   nir_foreach_block_in_cf_node (block, &loop->cf_node)
      nir_lower_phis_to_regs_block(block);
   nir_lower_phis_to_regs_block(
      nir_cf_node_as_block(nir_cf_node_next(&loop->cf_node)));
}

static void
remove_jumps_of_type(struct unroller *u, nir_loop *loop, nir_jump_type type)
{
   u->type = type;
   u->flag = NULL;
   remove_jumps(u, &loop->body);
   if (u->flag) {
      u->b.cursor = nir_before_cf_list(&loop->body);
      nir_store_reg(&u->b, nir_imm_false(&u->b), u->flag);
   }
}

/* --- copies --- */

/* How many copies of its body a loop becomes.  Of one whose length is a
 * constant, no more than that would be left when they are optimized. */
static unsigned
num_copies(const nir_loop *loop, unsigned iterations)
{
   const unsigned trips = loop->info ? loop->info->max_trip_count : 0;

   return trips ? MIN2(trips + 1, iterations) : iterations;
}

/*
 * Instructions of a list of nodes.  With a number of iterations: of the
 * copies that the loops become, also those inside of loops, whose length may
 * turn out to be less in the copies only where it is no constant now: these
 * count once.
 */
static unsigned
count_instructions(struct exec_list *list, unsigned iterations, bool in_loop)
{
   unsigned count = 0;

   foreach_list_typed (nir_cf_node, node, node, list) {
      if (node->type == nir_cf_node_if) {
         nir_if *nif = nir_cf_node_as_if(node);
         count += count_instructions(&nif->then_list, iterations, in_loop) +
                  count_instructions(&nif->else_list, iterations, in_loop);
      } else if (node->type == nir_cf_node_loop) {
         nir_loop *loop = nir_cf_node_as_loop(node);
         const bool known = loop->info && loop->info->max_trip_count;
         const unsigned body =
            count_instructions(&loop->body, iterations, true);

         count += in_loop && !known
                     ? body
                     : MIN2(num_copies(loop, iterations) * body,
                            MAX_UNROLLED_SIZE + 1);
      } else {
         count += exec_list_length(&nir_cf_node_as_block(node)->instr_list);
      }
   }
   return count;
}

static unsigned
nesting_of(const nir_cf_node *node)
{
   unsigned nesting = 0;

   for (; node->parent; node = node->parent)
      nesting++;
   return nesting;
}

/*
 * Whether the copies of these outermost loops are more than what can be
 * optimized in a time that nobody notices.  Optimizing them is what takes
 * time, so this has to be known before; what is only estimated here is known
 * exactly when the loops inside get their turn.
 */
static bool
is_too_large(nir_function_impl *impl, const struct util_dynarray *loops,
             unsigned iterations)
{
   unsigned nesting = 0;

   nir_metadata_require(impl, nir_metadata_loop_analysis,
                        nir_var_function_temp, false);
   util_dynarray_foreach (loops, nir_loop *, loop)
      nesting = MAX2(nesting, nesting_of(&(*loop)->cf_node));
   const unsigned size = count_instructions(&impl->body, iterations, false);

   return size > MAX_UNROLLED_SIZE ||
          size * (nesting + iterations) > MAX_UNROLLED_WORK;
}

static void
build_copies(struct unroller *u, nir_loop *loop, nir_def *next,
             unsigned count)
{
   nir_cf_list body;
   nir_cursor cursor = nir_before_cf_node(&loop->cf_node);

   nir_cf_list_extract(&body, &loop->body);
   for (unsigned i = 0; i < count; i++) {
      struct hash_table *copies = _mesa_pointer_hash_table_create(NULL);

      nir_cf_list_clone_and_reinsert(&body, loop->cf_node.parent, cursor,
                                     copies);
      const nir_def *place = _mesa_hash_table_search(copies, next)->data;
      cursor = nir_before_instr(place->parent_instr);
      _mesa_hash_table_destroy(copies, NULL);
   }
   u->b.cursor = cursor;
   nir_barrier(&u->b, SCOPE_NONE, SCOPE_NONE, 0, 0);
   nir_cf_node_remove(&loop->cf_node);
   nir_cf_delete(&body);
}

nir_def *
fs_remove_jumps(nir_function_impl *impl, nir_loop *loop)
{
   struct unroller u = { .b = nir_builder_create(impl) };

   remove_jumps_of_type(&u, loop, nir_jump_continue);
   u.b.cursor = nir_after_cf_list(&loop->body);
   if (ends_with_jump(&loop->body))
      u.b.cursor =
         nir_before_instr(nir_block_last_instr(last_block(&loop->body)));
   nir_def *next =
      nir_imm_false(&u.b); /* nobody reads it: the place counts */
   remove_jumps_of_type(&u, loop, nir_jump_break);
   return next;
}

static void
unroll_loop(nir_function_impl *impl, nir_loop *loop, unsigned iterations)
{
   struct unroller u = { .b = nir_builder_create(impl) };

   const unsigned copies = num_copies(loop, iterations);

   lower_phis(loop);
   build_copies(&u, loop, fs_remove_jumps(impl, loop), copies);
   nir_metadata_preserve(impl, nir_metadata_none);
   nir_repair_ssa_impl(impl);
   nir_lower_reg_intrinsics_to_ssa_impl(impl);
}

/* Appends the loops that are in no other one; keep: but for marked ones. */
static void
find_loops(struct exec_list *list, bool keep, struct util_dynarray *loops)
{
   foreach_list_typed (nir_cf_node, node, node, list) {
      if (node->type == nir_cf_node_loop) {
         nir_loop *loop = nir_cf_node_as_loop(node);
         if (!keep || loop->control != nir_loop_control_dont_unroll)
            util_dynarray_append(loops, nir_loop *, loop);
      } else if (node->type == nir_cf_node_if) {
         find_loops(&nir_cf_node_as_if(node)->then_list, keep, loops);
         find_loops(&nir_cf_node_as_if(node)->else_list, keep, loops);
      }
   }
}

static bool
is_barrier(const nir_instr *instr)
{
   return instr->type == nir_instr_type_intrinsic &&
          nir_instr_as_intrinsic((nir_instr *)instr)->intrinsic ==
             nir_intrinsic_barrier;
}

/* Takes the barriers away again. */
static enum fs_loops_result
find_cuts(nir_function_impl *impl)
{
   enum fs_loops_result result = FS_LOOPS_EXACT;

   nir_foreach_block (block, impl) {
      nir_foreach_instr_safe (instr, block) {
         if (!is_barrier(instr))
            continue;
         if (block->cf_node.parent == &impl->cf_node)
            result = FS_LOOPS_TOO_LONG;
         else if (result == FS_LOOPS_EXACT)
            result = FS_LOOPS_CUT;
         nir_instr_remove(instr);
      }
   }
   return result;
}

bool
fs_contains_loop(const struct exec_list *list)
{
   foreach_list_typed (nir_cf_node, node, node, list) {
      if (node->type == nir_cf_node_loop)
         return true;
      if (node->type == nir_cf_node_if) {
         const nir_if *nif = nir_cf_node_as_if(node);
         if (fs_contains_loop(&nif->then_list) ||
             fs_contains_loop(&nif->else_list))
            return true;
      }
   }
   return false;
}

bool
fs_has_loops(const nir_shader *nir)
{
   nir_foreach_block (block, nir_shader_get_entrypoint((nir_shader *)nir)) {
      if (block->cf_node.parent->type == nir_cf_node_loop)
         return true;
   }
   return false;
}

enum fs_loops_result
fs_unroll_loops(nir_shader *nir, unsigned iterations, bool keep)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   struct util_dynarray loops;
   bool too_large = false;

   util_dynarray_init(&loops, NULL);
   find_loops(&impl->body, keep, &loops);
   while (loops.size && !too_large) {
      too_large = is_too_large(impl, &loops, iterations);
      if (!too_large) {
         util_dynarray_foreach (&loops, nir_loop *, loop)
            unroll_loop(impl, *loop, iterations);
         tegra20_optimize_nir(nir);
      }
      util_dynarray_clear(&loops);
      find_loops(&impl->body, keep, &loops);
   }
   util_dynarray_fini(&loops);
   return too_large ? FS_LOOPS_TOO_LARGE : find_cuts(impl);
}
