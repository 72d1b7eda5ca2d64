/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The jobs of tegra20-hwtest's experiments, on Tegra20 and Tegra114, are those of experiments.txt: NAME:DIGEST.  Whoever changes
 * one on purpose looks at what it does to the chip, and puts the digest there that is printed.
 */

#include "hwtest.h"
#include "unit.h"
#include "util/hash_table.h"

static const struct experiment_table *const tables[] = {
   &vertex_experiments, &raster_experiments, &fragment_experiments, &texture_experiments, &gr2d_experiments,
};
static char list[1 << 14] = " ";

static uint32_t
digest(const struct experiment *e)
{
   static struct test test;
   uint32_t hash = 0;

   for (unsigned i = 0; i < 2; i++) {
      test_set_chip(&tegra20_chips[i ? TEGRA20_CHIP_TEGRA114 : TEGRA20_CHIP_TEGRA20]);
      memset(&test, 0, sizeof(test));
      e->build(&test, e->data);
      assert_false(test.broken);
      hash = _mesa_hash_data_with_seed(&test, sizeof(test), hash);
   }
   return hash;
}

TEST(jobs)
{
   unsigned listed = 0, count = 0, wrong = 0;
   FILE *file = fopen(EXPERIMENTS, "r");

   assert_true(file && fread(list + 1, 1, sizeof(list) - 2, file) > 0 && !fclose(file));
   for (char *p = list; *p; p++)
      *p = *p == '\n' ? ' ' : *p;
   for (const char *p = list; (p = strchr(p, ':')); p++)
      listed++;
   for (unsigned t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
      for (const struct experiment *e = tables[t]->experiments; e < tables[t]->experiments + tables[t]->count; e++, count++) {
         char entry[128];

         snprintf(entry, sizeof(entry), " %s:%08x ", e->name, digest(e));
         wrong += !strstr(list, entry) && printf("not in the list:%s\n", entry);
      }
   }
   assert_int_equal(wrong, 0);
   assert_int_equal(listed, count);
}
