/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The passes of the vertex compiler one by one, on IR in its text form (vs_print.c): a line per case.
 */

#include "unit.h"
#include "util/ralloc.h"
#include "vs_dag.h"
#include "vs_parse.h"

static const struct tegra20_vs_key key = {0};

static struct vs_program *
parse(const char *text)
{
   struct vs_program *prog = vs_program_create(NULL, &key);

   if (!vs_parse_program(prog, text))
      fail_msg("\"%s\": %s", text, prog->error);
   vs_validate(prog, "parsing");
   if (prog->error)
      fail_msg("\"%s\": %s", text, prog->error);
   return prog;
}

/* The operations of a program that is one block, a line each, or else the whole program. */
static char *
print(struct vs_program *prog)
{
   char *text = NULL;
   size_t size;
   FILE *fp = open_memstream(&text, &size);

   if (vs_num_blocks(prog) > 1 || prog->arrays.size) {
      vs_print_program(fp, prog);
   } else {
      bool first = true;
      vs_foreach_block(prog, block) {
         vs_foreach_op(block, op) {
            fprintf(fp, "%s", first ? "" : "\n");
            vs_print_op(fp, prog, op);
            first = false;
         }
      }
   }
   fclose(fp);
   return text;
}

/* --- text --------------------------------------------------------------------------------------------------------- */

static const char *const texts[] = {
   "MOV (%0) = a0.x",
   "MOV (_/o0.x _/o0.y _/o0.z _/o0.w) = a0.xyzw",
   "MUL.sat (%0 %1) = a1.yx, (u3.z #0.5)",
   "ADD (%0) = -(#1), |(u0.x)|\nMAX (%1/o2.y) = -|(%0)|, (%0)",
   "MAD (%3/o1.x %4/o1.z) = a0.xy, (#2 #-2), -a0.zw",
   "MOV (%0 %1 %2) = a0.xyz\nDP3 (%5) = (%0 %1 %2), a1.xyz",
   "MOV (%0 %1 %2 %3) = a0.xyzw\nDP4 (%4 %5) = (%0 %1 %2 %3), (u0.x u0.y u0.z u0.w)",
   "SLT (_/c0.x) = a0.x, (#0)\nif GT(c0.x) MOV (%1) = (#1)",
   "MOV (_/c1.z _/c1.w) = a0.xy\nif NE(c1.z c1.w) MOV (%1 %2) = (#1 u1.y)",
   "MOV (%0) = a0.x\nARR (A0.y) = (%0)\nMOV (%1 %2) = a1[A0.y+2].zw",
   "array0 = u4 size 10\nblock0:\n   ARL (A0.x) = a0.x\n   MOV (%1) = array0[A0.x+3].w",
   "MOV (%0) = ((fadd u0.x (fmul u1.y #2)))",
   "RCP (%0) = a0.w\nRSQ (%1) = |(%0)|\nEX2 (%2) = -(%1)\nLG2.sat (%3) = (%2)\nSIN (%4) = (%3)\nCOS (%5) = (%4)",
   "SGE (%0) = a0.x, (#1)\nSEQ (%1) = a0.x, (#1)\nSNE (%2) = a0.x, (#1)\nSGT (%3) = a0.x, (#1)\nSLE (%4) = a0.x, (#1)",
   "SSG (%0) = a0.x\nFRC (%1) = a0.x\nFLR (%2) = a0.x\nMIN (%3) = (%1), (%2)",
   "block0: -> block1\n   MOV (_/c0.x) = a0.x\n   if EQ(c0.x) BRA block2\nblock1: -> block2\n   MOV (_/o1.x) = (#1)\n"
   "block2:\n   MOV (_/o0.x) = a0.x",
   "block0: -> block1\n   MOV (%0) = (#0)\nblock1: -> block2\n   ADD (%0) = (%0), (#1)\n"
    "   SLT (_/c0.x) = (%0), (u0.x)\n"
   "   if NE(c0.x) BRA block1\nblock2:\n   MOV (_/o0.x) = (%0)",
};

/* The printer's output is parsed back and printed again. */
TEST(text)
{
   for (unsigned i = 0; i < COUNT(texts); i++) {
      struct vs_program *prog = parse(texts[i]);
      char *first = print(prog);
      struct vs_program *again = parse(first);
      char *second = print(again);
      assert_string_equal(first, second);
      if (vs_num_blocks(prog) == 1 && strncmp(texts[i], "array", 5) != 0)
         assert_string_equal(first, texts[i]);
      free(first);
      free(second);
      ralloc_free(prog);
      ralloc_free(again);
   }
}

