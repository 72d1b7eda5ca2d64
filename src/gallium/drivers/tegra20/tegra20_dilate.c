/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The polygon is a rectangle around the primitive, cut by lines parallel to
 * the edges of a triangle.  A pixel of the primitive and another one of the
 * same quad are up to the root of two apart; MARGIN has that, and what
 * rounding of positions to sixteenths takes.
 *
 * Whatever a vertex has is a sum of what the vertices of the primitive have,
 * weighted with functions that are linear in the window: barycentric
 * coordinates of a triangle, the way along a line, 1 for a point.  That is
 * exact for z and 1/w, and for varyings times 1/w.
 *
 * Beyond its edges a primitive may reach the horizon, where 1/w is zero: the
 * polygon ends where 1/w is HORIZON of the least of the primitive.
 */

#include "tegra20_dilate.h"

#include <math.h>
#include <string.h>

#include "util/macros.h"
#include "util/u_math.h"

#define MARGIN 2.0f
#define HORIZON (1.0f / 16)
#define MAX_CORNERS 8 /* of a rectangle, cut four times */

/* a x + b y + c */
struct linear {
   float a, b, c;
};

struct corners {
   float at[MAX_CORNERS][2];
   unsigned count;
};

static float
value_at(const struct linear *f, const float *at)
{
   return f->a * at[0] + f->b * at[1] + f->c;
}

/* Keeps what of a convex polygon lies where f is not negative. */
static void
cut_polygon(struct corners *polygon, const struct linear *f)
{
   const struct corners in = *polygon;

   polygon->count = 0;
   for (unsigned i = 0; i < in.count; i++) {
      const float *from = in.at[i], *to = in.at[(i + 1) % in.count];
      const float v = value_at(f, from), w = value_at(f, to);

      if (v >= 0 && polygon->count < MAX_CORNERS)
         memcpy(polygon->at[polygon->count++], from, sizeof(in.at[0]));
      if ((v >= 0) != (w >= 0) && polygon->count < MAX_CORNERS) {
         float *corner = polygon->at[polygon->count++];

         for (unsigned c = 0; c < 2; c++)
            corner[c] = from[c] + (to[c] - from[c]) * (v / (v - w));
      }
   }
}

/* Weights of the vertices; false when the primitive covers nothing. */
static bool
find_weights(const float *const *v, unsigned num, struct linear *weight)
{
   const struct linear one = { 0, 0, 1 };

   if (num == 1) {
      weight[0] = one;
   } else if (num == 2) {
      const float dx = v[1][0] - v[0][0], dy = v[1][1] - v[0][1];
      const float length = dx * dx + dy * dy;

      if (length == 0)
         return false;
      weight[1] = (struct linear){ dx / length, dy / length,
                                   -(v[0][0] * dx + v[0][1] * dy) / length };
      weight[0] =
         (struct linear){ -weight[1].a, -weight[1].b, 1 - weight[1].c };
   } else {
      const float area = (v[1][0] - v[0][0]) * (v[2][1] - v[0][1]) -
                         (v[2][0] - v[0][0]) * (v[1][1] - v[0][1]);

      if (area == 0)
         return false;
      for (unsigned i = 0; i < 3; i++) {
         const float *p = v[(i + 1) % 3], *q = v[(i + 2) % 3];

         weight[i].a = (p[1] - q[1]) / area;
         weight[i].b = (q[0] - p[0]) / area;
         weight[i].c = -(weight[i].a * p[0] + weight[i].b * p[1]);
      }
   }
   return true;
}

/* A rectangle that winds as the triangle does. */
static void
start_polygon(const struct tegra20_dilation *d, const float *const *v,
              unsigned num, bool turned, struct corners *polygon)
{
   const float margin = MARGIN + (num < 3 ? d->radius : 0);
   float low[2] = { v[0][0], v[0][1] }, high[2] = { v[0][0], v[0][1] };
   const float area[2][2] = { { d->area.minx, d->area.miny },
                              { d->area.maxx, d->area.maxy } };

   for (unsigned i = 0; i < num; i++) {
      for (unsigned c = 0; c < 2; c++) {
         low[c] = MIN2(low[c], v[i][c]);
         high[c] = MAX2(high[c], v[i][c]);
      }
   }
   for (unsigned c = 0; c < 2; c++) {
      low[c] = MAX2(low[c], area[0][c]) - margin;
      high[c] = MIN2(high[c], area[1][c]) + margin;
   }
   polygon->count = low[0] < high[0] && low[1] < high[1] ? 4 : 0;
   for (unsigned i = 0; i < polygon->count; i++) {
      const unsigned corner = turned ? 3 - i : i;

      polygon->at[i][0] = corner == 1 || corner == 2 ? high[0] : low[0];
      polygon->at[i][1] = corner >= 2 ? high[1] : low[1];
   }
}

static void
make_vertex(const struct tegra20_dilation *d, const float *const *v,
            unsigned num, const struct linear *weight, const float *at,
            float *out)
{
   float z = 0, rcp_w = 0;

   memset(out, 0, d->num_vec4 * 4 * sizeof(float));
   for (unsigned i = 0; i < num; i++) {
      const float part = value_at(&weight[i], at);

      z += part * v[i][2];
      rcp_w += part * v[i][3];
      for (unsigned c = 4; c < d->num_vec4 * 4; c++)
         out[c] += part * v[i][3] * v[i][c];
   }
   for (unsigned c = 4; c < d->num_vec4 * 4; c++)
      out[c] /= rcp_w;
   out[0] = at[0];
   out[1] = at[1];
   out[2] = CLAMP(z, 0, 1); /* the engine clips what lies outside */
   out[3] = rcp_w;
}

unsigned
tegra20_dilate(const struct tegra20_dilation *d, const float *const *vertices,
               unsigned num, float *out)
{
   struct linear weight[3], horizon = { 0, 0, 0 };
   struct corners polygon;
   float least = INFINITY;
   unsigned count = 0;

   if (!find_weights(vertices, num, weight))
      return 0;
   /* the weights of a triangle have the sign of its area in them */
   const bool turned =
      num == 3 && weight[1].a * weight[2].b - weight[2].a * weight[1].b < 0;
   start_polygon(d, vertices, num, turned, &polygon);
   for (unsigned i = 0; i < num; i++) {
      const float rcp_w = vertices[i][3];
      struct linear edge = weight[i];

      edge.c += MARGIN * hypotf(edge.a, edge.b);
      if (num == 3)
         cut_polygon(&polygon, &edge);
      horizon.a += weight[i].a * rcp_w;
      horizon.b += weight[i].b * rcp_w;
      horizon.c += weight[i].c * rcp_w;
      least = MIN2(least, rcp_w);
   }
   horizon.c -= least * HORIZON;
   cut_polygon(&polygon, &horizon);
   for (unsigned i = 2; i < polygon.count; i++) {
      const unsigned corner[3] = { 0, i - 1, i };

      for (unsigned c = 0; c < 3; c++, count++)
         make_vertex(d, vertices, num, weight, polygon.at[corner[c]],
                     out + count * d->num_vec4 * 4);
   }
   return count;
}
