/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Filters: from coordinates to texels and their weights.  Weights are floats;
 * the chip's precision is not known.
 */

#include <math.h>
#include <string.h>

#include "numbers.h"
#include "tex.h"

/* Beyond it a float has no texels any more. */
#define COORD_LIMIT 16777216.0f

static float
limit(float value)
{
   /* The comparisons fail for NaN. */
   return value > -COORD_LIMIT ? (value < COORD_LIMIT ? value : COORD_LIMIT)
                               : -COORD_LIMIT;
}

static int
modulo(int value, int size)
{
   const int rest = value % size;
   return rest < 0 ? rest + size : rest;
}

static int
clamp(int value, int size)
{
   return A4XX_MAX(0, A4XX_MIN(value, size - 1));
}

/* A texel's number on an axis; -1: the border. */
static int
wrap(enum tex_wrap mode, int i, int size)
{
   if (i >= 0 && i < size)
      return i;
   switch (mode) {
   case TEX_REPEAT:
      return modulo(i, size);
   case TEX_MIRROR_REPEAT:
      i = modulo(i, 2 * size);
      return A4XX_MIN(i, 2 * size - 1 - i);
   case TEX_CLAMP_TO_BORDER:
      return -1;
   case TEX_MIRROR_CLAMP:
      return clamp(i < 0 ? -1 - i : i, size);
   default:
      return clamp(i, size);
   }
}

/* A coordinate in texels.  Whole periods go first, so that far ones keep
 * their fraction. */
static float
to_texels(const struct sampler *sampler, unsigned axis, float coord,
          unsigned size)
{
   if (!sampler->normalized)
      return limit(coord);
   if (sampler->wrap[axis] == TEX_REPEAT)
      coord -= floorf(coord);
   else if (sampler->wrap[axis] == TEX_MIRROR_REPEAT)
      coord -= 2 * floorf(coord * 0.5f);
   return limit(coord * size);
}

/* One or two texels of an axis. */
struct axis {
   unsigned count;
   int i[2];
   float weight; /* of the second */
};

static struct axis
find_axis(const struct tex_request *request, unsigned n, float coord,
          unsigned size, bool linear)
{
   const struct sampler *sampler = request->sampler;
   float at = to_texels(sampler, n, coord, size) - (linear ? 0.5f : 0);
   const float first = floorf(at);
   struct axis axis = { linear ? 2 : 1, .weight = at - first };
   for (unsigned i = 0; i < axis.count; i++)
      axis.i[i] = wrap(sampler->wrap[n],
                       (unsigned)(int)first + i + request->offset[n], size);
   return axis;
}

/* --- texels --- */

/* WZYX, WXYZ, ZYXW, XYZW: from the highest in memory. */
static const uint8_t orders[4][4] = {
   { 0, 1, 2, 3 }, { 2, 1, 0, 3 }, { 1, 2, 3, 0 }, { 3, 2, 1, 0 }
};

static void
swap_components(unsigned swap, union tex_color *color)
{
   const union tex_color old = *color;
   for (unsigned c = 0; swap && c < 4; c++)
      color->u[c] = old.u[orders[swap][c]];
}

static union tex_color
read_texel(const struct texture *texture, const struct tex_level *level,
           unsigned x, unsigned y, unsigned layer)
{
   const struct tex_format *format = &texture->format;
   union tex_color color = { { 0 } };
   if (!level->data)
      return color;
   const bool blocks = format->block_width > 1 || format->block_height > 1;
   const unsigned row = blocks ? y / format->block_height : y;
   const unsigned column = blocks ? x / format->block_width : x;
   const uint8_t *block = level->data + (size_t)layer * level->layer_size +
                          row * (size_t)level->pitch +
                          column * format->block_bytes;
   if (format->bytes) {
      for (unsigned c = 0; c < 4; c++)
         color.f[c] = block[c] * (1.0f / 255);
   } else {
      format->fetch(&color, block, x % format->block_width,
                    y % format->block_height);
   }
   swap_components(texture->swap, &color);
   return color;
}

