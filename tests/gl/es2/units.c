/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Many textures in one program: 2D textures, cubes and both, each with a transformation of its own, in the fragment program or
 * by varyings, with any filter and wrap mode.
 */

#include <stdio.h>

#include "families.h"

#define SIZE 64

static struct grid_target target;

static const GLenum min_filters[] = { GL_NEAREST, GL_LINEAR, GL_NEAREST_MIPMAP_NEAREST, GL_LINEAR_MIPMAP_NEAREST,
                                      GL_NEAREST_MIPMAP_LINEAR, GL_LINEAR_MIPMAP_LINEAR };
static const GLenum wraps[] = { GL_CLAMP_TO_EDGE, GL_REPEAT, GL_MIRRORED_REPEAT };

/* A gradient, so that the smaller levels differ little from the larger ones. */
static void
upload(GLenum where, unsigned size, bool mips)
{
   uint8_t base[4], slope[4];
   for (unsigned c = 0; c < 4; c++) {
      base[c] = grid_random_below(120);
      slope[c] = grid_random_below(130);
   }
   for (unsigned level = 0; level == 0 || (mips && size >> level); level++) {
      unsigned s = size >> level;
      uint8_t *data = malloc(s * s * 4);
      for (unsigned i = 0; i < s * s; i++) {
         for (unsigned c = 0; c < 4; c++) {
            float x = (i % s + 0.5f) / s, y = (i / s + 0.5f) / s;
            data[i * 4 + c] = base[c] + slope[c] * (c & 1 ? x : c & 2 ? y : (x + y) / 2);
         }
      }
      glTexImage2D(where, level, GL_RGBA, s, s, 0, GL_RGBA, GL_UNSIGNED_BYTE, data);
      free(data);
   }
}

static GLuint
make_texture(bool cube, bool mips_allowed)
{
   GLenum where = cube ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D;
   unsigned filter = grid_random_below(mips_allowed ? 6 : 2);
   GLenum mag = min_filters[grid_random_below(2)], wrap_s = wraps[grid_random_below(3)], wrap_t = wraps[grid_random_below(3)];
   GLuint texture = grid_texture(where, min_filters[filter], mag, wrap_s, wrap_t);
   unsigned size = 16 << grid_random_below(3);
   for (unsigned face = 0; face < (cube ? 6 : 1); face++)
      upload(cube ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + face : where, size, filter >= 2);
   return texture;
}

/* cubes: bit i says that unit i has a cube. */
static GLuint
make_program(unsigned units, unsigned cubes, bool varyings)
{
   static char vs[6000], fs[6000];
   int v = snprintf(vs, sizeof(vs), "attribute highp vec4 position;\nattribute highp vec2 a0;\nvarying mediump vec2 t;\n");
   int f = snprintf(fs, sizeof(fs), "precision mediump float;\nvarying mediump vec2 t;\n");
   for (unsigned i = 0; i < units; i++) {
      if (varyings) {
         v += snprintf(vs + v, sizeof(vs) - v, "uniform mediump mat3 m%u;\nvarying mediump vec3 t%u;\n", i, i);
         f += snprintf(fs + f, sizeof(fs) - f, "varying mediump vec3 t%u;\n", i);
      } else {
         f += snprintf(fs + f, sizeof(fs) - f, "uniform mediump mat3 m%u;\n", i);
      }
      f += snprintf(fs + f, sizeof(fs) - f, "uniform sampler%s s%u;\n", cubes >> i & 1 ? "Cube" : "2D", i);
   }
   v += snprintf(vs + v, sizeof(vs) - v, "void main()\n{\n   gl_Position = position;\n   t = a0;\n");
   f += snprintf(fs + f, sizeof(fs) - f, "void main()\n{\n   gl_FragColor = vec4(0.0);\n");
   for (unsigned i = 0; i < units; i++) {
      char coordinate[60];
      if (varyings)
         v += snprintf(vs + v, sizeof(vs) - v, "   t%u = m%u * vec3(a0, 1.0);\n", i, i);
      snprintf(coordinate, sizeof(coordinate), varyings ? "t%u" : "(m%u * vec3(t, 1.0))", i);
      f += snprintf(fs + f, sizeof(fs) - f, "   gl_FragColor += texture%s(s%u, %s%s) * %.3f;\n",
                    cubes >> i & 1 ? "Cube" : "2D", i, coordinate, cubes >> i & 1 ? "" : ".xy", 1.0 / units);
   }
   snprintf(vs + v, sizeof(vs) - v, "}\n");
   snprintf(fs + f, sizeof(fs) - f, "}\n");
   return grid_case_program(vs, fs);
}

static void
run_case(unsigned units, unsigned kind, unsigned mode)
{
   unsigned cubes = kind == 0 ? 0 : kind == 1 ? ~0u : grid_random() >> 3;
   GLuint textures[32];
   GLuint program = make_program(units, cubes, mode);
   if (!program)
      return;
   for (unsigned i = 0; i < units; i++) {
      char name[10];
      glActiveTexture(GL_TEXTURE0 + i);
      textures[i] = make_texture(cubes >> i & 1, true);
      snprintf(name, sizeof(name), "s%u", i);
      glUniform1i(glGetUniformLocation(program, name), i);
      float m[9];
      for (unsigned k = 0; k < 9; k++)
         m[k] = grid_random_float(-0.7f, 0.7f) + (k % 4 == 0);
      snprintf(name, sizeof(name), "m%u", i);
      glUniformMatrix3fv(glGetUniformLocation(program, name), 1, GL_FALSE, m);
   }
   glClear(GL_COLOR_BUFFER_BIT);
   grid_quad(-1, -1, 1, 1, 0, -1, -1, 1, 1);
   grid_pixels(0, 0, SIZE, SIZE, (struct grid_tolerance){ 8, SIZE * 4, true });
   glDeleteProgram(program);
   glDeleteTextures(units, textures);
   glActiveTexture(GL_TEXTURE0);
}

static void
run_units(void)
{
   static const char *const kinds[] = { "2d", "cube", "mixed" }, *const modes[] = { "matrices", "varyings" };
   grid_target_create(&target, SIZE, SIZE, false);
   glClearColor(0.3f, 0.2f, 0.1f, 0.5f);
   GLint all, varyings;
   glGetIntegerv(GL_MAX_TEXTURE_IMAGE_UNITS, &all);
   glGetIntegerv(GL_MAX_VARYING_VECTORS, &varyings);
   if (grid_begin("units/at_least_16"))
      grid_check(all >= 16, "GL_MAX_TEXTURE_IMAGE_UNITS %d", all);
   static const unsigned counts[] = { 2, 4, 6, 8, 12, 16 }; /* the same names on the reference, which has more */
   for (unsigned c = 0; c < ARRAY_SIZE(counts); c++) {
      for (unsigned kind = 0; kind < 3; kind++) {
         for (unsigned mode = 0; mode < 2; mode++) {
            if (mode && (int)counts[c] + 1 > varyings)
               continue;
            for (unsigned i = 0; i < 10; i++) {
               if (grid_begin("units/%u_%s_%s_%u", counts[c], kinds[kind], modes[mode], i))
                  run_case(counts[c], kind, mode);
            }
         }
      }
   }
   grid_target_destroy(&target);
}

const struct grid_family family_units = { "units", run_units };
