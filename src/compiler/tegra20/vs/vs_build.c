/*
 * SPDX-License-Identifier: MIT
 *
 * NIR to vertex IR.
 *
 * Each component of a NIR value is a reference to where it can be read: a cell, a constant value, an attribute
 * component, with absolute and negate.  Moves, swizzles, vector constructors and modifiers only make references; code
 * appears when an operation, a store or a mixture that no operand can express asks for it.  Operations on constants
 * alone never become code but value nodes for the CPU.
 */

#include <math.h>
#include <string.h>

#include "util/ralloc.h"
#include "util/u_math.h"
#include "vs_ir.h"

struct vs_ref {
   uint8_t file; /* enum vs_file; NONE: not defined yet */
   bool neg, abs;
   bool variable; /* a cell that a later store_reg changes */
   uint16_t base;
   uint16_t c;
};

#define MAX_CACHED_CONDITIONS VS_NUM_CR_CELLS

struct condition {
   const nir_def *def;
   uint8_t comp, cell, cond;
};

struct builder {
   struct vs_program *prog;
   struct vs_block *block;
   const nir_block *nir_block; /* being translated */
   const nir_instr *instr;     /* in it; NULL at its end */
   struct vs_ref *refs;       /* 4 per NIR definition */
   struct util_dynarray moved; /* struct moved_vector, of the current block */
   struct util_dynarray addresses; /* struct address, of the current block */
   struct util_dynarray index_uses; /* struct index_use */

   uint8_t next_cr, next_addr;
   struct condition conditions[MAX_CACHED_CONDITIONS];

   struct vs_block *break_block, *continue_block;
   unsigned loop_depth;
   uint8_t export_of_slot[VARYING_SLOT_MAX];
   struct vs_op **cell_def; /* last definition of a cell so far; grows */
   unsigned cell_def_size;
};

/* A vector that had to be assembled from parts: used again when the same parts are asked for. */
struct moved_vector {
   struct vs_ref refs[4];
   unsigned count;
   uint16_t cells[4];
};

/* An index in a component of A0, clamped to min..max. */
struct address {
   struct vs_ref index;
   int min, max;
   enum vs_opcode opcode; /* how it was rounded */
   uint8_t comp;
};

/* An index taken apart: what goes to A0, and what is added by the instruction that reads. */
struct index {
   const nir_def *def;
   uint8_t comp;
   uint16_t offset;
   enum vs_opcode opcode;
};

/* The largest offset by which an array is read relative to one index. */
struct index_use {
   const nir_def *def;
   uint8_t comp;
   unsigned slot, size, max_offset;
};

static struct vs_op *
emit(struct builder *b, enum vs_opcode opcode, unsigned lanes)
{
   struct vs_op *op = vs_op_create(b->prog, opcode, lanes);
   vs_block_append(b->block, op);
   return op;
}

