/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Shared by the printers: text that ends early, and fields.
 */

#include "isa_text.h"

#include <stdarg.h>
#include <stdio.h>

void
isa_text_print(struct isa_printer *printer, const char *format, ...)
{
   va_list args;

   va_start(args, format);
   const int length = vsnprintf(printer->text + printer->used,
                                printer->size - printer->used, format, args);
   va_end(args);
   if (length > 0)
      printer->used += (size_t)length < printer->size - printer->used
                          ? (size_t)length
                          : printer->size - printer->used - 1;
}

void
isa_text_print_raw(struct isa_printer *printer,
                   const struct isa_field *fields, unsigned num_fields,
                   const uint32_t *words, const uint32_t *other,
                   unsigned num_words, enum isa_word_order order)
{
   for (unsigned f = 0; f < num_fields; f++) {
      for (unsigned i = 0; i < fields[f].count; i++) {
         const unsigned low = fields[f].low + i * fields[f].stride;
         const uint32_t value =
            isa_get(words, num_words, order, low, fields[f].size);
         if (value == isa_get(other, num_words, order, low, fields[f].size))
            continue;
         if (fields[f].count > 1)
            isa_text_print(printer, " !%s.%c=%u", fields[f].name, "xyzw"[i],
                           value);
         else
            isa_text_print(printer, " !%s=%u", fields[f].name, value);
      }
   }
}
