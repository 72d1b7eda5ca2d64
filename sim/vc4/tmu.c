/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Texture units.  A program writes up to four coordinates, each of which
 * takes a word of configuration from its uniforms; the write of S starts the
 * look-up.  S alone is a look-up of a word of memory.
 *
 * Levels lie one behind the other, the smallest first, level 0 at the base
 * address: those above it are as large as if the texture's size were the next
 * power of two.
 */

#include <math.h>
#include <string.h>

#include "qpu_alu.h"

enum {
   FORMAT_RGBA8888,
   FORMAT_RGBX8888,
   FORMAT_RGBA4444,
   FORMAT_RGBA5551,
   FORMAT_RGB565,
   FORMAT_LUMINANCE,
   FORMAT_ALPHA,
   FORMAT_LUMALPHA,
   FORMAT_ETC1,
   FORMAT_S16F,
   FORMAT_S8,
   FORMAT_S16,
   FORMAT_BW1,
   FORMAT_A4,
   FORMAT_A1,
   FORMAT_RGBA64,
   FORMAT_RGBA32R,
   FORMAT_YUYV422R,
   NUM_FORMATS
};

/* Bits of a pixel (of a block, with ETC1) and its micro-tile's logarithms. */
static const struct {
   uint8_t bits, shift_x, shift_y;
} formats[NUM_FORMATS] = {
   [FORMAT_RGBA8888] = { 32, 2, 2 }, [FORMAT_RGBX8888] = { 32, 2, 2 },
   [FORMAT_RGBA4444] = { 16, 3, 2 }, [FORMAT_RGBA5551] = { 16, 3, 2 },
   [FORMAT_RGB565] = { 16, 3, 2 },   [FORMAT_LUMINANCE] = { 8, 3, 3 },
   [FORMAT_ALPHA] = { 8, 3, 3 },     [FORMAT_LUMALPHA] = { 16, 3, 2 },
   [FORMAT_ETC1] = { 64, 1, 2 },     [FORMAT_S16F] = { 16, 3, 2 },
   [FORMAT_S8] = { 8, 3, 3 },        [FORMAT_S16] = { 16, 3, 2 },
   [FORMAT_BW1] = { 1, 5, 4 },       [FORMAT_A4] = { 4, 4, 3 },
   [FORMAT_A1] = { 1, 5, 4 },        [FORMAT_RGBA64] = { 64, 1, 2 },
   [FORMAT_RGBA32R] = { 32, 2, 2 },  [FORMAT_YUYV422R] = { 16, 3, 2 },
};

void
tmu_reset(struct tmu *tmu)
{
   tmu->written = tmu->num_config = 0;
   tmu->head = tmu->count = tmu->fresh = 0;
}

static uint32_t
next_power_of_two(uint32_t value)
{
   uint32_t power = 1;
   while (power < value)
      power *= 2;
   return power;
}

static void
set_levels(struct v3d *v3d, struct tmu_texture *t, uint32_t base,
           uint32_t width, uint32_t height)
{
   const unsigned block = t->format == FORMAT_ETC1 ? 4 : 1;
   uint32_t blocks_x = (width + block - 1) / block;
   uint32_t blocks_y = (height + block - 1) / block;
   uint32_t pot_x = next_power_of_two(blocks_x);
   uint32_t pot_y = next_power_of_two(blocks_y);
   const uint32_t ux = 1u << t->shift_x, uy = 1u << t->shift_y;
   const bool raster =
      t->format == FORMAT_RGBA32R || t->format == FORMAT_YUYV422R;
   uint32_t address = base;

   for (unsigned i = 0; i <= t->num_levels; i++) {
      struct tmu_level *level = &t->levels[i];
      uint32_t w = i ? V3D_MAX(pot_x >> i, 1) : blocks_x;
      uint32_t h = i ? V3D_MAX(pot_y >> i, 1) : blocks_y;
      bool lt = w <= 4 * ux || h <= 4 * uy;
      level->width = V3D_MAX(width >> i, 1);
      level->height = V3D_MAX(height >> i, 1);
      level->tiling = raster ? TILING_RASTER : lt ? TILING_LT : TILING_T;
      uint32_t pad_x = level->tiling == TILING_T ? 8 * ux : ux;
      uint32_t pad_y = level->tiling == TILING_T ? 8 * uy : raster ? 1 : uy;
      w = (w + pad_x - 1) / pad_x * pad_x;
      h = (h + pad_y - 1) / pad_y * pad_y;
      level->pitch = raster ? w : w / ux;
      uint32_t size = (uint64_t)w * h * t->bits / 8;
      if (i)
         address -= size;
      uint32_t faces = t->cube ? 5 * t->cube_stride : 0;
      level->cpu = v3d_memory(v3d, address, size + faces);
   }
}

