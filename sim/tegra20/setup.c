/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Set-up: linker, viewport, primitive assembly, clipping, culling
 * (vertex-pipeline.md 12 and 14, gr3d-registers.md 3.3 to 3.9).
 *
 * Clipping is done on exports, before the linker converts them, against |x|
 * <= GX w, |y| <= GY w, |z| <= GZ w and w > 0 (assumptions A20, A21), one
 * half-space after the other.  A new vertex is always computed from the end
 * point inside towards the one outside, so two triangles that share an edge
 * get the same vertex from it, bit for bit, and stay watertight.  Every
 * vertex of a clipped triangle carries the provoking vertex' value in
 * components that are not interpolated, since the provoking vertex itself may
 * be gone.
 *
 * Window coordinates are rounded to 1/16 pixel (assumption A22); winding is
 * measured after that.
 */

#include <math.h>
#include <string.h>

#include "numbers.h"
#include "tegra20/gr3d_regs.h"
#include "vertex.h"

/* w of a vertex after clipping is at least this: its reciprocal is finite. */
#define MIN_W 0x1p-64
#define MAX_POLYGON (3 + GR3D_NUM_CLIP_PLANES)

static uint32_t
reg(const struct gr3d *gr3d, uint32_t offset)
{
   return gr3d->regs.value[offset];
}

static double
float_reg(const struct gr3d *gr3d, uint32_t offset)
{
   return sim_float_from_bits(reg(gr3d, offset));
}

/* --- linker --- */

/* Export number of the rank-th set bit of the OUT mask, or 16. */
static unsigned
export_of_rank(uint32_t out_mask, unsigned rank)
{
   for (unsigned e = 0; e < GR3D_NUM_EXPORTS; e++)
      if (out_mask >> e & 1 && rank-- == 0)
         return e;
   return GR3D_NUM_EXPORTS;
}

/* Bits of tram_written and flat_mask that a component takes. */
static uint32_t
place_bits(unsigned type, unsigned column)
{
   switch (type) {
   case GR3D_TRAM_DST_TYPE_FX10_LOW:
      return 1u << column;
   case GR3D_TRAM_DST_TYPE_FX10_HIGH:
      return 0x10u << column;
   case GR3D_TRAM_DST_TYPE_FP20:
      return 0x11u << column;
   default:
      return 0;
   }
}

static void
add_link(struct gr3d *gr3d, unsigned number)
{
   struct gr3d_setup *setup = &gr3d->vertex->setup;
   struct sim *sim = gr3d->sim;
   uint32_t low_reg = GR3D_LINKER_INSTRUCTION(number);
   uint32_t low = reg(gr3d, low_reg), high = reg(gr3d, low_reg + 1);
   if (!(high & 0xffff))
      return; /* stores nothing */
   unsigned rank = low >> 3 & 15, row = low >> 9 & 63;
   unsigned export =
      export_of_rank(reg(gr3d, GR3D_VP_ATTRIB_IN_OUT_SELECT) & 0xffff, rank);
   if (export == GR3D_NUM_EXPORTS) {
      sim_report(sim, SIM_DIAG_LINKER_SOURCE, low_reg, number,
                 "linker instruction %u takes source %u, but 0x120 passes "
                 "fewer exports on",
                 number, rank);
      return;
   }
   if (row >= GR3D_TRAM_ROWS) {
      sim_report(sim, SIM_DIAG_LINKER_ROW, low_reg, number,
                 "linker instruction %u writes TRAM row %u; there are %u",
                 number, row, GR3D_TRAM_ROWS);
      return;
   }
   struct gr3d_link *link = &setup->link[setup->num_links++];
   link->export = export;
   link->row = row;
   setup->rows_written |= 1u << row;
   for (unsigned c = 0; c < 4; c++) {
      unsigned column = high >> 4 * c & 3, type = high >> (4 * c + 2) & 3;
      uint32_t place = place_bits(type, column);
      if (gr3d->tram_written[row] & place)
         sim_report(sim, SIM_DIAG_LINKER_OVERLAP, low_reg + 1, number,
                    "linker instruction %u stores component %c where another "
                    "one is stored already (row %u, column %c)",
                    number, "xyzw"[c], row, "xyzw"[column]);
      gr3d->tram_written[row] |= place;
      gr3d->flat_mask[row] &= ~place;
      if (high >> (16 + c) & 1) {
         gr3d->flat_mask[row] |= place;
         setup->any_flat = true;
      }
      link->component[c].type = type;
      link->component[c].column = column;
      link->component[c].source =
         c == 0 && low & 1 ? 2 : c; /* z mode: x is replaced by z */
   }
}

