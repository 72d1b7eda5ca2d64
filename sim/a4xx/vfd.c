/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Vertex fetch and decode: indices, attributes, numbers of vertices.
 */

#include <stdlib.h>
#include <string.h>

#include "a4xx_internal.h"
#include "numbers.h"

enum number { FLOAT, FIXED, SINT, UINT, SNORM, UNORM };

/* Four formats each, of one to four components. */
static const struct {
   uint8_t bits, number;
} formats[16] = {
   [2] = { 0 },         [3] = { 0 },         [4] = { 16, SINT },
   [5] = { 16, UINT },  [6] = { 16, SNORM }, [7] = { 16, UNORM },
   [8] = { 32, UINT },  [9] = { 32, SINT },  [10] = { 8, UINT },
   [11] = { 8, UNORM }, [12] = { 8, SINT },  [13] = { 8, SNORM },
};

static int32_t
sign_extend(uint32_t value, unsigned bits)
{
   return (int32_t)(value << (32 - bits)) >> (32 - bits);
}

/* integer: numbers stay what they are. */
static uint32_t
convert(uint32_t raw, unsigned bits, enum number number, bool integer)
{
   const uint32_t max = ~0u >> (32 - bits);
   const int32_t value = sign_extend(raw, bits);
   float f;
   switch (number) {
   case FLOAT:
      return bits == 32 ? raw : sim_float_bits(ir3_half_to_float(raw));
   case FIXED:
      f = (int32_t)raw / 65536.0f;
      break;
   case SINT:
      if (integer)
         return value;
      f = value;
      break;
   case UINT:
      if (integer)
         return raw;
      f = raw;
      break;
   case SNORM:
      f = A4XX_MAX(value / (float)(max >> 1), -1.0f);
      break;
   default:
      f = raw / (float)max;
   }
   return sim_float_bits(f);
}

/* Floats of 11 or 10 bits have an exponent as halves do, and no sign. */
static uint32_t
convert_small_float(uint32_t raw, unsigned bits)
{
   return sim_float_bits(ir3_half_to_float(raw << (15 - bits)));
}

struct attribute_format {
   unsigned components, bytes;
   unsigned bits; /* of a component; 0: packed */
   enum number number;
   bool small_floats;
   bool alpha_first; /* packed: two bits at the lower end */
};

static bool
get_format(unsigned code, struct attribute_format *format)
{
   memset(format, 0, sizeof(*format));
   if (code >= 0x1 && code <= 0xc) {
      format->components = (code - 1) % 4 + 1;
      format->bits = code >= 0x5 && code <= 0x8 ? 16 : 32;
      format->number = code >= 0x9 ? FIXED : FLOAT;
   } else if (code == 0xd) {
      format->components = 3;
      format->bytes = 4;
      format->small_floats = true;
      return true;
   } else if (code >= 0x38) {
      static const uint8_t numbers[4] = { UINT, UNORM, SINT, SNORM };
      format->components = 4;
      format->bytes = 4;
      format->number = numbers[code & 3];
      format->alpha_first = code >= 0x3c;
      return true;
   } else {
      format->components = code % 4 + 1;
      format->bits = formats[code / 4].bits;
      format->number = formats[code / 4].number;
   }
   format->bytes = format->components * format->bits / 8;
   return format->bits;
}

static void
unpack(const struct attribute_format *format, const uint8_t *data,
       bool integer, uint32_t out[4])
{
   uint32_t word;
   if (format->bits) {
      for (unsigned c = 0; c < format->components; c++) {
         uint32_t raw = 0;
         memcpy(&raw, data + c * format->bits / 8, format->bits / 8);
         out[c] = convert(raw, format->bits, format->number, integer);
      }
      return;
   }
   memcpy(&word, data, 4);
   if (format->small_floats) {
      out[0] = convert_small_float(word & 0x7ff, 11);
      out[1] = convert_small_float(word >> 11 & 0x7ff, 11);
      out[2] = convert_small_float(word >> 22, 10);
      return;
   }
   const unsigned shift = format->alpha_first ? 2 : 0;
   for (unsigned c = 0; c < 3; c++)
      out[c] = convert(word >> (shift + c * 10) & 0x3ff, 10, format->number,
                       integer);
   out[3] = convert(word >> (format->alpha_first ? 0 : 30) & 3, 2,
                    format->number, integer);
}

/* Where a component is in memory: of WZYX, WXYZ, ZYXW, XYZW. */
static const uint8_t swaps[4][4] = {
   { 0, 1, 2, 3 },
   { 2, 1, 0, 3 },
   { 1, 2, 3, 0 },
   { 3, 2, 1, 0 },
};

/* What is outside of a buffer reads as 0. */
static bool
fetch_attribute(struct a4xx *chip, unsigned slot, uint32_t element,
                uint32_t out[4])
{
   const uint32_t decode = a4xx_reg(chip, VFD_DECODE + slot);
   const uint32_t fetch = a4xx_reg(chip, VFD_FETCH + slot * 4);
   const uint32_t base = a4xx_reg(chip, VFD_FETCH + slot * 4 + 1);
   const uint32_t size = a4xx_reg(chip, VFD_FETCH + slot * 4 + 2);
   const uint64_t offset = (uint64_t)(fetch >> 7 & 0x3ff) * element;
   const bool integer = decode >> 20 & 1;
   const uint8_t *swap = swaps[decode >> 22 & 3];
   struct attribute_format format;
   if (!get_format(decode >> 6 & 0x3f, &format)) {
      a4xx_diag(chip, A4XX_DIAG_VERTEX_RANGE,
                "attribute %u has the format 0x%02x, which nothing describes",
                slot, decode >> 6 & 0x3f);
      return false;
   }
   uint32_t values[4] = { 0, 0, 0, integer ? 1 : 0x3f800000 };
   if (offset + format.bytes <= size) {
      const uint8_t *data =
         a4xx_memory(chip, base + (uint32_t)offset, format.bytes);
      if (!data) {
         a4xx_diag(chip, A4XX_DIAG_VERTEX_RANGE,
                   "attribute %u of element %u is at 0x%08x, which is no "
                   "memory",
                   slot, element, base + (uint32_t)offset);
         return false;
      }
      unpack(&format, data, integer, values);
   }
   for (unsigned c = 0; c < 4; c++)
      out[c] = format.components == 4 ? values[swap[c]] : values[c];
   return true;
}

