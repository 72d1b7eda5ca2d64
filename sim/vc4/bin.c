/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The binner: shades the vertices of a draw for their places, drops what
 * cannot be seen, and notes every other primitive in the lists of the tiles
 * that it may touch, behind the state that has changed for the tile.
 *
 * A tile's list is a chain of blocks in the memory that the configuration
 * gives, the first at a fixed place, linked by branches.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "v3d_internal.h"

#define MAX_SCREEN 2040.0f /* pixels from the viewport's centre */

struct bin_tile {
   uint32_t address, end; /* of the next byte, of the block */
   uint32_t versions[NUM_STATES];
   uint32_t newest; /* all versions are at least this */
};

struct bin {
   struct v3d *v3d;
   bool configured, started, failed;
   bool multisample;
   unsigned columns, rows, tile_size;
   uint32_t pool, pool_end; /* free memory */
   uint32_t block_size;
   struct bin_tile *tiles;
   unsigned max_tiles;
   uint32_t versions[NUM_STATES];
   uint32_t version; /* of the last change */
   float scale[2], z[2];

   struct shader_record record;
   const struct cl_state *state;
   struct coord_vertex *vertices;
   uint32_t *words, *unique;
   int32_t *places; /* of an index in vertices */
   unsigned max_vertices, max_places;
};

struct bin *
bin_create(struct v3d *v3d)
{
   struct bin *bin = calloc(1, sizeof(*bin));
   if (bin)
      bin->v3d = v3d;
   return bin;
}

void
bin_destroy(struct bin *bin)
{
   if (!bin)
      return;
   free(bin->tiles);
   free(bin->vertices);
   free(bin->words);
   free(bin->unique);
   free(bin->places);
   free(bin);
}

static uint32_t
get32(const uint8_t *p)
{
   uint32_t value;
   memcpy(&value, p, 4);
   return value;
}

bool
bin_configure(struct bin *bin, const uint8_t *p)
{
   const uint8_t flags = p[15];
   uint32_t address = get32(p + 1), size = get32(p + 5);
   uint32_t initial = 32u << (flags >> 3 & 3);
   bin->columns = p[13];
   bin->rows = p[14];
   bin->multisample = flags & 1;
   bin->tile_size = bin->multisample ? 32 : 64;
   bin->block_size = 32u << (flags >> 5 & 3);
   unsigned count = bin->columns * bin->rows;
   bin->configured = false;
   if (!count || (uint64_t)count * initial > size) {
      v3d_diag(bin->v3d, V3D_DIAG_CL_VALUE,
               "%ux%u tiles and %u bytes for their lists", bin->columns,
               bin->rows, size);
      return false;
   }
   if (count > bin->max_tiles) {
      free(bin->tiles);
      bin->tiles = malloc(count * sizeof(*bin->tiles));
      bin->max_tiles = bin->tiles ? count : 0;
   }
   if (!bin->tiles)
      return false;
   for (unsigned i = 0; i < count; i++) {
      bin->tiles[i] = (struct bin_tile){ .address = address + i * initial };
      bin->tiles[i].end = bin->tiles[i].address + initial;
   }
   /* Further blocks begin at a multiple of 256 bytes. */
   uint32_t used = (count * initial + 255) & ~255u;
   bin->pool = address + V3D_MIN(used, size);
   bin->pool_end = address + size;
   bin->configured = true;
   bin->started = bin->failed = false;
   return true;
}

void
bin_start(struct bin *bin)
{
   bin->started = true;
   bin->version++;
   for (unsigned i = 0; i < NUM_STATES; i++)
      bin->versions[i] = bin->version;
}

bool
bin_ready(const struct bin *bin)
{
   return bin->configured && bin->started;
}

void
bin_state(struct bin *bin, unsigned state)
{
   bin->versions[state] = ++bin->version;
}

void
bin_set_scale(struct bin *bin, const float xy[2])
{
   bin->scale[0] = xy[0];
   bin->scale[1] = xy[1];
}

void
bin_set_z(struct bin *bin, const float z[2])
{
   bin->z[0] = z[0];
   bin->z[1] = z[1];
}

/* --- tile lists --- */

