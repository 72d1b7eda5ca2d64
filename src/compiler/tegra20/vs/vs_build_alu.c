/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Arithmetic, conditions and selections of the vertex IR builder.
 */

#include <float.h>

#include "tegra20/tegra20_hw.h"

#include "vs_build.h"

void
vsb_set_results(struct builder *b, const nir_def *def, struct vs_op *op)
{
   uint16_t cells[4] = { 0 };

   vsb_new_cells(b, op->lanes, cells);
   vsb_set_dst(b, op, cells);
   for (unsigned i = 0; i < def->num_components; i++)
      vsb_def_refs(b, def)[i] = vsb_ref_cell(cells[i]);
}

static uint16_t
value_dot(struct builder *b, struct vs_ref srcs[][4], unsigned count)
{
   uint16_t sum = TEGRA20_NO_VALUE;

   for (unsigned i = 0; i < count; i++) {
      const uint16_t factors[2] = { vsb_plain_value(b, &srcs[0][i]),
                                    vsb_plain_value(b, &srcs[1][i]) };
      const uint16_t product = vs_value_alu(b->prog, nir_op_fmul, 2, factors);
      const uint16_t terms[2] = { sum, product };
      sum = i == 0 ? product : vs_value_alu(b->prog, nir_op_fadd, 2, terms);
   }
   return sum;
}

/* Operations whose operands are all constant are left to the CPU. */
static bool
hoist_alu(struct builder *b, const nir_alu_instr *alu,
          struct vs_ref srcs[][4], unsigned num_srcs, unsigned src_lanes)
{
   for (unsigned s = 0; s < num_srcs; s++) {
      for (unsigned i = 0; i < src_lanes; i++) {
         if (srcs[s][i].file != VS_FILE_CONST)
            return false;
      }
   }

   if (nir_op_infos[alu->op].output_size != 0) {
      vsb_def_refs(b, &alu->def)[0] =
         vsb_ref_const(value_dot(b, srcs, src_lanes));
      return true;
   }
   for (unsigned i = 0; i < alu->def.num_components; i++) {
      uint16_t values[3];
      for (unsigned s = 0; s < num_srcs; s++)
         values[s] = vsb_plain_value(b, &srcs[s][i]);
      vsb_def_refs(b, &alu->def)[i] =
         vsb_ref_const(vs_value_alu(b->prog, alu->op, num_srcs, values));
   }
   return true;
}

/* A vector of two: DP3 when a constant can supply the zero, else two
 * operations. */
static void
emit_dot2(struct builder *b, const nir_alu_instr *alu,
          struct vs_ref srcs[][4])
{
   for (unsigned s = 0; s < 2; s++) {
      if (srcs[s][0].file != VS_FILE_CONST ||
          srcs[s][1].file != VS_FILE_CONST)
         continue;
      srcs[s][2] = vsb_ref_const(vs_value_imm(b->prog, 0.0f));
      srcs[1 - s][2] = srcs[1 - s][0];
      struct vs_src factors[2] = { vsb_make_src(b, srcs[0], 3),
                                   vsb_make_src(b, srcs[1], 3) };
      struct vs_op *op = vsb_emit(b, VS_OP_DP3, 1);
      memcpy(op->src, factors, sizeof(factors));
      vsb_set_results(b, &alu->def, op);
      return;
   }

   uint16_t product;
   struct vs_src y[2] = { vsb_make_src(b, &srcs[0][1], 1),
                          vsb_make_src(b, &srcs[1][1], 1) };
   struct vs_src x[2] = { vsb_make_src(b, &srcs[0][0], 1),
                          vsb_make_src(b, &srcs[1][0], 1) };
   struct vs_op *mul = vsb_emit(b, VS_OP_MUL, 1);
   memcpy(mul->src, y, sizeof(y));
   vsb_new_cells(b, 1, &product);
   vsb_set_dst(b, mul, &product);

