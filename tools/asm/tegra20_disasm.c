/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * tegra20-disasm: machine words to assembly text.
 */

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "about.h"
#include "stages.h"

static const char usage[] =
   "Usage: tegra20-disasm [OPTION]... [FILE]\n"
   "Prints Tegra20 programs, given as 32-bit hexadecimal words, as text that "
   "tegra20-asm reads.\n"
   "Without FILE, or with \"-\", reads standard input.\n"
   "\n"
   "  -s, --stage STAGE  what the words are until a line \".STAGE\" says "
   "otherwise (default: vertex)\n"
   "      --chip CHIP    whose programs they are: tegra20 (default), "
   "tegra30, "
   "tegra114\n"
   "  --version          print version, commit and where reports go\n"
   "  -h, --help         this text\n"
   "\n"
   "Stages:\n";

static void
print_usage(void)
{
   fputs(usage, stdout);
   for (unsigned i = 0; i < num_asm_stages; i++)
      printf("  %-10s %s, %u words each\n", asm_stages[i].name,
             asm_stages[i].description, asm_stages[i].words);
}

struct disassembler {
   const char *path;
   const struct asm_stage *stage;
   bool unnamed; /* the stage comes from the command line: tegra20-asm has to
                    be told */
   unsigned line, index; /* of the file; of the instruction */
   unsigned count;       /* words collected */
   uint32_t words[MAX_WORDS];
   unsigned num_collected; /* of a stage that is printed as a whole */
   uint32_t collected[FS_IMAGE_MAX_WORDS];
};

/* The end of a section. */
static bool
finish_section(struct disassembler *d)
{
   if (!d->stage->print_all || d->num_collected == 0)
      return true;
   char *text = d->stage->print_all(d->collected, d->num_collected);
   if (!text) {
      fprintf(stderr, "%s:%u: %u words are not a program: see --help\n",
              d->path, d->line, d->num_collected);
      return false;
   }
   fputs(text, stdout);
   free(text);
   d->num_collected = 0;
   return true;
}

static bool
take_directive(struct disassembler *d, const char *name, size_t length)
{
   const struct asm_stage *stage = find_asm_stage(name, length);

   if (!stage) {
      fprintf(stderr, "%s:%u: there is no stage \"%.*s\"\n", d->path, d->line,
              (int)length, name);
      return false;
   }
   if (!finish_section(d))
      return false;
   d->stage = stage;
   d->unnamed = false;
   d->index = 0;
   printf(".%s\n", stage->name);
   return true;
}

static bool
take_word(struct disassembler *d, const char *text, size_t length)
{
   char *end, digits[16];

   snprintf(digits, sizeof(digits), "%.*s", (int)length, text);
   const unsigned long long value = strtoull(digits, &end, 16);
   if (length >= sizeof(digits) || *end || value > UINT32_MAX) {
      fprintf(stderr, "%s:%u: \"%.*s\" is not a 32-bit hexadecimal number\n",
              d->path, d->line, (int)length, text);
      return false;
   }
   if (d->unnamed)
      printf(".%s\n", d->stage->name);
   d->unnamed = false;
   if (d->stage->print_all) {
      if (d->num_collected < FS_IMAGE_MAX_WORDS)
         d->collected[d->num_collected++] = value;
      return true;
   }
   d->words[d->count++] = value;
   if (d->count == d->stage->words) {
      char line[ISA_MAX_TEXT];
      d->stage->print(d->words, line, sizeof(line));
      printf("%s // %u\n", line, d->index++);
      d->count = 0;
   }
   return true;
}

static bool
disassemble(struct disassembler *d, const char *text)
{
   d->line = 1;
   while (*text) {
      if (isspace((unsigned char)*text) || *text == ',') {
         d->line += *text++ == '\n';
         continue;
      }
      if (*text == '#' || (text[0] == '/' && text[1] == '/')) {
         text += strcspn(text, "\n");
         continue;
      }
      const size_t length = strcspn(text, " \t\r\n,#");
      const bool ok = *text == '.' ? take_directive(d, text + 1, length - 1)
                                   : take_word(d, text, length);
      if (!ok)
         return false;
      text += length;
   }
   if (d->count) {
      fprintf(stderr, "%s:%u: the last instruction has %u of %u words\n",
              d->path, d->line, d->count, d->stage->words);
      return false;
   }
   return finish_section(d);
}

int
main(int argc, char **argv)
{
   static const struct option longs[] = {
      { "stage", required_argument, NULL, 's' },
      { "chip", required_argument, NULL, 'c' },
      { "version", no_argument, NULL, 'v' },
      { "help", no_argument, NULL, 'h' },
      { 0 }
   };
   static struct disassembler d;

   d = (struct disassembler){ .stage = &asm_stages[0] };

   for (int c; (c = getopt_long(argc, argv, "s:h", longs, NULL)) != -1;) {
      switch (c) {
      case 's':
         d.stage = find_asm_stage(optarg, strlen(optarg));
         if (!d.stage) {
            fprintf(stderr,
                    "tegra20-disasm: there is no stage \"%s\"; see --help\n",
                    optarg);
            return 2;
         }
         d.unnamed = true;
         break;
      case 'c':
         if (!set_asm_chip("tegra20-disasm", optarg))
            return 2;
         break;
      case 'v':
         about_print_version("tegra20-disasm");
         return 0;
      case 'h':
         print_usage();
         return 0;
      default:
         fprintf(stderr, "Try 'tegra20-disasm --help'.\n");
         return 2;
      }
   }
   if (argc - optind > 1) {
      fprintf(stderr, "tegra20-disasm: one file at a time\n");
      return 2;
   }
   d.path = optind < argc ? argv[optind] : "-";
   char *text = read_whole_file("tegra20-disasm", d.path);
   if (!text)
      return 1;
   const bool ok = disassemble(&d, text);
   free(text);
   return !finish_output("tegra20-disasm") || !ok;
}
