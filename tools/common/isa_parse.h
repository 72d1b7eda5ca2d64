/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The assembler: instructions from the text of isa_text.h.
 */

#ifndef ISA_PARSE_H
#define ISA_PARSE_H

#include "isa_text.h"

/* A statement being parsed. */
struct isa_parser {
   const char *pos;
   char error[160]; /* empty as long as all is well */
};

void
isa_error(struct isa_parser *parser, const char *format, ...)
   __attribute__((format(printf, 2, 3)));

/* Skips blanks; true and past it when the text goes on with that word or
 * sign. */
bool
isa_accept(struct isa_parser *parser, const char *what);
/* The same, else an error. */
void
isa_expect(struct isa_parser *parser, const char *what);
/* A decimal or 0x number from 0 to max. */
unsigned
isa_number(struct isa_parser *parser, unsigned max);
/* A name: letters, digits, underscores; returns its length, 0 when there is
 * none. */
size_t
isa_name(struct isa_parser *parser, const char **name);
bool
isa_at_end(struct isa_parser *parser);

/* "!field=value", as isa_text_print_raw() prints it. */
void
isa_parse_raw(struct isa_parser *parser, const struct isa_field *fields,
              unsigned num_fields, uint32_t *words, unsigned num_words,
              enum isa_word_order order);

/* Instructions of each kind; false with a reason in parser->error. */
bool
vpe_parse_inst(struct isa_parser *parser, uint32_t words[4]);
bool
linker_parse_inst(struct isa_parser *parser, uint32_t words[2]);
bool
fs_alu_parse_inst(struct isa_parser *parser, uint32_t words[2]);
bool
fs_packet_parse_inst(struct isa_parser *parser, uint32_t words[8]);
bool
fs_mfu_parse_inst(struct isa_parser *parser, uint32_t words[2]);
bool
fs_tex_parse_inst(struct isa_parser *parser, uint32_t word[1]);
bool
fs_pseq_parse_inst(struct isa_parser *parser, uint32_t word[1]);
bool
fs_dw_parse_inst(struct isa_parser *parser, uint32_t word[1]);

/* Linker instructions, which only tools print (vertex-pipeline.md appendix
 * A), to text of at most ISA_MAX_TEXT characters. */
void
linker_print_inst(const uint32_t words[2], char *text, size_t size);

#endif
