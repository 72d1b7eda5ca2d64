/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Groups of two to four spilled values that one part stores, and that the
 * same parts load: cheaper as a rule (fs/fs_hand_over.c).
 */

#include "tegra20_cut_internal.h"

/* Values that may become a group. */
struct group {
   unsigned count, value[TEGRA20_GROUP_SIZE];
};

/* The colour buffer that has a value for this use; TEGRA20_MAX_CBUFS: none. */
static unsigned
cbuf_of(const struct tegra20_part *part, enum tegra20_part_use use,
        unsigned value)
{
   unsigned c = 0;

   while (c < TEGRA20_MAX_CBUFS &&
          (part->cbuf[c].use != use || part->cbuf[c].index != value))
      c++;
   return c;
}

static bool
loads(const struct tegra20_part *part, unsigned value)
{
   return cbuf_of(part, TEGRA20_PART_LOAD, value) < TEGRA20_MAX_CBUFS;
}

/* Do the same parts load two values, in colour buffers? */
static bool
go_together(const struct tegra20_parts *parts, unsigned a, unsigned b)
{
   bool together = true;

   for (unsigned i = 0; i < parts->count; i++)
      together &= !parts->part[i].sampled &&
                  loads(&parts->part[i], a) == loads(&parts->part[i], b);
   return together;
}

/* The value of a colour buffer and those that go with it. */
static struct group
find_group(const struct cut *cut, const struct tegra20_part *part,
           unsigned first)
{
   struct group group = { 0 };

   for (unsigned c = first;
        c < TEGRA20_MAX_CBUFS && group.count < TEGRA20_GROUP_SIZE; c++) {
      const unsigned value = part->cbuf[c].index;

      if (part->cbuf[c].use == TEGRA20_PART_STORE && !part->cbuf[c].group &&
          !cut_is_carried_number(cut, value) &&
          go_together(cut->parts, part->cbuf[first].index, value))
         group.value[group.count++] = value;
      else if (c == first)
         break;
   }
   return group;
}

/* Compiles the part that stores a group, or one that loads it, and adds the
 * cycles that it saves.  False when the part does not fit. */
static bool
try_part(struct cut *cut, unsigned i, enum tegra20_part_use use,
         const struct group *group, struct tegra20_part *part, int *saved)
{
   struct tegra20_fs_key key;
   char *error = NULL;
   unsigned number = 0;

   *part = cut->parts->part[i];
   for (unsigned c = 0; c < TEGRA20_MAX_CBUFS; c++)
      number = MAX2(number, tegra20_number_of_group(part->cbuf[c].group) + 1);
   for (unsigned k = 0; k < group->count; k++)
      part->cbuf[cbuf_of(part, use, group->value[k])].group =
         tegra20_group(number, k);
   cut_part_key(part, i == cut->parts->count - 1, cut->key, &key);
   part->program = NULL;
   if (!tegra20_compile_fs(cut->parts, part->nir, &key, &cut->options,
                           &part->program, &error)) {
      ralloc_free(error);
      return false;
   }
   *saved += (int)cut->parts->part[i].program->stats.cycles -
             (int)part->program->stats.cycles;
   return true;
}

/* Makes a group of values that part i stores, if that saves cycles. */
static void
try_group(struct cut *cut, unsigned i, const struct group *group)
{
   struct tegra20_parts *parts = cut->parts;
   struct tegra20_part *grouped =
      rzalloc_array(cut, struct tegra20_part, parts->count);
   int saved = 0;
   bool fits =
      try_part(cut, i, TEGRA20_PART_STORE, group, &grouped[i], &saved);

   for (unsigned j = i + 1; j < parts->count && fits; j++) {
      if (loads(&parts->part[j], group->value[0]))
         fits =
            try_part(cut, j, TEGRA20_PART_LOAD, group, &grouped[j], &saved);
   }
   for (unsigned j = i; j < parts->count; j++) {
      const bool keep = !grouped[j].nir || !fits || saved <= 0;

      ralloc_free(keep ? grouped[j].program : parts->part[j].program);
      if (!keep)
         parts->part[j] = grouped[j];
   }
   ralloc_free(grouped);
}

void
cut_group_values(struct cut *cut)
{
   for (unsigned i = 0; i < cut->parts->count; i++) {
      for (unsigned c = 0; c < TEGRA20_MAX_CBUFS; c++) {
         const struct group group = find_group(cut, &cut->parts->part[i], c);

         if (group.count > 1)
            try_group(cut, i, &group);
      }
   }
}
