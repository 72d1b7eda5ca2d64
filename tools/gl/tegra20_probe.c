/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * probe-tegra20: whether a Tegra20 can be used, for tegra20-gl.  Opens the
 * device as the driver does, which tries a job on each engine.  Status 0 and
 * the kernel's interface when it can; 1, and one line on stderr that says
 * why, when not.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>

#include "tegra20_winsys.h"

static bool
is_tegra(int fd)
{
   drmVersionPtr version = drmGetVersion(fd);
   bool found = version && !strcmp(version->name, "tegra");

   drmFreeVersion(version);
   return found;
}

int
main(void)
{
   bool found = false;
   int refused = 0;
   char refused_node[32];

   for (unsigned minor = 128; minor < 192; minor++) {
      char node[32];
      snprintf(node, sizeof(node), "/dev/dri/renderD%u", minor);
      int fd = open(node, O_RDWR | O_CLOEXEC);
      if (fd < 0) {
         if (errno != ENOENT) {
            refused = errno;
            memcpy(refused_node, node, sizeof(node));
         }
         continue;
      }
      if (is_tegra(fd)) {
         found = true;
         /* says itself what it does not like */
         struct tegra20_winsys *ws = tegra20_winsys_create(fd);
         if (ws) {
            printf("%s interface\n", tegra20_winsys_kernel(ws));
            tegra20_winsys_unref(ws);
            close(fd);
            return 0;
         }
      }
      close(fd);
   }
   if (!found && refused)
      fprintf(stderr, "%s: %s\n", refused_node, strerror(refused));
   else if (!found)
      fprintf(stderr, "there is no Tegra in /dev/dri\n");
   return 1;
}
