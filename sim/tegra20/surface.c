/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Render targets: address of a pixel, load (destination fetch) and store with
 * the conversions of fragment-pipeline.md 2.3.
 *
 * A strip is 8 pixels aligned to 8, so in either layout a row of a strip lies
 * in runs of 16 bytes.  Full strips of 32-bit surfaces take a short way;
 * every other case goes pixel by pixel, and only covered pixels are touched.
 */

#include "fragment.h"
#include "tegra20/gr3d_regs.h"

unsigned
sim_fs_format_bytes(unsigned format)
{
   switch (format & ~SIM_FS_REPLICATED) {
   case GR3D_PIXEL_FORMAT_A8:
   case GR3D_PIXEL_FORMAT_L8:
   case GR3D_PIXEL_FORMAT_S8:
      return 1;
   case GR3D_PIXEL_FORMAT_LA88:
   case GR3D_PIXEL_FORMAT_RGB565:
   case GR3D_PIXEL_FORMAT_RGBA5551:
   case GR3D_PIXEL_FORMAT_RGBA4444:
   case GR3D_PIXEL_FORMAT_RGBA5551 | SIM_FS_ALPHA_TOP:
   case GR3D_PIXEL_FORMAT_RGBA4444 | SIM_FS_ALPHA_TOP:
   case GR3D_PIXEL_FORMAT_D16_LINEAR:
   case GR3D_PIXEL_FORMAT_D16_NONLINEAR:
      return 2;
   case GR3D_PIXEL_FORMAT_RGBA8888:
   case GR3D_PIXEL_FORMAT_BGRA8888:
      return 4;
   default:
      return 0;
   }
}

unsigned
sim_fs_format(const struct sim *sim, unsigned code)
{
   if (code == GR3D_PIXEL_FORMAT_BGRA8888 && sim_switch(sim, 66))
      return GR3D_PIXEL_FORMAT_RGBA8888;
   if ((code == GR3D_PIXEL_FORMAT_RGBA5551 ||
        code == GR3D_PIXEL_FORMAT_RGBA4444) &&
       sim_switch(sim, 61))
      return code | SIM_FS_ALPHA_TOP;
   if ((code == GR3D_PIXEL_FORMAT_A8 || code == GR3D_PIXEL_FORMAT_L8) &&
       sim_switch(sim, 60))
      return code | SIM_FS_REPLICATED;
   return code;
}

/* Component 0 is red, 3 alpha, as fx10 integers.  Expansion of absent ones:
 * assumption A60; bit order: A61. */
