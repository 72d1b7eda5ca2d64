/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The tessellator: Microsoft's reference of Direct3D 11, which A4xx is a part
 * for, as Mesa has it (Mesa compiles it only where it has LLVM).
 */

#include "tessellator/p_tessellator.cpp"
#include "tessellator/tessellator.cpp"

extern "C" {
#include "a4xx_tess.h"
}

struct tessellator *
tess_create(unsigned mode, unsigned spacing, bool clockwise, bool points)
{
   /* As PC_HS_PARAM has them; 1 is nothing. */
   static const enum pipe_tess_spacing spacings[4] = {
      PIPE_TESS_SPACING_EQUAL,
      PIPE_TESS_SPACING_EQUAL,
      PIPE_TESS_SPACING_FRACTIONAL_ODD,
      PIPE_TESS_SPACING_FRACTIONAL_EVEN,
   };
   static const enum mesa_prim domains[3] = {
      MESA_PRIM_QUADS,
      MESA_PRIM_TRIANGLES,
      MESA_PRIM_LINES,
   };
   /* Direct3D's v goes the other way than OpenGL's. */
   return (struct tessellator *)p_tess_init(domains[mode - TESS_MODE_QUADS],
                                            spacings[spacing & 3], !clockwise,
                                            points);
}

void
tess_destroy(struct tessellator *tess)
{
   p_tess_destroy((struct pipe_tessellator *)tess);
}

void
tess_run(struct tessellator *tess, unsigned mode, const float *levels,
         struct tess_domain *domain)
{
   /* Outer and inner levels of a group, by mode. */
   static const unsigned char outer[3] = { 4, 3, 2 }, inner[3] = { 2, 1, 0 };
   struct pipe_tessellation_factors factors = {};
   struct pipe_tessellator_data data = {};
   const unsigned kind = mode - TESS_MODE_QUADS;
   for (unsigned i = 0; i < outer[kind]; i++)
      factors.outer_tf[i] = levels[i];
   for (unsigned i = 0; i < inner[kind]; i++)
      factors.inner_tf[i] = levels[outer[kind] + i];
   p_tessellate((struct pipe_tessellator *)tess, &factors, &data);
   domain->num_points = data.num_domain_points;
   domain->u = data.domain_points_u;
   domain->v = data.domain_points_v;
   domain->num_indices = data.num_indices;
   domain->indices = data.indices;
}
