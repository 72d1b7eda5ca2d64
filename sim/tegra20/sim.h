/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * A Tegra20 graphics host in software: host1x, GR2D and GR3D.
 *
 * The simulator knows registers, machine words and memory, nothing else: it
 * is written from the hardware manuals and is shared by the drm-shim (which
 * adds the kernel interface), by tegra20-replay, by the tests and by the
 * fuzzer.
 *
 * A job is what one CHANNEL_SUBMIT of the kernel interface carries: gathers
 * of command words that were already relocated, and waits between them
 * (kernel-interface.md 2.7).  Register state does not survive a job: the
 * simulator poisons it (assumption A75).
 *
 * Thread safety: one simulator may be used by one thread at a time; it starts
 * threads of its own when told to.  Results never depend on their number.
 */

#ifndef SIM_H
#define SIM_H

#include <stdbool.h>
#include <stdint.h>

#define SIM_NUM_SYNCPTS 32

struct sim;
struct tegra20_chip_info; /* tegra20/chip/tegra20_chip.h */

/* Memory that a job may touch.  Ranges of one job do not overlap. */
struct sim_range {
   uint32_t base; /* device address, bytes */
   uint32_t size; /* bytes */
   uint8_t *cpu;  /* the same memory as the simulator's process sees it */
};

enum sim_cmd_type {
   SIM_CMD_GATHER, /* execute words */
   SIM_CMD_WAIT,   /* stall until a sync point has reached a threshold */
};

struct sim_cmd {
   enum sim_cmd_type type;
   union {
      struct {
         const uint32_t *words;
         uint32_t count;
      } gather;
      struct {
         uint32_t syncpt;    /* 0..SIM_NUM_SYNCPTS-1 */
         uint32_t threshold; /* absolute; compared with 32-bit wrap */
      } wait;
   };
};

struct sim_job {
   uint32_t class_id; /* class selected at the start: 0x51 or 0x60 */
   const struct sim_range *ranges;
   unsigned num_ranges;
   const struct sim_cmd *cmds;
   unsigned num_cmds;
   bool continues; /* the rest of the job before: state and class go on */
   bool cut;       /* such a rest may follow */
   bool overlaps;  /* with sim_options.adversary: what follows on the engine
                      is decoded while its last operations are under way */
};

enum sim_status {
   SIM_OK,   /* every word executed */
   SIM_HANG, /* the engine would stand still until the kernel's time-out: see
                the last diagnostic */
};

/*
 * Diagnostics.  Strict mode reports each use of the chip that is undefined,
 * hazardous or wasteful, under a stable number (docs/simulator.md lists them;
 * sim_diag_name() names them).  Errors that make a job hang are reported in
 * every mode.
 */
struct sim_diag {
   unsigned number; /* SIM_DIAG_... of sim_diag.h */
   unsigned draw;   /* draws executed in this job before this one */
   uint32_t reg;    /* register offset concerned, or ~0 */
   int program_pos; /* instruction / EXEC number concerned, or -1 */
   const char
      *text; /* one line, no newline; valid during the callback only */
};

typedef void (*sim_diag_fn)(void *data, const struct sim_diag *diag);

/*
 * Sync points outside of the simulator, shared with whatever else raises
 * them: other engines, a display, a CPU.  sim_syncpt_read() and
 * sim_syncpt_set() then mean nothing.
 */
struct sim_syncpts {
   void *data;
   uint32_t (*raise)(void *data, unsigned id); /* returns its new value */
   /* Returns when the sync point has reached the threshold (24 bits are
    * compared), or false when it is no use to wait any longer: the job ends
    * as one that hangs. */
   bool (*wait)(void *data, unsigned id, uint32_t threshold);
};

/* What a chip with sim_options.adversary does not hear, as if the driver had
 * not said it: for tests that a missing wait or invalidation is noticed. */
enum {
   SIM_DEAF_FETCH = 1 << 0,   /* invalidation of fetched vertices */
   SIM_DEAF_RESULTS = 1 << 1, /* of vertex results */
   SIM_DEAF_PIXELS = 1 << 2,  /* of texture caches */
   SIM_DEAF_WAIT = 1 << 3,    /* waits in the stream */
};

struct sim_options {
   const struct tegra20_chip_info *chip; /* NULL: Tegra20 */
   bool strict;      /* report undefined and suspicious uses */
   bool proven;      /* of a program that is known to run on the chip: what it
                        leaves undefined has values in strict mode, too */
   bool noop;        /* parse streams and raise sync points, draw nothing */
   unsigned threads; /* worker threads for drawing; 0 = one per core */
   uint64_t job_clocks; /* clocks after which a job hangs; 0 = as many as the
                           engine makes in the kernel's 10 s */
   uint32_t adversary;  /* seed of a chip whose caches hold what the stream
                           does  not invalidate (adversary.h); 0: no caches */
   unsigned deaf;       /* SIM_DEAF_... */
   uint8_t scramble; /* tests: working memory is filled with this before each
                        use; results must be the same */
   sim_diag_fn diag; /* NULL: diagnostics go to stderr */
   void *diag_data;
   const struct sim_syncpts *syncpts; /* NULL: the simulator has its own */
};

/* Running totals since creation. */
struct sim_stats {
   uint64_t jobs, words, draws, fills, blits;
   uint64_t vertices, primitives, fragments, texture_lookups;
   uint64_t vertex_clocks,
      fragment_clocks; /* by the cost model, assumption A79; of the slower
                          engine of each flush where there are two */
   uint64_t engine_clocks[2]; /* fragments, each engine for itself */
   /* Bytes that the engines move, A136. */
   uint64_t texture_bytes, pixel_bytes, depth_bytes, vertex_bytes, gr2d_bytes;
   uint64_t gr2d_clocks;
   /* Clocks that jobs take: of each the larger of what its units and its
    * bytes want; and those of jobs where the bytes do. */
   uint64_t time_clocks, memory_clocks;
   uint64_t diags;
};

/* NULL options mean all defaults.  Returns NULL when out of memory. */
struct sim *
sim_create(const struct sim_options *options);
void
sim_destroy(struct sim *sim);

/* Executes a job to its end.  Sync points that it raises are raised when this
 * returns. */
enum sim_status
sim_execute(struct sim *sim, const struct sim_job *job);

uint32_t
sim_syncpt_read(const struct sim *sim, unsigned id);
void
sim_syncpt_set(struct sim *sim, unsigned id, uint32_t value);

void
sim_get_stats(const struct sim *sim, struct sim_stats *stats);

/*
 * Switches: one for each choice in docs/hardware-assumptions.md, by id
 * ("A57") and value, which for A43 may be numbers.  Returns false for an
 * unknown id or value, and without a sim does no more.  sim_switch_describe()
 * walks the table: NULL when index is past its end.
 */
struct sim_switch_info {
   const char *id;    /* "A57" */
   const char *topic; /* one line */
   unsigned num_values;
   const char *const *values; /* num_values names, values[0] is the default */
   bool timing; /* a matter of chance: changes nothing without adversary */
};
bool
sim_set_switch(struct sim *sim, const char *id, const char *value);
/* All of a list, as "A57=16,A22=cut", or NULL.  Returns NULL, or the place in
 * the list from which on it is wrong. */
const char *
sim_set_switches(struct sim *sim, const char *list);
const struct sim_switch_info *
sim_switch_describe(unsigned index);

#endif