static uint32_t
take_memory(struct bin *bin, uint32_t size)
{
   struct v3d *v3d = bin->v3d;
   for (unsigned try = 0; try < 2; try++) {
      if (bin->pool_end - bin->pool >= size) {
         uint32_t address = bin->pool;
         bin->pool += size;
         v3d->regs[V3D_BPCA / 4] = bin->pool;
         v3d->regs[V3D_BPCS / 4] = bin->pool_end - bin->pool;
         return address;
      }
      if (try == 0) {
         v3d->regs[V3D_INTCTL / 4] |= V3D_INT_OUTOMEM;
         v3d->regs[V3D_PCS / 4] |= V3D_PCS_BMOOM;
         if (v3d->options.out_of_memory)
            v3d->options.out_of_memory(v3d->options.data);
         bin->pool = v3d->regs[V3D_BPOA / 4];
         bin->pool_end = bin->pool + v3d->regs[V3D_BPOS / 4];
         v3d->regs[V3D_BPOS / 4] = 0;
      }
   }
   v3d_diag(v3d, V3D_DIAG_BIN_MEMORY, "no memory is left for tile lists");
   bin->failed = true;
   return 0;
}

#define BRANCH_SIZE 5

static bool
append(struct bin *bin, struct bin_tile *tile, const uint8_t *bytes,
       unsigned size)
{
   if (bin->failed)
      return false;
   if (tile->address + size + BRANCH_SIZE > tile->end) {
      uint32_t next = take_memory(bin, bin->block_size);
      uint8_t *link = v3d_memory(bin->v3d, tile->address, BRANCH_SIZE);
      if (!next || !link) {
         bin->failed = true;
         return false;
      }
      link[0] = 16;
      memcpy(link + 1, &next, 4);
      tile->address = next;
      tile->end = next + bin->block_size;
   }
   uint8_t *to = v3d_memory(bin->v3d, tile->address, size);
   if (!to) {
      v3d_diag(bin->v3d, V3D_DIAG_CL_RANGE,
               "a tile list at 0x%08x is not in memory", tile->address);
      bin->failed = true;
      return false;
   }
   memcpy(to, bytes, size);
   tile->address += size;
   return true;
}

/* The packet of a state; returns its size. */
static unsigned
write_state(const struct cl_state *s, unsigned state, uint8_t *p)
{
   switch (state) {
   case STATE_SHADER:
      p[0] = s->shader_packet;
      memcpy(p + 1, &s->shader, 4);
      return 5;
   case STATE_CONFIG:
      p[0] = 96;
      memcpy(p + 1, &s->config, 3);
      return 4;
   case STATE_FLAT:
      p[0] = 97;
      memcpy(p + 1, &s->flat, 4);
      return 5;
   case STATE_POINT_SIZE:
      p[0] = 98;
      memcpy(p + 1, &s->point_size, 4);
      return 5;
   case STATE_LINE_WIDTH:
      p[0] = 99;
      memcpy(p + 1, &s->line_width, 4);
      return 5;
   case STATE_DEPTH_OFFSET:
      p[0] = 101;
      memcpy(p + 1, &s->depth_factor, 2);
      memcpy(p + 3, &s->depth_units, 2);
      return 5;
   case STATE_CLIP_WINDOW:
      p[0] = 102;
      memcpy(p + 1, &s->clip_left, 2);
      memcpy(p + 3, &s->clip_bottom, 2);
      memcpy(p + 5, &s->clip_width, 2);
      memcpy(p + 7, &s->clip_height, 2);
      return 9;
   default:
      p[0] = 103;
      memcpy(p + 1, &s->viewport_x, 2);
      memcpy(p + 3, &s->viewport_y, 2);
      return 5;
   }
}

static void
append_states(struct bin *bin, struct bin_tile *tile)
{
   if (tile->newest == bin->version)
      return;
   for (unsigned i = 0; i < NUM_STATES; i++) {
      uint8_t packet[9];
      if (tile->versions[i] == bin->versions[i])
         continue;
      if (!append(bin, tile, packet, write_state(bin->state, i, packet)))
         return;
      tile->versions[i] = bin->versions[i];
   }
   tile->newest = bin->version;
}

