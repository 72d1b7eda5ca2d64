/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What the files of the V3D simulator share.
 */

#ifndef V3D_INTERNAL_H
#define V3D_INTERNAL_H

#include <stdatomic.h>

#include "float_mode.h"
#include "qpu.h"
#include "v3d.h"
#include "v3d_diag.h"

#define V3D_MIN(a, b) ((a) < (b) ? (a) : (b))
#define V3D_MAX(a, b) ((a) > (b) ? (a) : (b))
#define V3D_COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct sim_address_map;
struct sim_threads;
struct render;
struct bin;

/* --- layouts of images --- */

enum tiling { TILING_RASTER, TILING_T, TILING_LT };

/* An image in memory: width and height in pixels (or blocks), cpp bytes each.
 */
struct image {
   uint8_t *cpu; /* of address; NULL: not all of it is in memory */
   uint32_t address, size;
   uint32_t width, height; /* padded to whole micro-tiles or tiles */
   unsigned cpp;
   enum tiling tiling;
};

unsigned
tiling_utile_width(unsigned cpp);
unsigned
tiling_utile_height(unsigned cpp);
/* Does the texture unit expect LT? */
bool
tiling_is_lt(uint32_t width, uint32_t height, unsigned cpp);
/* Pads *width and *height, returns the size in bytes. */
uint32_t
tiling_pad(enum tiling tiling, uint32_t *width, uint32_t *height,
           unsigned cpp);
/* Offset of a micro-tile. */
uint32_t
tiling_utile_offset(enum tiling tiling, uint32_t utiles_per_row, uint32_t ux,
                    uint32_t uy);
/* Offset of a pixel; width is padded. */
uint32_t
tiling_offset(enum tiling tiling, uint32_t width, unsigned cpp, uint32_t x,
              uint32_t y);

/* --- state of the pipeline, as packets set it --- */

enum {
   STATE_SHADER,
   STATE_CONFIG,
   STATE_FLAT,
   STATE_POINT_SIZE,
   STATE_LINE_WIDTH,
   STATE_DEPTH_OFFSET,
   STATE_CLIP_WINDOW,
   STATE_VIEWPORT,
   NUM_STATES
};

struct cl_state {
   uint8_t shader_packet; /* 64 or 65 */
   uint32_t shader;       /* its operand */
   uint32_t config;
   uint32_t flat;
   float point_size, line_width;
   uint16_t depth_factor, depth_units;
   uint16_t clip_left, clip_bottom, clip_width, clip_height;
   int16_t viewport_x, viewport_y; /* 12.4 */
};

/* Where the clip window ends.  An empty one does not clip: boards draw with
 * it (docs/videocore.md). */
#define CLIP_NONE 65536

static inline int
clip_right(const struct cl_state *s)
{
   return s->clip_width ? s->clip_left + s->clip_width : CLIP_NONE;
}

static inline int
clip_top(const struct cl_state *s)
{
   return s->clip_height ? s->clip_bottom + s->clip_height : CLIP_NONE;
}

#define CONFIG_FRONT (1u << 0)
#define CONFIG_BACK (1u << 1)
#define CONFIG_CLOCKWISE (1u << 2)
#define CONFIG_DEPTH_OFFSET (1u << 3)
#define CONFIG_OVERSAMPLE(config) ((config) >> 6 & 3)
#define CONFIG_DEPTH_FUNC(config) ((config) >> 12 & 7)
#define CONFIG_Z_UPDATE (1u << 15)

/* A shader state record, from memory. */
struct shader_attribute {
   uint32_t address, stride;
   unsigned bytes;
   uint8_t offset[2]; /* in VPM: of vertex, coordinate shader */
};

struct shader_record {
   bool valid, nv;
   bool single_threaded, point_size, clipping, clip_header;
   unsigned num_varyings;
   uint32_t fragment_code, fragment_uniforms;
   struct {
      uint32_t code, uniforms;
      uint8_t select, size;
   } vertex[2]; /* vertex, coordinate shader */
   unsigned num_attributes;
   struct shader_attribute attributes[8];
   /* NV: vertices come shaded. */
   uint32_t data_address;
   unsigned data_stride;
};

