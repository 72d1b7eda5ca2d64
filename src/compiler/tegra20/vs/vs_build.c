/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * NIR to vertex IR.
 *
 * Each component of a NIR value is a reference to where it can be read: a
 * cell, a constant value, an attribute component, with absolute and negate.
 * Moves, swizzles, vector constructors and modifiers only make references;
 * code appears when an operation, a store or a mixture that no operand can
 * express asks for it.  Operations on constants alone never become code but
 * value nodes for the CPU.
 */

#include "vs_build.h"

static void
build_cf_list(struct builder *b, struct exec_list *list);

/* Begins the next block; falls is false behind an unconditional jump. */
static struct vs_block *
start_block(struct builder *b, struct vs_block *next, bool falls)
{
   if (falls)
      b->block->succ[0] = next->index;
   b->block = next;
   next->loop_depth = b->loop_depth;
   vsb_forget_block_state(b);
   return next;
}

static void
emit_jump(struct builder *b, struct vs_block *target)
{
   struct vs_op *op = vsb_emit(b, VS_OP_BRA, 0);

   op->target = target->index;
   b->block->succ[1] = target->index;
}

static bool
ends_with_jump(const struct vs_block *block)
{
   const unsigned count = vs_num_ops(block);
   return count && vs_get_op(block, count - 1)->opcode == VS_OP_BRA &&
          !vs_is_predicated(vs_get_op(block, count - 1));
}

static void
build_if(struct builder *b, nir_if *nif)
{
   const bool has_then = !nir_cf_list_is_empty_block(&nif->then_list);
   const bool has_else = !nir_cf_list_is_empty_block(&nif->else_list);
   if (!has_then && !has_else)
      return;

   const uint8_t comp = 0;
   uint8_t cell;
   const unsigned cond =
      vsb_get_condition(b, nif->condition.ssa, &comp, 1, &cell);
   struct vs_op *branch = vsb_emit(b, VS_OP_BRA, 0);
   struct vs_block *head = b->block;

   branch->cond = has_then ? 7 ^ cond : cond;
   branch->pred[0] = cell;

   struct vs_block *then_end = NULL;
   struct vs_op *over = NULL; /* jump over the else side */
   if (has_then) {
      start_block(b, vs_block_create(b->prog), true);
      build_cf_list(b, &nif->then_list);
      then_end = b->block;
   }

   if (has_else) {
      if (then_end && !ends_with_jump(then_end))
         over = vsb_emit(b, VS_OP_BRA, 0);
      struct vs_block *else_block = vs_block_create(b->prog);
      b->block = head;
      start_block(b, else_block, !has_then);
      if (has_then) {
         branch->target = else_block->index;
         head->succ[1] = else_block->index;
      }
      build_cf_list(b, &nif->else_list);
   }

   const bool falls = !ends_with_jump(b->block);
   struct vs_block *join = start_block(b, vs_block_create(b->prog), falls);
   if (branch->target == VS_NO_BLOCK) {
      branch->target = join->index;
      head->succ[1] = join->index;
   }
   if (over) {
      over->target = join->index;
      then_end->succ[1] = join->index;
   }
}

static void
build_loop(struct builder *b, nir_loop *loop)
{
   struct vs_block *outer_break = b->break_block,
                   *outer_continue = b->continue_block;

   b->prog->num_loops++;
   b->loop_depth++;
   struct vs_block *header = start_block(b, vs_block_create(b->prog), true);
   /* The block behind the loop gets its place in the order when the body is
    * complete. */
   struct vs_block *after = rzalloc(b->prog, struct vs_block);
   after->succ[0] = after->succ[1] = after->index = VS_NO_BLOCK;
   util_dynarray_init(&after->ops, after);
   util_dynarray_init(&after->insts, after);
   const unsigned first_block = header->index;

   b->break_block = after;
   b->continue_block = header;
   build_cf_list(b, &loop->body);
   if (!ends_with_jump(b->block))
      emit_jump(b, header);

   b->loop_depth--;
   after->index = vs_num_blocks(b->prog);
   util_dynarray_append(&b->prog->blocks, struct vs_block *, after);
   for (unsigned i = first_block; i < after->index; i++) {
      struct vs_block *block = vs_get_block(b->prog, i);
      const unsigned count = vs_num_ops(block);
      struct vs_op *last = count ? vs_get_op(block, count - 1) : NULL;
      if (last && last->opcode == VS_OP_BRA && last->target == VS_NO_BLOCK) {
         last->target = after->index;
         block->succ[1] = after->index;
      }
   }
   start_block(b, after, false);
   b->break_block = outer_break;
   b->continue_block = outer_continue;
}

