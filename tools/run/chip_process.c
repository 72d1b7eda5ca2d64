/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The chip's process runs code of the library that the others preload
 * (sim/drm-shim/chip_server.c).  It lives until this process lets go of a
 * pipe, or dies, and the last user of the chip has gone.
 */

#include "chip_process.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* For programs that go on in the background. */
#define PATIENCE_MS 300

static pid_t process = -1;
static int lifetime = -1;

/* What the terminal or a service manager sends to all is not for the chip. */
static void
stay_alone(void)
{
   static const int ignored[] = { SIGINT,  SIGQUIT, SIGTERM, SIGHUP,
                                  SIGUSR1, SIGUSR2, SIGPIPE };
   for (unsigned i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
      signal(ignored[i], SIG_IGN);
   int null = open("/dev/null", O_RDWR | O_CLOEXEC);
   if (null >= 0) {
      dup2(null, STDIN_FILENO);
      dup2(null, STDOUT_FILENO);
   }
}

static int
run_chip(const char *shim, int listener, int end)
{
   /* It counts as none of the command's processes. */
   const char *report = getenv("TEGRA20_SHIM_REPORT");
   char *kept = report ? strdup(report) : NULL;
   unsetenv("TEGRA20_SHIM_REPORT");
   void *library = dlopen(shim, RTLD_NOW | RTLD_LOCAL);
   int (*serve)(int listener, int lifetime) =
      library ? (int (*)(int, int))dlsym(library, "tegra20_shim_serve")
              : NULL;
   if (!serve) {
      fprintf(stderr, "tegra20-run: %s\n", dlerror());
      return 1;
   }
   if (kept)
      setenv("TEGRA20_SHIM_REPORT", kept, 1);
   return serve(listener, end);
}

static int
open_listener(const char *path, mode_t mode)
{
   struct sockaddr_un address = { .sun_family = AF_UNIX };
   if (strlen(path) >= sizeof(address.sun_path)) {
      fprintf(stderr, "tegra20-run: %s: too long for a socket's name\n",
              path);
      return -1;
   }
   strcpy(address.sun_path, path);
   struct stat info;
   if (!lstat(path, &info) && !S_ISSOCK(info.st_mode)) {
      fprintf(stderr,
              "tegra20-run: --one-chip wants a socket or a new name, "
              "%s is something else\n",
              path);
      return -1;
   }
   unlink(path); /* nobody answers there */
   int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
   if (listener >= 0 &&
       !bind(listener, (struct sockaddr *)&address, sizeof(address)) &&
       !chmod(path, mode) && !listen(listener, 128))
      return listener;
   fprintf(stderr, "tegra20-run: cannot listen at %s: %s\n", path,
           strerror(errno));
   return -1;
}

/* A chip that another command has started. */
static bool
is_there(const char *path)
{
   struct sockaddr_un address = { .sun_family = AF_UNIX };
   snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
   int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
   bool there =
      fd >= 0 && !connect(fd, (struct sockaddr *)&address, sizeof(address));
   if (fd >= 0)
      close(fd);
   return there;
}

bool
chip_process_start(const char *shim, const char *path, mode_t mode)
{
   setenv("TEGRA20_SHIM_ONE_CHIP", path, 1);
   if (is_there(path))
      return true;
   int ends[2], listener = open_listener(path, mode);
   if (listener < 0 || pipe2(ends, O_CLOEXEC))
      return false;
   process = fork();
   if (process == 0) {
      close(ends[1]);
      stay_alone();
      int status = run_chip(shim, listener, ends[0]);
      fflush(NULL);
      _exit(status);
   }
   close(listener);
   close(ends[0]);
   lifetime = ends[1];
   if (process < 0)
      fprintf(stderr, "tegra20-run: cannot fork: %s\n", strerror(errno));
   return process > 0;
}

void
chip_process_end(void)
{
   if (process < 0)
      return;
   close(lifetime);
   for (unsigned ms = 0; ms < PATIENCE_MS; ms++) {
      if (waitpid(process, NULL, WNOHANG))
         return;
      nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
   }
}
