/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The texture unit: what a lane asks for, and how it is answered.
 */

#ifndef A4XX_TEX_H
#define A4XX_TEX_H

#include "a4xx_internal.h"
#include "tex_format.h"

/* Of a texel or a result: components as memory has them, then swizzled. */
union tex_color {
   float f[4];
   uint32_t u[4];
};

/* Of all lanes. */
union tex_colors {
   float f[4][IR3_LANES];
   uint32_t u[4][IR3_LANES];
};

struct tex_format {
   tex_fetch_function fetch;
   unsigned block_width, block_height, block_bytes;
   bool integer; /* signed or not */
   bool wide;    /* has components of more than 16 bits */
   bool fixed;   /* floats of 0 to 1 or -1 to 1 */
   bool bytes;   /* four components of 8 bits, as floats of 0 to 1 */
};

/* code: TFMT4_*.  False: nothing describes it. */
bool
tex_get_format(unsigned code, bool srgb, struct tex_format *format);

enum tex_type { TEX_1D, TEX_2D, TEX_CUBE, TEX_3D, TEX_BUFFER };

#define TEX_MAX_LEVELS 15

struct tex_level {
   const uint8_t *data; /* NULL: no memory */
   unsigned width, height, depth;
   uint32_t pitch, layer_size; /* bytes */
};

struct texture {
   struct tex_format format;
   enum tex_type type;
   unsigned num_levels; /* 0: nothing is there */
   unsigned layers;     /* of arrays; of six faces for cubes */
   uint8_t swizzle[4];  /* components, 4: zero, 5: one */
   uint8_t swap;
   struct tex_level levels[TEX_MAX_LEVELS];
};

enum tex_filter { TEX_NEAREST, TEX_LINEAR, TEX_ANISO };

enum tex_wrap {
   TEX_REPEAT,
   TEX_CLAMP_TO_EDGE,
   TEX_MIRROR_REPEAT,
   TEX_CLAMP_TO_BORDER,
   TEX_MIRROR_CLAMP
};

struct sampler {
   bool mip_linear, seamless, normalized;
   uint8_t magnify, minify; /* enum tex_filter */
   uint8_t wrap[3];         /* enum tex_wrap */
   uint8_t compare;         /* adreno_compare_func */
   unsigned max_samples;    /* of anisotropic filters */
   float bias, min_lod, max_lod;
   union tex_color border;
};

/* Both as the stage's constants have them; a diagnostic says what is not
 * there. */
void
tex_get_texture(struct a4xx *chip, enum a4xx_stage stage, unsigned index,
                struct texture *texture);
void
tex_get_sampler(struct a4xx *chip, enum a4xx_stage stage, unsigned index,
                const struct tex_format *format, struct sampler *sampler);

/* How coordinates change to the next pixel, in x and y. */
struct tex_gradient {
   float dx[3], dy[3];
};

struct tex_request {
   const struct texture *texture;
   const struct sampler *sampler;
   float coords[3];
   unsigned layer; /* one that is there */
   int offset[3];  /* texels */
   bool shadow;
   float reference; /* of a shadow's comparison */
   /* Level of detail, and the samples in a row that make an anisotropic
    * filter: their number, and the distance between the outer ones. */
   float lod;
   unsigned samples;
   float row[3];
};

/* Level of detail, before the sampler's bias and clamps, and the row. */
void
tex_set_gradient(struct tex_request *request,
                 const struct tex_gradient *gradient);
/* After them: below or at 0 is magnified. */
float
tex_clamped_lod(const struct sampler *sampler, float lod);

/* Filters, without the swizzle. */
union tex_color
tex_filter(const struct tex_request *request);
/* The same for lanes of one plane with coordinates and levels of detail of
 * their own, and nothing else that a request may have. */
void
tex_filter_lanes(const struct texture *texture, const struct sampler *sampler,
                 uint32_t lanes, float coords[2][IR3_LANES],
                 const float lod[IR3_LANES], union tex_colors *colors);
/* The four texels of a linear filter of the first level: a component's, in
 * the order of OpenGL's textureGather(). */
union tex_color
tex_gather(const struct tex_request *request, unsigned component);
/* A texel by its numbers; zeros where there is none. */
union tex_color
tex_fetch(const struct texture *texture, int level, const int coords[3],
          int layer);

#endif