void
sim_fs_unpack(unsigned format, uint32_t word, int32_t c[4])
{
   if (format & SIM_FS_REPLICATED) {
      c[0] = c[1] = c[2] = c[3] = sim_fx10_from_unorm8(word & 0xff);
      return;
   }
   switch (format) {
   case GR3D_PIXEL_FORMAT_A8:
      c[0] = c[1] = c[2] = 0;
      c[3] = sim_fx10_from_unorm8(word & 0xff);
      break;
   case GR3D_PIXEL_FORMAT_L8:
      c[0] = c[1] = c[2] = sim_fx10_from_unorm8(word & 0xff);
      c[3] = SIM_FX10_ONE;
      break;
   case GR3D_PIXEL_FORMAT_LA88:
      c[0] = c[1] = c[2] = sim_fx10_from_unorm8(word & 0xff);
      c[3] = sim_fx10_from_unorm8(word >> 8 & 0xff);
      break;
   case GR3D_PIXEL_FORMAT_RGB565:
      c[0] = sim_fx10_from_unorm(word >> 11 & 31, 5);
      c[1] = sim_fx10_from_unorm(word >> 5 & 63, 6);
      c[2] = sim_fx10_from_unorm(word & 31, 5);
      c[3] = SIM_FX10_ONE;
      break;
   case GR3D_PIXEL_FORMAT_RGBA5551:
      c[0] = sim_fx10_from_unorm(word >> 11 & 31, 5);
      c[1] = sim_fx10_from_unorm(word >> 6 & 31, 5);
      c[2] = sim_fx10_from_unorm(word >> 1 & 31, 5);
      c[3] = word & 1 ? SIM_FX10_ONE : 0;
      break;
   case GR3D_PIXEL_FORMAT_RGBA4444:
      for (unsigned i = 0; i < 4; i++)
         c[i] = sim_fx10_from_unorm(word >> (12 - 4 * i) & 15, 4);
      break;
   case GR3D_PIXEL_FORMAT_RGBA5551 | SIM_FS_ALPHA_TOP:
      c[0] = sim_fx10_from_unorm(word >> 10 & 31, 5);
      c[1] = sim_fx10_from_unorm(word >> 5 & 31, 5);
      c[2] = sim_fx10_from_unorm(word & 31, 5);
      c[3] = word >> 15 & 1 ? SIM_FX10_ONE : 0;
      break;
   case GR3D_PIXEL_FORMAT_RGBA4444 | SIM_FS_ALPHA_TOP:
      for (unsigned i = 0; i < 4; i++)
         c[i] =
            sim_fx10_from_unorm(word >> (i == 3 ? 12 : 8 - 4 * i) & 15, 4);
      break;
   case GR3D_PIXEL_FORMAT_RGBA8888:
      for (unsigned i = 0; i < 4; i++)
         c[i] = sim_fx10_from_unorm8(word >> (8 * i) & 0xff);
      break;
   case GR3D_PIXEL_FORMAT_BGRA8888:
      c[0] = sim_fx10_from_unorm8(word >> 16 & 0xff);
      c[1] = sim_fx10_from_unorm8(word >> 8 & 0xff);
      c[2] = sim_fx10_from_unorm8(word & 0xff);
      c[3] = sim_fx10_from_unorm8(word >> 24 & 0xff);
      break;
   default:
      c[0] = c[1] = c[2] = c[3] = 0;
   }
}

uint32_t
sim_fs_pack(unsigned format, const int32_t c[4])
{
   switch (format & ~SIM_FS_REPLICATED) {
   case GR3D_PIXEL_FORMAT_A8:
      return sim_fx10_to_unorm8(c[3]);
   case GR3D_PIXEL_FORMAT_L8:
      return sim_fx10_to_unorm8(c[0]);
   case GR3D_PIXEL_FORMAT_LA88:
      return sim_fx10_to_unorm8(c[0]) | sim_fx10_to_unorm8(c[3]) << 8;
   case GR3D_PIXEL_FORMAT_RGB565:
      return sim_fx10_to_unorm(c[0], 5) << 11 |
             sim_fx10_to_unorm(c[1], 6) << 5 | sim_fx10_to_unorm(c[2], 5);
   case GR3D_PIXEL_FORMAT_RGBA5551:
      return sim_fx10_to_unorm(c[0], 5) << 11 |
             sim_fx10_to_unorm(c[1], 5) << 6 |
             sim_fx10_to_unorm(c[2], 5) << 1 | sim_fx10_to_unorm(c[3], 1);
   case GR3D_PIXEL_FORMAT_RGBA4444:
      return sim_fx10_to_unorm(c[0], 4) << 12 |
             sim_fx10_to_unorm(c[1], 4) << 8 |
             sim_fx10_to_unorm(c[2], 4) << 4 | sim_fx10_to_unorm(c[3], 4);
   case GR3D_PIXEL_FORMAT_RGBA5551 | SIM_FS_ALPHA_TOP:
      return sim_fx10_to_unorm(c[3], 1) << 15 |
             sim_fx10_to_unorm(c[0], 5) << 10 |
             sim_fx10_to_unorm(c[1], 5) << 5 | sim_fx10_to_unorm(c[2], 5);
   case GR3D_PIXEL_FORMAT_RGBA4444 | SIM_FS_ALPHA_TOP:
      return sim_fx10_to_unorm(c[3], 4) << 12 |
             sim_fx10_to_unorm(c[0], 4) << 8 |
             sim_fx10_to_unorm(c[1], 4) << 4 | sim_fx10_to_unorm(c[2], 4);
   case GR3D_PIXEL_FORMAT_RGBA8888:
      return sim_fx10_to_unorm8(c[0]) | sim_fx10_to_unorm8(c[1]) << 8 |
             sim_fx10_to_unorm8(c[2]) << 16 |
             (uint32_t)sim_fx10_to_unorm8(c[3]) << 24;
   case GR3D_PIXEL_FORMAT_BGRA8888:
      return sim_fx10_to_unorm8(c[2]) | sim_fx10_to_unorm8(c[1]) << 8 |
             sim_fx10_to_unorm8(c[0]) << 16 |
             (uint32_t)sim_fx10_to_unorm8(c[3]) << 24;
   default:
      return 0;
   }
}

