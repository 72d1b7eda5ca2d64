/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The kernel interface itself, with raw ioctls on the preloaded shim: what it accepts, what it refuses, and with which
 * error (kernel-interface.md 2 to 4).  Nothing is executed here (TEGRA20_SHIM_NOOP), only submitted.
 */

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"
#include "drm-uapi/drm.h"
#include "drm-uapi/tegra_drm.h"
#include "tegra20/host1x_stream.h"

#define NODE "/dev/dri/renderD128"
#define BO_SIZE 8192u
#define MAX_WORDS 70000

enum { GR2D = 0x51, GR2D_SB = 0x52, GR3D = 0x60 };

/* Words that the tests' streams use for relocations of the test's buffer, by the offset that they stand for. */
#define RELOC 0xdead0000u
#define RELOC_END 0xdead0001u  /* offset = size */
#define RELOC_PAST 0xdead0002u /* offset = size + 1 */
#define RELOC_BEFORE 0xdead0003u /* offset = -4 */

static int drm;
static uint32_t bo;

/* 0, a positive number, or the negative errno. */
static int
call(unsigned long request, void *arg)
{
   int ret = ioctl(drm, request, arg);
   return ret == -1 ? -errno : ret;
}

static int64_t
now(void)
{
   struct timespec ts;
   clock_gettime(CLOCK_MONOTONIC, &ts);
   return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

static uint32_t
create_bo(uint32_t size)
{
   struct drm_tegra_gem_create args = {.size = size};
   assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_CREATE, &args), 0);
   assert_true(args.handle > 0);
   return args.handle;
}

static int
close_bo(uint32_t handle)
{
   struct drm_gem_close args = {.handle = handle};
   return call(DRM_IOCTL_GEM_CLOSE, &args);
}

static int
open_channel(uint32_t class_id, uint32_t *context)
{
   struct drm_tegra_channel_open args = {.host1x_class = class_id};
   int ret = call(DRM_IOCTL_TEGRA_CHANNEL_OPEN, &args);
   if (context)
      *context = args.context;
   return ret;
}

static int
map_bo(uint32_t context, uint32_t handle, uint32_t flags, uint32_t *mapping)
{
   struct drm_tegra_channel_map args = {.context = context, .handle = handle, .flags = flags};
   int ret = call(DRM_IOCTL_TEGRA_CHANNEL_MAP, &args);
   if (mapping)
      *mapping = args.mapping;
   return ret;
}

static int
alloc_syncpt(uint32_t *id)
{
   struct drm_tegra_syncpoint_allocate args = {.id = 0};
   int ret = call(DRM_IOCTL_TEGRA_SYNCPOINT_ALLOCATE, &args);
   *id = args.id;
   return ret;
}

static int
free_syncpt(uint32_t id)
{
   struct drm_tegra_syncpoint_free args = {.id = id};
   return call(DRM_IOCTL_TEGRA_SYNCPOINT_FREE, &args);
}

static int
wait_syncpt(uint32_t id, uint32_t threshold, int64_t deadline)
{
   struct drm_tegra_syncpoint_wait args = {.id = id, .threshold = threshold, .timeout_ns = deadline};
   return call(DRM_IOCTL_TEGRA_SYNCPOINT_WAIT, &args);
}

SETUP
{
   drm = open(NODE, O_RDWR | O_CLOEXEC);
   assert_true(drm >= 0);
   bo = create_bo(BO_SIZE);
}

TEARDOWN
{
   close(drm);
}

/* --- a submission that tests spoil --------------------------------------------------------------------------------- */

struct job {
   struct drm_tegra_channel_submit args;
   uint32_t *words;
   struct drm_tegra_submit_buf bufs[700];
   struct drm_tegra_submit_cmd cmds[700];
   uint32_t mapping;
};

/* One gather of the given words plus the increment of a fresh sync point. */
static struct job *
make_job(uint32_t class_id, const uint32_t *words, unsigned count)
{
   struct job *job = calloc(1, sizeof(*job));
   job->words = calloc(MAX_WORDS, sizeof(uint32_t));
   assert_int_equal(open_channel(class_id, &job->args.context), 0);
   assert_int_equal(map_bo(job->args.context, bo, DRM_TEGRA_CHANNEL_MAP_READ_WRITE, &job->mapping), 0);
   assert_int_equal(alloc_syncpt(&job->args.syncpt.id), 0);
   for (unsigned i = 0; i < count; i++) {
      job->words[i] = words[i];
      if (words[i] >> 16 != RELOC >> 16)
         continue;
      static const uint64_t offsets[] = {0, BO_SIZE, BO_SIZE + 1, (uint64_t)-4};
      struct drm_tegra_submit_buf *buf = &job->bufs[job->args.num_bufs++];
      buf->mapping = job->mapping;
      buf->reloc.target_offset = offsets[words[i] & 3];
      buf->reloc.gather_offset_words = i;
   }
   job->words[count++] = host1x_imm(0, 0x100 | job->args.syncpt.id);
   job->args.gather_data_words = count;
   job->args.num_cmds = 1;
   job->cmds[0].gather_uptr.words = count;
   job->args.syncpt.increments = 1;
   job->args.bufs_ptr = (uintptr_t)job->bufs;
   job->args.cmds_ptr = (uintptr_t)job->cmds;
   job->args.gather_data_ptr = (uintptr_t)job->words;
   return job;
}

