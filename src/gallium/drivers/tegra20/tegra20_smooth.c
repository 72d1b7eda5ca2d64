/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Smooth lines and points (OpenGL 2.1 specification, 3.3.1, 3.4.2): the chip
 * rasterises aliased ones only.  Mesa's draw module runs the vertex program
 * and clips (tegra20_swtnl.c); here each line becomes a rectangle and each
 * point a square, half a pixel larger on all sides, with a varying that tells
 * a fragment where in it its centre lies.  The fragment program takes the
 * coverage from the distance to the edges, as if a pixel were seen through a
 * filter of one pixel: the sum over all pixels is the area.
 *
 * Mesa's own stages for this (aaline, aapoint) replace the driver's shader
 * functions, and interpolate with perspective what is linear in the window:
 * along lines that recede, coverage is then far from what it should be.  Here
 * the varying is multiplied by w and the program multiplies by
 * gl_FragCoord.w.
 */

#include "tegra20_smooth.h"

#include <math.h>
#include <string.h>

#include "compiler/nir/nir_builder.h"
#include "util/macros.h"
#include "util/u_math.h"

#include "tegra20_mesa.h"

#define MIN_SIZE 1.0f
#define MAX_SIZE 256.0f

enum tegra20_smooth
tegra20_smooth_kind(const struct pipe_rasterizer_state *rast,
                    enum mesa_prim kind)
{
   if (rast->multisample)
      return TEGRA20_SMOOTH_NONE;
   if (kind == MESA_PRIM_TRIANGLES && !(rast->cull_face & PIPE_FACE_BACK)) {
      kind = rast->fill_back == PIPE_POLYGON_MODE_LINE    ? MESA_PRIM_LINES
             : rast->fill_back == PIPE_POLYGON_MODE_POINT ? MESA_PRIM_POINTS
                                                          : kind;
   }
   if (kind == MESA_PRIM_LINES && rast->line_smooth)
      return TEGRA20_SMOOTH_LINES;
   if (kind == MESA_PRIM_POINTS && rast->point_smooth &&
       !rast->point_quad_rasterization)
      return TEGRA20_SMOOTH_POINTS;
   return TEGRA20_SMOOTH_NONE;
}

/* --- fragment program --- */

/* x and y of the place are distances from the middle, z and w half of the
 * sizes, each with half a pixel more. */
static nir_def *
tegra20_coverage(nir_builder *b, enum tegra20_smooth kind)
{
   nir_def *place = nir_load_interpolated_input(
      b, 4, 32,
      nir_load_barycentric_pixel(b, 32, .interp_mode = INTERP_MODE_SMOOTH),
      nir_imm_int(b, 0), .base = b->shader->num_inputs++,
      .dest_type = nir_type_float32,
      .io_semantics.location = TEGRA20_SMOOTH_SLOT,
      .io_semantics.num_slots = 1);
   nir_def *rcp_w = nir_channel(b, nir_load_frag_coord(b), 3);
   nir_def *distance =
      nir_fmul(b, nir_trim_vector(b, place, 2), nir_replicate(b, rcp_w, 2));

   if (kind == TEGRA20_SMOOTH_POINTS)
      return nir_fsat(
         b, nir_fsub(b, nir_channel(b, place, 2),
                     nir_fsqrt(b, nir_fdot(b, distance, distance))));
   nir_def *inside = nir_fsat(
      b, nir_fsub(b, nir_channels(b, place, 0xc), nir_fabs(b, distance)));
   return nir_fmul(b, nir_channel(b, inside, 0), nir_channel(b, inside, 1));
}

static bool
tegra20_multiply_alpha(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   if (intr->intrinsic != nir_intrinsic_store_output)
      return false;
   const unsigned location = nir_intrinsic_io_semantics(intr).location;
   if (location != FRAG_RESULT_COLOR && location < FRAG_RESULT_DATA0)
      return false;
   /* outputs of less than four components have an alpha of one, which is
    * invisible */
   nir_def *color = intr->src[0].ssa;
   const unsigned first = nir_intrinsic_component(intr);
   if (color->num_components + first != 4 ||
       !(nir_intrinsic_write_mask(intr) & (8 >> first)))
      return false;

   unsigned alpha = 3 - first;
   b->cursor = nir_before_instr(&intr->instr);
   nir_def *product = nir_fmul(b, nir_channel(b, color, alpha), data);
   nir_src_rewrite(&intr->src[0],
                   nir_vector_insert_imm(b, color, product, alpha));
   return true;
}

void
tegra20_nir_smooth(nir_shader *nir, enum tegra20_smooth kind)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   nir_builder b = nir_builder_at(nir_before_impl(impl));
   nir_def *covered = tegra20_coverage(&b, kind);

   nir_discard_if(&b, nir_fge(&b, nir_imm_float(&b, 0.0f), covered));
   nir->info.fs.uses_discard = true;
   nir_metadata_preserve(impl, nir_metadata_control_flow);
   nir_shader_intrinsics_pass(nir, tegra20_multiply_alpha,
                              nir_metadata_control_flow, covered);
}

