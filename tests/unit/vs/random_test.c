/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Random vertex programs: typed expression trees, selections, branches, loops, arrays of uniforms and matrices of
 * attributes with dynamic index.  Each is compiled, and words and NIR are run on the same random inputs.
 *
 *    vs-random-test [FIRST_SEED COUNT]
 *
 * Conditions are made of inputs alone: a difference of one unit in the last place must not change the path.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/glsl_types.h"
#include "compiler/nir/nir_builder.h"
#include "util/ralloc.h"
#include "vs_check.h"

#define NUM_ATTRIBS 6
#define NUM_UNIFORMS 8
#define ARRAY_BASE 16
#define ARRAY_SIZE_SLOTS 12
#define NUM_OUTPUTS 6
#define MAX_VALUES 64
#define RUNS 12

struct generator {
   nir_builder b;
   uint32_t seed;
   nir_def *values[MAX_VALUES];
   unsigned num_values;
   unsigned depth;
};

static unsigned
choose(struct generator *g, unsigned count)
{
   g->seed = g->seed * 1664525u + 1013904223u;
   return (g->seed >> 12) % count;
}

static nir_def *
load_attrib(struct generator *g, unsigned comps)
{
   const unsigned slot = choose(g, NUM_ATTRIBS);

   return nir_load_input(&g->b, comps, 32, nir_imm_int(&g->b, 0), .base = slot,
                         .io_semantics = {.location = VERT_ATTRIB_GENERIC0 + slot, .num_slots = 1});
}

static nir_def *
load_uniform(struct generator *g, unsigned comps)
{
   return nir_load_uniform(&g->b, comps, 32, nir_imm_int(&g->b, 0), .base = choose(g, NUM_UNIFORMS), .range = 1);
}

static nir_def *
load_element(struct generator *g, unsigned comps)
{
   nir_def *index = nir_f2i32(&g->b, nir_ffloor(&g->b, load_attrib(g, 1)));

   if (choose(g, 2))
      index = nir_iadd_imm(&g->b, index, choose(g, 4));
   if (choose(g, 4) == 0)
      return nir_load_input(&g->b, comps, 32, index, .base = 1,
                            .io_semantics = {.location = VERT_ATTRIB_GENERIC1, .num_slots = 4});
   return nir_load_uniform(&g->b, comps, 32, index, .base = ARRAY_BASE, .range = ARRAY_SIZE_SLOTS);
}

static nir_def *
resize(struct generator *g, nir_def *def, unsigned comps)
{
   nir_def *channels[4];

   for (unsigned i = 0; i < comps; i++)
      channels[i] = nir_channel(&g->b, def, choose(g, def->num_components));
   return nir_vec(&g->b, channels, comps);
}

static nir_def *
operand(struct generator *g, unsigned comps)
{
   switch (choose(g, 8)) {
   case 0:
      return load_attrib(g, comps);
   case 1:
      return load_uniform(g, comps);
   case 2: {
      nir_def *channels[4];
      for (unsigned i = 0; i < comps; i++)
         channels[i] = nir_imm_float(&g->b, (int)choose(g, 9) / 4.0f - 1.0f);
      return nir_vec(&g->b, channels, comps);
   }
   default: {
      nir_def *def = resize(g, g->values[choose(g, g->num_values)], comps);
      switch (choose(g, 6)) {
      case 0:
         return nir_fneg(&g->b, def);
      case 1:
         return nir_fabs(&g->b, def);
      default:
         return def;
      }
   }
   }
}

static nir_def *
condition(struct generator *g, unsigned comps)
{
   nir_def *x = load_attrib(g, comps), *y = choose(g, 2) ? load_uniform(g, comps) : nir_imm_floatN_t(&g->b, 0.0, 32);

   if (y->num_components != comps)
      y = nir_replicate(&g->b, y, comps);
   switch (choose(g, 6)) {
   case 0:
      return nir_feq(&g->b, x, y);
   case 1:
      return nir_fneu(&g->b, x, y);
   case 2:
      return nir_fge(&g->b, y, x);
   case 3:
      return nir_iand(&g->b, nir_flt(&g->b, x, y), nir_fge(&g->b, load_attrib(g, comps), y));
   case 4:
      return nir_inot(&g->b, nir_flt(&g->b, y, x));
   default:
      return nir_flt(&g->b, x, y);
   }
}