static int
finish_job(struct job *job)
{
   struct drm_tegra_channel_close args = {.context = job->args.context};
   int ret = call(DRM_IOCTL_TEGRA_CHANNEL_SUBMIT, &job->args);
   call(DRM_IOCTL_TEGRA_CHANNEL_CLOSE, &args);
   free_syncpt(job->args.syncpt.id);
   free(job->words);
   free(job);
   return ret;
}

/* --- the firewall -------------------------------------------------------------------------------------------------- */

static const struct {
   const char *name;
   uint32_t class_id;
   uint32_t words[6];
   unsigned count;
   int expected;
} streams_cases[] = {
#define INCR(reg, n) (1u << 28 | (reg) << 16 | (n))
#define NONINCR(reg, n) (2u << 28 | (reg) << 16 | (n))
#define MASK(reg, mask) (3u << 28 | (reg) << 16 | (mask))
#define IMM(reg, value) (4u << 28 | (reg) << 16 | (value))
#define SETCL(reg, class_id, mask) ((reg) << 16 | (class_id) << 6 | (mask))
   {"nothing", GR3D, {0x20000000}, 1, 0},
   {"zero address", GR3D, {INCR(0xe00, 1), 0}, 2, -EINVAL},
   {"unrelocated address", GR3D, {INCR(0xe00, 1), 0x12345678}, 2, -EINVAL},
   {"relocated address", GR3D, {INCR(0xe00, 1), RELOC}, 2, 0},
   {"address of the end", GR3D, {INCR(0xe00, 1), RELOC_END}, 2, 0},
   {"address past the end", GR3D, {INCR(0xe00, 1), RELOC_PAST}, 2, -EINVAL},
   {"address before the start", GR3D, {INCR(0xe00, 1), RELOC_BEFORE}, 2, -EINVAL},
   {"second word of INCR is an address", GR3D, {INCR(0x11f, 3), 7, 7, 0}, 4, -EINVAL},
   {"INCR over an address, relocated", GR3D, {INCR(0x11f, 3), 7, 7, RELOC}, 4, 0},
   {"NONINCR to an address", GR3D, {NONINCR(0x904, 2), RELOC, 0}, 3, -EINVAL},
   {"NONINCR, both relocated", GR3D, {NONINCR(0x904, 2), RELOC, RELOC}, 3, 0},
   {"MASK selects an address", GR3D, {MASK(0x11f, 5), 7, 0}, 3, -EINVAL},
   {"MASK passes an address by", GR3D, {MASK(0x11f, 3), 7, 7}, 3, 0},
   {"MASK address relocated", GR3D, {MASK(0x11f, 5), 7, RELOC}, 3, 0},
   {"IMM to an address register", GR3D, {IMM(0xe00, 4)}, 1, -EINVAL},
   {"IMM to another register", GR3D, {IMM(0xa00, 0xe01)}, 1, 0},
   {"IMM past the checked registers", GR3D, {IMM(0xe90, 4)}, 1, 0},
   {"SETCL own class", GR3D, {SETCL(0, GR3D, 0)}, 1, 0},
   {"SETCL with data for an address", GR3D, {SETCL(0xe00, GR3D, 1), 0}, 2, -EINVAL},
   {"SETCL with data for an address, relocated", GR3D, {SETCL(0xe00, GR3D, 1), RELOC}, 2, 0},
   {"2D class on the 3D channel", GR3D, {SETCL(0, GR2D, 0)}, 1, -EINVAL},
   {"host1x class on the 3D channel", GR3D, {SETCL(8, 1, 1), 0}, 2, -EINVAL},
   {"class 0 on the 3D channel", GR3D, {0}, 1, -EINVAL},
   {"2D class on the 2D channel", GR2D, {SETCL(0, GR2D, 0)}, 1, 0},
   {"2D SB class on the 2D channel", GR2D, {SETCL(0, GR2D_SB, 0)}, 1, 0},
   {"3D class on the 2D channel", GR2D, {SETCL(0, GR3D, 0)}, 1, -EINVAL},
   {"host1x class on the 2D channel", GR2D, {SETCL(0, 1, 0)}, 1, -EINVAL},
   {"2D zero address", GR2D, {INCR(0x2b, 1), 0}, 2, -EINVAL},
   {"2D relocated address", GR2D, {INCR(0x2b, 1), RELOC}, 2, 0},
   {"3D address register on the 2D channel", GR2D, {INCR(0x100, 1), 0}, 2, 0},
   {"RESTART", GR3D, {5u << 28}, 1, -EINVAL},
   {"GATHER", GR3D, {6u << 28, 0}, 2, -EINVAL},
   {"opcode 7", GR3D, {7u << 28}, 1, -EINVAL},
   {"opcode 8", GR3D, {8u << 28}, 1, -EINVAL},
   {"SETPYLD", GR3D, {9u << 28}, 1, 0},
   {"INCR_W with the payload's count", GR3D, {9u << 28 | 1, 10u << 28 | 0xe00, 0}, 3, -EINVAL},
   {"NONINCR_W with the payload's count", GR3D, {9u << 28 | 1, 11u << 28 | 0xe00, RELOC}, 3, 0},
   {"NONINCR_W in front of an address", GR3D, {9u << 28 | 2, 11u << 28 | 0xdff, 0, 0}, 4, 0},
   {"opcode 12", GR3D, {12u << 28}, 1, -EINVAL},
   {"opcode 13", GR3D, {13u << 28}, 1, -EINVAL},
   {"EXTEND", GR3D, {14u << 28}, 1, -EINVAL},
   {"opcode 15", GR3D, {15u << 28}, 1, -EINVAL},
   {"data words missing", GR3D, {INCR(0x208, 3), 0}, 2, -EINVAL},
   {"INCR without words", GR3D, {INCR(0xe00, 0)}, 1, 0},
};

