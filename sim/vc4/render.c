/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The rendering thread.  While its list is walked, operations on tiles are
 * collected: loads, primitives, stores.  A store clears the tile buffer;
 * where all of it was cleared a new piece of work begins that depends on none
 * before.  At the list's end the vertices are shaded, each once, and then the
 * pieces are done, both on threads; the pieces one after the other where one
 * may load or overwrite what another stores.
 */

#include <stdlib.h>
#include <string.h>

#include "threads.h"
#include "v3d_internal.h"

#define VERTICES_PER_ITEM 64
#define MAX_OPS (1u << 24)

enum op_kind { OP_TILE, OP_LOAD, OP_STORE, OP_WHOLE, OP_CLIPPED };

struct op {
   uint8_t kind, num; /* num: vertices */
   uint8_t column, row;
   uint32_t state;    /* of primitives; of transfers their number */
   uint32_t place[3]; /* of the record's vertices; [0] is doubled for lines
                         and points */
   uint32_t polygon;  /* address */
};

/* Work between two clears. */
struct piece {
   uint32_t first_op, num_ops;
   struct tile_clear clear;
   bool useful;
};

/* The vertices of a shader record. */
struct vertex_store {
   uint8_t packet;
   uint32_t operand;
   struct shader_record record;
   const struct qpu_program *program;
   uint32_t *table; /* place + 1 by hash of the index */
   uint32_t *index; /* of a place */
   uint32_t count, max, table_size;
   uint32_t *words;
   unsigned stride;
   bool failed;
};

struct shade_item {
   uint32_t store, first;
};

struct array {
   void *data;
   uint32_t count, max;
};

struct render {
   struct v3d *v3d;
   struct array ops, pieces, transfers, states, stores, items;
   struct raster_worker **workers;
   struct tile_buffer **tiles;
   unsigned num_workers;
   struct tile_frame frame;
   uint32_t frame_address;
   unsigned frame_format, frame_decimate;
   enum tiling frame_tiling;
   struct tile_clear clear;
   bool cleared_color, cleared_zs, failed;
   bool has_load;
   struct tile_transfer load;
   unsigned column, row;
   uint32_t current_state; /* ~0: unknown */
   struct v3d_stats *stats;
};

/* Room for one more; NULL when memory is out. */
static void *
array_add(struct array *array, size_t size)
{
   if (array->count == array->max) {
      uint32_t max = V3D_MAX(64, array->max * 2);
      void *data = realloc(array->data, max * size);
      if (!data)
         return NULL;
      array->data = data;
      array->max = max;
   }
   void *item = (char *)array->data + array->count++ * size;
   memset(item, 0, size);
   return item;
}

#define ADD(array, type) \
   ((struct type *)array_add(array, sizeof(struct type)))
#define AT(array, type, i) (&((struct type *)(array).data)[i])

struct render *
render_create(struct v3d *v3d)
{
   struct render *r = calloc(1, sizeof(*r));
   if (r)
      r->v3d = v3d;
   return r;
}

static void
free_stores(struct render *r)
{
   for (uint32_t i = 0; i < r->stores.count; i++) {
      struct vertex_store *store = AT(r->stores, vertex_store, i);
      free(store->table);
      free(store->index);
      free(store->words);
   }
   r->stores.count = 0;
}

void
render_destroy(struct render *r)
{
   if (!r)
      return;
   free_stores(r);
   for (unsigned i = 0; i < r->num_workers; i++) {
      raster_worker_destroy(r->workers[i]);
      free(r->tiles[i]);
   }
   free(r->workers);
   free(r->tiles);
   free(r->ops.data);
   free(r->pieces.data);
   free(r->transfers.data);
   free(r->states.data);
   free(r->stores.data);
   free(r->items.data);
   free(r);
}