static void
set_dst(struct builder *b, struct vs_op *op, const uint16_t *cells)
{
   for (unsigned i = 0; i < op->lanes; i++) {
      op->dst[i] = cells[i];
      if (cells[i] >= b->cell_def_size) {
         const unsigned size = MAX2(cells[i] + 1, 2 * b->cell_def_size + 64);
         b->cell_def = rerzalloc(b->prog, b->cell_def, struct vs_op *, b->cell_def_size, size);
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

static void
new_cells(struct builder *b, unsigned count, uint16_t *cells)
{
   for (unsigned i = 0; i < count; i++)
      cells[i] = vs_new_cell(b->prog);
}

/* --- references ---------------------------------------------------------------------------------------------------- */

static struct vs_ref
ref_const(uint16_t value)
{
   return (struct vs_ref){.file = VS_FILE_CONST, .c = value};
}

static struct vs_ref
ref_cell(uint16_t cell)
{
   return (struct vs_ref){.file = VS_FILE_TEMP, .c = cell};
}

static struct vs_ref *
def_refs(struct builder *b, const nir_def *def)
{
   return &b->refs[4 * def->index];
}

static struct vs_ref
get_ref(struct builder *b, const nir_def *def, unsigned comp)
{
   const struct vs_ref *ref = &def_refs(b, def)[comp];

   /* undefined values: any will do */
   return ref->file == VS_FILE_NONE ? ref_const(vs_value_imm(b->prog, 0.0f)) : *ref;
}

static bool
any_variable(const struct vs_ref *refs, unsigned count)
{
   bool variable = false;

   for (unsigned i = 0; i < count; i++)
      variable |= refs[i].variable;
   return variable;
}

/* Whether variables still have the values that they had at "from" when "to" (NULL: the end of the block) is reached. */
static bool
variables_unchanged(const nir_instr *from, const nir_block *block, const nir_instr *to)
{
   if (from->block != block || (to && to->block != block))
      return false;
   for (const nir_instr *instr = from; instr && instr != to; instr = nir_instr_next((nir_instr *)instr)) {
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

   nir_foreach_use_including_if(src, def) {
      if (nir_src_is_if(src)) {
         const nir_block *before = nir_cf_node_as_block(nir_cf_node_prev(&nir_src_parent_if(src)->cf_node));
         if (!variables_unchanged(instr, before, NULL))
            return false;
      } else if (!variables_unchanged(instr, nir_src_parent_instr(src)->block, nir_src_parent_instr(src))) {
         return false;
      }
   }
   return true;
}

/* A constant reference without modifiers. */
static uint16_t
plain_value(struct builder *b, const struct vs_ref *ref)
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

static bool
is_imm(struct builder *b, const struct vs_ref *ref, float imm)
{
   if (ref->file != VS_FILE_CONST)
      return false;

   const struct tegra20_value *node = vs_get_value(b->prog, ref->c);
   return node->op == TEGRA20_VALUE_IMM && uif(node->arg) == (ref->neg ? -imm : imm) && (imm == 0.0f || !ref->abs);
}

/* Whether one operand can read both. */
static bool
refs_compatible(const struct vs_ref *a, const struct vs_ref *b)
{
   return a->file == b->file && a->neg == b->neg && a->abs == b->abs && a->base == b->base;
}

/* Constants can take any modifiers along: give them those of the rest, or none. */
static void
harmonize_constants(struct builder *b, struct vs_ref *refs, unsigned count)
{
   bool same = true;

   for (unsigned i = 1; i < count; i++)
      same &= refs_compatible(&refs[i], &refs[0]);
   for (unsigned i = 0; i < count && !same; i++) {
      if (refs[i].file == VS_FILE_CONST)
         refs[i] = ref_const(plain_value(b, &refs[i]));
   }
}

static struct vs_src
src_from_refs(const struct vs_ref *refs, unsigned count)
{
   struct vs_src src = {.file = refs[0].file, .neg = refs[0].neg, .abs = refs[0].abs, .base = refs[0].base};

   for (unsigned i = 0; i < count; i++)
      src.c[i] = refs[i].c;
   return src;
}

/*
 * Moves count references to cells, with as few operations as their kinds allow.  Cells that different operations wrote
 * are moved separately: those moves can be folded into the operations.
 */
static void
emit_moves(struct builder *b, const struct vs_ref *refs, unsigned count, const uint16_t *cells, const struct vs_op *like)
{
   unsigned done = 0;

   for (unsigned i = 0; i < count; i++) {
      if (done & (1 << i))
         continue;

      struct vs_ref part[4] = {0};
      uint16_t part_cells[4];
      unsigned lanes[4], n = 0;
      for (unsigned j = i; j < count; j++) {
         if ((done & (1 << j)) || !refs_compatible(&refs[i], &refs[j]))
            continue;
         if (refs[i].file != VS_FILE_TEMP || last_def(b, refs[i].c) == last_def(b, refs[j].c)) {
            done |= 1 << j;
            lanes[n] = j;
            part[n] = refs[j];
            part_cells[n++] = cells ? cells[j] : VS_NO_CELL;
         }
      }

      struct vs_op *op = emit(b, VS_OP_MOV, n);
      op->src[0] = src_from_refs(part, n);
      if (cells)
         set_dst(b, op, part_cells);
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

/* An operand that reads these references; mixtures are moved to new cells first. */
static struct vs_src
make_src(struct builder *b, struct vs_ref *refs, unsigned count)
{
   bool same = true;

   harmonize_constants(b, refs, count);
   for (unsigned i = 1; i < count; i++)
      same &= refs_compatible(&refs[i], &refs[0]);
   if (same)
      return src_from_refs(refs, count);

   util_dynarray_foreach(&b->moved, struct moved_vector, known) {
      if (known->count == count && memcmp(known->refs, refs, count * sizeof(refs[0])) == 0) {
         struct vs_src src = {.file = VS_FILE_TEMP};
         memcpy(src.c, known->cells, sizeof(src.c));
         return src;
      }
   }

   /* Plain cells stay where they are: only what is not a plain cell has to move. */
   struct moved_vector moved = {.count = count};
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
   emit_moves(b, to_move, num_moves, targets, NULL);
   util_dynarray_append(&b->moved, struct moved_vector, moved);

   struct vs_src src = {.file = VS_FILE_TEMP};
   memcpy(src.c, moved.cells, sizeof(src.c));
   return src;
}

static void
alu_refs(struct builder *b, const nir_alu_instr *alu, unsigned s, unsigned count, struct vs_ref *refs)
{
   memset(refs, 0, 4 * sizeof(refs[0]));
   for (unsigned i = 0; i < count; i++)
      refs[i] = get_ref(b, alu->src[s].src.ssa, alu->src[s].swizzle[i]);
}

static void
forget_block_state(struct builder *b)
{
   util_dynarray_clear(&b->moved);
   util_dynarray_clear(&b->addresses);
   memset(b->conditions, 0, sizeof(b->conditions));
}

/* The registers behind references are about to change: vectors that were assembled from them are stale. */
static void
forget_cell(struct builder *b, uint16_t cell)
{
   util_dynarray_foreach(&b->moved, struct moved_vector, known) {
      for (unsigned i = 0; i < known->count; i++) {
         if (known->refs[i].file == VS_FILE_TEMP && known->refs[i].c == cell)
            known->count = 0;
      }
   }
   util_dynarray_foreach(&b->addresses, struct address, known) {
      if (known->index.file == VS_FILE_TEMP && known->index.c == cell)
         known->comp = VS_NONE;
   }
}

/* Gives a value cells of its own when its references would go stale. */
static void
pin_variables(struct builder *b, nir_def *def)
{
   struct vs_ref *refs = def_refs(b, def);
   uint16_t cells[4] = {0};

   if (!any_variable(refs, def->num_components) || used_before_stores(def))
      return;
   new_cells(b, def->num_components, cells);
   harmonize_constants(b, refs, def->num_components);
   emit_moves(b, refs, def->num_components, cells, NULL);
   for (unsigned i = 0; i < def->num_components; i++)
      refs[i] = ref_cell(cells[i]);
}

/* --- arithmetic ---------------------------------------------------------------------------------------------------- */

static void
set_results(struct builder *b, const nir_def *def, struct vs_op *op)
{
   uint16_t cells[4] = {0};

   new_cells(b, op->lanes, cells);
   set_dst(b, op, cells);
   for (unsigned i = 0; i < def->num_components; i++)
      def_refs(b, def)[i] = ref_cell(cells[i]);
}

static uint16_t
value_dot(struct builder *b, struct vs_ref srcs[][4], unsigned count)
{
   uint16_t sum = TEGRA20_NO_VALUE;

   for (unsigned i = 0; i < count; i++) {
      const uint16_t factors[2] = {plain_value(b, &srcs[0][i]), plain_value(b, &srcs[1][i])};
      const uint16_t product = vs_value_alu(b->prog, nir_op_fmul, 2, factors);
      const uint16_t terms[2] = {sum, product};
      sum = i == 0 ? product : vs_value_alu(b->prog, nir_op_fadd, 2, terms);
   }
   return sum;
}

/* Operations whose operands are all constant are left to the CPU. */
static bool
hoist_alu(struct builder *b, const nir_alu_instr *alu, struct vs_ref srcs[][4], unsigned num_srcs, unsigned src_lanes)
{
   for (unsigned s = 0; s < num_srcs; s++) {
      for (unsigned i = 0; i < src_lanes; i++) {
         if (srcs[s][i].file != VS_FILE_CONST)
            return false;
      }
   }

   if (nir_op_infos[alu->op].output_size != 0) {
      def_refs(b, &alu->def)[0] = ref_const(value_dot(b, srcs, src_lanes));
      return true;
   }
   for (unsigned i = 0; i < alu->def.num_components; i++) {
      uint16_t values[3];
      for (unsigned s = 0; s < num_srcs; s++)
         values[s] = plain_value(b, &srcs[s][i]);
      def_refs(b, &alu->def)[i] = ref_const(vs_value_alu(b->prog, alu->op, num_srcs, values));
   }
   return true;
}

/* A vector of two: DP3 when a constant can supply the zero, else two operations. */
static void
emit_dot2(struct builder *b, const nir_alu_instr *alu, struct vs_ref srcs[][4])
{
   for (unsigned s = 0; s < 2; s++) {
      if (srcs[s][0].file != VS_FILE_CONST || srcs[s][1].file != VS_FILE_CONST)
         continue;
      srcs[s][2] = ref_const(vs_value_imm(b->prog, 0.0f));
      srcs[1 - s][2] = srcs[1 - s][0];
      struct vs_src factors[2] = {make_src(b, srcs[0], 3), make_src(b, srcs[1], 3)};
      struct vs_op *op = emit(b, VS_OP_DP3, 1);
      memcpy(op->src, factors, sizeof(factors));
      set_results(b, &alu->def, op);
      return;
   }

   uint16_t product;
   struct vs_src y[2] = {make_src(b, &srcs[0][1], 1), make_src(b, &srcs[1][1], 1)};
   struct vs_src x[2] = {make_src(b, &srcs[0][0], 1), make_src(b, &srcs[1][0], 1)};
   struct vs_op *mul = emit(b, VS_OP_MUL, 1);
   memcpy(mul->src, y, sizeof(y));
   new_cells(b, 1, &product);
   set_dst(b, mul, &product);

   struct vs_op *mad = emit(b, VS_OP_MAD, 1);
   memcpy(mad->src, x, sizeof(x));
   mad->src[2] = (struct vs_src){.file = VS_FILE_TEMP, .c = {product}};
   set_results(b, &alu->def, mad);
}

/* fdot4(vec4(a, 1.0), b) is DP3 and an addition, without assembling the vector. */
static bool
emit_homogeneous_dot(struct builder *b, const nir_alu_instr *alu, struct vs_ref srcs[][4])
{
   for (unsigned s = 0; s < 2; s++) {
      if (!is_imm(b, &srcs[s][3], 1.0f) || srcs[s][0].file == VS_FILE_CONST)
         continue;

      struct vs_src factors[2] = {make_src(b, srcs[s], 3), make_src(b, srcs[1 - s], 3)};
      struct vs_src addend = make_src(b, &srcs[1 - s][3], 1);
      uint16_t dot;
      struct vs_op *op = emit(b, VS_OP_DP3, 1);
      memcpy(op->src, factors, sizeof(factors));
      new_cells(b, 1, &dot);
      set_dst(b, op, &dot);

      struct vs_op *add = emit(b, VS_OP_ADD, 1);
      add->src[0] = (struct vs_src){.file = VS_FILE_TEMP, .c = {dot}};
      add->src[1] = addend;
      set_results(b, &alu->def, add);
      return true;
   }
   return false;
}

static enum vs_opcode
opcode_of_alu(nir_op op)
{
   switch (op) {
   case nir_op_fadd: return VS_OP_ADD;
   case nir_op_fmul: return VS_OP_MUL;
   case nir_op_ffma: return VS_OP_MAD;
   case nir_op_fmin: return VS_OP_MIN;
   case nir_op_fmax: return VS_OP_MAX;
   case nir_op_slt: return VS_OP_SLT;
   case nir_op_sge: return VS_OP_SGE;
   case nir_op_seq: return VS_OP_SEQ;
   case nir_op_sne: return VS_OP_SNE;
   case nir_op_fsign: return VS_OP_SSG;
   case nir_op_ffract: return VS_OP_FRC;
   case nir_op_ffloor: return VS_OP_FLR;
   case nir_op_fdot3: return VS_OP_DP3;
   case nir_op_fdot4: return VS_OP_DP4;
   case nir_op_frcp: return VS_OP_RCP;
   case nir_op_frsq: return VS_OP_RSQ;
   case nir_op_fexp2: return VS_OP_EX2;
   case nir_op_flog2: return VS_OP_LG2;
   case nir_op_fsin: return VS_OP_SIN;
   case nir_op_fcos: return VS_OP_COS;
   case nir_op_fsat: return VS_OP_MOV;
   default: return VS_NUM_OPCODES;
   }
}

/* --- conditions ---------------------------------------------------------------------------------------------------- */

/*
 * Conditions that are set together share a register and lie next to each other.  Going round through both registers keeps
 * the cells that were set last valid for as long as possible.
 */
static uint8_t
allocate_cr(struct builder *b, unsigned count)
{
   if (b->next_cr % 4 + count > 4)
      b->next_cr = (b->next_cr / 4 + 1) * 4;
   const uint8_t cell = b->next_cr % VS_NUM_CR_CELLS;

   b->next_cr = (cell + count) % VS_NUM_CR_CELLS;
   for (unsigned i = 0; i < MAX_CACHED_CONDITIONS; i++) {
      struct condition *known = &b->conditions[i];
      if (known->def && known->cell >= cell && known->cell < cell + count)
         known->def = NULL;
   }
   return cell;
}

static unsigned
mirror(unsigned cond)
{
   return (cond & VS_COND_EQ) | (cond & VS_COND_LT ? VS_COND_GT : 0) | (cond & VS_COND_GT ? VS_COND_LT : 0);
}

/* How a comparison of a with b is tested once the sign of a - b is known. */
static unsigned
cond_of_comparison(nir_op op)
{
   switch (op) {
   case nir_op_slt: return VS_COND_LT;
   case nir_op_sge: return VS_COND_GE;
   case nir_op_seq: return VS_COND_EQ;
   case nir_op_sne: return VS_COND_NE;
   default: return 0;
   }
}

/*
 * The operation that sets condition cells from components of a boolean value, and the test that then means true.
 * Comparisons with zero only need the sign of the other operand; other comparisons set the cells themselves.
 */
static struct vs_op *
emit_condition_set(struct builder *b, const nir_def *def, const uint8_t *comps, unsigned count, unsigned *cond)
{
   const nir_alu_instr *alu =
      def->parent_instr->type == nir_instr_type_alu ? nir_instr_as_alu(def->parent_instr) : NULL;
   unsigned test = alu ? cond_of_comparison(alu->op) : 0;
   struct vs_ref operands[2][4];

   /* the CPU has compared already */
   if (get_ref(b, def, comps[0]).file == VS_FILE_CONST)
      test = 0;

   for (unsigned s = 0; test && s < 2; s++) {
      for (unsigned i = 0; i < count; i++)
         operands[s][i] = get_ref(b, alu->src[s].src.ssa, alu->src[s].swizzle[comps[i]]);
   }
   if (test && (any_variable(operands[0], count) || any_variable(operands[1], count)) &&
       !variables_unchanged(&alu->instr, b->nir_block, b->instr))
      test = 0;

   for (unsigned s = 0; test && s < 2; s++) {
      bool zero = true;
      for (unsigned i = 0; i < count; i++)
         zero &= is_imm(b, &operands[s][i], 0.0f);
      if (!zero)
         continue;

      /* "== 0.0" is also how "not" arrives here: look through it */
      const nir_def *other = alu->src[1 - s].src.ssa;
      uint8_t other_comps[4];
      for (unsigned i = 0; i < count; i++)
         other_comps[i] = alu->src[1 - s].swizzle[comps[i]];
      const nir_alu_instr *inner =
         other->parent_instr->type == nir_instr_type_alu ? nir_instr_as_alu(other->parent_instr) : NULL;
      if ((test == VS_COND_EQ || test == VS_COND_NE) && inner && cond_of_comparison(inner->op)) {
         struct vs_op *op = emit_condition_set(b, other, other_comps, count, cond);
         *cond = test == VS_COND_EQ ? 7 ^ *cond : *cond;
         return op;
      }

      struct vs_src src = make_src(b, operands[1 - s], count);
      struct vs_op *op = emit(b, VS_OP_MOV, count);
      op->src[0] = src;
      *cond = s == 1 ? test : mirror(test);
      return op;
   }

   *cond = VS_COND_NE;
   if (test) {
      struct vs_src srcs[2] = {make_src(b, operands[0], count), make_src(b, operands[1], count)};
      struct vs_op *op = emit(b, opcode_of_alu(alu->op), count);
      memcpy(op->src, srcs, sizeof(srcs));
      return op;
   }

   struct vs_ref refs[4];
   for (unsigned i = 0; i < count; i++)
      refs[i] = get_ref(b, def, comps[i]);
   struct vs_src src = make_src(b, refs, count);
   struct vs_op *op = emit(b, VS_OP_MOV, count);
   op->src[0] = src;
   return op;
}

/* Makes components of a boolean testable: fills the CR cell of each, returns the test. */
static unsigned
get_condition(struct builder *b, const nir_def *def, const uint8_t *comps, unsigned count, uint8_t *cells)
{
   uint8_t unique[4];
   unsigned num_unique = 0, found = 0, cond = 0;

   for (unsigned i = 0; i < count; i++) {
      bool seen = false;
      for (unsigned j = 0; j < num_unique; j++)
         seen |= unique[j] == comps[i];
      if (!seen)
         unique[num_unique++] = comps[i];
   }

   for (unsigned i = 0; i < count; i++) {
      for (unsigned k = 0; k < MAX_CACHED_CONDITIONS; k++) {
         const struct condition *known = &b->conditions[k];
         if (known->def == def && known->comp == comps[i] && (found == 0 || cells[0] / 4 == known->cell / 4)) {
            cells[i] = known->cell;
            cond = known->cond;
            found++;
            break;
         }
      }
   }
   if (found == count)
      return cond;

   struct vs_op *op = emit_condition_set(b, def, unique, num_unique, &cond);
   const uint8_t first = allocate_cr(b, num_unique);
   for (unsigned j = 0; j < num_unique; j++) {
      op->set_cr[j] = first + j;
      b->conditions[first + j] = (struct condition){.def = def, .comp = unique[j], .cell = first + j, .cond = cond};
      for (unsigned i = 0; i < count; i++) {
         if (comps[i] == unique[j])
            cells[i] = first + j;
      }
   }
   return cond;
}

/*
 * d = c != 0 ? x : y becomes d = y; if (c) d = x.  Both moves usually fold into what computes x and y.  Components that
 * are the same on both sides need no selection.
 */
static void
emit_select(struct builder *b, const nir_alu_instr *alu, struct vs_ref srcs[][4])
{
   struct vs_op like = {.export = VS_NONE};
   uint16_t cells[4] = {0};
   uint8_t comps[4];
   unsigned lanes[4], count = 0;

   for (unsigned i = 0; i < alu->def.num_components; i++) {
      if (memcmp(&srcs[1][i], &srcs[2][i], sizeof(srcs[1][i])) == 0 && !srcs[1][i].variable) {
         def_refs(b, &alu->def)[i] = srcs[1][i];
         continue;
      }
      comps[count] = alu->src[0].swizzle[i];
      srcs[1][count] = srcs[1][i];
      srcs[2][count] = srcs[2][i];
      lanes[count++] = i;
   }
   if (count == 0)
      return;

   harmonize_constants(b, srcs[1], count);
   harmonize_constants(b, srcs[2], count);
   like.cond = get_condition(b, alu->src[0].src.ssa, comps, count, like.pred);
   new_cells(b, count, cells);
   emit_moves(b, srcs[2], count, cells, NULL);
   emit_moves(b, srcs[1], count, cells, &like);
   for (unsigned i = 0; i < count; i++)
      def_refs(b, &alu->def)[lanes[i]] = ref_cell(cells[i]);
}

static void
build_alu(struct builder *b, nir_alu_instr *alu)
{
   const nir_op_info *info = &nir_op_infos[alu->op];
   const unsigned count = alu->def.num_components;
   struct vs_ref srcs[4][4];

   if (nir_op_is_vec_or_mov(alu->op)) {
      for (unsigned i = 0; i < count; i++) {
         const nir_alu_src *src = &alu->src[alu->op == nir_op_mov ? 0 : i];
         def_refs(b, &alu->def)[i] = get_ref(b, src->src.ssa, src->swizzle[alu->op == nir_op_mov ? i : 0]);
      }
      pin_variables(b, &alu->def);
      return;
   }

   const unsigned src_lanes = info->output_size ? info->input_sizes[0] : count;
   for (unsigned s = 0; s < info->num_inputs; s++)
      alu_refs(b, alu, s, src_lanes, srcs[s]);

   if (alu->op == nir_op_fneg || alu->op == nir_op_fabs) {
      for (unsigned i = 0; i < count; i++) {
         struct vs_ref ref = srcs[0][i];
         ref.neg = alu->op == nir_op_fneg && !ref.neg;
         ref.abs |= alu->op == nir_op_fabs;
         def_refs(b, &alu->def)[i] = ref;
      }
      pin_variables(b, &alu->def);
      return;
   }

   const bool dot = alu->op == nir_op_fdot2 || alu->op == nir_op_fdot3 || alu->op == nir_op_fdot4;
   const enum vs_opcode opcode = opcode_of_alu(alu->op);
   if (opcode == VS_NUM_OPCODES && alu->op != nir_op_fcsel && !dot) {
      vs_fail(b->prog, "the vertex engine has no operation for NIR \"%s\"", info->name);
      return;
   }

   if (hoist_alu(b, alu, srcs, info->num_inputs, src_lanes))
      return;
   if (alu->op == nir_op_fcsel) {
      emit_select(b, alu, srcs);
      return;
   }
   if (alu->op == nir_op_fdot2) {
      emit_dot2(b, alu, srcs);
      return;
   }
   if (alu->op == nir_op_fdot4 && emit_homogeneous_dot(b, alu, srcs))
      return;

   struct vs_src operands[3];
   for (unsigned s = 0; s < info->num_inputs; s++)
      operands[s] = make_src(b, srcs[s], src_lanes);
   struct vs_op *op = emit(b, opcode, count);
   memcpy(op->src, operands, info->num_inputs * sizeof(operands[0]));
   op->saturate = alu->op == nir_op_fsat;
   set_results(b, &alu->def, op);
}

/* --- inputs, uniforms, outputs ------------------------------------------------------------------------------------- */

/* Offsets beyond this are not worth the registers around the array. */
#define MAX_PAD 16
#define MAX_PADDED_ARRAY 224

/*
 * The component of A0 that holds an index, clamped so that no read leaves the array whatever the program does.  Indices
 * are whole numbers, for which ARR forgives a little error, or any numbers that ARL rounds down.
 */
static uint8_t
get_address(struct builder *b, const struct vs_ref *index, int min, int max, enum vs_opcode opcode)
{
   util_dynarray_foreach(&b->addresses, struct address, known) {
      if (known->comp != VS_NONE && known->min == min && known->max == max && known->opcode == opcode &&
          memcmp(&known->index, index, sizeof(*index)) == 0)
         return known->comp;
   }

   struct vs_ref ref = *index;
   struct vs_ref low_limit = ref_const(vs_value_imm(b->prog, min)), high_limit = ref_const(vs_value_imm(b->prog, max));
   uint16_t cells[2];
   new_cells(b, 2, cells);

   struct vs_op *low = emit(b, VS_OP_MAX, 1);
   low->src[0] = src_from_refs(&ref, 1);
   low->src[1] = src_from_refs(&low_limit, 1);
   set_dst(b, low, &cells[0]);

   struct vs_op *high = emit(b, VS_OP_MIN, 1);
   high->src[0] = (struct vs_src){.file = VS_FILE_TEMP, .c = {cells[0]}};
   high->src[1] = src_from_refs(&high_limit, 1);
   set_dst(b, high, &cells[1]);

   const uint8_t comp = b->next_addr;
   b->next_addr = (b->next_addr + 1) % 4;
   struct vs_op *load = emit(b, opcode, 1);
   load->src[0] = (struct vs_src){.file = VS_FILE_TEMP, .c = {cells[1]}};
   load->set_addr[0] = comp;

   util_dynarray_foreach(&b->addresses, struct address, known) {
      if (known->comp == comp)
         known->comp = VS_NONE;
   }
   util_dynarray_append(&b->addresses, struct address,
                        ((struct address){.index = *index, .min = min, .max = max, .opcode = opcode, .comp = comp}));
   return comp;
}

/* x + constant, or floor(x); anything else is an index as a whole. */
static struct index
split_index(const nir_src *src)
{
   struct index index = {.def = src->ssa, .opcode = VS_OP_ARR};
   const nir_alu_instr *alu =
      src->ssa->parent_instr->type == nir_instr_type_alu ? nir_instr_as_alu(src->ssa->parent_instr) : NULL;

   if (alu && alu->op == nir_op_ffloor) {
      index.def = alu->src[0].src.ssa;
      index.comp = alu->src[0].swizzle[0];
      index.opcode = VS_OP_ARL;
   }
   for (unsigned i = 0; alu && alu->op == nir_op_fadd && i < 2; i++) {
      if (!nir_src_is_const(alu->src[i].src))
         continue;
      const float offset = nir_src_comp_as_float(alu->src[i].src, alu->src[i].swizzle[0]);
      if (offset >= 0.0f && offset <= MAX_PAD && offset == floorf(offset)) {
         index.def = alu->src[1 - i].src.ssa;
         index.comp = alu->src[1 - i].swizzle[0];
         index.offset = offset;
      }
   }
   return index;
}

static struct index_use *
find_index_use(struct builder *b, const struct index *index, unsigned slot, unsigned size)
{
   util_dynarray_foreach(&b->index_uses, struct index_use, use) {
      if (use->def == index->def && use->comp == index->comp && use->slot == slot && use->size == size)
         return use;
   }
   return NULL;
}

/* Notes by which offsets each array is read, before any code is made. */
static void
collect_index_uses(struct builder *b, nir_function_impl *impl)
{
   nir_foreach_block(block, impl) {
      nir_foreach_instr(instr, block) {
         if (instr->type != nir_instr_type_intrinsic)
            continue;
         const nir_intrinsic_instr *intr = nir_instr_as_intrinsic(instr);
         if (intr->intrinsic != nir_intrinsic_load_uniform || nir_src_is_const(intr->src[0]))
            continue;
         const unsigned slot = nir_intrinsic_base(intr), size = nir_intrinsic_range(intr);
         const struct index index = split_index(&intr->src[0]);
         struct index_use *use = find_index_use(b, &index, slot, size);
         if (!use) {
            util_dynarray_append(&b->index_uses, struct index_use,
                                 ((struct index_use){.def = index.def, .comp = index.comp, .slot = slot, .size = size}));
            use = util_dynarray_top_ptr(&b->index_uses, struct index_use);
         }
         use->max_offset = MAX2(use->max_offset, index.offset);
      }
   }
}

/* Relative reads go to cells at once: the address register has only four components. */
static void
build_relative_load(struct builder *b, const nir_intrinsic_instr *intr, struct vs_src src, uint8_t addr)
{
   struct vs_op *op = emit(b, VS_OP_MOV, intr->def.num_components);

   op->src[0] = src;
   op->addr = addr;
   set_results(b, &intr->def, op);
}

static unsigned
get_array(struct builder *b, unsigned slot, unsigned size, unsigned pad)
{
   util_dynarray_foreach(&b->prog->arrays, struct vs_array, array) {
      if (array->slot == slot && array->size == size) {
         array->pad = MAX2(array->pad, pad);
         return array - (struct vs_array *)b->prog->arrays.data;
      }
   }
   util_dynarray_append(&b->prog->arrays, struct vs_array,
                        ((struct vs_array){.slot = slot, .size = size, .pad = pad}));
   return util_dynarray_num_elements(&b->prog->arrays, struct vs_array) - 1;
}

static void
build_load_element(struct builder *b, const nir_intrinsic_instr *intr, unsigned slot, unsigned size)
{
   struct index index = split_index(&intr->src[0]);
   struct vs_ref ref = get_ref(b, index.def, index.comp);
   unsigned pad = find_index_use(b, &index, slot, size)->max_offset;

   /* the parts of the index may have changed since it was computed, and there may be no room around the array */
   if (ref.variable || size + 2 * pad > MAX_PADDED_ARRAY || (index.opcode == VS_OP_ARL && pad)) {
      index = (struct index){.def = intr->src[0].ssa, .opcode = VS_OP_ARR};
      ref = get_ref(b, index.def, 0);
      pad = 0;
   }
   struct vs_src src = {
      .file = VS_FILE_CONST,
      .relative = true,
      .base = get_array(b, slot, size, pad),
      .offset = index.offset,
      .c = {0, 1, 2, 3},
   };
   build_relative_load(b, intr, src, get_address(b, &ref, -(int)pad, size - 1, index.opcode));
}

static void
build_load_uniform(struct builder *b, const nir_intrinsic_instr *intr)
{
   const unsigned base = nir_intrinsic_base(intr);
   const unsigned range = nir_intrinsic_range(intr);

   if (nir_src_is_const(intr->src[0])) {
      for (unsigned i = 0; i < intr->def.num_components; i++)
         def_refs(b, &intr->def)[i] = ref_const(vs_value_uniform(b->prog, 4 * base + i));
      return;
   }
   if (range == 0 || range > TEGRA20_VS_MAX_CONSTS) {
      vs_fail(b->prog, "a uniform array with dynamic index needs %u constant registers, the chip has %u", range,
              TEGRA20_VS_MAX_CONSTS);
      return;
   }
   build_load_element(b, intr, base, range);
}

static void
build_load_input(struct builder *b, const nir_intrinsic_instr *intr)
{
   const unsigned base = nir_intrinsic_base(intr);
   const unsigned comp = nir_intrinsic_component(intr);
   const unsigned slots = nir_intrinsic_io_semantics(intr).num_slots;

   if (base + slots > TEGRA20_MAX_ATTRIBS) {
      vs_fail(b->prog, "vertex program needs attribute %u, the chip has %u", base + slots - 1, TEGRA20_MAX_ATTRIBS);
      return;
   }

   if (nir_src_is_const(intr->src[0])) {
      b->prog->attribs_read |= 1 << base;
      for (unsigned i = 0; i < intr->def.num_components; i++)
         def_refs(b, &intr->def)[i] = (struct vs_ref){.file = VS_FILE_ATTR, .base = base, .c = comp + i};
      return;
   }

   struct vs_ref index = get_ref(b, intr->src[0].ssa, 0);
   struct vs_src src = {.file = VS_FILE_ATTR, .relative = true, .base = base};
   for (unsigned i = 0; i < 4; i++)
      src.c[i] = MIN2(comp + i, 3);
   b->prog->attribs_read |= BITFIELD_RANGE(base, slots);
   build_relative_load(b, intr, src, get_address(b, &index, 0, slots - 1, VS_OP_ARR));
}

static bool
is_ignored_output(unsigned slot)
{
   /* No hardware uses them: polygon modes are drawn without edge flags, clip planes come as clip distances. */
   return slot == VARYING_SLOT_EDGE || slot == VARYING_SLOT_CLIP_VERTEX;
}

static void
build_store_output(struct builder *b, const nir_intrinsic_instr *intr)
{
   const unsigned slot = nir_intrinsic_io_semantics(intr).location;
   const unsigned first = nir_intrinsic_component(intr);
   const bool color = slot == VARYING_SLOT_COL0 || slot == VARYING_SLOT_COL1 || slot == VARYING_SLOT_BFC0 ||
                      slot == VARYING_SLOT_BFC1;
   struct vs_op like = {.cond = VS_COND_TRUE, .export = b->export_of_slot[slot]};
   struct vs_ref refs[4];
   unsigned count = 0;

   if (is_ignored_output(slot))
      return;
   u_foreach_bit(c, nir_intrinsic_write_mask(intr)) {
      like.pred[count] = VS_NONE;
      like.export_comp[count] = first + c;
      b->prog->export_components[like.export] |= 1 << (first + c);
      refs[count++] = get_ref(b, intr->src[0].ssa, c);
   }
   like.saturate = color && b->prog->key->clamp_color;
   harmonize_constants(b, refs, count);
   emit_moves(b, refs, count, NULL, &like);
}

static void
build_intrinsic(struct builder *b, const nir_intrinsic_instr *intr)
{
   switch (intr->intrinsic) {
   case nir_intrinsic_load_uniform:
      build_load_uniform(b, intr);
      break;
   case nir_intrinsic_load_input:
      build_load_input(b, intr);
      break;
   case nir_intrinsic_store_output:
      build_store_output(b, intr);
      break;
   case nir_intrinsic_decl_reg: {
      uint16_t cells[4];
      new_cells(b, nir_intrinsic_num_components(intr), cells);
      for (unsigned i = 0; i < nir_intrinsic_num_components(intr); i++)
         def_refs(b, &intr->def)[i] = (struct vs_ref){.file = VS_FILE_TEMP, .variable = true, .c = cells[i]};
      break;
   }
   case nir_intrinsic_load_reg:
      memcpy(def_refs(b, &intr->def), def_refs(b, intr->src[0].ssa), 4 * sizeof(struct vs_ref));
      break;
   case nir_intrinsic_store_reg: {
      struct vs_ref refs[4];
      uint16_t cells[4];
      unsigned count = 0;
      u_foreach_bit(c, nir_intrinsic_write_mask(intr)) {
         refs[count] = get_ref(b, intr->src[0].ssa, c);
         cells[count++] = def_refs(b, intr->src[1].ssa)[c].c;
      }
      harmonize_constants(b, refs, count);
      for (unsigned i = 0; i < count; i++)
         forget_cell(b, cells[i]);
      emit_moves(b, refs, count, cells, NULL);
      break;
   }
   default:
      vs_fail(b->prog, "the vertex engine cannot do \"%s\"", nir_intrinsic_infos[intr->intrinsic].name);
      break;
   }
}

/* --- control flow -------------------------------------------------------------------------------------------------- */

static void build_cf_list(struct builder *b, struct exec_list *list);

/* Begins the next block; falls is false behind an unconditional jump. */
static struct vs_block *
start_block(struct builder *b, struct vs_block *next, bool falls)
{
   if (falls)
      b->block->succ[0] = next->index;
   b->block = next;
   next->loop_depth = b->loop_depth;
   forget_block_state(b);
   return next;
}

static void
emit_jump(struct builder *b, struct vs_block *target)
{
   struct vs_op *op = emit(b, VS_OP_BRA, 0);

   op->target = target->index;
   b->block->succ[1] = target->index;
}

static bool
ends_with_jump(const struct vs_block *block)
{
   const unsigned count = vs_num_ops(block);
   return count && vs_get_op(block, count - 1)->opcode == VS_OP_BRA && !vs_is_predicated(vs_get_op(block, count - 1));
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
   const unsigned cond = get_condition(b, nif->condition.ssa, &comp, 1, &cell);
   struct vs_op *branch = emit(b, VS_OP_BRA, 0);
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
         over = emit(b, VS_OP_BRA, 0);
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
   struct vs_block *outer_break = b->break_block, *outer_continue = b->continue_block;

   b->prog->num_loops++;
   b->loop_depth++;
   struct vs_block *header = start_block(b, vs_block_create(b->prog), true);
   /* The block behind the loop gets its place in the order when the body is complete. */
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
   nir_foreach_instr(instr, nblock) {
      b->instr = instr;
      switch (instr->type) {
      case nir_instr_type_alu:
         build_alu(b, nir_instr_as_alu(instr));
         break;
      case nir_instr_type_intrinsic:
         build_intrinsic(b, nir_instr_as_intrinsic(instr));
         break;
      case nir_instr_type_load_const: {
         const nir_load_const_instr *load = nir_instr_as_load_const(instr);
         for (unsigned i = 0; i < load->def.num_components && load->def.bit_size == 32; i++)
            def_refs(b, &load->def)[i] = ref_const(vs_value_imm(b->prog, load->value[i].f32));
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
            vs_fail(b->prog, "vertex program has a jump that is neither break nor continue");
         break;
      case nir_instr_type_tex:
         vs_fail(b->prog, "vertex program samples a texture: the chip has 0 vertex texture units");
         break;
      default:
         vs_fail(b->prog, "vertex program has a NIR instruction of unexpected type %u", instr->type);
         break;
      }
   }
   b->instr = NULL;
}

static void
build_cf_list(struct builder *b, struct exec_list *list)
{
   foreach_list_typed(nir_cf_node, node, node, list) {
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

/* Position is export 0; the other outputs follow in the order of their slots. */
static void
assign_exports(struct builder *b, nir_shader *nir)
{
   uint64_t written = 0;
   unsigned count = 1;

   nir_foreach_block(block, nir_shader_get_entrypoint(nir)) {
      nir_foreach_instr(instr, block) {
         if (instr->type != nir_instr_type_intrinsic)
            continue;
         nir_intrinsic_instr *intr = nir_instr_as_intrinsic(instr);
         if (intr->intrinsic != nir_intrinsic_store_output)
            continue;
         const unsigned slot = nir_intrinsic_io_semantics(intr).location;
         if (slot >= 64)
            vs_fail(b->prog, "vertex program writes output slot %u, which the chip cannot pass on", slot);
         else if (!is_ignored_output(slot))
            written |= BITFIELD64_BIT(slot);
      }
   }

   b->prog->exports_written = 1;
   b->prog->export_slot[0] = VARYING_SLOT_POS;
   u_foreach_bit64(slot, written & ~VARYING_BIT_POS) {
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
      vs_fail(b->prog, "vertex program writes %u outputs with the position, the chip has %u", count,
              TEGRA20_MAX_EXPORTS);
}

void
vs_build(struct vs_program *prog, nir_shader *nir)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   struct builder b = {.prog = prog};

   util_dynarray_init(&b.moved, prog);
   util_dynarray_init(&b.addresses, prog);
   util_dynarray_init(&b.index_uses, prog);
   b.refs = rzalloc_array(prog, struct vs_ref, 4 * (impl->ssa_alloc + 1));
   b.block = vs_block_create(prog);
   assign_exports(&b, nir);
   collect_index_uses(&b, impl);
   if (!prog->error)
      build_cf_list(&b, &impl->body);
}