TEST_ROWS(streams, streams_cases)
{
   assert_int_equal(finish_job(make_job(c->class_id, c->words, c->count)), c->expected);
}

static bool
in_ranges(const uint16_t (*ranges)[3], unsigned count, unsigned reg)
{
   for (unsigned i = 0; i < count; i++) {
      if (reg >= ranges[i][0] && reg <= ranges[i][1] && (reg - ranges[i][0]) % ranges[i][2] == 0)
         return true;
   }
   return false;
}

/* Every register of every class: refused exactly when kernel-interface.md 4.3 calls it an address register. */
TEST(address_registers)
{
   static const uint16_t gr3d[][3] = {
      {0x100, 0x11e, 2}, {0x121, 0x121, 1}, {0x415, 0x419, 2}, {0x710, 0x71f, 1}, {0x904, 0x904, 1},
      {0xe00, 0xe0f, 1}, {0xe2a, 0xe2a, 1}, {0xe30, 0xe3f, 1}, {0xe50, 0xe5f, 1}, {0xe60, 0xe6f, 1},
   };
   static const uint16_t gr2d[][3] = {
      {0x1a, 0x1b, 1}, {0x26, 0x26, 1}, {0x2b, 0x2d, 1}, {0x31, 0x32, 1}, {0x47, 0x4c, 1},
   };
   for (unsigned reg = 0; reg < 0x1000; reg++) {
      const uint32_t words[] = {INCR(reg, 1), 0};
      bool refused = finish_job(make_job(GR3D, words, 2)) == -EINVAL;
      if (refused != in_ranges(gr3d, COUNT(gr3d), reg))
         fail_msg("GR3D register 0x%03x %s", reg, refused ? "refused" : "accepted");
   }
   for (unsigned reg = 0; reg < 0x80; reg++) {
      for (unsigned class_id = GR2D; class_id <= GR2D_SB; class_id++) {
         const uint32_t words[] = {SETCL(0, class_id, 0), INCR(reg, 1), 0};
         bool refused = finish_job(make_job(GR2D, words, 3)) == -EINVAL;
         if (refused != in_ranges(gr2d, COUNT(gr2d), reg))
            fail_msg("class 0x%x register 0x%03x %s", class_id, reg, refused ? "refused" : "accepted");
      }
   }
}

/* An address in a mapped buffer that the job does not list is refused. */
TEST(unlisted_buffer)
{
   const uint32_t words[] = {INCR(0xe00, 1), RELOC, INCR(0xe01, 1), RELOC};
   uint32_t other = create_bo(4096);
   struct job *job = make_job(GR3D, words, 4);
   assert_int_equal(map_bo(job->args.context, other, 3, &job->bufs[1].mapping), 0);
   assert_int_equal(finish_job(job), 0);
   job = make_job(GR3D, words, 4);
   job->args.num_bufs = 1;
   job->words[3] = 0x01000000; /* where memory begins: the buffers are elsewhere */
   assert_int_equal(finish_job(job), -EINVAL);
   close_bo(other);
}

TEST(class_carries_over)
{
   /* 0x100 is an address register of the 3D class only; 0x2b only of the 2D classes. */
   const uint32_t words[] = {SETCL(0, GR2D_SB, 0), 0x20000000, INCR(0x2b, 1), 0};
   struct job *job = make_job(GR2D, words, 4);
   job->args.num_cmds = 2;
   job->cmds[0].gather_uptr.words = 1;
   job->cmds[1].gather_uptr.words = 4;
   assert_int_equal(finish_job(job), -EINVAL);
}

TEST(packet_straddles_gathers)
{
   const uint32_t words[] = {INCR(0x208, 2), 1, 2};
   struct job *job = make_job(GR3D, words, 3);
   job->args.num_cmds = 2;
   job->cmds[0].gather_uptr.words = 2;
   job->cmds[1].gather_uptr.words = 2;
   assert_int_equal(finish_job(job), -EINVAL);
}

