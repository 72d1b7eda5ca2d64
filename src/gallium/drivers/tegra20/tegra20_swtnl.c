/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Vertex processing on the CPU, for features that the chip's set-up unit
 * lacks (A32): polygons drawn as lines or points with their edge flags,
 * culling and offsets, line stipples, smooth lines and points.  Mesa's draw
 * module runs the vertex shader, cuts the primitives up and hands over
 * vertices in window coordinates; a small vertex program turns those back
 * into clip coordinates for the engine.
 *
 * The passes of such a draw (tegra20_pass.h) are "windowed": their vertex
 * program is the small one, and emission leaves out culling, offsets and
 * clipping.
 */

#include <math.h>
#include <string.h>

#include "compiler/nir/nir_builder.h"
#include "draw/draw_context.h"
#include "draw/draw_vbuf.h"
#include "draw/draw_vertex.h"
#include "tgsi/tgsi_from_mesa.h"
#include "tgsi/tgsi_ureg.h"
#include "util/hash_table.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"
#include "util/u_prim.h"
#include "util/u_upload_mgr.h"

#include "tegra20/gr3d_regs.h"

#include "tegra20_context.h"
#include "tegra20_program.h"
#include "tegra20_resource.h"
#include "tegra20_smooth.h"
#include "tegra20_swtnl.h"
#include "tegra20_vertex.h"

struct tegra20_swtnl {
   struct vbuf_render base;
   struct tegra20_context *ctx;
   struct draw_context *draw;
   struct draw_vertex_shader *idle; /* never drawn with */
   /* vertex programs that only undo the viewport transform, by varyings: bit
    * per gl_varying_slot, without the position */
   struct hash_table_u64 *passthroughs;
   uint64_t varyings; /* of the current draw */
   struct vertex_info info;
   bool sized_points; /* smooth points: a vertex ends with its size */
   enum mesa_prim mode;
   /* the module keeps pointers to these */
   struct pipe_rasterizer_state rast;
   uint32_t constants[TEGRA20_VS_MAX_CONSTS * 4];

   void *vertices; /* vertices of the module, before they are uploaded */
   unsigned vertex_size, num_vertices, allocated;
};

#define MAX_VERTICES 4096
#define MAX_VERTEX_BYTES (TEGRA20_MAX_ATTRIBS * 16)

/* --- vertex program --- */

static nir_def *
tegra20_swtnl_load_vec4(nir_builder *b, unsigned input)
{
   return nir_load_input(b, 4, 32, nir_imm_int(b, 0), .base = input,
                         .dest_type = nir_type_float32,
                         .io_semantics.location =
                            input ? VERT_ATTRIB_GENERIC0 + input
                                  : VERT_ATTRIB_POS,
                         .io_semantics.num_slots = 1);
}

static void
tegra20_swtnl_store_vec4(nir_builder *b, nir_def *value, unsigned output,
                         gl_varying_slot slot)
{
   nir_store_output(b, value, nir_imm_int(b, 0), .base = output, .range = 1,
                    .write_mask = 0xf, .src_type = nir_type_float32,
                    .io_semantics.location = slot,
                    .io_semantics.num_slots = 1);
   b->shader->info.outputs_written |= BITFIELD64_BIT(slot);
}

/* The module's position is (x, y, z of the window, 1/w). */
static nir_def *
tegra20_swtnl_clip_position(nir_builder *b, nir_def *window)
{
   nir_def *rcp_scale = nir_load_uniform(
      b, 4, 32, nir_imm_int(b, 0), .base = TEGRA20_SWTNL_RCP_SCALE,
      .range = 1, .dest_type = nir_type_float32);
   nir_def *translate = nir_load_uniform(
      b, 4, 32, nir_imm_int(b, 0), .base = TEGRA20_SWTNL_TRANSLATE,
      .range = 1, .dest_type = nir_type_float32);
   nir_def *w = nir_frcp(b, nir_channel(b, window, 3));
   nir_def *ndc = nir_fmul(b, nir_fsub(b, window, translate), rcp_scale);
   nir_def *clip = nir_fmul(b, ndc, w);

   return nir_vec4(b, nir_channel(b, clip, 0), nir_channel(b, clip, 1),
                   nir_channel(b, clip, 2), w);
}

