/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What the winsys does when the kernel says no.  The shim reads its options when a process starts, so each test is this
 * program again with the environment of its row.
 */

#include <errno.h>
#include <sys/wait.h>
#include <time.h>

#include "unit.h"
#include "../../common/exec_self.h"
#include "processes.h"

#define MAX_OUTPUT 65536

/* --- inside the process of a test ------------------------------------------------------------------------------------ */

static const struct row {
   const char *name;
   void (*function)(void);
   const char *environment[4]; /* NAME=VALUE */
   const char *message;        /* must be on stderr; NULL: none from the winsys may be there */
   int expected;               /* an error, or the chip */
   uint32_t words[3];          /* a stream */
   unsigned count, reloc;      /* of words, and which gets a relocation (0: none) */
} *row;                        /* the one that runs */
static struct tegra20_winsys *ws;
static struct tegra20_job *job, *second;
static struct tegra20_bo *bo, *other;

/* What most need: jobs and buffers. */
static void
begin(void)
{
   ws = open_device();
   job = tegra20_job_create(ws, TEGRA20_ENGINE_3D);
   second = tegra20_job_create(ws, TEGRA20_ENGINE_3D);
   bo = tegra20_bo_create(ws, 4096, 0);
   other = tegra20_bo_create(ws, 4096, 0);
}

static void
end(void)
{
   tegra20_bo_unref(bo);
   tegra20_bo_unref(other);
   tegra20_job_destroy(job);
   tegra20_job_destroy(second);
   tegra20_winsys_unref(ws);
}

static void
use(struct tegra20_job *job, struct tegra20_bo *bo)
{
   uint32_t *p = tegra20_job_begin(job, 2, 1);
   CHECK(p);
   *p++ = host1x_incr(0xe00, 1);
   tegra20_job_reloc(job, p++, bo, 0, TEGRA20_WRITE);
   tegra20_job_end(job, p);
}

static void
use_and_submit(struct tegra20_job *job, struct tegra20_bo *bo)
{
   use(job, bo);
   CHECK(tegra20_job_submit(job, NULL) == 0);
}

static void
cannot_open(void)
{
   CHECK(!open_device());
}

static void
can_open(void)
{
   CHECK(open_device());
}

static void
opens_chip(void)
{
   struct tegra20_winsys *ws = open_device();
   CHECK(ws && tegra20_winsys_chip(ws)->id == row->expected);
}

/* 4 MiB of memory: what is cached must not stand in the way of what is wanted. */
static void
memory_runs_out(void)
{
   struct tegra20_winsys *ws = open_device();
   struct tegra20_bo *bos[8];
   for (unsigned i = 0; i < 4; i++)
      CHECK((bos[i] = tegra20_bo_create(ws, 1 << 20, 0)));
   CHECK(!tegra20_bo_create(ws, 4096, 0));
   for (unsigned i = 0; i < 4; i++)
      tegra20_bo_unref(bos[i]);
   CHECK((bos[0] = tegra20_bo_create(ws, 3 << 20, 0)));
   CHECK(!tegra20_bo_create(ws, 2 << 20, 0));
   CHECK((bos[1] = tegra20_bo_create(ws, 1 << 20, 0)));
   tegra20_bo_unref(bos[0]);
   tegra20_bo_unref(bos[1]);
   tegra20_winsys_unref(ws);
}

/* Half of 8 MiB is free, in pieces of one. */
static void
memory_in_pieces(void)
{
   struct tegra20_winsys *ws = open_device();
   struct tegra20_bo *bos[8];
   for (unsigned i = 0; i < 8; i++)
      CHECK((bos[i] = tegra20_bo_create(ws, 1 << 20, TEGRA20_BO_SHARED)));
   for (unsigned i = 0; i < 8; i += 2)
      tegra20_bo_unref(bos[i]);
   CHECK(!tegra20_bo_create(ws, 2 << 20, TEGRA20_BO_SHARED));
   CHECK((bos[0] = tegra20_bo_create(ws, 1 << 20, TEGRA20_BO_SHARED)));
   tegra20_bo_unref(bos[0]);
   tegra20_bo_unref(bos[1]);
   CHECK((bos[1] = tegra20_bo_create(ws, 2 << 20, TEGRA20_BO_SHARED)));
   for (unsigned i = 1; i < 8; i += 2)
      tegra20_bo_unref(bos[i]);
   tegra20_winsys_unref(ws);
}