static uint32_t
stored(uint32_t old, unsigned type, float value)
{
   switch (type) {
   case GR3D_TRAM_DST_TYPE_FX10_LOW:
      return sim_fx10_insert(old, 0, sim_fx10_from_float(value));
   case GR3D_TRAM_DST_TYPE_FX10_HIGH:
      return sim_fx10_insert(old, 1, sim_fx10_from_float(value));
   case GR3D_TRAM_DST_TYPE_FP20:
      return sim_fp20_from_float(value);
   default:
      return old;
   }
}

static void
link_vertex(const struct gr3d_setup *setup,
            const struct gr3d_exports *exports, struct gr3d_vertex *vertex)
{
   for (unsigned row = 0; row < GR3D_TRAM_ROWS; row++)
      for (unsigned c = 0; c < 4; c++)
         vertex->tram[row][c] = SIM_POISON_TRAM;
   for (unsigned i = 0; i < setup->num_links; i++) {
      const struct gr3d_link *link = &setup->link[i];
      const float *source = exports->v[link->export];
      for (unsigned c = 0; c < 4 && setup->whole_rows; c++)
         vertex->tram[link->row][c] = SIM_POISON_TRAM;
      for (unsigned c = 0; c < 4; c++) {
         uint32_t *column =
            &vertex->tram[link->row][link->component[c].column];
         *column = stored(*column, link->component[c].type,
                          source[link->component[c].source]);
      }
   }
}

/* --- viewport --- */

static int32_t
snapped(const struct sim *sim, double v)
{
   double rounded = floor(sim_switch(sim, 22) == 0 ? v + 0.5 : v);
   if (!(rounded > -GR3D_MAX_COORD))
      return -GR3D_MAX_COORD;
   return rounded < GR3D_MAX_COORD ? (int32_t)rounded : GR3D_MAX_COORD;
}

static float
finite_float(double v)
{
   if (isnan(v))
      return 0.0f;
   return v > 0x1p127 ? 0x1p127f : v < -0x1p127 ? -0x1p127f : (float)v;
}

/* Position must be finite with w >= MIN_W. */
static void
place_vertex(struct gr3d *gr3d, const struct gr3d_exports *exports,
             struct gr3d_vertex *vertex)
{
   const struct gr3d_setup *setup = &gr3d->vertex->setup;
   const float *p = exports->v[0];
   double window[3];
   for (unsigned i = 0; i < 3; i++)
      window[i] = (double)p[i] / p[3] * setup->scale[i] + setup->bias[i];
   if (!(fabs(window[0]) < GR3D_MAX_COORD) ||
       !(fabs(window[1]) < GR3D_MAX_COORD))
      sim_report(gr3d->sim, SIM_DIAG_VIEWPORT_RANGE, GR3D_VIEWPORT_X_BIAS, -1,
                 "window coordinates (%g, %g) in 1/16 pixel are beyond the "
                 "rasteriser's range",
                 window[0], window[1]);
   vertex->x = snapped(gr3d->sim, window[0]);
   vertex->y = snapped(gr3d->sim, window[1]);
   vertex->z = finite_float(window[2]);
   vertex->rw = finite_float(1.0 / p[3]);
   link_vertex(setup, exports, vertex);
}

/* --- clipping --- */

/* Signed distance from a half-space's border, >= 0 inside. */
static double
plane_distance(const struct gr3d_setup *setup, unsigned plane,
               const float position[4])
{
   if (plane == 6)
      return (double)position[3] - MIN_W;
   double limit = setup->guard[plane / 2] * position[3];
   return plane & 1 ? limit + position[plane / 2]
                    : limit - position[plane / 2];
}

