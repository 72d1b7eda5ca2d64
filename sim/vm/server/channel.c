/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Channels of host1x: each is a thread with a simulator of its own, fed from
 * a ring in the kernel's memory.
 *
 * The ring (kernel-interface.md 3) consists of slots of two words.  A slot is
 * a GATHER with its address, or words that the channel executes itself: a
 * SETCLASS with or without a WAIT_SYNCPT behind it, a NOP.  RESTART leads
 * back to the ring's beginning.  DMAPUT says how far the kernel has written.
 *
 * The kernel writes DMAPUT once per job, so what lies between two of them is
 * a job.  There is one exception: when the ring is full in the middle of a
 * job, the kernel starts what it has, and the rest comes later.  Register
 * state must survive that.  goes_on() tells the rest of a job from the next
 * one.
 *
 * The kernel cancels a job after ten seconds of real time.  The chip works
 * faster than a simulator on a busy host, so a job that does get on must not
 * be lost: before a channel stops, it has time to end its job
 * (vm_channel_stop()).
 */

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "server.h"
#include "sim_diag.h"
#include "tegra20/host1x_regs.h"

/* The ring cuts a job in two at most. */
#define MAX_KICKS_OF_JOB 2

struct kick {
   struct kick *next;
   uint32_t put;
   bool full; /* the ring was full */
};

struct vm_channel {
   struct vm_server *server;
   unsigned index;
   pthread_t thread;
   struct sim *sim;
   struct sim_syncpts syncpts;

   /* Under server->lock. */
   uint32_t start, get; /* DMASTART, DMAGET */
   struct kick *first, **last;
   bool busy;      /* the thread is in a job */
   unsigned ended; /* kicks that it has come to the end of */
   bool waits;     /* for this sync point */
   unsigned wait_id;
   uint32_t wait_threshold;
   bool stands_still; /* as an engine after a fault */
   uint64_t clocks;   /* of the job so far */
   bool abandon;      /* the job is to end */
   bool quit;
   bool after_full;      /* the ring was full at the last kick */
   uint32_t last_opcode; /* of the slot before get; 0: no job to go on with */
   uint32_t class_id;

   /* The thread's. */
   struct sim_cmd *cmds;
   unsigned num_cmds, max_cmds;
};

/* --- sync points --- */

static bool
reached(const struct vm_server *server, unsigned id, uint32_t threshold)
{
   uint32_t value =
      __atomic_load_n(&server->shared->syncpt[id], __ATOMIC_SEQ_CST);
   return !((value - threshold) & 0x800000);
}

/* The channel must not make a step now: the kernel has stopped its command
 * processor. */
static bool
is_stopped(const struct vm_channel *channel)
{
   return channel->server->stopped & 1u << channel->index;
}

/* Called under server->lock.  Returns false when the job is to be given up.
 */
static bool
wait_while_stopped(struct vm_channel *channel)
{
   struct vm_server *server = channel->server;
   while (is_stopped(channel) && !channel->abandon)
      pthread_cond_wait(&server->progress, &server->lock);
   return !channel->abandon;
}

void
vm_interrupt(struct vm_server *server)
{
   if (write(server->socket, "i", 1) != 1)
      fprintf(stderr, "tegra20-vm: the kernel cannot be interrupted\n");
}

static uint32_t
raise_syncpt(void *data, unsigned id)
{
   struct vm_channel *channel = data;
   struct vm_server *server = channel->server;
   struct vm_shared *shared = server->shared;
   uint32_t value = 0;
   pthread_mutex_lock(&server->lock);
   if (wait_while_stopped(channel)) {
      value = __atomic_add_fetch(&shared->syncpt[id], 1, __ATOMIC_SEQ_CST);
      pthread_cond_broadcast(&server->progress);
      uint32_t enabled = __atomic_load_n(&shared->enabled, __ATOMIC_SEQ_CST);
      uint32_t threshold =
         __atomic_load_n(&shared->threshold[id], __ATOMIC_SEQ_CST);
      if ((enabled & 1u << id) && (int32_t)(value - threshold) >= 0 &&
          !__atomic_exchange_n(&shared->interrupt, 1, __ATOMIC_SEQ_CST))
         vm_interrupt(server);
   }
   pthread_mutex_unlock(&server->lock);
   return value;
}

static bool
wait_syncpt(void *data, unsigned id, uint32_t threshold)
{
   struct vm_channel *channel = data;
   struct vm_server *server = channel->server;
   bool ok;
   pthread_mutex_lock(&server->lock);
   channel->waits = true;
   channel->wait_id = id;
   channel->wait_threshold = threshold;
   pthread_cond_broadcast(&server->settled);
   while ((ok = wait_while_stopped(channel)) &&
          !reached(server, id, threshold))
      pthread_cond_wait(&server->progress, &server->lock);
   channel->waits = false;
   pthread_mutex_unlock(&server->lock);
   return ok;
}

