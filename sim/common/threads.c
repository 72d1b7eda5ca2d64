/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * A pool that runs one parallel loop at a time.  The calling thread takes
 * part; the others sleep in between.
 *
 * Workers do not survive fork(), and programs under the drm-shim fork: the
 * pool notices a new process id and starts its threads again.
 */

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "threads.h"

struct sim_threads {
   unsigned count; /* including the caller */
   unsigned started;
   pid_t pid;
   pthread_t thread[SIM_MAX_THREADS];
   pthread_mutex_t lock;
   pthread_cond_t work, done;
   uint64_t generation;
   unsigned busy;
   bool stop;
   unsigned next_index;

   atomic_uint next;
   unsigned items;
   void (*fn)(void *data, unsigned item, unsigned thread);
   void *data;
};

static void
take_items(struct sim_threads *threads, unsigned self)
{
   for (;;) {
      unsigned item =
         atomic_fetch_add_explicit(&threads->next, 1, memory_order_relaxed);
      if (item >= threads->items)
         return;
      threads->fn(threads->data, item, self);
   }
}

static void *
worker_main(void *arg)
{
   struct sim_threads *threads = arg;
   pthread_mutex_lock(&threads->lock);
   unsigned self = ++threads->next_index;
   uint64_t seen = 0;
   for (;;) {
      while (!threads->stop && threads->generation == seen)
         pthread_cond_wait(&threads->work, &threads->lock);
      if (threads->stop)
         break;
      seen = threads->generation;
      pthread_mutex_unlock(&threads->lock);
      take_items(threads, self);
      pthread_mutex_lock(&threads->lock);
      if (--threads->busy == 0)
         pthread_cond_signal(&threads->done);
   }
   pthread_mutex_unlock(&threads->lock);
   return NULL;
}

/* Starts the workers; fewer than asked for when the system refuses. */
static void
start(struct sim_threads *threads)
{
   threads->pid = getpid();
   threads->started = 0;
   threads->next_index = 0;
   threads->generation = 0;
   threads->busy = 0;
   threads->stop = false;
   pthread_mutex_init(&threads->lock, NULL);
   pthread_cond_init(&threads->work, NULL);
   pthread_cond_init(&threads->done, NULL);
   /* The application's signal handlers must not run on our threads. */
   sigset_t all, old;
   sigfillset(&all);
   pthread_sigmask(SIG_SETMASK, &all, &old);
   for (unsigned i = 1; i < threads->count; i++) {
      if (pthread_create(&threads->thread[threads->started], NULL,
                         worker_main, threads) != 0)
         break;
      threads->started++;
   }
   pthread_sigmask(SIG_SETMASK, &old, NULL);
}

struct sim_threads *
sim_threads_create(unsigned count)
{
   if (!count) {
      long cores = sysconf(_SC_NPROCESSORS_ONLN);
      count = cores > 0 ? (unsigned)cores : 1;
   }
   if (count > SIM_MAX_THREADS)
      count = SIM_MAX_THREADS;
   struct sim_threads *threads = calloc(1, sizeof(*threads));
   if (!threads)
      return NULL;
   threads->count = count;
   return threads;
}

unsigned
sim_threads_count(const struct sim_threads *threads)
{
   return threads->count;
}

void
sim_threads_destroy(struct sim_threads *threads)
{
   if (!threads)
      return;
   if (threads->started && threads->pid == getpid()) {
      pthread_mutex_lock(&threads->lock);
      threads->stop = true;
      pthread_cond_broadcast(&threads->work);
      pthread_mutex_unlock(&threads->lock);
      for (unsigned i = 0; i < threads->started; i++)
         pthread_join(threads->thread[i], NULL);
   }
   free(threads);
}

void
sim_threads_run(struct sim_threads *threads, unsigned count,
                void (*fn)(void *data, unsigned item, unsigned thread),
                void *data)
{
   threads->fn = fn;
   threads->data = data;
   threads->items = count;
   atomic_store_explicit(&threads->next, 0, memory_order_relaxed);
   if (threads->count == 1 || count < 2) {
      take_items(threads, 0);
      return;
   }
   if (threads->pid != getpid())
      start(threads);
   pthread_mutex_lock(&threads->lock);
   threads->busy = threads->started;
   threads->generation++;
   pthread_cond_broadcast(&threads->work);
   pthread_mutex_unlock(&threads->lock);
   take_items(threads, 0);
   pthread_mutex_lock(&threads->lock);
   while (threads->busy)
      pthread_cond_wait(&threads->done, &threads->lock);
   pthread_mutex_unlock(&threads->lock);
}
