/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The winsys on the simulated kernel: this program is run with the shim preloaded and uses the winsys as the driver does.
 */

#include <errno.h>
#include <pthread.h>
#include <xf86drm.h>

#include "unit.h"
#include "processes.h"

#define REG_SURFACE0 0xe00
#define REG_GR2D_DST 0x2b

static int fd;
static struct tegra20_winsys *ws;
static struct tegra20_job *job; /* of the 3D engine */
static struct tegra20_bo *bo;   /* of a page */

SETUP
{
   fd = open(NODE, O_RDWR | O_CLOEXEC);
   assert_true(fd >= 0);
   ws = tegra20_winsys_create(fd);
   assert_non_null(ws);
   job = tegra20_job_create(ws, TEGRA20_ENGINE_3D);
   bo = tegra20_bo_create(ws, 4096, 0);
}

TEARDOWN
{
   tegra20_bo_unref(bo);
   tegra20_job_destroy(job);
   tegra20_winsys_unref(ws);
   close(fd);
}

/* One write of an address register: the smallest job that uses a buffer. */
static void
use(struct tegra20_job *job, unsigned reg, struct tegra20_bo *bo, unsigned access)
{
   uint32_t *p = tegra20_job_begin(job, 2, 1);
   assert_non_null(p);
   *p++ = host1x_incr(reg, 1);
   tegra20_job_reloc(job, p++, bo, 0, access);
   tegra20_job_end(job, p);
}

static struct tegra20_winsys_stats
stats(void)
{
   struct tegra20_winsys_stats s;
   tegra20_winsys_get_stats(ws, &s);
   return s;
}

/* --- device -------------------------------------------------------------------------------------------------------- */

TEST(chip)
{
   assert_int_equal(tegra20_winsys_chip(ws)->version, 0x20);
}

static unsigned
count_descriptors(void)
{
   unsigned count = 0;
   for (int i = 0; i < 1 << 16; i++)
      count += fcntl(i, F_GETFD) >= 0;
   return count;
}

/* Neither the winsys nor what takes the kernel's place keeps one. */
TEST(descriptors)
{
   const unsigned before = count_descriptors();
   int other = open(NODE, O_RDWR | O_CLOEXEC);
   struct tegra20_winsys *mine = tegra20_winsys_create(other);
   for (unsigned i = 0; i < 20; i++) {
      struct tegra20_bo *one = tegra20_bo_create(mine, 4096 * (i + 1), 0);
      const int exported = tegra20_bo_export_fd(one);
      assert_true(exported >= 0);
      close(exported);
      tegra20_bo_unref(one);
   }
   tegra20_winsys_unref(mine);
   close(other);
   assert_int_equal(count_descriptors(), before);
}

TEST(one_winsys_per_file)
{
   int copy = dup(fd), other = open(NODE, O_RDWR | O_CLOEXEC);
   struct tegra20_winsys *same = tegra20_winsys_create(copy), *different = tegra20_winsys_create(other);
   assert_ptr_equal(same, ws);
   assert_ptr_not_equal(different, ws);
   tegra20_winsys_unref(same);
   tegra20_winsys_unref(different);
   close(copy);
   close(other);
}

TEST(not_drm)
{
   int fd = open("/dev/null", O_RDWR);
   assert_null(tegra20_winsys_create(fd));
   close(fd);
}

/* --- buffers ------------------------------------------------------------------------------------------------------- */

TEST(bo_is_zero_and_mapped)
{
   struct tegra20_bo *bo = tegra20_bo_create(ws, 5000, TEGRA20_BO_ZERO);
   assert_int_equal(tegra20_bo_size(bo), 8192);
   uint8_t *map = tegra20_bo_map(bo);
   for (unsigned i = 0; i < 8192; i++)
      assert_int_equal(map[i], 0);
   memset(map, 0xa5, 8192);
   assert_ptr_equal(tegra20_bo_map(bo), map);
   tegra20_bo_unref(bo);
   /* From the cache, but zero all the same. */
   bo = tegra20_bo_create(ws, 5000, TEGRA20_BO_ZERO);
   assert_ptr_equal(tegra20_bo_map(bo), map);
   assert_int_equal(((uint8_t *)tegra20_bo_map(bo))[4999], 0);
   tegra20_bo_unref(bo);
}

