/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Instruction words and text: exact round trips, expected texts, refused texts, rules of the validator.
 */

#include "unit.h"
#include "isa_parse.h"
#include "linker_isa.h"
#include "vpe_isa.h"

#include "vertex_vectors.h"

static void
vertex_round_trip(const uint32_t words[4], const char *name)
{
   char text[ISA_MAX_TEXT];
   struct isa_parser parser = {.pos = text};
   struct vpe_inst inst;
   uint32_t back[4];

   vpe_unpack(words, &inst);
   vpe_pack(&inst, back);
   if (memcmp(words, back, sizeof(back)) != 0)
      fail_msg("%s: packing what was unpacked gives other words", name);

   vpe_print_inst(words, text, sizeof(text));
   if (!vpe_parse_inst(&parser, back))
      fail_msg("%s: \"%s\": %s", name, text, parser.error);
   if (memcmp(words, back, sizeof(back)) != 0)
      fail_msg("%s: \"%s\" gives %08x %08x %08x %08x, not %08x %08x %08x %08x", name, text, back[0], back[1], back[2],
               back[3], words[0], words[1], words[2], words[3]);
}

static void
linker_round_trip(const uint32_t words[2], const char *name)
{
   char text[ISA_MAX_TEXT];
   struct isa_parser parser = {.pos = text};
   uint32_t back[2];

   linker_print_inst(words, text, sizeof(text));
   if (!linker_parse_inst(&parser, back))
      fail_msg("%s: \"%s\": %s", name, text, parser.error);
   if (memcmp(words, back, sizeof(back)) != 0)
      fail_msg("%s: \"%s\" gives %08x %08x, not %08x %08x", name, text, back[0], back[1], words[0], words[1]);
}

TEST(vertex_vectors)
{
   for (unsigned i = 0; i < COUNT(measured_vectors); i++) {
      for (unsigned n = 0; n < measured_vectors[i].num_insns; n++)
         vertex_round_trip(measured_vectors[i].program[n], measured_vectors[i].name);
   }
   for (unsigned i = 0; i < COUNT(other_programs); i++) {
      for (unsigned n = 0; n < other_programs[i].num_insns; n++)
         vertex_round_trip(other_programs[i].words[n], other_programs[i].name);
   }
}

TEST(linker_vectors)
{
   for (unsigned i = 0; i < COUNT(linker_words); i++)
      linker_round_trip(linker_words[i], "linker");
}

/* Any words at all, defined or not. */
TEST(random_words)
{
   uint32_t seed = 1, words[4];

   for (unsigned i = 0; i < 20000; i++) {
      for (unsigned w = 0; w < 4; w++) {
         seed = seed * 1664525u + 1013904223u;
         words[w] = seed ^ seed >> 15;
      }
      vertex_round_trip(words, "random");
      linker_round_trip(words, "random");
   }
}

static const struct {
   uint32_t words[4];
   const char *text;
} vertex_texts[] = {
   {{0x001f9c6c, 0x0000000d, 0x8006c003, 0x60001ffc}, "EXEC;"},
   {{0x001f9c6c, 0x0000000d, 0x8006c003, 0x60001ffd}, "EXEC_END;"},
   {{0x401f9c6c, 0x0040000d, 0x8106c003, 0x6001ff80}, "EXEC(export[0]=vector) MOVv r63.xyzw, a[0].xyzw;"},
   {{0x401f9c6c, 0x01c0000d, 0x8106c0c3, 0x60011f80}, "EXEC(export[0]=vector) DP4v r63.x***, a[0].xyzw, c[0].xyzw;"},
   {{0x00029c6c, 0x00c0000d, 0x8286c023, 0x6121fffd}, "EXEC_END ADDv r5.xyzw, r1.xyzw, -r2.xyzw;"},
   {{0x001f9c6c, 0x4800000d, 0x8006c000, 0xa0001ffc}, "EXEC(lt eq gt p.xyzw cr=0) BRAs 5;"},
};

TEST_ROWS_CALLED(vertex_texts, vertex_texts, text)
{
   char text[ISA_MAX_TEXT];
   vpe_print_inst(c->words, text, sizeof(text));
   assert_string_equal(text, c->text);
}

/* Texts without fields added ("!field=value"): each says all of its words, and is what the printer makes of them. */
static const char *const options[] = {
   "EXEC(cs cr=0) SLTv r63.x***, a[0].xyzw, c[0].xyzw;",
   "EXEC(cwr) SLTv r63.x***, a[0].xyzw, c[0].xyzw;",
   "EXEC(cs cwr cr=0) SLTv r63.x***, a[0].xyzw, c[0].xyzw;",
   "EXEC(saturate) MOVv r0.xyzw, a[0].xyzw;",
   "EXEC(export[3]=scalar) RCPs r63.x***, a[0].xxxx;",
};

TEST(options)
{
   for (unsigned i = 0; i < COUNT(options); i++) {
      char text[ISA_MAX_TEXT];
      uint32_t words[4];
      struct isa_parser parser = {.pos = options[i]};

      if (!vpe_parse_inst(&parser, words))
         fail_msg("\"%s\": %s", options[i], parser.error);
      vpe_print_inst(words, text, sizeof(text));
      assert_string_equal(text, options[i]);
   }
}

/* The worked example of vertex-pipeline.md 12.10. */
TEST(linker_texts)
{
   char text[ISA_MAX_TEXT];

   linker_print_inst((uint32_t[]){0x00000008, 0x0000fedc}, text, sizeof(text));
   assert_string_equal(text, "LINK fp20, fp20, fp20, fp20, tram0.xyzw, export1;");
   linker_print_inst((uint32_t[]){0x00000210, 0x000032dc}, text, sizeof(text));
   assert_string_equal(text, "LINK fp20, fp20, NOP, NOP, tram1.xyzw, export2;");
}