/* --- the limits and fields of CHANNEL_SUBMIT ------------------------------------------------------------------------ */

static const uint32_t nop[] = {0x20000000};

/* So many relocations of one address. */
static void
fill_bufs(struct job *job, unsigned count)
{
   job->args.num_bufs = count;
   for (unsigned i = 0; i < count; i++)
      job->bufs[i] = (struct drm_tegra_submit_buf){.mapping = job->mapping, .reloc.gather_offset_words = 1};
   job->words[0] = INCR(0xe00, 1);
   job->words[2] = host1x_imm(0, 0x100 | job->args.syncpt.id);
   job->args.gather_data_words = job->cmds[0].gather_uptr.words = 3;
}

/* All but the last command are empty gathers. */
static void
fill_cmds(struct job *job, unsigned count)
{
   job->args.num_cmds = count;
   job->cmds[count - 1] = job->cmds[0];
   job->cmds[0].gather_uptr.words = 0;
}

/* A gather, and waits of two slots each that are over. */
static void
fill_waits(struct job *job, unsigned count)
{
   job->args.num_cmds = count + 1;
   for (unsigned i = 1; i <= count; i++)
      job->cmds[i] = (struct drm_tegra_submit_cmd){
         .type = DRM_TEGRA_SUBMIT_CMD_WAIT_SYNCPT_RELATIVE, .wait_syncpt = {.id = job->args.syncpt.id}};
}

/* Gathers of so many words; four of the longest. */
static void
fill_gathers(struct job *job, unsigned words)
{
   for (unsigned i = 0; i < words - 1; i++)
      job->words[i] = nop[0];
   job->words[words - 1] = host1x_imm(0, 0x100 | job->args.syncpt.id);
   job->args.gather_data_words = job->cmds[0].gather_uptr.words = words;
   job->args.num_cmds = words > 16384 ? 4 : 1;
   for (unsigned i = 0; i < job->args.num_cmds; i++)
      job->cmds[i].gather_uptr.words = words / job->args.num_cmds;
}

/* In front of the gather, for the job's sync point or the one behind it. */
static void
wait_for(struct job *job, unsigned behind)
{
   job->args.num_cmds = 2;
   job->cmds[1] = job->cmds[0];
   job->cmds[0] = (struct drm_tegra_submit_cmd){.type = DRM_TEGRA_SUBMIT_CMD_WAIT_SYNCPT_RELATIVE,
                                                .wait_syncpt = {.id = job->args.syncpt.id + behind}};
}

/* What fills a job, and a field that is then changed. */
static const struct {
   const char *name;
   int expected;
   void (*fill)(struct job *job, unsigned count);
   unsigned count, offset, size; /* of the field, in bytes; 0: none */
   uint64_t value;
} submit_cases[] = {
#define NO_FIELD 0, 0, 0
#define FIELD(member, value) offsetof(struct job, member), sizeof(((struct job *)NULL)->member), value
   {"unchanged", 0, NULL, 0, NO_FIELD},
   {"unknown context", -EINVAL, NULL, 0, FIELD(args.context, 101)},
   {"no words", -EINVAL, NULL, 0, FIELD(args.gather_data_words, 0)},
   {"bad pointer to words", -EFAULT, NULL, 0, FIELD(args.gather_data_ptr, 0)},
   {"bad pointer to commands", -EFAULT, NULL, 0, FIELD(args.cmds_ptr, 16)},
   {"bad pointer to buffers", -EFAULT, fill_bufs, 1, FIELD(args.bufs_ptr, 16)},
   {"no gather", -EINVAL, NULL, 0, FIELD(args.num_cmds, 0)},
   {"682 buffers", 0, fill_bufs, 682, NO_FIELD},
   {"683 buffers", -E2BIG, fill_bufs, 683, NO_FIELD},
   {"682 commands", -EDEADLK, fill_cmds, 682, NO_FIELD},
   {"683 commands", -E2BIG, fill_cmds, 683, NO_FIELD},
   /* The push buffer has 510 slots, of which the kernel takes two for itself (kernel-review.md 1). */
   {"508 gathers", 0, fill_cmds, 508, NO_FIELD},
   {"509 gathers", -EDEADLK, fill_cmds, 509, NO_FIELD},
   {"253 waits", 0, fill_waits, 253, NO_FIELD},
   {"254 waits", -EDEADLK, fill_waits, 254, NO_FIELD},
   {"gather of 16383 words", 0, fill_gathers, 16383, NO_FIELD},
   {"gather of 16384 words", -EINVAL, fill_gathers, 16384, NO_FIELD},
   {"four longest gathers", 0, fill_gathers, 4 * 16383, NO_FIELD},
   {"gathers longer than the words", -EINVAL, NULL, 0, FIELD(cmds[0].gather_uptr.words, 3)},
   {"flags of a command", -EINVAL, NULL, 0, FIELD(cmds[0].flags, 1)},
   {"reserved word of a command", -EINVAL, NULL, 0, FIELD(cmds[0].gather_uptr.reserved[1], 1)},
   {"unknown command", -EINVAL, NULL, 0, FIELD(cmds[0].type, 3)},
   {"flags of a buffer", -EINVAL, fill_bufs, 1, FIELD(bufs[0].flags, 2)},
   {"sector layout", 0, fill_bufs, 1, FIELD(bufs[0].flags, 1)},
   {"unknown mapping", -EINVAL, fill_bufs, 1, FIELD(bufs[0].mapping, 6)},
   {"relocation outside the words", -EINVAL, fill_bufs, 1, FIELD(bufs[0].reloc.gather_offset_words, 3)},
   {"relocation shift", -EINVAL, fill_bufs, 1, FIELD(bufs[0].reloc.shift, 4)},
   {"flags of the sync point", -EINVAL, NULL, 0, FIELD(args.syncpt.flags, 1)},
   {"reserved sync point", -EINVAL, NULL, 0, FIELD(args.syncpt.id, 26)},
   {"sync point 32", -EINVAL, NULL, 0, FIELD(args.syncpt.id, 32)},
   {"relative wait on another sync point", -EINVAL, wait_for, 1, NO_FIELD},
   {"reserved word of a wait", -EINVAL, wait_for, 0, FIELD(cmds[0].wait_syncpt.reserved[0], 1)},
   {"relative wait", 0, wait_for, 0, NO_FIELD},
   {"unknown syncobj_out", -ENOENT, NULL, 0, FIELD(args.syncobj_out, 77)},
   {"unknown syncobj_in", -ENOENT, NULL, 0, FIELD(args.syncobj_in, 77)},
};

