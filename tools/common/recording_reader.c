/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Reading of recordings.  Files come from other machines: every length is
 * checked before it is used.
 */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "recording_reader.h"

/* No record is longer: a buffer, its length in front, hardly compressed. */
#define MAX_RECORD (1200u << 20)
#define MAX_DATA (1024u << 20)

struct recording {
   FILE *file;
   uint32_t flags;
   char writer[RECORDING_WRITER_SIZE];
   uint32_t *payload;
   size_t payload_size;
   uint8_t *data;
   size_t data_size;
   struct recorder_cmd *cmds;
   uint64_t *hashes;
   uint32_t *ids;
};

static int
damaged(char *error, size_t size, const char *format, ...)
{
   va_list args;
   va_start(args, format);
   vsnprintf(error, size, format, args);
   va_end(args);
   return -1;
}

struct recording *
recording_open(const char *path, char *error, size_t error_size)
{
   FILE *file = strcmp(path, "-") ? fopen(path, "rb") : stdin;
   if (!file) {
      damaged(error, error_size, "%s: %s", path, strerror(errno));
      return NULL;
   }
   char magic[8], writer[RECORDING_WRITER_SIZE] = { 0 };
   uint32_t header[2];
   if (fread(magic, 8, 1, file) != 1 || memcmp(magic, RECORDING_MAGIC, 8) ||
       fread(header, 8, 1, file) != 1)
      damaged(error, error_size, "%s is not a recording", path);
   else if (header[0] > RECORDING_VERSION || !header[0])
      damaged(error, error_size,
              "%s has version %u, this program reads versions up to %u", path,
              header[0], RECORDING_VERSION);
   else if (header[0] != RECORDING_VERSION_WITHOUT_WRITER &&
            fread(writer, sizeof(writer), 1, file) != 1)
      damaged(error, error_size, "%s ends in its header", path);
   else {
      struct recording *recording = calloc(1, sizeof(*recording));
      if (recording) {
         recording->file = file;
         recording->flags = header[1];
         memcpy(recording->writer, writer, sizeof(writer) - 1);
         return recording;
      }
      damaged(error, error_size, "out of memory");
   }
   fclose(file);
   return NULL;
}

unsigned
recording_flags(const struct recording *recording)
{
   return recording->flags;
}

const char *
recording_writer(const struct recording *recording)
{
   return recording->writer;
}

void
recording_close(struct recording *recording)
{
   if (!recording)
      return;
   fclose(recording->file);
   free(recording->payload);
   free(recording->data);
   free(recording->cmds);
   free(recording->hashes);
   free(recording->ids);
   free(recording);
}

/* Makes *buffer at least size bytes long. */
static bool
reserve(void *buffer, size_t *have, size_t size)
{
   void **pointer = buffer;
   if (*have >= size)
      return true;
   void *bigger = realloc(*pointer, size);
   if (!bigger)
      return false;
   *pointer = bigger;
   *have = size;
   return true;
}

/* The packed data that begins at word p of the payload of n words: expands it
 * to size bytes in recording->data. */
static bool
unpack(struct recording *recording, const uint32_t *words, unsigned p,
       unsigned n, size_t size)
{
   if (p + 2 > n || size > MAX_DATA ||
       !reserve(&recording->data, &recording->data_size, size + 4))
      return false;
   uint32_t codec = words[p], stored = words[p + 1];
   if (stored > (size_t)(n - p - 2) * 4)
      return false;
   if (codec == 0) {
      if (stored != size)
         return false;
      memcpy(recording->data, words + p + 2, size);
      return true;
   }
#ifdef HAVE_ZSTD
   return codec == 1 && ZSTD_decompress(recording->data, size, words + p + 2,
                                        stored) == size;
#else
   return false;
#endif
}