static unsigned
clip_code(const struct gr3d_setup *setup, const float position[4])
{
   for (unsigned c = 0; c < 4; c++)
      if (!isfinite(position[c]))
         return GR3D_CLIP_NOT_FINITE;
   unsigned code = 0;
   for (unsigned plane = 0; plane < GR3D_NUM_CLIP_PLANES; plane++)
      if (!(plane_distance(setup, plane, position) >= 0.0))
         code |= 1u << plane;
   return code;
}

static void
interpolate(const struct gr3d_setup *setup, struct gr3d_exports *out,
            const struct gr3d_exports *inside,
            const struct gr3d_exports *outside, double t)
{
   for (unsigned e = 0; e < GR3D_NUM_EXPORTS; e++)
      for (unsigned c = 0; c < 4 && setup->exports >> e & 1; c++)
         out->v[e][c] =
            finite_float(inside->v[e][c] +
                         t * ((double)outside->v[e][c] - inside->v[e][c]));
}

/* The vertex where the edge crosses the plane; it may be a rounding error
 * outside, which later stages do not mind. */
static void
cross_plane(const struct gr3d_setup *setup, unsigned plane,
            struct gr3d_exports *out, const struct gr3d_exports *inside,
            const struct gr3d_exports *outside)
{
   double d_in = plane_distance(setup, plane, inside->v[0]),
          d_out = plane_distance(setup, plane, outside->v[0]);
   double t = d_in / (d_in - d_out);
   interpolate(setup, out, inside, outside, t >= 0.0 && t <= 1.0 ? t : 0.0);
   if (plane == 6 && out->v[0][3] < (float)MIN_W)
      out->v[0][3] = (float)MIN_W;
}

/* Cuts a convex polygon; returns the number of vertices left in out. */
static unsigned
clip_polygon(const struct gr3d_setup *setup, unsigned plane,
             const struct gr3d_exports *in, unsigned count,
             struct gr3d_exports *out)
{
   unsigned kept = 0;
   for (unsigned i = 0; i < count; i++) {
      const struct gr3d_exports *a = &in[i], *b = &in[(i + 1) % count];
      bool a_inside = plane_distance(setup, plane, a->v[0]) >= 0.0;
      bool b_inside = plane_distance(setup, plane, b->v[0]) >= 0.0;
      if (a_inside)
         out[kept++] = *a;
      if (a_inside != b_inside && kept < MAX_POLYGON)
         cross_plane(setup, plane, &out[kept++], a_inside ? a : b,
                     a_inside ? b : a);
      if (kept == MAX_POLYGON)
         break;
   }
   return kept;
}

/* Components without interpolation come from the provoking vertex, whatever
 * became of it. */
static void
copy_flat(const struct gr3d *gr3d, struct gr3d_vertex *vertex,
          const struct gr3d_vertex *provoking)
{
   for (unsigned row = 0; row < GR3D_TRAM_ROWS; row++) {
      uint32_t flat = gr3d->flat_mask[row];
      if (!flat)
         continue;
      for (unsigned c = 0; c < 4; c++) {
         uint32_t mask =
            (flat >> c & 1 ? 0x3ffu : 0) | (flat >> c & 0x10 ? 0xffc00u : 0);
         vertex->tram[row][c] =
            (vertex->tram[row][c] & ~mask) | (provoking->tram[row][c] & mask);
      }
   }
}

/* --- primitives --- */

struct assembler {
   struct gr3d *gr3d;
   struct gr3d_vertex_state *vs;
   struct gr3d_setup *setup;
   struct gr3d_exports polygon[2][MAX_POLYGON + 1];
   struct gr3d_vertex clipped[MAX_POLYGON];
};

/*
 * Twice the area in 1/256 pixel; positive is counter-clockwise with rows
 * counted upwards, in the window's memory (gr3d-registers.md 3.5, assumption
 * A29).
 */
static int64_t
winding(const struct gr3d_setup *setup, const struct gr3d_vertex *const v[3])
{
   int64_t area = (int64_t)(v[1]->x - v[0]->x) * (v[2]->y - v[0]->y) -
                  (int64_t)(v[2]->x - v[0]->x) * (v[1]->y - v[0]->y);
   return area * setup->winding_sign;
}

