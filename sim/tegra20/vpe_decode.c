/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Vertex instruction words -> struct vpe_insn (vertex-pipeline.md 2.1), once
 * per uploaded program.
 */

#include <string.h>

#include "vertex.h"

/* Bits first..first+count-1 of the 128-bit instruction; words[0] has bits
 * 127:96. */
static uint32_t
bits(const uint32_t words[4], unsigned first, unsigned count)
{
   uint64_t pair = words[3 - first / 32];
   if (first / 32 < 3)
      pair |= (uint64_t)words[2 - first / 32] << 32;
   return (uint32_t)(pair >> first % 32) & ((1u << count) - 1);
}

/* Masks and swizzles are stored w first: w in the lowest bits. */
static uint8_t
decode_mask(uint32_t field)
{
   return (field >> 3 & 1) | (field >> 1 & 2) | (field << 1 & 4) |
          (field << 3 & 8);
}

static void
decode_swizzle(uint8_t swizzle[4], uint32_t field)
{
   for (unsigned c = 0; c < 4; c++)
      swizzle[c] = field >> (6 - 2 * c) & 3;
}

static void
decode_operand(struct vpe_operand *operand, const uint32_t words[4],
               unsigned first, unsigned absolute_bit)
{
   operand->type = bits(words, first, 2);
   operand->index = bits(words, first + 2, 6);
   decode_swizzle(operand->swizzle, bits(words, first + 8, 8));
   operand->negate = bits(words, first + 16, 1);
   operand->absolute = bits(words, absolute_bit, 1);
   operand->need = 0;
}

enum { A = 1, B = 2, C = 4 };

/* Operands that a vector opcode reads: per component of the write mask, or
 * fixed components. */
static const struct {
   uint8_t operands;
   uint8_t fixed_a, fixed_b; /* 0: the components of the write mask */
   bool result;
} vector_info[32] = {
   [VPE_V_MOV] = { A, 0, 0, true },
   [VPE_V_MUL] = { A | B, 0, 0, true },
   [VPE_V_ADD] = { A | C, 0, 0, true },
   [VPE_V_MAD] = { A | B | C, 0, 0, true },
   [VPE_V_DP3] = { A | B, 7, 7, true },
   [VPE_V_DPH] = { A | B, 15, 15, true },
   [VPE_V_DP4] = { A | B, 15, 15, true },
   [VPE_V_DST] = { A | B, 14, 14, true },
   [VPE_V_MIN] = { A | B, 0, 0, true },
   [VPE_V_MAX] = { A | B, 0, 0, true },
   [VPE_V_SLT] = { A | B, 0, 0, true },
   [VPE_V_SGE] = { A | B, 0, 0, true },
   [VPE_V_ARL] = { A, 0, 0, false },
   [VPE_V_FRC] = { A, 0, 0, true },
   [VPE_V_FLR] = { A, 0, 0, true },
   [VPE_V_SEQ] = { A | B, 0, 0, true },
   [VPE_V_SFL] = { 0, 0, 0, true },
   [VPE_V_SGT] = { A | B, 0, 0, true },
   [VPE_V_SLE] = { A | B, 0, 0, true },
   [VPE_V_SNE] = { A | B, 0, 0, true },
   [VPE_V_STR] = { 0, 0, 0, true },
   [VPE_V_SSG] = { A, 0, 0, true },
   [VPE_V_ARR] = { A, 0, 0, false },
};

/* Components of rC that a scalar opcode reads besides MOV, and whether it has
 * a result. */
static bool
scalar_result(unsigned op, uint8_t mask, uint8_t *need)
{
   switch (op) {
   case VPE_S_MOV:
      *need = mask;
      return true;
   case VPE_S_LIT:
      *need = 0xb;
      return true;
   case VPE_S_RCP:
   case VPE_S_RCC:
   case VPE_S_RSQ:
   case VPE_S_EXP:
   case VPE_S_LOG:
   case VPE_S_LG2:
   case VPE_S_EX2:
   case VPE_S_SIN:
   case VPE_S_COS:
      *need = mask ? 1 : 0;
      return true;
   default:
      *need = 0;
      return false;
   }
}

static void
decode_needs(struct vpe_insn *insn)
{
   unsigned op = insn->vector_op;
   uint8_t mask = insn->vector_mask, scalar_need;
   if (mask) {
      if (vector_info[op].operands & A)
         insn->a.need =
            vector_info[op].fixed_a ? vector_info[op].fixed_a : mask;
      if (vector_info[op].operands & B)
         insn->b.need =
            vector_info[op].fixed_b ? vector_info[op].fixed_b : mask;
      if (vector_info[op].operands & C)
         insn->c.need = mask;
   }
   insn->has_vector_result = vector_info[op].result;
   insn->has_scalar_result =
      scalar_result(insn->scalar_op, insn->scalar_mask, &scalar_need);
   insn->c.need |= scalar_need;
}