   struct vs_op *mad = vsb_emit(b, VS_OP_MAD, 1);
   memcpy(mad->src, x, sizeof(x));
   mad->src[2] = (struct vs_src){ .file = VS_FILE_TEMP, .c = { product } };
   vsb_set_results(b, &alu->def, mad);
}

/* fdot4(vec4(a, 1.0), b) is DP3 and an addition, without assembling the
 * vector. */
static bool
emit_homogeneous_dot(struct builder *b, const nir_alu_instr *alu,
                     struct vs_ref srcs[][4])
{
   for (unsigned s = 0; s < 2; s++) {
      if (!vsb_is_imm(b, &srcs[s][3], 1.0f) ||
          srcs[s][0].file == VS_FILE_CONST)
         continue;

      struct vs_src factors[2] = { vsb_make_src(b, srcs[s], 3),
                                   vsb_make_src(b, srcs[1 - s], 3) };
      struct vs_src addend = vsb_make_src(b, &srcs[1 - s][3], 1);
      uint16_t dot;
      struct vs_op *op = vsb_emit(b, VS_OP_DP3, 1);
      memcpy(op->src, factors, sizeof(factors));
      vsb_new_cells(b, 1, &dot);
      vsb_set_dst(b, op, &dot);

      struct vs_op *add = vsb_emit(b, VS_OP_ADD, 1);
      add->src[0] = (struct vs_src){ .file = VS_FILE_TEMP, .c = { dot } };
      add->src[1] = addend;
      vsb_set_results(b, &alu->def, add);
      return true;
   }
   return false;
}

/* --- functions of several operations --- */

/* One operation of one lane; absent operands have no file. */
static struct vs_ref
emit_step(struct builder *b, enum vs_opcode opcode, struct vs_ref x,
          struct vs_ref y, struct vs_ref z)
{
   struct vs_ref *refs[3] = { &x, &y, &z };
   struct vs_op *op = vsb_emit(b, opcode, 1);
   uint16_t cell = vs_new_cell(b->prog);

   for (unsigned s = 0; s < vs_info(op)->num_srcs; s++)
      op->src[s] = vsb_src_from_refs(refs[s], 1);
   vsb_set_dst(b, op, &cell);
   return vsb_ref_cell(cell);
}

static struct vs_ref
imm(struct builder *b, float value)
{
   return vsb_ref_const(vs_value_imm(b->prog, value));
}

/*
 * Operand 0 kept above zero: RSQ and LG2 of zero are special values that
 * nothing should depend on (assumption A10). max(x, 0) needs no second
 * operation.
 */
static struct vs_ref
emit_positive(struct builder *b, const nir_alu_instr *alu, struct vs_ref x)
{
   const nir_alu_instr *max = nir_src_as_alu_instr(alu->src[0].src);

   for (unsigned i = 0; max && max->op == nir_op_fmax && i < 2; i++) {
      const unsigned comp = alu->src[0].swizzle[0];
      const struct vs_ref zero =
         vsb_get_ref(b, max->src[i].src.ssa, max->src[i].swizzle[comp]);
      const struct vs_ref other = vsb_get_ref(b, max->src[1 - i].src.ssa,
                                              max->src[1 - i].swizzle[comp]);
      if (vsb_is_imm(b, &zero, 0.0f) && !other.variable) {
         x = other;
         break;
      }
   }
   return emit_step(b, VS_OP_MAX, x, imm(b, FLT_MIN), (struct vs_ref){ 0 });
}

/* SIN and COS take radians and are asked for -pi..pi only (assumption A11).
 */
static struct vs_ref
emit_reduced_angle(struct builder *b, struct vs_ref x)
{
   const struct vs_ref none = { 0 };
   const struct vs_ref turns =
      emit_step(b, VS_OP_MAD, x, imm(b, 0.5 / M_PI), imm(b, 0.5f));

   /* assumption A11: the engine takes radians, or turns */
   const double turn = TEGRA20_HW_IS(VERTEX_ANGLES, TURNS) ? 1.0 : 2.0 * M_PI;

   return emit_step(b, VS_OP_MAD, emit_step(b, VS_OP_FRC, turns, none, none),
                    imm(b, turn), imm(b, -0.5 * turn));
}

