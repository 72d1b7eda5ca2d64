/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The command processor: packets of type 0 write registers, those of type 3
 * are commands, type 2 fills.
 */

#include <string.h>

#include "a4xx_internal.h"

#define MAX_DEPTH 4
#define MAX_DWORDS (1ull << 26) /* of a stream with all of its lists */

enum {
   CP_NOP = 0x10,
   CP_REG_RMW = 0x21,
   CP_WAIT_FOR_IDLE = 0x26,
   CP_DRAW_INDIRECT = 0x28,
   CP_DRAW_INDX_INDIRECT = 0x29,
   CP_SET_CONSTANT = 0x2d,
   CP_SET_BIN_DATA = 0x2f,
   CP_LOAD_STATE4 = 0x30,
   CP_EXEC_CS = 0x33,
   CP_INDIRECT_BUFFER_PFD = 0x37,
   CP_DRAW_INDX_OFFSET = 0x38,
   CP_INVALIDATE_STATE = 0x3b,
   CP_MEM_WRITE = 0x3d,
   CP_REG_TO_MEM = 0x3e,
   CP_INDIRECT_BUFFER = 0x3f,
   CP_EXEC_CS_INDIRECT = 0x41,
   CP_MEM_TO_REG = 0x42,
   CP_SET_DRAW_STATE = 0x43,
   CP_EVENT_WRITE = 0x46,
   CP_SET_BIN = 0x4c,
   CP_MEM_TO_MEM = 0x73,
};

#define CONSTANT_REG 4 /* kind of CP_SET_CONSTANT */
#define EVENT_ZPASS_DONE 21
#define SAMPLE_COUNT_COPY (1u << 1)
#define COUNT_CYCLES 0 /* of CP_PERFCTR_CP_SEL_0 */

struct reg_name {
   uint16_t offset;
   const char *name;
};

static const struct reg_name reg_names[] = {
#include "a4xx_reg_names.h"
};

/* The second context repeats the first one's registers.  Those that a4xx.xml
 * leaves out have their name from their place (docs/adreno.md). */
const char *
a4xx_register_name(unsigned offset)
{
   static const struct reg_name by_place[] = {
      { SP_HS_CTRL_REG1, "SP_HS_CTRL_REG1" },
      { SP_DS_CTRL_REG0, "SP_DS_CTRL_REG0" },
      { SP_DS_CTRL_REG0 + 1, "SP_DS_CTRL_REG1" },
      { 0x2340, "SP_GS_CTRL_REG1" },
      { 0x2311, "SP_HS_PVT_MEM_SIZE" },
   };
   if (offset >= A4XX_CONTEXT_1 && offset < A4XX_CONTEXT_END)
      offset -= A4XX_CONTEXT_1 - A4XX_CONTEXT_0;
   unsigned low = 0, high = A4XX_COUNT(reg_names);
   while (low < high) {
      unsigned middle = (low + high) / 2;
      if (reg_names[middle].offset < offset)
         low = middle + 1;
      else
         high = middle;
   }
   if (low < A4XX_COUNT(reg_names) && reg_names[low].offset == offset)
      return reg_names[low].name;
   for (unsigned i = 0; i < A4XX_COUNT(by_place); i++) {
      if (by_place[i].offset == offset)
         return by_place[i].name;
   }
   return NULL;
}

static bool
broken(struct a4xx *chip)
{
   chip->broken = true;
   return false;
}

static uint32_t *
dwords(struct a4xx *chip, uint32_t address, uint32_t count, const char *what)
{
   uint32_t *p = count > MAX_DWORDS
                    ? NULL
                    : (uint32_t *)a4xx_memory(chip, address, count * 4);
   if (!p || address % 4) {
      a4xx_diag(chip, A4XX_DIAG_PM4_MEMORY,
                "%s: %u dwords at 0x%08x, which is no memory", what, count,
                address);
      broken(chip);
      return NULL;
   }
   return p;
}

/* CP_ME_NRT_DATA: to memory, one dword behind the other. */
static void
store_next(struct a4xx *chip, uint32_t value)
{
   uint32_t *p =
      dwords(chip, a4xx_reg(chip, CP_ME_NRT_ADDR), 1, "CP_ME_NRT_DATA");
   if (p)
      *p = value;
   chip->regs[CP_ME_NRT_ADDR] += 4;
}

