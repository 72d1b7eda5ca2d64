/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Recorded jobs as seeds: every job of a recording is executed many times with changes, on the memory that it found and that
 * those before it have changed.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "recording_reader.h"

#define MAX_BUFFERS 4096

struct player {
   struct fuzz *fuzz;
   struct buffer {
      uint32_t id, address, size;
      uint8_t *memory;
   } buffers[MAX_BUFFERS];
   unsigned num_buffers;
   uint64_t jobs;
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
   };
   return true;
}

static void
free_buffer(struct player *player, struct buffer *buffer)
{
   guarded_free(buffer->memory, buffer->size);
   *buffer = player->buffers[--player->num_buffers];
}

static void
run_variants(struct fuzz *fuzz, const struct recording_record *record, struct sim_range *memory)
{
   static const uint8_t mutations[] = { 1, 1, 2, 3, 5, 10, 30, 100 };

   fuzz_reset_switches(fuzz);
   for (unsigned v = 0; v < fuzz->o.variants && fuzz_goes_on(fuzz); v++, fuzz->job++) {
      rng_start(fuzz->o.seed, fuzz->job);
      struct sim *sim[2] = { fuzz->sims[below(NUM_SIMS)] };
      if (chance(2))
         fuzz_random_switch(fuzz, sim);
      num_words = record->num_words < MAX_WORDS ? record->num_words : MAX_WORDS;
      memcpy(words, record->words, num_words * sizeof(*words));
      for (unsigned n = mutations[below(COUNT(mutations))]; n; n--)
         mutate();
      struct sim_cmd cmd = { .type = SIM_CMD_GATHER, .gather = { words, num_words } };
      struct sim_job job = { record->class_id, memory, record->num_buffers, &cmd, 1 };
      fuzz_run(fuzz, &job, sim, NULL);
   }
}

static bool
play_job(struct player *player, const struct recording_record *record)
{
   struct sim_range *memory = calloc(record->num_buffers + 1, sizeof(*memory));
   bool ok = true;
   for (unsigned i = 0; i < record->num_buffers && ok; i++) {
      const struct buffer *buffer = find(player, record->buffers[i]);
      if ((ok = buffer != NULL))
         memory[i] = (struct sim_range){ buffer->address, buffer->size, buffer->memory };
   }
   if (ok)
      run_variants(player->fuzz, record, memory);
   player->jobs++;
   free(memory);
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
      printf("fuzz_sim: %s: %u variants of each of %llu jobs\n", fuzz->o.recording, fuzz->o.variants,
             (unsigned long long)player->jobs);
   free(player);
   if (recording)
      recording_close(recording);
   return got >= 0;
}
