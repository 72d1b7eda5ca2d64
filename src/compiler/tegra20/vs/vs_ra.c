/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Register allocation: every group of cells gets one of the 32 registers,
 * every cell a component of it.
 *
 * Interference is counted by cells, from the liveness over scheduled
 * instructions, so that scalars and short vectors share registers.  Groups
 * are placed in order of their size and of how much they interfere, each in
 * the first register that takes it.  Two rules go beyond liveness: the halves
 * of one instruction never write the same register, not even different
 * components (vertex-pipeline.md 6.3), and neither half writes what the other
 * reads, so that nothing depends on the order of reads and writes inside an
 * instruction (vertex-pipeline.md 3).
 *
 * There is no memory to spill to: when 32 registers do not suffice the
 * program is scheduled again for less pressure.
 */

#include <string.h>

#include "util/bitset.h"
#include "util/ralloc.h"
#include "util/u_math.h"
#include "vs_ir.h"

struct allocator {
   struct vs_program *prog;
   void *mem_ctx;
   unsigned count;                 /* cells in use */
   uint16_t *dense;                /* cell -> number in use, or VS_NO_CELL */
   uint16_t *cells;                /* and back */
   unsigned words;                 /* of a bitset over the cells in use */
   BITSET_WORD *interference;      /* count x words */
   BITSET_WORD *live_in;           /* per block */
   struct util_dynarray conflicts; /* uint16_t pairs of cells in use whose
                                      registers must differ */
   struct util_dynarray occupants[TEGRA20_VS_MAX_TEMPS]
                                 [4]; /* uint16_t, cells in use */
};

struct group {
   unsigned count, degree;
   uint16_t cells[4]; /* in use */
};

static const struct vs_op *
half(const struct vs_inst *inst, unsigned i)
{
   return i == 0 ? inst->vector : inst->scalar;
}

static void
number_cells(struct allocator *ra)
{
   ra->dense = ralloc_array(ra->mem_ctx, uint16_t, ra->prog->num_cells + 1);
   ra->cells = ralloc_array(ra->mem_ctx, uint16_t, ra->prog->num_cells + 1);
   memset(ra->dense, 0xff, (ra->prog->num_cells + 1) * sizeof(uint16_t));

   vs_foreach_block (ra->prog, block) {
      vs_foreach_op (block, op) {
         for (unsigned i = 0; i < op->lanes; i++) {
            if (op->dst[i] != VS_NO_CELL &&
                ra->dense[op->dst[i]] == VS_NO_CELL) {
               ra->dense[op->dst[i]] = ra->count;
               ra->cells[ra->count++] = op->dst[i];
            }
         }
         for (unsigned s = 0; s < vs_info(op)->num_srcs; s++) {
            for (unsigned i = 0;
                 op->src[s].file == VS_FILE_TEMP && i < vs_src_lanes(op);
                 i++) {
               const uint16_t cell = op->src[s].c[i];
               if (ra->dense[cell] == VS_NO_CELL) {
                  ra->dense[cell] = ra->count;
                  ra->cells[ra->count++] = cell;
               }
            }
         }
      }
   }
   ra->words = BITSET_WORDS(MAX2(ra->count, 1));
}

static BITSET_WORD *
row(struct allocator *ra, unsigned cell)
{
   return &ra->interference[cell * ra->words];
}

static void
interfere(struct allocator *ra, unsigned a, unsigned b)
{
   if (a != b) {
      BITSET_SET(row(ra, a), b);
      BITSET_SET(row(ra, b), a);
   }
}

/* Moves live from behind an instruction to in front of it; notes interference
 * when asked to. */
