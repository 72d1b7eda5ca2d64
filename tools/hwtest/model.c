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

#define BASE 0x10000000u
#define MAX_ALTERNATIVES 256
#define CLASS_GR2D 0x51
#define CLASS_GR3D 0x60

struct model {
   struct sim *sim;
   struct alternative alternatives[MAX_ALTERNATIVES];
   unsigned num_alternatives;
   struct result scratch;
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
   sim_set_switch(model->sim, a->id, on ? a->value : a->assumed);
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

bool
model_explains(struct model *model, const struct test *test,
               const struct result *device, unsigned *bytes)
{
   model_run(model, test, &model->scratch);
   *bytes = results_differ(&model->scratch, device);
   return *bytes == 0;
}
