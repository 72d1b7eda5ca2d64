/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * How long an engine rests after a lost job (kernel-review.md 8), by what the kernel says of its power.  The clock and the
 * kernel's file are the test's.
 */

#include <fcntl.h>
#include <unistd.h>

#include "unit.h"
#include "util/os_time.h"

#include "tegra20_ws_internal.h"

static struct {
   int64_t time;           /* ns */
   const char *now, *then; /* NULL: no file */
   int64_t change;         /* ns: from now to then */
   const char *path;
} kernel;

static const char *
status(void)
{
   return kernel.time < kernel.change ? kernel.now : kernel.then;
}

static int
kernel_open(const char *path, int flags)
{
   kernel.path = path;
   return status() ? 3 : -1;
}

static ssize_t
kernel_read(int fd, void *text, size_t size)
{
   return strlen(strncpy(text, status(), size));
}

static int
kernel_close(int fd)
{
   return 0;
}

static int64_t
kernel_time(void)
{
   return kernel.time;
}

static void
kernel_sleep(int64_t us)
{
   kernel.time += us * 1000;
}

#define open kernel_open
#define read kernel_read
#define close kernel_close
#define os_time_get_nano kernel_time
#define os_time_sleep kernel_sleep
#include "tegra20_ws_reset.c"

/* The kernel switches an engine off half a second after its last job; where it does not say so, 0.8 s must do, and one that others
 * keep on is taken as it is after a minute. */
static const struct {
   const char *name, *now, *then;
   int64_t change, end; /* ms */
} rests[] = {
   {"off already", NULL, "suspended\n", 0, 0},
   {"off later", "active\n", "suspended\n", 1000, 1000},
   {"about to be off", "suspending\n", "suspended\n", 500, 500},
   {"kept on", NULL, "active\n", 0, 60000},
   {"no power management", NULL, "unsupported\n", 0, 800},
   {"no file", NULL, NULL, 0, 800},
   {"nothing in it", NULL, "", 0, 800},
};

TEST_ROWS(rest, rests)
{
   struct tegra20_winsys ws = {.waits_for_reset = true};
   kernel.time = 1000000;
   kernel.now = c->now;
   kernel.then = c->then;
   kernel.change = c->change * 1000000 + kernel.time;
   ws_reset_begin(&ws, TEGRA20_ENGINE_2D);
   ws_reset_wait(&ws, TEGRA20_ENGINE_3D); /* that one was not lost */
   assert_true(kernel.time == 1000000);
   ws_reset_wait(&ws, TEGRA20_ENGINE_2D);
   assert_int_equal(kernel.time - 1000000, c->end * 1000000);
   assert_string_equal(kernel.path, "/sys/bus/platform/devices/54140000.gr2d/power/runtime_status");
   ws_reset_wait(&ws, TEGRA20_ENGINE_2D); /* it has waited */
   assert_int_equal(kernel.time - 1000000, c->end * 1000000);
}

/* A kernel that resets the engine itself. */
TEST(no_rest)
{
   struct tegra20_winsys ws = {.waits_for_reset = false};
   kernel.time = 1000000;
   kernel.then = "active\n";
   ws_reset_begin(&ws, TEGRA20_ENGINE_3D);
   ws_reset_wait(&ws, TEGRA20_ENGINE_3D);
   assert_true(kernel.time == 1000000);
}
