/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Primitives to covered pixels.
 *
 * Triangles.  Vertices lie on a grid of 1/16 pixel, pixel centres on odd
 * multiples of 1/2, so edge functions are integers and coverage is exact: two
 * triangles that share an edge never draw a pixel twice or leave one out.  A
 * centre exactly on an edge belongs to the triangle whose left or top edge it
 * is, row 0 being the top (assumption A23).
 *
 * Lines (A24): a line of width w is w one-pixel lines side by side in its
 * minor direction.  Along the major axis the line owns the centres from the
 * first end point (inclusive) to the last (exclusive).
 *
 * Points (A25): an axis-aligned square around the vertex; centres inside
 * count, left and top edges inclusive.
 *
 * A tile is walked in strips of 8x2 pixels.  Inside a tile an edge function
 * needs 32 bits: edges that cannot change sign in the tile are settled at its
 * corner.
 */

#include <math.h>

#include "fragment.h"
#include "tegra20/gr3d_regs.h"

/* --- primitives --- */

static int32_t
floor_div16(int32_t v)
{
   return v >> 4; /* arithmetic shift */
}

/* First and one past the last pixel whose centre can lie between two
 * coordinates in 1/16 pixel. */
static void
pixel_range(int32_t low, int32_t high, int32_t *first, int32_t *end)
{
   *first = floor_div16(low - 8 + 15); /* ceil((low - 8) / 16) */
   *end = floor_div16(high - 8) + 1;
}

static bool
clip_to_scissor(const struct gr3d_fragment_state *fs,
                struct sim_fs_prim *prim)
{
   if (prim->min_x < fs->scissor_x0)
      prim->min_x = fs->scissor_x0;
   if (prim->min_y < fs->scissor_y0)
      prim->min_y = fs->scissor_y0;
   if (prim->max_x > fs->scissor_x1)
      prim->max_x = fs->scissor_x1;
   if (prim->max_y > fs->scissor_y1)
      prim->max_y = fs->scissor_y1;
   return prim->min_x < prim->max_x && prim->min_y < prim->max_y;
}

static bool
in_range(const struct gr3d_vertex *v)
{
   return v->x >= -GR3D_MAX_COORD && v->x <= GR3D_MAX_COORD &&
          v->y >= -GR3D_MAX_COORD && v->y <= GR3D_MAX_COORD &&
          isfinite(v->z) && isfinite(v->rw);
}

/* The edge from (ax, ay) to (bx, by), inside on the side where the rest of a
 * triangle of positive area lies. */
static void
set_edge(struct sim_fs_prim *prim, unsigned i, int32_t ax, int32_t ay,
         int32_t bx, int32_t by, bool bottom)
{
   int32_t dx = bx - ax, dy = by - ay;
   /* E(p) = dx * (py - ay) - dy * (px - ax), p = 16 * pixel + 8 */
   prim->edge[i].a = -16 * dy;
   prim->edge[i].b = 16 * dx;
   prim->edge[i].c = (int64_t)dx * (8 - ay) - (int64_t)dy * (8 - ax);
   /*
    * E grows with x when dy < 0: the inside is to the right, a left edge.  A
    * horizontal edge with dx > 0 has the inside at larger y: a top edge.
    */
   bool owner = dy < 0 || (dy == 0 && (bottom ? dx < 0 : dx > 0));
   if (!owner)
      prim->edge[i].c -= 1;
}

