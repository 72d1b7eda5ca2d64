/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The vertex engine (vertex-pipeline.md 3 to 10).
 *
 * VPE_LANES vertices run at once, registers as structure of arrays.  Every
 * vertex has its own program counter; the interpreter executes, for all lanes
 * that stand there, the instruction with the lowest number that any lane
 * stands at. Lanes that separate at a forward branch meet again behind it. As
 * long as all lanes agree, which is always in programs without branches,
 * nothing is masked.
 *
 * Arithmetic is IEEE single, round to nearest even; denormal inputs and
 * results become zero; MAD rounds twice; functions are evaluated in double
 * precision and rounded once (assumptions A10, A11).  Special values follow
 * the table of vertex-pipeline.md 5.3.
 */

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "vpe_lanes.h"

#define ALL_LANES ((1u << VPE_LANES) - 1)

struct stack_entry {
   bool is_address; /* else a return address in value[0] */
   int32_t value[4];
};

struct vm {
   struct sim *sim;
   struct vpe_lanes *r;
   const struct vpe_program *program;
   const uint32_t (*constants)[4];
   const struct gr3d_programs *uploaded;
   uint16_t attribs_enabled;
   bool strict;
   bool *checked;
   bool keep_denormals;
   bool fused_mad;
   bool abort_ends; /* A18: what aborts a program ends the vertex instead */

   unsigned count; /* lanes with a vertex; the others repeat the last one */
   uint32_t live;  /* lanes that have not ended */
   uint32_t mask;  /* lanes that execute the current instruction */
   vpe_ivec mask_vec; /* the same as -1 / 0 */
   bool diverged;     /* pc[] counts instead of uniform_pc */
   unsigned uniform_pc;
   uint16_t pc[VPE_LANES];
   uint32_t steps[VPE_LANES];
   uint32_t uniform_steps;

   uint8_t depth[VPE_LANES];
   struct stack_entry stack[VPE_LANES][VPE_STACK_DEPTH];

   /* Strict mode: lanes that have written a component. */
   uint16_t temp_written[VPE_NUM_TEMPS][4];
   uint16_t address_written[4];
   uint16_t condition_written[2][4];
};

static inline vpe_vec
flush(const struct vm *vm, vpe_vec v)
{
   if (vm->keep_denormals)
      return v;
   vpe_ivec is_denormal = is_zero((vpe_ivec)v & 0x7f800000);
   return (vpe_vec)((vpe_ivec)v & ~(is_denormal & 0x7fffffff));
}

/* --- operands --- */

/* Address register component, or 0 for instructions with bit 120. */
static void
relative_index(struct vm *vm, const struct vpe_insn *insn, int base,
               int index[VPE_LANES])
{
   for (unsigned l = 0; l < VPE_LANES; l++)
      index[l] =
         base +
         (insn->address_zero ? 0 : vm->r->address[insn->address_select][l]);
}

static void
report_range(struct vm *vm, unsigned pos, const char *what, int index)
{
   sim_report(vm->sim, SIM_DIAG_VP_RANGE, SIM_NO_REG, pos,
              "%s number %d is out of range (A17)", what, index);
}

/* Constants behind the last, up to 1023, read 0 or wrap (A17), above 1023
 * read 0, below 0 read constant 1 (vertex-pipeline.md 9, item 6). */
static uint32_t
constant_bits(struct vm *vm, unsigned pos, int index, unsigned component)
{
   const int end = (int)vm->sim->gr3d.chip->vs_consts;
   if (index < 0 || index >= end)
      report_range(vm, pos, "constant", index);
   if (index < 0)
      index = 1;
   if (index >= end) {
      if (index > 1023 || sim_switch(vm->sim, 17) == 0)
         return 0;
      index %= end;
   }
   if (vm->strict &&
       !(vm->uploaded->vp_const_written[index] >> component & 1))
      sim_report(vm->sim, SIM_DIAG_VP_READ_CONST, SIM_NO_REG, pos,
                 "reads constant %d.%c, which the job did not upload", index,
                 "xyzw"[component]);
   return vm->constants[index][component];
}

static vpe_vec
read_constant(struct vm *vm, const struct vpe_insn *insn, unsigned pos,
              unsigned component)
{
   if (!insn->const_relative)
      return (vpe_vec)splat_bits(
         constant_bits(vm, pos, insn->constant, component));
   int index[VPE_LANES];
   relative_index(vm, insn, insn->constant, index);
   vpe_ivec v = { 0 };
   for (unsigned l = 0; l < VPE_LANES; l++)
      if (vm->mask >> l & 1)
         v[l] = (int32_t)constant_bits(vm, pos, index[l], component);
   return (vpe_vec)v;
}

