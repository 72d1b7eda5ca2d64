/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Primitives into quads of fragments.  Positions have 8 bits below the pixel;
 * a pixel is covered when its centre is inside, or on a left or top edge.
 * The window is cut into tiles: each has a list of the primitives that touch
 * it, and one thread draws it in their order, so results do not depend on the
 * number of threads.
 */

#include <math.h>
#include <stdlib.h>

#include "float_mode.h"
#include "numbers.h"
#include "raster.h"
#include "threads.h"

#define TILE 64
#define BLOCK 8
#define MAX_PRIMITIVES (1u << 24)

/* GRAS_SU_MODE_CONTROL */
#define MODE_CULL_FRONT (1u << 0)
#define MODE_CULL_BACK (1u << 1)
#define MODE_FRONT_CW (1u << 2)
#define MODE_HALF_WIDTH(word) (((word) >> 3 & 0xff) / 4.0f)
#define MODE_OFFSET (1u << 11)
/* GRAS_SC_CONTROL, RB_RENDER_CONTROL, HLSQ_FS_CONTROL_REG */
#define RENDER_MODE(word) ((word) >> 2 & 3)
#define DISABLE_COLOR (1u << 5)
#define FS_ENABLED (1u << 16)
/* PC_PRIM_VTX_CNTL, PC_PRIM_VTX_CNTL2 */
#define CNTL_SIZED (1u << 26)
#define CNTL2_FACE(word, back) ((word) >> ((back) ? 3 : 0) & 7)
#define CNTL2_ENABLE (1u << 6)

enum { RENDERING_PASS, TILING_PASS, RESOLVE_PASS };
enum { DRAW_POINTS, DRAW_LINES, DRAW_TRIANGLES };

struct raster {
   struct a4xx *chip;
   const struct a4xx_capture *draw;
   struct rectangle area; /* all scissors */
   struct vertex_pool pool;
   struct primitive *primitives;
   unsigned count, max;
   bool failed; /* out of memory */
   /* Lists of tiles: primitives of tile i are at first[i] .. first[i + 1]. */
   int tile_x, tile_y; /* the first tile */
   unsigned columns, tiles;
   uint32_t *first, *lists;
   struct fragments fragments;
};

/* A corner in the window. */
struct corner {
   const struct a4xx_vertex *vertex;
   int64_t x, y; /* subpixels */
};

/* Clipping leaves nothing beyond this, but for a viewport without sense. */
static int64_t
subpixels(float position)
{
   const float limit = 32768;
   position = position > -limit ? A4XX_MIN(position, limit) : -limit;
   return (int64_t)rintf(position * SUBPIXELS);
}

static struct corner
corner_of(const struct a4xx_vertex *vertex)
{
   return (struct corner){ vertex, subpixels(vertex->window[0]),
                           subpixels(vertex->window[1]) };
}

/* Pixels whose centres may lie from low to high. */
static int
first_pixel(int64_t low)
{
   return (int)((low + SUBPIXELS / 2 - 1) >> 8);
}

static void
intersect(struct rectangle *a, const struct rectangle *b)
{
   a->x0 = A4XX_MAX(a->x0, b->x0);
   a->y0 = A4XX_MAX(a->y0, b->y0);
   a->x1 = A4XX_MIN(a->x1, b->x1);
   a->y1 = A4XX_MIN(a->y1, b->y1);
}

static bool
is_empty(const struct rectangle *r)
{
   return r->x0 >= r->x1 || r->y0 >= r->y1;
}

/* --- set-up --- */

static void
add_primitive(struct raster *r, struct primitive *primitive)
{
   intersect(&primitive->bounds, &r->area);
   if (is_empty(&primitive->bounds))
      return;
   if (r->count == r->max) {
      unsigned max = A4XX_MAX(r->max * 2, 64);
      struct primitive *grown =
         max > MAX_PRIMITIVES ? NULL
                              : realloc(r->primitives, max * sizeof(*grown));
      if (!grown) {
         r->failed = true;
         return;
      }
      r->primitives = grown;
      r->max = max;
   }
   r->primitives[r->count++] = *primitive;
}

