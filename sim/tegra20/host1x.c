/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The host1x channel: command words -> register writes of a class
 * (gr3d-registers.md 1, kernel-interface.md 4).
 *
 * Work is finished when the register write that starts it returns, so every
 * sync point condition holds at once, and a wait that is not satisfied when
 * it is met can never be, unless somebody outside raises sync points, too.
 */

#include <string.h>

#include "sim_internal.h"
#include "tegra20/host1x_regs.h"

#define MAX_GATHER_DEPTH 1

static bool
execute_words(struct sim *sim, const uint8_t *words, uint32_t count,
              unsigned depth);

static uint32_t
word_at(const uint8_t *words, uint32_t index)
{
   uint32_t word;
   memcpy(&word, words + 4 * (size_t)index, 4);
   return word;
}

static void
raise_syncpt(struct sim *sim, uint32_t value)
{
   unsigned index = value & 0xff, condition = (value >> 8) & 0xff;
   if (index >= SIM_NUM_SYNCPTS) {
      sim_report(sim, SIM_DIAG_HOST1X_SYNCPT, 0, -1,
                 "INCR_SYNCPT 0x%x names sync point %u; there are %u", value,
                 index, SIM_NUM_SYNCPTS);
      return;
   }
   if (condition > HOST1X_CONDITION_WR_SAFE)
      sim_report(sim, SIM_DIAG_HOST1X_SYNCPT, 0, -1,
                 "INCR_SYNCPT 0x%x: unknown condition %u", value, condition);
   const struct sim_syncpts *outside = sim->options.syncpts;
   if (outside)
      sim->syncpt[index] = outside->raise(outside->data, index);
   else
      sim->syncpt[index]++;
   if (condition == HOST1X_CONDITION_OP_DONE)
      sim_overlap_asked(sim->overlap, index, sim->syncpt[index]);
   sim->raised = true;
}

void
sim_wait_outside(struct sim *sim, unsigned index, uint32_t threshold)
{
   const struct sim_syncpts *syncpts = sim->options.syncpts;
   if (!syncpts->wait(syncpts->data, index, threshold))
      sim->hang = true;
}

/* The hardware compares 24 bits (kernel-interface.md 2.7). */
static void
wait_syncpt(struct sim *sim, unsigned index, uint32_t threshold)
{
   if (index >= SIM_NUM_SYNCPTS) {
      sim_hang(sim, SIM_DIAG_HOST1X_SYNCPT, SIM_NO_REG, -1,
               "wait for sync point %u, which does not exist", index);
      return;
   }
   if (sim->options.syncpts) {
      sim_wait_outside(sim, index, threshold);
      return;
   }
   uint32_t behind = (sim->syncpt[index] - threshold) & 0xffffff;
   if (behind & 0x800000)
      sim_hang(
         sim, SIM_DIAG_HOST1X_WAIT, SIM_NO_REG, -1,
         "in-stream wait for sync point %u to reach 0x%06x, but it is 0x%06x",
         index, threshold & 0xffffff, sim->syncpt[index] & 0xffffff);
}

static uint32_t *
wait_base(struct sim *sim, unsigned index)
{
   if (index < SIM_NUM_WAIT_BASES)
      return &sim->wait_base[index];
   sim_report(sim, SIM_DIAG_HOST1X_SYNCPT, SIM_NO_REG, -1,
              "wait base %u does not exist", index);
   return NULL;
}

static void
host1x_method(struct sim *sim, uint32_t offset, uint32_t value)
{
   uint32_t *base;
   switch (offset) {
   case HOST1X_INCR_SYNCPT:
      raise_syncpt(sim, value);
      break;
   case HOST1X_WAIT_SYNCPT:
      sim_overlap_waited(sim->overlap, value >> 24, value & 0xffffff);
      wait_syncpt(sim, value >> 24, value & 0xffffff);
      break;
   case HOST1X_WAIT_SYNCPT_BASE:
      base = wait_base(sim, (value >> 16) & 0xff);
      if (base) {
         sim_overlap_waited(sim->overlap, value >> 24,
                            *base + (value & 0xffff));
         wait_syncpt(sim, value >> 24, *base + (value & 0xffff));
      }
      break;
   case HOST1X_WAIT_SYNCPT_INCR:
      sim_hang(sim, SIM_DIAG_HOST1X_WAIT, offset, -1,
               "WAIT_SYNCPT_INCR for sync point %u: all earlier work is "
               "done, no increment can follow",
               value >> 24);
      break;
   case HOST1X_LOAD_SYNCPT_BASE:
      base = wait_base(sim, value >> 24);
      if (base)
         *base = value & 0xffffff;
      break;
   case HOST1X_INCR_SYNCPT_BASE:
      base = wait_base(sim, value >> 24);
      if (base)
         *base += value & 0xffffff;
      break;
   case HOST1X_DELAY_USEC:
      break;
   default:
      sim_report(sim, SIM_DIAG_HOST1X_METHOD, offset, -1,
                 "method 0x%03x of class 0x01 is not simulated", offset);
   }
}