void
gr3d_raster_triangle(struct gr3d *gr3d, const struct gr3d_vertex *const v[3],
                     unsigned provoking, bool front)
{
   struct gr3d_fragment_state *fs = gr3d->fragment;
   if (!in_range(v[0]) || !in_range(v[1]) || !in_range(v[2]))
      return;
   int64_t area = (int64_t)(v[1]->x - v[0]->x) * (v[2]->y - v[0]->y) -
                  (int64_t)(v[2]->x - v[0]->x) * (v[1]->y - v[0]->y);
   if (!area)
      return;
   struct sim_fs_prim prim = { .has_edges = true, .front = front };
   int32_t min_x = v[0]->x, max_x = v[0]->x, min_y = v[0]->y, max_y = v[0]->y;
   for (unsigned i = 1; i < 3; i++) {
      min_x = v[i]->x < min_x ? v[i]->x : min_x;
      max_x = v[i]->x > max_x ? v[i]->x : max_x;
      min_y = v[i]->y < min_y ? v[i]->y : min_y;
      max_y = v[i]->y > max_y ? v[i]->y : max_y;
   }
   pixel_range(min_x, max_x, &prim.min_x, &prim.max_x);
   pixel_range(min_y, max_y, &prim.min_y, &prim.max_y);
   if (!clip_to_scissor(fs, &prim))
      return;

   /* Edge i lies opposite vertex i; a clockwise triangle is walked the other
    * way round. */
   static const uint8_t next[3] = { 1, 2, 0 }, after[3] = { 2, 0, 1 };
   for (unsigned i = 0; i < 3; i++) {
      const struct gr3d_vertex *a = v[area > 0 ? next[i] : after[i]],
                               *b = v[area > 0 ? after[i] : next[i]];
      set_edge(&prim, i, a->x, a->y, b->x, b->y, sim_switch(fs->sim, 23));
   }
   double inverse = 1.0 / (double)(area > 0 ? area : -area);
   for (unsigned i = 0; i < 2; i++) {
      const struct gr3d_vertex *a = v[area > 0 ? next[i] : after[i]],
                               *b = v[area > 0 ? after[i] : next[i]];
      int64_t c = (int64_t)(b->x - a->x) * (8 - a->y) -
                  (int64_t)(b->y - a->y) * (8 - a->x);
      prim.weight[i] = (struct sim_fs_plane){ prim.edge[i].a * inverse,
                                              prim.edge[i].b * inverse,
                                              (double)c * inverse };
   }
   for (unsigned i = 0; i < 3; i++)
      prim.rw[i] = v[i]->rw;
   prim.z0 = v[0]->z;
   prim.z1 = v[1]->z;
   prim.z2 = v[2]->z;
   /* Assumption A28: m is the largest slope per pixel. */
   if (fs->offset_factor != 0 || fs->offset_units != 0) {
      double d0 = prim.z0 - prim.z2, d1 = prim.z1 - prim.z2;
      double mx = fabs(d0 * prim.weight[0].a + d1 * prim.weight[1].a);
      double my = fabs(d0 * prim.weight[0].b + d1 * prim.weight[1].b);
      double units = sim_switch(fs->sim, 28) ? fs->offset_units * 0x1p-16
                                             : fs->offset_units;
      prim.z_offset = (double)fs->offset_factor * (mx > my ? mx : my) + units;
   }
   sim_fs_add_prim(fs, &prim, v, provoking);
}

void
gr3d_raster_point(struct gr3d *gr3d, const struct gr3d_vertex *v)
{
   struct gr3d_fragment_state *fs = gr3d->fragment;
   if (!in_range(v))
      return;
   struct sim_fs_prim prim = { .front = true };
   double size =
      fs->point_size >= 1 ? fs->point_size < 256 ? fs->point_size : 256 : 1;
   double x = v->x / 16.0, y = v->y / 16.0;
   if (sim_switch(fs->sim, 25) == 1) {
      /* GL's rule for aliased points that are no sprites: whole sizes,
       * centres on pixels or between them. */
      size = floor(size + 0.5);
      double half = fmod(size, 2) / 2;
      x = floor(x + 0.5 - half) + half;
      y = floor(y + 0.5 - half) + half;
   }
   prim.min_x = (int32_t)ceil(x - size / 2 - 0.5);
   prim.max_x = (int32_t)ceil(x + size / 2 - 0.5);
   prim.min_y = (int32_t)ceil(y - size / 2 - 0.5);
   prim.max_y = (int32_t)ceil(y + size / 2 - 0.5);
   if (!clip_to_scissor(fs, &prim))
      return;
   prim.weight[0].c = 1;
   prim.rw[0] = prim.rw[1] = prim.rw[2] = v->rw;
   prim.z0 = prim.z1 = prim.z2 = v->z;
   const struct gr3d_vertex *const three[3] = { v, v, v };
   sim_fs_add_prim(fs, &prim, three, 0);
}

/* One run of pixels of a line: pixels of one row or column, drawn as a
 * primitive of its own. */
static void
add_line_run(struct gr3d_fragment_state *fs, const struct sim_fs_prim *line,
             const struct gr3d_vertex *const v[3], unsigned provoking,
             bool x_major, int32_t major0, int32_t major1, int32_t minor0,
             int32_t minor1)
{
   struct sim_fs_prim prim = *line;
   prim.min_x = x_major ? major0 : minor0;
   prim.max_x = x_major ? major1 : minor1;
   prim.min_y = x_major ? minor0 : major0;
   prim.max_y = x_major ? minor1 : major1;
   if (clip_to_scissor(fs, &prim))
      sim_fs_add_prim(fs, &prim, v, provoking);
}

