/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Drawing through the passes of a plan (tegra20_pass.h).
 *
 * The engine takes 4096 vertices at once (A07), and 8- and 16-bit indices
 * (A06).  Draws that it can fetch directly become primitives, which are cut
 * into pieces where they are too many.  Everything else becomes a list of
 * vertex numbers, drawn in pieces with 16-bit indices of their own; pieces
 * that span more than 65536 vertices, or leave a buffer, get their vertices
 * copied, with zeros for vertices outside (robust buffer access).
 */

#include "tegra20_multipass.h"

#include "indices/u_indices.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"
#include "util/u_prim.h"
#include "util/u_upload_mgr.h"

#include "tegra20/gr3d_regs.h"
#include "tegra20/tegra20_hw.h"

#include "tegra20_context.h"
#include "tegra20_cost.h"
#include "tegra20_debug.h"
#include "tegra20_occlusion.h"
#include "tegra20_program.h"
#include "tegra20_resource.h"
#include "tegra20_scratch.h"
#include "tegra20_vertex.h"

#define MAX_DRAW_OFFSET 0xfffff /* field of 0x123 */
/* any multiple of every primitive's number of vertices works */
#define MAX_OUTSIDE_VERTICES 4
#define MAX_LIST_VERTICES (1u << 26)

/* Repeats of the passes of a loop before the CPU checks for active pixels,
 * and those of a loop that never ends. */
#define FIRST_REPEATS 8
#define MOST_REPEATS 64
#define MAX_REPEATS 65536

static bool
tegra20_pass_prepare(struct tegra20_context *ctx,
                     const struct tegra20_pass *pass)
{
   u_foreach_bit (c, pass->clear) {
      if (!tegra20_scratch_clear(ctx, pass->cbufs[c]))
         return false;
   }
   switch ((enum tegra20_pass_action)pass->action) {
   case TEGRA20_ACTION_NONE:
      return true;
   case TEGRA20_ACTION_TEST_STENCIL:
      return tegra20_test_stencil(ctx, pass);
   case TEGRA20_ACTION_TEST_FRAGMENTS:
      return tegra20_test_fragments(ctx, pass);
   case TEGRA20_ACTION_TEST_CAPTURED:
      return tegra20_test_captured(ctx, pass);
   }
   return false;
}

/* A group of primitives on its way through the passes. */
struct tegra20_primitive_group {
   const struct tegra20_draw_call *call, *dilated;
   struct tegra20_counter *counter;
   uint8_t mark;
};

static bool
tegra20_group_draw_pass(struct tegra20_context *ctx,
                        const struct tegra20_primitive_group *group,
                        unsigned i)
{
   struct tegra20_pass pass = ctx->plan->passes[i];

   pass.mark = group->mark;
   pass.counter = pass.counts ? group->counter : NULL;
   if (!tegra20_pass_prepare(ctx, &pass))
      return false;
   const bool drawn = tegra20_emit_draw(
      ctx, &pass, pass.whole_quads ? group->dilated : group->call);
   ctx->emitted_pass = NULL;
   return drawn;
}

/* Draws the passes of a loop so many times. */
static bool
tegra20_group_draw_repeats(struct tegra20_context *ctx,
                           const struct tegra20_primitive_group *group,
                           unsigned first, unsigned repeats)
{
   const unsigned in_loop = ctx->plan->passes[first].in_loop;

   for (unsigned i = 0; i < repeats * in_loop; i++) {
      if (!tegra20_group_draw_pass(ctx, group, first + i % in_loop))
         return false;
   }
   return true;
}

/* Draws them until the loop has ended for all pixels. */
static bool
tegra20_group_draw_loop(struct tegra20_context *ctx,
                        const struct tegra20_primitive_group *group,
                        unsigned first)
{
   const struct tegra20_pass *loop = &ctx->plan->passes[first];
   unsigned batch = FIRST_REPEATS;
   bool active = true;

   for (unsigned repeats = 0; active && repeats < MAX_REPEATS;) {
      if (!tegra20_group_draw_repeats(ctx, group, first, batch))
         return false;
      if (!tegra20_any_active(ctx, loop->active, &active))
         return false;
      repeats += batch;
      batch = CLAMP(repeats / 4, FIRST_REPEATS, MOST_REPEATS);
   }
   if (active)
      tegra20_msg_once("a loop of a fragment program was ended after %u "
                       "repeats of its passes",
                       MAX_REPEATS);
   return true;
}