void
render_begin(struct render *r)
{
   free_stores(r);
   r->ops.count = r->pieces.count = r->transfers.count = 0;
   r->states.count = r->items.count = 0;
   r->failed = r->has_load = false;
   r->cleared_color = r->cleared_zs = true;
   r->current_state = ~0u;
   r->column = r->row = 0;
}

static uint32_t
get32(const uint8_t *p)
{
   uint32_t value;
   memcpy(&value, p, 4);
   return value;
}

void
render_configure(struct render *r, const uint8_t *p)
{
   uint16_t bits = p[9] | p[10] << 8;
   r->frame_address = get32(p + 1);
   r->frame.width = p[5] | p[6] << 8;
   r->frame.height = p[7] | p[8] << 8;
   r->frame.multisample = bits & 1;
   unsigned format = bits >> 2 & 3;
   r->frame_format = format == 1 ? 0 : format == 0 ? 1 : 2;
   r->frame_decimate = bits >> 4 & 3;
   r->frame_tiling = (enum tiling)V3D_MIN(bits >> 6 & 3, 2);
   if (bits & 2)
      v3d_diag(r->v3d, V3D_DIAG_CL_VALUE, "64 bits per pixel");
}

void
render_clear_colors(struct render *r, const uint8_t *p)
{
   r->clear.color[0] = get32(p + 1);
   r->clear.color[1] = get32(p + 5);
   r->clear.z = get32(p + 9) & 0xffffff;
   r->clear.stencil = p[13];
}

void
render_state(struct render *r)
{
   r->current_state = ~0u;
}

static struct op *
add_op(struct render *r, enum op_kind kind)
{
   struct op *op = r->ops.count < MAX_OPS ? ADD(&r->ops, op) : NULL;
   if (!op) {
      r->failed = true;
      return NULL;
   }
   op->kind = kind;
   op->column = r->column;
   op->row = r->row;
   if (r->pieces.count)
      AT(r->pieces, piece, r->pieces.count - 1)->num_ops++;
   return op;
}

static void
add_transfer(struct render *r, const struct tile_transfer *transfer,
             enum op_kind kind)
{
   struct tile_transfer *copy = ADD(&r->transfers, tile_transfer);
   struct op *op = copy ? add_op(r, kind) : NULL;
   if (!op)
      return;
   *copy = *transfer;
   copy->store = kind == OP_STORE;
   copy->column = r->column;
   copy->row = r->row;
   copy->piece = r->pieces.count - 1;
   op->state = r->transfers.count - 1;
}

void
render_tile_coordinates(struct render *r, unsigned column, unsigned row)
{
   r->column = column;
   r->row = row;
   if ((r->cleared_color && r->cleared_zs) || !r->pieces.count) {
      struct piece *piece = ADD(&r->pieces, piece);
      if (!piece) {
         r->failed = true;
         return;
      }
      piece->first_op = r->ops.count;
      piece->clear = r->clear;
   }
   if (r->has_load) {
      r->has_load = false;
      r->cleared_color &= !r->load.color;
      r->cleared_zs &= !r->load.zs;
      add_transfer(r, &r->load, OP_LOAD);
   }
}

/* Fields that loads and stores of both kinds have. */
static void
parse_transfer(const struct render *r, const uint8_t *p,
               struct tile_transfer *t)
{
   memset(t, 0, sizeof(*t));
   t->packet = p[0];
   if (p[0] <= 25) {
      t->color = true;
      t->clear_color = t->clear_zs = true;
      t->address = r->frame_address;
      t->tiling = r->frame_tiling;
      t->format = r->frame_format;
      t->decimate = r->frame_decimate;
      t->end_of_frame = p[0] == 25;
   } else if (p[0] <= 27) {
      uint32_t word = get32(p + 1);
      t->full = true;
      t->address = word & ~15u;
      t->color = !(word & 1);
      t->zs = !(word & 2);
      t->clear_color = t->clear_zs = !(word & 4);
      t->end_of_frame = word & 8;
   } else {
      uint16_t bits = p[1] | p[2] << 8;
      uint32_t word = get32(p + 3);
      unsigned buffer = bits & 7;
      t->color = buffer == 1;
      t->zs = buffer == 2 || buffer == 3;
      t->tiling = (enum tiling)V3D_MIN(bits >> 4 & 3, 2);
      t->decimate = bits >> 6 & 3;
      t->format = bits >> 8 & 3;
      t->clear_color = !(bits & 1 << 13);
      t->clear_zs = !(bits & 1 << 14);
      t->address = word & ~15u;
      t->end_of_frame = word & 8;
      if (buffer == 5) { /* all, raw */
         t->full = true;
         t->color = !(word & 1);
         t->zs = !(word & 2);
      }
   }
}

