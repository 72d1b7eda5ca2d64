/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Opcode words of the host1x command stream (gr3d-registers.md 1.1).  Offsets
 * are word offsets inside the current class.
 */

#ifndef TEGRA20_HOST1X_STREAM_H
#define TEGRA20_HOST1X_STREAM_H

#include <stdint.h>

#include "tegra20/host1x_regs.h"

/* Select a class, then write one data word per set bit of mask (0..0x3f) to
 * offset + bit number. */
static inline uint32_t
host1x_setcl(unsigned offset, unsigned class_id, unsigned mask)
{
   return HOST1X_OPCODE_SETCL << 28 | (offset & 0xfff) << 16 |
          (class_id & 0x3ff) << 6 | (mask & 0x3f);
}

/* count (0..0xffff) data words follow, for offset, offset + 1, ... */
static inline uint32_t
host1x_incr(unsigned offset, unsigned count)
{
   return (uint32_t)HOST1X_OPCODE_INCR << 28 | (offset & 0xfff) << 16 |
          (count & 0xffff);
}

/* count (0..0xffff) data words follow, all for offset. */
static inline uint32_t
host1x_nonincr(unsigned offset, unsigned count)
{
   return (uint32_t)HOST1X_OPCODE_NONINCR << 28 | (offset & 0xfff) << 16 |
          (count & 0xffff);
}

/* One data word per set bit of mask (16 bits) follows, for offset + bit
 * number. */
static inline uint32_t
host1x_mask(unsigned offset, unsigned mask)
{
   return (uint32_t)HOST1X_OPCODE_MASK << 28 | (offset & 0xfff) << 16 |
          (mask & 0xffff);
}

/* Write a 16-bit value, zero-extended.  Not for address registers: the kernel
 * refuses it there. */
static inline uint32_t
host1x_imm(unsigned offset, unsigned value)
{
   return (uint32_t)HOST1X_OPCODE_IMM << 28 | (offset & 0xfff) << 16 |
          (value & 0xffff);
}

#endif
