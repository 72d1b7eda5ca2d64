/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Recorded jobs as seeds: every job of a recording is executed as it is, and before that many times with changes.  The
 * changed ones work on a copy of the memory, so that the next recorded job finds what it expects.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "recording_reader.h"

#define MAX_BUFFERS 4096

/* memory: as the recorded jobs leave it; changed: for the variants; twin: for the second simulator of a comparison. */
struct buffer {
   uint32_t id, address, size;
   uint8_t *memory, *changed, *twin;
};

struct player {
   struct fuzz *fuzz;
   struct buffer buffers[MAX_BUFFERS];
   unsigned num_buffers;
   uint64_t jobs, too_long;
};

static struct buffer *
find(struct player *player, uint32_t id)
{
   for (unsigned i = 0; i < player->num_buffers; i++)
      if (player->buffers[i].id == id)
         return &player->buffers[i];
   return NULL;
}

static bool
add_buffer(struct player *player, const struct recording_record *record)
{
   if (player->num_buffers == MAX_BUFFERS)
      return false;
   player->buffers[player->num_buffers++] = (struct buffer){
      .id = record->id,
      .address = record->address,
      .size = record->size,
      .memory = guarded_memory(record->size, true),
      .changed = guarded_memory(record->size, true),
      .twin = player->fuzz->o.compare ? guarded_memory(record->size, true) : NULL,
   };
   return true;
}

static void
free_buffer(struct player *player, struct buffer *buffer)
{
   guarded_free(buffer->memory, buffer->size);
   guarded_free(buffer->changed, buffer->size);
   if (buffer->twin)
      guarded_free(buffer->twin, buffer->size);
   *buffer = player->buffers[--player->num_buffers];
}

static void
run_variants(struct player *player, const struct recording_record *record, struct buffer *const *buffers)
{
   struct fuzz *fuzz = player->fuzz;
   struct sim_range *changed = calloc(record->num_buffers + 1, sizeof(*changed));
   struct sim_range *twin = calloc(record->num_buffers + 1, sizeof(*twin));
   for (unsigned i = 0; i < record->num_buffers; i++) {
      changed[i] = (struct sim_range){ buffers[i]->address, buffers[i]->size, buffers[i]->changed };
      twin[i] = (struct sim_range){ buffers[i]->address, buffers[i]->size, buffers[i]->twin };
      memcpy(buffers[i]->changed, buffers[i]->memory, buffers[i]->size);
   }
   fuzz_reset_switches(fuzz);
   for (unsigned v = 0; v < fuzz->o.variants && fuzz_goes_on(fuzz); v++, fuzz->job++) {
      static const uint8_t mutations[] = { 1, 1, 2, 3, 5, 10, 30, 100 };
      rng_start(fuzz->o.seed, fuzz->job);
      unsigned strict = below(2);
      struct sim *pair[2] = { fuzz->sims[strict], fuzz->sims[strict + 2] };
      if (!fuzz->o.compare)
         pair[0] = fuzz->sims[below(NUM_SIMS)];
      if (chance(2))
         fuzz_random_switch(fuzz, pair);
      memcpy(words, record->words, record->num_words * sizeof(*words));
      num_words = record->num_words;
      for (unsigned n = mutations[below(COUNT(mutations))]; n; n--)
         mutate();
      /* Skipped ones are made all the same: a job depends on the memory that those before it left. */
      if (fuzz->job < fuzz->o.first)
         continue;
      struct sim_cmd cmd = { .type = SIM_CMD_GATHER, .gather = { words, num_words } };
      struct sim_job job = { record->class_id, changed, record->num_buffers, &cmd, 1 };
      fuzz_run(fuzz, &job, pair, twin);
   }
   free(changed);
   free(twin);
}

static void
run_original(struct player *player, const struct recording_record *record, struct buffer *const *buffers)
{
   struct sim_range *ranges_of_job = calloc(record->num_buffers + 1, sizeof(*ranges_of_job));
   struct sim_cmd *cmds = calloc(record->num_cmds + 1, sizeof(*cmds));
   for (unsigned i = 0; i < record->num_buffers; i++)
      ranges_of_job[i] = (struct sim_range){ buffers[i]->address, buffers[i]->size, buffers[i]->memory };
   const uint32_t *at = record->words;
   for (unsigned i = 0; i < record->num_cmds; i++) {
      if (record->cmds[i].is_wait) {
         cmds[i] = (struct sim_cmd){ .type = SIM_CMD_WAIT, .wait = { record->cmds[i].syncpt, record->cmds[i].threshold } };
      } else {
         cmds[i] = (struct sim_cmd){ .type = SIM_CMD_GATHER, .gather = { at, record->cmds[i].count } };
         at += record->cmds[i].count;
      }
   }
   struct sim_job job = { record->class_id, ranges_of_job, record->num_buffers, cmds, record->num_cmds };
   /* The variants have raised sync points of all simulators. */
   for (unsigned i = 0; i < record->num_cmds; i++)
      if (cmds[i].type == SIM_CMD_WAIT)
         sim_syncpt_set(player->fuzz->sims[0], cmds[i].wait.syncpt, cmds[i].wait.threshold);
   sim_execute(player->fuzz->sims[0], &job);
   free(ranges_of_job);
   free(cmds);
}

static bool
play_job(struct player *player, const struct recording_record *record)
{
   struct buffer **buffers = calloc(record->num_buffers + 1, sizeof(*buffers));
   bool ok = true;
   for (unsigned i = 0; i < record->num_buffers && ok; i++)
      ok = (buffers[i] = find(player, record->buffers[i])) != NULL;
   if (ok && record->num_words <= MAX_WORDS)
      run_variants(player, record, buffers);
   player->too_long += ok && record->num_words > MAX_WORDS;
   if (ok)
      run_original(player, record, buffers);
   player->jobs++;
   free(buffers);
   return ok;
}

static bool
play(struct player *player, const struct recording_record *record)
{
   struct buffer *buffer;
   switch (record->type) {
   case RECORDING_BUFFER:
      return add_buffer(player, record);
   case RECORDING_FREE:
      buffer = find(player, record->id);
      if (buffer)
         free_buffer(player, buffer);
      return buffer;
   case RECORDING_MEMORY:
      buffer = find(player, record->id);
      if (!buffer || record->offset > buffer->size || record->length > buffer->size - record->offset)
         return false;
      memcpy(buffer->memory + record->offset, record->data, record->length);
      return true;
   case RECORDING_JOB:
      return play_job(player, record);
   default:
      return true;
   }
}

bool
fuzz_recording(struct fuzz *fuzz)
{
   char error[256] = "a record that does not fit the others";
   struct recording *recording = recording_open(fuzz->o.recording, error, sizeof(error));
   struct player *player = calloc(1, sizeof(*player));
   struct recording_record record;
   int got = recording && player ? 1 : -1;
   if (player)
      player->fuzz = fuzz;
   while (got > 0 && fuzz_goes_on(fuzz) && (got = recording_read(recording, &record, error, sizeof(error))) > 0)
      if (!play(player, &record))
         got = -1;
   if (got < 0)
      fprintf(stderr, "fuzz_sim: %s: %s\n", fuzz->o.recording, error);
   while (player && player->num_buffers)
      free_buffer(player, player->buffers);
   if (player && got >= 0)
      printf("fuzz_sim: %s: %u variants of each of %llu jobs, %llu were too long\n", fuzz->o.recording,
             fuzz->o.variants, (unsigned long long)player->jobs, (unsigned long long)player->too_long);
   free(player);
   if (recording)
      recording_close(recording);
   return got >= 0;
}
