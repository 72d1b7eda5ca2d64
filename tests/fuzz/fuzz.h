/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What the files of the fuzzer agree on: fuzz_sim.c runs jobs, fuzz_generate.c makes their words, fuzz_recording.c
 * takes them from recordings.
 */

#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stdint.h>

#include "sim.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct options {
   double seconds;
   uint64_t seed, first, jobs;
   bool compare;
   const char *recording;
   unsigned variants; /* of each recorded job */
};

/* ---- fuzz_generate.c ---- */

/* Starts the random numbers of a job: they depend on the two arguments alone. */
void rng_start(uint64_t seed, uint64_t job);
uint32_t rnd(void);
uint32_t below(uint32_t n); /* 0 .. n - 1, 0 when n is 0 */
bool chance(unsigned percent);

/* Words under construction. */
#define MAX_WORDS 60000
extern uint32_t words[];
extern unsigned num_words;
void generate(void);
/* One change somewhere: a word flipped, replaced, repeated, moved or cut. */
void mutate(void);

/* Memory that the generator knows: buffers that touch inaccessible pages. */
#define NUM_RANGES 4
extern struct sim_range ranges[NUM_RANGES];
/* size bytes with an inaccessible page on either side, the end (or the start) at the page. */
uint8_t *guarded_memory(uint32_t size, bool at_the_end);
void guarded_free(uint8_t *memory, uint32_t size);
void create_memory(struct sim_range *list);
/* Vertex data that is mostly inside the clip volume. */
void vertex_memory(void);

/* ---- fuzz_sim.c ---- */

/* Bit 0: strict mode; bit 1: two threads, and other rubbish in the working memory when jobs are compared. */
#define NUM_SIMS 4
struct fuzz {
   struct options o;
   struct sim *sims[NUM_SIMS];
   uint64_t job; /* number of the current one */
   uint64_t done, hangs, diags;
   double start;
};

bool fuzz_goes_on(const struct fuzz *fuzz);
/*
 * Runs a job of the memory ranges given, on one simulator or, to be compared, on two.  twin: memory of the same sizes for
 * the second one.
 */
void fuzz_run(struct fuzz *fuzz, struct sim_job *job, struct sim *const pair[2], const struct sim_range *twin);
/* All assumptions as they are by default; one of them at random. */
void fuzz_reset_switches(struct fuzz *fuzz);
void fuzz_random_switch(struct fuzz *fuzz, struct sim *const pair[2]);

/* ---- fuzz_recording.c ---- */

/* Runs mutated variants of every job of the recording; false when it cannot be read. */
bool fuzz_recording(struct fuzz *fuzz);

#endif
