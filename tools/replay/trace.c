/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The draws of two recordings side by side: the state of GR3D that each began
 * with, and the pictures behind it.  Addresses are left out: two runs of a
 * program get other ones.
 */

#include <stdlib.h>
#include <string.h>

#include "tegra20/register_info.h"

#include "program_text.h"
#include "replay.h"

#define NUM_REGS 0x1000
#define NUM_PORTS 16
#define PORT_WORDS 2048
#define MAX_DRAWS_PRINTED 20
#define MAX_NAMES 12 /* of registers that a line lists */

/* A register that is compared. */
struct named {
   const char *name;
   uint16_t offset, element;
   bool is_array;
};

struct traced {
   unsigned job;
   bool is_fill;
   uint64_t programs, picture; /* hashes */
   uint32_t *values;           /* of the named registers */
};

struct trace {
   struct named named[NUM_REGS];
   unsigned num_named;
   struct traced *draws;
   unsigned count, max;
   const struct trace *reference;     /* or NULL */
   unsigned num_states, num_pictures; /* that differ from it */
   /* what the stream has set up */
   uint32_t regs[NUM_REGS], programs[NUM_PORTS][PORT_WORDS];
};

struct trace *
trace_create(const struct trace *reference)
{
   struct trace *trace = calloc(1, sizeof(*trace));
   if (!trace)
      return NULL;
   trace->reference = reference;
   for (const struct register_info *info = gr3d_registers; info->name;
        info++) {
      if (info->kind == REGISTER_RELOC)
         continue;
      for (unsigned i = 0; i < (info->count ? info->count : 1); i++) {
         const unsigned offset = info->offset + i * info->stride;
         if (offset < NUM_REGS && trace->num_named < NUM_REGS &&
             !program_port(offset))
            trace->named[trace->num_named++] =
               (struct named){ info->name, offset, i, info->count > 1 };
      }
   }
   return trace;
}

void
trace_destroy(struct trace *trace)
{
   if (!trace)
      return;
   for (unsigned i = 0; i < trace->count; i++)
      free(trace->draws[i].values);
   free(trace->draws);
   free(trace);
}

void
trace_write(struct trace *trace, uint32_t offset, uint32_t value)
{
   const struct program_port *port = program_port(offset);
   if (port) {
      uint32_t *pointer = &trace->regs[port->pointer];
      trace->programs[port - program_port(0x206)][*pointer % PORT_WORDS] =
         value;
      (*pointer)++;
      return;
   }
   trace->regs[offset] = value;
   /* One write resets all tables that have an entry per EXEC
    * (gr3d-registers.md 2.2). */
   if (offset == 0xe22)
      trace->regs[0x540] = trace->regs[0x600] = trace->regs[0x700] =
         trace->regs[0x800] = trace->regs[0x805] = trace->regs[0x900] = 0;
}

static void
print_registers(const struct trace *trace, const uint32_t *before,
                const uint32_t *now)
{
   unsigned printed = 0;
   for (unsigned i = 0; i < trace->num_named; i++) {
      const struct named *named = &trace->named[i];
      if (before[i] == now[i] || printed++ >= MAX_NAMES)
         continue;
      printf("%s%s", printed > 1 ? ", " : " ", named->name);
      if (named->is_array)
         printf("[%u]", named->element);
      printf(" 0x%x -> 0x%x", before[i], now[i]);
   }
   if (printed > MAX_NAMES)
      printf(" and %u more", printed - MAX_NAMES);
}

/* Prints the first draw whose state differs, and those with other pictures. A
 * fill does not use the state. */
static void
compare(struct trace *trace, unsigned number, const struct traced *now)
{
   const struct traced *before = &trace->reference->draws[number];
   const bool registers =
      !now->is_fill && memcmp(before->values, now->values,
                              trace->num_named * sizeof(uint32_t)) != 0;
   const bool programs = !now->is_fill && before->programs != now->programs;
   const bool state =
      registers || programs || before->is_fill != now->is_fill;
   const bool picture = before->picture != now->picture;
   const bool is_first_state = state && !trace->num_states++;
   const bool is_shown = picture && trace->num_pictures++ < MAX_DRAWS_PRINTED;
   if (!is_first_state && !is_shown)
      return;
   printf("%s %u (job %u):", now->is_fill ? "fill" : "draw", number,
          now->job);
   if (before->is_fill != now->is_fill)
      printf(" is a %s in the other;", before->is_fill ? "fill" : "draw");
   printf(" %s;%s%s", picture ? "another picture" : "the same picture",
          programs ? " other programs or constants;" : "",
          registers ? " registers" : "");
   if (registers)
      print_registers(trace, before->values, now->values);
   putchar('\n');
}

bool
trace_draw(struct trace *trace, unsigned job, bool is_fill, uint64_t picture)
{
   struct traced now = {
      .job = job,
      .is_fill = is_fill,
      .picture = picture,
      .programs = recording_hash((const uint8_t *)trace->programs,
                                 sizeof(trace->programs)),
      .values = calloc(trace->num_named, sizeof(uint32_t)),
   };
   if (trace->count == trace->max) {
      const unsigned max = trace->max ? 2 * trace->max : 64;
      struct traced *bigger = realloc(trace->draws, max * sizeof(*bigger));
      if (bigger) {
         trace->draws = bigger;
         trace->max = max;
      }
   }
   if (!now.values || trace->count == trace->max) {
      free(now.values);
      return false;
   }
   for (unsigned i = 0; i < trace->num_named; i++)
      now.values[i] = trace->regs[trace->named[i].offset];
   if (trace->reference && trace->count < trace->reference->count)
      compare(trace, trace->count, &now);
   trace->draws[trace->count++] = now;
   return true;
}

bool
trace_finish(const struct trace *trace)
{
   const unsigned first = trace->reference->count;
   if (trace->num_pictures > MAX_DRAWS_PRINTED)
      printf("and %u more\n", trace->num_pictures - MAX_DRAWS_PRINTED);
   printf("%u and %u draws and fills: %u with another state, %u with another "
          "picture\n",
          first, trace->count, trace->num_states, trace->num_pictures);
   return first == trace->count && !trace->num_states && !trace->num_pictures;
}
