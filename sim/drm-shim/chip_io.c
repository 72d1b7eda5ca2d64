/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Messages between a process and the chip that it shares with others.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "chip.h"

static bool
send_all(int socket, struct msghdr *message)
{
   while (message->msg_iovlen) {
      ssize_t done = sendmsg(socket, message, MSG_NOSIGNAL);
      if (done < 0 && errno == EINTR)
         continue;
      if (done < 0)
         return false;
      message->msg_control = NULL; /* went with the first byte */
      message->msg_controllen = 0;
      while (message->msg_iovlen &&
             (size_t)done >= message->msg_iov->iov_len) {
         done -= message->msg_iov->iov_len;
         message->msg_iov++;
         message->msg_iovlen--;
      }
      if (message->msg_iovlen) {
         message->msg_iov->iov_base =
            (char *)message->msg_iov->iov_base + done;
         message->msg_iov->iov_len -= done;
      }
   }
   return true;
}

bool
shim_chip_send(int socket, struct chip_message *message, const void *payload,
               int fd)
{
   union {
      struct cmsghdr head;
      char space[CMSG_SPACE(sizeof(int))];
   } control = { 0 };
   struct iovec part[2] = { { message, sizeof(*message) },
                            { (void *)payload, message->size } };
   struct msghdr out = { .msg_iov = part,
                         .msg_iovlen = message->size ? 2 : 1 };
   if (fd >= 0) {
      out.msg_control = control.space;
      out.msg_controllen = sizeof(control.space);
      control.head.cmsg_level = SOL_SOCKET;
      control.head.cmsg_type = SCM_RIGHTS;
      control.head.cmsg_len = CMSG_LEN(sizeof(int));
      memcpy(CMSG_DATA(&control.head), &fd, sizeof(int));
   }
   return send_all(socket, &out);
}

/* With the descriptor that comes with the first byte. */
static bool
receive_all(int socket, void *to, size_t size, int *fd)
{
   for (size_t done = 0; done < size;) {
      union {
         struct cmsghdr head;
         char space[CMSG_SPACE(sizeof(int))];
      } control;
      struct iovec part = { (char *)to + done, size - done };
      struct msghdr in = { .msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = fd ? control.space : NULL,
                           .msg_controllen = fd ? sizeof(control.space) : 0 };
      ssize_t n = recvmsg(socket, &in, MSG_CMSG_CLOEXEC);
      if (n < 0 && errno == EINTR)
         continue;
      if (n <= 0)
         return false;
      const struct cmsghdr *c = fd ? CMSG_FIRSTHDR(&in) : NULL;
      if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
         memcpy(fd, CMSG_DATA(c), sizeof(int));
      done += n;
   }
   return true;
}

bool
shim_chip_receive(int socket, struct chip_message *message, void **payload,
                  int *fd)
{
   *payload = NULL;
   *fd = -1;
   if (!receive_all(socket, message, sizeof(*message), fd))
      return false;
   if (message->size == 0)
      return true;
   if (message->size <= CHIP_MAX_PAYLOAD)
      *payload = malloc(message->size);
   if (*payload && receive_all(socket, *payload, message->size, NULL))
      return true;
   free(*payload);
   *payload = NULL;
   if (*fd >= 0)
      syscall(SYS_close, *fd);
   return false;
}

void *
shim_chip_pack_job(const struct shim_job *job, struct chip_job *head,
                   const uint32_t *deps, uint32_t *size)
{
   head->engine = job->engine;
   head->class_id = job->class_id;
   head->slots = job->slots;
   head->goes_on = job->goes_on;
   head->num_words = job->num_words;
   head->num_cmds = job->num_cmds;
   head->num_mems = job->num_mems;
   const size_t total =
      sizeof(*head) +
      ((size_t)job->num_words + job->num_mems + head->num_deps) *
         sizeof(uint32_t) +
      job->num_cmds * sizeof(struct chip_cmd);
   char *payload = total <= CHIP_MAX_PAYLOAD ? malloc(total) : NULL, *at;
   if (!payload)
      return NULL;
   *size = total;
   memcpy(payload, head, sizeof(*head));
   at = payload + sizeof(*head);
   memcpy(at, job->words, job->num_words * sizeof(uint32_t));
   at += job->num_words * sizeof(uint32_t);
   for (unsigned i = 0; i < job->num_cmds; i++) {
      const struct sim_cmd *cmd = &job->cmds[i];
      struct chip_cmd out = { cmd->type == SIM_CMD_WAIT, cmd->wait.syncpt,
                              cmd->wait.threshold };
      if (!out.is_wait) {
         out.a = cmd->gather.words - job->words;
         out.b = cmd->gather.count;
      }
      memcpy(at, &out, sizeof(out));
      at += sizeof(out);
   }
   for (unsigned i = 0; i < job->num_mems; i++, at += sizeof(uint32_t))
      memcpy(at, &job->mems[i]->address, sizeof(uint32_t));
   if (head->num_deps)
      memcpy(at, deps, head->num_deps * sizeof(uint32_t));
   return payload;
}

static bool
unpack_cmds(struct shim_job *job, const struct chip_cmd *cmds, unsigned num)
{
   for (unsigned i = 0; i < num; i++) {
      struct sim_cmd *out = &job->cmds[job->num_cmds++];
      const struct chip_cmd *cmd = &cmds[i];
      if (cmd->is_wait)
         *out = (struct sim_cmd){ .type = SIM_CMD_WAIT,
                                  .wait = { cmd->a, cmd->b } };
      else if (cmd->a > job->num_words || cmd->b > job->num_words - cmd->a)
         return false;
      else
         *out = (struct sim_cmd){ .type = SIM_CMD_GATHER,
                                  .gather = { job->words + cmd->a, cmd->b } };
   }
   return true;
}

bool
shim_chip_unpack_job(const void *payload, uint32_t size, struct shim_job *job,
                     const struct chip_job **out, const uint32_t **mems,
                     const uint32_t **deps)
{
   const struct chip_job *head = payload;
   if (size < sizeof(*head) ||
       size !=
          sizeof(*head) +
             ((uint64_t)head->num_words + head->num_mems + head->num_deps) *
                sizeof(uint32_t) +
             (uint64_t)head->num_cmds * sizeof(struct chip_cmd) ||
       head->engine >= SHIM_NUM_ENGINES || head->syncpt >= SIM_NUM_SYNCPTS)
      return false;
   const uint32_t *words = (const uint32_t *)(head + 1);
   const struct chip_cmd *cmds =
      (const struct chip_cmd *)(words + head->num_words);
   *out = head;
   *mems = (const uint32_t *)(cmds + head->num_cmds);
   *deps = *mems + head->num_mems;
   job->engine = head->engine;
   job->class_id = head->class_id;
   job->slots = head->slots;
   job->goes_on = head->goes_on;
   job->hangs = head->hangs;
   job->num_words = head->num_words;
   job->words = malloc(MAX2(head->num_words, 1) * sizeof(uint32_t));
   job->cmds = calloc(MAX2(head->num_cmds, 1), sizeof(*job->cmds));
   job->mems = calloc(MAX2(head->num_mems, 1), sizeof(*job->mems));
   job->deps = calloc(MAX2(head->num_deps, 1), sizeof(*job->deps));
   if (!job->words || !job->cmds || !job->mems || !job->deps)
      return false;
   memcpy(job->words, words, head->num_words * sizeof(uint32_t));
   return unpack_cmds(job, cmds, head->num_cmds);
}