/* The part of level 0 that two words of configuration select. */
static void
set_child(struct v3d *v3d, struct tmu_texture *t, uint32_t size,
          uint32_t offset)
{
   struct tmu_level *level = &t->levels[0];
   uint32_t width = size & 0x7ff, height = size >> 12 & 0x7ff;
   uint32_t x = offset & 0x7ff, y = offset >> 12 & 0x7ff;
   width = width ? width : 2048;
   height = height ? height : 2048;
   if (x + width > level->width || y + height > level->height) {
      v3d_diag(v3d, V3D_DIAG_TMU_CONFIG,
               "a child image of %ux%u at (%u, %u) in a texture of %ux%u",
               width, height, x, y, level->width, level->height);
      return;
   }
   t->child_x = x;
   t->child_y = y;
   level->width = width;
   level->height = height;
}

void
tmu_parse(struct v3d *v3d, const uint32_t config[4], unsigned num_config,
          struct tmu_texture *t)
{
   uint32_t p0 = config[0], p1 = num_config > 1 ? config[1] : 0;
   uint32_t width = p1 >> 8 & 0x7ff, height = p1 >> 20 & 0x7ff;

   memset(t, 0, sizeof(*t));
   memcpy(t->config, config, sizeof(t->config));
   t->num_config = num_config;
   t->format = (p0 >> 4 & 15) | (p1 >> 31) << 4;
   t->num_levels = V3D_MIN(p0 & 15, TMU_LEVELS - 1);
   t->cube = p0 >> 9 & 1;
   t->flip_y = p0 >> 8 & 1;
   t->mag_filter = p1 >> 7 & 1;
   t->min_filter = p1 >> 4 & 7;
   t->wrap_t = p1 >> 2 & 3;
   t->wrap_s = p1 & 3;
   uint32_t child_size = 0, child_offset = 0;
   for (unsigned i = 2; i < num_config; i++) {
      if (config[i] >> 30 == 2) {
         child_size = config[i];
      } else if (config[i] >> 30 == 3) {
         child_offset = config[i];
      } else if (config[i] >> 30 == 1) {
         t->cube_stride = config[i] & 0x3ffff000;
         t->explicit_lod = config[i] & 1;
      }
   }
   if (t->format >= NUM_FORMATS || t->min_filter > 5) {
      v3d_diag(v3d, V3D_DIAG_TMU_CONFIG,
               "texture format %u or filter %u, which are reserved",
               t->format, t->min_filter);
      t->format = t->format >= NUM_FORMATS ? 0 : t->format;
      t->min_filter = t->min_filter > 5 ? 0 : t->min_filter;
   }
   t->bits = formats[t->format].bits;
   t->shift_x = formats[t->format].shift_x;
   t->shift_y = formats[t->format].shift_y;
   set_levels(v3d, t, p0 & 0xfffff000, width ? width : 2048,
              height ? height : 2048);
   if (child_size)
      set_child(v3d, t, child_size, child_offset);
   if (!t->levels[0].cpu)
      v3d_diag(v3d, V3D_DIAG_TMU_RANGE,
               "a texture of %ux%u at 0x%08x is not in memory",
               t->levels[0].width, t->levels[0].height, p0 & 0xfffff000);
}

/* --- pixels --- */

static uint32_t
expand(uint32_t value, unsigned bits)
{
   switch (bits) {
   case 1:
      return value ? 255 : 0;
   case 4:
      return value * 17;
   case 5:
      return value << 3 | value >> 2;
   default:
      return value << 2 | value >> 4;
   }
}

static uint32_t
rgba(uint32_t r, uint32_t g, uint32_t b, uint32_t a)
{
   return r | g << 8 | b << 16 | a << 24;
}