/* A130: with the switch CULL_FACE names faces, 1 the back and 2 the front. */
static bool
culled(const struct gr3d_setup *setup, bool counter_clockwise)
{
   const bool first = setup->culls_faces
                         ? counter_clockwise == setup->front_cw
                         : counter_clockwise;

   return setup->cull & (first ? GR3D_CULL_FACE_CCW : GR3D_CULL_FACE_CW);
}

static void
draw_whole_triangle(struct assembler *as,
                    const struct gr3d_vertex *const v[3], unsigned provoking)
{
   int64_t area = winding(as->setup, v);
   if (area == 0 || culled(as->setup, area > 0))
      return;
   as->gr3d->sim->stats.primitives++;
   gr3d_raster_triangle(as->gr3d, v, provoking,
                        (area > 0) != as->setup->front_cw);
}

/* Clips exports in as->polygon[0]; returns the buffer with the result, its
 * size in *count. */
static const struct gr3d_exports *
clip(struct assembler *as, unsigned codes, unsigned *count, bool polygon)
{
   unsigned current = 0;
   for (unsigned plane = 0; plane < GR3D_NUM_CLIP_PLANES && *count; plane++) {
      if (!(codes >> plane & 1))
         continue;
      const struct gr3d_exports *in = as->polygon[current];
      struct gr3d_exports *out = as->polygon[current ^ 1];
      if (polygon) {
         *count = clip_polygon(as->setup, plane, in, *count, out);
      } else {
         bool inside[2];
         for (unsigned i = 0; i < 2; i++) {
            inside[i] = plane_distance(as->setup, plane, in[i].v[0]) >= 0.0;
            out[i] = in[i];
         }
         if (!inside[0] && !inside[1])
            *count = 0;
         else if (inside[0] != inside[1])
            cross_plane(as->setup, plane, &out[inside[0]], &in[!inside[0]],
                        &in[inside[0]]);
      }
      current ^= 1;
   }
   return as->polygon[current];
}

static void
draw_clipped_triangle(struct assembler *as, const uint16_t slot[3],
                      unsigned codes, unsigned provoking)
{
   unsigned count = 3;
   for (unsigned i = 0; i < 3; i++)
      as->polygon[0][i] = as->vs->exports[slot[i]];
   const struct gr3d_exports *polygon = clip(as, codes, &count, true);
   if (count < 3)
      return;
   struct gr3d_vertex flat;
   if (as->setup->any_flat)
      link_vertex(as->setup, &as->vs->exports[slot[provoking]], &flat);
   for (unsigned i = 0; i < count; i++) {
      place_vertex(as->gr3d, &polygon[i], &as->clipped[i]);
      if (as->setup->any_flat)
         copy_flat(as->gr3d, &as->clipped[i], &flat);
   }
   int64_t area = 0;
   for (unsigned i = 2; i < count; i++)
      area += winding(as->setup, (const struct gr3d_vertex *const[3]){
                                    &as->clipped[0], &as->clipped[i - 1],
                                    &as->clipped[i] });
   if (area == 0 || culled(as->setup, area > 0))
      return;
   as->gr3d->sim->stats.primitives++;
   for (unsigned i = 2; i < count; i++) {
      const struct gr3d_vertex *const v[3] = { &as->clipped[0],
                                               &as->clipped[i - 1],
                                               &as->clipped[i] };
      /* Rounding to the grid may turn a sliver over: it belongs to the others
       * then. */
      if (area > 0 ? winding(as->setup, v) > 0 : winding(as->setup, v) < 0)
         gr3d_raster_triangle(as->gr3d, v, provoking,
                              (area > 0) != as->setup->front_cw);
   }
}

/* True when a primitive with these clip codes is not to be drawn at all. */
static bool
rejected(struct assembler *as, unsigned all, unsigned any)
{
   if (any & GR3D_CLIP_NOT_FINITE) {
      sim_report(
         as->gr3d->sim, SIM_DIAG_POSITION_NOT_FINITE, SIM_NO_REG, -1,
         "a position is infinite or not a number: the primitive is dropped");
      return true;
   }
   return all != 0 || (any & GR3D_CLIP_W && as->setup->drop_behind) ||
          any & as->setup->drop_outside;
}

