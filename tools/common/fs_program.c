/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Fragment programs from text (fs_program_text.c describes it), and as one
 * array of words.
 */

#include "fs_program.h"

#include <ctype.h>
#include <string.h>

static const struct tegra20_sched_layout mfu_sched = { 0, 2, 2, 6, 0 };

static const struct tegra20_chip_info *
chip_of(const struct fs_words *w)
{
   return &tegra20_chips[w->chip];
}

/* --- text --- */

struct reader {
   struct fs_words *w;
   struct isa_parser *parser; /* of the caller, for the error */
   int exec;                  /* -1 before the first */
   bool pool;
};

/* First word of the statement. */
static bool
begins_with(const char *statement, const char *word)
{
   const size_t length = strlen(word);
   return strncmp(statement, word, length) == 0 &&
          !isalnum((unsigned char)statement[length]);
}

/* most: of them in one EXEC */
static void
add_scheduled(struct reader *r, const struct tegra20_sched_layout *layout,
              unsigned most, uint32_t *schedule, unsigned index)
{
   if (r->pool)
      return;
   uint32_t *word = &schedule[r->exec];
   const unsigned count = tegra20_sched_count(layout, *word);
   if (count == most)
      isa_error(r->parser, "EXEC %d has more than %u instructions of a kind",
                r->exec, most);
   else
      *word = tegra20_sched_pack(
         layout, count ? tegra20_sched_first(layout, *word) : index,
         count + 1);
}

static void
read_schedule(struct reader *r, struct isa_parser *p)
{
   isa_expect(p, "schedule");
   isa_expect(p, "mfu");
   r->w->mfu_sched[r->exec] = isa_number(p, UINT32_MAX);
   isa_expect(p, ",");
   isa_expect(p, "alu");
   r->w->alu_sched[r->exec] = isa_number(p, UINT32_MAX);
}

static void
read_in_exec(struct reader *r, struct isa_parser *p, const char *statement)
{
   struct fs_words *w = r->w;

   if (begins_with(statement, "mfu")) {
      if (w->num_mfu == 64)
         isa_error(p, "more than 64 MFU instructions");
      else if (fs_mfu_parse_inst(p, w->mfu[w->num_mfu]))
         add_scheduled(r, &mfu_sched, 3, w->mfu_sched, w->num_mfu++);
   } else if (begins_with(statement, "alu")) {
      if (w->num_alu == chip_of(w)->fs_alu)
         isa_error(p, "more than %u packets", chip_of(w)->fs_alu);
      else if (fs_packet_parse_inst(p, w->alu[w->num_alu]))
         add_scheduled(r, &chip_of(w)->alu_sched,
                       (1u << chip_of(w)->alu_sched.count_bits) - 1,
                       w->alu_sched, w->num_alu++);
   } else if (r->pool) {
      isa_error(p, "only MFU instructions and packets belong into the pool");
   } else if (begins_with(statement, "fetch")) {
      fs_pseq_parse_inst(p, &w->pseq[r->exec]);
   } else if (begins_with(statement, "tex")) {
      fs_tex_parse_inst(p, &w->tex[r->exec]);
   } else if (begins_with(statement, "store")) {
      fs_dw_parse_inst(p, &w->dw[r->exec]);
   } else if (begins_with(statement, "schedule")) {
      read_schedule(r, p);
   } else if (isa_accept(p, "complement")) {
      w->complement[r->exec] = isa_number(p, UINT32_MAX);
   } else {
      isa_error(p, "expected a statement at \"%.20s\"", statement);
   }
}

/* Words of tables that nothing is said about are those of an EXEC that does
 * nothing. */
static void
begin_exec(struct reader *r)
{
   r->w->num_execs = ++r->exec + 1;
   r->w->alu_sched[r->exec] = chip_of(r->w)->alu_sched.constant;
}

static void
read_chip(struct reader *r, struct isa_parser *p)
{
   const char *name;
   const size_t length = isa_name(p, &name);

   for (unsigned i = 0; i < TEGRA20_NUM_CHIPS; i++) {
      if (strlen(tegra20_chips[i].name) == length &&
          !strncmp(tegra20_chips[i].name, name, length)) {
         if (r->exec >= 0)
            isa_error(p, "the chip is named behind the first EXEC");
         r->w->chip = i;
         return;
      }
   }
   isa_error(p, "there is no chip \"%.*s\"", (int)length, name);
}

