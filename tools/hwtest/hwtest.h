/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What the files of tegra20-hwtest agree on:
 *
 *   test.c         a job under construction: words, relocations, memory; the
 *                  state that every 3D test starts from
 *   experiments*.c the experiments, one table each: what to draw
 *   vectors.c      the same from the public vectors
 *   vernier.c      fits the weights of an interpolator that nobody knows
 *   device.c       runs a job on the device, in a process of its own
 *   model.c        runs it on the simulator and compares, exactly or within
 *                  the range of those weights
 *   search.c       finds the assumptions that explain what the device made of
 *                  the jobs
 *   main.c         options and the report
 *
 * A test is a job with its memory.  What it means is in the simulator alone:
 * when the device leaves the same memory, the chip behaves as assumed; when
 * it does not, the simulator's switches are tried until one gives the
 * device's memory.
 */

#ifndef TEGRA20_HWTEST_H
#define TEGRA20_HWTEST_H

#include <stdbool.h>
#include <stdint.h>

#include "tegra20/tegra20_chip.h"

#define TEST_MEMORY (1u << 20)
#define TEST_MAX_WORDS 15000
#define TEST_MAX_RELOCS 1000

/* Where things are in the memory of a 3D test. */
#define AT_TARGET \
   0x00000u /* TEST_SIZE x TEST_SIZE, linear, four bytes per pixel */
#define AT_SECOND 0x08000u  /* another target */
#define AT_DEPTH 0x20000u   /* tiled, pitch 256 */
#define AT_STENCIL 0x30000u /* tiled, pitch 256 */
#define AT_TEXTURE 0x40000u /* 256 KiB */
#define AT_VERTICES 0x80000u
#define AT_COLOURS 0x90000u
#define AT_INDICES 0xa0000u
#define AT_FREE 0xb0000u /* 256 KiB; the rest stays untouched */
#define TEST_SIZE 64

struct test_reloc {
   unsigned word; /* index of the address word */
   uint32_t offset;
   bool write;
};

/* The chip that tests are for from now on; Tegra20 if nothing is said. */
void
test_set_chip(const struct tegra20_chip_info *chip);
const struct tegra20_chip_info *
test_chip(void);

struct test {
   bool engine_2d;
   uint32_t words[TEST_MAX_WORDS];
   unsigned num_words;
   struct test_reloc relocs[TEST_MAX_RELOCS];
   unsigned num_relocs;
   uint8_t memory[TEST_MEMORY];
   unsigned num_vertices;
   bool broken; /* too long, or a program that the assembler refuses: a
                   mistake in an experiment */
};

enum outcome {
   OUTCOME_OK,
   OUTCOME_HANG,    /* the kernel gave the job up */
   OUTCOME_REFUSED, /* the kernel did not take it */
   OUTCOME_LOST,    /* the process that ran it ended or did not come back */
   OUTCOME_NO_DEVICE,
};

struct result {
   enum outcome outcome;
   uint8_t memory[TEST_MEMORY];
};

struct experiment {
   const char
      *id; /* of the assumption: a row of docs/hardware-assumptions.md;
              "vector" for the public programs */
   const char *name; /* unique */
   const char *what;
   void (*build)(struct test *test, const void *data);
   const void *data;
   bool risky; /* makes a device hang until the kernel's time-out when all is
                  as assumed */
};

struct experiment_table {
   const struct experiment *experiments;
   unsigned count;
};

extern const struct experiment_table vertex_experiments, raster_experiments,
   fragment_experiments, texture_experiments, gr2d_experiments,
   vernier_experiments;

/* What --calibrate runs many times before it lets draws follow each other. */
extern const struct experiment soak_tests[2];

/* The chip's interpolator where no value of A43 is: the explicit weights are
 * too large by error, with an offset besides, and range is what one is off
 * from that; in 2^-24.  range is 0 while a value of A43 is. */
struct weights {
   int error, offset, range;
};

/* Rows of the document that no job can decide, with the reason. */
struct undecided {
   const char *id, *reason;
};
extern const struct undecided undecided_rows[];
extern const unsigned num_undecided_rows;

/* vectors.c: a malloc'ed table. */
struct experiment_table
vector_experiments(void);

/* --- test.c: 3D --- */

/* Starts a test: the state of the public hardware tests with a target of
 * TEST_SIZE, or nothing for the 2D engine. */
void
test_3d(struct test *t);
void
test_2d(struct test *t);

void
test_word(struct test *t, uint32_t word);
void
test_reg(struct test *t, uint32_t reg, uint32_t value);
void
test_float(struct test *t, uint32_t reg, float value);
/* A register that holds an address in the test's memory. */
void
test_addr(struct test *t, uint32_t reg, uint32_t offset, bool write);
void
test_port(struct test *t, uint32_t reg, const uint32_t *words,
          unsigned count);
uint32_t *
test_memory32(struct test *t, uint32_t offset);

/* Programs in the assembler's text (tegra20-asm). */
void
test_vertex_program(struct test *t, const char *text);
void
test_vertex_program_at(struct test *t, uint32_t upload_pointer,
                       const char *text);
