/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What looks at a sync point say about jobs that the legacy kernel cancelled (tegra20_ws_watch.c).
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tegra20_ws_internal.h"

#define MS 1000000ll
#define NEVER UINT32_MAX

/* value = SUBMIT + n: not a look, a job that will raise the sync point from n was submitted. */
#define SUBMIT 0x10000000u

struct look {
   int ms; /* its end; it takes 1 ms */
   uint32_t value;
};

static const struct {
   const char *name;
   struct look looks[12]; /* up to the one with ms = 0 */
   uint32_t stuck;        /* what the last one finds, NEVER: nothing */
} cases[] = {
   {"quick", {{100, 5}, {101, SUBMIT + 5}, {120, 6}}, NEVER},
   {"idle for long, then quick", {{100, 5}, {8000, 5}, {15000, 5}, {15001, SUBMIT + 5}, {15010, 6}}, NEVER},
   {"cancelled", {{100, 5}, {101, SUBMIT + 5}, {5000, 5}, {10050, 5}, {10110, 6}}, 5},
   {"cancelled, later jobs ran", {{100, 5}, {101, SUBMIT + 5}, {9000, 5}, {10110, 8}}, 5},
   {"9.7 s, looked at often", {{100, 5}, {101, SUBMIT + 5}, {9700, 5}, {9801, 6}}, NEVER},
   {"looked at for half of the time", {{100, 5}, {101, SUBMIT + 5}, {5200, 5}, {10200, 6}}, 5},
   {"looked at for less", {{100, 5}, {101, SUBMIT + 5}, {5000, 5}, {10200, 6}}, NEVER},
   {"not looked at", {{100, 5}, {101, SUBMIT + 5}, {10200, 6}}, NEVER},
   {"the second of two", {{100, 5}, {101, SUBMIT + 5}, {102, SUBMIT + 6}, {200, 6}, {10000, 6}, {10210, 7}}, 6},
   {"behind one of 9 s", {{100, 5}, {101, SUBMIT + 5}, {9100, 5}, {9110, 6}, {9200, 6}, {9210, 7}}, NEVER},
   {"an older look comes late", {{100, 5}, {101, SUBMIT + 5}, {9000, 5}, {9001, 4}, {10110, 6}}, 5},
   {"an older look is no step", {{100, 5}, {101, SUBMIT + 5}, {10110, 4}}, NEVER},
   {"first seen in the middle", {{3000, 5}, {9990, 5}, {10110, 6}}, NEVER},
   {"first seen at once", {{3000, 5}, {9990, 5}, {13110, 6}}, 5},
   {"wraps", {{100, 0x7fffffff}, {5300, 0x7fffffff}, {10110, 0x80000000}}, 0x7fffffff},
};

static void
test_looks(void **state)
{
   for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
      struct ws_watch watch = {0};
      uint32_t stuck = NEVER, found = NEVER;
      for (const struct look *look = cases[i].looks; look->ms; look++) {
         if (look->value >= SUBMIT && look->value < 2 * SUBMIT)
            ws_watch_submit(&watch, look->value - SUBMIT, look->ms * MS);
         else
            found = ws_watch_see(&watch, look->value, (look->ms - 1) * MS, look->ms * MS, &stuck) ? stuck : NEVER;
      }
      if (found != cases[i].stuck)
         fail_msg("%s: found 0x%x, expected 0x%x", cases[i].name, found, cases[i].stuck);
   }
}

/* Texts of /proc/self/fdinfo: whose memory is in pieces? */
static void
test_exporters(void **state)
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

int
main(void)
{
   const struct CMUnitTest tests[] = {cmocka_unit_test(test_looks), cmocka_unit_test(test_exporters)};
   return cmocka_run_group_tests(tests, NULL, NULL);
}