/* a, b, c: numbers of indices of the draw; provoking: which of them. */
static void
triangle(struct assembler *as, unsigned a, unsigned b, unsigned c,
         unsigned provoking)
{
   const struct gr3d_vertex_state *vs = as->vs;
   const uint16_t slot[3] = { vs->slot[a], vs->slot[b], vs->slot[c] };
   unsigned code[3];
   for (unsigned i = 0; i < 3; i++)
      code[i] = vs->clip_code[slot[i]];
   unsigned any = code[0] | code[1] | code[2];
   if (rejected(as, code[0] & code[1] & code[2], any))
      return;
   if (any) {
      draw_clipped_triangle(as, slot, any, provoking);
      return;
   }
   const struct gr3d_vertex *const v[3] = { &vs->vertex[slot[0]],
                                            &vs->vertex[slot[1]],
                                            &vs->vertex[slot[2]] };
   draw_whole_triangle(as, v, provoking);
}

static void
line(struct assembler *as, unsigned a, unsigned b)
{
   const struct gr3d_vertex_state *vs = as->vs;
   const uint16_t slot[2] = { vs->slot[a], vs->slot[b] };
   unsigned code[2] = { vs->clip_code[slot[0]], vs->clip_code[slot[1]] };
   unsigned provoking = as->setup->provoking_last ? 1 : 0, count = 2;
   if (rejected(as, code[0] & code[1], code[0] | code[1]))
      return;
   const struct gr3d_vertex *v[2] = { &vs->vertex[slot[0]],
                                      &vs->vertex[slot[1]] };
   if (code[0] | code[1]) {
      for (unsigned i = 0; i < 2; i++)
         as->polygon[0][i] = vs->exports[slot[i]];
      const struct gr3d_exports *ends =
         clip(as, code[0] | code[1], &count, false);
      if (!count)
         return;
      struct gr3d_vertex flat;
      if (as->setup->any_flat)
         link_vertex(as->setup, &vs->exports[slot[provoking]], &flat);
      for (unsigned i = 0; i < 2; i++) {
         place_vertex(as->gr3d, &ends[i], &as->clipped[i]);
         if (as->setup->any_flat)
            copy_flat(as->gr3d, &as->clipped[i], &flat);
         v[i] = &as->clipped[i];
      }
   }
   as->gr3d->sim->stats.primitives++;
   gr3d_raster_line(as->gr3d, v, provoking);
}

/* A point is drawn when its centre is inside the clip volume. */
static void
point(struct assembler *as, unsigned a)
{
   unsigned slot = as->vs->slot[a];
   unsigned code = as->vs->clip_code[slot];
   if (rejected(as, code, code))
      return;
   as->gr3d->sim->stats.primitives++;
   gr3d_raster_point(as->gr3d, &as->vs->vertex[slot]);
}

/* Provoking vertices are those of GL's first and last vertex conventions
 * (assumption A30). */
static void
assemble(struct assembler *as, unsigned type, unsigned n)
{
   bool last = as->setup->provoking_last;
   switch (type) {
   case GR3D_PRIMITIVE_TYPE_POINTS:
      for (unsigned i = 0; i < n; i++)
         point(as, i);
      break;
   case GR3D_PRIMITIVE_TYPE_LINES:
      for (unsigned i = 0; i + 1 < n; i += 2)
         line(as, i, i + 1);
      break;
   case GR3D_PRIMITIVE_TYPE_LINE_LOOP:
   case GR3D_PRIMITIVE_TYPE_LINE_STRIP:
      for (unsigned i = 0; i + 1 < n; i++)
         line(as, i, i + 1);
      if (type == GR3D_PRIMITIVE_TYPE_LINE_LOOP && n > 1)
         line(as, n - 1, 0);
      break;
   case GR3D_PRIMITIVE_TYPE_TRIANGLES:
      for (unsigned i = 0; i + 2 < n; i += 3)
         triangle(as, i, i + 1, i + 2, last ? 2 : 0);
      break;
   case GR3D_PRIMITIVE_TYPE_TRIANGLE_STRIP:
      /* Every second triangle has its first two vertices exchanged, which
       * keeps the winding. */
      for (unsigned i = 0; i + 2 < n; i++) {
         if (i & 1)
            triangle(as, i + 1, i, i + 2, last ? 2 : 1);
         else
            triangle(as, i, i + 1, i + 2, last ? 2 : 0);
      }
      break;
   case GR3D_PRIMITIVE_TYPE_TRIANGLE_FAN:
      for (unsigned i = 1; i + 1 < n; i++)
         triangle(as, 0, i, i + 1, last ? 2 : 1);
      break;
   default:
      sim_report(as->gr3d->sim, SIM_DIAG_DRAW_PRIMITIVE, GR3D_DRAW_PARAMS, -1,
                 "primitive type %u is unknown", type);
   }
}

