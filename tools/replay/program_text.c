/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Words of the upload ports as assembly text, by the printers of
 * src/compiler/tegra20/isa and tools/common.
 */

#include <stdio.h>
#include <string.h>

#include "isa_parse.h"

#include "program_text.h"

static const struct program_port ports[] = {
   { 0x206, 0x205, 4, "vertex instruction" },
   { 0x208, 0x207, 4, "vertex constant" },
   { 0x541, 0x540, 1, "sequencer" },
   { 0x601, 0x600, 1, "MFU schedule" },
   { 0x604, 0x603, 2, "MFU instruction" },
   { 0x701, 0x700, 1, "texture instruction" },
   { 0x801, 0x800, 1, "ALU schedule" },
   { 0x804, 0x803, 8, "ALU packet" },
   { 0x806, 0x805, 1, "ALU complement" },
   { 0x901, 0x900, 1, "data write" },
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
constant_text(const uint32_t *words, char *text, size_t size)
{
   float f[4];
   memcpy(f, words, sizeof(f));
   snprintf(text, size, "%.9g %.9g %.9g %.9g", f[0], f[1], f[2], f[3]);
}

void
program_text(const struct tegra20_chip_info *chip,
             const struct program_port *port, const uint32_t *words,
             char *text, size_t size)
{
   switch (port->port) {
   case 0x206:
      vpe_print_inst(words, text, size);
      break;
   case 0x208:
      constant_text(words, text, size);
      break;
   case 0x541:
      fs_pseq_print_inst(words, text, size);
      break;
   case 0x801:
      snprintf(text, size, "%u from %u",
               tegra20_sched_count(&chip->alu_sched, words[0]),
               tegra20_sched_first(&chip->alu_sched, words[0]));
      break;
   case 0x601:
      snprintf(text, size, "%u from %u", words[0] & 3, words[0] >> 2 & 0x3f);
      break;
   case 0x604:
      fs_mfu_print_inst(words, text, size);
      break;
   case 0x701:
      fs_tex_print_inst(words, text, size);
      break;
   case 0x804:
      fs_packet_print_inst(words, text, size);
      break;
   case 0x901:
      fs_dw_print_inst(words, text, size);
      break;
   default:
      snprintf(text, size,
               words[0] ? "unknown"
                        : "nothing"); /* 0 in every known program */
      break;
   }
}

void
program_linker_text(const uint32_t words[2], char *text, size_t size)
{
   linker_print_inst(words, text, size);
}
