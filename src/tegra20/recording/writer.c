/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Writing of recordings.  The recorder keeps a copy of every buffer as the
 * replay will have it and writes only the pages that differ from it, so
 * memory that the engines wrote themselves is not stored, and neither is
 * unchanged memory.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "tegra20/recording.h"
#include "tegra20_version.h"

#define PAGE 4096u
#define NUM_SYNCPTS 32
#define COMPRESSION_LEVEL 1

struct known_buffer {
   uint64_t key;
   uint32_t id, address, size;
   uint8_t *copy;
};

struct recorder {
   FILE *file;
   unsigned flags;
   bool failed;
   struct known_buffer *buffers;
   unsigned num_buffers, max_buffers;
   uint32_t next_id;
   uint32_t syncpts[NUM_SYNCPTS];
   uint32_t syncpts_known; /* mask */
};

struct recorder *
recorder_create(const char *path, unsigned flags, bool exclusive)
{
   int fd = open(
      path, O_WRONLY | O_CREAT | O_CLOEXEC | (exclusive ? O_EXCL : O_TRUNC),
      0666);
   if (fd < 0)
      return NULL;
   struct recorder *recorder = calloc(1, sizeof(*recorder));
   if (recorder)
      recorder->file = fdopen(fd, "wb");
   if (!recorder || !recorder->file) {
      free(recorder);
      close(fd);
      errno = ENOMEM;
      return NULL;
   }
   recorder->flags = flags;
   recorder->next_id = 1;
   const uint32_t header[] = { RECORDING_VERSION, flags };
   char writer[RECORDING_WRITER_SIZE] = { 0 };
   snprintf(writer, sizeof(writer), "%s", tegra20_version);
   fwrite(RECORDING_MAGIC, 8, 1, recorder->file);
   fwrite(header, sizeof(header), 1, recorder->file);
   fwrite(writer, sizeof(writer), 1, recorder->file);
   return recorder;
}

void
recorder_destroy(struct recorder *recorder)
{
   if (!recorder)
      return;
   fclose(recorder->file);
   for (unsigned i = 0; i < recorder->num_buffers; i++)
      free(recorder->buffers[i].copy);
   free(recorder->buffers);
   free(recorder);
}

static void
put(struct recorder *recorder, const void *data, size_t size)
{
   if (size && fwrite(data, size, 1, recorder->file) != 1)
      recorder->failed = true;
}

static void
put_record(struct recorder *recorder, enum recording_type type,
           const uint32_t *words, unsigned count, unsigned more_bytes)
{
   const uint32_t head[] = { type, count * 4 + more_bytes };
   put(recorder, head, sizeof(head));
   put(recorder, words, count * 4);
}

/*
 * The data of a record: codec (0 plain, 1 zstd), stored bytes, the bytes
 * padded to words.  Returns the bytes to write; to be freed if they are not
 * data itself.
 */
static const void *
pack(const void *data, size_t size, uint32_t *codec, uint32_t *stored)
{
#ifdef HAVE_ZSTD
   size_t bound = ZSTD_compressBound(size);
   void *packed = calloc(1, bound + 4);
   size_t n = packed
                 ? ZSTD_compress(packed, bound, data, size, COMPRESSION_LEVEL)
                 : 0;
   if (packed && !ZSTD_isError(n) && n < size) {
      *codec = 1;
      *stored = n;
      return packed;
   }
   free(packed);
#endif
   *codec = 0;
   *stored = size;
   return data;
}

/* size is a multiple of 4. */
static void
put_packed(struct recorder *recorder, enum recording_type type,
           uint32_t *words, unsigned count, const void *data, size_t size)
{
   uint32_t codec, stored;
   const void *packed = pack(data, size, &codec, &stored);
   uint32_t padded = (stored + 3) & ~3u;
   words[count++] = codec;
   words[count++] = stored;
   put_record(recorder, type, words, count, padded);
   put(recorder, packed, padded);
   if (packed != data)
      free((void *)packed);
}

/* Writes the pages of a buffer that differ from the copy, and brings it up to
 * date. */
static void
put_changes(struct recorder *recorder, enum recording_type type,
            struct known_buffer *known, const uint8_t *cpu)
{
   uint32_t start = 0;
   while (start < known->size) {
      uint32_t end = start;
      while (end < known->size && memcmp(known->copy + end, cpu + end, PAGE))
         end += PAGE;
      if (end == start) {
         start += PAGE;
         continue;
      }
      memcpy(known->copy + start, cpu + start, end - start);
      uint32_t words[5] = { known->id, start, end - start };
      put_packed(recorder, type, words, 3, known->copy + start, end - start);
      start = end;
   }
}

static struct known_buffer *
find(struct recorder *recorder, uint64_t key)
{
   for (unsigned i = 0; i < recorder->num_buffers; i++) {
      if (recorder->buffers[i].key == key)
         return &recorder->buffers[i];
   }
   return NULL;
}

