/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The engines of the simulated SoC as a process beside the kernel's.
 *
 *   main.c      options, the socket, the report at the end
 *   channel.c   host1x channels: push buffers, a thread for each
 *   scanout.c   display controller registers -> a picture
 *   screen.c    pictures of the screen in files
 */

#ifndef VM_SERVER_H
#define VM_SERVER_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/protocol.h"
#include "sim.h"

#define VM_NUM_DIAGS 1000
#define VM_DIAG_TEXT 240

struct vm_channel;

/* What the engines have done, and what they complained of. */
struct vm_report {
   pthread_mutex_t lock;
   struct sim_stats stats;
   uint64_t hangs;   /* jobs that an engine could not end */
   uint64_t longest; /* clocks of the chip that a job took at most */
   struct {
      uint32_t count;
      char text[VM_DIAG_TEXT]; /* the first one's */
   } diags[VM_NUM_DIAGS];
};

struct vm_server {
   int socket;
   uint8_t *memory; /* of the kernel; NULL before its first message */
   size_t memory_size;
   struct vm_shared *shared;
   struct sim_options options;
   const char *switches; /* "A57=16,...", or NULL */

   pthread_mutex_t lock;    /* all below */
   pthread_cond_t progress; /* anything below or a sync point changed */
   pthread_cond_t settled;  /* a channel has ended a kick or waits */
   struct vm_channel *channels[VM_NUM_CHANNELS];
   uint32_t stopped;  /* bit per channel: CMDPROC_STOP */
   uint32_t hung;     /* VM_ENGINE_...: stands still until it is reset */
   unsigned log_jobs; /* not 0: a line on stderr for each job */

   struct vm_report report;
};

/* --- channel.c --- */

/* Each handles the message of its name; called by the socket's thread.  They
 * return when the kernel may go on. */
void
vm_channel_kick(struct vm_server *server, const struct vm_msg *msg);
void
vm_channel_set_get(struct vm_server *server, const struct vm_msg *msg);
void
vm_channel_stop(struct vm_server *server, const struct vm_msg *msg);
void
vm_channel_teardown(struct vm_server *server, const struct vm_msg *msg);
void
vm_channel_engines(struct vm_server *server, const struct vm_msg *msg);
void
vm_channel_wake(struct vm_server *server);
/* Whoever sets vm_shared.interrupt to 1 calls this (or sends
 * VM_MSG_INTERRUPT). */
void
vm_interrupt(struct vm_server *server);
/* Ends all threads and adds their statistics up in server->report. */
void
vm_channels_finish(struct vm_server *server);

/* --- main.c --- */

/* A diagnostic of a simulator or of the process itself. */
void
vm_diag(struct vm_server *server, unsigned number, const char *text);

#endif