static void
write_reg(struct a4xx *chip, unsigned offset, uint32_t value)
{
   if (offset >= A4XX_NUM_REGS || !a4xx_register_name(offset))
      a4xx_diag(chip, A4XX_DIAG_REGISTER,
                "register 0x%04x is written, and nothing names it", offset);
   if (offset >= A4XX_CONTEXT_1 && offset < A4XX_CONTEXT_END)
      a4xx_diag(chip, A4XX_DIAG_CONTEXT,
                "register 0x%04x (%s) is one of the second context, which "
                "the chip changes to by itself",
                offset, a4xx_register_name(offset));
   if (offset >= A4XX_NUM_REGS)
      return;
   chip->regs[offset] = value;
   chip->written[offset / 32] |= 1u << offset % 32;
   if (offset == CP_ME_NRT_DATA)
      store_next(chip, value);
}

/* --- CP_LOAD_STATE4 --- */

#define BLOCK_BUFFERS 14 /* of draws, then of compute */

static void
load_consts(struct a4xx *chip, enum a4xx_stage stage, unsigned vector,
            const uint32_t *data, unsigned count)
{
   unsigned first, size;
   a4xx_const_range(chip, stage, &first, &size);
   if (vector * 4 + count > size)
      a4xx_diag(chip, A4XX_DIAG_CONST_RANGE,
                "%s: vectors %u to %u are loaded, and the stage has %u",
                a4xx_stage_name(stage), vector, vector + count / 4 - 1,
                size / 4);
   for (unsigned i = 0; i < count; i++) {
      if (vector * 4 + i < size)
         chip->consts[first + vector * 4 + i] = data[i];
   }
}

static void
load_program(struct a4xx *chip, enum a4xx_stage stage, unsigned unit,
             const uint32_t *data, unsigned units)
{
   unsigned first = (a4xx_store_unit(chip, stage) + unit) * 16;
   if (first + units * 16 > IR3_STORE) {
      a4xx_diag(chip, A4XX_DIAG_PROGRAM,
                "%s: %u instructions are loaded to %u, and the store has %u",
                a4xx_stage_name(stage), units * 16, first, IR3_STORE);
      broken(chip);
      return;
   }
   for (unsigned i = 0; i < units * 16; i++) {
      uint64_t word = data[i * 2] | (uint64_t)data[i * 2 + 1] << 32;
      ir3_decode(word, &chip->store[first + i]);
   }
}

/* Samplers (type 0) or textures (type 1) of a stage. */
static void
load_textures(struct a4xx *chip, enum a4xx_stage stage, unsigned type,
              unsigned first, const uint32_t *data, unsigned units)
{
   const unsigned max = type ? A4XX_NUM_TEXTURES : A4XX_NUM_SAMPLERS;
   if (first + units > max) {
      a4xx_diag(chip, A4XX_DIAG_TEXTURE,
                "%s: %s %u to %u are loaded, and there are %u",
                a4xx_stage_name(stage), type ? "textures" : "samplers", first,
                first + units - 1, max);
      return;
   }
   if (type)
      memcpy(chip->textures[stage][first], data, units * 32);
   else
      memcpy(chip->samplers[stage][first], data, units * 8);
}

/* Places (type 0) or sizes (type 1) of buffers and images. */
static void
load_buffers(struct a4xx *chip, unsigned group, unsigned type, unsigned first,
             const uint32_t *data, unsigned units)
{
   if (first + units > A4XX_NUM_BUFFERS) {
      a4xx_diag(chip, A4XX_DIAG_CONST_RANGE,
                "buffers %u to %u are loaded, and there are %u", first,
                first + units - 1, A4XX_NUM_BUFFERS);
      return;
   }
   for (unsigned i = 0; i < units; i++) {
      struct a4xx_buffer *buffer = &chip->buffers[group][first + i];
      if (type)
         memcpy(buffer->size, data + i * 2, sizeof(buffer->size));
      else
         memcpy(buffer->place, data + i * 4, sizeof(buffer->place));
   }
}

/* Of a unit of the state: dwords. */
static unsigned
state_size(unsigned block, unsigned type)
{
   if (block < 8)
      return type ? 8 : 2;
   if (block >= BLOCK_BUFFERS)
      return type ? 2 : 4;
   return type ? 4 : 32;
}

