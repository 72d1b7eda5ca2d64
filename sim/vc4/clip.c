/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Sutherland and Hodgman: one plane after the other, edges that cross it get
 * a vertex there.  Weights say how much a vertex has of each of the original
 * ones; everything linear follows from them.
 */

#include <string.h>

#include "v3d_internal.h"

/* Just in front of the eye, where 1 / w can still be formed. */
#define MIN_W 1e-6f

static float
distance(const struct clip_vertex *v, unsigned plane, float gx, float gy)
{
   switch (plane) {
   case 0:
      return v->w - MIN_W;
   case 1:
      return v->w + v->z;
   case 2:
      return v->w - v->z;
   case 3:
      return v->w * gx + v->x;
   case 4:
      return v->w * gx - v->x;
   case 5:
      return v->w * gy + v->y;
   default:
      return v->w * gy - v->y;
   }
}

static void
between(const struct clip_vertex *a, const struct clip_vertex *b, float t,
        struct clip_vertex *out)
{
   out->x = a->x + (b->x - a->x) * t;
   out->y = a->y + (b->y - a->y) * t;
   out->z = a->z + (b->z - a->z) * t;
   out->w = a->w + (b->w - a->w) * t;
   for (unsigned i = 0; i < 3; i++)
      out->weight[i] = a->weight[i] + (b->weight[i] - a->weight[i]) * t;
}

unsigned
clip_polygon(const struct coord_vertex *v[3], unsigned count, float guard_x,
             float guard_y, struct clip_vertex out[CLIP_MAX_VERTICES])
{
   struct clip_vertex in[CLIP_MAX_VERTICES];
   for (unsigned i = 0; i < count; i++) {
      out[i] = (struct clip_vertex){
         .x = v[i]->x, .y = v[i]->y, .z = v[i]->z, .w = v[i]->w
      };
      out[i].weight[i] = 1;
   }
   for (unsigned plane = 0; plane < 7; plane++) {
      unsigned num = 0;
      bool open = count == 2; /* a line has one edge */
      memcpy(in, out, count * sizeof(*in));
      for (unsigned i = 0; i < count; i++) {
         const struct clip_vertex *a = &in[i], *b = &in[(i + 1) % count];
         float da = distance(a, plane, guard_x, guard_y);
         float db = distance(b, plane, guard_x, guard_y);
         if (da >= 0 && num < CLIP_MAX_VERTICES)
            out[num++] = *a;
         if ((da >= 0) != (db >= 0) && num < CLIP_MAX_VERTICES &&
             !(open && i == 1))
            /* from the inside, as the neighbour does it */
            da >= 0 ? between(a, b, da / (da - db), &out[num++])
                    : between(b, a, db / (db - da), &out[num++]);
      }
      count = num;
      if (count < 2 || (!open && count < 3))
         return 0;
   }
   return count;
}
