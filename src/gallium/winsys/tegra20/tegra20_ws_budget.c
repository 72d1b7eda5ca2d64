/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The budget of the driver's allocations from the kernel.
 *
 * Where contiguous memory (CMA) is used up, the kernel takes other pages for
 * buffers, which are charged to no process: when these end, too, it kills the
 * process with most charged memory, a compositor or a browser, and never the
 * one that has the buffers.  So the driver leaves some, and there is no
 * memory for the application instead.
 *
 * Free CMA may be fragmented, with pages of programs in it, which have to be
 * migrated first.  So when there are no other pages for that, half of CMA is
 * left alone.
 *
 * It kills also where there is memory, but in pieces, and a buffer of up to
 * eight pages is wanted in one piece; for larger ones it only says no.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/u_math.h"

#include "tegra20_ws_internal.h"

/* So many bytes without another look: others use memory meanwhile. */
#define LOOK_AGAIN (1 << 20)
/* Reserve for other programs: this part of all memory. */
#define LEFT_SHARE 16
/* Less than this part of all memory is little. */
#define LITTLE_SHARE 8

/* A row of /proc/meminfo, bytes; -1: there is none. */
static int64_t
row(const char *meminfo, const char *name)
{
   const char *found = strstr(meminfo, name);

   return found ? strtoll(found + strlen(name), NULL, 10) * 1024 : -1;
}

int64_t
ws_budget_of(const char *meminfo)
{
   const int64_t total = row(meminfo, "MemTotal:"),
                 available = row(meminfo, "MemAvailable:"),
                 cma_total = MAX2(row(meminfo, "CmaTotal:"), 0),
                 cma = MAX2(row(meminfo, "CmaFree:"), 0);

   if (total < 0 || available < 0)
      return INT64_MAX;
   /* MemAvailable counts pages of CMA, too */
   const int64_t others = available - cma - total / LEFT_SHARE;
   return others > 0 ? cma + others : MAX2(cma - cma_total / 2, 0);
}

/* Remaining budget, bytes; whether that is little. */
static int64_t
look(bool *is_little)
{
   char text[2048];
   FILE *file = fopen("/proc/meminfo", "re");

   *is_little = false;
   if (!file)
      return INT64_MAX;
   text[fread(text, 1, sizeof(text) - 1, file)] = 0;
   fclose(file);

   const int64_t left = ws_budget_of(text);
   *is_little = left < row(text, "MemTotal:") / LITTLE_SHARE;
   return left;
}

bool
ws_budget_allows(struct tegra20_winsys *ws, uint32_t size)
{
   if (p_atomic_add_return(&ws->budget, -(int64_t)size) >= 0)
      return true;
   bool is_little;
   const int64_t left = look(&is_little) - size;

   p_atomic_set(&ws->has_little_memory, is_little);
   p_atomic_set(&ws->budget, CLAMP(left, 0, LOOK_AGAIN));
   return left >= 0;
}