static void
load_state(struct a4xx *chip, const uint32_t *body, unsigned count)
{
   if (count < 2) {
      a4xx_diag(chip, A4XX_DIAG_PM4_LENGTH, "CP_LOAD_STATE4 of %u dwords",
                count);
      broken(chip);
      return;
   }
   const unsigned offset = body[0] & 0x3fff, source = body[0] >> 16 & 3;
   const unsigned block = body[0] >> 18 & 15, units = body[0] >> 22;
   const unsigned type = body[1] & 3;
   const uint32_t address = body[1] & ~3u;
   const enum a4xx_stage stage = block & 7;
   if ((stage >= NUM_STAGES && block < BLOCK_BUFFERS) || type > 1)
      return;
   const unsigned size = units * state_size(block, type);
   if (source == 0 && size > count - 2) {
      a4xx_diag(chip, A4XX_DIAG_PM4_LENGTH,
                "CP_LOAD_STATE4 of %u units has %u dwords", units, count - 2);
      broken(chip);
      return;
   }
   const uint32_t *data =
      source == 0 ? body + 2 : dwords(chip, address, size, "CP_LOAD_STATE4");
   if (!data)
      return;
   if (block < 8)
      load_textures(chip, stage, type, offset, data, units);
   else if (block >= BLOCK_BUFFERS)
      load_buffers(chip, block - BLOCK_BUFFERS, type, offset, data, units);
   else if (type)
      load_consts(chip, stage, offset, data, size);
   else
      load_program(chip, stage, offset, data, units);
}

/* --- draws --- */

static void
draw(struct a4xx *chip, uint32_t initiator, uint32_t count,
     uint32_t instances, uint32_t index_address, uint32_t index_bytes,
     uint32_t offset, uint32_t first_instance)
{
   struct draw draw = {
      .initiator = initiator,
      .instances = instances,
      .count = count,
      .index_offset = offset,
      .first_instance = first_instance,
      .index_address = index_address,
      .index_bytes = index_bytes,
      .restart = a4xx_reg(chip, PC_PRIM_VTX_CNTL) >> 20 & 1,
      .restart_index = a4xx_reg(chip, PC_RESTART_INDEX),
   };
   chip->stats.draws++;
   if (chip->options.draw)
      chip->options.draw(chip->options.data, chip->stats.draws);
   draw_run(chip, &draw);
}

static void
draw_direct(struct a4xx *chip, const uint32_t *body, unsigned count)
{
   bool indexed = DRAW_SOURCE(body[0]) == DRAW_SOURCE_DMA;
   if (indexed && count < 6) {
      a4xx_diag(chip, A4XX_DIAG_PM4_LENGTH,
                "CP_DRAW_INDX_OFFSET of %u dwords with indices", count);
      broken(chip);
      return;
   }
   draw(chip, body[0], body[2], body[1], indexed ? body[4] : 0,
        indexed ? body[5] : 0, a4xx_reg(chip, VFD_INDEX_OFFSET),
        a4xx_reg(chip, UNKNOWN_2209));
}

static void
draw_indirect(struct a4xx *chip, const uint32_t *body, bool indexed)
{
   const uint32_t *p =
      dwords(chip, body[indexed ? 3 : 1], indexed ? 5 : 4, "indirect draw");
   if (!p)
      return;
   if (!indexed) {
      draw(chip, body[0], p[0], p[1], 0, 0, p[2], p[3]);
      return;
   }
   uint64_t skip = (uint64_t)p[2] << DRAW_INDEX_SIZE(body[0]);
   draw(chip, body[0], p[0], p[1], body[1] + (uint32_t)skip,
        skip < body[2] ? body[2] - (uint32_t)skip : 0, p[3], p[4]);
}

static void
exec_compute(struct a4xx *chip, const uint32_t num_groups[3])
{
   const uint32_t range = a4xx_reg(chip, HLSQ_CL_NDRANGE_0);
   const uint32_t size[3] = { (range >> 2 & 0x3ff) + 1,
                              (range >> 12 & 0x3ff) + 1, (range >> 22) + 1 };
   compute_run(chip, num_groups, size);
}

/* --- registers and memory --- */

