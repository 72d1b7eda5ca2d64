/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Text to instructions, in the form that qpu_disassemble() writes.  Where an
 * operand may come from either file the text does not say from which: it is
 * read through file A where that is free.  What an instruction does not use
 * is as in the chip's no-operation.
 */

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpu_names.h"
#include "v3d_internal.h"

#define MAX_TEXT 160

enum file { FILE_A, FILE_B, FILE_ANY };

/* An operand of an ALU. */
struct source {
   bool is_register, is_immediate; /* otherwise an accumulator */
   enum file file;
   unsigned address; /* small immediates: the field */
   unsigned unpack;
   unsigned mux;
};

struct target {
   unsigned address;
   enum file file;
   unsigned pack;
   bool color; /* packed as a colour: the multiplier */
};

struct half {
   unsigned op, cond;
   bool flags;
   struct target target;
   struct source sources[2];
   unsigned rotate; /* as the small immediate's field, 0 = none */
};

struct assembly {
   char *error;
   unsigned size;
};

static __attribute__((format(printf, 2, 3))) bool
refuse(struct assembly *a, const char *format, ...)
{
   va_list args;
   va_start(args, format);
   vsnprintf(a->error, a->size, format, args);
   va_end(args);
   return false;
}

/* The next piece up to one of the separators, without blanks around it; *text
 * moves behind the separator.  NULL at the end. */
static char *
next_piece(char **text, char separator)
{
   char *piece = *text;
   if (!piece)
      return NULL;
   char *end = strchr(piece, separator);
   *text = end ? end + 1 : NULL;
   if (!end)
      end = piece + strlen(piece);
   while (isspace((unsigned char)*piece))
      piece++;
   while (end > piece && isspace((unsigned char)end[-1]))
      end--;
   *end = 0;
   return piece;
}

/* The number of a name in a table, or -1. */
static int
find_name(const char *const *names, unsigned count, const char *name)
{
   for (unsigned i = 0; i < count; i++) {
      if (names[i] && !strcmp(names[i], name))
         return (int)i;
   }
   return -1;
}

/* "ra5" or "rb5". */
static bool
parse_file_register(const char *text, enum file *file, unsigned *address)
{
   char *end;
   if (text[0] != 'r' || (text[1] != 'a' && text[1] != 'b') ||
       !isdigit((unsigned char)text[2]))
      return false;
   *file = text[1] == 'a' ? FILE_A : FILE_B;
   *address = strtoul(text + 2, &end, 10);
   return !*end && *address < 32;
}

/* Cuts off and finds a suffix like ".16a". */
static bool
cut_suffix(char *text, const char *const *names, unsigned count,
           unsigned *value)
{
   char *dot = strchr(text, '.');
   *value = 0;
   if (!dot)
      return true;
   int i = find_name(names, count, dot);
   *dot = 0;
   *value = V3D_MAX(i, 0);
   return i > 0;
}

static bool
parse_target(struct assembly *a, char *text, struct target *target)
{
   memset(target, 0, sizeof(*target));
   size_t length = strlen(text);
   if (strchr(text, '.') && text[length - 1] == 'c' && length > 3 &&
       strcmp(text + length - 3, ".8c")) {
      target->color = true;
      text[length - 1] = 0;
   }
   if (!cut_suffix(text, qpu_pack_names, 16, &target->pack))
      return refuse(a, "unknown packing of %s", text);
   if (parse_file_register(text, &target->file, &target->address))
      return true;
   int in_a = find_name(qpu_write_names[0], 32, text);
   int in_b = find_name(qpu_write_names[1], 32, text);
   if (in_a < 0 && in_b < 0)
      return refuse(a, "%s cannot be written", text);
   target->file = in_a == in_b ? FILE_ANY : in_a >= 0 ? FILE_A : FILE_B;
   target->address = 32 + (in_a >= 0 ? in_a : in_b);
   return true;
}

/* Integers from -16 to 15, powers of two from 2^-8 to 2^7 with "f". */
static bool
parse_small_immediate(const char *text, unsigned *field)
{
   char *end;
   if (text[0] && text[strlen(text) - 1] == 'f') {
      float value = strtof(text, &end);
      uint32_t bits;
      memcpy(&bits, &value, 4);
      if (strcmp(end, "f"))
         return false;
      for (*field = 32; *field < 48; (*field)++) {
         if (qpu_small_immediate(*field) == bits)
            return true;
      }
      return false;
   }
   long value = strtol(text, &end, 0);
   *field = value & 31;
   return *text && !*end && value >= -16 && value <= 15;
}

