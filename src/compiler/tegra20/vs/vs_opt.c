/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Folds moves into the operations that compute their operands, and removes
 * dead code.
 *
 * Exports, saturation, condition updates, selections and variables of control
 * flow all begin as moves from SSA cells. Each is free when the producing
 * operation does it: a "move" whose operand is the only use of the producer
 * turns the producer into the move's shape (destination, export, saturate,
 * predicate, condition update).
 */

#include <string.h>

#include "util/ralloc.h"
#include "vs_ir.h"

struct fold {
   struct vs_program *prog;
   struct vs_block *block;
   struct vs_cell_uses *uses;
   struct vs_op *move, *producer;
   unsigned move_pos, producer_pos;
};

static bool
op_reads_cell(const struct vs_op *op, uint16_t cell)
{
   for (unsigned s = 0; s < vs_info(op)->num_srcs; s++) {
      for (unsigned i = 0;
           op->src[s].file == VS_FILE_TEMP && i < vs_src_lanes(op); i++) {
         if (op->src[s].c[i] == cell)
            return true;
      }
   }
   return false;
}

static bool
op_writes_cell(const struct vs_op *op, uint16_t cell)
{
   for (unsigned i = 0; i < op->lanes; i++) {
      if (op->dst[i] == cell)
         return true;
   }
   return false;
}

/* Whether an operation reads or writes anything that "effect" writes besides
 * SSA cells of its own. */
static bool
touches_effects(const struct vs_op *op, const struct vs_op *effect)
{
   for (unsigned i = 0; i < effect->lanes; i++) {
      if (effect->dst[i] != VS_NO_CELL &&
          (op_reads_cell(op, effect->dst[i]) ||
           op_writes_cell(op, effect->dst[i])))
         return true;
      for (unsigned j = 0; j < MAX2(op->lanes, 1); j++) {
         if (effect->set_cr[i] != VS_NONE &&
             ((op->lanes && op->set_cr[j] == effect->set_cr[i]) ||
              (vs_is_predicated(op) && op->pred[j] == effect->set_cr[i])))
            return true;
         if (op->lanes && effect->export != VS_NONE &&
             op->export == effect->export &&
             op->export_comp[j] == effect->export_comp[i])
            return true;
      }
   }
   return false;
}

/* Whether "reader" could not move behind "op": op changes an operand of
 * reader. */
static bool
clobbers_operands(const struct vs_op *op, const struct vs_op *reader)
{
   for (unsigned i = 0; i < op->lanes; i++) {
      if (op->dst[i] != VS_NO_CELL && op_reads_cell(reader, op->dst[i]))
         return true;
      if (vs_sets_addr(op) && reader->addr != VS_NONE &&
          op->set_addr[i] == reader->addr)
         return true;
   }
   return false;
}

/* The only definition of all cells that a plain move reads, if that is in the
 * same block. */
static bool
find_producer(struct fold *f)
{
   const struct vs_op *move = f->move;

   if (move->opcode != VS_OP_MOV || move->src[0].file != VS_FILE_TEMP ||
       move->src[0].abs)
      return false;
   f->producer = f->uses[move->src[0].c[0]].def;
   for (unsigned i = 0; i < move->lanes; i++) {
      const struct vs_cell_uses *use = &f->uses[move->src[0].c[i]];
      if (use->defs != 1 || use->def != f->producer)
         return false;
   }
   if (!f->producer || vs_is_predicated(f->producer) ||
       vs_info(f->producer)->kind == VS_KIND_FLOW)
      return false;

   for (f->producer_pos = f->move_pos; f->producer_pos-- > 0;) {
      if (vs_get_op(f->block, f->producer_pos) == f->producer)
         return true;
   }
   return false;
}

/* Whether the producer's results are read by the move alone. */
static bool
is_only_use(const struct fold *f)
{
   unsigned uses = 0;

   for (unsigned i = 0; i < f->producer->lanes; i++) {
      if (f->producer->dst[i] != VS_NO_CELL)
         uses += f->uses[f->producer->dst[i]].uses;
   }
   return uses == f->move->lanes;
}