/* The same while a late job still holds the memory. */
static void
memory_in_flight(void)
{
   struct tegra20_winsys *ws = open_device();
   struct tegra20_job *job = tegra20_job_create(ws, TEGRA20_ENGINE_3D);
   for (unsigned i = 0; i < 5; i++) {
      struct tegra20_bo *bo = tegra20_bo_create(ws, 3 << 20, i % 2 ? TEGRA20_BO_SHARED : 0);
      CHECK(bo);
      use_and_submit(job, bo);
      tegra20_bo_unref(bo);
   }
   tegra20_job_destroy(job);
   tegra20_winsys_unref(ws);
}

/* The first attempt fails, the second succeeds. */
static void
create_and_map(void)
{
   struct tegra20_winsys *ws = open_device();
   struct tegra20_bo *bo = tegra20_bo_create(ws, 4096, 0);
   CHECK(bo && tegra20_bo_map(bo));
   tegra20_bo_unref(bo);
   tegra20_winsys_unref(ws);
}

/* Both fail; the buffer that comes later is whole. */
static void
create_fails(void)
{
   struct tegra20_winsys *ws = open_device();
   struct tegra20_winsys_stats stats;
   CHECK(!tegra20_bo_create(ws, 4096, 0));
   tegra20_winsys_get_stats(ws, &stats);
   CHECK(stats.bytes_allocated == 0);
   tegra20_winsys_unref(ws);
   create_and_map();
}

/* The second submission fails with the error of the row; the first and third succeed. */
static void
submit_fails(void)
{
   struct tegra20_fence *fence;
   begin();
   for (unsigned i = 0; i < 3; i++) {
      use(job, bo);
      int ret = tegra20_job_submit(job, &fence);
      CHECK(ret == (i == 1 ? row->expected : 0));
      CHECK(tegra20_job_empty(job));
      CHECK(!!fence == !ret);
      tegra20_fence_unref(fence);
   }
   /* That something is missing in the buffer is told once. */
   CHECK(tegra20_bo_wait(bo, TEGRA20_READ, FOREVER) == (row->expected ? -EIO : 0));
   CHECK(tegra20_bo_wait(bo, TEGRA20_WRITE, FOREVER) == 0);
   end();
}

/* The first job is refused; what the second makes from its result is as good as lost. */
static void
loss_spreads(void)
{
   begin();
   use(job, bo);
   CHECK(tegra20_job_submit(job, NULL) == -EINVAL);
   use(job, other);
   uint32_t *p = tegra20_job_begin(job, 2, 1);
   *p++ = host1x_incr(0xe01, 1);
   tegra20_job_reloc(job, p++, bo, 0, TEGRA20_READ);
   tegra20_job_end(job, p);
   CHECK(tegra20_job_submit(job, NULL) == 0);
   CHECK(tegra20_bo_wait(other, TEGRA20_READ, FOREVER) == -EIO);
   CHECK(tegra20_bo_wait(other, TEGRA20_READ, FOREVER) == 0);
   end();
}

static void
wait_fails(void)
{
   begin();
   use_and_submit(job, bo);
   tegra20_bo_wait(bo, TEGRA20_WRITE, FOREVER); /* must end, nothing else can be promised */
   end();
}