void
test_fragment_program(struct test *t, const char *text);
void
test_vertex_constant(struct test *t, unsigned index, float x, float y,
                     float z, float w);
void
test_linker(struct test *t, unsigned number, uint32_t low, uint32_t high,
            unsigned rows);
void
test_uniform(struct test *t, unsigned index, double fp20);
void
test_uniform_pair(struct test *t, unsigned index, double low, double high);
uint32_t
test_fp20(double value);

/* Attribute 0 is the position, in pixels of the target (unless w is not 1:
 * then clip coordinates), attribute 1 a colour. */
unsigned
test_vertex(struct test *t, float x, float y, float z, float r, float g,
            float b, float a);
unsigned
test_clip_vertex(struct test *t, float x, float y, float z, float w, float r,
                 float g, float b, float a);
void
test_draw(struct test *t, unsigned primitive, unsigned first, unsigned count);
/* A rectangle in one colour; the four corners in order (x0, y0), (x1, y0),
 * (x0, y1), (x1, y1). */
void
test_quad(struct test *t, float x0, float y0, float x1, float y1, float z,
          float r, float g, float b, float a);
/* The same with a colour that goes from (0, 0) at (x0, y0) to (s, t) at (x1,
 * y1): texture coordinates. */
void
test_ramp(struct test *t, float x0, float y0, float x1, float y1, float s,
          float u);

void
test_target(struct test *t, unsigned surface, uint32_t offset,
            unsigned format, unsigned pitch);
void
test_depth(struct test *t, unsigned func, bool write);
void
test_stencil(struct test *t, unsigned reg_params, unsigned compare,
             unsigned op);
/* A power-of-two texture; descriptor bits as in 0x720 besides the format. */
void
test_texture(struct test *t, uint32_t offset, unsigned format,
             unsigned log_width, unsigned log_height, unsigned levels,
             uint32_t descriptor);
void
test_npot_texture(struct test *t, uint32_t offset, unsigned format,
                  unsigned width, unsigned height, uint32_t descriptor);

#define WRAP_CLAMP 3u
#define FILTER_LINEAR (3u << 28)
#define FILTER_MIP_LINEAR (1u << 27)

#define MFU_SETUP "mfu rcp r4, mul0 w = sfu*b0, mul1 w = sfu*b1"
#define FP_STORE(r) "store surface1, " r ";"
/* The varying in the four columns of TRAM row 0 as it is. */
#define FP_COLOUR                                                           \
   "rows 1; exec; " MFU_SETUP                                               \
   ", r0 = tram0.x, r1 = tram0.y, r2 = tram0.z, r3 = tram0.w;"              \
   "alu r2.l = r0*1 + 0 | r2.h = r1*1 + 0 | r3.l = r2*1 + 0 | r3.h = r3*1 " \
   "+ 0; store surface1, r2;"
#define FP_TEXTURE            \
   "rows 1; exec; " MFU_SETUP \
   ", r0 = tram0.x, r1 = tram0.y; tex r2 = sample0(r0); store surface1, r2;"
#define VP_POSITION "EXEC(export[0]=vector) MOVv r63.xyzw, a[0].xyzw;"
#define VP_COLOUR \
   VP_POSITION "EXEC_END(export[7]=vector) MOVv r63.xyzw, a[1].xyzw;"

/* --- device.c --- */

/* Runs the test on the device node in a process of its own; seconds: when it
 * is given up. */
void
device_run(const char *node, const struct test *test, unsigned seconds,
           struct result *result);
/* A line on what is behind the node, or the reason why nothing is. */
bool
device_describe(const char *node, char *text, unsigned size,
                const struct tegra20_chip_info **chip);
/* The name that the device tree gives the board, or "unknown". */
const char *
device_board(void);

/* --- model.c --- */

struct model;
struct model *
model_create(const struct tegra20_chip_info *chip);
/* One whose switches are set: "A57=16,A26=radius".  NULL: there is no such
 * switch or value. */
struct model *
model_create_as(const struct tegra20_chip_info *chip, const char *switches);
void
model_destroy(struct model *model);
void
model_run(struct model *model, const struct test *test,
          struct result *result);

/* Another value than the default of a switch. */
struct alternative {
   const char *id, *value, *assumed;
};
unsigned
model_num_alternatives(const struct model *model);
struct alternative
model_alternative(const struct model *model, unsigned index);
/* Sets one alternative, or the default of its switch. */
void
model_set(struct model *model, unsigned index, bool on);
/* From now on the model has these weights instead of a value of A43, and
 * explains what lies between those that are off by their range. */
void
model_set_weights(struct model *model, const struct weights *weights);
const struct weights *
model_weights(const struct model *model);
/* Runs with the alternatives that are set: same outcome and memory, but for
 * the range of the weights? */
bool
model_explains(struct model *model, const struct test *test,
               const struct result *device);
unsigned
results_differ(const struct result *a, const struct result *b);

#endif
