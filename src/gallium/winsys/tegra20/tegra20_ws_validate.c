/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * TEGRA20_DEBUG=validate: checks every stream before it is submitted, by the
 * rules of the kernel (kernel-interface.md 4) and stricter ones of ours: each
 * word for an address register has a relocation, each relocation belongs to
 * such a word and starts inside its buffer, and the stream raises its sync
 * point as often as it says.  On a machine without an IOMMU the alternative
 * is to find out by corrupted memory.
 */

#include <errno.h>

#include "tegra20/host1x_stream.h"

#include "tegra20_ws_internal.h"

struct validator {
   const struct ws_submission *s;
   uint32_t class_id;
   unsigned word, end; /* in the stream */
   unsigned reloc;     /* next one, in stream order */
   unsigned increments;
   const char *error;
};

bool
ws_validate_enabled(void)
{
   return ws_debug_flag("validate");
}

static bool
is_address(uint32_t class_id, unsigned reg)
{
   if (class_id == HOST1X_CLASS_GR3D)
      return (reg >= 0x100 && reg <= 0x11e && reg % 2 == 0) || reg == 0x121 ||
             reg == 0x415 || reg == 0x417 || reg == 0x419 ||
             (reg >= 0x710 && reg <= 0x71f) || reg == 0x904 ||
             (reg >= 0xe00 && reg <= 0xe0f) || reg == 0xe2a ||
             (reg >= 0xe30 && reg <= 0xe3f) || (reg >= 0xe50 && reg <= 0xe6f);
   return reg == 0x1a || reg == 0x1b || reg == 0x26 ||
          (reg >= 0x2b && reg <= 0x2d) || reg == 0x31 || reg == 0x32 ||
          (reg >= 0x47 && reg <= 0x4c);
}

static bool
fail(struct validator *v, const char *error)
{
   v->error = error;
   return false;
}

static void
count_increment(struct validator *v, unsigned reg, uint32_t value)
{
   if (reg == 0 && (value & 0xff) == v->s->syncpt)
      v->increments++;
}

static bool
check_write(struct validator *v, unsigned reg)
{
   if (v->word == v->end)
      return fail(v, "a packet does not end in its gather");
   bool has_reloc =
      v->reloc < v->s->num_relocs && v->s->relocs[v->reloc].word == v->word;
   if (is_address(v->class_id, reg) != has_reloc)
      return fail(v, has_reloc
                        ? "a relocation for a register that takes no address"
                        : "an address register without a relocation");
   if (has_reloc) {
      const struct ws_reloc *reloc = &v->s->relocs[v->reloc++];
      if (reloc->offset >= reloc->bo->size)
         return fail(v, "an address behind the end of its buffer");
   } else {
      count_increment(v, reg, v->s->words[v->word]);
   }
   v->word++;
   return true;
}

static bool
check_mask(struct validator *v, unsigned reg, uint32_t mask)
{
   for (; mask; mask >>= 1, reg++) {
      if (mask & 1 && !check_write(v, reg))
         return false;
   }
   return true;
}

static bool
check_class(struct validator *v, uint32_t class_id)
{
   const bool ok =
      class_id == (v->s->engine == TEGRA20_ENGINE_3D ? HOST1X_CLASS_GR3D
                                                     : HOST1X_CLASS_GR2D);
   v->class_id = class_id;
   return ok || fail(v, "a class of another engine");
}

static bool
check_packet(struct validator *v)
{
   uint32_t word = v->s->words[v->word++];
   unsigned reg = word >> 16 & 0xfff;
   switch (word >> 28) {
   case HOST1X_OPCODE_SETCL:
      return check_class(v, word >> 6 & 0x3ff) &&
             check_mask(v, reg, word & 0x3f);
   case HOST1X_OPCODE_INCR:
      for (unsigned i = 0; i < (word & 0xffff); i++) {
         if (!check_write(v, reg + i))
            return false;
      }
      return true;
   case HOST1X_OPCODE_NONINCR:
      for (unsigned i = 0; i < (word & 0xffff); i++) {
         if (!check_write(v, reg))
            return false;
      }
      return true;
   case HOST1X_OPCODE_MASK:
      return check_mask(v, reg, word & 0xffff);
   case HOST1X_OPCODE_IMM:
      count_increment(v, reg, word & 0xffff);
      return !is_address(v->class_id, reg) ||
             fail(v, "an immediate value for an address register");
   default:
      return fail(v, "an opcode that the kernel refuses");
   }
}

int
ws_validate(const struct ws_submission *s)
{
   struct validator v = { .s = s };
   unsigned packet = 0;
   for (unsigned i = 0; i < s->num_cmds && !v.error; i++) {
      if (s->cmds[i].type != WS_CMD_GATHER)
         continue;
      v.end = v.word + s->cmds[i].words;
      if (v.end > s->num_words || s->cmds[i].words > TEGRA20_MAX_GATHER_WORDS)
         fail(&v, "a gather of a wrong length");
      while (v.word < v.end && !v.error) {
         packet = v.word;
         check_packet(&v);
      }
   }
   if (!v.error && v.reloc != s->num_relocs)
      fail(&v, "a relocation outside every packet");
   if (!v.error && v.increments != s->increments)
      fail(&v, "a wrong number of sync point increments");
   if (!v.error)
      return 0;
   ws_message("invalid stream, not submitted: %s (word %u of %u, in the "
              "packet 0x%08x at word %u)",
              v.error, v.word, s->num_words,
              packet < s->num_words ? s->words[packet] : 0, packet);
   return -EINVAL;
}