static struct tegra20_shader *
tegra20_swtnl_get_passthrough(struct tegra20_swtnl *swtnl, uint64_t varyings)
{
   struct tegra20_shader *shader =
      _mesa_hash_table_u64_search(swtnl->passthroughs, varyings);

   if (shader)
      return shader;
   nir_builder b = nir_builder_init_simple_shader(
      MESA_SHADER_VERTEX, tegra20_nir_options(MESA_SHADER_VERTEX),
      "window to clip coordinates");
   unsigned n = 1;

   b.shader->info.io_lowered = true;
   tegra20_swtnl_store_vec4(
      &b, tegra20_swtnl_clip_position(&b, tegra20_swtnl_load_vec4(&b, 0)), 0,
      VARYING_SLOT_POS);
   u_foreach_bit64 (slot, varyings) {
      tegra20_swtnl_store_vec4(&b, tegra20_swtnl_load_vec4(&b, n), n, slot);
      n++;
   }
   b.shader->num_inputs = b.shader->num_outputs = n;
   b.shader->num_uniforms = TEGRA20_SWTNL_UNIFORMS;

   const struct pipe_shader_state state = { .type = PIPE_SHADER_IR_NIR,
                                            .ir.nir = b.shader };
   shader = swtnl->ctx->base.create_vs_state(&swtnl->ctx->base, &state);
   if (shader)
      _mesa_hash_table_u64_insert(swtnl->passthroughs, varyings, shader);
   return shader;
}

/* --- polygons with whole quads --- */

/*
 * The polygon is a rectangle around the primitive, cut by lines parallel to
 * the edges of a triangle.  A pixel of the primitive and another one of the
 * same quad are up to the root of two apart; MARGIN allows for that and for
 * rounding of positions to sixteenths.
 *
 * A vertex is a sum of the vertices of the primitive, weighted with functions
 * that are linear in the window: barycentric coordinates of a triangle, the
 * way along a line, 1 for a point.  That is exact for z and 1/w, and for
 * varyings times 1/w.
 *
 * Beyond its edges a primitive may reach the horizon, where 1/w is zero: the
 * polygon ends where 1/w is HORIZON of the least of the primitive.
 */
#define MARGIN 2.0f
#define HORIZON (1.0f / 16)
#define MAX_CORNERS 8 /* of a rectangle, cut four times */

/* Most vertices of a dilated primitive, as a list of triangles. */
#define TEGRA20_MAX_DILATED_VERTICES 18

struct tegra20_dilation {
   struct pipe_scissor_state area; /* area that may be drawn to */
   float radius;                   /* of points and lines, pixels */
   unsigned num_vec4;              /* of a vertex */
};

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

/* Clips a convex polygon to the region where f is not negative. */
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

/*
 * Vertices are in window coordinates, each a number of vec4: the position (x,
 * y, z, 1/w) and varyings.  num is 1 for points, 2 for lines, 3 for
 * triangles.  The result is a polygon that has all pixels of the quads that
 * the primitive covers pixels of, with the values that the primitive has or
 * would have there.  Returns the number of vertices: 0 for a primitive that
 * covers nothing.
 */
static unsigned
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

/* --- vbuf_render --- */

static struct tegra20_swtnl *
tegra20_swtnl(struct vbuf_render *render)
{
   return (struct tegra20_swtnl *)render;
}

/* -1 where the program does not write it; colours of back faces are those of
 * front faces then (linker.c). */
static int
tegra20_swtnl_find_output(const struct draw_context *draw,
                          gl_varying_slot slot)
{
   unsigned name, index;

   tgsi_get_gl_varying_semantic(slot, true, &name, &index);
   const int found = draw_find_shader_output(draw, name, index);
   return found < 0 && name == TGSI_SEMANTIC_BCOLOR
             ? draw_find_shader_output(draw, TGSI_SEMANTIC_COLOR, index)
             : found;
}

static const struct vertex_info *
tegra20_swtnl_get_vertex_info(struct vbuf_render *render)
{
   struct tegra20_swtnl *swtnl = tegra20_swtnl(render);
   struct vertex_info *info = &swtnl->info;

   info->num_attribs = 0;
   draw_emit_vertex_attr(
      info, EMIT_4F,
      draw_find_shader_output(swtnl->draw, TGSI_SEMANTIC_POSITION, 0));
   u_foreach_bit64 (slot,
                    swtnl->varyings & ~BITFIELD64_BIT(TEGRA20_SMOOTH_SLOT))
      draw_emit_vertex_attr(info, EMIT_4F,
                            tegra20_swtnl_find_output(swtnl->draw, slot));
   if (swtnl->sized_points)
      draw_emit_vertex_attr(
         info, EMIT_4F,
         draw_find_shader_output(swtnl->draw, TGSI_SEMANTIC_PSIZE, 0));
   draw_compute_vertex_size(info);
   return info;
}

