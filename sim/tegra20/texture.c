/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The texture units: descriptors, level of detail, wrapping, filtering
 * (surfaces-and-textures.md 6, 6.11).
 *
 * A block is sampled level by level: first every quad gets its level(s) and
 * filter, then each (level, filter) that occurs is sampled for all lanes and
 * merged under a mask.  Nearly every block has one or two of them.
 *
 * Choices: bilinear and mip weights have 6 bits, cut (A63); level of detail
 * as in A64; filtered results are rounded to the nearest fx10, halves up
 * (A82).
 */

#include <math.h>

#include "fragment.h"
#include "tegra20/gr3d_regs.h"

#define SWITCH_REGISTERS_750 107   /* value 1: NPOT wants them zeroed */
#define SWITCH_NPOT_PITCH 57       /* value 1: 16 instead of 64 */
#define SWITCH_COMPRESSED_PITCH 65 /* value 1: whole blocks, no more */
/* Value 1: textures that are not a power of two take the nearest texel. */
#define SWITCH_NPOT_FILTER 58
#define SWITCH_CUBE \
   59 /* value k > 0: cube_bits[k] of DESC1 makes a cube map */
#define SWITCH_MIPMAP_BIT \
   133 /* value 1: bit 7 of DESC2 is for normalised coordinates */
#define SWITCH_LOD \
   64 /* value 1: length of the larger differences instead of the largest */

static const uint8_t cube_bits[] = { 0, 5, 6, 7, 13, 30, 31 };

static uint32_t
align_to(uint32_t v, uint32_t a)
{
   return (v + a - 1) & ~(a - 1);
}

static enum sim_fs_wrap
decode_wrap(bool clamp, bool mirror)
{
   return clamp    ? SIM_FS_WRAP_CLAMP
          : mirror ? SIM_FS_WRAP_MIRROR
                   : SIM_FS_WRAP_REPEAT;
}

/* The part of a level inside the job's memory, or NULL: then every texel is
 * checked. */
static const uint8_t *
level_memory(struct gr3d_fragment_state *fs, const struct sim_fs_texture *t,
             const struct sim_fs_level *level, uint64_t size)
{
   if (level->address + size > UINT32_MAX)
      return NULL;
   const struct sim_range *range =
      sim_memory_find(fs->sim, (uint32_t)level->address);
   if (!range || size > range->size - (level->address - range->base))
      return NULL;
   const uint8_t *cpu = range->cpu + (level->address - range->base);
   return fs->sim->adversary && size
             ? sim_adversary_texels(fs->sim->adversary, t - fs->texture, cpu,
                                    size)
             : cpu;
}

/* Bytes that the texels of a level occupy: the padding behind the last row is
 * never read. */
static uint64_t
level_bytes(const struct sim_fs_texture *t, const struct sim_fs_level *level)
{
   uint32_t columns = t->compressed ? (level->width + 3) / 4 : level->width;
   uint32_t rows = t->compressed ? (level->height + 3) / 4 : level->height;
   return (uint64_t)(rows - 1) * level->pitch + (uint64_t)columns * t->cpp;
}

/* A137: behind an SMMU the unit reads rows up to a power of two. */
static void
check_reach(struct gr3d_fragment_state *fs, const struct sim_fs_texture *t,
            const struct sim_fs_level *level)
{
   const uint32_t rows =
      t->compressed ? (level->height + 3) / 4 : level->height;
   uint32_t pot = 1;

   if (!t->npot || !(fs->gr3d->chip->quirks & TEGRA20_QUIRK_POT_ROWS))
      return;
   while (pot < rows)
      pot *= 2;
   const uint64_t size = (uint64_t)pot * level->pitch;
   const struct sim_range *range =
      sim_memory_find(fs->sim, (uint32_t)level->address);
   if (range && size > range->size - (level->address - range->base))
      sim_report(fs->sim, SIM_DIAG_MEMORY_RANGE,
                 GR3D_TEXTURE_POINTER(t - fs->texture), -1,
                 "the texture unit reads %u rows of a texture of %u, which "
                 "end behind the memory: an SMMU faults",
                 pot, rows);
}

