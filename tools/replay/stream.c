/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The opcodes of the command stream (gr3d-registers.md 1.1).
 */

#include "tegra20/host1x_stream.h"

#include "replay.h"

struct walk {
   const uint32_t *words;
   unsigned count, index;
   const struct stream_handler *handler;
};

static bool
data_word(struct walk *walk, uint32_t class_id, uint32_t offset)
{
   if (walk->index == walk->count)
      return false;
   walk->handler->write(walk->handler->data, class_id, offset,
                        walk->words[walk->index], walk->index);
   walk->index++;
   return true;
}

static bool
masked(struct walk *walk, uint32_t class_id, uint32_t offset, uint32_t mask)
{
   for (; mask; mask >>= 1, offset++) {
      if (mask & 1 && !data_word(walk, class_id, offset))
         return false;
   }
   return true;
}

bool
stream_walk(const uint32_t *words, unsigned count, uint32_t *class_id,
            const struct stream_handler *handler)
{
   struct walk walk = { words, count, 0, handler };
   bool ok = true;
   while (walk.index < count && ok) {
      uint32_t word = words[walk.index];
      uint32_t offset = word >> 16 & 0xfff;
      if (handler->opcode)
         handler->opcode(handler->data, word, walk.index);
      walk.index++;
      switch (word >> 28) {
      case HOST1X_OPCODE_SETCL:
         *class_id = word >> 6 & 0x3ff;
         ok = masked(&walk, *class_id, offset, word & 0x3f);
         break;
      case HOST1X_OPCODE_INCR:
         for (unsigned i = 0; i < (word & 0xffff) && ok; i++)
            ok = data_word(&walk, *class_id, offset + i);
         break;
      case HOST1X_OPCODE_NONINCR:
         for (unsigned i = 0; i < (word & 0xffff) && ok; i++)
            ok = data_word(&walk, *class_id, offset);
         break;
      case HOST1X_OPCODE_MASK:
         ok = masked(&walk, *class_id, offset, word & 0xffff);
         break;
      case HOST1X_OPCODE_IMM:
         handler->write(handler->data, *class_id, offset, word & 0xffff,
                        walk.index - 1);
         break;
      default:
         break; /* one word, whatever it is */
      }
   }
   return ok;
}
