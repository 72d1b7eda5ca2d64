/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Jobs that no GL program makes, through the driver's own winsys; to be run in tegra20-vm.
 *
 *   test_vm_jobs lengths    jobs of every length around each limit
 *   test_vm_jobs hang [N]   a job on which GR3D hangs, N times (default 1), each followed by twenty that must run
 *   test_vm_jobs thresholds waits in streams when sync points pass 2^23 and 2^24 (the engines compare 24 bits)
 *   test_vm_jobs scattered  a dma-buf whose pages are in no order, which the kernel takes and the winsys must not (as root)
 *   test_vm_jobs fresh      half of the memory, which must be zero, and is full of a pattern then
 *
 * Prints how many jobs ran and how many were lost; status 1 when one was lost that should have run.
 */

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tegra20/host1x_stream.h"
#include "tegra20_ws_internal.h"

#define FOREVER UINT64_MAX
/* A register of each engine that holds a number and does nothing. */
#define REG_GR3D 0x342
#define REG_GR2D 0x28
#define REG_VP_ATTRIBUTES 0x120
#define REG_DRAW 0x122
/* Registers of each engine that hold an address. */
#define REG_GR3D_SURFACE0 0xe00
#define REG_GR2D_DESTINATION 0x2b

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

/* False when the job has no room for another address. */
static bool
add_address(struct tegra20_job *job, unsigned reg, struct tegra20_bo *bo, unsigned access)
{
   uint32_t *words = tegra20_job_begin(job, 2, 1);
   if (!words)
      return false;
   words[0] = host1x_incr(reg, 1);
   tegra20_job_reloc(job, &words[1], bo, 0, access);
   tegra20_job_end(job, words + 2);
   return true;
}

/* Jobs with barriers up to the last one that fits, with a gather of one word before each. */
static void
barriers_of(struct tegra20_job *job, unsigned reg)
{
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
   barriers_of(job, reg);
   tegra20_job_destroy(job);
}

/* Jobs that name buffers up to as many as fit: each a buffer of its own, or all the same. */
static void
relocations_of(enum tegra20_engine engine, unsigned reg)
{
   static struct tegra20_bo *bos[TEGRA20_MAX_RELOCS + 1];
   struct tegra20_job *job = tegra20_job_create(ws, engine);
   unsigned most = 0;
   CHECK(job);
   for (unsigned i = 0; i < ARRAY_SIZE(bos); i++)
      CHECK((bos[i] = tegra20_bo_create(ws, 4096, 0)));
   for (unsigned count = 1; count <= ARRAY_SIZE(bos); count += count == 2 ? TEGRA20_MAX_RELOCS - 12 : 1) {
      for (unsigned same = 0; same < 2; same++) {
         unsigned added = 0;
         while (added < count && add_address(job, reg, bos[same ? 0 : added], TEGRA20_WRITE))
            added++;
         most = MAX2(most, added);
         submit(job);
      }
   }
   for (unsigned i = 0; i < ARRAY_SIZE(bos); i++)
      tegra20_bo_unref(bos[i]);
   tegra20_job_destroy(job);
   printf("%u relocations fit\n", most);
   CHECK(most > 100 && most < ARRAY_SIZE(bos));
}