bool
vfd_fetch(struct a4xx *chip, struct ir3_wave *wave, unsigned lane,
          const struct draw *draw, unsigned n, uint32_t instance)
{
   const uint32_t control_0 = a4xx_reg(chip, VFD_CONTROL_0);
   const uint32_t control_1 = a4xx_reg(chip, VFD_CONTROL_1);
   const unsigned num = A4XX_MIN(control_0 >> 20 & 0x3f, 32);
   const uint32_t index = draw->indices[n];
   for (unsigned i = 0; i < num; i++) {
      const uint32_t decode = a4xx_reg(chip, VFD_DECODE + i);
      const bool instanced = a4xx_reg(chip, VFD_FETCH + i * 4) >> 20 & 1;
      const uint32_t rate = a4xx_reg(chip, VFD_FETCH + i * 4 + 3) & 0x1ff;
      uint32_t element = index + draw->index_offset;
      uint32_t values[4];
      if (instanced)
         element = instance / A4XX_MAX(rate, 1) + draw->first_instance;
      if (!fetch_attribute(chip, i, element, values))
         return false;
      for (unsigned c = 0; c < 4; c++) {
         if (decode >> c & 1)
            ir3_wave_preload(wave, (decode >> 12 & 0xff) + c, lane,
                             values[c]);
      }
   }
   ir3_wave_preload(wave, control_1 >> 16 & 0xff, lane, index);
   ir3_wave_preload(wave, control_1 >> 24, lane, instance);
   return true;
}

/* --- indices --- */

static uint32_t
read_index(const uint8_t *data, unsigned n, unsigned bytes)
{
   uint32_t index = 0;
   memcpy(&index, data + (size_t)n * bytes, bytes);
   return index;
}

static bool
find_indices(struct a4xx *chip, const struct draw *draw, const uint8_t **data,
             unsigned *bytes)
{
   const unsigned source = DRAW_SOURCE(draw->initiator);
   *data = NULL;
   *bytes = 1u << DRAW_INDEX_SIZE(draw->initiator);
   if (source == DRAW_SOURCE_AUTO)
      return true;
   if (source != DRAW_SOURCE_DMA || *bytes > 4) {
      a4xx_diag(chip, A4XX_DIAG_DRAW_VALUE,
                "initiator 0x%08x: indices from nowhere", draw->initiator);
      return false;
   }
   *data =
      a4xx_memory(chip, draw->index_address, (uint64_t)draw->count * *bytes);
   if (!*data)
      a4xx_diag(chip, A4XX_DIAG_VERTEX_RANGE,
                "%u indices at 0x%08x, which is no memory", draw->count,
                draw->index_address);
   return *data;
}

bool
vfd_read_indices(struct a4xx *chip, struct draw *draw)
{
   const uint8_t *data;
   unsigned bytes;
   bool cut = false;
   if (!find_indices(chip, draw, &data, &bytes))
      return false;
   draw->indices = malloc(((size_t)draw->count + 1) * sizeof(uint32_t));
   draw->cuts = malloc((size_t)draw->count + 1);
   if (!draw->indices || !draw->cuts)
      return false;
   for (unsigned i = 0; i < draw->count; i++) {
      uint32_t index = data ? read_index(data, i, bytes) : i;
      if (data && draw->restart &&
          index == (draw->restart_index & (~0u >> (32 - bytes * 8)))) {
         cut = true;
         continue;
      }
      draw->cuts[draw->num_indices] = cut;
      draw->indices[draw->num_indices++] = index;
      cut = false;
   }
   return true;
}

/* --- vertices that come again --- */

static unsigned
slot_of(uint32_t index, unsigned bits)
{
   return index * 0x9e3779b1u >> (32 - bits);
}

bool
vfd_find_runs(const struct a4xx *chip, struct draw *draw)
{
   const unsigned bits = 33 - __builtin_clz(draw->num_indices | 1);
   const uint32_t mask = (1u << bits) - 1;
   const bool each = chip->options.profile.runs == A4XX_RUNS_EACH ||
                     DRAW_SOURCE(draw->initiator) == DRAW_SOURCE_AUTO;
   uint32_t *table = each ? NULL : calloc((size_t)mask + 1, sizeof(*table));
   draw->runs = malloc(((size_t)draw->num_indices + 1) * sizeof(uint32_t));
   draw->run_of = malloc(((size_t)draw->num_indices + 1) * sizeof(uint32_t));
   if (!draw->runs || !draw->run_of || (!each && !table)) {
      free(table);
      return false;
   }
   for (unsigned i = 0; i < draw->num_indices; i++) {
      unsigned run = draw->num_runs;
      if (!each) {
         const uint32_t index = draw->indices[i];
         unsigned slot = slot_of(index, bits);
         while (table[slot] &&
                draw->indices[draw->runs[table[slot] - 1]] != index)
            slot = (slot + 1) & mask;
         if (table[slot])
            run = table[slot] - 1;
         table[slot] = run + 1;
      }
      if (run == draw->num_runs)
         draw->runs[draw->num_runs++] = i;
      draw->run_of[i] = run;
   }
   free(table);
   return true;
}
