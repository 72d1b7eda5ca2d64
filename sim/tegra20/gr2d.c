/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * GR2D: register file, fill and copy (surfaces-and-textures.md 8 and 9).
 *
 * Pixels are opaque bit patterns of 1, 2 or 4 bytes.  The tiled layout is
 * only a permutation of addresses.  Rows are moved in runs that are
 * contiguous in memory; a copy whose source and destination share memory goes
 * pixel by pixel in the order that XDIR and YDIR give, so that a wrong
 * direction has the wrong result that it has on the chip.
 */

#include <stdlib.h>
#include <string.h>

#include "gr2d.h"
#include "tegra20/gr2d_regs.h"
#include "tegra20/host1x_regs.h"

void
gr2d_job_begin(struct gr2d *gr2d)
{
   for (unsigned i = 0; i < sizeof(gr2d->regs) / sizeof(gr2d->regs[0]); i++)
      gr2d->regs[i] = SIM_POISON;
   memset(gr2d->written, 0, sizeof(gr2d->written));
}

uint32_t
gr2d_reg(struct gr2d *gr2d, uint32_t offset)
{
   if (!gr2d->written[offset])
      sim_report(gr2d->sim, SIM_DIAG_G2_UNWRITTEN, offset, -1,
                 "GR2D operation uses register 0x%02x, which is not written",
                 offset);
   return gr2d->regs[offset];
}

uint8_t *
gr2d_scratch(struct gr2d *gr2d, size_t size)
{
   if (size > gr2d->scratch_size) {
      uint8_t *grown = realloc(gr2d->scratch, size);
      if (!grown) {
         sim_report(gr2d->sim, SIM_DIAG_G2_SIZE, SIM_NO_REG, -1,
                    "out of memory for %zu bytes", size);
         return NULL;
      }
      gr2d->scratch = grown;
      gr2d->scratch_size = size;
   }
   return gr2d->scratch;
}

void
gr2d_fini(struct gr2d *gr2d)
{
   free(gr2d->scratch);
}

bool
gr2d_size_ok(struct gr2d *gr2d, uint32_t width, uint32_t height)
{
   if ((uint64_t)width * height <= 1u << 26)
      return true;
   sim_report(gr2d->sim, SIM_DIAG_G2_SIZE, GR2D_DSTSIZE, -1,
              "GR2D operation of %ux%u pixels: nothing is done", width,
              height);
   return false;
}

/* --- surfaces --- */

static uint32_t
byte_offset(const struct gr2d_surface *surface, uint32_t xb, uint32_t y)
{
   if (!surface->tiled)
      return y * surface->pitch + xb;
   return (y >> 4) * 16 * surface->pitch + (xb >> 4) * 256 + (y & 15) * 16 +
          (xb & 15);
}

/* Bytes from xb on that are contiguous in memory, at most size. */
static uint32_t
run_length(const struct gr2d_surface *surface, uint32_t xb, uint32_t size)
{
   uint32_t left = 16 - (xb & 15);
   return surface->tiled && left < size ? left : size;
}

static void
report_outside(struct gr2d *gr2d, const struct gr2d_surface *surface,
               uint32_t address, uint32_t size)
{
   sim_report(gr2d->sim, SIM_DIAG_MEMORY_RANGE, surface->reg, -1,
              "GR2D %s: %u bytes at 0x%08x are outside the job's memory",
              surface->name, size, address);
}

void
gr2d_read(struct gr2d *gr2d, const struct gr2d_surface *surface, uint32_t xb,
          uint32_t y, uint8_t *data, uint32_t size)
{
   while (size) {
      uint32_t run = run_length(surface, xb, size);
      uint32_t address = surface->base + byte_offset(surface, xb, y), offset,
               length;
      const uint8_t *p =
         sim_memory_clip(gr2d->sim, address, run, &offset, &length);
      if (!p || length != run) {
         report_outside(gr2d, surface, address, run);
         memset(data, 0, run);
      }
      if (p) {
         memcpy(data + offset, p, length);
         sim_adversary_read(gr2d->sim->adversary, p, data + offset, length);
      }
      data += run;
      xb += run;
      size -= run;
   }
}