static bool
parse_source(struct assembly *a, char *text, struct source *s)
{
   memset(s, 0, sizeof(*s));
   if (isdigit((unsigned char)text[0]) ||
       (text[0] == '-' && isdigit((unsigned char)text[1]))) {
      s->is_immediate = true;
      if (!parse_small_immediate(text, &s->address))
         return refuse(a, "%s is no small immediate", text);
      return true;
   }
   if (!cut_suffix(text, qpu_unpack_names, 8, &s->unpack))
      return refuse(a, "unknown unpacking of %s", text);
   if (text[0] == 'r' && text[1] >= '0' && text[1] <= '5' && !text[2]) {
      s->mux = text[1] - '0';
      if (s->unpack && s->mux != QPU_MUX_R4)
         return refuse(a, "%s cannot be unpacked", text);
      return true;
   }
   s->is_register = true;
   if (!parse_file_register(text, &s->file, &s->address)) {
      for (unsigned i = 0;; i++) {
         if (i == V3D_COUNT(qpu_read_names))
            return refuse(a, "%s cannot be read", text);
         bool in_a = !strcmp(qpu_read_names[i].names[0], text);
         bool in_b = !strcmp(qpu_read_names[i].names[1], text);
         if (!in_a && !in_b)
            continue;
         s->address = qpu_read_names[i].address;
         s->file = in_a && in_b ? FILE_ANY : in_a ? FILE_A : FILE_B;
         break;
      }
   }
   if (s->unpack && s->file == FILE_B)
      return refuse(a, "%s of file B cannot be unpacked", text);
   if (s->unpack)
      s->file = FILE_A;
   return true;
}

/* A mnemonic's endings: a condition, ".sf". */
static bool
parse_endings(char *mnemonic, const char *const *conds, unsigned count,
              unsigned *cond, bool *flags)
{
   char *dot = strchr(mnemonic, '.');
   *flags = false;
   if (!dot)
      return true;
   size_t length = strlen(dot);
   if (length >= 3 && !strcmp(dot + length - 3, ".sf")) {
      *flags = true;
      dot[length - 3] = 0;
   }
   int i = find_name(conds, count, dot);
   *dot = 0;
   if (i >= 0)
      *cond = i;
   return i >= 0;
}

static bool
parse_half(struct assembly *a, char *text, bool mul, struct half *h)
{
   memset(h, 0, sizeof(*h));
   h->target.address = QPU_W_NOP;
   h->target.file = FILE_ANY;
   char *mnemonic = next_piece(&text, ' ');
   h->cond = QPU_COND_ALWAYS;
   if (!parse_endings(mnemonic, qpu_cond_names, 8, &h->cond, &h->flags))
      return refuse(a, "unknown ending of %s", mnemonic);
   int op = mul ? find_name(qpu_mul_names, 8, mnemonic)
                : find_name(qpu_add_names, 32, mnemonic);
   if (op < 0)
      return refuse(a, "unknown operation %s", mnemonic);
   h->op = op;
   if (!op) {
      h->cond = QPU_COND_NEVER;
      return !text || refuse(a, "operands of nop");
   }
   char *target = next_piece(&text, ','), *first = next_piece(&text, ',');
   char *second = next_piece(&text, ',');
   if (!second || text)
      return refuse(a, "%s takes a target and two operands", mnemonic);
   char *turn = strstr(second, ">>");
   if (turn) {
      char *amount = turn + 2;
      *turn = 0;
      char *rest = second;
      second = next_piece(&rest, '\n');
      h->rotate = strstr(amount, "r5") ? 48 : 48 + strtoul(amount, NULL, 10);
      if (!mul || h->rotate > 63 ||
          (h->rotate == 48 && !strstr(amount, "r5")))
         return refuse(a, "a rotation by%s", amount);
   }
   return parse_target(a, target, &h->target) &&
          parse_source(a, first, &h->sources[0]) &&
          parse_source(a, second, &h->sources[1]);
}

/* --- fields --- */

struct fields {
   int raddr_a, raddr_b, small; /* -1: not yet */
   unsigned unpack;
   int pm, ws;
};

static bool
want(struct assembly *a, int *field, int value, const char *what)
{
   if (*field >= 0 && *field != value)
      return refuse(a, "operands want different %s", what);
   *field = value;
   return true;
}

static bool
unpacks_a(const struct fields *f)
{
   return f->unpack && f->pm != 1;
}