static vpe_vec
read_attrib(struct vm *vm, const struct vpe_insn *insn, unsigned pos,
            unsigned component)
{
   if (!insn->attrib_relative) {
      if (vm->strict && !(vm->attribs_enabled >> insn->attrib & 1))
         sim_report(vm->sim, SIM_DIAG_VP_READ_ATTRIB, 0x120, pos,
                    "reads attribute %u, which 0x120 does not enable",
                    insn->attrib);
      return vm->r->attrib[insn->attrib][component];
   }
   int index[VPE_LANES];
   relative_index(vm, insn, insn->attrib, index);
   vpe_vec v = { 0 };
   for (unsigned l = 0; l < VPE_LANES; l++) {
      if (!(vm->mask >> l & 1))
         continue;
      if (index[l] < 0 || index[l] >= GR3D_NUM_ATTRIBS) {
         report_range(vm, pos, "attribute", index[l]);
         continue;
      }
      if (vm->strict && !(vm->attribs_enabled >> index[l] & 1))
         sim_report(vm->sim, SIM_DIAG_VP_READ_ATTRIB, 0x120, pos,
                    "reads attribute %d, which 0x120 does not enable",
                    index[l]);
      v[l] = vm->r->attrib[index[l]][component][l];
   }
   return v;
}

static vpe_vec
read_temp(struct vm *vm, unsigned index, unsigned pos, unsigned component)
{
   if (vm->strict &&
       (vm->temp_written[index][component] & vm->mask) != vm->mask)
      sim_report(vm->sim, SIM_DIAG_VP_READ_TEMP, SIM_NO_REG, pos,
                 "reads r%u.%c, which was not written", index,
                 "xyzw"[component]);
   return vm->r->temp[index][component];
}

/* Swizzle, then absolute value, then negation (vertex-pipeline.md 2.2). */
static void
read_operand(struct vm *vm, const struct vpe_insn *insn, unsigned pos,
             const struct vpe_operand *operand, vpe_vec out[4])
{
   for (unsigned c = 0; c < 4; c++) {
      if (!(operand->need >> c & 1))
         continue;
      unsigned component = operand->swizzle[c];
      vpe_vec v;
      switch (operand->type) {
      case VPE_TYPE_TEMP:
         v = read_temp(vm, operand->index, pos, component);
         break;
      case VPE_TYPE_CONST:
         v = read_constant(vm, insn, pos, component);
         break;
      default: /* type 0 behaves like an attribute (vertex-pipeline.md 2.2) */
         if (operand->type == VPE_TYPE_UNDEFINED)
            sim_report(vm->sim, SIM_DIAG_VP_OPERAND_TYPE, SIM_NO_REG, pos,
                       "reads an operand of the undefined type 0");
         v = read_attrib(vm, insn, pos, component);
         break;
      }
      if (operand->absolute)
         v = (vpe_vec)((vpe_ivec)v & 0x7fffffff);
      if (operand->negate)
         v = (vpe_vec)((vpe_ivec)v ^ (int32_t)0x80000000);
      out[c] = v;
   }
}

/* --- vector half --- */

static vpe_vec
floor_vec(vpe_vec a)
{
   vpe_vec v;
   for (unsigned l = 0; l < VPE_LANES; l++)
      v[l] = floorf(a[l]);
   return v;
}

static vpe_vec
round_vec(vpe_vec a)
{
   vpe_vec v;
   for (unsigned l = 0; l < VPE_LANES; l++)
      v[l] = rintf(a[l]);
   return v;
}

static vpe_vec
mul(const struct vm *vm, vpe_vec a, vpe_vec b)
{
   return flush(vm, a * b);
}

static vpe_vec
add(const struct vm *vm, vpe_vec a, vpe_vec b)
{
   return flush(vm, a + b);
}

/* Assumption A10 the other way. */
static vpe_vec
fused(const struct vm *vm, vpe_vec a, vpe_vec b, vpe_vec c)
{
   vpe_vec v;
   for (unsigned l = 0; l < VPE_LANES; l++)
      v[l] = fmaf(a[l], b[l], c[l]);
   return flush(vm, v);
}

/* Sums from x to w, each step rounded. */
static vpe_vec
dot(const struct vm *vm, const vpe_vec a[4], const vpe_vec b[4], unsigned n)
{
   vpe_vec sum = mul(vm, a[0], b[0]);
   for (unsigned c = 1; c < n; c++)
      sum = add(vm, sum, mul(vm, a[c], b[c]));
   return sum;
}

