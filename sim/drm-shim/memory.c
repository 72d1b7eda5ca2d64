/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Buffers.  Each is a memfd of its own, so that it can be exported: the
 * dma-buf that another process gets is a duplicate of the descriptor, has the
 * right size for lseek() and can be mapped.  The descriptors live above all
 * numbers that a program normally sees, and the soft limit of open files is
 * raised for them.  The tiling attribute belongs to the buffer in all
 * processes: it is kept in permission bits of the memfd, which nothing else
 * uses.
 *
 * Device addresses come from one range per process, or per chip where several
 * processes share one, with a guard page behind each buffer: an address that
 * runs out of its buffer never lands in the next one.
 *
 * A second range is the kernel's pool of contiguous memory: whoever frees
 * every other buffer has much memory and no place for a large one.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/dma-buf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/u_math.h"
#include "util/vma.h"

#include "shim.h"

/* Main memory of the machine: 1 GiB from 0, of which the first 16 MiB are
 * never given out. */
#define HEAP_START 0x01000000u
#define HEAP_SIZE (0x40000000u - HEAP_START)
#define FIRST_FD 4096

/* Of the pool; the kernel aligns up to CONFIG_CMA_ALIGNMENT. */
#define POOL_START 0x40000000u
#define POOL_MAX_ALIGNMENT (1u << 20)

static struct util_vma_heap heap, pool;
static bool heap_ready;

void
shim_memory_init(void)
{
   list_inithead(&shim.mems);
}

static void
prepare(void)
{
   if (heap_ready)
      return;
   util_vma_heap_init(&heap, HEAP_START, HEAP_SIZE);
   util_vma_heap_init(&pool, POOL_START,
                      MAX2(shim.options.memory_limit, SHIM_PAGE_SIZE));
   pool.alloc_high = false;
   heap_ready = true;
   struct rlimit limit;
   if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < SHIM_MAX_FDS) {
      limit.rlim_cur = MIN2(limit.rlim_max, SHIM_MAX_FDS);
      setrlimit(RLIMIT_NOFILE, &limit);
   }
}

/* Moves a descriptor out of the range that programs count on; keeps it where
 * it is if that fails. */
static int
move_up(int fd)
{
   int high = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FD);
   if (high < 0)
      return fd;
   close(fd);
   return high;
}

static uint32_t
allocate_address(int fd, uint32_t size)
{
   return shim.options.one_chip
             ? shim_chip_add_buffer(fd, size)
             : util_vma_heap_alloc(&heap, (uint64_t)size + SHIM_PAGE_SIZE,
                                   SHIM_PAGE_SIZE);
}

static void
free_address(uint32_t address, uint32_t size)
{
   if (shim.options.one_chip)
      shim_chip_remove_buffer(address);
   else
      util_vma_heap_free(&heap, address, (uint64_t)size + SHIM_PAGE_SIZE);
}

/* As the kernel: the first place that is large enough. */
static uint64_t
allocate_place(uint32_t size)
{
   return util_vma_heap_alloc(
      &pool, size, MIN2(util_next_power_of_two64(size), POOL_MAX_ALIGNMENT));
}

/* Takes fd. */
static struct shim_mem *
mem_create(int fd, uint32_t size)
{
   struct stat st;
   struct shim_mem *mem = calloc(1, sizeof(*mem));
   if (!mem)
      goto fail_close;
   mem->place = allocate_place(size);
   if (!mem->place)
      goto fail_free;
   mem->address = allocate_address(fd, size);
   if (!mem->address)
      goto fail_place;
   mem->cpu = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
   if (mem->cpu == MAP_FAILED || fstat(fd, &st))
      goto fail_address;
   mem->refcount = 1;
   mem->size = size;
   mem->fd = fd;
   mem->inode = st.st_ino;
   list_add(&mem->link, &shim.mems);
   shim.memory_used += size;
   shim_report_memory(shim.memory_used);
   return mem;

fail_address:
   free_address(mem->address, size);
fail_place:
   util_vma_heap_free(&pool, mem->place, size);
fail_free:
   free(mem);
fail_close:
   close(fd);
   return NULL;
}

