/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Fences, binary sync objects and sync files.  A sync file is an eventfd: it
 * becomes readable when the fence signals, which is all that poll() on a real
 * one tells, and it can be sent to other processes.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "shim.h"

/* --- fences --- */

struct shim_fence *
shim_fence_create(void)
{
   struct shim_fence *fence = calloc(1, sizeof(*fence));
   if (!fence)
      return NULL;
   fence->refcount = 1;
   fence->event_fd = -1;
   return fence;
}

struct shim_fence *
shim_fence_ref(struct shim_fence *fence)
{
   fence->refcount++;
   return fence;
}

void
shim_fence_unref(struct shim_fence *fence)
{
   if (!fence || --fence->refcount)
      return;
   if (fence->event_fd >= 0)
      close(fence->event_fd);
   free(fence);
}

/* What the event file of a signalled fence counts: other processes, too, look
 * at it. */
#define EVENT_DONE 1
#define EVENT_CANCELLED 2

static unsigned
event_count(const struct shim_fence *fence)
{
   return fence->cancelled ? EVENT_CANCELLED : EVENT_DONE;
}

void
shim_fence_signal(struct shim_fence *fence)
{
   fence->signalled = true;
   if (fence->event_fd >= 0)
      eventfd_write(fence->event_fd, event_count(fence));
}

static bool
is_signalled(struct shim_fence *fence)
{
   if (!fence->signalled && fence->event_fd >= 0) {
      struct pollfd pfd = { .fd = fence->event_fd, .events = POLLIN };
      fence->signalled = poll(&pfd, 1, 0) > 0;
   }
   return fence->signalled;
}

/* Sleeps until something happened here, or for a moment, since an imported
 * fence is signalled by another process. */
static void
sleep_for_progress(int64_t deadline)
{
   int64_t until = MIN2(deadline, shim_now() + 2000000);
   struct timespec ts = { .tv_sec = until / 1000000000,
                          .tv_nsec = until % 1000000000 };
   pthread_cond_timedwait(&shim.progress, &shim.lock, &ts);
}

int
shim_fence_wait(struct shim_fence *fence, int64_t deadline)
{
   int ret = 0;
   struct shim_need need = { .fence = fence };
   shim_wait_begin(&need);
   while (!ret && !is_signalled(fence)) {
      if (shim_now() >= deadline)
         ret = -ETIME;
      else
         sleep_for_progress(deadline);
   }
   shim_wait_end(&need);
   return ret;
}

/* --- sync objects --- */

void
shim_syncobj_destroy(struct shim_syncobj *syncobj)
{
   shim_fence_unref(syncobj->fence);
   free(syncobj);
}

void
shim_syncobj_set_signalled(struct shim_syncobj *syncobj)
{
   struct shim_fence *fence = shim_fence_create();
   if (!fence)
      return;
   fence->signalled = true;
   shim_fence_unref(syncobj->fence);
   syncobj->fence = fence;
}

int
shim_syncobj_create(struct shim_file *file, void *arg)
{
   struct drm_syncobj_create *args = arg;
   if (args->flags & ~DRM_SYNCOBJ_CREATE_SIGNALED)
      return -EINVAL;
   struct shim_syncobj *syncobj = calloc(1, sizeof(*syncobj));
   if (!syncobj)
      return -ENOMEM;
   if (args->flags & DRM_SYNCOBJ_CREATE_SIGNALED)
      shim_syncobj_set_signalled(syncobj);
   int handle = shim_ids_add(&file->syncobjs, syncobj);
   if (handle < 0) {
      shim_syncobj_destroy(syncobj);
      return handle;
   }
   args->handle = handle;
   return 0;
}

int
shim_syncobj_destroy_ioctl(struct shim_file *file, void *arg)
{
   struct drm_syncobj_destroy *args = arg;
   if (args->pad)
      return -EINVAL;
   struct shim_syncobj *syncobj =
      shim_ids_remove(&file->syncobjs, args->handle);
   if (!syncobj)
      return -EINVAL;
   shim_syncobj_destroy(syncobj);
   return 0;
}

/* Only sync files: sharing of sync objects themselves between processes is
 * not simulated. */
