/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * A loop that pixels leave early and whose body was copied is conditionals
 * in conditionals, and these become selections whose first one has the result
 * of the second one as its operand, and so on:
 *
 *    s1 = c1 ? x1 : s2      s2 = c2 ? x2 : s3      ...      sn = cn ? xn : y
 *
 * They can only be done from the last one to the first one, so all c and x
 * are alive behind the last copy of the body: no program has room for that,
 * nor is there a place where it could be cut into parts.  Turned round they
 * follow the copies, and two values are alive at a time:
 *
 *    t1 = x1          t2 = d1 ? t1 : x2      ...      s1 = dn ? tn : y
 *    d1 = c1          d2 = d1 or c2          ...
 *
 * Chains of "and" and "or" are such selections of true and false.
 */

#include "compiler/nir/nir_builder.h"
#include "fs_flatten.h"
#include "fs_rounds.h"
#include "util/bitset.h"
#include "util/ralloc.h"

#include "tegra20_compiler.h"

/* Shorter chains are left as they are: the d are operations of their own. */
#define MIN_LENGTH 7

/* A selection: condition ? value : next. */
struct exit {
   unsigned condition; /* operand */
   bool inverted;      /* condition ? next : value */
   bool constant;      /* "value" is a truth value, not an operand */
   unsigned value;     /* operand, or truth value */
   unsigned next;      /* operand */
   unsigned length;    /* of the chain that begins here; 0: no selection */
   bool linked;        /* a part of the chain of the one that uses it */
};

struct exits {
   nir_builder b;
   struct exit *exits; /* per index of a definition */
   unsigned index;     /* of the instruction that b.cursor is behind */
};

static bool
is_identity(const nir_alu_instr *alu, unsigned s)
{
   const nir_def *def = alu->src[s].src.ssa;

   for (unsigned c = 0; c < alu->def.num_components; c++) {
      if (alu->src[s].swizzle[c] != c)
         return false;
   }
   return def->num_components == alu->def.num_components;
}

/* The same condition for all components. */
static bool
is_uniform(const nir_alu_instr *alu, unsigned s)
{
   for (unsigned c = 1; c < alu->def.num_components; c++) {
      if (alu->src[s].swizzle[c] != alu->src[s].swizzle[0])
         return false;
   }
   return true;
}

/* The chain that an operand continues: 0 when it is none, or has other
 * uses. */
static unsigned
length_of_operand(const struct exits *e, const nir_alu_instr *alu, unsigned s)
{
   const nir_def *def = alu->src[s].src.ssa;

   return is_identity(alu, s) && list_is_singular(&def->uses)
             ? e->exits[def->index].length
             : 0;
}

/* Fills in what an operation is; "next" is the operand with the longer
 * chain. */
static void
read_exit(struct exits *e, const nir_alu_instr *alu)
{
   struct exit *exit = &e->exits[alu->def.index];
   const bool select = alu->op == nir_op_bcsel && is_uniform(alu, 0);
   const bool logic = alu->def.num_components == 1 &&
                      (alu->op == nir_op_iand || alu->op == nir_op_ior);

   if ((!select && !logic) || alu->def.bit_size > 32)
      return;
   const unsigned first = select ? 1 : 0;
   const bool behind = length_of_operand(e, alu, first + 1) >=
                       length_of_operand(e, alu, first);
   exit->next = first + behind;
   exit->constant = logic;
   if (select) {
      exit->value = behind ? 1 : 2;
      exit->inverted = !behind;
      exit->condition = 0;
   } else {
      exit->value = alu->op == nir_op_ior;
      exit->inverted = alu->op == nir_op_iand;
      exit->condition = !exit->next;
   }
   const unsigned rest = length_of_operand(e, alu, exit->next);
   exit->length = 1 + rest;
   if (rest)
      e->exits[alu->src[exit->next].src.ssa->index].linked = true;
}

/* What is built from now on stands behind a definition, and behind what was
 * built before. */
static nir_def *
behind(struct exits *e, nir_def *def)
{
   if (def->parent_instr->index > e->index) {
      e->b.cursor = nir_after_instr(def->parent_instr);
      e->index = def->parent_instr->index;
   }
   return def;
}

static nir_def *
build_condition(struct exits *e, const struct exit *exit, nir_alu_instr *alu)
{
   const nir_alu_src *src = &alu->src[exit->condition];
   nir_def *condition =
      nir_channel(&e->b, behind(e, src->src.ssa), src->swizzle[0]);

   return exit->inverted ? nir_inot(&e->b, condition) : condition;
}