/* --- push buffer --- */

static const uint32_t *
words_at(const struct vm_server *server, uint32_t address, uint32_t count)
{
   if (address & 3 || address >= server->memory_size ||
       count * 4 > server->memory_size - address)
      return NULL;
   return (const uint32_t *)(server->memory + address);
}

static void
add_gather(struct vm_channel *channel, const uint32_t *words, uint32_t count)
{
   if (channel->num_cmds == channel->max_cmds) {
      unsigned max = channel->max_cmds ? 2 * channel->max_cmds : 256;
      struct sim_cmd *cmds = realloc(channel->cmds, max * sizeof(*cmds));
      if (!cmds)
         return;
      channel->cmds = cmds;
      channel->max_cmds = max;
   }
   struct sim_cmd *cmd = &channel->cmds[channel->num_cmds++];
   cmd->type = SIM_CMD_GATHER;
   cmd->gather.words = words;
   cmd->gather.count = count;
}

/* Class 0x52 is a second face of GR2D. */
static unsigned
engine_of(uint32_t class_id)
{
   return class_id == HOST1X_CLASS_GR3D   ? VM_ENGINE_GR3D
          : class_id == HOST1X_CLASS_GR2D ? VM_ENGINE_GR2D
                                          : 0;
}

static bool
is_wait(uint32_t opcode)
{
   return opcode >> 28 == HOST1X_OPCODE_SETCL &&
          (opcode >> 6 & 0x3ff) == HOST1X_CLASS_HOST1X;
}

/*
 * Is what begins with this slot the rest of a job?  A job begins with the
 * class of its engine, or with a wait for the job before and then that class.
 * So a gather never begins one, nor does the class behind a wait.  A wait may
 * also stand in the middle of a job: there it is the rest when the ring was
 * full.  A job whose end fills the ring is taken for half of one, too.
 */
static bool
goes_on(const struct vm_channel *channel, uint32_t opcode)
{
   if (!channel->last_opcode)
      return false;
   if (opcode >> 28 == HOST1X_OPCODE_GATHER)
      return true;
   if (opcode >> 28 != HOST1X_OPCODE_SETCL)
      return false;
   return is_wait(opcode) ? channel->after_full
                          : is_wait(channel->last_opcode);
}

/*
 * Slots from *get to put as commands of a job; moves *get.  Adds the engines
 * that the job's classes name to *engines, *continues says whether it is the
 * rest of the job before.  Returns false when the ring holds what no kernel
 * writes.
 */
static bool
parse(struct vm_channel *channel, uint32_t start, uint32_t *get, uint32_t put,
      unsigned *engines, bool *continues)
{
   struct vm_server *server = channel->server;
   channel->num_cmds = 0;
   for (unsigned slots = 0; *get != put; slots++) {
      const uint32_t *slot = words_at(server, start + *get, 2);
      if (!slot || slots > 0x10000)
         return false;
      uint32_t opcode = slot[0];
      if (opcode >> 28 == HOST1X_OPCODE_RESTART) {
         *get = (opcode & 0xfffffff) << 4;
         continue;
      }
      if (!channel->num_cmds)
         *continues = goes_on(channel, opcode);
      channel->last_opcode = opcode;
      switch (opcode >> 28) {
      case HOST1X_OPCODE_GATHER: {
         uint32_t count = opcode & 0x3fff;
         const uint32_t *words = words_at(server, slot[1], count);
         if (!words)
            return false;
         add_gather(channel, words, count);
         break;
      }
      case HOST1X_OPCODE_SETCL:
         *engines |= engine_of(opcode >> 6 & 0x3ff);
         /* fall through */
      default:
         add_gather(channel, slot, 2);
         break;
      }
      *get += 8;
   }
   return true;
}

/* --- jobs --- */

static void
log_job(const struct vm_channel *channel, const char *what)
{
   if (channel->server->log_jobs)
      fprintf(stderr,
              "tegra20-vm: channel %u, class 0x%02x, %u gathers: %s\n",
              channel->index, channel->class_id, channel->num_cmds, what);
}

/* An engine that cannot go on stands still, until the kernel tears the
 * channel down.  Called under the lock. */
static void
stand_still(struct vm_channel *channel)
{
   channel->stands_still = true;
   pthread_cond_broadcast(&channel->server->settled);
   while (!channel->abandon)
      pthread_cond_wait(&channel->server->progress, &channel->server->lock);
   channel->stands_still = false;
}