static const struct {
   const char *text, *error;
   bool parses; /* the error is the validator's */
} bad_texts[] = {
   {"FOO (%0) = a0.x", "an operation"},
   {"MOV (%0) = ", "("},
   {"MOV (%0) a0.x", "="},
   {"MOV (%0) = a0.q", "a component"},
   {"MOV (%x) = a0.x", "a number"},
   {"MOV (%0) = a0.x garbage", "the end of the line"},
   {"MOV (%0) = ((foo #1))", "a NIR operation"},
   {"MOV (%0 %0) = a0.xy", "one cell in two lanes", true},
   {"MOV (_/o1.x _/o1.x) = a0.xy", "one export component in two lanes", true},
   {"MOV (_/c0.x _/c1.y) = a0.xy", "conditions of both registers", true},
   {"MOV (_/c0.x _) = a0.xy", "in some lanes only", true},
   {"RCP (_/c0.x) = a0.x", "by a scalar operation", true},
   {"MOV (_/o1.x/c0.y) = a0.x", "different components", true},
   {"if GT(c0.x c1.x) MOV (%0 %1) = a0.xy", "predicates of both", true},
   {"if GT(c0.x) MOV (_/c1.x) = a0.x", "tests one condition register and sets the other", true},
   {"MOV (_) = a0.x", "no effect", true},
   {"MOV (_/o16.x) = a0.x", "export that does not exist", true},
   {"MOV (%0) = a16.x", "attribute that does not exist", true},
   {"MOV (%0) = array0[A0.x+0].x", "array that does not exist", true},
   {"block0:\n   BRA block0\n   MOV (_/o0.x) = a0.x", "branch before the end", true},
   {"block0: -> block7\n   MOV (_/o0.x) = a0.x", "successor that does not exist", true},
};

TEST_ROWS_CALLED(bad_text, bad_texts, text)
{
   struct vs_program *prog = vs_program_create(NULL, &key);
   assert_int_equal(vs_parse_program(prog, c->text), c->parses);
   if (c->parses)
      vs_validate(prog, "the test");
   if (!prog->error || !strstr(prog->error, c->error))
      fail_msg("\"%s\": %s", c->text, prog->error ? prog->error : "accepted");
   ralloc_free(prog);
}

/* --- passes from text to text ------------------------------------------------------------------------------------- */

struct rewrite {
   const char *before, *after;
};

static void
check_rewrite(const struct rewrite *c, void (*pass)(struct vs_program *))
{
   struct vs_program *prog = parse(c->before);
   pass(prog);
   vs_validate(prog, "a pass");
   assert_null(prog->error);
   char *got = print(prog);
   assert_string_equal(got, c->after);
   free(got);
   ralloc_free(prog);
}

