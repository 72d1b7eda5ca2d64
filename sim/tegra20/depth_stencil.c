/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Depth and stencil tests of the raster stage, before the fragment program,
 * and the late stencil write that a program triggers
 * (gr3d-registers.md 3.12, 3.13; surfaces-and-textures.md 7).
 *
 * Depth: z20 = floor(z * 2^20), compared and stored as 16 bits (assumptions
 * A33, A34).  A z that is mathematically an integer multiple of 2^-20 must
 * not fall below it by the last bit of a double: 2^-40 is added first.  The
 * written depth of a fragment that is discarded later stays (A35).
 *
 * With the early stencil write off, a fragment that failed a test may still
 * have to run: whether it is discarded decides about its fail operation
 * (A36).
 */

#include "fragment.h"

enum {
   STENCIL_ZERO,
   STENCIL_KEEP,
   STENCIL_REPLACE,
   STENCIL_INCR,
   STENCIL_DECR,
   STENCIL_INVERT,
   STENCIL_INCR_WRAP,
   STENCIL_DECR_WRAP
};

static bool
compare(unsigned func, uint32_t a, uint32_t b)
{
   switch (func & 7) {
   case 0:
      return false;
   case 1:
      return a < b;
   case 2:
      return a == b;
   case 3:
      return a <= b;
   case 4:
      return a > b;
   case 5:
      return a != b;
   case 6:
      return a >= b;
   default:
      return true;
   }
}

static uint8_t
stencil_op(unsigned op, uint8_t stored, uint8_t ref)
{
   switch (op) {
   case STENCIL_ZERO:
      return 0;
   case STENCIL_REPLACE:
      return ref;
   case STENCIL_INCR:
      return stored == 255 ? 255 : stored + 1;
   case STENCIL_DECR:
      return stored == 0 ? 0 : stored - 1;
   case STENCIL_INVERT:
      return (uint8_t)~stored;
   case STENCIL_INCR_WRAP:
      return (uint8_t)(stored + 1);
   case STENCIL_DECR_WRAP:
      return (uint8_t)(stored - 1);
   default:
      return stored;
   }
}

/* z20 of a strip; lanes outside the depth range (A20) leave cover. */
SIM_LANES static void
depth_strip(const struct sim_fs_prim *prim, double x, double y,
            const struct sim_fs_depth_stencil *ds, uint32_t *restrict z20,
            uint32_t *restrict cover)
{
   const int32_t range_min = ds->range_min, range_max = ds->range_max;
   const double rounding = ds->rounding;
   const struct sim_fs_plane *p0 = &prim->weight[0], *p1 = &prim->weight[1];
   const double d0 = prim->z0 - prim->z2, d1 = prim->z1 - prim->z2;
   const double a = d0 * p0->a + d1 * p1->a, b = d0 * p0->b + d1 * p1->b;
   const double c = prim->z2 + (d0 * p0->c + d1 * p1->c) + a * x + b * y;
   const double offset = prim->z_offset,
                range_offset = ds->range_late ? offset : 0;
   for (unsigned j = 0; j < 2; j++) {
      const double row = c + j * b;
      for (unsigned i = 0; i < 8; i++) {
         /* Clamped to a range in which the conversion truncates a
          * non-negative number: floor. */
         double z =
            (row + (int)i * a + range_offset) * 0x1p20 + (0x1p20 + rounding);
         z = z > 0 ? z : 0;
         z = z < 0x1p22 ? z : 0x1p22;
         int32_t unclamped = (int32_t)z - (1 << 20);
         uint32_t inside =
            unclamped >= range_min && unclamped <= range_max ? ~0u : 0u;
         double zo = (row + (int)i * a + offset) * 0x1p20 + rounding;
         zo = zo > 0 ? zo : 0;
         zo = zo < 1048575.0 ? zo : 1048575.0;
         z20[8 * j + i] = (uint32_t)(int32_t)zo;
         cover[8 * j + i] &= inside;
      }
   }
}

