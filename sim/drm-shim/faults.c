/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Fault injection (docs/drm-shim.md).
 *
 *   TEGRA20_SHIM_FAIL=NAME:WHEN:ERROR[,...]
 *      NAME    an ioctl without DRM_IOCTL_ and TEGRA_, MMAP, OPEN, or * for
 *              all ioctls
 *      WHEN    N the Nth call, N+ from the Nth on, %N every Nth
 *      ERROR   as ENOMEM or 12
 *   TEGRA20_SHIM_HANG=N
 *      the Nth job of the process never ends
 */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/u_atomic.h"

#include "parse.h"
#include "shim.h"

#define MAX_FAULTS 16

static struct fault {
   struct sim_fault fault;
   unsigned calls; /* atomic */
} faults[MAX_FAULTS];
static unsigned num_faults;
static unsigned hang_job, num_jobs;

/* As the text of a fault may have it. */
static const char *
short_name(const char *name)
{
   if (!strncmp(name, "DRM_IOCTL_", 10))
      name += 10;
   return strncmp(name, "TEGRA_", 6) ? name : name + 6;
}

static bool
is_call(const char *name)
{
   if (!strcmp(name, "*") || !strcmp(name, "MMAP") || !strcmp(name, "OPEN"))
      return true;
   for (unsigned nr = 0; nr <= UINT8_MAX; nr++) {
      const char *known = shim_ioctl_name(nr);
      if (known && !strcmp(name, short_name(known)))
         return true;
   }
   return false;
}

void
shim_faults_init(void)
{
   hang_job = shim_options_number("TEGRA20_SHIM_HANG", UINT_MAX, 0);
   const char *end, *item = getenv("TEGRA20_SHIM_FAIL");
   for (; item && *item; item = *end ? end + 1 : NULL) {
      struct fault *fault = &faults[num_faults];
      end = num_faults < MAX_FAULTS ? sim_parse_fault(item, &fault->fault)
                                    : NULL;
      if (!end || !is_call(fault->fault.name)) {
         fprintf(stderr,
                 "tegra20-shim: TEGRA20_SHIM_FAIL: \"%s\" is ignored: not "
                 "NAME:WHEN:ERROR, no such call, or more than %u\n",
                 item, MAX_FAULTS);
         return;
      }
      num_faults++;
   }
}

int
shim_fault(const char *name)
{
   int error = 0;
   name = short_name(name);
   int walked = strcmp(name, "OPEN") ? shim_walk(name) : 0;
   if (walked)
      return walked;
   for (unsigned i = 0; i < num_faults; i++) {
      const struct sim_fault *fault = &faults[i].fault;
      bool all = !strcmp(fault->name, "*") && strcmp(name, "MMAP") &&
                 strcmp(name, "OPEN");
      if (!all && strcmp(fault->name, name))
         continue;
      unsigned call = p_atomic_inc_return(&faults[i].calls);
      if (fault->when == '%'   ? call % fault->n == 0
          : fault->when == '+' ? call >= fault->n
                               : call == fault->n)
         error = error ? error : fault->error;
   }
   return -error;
}

bool
shim_fault_hang(void)
{
   return shim_walk_hangs() ||
          (hang_job && p_atomic_inc_return(&num_jobs) == hang_job);
}