bool
bin_flush(struct bin *bin)
{
   static const uint8_t end = 18;
   if (!bin_ready(bin)) {
      v3d_diag(bin->v3d, V3D_DIAG_CL_STATE, "a flush without binning");
      return false;
   }
   for (unsigned i = 0; i < bin->columns * bin->rows; i++)
      append(bin, &bin->tiles[i], &end, 1);
   bin->started = false;
   return !bin->failed;
}

/* --- primitives --- */

struct box {
   float x0, y0, x1, y1; /* pixels */
};

static void
append_to_box(struct bin *bin, const struct box *box, const uint8_t *packet,
              unsigned size)
{
   const struct cl_state *s = bin->state;
   /* Never outside of the clip window. */
   float x0 = fmaxf(box->x0, s->clip_left);
   float y0 = fmaxf(box->y0, s->clip_bottom);
   float x1 = fminf(box->x1, clip_right(s));
   float y1 = fminf(box->y1, clip_top(s));
   if (!(x0 <= x1) || !(y0 <= y1))
      return;
   unsigned c0 = x0 / bin->tile_size, r0 = y0 / bin->tile_size;
   unsigned c1 = x1 / bin->tile_size, r1 = y1 / bin->tile_size;
   c1 = V3D_MIN(c1, bin->columns - 1);
   r1 = V3D_MIN(r1, bin->rows - 1);
   for (unsigned r = r0; r <= r1; r++) {
      for (unsigned c = c0; c <= c1; c++) {
         struct bin_tile *tile = &bin->tiles[r * bin->columns + c];
         append_states(bin, tile);
         append(bin, tile, packet, size);
      }
   }
}

static void
grow_box(struct box *box, float x, float y, float by)
{
   box->x0 = fminf(box->x0, x - by);
   box->y0 = fminf(box->y0, y - by);
   box->x1 = fmaxf(box->x1, x + by);
   box->y1 = fmaxf(box->y1, y + by);
}

static const struct box empty_box = { INFINITY, INFINITY, -INFINITY,
                                      -INFINITY };

/* Pixels; 12.4 from the centre. */
static float
screen_x(const struct bin *bin, float xs)
{
   return (xs + bin->state->viewport_x) / 16;
}

static float
screen_y(const struct bin *bin, float ys)
{
   return (ys + bin->state->viewport_y) / 16;
}

/* The polygon of a clipped primitive, in memory of its own: count, number of
 * vertices of the primitive, then those, then x, y, z, 1/w and three weights
 * of each corner. */
static void
append_clipped(struct bin *bin, const struct clip_vertex *polygon,
               unsigned count, const uint32_t *index, unsigned num)
{
   uint32_t words[4 + CLIP_MAX_VERTICES * 7];
   struct box box = empty_box;
   words[0] = count | num << 8;
   for (unsigned i = 0; i < 3; i++)
      words[1 + i] = index[V3D_MIN(i, num - 1)];
   for (unsigned i = 0; i < count; i++) {
      const struct clip_vertex *v = &polygon[i];
      float rcp = 1 / v->w;
      float out[7] = {
         screen_x(bin, truncf(v->x * rcp * bin->scale[0])),
         screen_y(bin, truncf(v->y * rcp * bin->scale[1])),
         v->z * rcp * bin->z[0] + bin->z[1],
         rcp,
         v->weight[0],
         v->weight[1],
         v->weight[2],
      };
      grow_box(&box, out[0], out[1],
               num == 2 ? bin->state->line_width * 0.5f + 1 : 0);
      memcpy(&words[4 + i * 7], out, sizeof(out));
   }
   unsigned size = (4 + count * 7) * 4;
   uint32_t address = take_memory(bin, (size + 31) & ~31u);
   uint8_t *to = address ? v3d_memory(bin->v3d, address, size) : NULL;
   if (!to) {
      bin->failed = true;
      return;
   }
   memcpy(to, words, size);
   uint8_t packet[5] = { CL_CLIPPED };
   memcpy(packet + 1, &address, 4);
   append_to_box(bin, &box, packet, sizeof(packet));
}