static uint32_t
decode(unsigned format, const uint8_t *p, unsigned bit)
{
   uint32_t word, v = p[0];
   switch (format) {
   case FORMAT_RGBA8888:
   case FORMAT_RGBA32R:
      memcpy(&word, p, 4);
      return word;
   case FORMAT_RGBX8888:
      memcpy(&word, p, 4);
      return word | 0xff000000;
   case FORMAT_LUMINANCE:
      return rgba(v, v, v, 255);
   case FORMAT_ALPHA:
      return v << 24;
   case FORMAT_LUMALPHA:
      return rgba(v, v, v, p[1]);
   case FORMAT_S8:
      return v;
   case FORMAT_BW1:
      v = expand(v >> bit & 1, 1);
      return rgba(v, v, v, 255);
   case FORMAT_A1:
      return expand(v >> bit & 1, 1) << 24;
   case FORMAT_A4:
      return expand(v >> bit & 15, 4) << 24;
   default:
      break;
   }
   v |= (uint32_t)p[1] << 8;
   switch (format) {
   case FORMAT_RGBA4444:
      return rgba(expand(v >> 12, 4), expand(v >> 8 & 15, 4),
                  expand(v >> 4 & 15, 4), expand(v & 15, 4));
   case FORMAT_RGBA5551:
      return rgba(expand(v >> 11, 5), expand(v >> 6 & 31, 5),
                  expand(v >> 1 & 31, 5), expand(v & 1, 1));
   case FORMAT_RGB565:
      return rgba(expand(v >> 11, 5), expand(v >> 5 & 63, 6),
                  expand(v & 31, 5), 255);
   default: /* 16 bits as they are */
      return v;
   }
}

/* The bytes of a pixel or block; *bit: its first bit in the byte. */
static const uint8_t *
locate(const struct tmu_texture *t, const struct tmu_level *level, uint32_t x,
       uint32_t y, unsigned *bit)
{
   *bit = 0;
   if (level->tiling == TILING_RASTER)
      return level->cpu + (y * level->pitch + x) * (t->bits / 8);
   uint32_t inside = (y & ((1u << t->shift_y) - 1)) << t->shift_x |
                     (x & ((1u << t->shift_x) - 1));
   const uint8_t *utile =
      level->cpu + tiling_utile_offset(level->tiling, level->pitch,
                                       x >> t->shift_x, y >> t->shift_y);
   inside *= t->bits;
   *bit = inside & 7;
   return utile + inside / 8;
}

uint32_t
tmu_fetch(const struct tmu_texture *t, const struct tmu_level *level,
          uint32_t face_offset, uint32_t x, uint32_t y)
{
   unsigned bit;
   if (!level->cpu)
      return 0;
   if (t->format == FORMAT_ETC1)
      return tmu_decode_etc1(
         locate(t, level, x / 4, y / 4, &bit) + face_offset, x & 3, y & 3);
   if (t->format == FORMAT_YUYV422R) {
      const uint8_t *pair = locate(t, level, x & ~1u, y, &bit) + face_offset;
      return rgba(pair[x & 1 ? 2 : 0], pair[1], pair[3], 255);
   }
   const uint8_t *p = locate(t, level, x, y, &bit) + face_offset;
   return decode(t->format, p, bit);
}

/* --- filters --- */

/* Places between texels: boards fail 48 of piglit's tests of wrap modes,
 * which have a narrow tolerance, as with 5 and 7 bits; they would pass with
 * 4, 6 or 8 (docs/videocore.md). */
#define WEIGHT_BITS 7
#define WEIGHTS (1 << WEIGHT_BITS)

/* A texel number to one inside, or -1: the border. */
static inline int
wrap(int i, int size, unsigned mode)
{
   if ((unsigned)i < (unsigned)size)
      return i;
   int period;
   switch (mode) {
   case 0:
      i %= size;
      return i < 0 ? i + size : i;
   case 1:
      return i < 0 ? 0 : size - 1;
   case 2:
      period = 2 * size;
      i %= period;
      i = i < 0 ? i + period : i;
      return i < size ? i : period - 1 - i;
   default:
      return -1;
   }
}

/* Brings a coordinate near the texture, so that integers can hold it. */
static inline float
tame(float coord, unsigned mode)
{
   if (fabsf(coord) <= 512)
      return coord;
   if (!(fabsf(coord) < 1e9f))
      return coord > 0 ? 512 : coord < 0 ? -512 : 0;
   if (mode == 0 || mode == 2)
      return coord - 2 * floorf(coord * 0.5f);
   return coord > 0 ? 512 : -512;
}

