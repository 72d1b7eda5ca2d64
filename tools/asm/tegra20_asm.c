/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * tegra20-asm: assembly text to machine words.
 */

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "about.h"
#include "stages.h"

static const char usage[] =
   "Usage: tegra20-asm [OPTION]... [FILE]\n"
   "Assembles Tegra20 programs: prints the 32-bit words of each instruction "
   "in hexadecimal, one instruction per line.\n"
   "Without FILE, or with \"-\", reads standard input.\n"
   "\n"
   "      --no-check   do not check the program against the rules of the "
   "chip\n"
   "      --chip CHIP  of fragment programs that do not name theirs, and the "
   "limits: tegra20\n"
   "                   (default), tegra30, tegra114\n"
   "  --version        print version, commit and where reports go\n"
   "  -h, --help       this text\n"
   "\n"
   "A line \".vertex\", \".linker\", \".fragment\" and so on begins a "
   "section (default: vertex). Statements end with\n"
   "\";\". \"//\" and \"#\" begin comments. \"name:\" in front of a "
   "statement is a label, which BRAs and CALs can\n"
   "name. tegra20-disasm prints what this program reads.\n";

#define MAX_INSTS FS_IMAGE_MAX_WORDS
#define MAX_LABELS 256

struct label {
   char name[64];
   unsigned address;
};

struct assembler {
   const char *path;
   const struct asm_stage *stage;
   bool check, failed;
   unsigned count; /* instructions of this section */
   uint32_t words[MAX_INSTS * MAX_WORDS];
   unsigned lines[MAX_INSTS];
   unsigned num_labels;
   struct label labels[MAX_LABELS];
};

static void
report(struct assembler *a, unsigned line, const char *reason)
{
   fprintf(stderr, "%s:%u: %s\n", a->path, line, reason);
   a->failed = true;
}

/* Comments become blanks, so that line numbers stay right. */
static void
strip_comments(char *text)
{
   for (char *c = text; *c; c++) {
      if (*c == '#' || (c[0] == '/' && c[1] == '/')) {
         while (*c && *c != '\n')
            *c++ = ' ';
         if (!*c)
            return;
      }
   }
}

static void
finish_section(struct assembler *a)
{
   unsigned inst;
   const char *reason;

   if (a->count && a->check && !a->failed && a->stage->check &&
       (reason = a->stage->check(a->words, a->count, &inst)))
      report(a, a->lines[inst], reason);
   if (a->count && !a->failed) {
      printf(".%s\n", a->stage->name);
      for (unsigned i = 0; i < a->count; i++) {
         for (unsigned w = 0; w < a->stage->words; w++)
            printf("%s%08x", w ? " " : "", a->words[i * a->stage->words + w]);
         printf("\n");
      }
   }
   a->count = 0;
   a->num_labels = 0;
}

/* Replaces the label behind a jump by its address. */
static bool
resolve_label(struct assembler *a, char *statement, size_t size,
              unsigned line)
{
   char *jump = strstr(statement, "BRAs");
   if (!jump)
      jump = strstr(statement, "CALs");
   if (!jump)
      return true;

   char *name = jump + 4;
   while (isspace((unsigned char)*name))
      name++;
   if (!isalpha((unsigned char)*name) && *name != '_')
      return true;
   size_t length = 0;
   while (isalnum((unsigned char)name[length]) || name[length] == '_')
      length++;
   for (unsigned i = 0; i < a->num_labels; i++) {
      if (strlen(a->labels[i].name) != length ||
          strncmp(a->labels[i].name, name, length) != 0)
         continue;
      char rest[1024];
      snprintf(rest, sizeof(rest), "%s", name + length);
      snprintf(name, size - (name - statement), "%u%s", a->labels[i].address,
               rest);
      return true;
   }
   report(a, line, "the jump names a label that does not exist");
   return false;
}

/* One pass over a section: the first notes labels, the second makes words. */
struct cursor {
   char *pos;
   unsigned line;
};

static void
skip_blanks(struct cursor *c)
{
   while (isspace((unsigned char)*c->pos)) {
      c->line += *c->pos == '\n';
      c->pos++;
   }
}

