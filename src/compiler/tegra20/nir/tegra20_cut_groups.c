/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Values that one part stores and that the same parts read are handed on in
 * groups of two to four (TEGRA20_RT_FP20_X4): their bits are sorted so that
 * less waits for each other (fs/fs_hand_over.c).
 *
 * Which parts read a value is known when all parts are.  They were found to
 * fit without groups, so each is compiled again, and what does not fit stays
 * as it was.
 */

#include "tegra20_cut_internal.h"

#include "util/bitset.h"

#define MOST_VALUES 4 /* of a group */

/* A part with values in a group. */
struct grouped {
   unsigned index; /* of the part */
   struct tegra20_part part;
};

struct groups {
   struct cut *cut;
   unsigned writer;
   unsigned size;                /* of the group that is tried */
   unsigned values[MOST_VALUES]; /* their numbers */
   unsigned num_grouped;
   struct grouped *grouped;
};

/* The colour buffer with a value; TEGRA20_MAX_CBUFS: none. */
static unsigned
cbuf_of(const struct tegra20_part *part, unsigned value)
{
   unsigned c = 0;

   while (c < TEGRA20_MAX_CBUFS && (part->cbuf[c].use < TEGRA20_PART_LOAD ||
                                    part->cbuf[c].index != value))
      c++;
   return c;
}

static bool
is_sampled(const struct tegra20_part *part, unsigned value)
{
   u_foreach_bit (unit, part->sampled) {
      if (part->texture[unit] == value)
         return true;
   }
   return false;
}

/* A value that only loads read. */
static bool
can_be_grouped(const struct groups *g, unsigned value)
{
   const struct tegra20_parts *parts = g->cut->parts;

   if (cut_is_carried_number(g->cut, value))
      return false;
   for (unsigned i = 0; i < parts->count; i++) {
      const struct tegra20_part *part = &parts->part[i];
      const unsigned c = cbuf_of(part, value);

      if (is_sampled(part, value))
         return false;
      if (c < TEGRA20_MAX_CBUFS && i != g->writer &&
          part->cbuf[c].use != TEGRA20_PART_LOAD)
         return false;
   }
   return true;
}

static bool
same_readers(const struct groups *g, unsigned a, unsigned b)
{
   const struct tegra20_parts *parts = g->cut->parts;

   for (unsigned i = 0; i < parts->count; i++) {
      if ((cbuf_of(&parts->part[i], a) == TEGRA20_MAX_CBUFS) !=
          (cbuf_of(&parts->part[i], b) == TEGRA20_MAX_CBUFS))
         return false;
   }
   return true;
}

/* Colour buffers in a row that are free or have one of the values: the first
 * one, or TEGRA20_MAX_CBUFS. */
static unsigned
find_row(const struct tegra20_part *part, unsigned size, unsigned values)
{
   for (unsigned first = 0; first + size <= TEGRA20_MAX_CBUFS; first++) {
      unsigned i = 0;

      while (i < size && (part->cbuf[first + i].use == TEGRA20_PART_NONE ||
                          (values >> (first + i) & 1)))
         i++;
      if (i == size)
         return first;
   }
   return TEGRA20_MAX_CBUFS;
}

/* Loads or stores of colour buffers become those of components of another. */
static void
rename_values(const struct groups *g, nir_shader *nir, nir_intrinsic_op op,
              const unsigned *from, unsigned to)
{
   nir_foreach_instr (instr,
                      nir_start_block(nir_shader_get_entrypoint(nir))) {
      if (instr->type != nir_instr_type_intrinsic)
         continue;
      nir_intrinsic_instr *intr = nir_instr_as_intrinsic(instr);
      if (intr->intrinsic != op)
         continue;
      nir_io_semantics sem = nir_intrinsic_io_semantics(intr);
      for (unsigned v = 0; v < g->size; v++) {
         if (sem.location != FRAG_RESULT_DATA0 + from[v])
            continue;
         sem.location = FRAG_RESULT_DATA0 + to;
         nir_intrinsic_set_io_semantics(intr, sem);
         nir_intrinsic_set_base(intr, to);
         nir_intrinsic_set_component(intr, v);
         break;
      }
   }
}