/*
 * Assumption A70 the other way: 0xe26 holds the thresholds of a 2x2 pattern,
 * in eighths; only channels of less than 8 bits are dithered.
 */
static uint32_t
pack_dithered(const struct sim_fs_surface *s, const int32_t c[4], int32_t x,
              int32_t y, uint32_t pattern)
{
   unsigned threshold = pattern >> (3 * ((x & 1) + 2 * (y & 1))) & 7;
   static const uint8_t bits565[4] = { 5, 6, 5, 0 },
                        bits5551[4] = { 5, 5, 5, 1 },
                        bits4444[4] = { 4, 4, 4, 4 };
   const uint8_t *bits =
      (s->format & 31) == GR3D_PIXEL_FORMAT_RGB565     ? bits565
      : (s->format & 31) == GR3D_PIXEL_FORMAT_RGBA5551 ? bits5551
                                                       : bits4444;
   /* Codes that the plain conversion maps to themselves. */
   int32_t exact[4];
   for (unsigned i = 0; i < 4; i++) {
      uint32_t code =
         bits[i] > 1 ? sim_fx10_to_unorm_dithered(c[i], bits[i], threshold)
                     : 0;
      exact[i] = bits[i] > 1 ? sim_fx10_from_unorm(code, bits[i]) : c[i];
   }
   return sim_fs_pack(s->format, exact);
}

/* Formats that a colour store or fetch is defined for. */
static bool
is_colour(unsigned format)
{
   return sim_fs_format_bytes(format) && format != GR3D_PIXEL_FORMAT_S8 &&
          format != GR3D_PIXEL_FORMAT_D16_LINEAR &&
          format != GR3D_PIXEL_FORMAT_D16_NONLINEAR;
}

void
sim_fs_surface_setup(struct gr3d_fragment_state *fs, unsigned index)
{
   const struct gr3d_regs *regs = &fs->gr3d->regs;
   uint32_t params = regs->value[GR3D_RT_PARAMS(index)];
   struct sim_fs_surface *s = &fs->surface[index];
   *s = (struct sim_fs_surface){
      .used = true,
      .enabled = regs->value[GR3D_RT_ENABLE] >> index & 1,
      .dither = params & 1,
      .format = sim_fs_format(fs->sim, params >> 2 & 31),
      .pitch = params >> 8 & 0x1ffff,
      .tiled = params >> 26 & 1,
      .base = regs->value[GR3D_RT_PTR(index)],
   };
   s->cpp = sim_fs_format_bytes(s->format);
   s->enabled = s->enabled || sim_switch(fs->sim, 90);
   unsigned code = s->format & 31;
   bool coarse = code == GR3D_PIXEL_FORMAT_RGB565 ||
                 code == GR3D_PIXEL_FORMAT_RGBA5551 ||
                 code == GR3D_PIXEL_FORMAT_RGBA4444;
   s->dither = s->dither && sim_switch(fs->sim, 70) && coarse;
   s->thresholds = s->dither ? regs->value[GR3D_DITHER] : 0;
   /* Assumption A62 the other way: codes are cut, which is a threshold of 0
    * everywhere. */
   s->dither = s->dither || (coarse && sim_switch(fs->sim, 62));
   s->unreadable = s->cpp == 2 && !sim_switch(fs->sim, 69);
}

