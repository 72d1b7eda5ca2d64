/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Assigns surfaces to the spilled values of parts: a value has one from the
 * part that stores it to the last one that reads it.
 */

#include "tegra20_cut_internal.h"

/* The last part that reads a value that is read by part i, and stored by
 * another: all of a loop, when the value is made outside. */
static unsigned
end_of_use(const struct tegra20_parts *parts, unsigned stored, unsigned i)
{
   for (unsigned l = 0; l < parts->num_loops; l++) {
      const unsigned first = parts->loops[l].first,
                     end = first + parts->loops[l].count;

      if (i >= first && i < end && stored < first)
         return end - 1;
   }
   return i;
}

struct lives {
   uint16_t *surface;   /* of each value: NO_SURFACE: none yet */
   uint16_t *stored;    /* the part that stores it; NO_PART: none yet */
   uint16_t *last_part; /* that reads it */
   bool busy[TEGRA20_MAX_PART_SURFACES + 1]; /* the last one: too many */
};

#define NO_SURFACE UINT16_MAX
#define NO_PART UINT16_MAX

/* Part i reads a value.  False when no part before it stores that: the cut is
 * wrong. */
static bool
note_read(const struct cut *cut, struct lives *lives, unsigned value,
          unsigned i)
{
   const uint16_t stored = lives->stored[value];

   if (cut_is_carried_number(cut, value)) {
      lives->last_part[value] = NO_PART; /* its surface is never free again */
      return true;
   }
   if (stored != NO_PART)
      lives->last_part[value] =
         MAX2(end_of_use(cut->parts, stored, i), lives->last_part[value]);
   return stored != NO_PART;
}

static bool
measure_part(const struct cut *cut, struct lives *lives, unsigned i)
{
   const struct tegra20_part *part = &cut->parts->part[i];
   bool ok = true;

   for (unsigned c = 0; c < TEGRA20_MAX_CBUFS; c++) {
      if (part->cbuf[c].use == TEGRA20_PART_LOAD)
         ok &= note_read(cut, lives, part->cbuf[c].index, i);
   }
   u_foreach_bit (unit, part->sampled)
      ok &= note_read(cut, lives, part->texture[unit], i);
   for (unsigned c = 0; c < TEGRA20_MAX_CBUFS; c++) {
      const unsigned value = part->cbuf[c].index;

      if (part->cbuf[c].use != TEGRA20_PART_STORE &&
          part->cbuf[c].use != TEGRA20_PART_UPDATE)
         continue;
      lives->stored[value] = i;
      lives->last_part[value] =
         cut_is_carried_number(cut, value) ? NO_PART : i;
   }
   return ok;
}

/* False when a part reads a value that none has stored. */
static bool
measure_lives(const struct cut *cut, struct lives *lives)
{
   const unsigned count = cut_shadow_number(cut, cut->num_carried);

   memset(lives->stored, 0xff, count * sizeof(*lives->stored));
   for (unsigned i = 0; i < cut->parts->count; i++) {
      if (!measure_part(cut, lives, i))
         return false;
   }
   return true;
}

static unsigned
surface_of(struct cut *cut, struct lives *lives, unsigned value)
{
   uint16_t *surface = &lives->surface[value];

   if (*surface != NO_SURFACE)
      return *surface;
   *surface = 0;
   while (*surface < TEGRA20_MAX_PART_SURFACES && lives->busy[*surface])
      ++*surface;
   lives->busy[*surface] = true;
   cut->parts->num_values++;
   cut->parts->num_surfaces = MAX2(cut->parts->num_surfaces, *surface + 1u);
   return *surface;
}

/* A surface is free again behind the last part that reads it.  False when
 * there are not enough, or the cut is wrong: cut->error says it. */
bool
cut_assign_surfaces(struct cut *cut)
{
   struct tegra20_parts *parts = cut->parts;
   const unsigned count = cut_shadow_number(cut, cut->num_carried);
   struct lives *lives = rzalloc(cut, struct lives);

   lives->surface = ralloc_array(cut, uint16_t, count);
   memset(lives->surface, 0xff, count * sizeof(*lives->surface));
   lives->stored = ralloc_array(cut, uint16_t, count);
   lives->last_part = rzalloc_array(cut, uint16_t, count);
   if (!measure_lives(cut, lives)) {
      cut->error = ralloc_strdup(cut, "a mistake of the compiler: a part "
                                      "reads a value that no part stores");
      return false;
   }
   for (unsigned i = 0; i < parts->count; i++) {
      unsigned freed[TEGRA20_MAX_CBUFS + TEGRA20_MAX_SAMPLERS], num_freed = 0;

      for (unsigned c = 0; c < TEGRA20_MAX_CBUFS; c++) {
         const unsigned value = parts->part[i].cbuf[c].index;
         if (parts->part[i].cbuf[c].use < TEGRA20_PART_LOAD)
            continue;
         const unsigned surface = surface_of(cut, lives, value);
         parts->part[i].cbuf[c].index = surface;
         if (lives->last_part[value] == i)
            freed[num_freed++] = surface;
      }
      u_foreach_bit (unit, parts->part[i].sampled) {
         const unsigned value = parts->part[i].texture[unit];

         parts->part[i].texture[unit] = surface_of(cut, lives, value);
         if (lives->last_part[value] == i)
            freed[num_freed++] = parts->part[i].texture[unit];
      }
      while (num_freed > 0)
         lives->busy[freed[--num_freed]] = false;
   }
   for (unsigned l = 0; l < parts->num_loops; l++)
      parts->loops[l].active = lives->surface[cut_carried_number(cut, l)];
   if (parts->num_surfaces > TEGRA20_MAX_PART_SURFACES)
      cut->error = ralloc_asprintf(cut,
                                   "more than %u values are spilled at "
                                   "one time",
                                   TEGRA20_MAX_PART_SURFACES);
   return parts->num_surfaces <= TEGRA20_MAX_PART_SURFACES;
}
