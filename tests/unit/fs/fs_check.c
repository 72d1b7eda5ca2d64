/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "fs_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fs_interp.h"
#include "fs_run.h"
#include "pipe/p_defines.h"
#include "util/blend.h"

#define MAX_WORDS 4096

struct values {
   uint32_t seed;
   uint32_t uniforms[MAX_WORDS];
   float params[TEGRA20_PARAM_COUNT];
   const struct tegra20_fs_key *key;
};

static uint32_t
hash(uint32_t x)
{
   x ^= x >> 16;
   x *= 0x7feb352d;
   x ^= x >> 15;
   x *= 0x846ca68b;
   return x ^ x >> 16;
}

/* Multiples of 1/64 between lo and hi, which every format holds exactly. */
static float
pick(uint32_t seed, float lo, float hi)
{
   return lo + (hash(seed) % (unsigned)((hi - lo) * 64 + 1)) / 64.0f;
}

static bool
has_border(const struct tegra20_fs_key *key, unsigned unit)
{
   return key->tex[unit].wrap_s == TEGRA20_WRAP_BORDER;
}

static float
input(void *data, unsigned slot, unsigned c)
{
   const struct values *v = data;
   const float margin = has_border(v->key, 0) || has_border(v->key, 1) ? 0.5f : 0;
   return pick(v->seed * 977 + slot * 4 + c, -margin, 1 + margin);
}

/* Smooth, so that small errors of the coordinates do not matter, and different for each unit and component. */
static void
texel(void *data, unsigned unit, float s, float t, float result[4])
{
   result[0] = 0.5f + 0.5f * sinf(s + 0.7f * unit);
   result[1] = 0.5f + 0.5f * cosf(t * 0.9f + unit);
   result[2] = 0.5f + 0.5f * sinf(0.7f * (s + t) - unit);
   result[3] = 0.5f + 0.5f * cosf(0.8f * (s - t));
   for (unsigned c = 0; c < 4; c++)
      result[c] = rintf(result[c] * 256) / 256;
}

/* What a lookup delivers with wrapping, as far as the program has a part in it. */
static void
wrapped_texel(void *data, unsigned unit, float s, float t, float result[4])
{
   const struct values *v = data;

   texel(data, unit, s, t, result);
   for (unsigned c = 0; c < 4 && has_border(v->key, unit); c++) {
      if (s < 0 || s > 1 || t < 0 || t > 1)
         result[c] = v->params[TEGRA20_PARAM_TEX_BORDER + 4 * unit + c];
   }
}

/* A 3D texture as cells of a 2D one (tegra20_compiler.h): repeated in all directions, or clamped to its edge. */
static void
volume_texel(void *data, unsigned unit, const float coord[3], float result[4])
{
   const struct values *v = data;
   const float *cells = &v->params[TEGRA20_PARAM_TEX_CELLS + 4 * unit];
   const struct tegra20_fs_tex_key *key = &v->key->tex[unit];
   float wrapped[3];

   for (unsigned c = 0; c < 3; c++)
      wrapped[c] = key->wrap_r == TEGRA20_WRAP_REPEAT ? coord[c] - floorf(coord[c]) : fminf(fmaxf(coord[c], 0), 1);
   const unsigned slice = (unsigned)fminf(wrapped[2] * cells[0], cells[0] - 1), columns = cells[1];
   texel(data, unit, (wrapped[0] + slice % columns) * cells[2], (wrapped[1] + slice / columns) * cells[3], result);
}

static float
uniform(void *data, unsigned word)
{
   float f;
   const struct values *v = data;
   memcpy(&f, &v->uniforms[word % MAX_WORDS], sizeof(f));
   return f;
}