TEST(bo_size_zero)
{
   assert_null(tegra20_bo_create(ws, 0, 0));
}

TEST(bucket_sizes)
{
   static const struct {
      uint32_t asked, got; /* KiB */
   } cases[] = {{4, 4},     {8, 8},     {12, 12},   {16, 16},   {20, 20},   {32, 32},     {36, 40},       {40, 40},
                {44, 48},   {60, 64},   {64, 64},   {68, 80},   {100, 112}, {1024, 1024}, {1100, 1280},   {1800, 2048},
                {20480, 20480}, {20484, 24576}, {65536, 65536}, {65540, 65540}};
   for (unsigned i = 0; i < COUNT(cases); i++) {
      struct tegra20_bo *bo = tegra20_bo_create(ws, cases[i].asked << 10, 0);
      assert_non_null(bo);
      assert_int_equal(tegra20_bo_size(bo), cases[i].got << 10);
      tegra20_bo_unref(bo);
   }
}

TEST(cache_keeps_and_shared_does_not)
{
   uint64_t cached = stats().bytes_cached;
   struct tegra20_bo *bo = tegra20_bo_create(ws, 65536, 0);
   uint64_t allocated = stats().bytes_allocated;
   tegra20_bo_unref(bo);
   assert_int_equal(stats().bytes_allocated, allocated);
   assert_int_equal(stats().bytes_cached, cached + 65536);
   bo = tegra20_bo_create(ws, 65536, 0);
   assert_int_equal(stats().bytes_cached, cached);
   int fd = tegra20_bo_export_fd(bo);
   assert_true(fd >= 0);
   tegra20_bo_unref(bo);
   assert_int_equal(stats().bytes_cached, cached);
   assert_int_equal(stats().bytes_allocated, allocated - 65536);
   close(fd);
}

TEST(import_own_buffer)
{
   struct tegra20_bo *bo = tegra20_bo_create(ws, 4096, TEGRA20_BO_SHARED);
   int fd = tegra20_bo_export_fd(bo);
   assert_int_equal(lseek(fd, 0, SEEK_END), 4096);
   struct tegra20_bo *again = tegra20_bo_import_fd(ws, fd);
   assert_ptr_equal(again, bo);
   struct tegra20_bo *third = tegra20_bo_import_handle(ws, tegra20_bo_handle(bo), 4096);
   assert_ptr_equal(third, bo);
   assert_null(tegra20_bo_import_handle(ws, 0, 4096));
   assert_null(tegra20_bo_import_handle(ws, tegra20_bo_handle(bo), 0));
   tegra20_bo_unref(third);
   tegra20_bo_unref(again);
   memset(tegra20_bo_map(bo), 1, 4096);
   tegra20_bo_unref(bo);
   /* The dma-buf keeps the contents. */
   bo = tegra20_bo_import_fd(ws, fd);
   assert_int_equal(((uint8_t *)tegra20_bo_map(bo))[4095], 1);
   tegra20_bo_unref(bo);
   close(fd);
}

TEST(import_between_files)
{
   int other_fd = open(NODE, O_RDWR | O_CLOEXEC);
   struct tegra20_winsys *other = tegra20_winsys_create(other_fd);
   struct tegra20_bo *bo = tegra20_bo_create(ws, 12288, TEGRA20_BO_SHARED);
   int fd = tegra20_bo_export_fd(bo);
   struct tegra20_bo *copy = tegra20_bo_import_fd(other, fd);
   assert_ptr_not_equal(copy, bo);
   assert_int_equal(tegra20_bo_size(copy), 12288);
   strcpy(tegra20_bo_map(bo), "shared");
   assert_string_equal(tegra20_bo_map(copy), "shared");
   tegra20_bo_unref(copy);
   tegra20_bo_unref(bo);
   close(fd);
   tegra20_winsys_unref(other);
   close(other_fd);
}

