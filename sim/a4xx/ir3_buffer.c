/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Buffers and images by their number, and atomics.  An instruction brings
 * both the address of an access and where in the buffer or image it is, in
 * dwords or coordinates: those decide whether it is there at all.
 */

#include <string.h>

#include "util/format/u_format.h"
#include "util/half_float.h"

#include "a4xx_internal.h"
#include "numbers.h"
#include "raster.h"

/* Which operands are the place in the buffer, its address and the data; loads
 * have no data. */
struct roles {
   uint8_t place, address, data;
};

static struct roles
roles_of(const struct ir3_instr *instr)
{
   if (ir3_is_atomic(instr->op))
      return (struct roles){ 1, 2, 0 };
   if (instr->num_sources == 3)
      return (struct roles){ 1, 2, 0 };
   return (struct roles){ 1, 0, 0 };
}

unsigned
ir3_buffer_operand_size(const struct ir3_instr *instr, unsigned i)
{
   const unsigned data = instr->op == IR3_ATOMIC_CMPXCHG ? 2
                         : ir3_is_atomic(instr->op)      ? 1
                                                         : instr->size;
   if (instr->local)
      return i == 1 ? data : 1;
   const struct roles roles = roles_of(instr);
   if (i == roles.place)
      return instr->dimensions == 4 ? 1 : instr->dimensions;
   return i == roles.address ? 1 : data;
}

static uint32_t
operand(const struct ir3_wave *wave, const struct ir3_source *src,
        unsigned component, unsigned lane)
{
   return src->kind == IR3_SRC_IMMEDIATE
             ? src->immediate
             : wave->full[src->num + component][lane];
}

static bool
operands_exist(const struct ir3_instr *instr)
{
   bool good = instr->dst + instr->size <= IR3_REGS;
   for (unsigned i = 0; i < instr->num_sources - instr->local; i++)
      good &=
         instr->src[i].kind == IR3_SRC_IMMEDIATE ||
         instr->src[i].num + ir3_buffer_operand_size(instr, i) <= IR3_REGS;
   return good;
}

/* --- atomics --- */

static uint32_t
combine(unsigned op, bool is_signed, uint32_t old, uint32_t data,
        uint32_t compare)
{
   const bool less = is_signed ? (int32_t)data < (int32_t)old : data < old;
   switch (op) {
   case IR3_ATOMIC_ADD:
      return old + data;
   case IR3_ATOMIC_SUB:
      return old - data;
   case IR3_ATOMIC_XCHG:
      return data;
   case IR3_ATOMIC_INC:
      return old + 1;
   case IR3_ATOMIC_DEC:
      return old - 1;
   case IR3_ATOMIC_CMPXCHG:
      return old == compare ? data : old;
   case IR3_ATOMIC_MIN:
      return less ? data : old;
   case IR3_ATOMIC_MAX:
      return less ? old : data;
   case IR3_ATOMIC_AND:
      return old & data;
   case IR3_ATOMIC_OR:
      return old | data;
   default:
      return old ^ data;
   }
}

/* Threads may be at the same word. */
static void
do_atomic(struct ir3_wave *wave, const struct ir3_instr *instr, unsigned lane,
          const struct ir3_source *src, uint32_t *word)
{
   const uint32_t data = operand(wave, src, 0, lane);
   const uint32_t compare =
      instr->op == IR3_ATOMIC_CMPXCHG ? operand(wave, src, 1, lane) : 0;
   uint32_t old = __atomic_load_n(word, __ATOMIC_RELAXED), new;
   do
      new = combine(instr->op, instr->type == IR3_S32, old, data, compare);
   while (!__atomic_compare_exchange_n(word, &old, new, false,
                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED));
   wave->full[instr->dst][lane] = old;
}

static bool
local_atomic(struct ir3_wave *wave, const struct ir3_instr *instr,
             unsigned lane)
{
   const uint32_t address = operand(wave, &instr->src[0], 0, lane);
   if (address % 4 || address / 4 >= wave->local.words_each) {
      a4xx_diag(wave->chip, A4XX_DIAG_MEMORY_RANGE,
                "%s: instruction %u takes byte %u of local memory, which "
                "has %u",
                wave->stage, wave->pc, address, wave->local.words_each * 4);
      return false;
   }
   do_atomic(wave, instr, lane, &instr->src[1],
             &wave->local.words[address / 4]);
   return true;
}

/* --- buffers and images --- */

static const struct a4xx_buffer *
find_buffer(const struct ir3_wave *wave, const struct ir3_instr *instr,
            unsigned lane)
{
   const unsigned number = instr->binding_immediate
                              ? instr->binding
                              : wave->full[instr->binding % IR3_REGS][lane];
   return &wave->buffers[number % A4XX_NUM_BUFFERS];
}

static uint32_t
num_dwords(const struct a4xx_buffer *buffer)
{
   return buffer->size[0] >> 16 | buffer->size[1] << 16;
}