void
render_transfer(struct render *r, const uint8_t *p)
{
   struct tile_transfer transfer;
   parse_transfer(r, p, &transfer);
   if (p[0] == 27 || p[0] == 29) {
      r->load = transfer;
      r->has_load = true;
      return;
   }
   if (!r->pieces.count) {
      v3d_diag(r->v3d, V3D_DIAG_CL_STATE,
               "a store before the tile's coordinates");
      return;
   }
   add_transfer(r, &transfer, OP_STORE);
   if (transfer.color || transfer.zs)
      AT(r->pieces, piece, r->pieces.count - 1)->useful = true;
   r->cleared_color |= transfer.clear_color;
   r->cleared_zs |= transfer.clear_zs;
   if (transfer.end_of_frame) {
      r->v3d->regs[V3D_RFC / 4]++;
      r->v3d->regs[V3D_INTCTL / 4] |= V3D_INT_FRDONE;
   }
}

/* --- primitives --- */

static uint32_t
find_store(struct render *r, const struct cl_state *cl)
{
   for (uint32_t i = r->stores.count; i-- > 0;) {
      const struct vertex_store *store = AT(r->stores, vertex_store, i);
      if (store->packet == cl->shader_packet && store->operand == cl->shader)
         return i;
   }
   struct vertex_store *store = ADD(&r->stores, vertex_store);
   if (!store)
      return ~0u;
   store->packet = cl->shader_packet;
   store->operand = cl->shader;
   if (!shade_read_record(r->v3d, cl->shader_packet, cl->shader,
                          &store->record)) {
      store->failed = true;
   } else {
      store->program = qpu_get_program(r->v3d, store->record.fragment_code);
      store->failed = !store->program;
      /* Threads only look it up. */
      if (!store->record.nv &&
          !qpu_get_program(r->v3d, store->record.vertex[0].code))
         store->failed = true;
   }
   store->stride = VERTEX_WORDS;
   if (!store->failed)
      store->stride =
         3 + store->record.point_size + store->record.num_varyings;
   return r->stores.count - 1;
}

static uint32_t
find_state(struct render *r, const struct cl_state *cl)
{
   if (r->current_state != ~0u)
      return r->current_state;
   uint32_t record = find_store(r, cl);
   if (record == ~0u)
      return ~0u;
   const struct vertex_store *store = AT(r->stores, vertex_store, record);
   struct raster_state state;
   memset(&state, 0, sizeof(state));
   state.cl = *cl;
   state.record = record;
   state.num_varyings = store->record.num_varyings;
   state.two_threads = !store->record.single_threaded;
   state.program = store->program;
   state.uniforms = store->record.fragment_uniforms;
   /* Tiles mostly have the states of their neighbours. */
   uint32_t first = r->states.count > 64 ? r->states.count - 64 : 0;
   for (uint32_t i = r->states.count; i-- > first;) {
      if (!memcmp(AT(r->states, raster_state, i), &state, sizeof(state)))
         return r->current_state = i;
   }
   struct raster_state *copy = ADD(&r->states, raster_state);
   if (!copy)
      return ~0u;
   *copy = state;
   return r->current_state = r->states.count - 1;
}

