/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The vertex program runs for three corners of the square; varyings are linear between them.  Then the fragment program
 * runs for each quad of pixels, with a bound on the error of each value.
 */

#include "pixels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fs_interp.h"

#define LIMIT 10.0f /* in steps of 1/255: larger bounds are not worth a comparison */
#define MAX_WORDS 1024

struct run {
   struct pixels *pixels;
   const float *uniforms;
   unsigned corner;
   float at[2]; /* of the fragment, 0..1 over the target */
};

void
pixels_start(struct pixels *p, const char *name, const char *given)
{
   memset(p, 0, sizeof(*p));
   p->given = given;
   random_program(name);
   p->state = random_state;
   struct vertex v[6];
   fill_cell(v, -1, -1, 1, 1, false);
   for (unsigned i = 0; i < 3; i++) {
      memcpy(p->corner[i][0], v[i].position, sizeof(v[i].position));
      memcpy(p->corner[i][1], v[i].inputs, sizeof(v[i].inputs));
   }
}

/* --- uniforms --- */

/* Which way up the target is: tegra20-differential draws to a texture. */
#define Y_TRANSFORM "gl_FbWposYTransform"
static const float y_transform[4] = {1, 0, -1, 0};

/* The elements of a basic uniform in vectors of four words, a matrix by columns.  They are as set_any_uniforms() of
 * differential.c has them. */
static void
fill_basic(const struct pixels *p, const char *name, const struct glsl_type *type, float *words, unsigned max)
{
   const struct glsl_type *element = glsl_without_array(type);
   const unsigned rows = glsl_get_vector_elements(element), columns = glsl_get_matrix_columns(element);
   const unsigned vectors = columns * (glsl_type_is_array(type) ? glsl_get_length(type) : 1);
   float floats[1024];
   int ints[64];

   random_uniform(p->state, name);
   if (glsl_type_is_float(element)) {
      random_floats(floats, 1024);
   } else {
      random_ints(ints, 64);
      given_values(p->given, name, ints, 64);
   }
   for (unsigned v = 0; v < vectors && 4 * v + 4 <= max; v++) {
      for (unsigned c = 0; c < rows && v * rows + c < (glsl_type_is_float(element) ? 1024 : 64); c++) {
         const unsigned at = v * rows + c;
         words[4 * v + c] = glsl_type_is_float(element) ? floats[at] : glsl_type_is_boolean(element) ? ints[at] != 0 : ints[at];
      }
   }
}

/* A uniform of any type; the names of its parts are those that OpenGL reports.  Returns the words that it has. */
static unsigned
fill_uniform(const struct pixels *p, const char *name, const struct glsl_type *type, float *words, unsigned max)
{
   const bool is_array = glsl_type_is_array(type), is_deep = glsl_type_is_struct(glsl_without_array(type));
   unsigned used = 0;

   for (unsigned i = 0; is_deep && i < glsl_get_length(type) && used < max; i++) {
      char part[512];
      if (is_array)
         snprintf(part, sizeof(part), "%s[%u]", name, i);
      else
         snprintf(part, sizeof(part), "%s.%s", name, glsl_get_struct_elem_name(type, i));
      used += fill_uniform(p, part, is_array ? glsl_get_array_element(type) : glsl_get_struct_field(type, i), words + used,
                           max - used);
   }
   if (is_deep)
      return used;
   char first[512];
   snprintf(first, sizeof(first), is_array ? "%s[0]" : "%s", name);
   if (!glsl_contains_opaque(type))
      fill_basic(p, first, type, words, max);
   return 4 * glsl_count_attribute_slots(type, false);
}

/* An array of constants that the compiler made a uniform. */
static unsigned
fill_constant(const nir_constant *constant, const struct glsl_type *type, float *words, unsigned max)
{
   unsigned used = 0;

   for (unsigned i = 0; i < constant->num_elements && used < max; i++)
      used += fill_constant(constant->elements[i], glsl_get_array_element(type), words + used, max - used);
   for (unsigned c = 0; !constant->num_elements && c < MIN2(glsl_get_vector_elements(type), max); c++) {
      const nir_const_value v = constant->values[c];
      words[c] = glsl_type_is_float(type) ? v.f32 : glsl_type_is_boolean(type) ? v.b : v.i32;
   }
   return constant->num_elements ? used : 4;
}

static void
fill_uniforms(struct pixels *p, const nir_shader *nir, float *words)
{
   nir_foreach_variable_with_modes(var, nir, nir_var_uniform) {
      const unsigned first = 4 * var->data.driver_location;

      if (first + 4 > MAX_WORDS || glsl_type_is_sampler(glsl_without_array(var->type)))
         continue;
      if (!strcmp(var->name, Y_TRANSFORM))
         memcpy(words + first, y_transform, sizeof(y_transform));
      else if (var->data.how_declared == nir_var_hidden && var->constant_initializer)
         fill_constant(var->constant_initializer, var->type, words + first, MAX_WORDS - first);
      else
         fill_uniform(p, var->name, var->type, words + first, MAX_WORDS - first);
   }
}

static float
uniform(void *data, unsigned word)
{
   const struct run *run = data;
   return word < MAX_WORDS ? run->uniforms[word] : 0;
}

/* --- the vertex stage --- */

static float
attribute(void *data, unsigned slot, unsigned c)
{
   const struct run *run = data;
   return slot - VERT_ATTRIB_GENERIC0 <= NUM_INPUTS ? run->pixels->corner[run->corner][slot - VERT_ATTRIB_GENERIC0][c] : 0;
}

