/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include <stdio.h>
#include <stdlib.h>

#include "util/ralloc.h"

#include "check_files.h"
#include "gl_frontend.h"
#include "shader_test.h"
#include "tegra20_compiler.h"
#include "workers.h"

struct run {
   char **files;
   gl_shader_stage stage;
   check_shader_fn fn;
   unsigned counts[NUM_CHECK_OUTCOMES], crashed;
   /* In a worker: the file whose programs count, NULL while the front end makes programs of its own. */
   const char *current;
   enum check_outcome outcome;
};

static char *
take_shader(void *data, nir_shader *nir)
{
   struct run *run = data;

   if (!run->current || nir->info.stage != run->stage)
      return NULL;
   nir_shader *clone = nir_shader_clone(NULL, nir);
   tegra20_preprocess_nir(clone);
   run->outcome = run->fn(clone, run->current);
   ralloc_free(clone);
   return NULL;
}

/* The front end of this worker for ES or desktop GL; it is kept while the kind stays the same. */
static struct gl_frontend *
get_frontend(struct run *run, bool es)
{
   static struct gl_frontend *frontend;
   static bool frontend_es;

   if (frontend && frontend_es != es) {
      gl_frontend_destroy(frontend);
      frontend = NULL;
   }
   if (!frontend)
      frontend = gl_frontend_create(es, take_shader, run);
   frontend_es = es;
   return frontend;
}

static int
check_item(void *data, unsigned item)
{
   struct run *run = data;
   struct shader_test test;
   char *error = NULL, *log = NULL;

   run->outcome = CHECK_SKIPPED;
   if (!shader_test_read(&test, run->files[item], &error)) {
      free(error);
      return CHECK_SKIPPED;
   }
   if (!test.unsupported && test.num_sources) {
      struct gl_frontend *frontend = get_frontend(run, test.es);
      run->current = run->files[item];
      if (frontend && !gl_frontend_link(frontend, &test, &log))
         free(log);
      run->current = NULL;
   }
   shader_test_free(&test);
   return run->outcome;
}

static void
item_done(void *data, unsigned item, const struct worker_result *result)
{
   struct run *run = data;

   fputs(result->out, stdout);
   if (result->status < 0) {
      printf("%s: crashed\n%s", run->files[item], result->err);
      run->crashed++;
   } else {
      run->counts[result->status]++;
   }
}

int
check_files(int argc, char **argv, gl_shader_stage stage, check_shader_fn fn)
{
   struct run run = {.files = argv + 1, .stage = stage, .fn = fn};

   if (argc < 2) {
      fprintf(stderr, "Usage: %s FILE...\n", argv[0]);
      return 2;
   }
   if (!run_workers(argc - 1, 2, check_item, item_done, &run))
      return 1;
   printf("%u agree, %u differ, %u break a rule, %u rejected, %u skipped, %u crashed\n", run.counts[CHECK_AGREES],
          run.counts[CHECK_DIFFERS], run.counts[CHECK_BROKEN], run.counts[CHECK_REJECTED], run.counts[CHECK_SKIPPED],
          run.crashed);
   return run.counts[CHECK_DIFFERS] || run.counts[CHECK_BROKEN] || run.crashed;
}
