/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Primitives into fragments.  A primitive is a convex area between edges, and
 * planes for depth, 1/w and each varying.  The tile is walked in blocks of
 * 8x8 pixels, which mostly are inside or outside of an edge as a whole; quads
 * that are covered gather until four of them make a run of the fragment
 * program.
 *
 * A program computes a varying as V * W + C.  C is the value at the first
 * corner (flat ones: at the last vertex, with V = 0), and V = A * (x - x0) +
 * B * (y - y0), the plane through what remains, over w.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "qpu_alu.h"

#define MAX_EDGES 4
#define CONFIG_EARLY_Z (1u << 16)
/* Depths from 0 to 1 have 24 bits and are cut; 1 is the largest.  A depth
 * buffer that was cleared to 0.75 of 2^24 - 1 has not the depth of a polygon
 * at 0.75 on boards (docs/videocore.md). */
#define DEPTH_SCALE 16777216.0f

/* Inside: a * x + b * y + c >= 0, in 1/16 of pixels. */
struct edge {
   int64_t a, b, c;
};

struct plane {
   float a, b, f0; /* f0: at (x0, y0) */
};

struct setup {
   unsigned num_edges;
   struct edge edges[MAX_EDGES];
   float x0, y0;
   struct plane z, rcp_w;
   float depth_offset; /* steps of the depth buffer */
   struct plane varying[MAX_VARYINGS + 2];
   float constant[MAX_VARYINGS + 2];
   unsigned num_varyings;
   bool back;
   int bx0, by0, bx1, by1; /* pixels, the last excluded */
};

struct raster_worker {
   struct qpu qpu;
   struct tmu tmu[2];
   qpu_u varying_v[MAX_VARYINGS + 2];
   struct tlb_block block;
   struct tmu_cache cache;
   struct v3d *v3d;
   struct setup setup;
   const struct raster_tile *tile;
   const struct raster_state *state;
   unsigned num_quads;
   uint16_t quad_x[4], quad_y[4]; /* in the tile */
   uint64_t fragments, instructions;
};

/* Places of samples in a pixel, in 1/16. */
static const int8_t sample_x[4] = { -2, 6, -6, 2 };
static const int8_t sample_y[4] = { -6, -2, 2, 6 };

struct raster_worker *
raster_worker_create(struct v3d *v3d)
{
   struct raster_worker *w = aligned_alloc(64, (sizeof(*w) + 63) & ~63ul);
   if (!w)
      return NULL;
   memset(w, 0, sizeof(*w));
   w->v3d = v3d;
   return w;
}

void
raster_worker_destroy(struct raster_worker *w)
{
   free(w);
}

void
raster_worker_begin(struct raster_worker *w)
{
   qpu_init(&w->qpu, w->v3d, QPU_FRAGMENT);
   w->qpu.tmu = w->tmu;
   w->qpu.tlb = &w->block;
   w->qpu.varying_v = w->varying_v;
   w->qpu.varying_c = w->setup.constant;
   w->tmu[0].cache = w->tmu[1].cache = &w->cache;
   w->cache.used = w->cache.next = 0;
   w->cache.lookups = w->fragments = w->instructions = 0;
   w->num_quads = 0;
}

void
raster_worker_end(struct raster_worker *w, struct v3d_stats *stats)
{
   stats->fragments += w->fragments;
   stats->instructions += w->instructions;
   stats->texture_lookups += w->cache.lookups;
}

/* --- running programs --- */

QPU_INLINE qpu_f
eval(const struct plane *p, qpu_f dx, qpu_f dy)
{
   return dx * p->a + (dy * p->b + p->f0);
}

/* Whether the depth test may leave anything. */
static bool
early_z(struct raster_worker *w)
{
   struct tlb_block *block = &w->block;
   const unsigned func = CONFIG_DEPTH_FUNC(block->config);
   for (unsigned lane = 0; lane < QPU_LANES; lane++) {
      if (!block->cover[lane])
         continue;
      uint32_t z = block->z[lane];
      uint32_t old =
         block->tile->zs[block->quad[lane / 4] * 4 + (lane & 3)] >> 8;
      if (func == 1 ? z < old : z <= old)
         return true;
   }
   return false;
}

static bool
needs_program(struct raster_worker *w)
{
   const struct tlb_block *block = &w->block;
   const unsigned func = CONFIG_DEPTH_FUNC(block->config);
   if (!(block->config & CONFIG_EARLY_Z) || block->multisample ||
       (func != 1 && func != 3) || w->state->program->stencil)
      return true;
   return early_z(w);
}

