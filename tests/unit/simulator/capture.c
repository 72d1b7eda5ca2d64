/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "capture.h"

struct capture_primitive capture[CAPTURE_MAX];
unsigned capture_count;

void
capture_clear(void)
{
   capture_count = 0;
}

static void
add(unsigned n, const struct gr3d_vertex *const *v, unsigned provoking, bool front)
{
   if (capture_count == CAPTURE_MAX)
      return;
   struct capture_primitive *primitive = &capture[capture_count++];
   primitive->num_vertices = n;
   for (unsigned i = 0; i < n; i++)
      primitive->v[i] = *v[i];
   primitive->provoking = provoking;
   primitive->front = front;
}

void
gr3d_raster_triangle(struct gr3d *gr3d, const struct gr3d_vertex *const v[3], unsigned provoking, bool front)
{
   add(3, v, provoking, front);
}

void
gr3d_raster_line(struct gr3d *gr3d, const struct gr3d_vertex *const v[2], unsigned provoking)
{
   add(2, v, provoking, true);
}

void
gr3d_raster_point(struct gr3d *gr3d, const struct gr3d_vertex *v)
{
   add(1, &v, 0, true);
}

bool
gr3d_fragment_begin(struct gr3d *gr3d)
{
   return true;
}

void
gr3d_fragment_end(struct gr3d *gr3d)
{
}

void
gr3d_fragment_fini(struct gr3d *gr3d)
{
}