/* The right and the bottom edge do not belong to it. */
static struct edge
edge_between(const struct corner *p, const struct corner *q)
{
   const int64_t dx = q->x - p->x, dy = q->y - p->y;
   return (struct edge){
      .a = -dy,
      .b = dx,
      .c = dy * p->x - dx * p->y,
      .bias = !(dy < 0 || (dy == 0 && dx > 0)),
   };
}

static int64_t
area_of(const struct corner c[3])
{
   return (c[1].x - c[0].x) * (c[2].y - c[0].y) -
          (c[2].x - c[0].x) * (c[1].y - c[0].y);
}

/* Of depth, that a unit of POLY_OFFSET_OFFSET is: freedreno writes twice GL's
 * units. */
static float
offset_unit(const struct a4xx *chip, float largest)
{
   const bool whole = chip->options.profile.offset_unit == A4XX_OFFSET_WHOLE;
   const float unit = whole ? 1 : 0.5f;
   int exponent;
   switch (a4xx_reg(chip, GRAS_DEPTH_CONTROL) & 3) {
   case 1:
      return unit / 0xffff;
   case 3:
      frexpf(largest, &exponent);
      return unit * ldexpf(1.0f, exponent - 24);
   default:
      return unit / 0xffffff;
   }
}

static float
depth_offset(const struct a4xx *chip, const struct corner c[3], double area)
{
   const float scale =
      sim_float_from_bits(a4xx_reg(chip, GRAS_SU_POLY_OFFSET_SCALE));
   const float units =
      sim_float_from_bits(a4xx_reg(chip, GRAS_SU_POLY_OFFSET_SCALE + 1));
   const float clamp =
      sim_float_from_bits(a4xx_reg(chip, GRAS_SU_POLY_OFFSET_SCALE + 2));
   const float z0 = c[0].vertex->window[2];
   const float z1 = c[1].vertex->window[2], z2 = c[2].vertex->window[2];
   const double by_x = ((z1 - z0) * (double)(c[2].y - c[0].y) -
                        (z2 - z0) * (double)(c[1].y - c[0].y)) /
                       area * SUBPIXELS;
   const double by_y = ((z2 - z0) * (double)(c[1].x - c[0].x) -
                        (z1 - z0) * (double)(c[2].x - c[0].x)) /
                       area * SUBPIXELS;
   const float slope = A4XX_MAX(fabs(by_x), fabs(by_y));
   const float largest = A4XX_MAX(A4XX_MAX(fabsf(z0), fabsf(z1)), fabsf(z2));
   const float offset = slope * scale + units * offset_unit(chip, largest);
   if (clamp > 0)
      return A4XX_MIN(offset, clamp);
   return clamp < 0 ? A4XX_MAX(offset, clamp) : offset;
}

static void
add_triangle(struct raster *r, const struct corner corners[3],
             const struct a4xx_vertex *flat, bool back, bool offset)
{
   struct corner c[3] = { corners[0], corners[1], corners[2] };
   struct primitive p = { .flat = flat, .back = back };
   int64_t area = area_of(c);
   if (!area)
      return;
   if (area < 0) {
      c[1] = corners[2];
      c[2] = corners[1];
      area = -area;
   }
   int64_t low_x = c[0].x, low_y = c[0].y, high_x = low_x, high_y = low_y;
   for (unsigned i = 0; i < 3; i++) {
      p.corners[i] = c[i].vertex;
      p.edges[i] = edge_between(&c[(i + 1) % 3], &c[(i + 2) % 3]);
      low_x = A4XX_MIN(low_x, c[i].x);
      low_y = A4XX_MIN(low_y, c[i].y);
      high_x = A4XX_MAX(high_x, c[i].x);
      high_y = A4XX_MAX(high_y, c[i].y);
   }
   p.rcp_area = 1.0 / area;
   p.bounds =
      (struct rectangle){ first_pixel(low_x), first_pixel(low_y),
                          first_pixel(high_x + 1), first_pixel(high_y + 1) };
   if (offset)
      p.depth_offset = depth_offset(r->chip, c, area);
   add_primitive(r, &p);
}

