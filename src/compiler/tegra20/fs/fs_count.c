/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Long loops whose number of turns is a constant.  As copies of the body they
 * would fill many programs, all of which the compiler would have to find,
 * schedule and cut, although one is like the other.  Drawn in rounds
 * (fs_rounds.c) they are one program, and as the number of rounds is known
 * neither a test nor a flag is needed:
 *
 *    for (i = 0; i < 41; i++)      B(0)
 *       B(i)                       20 rounds r: B(2 r + 1), B(2 r + 2)
 *
 * What only counts turns is computed of the number of the round, on the CPU,
 * with everything that depends on nothing else; the other values that the
 * loop changes are carried from round to round.
 *
 * A round has as many copies as a program of the chip has room for, by
 * estimate.  When they do not fit all the same, the round is cut as any other
 * part of a program.
 *
 * The loop, with its only exit:        becomes:
 *
 *    loop {                               turns % copies times: A, B
 *       A                                 turns / copies rounds:
 *       if (c) { X; break; }                 copies times: A, B
 *       B                                 A, X
 *    }
 *
 * Where pixels leave a loop before the others, or do not reach it, because it
 * lies in a conditional, each turn is under the condition that it is still
 * running, a flag that is carried as other values are:
 *
 *    (turns + 1) / copies rounds, copies times: if (active) body
 *
 * That is done with the loops of which otherwise so many copies would be
 * made; of longer ones pixels may want few turns, so these end when they all
 * have ended (fs_rounds.c).
 *
 * What is smaller is unrolled, as it may fit a program as a whole, or nearly
 * so; as is what indexes something by its turns, and what lies within other
 * loops.
 */

#include "compiler/nir/nir_builder.h"
#include "compiler/nir/nir_control_flow.h"
#include "util/hash_table.h"
#include "util/ralloc.h"
#include "util/u_dynarray.h"

#include "fs_count.h"
#include "fs_loops.h"
#include "tegra20_mesa.h"
#include "tegra20_nir.h"

/* Of a loop whose turns are counted: others end by themselves. */
#define MAX_TURNS 65536
#define MAX_ENDING_TURNS 64

/* Scalar operations of all turns together, from which on copies would take
 * several programs for certain. */
#define LEAST_OPERATIONS 640

/* Operations and carried values of a part that mostly fits: a multiplication
 * and an addition are one slot of 256; a value that is handed on takes eight.
 */
#define ROOM 200
#define CARRIED_COST 8
#define MOST_CARRIED 12
#define MAX_COPIES 4

struct fs_counter {
   nir_def *reg;
   float first, step;
};

/* --- which loops --- */

static unsigned
count_jumps(const nir_loop *loop)
{
   unsigned count = 0;

   nir_foreach_block_in_cf_node (block, (nir_cf_node *)&loop->cf_node)
      count += nir_block_ends_in_jump(block);
   return count;
}

/* A loop without others in it whose turns are known, at most. */
static bool
is_countable(const nir_loop *loop)
{
   const unsigned turns = tegra20_most_turns((nir_loop *)loop);

   return turns > 1 && turns <= MAX_TURNS && !fs_contains_loop(&loop->body);
}

/* All pixels have all turns, as there is one exit. */
static bool
has_all_turns(const nir_loop *loop)
{
   const nir_loop_info *info = loop->info;

   return loop->cf_node.parent->type == nir_cf_node_function &&
          info->limiting_terminator && info->exact_trip_count_known &&
          !info->complex_loop &&
          list_is_singular(&info->loop_terminator_list) &&
          info->limiting_terminator->nif->cf_node.parent == &loop->cf_node &&
          count_jumps(loop) == 1;
}

/* --- counters --- */

/* What a phi of a loop begins with, and what it becomes in a turn. */
static void
phi_sources(nir_loop *loop, nir_phi_instr *phi, nir_def **first,
            nir_def **next)
{
   const nir_block *before =
      nir_cf_node_as_block(nir_cf_node_prev(&loop->cf_node));

   nir_foreach_phi_src (src, phi)
      *(src->pred == before ? first : next) = src->src.ssa;
}

