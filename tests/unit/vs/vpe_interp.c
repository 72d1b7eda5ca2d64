/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "vpe_interp.h"

#include <math.h>
#include <string.h>

#include "vpe_isa.h"

#define MAX_STEPS 65536

enum sign { EQUAL, LESS, GREATER };

struct machine {
   struct vpe_state *state;
   struct vpe_inst inst;
   float temps[32][4];
   bool written[32][4];
   uint8_t cr[2][4];
   int a0[4];
   bool a0_written[4];
   unsigned pc;
};

static void
fail(struct machine *m, const char *reason)
{
   if (!m->state->error) {
      m->state->error = reason;
      m->state->error_inst = m->pc;
   }
}

static float
flush(float v)
{
   return fpclassify(v) == FP_SUBNORMAL ? copysignf(0.0f, v) : v;
}

static int
address(struct machine *m)
{
   if (!m->a0_written[m->inst.address_select])
      fail(m, "relative access by a component of A0 that was not written");
   return m->a0[m->inst.address_select];
}

/* Reads component lane of operand 0..2 (rA, rB, rC). */
static float
read_operand(struct machine *m, unsigned which, unsigned lane)
{
   const struct vpe_inst *i = &m->inst;
   const uint8_t types[3] = {i->ra_type, i->rb_type, i->rc_type};
   const uint8_t indices[3] = {i->ra_index, i->rb_index, i->rc_index};
   const uint8_t *swizzles[3] = {i->ra_swizzle, i->rb_swizzle, i->rc_swizzle};
   const bool negate[3] = {i->ra_negate, i->rb_negate, i->rc_negate};
   const bool absolute[3] = {i->ra_absolute, i->rb_absolute, i->rc_absolute};
   const unsigned comp = swizzles[which][lane];
   float v = 0.0f;

   switch (types[which]) {
   case VPE_OPERAND_TYPE_TEMP:
      if (!m->written[indices[which]][comp])
         fail(m, "reads a temporary that was not written");
      v = m->temps[indices[which]][comp];
      break;
   case VPE_OPERAND_TYPE_ATTRIBUTE: {
      const int index = i->attribute_index + (i->attribute_relative ? address(m) : 0);
      if (index < 0 || index > 15)
         fail(m, "reads an attribute out of range");
      else
         v = m->state->attribs[index][comp];
      break;
   }
   case VPE_OPERAND_TYPE_CONSTANT: {
      const int index = i->constant_index + (i->const_relative ? address(m) : 0);
      if (index < 0 || index > 255)
         fail(m, "reads a constant out of range");
      else
         v = m->state->consts[index][comp];
      break;
   }
   default:
      fail(m, "reads an operand of type 0");
      break;
   }
   v = absolute[which] ? fabsf(v) : v;
   return flush(negate[which] ? -v : v);
}

static float
vector_component(struct machine *m, unsigned c)
{
#define A read_operand(m, 0, c)
#define B read_operand(m, 1, c)
#define C read_operand(m, 2, c)
   switch (m->inst.vector_op) {
   case VPE_VECTOR_MOV: return A;
   case VPE_VECTOR_MUL: return A * B;
   case VPE_VECTOR_ADD: return A + C;
   case VPE_VECTOR_MAD: return flush(A * B) + C;
   case VPE_VECTOR_MIN: return fminf(A, B);
   case VPE_VECTOR_MAX: return fmaxf(A, B);
   case VPE_VECTOR_SLT: return A < B;
   case VPE_VECTOR_SGE: return A >= B;
   case VPE_VECTOR_SEQ: return A == B;
   case VPE_VECTOR_SNE: return A != B;
   case VPE_VECTOR_SGT: return A > B;
   case VPE_VECTOR_SLE: return A <= B;
   case VPE_VECTOR_SFL: return 0.0f;
   case VPE_VECTOR_STR: return 1.0f;
   case VPE_VECTOR_SSG: {
      const float a = A;
      return (a > 0.0f) - (a < 0.0f);
   }
   case VPE_VECTOR_FRC: {
      const float a = A;
      return a - floorf(a);
   }
   case VPE_VECTOR_FLR:
   case VPE_VECTOR_ARL: return floorf(A);
   case VPE_VECTOR_ARR: return rintf(A);
   default:
      fail(m, "vector opcode that the compiler does not use");
      return 0.0f;
   }
#undef A
#undef B
#undef C
}

static void
vector_result(struct machine *m, float result[4])
{
   const unsigned op = m->inst.vector_op;

   if (op == VPE_VECTOR_DP3 || op == VPE_VECTOR_DP4) {
      float sum = 0.0f;
      for (unsigned c = 0; c < (op == VPE_VECTOR_DP3 ? 3 : 4); c++)
         sum = flush(sum + flush(read_operand(m, 0, c) * read_operand(m, 1, c)));
      for (unsigned c = 0; c < 4; c++)
         result[c] = sum;
      return;
   }
   for (unsigned c = 0; c < 4; c++)
      result[c] = m->inst.vector_mask & (1 << c) ? flush(vector_component(m, c)) : 0.0f;
}

static void
scalar_result(struct machine *m, float result[4])
{
   double v = 0.0;

   if (m->inst.scalar_op == VPE_SCALAR_MOV) {
      for (unsigned c = 0; c < 4; c++)
         result[c] = m->inst.scalar_mask & (1 << c) ? read_operand(m, 2, c) : 0.0f;
      return;
   }
   const double x = read_operand(m, 2, 0);
   switch (m->inst.scalar_op) {
   case VPE_SCALAR_RCP: v = 1.0 / x; break;
   case VPE_SCALAR_RSQ: v = 1.0 / sqrt(x); break;
   case VPE_SCALAR_LG2: v = log2(x); break;
   case VPE_SCALAR_EX2: v = exp2(x); break;
   case VPE_SCALAR_SIN:
   case VPE_SCALAR_COS:
      if (fabs(x) > 3.1416)
         fail(m, "SIN or COS of an angle outside -pi..pi");
      v = m->inst.scalar_op == VPE_SCALAR_SIN ? sin(x) : cos(x);
      break;
   default:
      fail(m, "scalar opcode that the compiler does not use");
      break;
   }
   for (unsigned c = 0; c < 4; c++)
      result[c] = flush((float)v);
}

