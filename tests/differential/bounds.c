/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * tegra20-bounds FILE.shader_test...: how far the chip's arithmetic may carry the colour of a fragment program from the
 * exact one.  Interprets the NIR of the fragment stage for random inputs (varyings in -1..1, uniforms multiples of 1/16 in
 * the same range, smooth textures) with a bound on the error of every value, and prints a line per file:
 *
 *   FILE BOUND UNDECIDED COMPONENTS
 *
 * BOUND is the largest error of a colour channel, in steps of 1/255, among the inputs for which it is below LIMIT;
 * UNDECIDED the share of the others: inputs near a discontinuity, say a comparison of two values that are too close.
 * COMPONENTS is the mask of the colour's components that the program writes; the others are undefined.  A program that
 * cannot be interpreted prints its reason instead.
 *
 * tegra20-bounds --pixels OUT FILE.shader_test...: the bound of each pixel that tegra20-differential draws with the program,
 * because it has the same inputs.  OUT gets a record per program like that of tegra20-differential: a line "NAME STATUS",
 * and when STATUS is "ok" the exact colours of all pixels and for each of their channels the bound in steps of 1/255,
 * UNDECIDED where there is none.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/ralloc.h"

#include "fs_interp.h"
#include "gl_frontend.h"
#include "pixels.h"
#include "shader_test.h"
#include "tegra20_compiler.h"

#define POINTS 400
#define LIMIT 10.0f

struct point {
   uint32_t seed, uniform_seed;
};

static const char *current;
static nir_shader *stages[2]; /* with --pixels: vertex and fragment shader */
static FILE *out;

static uint32_t
hash(uint32_t x)
{
   x ^= x >> 16;
   x *= 0x7feb352d;
   x ^= x >> 15;
   x *= 0x846ca68b;
   return x ^ x >> 16;
}

static float
input(void *data, unsigned slot, unsigned c)
{
   const struct point *point = data;
   return (int)(hash(point->seed * 977 + slot * 4 + c) & 0xffff) / 32768.0f - 1;
}

static float
uniform(void *data, unsigned word)
{
   const struct point *point = data;
   return ((int)(hash(point->uniform_seed * 7919 + word) % 33) - 16) / 16.0f;
}

static void
texel(void *data, unsigned unit, float s, float t, float result[4])
{
   /* as in differential.c */
   const float x = fabsf(2 * (s - floorf(s)) - 1), y = fabsf(2 * (t - floorf(t)) - 1);
   result[0] = x;
   result[1] = y;
   result[2] = (x + y) / 2;
   result[3] = 1 - x / 2;
}

static float
saturated_error(float value, float error)
{
   const float lo = fminf(fmaxf(value - error, 0), 1), hi = fminf(fmaxf(value + error, 0), 1);
   const float at = fminf(fmaxf(value, 0), 1);
   return isnan(value) || isnan(error) ? 1 : fmaxf(hi - at, at - lo);
}

static char *
take_shader(void *data, nir_shader *nir)
{
   float bound = 0;
   unsigned undecided = 0, components = 0;
   const char *error = NULL;

   if (out) {
      const unsigned stage = nir->info.stage == MESA_SHADER_FRAGMENT;
      if (!stages[stage]) {
         stages[stage] = nir_shader_clone(NULL, nir);
         tegra20_preprocess_nir(stages[stage]);
      }
      return NULL;
   }
   if (!current || nir->info.stage != MESA_SHADER_FRAGMENT)
      return NULL;
   nir_shader *clone = nir_shader_clone(NULL, nir);
   tegra20_preprocess_nir(clone);
   for (unsigned i = 0; i < POINTS && !error; i++) {
      struct point point = {i + 1, i / 8 + 1};
      struct fs_interp_io io = {
         .data = &point, .input = input, .uniform = uniform, .texel = texel, .errors = true, .together = true,
         .texel_slope = 2, .frag_coord = {32.5f, 20.5f, 0.5f, 1}, .front = true, .color = {{0, 0, 0, 1}},
      };
      float worst = 0;
      fs_interpret(clone, &io);
      error = io.error;
      components = io.written_mask;
      for (unsigned c = 0; c < 4 && !io.killed; c++)
         worst = fmaxf(worst, saturated_error(io.color[0][c], io.color_error[0][c]) * 255);
      if (worst >= LIMIT || io.kill_error > 0.5f)
         undecided++;
      else
         bound = fmaxf(bound, worst);
   }
   if (error)
      printf("%s %s\n", current, error);
   else
      printf("%s %.3f %.4f %u\n", current, bound, (float)undecided / POINTS, components);
   ralloc_free(clone);
   current = NULL; /* once per program */
   return NULL;
}

/* The name of a program in its path. */
static void
program_name(char *name, size_t size, const char *path)
{
   const char *slash = strrchr(path, '/');
   snprintf(name, size, "%s", slash ? slash + 1 : path);
   name[strcspn(name, ".")] = 0;
}

static void
write_pixels(const char *path)
{
   static struct pixels pixels;
   char name[256];

   program_name(name, sizeof(name), path);
   pixels_start(&pixels, name);
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
   for (unsigned i = 0; i < 2; i++) {
      ralloc_free(stages[i]);
      stages[i] = NULL;
   }
}

static void
bound_file(const char *path)
{
   static struct gl_frontend *frontend;
   static bool frontend_es;
   struct shader_test test;
   char *error = NULL, *log = NULL;

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
   current = path;
   if (frontend && !test.unsupported && !gl_frontend_link(frontend, &test, &log)) {
      printf("%s does not link\n", path);
      free(log);
   }
   if (out)
      write_pixels(path);
   current = NULL;
   shader_test_free(&test);
}

int
main(int argc, char **argv)
{
   int first = 1;

   if (argc > 3 && !strcmp(argv[1], "--pixels")) {
      out = fopen(argv[2], "wb");
      if (!out) {
         fprintf(stderr, "tegra20-bounds: cannot write %s\n", argv[2]);
         return 1;
      }
      first = 3;
   } else if (argc < 2) {
      fprintf(stderr, "Usage: tegra20-bounds [--pixels OUT] FILE.shader_test...\n");
      return 2;
   }
   for (int i = first; i < argc; i++)
      bound_file(argv[i]);
   if (out)
      fclose(out);
   return 0;
}
