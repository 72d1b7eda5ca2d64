/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What the assemblers have in common: a small scanner, and fields from text.
 */

#include "isa_parse.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
isa_error(struct isa_parser *parser, const char *format, ...)
{
   va_list args;

   if (parser->error[0])
      return;
   va_start(args, format);
   vsnprintf(parser->error, sizeof(parser->error), format, args);
   va_end(args);
}

static void
skip_blanks(struct isa_parser *parser)
{
   while (isspace((unsigned char)*parser->pos))
      parser->pos++;
}

static bool
is_name_char(char c)
{
   return isalnum((unsigned char)c) || c == '_';
}

bool
isa_accept(struct isa_parser *parser, const char *what)
{
   const size_t length = strlen(what);

   skip_blanks(parser);
   if (strncmp(parser->pos, what, length) != 0)
      return false;
   /* a word must not go on */
   if (is_name_char(what[length - 1]) && is_name_char(parser->pos[length]))
      return false;
   parser->pos += length;
   return true;
}

void
isa_expect(struct isa_parser *parser, const char *what)
{
   if (!isa_accept(parser, what))
      isa_error(parser, "expected \"%s\" at \"%.20s\"", what, parser->pos);
}

unsigned
isa_number(struct isa_parser *parser, unsigned max)
{
   char *end;

   skip_blanks(parser);
   if (!isdigit((unsigned char)*parser->pos)) {
      isa_error(parser, "expected a number at \"%.20s\"", parser->pos);
      return 0;
   }
   const unsigned long value = strtoul(parser->pos, &end, 0);
   parser->pos = end;
   if (value > max) {
      isa_error(parser, "%lu is too large: at most %u", value, max);
      return 0;
   }
   return value;
}

size_t
isa_name(struct isa_parser *parser, const char **name)
{
   size_t length = 0;

   skip_blanks(parser);
   while (is_name_char(parser->pos[length]))
      length++;
   *name = parser->pos;
   parser->pos += length;
   return length;
}

bool
isa_at_end(struct isa_parser *parser)
{
   skip_blanks(parser);
   return *parser->pos == '\0';
}

static void
replace_bits(uint32_t *words, unsigned num_words, enum isa_word_order order,
             unsigned low, unsigned size, uint32_t value)
{
   for (unsigned i = 0; i < size; i++)
      words[isa_word_index(num_words, order, low + i)] &=
         ~(1u << ((low + i) % 32));
   isa_set(words, num_words, order, low, size, value);
}

void
isa_parse_raw(struct isa_parser *parser, const struct isa_field *fields,
              unsigned num_fields, uint32_t *words, unsigned num_words,
              enum isa_word_order order)
{
   while (!parser->error[0] && isa_accept(parser, "!")) {
      const char *name;
      const size_t length = isa_name(parser, &name);
      unsigned f = 0, index = 0;

      while (f < num_fields && (strlen(fields[f].name) != length ||
                                strncmp(fields[f].name, name, length) != 0))
         f++;
      if (f == num_fields) {
         isa_error(parser, "no field is called \"%.*s\"", (int)length, name);
         return;
      }
      if (fields[f].count > 1) {
         isa_expect(parser, ".");
         const char *comp =
            *parser->pos ? strchr("xyzw", *parser->pos) : NULL;
         if (!comp) {
            isa_error(parser, "field \"%s\" needs a component",
                      fields[f].name);
            return;
         }
         index = strcspn("xyzw", (const char[]){ *comp, 0 });
         parser->pos++;
      }
      isa_expect(parser, "=");
      const unsigned max =
         fields[f].size == 32 ? UINT32_MAX : (1u << fields[f].size) - 1;
      const uint32_t value = isa_number(parser, max);
      replace_bits(words, num_words, order,
                   fields[f].low + index * fields[f].stride, fields[f].size,
                   value);
   }
}
