/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * videocore-dump: control lists and programs of VideoCore IV as text.  The
 * shim writes them into files (TEGRA20_SHIM_VC4_DUMP, docs/videocore.md).
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "about.h"
#include "qpu.h"
#include "v3d.h"

static const char usage[] =
   "usage: videocore-dump list|qpu FILE...\n"
   "\n"
   "Prints files with the words of control lists (list) or of programs "
   "(qpu) as text.\n";

/* The contents of a file; NULL after a message. */
static uint8_t *
read_file(const char *name, size_t *size)
{
   FILE *file = fopen(name, "rb");
   uint8_t *data = NULL;
   long length;
   if (file && !fseek(file, 0, SEEK_END) && (length = ftell(file)) >= 0) {
      rewind(file);
      data = malloc(length + 1);
      *size = data ? fread(data, 1, length, file) : 0;
   }
   if (!data)
      perror(name);
   if (file)
      fclose(file);
   return data;
}

static void
print_program(const uint8_t *data, size_t size)
{
   for (size_t at = 0; at + 8 <= size; at += 8) {
      char text[160];
      uint64_t word;
      memcpy(&word, data + at, 8);
      qpu_disassemble(word, text, sizeof(text));
      printf("%04zx: %016llx  %s\n", at, (unsigned long long)word, text);
   }
}

int
main(int argc, char **argv)
{
   if (argc == 2 && !strcmp(argv[1], "--help")) {
      fputs(usage, stdout);
      return 0;
   }
   if (argc == 2 && !strcmp(argv[1], "--version")) {
      about_print_version("videocore-dump");
      return 0;
   }
   bool list = argc > 2 && !strcmp(argv[1], "list");
   if (!list && (argc < 3 || strcmp(argv[1], "qpu"))) {
      fputs(usage, stderr);
      return 2;
   }
   for (int i = 2; i < argc; i++) {
      size_t size;
      uint8_t *data = read_file(argv[i], &size);
      if (!data)
         return 1;
      if (argc > 3)
         printf("%s:\n", argv[i]);
      if (list)
         v3d_print_list(stdout, data, size);
      else
         print_program(data, size);
      free(data);
   }
   return 0;
}