static const struct rewrite optimizations[] = {
   /* dead operations and lanes */
   {"MOV (%0) = a0.x\nMOV (_/o0.x) = a0.y", "MOV (_/o0.x) = a0.y"},
   {"MUL (%0 %1) = a0.xy, a0.zw\nADD (_/o0.x) = (%1), (%1)", "MUL (%1) = a0.y, a0.w\nADD (_/o0.x) = (%1), (%1)"},
   /* exports by the operation that computes the value */
   {"MUL (%0 %1) = a0.xy, a0.zw\nMOV (_/o1.x _/o1.y) = (%0 %1)", "MUL (_/o1.x _/o1.y) = a0.xy, a0.zw"},
   {"MUL (%0 %1) = a0.xy, a0.zw\nMOV (_/o1.x _/o1.y) = (%1 %0)", "MUL (_/o1.x _/o1.y) = a0.yx, a0.wz"},
   {"RCP (%0) = a0.x\nMOV (_/o1.x _/o1.y) = (%0 %0)", "RCP (_/o1.x _/o1.y) = a0.x"},
   {"DP3 (%0) = a0.xyz, a0.xyz\nMOV (_/o1.w) = (%0)", "DP3 (_/o1.w) = a0.xyz, a0.xyz"},
   {"MUL (%0) = a0.x, a0.y\nMOV (_/o1.x) = -(%0)", "MUL (_/o1.x) = -a0.x, a0.y"},
   {"MAD (%0) = a0.x, -a0.y, a0.z\nMOV (_/o1.x) = -(%0)", "MAD (_/o1.x) = -a0.x, -a0.y, -a0.z"},
   {"FRC (%0) = a0.x\nMOV (_/o1.x) = -(%0)", "FRC (%0) = a0.x\nMOV (_/o1.x) = -(%0)"},
   {"MUL.sat (%0) = a0.x, a0.y\nMOV (_/o1.x) = -(%0)", "MUL.sat (%0) = a0.x, a0.y\nMOV (_/o1.x) = -(%0)"},
   {"MUL (%0) = a0.x, a0.y\nMOV (_/o1.x) = |(%0)|", "MUL (%0) = a0.x, a0.y\nMOV (_/o1.x) = |(%0)|"},
   /* others read it too: temporary and export at once */
   {"MUL (%0) = a0.x, a0.y\nMOV (_/o1.y) = (%0)\nRCP (_/o2.x) = (%0)", "MUL (%0/o1.y) = a0.x, a0.y\nRCP (_/o2.x) = (%0)"},
   {"MUL (%0 %1) = a0.xy, a0.zw\nMOV (_/o1.y) = (%0)\nADD (_/o2.x) = (%0), (%1)",
    "MUL (%0 %1) = a0.xy, a0.zw\nMOV (_/o1.y) = (%0)\nADD (_/o2.x) = (%0), (%1)"},
   /* parts of one result that go to one export */
   {"MUL (%0 %1) = a0.xy, a0.zw\nMOV (_/o1.x) = (%0)\nMOV (_/o1.w) = (%1)", "MUL (_/o1.x _/o1.w) = a0.xy, a0.zw"},
   {"MUL (%0 %1 %2) = a0.xyz, a0.wzy\nMOV (_/o1.x) = (%0)\nMOV (_/o1.y _/o1.w) = (%1 %2)",
    "MUL (_/o1.x _/o1.y _/o1.w) = a0.xyz, a0.wzy"},
   /* not past another write of the same export */
   {"MUL (%0) = a0.x, a0.y\nMOV (_/o1.x) = a0.z\nMOV (_/o1.x) = (%0)", "MOV (_/o1.x) = a0.z\nMUL (_/o1.x) = a0.x, a0.y"},
   /* saturate */
   {"ADD (%0) = a0.x, a0.y\nMOV.sat (%1) = (%0)\nRCP (_/o1.x) = (%1)", "ADD.sat (%1) = a0.x, a0.y\nRCP (_/o1.x) = (%1)"},
   {"ADD (%0) = a0.x, a0.y\nMOV.sat (%1) = (%0)\nMUL (_/o1.x) = (%0), (%1)",
    "ADD (%0) = a0.x, a0.y\nMOV.sat (%1) = (%0)\nMUL (_/o1.x) = (%0), (%1)"},
   /* condition updates */
   {"DP3 (%0) = a0.xyz, a1.xyz\nMOV (_/c0.x) = (%0)\nMOV (%1) = (#0)\nif GT(c0.x) MOV (%1) = (#1)\nRCP (_/o1.x) = (%1)",
    "DP3 (_/c0.x) = a0.xyz, a1.xyz\nMOV (%1) = (#0)\nif GT(c0.x) MOV (%1) = (#1)\nRCP (_/o1.x) = (%1)"},
   {"RCP (%0) = a0.x\nMOV (_/c0.x) = (%0)\nif GT(c0.x) MOV (_/o1.x) = (#1)",
    "RCP (%0) = a0.x\nMOV (_/c0.x) = (%0)\nif GT(c0.x) MOV (_/o1.x) = (#1)"},
   /* selections: both sides write the variable themselves, the chosen one under the predicate */
   {"MOV (_/c0.x) = a0.x\nMUL (%0) = a0.y, a0.y\nRCP (%1) = a0.y\nMOV (%2) = (%0)\nif GT(c0.x) MOV (%2) = (%1)\n"
    "ADD (_/o1.x) = (%2), (%2)",
    "MOV (_/c0.x) = a0.x\nMUL (%2) = a0.y, a0.y\nif GT(c0.x) RCP (%2) = a0.y\nADD (_/o1.x) = (%2), (%2)"},
   /* and export themselves when that is all */
   {"MOV (_/c0.x) = a0.x\nMOV (%2) = a0.y\nif GT(c0.x) MOV (%2) = a0.z\nMOV (_/o1.w) = (%2)",
    "MOV (_/c0.x) = a0.x\nMOV (_/o1.w) = a0.y\nif GT(c0.x) MOV (_/o1.w) = a0.z"},
   /* a variable that keeps its value in one case is updated in the other */
   {"MOV (%0) = a0.w\nMOV (_/c0.x) = a0.x\nRCP (%1) = a0.y\nMOV (%2) = (%1)\nif GT(c0.x) MOV (%2) = (%0)\n"
    "MOV (%0) = (%2)\n"
    "ADD (_/o1.x) = (%0), (%0)",
    "MOV (%0) = a0.w\nMOV (_/c0.x) = a0.x\nif LE(c0.x) RCP (%0) = a0.y\nADD (_/o1.x) = (%0), (%0)"},
   /* a selection that only feeds a variable */
   {"MOV (_/c0.x) = a0.x\nMOV (%2) = a0.y\nif GT(c0.x) MOV (%2) = (#1)\nMOV (%3) = (%2)\nADD (_/o1.x) = (%3), (%3)",
    "MOV (_/c0.x) = a0.x\nMOV (%3) = a0.y\nif GT(c0.x) MOV (%3) = (#1)\nADD (_/o1.x) = (%3), (%3)"},
   /* relative reads move into what they feed, if the address is still there and nothing else is read from the file */
   {"ARR (A0.x) = a0.x\nMOV (%1 %2 %3 %4) = a1[A0.x+0].xyzw\nDP4 (_/o1.x) = (u0.x u0.y u0.z u0.w), -(%1 %2 %3 %4)",
    "ARR (A0.x) = a0.x\nDP4 (_/o1.x) = (u0.x u0.y u0.z u0.w), -a1[A0.x+0].xyzw"},
   {"ARR (A0.x) = a0.x\nMOV (%1) = a1[A0.x+0].y\nMUL (_/o1.x) = (%1), (%1)\nADD (_/o1.y) = (%1), (u0.x)",
    "ARR (A0.x) = a0.x\nMUL (_/o1.x) = a1[A0.x+0].y, a1[A0.x+0].y\nADD (_/o1.y) = a1[A0.x+0].y, (u0.x)"},
   {"ARR (A0.x) = a0.x\nMOV (%1) = a1[A0.x+0].y\nMUL (_/o1.x) = (%1), a0.x",
    "ARR (A0.x) = a0.x\nMOV (%1) = a1[A0.x+0].y\nMUL (_/o1.x) = (%1), a0.x"},
   {"ARR (A0.x) = a0.x\nMOV (%1) = a1[A0.x+0].y\nARR (A0.x) = a0.y\nMUL (_/o1.x) = (%1), (%1)",
    "ARR (A0.x) = a0.x\nMOV (%1) = a1[A0.x+0].y\nARR (A0.x) = a0.y\nMUL (_/o1.x) = (%1), (%1)"},
   /* a predicate set behind the producer makes the producer move down */
   {"RCP (%1) = a0.y\nMOV (%2) = (#0)\nMOV (_/c0.x) = a0.x\nif LT(c0.x) MOV (%2) = (%1)\nADD (_/o1.x) = (%2), (%2)",
    "MOV (%2) = (#0)\nMOV (_/c0.x) = a0.x\nif LT(c0.x) RCP (%2) = a0.y\nADD (_/o1.x) = (%2), (%2)"},
};

