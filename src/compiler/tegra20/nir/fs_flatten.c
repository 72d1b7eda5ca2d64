/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The fragment pipeline has no branches: both sides of a conditional are
 * executed and the results selected.
 *
 * Everything may be executed speculatively but discards, whose condition is
 * extended by the branch's, and stores of outputs, which the shared lowering
 * has moved to the end of the program.
 */

#include "compiler/nir/nir_builder.h"
#include "fs_flatten.h"

#include "tegra20_mesa.h"

static nir_def *
guard(nir_builder *b, nir_def *condition, nir_intrinsic_instr *intr)
{
   switch (intr->intrinsic) {
   case nir_intrinsic_terminate:
   case nir_intrinsic_demote:
      return condition;
   default:
      return nir_iand(b, condition, intr->src[0].ssa);
   }
}

static bool
is_discard(const nir_instr *instr)
{
   if (instr->type != nir_instr_type_intrinsic)
      return false;
   switch (nir_instr_as_intrinsic((nir_instr *)instr)->intrinsic) {
   case nir_intrinsic_terminate:
   case nir_intrinsic_terminate_if:
   case nir_intrinsic_demote:
   case nir_intrinsic_demote_if:
      return true;
   default:
      return false;
   }
}

static bool
may_be_moved(const nir_instr *instr)
{
   if (instr->type == nir_instr_type_jump)
      return false;
   return instr->type != nir_instr_type_intrinsic ||
          nir_instr_as_intrinsic((nir_instr *)instr)->intrinsic !=
             nir_intrinsic_store_output;
}

static bool
side_can_be_flattened(struct exec_list *side)
{
   if (!exec_list_is_singular(side))
      return false;
   nir_block *block = nir_cf_node_as_block(
      exec_node_data(nir_cf_node, exec_list_get_head(side), node));
   nir_foreach_instr (instr, block) {
      if (!may_be_moved(instr))
         return false;
   }
   return true;
}

/* Moves the instructions of one side in front of the conditional. */
static void
hoist_side(nir_builder *b, nir_block *side, nir_def *condition)
{
   nir_foreach_instr_safe (instr, side) {
      if (is_discard(instr)) {
         nir_intrinsic_instr *intr = nir_instr_as_intrinsic(instr);
         nir_terminate_if(b, guard(b, condition, intr));
         nir_instr_remove(instr);
         continue;
      }
      nir_instr_remove(instr);
      nir_builder_instr_insert(b, instr);
   }
}

static bool
flatten_if(nir_builder *b, nir_if *nif)
{
   if (!side_can_be_flattened(&nif->then_list) ||
       !side_can_be_flattened(&nif->else_list))
      return false;

   nir_def *condition = nif->condition.ssa;
   b->cursor = nir_before_cf_node(&nif->cf_node);
   hoist_side(b, nir_if_first_then_block(nif), condition);
   hoist_side(b, nir_if_first_else_block(nif), nir_inot(b, condition));

   nir_block *after = nir_cf_node_as_block(nir_cf_node_next(&nif->cf_node));
   nir_foreach_phi_safe (phi, after) {
      nir_def *then_value = NULL, *else_value = NULL;
      nir_foreach_phi_src (src, phi) {
         if (src->pred == nir_if_last_then_block(nif))
            then_value = src->src.ssa;
         else
            else_value = src->src.ssa;
      }
      nir_def *selected = nir_bcsel(b, condition, then_value, else_value);
      nir_def_rewrite_uses(&phi->def, selected);
      nir_instr_remove(&phi->instr);
   }
   nir_cf_node_remove(&nif->cf_node);
   return true;
}

/* Flattens one conditional, innermost first.  Blocks merge when it
 * disappears, so the caller starts again. */
static bool
flatten_one(nir_builder *b, struct exec_list *list)
{
   foreach_list_typed (nir_cf_node, node, node, list) {
      if (node->type == nir_cf_node_if) {
         nir_if *nif = nir_cf_node_as_if(node);
         if (flatten_one(b, &nif->then_list) ||
             flatten_one(b, &nif->else_list) || flatten_if(b, nif))
            return true;
      } else if (node->type == nir_cf_node_loop) {
         if (flatten_one(b, &nir_cf_node_as_loop(node)->body))
            return true;
      }
   }
   return false;
}

bool
fs_flatten(nir_shader *nir)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   nir_builder b = nir_builder_create(impl);
   bool progress = false;

   while (flatten_one(&b, &impl->body))
      progress = true;
   nir_metadata_preserve(impl,
                         progress ? nir_metadata_none : nir_metadata_all);
   return progress;
}