static double
number_of(nir_scalar value, nir_alu_type type)
{
   return type == nir_type_float ? nir_scalar_as_float(value)
                                 : (double)nir_scalar_as_int(value);
}

/* Begins with a constant, and becomes more by another one in each turn. */
static bool
is_counter(nir_loop *loop, nir_phi_instr *phi, double *first, double *step)
{
   nir_def *begin = NULL, *next = NULL;

   if (phi->def.num_components != 1 || phi->def.bit_size != 32 ||
       exec_list_length(&phi->srcs) != 2)
      return false;
   phi_sources(loop, phi, &begin, &next);
   const nir_scalar sum = nir_scalar_resolved(next, 0);
   if (begin->parent_instr->type != nir_instr_type_load_const ||
       !nir_scalar_is_alu(sum))
      return false;
   const nir_op op = nir_scalar_alu_op(sum);
   if (op != nir_op_fadd && op != nir_op_iadd)
      return false;
   const nir_alu_type type =
      op == nir_op_fadd ? nir_type_float : nir_type_int;
   for (unsigned s = 0; s < 2; s++) {
      const nir_scalar old = nir_scalar_chase_alu_src(sum, s),
                       more = nir_scalar_chase_alu_src(sum, !s);
      if (old.def == &phi->def && nir_scalar_is_const(more)) {
         *first = number_of(nir_get_scalar(begin, 0), type);
         *step = number_of(more, type);
         return true;
      }
   }
   return false;
}

/* --- size --- */

static bool
source_is_uniform(nir_src *src, void *data)
{
   return !src->ssa->parent_instr->pass_flags;
}

/* Whether the instruction differs from pixel to pixel, so that the CPU cannot
 * compute it.  Phis do, but for counters. */
static bool
instr_varies(nir_instr *instr)
{
   double first, step;

   switch (instr->type) {
   case nir_instr_type_alu:
      return !nir_foreach_src(instr, source_is_uniform, NULL);
   case nir_instr_type_load_const:
   case nir_instr_type_undef:
      return false;
   case nir_instr_type_intrinsic:
      return nir_instr_as_intrinsic(instr)->intrinsic !=
             nir_intrinsic_load_uniform;
   case nir_instr_type_phi: {
      nir_cf_node *parent = instr->block->cf_node.parent;
      return parent->type != nir_cf_node_loop ||
             nir_cf_node_prev(&instr->block->cf_node) ||
             !is_counter(nir_cf_node_as_loop(parent), nir_instr_as_phi(instr),
                         &first, &step);
   }
   default:
      return true;
   }
}

/* Sets the flags of instructions that differ from pixel to pixel. */
static void
mark_varying(nir_function_impl *impl)
{
   nir_foreach_block (block, impl) {
      nir_foreach_instr (instr, block)
         instr->pass_flags = instr_varies(instr);
   }
}

/* Roughly: what multiplies and adds is half of that. */
static unsigned
operations_of(const nir_alu_instr *alu)
{
   const unsigned count = alu->def.num_components;

   switch (alu->op) {
   case nir_op_mov:
   case nir_op_vec2:
   case nir_op_vec3:
   case nir_op_vec4:
   case nir_op_fneg:
   case nir_op_fabs:
      return 0; /* modifiers of operands */
   case nir_op_fdot2:
   case nir_op_fdot3:
   case nir_op_fdot4:
      return nir_op_infos[alu->op].input_sizes[0];
   case nir_op_fsin:
   case nir_op_fcos:
   case nir_op_fpow:
      return 3 * count;
   case nir_op_flrp:
   case nir_op_fdiv:
      return 2 * count;
   case nir_op_fmod:
   case nir_op_idiv:
   case nir_op_imod:
   case nir_op_irem:
   case nir_op_udiv:
   case nir_op_umod:
      return 5 * count; /* with a reciprocal, floor and a correction */
   default:
      return count;
   }
}

/* Values that are carried from round to round. */
static unsigned
carried_values(const nir_loop *loop)
{
   unsigned count = 0;

   nir_foreach_phi (phi, nir_loop_first_block((nir_loop *)loop)) {
      if (phi->instr.pass_flags)
         count += phi->def.num_components;
   }
   return count;
}