/* Another part with the values as a group; false when it has no colour
 * buffers in a row for them. */
static bool
group_part(struct groups *g, unsigned index)
{
   const struct tegra20_part *old = &g->cut->parts->part[index];
   struct tegra20_part *part = &g->grouped[g->num_grouped].part;
   unsigned from[MOST_VALUES], mask = 0;

   for (unsigned v = 0; v < g->size; v++) {
      from[v] = cbuf_of(old, g->values[v]);
      mask |= 1u << from[v];
   }
   const unsigned to = find_row(old, g->size, mask);
   if (to == TEGRA20_MAX_CBUFS)
      return false;
   *part = *old;
   for (unsigned v = 0; v < g->size; v++)
      part->cbuf[from[v]].use = TEGRA20_PART_NONE;
   for (unsigned v = 0; v < g->size; v++) {
      part->cbuf[to + v].use = old->cbuf[from[0]].use;
      part->cbuf[to + v].index = g->values[v];
      part->cbuf[to + v].group = v == 0 ? g->size : 1;
   }
   part->nir = nir_shader_clone(g->cut->parts, old->nir);
   part->program = NULL;
   g->grouped[g->num_grouped++].index = index;
   rename_values(g, part->nir,
                 index == g->writer ? nir_intrinsic_store_output
                                    : nir_intrinsic_load_output,
                 from, to);
   return true;
}

static bool
compile_grouped(struct groups *g)
{
   struct tegra20_parts *parts = g->cut->parts;

   for (unsigned i = 0; i < g->num_grouped; i++) {
      struct grouped *grouped = &g->grouped[i];
      struct tegra20_fs_key key;
      char *error = NULL;

      cut_part_key(&grouped->part, grouped->index == parts->count - 1,
                   g->cut->key, &key);
      if (!tegra20_compile_fs(parts, grouped->part.nir, &key,
                              &g->cut->options, &grouped->part.program,
                              &error)) {
         ralloc_free(error);
         return false;
      }
   }
   return true;
}

static void
try_group(struct groups *g)
{
   struct tegra20_parts *parts = g->cut->parts;
   bool fits = true;

   g->num_grouped = 0;
   for (unsigned i = g->writer; i < parts->count && fits; i++) {
      if (cbuf_of(&parts->part[i], g->values[0]) < TEGRA20_MAX_CBUFS)
         fits = group_part(g, i);
   }
   fits = fits && compile_grouped(g);
   for (unsigned i = 0; i < g->num_grouped; i++) {
      struct tegra20_part *old = &parts->part[g->grouped[i].index];
      const struct tegra20_part dropped = fits ? *old : g->grouped[i].part;

      if (fits)
         *old = g->grouped[i].part;
      ralloc_free(dropped.nir);
      ralloc_free(dropped.program);
   }
}

/* The value in a colour buffer of the writer with others behind it, if there
 * are. */
static void
group_value(struct groups *g, unsigned cbuf)
{
   const struct tegra20_part *part = &g->cut->parts->part[g->writer];
   unsigned count = 0;

   for (unsigned c = cbuf; c < TEGRA20_MAX_CBUFS && count < g->size; c++) {
      const unsigned value = part->cbuf[c].index;

      if (part->cbuf[c].use == TEGRA20_PART_STORE && !part->cbuf[c].group &&
          !part->cbuf[c].flag && can_be_grouped(g, value) &&
          (count == 0 || same_readers(g, g->values[0], value)))
         g->values[count++] = value;
      else if (count == 0)
         return;
   }
   if (count == g->size)
      try_group(g);
}

void
cut_group_values(struct cut *cut)
{
   struct groups g = { .cut = cut };

   g.grouped = ralloc_array(cut, struct grouped, cut->parts->count);
   for (g.writer = 0; g.writer < cut->parts->count; g.writer++) {
      for (g.size = MOST_VALUES; g.size > 1; g.size--) {
         for (unsigned c = 0; c < TEGRA20_MAX_CBUFS; c++)
            group_value(&g, c);
      }
   }
   ralloc_free(g.grouped);
}
