/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * videocore-asm: programs of VideoCore IV from text, as videocore-dump qpu
 * prints them.
 */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "about.h"
#include "qpu.h"

static const char usage[] =
   "usage: videocore-asm OUTPUT [FILE]\n"
   "\n"
   "Writes the words of a program to OUTPUT.  FILE (or the standard input)\n"
   "has an instruction per line, with or without the address and word that\n"
   "videocore-dump prints before it; # begins a comment.\n";

/* Behind "0008: 100009e7009e7000  ". */
static char *
skip_prefix(char *line)
{
   char *colon = strchr(line, ':');
   if (!colon || strspn(line, "0123456789abcdef") != (size_t)(colon - line))
      return line;
   char *word = colon + 1 + strspn(colon + 1, " ");
   size_t digits = strspn(word, "0123456789abcdef");
   return digits == 16 ? word + digits : word;
}

static int
assemble(FILE *in, FILE *out)
{
   char line[512], error[128];
   for (unsigned number = 1; fgets(line, sizeof(line), in); number++) {
      uint64_t word;
      line[strcspn(line, "#\n")] = 0;
      char *text = skip_prefix(line);
      if (!text[strspn(text, " \t")])
         continue;
      if (!qpu_assemble(text, &word, error, sizeof(error))) {
         fprintf(stderr, "videocore-asm: line %u: %s\n", number, error);
         return 1;
      }
      if (fwrite(&word, 8, 1, out) != 1) {
         perror("videocore-asm");
         return 1;
      }
   }
   return 0;
}

int
main(int argc, char **argv)
{
   if (argc == 2 && !strcmp(argv[1], "--help")) {
      fputs(usage, stdout);
      return 0;
   }
   if (argc == 2 && !strcmp(argv[1], "--version")) {
      about_print_version("videocore-asm");
      return 0;
   }
   if (argc < 2 || argc > 3) {
      fputs(usage, stderr);
      return 2;
   }
   FILE *in = argc == 3 ? fopen(argv[2], "r") : stdin;
   FILE *out = in ? fopen(argv[1], "wb") : NULL;
   if (!out) {
      perror(in ? argv[1] : argv[2]);
      return 1;
   }
   int status = assemble(in, out);
   if (in != stdin)
      fclose(in);
   if (fclose(out)) {
      perror(argv[1]);
      status = 1;
   }
   return status;
}
