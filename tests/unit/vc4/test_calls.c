/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The calls of Linux's vc4 driver on the preloaded shim: what they accept, and with which error they refuse the rest.
 */

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>

#include "unit.h"
#include "drm-uapi/drm_fourcc.h"
#include "drm-uapi/vc4_drm.h"

#define TILED DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED
#define CALL(name, type, ...) DRM_IOCTL_VC4_##name, &(struct drm_vc4_##type){__VA_ARGS__}
/* Handles, in the order in which the kernel gives them. */
enum { BO = 1, SHADER = 2, NO_BO = 9 };

static int drm;

static int
call(unsigned long request, void *arg)
{
   return ioctl(drm, request, arg) ? errno : 0;
}

/* A program end and the two instructions behind it. */
static const uint64_t program[4] = {UINT64_C(0x300009e7009e7000), UINT64_C(0x100009e7009e7000), UINT64_C(0x100009e7009e7000)};

/* One after the other: what is accepted is there for the next. */
TEST(calls)
{
   const struct {
      const char *name;
      unsigned long request;
      void *arg;
      int error;
   } cases[] = {
      {"buffer, flags", CALL(CREATE_BO, create_bo, .size = 4096, .flags = 1), EINVAL},
      {"buffer, pad", CALL(CREATE_BO, create_bo, .size = 4096, .pad = 1), EINVAL},
      {"buffer", CALL(CREATE_BO, create_bo, .size = 4096), 0},
      {"program, no size", CALL(CREATE_SHADER_BO, create_shader_bo, .data = (uintptr_t)program), EINVAL},
      {"program, half an instruction", CALL(CREATE_SHADER_BO, create_shader_bo, .size = 28, .data = (uintptr_t)program), EINVAL},
      {"program, flags", CALL(CREATE_SHADER_BO, create_shader_bo, .size = 24, .flags = 1, .data = (uintptr_t)program), EINVAL},
      {"program, no memory", CALL(CREATE_SHADER_BO, create_shader_bo, .size = 24), EFAULT},
      {"program without end", CALL(CREATE_SHADER_BO, create_shader_bo, .size = 8, .data = (uintptr_t)(program + 1)), EINVAL},
      {"program", CALL(CREATE_SHADER_BO, create_shader_bo, .size = 24, .data = (uintptr_t)program), 0},
      {"mapping", CALL(MMAP_BO, mmap_bo, .handle = BO), 0},
      {"mapping, flags", CALL(MMAP_BO, mmap_bo, .handle = BO, .flags = 1), EINVAL},
      {"mapping of a program", CALL(MMAP_BO, mmap_bo, .handle = SHADER), EINVAL},
      {"mapping of nothing", CALL(MMAP_BO, mmap_bo, .handle = NO_BO), EINVAL},
      {"tiling", CALL(SET_TILING, set_tiling, .handle = BO, .modifier = TILED), 0},
      {"linear", CALL(SET_TILING, set_tiling, .handle = BO, .modifier = DRM_FORMAT_MOD_LINEAR), 0},
      {"another tiling", CALL(SET_TILING, set_tiling, .handle = BO, .modifier = TILED + 1), EINVAL},
      {"tiling, flags", CALL(SET_TILING, set_tiling, .handle = BO, .flags = 1, .modifier = TILED), EINVAL},
      {"tiling of nothing", CALL(SET_TILING, set_tiling, .handle = NO_BO, .modifier = TILED), ENOENT},
      {"is tiled", CALL(GET_TILING, get_tiling, .handle = BO), 0},
      {"is tiled, flags", CALL(GET_TILING, get_tiling, .handle = BO, .flags = 1), EINVAL},
      {"is tiled, modifier", CALL(GET_TILING, get_tiling, .handle = BO, .modifier = TILED), EINVAL},
      {"is nothing tiled", CALL(GET_TILING, get_tiling, .handle = NO_BO), ENOENT},
      {"label", CALL(LABEL_BO, label_bo, .handle = BO), 0},
      {"label of nothing", CALL(LABEL_BO, label_bo, .handle = NO_BO), ENOENT},
      {"advice", CALL(GEM_MADVISE, gem_madvise, .handle = BO, .madv = VC4_MADV_DONTNEED), 0},
      {"advice, another", CALL(GEM_MADVISE, gem_madvise, .handle = BO, .madv = VC4_MADV_DONTNEED + 1), EINVAL},
      {"advice, pad", CALL(GEM_MADVISE, gem_madvise, .handle = BO, .pad = 1), EINVAL},
      {"advice on nothing", CALL(GEM_MADVISE, gem_madvise, .handle = NO_BO), ENOENT},
      {"feature", CALL(GET_PARAM, get_param, .param = DRM_VC4_PARAM_SUPPORTS_PERFMON), 0},
      {"feature, pad", CALL(GET_PARAM, get_param, .param = DRM_VC4_PARAM_SUPPORTS_PERFMON, .pad = 1), EINVAL},
      {"feature, unknown", CALL(GET_PARAM, get_param, .param = 99), EINVAL},
      {"hang", CALL(GET_HANG_STATE, get_hang_state, 0), ENOENT},
      {"wait for a buffer", CALL(WAIT_BO, wait_bo, .handle = BO), 0},
      {"wait for a buffer, pad", CALL(WAIT_BO, wait_bo, .handle = BO, .pad = 1), EINVAL},
      {"wait for nothing", CALL(WAIT_BO, wait_bo, .handle = NO_BO), ENOENT},
      {"wait for no job", CALL(WAIT_SEQNO, wait_seqno, .seqno = 0), 0},
      {"wait for a job that is not there", CALL(WAIT_SEQNO, wait_seqno, .seqno = 1), ETIME},
      /* Of two mistakes the first counts: without it the call would say EFAULT. */
      {"job, buffers at no address", CALL(SUBMIT_CL, submit_cl, .bo_handle_count = 1), EFAULT},
      {"job, flags", CALL(SUBMIT_CL, submit_cl, .bo_handle_count = 1, .flags = 1 << 7), EINVAL},
      {"job, pad", CALL(SUBMIT_CL, submit_cl, .bo_handle_count = 1, .pad2 = 1), EINVAL},
      {"job, too many buffers", CALL(SUBMIT_CL, submit_cl, .bo_handle_count = 65537), EINVAL},
      {"job, waits for no object", CALL(SUBMIT_CL, submit_cl, .bo_handle_count = 1, .in_sync = 9), EINVAL},
      {"job, signals no object", CALL(SUBMIT_CL, submit_cl, .bo_handle_count = 1, .out_sync = 9), EINVAL},
      {"counters, none", CALL(PERFMON_CREATE, perfmon_create, .ncounters = 0), EINVAL},
      {"counters, too many", CALL(PERFMON_CREATE, perfmon_create, .ncounters = DRM_VC4_MAX_PERF_COUNTERS + 1), EINVAL},
      {"counters, unknown", CALL(PERFMON_CREATE, perfmon_create, .ncounters = 1, .events = {VC4_PERFCNT_NUM_EVENTS}), EINVAL},
      {"counters, none to end", CALL(PERFMON_DESTROY, perfmon_destroy, .id = 9), EINVAL},
      {"counters, none to read", CALL(PERFMON_GET_VALUES, perfmon_get_values, .id = 9), EINVAL},
   };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      const int error = call(cases[i].request, cases[i].arg);
      if (error != cases[i].error)
         fail_msg("%s: %s, not %s", cases[i].name, strerror(error), strerror(cases[i].error));
   }
}