/* From (x0, y0) to (x1, y1), in whatever direction. */
static void
add_box(struct raster *r, const struct a4xx_vertex *a,
        const struct a4xx_vertex *b, int64_t x0, int64_t y0, int64_t x1,
        int64_t y1)
{
   struct primitive p = { .corners = { a, b }, .flat = a, .box = true };
   if (x0 == x1 || y0 == y1)
      return;
   p.point = a == b;
   p.x = x0 / (float)SUBPIXELS;
   p.y = y0 / (float)SUBPIXELS;
   p.rcp_width = SUBPIXELS / (float)(x1 - x0);
   p.rcp_height = SUBPIXELS / (float)(y1 - y0);
   p.bounds = (struct rectangle){ first_pixel(A4XX_MIN(x0, x1)),
                                  first_pixel(A4XX_MIN(y0, y1)),
                                  first_pixel(A4XX_MAX(x0, x1)),
                                  first_pixel(A4XX_MAX(y0, y1)) };
   add_primitive(r, &p);
}

static void
add_point(struct raster *r, const struct a4xx_vertex *vertex)
{
   const uint32_t limits = a4xx_reg(r->chip, GRAS_SU_POINT_MINMAX);
   const struct corner c = corner_of(vertex);
   float size = a4xx_reg(r->chip, GRAS_SU_POINT_SIZE) / 16.0f;
   if (a4xx_reg(r->chip, PC_PRIM_VTX_CNTL) & CNTL_SIZED)
      size = vertex->point_size;
   size = A4XX_MAX(size, (limits & 0xffff) / 16.0f);
   size = A4XX_MIN(size, (limits >> 16) / 16.0f);
   const int64_t half = (int64_t)rintf(size * (SUBPIXELS / 2));
   add_box(r, vertex, vertex, c.x - half, c.y - half, c.x + half, c.y + half);
}

/* An area as wide as the line, across its longer direction.  A line has its
 * first pixel and not its last. */
static void
add_line(struct raster *r, const struct a4xx_vertex *a,
         const struct a4xx_vertex *b, const struct a4xx_vertex *flat,
         bool back)
{
   const uint32_t mode = a4xx_reg(r->chip, GRAS_SU_MODE_CONTROL);
   const float half = A4XX_MAX(MODE_HALF_WIDTH(mode), 0.5f);
   const int64_t wide = (int64_t)rintf(half * SUBPIXELS);
   struct corner p = corner_of(a), q = corner_of(b);
   const bool steep = llabs(q.y - p.y) > llabs(q.x - p.x);
   const int64_t x = steep ? wide : 0, y = steep ? 0 : wide;
   if (steep && q.y < p.y)
      p.y++, q.y++;
   else if (!steep && q.x < p.x)
      p.x++, q.x++;
   const struct corner first[3] = { { a, p.x - x, p.y - y },
                                    { b, q.x - x, q.y - y },
                                    { a, p.x + x, p.y + y } };
   const struct corner second[3] = { { a, p.x + x, p.y + y },
                                     { b, q.x - x, q.y - y },
                                     { b, q.x + x, q.y + y } };
   add_triangle(r, first, flat, back, false);
   add_triangle(r, second, flat, back, false);
}

/* --- primitives --- */

static void
draw_point(struct raster *r, const struct a4xx_vertex *vertex)
{
   struct polygon polygon = { { vertex }, 1 };
   clip_to_volume(r->chip, &r->pool, &polygon);
   if (polygon.count)
      add_point(r, vertex);
}

static void
draw_line(struct raster *r, const struct a4xx_vertex *a,
          const struct a4xx_vertex *b, const struct a4xx_vertex *flat,
          bool back)
{
   struct polygon polygon = { { a, b }, 2 };
   clip_to_volume(r->chip, &r->pool, &polygon);
   if (polygon.count == 2)
      add_line(r, polygon.corners[0], polygon.corners[1], flat, back);
}