/* Draws a call, which is one group of num_primitives, through all passes;
 * grouped: the draw was cut into groups. */
static bool
tegra20_plan_draw_group(struct tegra20_context *ctx,
                        const struct tegra20_draw_call *call,
                        const struct tegra20_draw_call *dilated,
                        unsigned num_primitives, bool grouped)
{
   const uint8_t not_drawn =
      grouped ? TEGRA20_WHEN_WHOLE : TEGRA20_WHEN_GROUPED;

   const struct tegra20_plan *plan = ctx->plan;
   struct tegra20_primitive_group group = { .call = call,
                                            .dilated = dilated };

   if (plan->counts) {
      group.counter = tegra20_occlusion_counter(ctx, num_primitives);
      if (!group.counter)
         return false;
   }
   if (plan->num_marks &&
       !tegra20_scratch_marks(ctx, plan->num_marks, &group.mark))
      return false;
   for (unsigned i = 0; i < plan->num_passes;
        i += MAX2(plan->passes[i].in_loop, 1)) {
      if (plan->passes[i].when == not_drawn)
         continue;
      const bool drawn = plan->passes[i].in_loop
                            ? tegra20_group_draw_loop(ctx, &group, i)
                            : tegra20_group_draw_pass(ctx, &group, i);
      if (!drawn)
         return false;
   }
   return true;
}

/* How a primitive too long for one draw is cut: parts of up to size vertices
 * that begin advance vertices apart. */
struct tegra20_cut {
   unsigned size, advance;
};

/* Parts of up to max_primitives (at least 2) and TEGRA20_MAX_DRAW_VERTICES.
 * False for modes that cannot be cut. */
static bool
tegra20_cut_primitives(enum mesa_prim mode, unsigned max_primitives,
                       struct tegra20_cut *cut)
{
   const uint32_t modes =
      BITFIELD_BIT(MESA_PRIM_POINTS) | BITFIELD_BIT(MESA_PRIM_LINES) |
      BITFIELD_BIT(MESA_PRIM_LINE_STRIP) | BITFIELD_BIT(MESA_PRIM_TRIANGLES) |
      BITFIELD_BIT(MESA_PRIM_TRIANGLE_STRIP);
   const struct u_prim_vertex_count *prim = u_prim_vertex_count(mode);
   unsigned n =
      MIN2(max_primitives,
           u_decomposed_prims_for_vertices(mode, TEGRA20_MAX_DRAW_VERTICES));

   if (!(modes & BITFIELD_BIT(mode)))
      return false;
   /* an even number of triangles, so that the next part begins with the right
    * winding */
   if (mode == MESA_PRIM_TRIANGLE_STRIP)
      n = MAX2(n & ~1u, 2);
   cut->size = prim->min + (n - 1) * prim->incr;
   cut->advance = n * prim->incr;
   return true;
}

/* Primitives that one draw of the engine may have. */
static unsigned
tegra20_plan_max_primitives(const struct tegra20_context *ctx)
{
   if (tegra20_plan_fetches_alone(ctx->plan))
      return 1;
   const unsigned max = ctx->plan->counts
                           ? tegra20_occlusion_max_primitives(ctx)
                           : TEGRA20_MAX_DRAW_VERTICES;
   return MIN2(max, tegra20_cost_max_primitives(ctx));
}

/* Is it one draw of the engine, whatever the primitives are? */
static bool
tegra20_plan_draws_whole(const struct tegra20_context *ctx, unsigned count)
{
   return ctx->plan->simple && count <= ctx->cost->max_vertices;
}

bool
tegra20_plan_can_draw(const struct tegra20_context *ctx, enum mesa_prim mode,
                      unsigned count)
{
   const unsigned max = tegra20_plan_max_primitives(ctx);
   struct tegra20_cut cut;

   if (ctx->plan->max_groups && mode != MESA_PRIM_POINTS &&
       mode != MESA_PRIM_LINES && mode != MESA_PRIM_LINE_STRIP &&
       mode != MESA_PRIM_TRIANGLES)
      return false;
   return tegra20_plan_draws_whole(ctx, count) ||
          (count <= TEGRA20_MAX_DRAW_VERTICES &&
           u_decomposed_prims_for_vertices(mode, count) <= max) ||
          tegra20_cut_primitives(mode, max, &cut);
}

