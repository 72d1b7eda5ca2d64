/*
 * SPDX-License-Identifier: MIT
 *
 * Files of the simulated node and the dispatch of their ioctls; replaces device.c of Mesa's drm-shim.
 *
 * Look-ups happen in every close(), fcntl(), mmap() and ioctl() of the program, also in a child between fork and exec,
 * where a lock might be held by a thread that no longer exists: the table of file descriptors is an array of atomic
 * pointers.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "util/u_atomic.h"

#include "shim.h"

/* What drm_shim.c reads. */
struct shim_device shim_device;
bool drm_shim_driver_prefers_first_render_node = true;

struct shim shim = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct shim_file *fd_table[SHIM_MAX_FDS];

int64_t
shim_now(void)
{
   struct timespec ts;
   clock_gettime(CLOCK_MONOTONIC, &ts);
   return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

void
drm_shim_device_init(void)
{
   shim_device.bus_type = DRM_BUS_HOST1X;
   shim_device.driver_name = "tegra";
   shim_device.version_major = 1;
   /* What the kernel emits for this device (kernel-interface.md 10.2); libdrm reads it. */
   drm_shim_override_file("DRIVER=drm\n"
                          "OF_NAME=host1x\n"
                          "OF_FULLNAME=/host1x@50000000\n"
                          "OF_COMPATIBLE_0=nvidia,tegra20-host1x\n"
                          "OF_COMPATIBLE_N=1\n"
                          "MODALIAS=host1x:drm\n",
                          "/sys/dev/char/%d:%d/device/uevent", 226, render_node_minor);

   shim_options_init(&shim.options);
   shim_faults_init();
   shim_exec_init();
   shim_report_at_exit();
   shim_memory_init();
   shim_syncpts_init();
}

/* --- files --------------------------------------------------------------------------------------------------------- */

void
drm_shim_fd_register(int fd, struct shim_fd *shim_fd)
{
   if (fd < 0 || fd >= SHIM_MAX_FDS)
      return;
   if (shim_fd)
      p_atomic_inc(&shim_fd->refcount);
   else
      shim_fd = calloc(1, sizeof(struct shim_file));
   if (!shim_fd)
      return;
   if (!shim_fd->refcount)
      shim_fd->refcount = 1;
   p_atomic_set(&fd_table[fd], (struct shim_file *)shim_fd);
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
   free(file->handles.objects);
   free(file);
}

void
drm_shim_fd_unregister(int fd)
{
   if (fd < 0 || fd >= SHIM_MAX_FDS || !p_atomic_read(&fd_table[fd]))
      return;
   /* A child after vfork() has its own descriptors, but this table is still the parent's. */
   if (getpid() != shim.pid)
      return;
   struct shim_file *file = p_atomic_xchg(&fd_table[fd], NULL);
   if (file && p_atomic_dec_zero(&file->base.refcount))
      file_destroy(file);
}

struct shim_fd *
drm_shim_fd_lookup(int fd)
{
   return fd < 0 || fd >= SHIM_MAX_FDS ? NULL : (struct shim_fd *)p_atomic_read(&fd_table[fd]);
}

void *
drm_shim_mmap(struct shim_fd *shim_fd, size_t length, int prot, int flags, int fd, off64_t offset)
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
      map = mmap(NULL, length, prot, flags, mem->fd, 0);
   pthread_mutex_unlock(&shim.lock);
   return map;
}

/* --- helpers ------------------------------------------------------------------------------------------------------- */