/* As lines or points, when the face is drawn so. */
static bool
draw_outline(struct raster *r, const struct a4xx_vertex *const v[3],
             const struct a4xx_vertex *flat, bool back)
{
   const uint32_t control = a4xx_reg(r->chip, PC_PRIM_VTX_CNTL + 1);
   const unsigned shape = CNTL2_FACE(control, back);
   if (!(control & CNTL2_ENABLE) || shape == DRAW_TRIANGLES)
      return false;
   for (unsigned i = 0; i < 3; i++) {
      if (shape == DRAW_LINES)
         draw_line(r, v[i], v[(i + 1) % 3], flat, back);
      else
         draw_point(r, v[i]);
   }
   return true;
}

static void
draw_triangle(struct raster *r, const struct a4xx_vertex *const v[3],
              const struct a4xx_vertex *flat)
{
   const uint32_t mode = a4xx_reg(r->chip, GRAS_SU_MODE_CONTROL);
   struct polygon polygon = { { v[0], v[1], v[2] }, 3 };
   clip_to_volume(r->chip, &r->pool, &polygon);
   for (unsigned i = 2; i < polygon.count; i++) {
      const struct corner c[3] = { corner_of(polygon.corners[0]),
                                   corner_of(polygon.corners[i - 1]),
                                   corner_of(polygon.corners[i]) };
      const int64_t area = area_of(c);
      /* The window's y goes down: clockwise is positive. */
      const bool back = area && (mode & MODE_FRONT_CW ? area < 0 : area > 0);
      if (!area || (mode & (back ? MODE_CULL_BACK : MODE_CULL_FRONT)))
         continue;
      if (draw_outline(r, v, flat, back))
         return;
      add_triangle(r, c, flat, back, mode & MODE_OFFSET);
   }
}

static void
draw_rectangle(struct raster *r, const struct a4xx_vertex *a,
               const struct a4xx_vertex *b)
{
   struct polygon polygon = { { a, b }, 2 };
   clip_to_volume(r->chip, &r->pool, &polygon);
   if (polygon.count != 2)
      return;
   const struct corner p = corner_of(polygon.corners[0]);
   const struct corner q = corner_of(polygon.corners[1]);
   add_box(r, p.vertex, q.vertex, p.x, p.y, q.x, q.y);
}

static void
set_up(struct raster *r)
{
   const struct a4xx_capture *draw = r->draw;
   const uint32_t control = a4xx_reg(r->chip, PC_PRIM_VTX_CNTL);
   const unsigned corners = draw->primitive;
   for (unsigned i = 0; i + corners <= draw->num_indices; i += corners) {
      const struct a4xx_vertex *v[3] = { NULL };
      for (unsigned c = 0; c < corners; c++)
         v[c] = &draw->vertices[draw->indices[i + c]];
      const struct a4xx_vertex *flat =
         v[control & PROVOKING_LAST ? corners - 1 : 0];
      if (corners == 1)
         draw_point(r, v[0]);
      else if (draw->rectangles)
         draw_rectangle(r, v[0], v[1]);
      else if (corners == 2)
         draw_line(r, v[0], v[1], flat, false);
      else
         draw_triangle(r, v, flat);
   }
}

/* --- tiles --- */

static struct rectangle
tiles_of(const struct raster *r, const struct primitive *p)
{
   return (struct rectangle){
      p->bounds.x0 / TILE - r->tile_x,
      p->bounds.y0 / TILE - r->tile_y,
      (p->bounds.x1 - 1) / TILE - r->tile_x + 1,
      (p->bounds.y1 - 1) / TILE - r->tile_y + 1,
   };
}

/* Counts, then fills. */
static bool
make_lists(struct raster *r)
{
   r->tile_x = r->area.x0 / TILE;
   r->tile_y = r->area.y0 / TILE;
   r->columns = (r->area.x1 - 1) / TILE - r->tile_x + 1;
   r->tiles = r->columns * ((r->area.y1 - 1) / TILE - r->tile_y + 1);
   r->first = calloc(r->tiles + 2, sizeof(*r->first));
   if (!r->first)
      return false;
   for (unsigned fill = 0; fill < 2; fill++) {
      /* Filling moves each list's begin to its end, which is one further. */
      uint32_t *at = r->first + 2 - fill;
      for (unsigned i = 0; i < r->count; i++) {
         const struct rectangle t = tiles_of(r, &r->primitives[i]);
         for (int y = t.y0; y < t.y1; y++) {
            for (int x = t.x0; x < t.x1; x++) {
               if (fill)
                  r->lists[at[y * r->columns + x]++] = i;
               else
                  at[y * r->columns + x]++;
            }
         }
      }
      if (fill)
         break;
      for (unsigned i = 0; i < r->tiles; i++)
         r->first[i + 2] += r->first[i + 1];
      r->lists = malloc((r->first[r->tiles + 1] + 1) * sizeof(*r->lists));
      if (!r->lists)
         return false;
   }
   return true;
}