struct lookup {
   const struct tmu_texture *t;
   uint32_t face_offset, border;
};

static inline uint32_t
texel(const struct lookup *l, const struct tmu_level *level, int x, int y)
{
   const struct tmu_texture *t = l->t;
   return x < 0 || y < 0 ? l->border
                         : tmu_fetch(t, level, l->face_offset, x + t->child_x,
                                     y + t->child_y);
}

/* Between two colours, f of 256: two bytes at a time. */
static inline uint32_t
mix(uint32_t a, uint32_t b, uint32_t f)
{
   const uint32_t mask = 0x00ff00ff;
   uint32_t even = (a & mask) * (256 - f) + (b & mask) * f + 0x00800080;
   uint32_t odd =
      (a >> 8 & mask) * (256 - f) + (b >> 8 & mask) * f + 0x00800080;
   return (even >> 8 & mask) | (odd & ~mask);
}

static uint32_t
sample_level(const struct lookup *l, unsigned number, float s, float t,
             bool linear)
{
   const struct tmu_texture *tex = l->t;
   const struct tmu_level *level = &tex->levels[number];
   const int w = level->width, h = level->height;
   float u = tame(s, tex->wrap_s) * w, v = tame(t, tex->wrap_t) * h;
   /* The notes' formats without blending. */
   if (tex->format == FORMAT_S16 || tex->format == FORMAT_RGBA64)
      linear = false;
   if (!linear) {
      int x = wrap((int)floorf(u), w, tex->wrap_s);
      int y = wrap((int)floorf(v), h, tex->wrap_t);
      return texel(l, level, x, tex->flip_y && y >= 0 ? h - 1 - y : y);
   }
   int iu = (int)floorf(u * WEIGHTS - (WEIGHTS - 1) * 0.5f);
   int iv = (int)floorf(v * WEIGHTS - (WEIGHTS - 1) * 0.5f);
   int x[2], y[2];
   for (int i = 0; i < 2; i++) {
      x[i] = wrap((iu >> WEIGHT_BITS) + i, w, tex->wrap_s);
      y[i] = wrap((iv >> WEIGHT_BITS) + i, h, tex->wrap_t);
      if (tex->flip_y && y[i] >= 0)
         y[i] = h - 1 - y[i];
   }
   uint32_t fu = (iu & (WEIGHTS - 1)) * (256 / WEIGHTS);
   uint32_t fv = (iv & (WEIGHTS - 1)) * (256 / WEIGHTS);
   uint32_t top =
      mix(texel(l, level, x[0], y[0]), texel(l, level, x[1], y[0]), fu);
   uint32_t bottom =
      mix(texel(l, level, x[0], y[1]), texel(l, level, x[1], y[1]), fu);
   return mix(top, bottom, fv);
}

/* What a level of detail selects. */
struct choice {
   uint16_t level;
   bool linear;
   uint32_t part; /* of the next level, of 256 */
};

static inline struct choice
choose(const struct tmu_texture *tex, float lod)
{
   if (!(lod > 0))
      return (struct choice){ 0, !tex->mag_filter, 0 };
   bool linear = tex->min_filter == 0 || tex->min_filter >= 4;
   if (tex->min_filter < 2)
      return (struct choice){ 0, linear, 0 };
   float last = tex->num_levels;
   lod = lod < last ? lod : last;
   if (tex->min_filter == 2 || tex->min_filter == 4)
      return (struct choice){ (unsigned)(lod + 0.5f), linear, 0 };
   unsigned level = (unsigned)lod;
   return (struct choice){ level, linear, (uint32_t)((lod - level) * 256) };
}

static uint32_t
sample(const struct lookup *l, float s, float t, struct choice c)
{
   uint32_t near = sample_level(l, c.level, s, t, c.linear);
   if (!c.part)
      return near;
   return mix(near, sample_level(l, c.level + 1, s, t, c.linear), c.part);
}