static QPU_CLONES void
run_program(struct raster_worker *w)
{
   const struct setup *s = &w->setup;
   struct tlb_block *block = &w->block;
   struct qpu *q = &w->qpu;
   qpu_u x, y;

   for (unsigned i = w->num_quads; i < 4; i++) {
      w->quad_x[i] = w->quad_x[0];
      w->quad_y[i] = w->quad_y[0];
      block->quad[i] = block->quad[0];
      memset(&block->cover[i * 4], 0, 4);
   }
   w->num_quads = 0;
   for (unsigned lane = 0; lane < QPU_LANES; lane++) {
      x[lane] = w->tile->x + w->quad_x[lane / 4] + (lane & 1);
      y[lane] = w->tile->y + w->quad_y[lane / 4] + (lane >> 1 & 1);
   }
   qpu_f dx = __builtin_convertvector((qpu_i)x, qpu_f) + (0.5f - s->x0);
   qpu_f dy = __builtin_convertvector((qpu_i)y, qpu_f) + (0.5f - s->y0);
   qpu_f z = eval(&s->z, dx, dy) * DEPTH_SCALE + s->depth_offset;
   qpu_u most = (qpu_u)(z >= 16777215.0f), inside = (qpu_u)(z > 0) & ~most;
   qpu_i whole = __builtin_convertvector((qpu_f)((qpu_u)z & inside), qpu_i);
   block->z = (qpu_u)whole | (most & 0xffffff);
   if (!needs_program(w))
      return;

   qpu_f rcp_w = eval(&s->rcp_w, dx, dy);
   q->a[15] = (qpu_u)(1.0f / rcp_w);
   q->b[15] = block->z;
   q->x = x;
   q->y = y;
   q->reverse = (qpu_u){ 0 } + (uint32_t)s->back;
   for (unsigned lane = 0; lane < QPU_LANES; lane++)
      q->ms_flags[lane] = block->cover[lane];
   for (unsigned i = 0; i < s->num_varyings; i++)
      w->varying_v[i] = (qpu_u)eval(&s->varying[i], dx, dy);
   q->num_varyings = s->num_varyings;
   q->next_varying = 0;
   q->failed = q->mutex = false;
   q->two_threads = w->state->two_threads;
   block->stencil_on = false;
   block->ms_read = block->ms_write = 0;
   tmu_reset(&w->tmu[0]);
   tmu_reset(&w->tmu[1]);
   for (unsigned lane = 0; lane < QPU_LANES; lane++)
      w->fragments += block->cover[lane] != 0;
   q->executed = 0;
   qpu_run(q, w->state->program, w->state->uniforms);
   w->instructions += q->executed;
}

/* x, y: in the tile, even; cover: of four pixels, a byte each. */
static inline void
add_quad(struct raster_worker *w, unsigned x, unsigned y, uint32_t cover)
{
   unsigned i = w->num_quads++;
   w->quad_x[i] = x;
   w->quad_y[i] = y;
   w->block.quad[i] = y / 2 * (w->tile->width / 2) + x / 2;
   memcpy(&w->block.cover[i * 4], &cover, 4);
   if (w->num_quads == 4)
      run_program(w);
}

/* --- walking --- */

#define BLOCK 8

/* Edges of a block that its pixels lie on both sides of, with their value at
 * the first pixel's centre. */
struct partial {
   int32_t a, b, c; /* a and b: per pixel */
   int32_t sample[4];
};

/* Which samples of a pixel are inside of all. */
static inline unsigned
cover_pixel(const struct partial *edges, unsigned count, int x, int y,
            bool multisample)
{
   unsigned cover = multisample ? 15 : 1;
   for (unsigned i = 0; i < count; i++) {
      int32_t e = edges[i].c + edges[i].a * x + edges[i].b * y;
      if (!multisample) {
         if (e < 0)
            return 0;
         continue;
      }
      for (unsigned s = 0; s < 4; s++) {
         if (e + edges[i].sample[s] < 0)
            cover &= ~(1u << s);
      }
   }
   return cover;
}

/* Prepares the edges that cross a block whose first pixel is (x, y); false:
 * the block is outside. */
