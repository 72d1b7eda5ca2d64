/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Packets of little-endian numbers, one behind the other.
 */

#ifndef PACKETS_H
#define PACKETS_H

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

/* Writes numbers of so many bytes as the digits of `sizes` say, 1 to 4, f: a float; what comes behind them. */
static inline uint8_t *
put_packet(uint8_t *to, const char *sizes, va_list args)
{
   for (; *sizes; sizes++) {
      const float f = *sizes == 'f' ? va_arg(args, double) : 0;
      const uint32_t word = *sizes == 'f' ? 0 : va_arg(args, uint32_t);
      const unsigned bytes = *sizes == 'f' ? 4 : *sizes - '0';
      memcpy(to, *sizes == 'f' ? (const void *)&f : &word, bytes);
      to += bytes;
   }
   return to;
}

#endif