/* Results stay small, so that errors do. */
static nir_def *
tame(struct generator *g, nir_def *def)
{
   return nir_fmax(&g->b, nir_fmin(&g->b, def, nir_imm_float(&g->b, 16.0f)), nir_imm_float(&g->b, -16.0f));
}

static nir_def *
arithmetic(struct generator *g)
{
   nir_builder *b = &g->b;
   const unsigned comps = 1 + choose(g, 4);
   nir_def *x = operand(g, comps), *y = operand(g, comps);

   switch (choose(g, 20)) {
   case 0:
   case 1:
      return nir_fmul(b, x, y);
   case 2:
   case 3:
      return nir_fadd(b, x, y);
   case 4:
   case 5:
      return nir_ffma(b, x, y, operand(g, comps));
   case 6:
      return nir_fmin(b, x, y);
   case 7:
      return nir_fmax(b, x, y);
   case 8:
      return comps > 1 ? nir_fdot(b, x, y) : nir_fsub(b, x, y);
   case 9:
      return nir_fsat(b, x);
   case 10:
      return nir_frcp(b, nir_fadd_imm(b, nir_fabs(b, resize(g, x, 1)), 0.5));
   case 11:
      return nir_frsq(b, nir_fadd_imm(b, nir_fabs(b, resize(g, x, 1)), 0.25));
   case 12:
      return nir_fexp2(b, nir_fsat(b, resize(g, x, 1)));
   case 13:
      return nir_flog2(b, nir_fadd_imm(b, nir_fabs(b, resize(g, x, 1)), 1.0));
   case 14:
      return choose(g, 2) ? nir_fsin(b, resize(g, x, 1)) : nir_fcos(b, resize(g, x, 1));
   case 15:
      return nir_fsqrt(b, nir_fabs(b, resize(g, x, 1)));
   case 16:
      return nir_bcsel(b, condition(g, choose(g, 2) ? 1 : comps), x, y);
   case 17:
      return choose(g, 2) ? nir_ffloor(b, load_attrib(g, comps)) : nir_ftrunc(b, load_attrib(g, comps));
   case 18:
      return choose(g, 2) ? nir_ffract(b, load_attrib(g, comps)) : nir_fsign(b, load_attrib(g, comps));
   default:
      return load_element(g, comps);
   }
}

static void
add_value(struct generator *g, nir_def *def)
{
   if (g->num_values < MAX_VALUES)
      g->values[g->num_values++] = def;
   else
      g->values[choose(g, MAX_VALUES)] = def;
}

static void statements(struct generator *g, unsigned count);

static void
branch(struct generator *g)
{
   const unsigned outer = g->num_values, comps = 1 + choose(g, 4);

   nir_if *nif = nir_push_if(&g->b, condition(g, 1));
   statements(g, 1 + choose(g, 4));
   nir_def *x = tame(g, operand(g, comps));
   g->num_values = outer;
   nir_push_else(&g->b, nif);
   if (choose(g, 2))
      statements(g, 1 + choose(g, 4));
   nir_def *y = tame(g, operand(g, comps));
   g->num_values = outer;
   nir_pop_if(&g->b, nif);
   add_value(g, nir_if_phi(&g->b, x, y));
}