/* From the second submission on the kernel answers ENODEV or EBADF to everything; the row says which. */
static void
device_goes(void)
{
   begin();
   use_and_submit(job, bo);
   CHECK(tegra20_bo_wait(bo, TEGRA20_WRITE, FOREVER) == 0);
   for (unsigned i = 0; i < 3; i++) {
      use(job, bo);
      int ret = tegra20_job_submit(job, NULL);
      CHECK(ret == -ENODEV || ret == -EBADF);
      CHECK(tegra20_job_reset_status(job) == TEGRA20_RESET_UNKNOWN);
      CHECK(tegra20_job_reset_status(job) == TEGRA20_NO_RESET);
      tegra20_bo_wait(bo, TEGRA20_WRITE, FOREVER); /* ends */
      CHECK(!tegra20_bo_create(ws, 1 << 20, 0));
   }
   end();
}

/* The second job times out. */
static void
reset(void)
{
   struct tegra20_fence *fence;

   begin();
   use_and_submit(second, other);
   use(job, bo);
   CHECK(tegra20_job_submit(job, &fence) == 0);
   CHECK(tegra20_job_reset_status(job) == TEGRA20_NO_RESET);
   CHECK(tegra20_fence_wait(fence, FOREVER)); /* ends though the sync point never gets there */
   CHECK(tegra20_bo_wait(bo, TEGRA20_READ, FOREVER) == -EIO);
   CHECK(tegra20_bo_wait(other, TEGRA20_READ, FOREVER) == 0);
   CHECK(tegra20_job_reset_status(job) == TEGRA20_RESET_GUILTY);
   CHECK(tegra20_job_reset_status(job) == TEGRA20_NO_RESET);
   CHECK(tegra20_job_reset_status(second) == TEGRA20_NO_RESET);
   tegra20_fence_unref(fence);

   /* Everything works again. */
   use_and_submit(second, bo);
   use(job, bo);
   CHECK(tegra20_job_submit(job, &fence) == 0);
   CHECK(tegra20_fence_wait(fence, FOREVER));
   CHECK(tegra20_bo_wait(bo, TEGRA20_WRITE, FOREVER) == 0);
   tegra20_fence_unref(fence);
   end();
}

/* Nobody waits: the next submission learns of it. */
static void
reset_at_submit(void)
{
   begin();
   for (unsigned i = 0; i < 4; i++)
      use_and_submit(job, bo); /* the third goes to another sync point */
   CHECK(tegra20_job_reset_status(job) == TEGRA20_RESET_GUILTY);
   CHECK(tegra20_bo_wait(bo, TEGRA20_WRITE, FOREVER) == -EIO);
   CHECK(tegra20_bo_wait(bo, TEGRA20_WRITE, FOREVER) == 0);
   end();
}

/* All job objects share one sync point (the others cannot be had): who did not cause the loss is innocent. */
static void
reset_shared_syncpt(void)
{
   begin();
   use_and_submit(job, bo);
   use_and_submit(second, bo);
   CHECK(tegra20_bo_wait(bo, TEGRA20_WRITE, FOREVER) == -EIO);
   CHECK(tegra20_job_reset_status(second) == TEGRA20_RESET_GUILTY);
   CHECK(tegra20_job_reset_status(job) == TEGRA20_RESET_INNOCENT);
   end();
}

/* The same with the jobs of both in the queue when the first one hangs: what is behind it is dropped by the kernel. */
static void
reset_behind(void)
{
   begin();
   struct tegra20_job *unborn = tegra20_job_create(ws, TEGRA20_ENGINE_3D);
   for (unsigned i = 0; i < 3; i++)
      use_and_submit(job, bo); /* the second one hangs */
   use_and_submit(second, other);
   use_and_submit(unborn, other);
   tegra20_job_destroy(unborn);
   CHECK(tegra20_bo_wait(other, TEGRA20_WRITE, FOREVER) == -EIO);
   CHECK(tegra20_job_reset_status(second) == TEGRA20_RESET_INNOCENT);
   CHECK(tegra20_job_reset_status(job) == TEGRA20_RESET_GUILTY);
   CHECK(tegra20_job_reset_status(second) == TEGRA20_NO_RESET);
   CHECK(tegra20_job_reset_status(job) == TEGRA20_NO_RESET);
   use_and_submit(second, other);
   CHECK(tegra20_bo_wait(other, TEGRA20_WRITE, FOREVER) == 0);
   end();
}

