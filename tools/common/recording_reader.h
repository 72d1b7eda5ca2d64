/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Reads recordings (docs/recording.md).
 */

#ifndef RECORDING_READER_H
#define RECORDING_READER_H

#include "tegra20/recording.h"

struct recording;

/* One record; the pointers are valid until the next one is read. */
struct recording_record {
   enum recording_type type;
   uint32_t id, address, size; /* BUFFER, FREE (id) */
   uint32_t offset, length;    /* MEMORY, EXPECT (with id) */
   const uint8_t *data;
   uint32_t syncpt, value; /* SYNCPT */
   /* JOB */
   uint32_t class_id, end_value; /* with syncpt */
   const uint32_t *buffers;
   unsigned num_buffers;
   const struct recorder_cmd *cmds;
   unsigned num_cmds;
   const uint32_t *words;
   unsigned num_words;
   /* RESULT: num_buffers hashes, of the ids in buffers */
   bool ok;
   const uint64_t *hashes;
};

/* NULL with a message in error when the file is not a recording of a version
 * that is understood. */
struct recording *
recording_open(const char *path, char *error, size_t error_size);
unsigned
recording_flags(const struct recording *recording);
/* The version of this project that has written it; empty when the file does
 * not say it. */
const char *
recording_writer(const struct recording *recording);
/* 1: a record, 0: the end, -1: the file is damaged (message in error). */
int
recording_read(struct recording *recording, struct recording_record *record,
               char *error, size_t error_size);
void
recording_close(struct recording *recording);

#endif