void
gr3d_raster_line(struct gr3d *gr3d, const struct gr3d_vertex *const v[2],
                 unsigned provoking)
{
   struct gr3d_fragment_state *fs = gr3d->fragment;
   if (!in_range(v[0]) || !in_range(v[1]))
      return;
   int32_t dx = v[1]->x - v[0]->x, dy = v[1]->y - v[0]->y;
   bool x_major = (dx < 0 ? -dx : dx) >= (dy < 0 ? -dy : dy);
   int32_t start = x_major ? v[0]->x : v[0]->y, delta = x_major ? dx : dy;
   int32_t minor = x_major ? v[0]->y : v[0]->x,
           minor_delta = x_major ? dy : dx;
   if (!delta)
      return;

   struct sim_fs_prim line = { .front = true };
   line.rw[0] = v[0]->rw;
   line.rw[1] = line.rw[2] = v[1]->rw;
   line.z0 = v[0]->z;
   line.z1 = line.z2 = v[1]->z;
   double slope = 1.0 / delta; /* of the parameter, per 1/16 pixel */
   struct sim_fs_plane t = { x_major ? 16 * slope : 0,
                             x_major ? 0 : 16 * slope, (8 - start) * slope };
   line.weight[1] = t;
   line.weight[0] = (struct sim_fs_plane){ -t.a, -t.b, 1 - t.c };
   const struct gr3d_vertex *const three[3] = { v[0], v[1], v[1] };
   unsigned flat = provoking ? 1 : 0;

   int32_t width =
      fs->line_width < 256
         ? fs->line_width > 1 ? (int32_t)(fs->line_width + 0.5f) : 1
         : 256;
   /* Centres with start <= centre < end going up, start >= centre > end going
    * down. */
   int32_t first, end,
      closed = sim_switch(fs->sim, 24) ==
               1; /* the last end point belongs to the line */
   if (delta > 0) {
      first = floor_div16(start - 8 + 15);
      end = floor_div16(start + delta - 8 + 15 + closed);
   } else {
      first = floor_div16(start + delta - 8 - closed) + 1;
      end = floor_div16(start - 8) + 1;
   }
   int32_t low = x_major ? fs->scissor_x0 : fs->scissor_y0,
           high = x_major ? fs->scissor_x1 : fs->scissor_y1;
   first = first < low ? low : first;
   end = end > high ? high : end;

   /* Runs of equal minor position. */
   int32_t run = first, run_minor = 0;
   for (int32_t m = first; m < end; m++) {
      /* minor position at the centre of column m, in 1/16 pixel, minus the
       * shift of a wide line */
      double position =
         minor + (double)minor_delta * (16.0 * m + 8 - start) * slope;
      int32_t pixel = (int32_t)floor((position - (width - 1) * 8.0) / 16.0);
      if (m > run && pixel != run_minor) {
         add_line_run(fs, &line, three, flat, x_major, run, m, run_minor,
                      run_minor + width);
         run = m;
      }
      run_minor = pixel;
   }
   if (run < end)
      add_line_run(fs, &line, three, flat, x_major, run, end, run_minor,
                   run_minor + width);
}

/* --- tiles --- */

static void
flush_block(struct sim_fs_worker *worker)
{
   struct sim_fs_block *block = &worker->block;
   if (!block->num_strips)
      return;
   block->n = block->num_strips * SIM_FS_STRIP_LANES;
   sim_fs_shade(worker);
   block->num_strips = 0;
}

/* Edge functions at the first pixel of a strip. */
struct walk {
   int32_t a[3], b[3];
   int32_t low[3], high[3]; /* smallest and largest change inside a strip */
   unsigned count;          /* edges that can cut the tile */
};

SIM_LANES static bool
cover_edges(uint32_t *restrict cover, const struct walk *walk,
            const int32_t e[3])
{
   uint32_t all = ~0u;
   for (unsigned j = 0; j < 2; j++) {
      for (unsigned i = 0; i < 8; i++) {
         int32_t worst = 0;
         for (unsigned k = 0; k < 3; k++)
            worst |= e[k] + (int32_t)i * walk->a[k] + (int32_t)j * walk->b[k];
         cover[8 * j + i] = worst < 0 ? 0 : ~0u;
         all &= cover[8 * j + i];
      }
   }
   return all;
}

static bool
cover_rectangle(uint32_t *cover, int32_t x, int32_t y, int32_t x0, int32_t y0,
                int32_t x1, int32_t y1)
{
   bool all = true;
   for (int j = 0; j < 2; j++) {
      for (int i = 0; i < 8; i++) {
         if (x + i < x0 || x + i >= x1 || y + j < y0 || y + j >= y1) {
            cover[8 * j + i] = 0;
            all = false;
         }
      }
   }
   return all;
}

/* Prepares the edges that matter in the tile at (x, y); false when the
 * primitive misses it. */