int
shim_syncobj_handle_to_fd(struct shim_file *file, void *arg)
{
   struct drm_syncobj_handle *args = arg;
   struct shim_syncobj *syncobj = shim_ids_get(&file->syncobjs, args->handle);
   if (args->pad ||
       args->flags != DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE)
      return -EINVAL;
   if (!syncobj)
      return -EINVAL;
   if (!syncobj->fence)
      return -EINVAL;
   struct shim_fence *fence = syncobj->fence;
   if (fence->event_fd < 0) {
      fence->event_fd = eventfd(fence->signalled ? event_count(fence) : 0,
                                EFD_CLOEXEC | EFD_NONBLOCK);
      if (fence->event_fd < 0)
         return -errno;
      if (shim.options.one_chip)
         shim_chip_export(fence);
      else
         shim_fence_exported();
   }
   int fd = fcntl(fence->event_fd, F_DUPFD_CLOEXEC, 0);
   if (fd < 0)
      return -errno;
   args->fd = fd;
   return 0;
}

int
shim_sync_file_signalled(void)
{
   int fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
   return fd < 0 ? -errno : fd;
}

bool
shim_is_sync_file(int fd)
{
   return shim_fd_is(fd, "anon_inode:[eventfd]") ||
          shim_fd_is(fd, "anon_inode:sync_file");
}

int
shim_syncobj_fd_to_handle(struct shim_file *file, void *arg)
{
   struct drm_syncobj_handle *args = arg;
   if (args->pad ||
       args->flags != DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE)
      return -EINVAL;
   if (!shim_is_sync_file(args->fd))
      return -EINVAL;
   struct shim_syncobj *syncobj = shim_ids_get(&file->syncobjs, args->handle);
   if (!syncobj)
      return -ENOENT;
   struct shim_fence *fence = shim_fence_create();
   if (!fence)
      return -ENOMEM;
   fence->event_fd = fcntl(args->fd, F_DUPFD_CLOEXEC, 0);
   shim_fence_unref(syncobj->fence);
   syncobj->fence = fence;
   return 0;
}

/* Copies the handles of a wait, reset or signal; to be freed. */
static int
get_handles(uint64_t pointer, uint32_t count, uint32_t **handles)
{
   *handles = NULL;
   if (count == 0 || count > 65536)
      return -EINVAL;
   *handles = malloc(count * sizeof(**handles));
   if (!*handles)
      return -ENOMEM;
   int ret = shim_copy_in(*handles, pointer, count * sizeof(**handles));
   if (ret)
      free(*handles);
   return ret;
}

/* The number of signalled ones, or an error; *first is the first signalled
 * one. */
static int
count_signalled(struct shim_file *file, const uint32_t *handles,
                uint32_t count, bool for_submit, uint32_t *first)
{
   int signalled = 0;
   for (unsigned i = 0; i < count; i++) {
      struct shim_syncobj *syncobj =
         shim_ids_get(&file->syncobjs, handles[i]);
      if (!syncobj)
         return -ENOENT;
      if (!syncobj->fence && !for_submit)
         return -EINVAL;
      if (syncobj->fence && is_signalled(syncobj->fence)) {
         if (!signalled++)
            *first = i;
      }
   }
   return signalled;
}

int
shim_syncobj_wait(struct shim_file *file, void *arg)
{
   struct drm_syncobj_wait *args = arg;
   bool all = args->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL;
   bool for_submit = args->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT;
   if (args->flags & ~(DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL |
                       DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT))
      return -EINVAL;
   uint32_t *handles;
   int ret = get_handles(args->handles, args->count_handles, &handles);
   if (ret)
      return ret;
   while (true) {
      uint32_t first = 0;
      ret = count_signalled(file, handles, args->count_handles, for_submit,
                            &first);
      if (ret < 0)
         break;
      if (ret >= (all ? (int)args->count_handles : 1)) {
         args->first_signaled = first;
         ret = 0;
         break;
      }
      if (shim_now() >= args->timeout_nsec) {
         ret = -ETIME;
         break;
      }
      struct shim_need need = { 0 };
      shim_wait_begin(&need);
      sleep_for_progress(args->timeout_nsec);
      shim_wait_end(&need);
   }
   free(handles);
   return ret;
}

static int for_each_handle (struct shim_file *file,
                            struct drm_syncobj_array * args,
                            void (*action)(struct shim_syncobj *))
{
   if (args->pad)
      return -EINVAL;
   uint32_t *handles;
   int ret = get_handles(args->handles, args->count_handles, &handles);
   if (ret)
      return ret;
   for (unsigned i = 0; i < args->count_handles; i++) {
      if (!shim_ids_get(&file->syncobjs, handles[i]))
         ret = -ENOENT;
   }
   for (unsigned i = 0; i < args->count_handles && !ret; i++)
      action(shim_ids_get(&file->syncobjs, handles[i]));
   free(handles);
   return ret;
}