static uint32_t
tegra20_primitive_type(enum mesa_prim mode)
{
   switch (mode) {
   case MESA_PRIM_POINTS:
      return GR3D_PRIMITIVE_TYPE_POINTS;
   case MESA_PRIM_LINES:
      return GR3D_PRIMITIVE_TYPE_LINES;
   case MESA_PRIM_LINE_LOOP:
      return GR3D_PRIMITIVE_TYPE_LINE_LOOP;
   case MESA_PRIM_LINE_STRIP:
      return GR3D_PRIMITIVE_TYPE_LINE_STRIP;
   case MESA_PRIM_TRIANGLE_STRIP:
      return GR3D_PRIMITIVE_TYPE_TRIANGLE_STRIP;
   case MESA_PRIM_TRIANGLE_FAN:
      return GR3D_PRIMITIVE_TYPE_TRIANGLE_FAN;
   default:
      return GR3D_PRIMITIVE_TYPE_TRIANGLES;
   }
}

static uint32_t
tegra20_draw_params(const struct tegra20_context *ctx,
                    const struct tegra20_primitives *prims)
{
   uint32_t index_mode = !prims->index_bo         ? GR3D_INDEX_MODE_NONE
                         : prims->index_size == 1 ? GR3D_INDEX_MODE_UINT8
                                                  : GR3D_INDEX_MODE_UINT16;
   /* A30: the bit selects the last vertex, or the first one */
   const bool first = ctx->rasterizer->base.flatshade_first ^
                      TEGRA20_HW_IS(PROVOKING_BIT, FIRST);
   uint32_t provoking =
      first ? GR3D_PROVOKING_VERTEX_FIRST : GR3D_PROVOKING_VERTEX_LAST;

   return GR3D_DRAW_PARAMS_PRIMITIVE_TYPE(
             tegra20_primitive_type(prims->mode)) |
          GR3D_DRAW_PARAMS_INDEX_MODE(index_mode) |
          GR3D_DRAW_PARAMS_PROVOKING_VERTEX(provoking);
}

/* Do the triangles at t and t + 3 of a list share an edge, in opposite
 * directions as neighbours with the same winding do? */
static bool
tegra20_share_edge(const uint32_t *t)
{
   for (unsigned i = 0; i < 3; i++) {
      for (unsigned j = 0; j < 3; j++) {
         if (t[i] == t[3 + (j + 1) % 3] && t[(i + 1) % 3] == t[3 + j])
            return true;
      }
   }
   return false;
}

/* Vertices of the group that begins at a vertex of a list of primitives. */
static unsigned
tegra20_group_size(const struct tegra20_context *ctx,
                   const struct tegra20_primitives *prims, unsigned at)
{
   const unsigned cull = ctx->rasterizer->base.cull_face;

   if (prims->vertices_per_group)
      return prims->vertices_per_group;
   switch (prims->mode) {
   case MESA_PRIM_POINTS:
      return 1;
   case MESA_PRIM_LINES:
   case MESA_PRIM_LINE_STRIP:
      return 2;
   default:
      return prims->numbers && cull != PIPE_FACE_NONE &&
                   at + 6 <= prims->count &&
                   tegra20_share_edge(&prims->numbers[at])
                ? 6
                : 3;
   }
}

/* Draws a call through the passes of a plan that has several, or counts. */
static ATTRIBUTE_NOINLINE bool
tegra20_plan_draw_passes(struct tegra20_context *ctx,
                         const struct tegra20_primitives *prims, unsigned at,
                         const struct tegra20_draw_call *call, bool grouped)
{
   /* Not before: a copy of recent writes waits for them. */
   struct tegra20_draw_call dilated = *call;

   if (ctx->plan->dilates && prims->dilated) {
      const struct tegra20_dilated *d = &prims->dilated[at / call->count];

      if (!d->count)
         return true; /* it covers no pixel */
      dilated.params = tegra20_draw_params(
         ctx, &(struct tegra20_primitives){ .mode = MESA_PRIM_TRIANGLES });
      dilated.first = d->first;
      dilated.count = d->count;
   }
   return tegra20_plan_draw_group(
      ctx, call, &dilated,
      u_decomposed_prims_for_vertices(prims->mode, call->count), grouped);
}

