/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Jobs that no GL program makes, through the driver's own winsys; to be run in tegra20-vm.
 *
 *   test_vm_jobs lengths    jobs of every length around each limit
 *   test_vm_jobs hang [N]   a job on which GR3D hangs, N times (default 1), each followed by twenty that must run
 *
 * Prints how many jobs ran and how many were lost; status 1 when one was lost that should have run.
 */

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tegra20/host1x_stream.h"
#include "tegra20_winsys.h"

#define FOREVER UINT64_MAX
/* A register of each engine that holds a number and does nothing. */
#define REG_GR3D 0x342
#define REG_GR2D 0x28
#define REG_VP_ATTRIBUTES 0x120
#define REG_DRAW 0x122

#define CHECK(condition)                                                                                               \
   do {                                                                                                                \
      if (!(condition)) {                                                                                              \
         fprintf(stderr, "%s:%d: %s failed\n", __FILE__, __LINE__, #condition);                                        \
         exit(2);                                                                                                      \
      }                                                                                                                \
   } while (0)

static struct tegra20_winsys *ws;
static unsigned ran, lost;

static void
submit(struct tegra20_job *job)
{
   struct tegra20_fence *fence = NULL;
   CHECK(!tegra20_job_submit(job, &fence));
   CHECK(tegra20_fence_wait(fence, FOREVER));
   tegra20_fence_unref(fence);
   if (tegra20_job_reset_status(job) == TEGRA20_NO_RESET)
      ran++;
   else
      lost++;
}

/* False when the job has no room for so many words. */
static bool
add_words(struct tegra20_job *job, unsigned reg, unsigned count)
{
   uint32_t *words = tegra20_job_begin(job, count, 0);
   if (!words)
      return false;
   for (unsigned i = 0; i < count; i++)
      words[i] = host1x_imm(reg, i & 0xff);
   tegra20_job_end(job, words + count);
   return true;
}

/* Groups of up to 15000 words. */
static bool
add_many_words(struct tegra20_job *job, unsigned reg, unsigned count)
{
   while (count) {
      const unsigned part = count < 15000 ? count : 15000;
      if (!add_words(job, reg, part))
         return false;
      count -= part;
   }
   return true;
}

static void
lengths_of(enum tegra20_engine engine, unsigned reg)
{
   static const unsigned limits[] = {2, 16383, 2 * 16383, 32768, 65536, 256 * 1024};
   struct tegra20_job *job = tegra20_job_create(ws, engine);
   unsigned refused = 0;
   CHECK(job);
   for (unsigned i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
      for (unsigned count = limits[i] < 20 ? 1 : limits[i] - 20; count <= limits[i] + 4; count++) {
         refused += !add_many_words(job, reg, count);
         submit(job);
      }
   }
   CHECK(refused);
   /* Barriers up to the last one that fits, with a gather of one word before each. */
   unsigned last = 0;
   for (unsigned count = 1; !last; count += count < 70 ? 23 : 1) {
      for (unsigned i = 0; i < count && !last; i++) {
         if (!add_words(job, reg, 1) || !tegra20_job_barrier(job))
            last = i;
      }
      submit(job);
   }
   printf("%u barriers fit\n", last);
   CHECK(last > 70);
   tegra20_job_destroy(job);
}

static void
lengths(void)
{
   lengths_of(TEGRA20_ENGINE_3D, REG_GR3D);
   lengths_of(TEGRA20_ENGINE_2D, REG_GR2D);
   printf("%u jobs ran, %u were lost\n", ran, lost);
}

static void
hang(unsigned times)
{
   struct tegra20_job *job = tegra20_job_create(ws, TEGRA20_ENGINE_3D);
   CHECK(job);
   for (unsigned i = 0; i < times; i++) {
      /* a draw without a vertex program: never comes to its end */
      uint32_t *words = tegra20_job_begin(job, 5, 0);
      words[0] = host1x_incr(REG_VP_ATTRIBUTES, 1);
      words[1] = 0;
      words[2] = host1x_incr(REG_DRAW, 2);
      words[3] = 4 << 24; /* triangles */
      words[4] = 2 << 20; /* three vertices */
      tegra20_job_end(job, words + 5);
      submit(job);
      CHECK(lost == i + 1);
      for (unsigned n = 0; n < 20; n++) {
         CHECK(add_words(job, REG_GR3D, 4));
         submit(job);
         if (lost != i + 1) {
            printf("job %u after the one that hung was lost\n", n);
            exit(1);
         }
      }
   }
   tegra20_job_destroy(job);
   printf("%u jobs ran, %u were lost\n", ran, lost);
   exit(lost != times);
}

int
main(int argc, char **argv)
{
   int fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
   CHECK(fd >= 0 && (ws = tegra20_winsys_create(fd)));
   if (argc >= 2 && !strcmp(argv[1], "lengths"))
      lengths();
   else if (argc >= 2 && !strcmp(argv[1], "hang"))
      hang(argc > 2 ? strtoul(argv[2], NULL, 10) : 1);
   else
      return 2;
   tegra20_winsys_unref(ws);
   close(fd);
   return lost != 0;
}
