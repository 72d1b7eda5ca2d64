/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * A chip that doubts its driver: caches keep what they hold until the stream
 * invalidates them, and stores stay on their way until the stream waits.  All
 * of it is within what the manuals allow (vertex-pipeline.md 9,
 * surfaces-and-textures.md 11); which lines stay is a matter of the seed, and
 * the same for every run with that seed.
 *
 *   vertex fetch       lines of 32 bytes, until bit VTX_MEM_CACHE_INVALIDATE
 *   vertex results     by vertex number, behind linker and viewport, until
 *                      VTX_GPU_CACHE_INVALIDATE
 *   texture units      levels as they were first sampled, until 0xa00 = 0xe01
 *   stores of pixels   what is sampled is what was there before, until a wait
 */

#include "adversary.h"

#include <stdlib.h>
#include <string.h>

#include "sim_internal.h"
#include "vertex.h"

#define LINE 32
#define NUM_LINES 4096
#define NUM_RESULTS 256

/* Bytes of memory as they were. */
struct copy {
   const uint8_t *of;
   uint64_t size;
   uint8_t *bytes;
};

struct copies {
   struct copy *copy;
   unsigned count, capacity;
};

struct sim_adversary {
   uint32_t seed;
   unsigned deaf;
   struct {
      bool used;
      uint32_t address;
      uint8_t bytes[LINE];
   } line[NUM_LINES];
   struct {
      bool used;
      uint32_t number;
      struct gr3d_exports exports;
      struct gr3d_vertex vertex; /* linked, and in the window */
      uint32_t clip_code;
   } result[NUM_RESULTS];
   struct copies sampled, invalid, overwritten;
   uint32_t sent;   /* units whose pointer was sent since the invalidation */
   unsigned behind; /* copies of overwritten that GR2D is behind */
   uint8_t element[2 * LINE];
};

struct sim_adversary *
sim_adversary_create(uint32_t seed, unsigned deaf)
{
   struct sim_adversary *a = calloc(1, sizeof(*a));
   if (a) {
      a->seed = seed;
      a->deaf = deaf;
   }
   return a;
}

static void
drop(struct copies *c)
{
   for (unsigned i = 0; i < c->count; i++)
      free(c->copy[i].bytes);
   c->count = 0;
}

void
sim_adversary_destroy(struct sim_adversary *a)
{
   if (!a)
      return;
   drop(&a->sampled);
   drop(&a->invalid);
   drop(&a->overwritten);
   free(a->sampled.copy);
   free(a->invalid.copy);
   free(a->overwritten.copy);
   free(a);
}

/* Does the cache keep this, seven times of eight? */
static bool
keeps(const struct sim_adversary *a, uint64_t what)
{
   uint64_t h = (what ^ a->seed) * 0x9e3779b97f4a7c15ull;
   return (h >> 60 & 7) != 0;
}

static struct copy *
find(const struct copies *c, const uint8_t *of, uint64_t size)
{
   for (unsigned i = 0; i < c->count; i++)
      if (c->copy[i].of == of && c->copy[i].size >= size)
         return &c->copy[i];
   return NULL;
}

static struct copy *
take(struct copies *c, const uint8_t *of, uint64_t size)
{
   if (c->count == c->capacity) {
      unsigned capacity = c->capacity ? 2 * c->capacity : 64;
      struct copy *grown = realloc(c->copy, capacity * sizeof(*grown));
      if (!grown)
         return NULL;
      c->copy = grown;
      c->capacity = capacity;
   }
   uint8_t *bytes = malloc(size);
   if (!bytes)
      return NULL;
   memcpy(bytes, of, size);
   c->copy[c->count] = (struct copy){ of, size, bytes };
   return &c->copy[c->count++];
}

/* --- vertices --- */

void
sim_adversary_draw(struct sim_adversary *a, bool fetch, bool results)
{
   if (a && fetch && !(a->deaf & SIM_DEAF_FETCH))
      memset(a->line, 0, sizeof(a->line));
   if (a && results && !(a->deaf & SIM_DEAF_RESULTS))
      for (unsigned i = 0; i < NUM_RESULTS; i++)
         a->result[i].used = false;
}

/* The cached line that holds an address; memory: what is there now, of which
 * the line may take what is inside the buffer. */
