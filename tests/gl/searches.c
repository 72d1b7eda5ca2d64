/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * searches MODULE: each end of a process that has searches (searches_live.c, loaded here, so that it can be unloaded with its
 * libraries) in a process of its own.
 */

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS 100

static int
live(const char *path, const char *how)
{
   void *module = dlopen(path, RTLD_NOW);
   void (*live_and_end)(const char *) = module ? (void (*)(const char *))dlsym(module, "live_and_end") : NULL;

   alarm(SECONDS);
   if (!live_and_end)
      return 1;
   live_and_end(how);
   return strcmp(how, "unload") == 0 && dlclose(module) != 0;
}

int
main(int argc, char **argv)
{
   static const char *const ends[] = {"exit", "quick_exit", "contexts", "terminate", "unload", "idle"};

   for (unsigned i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
      const pid_t child = fork();
      int status = 1;

      if (child == 0)
         return live(argc > 1 ? argv[1] : "", ends[i]);
      if (waitpid(child, &status, 0) != child || status) {
         fprintf(stderr, "%s: %s\n", ends[i], WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "failed");
         return 1;
      }
   }
   return 0;
}
