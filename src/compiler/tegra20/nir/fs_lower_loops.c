/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Loops that are not unrolled.  The chip has no branches, so an iteration of
 * such a loop is a pass of its own, which is drawn until no fragment is
 * active.  Surfaces carry the loop's variables from one iteration to the
 * next.
 *
 * Here the shader becomes code without loops, in which barriers mark the
 * beginnings and ends of loops:
 *
 *    A                      A, store x, y
 *    loop {                 barrier
 *       B(x, y)       =>    load x, y; B; store x, y, whether it goes on
 *    }                      barrier
 *    C                      load x, y; C
 *
 * multipass/tegra20_cut.c makes programs of the segments between barriers.
 * The steps:
 *
 *    discard      becomes a flag, tested at the end; it ends the loops
 *    invariants   move in front of the loop
 *    jumps        become conditions (fs_loops.c) and a flag "active", which
 *                 is set where the next iteration would begin
 *    conditionals around loops are split: loops stand beside them, with the
 *                 condition inside
 *    loops in loops become one: an iteration of the outer loop does the first
 *                 part of its body when no inner loop is active, then an
 *                 iteration of the active inner loop, and the next part of
 *                 the body when that has ended
 *    values       that cross a barrier in a register are stored in front of
 *                 it and loaded behind it
 */

#include "compiler/nir/nir_builder.h"
#include "compiler/nir/nir_control_flow.h"
#include "util/hash_table.h"
#include "util/set.h"
#include "util/ralloc.h"
#include "util/u_dynarray.h"

#include "fs_loops.h"
#include "fs_lower_loops.h"
#include "tegra20_mesa.h"

struct loop_lowering {
   nir_builder b;
   nir_function_impl *impl;
   nir_def *killed;           /* register; NULL: the program never discards */
   struct hash_table *active; /* nir_loop -> register: another iteration */
   void *mem_ctx;
   nir_instr **barriers;  /* two per loop */
   nir_def **loop_active; /* registers */
   unsigned num_loops;
};

static nir_def *
decl_flag(struct loop_lowering *r)
{
   return nir_decl_reg(&r->b, 1, 1, 0);
}

static nir_def *
load_flag(struct loop_lowering *r, nir_def *flag)
{
   return nir_load_reg(&r->b, flag);
}

static void
store_flag(struct loop_lowering *r, nir_def *flag, bool value)
{
   nir_store_reg(&r->b, nir_imm_bool(&r->b, value), flag);
}

static nir_def *
active_flag(struct loop_lowering *r, const nir_loop *loop)
{
   return _mesa_hash_table_search(r->active, loop)->data;
}

/* --- discards --- */

static nir_def *
discard_condition(nir_builder *b, const nir_intrinsic_instr *intr)
{
   switch (intr->intrinsic) {
   case nir_intrinsic_terminate:
   case nir_intrinsic_demote:
      return nir_imm_true(b);
   case nir_intrinsic_terminate_if:
   case nir_intrinsic_demote_if:
      return intr->src[0].ssa;
   default:
      return NULL;
   }
}

static bool
flag_discard(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   struct loop_lowering *r = data;

   b->cursor = nir_before_instr(&intr->instr);
   nir_def *condition = discard_condition(b, intr);
   if (!condition)
      return false;
   if (!r->killed) {
      r->killed = decl_flag(r);
      r->b.cursor = nir_after_instr(r->killed->parent_instr);
      store_flag(r, r->killed, false);
   }
   nir_store_reg(b, nir_ior(b, nir_load_reg(b, r->killed), condition),
                 r->killed);
   nir_instr_remove(&intr->instr);
   return true;
}

static void
flag_discards(struct loop_lowering *r, nir_shader *nir)
{
   nir_shader_intrinsics_pass(nir, flag_discard, nir_metadata_control_flow,
                              r);
   if (!r->killed)
      return;
   r->b.cursor = nir_after_impl(r->impl);
   nir_terminate_if(&r->b, load_flag(r, r->killed));
}

/* --- invariants --- */

static bool
is_outermost(const nir_block *block)
{
   return block->cf_node.parent->type == nir_cf_node_function;
}

static bool
source_is_outermost(nir_src *src, void *data)
{
   return is_outermost(src->ssa->parent_instr->block);
}

