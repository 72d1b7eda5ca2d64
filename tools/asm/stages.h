/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What tegra20-asm and tegra20-disasm know of each kind of program.
 */

#ifndef ASM_STAGES_H
#define ASM_STAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fs_program.h"

#define MAX_WORDS 8

/* A section of a file, named by a line ".vertex" and so on. */
struct asm_stage {
   const char *name;
   const char *description;
   unsigned words; /* 32-bit words per instruction */
   unsigned max_insts;
   void (*print)(const uint32_t *words, char *text, size_t size);
   bool (*parse)(struct isa_parser *parser, uint32_t *words);
   /* NULL, or checks the whole section: a reason and the instruction, or NULL
    * when all is well */
   const char *(*check)(const uint32_t *words, unsigned count,
                        unsigned *inst);
   /* Programs that make sense as a whole only: all words of a section to
    * malloc'ed text, or NULL; and back. */
   char *(*print_all)(const uint32_t *words, unsigned count);
   bool (*parse_all)(const char *text, uint32_t *words, unsigned *count,
                     struct isa_parser *parser);
};

/* Whose programs they are. */
extern const struct tegra20_chip_info *asm_chip;
/* The value of --chip; false after a message. */
bool
set_asm_chip(const char *program, const char *name);

extern const struct asm_stage asm_stages[];
extern const unsigned num_asm_stages;

/* NULL when there is no such section. */
const struct asm_stage *
find_asm_stage(const char *name, size_t length);

/* The whole of a file, or of stdin for "-", terminated; NULL after a message.
 */
char *
read_whole_file(const char *program, const char *path);
/* Call it last: false, after a message, when the standard output could not be
 * written. */
bool
finish_output(const char *program);

#endif
