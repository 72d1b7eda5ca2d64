/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Text of fragment programs: what the printers print the parsers read back to the same words, for all public programs and
 * encodings, and for random words.
 */

#include "unit.h"
#include "fragment_vectors.h"
#include "fs_program.h"

static const struct kind {
   const char *name;
   unsigned words;
   void (*print)(const uint32_t *words, char *text, size_t size);
   bool (*parse)(struct isa_parser *parser, uint32_t *words);
} kinds[] = {
   {"ALU sub-instruction", 2, fs_alu_print_inst, fs_alu_parse_inst},
   {"ALU packet with embedded constants", 8, fs_packet_print_inst, fs_packet_parse_inst},
   {"MFU", 2, fs_mfu_print_inst, fs_mfu_parse_inst},
   {"TEX", 1, fs_tex_print_inst, fs_tex_parse_inst},
   {"DW", 1, fs_dw_print_inst, fs_dw_parse_inst},
   {"PSEQ", 1, fs_pseq_print_inst, fs_pseq_parse_inst},
};

#define NUM_KINDS (COUNT(kinds))

static void
check_words(const struct kind *kind, const uint32_t *words, const char *name)
{
   char text[4 * ISA_MAX_TEXT];
   struct isa_parser parser = {.pos = text};
   uint32_t again[8] = {0};

   kind->print(words, text, sizeof(text));
   if (!kind->parse(&parser, again))
      fail_msg("%s: \"%s\": %s", name, text, parser.error);
   if (memcmp(words, again, kind->words * sizeof(uint32_t)) != 0)
      fail_msg("%s: \"%s\" reads back as %08x %08x, not %08x %08x", name, text, again[0], again[1], words[0], words[1]);
}

TEST(encodings)
{
   for (unsigned i = 0; i < COUNT(encoding_vectors); i++) {
      const struct encoding_vector *v = &encoding_vectors[i];
      for (unsigned k = 0; k < NUM_KINDS; k++) {
         if (strcmp(kinds[k].name, v->unit) == 0)
            check_words(&kinds[k], v->words, v->decoded);
      }
   }
}

TEST(random_words)
{
   srand(1);
   for (unsigned k = 0; k < NUM_KINDS; k++) {
      for (unsigned i = 0; i < 20000; i++) {
         uint32_t words[8];
         for (unsigned w = 0; w < 8; w++)
            words[w] = (uint32_t)rand() << 16 ^ (uint32_t)rand() << 4 ^ rand();
         check_words(&kinds[k], words, kinds[k].name);
      }
   }
}

static void
check_program(const struct fs_words *program, const char *name)
{
   static struct fs_words again;
   struct isa_parser parser = {0};
   char *text = fs_program_print(program);

   if (!fs_program_parse(text, TEGRA20_CHIP_TEGRA20, &again, &parser))
      fail_msg("%s: %s\n%s", name, parser.error, text);
   if (memcmp(program, &again, sizeof(again)) != 0)
      fail_msg("%s does not read back:\n%s", name, text);
   free(text);
}

/* A public program, by way of its image: numbers, then the tables in the order of their upload. */
static void
unpack(const struct fragment_vector *v, struct fs_words *program)
{
   const struct {
      const void *words;
      unsigned count;
   } tables[] = {
      {v->pseq, v->num_execs}, {v->mfu_sched, v->num_execs}, {v->mfu, 2 * v->num_mfu},           {v->tex, v->num_execs},
      {v->alu_sched, v->num_execs}, {v->alu, 8 * v->num_alu},  {v->alu_complement, v->num_execs}, {v->dw, v->num_execs},
   };
   uint32_t image[FS_IMAGE_MAX_WORDS] = {v->rows, v->num_execs, v->num_mfu, v->num_alu}, again[FS_IMAGE_MAX_WORDS];
   unsigned count = 4;

   for (unsigned i = 0; i < COUNT(tables); count += tables[i++].count)
      memcpy(image + count, tables[i].words, tables[i].count * sizeof(uint32_t));
   assert_true(fs_image_unpack(image, count, TEGRA20_CHIP_TEGRA20, program));
   assert_int_equal(fs_image_pack(program, again), count);
   assert_memory_equal(again, image, count * sizeof(uint32_t));
}

TEST(programs)
{
   static struct fs_words program;

   for (unsigned i = 0; i < COUNT(fragment_vectors); i++) {
      unpack(&fragment_vectors[i], &program);
      check_program(&program, fragment_vectors[i].name);
   }
}

TEST(other_schedules)
{
   static struct fs_words program;

   unpack(&fragment_vectors[0], &program);
   program.num_execs = 2;
   program.alu_sched[1] = program.alu_sched[0]; /* shared by two EXECs */
   program.complement[1] = 0x12345678;
   check_program(&program, "shared packet");
   program.alu_sched[1] = 0xfc;
   check_program(&program, "schedule that points elsewhere");
}