TEST_ROWS(submit_fields, submit_cases)
{
   struct job *job = make_job(GR3D, nop, 1);
   uint32_t syncpt = job->args.syncpt.id;
   if (c->fill)
      c->fill(job, c->count);
   memcpy((uint8_t *)job + c->offset, &c->value, c->size);
   assert_int_equal(finish_job(job), c->expected);
   free_syncpt(syncpt);
}

TEST(foreign_syncpt)
{
   int first = drm;
   uint32_t id;
   assert_int_equal(alloc_syncpt(&id), 0);
   drm = open(NODE, O_RDWR | O_CLOEXEC);
   uint32_t other_bo = bo;
   bo = create_bo(BO_SIZE);
   struct job *job = make_job(GR3D, nop, 1);
   uint32_t own = job->args.syncpt.id;
   job->args.syncpt.id = id;
   assert_int_equal(finish_job(job), -EINVAL);
   assert_int_equal(free_syncpt(own), 0);
   assert_int_equal(free_syncpt(id), -EINVAL);
   close(drm);
   drm = first;
   bo = other_bo;
   assert_int_equal(free_syncpt(id), 0);
}

/* Waiting works, but the call then returns the time that was left and submits nothing (2.7, step 2). */
TEST(syncobj_in_is_broken)
{
   struct drm_syncobj_create create = {.flags = DRM_SYNCOBJ_CREATE_SIGNALED};
   assert_int_equal(call(DRM_IOCTL_SYNCOBJ_CREATE, &create), 0);
   struct job *job = make_job(GR3D, nop, 1);
   job->args.syncobj_in = create.handle;
   uint32_t before = job->args.syncpt.value;
   assert_true(call(DRM_IOCTL_TEGRA_CHANNEL_SUBMIT, &job->args) > 0);
   assert_int_equal(job->args.syncpt.value, before);
   job->args.syncobj_in = 0;
   assert_int_equal(finish_job(job), 0);
}

TEST(job_advances_syncpt)
{
   struct job *job = make_job(GR3D, nop, 1);
   uint32_t id = job->args.syncpt.id;
   assert_int_equal(call(DRM_IOCTL_TEGRA_CHANNEL_SUBMIT, &job->args), 0);
   uint32_t first = job->args.syncpt.value;
   assert_int_equal(wait_syncpt(id, first, now() + 1000000000), 0);
   assert_int_equal(wait_syncpt(id, first, 0), 0);
   assert_int_equal(wait_syncpt(id, first + 1, 0), -EAGAIN);
   assert_int_equal(call(DRM_IOCTL_TEGRA_CHANNEL_SUBMIT, &job->args), 0);
   assert_int_equal(job->args.syncpt.value, first + 1);
   assert_int_equal(finish_job(job), 0);
}

/* Fewer increments than announced: the job times out, its sync point is locked until it is freed. */
TEST(timeout_locks_syncpt)
{
   struct job *job = make_job(GR3D, nop, 1);
   uint32_t id = job->args.syncpt.id;
   job->args.syncpt.increments = 2;
   assert_int_equal(call(DRM_IOCTL_TEGRA_CHANNEL_SUBMIT, &job->args), 0);
   uint32_t value = job->args.syncpt.value;
   assert_int_equal(wait_syncpt(id, value, now() + 50000000), -EAGAIN);
   job->args.syncpt.increments = 1;
   assert_int_equal(call(DRM_IOCTL_TEGRA_CHANNEL_SUBMIT, &job->args), -EPERM);
   assert_int_equal(free_syncpt(id), 0);
   assert_int_equal(alloc_syncpt(&job->args.syncpt.id), 0);
   assert_int_equal(job->args.syncpt.id, id);
   assert_int_equal(finish_job(job), 0);
}

