/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * User space does not hand in a rendering list, but says what it would load
 * and store; Linux makes the list of it (vc4_render_cl.c there): clear, and
 * for each tile the loads, the call of its list, the stores.  Only one load
 * can wait for the tile's coordinates, and every store but the first needs
 * them again.
 */

#include <errno.h>

#include "videocore.h"

#define FULL_SIZE (64 * 64 * 4)
#define SURFACE_FULL VC4_SUBMIT_RCL_SURFACE_READ_IS_FULL_RES

/* Flags in the low bits of full resolution packets' addresses. */
#define FULL_NO_COLOR 1u
#define FULL_NO_ZS 2u
#define FULL_NO_CLEAR 4u
#define LAST_TILE 8u

struct render_list {
   struct vc4_exec *exec;
   struct shim_mem *color_read, *color_write, *zs_read, *zs_write;
   struct shim_mem *full_color, *full_zs;
   uint32_t used;
};

static void
put8(struct render_list *r, unsigned value)
{
   r->exec->render[r->used++] = value;
}

static void
put16(struct render_list *r, unsigned value)
{
   put8(r, value & 255);
   put8(r, value >> 8);
}

static void
put32(struct render_list *r, uint32_t value)
{
   put16(r, value & 0xffff);
   put16(r, value >> 16);
}

static void
put_tile(struct render_list *r, unsigned x, unsigned y)
{
   put8(r, 115);
   put8(r, x);
   put8(r, y);
}

/* A store of nothing. */
static void
put_empty_store(struct render_list *r, unsigned flags)
{
   put8(r, 28);
   put16(r, flags);
   put32(r, 0);
}

static uint32_t
full_address(const struct render_list *r, const struct shim_mem *mem,
             const struct drm_vc4_submit_rcl_surface *surface, unsigned x,
             unsigned y)
{
   unsigned columns = DIV_ROUND_UP(r->exec->args->width, r->exec->tile_width);
   return mem->address + surface->offset + FULL_SIZE * (columns * y + x);
}

static void
put_load(struct render_list *r, const struct shim_mem *mem,
         const struct drm_vc4_submit_rcl_surface *surface, unsigned x,
         unsigned y, unsigned other)
{
   if (surface->flags & SURFACE_FULL) {
      put8(r, 27);
      put32(r, full_address(r, mem, surface, x, y) | other);
   } else {
      put8(r, 29);
      put16(r, surface->bits);
      put32(r, mem->address + surface->offset);
   }
}

/* more: stores of the tile follow. */
static void
put_full_store(struct render_list *r, const struct shim_mem *mem,
               const struct drm_vc4_submit_rcl_surface *surface, unsigned x,
               unsigned y, unsigned other, bool more, bool last)
{
   unsigned flags = other | (more ? FULL_NO_CLEAR : last ? LAST_TILE : 0);
   put8(r, 26);
   put32(r, full_address(r, mem, surface, x, y) | flags);
}

static void
put_loads(struct render_list *r, unsigned x, unsigned y)
{
   const struct drm_vc4_submit_cl *args = r->exec->args;
   if (r->color_read)
      put_load(r, r->color_read, &args->color_read, x, y, FULL_NO_ZS);
   if (r->zs_read) {
      if (r->color_read) {
         put_tile(r, x, y);
         put_empty_store(r, 7 << 13); /* that clears nothing */
      }
      put_load(r, r->zs_read, &args->zs_read, x, y, FULL_NO_COLOR);
   }
   put_tile(r, x, y);
}