static bool
place_source(struct assembly *a, struct fields *f, struct source *s,
             bool settle)
{
   if (s->is_immediate) {
      s->mux = QPU_MUX_B;
      return want(a, &f->small, s->address, "small immediates");
   }
   if (!s->is_register)
      return true;
   if (s->file == FILE_ANY && settle) {
      bool in_b = unpacks_a(f) || f->raddr_b == (int)s->address ||
                  (f->raddr_a >= 0 && f->raddr_a != (int)s->address);
      /* File B gives the small immediate; nothing when that rotates. */
      if (f->small >= 0 && f->small < 48)
         in_b = false;
      s->file = in_b ? FILE_B : FILE_A;
   }
   if (s->file == FILE_ANY)
      return true;
   s->mux = s->file == FILE_A ? QPU_MUX_A : QPU_MUX_B;
   if (s->file == FILE_B && f->small >= 0 && s->address == QPU_R_NOP)
      return true;
   return want(a, s->file == FILE_A ? &f->raddr_a : &f->raddr_b, s->address,
               "registers of one file");
}

static bool
place_unpack(struct assembly *a, struct fields *f, const struct source *s)
{
   if (!s->unpack)
      return true;
   if (f->unpack && f->unpack != s->unpack)
      return refuse(a, "operands want different unpacking");
   f->unpack = s->unpack;
   return want(a, &f->pm, !s->is_register, "modes of packing");
}

/* write_swap: the value of the field WS with which file A is written. */
static bool
place_target(struct assembly *a, struct fields *f, const struct target *t,
             bool mul)
{
   if (t->pack) {
      if (t->color && !mul)
         return refuse(a, "the adder packs no colours");
      if (!want(a, &f->pm, t->color, "modes of packing"))
         return false;
      if (!t->color && t->file == FILE_B)
         return refuse(a, "file B is not packed");
   }
   bool needs_a = t->file == FILE_A || (t->pack && !t->color);
   if (!needs_a && t->file == FILE_ANY)
      return true;
   return want(a, &f->ws, needs_a ? mul : !mul, "files to write");
}

static bool
assemble_alu(struct assembly *a, char *text, uint64_t *word)
{
   struct half add, mul;
   char *first = next_piece(&text, ';'), *second = next_piece(&text, ';');
   char *name = next_piece(&text, ';');
   if (!second || text)
      return refuse(a, "an instruction has two operations and a signal");
   if (!parse_half(a, first, false, &add) ||
       !parse_half(a, second, true, &mul))
      return false;
   int signal = name ? find_name(qpu_signal_names, 16, name) : QPU_SIG_NONE;
   if (signal < 0)
      return refuse(a, "unknown signal %s", name);

   struct fields f = { -1, -1, -1, 0, -1, -1 };
   if (mul.rotate)
      f.small = mul.rotate;
   struct source *sources[4] = { &add.sources[0], &add.sources[1],
                                 &mul.sources[0], &mul.sources[1] };
   for (unsigned i = 0; i < 8; i++) {
      struct source *s = sources[i & 3];
      if (!(i & 2 ? mul.op : add.op))
         continue;
      if (!place_source(a, &f, s, i >= 4) || !place_unpack(a, &f, s))
         return false;
      if (i >= 4 && s->mux == QPU_MUX_A && unpacks_a(&f) && !s->unpack)
         return refuse(a, "file A is unpacked for one operand alone");
   }
   if ((add.op && !place_target(a, &f, &add.target, false)) ||
       (mul.op && !place_target(a, &f, &mul.target, true)))
      return false;
   if (f.small >= 0) {
      if (name || f.raddr_b >= 0)
         return refuse(a, "a small immediate beside a signal or file B");
      signal = QPU_SIG_SMALL_IMMEDIATE;
      f.raddr_b = f.small;
   }
   unsigned pack = add.target.pack | mul.target.pack;
   *word = (uint64_t)signal << 60 | (uint64_t)f.unpack << 57 |
           (uint64_t)(f.pm == 1) << 56 | (uint64_t)pack << 52 |
           (uint64_t)add.cond << 49 | (uint64_t)mul.cond << 46 |
           (uint64_t)(add.flags || mul.flags) << 45 |
           (uint64_t)(f.ws == 1) << 44 | (uint64_t)add.target.address << 38 |
           (uint64_t)mul.target.address << 32 | (uint64_t)mul.op << 29 |
           (uint64_t)add.op << 24;
   *word |= (f.raddr_a < 0 ? QPU_R_NOP : f.raddr_a) << 18 |
            (f.raddr_b < 0 ? QPU_R_NOP : f.raddr_b) << 12 |
            add.sources[0].mux << 9 | add.sources[1].mux << 6 |
            mul.sources[0].mux << 3 | mul.sources[1].mux;
   return true;
}

/* What immediates and branches write, in both files. */
static bool
place_writes(struct assembly *a, const struct target *add,
             const struct target *mul, struct fields *f, uint64_t *word)
{
   if (!place_target(a, f, add, false) || !place_target(a, f, mul, true))
      return false;
   *word |= (uint64_t)(f->ws == 1) << 44 | (uint64_t)add->address << 38 |
            (uint64_t)mul->address << 32;
   return true;
}

