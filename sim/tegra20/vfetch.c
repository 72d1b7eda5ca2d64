/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Vertex fetch: indices and attributes (vertex-pipeline.md 13,
 * gr3d-registers.md 3.1).
 *
 * Indices are read once and turned into a list of distinct vertex numbers:
 * each is fetched and transformed once per draw, as the chip's cache of
 * processed vertices allows.  Programs have no side effects, so nobody can
 * tell.
 */

#include <string.h>

#include "numbers.h"
#include "tegra20/gr3d_regs.h"
#include "vertex.h"

static uint32_t
reg(const struct gr3d *gr3d, uint32_t offset)
{
   return gr3d->regs.value[offset];
}

/* Slot of a vertex number below 65536; numbers of draws without indices are
 * distinct anyway. */
static uint16_t
indexed_slot(struct gr3d_vertex_state *vs, uint32_t number)
{
   if (vs->stamp_of_number[number] != vs->stamp) {
      vs->stamp_of_number[number] = vs->stamp;
      vs->slot_of_number[number] = vs->num_slots;
      vs->number[vs->num_slots++] = number;
   }
   return vs->slot_of_number[number];
}

static void
read_indices(struct gr3d *gr3d, unsigned size)
{
   struct gr3d_vertex_state *vs = gr3d->vertex;
   uint32_t address = reg(gr3d, GR3D_INDEX_PTR);
   const struct sim_range *range = sim_memory_find(gr3d->sim, address);
   uint32_t readable = range ? range->size - (address - range->base) : 0;
   const uint8_t *p = range ? range->cpu + (address - range->base) : NULL;
   if (readable / size < vs->num_indices)
      sim_report(gr3d->sim, SIM_DIAG_ATTRIB_RANGE, GR3D_INDEX_PTR, -1,
                 "%u indices of %u bytes at 0x%08x leave the job's memory; 0 "
                 "is read there",
                 vs->num_indices, size, address);
   else if (readable - vs->num_indices * size < 64)
      sim_report(gr3d->sim, SIM_DIAG_ATTRIB_PREFETCH, GR3D_INDEX_PTR, -1,
                 "the index buffer at 0x%08x ends %u bytes behind the last "
                 "index: the engine may fetch 64",
                 address, readable - vs->num_indices * size);
   if (!++vs->stamp) {
      memset(vs->stamp_of_number, 0, sizeof(vs->stamp_of_number));
      vs->stamp = 1;
   }
   for (unsigned i = 0; i < vs->num_indices; i++) {
      uint32_t number = 0;
      if ((i + 1) * size <= readable)
         memcpy(&number, p + i * size, size);
      if (number < 65536) {
         vs->slot[i] = indexed_slot(vs, number);
      } else { /* only with 32-bit indices */
         vs->slot[i] = vs->num_slots;
         vs->number[vs->num_slots++] = number;
      }
   }
}

static void
read_draw_parameters(struct gr3d *gr3d)
{
   struct gr3d_vertex_state *vs = gr3d->vertex;
   uint32_t params = reg(gr3d, GR3D_DRAW_PARAMS),
            draw = reg(gr3d, GR3D_DRAW_PRIMITIVES);
   uint32_t offset = draw & GR3D_DRAW_PRIMITIVES_OFFSET__MASK;
   unsigned mode = params >> GR3D_DRAW_PARAMS_INDEX_MODE__SHIFT & 3;
   vs->num_indices = (draw >> GR3D_DRAW_PRIMITIVES_INDEX_COUNT__SHIFT) + 1;
   vs->num_slots = 0;
   if (sim_switch(gr3d->sim, 8) == 1)
      offset += params & GR3D_DRAW_PARAMS_FIRST__MASK;
   if (mode == GR3D_INDEX_MODE_UINT8 || mode == GR3D_INDEX_MODE_UINT16) {
      read_indices(gr3d, mode == GR3D_INDEX_MODE_UINT8 ? 1 : 2);
      return;
   }
   if (mode != GR3D_INDEX_MODE_NONE && sim_switch(gr3d->sim, 6) == 1) {
      read_indices(gr3d, 4);
      return;
   }
   if (mode != GR3D_INDEX_MODE_NONE) {
      sim_report(
         gr3d->sim, SIM_DIAG_DRAW_INDEX_MODE, GR3D_DRAW_PARAMS, -1,
         "index mode %u is not known to exist (A06): nothing is drawn", mode);
      vs->num_indices = 0;
      return;
   }
   for (unsigned i = 0; i < vs->num_indices; i++) {
      vs->slot[i] = i;
      vs->number[i] = offset + i;
   }
   vs->num_slots = vs->num_indices;
}