TEST(import_something_else)
{
   int fd = open("/proc/self/exe", O_RDONLY);
   assert_null(tegra20_bo_import_fd(ws, fd));
   close(fd);
   assert_null(tegra20_bo_import_fd(ws, -1));
}

/* --- jobs ---------------------------------------------------------------------------------------------------------- */

TEST(empty_job)
{
   struct tegra20_fence *fence = (void *)1;
   assert_true(tegra20_job_empty(job));
   assert_int_equal(tegra20_job_submit(job, &fence), 0);
   assert_null(fence);
   assert_int_equal(stats().jobs, 0);
}

TEST(submit_and_wait)
{
   struct tegra20_fence *fence, *again;
   use(job, REG_SURFACE0, bo, TEGRA20_WRITE);
   assert_true(tegra20_job_uses(job, bo, TEGRA20_WRITE));
   assert_false(tegra20_job_uses(job, bo, TEGRA20_READ));
   use(job, REG_SURFACE0, bo, TEGRA20_READ); /* a later use does not take the earlier one's place */
   assert_true(tegra20_job_uses(job, bo, TEGRA20_WRITE));
   assert_true(tegra20_job_uses(job, bo, TEGRA20_READ));
   assert_int_equal(tegra20_job_submit(job, &fence), 0);
   assert_true(tegra20_job_empty(job));
   assert_false(tegra20_job_uses(job, bo, TEGRA20_WRITE));
   assert_true(tegra20_fence_wait(fence, FOREVER));
   assert_int_equal(tegra20_bo_wait(bo, TEGRA20_WRITE, FOREVER), 0);
   assert_false(tegra20_bo_busy(bo, TEGRA20_WRITE));
   /* An empty submission hands out the last fence. */
   assert_int_equal(tegra20_job_submit(job, &again), 0);
   assert_ptr_equal(again, fence);
   tegra20_fence_unref(again);
   tegra20_fence_unref(fence);
}

/* GR2D fills a row of 64 bytes at an offset of a buffer, and nothing beside it. */
TEST(fill_at_offset)
{
   static const uint32_t offsets[] = {0, 64, 1024, 4096 - 64};

   for (unsigned i = 0; i < COUNT(offsets); i++) {
      struct tegra20_job *job = tegra20_job_create(ws, TEGRA20_ENGINE_2D);
      struct tegra20_bo *bo = tegra20_bo_create(ws, 4096, TEGRA20_BO_ZERO);
      fill(job, bo, offsets[i], 16, 1, 0x12345678);
      assert_int_equal(tegra20_job_submit(job, NULL), 0);
      assert_int_equal(tegra20_bo_wait(bo, TEGRA20_READ, FOREVER), 0);
      const uint32_t *map = tegra20_bo_map(bo);
      for (unsigned w = 0; w < 1024; w++)
         assert_int_equal(map[w], w / 16 == offsets[i] / 64 ? 0x12345678 : 0);
      tegra20_bo_unref(bo);
      tegra20_job_destroy(job);
   }
}

static bool
is_grate(void)
{
   return getenv("TEGRA20_SHIM_GRATE");
}

/* Room for words; that kernel wants jobs of few thousand words, but takes one group of any size. */
static uint32_t *
begin(struct tegra20_job *job, unsigned words, unsigned relocs)
{
   uint32_t *p = tegra20_job_begin(job, words, relocs);
   if (!p && is_grate()) {
      assert_int_equal(tegra20_job_submit(job, NULL), 0);
      p = tegra20_job_begin(job, words, relocs);
   }
   assert_non_null(p);
   return p;
}