/* The one counter that is modelled: of cycles. */
static void
read_counter(struct a4xx *chip)
{
   const uint32_t selected = a4xx_reg(chip, CP_PERFCTR_CP_SEL_0);
   const uint64_t cycles =
      chip->options.clock ? chip->options.clock(chip->options.data)
                          : chip->stats.instructions + chip->stats.packets;
   if (selected != COUNT_CYCLES)
      a4xx_diag(chip, A4XX_DIAG_UNKNOWN_VALUE,
                "CP_PERFCTR_CP_SEL_0 is %u: cycles are counted", selected);
   chip->regs[RBBM_PERFCTR_CP_0_LO] = (uint32_t)cycles;
   chip->regs[RBBM_PERFCTR_CP_0_HI] = cycles >> 32;
}

static void
reg_to_mem(struct a4xx *chip, const uint32_t *body)
{
   unsigned reg = body[0] & 0xffff, count = body[0] >> 19 & 0x3ff;
   count = A4XX_MAX(count, 1);
   if (reg == RBBM_PERFCTR_CP_0_LO)
      read_counter(chip);
   uint32_t *p = dwords(chip, body[1], count, "CP_REG_TO_MEM");
   for (unsigned i = 0; p && i < count; i++) {
      uint32_t value = a4xx_register(chip, reg + i);
      p[i] = body[0] >> 31 ? p[i] + value : value;
   }
}

static void
mem_to_mem(struct a4xx *chip, const uint32_t *body)
{
   const uint32_t *from = dwords(chip, body[2], 1, "CP_MEM_TO_MEM");
   uint32_t *to = dwords(chip, body[1], 1, "CP_MEM_TO_MEM");
   if (from && to)
      *to = *from;
}

static void
mem_to_reg(struct a4xx *chip, const uint32_t *body)
{
   const uint32_t *p = dwords(chip, body[1] & ~3u, 1, "CP_MEM_TO_REG");
   if (p)
      write_reg(chip, body[0] & 0xffff, *p);
}

static void
mem_write(struct a4xx *chip, const uint32_t *body, unsigned count)
{
   uint32_t *p = dwords(chip, body[0], count - 1, "CP_MEM_WRITE");
   if (p)
      memcpy(p, body + 1, (count - 1) * 4);
}

/* Of events only the one that stores the number of samples does anything
 * here: the rest is about caches and order. */
static void
event(struct a4xx *chip, unsigned number)
{
   const uint32_t control = a4xx_reg(chip, RB_SAMPLE_COUNT_CONTROL);
   if (number != EVENT_ZPASS_DONE || !(control & SAMPLE_COUNT_COPY))
      return;
   uint32_t *p = dwords(chip, control & ~3u, 2, "RB_SAMPLE_COUNT_CONTROL");
   if (p)
      memcpy(p, &chip->stats.samples, 8);
}

/* A register of the pipeline: the sum of another one and a value. */
static void
set_constant(struct a4xx *chip, const uint32_t *body, unsigned count)
{
   if (count >= 3 && body[0] >> 31 && (body[0] >> 16 & 7) == CONSTANT_REG)
      write_reg(chip, A4XX_CONTEXT_0 + (body[0] & 0xffff),
                a4xx_register(chip, body[1] & 0xffff) + body[2]);
}

static void
run_list(struct a4xx *chip, uint32_t address, uint32_t count);

/* Dwords that a command has at least. */
static unsigned
least_dwords(unsigned opcode)
{
   switch (opcode) {
   case CP_DRAW_INDX_OFFSET:
   case CP_REG_RMW:
   case CP_MEM_TO_MEM:
      return 3;
   case CP_EXEC_CS_INDIRECT:
      return 3;
   case CP_DRAW_INDX_INDIRECT:
   case CP_EXEC_CS:
      return 4;
   case CP_DRAW_INDIRECT:
   case CP_INDIRECT_BUFFER:
   case CP_INDIRECT_BUFFER_PFD:
   case CP_REG_TO_MEM:
   case CP_MEM_TO_REG:
   case CP_MEM_WRITE:
      return 2;
   default:
      return 1;
   }
}

