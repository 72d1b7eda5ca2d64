/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Values that one part stores and that the same parts read are handed on in
 * groups of four or less (TEGRA20_RT_FP20_X4): their bits are sorted so that
 * less waits for each other (fs/fs_hand_over.c).
 *
 * Which parts read a value is known when all parts are, and compiling them
 * once more takes long.  So the first four values that a part stores for the
 * next one alone, by plan, are supposed to be a group, and the parts that
 * read all of them load them as one.  Where another part reads only some of
 * them, the group is given up, and these parts are compiled again.
 */

#include "tegra20_cut_internal.h"

#define MOST_VALUES 4 /* of a group */

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
rename_values(nir_shader *nir, nir_intrinsic_op op, unsigned size,
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
      for (unsigned v = 0; v < size; v++) {
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

/* Makes a group of values of a part; false when it has no colour buffers in a
 * row for them. */
static bool
group_values(struct tegra20_part *part, const unsigned *values, unsigned size,
             bool stored)
{
   const struct tegra20_part old = *part;
   unsigned from[MOST_VALUES], mask = 0;

   for (unsigned v = 0; v < size; v++) {
      from[v] = cbuf_of(part, values[v]);
      mask |= 1u << from[v];
   }
   const unsigned to = find_row(part, size, mask);
   if (to == TEGRA20_MAX_CBUFS)
      return false;
   for (unsigned v = 0; v < size; v++)
      part->cbuf[from[v]].use = TEGRA20_PART_NONE;
   for (unsigned v = 0; v < size; v++) {
      part->cbuf[to + v].use = old.cbuf[from[0]].use;
      part->cbuf[to + v].index = values[v];
      part->cbuf[to + v].group = v == 0 ? size : 1;
   }
   rename_values(part->nir,
                 stored ? nir_intrinsic_store_output
                        : nir_intrinsic_load_output,
                 size, from, to);
   return true;
}

/* --- the groups that are supposed --- */

/* The values of the group whose first colour buffer this is. */
static void
read_group(const struct tegra20_part *part, unsigned cbuf,
           unsigned values[MOST_VALUES])
{
   for (unsigned v = 0; v < part->cbuf[cbuf].group; v++)
      values[v] = part->cbuf[cbuf + v].index;
}

static bool
loads_all(const struct tegra20_part *part, const unsigned *values,
          unsigned size)
{
   for (unsigned v = 0; v < size; v++) {
      const unsigned c = cbuf_of(part, values[v]);

      if (c == TEGRA20_MAX_CBUFS || part->cbuf[c].use != TEGRA20_PART_LOAD ||
          part->cbuf[c].group || is_sampled(part, values[v]))
         return false;
   }
   return true;
}

/* Will only the next part read it, if that ends where it is planned to? */
static bool
is_read_next(const struct cut *cut, const struct cut_value *value)
{
   const struct cut_op *op = &cut->ops[value->op];

   return !cut_as_carried(op) &&
          (cut->next_hi == cut_end(cut) ||
           op->last_use[value->component] < cut->next_hi);
}

void
cut_suppose_groups(const struct cut *cut, const struct cut_job *job,
                   struct tegra20_part *part)
{
   const struct tegra20_parts *parts = cut->parts;
   unsigned values[MOST_VALUES], count = 0;

   for (unsigned i = 0; i < job->count && count < MOST_VALUES; i++) {
      if (is_read_next(cut, &job->values[i]))
         values[count++] = part->cbuf[i].index;
   }
   if (count == MOST_VALUES)
      group_values(part, values, MOST_VALUES, true);
   for (unsigned i = 0; i < parts->count; i++) {
      for (unsigned c = 0; c < TEGRA20_MAX_CBUFS; c++) {
         if (parts->part[i].cbuf[c].use != TEGRA20_PART_STORE ||
             parts->part[i].cbuf[c].group < 2)
            continue;
         read_group(&parts->part[i], c, values);
         if (loads_all(part, values, parts->part[i].cbuf[c].group))
            group_values(part, values, parts->part[i].cbuf[c].group, false);
      }
   }
}

/* Does the part read none of the values, or all as a group? */
static bool
agrees_with_group(const struct tegra20_part *part, const unsigned *values,
                  unsigned size)
{
   const unsigned first = cbuf_of(part, values[0]);
   const bool grouped =
      first < TEGRA20_MAX_CBUFS && part->cbuf[first].group == size;

   for (unsigned v = 0; v < size; v++) {
      const unsigned c = cbuf_of(part, values[v]);

      if (is_sampled(part, values[v]) ||
          c != (grouped ? first + v : TEGRA20_MAX_CBUFS))
         return false;
   }
   return true;
}

/* Gives the values of a group colour buffers of their own, if they are one.
 */
static void
ungroup_values(struct tegra20_part *part, const unsigned *values)
{
   const unsigned first = cbuf_of(part, values[0]);

   if (first == TEGRA20_MAX_CBUFS || part->cbuf[first].group < 2)
      return;
   nir_foreach_instr (instr,
                      nir_start_block(nir_shader_get_entrypoint(part->nir))) {
      if (instr->type != nir_instr_type_intrinsic)
         continue;
      nir_intrinsic_instr *intr = nir_instr_as_intrinsic(instr);
      if (intr->intrinsic != (part->cbuf[first].use == TEGRA20_PART_STORE
                                 ? nir_intrinsic_store_output
                                 : nir_intrinsic_load_output))
         continue;
      nir_io_semantics sem = nir_intrinsic_io_semantics(intr);
      if (sem.location != FRAG_RESULT_DATA0 + first)
         continue;
      sem.location += nir_intrinsic_component(intr);
      nir_intrinsic_set_io_semantics(intr, sem);
      nir_intrinsic_set_base(intr, sem.location - FRAG_RESULT_DATA0);
      nir_intrinsic_set_component(intr, 0);
   }
   for (unsigned v = part->cbuf[first].group; v-- > 0;)
      part->cbuf[first + v].group = 0;
   ralloc_free(part->program);
   part->program = NULL;
}

/* Gives up the group where a part reads only some of its values. */
static void
check_group(struct cut *cut, unsigned writer, unsigned cbuf)
{
   struct tegra20_parts *parts = cut->parts;
   const unsigned size = parts->part[writer].cbuf[cbuf].group;
   unsigned values[MOST_VALUES];
   bool agrees = true;

   read_group(&parts->part[writer], cbuf, values);
   for (unsigned i = writer; i < parts->count; i++)
      agrees &= agrees_with_group(&parts->part[i], values, size);
   for (unsigned i = writer; i < parts->count && !agrees; i++)
      ungroup_values(&parts->part[i], values);
}

static bool
compile_part(struct cut *cut, struct tegra20_part *part, bool last)
{
   struct tegra20_fs_key key;
   char *error = NULL;

   cut_part_key(part, last, cut->key, &key);
   if (tegra20_compile_fs(cut->parts, part->nir, &key, &cut->options,
                          &part->program, &error))
      return true;
   ralloc_free(error);
   return false;
}

bool
cut_group_values(struct cut *cut)
{
   struct tegra20_parts *parts = cut->parts;
   bool fits = true;

   for (unsigned i = 0; i < parts->count; i++) {
      for (unsigned c = 0; c < TEGRA20_MAX_CBUFS; c++) {
         if (parts->part[i].cbuf[c].use == TEGRA20_PART_STORE &&
             parts->part[i].cbuf[c].group > 1)
            check_group(cut, i, c);
      }
   }
   for (unsigned i = 0; i < parts->count && fits; i++)
      fits = parts->part[i].program ||
             compile_part(cut, &parts->part[i], i == parts->count - 1);
   return fits;
}
