/*
 * SPDX-License-Identifier: MIT
 *
 * fs-check-files FILE...: compiles the fragment stage of GLSL files and compares, on random inputs, what the machine words
 * compute with what the NIR says.  Prints a line for each program that differs, and totals.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/ralloc.h"

#include "pipe/p_defines.h"
#include "util/blend.h"

#include "fs_check.h"
#include "gl_frontend.h"
#include "shader_test.h"
#include "workers.h"

#define RUNS 12

static const char *current;
enum outcome { AGREES, DIFFERS, BROKEN, REJECTED, SKIPPED, NUM_OUTCOMES };
static enum outcome outcome;

/* Variation 0 is the plain key; the others have some blending, mask or order of components. */
static void
vary_key(struct tegra20_fs_key *key, unsigned variation)
{
   static const uint8_t factors[] = {
      PIPE_BLENDFACTOR_ONE, PIPE_BLENDFACTOR_ZERO, PIPE_BLENDFACTOR_SRC_COLOR, PIPE_BLENDFACTOR_SRC_ALPHA,
      PIPE_BLENDFACTOR_DST_ALPHA, PIPE_BLENDFACTOR_DST_COLOR, PIPE_BLENDFACTOR_SRC_ALPHA_SATURATE,
      PIPE_BLENDFACTOR_CONST_COLOR, PIPE_BLENDFACTOR_CONST_ALPHA, PIPE_BLENDFACTOR_INV_SRC_COLOR,
      PIPE_BLENDFACTOR_INV_SRC_ALPHA, PIPE_BLENDFACTOR_INV_DST_ALPHA, PIPE_BLENDFACTOR_INV_DST_COLOR,
      PIPE_BLENDFACTOR_INV_CONST_COLOR, PIPE_BLENDFACTOR_INV_CONST_ALPHA,
   };
   struct tegra20_fs_rt_key *rt = &key->rt[0];

   fs_check_default_key(key);
   if (variation == 0)
      return;
   srand(variation);
   rt->order = rand() % 2;
   rt->has_alpha = rand() % 4 > 0;
   rt->colormask = rand() % 3 ? 0xf : rand() % 15 + 1;
   rt->blend_enable = rand() % 4 > 0;
   rt->rgb_func = rand() % 3 ? PIPE_BLEND_ADD : rand() % 5;
   rt->alpha_func = rand() % 3 ? PIPE_BLEND_ADD : rand() % 5;
   rt->rgb_src = factors[rand() % ARRAY_SIZE(factors)];
   rt->rgb_dst = factors[rand() % ARRAY_SIZE(factors)];
   rt->alpha_src = factors[rand() % ARRAY_SIZE(factors)];
   rt->alpha_dst = factors[rand() % ARRAY_SIZE(factors)];
}

static unsigned
hash_name(const char *name)
{
   unsigned h = 5381;
   while (*name)
      h = h * 33 + *name++;
   return h;
}

static char *
take_shader(void *data, nir_shader *nir)
{
   struct tegra20_fs_key key;
   struct fs_check_result result;
   struct tegra20_fs *fs;
   char *error = NULL;

   if (!current || nir->info.stage != MESA_SHADER_FRAGMENT)
      return NULL;
   nir_shader *clone = nir_shader_clone(NULL, nir);
   tegra20_preprocess_nir(clone);
   outcome = AGREES;
   for (unsigned i = 0; i < 3; i++) {
      tegra20_compiler_debug = getenv("FS_CHECK_IR") ? TEGRA20_COMPILER_PRINT_IR : 0;
      vary_key(&key, i ? hash_name(current) + i : 0);
      if (!tegra20_compile_fs(clone, clone, &key, &fs, &error)) {
         printf("%s: variation %u rejected: %s\n", current, i, error);
         outcome = MAX2(outcome, REJECTED);
         continue;
      }
      fs_check(clone, fs, &key, RUNS, 1, 4, &result);
      const enum outcome now = result.error || result.diagnostic ? BROKEN : result.mismatches ? DIFFERS : AGREES;
      if (now != AGREES)
         printf("%s: variation %u: %u of %u runs differ: %s; strict %u; %s\n", current, i, result.mismatches, result.runs,
                result.message, result.diagnostic, result.error ? result.error : "");
      outcome = MAX2(outcome, now);
      printf("%s: stats %u %u worst %.2f\n", current, fs->stats.cycles, fs->stats.lower_bound, result.worst);
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
      fprintf(stderr, "Usage: fs-check-files FILE...\n");
      return 2;
   }
   if (!run_workers(argc - 1, 2, check_item, item_done, argv + 1))
      return 1;
   printf("%u agree, %u differ, %u break a rule, %u rejected, %u skipped, %u crashed\n", totals.counts[AGREES],
          totals.counts[DIFFERS], totals.counts[BROKEN], totals.counts[REJECTED], totals.counts[SKIPPED],
          totals.crashed);
   return totals.counts[DIFFERS] || totals.counts[BROKEN] || totals.crashed;
}
