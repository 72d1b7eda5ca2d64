/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Whose memory is in pieces (tegra20_ws_bo.c).
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tegra20_ws_internal.h"

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
   const struct CMUnitTest tests[] = {cmocka_unit_test(test_exporters)};
   return cmocka_run_group_tests(tests, NULL, NULL);
}
