/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Finds the uniforms that the control flow of fragment programs depends on.
 *
 * A loop whose number of iterations depends on uniforms becomes one with a
 * constant number when the driver compiles the program for their values.
 *
 * Conditionals compute both branches and select.  When that does not fit, and
 * the conditions are integer or boolean uniforms, the driver compiles one
 * branch for the values of these uniforms instead.
 */

#include "compiler/nir/nir_builder.h"
#include "util/hash_table.h"
#include "util/ralloc.h"

#include "tegra20_compiler.h"
#include "tegra20_nir.h"

/* --- dependences of conditions --- */

/* Dependences of a condition. */
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

/* Adds the uniforms of a condition, or of the parts of it, that depend on
 * nothing else; integers: on no floats, either. */
static void
add_condition(struct tegra20_control_uniforms *out, nir_def *condition,
              bool integers)
{
   nir_alu_instr *alu = nir_src_as_alu_instr(nir_src_for_ssa(condition));

   if (alu && condition->num_components == 1 &&
       (alu->op == nir_op_iand || alu->op == nir_op_ior ||
        alu->op == nir_op_inot)) {
      for (unsigned s = 0; s < nir_op_infos[alu->op].num_inputs; s++)
         add_condition(out, alu->src[s].src.ssa, integers);
      return;
   }

   struct slice slice = { .visited = _mesa_pointer_hash_table_create(NULL),
                          .uniforms = *out,
                          .integers = integers };
   visit(&slice, condition, nir_component_mask(condition->num_components));
   if (!slice.others)
      *out = slice.uniforms;
   _mesa_hash_table_destroy(slice.visited, NULL);
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

/* Adds the dependences of the ends of loops. */
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
            add_condition(out, nif->condition.ssa, false);
         find_uniforms(out, &nif->then_list, in_loop);
         find_uniforms(out, &nif->else_list, in_loop);
      }
   }
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
            add_condition(out, nir_instr_as_alu(instr)->src[0].src.ssa, true);
      }
      if (following)
         add_condition(out, following->condition.ssa, true);
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
