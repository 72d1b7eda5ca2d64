/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The parent hands item numbers to its children over pipes and keeps at most
 * one item in each.  A child redirects its standard streams into temporary
 * files, so that whatever a pass prints belongs to the item, and answers with
 * a record of three numbers and the two texts.
 */

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "workers.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#define MAX_WORKERS 64

struct record {
   int32_t status;
   uint32_t out_length, err_length;
};

struct worker {
   pid_t pid;
   int to, from;
   int item;                      /* -1 = idle */
   double cpu_deadline, deadline; /* as seconds() of its CPU, of all */
};

struct pool {
   worker_fn fn;
   worker_done_fn done;
   void *data;
   unsigned num_items, next_item, next_done, num_workers;
   struct worker workers[MAX_WORKERS];
   struct worker_result *results;
   bool *have;
};

static double
seconds(clockid_t clock)
{
   struct timespec t = { 0 };
   clock_gettime(clock, &t);
   return t.tv_sec + t.tv_nsec * 1e-9;
}

/* Of CPU, which other programs of the machine do not lengthen. */
static double
cpu_seconds(const struct worker *worker)
{
   clockid_t clock;
   return clock_getcpuclockid(worker->pid, &clock) ? 0 : seconds(clock);
}

static bool
is_late(const struct worker *worker)
{
   return worker->item >= 0 && (cpu_seconds(worker) > worker->cpu_deadline ||
                                seconds(CLOCK_MONOTONIC) > worker->deadline);
}

static bool
read_all(int fd, void *data, size_t size)
{
   for (size_t done = 0; done < size;) {
      ssize_t n = read(fd, (char *)data + done, size - done);
      if (n < 0 && errno == EINTR)
         continue;
      if (n <= 0)
         return false;
      done += n;
   }
   return true;
}

static bool
write_all(int fd, const void *data, size_t size)
{
   for (size_t done = 0; done < size;) {
      ssize_t n = write(fd, (const char *)data + done, size - done);
      if (n < 0 && errno == EINTR)
         continue;
      if (n <= 0)
         return false;
      done += n;
   }
   return true;
}

static char *
slurp(FILE *f, uint32_t *length)
{
   fflush(f);
   long size = ftell(f);
   *length = size > 0 ? size : 0;
   char *text = calloc(1, *length + 1);
   rewind(f);
   if (text && fread(text, 1, *length, f) != *length)
      *length = 0;
   rewind(f);
   if (ftruncate(fileno(f), 0))
      *length = 0;
   return text;
}

/* A program whose functions inline into millions of operations must not take
 * the machine's memory with it. */
static void
limit_memory(void)
{
   struct rlimit limit = { .rlim_cur = WORKER_MEMORY,
                           .rlim_max = WORKER_MEMORY };
#ifndef __SANITIZE_ADDRESS__ /* the sanitizer maps terabytes */
   setrlimit(RLIMIT_DATA, &limit);
#else
   (void)limit;
#endif
}

/* Leaves without what atexit() would do a second time for the parent, but not
 * without the sanitizer's search for leaks. */
static void
leave_child(int error)
{
   dup2(error, 2);
#ifdef __SANITIZE_ADDRESS__
   __lsan_do_leak_check();
#endif
   _exit(0);
}

static void
child_loop(const struct pool *pool, int in, int reply)
{
   FILE *files[2] = { tmpfile(), tmpfile() };
   if (!files[0] || !files[1])
      _exit(1);
   limit_memory();
   fflush(stdout);
   const int error = dup(2);
   dup2(fileno(files[0]), 1);
   dup2(fileno(files[1]), 2);
   for (uint32_t item; read_all(in, &item, sizeof(item));) {
      struct record record;
      record.status = pool->fn(pool->data, item);
      fflush(stdout);
      fflush(stderr);
      fseek(files[0], 0, SEEK_END);
      fseek(files[1], 0, SEEK_END);
      char *out = slurp(files[0], &record.out_length);
      char *err = slurp(files[1], &record.err_length);
      lseek(1, 0, SEEK_SET);
      lseek(2, 0, SEEK_SET);
      if (!write_all(reply, &record, sizeof(record)) ||
          !write_all(reply, out, record.out_length) ||
          !write_all(reply, err, record.err_length))
         break;
      free(out);
      free(err);
   }
   leave_child(error);
}

