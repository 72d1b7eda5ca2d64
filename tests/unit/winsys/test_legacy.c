/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The legacy kernel interface with raw ioctls: what it accepts and refuses (kernel-interface.md 5 and 4.4), the
 * simulated kernel and real ones.
 */

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "drm-uapi/drm.h"
#include "drm-uapi/tegra_drm.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

enum { GR2D = 0x51, GR3D = 0x60 };

static int drm;
static uint32_t commands, target; /* buffers of 128 and 8 KiB */
static uint32_t *words;

static int
call(unsigned long request, void *arg)
{
   int ret = ioctl(drm, request, arg);
   return ret == -1 ? -errno : ret;
}

static int
setup(void **state)
{
   drm = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
   assert_true(drm >= 0);
   struct drm_tegra_gem_create a = {.size = 128 << 10}, b = {.size = 8192};
   assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_CREATE, &a), 0);
   assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_CREATE, &b), 0);
   commands = a.handle;
   target = b.handle;
   struct drm_tegra_gem_mmap map = {.handle = commands};
   assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_MMAP, &map), 0);
   words = mmap(NULL, 128 << 10, PROT_READ | PROT_WRITE, MAP_SHARED, drm, map.offset);
   assert_ptr_not_equal(words, MAP_FAILED);
   return 0;
}

static int
teardown(void **state)
{
   munmap(words, 128 << 10);
   close(drm);
   return 0;
}

struct job {
   struct drm_tegra_submit args;
   struct drm_tegra_syncpt syncpt;
   struct drm_tegra_cmdbuf cmdbufs[2];
   struct drm_tegra_reloc relocs[4];
};

/* One command buffer with the words and an increment. */
static struct job
make_job(uint32_t client, const uint32_t *stream, unsigned count)
{
   struct drm_tegra_open_channel channel = {.client = client};
   assert_int_equal(call(DRM_IOCTL_TEGRA_OPEN_CHANNEL, &channel), 0);
   struct drm_tegra_get_syncpt syncpt = {.context = channel.context};
   assert_int_equal(call(DRM_IOCTL_TEGRA_GET_SYNCPT, &syncpt), 0);
   memcpy(words, stream, count * 4);
   words[count++] = 4u << 28 | 0x100 | syncpt.id;
   struct job job = {
      .args = {.context = channel.context, .num_syncpts = 1, .num_cmdbufs = 1},
      .syncpt = {.id = syncpt.id, .incrs = 1},
      .cmdbufs = {{.handle = commands, .words = count}},
   };
   return job;
}

static void
add_reloc(struct job *job, unsigned word)
{
   struct drm_tegra_reloc *reloc = &job->relocs[job->args.num_relocs++];
   reloc->cmdbuf.handle = commands;
   reloc->cmdbuf.offset = word * 4;
   reloc->target.handle = target;
}

static int
submit(struct job *job)
{
   job->args.syncpts = (uintptr_t)&job->syncpt;
   job->args.cmdbufs = (uintptr_t)job->cmdbufs;
   job->args.relocs = (uintptr_t)job->relocs;
   return call(DRM_IOCTL_TEGRA_SUBMIT, &job->args);
}

static int
finish(struct job *job)
{
   int ret = submit(job);
   struct drm_tegra_close_channel args = {.context = job->args.context};
   assert_int_equal(call(DRM_IOCTL_TEGRA_CLOSE_CHANNEL, &args), 0);
   return ret;
}

#define INCR(reg, n) (1u << 28 | (reg) << 16 | (n))
#define IMM(reg, value) (4u << 28 | (reg) << 16 | (value))
#define SETCL(reg, class_id, mask) ((reg) << 16 | (class_id) << 6 | (mask))
#define NONE 99

