/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The simulator as the model that a device is compared with, and its switches
 * as the explanations that are tried.
 */

#include "hwtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"
#include "util/macros.h"

#define BASE 0x10000000u
#define MAX_ALTERNATIVES 256
#define CLASS_GR2D 0x51
#define CLASS_GR3D 0x60

struct model {
   struct sim *sim;
   struct alternative alternatives[MAX_ALTERNATIVES];
   unsigned num_alternatives;
   struct weights weights;
};

static void
on_diag(void *data, const struct sim_diag *diag)
{
   (void)data;
   (void)diag;
}

struct model *
model_create(const struct tegra20_chip_info *chip)
{
   struct sim_options options = { .chip = chip,
                                  .threads = 1,
                                  .diag = on_diag };
   struct model *model = calloc(1, sizeof(*model));
   if (!model || !(model->sim = sim_create(&options))) {
      free(model);
      return NULL;
   }
   const struct sim_switch_info *info;
   for (unsigned i = 0; (info = sim_switch_describe(i)); i++)
      for (unsigned v = 1; v < info->num_values && !info->timing &&
                           model->num_alternatives < MAX_ALTERNATIVES;
           v++)
         model->alternatives[model->num_alternatives++] =
            (struct alternative){ info->id, info->values[v],
                                  info->values[0] };
   return model;
}

struct model *
model_create_as(const struct tegra20_chip_info *chip, const char *switches)
{
   struct model *model = model_create(chip);
   if (!model || !sim_set_switches(model->sim, switches))
      return model;
   model_destroy(model);
   return NULL;
}

void
model_destroy(struct model *model)
{
   if (model)
      sim_destroy(model->sim);
   free(model);
}

unsigned
model_num_alternatives(const struct model *model)
{
   return model->num_alternatives;
}

struct alternative
model_alternative(const struct model *model, unsigned index)
{
   return model->alternatives[index];
}

void
model_set(struct model *model, unsigned index, bool on)
{
   const struct alternative *a = &model->alternatives[index];
   if (!model->weights.range || strcmp(a->id, "A43"))
      sim_set_switch(model->sim, a->id, on ? a->value : a->assumed);
}

static void
set_weights(struct model *model, int error, int offset)
{
   char value[32];
   snprintf(value, sizeof(value), "%d%+d", error, offset);
   sim_set_switch(model->sim, "A43", value);
}

void
model_set_weights(struct model *model, const struct weights *weights)
{
   model->weights = *weights;
   set_weights(model, weights->error, weights->offset);
}

const struct weights *
model_weights(const struct model *model)
{
   return &model->weights;
}

void
model_run(struct model *model, const struct test *test, struct result *result)
{
   static uint32_t words[TEST_MAX_WORDS];
   memcpy(words, test->words, test->num_words * sizeof(*words));
   for (unsigned i = 0; i < test->num_relocs; i++)
      words[test->relocs[i].word] = BASE + test->relocs[i].offset;
   memcpy(result->memory, test->memory, TEST_MEMORY);
   struct sim_range range = { BASE, TEST_MEMORY, result->memory };
   struct sim_cmd cmd = { .type = SIM_CMD_GATHER,
                          .gather = { words, test->num_words } };
   struct sim_job job = { test->engine_2d ? CLASS_GR2D : CLASS_GR3D, &range,
                          1, &cmd, 1 };
   result->outcome =
      sim_execute(model->sim, &job) == SIM_OK ? OUTCOME_OK : OUTCOME_HANG;
}

unsigned
results_differ(const struct result *a, const struct result *b)
{
   unsigned bytes = 0;
   if (a->outcome != b->outcome)
      return TEST_MEMORY;
   /* What is in memory behind a hang depends on when the kernel pulled the
    * plug. */
   if (a->outcome == OUTCOME_HANG ||
       !memcmp(a->memory, b->memory, TEST_MEMORY))
      return 0;
   for (unsigned i = 0; i < TEST_MEMORY; i++)
      bytes += a->memory[i] != b->memory[i];
   return bytes;
}

/* Does each byte of the device lie between those that the model leaves with
 * weights at the ends of their range?  nominal: in the middle of it. */
static bool
is_in_range(struct model *model, const struct test *test,
            const struct result *nominal, const struct result *device)
{
   static struct result least, most, end;
   const struct weights *w = &model->weights;
   bool inside = true;

   least = most = *nominal;
   for (int k = 0; k < 4; k++) {
      const int change = k & 1 ? w->range : -w->range;
      set_weights(model, w->error + (k < 2 ? change : 0),
                  w->offset + (k < 2 ? 0 : change));
      model_run(model, test, &end);
      inside &= end.outcome == device->outcome;
      for (unsigned i = 0; i < TEST_MEMORY; i++) {
         least.memory[i] = MIN2(least.memory[i], end.memory[i]);
         most.memory[i] = MAX2(most.memory[i], end.memory[i]);
      }
   }
   set_weights(model, w->error, w->offset);
   for (unsigned i = 0; i < TEST_MEMORY; i++)
      inside &= device->memory[i] >= least.memory[i] &&
                device->memory[i] <= most.memory[i];
   return inside;
}

bool
model_explains(struct model *model, const struct test *test,
               const struct result *device)
{
   static struct result nominal;
   model_run(model, test, &nominal);
   return !results_differ(&nominal, device) ||
          (model->weights.range && nominal.outcome == device->outcome &&
           is_in_range(model, test, &nominal, device));
}
