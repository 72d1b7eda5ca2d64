/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Control lists as text.  A packet's operands are described by a string: a
 * letter for its size and type, then its name.
 */

#include <string.h>

#include "v3d_internal.h"

/* b: 8 bits, h: 16, w: 32 in hexadecimal, u: 32 in decimal, f: a float, s:
 * 12.4, c: 24 bits. */
static const char *const operands[256] = {
   [16] = "w address",
   [17] = "w address",
   [26] = "w address_and_flags",
   [27] = "w address_and_flags",
   [28] = "h bits,w address_and_flags",
   [29] = "h bits,w address_and_flags",
   [32] = "b mode,u count,w indices,u max_index",
   [33] = "b mode,u count,u first",
   [48] = "b vertices",
   [49] = "w polygon",
   [56] = "b format",
   [64] = "w record",
   [65] = "w record",
   [66] = "w record",
   [96] = "c bits",
   [97] = "w flags",
   [98] = "f size",
   [99] = "f width",
   [100] = "h x",
   [101] = "h factor,h units",
   [102] = "h left,h bottom,h width,h height",
   [103] = "s x,s y",
   [104] = "f min,f max",
   [105] = "f half_width,f half_height",
   [106] = "f scale,f offset",
   [112] = "w lists,u size,w states,b columns,b rows,b flags",
   [113] = "w address,h width,h height,h bits",
   [114] = "w color0,w color1,c z,b mask,b stencil",
   [115] = "b column,b row",
};

/* Prints an operand; returns its size. */
static unsigned
print_operand(FILE *file, char type, const uint8_t *p)
{
   uint32_t word = 0;
   float number;
   const unsigned size = type == 'b'                  ? 1
                         : type == 'h' || type == 's' ? 2
                         : type == 'c'                ? 3
                                                      : 4;
   memcpy(&word, p, size);
   memcpy(&number, &word, 4);
   if (type == 'f')
      fprintf(file, "%g", number);
   else if (type == 's')
      fprintf(file, "%g", (int16_t)word / 16.0);
   else if (type == 'w' || type == 'c')
      fprintf(file, "0x%08x", word);
   else
      fprintf(file, "%u", word);
   return size;
}

void
v3d_print_list(FILE *file, const uint8_t *list, uint32_t size)
{
   for (uint32_t at = 0; at < size;) {
      const uint8_t *p = list + at;
      unsigned bytes = cl_packet_size(p[0]);
      fprintf(file, "0x%05x: ", at);
      if (!bytes || at + bytes > size) {
         fprintf(file, "%u: no packet, or not all of it\n", p[0]);
         return;
      }
      fprintf(file, "%s", cl_packet_name(p[0]));
      const char *text = operands[p[0]];
      for (const uint8_t *from = p + 1; text && *text;) {
         const char *end = strchr(text, ',');
         int length = end ? (int)(end - text) - 2 : (int)strlen(text) - 2;
         fprintf(file, " %.*s=", length, text + 2);
         from += print_operand(file, text[0], from);
         text = end ? end + 1 : NULL;
      }
      fprintf(file, "\n");
      if (p[0] == CL_COMPRESSED)
         bytes += (p[1] & 3) * (p[1] & 0x80 ? 2 : 4);
      at += bytes;
   }
}