static bool
cross_block(const struct setup *s, int x, int y, struct partial *out,
            unsigned *count)
{
   *count = 0;
   for (unsigned i = 0; i < s->num_edges; i++) {
      const struct edge *e = &s->edges[i];
      int64_t at = e->a * (x * 16 + 8) + e->b * (y * 16 + 8) + e->c;
      int64_t span_x = e->a * 16 * (BLOCK - 1);
      int64_t span_y = e->b * 16 * (BLOCK - 1);
      /* samples lie up to half a pixel away */
      int64_t slack = (llabs(e->a) + llabs(e->b)) * 8;
      if (at + V3D_MAX(span_x, 0) + V3D_MAX(span_y, 0) + slack < 0)
         return false;
      if (at + V3D_MIN(span_x, 0) + V3D_MIN(span_y, 0) - slack >= 0)
         continue;
      struct partial *p = &out[(*count)++];
      p->a = e->a * 16;
      p->b = e->b * 16;
      p->c = at;
      for (unsigned n = 0; n < 4; n++)
         p->sample[n] = e->a * sample_x[n] + e->b * sample_y[n];
   }
   return true;
}

/* The part of a block within the bounds. */
struct window {
   int x0, y0, x1, y1;
};

static void
walk_block(struct raster_worker *w, const struct window *window, int bx,
           int by)
{
   struct partial edges[MAX_EDGES];
   unsigned count;
   /* Without oversampling a pixel's samples go together. */
   const bool ms = w->block.multisample && w->block.oversample;
   const unsigned all = w->block.multisample && !ms ? 15 : 1;
   if (!cross_block(&w->setup, bx, by, edges, &count))
      return;
   const bool inside = bx >= window->x0 && by >= window->y0 &&
                       bx + BLOCK <= window->x1 && by + BLOCK <= window->y1;
   const uint32_t full = ms ? 0x0f0f0f0f : all * 0x01010101;
   for (int y = 0; y < BLOCK; y += 2) {
      for (int x = 0; x < BLOCK; x += 2) {
         uint32_t cover = full;
         if (count || !inside) {
            cover = 0;
            for (unsigned i = 0; i < 4; i++) {
               int px = x + (i & 1), py = y + (i >> 1);
               if (bx + px < window->x0 || bx + px >= window->x1 ||
                   by + py < window->y0 || by + py >= window->y1)
                  continue;
               cover |= cover_pixel(edges, count, px, py, ms) * all << 8 * i;
            }
         }
         if (cover)
            add_quad(w, bx + x - w->tile->x, by + y - w->tile->y, cover);
      }
   }
}

static void
fill(struct raster_worker *w)
{
   const struct setup *s = &w->setup;
   const struct cl_state *cl = &w->state->cl;
   const struct raster_tile *tile = w->tile;
   struct window window = {
      .x0 = V3D_MAX(s->bx0, V3D_MAX((int)tile->x, cl->clip_left)),
      .y0 = V3D_MAX(s->by0, V3D_MAX((int)tile->y, cl->clip_bottom)),
      .x1 = V3D_MIN(s->bx1,
                    V3D_MIN((int)(tile->x + tile->width), clip_right(cl))),
      .y1 = V3D_MIN(s->by1,
                    V3D_MIN((int)(tile->y + tile->height), clip_top(cl))),
   };
   w->block.tile = tile->buffer;
   w->block.config = cl->config;
   w->block.back = s->back;
   w->block.multisample = w->state->multisample;
   w->block.oversample = CONFIG_OVERSAMPLE(cl->config) != 0;
   for (unsigned n = 0; n < 4; n++)
      w->block.sample_dz[n] =
         w->block.oversample ? (s->z.a * sample_x[n] + s->z.b * sample_y[n]) *
                                  (DEPTH_SCALE / 16)
                             : 0;
   for (int y = window.y0 & ~(BLOCK - 1); y < window.y1; y += BLOCK) {
      for (int x = window.x0 & ~(BLOCK - 1); x < window.x1; x += BLOCK)
         walk_block(w, &window, x, y);
   }
   if (w->num_quads)
      run_program(w);
}

/* --- set-up --- */

/* In 1/16 of pixels. */
struct point {
   int64_t x, y;
};

#define LIMIT 65536.0f /* pixels */

static bool
to_point(float x, float y, struct point *p)
{
   if (!(fabsf(x) < LIMIT) || !(fabsf(y) < LIMIT))
      return false;
   p->x = llrintf(x * 16);
   p->y = llrintf(y * 16);
   return true;
}

/* Edges around corners that go clockwise as seen with y downwards; the
 * centres on upper and left edges belong to the area. */
static void
set_edges(struct setup *s, const struct point *p, unsigned count)
{
   int64_t x0 = p[0].x, x1 = x0, y0 = p[0].y, y1 = y0;
   s->num_edges = count;
   for (unsigned i = 0; i < count; i++) {
      const struct point *from = &p[i], *to = &p[(i + 1) % count];
      int64_t dx = to->x - from->x, dy = to->y - from->y;
      bool top_left = dy < 0 || (dy == 0 && dx > 0);
      s->edges[i] = (struct edge){
         .a = -dy,
         .b = dx,
         .c = dy * from->x - dx * from->y - !top_left,
      };
      x0 = V3D_MIN(x0, from->x);
      y0 = V3D_MIN(y0, from->y);
      x1 = V3D_MAX(x1, from->x);
      y1 = V3D_MAX(y1, from->y);
   }
   s->bx0 = (x0 >> 4) - 1;
   s->by0 = (y0 >> 4) - 1;
   s->bx1 = (x1 >> 4) + 2;
   s->by1 = (y1 >> 4) + 2;
}