static const char *
abort_cause(unsigned vector_dest, unsigned scalar_dest, unsigned export_index,
            const struct vpe_insn *insn)
{
   if (vector_dest >= 32 && vector_dest < 63)
      return "vector destination 32..62";
   if (scalar_dest >= 32 && scalar_dest < 63)
      return "scalar destination 32..62";
   if (insn->a.index >= 32 || insn->b.index >= 32 || insn->c.index >= 32)
      return "operand index above 31";
   if (export_index >= 16 && export_index < 31)
      return "export 16..30";
   return NULL;
}

void
vpe_decode(struct vpe_insn *insn, const uint32_t words[4], bool complete)
{
   *insn = (struct vpe_insn){ .complete = complete };
   for (unsigned i = 0; i < 4; i++)
      insn->raw[i] = words[i];
   unsigned export_index = bits(words, 2, 5), scalar_dest = bits(words, 7, 6),
            vector_dest = bits(words, 111, 6);
   insn->end = bits(words, 0, 1);
   insn->const_relative = bits(words, 1, 1);
   insn->export_index = export_index < 16 ? export_index : VPE_NONE;
   insn->scalar_dest = scalar_dest < 32 ? scalar_dest : VPE_NONE;
   insn->vector_dest = vector_dest < 32 ? vector_dest : VPE_NONE;
   insn->vector_mask = decode_mask(bits(words, 13, 4));
   insn->scalar_mask = decode_mask(bits(words, 17, 4));
   decode_operand(&insn->c, words, 21, 119);
   decode_operand(&insn->b, words, 38, 118);
   decode_operand(&insn->a, words, 55, 117);
   insn->target = bits(words, 29, 8);
   insn->attrib = bits(words, 72, 4);
   insn->constant = bits(words, 76, 10);
   insn->vector_op = bits(words, 86, 5);
   insn->scalar_op = bits(words, 91, 5);
   insn->address_select = bits(words, 96, 2);
   decode_swizzle(insn->condition_swizzle, bits(words, 98, 8));
   insn->condition = bits(words, 106, 3);
   insn->predicated = bits(words, 109, 1);
   insn->condition_write = bits(words, 110, 1) && bits(words, 125, 1);
   insn->address_zero = bits(words, 120, 1);
   insn->condition_reg = bits(words, 121, 1);
   insn->saturate = bits(words, 122, 1);
   insn->attrib_relative = bits(words, 123, 1);
   insn->export_relative = bits(words, 124, 1);
   insn->export_vector = bits(words, 126, 1);
   insn->relative =
      insn->const_relative || insn->attrib_relative || insn->export_relative;
   insn->abort = abort_cause(vector_dest, scalar_dest, export_index, insn);
   decode_needs(insn);
}

void
vpe_program_update(struct gr3d *gr3d)
{
   struct gr3d_vertex_state *vs = gr3d->vertex;
   const struct gr3d_programs *prog = &gr3d->prog;
   if (!vs->program_valid || vs->program_serial != prog->vp_serial) {
      vs->program.exports_written = 0;
      vs->program.temps_read = 0;
      memset(vs->insn_checked, 0, sizeof(vs->insn_checked));
      for (unsigned i = 0; i < VPE_NUM_INSNS; i++) {
         struct vpe_insn *insn = &vs->program.insn[i];
         if (prog->vp_written[i] != 0xf) {
            insn->complete = false;
            continue;
         }
         vpe_decode(insn, prog->vp[i], true);
         for (unsigned k = 0; k < 3; k++) {
            const struct vpe_operand *operand = k == 0   ? &insn->a
                                                : k == 1 ? &insn->b
                                                         : &insn->c;
            if (operand->type == VPE_TYPE_TEMP && operand->need)
               vs->program.temps_read |= 1u << (operand->index & 31);
         }
         if (insn->export_index != VPE_NONE)
            vs->program.exports_written |=
               insn->export_relative ? 0xffff : 1u << insn->export_index;
      }
      vs->program_serial = prog->vp_serial;
      vs->program_valid = true;
   }
   if (!vs->constants_valid ||
       vs->constants_serial != prog->vp_const_serial) {
      for (unsigned i = 0; i < gr3d->chip->vs_consts; i++)
         for (unsigned c = 0; c < 4; c++)
            vs->constants[i][c] = vpe_flush_bits(prog->vp_const[i][c]);
      vs->constants_serial = prog->vp_const_serial;
      vs->constants_valid = true;
   }
}
