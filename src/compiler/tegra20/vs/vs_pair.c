/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Which operations can share an instruction: the checklist of
 * vertex-pipeline.md 6.2, rule by rule, before registers are allocated.
 * Constants are judged by value, since the emitter can put any four values
 * into one register.  That both destinations end up in different registers
 * (6.3) is up to the register allocator; here only groups that share a
 * register anyway are refused.
 */

#include "vs_ir.h"

/*
 * Rule 1: rC is one operand for both halves, with one swizzle.  Additions and
 * multiply-adds read it component by component, a scalar function reads its x
 * component.  Both can share it when the vector half reads one and the same
 * component everywhere.
 */
static bool
rc_fits(const struct vs_op *vector, const struct vs_op *scalar)
{
   if (vector->opcode != VS_OP_ADD && vector->opcode != VS_OP_MAD)
      return true;
   if (vs_info(scalar)->kind != VS_KIND_SCALAR)
      return false;

   const struct vs_src *rc =
                          &vector->src[vector->opcode == VS_OP_ADD ? 1 : 2],
                       *src = &scalar->src[0];
   if (rc->file != src->file || rc->neg != src->neg || rc->abs != src->abs ||
       rc->relative || src->relative || rc->base != src->base)
      return false;
   for (unsigned i = 0; i < vector->lanes; i++) {
      if (rc->c[i] != src->c[0])
         return false;
   }
   return true;
}

/* Rules 2 and 4: one attribute, one constant register, one component of A0.
 */
static bool
fetches_fit(const struct vs_op *vector, const struct vs_op *scalar)
{
   const struct vs_op *ops[2] = { vector, scalar };
   struct vs_const_set consts = { 0 };
   const struct vs_src *attr = NULL;
   bool absolute_const = false, relative_const = false;

   if (vector->addr != VS_NONE && scalar->addr != VS_NONE &&
       vector->addr != scalar->addr)
      return false;
   for (unsigned h = 0; h < 2; h++) {
      for (unsigned s = 0; s < vs_info(ops[h])->num_srcs; s++) {
         const struct vs_src *src = &ops[h]->src[s];
         if (src->file == VS_FILE_CONST) {
            absolute_const |= !src->relative;
            relative_const |= src->relative;
         } else if (src->file == VS_FILE_ATTR) {
            if (attr &&
                (attr->base != src->base || attr->relative != src->relative))
               return false;
            attr = src;
         }
      }
   }
   if (absolute_const && relative_const)
      return false;
   return vs_collect_consts(vector, &consts) &&
          vs_collect_consts(scalar, &consts);
}

/* Rule 5: one predicate and one saturate for both; rule 7: the condition
 * register takes the vector result. */
static bool
conditions_fit(const struct vs_op *vector, const struct vs_op *scalar)
{
   if (vector->saturate != scalar->saturate &&
       vs_info(scalar)->kind != VS_KIND_FLOW)
      return false;
   if (vs_sets_cr(scalar))
      return false;
   if (vector->cond != scalar->cond)
      return false;
   if (!vs_is_predicated(vector)) {
      return true;
   }
   if (vs_sets_cr(vector) && vector->set_cr[0] / 4 != vector->pred[0] / 4)
      return false;
   /* lanes may test different components: only one component for all lanes of
    * both is certain to agree */
   for (unsigned i = 0; i < vector->lanes; i++) {
      if (vector->pred[i] != scalar->pred[0])
         return false;
   }
   for (unsigned i = 0; i < scalar->lanes; i++) {
      if (scalar->pred[i] != scalar->pred[0])
         return false;
   }
   return true;
}

/* Rule 6: cells of one group will lie in one register. */
static bool
destinations_fit(const struct vs_program *prog, const struct vs_op *vector,
                 const struct vs_op *scalar)
{
   for (unsigned i = 0; i < vector->lanes; i++) {
      for (unsigned j = 0; j < scalar->lanes; j++) {
         if (vector->dst[i] != VS_NO_CELL && scalar->dst[j] != VS_NO_CELL &&
             prog->cells[vector->dst[i]].group ==
                prog->cells[scalar->dst[j]].group)
            return false;
      }
   }
   return true;
}

bool
vs_can_pair(const struct vs_program *prog, const struct vs_op *vector,
            const struct vs_op *scalar)
{
   if (!(vs_info(vector)->units & VS_UNIT_VECTOR) ||
       !(vs_info(scalar)->units & VS_UNIT_SCALAR))
      return false;
   if (vector->export != VS_NONE && scalar->export != VS_NONE)
      return false;
   /* an address that is written is not used in the same instruction: old or
    * new value is not known */
   if ((vs_sets_addr(vector) && scalar->addr != VS_NONE))
      return false;
   return rc_fits(vector, scalar) && fetches_fit(vector, scalar) &&
          conditions_fit(vector, scalar) &&
          destinations_fit(prog, vector, scalar);
}