static bool
tegra20_swtnl_allocate_vertices(struct vbuf_render *render,
                                uint16_t vertex_size, uint16_t count)
{
   struct tegra20_swtnl *swtnl = tegra20_swtnl(render);
   unsigned size = (unsigned)vertex_size * count;

   if (size > swtnl->allocated) {
      FREE(swtnl->vertices);
      swtnl->vertices = MALLOC(size);
      swtnl->allocated = swtnl->vertices ? size : 0;
   }
   swtnl->vertex_size = vertex_size;
   swtnl->num_vertices = count;
   return swtnl->vertices;
}

static void *
tegra20_swtnl_map_vertices(struct vbuf_render *render)
{
   return tegra20_swtnl(render)->vertices;
}

static void
tegra20_swtnl_unmap_vertices(struct vbuf_render *render, uint16_t min,
                             uint16_t max)
{
}

static void
tegra20_swtnl_set_primitive(struct vbuf_render *render, enum mesa_prim mode)
{
   tegra20_swtnl(render)->mode = mode;
}

static bool
tegra20_swtnl_upload_vertices(struct tegra20_swtnl *swtnl,
                              struct pipe_resource **buffer)
{
   unsigned offset = 0;

   *buffer = NULL;
   u_upload_data(swtnl->ctx->base.stream_uploader, 0,
                 swtnl->vertex_size * swtnl->num_vertices, 4, swtnl->vertices,
                 &offset, buffer);
   if (!*buffer)
      return false;
   tegra20_attribs_float4(swtnl->ctx, *buffer, offset,
                          swtnl->info.num_attribs);
   return true;
}

/* Lines and points that are drawn as triangles. */
static bool
tegra20_swtnl_is_smooth(const struct tegra20_swtnl *swtnl)
{
   return tegra20_smooth_kind(&swtnl->rast,
                              swtnl->ctx->plan->passes[0].kind) !=
          TEGRA20_SMOOTH_NONE;
}

/* Lists of points, lines or triangles of num vertices, which are drawn one
 * after the other, and each with a polygon that has whole quads. */
static void
tegra20_swtnl_draw_dilated(struct tegra20_swtnl *swtnl, const float *vertices,
                           const uint16_t *indices, unsigned count,
                           enum mesa_prim mode, unsigned num_vec4)
{
   struct tegra20_context *ctx = swtnl->ctx;
   const unsigned num = mesa_vertices_per_prim(mode), prims = count / num,
                  size = num_vec4 * 4;
   const float scale = ctx->scale * 0.5f;
   const struct tegra20_dilation dilation = {
      .area = ctx->draw_area,
      .radius = MAX2(swtnl->rast.line_width, swtnl->rast.point_size) * scale,
      .num_vec4 = num_vec4,
   };
   struct tegra20_dilated *dilated = CALLOC(prims, sizeof(*dilated));
   struct pipe_resource *buffer = NULL;
   unsigned offset = 0, used = prims * num;
   float *map = NULL;

   u_upload_alloc(ctx->base.stream_uploader, 0,
                  (used + prims * TEGRA20_MAX_DILATED_VERTICES) * size * 4, 4,
                  &offset, &buffer, (void **)&map);
   for (unsigned i = 0; dilated && buffer && i < prims; i++) {
      const float *v[3];

      for (unsigned c = 0; c < num; c++) {
         const unsigned at = i * num + c;

         v[c] = vertices + (indices ? indices[at] : at) * size;
         memcpy(map + at * size, v[c], size * 4);
      }
      dilated[i].first = used;
      dilated[i].count = tegra20_dilate(&dilation, v, num, map + used * size);
      used += dilated[i].count;
   }
   if (dilated && buffer) {
      tegra20_attribs_float4(ctx, buffer, offset, num_vec4);
      tegra20_plan_draw(
         ctx, &(struct tegra20_primitives){ .mode = mode,
                                            .count = prims * num,
                                            .dilated = dilated,
                                            .vertices_per_group = num });
   }
   pipe_resource_reference(&buffer, NULL);
   FREE(dilated);
}