static void
setup_levels(struct gr3d_fragment_state *fs, struct sim_fs_texture *t,
             uint32_t address, uint32_t width, uint32_t height)
{
   uint64_t at = address;
   /* A107: what 0x750 to 0x75f hold when nobody has zeroed them. */
   const bool disturbed = sim_switch(fs->sim, SWITCH_REGISTERS_750) &&
                          fs->gr3d->zeroed_750 != 0xffff;
   for (unsigned i = 0; i <= t->max_level; i++) {
      struct sim_fs_level *level = &t->level[i];
      level->width = width >> i ? width >> i : 1;
      level->height = height >> i ? height >> i : 1;
      uint32_t columns =
         t->compressed ? (level->width + 3) / 4 : level->width;
      uint32_t rows = t->compressed ? (level->height + 3) / 4 : level->height;
      uint32_t alignment =
         t->npot && !sim_switch(fs->sim, SWITCH_NPOT_PITCH) ? 64 : 16;
      if (t->compressed && sim_switch(fs->sim, SWITCH_COMPRESSED_PITCH))
         alignment = t->cpp;
      level->pitch = align_to(columns * t->cpp, alignment);
      if (t->npot && disturbed)
         level->pitch += alignment;
      level->address = at;
      level->cpu =
         t->cpp ? level_memory(fs, t, level, level_bytes(t, level)) : NULL;
      at += (uint64_t)level->pitch * rows;
   }
   check_reach(fs, t, &t->level[0]);
   /* Six complete chains, one after the other (assumption A59). */
   t->face_bytes = at - address;
   const struct sim_fs_level *last = &t->level[t->max_level];
   struct sim_fs_level whole = { .address = address };
   if (t->cube && !level_memory(fs, t, &whole,
                                last->address - address + 5 * t->face_bytes +
                                   level_bytes(t, last))) {
      for (unsigned i = 0; i <= t->max_level; i++)
         t->level[i].cpu = NULL;
   }
}

void
sim_fs_texture_setup(struct gr3d_fragment_state *fs, unsigned unit)
{
   const struct gr3d_regs *regs = &fs->gr3d->regs;
   uint32_t desc1 = regs->value[GR3D_TEXTURE_DESC1(unit)],
            desc2 = regs->value[GR3D_TEXTURE_DESC2(unit)];
   struct sim_fs_texture *t = &fs->texture[unit];
   const bool bit_is_normalised = sim_switch(fs->sim, SWITCH_MIPMAP_BIT);
   *t = (struct sim_fs_texture){
      .used = true,
      .format = sim_fs_format(fs->sim, desc1 >> 8 & 31),
      .npot = desc2 >> 6 & 1,
      .mipmaps = bit_is_normalised || !(desc2 >> 7 & 1),
      .in_texels = bit_is_normalised && !(desc2 >> 7 & 1),
      .mag_linear = desc1 >> 29 & 1,
      .min_linear = desc1 >> 28 & 1,
      .mip_linear = desc1 >> 27 & 1,
      .wrap_s = decode_wrap(desc1 >> 1 & 1, desc1 >> 3 & 1),
      .wrap_t = decode_wrap(desc1 & 1, desc1 >> 2 & 1),
   };
   t->cpp = sim_fs_texture_block_bytes(t->format, &t->compressed);
   unsigned cube = sim_switch(fs->sim, SWITCH_CUBE);
   t->cube = cube && (desc1 >> cube_bits[cube] & 1) && !t->npot;
   uint32_t width, height;
   if (t->npot) {
      /* No room for MAX_LOD: one level.  The unit only clamps
       * (surfaces-and-textures.md 6.3). */
      width = desc2 >> 20;
      height = desc2 >> 8 & 0xfff;
      t->mipmaps = false;
      t->mag_linear =
         t->mag_linear && !sim_switch(fs->sim, SWITCH_NPOT_FILTER);
      t->min_linear =
         t->min_linear && !sim_switch(fs->sim, SWITCH_NPOT_FILTER);
      t->wrap_s = t->wrap_t = SIM_FS_WRAP_CLAMP;
   } else {
      width = 1u << (desc2 >> 28);
      height = 1u << (desc2 >> 24 & 15);
      t->max_level = t->mipmaps ? desc2 >> 12 & 15 : 0;
   }
   setup_levels(fs, t, regs->value[GR3D_TEXTURE_POINTER(unit)],
                width ? width : 1, height ? height : 1);
   t->mipmaps = t->mipmaps && t->max_level > 0;
}

