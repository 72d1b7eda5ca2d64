/*
 * SPDX-License-Identifier: MIT
 */

#include "stages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *
check_vertex(const uint32_t *words, unsigned count, unsigned *inst)
{
   return vpe_validate((const uint32_t(*)[4])words, count, inst);
}

const struct asm_stage asm_stages[] = {
   {"vertex", "vertex program, words as uploaded: bits 127:96 first", 4, 256, vpe_print_inst, vpe_parse_inst,
    check_vertex},
   {"linker", "linker program, register 0x300+2i first", 2, 32, linker_print_inst, linker_parse_inst, NULL},
};
const unsigned num_asm_stages = sizeof(asm_stages) / sizeof(asm_stages[0]);

const struct asm_stage *
find_asm_stage(const char *name, size_t length)
{
   for (unsigned i = 0; i < num_asm_stages; i++) {
      if (strlen(asm_stages[i].name) == length && strncmp(asm_stages[i].name, name, length) == 0)
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
   if (file != stdin)
      fclose(file);
   return text;
}
