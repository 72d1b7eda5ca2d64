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

/* The values of a field are numbered from 0 on. */
static const struct {
   const char *id;
   size_t field; /* unsigned, of the profile */
   const char *values[4];
} switches[] = {
   { "U1",
     offsetof(struct a4xx_profile, private_scope),
     { "patch", "lane" } },
   { "U5",
     offsetof(struct a4xx_profile, runs),
     { "counted", "place", "each" } },
   { "U7", offsetof(struct a4xx_profile, patches_a_wave), { "many", "one" } },
   { "U8",
     offsetof(struct a4xx_profile, restart_instances),
     { "continue", "restart" } },
   { "U9",
     offsetof(struct a4xx_profile, memory_bits),
     { "both", "bit22", "bit23" } },
   { "U10", offsetof(struct a4xx_profile, bin_offset), { "gmem", "always" } },
   { "U11", offsetof(struct a4xx_profile, gmem_layout), { "rows", "tiles" } },
   { "U12", offsetof(struct a4xx_profile, memory_depth), { "none", "gmem" } },
   { "U13",
     offsetof(struct a4xx_profile, no_blend_2),
     { "opaque", "nothing" } },
   { "U14",
     offsetof(struct a4xx_profile, alpha_test),
     { "cut", "round", "float" } },
   { "U15", offsetof(struct a4xx_profile, killed), { "helpers", "stop" } },
   { "U16", offsetof(struct a4xx_profile, offset_unit), { "half", "whole" } },
   { "U17",
     offsetof(struct a4xx_profile, instance_number),
     { "continue", "restart" } },
};

bool
a4xx_set_switch(struct a4xx_profile *profile, const char *id,
                const char *value)
{
   if (!strcmp(id, "U2")) {
      char *end;
      unsigned long patches = strtoul(value, &end, 10);
      profile->subdraw = A4XX_MIN(patches, A4XX_MAX_VERTICES);
      return patches && end != value && !*end;
   }
   for (unsigned i = 0; i < A4XX_COUNT(switches); i++) {
      for (unsigned v = 0; v < A4XX_COUNT(switches[i].values); v++) {
         const char *name = switches[i].values[v];
         if (!name || strcmp(id, switches[i].id) || strcmp(value, name))
            continue;
         memcpy((char *)profile + switches[i].field, &v, sizeof(v));
         return true;
      }
   }
   return false;
}