/* Functions that the engine builds from others. */
static void
emit_function(struct builder *b, const nir_alu_instr *alu,
              struct vs_ref srcs[][4])
{
   const struct vs_ref none = { 0 }, x = srcs[0][0];
   struct vs_ref result;

   switch (alu->op) {
   case nir_op_fpow:
      result = emit_step(b, VS_OP_LG2, emit_positive(b, alu, x), none, none);
      result = emit_step(b, VS_OP_MUL, result, srcs[1][0], none);
      result = emit_step(b, VS_OP_EX2, result, none, none);
      break;
   case nir_op_fsqrt:
      result = emit_step(b, VS_OP_RSQ, emit_positive(b, alu, x), none, none);
      result = emit_step(b, VS_OP_MUL, x, result, none);
      break;
   case nir_op_fsin:
   case nir_op_fcos:
      result = emit_reduced_angle(b, x);
      result = emit_step(b, alu->op == nir_op_fsin ? VS_OP_SIN : VS_OP_COS,
                         result, none, none);
      break;
   default:
      unreachable("not such a function");
   }
   vsb_def_refs(b, &alu->def)[0] = result;
}

static enum vs_opcode
opcode_of_alu(nir_op op)
{
   switch (op) {
   case nir_op_fadd:
      return VS_OP_ADD;
   case nir_op_fmul:
      return VS_OP_MUL;
   case nir_op_ffma:
      return VS_OP_MAD;
   case nir_op_fmin:
      return VS_OP_MIN;
   case nir_op_fmax:
      return VS_OP_MAX;
   case nir_op_slt:
      return VS_OP_SLT;
   case nir_op_sge:
      return VS_OP_SGE;
   case nir_op_seq:
      return VS_OP_SEQ;
   case nir_op_sne:
      return VS_OP_SNE;
   case nir_op_fsign:
      return VS_OP_SSG;
   case nir_op_ffract:
      return VS_OP_FRC;
   case nir_op_ffloor:
      return VS_OP_FLR;
   case nir_op_fdot3:
      return VS_OP_DP3;
   case nir_op_fdot4:
      return VS_OP_DP4;
   case nir_op_frcp:
      return VS_OP_RCP;
   case nir_op_frsq:
      return VS_OP_RSQ;
   case nir_op_fexp2:
      return VS_OP_EX2;
   case nir_op_flog2:
      return VS_OP_LG2;
   case nir_op_fsat:
      return VS_OP_MOV;
   default:
      return VS_NUM_OPCODES;
   }
}

/* --- conditions --- */

/*
 * Conditions that are set together share a register and lie next to each
 * other.  Going round through both registers keeps the cells that were set
 * last valid for as long as possible.
 */
static uint8_t
allocate_cr(struct builder *b, unsigned count)
{
   if (b->next_cr % 4 + count > 4)
      b->next_cr = (b->next_cr / 4 + 1) * 4;
   const uint8_t cell = b->next_cr % VS_NUM_CR_CELLS;

   b->next_cr = (cell + count) % VS_NUM_CR_CELLS;
   return cell;
}

static unsigned
mirror(unsigned cond)
{
   return (cond & VS_COND_EQ) | (cond & VS_COND_LT ? VS_COND_GT : 0) |
          (cond & VS_COND_GT ? VS_COND_LT : 0);
}

/* How a comparison of a with b is tested once the sign of a - b is known. */
static unsigned
cond_of_comparison(nir_op op)
{
   switch (op) {
   case nir_op_slt:
      return VS_COND_LT;
   case nir_op_sge:
      return VS_COND_GE;
   case nir_op_seq:
      return VS_COND_EQ;
   case nir_op_sne:
      return VS_COND_NE;
   default:
      return 0;
   }
}

/*
 * The operation that sets condition cells from components of a boolean value,
 * and the test that then means true. Comparisons with zero only need the sign
 * of the other operand; other comparisons set the cells themselves.
 */