/* Scalar operations of a turn that are done for each pixel.  Pixels for which
 * the loop has ended keep what they have. */
static unsigned
turn_operations(const nir_loop *loop)
{
   unsigned count = has_all_turns(loop) ? 0 : carried_values(loop);

   nir_foreach_block_in_cf_node (block, (nir_cf_node *)&loop->cf_node) {
      nir_foreach_instr (instr, block) {
         if (instr->pass_flags && instr->type == nir_instr_type_alu)
            count += operations_of(nir_instr_as_alu(instr));
         else if (instr->type == nir_instr_type_tex)
            count++;
      }
   }
   return count;
}

/* Does a turn read something at a place that is computed?  Copies know it. */
static bool
indexes(const nir_loop *loop)
{
   nir_foreach_block_in_cf_node (block, (nir_cf_node *)&loop->cf_node) {
      nir_foreach_instr (instr, block) {
         if (instr->type == nir_instr_type_deref &&
             nir_deref_instr_has_indirect(nir_instr_as_deref(instr)))
            return true;
         if (instr->type != nir_instr_type_intrinsic)
            continue;
         nir_intrinsic_instr *intr = nir_instr_as_intrinsic(instr);
         const nir_src *offset = nir_get_io_offset_src(intr);
         if (offset && !nir_src_is_const(*offset))
            return true;
      }
   }
   return false;
}

/* Appends the loops that are in no other one and may be counted. */
static void
find_countable(struct exec_list *list, struct util_dynarray *loops)
{
   foreach_list_typed (nir_cf_node, node, node, list) {
      if (node->type == nir_cf_node_if) {
         find_countable(&nir_cf_node_as_if(node)->then_list, loops);
         find_countable(&nir_cf_node_as_if(node)->else_list, loops);
      } else if (node->type == nir_cf_node_loop &&
                 is_countable(nir_cf_node_as_loop(node))) {
         util_dynarray_append(loops, nir_loop *, nir_cf_node_as_loop(node));
      }
   }
}

void
fs_mark_counted(nir_function_impl *impl)
{
   struct util_dynarray loops;

   util_dynarray_init(&loops, NULL);
   find_countable(&impl->body, &loops);
   if (loops.size)
      mark_varying(impl);
   util_dynarray_foreach (&loops, nir_loop *, place) {
      nir_loop *loop = *place;
      const unsigned turns = tegra20_most_turns(loop);

      if ((has_all_turns(loop) || turns <= MAX_ENDING_TURNS) &&
          turn_operations(loop) * turns >= LEAST_OPERATIONS &&
          carried_values(loop) <= MOST_CARRIED && !indexes(loop))
         loop->control = nir_loop_control_dont_unroll;
   }
   util_dynarray_fini(&loops);
}

/* --- counters become registers --- */

static void
replace_counters(struct fs_counted *c, nir_builder *b)
{
   nir_block *block = nir_loop_first_block(c->loop);
   double first, step;

   nir_foreach_phi_safe (phi, block) {
      if (!is_counter(c->loop, phi, &first, &step))
         continue;
      const struct fs_counter counter = {
         .reg = nir_decl_reg(b, 1, 32, 0),
         .first = first,
         .step = step,
      };
      nir_foreach_use_including_if_safe(src, &phi->def)
      {
         b->cursor = nir_before_src(src);
         nir_src_rewrite(src, nir_load_reg(b, counter.reg));
      }
      nir_instr_remove(&phi->instr);
      c->counters[c->num_counters++] = counter;
   }
}

/* As many as there is room for, and few turns that are left over or of which
 * nothing comes. */
static unsigned
choose_copies(const nir_loop *loop)
{
   const unsigned turns = tegra20_most_turns((nir_loop *)loop),
                  turn = MAX2(turn_operations(loop), 1),
                  carried = CARRIED_COST * carried_values(loop);
   const unsigned most =
      CLAMP((ROOM - MIN2(carried, ROOM)) / turn, 1, MIN2(MAX_COPIES, turns));
   unsigned best = 1, least = UINT_MAX;

   for (unsigned n = 1; n <= most; n++) {
      const unsigned cost =
         turns / n * (n * turn + carried) + turns % n * turn;
      if (cost <= least) {
         least = cost;
         best = n;
      }
   }
   return best;
}