static unsigned
component_size(unsigned type)
{
   static const uint8_t size[16] = { 1, 1, 1, 1, 2, 2, 2, 2,
                                     4, 4, 4, 4, 4, 4, 2, 0 };
   return size[type];
}

void
gr3d_vertex_fetch_begin(struct gr3d *gr3d)
{
   struct gr3d_vertex_state *vs = gr3d->vertex;
   read_draw_parameters(gr3d);
   uint32_t enabled = reg(gr3d, GR3D_VP_ATTRIB_IN_OUT_SELECT) >> 16;
   for (unsigned i = 0; i < GR3D_NUM_ATTRIBS; i++) {
      struct gr3d_attrib *attrib = &vs->attrib[i];
      uint32_t mode = reg(gr3d, GR3D_ATTRIB_MODE(i));
      attrib->size = 0;
      if (!(enabled & 1u << i)) {
         /* Reading it is harmless, its value unspecified
          * (vertex-pipeline.md 2.6). */
         memset(vs->lanes.attrib[i], 0, sizeof(vs->lanes.attrib[i]));
         continue;
      }
      attrib->address = reg(gr3d, GR3D_ATTRIB_PTR(i));
      attrib->stride = mode >> GR3D_ATTRIB_MODE_STRIDE__SHIFT;
      attrib->type = mode & GR3D_ATTRIB_MODE_TYPE__MASK;
      attrib->size = mode >> GR3D_ATTRIB_MODE_SIZE__SHIFT & 15;
      attrib->range = NULL;
      if (attrib->size == 0 || attrib->size > 4 || attrib->type == 15)
         sim_report(
            gr3d->sim, SIM_DIAG_ATTRIB_FORMAT, GR3D_ATTRIB_MODE(i), -1,
            "attribute %u: type %u with %u components is not documented", i,
            attrib->type, attrib->size);
      if (attrib->size > 4)
         attrib->size = 4;
      if (attrib->type == 15)
         attrib->size = 0;
      attrib->element_size = attrib->size * component_size(attrib->type);
   }
}

static float
half_to_float(uint16_t half)
{
   uint32_t sign = (uint32_t)(half & 0x8000) << 16,
            exponent = half >> 10 & 31, fraction = half & 0x3ff;
   if (exponent == 31)
      return sim_float_from_bits(sign | 0x7f800000 | fraction << 13);
   if (exponent)
      return sim_float_from_bits(sign | (exponent + 112) << 23 |
                                 fraction << 13);
   float magnitude = (float)fraction * 0x1p-24f;
   return sign ? -magnitude : magnitude;
}

/* c / (2^(bits-1) - 1), not below -1; or (2c + 1) / (2^bits - 1) (assumption
 * A03). */
static float
signed_normalised(const struct sim *sim, int64_t c, unsigned bits)
{
   if (sim_switch(sim, 3) == 1)
      return (float)((2.0 * (double)c + 1.0) / (double)((1ull << bits) - 1));
   double v = (double)c / (double)((1ull << (bits - 1)) - 1);
   return (float)(v < -1.0 ? -1.0 : v);
}

static float
convert(const struct sim *sim, unsigned type, const uint8_t *p)
{
   uint16_t u16;
   uint32_t u32;
   switch (type) {
   case GR3D_ATTRIB_TYPE_UBYTE:
      return p[0];
   case GR3D_ATTRIB_TYPE_UBYTE_NORM:
      return (float)(p[0] / 255.0);
   case GR3D_ATTRIB_TYPE_SBYTE:
      return (int8_t)p[0];
   case GR3D_ATTRIB_TYPE_SBYTE_NORM:
      return signed_normalised(sim, (int8_t)p[0], 8);
   default:
      break;
   }
   if (component_size(type) == 2) {
      memcpy(&u16, p, 2);
      switch (type) {
      case GR3D_ATTRIB_TYPE_USHORT:
         return u16;
      case GR3D_ATTRIB_TYPE_USHORT_NORM:
         return (float)(u16 / 65535.0);
      case GR3D_ATTRIB_TYPE_SSHORT:
         return (int16_t)u16;
      case GR3D_ATTRIB_TYPE_SSHORT_NORM:
         return signed_normalised(sim, (int16_t)u16, 16);
      default:
         return half_to_float(u16);
      }
   }
   memcpy(&u32, p, 4);
   switch (type) {
   case GR3D_ATTRIB_TYPE_UINT:
      return (float)u32;
   case GR3D_ATTRIB_TYPE_UINT_NORM:
      return (float)(u32 / 4294967295.0);
   case GR3D_ATTRIB_TYPE_SINT:
      return (float)(int32_t)u32;
   case GR3D_ATTRIB_TYPE_SINT_NORM:
      return signed_normalised(sim, (int32_t)u32, 32);
   case GR3D_ATTRIB_TYPE_FIXED16:
      return (float)((int32_t)u32 / 65536.0);
   default:
      return sim_float_from_bits(u32);
   }
}

