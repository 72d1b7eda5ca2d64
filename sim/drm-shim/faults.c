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

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/u_atomic.h"

#include "report.h"
#include "shim.h"

#define MAX_FAULTS 16

static struct fault {
   char name[40];
   char when; /* ' ' once, '+' from then on, '%' periodically */
   unsigned n;
   int error;
   unsigned calls; /* atomic */
} faults[MAX_FAULTS];
static unsigned num_faults;
static unsigned hang_job, num_jobs;

static bool
parse_fault(const char *text, struct fault *fault)
{
   char when[16], error[16];
   if (sscanf(text, "%39[^:]:%15[^:]:%15[^:]", fault->name, when, error) != 3)
      return false;
   size_t length = strlen(when);
   fault->when = when[0] == '%' ? '%' : when[length - 1] == '+' ? '+' : ' ';
   fault->n = strtoul(when + (when[0] == '%'), NULL, 10);
   fault->error = shim_error_of(error, strlen(error));
   return fault->n > 0 && fault->error > 0;
}

void
shim_faults_init(void)
{
   const char *text = getenv("TEGRA20_SHIM_HANG");
   hang_job = text ? strtoul(text, NULL, 10) : 0;
   text = getenv("TEGRA20_SHIM_FAIL");
   if (!text)
      return;
   char *list = strdup(text), *save;
   for (char *item = list ? strtok_r(list, ",", &save) : NULL; item;
        item = strtok_r(NULL, ",", &save)) {
      if (num_faults < MAX_FAULTS && parse_fault(item, &faults[num_faults]))
         num_faults++;
      else
         fprintf(stderr,
                 "tegra20-shim: TEGRA20_SHIM_FAIL: \"%s\" is not "
                 "NAME:WHEN:ERROR, ignored\n",
                 item);
   }
   free(list);
}

int
shim_fault(const char *name)
{
   int error = 0;
   if (!strncmp(name, "DRM_IOCTL_", 10))
      name += 10;
   if (!strncmp(name, "TEGRA_", 6))
      name += 6;
   int walked = strcmp(name, "OPEN") ? shim_walk(name) : 0;
   if (walked)
      return walked;
   for (unsigned i = 0; i < num_faults; i++) {
      struct fault *fault = &faults[i];
      bool all = !strcmp(fault->name, "*") && strcmp(name, "MMAP") &&
                 strcmp(name, "OPEN");
      if (!all && strcmp(fault->name, name))
         continue;
      unsigned call = p_atomic_inc_return(&fault->calls);
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