static bool
passes(const struct machine *m, unsigned c)
{
   switch (m->cr[m->inst.condition_register][m->inst.predicate_swizzle[c]]) {
   case LESS: return m->inst.pred_lt;
   case EQUAL: return m->inst.pred_eq;
   default: return m->inst.pred_gt;
   }
}

static void
write_temp(struct machine *m, unsigned rd, unsigned mask, const float result[4])
{
   if (rd == 63 || mask == 0)
      return;
   if (rd > 31) {
      fail(m, "destination register out of range");
      return;
   }
   for (unsigned c = 0; c < 4; c++) {
      if (mask & (1 << c)) {
         m->temps[rd][c] = result[c];
         m->written[rd][c] = true;
      }
   }
}

static bool
sets_address(const struct vpe_inst *inst)
{
   return inst->vector_op == VPE_VECTOR_ARL || inst->vector_op == VPE_VECTOR_ARR;
}

static void
write_address(struct machine *m, unsigned mask, const float result[4])
{
   if (m->inst.vector_rd & 1 && m->inst.vector_rd != 63)
      fail(m, "address load with odd destination");
   for (unsigned c = 0; c < 4; c++) {
      if (mask & (1 << c)) {
         m->a0[c] = (int)result[c];
         m->a0_written[c] = true;
      }
   }
}

static void
check_rules(struct machine *m)
{
   const struct vpe_inst *i = &m->inst;
   const bool scalar_writes = i->scalar_op && i->scalar_mask && i->scalar_rd < 32;

   if (i->vector_op && i->vector_mask && !sets_address(i) && scalar_writes && i->vector_rd == i->scalar_rd)
      fail(m, "both halves write one register");
   if (i->export_index > 15 && i->export_index != 31)
      fail(m, "export out of range");
   if (i->ra_index > 31 || i->rb_index > 31 || i->rc_index > 31)
      fail(m, "operand index out of range");
}

static void
write_back(struct machine *m, float vector[4], float scalar[4])
{
   const struct vpe_inst *i = &m->inst;
   unsigned enabled = 0xf;

   for (unsigned c = 0; c < 4; c++) {
      if (i->saturate) {
         vector[c] = fminf(fmaxf(vector[c], 0.0f), 1.0f);
         scalar[c] = fminf(fmaxf(scalar[c], 0.0f), 1.0f);
      }
      if (i->condition_check && !passes(m, c))
         enabled &= ~(1 << c);
   }

   const unsigned vmask = i->vector_op ? i->vector_mask & enabled : 0;
   const bool has_scalar = i->scalar_op && i->scalar_op != VPE_SCALAR_BRA;
   const unsigned smask = has_scalar ? i->scalar_mask & enabled : 0;
   if (sets_address(i))
      write_address(m, vmask, vector);
   else
      write_temp(m, i->vector_rd, vmask, vector);
   write_temp(m, i->scalar_rd, smask, scalar);

   for (unsigned c = 0; c < 4 && i->export_index < 16; c++) {
      if ((i->export_vector ? vmask : smask) & (1 << c))
         m->state->exports[i->export_index][c] = i->export_vector ? vector[c] : scalar[c];
   }
   for (unsigned c = 0; c < 4 && i->condition_set && i->condition_write; c++) {
      const float v = i->vector_op ? vector[c] : scalar[c];
      if ((i->vector_op ? vmask : smask) & (1 << c))
         m->cr[i->condition_register][c] = v < 0.0f ? LESS : v > 0.0f ? GREATER : EQUAL;
   }
}

static bool
takes_branch(struct machine *m)
{
   const struct vpe_inst *i = &m->inst;

   if (i->scalar_op != VPE_SCALAR_BRA)
      return false;
   if (!i->condition_check) {
      if (!i->pred_lt || !i->pred_eq || !i->pred_gt)
         fail(m, "conditional branch without condition check");
      return true;
   }
   for (unsigned c = 1; c < 4; c++) {
      if (i->predicate_swizzle[c] != i->predicate_swizzle[0])
         fail(m, "branch on several conditions");
   }
   return passes(m, 0);
}

void
vpe_interpret(const uint32_t (*insts)[4], unsigned count, struct vpe_state *state)
{
   struct machine m = {.state = state};

   state->error = NULL;
   state->steps = 0;
   memset(state->exports, 0, sizeof(state->exports));
   state->exports[0][3] = 1.0f;
   while (!state->error) {
      float vector[4] = {0}, scalar[4] = {0};

      if (m.pc >= count) {
         fail(&m, "runs past the end of the program");
         break;
      }
      if (++state->steps > MAX_STEPS) {
         fail(&m, "endless");
         break;
      }
      vpe_unpack(insts[m.pc], &m.inst);
      check_rules(&m);
      const bool branch = takes_branch(&m);
      if (m.inst.vector_op)
         vector_result(&m, vector);
      if (m.inst.scalar_op && m.inst.scalar_op != VPE_SCALAR_BRA)
         scalar_result(&m, scalar);
      write_back(&m, vector, scalar);
      if (branch && m.inst.end)
         fail(&m, "branch with the end bit");
      if (m.inst.end)
         break;
      m.pc = branch ? m.inst.iaddr : m.pc + 1;
   }
}
