/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Whole fragment programs as text:
 *
 *    chip tegra114; // not for Tegra20
 *    rows 2;
 *    exec;            // 0, row 0
 *       fetch surface1, r2;
 *       mfu ...;
 *       tex ...;
 *       alu ...;
 *       store surface1, r0;
 *    exec;            // 1, row 1
 *
 * MFU instructions and packets are numbered in the order in which they
 * appear, and the schedules follow from that.  A program whose schedules are
 * otherwise has a statement "schedule mfu WORD, alu WORD;" in every EXEC, and
 * its instructions behind "pool;".
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa_text.h"

static const struct tegra20_chip_info *
chip_of(const struct fs_words *w)
{
   return &tegra20_chips[w->chip];
}

static unsigned
alu_count_of(const struct fs_words *w, unsigned exec)
{
   return tegra20_sched_count(&chip_of(w)->alu_sched, w->alu_sched[exec]);
}

static bool
is_sequential(const struct fs_words *w)
{
   unsigned mfu = 0, alu = 0;

   for (unsigned e = 0; e < w->num_execs; e++) {
      const unsigned mfu_count = w->mfu_sched[e] & 3,
                     alu_count = alu_count_of(w, e);
      if (w->mfu_sched[e] != (mfu_count ? mfu << 2 | mfu_count : 0) ||
          w->alu_sched[e] !=
             tegra20_sched_pack(&chip_of(w)->alu_sched, alu, alu_count))
         return false;
      mfu += mfu_count;
      alu += alu_count;
   }
   return mfu == w->num_mfu && alu == w->num_alu;
}

struct text {
   char *data;
   size_t used, room;
};

static void
append(struct text *text, const char *indent, const char *line)
{
   const size_t length = strlen(indent) + strlen(line) + 2;

   if (text->used + length > text->room) {
      text->room = 2 * (text->used + length);
      text->data = realloc(text->data, text->room);
   }
   text->used += snprintf(text->data + text->used, text->room - text->used,
                          "%s%s\n", indent, line);
}

#define APPEND(text, indent, print, words) \
   do {                                    \
      char line[4 * ISA_MAX_TEXT];         \
      print(words, line, sizeof(line));    \
      append(text, indent, line);          \
   } while (0)

static void
print_exec(struct text *text, const struct fs_words *w, unsigned e,
           bool sequential)
{
   char line[96];

   snprintf(line, sizeof(line), "exec; // %u, row %u", e, e % w->rows);
   append(text, "", line);
   if (w->pseq[e])
      APPEND(text, "   ", fs_pseq_print_inst, &w->pseq[e]);
   if (!sequential) {
      snprintf(line, sizeof(line), "schedule mfu 0x%x, alu 0x%x;",
               w->mfu_sched[e], w->alu_sched[e]);
      append(text, "   ", line);
   }
   for (unsigned i = 0; sequential && i < (w->mfu_sched[e] & 3); i++)
      APPEND(text, "   ", fs_mfu_print_inst,
             w->mfu[(w->mfu_sched[e] >> 2) + i]);
   if (w->tex[e])
      APPEND(text, "   ", fs_tex_print_inst, &w->tex[e]);
   const unsigned first =
      tegra20_sched_first(&chip_of(w)->alu_sched, w->alu_sched[e]);
   for (unsigned i = 0; sequential && i < alu_count_of(w, e); i++)
      APPEND(text, "   ", fs_packet_print_inst, w->alu[first + i]);
   if (w->complement[e]) {
      snprintf(line, sizeof(line), "complement 0x%x;", w->complement[e]);
      append(text, "   ", line);
   }
   if (w->dw[e])
      APPEND(text, "   ", fs_dw_print_inst, &w->dw[e]);
}

char *
fs_program_print(const struct fs_words *w)
{
   struct text text = { 0 };
   const bool sequential = is_sequential(w);
   char line[32];

   if (w->chip != TEGRA20_CHIP_TEGRA20) {
      snprintf(line, sizeof(line), "chip %s;", chip_of(w)->name);
      append(&text, "", line);
   }
   snprintf(line, sizeof(line), "rows %u;", w->rows);
   append(&text, "", line);
   for (unsigned e = 0; e < w->num_execs; e++)
      print_exec(&text, w, e, sequential);
   if (!sequential) {
      append(&text, "", "pool;");
      for (unsigned i = 0; i < w->num_mfu; i++)
         APPEND(&text, "   ", fs_mfu_print_inst, w->mfu[i]);
      for (unsigned i = 0; i < w->num_alu; i++)
         APPEND(&text, "   ", fs_packet_print_inst, w->alu[i]);
   }
   return text.data;
}
