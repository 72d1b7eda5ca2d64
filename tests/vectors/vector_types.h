/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What the tables that are generated from the public vectors consist of.
 */

#ifndef VECTOR_TYPES_H
#define VECTOR_TYPES_H

#include <stdint.h>

enum expected_kind { END, MEASURED, PREDICTED, INTENT };

struct expected_case {
   enum expected_kind kind;
   int texel0[4], texel1[4], dst[4];
   uint32_t uniforms[32];
   double interpolated[4];
   int colour[4];
   int killed, has_word;
   uint32_t word;
};

struct fragment_vector {
   const char *name;
   unsigned rows, num_execs, clocks, discards;
   uint32_t pseq[64], mfu_sched[64], tex[64], alu_sched[64], alu_complement[64], dw[64];
   unsigned num_mfu, num_alu;
   uint32_t mfu[64][2], alu[128][8];
   unsigned linker_rows;
   const char *fa, *fb;
   unsigned uniform_halves; /* bit 2 * register + half */
   const struct expected_case *cases;
};

struct fx10_vector {
   double value;
   uint32_t code;
};

struct byte_vector {
   int fx10;
   unsigned byte;
};

struct encoding_vector {
   const char *unit;
   uint32_t words[8];
   uint32_t constants[3];
   const char *decoded;
};

struct measured_vector {
   const char *name;
   uint32_t program[16][4];
   unsigned num_insns;
   uint32_t linker[2];
   uint32_t reg_120, reg_343, reg_e21;
   struct {
      unsigned index;
      uint32_t bits[4];
   } constants[8];
   unsigned num_constants;
   float attrib0[4][4], attrib1[4][4];
   float export0[4][4], export7[4][4];
   uint32_t pixel;
};

struct other_program {
   const char *name;
   uint32_t words[64][4];
   unsigned num_insns;
};

#endif
