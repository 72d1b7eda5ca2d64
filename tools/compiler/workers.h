/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Runs a function over a list of items in child processes.  Mesa's front end
 * works in one thread, and a child that dies takes only its own item with it:
 * the item is reported as crashed and the list goes on.
 */

#ifndef WORKERS_H
#define WORKERS_H

#include <stdbool.h>

/* An item that takes more CPU than this (s), or ten times as long, is killed
 * (SIGALRM), as is one that wants more memory than this (bytes). */
#ifdef __SANITIZE_ADDRESS__
#define WORKER_SECONDS 600 /* several times as slow */
#else
#define WORKER_SECONDS 60
#endif
#define WORKER_MEMORY (4ull << 30)

struct worker_result {
   int status; /* what the function returned, or the negative signal number
                  that killed it */
   char *out;  /* what it printed, malloc'ed */
   char *err;
};

/* Prints through FILE streams to out and err; returns a status >= 0. */
typedef int (*worker_fn)(void *data, unsigned item);

/* Called in the parent, in the order of the items. */
typedef void (*worker_done_fn)(void *data, unsigned item,
                               const struct worker_result *result);

/* num_workers 0 = one per core.  Returns false, after a message, when no
 * process can be started. */
bool
run_workers(unsigned num_items, unsigned num_workers, worker_fn fn,
            worker_done_fn done, void *data);

#endif