/* The producer computes exactly the lanes of the move, in any order. */
static bool
has_same_lanes(const struct fold *f)
{
   unsigned seen = 0;

   if (f->producer->lanes != f->move->lanes)
      return false;
   for (unsigned i = 0; i < f->move->lanes; i++) {
      for (unsigned j = 0; j < f->producer->lanes; j++) {
         if (f->producer->dst[j] == f->move->src[0].c[i])
            seen |= 1 << j;
      }
   }
   return seen == BITFIELD_MASK(f->move->lanes);
}

/* Gives the producer the lanes of the move, by their order there. */
static void
reshape_lanes(struct vs_op *producer, const struct vs_op *move)
{
   const struct vs_op old = *producer;

   producer->lanes = move->lanes;
   for (unsigned i = 0; i < move->lanes; i++) {
      unsigned j = 0;
      while (old.dst[j] != move->src[0].c[i])
         j++;
      producer->dst[i] = old.dst[j];
      producer->export_comp[i] = old.export_comp[j];
      producer->set_cr[i] = old.set_cr[j];
      for (unsigned s = 0; vs_info(&old)->kind == VS_KIND_LANES &&
                           s < vs_info(&old)->num_srcs;
           s++)
         producer->src[s].c[i] = old.src[s].c[j];
   }
}

static bool
effects_fit(const struct fold *f)
{
   const struct vs_op *move = f->move, *producer = f->producer;

   if (move->export != VS_NONE && producer->export != VS_NONE)
      return false;
   if (vs_sets_cr(move) &&
       (vs_sets_cr(producer) || !(vs_info(producer)->units & VS_UNIT_VECTOR)))
      return false;
   /* one write mask serves temporary, export and condition: lane i is one
    * component in all of them */
   for (unsigned i = 0; i < move->lanes; i++) {
      const bool exports = move->export != VS_NONE, sets = vs_sets_cr(move);
      if (exports && sets && move->export_comp[i] != move->set_cr[i] % 4)
         return false;
   }
   return !vs_sets_addr(producer) && producer->export == VS_NONE &&
          !vs_sets_cr(producer);
}

/* Operands whose signs change the sign of the result, as a mask; 0 when there
 * are none. */
static unsigned
operands_to_negate(const struct vs_op *op)
{
   if (op->saturate)
      return 0;
   switch (op->opcode) {
   case VS_OP_MUL:
   case VS_OP_DP3:
   case VS_OP_DP4:
   case VS_OP_RCP:
   case VS_OP_SSG:
   case VS_OP_MOV:
      return 1;
   case VS_OP_ADD:
      return 3;
   case VS_OP_MAD:
      return 5;
   default:
      return 0;
   }
}

static void
take_effects(struct fold *f, bool keep_dst)
{
   struct vs_op *producer = f->producer;
   const struct vs_op *move = f->move;

   if (move->src[0].neg) {
      u_foreach_bit (s, operands_to_negate(producer))
         producer->src[s].neg = !producer->src[s].neg;
   }
   reshape_lanes(producer, move);
   producer->saturate |= move->saturate;
   producer->cond = move->cond;
   producer->export = move->export;
   for (unsigned i = 0; i < move->lanes; i++) {
      producer->pred[i] = move->pred[i];
      producer->set_cr[i] = move->set_cr[i];
      producer->export_comp[i] = move->export_comp[i];
      if (!keep_dst)
         producer->dst[i] = move->dst[i];
   }
}

static void
remove_op(struct vs_block *block, unsigned pos)
{
   struct vs_op **ops = util_dynarray_begin(&block->ops);
   const unsigned count = vs_num_ops(block);

   memmove(&ops[pos], &ops[pos + 1], (count - pos - 1) * sizeof(*ops));
   (void)util_dynarray_pop(&block->ops, struct vs_op *);
}

