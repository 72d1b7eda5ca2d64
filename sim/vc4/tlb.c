/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The tile buffer: what programs write to it and read from it, and its way
 * from and to memory.  Pixels lie in quads, of each sample the quad's four
 * pixels: in this order a full resolution store writes them.
 */

#include <string.h>

#include "qpu_alu.h"

/* Number of a lane's word. */
static inline unsigned
word_of(const struct tlb_block *block, unsigned lane, unsigned sample)
{
   unsigned quad = block->quad[lane / 4];
   return block->multisample ? quad * 16 + sample * 4 + (lane & 3)
                             : quad * 4 + (lane & 3);
}

static inline bool
compare(unsigned func, uint32_t a, uint32_t b)
{
   switch (func) {
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

/* Bits 31:30 say for which side, 0: write masks of both sides. */
void
tlb_write_stencil(struct tlb_block *block, uint32_t word)
{
   static const uint8_t masks[4] = { 0x01, 0x03, 0x0f, 0xff };
   unsigned sides = word >> 30;
   block->stencil_on = true;
   if (!sides) {
      block->stencil_mask[0] = word & 0xff;
      block->stencil_mask[1] = word >> 8 & 0xff;
      return;
   }
   for (unsigned i = 0; i < 2; i++) {
      if (sides >> i & 1) {
         block->stencil[i] = word;
         block->stencil_mask[i] = masks[word >> 28 & 3];
      }
   }
}

static uint8_t
stencil_op(unsigned op, uint8_t value, uint8_t ref)
{
   switch (op) {
   case 0:
      return 0;
   case 2:
      return ref;
   case 3:
      return value == 255 ? 255 : value + 1;
   case 4:
      return value == 0 ? 0 : value - 1;
   case 5:
      return ~value;
   case 6:
      return value + 1;
   case 7:
      return value - 1;
   default:
      return value;
   }
}

/* Tests a sample; whether it passes. */
static bool
test_sample(struct tlb_block *block, unsigned word, uint32_t z)
{
   uint32_t *zs = &block->tile->zs[word];
   const bool z_pass = compare(CONFIG_DEPTH_FUNC(block->config), z, *zs >> 8);
   bool pass = z_pass;
   if (block->stencil_on) {
      uint32_t setup = block->stencil[block->back];
      uint8_t old = *zs, ref = setup >> 8, mask = setup;
      bool s_pass = compare(setup >> 16 & 7, ref & mask, old & mask);
      unsigned op = !s_pass   ? setup >> 19 & 7
                    : !z_pass ? setup >> 25 & 7
                              : setup >> 22 & 7;
      uint8_t write = block->stencil_mask[block->back];
      uint8_t value = stencil_op(op, old, ref);
      *zs = (*zs & ~0xffu) | (old & ~write) | (value & write);
      pass &= s_pass;
   }
   if (pass && (block->config & CONFIG_Z_UPDATE))
      *zs = (*zs & 0xff) | z << 8;
   return pass;
}

/* As compare(). */
QPU_INLINE qpu_u
compare_all(unsigned func, qpu_u a, qpu_u b)
{
   switch (func) {
   case 0:
      return splat(0);
   case 1:
      return (qpu_u)(a < b);
   case 2:
      return (qpu_u)(a == b);
   case 3:
      return (qpu_u)(a <= b);
   case 4:
      return (qpu_u)(a > b);
   case 5:
      return (qpu_u)(a != b);
   case 6:
      return (qpu_u)(a >= b);
   default:
      return splat(~0u);
   }
}

/* Depth alone, with one sample. */
static QPU_CLONES void
test_block(struct tlb_block *block, const qpu_u *z, const qpu_u *mask)
{
   uint32_t old[QPU_LANES] __attribute__((aligned(64)));
   qpu_u covered;
   for (unsigned i = 0; i < 4; i++)
      memcpy(&old[i * 4], &block->tile->zs[block->quad[i] * 4], 16);
   for (unsigned lane = 0; lane < QPU_LANES; lane++)
      covered[lane] = block->cover[lane] ? ~0u : 0;
   const qpu_u value = *z & 0xffffff, zs = *(qpu_u *)old;
   covered &= *mask;
   qpu_u pass =
      compare_all(CONFIG_DEPTH_FUNC(block->config), value, zs >> 8) & covered;
   for (unsigned lane = 0; lane < QPU_LANES; lane++) {
      if (covered[lane] & ~pass[lane])
         block->cover[lane] = 0;
   }
   if (!(block->config & CONFIG_Z_UPDATE))
      return;
   /* One after the other: quads that fill the block up repeat the first. */
   for (unsigned lane = 0; lane < QPU_LANES; lane++) {
      if (pass[lane])
         block->tile->zs[block->quad[lane / 4] * 4 + (lane & 3)] =
            (zs[lane] & 0xff) | value[lane] << 8;
   }
}

void
tlb_write_z(struct tlb_block *block, const qpu_u *z, const qpu_u *mask)
{
   const unsigned samples = block->multisample ? 4 : 1;
   if (!block->stencil_on && !block->multisample) {
      bool always = CONFIG_DEPTH_FUNC(block->config) == 7;
      if (!always || (block->config & CONFIG_Z_UPDATE))
         test_block(block, z, mask);
      return;
   }
   for (unsigned lane = 0; lane < QPU_LANES; lane++) {
      if (!(*mask)[lane] || !block->cover[lane])
         continue;
      uint32_t value = (*z)[lane] & 0xffffff;
      /* Samples have their own depth, unless the program makes it. */
      bool own = block->multisample && (*z)[lane] == block->z[lane];
      for (unsigned s = 0; s < samples; s++) {
         uint32_t sample_z = value;
         if (!(block->cover[lane] >> s & 1))
            continue;
         if (own) {
            float moved = value + block->sample_dz[s];
            sample_z = moved <= 0          ? 0
                       : moved >= 16777215 ? 0xffffff
                                           : (uint32_t)moved;
         }
         if (!test_sample(block, word_of(block, lane, s), sample_z))
            block->cover[lane] &= ~(1u << s);
      }
   }
}

/* With one sample. */
static QPU_CLONES void
write_block(struct tlb_block *block, const qpu_u *color, const qpu_u *mask)
{
   typedef uint32_t quad_words __attribute__((vector_size(16)));
   for (unsigned i = 0; i < 4; i++) {
      quad_words *to = (quad_words *)&block->tile->color[block->quad[i] * 4];
      quad_words from, write;
      for (unsigned lane = 0; lane < 4; lane++) {
         from[lane] = (*color)[i * 4 + lane];
         write[lane] = block->cover[i * 4 + lane] ? (*mask)[i * 4 + lane] : 0;
      }
      *to = (from & write) | (*to & ~write);
   }
}

void
tlb_write_color(struct tlb_block *block, const qpu_u *color,
                const qpu_u *mask, bool one_sample)
{
   if (!block->multisample) {
      write_block(block, color, mask);
      return;
   }
   unsigned sample = block->ms_write & 3;
   if (one_sample)
      block->ms_write++;
   for (unsigned lane = 0; lane < QPU_LANES; lane++) {
      unsigned cover = (*mask)[lane] ? block->cover[lane] : 0;
      if (!cover)
         continue;
      if (one_sample)
         cover &= 1u << sample;
      for (unsigned s = 0; s < 4; s++) {
         if (cover >> s & 1)
            block->tile->color[word_of(block, lane, s)] = (*color)[lane];
      }
   }
}

void
tlb_load_color(struct tlb_block *block, qpu_u *color)
{
   unsigned sample = block->multisample ? block->ms_read++ & 3 : 0;
   for (unsigned lane = 0; lane < QPU_LANES; lane++)
      (*color)[lane] = block->tile->color[word_of(block, lane, sample)];
}

void
tlb_set_cover(struct tlb_block *block, const qpu_u *flags, const qpu_u *mask)
{
   for (unsigned lane = 0; lane < QPU_LANES; lane++) {
      if ((*mask)[lane])
         block->cover[lane] &= (*flags)[lane];
   }
}

/* --- memory --- */

void
tlb_clear(struct tile_buffer *tile, const struct tile_clear *clear,
          bool color, bool zs)
{
   for (unsigned i = 0; color && i < TILE_WORDS; i++)
      tile->color[i] = clear->color[i & 1];
   uint32_t word = clear->z << 8 | clear->stencil;
   for (unsigned i = 0; zs && i < TILE_WORDS; i++)
      tile->zs[i] = word;
}

/* The mean of a pixel's samples. */
static uint32_t
resolve(const uint32_t *words)
{
   const uint32_t mask = 0x00ff00ff;
   uint32_t even = 0x00020002, odd = 0x00020002;
   for (unsigned s = 0; s < 4; s++) {
      even += words[s * 4] & mask;
      odd += words[s * 4] >> 8 & mask;
   }
   return (even >> 2 & mask) | (odd >> 2 & mask) << 8;
}

static uint16_t
to_565(uint32_t c)
{
   return (c >> 3 & 31) << 11 | (c >> 10 & 63) << 5 | (c >> 19 & 31);
}

static uint32_t
from_565(uint32_t v)
{
   uint32_t r = v >> 11, g = v >> 5 & 63, b = v & 31;
   return (r << 3 | r >> 2) | (g << 2 | g >> 4) << 8 |
          (b << 3 | b >> 2) << 16 | 0xff000000;
}

static void
store_pixel(uint8_t *to, const uint32_t *words,
            const struct tile_transfer *transfer, bool multisample)
{
   bool mean = multisample && transfer->decimate && transfer->color;
   uint32_t value = mean ? resolve(words) : *words;
   if (transfer->color && transfer->format) {
      uint16_t half = to_565(value);
      memcpy(to, &half, 2);
   } else {
      memcpy(to, &value, 4);
   }
}

static void
load_pixel(const uint8_t *from, uint32_t *words,
           const struct tile_transfer *transfer, bool multisample)
{
   uint32_t value;
   if (transfer->color && transfer->format) {
      uint16_t half;
      memcpy(&half, from, 2);
      value = from_565(half);
   } else {
      memcpy(&value, from, 4);
   }
   for (unsigned s = 0; s < (multisample ? 4 : 1); s++)
      words[s * 4] = value;
}

static bool
transfer_full(struct v3d *v3d, struct tile_buffer *tile,
              const struct tile_transfer *transfer, bool store)
{
   uint8_t *cpu = v3d_memory(v3d, transfer->address, TILE_WORDS * 4);
   if (!cpu)
      return false;
   uint32_t *words = transfer->color ? tile->color : tile->zs;
   if (store)
      memcpy(cpu, words, TILE_WORDS * 4);
   else
      memcpy(words, cpu, TILE_WORDS * 4);
   return true;
}

static bool
transfer_image(struct v3d *v3d, struct tile_buffer *tile,
               const struct tile_transfer *transfer,
               const struct tile_frame *frame, unsigned column, unsigned row,
               bool store)
{
   const bool ms = frame->multisample;
   const unsigned side = ms ? 32 : 64, quad_words = ms ? 16 : 4;
   const unsigned cpp = transfer->color && transfer->format ? 2 : 4;
   uint32_t x0 = column * side, y0 = row * side;
   uint32_t x1 = V3D_MIN(x0 + side, frame->width);
   uint32_t y1 = V3D_MIN(y0 + side, frame->height);
   uint32_t width = frame->width, height = frame->height;
   uint32_t size = tiling_pad(transfer->tiling, &width, &height, cpp);
   uint8_t *cpu = v3d_memory(v3d, transfer->address, size);
   uint32_t *words = transfer->color ? tile->color : tile->zs;
   if (!cpu)
      return false;
   /* Four neighbours lie side by side in every layout. */
   for (uint32_t y = y0; y < y1; y++) {
      for (uint32_t x = x0; x < x1; x += 4) {
         uint8_t *p = cpu + tiling_offset(transfer->tiling, width, cpp, x, y);
         uint32_t end = V3D_MIN(x + 4, x1);
         for (uint32_t i = x; i < end; i++, p += cpp) {
            unsigned quad = (y - y0) / 2 * (side / 2) + (i - x0) / 2;
            uint32_t *pixel =
               words + quad * quad_words + (y & 1) * 2 + (i & 1);
            if (store)
               store_pixel(p, pixel, transfer, ms);
            else
               load_pixel(p, pixel, transfer, ms);
         }
      }
   }
   return true;
}

bool
tlb_transfer(struct v3d *v3d, struct tile_buffer *tile,
             const struct tile_transfer *transfer,
             const struct tile_frame *frame, unsigned column, unsigned row,
             bool store)
{
   bool good = true;
   if (transfer->full) {
      struct tile_transfer part = *transfer;
      if (transfer->color && transfer->zs) {
         part.zs = false;
         good = transfer_full(v3d, tile, &part, store);
         part.color = false;
         part.address += TILE_WORDS * 4;
      }
      good = good && transfer_full(v3d, tile, &part, store);
   } else if (transfer->color || transfer->zs) {
      good = transfer_image(v3d, tile, transfer, frame, column, row, store);
   }
   if (!good)
      v3d_diag(v3d, V3D_DIAG_TLB_RANGE,
               "a tile is %s 0x%08x, where not all of it is in memory",
               store ? "stored to" : "loaded from", transfer->address);
   return good;
}