static struct vs_op *
emit_condition_set(struct builder *b, const nir_def *def,
                   const uint8_t *comps, unsigned count, unsigned *cond)
{
   const nir_alu_instr *alu = def->parent_instr->type == nir_instr_type_alu
                                 ? nir_instr_as_alu(def->parent_instr)
                                 : NULL;
   unsigned test = alu ? cond_of_comparison(alu->op) : 0;
   struct vs_ref operands[2][4];

   /* the CPU has compared already */
   if (vsb_get_ref(b, def, comps[0]).file == VS_FILE_CONST)
      test = 0;

   for (unsigned s = 0; test && s < 2; s++) {
      for (unsigned i = 0; i < count; i++)
         operands[s][i] = vsb_get_ref(b, alu->src[s].src.ssa,
                                      alu->src[s].swizzle[comps[i]]);
   }
   if (test &&
       (vsb_any_variable(operands[0], count) ||
        vsb_any_variable(operands[1], count)) &&
       !vsb_variables_unchanged(&alu->instr, b->nir_block, b->instr))
      test = 0;

   for (unsigned s = 0; test && s < 2; s++) {
      bool zero = true;
      for (unsigned i = 0; i < count; i++)
         zero &= vsb_is_imm(b, &operands[s][i], 0.0f);
      if (!zero)
         continue;

      /* "== 0.0" is also how "not" arrives here: look through it */
      const nir_def *other = alu->src[1 - s].src.ssa;
      uint8_t other_comps[4];
      for (unsigned i = 0; i < count; i++)
         other_comps[i] = alu->src[1 - s].swizzle[comps[i]];
      const nir_alu_instr *inner =
         other->parent_instr->type == nir_instr_type_alu
            ? nir_instr_as_alu(other->parent_instr)
            : NULL;
      if ((test == VS_COND_EQ || test == VS_COND_NE) && inner &&
          cond_of_comparison(inner->op)) {
         struct vs_op *op =
            emit_condition_set(b, other, other_comps, count, cond);
         *cond = test == VS_COND_EQ ? 7 ^ *cond : *cond;
         return op;
      }

      struct vs_src src = vsb_make_src(b, operands[1 - s], count);
      struct vs_op *op = vsb_emit(b, VS_OP_MOV, count);
      op->src[0] = src;
      *cond = s == 1 ? test : mirror(test);
      return op;
   }

   *cond = VS_COND_NE;
   if (test) {
      struct vs_src srcs[2] = { vsb_make_src(b, operands[0], count),
                                vsb_make_src(b, operands[1], count) };
      struct vs_op *op = vsb_emit(b, opcode_of_alu(alu->op), count);
      memcpy(op->src, srcs, sizeof(srcs));
      return op;
   }

   struct vs_ref refs[4];
   for (unsigned i = 0; i < count; i++)
      refs[i] = vsb_get_ref(b, def, comps[i]);
   struct vs_src src = vsb_make_src(b, refs, count);
   struct vs_op *op = vsb_emit(b, VS_OP_MOV, count);
   op->src[0] = src;
   return op;
}

/* Makes components of a boolean testable: fills the CR cell of each, returns
 * the test. */
unsigned
vsb_get_condition(struct builder *b, const nir_def *def, const uint8_t *comps,
                  unsigned count, uint8_t *cells)
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
      for (unsigned cell = 0; cell < VS_NUM_CR_CELLS; cell++) {
         const struct condition *known = &b->conditions[cell];
         if (known->def == def && known->comp == comps[i] &&
             (found == 0 || cells[0] / 4 == cell / 4)) {
            cells[i] = cell;
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
      b->conditions[first + j] =
         (struct condition){ .def = def, .comp = unique[j], .cond = cond };
      for (unsigned i = 0; i < count; i++) {
         if (comps[i] == unique[j])
            cells[i] = first + j;
      }
   }
   return cond;
}

/*
 * d = c != 0 ? x : y becomes d = y; if (c) d = x.  Both moves usually fold
 * into the operations that compute x and y.  Components that are the same on
 * both sides need no selection.
 */