static void
put_stores(struct render_list *r, unsigned x, unsigned y, bool last)
{
   const struct drm_vc4_submit_cl *args = r->exec->args;
   bool again = false;
   if (r->full_color) {
      put_full_store(r, r->full_color, &args->msaa_color_write, x, y,
                     FULL_NO_ZS, r->full_zs || r->zs_write || r->color_write,
                     last);
      again = true;
   }
   if (r->full_zs) {
      if (again)
         put_tile(r, x, y);
      put_full_store(r, r->full_zs, &args->msaa_zs_write, x, y, FULL_NO_COLOR,
                     r->zs_write || r->color_write, last);
      again = true;
   }
   if (r->zs_write) {
      if (again)
         put_tile(r, x, y);
      put8(r, 28);
      put16(r, args->zs_write.bits | (r->color_write ? 1 << 13 : 0));
      put32(r, (r->zs_write->address + args->zs_write.offset) |
                  (last && !r->color_write ? LAST_TILE : 0));
      again = true;
   }
   if (r->color_write) {
      if (again)
         put_tile(r, x, y);
      put8(r, last ? 25 : 24);
   }
}

/* --- checks --- */

static int
check_full(const struct render_list *r, const struct shim_mem *mem,
           const struct drm_vc4_submit_rcl_surface *surface)
{
   const struct drm_vc4_submit_cl *args = r->exec->args;
   unsigned columns = DIV_ROUND_UP(args->width, r->exec->tile_width);
   if (surface->offset > mem->size || surface->offset & 15 ||
       (mem->size - surface->offset) / FULL_SIZE <
          columns * args->max_y_tile + args->max_x_tile)
      return shim_vc4_refuse("full resolution tiles beyond their buffer");
   return 0;
}

static int
use_surface(struct render_list *r,
            const struct drm_vc4_submit_rcl_surface *surface,
            struct shim_mem **mem)
{
   if (surface->hindex == ~0u)
      return 0;
   *mem = shim_vc4_use_bo(r->exec, surface->hindex);
   return *mem ? 0 : -EINVAL;
}

static int
set_full(struct render_list *r,
         const struct drm_vc4_submit_rcl_surface *surface,
         struct shim_mem **mem)
{
   if (surface->flags || surface->bits)
      return shim_vc4_refuse("flags of a full resolution surface");
   int ret = use_surface(r, surface, mem);
   return ret || !*mem ? ret : check_full(r, *mem, surface);
}

/* color_read, zs_read, zs_write: the bits of a general load or store. */
static int
set_general(struct render_list *r,
            const struct drm_vc4_submit_rcl_surface *surface, bool write,
            struct shim_mem **mem)
{
   const struct drm_vc4_submit_cl *args = r->exec->args;
   if (surface->flags & ~SURFACE_FULL)
      return shim_vc4_refuse("unknown flags of a surface");
   int ret = use_surface(r, surface, mem);
   if (ret || !*mem)
      return ret;
   if (surface->flags & SURFACE_FULL) {
      if (write || surface->bits)
         return shim_vc4_refuse("bits of a full resolution surface");
      return check_full(r, *mem, surface);
   }
   unsigned buffer = surface->bits & 7, format = surface->bits >> 8 & 3;
   if (surface->bits & ~0x337u || surface->offset & 15)
      return shim_vc4_refuse("bits 0x%04x or offset of a surface",
                             surface->bits);
   if ((buffer != 1 && buffer != 2) || format == 3 || (buffer == 2 && format))
      return shim_vc4_refuse("buffer %u with format %u", buffer, format);
   if (!shim_vc4_image_fits(*mem, surface->offset, surface->bits >> 4 & 3,
                            args->width, args->height, format ? 2 : 4))
      return shim_vc4_refuse("a surface beyond its buffer");
   return 0;
}

/* color_write: the bits of the rendering configuration. */
static int
set_config(struct render_list *r)
{
   const struct drm_vc4_submit_cl *args = r->exec->args;
   const struct drm_vc4_submit_rcl_surface *surface = &args->color_write;
   if (surface->flags || surface->bits & ~0xddu)
      return shim_vc4_refuse("flags or bits 0x%04x of the frame",
                             surface->bits);
   int ret = use_surface(r, surface, &r->color_write);
   if (ret || !r->color_write)
      return ret;
   unsigned format = surface->bits >> 2 & 3;
   if (format == 3 ||
       !shim_vc4_image_fits(r->color_write, surface->offset,
                            surface->bits >> 6 & 3, args->width, args->height,
                            format == 1 ? 4 : 2))
      return shim_vc4_refuse("a frame beyond its buffer");
   return 0;
}