TEST_ROWS_CALLED(optimize, optimizations, before)
{
   check_rewrite(c, vs_optimize);
}

static const struct rewrite legalizations[] = {
   {"MUL (_/o0.x) = a0.x, a0.y", "MUL (_/o0.x) = a0.x, a0.y"},
   {"MUL (_/o0.x) = a0.x, a1.x", "MOV (%0) = a0.x\nMUL (_/o0.x) = (%0), a1.x"},
   {"MUL (_/o0.x) = -a0.x, |a1.x|", "MOV (%0) = a0.x\nMUL (_/o0.x) = -(%0), |a1.x|"},
   /* four values of different uniforms fit one register */
   {"MAD (_/o0.x _/o0.y) = a0.xy, (u0.x u1.x), (u2.x u3.x)", "MAD (_/o0.x _/o0.y) = a0.xy, (u0.x u1.x), (u2.x u3.x)"},
   {"MAD (_/o0.x _/o0.y _/o0.z) = a0.xyz, (u0.x u1.x u2.x), (u2.x u3.x u1.x)",
    "MAD (_/o0.x _/o0.y _/o0.z) = a0.xyz, (u0.x u1.x u2.x), (u2.x u3.x u1.x)"},
   {"MAD (_/o0.x _/o0.y _/o0.z) = a0.xyz, (u0.x u0.y u0.z), (u1.x u1.y u1.z)",
    "MOV (%0 %1 %2) = (u0.x u0.y u0.z)\nMAD (_/o0.x _/o0.y _/o0.z) = a0.xyz, (%0 %1 %2), (u1.x u1.y u1.z)"},
   /* moved once, read twice */
   {"MUL (_/o0.x) = a0.x, a1.x\nADD (_/o0.y) = a0.x, a1.y",
    "MOV (%0) = a0.x\nMUL (_/o0.x) = (%0), a1.x\nADD (_/o0.y) = (%0), a1.y"},
   {"MUL (_/o0.x _/o0.y) = a0.xx, a1.xy", "MOV (%0) = a0.x\nMUL (_/o0.x _/o0.y) = (%0 %0), a1.xy"},
   /* the copy of an element chosen by an address reads that address */
   {"ARR (A0.y) = a0.x\nMUL (_/o0.x) = a1[A0.y+0].x, a0.x",
    "ARR (A0.y) = a0.x\nMOV (%0) = a1[A0.y+0].x\nMUL (_/o0.x) = (%0), a0.x"},
};

TEST_ROWS_CALLED(legalize, legalizations, before)
{
   check_rewrite(c, vs_legalize_operands);
}