static void
lengths(void)
{
   lengths_of(TEGRA20_ENGINE_3D, REG_GR3D);
   lengths_of(TEGRA20_ENGINE_2D, REG_GR2D);
   relocations_of(TEGRA20_ENGINE_3D, REG_GR3D_SURFACE0);
   relocations_of(TEGRA20_ENGINE_2D, REG_GR2D_DESTINATION);
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

/* Raises a sync point of the winsys in jobs that do nothing else, and waits for them. */
static void
raise_syncpt(const struct ws_syncpt *syncpt, uint32_t count)
{
   static uint32_t words[15 * TEGRA20_MAX_GATHER_WORDS];
   for (unsigned i = 0; i < ARRAY_SIZE(words); i++)
      words[i] = host1x_imm(0, syncpt->id);
   while (count) {
      const uint32_t part = MIN2(count, ARRAY_SIZE(words));
      struct ws_cmd cmds[15];
      unsigned num_cmds = 0;
      for (uint32_t left = part; left; left -= cmds[num_cmds++].words)
         cmds[num_cmds] = (struct ws_cmd){.type = WS_CMD_GATHER, .words = MIN2(left, TEGRA20_MAX_GATHER_WORDS)};
      struct ws_submission submission = {.engine = syncpt->engine, .words = words, .num_words = part, .cmds = cmds,
                                         .num_cmds = num_cmds, .syncpt = syncpt->id, .increments = part};
      uint32_t value;
      CHECK(!ws->kernel->submit(ws, &submission));
      CHECK(!ws->kernel->syncpt_wait(ws, syncpt->id, submission.value, INT64_MAX, &value));
      count -= part;
   }
}

static struct tegra20_fence *
use_buffer(struct tegra20_job *job, unsigned reg, struct tegra20_bo *bo, unsigned access)
{
   struct tegra20_fence *fence = NULL;
   CHECK(add_address(job, reg, bo, access));
   CHECK(!tegra20_job_submit(job, &fence));
   return fence;
}

static void
note_result(struct tegra20_job *job, struct tegra20_fence *fence)
{
   CHECK(tegra20_fence_wait(fence, FOREVER));
   *(tegra20_job_reset_status(job) == TEGRA20_NO_RESET ? &ran : &lost) += 1;
}

/*
 * GR2D writes a buffer, GR3D reads it: the stream of the second waits for the sync point of the first, in 24 bits.  First with
 * a writer so long ago that its value looks like one of the future; then on both sides of 2^24, without waiting in between.
 */
static void
thresholds(void)
{
   struct tegra20_job *writer = tegra20_job_create(ws, TEGRA20_ENGINE_2D), *reader = tegra20_job_create(ws, TEGRA20_ENGINE_3D);
   struct tegra20_bo *bo = tegra20_bo_create(ws, 4096, 0);
   CHECK(writer && reader && bo);
   struct tegra20_fence *written = use_buffer(writer, REG_GR2D_DESTINATION, bo, TEGRA20_WRITE);
   note_result(writer, written);
   raise_syncpt(written->syncpt, (1 << 23) + 5);
   struct tegra20_fence *read = use_buffer(reader, REG_GR3D_SURFACE0, bo, TEGRA20_READ);
   note_result(reader, read);
   raise_syncpt(written->syncpt, (1 << 23) - 100 - written->value);
   raise_syncpt(read->syncpt, (1 << 24) - 100 - read->value);
   for (unsigned i = 0; i < 100; i++) {
      tegra20_fence_unref(written);
      tegra20_fence_unref(read);
      written = use_buffer(writer, REG_GR2D_DESTINATION, bo, TEGRA20_WRITE);
      read = use_buffer(reader, REG_GR3D_SURFACE0, bo, TEGRA20_READ);
   }
   note_result(writer, written);
   note_result(reader, read);
   printf("values %u and %u\n", written->value, read->value);
   CHECK(written->value > 1 << 24 && read->value > 1 << 24);
   tegra20_fence_unref(written);
   tegra20_fence_unref(read);
   tegra20_bo_unref(bo);
   tegra20_job_destroy(writer);
   tegra20_job_destroy(reader);
   printf("%u jobs ran, %u were lost\n", ran, lost);
}

#define SCATTERED_PAGES 64

/* A dma-buf of the pages of a file, the last one first. */
static int
make_scattered(void)
{
   struct udmabuf_create_list *list = calloc(1, sizeof(*list) + SCATTERED_PAGES * sizeof(list->list[0]));
   const int device = open("/dev/udmabuf", O_RDWR | O_CLOEXEC), memory = memfd_create("pages", MFD_ALLOW_SEALING);
   CHECK(list && device >= 0 && memory >= 0);
   CHECK(!ftruncate(memory, SCATTERED_PAGES * 4096) && !fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK));
   list->flags = UDMABUF_FLAGS_CLOEXEC;
   list->count = SCATTERED_PAGES;
   for (unsigned i = 0; i < SCATTERED_PAGES; i++)
      list->list[i] = (struct udmabuf_create_item){.memfd = memory, .offset = (SCATTERED_PAGES - 1 - i) * 4096, .size = 4096};
   const int fd = ioctl(device, UDMABUF_CREATE_LIST, list);
   CHECK(fd >= 0);
   free(list);
   close(device);
   close(memory);
   return fd;
}

static void
scattered(void)
{
   const int fd = make_scattered();
   struct drm_prime_handle handle = {.fd = fd};
   CHECK(!ioctl(ws->fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &handle));
   struct drm_tegra_channel_map map = {.context = ws->context[TEGRA20_ENGINE_3D], .handle = handle.handle,
                                       .flags = DRM_TEGRA_CHANNEL_MAP_READ_WRITE};
   CHECK(!ioctl(ws->fd, DRM_IOCTL_TEGRA_CHANNEL_MAP, &map));
   printf("the kernel takes it\n");
   struct drm_tegra_channel_unmap unmap = {.context = map.context, .mapping = map.mapping};
   struct drm_gem_close close_args = {.handle = handle.handle};
   CHECK(!ioctl(ws->fd, DRM_IOCTL_TEGRA_CHANNEL_UNMAP, &unmap) && !ioctl(ws->fd, DRM_IOCTL_GEM_CLOSE, &close_args));
   struct tegra20_bo *bo = tegra20_bo_import_fd(ws, fd);
   printf("the winsys %s it\n", bo ? "takes" : "refuses");
   CHECK(!bo);
   close(fd);
}

#define FRESH_SIZE (4u << 20)

/* Buffers of the kernel for half of its contiguous memory are zero, whoever had it before. */
static void
fresh(void)
{
   struct tegra20_bo *bos[64];
   unsigned count = 0, dirty = 0;
   for (; count < ARRAY_SIZE(bos) / 2; count++) {
      CHECK((bos[count] = tegra20_bo_create(ws, FRESH_SIZE, TEGRA20_BO_SHARED)));
      uint32_t *words = tegra20_bo_map(bos[count]);
      for (unsigned i = 0; i < FRESH_SIZE / 4; i++) {
         dirty += words[i] != 0;
         words[i] = 0x5ec4e700 | count;
      }
   }
   for (unsigned i = 0; i < count; i++)
      tegra20_bo_unref(bos[i]);
   printf("%u buffers of 4 MiB, %u words not zero\n", count, dirty);
   CHECK(!dirty);
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
   else if (argc >= 2 && !strcmp(argv[1], "thresholds"))
      thresholds();
   else if (argc >= 2 && !strcmp(argv[1], "scattered"))
      scattered();
   else if (argc >= 2 && !strcmp(argv[1], "fresh"))
      fresh();
   else
      return 2;
   tegra20_winsys_unref(ws);
   close(fd);
   return lost != 0;
}
