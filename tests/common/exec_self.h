/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Tests that start themselves anew.
 */

#ifndef TESTS_COMMON_EXEC_SELF_H
#define TESTS_COMMON_EXEC_SELF_H

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Replaces the process by a new run of its program; argv as for execv(), at most 14 arguments after argv[0].  In a cross
 * build Meson's emulator runs it.  Returns only on failure.
 */
static inline void
exec_self(char *const *argv)
{
   static char script[] = "exec $MESON_EXE_WRAPPER \"$0\" \"$@\"";
   char path[PATH_MAX] = "";
   char *shell[20] = {(char *)"sh", (char *)"-c", script, path};
   if (!getenv("MESON_EXE_WRAPPER")) {
      execv("/proc/self/exe", argv);
      return;
   }
   for (unsigned i = 1; argv[i] && i < 15; i++)
      shell[3 + i] = argv[i];
   if (readlink("/proc/self/exe", path, sizeof(path) - 1) > 0)
      execv("/bin/sh", shell);
}

#endif