/* Triangles that lines and points became. */
static void
tegra20_swtnl_draw_dilated_smooth(struct tegra20_swtnl *swtnl,
                                  const struct tegra20_smooth_vertices *in,
                                  unsigned num, unsigned num_vec4)
{
   float *vertices = MALLOC(num * num_vec4 * 16);

   if (!vertices)
      return;
   tegra20_smooth_expand(&swtnl->rast, in, vertices);
   tegra20_swtnl_draw_dilated(swtnl, vertices, NULL, num, MESA_PRIM_TRIANGLES,
                              num_vec4);
   FREE(vertices);
}

static void
tegra20_swtnl_draw_smooth(struct tegra20_swtnl *swtnl,
                          const uint16_t *indices, unsigned first,
                          unsigned count)
{
   struct tegra20_context *ctx = swtnl->ctx;
   const unsigned attribs = swtnl->info.num_attribs - swtnl->sized_points;
   const struct tegra20_smooth_vertices in = {
      .vertices = swtnl->vertices,
      .num_vec4 = swtnl->info.num_attribs,
      .copied_vec4 = attribs,
      .indices = indices,
      .first = first,
      .count = count,
      .mode = swtnl->mode,
      .size_vec4 = swtnl->sized_points ? attribs : 0,
      .has_place = swtnl->varyings & BITFIELD64_BIT(TEGRA20_SMOOTH_SLOT),
   };
   const unsigned num = tegra20_smooth_count(&in),
                  vec4 = attribs + in.has_place;
   struct pipe_resource *buffer = NULL;
   unsigned offset = 0;
   float *map = NULL;

   if (!num)
      return;
   if (ctx->plan->dilates) {
      tegra20_swtnl_draw_dilated_smooth(swtnl, &in, num, vec4);
      return;
   }
   u_upload_alloc(ctx->base.stream_uploader, 0, num * vec4 * 16, 4, &offset,
                  &buffer, (void **)&map);
   if (!buffer)
      return;
   tegra20_smooth_expand(&swtnl->rast, &in, map);
   const struct tegra20_primitives prims = {
      .mode = MESA_PRIM_TRIANGLES,
      .count = num,
      .vertices_per_group = swtnl->mode == MESA_PRIM_TRIANGLES ? 3 : 6,
   };
   tegra20_attribs_float4(ctx, buffer, offset, vec4);
   tegra20_plan_draw(ctx, &prims);
   pipe_resource_reference(&buffer, NULL);
}

/* Vertices in their order, or indices of them. */
static void
tegra20_swtnl_draw_plain(struct tegra20_swtnl *swtnl, const uint16_t *indices,
                         unsigned first, unsigned count)
{
   struct tegra20_context *ctx = swtnl->ctx;
   struct tegra20_primitives prims = {
      .mode = swtnl->mode,
      .first = indices ? 0 : first,
      .count = count,
      .index_size = indices ? 2 : 0,
   };
   struct pipe_resource *vertices, *elements = NULL;

   if (ctx->plan->dilates) {
      tegra20_swtnl_draw_dilated(swtnl, swtnl->vertices, indices, count,
                                 swtnl->mode, swtnl->info.num_attribs);
      return;
   }
   if (!tegra20_swtnl_upload_vertices(swtnl, &vertices))
      return;
   if (indices) {
      u_upload_data(ctx->base.stream_uploader, 0, count * 2, 4, indices,
                    &prims.index_offset, &elements);
      prims.index_bo = elements ? tegra20_resource(elements)->bo : NULL;
   }
   if (!indices || elements)
      tegra20_plan_draw(ctx, &prims);
   pipe_resource_reference(&elements, NULL);
   pipe_resource_reference(&vertices, NULL);
}

/* Turns strips, loops and fans into a list, when the plan has to cut them. */
static void
tegra20_swtnl_draw_as_list(struct tegra20_swtnl *swtnl,
                           const uint16_t *indices, unsigned first,
                           unsigned count)
{
   const enum mesa_prim mode = swtnl->mode;
   uint16_t *list = MALLOC(count * sizeof(*list));

   for (unsigned i = 0; list && i < count; i++)
      list[i] = indices ? indices[i] : first + i;
   if (list)
      list = tegra20_translate_list(swtnl->ctx, &swtnl->mode, list,
                                    sizeof(*list), &count);
   if (list)
      tegra20_swtnl_draw_plain(swtnl, list, 0, count);
   FREE(list);
   swtnl->mode = mode;
}