static void
fence_is_late(void)
{
   struct tegra20_fence *fence;
   begin();
   use(job, bo);
   CHECK(tegra20_job_submit(job, &fence) == 0);
   CHECK(!tegra20_fence_wait(fence, 0));
   CHECK(tegra20_bo_busy(bo, TEGRA20_READ));
   CHECK(tegra20_bo_wait(bo, TEGRA20_READ, 0) == -ETIMEDOUT);
   int fd = tegra20_fence_export_fd(fence);
   CHECK(fd >= 0);
   struct tegra20_fence *file = tegra20_fence_import_fd(ws, fd);
   CHECK(!tegra20_fence_wait(file, 0));
   CHECK(tegra20_fence_wait(fence, FOREVER));
   CHECK(!tegra20_bo_busy(bo, TEGRA20_WRITE));
   CHECK(tegra20_fence_wait(file, FOREVER));
   /* A busy buffer is not taken from the cache. */
   use_and_submit(job, bo);
   tegra20_bo_unref(bo);
   struct tegra20_bo *next = tegra20_bo_create(ws, 4096, 0);
   CHECK(next != bo);
   tegra20_bo_unref(next);
   tegra20_fence_unref(fence);
   tegra20_fence_unref(file);
   close(fd);
   bo = NULL;
   end();
}

/* Submits jobs of some words without ever waiting; the most that are in the queue, as the fences tell. */
static unsigned
most_in_flight(unsigned count, unsigned words, uint64_t clocks)
{
   enum { MAX = 2000 };
   static struct tegra20_fence *fences[MAX];
   struct tegra20_winsys *ws = open_device();
   struct tegra20_job *job = tegra20_job_create(ws, TEGRA20_ENGINE_3D);
   unsigned most = 0, oldest = 0;
   CHECK(count <= MAX);
   for (unsigned i = 0; i < count; i++) {
      for (unsigned left = words; left;) {
         unsigned n = left < 16000 ? left : 16000;
         uint32_t *p = tegra20_job_begin(job, n, 0);
         CHECK(p);
         for (unsigned j = 0; j < n; j++)
            *p++ = host1x_imm(0x208, 0);
         tegra20_job_end(job, p);
         left -= n;
      }
      tegra20_job_expect(job, clocks);
      CHECK(tegra20_job_submit(job, &fences[i]) == 0);
      while (oldest < i && tegra20_fence_wait(fences[oldest], 0))
         oldest++;
      most = i + 1 - oldest > most ? i + 1 - oldest : most;
   }
   for (unsigned i = 0; i < count; i++)
      tegra20_fence_unref(fences[i]);
   tegra20_job_destroy(job);
   tegra20_winsys_unref(ws);
   return most;
}

/* Executed late, when somebody waits: many jobs are in flight, but not any number. */
static void
queue_is_bounded(void)
{
   /* six slots each of the push buffer's 510 (kernel-review.md 1): two gathers, a wait, two of the kernel */
   CHECK(most_in_flight(2000, 10, 0) == 510 / 7);
   /* 33 slots of 2,048 words each */
   CHECK(most_in_flight(40, 65537, 0) == 15);
   /* no more than 150,000,000 clocks, half a second, but for a single job */
   CHECK(most_in_flight(40, 10, 50000000) == 3);
   CHECK(most_in_flight(40, 10, 50000001) == 2);
   CHECK(most_in_flight(10, 10, 1000000000) == 1);
}

/* --- validator ------------------------------------------------------------------------------------------------------- */

/* Streams that the validator refuses before the kernel sees them. */
static void
refused(void)
{
   begin();
   uint32_t *p = tegra20_job_begin(job, row->count, 1);
   memcpy(p, row->words, row->count * sizeof(*p));
   if (row->reloc)
      tegra20_job_reloc(job, p + row->reloc, bo, row->reloc == 2 ? 4096 : 0, TEGRA20_WRITE);
   tegra20_job_end(job, p + row->count);
   CHECK(tegra20_job_submit(job, NULL) == -EINVAL);
   use_and_submit(job, bo);
   end();
}