static bool
compares(unsigned function, float a, float b)
{
   return (a < b && (function & 1)) || (a == b && (function & 2)) ||
          (a > b && (function & 4)) || function == 7;
}

static union tex_color
compared(const struct tex_request *request, union tex_color color)
{
   if (!request->shadow)
      return color;
   float reference = request->reference;
   if (request->texture->format.fixed)
      reference = reference > 0 ? A4XX_MIN(reference, 1) : 0;
   const float result =
      compares(request->sampler->compare, reference, color.f[0]);
   return (union tex_color){ { result, result, result, result } };
}

static union tex_color
texel(const struct tex_request *request, const struct tex_level *level, int x,
      int y, int layer)
{
   if (x < 0 || y < 0 || layer < 0)
      return compared(request, request->sampler->border);
   return compared(request, read_texel(request->texture, level, x, y, layer));
}

static union tex_color
mix(union tex_color a, union tex_color b, float weight)
{
   union tex_color result;
   for (unsigned c = 0; c < 4; c++)
      result.f[c] = a.f[c] + weight * (b.f[c] - a.f[c]);
   return result;
}

/* --- cubes --- */

/* Of a face: the axes of a direction that s and t go along, and which is the
 * major one; OpenGL ES 3.1, table 8.28. */
struct face {
   uint8_t s, t, major;
   int8_t s_sign, t_sign, major_sign;
};

static const struct face faces[6] = {
   { 2, 1, 0, -1, -1, 1 }, { 2, 1, 0, 1, -1, -1 }, { 0, 2, 1, 1, 1, 1 },
   { 0, 2, 1, 1, -1, -1 }, { 0, 1, 2, 1, -1, 1 },  { 0, 1, 2, -1, -1, -1 },
};

static unsigned
choose_face(const float direction[3])
{
   const float x = fabsf(direction[0]), y = fabsf(direction[1]),
               z = fabsf(direction[2]);
   const unsigned axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
   return axis * 2 + (direction[axis] < 0);
}

/* Coordinates on a face from 0 to 1. */
static void
project(const struct face *face, const float direction[3], float st[2])
{
   const float major = fabsf(direction[face->major]);
   st[0] = 0.5f * (face->s_sign * direction[face->s] / major + 1);
   st[1] = 0.5f * (face->t_sign * direction[face->t] / major + 1);
}

/* Texel (x, y) of a face's plane, one of them beyond its edge by one: where
 * it is on the neighbour.  Lengths are halves of texels, the cube is from
 * -size to size. */
static void
cross_edge(unsigned *number, int *x, int *y, int size)
{
   const struct face *from = &faces[*number];
   const int s = 2 * *x + 1 - size, t = 2 * *y + 1 - size;
   const bool along_s = *x < 0 || *x >= size;
   int direction[3];
   /* The neighbour's plane is at the edge; the texel is half a one in. */
   direction[from->major] = from->major_sign * (size - 1);
   direction[from->s] = from->s_sign * (along_s ? (s < 0 ? -size : size) : s);
   direction[from->t] = from->t_sign * (along_s ? t : (t < 0 ? -size : size));
   const unsigned axis = along_s ? from->s : from->t;
   *number = axis * 2 + (direction[axis] < 0);
   const struct face *to = &faces[*number];
   *x = (to->s_sign * direction[to->s] + size - 1) / 2;
   *y = (to->t_sign * direction[to->t] + size - 1) / 2;
}

/* --- a level --- */

/* The texels of a linear filter, row by row, and the weights of the second
 * column and row. */
struct quad {
   union tex_color texels[4];
   float x, y;
};

static void
plane_quad(const struct tex_request *request, const struct tex_level *level,
           const float coords[2], unsigned layer, struct quad *quad)
{
   const struct axis x = find_axis(request, 0, coords[0], level->width, true);
   const struct axis y =
      find_axis(request, 1, coords[1], level->height, true);
   for (unsigned i = 0; i < 4; i++)
      quad->texels[i] = texel(request, level, x.i[i & 1], y.i[i >> 1], layer);
   quad->x = x.weight;
   quad->y = y.weight;
}