/* --- quads --- */

static int64_t
edge_at(const struct edge *edge, int x, int y)
{
   return edge->a * ((int64_t)x * SUBPIXELS + SUBPIXELS / 2) +
          edge->b * ((int64_t)y * SUBPIXELS + SUBPIXELS / 2) + edge->c -
          edge->bias;
}

enum inside { OUTSIDE, PARTLY, INSIDE };

/* Of a block's pixels: none, some or all. */
static enum inside
block_is_inside(const struct primitive *p, int x, int y)
{
   const int64_t span = (BLOCK - 1) * SUBPIXELS;
   enum inside result = INSIDE;
   for (unsigned i = 0; !p->box && i < 3; i++) {
      const struct edge *e = &p->edges[i];
      const int64_t first = edge_at(e, x, y);
      const int64_t by_x = e->a * span, by_y = e->b * span;
      if (first + A4XX_MAX(by_x, 0) + A4XX_MAX(by_y, 0) < 0)
         return OUTSIDE;
      if (first + A4XX_MIN(by_x, 0) + A4XX_MIN(by_y, 0) < 0)
         result = PARTLY;
   }
   return result;
}

static unsigned
coverage(const struct primitive *p, const struct rectangle *bounds,
         enum inside inside, int x, int y)
{
   unsigned mask = 0;
   if (inside == INSIDE && x >= bounds->x0 && x + 1 < bounds->x1 &&
       y >= bounds->y0 && y + 1 < bounds->y1)
      return 15;
   for (unsigned i = 0; i < 4; i++) {
      const int px = x + (i & 1), py = y + (i >> 1);
      bool in = px >= bounds->x0 && px < bounds->x1 && py >= bounds->y0 &&
                py < bounds->y1;
      for (unsigned e = 0; in && inside == PARTLY && e < 3; e++)
         in = edge_at(&p->edges[e], px, py) >= 0;
      mask |= (unsigned)in << i;
   }
   return mask;
}

/* Weights of corners 1 and 2 in the pixels of a primitive's quads.  Edges fit
 * the 53 bits of a double. */
static void
weigh_corners(const struct quad *quads, unsigned count, double *l1,
              double *l2)
{
   const struct primitive *p = quads->primitive;
   const struct edge *e = &p->edges[1];
   const double a1 = e[0].a, b1 = e[0].b, c1 = e[0].c;
   const double a2 = e[1].a, b2 = e[1].b, c2 = e[1].c;
   const double rcp_area = p->rcp_area;
   double x[IR3_LANES], y[IR3_LANES];
   for (unsigned n = 0; n < count; n++) {
      for (unsigned i = 0; i < 4; i++) {
         x[n * 4 + i] =
            (quads[n].x + (int)(i & 1)) * SUBPIXELS + SUBPIXELS / 2;
         y[n * 4 + i] =
            (quads[n].y + (int)(i >> 1)) * SUBPIXELS + SUBPIXELS / 2;
      }
   }
   for (unsigned i = 0; i < count * 4; i++) {
      l1[i] = (a1 * x[i] + b1 * y[i] + c1) * rcp_area;
      l2[i] = (a2 * x[i] + b2 * y[i] + c2) * rcp_area;
   }
}

static void
find_depths(const struct primitive *p, unsigned count, const double *l1,
            const double *l2, float *restrict z)
{
   const double z0 = p->corners[0]->window[2], offset = p->depth_offset;
   const double by_1 = p->corners[1]->window[2] - z0;
   const double by_2 = p->corners[2]->window[2] - z0;
   for (unsigned i = 0; i < count; i++)
      z[i] = z0 + l1[i] * by_1 + l2[i] * by_2 + offset;
}