/* Something that is the same wherever it is computed. */
static bool
may_move(nir_instr *instr)
{
   switch (instr->type) {
   case nir_instr_type_alu:
   case nir_instr_type_load_const:
   case nir_instr_type_undef:
   case nir_instr_type_tex:
      return true;
   case nir_instr_type_intrinsic: {
      const nir_intrinsic_instr *intr = nir_instr_as_intrinsic(instr);
      return nir_intrinsic_can_reorder((nir_intrinsic_instr *)intr) &&
             nir_intrinsic_infos[intr->intrinsic].has_dest;
   }
   default:
      return false;
   }
}

/* The block in front of all conditionals and loops around another one. */
static nir_block *
block_in_front(nir_block *block)
{
   nir_cf_node *node = &block->cf_node;

   while (node->parent->type != nir_cf_node_function)
      node = node->parent;
   return nir_cf_node_as_block(nir_cf_node_prev(node));
}

static void
move_invariants(nir_function_impl *impl)
{
   nir_foreach_block (block, impl) {
      if (is_outermost(block))
         continue;
      nir_foreach_instr_safe (instr, block) {
         if (may_move(instr) &&
             nir_foreach_src(instr, source_is_outermost, NULL))
            nir_instr_move(nir_after_block(block_in_front(block)), instr);
      }
   }
}

/* --- registers --- */

/* Values that leave blocks of loops and conditionals go through registers, so
 * that they can be put elsewhere. */
static void
use_registers(nir_shader *nir, nir_function_impl *impl)
{
   nir_convert_from_ssa(nir, true, false);
   nir_foreach_block (block, impl) {
      if (!is_outermost(block))
         nir_lower_ssa_defs_to_regs_block(block);
   }
}

/* --- form of loops --- */

static nir_loop *
first_loop(struct exec_list *list)
{
   foreach_list_typed (nir_cf_node, node, node, list) {
      if (node->type == nir_cf_node_loop)
         return nir_cf_node_as_loop(node);
   }
   return NULL;
}

static nir_loop *
next_loop(nir_loop *loop)
{
   for (nir_cf_node *node = nir_cf_node_next(&loop->cf_node); node;
        node = nir_cf_node_next(node)) {
      if (node->type == nir_cf_node_loop)
         return nir_cf_node_as_loop(node);
   }
   return NULL;
}

static void
move_code(nir_cursor begin, nir_cursor end, nir_cursor to)
{
   nir_cf_list list;

   nir_cf_extract(&list, begin, end);
   nir_cf_reinsert(&list, to);
}

/* An empty conditional at the cursor. */
static nir_if *
build_if(struct loop_lowering *r, nir_def *condition)
{
   nir_if *nif = nir_push_if(&r->b, condition);
   nir_pop_if(&r->b, nif);
   return nif;
}

static nir_def *
condition_of_side(struct loop_lowering *r, nir_def *flag, bool then)
{
   nir_def *value = load_flag(r, flag);
   return then ? value : nir_inot(&r->b, value);
}

/* A loop without jumps that ends at once where the condition does not hold.
 */
static void
guard_loop(struct loop_lowering *r, nir_loop *loop, nir_def *flag, bool then)
{
   nir_cf_list body;

   nir_cf_list_extract(&body, &loop->body);
   r->b.cursor = nir_before_cf_list(&loop->body);
   store_flag(r, active_flag(r, loop), false);
   nir_if *nif = build_if(r, condition_of_side(r, flag, then));
   nir_cf_reinsert(&body, nir_before_cf_list(&nif->then_list));
}

/* Loops of one side of a conditional, and the code behind them there, move
 * behind the conditional. */
static void
split_side(struct loop_lowering *r, nir_if *nif, bool then, nir_def *flag,
           bool side)
{
   struct exec_list *list = then ? &nif->then_list : &nif->else_list;
   nir_loop *loop = first_loop(list);

   if (!loop)
      return;
   r->b.cursor = nir_after_cf_node(&nif->cf_node);
   nir_instr *end = nir_imm_false(&r->b)->parent_instr;
   move_code(nir_before_cf_node(&loop->cf_node), nir_after_cf_list(list),
             nir_before_instr(end));
   guard_loop(r, loop, flag, side);
   r->b.cursor = nir_after_cf_node(&loop->cf_node);
   nir_if *rest = build_if(r, condition_of_side(r, flag, side));
   move_code(nir_after_cf_node(&rest->cf_node), nir_before_instr(end),
             nir_before_cf_list(&rest->then_list));
   nir_instr_remove(end);
   split_side(r, rest, true, flag, side);
}

