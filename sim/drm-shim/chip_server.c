/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The process that has the chip of a run (chip.h): tegra20-run loads this
 * library and calls tegra20_shim_serve().  A thread for each connection
 * answers under shim.lock; jobs go to the queue of exec.c, as those of a
 * process that has the chip to itself.
 *
 * A process that dies leaves what the kernel would: its sync points and
 * buffers are free, its jobs run to their end and keep what they use.
 */

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "chip.h"

/* How often a chip that nobody may start anything on any more looks whether
 * it is still used. */
#define POLL_MS 20

struct client_fence {
   struct list_head link;
   uint32_t number; /* the client's */
   struct shim_fence *fence;
};

struct client_need {
   struct list_head link;
   struct shim_need need;
};

struct client_buffer {
   struct list_head link;
   struct shim_mem *mem; /* a reference */
};

struct shim_client {
   struct list_head link;
   int refcount; /* the connection's, and one of each job */
   int socket;   /* -1: the process is gone */
   unsigned jobs;
   uint32_t syncpts;
   struct list_head fences, needs, buffers;
   pthread_mutex_t sending;
};

static struct list_head clients = { &clients, &clients };
static struct shim_client *executing; /* of whom the job is */
static int page = -1;                 /* with the sync points */
/* Nobody has it: what an imported fence is waited for with. */
static struct shim_fence foreign = { .refcount = 1, .event_fd = -1 };

static void
post(struct shim_client *client, struct chip_message *message,
     const void *payload, int fd)
{
   pthread_mutex_lock(&client->sending);
   if (client->socket >= 0 &&
       !shim_chip_send(client->socket, message, payload, fd))
      shutdown(client->socket, SHUT_RDWR);
   pthread_mutex_unlock(&client->sending);
}

static void
client_unref(struct shim_client *client)
{
   if (--client->refcount)
      return;
   pthread_mutex_destroy(&client->sending);
   free(client);
}

/* --- for exec.c and report.c --- */

void
shim_serve_begin(const struct shim_job *job)
{
   executing = job->client;
}

/* True: it is the process' that the job is of. */
bool
shim_serve_diag(unsigned number, const char *text)
{
   struct chip_message message = { CHIP_DIAG, strlen(text) + 1,
                                   .value = { number } };
   if (!executing || executing->socket < 0)
      return false;
   post(executing, &message, text, -1);
   return true;
}

bool
shim_serve_stats(const struct sim_stats *delta)
{
   struct chip_message message = { CHIP_STATS, sizeof(*delta) };
   if (!executing || executing->socket < 0)
      return false;
   post(executing, &message, delta, -1);
   return true;
}

void
shim_serve_progress(void)
{
   struct chip_message message = { CHIP_PROGRESS };
   list_for_each_entry (struct shim_client, client, &clients, link) {
      if (!list_is_empty(&client->needs))
         post(client, &message, NULL, -1);
   }
}

static void
remove_fence(struct client_fence *entry)
{
   list_del(&entry->link);
   shim_fence_unref(entry->fence);
   free(entry);
}

void
shim_serve_finished(const struct shim_job *job, bool locked)
{
   struct shim_client *client = job->client;
   struct chip_message message = {
      CHIP_DONE, .value = { 0, job->syncpt, locked, job->latency }
   };
   list_for_each_entry_safe (struct client_fence, entry, &client->fences,
                             link) {
      if (entry->fence != job->fence)
         continue;
      message.value[0] = entry->number;
      remove_fence(entry);
   }
   post(client, &message, NULL, -1);
   client->jobs--;
   client_unref(client);
   shim_serve_progress();
}

/* --- requests --- */

static int
add_buffer(struct shim_client *client, int fd, uint32_t *address)
{
   struct client_buffer *buffer = calloc(1, sizeof(*buffer));
   if (buffer)
      buffer->mem = shim_mem_import(fd);
   if (!buffer || !buffer->mem) {
      free(buffer);
      return -ENOMEM;
   }
   list_addtail(&buffer->link, &client->buffers);
   *address = buffer->mem->address;
   return 0;
}

static void
drop_buffer(struct client_buffer *buffer)
{
   list_del(&buffer->link);
   shim_mem_unref(buffer->mem);
   free(buffer);
}

static struct client_buffer *
find_buffer(struct shim_client *client, uint32_t address)
{
   list_for_each_entry (struct client_buffer, buffer, &client->buffers,
                        link) {
      if (buffer->mem->address == address)
         return buffer;
   }
   return NULL;
}

static struct client_fence *
find_fence(struct shim_client *client, uint32_t number)
{
   list_for_each_entry (struct client_fence, entry, &client->fences, link) {
      if (entry->number == number)
         return entry;
   }
   return NULL;
}