static bool
nothing_between(const struct fold *f,
                bool (*conflict)(const struct vs_op *, const struct vs_op *),
                const struct vs_op *about)
{
   for (unsigned i = f->producer_pos + 1; i < f->move_pos; i++) {
      if (conflict(vs_get_op(f->block, i), about))
         return false;
   }
   return true;
}

/*
 * Tries to make the producer do what the move does.  The producer stays in
 * place if nothing in between sees its new effects, or else moves down to the
 * place of the move.
 */
static bool
fold_move(struct fold *f)
{
   if (!find_producer(f) || !effects_fit(f))
      return false;
   if (f->move->src[0].neg &&
       (!is_only_use(f) || !operands_to_negate(f->producer)))
      return false;

   if (is_only_use(f)) {
      const bool in_place = !vs_is_predicated(f->move) &&
                            nothing_between(f, touches_effects, f->move);
      if (!in_place && !nothing_between(f, clobbers_operands, f->producer))
         return false;
      take_effects(f, false);
      if (in_place) {
         remove_op(f->block, f->move_pos);
      } else {
         *util_dynarray_element(&f->block->ops, struct vs_op *, f->move_pos) =
            f->producer;
         remove_op(f->block, f->producer_pos);
      }
      return true;
   }

   /* others read the result too: only an export or a condition update can
    * ride along */
   if (vs_has_dst(f->move) || f->move->saturate ||
       vs_is_predicated(f->move) || !has_same_lanes(f) ||
       !nothing_between(f, touches_effects, f->move))
      return false;
   take_effects(f, true);
   remove_op(f->block, f->move_pos);
   return true;
}

/* Lane of a move that reads a cell, or -1. */
static int
lane_reading(const struct vs_op *move, uint16_t cell)
{
   for (unsigned i = 0; i < move->lanes; i++) {
      if (move->src[0].c[i] == cell)
         return i;
   }
   return -1;
}

static bool
is_plain_move(const struct vs_op *op)
{
   return op->opcode == VS_OP_MOV && op->src[0].file == VS_FILE_TEMP &&
          !op->src[0].neg && !op->src[0].abs && !op->saturate &&
          !vs_sets_cr(op);
}

/* Gives the destination lanes of an operation to where a move would have
 * carried them. */
static void
redirect_lanes(struct vs_op *op, const struct vs_op *move)
{
   for (unsigned i = 0; i < op->lanes; i++) {
      const int lane = lane_reading(move, op->dst[i]);
      op->dst[i] = move->dst[lane];
      op->export_comp[i] = move->export_comp[lane];
   }
   op->export = move->export;
}

/*
 * A move of a variable with several definitions, as selections make them:
 * when the move is its only use, each definition writes to the destination of
 * the move itself.
 */
static bool
fold_variable(struct fold *f)
{
   const struct vs_op *move = f->move;
   unsigned defs = 0, expected = 0, first = f->move_pos;

   if (!is_plain_move(move) || vs_is_predicated(move))
      return false;
   for (unsigned i = 0; i < move->lanes; i++) {
      const struct vs_cell_uses *use = &f->uses[move->src[0].c[i]];
      if (use->uses != 1)
         return false;
      expected += use->defs;
   }

   /* all definitions stand in front of the move and do nothing else; nothing
    * in between sees the destination */
   for (unsigned pos = 0; pos < f->move_pos; pos++) {
      const struct vs_op *op = vs_get_op(f->block, pos);
      unsigned mine = 0;
      for (unsigned i = 0; i < op->lanes; i++)
         mine +=
            op->dst[i] != VS_NO_CELL && lane_reading(move, op->dst[i]) >= 0;
      if (pos > first && touches_effects(op, move))
         return false;
      if (mine == 0)
         continue;
      if (mine != op->lanes || op->export != VS_NONE || vs_sets_cr(op))
         return false;
      first = MIN2(first, pos);
      defs += mine;
   }
   if (defs != expected || defs == 0)
      return false;

   for (unsigned pos = first; pos < f->move_pos; pos++) {
      struct vs_op *op = vs_get_op(f->block, pos);
      if (op->lanes && op->dst[0] != VS_NO_CELL &&
          lane_reading(move, op->dst[0]) >= 0)
         redirect_lanes(op, move);
   }
   remove_op(f->block, f->move_pos);
   return true;
}