/* Jobs of one engine that use the same buffers in turns, begun in either order, know what they use. */
TEST(two_jobs)
{
   struct tegra20_job *jobs[2];
   struct tegra20_bo *bos[3];
   for (unsigned i = 0; i < 2; i++)
      jobs[i] = tegra20_job_create(ws, TEGRA20_ENGINE_3D);
   for (unsigned i = 0; i < 3; i++)
      bos[i] = tegra20_bo_create(ws, 4096, 0);
   for (unsigned round = 0; round < 4; round++) {
      struct tegra20_job *first = jobs[round & 1], *second = jobs[!(round & 1)];
      for (unsigned i = 0; i < 3; i++) {
         assert_false(tegra20_job_uses(first, bos[i], TEGRA20_READ));
         assert_false(tegra20_job_uses(second, bos[i], TEGRA20_READ));
      }
      use(first, REG_SURFACE0, bos[0], TEGRA20_READ);
      use(second, REG_SURFACE0, bos[1], TEGRA20_READ);
      use(second, REG_SURFACE0, bos[0], TEGRA20_READ);
      use(first, REG_SURFACE0, bos[1], TEGRA20_READ);
      for (unsigned i = 0; i < 3; i++) {
         assert_int_equal(tegra20_job_uses(first, bos[i], TEGRA20_READ), i < 2);
         assert_int_equal(tegra20_job_uses(second, bos[i], TEGRA20_READ), i < 2);
      }
      /* the one that was submitted begins anew, later than the other */
      assert_int_equal(tegra20_job_submit(first, NULL), 0);
      assert_false(tegra20_job_uses(first, bos[0], TEGRA20_READ));
      assert_true(tegra20_job_uses(second, bos[0], TEGRA20_READ));
      use(first, REG_SURFACE0, bos[2], TEGRA20_READ);
      assert_false(tegra20_job_uses(second, bos[2], TEGRA20_READ));
      use(second, REG_SURFACE0, bos[2], TEGRA20_READ);
      assert_true(tegra20_job_uses(first, bos[2], TEGRA20_READ) && tegra20_job_uses(second, bos[2], TEGRA20_READ));
      assert_int_equal(tegra20_job_submit(second, NULL), 0);
      assert_int_equal(tegra20_job_submit(first, NULL), 0);
   }
   for (unsigned i = 0; i < 3; i++)
      tegra20_bo_unref(bos[i]);
   for (unsigned i = 0; i < 2; i++)
      tegra20_job_destroy(jobs[i]);
}

TEST(gathers_are_split)
{
   /* 100000 words in groups of 1003: no group may straddle two gathers of at most 16383 words.  Each has an address, whose
    * offset the kernels count in different ways. */
   for (unsigned i = 0; i < 100; i++) {
      uint32_t *p = begin(job, 1003, 1);
      *p++ = host1x_incr(REG_SURFACE0, 1);
      tegra20_job_reloc(job, p++, bo, 0, TEGRA20_WRITE);
      *p++ = host1x_nonincr(0x206, 1000);
      memset(p, 0, 4000);
      assert_int_equal(tegra20_job_end(job, p + 1000), !is_grate() && i >= 32); /* 32 Ki words are enough */
   }
   /* a job of that kernel has up to 8000 words, seven groups */
   assert_in_range(tegra20_job_words(job), is_grate() ? 2007 : 100301, is_grate() ? 2008 : 100302);
   assert_int_equal(tegra20_job_submit(job, NULL), 0);
}

TEST(largest_group)
{
   for (unsigned i = 0; i < 3; i++) {
      uint32_t *p = begin(job, 16000, 0);
      *p++ = host1x_nonincr(0x206, 15999);
      memset(p, 0, 15999 * 4);
      tegra20_job_end(job, p + 15999);
      assert_true(tegra20_job_barrier(job));
   }
   assert_int_equal(tegra20_job_submit(job, NULL), 0);
}