void
fs_check_default_key(struct tegra20_fs_key *key)
{
   *key = (struct tegra20_fs_key){.nr_cbufs = 1, .clamp_color = true, .num_tex = TEGRA20_MAX_SAMPLERS};
   key->rt[0] = (struct tegra20_fs_rt_key){.bound = true, .has_alpha = true, .colormask = 0xf, .surface = 1};
   for (unsigned i = 0; i < TEGRA20_MAX_SAMPLERS; i++) {
      key->tex[i].target = GLSL_SAMPLER_DIM_2D;
      for (unsigned c = 0; c < 4; c++)
         key->tex[i].swizzle[c] = PIPE_SWIZZLE_X + c;
   }
}

static float
saturate(float x)
{
   return x >= 1 ? 1 : x > 0 ? x : 0;
}

static float
factor_value(unsigned factor, const float *src, const float *dst, const float *constant, unsigned c)
{
   float f = 1;

   switch (util_blendfactor_without_invert(factor)) {
   case PIPE_BLENDFACTOR_SRC_COLOR: f = src[c]; break;
   case PIPE_BLENDFACTOR_SRC_ALPHA: f = src[3]; break;
   case PIPE_BLENDFACTOR_DST_ALPHA: f = dst[3]; break;
   case PIPE_BLENDFACTOR_DST_COLOR: f = dst[c]; break;
   case PIPE_BLENDFACTOR_SRC_ALPHA_SATURATE: f = c == 3 ? 1 : fminf(src[3], 1 - dst[3]); break;
   case PIPE_BLENDFACTOR_CONST_COLOR: f = constant[c]; break;
   case PIPE_BLENDFACTOR_CONST_ALPHA: f = constant[3]; break;
   default: break;
   }
   return util_blendfactor_is_inverted(factor) ? 1 - f : f;
}

static unsigned
byte(float v)
{
   return (unsigned)floorf(saturate(v) * 255 + 0.5f);
}

static float
blended(const struct tegra20_fs_key *key, const float *src, const float *dst, const float *constant, unsigned c)
{
   const struct tegra20_fs_rt_key *rt = &key->rt[0];
   const unsigned func = c == 3 ? rt->alpha_func : rt->rgb_func;
   const float s = src[c] * factor_value(c == 3 ? rt->alpha_src : rt->rgb_src, src, dst, constant, c);
   const float d = dst[c] * factor_value(c == 3 ? rt->alpha_dst : rt->rgb_dst, src, dst, constant, c);

   switch (func) {
   case PIPE_BLEND_ADD: return s + d;
   case PIPE_BLEND_SUBTRACT: return s - d;
   case PIPE_BLEND_REVERSE_SUBTRACT: return d - s;
   case PIPE_BLEND_MIN: return fminf(src[c], dst[c]);
   default: return fmaxf(src[c], dst[c]);
   }
}

static float
logic(unsigned func, float src, float dst)
{
   const unsigned s = byte(src), d = byte(dst);
   unsigned r = 0;

   for (unsigned bit = 0; bit < 8; bit++) {
      /* the operation's number is its truth table: bit 2s + d */
      const unsigned index = (s >> bit & 1) * 2 + (d >> bit & 1);
      r |= (func >> index & 1) << bit;
   }
   return r / 255.0f;
}

static unsigned
memory_position(const struct tegra20_fs_rt_key *rt, unsigned c)
{
   if (rt->order == TEGRA20_RT_R)
      return 3 - c;
   return rt->order == TEGRA20_RT_BGRA && c < 3 ? 2 - c : c;
}

static bool
has_component(const struct tegra20_fs_rt_key *rt, unsigned c)
{
   const unsigned count = rt->order == TEGRA20_RT_R ? 1 : rt->order == TEGRA20_RT_RG ? 2 : rt->has_alpha ? 4 : 3;
   return c < count;
}