/* --- shaded vertices --- */

#define MAX_VARYINGS 32
/* Words of a shaded vertex in its stage's format. */
#define COORD_WORDS 8
#define VERTEX_WORDS (4 + MAX_VARYINGS)

struct coord_vertex {
   float x, y, z, w; /* clip coordinates */
   int32_t xs, ys;   /* 12.4, from the viewport's centre */
   float zs, rcp_w;
   float point_size;
};

/* Reads a record; false (and a diagnostic) when it is not in memory. */
bool
shade_read_record(struct v3d *v3d, uint8_t packet, uint32_t operand,
                  struct shader_record *record);
/* Shades vertices: index[i] for i < count into out[i], words as the stage
 * writes them, stride words apart.  False: a diagnostic was given. */
bool
shade_vertices(struct v3d *v3d, const struct shader_record *record,
               enum qpu_stage stage, const uint32_t *index, unsigned count,
               uint32_t *out, unsigned stride);

/* --- control lists --- */

/* Bytes of a packet with its identifier, 0 = undefined; state is as of the
 * NV, VG and GL pipeline. */
unsigned
cl_packet_size(uint8_t packet);
const char *
cl_packet_name(uint8_t packet);

/* Our form of primitives in tile lists (docs/videocore.md): packet 48 has a
 * count and so many vertices, 49 the polygon of a clipped primitive. */
#define CL_COMPRESSED 48
#define CL_CLIPPED 49

/* Runs a list of a thread from its current to its end address. */
void
cl_run_bin(struct v3d *v3d);
void
cl_run_render(struct v3d *v3d);

/* Applies a state packet; false when it is none. */
bool
cl_apply_state(struct cl_state *state, const uint8_t *packet);

/* bin.c */
struct bin *
bin_create(struct v3d *v3d);
void
bin_destroy(struct bin *bin);
bool
bin_configure(struct bin *bin, const uint8_t *packet);
void
bin_start(struct bin *bin);
/* Whether a list may be drawn into: configured and started. */
bool
bin_ready(const struct bin *bin);
void
bin_state(struct bin *bin, unsigned state); /* has changed */
bool
bin_draw(struct bin *bin, const struct cl_state *state, unsigned primitive,
         const uint32_t *indices, unsigned count, uint32_t first);
bool
bin_flush(struct bin *bin);
void
bin_set_scale(struct bin *bin, const float xy[2]);
void
bin_set_z(struct bin *bin, const float z[2]);

/* clip.c: a vertex of a clipped primitive: its place, and how much it has of
 * each of the three vertices. */
struct clip_vertex {
   float x, y, z, w;
   float weight[3];
};

#define CLIP_MAX_VERTICES 10

/* Cuts off what is outside of the volume -w <= z <= w, and of a guard band in
 * x and y; returns the number of vertices, 0 = nothing is left. */
unsigned
clip_polygon(const struct coord_vertex *v[3], unsigned count, float guard_x,
             float guard_y, struct clip_vertex out[CLIP_MAX_VERTICES]);

/* --- tile buffer --- */

/* 1024 quads of four pixels, or 256 quads of four pixels with four samples
 * each, in the order of a full resolution store. */
#define TILE_WORDS 4096

struct tile_buffer {
   uint32_t color[TILE_WORDS] __attribute__((aligned(64)));
   uint32_t zs[TILE_WORDS] __attribute__((aligned(64))); /* Z << 8 | S */
};

struct tile_clear {
   uint32_t color[2], z;
   uint8_t stencil;
};

/* Four quads that a fragment program works on. */
struct tlb_block {
   struct tile_buffer *tile;
   uint16_t quad[4];             /* numbers in the tile */
   uint8_t cover[QPU_LANES];     /* samples, of each lane */
   float sample_dz[4];           /* from the centre */
   bool multisample, oversample; /* of the frame; of the draw */
   uint32_t config;
   bool back; /* the primitive's side */
   /* Of one side each. */
   uint32_t stencil[2];
   uint8_t stencil_mask[2];
   bool stencil_on;
   qpu_u z; /* as interpolated */
   unsigned ms_write, ms_read;
   uint64_t passed;
};