static void
emit_select(struct builder *b, const nir_alu_instr *alu,
            struct vs_ref srcs[][4])
{
   struct vs_op like = { .export = VS_NONE };
   uint16_t cells[4] = { 0 };
   uint8_t comps[4];
   unsigned lanes[4], count = 0;

   for (unsigned i = 0; i < alu->def.num_components; i++) {
      if (memcmp(&srcs[1][i], &srcs[2][i], sizeof(srcs[1][i])) == 0 &&
          !srcs[1][i].variable) {
         vsb_def_refs(b, &alu->def)[i] = srcs[1][i];
         continue;
      }
      comps[count] = alu->src[0].swizzle[i];
      srcs[1][count] = srcs[1][i];
      srcs[2][count] = srcs[2][i];
      lanes[count++] = i;
   }
   if (count == 0)
      return;

   vsb_harmonize_constants(b, srcs[1], count);
   vsb_harmonize_constants(b, srcs[2], count);
   like.cond =
      vsb_get_condition(b, alu->src[0].src.ssa, comps, count, like.pred);
   vsb_new_cells(b, count, cells);
   vsb_emit_moves(b, srcs[2], count, cells, NULL);
   vsb_emit_moves(b, srcs[1], count, cells, &like);
   for (unsigned i = 0; i < count; i++)
      vsb_def_refs(b, &alu->def)[lanes[i]] = vsb_ref_cell(cells[i]);
}

void
vsb_build_alu(struct builder *b, nir_alu_instr *alu)
{
   const nir_op_info *info = &nir_op_infos[alu->op];
   const unsigned count = alu->def.num_components;
   struct vs_ref srcs[4][4];

   if (nir_op_is_vec_or_mov(alu->op)) {
      for (unsigned i = 0; i < count; i++) {
         const nir_alu_src *src = &alu->src[alu->op == nir_op_mov ? 0 : i];
         vsb_def_refs(b, &alu->def)[i] = vsb_get_ref(
            b, src->src.ssa, src->swizzle[alu->op == nir_op_mov ? i : 0]);
      }
      vsb_pin_variables(b, &alu->def);
      return;
   }

   const unsigned src_lanes =
      info->output_size ? info->input_sizes[0] : count;
   for (unsigned s = 0; s < info->num_inputs; s++)
      vsb_alu_refs(b, alu, s, src_lanes, srcs[s]);

   if (alu->op == nir_op_fneg || alu->op == nir_op_fabs) {
      for (unsigned i = 0; i < count; i++) {
         struct vs_ref ref = srcs[0][i];
         ref.neg = alu->op == nir_op_fneg && !ref.neg;
         ref.abs |= alu->op == nir_op_fabs;
         vsb_def_refs(b, &alu->def)[i] = ref;
      }
      vsb_pin_variables(b, &alu->def);
      return;
   }

   const bool dot = alu->op == nir_op_fdot2 || alu->op == nir_op_fdot3 ||
                    alu->op == nir_op_fdot4;
   const bool function = alu->op == nir_op_fpow || alu->op == nir_op_fsqrt ||
                         alu->op == nir_op_fsin || alu->op == nir_op_fcos;
   const enum vs_opcode opcode = opcode_of_alu(alu->op);
   if (opcode == VS_NUM_OPCODES && alu->op != nir_op_fcsel && !dot &&
       !function) {
      vs_fail(b->prog, "the vertex engine has no operation for NIR \"%s\"",
              info->name);
      return;
   }

   if (hoist_alu(b, alu, srcs, info->num_inputs, src_lanes))
      return;
   if (function) {
      emit_function(b, alu, srcs);
      return;
   }
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
      operands[s] = vsb_make_src(b, srcs[s], src_lanes);
   struct vs_op *op = vsb_emit(b, opcode, count);
   memcpy(op->src, operands, info->num_inputs * sizeof(operands[0]));
   op->saturate = alu->op == nir_op_fsat;
   vsb_set_results(b, &alu->def, op);
}