static int
allocate_syncpt(struct shim_client *client, bool from_zero, uint32_t *id)
{
   int free = shim_syncpt_find_free();
   if (free < 0)
      return free;
   if (from_zero)
      shim_syncpt_raise(free, 0);
   shim.syncpts[free].client = client;
   shim.syncpts[free].locked = false;
   shim.syncpts[free].max = shim_syncpt_value(free);
   client->syncpts |= 1u << free;
   *id = free;
   return 0;
}

static void
free_syncpt(struct shim_client *client, uint32_t id)
{
   if (id >= SIM_NUM_SYNCPTS || !(client->syncpts >> id & 1))
      return;
   client->syncpts &= ~(1u << id);
   shim.syncpts[id].client = NULL;
   shim.syncpts[id].locked = false;
}

static bool
fill_job(struct shim_client *client, struct shim_job *job,
         const struct chip_job *head, const uint32_t *mems,
         const uint32_t *deps)
{
   for (unsigned i = 0; i < head->num_mems; i++) {
      struct client_buffer *buffer = find_buffer(client, mems[i]);
      if (!buffer)
         return false;
      shim_job_add_mem(job, buffer->mem);
   }
   for (unsigned i = 0; i < head->num_deps; i++) {
      struct client_fence *entry = find_fence(client, deps[i]);
      if (entry)
         job->deps[job->num_deps++] = shim_fence_ref(entry->fence);
   }
   job->fence = shim_fence_create();
   return job->fence;
}

static int
submit(struct shim_client *client, const void *payload, uint32_t size,
       uint32_t *value)
{
   const struct chip_job *head;
   const uint32_t *mems, *deps;
   struct shim_job *job = calloc(1, sizeof(*job));
   struct client_fence *entry = calloc(1, sizeof(*entry));
   if (!job || !entry ||
       !shim_chip_unpack_job(payload, size, job, &head, &mems, &deps) ||
       !fill_job(client, job, head, mems, deps)) {
      if (job)
         shim_job_free(job);
      free(entry);
      return -EINVAL;
   }
   entry->number = head->fence;
   entry->fence = shim_fence_ref(job->fence);
   list_addtail(&entry->link, &client->fences);
   job->client = client;
   client->refcount++;
   client->jobs++;
   *value = shim_job_submit(job, head->syncpt, head->increments);
   if (head->gives_back)
      free_syncpt(client, head->syncpt);
   return 0;
}

static void
export_fence(struct shim_client *client, uint32_t number, int fd)
{
   struct client_fence *entry = find_fence(client, number);
   if (!entry) {
      eventfd_write(fd, 1);
   } else if (entry->fence->event_fd < 0) {
      entry->fence->event_fd = dup(fd);
      shim_fence_exported();
   }
}

static void
add_need(struct shim_client *client, const uint32_t value[4])
{
   struct client_need *entry = calloc(1, sizeof(*entry));
   const struct client_fence *fence;
   if (!entry)
      return;
   entry->need = (struct shim_need){ .number = value[0],
                                     .syncpt = value[1] == CHIP_NEED_SYNCPT,
                                     .id = value[2],
                                     .threshold = value[3] };
   if (value[1] == CHIP_NEED_FENCE) {
      fence = find_fence(client, value[2]);
      entry->need.fence = shim_fence_ref(fence ? fence->fence : &foreign);
   }
   list_addtail(&entry->link, &client->needs);
   shim_wait_begin(&entry->need);
   /* reached on the way */
   if (entry->need.syncpt && value[2] < SIM_NUM_SYNCPTS &&
       (int32_t)(shim_syncpt_value(value[2]) - value[3]) >= 0)
      post(client, &(struct chip_message){ CHIP_PROGRESS }, NULL, -1);
}

static void
end_need(struct client_need *entry)
{
   shim_wait_end(&entry->need);
   shim_fence_unref(entry->need.fence);
   list_del(&entry->link);
   free(entry);
}

static void
drain_client(struct shim_client *client)
{
   struct shim_need need = { 0 };
   shim_wait_begin(&need);
   while (client->jobs)
      pthread_cond_wait(&shim.progress, &shim.lock);
   shim_wait_end(&need);
}

