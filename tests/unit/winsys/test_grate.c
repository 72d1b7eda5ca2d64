/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The simulated kernel of the grate project: what it refuses, with which error, and what its fences say
 * (kernel-interface-grate.md 2, 4, 5).
 */

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "unit.h"
#include "drm-uapi/drm.h"
#include "drm-uapi/tegra_drm.h"
#include "drm-uapi/tegra_grate_drm.h"

#define SETCL(reg, class_id, mask) ((reg) << 16 | (class_id) << 6 | (mask))
#define INCR(reg, n) (1u << 28 | (reg) << 16 | (n))
#define NONINCR(reg, n) (2u << 28 | (reg) << 16 | (n))
#define IMM(reg, value) (4u << 28 | (reg) << 16 | (value))
#define GR3D SETCL(0, 0x60, 0)
#define GR2D SETCL(0, 0x51, 0)
#define END IMM(0, 0x100)
#define AT(index, offset) ((index) | (offset) << 6)

static int drm;
static uint32_t buffers[2];

static int
call(unsigned long request, void *args)
{
   return ioctl(drm, request, args) ? -errno : 0;
}

SETUP
{
   drm = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
   assert_true(drm >= 0);
   for (unsigned i = 0; i < 2; i++) {
      struct drm_tegra_gem_create create = {.size = 8192, .flags = GRATE_GEM_DONT_KMAP};
      assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_CREATE, &create), 0);
      buffers[i] = create.handle;
   }
}

TEARDOWN
{
   close(drm);
}

static const struct {
   const char *name;
   uint64_t pipes;
   uint32_t words[7];
   unsigned count;
   int expected;
} streams_cases[] = {
   {"increment alone", 2, {GR3D, END}, 2, 0},
   {"no class", 2, {INCR(0x208, 1), 0, END}, 3, -EINVAL},
   {"class of the other engine", 1, {GR3D, END}, 2, -EINVAL},
   {"2D class without its pipe", 2, {GR2D, END}, 2, -EINVAL},
   {"unknown class", 3, {SETCL(0, 0x30, 0), END}, 2, -EINVAL},
   {"both engines", 3, {GR3D, GR2D, END}, 3, -EINVAL},
   {"2D", 1, {GR2D, END}, 2, 0},
   {"mask bit 5 of SETCLASS", 2, {SETCL(0, 0x60, 0x20), 0, END}, 3, -EINVAL},
   {"descriptor", 2, {GR3D, INCR(0xe00, 1), AT(0, 64), END}, 4, 0},
   {"second buffer, last byte", 2, {GR3D, INCR(0xe00, 1), AT(1, 8191), END}, 4, 0},
   {"descriptor behind the end", 2, {GR3D, INCR(0xe00, 1), AT(0, 8192), END}, 4, -EINVAL},
   {"descriptor without a buffer", 2, {GR3D, INCR(0xe00, 1), AT(2, 0), END}, 4, -EINVAL},
   {"immediate address", 2, {GR3D, IMM(0xe00, 0), END}, 3, -EINVAL},
   {"two words for one address register", 2, {GR3D, NONINCR(0xe00, 2), 0, 0, END}, 5, -EINVAL},
   {"register of a later chip", 2, {GR3D, INCR(0xe88, 1), 0, END}, 4, -EINVAL},
   {"2D register of a later chip", 1, {GR2D, INCR(0x4d, 1), 0, END}, 4, -EINVAL},
   {"missing data", 2, {GR3D, INCR(0x208, 2), 0}, 3, -EINVAL},
   {"no operation", 2, {GR3D, 0x20000000, END}, 3, 0},
   {"wait for all so far", 2, {GR3D, END, GRATE_WAIT_OPCODE, 0, GR3D, END}, 6, 0},
   {"wait for the first", 2, {GR3D, END, GRATE_WAIT_OPCODE, 1, GR3D, END}, 6, 0},
   {"another register of host1x", 2, {GR3D, SETCL(9, 1, 1), 0, GR3D, END}, 5, -EINVAL},
   {"lock of the engine", 2, {0xe1000001, GR3D, END}, 3, 0},
   {"gather", 2, {GR3D, 6u << 28 | 1, 0, END}, 4, -EINVAL},
   {"restart", 2, {GR3D, 5u << 28, END}, 3, -EINVAL},
   {"no words", 2, {GR3D}, 0, -EINVAL},
};