/* --- coordinates --- */

SIM_LANES static void
load_coordinate(double *restrict dst, const uint32_t *restrict raw,
                unsigned n)
{
   for (unsigned i = 0; i < n; i++)
      dst[i] = sim_fp20_to_float(raw[i]);
}

SIM_INLINE int32_t
floor_small(double x)
{
   int32_t whole = (int32_t)x;
   return whole - ((double)whole > x ? 1 : 0);
}

/*
 * Brings a coordinate near 0..1 without changing the texel that it selects,
 * so that integers follow.  fp20 values of 2^20 and more are even integers.
 */
SIM_LANES static void
reduce(double *s, enum sim_fs_wrap wrap, unsigned n)
{
   if (wrap == SIM_FS_WRAP_CLAMP) {
      for (unsigned i = 0; i < n; i++) {
         double x = s[i] > -1 ? s[i] : -1;
         s[i] = x < 2 ? x : 2;
      }
      return;
   }
   const double period = wrap == SIM_FS_WRAP_MIRROR ? 2 : 1,
                inverse = 1 / period;
   for (unsigned i = 0; i < n; i++) {
      double x = s[i] < 0x1p20 ? s[i] : 0x1p20;
      x = x > -0x1p20 ? x : -0x1p20;
      s[i] = x - period * (double)floor_small(x * inverse);
   }
}

SIM_INLINE int32_t
wrap_index(int32_t i, enum sim_fs_wrap wrap, int32_t size)
{
   /* i is within one period (and a texel) of the image */
   switch (wrap) {
   case SIM_FS_WRAP_REPEAT:
      i = i < 0 ? i + size : i;
      return i >= size ? i - size : i;
   case SIM_FS_WRAP_MIRROR:
      i = i < 0 ? -1 - i : i;
      i = i >= 2 * size ? i - 2 * size : i;
      return i >= size ? 2 * size - 1 - i : i;
   default:
      i = i < 0 ? 0 : i;
      return i >= size ? size - 1 : i;
   }
}

SIM_LANES static void
nearest_axis(int32_t *restrict index, const double *restrict s,
             enum sim_fs_wrap wrap, int32_t size, unsigned n)
{
   for (unsigned i = 0; i < n; i++)
      index[i] = floor_small(s[i] * size);
   switch (wrap) {
   case SIM_FS_WRAP_REPEAT:
      for (unsigned i = 0; i < n; i++)
         index[i] = wrap_index(index[i], SIM_FS_WRAP_REPEAT, size);
      break;
   case SIM_FS_WRAP_MIRROR:
      for (unsigned i = 0; i < n; i++)
         index[i] = wrap_index(index[i], SIM_FS_WRAP_MIRROR, size);
      break;
   case SIM_FS_WRAP_CLAMP:
      for (unsigned i = 0; i < n; i++)
         index[i] = wrap_index(index[i], SIM_FS_WRAP_CLAMP, size);
      break;
   }
}