TEST(relocation_limit)
{
   for (unsigned i = 0; i < 682; i++)
      use(job, REG_SURFACE0 + i % 16, bo, TEGRA20_READ);
   assert_null(tegra20_job_begin(job, 2, 1));
   assert_non_null(tegra20_job_begin(job, 2, 0));
   assert_int_equal(tegra20_job_submit(job, NULL), 0);
   assert_non_null(tegra20_job_begin(job, 2, 1));
}

/* More buffers than a job may have on some kernels: it is cut before. */
TEST(many_buffers)
{
   struct tegra20_bo *bos[200];
   unsigned cuts = 0;
   for (unsigned i = 0; i < 200; i++) {
      bos[i] = tegra20_bo_create(ws, 4096, 0);
      if (!tegra20_job_begin(job, 2, 1)) {
         cuts++;
         assert_int_equal(tegra20_job_submit(job, NULL), 0);
      }
      use(job, REG_SURFACE0, bos[i], TEGRA20_WRITE);
   }
   assert_int_equal(cuts, is_grate() ? 199 / 64 : 0);
   assert_int_equal(tegra20_job_submit(job, NULL), 0);
   for (unsigned i = 0; i < 200; i++)
      tegra20_bo_unref(bos[i]);
}

TEST(barriers)
{
   unsigned barriers = 0;
   do
      use(job, REG_SURFACE0, bo, TEGRA20_READ);
   while (tegra20_job_barrier(job) && ++barriers < 1000);
   /* Three slots each of the push buffer's 510, of which a job takes half (kernel-review.md 1). */
   assert_in_range(barriers, 70, 85);
   assert_int_equal(tegra20_job_submit(job, NULL), 0);
}

TEST(two_engines)
{
   struct tegra20_job *job3d = tegra20_job_create(ws, TEGRA20_ENGINE_3D);
   struct tegra20_job *job2d = tegra20_job_create(ws, TEGRA20_ENGINE_2D);
   for (unsigned i = 0; i < 10; i++) {
      use(job2d, REG_GR2D_DST, bo, TEGRA20_WRITE);
      assert_int_equal(tegra20_job_submit(job2d, NULL), 0);
      use(job3d, REG_SURFACE0, bo, TEGRA20_READ);
      assert_int_equal(tegra20_job_submit(job3d, NULL), 0);
   }
   assert_int_equal(tegra20_bo_wait(bo, TEGRA20_WRITE, FOREVER), 0);
   tegra20_job_destroy(job3d);
   tegra20_job_destroy(job2d);
}

/* More job objects than the system has sync points. */
TEST(many_jobs)
{
   struct tegra20_job *jobs[60];
   for (unsigned i = 0; i < 60; i++) {
      jobs[i] = tegra20_job_create(ws, i % 4 ? TEGRA20_ENGINE_3D : TEGRA20_ENGINE_2D);
      use(jobs[i], i % 4 ? REG_SURFACE0 : REG_GR2D_DST, bo, TEGRA20_WRITE);
      assert_int_equal(tegra20_job_submit(jobs[i], NULL), 0);
   }
   for (unsigned i = 0; i < 60; i++)
      tegra20_job_destroy(jobs[i]);
   assert_int_equal(tegra20_bo_wait(bo, TEGRA20_WRITE, FOREVER), 0);
}

TEST(destroy_unsubmitted)
{
   struct tegra20_job *job = tegra20_job_create(ws, TEGRA20_ENGINE_3D);
   struct tegra20_bo *bo = tegra20_bo_create(ws, 4096, 0);
   use(job, REG_SURFACE0, bo, TEGRA20_WRITE);
   tegra20_bo_unref(bo);
   assert_int_equal(stats().bytes_cached, 0);
   tegra20_job_destroy(job);
   assert_int_equal(stats().bytes_cached, 4096);
}

