/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Words of ir3 against Mesa's decoder: the text of both is the same, and a
 * word that one of them does not know, the other does not either.
 */

#include "unit.h"
#include "ir3-isa.h"
#include "isa.h"

#include "ir3.h"

static bool unknown;

static void
no_match(FILE *out, const BITSET_WORD *bitset, size_t size)
{
   unknown = true;
}

/* Names and fields of later generations, which Mesa's decoder does not tell
 * from this one's. */
static bool
is_later(uint64_t word, const char *text)
{
   static const char *const names[] = {
      "shpe",  "shps",  "pred",   "bkt",        "getone", "dsxpp", "dsypp", "rgetpos", "rgetinfo", "tcinv",
      ".base", "a1.x,", ", a1.x", "nonuniform", "rcp.",   "gat.",  "swz.",  "sct.",    "movmsk",   "brax",
      "sleep", "icinv",  "dccln",  "dcinv",      "dcflu",  "ccinv", "lock",   "alias",
   };
   for (unsigned i = 0; i < COUNT(names); i++) {
      if (strstr(text, names[i]))
         return true;
   }
   /* An immediate offset of isam. */
   return (word >> 53 & 0x73f) == (0x500 | 1);
}

/* What Mesa's decoder says; false: nothing. */
static bool
theirs(uint64_t word, char *text, unsigned size)
{
   const struct isa_decode_options options = { .gpu_id = 420, .show_errors = true, .no_match_cb = no_match };
   memset(text, 0, size);
   FILE *out = fmemopen(text, size, "w");
   unknown = false;
   ir3_isa_disasm(&word, 8, out, &options);
   fclose(out);
   text[strcspn(text, "\n")] = 0;
   bool good = !unknown && !strstr(text, "no match") && !strstr(text, "unexpected bits") && !is_later(word, text);
   /* Bits without a meaning are only remarked on. */
   text[strcspn(text, "\t")] = 0;
   return good;
}

static void
check(uint64_t word, unsigned *known, unsigned *differ)
{
   char expected[256], text[256];
   struct ir3_instr instr;
   bool valid = ir3_decode(word, &instr);
   bool good = theirs(word, expected, sizeof(expected));
   ir3_disassemble(word, text, sizeof(text));
   *known += good;
   if (valid != good || (good && strcmp(text, expected))) {
      if (++*differ <= 40)
         print_error("%016llx: \"%s\", not \"%s\"\n", (unsigned long long)word, text, good ? expected : "unknown");
   }
}

static uint64_t
next_random(uint64_t *state)
{
   *state = *state * 6364136223846793005ull + 1442695040888963407ull;
   return *state >> 32;
}

/* Of each category as many. */
TEST(random)
{
   uint64_t seed = 44;
   unsigned known[8] = { 0 }, differ = 0;
   for (unsigned i = 0; i < 80000; i++) {
      const unsigned category = i % 8;
      uint64_t word = next_random(&seed) << 32 | next_random(&seed);
      /* Half of them with few bits: more are instructions. */
      if (i / 8 % 2)
         word &= next_random(&seed) << 32 | next_random(&seed);
      word = (word & ~(7ull << 61)) | (uint64_t)category << 61;
      check(word, &known[category], &differ);
   }
   for (unsigned i = 0; i < 8; i++) {
      print_message("category %u: %u of 10000 are instructions\n", i, known[i]);
      assert_true(known[i] > 50);
   }
   assert_int_equal(differ, 0);
}