/* Of a seamless cube: neighbours' texels, and a corner's is the mean of the
 * three that are there. */
static void
cube_quad(const struct tex_request *request, const struct tex_level *level,
          const float st[2], unsigned face, struct quad *quad)
{
   const int size = level->width;
   const float s = limit(st[0] * size - 0.5f), t = limit(st[1] * size - 0.5f);
   const int left = (int)floorf(s), top = (int)floorf(t);
   union tex_color sum = { { 0 } };
   int missing = -1;
   quad->x = s - left;
   quad->y = t - top;
   for (unsigned i = 0; i < 4; i++) {
      int x = left + (i & 1), y = top + (i >> 1);
      const bool beside = x < 0 || x >= size, beyond = y < 0 || y >= size;
      unsigned number = face;
      if (beside && beyond) {
         missing = i;
         continue;
      }
      if (beside || beyond)
         cross_edge(&number, &x, &y, size);
      quad->texels[i] =
         texel(request, level, x, y, request->layer * 6 + number);
      for (unsigned c = 0; c < 4; c++)
         sum.f[c] += quad->texels[i].f[c] / 3;
   }
   if (missing >= 0)
      quad->texels[missing] = sum;
}

/* Of a plane or a cube. */
static void
get_quad(const struct tex_request *request, const struct tex_level *level,
         const float coords[3], struct quad *quad)
{
   if (request->texture->type != TEX_CUBE) {
      plane_quad(request, level, coords, request->layer, quad);
      return;
   }
   const unsigned face = choose_face(coords);
   float st[2];
   project(&faces[face], coords, st);
   if (request->sampler->seamless)
      cube_quad(request, level, st, face, quad);
   else
      plane_quad(request, level, st, request->layer * 6 + face, quad);
}

static union tex_color
mix_quad(const struct quad *quad)
{
   return mix(mix(quad->texels[0], quad->texels[1], quad->x),
              mix(quad->texels[2], quad->texels[3], quad->x), quad->y);
}

static union tex_color
nearest(const struct tex_request *request, const struct tex_level *level,
        const float coords[2], unsigned layer)
{
   const struct axis x =
      find_axis(request, 0, coords[0], level->width, false);
   const struct axis y =
      find_axis(request, 1, coords[1], level->height, false);
   return texel(request, level, x.i[0], y.i[0], layer);
}

static union tex_color
filter_volume(const struct tex_request *request,
              const struct tex_level *level, const float coords[3],
              bool linear)
{
   const struct axis z =
      find_axis(request, 2, coords[2], level->depth, linear);
   union tex_color planes[2];
   for (unsigned i = 0; i < z.count; i++) {
      struct quad quad;
      if (z.i[i] < 0) {
         planes[i] = compared(request, request->sampler->border);
      } else if (!linear) {
         planes[i] = nearest(request, level, coords, z.i[i]);
      } else {
         plane_quad(request, level, coords, z.i[i], &quad);
         planes[i] = mix_quad(&quad);
      }
   }
   return linear ? mix(planes[0], planes[1], z.weight) : planes[0];
}

static union tex_color
filter_level(const struct tex_request *request, unsigned number,
             const float coords[3], bool linear)
{
   const struct texture *texture = request->texture;
   const struct tex_level *level = &texture->levels[number];
   linear &= !texture->format.integer;
   if (texture->type == TEX_3D)
      return filter_volume(request, level, coords, linear);
   if (linear) {
      struct quad quad;
      get_quad(request, level, coords, &quad);
      return mix_quad(&quad);
   }
   if (texture->type != TEX_CUBE)
      return nearest(request, level, coords, request->layer);
   const unsigned face = choose_face(coords);
   float st[2];
   project(&faces[face], coords, st);
   return nearest(request, level, st, request->layer * 6 + face);
}