/* The last operation in front of pos that writes a cell. */
static int
find_writer(const struct fold *f, uint16_t cell, unsigned pos)
{
   while (pos-- > 0) {
      if (op_writes_cell(vs_get_op(f->block, pos), cell))
         return pos;
   }
   return -1;
}

/* Whether an operation writes exactly the cells that the move reads. */
static bool
writes_what_is_read(const struct vs_op *op, const struct vs_op *move)
{
   if (op->lanes != move->lanes || op->export != VS_NONE || vs_sets_cr(op))
      return false;
   for (unsigned i = 0; i < op->lanes; i++) {
      if (op->dst[i] == VS_NO_CELL || lane_reading(move, op->dst[i]) < 0)
         return false;
   }
   return true;
}

/*
 * x = c ? x : new arrives as "s = new; if (c) s = x; x = s" and is "if (not
 * c) x = new".
 */
static bool
fold_conditional_update(struct fold *f)
{
   const struct vs_op *move = f->move;

   if (!is_plain_move(move) || vs_is_predicated(move) ||
       move->export != VS_NONE)
      return false;
   for (unsigned i = 0; i < move->lanes; i++) {
      const struct vs_cell_uses *use = &f->uses[move->src[0].c[i]];
      if (use->uses != 1 || use->defs != 2)
         return false;
   }
   const int keep_pos = find_writer(f, move->src[0].c[0], f->move_pos);
   const int new_pos =
      keep_pos > 0 ? find_writer(f, move->src[0].c[0], keep_pos) : -1;
   if (new_pos < 0)
      return false;
   const struct vs_op *keep = vs_get_op(f->block, keep_pos);
   struct vs_op *update = vs_get_op(f->block, new_pos);
   if (!is_plain_move(keep) || !vs_is_predicated(keep) ||
       vs_is_predicated(update) || !writes_what_is_read(keep, move) ||
       !writes_what_is_read(update, move))
      return false;

   for (unsigned i = 0; i < keep->lanes; i++) {
      if (keep->src[0].c[i] != move->dst[lane_reading(move, keep->dst[i])])
         return false;
   }
   for (unsigned pos = new_pos + 1; pos < f->move_pos; pos++) {
      const struct vs_op *op = vs_get_op(f->block, pos);
      if (pos == keep_pos)
         continue;
      if (pos < keep_pos && clobbers_operands(op, update))
         return false;
      for (unsigned i = 0; i < move->lanes; i++) {
         if (op_writes_cell(op, move->dst[i]) ||
             (pos > keep_pos && op_reads_cell(op, move->dst[i])))
            return false;
      }
   }

   update->cond = 7 ^ keep->cond;
   for (unsigned i = 0; i < update->lanes; i++) {
      unsigned j = 0;
      while (keep->dst[j] != update->dst[i])
         j++;
      update->pred[i] = keep->pred[j];
   }
   redirect_lanes(update, move);
   *util_dynarray_element(&f->block->ops, struct vs_op *, keep_pos) = update;
   remove_op(f->block, f->move_pos);
   remove_op(f->block, new_pos);
   return true;
}

/* Whether two moves export different components of one producer's result to
 * one export. */
