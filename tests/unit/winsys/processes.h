/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What processes of a test need that are no cmocka tests themselves: checks that end the process, the device, descriptors that
 * go from one process to another; and, for all, a job whose result can be seen.
 */

#ifndef PROCESSES_H
#define PROCESSES_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tegra20/host1x_stream.h"
#include "tegra20_winsys.h"

#define NODE "/dev/dri/renderD128"
#define FOREVER UINT64_MAX

#define CHECK(condition)                                                                                               \
   do {                                                                                                                \
      if (!(condition)) {                                                                                              \
         fprintf(stderr, "%s:%d: %s\n", __func__, __LINE__, #condition);                                               \
         exit(1);                                                                                                      \
      }                                                                                                                \
   } while (0)

/* NULL when the winsys declines the device. */
static inline struct tegra20_winsys *
open_device(void)
{
   int fd = open(NODE, O_RDWR | O_CLOEXEC);
   CHECK(fd >= 0);
   struct tegra20_winsys *ws = tegra20_winsys_create(fd);
   close(fd);
   return ws;
}

static inline void
send_fd(int socket, int fd)
{
   char byte = 0, control[CMSG_SPACE(sizeof(int))] = {0};
   struct iovec iov = {&byte, 1};
   struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
   struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);
   cmsg->cmsg_level = SOL_SOCKET;
   cmsg->cmsg_type = SCM_RIGHTS;
   cmsg->cmsg_len = CMSG_LEN(sizeof(int));
   memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
   CHECK(sendmsg(socket, &msg, 0) == 1);
}

static inline int
receive_fd(int socket)
{
   char byte, control[CMSG_SPACE(sizeof(int))];
   struct iovec iov = {&byte, 1};
   struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
   int fd;
   CHECK(recvmsg(socket, &msg, 0) == 1 && CMSG_FIRSTHDR(&msg));
   memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
   return fd;
}

/* GR2D fill of a linear surface of 32 bits, as large as that (surfaces-and-textures.md 9.1). */
static inline void
fill(struct tegra20_job *job, struct tegra20_bo *bo, uint32_t offset, unsigned width, unsigned height, uint32_t colour)
{
   uint32_t *p = tegra20_job_begin(job, 20, 1);
   CHECK(p);
   *p++ = host1x_mask(0x9, 0x9);
   *p++ = 0x3a;
   *p++ = 0;
   *p++ = host1x_mask(0x1e, 0x7);
   *p++ = 0;
   *p++ = 2 << 16 | 1 << 6 | 1 << 2; /* 32 bits, turbo fill */
   *p++ = 0xcc;
   *p++ = host1x_mask(0x2b, 0x9);
   tegra20_job_reloc(job, p++, bo, offset, TEGRA20_WRITE);
   *p++ = width * 4;
   *p++ = host1x_incr(0x35, 1);
   *p++ = colour;
   *p++ = host1x_incr(0x46, 1);
   *p++ = 0;
   *p++ = host1x_mask(0x38, 0x5);
   *p++ = height << 16 | width;
   *p++ = 0;
   tegra20_job_end(job, p);
}

#endif