SIM_LANES static void
linear_axis(int32_t *restrict index0, int32_t *restrict index1,
            uint32_t *restrict fraction, const double *restrict s,
            enum sim_fs_wrap wrap, int32_t size, double rounding, unsigned n)
{
   for (unsigned i = 0; i < n; i++) {
      int32_t fixed = floor_small(s[i] * (64.0 * size) - 32.0 + rounding);
      fraction[i] = fixed & 63;
      index0[i] = fixed >> 6;
   }
   switch (wrap) {
   case SIM_FS_WRAP_REPEAT:
      for (unsigned i = 0; i < n; i++) {
         int32_t k = index0[i];
         index0[i] = wrap_index(k, SIM_FS_WRAP_REPEAT, size);
         index1[i] = wrap_index(k + 1, SIM_FS_WRAP_REPEAT, size);
      }
      break;
   case SIM_FS_WRAP_MIRROR:
      for (unsigned i = 0; i < n; i++) {
         int32_t k = index0[i];
         index0[i] = wrap_index(k, SIM_FS_WRAP_MIRROR, size);
         index1[i] = wrap_index(k + 1, SIM_FS_WRAP_MIRROR, size);
      }
      break;
   case SIM_FS_WRAP_CLAMP:
      for (unsigned i = 0; i < n; i++) {
         int32_t k = index0[i];
         index0[i] = wrap_index(k, SIM_FS_WRAP_CLAMP, size);
         index1[i] = wrap_index(k + 1, SIM_FS_WRAP_CLAMP, size);
      }
      break;
   }
}

/* --- filtering --- */

/* Two components at a time: a texel word holds two numbers of at most 256 in
 * 16-bit fields. */
SIM_LANES static void
bilinear(uint32_t *restrict out, const uint32_t *restrict t00,
         const uint32_t *restrict t10, const uint32_t *restrict t01,
         const uint32_t *restrict t11, const uint32_t *restrict fx,
         const uint32_t *restrict fy, uint32_t half, unsigned n)
{
   for (unsigned i = 0; i < n; i++) {
      uint32_t x1 = fx[i], x0 = 64 - x1, y1 = fy[i], y0 = 64 - y1;
      uint32_t top =
         t00[i] * x0 + t10[i] * x1; /* 16-bit fields of at most 2^14 */
      uint32_t bottom = t01[i] * x0 + t11[i] * x1;
      uint32_t low = (top & 0xffff) * y0 + (bottom & 0xffff) * y1;
      uint32_t high = (top >> 16) * y0 + (bottom >> 16) * y1;
      out[i] = (low + half) >> 12 | (high + half) >> 12 << 16;
   }
}

struct sampled {
   uint32_t low[SIM_FS_LANES], high[SIM_FS_LANES];
};

/* The lines of lanes, and which of them are not those of the lane before. */
SIM_LANES static void
find_lines(uint32_t *restrict line, uint8_t *restrict fresh, uint64_t base,
           uint32_t pitch, uint32_t cpp, unsigned shift,
           const int32_t *restrict x, const int32_t *restrict y,
           const uint32_t *restrict live, unsigned n)
{
   const uint32_t first = (uint32_t)(base >> 4), rest = base & 15;
   for (unsigned i = 0; i < n; i++)
      line[i] = first + ((rest + (uint32_t)(y[i] >> shift) * pitch +
                          (uint32_t)(x[i] >> shift) * cpp) >>
                         4);
   fresh[0] = live[0] != 0;
   for (unsigned i = 1; i < n; i++)
      fresh[i] = (live[i] != 0) & ((line[i] != line[i - 1]) | !live[i - 1]);
}

/* A136: 16 bytes for each line that the cache does not hold. */
static void
count_lines(struct sim_fs_worker *worker, const struct sim_fs_texture *t,
            const struct sim_fs_level *level, const int32_t *x,
            const int32_t *y, unsigned n)
{
   uint32_t line[SIM_FS_LANES];
   uint8_t fresh[SIM_FS_LANES];
   unsigned missed = 0;

   find_lines(line, fresh, level->address, level->pitch, t->cpp,
              t->compressed ? 2 : 0, x, y, worker->block.live, n);
   for (unsigned first = 0; first < n; first += 8) {
      uint64_t some; /* n is a multiple of a strip's lanes */
      memcpy(&some, fresh + first, sizeof(some));
      for (unsigned i = first; some && i < first + 8; i++) {
         uint32_t *held = &worker->line[line[i] % SIM_FS_CACHE_LINES];
         if (!fresh[i])
            continue;
         missed += *held != line[i];
         *held = line[i];
      }
   }
   worker->stats.texture_bytes += 16 * (uint64_t)missed;
}