/* The face of a direction, and where on it. */
static unsigned
cube_face(float x, float y, float z, float *s, float *t)
{
   float ax = fabsf(x), ay = fabsf(y), az = fabsf(z), sc, tc, ma;
   unsigned face;
   if (ax >= ay && ax >= az) {
      face = x < 0;
      sc = x < 0 ? z : -z;
      tc = -y;
      ma = ax;
   } else if (ay >= az) {
      face = 2 + (y < 0);
      sc = x;
      tc = y < 0 ? -z : z;
      ma = ay;
   } else {
      face = 4 + (z < 0);
      sc = z < 0 ? -x : x;
      tc = -y;
      ma = az;
   }
   *s = (sc / ma + 1) * 0.5f;
   *t = (tc / ma + 1) * 0.5f;
   return face;
}

static float
find_lod(const struct tmu_texture *t, const qpu_f c[3], unsigned quad)
{
   float w = t->levels[0].width, h = t->levels[0].height;
   float rho = 0;
   for (unsigned i = 1; i <= 2; i++) {
      float ds = (c[0][quad + i] - c[0][quad]) * w;
      float dt = (c[1][quad + i] - c[1][quad]) * h;
      float length = ds * ds + dt * dt;
      rho = length > rho ? length : rho;
   }
   return 0.5f * log2f(rho);
}

/* Of a lane: as if all of its quad were on the plane of its face.  Boards
 * pass tests whose quads reach over a cube's edge (docs/videocore.md). */
static float
find_cube_lod(const struct tmu_texture *t, const qpu_f c[3], unsigned lane)
{
   float x = c[0][lane], y = c[1][lane], z = c[2][lane], unused[2];
   const unsigned axis = cube_face(x, y, z, &unused[0], &unused[1]) / 2;
   const unsigned quad = lane & ~3u;
   float place[3][3], rho = 0;
   for (unsigned i = 0; i < 3; i++) {
      float scale = c[axis][lane] / c[axis][quad + i];
      for (unsigned k = 0; k < 3; k++)
         place[i][k] = c[k][quad + i] * (scale > 0 ? scale : 1);
   }
   for (unsigned i = 1; i <= 2; i++) {
      float length = 0;
      for (unsigned k = 0; k < 3; k++) {
         float d = (place[i][k] - place[0][k]) * t->levels[0].width * 0.5f;
         length += d * d;
      }
      rho = length > rho ? length : rho;
   }
   return 0.5f * log2f(rho);
}

/* --- all lanes in one level --- */

QPU_INLINE qpu_i
floor_all(qpu_f v)
{
   qpu_i i = __builtin_convertvector(v, qpu_i);
   return i + (__builtin_convertvector(i, qpu_f) > v);
}

/* As tame(). */
QPU_INLINE qpu_f
tame_all(qpu_f coord, unsigned mode)
{
   const qpu_u sign = (qpu_u)coord & FLOAT_SIGN;
   const qpu_f size = (qpu_f)((qpu_u)coord & ~FLOAT_SIGN);
   qpu_u fits = (qpu_u)(size <= 512);
   qpu_u big = splat(0x44000000) | sign; /* 512 */
   qpu_u limit = big & ~(qpu_u)(coord != coord);
   if (mode == 0 || mode == 2) {
      qpu_u near = (qpu_u)(size < 1e9f);
      qpu_f half = (qpu_f)((qpu_u)coord & near) * 0.5f;
      qpu_f whole = __builtin_convertvector(floor_all(half), qpu_f);
      limit = blend(near, (qpu_u)(coord - 2 * whole), limit);
   }
   return (qpu_f)blend(fits, (qpu_u)coord, limit);
}

/* As wrap(). */
QPU_INLINE qpu_i
wrap_all(qpu_i i, int size, unsigned mode)
{
   const bool power = !(size & (size - 1));
   qpu_i outside = (i < 0) | (i >= size);
   if (mode == 0 && power)
      return i & (size - 1);
   if (mode == 1)
      return (i & ~outside) | (outside & ~(i < 0) & (size - 1));
   if (mode == 3)
      return i | outside;
   for (unsigned lane = 0; lane < QPU_LANES; lane++)
      i[lane] = wrap(i[lane], size, mode);
   return i;
}