void
shim_mem_ref(struct shim_mem *mem)
{
   mem->refcount++;
}

void
shim_mem_unref(struct shim_mem *mem)
{
   if (--mem->refcount)
      return;
   list_del(&mem->link);
   shim_record_forget(mem);
   shim_vc4_forget(mem);
   shim_msm_forget(mem);
   shim.memory_used -= mem->size;
   shim_fence_unref(mem->writer);
   for (unsigned i = 0; i < SHIM_NUM_ENGINES; i++)
      shim_fence_unref(mem->readers[i]);
   munmap(mem->cpu, mem->size);
   close(mem->fd);
   free_address(mem->address, mem->size);
   util_vma_heap_free(&pool, mem->place, mem->size);
   free(mem);
}

void
shim_mem_set_tiling(struct shim_mem *mem, uint32_t mode, uint32_t value)
{
   if (fchmod(mem->fd, S_IRWXU | (mode & 3) << 3 | (value & 7)))
      fprintf(stderr, "drm-shim: cannot note the tiling of a buffer: %s\n",
              strerror(errno));
}

void
shim_mem_get_tiling(const struct shim_mem *mem, uint32_t *mode,
                    uint32_t *value)
{
   struct stat st;
   *mode = *value = 0;
   if (!fstat(mem->fd, &st)) {
      *mode = st.st_mode >> 3 & 3;
      *value = st.st_mode & 7;
   }
}

struct shim_mem *
shim_mem_at_offset(uint64_t offset)
{
   list_for_each_entry (struct shim_mem, mem, &shim.mems, link) {
      if (mem->address == offset)
         return mem;
   }
   return NULL;
}

/* Up to this size the kernel does not give up when no page is free. */
#define COSTLY_SIZE (8 * SHIM_PAGE_SIZE)

/*
 * Is there memory for so many bytes?  Where contiguous memory has ended and
 * other pages end, too, the kernel refuses a large buffer; for a small one it
 * kills the program that it knows most memory of, here this one.
 */
static bool
has_memory_for(uint32_t size)
{
   if (shim.memory_used + size <= shim.options.memory_limit)
      return true;
   if (shim.options.cma && size <= COSTLY_SIZE) {
      fprintf(stderr, "drm-shim: out of memory: a real kernel would kill a "
                      "program now\n");
      kill(getpid(), SIGKILL);
   }
   return false;
}

bool
shim_describe_memory(char *text, size_t size)
{
   const uint64_t cma = shim.options.cma, used = shim.memory_used,
                  total = shim.options.memory_limit;

   if (cma)
      snprintf(text, size,
               "MemTotal: %8" PRIu64 " kB\nMemAvailable: %8" PRIu64
               " kB\nCmaTotal: %8" PRIu64 " kB\nCmaFree: %8" PRIu64 " kB\n",
               total / 1024, (total - used) / 1024, cma / 1024,
               (cma - MIN2(cma, used)) / 1024);
   return cma != 0;
}

int
shim_gem_create(struct shim_file *file, void *arg)
{
   struct drm_tegra_gem_create *args = arg;
   if (args->size == 0)
      return -EINVAL;
   if (args->size > HEAP_SIZE)
      return -ENOMEM;
   uint32_t size = ALIGN_POT((uint32_t)args->size, SHIM_PAGE_SIZE);
   if (!has_memory_for(size))
      return -ENOMEM;

   prepare();
   int fd = memfd_create(SHIM_BUFFER_MEMFD, MFD_CLOEXEC);
   if (fd < 0)
      return -ENOMEM;
   fd = move_up(fd);
   if (ftruncate(fd, size)) {
      close(fd);
      return -ENOMEM;
   }
   struct shim_mem *mem = mem_create(fd, size);
   if (!mem)
      return -ENOMEM;
   mem->flags = args->flags & DRM_TEGRA_GEM_CREATE_BOTTOM_UP;
   bool tiled = args->flags & DRM_TEGRA_GEM_CREATE_TILED;
   shim_mem_set_tiling(mem,
                       tiled ? DRM_TEGRA_GEM_TILING_MODE_TILED
                             : DRM_TEGRA_GEM_TILING_MODE_PITCH,
                       0);
   int handle = shim_ids_add(&file->handles, mem);
   if (handle < 0) {
      shim_mem_unref(mem);
      return handle;
   }
   args->handle = handle;
   return 0;
}