void
raster_depths(const struct quad *quad, float z[4])
{
   const struct primitive *p = quad->primitive;
   double l1[4], l2[4];
   for (unsigned i = 0; i < 4; i++)
      z[i] = p->corners[0]->window[2];
   if (p->box)
      return;
   weigh_corners(quad, 1, l1, l2);
   find_depths(p, 4, l1, l2, z);
}

static void
interpolate_box(const struct quad *quads, unsigned count, unsigned first,
                struct coordinates *c)
{
   const struct primitive *p = quads->primitive;
   for (unsigned i = 0; i < count * 4; i++) {
      const float x = quads[i / 4].x + (int)(i & 1) + 0.5f;
      const float y = quads[i / 4].y + (int)(i >> 1 & 1) + 0.5f;
      c->i[first + i] = c->linear_i[first + i] = (x - p->x) * p->rcp_width;
      c->j[first + i] = c->linear_j[first + i] = (y - p->y) * p->rcp_height;
      c->z[first + i] = p->corners[0]->window[2];
      c->rcp_w[first + i] = p->corners[0]->window[3];
   }
}

static void
interpolate_triangle(const struct quad *quads, unsigned count, unsigned first,
                     struct coordinates *c)
{
   const struct primitive *p = quads->primitive;
   const float w0 = p->corners[0]->window[3];
   const float w1 = p->corners[1]->window[3], w2 = p->corners[2]->window[3];
   const float by_1 = w1 - w0, by_2 = w2 - w0;
   float *restrict linear_i = (float *)&c->linear_i;
   float *restrict linear_j = (float *)&c->linear_j;
   float *restrict perspective_i = (float *)&c->i;
   float *restrict perspective_j = (float *)&c->j;
   float *restrict rcp_w = (float *)&c->rcp_w, *z = (float *)&c->z;
   double l1[IR3_LANES], l2[IR3_LANES];
   weigh_corners(quads, count, l1, l2);
   for (unsigned i = 0; i < count * 4; i++) {
      const double w = w0 + l1[i] * by_1 + l2[i] * by_2;
      linear_i[first + i] = l1[i];
      linear_j[first + i] = l2[i];
      perspective_i[first + i] = l1[i] * w1 / w;
      perspective_j[first + i] = l2[i] * w2 / w;
      rcp_w[first + i] = w;
   }
   find_depths(p, count * 4, l1, l2, z + first);
}

unsigned
raster_run(const struct quad *quads, unsigned first, unsigned count)
{
   unsigned n = first + 1;
   while (n < count && quads[n].primitive == quads[first].primitive)
      n++;
   return n;
}

IR3_CLONES void
raster_interpolate(const struct quad *quads, unsigned count,
                   struct coordinates *coordinates)
{
   for (unsigned first = 0, n; first < count; first = n) {
      n = raster_run(quads, first, count);
      if (quads[first].primitive->box)
         interpolate_box(&quads[first], n - first, first * 4, coordinates);
      else
         interpolate_triangle(&quads[first], n - first, first * 4,
                              coordinates);
   }
}

static void
draw_block(struct raster *r, struct fragment_batch *batch,
           const struct primitive *p, const struct rectangle *bounds, int bx,
           int by)
{
   const enum inside inside = block_is_inside(p, bx, by);
   const int x1 = A4XX_MIN(bx + BLOCK, bounds->x1);
   const int y1 = A4XX_MIN(by + BLOCK, bounds->y1);
   if (inside == OUTSIDE)
      return;
   for (int y = A4XX_MAX(by, bounds->y0 & ~1); y < y1; y += 2) {
      for (int x = A4XX_MAX(bx, bounds->x0 & ~1); x < x1; x += 2) {
         const unsigned mask = coverage(p, bounds, inside, x, y);
         if (mask)
            fs_add(&r->fragments, batch, p, x, y, mask);
      }
   }
}

