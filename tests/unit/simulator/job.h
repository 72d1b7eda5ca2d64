/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * For tests: a simulator, a piece of memory that its jobs may touch, and a command stream under construction.
 */

#ifndef TEST_JOB_H
#define TEST_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "sim.h"
#include "sim_diag.h"

#define JOB_MEMORY_BASE 0x10000000u
#define JOB_MEMORY_SIZE (1u << 20)

/* Where job_frame() puts things. */
#define JOB_TARGET 0x00000u  /* 256x256 RGBA8888, tiled, pitch 1024 */
#define JOB_DEPTH 0x40000u   /* 256x256 D16, tiled, pitch 512 */
#define JOB_STENCIL 0x60000u /* 256x256 S8, tiled, pitch 256 */
#define JOB_VERTICES 0x80000u
#define JOB_INDICES 0xa0000u
#define JOB_FREE 0xb0000u /* for the test's own use */

struct job {
   struct sim *sim;
   uint32_t class_id;
   bool overlaps, cut, continues; /* as those of struct sim_job */
   uint32_t split; /* memory is two buffers, the second one from here on; 0: one */
   uint32_t *words;
   unsigned count, capacity;
   uint8_t *memory;
   unsigned diags[256]; /* numbers reported, in order */
   unsigned num_diags;
   char last_text[512];
};

/* In place of the last one that this made; strict mode if told to; diagnostics are recorded. */
struct job *job_create(bool strict);
struct job *job_create_with(struct sim_options options);
void job_destroy(struct job *job);

/* Forgets the words and the diagnostics; memory stays. */
void job_clear(struct job *job);

void job_word(struct job *job, uint32_t word);
void job_class(struct job *job, uint32_t class_id);
void job_write(struct job *job, uint32_t reg, uint32_t value);
/* Several pairs of a register and its value. */
void job_write_all(struct job *job, const uint32_t (*pairs)[2], unsigned count);
#define JOB_WRITE(job, ...)                                                                                            \
   job_write_all(job, (const uint32_t[][2]){ __VA_ARGS__ }, sizeof((const uint32_t[][2]){ __VA_ARGS__ }) / 8)
void job_fill(struct job *job, uint32_t first, uint32_t last, uint32_t value);
void job_float(struct job *job, uint32_t reg, float value);
/* count words to one register. */
void job_port(struct job *job, uint32_t reg, const uint32_t *values, unsigned count);

enum sim_status job_run(struct job *job);
bool job_reported(const struct job *job, unsigned number);

/*
 * State of the public hardware tests (vertex-pipeline.md 16): reset block, the draw state of gr3d-registers.md 4.1, a
 * 256x256 target, and the fragment program that copies varying row 0 to the target with columns x and y exchanged.
 */
void job_frame(struct job *job);
/* What Tegra30 wants beside it (gr3d-registers.md 5.1): once, and in front of the draws. */
void job_init_tegra30(struct job *job);
void job_select_engines(struct job *job);

/* num instructions of four words; sets the upload pointer to 0 first. */
void job_vertex_program(struct job *job, const uint32_t (*insns)[4], unsigned num);
void job_vertex_constant(struct job *job, unsigned index, const uint32_t bits[4]);
void job_vertex_constant_f(struct job *job, unsigned index, float x, float y, float z, float w);

/* Address and mode of an attribute: offset in the job's memory. */
void job_attrib(struct job *job, unsigned index, uint32_t offset, uint32_t mode);

/* primitive 0..6 with both caches invalidated and the last vertex provoking; index_mode 0..2. */
void job_draw(struct job *job, unsigned primitive, unsigned index_mode, unsigned first, unsigned count);

/* Copies into the job's memory. */
void job_poke(struct job *job, uint32_t offset, const void *data, unsigned size);
uint32_t job_peek32(const struct job *job, uint32_t offset);
/* Pixel of the 256x256 tiled target. */
uint32_t job_pixel(const struct job *job, unsigned x, unsigned y);

#endif
