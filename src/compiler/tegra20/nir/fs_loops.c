/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Jumps of a loop become conditions, so that its body can be moved:
 *
 *    continue   The code behind it moves into the other branch.  Where the
 *               jump is deeper, code behind the outer conditionals goes under
 *               a condition on a flag, which the jump has become.
 *    break      The same.  The place where the next iteration begins, marked
 *               at the end of the body, moves along.
 */

#include "compiler/nir/nir_builder.h"
#include "compiler/nir/nir_control_flow.h"

#include "fs_loops.h"

struct jump_remover {
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

/* Moves the code behind a conditional to a place inside of it or of another
 * one. */
static void
move_rest(nir_if *nif, struct exec_list *list, nir_cursor to)
{
   nir_cf_list rest;

   nir_cf_extract(&rest, nir_after_cf_node(&nif->cf_node),
                  nir_after_cf_list(list));
   nir_cf_reinsert(&rest, to);
}

static void
remove_jumps(struct jump_remover *r, struct exec_list *list);

static void
remove_jumps_of_if(struct jump_remover *r, nir_if *nif,
                   struct exec_list *list)
{
   struct exec_list *then_list = &nif->then_list,
                    *else_list = &nif->else_list;

   if (ends_with_jump(then_list) && !ends_with_jump(else_list)) {
      move_rest(nif, list, nir_after_cf_list(else_list));
   } else if (ends_with_jump(else_list) && !ends_with_jump(then_list)) {
      move_rest(nif, list, nir_after_cf_list(then_list));
   } else if (!ends_with_jump(then_list)) {
      if (!r->flag)
         r->flag = nir_decl_reg(&r->b, 1, 1, 0);
      nir_cf_list rest;
      nir_cf_extract(&rest, nir_after_cf_node(&nif->cf_node),
                     nir_after_cf_list(list));
      r->b.cursor = nir_after_cf_node(&nif->cf_node);
      nir_if *guard =
         nir_push_if(&r->b, nir_inot(&r->b, nir_load_reg(&r->b, r->flag)));
      nir_pop_if(&r->b, guard);
      nir_cf_reinsert(&rest, nir_before_cf_list(&guard->then_list));
      remove_jumps(r, &guard->then_list);
   }
   remove_jumps(r, then_list);
   remove_jumps(r, else_list);
}

/* Removes the jumps of r->type from a list of nodes; those of the other type
 * stay. */
static void
remove_jumps(struct jump_remover *r, struct exec_list *list)
{
   foreach_list_typed_safe (nir_cf_node, node, node, list) {
      if (node->type == nir_cf_node_if) {
         nir_if *nif = nir_cf_node_as_if(node);
         if (list_has_jump(&nif->then_list, r->type) ||
             list_has_jump(&nif->else_list, r->type)) {
            remove_jumps_of_if(r, nif, list);
            return; /* the code behind it was moved, and visited there */
         }
      } else if (node->type == nir_cf_node_block) {
         nir_instr *last = nir_block_last_instr(nir_cf_node_as_block(node));
         if (last && last->type == nir_instr_type_jump &&
             nir_instr_as_jump(last)->type == r->type) {
            nir_instr_remove(last);
            r->b.cursor = nir_after_block(nir_cf_node_as_block(node));
            /* its users are known at the end only; dead code elimination
             * removes unused ones */
            if (!r->flag)
               r->flag = nir_decl_reg(&r->b, 1, 1, 0);
            nir_store_reg(&r->b, nir_imm_true(&r->b), r->flag);
         }
      }
   }
}

static void
remove_jumps_of_type(struct jump_remover *r, nir_loop *loop,
                     nir_jump_type type)
{
   r->type = type;
   r->flag = NULL;
   remove_jumps(r, &loop->body);
   if (r->flag) {
      r->b.cursor = nir_before_cf_list(&loop->body);
      nir_store_reg(&r->b, nir_imm_false(&r->b), r->flag);
   }
}

nir_def *
fs_remove_jumps(nir_function_impl *impl, nir_loop *loop)
{
   struct jump_remover r = { .b = nir_builder_create(impl) };

   remove_jumps_of_type(&r, loop, nir_jump_continue);
   r.b.cursor = nir_after_cf_list(&loop->body);
   if (ends_with_jump(&loop->body))
      r.b.cursor =
         nir_before_instr(nir_block_last_instr(last_block(&loop->body)));
   nir_def *next = nir_imm_false(&r.b); /* unused: only the place counts */
   remove_jumps_of_type(&r, loop, nir_jump_break);
   return next;
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
