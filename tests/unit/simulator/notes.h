/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Words packed from the tables of bits of the public notes about the chip's ISAs.
 */

#ifndef TEST_NOTES_H
#define TEST_NOTES_H

#include "unit.h"

struct notes_field {
   const char *name;
   unsigned first, count, neutral; /* the value where a case does not say another one */
   const char *const *values;      /* the names of 32 values, or NULL: numbers */
};

static inline void
notes_put(const struct notes_field *f, unsigned value, uint32_t *words, unsigned num_words)
{
   for (unsigned i = 0; i < f->count; i++) {
      uint32_t *word = &words[num_words - 1 - (f->first + i) / 32];
      const unsigned bit = (f->first + i) % 32;

      *word = (*word & ~(1u << bit)) | (value >> i & 1) << bit;
   }
}

/* An instruction of "field=value;field=value", the word of the highest bits first; the table ends with a NULL. */
static inline void
notes_pack(const struct notes_field *fields, char *text, uint32_t *words, unsigned num_words)
{
   char *state = NULL;

   memset(words, 0, num_words * sizeof(*words));
   for (const struct notes_field *f = fields; f->name; f++)
      notes_put(f, f->neutral, words, num_words);
   for (char *one = strtok_r(text, ";", &state); one; one = strtok_r(NULL, ";", &state)) {
      char *value = strchr(one, '=');
      const struct notes_field *f = fields;
      unsigned number = 0;

      assert_non_null(value);
      *value++ = 0;
      while (f->name && strcmp(f->name, one))
         f++;
      if (!f->name)
         fail_msg("no field \"%s\"", one);
      while (f->values && number < 32 && (!f->values[number] || strcmp(f->values[number], value)))
         number++;
      notes_put(f, f->values ? number : strtoul(value, NULL, 0), words, num_words);
   }
}

#endif
