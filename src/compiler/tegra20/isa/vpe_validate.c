/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Rules that every uploaded vertex program must keep: the kernel's timeout is
 * the only protection against one that does not end or aborts (assumption
 * A18).
 */

#include "isa_text.h"
#include "vpe_operand.h"

static const char *
check_numbers(const struct vpe_inst *inst, unsigned num_consts)
{
   if (inst->vector_rd > 31 && inst->vector_rd != 63)
      return "vector destination 32..62 aborts the program "
             "(vertex-pipeline.md 10)";
   if (inst->scalar_rd > 31 && inst->scalar_rd != 63)
      return "scalar destination 32..62 aborts the program "
             "(vertex-pipeline.md 10)";
   if (inst->ra_index > 31 || inst->rb_index > 31 || inst->rc_index > 31)
      return "operand index above 31 aborts the program, even if the operand "
             "is not read (vertex-pipeline.md 2.2)";
   if (inst->export_index > 15 && inst->export_index != 31)
      return "export 16..30 aborts the program (vertex-pipeline.md 2.1)";
   if (inst->constant_index >= num_consts)
      return num_consts == 256 ? "there are 256 constant registers "
                                 "(vertex-pipeline.md 1)"
                               : "there are fewer constant registers "
                                 "(gr3d-registers.md 5.2)";
   if (inst->unused)
      return "bit 127 is not used (vertex-pipeline.md 2.1)";
   return NULL;
}

static const char *
check_opcodes(const struct vpe_inst *inst)
{
   if (inst->vector_op == VPE_VECTOR_TXL || inst->vector_op > VPE_VECTOR_POPA)
      return "vector opcode of unknown meaning (vertex-pipeline.md 4)";
   if (inst->vector_op == VPE_VECTOR_DPH || inst->vector_op == VPE_VECTOR_DST)
      return "the operands of DPH and DST are disputed (vertex-pipeline.md "
             "4.1)";
   if (inst->scalar_op > VPE_SCALAR_POPA ||
       !vpe_scalar_op_names[inst->scalar_op])
      return "scalar opcode of unknown meaning (vertex-pipeline.md 5)";
   return NULL;
}

static const char *
check_halves(const struct vpe_inst *inst)
{
   const bool vector_writes = inst->vector_op != VPE_VECTOR_NOP &&
                              inst->vector_mask && inst->vector_rd < 32 &&
                              !vpe_writes_address(inst);
   const bool scalar_writes = inst->scalar_op != VPE_SCALAR_NOP &&
                              !vpe_is_flow(inst) && inst->scalar_mask &&
                              inst->scalar_rd < 32;
   const bool vector_reads_c =
      inst->vector_op == VPE_VECTOR_ADD || inst->vector_op == VPE_VECTOR_MAD;

   if (vector_writes && scalar_writes && inst->vector_rd == inst->scalar_rd)
      return "both halves write one temporary (vertex-pipeline.md 6.3)";
   if (vector_reads_c && (inst->scalar_op == VPE_SCALAR_BRA ||
                          inst->scalar_op == VPE_SCALAR_CAL))
      return "the target of a jump lies over the swizzle of rC, which ADD "
             "and MAD read (vertex-pipeline.md 6.2)";
   if (vpe_writes_address(inst) && inst->vector_rd & 1 &&
       inst->vector_rd != 63)
      return "A0 is written only with an even vector destination "
             "(vertex-pipeline.md 4)";
   return NULL;
}

static const char *
check_flow(const struct vpe_inst *inst, unsigned count)
{
   const bool all = inst->pred_lt && inst->pred_eq && inst->pred_gt;
   const uint8_t *swizzle = inst->predicate_swizzle;

   if (!vpe_is_flow(inst))
      return NULL;
   if (inst->end)
      return "end bit on a jump (vertex-pipeline.md 2.5)";
   if (inst->scalar_op != VPE_SCALAR_RET && inst->iaddr >= count)
      return "jump behind the end of the program";
   if (!inst->condition_check && !all)
      return "a jump without condition check must pass on any condition "
             "(assumption A13)";
   if (inst->condition_check &&
       (swizzle[1] != swizzle[0] || swizzle[2] != swizzle[0] ||
        swizzle[3] != swizzle[0]))
      return "a jump must test one condition component (assumption A13)";
   return NULL;
}

const char *
vpe_validate(const uint32_t (*insts)[4], unsigned count, unsigned num_consts,
             unsigned *where)
{
   bool ends = false;

   *where = 0;
   if (count == 0)
      return "empty program";
   if (count > 256)
      return "there is room for 256 instructions (vertex-pipeline.md 1)";
   for (unsigned i = 0; i < count; i++) {
      struct vpe_inst inst;
      const char *reason;

      *where = i;
      vpe_unpack(insts[i], &inst);
      if ((reason = check_numbers(&inst, num_consts)) ||
          (reason = check_opcodes(&inst)) || (reason = check_halves(&inst)) ||
          (reason = check_flow(&inst, count)))
         return reason;
      ends |= inst.end;
      const bool goes_on =
         !inst.end && !(vpe_is_flow(&inst) && inst.pred_lt && inst.pred_eq &&
                        inst.pred_gt);
      if (i == count - 1 && goes_on)
         return "the last instruction has no end bit";
   }
   return ends ? NULL : "no instruction has the end bit";
}