void
gr2d_write_bytes(struct gr2d *gr2d, const struct gr2d_surface *surface,
                 uint32_t xb, uint32_t y, const uint8_t *data, uint32_t size)
{
   while (size) {
      uint32_t run = run_length(surface, xb, size);
      uint32_t address = surface->base + byte_offset(surface, xb, y), offset,
               length;
      uint8_t *p = sim_memory_clip(gr2d->sim, address, run, &offset, &length);
      if (!p || length != run)
         report_outside(gr2d, surface, address, run);
      if (p)
         memcpy(p, data + offset, length);
      data += run;
      xb += run;
      size -= run;
   }
}

static void
check_surface(struct gr2d *gr2d, const struct gr2d_surface *surface)
{
   if (surface->tiled && surface->pitch % 256)
      sim_report(gr2d->sim, SIM_DIAG_G2_PITCH, surface->reg, -1,
                 "GR2D %s: tiled with pitch %u, not a multiple of 256",
                 surface->name, surface->pitch);
   else if (surface->pitch % 4)
      sim_report(gr2d->sim, SIM_DIAG_G2_PITCH, surface->reg, -1,
                 "GR2D %s: pitch %u is not a multiple of 4", surface->name,
                 surface->pitch);
   if (surface->base % 8)
      sim_report(gr2d->sim, SIM_DIAG_G2_ALIGNMENT, surface->reg, -1,
                 "GR2D %s: base 0x%08x is not a multiple of 8", surface->name,
                 surface->base);
}

struct gr2d_surface
gr2d_source(struct gr2d *gr2d)
{
   struct gr2d_surface surface = {
      .base = gr2d_reg(gr2d, GR2D_SRCBA),
      .pitch = gr2d_reg(gr2d, GR2D_SRCST) & GR2D_SRCST_SOURCE__MASK,
      .tiled = gr2d_reg(gr2d, GR2D_TILEMODE) & GR2D_TILEMODE_SOURCE__MASK,
      .reg = GR2D_SRCBA,
      .name = "source",
   };
   check_surface(gr2d, &surface);
   return surface;
}

struct gr2d_surface
gr2d_destination(struct gr2d *gr2d)
{
   struct gr2d_surface surface = {
      .base = gr2d_reg(gr2d, GR2D_DSTBA),
      .pitch = gr2d_reg(gr2d, GR2D_DSTST) & GR2D_DSTST_DESTINATION__MASK,
      .tiled =
         gr2d_reg(gr2d, GR2D_TILEMODE) & GR2D_TILEMODE_DESTINATION_20__MASK,
      .reg = GR2D_DSTBA,
      .name = "destination",
   };
   check_surface(gr2d, &surface);
   return surface;
}

/* Bytes per pixel of DSTCD, or 0. */
unsigned
gr2d_pixel_size(struct gr2d *gr2d)
{
   unsigned depth =
      gr2d_reg(gr2d, GR2D_CONTROLMAIN) >> GR2D_CONTROLMAIN_DSTCD__SHIFT & 3;
   if (depth == 3) {
      sim_report(gr2d->sim, SIM_DIAG_G2_OPERATION, GR2D_CONTROLMAIN, -1,
                 "GR2D pixel size code 3 is unknown");
      return 0;
   }
   return 1u << depth;
}

/* --- fill and copy --- */

/* A G2 operation, from the registers.  Coordinates count in pixels and wrap
 * at 16 bits like their registers. */
struct operation {
   struct gr2d_surface src, dst;
   unsigned cpp;
   uint32_t width, height;
   uint16_t sx, sy, dx, dy;
   bool solid, xdir, ydir, yflip;
   bool clip_inside, clip_outside;
   uint16_t clip_left, clip_top, clip_right, clip_bottom;
   uint32_t colour;
   uint8_t rop;
};

/* What the simulator leaves out is reported, not guessed at (assumption A72).
 */