static nir_def *
build_operand(struct exits *e, nir_alu_instr *alu, unsigned s)
{
   behind(e, alu->src[s].src.ssa);
   return nir_ssa_for_alu_src(&e->b, alu, s);
}

static void
turn_chain(struct exits *e, nir_alu_instr *first)
{
   nir_def *left = NULL, *result = NULL;
   nir_alu_instr *alu = first;
   const unsigned length = e->exits[first->def.index].length;

   nir_index_instrs(e->b.impl);
   e->index = 0;
   e->b.cursor = nir_before_impl(e->b.impl);
   for (unsigned n = length; n > 0; n--) {
      const struct exit *exit = &e->exits[alu->def.index];
      nir_def *value = exit->constant ? nir_imm_bool(&e->b, exit->value)
                                      : build_operand(e, alu, exit->value);

      result = left ? nir_bcsel(&e->b, left, result, value) : value;
      nir_def *leaves = build_condition(e, exit, alu);
      left = left ? nir_ior(&e->b, left, leaves) : leaves;
      if (n == 1)
         result =
            nir_bcsel(&e->b, left, result, build_operand(e, alu, exit->next));
      else
         alu = nir_instr_as_alu(alu->src[exit->next].src.ssa->parent_instr);
   }
   nir_def_replace(&first->def, result);
}

static bool
is_chain(const struct exit *exit)
{
   return exit->length >= MIN_LENGTH && !exit->linked;
}

/* Uniforms, constants and what is computed of these alone, which the CPU
 * does. */
static bool
src_is_for_cpu(nir_src *src, void *for_cpu)
{
   return BITSET_TEST((const BITSET_WORD *)for_cpu, src->ssa->index);
}

static bool
is_for_cpu(nir_instr *instr, BITSET_WORD *for_cpu)
{
   switch (instr->type) {
   case nir_instr_type_load_const:
   case nir_instr_type_undef:
      return true;
   case nir_instr_type_intrinsic:
      return nir_instr_as_intrinsic(instr)->intrinsic ==
                nir_intrinsic_load_uniform &&
             nir_foreach_src(instr, src_is_for_cpu, for_cpu);
   case nir_instr_type_alu:
      return nir_foreach_src(instr, src_is_for_cpu, for_cpu);
   default:
      return false;
   }
}

static unsigned
count_operations(nir_function_impl *impl)
{
   BITSET_WORD *for_cpu = rzalloc_array(
      NULL, BITSET_WORD, BITSET_WORDS(MAX2(impl->ssa_alloc, 1)));
   unsigned operations = 0;

   nir_foreach_instr (instr, nir_start_block(impl)) {
      const nir_def *def = nir_instr_def(instr);

      if (def && is_for_cpu(instr, for_cpu))
         BITSET_SET(for_cpu, def->index);
      else if (instr->type == nir_instr_type_alu)
         operations += def->num_components;
   }
   ralloc_free(for_cpu);
   return operations;
}

/* Whether the program will be drawn in parts for certain: it has rounds, or
 * more operations than fit any chip.  The others are left to the scheduler.
 */
static bool
is_large(nir_function_impl *impl)
{
   nir_foreach_instr (instr, nir_start_block(impl)) {
      if (fs_is_border(instr))
         return true;
   }
   return count_operations(impl) > 4 * TEGRA20_FS_MAX_ALU;
}

bool
fs_turn_exits(nir_shader *nir)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   struct exits e = { .b = nir_builder_create(impl) };
   bool progress = false;

   if (!exec_list_is_singular(&impl->body))
      return false;
   nir_index_ssa_defs(impl);
   if (!is_large(impl))
      return false;
   const unsigned count = impl->ssa_alloc;
   e.exits = rzalloc_array(NULL, struct exit, MAX2(count, 1));
   nir_foreach_instr (instr, nir_start_block(impl)) {
      if (instr->type == nir_instr_type_alu)
         read_exit(&e, nir_instr_as_alu(instr));
   }
   nir_foreach_instr_safe (instr, nir_start_block(impl)) {
      const nir_def *def = nir_instr_def(instr);

      if (!def || def->index >= count || !is_chain(&e.exits[def->index]))
         continue;
      turn_chain(&e, nir_instr_as_alu(instr));
      progress = true;
   }
   ralloc_free(e.exits);
   nir_metadata_preserve(impl, progress ? nir_metadata_control_flow
                                        : nir_metadata_all);
   return progress;
}