static bool
grow_store(struct vertex_store *store)
{
   uint32_t max = V3D_MAX(64, store->max * 2);
   uint32_t *index = realloc(store->index, max * sizeof(*index));
   if (!index)
      return false;
   store->index = index;
   uint32_t *table = calloc(max * 2, sizeof(*table));
   if (!table)
      return false;
   free(store->table);
   store->table = table;
   store->table_size = max * 2;
   store->max = max;
   for (uint32_t i = 0; i < store->count; i++) {
      uint32_t h = index[i] * 2654435761u;
      while (table[h & (store->table_size - 1)])
         h++;
      table[h & (store->table_size - 1)] = i + 1;
   }
   return true;
}

/* The place of a vertex, ~0: memory is out. */
static uint32_t
find_vertex(struct vertex_store *store, uint32_t index)
{
   if (store->count == store->max && !grow_store(store))
      return ~0u;
   uint32_t h = index * 2654435761u, mask = store->table_size - 1, place;
   while ((place = store->table[h & mask])) {
      if (store->index[place - 1] == index)
         return place - 1;
      h++;
   }
   store->index[store->count] = index;
   store->table[h & mask] = ++store->count;
   return store->count - 1;
}

static bool
add_primitive(struct render *r, const struct cl_state *cl,
              const uint32_t *index, unsigned num, uint32_t polygon)
{
   uint32_t state = find_state(r, cl);
   if (state == ~0u)
      return false;
   struct vertex_store *store =
      AT(r->stores, vertex_store, AT(r->states, raster_state, state)->record);
   if (store->failed)
      return false;
   struct op *op = add_op(r, polygon ? OP_CLIPPED : OP_WHOLE);
   if (!op)
      return false;
   op->num = num;
   op->state = state;
   op->polygon = polygon;
   for (unsigned i = 0; i < num; i++) {
      op->place[i] = find_vertex(store, index[i]);
      if (op->place[i] == ~0u) {
         r->ops.count--;
         return false;
      }
   }
   r->cleared_color = r->cleared_zs = false;
   return true;
}

bool
render_primitives(struct render *r, const struct cl_state *state,
                  const uint8_t *p, uint32_t size)
{
   uint32_t index[3] = { 0 };
   if (!r->pieces.count || !state->shader_packet) {
      v3d_diag(r->v3d, V3D_DIAG_CL_STATE,
               "primitives before tile coordinates or a shader state");
      return false;
   }
   if (p[0] == CL_CLIPPED) {
      uint32_t address = get32(p + 1);
      const uint8_t *data = v3d_memory(r->v3d, address, 16);
      unsigned count = data ? data[0] : 0, num = data ? data[1] : 0;
      if (!count || count > CLIP_MAX_VERTICES || num < 2 || num > 3 ||
          !v3d_memory(r->v3d, address, 16 + count * 28)) {
         v3d_diag(r->v3d, V3D_DIAG_CL_RANGE,
                  "a clipped primitive at 0x%08x, where none is", address);
         return false;
      }
      memcpy(index, data + 4, 12);
      return add_primitive(r, state, index, num, address);
   }
   unsigned num = p[1] & 3;
   if (!num)
      return true;
   for (unsigned i = 0; i < num; i++)
      memcpy(&index[i], p + 2 + i * (p[1] & 0x80 ? 2 : 4),
             p[1] & 0x80 ? 2 : 4);
   return add_primitive(r, state, index, num, 0);
}

/* --- execution --- */

static void
shade_item(void *data, unsigned number, unsigned thread)
{
   struct render *r = data;
   unsigned old = sim_float_flush();
   const struct shade_item *item = AT(r->items, shade_item, number);
   struct vertex_store *store = AT(r->stores, vertex_store, item->store);
   uint32_t count = V3D_MIN(store->count - item->first, VERTICES_PER_ITEM);
   if (!shade_vertices(
          r->v3d, &store->record, QPU_VERTEX, store->index + item->first,
          count, store->words + item->first * store->stride, store->stride))
      __atomic_store_n(&store->failed, true, __ATOMIC_RELAXED);
   sim_float_restore(old);
}