void
recorder_forget(struct recorder *recorder, uint64_t key)
{
   struct known_buffer *known = find(recorder, key);
   if (!known)
      return;
   put_record(recorder, RECORDING_FREE, &known->id, 1, 0);
   free(known->copy);
   *known = recorder->buffers[--recorder->num_buffers];
}

static struct known_buffer *
learn(struct recorder *recorder, const struct recorder_buffer *buffer)
{
   if (recorder->num_buffers == recorder->max_buffers) {
      unsigned max = recorder->max_buffers ? 2 * recorder->max_buffers : 64;
      struct known_buffer *bigger =
         realloc(recorder->buffers, max * sizeof(*bigger));
      if (!bigger)
         return NULL;
      recorder->buffers = bigger;
      recorder->max_buffers = max;
   }
   uint8_t *copy = calloc(1, buffer->size);
   if (!copy)
      return NULL;
   struct known_buffer *known = &recorder->buffers[recorder->num_buffers++];
   *known = (struct known_buffer){ buffer->key, recorder->next_id++,
                                   buffer->address, buffer->size, copy };
   const uint32_t words[] = { known->id, known->address, known->size };
   put_record(recorder, RECORDING_BUFFER, words, 3, 0);
   return known;
}

bool
recorder_begin(struct recorder *recorder, const struct recorder_job *job)
{
   if (recorder->failed)
      return false;
   uint32_t *words = malloc(
      (8 + job->num_buffers + 4 * (size_t)job->num_cmds) * sizeof(uint32_t));
   if (!words) {
      recorder->failed = true;
      return false;
   }
   unsigned n = 0;
   words[n++] = job->class_id;
   words[n++] = job->syncpt;
   words[n++] = job->end_value;
   words[n++] = job->num_buffers;
   words[n++] = job->num_cmds;
   words[n++] = job->num_words;
   for (unsigned i = 0; i < job->num_buffers && !recorder->failed; i++) {
      struct known_buffer *known = find(recorder, job->buffers[i].key);
      if (!known)
         known = learn(recorder, &job->buffers[i]);
      if (!known) {
         recorder->failed = true;
         break;
      }
      put_changes(recorder, RECORDING_MEMORY, known, job->buffers[i].cpu);
      words[n++] = known->id;
   }
   for (unsigned i = 0; i < job->num_cmds; i++) {
      const struct recorder_cmd *cmd = &job->cmds[i];
      words[n++] = cmd->is_wait;
      words[n++] = cmd->is_wait ? cmd->syncpt : cmd->count;
      words[n++] = cmd->is_wait ? cmd->threshold : 0;
   }
   uint32_t bit = 1u << (job->syncpt % NUM_SYNCPTS),
            *value = &recorder->syncpts[job->syncpt % NUM_SYNCPTS];
   if (!(recorder->syncpts_known & bit) || *value != job->start_value) {
      const uint32_t syncpt[] = { job->syncpt, job->start_value };
      put_record(recorder, RECORDING_SYNCPT, syncpt, 2, 0);
      recorder->syncpts_known |= bit;
   }
   *value = job->end_value;
   put_packed(recorder, RECORDING_JOB, words, n, job->words,
              (size_t)job->num_words * 4);
   free(words);
   return !recorder->failed;
}

bool
recorder_end(struct recorder *recorder, const struct recorder_job *job,
             bool ok)
{
   if (recorder->failed)
      return false;
   unsigned count = 2 + 3 * job->num_buffers;
   uint32_t *words = malloc(count * sizeof(uint32_t)), *p = words;
   if (!words) {
      recorder->failed = true;
      return false;
   }
   *p++ = ok;
   *p++ = job->num_buffers;
   for (unsigned i = 0; i < job->num_buffers; i++) {
      struct known_buffer *known = find(recorder, job->buffers[i].key);
      if (recorder->flags & RECORDING_FROM_DEVICE)
         put_changes(recorder, RECORDING_EXPECT, known, job->buffers[i].cpu);
      else
         memcpy(known->copy, job->buffers[i].cpu, known->size);
      uint64_t hash = recording_hash(known->copy, known->size);
      *p++ = known->id;
      *p++ = hash;
      *p++ = hash >> 32;
   }
   put_record(recorder, RECORDING_RESULT, words, count, 0);
   free(words);
   if (fflush(recorder->file))
      recorder->failed = true;
   return !recorder->failed;
}

uint64_t
recording_hash(const uint8_t *data, size_t size)
{
   uint64_t hash = 0xcbf29ce484222325ull;
   for (size_t i = 0; i + 8 <= size; i += 8) {
      uint64_t word;
      memcpy(&word, data + i, 8);
      hash = (hash ^ word) * 0x100000001b3ull;
   }
   return hash;
}