/* --- jobs that do not end by themselves ---------------------------------------------------------------------------- */

/* Jobs wait until somebody waits for them: what is in flight stays so. */
static bool
jobs_are_late(void)
{
   const char *async = getenv("TEGRA20_SHIM_ASYNC");
   return async && atoi(async) >= 60000;
}

/* Memory that an engine still writes, or reads, is nobody else's; afterwards it is given out again. */
TEST(memory_in_flight)
{
   static const unsigned accesses[] = {TEGRA20_WRITE, TEGRA20_READ};
   for (unsigned i = 0; i < 4; i++) {
      const enum tegra20_engine engine = i & 1 ? TEGRA20_ENGINE_2D : TEGRA20_ENGINE_3D;
      const uint32_t size = (10 + 2 * i) << 12;
      struct tegra20_job *job = tegra20_job_create(ws, engine);
      struct tegra20_bo *bo = tegra20_bo_create(ws, size, 0);
      const void *map = tegra20_bo_map(bo);
      struct tegra20_fence *fence;
      use(job, i & 1 ? REG_GR2D_DST : REG_SURFACE0, bo, accesses[i >> 1]);
      assert_int_equal(tegra20_job_submit(job, &fence), 0);
      tegra20_bo_unref(bo);
      struct tegra20_bo *other = tegra20_bo_create(ws, size, 0);
      if (jobs_are_late())
         assert_ptr_not_equal(tegra20_bo_map(other), map);
      assert_true(tegra20_fence_wait(fence, FOREVER));
      tegra20_fence_unref(fence);
      tegra20_bo_unref(other);
      bo = tegra20_bo_create(ws, size, 0);
      assert_ptr_equal(tegra20_bo_map(bo), map); /* the one that has been free longest */
      tegra20_bo_unref(bo);
      tegra20_job_destroy(job);
   }
}

/*
 * The kernel keeps a buffer as long as a job uses it: who wants more than is left waits for the job.  The simulated kernel
 * has a GiB; a real one has any size, and a kernel that refuses writes into its log.
 */
TEST(memory_is_used_up)
{
   const char *preload = getenv("LD_PRELOAD");

   if (!preload || !strstr(preload, "drm_shim"))
      skip();
   const uint32_t most = 600 << 20;
   struct tegra20_bo *bo = tegra20_bo_create(ws, most, 0);
   assert_non_null(bo);
   use(job, REG_SURFACE0, bo, TEGRA20_WRITE);
   assert_int_equal(tegra20_job_submit(job, NULL), 0);
   tegra20_bo_unref(bo);
   bo = tegra20_bo_create(ws, most, 0);
   assert_non_null(bo);
   tegra20_bo_unref(bo);
}

/* --- fences -------------------------------------------------------------------------------------------------------- */

TEST(sync_file)
{
   struct tegra20_fence *fence;
   use(job, REG_SURFACE0, bo, TEGRA20_WRITE);
   assert_int_equal(tegra20_job_submit(job, &fence), 0);
   int fd = tegra20_fence_export_fd(fence);
   assert_true(fd >= 0);
   struct tegra20_fence *imported = tegra20_fence_import_fd(ws, fd);
   if (jobs_are_late())
      assert_true(tegra20_fence_wait(fence, FOREVER)); /* the simulated kernel does not hear who polls */
   assert_true(tegra20_fence_wait(imported, FOREVER));
   assert_int_equal(tegra20_job_wait_fd(job, fd), 0);
   use(job, REG_SURFACE0, bo, TEGRA20_WRITE);
   assert_int_equal(tegra20_job_submit(job, NULL), 0);
   close(fd);
   tegra20_fence_unref(imported);
   tegra20_fence_unref(fence);
}

/* The lowest number that no object has. */
static uint32_t
free_syncobj(void)
{
   uint32_t syncobj;

   assert_int_equal(drmSyncobjCreate(fd, 0, &syncobj), 0);
   assert_int_equal(drmSyncobjDestroy(fd, syncobj), 0);
   return syncobj;
}

