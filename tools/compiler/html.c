/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Pictures of schedules: EXECs as rows, units as columns.  Results that the
 * next packet reads from alu0..3 have the colour of their unit in both
 * places; clocks that an EXEC spends on its busiest unit are in the first
 * column.
 */

#include "html.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "isa_text.h"
#include "util/macros.h"

static const char head[] =
   "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>Tegra20 "
   "fragment programs</title>\n"
   "<style>body{font-family:sans-serif}table{border-collapse:collapse;font-"
   "size:13px}\n"
   "td,th{border:1px solid #bbb;padding:3px "
   "6px;vertical-align:top;white-space:nowrap;font-family:monospace}\n"
   "th{background:#eee;font-family:sans-serif}tr.batch td{border-top:3px "
   "solid #555}.idle{color:#bbb}\n"
   ".f0{background:#ffd9d9}.f1{background:#d9f2d9}.f2{background:#d9e4ff}.f3{"
   "background:#fff2c0}</style></head><body>\n"
   "<p>A row is an EXEC, thick lines separate batches. A coloured result is "
   "read from alu0..3 by the next packet.</p>\n";

static void
append_to_file(const char *path, const char *text, size_t size)
{
   const int file = open(path, O_WRONLY | O_APPEND);

   if (file < 0 || write(file, text, size) != (ssize_t)size)
      perror(path);
   if (file >= 0)
      close(file);
}

bool
html_begin(const char *path)
{
   FILE *file = fopen(path, "w");

   if (!file) {
      perror(path);
      return false;
   }
   fputs(head, file);
   return fclose(file) == 0;
}

void
html_end(const char *path)
{
   static const char tail[] = "</body></html>\n";
   append_to_file(path, tail, sizeof(tail) - 1);
}

static void
put_escaped(FILE *out, const char *text)
{
   for (; *text; text++) {
      if (*text == '<')
         fputs("&lt;", out);
      else if (*text == '&')
         fputs("&amp;", out);
      else
         fputc(*text, out);
   }
}

/* Operands that name alu0..3 get the colour of the unit that made them. */
static void
put_forwarded(FILE *out, const char *text)
{
   while (*text) {
      const char *alu = strstr(text, "alu");
      char part[ISA_MAX_TEXT];

      if (!alu || alu[3] < '0' || alu[3] > '3') {
         put_escaped(out, text);
         return;
      }
      snprintf(part, sizeof(part), "%.*s", (int)(alu - text), text);
      put_escaped(out, part);
      fprintf(out, "<span class=\"f%c\">alu%c</span>", alu[3], alu[3]);
      text = alu + 4;
   }
}

static bool
reads_result(const uint32_t *packet, unsigned unit)
{
   char text[4 * ISA_MAX_TEXT], name[8];

   fs_packet_print_inst(packet, text, sizeof(text));
   snprintf(name, sizeof(name), "alu%u", unit);
   return strstr(text + 3, name) != NULL;
}

static unsigned
packets_of(const struct tegra20_fs *fs, unsigned exec)
{
   return tegra20_sched_count(&tegra20_chips[fs->chip].alu_sched,
                              fs->alu_sched[exec]);
}

static void
put_units(FILE *out, const struct tegra20_fs *fs, unsigned exec,
          unsigned unit)
{
   const unsigned count = packets_of(fs, exec),
                  first = tegra20_sched_first(
                     &tegra20_chips[fs->chip].alu_sched, fs->alu_sched[exec]);

   fputs("<td>", out);
   for (unsigned i = 0; i < count; i++) {
      const uint32_t *packet = fs->alu[first + i];
      char text[4 * ISA_MAX_TEXT], *part = text + 4, *next;

      fs_packet_print_inst(packet, text, sizeof(text));
      for (unsigned u = 0; u < unit && (next = strstr(part, " | ")); u++)
         part = next + 3;
      part[strcspn(part, "|;")] = '\0';
      const bool forwarded =
         i + 1 < count && reads_result(fs->alu[first + i + 1], unit);
      if (forwarded)
         fprintf(out, "<span class=\"f%u\">&rarr;</span> ", unit);
      if (strncmp(part, "nop", 3) == 0)
         fputs("<span class=\"idle\">nop</span>", out);
      else
         put_forwarded(out, part);
      fputs("<br>", out);
   }
   fputs("</td>", out);
}

static void
put_cell(FILE *out, void (*print)(const uint32_t *, char *, size_t),
         const uint32_t *words, unsigned count, unsigned stride)
{
   fputs("<td>", out);
   for (unsigned i = 0; i < count; i++) {
      char text[ISA_MAX_TEXT];
      print(words + i * stride, text, sizeof(text));
      text[strcspn(text, ";")] = '\0';
      put_escaped(out, text + strcspn(text, " ") + 1);
      fputs("<br>", out);
   }
   fputs("</td>", out);
}

static void
put_exec(FILE *out, const struct tegra20_fs *fs, unsigned e)
{
   const unsigned mfu = fs->mfu_sched[e] & 3, packets = packets_of(fs, e);

   fprintf(out, "<tr%s><td>%u</td><td>%u</td><td>%u</td>",
           e % fs->rows == 0 ? " class=\"batch\"" : "", e, e % fs->rows,
           MAX3(1, mfu, packets));
   put_cell(out, fs_pseq_print_inst, &fs->pseq[e], fs->pseq[e] != 0, 1);
   put_cell(out, fs_mfu_print_inst,
            mfu ? fs->mfu[fs->mfu_sched[e] >> 2] : NULL, mfu, 2);
   put_cell(out, fs_tex_print_inst, &fs->tex[e], fs->tex[e] != 0, 1);
   for (unsigned unit = 0; unit < 4; unit++)
      put_units(out, fs, e, unit);
   put_cell(out, fs_dw_print_inst, &fs->dw[e], fs->dw[e] != 0, 1);
   fputs("</tr>\n", out);
}

void
html_add(const char *path, const char *name, const struct tegra20_fs *fs)
{
   char *text;
   size_t size;
   FILE *out = open_memstream(&text, &size);

   fputs("<h3>", out);
   put_escaped(out, name);
   fprintf(
      out,
      "</h3>\n<p>%u clocks (at least %u), %u EXECs of %u rows, %u of %u "
      "units in use</p>\n<table><tr><th>EXEC<th>row"
      "<th>clocks<th>PSEQ<th>MFU<th>TEX<th>A0<th>A1<th>A2<th>A3<th>DW</tr>\n",
      fs->stats.cycles, fs->stats.lower_bound, fs->num_execs, fs->rows,
      fs->stats.alu_slots, 4 * fs->stats.alu_packets);
   for (unsigned e = 0; e < fs->num_execs; e++)
      put_exec(out, fs, e);
   fputs("</table>\n", out);
   fclose(out);
   append_to_file(path, text, size);
   free(text);
}
