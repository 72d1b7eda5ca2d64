/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What texts of /proc say: whose memory is in pieces (tegra20_ws_bo.c), and how much there is (tegra20_ws_budget.c).
 */

#include "unit.h"
#include "tegra20_ws_internal.h"

/* Texts of /proc/self/fdinfo: whose memory is in pieces? */
TEST(exporters)
{
   static const struct {
      const char *text, *expected;
   } texts[] = {
      {"pos:\t0\nflags:\t02\nsize:\t8192\ncount:\t2\nexp_name:\tudmabuf\n", "udmabuf"},
      {"size:\t8192\nexp_name:\tsystem\nname:\tx\n", "system"},
      {"size:\t8192\nexp_name:\tsystem-uncached\n", "system-uncached"},
      {"size:\t8192\nexp_name:\tvgem", "vgem"},
      {"size:\t8192\nexp_name:\ttegra_drm\n", NULL},
      {"size:\t8192\nexp_name:\tvideobuf2_dma_contig\n", NULL},
      {"size:\t8192\nexp_name:\tsystem2\n", NULL},
      {"size:\t8192\nexp_name:\tdrm\nname:\tudmabuf\n", NULL},
      {"pos:\t0\nflags:\t02\n", NULL},
      {"", NULL},
   };
   for (unsigned i = 0; i < ARRAY_SIZE(texts); i++) {
      const char *got = ws_scattered_exporter(texts[i].text);
      if (!got != !texts[i].expected || (got && strcmp(got, texts[i].expected)))
         fail_msg("case %u: %s", i, got ? got : "nothing");
   }
}

/* Texts of /proc/meminfo: how much may be taken, KiB? */
TEST(budget)
{
   static const struct {
      const char *text;
      int64_t expected;
   } texts[] = {
      /* free contiguous memory, and what is left of the rest but for a sixteenth of all */
      {"MemTotal: 512000 kB\nMemAvailable: 200000 kB\nCmaTotal: 65536 kB\nCmaFree: 1000 kB\n", 1000 + 199000 - 32000},
      {"MemTotal: 512000 kB\nMemAvailable: 33000 kB\nCmaTotal: 65536 kB\nCmaFree: 0 kB\n", 1000},
      {"MemTotal: 512000 kB\nMemAvailable: 32000 kB\nCmaTotal: 65536 kB\nCmaFree: 0 kB\n", 0},
      /* no other memory is left: of contiguous memory half is */
      {"MemTotal: 512000 kB\nMemAvailable: 20000 kB\nCmaTotal: 65536 kB\nCmaFree: 15000 kB\n", 0},
      {"MemTotal: 512000 kB\nMemAvailable: 47000 kB\nCmaTotal: 65536 kB\nCmaFree: 42768 kB\n", 42768 - 32768},
      /* a kernel without CMA */
      {"MemTotal: 512000 kB\nMemAvailable: 50000 kB\n", 18000},
      {"MemTotal: 512000 kB\nMemAvailable: 20000 kB\n", 0},
      {"", -1}, /* any number */
   };
   for (unsigned i = 0; i < ARRAY_SIZE(texts); i++)
      assert_true(ws_budget_of(texts[i].text) == (texts[i].expected < 0 ? INT64_MAX : texts[i].expected * 1024));
}
