/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * To be preloaded: the process is killed at its call number KILL_AT of the graphics device (from 1), before the call, or with
 * KILL_INSIDE=1 by another process, that starts together with the call: inside of it, or before anything was done with what it
 * returned.  A process that ends by itself writes how many calls there were: with KILL_AT these were too few, for a program
 * does not wait for a job that is already done.
 */

#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DRM_TYPE 'd'

static unsigned calls;

static void
kill_now(bool inside)
{
   if (!inside)
      raise(SIGKILL);
   const pid_t victim = getpid();
   if (fork() == 0) {
      kill(victim, SIGKILL);
      _exit(0);
   }
}

int
ioctl(int fd, unsigned long request, ...)
{
   static int (*next)(int, unsigned long, ...);
   const char *at = getenv("KILL_AT");
   va_list args;

   va_start(args, request);
   void *arg = va_arg(args, void *);
   va_end(args);
   if (!next)
      next = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
   const bool last = _IOC_TYPE(request) == DRM_TYPE &&
                     __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) == (at ? strtoul(at, NULL, 10) : 0);
   if (last)
      kill_now(getenv("KILL_INSIDE"));
   const int result = next(fd, request, arg);
   while (last)
      pause();
   return result;
}

static void __attribute__((destructor)) report(void)
{
   fprintf(stderr, "%u calls\n", calls);
}