int
shim_gem_mmap(struct shim_file *file, void *arg)
{
   struct drm_tegra_gem_mmap *args = arg;
   struct shim_mem *mem = shim_ids_get(&file->handles, args->handle);
   if (!mem)
      return -EINVAL;
   args->offset = mem->address;
   return 0;
}

int
shim_gem_close(struct shim_file *file, void *arg)
{
   struct drm_gem_close *args = arg;
   struct shim_mem *mem = shim_ids_remove(&file->handles, args->handle);
   if (!mem)
      return -EINVAL;
   shim_mem_unref(mem);
   return 0;
}

/* --- dma-bufs --- */

int
shim_prime_handle_to_fd(struct shim_file *file, void *arg)
{
   struct drm_prime_handle *args = arg;
   struct shim_mem *mem = shim_ids_get(&file->handles, args->handle);
   if (args->flags & ~(DRM_CLOEXEC | DRM_RDWR))
      return -EINVAL;
   if (!mem)
      return -ENOENT;
   int fd = fcntl(mem->fd,
                  args->flags & DRM_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 0);
   if (fd < 0)
      return -errno;
   args->fd = fd;
   mem->shared = true;
   return 0;
}

/* Buffers of this kind of simulation only, also of other processes: the
 * kernel knows no other contiguous memory here. */
bool
shim_is_dma_buf(int fd)
{
   return shim_fd_is(fd, "/memfd:" SHIM_BUFFER_MEMFD);
}

struct shim_mem *
shim_mem_import(int fd)
{
   struct stat st;
   if (fstat(fd, &st))
      return NULL;
   list_for_each_entry (struct shim_mem, mem, &shim.mems, link) {
      if (mem->inode == st.st_ino) {
         shim_mem_ref(mem);
         return mem;
      }
   }
   if (shim.memory_used + (uint64_t)st.st_size > shim.options.memory_limit)
      return NULL;
   prepare();
   int own = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FD);
   return own < 0 ? NULL : mem_create(own, st.st_size);
}

int
shim_prime_fd_to_handle(struct shim_file *file, void *arg)
{
   struct drm_prime_handle *args = arg;
   if (fcntl(args->fd, F_GETFD) < 0)
      return -EBADF;
   if (!shim_is_dma_buf(args->fd))
      return -EINVAL;
   struct shim_mem *mem = shim_mem_import(args->fd);
   if (!mem)
      return -ENOMEM;
   mem->shared = true;
   /* One object has one handle per file. */
   for (unsigned i = 0; i < file->handles.size; i++) {
      if (file->handles.objects[i] == mem) {
         shim_mem_unref(mem);
         args->handle = i + 1;
         return 0;
      }
   }
   int handle = shim_ids_add(&file->handles, mem);
   if (handle < 0) {
      shim_mem_unref(mem);
      return handle;
   }
   args->handle = handle;
   return 0;
}

/* Write-combined memory without implicit fences: there is nothing to
 * synchronise (kernel-interface.md 2.7, 6). */
int
shim_dma_buf_ioctl(int fd, unsigned long request, void *arg)
{
   switch (request) {
   case DMA_BUF_IOCTL_SYNC: {
      struct dma_buf_sync sync;
      int ret = shim_copy_in(&sync, (uintptr_t)arg, sizeof(sync));
      if (ret)
         return ret;
      return sync.flags & ~DMA_BUF_SYNC_VALID_FLAGS_MASK ||
                   !(sync.flags & DMA_BUF_SYNC_RW)
                ? -EINVAL
                : 0;
   }
   case DMA_BUF_SET_NAME_A:
   case DMA_BUF_SET_NAME_B:
      return 0;
   default:
      return -ENOTTY;
   }
}