/* The value of a varying at a corner. */
static float
corner(const struct raster_vertex *v, const float *const varyings[3],
       unsigned num, unsigned i)
{
   if (v->weight[0] == 1)
      return varyings[0][i];
   float value = 0;
   for (unsigned n = 0; n < num; n++)
      value += v->weight[n] * varyings[n][i];
   return value;
}

/* Sorts out NaNs and infinities, which would reach every pixel. */
static float
make_finite(float f)
{
   return fabsf(f) <= 3e38f ? f : 0;
}

struct gradient {
   float x1, y1, x2, y2, rcp_area; /* of the corners from the first */
};

static void
set_plane(struct plane *p, const struct gradient *g, float f0, float f1,
          float f2)
{
   float d1 = f1 - f0, d2 = f2 - f0;
   p->a = make_finite((d1 * g->y2 - d2 * g->y1) * g->rcp_area);
   p->b = make_finite((d2 * g->x1 - d1 * g->x2) * g->rcp_area);
   p->f0 = make_finite(f0);
}

static void
set_varyings(struct raster_worker *w, const struct gradient *g,
             const struct raster_vertex *v[3], const float *const varyings[3],
             unsigned num)
{
   struct setup *s = &w->setup;
   unsigned extra = s->num_varyings;
   for (unsigned i = 0; i < w->state->num_varyings; i++) {
      struct plane *p = &s->varying[extra + i];
      if (w->state->cl.flat >> (i & 31) & 1) {
         *p = (struct plane){ 0 };
         s->constant[extra + i] = varyings[num - 1][i];
         continue;
      }
      float c = corner(v[0], varyings, num, i);
      float v1 = corner(v[1], varyings, num, i);
      float v2 = corner(v[2], varyings, num, i);
      set_plane(p, g, 0, (v1 - c) * v[1]->rcp_w, (v2 - c) * v[2]->rcp_w);
      s->constant[extra + i] = c;
   }
   s->num_varyings = extra + w->state->num_varyings;
}

/* A float's upper half. */
static float
from_half_word(uint16_t bits)
{
   uint32_t word = (uint32_t)bits << 16;
   float value;
   memcpy(&value, &word, 4);
   return value;
}

/* In steps of the depth buffer: as a part of the plane, a step would be lost
 * to rounding where depths are near 1. */
static float
depth_offset(const struct raster_worker *w)
{
   const struct cl_state *cl = &w->state->cl;
   const struct plane *z = &w->setup.z;
   if (!(cl->config & CONFIG_DEPTH_OFFSET))
      return 0;
   float slope = fmaxf(fabsf(z->a), fabsf(z->b));
   return from_half_word(cl->depth_factor) * slope * DEPTH_SCALE +
          from_half_word(cl->depth_units);
}

static void
raster_triangle(struct raster_worker *w, const struct raster_vertex *v[3],
                const float *const varyings[3])
{
   struct setup *s = &w->setup;
   const uint32_t config = w->state->cl.config;
   struct point p[3];
   for (unsigned i = 0; i < 3; i++) {
      if (!to_point(v[i]->x, v[i]->y, &p[i]))
         return;
   }
   int64_t area = (p[1].x - p[0].x) * (p[2].y - p[0].y) -
                  (p[2].x - p[0].x) * (p[1].y - p[0].y);
   if (!area)
      return;
   bool front = (area < 0) == !!(config & CONFIG_CLOCKWISE);
   if (!(config & (front ? CONFIG_FRONT : CONFIG_BACK)))
      return;
   s->back = !front;
   struct gradient g = {
      .x1 = (p[1].x - p[0].x) / 16.0f,
      .y1 = (p[1].y - p[0].y) / 16.0f,
      .x2 = (p[2].x - p[0].x) / 16.0f,
      .y2 = (p[2].y - p[0].y) / 16.0f,
      .rcp_area = 256.0f / area,
   };
   s->x0 = p[0].x / 16.0f;
   s->y0 = p[0].y / 16.0f;
   set_plane(&s->z, &g, v[0]->z, v[1]->z, v[2]->z);
   set_plane(&s->rcp_w, &g, v[0]->rcp_w, v[1]->rcp_w, v[2]->rcp_w);
   s->depth_offset = depth_offset(w);
   s->num_varyings = 0;
   set_varyings(w, &g, v, varyings, 3);
   if (area < 0) {
      struct point swap = p[1];
      p[1] = p[2];
      p[2] = swap;
   }
   set_edges(s, p, 3);
   fill(w);
}

