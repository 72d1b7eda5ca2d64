/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Processes that share a chip (tegra20-run --one-chip --async 60000: nothing is executed before somebody waits).  Each case
 * has two processes, which open the device after the fork; the last one ends the chip.  Arguments name the cases to run.
 */

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "drm-uapi/tegra_drm.h"
#include "processes.h"

#define COLOUR       0x12345678u
#define FILL_SIDE    64 /* pixels */
#define STARTUP_JOBS 2 /* of a winsys: each engine answers */

static struct tegra20_winsys *
open_chip(void)
{
   struct tegra20_winsys *ws = open_device();
   CHECK(ws);
   return ws;
}

/* Are all pixels of that colour? */
static bool
is_filled(struct tegra20_bo *bo, uint32_t colour)
{
   const uint32_t *map = tegra20_bo_map(bo);
   for (unsigned i = 0; i < FILL_SIDE * FILL_SIDE; i++) {
      if (map[i] != colour)
         return false;
   }
   return true;
}

/* A fill by this process, which waits for it. */
static int
fill_and_wait(struct tegra20_winsys *ws)
{
   struct tegra20_bo *bo = tegra20_bo_create(ws, FILL_SIDE * FILL_SIDE * 4, TEGRA20_BO_ZERO);
   struct tegra20_job *job = tegra20_job_create(ws, TEGRA20_ENGINE_2D);
   fill(job, bo, 0, FILL_SIDE, FILL_SIDE, COLOUR);
   CHECK(tegra20_job_submit(job, NULL) == 0);
   int ret = tegra20_bo_wait(bo, TEGRA20_READ, FOREVER);
   CHECK(ret || is_filled(bo, COLOUR));
   CHECK(ret || tegra20_job_reset_status(job) == TEGRA20_NO_RESET);
   tegra20_job_destroy(job);
   tegra20_bo_unref(bo);
   return ret;
}

static void
say(int socket)
{
   CHECK(write(socket, "", 1) == 1);
}

static void
hear(int socket)
{
   char byte;
   CHECK(read(socket, &byte, 1) == 1);
}

/* Fills a buffer that the other process has, and does not wait. */
static void
fill_for_other(int socket, bool with_fence)
{
   struct tegra20_winsys *ws = open_chip();
   hear(socket); /* whose first jobs would have this one done */
   struct tegra20_bo *bo = tegra20_bo_create(ws, FILL_SIDE * FILL_SIDE * 4, TEGRA20_BO_SHARED | TEGRA20_BO_ZERO);
   struct tegra20_job *job = tegra20_job_create(ws, TEGRA20_ENGINE_2D);
   struct tegra20_fence *fence;
   fill(job, bo, 0, FILL_SIDE, FILL_SIDE, COLOUR);
   CHECK(tegra20_job_submit(job, &fence) == 0);
   send_fd(socket, tegra20_bo_export_fd(bo));
   if (with_fence)
      send_fd(socket, tegra20_fence_export_fd(fence));
   pause();
}

static void
late_in_child(int socket)
{
   fill_for_other(socket, false);
}

/*
 * Who reads a buffer without waiting sees what was there before; a later job on the same engine, of another process, comes
 * behind the first.
 */
static void
late(int socket, pid_t child)
{
   struct tegra20_winsys *ws = open_chip();
   say(socket);
   struct tegra20_bo *bo = tegra20_bo_import_fd(ws, receive_fd(socket));
   CHECK(is_filled(bo, 0));
   CHECK(fill_and_wait(ws) == 0);
   CHECK(is_filled(bo, COLOUR));
}

static void
killed_in_child(int socket)
{
   fill_for_other(socket, true);
}

/* What a process has submitted is done, and its fences signal, when it is killed. */
static void
killed(int socket, pid_t child)
{
   struct tegra20_winsys *ws = open_chip();
   say(socket);
   struct tegra20_bo *bo = tegra20_bo_import_fd(ws, receive_fd(socket));
   struct pollfd fence = {.fd = receive_fd(socket), .events = POLLIN};
   CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
   CHECK(poll(&fence, 1, 0) == 0);
   CHECK(fill_and_wait(ws) == 0);
   CHECK(poll(&fence, 1, 10000) == 1);
   CHECK(is_filled(bo, COLOUR));
}

/* Takes all sync points that there are. */
static unsigned
take_syncpts(int fd)
{
   unsigned count = 0;
   struct drm_tegra_syncpoint_allocate args = {0};
   while (ioctl(fd, DRM_IOCTL_TEGRA_SYNCPOINT_ALLOCATE, &args) == 0) {
      args.id = 0;
      count++;
   }
   CHECK(errno == EBUSY);
   return count;
}

static void
syncpts_in_child(int socket)
{
   unsigned count = take_syncpts(open(NODE, O_RDWR | O_CLOEXEC));
   CHECK(write(socket, &count, sizeof(count)) == sizeof(count));
   pause();
}