static void
append_whole(struct bin *bin, const struct coord_vertex *v[3],
             const uint32_t *index, unsigned num)
{
   struct box box = empty_box;
   float by = 0;
   if (num == 2)
      by = bin->state->line_width * 0.5f + 1;
   else if (num == 1)
      by = (bin->record.point_size ? v[0]->point_size
                                   : bin->state->point_size) *
              0.5f +
           1;
   for (unsigned i = 0; i < num; i++)
      grow_box(&box, screen_x(bin, v[i]->xs), screen_y(bin, v[i]->ys), by);
   uint8_t packet[14] = { CL_COMPRESSED, num };
   unsigned size = 2;
   bool small = index[0] < 65536 && (num < 2 || index[1] < 65536) &&
                (num < 3 || index[2] < 65536);
   packet[1] |= small ? 0x80 : 0;
   for (unsigned i = 0; i < num; i++) {
      memcpy(packet + size, &index[i], small ? 2 : 4);
      size += small ? 2 : 4;
   }
   append_to_box(bin, &box, packet, size);
}

/* Planes that a vertex is outside of, and those of the guard band. */
static unsigned
outside(const struct coord_vertex *v)
{
   return (v->x < -v->w) << 0 | (v->x > v->w) << 1 | (v->y < -v->w) << 2 |
          (v->y > v->w) << 3 | (v->z < -v->w) << 4 | (v->z > v->w) << 5 |
          (v->w <= 0) << 6;
}

static void
bin_primitive(struct bin *bin, const uint32_t *index, unsigned num)
{
   const struct coord_vertex *v[3] = { NULL };
   unsigned all = ~0u, any = 0;
   bool far = false;
   for (unsigned i = 0; i < num; i++) {
      v[i] = &bin->vertices[bin->places[index[i]]];
      unsigned out = outside(v[i]);
      all &= out;
      any |= out;
      far |= !(fabsf(v[i]->x * bin->scale[0]) < v[i]->w * MAX_SCREEN * 16) ||
             !(fabsf(v[i]->y * bin->scale[1]) < v[i]->w * MAX_SCREEN * 16);
   }
   bin->v3d->stats.primitives++;
   uint32_t absolute[3];
   for (unsigned i = 0; i < num; i++)
      absolute[i] = bin->unique[bin->places[index[i]]];
   if (bin->record.nv && !bin->record.clip_header) {
      append_whole(bin, v, absolute, num);
      return;
   }
   /* Lines as well, whatever their width: boards fail the tests of wide lines
    * along the viewport's edge (Mesa's lists). */
   if (num > 1 ? all : all & 0x70)
      return;
   if (num == 1) {
      if (!(any & 0x70) && !far)
         append_whole(bin, v, absolute, 1);
      return;
   }
   if (!(any & 0x70) && !far) {
      append_whole(bin, v, absolute, num);
      return;
   }
   struct clip_vertex polygon[CLIP_MAX_VERTICES];
   float sx = fmaxf(fabsf(bin->scale[0]), 1e-3f);
   float sy = fmaxf(fabsf(bin->scale[1]), 1e-3f);
   unsigned count = clip_polygon(v, num, MAX_SCREEN * 16 / sx,
                                 MAX_SCREEN * 16 / sy, polygon);
   if (count)
      append_clipped(bin, polygon, count, absolute, num);
}

/* indices relative to the draw: places[] of the draw's range. */
static void
bin_primitives(struct bin *bin, unsigned primitive, const uint32_t *index,
               unsigned count)
{
#define AT(i) (index ? index[i] : (uint32_t)(i))
   uint32_t p[3];
   switch (primitive) {
   case 0:
      for (unsigned i = 0; i < count; i++) {
         p[0] = AT(i);
         bin_primitive(bin, p, 1);
      }
      break;
   case 1:
      for (unsigned i = 0; i + 1 < count; i += 2) {
         p[0] = AT(i);
         p[1] = AT(i + 1);
         bin_primitive(bin, p, 2);
      }
      break;
   case 2:
   case 3:
      for (unsigned i = 0; i + 1 < count; i++) {
         p[0] = AT(i);
         p[1] = AT(i + 1);
         bin_primitive(bin, p, 2);
      }
      if (primitive == 2 && count > 2) {
         p[0] = AT(count - 1);
         p[1] = AT(0);
         bin_primitive(bin, p, 2);
      }
      break;
   case 4:
      for (unsigned i = 0; i + 2 < count; i += 3) {
         p[0] = AT(i);
         p[1] = AT(i + 1);
         p[2] = AT(i + 2);
         bin_primitive(bin, p, 3);
      }
      break;
   case 5:
      for (unsigned i = 0; i + 2 < count; i++) {
         p[0] = AT(i + (i & 1));
         p[1] = AT(i + !(i & 1));
         p[2] = AT(i + 2);
         bin_primitive(bin, p, 3);
      }
      break;
   default:
      for (unsigned i = 0; i + 2 < count; i++) {
         p[0] = AT(0);
         p[1] = AT(i + 1);
         p[2] = AT(i + 2);
         bin_primitive(bin, p, 3);
      }
   }
#undef AT
}