TEST(answers)
{
   struct drm_vc4_create_bo bo = {.size = 4096};
   assert_int_equal(call(DRM_IOCTL_VC4_CREATE_BO, &bo), 0);
   for (unsigned tiled = 0; tiled < 2; tiled++) {
      struct drm_vc4_set_tiling set = {.handle = bo.handle, .modifier = tiled ? TILED : DRM_FORMAT_MOD_LINEAR};
      struct drm_vc4_get_tiling get = {.handle = bo.handle};
      assert_int_equal(call(DRM_IOCTL_VC4_SET_TILING, &set), 0);
      assert_int_equal(call(DRM_IOCTL_VC4_GET_TILING, &get), 0);
      assert_true(get.modifier == set.modifier);
   }
   struct drm_vc4_gem_madvise advice = {.handle = bo.handle, .madv = VC4_MADV_WILLNEED};
   assert_int_equal(call(DRM_IOCTL_VC4_GEM_MADVISE, &advice), 0);
   assert_int_equal(advice.retained, 1);
   static const struct {
      unsigned param, value;
   } params[] = {
      {DRM_VC4_PARAM_V3D_IDENT0, 0x02443356}, /* "V3D", version 2 (VideoCore IV 3D Architecture, V3D_IDENT0) */
      {DRM_VC4_PARAM_SUPPORTS_BRANCHES, 1}, {DRM_VC4_PARAM_SUPPORTS_ETC1, 1}, {DRM_VC4_PARAM_SUPPORTS_THREADED_FS, 1},
      {DRM_VC4_PARAM_SUPPORTS_FIXED_RCL_ORDER, 1}, {DRM_VC4_PARAM_SUPPORTS_MADVISE, 1},
   };
   for (unsigned i = 0; i < COUNT(params); i++) {
      struct drm_vc4_get_param get = {.param = params[i].param};
      assert_int_equal(call(DRM_IOCTL_VC4_GET_PARAM, &get), 0);
      assert_int_equal(get.value, params[i].value);
   }
}

/* As many counters as there can be, of no job; they end once. */
TEST(counters)
{
   uint64_t values[DRM_VC4_MAX_PERF_COUNTERS + 1];
   struct drm_vc4_perfmon_create most = {.ncounters = DRM_VC4_MAX_PERF_COUNTERS}, one = {.ncounters = 1};
   memset(most.events, VC4_PERFCNT_NUM_EVENTS - 1, sizeof(most.events));
   assert_int_equal(call(DRM_IOCTL_VC4_PERFMON_CREATE, &most), 0);
   assert_int_equal(call(DRM_IOCTL_VC4_PERFMON_CREATE, &one), 0);
   assert_int_not_equal(most.id, one.id);

   memset(values, 1, sizeof(values));
   struct drm_vc4_perfmon_get_values get = {.id = most.id, .values_ptr = (uintptr_t)values};
   assert_int_equal(call(DRM_IOCTL_VC4_PERFMON_GET_VALUES, &get), 0);
   assert_true(values[0] == 0 && values[DRM_VC4_MAX_PERF_COUNTERS - 1] == 0);
   assert_true(values[DRM_VC4_MAX_PERF_COUNTERS] == UINT64_C(0x0101010101010101));

   struct drm_vc4_perfmon_destroy destroy = {.id = most.id};
   assert_int_equal(call(DRM_IOCTL_VC4_PERFMON_DESTROY, &destroy), 0);
   assert_int_equal(call(DRM_IOCTL_VC4_PERFMON_DESTROY, &destroy), EINVAL);
   assert_int_equal(call(DRM_IOCTL_VC4_PERFMON_GET_VALUES, &get), EINVAL);
   get.id = one.id;
   assert_int_equal(call(DRM_IOCTL_VC4_PERFMON_GET_VALUES, &get), 0);
}

BEFORE_ALL
{
   drm = open("/dev/dri/renderD128", O_RDWR);
   assert_true(drm >= 0);
}