/* As tiling_utile_offset(). */
QPU_INLINE qpu_u
utile_offset_all(const struct tmu_level *level, qpu_u ux, qpu_u uy)
{
   if (level->tiling == TILING_LT)
      return (uy * level->pitch + ux) * 64;
   const uint32_t tiles = level->pitch / 8;
   qpu_u tx = ux >> 3, ty = uy >> 3, odd = -(ty & 1);
   tx = blend(odd, tiles - 1 - tx, tx);
   /* Places of the four subtiles, two bits each. */
   qpu_u which = (uy >> 2 & 1) << 1 | (ux >> 2 & 1);
   qpu_u places = blend(odd, splat(0x36), splat(0x9c));
   qpu_u sub = places >> (2 * which) & 3;
   return (ty * tiles + tx) * 4096 + sub * 1024 +
          ((uy & 3) * 4 + (ux & 3)) * 64;
}

/* Do pixels have bytes of their own? */
static bool
has_bytes(const struct tmu_texture *t)
{
   return t->bits >= 8 && t->bits <= 32 && t->format != FORMAT_YUYV422R;
}

/* As texel(). */
QPU_INLINE qpu_u
texel_all(const struct lookup *l, const qpu_u *faces,
          const struct tmu_level *level, qpu_i x, qpu_i y)
{
   const struct tmu_texture *t = l->t;
   const qpu_u border = (qpu_u)((x < 0) | (y < 0));
   qpu_u ux = ((qpu_u)x & ~border) + t->child_x, offset;
   qpu_u uy = ((qpu_u)y & ~border) + t->child_y;
   uint32_t words[QPU_LANES] __attribute__((aligned(64)));
   if (level->tiling == TILING_RASTER) {
      offset = uy * level->pitch + ux;
      offset *= t->bits / 8;
   } else {
      qpu_u inside = (uy & ((1u << t->shift_y) - 1)) << t->shift_x |
                     (ux & ((1u << t->shift_x) - 1));
      offset = utile_offset_all(level, ux >> t->shift_x, uy >> t->shift_y) +
               inside * (t->bits / 8);
   }
   offset += *faces;
   if (t->format == FORMAT_RGBA8888 || t->format == FORMAT_RGBX8888) {
      const uint32_t alpha = t->format == FORMAT_RGBX8888 ? 0xff000000 : 0;
      for (unsigned i = 0; i < QPU_LANES; i++)
         memcpy(&words[i], level->cpu + offset[i], 4);
      return blend(border, splat(l->border), *(qpu_u *)words | alpha);
   }
   for (unsigned i = 0; i < QPU_LANES; i++)
      words[i] = decode(t->format, level->cpu + offset[i], 0);
   return blend(border, splat(l->border), *(qpu_u *)words);
}

/* As mix(). */
QPU_INLINE qpu_u
mix_all(qpu_u a, qpu_u b, qpu_u f)
{
   const uint32_t mask = 0x00ff00ff;
   qpu_u even = (a & mask) * (256 - f) + (b & mask) * f + 0x00800080;
   qpu_u odd = (a >> 8 & mask) * (256 - f) + (b >> 8 & mask) * f + 0x00800080;
   return (even >> 8 & mask) | (odd & ~mask);
}

QPU_INLINE qpu_i
flip_all(const struct tmu_texture *t, qpu_i y, int height)
{
   if (!t->flip_y)
      return y;
   qpu_i outside = y < 0;
   return (y & outside) | ((height - 1 - y) & ~outside);
}

/* As sample_level(). */
QPU_INLINE qpu_u
sample_level_all(const struct lookup *l, const qpu_u *faces, unsigned number,
                 const qpu_f *s, const qpu_f *t, bool linear)
{
   const struct tmu_texture *tex = l->t;
   const struct tmu_level *level = &tex->levels[number];
   const int w = level->width, h = level->height;
   qpu_f u = tame_all(*s, tex->wrap_s) * (float)w;
   qpu_f v = tame_all(*t, tex->wrap_t) * (float)h;
   if (!level->cpu)
      return (qpu_u){ 0 };
   if (tex->format == FORMAT_S16 || !linear) {
      qpu_i x = wrap_all(floor_all(u), w, tex->wrap_s);
      qpu_i y = wrap_all(floor_all(v), h, tex->wrap_t);
      return texel_all(l, faces, level, x, flip_all(tex, y, h));
   }
   qpu_i iu = floor_all(u * (float)WEIGHTS - (WEIGHTS - 1) * 0.5f);
   qpu_i iv = floor_all(v * (float)WEIGHTS - (WEIGHTS - 1) * 0.5f);
   qpu_i cu = iu >> WEIGHT_BITS, cv = iv >> WEIGHT_BITS;
   qpu_i x0 = wrap_all(cu, w, tex->wrap_s);
   qpu_i x1 = wrap_all(cu + 1, w, tex->wrap_s);
   qpu_i y0 = flip_all(tex, wrap_all(cv, h, tex->wrap_t), h);
   qpu_i y1 = flip_all(tex, wrap_all(cv + 1, h, tex->wrap_t), h);
   qpu_u fu = ((qpu_u)iu & (WEIGHTS - 1)) * (256 / WEIGHTS);
   qpu_u fv = ((qpu_u)iv & (WEIGHTS - 1)) * (256 / WEIGHTS);
   qpu_u top = mix_all(texel_all(l, faces, level, x0, y0),
                       texel_all(l, faces, level, x1, y0), fu);
   qpu_u bottom = mix_all(texel_all(l, faces, level, x0, y1),
                          texel_all(l, faces, level, x1, y1), fu);
   return mix_all(top, bottom, fv);
}