static void
tegra20_swtnl_draw_vertices(struct tegra20_swtnl *swtnl,
                            const uint16_t *indices, unsigned first,
                            unsigned count)
{
   if (tegra20_swtnl_is_smooth(swtnl))
      tegra20_swtnl_draw_smooth(swtnl, indices, first, count);
   else if (!swtnl->ctx->plan->dilates &&
            tegra20_plan_can_draw(swtnl->ctx, swtnl->mode, count))
      tegra20_swtnl_draw_plain(swtnl, indices, first, count);
   else
      tegra20_swtnl_draw_as_list(swtnl, indices, first, count);
}

static void
tegra20_swtnl_draw_elements(struct vbuf_render *render,
                            const uint16_t *indices, unsigned count)
{
   tegra20_swtnl_draw_vertices(tegra20_swtnl(render), indices, 0, count);
}

static void
tegra20_swtnl_draw_arrays(struct vbuf_render *render, unsigned start,
                          unsigned count)
{
   tegra20_swtnl_draw_vertices(tegra20_swtnl(render), NULL, start, count);
}

static void
tegra20_swtnl_release_vertices(struct vbuf_render *render)
{
}

static void
tegra20_swtnl_destroy_render(struct vbuf_render *render)
{
}

/* By default the module lowers primitives for features that it expects no
 * engine to have, and leaves culling to the engine; but that does not cull
 * windowed passes. */
static bool
tegra20_swtnl_need_pipeline(const struct vbuf_render *render,
                            const struct pipe_rasterizer_state *rast,
                            unsigned mode)
{
   return true;
}

/* --- set-up --- */

static struct draw_vertex_shader *
tegra20_swtnl_create_idle_vs(struct draw_context *draw)
{
   struct draw_vertex_shader *vs = NULL;
   struct ureg_program *ureg = ureg_create(PIPE_SHADER_VERTEX);

   if (!ureg)
      return NULL;
   ureg_MOV(ureg, ureg_DECL_output(ureg, TGSI_SEMANTIC_POSITION, 0),
            ureg_imm1f(ureg, 0));
   ureg_END(ureg);
   const struct pipe_shader_state state = { .type = PIPE_SHADER_IR_TGSI,
                                            .tokens =
                                               ureg_get_tokens(ureg, NULL) };
   if (state.tokens)
      vs = draw_create_vertex_shader(draw, &state);
   ureg_free_tokens(state.tokens);
   ureg_destroy(ureg);
   return vs;
}

static struct tegra20_swtnl *
tegra20_swtnl_create(struct tegra20_context *ctx)
{
   struct tegra20_swtnl *swtnl = CALLOC_STRUCT(tegra20_swtnl);

   if (!swtnl)
      return NULL;
   swtnl->ctx = ctx;
   swtnl->passthroughs = _mesa_hash_table_u64_create(NULL);
   swtnl->base = (struct vbuf_render){
      .max_indices = MAX_VERTICES,
      .max_vertex_buffer_bytes = 64 * MAX_VERTEX_BYTES,
      .need_pipeline = tegra20_swtnl_need_pipeline,
      .get_vertex_info = tegra20_swtnl_get_vertex_info,
      .allocate_vertices = tegra20_swtnl_allocate_vertices,
      .map_vertices = tegra20_swtnl_map_vertices,
      .unmap_vertices = tegra20_swtnl_unmap_vertices,
      .set_primitive = tegra20_swtnl_set_primitive,
      .draw_elements = tegra20_swtnl_draw_elements,
      .draw_arrays = tegra20_swtnl_draw_arrays,
      .release_vertices = tegra20_swtnl_release_vertices,
      .destroy = tegra20_swtnl_destroy_render,
   };
   swtnl->draw = draw_create_no_llvm(&ctx->base);
   struct draw_stage *stage =
      swtnl->draw ? draw_vbuf_stage(swtnl->draw, &swtnl->base) : NULL;
   if (stage)
      swtnl->idle = tegra20_swtnl_create_idle_vs(swtnl->draw);
   if (!swtnl->idle) {
      if (swtnl->draw)
         draw_destroy(swtnl->draw);
      _mesa_hash_table_u64_destroy(swtnl->passthroughs);
      FREE(swtnl);
      return NULL;
   }
   draw_set_render(swtnl->draw, &swtnl->base);
   draw_set_rasterize_stage(swtnl->draw, stage);
   /* the engine draws these itself */
   draw_wide_line_threshold(swtnl->draw, 10000.0f);
   draw_wide_point_threshold(swtnl->draw, 10000.0f);
   draw_wide_point_sprites(swtnl->draw, false);
   draw_enable_point_sprites(swtnl->draw, false);
   draw_set_zs_format(swtnl->draw, PIPE_FORMAT_Z16_UNORM);
   return swtnl;
}

