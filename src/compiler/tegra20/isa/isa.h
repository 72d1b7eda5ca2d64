/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Bit fields in instructions of several 32-bit words, for the generated
 * headers of the instruction sets.
 */

#ifndef TEGRA20_ISA_H
#define TEGRA20_ISA_H

#include <stdint.h>

/* Which end of the instruction is in words[0]. */
enum isa_word_order {
   ISA_LOW_FIRST,
   ISA_HIGH_FIRST,
};

/* One field, or count fields of the same size whose lowest bits are stride
 * apart. */
struct isa_field {
   const char *name;
   uint8_t low, size, count, stride;
};

static inline unsigned
isa_word_index(unsigned num_words, enum isa_word_order order, unsigned bit)
{
   return order == ISA_LOW_FIRST ? bit / 32 : num_words - 1 - bit / 32;
}

static inline void
isa_set(uint32_t *words, unsigned num_words, enum isa_word_order order,
        unsigned low, unsigned size, uint32_t value)
{
   for (unsigned i = 0; i < size; i++) {
      const unsigned bit = low + i;
      words[isa_word_index(num_words, order, bit)] |= ((value >> i) & 1u)
                                                      << (bit % 32);
   }
}

static inline uint32_t
isa_get(const uint32_t *words, unsigned num_words, enum isa_word_order order,
        unsigned low, unsigned size)
{
   uint32_t value = 0;

   for (unsigned i = 0; i < size; i++) {
      const unsigned bit = low + i;
      value |=
         ((words[isa_word_index(num_words, order, bit)] >> (bit % 32)) & 1u)
         << i;
   }
   return value;
}

/* Write masks are stored with x in the highest bit; everywhere else x is bit
 * 0. */
static inline uint32_t
isa_reverse4(uint32_t mask)
{
   return (mask & 1) << 3 | (mask & 2) << 1 | (mask & 4) >> 1 |
          (mask & 8) >> 3;
}

#endif