static bool
exports_same_result(const struct fold *f, const struct vs_op *a,
                    const struct vs_op *b)
{
   if (!is_plain_move(a) || !is_plain_move(b) || vs_is_predicated(a) ||
       vs_is_predicated(b) || a->export == VS_NONE ||
       a->export != b->export || vs_has_dst(a) || vs_has_dst(b) ||
       a->lanes + b->lanes > 4)
      return false;
   const struct vs_op *producer = f->uses[a->src[0].c[0]].def;
   for (unsigned i = 0; i < b->lanes; i++) {
      const struct vs_cell_uses *use = &f->uses[b->src[0].c[i]];
      if (use->defs != 1 || use->def != producer)
         return false;
      for (unsigned j = 0; j < a->lanes; j++) {
         if (a->export_comp[j] == b->export_comp[i])
            return false;
      }
   }
   return true;
}

/*
 * Moves that export parts of one result become one move, at the place of the
 * first: then it can fold into the producer.
 */
static bool
join_exports(struct fold *f)
{
   for (unsigned pos = f->move_pos + 1; pos < vs_num_ops(f->block); pos++) {
      const struct vs_op *other = vs_get_op(f->block, pos);
      struct vs_op *move = f->move;

      if (!exports_same_result(f, move, other))
         continue;
      for (unsigned i = f->move_pos + 1; i < pos; i++) {
         if (touches_effects(vs_get_op(f->block, i), other))
            return false;
      }
      for (unsigned i = 0; i < other->lanes; i++, move->lanes++) {
         move->src[0].c[move->lanes] = other->src[0].c[i];
         move->export_comp[move->lanes] = other->export_comp[i];
      }
      remove_op(f->block, pos);
      return true;
   }
   return false;
}

static bool
fold_moves(struct vs_program *prog)
{
   struct fold f = { .prog = prog, .uses = vs_count_uses(prog) };
   bool progress = false;

   vs_foreach_block (prog, block) {
      f.block = block;
      for (f.move_pos = 0; f.move_pos < vs_num_ops(block);) {
         f.move = vs_get_op(block, f.move_pos);
         if (!fold_move(&f) && !fold_conditional_update(&f) &&
             !fold_variable(&f) && !join_exports(&f)) {
            f.move_pos++;
            continue;
         }
         progress = true;
         ralloc_free(f.uses);
         f.uses = vs_count_uses(prog);
      }
   }
   ralloc_free(f.uses);
   return progress;
}

static bool
is_dead(const struct vs_op *op, const struct vs_cell_uses *uses)
{
   if (vs_info(op)->kind == VS_KIND_FLOW || op->export != VS_NONE ||
       vs_sets_cr(op) || vs_sets_addr(op))
      return false;
   for (unsigned i = 0; i < op->lanes; i++) {
      if (op->dst[i] != VS_NO_CELL && uses[op->dst[i]].uses)
         return false;
   }
   return true;
}

/* Unused lanes are removed, too: fewer components to allocate. */
static bool
trim_lanes(struct vs_op *op, const struct vs_cell_uses *uses)
{
   unsigned kept = 0;

   if (vs_info(op)->kind == VS_KIND_FLOW || op->export != VS_NONE ||
       vs_sets_cr(op) || vs_sets_addr(op))
      return false;
   for (unsigned i = 0; i < op->lanes; i++) {
      if (uses[op->dst[i]].uses == 0)
         continue;
      op->dst[kept] = op->dst[i];
      op->pred[kept] = op->pred[i];
      for (unsigned s = 0;
           vs_info(op)->kind == VS_KIND_LANES && s < vs_info(op)->num_srcs;
           s++)
         op->src[s].c[kept] = op->src[s].c[i];
      kept++;
   }
   const bool progress = kept != op->lanes;
   op->lanes = kept;
   return progress;
}

static bool
remove_dead(struct vs_program *prog)
{
   struct vs_cell_uses *uses = vs_count_uses(prog);
   bool progress = false;

   vs_foreach_block (prog, block) {
      for (unsigned i = vs_num_ops(block); i-- > 0;) {
         if (is_dead(vs_get_op(block, i), uses)) {
            remove_op(block, i);
            progress = true;
         } else {
            progress |= trim_lanes(vs_get_op(block, i), uses);
         }
      }
   }
   ralloc_free(uses);
   return progress;
}