/* Operands that the opcode does not read are not initialised. */
static void
component_op(const struct vm *vm, unsigned op, const vpe_vec *pa,
             const vpe_vec *pb, const vpe_vec *pc, vpe_vec *out)
{
#define a (*pa)
#define b (*pb)
#define c (*pc)
   switch (op) {
   case VPE_V_MOV:
      *out = a;
      break;
   case VPE_V_MUL:
      *out = mul(vm, a, b);
      break;
   case VPE_V_ADD:
      *out = add(vm, a, c);
      break;
   case VPE_V_MAD:
      *out = vm->fused_mad ? fused(vm, a, b, c) : add(vm, mul(vm, a, b), c);
      break;
   case VPE_V_MIN:
      *out = select_vec(unordered(a, b), splat(NAN),
                        select_vec(less(a, b), a, b));
      break;
   case VPE_V_MAX:
      *out = select_vec(unordered(a, b), splat(NAN),
                        select_vec(less(b, a), a, b));
      break;
   case VPE_V_SLT:
      *out = truth(less(a, b), unordered(a, b));
      break;
   case VPE_V_SGE:
      *out = truth(less_equal(b, a), unordered(a, b));
      break;
   case VPE_V_SEQ:
      *out = truth(equal(a, b), unordered(a, b));
      break;
   case VPE_V_SGT:
      *out = truth(less(b, a), unordered(a, b));
      break;
   case VPE_V_SLE:
      *out = truth(less_equal(a, b), unordered(a, b));
      break;
   case VPE_V_SNE:
      *out = truth(not_equal(a, b), unordered(a, b));
      break;
   case VPE_V_STR:
      *out = splat(1.0f);
      break;
   case VPE_V_FRC:
      *out = add(vm, a, -floor_vec(a));
      break;
   case VPE_V_FLR:
   case VPE_V_ARL:
      *out = floor_vec(a);
      break;
   case VPE_V_ARR:
      *out = round_vec(a);
      break;
   case VPE_V_SSG: {
      vpe_ivec sign = (less(splat(0.0f), a) & 0x3f800000) |
                      (less(a, splat(0.0f)) & (int32_t)0xbf800000);
      *out = select_vec(not_equal(a, a), splat(NAN), (vpe_vec)sign);
      break;
   }
   default: /* SFL, and opcodes without a result */
      *out = splat(0.0f);
   }
#undef a
#undef b
#undef c
}

/* DPH and DST: older reading, or the newer table with the roles exchanged
 * (vertex-pipeline.md 4.1, assumption A15). */
static void
disputed_op(const struct vm *vm, unsigned op, const vpe_vec a[4],
            const vpe_vec b[4], vpe_vec out[4])
{
   bool newer = sim_switch(vm->sim, 15) == 1;
   if (op == VPE_V_DPH) {
      vpe_vec sum = add(vm, dot(vm, a, b, 3), newer ? a[3] : b[3]);
      for (unsigned c = 0; c < 4; c++)
         out[c] = sum;
      return;
   }
   out[0] = splat(1.0f);
   out[1] = mul(vm, a[1], b[1]);
   out[2] = newer ? b[2] : a[2];
   out[3] = newer ? a[3] : b[3];
}

/* V of vertex-pipeline.md 3, for the components of the write mask. */
static void
vector_result(struct vm *vm, const struct vpe_insn *insn, unsigned pos,
              const vpe_vec rc[4], vpe_vec out[4])
{
   vpe_vec a[4], b[4];
   read_operand(vm, insn, pos, &insn->a, a);
   read_operand(vm, insn, pos, &insn->b, b);
   switch (insn->vector_op) {
   case VPE_V_DP3:
   case VPE_V_DP4: {
      vpe_vec sum = dot(vm, a, b, insn->vector_op == VPE_V_DP3 ? 3 : 4);
      for (unsigned c = 0; c < 4; c++)
         out[c] = sum;
      break;
   }
   case VPE_V_DPH:
   case VPE_V_DST:
      disputed_op(vm, insn->vector_op, a, b, out);
      break;
   default:
      for (unsigned c = 0; c < 4; c++)
         if (insn->vector_mask >> c & 1)
            component_op(vm, insn->vector_op, &a[c], &b[c], &rc[c], &out[c]);
   }
}

/* --- scalar half --- */

static float
flush_scalar(const struct vm *vm, double d)
{
   float f = (float)d;
   if (!vm->keep_denormals && f > -0x1p-126f && f < 0x1p-126f)
      return copysignf(0.0f, f);
   return f;
}