/* What the store should write, in memory order. */
static void
expected_color(const struct tegra20_fs_key *key, const float *color, const int *memory_dst, const float *params, float *out)
{
   const struct tegra20_fs_rt_key *rt = &key->rt[0];
   float src[4], dst[4], result[4];

   for (unsigned c = 0; c < 4; c++) {
      src[c] = saturate(color[c]);
      dst[c] = has_component(rt, c) ? memory_dst[memory_position(rt, c)] / 256.0f : c == 3;
   }
   for (unsigned c = 0; c < 4; c++) {
      if (!(rt->colormask & (1 << c)))
         result[c] = dst[c];
      else if (key->logicop_enable)
         result[c] = logic(key->logicop_func, src[c], dst[c]);
      else if (rt->blend_enable)
         result[c] = saturate(blended(key, src, dst, params + TEGRA20_PARAM_BLEND_COLOR, c));
      else
         result[c] = src[c];
      out[memory_position(rt, c)] = result[c];
   }
}

static void
choose_values(struct values *v, unsigned seed)
{
   v->seed = seed;
   for (unsigned i = 0; i < MAX_WORDS; i++) {
      const float f = pick(seed * 7919 + i, 0, 1);
      memcpy(&v->uniforms[i], &f, sizeof(f));
   }
   for (unsigned i = 0; i < TEGRA20_PARAM_COUNT; i++)
      v->params[i] = pick(seed * 31 + i + 5000, 0, 1);
   /* 3D textures have six slices */
   const unsigned columns = v->key->tex[0].one_column ? 1 : 3;
   const float cells[4] = {6, columns, 1.0f / columns, columns / 6.0f};
   memcpy(&v->params[TEGRA20_PARAM_TEX_CELLS], cells, sizeof(cells));
}

static void
compare(const struct fs_run *run, const struct fs_interp_io *io, const float *expected, const struct tegra20_fs_key *key,
        float tolerance, struct fs_check_result *result)
{
   float worst = 0;
   unsigned component = 0;

   if (io->killed || run->killed) {
      if (io->killed == run->killed)
         return;
      if (result->mismatches++ == 0)
         snprintf(result->message, sizeof(result->message), "killed %u, expected %u", run->killed, io->killed);
      return;
   }
   for (unsigned c = 0; c < 4; c++) {
      const unsigned m = memory_position(&key->rt[0], c);
      if (!has_component(&key->rt[0], c))
         continue;
      const float stored = saturate(run->color[m] / 256.0f);
      const float difference = fabsf(stored - expected[m]) * 256;
      if (!(difference <= worst)) {
         worst = difference;
         component = m;
      }
   }
   result->worst = fmaxf(result->worst, worst);
   if (worst <= tolerance)
      return;
   if (result->mismatches++ == 0)
      snprintf(result->message, sizeof(result->message), "component %u is %d/256, expected %.2f/256", component, run->color[component], expected[component] * 256);
}

/* A program as it is drawn: in parts, or parts NULL and one. */
struct program {
   const struct tegra20_parts *parts;
   const struct tegra20_fs *fs[TEGRA20_MAX_PARTS];
};

/* The surfaces of a program in parts, of one pixel; some parts look values up. */
struct part_surfaces {
   const struct tegra20_part *part;
   void *data; /* of the application's textures */
   uint8_t pixels[TEGRA20_MAX_PART_SURFACES][4];
};

static float
surface_input(void *data, unsigned slot, unsigned c)
{
   return input(((struct part_surfaces *)data)->data, slot, c);
}

static void
surface_texel(void *data, unsigned unit, float s, float t, float result[4])
{
   const struct part_surfaces *surfaces = data;

   if (!(surfaces->part->sampled & BITFIELD_BIT(unit))) {
      texel(surfaces->data, unit, s, t, result);
      return;
   }
   const uint8_t *pixel = surfaces->pixels[surfaces->part->texture[unit]];
   for (unsigned c = 0; c < 4; c++)
      result[c] = (pixel[c] + (pixel[c] >> 7)) / 256.0f; /* fragment-pipeline.md 2.3 */
}

