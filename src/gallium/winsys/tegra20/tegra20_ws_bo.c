/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Buffers.
 *
 * Every kernel buffer is a physically contiguous block, slow to get and
 * impossible to get once memory is fragmented (kernel-interface.md 6).  Freed
 * buffers are therefore kept in a cache of size buckets together with their
 * mappings and fences, and are used again as soon as the engines are done
 * with them.  Buffers that someone else knows by a handle or a dma-buf never
 * go there.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xf86drm.h>

#include "util/os_mman.h"
#include "util/os_time.h"
#include "util/u_math.h"

#include "tegra20_ws_internal.h"

#define PAGE_SIZE 4096u
#define CACHE_MAX_SIZE (64u << 20)
/* The least that the kernel is asked for where there is little memory, see
 * tegra20_ws_budget.c. */
#define LEAST_SIZE (64u << 10)
/* Unused buffers go back to the kernel after this time, ns. */
#define CACHE_TIME 10000000000ll

/* --- cache --- */

/*
 * Bucket sizes are powers of two and the three quarter steps between: 4 KiB,
 * 8, 12, 16, 20, 24, 28, 32, 40, ...  Returns -1 when the size has no bucket,
 * else rounds *size up to that of the bucket.
 */
static int
bucket_for(uint32_t *size)
{
   uint32_t pages = DIV_ROUND_UP(*size, PAGE_SIZE);
   if (*size > CACHE_MAX_SIZE)
      return -1;
   if (pages <= 4) {
      *size = pages * PAGE_SIZE;
      return pages - 1;
   }
   unsigned log =
      util_logbase2(pages - 1); /* pages is in (2^log, 2^(log+1)] */
   uint32_t quarter = 1u << (log - 2);
   uint32_t steps = DIV_ROUND_UP(pages - (1u << log), quarter); /* 1..4 */
   *size = ((1u << log) + steps * quarter) * PAGE_SIZE;
   return 4 + (log - 2) * 4 + steps - 1;
}

void
ws_cache_init(struct tegra20_winsys *ws)
{
   for (unsigned i = 0; i < TEGRA20_CACHE_BUCKETS; i++)
      list_inithead(&ws->cache[i]);
   list_inithead(&ws->aside);
}

static bool
bo_idle(struct tegra20_bo *bo)
{
   for (unsigned i = 0; i < TEGRA20_NUM_ENGINES; i++) {
      if (!ws_fence_poll(bo->last[i].read) ||
          !ws_fence_poll(bo->last[i].write))
         return false;
   }
   return true;
}

/* Returns an unreferenced buffer to the kernel, which keeps it as long as a
 * job uses it. */
static void
bo_destroy(struct tegra20_bo *bo)
{
   struct tegra20_winsys *ws = bo->ws;
   if (ws->record)
      ws_record_forget(ws->record, bo);
   for (unsigned i = 0; i < TEGRA20_NUM_ENGINES; i++) {
      if (bo->mapping[i])
         ws->kernel->bo_detach(bo, i);
      tegra20_fence_unref(bo->last[i].read);
      tegra20_fence_unref(bo->last[i].write);
   }
   if (bo->map)
      os_munmap(bo->map, bo->size);
   struct drm_gem_close args = { .handle = bo->handle };
   int ret = ws_ioctl(ws->fd, DRM_IOCTL_GEM_CLOSE, &args);
   if (ret && !ws_device_gone(ret))
      ws_message_once("cannot close a buffer: %s", strerror(-ret));
   p_atomic_add(&ws->stats.bytes_allocated, -(int64_t)bo->size);
   free(bo);
}

static void
cache_remove(struct tegra20_bo *bo)
{
   list_del(&bo->cache_link);
   p_atomic_add(&bo->ws->stats.bytes_cached, -(int64_t)bo->size);
}

/* Called under bo_lock. */
static void
cache_expire(struct tegra20_winsys *ws, int64_t older_than)
{
   for (unsigned i = 0; i < TEGRA20_CACHE_BUCKETS; i++) {
      list_for_each_entry_safe (struct tegra20_bo, bo, &ws->cache[i],
                                cache_link) {
         if (bo->cache_time > older_than)
            break;
         cache_remove(bo);
         bo_destroy(bo);
      }
   }
}

void
ws_cache_empty(struct tegra20_winsys *ws)
{
   simple_mtx_lock(&ws->bo_lock);
   cache_expire(ws, INT64_MAX);
   simple_mtx_unlock(&ws->bo_lock);
}