/* A loop over a variable, with a bound from an attribute and perhaps a second way out. */
static void
loop(struct generator *g)
{
   nir_builder *b = &g->b;
   const unsigned outer = g->num_values, comps = 1 + choose(g, 4);
   nir_variable *sum = nir_local_variable_create(b->impl, glsl_vector_type(GLSL_TYPE_FLOAT, comps), "sum");
   nir_variable *counter = nir_local_variable_create(b->impl, glsl_float_type(), "counter");
   nir_def *bound = nir_fmin(b, load_attrib(g, 1), nir_imm_float(b, 6.0f));
   nir_def *escape = choose(g, 2) ? condition(g, 1) : NULL;

   nir_store_var(b, sum, operand(g, comps), nir_component_mask(comps));
   nir_store_var(b, counter, nir_imm_float(b, 0.0f), 1);
   nir_loop *nloop = nir_push_loop(b);
   {
      nir_def *count = nir_load_var(b, counter);
      nir_push_if(b, nir_fge(b, count, bound));
      nir_jump(b, nir_jump_break);
      nir_pop_if(b, NULL);
      add_value(g, nir_load_var(b, sum));
      statements(g, 1 + choose(g, 3));
      nir_store_var(b, sum, tame(g, nir_fadd(b, nir_load_var(b, sum), operand(g, comps))), nir_component_mask(comps));
      if (escape) {
         nir_push_if(b, nir_iand(b, escape, nir_fge(b, count, nir_imm_float(b, 2.0f))));
         nir_jump(b, nir_jump_break);
         nir_pop_if(b, NULL);
      }
      nir_store_var(b, counter, nir_fadd_imm(b, count, 1.0), 1);
   }
   nir_pop_loop(b, nloop);
   g->num_values = outer;
   add_value(g, nir_load_var(b, sum));
}

static void
statements(struct generator *g, unsigned count)
{
   g->depth++;
   for (unsigned i = 0; i < count; i++) {
      const unsigned what = choose(g, 12);
      if (what == 0 && g->depth < 3)
         loop(g);
      else if (what <= 2 && g->depth < 4)
         branch(g);
      else
         add_value(g, tame(g, arithmetic(g)));
   }
   g->depth--;
}

static void
store_outputs(struct generator *g)
{
   for (unsigned i = 0; i < NUM_OUTPUTS; i++) {
      const unsigned location = i ? VARYING_SLOT_VAR0 + i - 1 : VARYING_SLOT_POS;
      const unsigned comps = i ? 1 + choose(g, 4) : 4;
      nir_store_output(&g->b, operand(g, comps), nir_imm_int(&g->b, 0), .base = i,
                       .write_mask = nir_component_mask(comps), .src_type = nir_type_float32,
                       .io_semantics = {.location = location, .num_slots = 1});
   }
}

static nir_shader *
generate(uint32_t seed)
{
   struct generator g = {.seed = seed * 2654435761u + 12345};

   g.b = nir_builder_init_simple_shader(MESA_SHADER_VERTEX, tegra20_nir_options(MESA_SHADER_VERTEX), "random %u", seed);
   g.b.shader->info.io_lowered = true;
   for (unsigned i = 0; i < 4; i++)
      add_value(&g, load_attrib(&g, 4));
   statements(&g, 4 + choose(&g, 12));
   store_outputs(&g);
   return g.b.shader;
}

int
main(int argc, char **argv)
{
   const unsigned first = argc > 2 ? atoi(argv[1]) : 1, count = argc > 2 ? atoi(argv[2]) : 500;
   const struct tegra20_vs_key key = {0};
   unsigned compiled = 0, rejected = 0, failed = 0;

   glsl_type_singleton_init_or_ref();
   for (unsigned seed = first; seed < first + count; seed++) {
      nir_shader *nir = generate(seed);
      struct vs_check_result result;
      struct tegra20_vs *vs;
      char *error = NULL;

      tegra20_preprocess_nir(nir);
      if (!tegra20_compile_vs(nir, nir, &key, NULL, &vs, &error)) {
         /* programs that are too large are the generator's fault; anything else is ours */
         const bool limit = strstr(error, "the chip has") != NULL;
         rejected++;
         failed += !limit;
         if (!limit)
            printf("seed %u: %s\n", seed, error);
      } else {
         vs_check(nir, vs, RUNS, seed, &result);
         compiled++;
         if (result.mismatches) {
            printf("seed %u: %u of %u runs differ: %s\n", seed, result.mismatches, result.runs, result.message);
            failed++;
         }
      }
      ralloc_free(nir);
   }
   glsl_type_singleton_decref();
   printf("%u programs agree, %u are too large, %u failed\n", compiled - failed, rejected, failed);
   return failed || compiled < count / 2;
}