static const struct {
   const char *text, *error;
} refused[] = {
   {"EXEX;", "expected \"EXEC\""},
   {"EXEC FOOv r0.xyzw;", "no operation is called"},
   {"EXEC MOVv r0.xyzw, a[16].xyzw;", "too large"},
   {"EXEC MOVv r0.xyzw, q[1].xyzw;", "expected an operand"},
   {"EXEC MOVv r0.yxzw, a[1].xyzw;", "in the write mask"},
   {"EXEC MULv r0.xyzw, a[0].xyzw, a[1].xyzw;", "one attribute only"},
   {"EXEC MULv r0.xyzw, c[0].xyzw, c[1].xyzw;", "one constant register only"},
   {"EXEC ADDv r0.xyzw, r1.xyzw, r2.xyzw RCPs r3.x***, r4.xxxx;", "both halves read rC"},
   {"EXEC ADDv r0.xyzw, r1.xyzw, r2.xyzw BRAs 3;", "a jump cannot go with"},
   {"EXEC(foo) MOVv r0.xyzw, r1.xyzw;", "unknown option"},
   {"EXEC MOVv r0.xyzw, r1.xyzw !foo=1;", "no field is called"},
   {"EXEC MOVv r0.xyzw, r1.xyzw !ra_type=4;", "too large"},
   {"EXEC MOVv r0.xyzw, r1.xyzw; EXEC", "unexpected"},
};

TEST_ROWS_CALLED(refused, refused, text)
{
   struct isa_parser parser = {.pos = c->text};
   uint32_t words[4];
   assert_false(vpe_parse_inst(&parser, words));
   if (!strstr(parser.error, c->error))
      fail_msg("\"%s\" instead of \"%s\"", parser.error, c->error);
}

/* Programs as text, statements separated by "|", with the instruction and a word of the reason; NULL: in order. */
static const struct {
   const char *text;
   unsigned inst;
   const char *reason;
   unsigned constants; /* registers of the chip, 0: 256 */
} programs[] = {
   {"EXEC_END(export[0]=vector) MOVv r63.xyzw, a[0].xyzw", 0, NULL},
   {"EXEC(export[0]=vector) MOVv r63.xyzw, a[0].xyzw", 0, "end bit"},
   {"EXEC MOVv r32.xyzw, a[0].xyzw | EXEC_END", 0, "32..62"},
   {"EXEC MOVs r40.xyzw, a[0].xyzw | EXEC_END", 0, "32..62"},
   {"EXEC | EXEC_END !rb_index=32", 1, "operand index"},
   {"EXEC_END(export[16]=vector) MOVv r63.xyzw, a[0].xyzw", 0, "export 16"},
   {"EXEC_END MOVv r0.xyzw, c[256].xyzw", 0, "256 constant"},
   {"EXEC_END MOVv r0.x***, a[0].xyzw MOVs r0.*y**, a[0].xyzw", 0, "both halves write"},
   {"EXEC_END MOVv r0.x***, a[0].xyzw MOVs r1.*y**, a[0].xyzw", 0, NULL},
   {"EXEC_END DPHv r0.x***, a[0].xyzw, a[0].xyzw", 0, "disputed"},
   {"EXEC_END OP28v r0.x***, a[0].xyzw, a[0].xyzw", 0, "unknown meaning"},
   {"EXEC_END OP8s r0.x***, a[0].xyzw", 0, "unknown meaning"},
   {"EXEC ARLv A0.x***, c[0].xyzw !vector_rd=1 | EXEC_END", 0, "even"},
   {"EXEC(lt eq gt p.xyzw cr=0) BRAs 1 | EXEC_END", 0, NULL},
   {"EXEC(lt eq gt p.xyzw cr=0) BRAs 2 | EXEC_END", 0, "behind the end"},
   {"EXEC(eq p.xyzw cr=0) BRAs 1 | EXEC_END", 0, "any condition"},
   {"EXEC(cc eq p.xxxx cr=0) BRAs 1 | EXEC_END", 0, NULL},
   {"EXEC(cc eq p.xyzw cr=0) BRAs 1 | EXEC_END", 0, "one condition component"},
   {"EXEC | EXEC_END(lt eq gt p.xyzw cr=0) BRAs 0", 1, "end bit on a jump"},
   {"EXEC(lt eq gt p.xyzw cr=0) BRAs 0", 0, "no instruction has the end bit"},
   {"EXEC_END MADv r0.xyzw, r1.xyzw, r2.xyzw, r3.xyzw !scalar_op=9", 0, "over the swizzle of rC"},
   {"EXEC_END !unused=1", 0, "bit 127"},
   {"EXEC_END MOVv r0.xyzw, c[279].xyzw", 0, NULL, 280}, /* Tegra114 */
   {"EXEC_END MOVv r0.xyzw, c[280].xyzw", 0, "constant registers", 280},
};

TEST_ROWS_CALLED(validator, programs, text)
{
   uint32_t insts[8][4];
   unsigned count = 0, inst;
   char text[256];

   snprintf(text, sizeof(text), "%s", c->text);
   for (char *statement = strtok(text, "|"); statement; statement = strtok(NULL, "|")) {
      struct isa_parser parser = {.pos = statement};
      if (!vpe_parse_inst(&parser, insts[count++]))
         fail_msg("%s", parser.error);
   }
   const char *reason = vpe_validate((const uint32_t(*)[4])insts, count, c->constants ? c->constants : 256, &inst);
   if (!c->reason != !reason || (reason && !strstr(reason, c->reason)))
      fail_msg("%s", reason ? reason : "accepted");
   if (reason)
      assert_int_equal(inst, c->inst);
}