TEST(sync_files_leave_no_objects)
{
   const uint32_t before = free_syncobj();
   struct tegra20_fence *fence;

   use(job, REG_SURFACE0, bo, TEGRA20_WRITE);
   assert_int_equal(tegra20_job_submit(job, &fence), 0);
   for (unsigned i = 0; i < 2; i++) { /* one that may be waited for, and one that is over */
      assert_int_equal(close(tegra20_fence_export_fd(fence)), 0);
      assert_true(tegra20_fence_wait(fence, FOREVER));
   }
   tegra20_fence_unref(fence);
   assert_int_equal(free_syncobj(), before);
}

TEST(unsignalled_sync_file)
{
   int ends[2];
   assert_int_equal(pipe(ends), 0); /* readable once something was written, as a sync file once it signals */
   struct tegra20_fence *fence = tegra20_fence_import_fd(ws, ends[0]);
   assert_false(tegra20_fence_wait(fence, 0));
   assert_false(tegra20_fence_wait(fence, 20000000));
   assert_int_equal(write(ends[1], "x", 1), 1);
   assert_true(tegra20_fence_wait(fence, FOREVER));
   tegra20_fence_unref(fence);
   close(ends[0]);
   close(ends[1]);
}

/* --- threads ------------------------------------------------------------------------------------------------------- */

struct thread {
   pthread_t id;
   struct tegra20_bo *shared;
   unsigned number;
   bool ok;
};

/* What a context does, all at once: buffers from the cache, jobs on both engines, waits, exports. */
static void *
thread_main(void *data)
{
   struct thread *t = data;
   struct tegra20_job *job = tegra20_job_create(ws, t->number % 2 ? TEGRA20_ENGINE_2D : TEGRA20_ENGINE_3D);
   t->ok = job;
   for (unsigned i = 0; i < 200 && t->ok; i++) {
      struct tegra20_bo *own = tegra20_bo_create(ws, 4096 << i % 4, i % 8 ? 0 : TEGRA20_BO_SHARED);
      struct tegra20_fence *fence = NULL;
      unsigned reg = t->number % 2 ? REG_GR2D_DST : REG_SURFACE0;
      t->ok = own;
      if (!own)
         break;
      memset(tegra20_bo_map(own), i, 4096);
      use(job, reg, own, TEGRA20_WRITE);
      use(job, reg, t->shared, i % 3 ? TEGRA20_READ : TEGRA20_WRITE);
      t->ok &= tegra20_job_submit(job, &fence) == 0;
      if (i % 5 == 0)
         t->ok &= fence && tegra20_fence_wait(fence, FOREVER);
      if (i % 7 == 0)
         t->ok &= tegra20_bo_wait(t->shared, TEGRA20_WRITE, FOREVER) == 0;
      if (i % 16 == 0) {
         int fd = tegra20_bo_export_fd(t->shared);
         struct tegra20_bo *again = tegra20_bo_import_fd(ws, fd);
         t->ok &= again == t->shared;
         tegra20_bo_unref(again);
         close(fd);
      }
      tegra20_fence_unref(fence);
      tegra20_bo_unref(own);
   }
   tegra20_job_destroy(job);
   return NULL;
}

TEST(threads)
{
   struct thread threads[4];
   struct tegra20_bo *shared = tegra20_bo_create(ws, 16384, TEGRA20_BO_SHARED);
   for (unsigned i = 0; i < 4; i++) {
      threads[i] = (struct thread){.shared = shared, .number = i};
      assert_int_equal(pthread_create(&threads[i].id, NULL, thread_main, &threads[i]), 0);
   }
   for (unsigned i = 0; i < 4; i++) {
      pthread_join(threads[i].id, NULL);
      assert_true(threads[i].ok);
   }
   tegra20_bo_unref(shared);
}
