/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Gives the values that parts hand on surfaces: a value has one from the part
 * that stores it to the last one that reads it.
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
   uint16_t *surface; /* of each value: NO_SURFACE: none yet */
   uint16_t *stored, *last_part;
   bool busy[TEGRA20_MAX_PART_SURFACES + 1]; /* the last one: too many */
};

#define NO_SURFACE UINT16_MAX

static void
measure_lives(const struct cut *cut, struct lives *lives)
{
   const struct tegra20_parts *parts = cut->parts;

   for (unsigned i = 0; i < parts->count; i++) {
      for (unsigned c = 0; c < TEGRA20_MAX_CBUFS; c++) {
         const unsigned use = parts->part[i].cbuf[c].use,
                        value = parts->part[i].cbuf[c].index;
         if (use == TEGRA20_PART_STORE)
            lives->stored[value] = lives->last_part[value] = i;
         else if (use == TEGRA20_PART_LOAD)
            lives->last_part[value] =
               MAX2(end_of_use(parts, lives->stored[value], i),
                    lives->last_part[value]);
         if (cut_is_carried_number(cut, value))
            lives->last_part[value] = UINT16_MAX;
      }
      u_foreach_bit (unit, parts->part[i].sampled) {
         const unsigned value = parts->part[i].texture[unit];

         lives->last_part[value] =
            MAX2(end_of_use(parts, lives->stored[value], i),
                 lives->last_part[value]);
      }
   }
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
 * there are not enough. */
bool
cut_assign_surfaces(struct cut *cut)
{
   struct tegra20_parts *parts = cut->parts;
   const unsigned count = cut_shadow_number(cut, cut->num_carried);
   struct lives *lives = rzalloc(cut, struct lives);

   lives->surface = ralloc_array(cut, uint16_t, count);
   memset(lives->surface, 0xff, count * sizeof(*lives->surface));
   lives->stored = rzalloc_array(cut, uint16_t, count);
   lives->last_part = rzalloc_array(cut, uint16_t, count);
   measure_lives(cut, lives);
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
                                   "more than %u values are handed on at "
                                   "one time",
                                   TEGRA20_MAX_PART_SURFACES);
   return parts->num_surfaces <= TEGRA20_MAX_PART_SURFACES;
}