/* One or two levels, and how they are filtered. */
struct choice {
   unsigned level;
   bool linear, both;
   float weight; /* of the second */
};

static struct choice
choose_levels(const struct texture *texture, const struct sampler *sampler,
              float lod)
{
   const unsigned last = texture->num_levels - 1;
   lod = tex_clamped_lod(sampler, lod);
   const bool linear =
      (lod > 0 ? sampler->minify : sampler->magnify) != TEX_NEAREST;
   if (!sampler->mip_linear || lod <= 0 || texture->format.integer) {
      const unsigned nearest = lod > 0 ? (unsigned)(lod + 0.5f) : 0;
      return (struct choice){ A4XX_MIN(nearest, last), linear };
   }
   const unsigned first = A4XX_MIN((unsigned)lod, last);
   return (struct choice){ first, linear, first != last && lod != first,
                           lod - first };
}

static union tex_color
filter_levels(const struct tex_request *request, const float coords[3])
{
   const struct choice choice =
      choose_levels(request->texture, request->sampler, request->lod);
   const union tex_color a =
      filter_level(request, choice.level, coords, choice.linear);
   if (!choice.both)
      return a;
   return mix(a,
              filter_level(request, choice.level + 1, coords, choice.linear),
              choice.weight);
}

union tex_color
tex_filter(const struct tex_request *request)
{
   if (!request->texture->num_levels)
      return (union tex_color){ { 0 } };
   if (request->samples <= 1)
      return filter_levels(request, request->coords);
   union tex_color sum = { { 0 } };
   for (unsigned i = 0; i < request->samples; i++) {
      const float at = (i + 0.5f) / request->samples - 0.5f;
      float coords[3];
      for (unsigned n = 0; n < 3; n++)
         coords[n] = request->coords[n] + at * request->row[n];
      const union tex_color color = filter_levels(request, coords);
      for (unsigned c = 0; c < 4; c++)
         sum.f[c] += color.f[c] / request->samples;
   }
   return sum;
}

/* --- blocks of lanes --- */

/* See struct axis. */
struct axes {
   int i[2][IR3_LANES];
   float weight[IR3_LANES];
};

static void
find_axes(const struct sampler *sampler, unsigned n,
          const float coord[IR3_LANES], unsigned size, bool linear,
          struct axes *axes)
{
   const float half = linear ? 0.5f : 0;
   unsigned outside = 0;
   for (unsigned lane = 0; lane < IR3_LANES; lane++) {
      const float at = to_texels(sampler, n, coord[lane], size) - half;
      const float first = floorf(at);
      axes->weight[lane] = at - first;
      axes->i[0][lane] = (int)first;
      axes->i[1][lane] = (int)first + linear;
      outside |= (int)first < 0 || (int)first + linear >= (int)size;
   }
   for (unsigned i = 0; outside && i < 2; i++) {
      for (unsigned lane = 0; lane < IR3_LANES; lane++)
         axes->i[i][lane] = wrap(sampler->wrap[n], axes->i[i][lane], size);
   }
}

static bool
are_inside(const int x[IR3_LANES], const int y[IR3_LANES])
{
   int all = 0;
   for (unsigned lane = 0; lane < IR3_LANES; lane++)
      all |= x[lane] | y[lane];
   return all >= 0;
}

static void
read_bytes(const struct texture *texture, const struct tex_level *level,
           const int x[IR3_LANES], const int y[IR3_LANES],
           union tex_colors *colors)
{
   uint32_t words[IR3_LANES], offsets[IR3_LANES];
   /* A level has less than 4 GiB. */
   for (unsigned lane = 0; lane < IR3_LANES; lane++)
      offsets[lane] = y[lane] * level->pitch + x[lane] * 4u;
   sim_gather(words, level->data, offsets, IR3_LANES);
   for (unsigned c = 0; c < 4; c++) {
      const unsigned shift = orders[texture->swap][c] * 8;
      for (unsigned lane = 0; lane < IR3_LANES; lane++)
         colors->f[c][lane] =
            (int)(words[lane] >> shift & 0xff) * (1.0f / 255);
   }
}