static void
draw_in_tile(struct raster *r, struct fragment_batch *batch,
             const struct primitive *p, const struct rectangle *tile)
{
   struct rectangle bounds = p->bounds;
   intersect(&bounds, tile);
   for (int y = bounds.y0 & -BLOCK; y < bounds.y1; y += BLOCK) {
      for (int x = bounds.x0 & -BLOCK; x < bounds.x1; x += BLOCK)
         draw_block(r, batch, p, &bounds, x, y);
   }
}

static void
draw_tile(void *data, unsigned item, unsigned thread)
{
   struct raster *r = data;
   struct fragments *fragments = &r->fragments;
   struct fragment_batch batch = { &r->chip->shaders[thread] };
   const int x = (r->tile_x + (int)(item % r->columns)) * TILE;
   const int y = (r->tile_y + (int)(item / r->columns)) * TILE;
   const struct rectangle tile = { x, y, x + TILE, y + TILE };
   const unsigned old = sim_float_flush();
   for (uint32_t i = r->first[item]; i < r->first[item + 1]; i++) {
      if (!__atomic_load_n(&fragments->failed, __ATOMIC_RELAXED))
         draw_in_tile(r, &batch, &r->primitives[r->lists[i]], &tile);
   }
   fs_flush(fragments, &batch);
   __atomic_fetch_add(&fragments->samples, batch.samples, __ATOMIC_RELAXED);
   sim_float_restore(old);
}

/* --- the draw --- */

/* The first and the last pixel of a scissor. */
static struct rectangle
scissor(uint32_t first, uint32_t last)
{
   return (struct rectangle){ first & 0x7fff, first >> 16 & 0x7fff,
                              (last & 0x7fff) + 1,
                              (last >> 16 & 0x7fff) + 1 };
}

static struct rectangle
drawn_area(const struct a4xx *chip)
{
   struct rectangle area = scissor(a4xx_reg(chip, GRAS_SC_SCREEN_SCISSOR_TL),
                                   a4xx_reg(chip, GRAS_SC_SCREEN_SCISSOR_BR));
   const struct rectangle window =
      scissor(a4xx_reg(chip, GRAS_SC_WINDOW_SCISSOR_TL),
              a4xx_reg(chip, GRAS_SC_WINDOW_SCISSOR_BR));
   intersect(&area, &window);
   return area;
}

bool
raster_enabled(const struct a4xx *chip)
{
   switch (RENDER_MODE(a4xx_reg(chip, GRAS_SC_CONTROL))) {
   case RENDERING_PASS:
      return (a4xx_reg(chip, HLSQ_FS_CONTROL_REG) & FS_ENABLED) &&
             !(a4xx_reg(chip, RB_RENDER_CONTROL) & DISABLE_COLOR);
   case RESOLVE_PASS:
      return true;
   default: /* visibility: all is visible here */
      return false;
   }
}

static void
shade(struct raster *r)
{
   struct fragments *fragments = &r->fragments;
   struct a4xx *chip = r->chip;
   fragments->chip = chip;
   if (!rb_begin(chip, &r->area, &fragments->render) ||
       !a4xx_get_program(chip, STAGE_FS, &fragments->program))
      return;
   a4xx_run_items(chip, &fragments->program, r->tiles, draw_tile, r);
   chip->stats.instructions += fragments->instructions;
   chip->stats.samples += fragments->samples;
   a4xx_put_program(&fragments->program);
}

static void
resolve(struct raster *r)
{
   for (unsigned i = 0; i < r->count; i++)
      rb_resolve(r->chip, &r->primitives[i].bounds);
}

void
raster_draw(struct a4xx *chip, const struct a4xx_capture *primitives)
{
   struct raster r = { .chip = chip, .draw = primitives };
   r.area = drawn_area(chip);
   r.pool.num_outputs = primitives->num_outputs;
   if (is_empty(&r.area))
      return;
   const unsigned old = sim_float_flush();
   set_up(&r);
   sim_float_restore(old);
   if (r.count && !r.failed) {
      if (RENDER_MODE(a4xx_reg(chip, GRAS_SC_CONTROL)) == RESOLVE_PASS)
         resolve(&r);
      else if (make_lists(&r))
         shade(&r);
   }
   free(r.first);
   free(r.lists);
   free(r.primitives);
   clip_free(&r.pool);
}