static void
clear_fence(struct shim_syncobj *syncobj)
{
   shim_fence_unref(syncobj->fence);
   syncobj->fence = NULL;
}

int
shim_syncobj_reset(struct shim_file *file, void *arg)
{
   return for_each_handle (file, arg, clear_fence);
}

int
shim_syncobj_signal(struct shim_file *file, void *arg)
{
   return for_each_handle (file, arg, shim_syncobj_set_signalled);
}

/* --- ioctls of sync files --- */

static bool
fd_is_signalled(int fd)
{
   struct pollfd pfd = { .fd = fd, .events = POLLIN };
   return poll(&pfd, 1, 0) > 0;
}

/* A sync file's status as the kernel tells it. */
static int
fd_status(int fd)
{
   char path[64], line[64];
   unsigned count = 0;

   snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
   FILE *file = fopen(path, "re");
   while (file && fgets(line, sizeof(line), file) &&
          sscanf(line, "eventfd-count: %x", &count) != 1)
      ;
   if (file)
      fclose(file);
   return count == EVENT_CANCELLED ? -ECANCELED : fd_is_signalled(fd);
}

struct merge {
   int in[2], out;
};

static void *
merge_thread(void *data)
{
   struct merge *merge = data;
   for (unsigned i = 0; i < 2; i++) {
      struct pollfd pfd = { .fd = merge->in[i], .events = POLLIN };
      while (poll(&pfd, 1, -1) < 0 && errno == EINTR)
         ;
      close(merge->in[i]);
   }
   eventfd_write(merge->out, 1);
   close(merge->out);
   free(merge);
   return NULL;
}

/* A file that signals when both do: at once, or by a thread that waits for
 * them. */
static int
merge_files(int a, int b)
{
   bool signalled = fd_is_signalled(a) && fd_is_signalled(b);
   int fd = eventfd(signalled, EFD_CLOEXEC | EFD_NONBLOCK);
   if (fd < 0 || signalled)
      return fd < 0 ? -errno : fd;
   struct merge *merge = malloc(sizeof(*merge));
   pthread_t thread;
   if (!merge) {
      close(fd);
      return -ENOMEM;
   }
   *merge = (struct merge){ { fcntl(a, F_DUPFD_CLOEXEC, 0),
                              fcntl(b, F_DUPFD_CLOEXEC, 0) },
                            fcntl(fd, F_DUPFD_CLOEXEC, 0) };
   if (merge->in[0] < 0 || merge->in[1] < 0 || merge->out < 0 ||
       pthread_create(&thread, NULL, merge_thread, merge)) {
      close(merge->in[0]);
      close(merge->in[1]);
      close(merge->out);
      free(merge);
      close(fd);
      return -ENOMEM;
   }
   pthread_detach(thread);
   return fd;
}

int
shim_sync_file_ioctl(int fd, unsigned long request, void *arg)
{
   switch (request) {
   case SYNC_IOC_MERGE: {
      struct sync_merge_data args;
      int ret = shim_copy_in(&args, (uintptr_t)arg, sizeof(args));
      if (ret)
         return ret;
      if (args.flags || args.pad)
         return -EINVAL;
      if (!shim_is_sync_file(args.fd2))
         return -ENOENT;
      ret = merge_files(fd, args.fd2);
      if (ret < 0)
         return ret;
      args.fence = ret;
      return shim_copy_out((uintptr_t)arg, &args, sizeof(args));
   }
   case SYNC_IOC_FILE_INFO: {
      struct sync_file_info args;
      int ret = shim_copy_in(&args, (uintptr_t)arg, sizeof(args));
      if (ret)
         return ret;
      if (args.flags || args.pad)
         return -EINVAL;
      memset(args.name, 0, sizeof(args.name));
      strcpy(args.name, "host1x-simulated");
      args.status = fd_status(fd);
      if (args.num_fences && args.sync_fence_info) {
         struct sync_fence_info info = { .driver_name = "host1x",
                                         .obj_name = "syncpoint",
                                         .status = args.status };
         info.timestamp_ns = args.status ? shim_now() : 0;
         ret = shim_copy_out(args.sync_fence_info, &info, sizeof(info));
      }
      args.num_fences = 1;
      return ret ? ret : shim_copy_out((uintptr_t)arg, &args, sizeof(args));
   }
   default:
      return -ENOTTY;
   }
}