/* A square; the place in it is two varyings before the others. */
static void
raster_point(struct raster_worker *w, const struct raster_vertex *v,
             const float *const varyings[3], float size)
{
   struct setup *s = &w->setup;
   struct point p[4];
   float r = size * 0.5f;
   if (!(size > 0) || !to_point(v->x - r, v->y - r, &p[0]) ||
       !to_point(v->x + r, v->y + r, &p[2]))
      return;
   p[1] = (struct point){ p[2].x, p[0].y };
   p[3] = (struct point){ p[0].x, p[2].y };
   s->back = false;
   s->x0 = v->x;
   s->y0 = v->y;
   s->z = (struct plane){ 0, 0, make_finite(v->z) };
   s->depth_offset = 0;
   s->rcp_w = (struct plane){ 0, 0, make_finite(v->rcp_w) };
   s->varying[0] = (struct plane){ v->rcp_w / size, 0, 0.5f * v->rcp_w };
   s->varying[1] = (struct plane){ 0, -v->rcp_w / size, 0.5f * v->rcp_w };
   s->constant[0] = s->constant[1] = 0;
   s->num_varyings = 2;
   const struct raster_vertex *same[3] = { v, v, v };
   struct gradient none = { 0 };
   set_varyings(w, &none, same, varyings, 1);
   set_edges(s, p, 4);
   fill(w);
}

/* A parallelogram whose ends run along the lesser direction; the place across
 * is one varying before the others. */
static void
raster_line(struct raster_worker *w, const struct raster_vertex *v,
            const float *const varyings[3], float width)
{
   struct setup *s = &w->setup;
   float dx = v[1].x - v[0].x, dy = v[1].y - v[0].y;
   bool x_major = fabsf(dx) >= fabsf(dy);
   float length = x_major ? dx : dy, half = fmaxf(width, 1) * 0.5f;
   float ox = x_major ? 0 : half, oy = x_major ? half : 0;
   struct point p[4];
   if (!to_point(v[0].x - ox, v[0].y - oy, &p[0]) ||
       !to_point(v[1].x - ox, v[1].y - oy, &p[1]) ||
       !to_point(v[1].x + ox, v[1].y + oy, &p[2]) ||
       !to_point(v[0].x + ox, v[0].y + oy, &p[3]) || length == 0)
      return;
   int64_t area = (p[1].x - p[0].x) * (p[2].y - p[0].y) -
                  (p[2].x - p[0].x) * (p[1].y - p[0].y);
   if (area < 0) {
      struct point swap = p[1];
      p[1] = p[3];
      p[3] = swap;
   }
   s->back = false;
   s->x0 = v[0].x;
   s->y0 = v[0].y;
   /* Planes that change along the line alone. */
   struct gradient g = {
      .x1 = x_major ? length : 0,
      .y1 = x_major ? 0 : length,
      .x2 = x_major ? 0 : -1,
      .y2 = x_major ? 1 : 0,
      .rcp_area = 1 / length,
   };
   const struct raster_vertex *corners[3] = { &v[0], &v[1], &v[0] };
   set_plane(&s->z, &g, v[0].z, v[1].z, v[0].z);
   s->depth_offset = 0;
   set_plane(&s->rcp_w, &g, v[0].rcp_w, v[1].rcp_w, v[0].rcp_w);
   s->varying[0] = (struct plane){ 0 };
   s->constant[0] = 0.5f;
   s->num_varyings = 1;
   set_varyings(w, &g, corners, varyings, 2);
   set_edges(s, p, 4);
   fill(w);
}

void
raster_primitive(struct raster_worker *w, const struct raster_tile *tile,
                 const struct raster_state *state,
                 const struct raster_vertex *v, unsigned count, unsigned num,
                 const float *const varyings[3], float size)
{
   w->tile = tile;
   w->state = state;
   if (num == 1) {
      raster_point(w, v, varyings, size);
   } else if (num == 2) {
      if (count >= 2)
         raster_line(w, v, varyings, state->cl.line_width);
   } else {
      for (unsigned i = 1; i + 1 < count; i++) {
         const struct raster_vertex *corners[3] = { &v[0], &v[i], &v[i + 1] };
         raster_triangle(w, corners, varyings);
      }
   }
}