static void
serve_request(struct shim_client *client, const struct chip_message *in,
              const void *payload, int fd)
{
   struct chip_message answer = { CHIP_ANSWER };
   struct client_buffer *buffer;
   switch (in->type) {
   case CHIP_ADD_BUFFER:
      answer.error = add_buffer(client, fd, &answer.value[0]);
      break;
   case CHIP_ALLOCATE_SYNCPT:
      answer.error = allocate_syncpt(client, in->value[0], &answer.value[0]);
      break;
   case CHIP_SUBMIT:
      answer.error = submit(client, payload, in->size, &answer.value[0]);
      break;
   case CHIP_RAISE:
      if (in->value[0] < SIM_NUM_SYNCPTS)
         shim_syncpt_raise(in->value[0], in->value[1]);
      break;
   case CHIP_DRAIN:
      drain_client(client);
      break;
   case CHIP_REMOVE_BUFFER:
      buffer = find_buffer(client, in->value[0]);
      if (buffer)
         drop_buffer(buffer);
      return;
   case CHIP_FREE_SYNCPT:
      free_syncpt(client, in->value[0]);
      return;
   case CHIP_EXPORT_FENCE:
      export_fence(client, in->value[0], fd);
      return;
   case CHIP_NEED:
      add_need(client, in->value);
      return;
   case CHIP_NEED_NO_MORE:
      list_for_each_entry_safe (struct client_need, entry, &client->needs,
                                link) {
         if (entry->need.number == in->value[0])
            end_need(entry);
      }
      break;
   default:
      answer.error = -EINVAL;
   }
   post(client, &answer, NULL, -1);
}

/* --- connections --- */

static void
leave(struct shim_client *client)
{
   list_for_each_entry_safe (struct client_need, entry, &client->needs, link)
      end_need(entry);
   list_for_each_entry_safe (struct client_buffer, buffer, &client->buffers,
                             link)
      drop_buffer(buffer);
   for (unsigned i = 0; i < SIM_NUM_SYNCPTS; i++)
      free_syncpt(client, i);
   pthread_mutex_lock(&client->sending);
   close(client->socket);
   client->socket = -1;
   pthread_mutex_unlock(&client->sending);
   list_del(&client->link);
   client_unref(client);
}

static void *
serve_client(void *data)
{
   struct shim_client *client = data;
   struct chip_message message = { CHIP_ANSWER };
   void *payload;
   int fd;
   post(client, &message, NULL, page);
   while (shim_chip_receive(client->socket, &message, &payload, &fd)) {
      pthread_mutex_lock(&shim.lock);
      serve_request(client, &message, payload, fd);
      pthread_mutex_unlock(&shim.lock);
      free(payload);
      if (fd >= 0)
         close(fd);
   }
   pthread_mutex_lock(&shim.lock);
   leave(client);
   pthread_mutex_unlock(&shim.lock);
   return NULL;
}

static void
accept_client(int listener)
{
   int socket = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
   struct shim_client *client =
      socket < 0 ? NULL : calloc(1, sizeof(*client));
   pthread_t thread;
   if (!client)
      return;
   client->socket = socket;
   client->refcount = 1;
   pthread_mutex_init(&client->sending, NULL);
   list_inithead(&client->fences);
   list_inithead(&client->needs);
   list_inithead(&client->buffers);
   pthread_mutex_lock(&shim.lock);
   list_addtail(&client->link, &clients);
   if (pthread_create(&thread, NULL, serve_client, client))
      leave(client);
   else
      pthread_detach(thread);
   pthread_mutex_unlock(&shim.lock);
}

static bool
create_page(void)
{
   page = memfd_create("tegra20-syncpts", MFD_CLOEXEC);
   if (page < 0 || ftruncate(page, SHIM_PAGE_SIZE))
      return false;
   void *map = shim_real_mmap(NULL, SHIM_PAGE_SIZE, PROT_READ | PROT_WRITE,
                              MAP_SHARED, page);
   if (map == MAP_FAILED)
      return false;
   memcpy(map, shim.values, SIM_NUM_SYNCPTS * sizeof(*shim.values));
   shim.values = map;
   return true;
}

static bool
is_used(void)
{
   pthread_mutex_lock(&shim.lock);
   bool used = !list_is_empty(&clients);
   pthread_mutex_unlock(&shim.lock);
   return used;
}

__attribute__((visibility("default"))) int
tegra20_shim_serve(int listener, int lifetime)
{
   struct pollfd fds[] = { { .fd = listener, .events = POLLIN },
                           { .fd = lifetime, .events = POLLIN } };
   signal(SIGPIPE, SIG_IGN);
   shim_serve_init();
   if (!create_page()) {
      fprintf(stderr, "tegra20-run: no memory for the simulated chip\n");
      return 1;
   }
   while (!fds[1].revents || is_used()) {
      const bool ending = fds[1].revents;
      if (poll(fds, ending ? 1 : 2, ending ? POLL_MS : -1) < 0 &&
          errno != EINTR)
         break;
      if (fds[0].revents & POLLIN)
         accept_client(listener);
   }
   shim_drain();
   return 0;
}