/* Called under the lock after a job, or a part of one: how long was it? */
static void
count_clocks(struct vm_channel *channel, bool continues,
             const struct sim_stats *before)
{
   struct sim_stats after;
   sim_get_stats(channel->sim, &after);
   if (!continues)
      channel->clocks = 0;
   channel->clocks += after.vertex_clocks - before->vertex_clocks +
                      after.fragment_clocks - before->fragment_clocks;
   struct vm_report *report = &channel->server->report;
   if (channel->clocks > report->longest)
      report->longest = channel->clocks;
}

/* Called under the lock, which it gives back while the engine works. */
static void
run_job(struct vm_channel *channel, const struct kick *kick)
{
   struct vm_server *server = channel->server;
   uint32_t start = channel->start, get = channel->get;
   unsigned engines = 0;
   bool continues = false;
   bool ok = parse(channel, start, &get, kick->put, &engines, &continues);
   channel->after_full = kick->full;
   if (!ok) {
      vm_diag(server, SIM_DIAG_HOST1X_OPCODE,
              "the push buffer leads outside of memory");
      stand_still(channel);
      return;
   }
   uint32_t usable =
      __atomic_load_n(&server->shared->usable, __ATOMIC_SEQ_CST);
   if (engines & ~usable) {
      vm_diag(server, SIM_DIAG_HOST1X_CLASS,
              "a job for an engine without clock or power, or in reset");
      stand_still(channel);
      return;
   }
   if (engines & server->hung) {
      log_job(channel, "the engine stands still since a fault before");
      stand_still(channel);
      return;
   }
   const struct sim_range range = { .base = 0,
                                    .size = server->memory_size,
                                    .cpu = server->memory };
   /* The next job is decoded while the last operations of this one are
    * under way, unless the ring or the stream holds it back
    * (kernel-review.md 6). */
   const struct sim_job job = {
      .class_id = channel->class_id,
      .continues = continues,
      .cut = kick->full,
      .overlaps = channel->first,
      .ranges = &range,
      .num_ranges = 1,
      .cmds = channel->cmds,
      .num_cmds = channel->num_cmds,
   };
   log_job(channel, continues ? "goes on" : "begins");
   pthread_mutex_unlock(&server->lock);
   struct sim_stats before;
   sim_get_stats(channel->sim, &before);
   enum sim_status status = sim_execute(channel->sim, &job);
   pthread_mutex_lock(&server->lock);
   count_clocks(channel, continues, &before);
   log_job(channel, status == SIM_OK ? "ends" : "hangs");
   if (status != SIM_OK && !channel->abandon) {
      server->report.hangs++;
      server->hung |= engines;
      stand_still(channel);
   }
   channel->get = server->shared->get[channel->index] = get;
}

static void *
channel_thread(void *data)
{
   struct vm_channel *channel = data;
   struct vm_server *server = channel->server;
   pthread_mutex_lock(&server->lock);
   while (!channel->quit) {
      struct kick *kick = channel->first;
      if (!kick || channel->abandon || is_stopped(channel)) {
         pthread_cond_wait(&server->progress, &server->lock);
         continue;
      }
      channel->first = kick->next;
      if (!channel->first)
         channel->last = &channel->first;
      channel->busy = true;
      run_job(channel, kick);
      free(kick);
      channel->busy = false;
      channel->ended++;
      pthread_cond_broadcast(&server->progress);
      pthread_cond_broadcast(&server->settled);
   }
   pthread_mutex_unlock(&server->lock);
   return NULL;
}

static void
drop_kicks(struct vm_channel *channel)
{
   while (channel->first) {
      struct kick *kick = channel->first;
      channel->first = kick->next;
      free(kick);
   }
   channel->last = &channel->first;
}

/* Called under the lock. */
static struct vm_channel *
get_channel(struct vm_server *server, unsigned index)
{
   if (index >= VM_NUM_CHANNELS)
      return NULL;
   if (server->channels[index])
      return server->channels[index];
   struct vm_channel *channel = calloc(1, sizeof(*channel));
   if (!channel)
      return NULL;
   channel->server = server;
   channel->index = index;
   channel->class_id = HOST1X_CLASS_HOST1X;
   channel->last = &channel->first;
   channel->syncpts.data = channel;
   channel->syncpts.raise = raise_syncpt;
   channel->syncpts.wait = wait_syncpt;
   struct sim_options options = server->options;
   options.syncpts = &channel->syncpts;
   channel->sim = sim_create(&options);
   if (!channel->sim ||
       pthread_create(&channel->thread, NULL, channel_thread, channel)) {
      fprintf(stderr, "tegra20-vm: out of memory for channel %u\n", index);
      sim_destroy(channel->sim);
      free(channel);
      return NULL;
   }
   sim_set_switches(channel->sim, server->switches);
   server->channels[index] = channel;
   return channel;
}

/* --- messages --- */