/* All are over or lost, which is nothing to the next user. */
static void
forget_uses(struct tegra20_bo *bo)
{
   simple_mtx_lock(&bo->ws->fence_lock);
   bo->lost = false;
   for (unsigned i = 0; i < TEGRA20_NUM_ENGINES; i++) {
      ws_fence_set(&bo->last[i].read, NULL);
      ws_fence_set(&bo->last[i].write, NULL);
   }
   simple_mtx_unlock(&bo->ws->fence_lock);
}

static struct tegra20_bo *
cache_take(struct tegra20_winsys *ws, int bucket)
{
   struct tegra20_bo *found = NULL;
   simple_mtx_lock(&ws->bo_lock);
   /* The oldest one is the first to become idle. */
   if (!list_is_empty(&ws->cache[bucket])) {
      struct tegra20_bo *bo =
         list_first_entry(&ws->cache[bucket], struct tegra20_bo, cache_link);
      if (bo_idle(bo)) {
         cache_remove(bo);
         forget_uses(bo);
         found = bo;
      }
   }
   simple_mtx_unlock(&ws->bo_lock);
   return found;
}

static int
map_bo(struct tegra20_bo *bo)
{
   struct drm_tegra_gem_mmap args = { .handle = bo->handle };
   int ret = ws_ioctl(bo->ws->fd, DRM_IOCTL_TEGRA_GEM_MMAP, &args);
   if (ret)
      return ret;
   void *map = os_mmap(NULL, bo->size, PROT_READ | PROT_WRITE, MAP_SHARED,
                       bo->ws->fd, args.offset);
   if (map == MAP_FAILED)
      return -errno;
   bo->map = map;
   return 0;
}

/* --- life --- */

static struct tegra20_bo *
bo_wrap(struct tegra20_winsys *ws, uint32_t handle, uint32_t size)
{
   struct tegra20_bo *bo = calloc(1, sizeof(*bo));
   if (!bo)
      return NULL;
   bo->refcount = 1;
   bo->ws = ws;
   bo->handle = handle;
   bo->size = size;
   p_atomic_add(&ws->stats.bytes_allocated, (int64_t)size);
   return bo;
}

/*
 * Everything that can fail is done when a buffer is made: its user may map it
 * and put it into jobs without looking for errors.  Takes the handle; on
 * failure it is closed.
 */
static struct tegra20_bo *
bo_prepare(struct tegra20_winsys *ws, uint32_t handle, uint32_t size,
           int *error)
{
   struct tegra20_bo *bo = bo_wrap(ws, handle, size);
   if (!bo) {
      struct drm_gem_close args = { .handle = handle };
      ws_ioctl(ws->fd, DRM_IOCTL_GEM_CLOSE, &args);
      *error = -ENOMEM;
      return NULL;
   }
   *error = 0;
   for (unsigned i = 0;
        ws->kernel->bo_attach && i < TEGRA20_NUM_ENGINES && !*error; i++)
      *error = ws->kernel->bo_attach(bo, i);
   if (!*error)
      *error = map_bo(bo);
   if (!*error)
      return bo;
   bo_destroy(bo);
   return NULL;
}

static struct tegra20_bo *
kernel_create(struct tegra20_winsys *ws, uint32_t size, unsigned flags,
              int *error)
{
   if (!ws_budget_allows(ws, size)) {
      *error = -ENOMEM;
      return NULL;
   }
   /* Kernel memory is zero-filled (kernel-interface.md 2.1). */
   struct drm_tegra_gem_create args = {
      .size = size,
      .flags = ws->kernel->gem_flags |
               (flags & TEGRA20_BO_TILED ? DRM_TEGRA_GEM_CREATE_TILED : 0),
   };
   *error = ws_ioctl(ws->fd, DRM_IOCTL_TEGRA_GEM_CREATE, &args);
   return *error ? NULL : bo_prepare(ws, args.handle, size, error);
}

/* --- reserved buffers --- */

bool
tegra20_set_aside(struct tegra20_winsys *ws, unsigned count)
{
   unsigned done = 0;

   for (; done < count; done++) {
      struct tegra20_bo *bo = tegra20_bo_create(ws, TEGRA20_STREAM_BYTES, 0);
      if (!bo)
         break;
      bo->set_aside = true;
      simple_mtx_lock(&ws->bo_lock);
      list_addtail(&bo->cache_link, &ws->aside);
      ws->num_aside++;
      ws->wanted_aside++;
      simple_mtx_unlock(&ws->bo_lock);
   }
   if (done < count)
      tegra20_give_back(ws, done);
   return done == count;
}