/* --- the table ------------------------------------------------------------------------------------------------------- */

static const struct row rows[] = {
   {"Tegra20", can_open, {NULL}, NULL},
   {"Tegra30", opens_chip, {"TEGRA20_SHIM_CHIP=tegra30"}, NULL, TEGRA20_CHIP_TEGRA30},
   {"Tegra114", opens_chip, {"TEGRA20_SHIM_CHIP=tegra114"}, NULL, TEGRA20_CHIP_TEGRA114},
   {"Tegra124", cannot_open, {"TEGRA20_SHIM_CHIP=tegra124"}, NULL},
   {"before Linux 5.16", cannot_open, {"TEGRA20_SHIM_OLD=1"}, "this kernel is too old for rendering: use Linux 5.16 or later"},
   {"Tegra30, grate", opens_chip, {"TEGRA20_SHIM_CHIP=tegra30", "TEGRA20_SHIM_GRATE=1"}, NULL, TEGRA20_CHIP_TEGRA30},
   {"Tegra114, grate", opens_chip, {"TEGRA20_SHIM_CHIP=tegra114", "TEGRA20_SHIM_GRATE=1"}, NULL, TEGRA20_CHIP_TEGRA114},
   {"Tegra124, grate", cannot_open, {"TEGRA20_SHIM_CHIP=tegra124", "TEGRA20_SHIM_GRATE=1"}, NULL},
   {"kernel without staging", cannot_open, {"TEGRA20_SHIM_NO_STAGING=1"}, "the kernel's tegra driver offers no rendering"},
   {"no free channel", cannot_open, {"TEGRA20_SHIM_FAIL=CHANNEL_OPEN:1:EBUSY"}, "no free channel"},
   {"no power", cannot_open, {"TEGRA20_SHIM_FAIL=CHANNEL_SUBMIT:1+:EACCES"}, "cannot power up GR3D"},
   {"no power for 2D", cannot_open, {"TEGRA20_SHIM_FAIL=CHANNEL_SUBMIT:2+:EACCES"}, "cannot power up GR2D"},
   {"no power: kernels that work", cannot_open, {"TEGRA20_SHIM_FAIL=CHANNEL_SUBMIT:1+:EACCES"}, "use Linux 6.1, or 6.12.97 or later"},
   {"engine refuses jobs", cannot_open, {"TEGRA20_SHIM_FAIL=CHANNEL_SUBMIT:1+:EIO"}, "the kernel runs no jobs on GR3D"},
   {"engine does not answer", cannot_open, {"TEGRA20_SHIM_HANG=1"}, "GR3D does not answer"},
   {"2D engine does not answer", cannot_open, {"TEGRA20_SHIM_HANG=2"}, "GR2D does not answer"},
   {"no memory for the first job, once", can_open, {"TEGRA20_SHIM_FAIL=CHANNEL_SUBMIT:1:ENOMEM"}, NULL},
   {"no permission", cannot_open, {"TEGRA20_SHIM_FAIL=CHANNEL_OPEN:1:EACCES"}, "be a member of its group"},
   {"no device any more", cannot_open, {"TEGRA20_SHIM_FAIL=*:1+:ENODEV"}, "the graphics device is gone"},
   {"closed", cannot_open, {"TEGRA20_SHIM_FAIL=*:1+:EBADF"}, "the file descriptor of the graphics device was closed"},
   {"device is removed", device_goes, {"TEGRA20_SHIM_FAIL=CHANNEL_SUBMIT:4+:ENODEV,GEM_CREATE:3+:ENODEV,GEM_CLOSE:1+:ENODEV,"
    "SYNCPOINT_WAIT:4+:ENODEV"}, "the graphics device is gone"},
   {"descriptor is closed", device_goes, {"TEGRA20_SHIM_FAIL=CHANNEL_SUBMIT:4+:EBADF,GEM_CREATE:3+:EBADF,GEM_CLOSE:1+:EBADF,"
    "SYNCPOINT_WAIT:4+:EBADF"}, "the file descriptor of the graphics device was closed"},
   {"no 2D channel", cannot_open, {"TEGRA20_SHIM_FAIL=CHANNEL_OPEN:2:ENOMEM"}, "cannot open a GR2D channel"},
   {"allocation fails once", create_and_map, {"TEGRA20_SHIM_FAIL=GEM_CREATE:1:ENOMEM"}, NULL},
   {"memory runs out", memory_runs_out, {"TEGRA20_SHIM_MEMORY=4"}, "contiguous memory is used up"},
   {"memory in pieces", memory_in_pieces, {"TEGRA20_SHIM_MEMORY=8"}, "contiguous memory is used up"},
   {"memory in flight", memory_in_flight, {"TEGRA20_SHIM_MEMORY=4", "TEGRA20_SHIM_ASYNC=100"}, NULL},
   {"mmap fails once", create_and_map, {"TEGRA20_SHIM_FAIL=MMAP:1:ENOMEM"}, NULL},
   {"mmap fails", create_fails, {"TEGRA20_SHIM_FAIL=MMAP:1:EIO,MMAP:2:EIO"}, "cannot allocate a buffer"},
   {"map offset fails", create_fails, {"TEGRA20_SHIM_FAIL=GEM_MMAP:1:EIO,GEM_MMAP:2:EIO"}, "cannot allocate a buffer"},
   {"mapping for an engine fails once", create_and_map, {"TEGRA20_SHIM_FAIL=CHANNEL_MAP:2:ENOMEM"}, NULL},
   {"mapping for an engine fails", create_fails, {"TEGRA20_SHIM_FAIL=CHANNEL_MAP:1:EIO,CHANNEL_MAP:2:EIO"},
    "cannot allocate a buffer"},
   {"submission refused", submit_fails, {"TEGRA20_SHIM_FAIL=CHANNEL_SUBMIT:4:EINVAL"}, "the kernel refused a job", -EINVAL},
   {"no memory for a stream", submit_fails,
    {"TEGRA20_SHIM_FAIL=CHANNEL_SUBMIT:4:ENOMEM,CHANNEL_SUBMIT:5:ENOMEM"}, "the kernel refused a job", -ENOMEM},
   {"no memory for a stream, once", submit_fails, {"TEGRA20_SHIM_FAIL=CHANNEL_SUBMIT:4:ENOMEM"}, NULL},
   {"interrupted submissions", submit_fails, {"TEGRA20_SHIM_FAIL=CHANNEL_SUBMIT:%2:EINTR"}, NULL},
   {"loss spreads", loss_spreads, {"TEGRA20_SHIM_FAIL=CHANNEL_SUBMIT:3:EINVAL"}, "the kernel refused a job"},
   {"wait fails", wait_fails, {"TEGRA20_SHIM_FAIL=SYNCPOINT_WAIT:1+:EIO"}, "waiting for a sync point failed"},
   {"time-out, seen by a wait", reset, {"TEGRA20_SHIM_HANG=4"}, "cancelled a job"},
   {"time-out, seen by a wait, asynchronous", reset, {"TEGRA20_SHIM_HANG=4", "TEGRA20_SHIM_ASYNC=5"}, "cancelled a job"},
   {"slow time-out", reset, {"TEGRA20_SHIM_HANG=4", "TEGRA20_SHIM_ASYNC=5", "TEGRA20_SHIM_TIMEOUT=1500"}, "cancelled a job"},
   {"time-out, seen by a submission", reset_at_submit, {"TEGRA20_SHIM_HANG=4"}, "cancelled a job"},
   {"time-out of a shared sync point", reset_shared_syncpt,
    {"TEGRA20_SHIM_HANG=4", "TEGRA20_SHIM_FAIL=SYNCPOINT_ALLOCATE:3:EBUSY"}, "cancelled a job"},
   {"time-out of a shared sync point, others queued behind", reset_behind,
    {"TEGRA20_SHIM_HANG=4", "TEGRA20_SHIM_ASYNC=300", "TEGRA20_SHIM_FAIL=SYNCPOINT_ALLOCATE:3:EBUSY,SYNCPOINT_ALLOCATE:4:EBUSY"},
    "cancelled a job"},
#define INCR(reg, n) (1u << 28 | (reg) << 16 | (n))
#define REFUSED refused, {"TEGRA20_DEBUG=validate"}
   {"validator: address without relocation", REFUSED, "an address register without a relocation", 0,
    {INCR(0xe00, 1), 0x01000000}, 2, 0},
   {"validator: relocation without address", REFUSED, "a register that takes no address", 0, {INCR(0x208, 1)}, 2, 1},
   {"validator: address behind the end", REFUSED, "behind the end of its buffer", 0, {INCR(0x120, 2)}, 3, 2},
   {"validator: immediate address", REFUSED, "an immediate value for an address register", 0, {4u << 28 | 0xe00 << 16 | 16}, 1, 0},
   {"validator: cut packet", REFUSED, "a packet does not end in its gather", 0, {INCR(0x208, 5)}, 2, 0},
   {"validator: a mask", REFUSED, "an address register without a relocation", 0, {0xe00 << 16 | 0x60 << 6 | 1, 16}, 2, 0},
   {"validator: foreign class", REFUSED, "a class of another engine", 0, {0x51 << 6}, 1, 0},
   /* the first sync point of a process is 5 */
   {"validator: extra increment", REFUSED, "a wrong number of sync point increments", 0, {INCR(0, 1), 0x105}, 2, 0},
   {"queue is bounded", queue_is_bounded, {"TEGRA20_SHIM_ASYNC=60000"}, NULL},
   {"late fence", fence_is_late, {"TEGRA20_SHIM_ASYNC=300"}, NULL},
};