/* --- the other ioctls ------------------------------------------------------------------------------------------------ */

TEST(channels)
{
   struct drm_tegra_channel_open open_args = {.host1x_class = GR3D, .flags = 1};
   assert_int_equal(call(DRM_IOCTL_TEGRA_CHANNEL_OPEN, &open_args), -EINVAL);
   assert_int_equal(open_channel(GR2D_SB, NULL), -ENODEV);
   assert_int_equal(open_channel(1, NULL), -ENODEV);
   open_args = (struct drm_tegra_channel_open){.host1x_class = GR3D, .capabilities = 7};
   assert_int_equal(call(DRM_IOCTL_TEGRA_CHANNEL_OPEN, &open_args), 0);
   assert_int_equal(open_args.context, 1);
   assert_int_equal(open_args.version, 0x20);
   assert_int_equal(open_args.capabilities, 0);
   uint32_t second;
   assert_int_equal(open_channel(GR2D, &second), 0);
   assert_int_equal(second, 2);

   uint32_t mapping;
   assert_int_equal(map_bo(1, bo, 0, NULL), -EINVAL);
   assert_int_equal(map_bo(1, bo, 4, NULL), -EINVAL);
   assert_int_equal(map_bo(1, 99, 3, NULL), -EINVAL);
   assert_int_equal(map_bo(9, bo, 3, NULL), -EINVAL);
   assert_int_equal(map_bo(1, bo, 1, &mapping), 0);
   assert_int_equal(mapping, 1);
   assert_int_equal(map_bo(1, bo, 2, &mapping), 0);
   assert_int_equal(mapping, 2);
   struct drm_tegra_channel_unmap unmap = {.context = 1, .mapping = 1};
   assert_int_equal(call(DRM_IOCTL_TEGRA_CHANNEL_UNMAP, &unmap), 0);
   assert_int_equal(call(DRM_IOCTL_TEGRA_CHANNEL_UNMAP, &unmap), -EINVAL);
   assert_int_equal(map_bo(1, bo, 3, &mapping), 0);
   assert_int_equal(mapping, 1);

   struct drm_tegra_channel_close close_args = {.context = 1};
   assert_int_equal(call(DRM_IOCTL_TEGRA_CHANNEL_CLOSE, &close_args), 0);
   assert_int_equal(call(DRM_IOCTL_TEGRA_CHANNEL_CLOSE, &close_args), -EINVAL);
}

/* What a file's channels have mapped is free when it is closed: more in all than there is at once. */
TEST(memory_of_closed_files)
{
   const int first = drm;
   for (unsigned i = 0; i < 5; i++) {
      uint32_t context;
      drm = open(NODE, O_RDWR | O_CLOEXEC);
      assert_int_equal(open_channel(GR3D, &context), 0);
      assert_int_equal(map_bo(context, create_bo(300 << 20), 3, NULL), 0);
      close(drm);
   }
   drm = first;
}

TEST(buffers)
{
   uint32_t handle = create_bo(5000);
   struct drm_tegra_gem_mmap args = {.handle = handle};
   assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_MMAP, &args), 0);
   uint8_t *map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, drm, args.offset);
   assert_ptr_not_equal(map, MAP_FAILED);
   for (unsigned i = 0; i < 8192; i++)
      assert_int_equal(map[i], 0);
   memset(map, 0xff, 8192);
   assert_ptr_equal(mmap(NULL, 12288, PROT_READ, MAP_SHARED, drm, args.offset), MAP_FAILED);
   assert_int_equal(errno, EINVAL);
   assert_ptr_equal(mmap(NULL, 4096, PROT_READ, MAP_SHARED, drm, args.offset + 4096), MAP_FAILED);
   assert_int_equal(close_bo(handle), 0);
   assert_int_equal(close_bo(handle), -EINVAL);
   assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_MMAP, &args), -EINVAL);
   assert_int_equal(map[0], 0xff); /* a mapping keeps the memory alive */
   munmap(map, 8192);

   /* The same size again gets zeroed memory and the lowest free handle. */
   args.handle = create_bo(5000);
   assert_int_equal(args.handle, handle);
   assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_MMAP, &args), 0);
   map = mmap(NULL, 8192, PROT_READ, MAP_SHARED, drm, args.offset);
   assert_int_equal(map[0], 0);
   assert_int_equal(map[8191], 0);
   munmap(map, 8192);

   struct drm_tegra_gem_create huge = {.size = 3ull << 30};
   assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_CREATE, &huge), -ENOMEM);
}