static const struct rewrite merges[] = {
   {"MUL (_/o0.x) = a0.x, (u0.x)\nMUL (_/o0.y) = a0.y, (u0.y)", "MUL (_/o0.x _/o0.y) = a0.xy, (u0.x u0.y)"},
   {"MUL (_/o0.x) = a0.x, (u0.x)\nMUL (_/o1.y) = a0.y, (u0.y)", "MUL (_/o0.x) = a0.x, (u0.x)\nMUL (_/o1.y) = a0.y, (u0.y)"},
   {"MUL (_/o0.x) = a0.x, (u0.x)\nMUL (_/o0.y) = a1.y, (u0.y)", "MUL (_/o0.x) = a0.x, (u0.x)\nMUL (_/o0.y) = a1.y, (u0.y)"},
   {"MUL (_/o0.x) = a0.x, (u0.x)\nMUL (_/o0.y) = -a0.y, (u0.y)", "MUL (_/o0.x) = a0.x, (u0.x)\nMUL (_/o0.y) = -a0.y, (u0.y)"},
   {"RCP (_/o0.x) = a0.x\nRCP (_/o0.y) = a0.y", "RCP (_/o0.x) = a0.x\nRCP (_/o0.y) = a0.y"},
   /* one depends on the other */
   {"MUL (%0) = a0.x, a0.x\nMUL (%1) = (%0), a0.y\nRCP (_/o0.x) = (%1)",
    "MUL (%0) = a0.x, a0.x\nMUL (%1) = (%0), a0.y\nRCP (_/o0.x) = (%1)"},
   /* not the same export component twice */
   {"MOV (_/o0.x) = a0.x\nMOV (_/o0.x) = a0.y", "MOV (_/o0.x) = a0.x\nMOV (_/o0.x) = a0.y"},
   /* conditions, and what tests them */
   {"SLT (_/c0.x) = a0.x, (u0.x)\nSLT (_/c0.y) = a0.y, (u0.y)\nif NE(c0.x) MOV (_/o0.x) = a0.z\n"
    "if NE(c0.y) MOV (_/o0.y) = a0.w",
    "SLT (_/c0.x _/c0.y) = a0.xy, (u0.x u0.y)\nif NE(c0.x c0.y) MOV (_/o0.x _/o0.y) = a0.zw"},
   {"SLT (_/c0.x) = a0.x, (u0.x)\nSLT (_/c1.y) = a0.y, (u0.y)\nif NE(c0.x) MOV (_/o0.x) = a0.z\n"
    "if NE(c1.y) MOV (_/o0.y) = a0.w",
    "SLT (_/c0.x) = a0.x, (u0.x)\nSLT (_/c1.y) = a0.y, (u0.y)\nif NE(c0.x) MOV (_/o0.x) = a0.z\n"
    "if NE(c1.y) MOV (_/o0.y) = a0.w"},
   /* chains of two scalars become chains of one pair */
   {"MUL (%0) = a0.x, (u0.x)\nFRC (%1) = (%0)\nMUL (%2) = a0.y, (u0.x)\nFRC (%3) = (%2)\nRCP (_/o0.x) = (%1)\n"
    "RSQ (_/o0.y) = (%3)",
    "MUL (%0 %2) = a0.xy, (u0.x u0.x)\nFRC (%1 %3) = (%0 %2)\nRCP (_/o0.x) = (%1)\nRSQ (_/o0.y) = (%3)"},
};

TEST_ROWS_CALLED(merge, merges, before)
{
   check_rewrite(c, vs_merge_ops);
}

static const struct rewrite groupings[] = {
   {"MUL (%0 %1) = a0.xy, a0.zw\nDP3 (_/o0.x) = (%0 %1 %1), a0.xyz",
    "MUL (%0 %1) = a0.xy, a0.zw\nDP3 (_/o0.x) = (%0 %1 %1), a0.xyz"},
   /* cells of different operations in one operand cost nothing */
   {"RCP (%0) = a0.x\nRSQ (%1) = a0.y\nMUL (_/o0.x _/o0.y) = (%0 %1), a0.xy",
    "RCP (%0) = a0.x\nRSQ (%1) = a0.y\nMUL (_/o0.x _/o0.y) = (%0 %1), a0.xy"},
   /* two vectors of three in one operand: the second part has to move */
   {"MUL (%0 %1 %2) = a0.xyz, a0.xyz\nADD (%3 %4 %5) = a0.xyz, a0.xyz\nDP3 (_/o0.x) = (%0 %1 %3), a0.xyz\n"
    "DP3 (_/o0.y) = (%0 %1 %2), a0.xyz\nDP3 (_/o0.z) = (%3 %4 %5), a0.xyz",
    "MUL (%0 %1 %2) = a0.xyz, a0.xyz\nADD (%3 %4 %5) = a0.xyz, a0.xyz\nMOV (%6) = (%3)\n"
    "DP3 (_/o0.x) = (%0 %1 %6), a0.xyz\nDP3 (_/o0.y) = (%0 %1 %2), a0.xyz\nDP3 (_/o0.z) = (%3 %4 %5), a0.xyz"},
   /* exported in x, both, and wanted in one operand */
   {"RCP (%0/o1.x) = a0.x\nRSQ (%1/o2.x) = a0.y\nMUL (_/o0.x _/o0.y) = (%0 %1), a0.xy",
    "RCP (%0/o1.x) = a0.x\nRSQ (%1/o2.x) = a0.y\nMOV (%2) = (%1)\nMUL (_/o0.x _/o0.y) = (%0 %2), a0.xy"},
   /* one variable exported as x and as y: it stays where the first wants it */
   {"RCP (%0/o1.x) = a0.x\nif GT(c0.x) RSQ (%0/o1.y) = a0.y\nLG2 (_/o2.x) = (%0)",
    "RCP (%0/o1.x) = a0.x\nif GT(c0.x) RSQ (%1/o1.y) = a0.y\nif GT(c0.x) MOV (%0) = (%1)\nLG2 (_/o2.x) = (%0)"},
   /* a lane that is exported only still needs a component of the register */
   {"MUL (%0/o1.x _/o1.y) = a0.xy, a0.zw\nRCP (_/o2.x) = (%0)", "MUL (%0/o1.x %1/o1.y) = a0.xy, a0.zw\nRCP (_/o2.x) = (%0)"},
};

