/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * A process that shares the chip with others (chip.h).  All of this is under
 * shim.lock.  When the chip's process is gone, that is said once, whatever
 * was submitted counts as done, and the device answers ENODEV, as one that
 * was taken out of the machine.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "chip.h"

#define FIRST_FD 4096 /* as memory.c's */

/* A job that has not ended, as far as this process knows. */
struct pending {
   struct list_head link;
   struct shim_fence *fence;
};

static int chip = -1; /* the connection */
static bool gone;
static struct list_head pendings;
static uint32_t last_number; /* of fences and needs */

bool
shim_chip_is_gone(void)
{
   return gone;
}

/* --- events --- */

static void
finish(struct pending *pending)
{
   shim_fence_signal(pending->fence);
   shim_fence_unref(pending->fence);
   list_del(&pending->link);
   free(pending);
}

static void
lose(void)
{
   if (gone)
      return;
   gone = true;
   fprintf(stderr,
           "tegra20-shim: the process with the simulated chip is gone: the "
           "device is lost (ENODEV)\n");
   list_for_each_entry_safe (struct pending, pending, &pendings, link)
      finish(pending);
   pthread_cond_broadcast(&shim.progress);
}

static void
on_event(const struct chip_message *message, const void *payload)
{
   switch (message->type) {
   case CHIP_DONE:
      list_for_each_entry_safe (struct pending, pending, &pendings, link) {
         if (pending->fence->number == message->value[0])
            finish(pending);
      }
      if (message->value[2])
         shim.syncpts[message->value[1] % SIM_NUM_SYNCPTS].locked = true;
      shim_report_latency(message->value[3]);
      break;
   case CHIP_DIAG:
      if (payload && !((const char *)payload)[message->size - 1])
         shim_report_diag(message->value[0], payload);
      break;
   case CHIP_STATS:
      if (message->size == sizeof(struct sim_stats))
         shim_report_stats((const struct sim_stats *)payload);
      break;
   default:
      break;
   }
   pthread_cond_broadcast(&shim.progress);
}

/* One message; false when the chip is gone. */
static bool
receive(struct chip_message *message, int *fd)
{
   void *payload;
   if (!shim_chip_receive(chip, message, &payload, fd)) {
      lose();
      return false;
   }
   if (message->type != CHIP_ANSWER)
      on_event(message, payload);
   free(payload);
   return true;
}

static bool
is_readable(int socket, int timeout)
{
   struct pollfd pfd = { .fd = socket, .events = POLLIN };
   return poll(&pfd, 1, timeout) > 0;
}

/* Reads events while no request does. */
static void *
listen_to_chip(void *data)
{
   const int socket = (intptr_t)data;
   while (true) {
      struct chip_message message;
      int fd;
      is_readable(socket, -1);
      pthread_mutex_lock(&shim.lock);
      bool good = !gone;
      while (good && is_readable(socket, 0))
         good = receive(&message, &fd);
      pthread_mutex_unlock(&shim.lock);
      if (!good)
         return NULL;
   }
}

/* --- requests --- */

static bool
start_listener(void)
{
   pthread_t thread;
   sigset_t all, old;
   sigfillset(&all);
   pthread_sigmask(SIG_SETMASK, &all, &old);
   int error =
      pthread_create(&thread, NULL, listen_to_chip, (void *)(intptr_t)chip);
   pthread_sigmask(SIG_SETMASK, &old, NULL);
   if (!error)
      pthread_detach(thread);
   return !error;
}

static int
open_socket(void)
{
   struct sockaddr_un address = { .sun_family = AF_UNIX };
   snprintf(address.sun_path, sizeof(address.sun_path), "%s",
            getenv("TEGRA20_SHIM_ONE_CHIP"));
   int low = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
   if (low < 0)
      return -1;
   /* above the numbers that programs count on */
   int fd = fcntl(low, F_DUPFD_CLOEXEC, FIRST_FD);
   if (fd < 0)
      fd = low;
   else
      syscall(SYS_close, low);
   if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
      return fd;
   syscall(SYS_close, fd);
   return -1;
}

/* Maps the page with the sync points, and has what a process was born with
 * known to the chip. */
static void
connect_to_chip(void)
{
   struct chip_message message;
   int page;
   chip = open_socket();
   if (chip < 0 || !receive(&message, &page) || page < 0 ||
       !start_listener()) {
      lose();
      return;
   }
   void *map =
      shim_real_mmap(NULL, SHIM_PAGE_SIZE, PROT_READ, MAP_SHARED, page);
   syscall(SYS_close, page);
   if (map == MAP_FAILED)
      lose();
   else
      shim.values = map;
   list_for_each_entry (struct shim_mem, mem, &shim.mems, link)
      mem->address = shim_chip_add_buffer(mem->fd, mem->size);
}