static void
shade_all(struct render *r)
{
   for (uint32_t i = 0; i < r->stores.count; i++) {
      struct vertex_store *store = AT(r->stores, vertex_store, i);
      if (store->failed || !store->count)
         continue;
      store->words = calloc(store->count, store->stride * 4);
      if (!store->words) {
         store->failed = true;
         continue;
      }
      for (uint32_t f = 0; f < store->count; f += VERTICES_PER_ITEM) {
         struct shade_item *item = ADD(&r->items, shade_item);
         if (item)
            *item = (struct shade_item){ i, f };
         else
            store->failed = true;
      }
   }
   sim_threads_run(r->v3d->threads, r->items.count, shade_item, r);
}

static void
draw_op(struct render *r, struct raster_worker *worker,
        const struct raster_tile *tile, const struct op *op)
{
   const struct raster_state *state = AT(r->states, raster_state, op->state);
   const struct vertex_store *store =
      AT(r->stores, vertex_store, state->record);
   if (store->failed)
      return;
   struct raster_vertex v[CLIP_MAX_VERTICES];
   const float *varyings[3] = { NULL };
   const bool has_size = store->record.point_size;
   float size = state->cl.point_size;
   unsigned count = op->num;
   for (unsigned i = 0; i < op->num; i++) {
      const uint32_t *words = store->words + op->place[i] * store->stride;
      int16_t xs = words[0], ys = words[0] >> 16;
      v[i] = (struct raster_vertex){
         .x = (xs + state->cl.viewport_x) / 16.0f,
         .y = (ys + state->cl.viewport_y) / 16.0f,
      };
      v[i].weight[i] = 1;
      memcpy(&v[i].z, words + 1, 4);
      memcpy(&v[i].rcp_w, words + 2, 4);
      if (has_size)
         memcpy(&size, words + 3, 4);
      varyings[i] = (const float *)(words + 3 + has_size);
   }
   if (op->kind == OP_CLIPPED) {
      const uint8_t *data = v3d_memory(r->v3d, op->polygon, 16);
      count = V3D_MIN(data[0], CLIP_MAX_VERTICES);
      memcpy(v, data + 16, count * sizeof(*v));
   }
   raster_primitive(worker, tile, state, v, count, op->num, varyings, size);
}

static void
run_piece(void *data, unsigned number, unsigned thread)
{
   struct render *r = data;
   const struct piece *piece = AT(r->pieces, piece, number);
   struct tile_buffer *tile = r->tiles[thread];
   const unsigned side = r->frame.multisample ? 32 : 64;
   if (!piece->useful)
      return;
   unsigned old = sim_float_flush();
   tlb_clear(tile, &piece->clear, true, true);
   for (uint32_t i = 0; i < piece->num_ops; i++) {
      const struct op *op = AT(r->ops, op, piece->first_op + i);
      if (op->kind == OP_LOAD || op->kind == OP_STORE) {
         const struct tile_transfer *t =
            AT(r->transfers, tile_transfer, op->state);
         bool store = op->kind == OP_STORE;
         tlb_transfer(r->v3d, tile, t, &r->frame, op->column, op->row, store);
         if (store)
            tlb_clear(tile, &piece->clear, t->clear_color, t->clear_zs);
      } else {
         struct raster_tile where = {
            .buffer = tile,
            .x = op->column * side,
            .y = op->row * side,
            .width = side,
            .height = side,
         };
         draw_op(r, r->workers[thread], &where, op);
      }
   }
   sim_float_restore(old);
}

/* --- pieces that are no neighbours, but overlap --- */

/* Memory that a piece loads from or stores to: a tile of an image, which
 * shares none with the image's other tiles, or all of a range. */
struct use {
   uint64_t start, end;
   uint32_t image; /* layout, size of a pixel, tile; ~0: a range */
   uint32_t piece;
   bool store;
};