/* Room for so many vertices. */
static bool
reserve(struct bin *bin, unsigned vertices, unsigned places)
{
   if (vertices > bin->max_vertices) {
      free(bin->vertices);
      free(bin->words);
      free(bin->unique);
      bin->vertices = malloc(vertices * sizeof(*bin->vertices));
      bin->words = malloc((size_t)vertices * COORD_WORDS * 4);
      bin->unique = malloc((size_t)vertices * 4);
      bin->max_vertices = vertices;
      if (!bin->vertices || !bin->words || !bin->unique)
         bin->max_vertices = 0;
   }
   if (places > bin->max_places) {
      free(bin->places);
      bin->places = malloc((size_t)places * sizeof(*bin->places));
      bin->max_places = bin->places ? places : 0;
   }
   return bin->max_vertices >= vertices && bin->max_places >= places;
}

/* Gives every index that occurs a place; returns their number. */
static unsigned
find_unique(struct bin *bin, const uint32_t *index, unsigned count,
            unsigned range, uint32_t first)
{
   unsigned num = 0;
   if (!index) {
      for (unsigned i = 0; i < count; i++) {
         bin->places[i] = i;
         bin->unique[i] = first + i;
      }
      return count;
   }
   for (unsigned i = 0; i < range; i++)
      bin->places[i] = -1;
   for (unsigned i = 0; i < count; i++) {
      if (bin->places[index[i]] < 0) {
         bin->places[index[i]] = num;
         bin->unique[num++] = index[i];
      }
   }
   return num;
}

static void
unpack_vertices(struct bin *bin, unsigned count)
{
   for (unsigned i = 0; i < count; i++) {
      const uint32_t *w = bin->words + i * COORD_WORDS;
      struct coord_vertex *v = &bin->vertices[i];
      memcpy(&v->x, w, 16);
      v->xs = (int16_t)w[4];
      v->ys = (int16_t)(w[4] >> 16);
      memcpy(&v->zs, w + 5, 4);
      memcpy(&v->rcp_w, w + 6, 4);
      memcpy(&v->point_size, w + 7, 4);
   }
}

bool
bin_draw(struct bin *bin, const struct cl_state *state, unsigned primitive,
         const uint32_t *indices, unsigned count, uint32_t first)
{
   unsigned range = count;
   if (!state->shader_packet) {
      v3d_diag(bin->v3d, V3D_DIAG_CL_STATE,
               "primitives before a shader state");
      return false;
   }
   if (primitive > 6) {
      v3d_diag(bin->v3d, V3D_DIAG_CL_VALUE, "primitive mode %u", primitive);
      return false;
   }
   if (!count)
      return true;
   if (!shade_read_record(bin->v3d, state->shader_packet, state->shader,
                          &bin->record))
      return false;
   for (unsigned i = 0; indices && i < count; i++) {
      if (i == 0)
         range = 0;
      range = V3D_MAX(range, indices[i] + 1);
   }
   if (!reserve(bin, count, range))
      return false;
   bin->state = state;
   unsigned num = find_unique(bin, indices, count, range, first);
   if (!shade_vertices(bin->v3d, &bin->record, QPU_COORDINATE, bin->unique,
                       num, bin->words, COORD_WORDS))
      return false;
   unpack_vertices(bin, num);
   bin_primitives(bin, primitive, indices, count);
   return !bin->failed;
}
