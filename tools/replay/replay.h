/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What the files of tegra20-replay agree on:
 *
 *   main.c     options, the loop over the records, memory, comparison
 *   stream.c   walks command words: register writes with class and offset
 *   dump.c     prints streams as text
 *   draws.c    executes jobs draw by draw
 *   trace.c    compares the draws of two recordings
 *   targets.c  finds the surfaces that jobs draw to
 *   videocore.c  streams, surfaces and execution of the other chip
 *   pictures.c  writes surfaces of both as PNG
 */

#ifndef TEGRA20_REPLAY_H
#define TEGRA20_REPLAY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sim.h"
#include "recording_reader.h"
#include "tegra20/tegra20_chip.h"

#define CLASS_HOST1X 0x01
#define CLASS_GR2D 0x51
#define CLASS_GR2D_SB 0x52
#define CLASS_GR3D 0x60

struct replay_buffer {
   uint32_t id, address, size;
   uint8_t *memory;
};

static inline bool
replay_buffer_holds(const struct replay_buffer *buffer, uint32_t address)
{
   return address >= buffer->address &&
          address - buffer->address < buffer->size;
}

/* stream.c */
struct stream_handler {
   void (*opcode)(void *data, uint32_t word,
                  unsigned index); /* may be NULL */
   void (*write)(void *data, uint32_t class_id, uint32_t offset,
                 uint32_t value, unsigned index);
   void *data;
};
/* Walks one gather; *class_id is carried on.  index: of the word in the
 * gather.  False when its words are cut short. */
bool
stream_walk(const uint32_t *words, unsigned count, uint32_t *class_id,
            const struct stream_handler *handler);

/* dump.c */
struct dump;
struct dump *
dump_create(FILE *out, const struct tegra20_chip_info *chip);
void
dump_job(struct dump *dump, unsigned number,
         const struct recording_record *job,
         const struct replay_buffer *const *buffers);
void
dump_destroy(struct dump *dump);

/* pictures.c */
struct pictures {
   const char *prefix;
   int num_written; /* -1: a file could not be written */
};
struct surface {
   unsigned width, height, cpp;
   /* where a pixel lies, in bytes, and its colour */
   uint64_t (*offset)(const void *data, unsigned x, unsigned y);
   void (*color)(const void *data, const uint8_t *pixel, uint8_t rgb[3]);
   const void *data;
   const uint8_t *memory; /* these two are set by pictures_write() */
   uint64_t size;
};
/* Writes a surface at an address in a buffer to
 * PREFIX-NUMBER-WIDTHxHEIGHT-FORMAT.png, unless a picture before it could not
 * be written. */
void
pictures_write(struct pictures *pictures, struct surface surface,
               const struct replay_buffer *buffer, uint32_t address,
               const char *format);

/* targets.c */
struct targets;
struct targets *
targets_create(const char *prefix);
/* Notes what the job draws to. */
void
targets_job(struct targets *targets, const struct recording_record *job);
/* The i-th surface that the last draw or fill of the last job wrote; its
 * memory and size are left to the caller.  False: there is none. */
bool
targets_last(const struct targets *targets, unsigned i,
             struct surface *surface, uint32_t *address, const char **format);
/* Writes the surfaces noted in a buffer that is about to go, and forgets
 * them. */
void
targets_free_buffer(struct targets *targets,
                    const struct replay_buffer *buffer);
/* Writes those in the buffers that still exist.  Returns the number of all
 * files, or -1 after a message. */
int
targets_finish(struct targets *targets, const struct replay_buffer *buffers,
               unsigned num_buffers);
void
targets_destroy(struct targets *targets);

/* trace.c */
struct trace;
/* reference: the whole trace of the recording to compare with, or NULL.
 * NULL: out of memory. */
struct trace *
trace_create(const struct trace *reference);
void
trace_destroy(struct trace *trace);
/* A register of GR3D is written. */
void
trace_write(struct trace *trace, uint32_t offset, uint32_t value);
/* A draw or fill of a job is done; picture: hash of the surfaces that it
 * wrote.  Prints a line where the reference's differs.  False: out of memory.
 */
bool
trace_draw(struct trace *trace, unsigned job, bool is_fill, uint64_t picture);
/* Prints the counts.  True: nothing differs. */
bool
trace_finish(const struct trace *trace);

/* draws.c */
struct draws;
struct draws_options {
   const char *directory; /* for pictures and index.html, or NULL */
   unsigned last;         /* draw behind which to stop */
   bool pixel;            /* print what changes the one at x, y */
   unsigned x, y;
   struct trace *trace; /* to note them in, or NULL */
};
/* NULL after a message. */
struct draws *
draws_create(const struct draws_options *options);
/* False: the page could not be written. */
bool
draws_destroy(struct draws *draws);
/* Executes a job.  False: out of memory. */
bool
draws_job(struct draws *draws, struct sim *sim, unsigned number,
          const struct recording_record *job, const struct sim_job *sim_job,
          const struct replay_buffer *const *buffers, bool *hung);
bool
draws_stopped(const struct draws *draws);

/* videocore.c */
struct videocore;
struct videocore_options {
   bool strict;
   unsigned threads;
   const char *prefix; /* of pictures */
   void (*diag)(void *data, unsigned number, const char *text);
   void *data; /* diag's */
};
struct videocore *
videocore_create(const struct videocore_options *options);
void
videocore_destroy(struct videocore *vc);
/* False: it is no job that can be executed. */
bool
videocore_run(struct videocore *vc, const struct recording_record *job,
              const struct replay_buffer *const *buffers, bool *hung);
void
videocore_dump(FILE *out, unsigned number, const struct recording_record *job,
               const struct replay_buffer *const *buffers);
/* As those of targets.c. */
void
videocore_note_targets(struct videocore *vc,
                       const struct recording_record *job,
                       const struct replay_buffer *const *buffers);
void
videocore_free_buffer(struct videocore *vc,
                      const struct replay_buffer *buffer);
int
videocore_finish(struct videocore *vc, const struct replay_buffer *buffers,
                 unsigned num_buffers);

#endif
