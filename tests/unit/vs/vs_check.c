/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "vs_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nir_interp.h"
#include "vpe_interp.h"

#define NUM_UNIFORM_WORDS 4096

static uint32_t
next_random(uint32_t *seed)
{
   *seed = *seed * 1664525u + 1013904223u;
   return *seed >> 8;
}

/* Mostly small numbers of few bits; some whole ones, so that comparisons are met on both sides. */
static float
random_value(uint32_t *seed)
{
   const uint32_t r = next_random(seed);

   switch (r % 4) {
   case 0:
      return (float)(int)(next_random(seed) % 8) - 2.0f;
   case 1:
      return (next_random(seed) % 64) / 64.0f;
   default:
      return ((int)(next_random(seed) % 513) - 256) / 64.0f;
   }
}

static void
load_constants(const struct tegra20_vs *vs, const uint32_t *uniforms, struct vpe_state *state)
{
   float *values = calloc(vs->values.count + 1, sizeof(float));
   float params[TEGRA20_PARAM_COUNT] = {0};

   tegra20_values_eval(&vs->values, uniforms, NUM_UNIFORM_WORDS, params, values);
   for (unsigned i = 0; i < vs->num_consts; i++) {
      for (unsigned c = 0; c < 4; c++)
         state->consts[i][c] = vs->consts[i][c] == TEGRA20_NO_VALUE ? NAN : values[vs->consts[i][c]];
   }
   free(values);
}

static bool
agree(float a, float b)
{
   if (!isfinite(a) || fabsf(a) > 1e30f)
      return true;
   return fabsf(a - b) <= ldexpf(MAX3(fabsf(a), fabsf(b), 1.0f), -12);
}

static bool
compare(const struct tegra20_vs *vs, const struct nir_interp_io *io, const struct vpe_state *state, char *message,
        size_t size)
{
   u_foreach_bit(e, vs->exports_written) {
      for (unsigned c = 0; c < 4; c++) {
         const float expected = io->outputs[vs->export_slot[e]][c], got = state->exports[e][c];
         if (!agree(expected, got)) {
            snprintf(message, size, "export %u (%s) component %u: %g instead of %g", e,
                     gl_varying_slot_name_for_stage(vs->export_slot[e], MESA_SHADER_VERTEX), c, got, expected);
            return false;
         }
      }
   }
   return true;
}

void
vs_check(nir_shader *nir, const struct tegra20_vs *vs, unsigned runs, uint32_t seed, struct vs_check_result *result)
{
   static struct vpe_state state;
   static uint32_t uniforms[NUM_UNIFORM_WORDS];
   char message[sizeof(result->message)];

   memset(result, 0, sizeof(*result));
   for (unsigned run = 0; run < runs; run++) {
      for (unsigned i = 0; i < NUM_UNIFORM_WORDS; i++) {
         const float value = random_value(&seed);
         memcpy(&uniforms[i], &value, sizeof(value));
      }
      for (unsigned i = 0; i < 64; i++)
         state.attribs[i / 4][i % 4] = random_value(&seed);

      struct nir_interp_io io = {
         .attribs = (const float(*)[4])state.attribs, .uniforms = uniforms, .num_uniform_words = NUM_UNIFORM_WORDS};
      nir_interpret(nir, &io);
      if (io.error)
         continue;
      load_constants(vs, uniforms, &state);
      vpe_interpret((const uint32_t(*)[4])vs->insts, vs->num_insts, &state);

      result->runs++;
      if (state.error) {
         snprintf(message, sizeof(message), "instruction %u: %s", state.error_inst, state.error);
         result->error = true;
      }
      const bool undefined = io.out_of_range && !state.error;
      if (state.error || (!undefined && !compare(vs, &io, &state, message, sizeof(message)))) {
         if (result->mismatches++ == 0)
            memcpy(result->message, message, sizeof(message));
      }
   }
}