static void
sample_level(struct sim_fs_worker *worker, unsigned unit, unsigned face,
             unsigned level_index, bool linear, const double *s,
             const double *t, struct sampled *out)
{
   const struct sim_fs_texture *texture = &worker->fs->texture[unit];
   struct sim_fs_level shifted = texture->level[level_index];
   shifted.address += face * texture->face_bytes;
   if (shifted.cpu)
      shifted.cpu += face * texture->face_bytes;
   const struct sim_fs_level *level = &shifted;
   unsigned n = worker->block.n;
   int32_t x0[SIM_FS_LANES], y0[SIM_FS_LANES];
   if (!linear) {
      nearest_axis(x0, s, texture->wrap_s, (int32_t)level->width, n);
      nearest_axis(y0, t, texture->wrap_t, (int32_t)level->height, n);
      sim_fs_texels(worker, unit, level, x0, y0, n, out->low, out->high);
      count_lines(worker, texture, level, x0, y0, n);
      return;
   }
   int32_t x1[SIM_FS_LANES], y1[SIM_FS_LANES];
   uint32_t fx[SIM_FS_LANES], fy[SIM_FS_LANES];
   const double rounding =
      worker->fs->switches.round_filter ? 0.5 : 0; /* assumption A63 */
   linear_axis(x0, x1, fx, s, texture->wrap_s, (int32_t)level->width,
               rounding, n);
   linear_axis(y0, y1, fy, t, texture->wrap_t, (int32_t)level->height,
               rounding, n);
   struct sampled t00, t10, t01, t11;
   sim_fs_texels(worker, unit, level, x0, y0, n, t00.low, t00.high);
   sim_fs_texels(worker, unit, level, x1, y0, n, t10.low, t10.high);
   sim_fs_texels(worker, unit, level, x0, y1, n, t01.low, t01.high);
   sim_fs_texels(worker, unit, level, x1, y1, n, t11.low, t11.high);
   count_lines(worker, texture, level, x0, y0, n);
   count_lines(worker, texture, level, x1, y1, n);
   const uint32_t half = worker->fs->switches.cut_filter ? 0 : 2048;
   bilinear(out->low, t00.low, t10.low, t01.low, t11.low, fx, fy, half, n);
   bilinear(out->high, t00.high, t10.high, t01.high, t11.high, fx, fy, half,
            n);
}

/* --- level of detail --- */

/* What a lane samples: level 0..15, fraction towards the next level in 1/64.
 */
struct selection {
   uint8_t level[SIM_FS_LANES], fraction[SIM_FS_LANES], linear[SIM_FS_LANES];
};

static double
largest(double a, double b, double c, double d)
{
   a = fabs(a);
   b = fabs(b);
   c = fabs(c);
   d = fabs(d);
   a = a > b ? a : b;
   c = c > d ? c : d;
   return a > c ? a : c;
}

/* Largest difference in level-0 texels along x or y in the quad of a lane
 * (assumption A64). */
static double
quad_rho(const double *s, unsigned lane, double size)
{
   unsigned a = lane & ~9u;
   return largest(s[a + 1] - s[a], s[a + 9] - s[a + 8], s[a + 8] - s[a],
                  s[a + 9] - s[a + 1]) *
          size;
}

static void
select_level(const struct sim_fs_texture *t, double lambda, double rounding,
             uint8_t *level, uint8_t *fraction, uint8_t *linear)
{
   *level = *fraction = 0;
   if (!(lambda > 0)) {
      *linear = t->mag_linear;
      return;
   }
   *linear = t->min_linear;
   if (!t->mipmaps)
      return;
   if (lambda > t->max_level)
      lambda = t->max_level;
   if (t->mip_linear) {
      *level = (uint8_t)lambda;
      *fraction = (uint8_t)((lambda - *level) * 64 + rounding);
   } else {
      *level = (uint8_t)(lambda + 0.5);
   }
}