static void
varying(void *data, unsigned slot, unsigned c, float value)
{
   const struct run *run = data;
   if (slot < VARYING_SLOT_MAX)
      run->pixels->varyings[run->corner][slot][c] = value;
}

/* The place of the vertex has all attributes in it (heavy.py). */
static bool
knows_attributes(const struct pixels *p, unsigned corner)
{
   for (unsigned c = 0; c < 4; c++) {
      float place = p->corner[corner][0][c];

      for (unsigned i = 0; i < NUM_INPUTS; i++)
         place += p->corner[corner][i + 1][c] * (1 << i);
      if (fabsf(place - p->varyings[corner][VARYING_SLOT_POS][c]) > 1e-4f)
         return false;
   }
   return true;
}

void
pixels_run_vertices(struct pixels *p, const nir_shader *nir)
{
   float words[MAX_WORDS] = {0};

   fill_uniforms(p, nir, words);
   for (unsigned i = 0; i < 3; i++) {
      struct run run = {.pixels = p, .uniforms = words, .corner = i};
      struct fs_interp_io io = {.data = &run, .input = attribute, .output = varying, .uniform = uniform};

      fs_interpret(nir, &io);
      if (io.error)
         p->error = io.error;
      if (!knows_attributes(p, i))
         p->error = "attributes that are not position, a0, a1, a2";
   }
}

/* --- the fragment stage --- */

static float
input(void *data, unsigned slot, unsigned c)
{
   const struct run *run = data;
   const float a = run->pixels->varyings[0][slot][c], b = run->pixels->varyings[1][slot][c],
               d = run->pixels->varyings[2][slot][c];
   return a + (b - a) * run->at[0] + (d - a) * run->at[1];
}

static void
texel(void *data, unsigned unit, float s, float t, float result[4])
{
   const float x = s * TEXTURE_SIZE - 0.5f, y = t * TEXTURE_SIZE - 0.5f;
   const float u = x - floorf(x), v = y - floorf(y);

   for (unsigned c = 0; c < 4; c++)
      result[c] = 0;
   for (unsigned i = 0; i < 4 && fabsf(x) < 1e6f && fabsf(y) < 1e6f; i++) {
      unsigned char bytes[4];
      const int column = (int)floorf(x) + (i & 1), row = (int)floorf(y) + (i >> 1);

      texture_texel(column & (TEXTURE_SIZE - 1), row & (TEXTURE_SIZE - 1), bytes);
      for (unsigned c = 0; c < 4; c++)
         result[c] += bytes[c] / 255.0f * (i & 1 ? u : 1 - u) * (i >> 1 ? v : 1 - v);
   }
}

static void
cube(void *data, unsigned unit, unsigned face, float result[4])
{
   unsigned char bytes[4];

   cube_texel(face, bytes);
   for (unsigned c = 0; c < 4; c++)
      result[c] = bytes[c] / 255.0f;
}

static uint8_t
pixel_bound(const struct fs_interp_io *io, unsigned c)
{
   if (io->kill_error > 0.5f)
      return UNDECIDED;
   if (io->killed)
      return 0;
   if (!(io->written_mask & 1 << c))
      return UNDECIDED;
   const float value = io->color[0][c], error = io->color_error[0][c];
   const float at = fminf(fmaxf(value, 0), 1), lo = fminf(fmaxf(value - error, 0), 1), hi = fminf(fmaxf(value + error, 0), 1);
   const float bound = 255 * fmaxf(hi - at, at - lo);

   return isnan(value) || isnan(error) || bound > LIMIT ? UNDECIDED : (uint8_t)ceilf(bound);
}

static uint8_t
pixel_color(const struct fs_interp_io *io, unsigned c)
{
   const float value = io->killed ? 0 : io->color[0][c];

   return value > 0 ? (uint8_t)(fminf(value, 1) * 255 + 0.5f) : 0;
}

void
pixels_run_fragments(struct pixels *p, const nir_shader *nir)
{
   float words[MAX_WORDS] = {0};

   fill_uniforms(p, nir, words);
   for (unsigned quad = 0; quad < SIZE * SIZE / 4 && !p->error; quad++) {
      const unsigned x = 2 * quad % SIZE, y = 2 * quad / SIZE * 2;
      struct run run[4];
      struct fs_interp_io io[4];

      for (unsigned i = 0; i < 4; i++) {
         const float at[2] = {x + (i & 1) + 0.5f, y + (i >> 1) + 0.5f};
         run[i] = (struct run){.pixels = p, .uniforms = words, .at = {at[0] / SIZE, at[1] / SIZE}};
         io[i] = (struct fs_interp_io){
            .data = &run[i], .input = input, .uniform = uniform, .texel = texel, .cube = cube, .errors = true, .together = true,
            .texel_slope = 2, .frag_coord = {at[0], at[1], 0.5f, 1}, .front = true, .color = {{0, 0, 0, 1}},
         };
      }
      fs_interpret_quad(nir, io);
      for (unsigned i = 0; i < 4; i++) {
         if (io[i].error)
            p->error = io[i].error;
         for (unsigned c = 0; c < 4; c++) {
            p->bound[y + (i >> 1)][x + (i & 1)][c] = pixel_bound(&io[i], c);
            p->color[y + (i >> 1)][x + (i & 1)][c] = pixel_color(&io[i], c);
         }
      }
   }
}