static void
command(struct a4xx *chip, unsigned opcode, const uint32_t *body,
        unsigned count)
{
   if (count < least_dwords(opcode)) {
      a4xx_diag(chip, A4XX_DIAG_PM4_LENGTH, "command 0x%02x of %u dwords",
                opcode, count);
      broken(chip);
      return;
   }
   switch (opcode) {
   case CP_INDIRECT_BUFFER:
   case CP_INDIRECT_BUFFER_PFD:
      run_list(chip, body[0], body[1]);
      break;
   case CP_LOAD_STATE4:
      load_state(chip, body, count);
      break;
   case CP_DRAW_INDX_OFFSET:
      draw_direct(chip, body, count);
      break;
   case CP_DRAW_INDIRECT:
   case CP_DRAW_INDX_INDIRECT:
      draw_indirect(chip, body, opcode == CP_DRAW_INDX_INDIRECT);
      break;
   case CP_EXEC_CS:
      exec_compute(chip, body + 1);
      break;
   case CP_EXEC_CS_INDIRECT: {
      const uint32_t *p = dwords(chip, body[1], 3, "CP_EXEC_CS_INDIRECT");
      if (p)
         exec_compute(chip, p);
      break;
   }
   case CP_REG_RMW:
      write_reg(chip, body[0] & 0xffff,
                (a4xx_register(chip, body[0] & 0xffff) & body[1]) | body[2]);
      break;
   case CP_REG_TO_MEM:
      reg_to_mem(chip, body);
      break;
   case CP_MEM_TO_REG:
      mem_to_reg(chip, body);
      break;
   case CP_MEM_TO_MEM:
      mem_to_mem(chip, body);
      break;
   case CP_MEM_WRITE:
      mem_write(chip, body, count);
      break;
   case CP_SET_CONSTANT:
      set_constant(chip, body, count);
      break;
   case CP_EVENT_WRITE:
      event(chip, body[0] & 0xff);
      break;
   /* Everything is done in order. */
   case CP_NOP:
   case CP_WAIT_FOR_IDLE:
   case CP_INVALIDATE_STATE:
   case CP_SET_DRAW_STATE:
   case CP_SET_BIN:
   case CP_SET_BIN_DATA:
      break;
   default:
      a4xx_diag(chip, A4XX_DIAG_PM4_PACKET, "command 0x%02x is not modelled",
                opcode);
      broken(chip);
   }
}

/* Dwords that a packet takes, or 0 when it is broken. */
static unsigned
packet(struct a4xx *chip, const uint32_t *words, unsigned left)
{
   const uint32_t header = words[0];
   const unsigned type = header >> 30;
   if (type == 2)
      return 1;
   const unsigned count = (header >> 16 & 0x3fff) + 1;
   if (type == 1 || count >= left) {
      a4xx_diag(chip, type == 1 ? A4XX_DIAG_PM4_PACKET : A4XX_DIAG_PM4_LENGTH,
                "packet 0x%08x with %u dwords left", header, left - 1);
      return 0;
   }
   chip->stats.packets++;
   if (type == 3) {
      command(chip, header >> 8 & 0xff, words + 1, count);
   } else {
      for (unsigned i = 0; i < count; i++)
         write_reg(chip, (header & 0x7fff) + i, words[1 + i]);
   }
   return chip->broken ? 0 : count + 1;
}

static void
run_list(struct a4xx *chip, uint32_t address, uint32_t count)
{
   const uint32_t *words = dwords(chip, address, count, "list");
   if (!words)
      return;
   if (chip->depth >= MAX_DEPTH || count > chip->budget) {
      a4xx_diag(chip, A4XX_DIAG_PM4_LENGTH,
                "a list of %u dwords in list %u, %llu are left", count,
                chip->depth, (unsigned long long)chip->budget);
      broken(chip);
      return;
   }
   chip->budget -= count;
   chip->depth++;
   for (uint32_t at = 0; at < count;) {
      unsigned used = packet(chip, words + at, count - at);
      if (!used) {
         broken(chip);
         break;
      }
      at += used;
   }
   chip->depth--;
}

bool
a4xx_submit(struct a4xx *chip, uint32_t address, uint32_t count)
{
   for (unsigned i = 0; i < A4XX_COUNT(chip->reported); i++)
      atomic_store(&chip->reported[i], 0);
   chip->broken = false;
   chip->depth = 0;
   chip->budget = MAX_DWORDS;
   chip->stats.submits++;
   run_list(chip, address, count);
   return !chip->broken;
}
