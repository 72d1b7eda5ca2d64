/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What the files behind the vertices share: primitives in the window, quads
 * of fragments, the render backend's state during a draw.
 */

#ifndef A4XX_RASTER_H
#define A4XX_RASTER_H

#include "util/format/u_format.h"

#include "a4xx_internal.h"

/* Of a pixel, in positions. */
#define SUBPIXELS 256
#define QUADS_A_WAVE (IR3_LANES / 4)
#define MAX_TARGETS 8

/* Of pixels: the last excluded. */
struct rectangle {
   int x0, y0, x1, y1;
};

/* Inside: a * x + b * y + c >= bias, in subpixels. */
struct edge {
   int64_t a, b, c;
   int bias;
};

/* A triangle between three edges, each opposite of a corner; or a box that
 * spans from corner 0 to corner 1 (of a point, both are the same vertex). */
struct primitive {
   const struct a4xx_vertex *corners[3];
   const struct a4xx_vertex *flat; /* the provoking vertex */
   struct edge edges[3];
   double rcp_area;
   float depth_offset;
   struct rectangle bounds;
   bool box, point, back;
   float x, y, rcp_width, rcp_height; /* of a box: its origin, signed */
};

/* Four pixels: (x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1). */
struct quad {
   const struct primitive *primitive;
   int x, y;
   unsigned mask; /* those that are covered */
};

/* Of the lanes of a wave. */
struct coordinates {
   ir3_f z, rcp_w;
   ir3_f i, j; /* barycentric, with perspective */
   ir3_f linear_i, linear_j;
};

/* --- rb.c --- */

struct surface {
   uint8_t *data; /* of pixel (x, y); NULL: there is none */
   uint32_t pitch;
   unsigned bytes; /* of a pixel */
   int x, y;
   bool tiled;
};

struct target {
   struct surface surface;
   enum pipe_format format;
   uint32_t control, blend;
   unsigned mask; /* components that are written */
   bool integer, is_signed, normalized;
   bool bytes;        /* four components of 8 bits */
   uint8_t red, blue; /* and where those are */
};

struct render {
   struct a4xx *chip;
   unsigned num_targets;
   struct target targets[MAX_TARGETS];
   float constant[4];
   uint32_t alpha_control;
   struct surface depth, stencil;
   unsigned depth_format;
   uint32_t depth_control, stencil_control, reference[2];
   float z_min, z_max;
   bool late; /* depth and stencil are tested behind the shader */
};

/* The state for a draw inside of the area; false with a diagnostic: a target
 * is no memory. */
bool
rb_begin(struct a4xx *chip, const struct rectangle *area,
         struct render *render);
/* Are depth or stencil tested before the program runs? */
bool
rb_tests_early(const struct render *render);
/* Those that pass depth and stencil test, of the mask. */
unsigned
rb_test(const struct render *render, int x, int y, unsigned mask,
        const float z[4], bool back);
/* Those that pass the alpha test, of the lanes. */
uint32_t
rb_alpha_test(const struct render *render, const struct ir3_wave *wave,
              uint32_t lanes);
/* The lanes' colours into all targets, one quad behind the other. */
void
rb_blend(const struct render *render, const struct ir3_wave *wave,
         const struct quad *quads, unsigned count, uint32_t lanes);
/* From GMEM to memory. */
void
rb_resolve(struct a4xx *chip, const struct rectangle *area);
/* Does RB_MODE_CONTROL say that targets are in memory, not in GMEM? */
bool
rb_in_memory(const struct a4xx *chip);

/* --- rb_format.c --- */

/* Of RB_MRT_BUF_INFO or RB_COPY_DEST_INFO; PIPE_FORMAT_NONE: nothing
 * describes it. */
enum pipe_format
rb_format(unsigned code, unsigned swap);

/* --- fs.c --- */

struct fragments {
   struct a4xx *chip;
   struct program program;
   struct render render;
   bool failed;           /* atomic */
   uint64_t instructions; /* atomic */
   uint64_t samples;      /* atomic: that passed all tests */
};

/* Quads of one thread that wait for a wave. */
struct fragment_batch {
   struct shader *shader;
   unsigned count;
   struct quad quads[QUADS_A_WAVE];
   uint64_t samples;
};

/* A quad, with its positions filled in. */
void
fs_add(struct fragments *fragments, struct fragment_batch *batch,
       const struct primitive *primitive, int x, int y, unsigned mask);
/* Runs what waits. */
void
fs_flush(struct fragments *fragments, struct fragment_batch *batch);

/* --- clip.c --- */

struct polygon {
   const struct a4xx_vertex *corners[12];
   unsigned count;
};

/* Memory for vertices that clipping makes, until the draw ends. */
struct vertex_pool {
   struct vertex_block *blocks;
   unsigned num_outputs;
};

void
clip_free(struct vertex_pool *pool);
/* What is inside of the view volume of a triangle or a line; of points only
 * whether they are.  count 0: nothing. */
void
clip_to_volume(const struct a4xx *chip, struct vertex_pool *pool,
               struct polygon *polygon);

/* --- raster.c --- */

/* Does anything come behind the vertices of the next draw? */
bool
raster_enabled(const struct a4xx *chip);
/* Depths of a quad's pixels. */
void
raster_depths(const struct quad *quad, float z[4]);
/* The end of those that have the first one's primitive. */
unsigned
raster_run(const struct quad *quads, unsigned first, unsigned count);
/* Coordinates of the pixels of quads, those of the first one in the first
 * lanes. */
void
raster_interpolate(const struct quad *quads, unsigned count,
                   struct coordinates *coordinates);
/* Draws the primitives. */
void
raster_draw(struct a4xx *chip, const struct a4xx_capture *primitives);

#endif
