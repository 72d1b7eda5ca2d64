/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "vc4_memory.h"

#include "unit.h"

uint8_t *memory;
struct v3d *v3d;
unsigned diags[64];

uint32_t
word_at(uint32_t offset)
{
   uint32_t word;
   memcpy(&word, memory + offset, 4);
   return word;
}

static void
count_diag(void *data, unsigned number, const char *text)
{
   fprintf(stderr, "[%u] %s\n", number, text);
   diags[number - 950]++;
}

unsigned
count_diags(void)
{
   unsigned count = 0;
   for (unsigned i = 0; i < V3D_COUNT(diags); i++)
      count += diags[i];
   return count;
}

void
forget_diags(void)
{
   memset(diags, 0, sizeof(diags));
}

OUTER_SETUP
{
   /* Threads: one of its own beside the one that writes registers. */
   struct v3d_options options = { .threads = 2, .strict = true, .diag = count_diag };
   memory = aligned_alloc(4096, SIZE);
   memset(memory, 0, SIZE);
   v3d = v3d_create(&options);
   forget_diags();
   assert_true(v3d_map(v3d, BASE, SIZE, memory));
}

OUTER_TEARDOWN
{
   v3d_destroy(v3d);
   free(memory);
}
