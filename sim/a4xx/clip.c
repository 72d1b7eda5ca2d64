/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Clipping, in clip coordinates: w above zero, near and far plane where they
 * are enabled, and the sides of the viewport: GRAS_CL_GB_CLIP_ADJ of 0 is no
 * guard band.  Without clipping there is one that keeps positions in the
 * range of the rasteriser.
 */

#include <stdlib.h>

#include "numbers.h"
#include "raster.h"

#define GUARD_PIXELS 16384.0f
#define NUM_PLANES 7
#define LEAST_W 1e-30f
#define BLOCK_VERTICES 64

/* GRAS_CL_CLIP_CNTL */
#define CLIP_DISABLE (1u << 15)
#define CLIP_NO_NEAR (1u << 16)
#define CLIP_NO_FAR (1u << 17)
#define CLIP_HALF_Z (1u << 22)

struct vertex_block {
   struct vertex_block *next;
   unsigned used;
   struct a4xx_vertex vertices[BLOCK_VERTICES];
};

static struct a4xx_vertex *
new_vertex(struct vertex_pool *pool)
{
   struct vertex_block *block = pool->blocks;
   if (!block || block->used == BLOCK_VERTICES) {
      block = calloc(1, sizeof(*block));
      if (!block)
         return NULL;
      block->next = pool->blocks;
      pool->blocks = block;
   }
   return &block->vertices[block->used++];
}

void
clip_free(struct vertex_pool *pool)
{
   while (pool->blocks) {
      struct vertex_block *next = pool->blocks->next;
      free(pool->blocks);
      pool->blocks = next;
   }
}

/* Inside of a plane where the result is not negative. */
static float
distance(const struct a4xx *chip, const struct a4xx_vertex *vertex,
         unsigned plane)
{
   const uint32_t control = a4xx_reg(chip, GRAS_CL_CLIP_CNTL);
   const float *p = vertex->position;
   float offset, scale;
   switch (plane) {
   case 0:
      return p[3] - LEAST_W;
   case 1:
      if (control & (CLIP_DISABLE | CLIP_NO_NEAR))
         return 0;
      return control & CLIP_HALF_Z ? p[2] : p[3] + p[2];
   case 2:
      return control & (CLIP_DISABLE | CLIP_NO_FAR) ? 0 : p[3] - p[2];
   default:
      plane -= 3;
      if (!(control & CLIP_DISABLE))
         return p[3] + (plane & 1 ? -p[plane / 2] : p[plane / 2]);
      offset = sim_float_from_bits(
         a4xx_reg(chip, GRAS_CL_VPORT_XOFFSET_0 + plane / 2 * 2));
      scale = sim_float_from_bits(
         a4xx_reg(chip, GRAS_CL_VPORT_XOFFSET_0 + plane / 2 * 2 + 1));
      scale = p[plane / 2] * scale + offset * p[3];
      return GUARD_PIXELS * p[3] + (plane & 1 ? -scale : scale);
   }
}

/* Where the line from a, inside, to b leaves the plane. */
static const struct a4xx_vertex *
intersect(const struct a4xx *chip, struct vertex_pool *pool,
          const struct a4xx_vertex *a, const struct a4xx_vertex *b, float t)
{
   struct a4xx_vertex *v = new_vertex(pool);
   if (!v)
      return NULL;
   for (unsigned c = 0; c < 4; c++)
      v->position[c] = a->position[c] + t * (b->position[c] - a->position[c]);
   for (unsigned i = 0; i < pool->num_outputs; i++) {
      const float from = sim_float_from_bits(a->outputs[i]);
      const float to = sim_float_from_bits(b->outputs[i]);
      v->outputs[i] = sim_float_bits(from + t * (to - from));
   }
   draw_transform(chip, v);
   return v;
}

static bool
add_corner(struct polygon *polygon, const struct a4xx_vertex *vertex)
{
   if (!vertex || polygon->count >= A4XX_COUNT(polygon->corners))
      return false;
   polygon->corners[polygon->count++] = vertex;
   return true;
}

/* NaN counts as outside. */
static void
clip_plane(const struct a4xx *chip, struct vertex_pool *pool, unsigned plane,
           struct polygon *polygon)
{
   const struct polygon old = *polygon;
   const unsigned sides = old.count == 2 ? 1 : old.count;
   float distances[A4XX_COUNT(old.corners)];
   bool all = true, good = true;
   for (unsigned i = 0; i < old.count; i++) {
      distances[i] = distance(chip, old.corners[i], plane);
      all &= distances[i] >= 0;
   }
   if (all)
      return;
   polygon->count = 0;
   for (unsigned i = 0; i < old.count && good; i++) {
      const unsigned next = (i + 1) % old.count;
      const bool in = distances[i] >= 0, next_in = distances[next] >= 0;
      if (in)
         good = add_corner(polygon, old.corners[i]);
      if (in == next_in || i >= sides)
         continue;
      /* From inside to outside, whichever way the side goes. */
      const unsigned from = in ? i : next, to = in ? next : i;
      good &= add_corner(
         polygon,
         intersect(chip, pool, old.corners[from], old.corners[to],
                   distances[from] / (distances[from] - distances[to])));
   }
   if (!good)
      polygon->count = 0;
}

void
clip_to_volume(const struct a4xx *chip, struct vertex_pool *pool,
               struct polygon *polygon)
{
   for (unsigned plane = 0; plane < NUM_PLANES && polygon->count; plane++)
      clip_plane(chip, pool, plane, polygon);
}