/* A part of the primitives as one draw. */
static bool
tegra20_plan_draw_part(struct tegra20_context *ctx,
                       const struct tegra20_primitives *prims, unsigned at,
                       unsigned count, bool grouped)
{
   const struct tegra20_draw_call call = {
      .params = tegra20_draw_params(ctx, prims),
      .first = prims->index_bo ? 0 : prims->first + at,
      .count = count,
      .index_bo = prims->index_bo,
      .index_offset =
         prims->index_offset + (prims->first + at) * prims->index_size,
      .mode = prims->mode,
   };

   if (ctx->plan->num_passes == 1 && !ctx->plan->counts)
      return tegra20_emit_draw(ctx, &ctx->plan->passes[0], &call);
   return tegra20_plan_draw_passes(ctx, prims, at, &call, grouped);
}

static void
tegra20_plan_draw_groups(struct tegra20_context *ctx,
                         const struct tegra20_primitives *prims)
{
   const unsigned overlap = prims->mode == MESA_PRIM_LINE_STRIP;
   unsigned size;

   for (unsigned at = 0; at + overlap < prims->count; at += size - overlap) {
      size = tegra20_group_size(ctx, prims, at);
      if (at + size > prims->count ||
          !tegra20_plan_draw_part(ctx, prims, at, size, true))
         break;
   }
}

/* Draws primitives that take more than one draw of the engine. */
static ATTRIBUTE_NOINLINE void
tegra20_plan_draw_cut(struct tegra20_context *ctx,
                      const struct tegra20_primitives *prims)
{
   const unsigned max = tegra20_plan_max_primitives(ctx);
   const unsigned num =
      u_decomposed_prims_for_vertices(prims->mode, prims->count);
   struct tegra20_cut cut = { prims->count, prims->count };

   if (ctx->plan->dilates ||
       (ctx->plan->max_groups && num <= ctx->plan->max_groups)) {
      tegra20_plan_draw_groups(ctx, prims);
      return;
   }
   if (prims->count > TEGRA20_MAX_DRAW_VERTICES || num > max)
      tegra20_cut_primitives(prims->mode, max, &cut);
   for (unsigned done = 0; done < prims->count; done += cut.advance) {
      unsigned count = MIN2(prims->count - done, cut.size);

      if (done && !u_trim_pipe_prim(prims->mode, &count))
         break;
      if (!tegra20_plan_draw_part(ctx, prims, done, count, false) ||
          done + count == prims->count)
         break;
   }
}

void
tegra20_plan_draw(struct tegra20_context *ctx,
                  const struct tegra20_primitives *prims)
{
   if (tegra20_plan_draws_whole(ctx, prims->count))
      tegra20_plan_draw_part(ctx, prims, 0, prims->count, false);
   else
      tegra20_plan_draw_cut(ctx, prims);
}

/* --- lists of vertex numbers --- */

/* Copies the vertices of a part into a buffer of their own and draws them
 * without indices. */
static void
tegra20_draw_copied(struct tegra20_context *ctx, enum mesa_prim mode,
                    const uint32_t *vertices, unsigned count)
{
   const bool corners =
      ctx->plan->passes[0].expands_points && mode == MESA_PRIM_POINTS;
   struct pipe_resource *buffer = NULL;
   struct tegra20_primitives prims = {
      .mode = mode,
      .count = count,
      .numbers = vertices,
   };

   if (corners) {
      prims.mode = MESA_PRIM_TRIANGLES;
      prims.count = count * TEGRA20_POINT_CORNERS;
      prims.vertices_per_group = TEGRA20_POINT_CORNERS;
      prims.numbers = NULL;
   }
   if (!tegra20_attribs_copy(ctx, vertices, count, corners, &buffer))
      return;
   tegra20_plan_draw(ctx, &prims);
   pipe_resource_reference(&buffer, NULL);
   tegra20_attribs_forget(ctx);
}

/* One piece of a list of points, lines or triangles. */
static void
tegra20_draw_list_part(struct tegra20_context *ctx, enum mesa_prim mode,
                       const uint32_t *vertices, unsigned count,
                       uint32_t num_fetchable)
{
   uint32_t min = UINT32_MAX, max = 0;

   if (ctx->plan->passes[0].expands_points && mode == MESA_PRIM_POINTS) {
      tegra20_draw_copied(ctx, mode, vertices, count);
      return;
   }
   for (unsigned i = 0; i < count; i++) {
      min = MIN2(min, vertices[i]);
      max = MAX2(max, vertices[i]);
   }
   /* For a sparse piece, converting only the drawn vertices is cheaper. */
   bool sparse = max - min >= 2 * count && ctx->unsupported_attribs;
   if (max >= num_fetchable || max - min > 0xffff || sparse ||
       !tegra20_attribs_update(ctx, min, max - min + 1)) {
      tegra20_draw_copied(ctx, mode, vertices, count);
      return;
   }

   struct pipe_resource *buffer = NULL;
   unsigned offset = 0;
   uint16_t *indices = NULL;

   u_upload_alloc(ctx->base.stream_uploader, 0, count * 2, 4, &offset,
                  &buffer, (void **)&indices);
   if (!buffer)
      return;
   for (unsigned i = 0; i < count; i++)
      indices[i] = vertices[i] - min;
   const struct tegra20_primitives prims = {
      .mode = mode,
      .count = count,
      .index_bo = tegra20_resource(buffer)->bo,
      .index_offset = offset,
      .index_size = 2,
      .numbers = vertices,
   };
   tegra20_plan_draw(ctx, &prims);
   pipe_resource_reference(&buffer, NULL);
}