void
tlb_write_stencil(struct tlb_block *block, uint32_t word);
void
tlb_write_z(struct tlb_block *block, const qpu_u *z, const qpu_u *mask);
void
tlb_write_color(struct tlb_block *block, const qpu_u *color,
                const qpu_u *mask, bool one_sample);
void
tlb_load_color(struct tlb_block *block, qpu_u *color);
/* What a fragment program with MS flags of its own leaves. */
void
tlb_set_cover(struct tlb_block *block, const qpu_u *flags, const qpu_u *mask);

struct tile_transfer {
   uint8_t packet; /* 24..29 */
   bool color, zs, z_only;
   bool clear_color, clear_zs;
   bool full; /* raw */
   uint32_t address;
   enum tiling tiling;
   unsigned format; /* 0: 8888, 1: 565 dithered, 2: 565 */
   unsigned decimate;
   bool end_of_frame;
   /* In the frame: */
   bool store;
   uint8_t column, row;
   uint32_t piece;
};

struct tile_frame {
   uint32_t width, height;
   bool multisample;
};

bool
tlb_transfer(struct v3d *v3d, struct tile_buffer *tile,
             const struct tile_transfer *transfer,
             const struct tile_frame *frame, unsigned column, unsigned row,
             bool store);
void
tlb_clear(struct tile_buffer *tile, const struct tile_clear *clear,
          bool color, bool zs);

/* --- raster --- */

/* A corner of a primitive. */
struct raster_vertex {
   float x, y; /* pixels */
   float z, rcp_w;
   float weight[3]; /* of the primitive's vertices */
};

/* What draws have in common. */
struct raster_state {
   struct cl_state cl;
   unsigned record;
   unsigned num_varyings;
   bool multisample, two_threads;
   const struct qpu_program *program;
   uint32_t uniforms;
};

/* Where a tile is. */
struct raster_tile {
   struct tile_buffer *buffer;
   unsigned x, y, width, height; /* pixels */
};

struct raster_worker;

struct raster_worker *
raster_worker_create(struct v3d *v3d);
void
raster_worker_destroy(struct raster_worker *worker);
void
raster_worker_begin(struct raster_worker *worker);
/* Adds what it did since then. */
void
raster_worker_end(struct raster_worker *worker, struct v3d_stats *stats);

/* A primitive of num vertices (1 to 3), whose varyings are given, and its
 * corners: more than num when it was clipped.  size: of points. */
void
raster_primitive(struct raster_worker *worker, const struct raster_tile *tile,
                 const struct raster_state *state,
                 const struct raster_vertex *v, unsigned count, unsigned num,
                 const float *const varyings[3], float size);

/* --- textures --- */

#define TMU_FIFO 8
#define TMU_LEVELS 12

/* A level in memory; of a cube's first face. */
struct tmu_level {
   const uint8_t *cpu; /* NULL: not in memory */
   uint32_t width, height;
   uint32_t pitch; /* micro-tiles, in raster layout pixels, of a row */
   enum tiling tiling;
};

/* What the configuration words say. */
struct tmu_texture {
   uint32_t config[4];
   unsigned num_config;
   unsigned format, num_levels; /* num_levels: above level 0 */
   uint8_t min_filter, mag_filter, wrap_s, wrap_t;
   bool cube, flip_y, explicit_lod;
   uint32_t cube_stride;
   /* Of a child image, of which coordinates and wrapping speak; level 0 has
    * its size then. */
   uint16_t child_x, child_y;
   unsigned bits;            /* of a pixel, or of a block of 4x4 */
   uint8_t shift_x, shift_y; /* of a micro-tile */
   struct tmu_level levels[TMU_LEVELS];
};

#define TMU_CACHE 8

/* Of a thread that runs programs. */
struct tmu_cache {
   struct tmu_texture textures[TMU_CACHE];
   unsigned used, next;
   uint64_t lookups;
};