static void
step(struct allocator *ra, const struct vs_inst *inst, BITSET_WORD *live,
     bool note)
{
   for (unsigned h = 0; h < 2; h++) {
      const struct vs_op *op = half(inst, h);
      for (unsigned i = 0; op && i < op->lanes; i++) {
         if (op->dst[i] == VS_NO_CELL)
            continue;
         const unsigned cell = ra->dense[op->dst[i]];
         unsigned other;
         for (unsigned j = 0; note && j < op->lanes; j++)
            interfere(ra, cell, ra->dense[op->dst[j]]);
         if (note) {
            BITSET_FOREACH_SET (other, live, ra->count)
               interfere(ra, cell, other);
         }
      }
   }
   for (unsigned h = 0; h < 2; h++) {
      const struct vs_op *op = half(inst, h);
      for (unsigned i = 0; op && i < op->lanes; i++) {
         if (op->dst[i] != VS_NO_CELL && !vs_is_predicated(op))
            BITSET_CLEAR(live, ra->dense[op->dst[i]]);
      }
   }
   for (unsigned h = 0; h < 2; h++) {
      const struct vs_op *op = half(inst, h);
      for (unsigned s = 0; op && s < vs_info(op)->num_srcs; s++) {
         for (unsigned i = 0;
              op->src[s].file == VS_FILE_TEMP && i < vs_src_lanes(op); i++)
            BITSET_SET(live, ra->dense[op->src[s].c[i]]);
      }
   }
}

static void
live_out(struct allocator *ra, const struct vs_block *block,
         BITSET_WORD *live)
{
   memset(live, 0, ra->words * sizeof(BITSET_WORD));
   for (unsigned i = 0; i < 2; i++) {
      for (unsigned w = 0; block->succ[i] != VS_NO_BLOCK && w < ra->words;
           w++)
         live[w] |= ra->live_in[block->succ[i] * ra->words + w];
   }
}

static void
compute_liveness(struct allocator *ra)
{
   BITSET_WORD *live = rzalloc_array(ra->mem_ctx, BITSET_WORD, ra->words);
   bool progress = true;

   ra->live_in = rzalloc_array(ra->mem_ctx, BITSET_WORD,
                               vs_num_blocks(ra->prog) * ra->words);
   while (progress) {
      progress = false;
      for (unsigned b = vs_num_blocks(ra->prog); b-- > 0;) {
         const struct vs_block *block = vs_get_block(ra->prog, b);
         live_out(ra, block, live);
         for (unsigned i = vs_num_insts(block); i-- > 0;)
            step(ra, vs_get_inst(block, i), live, false);
         BITSET_WORD *in = &ra->live_in[b * ra->words];
         if (memcmp(in, live, ra->words * sizeof(BITSET_WORD)) != 0) {
            memcpy(in, live, ra->words * sizeof(BITSET_WORD));
            progress = true;
         }
      }
   }
}

/* The two halves of an instruction keep out of each other's way. */
static void
separate_halves(struct allocator *ra, const struct vs_inst *inst)
{
   if (!inst->vector || !inst->scalar)
      return;

   for (unsigned h = 0; h < 2; h++) {
      const struct vs_op *op = half(inst, h), *other = half(inst, 1 - h);
      for (unsigned i = 0; i < op->lanes; i++) {
         if (op->dst[i] == VS_NO_CELL)
            continue;
         const unsigned cell = ra->dense[op->dst[i]];
         for (unsigned s = 0; s < vs_info(other)->num_srcs; s++) {
            for (unsigned j = 0; other->src[s].file == VS_FILE_TEMP &&
                                 j < vs_src_lanes(other);
                 j++)
               interfere(ra, cell, ra->dense[other->src[s].c[j]]);
         }
         for (unsigned j = 0; h == 0 && j < other->lanes; j++) {
            if (other->dst[j] != VS_NO_CELL) {
               util_dynarray_append(&ra->conflicts, uint16_t, cell);
               util_dynarray_append(&ra->conflicts, uint16_t,
                                    ra->dense[other->dst[j]]);
            }
         }
      }
   }
}

static void
compute_interference(struct allocator *ra)
{
   BITSET_WORD *live = rzalloc_array(ra->mem_ctx, BITSET_WORD, ra->words);

   ra->interference =
      rzalloc_array(ra->mem_ctx, BITSET_WORD, ra->count * ra->words + 1);
   vs_foreach_block (ra->prog, block) {
      live_out(ra, block, live);
      for (unsigned i = vs_num_insts(block); i-- > 0;) {
         step(ra, vs_get_inst(block, i), live, true);
         separate_halves(ra, vs_get_inst(block, i));
      }
   }
}