TEST_ROWS_CALLED(group, groupings, before)
{
   check_rewrite(c, vs_group_cells);
}

/* --- pairing (vertex-pipeline.md 6.2) ----------------------------------------------------------------------------- */

static const struct {
   const char *vector, *scalar;
   bool legal;
} pairs[] = {
   {"MUL (%0) = a0.x, a0.y", "RCP (%1) = a0.z", true},
   {"MUL (%0) = a0.x, a0.y", "MOV (%1) = a0.z", true},
   {"MOV (%0) = a0.x", "MOV (%1) = a0.y", true},
   {"DP4 (%0) = a0.xyzw, (u0.x u0.y u0.z u0.w)", "RCP (%1) = a0.z", true},
   {"RCP (%0) = a0.x", "MOV (%1) = a0.y", false},   /* the vector half has no RCP */
   {"MUL (%0) = a0.x, a0.y", "ADD (%1) = a0.x, a0.y", false},
   /* 1: rC */
   {"ADD (%0) = a0.x, a0.y", "RCP (%1) = a0.z", false},
   {"ADD (%0) = a0.x, a0.y", "RCP (%1) = a0.y", true},
   {"ADD (%0) = a0.x, a0.y", "RCP (%1) = -a0.y", false},
   {"ADD (%0) = a0.x, a0.y", "RCP (%1) = |a0.y|", false},
   {"MAD (%0 %2) = a0.xy, a0.xy, a0.zz", "RCP (%1) = a0.z", true},
   {"MAD (%0 %2) = a0.xy, a0.xy, a0.zw", "RCP (%1) = a0.z", false},
   {"MAD (%0) = a0.x, a0.y, a0.z", "MOV (%1) = a0.z", false},
   /* 2: one attribute, one constant register */
   {"MUL (%0) = a0.x, a0.y", "RCP (%1) = a1.z", false},
   {"MUL (%0) = a0.x, (u0.x)", "RCP (%1) = (u0.y)", true},
   {"MUL (%0) = a0.x, (u0.x)", "RCP (%1) = (u7.y)", true}, /* any four values fit a register */
   {"MUL (%0 %2 %3 %4) = a0.xyzw, (u0.x u0.y u0.z u0.w)", "RCP (%1) = (u7.y)", false},
   {"MUL (%0 %2 %3 %4) = a0.xyzw, (u0.x u0.y u0.z u0.w)", "RCP (%1) = (u0.w)", true},
   {"MUL (%0) = a0.x, (u0.x)", "MOV (%1) = a0.z", true},
   /* 3: a jump takes the place of rC's swizzle */
   {"MUL (_/o1.x) = a0.x, a0.y", "BRA block0", true},
   {"ADD (_/o1.x) = a0.x, a0.y", "BRA block0", false},
   /* 5: one export, one predicate, one saturate */
   {"MUL (_/o1.x) = a0.x, a0.y", "RCP (_/o1.y) = a0.z", false},
   {"MUL (_/o1.x) = a0.x, a0.y", "RCP (%1) = a0.z", true},
   {"MUL (%0) = a0.x, a0.y", "RCP (_/o1.y) = a0.z", true},
   {"MUL.sat (%0) = a0.x, a0.y", "RCP (%1) = a0.z", false},
   {"MUL.sat (%0) = a0.x, a0.y", "RCP.sat (%1) = a0.z", true},
   {"if GT(c0.x) MUL (%0) = a0.x, a0.y", "RCP (%1) = a0.z", false},
   {"if GT(c0.x) MUL (%0) = a0.x, a0.y", "if GT(c0.x) RCP (%1) = a0.z", true},
   {"if GT(c0.x) MUL (%0) = a0.x, a0.y", "if LE(c0.x) RCP (%1) = a0.z", false},
   {"if GT(c0.x) MUL (%0) = a0.x, a0.y", "if GT(c0.y) RCP (%1) = a0.z", false},
   {"if GT(c0.x) MUL (%0) = a0.x, a0.y", "if GT(c1.x) RCP (%1) = a0.z", false},
   {"if GT(c0.x c0.y) MUL (%0 %2) = a0.xy, a0.yx", "if GT(c0.x) RCP (%1) = a0.z", false},
   {"if GT(c0.x) MUL (_/o1.x) = a0.x, a0.y", "if GT(c0.x) BRA block0", true},
   {"MUL (_/o1.x) = a0.x, a0.y", "if GT(c0.x) BRA block0", false},
   /* 7: the condition register takes the vector result */
   {"SLT (_/c0.x) = a0.x, a0.y", "RCP (%1) = a0.z", true},
   {"MUL (%0) = a0.x, a0.y", "MOV (_/c0.x) = a0.z", false},
   /* addresses: not written and used at once */
   {"ARR (A0.x) = a0.x", "MOV (%1) = a0.y", true},
   {"ARR (A0.x) = a0.x", "MOV (%1) = a0[A0.y+0].y", false},
};