static bool
known_operation(struct gr2d *gr2d, uint32_t main, uint32_t second)
{
   const uint32_t unknown_main =
      GR2D_CONTROLMAIN_CMDT__MASK | GR2D_CONTROLMAIN_FADEN__MASK |
      GR2D_CONTROLMAIN_ALPEN__MASK | GR2D_CONTROLMAIN_PATSLD__MASK |
      GR2D_CONTROLMAIN_XYTDW__MASK | GR2D_CONTROLMAIN_SRCPACK__MASK |
      GR2D_CONTROLMAIN_PATPACK__MASK | GR2D_CONTROLMAIN_DSTT__MASK |
      GR2D_CONTROLMAIN_SRCT__MASK;
   const uint32_t unknown_second = GR2D_CONTROLSECOND_BITSWAP__MASK |
                                   GR2D_CONTROLSECOND_BEBSWAP__MASK |
                                   GR2D_CONTROLSECOND_BEWSWAP__MASK;
   if (main & unknown_main || second & unknown_second) {
      sim_report(
         gr2d->sim, SIM_DIAG_G2_OPERATION, GR2D_CONTROLMAIN, -1,
         "GR2D mode bits 0x%08x / 0x%08x are not documented: nothing is done",
         main & unknown_main, second & unknown_second);
      return false;
   }
   if (!(main &
         (GR2D_CONTROLMAIN_SRCSLD__MASK | GR2D_CONTROLMAIN_SRCCD__MASK))) {
      sim_report(gr2d->sim, SIM_DIAG_G2_OPERATION, GR2D_CONTROLMAIN, -1,
                 "GR2D copy from a monochrome source is not documented: "
                 "nothing is done");
      return false;
   }
   return true;
}

static bool
read_operation(struct gr2d *gr2d, struct operation *op)
{
   uint32_t main = gr2d_reg(gr2d, GR2D_CONTROLMAIN),
            second = gr2d_reg(gr2d, GR2D_CONTROLSECOND);
   uint32_t size = gr2d_reg(gr2d, GR2D_DSTSIZE),
            dst = gr2d_reg(gr2d, GR2D_DSTPS);
   *op = (struct operation){ .cpp = gr2d_pixel_size(gr2d) };
   if (!op->cpp || !known_operation(gr2d, main, second))
      return false;
   op->width = size & GR2D_DSTSIZE_WIDTH__MASK;
   op->height = size >> GR2D_DSTSIZE_HEIGHT__SHIFT & 0x7fff;
   op->dx = dst & 0xffff;
   op->dy = dst >> 16;
   op->dst = gr2d_destination(gr2d);
   op->solid = main & GR2D_CONTROLMAIN_SRCSLD__MASK;
   op->xdir = main & GR2D_CONTROLMAIN_XDIR__MASK;
   op->ydir = main & GR2D_CONTROLMAIN_YDIR__MASK;
   op->yflip = main & GR2D_CONTROLMAIN_YFLIP__MASK;
   op->rop = gr2d_reg(gr2d, GR2D_ROPFADE) & 0xff;
   if (op->solid) {
      op->colour = gr2d_reg(gr2d, GR2D_SRCFGC);
   } else {
      uint32_t src = gr2d_reg(gr2d, GR2D_SRCPS);
      op->sx = src & 0xffff;
      op->sy = src >> 16;
      op->src = gr2d_source(gr2d);
   }
   unsigned clipc = second >> GR2D_CONTROLSECOND_CLIPC__SHIFT & 3;
   if (clipc) {
      uint32_t left_top = gr2d_reg(gr2d, GR2D_CLIPLEFTTOP),
               right_bottom = gr2d_reg(gr2d, GR2D_CLIPRIGHTBOT);
      op->clip_inside = clipc == 2;
      op->clip_outside = clipc == 3;
      op->clip_left = left_top & 0x7fff;
      op->clip_top = left_top >> 16 & 0x7fff;
      op->clip_right = right_bottom & 0x7fff;
      op->clip_bottom = right_bottom >> 16 & 0x7fff;
   }
   return true;
}

static void
check_operation(struct gr2d *gr2d, const struct operation *op)
{
   if (!op->width || !op->height)
      sim_report(gr2d->sim, SIM_DIAG_G2_EMPTY, GR2D_DSTSIZE, -1,
                 "GR2D operation of %ux%u pixels", op->width, op->height);
   if (op->rop != 0xcc)
      sim_report(gr2d->sim, SIM_DIAG_G2_UNPROVEN, GR2D_ROPFADE, -1,
                 "ROP 0x%02x: only copy (0xcc) is proven (A72)", op->rop);
   if (op->yflip && op->ydir)
      sim_report(gr2d->sim, SIM_DIAG_G2_UNPROVEN, GR2D_CONTROLMAIN, -1,
                 "YFLIP together with YDIR is not documented");
   if (op->clip_outside)
      sim_report(gr2d->sim, SIM_DIAG_G2_UNPROVEN, GR2D_CONTROLSECOND, -1,
                 "clipping to the outside is not proven");
}

static bool
clipped(const struct operation *op, uint16_t x, uint16_t y)
{
   if (!op->clip_inside && !op->clip_outside)
      return false;
   bool inside = x >= op->clip_left && x <= op->clip_right &&
                 y >= op->clip_top && y <= op->clip_bottom;
   return inside != op->clip_inside;
}

