/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Constant registers.  An instruction reads one register, so the values that
 * it needs must lie together; a value may lie in several registers.  Uniform
 * arrays with dynamic index keep their shape and come first; then the demands
 * of the instructions, the largest first, go where most of their values
 * already are.
 */

#include <string.h>

#include "util/ralloc.h"
#include "vs_ir.h"

struct demand {
   struct vs_inst *inst;
   struct vs_const_set set;
   unsigned order;
};

static int
compare_demands(const void *a, const void *b)
{
   const struct demand *da = a, *db = b;

   if (da->set.count != db->set.count)
      return (int)db->set.count - (int)da->set.count;
   return (int)da->order - (int)db->order;
}

static int
find_value(const uint16_t *reg, uint16_t value)
{
   for (unsigned i = 0; i < 4; i++) {
      if (reg[i] == value)
         return i;
   }
   return -1;
}

/* Values of a set that a register holds; -1 when it has no room for the rest.
 */
static int
count_shared(const uint16_t *reg, const struct vs_const_set *set)
{
   unsigned shared = 0, room = 0;

   for (unsigned i = 0; i < set->count; i++)
      shared += find_value(reg, set->values[i]) >= 0;
   for (unsigned i = 0; i < 4; i++)
      room += reg[i] == TEGRA20_NO_VALUE;
   return set->count - shared <= room ? (int)shared : -1;
}

static void
add_register(struct vs_program *prog, unsigned *needed)
{
   if (*needed < prog->chip->vs_consts) {
      memset(prog->consts[*needed], 0xff, sizeof(prog->consts[0]));
      prog->num_consts = *needed + 1;
   }
   (*needed)++;
}

static unsigned
place_set(struct vs_program *prog, const struct vs_const_set *set,
          unsigned *needed)
{
   int best = -1, best_shared = -1;

   for (unsigned i = 0; i < prog->num_consts; i++) {
      const int shared = count_shared(prog->consts[i], set);
      if (shared > best_shared) {
         best = i;
         best_shared = shared;
      }
   }
   if (best < 0) {
      best = *needed;
      add_register(prog, needed);
      if (best >= (int)prog->chip->vs_consts)
         return 0;
   }

   uint16_t *reg = prog->consts[best];
   for (unsigned i = 0; i < set->count; i++) {
      if (find_value(reg, set->values[i]) < 0)
         reg[find_value(reg, TEGRA20_NO_VALUE)] = set->values[i];
   }
   return best;
}

static void
place_array(struct vs_program *prog, struct vs_array *array, unsigned *needed)
{
   const int first = -(int)array->pad, end = array->size + array->pad;

   array->hw_base = *needed + array->pad;
   for (int i = first; i < end; i++) {
      const bool inside = i >= 0 && i < array->size;
      const unsigned reg = *needed;
      add_register(prog, needed);
      for (unsigned c = 0; c < 4 && reg < prog->chip->vs_consts; c++) {
         prog->consts[reg][c] =
            inside ? vs_value_uniform(prog, 4 * (array->slot + i) + c)
                   : vs_value_imm(prog, 0.0f);
      }
   }
}

bool
vs_pack_constants(struct vs_program *prog)
{
   struct util_dynarray demands;
   unsigned needed = 0;

   util_dynarray_init(&demands, prog);
   prog->num_consts = 0;
   util_dynarray_foreach (&prog->arrays, struct vs_array, array)
      place_array(prog, array, &needed);

   vs_foreach_block (prog, block) {
      util_dynarray_foreach (&block->insts, struct vs_inst, inst) {
         struct demand demand = { .inst = inst };
         inst->const_reg = 0;
         if (inst->vector)
            vs_collect_consts(inst->vector, &demand.set);
         if (inst->scalar)
            vs_collect_consts(inst->scalar, &demand.set);
         demand.order = util_dynarray_num_elements(&demands, struct demand);
         if (demand.set.relative) {
            const struct vs_array *array = util_dynarray_element(
               &prog->arrays, struct vs_array, demand.set.base);
            inst->const_reg = array->hw_base + demand.set.offset;
         } else if (demand.set.count) {
            util_dynarray_append(&demands, struct demand, demand);
         }
      }
   }

   if (demands.size)
      qsort(demands.data, util_dynarray_num_elements(&demands, struct demand),
            sizeof(struct demand), compare_demands);
   util_dynarray_foreach (&demands, struct demand, demand)
      demand->inst->const_reg = place_set(prog, &demand->set, &needed);
   util_dynarray_fini(&demands);

   if (needed > prog->chip->vs_consts) {
      vs_fail(prog,
              "vertex program needs %u constant registers, the chip has %u",
              needed, prog->chip->vs_consts);
      return false;
   }
   return true;
}