static void
form_loop(struct loop_lowering *r, nir_loop *loop);

static bool
lift_loops(struct loop_lowering *r, struct exec_list *list);

/* Does something about the first loop of a list that is not in its final form
 * and place. */
static bool
lift_one(struct loop_lowering *r, nir_cf_node *node)
{
   if (node->type == nir_cf_node_loop) {
      if (_mesa_hash_table_search(r->active, node))
         return false;
      form_loop(r, nir_cf_node_as_loop(node));
      return true;
   }
   if (node->type != nir_cf_node_if)
      return false;
   nir_if *nif = nir_cf_node_as_if(node);
   if (!fs_contains_loop(&nif->then_list) &&
       !fs_contains_loop(&nif->else_list))
      return false;
   lift_loops(r, &nif->then_list);
   lift_loops(r, &nif->else_list);
   nir_def *flag = decl_flag(r);
   r->b.cursor = nir_before_cf_node(node);
   nir_store_reg(&r->b, nif->condition.ssa, flag);
   split_side(r, nif, false, flag, false);
   split_side(r, nif, true, flag, true);
   return true;
}

/* All loops of a list are beside each other, in their final form. */
static bool
lift_loops(struct loop_lowering *r, struct exec_list *list)
{
   foreach_list_typed (nir_cf_node, node, node, list) {
      if (lift_one(r, node))
         return lift_loops(r, list); /* blocks were split and merged */
   }
   return false;
}

/* Is a loop of the list under way? */
static nir_def *
any_active(struct loop_lowering *r, nir_def **flags, unsigned count)
{
   nir_def *any = nir_imm_false(&r->b);

   for (unsigned i = 0; i < count; i++)
      any = nir_ior(&r->b, any, load_flag(r, flags[i]));
   return any;
}

/* Makes an iteration of an inner loop a conditional.  The code behind the
 * loop, up to the next one, is a part of the loop's last iteration. */
static void
merge_loop(struct loop_lowering *r, nir_loop *outer, nir_loop *loop,
           nir_loop *next)
{
   nir_def *active = active_flag(r, loop);
   nir_cf_list body;

   nir_cf_list_extract(&body, &loop->body);
   r->b.cursor = nir_before_cf_node(&loop->cf_node);
   nir_if *iteration = build_if(r, load_flag(r, active));
   nir_cf_reinsert(&body, nir_before_cf_list(&iteration->then_list));
   r->b.cursor = nir_after_cf_list(&iteration->then_list);
   nir_if *after = build_if(r, nir_inot(&r->b, load_flag(r, active)));
   move_code(nir_after_cf_node(&loop->cf_node),
             next ? nir_before_cf_node(&next->cf_node)
                  : nir_after_cf_list(&outer->body),
             nir_before_cf_list(&after->then_list));
   if (next) {
      r->b.cursor = nir_after_cf_list(&after->then_list);
      store_flag(r, active_flag(r, next), true);
   }
   nir_cf_node_remove(&loop->cf_node);
}

/* A loop and the loops in it become one. */
static void
merge_loops(struct loop_lowering *r, nir_loop *outer, nir_def *outer_active)
{
   nir_loop *loop = first_loop(&outer->body);
   struct util_dynarray flags;

   if (!loop)
      return;
   util_dynarray_init(&flags, NULL);
   for (nir_loop *l = loop; l; l = next_loop(l)) {
      nir_def *flag = active_flag(r, l);
      util_dynarray_append(&flags, nir_def *, flag);
      r->b.cursor = nir_after_instr(flag->parent_instr);
      store_flag(r, flag, false);
   }
   nir_def **active = util_dynarray_begin(&flags);
   const unsigned count = util_dynarray_num_elements(&flags, nir_def *);

   r->b.cursor = nir_before_cf_list(&outer->body);
   nir_if *first = build_if(r, nir_inot(&r->b, any_active(r, active, count)));
   move_code(nir_after_cf_node(&first->cf_node),
             nir_before_cf_node(&loop->cf_node),
             nir_before_cf_list(&first->then_list));
   r->b.cursor = nir_after_cf_list(&first->then_list);
   store_flag(r, active[0], true);
   for (nir_loop *next; loop; loop = next) {
      next = next_loop(loop);
      merge_loop(r, outer, loop, next);
   }
   r->b.cursor = nir_after_cf_list(&outer->body);
   nir_store_reg(&r->b,
                 nir_ior(&r->b, load_flag(r, outer_active),
                         any_active(r, active, count)),
                 outer_active);
   util_dynarray_fini(&flags);
}

