/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What public facts leave open, by name: for programs that do not want the
 * rest of the simulator, too.
 */

#include <stdlib.h>
#include <string.h>

#include "a4xx_internal.h"

bool
a4xx_set_switch(struct a4xx_profile *profile, const char *id,
                const char *value)
{
   static const struct {
      const char *id, *values[2];
   } switches[] = {
      { "U1", { "patch", "lane" } },
      { "U7", { "many", "one" } },
      { "U8", { "continue", "restart" } },
   };
   if (!strcmp(id, "U2")) {
      char *end;
      unsigned long patches = strtoul(value, &end, 10);
      profile->subdraw = A4XX_MIN(patches, A4XX_MAX_VERTICES);
      return patches && end != value && !*end;
   }
   for (unsigned i = 0; i < A4XX_COUNT(switches); i++) {
      for (unsigned v = 0; v < 2; v++) {
         if (strcmp(id, switches[i].id) ||
             strcmp(value, switches[i].values[v]))
            continue;
         if (i == 0)
            profile->private_scope = v;
         else if (i == 1)
            profile->patches_a_wave = v;
         else
            profile->restart_instances = v;
         return true;
      }
   }
   return false;
}