/* S of vertex-pipeline.md 3: the lanes that execute, all components. */
static void
scalar_result(const struct vm *vm, unsigned op, const vpe_vec rc[4],
              vpe_vec out[4])
{
   if (op == VPE_S_MOV) {
      memcpy(out, rc, 4 * sizeof(*out));
      return;
   }
   bool turns =
      (op == VPE_S_SIN || op == VPE_S_COS) && sim_switch(vm->sim, 11) == 1;
   for (unsigned c = 0; c < 4 && vm->mask != ALL_LANES; c++)
      out[c] = splat(0.0f);
   for (unsigned l = 0; l < VPE_LANES; l++) {
      if (!(vm->mask >> l & 1))
         continue;
      double parts[4];
      double x = rc[0][l] * (turns ? 6.283185307179586 : 1.0);
      vpe_scalar_function(op, x, op == VPE_S_LIT ? rc[1][l] : 0.0f,
                          op == VPE_S_LIT ? rc[3][l] : 0.0f, parts);
      for (unsigned c = 0; c < 4; c++)
         out[c][l] = flush_scalar(vm, parts[c]);
   }
}

/* --- predicates and write-back --- */

static vpe_ivec
condition_passes(struct vm *vm, const struct vpe_insn *insn, unsigned pos,
                 unsigned component)
{
   unsigned c = insn->condition_swizzle[component];
   if (vm->strict &&
       (vm->condition_written[insn->condition_reg][c] & vm->mask) !=
          vm->mask &&
       insn->condition != 7)
      sim_report(vm->sim, SIM_DIAG_VP_READ_CONDITION, SIM_NO_REG, pos,
                 "tests CR%u.%c, which was not written", insn->condition_reg,
                 "xyzw"[c]);
   vpe_ivec state = vm->r->condition[insn->condition_reg][c];
   vpe_ivec passes = ~is_zero(state & insn->condition);
   if ((insn->condition & (VPE_LESS | VPE_GREATER)) ==
       (VPE_LESS | VPE_GREATER))
      passes |= is_zero(state ^ VPE_UNORDERED);
   return passes;
}

/* Lanes in which a component of a destination is written; all_lanes tells
 * that it is all of them. */
struct write_enable {
   vpe_ivec lanes[4];
   bool all_lanes;
};

static void
write_enables(struct vm *vm, const struct vpe_insn *insn, unsigned pos,
              struct write_enable *enable)
{
   enable->all_lanes = vm->mask == ALL_LANES && !insn->predicated;
   if (enable->all_lanes)
      return;
   uint8_t components = insn->vector_mask | insn->scalar_mask;
   for (unsigned c = 0; c < 4; c++) {
      enable->lanes[c] = vm->mask_vec;
      if (insn->predicated && components >> c & 1)
         enable->lanes[c] &= condition_passes(vm, insn, pos, c);
   }
}

static inline vpe_vec
merged(const struct write_enable *enable, unsigned c, vpe_vec value,
       vpe_vec old)
{
   return enable->all_lanes ? value
                            : select_vec(enable->lanes[c], value, old);
}

static uint32_t
written_lanes(const struct write_enable *enable, unsigned c)
{
   return enable->all_lanes ? ALL_LANES : lane_bits(enable->lanes[c]);
}

static void
write_temp(struct vm *vm, const struct write_enable *enable, unsigned dest,
           unsigned mask, const vpe_vec v[4])
{
   if (dest == VPE_NONE)
      return;
   for (unsigned c = 0; c < 4; c++) {
      if (!(mask >> c & 1))
         continue;
      vm->r->temp[dest][c] = merged(enable, c, v[c], vm->r->temp[dest][c]);
      if (vm->strict)
         vm->temp_written[dest][c] |= written_lanes(enable, c);
   }
}

static void
write_export_relative(struct vm *vm, const struct vpe_insn *insn,
                      unsigned pos, const struct write_enable *enable,
                      unsigned mask, const vpe_vec v[4])
{
   int index[VPE_LANES];
   relative_index(vm, insn, insn->export_index, index);
   for (unsigned l = 0; l < VPE_LANES; l++) {
      if (!(vm->mask >> l & 1))
         continue;
      if (index[l] < 0 || index[l] >= GR3D_NUM_EXPORTS) {
         report_range(vm, pos, "export", index[l]);
         continue;
      }
      for (unsigned c = 0; c < 4; c++)
         if (mask >> c & 1 && (enable->all_lanes || enable->lanes[c][l]))
            vm->r->export[index[l]][c][l] = v[c][l];
   }
}

static void
write_export(struct vm *vm, const struct vpe_insn *insn, unsigned pos,
             const struct write_enable *enable, unsigned mask,
             const vpe_vec v[4])
{
   if (insn->export_index == VPE_NONE)
      return;
   if (insn->export_relative) {
      write_export_relative(vm, insn, pos, enable, mask, v);
      return;
   }
   for (unsigned c = 0; c < 4; c++)
      if (mask >> c & 1)
         vm->r->export[insn->export_index][c] =
            merged(enable, c, v[c], vm->r->export[insn->export_index][c]);
}

