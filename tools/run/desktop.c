/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "desktop.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* $1: the directory of its log, $2: Weston's backend, then the command.
 * Weston is not asked to start it: it would inherit blocked signals. */
static const char script[] =
   "directory=$1 backend=$2 socket=tegra20-$$\n"
   "shift 2\n"
   "[ -n \"$XDG_RUNTIME_DIR\" ] || export XDG_RUNTIME_DIR=$directory\n"
   "weston --backend=$backend-backend.so --no-config --idle-time=0 "
   "--xwayland --width=1024 --height=768 --socket=$socket "
   "--log=\"$directory/weston.log\" &\n"
   "weston=$!\n"
   "trap 'kill $weston' TERM HUP\n"
   "until display=$(sed -n 's/.*xserver listening on display //p' "
   "\"$directory/weston.log\" 2>/dev/null) && [ -n \"$display\" ]; do\n"
   "   kill -0 $weston 2>/dev/null || {\n"
   "      echo 'tegra20-run: Weston, which --desktop needs, does not "
   "start:' >&2\n"
   "      tail -n 3 \"$directory/weston.log\" >&2\n"
   "      exit 126\n"
   "   }\n"
   "   sleep 0.1\n"
   "done\n"
   "export DISPLAY=$display WAYLAND_DISPLAY=$socket\n"
   /* the picture is of the desktop */
   "unset TEGRA20_SCREENSHOT\n"
   "\"$@\"\n"
   "status=$?\n"
   "kill $weston 2>/dev/null\n"
   "wait $weston\n"
   "rm -f \"$directory\"/weston.log \"$directory\"/tegra20-*.lock\n"
   "exit $status\n";

char **
desktop_command(char **command, unsigned count, const char *directory)
{
   const char *wayland = getenv("WAYLAND_DISPLAY"), *x11 = getenv("DISPLAY");
   char **words = calloc(count + 7, sizeof(*words));
   const bool has_wayland = wayland && *wayland;

   if (!has_wayland && !(x11 && *x11)) {
      fprintf(stderr, "tegra20-run: --desktop needs a session that shows its "
                      "window (WAYLAND_DISPLAY or DISPLAY); without one: "
                      "xvfb-run tegra20-run --desktop --screenshot FILE\n");
      free(words);
      return NULL;
   }
   if (!words)
      return NULL;
   words[0] = "sh";
   words[1] = "-c";
   words[2] = (char *)script;
   words[3] = "sh";
   words[4] = (char *)directory;
   words[5] = has_wayland ? "wayland" : "x11";
   for (unsigned i = 0; i < count; i++)
      words[6 + i] = command[i];
   return words;
}