static bool
start_worker(struct pool *pool, struct worker *worker)
{
   int to[2], from[2];
   if (pipe(to) || pipe(from)) {
      perror("tegra20-compiler: pipe");
      return false;
   }
   fflush(NULL);
   worker->pid = fork();
   if (worker->pid < 0) {
      perror("tegra20-compiler: fork");
      return false;
   }
   if (worker->pid == 0) {
      for (unsigned i = 0; i < pool->num_workers; i++) {
         if (pool->workers[i].pid > 0 && &pool->workers[i] != worker) {
            close(pool->workers[i].to);
            close(pool->workers[i].from);
         }
      }
      close(to[1]);
      close(from[0]);
      child_loop(pool, to[0], from[1]);
   }
   close(to[0]);
   close(from[1]);
   worker->to = to[1];
   worker->from = from[0];
   worker->item = -1;
   return true;
}

static void
stop_worker(struct worker *worker, int *wait_status)
{
   close(worker->to);
   close(worker->from);
   while (waitpid(worker->pid, wait_status, 0) < 0 && errno == EINTR)
      ;
   worker->pid = 0;
}

static void
give_item(struct pool *pool, struct worker *worker)
{
   if (pool->next_item == pool->num_items)
      return;
   uint32_t item = pool->next_item++;
   worker->item = item;
   worker->cpu_deadline = cpu_seconds(worker) + WORKER_SECONDS;
   worker->deadline = seconds(CLOCK_MONOTONIC) + 10 * WORKER_SECONDS;
   write_all(worker->to, &item,
             sizeof(item)); /* a dead child shows when its answer is read */
}

static void
deliver(struct pool *pool)
{
   while (pool->next_done < pool->num_items && pool->have[pool->next_done]) {
      struct worker_result *result = &pool->results[pool->next_done];
      pool->done(pool->data, pool->next_done, result);
      free(result->out);
      free(result->err);
      pool->next_done++;
   }
}

/* Returns false when the child died; its item then has a result all the same.
 */
static bool
take_answer(struct pool *pool, struct worker *worker)
{
   struct worker_result *result = &pool->results[worker->item];
   struct record record;
   bool alive = read_all(worker->from, &record, sizeof(record));
   if (alive) {
      result->status = record.status;
      result->out = calloc(1, record.out_length + 1);
      result->err = calloc(1, record.err_length + 1);
      alive = read_all(worker->from, result->out, record.out_length) &&
              read_all(worker->from, result->err, record.err_length);
   } else {
      int wait_status = 0;
      stop_worker(worker, &wait_status);
      result->status = WIFSIGNALED(wait_status) ? -WTERMSIG(wait_status) : -1;
      result->out = strdup("");
      result->err = strdup("");
   }
   pool->have[worker->item] = true;
   worker->item = -1;
   return alive;
}

static bool
pool_step(struct pool *pool)
{
   struct pollfd fds[MAX_WORKERS];
   for (unsigned i = 0; i < pool->num_workers; i++)
      fds[i] = (struct pollfd){ .fd = pool->workers[i].item >= 0
                                         ? pool->workers[i].from
                                         : -1,
                                .events = POLLIN };
   if (poll(fds, pool->num_workers, 1000) < 0)
      return errno == EINTR;
   for (unsigned i = 0; i < pool->num_workers; i++) {
      if (is_late(&pool->workers[i]))
         kill(pool->workers[i].pid,
              SIGALRM); /* its pipe closes, which the next round sees */
   }
   for (unsigned i = 0; i < pool->num_workers; i++) {
      if (!fds[i].revents)
         continue;
      struct worker *worker = &pool->workers[i];
      if (!take_answer(pool, worker) && !start_worker(pool, worker))
         return false;
      give_item(pool, worker);
   }
   deliver(pool);
   return true;
}

bool
run_workers(unsigned num_items, unsigned num_workers, worker_fn fn,
            worker_done_fn done, void *data)
{
   struct pool *pool = calloc(1, sizeof(*pool));
   if (num_workers == 0)
      num_workers = sysconf(_SC_NPROCESSORS_ONLN);
   num_workers = num_workers > MAX_WORKERS ? MAX_WORKERS : num_workers;
   *pool = (struct pool){
      .fn = fn, .done = done, .data = data, .num_items = num_items
   };
   pool->num_workers = num_workers > num_items ? num_items : num_workers;
   pool->results = calloc(num_items ? num_items : 1, sizeof(*pool->results));
   pool->have = calloc(num_items ? num_items : 1, sizeof(*pool->have));
   bool ok = true;
   for (unsigned i = 0; i < pool->num_workers && ok; i++) {
      ok = start_worker(pool, &pool->workers[i]);
      if (ok)
         give_item(pool, &pool->workers[i]);
   }
   while (ok && pool->next_done < num_items)
      ok = pool_step(pool);
   for (unsigned i = 0; i < pool->num_workers; i++) {
      int wait_status;
      if (pool->workers[i].pid > 0)
         stop_worker(&pool->workers[i], &wait_status);
   }
   free(pool->results);
   free(pool->have);
   free(pool);
   return ok;
}