static void
write_condition(struct vm *vm, const struct vpe_insn *insn,
                const struct write_enable *enable, unsigned mask,
                const vpe_vec v[4])
{
   for (unsigned c = 0; c < 4; c++) {
      if (!(mask >> c & 1))
         continue;
      vpe_vec zero = splat(0.0f);
      vpe_ivec state = (less(v[c], zero) & VPE_LESS) |
                       (equal(v[c], zero) & VPE_EQUAL) |
                       (less(zero, v[c]) & VPE_GREATER) |
                       (not_equal(v[c], v[c]) & VPE_UNORDERED);
      vpe_ivec *cr = &vm->r->condition[insn->condition_reg][c];
      *cr = (vpe_ivec)merged(enable, c, (vpe_vec)state, (vpe_vec)*cr);
      if (vm->strict)
         vm->condition_written[insn->condition_reg][c] |=
            written_lanes(enable, c);
   }
}

/* A0 holds -1024..1023 (assumption A17). */
static int32_t
clamp_address(float f)
{
   if (!(f >= -1024.0f))
      return isnan(f) ? 0 : -1024;
   return f > 1023.0f ? 1023 : (int32_t)f;
}

static void
write_address(struct vm *vm, const struct vpe_insn *insn, unsigned pos,
              const struct write_enable *enable, const vpe_vec v[4])
{
   if (insn->vector_dest == VPE_NONE || insn->vector_dest & 1) {
      sim_report(vm->sim, SIM_DIAG_VP_ARL_DEST, SIM_NO_REG, pos,
                 "address register write with an odd destination number: A0 "
                 "is not updated");
      return;
   }
   vpe_ivec old[4];
   memcpy(old, vm->r->address, sizeof(old));
   for (unsigned c = 0; c < 4; c++) {
      if (!(insn->vector_mask >> c & 1))
         continue;
      for (unsigned l = 0; l < VPE_LANES; l++) {
         if (!enable->all_lanes && !enable->lanes[c][l])
            continue;
         float value = insn->vector_op == VPE_V_ARA
                          ? (float)(old[c][l] + old[c ^ 2][l])
                          : v[c][l];
         vm->r->address[c][l] = clamp_address(value);
      }
      if (vm->strict)
         vm->address_written[c] |= written_lanes(enable, c);
   }
}

static vpe_vec
saturated(vpe_vec v)
{
   vpe_vec zero = splat(0.0f), one = splat(1.0f);
   v = select_vec(less(zero, v), v, zero); /* NaN becomes 0 */
   return select_vec(less(v, one), v, one);
}

static void
write_back(struct vm *vm, const struct vpe_insn *insn, unsigned pos,
           vpe_vec v[4], vpe_vec s[4])
{
   struct write_enable enable;
   write_enables(vm, insn, pos, &enable);
   bool vector_conditions = insn->vector_op != VPE_V_NOP;
   bool conditions =
      insn->condition_write &&
      (vector_conditions ? insn->has_vector_result : insn->has_scalar_result);
   unsigned condition_mask =
      vector_conditions ? insn->vector_mask : insn->scalar_mask;
   /* The condition register sees the saturated result (assumption A12). */
   bool early_condition = conditions && sim_switch(vm->sim, 12) == 1;
   if (early_condition)
      write_condition(vm, insn, &enable, condition_mask,
                      vector_conditions ? v : s);
   for (unsigned c = 0; c < 4 && insn->saturate; c++) {
      if (insn->has_vector_result && insn->vector_mask >> c & 1)
         v[c] = saturated(v[c]);
      if (insn->has_scalar_result && insn->scalar_mask >> c & 1)
         s[c] = saturated(s[c]);
   }
   if (conditions && !early_condition)
      write_condition(vm, insn, &enable, condition_mask,
                      vector_conditions ? v : s);
   if (insn->has_scalar_result)
      write_temp(vm, &enable, insn->scalar_dest, insn->scalar_mask, s);
   if (insn->has_vector_result)
      write_temp(vm, &enable, insn->vector_dest, insn->vector_mask, v);
   if (insn->export_vector && insn->has_vector_result)
      write_export(vm, insn, pos, &enable, insn->vector_mask, v);
   if (!insn->export_vector && insn->has_scalar_result)
      write_export(vm, insn, pos, &enable, insn->scalar_mask, s);
   if (insn->vector_op >= VPE_V_ARL &&
       (insn->vector_op == VPE_V_ARL || insn->vector_op == VPE_V_ARR ||
        insn->vector_op == VPE_V_ARA))
      write_address(vm, insn, pos, &enable, v);
}