static struct fs_counted
describe(void *mem_ctx, nir_builder *b, nir_loop *loop)
{
   const bool ends = !has_all_turns(loop);
   struct fs_counted counted = {
      .loop = loop,
      .ends = ends,
      .turns = tegra20_most_turns(loop),
      .copies = choose_copies(loop),
      .counters = ralloc_array(
         mem_ctx, struct fs_counter,
         exec_list_length(&nir_loop_first_block(loop)->instr_list)),
   };

   if (!ends) {
      const nir_loop_terminator *exit = loop->info->limiting_terminator;
      counted.exit = exit->nif;
      counted.exits_then = !exit->continue_from_then;
   } else {
      counted.active = nir_decl_reg(b, 1, 1, 0);
      b->cursor = nir_after_instr(counted.active->parent_instr);
      nir_store_reg(b, nir_imm_false(b), counted.active);
      b->cursor = nir_before_cf_node(&loop->cf_node);
      nir_store_reg(b, nir_imm_true(b), counted.active);
   }
   return counted;
}

struct fs_counted *
fs_find_counted(void *mem_ctx, nir_function_impl *impl, unsigned *count)
{
   nir_builder b = nir_builder_create(impl);
   struct util_dynarray loops;

   nir_metadata_require(impl, nir_metadata_loop_analysis,
                        nir_var_function_temp, false);
   mark_varying(impl);
   util_dynarray_init(&loops, NULL);
   find_countable(&impl->body, &loops);
   struct fs_counted *list =
      ralloc_array(mem_ctx, struct fs_counted,
                   MAX2(util_dynarray_num_elements(&loops, nir_loop *), 1));
   *count = 0;
   util_dynarray_foreach (&loops, nir_loop *, loop) {
      if (has_all_turns(*loop) ||
          (*loop)->control == nir_loop_control_dont_unroll)
         list[(*count)++] = describe(mem_ctx, &b, *loop);
   }
   for (unsigned i = 0; i < *count; i++)
      replace_counters(&list[i], &b);
   util_dynarray_fini(&loops);
   return list;
}

/* --- turns --- */

/* The loop's body, taken apart. */
struct turn {
   nir_builder b;
   const struct fs_counted *c;
   nir_cf_list before; /* the exit */
   nir_cf_list stays, leaves;
   nir_cf_list behind;
};

static void
take_apart(struct turn *t)
{
   nir_loop *loop = t->c->loop;
   nir_if *exit = t->c->exit;
   nir_block *last = t->c->exits_then ? nir_if_last_then_block(exit)
                                      : nir_if_last_else_block(exit);

   nir_instr_remove(nir_block_last_instr(last)); /* the jump */
   nir_cf_extract(&t->before, nir_before_cf_list(&loop->body),
                  nir_before_cf_node(&exit->cf_node));
   nir_cf_list_extract(&t->leaves, t->c->exits_then ? &exit->then_list
                                                    : &exit->else_list);
   nir_cf_list_extract(&t->stays, t->c->exits_then ? &exit->else_list
                                                   : &exit->then_list);
   nir_cf_node_remove(&exit->cf_node);
   nir_cf_list_extract(&t->behind, &loop->body);
}

static void
insert_copy(struct turn *t, nir_cf_list *list, nir_instr *place,
            struct hash_table *copies)
{
   nir_cf_list_clone_and_reinsert(list, place->block->cf_node.parent,
                                  nir_before_instr(place), copies);
}

/* A turn without the exit, or the last part of one, with it. */
static void
insert_turn(struct turn *t, nir_instr *place, bool leaves)
{
   struct hash_table *copies = _mesa_pointer_hash_table_create(NULL);

   insert_copy(t, &t->before, place, copies);
   insert_copy(t, leaves ? &t->leaves : &t->stays, place, copies);
   if (!leaves)
      insert_copy(t, &t->behind, place, copies);
   _mesa_hash_table_destroy(copies, NULL);
}