TEST_ROWS_CALLED(pairs, pairs, vector)
{
   struct vs_program *prog = vs_program_create(NULL, &key);
   assert_true(vs_parse_program(prog, c->vector));
   assert_true(vs_parse_program(prog, c->scalar));
   struct vs_block *block = vs_get_block(prog, 0);
   vs_group_cells(prog);
   assert_int_equal(vs_can_pair(prog, vs_get_op(block, 0), vs_get_op(block, 1)), c->legal);
   ralloc_free(prog);
}

/* --- schedules ---------------------------------------------------------------------------------------------------- */

static const struct {
   const char *text;
   unsigned length, bound;
} schedules[] = {
   {"MOV (_/o0.x) = a0.x", 1, 1},
   /* two exports never share an instruction */
   {"MOV (_/o0.x) = a0.x\nMOV (_/o1.x) = a0.y", 2, 2},
   {"MUL (%0) = a0.x, a0.y\nRCP (%1) = a0.z\nMUL (_/o0.x) = (%0), (%1)", 2, 2},
   {"ADD (%0) = a0.x, a0.y\nRCP (%1) = a0.z\nMUL (_/o0.x) = (%0), (%1)", 3, 3},
   /* moves can take either half; the bound lets each of them do so twice */
   {"MOV (%0) = a0.x\nMOV (%1) = a0.y\nMOV (%2) = a0.z\nMOV (%3) = a0.w\nMAD (%4) = (%0), (%1), (%2)\n"
    "MUL (_/o0.x) = (%3), (%4)", 4, 3},
   /* a chain */
   {"RCP (%0) = a0.x\nRSQ (%1) = (%0)\nEX2 (%2) = (%1)\nLG2 (_/o0.x) = (%2)", 4, 4},
   /* two chains interleave; the bound does not see that the pairs exclude each other */
   {"RCP (%0) = a0.x\nMUL (%1) = (%0), a0.x\nRCP (%2) = a0.y\nMUL (%3) = (%2), a0.y\nMUL (_/o0.x) = (%1), (%3)", 4, 3},
   /* what is written in one instruction is not written again or tested in it */
   {"MOV (_/c0.x) = a0.x\nif GT(c0.x) MOV (_/o1.x) = (#1)", 2, 2},
   {"MOV (_/o1.x) = (#0)\nMOV (_/c0.x) = a0.x\nif GT(c0.x) MOV (_/o1.x) = (#1)", 2, 2},
   {"MOV (_/c0.x) = a0.x\nif GT(c0.x) MOV (_/o1.x) = (#1)\nMOV (_/c0.x) = a0.y\nif GT(c0.x) MOV (_/o1.x) = (#2)", 4, 4},
   {"ARR (A0.x) = a0.x\nMOV (_/o1.x) = a1[A0.x+0].x", 2, 2},
   {"block0: -> block1\nMOV (_/o1.x) = a0.x\nblock1:\nMOV (_/o1.y) = a0.y", 1, 0}, /* one block is not the program */
};

TEST_ROWS_CALLED(schedules, schedules, text)
{
   struct vs_program *prog = parse(c->text);
   vs_group_cells(prog);
   vs_schedule(prog, VS_STRATEGY_SPEED);
   assert_int_equal(vs_num_insts(vs_get_block(prog, 0)), c->length);
   assert_int_equal(prog->lower_bound, c->bound);
   ralloc_free(prog);
}

/* --- registers and constants -------------------------------------------------------------------------------------- */

static struct vs_program *
allocate(const char *text, bool fits)
{
   struct vs_program *prog = parse(text);

   vs_group_cells(prog);
   vs_schedule(prog, VS_STRATEGY_IN_ORDER);
   assert_int_equal(vs_allocate_registers(prog), fits);
   return prog;
}