/* surfaces-and-textures.md 3 and 4.2 */
static uint64_t
pixel_offset(const struct sim_fs_surface *s, uint32_t x, uint32_t y)
{
   uint64_t xb = (uint64_t)x * s->cpp;
   if (!s->tiled)
      return (uint64_t)y * s->pitch + xb;
   return (uint64_t)(y / 16) * 16 * s->pitch + xb / 16 * 256 + y % 16 * 16 +
          xb % 16;
}

uint64_t
sim_fs_surface_extent(const struct sim_fs_surface *s, uint32_t x1,
                      uint32_t y1)
{
   if (!x1 || !y1 || !s->cpp)
      return 0;
   uint64_t end = pixel_offset(s, x1 - 1, y1 - 1) + s->cpp;
   if (s->tiled && y1 > 16) {
      /* The last line of the tile row above may reach further when the pitch
       * is small. */
      uint64_t above =
         pixel_offset(s, x1 - 1, ((y1 - 1) & ~15u) - 1) + s->cpp;
      end = above > end ? above : end;
   }
   return end;
}

bool
sim_fs_surface_rows_overlap(const struct sim_fs_surface *s, uint32_t x1)
{
   uint64_t bytes = (uint64_t)x1 * s->cpp;
   return s->tiled ? (bytes + 15) / 16 * 256 > (uint64_t)16 * s->pitch
                   : bytes > s->pitch;
}

uint8_t *
sim_fs_surface_pixel(struct sim_fs_worker *worker, unsigned index, int32_t x,
                     int32_t y)
{
   const struct sim_fs_surface *s = &worker->fs->surface[index];
   uint64_t offset = pixel_offset(s, x, y);
   if (s->cpu)
      return s->cpu + offset;
   uint64_t address = s->base + offset;
   if (address + s->cpp <= UINT32_MAX) {
      const struct sim_range *range =
         sim_memory_find(worker->fs->sim, (uint32_t)address);
      if (range && address - range->base + s->cpp <= range->size)
         return range->cpu + (address - range->base);
   }
   worker->trouble |= SIM_FS_TROUBLE_SURFACE_RANGE;
   worker->trouble_surfaces |= 1u << index;
   return NULL;
}

static uint32_t
read_word(const uint8_t *p, unsigned bytes)
{
   uint32_t word = 0;
   memcpy(&word, p, bytes);
   return word;
}

/* --- 32-bit pixels --- */

/* 8 pixels to register pairs; swap exchanges bytes 0 and 2. */
SIM_LANES static void
unpack_8888(uint32_t *restrict first, uint32_t *restrict second,
            const uint32_t *restrict pixel, bool swap, unsigned n)
{
   for (unsigned i = 0; i < n; i++) {
      uint32_t p = pixel[i];
      uint32_t even = p & 0x00ff00ffu, odd = p >> 8 & 0x00ff00ffu;
      even += even >> 7 & 0x00010001u;
      odd += odd >> 7 & 0x00010001u;
      uint32_t r = swap ? even >> 16 : even & 0xffff,
               b = swap ? even & 0xffff : even >> 16;
      first[i] = r | (odd & 0xffff) << 10;
      second[i] = b | odd >> 16 << 10;
   }
}

SIM_INLINE uint32_t
channel8(uint32_t raw, unsigned shift)
{
   int32_t v = (int32_t)(raw << (22 - shift)) >> 22;
   v = v > 0 ? v : 0;
   v = v < 256 ? v : 256;
   return (uint32_t)(v - (v >> 7 ? 1 : 0));
}

