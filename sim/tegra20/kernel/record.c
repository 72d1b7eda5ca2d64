/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Recording of the executed jobs (TEGRA20_SHIM_RECORD=FILE).  The first
 * process that executes one gets the file, others write to FILE.PID.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tegra20/recording.h"
#include "shim.h"

static pthread_mutex_t lock =
   PTHREAD_MUTEX_INITIALIZER; /* the worker records without shim.lock */
static struct recorder *recorder;
static bool tried;

/* A recorder of the parent is not continued by the child: both would write to
 * one file. */
void
shim_record_fork(void)
{
   pthread_mutex_init(&lock, NULL);
   recorder = NULL;
   tried = false;
}

static bool
open_file(void)
{
   const char *path = getenv("TEGRA20_SHIM_RECORD");
   const unsigned chip = shim.options.videocore ? RECORDING_VIDEOCORE
                         : shim.options.chip    ? shim.options.chip->id
                                                : 0;
   const unsigned flags = chip << RECORDING_CHIP_SHIFT;
   if (recorder)
      return true;
   if (tried || !path || !*path)
      return false;
   tried = true;
   recorder = recorder_create(path, flags, true);
   if (!recorder && errno == EEXIST) {
      char name[4096];
      snprintf(name, sizeof(name), "%s.%d", path, (int)getpid());
      recorder = recorder_create(name, flags, false);
   }
   if (!recorder)
      fprintf(stderr, "tegra20-shim: cannot record to %s: %s\n", path,
              strerror(errno));
   return recorder;
}

/* To be freed. */
static bool
describe(const struct shim_job *job, struct recorder_job *out)
{
   struct recorder_buffer *buffers =
      calloc(job->num_mems + 1, sizeof(*buffers));
   struct recorder_cmd *cmds = calloc(job->num_cmds + 1, sizeof(*cmds));
   if (!buffers || !cmds) {
      free(buffers);
      free(cmds);
      return false;
   }
   for (unsigned i = 0; i < job->num_mems; i++) {
      struct shim_mem *mem = job->mems[i];
      buffers[i] = (struct recorder_buffer){ (uintptr_t)mem, mem->address,
                                             mem->size, mem->cpu };
   }
   for (unsigned i = 0; i < job->num_cmds; i++) {
      const struct sim_cmd *cmd = &job->cmds[i];
      cmds[i].is_wait = cmd->type == SIM_CMD_WAIT;
      if (cmds[i].is_wait) {
         cmds[i].syncpt = cmd->wait.syncpt;
         cmds[i].threshold = cmd->wait.threshold;
      } else {
         cmds[i].count = cmd->gather.count;
      }
   }
   *out = (struct recorder_job){
      .class_id = job->class_id,
      .buffers = buffers,
      .num_buffers = job->num_mems,
      .cmds = cmds,
      .num_cmds = job->num_cmds,
      .words = job->words,
      .num_words = job->num_words,
      .syncpt = job->syncpt,
      .start_value = job->end_value - job->increments,
      .end_value = job->end_value,
   };
   return true;
}

bool
shim_record_wanted(void)
{
   pthread_mutex_lock(&lock);
   bool wanted = open_file();
   pthread_mutex_unlock(&lock);
   return wanted;
}

void
shim_record(const struct recorder_job *job, bool end, bool ok)
{
   pthread_mutex_lock(&lock);
   if (open_file()) {
      bool written = end ? recorder_end(recorder, job, ok)
                         : recorder_begin(recorder, job);
      if (!written) {
         fprintf(stderr, "tegra20-shim: recording stopped: %s\n",
                 strerror(errno));
         recorder_destroy(recorder);
         recorder = NULL;
      }
   }
   pthread_mutex_unlock(&lock);
}

static void
record_job(const struct shim_job *job, bool end, bool ok)
{
   struct recorder_job description;
   if (!shim_record_wanted() || !describe(job, &description))
      return;
   shim_record(&description, end, ok);
   free((void *)description.buffers);
   free((void *)description.cmds);
}

void
shim_record_begin(const struct shim_job *job)
{
   record_job(job, false, false);
}

void
shim_record_end(const struct shim_job *job, bool ok)
{
   record_job(job, true, ok);
}

void
shim_record_forget(const void *key)
{
   pthread_mutex_lock(&lock);
   if (recorder)
      recorder_forget(recorder, (uintptr_t)key);
   pthread_mutex_unlock(&lock);
}