void
tegra20_give_back(struct tegra20_winsys *ws, unsigned count)
{
   simple_mtx_lock(&ws->bo_lock);
   ws->wanted_aside -= count;
   while (ws->num_aside > ws->wanted_aside && !list_is_empty(&ws->aside)) {
      struct tegra20_bo *bo =
         list_first_entry(&ws->aside, struct tegra20_bo, cache_link);
      list_del(&bo->cache_link);
      ws->num_aside--;
      bo_destroy(bo);
   }
   simple_mtx_unlock(&ws->bo_lock);
}

static struct tegra20_bo *
take_aside(struct tegra20_winsys *ws)
{
   struct tegra20_bo *bo = NULL;

   simple_mtx_lock(&ws->bo_lock);
   if (!list_is_empty(&ws->aside)) {
      bo = list_first_entry(&ws->aside, struct tegra20_bo, cache_link);
      list_del(&bo->cache_link);
      p_atomic_inc(&ws->used_aside);
   }
   simple_mtx_unlock(&ws->bo_lock);
   if (bo) {
      bo->refcount = 1;
      tegra20_bo_wait(bo, TEGRA20_WRITE, OS_TIMEOUT_INFINITE);
      forget_uses(bo);
   }
   return bo;
}

/* The buffer is unused.  Under bo_lock.  False: there are enough. */
static bool
put_aside(struct tegra20_bo *bo)
{
   struct tegra20_winsys *ws = bo->ws;

   if (!bo->set_aside)
      return false;
   p_atomic_dec(&ws->used_aside);
   if (ws->num_aside > ws->wanted_aside) {
      ws->num_aside--;
      bo->set_aside = false;
      return false;
   }
   list_addtail(&bo->cache_link, &ws->aside);
   return true;
}

/* --- creation and end --- */

struct tegra20_bo *
tegra20_bo_create(struct tegra20_winsys *ws, uint32_t size, unsigned flags)
{
   if (size == 0 || size > UINT32_MAX - PAGE_SIZE) {
      ws_message_once("a buffer of %u bytes was requested", size);
      return NULL;
   }
   assert(!(flags & TEGRA20_BO_TILED) || (flags & TEGRA20_BO_SHARED));
   size = align(size, PAGE_SIZE);

   struct tegra20_bo *bo = NULL;
   int bucket = flags & TEGRA20_BO_SHARED ? -1 : bucket_for(&size);
   if (bucket >= 0)
      bo = cache_take(ws, bucket);
   if (!bo && size < LEAST_SIZE && p_atomic_read(&ws->has_little_memory)) {
      size = LEAST_SIZE;
      if (bucket >= 0)
         bo = cache_take(ws, bucket_for(&size));
   }
   if (bo) {
      bo->refcount = 1;
      if (flags & TEGRA20_BO_ZERO)
         memset(bo->map, 0, bo->size);
      return bo;
   }

   int error;
   bo = kernel_create(ws, size, flags, &error);
   if (!bo) {
      ws_cache_empty(ws);
      bo = kernel_create(ws, size, flags, &error);
   }
   if (!bo && flags & TEGRA20_BO_STREAM && size == TEGRA20_STREAM_BYTES)
      bo = take_aside(ws);
   if (!bo && error == -ENOMEM) {
      /* Buffers that jobs still use are freed when these end. */
      ws_wait_all(ws, OS_TIMEOUT_INFINITE);
      bo = kernel_create(ws, size, flags, &error);
   }
   if (!bo && !ws_device_gone(error))
      ws_message_once("cannot allocate a buffer of %u KiB: %s%s", size / 1024,
                      strerror(-error),
                      error == -ENOMEM
                         ? " (contiguous memory is used up or fragmented: "
                           "boot with a larger cma=)"
                         : "");
   return bo;
}

struct tegra20_bo *
tegra20_bo_ref(struct tegra20_bo *bo)
{
   p_atomic_inc(&bo->refcount);
   return bo;
}

void
tegra20_bo_unref(struct tegra20_bo *bo)
{
   if (!bo)
      return;
   /* The last reference is dropped under the lock, so that a buffer in the
    * handle table always has one. */
   int count = p_atomic_read(&bo->refcount);
   while (count > 1) {
      int old = p_atomic_cmpxchg(&bo->refcount, count, count - 1);
      if (old == count)
         return;
      count = old;
   }

   struct tegra20_winsys *ws = bo->ws;
   simple_mtx_lock(&ws->bo_lock);
   if (p_atomic_dec_zero(&bo->refcount)) {
      int64_t now = os_time_get_nano();
      uint32_t size = bo->size;
      int bucket = bucket_for(&size);
      if (bo->shared)
         _mesa_hash_table_remove_key(ws->handles,
                                     (void *)(uintptr_t)bo->handle);
      if (bo->shared || bucket < 0 || size != bo->size) {
         bo_destroy(bo);
      } else if (!put_aside(bo)) {
         bo->cache_time = now;
         list_addtail(&bo->cache_link, &ws->cache[bucket]);
         p_atomic_add(&ws->stats.bytes_cached, (int64_t)bo->size);
      }
      /* not for every buffer: there are many lists */
      if (now - ws->cache_checked >= CACHE_TIME / 8) {
         ws->cache_checked = now;
         cache_expire(ws, now - CACHE_TIME);
      }
   }
   simple_mtx_unlock(&ws->bo_lock);
}

