/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * References of the vertex IR builder: where the components of NIR values can
 * be read, and the moves that make operands of them.
 */

#include "vs_build.h"

struct vs_op *
vsb_emit(struct builder *b, enum vs_opcode opcode, unsigned lanes)
{
   struct vs_op *op = vs_op_create(b->prog, opcode, lanes);
   vs_block_append(b->block, op);
   return op;
}

void
vsb_set_dst(struct builder *b, struct vs_op *op, const uint16_t *cells)
{
   for (unsigned i = 0; i < op->lanes; i++) {
      op->dst[i] = cells[i];
      if (cells[i] >= b->cell_def_size) {
         const unsigned size = MAX2(cells[i] + 1, 2 * b->cell_def_size + 64);
         b->cell_def = rerzalloc(b->prog, b->cell_def, struct vs_op *,
                                 b->cell_def_size, size);
         b->cell_def_size = size;
      }
      b->cell_def[cells[i]] = op;
   }
}

static const struct vs_op *
last_def(const struct builder *b, uint16_t cell)
{
   return cell < b->cell_def_size ? b->cell_def[cell] : NULL;
}

void
vsb_new_cells(struct builder *b, unsigned count, uint16_t *cells)
{
   for (unsigned i = 0; i < count; i++)
      cells[i] = vs_new_cell(b->prog);
}

struct vs_ref
vsb_ref_const(uint16_t value)
{
   return (struct vs_ref){ .file = VS_FILE_CONST, .c = value };
}

struct vs_ref
vsb_ref_cell(uint16_t cell)
{
   return (struct vs_ref){ .file = VS_FILE_TEMP, .c = cell };
}

struct vs_ref *
vsb_def_refs(struct builder *b, const nir_def *def)
{
   return &b->refs[4 * def->index];
}

struct vs_ref
vsb_get_ref(struct builder *b, const nir_def *def, unsigned comp)
{
   const struct vs_ref *ref = &vsb_def_refs(b, def)[comp];

   /* undefined values: any will do */
   return ref->file == VS_FILE_NONE
             ? vsb_ref_const(vs_value_imm(b->prog, 0.0f))
             : *ref;
}

bool
vsb_any_variable(const struct vs_ref *refs, unsigned count)
{
   bool variable = false;

   for (unsigned i = 0; i < count; i++)
      variable |= refs[i].variable;
   return variable;
}

/* Whether variables still have the values that they had at "from" when "to"
 * (NULL: the end of the block) is reached. */
bool
vsb_variables_unchanged(const nir_instr *from, const nir_block *block,
                        const nir_instr *to)
{
   if (from->block != block || (to && to->block != block))
      return false;
   for (const nir_instr *instr = from; instr && instr != to;
        instr = nir_instr_next((nir_instr *)instr)) {
      if (instr->type == nir_instr_type_intrinsic &&
          nir_instr_as_intrinsic(instr)->intrinsic == nir_intrinsic_store_reg)
         return false;
   }
   return true;
}

/* Whether all uses of a value come before any variable changes. */
static bool
used_before_stores(nir_def *def)
{
   nir_instr *instr = def->parent_instr;

   nir_foreach_use_including_if (src, def) {
      if (nir_src_is_if(src)) {
         const nir_block *before = nir_cf_node_as_block(
            nir_cf_node_prev(&nir_src_parent_if(src)->cf_node));
         if (!vsb_variables_unchanged(instr, before, NULL))
            return false;
      } else if (!vsb_variables_unchanged(instr,
                                          nir_src_parent_instr(src)->block,
                                          nir_src_parent_instr(src))) {
         return false;
      }
   }
   return true;
}

/* A constant reference without modifiers. */
uint16_t
vsb_plain_value(struct builder *b, const struct vs_ref *ref)
{
   uint16_t value = ref->c;

   if (ref->abs || ref->neg) {
      const struct tegra20_value *node = vs_get_value(b->prog, value);
      if (node->op == TEGRA20_VALUE_IMM) {
         float imm = uif(node->arg);
         imm = ref->abs ? fabsf(imm) : imm;
         return vs_value_imm(b->prog, ref->neg ? -imm : imm);
      }
   }
   if (ref->abs)
      value = vs_value_alu(b->prog, nir_op_fabs, 1, &value);
   if (ref->neg)
      value = vs_value_alu(b->prog, nir_op_fneg, 1, &value);
   return value;
}

bool
vsb_is_imm(struct builder *b, const struct vs_ref *ref, float imm)
{
   if (ref->file != VS_FILE_CONST)
      return false;

   const struct tegra20_value *node = vs_get_value(b->prog, ref->c);
   return node->op == TEGRA20_VALUE_IMM &&
          uif(node->arg) == (ref->neg ? -imm : imm) &&
          (imm == 0.0f || !ref->abs);
}

/* Whether one operand can read both. */
static bool
refs_compatible(const struct vs_ref *a, const struct vs_ref *b)
{
   return a->file == b->file && a->neg == b->neg && a->abs == b->abs &&
          a->base == b->base;
}

/* Constants can take any modifiers along: give them those of the rest, or
 * none. */
void
vsb_harmonize_constants(struct builder *b, struct vs_ref *refs,
                        unsigned count)
{
   bool same = true;

   for (unsigned i = 1; i < count; i++)
      same &= refs_compatible(&refs[i], &refs[0]);
   for (unsigned i = 0; i < count && !same; i++) {
      if (refs[i].file == VS_FILE_CONST)
         refs[i] = vsb_ref_const(vsb_plain_value(b, &refs[i]));
   }
}