static void
read_statement(struct reader *r, const char *statement)
{
   struct isa_parser p = { .pos = statement };

   if (isa_accept(&p, "chip")) {
      read_chip(r, &p);
   } else if (isa_accept(&p, "rows")) {
      r->w->rows = isa_number(&p, 4);
   } else if (isa_accept(&p, "exec")) {
      if (r->exec == 63)
         isa_error(&p, "more than 64 EXECs");
      else
         begin_exec(r);
   } else if (isa_accept(&p, "pool")) {
      r->pool = true;
   } else if (r->exec < 0) {
      isa_error(&p, "an instruction before the first \"exec;\"");
   } else {
      read_in_exec(r, &p, statement);
   }
   if (p.error[0])
      isa_error(r->parser, "EXEC %d: %s", r->exec, p.error);
}

bool
fs_program_parse(const char *text, enum tegra20_chip chip,
                 struct fs_words *words, struct isa_parser *parser)
{
   struct reader r = { .w = words, .parser = parser, .exec = -1 };
   char statement[4 * ISA_MAX_TEXT];
   size_t length = 0;

   memset(words, 0, sizeof(*words));
   words->chip = chip;
   parser->error[0] = '\0';
   for (; *text && !parser->error[0]; text++) {
      if (text[0] == '#' || (text[0] == '/' && text[1] == '/')) {
         text += strcspn(text, "\n");
         if (!*text)
            break;
      }
      if (*text == ';') {
         statement[length] = '\0';
         read_statement(&r, statement);
         length = 0;
      } else if (length > 0 || !isspace((unsigned char)*text)) {
         if (length + 1 < sizeof(statement))
            statement[length++] = *text;
      }
   }
   if (length)
      isa_error(parser, "the last statement does not end with \";\"");
   if (!words->rows || !words->num_execs)
      isa_error(parser, "a program needs \"rows N;\" and an EXEC");
   return parser->error[0] == '\0';
}

/* --- one array --- */

static unsigned
copy_tables(const struct fs_words *w, uint32_t *image, struct fs_words *out)
{
   struct {
      const uint32_t *from;
      uint32_t *to;
      unsigned count;
   } tables[] = {
      { w->pseq, out ? out->pseq : NULL, w->num_execs },
      { w->mfu_sched, out ? out->mfu_sched : NULL, w->num_execs },
      { w->mfu[0], out ? out->mfu[0] : NULL, 2 * w->num_mfu },
      { w->tex, out ? out->tex : NULL, w->num_execs },
      { w->alu_sched, out ? out->alu_sched : NULL, w->num_execs },
      { w->alu[0], out ? out->alu[0] : NULL, 8 * w->num_alu },
      { w->complement, out ? out->complement : NULL, w->num_execs },
      { w->dw, out ? out->dw : NULL, w->num_execs },
   };
   unsigned used = 0;

   for (unsigned t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
      const size_t size = tables[t].count * sizeof(uint32_t);
      if (out)
         memcpy(tables[t].to, image + used, size);
      else
         memcpy(image + used, tables[t].from, size);
      used += tables[t].count;
   }
   return used;
}

unsigned
fs_image_pack(const struct fs_words *words, uint32_t *image)
{
   image[0] = words->rows;
   image[1] = words->num_execs;
   image[2] = words->num_mfu;
   image[3] = words->num_alu;
   return 4 + copy_tables(words, image + 4, NULL);
}

bool
fs_image_unpack(const uint32_t *image, unsigned count, enum tegra20_chip chip,
                struct fs_words *words)
{
   memset(words, 0, sizeof(*words));
   if (count < 4 || image[0] < 1 || image[0] > 4 || image[1] < 1 ||
       image[1] > 64 || image[2] > 64 ||
       image[3] > tegra20_chips[chip].fs_alu ||
       count != 4 + 6 * image[1] + 2 * image[2] + 8 * image[3])
      return false;
   words->chip = chip;
   words->rows = image[0];
   words->num_execs = image[1];
   words->num_mfu = image[2];
   words->num_alu = image[3];
   copy_tables(words, (uint32_t *)image + 4, words);
   return true;
}