/* ROP3 with a solid pattern that is never set: bit 4 P + 2 S + D of the code
 * (P = 0). */
static uint32_t
raster_op(uint8_t rop, uint32_t src, uint32_t dst)
{
   uint32_t out = 0;
   if (rop & 1)
      out |= ~src & ~dst;
   if (rop & 2)
      out |= ~src & dst;
   if (rop & 4)
      out |= src & ~dst;
   if (rop & 8)
      out |= src & dst;
   return out;
}

static uint32_t
pixel_value(const uint8_t *bytes, unsigned cpp)
{
   uint32_t value = 0;
   memcpy(&value, bytes, cpp);
   return value;
}

static uint16_t
dst_row(const struct operation *op, uint32_t j)
{
   return (uint16_t)(op->ydir || op->yflip ? op->dy - j : op->dy + j);
}

static uint16_t
src_row(const struct operation *op, uint32_t j)
{
   return (uint16_t)(op->ydir ? op->sy - j : op->sy + j);
}

/* A129: the registers' 32 bits lie over memory as a pattern; with the switch
 * each pixel is the low bits of them. */
static uint32_t
fill_value(const struct gr2d *gr2d, const struct operation *op, uint32_t x)
{
   return sim_switch(gr2d->sim, 129) ? op->colour
                                     : op->colour >> 8 * (x * op->cpp & 3);
}

/* Pixel by pixel, in the engine's order: for everything that the quick path
 * below does not do. */
static void
slow_row(struct gr2d *gr2d, const struct operation *op, uint32_t j)
{
   uint16_t sy = src_row(op, j), dy = dst_row(op, j);
   for (uint32_t i = 0; i < op->width; i++) {
      uint16_t dx = (uint16_t)(op->xdir ? op->dx - i : op->dx + i);
      uint16_t sx = (uint16_t)(op->xdir ? op->sx - i : op->sx + i);
      uint8_t bytes[4] = { 0 };
      if (clipped(op, dx, dy))
         continue;
      uint32_t value = fill_value(gr2d, op, dx);
      if (!op->solid) {
         gr2d_read(gr2d, &op->src, sx * op->cpp, sy, bytes, op->cpp);
         value = pixel_value(bytes, op->cpp);
      }
      if (op->rop != 0xcc) {
         gr2d_read(gr2d, &op->dst, dx * op->cpp, dy, bytes, op->cpp);
         value = raster_op(op->rop, value, pixel_value(bytes, op->cpp));
      }
      memcpy(bytes, &value, 4);
      gr2d_write_bytes(gr2d, &op->dst, dx * op->cpp, dy, bytes, op->cpp);
   }
}

/* rows: two lines of memory, of which the first holds the pixels of a fill.
 */
static void
quick_row(struct gr2d *gr2d, const struct operation *op, uint32_t j,
          uint8_t *rows)
{
   uint32_t size = op->width * op->cpp;
   uint16_t dx = op->xdir ? op->dx - (op->width - 1) : op->dx;
   uint16_t sx = op->xdir ? op->sx - (op->width - 1) : op->sx;
   uint8_t *data = rows;
   if (!op->solid)
      gr2d_read(gr2d, &op->src, sx * op->cpp, src_row(op, j), rows, size);
   if (op->rop != 0xcc) {
      data = rows + size;
      gr2d_read(gr2d, &op->dst, dx * op->cpp, dst_row(op, j), data, size);
      for (uint32_t i = 0; i < size; i++)
         data[i] = (uint8_t)raster_op(op->rop, rows[i], data[i]);
   }
   gr2d_write_bytes(gr2d, &op->dst, dx * op->cpp, dst_row(op, j), data, size);
}

/* Device addresses that lines y .. y + height - 1, pixels x .. x + width - 1
 * lie between: low <= address < high. */
static void
rectangle_extent(const struct operation *op,
                 const struct gr2d_surface *surface, uint32_t x, uint32_t y,
                 uint64_t *low, uint64_t *high)
{
   uint64_t first = (uint64_t)x * op->cpp,
            end = first + (uint64_t)op->width * op->cpp,
            last_line = y + op->height - 1;
   if (surface->tiled) {
      *low = surface->base + (uint64_t)(y & ~15u) * surface->pitch +
             (first & ~15ull) * 16;
      *high = surface->base + (last_line & ~15ull) * surface->pitch +
              ((end + 15) & ~15ull) * 16;
   } else {
      *low = surface->base + (uint64_t)y * surface->pitch + first;
      *high = surface->base + last_line * surface->pitch + end;
   }
}

