/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Vertex pipe memory: rows of sixteen words, that programs read and write a
 * vector at a time, and that a DMA engine moves from and to memory.
 *
 * An access is horizontal (lane i is column i) or vertical (lane i is row i);
 * of words, half-words or bytes; those packed (sixteen neighbours) or laned
 * (one part of each of sixteen words).  The address field is, from its lowest
 * bit: the part or block (B or H) of what is smaller than a word, for
 * vertical ones X, then Y, of which vertical ones have the upper bits only.
 */

#include <string.h>

#include "v3d_internal.h"

static unsigned
field(uint32_t word, unsigned shift, unsigned bits)
{
   return word >> shift & ((1u << bits) - 1);
}

/* Of a field in which 0 is the largest. */
static unsigned
count_field(uint32_t word, unsigned shift, unsigned bits)
{
   unsigned value = field(word, shift, bits);
   return value ? value : 1u << bits;
}

void
vpm_write_setup(struct vpm *vpm, uint32_t word, bool store)
{
   struct vpm_setup setup = {
      .address = field(word, 0, 8),
      .size = field(word, 8, 2),
      .laned = field(word, 10, 1),
      .horizontal = field(word, 11, 1),
      .stride = count_field(word, 12, 6),
      .num = count_field(word, 20, 4),
   };
   if (store) {
      switch (word >> 30) {
      case 0:
         vpm->write = setup;
         break;
      case 2:
         vpm->store_setup = word;
         break;
      case 3:
         vpm->store_stride = word;
         break;
      }
      return;
   }
   if (word >> 28 == 9) {
      vpm->load_pitch = word;
   } else if (word >> 31) {
      vpm->load_setup = word;
   } else if (word >> 30 == 0 && vpm->num_reads < V3D_COUNT(vpm->reads)) {
      unsigned slot =
         (vpm->first_read + vpm->num_reads++) % V3D_COUNT(vpm->reads);
      vpm->reads[slot] = setup;
   }
}

/* The row, column and bit where a lane's part begins. */
static void
locate(const struct vpm_setup *setup, unsigned lane, unsigned *row,
       unsigned *column, unsigned *shift)
{
   const unsigned size = V3D_MIN(setup->size, 2);
   const unsigned sub_bits = 2 - size; /* of B or H */
   const unsigned bits = 8 << size;    /* of a part */
   const unsigned per_word = 1u << sub_bits;
   unsigned sub = setup->address & (per_word - 1);
   unsigned rest = setup->address >> sub_bits;
   unsigned along; /* words from the start */

   if (size == 2) {
      along = lane;
      *shift = 0;
   } else if (setup->laned) {
      along = lane;
      *shift = sub * bits;
   } else {
      unsigned part = lane % per_word;
      along = sub * (QPU_LANES / per_word) + lane / per_word;
      *shift = part * bits;
   }
   if (setup->horizontal) {
      *row = rest % VPM_ROWS;
      *column = along;
   } else {
      *row = ((rest >> 4 & 3) * 16 + along) % VPM_ROWS;
      *column = rest & 15;
   }
}

bool
vpm_read(struct vpm *vpm, qpu_u *value)
{
   if (!vpm->num_reads) {
      *value = (qpu_u){ 0 };
      return false;
   }
   struct vpm_setup *setup = &vpm->reads[vpm->first_read];
   if (setup->size >= 2 && setup->horizontal) {
      memcpy(value, vpm->read_rows[setup->address % VPM_ROWS],
             sizeof(*value));
   } else {
      uint32_t mask = setup->size >= 2 ? ~0u : (1u << (8 << setup->size)) - 1;
      for (unsigned lane = 0; lane < QPU_LANES; lane++) {
         unsigned row, column, shift;
         locate(setup, lane, &row, &column, &shift);
         (*value)[lane] = vpm->read_rows[row][column] >> shift & mask;
      }
   }
   setup->address += setup->stride;
   if (--setup->num == 0) {
      vpm->first_read = (vpm->first_read + 1) % V3D_COUNT(vpm->reads);
      vpm->num_reads--;
   }
   return true;
}

