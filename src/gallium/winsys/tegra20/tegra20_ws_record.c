/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * TEGRA20_DEBUG=record=FILE: writes every job with the memory that it uses,
 * before and after (docs/recording.md).
 *
 * Each job runs alone while recording: the one before it is over when its
 * memory is read, and it is waited for before the next one.  Device addresses
 * are private to the kernel, so the recording has addresses of its own; the
 * same goes for the values of sync points, which count from 0.  Waits for
 * other jobs are left out, because those are over.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/os_time.h"
#include "util/vma.h"

#include "tegra20/recording.h"
#include "tegra20_ws_internal.h"

#define FIRST_ADDRESS 0x01000000u
#define LAST_ADDRESS 0x40000000u
#define GUARD 4096u
#define NUM_SYNCPTS 32
/* Longer than the kernel's time-out for a job, ns. */
#define JOB_TIME 12000000000ll

struct ws_record {
   struct recorder *recorder;
   struct util_vma_heap heap;
   uint32_t syncpts[NUM_SYNCPTS];
   /* The job that is being executed. */
   struct recorder_job job;
   struct tegra20_bo **bos;
};

/* The value of record= in the driver's debug variable; to be freed. */
static char *
file_name(void)
{
   const char *flags = getenv("TEGRA20_DEBUG");
   const char *start = flags ? strstr(flags, "record=") : NULL;
   if (!start || (start != flags && start[-1] != ','))
      return NULL;
   start += strlen("record=");
   return strndup(start, strcspn(start, ","));
}

struct ws_record *
ws_record_create(const struct tegra20_chip_info *chip)
{
   char *path = file_name();
   struct ws_record *record = path ? calloc(1, sizeof(*record)) : NULL;
   if (record) {
      record->recorder = recorder_create(
         path, RECORDING_FROM_DEVICE | chip->id << RECORDING_CHIP_SHIFT,
         false);
      if (!record->recorder) {
         ws_message("cannot record to %s: %s", path, strerror(errno));
         free(record);
         record = NULL;
      } else {
         util_vma_heap_init(&record->heap, FIRST_ADDRESS,
                            LAST_ADDRESS - FIRST_ADDRESS);
      }
   }
   free(path);
   return record;
}

void
ws_record_destroy(struct ws_record *record)
{
   if (!record)
      return;
   recorder_destroy(record->recorder);
   util_vma_heap_finish(&record->heap);
   free(record);
}

void
ws_record_forget(struct ws_record *record, struct tegra20_bo *bo)
{
   if (!bo->record_address)
      return;
   simple_mtx_lock(&bo->ws->record_lock);
   if (record->recorder)
      recorder_forget(record->recorder, (uintptr_t)bo);
   util_vma_heap_free(&record->heap, bo->record_address,
                      (uint64_t)bo->size + GUARD);
   simple_mtx_unlock(&bo->ws->record_lock);
   bo->record_address = 0;
}

static void
stop(struct ws_record *record, const char *why)
{
   ws_message("recording stopped: %s", why);
   recorder_destroy(record->recorder);
   record->recorder = NULL;
}

static void
free_job(struct ws_record *record)
{
   free((void *)record->job.buffers);
   free((void *)record->job.cmds);
   free((void *)record->job.words);
   free(record->bos);
   memset(&record->job, 0, sizeof(record->job));
   record->bos = NULL;
}

/* NULL, or why the job cannot be described. */
static const char *
add_buffer(struct ws_record *record, struct recorder_buffer *buffer,
           struct tegra20_bo *bo)
{
   void *map = tegra20_bo_map(bo);
   if (!map)
      return "a buffer cannot be mapped";
   if (!bo->record_address)
      bo->record_address = util_vma_heap_alloc(
         &record->heap, (uint64_t)bo->size + GUARD, GUARD);
   if (!bo->record_address)
      return "no addresses left";
   *buffer = (struct recorder_buffer){ (uintptr_t)bo, bo->record_address,
                                       bo->size, map };
   return NULL;
}

static const char *
describe(struct ws_record *record, const struct ws_submission *s)
{
   uint32_t *words = malloc(s->num_words * sizeof(*words));
   struct recorder_cmd *cmds = calloc(s->num_cmds + 1, sizeof(*cmds));
   struct recorder_buffer *buffers =
      calloc(s->num_relocs + 1, sizeof(*buffers));
   record->bos = calloc(s->num_relocs + 1, sizeof(*record->bos));
   struct recorder_job *job = &record->job;
   job->words = words;
   job->cmds = cmds;
   job->buffers = buffers;
   if (!words || !cmds || !buffers || !record->bos ||
       s->syncpt >= NUM_SYNCPTS)
      return "out of memory";

   memcpy(words, s->words, s->num_words * sizeof(*words));
   for (unsigned i = 0; i < s->num_relocs; i++) {
      const struct ws_reloc *reloc = &s->relocs[i];
      unsigned j = 0;
      while (j < job->num_buffers && record->bos[j] != reloc->bo)
         j++;
      if (j == job->num_buffers) {
         const char *error = add_buffer(record, &buffers[j], reloc->bo);
         if (error)
            return error;
         record->bos[job->num_buffers++] = reloc->bo;
      }
      words[reloc->word] = reloc->bo->record_address + reloc->offset;
   }
   job->class_id = s->engine == TEGRA20_ENGINE_3D ? 0x60 : 0x51;
   job->num_words = s->num_words;
   job->syncpt = s->syncpt;
   job->start_value = record->syncpts[s->syncpt];
   job->end_value = record->syncpts[s->syncpt] += s->increments;
   for (unsigned i = 0; i < s->num_cmds; i++) {
      const struct ws_cmd *cmd = &s->cmds[i];
      if (cmd->type == WS_CMD_GATHER)
         cmds[job->num_cmds++] = (struct recorder_cmd){ .count = cmd->words };
      else if (cmd->type == WS_CMD_WAIT_RELATIVE)
         cmds[job->num_cmds++] =
            (struct recorder_cmd){ .is_wait = true,
                                   .syncpt = s->syncpt,
                                   .threshold =
                                      job->start_value + cmd->value };
   }
   return NULL;
}

void
ws_record_before(struct tegra20_winsys *ws,
                 const struct ws_submission *submission)
{
   struct ws_record *record = ws->record;
   if (!record->recorder)
      return;
   simple_mtx_lock(&ws->record_lock);
   const char *error = describe(record, submission);
   if (!error && !recorder_begin(record->recorder, &record->job))
      error = strerror(errno);
   if (error) {
      stop(record, error);
      free_job(record);
   }
   simple_mtx_unlock(&ws->record_lock);
}

void
ws_record_after(struct tegra20_winsys *ws,
                const struct ws_submission *submission, bool submitted)
{
   struct ws_record *record = ws->record;
   if (!record->recorder)
      return;
   bool ok = false;
   if (submitted) {
      uint32_t value;
      int64_t deadline = os_time_get_nano() + JOB_TIME;
      ok = ws->kernel->syncpt_wait(ws, submission->syncpt, submission->value,
                                   deadline, &value) == 0;
   }
   simple_mtx_lock(&ws->record_lock);
   if (!recorder_end(record->recorder, &record->job, ok))
      stop(record, strerror(errno));
   free_job(record);
   simple_mtx_unlock(&ws->record_lock);
}