/* --- vertices --- */

struct output {
   float *at;
   const struct tegra20_smooth_vertices *in;
   float side; /* +1 or -1: the sense in which triangles are front facing, as
                  lines and points are */
};

static const float *
tegra20_smooth_vertex(const struct tegra20_smooth_vertices *in, unsigned i)
{
   return in->vertices +
          (size_t)(in->indices ? in->indices[in->first + i] : in->first + i) *
             in->num_vec4 * 4;
}

/* A corner: vertex v moved by (dx, dy), at (x, y) from the middle of
 * something with half the sizes z and w. */
static void
tegra20_put(struct output *out, const float *v, float dx, float dy, float x,
            float y, float z, float w)
{
   const unsigned size = out->in->copied_vec4 * 4;

   memcpy(out->at, v, size * sizeof(float));
   out->at[0] += dx;
   out->at[1] += dy;
   out->at += size;
   if (out->in->has_place) {
      const float place[4] = { x / v[3], y / v[3], z, w };
      memcpy(out->at, place, sizeof(place));
      out->at += 4;
   }
}

/* The first corner of both triangles belongs to a, the last to b: one of them
 * is the provoking vertex. */
static void
tegra20_expand_line(struct output *out, const float *a, const float *b,
                    float width)
{
   const float dx = b[0] - a[0], dy = b[1] - a[1],
               length = sqrtf(dx * dx + dy * dy);
   const float ux = length > 0 ? dx / length : 1,
               uy = length > 0 ? dy / length : 0;
   const float across = width / 2 + 0.5f, along = length / 2 + 0.5f;
   const float nx = -uy * across * out->side, ny = ux * across * out->side;

   tegra20_put(out, a, nx - ux / 2, ny - uy / 2, across, -along, across,
               along);
   tegra20_put(out, a, -nx - ux / 2, -ny - uy / 2, -across, -along, across,
               along);
   tegra20_put(out, b, nx + ux / 2, ny + uy / 2, across, along, across,
               along);
   tegra20_put(out, a, -nx - ux / 2, -ny - uy / 2, -across, -along, across,
               along);
   tegra20_put(out, b, -nx + ux / 2, -ny + uy / 2, -across, along, across,
               along);
   tegra20_put(out, b, nx + ux / 2, ny + uy / 2, across, along, across,
               along);
}

static void
tegra20_expand_point(struct output *out, const float *v, float size)
{
   static const int8_t corners[6][2] = { { -1, -1 }, { 1, -1 }, { -1, 1 },
                                         { -1, 1 },  { 1, -1 }, { 1, 1 } };
   const float half = size / 2 + 0.5f;

   for (unsigned i = 0; i < ARRAY_SIZE(corners); i++) {
      const float x = corners[i][0] * half * out->side,
                  y = corners[i][1] * half;
      tegra20_put(out, v, x, y, x, y, half, half);
   }
}

static unsigned
tegra20_num_lines(const struct tegra20_smooth_vertices *in)
{
   switch (in->mode) {
   case MESA_PRIM_LINES:
      return in->count / 2;
   case MESA_PRIM_LINE_STRIP:
      return in->count > 1 ? in->count - 1 : 0;
   case MESA_PRIM_LINE_LOOP:
      return in->count > 1 ? in->count : 0;
   default:
      return 0;
   }
}

unsigned
tegra20_smooth_count(const struct tegra20_smooth_vertices *in)
{
   switch (in->mode) {
   case MESA_PRIM_POINTS:
      return 6 * in->count;
   case MESA_PRIM_TRIANGLES:
      return in->count / 3 * 3;
   default:
      return 6 * tegra20_num_lines(in);
   }
}

void
tegra20_smooth_expand(const struct pipe_rasterizer_state *rast,
                      const struct tegra20_smooth_vertices *in, float *at)
{
   struct output out = { .at = at,
                         .in = in,
                         .side = rast->front_ccw ? -1 : 1 };
   const unsigned step = in->mode == MESA_PRIM_LINES ? 2 : 1;

   if (in->mode == MESA_PRIM_POINTS) {
      for (unsigned i = 0; i < in->count; i++) {
         const float *v = tegra20_smooth_vertex(in, i);
         tegra20_expand_point(
            &out, v,
            CLAMP(in->size_vec4 ? v[in->size_vec4 * 4] : rast->point_size,
                  MIN_SIZE, MAX_SIZE));
      }
   } else if (in->mode == MESA_PRIM_TRIANGLES) {
      /* the filled side of polygons whose other side is drawn as lines or
       * points, with the same program */
      for (unsigned i = 0; i < in->count / 3 * 3; i++)
         tegra20_put(&out, tegra20_smooth_vertex(in, i), 0, 0, 0, 0, 2, 2);
   } else {
      for (unsigned i = 0; i < tegra20_num_lines(in); i++) {
         tegra20_expand_line(
            &out, tegra20_smooth_vertex(in, i * step),
            tegra20_smooth_vertex(in, (i * step + 1) % in->count),
            CLAMP(rast->line_width, MIN_SIZE, MAX_SIZE));
      }
   }
}
