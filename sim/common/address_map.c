/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "address_map.h"

#define NUM_PAGES (1u << 20)

/* Mapped memory, found by page. */
struct region {
   uint32_t address, size;
   uint8_t *cpu;
   bool used; /* a slot of the table */
};

struct sim_address_map {
   uint32_t *pages; /* of the regions: index + 1, 0 = none */
   struct region *regions;
   unsigned num_regions;
};

struct sim_address_map *
sim_address_map_create(void)
{
   struct sim_address_map *map = calloc(1, sizeof(*map));
   if (!map)
      return NULL;
   /* Only what is touched takes memory. */
   map->pages =
      mmap(NULL, NUM_PAGES * sizeof(*map->pages), PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   if (map->pages == MAP_FAILED) {
      free(map);
      return NULL;
   }
   return map;
}

void
sim_address_map_destroy(struct sim_address_map *map)
{
   if (!map)
      return;
   munmap(map->pages, NUM_PAGES * sizeof(*map->pages));
   free(map->regions);
   free(map);
}

bool
sim_address_map_add(struct sim_address_map *map, uint32_t address,
                    uint32_t size, void *cpu)
{
   uint64_t end = (uint64_t)address + size;
   if (!size || address % SIM_ADDRESS_PAGE || size % SIM_ADDRESS_PAGE ||
       end > 1ull << 32)
      return false;
   for (uint64_t a = address; a < end; a += SIM_ADDRESS_PAGE) {
      if (map->pages[a / SIM_ADDRESS_PAGE])
         return false;
   }
   unsigned slot = 0;
   while (slot < map->num_regions && map->regions[slot].used)
      slot++;
   if (slot == map->num_regions) {
      unsigned num = slot < 32 ? 64 : slot * 2;
      struct region *regions = realloc(map->regions, num * sizeof(*regions));
      if (!regions)
         return false;
      memset(regions + slot, 0, (num - slot) * sizeof(*regions));
      map->regions = regions;
      map->num_regions = num;
   }
   map->regions[slot] = (struct region){ address, size, cpu, true };
   for (uint64_t a = address; a < end; a += SIM_ADDRESS_PAGE)
      map->pages[a / SIM_ADDRESS_PAGE] = slot + 1;
   return true;
}

void
sim_address_map_remove(struct sim_address_map *map, uint32_t address)
{
   uint32_t slot = map->pages[address / SIM_ADDRESS_PAGE];
   if (!slot || map->regions[slot - 1].address != address)
      return;
   struct region *region = &map->regions[slot - 1];
   for (uint64_t a = 0; a < region->size; a += SIM_ADDRESS_PAGE)
      map->pages[(address + a) / SIM_ADDRESS_PAGE] = 0;
   region->used = false;
}

uint8_t *
sim_address_map_find(const struct sim_address_map *map, uint32_t address,
                     uint32_t *rest)
{
   uint32_t slot = map->pages[address / SIM_ADDRESS_PAGE];
   *rest = 0;
   if (!slot)
      return NULL;
   const struct region *region = &map->regions[slot - 1];
   *rest = region->size - (address - region->address);
   return region->cpu + (address - region->address);
}