static const struct {
   const char *text;
   unsigned temps;
} allocations[] = {
   {"MOV (_/o0.x) = a0.x", 0},
   {"RCP (%0) = a0.x\nRCP (_/o0.x) = (%0)", 1},
   /* four scalars in one register */
   {"RCP (%0) = a0.x\nRCP (%1) = a0.y\nRCP (%2) = a0.z\nRCP (%3) = a0.w\nMUL (%4) = (%0), (%1)\nMUL (%5) = (%2), (%3)\n"
    "MUL (_/o0.x) = (%4), (%5)", 1},
   /* two vectors of three need two registers, a vector of three and a scalar one */
   {"MUL (%0 %1 %2) = a0.xyz, a0.xyz\nADD (%3 %4 %5) = a0.xyz, a0.xyz\nDP3 (_/o0.x) = (%0 %1 %2), (%3 %4 %5)", 2},
   {"MUL (%0 %1 %2) = a0.xyz, a0.xyz\nRCP (%3) = a0.w\nMUL (_/o0.x _/o0.y _/o0.z) = (%0 %1 %2), (%3 %3 %3)", 1},
   /* a result may take the place of an operand that dies */
   {"MOV (%0 %1 %2 %3) = a0.xyzw\nMUL (%4 %5 %6 %7) = (%0 %1 %2 %3), (%0 %1 %2 %3)\n"
    "ADD (_/o0.x _/o0.y _/o0.z _/o0.w) = (%4 %5 %6 %7), (%4 %5 %6 %7)", 1},
   /* exported in w and read: bound to w */
   {"RCP (%0/o1.w) = a0.x\nRSQ (%1/o2.w) = a0.y\nMUL (_/o0.x) = (%0), (%1)", 2},
};

TEST_ROWS_CALLED(registers, allocations, text)
{
   struct vs_program *prog = allocate(c->text, true);
   assert_int_equal(prog->num_temps, c->temps);
   ralloc_free(prog);
}

/* n vectors alive at once: 32 fit, 33 do not. */
TEST(register_limit)
{
   for (unsigned n = 32; n <= 33; n++) {
      char *text = NULL;
      size_t size;
      FILE *fp = open_memstream(&text, &size);
      for (unsigned i = 0; i < n; i++)
         fprintf(fp, "MOV (%%%u %%%u %%%u %%%u) = a%u.xyzw\n", 4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3, i % 16);
      for (unsigned i = 0; i < n; i++)
         fprintf(fp, "MOV (_/o%u.x _/o%u.y _/o%u.z _/o%u.w) = (%%%u %%%u %%%u %%%u)\n", i % 16, i % 16, i % 16, i % 16,
                 4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3);
      fclose(fp);
      ralloc_free(allocate(text, n <= 32));
      free(text);
   }
}

static const struct {
   const char *text;
   unsigned consts;
} constants[] = {
   {"MOV (_/o0.x) = a0.x", 0},
   {"MOV (_/o0.x) = (u0.x)", 1},
   /* deduplicated, packed */
   {"MUL (_/o0.x) = a0.x, (#2)\nMUL (_/o0.y) = a0.y, (#2)", 1},
   {"MUL (_/o0.x) = a0.x, (u0.x)\nMUL (_/o0.y) = a0.y, (u9.z)\nMUL (_/o0.z) = a0.z, (#3)\n" "MUL (_/o0.w) = a0.w, (#4)", 1},
   {"MUL (_/o0.x _/o0.y _/o0.z) = a0.xyz, (u0.x u0.y u0.z)\nMUL (_/o1.x _/o1.y) = a0.xy, (u1.x u1.y)", 2},
   /* a value may be in two registers */
   {"MUL (_/o0.x _/o0.y _/o0.z _/o0.w) = a0.xyzw, (u0.x u0.y u0.z u0.w)\nMAD (_/o1.x) = a0.x, (u0.x), (u1.x)", 2},
   /* arrays keep their shape */
   {"array0 = u4 size 10\nblock0:\n   ARR (A0.x) = a0.x\n   MOV (_/o0.x) = array0[A0.x+0].x", 10},
   {"array0 = u4 size 10 pad 2\nblock0:\n   ARR (A0.x) = a0.x\n   MOV (_/o0.x) = array0[A0.x+2].x", 14},
   {"array0 = u4 size 10\nblock0:\n   ARR (A0.x) = a0.x\n   MOV (_/o0.x) = array0[A0.x+0].x\n"
    "   MOV (_/o1.x) = (u5.y)", 10},
   {"array0 = u4 size 10\nblock0:\n   ARR (A0.x) = a0.x\n   MOV (_/o0.x) = array0[A0.x+0].x\n"
    "   MOV (_/o1.x) = (u20.y)", 11},
};

TEST_ROWS_CALLED(constants, constants, text)
{
   struct vs_program *prog = allocate(c->text, true);
   assert_true(vs_pack_constants(prog));
   assert_int_equal(prog->num_consts, c->consts);
   ralloc_free(prog);
}

TEST(constant_limit)
{
   struct vs_program *prog = allocate("array0 = u4 size 256\nblock0:\n   ARR (A0.x) = a0.x\n"
                                      "   MOV (_/o0.x) = array0[A0.x+0].x\n   MOV (_/o1.x) = (#1)", true);

   assert_false(vs_pack_constants(prog));
   assert_string_equal(prog->error, "vertex program needs 257 constant registers, the chip has 256");
   prog->error = NULL;
   prog->chip = &tegra20_chips[TEGRA20_CHIP_TEGRA114];
   assert_true(vs_pack_constants(prog));
   assert_int_equal(prog->num_consts, 257);
   ralloc_free(prog);
}