void
tegra20_swtnl_destroy(struct tegra20_context *ctx)
{
   struct tegra20_swtnl *swtnl = ctx->swtnl;

   if (!swtnl)
      return;
   hash_table_u64_foreach (swtnl->passthroughs, entry)
      ctx->base.delete_vs_state(&ctx->base, entry.data);
   _mesa_hash_table_u64_destroy(swtnl->passthroughs);
   draw_delete_vertex_shader(swtnl->draw, swtnl->idle);
   draw_destroy(swtnl->draw);
   FREE(swtnl->vertices);
   FREE(swtnl);
   ctx->swtnl = NULL;
}

void
tegra20_swtnl_delete_shader(struct tegra20_context *ctx,
                            struct tegra20_shader *shader)
{
   if (!shader->draw)
      return;
   if (shader->stage == MESA_SHADER_VERTEX) {
      /* The module's interpreter knows its program by the address, which
       * another program may get. */
      draw_bind_vertex_shader(ctx->swtnl->draw, ctx->swtnl->idle);
      draw_delete_vertex_shader(ctx->swtnl->draw, shader->draw);
   } else {
      draw_delete_fragment_shader(ctx->swtnl->draw, shader->draw);
   }
   shader->draw = NULL;
}

static bool
tegra20_swtnl_bind_shaders(struct tegra20_swtnl *swtnl)
{
   struct tegra20_shader *vs = swtnl->ctx->bound_vs,
                         *fs = swtnl->ctx->bound_fs;

   if (!vs->draw) {
      nir_shader *nir = nir_shader_clone(NULL, vs->original);
      const struct pipe_shader_state state = { .type = PIPE_SHADER_IR_NIR,
                                               .ir.nir = nir };

      tegra20_simplify_signs(nir);
      vs->draw = draw_create_vertex_shader(swtnl->draw, &state);
   }
   if (!fs->draw) {
      const struct pipe_shader_state state = { .type = PIPE_SHADER_IR_NIR,
                                               .ir.nir = fs->original };
      fs->draw = draw_create_fragment_shader(swtnl->draw, &state);
   }
   if (!vs->draw || !fs->draw)
      return false;
   draw_bind_vertex_shader(swtnl->draw, vs->draw);
   draw_bind_fragment_shader(swtnl->draw, fs->draw);
   return true;
}

/* The state tracker has made flat shading part of the shader, but the module
 * looks for it in the state. */
static bool
tegra20_swtnl_has_flat_colors(const nir_shader *fs)
{
   nir_foreach_shader_in_variable (var, fs) {
      if (var->data.interpolation == INTERP_MODE_FLAT)
         return true;
   }
   return false;
}

static const void *
tegra20_swtnl_map_buffer(struct tegra20_context *ctx,
                         struct pipe_resource *res, size_t *size)
{
   if (!res)
      return NULL;
   tegra20_context_sync_bo(ctx, tegra20_resource(res)->bo, TEGRA20_READ);
   *size = res->width0;
   return (uint8_t *)tegra20_bo_map(tegra20_resource(res)->bo) +
          tegra20_resource(res)->offset;
}

/* A buffer for each attribute, because those of an instance begin elsewhere.
 */
static void
tegra20_swtnl_set_vertices(struct tegra20_swtnl *swtnl)
{
   struct tegra20_context *ctx = swtnl->ctx;
   const struct tegra20_vertex_elements *ve = ctx->elements;
   struct pipe_vertex_element elements[TEGRA20_MAX_ATTRIBS];
   struct pipe_vertex_buffer buffers[TEGRA20_MAX_ATTRIBS];

   for (unsigned i = 0; i < ve->count; i++) {
      elements[i] = ve->elements[i];
      buffers[i] = ctx->vertex_buffers[elements[i].vertex_buffer_index];
      buffers[i].buffer_offset += ve->instance_offset[i];
      elements[i].vertex_buffer_index = i;
      elements[i].instance_divisor = 0;
   }
   draw_set_vertex_buffers(swtnl->draw, ve->count, buffers);
   draw_set_vertex_elements(swtnl->draw, ve->count, elements);
   for (unsigned i = 0; i < ve->count; i++) {
      size_t size = 0;
      const void *map =
         tegra20_swtnl_map_buffer(ctx, buffers[i].buffer.resource, &size);
      draw_set_mapped_vertex_buffer(swtnl->draw, i, map, size);
   }
}

