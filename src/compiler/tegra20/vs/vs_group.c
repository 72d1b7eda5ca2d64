/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Groups of cells that share a register.
 *
 * The cells that one operation writes, and those that one operand reads, must
 * lie in one register.  Each such demand unites the groups of its cells as
 * long as the result can be placed: at most four cells, no two bound to the
 * same component.  A demand that cannot be met costs moves.  Demands of
 * destinations come first, since they cost more to break, then operands,
 * those in loops first.
 */

#include "util/ralloc.h"
#include "util/u_math.h"
#include "vs_ir.h"

struct group {
   uint8_t count;
   uint16_t cells[4];
};

struct vs_grouping {
   struct vs_program *prog;
   struct util_dynarray cells; /* struct vs_cell */
   struct util_dynarray
      groups; /* struct group; emptied when united with another */
};

static struct vs_cell *
get_cell(struct vs_grouping *state, uint16_t cell)
{
   /* passes before this one and the moves made here add cells without notice
    */
   while (util_dynarray_num_elements(&state->cells, struct vs_cell) <= cell) {
      const unsigned index =
         util_dynarray_num_elements(&state->cells, struct vs_cell);
      struct vs_cell fresh = { .group = index,
                               .fixed_comp = VS_NONE,
                               .reg = VS_NONE,
                               .comp = VS_NONE };
      struct group alone = { .count = 1, .cells = { index } };
      util_dynarray_append(&state->cells, struct vs_cell, fresh);
      util_dynarray_append(&state->groups, struct group, alone);
   }
   return util_dynarray_element(&state->cells, struct vs_cell, cell);
}

static struct group *
get_group(struct vs_grouping *state, uint16_t cell)
{
   const unsigned index = get_cell(state, cell)->group;
   return util_dynarray_element(&state->groups, struct group, index);
}

/* Unites the groups of two cells; false, and nothing changed, when the result
 * does not fit a register. */
static bool
unite(struct vs_grouping *state, uint16_t a, uint16_t b)
{
   get_cell(state, MAX2(a, b));
   struct group *ga = get_group(state, a), *gb = get_group(state, b);
   unsigned bound = 0;

   if (ga == gb)
      return true;
   if (ga->count + gb->count > 4)
      return false;
   for (unsigned i = 0; i < ga->count + gb->count; i++) {
      const uint16_t cell =
         i < ga->count ? ga->cells[i] : gb->cells[i - ga->count];
      const uint8_t comp = get_cell(state, cell)->fixed_comp;
      if (comp != VS_NONE && (bound & (1 << comp)))
         return false;
      bound |= comp != VS_NONE ? 1 << comp : 0;
   }

   const uint16_t target = get_cell(state, a)->group;
   for (unsigned i = 0; i < gb->count; i++) {
      ga->cells[ga->count++] = gb->cells[i];
      get_cell(state, gb->cells[i])->group = target;
   }
   gb->count = 0;
   return true;
}

/* Unites all cells of a demand or none. */
static bool
unite_all(struct vs_grouping *state, const uint16_t *cells, unsigned count)
{
   unsigned total = 0, bound = 0;
   const struct group *seen[4];
   unsigned num_seen = 0;

   for (unsigned i = 0; i < count; i++)
      get_cell(state, cells[i]);
   for (unsigned i = 0; i < count; i++) {
      const struct group *group = get_group(state, cells[i]);
      bool known = false;
      for (unsigned j = 0; j < num_seen; j++)
         known |= seen[j] == group;
      if (known)
         continue;
      seen[num_seen++] = group;
      total += group->count;
      for (unsigned k = 0; k < group->count; k++) {
         const uint8_t comp = get_cell(state, group->cells[k])->fixed_comp;
         if (comp != VS_NONE && (bound & (1 << comp)))
            return false;
         bound |= comp != VS_NONE ? 1 << comp : 0;
      }
   }
   if (total > 4)
      return false;
   for (unsigned i = 1; i < count; i++)
      unite(state, cells[0], cells[i]);
   return true;
}

/* Component that an export or condition update dictates to lane i, or
 * VS_NONE. */
static uint8_t
dictated_comp(const struct vs_op *op, unsigned lane)
{
   if (op->export != VS_NONE)
      return op->export_comp[lane];
   if (vs_sets_cr(op))
      return op->set_cr[lane] % 4;
   return VS_NONE;
}