void
vm_channel_kick(struct vm_server *server, const struct vm_msg *msg)
{
   struct kick *kick = malloc(sizeof(*kick));
   pthread_mutex_lock(&server->lock);
   struct vm_channel *channel = get_channel(server, msg->channel);
   if (kick && channel) {
      *kick = (struct kick){
         .put = msg->b & ~1u,
         .full = msg->b & 1,
      };
      channel->start = msg->a;
      *channel->last = kick;
      channel->last = &kick->next;
      pthread_cond_broadcast(&server->progress);
   } else {
      free(kick);
   }
   pthread_mutex_unlock(&server->lock);
}

/* Called under the lock: until the thread is out of its job. */
static void
abandon_job(struct vm_channel *channel)
{
   struct vm_server *server = channel->server;
   channel->abandon = true;
   drop_kicks(channel);
   pthread_cond_broadcast(&server->progress);
   while (channel->busy)
      pthread_cond_wait(&server->progress, &server->lock);
   channel->abandon = false;
   channel->last_opcode = 0;
}

void
vm_channel_set_get(struct vm_server *server, const struct vm_msg *msg)
{
   pthread_mutex_lock(&server->lock);
   struct vm_channel *channel = get_channel(server, msg->channel);
   if (channel) {
      abandon_job(channel);
      channel->get = server->shared->get[channel->index] = msg->a;
   }
   pthread_mutex_unlock(&server->lock);
}

/* Does it get on without the kernel? */
static bool
gets_on(const struct vm_channel *channel)
{
   if (is_stopped(channel) || channel->stands_still)
      return false;
   if (!channel->busy)
      return channel->first;
   return !channel->waits ||
          reached(channel->server, channel->wait_id, channel->wait_threshold);
}

static bool
any_gets_on(const struct vm_server *server)
{
   for (unsigned i = 0; i < VM_NUM_CHANNELS; i++) {
      if (server->channels[i] && gets_on(server->channels[i]))
         return true;
   }
   return false;
}

/* Called under the lock: until the channel has ended the job that it is in,
 * or nothing gets on any more: then the job hangs, or waits for what the
 * kernel would have to do. */
static void
let_job_end(struct vm_channel *channel)
{
   struct vm_server *server = channel->server;
   unsigned before = channel->ended;
   while ((channel->busy || channel->first) &&
          channel->ended - before < MAX_KICKS_OF_JOB && any_gets_on(server))
      pthread_cond_wait(&server->settled, &server->lock);
}

void
vm_channel_stop(struct vm_server *server, const struct vm_msg *msg)
{
   pthread_mutex_lock(&server->lock);
   for (unsigned i = 0; i < VM_NUM_CHANNELS; i++) {
      if (server->channels[i] && (msg->a & ~server->stopped & 1u << i))
         let_job_end(server->channels[i]);
   }
   server->stopped = msg->a;
   pthread_cond_broadcast(&server->progress);
   pthread_mutex_unlock(&server->lock);
}

void
vm_channel_teardown(struct vm_server *server, const struct vm_msg *msg)
{
   pthread_mutex_lock(&server->lock);
   struct vm_channel *channel = get_channel(server, msg->channel);
   if (channel)
      abandon_job(channel);
   pthread_mutex_unlock(&server->lock);
}

/* An engine that was in reset or without power has forgotten its fault. */
void
vm_channel_engines(struct vm_server *server, const struct vm_msg *msg)
{
   pthread_mutex_lock(&server->lock);
   server->hung &= __atomic_load_n(&server->shared->usable, __ATOMIC_SEQ_CST);
   pthread_mutex_unlock(&server->lock);
}

void
vm_channel_wake(struct vm_server *server)
{
   pthread_mutex_lock(&server->lock);
   pthread_cond_broadcast(&server->progress);
   pthread_mutex_unlock(&server->lock);
}

static void
add_stats(struct vm_server *server, struct sim *sim)
{
   struct sim_stats stats;
   sim_get_stats(sim, &stats);
   uint64_t *sum = (uint64_t *)&server->report.stats;
   const uint64_t *term = (const uint64_t *)&stats;
   for (unsigned i = 0; i < sizeof(stats) / sizeof(*sum); i++)
      sum[i] += term[i];
}

void
vm_channels_finish(struct vm_server *server)
{
   for (unsigned i = 0; i < VM_NUM_CHANNELS; i++) {
      struct vm_channel *channel = server->channels[i];
      if (!channel)
         continue;
      pthread_mutex_lock(&server->lock);
      abandon_job(channel);
      channel->quit = true;
      pthread_cond_broadcast(&server->progress);
      pthread_mutex_unlock(&server->lock);
      pthread_join(channel->thread, NULL);
      add_stats(server, channel->sim);
      sim_destroy(channel->sim);
      free(channel->cmds);
      free(channel);
      server->channels[i] = NULL;
   }
}