static void
tegra20_draw_list(struct tegra20_context *ctx, enum mesa_prim mode,
                  const uint32_t *vertices, unsigned count)
{
   uint32_t num_fetchable = ctx->num_vertices;
   struct tegra20_cut cut;

   tegra20_cut_primitives(mode, TEGRA20_MAX_DRAW_VERTICES, &cut);
   for (unsigned done = 0; done < count; done += cut.advance)
      tegra20_draw_list_part(ctx, mode, vertices + done,
                             MIN2(count - done, cut.size), num_fetchable);
}

uint32_t *
tegra20_draw_numbers(struct tegra20_context *ctx,
                     const struct tegra20_draw *draw)
{
   /* any sum is a vertex number, whose vertex is checked where it is
    * fetched */
   const uint32_t bias = draw->index_bias;
   const struct pipe_draw_info *info = draw->info;
   struct pipe_transfer *transfer = NULL;

   /* More than fits into any buffer: drawn without buffers, by an application
    * that wants to know. */
   if (draw->count > MAX_LIST_VERTICES) {
      tegra20_msg_once("a draw of %u vertices is dropped", draw->count);
      return NULL;
   }
   const void *indices = info->index.user;
   if (info->index_size && !info->has_user_indices) {
      indices = pipe_buffer_map(&ctx->base, info->index.resource,
                                PIPE_MAP_READ, &transfer);
      if (!indices)
         return NULL;
   }
   uint32_t *list = MALLOC(draw->count * sizeof(uint32_t));
   for (unsigned i = 0; list && i < draw->count; i++) {
      unsigned n = draw->start + i;
      switch (info->index_size) {
      case 1:
         list[i] = ((const uint8_t *)indices)[n] + bias;
         break;
      case 2:
         list[i] = ((const uint16_t *)indices)[n] + bias;
         break;
      case 4:
         list[i] = ((const uint32_t *)indices)[n] + bias;
         break;
      default:
         list[i] = n;
         break;
      }
   }
   if (transfer)
      pipe_buffer_unmap(&ctx->base, transfer);
   return list;
}

#define LIST_MODES                                                   \
   (BITFIELD_BIT(MESA_PRIM_POINTS) | BITFIELD_BIT(MESA_PRIM_LINES) | \
    BITFIELD_BIT(MESA_PRIM_TRIANGLES))
#define NATIVE_MODES                                  \
   (LIST_MODES | BITFIELD_BIT(MESA_PRIM_LINE_STRIP) | \
    BITFIELD_BIT(MESA_PRIM_LINE_LOOP) |               \
    BITFIELD_BIT(MESA_PRIM_TRIANGLE_STRIP) |          \
    BITFIELD_BIT(MESA_PRIM_TRIANGLE_FAN))

/* Are polygons drawn as points, at their corners? */
static bool
tegra20_draws_corners(const struct tegra20_context *ctx, enum mesa_prim mode)
{
   return ctx->plan->passes[0].kind == MESA_PRIM_POINTS &&
          mode != MESA_PRIM_POINTS;
}

void *
tegra20_translate_list(const struct tegra20_context *ctx,
                       enum mesa_prim *mode, void *list, unsigned index_size,
                       unsigned *count)
{
   unsigned pv = ctx->rasterizer->base.flatshade_first ? PV_FIRST : PV_LAST;
   enum mesa_prim out_mode;
   unsigned out_size, out_count;
   u_translate_func translate;
   void *out = NULL;

   if (LIST_MODES & BITFIELD_BIT(*mode))
      return list;
   if (u_index_translator(LIST_MODES, *mode, index_size, *count, pv, pv,
                          PR_DISABLE, &out_mode, &out_size, &out_count,
                          &translate) != U_TRANSLATE_ERROR)
      out = MALLOC(out_count * index_size);
   if (out)
      translate(list, 0, *count, out_count, 0, out);
   FREE(list);
   *mode = out_mode;
   *count = out_count;
   return out;
}