/* --- entry points --- */

void
gr3d_setup_begin(struct gr3d *gr3d)
{
   struct gr3d_setup *setup = &gr3d->vertex->setup;
   uint32_t cull = reg(gr3d, GR3D_CULL_FACE_LINKER_SETUP);
   for (unsigned i = 0; i < 3; i++) {
      setup->guard[i] = float_reg(gr3d, GR3D_GUARDBAND_WIDTH + i);
      setup->scale[i] = float_reg(gr3d, GR3D_VIEWPORT_X_SCALE + i);
      setup->bias[i] = float_reg(gr3d, GR3D_VIEWPORT_X_BIAS + i);
   }
   /* A108: the value whose planes are those of the view volume */
   if (sim_switch(gr3d->sim, 108) == 1)
      setup->guard[2] /= 6.99f;
   setup->front_cw = cull & GR3D_CULL_FACE_LINKER_SETUP_FRONT_CW__MASK;
   setup->cull = cull >> GR3D_CULL_FACE_LINKER_SETUP_CULL_FACE__SHIFT & 3;
   setup->culls_faces = sim_switch(gr3d->sim, 130) == 1;
   setup->provoking_last =
      reg(gr3d, GR3D_DRAW_PARAMS) & GR3D_DRAW_PARAMS_PROVOKING_VERTEX__MASK;
   setup->provoking_last ^= sim_switch(gr3d->sim, 30) == 1;
   setup->whole_rows = sim_switch(gr3d->sim, 41) == 1;
   setup->drop_behind = sim_switch(gr3d->sim, 21) == 1;
   setup->drop_outside = 0;
   for (unsigned i = 0; i < 2 && sim_switch(gr3d->sim, 100) == 1; i++) {
      if (setup->guard[i] > 1) {
         setup->guard[i] = 1;
         setup->drop_outside |= (GR3D_CLIP_X_MAX | GR3D_CLIP_X_MIN) << 2 * i;
      }
   }
   setup->winding_sign =
      sim_switch(gr3d->sim, 29) == 1 && setup->scale[0] * setup->scale[1] < 0
         ? -1
         : 1;
   setup->num_links = 0;
   setup->rows_written = 0;
   setup->exports = (reg(gr3d, GR3D_VP_ATTRIB_IN_OUT_SELECT) & 0xffff) | 1;
   setup->any_flat = false;
   memset(gr3d->tram_written, 0, sizeof(gr3d->tram_written));
   memset(gr3d->flat_mask, 0, sizeof(gr3d->flat_mask));
   unsigned count =
      (cull >> GR3D_CULL_FACE_LINKER_SETUP_LINKER_INST_COUNT__SHIFT & 31) + 1;
   for (unsigned i = 0; i < count; i++)
      add_link(gr3d, i);
}

void
gr3d_setup_vertex(struct gr3d *gr3d, unsigned slot)
{
   struct gr3d_vertex_state *vs = gr3d->vertex;
   vs->clip_code[slot] = clip_code(&vs->setup, vs->exports[slot].v[0]);
   if (!vs->clip_code[slot])
      place_vertex(gr3d, &vs->exports[slot], &vs->vertex[slot]);
}

void
gr3d_setup_draw(struct gr3d *gr3d)
{
   struct assembler as = { .gr3d = gr3d,
                           .vs = gr3d->vertex,
                           .setup = &gr3d->vertex->setup };
   unsigned type =
      reg(gr3d, GR3D_DRAW_PARAMS) >> GR3D_DRAW_PARAMS_PRIMITIVE_TYPE__SHIFT &
      7;
   assemble(&as, type, gr3d->vertex->num_indices);
}
