/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Reset wait: runtime power management resets an engine after a cancelled
 * job.
 *
 * The kernel takes such a job off the channel, but does not reset the engine,
 * which may still stand where the job left it: then every job behind it is
 * lost, too, ten seconds each.  The engine is reset when runtime power
 * management switches it off, which needs half a second without any job on it
 * (kernel-review.md 8; A119).  So a process that has lost a job submits no
 * other one before the engine was off.
 *
 * Jobs of other programs behind the lost one keep the engine on until they
 * are cancelled, and their programs then wait like this one: all continue
 * together when it was off.  A program with a working engine keeps it on, so
 * there is a limit.
 */

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "util/os_time.h"

#include "tegra20_ws_internal.h"

/* The kernel's delay of half a second, and some time to act, ns. */
#define RESET_TIME 800000000ll
/* When the engine stays on: for the lost jobs of five other programs, ns. */
#define RESET_MAX 60000000000ll
#define LOOK_INTERVAL 20000 /* us */

enum power { POWER_UNKNOWN, POWER_ON, POWER_OFF };

static enum power
read_power(enum tegra20_engine engine)
{
   static const char *const paths[TEGRA20_NUM_ENGINES] = {
      [TEGRA20_ENGINE_3D] =
         "/sys/bus/platform/devices/54180000.gr3d/power/runtime_status",
      [TEGRA20_ENGINE_2D] =
         "/sys/bus/platform/devices/54140000.gr2d/power/runtime_status",
   };
   char text[16] = "";
   int fd = open(paths[engine], O_RDONLY | O_CLOEXEC);
   if (fd < 0)
      return POWER_UNKNOWN;
   ssize_t n = read(fd, text, sizeof(text) - 1);
   close(fd);
   return n <= 0                              ? POWER_UNKNOWN
          : !strncmp(text, "suspended", 9)    ? POWER_OFF
          : !strncmp(text, "unsupported", 11) ? POWER_UNKNOWN
                                              : POWER_ON;
}

void
ws_reset_begin(struct tegra20_winsys *ws, enum tegra20_engine engine)
{
   if (ws->waits_for_reset)
      p_atomic_set(&ws->reset_wait_start[engine], os_time_get_nano());
}

void
ws_reset_wait(struct tegra20_winsys *ws, enum tegra20_engine engine)
{
   int64_t start;
   while ((start = p_atomic_read(&ws->reset_wait_start[engine]))) {
      const int64_t waited = os_time_get_nano() - start;
      const enum power power = read_power(engine);
      if (power == POWER_OFF || waited >= RESET_MAX ||
          (power == POWER_UNKNOWN && waited >= RESET_TIME)) {
         /* unless another job was lost meanwhile */
         p_atomic_cmpxchg(&ws->reset_wait_start[engine], start, 0);
         continue;
      }
      os_time_sleep(LOOK_INTERVAL);
   }
}