static int
read_job(struct recording *recording, struct recording_record *record,
         const uint32_t *words, unsigned n, char *error, size_t error_size)
{
   if (n < 6)
      return damaged(error, error_size, "job record too short");
   record->class_id = words[0];
   record->syncpt = words[1];
   record->end_value = words[2];
   record->num_buffers = words[3];
   record->num_cmds = words[4];
   record->num_words = words[5];
   if (record->num_buffers > 65536 || record->num_cmds > 65536 ||
       record->num_words > MAX_DATA / 4 ||
       6 + (size_t)record->num_buffers + 3 * (size_t)record->num_cmds > n)
      return damaged(error, error_size, "job record with wrong counts");
   record->buffers = words + 6;
   const uint32_t *p = words + 6 + record->num_buffers;
   free(recording->cmds);
   struct recorder_cmd *cmds = recording->cmds =
      calloc(record->num_cmds + 1, sizeof(*cmds));
   if (!cmds)
      return damaged(error, error_size, "out of memory");
   uint64_t total = 0;
   for (unsigned i = 0; i < record->num_cmds; i++, p += 3) {
      cmds[i].is_wait = p[0];
      if (p[0]) {
         cmds[i].syncpt = p[1];
         cmds[i].threshold = p[2];
      } else {
         cmds[i].count = p[1];
         total += p[1];
      }
   }
   if (total > record->num_words ||
       !unpack(recording, words, p - words, n, (size_t)record->num_words * 4))
      return damaged(error, error_size, "job record with damaged words");
   record->cmds = cmds;
   record->words = (const uint32_t *)recording->data;
   return 1;
}

static int
read_result(struct recording *recording, struct recording_record *record,
            const uint32_t *words, unsigned n, char *error, size_t error_size)
{
   if (n < 2 || words[1] > 65536 || 2 + 3 * words[1] > n)
      return damaged(error, error_size, "result record too short");
   record->ok = words[0];
   record->num_buffers = words[1];
   free(recording->hashes);
   free(recording->ids);
   recording->hashes = calloc(record->num_buffers + 1, sizeof(uint64_t));
   recording->ids = calloc(record->num_buffers + 1, sizeof(uint32_t));
   if (!recording->hashes || !recording->ids)
      return damaged(error, error_size, "out of memory");
   for (unsigned i = 0; i < record->num_buffers; i++) {
      recording->ids[i] = words[2 + 3 * i];
      recording->hashes[i] = words[3 + 3 * i] | (uint64_t)words[4 + 3 * i]
                                                   << 32;
   }
   record->buffers = recording->ids;
   record->hashes = recording->hashes;
   return 1;
}

int
recording_read(struct recording *recording, struct recording_record *record,
               char *error, size_t error_size)
{
   uint32_t head[2];
   size_t got = fread(head, 1, sizeof(head), recording->file);
   if (got == 0)
      return 0;
   if (got != sizeof(head) || head[1] % 4 || head[1] > MAX_RECORD ||
       !reserve(&recording->payload, &recording->payload_size,
                (size_t)head[1] + 4) ||
       (head[1] &&
        fread(recording->payload, head[1], 1, recording->file) != 1))
      return damaged(
         error, error_size,
         "the file ends inside a record (the recorded program was stopped?)");

   const uint32_t *words = recording->payload;
   unsigned n = head[1] / 4;
   memset(record, 0, sizeof(*record));
   record->type = head[0];
   switch (head[0]) {
   case RECORDING_BUFFER:
      if (n < 3 || words[2] == 0 || words[2] > MAX_DATA || words[2] % 4096)
         return damaged(error, error_size, "damaged buffer record");
      record->id = words[0];
      record->address = words[1];
      record->size = words[2];
      return 1;
   case RECORDING_FREE:
      if (n < 1)
         return damaged(error, error_size,
                        "damaged record of a freed buffer");
      record->id = words[0];
      return 1;
   case RECORDING_MEMORY:
   case RECORDING_EXPECT:
      if (n < 5 || !unpack(recording, words, 3, n, words[2]))
         return damaged(error, error_size, "damaged memory record");
      record->id = words[0];
      record->offset = words[1];
      record->length = words[2];
      record->data = recording->data;
      return 1;
   case RECORDING_SYNCPT:
      if (n < 2)
         return damaged(error, error_size, "damaged sync point record");
      record->syncpt = words[0];
      record->value = words[1];
      return 1;
   case RECORDING_JOB:
      return read_job(recording, record, words, n, error, error_size);
   case RECORDING_RESULT:
      return read_result(recording, record, words, n, error, error_size);
   default:
      return damaged(error, error_size, "unknown record type %u", head[0]);
   }
}
