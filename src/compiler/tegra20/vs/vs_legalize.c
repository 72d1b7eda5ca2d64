/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Makes every operation encodable on its own: one attribute, and constants
 * that fit one register, i.e. at most four distinct values or one relative
 * register (vertex-pipeline.md 6.1).  Surplus operands are moved to cells
 * first.
 */

#include <string.h>

#include "vs_ir.h"

static bool
add_value(struct vs_const_set *set, uint16_t value)
{
   for (unsigned i = 0; i < set->count; i++) {
      if (set->values[i] == value)
         return true;
   }
   if (set->count == ARRAY_SIZE(set->values))
      return false;
   set->values[set->count++] = value;
   return true;
}

/* Adds the constants of an operation to a set; false when they cannot lie in
 * one register. */
bool
vs_collect_consts(const struct vs_op *op, struct vs_const_set *set)
{
   for (unsigned s = 0; s < vs_info(op)->num_srcs; s++) {
      const struct vs_src *src = &op->src[s];

      if (src->file != VS_FILE_CONST)
         continue;
      if (src->relative) {
         if (set->count || (set->relative && (set->base != src->base ||
                                              set->offset != src->offset)))
            return false;
         set->relative = true;
         set->base = src->base;
         set->offset = src->offset;
         continue;
      }
      if (set->relative)
         return false;
      for (unsigned i = 0; i < vs_src_lanes(op); i++) {
         if (!add_value(set, src->c[i]))
            return false;
      }
   }
   return set->count <= 4;
}

static bool
is_legal(const struct vs_op *op)
{
   struct vs_const_set consts = { 0 };
   const struct vs_src *attr = NULL;

   for (unsigned s = 0; s < vs_info(op)->num_srcs; s++) {
      const struct vs_src *src = &op->src[s];
      if (src->file != VS_FILE_ATTR)
         continue;
      if (attr &&
          (attr->base != src->base || attr->relative != src->relative))
         return false;
      attr = src;
   }
   return vs_collect_consts(op, &consts);
}

/* Vectors that were moved to cells in this block, to be shared. */
struct moved {
   struct vs_src src;
   unsigned lanes;
   uint16_t cells[4];
};

struct state {
   struct vs_program *prog;
   struct util_dynarray moved;
};

static struct moved *
find_moved(struct state *state, const struct vs_src *src, unsigned lanes)
{
   /* the address may be another one by now */
   if (src->relative)
      return NULL;
   util_dynarray_foreach (&state->moved, struct moved, known) {
      if (known->lanes == lanes && vs_src_equal(&known->src, src, lanes))
         return known;
   }
   return NULL;
}

/* Moves operand s of an operation; duplicate lanes share a cell.  Returns the
 * number of operations inserted. */
static unsigned
move_operand(struct state *state, struct vs_block *block, unsigned pos,
             struct vs_op *op, unsigned s)
{
   const unsigned lanes = vs_src_lanes(op);
   struct vs_src plain = op->src[s];
   unsigned inserted = 0;

   plain.neg = plain.abs = false;
   struct moved *known = find_moved(state, &plain, lanes);
   if (!known) {
      struct moved moved = { .src = plain, .lanes = lanes };
      struct vs_op *move = vs_op_create(state->prog, VS_OP_MOV, 0);
      move->src[0] = plain;
      move->addr = plain.relative ? op->addr : VS_NONE;
      for (unsigned i = 0; i < lanes; i++) {
         unsigned j = 0;
         while (j < move->lanes && move->src[0].c[j] != plain.c[i])
            j++;
         if (j == move->lanes) {
            move->src[0].c[j] = plain.c[i];
            move->dst[j] = vs_new_cell(state->prog);
            move->lanes++;
         }
         moved.cells[i] = move->dst[j];
      }
      vs_block_insert(block, pos, move);
      inserted = 1;
      util_dynarray_append(&state->moved, struct moved, moved);
      known = util_dynarray_top_ptr(&state->moved, struct moved);
   }

   op->src[s].file = VS_FILE_TEMP;
   op->src[s].relative = false;
   op->src[s].base = op->src[s].offset = 0;
   memcpy(op->src[s].c, known->cells, sizeof(known->cells));
   return inserted;
}

/* The operand to move: one that has been moved before if there is, else the
 * one of the fewest values. */
static unsigned
choose_operand(struct state *state, const struct vs_op *op)
{
   unsigned best = 0, best_cost = UINT32_MAX;

   for (unsigned s = 0; s < vs_info(op)->num_srcs; s++) {
      const struct vs_src *src = &op->src[s];
      if (src->file != VS_FILE_CONST && src->file != VS_FILE_ATTR)
         continue;

      struct vs_op without = *op;
      without.src[s].file = VS_FILE_NONE;
      struct vs_src plain = *src;
      plain.neg = plain.abs = false;
      const unsigned cost =
         (is_legal(&without) ? 0 : 8) +
         (find_moved(state, &plain, vs_src_lanes(op)) ? 0 : 4) +
         (src->file == VS_FILE_CONST ? 0 : 1);
      if (cost < best_cost) {
         best = s;
         best_cost = cost;
      }
   }
   return best;
}

void
vs_legalize_operands(struct vs_program *prog)
{
   struct state state = { .prog = prog };

   util_dynarray_init(&state.moved, prog);
   vs_foreach_block (prog, block) {
      util_dynarray_clear(&state.moved);
      for (unsigned i = 0; i < vs_num_ops(block); i++) {
         struct vs_op *op = vs_get_op(block, i);
         while (!is_legal(op))
            i +=
               move_operand(&state, block, i, op, choose_operand(&state, op));
      }
   }
}