/* --- relative reads --- */

/* Whether an operand reads only components that a move wrote. */
static bool
reads_only(const struct vs_op *op, unsigned s, const struct vs_op *move)
{
   if (op->src[s].file != VS_FILE_TEMP)
      return false;
   for (unsigned i = 0; i < vs_src_lanes(op); i++) {
      if (!op_writes_cell(move, op->src[s].c[i]))
         return false;
   }
   return true;
}

/* Whether the operation can read relatively itself, next to its other
 * operands. */
static bool
can_read_relative(const struct vs_op *op, const struct vs_op *move)
{
   const struct vs_src *wanted = &move->src[0];

   if (vs_sets_addr(op) || (op->addr != VS_NONE && op->addr != move->addr))
      return false;
   for (unsigned s = 0; s < vs_info(op)->num_srcs; s++) {
      const struct vs_src *src = &op->src[s];
      if (src->file == wanted->file &&
          (!src->relative || src->base != wanted->base ||
           src->offset != wanted->offset))
         return false;
   }
   return true;
}

static void
read_relative(struct vs_op *op, unsigned s, const struct vs_op *move)
{
   struct vs_src *src = &op->src[s];
   const struct vs_src old = *src;

   src->file = move->src[0].file;
   src->relative = true;
   src->base = move->src[0].base;
   src->offset = move->src[0].offset;
   for (unsigned i = 0; i < vs_src_lanes(op); i++) {
      unsigned lane = 0;
      while (move->dst[lane] != old.c[i])
         lane++;
      src->c[i] = move->src[0].c[lane];
   }
   op->addr = move->addr;
}

/*
 * A relative read that only feeds operations of the same block which could
 * read relatively themselves.  The address must still be there.
 */
static bool
fold_relative_read(struct vs_block *block, unsigned pos,
                   const struct vs_cell_uses *uses)
{
   struct vs_op *move = vs_get_op(block, pos);
   unsigned expected = 0, found = 0;

   if (move->opcode != VS_OP_MOV || !move->src[0].relative ||
       vs_is_predicated(move) || move->saturate || move->export != VS_NONE ||
       vs_sets_cr(move))
      return false;
   for (unsigned i = 0; i < move->lanes; i++) {
      if (uses[move->dst[i]].defs != 1)
         return false;
      expected += uses[move->dst[i]].uses;
   }

   for (unsigned i = pos + 1; i < vs_num_ops(block) && found < expected;
        i++) {
      const struct vs_op *op = vs_get_op(block, i);
      for (unsigned s = 0; s < vs_info(op)->num_srcs; s++) {
         if (reads_only(op, s, move)) {
            if (!can_read_relative(op, move))
               return false;
            found += vs_src_lanes(op);
         }
      }
      for (unsigned lane = 0; vs_sets_addr(op) && lane < op->lanes; lane++) {
         if (op->set_addr[lane] == move->addr && found < expected)
            return false;
      }
   }
   if (found != expected)
      return false;

   for (unsigned i = pos + 1; i < vs_num_ops(block); i++) {
      struct vs_op *op = vs_get_op(block, i);
      for (unsigned s = 0; s < vs_info(op)->num_srcs; s++) {
         if (reads_only(op, s, move))
            read_relative(op, s, move);
      }
   }
   remove_op(block, pos);
   return true;
}

static void
fold_relative_reads(struct vs_program *prog)
{
   struct vs_cell_uses *uses = vs_count_uses(prog);

   vs_foreach_block (prog, block) {
      for (unsigned i = 0; i < vs_num_ops(block);)
         i += !fold_relative_read(block, i, uses);
   }
   ralloc_free(uses);
}

void
vs_optimize(struct vs_program *prog)
{
   while (remove_dead(prog))
      continue;
   while (fold_moves(prog) | remove_dead(prog))
      continue;
   fold_relative_reads(prog);
}
