/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Counters shared with tegra20-run, see report.h.
 */

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/u_atomic.h"

#include "report.h"
#include "shim.h"
#include "sim_diag.h"

/* As tegra20-run's. */
#define STATUS_STRICT 3

static struct shim_report *report;

static_assert(sizeof(struct sim_stats) <=
                 sizeof(((struct shim_report *)0)->stats),
              "counters fit the page");

/* Returns NULL when there is none; *missing when there should be one. */
static struct shim_report *
map_report(bool *missing)
{
   const char *path = getenv("TEGRA20_SHIM_REPORT");
   *missing = false;
   if (!path || !*path)
      return NULL;
   int fd = open(path, O_RDWR | O_CLOEXEC);
   *missing = fd < 0;
   if (fd < 0)
      return NULL;
   struct shim_report *map =
      mmap(NULL, sizeof(*map), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
   close(fd);
   if (map == MAP_FAILED)
      return NULL;
   if (map->magic != SHIM_REPORT_MAGIC) {
      munmap(map, sizeof(*map));
      return NULL;
   }
   return map;
}

/* With the first ioctl, so that a process that submits nothing counts too. */
void
shim_report_init(void)
{
   static int done;
   bool missing;
   if (report || p_atomic_xchg(&done, 1))
      return;
   report = map_report(&missing);
   if (missing)
      fprintf(stderr, "tegra20-shim: cannot open TEGRA20_SHIM_REPORT=%s\n",
              getenv("TEGRA20_SHIM_REPORT"));
   if (report)
      p_atomic_inc(&report->processes);
}

void
shim_report_serve(void)
{
   bool missing;
   report = map_report(&missing);
}

/* --- what is loaded --- */

void
shim_report_start(void)
{
   bool missing;
   struct shim_report *map = map_report(&missing);
   if (!map)
      return;
   p_atomic_inc(&map->loaded);
   munmap(map, sizeof(*map));
}

static int
find_drivers(struct dl_phdr_info *info, size_t size, void *data)
{
   const char *slash = strrchr(info->dlpi_name, '/');
   if (!slash || strncmp(slash, "/libgallium-", strlen("/libgallium-")))
      return 0;
   *(const char **)data = info->dlpi_name;
   return 1;
}

void
shim_report_libraries(void)
{
   static int done;
   const char *library = NULL;
   bool missing;
   if (p_atomic_read(&done) || !dl_iterate_phdr(find_drivers, &library) ||
       p_atomic_xchg(&done, 1))
      return;
   struct shim_report *map = map_report(&missing);
   if (!map)
      return;
   if (!p_atomic_xchg(&map->has_library, 1)) {
      snprintf(map->program, sizeof(map->program), "%s",
               program_invocation_short_name);
      snprintf(map->library, sizeof(map->library), "%s", library);
      if (!shim_report_is_plugin(map, library))
         fprintf(stderr,
                 "tegra20-shim: not the chip, but another renderer draws in "
                 "%s: it has loaded %s, for which this driver was not "
                 "built\n",
                 map->program, library);
   }
   munmap(map, sizeof(*map));
}

static unsigned num_diags; /* of this process */

/* A program whose use of the chip was not clean fails, even when it is
 * content itself. */
static void
on_process_exit(int status, void *data)
{
   shim_drain();
   if (!shim.options.strict || !p_atomic_read(&num_diags))
      return;
   fprintf(stderr, "tegra20-sim: strict: %u diagnostics in process %d\n",
           num_diags, (int)getpid());
   if (status == 0) {
      fflush(NULL);
      _exit(STATUS_STRICT);
   }
}

static void
after_fork(void)
{
   num_diags = 0;
}

void
shim_report_at_exit(void)
{
   pthread_atfork(NULL, NULL, after_fork);
   on_exit(on_process_exit, NULL);
}

void
shim_report_end(void)
{
   report = NULL;
}

void
shim_report_diag(unsigned number, const char *text)
{
   if (shim_serve_diag(number, text))
      return;
   /* The first of each number and process is shown when it happens. */
   const bool note = shim.options.proven && sim_diag_is_note(number);
   if (!note)
      p_atomic_inc(&num_diags);
   static uint8_t seen[SHIM_REPORT_NUMBERS];
   if (number >= SHIM_REPORT_NUMBERS)
      number = 0;
   if (!seen[number]) {
      seen[number] = 1;
      fprintf(stderr, "tegra20-sim: %s[%u] %s\n", note ? "note " : "", number,
              text);
   }
   if (!report)
      return;
   struct shim_report_diag *diag = &report->diags[number];
   if (!p_atomic_xchg(&diag->has_text, 1))
      snprintf(diag->text, sizeof(diag->text), "%s", text);
   p_atomic_inc(&diag->count);
}

void
shim_report_stats(const struct sim_stats *delta)
{
   if (shim_serve_stats(delta) || !report)
      return;
   const uint64_t *values = (const uint64_t *)delta;
   for (unsigned i = 0; i < sizeof(*delta) / sizeof(uint64_t); i++)
      p_atomic_add(&report->stats[i], values[i]);
}

static void
raise_to(uint64_t *most, uint64_t value)
{
   uint64_t now = p_atomic_read(most);
   while (value > now) {
      uint64_t old = p_atomic_cmpxchg(most, now, value);
      if (old == now)
         break;
      now = old;
   }
}

void
shim_report_memory(uint64_t bytes)
{
   if (report)
      raise_to(&report->peak_memory, bytes);
}

void
shim_report_latency(uint64_t clocks)
{
   if (report)
      raise_to(&report->latency, clocks);
}

void
shim_report_ioctl(void)
{
   shim_report_init();
   if (report)
      p_atomic_inc(&report->ioctls);
}

void
shim_report_channel(void)
{
   if (report &&
       (shim.options.videocore || shim.options.adreno || shim.options.chip))
      p_atomic_inc(&report->channels);
}

void
shim_report_wait(void)
{
   if (report)
      p_atomic_inc(&report->waits);
}

static int drawn; /* a job since the last frame's end (p_atomic) */

void
shim_report_job(void)
{
   p_atomic_set(&drawn, 1);
}

__attribute__((visibility("default"))) void
shim_report_frame(void)
{
   if (p_atomic_xchg(&drawn, 0) && report)
      p_atomic_inc(&report->frames);
}