static QPU_CLONES void
sample_all(const struct lookup *l, const qpu_u *faces, const qpu_f *s,
           const qpu_f *t, const struct choice *c, qpu_u *result)
{
   *result = sample_level_all(l, faces, c->level, s, t, c->linear);
   if (c->part) {
      qpu_u far = sample_level_all(l, faces, c->level + 1, s, t, c->linear);
      *result = mix_all(*result, far, splat(c->part));
   }
}

/* What each lane's level of detail selects; whether it is the same for all.
 */
static bool
choose_all(const struct qpu *q, const struct tmu *tmu,
           const struct tmu_texture *t, struct choice choices[QPU_LANES])
{
   const qpu_f *c = (const qpu_f *)tmu->coord;
   const bool has_bias = tmu->written & 8;
   if (t->min_filter == t->mag_filter && t->min_filter < 2) {
      choices[0] = choose(t, 0);
      for (unsigned i = 1; i < QPU_LANES; i++)
         choices[i] = choices[0];
      return true;
   }
   bool same = true;
   float lod = 0;
   for (unsigned i = 0; i < QPU_LANES; i++) {
      if (q->stage == QPU_FRAGMENT && !t->explicit_lod && t->cube)
         lod = find_cube_lod(t, c, i);
      else if (!(i & 3) && q->stage == QPU_FRAGMENT && !t->explicit_lod)
         lod = find_lod(t, c, i);
      choices[i] = choose(t, has_bias ? lod + c[3][i] : lod);
      same &= choices[i].level == choices[0].level &&
              choices[i].linear == choices[0].linear &&
              choices[i].part == choices[0].part;
   }
   return same;
}

static void
look_up(struct qpu *q, struct tmu *tmu, const struct tmu_texture *t,
        qpu_u *result)
{
   const qpu_f *c = (const qpu_f *)tmu->coord;
   struct lookup l = { .t = t };
   struct choice choices[QPU_LANES];
   qpu_f s = c[0], v = c[1];
   qpu_u faces = { 0 };
   bool together = choose_all(q, tmu, t, choices) && has_bytes(t);

   for (unsigned i = 0; t->cube && i < QPU_LANES; i++) {
      float cs, ct;
      faces[i] =
         cube_face(c[0][i], c[1][i], c[2][i], &cs, &ct) * t->cube_stride;
      s[i] = cs;
      v[i] = ct;
   }
   if (!t->cube && (tmu->written & 4)) {
      l.border = tmu->coord[2][0];
      for (unsigned i = 1; i < QPU_LANES; i++)
         together &= tmu->coord[2][i] == l.border;
   }
   if (together) {
      sample_all(&l, &faces, &s, &v, &choices[0], result);
      return;
   }
   for (unsigned i = 0; i < QPU_LANES; i++) {
      l.face_offset = faces[i];
      if (!t->cube && (tmu->written & 4))
         l.border = tmu->coord[2][i];
      (*result)[i] = sample(&l, s[i], v[i], choices[i]);
   }
}

