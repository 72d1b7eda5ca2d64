/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Fills and copies with the 2D engine (surfaces-and-textures.md 9.1, 9.2).
 * Pixels are opaque bit patterns of 8, 16 or 32 bits; tiled and linear
 * surfaces mix freely.
 */

#include "util/u_math.h"

#include "tegra20/gr2d_regs.h"
#include "tegra20/host1x_stream.h"

#include "tegra20_context.h"
#include "tegra20_cost.h"
#include "tegra20_debug.h"
#include "tegra20_gr2d.h"

#define TRIGGER_DSTPS GR2D_DSTPS
#define ROP_COPY 0xcc
#define GROUP_WORDS 40

static uint32_t
bytes_log2(unsigned cpp)
{
   return cpp >> 1; /* DSTCD: 0, 1, 2 for 1, 2, 4 bytes */
}

/* 11.2: an operation that reads the output of an earlier one of the job, or
 * overwrites its input, waits for it.  src may be NULL. */
static void
wait_for_earlier(struct tegra20_context *ctx, const struct tegra20_bo *dst,
                 const struct tegra20_bo *src)
{
   struct tegra20_job *job = tegra20_context_job(ctx, TEGRA20_ENGINE_2D);
   bool hazard = tegra20_job_uses(job, dst, TEGRA20_READ);

   if (src)
      hazard |= tegra20_job_uses(job, src, TEGRA20_WRITE);
   if (hazard && !tegra20_job_barrier(job))
      tegra20_context_submit(ctx, TEGRA20_ENGINE_2D);
}

static uint32_t *
begin(struct tegra20_context *ctx, unsigned relocs)
{
   struct tegra20_job *job = tegra20_context_job(ctx, TEGRA20_ENGINE_2D);
   uint32_t *p = tegra20_job_begin(job, GROUP_WORDS, relocs);

   if (!p) {
      tegra20_context_submit(ctx, TEGRA20_ENGINE_2D);
      p = tegra20_job_begin(job, GROUP_WORDS, relocs);
   }
   return p;
}

/* Base addresses must be multiples of 8 (9.5). */
static bool
addressable(const struct tegra20_gr2d_surface *surface)
{
   return surface->offset % 8 == 0 && surface->pitch <= 0xffff &&
          surface->pitch % 16 == 0 &&
          (!surface->tiled || surface->pitch % 256 == 0);
}

/* SRCFGC is 32 bits of pattern for any size of pixel (9.1): a value of fewer
 * bits is repeated. */
static uint32_t
fill_pattern(unsigned cpp, uint32_t value)
{
   switch (cpp) {
   case 1:
      return (value & 0xff) * 0x01010101u;
   case 2:
      return (value & 0xffff) * 0x00010001u;
   default:
      return value;
   }
}

bool
tegra20_gr2d_fill(struct tegra20_context *ctx,
                  const struct tegra20_gr2d_surface *dst, unsigned cpp,
                  unsigned x, unsigned y, unsigned width, unsigned height,
                  uint32_t value)
{
   if (DBG(NO2D) || !addressable(dst) || (cpp != 1 && cpp != 2 && cpp != 4))
      return false;
   if (!width || !height)
      return true;

   wait_for_earlier(ctx, dst->bo, NULL);
   uint32_t *p = begin(ctx, 1);
   if (!p)
      return false;
   struct tegra20_job *job = ctx->jobs[TEGRA20_ENGINE_2D];

   *p++ = host1x_setcl(0, HOST1X_CLASS_GR2D, 0);
   *p++ = host1x_mask(GR2D_G2TRIGGER, 0x9); /* and CMDSEL */
   *p++ = TRIGGER_DSTPS;
   *p++ = 0;
   *p++ = host1x_incr(GR2D_CONTROLSECOND, 3); /* and CONTROLMAIN, ROPFADE */
   *p++ = 0;
   *p++ = GR2D_CONTROLMAIN_DSTCD(bytes_log2(cpp)) |
          GR2D_CONTROLMAIN_SRCSLD(1) | GR2D_CONTROLMAIN_TURBOFILL(1);
   *p++ = ROP_COPY;
   *p++ = host1x_mask(GR2D_DSTBA, 0x9); /* and DSTST */
   tegra20_job_reloc(job, p++, dst->bo, dst->offset, TEGRA20_WRITE);
   *p++ = dst->pitch;
   *p++ = host1x_incr(GR2D_SRCFGC, 1);
   *p++ = fill_pattern(cpp, value);
   *p++ = host1x_incr(GR2D_TILEMODE, 1);
   *p++ = GR2D_TILEMODE_DESTINATION_20(dst->tiled);
   *p++ = host1x_mask(GR2D_DSTSIZE, 0x5); /* and DSTPS, which starts it */
   *p++ = height << 16 | width;
   *p++ = y << 16 | x;
   tegra20_job_end(job, p);
   tegra20_cost_2d(ctx, width * height);
   return true;
}