static void
run_row(void **state)
{
   row = *state;
   int ends[2];
   assert_int_equal(pipe(ends), 0);
   pid_t child = fork();
   if (child == 0) {
      for (unsigned i = 0; i < 4 && row->environment[i]; i++)
         putenv((char *)row->environment[i]);
      dup2(ends[1], 2);
      exec_self((char *[]){(char *)"test_faults", (char *)row->name, NULL});
      _exit(99);
   }
   close(ends[1]);
   static char output[MAX_OUTPUT];
   size_t n = 0;
   ssize_t got;
   while ((got = read(ends[0], output + n, MAX_OUTPUT - 1 - n)) > 0)
      n += got;
   output[n] = 0;
   close(ends[0]);
   int status;
   waitpid(child, &status, 0);
   if (status != 0)
      fail_msg("status 0x%x, said: %s", status, output);
   if (row->message && !strstr(output, row->message))
      fail_msg("\"%s\" expected, said: %s", row->message, output);
   const char *said = strstr(output, "tegra20: ");
   if (!row->message && said)
      fail_msg("nothing expected, said: %s", output);
   /* Each message appears once. */
   if (said && row->message && strstr(strstr(output, row->message) + 1, row->message))
      fail_msg("said twice: %s", output);
}

int
main(int argc, char **argv)
{
   if (argc == 2) {
      for (unsigned i = 0; i < COUNT(rows); i++) {
         if (!strcmp(rows[i].name, argv[1])) {
            row = &rows[i];
            row->function();
            return 0;
         }
      }
      return 98;
   }
   struct CMUnitTest tests[COUNT(rows)];
   for (unsigned i = 0; i < COUNT(rows); i++)
      tests[i] = (struct CMUnitTest){rows[i].name, run_row, NULL, NULL, (void *)&rows[i]};
   return _cmocka_run_group_tests("faults", tests, COUNT(rows), NULL, NULL);
}