/* --- stack and flow --- */

static void
end_lanes(struct vm *vm);

/* The lanes that execute cannot go on: the engine hangs (assumption A18). */
static void __attribute__((format(printf, 4, 5)))
abort_program(struct vm *vm, unsigned number, unsigned pos,
              const char *format, ...)
{
   char text[160];
   va_list args;
   va_start(args, format);
   vsnprintf(text, sizeof(text), format, args);
   va_end(args);
   if (vm->abort_ends) {
      sim_report(vm->sim, number, SIM_NO_REG, pos, "vertex program: %s",
                 text);
      end_lanes(vm);
   } else {
      sim_hang(vm->sim, number, SIM_NO_REG, pos, "vertex program: %s", text);
   }
}

static bool
push(struct vm *vm, unsigned lane, unsigned pos,
     const struct stack_entry *entry)
{
   if (vm->depth[lane] == VPE_STACK_DEPTH) {
      abort_program(vm, SIM_DIAG_VP_STACK, pos, "stack overflow, %u entries",
                    VPE_STACK_DEPTH);
      return false;
   }
   vm->stack[lane][vm->depth[lane]++] = *entry;
   return true;
}

static bool
pop(struct vm *vm, unsigned lane, unsigned pos, bool is_address,
    struct stack_entry *entry)
{
   if (!vm->depth[lane]) {
      abort_program(vm, SIM_DIAG_VP_STACK, pos, "stack underflow");
      return false;
   }
   *entry = vm->stack[lane][--vm->depth[lane]];
   if (entry->is_address != is_address) {
      abort_program(vm, SIM_DIAG_VP_STACK, pos, "%s finds %s on the stack",
                    is_address ? "POPA" : "RET",
                    is_address ? "a return address" : "an address frame");
      return false;
   }
   return true;
}

/* PUSHA saves the A0 from before the instruction, so it comes before the
 * write-back and POPA after it. */
static bool
push_address(struct vm *vm, const struct vpe_insn *insn, unsigned pos)
{
   if (insn->vector_op != VPE_V_PUSHA && insn->scalar_op != VPE_S_PUSHA)
      return true;
   if (insn->vector_op == VPE_V_POPA || insn->scalar_op == VPE_S_POPA)
      return true; /* together they do nothing (vertex-pipeline.md 6.2) */
   for (unsigned l = 0; l < VPE_LANES; l++) {
      struct stack_entry entry = { .is_address = true };
      if (!(vm->mask >> l & 1))
         continue;
      for (unsigned c = 0; c < 4; c++)
         entry.value[c] = vm->r->address[c][l];
      if (!push(vm, l, pos, &entry))
         return false;
   }
   return true;
}

static bool
pop_address(struct vm *vm, const struct vpe_insn *insn, unsigned pos)
{
   if (insn->vector_op != VPE_V_POPA && insn->scalar_op != VPE_S_POPA)
      return true;
   if (insn->vector_op == VPE_V_PUSHA || insn->scalar_op == VPE_S_PUSHA)
      return true;
   for (unsigned l = 0; l < VPE_LANES; l++) {
      struct stack_entry entry;
      if (!(vm->mask >> l & 1))
         continue;
      if (!pop(vm, l, pos, true, &entry))
         return false;
      for (unsigned c = 0; c < 4; c++)
         vm->r->address[c][l] = entry.value[c];
   }
   for (unsigned c = 0; c < 4 && vm->strict; c++)
      vm->address_written[c] |= vm->mask;
   return true;
}

/*
 * Lanes that take a branch.  A13: the bits are compared with the condition
 * register whether cc is set or not (values: "compare", or "default" =
 * without cc against the initial state "equal"), and one passing component is
 * enough.
 */
static uint32_t
branch_lanes(struct vm *vm, const struct vpe_insn *insn, unsigned pos)
{
   unsigned op = insn->scalar_op;
   if (op != VPE_S_BRA && op != VPE_S_CAL && op != VPE_S_RET)
      return 0;
   if (!insn->predicated && sim_switch(vm->sim, 13) == 1)
      return insn->condition & VPE_EQUAL ? vm->mask : 0;
   if (insn->condition == 7)
      return vm->mask;
   vpe_ivec any = { 0 };
   /* An unwritten register is not worth a report here: measured programs
    * branch on it (vertex-pipeline.md 8). */
   bool strict = vm->strict;
   vm->strict = strict && insn->predicated;
   for (unsigned c = 0; c < 4; c++)
      any |= condition_passes(vm, insn, pos, c);
   vm->strict = strict;
   return lane_bits(any) & vm->mask;
}

