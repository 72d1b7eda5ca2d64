/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Tests on the device, through the winsys of the driver.  Each runs in a
 * process of its own, which opens the device anew: a job that the kernel
 * gives up or refuses, and a process that does not come back, cost that test
 * only.
 */

#include "hwtest.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tegra20_winsys.h"

static struct tegra20_winsys *
open_device(const char *node)
{
   int fd = open(node, O_RDWR | O_CLOEXEC);
   if (fd < 0) {
      fprintf(stderr, "%s: %s\n", node, strerror(errno));
      return NULL;
   }
   struct tegra20_winsys *ws = tegra20_winsys_create(fd);
   close(fd);
   return ws;
}

static bool
record(struct tegra20_job *job, const struct test *test,
       struct tegra20_bo *bo)
{
   uint32_t *words =
      tegra20_job_begin(job, test->num_words, test->num_relocs);
   if (!words)
      return false;
   memcpy(words, test->words, test->num_words * sizeof(*words));
   for (unsigned i = 0; i < test->num_relocs; i++)
      tegra20_job_reloc(
         job, words + test->relocs[i].word, bo, test->relocs[i].offset,
         test->relocs[i].write ? TEGRA20_READ | TEGRA20_WRITE : TEGRA20_READ);
   tegra20_job_end(job, words + test->num_words);
   return true;
}

/* In the child. */
static enum outcome
run_job(const char *node, const struct test *test, unsigned seconds,
        uint8_t *memory)
{
   struct tegra20_winsys *ws = open_device(node);
   if (!ws)
      return OUTCOME_NO_DEVICE;
   struct tegra20_bo *bo = tegra20_bo_create(ws, TEST_MEMORY, 0);
   struct tegra20_job *job = tegra20_job_create(
      ws, test->engine_2d ? TEGRA20_ENGINE_2D : TEGRA20_ENGINE_3D);
   enum outcome outcome = OUTCOME_REFUSED;
   if (bo && job) {
      memcpy(tegra20_bo_map(bo), test->memory, TEST_MEMORY);
      if (record(job, test, bo) && tegra20_job_submit(job, NULL) == 0) {
         int waited =
            tegra20_bo_wait(bo, TEGRA20_READ, (uint64_t)seconds * 1000000000);
         outcome = waited ? OUTCOME_HANG : OUTCOME_OK;
         memcpy(memory, tegra20_bo_map(bo), TEST_MEMORY);
      }
   }
   if (job)
      tegra20_job_destroy(job);
   tegra20_bo_unref(bo);
   tegra20_winsys_unref(ws);
   return outcome;
}

/* Waits for the end of a child, which closes the pipe; kills it when that
 * takes too long.  Its exit status, or -1. */
static int
reap(pid_t child, int pipe_end, unsigned seconds)
{
   struct pollfd p = { .fd = pipe_end, .events = POLLIN };
   int ready, status;
   do
      ready = poll(&p, 1, (int)seconds * 1000);
   while (ready < 0 && errno == EINTR);
   if (ready <= 0)
      kill(child, SIGKILL);
   /* A process that the kernel keeps asleep cannot be killed: it is left
    * behind. */
   for (unsigned i = 0; i < 200; i++) {
      pid_t got = waitpid(child, &status, WNOHANG);
      if (got == child)
         return ready > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
      if (got < 0 && errno != EINTR)
         return -1;
      nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
   }
   return -1;
}

/* Calls fn in a child, whose exit status is its result. */
static int
in_child(int (*fn)(void *data), void *data, unsigned seconds)
{
   int ends[2];
   if (pipe(ends))
      return -1;
   fflush(NULL);
   pid_t child = fork();
   if (child == 0) {
      close(ends[0]);
      int status = fn(data);
      fflush(NULL);
      _exit(status);
   }
   close(ends[1]);
   int status = child > 0 ? reap(child, ends[0], seconds) : -1;
   close(ends[0]);
   return status;
}

struct run {
   const char *node;
   const struct test *test;
   unsigned seconds;
   uint8_t *memory;
};

static int
run_in_child(void *data)
{
   struct run *run = data;
   return run_job(run->node, run->test, run->seconds, run->memory);
}

void
device_run(const char *node, const struct test *test, unsigned seconds,
           struct result *result)
{
   void *shared = mmap(NULL, TEST_MEMORY, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
   result->outcome = OUTCOME_LOST;
   memcpy(result->memory, test->memory, TEST_MEMORY);
   if (shared == MAP_FAILED)
      return;
   struct run run = { node, test, seconds, shared };
   int status = in_child(run_in_child, &run, 2 * seconds + 10);
   if (status >= 0 && status <= OUTCOME_NO_DEVICE)
      result->outcome = status;
   if (result->outcome == OUTCOME_OK)
      memcpy(result->memory, shared, TEST_MEMORY);
   munmap(shared, TEST_MEMORY);
}

static int
describe_in_child(void *data)
{
   struct run *run = data;
   struct tegra20_winsys *ws = open_device(run->node);
   if (!ws)
      return 1;
   const struct tegra20_chip_info *chip = tegra20_winsys_chip(ws);
   snprintf((char *)run->memory, 64, "%s, engine version 0x%x", chip->name,
            chip->version);
   run->memory[64] = chip->id;
   tegra20_winsys_unref(ws);
   return 0;
}

bool
device_describe(const char *node, char *text, unsigned size,
                const struct tegra20_chip_info **chip)
{
   struct utsname kernel;
   char *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
   if (shared == MAP_FAILED || uname(&kernel))
      return false;
   struct run run = { .node = node, .memory = (uint8_t *)shared };
   bool ok = in_child(describe_in_child, &run, 20) == 0;
   snprintf(text, size, "%s, %s; %s %s %s", node,
            ok ? shared : "none of the chips", kernel.sysname, kernel.release,
            kernel.machine);
   *chip = &tegra20_chips[ok ? shared[64] : TEGRA20_CHIP_TEGRA20];
   munmap(shared, 4096);
   return ok;
}

const char *
device_board(void)
{
   static char model[128];
   FILE *file = fopen("/proc/device-tree/model", "re");
   const size_t got = file ? fread(model, 1, sizeof(model) - 1, file) : 0;

   if (file)
      fclose(file);
   model[got] = 0;
   return *model ? model : "unknown";
}