/* A body without jumps and loops, which says in a flag whether another
 * iteration follows. */
static void
form_loop(struct loop_lowering *r, nir_loop *loop)
{
   nir_def *active = decl_flag(r);
   nir_instr *next = fs_remove_jumps(r->impl, loop)->parent_instr;

   r->b.cursor = nir_before_instr(next);
   store_flag(r, active, true);
   nir_instr_remove(next);
   lift_loops(r, &loop->body);
   merge_loops(r, loop, active);
   r->b.cursor = nir_before_cf_list(&loop->body);
   store_flag(r, active, false);
   _mesa_hash_table_insert(r->active, loop, active);
}

static void
add_barrier(struct loop_lowering *r, unsigned number)
{
   nir_barrier(&r->b, SCOPE_NONE, SCOPE_NONE, 0, 0);
   r->barriers[number] = nir_builder_last_instr(&r->b);
}

/* Discarded pixels have no further iterations. */
static void
end_killed(struct loop_lowering *r, nir_def *active)
{
   nir_store_reg(&r->b,
                 nir_iand(&r->b, load_flag(r, active),
                          nir_inot(&r->b, load_flag(r, r->killed))),
                 active);
}

/* The bodies of the outermost loops stand between barriers. */
static void
open_loops(struct loop_lowering *r)
{
   nir_loop *loop;

   while ((loop = first_loop(&r->impl->body))) {
      nir_def *active = active_flag(r, loop);
      nir_cf_list body;

      r->barriers = reralloc(r->mem_ctx, r->barriers, nir_instr *,
                             2 * (r->num_loops + 1));
      r->loop_active =
         reralloc(r->mem_ctx, r->loop_active, nir_def *, r->num_loops + 1);
      r->loop_active[r->num_loops] = active;
      r->b.cursor = nir_before_cf_node(&loop->cf_node);
      store_flag(r, active, true);
      add_barrier(r, 2 * r->num_loops);
      nir_cf_list_extract(&body, &loop->body);
      r->b.cursor = nir_after_cf_node(&loop->cf_node);
      if (r->killed)
         end_killed(r, active);
      add_barrier(r, 2 * r->num_loops + 1);
      nir_cf_reinsert(&body, nir_before_cf_node(&loop->cf_node));
      nir_cf_node_remove(&loop->cf_node);
      r->num_loops++;
   }
}

/* --- carried registers --- */

/* A register, and those that stand for it in the segments. */
struct carried {
   nir_def *reg;
   nir_def **local; /* per segment */
   unsigned number;
};

static struct carried *
find_carried(struct loop_lowering *r, struct util_dynarray *list,
             nir_def *reg)
{
   util_dynarray_foreach (list, struct carried, c) {
      if (c->reg == reg)
         return c;
   }
   const struct carried added = {
      .reg = reg,
      .local = rzalloc_array(r->mem_ctx, nir_def *, 2 * r->num_loops + 1)
   };
   util_dynarray_append(list, struct carried, added);
   return util_dynarray_top_ptr(list, struct carried);
}

static nir_src *
register_source(nir_instr *instr)
{
   if (instr->type != nir_instr_type_intrinsic)
      return NULL;
   nir_intrinsic_instr *intr = nir_instr_as_intrinsic(instr);
   switch (intr->intrinsic) {
   case nir_intrinsic_load_reg:
      return &intr->src[0];
   case nir_intrinsic_store_reg:
      return &intr->src[1];
   default:
      return NULL;
   }
}

/* Gives each segment registers of its own. */
static void
separate_registers(struct loop_lowering *r, struct util_dynarray *list)
{
   unsigned segment = 0;

   nir_foreach_block (block, r->impl) {
      nir_foreach_instr (instr, block) {
         nir_src *src = register_source(instr);

         segment += fs_is_barrier(instr);
         if (!src)
            continue;
         struct carried *c = find_carried(r, list, src->ssa);
         if (!c->local[segment]) {
            nir_intrinsic_instr *decl = nir_reg_get_decl(src->ssa);
            c->local[segment] =
               nir_decl_reg(&r->b, nir_intrinsic_num_components(decl),
                            nir_intrinsic_bit_size(decl), 0);
         }
         nir_src_rewrite(src, c->local[segment]);
      }
   }
}

