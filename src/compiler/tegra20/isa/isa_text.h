/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Assembly text of the instruction sets.
 *
 * One instruction per statement.  The text has all of the words, of any kind:
 * fields that it has no place for (operands that the opcodes do not read,
 * unknown bits) follow as "!field=value" with the name from the instruction
 * set's description.
 */

#ifndef TEGRA20_ISA_TEXT_H
#define TEGRA20_ISA_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "isa.h"
#include "tegra20/tegra20_chip.h"

/* Text being made. */
struct isa_printer {
   char *text;
   size_t size, used; /* the text ends early when it does not fit */
};

#define ISA_MAX_TEXT 512

void
isa_text_print(struct isa_printer *printer, const char *format, ...)
   __attribute__((format(printf, 2, 3)));

/* "!field=value" for every field in which the words differ from those of the
 * text so far (other). */
void
isa_text_print_raw(struct isa_printer *printer,
                   const struct isa_field *fields, unsigned num_fields,
                   const uint32_t *words, const uint32_t *other,
                   unsigned num_words, enum isa_word_order order);

/* Vertex instructions (vertex-pipeline.md appendix A): words to text of at
 * most ISA_MAX_TEXT characters. */
void
vpe_print_inst(const uint32_t words[4], char *text, size_t size);

/* Fragment instructions (fs_text.c): a unit of the ALU, a packet with its
 * four units or constants, and the other words. */
void
fs_alu_print_inst(const uint32_t words[2], char *text, size_t size);
void
fs_packet_print_inst(const uint32_t words[8], char *text, size_t size);
void
fs_mfu_print_inst(const uint32_t words[2], char *text, size_t size);
void
fs_tex_print_inst(const uint32_t word[1], char *text, size_t size);
void
fs_pseq_print_inst(const uint32_t word[1], char *text, size_t size);
void
fs_dw_print_inst(const uint32_t word[1], char *text, size_t size);

/* All tables of a fragment program (fragment-pipeline.md 1.4). */
struct fs_words {
   enum tegra20_chip chip; /* the program of the schedule words */
   /* 1..4, 1..64, 0..64, 0..64 or 128 */
   unsigned rows, num_execs, num_mfu, num_alu;
   uint32_t pseq[64], mfu_sched[64], tex[64], alu_sched[64], complement[64],
      dw[64];
   uint32_t mfu[64][2], alu[TEGRA20_CHIP_MAX_FS_ALU][8];
};

/* A fragment program as text, EXEC by EXEC, malloc'ed. */
char *
fs_program_print(const struct fs_words *words);

/*
 * Checks a vertex program against every rule of vertex-pipeline.md that can
 * be judged without running it.  NULL when it is in order, else a reason,
 * valid until the next call in this thread; *inst is the instruction.
 * num_consts: constant registers of the chip.
 */
const char *
vpe_validate(const uint32_t (*insts)[4], unsigned count, unsigned num_consts,
             unsigned *inst);

#endif
