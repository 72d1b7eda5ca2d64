/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What is mapped at which address of a chip's 32 bits: whole pages; of the
 * chips that have no host1x.
 */

#ifndef SIM_ADDRESS_MAP_H
#define SIM_ADDRESS_MAP_H

#include <stdbool.h>
#include <stdint.h>

#define SIM_ADDRESS_PAGE 4096u

struct sim_address_map;

/* NULL: out of memory. */
struct sim_address_map *
sim_address_map_create(void);
void
sim_address_map_destroy(struct sim_address_map *map);
/* Whole pages; false when some of it is mapped, or without memory. */
bool
sim_address_map_add(struct sim_address_map *map, uint32_t address,
                    uint32_t size, void *cpu);
/* The memory that begins there; nothing happens when none does. */
void
sim_address_map_remove(struct sim_address_map *map, uint32_t address);
/* *rest: bytes from there to the end of the mapping; NULL and 0: nothing is
 * there. */
uint8_t *
sim_address_map_find(const struct sim_address_map *map, uint32_t address,
                     uint32_t *rest);

#endif