static bool
parse_number(struct assembly *a, const char *text, uint64_t *word)
{
   char *end;
   if (!text || !*text)
      return refuse(a, "no number at the end");
   *word |= (uint32_t)strtoll(text, &end, 0);
   return !*end || refuse(a, "%s is no number", text);
}

static bool
assemble_immediate(struct assembly *a, char *mnemonic, char *text,
                   uint64_t *word)
{
   unsigned cond = QPU_COND_ALWAYS, mul_cond = QPU_COND_NEVER;
   bool flags, ignored;
   struct fields f = { -1, -1, -1, 0, -1, -1 };
   struct target add, mul = { .address = QPU_W_NOP, .file = FILE_ANY };
   if (!parse_endings(mnemonic, qpu_cond_names, 8, &cond, &flags))
      return refuse(a, "unknown ending of %s", mnemonic);
   int mode = find_name(qpu_immediate_names, 8, mnemonic);
   char *target = next_piece(&text, ','), *last = next_piece(&text, ',');
   char *second = text ? last : NULL;
   if (text)
      last = next_piece(&text, ',');
   if (text || !target || !parse_target(a, target, &add))
      return text ? refuse(a, "too many operands") : false;
   if (second) {
      mul_cond = QPU_COND_ALWAYS;
      if (!parse_endings(second, qpu_cond_names, 8, &mul_cond, &ignored) ||
          !parse_target(a, second, &mul))
         return refuse(a, "unknown target %s", second);
   }
   *word = 14ull << 60 | (uint64_t)mode << 57 | (uint64_t)add.color << 56 |
           (uint64_t)add.pack << 52 | (uint64_t)cond << 49 |
           (uint64_t)mul_cond << 46 | (uint64_t)flags << 45;
   add.color = false;
   add.pack = 0; /* of either file here */
   return place_writes(a, &add, &mul, &f, word) &&
          parse_number(a, last, word);
}

static bool
assemble_branch(struct assembly *a, char *mnemonic, char *text,
                uint64_t *word)
{
   struct fields f = { -1, -1, -1, 0, -1, -1 };
   struct target add, mul;
   enum file file;
   unsigned cond = QPU_BRANCH_ALWAYS, reg = 0;
   bool relative = mnemonic[2] == 'r', flags;
   if (!parse_endings(mnemonic, qpu_branch_names, 16, &cond, &flags) || flags)
      return refuse(a, "unknown condition of a branch");
   char *first = next_piece(&text, ','), *second = next_piece(&text, ',');
   char *last = next_piece(&text, ','), *base = text ? last : NULL;
   if (text)
      last = next_piece(&text, ',');
   if (!last || text || !parse_target(a, first, &add) ||
       !parse_target(a, second, &mul))
      return refuse(a, "a branch takes two targets and a distance");
   if (base && (!parse_file_register(base, &file, &reg) || file != FILE_A))
      return refuse(a, "branches begin at registers of file A");
   *word = 15ull << 60 | (uint64_t)cond << 52 | (uint64_t)relative << 51 |
           (uint64_t)(base != NULL) << 50 | (uint64_t)reg << 45;
   return place_writes(a, &add, &mul, &f, word) &&
          parse_number(a, last, word);
}

bool
qpu_assemble(const char *text, uint64_t *word, char *error, unsigned size)
{
   struct assembly a = { error, size };
   char copy[MAX_TEXT], mnemonic[MAX_TEXT];
   if (strlen(text) >= MAX_TEXT)
      return refuse(&a, "a line longer than %u", MAX_TEXT);
   strcpy(copy, text);
   char *rest = copy;
   strcpy(mnemonic, next_piece(&rest, '\n'));
   strcpy(copy, mnemonic);
   rest = copy;
   if (!strchr(copy, ';')) {
      strcpy(mnemonic, next_piece(&rest, ' '));
      if (!rest)
         return refuse(&a, "%s alone is no instruction", mnemonic);
      if (!strncmp(mnemonic, "bra", 3) || !strncmp(mnemonic, "brr", 3))
         return assemble_branch(&a, mnemonic, rest, word);
      size_t length = strcspn(mnemonic, ".");
      char base[MAX_TEXT];
      memcpy(base, mnemonic, length);
      base[length] = 0;
      if (find_name(qpu_immediate_names, 8, base) >= 0)
         return assemble_immediate(&a, mnemonic, rest, word);
      return refuse(&a, "%s is no immediate or branch", mnemonic);
   }
   return assemble_alu(&a, rest, word);
}