TEST(syncpoints)
{
   uint32_t ids[32], mask = 0;
   unsigned count = 0;
   int ret;
   while ((ret = alloc_syncpt(&ids[count])) == 0)
      mask |= 1u << ids[count++];
   assert_int_equal(ret, -EBUSY);
   assert_in_range(count, 15, 29);
   assert_int_equal(mask & (1u << 0 | 1u << 26 | 1u << 27), 0);
   for (unsigned i = 0; i < count; i++)
      assert_int_equal(free_syncpt(ids[i]), 0);
   assert_int_equal(free_syncpt(ids[0]), -EINVAL);
   assert_int_equal(free_syncpt(0), -EINVAL);

   struct drm_tegra_syncpoint_allocate alloc = {.id = 5};
   assert_int_equal(call(DRM_IOCTL_TEGRA_SYNCPOINT_ALLOCATE, &alloc), -EINVAL);
   assert_int_equal(wait_syncpt(32, 0, 0), -EINVAL);
   struct drm_tegra_syncpoint_wait wait = {.id = 1, .padding = 1};
   assert_int_equal(call(DRM_IOCTL_TEGRA_SYNCPOINT_WAIT, &wait), -EINVAL);

   /* A wait ends at its absolute time, not before. */
   assert_int_equal(alloc_syncpt(&ids[0]), 0);
   uint32_t unreached = 0;
   if (wait_syncpt(ids[0], unreached, 0) == 0)
      unreached = 0x80000000u;
   if (wait_syncpt(ids[0], unreached, 0) == 0)
      unreached = 0x40000000u;
   int64_t start = now();
   assert_int_equal(wait_syncpt(ids[0], unreached, start + 30000000), -EAGAIN);
   assert_true(now() - start >= 30000000);
}

TEST(syncobjs)
{
   struct drm_syncobj_create create = {0}, signalled = {.flags = DRM_SYNCOBJ_CREATE_SIGNALED};
   assert_int_equal(call(DRM_IOCTL_SYNCOBJ_CREATE, &create), 0);
   assert_int_equal(call(DRM_IOCTL_SYNCOBJ_CREATE, &signalled), 0);
   assert_int_not_equal(create.handle, signalled.handle);
   struct drm_syncobj_wait wait = {.handles = (uintptr_t)&create.handle, .count_handles = 1};
   assert_int_equal(call(DRM_IOCTL_SYNCOBJ_WAIT, &wait), -EINVAL);
   wait.flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT;
   assert_int_equal(call(DRM_IOCTL_SYNCOBJ_WAIT, &wait), -ETIME);
   wait.handles = (uintptr_t)&signalled.handle;
   assert_int_equal(call(DRM_IOCTL_SYNCOBJ_WAIT, &wait), 0);

   /* No fence yet: nothing to export. */
   struct drm_syncobj_handle export = {.handle = create.handle, .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE};
   assert_int_equal(call(DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &export), -EINVAL);
   struct job *job = make_job(GR3D, nop, 1);
   job->args.syncobj_out = create.handle;
   assert_int_equal(finish_job(job), 0);
   assert_int_equal(call(DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &export), 0);
   struct drm_syncobj_destroy destroy = {.handle = create.handle};
   assert_int_equal(call(DRM_IOCTL_SYNCOBJ_DESTROY, &destroy), 0);
   assert_int_equal(call(DRM_IOCTL_SYNCOBJ_DESTROY, &destroy), -EINVAL);

   /* Back in. */
   assert_int_equal(call(DRM_IOCTL_SYNCOBJ_CREATE, &create), 0);
   struct drm_syncobj_handle import = {.handle = create.handle, .fd = export.fd,
                                       .flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE};
   assert_int_equal(call(DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &import), 0);
   wait = (struct drm_syncobj_wait){.handles = (uintptr_t)&create.handle, .count_handles = 1, .timeout_nsec = now() + 1000000000};
   assert_int_equal(call(DRM_IOCTL_SYNCOBJ_WAIT, &wait), 0);
   import.fd = drm;
   assert_int_equal(call(DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &import), -EINVAL);
   close(export.fd);

   /* Fences of all are taken and given, or those of none. */
   uint32_t handles[] = {create.handle, signalled.handle, 99};
   struct drm_syncobj_array array = {.handles = (uintptr_t)handles, .count_handles = 2};
   wait = (struct drm_syncobj_wait){.handles = (uintptr_t)handles, .count_handles = 2, .flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL};
   assert_int_equal(call(DRM_IOCTL_SYNCOBJ_RESET, &array), 0);
   assert_int_equal(call(DRM_IOCTL_SYNCOBJ_WAIT, &wait), -EINVAL);
   array.count_handles = 3;
   assert_int_equal(call(DRM_IOCTL_SYNCOBJ_SIGNAL, &array), -ENOENT);
   assert_int_equal(call(DRM_IOCTL_SYNCOBJ_WAIT, &wait), -EINVAL);
   array.count_handles = 2;
   assert_int_equal(call(DRM_IOCTL_SYNCOBJ_SIGNAL, &array), 0);
   assert_int_equal(call(DRM_IOCTL_SYNCOBJ_WAIT, &wait), 0);
   array.pad = 1;
   assert_int_equal(call(DRM_IOCTL_SYNCOBJ_RESET, &array), -EINVAL);
   assert_int_equal(call(DRM_IOCTL_SYNCOBJ_WAIT, &wait), 0);
}