uint32_t
tegra20_bo_size(const struct tegra20_bo *bo)
{
   return bo->size;
}

void *
tegra20_bo_map(struct tegra20_bo *bo)
{
   return bo->map;
}

/* --- waiting --- */

/* The fences to wait for, with references; returns their number. */
static unsigned
collect_fences(struct tegra20_bo *bo, enum tegra20_access access,
               struct tegra20_fence *fences[2 * TEGRA20_NUM_ENGINES])
{
   unsigned n = 0;
   simple_mtx_lock(&bo->ws->fence_lock);
   for (unsigned i = 0; i < TEGRA20_NUM_ENGINES; i++) {
      if (bo->last[i].write)
         fences[n++] = tegra20_fence_ref(bo->last[i].write);
      if ((access & TEGRA20_WRITE) && bo->last[i].read)
         fences[n++] = tegra20_fence_ref(bo->last[i].read);
   }
   simple_mtx_unlock(&bo->ws->fence_lock);
   return n;
}

/* Has its content been lost?  Tells it once. */
static bool
take_lost(struct tegra20_bo *bo)
{
   simple_mtx_lock(&bo->ws->fence_lock);
   bool lost = bo->lost;
   bo->lost = false;
   for (unsigned i = 0; i < TEGRA20_NUM_ENGINES; i++) {
      if (bo->last[i].write && ws_fence_lost(bo->last[i].write)) {
         ws_fence_set(&bo->last[i].write, NULL);
         lost = true;
      }
   }
   simple_mtx_unlock(&bo->ws->fence_lock);
   return lost;
}

void
tegra20_bo_mark_undefined(struct tegra20_bo *bo)
{
   simple_mtx_lock(&bo->ws->fence_lock);
   bo->lost = true;
   simple_mtx_unlock(&bo->ws->fence_lock);
}

/* True when the accesses are over. */
static bool
ws_bo_wait(struct tegra20_bo *bo, enum tegra20_access access,
           uint64_t timeout_ns)
{
   struct tegra20_fence *fences[2 * TEGRA20_NUM_ENGINES];
   unsigned n = collect_fences(bo, access, fences);
   int64_t deadline = ws_deadline(timeout_ns);
   bool done = true;
   for (unsigned i = 0; i < n; i++) {
      uint64_t left = timeout_ns;
      if (timeout_ns != 0 && timeout_ns != OS_TIMEOUT_INFINITE)
         left = MAX2(deadline - os_time_get_nano(), 0);
      done &= tegra20_fence_wait(fences[i], left);
      tegra20_fence_unref(fences[i]);
   }
   return done;
}

int
tegra20_bo_wait(struct tegra20_bo *bo, enum tegra20_access access,
                uint64_t timeout_ns)
{
   if (!ws_bo_wait(bo, access, timeout_ns))
      return -ETIMEDOUT;
   return take_lost(bo) ? -EIO : 0;
}

bool
tegra20_bo_busy(struct tegra20_bo *bo, enum tegra20_access access)
{
   struct tegra20_fence *fences[2 * TEGRA20_NUM_ENGINES];
   unsigned n = collect_fences(bo, access, fences);
   bool busy = false;
   for (unsigned i = 0; i < n; i++) {
      busy |= !tegra20_fence_wait(fences[i], 0);
      tegra20_fence_unref(fences[i]);
   }
   return busy;
}

/* --- sharing --- */

/* Called under bo_lock. */
static void
share(struct tegra20_bo *bo)
{
   if (!bo->shared)
      _mesa_hash_table_insert(bo->ws->handles, (void *)(uintptr_t)bo->handle,
                              bo);
   p_atomic_set(&bo->shared, true);
}

bool
tegra20_bo_tiled(struct tegra20_bo *bo)
{
   struct drm_tegra_gem_get_tiling args = { .handle = bo->handle };
   return ws_ioctl(bo->ws->fd, DRM_IOCTL_TEGRA_GEM_GET_TILING, &args) == 0 &&
          args.mode == DRM_TEGRA_GEM_TILING_MODE_TILED;
}

