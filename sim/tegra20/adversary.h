/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Caches and stores of a chip that keeps the driver to its word
 * (sim_options.adversary).  NULL stands for the chip without caches where a
 * function says so.
 */

#ifndef SIM_ADVERSARY_H
#define SIM_ADVERSARY_H

#include <stdbool.h>
#include <stdint.h>

struct gr3d_vertex_state;
struct sim_adversary;
struct sim_range;

/* deaf: what it does not hear, a mask of SIM_DEAF_... (sim.h). */
struct sim_adversary *
sim_adversary_create(uint32_t seed, unsigned deaf);
void
sim_adversary_destroy(struct sim_adversary *a); /* NULL is allowed */

/* A draw begins: does it invalidate fetched lines, and results?  NULL is
 * allowed. */
void
sim_adversary_draw(struct sim_adversary *a, bool fetch, bool results);
/* The bytes of an attribute of up to 16 bytes inside range, valid until the
 * next call. */
const uint8_t *
sim_adversary_element(struct sim_adversary *a, uint32_t address,
                      uint32_t size, const struct sim_range *range);
/* The vertex in a slot is linked and in its place; it may get what an earlier
 * one of the same number was. */
void
sim_adversary_result(struct sim_adversary *a, uint32_t number,
                     struct gr3d_vertex_state *vs, unsigned slot);

/* A draw may store anywhere behind address. */
void
sim_adversary_stores(struct sim_adversary *a, const struct sim_range *range,
                     uint32_t address);
/* The stream has waited, or the job has ended: stores are in memory.  NULL is
 * allowed. */
void
sim_adversary_waited(struct sim_adversary *a);
/* The job has ended before its stores: memory is as it was before them. */
void
sim_adversary_lose(struct sim_adversary *a);
/* What GR2D reads: bytes, which are in memory at cpu, become what they were
 * before the operations under way.  NULL is allowed. */
void
sim_adversary_read(const struct sim_adversary *a, const uint8_t *cpu,
                   uint8_t *bytes, uint64_t size);
/* The operation of GR2D is behind its reads. */
void
sim_adversary_stored(struct sim_adversary *a);
/* The stream has invalidated the caches of pixels.  NULL is allowed. */
void
sim_adversary_invalidated(struct sim_adversary *a);
/* The pointer of a texture unit was sent: until then the unit goes on with
 * what the caches held when they were invalidated.  NULL is allowed. */
void
sim_adversary_sent(struct sim_adversary *a, unsigned unit);
/* What a texture unit sees of size bytes of memory. */
const uint8_t *
sim_adversary_texels(struct sim_adversary *a, unsigned unit,
                     const uint8_t *cpu, uint64_t size);

#endif