static void
test_streams(void **state)
{
   static const struct {
      const char *name;
      uint32_t client;
      uint32_t words[6];
      unsigned count;
      unsigned relocs[3]; /* words; NONE ends */
      int expected;
   } cases[] = {
      {"nothing", GR3D, {0x20000000}, 1, {NONE}, 0},
      {"address without relocation", GR3D, {INCR(0xe00, 1), 0}, 2, {NONE}, -EINVAL},
      {"relocated address", GR3D, {INCR(0xe00, 1), 0}, 2, {1, NONE}, 0},
      {"two in order", GR3D, {INCR(0xe00, 2), 0, 0}, 3, {1, 2, NONE}, 0},
      {"two out of order", GR3D, {INCR(0xe00, 2), 0, 0}, 3, {2, 1, NONE}, -EINVAL},
      {"relocation left over", GR3D, {INCR(0x208, 1), 0}, 2, {1, NONE}, -EINVAL},
      {"IMM is not looked at", GR3D, {IMM(0xe00, 0)}, 1, {NONE}, 0},
      {"EXTEND passes", GR3D, {14u << 28}, 1, {NONE}, 0},
      {"SETPYLD fails", GR3D, {9u << 28}, 1, {NONE}, -EINVAL},
      {"GATHER fails", GR3D, {6u << 28, 0}, 2, {NONE}, -EINVAL},
      {"other engine's class", GR3D, {SETCL(0, GR2D, 0)}, 1, {NONE}, -EINVAL},
      {"host1x class", GR3D, {SETCL(0, 1, 0), SETCL(0, GR3D, 0)}, 2, {NONE}, -EINVAL},
      {"host1x class, 2D", GR2D, {SETCL(0, 1, 0), SETCL(0, GR2D, 0)}, 2, {NONE}, -EINVAL},
      {"2D's other class", GR2D, {SETCL(0, 0x52, 0), SETCL(0, GR2D, 0)}, 2, {NONE}, 0},
      {"indirect access", GR3D, {SETCL(0x2b, 1, 1), 0, SETCL(0, GR3D, 0)}, 3, {NONE}, -EINVAL},
      {"2D address", GR2D, {INCR(0x2b, 1), 0}, 2, {NONE}, -EINVAL},
      {"2D relocated address", GR2D, {INCR(0x2b, 1), 0}, 2, {1, NONE}, 0},
   };
   for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
      struct job job = make_job(cases[i].client, cases[i].words, cases[i].count);
      for (unsigned j = 0; cases[i].relocs[j] != NONE; j++)
         add_reloc(&job, cases[i].relocs[j]);
      int ret = finish(&job);
      if (ret != cases[i].expected)
         fail_msg("%s: %d instead of %d", cases[i].name, ret, cases[i].expected);
   }
}

static void
bad_context(struct job *job)
{
   job->args.context += 7;
}

static void
no_syncpt(struct job *job)
{
   job->args.num_syncpts = 0;
}

static void
two_syncpts(struct job *job)
{
   job->args.num_syncpts = 2;
}

static void
waitchks(struct job *job)
{
   job->args.num_waitchks = 1;
}

static void
syncpt_range(struct job *job)
{
   job->syncpt.id = 32;
}

static void
cmdbuf_handle(struct job *job)
{
   job->cmdbufs[0].handle = 77;
}

static void
cmdbuf_offset(struct job *job)
{
   job->cmdbufs[0].offset = 2;
}

static void
cmdbuf_outside(struct job *job)
{
   job->cmdbufs[0].offset = (128 << 10) - 4;
}

static void
cmdbuf_long(struct job *job)
{
   job->cmdbufs[0].words = 16384;
}

static void
reloc_cmdbuf(struct job *job)
{
   add_reloc(job, 0);
   job->relocs[0].cmdbuf.handle = 77;
}

static void
reloc_target(struct job *job)
{
   add_reloc(job, 0);
   job->relocs[0].target.handle = 77;
}

static void
reloc_target_outside(struct job *job)
{
   add_reloc(job, 0);
   job->relocs[0].target.offset = 8192;
}