/*
 * Whether the destination can be met as it is: all cells united, each in the
 * component that the lane has elsewhere.  Lanes without a cell, next to lanes
 * with one, get an unused cell, since the write mask covers them.
 */
static bool
place_destination(struct vs_grouping *state, struct vs_op *op)
{
   if (!vs_has_dst(op))
      return true;

   for (unsigned i = 0; i < op->lanes; i++) {
      if (op->dst[i] == VS_NO_CELL)
         op->dst[i] = vs_new_cell(state->prog);
      get_cell(state, op->dst[i]);
   }

   uint8_t old[4];
   bool fits = true;
   for (unsigned i = 0; i < op->lanes; i++) {
      struct vs_cell *cell = get_cell(state, op->dst[i]);
      const uint8_t comp = dictated_comp(op, i);
      old[i] = cell->fixed_comp;
      if (comp == VS_NONE || cell->fixed_comp == comp)
         continue;
      fits &= cell->fixed_comp == VS_NONE;
      const struct group *group = get_group(state, op->dst[i]);
      for (unsigned k = 0; k < group->count; k++)
         fits &= get_cell(state, group->cells[k])->fixed_comp != comp;
      if (fits)
         cell->fixed_comp = comp;
   }
   if (fits && unite_all(state, op->dst, op->lanes))
      return true;
   for (unsigned i = 0; i < op->lanes; i++)
      get_cell(state, op->dst[i])->fixed_comp = old[i];
   return false;
}

/* The operation writes fresh cells, moves carry the results on to the cells
 * that could not be met. */
static void
split_destination(struct vs_grouping *state, struct vs_block *block,
                  unsigned pos, struct vs_op *op)
{
   unsigned done = 0, after = pos + 1;
   const struct vs_op old = *op;

   for (unsigned i = 0; i < op->lanes; i++)
      op->dst[i] = vs_new_cell(state->prog);
   ASSERTED const bool fits = place_destination(state, op);
   assert(fits);

   for (unsigned i = 0; i < old.lanes; i++) {
      if (done & (1 << i))
         continue;
      struct vs_op *move = vs_op_create(state->prog, VS_OP_MOV, 0);
      move->cond = old.cond;
      move->src[0].file = VS_FILE_TEMP;
      for (unsigned j = i; j < old.lanes; j++) {
         if ((done & (1 << j)) || get_cell(state, old.dst[j])->group !=
                                     get_cell(state, old.dst[i])->group)
            continue;
         done |= 1 << j;
         move->src[0].c[move->lanes] = op->dst[j];
         move->pred[move->lanes] = old.pred[j];
         move->dst[move->lanes++] = old.dst[j];
      }
      vs_block_insert(block, after++, move);
   }
}

/*
 * Copies of an operand's cells in one register.  Lanes that already share a
 * group with room for the others stay; only the others are moved.
 */
static unsigned
split_operand(struct vs_grouping *state, struct vs_block *block, unsigned pos,
              struct vs_op *op, unsigned s)
{
   const unsigned lanes = vs_src_lanes(op);
   struct vs_src *src = &op->src[s];
   int home = -1;
   unsigned best = 0;

   for (unsigned i = 0; i < lanes; i++) {
      const int group = get_cell(state, src->c[i])->group;
      uint16_t others[4];
      unsigned same = 0, num_others = 0;
      for (unsigned j = 0; j < lanes; j++) {
         bool seen = false;
         for (unsigned k = 0; k < num_others; k++)
            seen |= others[k] == src->c[j];
         if (get_cell(state, src->c[j])->group == group)
            same++;
         else if (!seen)
            others[num_others++] = src->c[j];
      }
      if (get_group(state, src->c[i])->count + num_others <= 4 &&
          same > best) {
         best = same;
         home = group;
      }
   }

