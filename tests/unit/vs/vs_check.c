/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "vs_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fs_interp.h"
#include "job.h"
#include "tegra20/gr3d_regs.h"
#include "vertex.h"

#define NUM_UNIFORM_WORDS 4096

/* What a program reads and writes. */
struct values {
   uint32_t uniforms[NUM_UNIFORM_WORDS];
   float attribs[16][4], outputs[VARYING_SLOT_MAX][4];
   uint8_t attrib_of[VERT_ATTRIB_MAX]; /* by location */
};

static float
attribute(void *data, unsigned slot, unsigned c)
{
   const struct values *v = data;
   return v->attribs[v->attrib_of[slot]][c];
}

static float
uniform(void *data, unsigned word)
{
   const struct values *v = data;
   return word < NUM_UNIFORM_WORDS ? uif(v->uniforms[word]) : 0;
}

static void
output(void *data, unsigned slot, unsigned c, float value)
{
   ((struct values *)data)->outputs[slot][c] = value;
}

/* Which attribute of the chip has which location. */
static void
find_attribs(nir_shader *nir, struct values *v)
{
   nir_foreach_block(block, nir_shader_get_entrypoint(nir)) {
      nir_foreach_instr(instr, block) {
         const nir_intrinsic_instr *intr = instr->type == nir_instr_type_intrinsic ? nir_instr_as_intrinsic(instr) : NULL;
         if (!intr || intr->intrinsic != nir_intrinsic_load_input)
            continue;
         for (unsigned i = 0; i < nir_intrinsic_io_semantics(intr).num_slots; i++)
            v->attrib_of[nir_intrinsic_io_semantics(intr).location + i] = nir_intrinsic_base(intr) + i;
      }
   }
}

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
run_words(struct job *job, const struct tegra20_vs *vs, const struct values *v)
{
   job_clear(job);
   job_poke(job, JOB_VERTICES, v->attribs, sizeof(v->attribs));
   job_frame(job);
   job_write(job, GR3D_VP_ATTRIB_IN_OUT_SELECT, (uint32_t)vs->attribs_read << 16 | vs->exports_written);
   for (unsigned i = 0; i < TEGRA20_MAX_ATTRIBS; i++)
      job_attrib(job, i, JOB_VERTICES + 16 * i, 13 | 4 << 4 | 256 << 8);
   load_constants(job, vs, v->uniforms);
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
compare(const struct tegra20_vs *vs, const struct values *v, const struct gr3d_exports *exports, char *message, size_t size)
{
   u_foreach_bit(e, vs->exports_written) {
      for (unsigned c = 0; c < 4; c++) {
         const float expected = v->outputs[vs->export_slot[e]][c], got = exports->v[e][c];
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
   static struct values v;
   struct job *job = job_create(true);
   char message[sizeof(result->message)];

   memset(result, 0, sizeof(*result));
   nir_index_ssa_defs(nir_shader_get_entrypoint(nir));
   find_attribs(nir, &v);
   for (unsigned run = 0; run < runs; run++) {
      for (unsigned i = 0; i < NUM_UNIFORM_WORDS; i++)
         v.uniforms[i] = fui(random_value(&seed));
      for (unsigned i = 0; i < 64; i++)
         v.attribs[i / 4][i % 4] = random_value(&seed);
      memset(v.outputs, 0, sizeof(v.outputs));
      v.outputs[VARYING_SLOT_POS][3] = 1;

      struct fs_interp_io io = {.data = &v, .input = attribute, .uniform = uniform, .output = output};
      fs_interpret(nir, &io);
      if (io.error)
         continue;
      const struct gr3d_exports *exports = run_words(job, vs, &v);
      const unsigned broken = broken_rule(job);

      result->runs++;
      if (broken) {
         snprintf(message, sizeof(message), "rule %u, %s", broken, sim_diag_name(broken));
         result->error = true;
      }
      if (broken || (!io.out_of_range && !compare(vs, &v, exports, message, sizeof(message)))) {
         if (result->mismatches++ == 0)
            memcpy(result->message, message, sizeof(message));
      }
   }
}