static void
reloc_offset(struct job *job)
{
   add_reloc(job, 0);
   job->relocs[0].cmdbuf.offset = 2;
}

static void
test_submit_fields(void **state)
{
   static const uint32_t nop[] = {0x20000000};
   static const struct {
      const char *name;
      void (*change)(struct job *job);
      int expected;
   } cases[] = {
      {"unknown context", bad_context, -ENODEV},
      {"no sync point", no_syncpt, -EINVAL},
      {"two sync points", two_syncpts, -EINVAL},
      {"wait checks", waitchks, -EINVAL},
      {"sync point 32", syncpt_range, -ENOENT},
      {"unknown command buffer", cmdbuf_handle, -ENOENT},
      {"odd offset", cmdbuf_offset, -EINVAL},
      {"words outside", cmdbuf_outside, -EINVAL},
      {"16384 words", cmdbuf_long, -EINVAL},
      {"relocation in an unknown buffer", reloc_cmdbuf, -ENOENT},
      {"relocation to an unknown buffer", reloc_target, -ENOENT},
      {"relocation to outside", reloc_target_outside, -EINVAL},
      {"relocation at an odd offset", reloc_offset, -EINVAL},
   };
   for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
      struct job job = make_job(GR3D, nop, 1);
      cases[i].change(&job);
      int ret = submit(&job);
      if (ret != cases[i].expected)
         fail_msg("%s: %d instead of %d", cases[i].name, ret, cases[i].expected);
   }
}

/* The firewall counts from the gather, what patches the words from the first gather of the buffer (kernel-review.md 5). */
static void
test_gathers(void **state)
{
   static const uint32_t stream[] = {0x20000000, INCR(0xe00, 1), 0, 0x20000000, INCR(0xe00, 1), 0};
   static const struct {
      const char *name;
      unsigned start;      /* of the second gather: word; 7: there is none */
      bool own_buffer;     /* the second gather lies in another buffer, at its start */
      unsigned relocs[2];  /* offsets, words */
      int expected;
   } cases[] = {
      {"one gather", 7, false, {2, 5}, 0},
      {"two gathers, offsets of the buffer", 3, false, {2, 5}, -EINVAL},
      {"two gathers, two buffers", 3, true, {2, 2}, 0},
      {"two gathers, two buffers, offsets of the stream", 3, true, {2, 5}, -EINVAL},
   };
   for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
      struct job job = make_job(GR3D, stream, 6);
      struct drm_tegra_gem_create other = {.size = 4096};
      assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_CREATE, &other), 0);
      add_reloc(&job, cases[i].relocs[0]);
      add_reloc(&job, cases[i].relocs[1]);
      const unsigned start = cases[i].start;
      job.cmdbufs[0].words = start;
      if (start < 7) {
         job.args.num_cmdbufs = 2;
         job.cmdbufs[1] = (struct drm_tegra_cmdbuf){.handle = commands, .offset = start * 4, .words = 7 - start};
      }
      if (cases[i].own_buffer) {
         struct drm_tegra_gem_mmap map = {.handle = other.handle};
         assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_MMAP, &map), 0);
         void *copy = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, drm, map.offset);
         memcpy(copy, words + start, (7 - start) * 4);
         munmap(copy, 4096);
         job.cmdbufs[1].handle = job.relocs[1].cmdbuf.handle = other.handle;
         job.cmdbufs[1].offset = 0;
      }
      int ret = finish(&job);
      if (ret != cases[i].expected)
         fail_msg("%s: %d instead of %d", cases[i].name, ret, cases[i].expected);
      struct drm_gem_close close_args = {.handle = other.handle};
      assert_int_equal(call(DRM_IOCTL_GEM_CLOSE, &close_args), 0);
   }
}