static bool
component_is_free(struct allocator *ra, unsigned cell, unsigned reg,
                  unsigned comp)
{
   const uint8_t fixed = ra->prog->cells[ra->cells[cell]].fixed_comp;

   if (fixed != VS_NONE && fixed != comp)
      return false;
   util_dynarray_foreach (&ra->occupants[reg][comp], uint16_t, other) {
      if (BITSET_TEST(row(ra, cell), *other))
         return false;
   }
   return true;
}

static bool
register_conflicts(struct allocator *ra, const struct group *group,
                   unsigned reg)
{
   const uint16_t *pairs = util_dynarray_begin(&ra->conflicts);
   const unsigned count =
      util_dynarray_num_elements(&ra->conflicts, uint16_t);

   for (unsigned i = 0; i < count; i++) {
      const uint16_t mine = pairs[i], other = pairs[i ^ 1];
      if (ra->prog->cells[ra->cells[other]].reg != reg)
         continue;
      for (unsigned k = 0; k < group->count; k++) {
         if (group->cells[k] == mine)
            return true;
      }
   }
   return false;
}

/* Places cells i.. of a group in a register: tries every component for each.
 */
static bool
place_cells(struct allocator *ra, const struct group *group, unsigned reg,
            unsigned i)
{
   if (i == group->count)
      return true;

   for (unsigned comp = 0; comp < 4; comp++) {
      if (!component_is_free(ra, group->cells[i], reg, comp))
         continue;
      util_dynarray_append(&ra->occupants[reg][comp], uint16_t,
                           group->cells[i]);
      if (place_cells(ra, group, reg, i + 1)) {
         struct vs_cell *cell = &ra->prog->cells[ra->cells[group->cells[i]]];
         cell->reg = reg;
         cell->comp = comp;
         return true;
      }
      (void)util_dynarray_pop(&ra->occupants[reg][comp], uint16_t);
   }
   return false;
}

static int
compare_groups(const void *a, const void *b)
{
   const struct group *ga = a, *gb = b;

   if (ga->count != gb->count)
      return gb->count - ga->count;
   if (ga->degree != gb->degree)
      return gb->degree > ga->degree ? 1 : -1;
   return ga->cells[0] - gb->cells[0];
}

static struct group *
collect_groups(struct allocator *ra, unsigned *num_groups)
{
   struct group *groups =
      rzalloc_array(ra->mem_ctx, struct group, ra->prog->num_groups + 1);
   unsigned kept = 0;

   for (unsigned i = 0; i < ra->count; i++) {
      struct group *group = &groups[ra->prog->cells[ra->cells[i]].group];
      group->cells[group->count++] = i;
      group->degree += __bitset_count(row(ra, i), ra->words);
   }
   for (unsigned i = 0; i < ra->prog->num_groups; i++) {
      if (groups[i].count)
         groups[kept++] = groups[i];
   }
   qsort(groups, kept, sizeof(groups[0]), compare_groups);
   *num_groups = kept;
   return groups;
}

bool
vs_allocate_registers(struct vs_program *prog)
{
   struct allocator ra = { .prog = prog, .mem_ctx = ralloc_context(prog) };
   unsigned num_groups;
   bool fits = true;

   for (unsigned i = 0; i < TEGRA20_VS_MAX_TEMPS; i++) {
      for (unsigned comp = 0; comp < 4; comp++)
         util_dynarray_init(&ra.occupants[i][comp], ra.mem_ctx);
   }
   util_dynarray_init(&ra.conflicts, ra.mem_ctx);
   number_cells(&ra);
   for (unsigned i = 0; i < ra.count; i++)
      prog->cells[ra.cells[i]].reg = VS_NONE;
   compute_liveness(&ra);
   compute_interference(&ra);

   const struct group *groups = collect_groups(&ra, &num_groups);
   prog->num_temps = 0;
   for (unsigned i = 0; i < num_groups && fits; i++) {
      unsigned reg = 0;
      while (reg < TEGRA20_VS_MAX_TEMPS &&
             (register_conflicts(&ra, &groups[i], reg) ||
              !place_cells(&ra, &groups[i], reg, 0)))
         reg++;
      fits = reg < TEGRA20_VS_MAX_TEMPS;
      prog->num_temps = MAX2(prog->num_temps, reg + 1);
   }
   ralloc_free(ra.mem_ctx);
   return fits;
}