static void
stencil_update(struct sim_fs_worker *worker, uint8_t *p, unsigned op,
               const struct sim_fs_stencil_face *face)
{
   uint8_t stored = *p;
   uint8_t value = stencil_op(op, stored, face->ref);
   *p = (stored & ~face->write_mask) | (value & face->write_mask);
}

/* The tests of one fragment.  Returns whether it passed; *op is the stencil
 * operation that is due. */
static bool
test_lane(struct sim_fs_worker *worker, int32_t x, int32_t y, uint32_t z20,
          uint8_t *op)
{
   const struct sim_fs_depth_stencil *ds = &worker->fs->ds;
   const struct sim_fs_stencil_face *face =
      &ds->face[worker->block.prim->front ? 0 : 1];
   uint8_t *stencil = NULL, *depth = NULL;
   bool pass = true;
   *op = STENCIL_KEEP;
   if (ds->stencil_test) {
      stencil = sim_fs_surface_pixel(worker, 2, x, y);
      uint8_t stored = stencil ? *stencil : 0;
      pass = compare(face->func, face->ref & face->mask, stored & face->mask);
      *op = pass ? face->zpass : face->fail;
   }
   if (pass && ds->depth_test) {
      uint16_t z = (uint16_t)(z20 >> 4), stored = 0;
      depth = sim_fs_surface_pixel(worker, 0, x, y);
      if (depth)
         memcpy(&stored, depth, sizeof(stored));
      pass = ds->compare20
                ? compare(ds->depth_func, z20, (uint32_t)stored << 4)
                : compare(ds->depth_func, z, stored);
      if (pass && ds->depth_write && !ds->late_depth && depth)
         memcpy(depth, &z, sizeof(z));
      if (!pass && ds->stencil_test)
         *op = face->zfail;
   }
   if (stencil && ds->early_write)
      stencil_update(worker, stencil, *op, face);
   if (!pass && ds->late_passed)
      *op = STENCIL_KEEP;
   return pass;
}

static void
test_lanes(struct sim_fs_worker *worker, unsigned strip)
{
   struct sim_fs_block *block = &worker->block;
   for (unsigned i = 0; i < SIM_FS_STRIP_LANES; i++) {
      unsigned lane = strip * SIM_FS_STRIP_LANES + i;
      if (!block->cover[lane])
         continue;
      bool pass = test_lane(worker, block->x[strip] + (int)(i & 7),
                            block->y[strip] + (int)(i >> 3), block->z20[lane],
                            &block->late_op[lane]);
      block->live[lane] = pass ? ~0u : 0u;
   }
}

/* --- depth only, full strips: the common case --- */

SIM_LANES static void
depth_row(uint16_t *restrict stored, const uint32_t *restrict z20,
          uint32_t *restrict live, unsigned func, bool write)
{
   const uint32_t less = func & 1 ? ~0u : 0u, equal = func & 2 ? ~0u : 0u,
                  greater = func & 4 ? ~0u : 0u;
   for (unsigned i = 0; i < 8; i++) {
      uint32_t z = z20[i] >> 4, s = stored[i];
      uint32_t pass =
         (z < s ? less : 0u) | (z == s ? equal : 0u) | (z > s ? greater : 0u);
      pass &= live[i];
      live[i] = pass;
      stored[i] = (uint16_t)(write && pass ? z : s);
   }
}

static bool
depth_strip_fast(struct sim_fs_worker *worker, unsigned strip)
{
   struct sim_fs_block *block = &worker->block;
   const struct sim_fs_depth_stencil *ds = &worker->fs->ds;
   const struct sim_fs_surface *s = &worker->fs->surface[0];
   if (ds->stencil_test || ds->late_depth || ds->compare20 ||
       !block->full[strip] || !s->cpu)
      return false;
   for (unsigned j = 0; j < 2; j++) {
      /* 8 depths are 16 bytes: one run in either layout. */
      unsigned lane = strip * SIM_FS_STRIP_LANES + 8 * j;
      uint8_t *p = sim_fs_surface_pixel(worker, 0, block->x[strip],
                                        block->y[strip] + (int)j);
      uint16_t stored[8];
      memcpy(stored, p, sizeof(stored));
      depth_row(stored, block->z20 + lane, block->live + lane, ds->depth_func,
                ds->depth_write);
      if (ds->depth_write)
         memcpy(p, stored, sizeof(stored));
   }
   return true;
}