SIM_LANES static void
pack_8888(uint32_t *restrict pixel, const uint32_t *restrict first,
          const uint32_t *restrict second, bool swap, unsigned n)
{
   const unsigned red = swap ? 16 : 0, blue = swap ? 0 : 16;
   for (unsigned i = 0; i < n; i++)
      pixel[i] = channel8(first[i], 0) << red | channel8(first[i], 10) << 8 |
                 channel8(second[i], 0) << blue |
                 channel8(second[i], 10) << 24;
}

/* Runs of 16 bytes of a row of 8 pixels. */
static void
load_row32(const struct sim_fs_surface *s, int32_t x, int32_t y,
           uint32_t *pixel)
{
   const uint8_t *p = s->cpu + pixel_offset(s, x, y);
   if (s->tiled) {
      memcpy(pixel, p, 16);
      memcpy(pixel + 4, p + 256, 16);
   } else {
      memcpy(pixel, p, 32);
   }
}

static void
store_row32(const struct sim_fs_surface *s, int32_t x, int32_t y,
            const uint32_t *pixel)
{
   uint8_t *p = s->cpu + pixel_offset(s, x, y);
   if (s->tiled) {
      memcpy(p, pixel, 16);
      memcpy(p + 256, pixel + 4, 16);
   } else {
      memcpy(p, pixel, 32);
   }
}

static bool
is_32bit(const struct sim_fs_surface *s)
{
   return s->format == GR3D_PIXEL_FORMAT_RGBA8888 ||
          s->format == GR3D_PIXEL_FORMAT_BGRA8888;
}

/* --- load and store of a block --- */

static void
load_lanes(struct sim_fs_worker *worker, unsigned index, unsigned strip,
           uint32_t *first, uint32_t *second)
{
   struct sim_fs_block *block = &worker->block;
   const struct sim_fs_surface *s = &worker->fs->surface[index];
   for (unsigned i = 0; i < SIM_FS_STRIP_LANES; i++) {
      unsigned lane = strip * SIM_FS_STRIP_LANES + i;
      if (!block->cover[lane])
         continue;
      const uint8_t *p =
         sim_fs_surface_pixel(worker, index, block->x[strip] + (int)(i & 7),
                              block->y[strip] + (int)(i >> 3));
      if (!p)
         continue;
      int32_t c[4];
      sim_fs_unpack(s->format, read_word(p, s->cpp), c);
      first[lane] = sim_fx10_pair(c[0], c[1]);
      second[lane] = sim_fx10_pair(c[2], c[3]);
   }
}

/* Covered pixels of a 32-bit strip; the others 0. */
static void
load_partial32(const struct sim_fs_surface *s,
               const struct sim_fs_block *block, unsigned strip,
               uint32_t *pixel)
{
   const uint32_t *cover = block->cover + strip * SIM_FS_STRIP_LANES;
   for (unsigned i = 0; i < SIM_FS_STRIP_LANES; i++) {
      pixel[i] = 0;
      if (cover[i])
         memcpy(&pixel[i],
                s->cpu + pixel_offset(s, block->x[strip] + (i & 7),
                                      block->y[strip] + (i >> 3)),
                4);
   }
}

static void
store_partial32(const struct sim_fs_surface *s,
                const struct sim_fs_block *block, unsigned strip,
                const uint32_t *pixel)
{
   const uint32_t *live = block->live + strip * SIM_FS_STRIP_LANES;
   for (unsigned i = 0; i < SIM_FS_STRIP_LANES; i++) {
      if (live[i])
         memcpy(s->cpu + pixel_offset(s, block->x[strip] + (i & 7),
                                      block->y[strip] + (i >> 3)),
                &pixel[i], 4);
   }
}

