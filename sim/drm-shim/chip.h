/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * One chip for several processes (tegra20-run --one-chip).
 *
 * A process of its own has the simulator, the queues of the engines, the
 * sync points and the memory; the others check ioctls as ever and hand over
 * what is left of a submission.  They talk over a socket: one connection for
 * each process, messages of a head and a payload, with at most one
 * descriptor.  The values of the sync points are in a page that all of them
 * map.
 *
 * A process sends one request at a time, under shim.lock, and reads until the
 * answer is there; what it reads before that, and what a thread of its own
 * reads at other times, are events.
 */

#ifndef TEGRA20_SHIM_CHIP_H
#define TEGRA20_SHIM_CHIP_H

#include "shim.h"

enum chip_type {
   /* requests that are answered by CHIP_ANSWER */
   CHIP_ADD_BUFFER,      /* descriptor; value[0] = size; answer: address */
   CHIP_ALLOCATE_SYNCPT, /* value[0] = start from 0 (grate); answer: id */
   CHIP_SUBMIT,          /* payload: struct chip_job; answer: end value */
   CHIP_RAISE,           /* value[0] = sync point, value[1] = its new value */
   CHIP_DRAIN,           /* answered when all jobs of the process ended */
   /* value[0] = number; answered, as a wait that another process knows to be
    * over must not hurry the jobs of that */
   CHIP_NEED_NO_MORE,
   /* requests without an answer */
   CHIP_REMOVE_BUFFER, /* value[0] = address */
   CHIP_FREE_SYNCPT,   /* value[0] = id */
   CHIP_EXPORT_FENCE,  /* value[0] = fence; eventfd as descriptor */
   CHIP_NEED,          /* value[0] = number, [1] = kind, [2], [3] as below */
   /* from the chip */
   CHIP_ANSWER,   /* error, value[0]; the first one has the page */
   CHIP_DONE,     /* value[0] = fence, [1] = sync point, [2] = locked, [3] =
                     thousand clocks of the chip since it was submitted */
   CHIP_DIAG,     /* value[0] = number; payload: text */
   CHIP_STATS,    /* payload: struct sim_stats, of one job */
   CHIP_PROGRESS, /* a sync point advanced */
};

enum chip_need {
   CHIP_NEED_EVERYTHING,
   CHIP_NEED_SYNCPT, /* value[2] = id, value[3] = threshold */
   CHIP_NEED_FENCE,  /* value[2] = fence */
};

struct chip_message {
   uint32_t type, size; /* of the payload, bytes */
   int32_t error;       /* 0 or a negative errno */
   uint32_t value[4];
};

/* Followed by words, struct chip_cmd, the addresses of buffers, and the
 * fences that the job waits for. */
struct chip_job {
   uint32_t engine, class_id, syncpt, increments, slots, fence;
   uint32_t goes_on, hangs;
   uint32_t gives_back; /* the sync point belongs to this job only (grate) */
   uint32_t num_words, num_cmds, num_mems, num_deps;
};

struct chip_cmd {
   uint32_t is_wait;
   uint32_t a, b; /* first word and count, or sync point and threshold */
};

/* What a submission can have at most. */
#define CHIP_MAX_PAYLOAD (80u << 20)

/* chip_io.c.  *fd: -1 for none. */
bool
shim_chip_send(int socket, struct chip_message *message, const void *payload,
               int fd);
/* *payload is to be freed; NULL when there is none. */
bool
shim_chip_receive(int socket, struct chip_message *message, void **payload,
                  int *fd);
/* The same job as a payload, or from one: false when that is damaged. */
void *
shim_chip_pack_job(const struct shim_job *job, struct chip_job *head,
                   const uint32_t *deps, uint32_t *size);
bool
shim_chip_unpack_job(const void *payload, uint32_t size, struct shim_job *job,
                     const struct chip_job **head, const uint32_t **mems,
                     const uint32_t **deps);

/* chip_server.c, for tegra20-run: serves who connects to the listener, until
 * the other end of lifetime is closed and the last one has gone.  Returns the
 * exit status. */
int
tegra20_shim_serve(int listener, int lifetime);

#endif