SIM_LANES static unsigned
count_lanes(const uint32_t *lanes, unsigned n)
{
   unsigned count = 0;
   for (unsigned i = 0; i < n; i++)
      count += lanes[i] & 1;
   return count;
}

static bool
is_covered(const struct sim_fs_block *block)
{
   bool full = true;
   for (unsigned s = 0; s < block->num_strips; s++)
      full &= block->full[s];
   return full;
}

bool
sim_fs_early_tests(struct sim_fs_worker *worker, unsigned *fragments)
{
   struct sim_fs_block *block = &worker->block;
   const struct sim_fs_depth_stencil *ds = &worker->fs->ds;
   bool need_depth =
      ds->depth_test || !block->prim->z_inside || worker->fs->program->uses_z;
   if (!need_depth && !ds->stencil_test && is_covered(block)) {
      memset(block->live, 0xff, block->n * sizeof(*block->live));
      *fragments = block->n;
      return true;
   }
   for (unsigned s = 0; need_depth && s < block->num_strips; s++) {
      unsigned lane = s * SIM_FS_STRIP_LANES;
      depth_strip(block->prim, block->x[s], block->y[s], ds,
                  block->z20 + lane, block->cover + lane);
   }
   for (unsigned i = 0; need_depth && ds->clamp && i < block->n; i++) {
      int32_t z = (int32_t)block->z20[i];
      block->z20[i] = (uint32_t)(z < ds->clamp_min   ? ds->clamp_min
                                 : z > ds->clamp_max ? ds->clamp_max
                                                     : z);
   }
   memcpy(block->live, block->cover, block->n * sizeof(*block->live));
   if (ds->depth_test || ds->stencil_test) {
      for (unsigned s = 0; s < block->num_strips; s++) {
         if (!depth_strip_fast(worker, s))
            test_lanes(worker, s);
      }
   }
   *fragments = count_lanes(block->live, block->n);
   if (*fragments || !ds->late_write)
      return *fragments;
   for (unsigned i = 0; i < block->n; i++) {
      if (block->cover[i] && block->late_op[i] != STENCIL_KEEP)
         return true;
   }
   return false;
}

/* Assumption A35 the other way: depth of the fragments that the program left.
 */
void
sim_fs_late_depth(struct sim_fs_worker *worker)
{
   struct sim_fs_block *block = &worker->block;
   for (unsigned lane = 0; lane < block->n; lane++) {
      unsigned strip = lane / SIM_FS_STRIP_LANES,
               i = lane % SIM_FS_STRIP_LANES;
      if (!block->live[lane])
         continue;
      uint8_t *p =
         sim_fs_surface_pixel(worker, 0, block->x[strip] + (int)(i & 7),
                              block->y[strip] + (int)(i >> 3));
      uint16_t z = (uint16_t)(block->z20[lane] >> 4);
      if (p)
         memcpy(p, &z, sizeof(z));
   }
}

void
sim_fs_late_stencil(struct sim_fs_worker *worker)
{
   struct sim_fs_block *block = &worker->block;
   const struct sim_fs_depth_stencil *ds = &worker->fs->ds;
   if (!ds->stencil_test || !ds->late_write)
      return;
   const struct sim_fs_stencil_face *face =
      &ds->face[block->prim->front ? 0 : 1];
   for (unsigned lane = 0; lane < block->n; lane++) {
      if (!block->cover[lane] || block->killed[lane])
         continue;
      unsigned strip = lane / SIM_FS_STRIP_LANES,
               i = lane % SIM_FS_STRIP_LANES;
      uint8_t *p =
         sim_fs_surface_pixel(worker, 2, block->x[strip] + (int)(i & 7),
                              block->y[strip] + (int)(i >> 3));
      if (p)
         stencil_update(worker, p, block->late_op[lane], face);
   }
}