/* Splits the lanes: each now has its own program counter. */
static void
diverge(struct vm *vm)
{
   if (vm->diverged)
      return;
   vm->diverged = true;
   for (unsigned l = 0; l < VPE_LANES; l++) {
      vm->pc[l] = vm->uniform_pc;
      vm->steps[l] = vm->uniform_steps;
   }
}

/* A vertex costs one clock per instruction and at least ten (assumption A79).
 */
static void
end_lanes(struct vm *vm)
{
   for (unsigned l = 0; l < vm->count; l++) {
      if (!(vm->mask >> l & 1))
         continue;
      uint32_t steps = vm->diverged ? vm->steps[l] : vm->uniform_steps;
      vm->r->clocks += steps > 10 ? steps : 10;
   }
   vm->live &= ~vm->mask;
}

static bool
flow(struct vm *vm, const struct vpe_insn *insn, unsigned pos, uint32_t taken)
{
   unsigned op = insn->scalar_op;
   unsigned uniform_target = insn->target;
   if (op == VPE_S_RET && taken)
      diverge(vm);
   if (op != VPE_S_RET && taken != 0 && taken != vm->mask)
      diverge(vm);
   for (unsigned l = 0; l < VPE_LANES && (op == VPE_S_CAL || op == VPE_S_RET);
        l++) {
      if (!(taken >> l & 1))
         continue;
      struct stack_entry entry = { .value = { pos + 1 } };
      if (op == VPE_S_CAL && !push(vm, l, pos, &entry))
         return false;
      if (op == VPE_S_RET) {
         if (!pop(vm, l, pos, false, &entry))
            return false;
         vm->pc[l] = entry.value[0];
      }
   }
   if (insn->end) {
      end_lanes(vm);
      return true;
   }
   if (!vm->diverged) {
      vm->uniform_pc = taken ? uniform_target : pos + 1;
      return true;
   }
   for (unsigned l = 0; l < VPE_LANES; l++) {
      if (!(vm->mask >> l & 1))
         continue;
      if (!(taken >> l & 1))
         vm->pc[l] = pos + 1;
      else if (op != VPE_S_RET)
         vm->pc[l] = insn->target;
   }
   return true;
}

/* All live lanes stand at one instruction and have executed as many: nothing
 * needs masks any more. */
static void
reconverge(struct vm *vm, unsigned pos)
{
   unsigned first = (unsigned)__builtin_ctz(vm->live);
   for (unsigned l = 0; l < VPE_LANES; l++)
      if (vm->live >> l & 1 && vm->steps[l] != vm->steps[first])
         return;
   vm->diverged = false;
   vm->uniform_pc = pos;
   vm->uniform_steps = vm->steps[first];
}

/* Chooses the lanes that execute next and returns their instruction number.
 */
static unsigned
schedule(struct vm *vm)
{
   if (!vm->diverged)
      return vm->uniform_pc;
   unsigned lowest = ~0u;
   uint32_t mask = 0;
   for (unsigned l = 0; l < VPE_LANES; l++) {
      if (!(vm->live >> l & 1))
         continue;
      if (vm->pc[l] < lowest) {
         lowest = vm->pc[l];
         mask = 0;
      }
      if (vm->pc[l] == lowest)
         mask |= 1u << l;
   }
   vm->mask = mask;
   vm->mask_vec = lane_vector(mask);
   if (mask == vm->live)
      reconverge(vm, lowest);
   return lowest;
}

static bool
count_step(struct vm *vm, unsigned pos)
{
   uint32_t most = 0;
   if (!vm->diverged) {
      most = ++vm->uniform_steps;
   } else {
      for (unsigned l = 0; l < VPE_LANES; l++)
         if (vm->mask >> l & 1 && ++vm->steps[l] > most)
            most = vm->steps[l];
   }
   if (most <= VPE_MAX_STEPS)
      return true;
   abort_program(vm, SIM_DIAG_VP_LIMIT, pos,
                 "more than %u instructions for one vertex (A18)",
                 VPE_MAX_STEPS);
   return false;
}

static bool
can_execute(struct vm *vm, unsigned pos)
{
   if (pos >= VPE_NUM_INSNS) {
      abort_program(vm, SIM_DIAG_VP_NO_END, VPE_NUM_INSNS - 1,
                    "runs past instruction 255 without an end bit");
      return false;
   }
   const struct vpe_insn *insn = &vm->program->insn[pos];
   if (!insn->complete) {
      abort_program(vm, SIM_DIAG_VP_NOT_UPLOADED, pos,
                    "runs into instruction %u, which the job did not upload "
                    "(missing end bit?)",
                    pos);
      return false;
   }
   if (insn->abort) {
      abort_program(vm, SIM_DIAG_VP_ABORT, pos, "instruction %u aborts: %s",
                    pos, insn->abort);
      return false;
   }
   return count_step(vm, pos);
}