static int
compare_uses(const void *a, const void *b)
{
   const struct use *x = a, *y = b;
   if (x->start != y->start)
      return x->start < y->start ? -1 : 1;
   if (x->image != y->image)
      return x->image < y->image ? -1 : 1;
   return x->piece < y->piece ? -1 : x->piece > y->piece;
}

static struct use
get_use(const struct render *r, const struct tile_transfer *t)
{
   struct use use = {
      .start = t->address,
      .image = ~0u,
      .piece = t->piece,
      .store = t->store,
   };
   if (t->full) {
      use.end = use.start + TILE_WORDS * 4 * (t->color + t->zs);
   } else {
      uint32_t width = r->frame.width, height = r->frame.height;
      const unsigned cpp = t->color && t->format ? 2 : 4;
      use.end = use.start + tiling_pad(t->tiling, &width, &height, cpp);
      use.image = t->tiling << 24 | cpp << 16 | t->row << 8 | t->column;
   }
   return use;
}

/* Of two in the order of compare_uses(). */
static bool
in_conflict(const struct use *a, const struct use *b)
{
   const bool same = a->start == b->start && a->end == b->end &&
                     a->image >> 16 == b->image >> 16;
   if (b->start >= a->end)
      return false;
   return !same || (a->piece != b->piece && a->image == b->image);
}

static bool
pieces_depend(const struct render *r)
{
   struct use *uses = calloc(r->transfers.count + 1, sizeof(*uses));
   if (!uses)
      return true;
   uint32_t count = 0;
   bool stores = false, depend = false;
   for (uint32_t i = 0; i < r->transfers.count; i++) {
      const struct tile_transfer *t = AT(r->transfers, tile_transfer, i);
      if (t->color || t->zs)
         uses[count++] = get_use(r, t);
      stores |= t->store && (t->color || t->zs);
   }
   qsort(uses, count, sizeof(*uses), compare_uses);
   /* The one that reaches furthest stands for all before it. */
   for (uint32_t i = 1, far = 0; i < count && stores && !depend; i++) {
      depend = in_conflict(&uses[far], &uses[i]) ||
               in_conflict(&uses[i - 1], &uses[i]);
      if (uses[i].end >= uses[far].end)
         far = i;
   }
   free(uses);
   return depend;
}

static bool
prepare_workers(struct render *r)
{
   unsigned count = sim_threads_count(r->v3d->threads);
   if (!r->workers) {
      r->workers = calloc(count, sizeof(*r->workers));
      r->tiles = calloc(count, sizeof(*r->tiles));
      if (!r->workers || !r->tiles)
         return false;
   }
   for (; r->num_workers < count; r->num_workers++) {
      unsigned i = r->num_workers;
      r->workers[i] = raster_worker_create(r->v3d);
      r->tiles[i] = aligned_alloc(64, sizeof(struct tile_buffer));
      if (!r->workers[i] || !r->tiles[i]) {
         raster_worker_destroy(r->workers[i]);
         free(r->tiles[i]);
         return false;
      }
   }
   return true;
}

void
render_end(struct render *r)
{
   if (!r->pieces.count || !prepare_workers(r))
      return;
   shade_all(r);
   /* The last configuration counts for all of the frame. */
   for (uint32_t i = 0; i < r->states.count; i++)
      AT(r->states, raster_state, i)->multisample = r->frame.multisample;
   for (unsigned i = 0; i < r->num_workers; i++)
      raster_worker_begin(r->workers[i]);
   if (pieces_depend(r)) {
      for (uint32_t i = 0; i < r->pieces.count; i++)
         run_piece(r, i, 0);
   } else {
      sim_threads_run(r->v3d->threads, r->pieces.count, run_piece, r);
   }
   for (unsigned i = 0; i < r->num_workers; i++)
      raster_worker_end(r->workers[i], &r->v3d->stats);
   r->v3d->stats.tiles += r->pieces.count;
}