static void
read_texels(const struct texture *texture, const struct sampler *sampler,
            const struct tex_level *level, const int x[IR3_LANES],
            const int y[IR3_LANES], union tex_colors *colors)
{
   if (texture->format.bytes && level->data && are_inside(x, y)) {
      read_bytes(texture, level, x, y, colors);
      return;
   }
   for (unsigned lane = 0; lane < IR3_LANES; lane++) {
      const union tex_color color =
         x[lane] < 0 || y[lane] < 0
            ? sampler->border
            : read_texel(texture, level, x[lane], y[lane], 0);
      for (unsigned c = 0; c < 4; c++)
         colors->u[c][lane] = color.u[c];
   }
}

static void
mix_lanes(union tex_colors *a, const union tex_colors *b,
          const float weight[IR3_LANES])
{
   for (unsigned c = 0; c < 4; c++) {
      for (unsigned lane = 0; lane < IR3_LANES; lane++)
         a->f[c][lane] += weight[lane] * (b->f[c][lane] - a->f[c][lane]);
   }
}

static void
filter_level_lanes(const struct texture *texture,
                   const struct sampler *sampler, unsigned number,
                   float coords[2][IR3_LANES], bool linear,
                   union tex_colors *colors)
{
   const struct tex_level *level = &texture->levels[number];
   union tex_colors right, below, below_right;
   struct axes x, y;
   linear &= !texture->format.integer;
   find_axes(sampler, 0, coords[0], level->width, linear, &x);
   find_axes(sampler, 1, coords[1], level->height, linear, &y);
   read_texels(texture, sampler, level, x.i[0], y.i[0], colors);
   if (!linear)
      return;
   read_texels(texture, sampler, level, x.i[1], y.i[0], &right);
   read_texels(texture, sampler, level, x.i[0], y.i[1], &below);
   read_texels(texture, sampler, level, x.i[1], y.i[1], &below_right);
   mix_lanes(colors, &right, x.weight);
   mix_lanes(&below, &below_right, x.weight);
   mix_lanes(colors, &below, y.weight);
}

/* Of those among the lanes that have the first one's choice. */
static uint32_t
filter_alike(const struct texture *texture, const struct sampler *sampler,
             uint32_t lanes, float coords[2][IR3_LANES], const float *lod,
             union tex_colors *colors)
{
   const unsigned first = __builtin_ctz(lanes);
   const struct choice choice = choose_levels(texture, sampler, lod[first]);
   float weights[IR3_LANES] = { choice.weight };
   uint32_t alike = 0;
   for (unsigned lane = first; lane < IR3_LANES; lane++) {
      const struct choice other = choose_levels(texture, sampler, lod[lane]);
      weights[lane] = other.weight;
      if (other.level == choice.level && other.linear == choice.linear &&
          other.both == choice.both)
         alike |= lanes & 1u << lane;
   }
   filter_level_lanes(texture, sampler, choice.level, coords, choice.linear,
                      colors);
   if (choice.both) {
      union tex_colors second;
      filter_level_lanes(texture, sampler, choice.level + 1, coords,
                         choice.linear, &second);
      mix_lanes(colors, &second, weights);
   }
   return alike;
}

IR3_CLONES void
tex_filter_lanes(const struct texture *texture, const struct sampler *sampler,
                 uint32_t lanes, float coords[2][IR3_LANES],
                 const float lod[IR3_LANES], union tex_colors *colors)
{
   while (lanes) {
      union tex_colors some;
      const uint32_t alike =
         filter_alike(texture, sampler, lanes, coords, lod, &some);
      for (unsigned c = 0; c < 4; c++) {
         for (unsigned lane = 0; lane < IR3_LANES; lane++) {
            if (alike >> lane & 1)
               colors->u[c][lane] = some.u[c][lane];
         }
      }
      lanes &= ~alike;
   }
}