/* Sets the counters of turn number "turn", or of that turn and "copies" more
 * for each round before this one. */
static void
set_counters(struct turn *t, nir_instr *place, unsigned turn, bool in_round)
{
   nir_builder *b = &t->b;

   b->cursor = nir_before_instr(place);
   for (unsigned i = 0; i < t->c->num_counters; i++) {
      const struct fs_counter *counter = &t->c->counters[i];
      nir_def *value =
         nir_imm_float(b, counter->first + turn * counter->step);

      if (in_round) {
         nir_def *round =
            nir_load_uniform(b, 1, 32, nir_imm_int(b, 0), .base = FS_ROUND,
                             .range = 1, .dest_type = nir_type_float32);
         value = nir_fadd(
            b, nir_fmul_imm(b, round, t->c->copies * counter->step), value);
      }
      nir_store_reg(b, value, counter->reg);
   }
}

static nir_instr *
insert_place(nir_builder *b, nir_cursor cursor)
{
   b->cursor = cursor;
   return nir_imm_false(b)->parent_instr;
}

/* Turns that ask whether the loop has ended. */
static unsigned
copy_ending_turns(nir_function_impl *impl, const struct fs_counted *c)
{
   struct turn t = { .b = nir_builder_create(impl), .c = c };
   nir_builder *b = &t.b;
   nir_instr *next = fs_remove_jumps(impl, c->loop)->parent_instr;

   b->cursor = nir_before_instr(next);
   nir_store_reg(b, nir_imm_true(b), c->active);
   nir_instr_remove(next);
   b->cursor = nir_before_cf_list(&c->loop->body);
   nir_store_reg(b, nir_imm_false(b), c->active);
   nir_cf_list_extract(&t.behind, &c->loop->body);
   nir_instr *body = insert_place(b, nir_before_cf_list(&c->loop->body));
   for (unsigned i = 0; i < c->copies; i++) {
      struct hash_table *copies = _mesa_pointer_hash_table_create(NULL);

      b->cursor = nir_before_instr(body);
      nir_if *nif = nir_push_if(b, nir_load_reg(b, c->active));
      nir_instr *place = insert_place(b, nir_before_cf_list(&nif->then_list));
      nir_pop_if(b, nif);
      set_counters(&t, place, i, true);
      insert_copy(&t, &t.behind, place, copies);
      nir_instr_remove(place);
      _mesa_hash_table_destroy(copies, NULL);
   }
   nir_instr_remove(body);
   nir_cf_delete(&t.behind);
   return DIV_ROUND_UP(c->turns + 1, c->copies);
}

unsigned
fs_copy_turns(nir_function_impl *impl, const struct fs_counted *c)
{
   if (c->ends)
      return copy_ending_turns(impl, c);

   struct turn t = { .b = nir_builder_create(impl), .c = c };
   nir_cf_node *node = &c->loop->cf_node;
   const unsigned left_over = c->turns % c->copies;

   take_apart(&t);
   nir_instr *front = insert_place(&t.b, nir_before_cf_node(node));
   nir_instr *body = insert_place(&t.b, nir_before_cf_list(&c->loop->body));
   nir_instr *behind = insert_place(&t.b, nir_after_cf_node(node));
   for (unsigned i = 0; i < left_over; i++) {
      set_counters(&t, front, i, false);
      insert_turn(&t, front, false);
   }
   for (unsigned i = 0; i < c->copies; i++) {
      set_counters(&t, body, left_over + i, true);
      insert_turn(&t, body, false);
   }
   set_counters(&t, behind, c->turns, false);
   insert_turn(&t, behind, true);
   nir_instr_remove(front);
   nir_instr_remove(body);
   nir_instr_remove(behind);
   nir_cf_delete(&t.before);
   nir_cf_delete(&t.stays);
   nir_cf_delete(&t.leaves);
   nir_cf_delete(&t.behind);
   return c->turns / c->copies;
}
