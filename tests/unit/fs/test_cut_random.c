/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Random programs that do not fit the chip go through the partitioner; their parts run one after the other on the simulator in
 * strict mode, and the result is compared with what the NIR of the whole program computes.
 *
 *   test_fs_cut_random [--programs N] [--seed N] [--verbose]
 *
 * A program has many values that are used in many places: an operation takes any of the values before it as an operand.  Some
 * have outputs that no target takes, so that values lead nowhere.  All numbers lie in 0..1 and no operation enlarges an error;
 * conditions compare numbers that are exact.
 */

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/nir/nir_builder.h"
#include "fs_check.h"
#include "util/ralloc.h"

#define MAX_VALUES 2048
#define MIN_OPERATIONS 90
#define MORE_OPERATIONS 700
#define VARYINGS 4
#define UNIFORMS 8
#define TEXTURES 3
#define RUNS 8
/* Steps of 1/256: values that are only stored have fx10 operands, and a step of a coordinate is that of a texel. */
#define TOLERANCE 8

struct generator {
   nir_builder b;
   uint32_t random;
   nir_def *varying[VARYINGS]; /* exact */
   nir_def *value[MAX_VALUES];
   unsigned count, locality;
};

static unsigned
next(struct generator *g, unsigned range)
{
   g->random ^= g->random << 13;
   g->random ^= g->random >> 17;
   g->random ^= g->random << 5;
   return (g->random >> 8) % range;
}

static void
add(struct generator *g, nir_def *def)
{
   for (unsigned c = 0; c < def->num_components && g->count < MAX_VALUES; c++)
      g->value[g->count++] = nir_channel(&g->b, def, c);
}

/* One of the last values, or any. */
static nir_def *
pick(struct generator *g)
{
   const unsigned range = next(g, 4) ? MIN2(g->locality, g->count) : g->count;

   return g->value[g->count - 1 - next(g, range)];
}

static void
add_inputs(struct generator *g)
{
   nir_builder *b = &g->b;

   for (unsigned i = 0; i < VARYINGS; i++) {
      g->varying[i] = nir_load_input(b, 4, 32, nir_imm_float(b, 0), .base = i, .dest_type = nir_type_float32,
                        .io_semantics.location = VARYING_SLOT_VAR0 + i, .io_semantics.num_slots = 1);
      add(g, g->varying[i]);
   }
   for (unsigned i = 0; i < UNIFORMS; i++)
      add(g, nir_load_uniform(b, 4, 32, nir_imm_float(b, 0), .base = i, .range = 1, .dest_type = nir_type_float32));
}

static nir_def *
look_up(struct generator *g)
{
   nir_builder *b = &g->b;
   nir_tex_instr *tex = nir_tex_instr_create(b->shader, 1);
   nir_def *s = pick(g), *t = pick(g);

   tex->op = nir_texop_tex;
   tex->sampler_dim = GLSL_SAMPLER_DIM_2D;
   tex->dest_type = nir_type_float32;
   tex->coord_components = 2;
   tex->texture_index = tex->sampler_index = next(g, TEXTURES);
   tex->src[0] = nir_tex_src_for_ssa(nir_tex_src_coord, nir_vec2(b, s, t));
   nir_def_init(&tex->instr, &tex->def, 4, 32);
   nir_builder_instr_insert(b, &tex->instr);
   BITSET_SET(b->shader->info.textures_used, tex->texture_index);
   return &tex->def;
}

/* 0 or 1: varyings are multiples of 1/64. */
static nir_def *
condition(struct generator *g, float limit)
{
   nir_def *x = nir_channel(&g->b, g->varying[next(g, VARYINGS)], next(g, 4));

   return nir_slt(&g->b, x, nir_imm_float(&g->b, limit + 1 / 128.0f));
}

static nir_def *
operation(struct generator *g)
{
   nir_builder *b = &g->b;
   nir_def *x = pick(g), *y = pick(g), *z = pick(g);

   switch (next(g, 12)) {
   case 0: return nir_fmul(b, x, y);
   case 1: return nir_fmin(b, x, y);
   case 2: return nir_fmax(b, x, y);
   case 3: return nir_fabs(b, nir_fsub(b, x, y));
   case 4: return nir_fsub(b, nir_imm_float(b, 1), x);
   case 5: return nir_flrp(b, x, y, z);
   case 6: return nir_fmul_imm(b, nir_fsqrt(b, nir_fadd_imm(b, x, 0.25)), 0.875);
   case 7: return nir_fadd_imm(b, nir_fmul_imm(b, nir_fsin(b, x), 0.5), 0.25);
   case 8: return nir_fcsel(b, condition(g, next(g, 64) / 64.0f), x, y);
   case 9: return nir_fmul_imm(b, nir_fdot3(b, nir_vec3(b, x, y, z), nir_vec3(b, y, z, x)), 0.3125);
   default: return nir_fmul_imm(b, nir_fadd(b, x, y), 0.5);
   }
}

