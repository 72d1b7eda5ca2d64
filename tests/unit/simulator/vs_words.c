/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "vs_words.h"

#include <string.h>

static void
put(uint32_t words[4], unsigned first, unsigned count, uint32_t value)
{
   for (unsigned i = 0; i < count; i++) {
      unsigned bit = first + i;
      if (value >> i & 1)
         words[3 - bit / 32] |= 1u << bit % 32;
      else
         words[3 - bit / 32] &= ~(1u << bit % 32);
   }
}

static unsigned
component(char c)
{
   return (unsigned)(strchr("xyzw", c) - "xyzw");
}

/* w in the lowest bit. */
static unsigned
mask_field(const char *mask)
{
   unsigned field = 0;
   for (; mask && *mask; mask++)
      field |= 8u >> component(*mask);
   return field;
}

static unsigned
swizzle_field(const char *swizzle)
{
   unsigned field = 0;
   for (unsigned c = 0; c < 4; c++) {
      unsigned from = swizzle ? component(swizzle[strlen(swizzle) == 1 ? 0 : c]) : c;
      field |= from << (6 - 2 * c);
   }
   return field;
}

static void
put_src(uint32_t words[4], const struct vs_src *src, unsigned first, unsigned absolute_bit)
{
   put(words, first, 2, src->type);
   put(words, first + 2, 6, src->index);
   put(words, first + 8, 8, swizzle_field(src->swizzle));
   put(words, first + 16, 1, src->negate);
   put(words, absolute_bit, 1, src->absolute);
}

static void
pack(uint32_t words[4], const struct vs_fields *f)
{
   memset(words, 0, 16);
   put(words, 0, 1, f->end);
   put(words, 1, 1, f->const_relative);
   put(words, 2, 5, f->export_on ? f->export_index : 31);
   put(words, 7, 6, f->sdest ? f->sdest - 1 : 63);
   put(words, 13, 4, mask_field(f->vmask));
   put(words, 17, 4, mask_field(f->smask));
   put_src(words, &f->c, 21, 119);
   put_src(words, &f->b, 38, 118);
   put_src(words, &f->a, 55, 117);
   if (f->has_target)
      put(words, 29, 8, f->target);
   put(words, 72, 4, f->attrib);
   put(words, 76, 10, f->constant);
   put(words, 86, 5, f->vop);
   put(words, 91, 5, f->sop);
   put(words, 96, 2, f->address_select);
   put(words, 98, 8, swizzle_field(f->condition_swizzle));
   put(words, 106, 3, f->condition_none ? 0 : f->condition ? f->condition : 7);
   put(words, 109, 1, f->cc);
   put(words, 110, 1, f->cs);
   put(words, 111, 6, f->vdest_raw ? f->vdest_raw : f->vdest ? f->vdest - 1 : 63);
   put(words, 120, 1, f->address_zero);
   put(words, 121, 1, f->cr);
   put(words, 122, 1, f->saturate);
   put(words, 123, 1, f->attrib_relative);
   put(words, 124, 1, f->export_relative);
   put(words, 125, 1, f->cwr);
   put(words, 126, 1, f->export_vector);
}

void
vs_upload(struct job *job, const struct vs_fields *program, unsigned count)
{
   uint32_t words[256][4];
   for (unsigned i = 0; i < count; i++)
      pack(words[i], &program[i]);
   job_vertex_program(job, words, count);
}

unsigned
vs_length(const struct vs_fields *program, unsigned max)
{
   static const struct vs_fields none;
   while (max && !memcmp(&program[max - 1], &none, sizeof(none)))
      max--;
   return max;
}