static void
tegra20_swtnl_set_module_state(struct tegra20_swtnl *swtnl)
{
   struct tegra20_context *ctx = swtnl->ctx;

   swtnl->rast = ctx->rasterizer->base;
   swtnl->rast.offset_scale *= ctx->scale; /* slopes are depth per sample */
   swtnl->rast.flatshade =
      tegra20_swtnl_has_flat_colors(ctx->bound_fs->original);
   /* Triangles are cut off by the scissor, as the engine does it: where the
    * module cuts them, vertices are rounded and edges move.  It would draw
    * points whose centre is outside. */
   draw_set_driver_clipping(swtnl->draw, false, false,
                            ctx->plan->passes[0].kind == MESA_PRIM_TRIANGLES,
                            false);
   draw_set_viewport_states(swtnl->draw, 0, 1, &ctx->viewport);
   draw_set_clip_state(swtnl->draw, &ctx->clip);
   draw_set_rasterizer_state(swtnl->draw, &swtnl->rast, NULL);
   tegra20_swtnl_set_vertices(swtnl);

   const unsigned count = tegra20_vertex_words(ctx, swtnl->constants);
   draw_set_mapped_constant_buffer(swtnl->draw, PIPE_SHADER_VERTEX, 0,
                                   swtnl->constants, count * 4);
}

struct tegra20_shader *
tegra20_swtnl_vs(struct tegra20_context *ctx, uint64_t varyings)
{
   if (!ctx->swtnl)
      ctx->swtnl = tegra20_swtnl_create(ctx);
   if (!ctx->swtnl)
      return NULL;
   ctx->swtnl->varyings =
      varyings & ~(VARYING_BIT_POS | VARYING_BIT_FACE | VARYING_BIT_PNTC);
   return tegra20_swtnl_get_passthrough(ctx->swtnl, ctx->swtnl->varyings);
}

/* Vertices inside the buffers: the numbers from start on, or (NULL) vertices
 * from start on. */
static void
tegra20_swtnl_draw_inside(struct tegra20_context *ctx, enum mesa_prim mode,
                          const uint32_t *numbers, unsigned start,
                          unsigned count)
{
   struct tegra20_swtnl *swtnl = ctx->swtnl;
   const struct pipe_draw_info info = {
      .mode = mode,
      .index_size = numbers ? sizeof(*numbers) : 0,
      .has_user_indices = numbers,
      .index.user = numbers,
      .instance_count = 1,
   };
   const struct pipe_draw_start_count_bias draw = { .start = start,
                                                    .count = count };

   if (!tegra20_swtnl_bind_shaders(swtnl))
      return;
   draw_set_indexes(swtnl->draw, (const void *)numbers, info.index_size,
                    numbers ? ~0u : 0);
   tegra20_swtnl_set_module_state(swtnl);

   swtnl->sized_points =
      swtnl->rast.point_smooth && swtnl->rast.point_size_per_vertex &&
      (ctx->bound_vs->nir->info.outputs_written & VARYING_BIT_PSIZ);
   draw_vbo(swtnl->draw, &info, 0, NULL, &draw, 1, 0);
   draw_flush(swtnl->draw);
   tegra20_attribs_forget(ctx);
}

/* The module fetches all elements and does not look where they are: vertices
 * behind a buffer become the first one. */
void
tegra20_swtnl_draw(struct tegra20_context *ctx, struct tegra20_draw *draw)
{
   uint32_t num =
      ctx->elements
         ? tegra20_vertices_inside(ctx, BITFIELD_MASK(ctx->elements->count))
         : 0;

   if (!num || !tegra20_draw_clamp(draw, num))
      return;
   uint32_t *list = NULL;
   if (draw->info->index_size || draw->last >= num) {
      list = tegra20_draw_numbers(ctx, draw);
      if (!list)
         return;
      for (unsigned i = 0; i < draw->count; i++)
         list[i] = list[i] < num ? list[i] : 0;
   }
   tegra20_swtnl_draw_inside(ctx, draw->info->mode, list,
                             list ? 0 : draw->start, draw->count);
   FREE(list);
}