/* Everything that nothing has read yet, or that many have, reaches the output: averages of averages. */
static nir_def *
average(struct generator *g)
{
   nir_def *sum = pick(g);

   for (unsigned i = next(g, 12); i > 0; i--)
      sum = nir_fmul_imm(&g->b, nir_fadd(&g->b, sum, pick(g)), 0.5);
   return sum;
}

static void
store(struct generator *g, unsigned target)
{
   nir_def *component[4];

   for (unsigned c = 0; c < 4; c++)
      component[c] = average(g);
   nir_store_output(&g->b, nir_vec(&g->b, component, 4), nir_imm_float(&g->b, 0), .base = target, .range = 1,
                    .write_mask = 0xf, .src_type = nir_type_float32, .io_semantics.location = FRAG_RESULT_DATA0 + target,
                    .io_semantics.num_slots = 1);
}

/* targets: outputs of the program; the key binds some of them. */
static nir_shader *
generate(uint32_t seed, unsigned targets)
{
   struct generator *g = calloc(1, sizeof(*g));

   g->b = nir_builder_init_simple_shader(MESA_SHADER_FRAGMENT, tegra20_nir_options(MESA_SHADER_FRAGMENT), "random");
   g->random = seed * 2654435761u + 1;
   for (unsigned i = 0; i < 8; i++)
      next(g, 2);
   g->locality = 8 << next(g, 4);
   add_inputs(g);
   const unsigned operations = MIN_OPERATIONS + next(g, MORE_OPERATIONS), lookups = 1 + next(g, 24);
   for (unsigned i = 0; i < operations; i++) {
      if (next(g, operations) < lookups)
         add(g, look_up(g));
      else
         add(g, operation(g));
      if (next(g, operations) == 0)
         nir_terminate_if(&g->b, condition(g, 1 / 64.0f));
   }
   for (unsigned target = 0; target < targets; target++)
      store(g, target);
   nir_shader *nir = g->b.shader;
   free(g);
   NIR_PASS(_, nir, nir_opt_dce);
   nir_index_ssa_defs(nir_shader_get_entrypoint(nir));
   return nir;
}

struct totals {
   unsigned fit, parts, failed;
};

/* False when something is wrong; what does not fit in parts either is not. */
static bool
check(uint32_t seed, bool verbose, struct totals *totals)
{
   const unsigned targets = 1 + seed % 4;
   nir_shader *nir = generate(seed, targets);
   struct fs_check_result result = {0};
   struct tegra20_fs_key key;
   struct tegra20_fs *fs;
   char *error = NULL;
   const struct tegra20_compiler_options fit = {.effort = TEGRA20_EFFORT_DRAFT};
   bool ok = true;

   fs_check_default_key(&key); /* the first target is bound only */
   if (tegra20_compile_fs(nir, nir, &key, &fit, &fs, &error)) {
      totals->fit++;
      ralloc_free(nir);
      return true;
   }
   const struct tegra20_parts *parts =
      tegra20_cut_fs(nir, nir, &key, &(struct tegra20_compiler_options){.effort = TEGRA20_EFFORT_DRAFT}, &error);
   if (!parts) {
      totals->failed++;
      ok = !strstr(error, "mistake");
      if (verbose || !ok)
         printf("seed %u: %s\n", seed, error);
   } else if (!fs_check_parts(nir, parts, &key, &fit, RUNS, seed, TOLERANCE, &result, &error)) {
      printf("seed %u: a part does not compile: %s\n", seed, error);
      ok = false;
   } else if (result.error || result.diagnostic || result.mismatches) {
      printf("seed %u: %u of %u runs differ (%s), strict %u, %s\n", seed, result.mismatches, result.runs, result.message,
             result.diagnostic, result.error ? result.error : "");
      ok = false;
   } else {
      totals->parts++;
      if (verbose)
         printf("seed %u: %u parts, %u values, worst %.2f\n", seed, parts->count, parts->num_values, result.worst);
   }
   ralloc_free(nir);
   return ok;
}

int
main(int argc, char **argv)
{
   static const struct option options[] = {
      {"programs", required_argument, NULL, 'n'}, {"seed", required_argument, NULL, 's'}, {"verbose", no_argument, NULL, 'v'}, {0}};
   unsigned programs = 40, seed = 1, wrong = 0;
   struct totals totals = {0};
   bool verbose = false;

   for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
      switch (c) {
      case 'n': programs = atoi(optarg); break;
      case 's': seed = atoi(optarg); break;
      case 'v': verbose = true; break;
      default: fprintf(stderr, "usage: test_fs_cut_random [--programs N] [--seed N] [--verbose]\n"); return 2;
      }
   }
   glsl_type_singleton_init_or_ref();
   for (unsigned i = 0; i < programs; i++)
      wrong += !check(seed + i, verbose, &totals);
   glsl_type_singleton_decref();
   printf("%u programs: %u in parts, %u fit as they are, %u are too much, %u wrong\n", programs, totals.parts, totals.fit, totals.failed, wrong);
   return wrong > 0 || totals.parts == 0;
}
