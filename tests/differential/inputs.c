/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "inputs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t random_state;

float
random_value(void)
{
   random_state = random_state * 1664525u + 1013904223u;
   return ((int)(random_state >> 16) % 33 - 16) / 16.0f;
}

uint32_t
hash_name(const char *name)
{
   uint32_t hash = 2166136261u;
   for (; *name; name++)
      hash = (hash ^ (uint8_t)*name) * 16777619u;
   return hash;
}

void
random_program(const char *name)
{
   random_state = 12345u + hash_name(name);
}

void
random_uniform(uint32_t before, const char *name)
{
   random_state = before + hash_name(name);
}

void
random_floats(float *values, unsigned count)
{
   for (unsigned i = 0; i < count; i++)
      values[i] = random_value();
}

void
random_ints(int *values, unsigned count)
{
   for (unsigned i = 0; i < count; i++)
      values[i] = (int)(random_value() * 2 + 2) / 2;
}

unsigned
fill_cell(struct vertex *v, float x0, float y0, float x1, float y1, bool one_colour)
{
   static const unsigned order[6] = { 0, 1, 2, 2, 1, 3 };
   struct vertex corners[4];
   for (unsigned i = 0; i < 4; i++) {
      const float p[4] = { i & 1 ? x1 : x0, i & 2 ? y1 : y0, 0, 1 };
      if (i == 0 || !one_colour) {
         for (unsigned k = 0; k < NUM_INPUTS * 4; k++)
            corners[i].inputs[k / 4][k % 4] = random_value();
         corners[i].index = (float)(random_state >> 29);
      } else {
         corners[i] = corners[0];
      }
      memcpy(corners[i].position, p, sizeof(p));
   }
   /* Interpolation over two triangles is linear over the square only when the corners lie in a plane. */
   for (unsigned k = 0; k < NUM_INPUTS * 4 && !one_colour; k++) {
      float *c[4];
      for (unsigned i = 0; i < 4; i++)
         c[i] = &corners[i].inputs[k / 4][k % 4];
      *c[3] = *c[1] + *c[2] - *c[0];
      if (*c[3] > 1 || *c[3] < -1) {
         *c[3] = *c[0];
         *c[2] = *c[0] * 2 - *c[1];
         if (*c[2] > 1 || *c[2] < -1)
            *c[2] = *c[1] = *c[0];
      }
   }
   for (unsigned i = 0; i < 6; i++)
      v[i] = corners[order[i]];
   return 6;
}

/* Continuous also where it repeats: |2s - 1|, |2t - 1|, their mean, and alpha. */
void
texture_texel(unsigned x, unsigned y, unsigned char texel[4])
{
   const float s = fabsf(2 * (x + 0.5f) / TEXTURE_SIZE - 1), t = fabsf(2 * (y + 0.5f) / TEXTURE_SIZE - 1);
   const float color[4] = { s, t, (s + t) / 2, 1 - s / 2 };

   for (unsigned c = 0; c < 4; c++)
      texel[c] = (unsigned char)(color[c] * 255 + 0.5f);
}

void
cube_texel(unsigned face, unsigned char texel[4])
{
   const unsigned char color[4] = { 40 * face, 255 - 40 * face, 20 * face, 255 };

   memcpy(texel, color, 4);
}

char *
read_source(const char *dir, const char *name, const char *suffix)
{
   char path[4096];
   snprintf(path, sizeof(path), "%s/%s.%s", dir, name, suffix);
   FILE *f = fopen(path, "rb");
   if (!f)
      return NULL;
   char *text = calloc(1, 65536);
   size_t got = fread(text, 1, 65535, f);
   text[got] = 0;
   fclose(f);
   return text;
}

unsigned
given_values(const char *lines, const char *name, int *values, unsigned max)
{
   char wanted[260];
   unsigned count = 0;

   const int length = snprintf(wanted, sizeof(wanted), "%.*s ", (int)strcspn(name, "["), name);
   for (const char *line = lines; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
      if (strncmp(line, wanted, length))
         continue;
      char *at = (char *)line + length, *end;
      while (count < max && *at != '\n') {
         const double value = strtod(at, &end);
         if (end == at)
            break;
         values[count++] = (int)value;
         at = end + strspn(end, " \t\r");
      }
      break;
   }
   return count;
}