int
tegra20_bo_export_fd(struct tegra20_bo *bo)
{
   int fd;
   if (drmPrimeHandleToFD(bo->ws->fd, bo->handle, DRM_CLOEXEC | DRM_RDWR,
                          &fd)) {
      int ret = -errno;
      ws_message_once("cannot export a buffer: %s", strerror(-ret));
      return ret;
   }
   simple_mtx_lock(&bo->ws->bo_lock);
   share(bo);
   simple_mtx_unlock(&bo->ws->bo_lock);
   return fd;
}

uint32_t
tegra20_bo_handle(struct tegra20_bo *bo)
{
   simple_mtx_lock(&bo->ws->bo_lock);
   share(bo);
   simple_mtx_unlock(&bo->ws->bo_lock);
   return bo->handle;
}

/* Called under bo_lock. */
static struct tegra20_bo *
lookup_handle(struct tegra20_winsys *ws, uint32_t handle)
{
   struct hash_entry *entry =
      _mesa_hash_table_search(ws->handles, (void *)(uintptr_t)handle);
   return entry ? tegra20_bo_ref(entry->data) : NULL;
}

/* Called under bo_lock.  Takes the handle. */
static struct tegra20_bo *
import(struct tegra20_winsys *ws, uint32_t handle, uint32_t size)
{
   int error;
   struct tegra20_bo *bo = bo_prepare(ws, handle, size, &error);
   if (bo)
      share(bo);
   else
      ws_message_once("cannot use an imported buffer: %s", strerror(-error));
   return bo;
}

const char *
ws_scattered_exporter(const char *fdinfo)
{
   static const char *const exporters[] = { "udmabuf", "system",
                                            "system-uncached", "vgem",
                                            "shmem" };
   static const char key[] = "exp_name:";
   const char *name = strstr(fdinfo, key);
   if (!name)
      return NULL;
   name += strlen(key);
   name += strspn(name, " \t");
   for (unsigned i = 0; i < ARRAY_SIZE(exporters); i++) {
      if (strcspn(name, "\n") == strlen(exporters[i]) &&
          !strncmp(name, exporters[i], strlen(exporters[i])))
         return exporters[i];
   }
   return NULL;
}

/*
 * The kernel maps a scattered buffer by its first piece and lets the engines
 * write behind that, to foreign memory (kernel-review.md 8).  It does not
 * export the number of pieces; the dma-buf's exporter implies it.
 */
static bool
is_scattered(int fd, off_t size)
{
   char path[64], text[1024];
   snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
   FILE *file = size > PAGE_SIZE ? fopen(path, "re") : NULL;
   if (!file)
      return false;
   text[fread(text, 1, sizeof(text) - 1, file)] = 0;
   fclose(file);
   const char *exporter = ws_scattered_exporter(text);
   if (exporter)
      ws_message_once("cannot import a buffer: it was made by \"%s\", whose "
                      "memory is in pieces, and this chip needs it in one: "
                      "take a buffer of the display or of a CMA heap",
                      exporter);
   return exporter;
}

struct tegra20_bo *
tegra20_bo_import_fd(struct tegra20_winsys *ws, int fd)
{
   off_t size = lseek(fd, 0, SEEK_END);
   if (size <= 0 || size > UINT32_MAX) {
      ws_message_once("cannot import a buffer: its size cannot be read");
      return NULL;
   }
   if (is_scattered(fd, size))
      return NULL;

   /* The lock covers the ioctl: another thread might close the handle between
    * it and the look-up. */
   struct tegra20_bo *bo = NULL;
   uint32_t handle;
   simple_mtx_lock(&ws->bo_lock);
   if (drmPrimeFDToHandle(ws->fd, fd, &handle)) {
      ws_message_once("cannot import a buffer: %s", strerror(errno));
   } else {
      bo = lookup_handle(ws, handle);
      if (!bo)
         bo = import(ws, handle, size);
   }
   simple_mtx_unlock(&ws->bo_lock);
   return bo;
}

struct tegra20_bo *
tegra20_bo_import_handle(struct tegra20_winsys *ws, uint32_t handle,
                         uint32_t size)
{
   if (handle == 0 || size == 0)
      return NULL;
   simple_mtx_lock(&ws->bo_lock);
   struct tegra20_bo *bo = lookup_handle(ws, handle);
   if (!bo)
      bo = import(ws, handle, align(size, PAGE_SIZE));
   simple_mtx_unlock(&ws->bo_lock);
   return bo;
}