static void
run_parts(const struct program *program, struct fs_run *run)
{
   struct part_surfaces surfaces = {.data = run->data};
   unsigned diagnostic = 0;

   memset(surfaces.pixels, 0xa5, sizeof(surfaces.pixels));
   run->data = &surfaces;
   run->input = surface_input;
   run->texel = surface_texel;
   for (unsigned i = 0; i < program->parts->count; i++) {
      surfaces.part = &program->parts->part[i];
      memset(run->pixels, 0, sizeof(run->pixels));
      for (unsigned c = 0; c < TEGRA20_MAX_CBUFS; c++) {
         if (surfaces.part->cbuf[c].use >= TEGRA20_PART_LOAD)
            run->pixels[tegra20_rt_slot(c)] = surfaces.pixels[surfaces.part->cbuf[c].index];
      }
      fs_run(program->fs[i], run);
      diagnostic = diagnostic ? diagnostic : run->diagnostic;
   }
   run->diagnostic = diagnostic;
}

static void
run_program(const struct program *program, struct fs_run *run)
{
   if (program->parts)
      run_parts(program, run);
   else
      fs_run(program->fs[0], run);
}

static void
check_program(const nir_shader *nir, const struct program *program, const struct tegra20_fs_key *key, unsigned runs,
              unsigned seed, float tolerance, struct fs_check_result *result)
{
   struct values *v = calloc(1, sizeof(*v));

   *result = (struct fs_check_result){0};
   v->key = key;
   for (unsigned i = 0; i < runs && !result->error; i++) {
      choose_values(v, seed + i);
      struct fs_interp_io io = {
         .data = v, .input = input, .texel = wrapped_texel, .volume = volume_texel, .uniform = uniform,
         .frag_coord = {0.5f, 0.5f, 0.5f, 1}, .front = true,
         .color = {{0, 0, 0, 1}},
      };
      struct fs_run run = {
         .data = v, .input = input, .texel = texel, .uniforms = v->uniforms, .num_uniforms = MAX_WORDS, .params = v->params,
      };
      /* clip z as a varying, scaled by the viewport; w is 1 */
      io.frag_coord[2] = input(v, VARYING_SLOT_POS, 2) * v->params[TEGRA20_PARAM_VIEWPORT_SCALE + 2] +
                         v->params[TEGRA20_PARAM_VIEWPORT_BIAS + 2];
      float expected[4];
      for (unsigned c = 0; c < 4; c++)
         run.dst[c] = (int)(pick(seed + i * 53 + c, 0, 1) * 256);

      fs_interpret(nir, &io);
      run_program(program, &run);
      if (io.error) {
         result->error = io.error;
         break;
      }
      if (run.diagnostic && !result->diagnostic)
         result->diagnostic = run.diagnostic;
      expected_color(key, io.color[0], run.dst, v->params, expected);
      result->runs++;
      if (program->fs[program->parts ? program->parts->count - 1 : 0]->rts_stored == 0)
         continue;
      compare(&run, &io, expected, key, tolerance, result);
   }
   free(v);
}

void
fs_check(const nir_shader *nir, const struct tegra20_fs *fs, const struct tegra20_fs_key *key, unsigned runs, unsigned seed,
         float tolerance, struct fs_check_result *result)
{
   check_program(nir, &(struct program){.fs = {fs}}, key, runs, seed, tolerance, result);
}

bool
fs_check_parts(const nir_shader *nir, const struct tegra20_parts *parts, const struct tegra20_fs_key *key,
               const struct tegra20_compiler_options *options, unsigned runs, unsigned seed, float tolerance,
               struct fs_check_result *result, char **error)
{
   struct program program = {.parts = parts};

   for (unsigned i = 0; i < parts->count; i++) {
      struct tegra20_fs_key part;
      struct tegra20_fs *fs;
      tegra20_part_key(parts, i, key, &part);
      if (!tegra20_compile_fs((void *)parts, parts->part[i].nir, &part, options, &fs, error))
         return false;
      program.fs[i] = fs;
   }
   check_program(nir, &program, key, runs, seed, tolerance, result);
   return true;
}