static void
register_write(struct sim *sim, uint32_t offset, uint32_t value)
{
   offset &= 0xfff;
   switch (sim->class_id) {
   case HOST1X_CLASS_HOST1X:
      host1x_method(sim, offset, value);
      break;
   case HOST1X_CLASS_GR3D:
      if (offset == 0)
         raise_syncpt(sim, value);
      else
         gr3d_write(&sim->gr3d, offset, value);
      break;
   case HOST1X_CLASS_GR2D:
   case HOST1X_CLASS_GR2D_SB:
      if (offset == 0)
         raise_syncpt(sim, value);
      else
         gr2d_write(&sim->gr2d, sim->class_id, offset, value);
      break;
   default:
      sim_report(
         sim, SIM_DIAG_HOST1X_CLASS, offset, -1,
         "write to register 0x%03x of class 0x%02x, which is not simulated",
         offset, sim->class_id);
   }
}

/* One data word for each set bit of mask; returns the number of words used.
 */
static uint32_t
masked_writes(struct sim *sim, uint32_t offset, uint32_t mask,
              const uint8_t *words, uint32_t count)
{
   uint32_t used = 0;
   for (unsigned bit = 0; bit < 16 && !sim->hang; bit++) {
      if (!(mask & 1u << bit))
         continue;
      if (used == count)
         break;
      register_write(sim, offset + bit, word_at(words, used++));
   }
   return used;
}

static void
gather_opcode(struct sim *sim, uint32_t opcode, uint32_t address,
              unsigned depth)
{
   uint32_t offset = (opcode >> 16) & 0xfff, count = opcode & 0x3fff;
   bool insert = opcode & 0x8000, increment = opcode & 0x4000;
   if (depth + 1 > MAX_GATHER_DEPTH) {
      sim_report(sim, SIM_DIAG_HOST1X_OPCODE, SIM_NO_REG, -1,
                 "GATHER inside a gathered buffer");
      return;
   }
   if (!count)
      return;
   const uint8_t *words = sim_memory_at(sim, address, 4 * count, "GATHER");
   if (!words)
      return;
   if (!insert) {
      execute_words(sim, words, count, depth + 1);
      return;
   }
   for (uint32_t i = 0; i < count && !sim->hang; i++)
      register_write(sim, increment ? offset + i : offset, word_at(words, i));
}

static uint32_t
popcount(uint32_t v)
{
   return (uint32_t)__builtin_popcount(v);
}

/* Words of data that follow an opcode word. */
static uint32_t
data_words(uint32_t opcode)
{
   switch (opcode >> 28) {
   case HOST1X_OPCODE_SETCL:
      return popcount(opcode & 0x3f);
   case HOST1X_OPCODE_INCR:
   case HOST1X_OPCODE_NONINCR:
      return opcode & 0xffff;
   case HOST1X_OPCODE_MASK:
      return popcount(opcode & 0xffff);
   case HOST1X_OPCODE_GATHER:
      return 1;
   default:
      return 0;
   }
}

static bool
execute_words(struct sim *sim, const uint8_t *words, uint32_t count,
              unsigned depth)
{
   uint32_t pos = 0;
   sim->stats.words += count;
   while (pos < count && !sim->hang) {
      uint32_t opcode = word_at(words, pos++);
      uint32_t offset = (opcode >> 16) & 0xfff;
      uint32_t left = count - pos, data = data_words(opcode);
      const uint8_t *payload = words + 4 * (size_t)pos;
      if (data > left) {
         sim_report(
            sim, SIM_DIAG_HOST1X_TRUNCATED, offset, -1,
            "opcode word 0x%08x wants %u data words, the gather has %u",
            opcode, data, left);
         data = left;
      }
      switch (opcode >> 28) {
      case HOST1X_OPCODE_SETCL:
         sim->class_id = (opcode >> 6) & 0x3ff;
         masked_writes(sim, offset, opcode & 0x3f, payload, data);
         break;
      case HOST1X_OPCODE_INCR:
         for (uint32_t i = 0; i < data && !sim->hang; i++)
            register_write(sim, offset + i, word_at(payload, i));
         break;
      case HOST1X_OPCODE_NONINCR:
         for (uint32_t i = 0; i < data && !sim->hang; i++)
            register_write(sim, offset, word_at(payload, i));
         break;
      case HOST1X_OPCODE_MASK:
         masked_writes(sim, offset, opcode & 0xffff, payload, data);
         break;
      case HOST1X_OPCODE_IMM:
         register_write(sim, offset, opcode & 0xffff);
         break;
      case HOST1X_OPCODE_GATHER:
         if (data)
            gather_opcode(sim, opcode, word_at(payload, 0), depth);
         break;
      case HOST1X_OPCODE_RESTART:
         sim_report(sim, SIM_DIAG_HOST1X_OPCODE, SIM_NO_REG, -1,
                    "RESTART inside a gather: only the kernel's ring may use "
                    "it; the gather ends here");
         return !sim->hang;
      case HOST1X_OPCODE_EXTEND:
      case HOST1X_OPCODE_CHDONE:
         sim_report(sim, SIM_DIAG_HOST1X_OPCODE, SIM_NO_REG, -1,
                    "opcode word 0x%08x: not for user streams, ignored",
                    opcode);
         break;
      default:
         sim_report(sim, SIM_DIAG_HOST1X_OPCODE, SIM_NO_REG, -1,
                    "opcode word 0x%08x: unknown opcode %u, ignored", opcode,
                    opcode >> 28);
      }
      pos += data;
   }
   return !sim->hang;
}

bool
host1x_gather(struct sim *sim, const uint32_t *words, uint32_t count)
{
   return execute_words(sim, (const uint8_t *)words, count, 0);
}