static const uint8_t *
cached_line(struct sim_adversary *a, uint32_t address,
            const struct sim_range *range)
{
   uint32_t start = address / LINE * LINE, n = start / LINE % NUM_LINES;
   if (!a->line[n].used || a->line[n].address != start) {
      uint32_t skip = start < range->base ? range->base - start : 0;
      uint32_t left = range->size - (start + skip - range->base);
      memset(a->line[n].bytes, 0, LINE);
      memcpy(a->line[n].bytes + skip,
             range->cpu + (start + skip - range->base),
             left < LINE - skip ? left : LINE - skip);
      a->line[n].address = start;
      a->line[n].used = keeps(a, start);
   }
   return a->line[n].bytes;
}

const uint8_t *
sim_adversary_element(struct sim_adversary *a, uint32_t address,
                      uint32_t size, const struct sim_range *range)
{
   for (uint32_t done = 0; done < size;) {
      uint32_t at = (address + done) % LINE, part = LINE - at;
      if (part > size - done)
         part = size - done;
      memcpy(a->element + done, cached_line(a, address + done, range) + at,
             part);
      done += part;
   }
   return a->element;
}

void
sim_adversary_result(struct sim_adversary *a, uint32_t number,
                     struct gr3d_vertex_state *vs, unsigned slot)
{
   unsigned n = number % NUM_RESULTS;
   if (a->result[n].used && a->result[n].number == number) {
      vs->exports[slot] = a->result[n].exports;
      vs->vertex[slot] = a->result[n].vertex;
      vs->clip_code[slot] = a->result[n].clip_code;
      return;
   }
   a->result[n].number = number;
   a->result[n].exports = vs->exports[slot];
   a->result[n].vertex = vs->vertex[slot];
   a->result[n].clip_code = vs->clip_code[slot];
   a->result[n].used = keeps(a, number);
}

/* --- pixels --- */

void
sim_adversary_stores(struct sim_adversary *a, const struct sim_range *range,
                     uint32_t address)
{
   const uint8_t *of = range->cpu + (address - range->base);
   uint32_t size = range->size - (address - range->base);
   if (!find(&a->overwritten, of, size))
      take(&a->overwritten, of, size);
}

void
sim_adversary_waited(struct sim_adversary *a)
{
   if (!a || a->deaf & SIM_DEAF_WAIT)
      return;
   drop(&a->overwritten);
   a->behind = 0;
}

void
sim_adversary_lose(struct sim_adversary *a)
{
   for (unsigned i = a->overwritten.count; i-- > 0;) {
      struct copy *old = &a->overwritten.copy[i];
      memcpy((uint8_t *)old->of, old->bytes, old->size);
   }
   drop(&a->overwritten);
   a->behind = 0;
}

void
sim_adversary_stored(struct sim_adversary *a)
{
   a->behind = a->overwritten.count;
}

void
sim_adversary_invalidated(struct sim_adversary *a)
{
   if (!a || a->deaf & SIM_DEAF_PIXELS)
      return;
   const struct copies emptied = a->invalid;
   a->invalid = a->sampled;
   a->sampled = emptied;
   drop(&a->sampled);
   a->sent = 0;
}

void
sim_adversary_sent(struct sim_adversary *a, unsigned unit)
{
   if (a)
      a->sent |= 1u << unit;
}

/* Puts back what was there before the stores that are on their way. */
static void
take_back(const struct sim_adversary *a, unsigned count, struct copy *copy)
{
   for (unsigned i = 0; i < count; i++) {
      const struct copy *old = &a->overwritten.copy[i];
      const uint8_t *first = old->of > copy->of ? old->of : copy->of;
      const uint8_t *old_end = old->of + old->size,
                    *end = copy->of + copy->size;
      if (old_end < end)
         end = old_end;
      if (first < end)
         memcpy(copy->bytes + (first - copy->of),
                old->bytes + (first - old->of), end - first);
   }
}

void
sim_adversary_read(const struct sim_adversary *a, const uint8_t *cpu,
                   uint8_t *bytes, uint64_t size)
{
   struct copy copy = { cpu, size, bytes };
   if (a)
      take_back(a, a->behind, &copy);
}

const uint8_t *
sim_adversary_texels(struct sim_adversary *a, unsigned unit,
                     const uint8_t *cpu, uint64_t size)
{
   struct copy *copy =
      a->sent >> unit & 1 ? NULL : find(&a->invalid, cpu, size);
   if (!copy)
      copy = find(&a->sampled, cpu, size);
   if (!copy) {
      copy = take(&a->sampled, cpu, size);
      if (!copy)
         return cpu;
      take_back(a, a->overwritten.count, copy);
   }
   return copy->bytes;
}