/* An address that wraps, or a coordinate that does, counts as overlapping. */
static bool
may_overlap(const struct operation *op)
{
   if (op->solid)
      return false;
   uint32_t left = op->xdir ? op->width - 1 : 0, up = op->height - 1;
   uint32_t src_up = op->ydir ? up : 0,
            dst_up = op->ydir || op->yflip ? up : 0;
   if (op->sx < left || op->dx < left || op->sy < src_up || op->dy < dst_up)
      return true;
   if (op->sy - src_up + op->height > 0x10000 ||
       op->dy - dst_up + op->height > 0x10000)
      return true;
   uint64_t src_low, src_high, dst_low, dst_high;
   rectangle_extent(op, &op->src, op->sx - left, op->sy - src_up, &src_low,
                    &src_high);
   rectangle_extent(op, &op->dst, op->dx - left, op->dy - dst_up, &dst_low,
                    &dst_high);
   return src_high > UINT32_MAX || dst_high > UINT32_MAX ||
          (src_low < dst_high && dst_low < src_high);
}

/* Rectangles of one surface that share pixels must be copied away from where
 * they go (surfaces-and-textures.md 9.2). */
static bool
destroys_source(const struct operation *op)
{
   int dx = op->dx - op->sx, dy = op->dy - op->sy;
   unsigned adx = (unsigned)(dx < 0 ? -dx : dx),
            ady = (unsigned)(dy < 0 ? -dy : dy);
   if (adx >= op->width || ady >= op->height)
      return false;
   if (dy == 0)
      return (dx > 0 && !op->xdir) || (dx < 0 && op->xdir);
   return dy > 0 ? !op->ydir : op->ydir;
}

static bool
within_one_surface(const struct operation *op)
{
   return !op->solid && op->src.base == op->dst.base &&
          op->src.pitch == op->dst.pitch && op->src.tiled == op->dst.tiled;
}

static void
check_overlap(struct gr2d *gr2d, const struct operation *op)
{
   if (within_one_surface(op) && destroys_source(op))
      sim_report(gr2d->sim, SIM_DIAG_G2_OVERLAP, GR2D_CONTROLMAIN, -1,
                 "GR2D copy by (%d, %d) onto itself in the direction that "
                 "destroys its source",
                 op->dx - op->sx, op->dy - op->sy);
}

/* A copy line by line, each through a buffer, is exact unless the chip would
 * meet pixels that it has written already.
 */
static bool
lines_are_exact(const struct operation *op)
{
   if (!may_overlap(op))
      return true;
   bool lines_fit =
      ((uint64_t)op->dx + op->width) * op->cpp <= op->dst.pitch &&
      ((uint64_t)op->sx + op->width) * op->cpp <= op->src.pitch;
   bool tiles_fit = !op->dst.tiled || op->dst.pitch % 16 == 0;
   return within_one_surface(op) && lines_fit && tiles_fit && !op->yflip &&
          !destroys_source(op);
}

/* Quick rows need plain coordinates: no wrap at 16 bits inside a row. */
static bool
row_is_plain(const struct operation *op)
{
   if (op->clip_inside || op->clip_outside)
      return false;
   uint32_t extra = op->width - 1;
   if (op->xdir)
      return op->dx >= extra && (op->solid || op->sx >= extra);
   return op->dx + extra <= 0xffff && (op->solid || op->sx + extra <= 0xffff);
}

static void
fill_or_copy(struct gr2d *gr2d)
{
   struct operation op;
   if (!read_operation(gr2d, &op))
      return;
   check_operation(gr2d, &op);
   check_overlap(gr2d, &op);
   if (!op.width || !op.height || !gr2d_size_ok(gr2d, op.width, op.height))
      return;
   /* A102: a pixel per clock */
   atomic_fetch_sub_explicit(&gr2d->sim->gr3d.clocks_left,
                             (long long)op.width * op.height,
                             memory_order_relaxed);
   gr2d->sim->stats.gr2d_clocks += (uint64_t)op.width * op.height;
   gr2d->sim->stats.gr2d_bytes +=
      (uint64_t)op.width * op.height * op.cpp * (op.solid ? 1 : 2);
   gr3d_check_time(&gr2d->sim->gr3d);
   bool quick = row_is_plain(&op) && lines_are_exact(&op);
   uint8_t *rows = gr2d_scratch(gr2d, 2 * (size_t)op.width * op.cpp);
   if (!rows)
      return;
   const uint32_t left = op.xdir ? op.dx - (op.width - 1) : op.dx;
   for (uint32_t i = 0; i < op.width && quick && op.solid; i++) {
      const uint32_t value = fill_value(gr2d, &op, left + i);
      memcpy(rows + i * op.cpp, &value, op.cpp);
   }
   for (uint32_t j = 0; j < op.height; j++) {
      if (quick)
         quick_row(gr2d, &op, j, rows);
      else
         slow_row(gr2d, &op, j);
   }
}