/* A gather begins where its offset says: what lies in front of it, which no firewall accepts, is not executed. */
static void
test_gather_offset(void **state)
{
   static const uint32_t stream[] = {9u << 28, 0x20000000};
   struct job job = make_job(GR3D, stream, 2);
   job.cmdbufs[0].offset = 4;
   job.cmdbufs[0].words--;
   assert_int_equal(finish(&job), 0);
}

/* The last word of a command buffer may be patched, with the address of the last word of another (kernel-review.md 8). */
static void
test_last_word(void **state)
{
   static const uint32_t none;
   struct job job = make_job(GR3D, &none, 0);
   struct drm_tegra_gem_create page = {.size = 4096};
   assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_CREATE, &page), 0);
   struct drm_tegra_gem_mmap map = {.handle = page.handle};
   assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_MMAP, &map), 0);
   uint32_t *stream = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, drm, map.offset);
   assert_ptr_not_equal(stream, MAP_FAILED);
   for (unsigned i = 0; i < 1022; i++)
      stream[i] = i ? 0x20000000 : words[0];
   stream[1022] = INCR(0xe00, 1);
   munmap(stream, 4096);
   job.cmdbufs[0] = (struct drm_tegra_cmdbuf){.handle = page.handle, .words = 1024};
   add_reloc(&job, 1023);
   job.relocs[0].cmdbuf.handle = page.handle;
   job.relocs[0].target.offset = 8188;
   assert_int_equal(submit(&job), 0);
   job.relocs[0].target.offset = 8192;
   assert_int_equal(finish(&job), -EINVAL);
   struct drm_gem_close close_args = {.handle = page.handle};
   assert_int_equal(call(DRM_IOCTL_GEM_CLOSE, &close_args), 0);
}

static void
test_fences(void **state)
{
   static const uint32_t nop[] = {0x20000000};
   struct job job = make_job(GR3D, nop, 1);
   assert_int_equal(submit(&job), 0);
   const uint32_t first = job.args.fence;
   struct drm_tegra_syncpt_wait wait = {.id = job.syncpt.id, .thresh = job.args.fence, .timeout = 1000};
   assert_int_equal(call(DRM_IOCTL_TEGRA_SYNCPT_WAIT, &wait), 0);
   assert_int_equal(wait.value, first);
   struct drm_tegra_syncpt_read read = {.id = job.syncpt.id};
   assert_int_equal(call(DRM_IOCTL_TEGRA_SYNCPT_READ, &read), 0);
   assert_int_equal(read.value, first);
   wait.thresh++;
   wait.timeout = 10;
   assert_int_equal(call(DRM_IOCTL_TEGRA_SYNCPT_WAIT, &wait), -EAGAIN);

   /* A job that times out ends as if it had been executed: nothing is locked. */
   job.syncpt.incrs = 3;
   assert_int_equal(submit(&job), 0);
   assert_int_equal(job.args.fence, first + 3);
   wait.thresh = job.args.fence;
   wait.timeout = 30000; /* a real kernel takes ten seconds to notice */
   assert_int_equal(call(DRM_IOCTL_TEGRA_SYNCPT_WAIT, &wait), 0);
   job.syncpt.incrs = 1;
   assert_int_equal(finish(&job), 0);
   assert_int_equal(job.args.fence, first + 4);
}