static bool
setup_walk(struct walk *walk, const struct sim_fs_prim *prim, int32_t x,
           int32_t y, int32_t e[3])
{
   *walk = (struct walk){ 0 };
   if (!prim->has_edges)
      return true;
   for (unsigned k = 0; k < 3; k++) {
      int64_t a = prim->edge[k].a, b = prim->edge[k].b;
      int64_t at = prim->edge[k].c + a * x + b * y;
      int64_t low = at + (a < 0 ? a : 0) * (SIM_FS_TILE - 1) +
                    (b < 0 ? b : 0) * (SIM_FS_TILE - 1);
      int64_t high = at + (a > 0 ? a : 0) * (SIM_FS_TILE - 1) +
                     (b > 0 ? b : 0) * (SIM_FS_TILE - 1);
      if (high < 0)
         return false;
      if (low >= 0)
         continue;
      /* |at| is bounded by the range of the tile: 2 * 63 * 16 * 2^20 < 2^31
       */
      unsigned n = walk->count++;
      walk->a[n] = (int32_t)a;
      walk->b[n] = (int32_t)b;
      walk->low[n] = (int32_t)((a < 0 ? 7 * a : 0) + (b < 0 ? b : 0));
      walk->high[n] = (int32_t)((a > 0 ? 7 * a : 0) + (b > 0 ? b : 0));
      e[n] = (int32_t)at;
   }
   return true;
}

static void
add_strip(struct sim_fs_worker *worker, const struct walk *walk,
          const int32_t e[3], int32_t x, int32_t y, bool inside,
          const int32_t box[4])
{
   struct sim_fs_block *block = &worker->block;
   unsigned strip = block->num_strips;
   uint32_t *cover = block->cover + strip * SIM_FS_STRIP_LANES;
   bool full = true;
   if (inside)
      memset(cover, 0xff, SIM_FS_STRIP_LANES * sizeof(*cover));
   else
      full = cover_edges(cover, walk, e);
   if (x < box[0] || y < box[1] || x + 8 > box[2] || y + 2 > box[3])
      full &= cover_rectangle(cover, x, y, box[0], box[1], box[2], box[3]);
   if (!full) {
      uint32_t any = 0;
      for (unsigned i = 0; i < SIM_FS_STRIP_LANES; i++)
         any |= cover[i];
      if (!any)
         return;
   }
   block->x[strip] = x;
   block->y[strip] = y;
   block->full[strip] = full;
   if (++block->num_strips == SIM_FS_STRIPS)
      flush_block(worker);
}

static void
raster_prim(struct sim_fs_worker *worker, const struct sim_fs_prim *prim,
            int32_t tx, int32_t ty)
{
   struct walk walk;
   int32_t corner[3] = { 0, 0, 0 };
   if (!setup_walk(&walk, prim, tx, ty, corner))
      return;
   int32_t box[4] = {
      prim->min_x > tx ? prim->min_x : tx,
      prim->min_y > ty ? prim->min_y : ty,
      prim->max_x < tx + SIM_FS_TILE ? prim->max_x : tx + SIM_FS_TILE,
      prim->max_y < ty + SIM_FS_TILE ? prim->max_y : ty + SIM_FS_TILE
   };
   worker->block.prim = prim;
   const unsigned lines = worker->fs->gr3d->lines;
   for (int32_t y = box[1] & ~1; y < box[3]; y += 2) {
      if (!(lines >> (y >> 4 & 1) & 1))
         continue; /* no engine draws this line of tiles */
      for (int32_t x = box[0] & ~7; x < box[2]; x += 8) {
         int32_t e[3] = { 0, 0, 0 };
         bool outside = false, inside = true;
         for (unsigned k = 0; k < walk.count; k++) {
            e[k] = corner[k] + (x - tx) * walk.a[k] + (y - ty) * walk.b[k];
            outside |= e[k] + walk.high[k] < 0;
            inside &= e[k] + walk.low[k] >= 0;
         }
         if (!outside)
            add_strip(worker, &walk, e, x, y, inside, box);
      }
   }
   flush_block(worker);
}

void
sim_fs_raster_tile(struct sim_fs_worker *worker, unsigned tile)
{
   struct gr3d_fragment_state *fs = worker->fs;
   int32_t x = fs->tile_x0 + (int32_t)(tile % fs->tiles_x) * SIM_FS_TILE;
   int32_t y = fs->tile_y0 + (int32_t)(tile / fs->tiles_x) * SIM_FS_TILE;
   for (uint32_t i = fs->tile_start[tile]; i < fs->tile_start[tile + 1]; i++)
      raster_prim(worker, &fs->prims[fs->tile_list[i]], x, y);
}