/*
 * Sync points are the system's: there are none left where another process has them, and all of them when it is killed, and
 * one that is given back.
 */
static void
syncpts(int socket, pid_t child)
{
   unsigned count, again = 0;
   struct drm_tegra_syncpoint_free one = {0};
   int fd = open(NODE, O_RDWR | O_CLOEXEC);
   CHECK(read(socket, &count, sizeof(count)) == sizeof(count));
   CHECK(count > 10 && take_syncpts(fd) == 0);
   CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
   for (unsigned ms = 0; ms < 5000 && again < count; ms++) {
      again += take_syncpts(fd);
      usleep(1000);
   }
   CHECK(again >= count); /* more where those of the case before came back late */
   while (ioctl(fd, DRM_IOCTL_TEGRA_SYNCPOINT_FREE, &one))
      CHECK(++one.id < 32);
   CHECK(take_syncpts(fd) == 1);
   close(fd);
}

static void
hang_in_child(int socket)
{
   char text[16];
   snprintf(text, sizeof(text), "%u", STARTUP_JOBS + 1);
   setenv("TEGRA20_SHIM_HANG", text, 1);
   CHECK(fill_and_wait(open_chip()) == -EIO);
   say(socket);
   pause();
}

/* A job that never ends is that process' loss only. */
static void
hang(int socket, pid_t child)
{
   struct tegra20_winsys *ws = open_chip();
   CHECK(fill_and_wait(ws) == 0);
   hear(socket);
   CHECK(fill_and_wait(ws) == 0);
}

static pid_t tegra20_run, first; /* the first of this program's processes is a child of the other */

/* The other child. */
static pid_t
find_chip(int run)
{
   char path[64];
   int pid;
   snprintf(path, sizeof(path), "/proc/%d/task/%d/children", run, run);
   FILE *file = fopen(path, "r");
   CHECK(file);
   do
      CHECK(fscanf(file, "%d", &pid) == 1);
   while (pid == first);
   fclose(file);
   return pid;
}

static void
nothing_in_child(int socket)
{
   pause();
}

/* A chip that is gone is said to be, once, and what follows fails. */
static void
chip_dies(int socket, pid_t child)
{
   struct drm_tegra_syncpoint_allocate args = {0};
   char text[1024] = "";
   int fd = open(NODE, O_RDWR | O_CLOEXEC), ends[2], error = dup(STDERR_FILENO);
   CHECK(ioctl(fd, DRM_IOCTL_TEGRA_SYNCPOINT_ALLOCATE, &args) == 0);
   CHECK(pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) >= 0);
   kill(find_chip(tegra20_run), SIGKILL);
   for (unsigned i = 0; i < 3; i++) {
      args.id = 0;
      while (ioctl(fd, DRM_IOCTL_TEGRA_SYNCPOINT_ALLOCATE, &args) == 0)
         args.id = 0;
      const int reason = errno;
      dup2(error, STDERR_FILENO);
      CHECK(reason == ENODEV);
      dup2(ends[1], STDERR_FILENO);
   }
   dup2(error, STDERR_FILENO);
   CHECK(read(ends[0], text, sizeof(text) - 1) > 0);
   const char *said = strstr(text, "simulated chip is gone");
   CHECK(said && !strstr(said + 1, "simulated chip is gone"));
}

static const struct {
   const char *name;
   void (*in_child)(int socket);
   void (*run)(int socket, pid_t child);
   bool mainline; /* has calls for sync points */
} cases[] = {
   {"late", late_in_child, late},
   {"killed", killed_in_child, killed, true},
   {"sync points", syncpts_in_child, syncpts, true},
   {"hang", hang_in_child, hang, true},
   {"chip dies", nothing_in_child, chip_dies, true},
};

/* The device is opened after the forks: others are another test's (test_node.c). */
static void
be_both(unsigned i)
{
   int sockets[2];
   CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets) == 0);
   pid_t child = fork();
   CHECK(child >= 0);
   if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL); /* also where a check ends the other one */
      cases[i].in_child(sockets[0]);
      exit(0);
   }
   cases[i].run(sockets[1], child);
   kill(child, SIGKILL);
   exit(0);
}

static bool
run_case(unsigned i)
{
   int status;
   pid_t runner = fork();
   if (runner == 0)
      be_both(i);
   CHECK(waitpid(runner, &status, 0) == runner);
   printf("%s: %s\n", status ? "FAIL" : "ok", cases[i].name);
   return status == 0;
}

int
main(int argc, char **argv)
{
   const bool mainline = !getenv("TEGRA20_SHIM_GRATE");
   unsigned failed = 0;

   setvbuf(stdout, NULL, _IOLBF, 0);
   first = getpid();
   tegra20_run = getppid();
   for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      bool named = argc == 1;
      for (int k = 1; k < argc; k++)
         named |= !strcmp(argv[k], cases[i].name);
      if (named && (mainline || !cases[i].mainline))
         failed += !run_case(i);
   }
   return failed > 0;
}