static void
build_block(struct builder *b, nir_block *nblock)
{
   b->nir_block = nblock;
   nir_foreach_instr (instr, nblock) {
      b->instr = instr;
      switch (instr->type) {
      case nir_instr_type_alu:
         vsb_build_alu(b, nir_instr_as_alu(instr));
         break;
      case nir_instr_type_intrinsic:
         vsb_build_intrinsic(b, nir_instr_as_intrinsic(instr));
         break;
      case nir_instr_type_load_const: {
         const nir_load_const_instr *load = nir_instr_as_load_const(instr);
         for (unsigned i = 0;
              i < load->def.num_components && load->def.bit_size == 32; i++)
            vsb_def_refs(b, &load->def)[i] =
               vsb_ref_const(vs_value_imm(b->prog, load->value[i].f32));
         break;
      }
      case nir_instr_type_undef:
         break;
      case nir_instr_type_jump:
         if (nir_instr_as_jump(instr)->type == nir_jump_break)
            emit_jump(b, b->break_block);
         else if (nir_instr_as_jump(instr)->type == nir_jump_continue)
            emit_jump(b, b->continue_block);
         else
            vs_fail(b->prog, "vertex program has a jump that is neither "
                             "break nor continue");
         break;
      case nir_instr_type_tex:
         vs_fail(b->prog, "vertex program samples a texture: the chip has 0 "
                          "vertex texture units");
         break;
      default:
         vs_fail(b->prog,
                 "vertex program has a NIR instruction of unexpected type %u",
                 instr->type);
         break;
      }
   }
   b->instr = NULL;
}

static void
build_cf_list(struct builder *b, struct exec_list *list)
{
   foreach_list_typed (nir_cf_node, node, node, list) {
      switch (node->type) {
      case nir_cf_node_block:
         build_block(b, nir_cf_node_as_block(node));
         break;
      case nir_cf_node_if:
         build_if(b, nir_cf_node_as_if(node));
         break;
      case nir_cf_node_loop:
         build_loop(b, nir_cf_node_as_loop(node));
         break;
      default:
         unreachable("functions are inlined");
      }
   }
}

/* Position is export 0; the other outputs follow in the order of their slots.
 */
static void
assign_exports(struct builder *b, nir_shader *nir)
{
   uint64_t written = 0;
   unsigned count = 1;

   nir_foreach_block (block, nir_shader_get_entrypoint(nir)) {
      nir_foreach_instr (instr, block) {
         if (instr->type != nir_instr_type_intrinsic)
            continue;
         nir_intrinsic_instr *intr = nir_instr_as_intrinsic(instr);
         if (intr->intrinsic != nir_intrinsic_store_output)
            continue;
         const unsigned slot = nir_intrinsic_io_semantics(intr).location;
         if (slot >= 64)
            vs_fail(b->prog,
                    "vertex program writes output slot %u, which the chip "
                    "cannot pass on",
                    slot);
         else if (!vsb_is_ignored_output(slot))
            written |= BITFIELD64_BIT(slot);
      }
   }

   b->prog->exports_written = 1;
   b->prog->export_slot[0] = VARYING_SLOT_POS;
   u_foreach_bit64 (slot, written & ~VARYING_BIT_POS) {
      if (count < TEGRA20_MAX_EXPORTS) {
         b->export_of_slot[slot] = count;
         b->prog->export_slot[count] = slot;
         b->prog->exports_written |= 1 << count;
         if (slot == VARYING_SLOT_PSIZ)
            b->prog->psiz_export = count;
      }
      count++;
   }
   if (count > TEGRA20_MAX_EXPORTS)
      vs_fail(b->prog,
              "vertex program writes %u outputs with the position, the chip "
              "has %u",
              count, TEGRA20_MAX_EXPORTS);
}

void
vs_build(struct vs_program *prog, nir_shader *nir)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   struct builder b = { .prog = prog };

   util_dynarray_init(&b.moved, prog);
   util_dynarray_init(&b.addresses, prog);
   util_dynarray_init(&b.index_uses, prog);
   b.refs = rzalloc_array(prog, struct vs_ref, 4 * (impl->ssa_alloc + 1));
   b.block = vs_block_create(prog);
   assign_exports(&b, nir);
   vsb_collect_index_uses(&b, impl);
   if (!prog->error)
      build_cf_list(&b, &impl->body);
}