/* One selection per quad, unless every lane has a bias of its own. */
static void
select_levels(struct sim_fs_worker *worker, const struct sim_fs_texture *t,
              const double *s, const double *tt, const uint32_t *bias,
              struct selection *sel)
{
   const bool euclidean = sim_switch(worker->fs->sim, SWITCH_LOD);
   const double rounding = worker->fs->switches.round_filter ? 0.5 : 0;
   for (unsigned quad = 0; quad < worker->block.n; quad += 2) {
      if (quad & 8)
         continue;
      double rho_s = quad_rho(s, quad, t->level[0].width),
             rho_t = quad_rho(tt, quad, t->level[0].height);
      double rho = rho_s > rho_t ? rho_s : rho_t;
      if (euclidean)
         rho = sqrt(rho_s * rho_s + rho_t * rho_t);
      static const uint8_t lanes[4] = { 0, 1, 8, 9 };
      double lambda = rho > 1 || (bias && rho > 0) ? log2(rho) : 0;
      for (unsigned k = 0; k < 4; k++) {
         unsigned lane = quad + lanes[k];
         double biased = lambda;
         if (bias) {
            double b = sim_fp20_to_float(bias[lane]);
            biased = rho > 0 ? lambda + (b > 15    ? 15
                                         : b < -16 ? -16
                                                   : b)
                             : -1;
         }
         if (bias || k == 0) {
            select_level(t, biased, rounding, &sel->level[lane],
                         &sel->fraction[lane], &sel->linear[lane]);
         } else {
            sel->level[lane] = sel->level[quad];
            sel->fraction[lane] = sel->fraction[quad];
            sel->linear[lane] = sel->linear[quad];
         }
      }
   }
}

/* --- lookup --- */

static void
merge(struct sampled *into, const struct sampled *from,
      const struct selection *sel, unsigned key_level, unsigned key_linear,
      unsigned n)
{
   for (unsigned i = 0; i < n; i++) {
      if (sel->level[i] == key_level && sel->linear[i] == key_linear) {
         into->low[i] = from->low[i];
         into->high[i] = from->high[i];
      }
   }
}

static uint32_t
blend_pair(uint32_t a, uint32_t b, uint32_t f)
{
   uint32_t low = (a & 0xffff) * (64 - f) + (b & 0xffff) * f,
            high = (a >> 16) * (64 - f) + (b >> 16) * f;
   return (low + 32) >> 6 | (high + 32) >> 6 << 16;
}

static void
sample_mixed(struct sim_fs_worker *worker, unsigned unit, unsigned face,
             const double *s, const double *t, const struct selection *sel,
             struct sampled *out)
{
   const struct sim_fs_texture *texture = &worker->fs->texture[unit];
   unsigned n = worker->block.n;
   uint32_t seen = 0; /* bit level + 16 * linear */
   for (unsigned i = 0; i < n; i++)
      seen |= 1u << (sel->level[i] + 16 * sel->linear[i]);
   for (unsigned k = 0; k < 32; k++) {
      if (!(seen >> k & 1))
         continue;
      unsigned level = k & 15, linear = k >> 4;
      struct sampled here;
      sample_level(worker, unit, face, level, linear, s, t, &here);
      bool between = false;
      for (unsigned i = 0; i < n; i++)
         between |= sel->fraction[i] && sel->level[i] == level &&
                    sel->linear[i] == linear;
      if (between && level < texture->max_level) {
         struct sampled next;
         sample_level(worker, unit, face, level + 1, linear, s, t, &next);
         for (unsigned i = 0; i < n; i++) {
            here.low[i] =
               blend_pair(here.low[i], next.low[i], sel->fraction[i]);
            here.high[i] =
               blend_pair(here.high[i], next.high[i], sel->fraction[i]);
         }
      }
      merge(out, &here, sel, level, linear, n);
   }
}

SIM_LANES static void
to_registers(uint32_t *restrict first, uint32_t *restrict second,
             const uint32_t *restrict low, const uint32_t *restrict high,
             unsigned n)
{
   for (unsigned i = 0; i < n; i++) {
      first[i] = (low[i] & 0x3ff) | low[i] >> 16 << 10;
      second[i] = (high[i] & 0x3ff) | high[i] >> 16 << 10;
   }
}

