/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * tegra20-bounds DIR OUT NAME...: how far the chip's arithmetic may carry each pixel that tegra20-differential draws with the
 * program DIR/NAME.shader_test from the exact one.  Interprets the NIR of both stages with the inputs of the pixel, and with a
 * bound on the error of every value.  OUT gets a record per program like that of tegra20-differential: a line "NAME STATUS",
 * and when STATUS is "ok" the exact colours of all pixels and for each of their channels the bound in steps of 1/255, UNDECIDED
 * where there is none: near a discontinuity, say a comparison of two values that are too close, and in channels that the
 * program does not write.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/ralloc.h"

#include "gl_frontend.h"
#include "pixels.h"
#include "shader_test.h"
#include "tegra20_compiler.h"

static nir_shader *stages[2]; /* of the program: vertex and fragment shader */
static FILE *out;

static char *
take_shader(void *data, nir_shader *nir)
{
   const unsigned stage = nir->info.stage == MESA_SHADER_FRAGMENT;

   if (!stages[stage]) {
      stages[stage] = nir_shader_clone(NULL, nir);
      tegra20_preprocess_nir(stages[stage]);
   }
   return NULL;
}

static void
write_pixels(const char *dir, const char *name)
{
   static struct pixels pixels;
   char *given = read_source(dir, name, "uniforms");

   pixels_start(&pixels, name, given);
   if (stages[0] && stages[1]) {
      pixels_run_vertices(&pixels, stages[0]);
      pixels_run_fragments(&pixels, stages[1]);
   } else {
      pixels.error = "does not link";
   }
   fprintf(out, "%s %s\n", name, pixels.error ? pixels.error : "ok");
   if (!pixels.error) {
      fwrite(pixels.color, 1, sizeof(pixels.color), out);
      fwrite(pixels.bound, 1, sizeof(pixels.bound), out);
   }
   free(given);
   for (unsigned i = 0; i < 2; i++) {
      ralloc_free(stages[i]);
      stages[i] = NULL;
   }
}

static void
bound_program(const char *dir, const char *name)
{
   static struct gl_frontend *frontend;
   static bool frontend_es;
   struct shader_test test;
   char path[4096], *error = NULL, *log = NULL;

   snprintf(path, sizeof(path), "%s/%s.shader_test", dir, name);
   if (!shader_test_read(&test, path, &error)) {
      printf("%s %s\n", path, error);
      free(error);
      return;
   }
   if (frontend && frontend_es != test.es) {
      gl_frontend_destroy(frontend);
      frontend = NULL;
   }
   if (!frontend)
      frontend = gl_frontend_create(test.es, take_shader, NULL);
   frontend_es = test.es;
   if (frontend && !test.unsupported && !gl_frontend_link(frontend, &test, &log)) {
      printf("%s does not link\n", path);
      free(log);
   }
   write_pixels(dir, name);
   shader_test_free(&test);
}

int
main(int argc, char **argv)
{
   if (argc < 4) {
      fprintf(stderr, "Usage: tegra20-bounds DIR OUT NAME...\n");
      return 2;
   }
   out = fopen(argv[2], "wb");
   if (!out) {
      fprintf(stderr, "tegra20-bounds: cannot write %s\n", argv[2]);
      return 1;
   }
   for (int i = 3; i < argc; i++)
      bound_program(argv[1], argv[i]);
   fclose(out);
   return 0;
}
