/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Texels from memory to fx10 components, uncompressed formats
 * (surfaces-and-textures.md 2).
 *
 * Results are pairs of 16-bit fields, component 0 and 1 in "low", 2 and 3 in
 * "high": the filter works on two at a time.
 */

#include "fragment.h"
#include "tegra20/gr3d_regs.h"

/* Bytes per texel, or per 4x4 block of a compressed format; 0: unknown code.
 */
unsigned
sim_fs_texture_block_bytes(unsigned format, bool *compressed)
{
   *compressed = true;
   switch (format) {
   case GR3D_PIXEL_FORMAT_DXT1:
   case GR3D_PIXEL_FORMAT_ETC1:
      return 8;
   case GR3D_PIXEL_FORMAT_DXT3:
   case GR3D_PIXEL_FORMAT_DXT5:
      return 16;
   default:
      *compressed = false;
      return sim_fs_format_bytes(format);
   }
}

SIM_LANES static void
gather_8888(const uint8_t *restrict base, uint32_t pitch,
            const int32_t *restrict x, const int32_t *restrict y, unsigned n,
            uint32_t *restrict out)
{
   uint32_t offset[SIM_FS_LANES];
   for (unsigned i = 0; i < n; i++)
      offset[i] = (uint32_t)y[i] * pitch + (uint32_t)x[i] * 4;
   sim_gather(out, base, offset, n);
}

SIM_LANES static void
split_8888(const uint32_t *restrict texel, bool swap, unsigned n,
           uint32_t *restrict low, uint32_t *restrict high)
{
   for (unsigned i = 0; i < n; i++) {
      uint32_t even = texel[i] & 0x00ff00ffu,
               odd = texel[i] >> 8 & 0x00ff00ffu;
      even += even >> 7 & 0x00010001u;
      odd += odd >> 7 & 0x00010001u;
      uint32_t r = swap ? even >> 16 : even & 0xffff,
               b = swap ? even & 0xffff : even >> 16;
      low[i] = r | odd << 16;
      high[i] = b | (odd & 0xffff0000u);
   }
}

/* A texel or block anywhere in the job's memory; NULL and trouble noted when
 * it is outside. */
static const uint8_t *
texel_memory(struct sim_fs_worker *worker, unsigned unit,
             const struct sim_fs_level *level, uint64_t offset,
             unsigned bytes)
{
   if (level->cpu)
      return level->cpu + offset;
   uint64_t address = level->address + offset;
   if (address + bytes <= UINT32_MAX) {
      const struct sim_range *range =
         sim_memory_find(worker->fs->sim, (uint32_t)address);
      if (range && address - range->base + bytes <= range->size)
         return range->cpu + (address - range->base);
   }
   worker->trouble |= SIM_FS_TROUBLE_TEXTURE_RANGE;
   worker->trouble_textures |= 1u << unit;
   return NULL;
}

static void
texel(struct sim_fs_worker *worker, unsigned unit,
      const struct sim_fs_level *level, int32_t x, int32_t y, int32_t c[4])
{
   const struct sim_fs_texture *t = &worker->fs->texture[unit];
   c[0] = c[1] = c[2] = c[3] = 0;
   if (t->compressed) {
      const uint8_t *block = texel_memory(worker, unit, level,
                                          (uint64_t)(y / 4) * level->pitch +
                                             (uint64_t)(x / 4) * t->cpp,
                                          t->cpp);
      if (block)
         sim_fs_decode_block_texel(t->format, block, x & 3, y & 3, c);
      return;
   }
   const uint8_t *p =
      texel_memory(worker, unit, level,
                   (uint64_t)y * level->pitch + (uint64_t)x * t->cpp, t->cpp);
   if (!p)
      return;
   uint32_t word = 0;
   memcpy(&word, p, t->cpp);
   sim_fs_unpack(t->format, word, c);
}

void
sim_fs_texels(struct sim_fs_worker *worker, unsigned unit,
              const struct sim_fs_level *level, const int32_t *x,
              const int32_t *y, unsigned n, uint32_t *low, uint32_t *high)
{
   const struct sim_fs_texture *t = &worker->fs->texture[unit];
   bool swap = t->format == GR3D_PIXEL_FORMAT_BGRA8888;
   if (level->cpu && (swap || t->format == GR3D_PIXEL_FORMAT_RGBA8888)) {
      uint32_t texels[SIM_FS_LANES];
      gather_8888(level->cpu, level->pitch, x, y, n, texels);
      split_8888(texels, swap, n, low, high);
      return;
   }
   for (unsigned i = 0; i < n; i++) {
      int32_t c[4] = { 0, 0, 0, 0 };
      if (t->cpp)
         texel(worker, unit, level, x[i], y[i], c);
      low[i] = (uint32_t)c[0] | (uint32_t)c[1] << 16;
      high[i] = (uint32_t)c[2] | (uint32_t)c[3] << 16;
   }
}