/* The answer's value, or a negative errno. */
static int
request(struct chip_message *message, const void *payload, int fd,
        uint32_t *value)
{
   int received;
   if (chip < 0 && !gone)
      connect_to_chip();
   if (!gone && !shim_chip_send(chip, message, payload, fd))
      lose();
   do {
      if (gone || !receive(message, &received))
         return -ENODEV;
   } while (message->type != CHIP_ANSWER);
   if (value)
      *value = message->value[0];
   return message->error;
}

static void
tell(struct chip_message *message, int fd)
{
   if (chip >= 0 && !gone && !shim_chip_send(chip, message, NULL, fd))
      lose();
}

void
shim_chip_init(void)
{
   list_inithead(&pendings);
   connect_to_chip();
}

/* The connection is the parent's, and all its jobs have ended. */
void
shim_chip_fork(void)
{
   if (chip >= 0)
      syscall(SYS_close, chip);
   chip = -1;
}

uint32_t
shim_chip_add_buffer(int fd, uint32_t size)
{
   struct chip_message message = { CHIP_ADD_BUFFER, .value = { size } };
   uint32_t address;
   return request(&message, NULL, fd, &address) ? 0 : address;
}

void
shim_chip_remove_buffer(uint32_t address)
{
   struct chip_message message = { CHIP_REMOVE_BUFFER, .value = { address } };
   tell(&message, -1);
}

int
shim_chip_allocate_syncpt(bool from_zero)
{
   struct chip_message message = { CHIP_ALLOCATE_SYNCPT,
                                   .value = { from_zero } };
   uint32_t id;
   int ret = request(&message, NULL, -1, &id);
   return ret ? ret : (int)(id % SIM_NUM_SYNCPTS);
}

void
shim_chip_free_syncpt(uint32_t id)
{
   struct chip_message message = { CHIP_FREE_SYNCPT, .value = { id } };
   tell(&message, -1);
}

void
shim_chip_raise(unsigned id, uint32_t value)
{
   struct chip_message message = { CHIP_RAISE, .value = { id, value } };
   request(&message, NULL, -1, NULL);
}

void
shim_chip_drain(void)
{
   struct chip_message message = { CHIP_DRAIN };
   if (chip >= 0)
      request(&message, NULL, -1, NULL);
}

void
shim_chip_export(struct shim_fence *fence)
{
   struct chip_message message = { CHIP_EXPORT_FENCE,
                                   .value = { fence->number } };
   if (fence->number && !fence->signalled)
      tell(&message, fence->event_fd);
}

void
shim_chip_need(struct shim_need *need)
{
   struct chip_message message = { CHIP_NEED };
   need->number = ++last_number;
   message.value[0] = need->number;
   message.value[1] = need->syncpt  ? CHIP_NEED_SYNCPT
                      : need->fence ? CHIP_NEED_FENCE
                                    : CHIP_NEED_EVERYTHING;
   message.value[2] = need->syncpt  ? need->id
                      : need->fence ? need->fence->number
                                    : 0;
   message.value[3] = need->threshold;
   tell(&message, -1);
}

void
shim_chip_need_no_more(const struct shim_need *need)
{
   struct chip_message message = { CHIP_NEED_NO_MORE,
                                   .value = { need->number } };
   request(&message, NULL, -1, NULL);
}

uint32_t
shim_chip_submit(struct shim_job *job)
{
   struct chip_message message = { CHIP_SUBMIT };
   struct chip_job head = { .syncpt = job->syncpt,
                            .increments = job->increments,
                            .num_deps = job->num_deps,
                            .hangs = shim_fault_hang(),
                            .gives_back = shim.options.grate };
   uint32_t *deps = calloc(job->num_deps + 1, sizeof(*deps)), value = 0;
   struct pending *pending = calloc(1, sizeof(*pending));
   for (unsigned i = 0; deps && i < job->num_deps; i++)
      deps[i] = job->deps[i]->number;
   head.fence = job->fence->number = ++last_number;
   void *payload = deps && pending
                      ? shim_chip_pack_job(job, &head, deps, &message.size)
                      : NULL;
   if (payload && !gone) {
      pending->fence = shim_fence_ref(job->fence);
      list_addtail(&pending->link, &pendings);
      pending = NULL;
      request(&message, payload, -1, &value);
   } else {
      shim_fence_signal(job->fence);
   }
   free(pending);
   free(payload);
   free(deps);
   return value;
}