/* Bad pointers are the program's error, not a reason to crash inside the "kernel". */
static int
copy(void *to, const void *from, size_t size, bool in)
{
   if (size == 0)
      return 0;
   struct iovec here = {in ? to : (void *)from, size}, there = {in ? (void *)from : to, size};
   ssize_t done = in ? process_vm_readv(getpid(), &here, 1, &there, 1, 0)
                     : process_vm_writev(getpid(), &here, 1, &there, 1, 0);
   if (done == (ssize_t)size)
      return 0;
   if (done < 0 && (errno == ENOSYS || errno == EPERM)) {
      memcpy(to, from, size); /* a sandbox forbids the call */
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

/* --- core ioctls --------------------------------------------------------------------------------------------------- */

static int
copy_string(char *to, __kernel_size_t *length, const char *text)
{
   size_t size = strlen(text);
   int ret = to && *length ? shim_copy_out((uintptr_t)to, text, MIN2(size, *length)) : 0;
   *length = size;
   return ret;
}

static int
version(struct shim_file *file, void *arg)
{
   struct drm_version *args = arg;
   args->version_major = shim_device.version_major;
   args->version_minor = shim_device.version_minor;
   args->version_patchlevel = shim_device.version_patchlevel;
   int ret = copy_string(args->name, &args->name_len, shim_device.driver_name);
   if (!ret)
      ret = copy_string(args->date, &args->date_len, "20120330");
   if (!ret)
      ret = copy_string(args->desc, &args->desc_len, "NVIDIA Tegra graphics (simulated)");
   return ret;
}

static int
get_unique(struct shim_file *file, void *arg)
{
   struct drm_unique *args = arg;
   args->unique_len = 0; /* as a render node that nobody called SET_VERSION on */
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

/* --- dispatch ------------------------------------------------------------------------------------------------------ */

typedef int (*shim_handler)(struct shim_file *file, void *arg);

static const struct {
   const char *name;
   shim_handler handler;
   unsigned size;
} handlers[256] = {
#define HANDLER(request, function) [_IOC_NR(request)] = {#request, function, _IOC_SIZE(request)}
   HANDLER(DRM_IOCTL_VERSION, version),
   HANDLER(DRM_IOCTL_GET_UNIQUE, get_unique),
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
#undef HANDLER
};

/* Known to the kernel, but for the primary node only. */
static bool
needs_primary_node(unsigned nr)
{
   return nr == _IOC_NR(DRM_IOCTL_GEM_FLINK) || nr == _IOC_NR(DRM_IOCTL_GEM_OPEN) ||
          nr == _IOC_NR(DRM_IOCTL_SET_CLIENT_CAP) || nr == _IOC_NR(DRM_IOCTL_SET_MASTER) ||
          nr == _IOC_NR(DRM_IOCTL_DROP_MASTER) || (nr >= 0xa0 && nr < 0xbf);
}

static int
dispatch(struct shim_file *file, unsigned long request, void *arg)
{
   unsigned nr = _IOC_NR(request);
   if (_IOC_TYPE(request) != DRM_IOCTL_BASE)
      return -ENOTTY;
   if (needs_primary_node(nr))
      return -EACCES;
   bool is_tegra = nr >= DRM_COMMAND_BASE && nr < DRM_COMMAND_END;
   if (!handlers[nr].handler || (is_tegra && !shim.options.staging))
      return -EINVAL;

   shim_report_ioctl();
   int ret = shim_fault(handlers[nr].name);
   if (ret)
      return ret;

   /* As the kernel does: the structure is as long as the kernel's, zero-extended or cut for other callers. */
   uint64_t data[16] = {0};
   unsigned size = MIN2(_IOC_SIZE(request), handlers[nr].size);
   assert(handlers[nr].size <= sizeof(data));
   ret = shim_copy_in(data, (uintptr_t)arg, size);
   if (ret)
      return ret;
   pthread_mutex_lock(&shim.lock);
   ret = handlers[nr].handler(file, data);
   pthread_mutex_unlock(&shim.lock);
   int copied = shim_copy_out((uintptr_t)arg, data, size);
   return copied ? copied : ret;
}

int
drm_shim_ioctl(int fd, unsigned long request, void *arg)
{
   struct shim_file *file = (struct shim_file *)drm_shim_fd_lookup(fd);
   int ret = dispatch(file, request, arg);
   if (shim.options.trace) {
      const char *name = handlers[_IOC_NR(request)].name;
      fprintf(stderr, "tegra20-shim: %s (0x%lx) = %d%s%s\n", name ? name : "unknown ioctl", request, ret,
              ret < 0 ? " " : "", ret < 0 ? strerrorname_np(-ret) : "");
   }
   if (ret < 0) {
      errno = -ret;
      return -1;
   }
   return ret;
}