/* Components from there on that exist. */
static unsigned
components_there(const struct ir3_wave *wave, const struct ir3_instr *instr,
                 unsigned lane, const struct a4xx_buffer *buffer)
{
   const struct ir3_source *place = &instr->src[roles_of(instr).place];
   const uint32_t x = operand(wave, place, 0, lane);
   const uint32_t width = buffer->size[0] >> 16;
   const uint32_t height = buffer->size[1] & 0xffff;
   const uint32_t depth = buffer->size[1] >> 16;
   if (instr->dimensions == 4) {
      const uint32_t size = num_dwords(buffer);
      return x < size ? A4XX_MIN(size - x, instr->size) : 0;
   }
   /* Without a depth it is a buffer, and has a long row. */
   bool there = x < (depth ? width : num_dwords(buffer));
   /* Layers of 1D arrays are the second coordinate. */
   if (instr->dimensions > 1)
      there &= operand(wave, place, 1, lane) <
               A4XX_MAX(height, instr->dimensions == 2 ? depth : 1);
   if (instr->dimensions > 2)
      there &= operand(wave, place, 2, lane) < depth;
   return there ? instr->size : 0;
}

/* A texel of a stib. */
static void
pack_texel(const struct ir3_wave *wave, const struct ir3_instr *instr,
           unsigned lane, enum pipe_format format, uint8_t *memory)
{
   const struct ir3_source *src = &instr->src[0];
   uint32_t color[4] = { 0 };
   for (unsigned c = 0; c < instr->size; c++) {
      if (!ir3_memory_type_is_half(instr->type))
         color[c] = wave->full[src->num + c][lane];
      else if (instr->type == IR3_F16)
         color[c] =
            sim_float_bits(ir3_half_to_float(wave->half[src->num + c][lane]));
      else
         color[c] = instr->type == IR3_S16
                       ? (uint32_t)(int16_t)wave->half[src->num + c][lane]
                       : wave->half[src->num + c][lane] & 0xffff;
   }
   util_format_pack_rgba(format, memory, color, 1);
}

static bool
no_memory(struct ir3_wave *wave, uint32_t address)
{
   a4xx_diag(wave->chip, A4XX_DIAG_MEMORY_RANGE,
             "%s: instruction %u takes 0x%08x, which is no memory",
             wave->stage, wave->pc, address);
   return false;
}

static bool
store_texel(struct ir3_wave *wave, const struct ir3_instr *instr,
            unsigned lane, const struct a4xx_buffer *buffer, uint32_t address)
{
   const enum pipe_format format = rb_format(buffer->size[0] >> 8 & 0xff, 0);
   uint8_t *memory =
      a4xx_memory(wave->chip, address, util_format_get_blocksize(format));
   if (format == PIPE_FORMAT_NONE || !memory)
      return no_memory(wave, address);
   pack_texel(wave, instr, lane, format, memory);
   return true;
}

static bool
access_dwords(struct ir3_wave *wave, const struct ir3_instr *instr,
              unsigned lane, uint32_t address, unsigned count)
{
   uint32_t *words = (uint32_t *)a4xx_memory(wave->chip, address, count * 4);
   if (!words || address % 4)
      return no_memory(wave, address);
   if (ir3_is_atomic(instr->op)) {
      do_atomic(wave, instr, lane, &instr->src[0], words);
   } else if (instr->op == IR3_LDGB) {
      for (unsigned c = 0; c < count; c++)
         wave->full[instr->dst + c][lane] = words[c];
   } else {
      for (unsigned c = 0; c < count; c++)
         words[c] = operand(wave, &instr->src[0], c, lane);
   }
   return true;
}

/* What is not there reads as zero and is not written. */
static bool
access_lane(struct ir3_wave *wave, const struct ir3_instr *instr,
            unsigned lane)
{
   const struct a4xx_buffer *buffer = find_buffer(wave, instr, lane);
   if (instr->op == IR3_RESINFO) {
      wave->full[instr->dst][lane] = num_dwords(buffer);
      return true;
   }
   const struct roles roles = roles_of(instr);
   const unsigned count = components_there(wave, instr, lane, buffer);
   const uint32_t address =
      operand(wave, &instr->src[roles.address], 0, lane);
   if (instr->op == IR3_LDGB) {
      for (unsigned c = 0; c < instr->size; c++)
         wave->full[instr->dst + c][lane] = 0;
   } else if (ir3_is_atomic(instr->op)) {
      wave->full[instr->dst][lane] = 0;
   }
   if (!count)
      return true;
   return instr->op == IR3_STIB
             ? store_texel(wave, instr, lane, buffer, address)
             : access_dwords(wave, instr, lane, address, count);
}

bool
ir3_access_buffer(struct ir3_wave *wave, const struct ir3_instr *instr)
{
   /* Helpers of a quad leave nothing in memory. */
   const uint32_t lanes =
      instr->op == IR3_LDGB ? wave->running : wave->running & ~wave->helpers;
   if ((!instr->local && !wave->buffers) || !operands_exist(instr)) {
      a4xx_diag(wave->chip, A4XX_DIAG_INSTRUCTION,
                "%s: instruction %u (%s) has no buffers or registers here",
                wave->stage, wave->pc, ir3_op_name(instr->op));
      return false;
   }
   for (unsigned lane = 0; lane < IR3_LANES; lane++) {
      if ((lanes >> lane & 1) &&
          !(instr->local ? local_atomic(wave, instr, lane)
                         : access_lane(wave, instr, lane)))
         return false;
   }
   return true;
}