static bool
take_label(struct assembler *a, struct cursor *c, bool note)
{
   size_t length = 0;

   while (isalnum((unsigned char)c->pos[length]) || c->pos[length] == '_')
      length++;
   if (length == 0 || c->pos[length] != ':')
      return false;
   if (note && a->num_labels < MAX_LABELS &&
       length < sizeof(a->labels[0].name)) {
      memcpy(a->labels[a->num_labels].name, c->pos, length);
      a->labels[a->num_labels].name[length] = '\0';
      a->labels[a->num_labels++].address = a->count;
   } else if (note) {
      report(a, c->line, "too many labels, or one that is too long");
   }
   c->pos += length + 1;
   return true;
}

static void
take_statement(struct assembler *a, struct cursor *c, bool note)
{
   const unsigned line = c->line;
   const size_t length = strcspn(c->pos, ";");
   char statement[1024];
   struct isa_parser parser = { .pos = statement };

   if (length >= sizeof(statement) - 16) {
      report(a, line, "statement too long (missing \";\"?)");
   } else if (a->count >= a->stage->max_insts) {
      char reason[96];
      snprintf(reason, sizeof(reason),
               "too many instructions: the chip has room for %u",
               a->stage->max_insts);
      if (note)
         report(a, line, reason);
   } else if (!note) {
      snprintf(statement, sizeof(statement), "%.*s", (int)length, c->pos);
      a->lines[a->count] = line;
      if (resolve_label(a, statement, sizeof(statement), line) &&
          !a->stage->parse(&parser, &a->words[a->count * a->stage->words]))
         report(a, line, parser.error);
   }
   a->count += a->count < a->stage->max_insts;
   for (size_t i = 0; i < length; i++)
      c->line += c->pos[i] == '\n';
   c->pos += length + (c->pos[length] == ';');
}

static struct cursor
run_section(struct assembler *a, struct cursor c, bool note)
{
   a->count = 0;
   for (skip_blanks(&c); *c.pos && *c.pos != '.'; skip_blanks(&c)) {
      if (!take_label(a, &c, note))
         take_statement(a, &c, note);
   }
   return c;
}

/* A section whose text is a whole: up to the next line that begins with a
 * directive. */
static struct cursor
take_whole_section(struct assembler *a, struct cursor c)
{
   const char *end = c.pos;
   struct isa_parser parser = { 0 };

   while (*end &&
          !(*end == '\n' && end[1 + strspn(end + 1, " \t\r\n")] == '.'))
      end++;
   char *text = strndup(c.pos, end - c.pos);
   if (!a->stage->parse_all(text, a->words, &a->count, &parser))
      report(a, c.line, parser.error);
   free(text);
   for (; c.pos < end; c.pos++)
      c.line += *c.pos == '\n';
   return c;
}

static void
assemble(struct assembler *a, char *text)
{
   struct cursor c = { text, 1 };

   strip_comments(text);
   a->stage = &asm_stages[0];
   for (skip_blanks(&c); *c.pos; skip_blanks(&c)) {
      if (*c.pos == '.') {
         const size_t length = strcspn(c.pos + 1, " \t\r\n");
         const struct asm_stage *stage = find_asm_stage(c.pos + 1, length);
         if (!stage) {
            report(a, c.line, "there is no section of this name");
            return;
         }
         a->stage = stage;
         c.pos += 1 + length;
      }
      if (a->stage->parse_all) {
         c = take_whole_section(a, c);
      } else {
         run_section(a, c, true);
         c = run_section(a, c, false);
      }
      finish_section(a);
   }
}

int
main(int argc, char **argv)
{
   static const struct option longs[] = {
      { "no-check", no_argument, NULL, 'n' },
      { "chip", required_argument, NULL, 'c' },
      { "version", no_argument, NULL, 'v' },
      { "help", no_argument, NULL, 'h' },
      { 0 }
   };
   static struct assembler a = { .check = true };

   for (int c; (c = getopt_long(argc, argv, "h", longs, NULL)) != -1;) {
      switch (c) {
      case 'n':
         a.check = false;
         break;
      case 'c':
         if (!set_asm_chip("tegra20-asm", optarg))
            return 2;
         break;
      case 'v':
         about_print_version("tegra20-asm");
         return 0;
      case 'h':
         fputs(usage, stdout);
         return 0;
      default:
         fprintf(stderr, "Try 'tegra20-asm --help'.\n");
         return 2;
      }
   }
   if (argc - optind > 1) {
      fprintf(stderr, "tegra20-asm: one file at a time\n");
      return 2;
   }
   a.path = optind < argc ? argv[optind] : "-";
   char *text = read_whole_file("tegra20-asm", a.path);
   if (!text)
      return 1;
   assemble(&a, text);
   free(text);
   return a.failed || !finish_output("tegra20-asm");
}
