/*
 * SPDX-License-Identifier: MIT
 *
 * The fields of an instruction by the descriptions of the instruction sets (src/compiler/tegra20/isa): those that differ
 * from zero.
 */

#include <stdio.h>

#include "vpe_isa.h"

#include "program_text.h"

static const struct program_port ports[] = {
   {0x206, 0x205, 4, "vertex instruction"},
   {0x208, 0x207, 4, "vertex constant"},
   {0x541, 0x540, 1, "sequencer"},
   {0x601, 0x600, 1, "MFU schedule"},
   {0x604, 0x603, 2, "MFU instruction"},
   {0x701, 0x700, 1, "texture instruction"},
   {0x801, 0x800, 1, "ALU schedule"},
   {0x804, 0x803, 8, "ALU instruction"},
   {0x806, 0x805, 1, "ALU complement"},
   {0x901, 0x900, 1, "data write"},
};

const struct program_port *
program_port(uint32_t reg)
{
   for (unsigned i = 0; i < sizeof(ports) / sizeof(ports[0]); i++) {
      if (ports[i].port == reg)
         return &ports[i];
   }
   return NULL;
}

static void
fields_text(const struct isa_field *fields, unsigned num_fields, const uint32_t *words, unsigned num_words, char *text,
            size_t size)
{
   size_t n = 0;
   text[0] = 0;
   for (unsigned i = 0; i < num_fields; i++) {
      for (unsigned j = 0; j < fields[i].count; j++) {
         uint32_t value = isa_get(words, num_words, ISA_HIGH_FIRST, fields[i].low + j * fields[i].stride, fields[i].size);
         if (!value || n + 1 >= size)
            continue;
         int len = fields[i].count > 1 ? snprintf(text + n, size - n, "%s[%u]=%u ", fields[i].name, j, value)
                                       : snprintf(text + n, size - n, "%s=%u ", fields[i].name, value);
         n += len;
      }
   }
}

static void
constant_text(const uint32_t *words, char *text, size_t size)
{
   union {
      uint32_t u[4];
      float f[4];
   } value;
   for (unsigned i = 0; i < 4; i++)
      value.u[i] = words[i];
   snprintf(text, size, "%.9g %.9g %.9g %.9g", value.f[0], value.f[1], value.f[2], value.f[3]);
}

void
program_text(const struct program_port *port, const uint32_t *words, unsigned number, char *text, size_t size)
{
   text[0] = 0;
   if (port->port == 0x206)
      fields_text(vpe_fields, VPE_NUM_FIELDS, words, 4, text, size);
   else if (port->port == 0x208)
      constant_text(words, text, size);
}