struct vs_src
vsb_src_from_refs(const struct vs_ref *refs, unsigned count)
{
   struct vs_src src = { .file = refs[0].file,
                         .neg = refs[0].neg,
                         .abs = refs[0].abs,
                         .base = refs[0].base };

   for (unsigned i = 0; i < count; i++)
      src.c[i] = refs[i].c;
   return src;
}

/*
 * Moves count references to cells, with as few operations as their kinds
 * allow.  Cells that different operations wrote are moved separately: those
 * moves can be folded into the operations.
 */
void
vsb_emit_moves(struct builder *b, const struct vs_ref *refs, unsigned count,
               const uint16_t *cells, const struct vs_op *like)
{
   unsigned done = 0;

   for (unsigned i = 0; i < count; i++) {
      if (done & (1 << i))
         continue;

      struct vs_ref part[4] = { 0 };
      uint16_t part_cells[4];
      unsigned lanes[4], n = 0;
      for (unsigned j = i; j < count; j++) {
         if ((done & (1 << j)) || !refs_compatible(&refs[i], &refs[j]))
            continue;
         if (refs[i].file != VS_FILE_TEMP ||
             last_def(b, refs[i].c) == last_def(b, refs[j].c)) {
            done |= 1 << j;
            lanes[n] = j;
            part[n] = refs[j];
            part_cells[n++] = cells ? cells[j] : VS_NO_CELL;
         }
      }

      struct vs_op *op = vsb_emit(b, VS_OP_MOV, n);
      op->src[0] = vsb_src_from_refs(part, n);
      if (cells)
         vsb_set_dst(b, op, part_cells);
      if (like) {
         op->cond = like->cond;
         op->saturate = like->saturate;
         op->export = like->export;
         for (unsigned k = 0; k < n; k++) {
            op->pred[k] = like->pred[lanes[k]];
            op->export_comp[k] = like->export_comp[lanes[k]];
         }
      }
   }
}

/* An operand that reads these references; mixtures are moved to new cells
 * first. */
struct vs_src
vsb_make_src(struct builder *b, struct vs_ref *refs, unsigned count)
{
   bool same = true;

   vsb_harmonize_constants(b, refs, count);
   for (unsigned i = 1; i < count; i++)
      same &= refs_compatible(&refs[i], &refs[0]);
   if (same)
      return vsb_src_from_refs(refs, count);

   util_dynarray_foreach (&b->moved, struct moved_vector, known) {
      if (known->count == count &&
          memcmp(known->refs, refs, count * sizeof(refs[0])) == 0) {
         struct vs_src src = { .file = VS_FILE_TEMP };
         memcpy(src.c, known->cells, sizeof(src.c));
         return src;
      }
   }

   /* Plain cells stay where they are: only other operands have to move. */
   struct moved_vector moved = { .count = count };
   struct vs_ref to_move[4];
   uint16_t targets[4];
   unsigned num_moves = 0;
   memcpy(moved.refs, refs, count * sizeof(refs[0]));
   for (unsigned i = 0; i < count; i++) {
      if (refs[i].file == VS_FILE_TEMP && !refs[i].neg && !refs[i].abs) {
         moved.cells[i] = refs[i].c;
         continue;
      }
      unsigned j = 0;
      while (memcmp(&refs[j], &refs[i], sizeof(refs[0])) != 0)
         j++;
      if (j < i) {
         moved.cells[i] = moved.cells[j];
         continue;
      }
      moved.cells[i] = targets[num_moves] = vs_new_cell(b->prog);
      to_move[num_moves++] = refs[i];
   }
   vsb_emit_moves(b, to_move, num_moves, targets, NULL);
   util_dynarray_append(&b->moved, struct moved_vector, moved);

   struct vs_src src = { .file = VS_FILE_TEMP };
   memcpy(src.c, moved.cells, sizeof(src.c));
   return src;
}

void
vsb_alu_refs(struct builder *b, const nir_alu_instr *alu, unsigned s,
             unsigned count, struct vs_ref *refs)
{
   memset(refs, 0, 4 * sizeof(refs[0]));
   for (unsigned i = 0; i < count; i++)
      refs[i] = vsb_get_ref(b, alu->src[s].src.ssa, alu->src[s].swizzle[i]);
}

void
vsb_forget_block_state(struct builder *b)
{
   util_dynarray_clear(&b->moved);
   util_dynarray_clear(&b->addresses);
   memset(b->conditions, 0, sizeof(b->conditions));
}

/* The registers behind references are about to change: vectors that were
 * assembled from them are stale. */
void
vsb_forget_cell(struct builder *b, uint16_t cell)
{
   util_dynarray_foreach (&b->moved, struct moved_vector, known) {
      for (unsigned i = 0; i < known->count; i++) {
         if (known->refs[i].file == VS_FILE_TEMP && known->refs[i].c == cell)
            known->count = 0;
      }
   }
   util_dynarray_foreach (&b->addresses, struct address, known) {
      if (known->index.file == VS_FILE_TEMP && known->index.c == cell)
         known->comp = VS_NONE;
   }
}

/* Gives a value cells of its own when its references would go stale. */
void
vsb_pin_variables(struct builder *b, nir_def *def)
{
   struct vs_ref *refs = vsb_def_refs(b, def);
   uint16_t cells[4] = { 0 };

   if (!vsb_any_variable(refs, def->num_components) ||
       used_before_stores(def))
      return;
   vsb_new_cells(b, def->num_components, cells);
   vsb_harmonize_constants(b, refs, def->num_components);
   vsb_emit_moves(b, refs, def->num_components, cells, NULL);
   for (unsigned i = 0; i < def->num_components; i++)
      refs[i] = vsb_ref_cell(cells[i]);
}