union tex_color
tex_fetch(const struct texture *texture, int number, const int coords[3],
          int layer)
{
   const union tex_color nothing = { { 0 } };
   if (number < 0 || (unsigned)number >= texture->num_levels)
      return nothing;
   const struct tex_level *level = &texture->levels[number];
   const bool volume = texture->type == TEX_3D;
   const unsigned layers = texture->type == TEX_CUBE ? texture->layers * 6
                           : volume                  ? level->depth
                                                     : texture->layers;
   if (volume)
      layer = coords[2];
   if (coords[0] < 0 || (unsigned)coords[0] >= level->width ||
       coords[1] < 0 || (unsigned)coords[1] >= level->height || layer < 0 ||
       (unsigned)layer >= layers)
      return nothing;
   return read_texel(texture, level, coords[0], coords[1], layer);
}

union tex_color
tex_gather(const struct tex_request *request, unsigned component)
{
   /* Bottom left, bottom right, top right, top left. */
   static const uint8_t order[4] = { 2, 3, 1, 0 };
   union tex_color result = { { 0 } };
   struct quad quad;
   if (!request->texture->num_levels)
      return result;
   get_quad(request, &request->texture->levels[0], request->coords, &quad);
   for (unsigned i = 0; i < 4; i++)
      result.u[i] = quad.texels[order[i]].u[component];
   return result;
}

/* --- level of detail --- */

float
tex_clamped_lod(const struct sampler *sampler, float lod)
{
   lod += sampler->bias;
   /* Also for NaN. */
   return lod > sampler->min_lod ? A4XX_MIN(lod, sampler->max_lod)
                                 : sampler->min_lod;
}

/* Coordinates on the face from the change of a direction. */
static void
project_gradient(const float direction[3], float change[3])
{
   const struct face *face = &faces[choose_face(direction)];
   const float major = direction[face->major];
   const float length = fabsf(major);
   const float growth = (major < 0 ? -1 : 1) * change[face->major] / length;
   const float s = face->s_sign *
                   (change[face->s] - direction[face->s] * growth) / length *
                   0.5f;
   const float t = face->t_sign *
                   (change[face->t] - direction[face->t] * growth) / length *
                   0.5f;
   change[0] = s;
   change[1] = t;
   change[2] = 0;
}

static float
length_in_texels(const struct tex_request *request, const float change[3])
{
   const struct tex_level *level = &request->texture->levels[0];
   const float sizes[3] = { level->width, level->height, level->depth };
   float sum = 0;
   for (unsigned n = 0; n < 3; n++) {
      const float texels =
         request->sampler->normalized ? change[n] * sizes[n] : change[n];
      sum += texels * texels;
   }
   return sqrtf(sum);
}

void
tex_set_gradient(struct tex_request *request,
                 const struct tex_gradient *gradient)
{
   struct tex_gradient g = *gradient;
   const struct sampler *sampler = request->sampler;
   const bool cube = request->texture->type == TEX_CUBE;
   if (!request->texture->num_levels)
      return;
   if (cube) {
      project_gradient(request->coords, g.dx);
      project_gradient(request->coords, g.dy);
   }
   const float x = length_in_texels(request, g.dx);
   const float y = length_in_texels(request, g.dy);
   const float longer = A4XX_MAX(x, y), shorter = A4XX_MIN(x, y);
   request->lod = log2f(longer);
   if (sampler->max_samples <= 1 || !(longer > 1))
      return;
   /* As EXT_texture_filter_anisotropic has it. */
   float samples = ceilf(longer / shorter);
   samples = samples < sampler->max_samples ? samples : sampler->max_samples;
   request->lod = log2f(longer / samples);
   if (samples > 1 && sampler->minify == TEX_ANISO) {
      request->samples = samples;
      /* A cube's row goes along the direction's own change. */
      memcpy(request->row, x > y ? gradient->dx : gradient->dy,
             sizeof(request->row));
   }
}