/* 64 bits per pixel come in two pieces. */
static void
look_up_wide(struct tmu *tmu, const struct tmu_texture *t, qpu_u out[2])
{
   const qpu_f *c = (const qpu_f *)tmu->coord;
   const struct tmu_level *level = &t->levels[0];
   for (unsigned i = 0; i < QPU_LANES; i++) {
      int x = wrap((int)floorf(tame(c[0][i], t->wrap_s) * level->width),
                   level->width, t->wrap_s);
      int y = wrap((int)floorf(tame(c[1][i], t->wrap_t) * level->height),
                   level->height, t->wrap_t);
      uint32_t words[2] = { 0, 0 };
      unsigned bit;
      if (level->cpu && x >= 0 && y >= 0)
         memcpy(words, locate(t, level, x + t->child_x, y + t->child_y, &bit),
                8);
      out[0][i] = words[0];
      out[1][i] = words[1];
   }
}

static void
look_up_memory(struct qpu *q, const qpu_u *address, qpu_u *result)
{
   for (unsigned i = 0; i < QPU_LANES; i++) {
      const uint8_t *cpu = v3d_memory(q->v3d, (*address)[i] & ~3u, 4);
      uint32_t word = 0;
      if (cpu)
         memcpy(&word, cpu, 4);
      else
         v3d_diag(q->v3d, V3D_DIAG_TMU_RANGE,
                  "a look-up at 0x%08x, which is no memory", (*address)[i]);
      (*result)[i] = word;
   }
}

static const struct tmu_texture *
find_texture(struct v3d *v3d, struct tmu *tmu)
{
   struct tmu_cache *cache = tmu->cache;
   for (unsigned i = 0; i < cache->used; i++) {
      struct tmu_texture *t = &cache->textures[i];
      if (t->num_config == tmu->num_config &&
          !memcmp(t->config, tmu->config, tmu->num_config * 4))
         return t;
   }
   struct tmu_texture *t = &cache->textures[cache->next];
   cache->next = (cache->next + 1) % TMU_CACHE;
   cache->used = V3D_MIN(cache->used + 1, TMU_CACHE);
   for (unsigned i = tmu->num_config; i < 4; i++)
      tmu->config[i] = 0;
   tmu_parse(v3d, tmu->config, tmu->num_config, t);
   return t;
}

static qpu_u *
push(struct qpu *q, struct tmu *tmu)
{
   /* Two threads share it. */
   if (tmu->count ==
       TMU_FIFO / (q->program && q->program->threaded ? 2 : 1)) {
      v3d_diag(q->v3d, V3D_DIAG_QPU_TMU_FIFO,
               "more look-ups than the unit can hold");
      return NULL;
   }
   tmu->fresh++;
   return &tmu->result[(tmu->head + tmu->count++) % TMU_FIFO];
}

void
tmu_write(struct qpu *q, unsigned unit, unsigned reg, const qpu_u *value)
{
   struct tmu *tmu = &q->tmu[unit & 1];
   tmu->coord[reg] = *value;
   tmu->written |= 1u << reg;
   bool direct = reg == 0 && tmu->written == 1;
   if (!direct && tmu->num_config < 4)
      tmu->config[tmu->num_config++] = qpu_next_uniform(q);
   if (reg != 0)
      return;

   qpu_u *result = push(q, tmu);
   if (result && direct) {
      look_up_memory(q, value, result);
   } else if (result) {
      const struct tmu_texture *t = find_texture(q->v3d, tmu);
      if (t->format == FORMAT_RGBA64) {
         qpu_u both[2], *second = push(q, tmu);
         look_up_wide(tmu, t, both);
         *result = both[0];
         if (second)
            *second = both[1];
      } else {
         look_up(q, tmu, t, result);
      }
   }
   tmu->cache->lookups += QPU_LANES;
   tmu->written = tmu->num_config = 0;
}

void
tmu_read(struct qpu *q, unsigned unit, qpu_u *value)
{
   struct tmu *tmu = &q->tmu[unit];
   if (!tmu->count) {
      v3d_diag(q->v3d, V3D_DIAG_QPU_TMU_FIFO,
               "a result is taken that no look-up makes");
      *value = (qpu_u){ 0 };
      return;
   }
   if (tmu->fresh == tmu->count) {
      /* The other thread's may lie before it. */
      if (q->program && q->program->threaded)
         v3d_diag(q->v3d, V3D_DIAG_QPU_SHARED,
                  "the program at 0x%08x takes a look-up that it has made "
                  "since the last thread switch",
                  q->program->address);
      tmu->fresh--;
   }
   *value = tmu->result[tmu->head];
   tmu->head = (tmu->head + 1) % TMU_FIFO;
   tmu->count--;
}