static nir_def *
load_carried(nir_builder *b, unsigned number, unsigned bit_size)
{
   nir_def *value = nir_load_output(
      b, 1, 32, nir_imm_int(b, 0), .base = FS_CARRIED + number, .range = 1,
      .dest_type = nir_type_float32,
      .io_semantics.location = FRAG_RESULT_DATA0, .io_semantics.num_slots = 1,
      .io_semantics.fb_fetch_output = true);

   return bit_size == 1 ? nir_flt(b, nir_imm_float(b, 0.5f), value) : value;
}

static void
store_carried(nir_builder *b, unsigned number, nir_def *value)
{
   nir_store_output(b, value->bit_size == 1 ? nir_b2f32(b, value) : value,
                    nir_imm_int(b, 0), .base = FS_CARRIED + number,
                    .range = 1, .write_mask = 1, .src_type = nir_type_float32,
                    .io_semantics.location = FRAG_RESULT_DATA0,
                    .io_semantics.num_slots = 1);
}

/* Loads a register at the beginning of a segment and stores it at the end. */
static void
carry(struct loop_lowering *r, const struct carried *c, unsigned segment)
{
   nir_builder *b = &r->b;
   nir_def *reg = c->local[segment], *value[NIR_MAX_VEC_COMPONENTS];
   const nir_intrinsic_instr *decl = nir_reg_get_decl(reg);
   const unsigned count = nir_intrinsic_num_components(decl);

   if (segment > 0) {
      b->cursor = nir_after_instr(r->barriers[segment - 1]);
      for (unsigned i = 0; i < count; i++)
         value[i] =
            load_carried(b, c->number + i, nir_intrinsic_bit_size(decl));
      nir_store_reg(b, nir_vec(b, value, count), reg);
   }
   if (segment < 2 * r->num_loops) {
      b->cursor = nir_before_instr(r->barriers[segment]);
      nir_def *last = nir_load_reg(b, reg);
      for (unsigned i = 0; i < count; i++)
         store_carried(b, c->number + i, nir_channel(b, last, i));
   }
}

static void
carry_registers(struct loop_lowering *r)
{
   struct util_dynarray list;
   unsigned number = 0;

   util_dynarray_init(&list, NULL);
   for (unsigned i = 0; i < r->num_loops; i++)
      find_carried(r, &list, r->loop_active[i]);
   separate_registers(r, &list);
   util_dynarray_foreach (&list, struct carried, c) {
      c->number = number;
      number += nir_intrinsic_num_components(nir_reg_get_decl(c->reg));
      for (unsigned s = 0; s <= 2 * r->num_loops; s++) {
         if (c->local[s])
            carry(r, c, s);
      }
   }
   util_dynarray_fini(&list);
}

static bool
is_load_of(nir_src src, unsigned base)
{
   if (src.ssa->parent_instr->type != nir_instr_type_intrinsic)
      return false;
   const nir_intrinsic_instr *load =
      nir_instr_as_intrinsic(src.ssa->parent_instr);
   return load->intrinsic == nir_intrinsic_load_output &&
          nir_intrinsic_base(load) == base;
}

/* The last segment that loads a value. */
static unsigned
last_load(nir_function_impl *impl, unsigned base)
{
   unsigned segment = 0, last = 0;

   nir_foreach_block (block, impl) {
      nir_foreach_instr (instr, block) {
         segment += fs_is_barrier(instr);
         if (instr->type != nir_instr_type_intrinsic)
            continue;
         const nir_intrinsic_instr *intr = nir_instr_as_intrinsic(instr);
         if (intr->intrinsic == nir_intrinsic_load_output &&
             nir_intrinsic_base(intr) == base)
            last = segment;
      }
   }
   return last;
}

/* Segments with odd numbers are loops. */
static bool
is_needed(nir_function_impl *impl, const nir_intrinsic_instr *store,
          unsigned segment)
{
   const unsigned base = nir_intrinsic_base(store);
   const unsigned last = last_load(impl, base);

   return last >= segment + !(segment & 1) &&
          !is_load_of(store->src[0], base);
}

