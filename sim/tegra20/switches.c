/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * One switch for each choice of docs/hardware-assumptions.md that the
 * simulator makes: what the manuals do not settle can be tried the other way.
 * The first value is the default.  The table is src/tegra20/hw/hw.yaml, which
 * the driver's hardware profile comes from too.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_internal.h"

/* In the order of the ids; "A<n>" is sim->switches[n]. */
static const struct sim_switch_info switches[] = {
#include "tegra20/hw/sim_switches.h"
};

#define NUM_SWITCHES (sizeof(switches) / sizeof(switches[0]))

const struct sim_switch_info *
sim_switch_describe(unsigned index)
{
   return index < NUM_SWITCHES ? &switches[index] : NULL;
}

/* A43 as numbers, in 2^-24: "1024" says that the weights are too large by
 * 2^-14, "1024-60" that they have an offset of -60 besides. */
static bool
set_weights(struct sim *sim, const char *value)
{
   int weights[2] = { 0 }, length[2] = { 0 };
   const int count = sscanf(value, "%6d%n%6d%n", &weights[0], &length[0],
                            &weights[1], &length[1]);

   if (count < 1 || value[length[count - 1]] ||
       abs(weights[0]) > SIM_MAX_WEIGHT || abs(weights[1]) > SIM_MAX_WEIGHT)
      return false;
   if (sim) {
      memcpy(sim->weights, weights, sizeof(weights));
      sim->switches[43] = SIM_WEIGHTS_AS_NUMBERS;
   }
   return true;
}

bool
sim_set_switch(struct sim *sim, const char *id, const char *value)
{
   for (unsigned i = 0; i < NUM_SWITCHES; i++) {
      unsigned number;
      if (strcmp(switches[i].id, id) || sscanf(id, "A%u", &number) != 1 ||
          number >= sizeof(sim->switches))
         continue;
      for (unsigned v = 0; v < switches[i].num_values; v++) {
         if (!strcmp(switches[i].values[v], value)) {
            if (sim)
               sim->switches[number] = v;
            return true;
         }
      }
   }
   return !strcmp(id, "A43") && set_weights(sim, value);
}

const char *
sim_set_switches(struct sim *sim, const char *list)
{
   while (list && *list) {
      char id[16], value[32];
      int length = 0;
      if (sscanf(list, "%15[^=,]=%31[^,]%n", id, value, &length) != 2 ||
          (list[length] && list[length] != ',') ||
          !sim_set_switch(sim, id, value))
         return list;
      list += length + (list[length] == ',');
   }
   return NULL;
}
