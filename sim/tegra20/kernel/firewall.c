/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The kernel's firewall (kernel-interface.md 4): a gather may only use known
 * opcodes, select classes of its engine, and write to address registers what
 * lies inside a buffer of the job.  It is applied after relocation.
 */

#include <errno.h>

#include "shim.h"

struct firewall {
   int engine;
   uint32_t class_id;
   const uint32_t *word, *end;
   struct shim_mem *const *mems;
   unsigned num_mems;
   const char **reason;
};

static int
refuse(struct firewall *fw, const char *reason)
{
   *fw->reason = reason;
   return -EINVAL;
}

/* Registers whose number is this or larger are never address registers. */
#define GR3D_LAST_CHECKED 0xe88
#define GR2D_LAST_CHECKED 0x4d

static bool
is_gr3d_address(uint32_t reg)
{
   return (reg >= 0x100 && reg <= 0x11e &&
           reg % 2 == 0) || /* vertex attributes */
          reg == 0x121 ||   /* indices */
          reg == 0x415 ||
          reg == 0x417 || reg == 0x419 ||   /* tags of the quad rasteriser */
          (reg >= 0x710 && reg <= 0x71f) || /* textures */
          reg == 0x904 ||                   /* data write */
          (reg >= 0xe00 && reg <= 0xe0f) || /* surfaces */
          reg == 0xe2a ||                   /* spill surface */
          (reg >= 0xe30 && reg <= 0xe3f) || /* overlay surfaces */
          (reg >= 0xe50 && reg <= 0xe6f);   /* samples */
}

static bool
is_gr2d_address(uint32_t reg)
{
   static const uint8_t regs[] = { 0x1a, 0x1b, 0x26, 0x2b, 0x2c, 0x2d, 0x31,
                                   0x32, 0x47, 0x48, 0x49, 0x4a, 0x4b, 0x4c };
   for (unsigned i = 0; i < ARRAY_SIZE(regs); i++) {
      if (regs[i] == reg)
         return true;
   }
   return false;
}

bool
shim_is_address(uint32_t class_id, uint32_t reg)
{
   return class_id == 0x60 ? is_gr3d_address(reg) : is_gr2d_address(reg);
}

static bool
is_address(const struct firewall *fw, uint32_t reg)
{
   if (fw->class_id == 0x60)
      return reg < GR3D_LAST_CHECKED && is_gr3d_address(reg);
   return reg < GR2D_LAST_CHECKED && is_gr2d_address(reg);
}

static int
check_data(struct firewall *fw, uint32_t reg)
{
   if (fw->word == fw->end)
      return refuse(
         fw, "the data words of an opcode do not lie in the same gather");
   uint32_t word = *fw->word++;
   if (!is_address(fw, reg))
      return 0;
   for (unsigned i = 0; i < fw->num_mems; i++) {
      /* One byte past the end is accepted. */
      if (word >= fw->mems[i]->address &&
          word - fw->mems[i]->address <= fw->mems[i]->size)
         return 0;
   }
   return refuse(fw, word ? "a word for an address register lies in no "
                            "buffer of the job (not relocated?)"
                          : "zero was written to an address register");
}

static int
check_sequence(struct firewall *fw, uint32_t reg, uint32_t count,
               bool incrementing)
{
   int ret = 0;
   for (uint32_t i = 0; i < count && !ret; i++)
      ret = check_data(fw, incrementing ? reg + i : reg);
   return ret;
}

static int
check_mask(struct firewall *fw, uint32_t reg, uint32_t mask)
{
   int ret = 0;
   for (; mask && !ret; mask >>= 1, reg++) {
      if (mask & 1)
         ret = check_data(fw, reg);
   }
   return ret;
}

static bool
is_class_allowed(const struct firewall *fw, uint32_t class_id)
{
   return fw->engine == SHIM_GR3D ? class_id == 0x60
                                  : class_id == 0x51 || class_id == 0x52;
}

static int
set_class(struct firewall *fw, uint32_t word)
{
   fw->class_id = word >> 6 & 0x3ff;
   return is_class_allowed(fw, fw->class_id)
             ? check_mask(fw, word >> 16 & 0xfff, word & 0x3f)
             : refuse(fw, "a class that this channel may not select");
}

static int
check_gather(struct firewall *fw)
{
   uint32_t payload = 0;
   int ret = 0;
   while (fw->word < fw->end && !ret) {
      uint32_t word = *fw->word++;
      uint32_t reg = word >> 16 & 0xfff;
      switch (word >> 28) {
      case 0: /* SETCLASS */
         ret = set_class(fw, word);
         break;
      case 1: /* INCR */
         ret = check_sequence(fw, reg, word & 0xffff, true);
         break;
      case 2: /* NONINCR */
         ret = check_sequence(fw, reg, word & 0xffff, false);
         break;
      case 3: /* MASK */
         ret = check_mask(fw, reg, word & 0xffff);
         break;
      case 4: /* IMM */
         if (is_address(fw, reg))
            ret = refuse(fw, "IMM to an address register");
         break;
      case 9: /* SETPYLD; the wide opcodes pass, though Tegra20's host1x has
                 none of them */
         payload = word & 0xffff;
         break;
      case 10: /* INCR_W */
         ret = check_sequence(fw, word & 0x3fffff, payload, true);
         break;
      case 11: /* NONINCR_W */
         ret = check_sequence(fw, word & 0x3fffff, payload, false);
         break;
      default:
         ret = refuse(fw, "an opcode that user space may not use");
         break;
      }
   }
   return ret;
}

int
shim_firewall(int engine, uint32_t *class_id, const uint32_t *words,
              unsigned count, struct shim_mem *const *mems, unsigned num_mems,
              const char **reason)
{
   /* measurements without execution are of the driver, not of the kernel */
   if (shim.options.noop)
      return 0;
   struct firewall fw = {
      .engine = engine,
      .class_id = *class_id,
      .word = words,
      .end = words + count,
      .mems = mems,
      .num_mems = num_mems,
      .reason = reason,
   };
   int ret = check_gather(&fw);
   *class_id = fw.class_id;
   return ret;
}
