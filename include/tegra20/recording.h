/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Recordings: the jobs that were submitted to the graphics host, with the
 * memory that they use, in a file (docs/recording.md).  Written by the
 * drm-shim and by the winsys on a device, read by the tools
 * (recording_reader.h).
 *
 * A file is a header and a sequence of records in the order of execution.
 * Numbers are little-endian 32-bit words.
 */

#ifndef TEGRA20_RECORDING_H
#define TEGRA20_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORDING_MAGIC "T20REC\r\n"
#define RECORDING_VERSION 2
/* Of version 1, which is read too: it does not name its writer. */
#define RECORDING_VERSION_WITHOUT_WRITER 1
/* Bytes of that line, with the end of the string. */
#define RECORDING_WRITER_SIZE 64

/* The chip, enum tegra20_chip, in the header's flags: 0 is Tegra20, which
 * files that do not say it are of. */
#define RECORDING_CHIP_SHIFT 8
#define RECORDING_CHIP_MASK 0xff00
/* In its place: VideoCore IV.  Jobs have this class, and words that are
 * described in docs/recording.md. */
#define RECORDING_VIDEOCORE 0x80
#define RECORDING_CLASS_V3D 0x3d

enum recording_flags {
   RECORDING_FROM_DEVICE =
      1 << 0, /* EXPECT records hold a device's results of the jobs */
};

enum recording_type {
   RECORDING_BUFFER = 1, /* a buffer begins to exist, filled with zeros */
   RECORDING_FREE = 2,   /* ends to exist */
   RECORDING_MEMORY =
      3, /* contents of a part of a buffer, before the next job */
   RECORDING_SYNCPT = 4, /* value of a sync point */
   RECORDING_JOB = 5,
   RECORDING_RESULT =
      6, /* of the last job: how it ended, hashes of its buffers */
   RECORDING_EXPECT =
      7, /* contents of a part of a buffer after the last job, as MEMORY */
};

struct recorder;

struct recorder_buffer {
   uint64_t key;     /* the caller's name for it, unique among those alive */
   uint32_t address; /* as the engines see it */
   uint32_t size;    /* bytes */
   const uint8_t *cpu;
};

/* As struct sim_cmd. */
struct recorder_cmd {
   bool is_wait;
   uint32_t count; /* words of the gather, consecutive in the job's words */
   uint32_t syncpt, threshold; /* of a wait; absolute */
};

struct recorder_job {
   uint32_t class_id;
   const struct recorder_buffer *buffers;
   unsigned num_buffers;
   const struct recorder_cmd *cmds;
   unsigned num_cmds;
   const uint32_t *words; /* relocated */
   unsigned num_words;
   uint32_t syncpt, start_value,
      end_value; /* values of the job's sync point around it */
};

/* NULL with errno when the file cannot be created; exclusive: it must not
 * exist. */
struct recorder *
recorder_create(const char *path, unsigned flags, bool exclusive);
/* Before a job is executed.  False when writing failed: the recorder is then
 * silent for good. */
bool
recorder_begin(struct recorder *recorder, const struct recorder_job *job);
/* After it; the same job.  ok: it ended. */
bool
recorder_end(struct recorder *recorder, const struct recorder_job *job,
             bool ok);
/* A buffer is gone, its key may be used again. */
void
recorder_forget(struct recorder *recorder, uint64_t key);
void
recorder_destroy(struct recorder *recorder);

/* The hash of RESULT records: FNV-1a with 64 bits over 8-byte words (size is
 * a multiple of 8). */
uint64_t
recording_hash(const uint8_t *data, size_t size);

#endif