/* Uncovered lanes read 0. */
void
sim_fs_surface_load(struct sim_fs_worker *worker, unsigned index,
                    uint32_t *first, uint32_t *second)
{
   struct sim_fs_block *block = &worker->block;
   const struct sim_fs_surface *s = &worker->fs->surface[index];
   if (!s->enabled || !is_colour(s->format) || s->unreadable) {
      memset(first, 0, block->n * sizeof(*first));
      memset(second, 0, block->n * sizeof(*second));
      return;
   }
   if (!s->cpu || !is_32bit(s)) {
      memset(first, 0, block->n * sizeof(*first));
      memset(second, 0, block->n * sizeof(*second));
      for (unsigned strip = 0; strip < block->num_strips; strip++)
         load_lanes(worker, index, strip, first, second);
      return;
   }
   struct sim_fs_surface from = *s;
   if (s->before)
      from.cpu = s->before;
   uint32_t pixel[SIM_FS_LANES];
   for (unsigned strip = 0; strip < block->num_strips; strip++) {
      uint32_t *p = pixel + strip * SIM_FS_STRIP_LANES;
      if (block->full[strip]) {
         load_row32(&from, block->x[strip], block->y[strip], p);
         load_row32(&from, block->x[strip], block->y[strip] + 1, p + 8);
      } else {
         load_partial32(&from, block, strip, p);
      }
   }
   unpack_8888(first, second, pixel, s->format == GR3D_PIXEL_FORMAT_BGRA8888,
               block->n);
}

static void
store_lanes(struct sim_fs_worker *worker, unsigned index, unsigned strip,
            const uint32_t *first, const uint32_t *second)
{
   struct sim_fs_block *block = &worker->block;
   const struct sim_fs_surface *s = &worker->fs->surface[index];
   for (unsigned i = 0; i < SIM_FS_STRIP_LANES; i++) {
      unsigned lane = strip * SIM_FS_STRIP_LANES + i;
      if (!block->live[lane])
         continue;
      uint8_t *p =
         sim_fs_surface_pixel(worker, index, block->x[strip] + (int)(i & 7),
                              block->y[strip] + (int)(i >> 3));
      if (!p)
         continue;
      int32_t c[4] = { sim_fx10_half(first[lane], 0),
                       sim_fx10_half(first[lane], 1),
                       sim_fx10_half(second[lane], 0),
                       sim_fx10_half(second[lane], 1) };
      uint32_t word =
         s->dither
            ? pack_dithered(s, c, block->x[strip] + (int)(i & 7),
                            block->y[strip] + (int)(i >> 3), s->thresholds)
            : sim_fs_pack(s->format, c);
      memcpy(p, &word, s->cpp);
   }
}

static bool
all_live(const uint32_t *live, unsigned n)
{
   uint32_t all = ~0u;
   for (unsigned i = 0; i < n; i++)
      all &= live[i];
   return all == ~0u;
}

void
sim_fs_surface_store(struct sim_fs_worker *worker, unsigned index,
                     const uint32_t *first, const uint32_t *second)
{
   struct sim_fs_block *block = &worker->block;
   const struct sim_fs_surface *s = &worker->fs->surface[index];
   if (!s->enabled || !is_colour(s->format))
      return;
   if (!s->cpu || !is_32bit(s)) {
      for (unsigned strip = 0; strip < block->num_strips; strip++)
         store_lanes(worker, index, strip, first, second);
      return;
   }
   uint32_t pixel[SIM_FS_LANES];
   pack_8888(pixel, first, second, s->format == GR3D_PIXEL_FORMAT_BGRA8888,
             block->n);
   for (unsigned strip = 0; strip < block->num_strips; strip++) {
      unsigned lane = strip * SIM_FS_STRIP_LANES;
      if (block->full[strip] &&
          all_live(block->live + lane, SIM_FS_STRIP_LANES)) {
         store_row32(s, block->x[strip], block->y[strip], pixel + lane);
         store_row32(s, block->x[strip], block->y[strip] + 1,
                     pixel + lane + 8);
      } else {
         store_partial32(s, block, strip, pixel + lane);
      }
   }
}