static void
sample_plane(struct sim_fs_worker *worker, const struct sim_fs_exec *exec,
             const uint32_t *bias, unsigned face, double *s, double *t,
             struct sampled *out)
{
   unsigned unit = exec->tex_unit, n = worker->block.n;
   const struct sim_fs_texture *texture = &worker->fs->texture[unit];
   if (!texture->mipmaps && texture->mag_linear == texture->min_linear) {
      reduce(s, texture->wrap_s, n);
      reduce(t, texture->wrap_t, n);
      sample_level(worker, unit, face, 0, texture->mag_linear, s, t, out);
      return;
   }
   struct selection sel;
   select_levels(worker, texture, s, t, bias, &sel);
   reduce(s, texture->wrap_s, n);
   reduce(t, texture->wrap_t, n);
   sample_mixed(worker, unit, face, s, t, &sel, out);
}

/*
 * Face and coordinates of a direction by the rules of OpenGL (faces in the
 * order of its enumeration).  The level of detail of a quad that crosses an
 * edge of the cube is arbitrary.
 */
static void
cube_coordinates(uint8_t *face, double *s, double *t, const double *r,
                 unsigned n)
{
   for (unsigned i = 0; i < n; i++) {
      double x = s[i], y = t[i], z = r[i], ax = fabs(x), ay = fabs(y),
             az = fabs(z), sc, tc, ma;
      if (ax >= ay && ax >= az) {
         face[i] = x < 0;
         sc = x < 0 ? z : -z;
         tc = -y;
         ma = ax;
      } else if (ay >= az) {
         face[i] = 2 + (y < 0);
         sc = x;
         tc = y < 0 ? -z : z;
         ma = ay;
      } else {
         face[i] = 4 + (z < 0);
         sc = z < 0 ? -x : x;
         tc = -y;
         ma = az;
      }
      s[i] = ma > 0 ? (sc / ma + 1) * 0.5 : 0.5;
      t[i] = ma > 0 ? (tc / ma + 1) * 0.5 : 0.5;
   }
}

static void
sample_cube(struct sim_fs_worker *worker, const struct sim_fs_exec *exec,
            const uint32_t *bias, double *s, double *t, const uint32_t *third,
            struct sampled *out)
{
   unsigned n = worker->block.n;
   double r[SIM_FS_LANES];
   uint8_t face[SIM_FS_LANES];
   load_coordinate(r, third, n);
   cube_coordinates(face, s, t, r, n);
   unsigned seen = 0;
   for (unsigned i = 0; i < n; i++)
      seen |= 1u << face[i];
   for (unsigned f = 0; f < 6; f++) {
      if (!(seen >> f & 1))
         continue;
      double fs[SIM_FS_LANES], ft[SIM_FS_LANES];
      struct sampled here;
      memcpy(fs, s, n * sizeof(*fs));
      memcpy(ft, t, n * sizeof(*ft));
      sample_plane(worker, exec, bias, f, fs, ft, &here);
      for (unsigned i = 0; i < n; i++) {
         if (face[i] == f) {
            out->low[i] = here.low[i];
            out->high[i] = here.high[i];
         }
      }
   }
}

void
sim_fs_texture_sample(struct sim_fs_worker *worker,
                      const struct sim_fs_exec *exec,
                      uint32_t (*row)[SIM_FS_LANES])
{
   unsigned n = worker->block.n, src = exec->tex_src;
   double s[SIM_FS_LANES], t[SIM_FS_LANES];
   const struct sim_fs_texture *texture =
      &worker->fs->texture[exec->tex_unit];
   load_coordinate(s, row[src], n);
   load_coordinate(t, row[src + 1], n);
   for (unsigned i = 0; texture->in_texels && i < n; i++) {
      s[i] /= texture->level[0].width;
      t[i] /= texture->level[0].height;
   }
   const uint32_t *bias = exec->tex_bias ? row[(src + 3) & 3] : NULL;
   struct sampled result;
   if (texture->cube)
      sample_cube(worker, exec, bias, s, t, row[(src + 2) & 3], &result);
   else
      sample_plane(worker, exec, bias, 0, s, t, &result);
   to_registers(row[exec->tex_dst], row[exec->tex_dst + 1], result.low,
                result.high, n);
}
