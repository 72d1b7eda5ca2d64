/*
 * SPDX-License-Identifier: MIT
 *
 * vs-check-files FILE...: compiles the vertex stage of GLSL files and compares, on random inputs, what the machine
 * words compute with what the NIR says.  Prints a line for each program that differs, and totals.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/ralloc.h"

#include "gl_frontend.h"
#include "shader_test.h"
#include "tegra20_compiler.h"
#include "vs_check.h"
#include "workers.h"

#define RUNS 24

static const char *current;
enum outcome { AGREES, DIFFERS, BROKEN, REJECTED, SKIPPED, NUM_OUTCOMES };
static enum outcome outcome;

static char *
take_shader(void *data, nir_shader *nir)
{
   const struct tegra20_vs_key key = {0};
   struct vs_check_result result;
   struct tegra20_vs *vs;
   char *error = NULL;

   if (!current || nir->info.stage != MESA_SHADER_VERTEX)
      return NULL;
   nir_shader *clone = nir_shader_clone(NULL, nir);
   tegra20_preprocess_nir(clone);
   if (!tegra20_compile_vs(clone, clone, &key, &vs, &error)) {
      printf("%s: rejected: %s\n", current, error);
      outcome = REJECTED;
   } else {
      vs_check(clone, vs, RUNS, 1, &result);
      outcome = result.error ? BROKEN : result.mismatches ? DIFFERS : AGREES;
      if (outcome != AGREES)
         printf("%s: %u of %u runs differ: %s\n", current, result.mismatches, result.runs, result.message);
      if (vs->stats.lower_bound)
         printf("%s: stats %u %u\n", current, vs->stats.insts, vs->stats.lower_bound);
   }
   ralloc_free(clone);
   return NULL;
}

static int
check_item(void *data, unsigned item)
{
   static struct gl_frontend *frontend;
   static bool frontend_es;
   char *const *files = data;
   struct shader_test test;
   char *error = NULL, *log = NULL;

   outcome = SKIPPED;
   if (!shader_test_read(&test, files[item], &error)) {
      free(error);
      return SKIPPED;
   }
   if (!test.unsupported && test.num_sources) {
      if (frontend && frontend_es != test.es) {
         gl_frontend_destroy(frontend);
         frontend = NULL;
      }
      if (!frontend)
         frontend = gl_frontend_create(test.es, take_shader, NULL);
      frontend_es = test.es;
      current = files[item];
      if (frontend && !gl_frontend_link(frontend, &test, &log))
         free(log);
      current = NULL;
   }
   shader_test_free(&test);
   return outcome;
}

static struct {
   unsigned counts[NUM_OUTCOMES], crashed;
} totals;

static void
item_done(void *data, unsigned item, const struct worker_result *result)
{
   char **files = data;

   fputs(result->out, stdout);
   if (result->status < 0) {
      printf("%s: crashed\n%s", files[item], result->err);
      totals.crashed++;
   } else {
      totals.counts[result->status]++;
   }
}

int
main(int argc, char **argv)
{
   if (argc < 2) {
      fprintf(stderr, "Usage: vs-check-files FILE...\n");
      return 2;
   }
   if (!run_workers(argc - 1, 2, check_item, item_done, argv + 1))
      return 1;
   printf("%u agree, %u differ, %u break a rule, %u rejected, %u skipped, %u crashed\n", totals.counts[AGREES],
          totals.counts[DIFFERS], totals.counts[BROKEN], totals.counts[REJECTED], totals.counts[SKIPPED],
          totals.crashed);
   return totals.counts[DIFFERS] || totals.counts[BROKEN] || totals.crashed;
}
