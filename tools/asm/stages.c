/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "stages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct tegra20_chip_info *asm_chip =
   &tegra20_chips[TEGRA20_CHIP_TEGRA20];

bool
set_asm_chip(const char *program, const char *name)
{
   asm_chip = tegra20_chip_by_name(name);
   if (!asm_chip)
      fprintf(stderr,
              "%s: unknown chip \"%s\" (tegra20, tegra30, tegra114)\n",
              program, name);
   return asm_chip;
}

static const char *
check_vertex(const uint32_t *words, unsigned count, unsigned *inst)
{
   return vpe_validate((const uint32_t(*)[4])words, count,
                       asm_chip->vs_consts, inst);
}

static char *
print_fragment(const uint32_t *words, unsigned count)
{
   static struct fs_words program;
   return fs_image_unpack(words, count, asm_chip->id, &program)
             ? fs_program_print(&program)
             : NULL;
}

static bool
parse_fragment(const char *text, uint32_t *words, unsigned *count,
               struct isa_parser *parser)
{
   static struct fs_words program;

   if (!fs_program_parse(text, asm_chip->id, &program, parser))
      return false;
   *count = fs_image_pack(&program, words);
   return true;
}

const struct asm_stage asm_stages[] = {
   { "vertex", "vertex program, words as uploaded: bits 127:96 first", 4, 256,
     vpe_print_inst, vpe_parse_inst, check_vertex },
   { "linker", "linker program, register 0x300+2i first", 2, 32,
     linker_print_inst, linker_parse_inst, NULL },
   { "fragment",
     "fragment program: rows, EXECs, MFU instructions, packets, then the "
     "tables in upload order",
     1, FS_IMAGE_MAX_WORDS, NULL, NULL, NULL, print_fragment,
     parse_fragment },
   { "mfu", "single MFU instructions, high word first", 2, 64,
     fs_mfu_print_inst, fs_mfu_parse_inst, NULL },
   { "alu", "single ALU packets, FIFO order", 8, TEGRA20_CHIP_MAX_FS_ALU,
     fs_packet_print_inst, fs_packet_parse_inst, NULL },
   { "tex", "lookup words", 1, 64, fs_tex_print_inst, fs_tex_parse_inst,
     NULL },
   { "dw", "store words", 1, 64, fs_dw_print_inst, fs_dw_parse_inst, NULL },
   { "pseq", "sequencer words", 1, 64, fs_pseq_print_inst, fs_pseq_parse_inst,
     NULL },
};
const unsigned num_asm_stages = sizeof(asm_stages) / sizeof(asm_stages[0]);

const struct asm_stage *
find_asm_stage(const char *name, size_t length)
{
   for (unsigned i = 0; i < num_asm_stages; i++) {
      if (strlen(asm_stages[i].name) == length &&
          strncmp(asm_stages[i].name, name, length) == 0)
         return &asm_stages[i];
   }
   return NULL;
}

char *
read_whole_file(const char *program, const char *path)
{
   FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
   size_t size = 0, room = 4096;
   char *text = malloc(room + 1);

   if (!file) {
      fprintf(stderr, "%s: %s: %s\n", program, path, strerror(errno));
      free(text);
      return NULL;
   }
   for (size_t n; (n = fread(text + size, 1, room - size, file)) > 0;) {
      size += n;
      if (size == room) {
         room *= 2;
         text = realloc(text, room + 1);
      }
   }
   text[size] = '\0';
   if (ferror(file)) {
      fprintf(stderr, "%s: %s: %s\n", program, path, strerror(errno));
      free(text);
      text = NULL;
   }
   if (file != stdin)
      fclose(file);
   return text;
}

bool
finish_output(const char *program)
{
   if (!fflush(stdout) && !ferror(stdout))
      return true;
   fprintf(stderr, "%s: cannot write the output: %s\n", program,
           strerror(errno));
   return false;
}