TEST(attributes_of_buffers)
{
   struct drm_tegra_gem_set_tiling set = {.handle = bo, .mode = DRM_TEGRA_GEM_TILING_MODE_BLOCK, .value = 5};
   struct drm_tegra_gem_get_tiling get = {.handle = bo};
   assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_SET_TILING, &set), 0);
   assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_GET_TILING, &get), 0);
   assert_int_equal(get.mode, DRM_TEGRA_GEM_TILING_MODE_BLOCK);
   assert_int_equal(get.value, 5);
   set.value = 6;
   assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_SET_TILING, &set), -EINVAL);
   set = (struct drm_tegra_gem_set_tiling){.handle = bo, .mode = DRM_TEGRA_GEM_TILING_MODE_TILED, .value = 1};
   assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_SET_TILING, &set), -EINVAL);
   set.mode = DRM_TEGRA_GEM_TILING_MODE_BLOCK + 1;
   set.value = 0;
   assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_SET_TILING, &set), -EINVAL);
   set = (struct drm_tegra_gem_set_tiling){.handle = 99};
   get.handle = 99;
   assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_SET_TILING, &set), -ENOENT);
   assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_GET_TILING, &get), -ENOENT);

   for (uint32_t flags = DRM_TEGRA_GEM_BOTTOM_UP + 1; flags-- > 0;) {
      struct drm_tegra_gem_set_flags change = {.handle = bo, .flags = flags};
      struct drm_tegra_gem_get_flags found = {.handle = bo, .flags = 99};
      assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_SET_FLAGS, &change), 0);
      assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_GET_FLAGS, &found), 0);
      assert_int_equal(found.flags, flags);
      found.handle = change.handle = 99;
      assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_SET_FLAGS, &change), -ENOENT);
      assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_GET_FLAGS, &found), -ENOENT);
   }
   struct drm_tegra_gem_set_flags unknown = {.handle = bo, .flags = 2};
   assert_int_equal(call(DRM_IOCTL_TEGRA_GEM_SET_FLAGS, &unknown), -EINVAL);
}

TEST(core)
{
   char name[6] = {0};
   struct drm_version version = {.name = name, .name_len = 5};
   assert_int_equal(call(DRM_IOCTL_VERSION, &version), 0);
   assert_string_equal(name, "tegra");
   assert_int_equal(version.name_len, 5);
   assert_int_equal(version.version_major, 1);

   struct drm_get_cap cap = {.capability = DRM_CAP_PRIME};
   assert_int_equal(call(DRM_IOCTL_GET_CAP, &cap), 0);
   assert_int_equal(cap.value, 3);
   cap.capability = DRM_CAP_SYNCOBJ_TIMELINE;
   assert_int_equal(call(DRM_IOCTL_GET_CAP, &cap), 0);
   assert_int_equal(cap.value, 0);
   cap.capability = 0x7777;
   assert_int_equal(call(DRM_IOCTL_GET_CAP, &cap), -EINVAL);

   cap.capability = DRM_CAP_CURSOR_WIDTH;
   assert_int_equal(call(DRM_IOCTL_GET_CAP, &cap), 0);
   assert_int_equal(cap.value, 64);

   struct drm_gem_flink flink = {.handle = bo};
   assert_int_equal(call(DRM_IOCTL_GEM_FLINK, &flink), -EACCES);
   assert_int_equal(call(_IO('d', 0x7f), NULL), -EINVAL);
   assert_int_equal(call(DRM_IOCTL_VERSION, NULL), -EFAULT);
}

TEST(prime)
{
   struct drm_prime_handle prime = {.handle = bo, .flags = DRM_CLOEXEC | DRM_RDWR};
   assert_int_equal(call(DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime), 0);
   assert_int_equal(lseek(prime.fd, 0, SEEK_END), BO_SIZE);
   assert_int_equal(fcntl(prime.fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
   struct drm_prime_handle import = {.fd = prime.fd};
   assert_int_equal(call(DRM_IOCTL_PRIME_FD_TO_HANDLE, &import), 0);
   assert_int_equal(import.handle, bo);
   prime.handle = 99;
   assert_int_equal(call(DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime), -ENOENT);
   import.fd = -1;
   assert_int_equal(call(DRM_IOCTL_PRIME_FD_TO_HANDLE, &import), -EBADF);
   import.fd = drm;
   assert_int_equal(call(DRM_IOCTL_PRIME_FD_TO_HANDLE, &import), -EINVAL);
   close(prime.fd);
}

/* Elsewhere the streams would be executed, of which some make the engine hang, and a job with too many slots would hang the
 * kernel's channel until the machine is started again. */
BEFORE_ALL
{
   const char *preload = getenv("LD_PRELOAD");

   if (!preload || !strstr(preload, "drm_shim")) {
      fprintf(stderr, "test_abi: only for the simulated kernel (tegra20-run)\n");
      exit(77);
   }
}
