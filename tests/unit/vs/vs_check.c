/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "vs_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "nir_interp.h"
#include "tegra20/gr3d_regs.h"
#include "vertex.h"

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
load_constants(struct job *job, const struct tegra20_vs *vs, const uint32_t *uniforms)
{
   float *values = calloc(vs->values.count + 1, sizeof(float));
   float params[TEGRA20_PARAM_COUNT] = {0};

   tegra20_values_eval(&vs->values, uniforms, NUM_UNIFORM_WORDS, params, values);
   for (unsigned i = 0; i < vs->num_consts; i++) {
      float v[4];
      for (unsigned c = 0; c < 4; c++)
         v[c] = vs->consts[i][c] == TEGRA20_NO_VALUE ? NAN : values[vs->consts[i][c]];
      job_vertex_constant_f(job, i, v[0], v[1], v[2], v[3]);
   }
   free(values);
}

/* Draws a point; returns what the simulated chip has in its exports. */
static const struct gr3d_exports *
run_words(struct job *job, const struct tegra20_vs *vs, const float attribs[16][4], const uint32_t *uniforms)
{
   job_clear(job);
   job_poke(job, JOB_VERTICES, attribs, 16 * 4 * sizeof(float));
   job_frame(job);
   job_write(job, GR3D_VP_ATTRIB_IN_OUT_SELECT, (uint32_t)vs->attribs_read << 16 | vs->exports_written);
   for (unsigned i = 0; i < TEGRA20_MAX_ATTRIBS; i++)
      job_attrib(job, i, JOB_VERTICES + 16 * i, 13 | 4 << 4 | 256 << 8);
   load_constants(job, vs, uniforms);
   job_vertex_program(job, (const uint32_t(*)[4])vs->insts, vs->num_insts);
   job_draw(job, GR3D_PRIMITIVE_TYPE_POINTS, GR3D_INDEX_MODE_NONE, 0, 1);
   job_run(job);
   return &job->sim->gr3d.vertex->exports[0];
}

/* The first rule of vertex programs that strict mode saw broken, or 0. */
static unsigned
broken_rule(const struct job *job)
{
   for (unsigned i = 0; i < job->num_diags; i++) {
      if (job->diags[i] >= SIM_DIAG_VP_NOT_UPLOADED && job->diags[i] <= SIM_DIAG_VP_NO_POSITION)
         return job->diags[i];
   }
   return 0;
}

static bool
agree(float a, float b)
{
   if (!isfinite(a) || fabsf(a) > 1e30f)
      return true;
   return fabsf(a - b) <= ldexpf(MAX3(fabsf(a), fabsf(b), 1.0f), -12);
}

static bool
compare(const struct tegra20_vs *vs, const struct nir_interp_io *io, const struct gr3d_exports *exports, char *message,
        size_t size)
{
   u_foreach_bit(e, vs->exports_written) {
      for (unsigned c = 0; c < 4; c++) {
         const float expected = io->outputs[vs->export_slot[e]][c], got = exports->v[e][c];
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
   static uint32_t uniforms[NUM_UNIFORM_WORDS];
   struct job *job = job_create(true);
   char message[sizeof(result->message)];

   memset(result, 0, sizeof(*result));
   for (unsigned run = 0; run < runs; run++) {
      float attribs[16][4];
      for (unsigned i = 0; i < NUM_UNIFORM_WORDS; i++) {
         const float value = random_value(&seed);
         memcpy(&uniforms[i], &value, sizeof(value));
      }
      for (unsigned i = 0; i < 64; i++)
         attribs[i / 4][i % 4] = random_value(&seed);

      struct nir_interp_io io = {
         .attribs = (const float(*)[4])attribs, .uniforms = uniforms, .num_uniform_words = NUM_UNIFORM_WORDS};
      nir_interpret(nir, &io);
      if (io.error)
         continue;
      const struct gr3d_exports *exports = run_words(job, vs, attribs, uniforms);
      const unsigned broken = broken_rule(job);

      result->runs++;
      if (broken) {
         snprintf(message, sizeof(message), "rule %u, %s", broken, sim_diag_name(broken));
         result->error = true;
      }
      if (broken || (!io.out_of_range && !compare(vs, &io, exports, message, sizeof(message)))) {
         if (result->mismatches++ == 0)
            memcpy(result->message, message, sizeof(message));
      }
   }
}