   unsigned inserted = 0;
   const struct vs_src old = *src;
   uint16_t home_cell =
      home >= 0
         ? util_dynarray_element(&state->groups, struct group, home)->cells[0]
         : VS_NO_CELL;
   for (unsigned i = 0; i < lanes; i++) {
      if (src->c[i] != old.c[i] || get_cell(state, old.c[i])->group == home)
         continue;
      /* one move for all lanes that come from the same group */
      struct vs_op *move = vs_op_create(state->prog, VS_OP_MOV, 0);
      move->src[0].file = VS_FILE_TEMP;
      for (unsigned j = i; j < lanes; j++) {
         if (src->c[j] != old.c[j] || get_cell(state, old.c[j])->group !=
                                         get_cell(state, old.c[i])->group)
            continue;
         unsigned k = 0;
         while (k < move->lanes && move->src[0].c[k] != old.c[j])
            k++;
         if (k == move->lanes) {
            move->src[0].c[k] = old.c[j];
            move->dst[k] = vs_new_cell(state->prog);
            move->lanes++;
         }
         src->c[j] = move->dst[k];
      }
      for (unsigned k = 0; k < move->lanes; k++) {
         if (home_cell == VS_NO_CELL)
            home_cell = move->dst[k];
         ASSERTED const bool fits = unite(state, home_cell, move->dst[k]);
         assert(fits);
      }
      home = get_cell(state, home_cell)->group;
      vs_block_insert(block, pos + inserted++, move);
   }
   return inserted;
}

static void
group_destinations(struct vs_grouping *state)
{
   vs_foreach_block (state->prog, block) {
      for (unsigned i = 0; i < vs_num_ops(block); i++) {
         struct vs_op *op = vs_get_op(block, i);
         if (!place_destination(state, op))
            split_destination(state, block, i, op);
      }
   }
}

static void
group_operands(struct vs_grouping *state, unsigned loop_depth)
{
   vs_foreach_block (state->prog, block) {
      for (unsigned i = 0;
           block->loop_depth == loop_depth && i < vs_num_ops(block); i++) {
         struct vs_op *op = vs_get_op(block, i);
         for (unsigned s = 0; s < vs_info(op)->num_srcs; s++) {
            if (op->src[s].file == VS_FILE_TEMP &&
                !unite_all(state, op->src[s].c, vs_src_lanes(op)))
               i += split_operand(state, block, i, op, s);
         }
      }
   }
}

void
vs_group_cells(struct vs_program *prog)
{
   struct vs_grouping state = { .prog = prog };
   unsigned max_depth = 0;

   util_dynarray_init(&state.cells, prog);
   util_dynarray_init(&state.groups, prog);
   vs_foreach_block (prog, block)
      max_depth = MAX2(max_depth, block->loop_depth);

   group_destinations(&state);
   for (unsigned depth = max_depth + 1; depth-- > 0;)
      group_operands(&state, depth);

   if (prog->num_cells)
      get_cell(&state, prog->num_cells - 1);
   prog->cells = util_dynarray_begin(&state.cells);
   prog->num_groups = util_dynarray_num_elements(&state.groups, struct group);
}

/* --- trials, for passes that check a placement --- */

/* Demands of an operation; those that cannot be met are passed over. */
static bool
demand(struct vs_grouping *state, struct vs_op *op)
{
   bool fits = place_destination(state, op);

   for (unsigned s = 0; s < vs_info(op)->num_srcs; s++) {
      if (op->src[s].file == VS_FILE_TEMP)
         fits &= unite_all(state, op->src[s].c, vs_src_lanes(op));
   }
   return fits;
}

struct vs_grouping *
vs_grouping_create(void *mem_ctx, struct vs_program *prog)
{
   struct vs_grouping *state = rzalloc(mem_ctx, struct vs_grouping);

   state->prog = prog;
   util_dynarray_init(&state->cells, state);
   util_dynarray_init(&state->groups, state);
   vs_foreach_block (prog, block) {
      vs_foreach_op (block, op) {
         struct vs_op copy = *op;
         place_destination(state, &copy);
      }
   }
   vs_foreach_block (prog, block) {
      vs_foreach_op (block, op) {
         struct vs_op copy = *op;
         demand(state, &copy);
      }
   }
   if (prog->num_cells)
      get_cell(state, prog->num_cells - 1);
   return state;
}

bool
vs_grouping_try(struct vs_grouping *state, const struct vs_op *op)
{
   struct util_dynarray cells, groups;
   struct vs_op copy = *op;

   util_dynarray_clone(&cells, state, &state->cells);
   util_dynarray_clone(&groups, state, &state->groups);
   const bool fits = demand(state, &copy);
   if (fits) {
      util_dynarray_fini(&cells);
      util_dynarray_fini(&groups);
   } else {
      util_dynarray_fini(&state->cells);
      util_dynarray_fini(&state->groups);
      state->cells = cells;
      state->groups = groups;
   }
   return fits;
}
