/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "parse.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ERRNO 133 /* Linux */

bool
sim_parse_number(const char *text, unsigned most, unsigned *number)
{
   char *end;
   const int base = text[0] == '0' && tolower(text[1]) == 'x' ? 16 : 10;
   /* one that is too large becomes the largest of all */
   const unsigned long long value = strtoull(text, &end, base);

   if (!isdigit((unsigned char)*text) || *end || value > most)
      return false;
   *number = (unsigned)value;
   return true;
}

/* "ENOMEM" or "12"; 0: neither. */
static int
parse_error(const char *text)
{
   unsigned number;

   if (sim_parse_number(text, MAX_ERRNO, &number))
      return (int)number;
   for (int error = 1; error <= MAX_ERRNO; error++) {
      const char *name = strerrorname_np(error);
      if (name && !strcmp(text, name))
         return error;
   }
   return 0;
}

const char *
sim_parse_fault(const char *text, struct sim_fault *fault)
{
   char when[16], error[16];
   int used = 0;

   sscanf(text, "%39[A-Z0-9_*]:%15[0-9%+]:%15[A-Z0-9]%n", fault->name, when,
          error, &used);
   if (!used || (text[used] && text[used] != ','))
      return NULL;
   char *number = when + (when[0] == '%');
   char *last = number + strlen(number);
   fault->when = number > when ? '%' : last[-1] == '+' ? '+' : ' ';
   if (fault->when == '+')
      last[-1] = 0;
   fault->error = parse_error(error);
   return sim_parse_number(number, ~0u, &fault->n) && fault->n && fault->error
             ? text + used
             : NULL;
}