static void
set_lane(vpe_vec *v, unsigned lane, float value)
{
   /* As bits: a signalling NaN must not change on the way. */
   ((vpe_bits *)v)[lane] = vpe_flush_bits(sim_float_bits(value));
}

/* The bytes of one element, or NULL when they leave the job's memory. */
static const uint8_t *
element(struct gr3d *gr3d, unsigned index, uint32_t number)
{
   struct gr3d_attrib *attrib = &gr3d->vertex->attrib[index];
   uint32_t address = attrib->address + number * attrib->stride;
   const struct sim_range *range = attrib->range;
   if (!range || address - range->base >= range->size)
      range = attrib->range = sim_memory_find(gr3d->sim, address);
   uint32_t behind = range ? range->size - (address - range->base) : 0;
   if (behind < attrib->element_size) {
      sim_report(gr3d->sim, SIM_DIAG_ATTRIB_RANGE, GR3D_ATTRIB_PTR(index), -1,
                 "attribute %u of vertex %u is at 0x%08x, outside the job's "
                 "memory; 0 is read",
                 index, number, address);
      return NULL;
   }
   if (behind - attrib->element_size < 64)
      sim_report(gr3d->sim, SIM_DIAG_ATTRIB_PREFETCH, GR3D_ATTRIB_PTR(index),
                 -1,
                 "attribute %u of vertex %u ends %u bytes before its buffer "
                 "does: the engine may fetch 64 more",
                 index, number, behind - attrib->element_size);
   if (gr3d->sim->adversary)
      return sim_adversary_element(gr3d->sim->adversary, address,
                                   attrib->element_size, range);
   return range->cpu + (address - range->base);
}

/* Missing components are (0, 0, 0, 1), or all zero (assumption A01). */
static void
fetch_attrib(struct gr3d *gr3d, unsigned index, unsigned lane,
             uint32_t number)
{
   struct gr3d_attrib *attrib = &gr3d->vertex->attrib[index];
   vpe_vec *dst = gr3d->vertex->lanes.attrib[index];
   const uint8_t *p =
      attrib->element_size ? element(gr3d, index, number) : NULL;
   unsigned size = component_size(attrib->type);
   if (p && attrib->type == GR3D_ATTRIB_TYPE_FLOAT32) {
      for (unsigned c = 0; c < attrib->size; c++) {
         uint32_t bits;
         memcpy(&bits, p + 4 * c, 4);
         ((vpe_bits *)&dst[c])[lane] = vpe_flush_bits(bits);
      }
   } else {
      for (unsigned c = 0; c < attrib->size; c++)
         set_lane(&dst[c], lane,
                  p ? convert(gr3d->sim, attrib->type, p + c * size) : 0.0f);
   }
   for (unsigned c = attrib->size; c < 4; c++)
      set_lane(&dst[c], lane,
               c == 3 && sim_switch(gr3d->sim, 1) == 0 ? 1.0f : 0.0f);
}

void
gr3d_vertex_fetch(struct gr3d *gr3d, unsigned first_slot, unsigned count)
{
   struct gr3d_vertex_state *vs = gr3d->vertex;
   uint32_t enabled = reg(gr3d, GR3D_VP_ATTRIB_IN_OUT_SELECT) >> 16;
   for (unsigned i = 0; i < GR3D_NUM_ATTRIBS; i++) {
      if (!(enabled & 1u << i))
         continue;
      for (unsigned lane = 0; lane < count; lane++)
         fetch_attrib(gr3d, i, lane, vs->number[first_slot + lane]);
      /* Idle lanes repeat the last vertex, so that they take the same
       * branches. */
      for (unsigned c = 0; c < 4; c++)
         for (unsigned lane = count; lane < VPE_LANES; lane++)
            vs->lanes.attrib[i][c][lane] = vs->lanes.attrib[i][c][count - 1];
   }
}