bool
tegra20_gr2d_copy(struct tegra20_context *ctx,
                  const struct tegra20_gr2d_surface *dst, unsigned dx,
                  unsigned dy, const struct tegra20_gr2d_surface *src,
                  unsigned sx, unsigned sy, unsigned cpp, unsigned width,
                  unsigned height)
{
   if (DBG(NO2D) || !addressable(dst) || !addressable(src) ||
       (cpp != 1 && cpp != 2 && cpp != 4))
      return false;
   if (!width || !height)
      return true;

   wait_for_earlier(ctx, dst->bo, src->bo);
   uint32_t *p = begin(ctx, 2);
   if (!p)
      return false;
   struct tegra20_job *job = ctx->jobs[TEGRA20_ENGINE_2D];

   bool overlap = src->bo == dst->bo && src->offset == dst->offset;
   bool xdir = overlap && dx > sx, ydir = overlap && dy > sy;

   *p++ = host1x_setcl(0, HOST1X_CLASS_GR2D, 0);
   *p++ = host1x_mask(GR2D_G2TRIGGER, 0x9); /* and CMDSEL */
   *p++ = TRIGGER_DSTPS;
   *p++ = 0;
   *p++ = host1x_incr(GR2D_CONTROLSECOND, 3); /* and CONTROLMAIN, ROPFADE */
   *p++ = 0;
   *p++ = GR2D_CONTROLMAIN_SRCCD(1) |
          GR2D_CONTROLMAIN_DSTCD(bytes_log2(cpp)) |
          GR2D_CONTROLMAIN_YDIR(ydir) | GR2D_CONTROLMAIN_XDIR(xdir);
   *p++ = ROP_COPY;
   *p++ = host1x_incr(GR2D_TILEMODE, 1);
   *p++ = GR2D_TILEMODE_DESTINATION_20(dst->tiled) |
          GR2D_TILEMODE_SOURCE(src->tiled);
   *p++ = host1x_mask(GR2D_DSTBA, 0x9); /* and DSTST */
   tegra20_job_reloc(job, p++, dst->bo, dst->offset, TEGRA20_WRITE);
   *p++ = dst->pitch;
   *p++ = host1x_mask(GR2D_SRCBA, 0x5); /* and SRCST */
   tegra20_job_reloc(job, p++, src->bo, src->offset, TEGRA20_READ);
   *p++ = src->pitch;
   *p++ = host1x_incr(GR2D_SRCSIZE,
                      4); /* and DSTSIZE, SRCPS, DSTPS, which starts it */
   *p++ = height << 16 | width;
   *p++ = height << 16 | width;
   *p++ =
      (sy + (ydir ? height - 1 : 0)) << 16 | (sx + (xdir ? width - 1 : 0));
   *p++ =
      (dy + (ydir ? height - 1 : 0)) << 16 | (dx + (xdir ? width - 1 : 0));
   tegra20_job_end(job, p);
   tegra20_cost_2d(ctx, width * height);
   return true;
}