TEST_ROWS(streams, streams_cases)
{
   struct grate_bo bos[2] = {{buffers[0], GRATE_BO_WRITE}, {buffers[1], 0}};
   struct grate_submit args = {.pipes = c->pipes, .cmdstream = (uintptr_t)c->words,
                               .num_words = c->count, .bos = (uintptr_t)bos, .num_bos = 2};
   int ret = call(GRATE_IOCTL_SUBMIT, &args);
   assert_int_equal(ret, c->expected);
}

TEST(fields)
{
   static const uint32_t words[] = {GR3D, END};
   struct grate_bo twice[2] = {{buffers[0], 0}, {buffers[0], 0}}, unknown[1] = {{77, 0}};
   const struct {
      const char *name;
      struct grate_submit args;
      int expected;
   } cases[] = {
      {"plain", {.num_words = 2}, 0},
      {"later interface", {.num_words = 2, .uapi = GRATE_KERNEL_MIN_MAJOR + 1}, -EINVAL},
      {"65 buffers", {.num_words = 2, .num_bos = 65}, -EINVAL},
      {"a buffer twice", {.num_words = 2, .num_bos = 2, .bos = (uintptr_t)twice}, -EALREADY},
      {"unknown buffer", {.num_words = 2, .num_bos = 1, .bos = (uintptr_t)unknown}, -EINVAL},
      {"unknown fence in", {.num_words = 2, .in_fence = 77}, -ENOENT},
      {"unknown fence out", {.num_words = 2, .out_fence = 77}, -ENOENT},
      {"bad pointer", {.num_words = 2, .num_bos = 1, .bos = 16}, -EFAULT},
   };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      struct grate_submit args = cases[i].args;
      args.pipes = GRATE_PIPE_3D;
      args.cmdstream = (uintptr_t)words;
      int ret = call(GRATE_IOCTL_SUBMIT, &args);
      if (ret != cases[i].expected)
         fail_msg("%s: %d instead of %d", cases[i].name, ret, cases[i].expected);
   }
}

TEST(fences)
{
   static const uint32_t words[] = {GR3D, END};
   struct drm_syncobj_create create = {0};
   assert_int_equal(call(DRM_IOCTL_SYNCOBJ_CREATE, &create), 0);
   struct grate_submit args = {.pipes = GRATE_PIPE_3D, .cmdstream = (uintptr_t)words, .num_words = 2,
                               .in_fence = create.handle, .out_fence = create.handle};
   for (unsigned i = 0; i < 100; i++)
      assert_int_equal(call(GRATE_IOCTL_SUBMIT, &args), 0);
   struct drm_syncobj_wait wait = {.handles = (uintptr_t)&create.handle, .count_handles = 1, .timeout_nsec = INT64_MAX};
   assert_int_equal(call(DRM_IOCTL_SYNCOBJ_WAIT, &wait), 0);
}

TEST(others)
{
   /* The number of mainline's CHANNEL_OPEN, which succeeds here and means something else. */
   struct drm_tegra_channel_open open_args = {.host1x_class = 0x60};
   assert_int_equal(call(DRM_IOCTL_TEGRA_CHANNEL_OPEN, &open_args), 0);
   assert_int_equal(open_args.host1x_class, 0);
   assert_int_equal(open_args.flags, GRATE_KERNEL_MIN_MAJOR);
   struct drm_tegra_channel_close close_args = {.context = 1};
   assert_int_equal(call(DRM_IOCTL_TEGRA_CHANNEL_CLOSE, &close_args), -EINVAL);
   struct drm_tegra_open_channel channel = {.client = 0x52};
   assert_int_equal(call(DRM_IOCTL_TEGRA_OPEN_CHANNEL, &channel), -EINVAL);
   channel.client = 0x60;
   assert_int_equal(call(DRM_IOCTL_TEGRA_OPEN_CHANNEL, &channel), 0);
   struct drm_tegra_syncpt_read read_args = {.id = 5};
   assert_int_equal(call(DRM_IOCTL_TEGRA_SYNCPT_READ, &read_args), -EPERM);
}