static int
set_surfaces(struct render_list *r)
{
   const struct drm_vc4_submit_cl *args = r->exec->args;
   int ret = set_config(r);
   if (!ret)
      ret = set_general(r, &args->color_read, false, &r->color_read);
   if (!ret)
      ret = set_general(r, &args->zs_read, false, &r->zs_read);
   if (!ret)
      ret = set_general(r, &args->zs_write, true, &r->zs_write);
   if (!ret)
      ret = set_full(r, &args->msaa_color_write, &r->full_color);
   if (!ret)
      ret = set_full(r, &args->msaa_zs_write, &r->full_zs);
   if (!ret && !r->color_write && !r->zs_write && !r->full_color &&
       !r->full_zs)
      ret = shim_vc4_refuse("nothing is stored");
   return ret;
}

/* The largest that a tile's part can be. */
#define TILE_BYTES 96

static void
put_tiles(struct render_list *r)
{
   struct vc4_exec *exec = r->exec;
   const struct drm_vc4_submit_cl *args = exec->args;
   const unsigned columns = args->max_x_tile - args->min_x_tile + 1;
   const unsigned rows = args->max_y_tile - args->min_y_tile + 1;
   const bool fixed = args->flags & VC4_SUBMIT_CL_FIXED_RCL_ORDER;
   const bool left =
      fixed && !(args->flags & VC4_SUBMIT_CL_RCL_ORDER_INCREASING_X);
   const bool up =
      fixed && !(args->flags & VC4_SUBMIT_CL_RCL_ORDER_INCREASING_Y);
   for (unsigned i = 0; i < columns * rows; i++) {
      unsigned x = i % columns, y = i / columns;
      x = left ? args->max_x_tile - x : args->min_x_tile + x;
      y = up ? args->max_y_tile - y : args->min_y_tile + y;
      put_loads(r, x, y);
      if (i == 0 && args->bin_cl_size)
         put8(r, 8);
      if (args->bin_cl_size) {
         put8(r, 17);
         put32(r, exec->tile_lists + (y * exec->tiles_x + x) * 32);
      }
      put_stores(r, x, y, i + 1 == columns * rows);
   }
}

int
shim_vc4_make_render_list(struct vc4_exec *exec)
{
   const struct drm_vc4_submit_cl *args = exec->args;
   struct render_list r = { .exec = exec };
   if (args->min_x_tile > args->max_x_tile ||
       args->min_y_tile > args->max_y_tile ||
       (args->bin_cl_size && (args->max_x_tile > exec->tiles_x ||
                              args->max_y_tile > exec->tiles_y)))
      return shim_vc4_refuse("tiles (%u, %u) to (%u, %u)", args->min_x_tile,
                             args->min_y_tile, args->max_x_tile,
                             args->max_y_tile);
   int ret = set_surfaces(&r);
   if (ret)
      return ret;
   unsigned tiles = (args->max_x_tile - args->min_x_tile + 1) *
                    (args->max_y_tile - args->min_y_tile + 1);
   if (64 + tiles * TILE_BYTES > exec->render_size)
      return -ENOMEM;
   put8(&r, 113);
   put32(&r, r.color_write ? r.color_write->address + args->color_write.offset
                           : 0);
   put16(&r, args->width);
   put16(&r, args->height);
   put16(&r, args->color_write.bits);
   if (args->flags & VC4_SUBMIT_CL_USE_CLEAR_COLOR) {
      put8(&r, 114);
      put32(&r, args->clear_color[0]);
      put32(&r, args->clear_color[1]);
      put32(&r, args->clear_z);
      put8(&r, args->clear_s);
      put_tile(&r, 0, 0);
      put_empty_store(&r, 0);
   }
   put_tiles(&r);
   exec->render_end = exec->render_address + r.used;
   return 0;
}