static void
check_address(struct vm *vm, const struct vpe_insn *insn, unsigned pos)
{
   if (insn->relative && !insn->address_zero &&
       (vm->address_written[insn->address_select] & vm->mask) != vm->mask)
      sim_report(vm->sim, SIM_DIAG_VP_READ_ADDRESS, SIM_NO_REG, pos,
                 "uses A0.%c, which was not written",
                 "xyzw"[insn->address_select]);
}

static bool
step(struct vm *vm)
{
   unsigned pos = schedule(vm);
   if (!can_execute(vm, pos))
      return !vm->sim->hang;
   const struct vpe_insn *insn = &vm->program->insn[pos];
   if (vm->strict) {
      check_address(vm, insn, pos);
      if (!vm->checked[pos])
         vpe_check_insn(vm->sim, insn, pos);
      vm->checked[pos] = true;
   }
   /* Only the components that the instruction reads or writes are ever set.
    */
   vpe_vec v[4], s[4], rc[4];
   if (insn->c.need)
      read_operand(vm, insn, pos, &insn->c, rc);
   if (insn->vector_op != VPE_V_NOP && insn->vector_mask)
      vector_result(vm, insn, pos, rc, v);
   if (insn->has_scalar_result && insn->scalar_mask)
      scalar_result(vm, insn->scalar_op, rc, s);
   /* A branch tests the conditions from before the instruction, which may set
    * new ones (vertex-pipeline.md 7.2). */
   uint32_t taken = branch_lanes(vm, insn, pos);
   if (!push_address(vm, insn, pos))
      return !vm->sim->hang;
   write_back(vm, insn, pos, v, s);
   return (pop_address(vm, insn, pos) && flow(vm, insn, pos, taken)) ||
          !vm->sim->hang;
}

/* vertex-pipeline.md 2.7, assumption A16. */
static void
initial_state(struct vm *vm, uint16_t exports)
{
   struct vpe_lanes *r = vm->r;
   if (vm->sim->options.scramble) {
      memset(r->export, vm->sim->options.scramble, sizeof(r->export));
      memset(r->temp, vm->sim->options.scramble, sizeof(r->temp));
   }
   for (unsigned e = 0; e < GR3D_NUM_EXPORTS; e++)
      if (exports >> e & 1)
         memset(r->export[e], 0, sizeof(r->export[e]));
   r->export[0][3] = splat(1.0f);
   vpe_ivec value = splat_bits(sim_switch(vm->sim, 16) == 1 ? SIM_POISON : 0);
   for (unsigned i = 0; i < VPE_NUM_TEMPS; i++)
      for (unsigned c = 0; c < 4 && vm->program->temps_read >> i & 1; c++)
         r->temp[i][c] = (vpe_vec)value;
   memset(r->address, 0, sizeof(r->address));
   for (unsigned i = 0; i < 2; i++)
      for (unsigned c = 0; c < 4; c++)
         r->condition[i][c] = splat_bits(VPE_EQUAL);
   r->clocks = 0;
}

bool
vpe_run(struct gr3d *gr3d, unsigned count)
{
   struct vm vm;
   vm.sim = gr3d->sim;
   vm.r = &gr3d->vertex->lanes;
   vm.program = &gr3d->vertex->program;
   vm.constants = gr3d->vertex->constants;
   vm.uploaded = &gr3d->prog;
   vm.attribs_enabled = gr3d->regs.value[0x120] >> 16;
   vm.strict = gr3d->sim->options.strict;
   vm.checked = gr3d->vertex->insn_checked;
   vm.keep_denormals = sim_switch(gr3d->sim, 10) == 1;
   vm.fused_mad = sim_switch(gr3d->sim, 10) == 2;
   vm.abort_ends = sim_switch(gr3d->sim, 18) == 1;
   vm.count = count;
   vm.live = vm.mask = ALL_LANES;
   vm.mask_vec = splat_bits(~0u);
   vm.diverged = false;
   vm.uniform_pc = 0;
   vm.uniform_steps = 0;
   memset(vm.depth, 0, sizeof(vm.depth));
   if (vm.strict) {
      memset(vm.temp_written, 0, sizeof(vm.temp_written));
      memset(vm.address_written, 0, sizeof(vm.address_written));
      memset(vm.condition_written, 0, sizeof(vm.condition_written));
   }
   initial_state(&vm, gr3d->vertex->setup.exports);
   while (vm.live)
      if (!step(&vm))
         return false;
   return true;
}