static unsigned
count_loops(nir_function_impl *impl)
{
   unsigned barriers = 0;

   nir_foreach_block (block, impl) {
      nir_foreach_instr (instr, block)
         barriers += fs_is_barrier(instr);
   }
   return barriers / 2;
}

static bool
drop_stores(nir_function_impl *impl, unsigned num_loops)
{
   unsigned segment = 0;
   bool progress = false;

   nir_foreach_block (block, impl) {
      nir_foreach_instr_safe (instr, block) {
         segment += fs_is_barrier(instr);
         if (instr->type != nir_instr_type_intrinsic)
            continue;
         nir_intrinsic_instr *intr = nir_instr_as_intrinsic(instr);
         if (intr->intrinsic != nir_intrinsic_store_output ||
             !fs_is_carried(intr) ||
             nir_intrinsic_base(intr) < FS_CARRIED + num_loops ||
             is_needed(impl, intr, segment))
            continue;
         nir_instr_remove(instr);
         progress = true;
      }
   }
   return progress;
}

static const void *
carried_key(const nir_intrinsic_instr *intr)
{
   return (const void *)(uintptr_t)nir_intrinsic_base(intr);
}

static bool
mark_source(nir_src *src, void *data)
{
   src->ssa->parent_instr->pass_flags = true;
   return true;
}

/* Marks the operands of an instruction that is marked itself or has a live
 * effect.  True when this makes another carried value live. */
static bool
mark_instr(nir_instr *instr, struct set *live, unsigned num_loops)
{
   nir_intrinsic_instr *intr = instr->type == nir_instr_type_intrinsic
                                  ? nir_instr_as_intrinsic(instr)
                                  : NULL;
   const bool carried = intr && fs_is_carried(intr);

   if (carried && !nir_instr_def(instr))
      instr->pass_flags = nir_intrinsic_base(intr) < FS_CARRIED + num_loops ||
                          _mesa_set_search(live, carried_key(intr));
   else if (!nir_instr_def(instr))
      instr->pass_flags = true;
   if (!instr->pass_flags)
      return false;
   nir_foreach_src(instr, mark_source, NULL);
   if (!carried || !nir_instr_def(instr))
      return false;
   bool found;
   _mesa_set_search_or_add(live, carried_key(intr), &found);
   return !found;
}

/* A register that is written under a condition keeps its old value otherwise,
 * although that may be dead: such values depend only on themselves.  For
 * straight-line code. */
static void
drop_cycles(nir_function_impl *impl, unsigned num_loops)
{
   struct set *live = _mesa_pointer_set_create(NULL);
   nir_block *block = nir_start_block(impl);
   bool progress;

   nir_foreach_instr (instr, block)
      instr->pass_flags = false;
   do {
      progress = false;
      nir_foreach_instr_reverse (instr, block)
         progress |= mark_instr(instr, live, num_loops);
   } while (progress);
   nir_foreach_instr_safe (instr, block) {
      if (!nir_instr_def(instr) && !instr->pass_flags)
         nir_instr_remove(instr);
   }
   _mesa_set_destroy(live, NULL);
}

void
fs_drop_carried(nir_shader *nir)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   const unsigned num_loops = count_loops(impl);

   if (num_loops == 0)
      return;
   if (exec_list_is_singular(&impl->body))
      drop_cycles(impl, num_loops);
   do
      NIR_PASS(_, nir, nir_opt_dce);
   while (drop_stores(impl, num_loops));
}

bool
fs_lower_loops(nir_shader *nir)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   struct loop_lowering r = { .b = nir_builder_create(impl),
                              .impl = impl,
                              .mem_ctx = ralloc_context(NULL) };

   r.active = _mesa_pointer_hash_table_create(r.mem_ctx);
   flag_discards(&r, nir);
   move_invariants(impl);
   use_registers(nir, impl);
   lift_loops(&r, &impl->body);
   open_loops(&r);
   carry_registers(&r);
   ralloc_free(r.mem_ctx);
   nir_metadata_preserve(impl, nir_metadata_none);
   nir_repair_ssa_impl(impl);
   nir_lower_reg_intrinsics_to_ssa_impl(impl);
   fs_drop_carried(nir);
   return true;
}