struct tmu {
   qpu_u coord[4]; /* S, T, R, B */
   uint32_t config[4];
   unsigned written; /* mask of coordinates */
   unsigned num_config;
   qpu_u result[TMU_FIFO];
   unsigned head, count;
   unsigned fresh; /* of count: asked for since the last thread switch */
   struct tmu_cache *cache;
};

void
tmu_reset(struct tmu *tmu);

/* A write to a register of the unit; each takes a uniform, but that to S
 * alone. */
void
tmu_write(struct qpu *qpu, unsigned unit, unsigned reg, const qpu_u *value);
/* Takes the oldest result. */
void
tmu_read(struct qpu *qpu, unsigned unit, qpu_u *value);
uint32_t
qpu_next_uniform(struct qpu *qpu);

void
tmu_parse(struct v3d *v3d, const uint32_t config[4], unsigned num_config,
          struct tmu_texture *texture);
/* A pixel of a level in the order of r4. */
uint32_t
tmu_fetch(const struct tmu_texture *texture, const struct tmu_level *level,
          uint32_t face_offset, uint32_t x, uint32_t y);
/* tmu_etc1.c */
uint32_t
tmu_decode_etc1(const uint8_t block[8], unsigned x, unsigned y);

/* --- VPM --- */

#define VPM_ROWS 64

struct vpm_setup {
   unsigned address, stride, num; /* num: reads left */
   uint8_t size;                  /* 0: bytes, 1: halves, 2: words */
   bool laned, horizontal;
};

struct vpm {
   uint32_t (*read_rows)[QPU_LANES];  /* VPM_ROWS each; the same in user */
   uint32_t (*write_rows)[QPU_LANES]; /* programs */
   struct vpm_setup reads[4];
   unsigned first_read, num_reads;
   struct vpm_setup write;
   uint32_t load_setup, store_setup, load_pitch, store_stride;
   unsigned rows_written;
};

void
vpm_write_setup(struct vpm *vpm, uint32_t word, bool store);
/* False: no set-up has asked for it. */
bool
vpm_read(struct vpm *vpm, qpu_u *value);
void
vpm_write(struct vpm *vpm, const qpu_u *value, const qpu_u *mask);
/* Starts a transfer with memory. */
bool
vpm_dma(struct v3d *v3d, struct vpm *vpm, uint32_t address, bool store);

/* --- the block --- */

struct v3d {
   struct v3d_options options;
   struct sim_address_map *map;

   uint32_t regs[0x1000 / 4];
   uint32_t vpm[VPM_ROWS][QPU_LANES];
   struct v3d_stats stats;
   struct sim_threads *threads;

   struct qpu_program **programs; /* of this job, by address */
   unsigned num_programs, max_programs;
   _Atomic uint32_t reported[2]; /* diagnostics of this job, from 950 on */
   struct cl_state state[2];
   struct bin *bin;
   struct render *render;
};

/* The memory at [address, address + size), or NULL when not all of it is in
 * one mapping. */
uint8_t *
v3d_memory(const struct v3d *v3d, uint32_t address, uint32_t size);
/* As much as there is from address on. */
uint8_t *
v3d_memory_rest(const struct v3d *v3d, uint32_t address, uint32_t *size);

/* Reports once per job and number; threads may call it.  Numbers from 970 on
 * count in strict mode only. */
void
v3d_diag(struct v3d *v3d, enum v3d_diag_number number, const char *format,
         ...) __attribute__((format(printf, 3, 4)));

static inline bool
v3d_is_strict(const struct v3d *v3d)
{
   return v3d->options.strict;
}

/* render.c */
struct render *
render_create(struct v3d *v3d);
void
render_destroy(struct render *render);
void
render_begin(struct render *render);
void
render_configure(struct render *render, const uint8_t *packet);
void
render_clear_colors(struct render *render, const uint8_t *packet);
void
render_tile_coordinates(struct render *render, unsigned column, unsigned row);
void
render_transfer(struct render *render, const uint8_t *packet);
/* A packet of a tile list that is no state: primitives. */
bool
render_primitives(struct render *render, const struct cl_state *state,
                  const uint8_t *packet, uint32_t size);
void
render_state(struct render *render); /* has changed */
/* Draws what was collected. */
void
render_end(struct render *render);

#endif
