/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * A wave: 32 lanes that execute one program, each at an address of its own.
 * Those with the lowest address run; so lanes that parted meet again.
 */

#ifndef IR3_WAVE_H
#define IR3_WAVE_H

#include "ir3.h"

struct a4xx;
struct quad;

/* A value of all lanes. */
typedef uint32_t ir3_u __attribute__((vector_size(4 * IR3_LANES)));
typedef int32_t ir3_i __attribute__((vector_size(4 * IR3_LANES)));
typedef float ir3_f __attribute__((vector_size(4 * IR3_LANES)));

/* Functions that work on these exist for more than one instruction set, of
 * which the best is chosen at load time.  All compute the same: nothing is
 * contracted, and vectors of this size are handed on in memory. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
   !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&  \
   defined(__GLIBC__)
#define IR3_CLONES         \
   __attribute__((flatten, \
                  target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define IR3_CLONES
#endif

static inline ir3_u
ir3_select(ir3_u mask, ir3_u a, ir3_u b)
{
   return (mask & a) | (~mask & b);
}

/* All ones where a < b: GCC compares vectors that no register holds lane by
 * lane, but makes vectors of this loop. */
static inline ir3_u
ir3_less(ir3_f a, ir3_f b)
{
   ir3_u result;
   for (unsigned lane = 0; lane < IR3_LANES; lane++)
      result[lane] = a[lane] < b[lane] ? ~0u : 0;
   return result;
}

/* Who stored a word of memory that lanes share, and when. */
struct ir3_writer {
   uint8_t lane;
   bool written;
   uint32_t epoch; /* number of (ss) until then */
};

/* Memory of a wave: "items" times so many words.  writers: in strict mode. */
struct ir3_memory {
   uint32_t *words;
   struct ir3_writer *writers;
   unsigned words_each, items;
};

/* The tess factors that a control program has to write. */
struct ir3_factors {
   uint32_t address, stride;   /* of the buffer; bytes of a group, 0 = none */
   uint32_t first;             /* number of the wave's first patch in it */
   uint8_t written[IR3_LANES]; /* by patch: dwords */
};

enum ir3_late { IR3_LATE_SS = 1, IR3_LATE_SY = 2 };

struct ir3_wave {
   ir3_u full[IR3_REGS], half[IR3_REGS]; /* half: the low 16 bits */
   ir3_u address, predicate[4];
   ir3_u mask; /* all ones in the lanes that run */

   struct a4xx *chip;
   const struct ir3_instr *program;
   unsigned count;         /* instructions */
   const char *stage;      /* "VS", for diagnostics */
   unsigned stage_number;  /* enum a4xx_stage */
   const uint32_t *consts; /* the stage's, and how many components */
   unsigned num_consts;
   unsigned max_full, max_half; /* footprint: registers are below */

   struct ir3_memory local, private;
   uint8_t item[IR3_LANES];  /* of private memory, by lane */
   uint8_t patch[IR3_LANES]; /* of the wave, by lane */
   struct ir3_factors factors;
   /* Of fragments: four lanes each (raster.h); NULL: there are none. */
   const struct quad *quads;
   unsigned num_quads;
   uint32_t helpers; /* lanes that only their neighbours need */
   const struct a4xx_buffer *buffers; /* the stage's; NULL: none */

   /* Flow. */
   unsigned pc;
   uint32_t running, waiting;   /* masks of lanes */
   uint32_t ended, chained;     /* how those that are neither came out */
   unsigned lane_pc[IR3_LANES]; /* of those that wait */
   bool chain_masked;
   bool at_barrier; /* before the instruction behind it */
   bool failed;
   uint64_t executed; /* lane-instructions, without nops */

   /* Strict mode. */
   uint8_t full_late[IR3_REGS], half_late[IR3_REGS]; /* enum ir3_late */
   uint32_t full_written[IR3_REGS], half_written[IR3_REGS]; /* lanes */
   uint32_t epoch;
};

/* Nothing is written; nothing runs. */
void
ir3_wave_reset(struct ir3_wave *wave, struct a4xx *chip);

/* A register as the chip hands it to a program: lane's value. */
void
ir3_wave_preload(struct ir3_wave *wave, unsigned reg, unsigned lane,
                 uint32_t value);

/* Runs the program from its first instruction for these lanes, until all have
 * come to an "end" or a "chsh".  False: a diagnostic says what was wrong. */
bool
ir3_wave_run(struct ir3_wave *wave, uint32_t lanes);

/* On from a barrier. */
bool
ir3_wave_resume(struct ir3_wave *wave);

/* ir3_alu.c: the result of an instruction of categories 1 to 4 in a
 * repetition. */
void
ir3_alu(struct ir3_wave *wave, const struct ir3_instr *instr,
        unsigned repetition);
bool
ir3_alu_knows(const struct ir3_instr *instr);

/* ir3_memory.c: category 6.  False: not modelled, or out of range. */
bool
ir3_access(struct ir3_wave *wave, const struct ir3_instr *instr);

/* ir3_buffer.c: buffers and images by number, atomics. */
bool
ir3_access_buffer(struct ir3_wave *wave, const struct ir3_instr *instr);
/* Registers that an operand takes. */
unsigned
ir3_buffer_operand_size(const struct ir3_instr *instr, unsigned i);

/* tex.c: category 5.  False: not modelled. */
bool
a4xx_sample(struct ir3_wave *wave, const struct ir3_instr *instr);
/* Registers that its first and second operand take. */
void
tex_count_operands(const struct ir3_instr *instr, unsigned counts[2]);
/* fs.c: bary.f in a repetition, and ldlv. */
bool
fs_interpolate(struct ir3_wave *wave, const struct ir3_instr *instr,
               unsigned repetition);
bool
fs_load_varying(struct ir3_wave *wave, const struct ir3_instr *instr);

/* ir3_check.c: strict mode, before an instruction. */
void
ir3_check(struct ir3_wave *wave, const struct ir3_instr *instr);

#endif
