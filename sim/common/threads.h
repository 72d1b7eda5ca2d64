/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * threads.c: a pool of threads for parallel loops.
 */

#ifndef SIM_THREADS_H
#define SIM_THREADS_H

struct sim_threads;

#define SIM_MAX_THREADS 64

/* threads = 0: one per core; more than SIM_MAX_THREADS: that many. */
struct sim_threads *
sim_threads_create(unsigned threads);
unsigned
sim_threads_count(const struct sim_threads *threads);
void
sim_threads_destroy(struct sim_threads *threads);
/* Calls fn(data, item, thread) for every item in 0..count-1, each once;
 * thread < the pool's size. */
void
sim_threads_run(struct sim_threads *threads, unsigned count,
                void (*fn)(void *data, unsigned item, unsigned thread),
                void *data);

#endif