bool
tegra20_draw_clamp(struct tegra20_draw *draw, uint32_t num_fetchable)
{
   uint32_t inside =
      draw->start < num_fetchable ? num_fetchable - draw->start : 0;

   if (draw->info->index_size || num_fetchable == UINT32_MAX)
      return true;
   draw->count = MIN2(draw->count, inside + MAX_OUTSIDE_VERTICES);
   return u_trim_pipe_prim(draw->info->mode, &draw->count);
}

static void
tegra20_draw_as_list(struct tegra20_context *ctx, struct tegra20_draw *draw)
{
   if (!tegra20_draw_clamp(draw, ctx->num_vertices))
      return;

   uint32_t *list = tegra20_draw_numbers(ctx, draw);
   enum mesa_prim mode = draw->info->mode;
   unsigned count = draw->count;

   if (tegra20_draws_corners(ctx, mode))
      mode = MESA_PRIM_POINTS;
   else if (list)
      list = tegra20_translate_list(ctx, &mode, list, sizeof(*list), &count);
   if (list)
      tegra20_draw_list(ctx, mode, list, count);
   FREE(list);
}

/* --- draws of the application --- */

/* Can the engine draw it as it is, in parts when it is too long? */
static bool
tegra20_is_native(const struct tegra20_context *ctx,
                  const struct tegra20_draw *draw)
{
   return draw->last < ctx->num_vertices &&
          (NATIVE_MODES & BITFIELD_BIT(draw->info->mode)) &&
          !ctx->plan->passes[0].expands_points &&
          !tegra20_draws_corners(ctx, draw->info->mode) &&
          (tegra20_plan_draws_whole(ctx, draw->count) ||
           tegra20_plan_can_draw(ctx, draw->info->mode, draw->count));
}

/* Draws vertices as they are.  False when that is not possible. */
static bool
tegra20_draw_arrays(struct tegra20_context *ctx,
                    const struct tegra20_draw *draw)
{
   const bool from_start =
      draw->last >= MAX_DRAW_OFFSET || ctx->unsupported_attribs;
   const struct tegra20_primitives prims = {
      .mode = draw->info->mode,
      .first = from_start ? 0 : draw->start,
      .count = draw->count,
   };

   if (!tegra20_is_native(ctx, draw) ||
       !tegra20_attribs_update(ctx, from_start ? draw->start : 0,
                               draw->count))
      return false;
   tegra20_plan_draw(ctx, &prims);
   return true;
}

/* The same with indices. */
static bool
tegra20_draw_elements(struct tegra20_context *ctx,
                      const struct tegra20_draw *draw)
{
   const struct pipe_draw_info *info = draw->info;
   struct tegra20_primitives prims = {
      .mode = info->mode,
      .count = draw->count,
      .index_size = info->index_size,
   };
   struct pipe_resource *upload = NULL;

   if (info->index_size > 2 || draw->first < 0 || ctx->unsupported_attribs ||
       !tegra20_is_native(ctx, draw) ||
       !tegra20_attribs_update(ctx, draw->index_bias, 0))
      return false;
   if (!info->has_user_indices) {
      const struct tegra20_resource *res =
         tegra20_resource(info->index.resource);

      prims.first = draw->start;
      prims.index_bo = res->bo;
      prims.index_offset = res->offset;
   } else {
      u_upload_data(
         ctx->base.stream_uploader, 0, draw->count * info->index_size, 4,
         (const uint8_t *)info->index.user + draw->start * info->index_size,
         &prims.index_offset, &upload);
      prims.index_bo = upload ? tegra20_resource(upload)->bo : NULL;
   }
   if (prims.index_bo)
      tegra20_plan_draw(ctx, &prims);
   pipe_resource_reference(&upload, NULL);
   return true;
}

void
tegra20_plan_draw_vertices(struct tegra20_context *ctx,
                           struct tegra20_draw *draw)
{
   if (!(draw->info->index_size ? tegra20_draw_elements(ctx, draw)
                                : tegra20_draw_arrays(ctx, draw)))
      tegra20_draw_as_list(ctx, draw);
}