void
vpm_write(struct vpm *vpm, const qpu_u *value, const qpu_u *enabled)
{
   struct vpm_setup *setup = &vpm->write;
   uint32_t mask = setup->size >= 2 ? ~0u : (1u << (8 << setup->size)) - 1;
   for (unsigned lane = 0; lane < QPU_LANES; lane++) {
      if (!(*enabled)[lane])
         continue;
      unsigned row, column, shift;
      locate(setup, lane, &row, &column, &shift);
      uint32_t *word = &vpm->write_rows[row][column];
      *word = (*word & ~(mask << shift)) | ((*value)[lane] & mask) << shift;
   }
   setup->address += setup->stride;
   vpm->rows_written++;
}

/* --- DMA --- */

/* One row of a transfer: size 0 words, 1 half-words, 2 bytes, beginning at a
 * part of a word. */
struct dma_row {
   unsigned x, y, part, length;
   bool horizontal;
   unsigned bytes; /* of an element */
};

static void
move_row(uint32_t rows[][QPU_LANES], const struct dma_row *row, uint8_t *cpu,
         bool store)
{
   for (unsigned i = 0; i < row->length; i++) {
      unsigned x = row->x, y = row->y;
      *(row->horizontal ? &x : &y) += i;
      uint32_t *word = &rows[y % VPM_ROWS][x % QPU_LANES];
      unsigned shift = row->part * row->bytes * 8 % 32;
      uint32_t mask = row->bytes == 4 ? ~0u : (1u << row->bytes * 8) - 1;
      uint32_t part = *word >> shift & mask;
      if (store) {
         memcpy(cpu + i * row->bytes, &part, row->bytes);
      } else {
         part = 0;
         memcpy(&part, cpu + i * row->bytes, row->bytes);
         *word = (*word & ~(mask << shift)) | part << shift;
      }
   }
}

/* MODEW: 0 words, 2 and 3 half-words, 4 to 7 bytes. */
static void
set_mode(struct dma_row *row, unsigned mode)
{
   row->bytes = mode >= 4 ? 1 : mode >= 2 ? 2 : 4;
   row->part = mode >= 4 ? mode & 3 : mode >= 2 ? mode & 1 : 0;
}

bool
vpm_dma(struct v3d *v3d, struct vpm *vpm, uint32_t address, bool store)
{
   struct dma_row row = { 0 };
   unsigned rows, pitch, step;
   if (store) {
      uint32_t setup = vpm->store_setup;
      set_mode(&row, field(setup, 0, 3));
      row.x = field(setup, 3, 4);
      row.y = field(setup, 7, 7);
      row.horizontal = field(setup, 14, 1);
      row.length = count_field(setup, 16, 7);
      rows = count_field(setup, 23, 7);
      pitch = row.length * row.bytes + field(vpm->store_stride, 0, 13);
      step = 1;
   } else {
      uint32_t setup = vpm->load_setup;
      set_mode(&row, field(setup, 28, 3));
      row.x = field(setup, 0, 4);
      row.y = field(setup, 4, 7);
      row.horizontal = !field(setup, 11, 1);
      step = count_field(setup, 12, 4);
      rows = count_field(setup, 16, 4);
      row.length = count_field(setup, 20, 4);
      unsigned mpitch = field(setup, 24, 4);
      pitch = mpitch ? 8u << mpitch : field(vpm->load_pitch, 0, 13);
   }
   for (unsigned i = 0; i < rows; i++) {
      uint8_t *cpu = v3d_memory(v3d, address, row.length * row.bytes);
      if (!cpu) {
         v3d_diag(v3d, V3D_DIAG_DMA_RANGE,
                  "VPM DMA %s 0x%08x, which is no memory",
                  store ? "writes" : "reads", address);
         return false;
      }
      uint32_t(*vpm_rows)[QPU_LANES] =
         store ? vpm->write_rows : vpm->read_rows;
      move_row(vpm_rows, &row, cpu, store);
      *(row.horizontal ? &row.y : &row.x) += step;
      address += pitch;
   }
   return true;
}
