/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What the readers of both compilers' text forms have in common.  Include it behind struct parser, whose "pos" is what is left of
 * the text, and expected(), which makes what is missing there the program's error.
 */

#ifndef PARSER_H
#define PARSER_H

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void
skip_blanks(struct parser *in)
{
   while (*in->pos == ' ')
      in->pos++;
}

static bool
accept(struct parser *in, const char *text)
{
   skip_blanks(in);
   if (strncmp(in->pos, text, strlen(text)) != 0)
      return false;
   in->pos += strlen(text);
   return true;
}

static void
expect(struct parser *in, const char *text)
{
   if (!accept(in, text))
      expected(in, text);
}

static unsigned
number(struct parser *in)
{
   char *end;

   if (!isdigit((unsigned char)*in->pos)) {
      expected(in, "a number");
      return 0;
   }
   const unsigned value = strtoul(in->pos, &end, 10);
   in->pos = end;
   return value;
}

static float
real(struct parser *in)
{
   char *end;
   const float value = strtof(in->pos, &end);

   in->pos = end;
   return value;
}

/* "x" */
static unsigned
component(struct parser *in)
{
   static const char names[] = "xyzw";
   const char *found = *in->pos ? strchr(names, *in->pos) : NULL;

   if (!found) {
      expected(in, "a component");
      return 0;
   }
   in->pos++;
   return found - names;
}

/* A word of letters, digits and "_" that is one of some names, which lie a stride apart; -1: none of them. */
static int
word(struct parser *in, const char *const *names, unsigned stride, unsigned count)
{
   size_t length = 0;

   while (isalnum((unsigned char)in->pos[length]) || in->pos[length] == '_')
      length++;
   for (unsigned i = 0; i < count; i++) {
      const char *name = *(const char *const *)((const char *)names + i * stride);
      if (strlen(name) == length && length > 0 && strncmp(in->pos, name, length) == 0) {
         in->pos += length;
         return i;
      }
   }
   return -1;
}

/* Goes to the next line that has something in it.  False: there is none. */
static bool
next_line(struct parser *in)
{
   while (isspace((unsigned char)*in->pos))
      in->pos++;
   return *in->pos;
}

static void
end_line(struct parser *in)
{
   skip_blanks(in);
   if (*in->pos && *in->pos != '\n')
      expected(in, "the end of the line");
}

#endif
