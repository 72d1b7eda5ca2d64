/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Open files of the simulated nodes and the dispatch of their ioctls.
 *
 * Look-ups happen in every close(), fcntl(), mmap() and ioctl() of the
 * program, also in a child between fork and exec, where a lock might be held
 * by a thread that no longer exists: the table of file descriptors is an
 * array of atomic pointers.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/sync_file.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "util/u_atomic.h"

#include "drm-uapi/msm_drm.h"
#include "drm-uapi/vc4_drm.h"
#include "drm-uapi/tegra_grate_drm.h"

#include "shim.h"

struct shim shim = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct shim_file *fd_table[SHIM_MAX_FDS];

int64_t
shim_now(void)
{
   struct timespec ts;
   clock_gettime(CLOCK_MONOTONIC, &ts);
   return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

/* With the first open device: calls from other libraries' constructors come
 * before the environment exists. */
static void
init_once(void)
{
   shim_options_init(&shim.options);
   shim_faults_init();
   shim_walk_init();
   shim_exec_init();
   shim_report_at_exit();
   shim_memory_init();
   if (shim.options.one_chip)
      shim_chip_init();
   shim_syncpts_init();
}

void
shim_serve_init(void)
{
   shim_options_init(&shim.options);
   shim.options.one_chip = false;
   shim_report_serve();
   shim_exec_init();
   shim_memory_init();
   shim_syncpts_init();
}

/* --- files --- */

bool
shim_file_open(int fd, bool primary)
{
   static pthread_once_t once = PTHREAD_ONCE_INIT;
   pthread_once(&once, init_once);
   struct shim_file *file =
      fd < SHIM_MAX_FDS ? calloc(1, sizeof(*file)) : NULL;
   if (!file)
      return false;
   file->refcount = 1;
   file->primary = primary;
   p_atomic_set(&fd_table[fd], file);
   return true;
}

static void
file_destroy(struct shim_file *file)
{
   pthread_mutex_lock(&shim.lock);
   shim_channel_file_close(file);
   for (unsigned i = 0; i < file->syncobjs.size; i++) {
      if (file->syncobjs.objects[i])
         shim_syncobj_destroy(file->syncobjs.objects[i]);
   }
   for (unsigned i = 0; i < file->handles.size; i++) {
      if (file->handles.objects[i])
         shim_mem_unref(file->handles.objects[i]);
   }
   pthread_mutex_unlock(&shim.lock);
   free(file->syncobjs.objects);
   for (unsigned i = 0; i < file->fbs.size; i++) {
      if (file->fbs.objects[i])
         shim_mem_unref(file->fbs.objects[i]);
   }
   free(file->fbs.objects);
   free(file->handles.objects);
   free(file->grate_channels.objects);
   free(file);
}

void
shim_file_close(int fd)
{
   /* A child after vfork() has its own descriptors, but this table is still
    * the parent's. */
   if (!shim_file_get(fd) || getpid() != shim.pid)
      return;
   struct shim_file *file = p_atomic_xchg(&fd_table[fd], NULL);
   if (file && p_atomic_dec_zero(&file->refcount))
      file_destroy(file);
}

void
shim_file_dup(int fd, int copy)
{
   struct shim_file *file = shim_file_get(fd);
   if (!file || copy < 0 || copy >= SHIM_MAX_FDS)
      return;
   p_atomic_inc(&file->refcount);
   p_atomic_set(&fd_table[copy], file);
}

struct shim_file *
shim_file_get(int fd)
{
   return fd < 0 || fd >= SHIM_MAX_FDS ? NULL : p_atomic_read(&fd_table[fd]);
}

bool
shim_fd_is(int fd, const char *text)
{
   char path[64], target[128];
   snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
   ssize_t n = readlink(path, target, sizeof(target) - 1);
   if (n < 0)
      return false;
   target[n] = 0;
   return !strncmp(target, text, strlen(text));
}

/* The receiver gets a new file, not the sender's: handles are not shared
 * between processes. */
struct shim_file *
shim_file_adopt(int fd)
{
   struct shim_file *file = shim_file_get(fd);
   if (file || fd < 0)
      return file;
   bool primary = shim_fd_is(fd, "/memfd:" SHIM_CARD_MEMFD);
   if (primary || shim_fd_is(fd, "/memfd:" SHIM_RENDER_MEMFD))
      shim_file_open(fd, primary);
   return shim_file_get(fd);
}

void *
shim_mmap(void *address, size_t length, int protection, int flags,
          uint64_t offset)
{
   void *map = MAP_FAILED;
   int fault = shim_fault("MMAP");
   if (fault) {
      errno = -fault;
      return MAP_FAILED;
   }
   pthread_mutex_lock(&shim.lock);
   struct shim_mem *mem = shim_mem_at_offset(offset);
   if (!mem || length == 0 || length > mem->size)
      errno = EINVAL;
   else
      map = shim_real_mmap(address, length, protection, flags, mem->fd);
   pthread_mutex_unlock(&shim.lock);
   return map;
}

/* --- helpers --- */

/* Whether a byte of every page from address on can be read, or read and
 * written: a pipe tells. */
static bool
is_mapped(const char *address, size_t size, bool writable)
{
   int ends[2];
   if (pipe2(ends, O_CLOEXEC))
      return false;
   bool good = true;
   for (const char *p = address; good && p < address + size;
        p = (const char *)(((uintptr_t)p | 4095) + 1)) {
      char byte;
      good = write(ends[1], p, 1) == 1 &&
             read(ends[0], writable ? (char *)p : &byte, 1) == 1;
   }
   /* not close(), which is ours and looks for devices behind the lock */
   syscall(SYS_close, ends[0]);
   syscall(SYS_close, ends[1]);
   return good;
}

/* Bad pointers are the program's error, not a reason to crash inside the
 * "kernel". */
static int
copy(void *to, const void *from, size_t size, bool in)
{
   if (size == 0)
      return 0;
   /* --noop measures the driver: a kernel copies without a system call. */
   if (shim.options.noop) {
      memcpy(to, from, size);
      return 0;
   }
   struct iovec here = { in ? to : (void *)from, size },
                there = { in ? (void *)from : to, size };
   pid_t self =
      syscall(SYS_getpid); /* in copies of walk.c getpid() is another one */
   ssize_t done = in ? process_vm_readv(self, &here, 1, &there, 1, 0)
                     : process_vm_writev(self, &here, 1, &there, 1, 0);
   if (done == (ssize_t)size)
      return 0;
   /* A sandbox forbids the call, an emulator (qemu-arm) does not have it. */
   if (done < 0 && (errno == ENOSYS || errno == EPERM) &&
       is_mapped(in ? from : to, size, !in)) {
      memcpy(to, from, size);
      return 0;
   }
   return -EFAULT;
}

int
shim_copy_in(void *to, uint64_t from, size_t size)
{
   return copy(to, (const void *)(uintptr_t)from, size, true);
}

int
shim_copy_out(uint64_t to, const void *from, size_t size)
{
   return copy((void *)(uintptr_t)to, from, size, false);
}

int
shim_ids_add(struct shim_ids *ids, void *object)
{
   unsigned i = 0;
   while (i < ids->size && ids->objects[i])
      i++;
   if (i == ids->size) {
      unsigned size = MAX2(16, ids->size * 2);
      void **objects = realloc(ids->objects, size * sizeof(*objects));
      if (!objects)
         return -ENOMEM;
      memset(objects + ids->size, 0, (size - ids->size) * sizeof(*objects));
      ids->objects = objects;
      ids->size = size;
   }
   ids->objects[i] = object;
   return i + 1;
}

void *
shim_ids_get(const struct shim_ids *ids, uint32_t id)
{
   return id == 0 || id > ids->size ? NULL : ids->objects[id - 1];
}

void *
shim_ids_remove(struct shim_ids *ids, uint32_t id)
{
   void *object = shim_ids_get(ids, id);
   if (object)
      ids->objects[id - 1] = NULL;
   return object;
}

/* --- core ioctls --- */

static int
copy_string(char *to, __kernel_size_t *length, const char *text)
{
   size_t size = strlen(text);
   int ret = to && *length
                ? shim_copy_out((uintptr_t)to, text, MIN2(size, *length))
                : 0;
   *length = size;
   return ret;
}

static int
version(struct shim_file *file, void *arg)
{
   struct drm_version *args = arg;
   args->version_major = shim.options.grate ? GRATE_KERNEL_MIN_MAJOR
                         : shim.options.old ? 0
                                            : 1; /* kernel-interface.md 1 */
   if (shim.options.videocore)
      args->version_major = 0;
   if (shim.options.adreno) {
      args->version_major = 1;
      args->version_minor = 9; /* user space learns from it what there is */
   }
   static const char *const texts[][3] = {
      { "tegra", "20120330", "NVIDIA Tegra graphics (simulated)" },
      { "vc4", "20140616", "Broadcom VC4 graphics (simulated)" },
      { "msm", "20130625", "MSM Snapdragon DRM (simulated)" },
   };
   const char *const *text = texts[shim.options.adreno      ? 2
                                   : shim.options.videocore ? 1
                                                            : 0];
   int ret = copy_string(args->name, &args->name_len, text[0]);
   if (!ret)
      ret = copy_string(args->date, &args->date_len, text[1]);
   if (!ret)
      ret = copy_string(args->desc, &args->desc_len, text[2]);
   return ret;
}

static int
get_unique(struct shim_file *file, void *arg)
{
   struct drm_unique *args = arg;
   args->unique_len = 0; /* as a node that nobody called SET_VERSION on */
   return 0;
}

static int
get_cap(struct shim_file *file, void *arg)
{
   struct drm_get_cap *args = arg;
   switch (args->capability) {
   case DRM_CAP_DUMB_BUFFER:
   case DRM_CAP_TIMESTAMP_MONOTONIC:
   case DRM_CAP_ADDFB2_MODIFIERS:
   case DRM_CAP_SYNCOBJ:
   case DRM_CAP_CRTC_IN_VBLANK_EVENT:
      args->value = 1;
      return 0;
   case DRM_CAP_VBLANK_HIGH_CRTC:
      args->value = 1;
      return 0;
   case DRM_CAP_PRIME:
      args->value = DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT;
      return 0;
   case DRM_CAP_CURSOR_WIDTH:
   case DRM_CAP_CURSOR_HEIGHT:
      args->value = 64;
      return 0;
   case DRM_CAP_DUMB_PREFERRED_DEPTH:
   case DRM_CAP_DUMB_PREFER_SHADOW:
   case DRM_CAP_ASYNC_PAGE_FLIP:
   case DRM_CAP_PAGE_FLIP_TARGET:
   case DRM_CAP_SYNCOBJ_TIMELINE:
      args->value = 0;
      return 0;
   default:
      return -EINVAL;
   }
}

/* --- dispatch --- */

typedef int (*shim_handler)(struct shim_file *file, void *arg);

struct ioctl_row {
   const char *name;
   shim_handler handler;
   unsigned size;
   bool primary_only;
};

static const struct ioctl_row handlers[256] = {
#define HANDLER(request, function) \
   [_IOC_NR(request)] = { #request, function, _IOC_SIZE(request), false }
#define PRIMARY_HANDLER(request, function) \
   [_IOC_NR(request)] = { #request, function, _IOC_SIZE(request), true }
   HANDLER(DRM_IOCTL_VERSION, version),
   PRIMARY_HANDLER(DRM_IOCTL_GET_UNIQUE, get_unique),
   PRIMARY_HANDLER(DRM_IOCTL_GEM_FLINK, shim_flink),
   PRIMARY_HANDLER(DRM_IOCTL_GEM_OPEN, shim_gem_open),
   PRIMARY_HANDLER(DRM_IOCTL_SET_CLIENT_CAP, shim_set_client_cap),
   PRIMARY_HANDLER(DRM_IOCTL_SET_MASTER, shim_nothing),
   PRIMARY_HANDLER(DRM_IOCTL_DROP_MASTER, shim_nothing),
   PRIMARY_HANDLER(DRM_IOCTL_AUTH_MAGIC, shim_nothing),
   PRIMARY_HANDLER(DRM_IOCTL_GET_MAGIC, shim_nothing),
   PRIMARY_HANDLER(DRM_IOCTL_MODE_CREATE_DUMB, shim_create_dumb),
   PRIMARY_HANDLER(DRM_IOCTL_MODE_MAP_DUMB, shim_map_dumb),
   PRIMARY_HANDLER(DRM_IOCTL_MODE_DESTROY_DUMB, shim_destroy_dumb),
   PRIMARY_HANDLER(DRM_IOCTL_MODE_GETRESOURCES, shim_get_resources),
   PRIMARY_HANDLER(DRM_IOCTL_MODE_GETPLANERESOURCES,
                   shim_get_plane_resources),
   PRIMARY_HANDLER(DRM_IOCTL_MODE_ADDFB2, shim_add_fb),
   PRIMARY_HANDLER(DRM_IOCTL_MODE_RMFB, shim_remove_fb),
   HANDLER(DRM_IOCTL_GET_CAP, get_cap),
   HANDLER(DRM_IOCTL_GEM_CLOSE, shim_gem_close),
   HANDLER(DRM_IOCTL_PRIME_HANDLE_TO_FD, shim_prime_handle_to_fd),
   HANDLER(DRM_IOCTL_PRIME_FD_TO_HANDLE, shim_prime_fd_to_handle),
   HANDLER(DRM_IOCTL_SYNCOBJ_CREATE, shim_syncobj_create),
   HANDLER(DRM_IOCTL_SYNCOBJ_DESTROY, shim_syncobj_destroy_ioctl),
   HANDLER(DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, shim_syncobj_handle_to_fd),
   HANDLER(DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, shim_syncobj_fd_to_handle),
   HANDLER(DRM_IOCTL_SYNCOBJ_WAIT, shim_syncobj_wait),
   HANDLER(DRM_IOCTL_SYNCOBJ_RESET, shim_syncobj_reset),
   HANDLER(DRM_IOCTL_SYNCOBJ_SIGNAL, shim_syncobj_signal),
   HANDLER(DRM_IOCTL_TEGRA_GEM_CREATE, shim_gem_create),
   HANDLER(DRM_IOCTL_TEGRA_GEM_MMAP, shim_gem_mmap),
   HANDLER(DRM_IOCTL_TEGRA_CHANNEL_OPEN, shim_channel_open),
   HANDLER(DRM_IOCTL_TEGRA_CHANNEL_CLOSE, shim_channel_close),
   HANDLER(DRM_IOCTL_TEGRA_CHANNEL_MAP, shim_channel_map),
   HANDLER(DRM_IOCTL_TEGRA_CHANNEL_UNMAP, shim_channel_unmap),
   HANDLER(DRM_IOCTL_TEGRA_CHANNEL_SUBMIT, shim_channel_submit),
   HANDLER(DRM_IOCTL_TEGRA_SYNCPOINT_ALLOCATE, shim_syncpoint_allocate),
   HANDLER(DRM_IOCTL_TEGRA_SYNCPOINT_FREE, shim_syncpoint_free),
   HANDLER(DRM_IOCTL_TEGRA_SYNCPOINT_WAIT, shim_syncpoint_wait),
   HANDLER(DRM_IOCTL_TEGRA_GEM_SET_TILING, shim_gem_set_tiling),
   HANDLER(DRM_IOCTL_TEGRA_GEM_GET_TILING, shim_gem_get_tiling),
   HANDLER(DRM_IOCTL_TEGRA_GEM_SET_FLAGS, shim_gem_set_flags),
   HANDLER(DRM_IOCTL_TEGRA_GEM_GET_FLAGS, shim_gem_get_flags),
};

/* In place of the driver's own calls (kernel-interface-grate.md 2). */
static const struct ioctl_row grate_handlers[256] = {
   HANDLER(DRM_IOCTL_TEGRA_GEM_CREATE, shim_gem_create),
   HANDLER(DRM_IOCTL_TEGRA_GEM_MMAP, shim_gem_mmap),
   HANDLER(DRM_IOCTL_TEGRA_SYNCPT_READ, shim_grate_refused),
   HANDLER(DRM_IOCTL_TEGRA_SYNCPT_INCR, shim_grate_refused),
   HANDLER(DRM_IOCTL_TEGRA_OPEN_CHANNEL, shim_grate_open_channel),
   HANDLER(DRM_IOCTL_TEGRA_CLOSE_CHANNEL, shim_grate_close_channel),
   HANDLER(DRM_IOCTL_TEGRA_GET_SYNCPT_BASE, shim_grate_refused),
   HANDLER(DRM_IOCTL_TEGRA_GEM_SET_TILING, shim_gem_set_tiling),
   HANDLER(DRM_IOCTL_TEGRA_GEM_GET_TILING, shim_gem_get_tiling),
   HANDLER(DRM_IOCTL_TEGRA_GEM_SET_FLAGS, shim_gem_set_flags),
   HANDLER(DRM_IOCTL_TEGRA_GEM_GET_FLAGS, shim_gem_get_flags),
   HANDLER(GRATE_IOCTL_SUBMIT, shim_grate_submit),
   HANDLER(GRATE_IOCTL_VERSION, shim_grate_version),
};

/* In place of the driver's own calls: Linux's vc4. */
static const struct ioctl_row vc4_handlers[256] = {
   HANDLER(DRM_IOCTL_VC4_SUBMIT_CL, shim_vc4_submit_cl),
   HANDLER(DRM_IOCTL_VC4_WAIT_SEQNO, shim_vc4_wait_seqno),
   HANDLER(DRM_IOCTL_VC4_WAIT_BO, shim_vc4_wait_bo),
   HANDLER(DRM_IOCTL_VC4_CREATE_BO, shim_vc4_create_bo),
   HANDLER(DRM_IOCTL_VC4_MMAP_BO, shim_vc4_mmap_bo),
   HANDLER(DRM_IOCTL_VC4_CREATE_SHADER_BO, shim_vc4_create_shader_bo),
   HANDLER(DRM_IOCTL_VC4_GET_HANG_STATE, shim_vc4_get_hang_state),
   HANDLER(DRM_IOCTL_VC4_GET_PARAM, shim_vc4_get_param),
   HANDLER(DRM_IOCTL_VC4_SET_TILING, shim_vc4_set_tiling),
   HANDLER(DRM_IOCTL_VC4_GET_TILING, shim_vc4_get_tiling),
   HANDLER(DRM_IOCTL_VC4_LABEL_BO, shim_vc4_label_bo),
   HANDLER(DRM_IOCTL_VC4_GEM_MADVISE, shim_vc4_madvise),
   HANDLER(DRM_IOCTL_VC4_PERFMON_CREATE, shim_vc4_perfmon_create),
   HANDLER(DRM_IOCTL_VC4_PERFMON_DESTROY, shim_vc4_perfmon_destroy),
   HANDLER(DRM_IOCTL_VC4_PERFMON_GET_VALUES, shim_vc4_perfmon_get_values),
};

/* The same: Linux's msm. */
static const struct ioctl_row msm_handlers[256] = {
   HANDLER(DRM_IOCTL_MSM_GET_PARAM, shim_msm_get_param),
   HANDLER(DRM_IOCTL_MSM_GEM_NEW, shim_msm_gem_new),
   HANDLER(DRM_IOCTL_MSM_GEM_INFO, shim_msm_gem_info),
   HANDLER(DRM_IOCTL_MSM_GEM_CPU_PREP, shim_msm_cpu_prep),
   HANDLER(DRM_IOCTL_MSM_GEM_CPU_FINI, shim_msm_cpu_fini),
   HANDLER(DRM_IOCTL_MSM_GEM_SUBMIT, shim_msm_submit),
   HANDLER(DRM_IOCTL_MSM_WAIT_FENCE, shim_msm_wait_fence),
   HANDLER(DRM_IOCTL_MSM_GEM_MADVISE, shim_msm_madvise),
   HANDLER(DRM_IOCTL_MSM_SUBMITQUEUE_NEW, shim_msm_queue_new),
   HANDLER(DRM_IOCTL_MSM_SUBMITQUEUE_CLOSE, shim_msm_queue_close),
   HANDLER(DRM_IOCTL_MSM_SUBMITQUEUE_QUERY, shim_msm_queue_query),
#undef HANDLER
#undef PRIMARY_HANDLER
};

static const struct ioctl_row *
find_row(unsigned nr)
{
   bool is_tegra = nr >= DRM_COMMAND_BASE && nr < DRM_COMMAND_END;
   if (shim.options.videocore && is_tegra)
      return &vc4_handlers[nr];
   if (shim.options.adreno && is_tegra)
      return &msm_handlers[nr];
   return shim.options.grate && is_tegra ? &grate_handlers[nr]
                                         : &handlers[nr];
}

const char *
shim_ioctl_name(uint8_t nr)
{
   return find_row(nr)->name;
}

static int
dispatch(struct shim_file *file, unsigned long request, void *arg)
{
   unsigned nr = _IOC_NR(request);
   const struct ioctl_row *row = find_row(nr);
   if (_IOC_TYPE(request) != DRM_IOCTL_BASE)
      return -ENOTTY;
   /* The rest of the mode setting calls are known to the kernel too, but to
    * the card node only. */
   if (!file->primary && (row->primary_only || (nr >= 0xa0 && nr < 0xbf)))
      return -EACCES;
   bool is_tegra = nr >= DRM_COMMAND_BASE && nr < DRM_COMMAND_END &&
                   !shim.options.videocore && !shim.options.adreno;
   if (!row->handler ||
       (is_tegra && !shim.options.staging && !shim.options.grate))
      return -EINVAL;

   shim_report_ioctl();
   int ret = shim_fault(row->name);
   if (ret)
      return ret;

   /* As the kernel does: the structure is as long as the kernel's,
    * zero-extended or cut for other callers. */
   uint64_t data[32] = { 0 };
   unsigned size = MIN2(_IOC_SIZE(request), row->size);
   assert(row->size <= sizeof(data));
   ret = shim_copy_in(data, (uintptr_t)arg, size);
   if (ret)
      return ret;
   pthread_mutex_lock(&shim.lock);
   ret = shim_chip_is_gone() ? -ENODEV : row->handler(file, data);
   if (shim_chip_is_gone())
      ret = -ENODEV;
   pthread_mutex_unlock(&shim.lock);
   int copied = shim_copy_out((uintptr_t)arg, data, size);
   return copied ? copied : ret;
}

static int
errno_result(int ret)
{
   if (ret >= 0)
      return ret;
   errno = -ret;
   return -1;
}

bool
shim_ioctl(int fd, unsigned long request, void *arg, int *result)
{
   struct shim_file *file = shim_file_get(fd);
   int ret;
   if (file || (_IOC_TYPE(request) == DRM_IOCTL_BASE &&
                (file = shim_file_adopt(fd)))) {
      ret = dispatch(file, request, arg);
      if (shim.options.trace) {
         const char *name = shim_ioctl_name(_IOC_NR(request));
         fprintf(stderr, "tegra20-shim: %s (0x%lx) = %d%s%s\n",
                 name ? name : "unknown ioctl", request, ret,
                 ret < 0 ? " " : "", ret < 0 ? strerrorname_np(-ret) : "");
      }
   } else if (_IOC_TYPE(request) == DMA_BUF_BASE && shim_is_dma_buf(fd)) {
      ret = shim_dma_buf_ioctl(fd, request, arg);
   } else if (_IOC_TYPE(request) == SYNC_IOC_MAGIC && shim_is_sync_file(fd)) {
      ret = shim_sync_file_ioctl(fd, request, arg);
   } else {
      return false;
   }
   *result = errno_result(ret);
   return true;
}