/* The same programs with the schedule words of Tegra114, which their text names. */
TEST(chips)
{
   static struct fs_words program;
   const struct tegra20_sched_layout *from = &tegra20_chips[TEGRA20_CHIP_TEGRA20].alu_sched,
                                     *to = &tegra20_chips[TEGRA20_CHIP_TEGRA114].alu_sched;

   for (unsigned i = 0; i < COUNT(fragment_vectors); i++) {
      unpack(&fragment_vectors[i], &program);
      program.chip = TEGRA20_CHIP_TEGRA114;
      for (unsigned e = 0; e < program.num_execs; e++) {
         const uint32_t word = program.alu_sched[e];
         program.alu_sched[e] = tegra20_sched_pack(to, tegra20_sched_first(from, word), tegra20_sched_count(from, word));
      }
      check_program(&program, fragment_vectors[i].name);
      char *text = fs_program_print(&program);
      assert_non_null(strstr(text, "chip tegra114;"));
      free(text);
   }
   struct isa_parser parser = {0};
   static char text[200 * 32] = "rows 1; exec;";
   for (unsigned i = 0; i < 128; i++)
      strcat(text, "alu nop | nop | nop | nop;");
   assert_true(fs_program_parse(text, TEGRA20_CHIP_TEGRA114, &program, &parser));
   assert_int_equal(program.alu_sched[0], 0xe0008000);
   strcat(text, "alu nop | nop | nop | nop;");
   assert_false(fs_program_parse(text, TEGRA20_CHIP_TEGRA114, &program, &parser));
   assert_non_null(strstr(parser.error, "more than 128 packets"));
}

/* Texts without fields added ("!field=value"): each says all of its words, and is what the printer makes of them. */
static const char *const alu_texts[] = {
   "r0 = r1*r2 + r3",
   "r15.h = u0.l*r2.h + u31.l",
   "c0 = r0*r1 + r2",
   "c15 = r0*r1 + r2",
   "r0 = c0*c1 + c14",
   "r0 = c15*r1 + c2",
   "r0 = -c3*|c4| + (c5-1)",
   "r0 = g0*g7.h + alu3",
   "r0 = posx*posy + 0",
   "r0 = k0*k2.l + 1",
};

TEST(alu_texts)
{
   for (unsigned i = 0; i < COUNT(alu_texts); i++) {
      char text[ISA_MAX_TEXT];
      uint32_t words[2];
      struct isa_parser parser = {.pos = alu_texts[i]};

      if (!fs_alu_parse_inst(&parser, words))
         fail_msg("\"%s\": %s", alu_texts[i], parser.error);
      fs_alu_print_inst(words, text, sizeof(text));
      assert_string_equal(text, alu_texts[i]);
   }
}

static const struct {
   const char *text;
   const char *error;
} bad_programs[] = {
   {"rows 1; exec; alu r0 = r1*r2 + r16 | nop | nop | nop;", "register"},
   {"rows 1; exec; alu r0 = r1*r2 | nop | nop | nop;", "\"+\""},
   {"rows 1; exec; alu nop | nop | nop;", "\"|\""},
   {"rows 1; exec; mfu tan r0;", "unexpected"},
   {"rows 1; exec; mfu r0 = tram0.y;", "column x"},
   {"rows 1; exec; mfu r0 = tram16.x;", "tram"},
   {"rows 1; exec; tex r1 = sample0(r0);", "r0 or r2"},
   {"rows 1; exec; tex r0 = sample16(r0);", "sample"},
   {"rows 5; exec;", "too large"},
   {"rows 1;", "EXEC"},
   {"exec;", "rows"},
   {"rows 1; store surface1, r0;", "before the first"},
   {"rows 1; exec; store surface1, r0", "does not end"},
   {"rows 1; exec; halt;", "statement"},
   {"rows 1; exec; mfu nop; mfu nop; mfu nop; mfu nop;", "more than 3"},
   {"rows 1; exec; alu nop | nop | nop | nop; alu nop | nop | nop | nop; alu nop | nop | nop | nop; alu nop | nop | nop | nop;",
    "more than 3"},
   {"chip tegra124; rows 1; exec;", "no chip"},
   {"rows 1; exec; chip tegra30;", "behind the first"},
};

TEST_ROWS_CALLED(errors, bad_programs, text)
{
   static struct fs_words program;
   struct isa_parser parser = {0};

   assert_false(fs_program_parse(c->text, TEGRA20_CHIP_TEGRA20, &program, &parser));
   if (!strstr(parser.error, c->error))
      fail_msg("\"%s\" does not speak of \"%s\"", parser.error, c->error);
}