/* --- triggers --- */

static bool
is_trigger(const struct gr2d *gr2d, uint32_t offset)
{
   for (unsigned i = 0; i < 3; i++) {
      uint32_t trigger = gr2d->regs[GR2D_G2TRIGGER + i] & 0x7f;
      if (gr2d->written[GR2D_G2TRIGGER + i] && trigger && trigger == offset)
         return true;
   }
   return false;
}

bool
gr2d_get_extents(struct gr2d *gr2d, struct gr2d_extents *extents)
{
   struct operation op;
   *extents = (struct gr2d_extents){ 0 };
   if (gr2d->regs[GR2D_CMDSEL] & 1 ||
       gr2d->regs[GR2D_CONTROLSECOND] & GR2D_CONTROLSECOND_FR_MODE__MASK ||
       !read_operation(gr2d, &op) || !op.width || !op.height)
      return false;
   uint32_t left = op.xdir ? op.width - 1 : 0, up = op.height - 1;
   uint32_t src_up = op.ydir ? up : 0, dst_up = op.ydir || op.yflip ? up : 0;
   if (op.dx < left || op.dy < dst_up)
      return false;
   rectangle_extent(&op, &op.dst, op.dx - left, op.dy - dst_up,
                    &extents->dst_low, &extents->dst_high);
   if (!op.solid && op.sx >= left && op.sy >= src_up)
      rectangle_extent(&op, &op.src, op.sx - left, op.sy - src_up,
                       &extents->src_low, &extents->src_high);
   return true;
}

void
gr2d_run(struct gr2d *gr2d, uint32_t class_id, uint32_t offset)
{
   bool stretch = gr2d_reg(gr2d, GR2D_CMDSEL) & 1;
   unsigned rotate = gr2d_reg(gr2d, GR2D_CONTROLSECOND) >>
                        GR2D_CONTROLSECOND_FR_MODE__SHIFT &
                     3;
   if (stretch != (class_id == HOST1X_CLASS_GR2D_SB))
      sim_report(gr2d->sim, SIM_DIAG_G2_CLASS, GR2D_CMDSEL, -1,
                 "CMDSEL selects the %s engine, but the class is 0x%02x",
                 stretch ? "stretch-blit" : "G2", class_id);
   if (!stretch && !rotate && offset == GR2D_DSTPS &&
       gr2d_reg(gr2d, GR2D_CONTROLMAIN) & GR2D_CONTROLMAIN_SRCSLD__MASK)
      gr2d->sim->stats.fills++;
   else
      gr2d->sim->stats.blits++;
   if (gr2d->sim->options.noop)
      return;
   if (stretch)
      gr2d_stretch_blit(gr2d);
   else if (rotate)
      gr2d_fast_rotate(gr2d);
   else if (offset == GR2D_DSTPS)
      fill_or_copy(gr2d);
   else
      sim_report(gr2d->sim, SIM_DIAG_G2_CLASS, offset, -1,
                 "write to 0x%02x starts no operation in this mode", offset);
}

void
gr2d_write(struct gr2d *gr2d, uint32_t class_id, uint32_t offset,
           uint32_t value)
{
   if (offset >= sizeof(gr2d->regs) / sizeof(gr2d->regs[0])) {
      sim_report(gr2d->sim, SIM_DIAG_REG_UNKNOWN, offset, -1,
                 "GR2D register 0x%03x does not exist", offset);
      return;
   }
   gr2d->regs[offset] = value;
   gr2d->written[offset] = 1;
   if (is_trigger(gr2d, offset)) {
      sim_overlap_before_operation(gr2d->sim->overlap);
      gr2d_run(gr2d, class_id, offset);
      sim_overlap_after_operation(gr2d->sim->overlap, class_id, offset);
   }
}
