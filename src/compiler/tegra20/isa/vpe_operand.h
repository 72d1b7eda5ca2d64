/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The operands rA, rB and rC of an unpacked vertex instruction, by number
 * (vertex-pipeline.md 2).
 */

#ifndef VPE_OPERAND_H
#define VPE_OPERAND_H

#include "vpe_isa.h"

/* The fields of one operand, as pointers into the instruction. */
struct vpe_operand {
   uint8_t *type, *index, *swizzle;
   bool *negate, *absolute;
};

/* which: 0 is rA, 1 is rB, 2 is rC. */
static inline struct vpe_operand
vpe_get_operand(struct vpe_inst *inst, unsigned which)
{
   switch (which) {
   case 0:
      return (struct vpe_operand){ &inst->ra_type, &inst->ra_index,
                                   inst->ra_swizzle, &inst->ra_negate,
                                   &inst->ra_absolute };
   case 1:
      return (struct vpe_operand){ &inst->rb_type, &inst->rb_index,
                                   inst->rb_swizzle, &inst->rb_negate,
                                   &inst->rb_absolute };
   default:
      return (struct vpe_operand){ &inst->rc_type, &inst->rc_index,
                                   inst->rc_swizzle, &inst->rc_negate,
                                   &inst->rc_absolute };
   }
}

/* The operands that an opcode reads. */
enum { VPE_READS_A = 1, VPE_READS_B = 2, VPE_READS_C = 4 };

unsigned
vpe_vector_reads(unsigned op);
unsigned
vpe_scalar_reads(unsigned op);

static inline bool
vpe_writes_address(const struct vpe_inst *inst)
{
   return inst->vector_op == VPE_VECTOR_ARL ||
          inst->vector_op == VPE_VECTOR_ARR ||
          inst->vector_op == VPE_VECTOR_ARA;
}

static inline bool
vpe_jumps(const struct vpe_inst *inst)
{
   return inst->scalar_op == VPE_SCALAR_BRA ||
          inst->scalar_op == VPE_SCALAR_CAL;
}

static inline bool
vpe_is_flow(const struct vpe_inst *inst)
{
   return vpe_jumps(inst) || inst->scalar_op == VPE_SCALAR_RET;
}

#endif
