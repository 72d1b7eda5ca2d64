/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The memory that a job may touch.  Every access of every unit goes through
 * here: outside the job's ranges nothing is read or written.
 */

#include <stdlib.h>

#include "sim_internal.h"

static int
compare_base(const void *a, const void *b)
{
   uint32_t x = ((const struct sim_range *)a)->base,
            y = ((const struct sim_range *)b)->base;
   return x < y ? -1 : x > y;
}

bool
sim_memory_begin(struct sim *sim, const struct sim_range *ranges,
                 unsigned num_ranges)
{
   struct sim_memory *memory = &sim->memory;
   memory->num_ranges = 0;
   if (num_ranges > memory->capacity) {
      struct sim_range *grown =
         realloc(memory->ranges, num_ranges * sizeof(*grown));
      if (!grown)
         return false;
      memory->ranges = grown;
      memory->capacity = num_ranges;
   }
   for (unsigned i = 0; i < num_ranges; i++) {
      struct sim_range range = ranges[i];
      if (!range.cpu || !range.size)
         continue;
      if (range.size > UINT32_MAX - range.base)
         range.size = UINT32_MAX - range.base;
      memory->ranges[memory->num_ranges++] = range;
   }
   if (memory->num_ranges)
      qsort(memory->ranges, memory->num_ranges, sizeof(*memory->ranges),
            compare_base);
   return true;
}

void
sim_memory_fini(struct sim *sim)
{
   free(sim->memory.ranges);
}

/* Number of ranges that start at or below address. */
static unsigned
upper_bound(const struct sim_memory *memory, uint32_t address)
{
   unsigned low = 0, high = memory->num_ranges;
   while (low < high) {
      unsigned middle = (low + high) / 2;
      if (memory->ranges[middle].base <= address)
         low = middle + 1;
      else
         high = middle;
   }
   return low;
}

const struct sim_range *
sim_memory_find(const struct sim *sim, uint32_t address)
{
   unsigned n = upper_bound(&sim->memory, address);
   if (!n)
      return NULL;
   const struct sim_range *range = &sim->memory.ranges[n - 1];
   return address - range->base < range->size ? range : NULL;
}

uint8_t *
sim_memory_at(struct sim *sim, uint32_t address, uint32_t size,
              const char *what)
{
   const struct sim_range *range = sim_memory_find(sim, address);
   if (range && size <= range->size - (address - range->base))
      return range->cpu + (address - range->base);
   sim_report(sim, SIM_DIAG_MEMORY_RANGE, SIM_NO_REG, -1,
              "%s: %u bytes at 0x%08x are not inside one buffer of the job",
              what, size, address);
   return NULL;
}

uint8_t *
sim_memory_clip(const struct sim *sim, uint32_t address, uint32_t size,
                uint32_t *offset, uint32_t *length)
{
   unsigned n = upper_bound(&sim->memory, address);
   uint64_t end = (uint64_t)address + size;
   for (unsigned i = n ? n - 1 : 0;
        i < sim->memory.num_ranges && sim->memory.ranges[i].base < end; i++) {
      const struct sim_range *range = &sim->memory.ranges[i];
      uint64_t range_end = (uint64_t)range->base + range->size;
      uint64_t first = range->base > address ? range->base : address;
      uint64_t last = range_end < end ? range_end : end;
      if (first >= last)
         continue;
      *offset = (uint32_t)(first - address);
      *length = (uint32_t)(last - first);
      return range->cpu + (first - range->base);
   }
   return NULL;
}