static void
test_others(void **state)
{
   struct drm_tegra_open_channel channel = {.client = 0x52};
   assert_int_equal(call(DRM_IOCTL_TEGRA_OPEN_CHANNEL, &channel), -ENODEV);
   channel.client = GR3D;
   assert_int_equal(call(DRM_IOCTL_TEGRA_OPEN_CHANNEL, &channel), 0);
   struct drm_tegra_get_syncpt syncpt = {.context = channel.context, .index = 1};
   assert_int_equal(call(DRM_IOCTL_TEGRA_GET_SYNCPT, &syncpt), -EINVAL);
   struct drm_tegra_get_syncpt_base base = {.context = channel.context};
   assert_int_equal(call(DRM_IOCTL_TEGRA_GET_SYNCPT_BASE, &base), 0);
   base.syncpt = 1;
   assert_int_equal(call(DRM_IOCTL_TEGRA_GET_SYNCPT_BASE, &base), -EINVAL);
   struct drm_tegra_close_channel close_args = {.context = channel.context};
   assert_int_equal(call(DRM_IOCTL_TEGRA_CLOSE_CHANNEL, &close_args), 0);
   assert_int_equal(call(DRM_IOCTL_TEGRA_CLOSE_CHANNEL, &close_args), -EINVAL);
   assert_int_equal(call(DRM_IOCTL_TEGRA_GET_SYNCPT, &syncpt), -ENODEV);

   /* A sync point that no job is about to raise. */
   struct drm_tegra_syncpt_read before = {.id = 20}, after = {.id = 20};
   struct drm_tegra_syncpt_incr incr = {.id = 20};
   assert_int_equal(call(DRM_IOCTL_TEGRA_SYNCPT_READ, &before), 0);
   assert_int_equal(call(DRM_IOCTL_TEGRA_SYNCPT_INCR, &incr), -EINVAL);
   assert_int_equal(call(DRM_IOCTL_TEGRA_SYNCPT_READ, &after), 0);
   assert_int_equal(after.value, before.value);

   static const struct {
      uint32_t mode, value;
      int expected;
   } tilings[] = {{0, 0, 0}, {1, 0, 0}, {2, 5, 0}, {0, 1, -EINVAL}, {1, 1, -EINVAL}, {2, 6, -EINVAL}, {3, 0, -EINVAL}};
   for (unsigned i = 0; i < ARRAY_SIZE(tilings); i++) {
      struct drm_tegra_gem_set_tiling set = {.handle = target, .mode = tilings[i].mode, .value = tilings[i].value};
      assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_SET_TILING, &set), tilings[i].expected);
   }
   struct drm_tegra_gem_get_tiling get = {.handle = target};
   assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_GET_TILING, &get), 0);
   assert_int_equal(get.mode, 2);
   assert_int_equal(get.value, 5);
   get.handle = 77;
   assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_GET_TILING, &get), -ENOENT);
   struct drm_tegra_gem_set_flags flags = {.handle = target, .flags = 2};
   assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_SET_FLAGS, &flags), -EINVAL);
   flags.flags = 1;
   assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_SET_FLAGS, &flags), 0);
   struct drm_tegra_gem_get_flags got = {.handle = target};
   assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_GET_FLAGS, &got), 0);
   assert_int_equal(got.flags, 1);
   struct drm_tegra_gem_create both = {.size = 4096, .flags = DRM_TEGRA_GEM_CREATE_TILED | DRM_TEGRA_GEM_CREATE_BOTTOM_UP};
   assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_CREATE, &both), 0);
   got.handle = both.handle;
   assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_GET_FLAGS, &got), 0);
   assert_int_equal(got.flags & ~DRM_TEGRA_GEM_BOTTOM_UP, 0); /* tiling is not a flag */

   /* The simulated kernel is too old for the newer interface, the real ones of tegra20-vm are not. */
   struct drm_tegra_channel_open open_args = {.host1x_class = GR3D};
   assert_int_equal(call(DRM_IOCTL_TEGRA_CHANNEL_OPEN, &open_args), getenv("TEGRA20_SHIM_LEGACY") ? -EINVAL : 0);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_streams, setup, teardown),
      cmocka_unit_test_setup_teardown(test_submit_fields, setup, teardown),
      cmocka_unit_test_setup_teardown(test_gathers, setup, teardown),
      cmocka_unit_test_setup_teardown(test_gather_offset, setup, teardown),
      cmocka_unit_test_setup_teardown(test_last_word, setup, teardown),
      cmocka_unit_test_setup_teardown(test_fences, setup, teardown),
      cmocka_unit_test_setup_teardown(test_others, setup, teardown),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
